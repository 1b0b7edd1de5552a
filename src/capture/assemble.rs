//! From the captures of a run to what its record keeps.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::findings::{Candidate, Findings, Standing};
use super::mapping::{Mapping, Meaning, Means, Unmapped};
use super::quantity::Quantity;
use super::queries::Names;
use super::track::Track;
use super::{Capture, File, Window, exposition, features, infra, logging, postgres, prometheus, queries, reduce};
use crate::diagnostic::Diagnostic;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Coverage, Figure};
use crate::model::units::Unit;

/// What a project says of captures: its own rules before the built-in ones.
#[derive(Clone, Debug)]
pub struct Rules {
    /// What series measure.
    pub mapping: Mapping,
    /// How statements are called.
    pub names: Names,
}

impl Rules {
    /// The built-in rules alone.
    #[must_use]
    pub fn built_in() -> Self {
        Self { mapping: Mapping::built_in(), names: Names::built_in() }
    }
}

/// What the files of one run tell of its window; of a figure that several sources give, the best one alone. Files come in any order.
#[must_use]
pub fn assemble(files: &[&File], target: &str, window: Option<Window>, rules: &Rules) -> Findings {
    let mut files: Vec<&File> = files.to_vec();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut found = Findings::default();
    let series = Mapped::of(&files, target, rules, &mut found);
    found.extend(reduce::findings(&series.tracks, window));
    found.extend(queries::insights(&series.tracks, window, &rules.names));
    found.extend(prometheus::remote_write::findings(&series.remote_write, window));
    found.extend(postgres::findings(&files, window, rules));
    found.extend(exposition::findings(&files, window, rules));
    found.extend(logging::findings(&files, window));
    found.extend(features::findings(&files, window));
    found.extend(infra::findings(&files));
    refused(&files, rules, &mut found);
    outside(&series.tracks, window, &mut found);
    refuse_impossible(&files, &mut found);
    choose(&mut found);
    found
}

/// The largest share that a utilisation can be: Cloud SQL's may exceed 1 for a moment, but nothing is used thrice.
const MOST: f64 = 2.0;

/// Values that can't be: a share of 37, a count below zero. Most often they are in another unit than their source says.
fn refuse_impossible(files: &[&File], found: &mut Findings) {
    for candidate in &mut found.figures {
        let Some(measurement) = candidate.figure.measurement() else { continue };
        let share = measurement.unit == Unit::Ratio && measurement.value > MOST;
        if !share && measurement.value >= 0.0 {
            continue;
        }
        let id = candidate.id;
        let why = format!("{} can't be a value of {id}, which is {}", measurement.value, id.unit().wanted());
        if let Some(file) = files.iter().find(|file| measurement.files.contains(&file.path)) {
            let help = "say its unit in a mapping rule: `unit = \"percent\"`, or a `scale`";
            found.told.push(file.complaint("impossible-value", format!("{}: {why}", file.path)).help(help));
        }
        candidate.figure = Figure::not_captured(why);
        candidate.standing = Standing::None;
    }
}

/// The series of the files, as far as a rule says what they measure.
#[derive(Default)]
struct Mapped<'a> {
    tracks: Vec<(&'a Track, Meaning, &'a File)>,
    /// k6's own metrics, which need no rule.
    remote_write: Vec<(&'a Track, &'a File)>,
}

