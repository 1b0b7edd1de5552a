//! Entries added to navigation files and taken out of them, and everything else as it was.

use proptest::prelude::*;

use super::*;

/// A release with its own page, runs and a comparison.
fn release(name: &str, pages: &[&str]) -> (Release, Vec<String>) {
    let release = Release::new(name).unwrap_or_else(|error| unreachable!("{error}"));
    (release, pages.iter().map(|page| format!("{name}/{page}")).collect())
}

fn adding(releases: &[(Release, Vec<String>)]) -> Entries {
    Entries { releases: releases.to_vec(), ..Entries::default() }
}

fn made(text: &str, entries: &Entries) -> String {
    with_pages(&Source::new("_meta.json", text), "benchmarks", entries).unwrap_or_else(|faults| unreachable!("{faults}"))
}

fn added(text: &str, releases: &[(Release, Vec<String>)]) -> String {
    made(text, &adding(releases))
}

/// Everything that was added is taken out again.
fn removed(text: &str, entries: &Entries) -> String {
    let pages = entries.releases.iter().flat_map(|(_, pages)| pages).chain(&entries.shared);
    made(text, &Entries { removed: pages.cloned().collect(), ..Entries::default() })
}

const NAVIGATION: &str = "{\n  \"pages\": [\n    \"intro\",\n    {\n      \"title\": \"Benchmarks\",\n      \"pages\": [\n        {\n          \"title\": \"v2.66.0\",\n          \"pages\": [\n            \"benchmarks/v2.66.0/b/index\"\n          ]\n        },\n        {\n          \"title\": \"v4\",\n          \"pages\": [ \"benchmarks/v4/a/index\" ]\n        }\n      ]\n    }\n  ]\n}\n";

#[test]
fn what_is_missing_is_added_in_the_order_of_releases() {
    let releases = [
        release("v4.17.1", &["otp/index", "diff/index", "add/index", "index"]),
        release("v2.66.0", &["c/index", "a/index", "b/index", "index"]),
        release("v4", &["b/index", "index", "diff/index"]),
        release("v3", &["x~2/index"]),
    ];
    let text = added(NAVIGATION, &releases);
    insta::assert_snapshot!(text);
    assert_eq!(added(&text, &releases), text, "twice changes nothing");
}

#[test]
fn an_empty_group_is_filled_and_line_ends_stay() {
    let text = "{\r\n\t\"title\": \"benchmarks\",\r\n\t\"pages\": []\r\n}";
    let filled = added(text, &[release("v1", &["a/index"])]);
    assert!(filled.contains("\"benchmarks/v1/a/index\"") && !filled.replace("\r\n", "").contains('\n'));
    assert_eq!(added(&filled, &[release("v1", &["a/index"])]), filled);
    assert_eq!(added(text, &[]), text);
}

#[test]
fn the_newest_first_stays_first() {
    let text = "{\"title\": \"Benchmarks\", \"pages\": [{\"title\": \"v4\", \"pages\": []}, {\"title\": \"v2\", \"pages\": []}]}";
    let text = added(text, &[release("v3", &["a/index"]), release("v5", &["a/index"]), release("v1", &["a/index"])]);
    let at = |name: &str| text.find(&format!("\"title\": \"{name}\"")).unwrap_or(0);
    assert!(at("v5") < at("v4") && at("v4") < at("v3") && at("v3") < at("v2") && at("v2") < at("v1"), "{text}");
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
}

#[test]
fn what_can_not_hold_entries_is_a_fault() {
    for (text, code) in [
        ("{\"pages\": [", "bad-json"),
        ("{\"pages\": []}", "no-navigation-group"),
        ("{\"title\": \"Benchmarks\"}", "no-page-list"),
    ] {
        let faults = with_pages(&Source::new("_meta.json", text), "benchmarks", &Entries::default())
            .err()
            .unwrap_or_else(|| unreachable!());
        assert_eq!(faults.list().first().map(|fault| fault.code), Some(code));
    }
}

#[test]
fn pages_of_no_release_come_first_in_the_group() {
    let entries = Entries { shared: vec!["results".to_owned()], ..adding(&[release("v1", &["index"])]) };
    let text = made(NAVIGATION, &entries);
    assert!(text.contains("\"pages\": [\n        \"benchmarks/results\",\n        {\n          \"title\": \"v1\""), "{text}");
    assert_eq!(made(&text, &entries), text);
    assert_eq!(removed(&text, &entries), NAVIGATION);
}

