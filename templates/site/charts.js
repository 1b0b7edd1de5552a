// Charts that answer: uPlot takes over the drawn ones of a run's page, with the seconds that data.js sets. The drawn charts stay for paper, and for everyone whom
// this script does not reach. docs/site.md has the form of the data.
(() => {
  "use strict";
  const GAP = 10;
  const root = document.documentElement;
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const DIGITS = new Map([...LETTERS].map((letter, digit) => [letter, digit]));

  /** Whole numbers from their differences in base 64. */
  const numbers = (text) => {
    const values = [];
    let [sum, size, scale] = [0, 0, 1];
    for (const letter of text) {
      const bits = DIGITS.get(letter);
      size += (bits & 31) * scale;
      scale *= 32;
      if (bits < 32) {
        sum += size % 2 ? -Math.floor(size / 2) : size / 2;
        values.push(sum);
        [size, scale] = [0, 1];
      }
    }
    return values;
  };

  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value != null) element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  };

  // A colour of the style sheet as a canvas takes it.
  const probe = make("span", { hidden: "" });
  document.body.append(probe);
  const colour = (name) => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; };
  const faint = (name, share) => colour(name).replace(/rgba?\(([^)/]+)\)/, (_, parts) => `rgba(${parts.split(",").slice(0, 3).join(",")}, ${share})`);

  // Numbers as the pages write them: three digits, the unit that suits.
  const digits = (value) => { const size = Math.abs(value); return size >= 99.95 ? Math.round(value).toLocaleString("en") : value.toFixed(size >= 9.995 ? 1 : 2).replace(/\.?0+$/, ""); };
  const time = (ms) => ms == null ? "none" : ms === 0 ? "0 ms" : ms < 1 ? `${digits(ms * 1e3)} µs` : ms < 999.5 ? `${digits(ms)} ms` : `${digits(ms / 1e3)} s`;
  const count = (value) => value == null ? "not counted" : value.toLocaleString("en");
  const clock = (seconds) => {
    const whole = Math.round(seconds);
    const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
    const two = (value) => String(value).padStart(2, "0");
    return h ? `${h}:${two(m)}${s ? `:${two(s)}` : ""} h` : m ? `${m}${s ? `:${two(s)}` : ""} min` : `${s} s`;
  };

  /** Columns with a hole where nothing was measured for longer than a gap. */
  const broken = (columns, step) => {
    const out = columns.map(() => []);
    const [at] = columns;
    at.forEach((second, nth) => {
      if (nth > 0 && second - at[nth - 1] > Math.max(GAP, 2 * step)) out.forEach((column, which) => column.push(which ? null : at[nth - 1] + 1));
      out.forEach((column, which) => column.push(columns[which][nth]));
    });
    return out;
  };
  const ofTrend = (data, name) => {
    const trend = data.trends[name];
    if (!trend) return null;
    const ms = (text) => numbers(text).map((value) => (value * trend.unit) / 1000);
    return broken([numbers(trend.at), ms(trend.p50), ms(trend.p95), ms(trend.p99)], data.step);
  };
  const ofCount = (data, name) => { const column = data.counts[name]; return column ? [numbers(column.at), numbers(column.count)] : null; };

  const LATENCY = [["p50", "p50"], ["p99", "p99"], ["p95", "p95"]];
  const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];
  const PLACE = { p50: 1, p95: 2, p99: 3 };
  const COUNTS = [["http_reqs", "Requests", "band", 4, null, 0], ["iterations", "Iterations", "p50", 1.5, null, 0],
    ["http_req_failed", "Failed requests", "stop", 1.5, null, 1], ["checks_failed", "Failed checks", "wait", 1.5, [5, 3], 1]];

  const begin = () => {
    const section = document.querySelector("[data-run]");
    const data = section && window.plimsoll?.runs?.[section.dataset.run];
    if (!data || !window.uPlot) return;
    const figures = [...document.querySelectorAll("figure.plot")];
    const plots = [];
    const sizes = new Map();
    const view = { min: 0, max: data.span, log: false, other: null, hidden: new Set() };
    const sync = window.uPlot.sync("time");
    const spoken = make("p", { class: "sr", role: "status" });
    section.append(spoken);

    /** Everything is shown in the same stretch of time. */
    let zooming = false;
    const zoom = (min, max) => {
      const length = Math.min(data.span, Math.max(5, max - min));
      view.min = Math.max(0, Math.min(min, data.span - length));
      view.max = view.min + length;
      zooming = true;
      plots.forEach(({ plot }) => plot.setScale("x", { min: view.min, max: view.max }));
      zooming = false;
      reset.disabled = view.min <= 0 && view.max >= data.span;
    };

    const bands = (plot) => {
      const { ctx, bbox } = plot;
      ctx.save();
      ctx.fillStyle = faint("wait", 0.16);
      for (const band of data.bands) {
        const from = Math.max(bbox.left, plot.valToPos(band.from - 0.5, "x", true));
        const to = Math.min(bbox.left + bbox.width, plot.valToPos(band.to + 0.5, "x", true));
        if (to < bbox.left || from > bbox.left + bbox.width) continue;
        ctx.fillRect(from, bbox.top, Math.max(2, to - from), bbox.height);
        ctx.fillStyle = colour("ink");
        ctx.font = `bold ${12 * devicePixelRatio}px system-ui, sans-serif`;
        ctx.textAlign = "center";
        ctx.fillText(band.mark, (from + Math.max(from + 2, to)) / 2, bbox.top - 4 * devicePixelRatio);
        ctx.fillStyle = faint("wait", 0.16);
      }
      ctx.restore();
    };

    /** One plot of a figure. */
    const draw = (figure, host, readout, columns, series, { height, axis, show, log }) => {
      const font = "12px system-ui, sans-serif";
      const grid = { stroke: colour("line"), width: 1 };
      const plot = new window.uPlot({
        width: Math.max(200, host.clientWidth), height, padding: [18, 26, axis ? 0 : 8, 0], legend: { show: false },
        cursor: { sync: { key: sync.key, setSeries: false }, drag: { x: true, y: false, setScale: true }, points: { size: 6 } },
        scales: { x: { time: false, min: view.min, max: view.max }, y: { distr: log ? 3 : 1, range: log ? undefined : (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
        axes: [
          { show: axis, stroke: colour("quiet"), font, grid: { show: false }, ticks: grid, size: 30, space: 80, incrs: STEPS, values: (_, all) => all.map((value) => value == null ? "" : clock(value)) },
          { stroke: colour("quiet"), font, grid, ticks: { show: false }, size: 62, space: 34, values: (_, all) => all.map((value) => value == null ? "" : show(value)) },
        ],
        series: [{}, ...series.map((line) => ({ label: line.label, show: !view.hidden.has(line.key), stroke: colour(line.colour), width: line.width, dash: line.dash, points: { show: false }, spanGaps: false, alpha: line.alpha ?? 1 }))],
        hooks: {
          drawClear: [bands],
          setScale: [(self, key) => { if (key === "x" && !zooming) { const { min, max } = self.scales.x; if (min != null) zoom(min, max); } }],
          setCursor: [(self) => {
            const at = self.cursor.idx;
            if (at == null) return;
            const told = series.map((line, nth) => self.series[nth + 1].show ? `${line.label} ${(line.show ?? show)(self.data[nth + 1][at])}` : "").filter(Boolean);
            readout.dataset[host.dataset.part] = told.join(" · ");
            const parts = [...figure.querySelectorAll("[data-part]")].map((one) => readout.dataset[one.dataset.part]).filter(Boolean);
            readout.textContent = `${clock(self.data[0][at])}: ${parts.join(" · ")}`;
          }],
        },
      }, columns, host);
      plots.push({ plot, host, figure, keys: series.map((line) => line.key) });
      return plot;
    };

    const lines = (data_, name) => LATENCY.map(([key, tint]) => ({ key: `${name} ${key}`, label: key, colour: tint, width: 1.5, column: PLACE[key] }));
    const build = () => {
      plots.splice(0).forEach(({ plot }) => plot.destroy());
      for (const figure of figures) {
        const svg = figure.querySelector(":scope > svg");
        const area = figure.querySelector(".plotarea") ?? make("div", { class: "plotarea" });
        if (!area.isConnected) svg.before(area);
        area.replaceChildren();
        const readout = make("p", { class: "readout" }, "\u00a0");
        const size = sizes.get(figure) ?? svg.getBoundingClientRect().height;
        sizes.set(figure, size);
        figure.classList.add("taken");
        const host = (part) => { const one = make("div", { "data-part": part }); area.append(one); return one; };
        if (figure.dataset.plot === "traffic") {
          const known = COUNTS.map((row) => [row, ofCount(data, row[0])]).filter(([, found]) => found);
          const panels = [0, 1].map((panel) => known.filter(([row]) => row[5] === panel)).filter((panel) => panel.length);
          panels.forEach((panel, nth) => {
            const columns = window.uPlot.join(panel.map(([, found]) => found));
            const last = nth === panels.length - 1;
            const height = panels.length === 1 ? size : nth === 0 ? Math.round(size * 0.58) : size - Math.round(size * 0.58);
            draw(figure, host(`part${nth}`), readout, columns, panel.map(([row]) => ({ key: row[0], label: row[1], colour: row[2], width: row[3], dash: row[4] })),
              { height, axis: last, show: count, log: false });
          });
        } else {
          const name = figure.dataset.trend;
          const own = ofTrend(data, name);
          if (!own) {
            figure.classList.remove("taken");
            continue;
          }
          const other = view.other && ofTrend(view.other, name);
          const series = lines(data, name);
          let columns = [own[0], ...series.map((line) => own[line.column])];
          if (other) {
            const more = series.map((line) => ({ ...line, label: `${view.otherName} ${line.label}`, dash: [4, 4], alpha: 0.75 }));
            columns = window.uPlot.join([columns, [other[0], ...more.map((line) => other[line.column])]]);
            series.push(...more);
          }
          draw(figure, host("part0"), readout, columns, series, { height: size, axis: true, show: time, log: view.log });
        }
        area.append(readout);
      }
      zoom(view.min, view.max);
    };

    // ---- what the keyboard does with a chart
    const move = (figure, by) => {
      const own = plots.filter((one) => one.figure === figure);
      if (!own.length) return;
      const { plot } = own[0];
      const [xs, from] = [plot.data[0], plot.cursor.idx];
      const first = xs.findIndex((x) => x >= view.min);
      let last = xs.length - 1;
      while (last > first && xs[last] > view.max) last -= 1;
      const at = Math.max(first, Math.min(last, from == null ? (by > 0 ? first : last) : from + by));
      plot.setCursor({ left: plot.valToPos(xs[at], "x"), top: plot.bbox.height / devicePixelRatio / 2 });
      sync.pub("mousemove", plot, plot.cursor.left, plot.cursor.top, plot.over.clientWidth, plot.over.clientHeight, at);
      spoken.textContent = figure.querySelector(".readout").textContent;
    };
    const closer = (factor) => {
      const cursor = plots[0]?.plot.cursor;
      const middle = cursor?.idx == null ? (view.min + view.max) / 2 : plots[0].plot.data[0][cursor.idx];
      const length = (view.max - view.min) * factor;
      zoom(middle - length / 2, middle + length / 2);
    };
    const KEYS = { "+": () => closer(0.5), "=": () => closer(0.5), "-": () => closer(2), Home: () => zoom(0, data.span), 0: () => zoom(0, data.span) };
    const keys = (figure) => (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
      const step = event.shiftKey ? 10 : 1;
      if (event.key === "ArrowRight") move(figure, step);
      else if (event.key === "ArrowLeft") move(figure, -step);
      else if (event.key === "Escape") plots.forEach(({ plot }) => plot.setCursor({ left: -10, top: -10 }));
      else if (KEYS[event.key]) KEYS[event.key]();
      else return;
      event.preventDefault();
    };

    // ---- lines on and off, the scale, another run
    const toggles = (figure) => {
      const name = figure.dataset.trend;
      const prefix = figure.dataset.plot === "traffic" ? "" : `${name} `;
      for (const item of figure.querySelectorAll(":scope > .legend > li")) {
        const word = item.textContent;
        const key = prefix ? prefix + word : COUNTS.find((row) => row[1] === word)?.[0];
        const button = make("button", { type: "button", "aria-pressed": "true" }, word);
        button.addEventListener("click", () => {
          const on = view.hidden.delete(key);
          if (!on) view.hidden.add(key);
          button.setAttribute("aria-pressed", String(on));
          plots.filter((one) => one.figure === figure).forEach(({ plot, keys: all }) => all.forEach((one, nth) => { if (one === key) plot.setSeries(nth + 1, { show: on }); }));
        });
        item.replaceChildren(button);
      }
    };
    const reset = make("button", { type: "button", class: "tool", disabled: "", onclick: () => zoom(0, data.span) }, "Whole run");
    const log = make("button", { type: "button", class: "tool", "aria-pressed": "false", onclick: () => {
      view.log = !view.log;
      log.setAttribute("aria-pressed", String(view.log));
      build();
    } }, "Log scale");
    const bar = make("div", { class: "plotbar" }, reset, log);
    const lay = (other) => {
      view.other = other ? window.plimsoll.runs[other.run] ?? null : null;
      view.otherName = other?.run.split("/")[0] === section.dataset.run.split("/")[0] ? other?.run.split("/")[1] : other?.run.split("/")[0];
      build();
      if (other) spoken.textContent = view.other ? `${other.run} is laid over, dashed` : `${other.run} could not be read`;
    };
    if (data.others.length) {
      const select = make("select", { onchange: () => {
        const other = data.others[select.selectedIndex - 1];
        if (!other || window.plimsoll.runs[other.run]) lay(other);
        else document.head.append(make("script", { src: other.src, onload: () => lay(other), onerror: () => lay(other) }));
      } }, make("option", {}, "no other run"), ...data.others.map((other) => make("option", {}, other.run)));
      bar.append(make("label", {}, "Lay over: ", select));
    }
    bar.append(make("span", { class: "hint" }, "Drag to zoom. In a chart: arrows, + and −, Home."));
    figures[0]?.before(bar);
    for (const figure of figures) {
      toggles(figure);
      const area = make("div", { class: "plotarea", tabindex: "0", role: "group",
        "aria-label": `${figure.querySelector("figcaption").textContent.trim()}: arrows move the cursor, plus and minus zoom, Home shows the whole run` });
      area.addEventListener("keydown", keys(figure));
      figure.querySelector(":scope > svg").before(area);
    }
    build();
    root.addEventListener("plimsoll:theme", build);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", build);
    let width = section.clientWidth;
    new ResizeObserver(() => {
      if (section.clientWidth === width) return;
      width = section.clientWidth;
      plots.forEach(({ plot, host }) => plot.setSize({ width: Math.max(200, host.clientWidth), height: plot.height }));
    }).observe(section);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
