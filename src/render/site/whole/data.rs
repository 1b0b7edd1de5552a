//! What pages say, as data: the shapes of `index.json`. Paths are from the site's root; what is not known is null or left out, with a
//! reason beside it.

use serde::Serialize;

use super::{DATA, ended, stamp};
use crate::model::address::{Address, Release};
use crate::model::catalogue::FigureId;
use crate::model::collection::{ReleaseRuns, Run};
use crate::model::derive;
use crate::model::figure::Figure;
use crate::model::record::Record;
use crate::model::verdict::{Outcome, Verdict};
use crate::render::facts::headline::{self, Share};
use crate::render::facts::outcome::{recorded_by, set_by};
use crate::render::site::page::{OfHistory, OfRelease, OfStep, Since};
use crate::render::site::{SiteInput, target};

/// Version of all these shapes.
const SCHEMA: u32 = 1;

/// `index.json`: everything.
#[derive(Clone, Debug, Serialize)]
pub(super) struct IndexData {
    schema: u32,
    title: String,
    service: String,
    /// The newest release by the archive's order.
    latest: Option<String>,
    /// Oldest first.
    releases: Vec<ReleaseData>,
}

/// `RELEASE/index.json`: a release.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ReleaseFile {
    schema: u32,
    #[serde(flatten)]
    release: ReleaseData,
}

/// `targets/TARGET/index.json`: a target over all releases.
#[derive(Clone, Debug, Serialize)]
pub(super) struct HistoryData {
    schema: u32,
    target: String,
    path: String,
    /// What it is to reach, in iterations a second.
    goal: Option<f64>,
    /// Oldest first; releases without the target have no runs.
    releases: Vec<HistoryRelease>,
}

#[derive(Clone, Debug, Serialize)]
struct HistoryRelease {
    release: String,
    runs: Vec<RunData>,
}

#[derive(Clone, Debug, Serialize)]
struct ReleaseData {
    release: String,
    path: String,
    data: String,
    /// When its last run ended, or started where no end is known.
    updated: Option<String>,
    /// Its comparison with an earlier release.
    since: Option<SinceData>,
    runs: Vec<RunData>,
}

#[derive(Clone, Debug, Serialize)]
struct SinceData {
    release: String,
    path: String,
    sentence: String,
}

#[derive(Clone, Debug, Serialize)]
struct RunData {
    release: String,
    run: String,
    target: String,
    label: Option<String>,
    path: String,
    started: Option<String>,
    ended: Option<String>,
    outcome: OutcomeData,
    figures: FiguresData,
}

#[derive(Clone, Debug, Serialize)]
struct OutcomeData {
    /// The label that counts.
    label: Option<String>,
    /// Whose it is: `hand`, `recorded`, `flow`, `nobody`.
    by: &'static str,
    /// What the flow computes.
    computed: Option<Outcome>,
}

#[derive(Clone, Debug, Serialize)]
struct FiguresData {
    iterations_per_s: Figure,
    test_iterations_per_s: Figure,
    /// Which requests the percentiles are of; null where there are none.
    latency_of: Option<&'static str>,
    p50: Figure,
    p95: Figure,
    p99: Figure,
    failed_requests: Share,
    failed_checks: Share,
}

pub(super) fn index(input: &SiteInput<'_>) -> IndexData {
    let releases = input.archive.releases();
    let of = |release: &ReleaseRuns| {
        let since = input.comparison_of(&release.name).map(Since::from);
        let verdicts: Vec<_> = release.runs.keys().map(|address| input.verdicts.get(address)).collect();
        release_data(release, since, &verdicts)
    };
    IndexData {
        schema: SCHEMA,
        title: input.title.to_owned(),
        service: input.service_name.to_owned(),
        latest: releases.last().map(|release| release.name.to_string()),
        releases: releases.iter().map(of).collect(),
    }
}

pub(super) fn release(page: &OfRelease<'_>) -> ReleaseFile {
    ReleaseFile { schema: SCHEMA, release: release_data(page.release, page.since, &page.verdicts) }
}

pub(super) fn history(page: &OfHistory<'_>) -> HistoryData {
    let run = |step: &OfStep<'_>| run(step.address, step.run, step.verdict);
    let of = |(release, runs): &(&Release, Vec<OfStep<'_>>)| HistoryRelease {
        release: release.to_string(),
        runs: runs.iter().map(run).collect(),
    };
    HistoryData {
        schema: SCHEMA,
        target: page.target.to_string(),
        path: target::path(page.target),
        goal: page.goal,
        releases: page.releases.iter().map(of).collect(),
    }
}

fn release_data(release: &ReleaseRuns, since: Option<Since<'_>>, verdicts: &[Option<&Verdict>]) -> ReleaseData {
    let name = &release.name;
    let since_data = |since: Since<'_>| SinceData {
        release: since.release.to_string(),
        path: format!("{name}/{}/index.html", super::pairs::FOLDER),
        sentence: since.sentence.to_owned(),
    };
    ReleaseData {
        release: name.to_string(),
        path: format!("{name}/index.html"),
        data: format!("{name}/{DATA}"),
        updated: ended(release).map(stamp),
        since: since.map(since_data),
        runs: release.runs.iter().zip(verdicts).map(|((address, one), verdict)| run(address, one, *verdict)).collect(),
    }
}

fn run(address: &Address, run: &Run, verdict: Option<&Verdict>) -> RunData {
    let record = &run.record;
    RunData {
        release: address.release.to_string(),
        run: address.run(),
        target: address.target.to_string(),
        label: address.label.as_ref().map(ToString::to_string),
        path: format!("{address}/index.html"),
        started: record.window.start.map(|start| start.to_string()),
        ended: record.window.end.map(|end| end.to_string()),
        outcome: outcome(record, verdict),
        figures: figures(record),
    }
}

fn outcome(record: &Record, verdict: Option<&Verdict>) -> OutcomeData {
    let computed = verdict.map(|verdict| verdict.outcome.clone());
    let (label, by) = match (set_by(record, verdict), recorded_by(record, verdict), &computed) {
        (Some(over), _, _) => (Some(over.outcome.clone()), "hand"),
        (None, Some(recorded), _) => (Some(recorded.label.clone()), "recorded"),
        (None, None, Some(computed)) => (Some(computed.label.clone()), "flow"),
        (None, None, None) => (None, "nobody"),
    };
    OutcomeData { label, by, computed }
}

fn figures(record: &Record) -> FiguresData {
    FiguresData {
        iterations_per_s: derive::figure(record, FigureId::K6IterationsPerS),
        test_iterations_per_s: derive::figure(record, FigureId::K6TestIterationsPerS),
        latency_of: Some(headline::latency_basis(record)).filter(|basis| !basis.is_empty()),
        p50: headline::latency_figure(record, 50),
        p95: headline::latency_figure(record, 95),
        p99: headline::latency_figure(record, 99),
        failed_requests: headline::failed_requests(record),
        failed_checks: headline::check_failures(record),
    }
}
