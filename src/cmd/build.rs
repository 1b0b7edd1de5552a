//! `plimsoll build`: the HTML site.

use std::collections::BTreeMap;

use super::project::{counted, select, shown};
use super::{Exit, Failure, Project, Streams};
use crate::cli;
use crate::diagnostic::{Diagnostic, Faults};
use crate::diff;
use crate::flow::{Flow, draw};
use crate::fs;
use crate::model::address::Address;
use crate::model::collection::{Archive, ReleaseRuns, Run};
use crate::model::comparison::Judgement;
use crate::model::verdict::Verdict;
use crate::render::site::{self, Compared, RenderError, SiteInput, links};
use crate::tree::Tree;

/// Judges all runs, makes all pages in memory, checks their links, writes them.
pub(super) fn run(args: &cli::Build, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let flow = project.flow(None)?;
    let archive = project.archive()?;
    project.check_overrides(&flow, &select(&archive, &[])?)?;
    let tree = pages(args, project, &flow, &archive)?;
    check_links(&tree)?;
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

fn pages(args: &cli::Build, project: &Project, flow: &Flow, archive: &Archive) -> Result<Tree, Failure> {
    let templates = project.templates()?;
    let verdicts: BTreeMap<Address, Verdict> =
        archive.runs().map(|(address, run)| (address.clone(), project.judge(flow, archive, address, run))).collect();
    let drawings = verdicts.iter().map(|(address, verdict)| (address.clone(), draw(flow, Some(verdict)))).collect();
    let comparisons = compare_all(project, flow, archive, &verdicts);
    let input = SiteInput {
        archive,
        verdicts: &verdicts,
        drawings: &drawings,
        comparisons: &comparisons,
        flow_title: flow.title(),
        title: &project.settings.title(),
        service_name: &project.settings.service_name,
        url: args.base_url.as_deref().unwrap_or(&project.settings.site_url),
        templates: &templates,
    };
    site::render(&input).map_err(|error| unmade(&error))
}

/// Every release held against the latest earlier one that has a target in common.
fn compare_all(project: &Project, flow: &Flow, archive: &Archive, verdicts: &BTreeMap<Address, Verdict>) -> Vec<Compared> {
    let judge = |address: &Address, run: &Run| {
        Judgement::from(verdicts.get(address).cloned().unwrap_or_else(|| project.judge(flow, archive, address, run)))
    };
    let releases = archive.releases();
    let earlier = |at: usize, later| releases[..at].iter().rev().find(|earlier| has_common(earlier, later));
    let pairs: Vec<[&ReleaseRuns; 2]> =
        releases.iter().enumerate().filter_map(|(at, later)| Some([earlier(at, later)?, later])).collect();
    let comparisons = diff::compare_all(archive, pairs.iter().map(|pair| pair.map(side)), &project.settings, &judge);
    let compared = |([a, b], comparison): (&[&ReleaseRuns; 2], _)| Compared { a: a.name.clone(), b: b.name.clone(), comparison };
    pairs.iter().zip(comparisons).map(compared).collect()
}

fn has_common(earlier: &ReleaseRuns, later: &ReleaseRuns) -> bool {
    later.runs.keys().any(|own| earlier.runs.keys().any(|other| other.target == own.target))
}

fn side(release: &ReleaseRuns) -> diff::Side<'_> {
    diff::Side { name: release.name.to_string(), runs: release.runs.iter().collect() }
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
