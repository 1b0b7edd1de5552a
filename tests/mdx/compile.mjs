// Compiles every page of a folder, and of the folders in it, as its docs site does, renders it, and looks at what a reader
// would see.
//
//   node compile.mjs FOLDER [--profile fumadocs|docusaurus|markdown] [--records ARCHIVE] [--url ADDRESS]
//
// A page passes if it compiles and renders; runs no code and has no component but the chart; if each row of a table has as
// many cells as its head; and if every link leads to a file or a heading of the folder. The page of a run also has its table,
// its headings and k6's block. With --records every run of the archive has a page that shows what the record says. A file of
// the page's name that ends in .json instead says what the page must show: {"title", "sidebar_label", "texts", "k6"}.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { brokenLinks } from "./links.mjs";
import { PROFILES } from "./profiles.mjs";
import { missing, runsOf } from "./records.mjs";
import { lastCodeBlock, marked, plain, tables, words } from "./words.mjs";

/** What is wrong with a page by itself. */
function faultsOf(page, wanted) {
  const { html, title } = page;
  const faults = [...page.faults];
  if (title.includes(" benchmark of ")) faults.push(...faultsOfRun(html));
  for (const rows of tables(html)) {
    for (const row of rows.filter((row) => row.length !== rows[0].length)) {
      faults.push(`a row has ${row.length} cells, its head ${rows[0].length}: ${row.join(" | ")}`);
    }
  }
  if (/<(script|style|iframe)\b/i.test(html)) faults.push("the rendered page holds HTML that no page needs");
  return wanted ? [...faults, ...unshown(page, wanted)] : faults;
}

function faultsOfRun(html) {
  const bare = html.replace(/<(\w+) [^>]*>/g, "<$1>");
  const parts = ["<table>", "<td>Executed test</td>", "<h2>Performance test results</h2>"];
  if (html.includes("<pre>")) parts.push("<h2>k6 output</h2>");
  return parts.filter((part) => !bare.includes(part)).map((part) => `the rendered page lacks ${part}`);
}

/** What a page was to show and does not. */
function unshown({ html, title, front }, wanted) {
  const views = [words(html), marked(html)].map(plain);
  const faults = (wanted.texts ?? [])
    .filter((text) => !views.some((view) => view.includes(plain(text))))
    .map((text) => `the rendered page does not show: ${JSON.stringify(plain(text)).slice(0, 300)}`);
  const same = (what, shown, text) => {
    if (text !== undefined && shown !== text) faults.push(`${what} is ${JSON.stringify(shown)}, not ${JSON.stringify(text)}`);
  };
  if (front.title !== undefined) {
    same("the title", front.title, wanted.title);
    same("the name in the sidebar", front.sidebar_label, wanted.sidebar_label);
  }
  same("k6's output", wanted.k6 === undefined ? undefined : lastCodeBlock(html)?.trimEnd(), wanted.k6?.trimEnd());
  return faults;
}

async function rendered(profile, file) {
  try {
    return await profile.render(readFileSync(file, "utf8"));
  } catch (error) {
    const fault = String(error.reason ?? error.message ?? error) + (error.place ? ` at ${JSON.stringify(error.place)}` : "");
    return { html: "", title: "", front: {}, faults: [fault], broken: true };
  }
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { profile: { type: "string", default: "fumadocs" }, records: { type: "string" }, url: { type: "string", default: "" } },
});
const [folder] = positionals;
const profile = PROFILES[options.profile];
if (!folder || !profile) {
  console.error(`usage: node compile.mjs FOLDER [--profile ${Object.keys(PROFILES).join("|")}] [--records ARCHIVE] [--url ADDRESS]`);
  process.exit(2);
}

const pages = new Map();
for (const name of readdirSync(folder, { recursive: true }).filter(profile.isPage).sort()) {
  pages.set(name, await rendered(profile, join(folder, name)));
}
const faults = new Map();
for (const [name, page] of pages) {
  const beside = join(folder, name.replace(/\.mdx?$/, ".json"));
  const wanted = existsSync(beside) ? JSON.parse(readFileSync(beside, "utf8")) : undefined;
  faults.set(name, page.broken ? page.faults : [...faultsOf(page, wanted), ...brokenLinks(folder, name, pages, options.url)]);
}
let compared = 0;
for (const run of options.records ? runsOf(options.records) : []) {
  const name = [`${run}/index.mdx`, `${run}/README.md`].find((name) => pages.has(name));
  if (!name) {
    faults.set(run, ["the run has no page"]);
    continue;
  }
  const found = missing(options.records, run, pages.get(name));
  compared += found.compared;
  faults.get(name).push(...found.faults);
}

let failed = 0;
for (const [name, found] of faults) {
  if (found.length === 0) continue;
  failed += 1;
  console.log(`${name}:`);
  for (const fault of found) console.log(`  ${fault}`);
}
if (options.records) console.log(`${compared} values of records looked for`);
console.log(`${faults.size - failed} passed, ${failed} failed`);
process.exit(failed > 0 || pages.size === 0 ? 1 : 0);
