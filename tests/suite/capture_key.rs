//! The answer key of the capture samples: every case of it, from the command line. Each case says of one file, a pair or a group
//! what a correct reader makes of it, or why it refuses.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, SecondsFormat, TimeDelta};
use serde_json::Value;

use super::capture_support::{K6, base, captured, figure, ignored, ingest, listed, log, near, record, stem, told};
use super::command::{Answer, Folder};
use super::material::shared;

/// Kinds that the program knows by nothing but their name in the listing: a file of them is named as ignored.
const ONLY_NAMED: [&str; 0] = [];

/// Where a coverage differs from the key's by definition, by the words in the file's name and the figure's, with the reason.
const OTHER_COVERAGE: [(&str, &str, &str); 6] = [
    ("promtool_tsdb_dump", "pool.", "the point that counting begins with is none of those counted to"),
    ("query_range_pool_counters_raw_matrix", "pool.", "the key counts the points of three containers apart, we count moments"),
    ("", "container.instances.startups", "a minute without a start has no point: points seen of a sparse metric are no coverage"),
    ("debug_metrics", "pool.max_open", "what a pool may hold at most is no measurement of the window"),
    ("perquery_execution_time", "database.lock_wait_ratio", "statements have one period each, the window itself"),
    (
        "zitadel_pool_via_google_exporter",
        "pool.",
        "the key counts the minutes between points where a window is asked for, we count points",
    ),
];

/// Figures that follow from the files of a case although it does not list them, by the words in a file's name, with the reason.
const ALSO: [(&str, &str, &str); 2] = [
    ("", "database.top_query_ratio", "the key lists the queries, not this share"),
    ("pg_stat_activity", "database.connections", "another case of the key has it from the same samples"),
];

/// Refusals of files for a whole sweep: named on the command line they are no error of this run, with the reason.
const SWEEP_WIDE: [(&str, &str); 1] =
    [("bench-metrics-raw", "it holds all targets of a sweep, and a run of another target is no fault of it")];

/// Refusals where two files contradict each other: an error wherever they lie, and nothing is written.
const BETWEEN_TWO: [&str; 2] = ["wrong-order", "different-servers"];

/// What series measure that a query left without their name.
const MEASURES: [(&str, &str); 5] = [
    ("zitadel_database_pool_acquire_count_total", "pool.acquires"),
    ("zitadel_database_pool_empty_acquire_count_total", "pool.empty_acquires"),
    ("http_server_request_duration_seconds", "server.latency"),
    ("run.googleapis.com/request_latencies", "server.latency"),
    ("run.googleapis.com/container/cpu/utilizations", "container.cpu"),
];

/// When the samples of a folder were taken, for cases that name no window.
const TIMES: [(&str, &str, &str); 6] = [
    ("postgres/pg17", "2026-11-30T08:13:38Z", "2026-11-30T08:17:44Z"),
    ("postgres/pg15", "2026-11-30T08:19:01Z", "2026-11-30T08:20:04Z"),
    ("prometheus", "2026-11-30T08:13:40Z", "2026-11-30T08:17:40Z"),
    ("k6-remote-write", "2026-11-30T08:20:35Z", "2026-11-30T08:21:55Z"),
    ("zitadel-metrics", "2026-11-30T08:19:07Z", "2026-11-30T08:19:57Z"),
    ("", "2026-09-28T21:42:33Z", "2026-09-28T22:12:33Z"),
];

/// A case of the key.
struct Case<'a> {
    line: usize,
    told: &'a Value,
    samples: &'a Path,
}

/// A project with the run's log, no captures yet.
fn project(rule: Option<&str>, log: &[u8]) -> Folder {
    let folder = Folder::new().file("in/k6.log", log);
    match rule {
        Some(rule) => folder.file("plimsoll.toml", "[metrics]\nrules = \"metrics.toml\"\n").file("metrics.toml", rule),
        None => folder,
    }
}

/// What was compared, and what disagrees.
#[derive(Default)]
struct Report {
    faults: Vec<String>,
    counts: BTreeMap<&'static str, usize>,
    /// Differences that the tables above allow, and what is there beside.
    remarks: Vec<String>,
    /// Cases that hold, and all cases, by the folder of their samples.
    folders: BTreeMap<String, (usize, usize)>,
}

