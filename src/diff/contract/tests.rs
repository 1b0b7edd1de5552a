use serde_json::{Value, json};

use super::*;

/// A run with some of its parts.
fn run(parts: Value) -> Record {
    run_of("a", parts)
}

fn run_of(target: &str, parts: Value) -> Record {
    let address = format!("v1/{target}").parse().unwrap_or_else(|bad| unreachable!("{bad}"));
    let mut whole = serde_json::to_value(Record::new(address)).unwrap_or_else(|bad| unreachable!("{bad}"));
    merge(&mut whole, parts);
    serde_json::from_value(whole).unwrap_or_else(|bad| unreachable!("{bad}"))
}

fn merge(into: &mut Value, parts: Value) {
    match (into, parts) {
        (Value::Object(into), Value::Object(parts)) => {
            for (key, value) in parts {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, parts) => *into = parts,
    }
}

/// A summary as k6's text gives it.
fn summary(parts: Value) -> Value {
    let mut whole = json!({"schema": 1, "source": {"kind": "text", "k6_version": null}, "metrics": {}, "checks": [], "thresholds": [],
        "duration_s": null, "vus_max": null, "iterations": {"complete": null, "interrupted": null}, "aborted": false, "notes": []});
    merge(&mut whole, parts);
    json!({"k6": whole})
}

fn counter(count: f64, bounds: Option<[f64; 2]>) -> Value {
    let bounds = bounds.map_or_else(|| json!({}), |bounds| json!({"count": bounds}));
    json!({"kind": "counter", "unit": "count", "values": {"count": count}, "bounds": bounds})
}

/// A run of so many bytes, requests and iterations.
fn counted(bytes: f64, rounding: f64, requests: f64, iterations: f64) -> Record {
    let bounds = (rounding > 0.0).then_some([bytes - rounding, bytes + rounding]);
    run(summary(json!({"metrics": {
        "data_received": counter(bytes, bounds), "http_reqs": counter(requests, None), "iterations": counter(iterations, None),
    }})))
}

fn failing(failed: u64, requests: u64) -> Record {
    run(summary(json!({"metrics": {"http_req_failed":
        {"kind": "rate", "unit": "ratio", "values": {"passes": failed, "fails": requests - failed}}}})))
}

fn held(a: &Record, b: &Record) -> Contract {
    compare(&[a], &[b], &[])
}

/// A difference in a line: its level, key, and both values.
fn line(difference: &KeyDifference) -> String {
    let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "?".to_owned());
    format!("{} {}: {} | {}", difference.level.name(), difference.key, shown(&difference.a), shown(&difference.b))
}

fn lines(contract: &Contract) -> Vec<String> {
    contract.differences.iter().map(line).collect()
}

fn differences(a: Value, b: Value) -> Vec<String> {
    lines(&held(&run(a), &run(b)))
}

fn is_alike(key: &str, a: Value, b: Value) -> bool {
    let contract = held(&run(a), &run(b));
    assert!(contract.differences.is_empty(), "{:?}", contract.differences);
    contract.alike.iter().any(|alike| alike == key)
}

fn environment(part: &str, parts: Value) -> Value {
    Value::from_iter([("environment", Value::from_iter([(part, parts)]))])
}

fn service(parts: Value) -> Value {
    environment("service", parts)
}

fn database(parts: Value) -> Value {
    environment("database", parts)
}

fn settings(name: &str, entries: &[(&str, &str)]) -> Value {
    let entries: Vec<Value> = entries.iter().map(|(key, value)| json!({"key": key, "value": value})).collect();
    json!({"settings": [{"name": name, "layout": "list", "entries": entries}]})
}

fn flags(flags: &[(&str, &str, &[&str])]) -> Value {
    let flags: Vec<Value> =
        flags.iter().map(|(name, state, paths)| json!({"name": name, "state": state, "paths": paths})).collect();
    service(json!({"flags": {"flags": flags}}))
}

