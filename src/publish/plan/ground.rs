//! Whether files can lie where they are wanted.

use std::collections::BTreeMap;
use std::path::Path;

use crate::diagnostic::Diagnostic;
use crate::fs::real;
use crate::fs::switch::Found;
use crate::publish::place::{Place, Roots};

/// What is in the way, and names that are one on some disks.
pub(super) fn faults(roots: &Roots, present: &BTreeMap<Place, Found>) -> Vec<Diagnostic> {
    let in_the_way = present.iter().filter_map(|(place, found)| in_the_way(roots, place, found));
    let mut faults: Vec<Diagnostic> = in_the_way.collect();
    faults.dedup();
    faults.extend(alike(roots, present.keys()));
    faults
}

fn in_the_way(roots: &Roots, place: &Place, found: &Found) -> Option<Diagnostic> {
    let shown = |path: &Path| path.display().to_string().replace('\\', "/");
    Some(match found {
        Found::Nothing | Found::File(_) => return None,
        Found::Link(link) => {
            let target = real(link);
            let leads =
                if target == *link { "it leads to nothing".to_owned() } else { format!("it leads to `{}`", shown(&target)) };
            Diagnostic::error("link", format!("`{}` is a link", shown(link)))
                .note(format!("{leads}; what is published stays inside its folder and follows no link"))
                .help("put a folder or file there instead of the link")
        }
        Found::Folder => {
            Diagnostic::error("folder-in-the-way", format!("`{}` is a folder, and a file is wanted", roots.shown(place)))
                .help("move the folder away")
        }
        Found::FileAbove(file) => {
            Diagnostic::error("file-in-the-way", format!("`{}` is a file, and a folder is wanted", shown(file)))
                .help("move the file away")
        }
        Found::Other => {
            Diagnostic::error("file-in-the-way", format!("`{}` is no regular file", roots.shown(place))).help("move it away")
        }
    })
}

/// Paths that a disk without upper and lower case takes for one, and files that two roots both call their own.
fn alike<'p>(roots: &Roots, places: impl Iterator<Item = &'p Place>) -> Vec<Diagnostic> {
    let mut names = Names::default();
    let mut faults: Vec<Diagnostic> = places.filter_map(|place| names.add(roots, place)).collect();
    faults.dedup();
    faults
}

/// The names of files and of the folders they lie in, by what a disk without upper and lower case makes of them.
#[derive(Default)]
struct Names {
    /// The whole path, and how it is shown.
    known: BTreeMap<String, (String, String)>,
    files: BTreeMap<String, String>,
}

impl Names {
    fn add(&mut self, roots: &Roots, place: &Place) -> Option<Diagnostic> {
        let folder = roots.folder(place.root)?;
        // Roots may lie in one another, so it is the whole path that counts.
        let mut name = real(folder).display().to_string();
        let (mut key, mut shown) = (name.clone(), folder.display().to_string());
        for part in place.path.parts() {
            key = format!("{key}/{}", part.to_lowercase());
            name = format!("{name}/{part}");
            shown = format!("{shown}/{part}");
            let known = self.known.entry(key.clone()).or_insert_with(|| (name.clone(), shown.clone()));
            if known.0 != name {
                let message = format!("`{}` and `{shown}` differ by upper and lower case alone", known.1);
                let fault = Diagnostic::error("same-name", message).note("on some disks they are one");
                return Some(fault.help("rename one of the releases or runs"));
            }
        }
        let other = self.files.insert(key, shown.clone())?;
        let fault = Diagnostic::error("same-file", format!("`{shown}` and `{other}` are one file"));
        Some(fault.help("let docs.mirror name a folder of its own"))
    }
}
