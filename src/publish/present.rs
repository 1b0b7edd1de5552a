//! What lies in the folders of a publication now, or would if an interrupted one were at its end.

use std::collections::BTreeMap;

use super::place::{Place, Roots};
use crate::fs::FsError;
use crate::fs::switch::{Found, look};

/// What lies there.
#[derive(Clone, Debug)]
pub struct Present<'r> {
    roots: &'r Roots,
    finished: BTreeMap<Place, Found>,
}

impl<'r> Present<'r> {
    /// The folders as they are, but for files that are thought to be other already.
    #[must_use]
    pub fn new(roots: &'r Roots, finished: BTreeMap<Place, Found>) -> Self {
        Self { roots, finished }
    }

    /// The folders.
    #[must_use]
    pub fn roots(&self) -> &'r Roots {
        self.roots
    }

    /// What lies at a place.
    ///
    /// # Errors
    /// [`FsError`] if the system refuses.
    pub fn look(&self, place: &Place) -> Result<Found, FsError> {
        match (self.finished.get(place), self.roots.folder(place.root)) {
            (Some(found), _) => Ok(found.clone()),
            (None, Some(folder)) => look(folder, &place.path),
            (None, None) => Ok(Found::Nothing),
        }
    }

    /// The bytes of a file; `None` of everything else.
    ///
    /// # Errors
    /// [`FsError`] if the system refuses.
    pub fn bytes(&self, place: &Place) -> Result<Option<Vec<u8>>, FsError> {
        Ok(match self.look(place)? {
            Found::File(bytes) => Some(bytes),
            _ => None,
        })
    }

    /// What lies at some places.
    ///
    /// # Errors
    /// [`FsError`] if the system refuses.
    pub fn look_at<'p>(&self, places: impl IntoIterator<Item = &'p Place>) -> Result<BTreeMap<Place, Found>, FsError> {
        places.into_iter().map(|place| Ok((place.clone(), self.look(place)?))).collect()
    }
}