impl Report {
    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    /// Notes a comparison, and the fault if it does not hold.
    fn hold(&mut self, what: &'static str, holds: bool, fault: impl FnOnce() -> String) {
        self.count(what);
        if !holds {
            self.faults.push(fault());
        }
    }

    fn add(&mut self, case: &str, other: Self) {
        self.faults.extend(other.faults.into_iter().map(|fault| format!("{case}: {fault}")));
        self.remarks.extend(other.remarks.into_iter().map(|remark| format!("{case}: {remark}")));
        for (what, count) in other.counts {
            *self.counts.entry(what).or_default() += count;
        }
    }
}

impl Case<'_> {
    fn text(&self, key: &str) -> &str {
        self.told[key].as_str().unwrap_or_default()
    }

    fn files(&self) -> Vec<&str> {
        self.told["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect()
    }

    fn place(&self) -> String {
        let files = self.files();
        let more = if files.len() > 1 { format!(" +{}", files.len() - 1) } else { String::new() };
        format!("expected.toml:{} {}{more}", self.line, files[0])
    }

    fn window(&self) -> (&str, &str) {
        let of = |key: &str| self.told["window"][key].as_str();
        let folder = self.files()[0];
        let known = TIMES.iter().find(|(begin, _, _)| folder.starts_with(begin)).unwrap();
        (of("start").unwrap_or(known.1), of("end").unwrap_or(known.2))
    }

    /// Whether the range of the files is meant: then the run's log has no stamps.
    fn has_own_range(&self) -> bool {
        self.told["window"]["own_range"] == true
    }

    fn target(&self) -> &str {
        self.told["target"].as_str().unwrap_or("password_session")
    }

    /// Names in the run's folder, and the samples that lie under them.
    fn copies(&self) -> Vec<(String, PathBuf)> {
        let files = self.files();
        if let Some(roles) = self.told["roles"].as_object() {
            let named = |role: &str| files.iter().find(|file| base(file).contains(role)).unwrap();
            let of =
                |(role, content): (&String, &Value)| (base(named(role)).to_owned(), self.samples.join(content.as_str().unwrap()));
            return roles.iter().map(of).collect();
        }
        let mut copies: Vec<(String, PathBuf)> = Vec::new();
        for file in files {
            let taken = copies.iter().any(|(name, _)| name == base(file));
            let name = if taken { format!("again.{}", base(file)) } else { base(file).to_owned() };
            // A limit of the command is told by the file's name.
            let limit = self.told["given"]["limit"].as_i64();
            let name = limit.map_or(name.clone(), |limit| name.replace(".json", &format!(".limit_{limit}.json")));
            copies.push((name, self.samples.join(file)));
        }
        copies
    }

    /// The rule that says what the case's file does not; `None` where its name says it.
    fn rule(&self, file: &str) -> Option<String> {
        let given = |key: &str| self.told["given"][key].as_str();
        let means = match (given("figure"), given("metric")) {
            (Some(figure), _) => format!("figure = \"{figure}\"\n"),
            (None, Some(metric)) => {
                let measures = MEASURES.iter().find(|(known, _)| *known == metric).unwrap().1;
                let extrapolated = given("function").or(given("range")).is_some();
                format!("measures = \"{measures}\"\n{}", if extrapolated { "kind = \"increase\"\n" } else { "" })
            }
            (None, None) => return None,
        };
        let percentile = self.told["given"]["percentile"].as_u64().map(|percent| format!("percentile = {percent}\n"));
        let unit = if self.text("note").contains("econds in the file") { "unit = \"s\"\n" } else { "" };
        Some(format!("schema = 1\n\n[rule.given]\nfile = \"{file}\"\n{means}{}{unit}", percentile.unwrap_or_default()))
    }

    /// The run's log: with the stamps of the case's window, or with none.
    fn log(&self) -> Vec<u8> {
        let (start, end) = self.window();
        if self.has_own_range() { K6.to_vec() } else { log(self.target(), start, end) }
    }

    /// The log of a run that began a second before the range of the files and ended a second after it.
    fn wider_log(&self) -> Vec<u8> {
        let (start, end) = self.window();
        let moved = |text: &str, seconds: i64| {
            let moment = DateTime::parse_from_rfc3339(text).unwrap() + TimeDelta::seconds(seconds);
            moment.to_utc().to_rfc3339_opts(SecondsFormat::AutoSi, true)
        };
        log(self.target(), &moved(start, -1), &moved(end, 1))
    }

    /// The project with all files of the case.
    fn folder(&self) -> Folder {
        self.folder_with(&self.log())
    }

    fn folder_with(&self, log: &[u8]) -> Folder {
        let rule = self.rule(stem(self.files()[0]));
        let copies = self.copies().into_iter();
        copies.fold(project(rule.as_deref(), log), |folder, (name, from)| {
            folder.file(&format!("in/{name}"), std::fs::read(&from).unwrap_or_else(|e| panic!("{}: {e}", from.display())))
        })
    }

    fn is_only_named(&self) -> bool {
        ONLY_NAMED.contains(&self.text("kind"))
    }

    /// Everything that the case says, held against what the program makes of its files.
    fn report(&self) -> Report {
        let mut report = Report::default();
        if self.told["refuse"].is_string() {
            self.refusal(&mut report);
            return report;
        }
        let folder = self.folder();
        let answer = ingest(&folder, &["in"], self.target());
        if answer.status != 0 {
            report.faults.push(format!("exit {}:\n{}", answer.status, told(&answer.talk)));
            return report;
        }
        for (name, _) in self.copies() {
            let is_told =
                if self.is_only_named() { ignored(&answer.talk, &name) } else { !listed(&answer.talk, &name).is_empty() };
            report.hold("files listed", is_told, || {
                format!("the listing does not say what became of {name}:\n{}", told(&answer.talk))
            });
        }
        let record = record(&folder, "v9", self.target());
        if self.is_only_named() {
            report.count("cases of kinds that are only named");
            report.hold("", captured(&record).is_empty(), || "it is read: take its kind out of the table".to_owned());
            return report;
        }
        self.figures(&record, &mut report);
        self.absences(&record, &mut report);
        self.dropped(&record, &answer, &mut report);
        self.facts(&record, &mut report);
        self.queries(&record, &mut report);
        self.flags(&record, &mut report);
        self.settings(&record, &mut report);
        self.machines(&record, &mut report);
        if self.has_own_range() && self.told["expect"].is_object() {
            self.in_a_window(&mut report);
        }
        report
    }

    /// The same figures where the run's stamps enclose the range of the files.
    fn in_a_window(&self, report: &mut Report) {
        let folder = self.folder_with(&self.wider_log());
        let answer = ingest(&folder, &["in"], self.target());
        let record = record(&folder, "v9", self.target());
        report.hold("", answer.status == 0, || format!("in a window: exit {}:\n{}", answer.status, told(&answer.talk)));
        for (name, wanted) in self.told["expect"].as_object().into_iter().flatten() {
            report.count("figures in a window");
            for fault in self.figure_faults(figure(&record, name), wanted) {
                report.faults.push(format!("in a window: {name} {fault}, covering {}", figure(&record, name)["coverage"]));
            }
        }
    }
}

