//! The HTML site: an overview, a page per release, a page per run, a page per comparison. Static files that work from a folder, without a network
//! and without a script.

pub mod comparison;
mod environment;
#[cfg(test)]
mod guard;
mod inline;
pub mod links;
mod outcome;
mod overview;
mod release;
mod run;
mod view;

use std::collections::BTreeMap;

use serde::Serialize;

use super::templates::{TemplateError, Templates};
use crate::model::address::{Address, Release};
use crate::model::collection::{Archive, Run};
use crate::model::comparison::Compared;
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
    /// The flow in words.
    pub flow_title: &'a str,
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
    /// A record could not be written as JSON.
    #[error("record of {address}: {message}")]
    Record {
        /// The run.
        address: String,
        /// What the serialiser says.
        message: String,
    },
}

/// A run and where it lies.
#[derive(Clone, Copy, Debug)]
struct PageInput<'a> {
    address: &'a Address,
    run: &'a Run,
}

impl SiteInput<'_> {
    /// The comparison of a release with an earlier one.
    fn comparison_of(&self, release: &Release) -> Option<&Compared> {
        self.comparisons.iter().find(|compared| compared.b == *release)
    }

    /// A page's address on the web; empty where the site has none.
    fn canonical(&self, path: &str) -> String {
        match self.url.trim_end_matches('/') {
            "" => String::new(),
            url => format!("{url}/{path}"),
        }
    }
}

/// Names in the site's root that no release may have.
const ROOT_NAMES: [&str; 2] = ["assets", "index.html"];

/// The whole site. The same input gives the same bytes.
///
/// # Errors
/// [`RenderError`] if a template can't be filled, or a release or run has a name the site needs itself.
pub fn render(input: &SiteInput<'_>) -> Result<Tree, RenderError> {
    let mut tree = Tree::new();
    for (file, template) in [("assets/style.css", "site/style.css"), ("assets/mark.svg", "site/mark.svg")] {
        tree.insert(file, input.templates.text(template).unwrap_or_default())?;
    }
    add_page(&mut tree, input, "index.html", "site/index.html", &overview::view(input))?;
    for release in input.archive.releases() {
        let name = release.name.as_str();
        refuse(name, &ROOT_NAMES)?;
        add_page(&mut tree, input, &format!("{name}/index.html"), "site/release.html", &release::view(input, release))?;
        for (address, run) in &release.runs {
            add_run(&mut tree, input, &PageInput { address, run })?;
        }
        if let Some(compared) = input.comparison_of(&release.name) {
            add_comparison(&mut tree, input, compared)?;
        }
    }
    Ok(tree)
}

fn add_run(tree: &mut Tree, input: &SiteInput<'_>, page: &PageInput<'_>) -> Result<(), RenderError> {
    refuse(&page.address.run(), &["index.html", comparison::FOLDER])?;
    let folder = page.address.to_string();
    let wrong = |e: serde_json::Error| RenderError::Record { address: folder.clone(), message: e.to_string() };
    let record = serde_json::to_string_pretty(&page.run.record).map_err(wrong)?;
    tree.insert(format!("{folder}/record.json"), record + "\n")?;
    add_page(tree, input, &format!("{folder}/index.html"), "site/run.html", &run::view(input, page))
}

fn add_comparison(tree: &mut Tree, input: &SiteInput<'_>, compared: &Compared) -> Result<(), RenderError> {
    let folder = format!("{}/{}", compared.b, comparison::FOLDER);
    add_page(tree, input, &format!("{folder}/index.html"), "site/comparison.html", &comparison::pair(input, compared))?;
    for target in &compared.comparison.targets {
        refuse(&target.target, &["index.html"])?;
        let path = format!("{folder}/{}/index.html", target.target);
        add_page(tree, input, &path, "site/comparison/target.html", &comparison::target(input, compared, target))?;
    }
    Ok(())
}

fn add_page<V: Serialize>(
    tree: &mut Tree,
    input: &SiteInput<'_>,
    path: &str,
    template: &str,
    view: &V,
) -> Result<(), RenderError> {
    let html = input.templates.fill(template, view)?;
    tree.insert(path, html)?;
    Ok(())
}

fn refuse(name: &str, taken: &[&str]) -> Result<(), RenderError> {
    // Some disks don't tell upper from lower case.
    if taken.iter().any(|taken| taken.eq_ignore_ascii_case(name)) { Err(RenderError::Taken(name.to_owned())) } else { Ok(()) }
}
