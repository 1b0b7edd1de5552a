//! Names of releases and runs that a docs site can't have as folders: those of pages beside them, and those that Docusaurus
//! leaves out or takes for one.

use std::collections::{BTreeMap, BTreeSet};

use super::folder::{DocsInput, page_path};
use super::layout::{Layout, without_number};
use super::{comparison, results};
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::address::{Address, Release};
use crate::model::collection::Run;
use crate::model::profile::Profile;

/// Checks the names of all releases that have a page, and of the chosen runs.
pub(super) fn check(input: &DocsInput<'_>, chosen: &[(&Address, &Run)]) -> Result<(), Faults> {
    let layout = input.layout;
    let folder_page = layout.profile.folder_page();
    let has_page = |address: &&Address| (input.has_page)(&page_path(layout, address));
    let releases = input.archive.runs().map(|(address, _)| address).filter(has_page);
    let releases = releases.map(|address| address.release.to_string()).collect();
    let mut faults =
        Names { layout, release: None, taken: &[results::NAME, &results::path(input), folder_page] }.faults(&releases);
    let mut runs: BTreeMap<&Release, BTreeSet<String>> = BTreeMap::new();
    for (address, _) in chosen {
        runs.entry(&address.release).or_default().insert(address.run());
    }
    for (release, runs) in runs {
        let taken = &[comparison::FOLDER, folder_page, "_category_.json"];
        faults.extend(Names { layout, release: Some(release), taken }.faults(&runs));
    }
    Faults::check(faults).map(|_| ())
}

/// The names in one folder: of releases, or of the runs of one.
struct Names<'a> {
    layout: Layout<'a>,
    release: Option<&'a Release>,
    /// What pages beside them are called.
    taken: &'a [&'a str],
}

impl Names<'_> {
    fn faults(&self, names: &BTreeSet<String>) -> Vec<Diagnostic> {
        let mut faults: Vec<Diagnostic> = names.iter().filter_map(|name| self.taken(name)).collect();
        if self.layout.profile == Profile::Docusaurus {
            faults.extend(names.iter().filter(|name| name.starts_with('_')).map(|name| self.left_out(name)));
            faults.extend(self.alike(names));
        }
        faults
    }

    /// Some disks don't tell upper from lower case.
    fn taken(&self, name: &str) -> Option<Diagnostic> {
        let is_taken = self.taken.iter().any(|taken| taken.eq_ignore_ascii_case(name));
        let message =
            || format!("`{}` is the name of a page beside it; a release or run of that name has no page", self.shown(name));
        is_taken.then(|| Diagnostic::error("taken-name", message()).help("rename it in the archive"))
    }

    fn left_out(&self, name: &str) -> Diagnostic {
        let message = format!("`{}` begins with `_`, and Docusaurus leaves such a folder out", self.shown(name));
        Diagnostic::error("left-out-name", message).help("rename it in the archive")
    }

    /// Names that have one address once the numbers before them are gone.
    fn alike(&self, names: &BTreeSet<String>) -> Vec<Diagnostic> {
        let mut known: BTreeMap<&str, &str> = self.taken.iter().map(|taken| (*taken, *taken)).collect();
        let mut faults = Vec::new();
        for name in names {
            let address = without_number(name);
            match known.get(address) {
                Some(other) if *other != name => faults.push(self.one_address(other, name, address)),
                _ => drop(known.insert(address, name)),
            }
        }
        faults
    }

    fn one_address(&self, one: &str, other: &str, address: &str) -> Diagnostic {
        let message = format!("`{}` and `{}` have one address in Docusaurus", self.shown(one), self.shown(other));
        let fault = Diagnostic::error("same-address", message);
        let fault = fault.note(format!("it takes a number before a name for the place in the sidebar: both are `{address}`"));
        fault.help("rename one of them in the archive")
    }

    fn shown(&self, name: &str) -> String {
        self.release.map_or_else(|| name.to_owned(), |release| format!("{release}/{name}"))
    }
}
