//! Plain values of several machines or moments that stand for a distribution: utilisation as Prometheus scrapes it.

use super::super::findings::Findings;
use super::super::quantity::Quantity;
use super::group::Group;
use super::{in_order, judged, measured, standing};
use crate::model::catalogue::FigureId;

pub(super) fn tell(group: &Group<'_>, quantity: Quantity, found: &mut Findings) {
    use FigureId as F;
    let sorted = in_order(group.numbers());
    let over = format!("{} points of {} series", sorted.len(), group.series.len());
    let percentiles: &[(FigureId, f64)] = match quantity {
        Quantity::ContainerCpu => &[(F::ContainerCpuP50, 0.5), (F::ContainerCpuP99, 0.99), (F::ContainerCpuPeak, 1.0)],
        Quantity::ContainerMemory => &[(F::ContainerMemoryP50, 0.5), (F::ContainerMemoryPeak, 1.0)],
        Quantity::ClientCpu => &[(F::ClientCpuPeak, 1.0)],
        _ => {
            let why = "a plain number of a latency is a mean or a percentile, and nothing says which";
            return group.files().iter().for_each(|path| found.pass_over(path, why));
        }
    };
    for (id, share) in percentiles {
        let method =
            if *share < 1.0 { format!("percentile over {over}, linear between two") } else { format!("highest of {over}") };
        if let Some(value) = at_share(&sorted, *share) {
            found.add(*id, judged(measured(group, value, id.unit(), method)), standing(group));
        }
    }
}

/// The value at a share of ordered values, linear between closest ranks, as k6 has it.
fn at_share(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = share * sorted.len().checked_sub(1)? as f64;
    // A rank is never below 0 and never above the last index.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index of a list in memory")]
    let below = rank.floor() as usize;
    let low = *sorted.get(below)?;
    let high = sorted.get(below + 1).copied().unwrap_or(low);
    Some(low + (high - low) * (rank - rank.floor()))
}
