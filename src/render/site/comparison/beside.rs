//! What stands beside the changes: outcomes, figures, queries, settings, drift.

use serde::Serialize;

use super::super::view::number;
use super::{Mark, words};
use crate::model::comparison::{Drift, FigurePair, Judgement, Matched, Outcomes, Presence, QueryChange, SettingChange};
use crate::model::units::{Unit, show};
use crate::render::markup::breakable;

/// An outcome of one side.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OutcomeSide {
    pub class: &'static str,
    pub label: String,
    pub word: String,
}

/// Something that both sides have a value of.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PairRow {
    /// What it belongs to; may be empty.
    pub area: &'static str,
    pub name_html: String,
    /// What it means; may be empty.
    pub meaning: &'static str,
    pub a: String,
    pub b: String,
}

/// A query.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct QueryRow {
    pub name: String,
    /// `new`, `gone`, `matched by name`; may be empty.
    pub remark: &'static str,
    pub a: QuerySide,
    pub b: QuerySide,
    /// The change of its share; may be empty.
    pub change: String,
    pub text: String,
}

/// A query on one side.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct QuerySide {
    pub share: String,
    pub note: String,
}

/// How far a metric is from an old release.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct DriftRow {
    pub metric: String,
    pub since: String,
    pub change: String,
    pub interval: String,
    pub decision: Mark,
}

/// The outcomes of both sides; none where neither was judged.
pub(super) fn outcomes(outcomes: &Outcomes) -> Vec<OutcomeSide> {
    if outcomes.a.is_none() && outcomes.b.is_none() {
        return Vec::new();
    }
    [&outcomes.a, &outcomes.b].into_iter().map(|judgement| outcome(judgement.as_ref())).collect()
}

fn outcome(judgement: Option<&Judgement>) -> OutcomeSide {
    let Some(judgement) = judgement else {
        return OutcomeSide { class: "undetermined", label: "Not judged".to_owned(), word: String::new() };
    };
    let recorded = judgement.recorded.as_ref().map(|recorded| &recorded.label).filter(|label| **label != judgement.label);
    let word = recorded.map_or_else(|| judgement.class.name().to_owned(), |label| format!("recorded as {label}"));
    OutcomeSide { class: judgement.class.name(), label: judgement.label.clone(), word }
}

/// Both outcomes in a few words; nothing where neither side was judged.
pub(super) fn outcome_words(outcomes: &Outcomes) -> Option<String> {
    let label = |judgement: &Option<Judgement>| judgement.as_ref().map_or("not judged", |one| one.label.as_str()).to_owned();
    let (a, b) = (label(&outcomes.a), label(&outcomes.b));
    let known = outcomes.a.is_some() || outcomes.b.is_some();
    known.then(|| if a == b { format!("{a}, as before") } else { format!("{b}, before: {a}") })
}

pub(super) fn figures(figures: &[FigurePair]) -> Vec<PairRow> {
    let shown = |shown: &Option<String>, value: Option<f64>, unit: Unit| match (shown, value) {
        (Some(shown), _) => shown.clone(),
        (None, Some(value)) => show(value, unit),
        (None, None) => "not captured".to_owned(),
    };
    let row = |pair: &FigurePair| PairRow {
        area: "",
        name_html: breakable(pair.figure.name()),
        meaning: pair.figure.row().meaning,
        a: shown(&pair.shown_a, pair.a, pair.unit),
        b: shown(&pair.shown_b, pair.b, pair.unit),
    };
    figures.iter().map(row).collect()
}

pub(super) fn settings(settings: &[SettingChange]) -> Vec<PairRow> {
    let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
    let row = |change: &SettingChange| PairRow {
        area: words::area(change.area),
        name_html: breakable(&change.key),
        meaning: "",
        a: side(&change.a),
        b: side(&change.b),
    };
    settings.iter().map(row).collect()
}

pub(super) fn queries(queries: &[QueryChange]) -> Vec<QueryRow> {
    queries.iter().map(query).collect()
}

fn query(query: &QueryChange) -> QueryRow {
    let remark = match (query.presence, query.matched) {
        (Presence::Both, Some(Matched::Name)) => "matched by name",
        (presence, _) => words::presence(presence),
    };
    let change = query.share_a.zip(query.share_b).map(|(a, b)| words::points(b - a));
    QueryRow {
        name: query.name.clone(),
        remark,
        a: query_side(query.share_a, query.seconds_a, query.calls_a, query.presence == Presence::New),
        b: query_side(query.share_b, query.seconds_b, query.calls_b, query.presence == Presence::Gone),
        change: change.unwrap_or_default(),
        text: query.text.clone().unwrap_or_default(),
    }
}

/// A side of a query: what is not among the most expensive ones is not known to be nothing.
fn query_side(share: Option<f64>, seconds: Option<f64>, calls: Option<u64>, is_absent: bool) -> QuerySide {
    let seconds = seconds.map(|seconds| show(seconds * 1e3, Unit::Ms));
    let calls = calls.map(|calls| format!("{} calls", number(calls)));
    let absent = if is_absent { "not among the most expensive" } else { "share not known" };
    QuerySide {
        share: share.map_or_else(|| absent.to_owned(), |share| show(share, Unit::Ratio)),
        note: seconds.into_iter().chain(calls).collect::<Vec<_>>().join(", "),
    }
}

pub(super) fn drift(drift: &[Drift]) -> Vec<DriftRow> {
    let row = |drift: &Drift| DriftRow {
        metric: drift.metric.clone(),
        since: drift.since.clone(),
        change: words::percent(drift.ratio),
        interval: words::within(drift.interval),
        decision: Mark::decision(drift.decision),
    };
    drift.iter().map(row).collect()
}