// Figures.

fn unit_of(key: &str) -> &str {
    match key {
        "1/s" => "per-second",
        "1/min" => "per-minute",
        same => same,
    }
}

impl Case<'_> {
    fn figures(&self, record: &Value, report: &mut Report) {
        for (name, wanted) in self.told["expect"].as_object().into_iter().flatten() {
            report.count("figures");
            for fault in self.figure_faults(figure(record, name), wanted) {
                report.faults.push(format!("{name} {fault}"));
            }
            self.coverage(name, figure(record, name), report);
        }
    }

    fn figure_faults(&self, found: &Value, wanted: &Value) -> Vec<String> {
        let number = |key: &str| wanted[key].as_f64().unwrap();
        let Some(value) = found["value"].as_f64() else {
            return vec![format!("is not {} but not captured: {}", number("value"), found["reason"])];
        };
        let mut faults = Vec::new();
        if !near(value, number("value"), number("tolerance")) {
            faults.push(format!("is {value}, not {} ({})", number("value"), found["method"]));
        }
        let mut same = |key: &str, wanted: &str| {
            if found[key].as_str().unwrap_or_default() != wanted {
                faults.push(format!("has the {key} {}, not {wanted}", found[key]));
            }
        };
        same("unit", unit_of(wanted["unit"].as_str().unwrap()));
        same("state", wanted["state"].as_str().unwrap_or("measured"));
        if let Some(of) = wanted["of"].as_str() {
            same("of", of);
        }
        let is_averaged = wanted["averaged_percentiles"] == true;
        let is_exact = wanted["exact"] != false;
        match found["grade"].as_str() {
            None if is_exact => {}
            Some("averaged-percentiles") if is_averaged => {}
            Some(_) if !is_exact && !is_averaged => {}
            grade => faults.push(format!("has the grade {grade:?}; exact: {is_exact}, averaged: {is_averaged}")),
        }
        if found["method"].as_str().unwrap_or_default().is_empty() {
            faults.push("does not say how it was computed".to_owned());
        }
        let names: Vec<String> = self.copies().into_iter().map(|(name, _)| name).collect();
        let files = found["files"].as_array().into_iter().flatten().map(|file| base(file.as_str().unwrap()).to_owned());
        let files: Vec<String> = files.collect();
        if files.is_empty() || !files.iter().all(|file| names.contains(file)) {
            faults.push(format!("comes from {files:?}"));
        }
        faults
    }

    /// Points seen and expected, which the key counts as a union over moments.
    fn coverage(&self, name: &str, found: &Value, report: &mut Report) {
        let wanted = &self.told["coverage"];
        if wanted.is_null() || found["value"].is_null() {
            return;
        }
        report.count("coverages");
        let triple = |of: &Value, step: &str| (of["seen"].as_u64(), of["expected"].as_u64(), of[step].as_u64());
        let (wanted, ours) = (triple(wanted, "step_s"), triple(&found["coverage"], "period_s"));
        if wanted == ours {
            return;
        }
        let is_known = |(file, figure, _): &&(&str, &str, &str)| self.files()[0].contains(file) && name.contains(figure);
        let words = format!("{name} covers {ours:?} (seen, expected, seconds), not {wanted:?}");
        match OTHER_COVERAGE.iter().find(is_known) {
            Some((_, _, why)) => report.remarks.push(format!("{words}: {why}")),
            None => report.faults.push(words),
        }
    }

    fn absences(&self, record: &Value, report: &mut Report) {
        for name in self.told["not_captured"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap()) {
            let has_value = match name {
                "database.memory_bytes" => !record["environment"]["database"]["memory"].is_null(),
                name => figure(record, name)["value"].is_number(),
            };
            report.hold("absences", !has_value, || format!("{name} is {}, not absent", figure(record, name)["value"]));
        }
        // What the key does not name can't be had from these files: a percentile of one minute is no peak.
        for name in captured(record) {
            let is_known =
                |(file, figure, _): &&(&str, &str, &str)| name == *figure && self.files().iter().any(|own| own.contains(file));
            match ALSO.iter().find(is_known) {
                _ if self.told["expect"].get(name).is_some() => {}
                Some((_, _, why)) => report.remarks.push(format!("{name} is captured too: {why}")),
                None => report.faults.push(format!("{name} is captured, which the key does not have: {}", figure(record, name))),
            }
        }
    }

    /// Points outside the window are told: in the coverage of the figures of one metric, or in words.
    fn dropped(&self, record: &Value, answer: &Answer, report: &mut Report) {
        let Some(points) = self.told["dropped"]["points"].as_u64() else { return };
        let outside = |name: &str| figure(record, name)["coverage"]["outside"].as_u64();
        let is_told = captured(record).iter().any(|name| outside(name) == Some(points))
            || answer.talk.contains(&format!("{points} points"));
        report.hold("dropped points", is_told, || {
            let all: Vec<_> = captured(record).into_iter().map(|name| (name, outside(name))).collect();
            format!("{points} points lie outside the window: {all:?}\n{}", told(&answer.talk))
        });
    }

    /// Numbers without a name in the catalogue, where the record observes them under the key's name.
    fn facts(&self, record: &Value, report: &mut Report) {
        for (name, wanted) in self.told["facts"].as_object().into_iter().flatten() {
            let unit = wanted["unit"].as_str().unwrap();
            let Some(found) = fact(record, name, unit) else {
                report.count("facts that the record does not observe by this name");
                report.remarks.push(format!("nothing observes `{name}`"));
                continue;
            };
            let number = |key: &str| wanted[key].as_f64().unwrap();
            let holds = near(found, number("value"), number("tolerance"));
            report.hold("facts", holds, || format!("`{name}` is {found}, not {} {unit}", number("value")));
        }
    }
}

