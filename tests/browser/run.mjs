// Opens a built site from the disk in Chromium and reads it as people do: light, dark, narrow, printed, without scripts, with
// the keyboard, with axe-core.
//
//     node tests/browser/run.mjs SITE        PLIMSOLL_CHROMIUM names another browser than /usr/bin/chromium
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "./chromium.mjs";
import { check, conclude } from "./checks.mjs";

const site = resolve(process.argv[2] ?? "site");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** All pages under a folder, in order. */
function pagesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return pagesUnder(path);
      return entry.name.endsWith(".html") ? [path] : [];
    });
}

/** Pages that lead on are left as soon as they are read: they have a check of their own. */
const leads = (path) => path.startsWith("latest/");
const [all, leading] = [(path) => !leads(path), leads].map((fits) => pagesUnder(site).map((path) => relative(site, path)).filter(fits));
const depth = (path) => path.split("/").length;
/** `v1/diff/index.html` is two releases compared, `v1/diff/login/index.html` a target of both. */
const compares = (path) => path.split("/")[1] === "diff";
/** `targets/login/index.html` is a target over all releases. */
const isTarget = (path) => depth(path) === 3 && path.startsWith("targets/");
const runs = all.filter((path) => depth(path) === 3 && !compares(path) && !isTarget(path));
const comparisons = all.filter((path) => depth(path) === 4 && compares(path));
const within = (pages, words) => pages.find((path) => readFileSync(join(site, path), "utf8").includes(words));
const holding = (words) => within(runs, words);
/** The pages looked at in every way: the overview, the newest release, a run with a series, one without; a target; two releases compared, a
 * target with drawn intervals, one with a line a run, one that is not comparable. */
const chosen = [
  ...new Set(["index.html", all.filter((path) => depth(path) === 2).at(-1), holding('class="chart over-time"'), holding('class="chart ranges"'),
    all.findLast(isTarget),
    all.filter((path) => depth(path) === 3 && compares(path)).at(-1),
    within(comparisons, 'class="interval"'),
    within(comparisons, 'class="chart overlay"'),
    within(comparisons, "decision-mark not-comparable"),
  ]),
].filter(Boolean);

const browser = await launch();

/** A fresh page that notes what a site must not do. */
async function open(path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => {
    const inside = request.url().startsWith("data:") || (request.url().startsWith("file:") && fileURLToPath(request.url()).startsWith(site));
    if (!inside) wrong.push(`request ${request.url()}`);
  });
  // A page that leads on is left before everything it asked for has come.
  page.on("requestfailed", (request) => request.failure()?.errorText !== "net::ERR_ABORTED" && wrong.push(`failed ${request.url()}`));
  await page.goto(pathToFileURL(join(site, path)).href);
  return { page, wrong, close: () => context.close() };
}

