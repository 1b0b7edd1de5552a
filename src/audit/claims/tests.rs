//! Made-up runs: for each subject a text that holds and one that differs.

use super::*;
use crate::model::address::Address;
use crate::model::collection::{Archive, ReleaseRuns};

const RECORD: &str = r#"{
  "schema": 1,
  "identity": {"release": "v2.0", "target": "sign_up"},
  "environment": {
    "service": {
      "container": {"vcpu": 2.0, "memory": {"bytes": 6442450944.0, "printed": "6 Gi"}, "min_scale": 2, "max_scale": 7},
      "settings": [{"name": "Pool", "layout": "list", "entries": [{"key": "MaxOpenConns", "value": "6"}]}]
    },
    "database": {"vcpu": 8.0, "memory": {"bytes": 34359738368.0, "printed": "32Gib"}}
  },
  "window": {"start": "2026-09-28T18:10:06Z", "end": "2026-09-28T18:40:06Z", "duration_s": 1800.0},
  "k6": {
    "schema": 1, "source": {"kind": "text", "k6_version": null},
    "metrics": {
      "http_reqs": {"kind": "counter", "unit": "count", "values": {"count": 683256, "rate": 367.436785}},
      "http_req_failed": {"kind": "rate", "unit": "ratio", "values": {"rate": 0.0135044, "passes": 9227, "fails": 674029}},
      "checks": {"kind": "rate", "unit": "ratio", "values": {"rate": 0.990978, "passes": 998860, "fails": 9093}},
      "iterations": {"kind": "counter", "unit": "count", "values": {"count": 90671, "rate": 48.760436}},
      "sign_up_duration": {"kind": "trend", "unit": "ms", "values": {"avg": 71.2, "p(50)": 64.97, "p(95)": 262.78, "p(99)": 320.86, "max": 12360}}
    },
    "checks": [], "thresholds": [], "duration_s": 1841.8, "duration_bounds": [1841.8, 1841.9], "vus_max": 600,
    "iterations": {"complete": 90671, "interrupted": 3},
    "scenarios": [{"name": "default", "state": "done", "vus": 600, "duration_s": 1800}], "aborted": false, "notes": []
  },
  "figures": {
    "container.cpu.p50": {"state": "measured", "value": 0.52, "unit": "ratio", "bounds": [0.515, 0.525], "printed": "52%"},
    "container.cpu.p99": {"state": "measured", "value": 0.61, "unit": "ratio", "bounds": [0.605, 0.615], "printed": "61%"},
    "container.cpu.peak": {"state": "measured", "value": 0.64, "unit": "ratio", "bounds": [0.635, 0.645], "printed": "64%"},
    "container.memory.p50": {"state": "measured", "value": 0.05, "unit": "ratio", "bounds": [0.045, 0.055], "printed": "5%"},
    "container.memory.peak": {"state": "measured", "value": 0.08, "unit": "ratio", "bounds": [0.075, 0.085], "printed": "8%"},
    "container.instances.median": {"state": "measured", "value": 3, "unit": "count"},
    "container.instances.min": {"state": "measured", "value": 3, "unit": "count"},
    "container.instances.max": {"state": "measured", "value": 4, "unit": "count"},
    "container.instances.startups": {"state": "measured", "value": 35, "unit": "count"},
    "server.requests_per_s": {"state": "measured", "value": 371, "unit": "per-second", "bounds": [370.5, 371.5], "printed": "371 req/s"},
    "server.latency.p95": {"state": "measured", "value": 3500, "unit": "ms", "bounds": [3450, 3550], "printed": "3.5s"},
    "pool.empty_ratio": {"state": "measured", "value": 0.957, "unit": "ratio", "bounds": [0.9565, 0.9575], "printed": "95.7%"},
    "pool.mean_wait": {"state": "measured", "value": 25.3, "unit": "ms", "bounds": [25.25, 25.35], "printed": "25.3ms"},
    "pool.acquires": {"state": "measured", "value": 30196975, "unit": "count"},
    "database.cpu.median": {"state": "measured", "value": 0.78, "unit": "ratio", "bounds": [0.775, 0.785], "printed": "78%"},
    "database.cpu.peak": {"state": "measured", "value": 0.81, "unit": "ratio", "bounds": [0.805, 0.815], "printed": "81%"},
    "database.memory": {"state": "measured", "value": 0.39, "unit": "ratio", "bounds": [0.385, 0.395], "printed": "39%"},
    "database.connections": {"state": "measured", "value": 46, "unit": "count"},
    "database.transactions_per_s": {"state": "measured", "value": 10804, "unit": "per-second", "bounds": [10803.5, 10804.5]},
    "database.iops.read": {"state": "measured", "value": 5, "unit": "per-second", "bounds": [4.5, 5.5]},
    "database.iops.write": {"state": "measured", "value": 2189, "unit": "per-second", "bounds": [2188.5, 2189.5]},
    "database.lock_wait_ratio": {"state": "measured", "value": 0.35, "unit": "ratio", "bounds": [0.345, 0.355], "of": "database time"},
    "client.cpu.peak": {"state": "measured", "value": 0.4, "unit": "ratio", "bounds": [0.395, 0.405], "printed": "40%"},
    "client.cpu.steal": {"state": "measured", "value": 0.02, "unit": "ratio", "bounds": [0.015, 0.025], "printed": "2%"}
  },
  "errors": {"kinds": [{"count": 36, "what": "request timeout"}], "aborted_iterations": [{"count": 18, "what": "a null response body"}]}
}"#;

