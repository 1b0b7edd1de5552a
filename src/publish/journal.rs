//! What a publication is about to do, written down before it does anything, so that the next one can undo or finish what
//! was cut off.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::place::{Place, Root, Roots};
use crate::archive::record_json::{bad_json, check_schema};
use crate::diagnostic::{Diagnostic, Faults};
use crate::source::Source;

/// The file in the docs folder.
pub const FILE: &str = ".plimsoll-publish.json";

const SCHEMA: u32 = 1;

const HELP: &str = "look at the files with your version control, then remove this file and publish again";

/// How far a publication is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// New files are written beside the old ones: cut off here, it is undone.
    Staging,
    /// All new files are on the disk and move into their places: cut off here, it is finished.
    Switching,
}

/// A file before and after, by BLAKE3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Where.
    pub place: Place,
    /// What was there; `None` is nothing.
    pub old: Option<String>,
    /// What will be there; `None` is nothing.
    pub new: Option<String>,
}

/// What a publication is about to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    /// How far it is.
    pub state: State,
    /// The files.
    pub operations: Vec<Operation>,
    /// Folders that are made for new files, the deepest last.
    pub folders: Vec<Place>,
    /// How many folders are made for the folder of second copies itself.
    pub mirror_folders: usize,
}

#[derive(Serialize, Deserialize)]
struct Wire {
    schema: u32,
    state: State,
    /// Folders by their names, relative to the docs folder.
    roots: BTreeMap<String, String>,
    operations: Vec<WireOperation>,
    folders: Vec<WirePlace>,
    mirror_folders: usize,
}

#[derive(Serialize, Deserialize)]
struct WirePlace {
    root: String,
    path: String,
}

#[derive(Serialize, Deserialize)]
struct WireOperation {
    root: String,
    path: String,
    old: Option<String>,
    new: Option<String>,
}

impl Journal {
    /// The journal as JSON with a final line break.
    #[must_use]
    pub fn write(&self, roots: &Roots) -> String {
        let places = || self.operations.iter().map(|operation| &operation.place).chain(&self.folders);
        let used = |root: &Root| places().any(|place| place.root == *root);
        let named = |root: Root| Some((root.name().to_owned(), roots.words(root)?.to_owned()));
        let operation = |operation: &Operation| WireOperation {
            root: operation.place.root.name().to_owned(),
            path: operation.place.path.to_string(),
            old: operation.old.clone(),
            new: operation.new.clone(),
        };
        let folder = |place: &Place| WirePlace { root: place.root.name().to_owned(), path: place.path.to_string() };
        let wire = Wire {
            schema: SCHEMA,
            state: self.state,
            roots: Root::ALL.into_iter().filter(used).filter_map(named).collect(),
            operations: self.operations.iter().map(operation).collect(),
            folders: self.folders.iter().map(folder).collect(),
            mirror_folders: self.mirror_folders,
        };
        // It holds texts and whole numbers only, which JSON can always say.
        let json = serde_json::to_string_pretty(&wire).unwrap_or_else(|error| unreachable!("a journal is JSON: {error}"));
        json + "\n"
    }

    /// Reads a journal. It is a file like any other from outside: nothing in it leads out of the folders of `roots`.
    ///
    /// # Errors
    /// `newer-schema`; `bad-journal` for another shape or a path that leaves its folder; `other-folders` if it was written
    /// for other folders than now.
    pub fn read(source: &Source, roots: &Roots) -> Result<Self, Faults> {
        check_schema(source, SCHEMA)?;
        let wire: Wire = serde_json::from_str(source.text())
            .map_err(|error| Faults::from(bad_json(source, &error, "bad-journal").help(HELP)))?;
        let mut faults: Vec<Diagnostic> = wire.roots.iter().filter_map(|root| other_folder(source, roots, root)).collect();
        let mut placed = |root: &str, path: &str| {
            let place = Root::named(root).filter(|_| wire.roots.contains_key(root)).and_then(|root| Place::new(root, path).ok());
            if place.is_none() {
                let fault = Diagnostic::error("bad-journal", format!("`{path}` is no path inside a folder of a publication"));
                faults.push(fault.at(place_of(source, path)).help(HELP));
            }
            place
        };
        let mut operations = Vec::new();
        for WireOperation { root, path, old, new } in wire.operations {
            operations.extend(placed(&root, &path).map(|place| Operation { place, old, new }));
        }
        let folders = wire.folders.iter().filter_map(|folder| placed(&folder.root, &folder.path)).collect();
        Faults::check(faults)?;
        Ok(Self { state: wire.state, operations, folders, mirror_folders: wire.mirror_folders })
    }
}

fn place_of(source: &Source, word: &str) -> crate::source::Place {
    let quoted = serde_json::Value::from(word).to_string();
    let at = source.text().find(&quoted).unwrap_or_default();
    source.at(at..at + quoted.len())
}

fn other_folder(source: &Source, roots: &Roots, (name, words): (&String, &String)) -> Option<Diagnostic> {
    let now = Root::named(name).and_then(|root| roots.words(root));
    if now == Some(words) {
        return None;
    }
    let now = now.map_or_else(|| "none".to_owned(), |now| format!("`{now}`"));
    let message = format!("a publication was cut off whose {name} folder was `{words}`; now it is {now}");
    let help = "publish once more with docs.nav and docs.mirror as they were, then with the new ones";
    Some(Diagnostic::error("other-folders", message).at(place_of(source, words)).help(help))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::publish::place::Folder;

    fn roots(mirror: Option<&str>) -> Roots {
        let mirror = mirror.map(|words| Folder { path: PathBuf::from(words), words: words.to_owned() });
        Roots { docs: PathBuf::from("docs"), mirror, navigation: None }
    }

    fn place(root: Root, path: &str) -> Place {
        Place::new(root, path).unwrap_or_else(|error| unreachable!("{error}"))
    }

    #[test]
    fn a_journal_is_written_and_read_again() {
        let operation = |root, old: Option<&str>| Operation {
            place: place(root, "v4/a/output.json"),
            old: old.map(str::to_owned),
            new: Some("b".to_owned()),
        };
        let journal = Journal {
            state: State::Switching,
            operations: vec![operation(Root::Docs, Some("a")), operation(Root::Mirror, None)],
            folders: vec![place(Root::Mirror, "v4"), place(Root::Mirror, "v4/a")],
            mirror_folders: 2,
        };
        let text = journal.write(&roots(Some("../data")));
        insta::assert_snapshot!(text);
        let source = Source::new(FILE, text);
        assert_eq!(Journal::read(&source, &roots(Some("../data"))), Ok(journal));
        insta::assert_snapshot!(Journal::read(&source, &roots(None)).err().unwrap_or_else(|| unreachable!()));
    }

    #[test]
    fn a_journal_leads_nowhere_else() {
        let text = "{\"schema\": 1, \"state\": \"switching\", \"roots\": {\"docs\": \".\"}, \"mirror_folders\": 0, \"folders\": [],\n\"operations\": [{\"root\": \"docs\", \"path\": \"../../x\", \"old\": null, \"new\": \"a\"},\n{\"root\": \"mirror\", \"path\": \"y\", \"old\": null, \"new\": \"a\"}]}\n";
        let faults = Journal::read(&Source::new(FILE, text), &roots(Some("m"))).err().unwrap_or_else(|| unreachable!());
        insta::assert_snapshot!(faults);
    }
}
