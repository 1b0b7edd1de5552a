//! Whole pages beside those of runs, in every profile, with names that try to leave their place; and links that lead somewhere.

use super::*;
use crate::model::comparison::Comparison;
use crate::model::profile::Profile;
use crate::model::record::{Override, Recorded};
use crate::model::summary::{Summary, SummaryKind};
use crate::model::verdict::{Class, Outcome};
use crate::render::comparison::made_up;
use crate::render::docs::{comparison, release, results};

const HOSTILE: &str = "<b>|`x`\n*y* _z_ {1} [l](javascript:a) export <!-- --> #\u{202e}\u{1f980}";

/// An archive of two releases, what is concluded of it, what changed.
struct Sample {
    archive: Archive,
    verdicts: BTreeMap<Address, Verdict>,
    comparisons: Vec<Compared>,
    templates: Templates,
}

fn address(text: &str) -> Address {
    text.parse().unwrap_or_else(|bad| unreachable!("{bad}"))
}

fn run(record: Record) -> Run {
    Run { record, differences: Vec::new(), notes: Vec::new(), k6_text: None, series: None }
}

/// A record of which the words are known, and not much more.
fn told(of: &str, words: &str) -> Record {
    let mut record = Record::new(address(of));
    record.recorded = Some(Recorded { label: words.to_owned(), message: String::new() });
    record.environment.client.location = Some(words.to_owned());
    record.environment.service.location = Some("EU1".to_owned());
    record.window.start = "2026-08-27T16:03:44Z".parse().ok();
    record
}

fn aborted(of: &str, words: &str) -> Record {
    let mut record = told(of, words);
    record.overridden = Some(Override { outcome: words.to_owned(), reason: "seen".to_owned(), author: None });
    record.environment.client.location = Some("US1".to_owned());
    let summary = Summary { aborted: true, aborted_by: Some(words.to_owned()), ..Summary::new(SummaryKind::Text, None) };
    record.k6 = Some(summary);
    record
}

fn verdict(of: &Address, label: &str) -> Verdict {
    Verdict {
        release: of.release.to_string(),
        target: of.target.to_string(),
        run: of.run(),
        flow: "practice".to_owned(),
        outcome: Outcome { name: "x".to_owned(), class: Class::Scale, label: label.to_owned(), action: String::new() },
        message: String::new(),
        path: Vec::new(),
        undetermined: Vec::new(),
        counterfactuals: Vec::new(),
        recorded: None,
        overridden: None,
    }
}

/// Three runs on the later release, one of them a repeat and one aborted; one on the earlier.
fn sample(words: &str, comparison: Comparison) -> Sample {
    let records = [
        told("v4.17.1/add_session", words),
        told("v4.19.2/add_session", words),
        Record::new(address("v4.19.2/add_session~2")),
        aborted("v4.19.2/introspect", words),
    ];
    let release = |name: &str| ReleaseRuns {
        name: Release::new(name).unwrap_or_else(|bad| unreachable!("{bad}")),
        order: None,
        notes: vec![words.to_owned()],
        runs: records.iter().filter(|r| r.identity.release.as_str() == name).map(|r| (r.address(), run(r.clone()))).collect(),
    };
    let (a, b) = (release("v4.17.1"), release("v4.19.2"));
    let (of, other) = (address("v4.19.2/add_session"), address("v4.19.2/add_session~2"));
    Sample {
        comparisons: vec![Compared { a: a.name.clone(), b: b.name.clone(), comparison }],
        verdicts: [(of.clone(), verdict(&of, "Scale (database)")), (other.clone(), verdict(&other, words))].into(),
        archive: Archive::new(vec![a, b]),
        templates: Templates::embedded().unwrap_or_else(|faults| unreachable!("{faults}")),
    }
}

fn input<'a>(sample: &'a Sample, profile: Profile, has_page: &'a dyn Fn(&str) -> bool) -> DocsInput<'a> {
    DocsInput {
        archive: &sample.archive,
        verdicts: &sample.verdicts,
        comparisons: &sample.comparisons,
        service_name: "Order Desk",
        layout: Layout { profile, url: "", chart: "" },
        templates: &sample.templates,
        has_page,
    }
}

