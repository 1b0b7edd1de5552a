//! The published releases compared, ingested from their pages and as they ship in `data/`: what made a whole sweep incomparable is
//! found, and so is the answer that grew.

use std::collections::BTreeSet;
use std::path::Path;

use plimsoll::model::comparison::{Basis, Comparability, Comparison, Decision, Kind, Level, Presence};

use super::command::Folder;
use super::diff_support::{FORMATS, change, diff, found, read, target, told};
use super::material::shared;

/// The published pages, ingested.
fn ingested() -> Option<Folder> {
    let published = shared("data/published")?;
    let folder = Folder::new();
    folder.plimsoll(&["-q", "ingest", published.to_str().unwrap()]).exits(0);
    Some(folder)
}

/// The archive that ships, copied.
fn shipped() -> Folder {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let files = plimsoll::fs::find(&data).unwrap();
    let folder = Folder::new().file("plimsoll.toml", include_bytes!("../../plimsoll.toml"));
    files.into_iter().fold(folder, |folder, file| {
        let bytes = std::fs::read(&file.path).unwrap();
        folder.file(&format!("data/{}", file.relative), bytes)
    })
}

/// The sides of a difference of the contract.
fn sides<'a>(comparison: &'a Comparison, name: &str, key: &str) -> (Level, Option<&'a str>, Option<&'a str>) {
    let differences = &target(comparison, name).contract.differences;
    let found = differences.iter().find(|difference| difference.key == key);
    let found = found.unwrap_or_else(|| {
        let known: Vec<&str> = differences.iter().map(|difference| &*difference.key).collect();
        panic!("{name}: no difference of {key}: {known:?}")
    });
    (found.level, found.a.as_deref(), found.b.as_deref())
}

/// A key whose name ends so: rooms of the contract spell their keys as the record does.
fn key_like<'a>(comparison: &'a Comparison, name: &str, part: &str) -> &'a plimsoll::model::comparison::KeyDifference {
    let differences = &target(comparison, name).contract.differences;
    let squashed = |text: &str| text.to_lowercase().replace(['_', '-', '.', ' '], "");
    let found = differences.iter().find(|difference| squashed(&difference.key).contains(&squashed(part)));
    found.unwrap_or_else(|| {
        let known: Vec<&str> = differences.iter().map(|difference| &*difference.key).collect();
        panic!("{name}: no difference of {part}: {known:?}")
    })
}

fn holds(text: Option<&str>, part: &str) -> bool {
    text.is_some_and(|text| text.contains(part))
}

/// What must be found between v4.17.1 and v4.19.2.
fn the_sweep_is_not_comparable(folder: &Folder) {
    let comparison = read(&folder.plimsoll(&["diff", "v4.17.1", "v4.19.2", "--format", "json"]).exits(2));
    let both: Vec<_> = comparison.targets.iter().filter(|target| target.presence == Presence::Both).collect();
    assert_eq!(both.len(), 6, "targets of both releases");
    for target in &both {
        assert_eq!(target.contract.verdict, Comparability::NotComparable, "{}", target.target);
        let name = &*target.target;
        for place in ["client.location", "service.location", "database.location"] {
            assert_eq!(sides(&comparison, name, place), (Level::Blocking, Some("US1"), Some("EU1")), "{name} {place}");
        }
        let memory = key_like(&comparison, name, "database.memory");
        assert_eq!(memory.level, Level::Blocking);
        assert!(holds(memory.a.as_deref(), "32") && holds(memory.b.as_deref(), "64"), "{memory:?}");
        let scale = key_like(&comparison, name, "min_scale");
        assert_eq!((scale.level, scale.a.as_deref(), scale.b.as_deref()), (Level::Blocking, Some("7"), Some("2")));
        for part in ["tier", "auto_explain", "data_cache", "concurrency", "pool"] {
            let unknown = key_like(&comparison, name, part);
            assert_eq!(unknown.a, None, "{name} {part}");
            assert!(unknown.b.is_some(), "{name} {part}");
            assert_eq!(unknown.level, Level::Weakening, "{name} {part}");
        }
        assert_eq!(found(target), Vec::<String>::new(), "{name}");
        let numbers = target.changes.iter().filter(|change| change.a.is_some() && change.b.is_some()).count();
        assert!(numbers >= 4, "the numbers are still there: {}", told(target));
        assert!(change(target, "throughput").ratio.is_some(), "{}", told(target));
    }
    let users: Vec<&str> = both
        .iter()
        .filter(|target| target.contract.differences.iter().any(|difference| difference.key.ends_with("vus")))
        .map(|target| &*target.target)
        .collect();
    assert_eq!(users, ["manipulate_user"], "targets with another number of virtual users");
    let users = key_like(&comparison, "manipulate_user", "vus");
    assert_eq!((users.level, users.a.as_deref(), users.b.as_deref()), (Level::Blocking, Some("200"), Some("600")));
    assert_eq!((comparison.headline.targets, comparison.headline.comparable, comparison.headline.comparisons), (6, 0, 0));
    assert_eq!(comparison.headline.found, []);
    let gone = comparison.targets.iter().filter(|target| target.presence == Presence::Gone).count();
    assert_eq!(gone, 5, "targets that v4.19.2 lacks");
}

