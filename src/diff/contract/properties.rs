//! What holds of any two records.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// A value that may be unknown.
fn maybe<T: std::fmt::Debug + Clone + 'static>(values: &'static [T]) -> impl Strategy<Value = Option<T>> {
    prop::option::weighted(0.7, prop::sample::select(values))
}

fn environment() -> impl Strategy<Value = Value> {
    let places = (maybe(&["US1", "eu1"]), maybe(&["v17.4", "17", "v15.8"]), maybe(&[8.0, 4.0]), maybe(&[true, false]));
    let container = (maybe(&[2_u64, 7]), maybe(&[7_u64]), maybe(&[7_u64, 2]));
    let flag = (prop::sample::select(&["x", "y", "z"][..]), prop::sample::select(&["on", "off", "explicitly-off"][..]));
    let flags = prop::option::of(prop::collection::btree_map(flag.0, flag.1, 0..3));
    let setting = prop::option::of(prop::sample::select(&["fsync", "auto_explain.log_analyze", "jit"][..]));
    (places, container, flags, setting).prop_map(|((place, version, vcpu, cache), (min, max, count), flags, setting)| {
        let listed = |flags: std::collections::BTreeMap<&str, &str>| {
            flags.into_iter().map(|(name, state)| json!({"name": name, "state": state})).collect::<Vec<_>>()
        };
        let flags = flags.map(|flags| json!({"flags": listed(flags)}));
        let entries: Vec<Value> = setting.into_iter().map(|key| json!({"key": key, "value": "on"})).collect();
        json!({
            "client": {"location": place},
            "service": {"container": {"min_scale": min, "max_scale": max, "count": count}, "flags": flags},
            "database": {"version": version, "vcpu": vcpu, "data_cache": cache,
                "settings": [{"name": "PostgreSQL", "layout": "list", "entries": entries}]},
        })
    })
}

fn summary() -> impl Strategy<Value = Value> {
    let counts = (1e3..1e9, 0.0..0.5, 1_u32..100_000, 1_u32..100_000, 0_u32..1000);
    let load = (maybe(&[200_u64, 600]), maybe(&[1800_u64, 120]), prop::bool::ANY);
    (counts, load).prop_map(
        |((bytes, rounding, requests, iterations, failed), (vus, seconds, has_check)): ((f64, f64, _, _, _), _)| {
            let bounds = json!({"count": [bytes * (1.0 - rounding), bytes * (1.0 + rounding)]});
            let check = has_check.then(|| json!({"name": "it holds", "group": "", "passes": 1, "fails": 0}));
            json!({
                "schema": 1, "source": {"kind": "text", "k6_version": null}, "thresholds": [], "duration_s": null, "vus_max": vus,
                "checks": check.into_iter().collect::<Vec<_>>(), "aborted": false, "notes": [],
                "iterations": {"complete": null, "interrupted": null},
                "scenarios": [{"name": "default", "state": "done", "vus": vus, "duration_s": seconds}],
                "metrics": {
                    "data_received": {"kind": "counter", "unit": "bytes", "values": {"count": bytes}, "bounds": bounds},
                    "http_reqs": {"kind": "counter", "unit": "count", "values": {"count": requests}},
                    "iterations": {"kind": "counter", "unit": "count", "values": {"count": iterations}},
                    "http_req_failed": {"kind": "rate", "unit": "ratio", "values": {"passes": failed, "fails": requests}},
                },
            })
        },
    )
}

fn record() -> impl Strategy<Value = Record> {
    (environment(), prop::option::weighted(0.8, summary())).prop_map(|(environment, summary)| {
        let address = "v1/a".parse().unwrap_or_else(|bad| unreachable!("{bad}"));
        let mut whole = serde_json::to_value(Record::new(address)).unwrap_or_else(|bad| unreachable!("{bad}"));
        whole["environment"] = environment;
        whole["k6"] = summary.unwrap_or(Value::Null);
        serde_json::from_value(whole).unwrap_or_else(|bad| unreachable!("{bad}"))
    })
}

fn mirrored(contract: Contract) -> Contract {
    let turned = |one: KeyDifference| KeyDifference { a: one.b, b: one.a, ..one };
    Contract { differences: contract.differences.into_iter().map(turned).collect(), ..contract }
}

proptest! {
    #[test]
    fn a_run_is_comparable_with_itself(one in record()) {
        let contract = compare(&[&one], &[&one], &[]);
        prop_assert_eq!(contract.verdict, Comparability::Comparable);
        prop_assert_eq!(contract.differences, Vec::new());
        prop_assert_eq!(is_repeat(&one, &one), Ok(()));
    }

    #[test]
    fn the_sides_may_be_turned(a in record(), b in record(), c in record()) {
        let (one, other) = (compare(&[&a, &c], &[&b], &[]), compare(&[&b], &[&a, &c], &[]));
        prop_assert_eq!(one, mirrored(other));
        prop_assert_eq!(is_repeat(&a, &b).is_ok(), is_repeat(&b, &a).is_ok());
    }

    #[test]
    fn every_key_is_in_one_place_and_known_by_name(a in record(), b in record()) {
        let contract = compare(&[&a], &[&b], &[]);
        let differences = contract.differences.iter().map(|one| &one.key);
        let mut names: Vec<&String> = differences.chain(&contract.alike).chain(&contract.unknown).collect();
        prop_assert!(names.iter().all(|name| is_key(name)), "{:?}", names);
        let all = names.len();
        names.sort();
        names.dedup();
        prop_assert_eq!(names.len(), all);
        prop_assert!(contract.differences.is_sorted_by_key(|one| std::cmp::Reverse(one.level)));
    }

    #[test]
    fn accepting_everything_leaves_nothing(a in record(), b in record()) {
        let all: Vec<AcceptedKey> = keys().map(|key| AcceptedKey { key: key.to_owned(), reason: "known".to_owned() }).collect();
        let contract = compare(&[&a], &[&b], &all);
        prop_assert_eq!(contract.verdict, Comparability::Comparable);
        prop_assert!(contract.differences.iter().all(|one| one.accepted.is_some()));
        prop_assert_eq!(compare(&[&a], &[&b], &[]).differences.len(), contract.differences.len());
    }
}
