//! `plimsoll audit --evidence`: records, verdicts and pages made again from what is kept, and held against it. Nothing is written.

mod inputs;
mod kept;
mod pages;
mod redo;

use std::collections::BTreeMap;
use std::path::Path;

use self::inputs::{Inputs, Located};
use self::pages::Chosen;
use self::redo::{Files, MACHINES, Redo};
use super::audit::{about, acceptances, exit, idle};
use super::judged::Judged;
use super::project::{FILE, select, shown};
use super::{Exit, Failure, Project, Streams, Tone, deliver};
use crate::archive::record_json::{self, bad_json, check_schema};
use crate::audit;
use crate::cli::{self, AuditFormat};
use crate::diagnostic::Faults;
use crate::flow::Flow;
use crate::fs;
use crate::model::address::Address;
use crate::model::collection::{Archive, Run};
use crate::model::proof::{Check, FileProof, HashedFlow, InputState, Proof, RunProof, SCHEMA, VerdictProof};
use crate::model::verdict::Verdict;
use crate::publish::manifest::fingerprint;
use crate::render::findings::{Detail, Report, github, junit};
use crate::render::proof as show;
use crate::source::Source;
use crate::tree::Tree;

/// Makes everything again, tells what is other than it was, and what everything is by its hashes.
pub(super) fn run(args: &cli::Audit, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let mut rows = acceptances(&project.settings.audits_accept)?;
    let before = args.held.against.as_deref().map(manifest).transpose()?;
    let files = project.archive_files()?;
    let archive = project.archive_of(&files)?;
    let chosen = select(&archive, &args.runs)?;
    let mut proof = proof(args, project, (&files, &archive, &chosen), streams.watched)?;
    proof.findings = audit::evidence::findings(&proof);
    if let Some(before) = &before {
        proof.findings.extend(audit::evidence::against(&proof, before, args.runs.is_empty()));
    }
    let mut findings = std::mem::take(&mut proof.findings);
    audit::evidence::sort(&mut findings, &proof);
    audit::accept(&mut findings, &mut rows);
    proof.findings = findings;
    deliver(&printed(&proof, args.format, streams.tone)?, args.out.as_deref(), streams)?;
    if args.runs.is_empty() {
        rows.retain(|row| audit::evidence::is_code(&row.row().code));
        for warning in &idle(&rows) {
            streams.tell(warning);
        }
    }
    Ok(exit(&proof.findings))
}

fn proof(
    args: &cli::Audit,
    project: &Project,
    (files, archive, chosen): (&Tree, &Archive, &[(&Address, &Run)]),
    watched: bool,
) -> Result<Proof, Failure> {
    let text = project.flow_text(None)?;
    let flow = Flow::read(&text)?;
    project.check_overrides(&flow, chosen)?;
    let (inputs, redo) = (Inputs::of(project, &args.held.inputs, archive)?, Redo::new(project, watched)?);
    let looking = Looking { files, inputs: &inputs, redo: &redo };
    let mut runs = Vec::new();
    for (address, run) in chosen {
        let verdict = project.judge(&flow, archive, address, run);
        runs.push(looking.run(address, &verdict)?);
    }
    let scope = Chosen { archive, runs: chosen, whole: args.runs.is_empty() };
    let mut pages = Vec::new();
    pages.extend(pages::site(project, args.held.site.as_deref(), args.held.base_url.as_deref(), &scope)?);
    if let Some(folder) = &args.held.docs {
        pages.push(pages::docs(project, folder, &Judged::new(project, &flow, archive), &scope)?);
    }
    let kept = |run: &RunProof| {
        let place = run.place();
        let hashed = run.files.iter().filter_map(|file| Some((file.name.clone(), file.blake3.clone()?)));
        hashed.map(|(name, hash)| (format!("{place}/{name}"), hash)).collect::<Vec<_>>()
    };
    Ok(Proof {
        schema: SCHEMA,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        flow: HashedFlow { name: flow.name().to_owned(), blake3: fingerprint(text.text().as_bytes()) },
        settings: settings(project)?,
        rules: project.rule_hashes()?,
        records: over(runs.iter().flat_map(kept)),
        verdicts: over(runs.iter().map(|run| (run.place(), run.verdict.blake3.clone()))),
        runs,
        pages,
        findings: Vec::new(),
    })
}

