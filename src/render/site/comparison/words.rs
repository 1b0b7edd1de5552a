//! What a page of a comparison says beside the words that all forms of it share.

pub(super) use crate::render::comparison::words::{
    area, basis_words as basis, counted_words, decision, percent, plain as size, points, points_within, within,
};

use crate::model::comparison::{Counted, NoiseOrigin, Presence};
use crate::model::units::show_number;

/// A ratio as such, of runs that are unlike too: `×1.08`, `×67.9`.
pub(super) fn times(ratio: f64) -> String {
    format!("×{}", show_number(ratio))
}

/// Where the noise from run to run is known from.
pub(super) fn origin(origin: NoiseOrigin) -> &'static str {
    match origin {
        NoiseOrigin::Repeats => "between the archive's repeats",
        NoiseOrigin::RepeatsOfTarget => "between the target's repeats",
        NoiseOrigin::Assumed => "assumed: nobody measured it",
        NoiseOrigin::Counts => "of the counts, minute by minute",
        NoiseOrigin::SameRuns => "none: both sides are the same runs",
    }
}

/// `38 of 7,270,615`
pub(super) fn counted(counted: Counted) -> String {
    counted_words(counted.count, counted.of)
}

/// On which side something is; empty where it is on both.
pub(super) fn presence(presence: Presence) -> &'static str {
    match presence {
        Presence::Both => "",
        Presence::New => "new",
        Presence::Gone => "gone",
    }
}
