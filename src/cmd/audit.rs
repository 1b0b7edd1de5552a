//! `plimsoll audit`: records held against themselves and the method.

use std::collections::BTreeSet;

use super::project::select;
use super::{Exit, Failure, Project, Streams, Tone, deliver, evidence};
use crate::audit::{self, Acceptance, Around, RULES};
use crate::cli::{self, AuditFormat};
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::catalogue::FigureId;
use crate::model::finding::{Finding, Level};
use crate::render::findings::{About, Detail, Report, github, json, junit, text};
use crate::settings::AcceptedFinding;

/// Looks at the chosen runs and tells what does not fit.
pub(super) fn run(args: &cli::Audit, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    if args.evidence {
        return evidence::run(args, project, streams);
    }
    let mut rows = acceptances(&project.settings.audits_accept)?;
    let archive = project.archive()?;
    let chosen = select(&archive, &args.runs)?;
    let around = Around::new(&archive, &project.settings.service_name);
    let mut findings = audit::audit(&around, &chosen);
    if args.complete {
        let asked: Vec<FigureId> = project.flow(None)?.required().into_iter().collect();
        findings.extend(audit::not_captured(&around, &chosen, &asked));
        sort(&mut findings, &chosen.iter().map(|(address, _)| address.to_string()).collect::<Vec<_>>());
    }
    audit::accept(&mut findings, &mut rows);
    let runs: Vec<String> = chosen.iter().map(|(address, _)| address.to_string()).collect();
    let report = Report { findings: &findings, runs: &runs, about: &about };
    deliver(&printed(&report, args.format, streams.tone)?, args.out.as_deref(), streams)?;
    if args.runs.is_empty() {
        rows.retain(|row| !audit::evidence::is_code(&row.row().code));
        for warning in idle(&rows) {
            streams.tell(&warning);
        }
    }
    Ok(exit(&findings))
}

/// No, if a finding is an error and nobody accepted it.
pub(super) fn exit(findings: &[Finding]) -> Exit {
    let fails = findings.iter().any(|finding| finding.level == Level::Error && finding.accepted.is_none());
    if fails { Exit::No } else { Exit::Yes }
}

fn printed(report: &Report<'_>, format: AuditFormat, tone: Tone) -> Result<String, Failure> {
    let detail = if tone == Tone::Verbose { Detail::Whole } else { Detail::Brief };
    match format {
        AuditFormat::Text => Ok(text(report, detail)),
        AuditFormat::Json => json(report.findings).map_err(|error| Failure::Defect(error.to_string())),
        AuditFormat::Junit => junit(report).map_err(|error| Failure::Defect(error.to_string())),
        AuditFormat::Github => Ok(github(report)),
    }
}

/// What is known of the rule of a code.
pub(super) fn about(code: &str) -> Option<About> {
    audit::rule(code).map(|rule| About { title: rule.title, reason: rule.reason })
}

/// Puts findings into the order of the runs, those of a release before those of its runs, the gravest first.
fn sort(findings: &mut [Finding], runs: &[String]) {
    let at = |finding: &Finding| {
        let place = finding.place();
        let is_here =
            |run: &String| *run == place || finding.run.is_none() && run.split('/').next() == Some(finding.release.as_str());
        (runs.iter().position(is_here), finding.run.is_some())
    };
    findings.sort_by(|a, b| (at(a), a.level, &a.code).cmp(&(at(b), b.level, &b.code)));
}

/// The rows of `[audits] accept`.
pub(super) fn acceptances(rows: &[AcceptedFinding]) -> Result<Vec<Acceptance>, Failure> {
    let codes: BTreeSet<&str> = RULES.iter().map(|rule| rule.code).collect();
    let mut faults = Vec::new();
    let mut read = Vec::new();
    for row in rows {
        if !codes.contains(row.code.as_str()) {
            let message = format!("`[audits] accept` of plimsoll.toml names `{}`, which is no code of a finding", row.code);
            let known = format!("codes: {}", codes.iter().copied().collect::<Vec<_>>().join(", "));
            faults.push(Diagnostic::error("unknown-finding", message).note(known).suggest(&row.code, codes.iter().copied()));
        }
        match Acceptance::new(row) {
            Ok(acceptance) => read.push(acceptance),
            Err(bad) => faults.push(Diagnostic::error("bad-pattern", format!("`[audits] accept` of plimsoll.toml: {bad}"))),
        }
    }
    Faults::check(faults)?;
    Ok(read)
}

/// A warning for each row that accepts nothing any more.
pub(super) fn idle(rows: &[Acceptance]) -> Vec<Diagnostic> {
    let idle = rows.iter().filter(|row| !row.used).map(Acceptance::row);
    let warn = |row: &AcceptedFinding| {
        let message = format!("`[audits] accept` of plimsoll.toml: nothing is found as {} in {}", row.code, row.run);
        Diagnostic::warning("idle-acceptance", message).help("take the row out: what it was written for is gone")
    };
    idle.map(warn).collect()
}