/// A fact by the key's name, in the key's unit.
fn fact(record: &Value, name: &str, unit: &str) -> Option<f64> {
    let time = &record["database_time"];
    let of_time = match name {
        "query time" => time["total_s"].as_f64(),
        "lock-wait time" => time["lock_wait_s"].as_f64(),
        "transaction control" => time["ignored_s"].as_f64(),
        "statements" => time["statements"].as_f64(),
        "snapshot distance" => time["window_s"].as_f64(),
        _ => None,
    };
    let observed = || {
        let mut all = record["observed"].as_array().into_iter().flatten();
        let found = all.find(|one| one["name"].as_str().is_some_and(|own| own.eq_ignore_ascii_case(name)))?;
        let value = found["value"].as_f64()?;
        Some(if unit == "s" && found["unit"] == "ms" { value / 1e3 } else { value })
    };
    of_time.or_else(observed)
}

// Queries, flags, settings, machines.

impl Case<'_> {
    fn queries(&self, record: &Value, report: &mut Report) {
        let tolerance = self.told["queries_tolerance_s"].as_f64().unwrap_or_default();
        for wanted in self.told["queries"].as_array().into_iter().flatten() {
            report.count("queries");
            let rank = usize::try_from(wanted["rank"].as_u64().unwrap()).unwrap();
            let found = &record["queries"][rank - 1];
            let mut hold = |holds: bool, what: &str| {
                if !holds {
                    report.faults.push(format!("query {rank} differs in {what}: {found}, not {wanted}"));
                }
            };
            hold(found["name"] == wanted["name"], "name");
            hold(found["class"] == wanted["class"], "class");
            let seconds = found["seconds"].as_f64().unwrap_or(f64::NAN);
            hold(near(seconds, wanted["seconds"].as_f64().unwrap(), tolerance), "seconds");
            hold(found["calls"].as_u64() == wanted["calls"].as_u64(), "calls");
            if let (Some(mean), Some(calls)) = (wanted["mean_ms"].as_f64(), wanted["calls"].as_f64()) {
                // The key prints three decimals of both.
                hold(near(seconds * 1e3 / calls, mean, 0.0005 + tolerance * 1e3 / calls), "mean");
            }
            if let Some(id) = wanted["queryid"].as_str() {
                let has =
                    found["ids"].as_array().into_iter().flatten().any(|own| own.as_str().is_some_and(|own| own.contains(id)));
                hold(has, "ids");
            }
        }
    }

    fn flags(&self, record: &Value, report: &mut Report) {
        let found = &record["environment"]["service"]["flags"];
        let wanted = &self.told["features"];
        if !wanted.is_null() {
            report.count("feature answers");
            let captured = &found["captured"];
            let moment = |text: &Value| text.as_str().and_then(|text| DateTime::parse_from_rfc3339(text).ok());
            if captured["level"] != wanted["level"] || captured["sequence"] != wanted["sequence"] {
                report.faults.push(format!("features were captured as {captured}, not {wanted}"));
            }
            if moment(&captured["changed"]) != moment(&wanted["changed_at"]) {
                report.faults.push(format!("features changed at {}, not {}", captured["changed"], wanted["changed_at"]));
            }
        }
        let Some(flags) = self.told["flags"].as_object() else { return };
        let known: Vec<&Value> = found["flags"].as_array().into_iter().flatten().collect();
        for flag in &known {
            let is_told = flags.contains_key(flag["name"].as_str().unwrap());
            report.hold("", is_told, || format!("flag {flag} is in no file"));
        }
        for (name, wanted) in flags {
            let ours = known.iter().find(|flag| flag["name"].as_str() == Some(name)).copied().unwrap_or(&Value::Null);
            report.hold("flags", flag_is(ours, wanted), || format!("flag {name} is {ours}, not {wanted}"));
        }
    }

    fn settings(&self, record: &Value, report: &mut Report) {
        let service = &record["environment"]["service"];
        for (key, wanted) in self.told["settings"].as_object().into_iter().flatten() {
            let found = entries(&service["settings"]).into_iter().find(|entry| entry["key"].as_str() == Some(key));
            let found = found.unwrap_or(&Value::Null);
            let value = found["value"] == wanted["value"];
            let default = wanted["default"].is_null() || found["default"] == wanted["default"];
            let differs = (!found["default"].is_null()).then(|| found["default"] != found["value"]);
            let deviates = wanted["deviates"].is_null() || differs == wanted["deviates"].as_bool();
            report.hold("settings", value && default && deviates, || format!("setting {key} is {found}, not {wanted}"));
        }
    }

    fn machines(&self, record: &Value, report: &mut Report) {
        for (key, wanted) in self.told["infra"].as_object().into_iter().flatten() {
            let fault = machine_fault(record, key, wanted);
            report.hold("facts of machines", fault.is_none(), || format!("{key} is {}, not {wanted}", fault.unwrap_or_default()));
        }
    }
}

