// Checks what a docs site exported of the pages that plimsoll published.
//
//   node check.mjs docusaurus|fumadocs EXPORTED ARCHIVE VERDICTS
//
// Every run has a page that says what its record says, every link of the pages leads somewhere, every sidebar shows the
// release at hand and the way to the others.
import { readFileSync } from "node:fs";
import { all, attribute, named, plain, text } from "./html.mjs";
import { runs } from "./records.mjs";
import { faults as runFaults } from "./run_page.mjs";
import { HERE, Site } from "./site.mjs";
import { SITES } from "./sites.mjs";
import { tally } from "./faults.mjs";

const [name, folder, archive, verdicts] = process.argv.slice(2);
const kind = SITES[name];
if (!kind || !verdicts) {
  console.error("usage: node check.mjs docusaurus|fumadocs EXPORTED ARCHIVE VERDICTS");
  process.exit(2);
}

const site = new Site(folder);
const result = tally();
const expected = runs(archive, JSON.parse(readFileSync(verdicts, "utf8")).verdicts);
const address = (run) => `${kind.base}/${run.release}/${run.run}`;

for (const run of expected) {
  const page = site.page(address(run));
  result.count("run pages");
  if (!page) {
    result.fault(address(run), "there is no such page");
    continue;
  }
  for (const fault of runFaults(content(page.root), run)) result.fault(address(run), fault);
  if (run.series && named(content(page.root), "figure").length === 0) result.fault(address(run), "the chart is missing");
  sidebar(page.root, run);
}

for (const path of site.addresses(kind.base)) {
  result.count("pages");
  const { root, ids } = site.page(path);
  for (const link of named(root, "a").filter((link) => attribute(link, "href") !== undefined)) {
    const href = attribute(link, "href");
    result.count("links");
    if (href.includes("#")) result.count("anchors");
    const wrong = site.wrong(href, path);
    if (wrong) result.fault(path, `the link ${href} (${plain(text(link))}) ${wrong}`);
  }
  const inside = all(content(root), (element) => attribute(element, "id") !== undefined).map((element) => attribute(element, "id"));
  for (const twice of inside.filter((id, at) => inside.indexOf(id) !== at)) result.fault(path, `the id ${twice} is there twice`);
  if (ids.length === 0) result.fault(path, "it has no heading that a link can name");
  marks(path, root);
}
process.exit(result.report(name));

/** The part of a page that was published. */
function content(root) {
  return named(root, "article")[0] ?? root;
}

/** The sidebar lists all runs of the release, and names every release. */
function sidebar(root, run) {
  const bar = all(root, kind.sidebar)[0];
  const shown = named(bar ?? content(root), "a", "button").map((entry) => ({
    words: plain(text(entry)),
    path: new URL(attribute(entry, "href") ?? "", HERE + address(run)).pathname.replace(/\/$/, ""),
  }));
  for (const other of expected.filter((other) => other.release === run.release)) {
    result.count("sidebar entries");
    if (!shown.some((entry) => entry.path === address(other))) result.fault(address(run), `the sidebar lacks ${other.release}/${other.run}`);
  }
  for (const release of new Set(expected.map((other) => other.release))) {
    if (!shown.some((entry) => entry.words === release)) result.fault(address(run), `the sidebar does not name ${release}`);
  }
}

/** Marks of a page that are no text: what a docs site left uninterpreted. */
function marks(path, root) {
  const words = named(content(root), "h1", "h2", "h3", "h4", "th", "td", "p", "li").map((part) => plain(text(part))).join("\n");
  for (const mark of [/\\?\{#[\w-]+\\?\}/, /\[#[\w-]+\]/, /\{\/\*/, /\*\/\}/, /<br\s*\/?>/, /\bundefined\b/, /\bNaN\b/]) {
    const found = words.match(mark);
    if (found) result.fault(path, `it shows ${found[0]}`);
  }
}