impl<'a> Mapped<'a> {
    fn of(files: &[&'a File], target: &str, rules: &Rules, found: &mut Findings) -> Self {
        let mut mapped = Self::default();
        for file in files {
            let Capture::Tracks(tracks) = &file.capture else { continue };
            let is_own = |track: &&Track| track.target.as_ref().is_none_or(|own| own == target);
            let own: Vec<&Track> = tracks.tracks.iter().filter(is_own).collect();
            if own.is_empty() && !tracks.tracks.is_empty() {
                let why = format!("no series in it is of the target `{target}`");
                found.told.push(file.complaint("other-target", format!("{}: {why}", file.path)));
                found.pass_over(&file.path, why);
            }
            let mut unknown: BTreeMap<&str, Unmapped> = BTreeMap::new();
            let mut known = false;
            for track in own {
                if track.metric.starts_with("k6_") {
                    mapped.remote_write.push((track, file));
                    known = true;
                    continue;
                }
                match rules.mapping.meaning(track, file.stem()) {
                    Ok(meaning) => {
                        known = true;
                        mapped.tracks.push((track, meaning, file));
                    }
                    Err(why) => {
                        unknown.insert(&track.metric, why);
                    }
                }
            }
            unmapped(file, &unknown, known, found);
        }
        mapped
    }
}

/// Tells of series that no rule knows. A found file of which nothing is known is listed as such, like any file of no known kind; a
/// named one is a fault, and so that a percentile or unit can't be told is said anyway.
fn unmapped(file: &File, unknown: &BTreeMap<&str, Unmapped>, known: bool, found: &mut Findings) {
    let Some((first, why)) = unknown.iter().next() else { return };
    let shown = |name: &&str| if name.is_empty() { "a series without a name".to_owned() } else { format!("`{name}`") };
    let names: Vec<String> = unknown.keys().take(3).map(shown).collect();
    let more = if unknown.len() > names.len() { format!(" and {} more", unknown.len() - names.len()) } else { String::new() };
    let message = format!("{}: {}{more} not used: {why}", file.path, names.join(", "));
    let condition = if first.is_empty() { format!("file = \"{}\"", file.stem()) } else { format!("metric = \"{first}\"") };
    let help =
        format!("say it in the file of `[metrics] rules` of plimsoll.toml: a rule with {condition} and `measures` or `figure`");
    if known {
        found.told.push(Diagnostic::remark("unmapped", message).at(file.source.at(0..0)).help(help));
        return;
    }
    found.pass_over(&file.path, format!("{why}; a rule with {} would", condition_of(file, unknown)));
    if file.named || unknown.values().any(|why| *why != Unmapped::NoRule) {
        found.told.push(file.complaint("unmapped", message).help(help));
    }
}

/// What a rule would know the series of a file by, ready to be pasted: their names, or the file where they have none.
fn condition_of(file: &File, unknown: &BTreeMap<&str, Unmapped>) -> String {
    let names: Vec<String> = unknown.keys().filter(|name| !name.is_empty()).map(|name| format!("\"{name}\"")).collect();
    match names.as_slice() {
        [] => format!("file = \"{}\"", file.stem()),
        [one] => format!("metric = {one}"),
        [first, second, third, _, ..] => format!("metric = [{first}, {second}, {third}, ...] ({} names)", names.len()),
        all => format!("metric = [{}]", all.join(", ")),
    }
}

/// Documents without a measurement: told, and the reason of what they would have been.
fn refused(files: &[&File], rules: &Rules, found: &mut Findings) {
    for file in files {
        let Capture::Refused(fault) = &file.capture else { continue };
        found.pass_over(&file.path, fault.message.clone());
        let level = file.complaint(fault.code, "").level;
        found.told.push(Diagnostic { level, ..(**fault).clone() });
        let ids: &[FigureId] = match rules.mapping.about(file.stem()) {
            Some(Means::Quantity(quantity)) => reduce::figures(quantity),
            Some(Means::Figure(id)) => &[id],
            None => &[],
        };
        for id in ids {
            let reason = format!("{}: {}", file.path, fault.message);
            found.figures.push(Candidate { id: *id, figure: Figure::not_captured(reason), standing: Standing::None });
        }
    }
}

/// Points outside the window, counted file by file; a file of which no point lies in it gave nothing.
fn outside(tracks: &[(&Track, Meaning, &File)], window: Option<Window>, found: &mut Findings) {
    let Some(window) = window else { return };
    let mut by_file: BTreeMap<&str, (&File, u64, u64)> = BTreeMap::new();
    for (track, meaning, file) in tracks {
        if meaning.means != Means::Quantity(Quantity::Ignored) {
            let (_, inside, outside) = by_file.entry(&file.path).or_insert((file, 0, 0));
            let held = track.points.iter().filter(|point| window.holds(point.end)).count() as u64;
            (*inside, *outside) = (*inside + held, *outside + track.points.len() as u64 - held);
        }
    }
    for (path, (file, inside, outside)) in by_file {
        if outside == 0 {
            continue;
        }
        if inside == 0 && !found.used.contains_key(path) {
            let message = format!("{path}: all its points lie outside the window, {} to {}", window.start, window.end);
            found.pass_over(path, "all its points lie outside the window");
            let help = "capture the time of the run: its stamps, or its samples, tell it";
            found.told.push(file.complaint("no-overlap", message).help(help));
            continue;
        }
        found.outside.insert(path.to_owned(), outside);
    }
}

/// Of a figure that several sources give, the best one by [`rank`]. Two of one standing that differ by more than a hundredth are told.
fn choose(found: &mut Findings) {
    let mut by_id: BTreeMap<FigureId, Vec<Candidate>> = BTreeMap::new();
    for candidate in std::mem::take(&mut found.figures) {
        by_id.entry(candidate.id).or_default().push(candidate);
    }
    for (id, mut candidates) in by_id {
        candidates.sort_by_key(rank);
        if let [first, second, ..] = candidates.as_slice()
            && first.standing == second.standing
            && let (Some(a), Some(b)) = (first.figure.measurement(), second.figure.measurement())
            && (a.value - b.value).abs() > 0.01 * a.value.abs().max(b.value.abs())
        {
            let of = |files: &[String]| files.join(" and ");
            let message = format!("{id} is {} by {}, and {} by {}", a.text(), of(&a.files), b.text(), of(&b.files));
            found.told.push(Diagnostic::warning("sources-differ", message).note("the first of them is taken"));
        }
        found.figures.extend(candidates.into_iter().next());
    }
    release(found);
    let taken: BTreeSet<&String> = found.used.keys().collect();
    found.unused.retain(|path, _| !taken.contains(path));
}

/// Files whose figures were not taken are not used, unless something else of them is kept.
fn release(found: &mut Findings) {
    let mut files_of: BTreeMap<&str, &[String]> = BTreeMap::new();
    for candidate in &found.figures {
        let files = candidate.figure.measurement().map(|measurement| measurement.files.as_slice());
        files_of.insert(candidate.id.name(), files.unwrap_or_default());
    }
    let observed: BTreeSet<&String> = found.observed.iter().flat_map(|one| &one.measurement.files).collect();
    let mut unused = Vec::new();
    for (path, what) in &mut found.used {
        what.retain(|name| files_of.get(name.as_str()).is_none_or(|files| files.contains(path)));
        if what.is_empty() && observed.contains(path) {
            what.insert("numbers beside the figures".to_owned());
        } else if what.is_empty() {
            unused.push(path.clone());
        }
    }
    for path in unused {
        found.used.remove(&path);
        found.pass_over(&path, "what it tells was taken from a better source, or can't be");
    }
}

/// What is better comes first: a better source, a whole figure, more moments, more series (states that were not added by the source).
fn rank(candidate: &Candidate) -> (Standing, bool, Reverse<u64>, Reverse<u64>, Vec<String>) {
    let measurement = candidate.figure.measurement();
    let seen = measurement.and_then(|m| m.coverage).map_or(0, |Coverage { seen, .. }| seen);
    let series = measurement.and_then(|m| m.series).unwrap_or(0);
    let files = measurement.map(|m| m.files.clone()).unwrap_or_default();
    (candidate.standing, candidate.figure.measured().is_none(), Reverse(seen), Reverse(series), files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::track::{Kind, Point, Tracks, Value};
    use crate::source::Source;

    fn file(path: &str, named: bool, capture: Capture) -> File {
        File { source: Source::new(path, "{}"), path: path.to_owned(), kind: "test", named, capture }
    }

    /// A series of one point a minute.
    fn series(metric: &str, values: &[f64]) -> Capture {
        let end = |n: i64| chrono::DateTime::from_timestamp(1_796_000_000 + 60 * n, 0).unwrap_or_default();
        let points = (0..).zip(values).map(|(n, v)| Point { start: None, end: end(n), value: Value::Number(*v) }).collect();
        let (labels, kind) = (BTreeMap::new(), Kind::Gauge);
        let track = Track { metric: metric.to_owned(), labels, kind, unit: None, target: None, points };
        Capture::Tracks(Tracks { tracks: vec![track], limits: Vec::new() })
    }

    fn of(files: &[File]) -> Findings {
        assemble(&files.iter().collect::<Vec<_>>(), "a", None, &Rules::built_in())
    }

    fn codes(found: &Findings) -> Vec<(&str, bool)> {
        found.told.iter().map(|told| (told.code, told.level == crate::diagnostic::Level::Error)).collect()
    }

    #[test]
    fn a_share_of_37_is_told_and_not_captured() {
        let found = of(&[file("cpu.csv", false, series("db_cpu", &[37.0, 37.0]))]);
        assert!(found.figures.iter().all(|candidate| candidate.figure.measurement().is_none()));
        assert!(codes(&found).contains(&("impossible-value", false)));
        let fine = of(&[file("cpu.csv", false, series("db_cpu", &[1.04, 0.9]))]);
        assert!(codes(&fine).is_empty() && fine.figures.iter().all(|candidate| candidate.figure.measurement().is_some()));
    }

    #[test]
    fn a_file_whose_figures_are_not_taken_is_not_used() {
        let used = |files: &[File]| of(files).used.into_keys().collect::<Vec<_>>();
        let better = file("a.csv", false, series("db_mem", &[0.4; 3]));
        assert_eq!(used(std::slice::from_ref(&better)), ["a.csv"]);
        let cloud = "cloudsql.googleapis.com/database/memory/utilization";
        assert_eq!(used(&[better, file("c.json", false, series(cloud, &[0.4; 2]))]), ["a.csv"]);
        assert_eq!(used(&[file("cpu.csv", false, series("db_cpu", &[37.0, 37.0]))]), Vec::<String>::new());
    }

    #[test]
    fn a_file_of_other_targets_is_told() {
        let mut capture = series("db_cpu", &[0.4]);
        if let Capture::Tracks(tracks) = &mut capture {
            tracks.tracks[0].target = Some("b".to_owned());
        }
        let found = of(&[file("m.csv", true, capture)]);
        assert_eq!((codes(&found), found.unused.len()), (vec![("other-target", true)], 1));
    }

    #[test]
    fn a_series_that_no_rule_knows_is_a_fault_only_where_its_file_was_named() {
        assert_eq!(codes(&of(&[file("x.csv", true, series("speed", &[1.0]))])), [("unmapped", true)]);
        let found = of(&[file("x.csv", false, series("speed", &[1.0]))]);
        assert_eq!((codes(&found), found.unused.len()), (Vec::new(), 1));
    }

    #[test]
    fn an_error_saved_as_data_is_the_reason_of_what_it_would_have_been() {
        let refused = |named| {
            let fault = Diagnostic::error("error-answer", "403 PERMISSION_DENIED");
            of(&[file("cloudsql.cpu_utilization.json", named, Capture::Refused(Box::new(fault)))])
        };
        assert_eq!(
            (codes(&refused(false)), codes(&refused(true))),
            (vec![("error-answer", false)], vec![("error-answer", true)])
        );
        let found = refused(false);
        let told: Vec<&str> = found.figures.iter().map(|candidate| candidate.id.name()).collect();
        assert_eq!(told, ["database.cpu.median", "database.cpu.peak"]);
    }

    #[test]
    fn of_two_answers_the_better_one_is_taken_and_a_difference_of_equals_told() {
        let cloud = "cloudsql.googleapis.com/database/memory/utilization";
        let of_both = |other: f64| {
            let found =
                of(&[file("a.csv", false, series("db_mem", &[0.4; 3])), file("b.csv", false, series(cloud, &[other; 2]))]);
            let value = found.figures.first().and_then(|first| first.figure.measurement()).map(|m| (m.value * 100.0).round());
            (found.figures.len(), value, found.told.first().map(|told| told.code))
        };
        assert_eq!(of_both(0.4), (1, Some(40.0), None));
        assert_eq!(of_both(0.46), (1, Some(40.0), Some("sources-differ")));
    }
}
