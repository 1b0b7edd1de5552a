//! Files that make no run, joined to the runs they belong to by their targets, their times and their names.

use super::run::Run;
use super::{Draft, NAMED, Piece, Sweep, stem};
use crate::diagnostic::Diagnostic;
use crate::ingest::kinds::Content;
use crate::model::address::{Address, Target};
use crate::model::instant::Moment;
use crate::model::record::{Record, StatusCount};
use crate::model::series::Series;
use crate::source::Source;

impl Sweep<'_> {
    /// Joins a file that makes no run to the runs it belongs to.
    pub(super) fn attach(&mut self, runs: &mut Vec<Run>, piece: &Piece) {
        let chosen: Vec<usize> = match &piece.content {
            Content::Series(_) => self.run_of_series(runs, piece).into_iter().collect(),
            Content::Status(_) => self.run_by_stem(runs, piece, "_status").into_iter().collect(),
            Content::ByHandOfRelease => (0..runs.len()).collect(),
            _ => self.run_by_stem(runs, piece, "").into_iter().collect(),
        };
        if chosen.is_empty() {
            let fate = if runs.is_empty() { "there is no run it could belong to" } else { "it belongs to none of these runs" };
            self.unused(piece, fate);
            return;
        }
        let names: Vec<String> = chosen.iter().map(|&at| runs[at].draft.record.address().to_string()).collect();
        self.list(piece.source.name(), piece.kind.name, &names.join(", "), String::new());
        for at in chosen {
            let draft = &mut runs[at].draft;
            draft.record.provenance.push(piece.input.clone());
            match &piece.content {
                Content::Series(series) => self.add_series(draft, series, &piece.source),
                Content::Status(rows) => self.add_status(draft, rows, &piece.source),
                Content::ByHandOfRelease => draft.by_hand_of_release.push(piece.source.clone()),
                _ => draft.by_hand.push(piece.source.clone()),
            }
        }
    }

    pub(super) fn unused(&mut self, piece: &Piece, fate: &str) {
        if piece.group == NAMED {
            let fault = Diagnostic::error("whose-file", format!("{}: {fate}", piece.source.name()));
            self.faults.push(
                fault
                    .at(piece.source.at(0..0))
                    .help("give it with its run's log, or say which run of the archive it belongs to: --release R --target T"),
            );
        }
        self.pass_over(piece.source.name(), Some(piece.kind.name), fate);
    }

    /// `TARGET-output.json` belongs to the run of that target, `output.json` to the run of its folder.
    fn run_of_series(&self, runs: &mut Vec<Run>, piece: &Piece) -> Option<usize> {
        let name = stem(piece.source.name());
        let target = name.strip_suffix("-output").or_else(|| name.strip_suffix("_output"));
        let of_target = |run: &Run| Some(run.draft.record.identity.target.as_str()) == target;
        let found: Vec<usize> = (0..runs.len()).filter(|&at| of_target(&runs[at])).collect();
        match found.as_slice() {
            [one] => Some(*one),
            _ if target.is_some() && runs.len() > 1 => None,
            _ => self.run_by_stem(runs, piece, ""),
        }
    }

    /// The run of its folder whose log has the file's name, without the suffix; else the only run of the folder; else the
    /// only run.
    fn run_by_stem(&self, runs: &mut Vec<Run>, piece: &Piece, suffix: &str) -> Option<usize> {
        if runs.is_empty() {
            self.add_run(runs, self.asked.target.clone(), piece);
        }
        let name = stem(piece.source.name());
        let name = name.strip_suffix(suffix).unwrap_or(name);
        let near: Vec<usize> = (0..runs.len()).filter(|&at| runs[at].group == piece.group).collect();
        let named = near.iter().copied().find(|&at| runs[at].stem == name);
        let only = |runs: &[usize]| if let [one] = runs { Some(*one) } else { None };
        named.or_else(|| only(&near)).or((runs.len() == 1).then_some(0))
    }

    /// A run that the archive must already have, named on the command line.
    pub(super) fn add_run(&self, runs: &mut Vec<Run>, target: Option<Target>, piece: &Piece) {
        let (Some(release), Some(target)) = (self.asked.release.clone(), target) else { return };
        if self.asked.target.as_ref().is_some_and(|asked| *asked != target) {
            return;
        }
        let address = Address { release, target, label: self.asked.label.clone() };
        if runs.iter().any(|run| run.draft.record.address() == address) {
            return;
        }
        let window = (self.window)(&address).unwrap_or_default();
        let record = Record { window, ..Record::new(address) };
        let draft = Draft { is_addition: true, ..Draft::new(record) };
        runs.push(Run { group: piece.group.clone(), stem: String::new(), place: piece.source.clone(), draft, files: Vec::new() });
    }

    fn add_series(&mut self, draft: &mut Draft, series: &Series, source: &Source) {
        if draft.has_raw {
            let differs = draft.series.as_ref().is_some_and(|known| differ(known, series));
            let message = format!("this series of {} is not that of its raw samples, which are kept", draft.record.address());
            let remark = Diagnostic::warning("series-differs", message).at(source.at(0..0));
            self.harvest.remarks.extend(differs.then_some(remark));
            return;
        }
        if let Some(known) = &draft.series
            && known != series
        {
            let message = format!("two series of {} that differ", draft.record.address());
            self.faults.push(Diagnostic::error("two-series", message).at(source.at(0..0)).help("give one of them"));
        }
        if let Some(fault) = other_day(&draft.record, series, source) {
            self.faults.push(fault);
        }
        draft.series = Some(series.clone());
    }

    fn add_status(&mut self, draft: &mut Draft, rows: &[StatusCount], source: &Source) {
        let known = &draft.record.errors.by_status;
        if !known.is_empty() && known != rows {
            let message = format!("two status breakdowns of {} that differ", draft.record.address());
            self.faults.push(Diagnostic::error("two-breakdowns", message).at(source.at(0..0)).help("give one of them"));
        }
        draft.record.errors.by_status = rows.to_vec();
    }
}

/// Whether a series made elsewhere has a point that the raw samples have not, one thousandth of rounding aside.
fn differ(known: &Series, made: &Series) -> bool {
    made.trends.iter().any(|(name, trend)| {
        let known = known.trends.get(name).map(|trend| trend.points.as_slice()).unwrap_or_default();
        trend.points.iter().any(|point| {
            let found = known.binary_search_by_key(&point.second, |point| point.second).ok().and_then(|at| known.get(at));
            let near = |a: i64, b: i64| a.abs_diff(b) <= 1;
            !found.is_some_and(|found| near(found.p50, point.p50) && near(found.p95, point.p95) && near(found.p99, point.p99))
        })
    })
}

/// A series that does not touch the run's window, two hours of a wrong time zone aside, is of another run.
fn other_day(record: &Record, series: &Series, source: &Source) -> Option<Diagnostic> {
    let (first, last) = series.span()?;
    let start = record.window.start?.instant()?;
    let end = record.window.end.and_then(Moment::instant).unwrap_or(start);
    let slack = chrono::TimeDelta::hours(2);
    if first <= end + slack && start - slack <= last {
        return None;
    }
    let message = format!("the series runs from {first} to {last}, but {} from {start} to {end}", record.address());
    Some(Diagnostic::error("other-window", message).at(source.at(0..0)).help("give the series of this run"))
}