fn flag_is(ours: &Value, wanted: &Value) -> bool {
    let state = match wanted["state"].as_str().unwrap() {
        "unset" => "off",
        same => same,
    };
    let texts = |list: &Value| -> Vec<String> {
        let words = list.as_array().into_iter().flatten().map(|word| word.as_str().unwrap());
        words.map(|word| word.trim_start_matches("IMPROVED_PERFORMANCE_").to_owned()).collect()
    };
    ours["state"] == state
        && ours["level"] == wanted["set_by"]
        && texts(&ours["paths"]) == texts(&wanted["paths"])
        && ours["base_uri"] == wanted["base_uri"]
}

/// The entries of all groups of settings.
fn entries(groups: &Value) -> Vec<&Value> {
    groups.as_array().into_iter().flatten().flat_map(|group| group["entries"].as_array().into_iter().flatten()).collect()
}

/// What a fact of the environment is where it is not as wanted.
fn machine_fault(record: &Value, key: &str, wanted: &Value) -> Option<String> {
    let (service, database) = (&record["environment"]["service"], &record["environment"]["database"]);
    let settings = entries(&database["settings"]);
    let setting =
        |name: &str| settings.iter().find(|entry| entry["key"].as_str() == Some(name)).map(|entry| entry["value"].clone());
    let container = &service["container"];
    let found = match key {
        "zitadel.service" => service["name"].clone(),
        "zitadel.region" => service["location"].clone(),
        "zitadel.version" => service["version"].clone(),
        "zitadel.revision" => service["revision"].clone(),
        "zitadel.memory_bytes" => container["memory"]["bytes"].clone(),
        "database.region" => database["location"].clone(),
        "database.engine" => database["kind"].clone(),
        "database.max_connections" => setting("max_connections").unwrap_or_default(),
        // Written for people among the settings, as a number among what was observed.
        "database.shared_buffers_bytes" => {
            let observed = fact(record, "database.shared_buffers", "bytes");
            observed.map_or(setting("shared_buffers").unwrap_or_default(), Value::from)
        }
        "database.settings" => Value::from(settings.len()),
        // As it is written: the platform does not say which of the two a GB is.
        "database.disk_gb" => {
            let printed =
                database["disk"]["printed"].as_str().and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
            printed.into()
        }
        "database.flags" => {
            let flags = wanted.as_object().unwrap();
            let wrong = flags.iter().find(|(name, value)| setting(name).as_ref() != Some(value));
            return wrong.map(|(name, _)| format!("{name} {:?}", setting(name)));
        }
        _ => match key.split_once('.') {
            Some(("zitadel", rest)) => container[rest].clone(),
            Some(("database", rest)) => database[rest].clone(),
            _ => panic!("{key}: a fact of machines that has no place in a record"),
        },
    };
    let same = match (found.as_f64(), wanted.as_f64()) {
        (Some(found), Some(wanted)) => near(found, wanted, 0.0),
        _ => {
            let words = |value: &Value| value.as_str().map_or(value.to_string(), |text| text.trim_start_matches('v').to_owned());
            // A machine type may stand behind its product, `Cloud SQL Enterprise Plus, db-perf-optimized-N-8`.
            words(&found) == words(wanted) || key == "database.tier" && words(&found).ends_with(&words(wanted))
        }
    };
    (!same).then(|| found.to_string())
}

