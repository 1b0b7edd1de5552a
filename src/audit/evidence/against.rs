//! Evidence held against that of an earlier manifest.

use std::collections::BTreeMap;

use super::rules::AGAINST;
use crate::audit::rule::Found;
use crate::model::finding::{Finding, Level};
use crate::model::proof::{FileProof, Proof, RunProof};

/// Where what belongs to no run is told.
const ALL: &str = super::PLACES[0];

/// What an earlier manifest has otherwise. Runs that only it has are told where `whole`: then all runs were looked at. Whether inputs are still there is
/// no difference: that is a matter of the machine.
#[must_use]
pub fn against(now: &Proof, before: &Proof, whole: bool) -> Vec<Finding> {
    let mut findings = of_grounds(now, before);
    let known: BTreeMap<String, &RunProof> = before.runs.iter().map(|run| (run.place(), run)).collect();
    for run in &now.runs {
        findings.extend(match known.get(&run.place()) {
            Some(before) => of_run(run, before),
            None => vec![told(run, "the manifest has no such run".to_owned())],
        });
    }
    let is_lost = |run: &&RunProof| whole && !now.runs.iter().any(|own| own.place() == run.place());
    findings.extend(before.runs.iter().filter(is_lost).map(|run| told(run, "the archive has no such run any more".to_owned())));
    findings.extend(of_pages(now, before));
    findings
}

/// Differences of what everything was made with.
fn of_grounds(now: &Proof, before: &Proof) -> Vec<Finding> {
    let mut findings = Vec::new();
    if now.program != before.program {
        let words = format!("made again by version {}, in the manifest by version {}", now.program, before.program);
        findings.push(general(Level::Note, words));
    }
    if now.settings != before.settings {
        let words =
            format!("plimsoll.toml is {}, in the manifest {}", hash(now.settings.as_ref()), hash(before.settings.as_ref()));
        findings.push(general(Level::Note, words));
    }
    if now.flow != before.flow {
        let flow = |proof: &Proof| format!("{} ({})", proof.flow.name, proof.flow.blake3);
        findings.push(general(Level::Error, format!("the flow is {}, in the manifest {}", flow(now), flow(before))));
    }
    for ((name, own), (_, other)) in now.rules.named().into_iter().zip(before.rules.named()) {
        for (which, own, other) in
            [("own", own.own.as_ref(), other.own.as_ref()), ("built-in", Some(&own.built_in), Some(&other.built_in))]
        {
            if own != other {
                let words = format!("the {which} rules of {name} are {}, in the manifest {}", hash(own), hash(other));
                findings.push(general(Level::Error, words));
            }
        }
    }
    findings
}

fn of_run(now: &RunProof, before: &RunProof) -> Vec<Finding> {
    let mut words: Vec<String> = Vec::new();
    let mut names: Vec<&str> = now.files.iter().chain(&before.files).map(|file| file.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let of = |run: &RunProof| run.file(name).and_then(|file: &FileProof| file.blake3.clone());
        let (own, other) = (of(now), of(before));
        if own != other {
            words.push(format!("{name} is {}, in the manifest {}", hash(own.as_ref()), hash(other.as_ref())));
        }
    }
    words.extend(of_inputs(now, before));
    if now.verdict != before.verdict {
        let verdict = |run: &RunProof| format!("{} ({})", run.verdict.outcome, run.verdict.blake3);
        words.push(format!("the verdict is {}, in the manifest {}", verdict(now), verdict(before)));
    }
    words.into_iter().map(|words| told(now, words)).collect()
}

/// Inputs that only one of two states of a record names.
fn of_inputs(now: &RunProof, before: &RunProof) -> Vec<String> {
    let lacks = |run: &RunProof, path: &str, blake3: &str| !run.inputs.iter().any(|own| own.path == path && own.blake3 == blake3);
    let only = |of: &RunProof, other: &RunProof| -> Vec<String> {
        let inputs = of.inputs.iter().filter(|input| lacks(other, &input.path, &input.blake3));
        inputs.map(|input| format!("{} ({})", input.path, hash(Some(&input.blake3)))).collect()
    };
    let (new, old) = (only(now, before), only(before, now));
    let words = |words: &str, list: Vec<String>| (!list.is_empty()).then(|| format!("{words} {}", list.join(", ")));
    [words("made of files that the manifest lacks:", new), words("no longer made of files of the manifest:", old)]
        .into_iter()
        .flatten()
        .collect()
}

/// Pages that both looked at.
fn of_pages(now: &Proof, before: &Proof) -> Vec<Finding> {
    let both = now.pages.iter().filter_map(|own| Some((own, before.pages.iter().find(|other| other.of == own.of)?)));
    let other = both.filter(|(own, other)| own.blake3 != other.blake3);
    let words = other.map(|(own, other)| {
        let name = own.of.name();
        format!(
            "the pages of the {name} are made as {}, in the manifest as {}",
            hash(Some(&own.blake3)),
            hash(Some(&other.blake3))
        )
    });
    words.map(|words| general(Level::Error, words)).collect()
}

fn hash(hash: Option<&String>) -> &str {
    hash.map_or("not there", String::as_str)
}

fn told(run: &RunProof, words: String) -> Finding {
    crate::audit::finding(&AGAINST, &run.release, Some(run.run.clone()), Found::new(words))
}

fn general(level: Level, words: String) -> Finding {
    Finding { level, ..crate::audit::finding(&AGAINST, ALL, None, Found::new(words)) }
}
