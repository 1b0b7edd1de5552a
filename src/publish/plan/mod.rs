//! The plan of a publication: what happens to every file, made from what is wanted, what was written before, and what lies
//! there now.

mod file;
mod ground;
mod show;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

pub use self::show::counted;
use super::manifest::{self, Manifest, Owned};
use super::place::{Place, Root, Roots};
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs::switch::Found;
use crate::model::address::Release;
use crate::model::profile::Profile;
use crate::tree::BadPath;

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It is not there yet.
    Create,
    /// It is there and says something else.
    Replace,
    /// It is there and says the same.
    Keep,
    /// It was published before and is wanted no longer.
    Remove,
    /// It is somebody's own: nothing is written, unless that is forced.
    Conflict,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Keep => "keep",
            Self::Remove => "remove",
            Self::Conflict => "conflict",
        })
    }
}

/// Why a file is in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It was published, and somebody changed it since.
    ChangedByHand,
    /// It is there, and was not published.
    NotOurs,
    /// It is wanted no longer, and has regions of its author.
    RegionsLost,
}

/// A file and what happens to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where.
    pub place: Place,
    /// What.
    pub change: Change,
    /// The bytes that are there.
    pub old: Option<Vec<u8>>,
    /// The bytes that will be there.
    pub new: Option<Vec<u8>>,
    /// Why it is a conflict, or would be one if it were not forced.
    pub why: Option<Why>,
}

/// The files of a release, or those that belong to none: what one manifest tells of.
#[derive(Clone, Debug)]
pub struct Group {
    /// The release.
    pub release: Option<Release>,
    /// What is to be there.
    pub wanted: BTreeMap<Place, Vec<u8>>,
    /// What the last publication wrote.
    pub manifest: Option<Manifest>,
}

/// What is to be published.
#[derive(Clone, Debug)]
pub struct Wish<'a> {
    /// Where to.
    pub roots: &'a Roots,
    /// For which docs site.
    pub profile: Profile,
    /// The files.
    pub groups: Vec<Group>,
    /// The navigation file as it shall be, where there is one.
    pub navigation: Option<(Place, Vec<u8>)>,
    /// Whether what is somebody's own is written over.
    pub force: bool,
}

impl Group {
    /// Where its manifest lies.
    ///
    /// # Errors
    /// [`BadPath`] never: a release's name is a folder's.
    pub fn manifest_place(&self) -> Result<Place, BadPath> {
        Place::new(Root::Docs, manifest::path_of(self.release.as_ref()))
    }

    /// The files that the last publication wrote into the folders of this one.
    pub fn owned(&self, roots: &Roots) -> impl Iterator<Item = (&Place, &Owned)> {
        let same_mirror = self.manifest.as_ref().is_some_and(|known| known.mirror.as_deref() == roots.words(Root::Mirror));
        let files = self.manifest.iter().flat_map(|known| &known.files);
        files.filter(move |(place, _)| place.root != Root::Mirror || same_mirror)
    }
}

impl Wish<'_> {
    /// Every place that the plan has to know of.
    ///
    /// # Errors
    /// [`BadPath`] as of [`Group::manifest_place`].
    pub fn places(&self) -> Result<BTreeSet<Place>, BadPath> {
        let mut places: BTreeSet<Place> = self.navigation.iter().map(|(place, _)| place.clone()).collect();
        for group in &self.groups {
            places.insert(group.manifest_place()?);
            places.extend(group.wanted.keys().cloned());
            places.extend(group.owned(self.roots).map(|(place, _)| place.clone()));
        }
        places.retain(|place| !is_root_page(place));
        Ok(places)
    }
}

/// The pages of folders, under every profile.
const FOLDER_PAGES: [&str; 2] = ["index.mdx", "README.md"];

/// The page of the docs folder itself, which is nobody's but its author's.
fn is_root_page(place: &Place) -> bool {
    place.root == Root::Docs && FOLDER_PAGES.contains(&place.path.as_str())
}

/// The page of a release's folder.
fn is_release_page(place: &Place) -> bool {
    let parts = place.path.parts().count();
    place.root == Root::Docs && parts == 2 && FOLDER_PAGES.contains(&place.path.file_name())
}

/// What will be written and removed, file by file, and what to tell about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The files in the order of their places.
    pub steps: Vec<Step>,
    /// What people should know.
    pub notes: Vec<String>,
}

