//! How the points of a window become figures: once for all sources.

use super::findings::Findings;
use super::mapping::Meaning;
use super::track::Track;
use super::{File, Window};

/// What series tell of a window: figures by what the series measure. Without a window all points count.
#[must_use]
pub fn findings(_tracks: &[(&Track, Meaning, &File)], _window: Option<Window>) -> Findings {
    Findings::default()
}
