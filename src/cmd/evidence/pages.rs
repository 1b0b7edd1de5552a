//! Pages made again in memory and held against those that lie there.

use std::path::{Path, PathBuf};

use super::super::build::with_manifest;
use super::super::judged::Judged;
use super::super::live::Maker;
use super::super::project::shown;
use super::super::publish::unchanged::{Published, published};
use super::super::{Failure, Project};
use super::over;
use crate::diagnostic::Diagnostic;
use crate::fs;
use crate::model::address::{Address, Release};
use crate::model::collection::{Archive, Run};
use crate::model::proof::{PageProof, PageState, PagesOf, PagesProof};
use crate::publish::Change;
use crate::publish::manifest::fingerprint;

/// Files that every site has.
const SIGNS: [&str; 2] = ["index.html", "assets/mark.svg"];

/// Which pages count: all, or those of the chosen runs.
pub(super) struct Chosen<'a> {
    pub(super) archive: &'a Archive,
    pub(super) runs: &'a [(&'a Address, &'a Run)],
    pub(super) whole: bool,
}

/// A file, as it lies there and as it is made: their hashes.
struct Beside {
    path: String,
    kept: Option<String>,
    made: Option<String>,
}

/// The site; `None` where nobody named one and there is none in the project.
pub(super) fn site(
    project: &Project,
    named: Option<&Path>,
    url: Option<&str>,
    chosen: &Chosen<'_>,
) -> Result<Option<PagesProof>, Failure> {
    let folder = named.map_or_else(|| project.root.join("site"), PathBuf::from);
    if !SIGNS.iter().all(|sign| fs::exists(&folder.join(sign))) {
        let message = format!("there is no site of plimsoll in `{}`", shown(&folder));
        let fault = Diagnostic::error("no-site", message).help("build it first: plimsoll build --out DIR");
        return named.map_or(Ok(None), |_| Err(Failure::Misuse(fault)));
    }
    let made = with_manifest(Maker::default().renew(project, url.unwrap_or(&project.settings.site_url), None)?.patch.changed);
    let kept = fs::read_tree(&folder)?;
    let mut files: Vec<Beside> = made
        .iter()
        .map(|(path, bytes)| Beside {
            path: path.to_string(),
            kept: kept.get(path.as_str()).map(fingerprint),
            made: Some(fingerprint(bytes)),
        })
        .collect();
    let strange = kept.iter().filter(|(path, _)| made.get(path.as_str()).is_none());
    files.extend(strange.map(|(path, bytes)| Beside { path: path.to_string(), kept: Some(fingerprint(bytes)), made: None }));
    Ok(Some(proof(PagesOf::Site, files, chosen)))
}

/// Pages in a docs folder, as publishing them again would leave them.
pub(super) fn docs(project: &Project, folder: &Path, judged: &Judged, chosen: &Chosen<'_>) -> Result<PagesProof, Failure> {
    if !fs::is_folder(folder) {
        return Err(Failure::misuse("no-folder", format!("there is no docs folder `{}`", shown(folder))));
    }
    let files = published(folder, project, judged, chosen.archive)?.into_iter().map(|Published { path, step }| {
        let hash = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(fingerprint);
        debug_assert!(step.change != Change::Keep || step.old == step.new);
        Beside { path, kept: hash(&step.old), made: hash(&step.new) }
    });
    Ok(proof(PagesOf::Docs, files.collect(), chosen))
}

fn proof(of: PagesOf, mut files: Vec<Beside>, chosen: &Chosen<'_>) -> PagesProof {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.retain(|file| chosen.has(&file.path));
    let made = files.iter().filter_map(|file| Some((file.path.clone(), file.made.clone()?)));
    let blake3 = over(made);
    let same = files.iter().filter(|file| file.kept == file.made).count();
    let others = files.into_iter().filter(|file| file.kept != file.made).map(|file| chosen.page(of, file)).collect();
    PagesProof { of, same, blake3, others }
}

impl Chosen<'_> {
    /// The release and the run that a file is of, by its folders.
    fn owner(&self, path: &str) -> (Option<Release>, Option<String>) {
        let mut parts = path.split('/');
        let release = parts.next().and_then(|name| Release::new(name).ok()).and_then(|name| self.archive.release(&name));
        let Some(release) = release else { return (None, None) };
        let second = parts.next().filter(|_| parts.next().is_some());
        let run = second.filter(|name| release.runs.keys().any(|address| address.run() == *name));
        (Some(release.name.clone()), run.map(str::to_owned))
    }

    /// Whether a file counts: that of a chosen run, or of a release of which all runs are chosen.
    fn has(&self, path: &str) -> bool {
        let is_chosen = |release: &Release, run: &str| {
            self.runs.iter().any(|(address, _)| address.release == *release && address.run() == run)
        };
        match self.owner(path) {
            _ if self.whole => true,
            (Some(release), Some(run)) => is_chosen(&release, &run),
            (Some(release), None) => {
                let of = self.archive.release(&release);
                of.is_some_and(|of| of.runs.keys().all(|address| is_chosen(&release, &address.run())))
            }
            (None, _) => false,
        }
    }

    fn page(&self, of: PagesOf, file: Beside) -> PageProof {
        let (release, run) = self.owner(&file.path);
        let is_page = Path::new(&file.path).extension().is_some_and(|ending| ending == "html");
        let state = match (&file.kept, &file.made) {
            (Some(_), Some(_)) => PageState::Differs,
            (None, _) => PageState::Missing,
            (Some(_), None) if is_page || of == PagesOf::Docs => PageState::Strange,
            (Some(_), None) => PageState::Beside,
        };
        let Beside { path, kept, made } = file;
        PageProof { path, release: release.map(|release| release.to_string()), run, state, kept, made }
    }
}