fn record(name: &str) -> (Address, Run) {
    let mut record: crate::model::record::Record = serde_json::from_str(RECORD).unwrap_or_else(|bad| unreachable!("{bad}"));
    let address: Address = name.parse().unwrap_or_else(|bad| unreachable!("{bad}"));
    record.identity.release = address.release.clone();
    record.identity.target = address.target.clone();
    (address, Run { record, differences: Vec::new(), notes: Vec::new(), k6_text: None, series: None })
}

/// v2.0 with two targets, v1.0 with one of them: that one had 200 VUs and a database of 4 vCPUs.
fn archive() -> Archive {
    let release = |name: &str, targets: &[&str]| {
        let runs = targets.iter().map(|target| record(&format!("{name}/{target}"))).collect();
        let name = name.to_owned().try_into().unwrap_or_else(|bad| unreachable!("{bad}"));
        ReleaseRuns { name, order: None, notes: Vec::new(), runs }
    };
    let mut releases = vec![release("v1.0", &["sign_up"]), release("v2.0", &["sign_up", "check_out"])];
    for run in releases[0].runs.values_mut() {
        run.record.k6.iter_mut().for_each(|k6| {
            k6.vus_max = Some(200);
            k6.scenarios.iter_mut().for_each(|scenario| scenario.vus = Some(200));
        });
        run.record.environment.database.vcpu = Some(4.0);
    }
    Archive::new(releases)
}

/// What is told of a note of `v2.0/sign_up`; and how many claims there are in it.
fn told(note: &str) -> (Vec<Found>, usize) {
    let mut archive = archive().into_releases();
    let address: Address = "v2.0/sign_up".parse().unwrap_or_else(|bad| unreachable!("{bad}"));
    for release in &mut archive {
        if let Some(run) = release.runs.get_mut(&address) {
            run.notes.push(note.to_owned());
        }
    }
    let archive = Archive::new(archive);
    let around = Around::new(&archive, "Tokend");
    let run = archive.run(&address).unwrap_or_else(|| unreachable!("it was just made"));
    (differs(&Subject { around: &around, address: &address, run }), of_run(&around, &address, run).len())
}

