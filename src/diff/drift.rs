//! How far a release has come from the oldest one that it can be compared with: small changes from release to release add up.

use super::change::Ground;
use super::metric::{LATENCIES, Metric};
use super::sides::{Input, Members, Pairing, are_same};
use super::{contract, target};
use crate::model::address::{Address, Release};
use crate::model::collection::Run;
use crate::model::comparison::{Comparability, Drift, Kind};

/// The drift of a target since the oldest comparable release before both sides; empty where there is none.
pub(super) fn since_oldest(input: &Input<'_>, pairing: &Pairing<'_>, noise: target::Noise<'_>) -> Vec<Drift> {
    let Some((first_a, first_b)) = pairing.a.compared.first().zip(pairing.b.compared.first()) else { return Vec::new() };
    let place = |release: &Release| input.archive.releases().iter().position(|one| one.name == *release);
    let Some(end) = place(&first_a.address.release).min(place(&first_b.address.release)) else { return Vec::new() };
    let older = input.archive.releases().iter().take(end);
    let mut candidates = older.filter_map(|release| {
        let of_target = |(address, _): &(&Address, &Run)| address.target == first_b.address.target;
        let members = Members::of(release.runs.iter().filter(of_target));
        let is_whole = !members.is_empty() && !members.is_aborted();
        is_whole.then_some((release.name.to_string(), members))
    });
    let oldest = candidates.find(|(_, members)| {
        let contract = contract::compare(&members.records(), &pairing.b.records(), &input.settings.contract_accept);
        contract.verdict < Comparability::NotComparable
    });
    let Some((since, members)) = oldest else { return Vec::new() };
    let ground = Ground {
        target: &pairing.target,
        floors: &input.settings.floors,
        repeats: noise.repeats,
        resampled: noise.resampled,
        left_out: &[],
        same_runs: are_same(&members, &pairing.b),
        incidents: [&[], &[]],
    };
    let metrics = std::iter::once(Kind::Throughput).chain(LATENCIES).map(Metric::whole);
    let changes = metrics.filter_map(|metric| target::told(&metric, &members, &pairing.b, ground).ok());
    changes
        .filter_map(|change| {
            let (ratio, interval) = change.ratio.zip(change.interval)?;
            Some(Drift { since: since.clone(), metric: change.metric, ratio, interval, decision: change.decision })
        })
        .collect()
}