#[test]
fn a_docs_folder_with_the_navigation_in_it_needs_no_folder_before_a_page() {
    let text = "{\"title\": \"Benchmarks\", \"pages\": []}";
    let entries = adding(&[release("v1", &["a/index"])]);
    let text = with_pages(&Source::new("meta.json", text), "", &entries).unwrap_or_else(|faults| unreachable!("{faults}"));
    assert!(text.contains("\"v1/a/index\""), "{text}");
}

#[test]
fn what_is_gone_loses_its_entry_and_an_emptied_release_its_group() {
    let gone = |pages: &[&str]| Entries { removed: pages.iter().map(|page| (*page).to_owned()).collect(), ..Entries::default() };
    let text = made(NAVIGATION, &gone(&["v4/a/index", "v9/a/index"]));
    assert!(text.ends_with("          ]\n        }\n      ]\n    }\n  ]\n}\n") && !text.contains("v4"), "{text}");
    let text = made(NAVIGATION, &gone(&["v4/a", "v2.66.0/b/index"]));
    assert_eq!(text, NAVIGATION[..NAVIGATION.find("[\n        {").unwrap_or(0)].to_owned() + "[]\n    }\n  ]\n}\n");
    let kept = Entries { removed: vec!["v4/a/index".to_owned()], ..adding(&[release("v4", &["a/index"])]) };
    assert_eq!(made(NAVIGATION, &kept), NAVIGATION, "a page that is published stays");
}

#[test]
fn a_group_with_more_than_a_title_stays_where_it_is_emptied() {
    let text =
        "{\"title\":\"Benchmarks\",\"pages\":[{\"title\":\"v1\",\"icon\":\"Gauge\",\"pages\":[\"benchmarks/v1/a/index\"]}]}";
    let gone = Entries { removed: vec!["v1/a/index".to_owned()], ..Entries::default() };
    assert_eq!(made(text, &gone), text.replace("\"benchmarks/v1/a/index\"", ""));
}

#[test]
fn what_stands_elsewhere_by_hand_gets_no_second_entry_and_stays() {
    let text = "{\"pages\":[\"benchmarks/v1/a\",\"!benchmarks/results\",\"...\",{\"title\":\"Benchmarks\",\"pages\":[]}]}";
    let entries = Entries { shared: vec!["results".to_owned()], ..adding(&[release("v1", &["a/index"])]) };
    assert_eq!(made(text, &entries), text);
    assert_eq!(removed(text, &entries), text);
}

#[test]
fn separators_and_rests_and_groups_of_releases_stay_where_they_are() {
    let text = "{ \"title\": \"Benchmarks\", \"pages\": [\n\t\"---Releases---\",\n\t{ \"title\": \"v4.x\", \"pages\": [\n\t\t{ \"title\": \"v4.1\", \"pages\": [\"---Runs---\",\"benchmarks/v4.1/b/index\",\"...\"] }\n\t] },\n\t\"[More](https://example.org)\",\n\t\"z...a\"\n] }";
    let entries = Entries {
        shared: vec!["results".to_owned()],
        ..adding(&[release("v4.1", &["index", "a/index", "c/index", "diff/index"])])
    };
    let text_with = made(text, &entries);
    insta::assert_snapshot!(text_with);
    assert_eq!(removed(&text_with, &entries), text);
}

#[test]
fn a_comment_is_no_json() {
    let faults = with_pages(&Source::new("_meta.json", "{ // pages\n}"), "benchmarks", &Entries::default());
    assert_eq!(faults.err().and_then(|faults| faults.list().first().map(|fault| fault.code)), Some("bad-json"));
}

/// Blank space as people and tools write it.
fn blank() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec!["", " ", "\n", "\r\n", "\n\t", "\r\n    ", "  ", "\t"])
}