// Refusals.

impl Case<'_> {
    fn refusal(&self, report: &mut Report) {
        let word = self.text("refuse");
        report.count("refusals");
        if word == "contradiction" {
            self.contradiction(report);
            return;
        }
        let code = if word == "error-envelope" { "error-answer" } else { word };
        let folder = self.folder();
        let answer = ingest(&folder, &["in"], self.target());
        if answer.status == 0 {
            let found = record(&folder, "v9", self.target());
            let gives = |name: &&str| !(word == "truncated" && figure(&found, name)["state"] == "incomplete");
            let figures: Vec<&str> = captured(&found).into_iter().filter(gives).collect();
            if !figures.is_empty() || !found["queries"].is_null() || !found["database_time"].is_null() {
                report
                    .faults
                    .push(format!("{word}: the record has {figures:?}, {} {}", found["queries"], found["database_time"]));
            }
            if !found["environment"]["service"]["flags"].is_null() {
                report.faults.push(format!("{word}: the record has flags"));
            }
        } else if !(answer.status == 3 && BETWEEN_TWO.contains(&word) && folder.files("data").is_empty()) {
            report.faults.push(format!("{word}: found in a folder: exit {}:\n{}", answer.status, told(&answer.talk)));
        }
        let names: Vec<String> = self.copies().into_iter().map(|(name, _)| name).collect();
        let all_ignored = names.iter().all(|name| ignored(&answer.talk, name));
        let is_told = match word {
            "unknown-kind" => all_ignored,
            // A file of a kind that is only named has no reason but that.
            _ if self.of_named_kind() && all_ignored => true,
            // Nothing but an empty line is of no kind.
            "no-data" if self.is_blank() || self.is_sweep_wide() => all_ignored || answer.talk.contains("[no-data]"),
            _ => answer.talk.contains(&format!("[{code}]")) && names.iter().any(|name| answer.talk.contains(name.as_str())),
        };
        if !is_told {
            report.faults.push(format!("{word}: no `{code}` of {names:?} in:\n{}", told(&answer.talk)));
        }
        self.named(code, &names, report);
    }

    /// The same files named on the command line: an error, and nothing is written.
    fn named(&self, code: &str, names: &[String], report: &mut Report) {
        if let Some((_, why)) = SWEEP_WIDE.iter().find(|(name, _)| self.files()[0].contains(name)) {
            report.remarks.push(format!("not refused where it is named: {why}"));
            return;
        }
        report.count("refusals of named files");
        let folder = self.folder();
        let paths: Vec<String> = ["k6.log".to_owned()].iter().chain(names).map(|name| format!("in/{name}")).collect();
        let answer = ingest(&folder, &paths.iter().map(String::as_str).collect::<Vec<_>>(), self.target());
        if code == "truncated" && answer.status == 0 {
            let found = record(&folder, "v9", self.target());
            let figures = captured(&found);
            let all_incomplete = figures.iter().all(|name| figure(&found, name)["state"] == "incomplete");
            report.hold("", all_incomplete && !figures.is_empty(), || format!("named, a part is read as the whole: {figures:?}"));
            return;
        }
        if answer.status != 3 || !folder.files("data").is_empty() {
            let written: Vec<String> = folder.files("data").into_iter().map(|(name, _)| name).collect();
            report.faults.push(format!("named, {code}: exit {}, written {written:?}:\n{}", answer.status, told(&answer.talk)));
        }
        let is_told =
            code == "unknown-kind" || self.of_named_kind() || self.is_blank() || answer.talk.contains(&format!("error[{code}]"));
        if !is_told {
            report.faults.push(format!("named, {code}: told otherwise:\n{}", told(&answer.talk)));
        }
    }

    fn contradiction(&self, report: &mut Report) {
        let names: Vec<String> = self.copies().into_iter().map(|(name, _)| format!("in/{name}")).collect();
        let one_by_one: Vec<&str> = ["in/k6.log"].into_iter().chain(names.iter().map(String::as_str)).collect();
        for paths in [vec!["in"], one_by_one] {
            let folder = self.folder();
            let answer = ingest(&folder, &paths, self.target());
            let both = names.iter().all(|name| answer.talk.contains(base(name)));
            if answer.status != 3 || !both || !folder.files("data").is_empty() {
                report.faults.push(format!("contradiction: exit {} of {paths:?}:\n{}", answer.status, told(&answer.talk)));
            }
        }
    }

    fn of_named_kind(&self) -> bool {
        let is_scrape = self.files()[0].starts_with("zitadel-metrics/");
        is_scrape && ONLY_NAMED.contains(&"text-exposition")
    }

    fn is_blank(&self) -> bool {
        self.copies().iter().all(|(_, from)| std::fs::read_to_string(from).is_ok_and(|text| text.trim().is_empty()))
    }

    fn is_sweep_wide(&self) -> bool {
        SWEEP_WIDE.iter().any(|(name, _)| self.files()[0].contains(name))
    }
}

