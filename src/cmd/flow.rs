//! `plimsoll flow`: the decision charts themselves.

use std::path::Path;

use super::project::select;
use super::{Exit, Failure, Project, Streams, deliver};
use crate::cli;
use crate::diagnostic::Diagnostic;
use crate::flow::{BUILT_IN, Flow, draw, show};
use crate::model::collection::Archive;
use crate::model::verdict::Verdict;
use crate::secrets::masked;

/// List, show, test or draw.
pub(super) fn run(args: &cli::Flow, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    match args {
        cli::Flow::List => list(project, streams),
        cli::Flow::Show { flow } => {
            write!(streams.out, "{}", masked(&show(&project.flow(Some(flow))?)))?;
            Ok(Exit::Yes)
        }
        cli::Flow::Test { flow } => test(flow, project, streams),
        cli::Flow::Draw { flow, run, out } => drawing(flow, run.as_deref(), out.as_deref(), project, streams),
    }
}

/// All flows by name: the project's own win over built-in ones of the same name.
fn list(project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let names = project.flow_names()?;
    let width = names.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, origin) in &names {
        let flow = project.flow(Some(name))?;
        let chosen = if *name == project.settings.flow { "  (judges this project)" } else { "" };
        writeln!(streams.out, "{name:width$}  {origin:8}  {}{chosen}", masked(flow.title()))?;
    }
    Ok(Exit::Yes)
}

/// Runs a flow's cases, then says which verdicts of the archive it would change.
fn test(name: &str, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let flow = project.flow(Some(name))?;
    let report = flow.run_cases();
    for fault in report.cases.iter().filter_map(|case| case.fault.as_ref()) {
        streams.tell(fault);
    }
    write!(streams.out, "{}", masked(&report.to_string()))?;
    let archive = project.archive()?;
    write!(streams.out, "{}", masked(&replay(&flow, project, &archive)?))?;
    Ok(if report.passed() { Exit::Yes } else { Exit::No })
}

/// The runs whose outcome is another than by the flow it would replace: the built-in of the same name, else the project's.
fn replay(flow: &Flow, project: &Project, archive: &Archive) -> Result<String, Failure> {
    let (reference, name) = if BUILT_IN.contains(&flow.name()) {
        (project.builtin(flow.name())?, format!("the built-in `{}`", flow.name()))
    } else {
        (project.flow(None)?, format!("`{}`", project.settings.flow))
    };
    let mut flips = Vec::new();
    for (address, run) in archive.runs() {
        let judge = |flow: &Flow| project.judge(flow, archive, address, run);
        let (new, old) = (judge(flow), judge(&reference));
        if outcome(&new) != outcome(&old) {
            flips.push(format!("  {address}: {} -> {}\n", old.outcome.label, new.outcome.label));
        }
    }
    let (count, total) = (flips.len(), archive.runs().count());
    Ok(format!("\nover the archive, against {name}: {count} of {total} verdicts differ\n{}", flips.concat()))
}

fn outcome(verdict: &Verdict) -> (&str, &str) {
    (verdict.outcome.name.as_str(), verdict.outcome.class.name())
}

fn drawing(
    name: &str,
    run: Option<&str>,
    out: Option<&Path>,
    project: &Project,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let flow = project.flow(Some(name))?;
    let verdict = run.map(|run| one(run, &flow, project)).transpose()?;
    let svg = draw(&flow, verdict.as_ref());
    deliver(&masked(&svg), out, streams)
}

fn one(run: &str, flow: &Flow, project: &Project) -> Result<Verdict, Failure> {
    let archive = project.archive()?;
    match select(&archive, &[run.to_owned()])?.as_slice() {
        [(address, run)] => Ok(project.judge(flow, &archive, address, run)),
        several => {
            let fault = Diagnostic::error("several-runs", format!("`{run}` chooses {} runs, where one is wanted", several.len()));
            Err(Failure::Misuse(several.iter().take(5).fold(fault, |fault, (address, _)| fault.note(address.to_string()))))
        }
    }
}
