// Compiles every .mdx file of a folder with MDX 3, renders it, and looks at what a reader would see.
//
//   node overviews.mjs FOLDER
//
// A page passes if it compiles and renders, every row of its tables has as many cells as the head, and it holds no HTML that
// no page needs. A file of the same name that ends in .txt holds a text that the rendered page must show.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { evaluate } from "@mdx-js/mdx";
import { createElement } from "react";
import * as runtime from "react/jsx-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&amp;": "&" };

function text(html) {
  return html
    .replace(/<br\/?>/g, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:lt|gt|quot|#x27|amp);/g, (entity) => ENTITIES[entity]);
}

async function check(file) {
  const { default: Page } = await evaluate(readFileSync(file, "utf8"), {
    ...runtime,
    baseUrl: import.meta.url,
    remarkPlugins: [remarkFrontmatter, remarkGfm],
  });
  const html = renderToStaticMarkup(createElement(Page));
  const faults = [];
  const tables = html.match(/<table>.*?<\/table>/gs) ?? [];
  for (const table of tables) {
    const widths = (table.match(/<tr>.*?<\/tr>/gs) ?? []).map((row) => row.match(/<t[hd][ >]/g)?.length ?? 0);
    if (widths.some((width) => width !== widths[0])) faults.push(`a table has rows of ${[...new Set(widths)]} cells`);
  }
  if (tables.length === 0) faults.push("the page has no table");
  const known = /^(a|br|code|del|em|h[1-6]|hr|li|ol|p|span|strong|table|tbody|td|th|thead|tr|ul|wbr)$/;
  for (const [, name] of html.matchAll(/<([a-zA-Z][a-zA-Z0-9]*)/g)) {
    if (!known.test(name)) faults.push(`the rendered page holds <${name}>`);
  }
  for (const [, href] of html.matchAll(/href="([^"]*)"/g)) {
    if (!/^(\.|#|https?:\/\/|mailto:)/.test(href)) faults.push(`a link leads to ${href}`);
  }
  const wanted = file.replace(/\.mdx$/, ".txt");
  if (existsSync(wanted)) {
    const words = readFileSync(wanted, "utf8").replace(/\s+/g, " ").trim();
    if (!text(html).replace(/\s+/g, " ").includes(words)) faults.push(`the rendered page does not show: ${words}`);
  }
  return faults;
}

const folder = process.argv[2];
if (!folder) {
  console.error("usage: node overviews.mjs FOLDER");
  process.exit(2);
}
let passed = 0;
let failed = 0;
for (const name of readdirSync(folder).filter((name) => name.endsWith(".mdx")).sort()) {
  let faults;
  try {
    faults = await check(join(folder, name));
  } catch (error) {
    faults = [String(error.reason ?? error.message ?? error) + (error.place ? ` at ${JSON.stringify(error.place)}` : "")];
  }
  if (faults.length === 0) {
    passed += 1;
  } else {
    failed += 1;
    console.log(`${name}:`);
    for (const fault of faults) console.log(`  ${fault}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