/// Texts that hold, the same with another number, and the figure that is named then.
const SUBJECTS: &[(&str, &str, &str)] = &[
    ("database CPU 78%", "database CPU 87%", "database.cpu.median"),
    ("Database CPU is the limit: 78% median.", "Database CPU is the limit: 97% median.", "database.cpu.median"),
    ("The database's CPU was at 78% and peaked.", "The database's CPU was at 70% and peaked.", "database.cpu.median"),
    ("Peak database CPU was 81%", "Peak database CPU was 78%", "database.cpu.peak"),
    ("about 80% of the database's CPU", "about 50% of the database's CPU", "database.cpu.median"),
    ("database memory at 39%", "database memory at 93%", "database.memory"),
    ("Database CPU was 78% against Tokend at 52%", "Database CPU was 78% against Tokend at 25%", "container.cpu.p50"),
    ("Tokend CPU 52%", "Tokend CPU 12%", "container.cpu.p50"),
    ("container CPU p50 52%, p99 61% (peak 64%)", "container CPU p50 52%, p99 71% (peak 64%)", "container.cpu.p99"),
    ("container CPU p50 52%, p99 61% (peak 64%)", "container CPU p50 52%, p99 61% (peak 94%)", "container.cpu.peak"),
    ("container memory peak 8%", "container memory peak 80%", "container.memory.peak"),
    (
        "No resource ran out (database 78%, containers 52%)",
        "No resource ran out (database 78%, containers 25%)",
        "container.cpu.p50",
    ),
    (
        "No resource ran out (database 78%, containers 52%)",
        "No resource ran out (database 87%, containers 52%)",
        "database.cpu.median",
    ),
    ("peak CPU of the load generator was 40%", "peak CPU of the load generator was 90%", "client.cpu.peak"),
    ("CPU steal of 2%", "CPU steal of 12%", "client.cpu.steal"),
    ("35% of database time is advisory-lock wait", "53% of database time is advisory-lock wait", "database.lock_wait_ratio"),
    ("Lock wait is only 35% of database time", "Lock wait is only 3% of database time", "database.lock_wait_ratio"),
    ("Lock share fell from 64.8% to 35.2%", "Lock share fell from 64.8% to 7.3%", "database.lock_wait_ratio"),
    (
        "96% of connection-pool acquires found the pool empty",
        "69% of connection-pool acquires found the pool empty",
        "pool.empty_ratio",
    ),
    ("pool 95.7% empty", "pool 9.8% empty", "pool.empty_ratio"),
    ("a pool (6 per container)", "a pool (10 per container)", "the setting MaxOpenConns"),
    ("`MaxOpenConns` 6", "`MaxOpenConns` 12", "the setting MaxOpenConns"),
    ("a mean wait of 25 ms for a connection", "a mean wait of 52 ms for a connection", "pool.mean_wait"),
    ("30 million acquires", "40 million acquires", "pool.acquires"),
    ("600 VUs", "500 VUs", "k6.vus"),
    ("a 600-VU run", "a 60-VU run", "k6.vus"),
    ("ran on 3 containers", "ran on 7 containers", "container.instances.median"),
    ("between 3 and 4 containers", "between 3 and 5 containers", "container.instances.median"),
    ("max scale 7", "max scale 10", "container.max_scale"),
    ("min scale of 2", "min scale of 1", "environment.service.container.min_scale"),
    ("35 containers started", "34 containers started", "container.instances.startups"),
    (
        "34 containers started between 18:17 and 18:22 UTC",
        "36 containers started between 18:17 and 18:22 UTC",
        "container.instances.startups",
    ),
    (
        "Raising the database beyond 8 vCPU is the next step",
        "Raising the database beyond 4 vCPU is the next step",
        "database.vcpu",
    ),
    ("2 vCPU per container", "6 vCPU per container", "container.vcpu"),
    ("a database of 8 vCPU and 32 GB", "a database of 8 vCPU and 64 GB", "database.memory_size"),
    ("6 GiB of memory per container", "4 GiB of memory per container", "container.memory_size"),
    ("46 database connections", "64 database connections", "database.connections"),
    ("90,671 complete iterations", "90,617 complete iterations", "k6.iterations"),
    ("3 interrupted iterations", "0 interrupted iterations", "k6's interrupted iterations"),
    ("18 aborted iterations", "81 aborted iterations", "errors.aborted_iterations"),
    ("a total of 683,256 requests", "a total of 638,256 requests", "k6.requests"),
    ("5,000 requests hung", "5,000,000 requests hung", "k6.requests"),
    ("9,227 failed requests", "9,272 failed requests", "k6.failed_requests"),
    ("9,093 failed checks", "9,039 failed checks", "k6.failed_checks"),
    ("9,227 of 683,256 requests failed (1.35%)", "9,227 of 683,256 requests failed (1.53%)", "9,227 of 683,256"),
    ("9,227 of 683,256 requests failed", "9,227 of 638,256 requests failed", "k6.requests"),
    ("1,044 of 683,256 is 0.15%", "1,044 of 683,256 is 0.51%", "1,044 of 683,256"),
    ("36 of the 9,227 failed requests are timeouts", "63 of the 9,227 failed requests are timeouts", "errors.kinds"),
    ("36 request timeouts", "38 request timeouts", "errors.kinds"),
    ("1,044 HTTP 503 platform errors", "10,440 HTTP 503 platform errors", "k6.failed_requests"),
    ("a 1,044-request platform 503 burst", "a 10,440-request platform 503 burst", "k6.failed_requests"),
    ("150 platform errors", "15,000 platform errors", "k6.failed_requests"),
    ("1x connection reset", "10001x connection reset", "k6.failed_requests"),
    ("8,178 HTTP 500 errors (1.20%)", "8,178 HTTP 500 errors (2.10%)", "8,178 of k6.requests (683,256)"),
    ("1.35% of requests failed", "3.15% of requests failed", "the share of failed requests"),
    ("a success rate of 98.6%", "a success rate of 99.9%", "the share of requests that did not fail"),
    ("0.9% of checks failed", "9% of checks failed", "the share of failed checks"),
    ("49 iterations/s", "94 iterations/s", "k6.iterations_per_s"),
    ("throughput of 48.8/s", "throughput of 84.8/s", "k6.iterations_per_s"),
    ("367 requests per second", "763 requests per second", "server.requests_per_s"),
    ("server-side 371 req/s", "server-side 367 req/s", "server.requests_per_s"),
    ("10,804 transactions/s", "18,004 transactions/s", "database.transactions_per_s"),
    ("IOPS: read 5, write 2,189", "IOPS: read 5, write 2,819", "database.iops.write"),
    ("5 read IOPS", "50 read IOPS", "database.iops.read"),
    (
        "`sign_up_duration` p50 65 ms / p95 263 ms / p99 321 ms",
        "`sign_up_duration` p50 65 ms / p95 623 ms / p99 321 ms",
        "k6.sign_up_duration.p(95)",
    ),
    ("p99 of sign_up was 321 ms", "p99 of sign_up was 231 ms", "k6.sign_up_duration.p(99)"),
    ("server-side p95 3.5s", "server-side p95 5.3s", "server.latency.p95"),
    ("a 30-minute test", "a 45-minute test", "the duration of the test"),
    ("the run lasted 30m41s", "the run lasted 20m41s", "the duration of the test"),
    (
        "the first failure came 1,658s (~28min) into the run",
        "the first failure came 1,658s (~82min) into the run",
        "the same time",
    ),
    ("two minutes into the run", "two hours into the run", "k6's clock"),
    (
        "a burst of errors at 18:12, two minutes into the run",
        "a burst of errors at 18:12, twelve minutes into the run",
        "the time from the run's start",
    ),
    ("timeouts within a single minute (18:39 UTC)", "timeouts within a single minute (19:39 UTC)", "the run's window"),
    ("a 503 burst (18:30–18:37)", "a 503 burst (18:30–18:57)", "the run's window"),
    ("measured on 2026-09-28", "measured on 2026-09-27", "the run's day"),
    (
        "v1.0 ran this target at 200 VUs, so it is not comparable",
        "v1.0 ran this target at 300 VUs, so it is not comparable",
        "k6.vus",
    ),
    ("a database of 4 vCPU in v1.0", "a database of 16 vCPU in v1.0", "database.vcpu"),
    ("a burst of errors as on check_out at 18:13", "a burst of errors as on check_out at 18:53", "the run's window"),
];

