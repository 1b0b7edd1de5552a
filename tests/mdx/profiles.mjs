// How each docs site reads a page, with the parts of it that decide what a reader sees.
//
// A page of MDX is compiled by the real compiler with the plugins that its docs site has by default; plain Markdown is read
// as GitHub reads it. Where a site's own plugin can't be had alone (heading ids), it is written again here, rule by rule.
import { evaluate } from "@mdx-js/mdx";
import GithubSlugger from "github-slugger";
import matter from "gray-matter";
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import { toString } from "mdast-util-to-string";
import { createElement } from "react";
import * as runtime from "react/jsx-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import rehypeRaw from "rehype-raw";
import remarkDirective from "remark-directive";
import remarkEmoji from "remark-emoji";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { visit } from "unist-util-visit";

const OUTPUT = /^import OutputSource from "\.\/output\.json";$/;
const CHART = /^import \{ BenchmarkChart \} from (?:'[^'\\]+'|"(?:[^"\\]|\\.)+");$/;

/** The pages of a folder by profile: which files are pages, and how one becomes HTML. */
export const PROFILES = {
  fumadocs: { isPage: (name) => name.endsWith(".mdx"), render: (text) => renderMdx(text, [remarkGfm, fumadocsHeadings]) },
  docusaurus: {
    isPage: (name) => name.endsWith(".mdx"),
    render: (text) => renderMdx(escapedHeadings(text), [remarkDirective, noDirectives, docusaurusHeadings, remarkEmoji, remarkGfm]),
  },
  markdown: { isPage: (name) => name.endsWith(".md"), render: renderMarkdown },
};

async function renderMdx(text, plugins) {
  const found = { faults: [] };
  const { default: Page } = await evaluate(text, {
    ...runtime,
    baseUrl: import.meta.url,
    remarkPlugins: [remarkFrontmatter, [onlyOurCode, found], ...plugins],
  });
  const chart = () => createElement("figure", null, "chart");
  const html = renderToStaticMarkup(createElement(Page, { components: { BenchmarkChart: chart } }));
  const { data } = matter(text);
  return { html, title: String(data.title ?? ""), front: data, faults: found.faults };
}

async function renderMarkdown(text) {
  const faults = text.startsWith("---\n") ? ["plain Markdown has no front matter"] : [];
  const tree = unified().use(remarkParse).use(remarkGfm).parse(text);
  const hast = await unified()
    .use(slugs)
    .use(remarkRehype, { allowDangerousHtml: true })
    .use(rehypeRaw)
    .run(tree);
  const html = renderToStaticMarkup(toJsxRuntime(hast, runtime));
  return { html, title: toString(tree.children.find((node) => node.type === "heading" && node.depth === 1) ?? {}), front: {}, faults };
}

/** Leaves stand-ins for the chart and its data, which belong to the docs site, and reports all other code. */
function onlyOurCode(found) {
  return (tree) => {
    visit(tree, (node, index, parent) => {
      if (node.type === "mdxjsEsm") {
        for (const line of node.value.split("\n").filter((line) => !OUTPUT.test(line) && !CHART.test(line))) {
          found.faults.push(`the page runs code: ${line}`);
        }
        parent.children.splice(index, 1);
        return index;
      }
      if (/^mdx(Flow|Text)Expression$/.test(node.type) && node.value !== '""' && !/^\/\*[^]*\*\/$/.test(node.value.trim())) {
        found.faults.push(`the page runs code: {${node.value}}`);
      }
      if (/^mdxJsx(Flow|Text)Element$/.test(node.type)) {
        const ours = ["br", "wbr"].includes(node.name) || (node.name === "BenchmarkChart" && node.attributes.length === 1);
        if (!ours) found.faults.push(`the page has a component <${node.name}>`);
        node.attributes = [];
      }
    });
  };
}

/** fumadocs-core, mdx-plugins/remark-heading. */
function fumadocsHeadings() {
  return (tree) => {
    const slugger = new GithubSlugger();
    visit(tree, "heading", (heading) => {
      const last = heading.children.at(-1);
      const found = last?.type === "text" ? /\s*\[#(?<slug>[^]+?)]\s*$/.exec(last.value) : null;
      if (found) last.value = last.value.slice(0, found.index);
      give(heading, found?.[1] ?? slugger.slug(toString(heading)));
    });
  };
}

/** @docusaurus/utils, escapeMarkdownHeadingIds: what is done to a page before it is compiled. */
function escapedHeadings(text) {
  return text.replaceAll(/(?:^|\n)#{1,6}(?!#).*/g, (line) => line.replace("{#", "\\{#").replace("\\\\{#", "\\{#"));
}

/** @docusaurus/mdx-loader, remark/headings. */
function docusaurusHeadings() {
  const classic = /\s*\{#(?<id>(?:.(?!\{#|\}))*.)\}$/;
  return (tree) => {
    const slugger = new GithubSlugger();
    visit(tree, "heading", (heading) => {
      const words = toString(heading);
      const found = classic.exec(words);
      if (found) {
        const last = heading.children.at(-1);
        last.value = heading.children.length > 1 ? (last.value ?? "").replace(classic, "") : words.replace(found[0], "");
      }
      give(heading, found?.groups.id.trim() ?? slugger.slug(words));
    });
  };
}

/** Ids as GitHub makes them. */
function slugs() {
  return (tree) => {
    const slugger = new GithubSlugger();
    visit(tree, "heading", (heading) => give(heading, slugger.slug(toString(heading))));
  };
}

function give(heading, id) {
  heading.data ??= {};
  heading.data.hProperties = { ...heading.data.hProperties, id };
}

/** Docusaurus would take a directive out of the text. */
function noDirectives() {
  return (tree) => {
    visit(tree, ["textDirective", "leafDirective", "containerDirective"], (node) => {
      throw new Error(`a directive :${node.name}`);
    });
  };
}
