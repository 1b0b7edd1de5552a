// The page of a run against the run's record.
import { lines, named, plain, rows, text } from "./html.mjs";

/** What is wrong with the page of a run; `content` holds the page without the site's own frame. */
export function faults(content, run) {
  const found = [];
  const wants = (holds, words) => holds || found.push(words);
  const titles = named(content, "h1").map((heading) => plain(text(heading)));
  wants(titles.length === 1 && titles[0] === run.title, `its title is ${JSON.stringify(titles)}, not ${run.title}`);
  const values = new Map(named(content, "table").flatMap(rows).map(([name, value]) => [plain(name).toLowerCase(), value]));
  const cell = (name) => values.get(name.toLowerCase()) ?? "";
  wants(cell("executed test") === run.run, `it says of the target: ${cell("executed test")}`);
  wants(run.outcome && cell("flowchart outcome").includes(run.outcome), `the outcome is not ${run.outcome}: ${cell("flowchart outcome")}`);
  wants(cell("k6 iterations per second") === run.throughput, `the throughput is not ${run.throughput}: ${cell("k6 iterations per second")}`);
  if (run.k6) {
    const blocks = named(content, "pre").map((block) => lines(text(block)));
    wants(blocks.some((block) => same(block, run.k6)), "no block of code is k6's summary, line by line");
  }
  return found;
}

function same(a, b) {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}