#[test]
fn every_subject_holds_with_the_records_number_and_is_told_with_another() {
    for (holds, differs, figure) in SUBJECTS {
        let (found, count) = told(holds);
        assert!(found.is_empty(), "{holds}: {found:?}");
        assert!(count > 0, "{holds}: nothing is understood");
        let (found, _) = told(differs);
        let messages: Vec<&str> = found.iter().map(|found| found.message.as_str()).collect();
        assert!(messages.len() == 1 && messages[0].contains(&format!(": {figure}")), "{differs}: {messages:?}");
        assert!(messages[0].starts_with('"'), "{messages:?}");
    }
}

#[test]
fn what_is_tied_to_nothing_or_to_nobodys_number_is_left_alone() {
    for text in [
        "Tuned for the ~4,000 events/s expected during the benchmark",
        "With 16 vCPU the database would be at 40%",
        "At 1,000 VUs database CPU would be 99%",
        "Database CPU was 40% in the first minute",
        "The previous run had 200 VUs",
        "The pool should hold 20 connections per container",
        "Raising the database to 16 vCPU is planned",
        "95% of database time is in `SELECT 12 FROM x`",
        "62% of the top-5 query time is advisory lock wait",
        "Container startup latency is > 3 minutes",
        "database CPU was 98% of the time above its share",
        "it took 12 minutes to start, and 3 containers were lost",
        "see reports/2026-08-27-503-burst.md and [the 12 VUs page](https://a.example/600-VUs)",
        "p95 was 5 seconds",
        "load generator CPU 12%",
        "throughput grew by 12%, and database CPU is 12 points higher",
        "v9.9 ran at 200 VUs",
        "v1.0/check_out ran at 250 VUs",
        "503 errors",
        "It ran at 600 VUs, not the 200 used for every other target: at 200 VUs it breaks",
        "the flags were captured at 17:02, before any timeouts",
        "deployed at 17:02, timeouts followed",
        "load carried by 9 of 9 containers",
        "timeouts at 19:35 CEST",
        "16 requests per iteration",
        "12 timeouts on the login, 24 on the token",
        "2 failed requests were resets",
        "12 VUs were stuck in the login",
        "At 400 VUs errors began",
        "errors on 2 containers",
        "2 containers ran out of memory",
        "2 of 3 containers at 95%",
        "One container's CPU was 30%",
        "database used 7 vCPU",
        "a database of 200 GB",
        "database memory was 12 GB",
        "12 database connections were idle",
        "throughput peaked at 60 iterations/s",
        "each container took 120 req/s",
        "a rate limit of 5,000 requests/s",
        "Lock share rose from 5% to 60% over the run",
        "login error rate 12%",
        "12% of requests failed on the login",
        "a total of 12 requests hung",
        "36 timeouts (3% of logins)",
        "the run of 2026-08-01 was slower",
        "errors were noticed at 18:52",
        "2 containers started twice",
    ] {
        let (found, _) = told(text);
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn a_finding_quotes_the_words_and_has_both_numbers() {
    let (found, _) = told("It is what it is: database CPU 87%, whatever else there may have been.");
    assert!(found.is_empty(), "what may have been is supposed: {found:?}");
    let (found, _) = told("It is what it is: database CPU 87%, and so on.");
    assert_eq!(found[0].message, "\"database CPU 87%\": database.cpu.median is 78%");
    let names: Vec<&str> = found[0].figures.keys().map(String::as_str).collect();
    assert_eq!(names, ["claimed.database.cpu.median", "database.cpu.median"]);
    let (found, _) = told("v1.0 ran this target at 300 VUs.");
    assert_eq!(found[0].message, "\"target at 300 VUs\": k6.vus of v1.0/sign_up is 200");
    let (found, _) = told("150,000 platform errors");
    assert_eq!(found[0].message, "\"150,000 platform errors\": k6.failed_requests is 9,227, and a part can't be more");
}

#[test]
fn every_text_of_a_run_is_read() {
    let (address, mut run) = record("v2.0/sign_up");
    let text = |place: &str| format!("600 VUs ({place})");
    run.record.notes.push(crate::model::record::Note { place: "VUs".to_owned(), text: text("a note") });
    run.record.recorded = Some(crate::model::record::Recorded { label: "Scale".to_owned(), message: text("recorded") });
    run.record.overridden =
        Some(crate::model::record::Override { outcome: "scale".to_owned(), reason: text("an override"), author: None });
    run.record
        .queries
        .push(crate::model::record::Query { remark: Some(text("a remark")), ..crate::model::record::Query::named("a") });
    run.record.identity.purpose = Some(text("a purpose"));
    run.notes.push(text("by hand"));
    let archive = Archive::default();
    let around = Around::new(&archive, "Tokend");
    let places: Vec<&str> =
        of_run(&around, &address, &run).iter().filter(|claim| claim.holds).map(|claim| claim.text.place).collect();
    assert_eq!(places, ["VUs", "recorded", "override", "queries", "purpose", "run.toml"]);
}

#[test]
fn a_dump_is_no_sentence() {
    assert_eq!(told("database CPU 87%, ").1, 1);
    assert_eq!(told(&"database CPU 87 %, ".repeat(50_000)).1, 0);
}

#[test]
fn causes_that_are_more_than_failed_are_told_together() {
    let note = "36 request timeouts and 9,191 HTTP 503.";
    assert_eq!(told(note).0, []);
    let (found, _) = told(&note.replace("9,191", "9,192"));
    assert_eq!(found[0].message, "\"36 request timeouts\", \"9,192 HTTP 503\": 9,228 together, but k6.failed_requests is 9,227");
}

#[test]
fn a_number_in_a_releases_notes_may_be_of_any_run_unless_it_names_one() {
    let told = |note: &str| {
        let mut releases = archive().into_releases();
        releases[1].notes.push(note.to_owned());
        for run in releases[1].runs.values_mut().take(1) {
            run.record.k6.iter_mut().for_each(|k6| {
                k6.vus_max = Some(50);
                k6.scenarios.iter_mut().for_each(|scenario| scenario.vus = Some(50));
            });
        }
        let archive = Archive::new(releases);
        let chosen: Vec<(&Address, &Run)> = archive.runs().collect();
        let findings = crate::audit::audit(&Around::new(&archive, "Tokend"), &chosen);
        let of_claims = findings.into_iter().filter(|finding| finding.code.ends_with("claim-differs"));
        of_claims.map(|finding| format!("{} {}", finding.place(), finding.message)).collect::<Vec<_>>()
    };
    assert_eq!(told("All ran at 600 VUs. check_out ran at 50 VUs."), Vec::<String>::new());
    assert_eq!(told("check_out ran at 600 VUs."), ["v2.0 \"ran at 600 VUs\": k6.vus is 50 in v2.0/check_out"]);
    assert_eq!(told("We ran at 700 VUs."), ["v2.0 \"ran at 700 VUs\": k6.vus is 50 in v2.0/check_out, 600 in v2.0/sign_up"]);
}

proptest::proptest! {
    #[test]
    fn no_text_breaks_it(text in "(database CPU|VUs|[0-9]{1,4}|%|of|the|pool|\\(|\\)|,|–|-|µs|ms|1,0|é|18:39|v2\\.0|`|\\[|\\]|/| |\\.|\n){0,40}") {
        let _ = told(&text);
    }
}
