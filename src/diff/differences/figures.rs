//! Captured and provisioned figures side by side.

use crate::model::catalogue::{CATALOGUE, FigureId, Origin};
use crate::model::comparison::FigurePair;
use crate::model::derive;
use crate::model::figure::{Figure, Grade, Measurement};
use crate::model::record::Record;
use crate::model::units::show_count;

/// Captured and provisioned figures that one of the runs has, in the catalogue's order. The shown texts are those of the pages; an
/// incomplete one says so and what it lacks, and where the two are shares of different things, or one is no more than an
/// approximation, both say of what and how good.
#[must_use]
pub fn figures(a: &Record, b: &Record) -> Vec<FigurePair> {
    let rows = CATALOGUE.iter().filter(|row| matches!(row.origin, Origin::Captured | Origin::Provisioned));
    rows.filter_map(|row| pair(row.figure, &derive::figure(a, row.figure), &derive::figure(b, row.figure))).collect()
}

fn pair(figure: FigureId, a: &Figure, b: &Figure) -> Option<FigurePair> {
    let (known_a, known_b) = (a.measurement(), b.measurement());
    if known_a.is_none() && known_b.is_none() {
        return None;
    }
    let nature = |known: Option<&Measurement>| known.map(|known| (known.of.clone(), known.grade));
    let are_unlike = known_a.is_some() && known_b.is_some() && nature(known_a) != nature(known_b);
    Some(FigurePair {
        figure,
        unit: figure.unit(),
        a: known_a.map(|known| known.value),
        b: known_b.map(|known| known.value),
        shown_a: shown(a, are_unlike),
        shown_b: shown(b, are_unlike),
    })
}

/// The value as pages show it, with what a reader must know of it behind it in brackets.
fn shown(figure: &Figure, with_nature: bool) -> Option<String> {
    let known = figure.measurement()?;
    let nature = if with_nature { [of(known), grade(known)] } else { [None, None] };
    let lack = matches!(figure, Figure::Incomplete(_)).then(|| lack(known));
    let notes: Vec<String> = nature.into_iter().chain([lack]).flatten().collect();
    let text = known.text();
    Some(if notes.is_empty() { text } else { format!("{text} ({})", notes.join("; ")) })
}

fn of(known: &Measurement) -> Option<String> {
    known.of.as_ref().map(|of| format!("of {of}"))
}

fn grade(known: &Measurement) -> Option<String> {
    let words = match known.grade? {
        Grade::Approximate => "approximate",
        Grade::AveragedPercentiles => "averaged percentiles",
    };
    Some(words.to_owned())
}

/// `incomplete: 12 of 30 points`.
fn lack(known: &Measurement) -> String {
    let points = || known.coverage.map(|seen| format!("{} of {} points", show_count(seen.seen), show_count(seen.expected)));
    known.lacking.clone().or_else(points).map_or_else(|| "incomplete".to_owned(), |what| format!("incomplete: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::figure::Coverage;
    use crate::model::units::{Unit, Written};

    fn record() -> Record {
        Record::new("v1/a".parse().unwrap_or_else(|e| unreachable!("{e}")))
    }

    fn with(figures: impl IntoIterator<Item = (FigureId, Figure)>) -> Record {
        let mut record = record();
        for (id, figure) in figures {
            assert!(record.figures.set(id, figure).is_ok(), "{id}");
        }
        record
    }

    fn texts(pairs: &[FigurePair]) -> Vec<(&'static str, Option<&str>, Option<&str>)> {
        pairs.iter().map(|pair| (pair.figure.name(), pair.shown_a.as_deref(), pair.shown_b.as_deref())).collect()
    }

    #[test]
    fn a_figure_of_one_run_stands_beside_nothing_and_zero_is_a_value() {
        let printed = Written::read("97%", Unit::Ratio).unwrap_or_else(|e| unreachable!("{e}"));
        let a = with([
            (FigureId::DatabaseCpuMedian, Figure::Measured(Measurement::written(printed, Unit::Ratio))),
            (FigureId::ContainerInstancesStartups, Figure::Measured(Measurement::exact(0.0, Unit::Count))),
        ]);
        let b = with([
            (FigureId::DatabaseCpuMedian, Figure::not_captured("the machine was gone")),
            (FigureId::ContainerInstancesStartups, Figure::Measured(Measurement::exact(2.0, Unit::Count))),
            (FigureId::DatabaseMemory, Figure::not_captured("nobody looked")),
        ]);
        let pairs = figures(&a, &b);
        let wanted = [("container.instances.startups", Some("0"), Some("2")), ("database.cpu.median", Some("97%"), None)];
        assert_eq!(texts(&pairs), wanted);
        assert_eq!((pairs[1].a, pairs[1].b, pairs[1].unit), (Some(0.97), None, Unit::Ratio));
    }

    #[test]
    fn an_incomplete_one_says_so() {
        let half = |lacking: Option<&str>| {
            let lacking = lacking.map(str::to_owned);
            let coverage = Some(Coverage::of(12, 1030));
            Figure::Incomplete(Measurement { coverage, lacking, ..Measurement::exact(0.5, Unit::Ratio) })
        };
        let id = FigureId::DatabaseCpuPeak;
        let pairs = figures(&with([(id, half(None))]), &with([(id, half(Some("a limit of 10 series")))]));
        let (a, b) = ("50% (incomplete: 12 of 1,030 points)", "50% (incomplete: a limit of 10 series)");
        assert_eq!(texts(&pairs), [("database.cpu.peak", Some(a), Some(b))]);
    }

    #[test]
    fn shares_of_different_things_say_of_what() {
        let share = |of: &str| Figure::Measured(Measurement::exact(0.25, Unit::Ratio).of(of));
        let id = FigureId::DatabaseLockWaitRatio;
        let shown = |a: &str, b: &str| {
            let pairs = figures(&with([(id, share(a))]), &with([(id, share(b))]));
            [pairs[0].shown_a.clone().unwrap_or_default(), pairs[0].shown_b.clone().unwrap_or_default()]
        };
        assert_eq!(shown("database time", "database time"), ["25%", "25%"]);
        assert_eq!(shown("database time", "top-5 query time"), ["25% (of database time)", "25% (of top-5 query time)"]);
    }

    #[test]
    fn what_was_provisioned_is_told_and_what_k6_measured_is_not() {
        let (mut a, b) = (record(), with([(FigureId::K6Iterations, Figure::Measured(Measurement::exact(5.0, Unit::Count)))]));
        a.environment.database.vcpu = Some(8.0);
        assert_eq!(texts(&figures(&a, &b)), [("database.vcpu", Some("8"), None)]);
        assert!(figures(&b, &b).is_empty());
    }
}
