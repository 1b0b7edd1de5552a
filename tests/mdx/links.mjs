// Every link of a folder of pages leads to a file, a page, a heading that is there.
import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize, relative, sep } from "node:path";
import { words } from "./words.mjs";

/** The faults of a page's links. `pages` has the rendered pages of the folder by name; `url` is the folder's address on its site. */
export function brokenLinks(folder, name, pages, url) {
  const { html } = pages.get(name);
  const faults = [];
  for (const [, , target] of html.matchAll(/<(a|img) [^>]*?(?:href|src)="([^"]*)"/g)) {
    const fault = broken(folder, name, pages, url, words(target));
    if (fault) faults.push(`the link ${words(target)} ${fault}`);
  }
  return faults;
}

function broken(folder, name, pages, url, target) {
  if (/^(?:https?:\/\/|mailto:|xmpp:)/i.test(target)) return undefined;
  const [path, anchor] = target.split("#", 2);
  let file = name;
  if (url && path.startsWith(`${url}/`)) file = pageAt(folder, decodeURIComponent(path.slice(url.length + 1)));
  else if (path.startsWith("/")) return undefined;
  else if (path) file = inside(folder, join(dirname(name), decodeURIComponent(path)));
  if (file === undefined) return "leads to no file of the folder";
  if (anchor === undefined) return undefined;
  return pages.has(file) && ids(pages.get(file).html).has(decodeURIComponent(anchor)) ? undefined : "leads to no heading";
}

function inside(folder, path) {
  const file = normalize(path);
  const out = relative(folder, join(folder, file)).startsWith("..");
  return !out && existsSync(join(folder, file)) && statSync(join(folder, file)).isFile() ? file.split(sep).join("/") : undefined;
}

/** The file of an address below the folder's. */
function pageAt(folder, path) {
  const found = ["", ".mdx", "/index.mdx", "/README.md"].map((end) => path + end).find((file) => inside(folder, file));
  return found && inside(folder, found);
}

function ids(html) {
  return new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => words(id)));
}
