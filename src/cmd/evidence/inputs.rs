//! Raw inputs, looked for: at their paths in the folders of inputs, else by their hashes anywhere in them.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::super::project::shown;
use super::super::{Failure, Project};
use crate::fs::{self, Found, FsError};
use crate::ingest::kinds::KINDS;
use crate::model::collection::Archive;
use crate::model::proof::{InputProof, InputState};
use crate::model::provenance::Input;
use crate::publish::manifest::fingerprint;
use crate::tree::TreePath;

/// The folders of inputs.
pub(super) struct Inputs<'a> {
    project: &'a Project,
    folders: Vec<PathBuf>,
    /// The hashes that records of the archive name for a path.
    named: BTreeMap<String, BTreeSet<String>>,
    below: OnceCell<Vec<Lying>>,
    hashes: RefCell<BTreeMap<(PathBuf, bool), String>>,
}

/// A file in a folder of inputs.
struct Lying {
    found: Found,
    bytes: u64,
}

/// An input, and where its bytes lie if they do.
pub(super) struct Located {
    pub(super) proof: InputProof,
    pub(super) place: Option<PathBuf>,
}

impl<'a> Inputs<'a> {
    /// The folders that were named, else that of the project.
    pub(super) fn of(project: &'a Project, named: &[PathBuf], archive: &Archive) -> Result<Self, Failure> {
        if let Some(missing) = named.iter().find(|folder| !fs::is_folder(folder)) {
            return Err(Failure::misuse("no-folder", format!("there is no folder `{}` of inputs", shown(missing))));
        }
        let own = if project.root.as_os_str().is_empty() { PathBuf::from(".") } else { project.root.clone() };
        let folders = if named.is_empty() { vec![own] } else { named.to_vec() };
        let mut named: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for input in archive.runs().flat_map(|(_, run)| &run.record.provenance) {
            named.entry(input.path.clone()).or_default().insert(input.blake3.clone());
        }
        Ok(Self { project, folders, named, below: OnceCell::new(), hashes: RefCell::default() })
    }

    /// What became of an input. What lies at its path and is known as the input of another run is that one, and no change of this one.
    pub(super) fn locate(&self, input: &Input) -> Result<Located, Failure> {
        let mut other = None;
        for folder in &self.folders {
            // Only a path inside the folder is followed.
            let Some(place) = TreePath::new(&input.path).ok().map(|path| folder.join(path.as_str())) else { continue };
            if fs::length(&place).is_none() {
                continue;
            }
            let hash = self.hash(&place, input)?;
            if hash == input.blake3 {
                return Ok(Located::new(input, InputState::Same, Some(place)));
            }
            other = other.or(Some(hash));
        }
        if let Some((found, place)) = self.elsewhere(input)? {
            let located = Located::new(input, InputState::Elsewhere, Some(place));
            return Ok(Located { proof: InputProof { found: Some(found), ..located.proof }, ..located });
        }
        let is_others = |hash: &String| self.named.get(&input.path).is_some_and(|named| named.contains(hash));
        let now = other.filter(|hash| !is_others(hash));
        // Of a pipe whose hash nobody took there is nothing to compare.
        let state = if now.is_some() && !input.blake3.is_empty() { InputState::Changed } else { InputState::Gone };
        let located = Located::new(input, state, None);
        Ok(Located { proof: InputProof { now: now.filter(|_| state == InputState::Changed), ..located.proof }, ..located })
    }

    /// The file with the bytes of an input that lies elsewhere, with its path in the folder: the first by folder and path.
    fn elsewhere(&self, input: &Input) -> Result<Option<(String, PathBuf)>, Failure> {
        for lying in self.below()? {
            let is_candidate =
                lying.bytes == input.bytes || (!is_raw(input) && is_packed_copy(&lying.found.relative, &input.path));
            if is_candidate && self.hash(&lying.found.path, input)? == input.blake3 {
                return Ok(Some((lying.found.relative.clone(), lying.found.path.clone())));
            }
        }
        Ok(None)
    }

    /// All files in the folders, but for what this program made there: an archive's `k6.txt` may be the very input.
    fn below(&self) -> Result<&[Lying], Failure> {
        if let Some(known) = self.below.get() {
            return Ok(known);
        }
        let mut below = Vec::new();
        for folder in &self.folders {
            let own = self.project.own_folders(folder);
            let is_own = |found: &Found| own.iter().any(|own| fs::real(&found.path).starts_with(own));
            for found in fs::find(folder)?.into_iter().filter(|found| !is_own(found)) {
                below.extend(fs::length(&found.path).map(|bytes| Lying { found, bytes }));
            }
        }
        Ok(self.below.get_or_init(|| below))
    }

    /// The hash of a file as provenance takes it: of raw samples as they lie, of all else unfolded.
    fn hash(&self, place: &Path, input: &Input) -> Result<String, Failure> {
        let key = (place.to_owned(), is_raw(input));
        if let Some(known) = self.hashes.borrow().get(&key) {
            return Ok(known.clone());
        }
        let unfolded = if key.1 { None } else { unfolded(place)? };
        let hash = unfolded.map_or_else(|| fs::raw::blake3(place), Ok)?;
        self.hashes.borrow_mut().insert(key, hash.clone());
        Ok(hash)
    }
}

/// The hash of what a file holds; `None` of one that can't be unfolded or is too large for that.
fn unfolded(place: &Path) -> Result<Option<String>, FsError> {
    match fs::read(place) {
        Ok(bytes) => Ok(Some(fingerprint(&bytes))),
        Err(FsError::Broken { .. } | FsError::TooLarge { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether it is raw samples, which are read where they lie.
fn is_raw(input: &Input) -> bool {
    KINDS.iter().any(|kind| kind.name == input.kind && kind.read.is_none())
}

/// Whether a file has the name of another and is packed, or the other way round.
fn is_packed_copy(path: &str, other: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let bare = |path: &str| name(path).trim_end_matches(".gz").trim_end_matches(".zst").to_owned();
    bare(path) == bare(other) && name(path) != name(other)
}

impl Located {
    fn new(input: &Input, state: InputState, place: Option<PathBuf>) -> Self {
        let Input { path, kind, bytes, blake3 } = input.clone();
        Self { proof: InputProof { path, kind, bytes, blake3, state, found: None, now: None }, place }
    }
}
