// Takes the pictures of docs/screens from a built site:
//
//     plimsoll build && node scripts/screens.mjs site docs/screens
//
// Each page as most people see it, in the dark, on a phone, on paper.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../tests/browser/chromium.mjs";

const [site = "site", to = "docs/screens"] = process.argv.slice(2).map((path) => resolve(path));
const pages = {
  overview: "index.html",
  release: "v4/index.html",
  run: "v4/otp_session/index.html",
  target: "targets/otp_session/index.html",
  flow: "method/flow/index.html",
};
const ways = {
  light: { viewport: { width: 1280, height: 960 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 960 }, colorScheme: "dark" },
  phone: { viewport: { width: 375, height: 812 }, colorScheme: "light", deviceScaleFactor: 2 },
  print: { viewport: { width: 794, height: 1123 }, colorScheme: "light" },
};

mkdirSync(to, { recursive: true });
const browser = await launch();
for (const [way, { viewport, ...settings }] of Object.entries(ways)) {
  const context = await browser.newContext({ viewport, reducedMotion: "reduce", ...settings });
  for (const [name, path] of Object.entries(pages)) {
    const page = await context.newPage();
    if (way === "print") await page.emulateMedia({ media: "print" });
    await page.goto(pathToFileURL(join(site, path)).href, { waitUntil: "networkidle" });
    await page.screenshot({ path: join(to, `${name}-${way}.png`) });
    await page.close();
  }
  await context.close();
}
await browser.close();