/// The pages of all runs that came to their end.
fn made(sample: &Sample, profile: Profile) -> DocsPages {
    let chosen: Vec<_> = sample.archive.runs().filter(|(address, _)| address.target.as_str() != "introspect").collect();
    pages(&input(sample, profile, &|_| false), &chosen).unwrap_or_else(|error| unreachable!("{error}"))
}

/// All files but the pages of runs, each under its path.
fn beside_runs(pages: &DocsPages) -> String {
    let trees = pages.releases.values().chain([&pages.shared]);
    let files = trees.flat_map(Tree::iter).filter(|(path, _)| !path.as_str().contains("/add_session"));
    files.map(|(path, bytes)| format!("=== {path}\n{}\n", String::from_utf8_lossy(bytes))).collect::<Vec<_>>().concat()
}

#[test]
fn whole_pages_read_as_written() {
    for profile in Profile::ALL {
        let sample = sample("Scale", made_up::everything());
        insta::assert_snapshot!(format!("whole_{profile}"), beside_runs(&made(&sample, profile)));
    }
}

#[test]
fn names_that_try_to_leave_their_place_stay_in_it() {
    for profile in Profile::ALL {
        let sample = sample(HOSTILE, made_up::hostile());
        insta::assert_snapshot!(format!("hostile_{profile}"), beside_runs(&made(&sample, profile)));
    }
}

#[test]
fn where_nothing_could_be_compared_the_pages_say_so() {
    let sample = sample("Scale", made_up::nothing());
    insta::assert_snapshot!(beside_runs(&made(&sample, Profile::Markdown)));
}

/// Where the links of a page lead to, as paths from the docs folder.
fn links(path: &str, text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).filter(|href| href.starts_with('.'));
    let resolve = |href: &str| {
        let mut parts: Vec<&str> = path.split('/').collect();
        parts.pop();
        for part in href.split('/') {
            match part {
                "." => {}
                ".." => drop(parts.pop()),
                name => parts.push(name),
            }
        }
        parts.join("/")
    };
    targets.map(resolve).collect()
}

#[test]
fn a_link_leads_to_a_page_that_is_there() {
    let sample = sample("Scale", made_up::everything());
    for profile in Profile::ALL {
        for only in ["v4.17.1", "v4.19.2"] {
            let chosen: Vec<_> = sample.archive.runs().filter(|(address, _)| address.release.as_str() == only).collect();
            let made = pages(&input(&sample, profile, &|_| false), &chosen).unwrap_or_else(|error| unreachable!("{error}"));
            let mut all = made.shared.clone();
            made.releases.into_values().for_each(|tree| all.extend(tree));
            let mut count = 0;
            for (path, bytes) in all.iter() {
                for link in links(path.as_str(), &String::from_utf8_lossy(bytes)) {
                    assert!(all.get(&link).is_some(), "{path} leads to {link}");
                    count += 1;
                }
            }
            assert!(count > 3, "{count} links with {only} alone");
        }
    }
}

#[test]
fn a_page_that_lies_in_the_folder_is_linked() {
    let sample = sample("Scale", made_up::everything());
    let chosen: Vec<_> = sample.archive.runs().filter(|(address, _)| address.release.as_str() == "v4.19.2").collect();
    let lies_there = |path: &str| ["v4.17.1/index.mdx", "v4.17.1/diff/index.mdx"].contains(&path);
    let made = pages(&input(&sample, Profile::Fumadocs, &lies_there), &chosen).unwrap_or_else(|error| unreachable!("{error}"));
    let text = String::from_utf8_lossy(made.shared.get("results.mdx").unwrap_or_default()).into_owned();
    assert!(text.contains("[v4.17.1](./v4.17.1/index.mdx)") && !text.contains("v4.17.1/add_session/index.mdx"), "{text}");
}

