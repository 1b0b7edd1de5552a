// The two docs sites: where the benchmark pages lie, and which part of a page is the sidebar.
import { attribute } from "./html.mjs";

export const SITES = {
  docusaurus: {
    base: "/benchmarks",
    sidebar: (element) => attribute(element, "aria-label") === "Docs sidebar",
    /** For a browser: the sidebar, and what opens a group of it. */
    links: "nav[aria-label='Docs sidebar'] a[href]",
    closed: "nav[aria-label='Docs sidebar'] .menu__list-item--collapsed > .menu__list-item-collapsible > :last-child",
  },
  fumadocs: {
    base: "/docs/apis/benchmarks",
    sidebar: (element) => attribute(element, "id") === "nd-sidebar",
    links: "#nd-sidebar a[href]",
    closed: "#nd-sidebar button[aria-expanded=false]",
  },
};
