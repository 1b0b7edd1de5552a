//! What was named on the command line, and what lies in the folders among it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::project::shown;
use super::super::raw::{self, BEGINNING, Piped, Pipes, is_pipe};
use super::super::{Failure, Project};
use crate::fs::{self, Found, FsError};
use crate::ingest::sweep::{Body, Given, Kinds, NAMED};
use crate::samples::origins::Origins;
use crate::samples::{Outcome, Unread, Wanted, is_samples, usual_stats};
use crate::source::is_utf16;

/// Everything that was named or found, and the pipes of raw samples among it.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) given: Vec<Given>,
    pub(super) pipes: Pipes,
}

/// The bytes of all files; of raw samples and of what is no text the beginning only, which tells what they are.
pub(super) fn gather(paths: &[PathBuf], project: &Project) -> Result<Gathered, Failure> {
    let mut gathered = Gathered::default();
    let mut known = BTreeSet::new();
    for (at, path) in paths.iter().enumerate() {
        // A file that is named twice is no second run.
        if !known.insert(fs::real(path)) {
            continue;
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if fs::is_folder(path) {
            let own = project.own_folders(path);
            let is_own = |found: &Found| own.iter().any(|own| fs::real(&found.path).starts_with(own));
            for found in fs::find(path)?.into_iter().filter(|found| !is_own(found)) {
                let folder = found.relative.rsplit_once('/').map_or("", |(folder, _)| folder);
                let (group, body) = (format!("{at}:{folder}"), found_contents(&found.path)?);
                gathered.given.push(Given { path: found.relative, shown: shown(&found.path), group, body, named: false });
            }
        } else {
            let body = if is_pipe(path) { piped(path, &mut gathered.pipes)? } else { contents(path)? };
            gathered.given.push(Given { path: name, shown: shown(path), group: NAMED.to_owned(), body, named: true });
        }
    }
    Ok(gathered)
}

/// What is in a file: its bytes, of raw samples and of what is no text the beginning only.
pub(in crate::cmd) fn contents(path: &Path) -> Result<Body, Failure> {
    let head = fs::head(path, BEGINNING)?;
    Ok(if is_samples(&head) {
        Body::Raw { place: path.to_owned(), head }
    } else if head.contains(&0) && !is_utf16(&head) {
        Body::Whole(head)
    } else {
        Body::Whole(fs::read(path)?)
    })
}

/// What comes in through a pipe.
fn piped(path: &Path, pipes: &mut Pipes) -> Result<Body, Failure> {
    Ok(match pipes.look(path)? {
        Piped::Whole(bytes) => Body::Whole(bytes),
        Piped::Raw(head) => Body::Raw { place: path.to_owned(), head },
    })
}

/// A found archive that is cut off gives what can be unfolded of it, and is told apart by that; a named one is a fault.
fn found_contents(path: &Path) -> Result<Body, Failure> {
    match contents(path) {
        Err(Failure::World(FsError::Broken { .. })) => Ok(Body::Whole(fs::head(path, BEGINNING)?)),
        other => other,
    }
}

/// Reads the raw files of a run: what a summary of it tells of its metrics is taken for known.
pub(in crate::cmd) fn read_raw(
    places: &[PathBuf],
    kinds: &Kinds,
    pipes: &RefCell<Pipes>,
    origins: &Origins,
    watched: bool,
) -> Result<Outcome, Unread> {
    let mut samples = raw::read_with(places, &mut pipes.borrow_mut(), &Wanted::Record, watched)?;
    samples.learn(kinds.iter().map(|(name, kind, unit)| (name.as_str(), *kind, *unit)));
    Ok(samples.outcome(&usual_stats(), origins))
}
