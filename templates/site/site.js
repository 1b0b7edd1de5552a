// What every page can do beyond being read: another theme, tables in another order, a text copied, the site searched. Everything here is added by this
// script: without it nothing is missing but this.
(() => {
  "use strict";
  const root = document.documentElement;
  const here = document.currentScript;
  const base = here.dataset.root;

  /** A storage may be forbidden, and is in some browsers for pages from a disk. */
  const kept = {
    get: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
    set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* the choice holds for this page */ } },
  };

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "class") element.className = value;
      else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value !== false && value != null) element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children);
    return element;
  };

  // ---- theme
  const THEMES = ["system", "light", "dark"];
  const setTheme = (theme) => {
    if (theme === "system") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", theme);
    root.dispatchEvent(new CustomEvent("plimsoll:theme"));
  };
  let theme = THEMES.includes(kept.get("plimsoll-theme")) ? kept.get("plimsoll-theme") : "system";
  setTheme(theme);
  const themeButton = () => {
    const word = make("span", {}, theme);
    const button = make("button", {
      type: "button", class: "tool theme", title: "Theme: system, light, dark",
      onclick: () => {
        theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
        kept.set("plimsoll-theme", theme);
        word.textContent = theme;
        setTheme(theme);
      },
    }, make("span", { class: "sr" }, "Theme: "), word);
    return button;
  };

  // ---- tables in another order
  /** The number that a cell begins with, in base units; NaN where it has none. */
  const UNITS = { "µs": 1e-3, ms: 1, s: 1e3, min: 6e4, h: 36e5, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, "%": 1e-2 };
  const number = (text) => {
    const found = /^\s*([<>]?)\s*([-+−]?[\d,]*\.?\d+(?:e[-+]?\d+)?)\s*([a-zµA-Z%]*)/.exec(text);
    if (!found) return NaN;
    const value = Number(found[2].replace(/,/g, "").replace("−", "-")) * (UNITS[found[3]] ?? 1);
    return found[1] === "<" ? value / 2 : value;
  };
  const cellOf = (row, at) => row.cells[at];
  const textOf = (cell) => (cell?.querySelector(".v") ?? cell)?.textContent.trim() ?? "";
  const isUnknown = (cell, text) => !cell || text === "" || text === "—" || cell.classList.contains("missing");
  const compare = (at, isNumber, sign) => (one, other) => {
    const [a, b] = [cellOf(one, at), cellOf(other, at)];
    const [x, y] = [textOf(a), textOf(b)];
    // What is not known is last, in whatever order.
    const [lost, gone] = [isUnknown(a, x), isUnknown(b, y)];
    if (lost || gone) return lost - gone;
    return sign * (isNumber ? number(x) - number(y) : x.localeCompare(y, "en", { numeric: true }));
  };
  const sortable = (table) => {
    const body = table.tBodies[0];
    const first = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    if (first.length < 2) return;
    heads.forEach((head, at) => {
      if (!head.textContent.trim()) return;
      const isNumber = head.classList.contains("num");
      const button = make("button", { type: "button", class: "sorter" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const was = head.getAttribute("aria-sort");
        // Numbers begin with the largest, texts with the first; the third time the page's own order is back.
        const [begin, then] = isNumber ? ["descending", "ascending"] : ["ascending", "descending"];
        const now = was === begin ? then : was === then ? null : begin;
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        if (now) head.setAttribute("aria-sort", now);
        body.append(...(now ? [...first].sort(compare(at, isNumber, now === "ascending" ? 1 : -1)) : first));
      });
    });
  };

  // ---- copying
  const copyable = (pre) => {
    const button = make("button", { type: "button", class: "tool copy" }, "Copy");
    const done = (word) => {
      button.textContent = word;
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    };
    /** Pages from a disk may have no clipboard; what is selected can always be copied. */
    const select = () => {
      const range = document.createRange();
      range.selectNodeContents(pre);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      done(document.execCommand("copy") ? "Copied" : "Selected: press Ctrl C");
    };
    button.addEventListener("click", () => {
      if (navigator.clipboard && isSecureContext) navigator.clipboard.writeText(pre.textContent).then(() => done("Copied"), select);
      else select();
    });
    pre.before(button);
  };

  // ---- search
  const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const search = () => {
    const list = make("ul", { role: "listbox", id: "found", "aria-label": "What was found" });
    const input = make("input", {
      type: "text", role: "combobox", "aria-expanded": "false", "aria-controls": "found", "aria-autocomplete": "list",
      "aria-label": "Search releases, targets, flags, queries, findings", placeholder: "Search", autocomplete: "off", spellcheck: "false",
    });
    const status = make("p", { class: "searchstate", role: "status" }, "Releases, targets, runs, flags, settings, queries, findings.");
    const dialog = make("dialog", { class: "search", "aria-label": "Search" }, make("div", { class: "searchhead" }, input,
      make("button", { type: "button", class: "tool", onclick: () => dialog.close() }, "Close")), status, list);
    let chosen = -1;
    const options = () => [...list.querySelectorAll('[role="option"]')];
    const choose = (at) => {
      const all = options();
      if (all.length === 0) return;
      chosen = (at + all.length) % all.length;
      all.forEach((option, nth) => option.setAttribute("aria-selected", String(nth === chosen)));
      input.setAttribute("aria-activedescendant", all[chosen].id);
      all[chosen].scrollIntoView({ block: "nearest" });
    };
    /** A text with what was asked for in it marked. */
    const marked = (text, asked) => {
      const lower = text.toLowerCase();
      const spans = [];
      for (const word of asked) {
        const at = lower.length === text.length ? lower.indexOf(word) : -1;
        if (at >= 0) spans.push([at, at + word.length]);
      }
      spans.sort((a, b) => a[0] - b[0]);
      const parts = [];
      let from = 0;
      for (const [begin, end] of spans) {
        if (begin < from) continue;
        parts.push(text.slice(from, begin), make("mark", {}, text.slice(begin, end)));
        from = end;
      }
      return [...parts, text.slice(from)];
    };
    const go = (href) => {
      dialog.close();
      location.assign(base + href);
    };
    const show = () => {
      const asked = words(input.value);
      list.replaceChildren();
      chosen = -1;
      input.removeAttribute("aria-activedescendant");
      const index = window.plimsoll?.index;
      if (!index || asked.length === 0) {
        input.setAttribute("aria-expanded", "false");
        status.textContent = index ? "Releases, targets, runs, flags, settings, queries, findings." : "The index is not there.";
        return;
      }
      const found = [];
      for (const [kind, title, context, href] of index) {
        const [head, all] = [title.toLowerCase(), `${title} ${context} ${kind}`.toLowerCase()];
        if (asked.every((word) => all.includes(word))) found.push([asked.every((word) => head.includes(word)) ? 0 : 1, kind, title, context, href]);
      }
      found.sort((a, b) => a[0] - b[0]);
      found.slice(0, 40).forEach(([, kind, title, context, href], nth) => {
        list.append(make("li", { role: "option", id: `found-${nth}`, "aria-selected": "false", onclick: () => go(href) },
          make("span", { class: "kind" }, kind), make("b", {}, ...marked(title, asked)), make("small", {}, ...marked(context, asked))));
      });
      input.setAttribute("aria-expanded", String(found.length > 0));
      status.textContent = found.length === 0 ? "Nothing found." : `${found.length} found${found.length > 40 ? ", 40 shown" : ""}.`;
      if (found.length > 0) choose(0);
    };
    input.addEventListener("input", show);
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") { choose(chosen + 1); event.preventDefault(); }
      else if (event.key === "ArrowUp") { choose(chosen - 1); event.preventDefault(); }
      else if (event.key === "Enter") { options()[chosen]?.click(); event.preventDefault(); }
    });
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    document.body.append(dialog);
    let asked = false;
    const open = () => {
      if (dialog.open) return;
      if (!asked) {
        asked = true;
        document.head.append(make("script", { src: `${base}assets/index.js`, onload: show, onerror: show }));
      }
      dialog.showModal();
      input.select();
    };
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) { open(); event.preventDefault(); }
    });
    return make("button", { type: "button", class: "tool", "aria-haspopup": "dialog", onclick: open }, "Search ", make("kbd", { "aria-hidden": "true" }, "/"));
  };

  const begin = () => {
    document.querySelector(".top")?.append(make("div", { class: "tools" }, search(), themeButton()));
    document.querySelectorAll("table.sortable").forEach(sortable);
    document.querySelectorAll("pre.copyable").forEach(copyable);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
