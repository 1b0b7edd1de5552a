//! The HTML site: an overview, a page per release, a page per run, a page per comparison. Static files that work from a folder, without a network
//! and without a script.

pub mod comparison;
mod environment;
mod findings;
#[cfg(test)]
mod guard;
mod index;
mod inline;
pub mod links;
pub mod method;
mod outcome;
mod overview;
pub mod page;
mod release;
mod run;
mod target;
mod view;
pub mod whole;

pub use environment::Common;

use std::collections::BTreeMap;
use std::fmt::Write;

use self::method::Method;
use super::templates::{TemplateError, Templates};
use crate::model::address::{Address, Release, Target};
use crate::model::collection::Archive;
use crate::model::comparison::Compared;
use crate::model::finding::Finding;
use crate::model::verdict::Verdict;
use crate::tree::{BadPath, Tree};

/// Everything a site is made of.
#[derive(Clone, Copy, Debug)]
pub struct SiteInput<'a> {
    /// The runs.
    pub archive: &'a Archive,
    /// What a flow concludes of them; a run without one is shown as not judged.
    pub verdicts: &'a BTreeMap<Address, Verdict>,
    /// The flow as SVG with a run's path lit: markup that is trusted and put in as it is.
    pub drawings: &'a BTreeMap<Address, String>,
    /// What changed between releases; at most one for each later release has pages.
    pub comparisons: &'a [Compared],
    /// What the audit finds, in the order of [`crate::model::finding::Findings`].
    pub findings: &'a [Finding],
    /// What the method pages say: the flow, the rules behind findings, texts of the project.
    pub method: &'a Method,
    /// What the targets are to reach, in iterations a second.
    pub goals: &'a BTreeMap<Target, f64>,
    /// The site's title.
    pub title: &'a str,
    /// What the tested service is called.
    pub service_name: &'a str,
    /// Where the site will live; empty is nowhere: then no page names an address.
    pub url: &'a str,
    /// The templates.
    pub templates: &'a Templates,
}

/// Why a site could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A template could not be filled.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A name leaves the site's folder.
    #[error(transparent)]
    Path(#[from] BadPath),
    /// A release or a run has the name of a file of the site.
    #[error("`{0}` is the name of a file of the site; a release or run of that name has no page")]
    Taken(String),
    /// The index of the search could not be written as JSON.
    #[error("index of the search: {0}")]
    Index(String),
    /// A record could not be written as JSON.
    #[error("record of {address}: {message}")]
    Record {
        /// The run.
        address: String,
        /// What the serialiser says.
        message: String,
    },
    /// What a page says could not be written as data.
    #[error("{path}: {message}")]
    Data {
        /// The file.
        path: String,
        /// What the serialiser says.
        message: String,
    },
}

/// What all pages are told of the site.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// What the method pages say.
    pub method: &'a Method,
    /// The site's title.
    pub title: &'a str,
    /// What the tested service is called.
    pub service_name: &'a str,
    /// Where the site will live; may be empty.
    pub url: &'a str,
    /// Whether it has a feed.
    pub has_feed: bool,
    /// The templates.
    pub templates: &'a Templates,
}

impl<'a> SiteInput<'a> {
    /// What all pages are told.
    #[must_use]
    pub fn site(&self) -> Site<'a> {
        Site {
            method: self.method,
            title: self.title,
            service_name: self.service_name,
            url: self.url,
            has_feed: whole::has_feed(self),
            templates: self.templates,
        }
    }

    /// The comparison of a release with an earlier one.
    fn comparison_of(&self, release: &Release) -> Option<&'a Compared> {
        self.comparisons.iter().find(|compared| compared.b == *release)
    }
}

impl Site<'_> {
    /// A page's address on the web; empty where the site has none.
    fn canonical(&self, path: &str) -> String {
        match self.url.trim_end_matches('/') {
            "" => String::new(),
            url => format!("{url}/{path}"),
        }
    }

    /// A page's address where only the letters of an address may stand; empty where the site has none.
    fn address(&self, path: &str) -> String {
        let mut address = String::new();
        for byte in self.canonical(path).bytes() {
            if byte.is_ascii_graphic() {
                address.push(char::from(byte));
            } else {
                let _ = write!(address, "%{byte:02X}");
            }
        }
        address
    }
}

/// The whole site. The same input gives the same bytes.
///
/// # Errors
/// [`RenderError`] if a template can't be filled, or a release or run has a name the site needs itself.
pub fn render(input: &SiteInput<'_>) -> Result<Tree, RenderError> {
    let mut tree = Tree::new();
    for page in page::all(input)? {
        tree.insert(page.path(), page.make(input.site())?)?;
    }
    Ok(tree)
}
