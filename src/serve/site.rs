//! What is shown at one moment: the files of a tree, what is wrong with the next one, and what changed lately.
//!
//! A site is named by a digest of its files, so that a page knows after a break, even after a restart of the server, whether
//! it shows what is shown now.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::body::Bytes;

use super::Patch;

/// How many sites back the changes are known; whoever shows an older one is told to load all again.
const REMEMBERED: usize = 64;

/// The name of the site of which nothing was made yet.
const NOTHING: &str = "none";

/// A file as it is sent.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) bytes: Bytes,
    /// A digest of the bytes.
    pub(super) digest: String,
}

/// What is shown at one moment. Cloning is cheap: the files are shared.
#[derive(Clone, Debug)]
pub struct Site {
    files: BTreeMap<Arc<str>, Arc<File>>,
    name: Arc<str>,
    generation: u64,
    steps: Vec<Step>,
    faults: Option<Arc<str>>,
}

/// What the next site changed of a former one.
#[derive(Clone, Debug)]
struct Step {
    from: Arc<str>,
    paths: Vec<Arc<str>>,
}

/// What is other than in a former site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Whether the former site is unknown, so that everything may be other.
    pub all: bool,
    /// Files that are new or say something else, by path.
    pub changed: Vec<String>,
    /// Files that are not there any more.
    pub removed: Vec<String>,
}

impl Default for Site {
    fn default() -> Self {
        Self::nothing()
    }
}

impl Site {
    /// The site of which nothing was made yet.
    #[must_use]
    pub fn nothing() -> Self {
        Self { files: BTreeMap::new(), name: NOTHING.into(), generation: 0, steps: Vec::new(), faults: None }
    }

    /// The site after a build that went well.
    #[must_use]
    pub fn patched(&self, patch: &Patch) -> Self {
        let mut files = self.files.clone();
        let mut paths = Vec::new();
        for path in &patch.removed {
            paths.extend(files.remove_entry(path.as_str()).map(|(path, _)| path));
        }
        for (path, bytes) in patch.changed.iter() {
            let digest = digest(bytes);
            // A build may say more than is true: it may have been made anew from nothing.
            if files.get(path.as_str()).is_none_or(|old| old.digest != digest) {
                let key: Arc<str> = path.as_str().into();
                files.insert(key.clone(), Arc::new(File { bytes: Bytes::copy_from_slice(bytes), digest }));
                paths.push(key);
            }
        }
        self.stepped(files, paths)
    }

    /// The site after a build of which it is not known what was before it: its files are those of the patch.
    #[must_use]
    pub fn replaced(&self, patch: &Patch) -> Self {
        let gone = self.files.keys().filter(|path| patch.changed.get(path).is_none());
        let removed = gone.filter_map(|path| crate::tree::TreePath::new(path.as_ref()).ok()).collect();
        self.patched(&Patch { changed: patch.changed.clone(), removed })
    }

    fn stepped(&self, files: BTreeMap<Arc<str>, Arc<File>>, paths: Vec<Arc<str>>) -> Self {
        if paths.is_empty() && self.generation > 0 {
            return Self { faults: None, ..self.clone() };
        }
        let mut steps = self.steps.clone();
        // Pages that say that nothing was made yet are not pages of a site: they load all again.
        if self.generation > 0 {
            steps.push(Step { from: self.name.clone(), paths });
        }
        let forgotten = steps.len().saturating_sub(REMEMBERED);
        steps.drain(..forgotten);
        Self { name: name(&files), files, generation: self.generation + 1, steps, faults: None }
    }

    /// The same site, and what is wrong with the next one.
    #[must_use]
    pub fn faulty(&self, faults: &str) -> Self {
        Self { faults: Some(faults.into()), ..self.clone() }
    }

    /// A digest of all that is shown.
    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// How many sites there were, this one included; 0 as long as nothing was made.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// How many files there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether the next site could not be made.
    #[must_use]
    pub fn is_faulty(&self) -> bool {
        self.faults.is_some()
    }

    /// What is wrong with the next site.
    pub(super) fn faults(&self) -> Option<&str> {
        self.faults.as_deref()
    }

    /// A file.
    pub(super) fn file(&self, path: &str) -> Option<&File> {
        self.files.get(path).map(AsRef::as_ref)
    }