async function violations(page) {
  await page.evaluate(axe);
  const result = await page.evaluate(() =>
    globalThis.axe.run(document, { preload: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
  );
  return result.violations.map((v) => `${v.id} (${v.nodes.length}): ${v.nodes[0].target} ${v.nodes[0].failureSummary?.split("\n")[1] ?? ""}`);
}

/** The level of each heading may rise by one only. */
async function headings(page) {
  const levels = await page.locator("h1, h2, h3, h4").evaluateAll((all) => all.map((h) => Number(h.tagName[1])));
  const inMain = await page.locator("main :is(h1, h2, h3, h4)").evaluateAll((all) => all.map((h) => Number(h.tagName[1])));
  return levels.filter((level) => level === 1).length === 1 && inMain.every((level, at) => at === 0 || level <= inMain[at - 1] + 1);
}

{
  const { page, wrong, close } = await open("index.html");
  // A page that is left while it still loads its icon has a failed request, told to the next one.
  await page.waitForLoadState("networkidle");
  // Pages of a kind differ in their figures only: axe reads a dozen, spread over the site.
  const every = Math.ceil(all.length / 12);
  for (const [at, path] of all.entries()) {
    wrong.length = 0;
    await page.goto(pathToFileURL(join(site, path)).href);
    check(`${path}: headings in order`, await headings(page));
    if (at % every === 0 || chosen.includes(path)) {
      const found = await violations(page);
      check(`${path}: axe`, found.length === 0, found.join("; "));
    }
    await page.waitForLoadState("networkidle");
    check(`${path}: nothing in the console, no request outside`, wrong.length === 0, wrong.join("; "));
  }
  await close();
}

for (const path of chosen) {
  const backgrounds = [];
  for (const [name, options] of [
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["375 px", { viewport: { width: 375, height: 800 } }],
    ["375 px, dark", { viewport: { width: 375, height: 800 }, colorScheme: "dark" }],
    ["320 px", { viewport: { width: 320, height: 700 } }],
    ["without scripts", { javaScriptEnabled: false }],
    ["reduced motion", { reducedMotion: "reduce" }],
  ]) {
    const { page, wrong, close } = await open(path, options);
    check(`${path}, ${name}: its heading is seen`, await page.locator("h1").isVisible());
    check(`${path}, ${name}: quiet`, wrong.length === 0, wrong.join("; "));
    if (name === "without scripts") {
      await close();
      continue;
    }
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    check(`${path}, ${name}: no sideways scrolling`, widths[0] <= widths[1], widths.join(" > "));
    if (/dark|375/.test(name)) {
      const found = await violations(page);
      check(`${path}, ${name}: axe`, found.length === 0, found.join("; "));
    }
    if (["light", "dark"].includes(name)) backgrounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    await close();
  }
  check(`${path}: light and dark differ`, backgrounds[0] !== backgrounds[1], backgrounds.join(" "));
}

for (const path of chosen) {
  const { page, close } = await open(path);
  await page.keyboard.press("Tab");
  const first = await page.evaluate(() => [document.activeElement.getAttribute("href"), document.activeElement.getBoundingClientRect().top >= 0]);
  check(`${path}: the first stop is the way to the content, in sight`, first[0] === "#main" && first[1], first.join(" "));
  await page.keyboard.press("Enter");
  check(`${path}: it leads there`, (await page.evaluate(() => location.hash)) === "#main");
  const unseen = [];
  let stops = 0;
  for (; stops < 400; stops += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      const style = getComputedStyle(element);
      return { name: element.outerHTML.slice(0, 80), seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 };
    });
    if (!at) break;
    if (!at.seen) unseen.push(at.name);
  }
  check(`${path}: ${stops} stops with a visible focus, and an end`, stops > 1 && stops < 400 && unseen.length === 0, unseen[0]);
  await close();
}

{
  for (const run of [chosen.find((path) => runs.includes(path)), chosen.find((path) => comparisons.includes(path))].filter(Boolean)) {
    const { page, close } = await open(run);
    const summary = await page.locator("details:not([open]) > summary").first().elementHandle();
    await summary.focus();
    await page.keyboard.press("Enter");
    check(`${run}: a fold opens with the keyboard`, await summary.evaluate((element) => element.parentElement.open));
    await page.emulateMedia({ media: "print" });
    check(`${run}: on paper without the contents`, !(await page.locator(".toc").isVisible()) && (await page.locator("h1").isVisible()));
    const charts = await page.locator("svg[role=img]").evaluateAll((all) => all.every((svg) => svg.querySelector("title")?.textContent));
    check(`${run}: every chart has a title`, charts);
    await close();
  }
}

{
  const { page, close } = await open("index.html");
  const cell = page.locator(".matrix a.cover").first();
  if (await cell.count()) {
    await cell.click();
    check("a cell of the matrix leads to its run", (await page.locator("body.run h1").count()) === 1, page.url());
    await page.locator(".crumbs a").first().click();
    check("the crumbs lead back", (await page.locator("body.overview").count()) === 1, page.url());
  }
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "globalThis.intruder = true";
    document.body.append(script);
    return Boolean(globalThis.intruder);
  });
  check("the content security policy stops a script", !ran);
  await close();
}

for (const path of leading) {
  const { page, wrong, close } = await open(path);
  await page.waitForURL((url) => !url.pathname.includes("/latest/"));
  check(`${path}: leads on to a page that is there`, (await page.locator("body.release, body.run").count()) === 1 && wrong.length === 0, `${page.url()} ${wrong.join("; ")}`);
  await close();
}

await browser.close();
const bytes = all.reduce((sum, path) => sum + statSync(join(site, path)).size, 0);
console.log(`${all.length} pages, ${bytes} bytes of HTML, ${chosen.length} of them in every way`);
conclude();
