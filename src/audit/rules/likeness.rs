//! Whether a run is like those it will be compared with.

use super::k6::is_foreign;
use crate::audit::rule::{Found, Rule, Scope, one};
use crate::audit::subject::{Subject, figure, stated};
use crate::model::catalogue::FigureId;
use crate::model::collection::Run;
use crate::model::finding::Level;
use crate::model::units::{Unit, cut, show_change, show_counted, show_number, show_traffic};

/// Other virtual users than the release.
pub(super) const VUS: Rule = Rule {
    code: "vus-unlike-release",
    level: Level::Warning,
    title: "The run has other virtual users than its release",
    reason: "All targets of a release are run with the same number of virtual users, so that they compare with each other and with the next release. This one has another \
             number than most (three runs or more, more than half of them alike).",
    hint: "run it again with the release's number, or say on the page why not",
    look: Scope::Run(vus_unlike_release),
};

fn vus(run: &Run) -> Option<f64> {
    let id = FigureId::K6Vus;
    stated(run, id).cloned().or_else(|| figure(run, id)).map(|vus| vus.value)
}

fn vus_unlike_release(subject: &Subject<'_>) -> Vec<Found> {
    one(usual_vus(subject).zip(vus(subject.run)).filter(|((usual, ..), own)| usual.total_cmp(own).is_ne()).map(
        |((usual, count, all), own)| {
            let users = show_counted(cut(own), "virtual user");
            let message = format!("{users}, and {count} of the release's {all} runs have {}", show_number(usual));
            Found::new(message).with("k6.vus", own, Unit::Count).with("release.vus", usual, Unit::Count)
        },
    ))
}

/// The number that more than half of three or more runs of the release have, how many have it, and how many runs there are.
fn usual_vus(subject: &Subject<'_>) -> Option<(f64, usize, usize)> {
    let release = subject.archive().release(&subject.address.release)?;
    let mut all: Vec<f64> = release.runs.values().filter_map(vus).collect();
    all.sort_by(f64::total_cmp);
    let usual = *all.get(all.len() / 2)?;
    let count = all.iter().filter(|vus| vus.total_cmp(&usual).is_eq()).count();
    (all.len() >= 3 && count * 2 > all.len()).then_some((usual, count, all.len()))
}

/// Another payload.
pub(super) const BYTES_PER_REQUEST: Rule = Rule {
    code: "bytes-per-request",
    level: Level::Warning,
    title: "Responses are of another size than before",
    reason: "A target asks the same of every release. Bytes per request more than 25% off the previous run's (the band of the comparison's contract) mean that the service answers \
             something else, that test data grew, or that headers changed: the work is not the same.",
    hint: "look at one response of each release; say on the page what changed",
    look: Scope::Run(bytes_per_request),
};

/// How much bytes per request may change.
const BAND: f64 = 1.25;

fn bytes_per_request(subject: &Subject<'_>) -> Vec<Found> {
    one(payload(subject))
}

fn payload(subject: &Subject<'_>) -> Option<Found> {
    let id = FigureId::K6BytesPerRequest;
    let (address, previous) = subject.archive().previous(subject.address)?;
    // What follows from another run's output says nothing of this one.
    if is_foreign(subject.archive(), subject.address, subject.run) || is_foreign(subject.archive(), address, previous) {
        return None;
    }
    let (now, before) = (subject.figure(id)?, figure(previous, id)?);
    let (a, b) = (before.range(), now.range());
    (b.lo() > a.hi() * BAND || b.hi() * BAND < a.lo()).then(|| {
        let change = show_change(now.value / before.value);
        let message = format!("{} a request, {} in {address} ({change})", show_traffic(now.value), show_traffic(before.value));
        Found::new(message).measured(id.name(), &now).measured(format!("previous.{id}"), &before)
    })
}
