//! What files hold less than there is: pages that are missing, parts that the source could not read.

use super::super::track::Limit;
use super::super::{Capture, File};

/// What files hold less than there is.
#[derive(Default)]
pub(super) struct Limits<'a> {
    /// Why the values are a lower bound.
    pub(super) lacking: Option<String>,
    /// The file that says so.
    pub(super) limited: Option<&'a File>,
    /// Whether the last page of the answer is missing.
    pub(super) more_pages: bool,
}

/// Why the files hold less than there is, which of them says so, and whether pages of the answer are missing.
pub(super) fn limits<'a>(files: &[&'a File]) -> Limits<'a> {
    let words = |limit: &Limit| match limit {
        Limit::Partial(words) => Some(format!("a part of the data was missing: {words}")),
        Limit::MorePages => None,
    };
    let partial = files.iter().find_map(|file| Some((*file, limits_of(file).iter().find_map(words)?)));
    let more_pages = !files.iter().any(|file| !limits_of(file).contains(&Limit::MorePages));
    let (limited, lacking) = partial.unzip();
    Limits { lacking, limited, more_pages }
}

/// What one file says that it left out.
pub(super) fn limits_of(file: &File) -> &[Limit] {
    match &file.capture {
        Capture::Tracks(tracks) => &tracks.limits,
        _ => &[],
    }
}
