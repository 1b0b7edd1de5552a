// Opens exported pages in Chromium: the console stays quiet, no request fails or leaves the site, the sidebar unfolds to all runs.
//
//   node visit.mjs docusaurus|fumadocs EXPORTED ARCHIVE VERDICTS [PICTURES]
//
// PICTURES is a folder for screenshots. PLIMSOLL_CHROMIUM names another browser.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { launch } from "../browser/chromium.mjs";
import { serve } from "../browser/server.mjs";
import { tally } from "./faults.mjs";
import { runs } from "./records.mjs";
import { Site } from "./site.mjs";
import { SITES } from "./sites.mjs";

const [name, folder, archive, verdicts, pictures] = process.argv.slice(2);
const kind = SITES[name];
if (!kind || !verdicts) {
  console.error("usage: node visit.mjs docusaurus|fumadocs EXPORTED ARCHIVE VERDICTS [PICTURES]");
  process.exit(2);
}

const result = tally();
const expected = runs(archive, JSON.parse(readFileSync(verdicts, "utf8")).verdicts);
const site = new Site(folder);
const server = await serve(folder);
const browser = await launch();

for (const [page, path] of Object.entries(chosen())) await visit(page, path);
await unfold(`${kind.base}/${expected.at(-1).release}/${expected.at(-1).run}`);
await browser.close();
await server.close();
process.exit(result.report(`${name} in a browser`));

/** The newest run with a series, the newest one, and of the newest release the overview, the comparison; all results. */
function chosen() {
  const { release, run } = expected.at(-1);
  const drawn = expected.findLast((one) => one.series) ?? expected[0];
  const others = site.addresses(`${kind.base}/${release}`).filter((path) => !expected.some((one) => path.endsWith(`/${one.release}/${one.run}`)));
  const pages = { run: `${release}/${run}`, chart: `${drawn.release}/${drawn.run}`, overview: release, results: "results" };
  const all = Object.entries(pages).map(([page, path]) => [page, `${kind.base}/${path}`]);
  const inner = others.filter((path) => path !== `${kind.base}/${release}`).map((path, at) => [`comparison${at || ""}`, path]);
  return Object.fromEntries([...all.filter(([, path]) => site.file(path)), ...inner]);
}

/** A page that notes what must not happen. */
async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && wrong.push(`the console says ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`an error: ${error}`));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${server.origin}/`)) wrong.push(`a request to ${request.url()}`);
  });
  page.on("response", (response) => response.status() >= 400 && wrong.push(`status ${response.status()} of ${response.url()}`));
  return { page, wrong, close: () => context.close() };
}

async function visit(what, path) {
  for (const [look, options] of [["light", { colorScheme: "light" }], ["dark", { colorScheme: "dark" }], ["narrow", { viewport: { width: 390, height: 844 } }]]) {
    const { page, wrong, close } = await open(options);
    await page.goto(server.origin + path, { waitUntil: "networkidle" });
    result.count("visits");
    for (const fault of wrong) result.fault(`${path}, ${look}`, fault);
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    if (widths[0] > widths[1]) result.fault(`${path}, ${look}`, `it scrolls sideways: ${widths.join(" > ")}`);
    if (pictures) await page.screenshot({ path: join(pictures, `${name}-${what}-${look}.png`), fullPage: true });
    await close();
  }
}

/** Opens all groups of the sidebar, and looks for all runs in it. */
async function unfold(path) {
  const { page, close } = await open();
  await page.goto(server.origin + path, { waitUntil: "networkidle" });
  for (let rounds = 0; rounds < 60 && (await page.locator(kind.closed).count()) > 0; rounds += 1) {
    await page.locator(kind.closed).first().click();
    await page.waitForTimeout(50);
    await page.waitForLoadState("networkidle");
  }
  const shown = await page.locator(kind.links).evaluateAll((links) => links.map((link) => new URL(link.href).pathname.replace(/\/$/, "")));
  for (const run of expected) {
    result.count("sidebar entries");
    if (!shown.includes(`${kind.base}/${run.release}/${run.run}`)) result.fault(path, `the unfolded sidebar lacks ${run.release}/${run.run}`);
  }
  if (pictures) await page.screenshot({ path: join(pictures, `${name}-sidebar.png`) });
  await close();
}