#[test]
fn a_name_of_a_page_is_no_name_of_a_run_or_a_release() {
    for name in
        ["v1/diff", "v1/DIFF", "v1/index.mdx", "results/a", "Results/a", "results.mdx/a", "index.mdx/a", "v1/_category_.json"]
    {
        assert!(refused(Profile::Docusaurus, &[name]).contains("is the name of a page beside it"), "{name}");
    }
}

#[test]
fn a_text_of_k6_that_is_no_summary_makes_no_page() {
    let said = |length: usize| {
        let mut sample = sample("x", made_up::nothing());
        let name = address("v1/a");
        let long = Run { k6_text: Some("x".repeat(length)), ..run(Record::new(name.clone())) };
        let runs = [(name.clone(), long)].into();
        sample.archive = Archive::new(vec![ReleaseRuns { name: name.release, order: None, notes: Vec::new(), runs }]);
        let chosen: Vec<_> = sample.archive.runs().collect();
        pages(&input(&sample, Profile::Markdown, &|_| false), &chosen).err().map(|error| error.to_string())
    };
    assert_eq!(said(4 << 20), None);
    let words = said((4 << 20) + 1).unwrap_or_default();
    assert!(words.contains("k6.txt of v1/a has 4.19 MB, and a page holds at most 4 MiB of it"), "{words}");
}

/// What is said of runs that have names which the docs site can't have; nothing, if it can.
fn refused(profile: Profile, names: &[&str]) -> String {
    let mut sample = sample("x", made_up::nothing());
    let mut releases: BTreeMap<Release, BTreeMap<Address, Run>> = BTreeMap::new();
    for name in names {
        let name = address(name);
        releases.entry(name.release.clone()).or_default().insert(name.clone(), run(Record::new(name)));
    }
    let runs = |(name, runs)| ReleaseRuns { name, order: None, notes: Vec::new(), runs };
    sample.archive = Archive::new(releases.into_iter().map(runs).collect());
    let chosen: Vec<_> = sample.archive.runs().collect();
    match pages(&input(&sample, profile, &|_| false), &chosen) {
        Err(DocsError::Refused(faults)) => faults.to_string(),
        other => other.map_or_else(|error| unreachable!("{error}"), |_| String::new()),
    }
}

#[test]
fn names_that_docusaurus_leaves_out_or_takes_for_one_are_refused_all_at_once() {
    let names = ["_v7/a", "v5/_a", "v5/01-first", "v5/02-first", "v5/first", "v5/3_diff", "1-v6/a", "2.v6/a", "4-results/a"];
    insta::assert_snapshot!(refused(Profile::Docusaurus, &names));
    for profile in [Profile::Fumadocs, Profile::Markdown] {
        assert_eq!(refused(profile, &names), "");
    }
    let fine = ["2024-10-22/a", "2024-10-23/a", "4.1-a/b", "4.2-a/b", "v1/1.0-a", "v1/2.0-a", "v1/1-b", "v1/a_~1"];
    assert_eq!(refused(Profile::Docusaurus, &fine), "");
}

#[test]
fn the_templates_ask_for_what_the_views_have() {
    let sample = sample("Scale", made_up::everything());
    let input = input(&sample, Profile::Fumadocs, &|_| true);
    let writing = || crate::render::docs::writing::Writing::new(&input, "x/y.mdx".to_owned());
    let release = sample.archive.releases().first().unwrap_or_else(|| unreachable!());
    let views = [
        (release::TEMPLATE, serde_json::to_value(release::view(&input, release, &mut writing()))),
        (comparison::TEMPLATE, serde_json::to_value(comparison::view(&input, &sample.comparisons[0], &mut writing()))),
        (results::TEMPLATE, serde_json::to_value(results::view(&input, &mut writing()))),
    ];
    for (name, view) in views {
        let view = view.unwrap_or_default();
        let mut fields: Vec<String> = view.as_object().map(|view| view.keys().cloned().collect()).unwrap_or_default();
        fields.sort();
        assert_eq!(sample.templates.variables(name), fields, "{name}");
    }
}
