// A folder of exported HTML: which file an address leads to, and which anchors it has.
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { all, attribute, document } from "./html.mjs";

/** The origin that stands for the site itself. */
export const HERE = "http://here.example";

export class Site {
  #folder;
  #pages = new Map();

  constructor(folder) {
    this.#folder = folder;
  }

  /** The addresses of all pages whose path begins so, in order. */
  addresses(prefix) {
    return readdirSync(this.#folder, { recursive: true })
      .filter((name) => name.endsWith(".html"))
      .map((name) => `/${name.replace(/(^|\/)index\.html$/, "").replace(/\.html$/, "")}`)
      .filter((address) => address === prefix || address.startsWith(`${prefix}/`))
      .sort();
  }

  /** The file that a static host sends for a path, or null. */
  file(path) {
    const bare = path.replace(/\/$/, "");
    const names = [decodeURIComponent(bare), bare].flatMap((name) => [`${name}.html`, `${name}/index.html`, name]);
    const found = names.map((name) => join(this.#folder, name)).find((name) => existsSync(name) && statSync(name).isFile());
    return found ?? null;
  }

  /** The document at a path with its anchors, or null. */
  page(path) {
    const file = this.file(path);
    if (!file) return null;
    if (!this.#pages.has(file)) {
      const root = document(readFileSync(file, "utf8"));
      const ids = all(root, (element) => attribute(element, "id") !== undefined).map((element) => attribute(element, "id"));
      this.#pages.set(file, { root, ids });
    }
    return this.#pages.get(file);
  }

  /** Why a link on a page leads nowhere, or null; links to other sites are not followed. */
  wrong(href, from) {
    if (!URL.canParse(href, HERE + from)) return "is no address";
    const url = new URL(href, HERE + from);
    if (url.origin !== HERE) return null;
    const page = this.page(url.pathname);
    if (!page) return this.file(url.pathname) ? null : "leads to no page";
    const anchor = decodeURIComponent(url.hash.slice(1));
    if (anchor && !page.ids.includes(anchor)) return `there is no #${anchor} on that page`;
    return null;
  }
}
