// Reads a folder of plain Markdown as GitHub shows it.
//
//   node markdown.mjs FOLDER ARCHIVE VERDICTS
//
// Every run has a page that says what its record says; every relative link leads to a file, and its anchor to a heading of that
// file by GitHub's rules; nothing of MDX is left.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import GithubSlugger from "github-slugger";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { document } from "./html.mjs";
import { runs } from "./records.mjs";
import { faults as runFaults } from "./run_page.mjs";
import { tally } from "./faults.mjs";

const [folder, archive, verdicts] = process.argv.slice(2);
if (!verdicts) {
  console.error("usage: node markdown.mjs FOLDER ARCHIVE VERDICTS");
  process.exit(2);
}

const HEADINGS = /^h[1-6]$/;
const pages = new Map();
const result = tally();
const files = readdirSync(folder, { recursive: true }).sort();

for (const run of runs(archive, JSON.parse(readFileSync(verdicts, "utf8")).verdicts)) {
  const path = `${run.release}/${run.run}/README.md`;
  result.count("run pages");
  if (!files.includes(path)) result.fault(path, "there is no such page");
  else for (const fault of runFaults(document(page(path).html), run)) result.fault(path, fault);
}
for (const path of files.filter((file) => file.endsWith(".md"))) {
  result.count("pages");
  check(path);
}
for (const path of files.filter((file) => file.endsWith(".mdx"))) result.fault(path, "is MDX");
process.exit(result.report("markdown"));

/** A page as a tree of HTML and as text, with the anchors that GitHub gives its headings. */
function page(path) {
  if (!pages.has(path)) {
    const source = readFileSync(join(folder, path), "utf8");
    const tree = unified().use(remarkParse).use(remarkGfm).parse(source);
    const html = unified().use(remarkRehype, { allowDangerousHtml: true }).runSync(tree);
    const slugger = new GithubSlugger();
    const anchors = elements(html, (name) => HEADINGS.test(name)).map((heading) => slugger.slug(words(heading)));
    pages.set(path, { source, tree: html, html: written(html), anchors });
  }
  return pages.get(path);
}

function check(path) {
  const { source, tree } = page(path);
  for (const mark of [/^import .* from /m, /^export /m, /^---\n/, /\{\/\*/, /<BenchmarkChart/]) {
    if (mark.test(outsideFences(source))) result.fault(path, `holds ${mark.source}, which is no Markdown`);
  }
  if (elements(tree, (name) => name === "h1").length !== 1) result.fault(path, "has not one title");
  for (const raw of nodes(tree, (node) => node.type === "raw")) {
    if (!/^<br\s*\/?>$|^<\/?(details|summary|sub|sup|p|img|picture)\b[^>]*>$|^<!--[^]*-->$/.test(raw.value.trim())) result.fault(path, `holds the HTML ${raw.value}`);
  }
  for (const link of elements(tree, (name) => name === "a")) follow(path, link.properties.href);
  for (const image of elements(tree, (name) => name === "img")) follow(path, image.properties.src);
}

function follow(path, href) {
  result.count("links");
  if (/^[a-z]+:/i.test(href)) return;
  if (href.startsWith("/")) return result.fault(path, `the link ${href} leaves the folder`);
  const [file, anchor] = href.split("#").map(decodeURIComponent);
  const target = file ? normalize(join(dirname(path), file)) : path;
  if (!existsSync(join(folder, target))) return result.fault(path, `the link ${href} leads to no file`);
  if (anchor === undefined) return;
  result.count("anchors");
  if (!target.endsWith(".md") || !page(target).anchors.includes(anchor)) result.fault(path, `the link ${href}: there is no #${anchor}`);
}

function nodes(tree, holds) {
  return [...(holds(tree) ? [tree] : []), ...(tree.children ?? []).flatMap((child) => nodes(child, holds))];
}

function elements(tree, holds) {
  return nodes(tree, (node) => node.type === "element" && holds(node.tagName));
}

function words(node) {
  return node.type === "text" ? node.value : (node.children ?? []).map(words).join("");
}

/** The tree as HTML: enough of it for the parser that reads the pages of docs sites. */
function written(node) {
  if (node.type === "raw") return node.value;
  if (node.type === "text") return node.value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const inside = (node.children ?? []).map(written).join("");
  if (node.type !== "element") return inside;
  return ["br", "img", "hr", "input"].includes(node.tagName) ? `<${node.tagName}>` : `<${node.tagName}>${inside}</${node.tagName}>`;
}

/** The source without fenced blocks. */
function outsideFences(source) {
  return source.replace(/^(`{3,})[^\n]*\n[^]*?^\1\s*$/gm, "");
}
