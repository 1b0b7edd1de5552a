//! Figures: measured, not captured, or incomplete. The three never collapse into each other.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bounds::Bounds;
use super::catalogue::FigureId;
use super::units::{self, Unit, Written};

/// One named value of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum Figure {
    /// It was measured; zero is measured.
    Measured(Measurement),
    /// The source hit a limit, or covers under 90% of the window.
    Incomplete(Measurement),
    /// Nobody captured it.
    NotCaptured {
        /// Why, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

/// A value with all that is known about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measurement {
    /// The value in its unit.
    pub value: f64,
    /// The unit; the catalogue's.
    pub unit: Unit,
    /// What rounding or cutting allows; absent where the value is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// The digits as somebody printed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// What a share is a share of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// How it was computed, where that is not the only way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// What it is no more than, where it is not what its name says; absent where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
    /// Points seen of points expected in the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// What is missing, where the figure is incomplete for another reason than its coverage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacking: Option<String>,
    /// Where it was read: a row of a page, a metric of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The files it was computed from, as provenance names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// How many time series it was computed from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<u64>,
}

/// What a value is, where its source gives no more: the better one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// Near what its name says: a median of one-minute percentiles, a count extrapolated by `increase()`.
    Approximate,
    /// Made of percentiles that the source had averaged: no percentile of any set of requests.
    AveragedPercentiles,
}

/// How much of the window a source covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Points in the window.
    pub seen: u64,
    /// Points there should be.
    pub expected: u64,
    /// Points of the same files that lie outside the window.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub outside: u64,
    /// Seconds between two points, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period_s: Option<u64>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands it a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Coverage {
    /// Points seen of points expected, and nothing else known.
    #[must_use]
    pub fn of(seen: u64, expected: u64) -> Self {
        Self { seen, expected, outside: 0, period_s: None }
    }

    /// True exactly if at least 90% of the points are there.
    #[must_use]
    pub fn is_complete(self) -> bool {
        self.seen.saturating_mul(10) >= self.expected.saturating_mul(9)
    }
}

impl Measurement {
    /// An exact value.
    #[must_use]
    pub fn exact(value: f64, unit: Unit) -> Self {
        Self {
            value,
            unit,
            bounds: None,
            printed: None,
            of: None,
            method: None,
            grade: None,
            coverage: None,
            lacking: None,
            source: None,
            files: Vec::new(),
            series: None,
        }
    }

    /// A value as printed, with what its rounding allows.
    #[must_use]
    pub fn written(written: Written, unit: Unit) -> Self {
        let exact = written.bounds.lo() >= written.bounds.hi();
        Self { bounds: (!exact).then_some(written.bounds), printed: Some(written.printed), ..Self::exact(written.value, unit) }
    }

    /// The same value with bounds, unless they hold one value only.
    #[must_use]
    pub fn within(mut self, bounds: Bounds) -> Self {
        self.bounds = (bounds.lo() < bounds.hi()).then_some(bounds);
        self
    }

    /// The same value as a share of something.
    #[must_use]
    pub fn of(mut self, of: impl Into<String>) -> Self {
        self.of = Some(of.into());
        self
    }

    /// The same value with the way it was computed.
    #[must_use]
    pub fn by(mut self, method: impl Into<String>) -> Self {
        self.method = Some(method.into());
        self
    }

    /// The same value with where it was read.
    #[must_use]
    pub fn from(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What the true value can be.
    #[must_use]
    pub fn range(&self) -> Bounds {
        // A measurement of a record is finite: `Figures` checks it on the way in.
        self.bounds.or_else(|| Bounds::exact(self.value)).unwrap_or_else(|| unreachable!("a finite value has bounds"))
    }

    /// The printed digits where there are some, else the value as pages show it.
    #[must_use]
    pub fn text(&self) -> String {
        self.printed.clone().unwrap_or_else(|| units::show(self.value, self.unit))
    }
}

impl Figure {
    /// The value, measured or incomplete.
    #[must_use]
    pub fn measurement(&self) -> Option<&Measurement> {
        match self {
            Self::Measured(measurement) | Self::Incomplete(measurement) => Some(measurement),
            Self::NotCaptured { .. } => None,
        }
    }

    /// The value if it is measured and complete: what a rule may decide on.
    #[must_use]
    pub fn measured(&self) -> Option<&Measurement> {
        match self {
            Self::Measured(measurement) => Some(measurement),
            _ => None,
        }
    }

    /// A figure that nobody captured, with the reason.
    #[must_use]
    pub fn not_captured(reason: impl Into<String>) -> Self {
        Self::NotCaptured { reason: Some(reason.into()) }
    }
}

/// Figures by name. What is not in it was not captured, for no reason anybody wrote down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "BTreeMap<FigureId, Figure>", into = "BTreeMap<FigureId, Figure>")]
#[schemars(with = "BTreeMap<FigureId, Figure>")]
pub struct Figures(BTreeMap<FigureId, Figure>);

/// A figure whose value does not fit the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadFigure {
    /// Its unit is another one.
    #[error("`{figure}` is in {wanted}, not in {given}")]
    Unit {
        /// The figure.
        figure: FigureId,
        /// The catalogue's unit.
        wanted: Unit,
        /// The unit it came with.
        given: Unit,
    },
    /// Its value is no number.
    #[error("the value of `{0}` is not a finite number")]
    NotFinite(FigureId),
}

impl Figures {
    /// Adds or replaces a figure.
    ///
    /// # Errors
    /// [`BadFigure`] if its unit is not the catalogue's or its value is not finite.
    pub fn set(&mut self, id: FigureId, figure: Figure) -> Result<(), BadFigure> {
        if let Some(measurement) = figure.measurement() {
            if measurement.unit != id.unit() {
                return Err(BadFigure::Unit { figure: id, wanted: id.unit(), given: measurement.unit });
            }
            if !measurement.value.is_finite() {
                return Err(BadFigure::NotFinite(id));
            }
        }
        self.0.insert(id, figure);
        Ok(())
    }

    /// A figure, if anything is known about it.
    #[must_use]
    pub fn get(&self, id: FigureId) -> Option<&Figure> {
        self.0.get(&id)
    }

    /// All figures in the catalogue's order.
    pub fn iter(&self) -> impl Iterator<Item = (FigureId, &Figure)> {
        self.0.iter().map(|(id, figure)| (*id, figure))
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl TryFrom<BTreeMap<FigureId, Figure>> for Figures {
    type Error = BadFigure;

    fn try_from(map: BTreeMap<FigureId, Figure>) -> Result<Self, BadFigure> {
        let mut figures = Self::default();
        for (id, figure) in map {
            figures.set(id, figure)?;
        }
        Ok(figures)
    }
}

impl From<Figures> for BTreeMap<FigureId, Figure> {
    fn from(figures: Figures) -> Self {
        figures.0
    }
}
