//! What scrapes tell of a run: gauges of each, and of two of a process what it counted between them.

use std::collections::BTreeSet;

use super::super::findings::{Findings, Standing};
use super::super::mapping::{Meaning, Means};
use super::super::quantity::Quantity;
use super::super::track::Point;
use super::super::{Capture, File, Role, Rules, Window};
use super::count::Count;
use super::pairs::{Pair, State, pairs};
use crate::diagnostic::Diagnostic;
use crate::model::catalogue::FigureId;
use crate::model::figure::{Figure, Measurement};
use crate::model::instant::Moment;
use crate::model::units::Unit;

/// The figures that need two scrapes.
const COUNTED: [FigureId; 7] = [
    FigureId::PoolAcquires,
    FigureId::PoolEmptyRatio,
    FigureId::PoolMeanWait,
    FigureId::ServerRequestsPerS,
    FigureId::ServerLatencyP50,
    FigureId::ServerLatencyP95,
    FigureId::ServerLatencyP99,
];

/// What the scrapes among the files tell. Two of one process are known by their names, which differ in `start` and `end` or `before`
/// and `after`; the moments between which it was counted are those of files like `scrape_start_time.txt`, else the window's.
#[must_use]
pub fn findings(files: &[&File], window: Option<Window>, rules: &Rules) -> Findings {
    let mut findings = Findings::default();
    let mut states: Vec<State<'_>> = files.iter().filter_map(|file| State::of(file, rules)).collect();
    if states.is_empty() {
        return findings;
    }
    states.sort_by(|a, b| a.file.path.cmp(&b.file.path));
    let times = scrape_times(files);
    let (pairs, single) = pairs(&states);
    if let (Some(times), Some(window)) = (times, window)
        && (times.end <= window.start || window.end <= times.start)
    {
        let fault = states[0].file.complaint("no-overlap", "the scrapes were made at another time than the run");
        findings.told.push(fault.note(format!(
            "scraped from {} to {}",
            Moment::Instant(times.start),
            Moment::Instant(times.end)
        )));
        return nothing(findings, "the scrapes were made at another time than the run");
    }
    let count = Count::of(&pairs, &single, times.or(window), rules, &mut findings);
    // Of pairs that are none nothing may be taken, not even a gauge: nobody knows whose it is.
    if pairs.is_empty() || count.seen > 0 {
        max_open(&mut findings, &states, rules);
    }
    if count.seen == 0 {
        let why = count
            .lacking
            .first()
            .cloned()
            .unwrap_or_else(|| "one scrape has no window: its counters count since the process began".to_owned());
        return nothing(findings, &why);
    }
    count.tell(&mut findings, times.is_some());
    findings
}

fn nothing(mut findings: Findings, why: &str) -> Findings {
    for id in COUNTED {
        findings.add(id, Figure::not_captured(why), Standing::None);
    }
    findings
}

/// When the scrapes were made, from files with the word `scrape` in their names that hold a moment each.
fn scrape_times(files: &[&File]) -> Option<Window> {
    let moment = |role: Role| {
        files.iter().find_map(|file| match file.capture {
            Capture::Moment(at) if Role::named(&file.path) == Some(role) && file.stem().contains("scrape") => Some(at),
            _ => None,
        })
    };
    let (start, end) = (moment(Role::Before)?, moment(Role::After)?);
    (start < end).then_some(Window { start, end })
}

/// The most connections that a pool may open: a gauge, so that each scrape tells it.
fn max_open(findings: &mut Findings, states: &[State<'_>], rules: &Rules) {
    let (mut highest, mut files, mut series) = (None, BTreeSet::new(), 0);
    for state in states {
        for track in state.tracks {
            let meaning = rules.mapping.meaning(track, state.file.stem());
            let Ok(Meaning { means: Means::Quantity(Quantity::PoolMaxOpen), factor, .. }) = meaning else { continue };
            if let Some(number) = track.points.first().and_then(Point::number) {
                highest = Some(f64::max(highest.unwrap_or(f64::NEG_INFINITY), number * factor));
                files.insert(state.file.path.clone());
                series += 1;
            }
        }
    }
    if let Some(highest) = highest {
        let mut measured = Measurement::exact(highest, Unit::Count).by("the highest of one container's pool, in any scrape");
        measured.files = files.into_iter().collect();
        measured.series = Some(series);
        findings.add(FigureId::PoolMaxOpen, Figure::Measured(measured), Standing::Raw);
    }
}

pub(super) fn wrong_order(pair: &Pair<'_>) -> Diagnostic {
    let message = "the two scrapes of this process are exchanged: counters are lower in the one that is called the later";
    pair.before
        .file
        .complaint("wrong-order", message)
        .at(pair.after.file.source.at(0..0))
        .help("exchange the names of the two files")
}

pub(super) fn other_server(pair: &Pair<'_>) -> Diagnostic {
    let message = "these two scrapes are of two processes: they did not start at one moment, and neither restarted in between";
    let fault = pair.before.file.complaint("different-servers", message).at(pair.after.file.source.at(0..0));
    fault.help("keep the two scrapes of one process under names that differ in `start` and `end` alone")
}
