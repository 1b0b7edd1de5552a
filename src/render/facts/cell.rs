//! One value as a page shows it: how well it is known, and counts that never hide behind a percentage.

use serde::Serialize;

use crate::model::bounds::Bounds;
use crate::model::figure::{Figure, Grade, Measurement};
use crate::model::units::{self, Unit};

/// One value on a page, and how well it is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(in crate::render) struct Cell {
    /// The value, or `not captured`.
    pub text: String,
    /// A few small words beside it; may be empty.
    pub note: String,
    /// The whole story, for who points at it; may be empty.
    pub title: String,
    /// `measured`, `incomplete` or `missing`.
    pub state: &'static str,
}

/// A cell under a label.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::render) struct Labelled {
    /// What it is.
    pub label: String,
    /// What it means; may be empty.
    pub meaning: String,
    /// The value.
    pub cell: Cell,
}

/// How wide an interval may be beside its value before it is printed next to it.
const WIDE: f64 = 0.02;

impl Cell {
    /// A value that is known.
    pub(in crate::render) fn known(text: impl Into<String>) -> Self {
        Self { text: text.into(), state: "measured", ..Self::default() }
    }

    /// A value that nobody captured.
    pub(in crate::render) fn missing(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { text: "not captured".to_owned(), title: reason.clone(), note: reason, state: "missing" }
    }

