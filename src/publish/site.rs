//! What `plimsoll build` wrote into a folder: a file `plimsoll-site.json` beside the pages, so that the next build knows which files are its
//! own, and whoever carries the site on which files it has.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::manifest::fingerprint;
use crate::archive::record_json::{bad_json, check_schema};
use crate::diagnostic::Faults;
use crate::render::site::whole::MANIFEST;
use crate::source::Source;
use crate::tree::{Tree, TreePath};

/// The schema that is written, and the newest that is read.
const SCHEMA: u32 = 1;

/// The files of a site that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteManifest {
    /// BLAKE3 of each, in hex, by its path.
    pub files: BTreeMap<TreePath, String>,
}

#[derive(Serialize, Deserialize)]
struct Wire {
    schema: u32,
    files: BTreeMap<TreePath, String>,
}

/// Files of a site that another one has no more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stale {
    /// Those that are as they were written: they go.
    pub removed: Vec<TreePath>,
    /// Those that somebody has changed since: they stay.
    pub left: Vec<TreePath>,
}

impl SiteManifest {
    /// The manifest of a site; of itself it does not tell.
    #[must_use]
    pub fn of(site: &Tree) -> Self {
        let files = site.iter().filter(|(path, _)| path.as_str() != MANIFEST);
        Self { files: files.map(|(path, bytes)| (path.clone(), fingerprint(bytes))).collect() }
    }

    /// The manifest as JSON with a final line break; the same files give the same bytes.
    #[must_use]
    pub fn write(&self) -> String {
        let wire = Wire { schema: SCHEMA, files: self.files.clone() };
        // It holds maps with text keys only, which JSON can always say.
        let json = serde_json::to_string_pretty(&wire).unwrap_or_else(|error| unreachable!("a manifest is JSON: {error}"));
        json + "\n"
    }

    /// Reads a manifest.
    ///
    /// # Errors
    /// `newer-schema`, or `bad-manifest` with its place: no JSON, another shape, a path that leaves its folder.
    pub fn read(source: &Source) -> Result<Self, Faults> {
        check_schema(source, SCHEMA)?;
        let help = "build into another folder, or remove the site that is there";
        let wire: Wire = serde_json::from_str(source.text())
            .map_err(|error| Faults::from(bad_json(source, &error, "bad-manifest").help(help)))?;
        Ok(Self { files: wire.files })
    }

    /// Whether a file is of this site.
    #[must_use]
    pub fn owns(&self, path: &TreePath) -> bool {
        self.files.contains_key(path) || path.as_str() == MANIFEST
    }

    /// What `new` has no more; `there` tells the bytes of a file, if there is one.
    ///
    /// # Errors
    /// The first of `there`.
    pub fn stale<E>(&self, new: &Self, there: impl Fn(&TreePath) -> Result<Option<Vec<u8>>, E>) -> Result<Stale, E> {
        let mut stale = Stale::default();
        for (path, hash) in self.files.iter().filter(|(path, _)| !new.owns(path)) {
            match there(path)? {
                Some(bytes) if fingerprint(&bytes) == *hash => stale.removed.push(path.clone()),
                Some(_) => stale.left.push(path.clone()),
                None => {}
            }
        }
        Ok(stale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::new();
        for (path, text) in files {
            tree.insert(*path, *text).unwrap_or_else(|error| unreachable!("{error}"));
        }
        tree
    }

    fn names(paths: &[TreePath]) -> Vec<&str> {
        paths.iter().map(TreePath::as_str).collect()
    }

    #[test]
    fn a_manifest_is_written_and_read_again() {
        let manifest = SiteManifest::of(&tree(&[("index.html", "a"), ("v1/a/index.html", "b"), (MANIFEST, "{}")]));
        let text = manifest.write();
        insta::assert_snapshot!(text);
        assert_eq!(SiteManifest::read(&Source::new(MANIFEST, text)), Ok(manifest));
    }

    #[test]
    fn a_broken_manifest_is_a_fault_with_its_place() {
        for bad in
            ["{\"schema\": 2}", "{\"schema\": 1, \"files\": {\n", "{\n  \"schema\": 1,\n  \"files\": {\"../x\": \"\"}\n}\n"]
        {
            insta::assert_snapshot!(
                SiteManifest::read(&Source::new(MANIFEST, bad)).err().unwrap_or_else(|| unreachable!("{bad}"))
            );
        }
    }

    #[test]
    fn what_is_gone_is_removed_unless_somebody_changed_it() {
        let old = SiteManifest::of(&tree(&[("index.html", "a"), ("gone.html", "b"), ("edited.html", "c"), ("lost.html", "d")]));
        let new = SiteManifest::of(&tree(&[("index.html", "a2"), ("new.html", "g")]));
        let disk = tree(&[("index.html", "by hand"), ("gone.html", "b"), ("edited.html", "by hand"), ("beside.txt", "theirs")]);
        let there = |path: &TreePath| Ok::<_, ()>(disk.get(path.as_str()).map(<[u8]>::to_vec));
        let stale = old.stale(&new, there).unwrap_or_else(|()| unreachable!());
        assert_eq!((names(&stale.removed), names(&stale.left)), (vec!["gone.html"], vec!["edited.html"]));
        assert_eq!(SiteManifest::default().stale(&new, there), Ok(Stale::default()));
    }
}
