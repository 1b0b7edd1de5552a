//! Values that stand for themselves: the number of containers, a database's utilisation, its connections.

use std::collections::BTreeMap;

use super::super::findings::Findings;
use super::super::findings::Standing;
use super::super::quantity::Quantity;
use super::group::Group;
use super::{in_order, judged, measured, median, observed, standing};
use crate::model::catalogue::FigureId;
use crate::model::figure::Figure;
use crate::model::units::Unit;

/// Why series are not added.
pub(super) const APART: &str = "its series have no moment in common and can't be added: ask for all at the same moments";

/// How the moments of a window become a figure.
#[derive(Clone, Copy)]
enum Of {
    Median,
    Lowest,
    Highest,
}

pub(super) fn tell(group: &Group<'_>, quantity: Quantity, found: &mut Findings) {
    use FigureId as F;
    match quantity {
        Quantity::ContainerInstances => {
            let summed = if group.series.len() > 1 { "the series added at each moment, " } else { "" };
            add(group, F::ContainerInstancesMedian, Of::Median, &format!("{summed}median"), found);
            add(group, F::ContainerInstancesMin, Of::Lowest, &format!("{summed}lowest"), found);
            add(group, F::ContainerInstancesMax, Of::Highest, &format!("{summed}highest"), found);
        }
        Quantity::DatabaseConnections => {
            let method = if group.series.len() > 1 { "sum over databases at each moment, median" } else { "median of periods" };
            add(group, F::DatabaseConnections, Of::Median, method, found);
        }
        Quantity::DatabaseCpu => {
            only_one(group, &[F::DatabaseCpuMedian, F::DatabaseCpuPeak], found, |found| {
                add(group, F::DatabaseCpuMedian, Of::Median, "median of periods", found);
                add(group, F::DatabaseCpuPeak, Of::Highest, "highest period", found);
            });
        }
        Quantity::DatabaseMemory => {
            only_one(group, &[F::DatabaseMemory], found, |found| {
                add(group, F::DatabaseMemory, Of::Median, "median of periods", found);
            });
        }
        Quantity::DatabaseWaits => waits(group, found),
        _ => {}
    }
}

fn add(group: &Group<'_>, id: FigureId, of: Of, method: &str, found: &mut Findings) {
    if group.is_apart() {
        return found.add(id, Figure::not_captured(APART), Standing::None);
    }
    let sorted = in_order(group.summed().into_values());
    let value = match of {
        Of::Median => median(&sorted),
        Of::Lowest => sorted.first().copied(),
        Of::Highest => sorted.last().copied(),
    };
    if let Some(value) = value {
        found.add(id, judged(measured(group, value, id.unit(), method)), standing(group));
    }
}

/// A utilisation of two machines can't be added, and a median over both is of neither.
fn only_one(group: &Group<'_>, ids: &[FigureId], found: &mut Findings, tell: impl FnOnce(&mut Findings)) {
    if group.series.len() == 1 {
        return tell(found);
    }
    let why = format!("{} series of {}: utilisations of several machines can't be added", group.series.len(), group.metric);
    if let Some(file) = group.file() {
        let help = "choose one in the mapping file by its `labels`, or ask the source for one";
        found.told.push(file.complaint("several-series", why.clone()).help(help));
    }
    for id in ids {
        found.add(*id, Figure::not_captured(why.clone()), Standing::None);
    }
}

/// How many sessions wait on average, by what for. Never added: a wait for the client is no wait for a lock.
fn waits(group: &Group<'_>, found: &mut Findings) {
    let moments = group.moments().len();
    let mut by_event: BTreeMap<String, f64> = BTreeMap::new();
    for series in &group.series {
        let event = format!("{}/{}", series.label("wait_event_type"), series.label("wait_event"));
        let sum: f64 = group.inside(series).filter_map(|point| series.scaled(point)).sum();
        *by_event.entry(event).or_default() += sum;
    }
    for (event, sum) in by_event {
        let mean = measured(group, sum / moments as f64, Unit::Count, "mean of the periods");
        found.observed.push(observed(format!("mean sessions in {event}"), mean));
    }
    for path in group.files() {
        found.use_file(&path, "sessions that wait");
    }
}
