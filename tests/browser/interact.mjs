// What scripts add to a built site, tried as people use it: search, themes, tables in another order, charts that answer, a text copied. With hostile names,
// from the disk, by keyboard, under the page's own policy.
//
//     node tests/browser/interact.mjs SITE
import { readFileSync, existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./chromium.mjs";
import { check, conclude } from "./checks.mjs";

const site = resolve(process.argv[2] ?? "site");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folders = (path) => readdirSync(join(site, path), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
const releases = folders(".").filter((name) => !["assets", "badges", "latest", "targets"].includes(name));
const runs = releases.flatMap((release) => folders(release).map((run) => `${release}/${run}`)).filter((run) => existsSync(join(site, run, "record.json")));
const drawn = runs.filter((run) => existsSync(join(site, run, "data.js")));
const browser = await launch();

async function open(path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("dialog", (dialog) => { wrong.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => request.url().startsWith(pathToFileURL(site).href) || request.url().startsWith("data:") || wrong.push(`request ${request.url()}`));
  await page.goto(pathToFileURL(join(site, path)).href);
  const close = async () => {
    check(`${path}: quiet while it is used`, wrong.length === 0, wrong.join("; "));
    await context.close();
  };
  return { page, close };
}

async function violations(page) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => globalThis.axe.run(document, { preload: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  return result.violations.map((v) => `${v.id}: ${v.nodes[0].target} ${v.nodes[0].failureSummary?.split("\n")[1] ?? ""}`);
}
const clean = async (page, name) => { const found = await violations(page); check(`${name}: axe`, found.length === 0, found.join("; ")); };

for (const colorScheme of ["light", "dark"]) {
  const { page, close } = await open("index.html", { colorScheme });
  await page.keyboard.press("/");
  await page.waitForFunction(() => window.plimsoll?.index);
  check("the search opens by its key, and its field has the focus", await page.evaluate(() => document.activeElement.getAttribute("role")) === "combobox");
  const target = runs[0].split("/")[1].split("~")[0];
  await page.keyboard.type(target);
  const options = page.locator('.search [role="option"]');
  check("a target is found by its name", (await options.count()) > 0);
  const chosen = () => page.locator('.search [aria-selected="true"]').getAttribute("id");
  const first = await chosen();
  await page.keyboard.press("ArrowDown");
  check("arrows choose", (await options.count()) === 1 || (await chosen()) !== first);
  check("the field tells which is chosen", (await page.locator(".search input").getAttribute("aria-activedescendant")) === (await chosen()));
  await clean(page, `search, ${colorScheme}`);
  await page.locator(".search input").fill("zzzz nothing of that name");
  check("nothing found is said", (await page.locator(".searchstate").textContent()) === "Nothing found.");
  await page.locator(".search input").fill("");
  await page.locator(".search input").pressSequentially(target);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  check("Enter leads there", !page.url().endsWith(`${site}/index.html`), page.url());
  check("what was found is there", (await page.locator("h1").count()) === 1);
  await close();
}

{
  const { page, close } = await open("index.html");
  await page.locator(".tool", { hasText: "Search" }).click();
  await page.keyboard.press("Escape");
  check("Escape closes the search", !(await page.locator(".search").isVisible()));
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const system = await paper();
  const theme = page.locator(".theme");
  await theme.click();
  await theme.click();
  check("a theme is chosen", (await theme.textContent()).includes("dark") && (await paper()) !== system);
  await page.reload();
  check("and kept", (await page.locator(".theme").textContent()).includes("dark") && (await paper()) !== system);
  await clean(page, "chosen dark");
  await close();
}

for (const release of releases) {
  const { page, close } = await open(`${release}/index.html`);
  const table = page.locator("table.sortable").first();
  const names = () => table.locator("tbody th").allTextContents();
  const before = await names();
  if (before.length > 1) {
    const head = table.locator("th.num .sorter").first();
    const column = await head.evaluate((button) => button.parentElement.cellIndex);
    const values = () => table.locator(`tbody tr > :nth-child(${column + 1})`).allTextContents();
    await head.focus();
    await page.keyboard.press("Enter");
    check(`${release}: sorted and said so`, (await head.locator("..").getAttribute("aria-sort")) === "descending");
    const known = (await values()).map((text) => parseFloat(text.replace(/,/g, ""))).filter((value) => !Number.isNaN(value));
    check(`${release}: the largest is first`, known.every((value, at) => at === 0 || value <= known[at - 1]), known.join(" "));
    const texts = await values();
    const lost = texts.findIndex((text) => text.includes("not captured") || text.trim().startsWith("—"));
    check(`${release}: what is not known is last`, lost < 0 || texts.slice(lost).every((text) => Number.isNaN(parseFloat(text))), texts.join(" "));
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    check(`${release}: the third time its own order is back`, (await names()).join() === before.join());
  }
  await close();
}

for (const run of [drawn[0], drawn.at(-1)].filter(Boolean)) {
  const { page, close } = await open(`${run}/index.html`);
  const figures = page.locator("figure.plot");
  await page.waitForSelector("figure.plot.taken");
  // HTML changes a carriage return in a name: such a chart is not found among the data, and stays as it was drawn.
  const kept = await page.evaluate((run) => [...document.querySelectorAll("figure.plot")].filter((figure) => figure.dataset.plot === "traffic" || window.plimsoll.runs[run].trends[figure.dataset.trend]).length, run);
  check(`${run}: every chart answers`, kept > 0 && (await page.locator("figure.plot.taken").count()) === kept);
  const wide = await page.evaluate(() => [...document.querySelectorAll("figure.plot.taken")].every((figure) => {
    const plot = figure.querySelector(".uplot");
    return plot.clientWidth > figure.clientWidth * 0.95 && plot.clientWidth <= figure.clientWidth;
  }));
  check(`${run}: as wide as they were drawn`, wide);
  const figure = figures.last();
  const area = figure.locator(".plotarea");
  await area.focus();
  for (let step = 0; step < 5; step += 1) await page.keyboard.press("ArrowRight");
  const readout = await figure.locator(".readout").textContent();
  check(`${run}: the keyboard moves the cursor, and the values are told`, /p95 [\d.]/.test(readout), readout);
  check(`${run}: and said`, (await page.locator("[data-run] > p.sr").textContent()) === readout);
  // What is told at the cursor is what the file of the run has for that second.
  const [head, ...rows] = readFileSync(join(site, run, "series.csv"), "utf8").trimEnd().split("\n");
  const trend = await figure.getAttribute("data-trend");
  const at = head.split(",").indexOf(`${trend}.p95`);
  const told = /p95 ([\d.,]+) (µs|ms|s)/.exec(readout);
  if (at > 0 && told) {
    const ms = Number(told[1].replace(/,/g, "")) * { "µs": 1e-3, ms: 1, s: 1e3 }[told[2]];
    const near = rows.some((row) => Math.abs(Number(row.split(",")[at]) - ms) <= Math.abs(ms) * 0.006);
    check(`${run}: ${readout} is a second of series.csv`, near);
  }
  const whole = page.locator(".plotbar .tool", { hasText: "Whole run" });
  check(`${run}: the whole run is shown`, await whole.isDisabled());
  await page.keyboard.press("+");
  check(`${run}: plus zooms`, await whole.isEnabled());
  await page.keyboard.press("Home");
  check(`${run}: Home shows all again`, await whole.isDisabled());
  await area.scrollIntoViewIfNeeded();
  const box = await figure.locator(".u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  check(`${run}: a drag zooms`, await whole.isEnabled());
  await whole.click();
  const line = figure.locator(".legend button").first();
  await line.focus();
  await page.keyboard.press("Space");
  check(`${run}: a line goes by keyboard`, (await line.getAttribute("aria-pressed")) === "false");
  await page.keyboard.press("Space");
  const log = page.locator(".plotbar .tool", { hasText: "Log scale" });
  await log.click();
  check(`${run}: the scale is another`, (await log.getAttribute("aria-pressed")) === "true");
  const select = page.locator(".plotbar select");
  if (await select.count()) {
    await select.selectOption({ index: 1 });
    await page.waitForFunction(() => /laid over|could not/.test(document.querySelector("[data-run] > p.sr").textContent));
    check(`${run}: another run is laid over`, (await page.locator("[data-run] > p.sr").textContent()).includes("is laid over"));
  }
  await clean(page, `${run}, charts that answer`);
  await page.locator(".theme").click();
  await page.setViewportSize({ width: 375, height: 800 });
  await page.waitForTimeout(200);
  const narrow = await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
  check(`${run}: narrow again without sideways scrolling`, narrow);
  await page.emulateMedia({ media: "print" });
  check(`${run}: on paper the drawn chart`, (await figure.locator(":scope > svg").isVisible()) && !(await area.isVisible()));
  await close();
}

for (const run of [drawn[0], runs.at(-1)].filter(Boolean)) {
  const { page, close } = await open(`${run}/index.html`, { javaScriptEnabled: false });
  check(`${run}: without scripts every chart is drawn`, (await page.locator("figure svg[role=img]").count()) >= (await page.locator("figure.plot").count()));
  check(`${run}: and nothing stands there that would do nothing`, (await page.locator("button, select, input").count()) === 0);
  await close();
}

{
  const text = runs.find((run) => existsSync(join(site, run, "k6.txt")));
  if (text) {
    const { page, close } = await open(`${text}/index.html`);
    await page.locator("details:has(pre.copyable) > summary").click();
    const copy = page.locator(".copy");
    await copy.click();
    await page.waitForFunction(() => document.querySelector(".copy").textContent !== "Copy");
    check(`${text}: k6's text is copied or selected`, /Copied|Selected/.test(await copy.textContent()));
    await close();
  }
}

await browser.close();
conclude();
