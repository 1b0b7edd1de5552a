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
            let target = shown(&real(link));
            Diagnostic::error("link", format!("`{}` is a link", shown(link)))
                .note(format!("it leads to `{target}`; what is published stays inside its folder and follows no link"))
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

/// Paths that a disk without upper and lower case takes for one, each pair once, with the folders that they begin to
/// differ in; a file that another one needs as its folder.
fn alike<'p>(roots: &Roots, places: impl Iterator<Item = &'p Place>) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut faults = Vec::new();
    for place in places {
        let Some(folder) = roots.folder(place.root) else { continue };
        let real = real(folder).display().to_string();
        let (mut key, mut name) = (real.clone(), real);
        for part in place.path.parts() {
            key = format!("{key}/{}", part.to_lowercase());
            name = format!("{name}/{part}");
            let known = seen.entry(key.clone()).or_insert_with(|| name.clone());
            if *known != name {
                let shown = roots.shown(place);
                let message = format!("`{known}` and `{name}` differ by upper and lower case alone");
                let fault =
                    Diagnostic::error("same-name", message).note(format!("`{shown}` would be written over on some disks"));
                faults.push(fault.help("rename one of the releases or runs"));
                break;
            }
        }
        if let Some(other) = files.insert(key, roots.shown(place)) {
            let message = format!("`{}` and `{other}` are one file", roots.shown(place));
            faults.push(Diagnostic::error("same-file", message).help("let docs.mirror name a folder of its own"));
        }
    }
    faults
}
