// Opens what `plimsoll serve` shows in Chromium, changes the project, and sees that pages load again by themselves, that faults
// are shown and go, and that nothing is in the console.
//
//     node tests/browser/serve.mjs PLIMSOLL        PLIMSOLL_CHROMIUM names another browser than /usr/bin/chromium
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { launch } from "./chromium.mjs";
import { check, conclude } from "./checks.mjs";

const plimsoll = resolve(process.argv[2] ?? "target/debug/plimsoll");
const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
// Longer than anything takes on a busy machine.
const timeout = 120_000;

const project = mkdtempSync(join(tmpdir(), "plimsoll-serve-"));
const write = (path, text) => {
  const place = join(project, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(`${place}.editor`, text);
  renameSync(`${place}.editor`, place);
};
const SETTINGS = 'schema = 1\n[service]\nname = "Shop"\n';
const BROKEN = 'schema = 1\n[flwo]\nname = "<img src=x onerror=alert(1)>"\n';
write("plimsoll.toml", SETTINGS);
const log = join(root, "tests/fixtures/k6/add_session/stdout.txt");
for (const target of ["checkout", "login"]) {
  const made = spawnSync(plimsoll, ["-q", "ingest", log, "--release", "v1.2.0", "--target", target], { cwd: project });
  if (made.status !== 0) throw new Error(String(made.stderr));
}

/** Starts the preview; gives the process and its URL. */
function serve(port) {
  const child = spawn(plimsoll, ["serve", "--port", port], { cwd: project, stdio: ["ignore", "pipe", "ignore"] });
  return new Promise((done, failed) => {
    createInterface({ input: child.stdout }).once("line", (url) => done({ child, url }));
    child.once("exit", (status) => failed(new Error(`it ended with ${status}`)));
  });
}
const ended = (child) => new Promise((done) => child.once("exit", (status) => done(status)));

let { child, url } = await serve("0");
const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1280, height: 500 } });
context.setDefaultTimeout(timeout);
const wrong = [];

/** A page that notes what is in its console, and how often it was loaded. */
async function open(path) {
  const page = await context.newPage();
  page.loads = 0;
  page.on("load", () => (page.loads += 1));
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => new URL(request.url()).origin === new URL(url).origin || request.url().startsWith("data:") || wrong.push(request.url()));
  await page.goto(new URL(path, url).href);
  await connected(page);
  return page;
}
/** Waits until the page heard from the server. */
const connected = (page) => page.waitForFunction(() => document.querySelector("plimsoll-live")?.dataset.generation);
/** What the script shows, or null. */
const shown = (page, name) =>
  page.evaluate((name) => {
    const section = document.querySelector("plimsoll-live").shadowRoot.querySelectorAll("section")[["lost", "gone", "faults"].indexOf(name)];
    return section.hidden ? null : section.textContent;
  }, name);
const waitShown = (page, name, isShown) =>
  page.waitForFunction(
    ([name, isShown]) => {
      const live = document.querySelector("plimsoll-live");
      const section = live?.shadowRoot.querySelectorAll("section")[["lost", "gone", "faults"].indexOf(name)];
      return section && section.hidden !== isShown;
    },
    [name, isShown],
  );
const waitText = (page, text) => page.waitForFunction((text) => document.querySelector("main")?.textContent.includes(text), text);

