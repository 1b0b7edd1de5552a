//! `plimsoll classify`: verdicts.

use std::collections::BTreeSet;

use super::project::select;
use super::{Exit, Failure, Project, Streams};
use crate::cli::{self, Format};
use crate::model::verdict::{Class, Verdict};
use crate::render::verdict as show;
use crate::secrets::masked_value;

/// Judges the chosen runs by the chosen flow.
pub(super) fn run(args: &cli::Classify, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let fail_on = classes(&args.fail_on)?;
    let flow = project.flow(args.flow.as_deref())?;
    let archive = project.archive()?;
    let chosen = select(&archive, &args.runs)?;
    let verdicts: Vec<Verdict> = chosen.iter().map(|(address, run)| project.judge(&flow, &archive, address, run)).collect();
    // Records may be written over by hand, and flows are.
    let verdicts = masked_value(verdicts)?;
    project.check_overrides(&flow, &chosen)?;
    let text = match args.format {
        Format::Text => show::text(&verdicts),
        Format::Json => show::json(&verdicts),
        Format::Markdown => show::markdown(&verdicts),
    };
    write!(streams.out, "{text}")?;
    let failed = verdicts.iter().any(|verdict| fail_on.contains(&verdict.outcome.class));
    Ok(if failed { Exit::No } else { Exit::Yes })
}

fn classes(names: &[String]) -> Result<BTreeSet<Class>, Failure> {
    names.iter().map(|name| name.parse().map_err(|unknown: String| Failure::misuse("unknown-class", unknown))).collect()
}
