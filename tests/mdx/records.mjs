// What a record says and its page must show.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { lastCodeBlock, marked, plain, words } from "./words.mjs";

/** All runs of an archive as `RELEASE/RUN`. */
export function runsOf(archive) {
  const folders = (path) => readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const runs = folders(archive).flatMap((release) => folders(join(archive, release)).map((run) => `${release}/${run}`));
  return runs.filter((run) => existsSync(join(archive, run, "record.json"))).sort();
}

/** The values of a run's record that its page does not show. */
export function missing(archive, run, page) {
  const record = JSON.parse(readFileSync(join(archive, run, "record.json"), "utf8"));
  const byHand = ["run.toml", "../release.toml"].map((file) => join(archive, run, file)).filter(existsSync).map((file) => readFileSync(file, "utf8")).join("\n");
  const views = [words(page.html), marked(page.html), page.title].map(plain);
  const faults = [];
  let compared = 0;
  for (const [what, text] of values(record)) {
    // What somebody wrote by hand wins over the record.
    if (new RegExp(`\\b${what.split(".").at(-1)}\\b`).test(byHand)) continue;
    compared += 1;
    if (!views.some((view) => view.includes(plain(text)))) faults.push(`${what} of the record is not shown: ${text}`);
  }
  const k6 = join(archive, run, "k6.txt");
  if (existsSync(k6)) {
    compared += 1;
    const shown = lastCodeBlock(page.html) ?? "";
    if (lines(shown) !== lines(readFileSync(k6, "utf8"))) faults.push("k6's output is another");
  }
  return { faults, compared };
}

function lines(text) {
  return text.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, "\ufffd").trimEnd();
}

/** Name and text of every value that a page prints as it is. */
function* values(record) {
  const { identity, environment = {}, errors = {} } = record;
  const { client = {}, service = {}, database = {} } = environment;
  yield ["identity.release", identity.release];
  yield ["identity.target", identity.label ? `${identity.target}~${identity.label}` : identity.target];
  yield* some({ "identity.title": identity.title, "identity.baseline": identity.baseline, "identity.purpose": identity.purpose });
  yield* some({ "client.location": client.location, "client.machine": client.machine, "client.k6_version": client.k6_version });
  yield* some({ "service.location": service.location, "service.version": service.version, "database.kind": database.kind });
  yield* some({ "database.version": database.version, "database.location": database.location, "database.tier": database.tier });
  yield* some({ "service.memory": service.container?.memory?.printed, "database.memory": database.memory?.printed });
  yield* settings([...(service.settings ?? []), ...(database.settings ?? [])]);
  yield* (service.flags?.flags ?? []).map((flag) => ["flags", flag.name]);
  yield* figures("figures", record.figures ?? {});
  yield* figures("stated", record.stated ?? {});
  yield* counted(errors);
  yield* told(record.queries ?? []).map((query) => ["queries", query.name]);
  if (record.recorded) yield ["recorded", record.recorded.label];
  if (record.recorded?.message) yield ["recorded", record.recorded.message];
  yield* (record.notes ?? []).map((note) => ["notes", note.text]);
}

function* some(texts) {
  for (const [what, text] of Object.entries(texts)) if (text) yield [what, text];
}

/** A page tells the settings that deviate from their defaults, or have none that is known. */
function* settings(groups) {
  for (const entry of groups.flatMap((group) => group.entries)) {
    if (entry.default === entry.value) continue;
    yield ["settings", entry.key];
    if (entry.value) yield ["settings", entry.value];
  }
}

/** A page prints the digits that somebody printed. */
function* figures(what, known) {
  for (const [id, figure] of Object.entries(known)) {
    const printed = figure.printed ?? figure.value?.printed ?? figure.measured?.printed;
    if (printed) yield [`${what}.${id}`, printed];
  }
}

function* counted(errors) {
  const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
  for (const share of [errors.requests, errors.checks].filter(Boolean)) {
    yield ["errors", `${grouped(share.count)} of ${grouped(share.of)}`];
    if (share.printed) yield ["errors", share.printed];
  }
  for (const kind of [...(errors.kinds ?? []), ...(errors.aborted_iterations ?? []), ...(errors.failed_checks ?? [])]) {
    yield ["errors", kind.what];
    yield ["errors", grouped(kind.count)];
  }
}

/** All queries that another page told, five of those that were captured. */
function told(queries) {
  return queries.some((query) => query.fingerprint) ? queries.slice(0, 5) : queries;
}
