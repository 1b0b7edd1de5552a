// What an archive says about its runs, read from the files of the archive themselves.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { lines } from "./html.mjs";

/** All runs of an archive; `verdicts` is the output of `plimsoll classify --format json`. */
export function runs(archive, verdicts) {
  return folders(archive).flatMap((release) => folders(join(archive, release)).map((run) => read(archive, release, run, verdicts)));
}

function folders(path) {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

function read(archive, release, run, verdicts) {
  const folder = join(archive, release, run);
  const record = JSON.parse(readFileSync(join(folder, "record.json"), "utf8"));
  const { target, label, title } = record.identity;
  // A further run of a target is told from the run of record by its label.
  const words = `${title ?? target.replaceAll("_", " ")}${label ? ` (${label})` : ""}`;
  const log = join(folder, "k6.txt");
  const verdict = verdicts.find((verdict) => verdict.release === release && verdict.run === run);
  return {
    release,
    run,
    title: `${words} benchmark of zitadel ${release}`,
    // A human's label stands on the page where there is one, else what the flow concludes.
    outcome: record.recorded?.label ?? verdict?.outcome.label,
    throughput: throughput(record),
    k6: existsSync(log) ? lines(readFileSync(log, "utf8")) : null,
    series: existsSync(join(folder, "series.json")),
  };
}

/** What people stated, else what k6 measured, without decimals and with a comma before every three digits. */
function throughput(record) {
  const stated = record.stated?.["k6.iterations_per_s"]?.printed;
  const rate = record.k6?.metrics?.iterations?.values?.rate;
  return stated ?? (rate === undefined ? undefined : Math.round(rate).toLocaleString("en-US"));
}
