//! From the captures of a run to what its record keeps.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::{Candidate, Findings, Standing};
use super::mapping::{Mapping, Meaning, Means, Unmapped};
use super::quantity::Quantity;
use super::queries::Names;
use super::track::Track;
use super::{Capture, File, Window, exposition, features, infra, postgres, prometheus, queries, reduce};
use crate::diagnostic::Diagnostic;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Coverage, Figure};

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
    found.extend(features::findings(&files, window));
    found.extend(infra::findings(&files));
    refused(&files, rules, &mut found);
    outside(&series.tracks, window, &mut found);
    choose(&mut found);
    found
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
            let own = tracks.tracks.iter().filter(|track| track.target.as_ref().is_none_or(|own| own == target));
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
    found.pass_over(&file.path, why.to_string());
    if file.named || unknown.values().any(|why| *why != Unmapped::NoRule) {
        found.told.push(file.complaint("unmapped", message).help(help));
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
        let (points, lie) = if outside == 1 { ("point", "lies") } else { ("points", "lie") };
        let message = format!("{outside} {points} of {path} {lie} outside the window");
        found.told.push(Diagnostic::remark("points-outside", message).at(file.source.at(0..0)));
    }
}

/// Of a figure that several sources give, the best one: complete before incomplete within one standing, then the one that covers more,
/// then by the names of its files. Two of one standing that differ by more than a hundredth are told.
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
    let taken: BTreeSet<&String> = found.used.keys().collect();
    found.unused.retain(|path, _| !taken.contains(path));
}

fn rank(candidate: &Candidate) -> (Standing, bool, std::cmp::Reverse<u64>, Vec<String>) {
    let measurement = candidate.figure.measurement();
    let seen = measurement.and_then(|m| m.coverage).map_or(0, |Coverage { seen, .. }| seen);
    let files = measurement.map(|m| m.files.clone()).unwrap_or_default();
    (candidate.standing, candidate.figure.measured().is_none(), std::cmp::Reverse(seen), files)
}
