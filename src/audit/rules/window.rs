//! Whether the stated window can be.

use chrono::{DateTime, Utc};

use crate::audit::around::Around;
use crate::audit::rule::{Found, Rule, Scope, one};
use crate::audit::subject::Subject;
use crate::model::address::Address;
use crate::model::collection::{ReleaseRuns, Run};
use crate::model::finding::Level;
use crate::model::instant::Moment;
use crate::model::record::WindowBasis;
use crate::model::units::{Unit, show};

/// A window that is not as long as the test.
pub(super) const LENGTH: Rule = Rule {
    code: "window-length",
    level: Level::Error,
    title: "Start and end do not fit the duration",
    reason: "The end lies before the start, or the two are more than 10% (and a minute) closer together or further apart than the test was given: metrics fetched \
             for that window leave out a part of the test, or hold what was before and after it.",
    hint: "correct start and end, and fetch the captures again",
    look: Scope::Run(length),
};

fn length(subject: &Subject<'_>) -> Vec<Found> {
    // A window that was read from samples or k6's clock is as long as the test was.
    let is_told = matches!(subject.record().window.basis, Some(WindowBasis::Stated | WindowBasis::Stamps | WindowBasis::ByHand));
    let told = span(subject.run).filter(|_| is_told && !subject.k6().is_some_and(|k6| k6.aborted));
    one(told.zip(subject.duration_s()).and_then(|((start, end), duration)| {
        let seconds = (end - start).num_seconds() as f64;
        let is_off = seconds <= 0.0 || (seconds - duration).abs() > (0.1 * duration).max(60.0);
        is_off.then(|| {
            let window = format!("{} to {}", Moment::Instant(start).page_text(), Moment::Instant(end).page_text());
            let length =
                if seconds <= 0.0 { "ends before it begins".to_owned() } else { format!("is {}", show(seconds * 1e3, Unit::Ms)) };
            let message = format!("the window {window} {length}, and the test was given {}", show(duration * 1e3, Unit::Ms));
            Found::new(message).with("window", seconds * 1e3, Unit::Ms).with("duration", duration * 1e3, Unit::Ms)
        })
    }))
}

fn span(run: &Run) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    let window = &run.record.window;
    Some((window.start?.instant()?, window.end?.instant()?))
}

/// Two runs at the same time.
pub(super) const OVERLAPPING: Rule = Rule {
    code: "overlapping-runs",
    level: Level::Warning,
    title: "Two runs of a release ran at the same time",
    reason: "Runs of one release share service and database. Where their windows overlap by a minute or more, each was part of the other's load, and captures hold \
             both; or one of the windows is wrong.",
    hint: "run targets one after the other, or correct the window",
    look: Scope::Release(overlapping),
};

fn overlapping(_: &Around<'_>, release: &ReleaseRuns) -> Vec<Found> {
    let mut spans: Vec<(&Address, _, _)> =
        release.runs.iter().filter_map(|(address, run)| span(run).map(|(start, end)| (address, start, end))).collect();
    spans.sort_by_key(|(address, start, end)| (*start, *end, (*address).clone()));
    let pairs = spans.iter().enumerate().flat_map(|(at, a)| spans[at + 1..].iter().map(move |b| (a, b)));
    let both = pairs.filter_map(|(a, b)| {
        let seconds = (a.2.min(b.2) - b.1).num_seconds();
        (seconds >= 60).then(|| {
            let common = seconds as f64 * 1e3;
            let message = format!("{} and {} ran at the same time for {}", a.0.run(), b.0.run(), show(common, Unit::Ms));
            Found::new(message).with("overlap", common, Unit::Ms)
        })
    });
    both.collect()
}
