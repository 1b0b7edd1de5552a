//! The folders that a publication goes into, and the navigation file.

use std::path::{Component, Path, PathBuf};

use super::super::project::shown;
use super::super::{Failure, Project, Streams};
use super::misplaced;
use crate::cli;
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs;
use crate::fs::switch::Found;
use crate::model::profile::Profile;
use crate::publish::navigation::{self, Entries};
use crate::publish::place::{Folder, Place, Root, Roots};
use crate::publish::present::Present;
use crate::render::docs::DocsPages;
use crate::source::{Source, is_utf16, without_mark};

/// The folders.
pub(super) struct Folders {
    /// Where they are.
    pub(super) roots: Roots,
    /// The navigation file's name, if the docs site reads one.
    navigation: Option<String>,
    /// The docs folder, seen from the navigation file.
    pages: String,
}

impl Folders {
    /// The folders of the settings, as seen from the docs folder.
    pub(super) fn of(args: &cli::Publish, project: &Project, profile: Profile) -> Result<Self, Failure> {
        let settings = &project.settings.docs;
        let docs = args.to.clone();
        let mirror = Some(settings.mirror.trim_end_matches('/')).filter(|words| !words.is_empty());
        let mirror = mirror.map(|words| Folder { path: shortened(&docs.join(words)), words: words.to_owned() });
        // A second copy in the same place would be the first one.
        let mirror = mirror.filter(|mirror| real(&mirror.path) != real(&docs));
        let named = Path::new(&settings.nav);
        let navigation = named.file_name().filter(|_| profile == Profile::Fumadocs);
        let navigation = navigation.map(|name| name.to_string_lossy().into_owned());
        let folder = navigation.as_ref().map(|_| {
            let words = named.parent().map(shown).filter(|words| !words.is_empty()).unwrap_or_else(|| ".".to_owned());
            Folder { path: shortened(&docs.join(&words)), words }
        });
        let pages = folder.as_ref().and_then(|folder| real(&docs).strip_prefix(real(&folder.path)).map(shown).ok());
        let roots = Roots { docs, mirror, navigation: folder };
        check(&roots)?;
        Ok(Self { roots, navigation, pages: pages.unwrap_or_default() })
    }

    /// Those that files are written into. That of the navigation file is none where there is no such file.
    pub(super) fn written(&self) -> Vec<&Path> {
        let has_navigation = |folder: &&Folder| {
            let file = self.navigation.as_ref().map(|name| folder.path.join(name));
            file.is_some_and(|file| fs::exists(&file))
        };
        let navigation = self.roots.navigation.as_ref().filter(has_navigation);
        let beside = [self.roots.mirror.as_ref(), navigation].into_iter().flatten().map(|folder| folder.path.as_path());
        std::iter::once(self.roots.docs.as_path()).chain(beside).collect()
    }

    /// The navigation file with entries for all pages and without those that are gone; says so where there is none.
    pub(super) fn navigation(
        &self,
        present: &Present<'_>,
        entries: &Entries,
        streams: &mut Streams<'_>,
    ) -> Result<Option<(Place, Vec<u8>)>, Failure> {
        let Some(name) = &self.navigation else { return Ok(None) };
        let place = Place::new(Root::Navigation, name.as_str()).map_err(|bad| misplaced(&bad))?;
        let bytes = match present.look(&place)? {
            Found::File(bytes) => bytes,
            Found::Nothing => {
                streams.say(&format!("there is no navigation file `{}`: no entry was added", self.roots.shown(&place)));
                return Ok(None);
            }
            // The plan says what is in the way.
            _ => return Ok(Some((place, Vec::new()))),
        };
        let new = self.listing(&place, bytes, entries)?;
        Ok(Some((place, new)))
    }

    /// A navigation file of these bytes with the entries.
    pub(super) fn listing(&self, place: &Place, bytes: Vec<u8>, entries: &Entries) -> Result<Vec<u8>, Faults> {
        let source = Source::from_bytes(self.roots.shown(place), &bytes);
        if source.was_repaired() || is_utf16(&bytes) {
            let fault = Diagnostic::error("bad-text", format!("`{}` is not UTF-8", source.name()));
            return Err(fault.help("save it as UTF-8").into());
        }
        let text = navigation::with_pages(&source, &self.pages, entries)?;
        let mark = &bytes[..bytes.len() - without_mark(&bytes).len()];
        Ok(if text == source.text() { bytes } else { [mark, text.as_bytes()].concat() })
    }
}

/// What the navigation shall list: all pages by release, and those of none.
pub(super) fn entries(pages: &DocsPages, removed: Vec<String>) -> Entries {
    let named = |tree: &crate::tree::Tree| tree.iter().filter_map(|(path, _)| page_name(path.as_str())).collect::<Vec<_>>();
    let releases = pages.releases.iter().map(|(release, tree)| (release.clone(), named(tree))).collect();
    Entries { shared: named(&pages.shared), releases, removed }
}

/// A page without its ending, as a navigation file names it; `None` of what is no page.
pub(super) fn page_name(path: &str) -> Option<String> {
    path.strip_suffix(".mdx").or_else(|| path.strip_suffix(".md")).map(str::to_owned)
}

fn check(roots: &Roots) -> Result<(), Faults> {
    let folders = Root::ALL.into_iter().filter_map(|root| roots.folder(root));
    let files = folders.filter(|path| fs::exists(path) && !fs::is_folder(path));
    let fault =
        |path: &Path| Diagnostic::error("file-in-the-way", format!("`{}` is a file, and a folder is wanted", shown(path)));
    Faults::check(files.map(fault).collect()).map(|_| ())
}

/// A path without `.`, `..` and links, of one that is not there yet too.
pub(super) fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut real = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(real.pop()),
            Component::CurDir => {}
            other => {
                real.push(other);
                real = fs::real(&real);
            }
        }
    }
    real
}

/// A path as typed without `name/..` in it, where that changes nothing: not behind a link.
fn shortened(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        let is_name = matches!(short.components().next_back(), Some(Component::Normal(_)));
        if part == Component::ParentDir && is_name {
            short.pop();
        } else {
            short.push(part);
        }
    }
    if real(&short) == real(path) { short } else { path.to_owned() }
}
