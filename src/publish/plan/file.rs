//! What happens to one file.

use std::collections::BTreeMap;

use super::{Change, Step, Why, is_release_page};
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs::switch::Found;
use crate::publish::ends;
use crate::publish::keep::{Page, Syntax, carry};
use crate::publish::manifest::{Owned, fingerprint};
use crate::publish::place::{Place, Roots};
use crate::source::Source;

/// Makes steps.
pub(super) struct Maker<'a> {
    pub(super) roots: &'a Roots,
    pub(super) present: &'a BTreeMap<Place, Found>,
    pub(super) force: bool,
}

/// What becomes of a file that is wanted.
pub(super) enum Fate {
    /// It is its author's and stays, for this reason.
    LeftAlone(String),
    /// It will be ours.
    Written {
        /// What happens.
        step: Step,
        /// What the next publication has to know.
        owned: Owned,
        /// What people should know.
        note: Option<String>,
    },
}

impl Maker<'_> {
    /// A file that is wanted.
    pub(super) fn wanted(&self, place: &Place, made: &[u8], owned: Option<&Owned>) -> Result<Fate, Faults> {
        self.check_made(place, made)?;
        let shown = self.roots.shown(place);
        let Some(old) = self.bytes(place) else {
            let note = owned.map(|_| format!("`{shown}` was removed by hand and is written again"));
            let step = Step { place: place.clone(), change: Change::Create, old: None, new: Some(made.to_vec()), why: None };
            return Ok(Fate::Written { step, owned: Owned::of(place.path.file_name(), made, 0), note });
        };
        if owned.is_none() && is_release_page(place) && ends::unified(old).as_ref() != made {
            return Ok(Fate::LeftAlone(format!("`{shown}` was not published and is left alone")));
        }
        let (new, regions) = self.carried(place, old, made)?;
        let why = match owned {
            None => Some(Why::NotOurs),
            Some(owned) => (!is_unchanged(place, old, owned)).then_some(Why::ChangedByHand),
        };
        let change = match why {
            _ if new == old => Change::Keep,
            Some(_) if !self.force => Change::Conflict,
            _ => Change::Replace,
        };
        let why = why.filter(|_| change != Change::Keep);
        let step = Step { place: place.clone(), change, old: Some(old.to_vec()), new: Some(new), why };
        Ok(Fate::Written { step, owned: Owned::of(place.path.file_name(), made, regions), note: None })
    }

    /// A file that was published and is wanted no longer; `None` if it is gone already.
    pub(super) fn unwanted(&self, place: &Place, owned: &Owned) -> Option<Step> {
        let old = self.bytes(place)?;
        let why = match read(place, old) {
            Some((1.., _)) => Some(Why::RegionsLost),
            _ => (!is_unchanged(place, old, owned)).then_some(Why::ChangedByHand),
        };
        let change = if why.is_some() && !self.force { Change::Conflict } else { Change::Remove };
        Some(Step { place: place.clone(), change, old: Some(old.to_vec()), new: None, why })
    }

    /// A manifest: written without questions, since people have no business in it.
    pub(super) fn manifest(&self, place: &Place, text: Option<String>) -> Option<Step> {
        let Some(text) = text else {
            let old = self.bytes(place)?;
            return Some(Step { place: place.clone(), change: Change::Remove, old: Some(old.to_vec()), new: None, why: None });
        };
        Some(self.replaced(place, text.as_bytes()))
    }

    /// The navigation file; of one that is not there nothing is made.
    pub(super) fn navigation(&self, place: &Place, new: &[u8]) -> Option<Step> {
        self.bytes(place).is_some().then(|| self.replaced(place, new))
    }

    fn replaced(&self, place: &Place, made: &[u8]) -> Step {
        let old = self.bytes(place);
        let new = old.map_or_else(|| made.to_vec(), |old| ends::like(made, old));
        let change = match old {
            None => Change::Create,
            Some(old) if old == new => Change::Keep,
            Some(_) => Change::Replace,
        };
        Step { place: place.clone(), change, old: old.map(<[u8]>::to_vec), new: Some(new), why: None }
    }

    fn bytes(&self, place: &Place) -> Option<&[u8]> {
        match self.present.get(place)? {
            Found::File(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// A made page has no regions of its own, or nobody could tell them from its author's.
    fn check_made(&self, place: &Place, made: &[u8]) -> Result<(), Faults> {
        let (Some(syntax), Ok(text)) = (Syntax::of(place.path.file_name()), std::str::from_utf8(made)) else { return Ok(()) };
        let source = Source::new(self.roots.shown(place), text);
        match Page::read(&source, syntax) {
            Ok(page) if page.regions() == 0 => Ok(()),
            _ => {
                let message = format!("the page `{}` has keep markers before anybody wrote into it", self.roots.shown(place));
                Err(Diagnostic::error("keep-made", message).help("take them out of the project's templates/ or notes").into())
            }
        }
    }

    /// The made file with the line ends and regions of the old one, and how many regions.
    fn carried(&self, place: &Place, old: &[u8], made: &[u8]) -> Result<(Vec<u8>, usize), Faults> {
        let made = ends::like(made, old);
        let texts = (Syntax::of(place.path.file_name()), std::str::from_utf8(old), std::str::from_utf8(&made));
        let (Some(syntax), Ok(old), Ok(new)) = texts else { return Ok((made, 0)) };
        let (old, new) = (Source::new(self.roots.shown(place), old), Source::new("", new));
        let page = Page::read(&old, syntax)?;
        Ok((carry(&page, &Page::read(&new, syntax)?).into_bytes(), page.regions()))
    }
}

/// How many regions a page has, and the fingerprint of its words; `None` of what is no page, or has markers that make none.
fn read(place: &Place, bytes: &[u8]) -> Option<(usize, String)> {
    let source = Source::new("", std::str::from_utf8(bytes).ok()?);
    let page = Page::read(&source, Syntax::of(place.path.file_name())?).ok()?;
    Some((page.regions(), fingerprint(page.words().as_bytes())))
}

/// Whether a file is as it was published: the same bytes, or but for its regions, the blank lines around them and line ends
/// the same.
fn is_unchanged(place: &Place, bytes: &[u8], owned: &Owned) -> bool {
    if fingerprint(&ends::unified(bytes)) == owned.blake3 || fingerprint(bytes) == owned.blake3 {
        return true;
    }
    let read = read(place, bytes);
    read.is_some_and(|(regions, words)| (regions > 0 || owned.regions > 0) && Some(words) == owned.words)
}
