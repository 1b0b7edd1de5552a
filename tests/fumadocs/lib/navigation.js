// From a navigation file with nested lists of pages, `_meta.json`, to the tree that Fumadocs draws.
//
// Fumadocs itself reads a `meta.json` in every folder, and its lists do not nest. A docs site whose navigation is one file
// has to make the tree itself, as this does: an entry is the path of a page, a group with a title and pages, or a title
// with a page under `url`.

/** The tree of a navigation file that lies in `folder`. */
export function tree(navigation, folder, source) {
  return { name: "Docs", children: navigation.pages.map((entry) => node(entry, folder, source)) };
}

function node(entry, folder, source) {
  if (typeof entry === "string") return page(entry, undefined, folder, source);
  if (entry.url) return page(entry.url, entry.title, folder, source);
  return { type: "folder", name: entry.title, children: entry.pages.map((inner) => node(inner, folder, source)) };
}

function page(path, title, folder, source) {
  const found = source.getPage(`${folder}/${path}`.replace(/\/index$/, "").split("/"));
  if (!found) throw new Error(`the navigation names ${path}, which is no page`);
  return { type: "page", name: title ?? found.data.sidebar_label ?? found.data.title, url: found.url };
}
