//! Numbers in the notes and messages of the published pages: what is understood, that it agrees, and that another number in its place
//! is told.

use std::collections::BTreeMap;

use plimsoll::audit::{self, Around, Claim};
use plimsoll::model::address::Address;
use plimsoll::model::collection::{Archive, Run};
use plimsoll::model::finding::Finding;
use plimsoll::model::instant::Moment;

use super::command::Folder;
use super::material::shared;

const SERVICE: &str = "ZITADEL";

/// The published pages as an archive.
fn published() -> Option<Archive> {
    let pages = shared("data/published")?;
    let folder = Folder::new();
    folder.plimsoll(&["-q", "ingest", pages.to_str().unwrap()]).exits(0);
    let tree = plimsoll::fs::read_tree(&folder.path("data")).unwrap();
    Some(plimsoll::archive::load(&tree, "data").unwrap())
}

fn claims(archive: &Archive) -> Vec<(&Address, Claim<'_>)> {
    let around = Around::new(archive, SERVICE);
    archive
        .runs()
        .flat_map(|(address, run)| audit::claims(&around, address, run).into_iter().map(move |claim| (address, claim)))
        .collect()
}

#[test]
fn the_published_pages_claim_what_their_records_have() {
    let Some(archive) = published() else { return };
    let claims = claims(&archive);
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for (address, claim) in &claims {
        println!(
            "{address} [{}] \"{}\" {} {}",
            claim.text.place,
            claim.quote,
            claim.figure,
            if claim.holds { "agrees" } else { "differs" }
        );
        // A share of two counts has its counts in its name.
        let figure = if claim.figure.starts_with(|c: char| c.is_ascii_digit()) { "a share of two counts" } else { &claim.figure };
        *kinds.entry(figure).or_default() += 1;
    }
    let differing = claims.iter().filter(|(_, claim)| !claim.holds).count();
    println!("{} claims understood, {} agree, {differing} differ", claims.len(), claims.len() - differing);
    insta::assert_debug_snapshot!("claims_of_the_published_pages", kinds);
    assert_eq!(differing, 0);
}

/// A time of day outside of a run's window, whatever the zone: the pages' runs last half an hour, this is a quarter behind their end.
fn outside(run: &Run, written: &str) -> String {
    let at = run.record.window.end.and_then(Moment::instant).unwrap() + chrono::Duration::minutes(15);
    at.format(if written.len() > 5 { "%H:%M:%S" } else { "%H:%M" }).to_string()
}

/// Another number, far from the one that is written, in the same form.
fn other(written: &str, figure: &str) -> String {
    let end = written.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(written.len());
    let (digits, unit) = written.split_at(end);
    // A word for a number.
    let number: f64 = digits.replace(',', "").parse().unwrap_or(2.0);
    let unit = if digits.is_empty() { " hours" } else { unit };
    let part = ["k6.failed_requests", "k6.iterations", "container.instances.startups", "errors.kinds"].contains(&figure);
    let changed = match (unit == "%", part) {
        (true, _) if number >= 50.0 => number - 31.0,
        (true, _) => number + 31.0,
        (false, true) => number * 2.0 + 5_000_000.0,
        (false, false) => number * 2.0 + 3.0,
    };
    format!("{changed}{unit}")
}

/// The archive with another number in the place of a claim's.
fn planted(archive: &Archive, address: &Address, claim: &Claim<'_>, number: &str) -> Archive {
    let mut text = claim.text.text.to_owned();
    text.replace_range(claim.number.clone(), number);
    let mut releases = archive.clone().into_releases();
    let run: &mut Run = releases.iter_mut().find_map(|release| release.runs.get_mut(address)).unwrap();
    let record = &mut run.record;
    for note in &mut record.notes {
        if note.place == claim.text.place && note.text == claim.text.text {
            note.text.clone_from(&text);
        }
    }
    if let Some(recorded) = record.recorded.as_mut().filter(|recorded| recorded.message == claim.text.text) {
        recorded.message = text;
    }
    Archive::new(releases)
}

fn found(archive: &Archive, address: &Address) -> Vec<Finding> {
    let chosen = vec![(address, archive.run(address).unwrap())];
    let findings = audit::audit(&Around::new(archive, SERVICE), &chosen);
    findings.into_iter().filter(|finding| finding.code == "claim-differs").collect()
}

#[test]
fn every_number_that_agrees_is_told_once_it_is_another() {
    let Some(archive) = published() else { return };
    let mut count = 0;
    for (address, claim) in claims(&archive) {
        let written = &claim.text.text[claim.number.clone()];
        let is_clock = written.contains(':');
        let number = if is_clock { outside(archive.run(&claim.of).unwrap(), written) } else { other(written, &claim.figure) };
        let planted = planted(&archive, address, &claim, &number);
        let findings = found(&planted, address);
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        let figure = if claim.figure.starts_with(|c: char| c.is_ascii_digit()) { "of k6.requests" } else { &claim.figure };
        let is_told = |message: &&&str| message.contains(&number) && message.contains(figure);
        assert!(messages.iter().any(|message| is_told(&message)), "{address}: \"{}\" with {number}: {messages:?}", claim.quote);
        count += 1;
    }
    println!("{count} numbers planted, {count} told");
    assert!(count > 100, "{count}");
}

#[test]
fn nothing_is_told_of_the_published_pages_as_they_are() {
    let Some(archive) = published() else { return };
    let chosen: Vec<(&Address, &Run)> = archive.runs().collect();
    let findings = audit::audit(&Around::new(&archive, SERVICE), &chosen);
    let told: Vec<String> = findings
        .iter()
        .filter(|finding| finding.code.ends_with("claim-differs"))
        .map(|finding| format!("{} {}", finding.place(), finding.message))
        .collect();
    assert_eq!(told, Vec::<String>::new());
}