    /// The paths of all files below a folder, in order; of all for the empty one.
    pub(super) fn below<'a>(&'a self, folder: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let from = self.files.range::<str, _>((std::ops::Bound::Included(prefix.as_str()), std::ops::Bound::Unbounded));
        from.map(|(path, _)| path.as_ref()).take_while(move |path: &&str| path.starts_with(&prefix))
    }

    /// What is other here than in the site of a name.
    #[must_use]
    pub(super) fn since(&self, former: &str) -> Change {
        if *self.name == *former {
            return Change::default();
        }
        let Some(at) = self.steps.iter().rposition(|step| *step.from == *former) else {
            return Change { all: true, ..Change::default() };
        };
        let paths: BTreeSet<&Arc<str>> = self.steps[at..].iter().flat_map(|step| &step.paths).collect();
        let (changed, removed): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| self.files.contains_key(*path));
        let told = |paths: Vec<&Arc<str>>| paths.into_iter().map(ToString::to_string).collect();
        Change { all: false, changed: told(changed), removed: told(removed) }
    }

    /// What is other here than in another site that was shown.
    #[must_use]
    pub fn changed_since(&self, former: &Self) -> Change {
        self.since(&former.name)
    }
}

fn digest(bytes: &[u8]) -> String {
    shortened(&blake3::hash(bytes))
}

/// A digest of all files with their paths; no path has a line break in it that could stand for another file.
fn name(files: &BTreeMap<Arc<str>, Arc<File>>) -> Arc<str> {
    let mut hasher = blake3::Hasher::new();
    for (path, file) in files {
        hasher.update(&(path.len() as u64).to_le_bytes()).update(path.as_bytes()).update(file.digest.as_bytes());
    }
    shortened(&hasher.finalize()).into()
}

/// 128 bits are enough to tell files apart that nobody made to be confused.
fn shortened(hash: &blake3::Hash) -> String {
    let mut hex = hash.to_hex().to_string();
    hex.truncate(32);
    hex
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;
    use crate::tree::Tree;

    pub(in crate::serve) fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::new();
        for (path, text) in files {
            tree.insert(*path, *text).unwrap();
        }
        tree
    }

    fn step(site: &Site, old: &[(&str, &str)], new: &[(&str, &str)]) -> Site {
        site.patched(&Patch::between(&tree(old), &tree(new)))
    }

    fn change(changed: &[&str], removed: &[&str]) -> Change {
        let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
        Change { all: false, changed: owned(changed), removed: owned(removed) }
    }

    const ONE: &[(&str, &str)] = &[("a", "1"), ("b", "1"), ("c", "1")];
    const TWO: &[(&str, &str)] = &[("a", "2"), ("b", "1"), ("c", "1")];
    const THREE: &[(&str, &str)] = &[("a", "2"), ("c", "1"), ("d", "1")];

    #[test]
    fn what_changed_since_a_former_site_is_told() {
        let nothing = Site::nothing();
        let one = step(&nothing, &[], ONE);
        let two = step(&one, ONE, TWO);
        let three = step(&two, TWO, THREE);
        assert_eq!(three.since(&one.name), change(&["a", "d"], &["b"]));
        assert_eq!(three.since(&two.name), change(&["d"], &["b"]));
        assert_eq!(three.since(&three.name), Change::default());
        assert!(three.since("older").all && three.since(&nothing.name).all);
        assert_eq!([nothing.generation(), one.generation(), three.generation()], [0, 1, 3]);
    }

    #[test]
    fn the_same_files_are_the_same_site_whatever_was_before() {
        let one = step(&Site::nothing(), &[], TWO);
        let back = step(&step(&one, TWO, THREE), THREE, TWO);
        assert_eq!(back.name, one.name);
        assert_eq!(back.since(&one.name), Change::default());
    }

    #[test]
    fn a_build_made_anew_changes_only_what_is_other() {
        let two = step(&step(&Site::nothing(), &[], ONE), ONE, TWO);
        let three = two.replaced(&Patch::between(&Tree::new(), &tree(THREE)));
        assert_eq!(three.since(&two.name), change(&["d"], &["b"]));
        assert_eq!(three.replaced(&Patch::between(&Tree::new(), &tree(THREE))).generation(), three.generation());
    }

    #[test]
    fn faults_leave_what_is_shown_and_go_with_the_next_build() {
        let one = step(&Site::nothing(), &[], ONE);
        let faulty = one.faulty("bad");
        assert_eq!((faulty.faults(), &faulty.name, faulty.len()), (Some("bad"), &one.name, 3));
        assert_eq!(step(&faulty, ONE, ONE).faults(), None);
    }

    #[test]
    fn old_sites_are_forgotten() {
        let first = step(&Site::nothing(), &[], ONE);
        let mut site = first.clone();
        for _ in 0..REMEMBERED {
            site = step(&step(&site, ONE, TWO), TWO, ONE);
        }
        assert_eq!(site.steps.len(), REMEMBERED);
    }

    #[test]
    fn a_site_of_no_files_is_a_site() {
        let site = Site::nothing().patched(&Patch::default());
        assert_eq!((site.generation(), site.is_empty()), (1, true));
        assert_ne!(site.name, Site::nothing().name);
    }
}