    /// The same with small words beside it.
    pub(in crate::render) fn noting(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// A figure of a record.
    pub(in crate::render) fn figure(figure: &Figure) -> Self {
        match figure {
            Figure::Measured(measurement) => Self::measurement(measurement),
            Figure::Incomplete(measurement) => {
                let lacking = measurement.lacking.as_ref().map(|lacking| format!(": {lacking}"));
                let seen = measurement.coverage.map(|c| format!(": {} of {} points", number(c.seen), number(c.expected)));
                let cell = Self::measurement(measurement).noting(format!("incomplete{}", lacking.or(seen).unwrap_or_default()));
                Self { state: "incomplete", ..cell }
            }
            Figure::NotCaptured { reason } => Self::missing(reason.clone().unwrap_or_default()),
        }
    }

    fn measurement(measurement: &Measurement) -> Self {
        let interval = measurement.bounds.and_then(|bounds| interval(bounds, measurement.unit));
        let of = measurement.of.as_ref().map(|of| format!("of {of}"));
        let told: Vec<String> = [
            interval.clone(),
            of.clone(),
            measurement.method.clone(),
            measurement.source.as_ref().map(|source| format!("from {source}")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let wide = measurement.printed.is_none() && measurement.bounds.is_some_and(|b| is_wide(b, measurement.value));
        let grade = measurement.grade.map(|grade| match grade {
            Grade::Approximate => "approximate".to_owned(),
            Grade::AveragedPercentiles => "averaged percentiles".to_owned(),
        });
        let note = [of, interval.filter(|_| wide), grade].into_iter().flatten().collect::<Vec<_>>().join("; ");
        Self { text: measurement.text(), note, title: told.join("; "), state: "measured" }
    }

    /// A value with its interval, as k6's summary has it; missing with a reason.
    pub(in crate::render) fn value(value: Option<f64>, bounds: Option<Bounds>, unit: Unit, reason: &str) -> Self {
        let Some(value) = value else {
            return Self { text: "—".to_owned(), title: reason.to_owned(), note: String::new(), state: "missing" };
        };
        let title = bounds.and_then(|bounds| interval(bounds, unit)).unwrap_or_default();
        Self { text: units::show(value, unit), note: String::new(), title, state: "measured" }
    }
}

/// `between 66.48 ms and 66.49 ms`; nothing where no digit tells the ends apart.
fn interval(bounds: Bounds, unit: Unit) -> Option<String> {
    let (scale, suffix) = match unit {
        Unit::Ratio => (100.0, "%"),
        Unit::Ms if bounds.hi().abs() >= 1000.0 => (1e-3, " s"),
        Unit::Ms => (1.0, " ms"),
        Unit::Bytes if bounds.hi().abs() >= 1e9 => (1e-9, " GB"),
        Unit::Bytes if bounds.hi().abs() >= 1e6 => (1e-6, " MB"),
        Unit::Bytes => (1.0, " B"),
        Unit::Count => (1.0, ""),
        Unit::PerSecond => (1.0, "/s"),
        Unit::PerMinute => (1.0, "/min"),
    };
    let (lo, hi) = apart(bounds.lo() * scale, bounds.hi() * scale)?;
    Some(format!("between {lo}{suffix} and {hi}{suffix}"))
}

/// Two ends with one digit more than tells them apart, rounded outwards: what is shown holds the whole interval.
fn apart(lo: f64, hi: f64) -> Option<(String, String)> {
    let decimals = (0_u8..=6).find(|n| format!("{lo:.*}", usize::from(*n)) != format!("{hi:.*}", usize::from(*n)))?;
    let decimals = (decimals + 1).min(6);
    let unit = 10f64.powi(i32::from(decimals));
    // What a decimal scale adds in dust is no digit.
    let (lo, hi) = ((lo * unit + 1e-6).floor() / unit, (hi * unit - 1e-6).ceil() / unit);
    Some((plain(lo, decimals), plain(hi, decimals)))
}

/// Without trailing zeros, thousands grouped.
fn plain(value: f64, decimals: u8) -> String {
    let text = format!("{value:.*}", usize::from(decimals));
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.trim_end_matches('0');
    let whole = whole.parse::<f64>().map_or_else(|_| whole.to_owned(), units::show_number);
    if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
}

/// Whether an interval is so wide beside its value that it is printed next to it.
pub(in crate::render) fn is_wide(bounds: Bounds, value: f64) -> bool {
    bounds.hi() - bounds.lo() > WIDE * value.abs()
}

/// A count with its thousands grouped.
pub(in crate::render) fn number(count: u64) -> String {
    units::show_count(count)
}

/// `38 of 7,270,615`: a count never hides behind a percentage.
pub(in crate::render) fn share(count: f64, of: f64) -> String {
    format!("{} of {}", units::show_number(count), units::show_number(of))
}

/// `1 run`, `3 runs`.
pub(in crate::render) fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", number(count as u64), if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::figure::Coverage;

    #[test]
    fn zero_missing_and_incomplete_differ() {
        let zero = Figure::Measured(Measurement::exact(0.0, Unit::Count));
        assert_eq!((Cell::figure(&zero).text.as_str(), Cell::figure(&zero).state), ("0", "measured"));
        let missing = Cell::figure(&Figure::not_captured("no metrics file"));
        assert_eq!((missing.text.as_str(), missing.note.as_str(), missing.state), ("not captured", "no metrics file", "missing"));
        let mut partial = Measurement::exact(0.5, Unit::Ratio);
        partial.coverage = Some(Coverage::of(10, 30));
        let partial = Cell::figure(&Figure::Incomplete(partial));
        assert_eq!((partial.text.as_str(), partial.note.as_str()), ("50%", "incomplete: 10 of 30 points"));
    }

    #[test]
    fn a_wide_interval_is_printed_and_a_narrow_one_told() {
        let bounds = |lo, hi| Bounds::new(lo, hi).unwrap_or_else(|| unreachable!());
        let wide = Figure::Measured(Measurement::exact(0.5, Unit::Ratio).within(bounds(0.4, 0.6)));
        assert_eq!(Cell::figure(&wide).note, "between 40% and 60%");
        let narrow = Cell::value(Some(66.48), Some(bounds(66.48, 66.49)), Unit::Ms, "");
        assert_eq!((narrow.text.as_str(), narrow.title.as_str()), ("66.5 ms", "between 66.48 ms and 66.49 ms"));
    }

    #[test]
    fn an_interval_is_shown_outwards_with_the_digits_that_tell_its_ends_apart() {
        let told = |lo, hi, unit| interval(Bounds::new(lo, hi)?, unit).map(|text| text.replace("between ", ""));
        assert_eq!(told(0.002_960_77, 0.003_260_18, Unit::Ratio).as_deref(), Some("0.296% and 0.327%"));
        assert_eq!(told(1740.0, 1750.0, Unit::Ms).as_deref(), Some("1.74 s and 1.75 s"));
        assert_eq!(told(8_983.936_555, 8_983.936_556, Unit::PerSecond).as_deref(), Some("8,983.936555/s and 8,983.936556/s"));
        assert_eq!(told(646.1, 710.2, Unit::Bytes).as_deref(), Some("646.1 B and 710.2 B"));
        assert_eq!(told(5.0, 5.0, Unit::Count), None);
    }
}
