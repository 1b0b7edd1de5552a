//! One target on both sides: everything that a page says of it.

use serde::Serialize;

use super::super::view::Link;
use super::beside::{self, DriftRow, OutcomeSide, PairRow, QueryRow};
use super::changes::{self, ChangesView};
use super::contract::{self, ContractView};
use super::overlay::{self, Pair, TimeView};
use super::quantiles::{self, ShiftView};
use super::runs::{self, RunRow};
use super::summary;
use super::{Mark, Sides};
use crate::model::address::Address;
use crate::model::collection::Run;
use crate::model::comparison::{Comparability, Finding, Presence, RunAccount, Side, TargetComparison};
use crate::render::markup::breakable;

/// A target on both sides.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TargetView {
    /// The level of its headings.
    pub level: u8,
    /// What the ids of its parts begin with.
    pub id: String,
    /// Its name, as labels have it: a page may hold several targets.
    pub name: String,
    pub name_html: String,
    /// What the sides are called.
    pub a: String,
    pub b: String,
    pub standing: Mark,
    pub tally: Vec<Mark>,
    /// The changes that were found, in words.
    pub found: Vec<Found>,
    /// Whether both sides have it.
    pub is_compared: bool,
    pub contract: ContractView,
    pub runs: Vec<RunRow>,
    pub changes: ChangesView,
    /// What belongs to the numbers and is to be said before them.
    pub cautions: Vec<Caution>,
    pub shift: ShiftView,
    pub time: TimeView,
    pub outcomes: Vec<OutcomeSide>,
    pub figures: Vec<PairRow>,
    pub queries: Vec<QueryRow>,
    pub settings: Vec<PairRow>,
    pub drift: Vec<DriftRow>,
    pub notes: Vec<String>,
}

/// A finding of the target.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Found {
    pub mark: Mark,
    pub what: String,
}

/// What a reader has to know before reading numbers.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Caution {
    pub title: &'static str,
    pub text: &'static str,
}

const WEAKENED: Caution = Caution {
    title: "Not quite alike",
    text: "The contract is weakened, so every number below may hold an effect of what differs between the runs.",
};
const UNLIKE: Caution = Caution {
    title: "Not comparable",
    text: "The runs are unlike, so the numbers below stand side by side and nothing is concluded from them.",
};
const CLOSED: Caution = Caution {
    title: "Closed model",
    text: "A fixed number of virtual users made the load, and each waits for its answer before it asks again. Throughput and latency are \
           then one quantity (Little's law): one change moves both, and it is counted once.",
};
const OMISSION: Caution = Caution {
    title: "Coordinated omission",
    text: "A slow response delays the next request of its virtual user, so a stall is met by few requests. Percentiles are of the \
           requests that were sent, and understate what users would have met who do not wait for one another.",
};

/// Where a target stands on its page and what its links lead to.
pub(super) struct Setting<'a> {
    /// The level of its headings.
    pub level: u8,
    /// What its ids begin with.
    pub id: String,
    /// Where a run's page is; empty where it is not at hand.
    pub href: &'a dyn Fn(&str) -> String,
    /// A run, for the charts; one that is not at hand is not drawn.
    pub run: &'a dyn Fn(&Address) -> Option<&'a Run>,
}

/// All that is said of a target.
pub(super) fn view<'a>(sides: &Sides<'_>, target: &'a TargetComparison, setting: &Setting<'a>) -> TargetView {
    let (a, b) = (record(setting, target, Side::A), record(setting, target, Side::B));
    let pair = a.zip(b).map(|(a, b)| Pair { a, b });
    let both = target.presence == Presence::Both && !target.same_runs;
    TargetView {
        level: setting.level,
        name: target.target.clone(),
        name_html: breakable(&target.target),
        a: sides.a.to_owned(),
        b: sides.b.to_owned(),
        standing: summary::standing(target),
        tally: summary::tally(target),
        found: sides.found.iter().map(|finding| found(finding)).collect(),
        is_compared: both,
        contract: contract::view(target),
        runs: runs::rows(&target.runs, setting.href),
        changes: changes::view(target),
        cautions: cautions(target),
        shift: if both {
            quantiles::view(&format!("{}-shift", setting.id), a.map(|a| a.1), b.map(|b| b.1))
        } else {
            ShiftView::default()
        },
        time: if both { overlay::view(&format!("{}-time", setting.id), pair) } else { TimeView::default() },
        outcomes: beside::outcomes(&target.outcome),
        figures: beside::figures(&target.figures),
        queries: beside::queries(&target.queries),
        settings: beside::settings(&target.settings),
        drift: beside::drift(&target.drift),
        notes: target.notes.clone(),
        id: setting.id.clone(),
    }
}

/// The run of record of a side: the first that was compared.
fn record<'a>(setting: &Setting<'a>, target: &'a TargetComparison, side: Side) -> Option<(&'a RunAccount, &'a Run)> {
    let account = target.runs.iter().find(|run| run.side == side && run.left_out.is_none())?;
    let address: Address = account.run.parse().ok()?;
    Some((account, (setting.run)(&address)?))
}

fn found(finding: &Finding) -> Found {
    Found { mark: Mark::decision(finding.decision), what: finding.what.clone() }
}

fn cautions(target: &TargetComparison) -> Vec<Caution> {
    let both = target.presence == Presence::Both;
    let verdict = target.contract.verdict;
    let said = [
        (both && verdict == Comparability::Weakened, WEAKENED),
        (both && verdict == Comparability::NotComparable, UNLIKE),
        (both && target.closed_model, CLOSED),
        (both && target.closed_model, OMISSION),
    ];
    said.into_iter().filter(|(holds, _)| *holds).map(|(_, caution)| caution).collect()
}

impl TargetView {
    /// The parts that the page has, for its contents.
    pub(super) fn contents(&self) -> Vec<Link> {
        let beside =
            !self.figures.is_empty() || !self.settings.is_empty() || !self.queries.is_empty() || !self.outcomes.is_empty();
        let parts = [
            ("alike", "Are the runs alike", true),
            ("changed", "What changed", !self.changes.tables.is_empty()),
            ("unknown", "What could not be known", !self.changes.unknown.is_empty()),
            ("quantiles", "Quantile by quantile", self.is_compared),
            ("time", "Second by second", self.is_compared),
            ("beside", "Beside the changes", beside),
            ("drift", "Since the oldest release", !self.drift.is_empty()),
            ("notes", "Notes", !self.notes.is_empty()),
        ];
        let link = |(part, text, _): &(&str, &str, bool)| Link { href: format!("#{}-{part}", self.id), text: (*text).to_owned() };
        parts.iter().filter(|(_, _, there)| *there).map(link).collect()
    }
}
