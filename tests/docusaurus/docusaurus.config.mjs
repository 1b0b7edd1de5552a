// A docs site as small as Docusaurus allows; whatever can be refused is refused.
/** @type {import('@docusaurus/types').Config} */
export default {
  title: "Benchmarks",
  url: "https://docs.example",
  baseUrl: "/",
  trailingSlash: false,
  onBrokenLinks: "throw",
  onBrokenAnchors: "throw",
  onDuplicateRoutes: "throw",
  markdown: { hooks: { onBrokenMarkdownLinks: "throw", onBrokenMarkdownImages: "throw" } },
  headTags: [{ tagName: "link", attributes: { rel: "icon", href: "data:," } }],
  future: { faster: true, v4: true },
  presets: [
    [
      "classic",
      { docs: { routeBasePath: "/", sidebarPath: "./sidebars.mjs", breadcrumbs: true }, blog: false, pages: false, sitemap: false, svgr: false },
    ],
  ],
  themeConfig: { navbar: { title: "Benchmarks", items: [{ type: "docSidebar", sidebarId: "docs", label: "Docs" }] } },
};