#[test]
fn the_last_two_releases_are_not_comparable() {
    let Some(folder) = ingested() else { return };
    the_sweep_is_not_comparable(&folder);
}

#[test]
fn the_last_two_releases_are_not_comparable_as_they_ship() {
    the_sweep_is_not_comparable(&shipped());
}

#[test]
fn what_blocks_is_told_in_every_form() {
    let folder = shipped();
    for format in FORMATS {
        let answer = folder.plimsoll(&["diff", "v4.17.1", "v4.19.2", "--format", format]).exits(2);
        let told = answer.out.to_lowercase().replace('-', " ");
        assert!(told.contains("not comparable"), "{format}:\n{}", answer.out);
        assert!(told.contains("location") && told.contains("us1") && told.contains("eu1"), "{format}:\n{}", answer.out);
    }
    let answer = folder.plimsoll(&["diff", "v4.17.1", "v4.19.2", "--fail-on", "none"]);
    assert_eq!(answer.status, 2, "nothing to compare is never a success: {}", answer.talk);
}

#[test]
fn numbers_of_runs_that_are_unlike_come_without_arrows_and_verdicts() {
    let folder = shipped();
    for format in ["text", "markdown"] {
        let told = folder.plimsoll(&["diff", "v4.17.1", "v4.19.2", "--format", format]).exits(2).out;
        for arrow in ['▲', '▼', '↑', '↓', '🔴', '🟢'] {
            assert!(!told.contains(arrow), "{format} points with {arrow}:\n{told}");
        }
        for word in ["faster", "slower", "improved", "regressed"] {
            assert!(!told.to_lowercase().contains(word), "{format} says {word}:\n{told}");
        }
    }
}

#[test]
fn introspects_answer_grew_from_691_bytes_to_46_900() {
    let folder = shipped();
    let comparison = diff(&folder, "v4", "v4.17.1");
    let grown = target(&comparison, "introspect");
    let bytes = change(grown, "bytes");
    assert_eq!(bytes.kind, Kind::Bytes);
    // 25 MB of 36,204 requests, and 195 GB of 4,159,863: both totals as k6 prints them.
    let (a, b) = (bytes.a.unwrap(), bytes.b.unwrap());
    assert!((690.0..692.0).contains(&a) && (46_800.0..47_000.0).contains(&b), "{bytes:?}");
    let (low, high) = (bytes.bounds_a.unwrap(), bytes.bounds_b.unwrap());
    assert!(low.lo() < low.hi() && low.contains(25e6 / 36_204.0), "rounded is not exact: {low:?}");
    assert!(high.lo() < high.hi() && high.contains(195e9 / 4_159_863.0), "rounded is not exact: {high:?}");
    let key = key_like(&comparison, "introspect", "bytes_per_request");
    assert_eq!((key.level, key.behavioural), (Level::Blocking, true));
    assert!(holds(key.a.as_deref(), "691") && holds(key.b.as_deref(), "46.9"), "{key:?}");
    assert_eq!(grown.contract.verdict, Comparability::NotComparable);
    for format in ["text", "markdown", "html"] {
        let told = folder.plimsoll(&["diff", "v4", "v4.17.1", "--target", "introspect", "--format", format]).exits(2).out;
        let told = told.replace(['\u{a0}', '\u{202f}'], " ");
        assert!(told.contains("691 B") && told.contains("46.9 kB"), "{format}:\n{told}");
    }
}

