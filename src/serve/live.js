// Runs in the pages that `plimsoll serve` shows, and in no other: loads a page again when it has changed, and shows what is
// wrong when the project does not build. Text goes into text nodes only.
"use strict";
(() => {
  const script = document.currentScript;
  const EVENTS = "/.plimsoll/events";
  const SCROLL = "plimsoll-scroll";
  const isOwn = document.body.dataset.plimsoll === "own";
  /** What this page shows: the digest of a whole site. */
  let site = script.dataset.site;
  let source = null;
  let retry = 0;
  let reloading = false;

  const decoded = (path) => {
    try {
      return decodeURIComponent(path);
    } catch {
      return path;
    }
  };
  const here = decoded(location.pathname);
  const isHere = (path) => [here, `${here}index.html`, `${here}/index.html`].includes(`/${path}`);
  const pathOf = (url) => {
    const at = new URL(url, location.href);
    return at.origin === location.origin ? decoded(at.pathname).slice(1) : null;
  };

  // What is shown lies in a shadow tree of its own, which the page's style does not reach; its style is set by the object
  // model, which the page's policy allows.
  const host = document.createElement("plimsoll-live");
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { all: initial; position: fixed; inset: auto 0 0 0; z-index: 2147483647; pointer-events: none; }
    section { font: 14px/1.5 system-ui, sans-serif; pointer-events: auto; box-sizing: border-box; color: #17212b; background: #fff; }
    [hidden] { display: none !important; }
    .note { width: fit-content; max-width: calc(100% - 2rem); margin: 0 1rem 1rem auto; padding: .5rem .875rem; border: 1px solid #55616d; border-radius: 6px; }
    .faults { border-top: 4px solid #a11d1d; padding: .875rem 1.25rem 1.25rem; box-shadow: 0 -4px 24px #0006; }
    .faults header { display: flex; gap: 1rem; align-items: center; justify-content: space-between; }
    h2 { font-size: 1.0625rem; margin: 0; }
    pre { font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; overflow: auto; max-height: 45vh; margin: .625rem 0 0; }
    button { font: inherit; color: inherit; background: transparent; border: 1px solid currentColor; border-radius: 4px; padding: .25rem .875rem; cursor: pointer; }
    a { color: #0b5c86; }
    :focus-visible { outline: 3px solid #0b5c86; outline-offset: 2px; }
    @media (prefers-color-scheme: dark) {
      section { color: #e4e9ed; background: #161d25; }
      a { color: #7cc4ea; }
      .faults { border-color: #f79b9b; }
      :focus-visible { outline-color: #7cc4ea; }
    }
    @media print { section { display: none; } }
  `);
  shadow.adoptedStyleSheets = [sheet];
  const made = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  const lost = made("section", { className: "note", hidden: true, role: "status" });
  const gone = made("section", { className: "note", hidden: true, role: "status" });
  const text = made("pre", { tabIndex: 0 });
  const close = made("button", { type: "button", textContent: "Close" });
  const faults = made("section", { className: "faults", hidden: true, role: "alert" },
    made("header", {}, made("h2", { textContent: "The project does not build; this is the last good site" }), close), text);
  shadow.append(lost, gone, faults);
  document.body.append(host);

  close.addEventListener("click", () => (faults.hidden = true));
  faults.addEventListener("keydown", (event) => event.key === "Escape" && (faults.hidden = true));

  /** Shows faults, if there are some; those that were closed stay closed. */
  function showFaults(words) {
    const page = document.getElementById("plimsoll-faults");
    if (page) {
      if (words !== null) page.textContent = words;
    } else if (words === null) {
      faults.hidden = true;
      text.textContent = "";
    } else if (text.textContent !== words) {
      text.textContent = words;
      faults.hidden = false;
    }
  }

  function reload() {
    reloading = true;
    try {
      sessionStorage.setItem(SCROLL, JSON.stringify([here, scrollX, scrollY]));
    } catch {
      // Where nothing can be kept, the browser's own memory of the place has to do.
    }
    location.reload();
  }

  function scrollBack() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(SCROLL));
      sessionStorage.removeItem(SCROLL);
      if (kept?.[0] === here) scrollTo({ left: kept[1], top: kept[2], behavior: "instant" });
    } catch {
      // Nothing was kept.
    }
  }

  /** Loads a style sheet again and takes the old one away when the new one is there, so that nothing flickers. */
  function restyle(link) {
    const url = new URL(link.href);
    url.searchParams.set("site", site);
    const fresh = link.cloneNode();
    fresh.addEventListener("load", () => link.remove());
    fresh.addEventListener("error", () => fresh.remove());
    fresh.href = url.href;
    link.after(fresh);
  }

  /** Whether the page shows a file, as a picture or the like. */
  const shows = (path) =>
    [...document.querySelectorAll("img[src], source[src], object[data], link[href]:not([rel=stylesheet]):not([rel=canonical])")].some(
      (element) => pathOf(element.src || element.data || element.href) === path,
    );

  function heard({ data }) {
    const told = JSON.parse(data);
    if (reloading) return;
    site = told.site;
    host.dataset.generation = told.generation;
    showFaults(told.faults);
    const sheets = [...document.querySelectorAll("link[rel=stylesheet][href]")].filter((link) => told.changed.includes(pathOf(link.href)));
    if (told.all || told.changed.some((path) => isHere(path) || (!sheets.some((link) => pathOf(link.href) === path) && shows(path)))) {
      reload();
    } else {
      sheets.forEach(restyle);
      if (told.removed.some(isHere) && !isOwn) {
        gone.replaceChildren("This page is not in the site any more. ", made("a", { href: "/", textContent: "To the overview" }));
        gone.hidden = false;
      }
    }
  }

  function connect() {
    clearTimeout(retry);
    if (source || document.visibilityState === "hidden") return;
    source = new EventSource(`${EVENTS}?since=${encodeURIComponent(site)}`);
    source.addEventListener("site", heard);
    source.addEventListener("open", () => (lost.hidden = true));
    source.addEventListener("error", () => {
      if (reloading || !source) return;
      lost.textContent = "plimsoll serve does not answer; this page waits for it.";
      lost.hidden = false;
      // A browser that gives up is asked again, from what the page shows by now.
      if (source.readyState === EventSource.CLOSED) {
        disconnect();
        retry = setTimeout(connect, 2000);
      }
    });
  }

  function disconnect() {
    clearTimeout(retry);
    source?.close();
    source = null;
  }

  // A browser has six connections for a server, and every tab would hold one: tabs that nobody sees hold none, and hear what
  // changed as soon as they are seen.
  document.addEventListener("visibilitychange", () => (document.visibilityState === "hidden" ? disconnect() : connect()));
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", (event) => event.persisted && connect());
  scrollBack();
  connect();
})();
