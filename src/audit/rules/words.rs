//! Whether what people wrote fits together.

use std::sync::LazyLock;

use regex::Regex;

use crate::audit::rule::{Found, Rule, Scope, one};
use crate::audit::subject::Subject;
use crate::model::catalogue::FigureId;
use crate::model::finding::Level;

/// Saturated and not bound at once.
pub(super) const SATURATED_NOT_BOUND: Rule = Rule {
    code: "saturated-not-bound",
    level: Level::Error,
    title: "A resource is called saturated, and the run not bound by one",
    reason: "One text calls a resource saturated or the bottleneck, another says that the run is not bound by resources. Both can't be: one was left standing when the other was written.",
    hint: "keep the one that the numbers bear out",
    look: Scope::Run(saturated_not_bound),
};

static SATURATED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:(?:cpu|memory|disk|database)[- ]saturated|is saturated|the bottleneck for this target)").ok()
});
static NOT_BOUND: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)\bnot (?:resource|cpu|database)[- ]bound").ok());

fn saturated_not_bound(subject: &Subject<'_>) -> Vec<Found> {
    let first = |pattern: &'static LazyLock<Option<Regex>>| {
        let pattern = pattern.as_ref()?;
        subject.texts().find_map(|text| pattern.find(text)).map(|found| found.as_str())
    };
    one(first(&SATURATED).zip(first(&NOT_BOUND)).map(|(saturated, not_bound)| {
        let cpu = subject.figure(FigureId::DatabaseCpuMedian);
        let number = cpu.as_ref().map(|cpu| format!(", with the database's CPU at {}", cpu.text())).unwrap_or_default();
        let found = Found::new(format!("\"{saturated}\" stands beside \"{not_bound}\"{number}"));
        cpu.iter().fold(found, |found, cpu| found.measured("database.cpu.median", cpu))
    }))
}

/// What was to be filled in.
pub(super) const PLACEHOLDER: Rule = Rule {
    code: "placeholder",
    level: Level::Error,
    title: "Something was to be filled in",
    reason: "A text still holds what a template or a draft stands in for: TODO, TBD, `<fill in>`, `{{ value }}`, XXX, lorem ipsum.",
    hint: "fill it in, or take it out",
    look: Scope::Run(placeholder),
};

/// What stands for a text that is still to come. Words in capitals only: "to do" and "todo" are English and a program's words.
static PLACEHOLDERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\b(?:TODO|TBD|FIXME|XXX+|TKTK)\b|(?i:lorem ipsum)|\{\{\s*[\w. ]+\s*\}\}|(?i:<(?:fill|insert|your|todo|tbd|placeholder)[^<>]{0,40}>)|(?i:\[(?:fill in|insert|tbd|todo)[^\[\]]{0,40}\])|\?\?\?+",
    )
    .ok()
});

fn placeholder(subject: &Subject<'_>) -> Vec<Found> {
    let Some(pattern) = PLACEHOLDERS.as_ref() else { return Vec::new() };
    let found = fields(subject)
        .into_iter()
        .filter_map(|(place, text)| pattern.find(text).map(|found| Found::new(format!("{place} holds \"{}\"", found.as_str()))));
    found.collect()
}

/// All texts of a run that a page prints, with where they are.
fn fields<'a>(subject: &Subject<'a>) -> Vec<(String, &'a str)> {
    let record = subject.record();
    let (environment, identity) = (&record.environment, &record.identity);
    let named: [(&str, Option<&String>); 14] = [
        ("the title", identity.title.as_ref()),
        ("the name in the side bar", identity.sidebar_label.as_ref()),
        ("the baseline", identity.baseline.as_ref()),
        ("the purpose", identity.purpose.as_ref()),
        ("the client's location", environment.client.location.as_ref()),
        ("the client's machine", environment.client.machine.as_ref()),
        ("the k6 version", environment.client.k6_version.as_ref()),
        ("the service's location", environment.service.location.as_ref()),
        ("the service's version", environment.service.version.as_ref()),
        ("the database's kind", environment.database.kind.as_ref()),
        ("the database's version", environment.database.version.as_ref()),
        ("the database's location", environment.database.location.as_ref()),
        ("the database's tier", environment.database.tier.as_ref()),
        ("the outcome", record.recorded.as_ref().map(|recorded| &recorded.label)),
    ];
    let named = named.into_iter().filter_map(|(place, text)| Some((place.to_owned(), text?.as_str())));
    let notes = record.notes.iter().map(|note| (format!("a note of \"{}\"", note.place), note.text.as_str()));
    let reasons = record.recorded.iter().map(|recorded| ("the outcome's reason".to_owned(), recorded.message.as_str()));
    let settings = environment.service.settings.iter().chain(&environment.database.settings).flat_map(|group| &group.entries);
    let settings = settings.map(|setting| (format!("the setting {}", setting.key), setting.value.as_str()));
    let queries = record.queries.iter().map(|query| ("a query's name".to_owned(), query.name.as_str()));
    let by_hand = subject.run.notes.iter().map(|note| ("a note by hand".to_owned(), note.as_str()));
    named.chain(notes).chain(reasons).chain(settings).chain(queries).chain(by_hand).collect()
}