#[test]
fn a_release_against_itself_has_no_change_anywhere() {
    let folder = shipped();
    for release in ["v4", "v4.17.1", "v4.19.2", "v2.70.0"] {
        let comparison = read(&folder.plimsoll(&["diff", release, release, "--format", "json"]).exits(0));
        assert!(!comparison.targets.is_empty());
        for target in &comparison.targets {
            assert!(target.same_runs, "{release}/{}", target.target);
            assert_eq!(target.contract.differences, [], "{release}/{}", target.target);
            let unlike: Vec<_> = target.changes.iter().filter(|change| change.decision != Decision::NoChange).collect();
            assert!(unlike.is_empty() && !target.changes.is_empty(), "{release}/{}", told(target));
            let ratios = target.changes.iter().filter_map(|change| change.ratio);
            assert!(ratios.into_iter().all(|ratio| (ratio - 1.0).abs() < 1e-12), "{release}/{}", told(target));
            assert!(target.queries.iter().all(|query| query.presence == Presence::Both && query.share_a == query.share_b));
            assert_eq!(target.settings, []);
            assert_eq!(target.outcome.a, target.outcome.b);
        }
        assert_eq!(comparison.headline.found, []);
    }
    let markdown = folder.plimsoll(&["diff", "v4.17.1", "v4.17.1", "--format", "markdown"]).exits(0).out;
    let lines = markdown.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("<!--")).count();
    assert_eq!(lines, 1, "one line where there is nothing to say:\n{markdown}");
}

#[test]
fn a_run_against_itself_is_no_change() {
    let folder = shipped();
    let run = "v4.17.1/introspect";
    let comparison = read(&folder.plimsoll(&["diff", run, run, "--format", "json"]).exits(0));
    assert_eq!(comparison.targets.len(), 1);
    assert!(comparison.targets[0].changes.iter().all(|change| change.decision == Decision::NoChange));
}

/// v2.65.0, v2.66.0 and v2.70.0 tested one target with series on each of them.
#[test]
fn releases_with_series_are_compared_by_their_series() {
    let folder = shipped();
    let mut decided = BTreeSet::new();
    for (a, b) in [("v2.65.0", "v2.66.0"), ("v2.66.0", "v2.70.0"), ("v2.65.0", "v2.70.0")] {
        let answer = folder.plimsoll(&["diff", a, b, "--format", "json"]);
        assert!((0..=2).contains(&answer.status), "{}", answer.talk);
        let comparison = read(&answer);
        let compared = target(&comparison, "machine_jwt_profile_grant");
        assert_eq!(compared.presence, Presence::Both);
        assert_eq!(answer.status == 2, comparison.headline.comparable == 0, "{a} {b}");
        let from_series: Vec<_> =
            compared.changes.iter().filter(|change| change.kind.is_latency() && change.basis == Some(Basis::Series)).collect();
        assert!(!from_series.is_empty(), "{a} {b}: {}", told(compared));
        for change in from_series.iter().filter(|change| change.decision.is_compared()) {
            assert!(change.noise.as_ref().is_some_and(|noise| noise.within.is_some()), "{a} {b}: {change:?}");
        }
        decided.extend(compared.changes.iter().map(|change| change.decision));
    }
    assert!(!decided.is_empty());
}

#[test]
fn sides_in_the_wrong_order_are_compared_as_they_were_typed() {
    let folder = shipped();
    let forth = diff(&folder, "v2.65.0", "v2.66.0");
    let back = diff(&folder, "v2.66.0", "v2.65.0");
    for one in &target(&forth, "machine_jwt_profile_grant").changes {
        let other = change(target(&back, "machine_jwt_profile_grant"), &one.metric);
        assert_eq!((one.a, one.b), (other.b, other.a), "{}", one.metric);
        if let (Some(ratio), Some(back)) = (one.ratio, other.ratio) {
            assert!((ratio * back - 1.0).abs() < 1e-9, "{}: {ratio} and {back}", one.metric);
        }
        let turned = match one.decision {
            Decision::Regression => Decision::Improvement,
            Decision::Improvement => Decision::Regression,
            Decision::New => Decision::Gone,
            Decision::Gone => Decision::New,
            same => same,
        };
        assert_eq!(other.decision, turned, "{}", one.metric);
    }
}

#[test]
fn the_same_bytes_in_every_form() {
    let folder = shipped();
    for (a, b) in [("v4.17.1", "v4.19.2"), ("v4", "v4.17.1"), ("v2.65.0", "v2.66.0")] {
        for format in FORMATS {
            let args = ["diff", a, b, "--format", format];
            let (one, other) = (folder.plimsoll(&args), folder.plimsoll_on_threads("1", &args));
            assert!(one.out == other.out && one.status == other.status, "{a} {b} {format}");
            assert!(!one.out.contains("NaN") && !one.out.contains("inf%"), "{a} {b} {format}:\n{}", one.out);
        }
    }
}

#[test]
fn text_fits_into_80_columns() {
    let folder = shipped();
    for (a, b) in [("v4.17.1", "v4.19.2"), ("v4", "v4.17.1"), ("v2.65.0", "v2.66.0")] {
        let text = folder.plimsoll(&["diff", a, b]).out;
        let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{a} {b}: {} lines are longer than 80 columns:\n{}", long.len(), long.join("\n"));
    }
}
