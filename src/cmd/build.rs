//! `plimsoll build`: the HTML site.

use super::judged::Judged;
use super::project::{counted, select, shown};
use super::{Exit, Failure, Project, Streams};
use crate::cli;
use crate::diagnostic::{Diagnostic, Faults};
use crate::flow::{Flow, draw};
use crate::fs;
use crate::model::collection::Archive;
use crate::render::site::{self, RenderError, SiteInput, links};
use crate::tree::Tree;

/// Judges all runs, makes all pages in memory, checks their links, writes them.
pub(super) fn run(args: &cli::Build, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let flow = project.flow(None)?;
    let archive = project.archive()?;
    project.check_overrides(&flow, &select(&archive, &[])?)?;
    let url = args.base_url.as_deref().unwrap_or(&project.settings.site_url);
    let tree = pages(project, &flow, &archive, url)?;
    let out = args.out.clone().unwrap_or_else(|| project.root.join("site"));
    let written = fs::write_tree(&out, &tree)?;
    let (runs, releases) = (archive.runs().count(), archive.releases().len());
    streams.say(&format!(
        "{} of {}: {} files, {} of them new or changed",
        counted(runs, "run"),
        counted(releases, "release"),
        tree.len(),
        written.changed.len()
    ));
    streams.say(&format!("look at {}", shown(&out.join("index.html"))));
    Ok(Exit::Yes)
}

/// The whole site of an archive, its links checked.
pub(super) fn pages(project: &Project, flow: &Flow, archive: &Archive, url: &str) -> Result<Tree, Failure> {
    let templates = project.templates()?;
    let Judged { verdicts, comparisons } = Judged::new(project, flow, archive);
    let drawings = verdicts.iter().map(|(address, verdict)| (address.clone(), draw(flow, Some(verdict)))).collect();
    let input = SiteInput {
        archive,
        verdicts: &verdicts,
        drawings: &drawings,
        comparisons: &comparisons,
        flow_title: flow.title(),
        title: &project.settings.title(),
        service_name: &project.settings.service_name,
        url,
        templates: &templates,
    };
    let tree = site::render(&input).map_err(|error| unmade(&error))?;
    check_links(&tree)?;
    Ok(tree)
}

/// The embedded templates fit their views, so what can't be filled is a project's own template, or a name of its runs.
pub(super) fn unmade(error: &RenderError) -> Failure {
    let fault = Diagnostic::error("page", error.to_string());
    Faults::from(fault.help("look at the project's templates/, and at the names of its releases and runs")).into()
}

fn check_links(tree: &Tree) -> Result<(), Failure> {
    let dead = links::check(tree).into_iter().map(|link| Diagnostic::error("dead-link", link.to_string()));
    Faults::check(dead.collect())?;
    Ok(())
}