{
  const page = await open("/v1.2.0/checkout/");
  const other = await open("/v1.2.0/login/");
  await page.evaluate(() => scrollTo(0, 300));
  write("data/v1.2.0/checkout/run.toml", 'purpose = "Find the limit of the shop"\n');
  await waitText(page, "Find the limit of the shop");
  await connected(page);
  check("a page loads again when its run changes", true);
  check("it stays where it was scrolled to", (await page.evaluate(() => scrollY)) === 300, String(await page.evaluate(() => scrollY)));
  check("it was loaded once more", page.loads === 2, String(page.loads));
  await other.waitForFunction(() => document.querySelector("plimsoll-live").dataset.generation === "2");
  check("a page of another run is not loaded again", other.loads === 1, String(other.loads));

  const style = readFileSync(join(root, "templates/site/style.css"), "utf8");
  write("templates/site/style.css", `${style}\nh1 { color: rgb(1, 2, 3) !important }\n`);
  for (const one of [page, other]) await one.waitForFunction(() => getComputedStyle(document.querySelector("h1")).color === "rgb(1, 2, 3)");
  check("a style sheet is taken over without loading the page", page.loads === 2 && other.loads === 1);
  // The style of the pages and that of drawings, the former link gone.
  await page.waitForFunction(() => document.querySelectorAll("link[rel=stylesheet]").length === 2);

  await page.evaluate(() => document.querySelector("main a").focus());
  write("plimsoll.toml", BROKEN);
  for (const one of [page, other]) await waitShown(one, "faults", true);
  const words = await shown(page, "faults");
  check("faults are shown in words", words.includes("unknown key `flwo`") && words.includes("plimsoll.toml"), words);
  check("they are text", await page.evaluate(() => !document.querySelector("plimsoll-live").shadowRoot.querySelector("img")));
  check("they are an alert", await page.evaluate(() => document.querySelector("plimsoll-live").shadowRoot.querySelector("[role=alert]").textContent !== ""));
  check("they leave the focus", await page.evaluate(() => document.activeElement.matches("main a")));
  check("the last good site stays", page.loads === 2 && (await page.locator("h1").isVisible()));
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    globalThis.axe.run("plimsoll-live", { preload: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }),
  );
  check("axe finds nothing in them", found.violations.length === 0 && found.passes.length > 0, found.violations.map((v) => v.id).join("; "));
  const late = await open("/");
  await waitShown(late, "faults", true);
  check("a page that is opened later shows them, too", true);
  await late.getByRole("button", { name: "Close" }).click();
  check("they can be closed", (await shown(late, "faults")) === null);
  await late.close();
  write("plimsoll.toml", SETTINGS);
  for (const one of [page, other]) await waitShown(one, "faults", false);
  check("they go when the project builds again, without loading the page", page.loads === 2 && other.loads === 1);

  rmSync(join(project, "data/v1.2.0/checkout"), { recursive: true });
  await waitShown(page, "gone", true);
  check("a page that vanished says so and stays", page.loads === 2 && (await shown(page, "gone")).includes("not in the site any more"));
  // What the runs of a release share is marked on the pages of all of them.
  for (let waits = 0; waits < 200 && other.loads < 2; waits += 1) await other.waitForTimeout(50);
  check("a run that goes changes the page of its neighbour", other.loads === 2, String(other.loads));
  await connected(other);

  // A tab that nobody sees holds no connection; what changed meanwhile it hears when it is seen.
  const hide = (state) =>
    other.evaluate((state) => {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, state);
  await hide("hidden");
  write("data/v1.2.0/login/run.toml", 'purpose = "Seen later"\n');
  const watcher = await open("/v1.2.0/login/");
  await waitText(watcher, "Seen later");
  check("a hidden page waits", other.loads === 2, String(other.loads));
  await hide("visible");
  await waitText(other, "Seen later");
  check("and loads again when it is seen", true);
  await watcher.close();
  await page.close();

  // The server goes and comes back with another site: nothing is lost.
  check("nothing is in the console", wrong.length === 0, wrong.join("; "));
  await connected(other);
  const end = ended(child);
  child.kill("SIGTERM");
  check("it stops with status 0 while pages listen", (await end) === 0);
  await waitShown(other, "lost", true);
  check("a page says that it waits", (await shown(other, "lost")).includes("does not answer"));
  write("data/v1.2.0/login/run.toml", 'purpose = "Changed while nobody served"\n');
  ({ child, url } = await serve(new URL(url).port));
  await waitText(other, "Changed while nobody served");
  await connected(other);
  check("after a break it shows what is shown now", (await shown(other, "lost")) === null);
  wrong.length = 0;

  const missing = await open("/v1.3.0/checkout/");
  check("a page that is not there offers others", (await missing.locator("h1").textContent()) === "Not there");
  wrong.length = 0;
  spawnSync(plimsoll, ["-q", "ingest", log, "--release", "v1.3.0", "--target", "checkout"], { cwd: project });
  await missing.waitForFunction(() => document.querySelector("body.run h1"));
  check("and shows it as soon as it is", true);
  await missing.close();
  await other.close();
  child.kill("SIGTERM");
}

{
  write("plimsoll.toml", BROKEN);
  ({ child, url } = await serve("0"));
  wrong.length = 0;
  const page = await open("/v1.3.0/checkout/");
  check("a project that never built shows why", (await page.locator("#plimsoll-faults").textContent()).includes("unknown key `flwo`"));
  check("once", (await shown(page, "faults")) === null);
  // That the page itself was answered with 503 is in the console; nothing else may be.
  check("and is quiet", wrong.every((text) => text.includes("503")), wrong.join("; "));
  wrong.length = 0;
  write("plimsoll.toml", SETTINGS);
  await page.waitForFunction(() => document.querySelector("body.run h1"));
  await connected(page);
  check("and the page as soon as it builds", true);
  check("with nothing in the console", wrong.length === 0, wrong.join("; "));
  child.kill("SIGTERM");
}

await browser.close();
rmSync(project, { recursive: true });
conclude();