/// A page or something else that a list may hold.
fn item() -> impl Strategy<Value = String> {
    let words = [
        "\"...\"",
        "\"---Title---\"",
        "\"benchmarks/v2/m/index\"",
        "\"!draft\"",
        "\"intro\"",
        "{\"title\":\"Codes\",\"url\":\"x\"}",
        "\"\\u00e9 \\\"q\\\"\"",
        "3",
    ];
    let group = move |title: &'static str| {
        proptest::collection::vec(proptest::sample::select(words.to_vec()), 1..3)
            .prop_flat_map(move |pages| list(pages.into_iter().map(str::to_owned).collect()))
            .prop_map(move |pages| format!("{{\"title\" : \"{title}\",\t\"pages\":{pages}}}"))
    };
    let groups = proptest::sample::select(vec!["v1", "v2", "v4.17.1", "Notes"]).prop_flat_map(group);
    prop_oneof![2 => proptest::sample::select(words.to_vec()).prop_map(str::to_owned), 1 => groups]
}

/// A list with any blank between its parts.
fn list(items: Vec<String>) -> impl Strategy<Value = String> {
    proptest::collection::vec((blank(), blank()), items.len() + 1).prop_map(move |blanks| {
        let mut text = "[".to_owned();
        for (at, (item, (before, behind))) in items.iter().zip(&blanks).enumerate() {
            text.extend([if at > 0 { "," } else { "" }, before, item, behind]);
        }
        text + blanks.last().map_or("", |(before, _)| before) + "]"
    })
}

/// A navigation with the group somewhere in it.
fn navigation() -> impl Strategy<Value = String> {
    let items = || proptest::collection::vec(item(), 0..5).prop_flat_map(list);
    (items(), items(), blank(), any::<bool>()).prop_map(|(inside, outside, blank, nested)| {
        let group = format!("{{{blank}\"title\":{blank}\"Benchmarks\",\"pages\":{blank}{inside}}}");
        let group = if nested { format!("{{\"title\":\"More\",{blank}\"pages\":[{group}]}}") } else { group };
        format!("{{\"root\":true,\"pages\":[{group},{blank}{{\"title\":\"Old\",\"pages\":{outside}}}{blank}]}}{blank}")
    })
}

/// Pages that no navigation has yet.
fn new_pages() -> impl Strategy<Value = Entries> {
    let name = proptest::sample::select(vec!["v1", "v2", "v3", "v4.17.1", "v10", "main"]);
    let pages = || {
        proptest::collection::vec(proptest::sample::select(vec!["index", "a/index", "z~2/index", "q/index", "diff/index"]), 1..5)
    };
    let releases = proptest::collection::vec((name, pages()), 0..4);
    (releases, any::<bool>()).prop_map(|(releases, shared)| Entries {
        shared: shared.then(|| "results".to_owned()).into_iter().collect(),
        ..adding(&releases.iter().map(|(name, pages)| release(name, pages)).collect::<Vec<_>>())
    })
}

/// All texts of a value, in their order.
fn texts(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::String(text) => vec![text.clone()],
        serde_json::Value::Array(items) => items.iter().flat_map(texts).collect(),
        serde_json::Value::Object(members) => members.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn added_and_taken_out_again_is_as_before(text in navigation(), entries in new_pages()) {
        let with = made(&text, &entries);
        prop_assert_eq!(made(&with, &entries), with.clone(), "twice is once");
        let value: serde_json::Value = serde_json::from_str(&with).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let all = texts(&value);
        for page in entries.releases.iter().flat_map(|(_, pages)| pages).chain(&entries.shared) {
            let name = format!("benchmarks/{page}");
            prop_assert_eq!(all.iter().filter(|text| **text == name).count(), 1, "{} in {}", page, with);
        }
        prop_assert_eq!(removed(&with, &entries), text);
    }

    #[test]
    fn what_was_there_stays_in_its_order_with_its_bytes(text in navigation(), entries in new_pages()) {
        let with = made(&text, &entries);
        // Every byte of the old text comes again, in order.
        let mut rest = with.chars();
        prop_assert!(text.chars().all(|c| rest.any(|other| other == c)), "{} in {}", text, with);
        let known = |text: &str| texts(&serde_json::from_str(text).unwrap_or_default());
        let old = known(&text);
        let mut new = known(&with).into_iter();
        prop_assert!(old.iter().all(|text| new.any(|other| other == *text)), "{}", with);
    }
}
