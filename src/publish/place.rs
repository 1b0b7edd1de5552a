//! Where a file of a publication lies: one of three folders, and a path inside it.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::tree::{BadPath, TreePath};

/// A folder that is published into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// The docs folder.
    Docs,
    /// The folder of the second copies of series.
    Mirror,
    /// The folder of the navigation file.
    Navigation,
}

impl Root {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Docs, Self::Mirror, Self::Navigation];

    /// Its name in a journal.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Docs => "docs",
            Self::Mirror => "mirror",
            Self::Navigation => "navigation",
        }
    }

    /// The root of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|root| root.name() == name)
    }
}

/// A file of a publication.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The folder.
    pub root: Root,
    /// The path inside it.
    pub path: TreePath,
}

impl Place {
    /// Checks a path.
    ///
    /// # Errors
    /// [`BadPath`] if it leaves the folder.
    pub fn new(root: Root, path: impl Into<String>) -> Result<Self, BadPath> {
        Ok(Self { root, path: TreePath::new(path)? })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.root.name(), self.path)
    }
}

/// A folder, and how it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// How settings name it: relative to the docs folder, with `/`. What is written down names it so, since a docs folder
    /// may lie elsewhere tomorrow.
    pub words: String,
}

/// The folders of a publication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    /// The docs folder.
    pub docs: PathBuf,
    /// The folder of second copies, where the project wants them.
    pub mirror: Option<Folder>,
    /// The folder of the navigation file, where there is one.
    pub navigation: Option<Folder>,
}

impl Roots {
    /// The folder of a root, if the publication has it.
    #[must_use]
    pub fn folder(&self, root: Root) -> Option<&Path> {
        match root {
            Root::Docs => Some(&self.docs),
            Root::Mirror => self.mirror.as_ref().map(|folder| folder.path.as_path()),
            Root::Navigation => self.navigation.as_ref().map(|folder| folder.path.as_path()),
        }
    }

    /// How a root is named in what is written down.
    #[must_use]
    pub fn words(&self, root: Root) -> Option<&str> {
        match root {
            Root::Docs => Some("."),
            Root::Mirror => self.mirror.as_ref().map(|folder| folder.words.as_str()),
            Root::Navigation => self.navigation.as_ref().map(|folder| folder.words.as_str()),
        }
    }

    /// Where a file lies; of a root that the publication lacks, in the docs folder, where it is never looked for.
    #[must_use]
    pub fn path(&self, place: &Place) -> PathBuf {
        self.folder(place.root).unwrap_or(&self.docs).join(place.path.as_str())
    }

    /// Where a file lies, as people read it.
    #[must_use]
    pub fn shown(&self, place: &Place) -> String {
        self.path(place).display().to_string().replace('\\', "/")
    }
}