#[test]
fn two_releases_on_other_machines_are_not_comparable() {
    let side = |place: &str, memory: (f64, &str), scale: u64, vus: u64| {
        let mut parts =
            summary(json!({"vus_max": vus, "scenarios": [{"name": "default", "state": "done", "vus": vus, "duration_s": 1800}]}));
        let memory = json!({"bytes": memory.0, "printed": memory.1});
        merge(
            &mut parts,
            json!({"environment": {"client": {"location": place}, "database": {"location": place, "memory": memory},
            "service": {"location": place, "container": {"min_scale": scale, "max_scale": 7}}}}),
        );
        parts
    };
    let a = side("US1", (34_359_738_368.0, "32Gib"), 7, 200);
    let mut b = side("EU1", (64e9, "64 GB"), 2, 600);
    merge(
        &mut b,
        json!({"environment": {"service": {"container": {"concurrency": 400}, "settings": settings("Database pool", &[("MaxOpenConns", "6")])["settings"]},
        "database": {"tier": "Cloud SQL Enterprise Plus, db-perf-optimized-N-8", "data_cache": true,
            "settings": settings("auto_explain", &[("log_analyze", ""), ("log_min_duration", "10 ms")])["settings"]}}}),
    );
    let contract = held(&run(a), &run(b));
    assert_eq!(contract.verdict, Comparability::NotComparable);
    insta::assert_snapshot!(lines(&contract).join("\n"), @r"
    blocking k6.vus: 200 | 600
    blocking client.location: US1 | EU1
    blocking service.location: US1 | EU1
    blocking database.location: US1 | EU1
    blocking service.container.min_scale: 7 | 2
    blocking database.memory: 32Gib | 64 GB
    weakening database.tier: ? | Cloud SQL Enterprise Plus, db-perf-optimized-N-8
    weakening database.data_cache: ? | on
    weakening database.settings.auto_explain: ? | log_analyze, log_min_duration 10 ms
    weakening service.container.concurrency: ? | 400
    weakening service.pool.max_open: ? | 6
    ");
    assert_eq!(
        contract.alike,
        ["target", "k6.executor", "k6.duration", "service.container.max_scale", "k6.checks", "k6.trends", "k6.test_length"]
    );
    assert!(contract.unknown.iter().any(|key| key == "service.flags"));
}

#[test]
fn the_same_value_written_differently_is_alike() {
    let memory = |bytes: f64, printed: &str| service(json!({"container": {"memory": {"bytes": bytes, "printed": printed}}}));
    let gib = 1024f64.powi(3);
    assert!(is_alike("service.container.memory", memory(6.0 * gib, "6 Gi"), memory(6144.0 * 1024f64.powi(2), "6144 MiB")));
    for (key, field, a, b) in [
        ("database.version", "version", "v17.4", "17.4"),
        ("database.version", "version", "17 (Cloud SQL POSTGRES_17)", "v17"),
        ("database.kind", "kind", "psql", "postgres"),
        ("database.location", "location", "EU1", " eu1"),
        ("database.edition", "edition", "ENTERPRISE_PLUS", "Enterprise Plus"),
        ("database.tier", "tier", "Cloud SQL Enterprise Plus, db-perf-optimized-N-8", "db-perf-optimized-N-8"),
    ] {
        assert!(is_alike(key, database(json!({field: a})), database(json!({field: b}))), "{a} {b}");
    }
}

#[test]
fn the_version_that_runs_is_the_databases() {
    let asked = database(json!({"version": "17", "installed_version": "POSTGRES_17_4"}));
    assert!(is_alike("database.version", asked, database(json!({"version": "v17.4"}))));
    let of = |version: &str| database(json!({"version": version}));
    assert_eq!(differences(of("v17.4"), of("v15.8")), ["weakening database.version: v17.4 | v15.8"]);
    // The minor is unknown on one side.
    assert_eq!(differences(of("v17.4"), of("17")), ["weakening database.version: v17.4 | 17"]);
}

#[test]
fn a_fixed_count_of_containers_is_a_scale_from_it_to_it() {
    let count = |count: u64| service(json!({"container": {"count": count}}));
    let scale = |min: u64, max: u64| service(json!({"container": {"min_scale": min, "max_scale": max}}));
    assert!(is_alike("service.container.min_scale", count(7), scale(7, 7)));
    assert!(is_alike("service.container.count", count(7), count(7)));
    assert_eq!(differences(count(2), count(5)), ["blocking service.container.count: 2 | 5"]);
    assert_eq!(differences(count(7), scale(2, 7)), ["blocking service.container.min_scale: 7 | 2"]);
}

#[test]
fn what_one_side_does_not_know_weakens_and_blocks_for_flags_and_virtual_users() {
    let vcpu = database(json!({"vcpu": 8.0}));
    assert_eq!(differences(json!({}), vcpu), ["weakening database.vcpu: ? | 8"]);
    let contract = held(&run(summary(json!({"vus_max": 200}))), &run(json!({})));
    assert_eq!(lines(&contract)[0], "blocking k6.vus: 200 | ?");
    assert_eq!(contract.verdict, Comparability::NotComparable);
    assert_eq!(differences(flags(&[("a", "on", &[])]), json!({})), ["blocking service.flags: 1 flag: a | ?"]);
    // Informational keys stay so.
    let version = json!({"environment": {"client": {"k6_version": "v2.1.0"}}});
    let contract = held(&run(json!({})), &run(version));
    assert_eq!(
        (lines(&contract), contract.verdict),
        (vec!["informational k6.version: ? | v2.1.0".to_owned()], Comparability::Comparable)
    );
}

#[test]
fn another_version_of_the_scripts_weakens() {
    let scripts = |version: &str| json!({"environment": {"client": {"harness_version": version}}});
    assert_eq!(differences(scripts("2026.9"), scripts("2026.10")), ["weakening client.harness_version: 2026.9 | 2026.10"]);
    assert_eq!(differences(scripts("v2026.9"), scripts("2026.9")), [""; 0]);
    assert_eq!(differences(scripts("2026.9"), json!({})), ["weakening client.harness_version: 2026.9 | ?"]);
}

#[test]
fn flags_are_a_set_of_those_that_are_on() {
    let a = flags(&[("x", "on", &["P", "Q"]), ("y", "off", &[]), (r"add\_it", "on", &[])]);
    let b = flags(&[("add_it", "on", &[]), ("x", "on", &["Q", "P"]), ("z", "explicitly-off", &[])]);
    assert!(is_alike("service.flags", a, b));
    let one = flags(&[("x", "on", &["P", "Q"]), ("y", "on", &[])]);
    let other = flags(&[("x", "on", &["Q"]), ("y", "on", &[]), ("w", "on", &["R"])]);
    assert_eq!(
        differences(one, other),
        ["blocking service.flags.w: off | on for R", "blocking service.flags.x: on for 2, here alone: P | on for 1"]
    );
}

#[test]
fn an_empty_list_of_flags_is_one_difference() {
    let some = flags(&[("b", "on", &[]), ("a", "on", &[]), ("c", "off", &[])]);
    assert_eq!(differences(flags(&[]), some), ["blocking service.flags: none | 2 flags: a, b"]);
    // An empty list against one of flags that are off: nothing differs.
    assert!(is_alike("service.flags", flags(&[]), flags(&[("c", "off", &[])])));
}

#[test]
fn settings_that_change_the_work_weaken() {
    let page = database(settings("auto_explain", &[("log_analyze", ""), ("log_timing", ""), ("log_min_duration", "10 ms")]));
    let captured = database(settings(
        "PostgreSQL",
        &[("auto_explain.log_min_duration", "10ms"), ("auto_explain.log_analyze", "\"on\""), ("auto_explain.log_verbose", "off")],
    ));
    assert!(is_alike("database.settings.auto_explain", page.clone(), captured));
    let off = database(settings("PostgreSQL", &[("shared_preload_libraries", "pg_stat_statements"), ("work_mem", "4MB")]));
    assert_eq!(
        differences(page.clone(), off.clone()),
        ["weakening database.settings.auto_explain: log_analyze, log_timing, log_min_duration 10 ms | off"]
    );
    assert!(is_alike(
        "database.settings.auto_explain",
        off.clone(),
        database(settings("", &[("auto_explain.log_min_duration", "-1")]))
    ));
    // Loaded, and nobody says with what settings.
    let loaded = database(settings("", &[("shared_preload_libraries", "auto_explain,pg_stat_statements")]));
    assert_eq!(differences(off, loaded), ["weakening database.settings.auto_explain: off | ?"]);
}

#[test]
fn settings_of_safety_and_counting_are_keys_of_their_own() {
    let of = |entries: &[(&str, &str)]| database(settings("PostgreSQL", entries));
    let (a, b) =
        (of(&[("fsync", "on"), ("jit", "off"), ("port", "1")]), of(&[("fsync", "off"), ("jit", "false"), ("port", "2")]));
    let contract = held(&run(a.clone()), &run(b));
    assert_eq!(lines(&contract), ["weakening database.settings.fsync: on | off"]);
    assert!(contract.alike.iter().any(|key| key == "database.settings.jit"));
    assert_eq!(differences(a, json!({})), ["weakening database.settings: fsync on, jit off | ?"]);
}

#[test]
fn a_pool_is_as_large_as_its_settings_say() {
    let page = service(settings("Database pool", &[("MaxOpenConns", "6"), ("MaxIdleConns", "3")]));
    let dotted = service(settings("", &[("database.pool.maxConns", "6"), ("database.port", "5432")]));
    let figure = json!({"figures": {"pool.max_open": {"state": "measured", "value": 8.0, "unit": "count"}}});
    assert!(is_alike("service.pool.max_open", page.clone(), dotted));
    assert_eq!(differences(page, figure), ["weakening service.pool.max_open: 6 | 8"]);
    let two = service(settings("", &[("pool.reads.max", "6"), ("pool.writes.max", "2")]));
    assert_eq!(differences(two, json!({})), ["weakening service.pool.max_open: 2, 6 | ?"]);
}

#[test]
fn responses_of_another_size_block() {
    let line = |a: &Record, b: &Record| lines(&held(a, b)).into_iter().find(|line| line.contains("k6.bytes_per_request"));
    let small = counted(25e6, 0.5e6, 36_204.0, 36_204.0);
    let large = counted(195e9, 0.5e9, 4_159_856.0, 4_159_856.0);
    assert_eq!(line(&small, &large).as_deref(), Some("blocking k6.bytes_per_request: 691 B | 46.9 kB"));
    // By a quarter at most, for every value that rounding allows.
    assert_eq!(line(&counted(100e6, 0.5e6, 1e6, 1e6), &counted(120e6, 0.5e6, 1e6, 1e6)), None);
    // Some of the values say so, others do not.
    let coarse = line(&counted(100e6, 10e6, 1e6, 1e6), &counted(124e6, 0.5e6, 1e6, 1e6));
    assert_eq!(coarse.as_deref(), Some("weakening k6.bytes_per_request: 90 B to 110 B | 124 B"));
}

#[test]
fn a_script_that_makes_other_requests_blocks() {
    let line = |a: &Record, b: &Record| lines(&held(a, b)).into_iter().find(|line| line.contains("k6.requests_per_iteration"));
    let of = |requests: f64, iterations: f64| counted(1e6, 0.0, requests, iterations);
    assert_eq!(line(&of(2e6, 1e6), &of(2.03e6, 1e6)), None);
    assert_eq!(line(&of(2e6, 1e6), &of(3e6, 1e6)).as_deref(), Some("blocking k6.requests_per_iteration: 2 | 3"));
    // The same 2,410 requests of set-up in a slow run and a fast one.
    let set_up = line(&of(36_204.0, 33_794.0), &of(4_159_856.0, 4_157_446.0));
    let wanted = "weakening k6.requests_per_iteration: 1.07, those of set-up included | 1, those of set-up included";
    assert_eq!(set_up.as_deref(), Some(wanted));
    // A slow run of a third more requests has no set-up as large as that.
    let other = line(&of(3e6, 1e6), &of(4e6, 2e6));
    assert_eq!(other.as_deref(), Some("blocking k6.requests_per_iteration: 3 | 2"));
}

#[test]
fn the_test_phase_is_read_where_both_sides_tell_it() {
    let of = |set_up: f64| {
        let mut parts =
            summary(json!({"metrics": {"http_reqs": counter(1000.0 + set_up, None), "iterations": counter(1000.0, None)}}));
        let metrics = json!({"http_reqs": counter(1000.0, None), "iterations": counter(1000.0, None)});
        let test = json!({"first": "2026-03-01T10:00:00Z", "last": "2026-03-01T10:02:00Z", "metrics": metrics});
        merge(&mut parts, json!({"phases": {"resolution_s": 1.0, "test": test}}));
        run(parts)
    };
    assert!(held(&of(0.0), &of(500.0)).alike.iter().any(|key| key == "k6.requests_per_iteration"));
    let mut text = of(500.0);
    text.phases = None;
    let line = lines(&held(&of(0.0), &text)).into_iter().find(|line| line.contains("requests_per_iteration"));
    assert_eq!(line.as_deref(), Some("blocking k6.requests_per_iteration: 1 | 1.5"));
}

#[test]
fn counts_of_repeats_are_added() {
    let (small, large, middle) = (counted(1e6, 0.0, 1e4, 1e4), counted(9e6, 0.0, 3e4, 3e4), counted(2.5e6, 0.0, 1e4, 1e4));
    let contract = compare(&[&small, &large], &[&middle], &[]);
    assert!(contract.alike.iter().any(|key| key == "k6.bytes_per_request"), "{:?}", contract.differences);
}

#[test]
fn a_test_of_another_length_is_worth_knowing() {
    let of = |last: &str| {
        let test = json!({"first": "2026-03-01T10:00:00Z", "last": last, "metrics": {}});
        json!({"phases": {"resolution_s": 1.0, "test": test}})
    };
    let contract = held(&run(of("2026-03-01T10:30:00Z")), &run(of("2026-03-01T10:20:00Z")));
    assert_eq!(lines(&contract), ["informational k6.test_length: 30m | 20m"]);
    assert_eq!(contract.verdict, Comparability::Comparable);
    assert!(is_alike("k6.test_length", of("2026-03-01T10:30:00Z"), of("2026-03-01T10:29:00Z")));
    // As it was given, where it lasted so long; by a window to the minute.
    let scenario = summary(json!({"scenarios": [{"name": "default", "state": "done", "vus": null, "duration_s": 1800}]}));
    let window = json!({"window": {"start": "2026-03-01T10:00Z", "end": "2026-03-01T10:30Z"}});
    let lengths = |a: &Value, b: &Value| held(&run(a.clone()), &run(b.clone())).alike.iter().any(|key| key == "k6.test_length");
    assert!(lengths(&scenario, &of("2026-03-01T10:30:00Z")) && lengths(&window, &scenario));
}

#[test]
fn client_time_is_worth_knowing() {
    let of = |share: f64| json!({"stated": {"k6.client_time_ratio": {"state": "measured", "value": share, "unit": "ratio"}}});
    assert_eq!(differences(of(0.02), of(0.18)), ["informational k6.client_time_ratio: 2% | 18%"]);
    assert!(is_alike("k6.client_time_ratio", of(0.02), of(0.06)));
}

#[test]
fn other_checks_and_trends_weaken() {
    let of = |checks: &[&str], trend: &str| {
        let checks: Vec<Value> = checks.iter().map(|name| json!({"name": name, "group": "", "passes": 1, "fails": 0})).collect();
        let trend_of = json!({"kind": "trend", "unit": "ms", "values": {}});
        run(summary(json!({"checks": checks, "metrics": {trend: trend_of, "http_req_waiting": trend_of, "checks":
            {"kind": "rate", "unit": "ratio", "values": {}}}})))
    };
    assert_eq!(lines(&held(&of(&[r"add\_it ok", "b"], "add_x"), &of(&["b", "Add_it  ok"], r"add\_x"))), Vec::<String>::new());
    let contract = held(&of(&["a", "b"], "x"), &of(&["a", "b", "c"], "y"));
    assert_eq!(
        lines(&contract),
        [
            "weakening k6.checks: 2 checks | 3 checks, here alone: c",
            "weakening k6.trends: 1 trend, here alone: x | 1 trend, here alone: y"
        ]
    );
    // A summary that counts checks and names none does not say that there are none.
    assert_eq!(lines(&held(&of(&["a"], "x"), &of(&[], "x"))), ["weakening k6.checks: 1 check | ?"]);
    let many = held(&of(&["a"], "x"), &of(&["a", "b", "c", "d", "e", "f", "g", "h"], "x"));
    assert_eq!(lines(&many), ["weakening k6.checks: 1 check | 8 checks, here alone: b, c, d, e, f and 2 more"]);
}

#[test]
fn other_errors_weaken() {
    let line = |a: &Record, b: &Record| lines(&held(a, b)).into_iter().find(|line| line.contains("k6.errors"));
    let wanted = "weakening k6.errors: none of 10,000 | 200 of 10,000";
    assert_eq!(line(&failing(0, 10_000), &failing(200, 10_000)).as_deref(), Some(wanted));
    // A point is no more than a point, and a large share that nobody told apart may hide another mix.
    assert_eq!(line(&failing(0, 10_000), &failing(100, 10_000)), None);
    let wanted = "weakening k6.errors: 200 of 10,000, not told apart | 200 of 10,000, not told apart";
    assert_eq!(line(&failing(200, 10_000), &failing(200, 10_000)), None, "the same run");
    assert_eq!(
        line(&failing(200, 10_000), &run(merged(failing(200, 10_000), json!({"schema": 1, "window": {"duration_s": 1.0}}))))
            .as_deref(),
        Some(wanted)
    );
    let told = |statuses: &[(u16, u64)]| {
        let rows: Vec<Value> = statuses
            .iter()
            .map(|(status, requests)| json!({"status": status, "error_code": null, "error": null, "requests": requests}))
            .collect();
        run(json!({"errors": {"by_status": rows}}))
    };
    let wanted = "weakening k6.errors: 200 of 10,000: 200 status 500 | 200 of 10,000: 200 status 503";
    assert_eq!(line(&told(&[(200, 9800), (500, 200)]), &told(&[(200, 9800), (503, 200)])).as_deref(), Some(wanted));
    assert_eq!(line(&told(&[(200, 9800), (500, 200)]), &told(&[(201, 9700), (500, 210), (503, 90)])), None);
}

fn merged(record: Record, parts: Value) -> Value {
    let mut whole = serde_json::to_value(record).unwrap_or_else(|bad| unreachable!("{bad}"));
    merge(&mut whole, parts);
    whole
}

#[test]
fn failures_of_samples_are_told_apart_by_status_and_message() {
    let of = |populations: Value, failed: u64| {
        run(json!({"failures": {"schema": 1, "requests": 1000, "failed": failed, "checks": [], "populations": populations}}))
    };
    let population = |status: Option<u16>, message: Option<&str>, count: u64| {
        json!({"status": status, "error_code": 1050, "message": message, "origin": "client", "reason": null, "phase": "test",
            "count": count, "first": "2026-03-01T10:00:00Z", "last": "2026-03-01T10:00:00Z", "peak_per_minute": count, "shape": "burst"})
    };
    let a = of(json!([population(Some(503), None, 15), population(Some(503), None, 15)]), 30);
    let b = of(json!([population(None, Some("request timeout"), 30)]), 30);
    let found: Vec<String> = lines(&held(&a, &b)).into_iter().filter(|line| line.contains("k6.errors")).collect();
    assert_eq!(found, ["weakening k6.errors: 30 of 1,000: 30 status 503 | 30 of 1,000: 30 request timeout"]);
}

#[test]
fn another_target_blocks() {
    let contract = held(&run_of("a", json!({})), &run_of("b", json!({})));
    assert_eq!(lines(&contract), ["blocking target: a | b"]);
    assert_eq!(contract.verdict, Comparability::NotComparable);
}

#[test]
fn the_load_is_read_from_its_scenarios() {
    let of = |scenarios: &[(u64, u64)]| {
        let scenarios: Vec<Value> = scenarios
            .iter()
            .map(|(vus, seconds)| json!({"name": "s", "state": "interrupted", "vus": vus, "duration_s": seconds}))
            .collect();
        run(summary(json!({"scenarios": scenarios})))
    };
    let two = of(&[(10, 60), (20, 1800)]);
    assert_eq!(
        lines(&held(&of(&[(30, 1800)]), &two)),
        ["blocking k6.executor: one scenario for a time | 2 scenarios for a time", "blocking k6.duration: 30m | 60 s, 30m"]
    );
    let stated = run(
        json!({"window": {"duration_s": 1800.0}, "stated": {"k6.vus": {"state": "measured", "value": 30.0, "unit": "count"}}}),
    );
    assert!(held(&of(&[(30, 1800)]), &stated).alike.starts_with(&[
        "target".to_owned(),
        "k6.vus".to_owned(),
        "k6.duration".to_owned()
    ]));
}

fn accept(key: &str) -> AcceptedKey {
    AcceptedKey { key: key.to_owned(), reason: format!("{key} is known") }
}

#[test]
fn an_accepted_difference_does_not_count() {
    let (a, b) = (run(flags(&[("x", "on", &[]), ("y", "on", &[])])), run(flags(&[("y", "on", &[])])));
    for (key, verdict) in [
        ("service.flags", Comparability::Comparable),
        ("service.flags.x", Comparability::Comparable),
        ("service", Comparability::Comparable),
        ("service.flags.y", Comparability::NotComparable),
        ("service.fl", Comparability::NotComparable),
        ("", Comparability::NotComparable),
    ] {
        let accepted = accept(key);
        let contract = compare(&[&a], &[&b], std::slice::from_ref(&accepted));
        assert_eq!(contract.verdict, verdict, "{key}");
        let is_used = verdict == Comparability::Comparable;
        assert_eq!(used(&contract, &accepted), is_used, "{key}");
        assert_eq!(contract.differences[0].accepted.is_some(), is_used, "{key}");
    }
}

#[test]
fn the_worst_difference_that_nobody_accepted_decides() {
    let a = run(json!({"environment": {"client": {"location": "US1"}, "database": {"version": "v15"}}}));
    let b = run(json!({"environment": {"client": {"location": "EU1"}, "database": {"version": "v17"}}}));
    assert_eq!(held(&a, &b).verdict, Comparability::NotComparable);
    assert_eq!(compare(&[&a], &[&b], &[accept("client.location")]).verdict, Comparability::Weakened);
    let both = [accept("client.location"), accept("database.version")];
    assert_eq!(compare(&[&a], &[&b], &both).verdict, Comparability::Comparable);
}

#[test]
fn a_key_can_be_told_from_a_slip() {
    for key in ["service.flags", "service.flags.tokenExchange", "service", "database.settings.fsync", "k6.vus"] {
        assert!(is_key(key), "{key}");
    }
    for slip in ["service.flag", "k6.vuss", "k6.vus.most", ""] {
        assert!(!is_key(slip), "{slip}");
    }
    let names: std::collections::BTreeSet<&str> = keys().collect();
    assert_eq!(names.len(), keys().count(), "a key has one row");
}

#[test]
fn a_repeat_is_alike_in_what_both_declare() {
    let told = |of: &Value, run_parts: &Value| is_repeat(&run(run_parts.clone()), &run(of.clone()));
    let base = summary(json!({"vus_max": 600, "source": {"k6_version": "v2.1.0"}}));
    assert_eq!(told(&base, &base), Ok(()));
    assert_eq!(told(&base, &summary(json!({"vus_max": 200}))), Err("VUs 200, not 600".to_owned()));
    let other_k6 = summary(json!({"vus_max": 600, "source": {"k6_version": "v2.2.0"}}));
    assert_eq!(told(&base, &other_k6), Err("k6 v2.2.0, not v2.1.0".to_owned()));
    // What one of them does not know is no difference, and neither is what the runs did.
    assert_eq!(told(&base, &json!({})), Ok(()));
    assert_eq!(is_repeat(&counted(1e6, 0.0, 10.0, 10.0), &counted(9e6, 0.0, 10.0, 10.0)), Ok(()));
    assert_eq!(told(&database(json!({"version": "v17.4"})), &database(json!({"version": "17"}))), Ok(()));
    let on = flags(&[("tokenExchange", "on", &[]), ("b", "on", &[])]);
    assert_eq!(told(&on, &flags(&[("b", "on", &[])])), Err("tokenExchange off, not on".to_owned()));
}

#[test]
fn a_run_of_another_build_or_with_another_setting_is_no_repeat() {
    let build = |version: &str| run(service(json!({"version": version})));
    assert_eq!(is_repeat(&build("4.17.1"), &build("v4.17.1")), Ok(()));
    assert_eq!(is_repeat(&build("v4.19.2"), &build("v4.17.1")), Err("build v4.19.2, not v4.17.1".to_owned()));
    let hash = |rounds: &str| run(service(settings("", &[("secretHasher.iterations", rounds), ("log.level", "info")])));
    assert_eq!(is_repeat(&hash("32000"), &hash("32000")), Ok(()));
    assert_eq!(is_repeat(&hash("16000"), &hash("32000")), Err("secretHasher.iterations 16000, not 32000".to_owned()));
}
