//! Pages near one that is not there.

use super::site::Site;
use crate::diagnostic;

/// How many pages are offered.
const OFFERED: usize = 8;
/// A longer path is not mistyped; to compare it would only take time.
const LONGEST: usize = 300;
/// The page of a folder.
pub(super) const INDEX: &str = "index.html";

/// Paths of folders that have a page and are near the one asked for: of a near name, of the same name elsewhere, the nearest
/// folder above, the overview (the empty path). Each once, the nearest first.
pub(super) fn near(site: &Site, asked: &str) -> Vec<String> {
    let asked = asked.strip_suffix(INDEX).map_or(asked, |folder| folder.trim_end_matches('/'));
    let mut found: Vec<String> = Vec::new();
    if asked.len() <= LONGEST {
        found.extend(corrected(site, asked));
        found.extend(elsewhere(site, asked));
    }
    found.extend(above(asked).filter(|folder| has_page(site, folder)).map(str::to_owned));
    let mut offered: Vec<String> = Vec::new();
    for folder in found {
        if offered.len() < OFFERED && !offered.contains(&folder) {
            offered.push(folder);
        }
    }
    offered
}

/// The path with its first unknown name replaced by a near one; what follows it stays if there is such a page, else goes.
fn corrected(site: &Site, asked: &str) -> Option<String> {
    let names: Vec<&str> = asked.split('/').collect();
    let known = (0..names.len()).rev().find(|known| site.below(&names[..*known].join("/")).next().is_some())?;
    let folder = names[..known].join("/");
    let mut siblings: Vec<&str> = site.below(&folder).filter_map(|path| first_name(path, &folder)).collect();
    siblings.dedup();
    let near = diagnostic::near(names[known], siblings)?;
    let mut corrected = names.clone();
    corrected[known] = near;
    (known + 1..=names.len()).rev().map(|to| corrected[..to].join("/")).find(|folder| has_page(site, folder))
}

/// The folder's name behind a folder; `None` of a file.
fn first_name<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path[folder.len()..].trim_start_matches('/').split_once('/').map(|(name, _)| name)
}

/// Folders with a page that have the last name of the one asked for.
fn elsewhere<'a>(site: &'a Site, asked: &'a str) -> impl Iterator<Item = String> + 'a {
    let last = asked.rsplit('/').next().unwrap_or(asked);
    let pages = site.below("").filter_map(|path| path.strip_suffix("/index.html"));
    pages.filter(move |folder| folder.rsplit('/').next() == Some(last)).take(OFFERED).map(str::to_owned)
}

/// The folders above, the nearest first, the root last.
fn above(asked: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(asked), |path| match path.rsplit_once('/') {
        Some((folder, _)) => Some(folder),
        None => (!path.is_empty()).then_some(""),
    })
}

fn has_page(site: &Site, folder: &str) -> bool {
    let page = if folder.is_empty() { INDEX.to_owned() } else { format!("{folder}/{INDEX}") };
    site.file(&page).is_some()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;
    use crate::serve::Patch;
    use crate::tree::Tree;

    fn site() -> Site {
        let mut tree = Tree::new();
        for folder in ["", "v1/", "v1/login/", "v1/add_session/", "v2/", "v2/login/", "v2/diff/login/"] {
            tree.insert(format!("{folder}index.html"), "").unwrap();
        }
        tree.insert("assets/style.css", "").unwrap();
        Site::nothing().patched(&Patch::between(&Tree::new(), &tree))
    }

    #[test]
    fn a_mistyped_name_is_corrected() {
        assert_eq!(near(&site(), "v1/add_sesion"), ["v1/add_session", "v1", ""]);
        assert_eq!(near(&site(), "v1/logni/index.html"), ["v1/login", "v1", ""]);
    }

    #[test]
    fn the_same_name_elsewhere_is_offered() {
        assert_eq!(near(&site(), "v3/login"), ["v1/login", "v2/diff/login", "v2/login", ""]);
    }

    #[test]
    fn what_is_near_nothing_leads_to_the_overview() {
        assert_eq!(near(&site(), "favicon.ico"), [""]);
        assert_eq!(near(&site(), &"x/".repeat(5000)), [""]);
        assert_eq!(near(&site(), &"login/".repeat(5000)), [""]);
        assert_eq!(near(&Site::nothing(), "v1"), Vec::<String>::new());
    }
}
