//! What the search knows: a script that sets a list of entries, each a kind, a title, what stands beside it, and where it leads.

use std::collections::BTreeMap;

use super::SiteInput;
use super::method::{self, Method, RuleText};
use super::target;
use crate::model::address::Address;
use crate::model::catalogue::{CATALOGUE, Row};
use crate::model::collection::Run;
use crate::model::environment::{Flag, FlagState};
use crate::render::facts::outcome::chip;

/// Where it lies.
pub(super) const FILE: &str = "assets/index.js";
/// At most so many runs are named beside what several of them have.
const NAMED: usize = 4;

/// An entry: kind, title, context, address from the site's root.
type Entry = (&'static str, String, String, String);

/// The script.
pub(super) fn script(index: &SiteInput<'_>) -> Result<String, serde_json::Error> {
    let list = serde_json::to_string(&entries(index))?;
    // No letter of a name ends the script.
    let list = list.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    Ok(format!("var plimsoll = window.plimsoll || {{}};\nplimsoll.index = {list};\n"))
}

/// All entries: releases, targets, runs, the newest release first; then what runs have, by name.
fn entries(index: &SiteInput<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    for release in index.archive.releases().iter().rev() {
        let count = super::view::plural(release.runs.len(), "run", "runs");
        entries.push(("release", release.name.to_string(), count, format!("{}/index.html", release.name)));
    }
    let mut targets: BTreeMap<&str, (String, String)> = BTreeMap::new();
    for (address, run) in index.archive.runs() {
        let page = target::path(&address.target);
        targets.insert(address.target.as_str(), (run.record.target_words(), page));
    }
    entries.extend(targets.into_iter().map(|(name, (words, page))| ("target", name.to_owned(), words, page)));
    for release in index.archive.releases().iter().rev() {
        for (address, run) in &release.runs {
            let chip = chip(&run.record, index.verdicts.get(address));
            entries.push((
                "run",
                address.to_string(),
                format!("{} · {}", run.record.target_words(), chip.label),
                format!("{address}/index.html"),
            ));
        }
    }
    let mut shared = Shared::default();
    for release in index.archive.releases().iter().rev() {
        release.runs.iter().for_each(|(address, run)| shared.add(address, run));
    }
    entries.extend(shared.entries());
    entries.extend(index.findings.iter().map(|finding| {
        let title = index.method.rule(&finding.code).map_or_else(|| finding.code.clone(), |rule| rule.title.to_owned());
        let place = finding.run.as_ref().map_or_else(|| finding.release.clone(), |run| format!("{}/{run}", finding.release));
        ("finding", title, format!("{place} · {} · {}", finding.code, finding.message), format!("{place}/index.html#findings"))
    }));
    entries.extend(explained(index.method));
    entries
}

/// Method pages, figures and rules.
fn explained(method: &Method) -> Vec<Entry> {
    let pages = method.pages().into_iter().map(|page| ("method", page.title, page.about, method::path(page.name)));
    let figure =
        |row: &Row| ("figure", row.name.to_owned(), row.meaning.to_owned(), format!("{}#{}", method::path("figures"), row.name));
    let rule = |rule: &RuleText| ("rule", rule.title.to_owned(), rule.code.to_owned(), method::rule_href(method, rule.code, ""));
    pages.chain(CATALOGUE.iter().map(figure)).chain(method.rules.iter().map(rule)).collect()
}

/// What several runs have by one name: where it leads is the first of them, which is of the newest release.
#[derive(Default)]
struct Shared {
    all: BTreeMap<(&'static str, String), (String, Vec<String>)>,
}

impl Shared {
    fn add(&mut self, address: &Address, run: &Run) {
        let service = &run.record.environment.service;
        let page = |anchor: &str| format!("{address}/index.html#{anchor}");
        for flag in service.flags.iter().flat_map(|flags| &flags.flags) {
            self.put("flag", flag.name.clone(), page("environment"), format!("{} in {address}", state(flag)));
        }
        for setting in service.settings.iter().flat_map(|group| &group.entries) {
            let value = if setting.value.is_empty() { String::new() } else { format!("{} in ", setting.value) };
            self.put("setting", setting.key.clone(), page("environment"), format!("{value}{address}"));
        }
        for query in &run.record.queries {
            self.put("query", query.name.clone(), page("queries"), address.to_string());
        }
    }

    fn put(&mut self, kind: &'static str, name: String, page: String, said: String) {
        let (_, runs) = self.all.entry((kind, name)).or_insert_with(|| (page, Vec::new()));
        runs.push(said);
    }

    fn entries(self) -> impl Iterator<Item = Entry> {
        self.all.into_iter().map(|((kind, name), (page, runs))| {
            let more = runs.len().saturating_sub(NAMED);
            let named = runs.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
            (kind, name, if more > 0 { format!("{named} and {more} more") } else { named }, page)
        })
    }
}

fn state(flag: &Flag) -> &'static str {
    match flag.state {
        FlagState::On => "on",
        FlagState::Off | FlagState::ExplicitlyOff => "off",
    }
}
