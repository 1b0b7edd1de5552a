// Compiles every .mdx file of a folder, and of the folders in it, with MDX 3, renders it, and looks at what a reader would see.
//
//   node compile.mjs FOLDER
//
// A page passes if it compiles and renders, and if its table, its headings and its k6 block come out. A file of the same
// name that ends in .txt lists texts, a line each, that the rendered page must show.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { evaluate } from "@mdx-js/mdx";
import { createElement } from "react";
import * as runtime from "react/jsx-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";

const IMPORTS = /^import (\w+|\{ \w+ \}) from ["'][^"']+["'];$/gm;
const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&amp;": "&" };

function text(html) {
  return html
    .replace(/<br\/?>/g, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:lt|gt|quot|#x27|amp);/g, (entity) => ENTITIES[entity]);
}

async function check(file) {
  const written = readFileSync(file, "utf8");
  // The chart and its data belong to the docs site; here stand-ins take their places.
  const source = written.replace(IMPORTS, "").replace("testResults={OutputSource}", "");
  const { default: Page } = await evaluate(source, {
    ...runtime,
    baseUrl: import.meta.url,
    remarkPlugins: [remarkFrontmatter, remarkGfm],
  });
  const chart = () => createElement("figure", null, "chart");
  const html = renderToStaticMarkup(createElement(Page, { components: { BenchmarkChart: chart } }));
  const bare = html.replace(/<(\w+) [^>]*>/g, "<$1>");
  const faults = [];
  for (const part of ["<table>", "<td>Executed test</td>", "<h2>Performance test results</h2>", "<h2>k6 output</h2>"]) {
    if (!bare.includes(part)) faults.push(`the rendered page lacks ${part}`);
  }
  const rows = html.match(/<tr>.*?<\/tr>/gs) ?? [];
  for (const row of rows) {
    const cells = row.match(/<t[hd][ >]/g)?.length ?? 0;
    if (cells !== 2) faults.push(`a row has ${cells} cells: ${text(row)}`);
  }
  if (/<(script|style|img|iframe)\b/i.test(html)) faults.push("the rendered page holds HTML that no page needs");
  const shown = text(html).replace(/\s+/g, " ");
  const wanted = file.replace(/\.mdx$/, ".txt");
  if (existsSync(wanted)) {
    for (const line of readFileSync(wanted, "utf8").split("\n").filter((line) => line.trim())) {
      const words = line.replace(/\s+/g, " ").trim();
      if (!shown.includes(words)) faults.push(`the rendered page does not show: ${words}`);
    }
  }
  return faults;
}

const folder = process.argv[2];
if (!folder) {
  console.error("usage: node compile.mjs FOLDER");
  process.exit(2);
}
let passed = 0;
let failed = 0;
for (const name of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".mdx")).sort()) {
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
