// Puts a built site where a site may come to lie, and reads it there: a folder of a strange name on the disk, the root of a server,
// a sub-path as on GitHub Pages. Nothing may be asked for outside of it, no link may be absolute, no page may be unreachable.
//
//     node tests/browser/relocate.mjs SITE [BASE_URL]
//
// BASE_URL is what the site was built with: it may stand in what is read by machines only, never in what a page loads or links to.
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./chromium.mjs";
import { serve } from "./server.mjs";
import { check, conclude } from "./checks.mjs";

const site = resolve(process.argv[2] ?? "site");
const base = process.argv[3];

/** Pages that nobody follows a link to: one is shown where there is none, the others are known by heart and lead on. */
const unlinked = (path) => path === "404.html" || path.startsWith("latest/");
const all = readdirSync(site, { recursive: true }).filter((name) => name.endsWith(".html")).sort();
const pages = all.filter((path) => !unlinked(path));

/** What a page refers to: `loads` are fetched with it, `links` lead on; what only machines read is left out. */
function references(html) {
  const tags = [...html.matchAll(/<([a-z]+)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/g)].map(([, name, rest]) => ({
    name,
    attributes: Object.fromEntries([...rest.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value.replaceAll("&amp;", "&")])),
  }));
  const machines = ({ name, attributes }) => name === "link" && ["canonical", "alternate"].includes(attributes.rel);
  const used = tags.filter((tag) => !machines(tag));
  const loads = used.flatMap(({ name, attributes }) => [attributes.src, attributes.poster, attributes.data, name === "link" ? attributes.href : undefined]);
  const styles = [...html.matchAll(/url\(["']?([^"')]+)/g)].map(([, url]) => url);
  const links = used.filter(({ name }) => ["a", "area", "use", "image"].includes(name)).map(({ attributes }) => attributes.href);
  const given = (all) => all.filter((url) => url !== undefined);
  return { loads: given([...loads, ...styles]), links: given(links) };
}

for (const path of pages) {
  const html = readFileSync(join(site, path), "utf8");
  const { loads, links } = references(html);
  const absolute = [...loads.filter((url) => /^(?!data:)[a-z]+:|^\//i.test(url)), ...links.filter((url) => url.startsWith("/") || url.startsWith("file:"))];
  check(`${path}: nothing absolute`, absolute.length === 0, absolute.join(" "));
  if (base) {
    check(`${path}: its own address is told`, html.includes(`<link rel="canonical" href="${base}`));
    const own = [...loads, ...links].filter((url) => url.startsWith(base));
    check(`${path}: the address it was built for is not used`, own.length === 0, own.join(" "));
  }
}

{
  // A server shows it at whatever address is missing, so its links have to hold from everywhere: absolute where the site knows its own.
  const { loads, links } = references(readFileSync(join(site, "404.html"), "utf8"));
  const own = [...loads, ...links].filter((url) => !url.startsWith("#"));
  const strange = own.filter((url) => (base ? !url.startsWith(base) : /^[a-z]+:|^\//i.test(url)));
  check("404.html: its links hold from everywhere", own.length > 2 && strange.length === 0, strange.join(" "));
}

for (const path of all.filter((path) => path.startsWith("latest/"))) {
  const [, to] = readFileSync(join(site, path), "utf8").match(/http-equiv="refresh" content="0; url=([^"]+)"/) ?? [];
  const file = to && new URL(to, `https://site.example/${path}`).pathname.slice(1);
  check(`${path}: leads on to a page of the site`, pages.includes(decodeURIComponent(file ?? "")), `${to}`);
}

/** Follows every link from the start as a crawler does; `start` may want a redirect. Returns the files it came to. */
async function crawl(origin, prefix, start) {
  const seen = new Map();
  const waiting = [new URL(start, origin).href];
  while (waiting.length > 0) {
    const url = waiting.shift();
    if (seen.has(url)) continue;
    const response = await fetch(url);
    const body = await response.text();
    seen.set(url, response);
    check(`${url} is there`, response.ok, `status ${response.status}`);
    if (!response.headers.get("content-type")?.startsWith("text/html")) continue;
    const { loads, links } = references(body);
    const outside = (target) => target.origin !== origin || !target.pathname.startsWith(`${prefix}/`);
    for (const [reference, loaded] of [...loads.map((load) => [load, true]), ...links.map((link) => [link, false])]) {
      const target = new URL(reference, response.url);
      if (target.protocol === "data:" || (!loaded && target.origin !== origin)) continue;
      check(`${url}: ${reference} stays inside`, !outside(target), target.href);
      target.hash = "";
      waiting.push(target.href);
    }
  }
  return seen;
}

const browser = await launch();

/** The pages that are opened in the browser: one of each kind. */
const depth = (path) => path.split("/").length;
const kinds = [...new Map(pages.map((path) => [`${depth(path)} ${path.split("/")[1] === "diff"}`, path])).values()];

/** Opens pages at addresses, then goes on by clicks; everything asked for has to begin with `inside`. */
async function visit(name, inside, addresses) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => !request.url().startsWith("data:") && !request.url().startsWith(inside) && wrong.push(`request ${request.url()}`));
  page.on("requestfailed", (request) => wrong.push(`failed ${request.url()}`));
  page.on("response", (response) => response.status() >= 400 && wrong.push(`status ${response.status()} ${response.url()}`));
  const look = async (what) => {
    await page.waitForLoadState("networkidle");
    const styled = await page.locator("link[rel=stylesheet]").evaluateAll((links) => links.length > 0 && links.every((link) => link.sheet));
    check(`${name}, ${what}: has its style and its heading`, styled && (await page.locator("h1").isVisible()));
    check(`${name}, ${what}: quiet, nothing from outside`, wrong.length === 0, wrong.join("; "));
    wrong.length = 0;
  };
  for (const address of addresses) {
    await page.goto(address);
    await look(address.slice(inside.length) || "the start");
  }
  await page.goto(addresses[0]);
  for (const step of ["main a[href$='.html']", "main table a[href$='.html']", "header a[href$='.html'], nav a[href$='.html']"]) {
    const link = page.locator(step).first();
    if ((await link.count()) === 0) continue;
    const target = await link.evaluate((element) => element.href);
    await Promise.all([page.waitForURL((url) => url.href.split("#")[0] === target.split("#")[0]), link.click()]);
    await look(`a click on ${step}`);
  }
  await context.close();
}

{
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-moved-"));
  const moved = join(folder, "a site, 100% moved #2 é");
  cpSync(site, moved, { recursive: true });
  const inside = `${pathToFileURL(moved).href}/`;
  await visit("on the disk", inside, kinds.map((path) => pathToFileURL(join(moved, path)).href));
  rmSync(folder, { recursive: true });
}

for (const prefix of ["", "/some/project"]) {
  const name = prefix || "at the root";
  const server = await serve(site, prefix);
  const seen = await crawl(server.origin, prefix, `${prefix}/`);
  const reached = new Set([...seen.values()].map((response) => decodeURIComponent(new URL(response.url).pathname.slice(prefix.length + 1)).replace(/(^|\/)$/, "$1index.html")));
  const lost = pages.filter((path) => !reached.has(path));
  check(`${name}: every page is reached by links`, lost.length === 0, lost.join(" "));
  for (const path of pages) {
    const folder = path.replace(/\/?index\.html$/, "").split("/").map(encodeURIComponent).join("/");
    const ways = [`${prefix}/${folder}`, `${prefix}/${folder}/`, `${prefix}/${folder}/index.html`].map((way) => way.replaceAll("//", "/"));
    const bodies = await Promise.all(ways.map(async (way) => (await fetch(server.origin + way)).text()));
    check(`${name}: ${path} is the same with and without a slash`, bodies.every((body) => body === readFileSync(join(site, path), "utf8")));
  }
  const bare = kinds.map((path) => `${server.origin}${prefix}/${path.replace(/\/?index\.html$/, "")}`);
  await visit(`${name}, without slashes`, server.origin + prefix, bare);
  await visit(`${name}, with slashes`, server.origin + prefix, bare.map((address) => `${address.replace(/\/$/, "")}/`));
  const missed = server.asked.filter(({ status }) => status === 404);
  check(`${name}: nothing was asked for that is not there`, missed.length === 0, missed.map(({ path }) => path).join(" "));
  await server.close();
}

await browser.close();
console.log(`${pages.length} pages of ${relative(".", site) || "."}${base ? `, built for ${base},` : ""} on the disk, at the root and under a sub-path`);
conclude();
