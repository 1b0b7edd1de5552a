//! What a flow may ask about: figures of a run, of its previous run, and facts.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::catalogue::{FigureId, UnknownFigure};
use super::figure::Figure;

/// A figure of the run, or of the previous one: `database.cpu.median`, `previous.k6.vus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FigureRef {
    /// Whether the previous run is meant.
    pub previous: bool,
    /// The figure.
    pub figure: FigureId,
}

impl FigureRef {
    /// A figure of the run itself.
    #[must_use]
    pub fn this(figure: FigureId) -> Self {
        Self { previous: false, figure }
    }

    /// A figure of the previous run.
    #[must_use]
    pub fn previous(figure: FigureId) -> Self {
        Self { previous: true, figure }
    }
}

impl fmt::Display for FigureRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.previous {
            f.write_str("previous.")?;
        }
        f.write_str(self.figure.name())
    }
}

impl FromStr for FigureRef {
    type Err = UnknownFigure;

    fn from_str(text: &str) -> Result<Self, UnknownFigure> {
        match text.strip_prefix("previous.") {
            Some(name) => name.parse().map(Self::previous),
            None => text.parse().map(Self::this),
        }
    }
}

/// A fact: true, false, or not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// The run's errors may wait (`deferrable` in run.toml).
    Deferrable,
    /// The project stops when a goal is reached (`[flow] stop_at_goal`).
    StopAtGoal,
    /// There is a previous run of this target.
    HasPrevious,
}

impl Fact {
    /// All facts.
    pub const ALL: [Self; 3] = [Self::Deferrable, Self::StopAtGoal, Self::HasPrevious];

    /// Its name in a flow.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Deferrable => "run.deferrable",
            Self::StopAtGoal => "flow.stop_at_goal",
            Self::HasPrevious => "run.has_previous",
        }
    }
}

/// Everything a flow may ask about one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Figures; one that is not here was not captured.
    pub figures: BTreeMap<FigureRef, Figure>,
    /// Facts; one that is not here is not known.
    pub facts: BTreeMap<Fact, bool>,
    /// Whether the run was ended before its time, and by what.
    pub aborted: Option<String>,
}

impl Known {
    /// A figure; not captured if nothing is known of it.
    #[must_use]
    pub fn figure(&self, figure: FigureRef) -> Figure {
        self.figures.get(&figure).cloned().unwrap_or(Figure::NotCaptured { reason: None })
    }

    /// A fact, if known.
    #[must_use]
    pub fn fact(&self, fact: Fact) -> Option<bool> {
        self.facts.get(&fact).copied()
    }
}