/// BLAKE3 of plimsoll.toml, if there is one.
fn settings(project: &Project) -> Result<Option<String>, Failure> {
    match fs::read(&project.root.join(FILE)) {
        Ok(bytes) => Ok(Some(fingerprint(&bytes))),
        Err(error) if fs::is_missing(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// One hash over many, each with its name.
fn over(hashes: impl Iterator<Item = (String, String)>) -> String {
    let lines = hashes.fold(String::new(), |lines, (name, hash)| lines + &hash + "  " + &name + "\n");
    fingerprint(lines.as_bytes())
}

/// What a run is looked at with.
struct Looking<'a> {
    files: &'a Tree,
    inputs: &'a Inputs<'a>,
    redo: &'a Redo,
}

impl Looking<'_> {
    fn run(&self, address: &Address, verdict: &Verdict) -> Result<RunProof, Failure> {
        let kept = self.kept(address);
        let source = Source::from_bytes(format!("{address}/record.json"), kept.get("record.json").map_or(&[], Vec::as_slice));
        // The archive was loaded, so it is a record; what people wrote is not laid over it here.
        let record = record_json::read(&source)?;
        let inputs: Vec<Located> = record.provenance.iter().map(|input| self.inputs.locate(input)).collect::<Result<_, _>>()?;
        let not_made = reason(&inputs);
        let mut again = if not_made.is_none() { self.redo.check(&record, &kept, &inputs)? } else { BTreeMap::default() };
        let mut files = Vec::new();
        for (name, bytes) in &kept {
            let from_inputs = if MACHINES.contains(&name.as_str()) {
                again.remove(name).unwrap_or_else(|| Check::not_made(not_made.clone().unwrap_or_default()))
            } else {
                Check::not_made("people write it")
            };
            files.push(FileProof {
                name: name.clone(),
                bytes: Some(bytes.len() as u64),
                blake3: Some(fingerprint(bytes)),
                from_inputs,
                from_archive: kept::check(name, bytes, &record)?,
            });
        }
        let missing = |(name, from_inputs)| FileProof {
            name,
            bytes: None,
            blake3: None,
            from_inputs,
            from_archive: Check::not_made("it is missing"),
        };
        files.extend(again.into_iter().map(missing));
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(RunProof {
            release: address.release.to_string(),
            run: address.run(),
            inputs: inputs.into_iter().map(|input| input.proof).collect(),
            files,
            verdict: hashed(verdict)?,
        })
    }

    /// The files of the archive that are of a run, release.toml among them.
    fn kept(&self, address: &Address) -> Files {
        let own = ["run.toml"].into_iter().chain(MACHINES).map(|name| (name, format!("{address}/{name}")));
        let shared = [("release.toml", format!("{}/release.toml", address.release))];
        let file = |(name, path): (&str, String)| Some((name.to_owned(), self.files.get(&path)?.to_vec()));
        own.chain(shared).filter_map(file).collect()
    }
}

/// Why a record can't be made again; `None` if it can.
fn reason(inputs: &[Located]) -> Option<String> {
    let lacking = |state: InputState| inputs.iter().filter(|input| input.proof.state == state).count();
    let (gone, changed) = (lacking(InputState::Gone), lacking(InputState::Changed));
    let count = |count: usize, word: &str| (count > 0).then(|| format!("{count} {word}"));
    let words: Vec<String> = [count(gone, "gone"), count(changed, "changed")].into_iter().flatten().collect();
    match (inputs.len(), words.is_empty()) {
        (0, _) => Some("the record names no inputs".to_owned()),
        (_, true) => None,
        (all, false) => Some(format!("of {all} inputs {}", words.join(", "))),
    }
}

fn hashed(verdict: &Verdict) -> Result<VerdictProof, Failure> {
    let json = serde_json::to_vec(verdict).map_err(|error| Failure::Defect(error.to_string()))?;
    let outcome = &verdict.outcome;
    Ok(VerdictProof { outcome: outcome.name.clone(), class: outcome.class, blake3: fingerprint(&json) })
}

/// Reads an earlier manifest.
fn manifest(path: &Path) -> Result<Proof, Failure> {
    let source = Source::from_bytes(shown(path), &fs::read(path)?);
    check_schema(&source, SCHEMA)?;
    let help = "give what `plimsoll audit --evidence --format json` printed";
    let read = serde_json::from_str(source.text());
    Ok(read.map_err(|error| Faults::from(bad_json(&source, &error, "bad-evidence").help(help)))?)
}

fn printed(proof: &Proof, format: AuditFormat, tone: Tone) -> Result<String, Failure> {
    let runs: Vec<String> = proof.runs.iter().map(RunProof::place).collect();
    let report = Report { findings: &proof.findings, runs: &runs, about: &about };
    match format {
        AuditFormat::Text => Ok(show::text(proof, &report, if tone == Tone::Verbose { Detail::Whole } else { Detail::Grave })),
        AuditFormat::Json => show::json(proof).map_err(|error| Failure::Defect(error.to_string())),
        AuditFormat::Junit => junit(&report).map_err(|error| Failure::Defect(error.to_string())),
        AuditFormat::Github => Ok(github(&report)),
    }
}