// The tests.

/// The key, with the lines on which its cases begin.
fn key() -> Option<(PathBuf, Value, Vec<usize>)> {
    let samples = shared("data/capture")?;
    let text = std::fs::read_to_string(samples.join("expected.toml")).unwrap();
    let lines = text.lines().enumerate().filter(|(_, line)| *line == "[[case]]").map(|(at, _)| at + 1).collect();
    Some((samples, toml::from_str(&text).unwrap(), lines))
}

fn cases<'a>(samples: &'a Path, key: &'a Value, lines: &[usize]) -> Vec<Case<'a>> {
    let told = key["case"].as_array().unwrap();
    assert_eq!(told.len(), lines.len(), "the lines of the cases");
    told.iter().zip(lines).map(|(told, line)| Case { line: *line, told, samples }).collect()
}

/// Runs something over all cases, on all cores, and gives the reports in the key's order.
fn over<'a>(cases: &[Case<'a>], work: impl Fn(&Case<'a>) -> Report + Sync) -> Report {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut reports: Vec<(usize, Report)> = std::thread::scope(|scope| {
        let of_thread = |thread: usize| {
            let work = &work;
            let all = move || cases.iter().enumerate().skip(thread).step_by(threads).map(|(at, case)| (at, work(case))).collect();
            scope.spawn(all)
        };
        let running: Vec<std::thread::ScopedJoinHandle<'_, Vec<(usize, Report)>>> = (0..threads).map(of_thread).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    reports.sort_by_key(|(at, _)| *at);
    let mut whole = Report::default();
    for (at, report) in reports {
        whole.count("cases");
        let folder = cases[at].files()[0].split('/').next().unwrap_or_default().to_owned();
        let (hold, all) = whole.folders.entry(folder).or_default();
        *hold += usize::from(report.faults.is_empty());
        *all += 1;
        whole.add(&cases[at].place(), report);
    }
    whole
}

