//! `plimsoll build`: the HTML site.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::live::{Maker, Renewed, Sink};
use super::project::{counted, shown};
use super::{Exit, Failure, Project, Streams, hold};
use crate::cli;
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs::hold::Alone;
use crate::fs::{self, Staging, Standing};
use crate::publish::site::{SiteManifest, Stale};
use crate::render::site::whole::MANIFEST;
use crate::source::Source;
use crate::tree::{Tree, TreePath};

/// How many files of somebody else are named.
const NAMED: usize = 5;

/// Judges all runs and writes all pages beside their places as they are made; where all links lead somewhere, nothing looks like a secret and
/// nothing of somebody else is in the way, all of them move into their places.
pub(super) fn run(args: &cli::Build, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let url = args.base_url.as_deref().unwrap_or(&project.settings.site_url);
    let out = args.out.clone().unwrap_or_else(|| project.root.join("site"));
    let held = hold(&out, streams)?;
    let mut folder = Folder::new(&held, &out)?;
    let Renewed { needless, runs, releases, prints, .. } = Maker::default().renew(project, url, Some(&mut folder))?;
    for warning in &needless {
        streams.tell(warning);
    }
    let files = prints.len();
    let hashes = prints.into_iter().filter_map(|(path, print)| Some((TreePath::new(path).ok()?, print.to_hex().to_string())));
    let Done { changed, removed, left } = folder.finish(&SiteManifest { files: hashes.collect() })?;
    for path in &left {
        streams.tell(&left_there(&out, path));
    }
    let gone = if removed == 0 { String::new() } else { format!(", {removed} removed") };
    let (runs, releases) = (counted(runs, "run"), counted(releases, "release"));
    streams.say(&format!("{runs} of {releases}: {files} files, {changed} of them new or changed{gone}"));
    streams.say(&format!("look at {}", shown(&out.join("index.html"))));
    Ok(Exit::Yes)
}

/// A site with the file that names all its files.
pub(super) fn with_manifest(mut site: Tree) -> Tree {
    let manifest = SiteManifest::of(&site).write();
    // It is a name without a folder.
    let _fits = site.insert(MANIFEST, manifest);
    site
}

/// The folder that a site is written into.
struct Folder<'a> {
    held: &'a Alone,
    out: PathBuf,
    /// The site that is there.
    before: SiteManifest,
    staging: Option<Staging<'a>>,
    /// Files of somebody else where the site has one.
    foreign: Mutex<Vec<TreePath>>,
}

/// What was written.
struct Done {
    /// How many files are new or other than before.
    changed: usize,
    /// How many went.
    removed: usize,
    /// Files of the site before that somebody has changed.
    left: Vec<TreePath>,
}

impl<'a> Folder<'a> {
    fn new(held: &'a Alone, out: &Path) -> Result<Self, Failure> {
        let place = out.join(MANIFEST);
        let before = match fs::read(&place) {
            Ok(bytes) => SiteManifest::read(&Source::from_bytes(shown(&place), &bytes))?,
            Err(error) if fs::is_missing(&error) => SiteManifest::default(),
            Err(error) => return Err(error.into()),
        };
        Ok(Self { held, out: out.to_owned(), before, staging: None, foreign: Mutex::default() })
    }

    /// Puts everything into its place, with the manifest; what the site has no more goes.
    fn finish(mut self, manifest: &SiteManifest) -> Result<Done, Failure> {
        self.take(&TreePath::new(MANIFEST).map_err(|bad| Failure::Defect(bad.to_string()))?, manifest.write().as_bytes())?;
        let mut foreign = std::mem::take(&mut *self.foreign.lock().unwrap_or_else(PoisonError::into_inner));
        foreign.sort();
        Faults::check(foreign_files(&self.out, &foreign).into_iter().collect())?;
        let Stale { removed, left } = self.before.stale(manifest, |path| self.there(path))?;
        let gone = removed.len();
        let changed = self.staging.take().map_or(Ok(Vec::new()), |staging| staging.finish(&removed))?;
        let changed = changed.iter().filter(|path| path.as_str() != MANIFEST).count();
        Ok(Done { changed, removed: gone, left })
    }

    /// The bytes of a file, if there is one.
    fn there(&self, path: &TreePath) -> Result<Option<Vec<u8>>, Failure> {
        let place = self.out.join(path.as_str());
        match fs::read(&place) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if fs::is_missing(&error) || fs::is_folder(&place) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl Sink for Folder<'_> {
    fn begin(&mut self, mut files: Vec<TreePath>) -> Result<(), Failure> {
        files.extend(TreePath::new(MANIFEST));
        self.staging = Some(self.held.staging(files));
        Ok(())
    }

    fn take(&self, path: &TreePath, bytes: &[u8]) -> Result<(), Failure> {
        let Some(staging) = &self.staging else { return Ok(()) };
        match staging.standing(path, bytes)? {
            Standing::Same => {}
            Standing::Other if !self.before.owns(path) => {
                self.foreign.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
            }
            Standing::Nothing | Standing::Other => staging.put(path, bytes)?,
        }
        Ok(())
    }
}

fn foreign_files(out: &Path, foreign: &[TreePath]) -> Option<Diagnostic> {
    let first = foreign.first()?;
    let count = counted(foreign.len(), "file");
    let named = foreign.iter().take(NAMED).map(TreePath::as_str).collect::<Vec<_>>().join(", ");
    let more = foreign.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let message = format!("`{}` has {count} where the site has one, and no build of a site wrote them", shown(out));
    let fault = Diagnostic::error("foreign-file", message).note(format!("there: {named}{more}"));
    Some(fault.help(format!("build into another folder with --out, or take `{first}` and the like away")))
}

fn left_there(out: &Path, path: &TreePath) -> Diagnostic {
    let message = format!("`{}` is of the site before, and changed since: it stays there", shown(&out.join(path.as_str())));
    Diagnostic::warning("changed-file", message).help("remove it, if it is not wanted: no page leads to it any more")
}
