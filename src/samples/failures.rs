//! Failures of raw samples: the failed requests gathered into populations, and the checks.

use std::collections::BTreeMap;

use super::merged::{FailureKey, Named, Samples};
use super::origins::Origins;
use super::phases::moment_at;
use super::populations::{Cell, Failing, populations};
use crate::model::failures::{CheckResult, Failures, Phase, SCHEMA};
use crate::model::instant::Moment;
use crate::model::summary::Check;

impl Samples {
    /// What failed, when, and on whose side by some rules.
    #[must_use]
    pub fn failures(&self, origins: &Origins) -> Failures {
        let second = |ns: i64| ns.div_euclid(1_000_000_000);
        let window = self.span(Phase::Test).map(|(first, last)| (second(first), second(last)));
        let counted = |metric: &str| Some(self.group(metric, |_| true)).filter(|group| !group.is_empty());
        Failures {
            schema: SCHEMA,
            requests: counted("http_reqs").map(|group| group.count()),
            failed: counted("http_req_failed").map(|group| group.trues()),
            populations: populations(self.failing(window), window, origins),
            checks: self.check_results(),
        }
    }

    /// The failed requests by how and where they failed. Where the source does not tell their phase, their time does.
    fn failing(&self, window: Option<(i64, i64)>) -> Vec<Failing> {
        let by_time = |second: i64| match window {
            Some((first, _)) if second < first => Phase::Setup,
            Some((_, last)) if second > last => Phase::Teardown,
            _ => Phase::Test,
        };
        let mut failing = Vec::new();
        for (piece, failed) in self.by_piece("http_req_failed") {
            let Named::Failure(key) = &piece.part else { continue };
            let told = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let mut phases: BTreeMap<Phase, Vec<Cell>> = BTreeMap::new();
            failed.sums(|second, cell| {
                let cell = Cell { second, method: told(&key.method), name: told(&key.name), count: cell.trues };
                phases.entry(piece.phase.unwrap_or_else(|| by_time(second))).or_default().push(cell);
            });
            failing.extend(phases.into_iter().map(|(phase, cells)| of_kind(key, phase, cells)));
        }
        failing
    }

    fn check_results(&self) -> Vec<CheckResult> {
        let failed = self.checks_failed_between();
        let result = |check: Check| {
            let (first, last) = failed.get(&(check.group.as_str(), check.name.as_str())).copied().unzip();
            CheckResult {
                passes: check.passes.unwrap_or(0),
                fails: check.fails.unwrap_or(0),
                name: check.name,
                group: check.group,
                first_failure: first,
                last_failure: last,
            }
        };
        self.checks().into_iter().map(result).collect()
    }

    /// When checks first and last did not hold, to the second, by group and name.
    fn checks_failed_between(&self) -> BTreeMap<(&str, &str), (Moment, Moment)> {
        let mut spans: BTreeMap<(&str, &str), (i64, i64)> = BTreeMap::new();
        for (piece, samples) in self.by_piece("checks") {
            let Named::Check { group, name } = &piece.part else { continue };
            samples.sums(|second, cell| {
                if cell.trues < cell.count {
                    let span = spans.entry((group, name)).or_insert((second, second));
                    *span = (span.0.min(second), span.1.max(second));
                }
            });
        }
        spans.into_iter().map(|(check, (first, last))| (check, (moment_at(first), moment_at(last)))).collect()
    }
}

fn of_kind(key: &FailureKey, phase: Phase, cells: Vec<Cell>) -> Failing {
    let message = (!key.error.is_empty()).then(|| key.error.clone());
    Failing { status: key.status.parse().ok(), error_code: key.error_code.parse().ok(), message, phase, cells }
}
