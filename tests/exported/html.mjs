// A page of HTML as a reader finds it: its texts, tables, links and the places that links can name.
import { parse } from "parse5";

const BLOCKS = new Set(["address", "article", "div", "figure", "h1", "h2", "h3", "h4", "li", "nav", "p", "pre", "section", "table", "td", "th", "tr"]);

/** The document of a text. */
export function document(text) {
  return parse(text);
}

/** An attribute of an element, or undefined. */
export function attribute(element, name) {
  return element.attrs?.find((attr) => attr.name === name)?.value;
}

/** All elements below a node that a predicate holds for, in order. */
export function all(node, holds) {
  const found = [];
  const walk = (inner) => {
    if (inner.tagName && holds(inner)) found.push(inner);
    for (const child of inner.childNodes ?? []) walk(child);
  };
  walk(node);
  return found;
}

/** All elements of a name. */
export function named(node, ...names) {
  return all(node, (element) => names.includes(element.tagName));
}

/** The text of a node; a line break is one, and so is the edge of a block. Characters of no width are left out. */
export function text(node) {
  if (node.nodeName === "#text") return node.value.replaceAll("\u200b", "");
  if (["script", "style", "template", "svg"].includes(node.tagName)) return "";
  if (node.tagName === "br") return "\n";
  const inside = (node.childNodes ?? []).map(text).join("");
  return BLOCKS.has(node.tagName) && inside && !inside.endsWith("\n") ? `${inside}\n` : inside;
}

/** A text with single blanks. */
export function plain(words) {
  return words.replace(/\s+/g, " ").trim();
}

/** The rows of a table as texts of cells. */
export function rows(table) {
  return named(table, "tr").map((row) => named(row, "td", "th").map((cell) => text(cell).trim()));
}

/** The lines of a block of code without blanks at their ends, and without empty ones around them. */
export function lines(words) {
  const cut = words.split("\n").map((line) => line.trimEnd());
  while (cut.length > 0 && cut[0] === "") cut.shift();
  while (cut.length > 0 && cut.at(-1) === "") cut.pop();
  return cut;
}