/// Prints what was compared; all disagreements of all cases are told at once.
fn conclude(report: &Report) {
    let counts: Vec<String> =
        report.counts.iter().filter(|(what, _)| !what.is_empty()).map(|(what, n)| format!("{n} {what}")).collect();
    println!("{}", counts.join(", "));
    for (folder, (hold, all)) in &report.folders {
        println!("  {folder}: {hold} of {all} cases hold");
    }
    for remark in &report.remarks {
        println!("  {remark}");
    }
    let mut told = String::new();
    for fault in &report.faults {
        writeln!(told, "- {}", fault.replace('\n', "\n    ")).unwrap();
    }
    assert!(report.faults.is_empty(), "{} disagreements with the key:\n{told}", report.faults.len());
}

#[test]
fn every_case_of_the_answer_key_comes_out_as_it_says() {
    let Some((samples, key, lines)) = key() else { return };
    let report = over(&cases(&samples, &key, &lines), Case::report);
    assert_eq!(report.counts["cases"], lines.len());
    conclude(&report);
}

/// What a file does not say is not guessed: under a neutral name and without a rule its series give no figure, and it is said why.
#[test]
fn without_what_is_given_a_series_gives_no_figure_and_a_note() {
    let Some((samples, key, lines)) = key() else { return };
    let mut given = cases(&samples, &key, &lines);
    // Without a limit the entries of a log are as many as there are.
    given.retain(|case| case.told["given"].is_object() && !case.is_only_named() && case.text("kind") != "gcloud-logging");
    assert!(given.len() > 15, "{} cases", given.len());
    conclude(&over(&given, |case| {
        let mut report = Report::default();
        let bytes = std::fs::read(samples.join(case.files()[0])).unwrap();
        let folder = project(None, &case.log()).file("in/x.json", bytes);
        let answer = ingest(&folder, &["in"], case.target());
        let found = record(&folder, "v9", case.target());
        let figures = captured(&found);
        report.hold("files without a rule", answer.status == 0 && figures.is_empty(), || {
            format!("exit {}, {figures:?}:\n{}", answer.status, told(&answer.talk))
        });
        let is_told = answer.talk.contains("warning[") && answer.talk.contains("x.json") || ignored(&answer.talk, "x.json");
        report.hold("notes", is_told, || format!("nothing says why x.json gives no figure:\n{}", told(&answer.talk)));
        report
    }));
}
