//! What of a project is watched, and how changes are called.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use super::super::Failure;
use super::super::project::{FILE, Project, counted, shown};
use crate::cli::Common;
use crate::fs::watch::{Happened, Wanted, Watch};
use crate::settings::Settings;

/// How long nothing happens after a change until it counts as done: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(50);
/// How many such times are waited at most: where something is written all the time, the site is made all the same.
const ROUNDS: usize = 30;
/// How many changed things are named.
const NAMED: usize = 3;

/// Waits until something changed, and then until nothing does for a moment.
pub(super) async fn settled(changed: &Notify) {
    changed.notified().await;
    for _ in 0..ROUNDS {
        if timeout(QUIET, changed.notified()).await.is_err() {
            return;
        }
    }
}

/// The paths of a project, watched.
pub(super) struct Followed {
    common: Common,
    root: PathBuf,
    /// The last ones that could be read: a fault in plimsoll.toml must not lose what it named.
    settings: Settings,
    watch: Watch,
    happened: Happened,
}

impl Followed {
    /// Those of a project; `changed` is notified when something happens.
    pub(super) fn new(common: &Common, changed: &Arc<Notify>) -> Result<Self, Failure> {
        let changed = changed.clone();
        let watch = Watch::new(move || changed.notify_one());
        let root = Project::folder(common)?;
        let mut followed =
            Self { common: common.clone(), root, settings: Settings::default(), watch, happened: Happened::default() };
        followed.read_settings();
        Ok(followed)
    }

    /// Watches what the settings name by now. To be called before the site is made: what changes from now on is told.
    ///
    /// Returns why files are looked at from now on, if the system does not tell any more.
    pub(super) fn follow(&mut self) -> Result<Option<String>, Failure> {
        self.read_settings();
        Ok(self.watch.follow(self.wanted(), &self.happened)?)
    }

    fn read_settings(&mut self) {
        if let Ok(project) = Project::open(&self.common) {
            self.settings = project.settings;
        }
    }

    fn archive(&self) -> PathBuf {
        self.common.archive.clone().unwrap_or_else(|| self.root.join("data"))
    }

    fn wanted(&self) -> Vec<Wanted> {
        let of = &self.settings;
        let flow = Some(&of.flow).filter(|flow| Path::new(flow).extension().is_some_and(|ending| ending == "toml"));
        let rules = [&of.metric_rules, &of.query_rules, &of.error_rules].into_iter().flatten();
        let files =
            std::iter::once(self.root.join(FILE)).chain(rules.map(|rules| self.root.join(rules))).chain(flow.map(PathBuf::from));
        let folders = [self.archive(), self.root.join("templates"), self.root.join("flows")];
        files.map(Wanted::File).chain(folders.map(Wanted::Folder)).collect()
    }

    /// What is watched, in words.
    pub(super) fn words(&self) -> String {
        let paths = self.wanted().into_iter().map(|wanted| match wanted {
            Wanted::File(path) => shown(&path),
            Wanted::Folder(path) => format!("{}/", shown(&path)),
        });
        paths.collect::<Vec<_>>().join(", ")
    }

    /// What changed since it was asked last, in words: runs by their address, else files by their path in the project.
    pub(super) fn names(&mut self) -> Option<String> {
        self.happened = self.watch.happened();
        let (root, archive) = (whole(&self.root), whole(&self.archive()));
        let names: BTreeSet<String> = self.happened.paths.iter().map(|path| name(path, &root, &archive)).collect();
        in_words(&names)
    }
}

fn whole(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The run of an archive's file, a release of a file beside its runs; else the path in the project.
fn name(path: &Path, root: &Path, archive: &Path) -> String {
    match path.strip_prefix(archive) {
        Ok(below) if below.components().count() > 1 => {
            let folder = below.parent().unwrap_or(below);
            shown(&folder.components().take(2).collect::<PathBuf>())
        }
        _ => shown(path.strip_prefix(root).unwrap_or(path)),
    }
}

fn in_words(names: &BTreeSet<String>) -> Option<String> {
    let mut words: Vec<String> = names.iter().take(NAMED).map(|name| crate::render::markup::on_one_line(name)).collect();
    let more = names.len().saturating_sub(NAMED);
    if more > 0 {
        words.push(counted(more, "other"));
    }
    (!words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(paths: &[&str]) -> String {
        let name = |path: &&str| name(Path::new(path), Path::new("/p"), Path::new("/p/data"));
        in_words(&paths.iter().map(name).collect()).unwrap_or_default()
    }

    #[test]
    fn a_change_is_called_by_its_run() {
        assert_eq!(named(&["/p/data/v1/login/record.json", "/p/data/v1/login/series.json"]), "v1/login");
        assert_eq!(named(&["/p/data/v1/release.toml", "/p/plimsoll.toml"]), "plimsoll.toml, v1");
        assert_eq!(named(&["/p/data", "/q/a.toml", "/p/templates/site/a\nb.html"]), "/q/a.toml, data, templates/site/a\\nb.html");
        assert_eq!(named(&["/p/a", "/p/b", "/p/c", "/p/d", "/p/e"]), "a, b, c, 2 others");
        assert_eq!(named(&[]), "");
    }
}
