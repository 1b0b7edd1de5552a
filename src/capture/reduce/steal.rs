//! The share of CPU time that the host took from a machine: a mean over its CPUs and the window, to be read beside what may follow it.

use super::super::findings::{Findings, Standing};
use super::super::mapping::Shape;
use super::group::Group;
use super::growth::Starts;
use super::pace::pace;
use super::{judged, measured, standing};
use crate::model::catalogue::FigureId;
use crate::model::figure::Figure;

/// Of plain values and rates the mean of all points, of counters of seconds what they grew by over the time and their number: a series
/// is a CPU, or the whole machine.
pub(super) fn tell(group: &Group<'_>, starts: &Starts<'_>, found: &mut Findings) {
    let id = FigureId::ClientCpuSteal;
    match mean(group, starts) {
        Ok((value, method)) => found.add(id, judged(measured(group, value, id.unit(), method)), standing(group)),
        Err(why) => {
            if let Some(file) = group.file() {
                let help = "give the share of one machine's CPU time, or its counter of stolen seconds by CPU";
                found.told.push(file.complaint("no-steal", format!("{}: {why}", file.path)).help(help));
            }
            found.add(id, Figure::not_captured(why), Standing::None);
        }
    }
}

fn mean(group: &Group<'_>, starts: &Starts<'_>) -> Result<(f64, String), String> {
    let machine = group.series.first().map_or("", Group::owner);
    if group.series.iter().any(|series| Group::owner(series) != machine) {
        return Err(format!("{} series of {} are of several machines", group.series.len(), group.metric));
    }
    let series = group.series.len();
    match group.shape {
        Shape::Gauge | Shape::Rate => {
            let numbers = group.numbers();
            let method = format!("mean of {} points of {series} series", numbers.len());
            Ok((numbers.iter().sum::<f64>() / numbers.len() as f64, method))
        }
        Shape::Counter => {
            let pace = pace(group, starts).ok_or_else(|| format!("there is no time between two points of {}", group.metric))?;
            let method =
                format!("differences of raw points of {series} series, with resets, over {} s {}", pace.seconds, pace.between);
            Ok((pace.amount / pace.seconds / series as f64, method))
        }
        Shape::Delta | Shape::Increase | Shape::Percentile { .. } => {
            Err(format!("the values of {} are neither shares nor a counter", group.metric))
        }
    }
}
