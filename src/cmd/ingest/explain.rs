//! A figure explained: what it is, where it is from, what would give it.

use super::super::{Exit, Failure, Streams};
use super::Ready;
use crate::capture::quantity::Quantity;
use crate::capture::reduce;
use crate::model::catalogue::{FigureId, Origin};
use crate::model::derive;
use crate::model::figure::{Coverage, Figure, Grade};
use crate::terminal::wrapped;

pub(super) fn explain(figure: FigureId, runs: &[Ready], streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let mut found = false;
    for run in runs {
        let value = derive::figure(&run.record, figure);
        found |= value.measurement().is_some();
        let wanted = if value.measurement().is_none() { wanted(figure) } else { String::new() };
        writeln!(streams.out, "{}  {figure}  {}{wanted}", run.record.address(), explained(&value, figure))?;
    }
    Ok(if found { Exit::Yes } else { Exit::No })
}

/// What would give a figure that is lacking.
fn wanted(figure: FigureId) -> String {
    if figure.row().origin == Origin::Derived {
        return "\n  wanted  k6's summary, from which it is computed".to_owned();
    }
    let given = Quantity::ALL.iter().filter(|(quantity, _, _)| reduce::figures(*quantity).contains(&figure));
    let names: Vec<String> = given.map(|(_, name, _)| format!("`{name}`")).collect();
    let series = match names.as_slice() {
        [] => String::new(),
        names => format!("\n  wanted  series of {}, as rules tell them (docs/captures.md)", names.join(" and ")),
    };
    series + "\n  or      a line under [figures] of run.toml"
}

/// A figure with all that is known of it, a line each.
fn explained(figure: &Figure, id: FigureId) -> String {
    let (state, measurement) = match figure {
        Figure::Measured(measurement) => ("measured", measurement),
        Figure::Incomplete(measurement) => ("incomplete", measurement),
        Figure::NotCaptured { reason } => {
            return reason.as_ref().map_or("not captured".to_owned(), |reason| format!("not captured: {reason}"));
        }
    };
    let value = format!("{} ({state}, {} {})", measurement.text(), significant(measurement.value), id.unit());
    let series = measurement.series.map(|series| format!(", {series} series")).unwrap_or_default();
    let lines = [
        ("bounds", measurement.bounds.map(|bounds| format!("between {} and {}", bounds.lo(), bounds.hi()))),
        ("of", measurement.of.clone()),
        ("method", measurement.method.clone()),
        ("grade", measurement.grade.map(grade)),
        ("lacking", measurement.lacking.clone()),
        ("points", measurement.coverage.map(points)),
        ("from", measurement.source.as_ref().map(|source| format!("{source}{series}"))),
        ("files", (!measurement.files.is_empty()).then(|| measurement.files.join(", "))),
    ];
    let lines =
        lines.into_iter().filter_map(|(word, text)| Some("\n".to_owned() + &wrapped(&format!("  {word:8}{}", text?), 10)));
    value + &lines.collect::<String>()
}

/// A number without the noise behind its twelfth digit: 0.1 + 0.2 is 0.3.
fn significant(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

fn grade(grade: Grade) -> String {
    match grade {
        Grade::Approximate => "an approximation".to_owned(),
        Grade::AveragedPercentiles => "made of averaged percentiles: no percentile of any set of requests".to_owned(),
    }
}

fn points(coverage: Coverage) -> String {
    let period = coverage.period_s.map(|seconds| format!(", {seconds} s apart")).unwrap_or_default();
    let outside = if coverage.outside > 0 { format!("; {} outside the window", coverage.outside) } else { String::new() };
    format!("{} of {}{period}{outside}", coverage.seen, coverage.expected)
}