impl Plan {
    /// Whether the folders are as they should be.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.iter().all(|step| step.change == Change::Keep)
    }

    /// How many files a change happens to.
    #[must_use]
    pub fn count(&self, change: Change) -> usize {
        self.of(change).count()
    }

    /// The files that a change happens to.
    pub fn of(&self, change: Change) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(move |step| step.change == change)
    }

    /// The files that will be other than they are.
    pub fn changes(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.change != Change::Keep)
    }

    /// Where the files lie that some change happens to.
    #[must_use]
    pub fn paths(&self, roots: &Roots, changes: &[Change]) -> Vec<PathBuf> {
        self.steps.iter().filter(|step| changes.contains(&step.change)).map(|step| roots.path(&step.place)).collect()
    }

    /// Refuses a plan with conflicts.
    ///
    /// # Errors
    /// A fault a conflict.
    pub fn check(&self, roots: &Roots) -> Result<(), Faults> {
        let conflicts = self.of(Change::Conflict).map(|step| step.fault(&roots.shown(&step.place)));
        Faults::check(conflicts.collect()).map(|_| ())
    }
}

impl Step {
    fn fault(&self, shown: &str) -> Diagnostic {
        match self.why {
            Some(Why::RegionsLost) => {
                Diagnostic::error("keep-lost", format!("`{shown}` is no longer published, and holds text of its author"))
                    .help("move that text elsewhere; --force removes it with the page")
            }
            Some(Why::NotOurs) => Diagnostic::error("not-ours", format!("`{shown}` is there and was not published"))
                .help("move it away; --force writes over it"),
            _ => Diagnostic::error("changed-by-hand", format!("`{shown}` was changed by hand since it was published"))
                .help("put your text between keep markers, which are carried over; --force drops the change"),
        }
    }
}

/// Makes the plan. `present` tells what lies at every place of [`Wish::places`].
///
/// # Errors
/// All faults of what lies there: links, folders where files are wanted, markers that make no region, names that differ by
/// case alone.
pub fn plan(wish: &Wish<'_>, present: &BTreeMap<Place, Found>) -> Result<Plan, Faults> {
    let mut faults = ground::faults(wish.roots, present);
    let mut plan = Plan::default();
    let maker = file::Maker { roots: wish.roots, present, force: wish.force };
    for group in &wish.groups {
        if let Err(more) = plan.add_group(wish, group, &maker) {
            faults.extend(more.into_list());
        }
    }
    if let Some((place, new)) = &wish.navigation {
        plan.steps.extend(maker.navigation(place, new));
    }
    Faults::check(faults)?;
    plan.steps.sort_by(|a, b| a.place.cmp(&b.place));
    Ok(plan)
}

impl Plan {
    fn add_group(&mut self, wish: &Wish<'_>, group: &Group, maker: &file::Maker<'_>) -> Result<(), Faults> {
        let owned: BTreeMap<&Place, &Owned> = group.owned(wish.roots).collect();
        let (mut known, mut faults) = (BTreeMap::new(), Vec::new());
        for (place, made) in group.wanted.iter().filter(|(place, _)| !is_root_page(place)) {
            match maker.wanted(place, made, owned.get(place).copied()) {
                Ok(file::Fate::LeftAlone(note)) => self.notes.push(note),
                Ok(file::Fate::Written { step, owned, note }) => {
                    known.insert(place.clone(), owned);
                    self.steps.push(step);
                    self.notes.extend(note);
                }
                Err(more) => faults.extend(more.into_list()),
            }
        }
        let unwanted = owned.iter().filter(|(place, _)| !group.wanted.contains_key(place) && !is_root_page(place));
        self.steps.extend(unwanted.filter_map(|(place, owned)| maker.unwanted(place, owned)));
        self.notes.extend(lost_mirror(wish.roots, group));
        if let Ok(place) = group.manifest_place() {
            let mirror = wish.roots.words(Root::Mirror).map(str::to_owned);
            let manifest = Manifest { profile: wish.profile, mirror, files: known };
            let text = (!manifest.files.is_empty()).then(|| manifest.write(group.release.as_ref()));
            self.steps.extend(maker.manifest(&place, text));
        }
        Faults::check(faults).map(|_| ())
    }
}

/// Second copies in a folder that the settings name no longer.
fn lost_mirror(roots: &Roots, group: &Group) -> Option<String> {
    let manifest = group.manifest.as_ref()?;
    let (old, release) = (manifest.mirror.as_deref()?, group.release.as_ref()?);
    let copies = manifest.files.keys().any(|place| place.root == Root::Mirror);
    (copies && Some(old) != roots.words(Root::Mirror))
        .then(|| format!("the second copies of {release} in `{old}` are left alone: docs.mirror names another folder now"))
}

#[cfg(test)]
mod tests;
