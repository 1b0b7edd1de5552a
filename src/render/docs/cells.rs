//! The lines of each row, as text that `mdx` makes safe afterwards. `ingest::page` reads them back.

use super::DocsRun;
use super::{captured, environment, failures};
use crate::model::catalogue::FigureId;
use crate::model::derive;
use crate::model::figure::Measurement;
use crate::model::instant::Moment;
use crate::model::page::{COMPUTED_OUTCOME, K6_OUTPUT_ID, LOCK_WAIT, PageRow, SET_BY_HAND};
use crate::model::record::{Override, Query, QueryClass, Record};
use crate::model::units::show_number;
use crate::model::verdict::Verdict;

/// What a row says: the typed lines, then the notes that name the row.
pub(super) fn lines(run: &DocsRun<'_>, row: PageRow) -> Vec<String> {
    let record = run.record;
    let mut lines = typed(run, row);
    let continues = matches!(row, PageRow::ServiceFlags | PageRow::ServiceMetrics) && ends_in_clause(record, row);
    for (at, note) in notes(record, row).enumerate() {
        match lines.last_mut() {
            // Half a sentence goes on where the clause before it ended.
            Some(last) if at == 0 && continues && note.starts_with(char::is_lowercase) => {
                *last = format!("{}; {note}", last.trim_end_matches('.'));
            }
            _ => lines.push(note.to_owned()),
        }
    }
    if row == PageRow::Outcome {
        lines.extend(record.overridden.as_ref().map(by_hand));
        lines.extend(computed(record, run.verdict));
    }
    lines
}

/// The texts of the notes that name a row.
fn notes(record: &Record, row: PageRow) -> impl Iterator<Item = &str> {
    record.notes.iter().filter(move |note| PageRow::named(&note.place) == Some(row)).map(|note| note.text.as_str())
}

/// Whether the last typed line of a row is a clause that half a sentence may continue.
fn ends_in_clause(record: &Record, row: PageRow) -> bool {
    match row {
        PageRow::ServiceFlags => record.environment.service.flags.as_ref().is_some_and(|flags| flags.captured.is_some()),
        _ => captured::has_pool(record),
    }
}

fn typed(run: &DocsRun<'_>, row: PageRow) -> Vec<String> {
    let record = run.record;
    let client = &record.environment.client;
    let service = &record.environment.service;
    let database = &record.environment.database;
    match row {
        PageRow::Baseline => one(record.identity.baseline.as_ref()),
        PageRow::Purpose => one(record.identity.purpose.as_ref()),
        PageRow::TestStart => record.window.start.map(Moment::page_text).into_iter().collect(),
        PageRow::TestEnd => record.window.end.map(Moment::page_text).into_iter().collect(),
        PageRow::TestDuration => environment::duration(record).into_iter().collect(),
        PageRow::ExecutedTest => vec![record.address().run()],
        PageRow::K6Version => one(environment::k6_version(record).as_ref()),
        PageRow::Vus => stated(record, FigureId::K6Vus),
        PageRow::ClientLocation => one(client.location.as_ref()),
        PageRow::ClientMachine => environment::client(record),
        PageRow::ServiceLocation => one(service.location.as_ref()),
        PageRow::ServiceContainer => environment::container(&service.container),
        PageRow::ServiceVersion => one(service.version.as_ref()),
        PageRow::ServiceSettings => service.settings.iter().flat_map(environment::settings).collect(),
        PageRow::ServiceFlags => service.flags.as_ref().map(environment::flags).unwrap_or_default(),
        PageRow::Database => environment::database(database),
        PageRow::DatabaseLocation => one(database.location.as_ref()),
        PageRow::DatabaseSpecification => environment::specification(database),
        PageRow::ServiceMetrics => captured::service(record),
        PageRow::Errors => failures::lines(record),
        PageRow::Queries => queries(record),
        PageRow::DatabaseMetrics => captured::database(record),
        PageRow::IterationsPerS => stated(record, FigureId::K6IterationsPerS),
        PageRow::K6Output => run.k6_text.map(|_| format!("[output](#{K6_OUTPUT_ID})")).into_iter().collect(),
        PageRow::Outcome => recorded(record),
    }
}

fn one(text: Option<&String>) -> Vec<String> {
    text.filter(|text| !text.is_empty()).cloned().into_iter().collect()
}

/// A figure that k6 gives: as somebody stated it, else as k6 counted it.
fn stated(record: &Record, id: FigureId) -> Vec<String> {
    let derived = || derive::figure(record, id).measured().map(|value| show_number(value.value));
    let stated = record.stated.get(id).and_then(|figure| figure.measurement()).map(Measurement::text);
    stated.or_else(derived).into_iter().collect()
}

fn queries(record: &Record) -> Vec<String> {
    let mut lines: Vec<String> = most_expensive(record).iter().enumerate().map(|(at, query)| query_line(at + 1, query)).collect();
    if let Some(share) = lock_share(record).filter(|share| !in_outcome(share)) {
        let of = share.of.as_deref().map(|of| format!(" of the {of}")).unwrap_or_default();
        lines.push(format!("{LOCK_WAIT}{}{of}.", share.text()));
    }
    for other in record.other_lock_waits() {
        lines.push(format!("Another estimate of it, {}: {}.", other.name, other.measurement.text()));
    }
    if let Some(top) = captured::value(record, FigureId::DatabaseTopQueryRatio) {
        lines.push(format!("Most expensive query: {top} of the database time."));
    }
    lines
}

/// The queries that a page tells: all that another page told, five of those that were captured.
pub(super) fn most_expensive(record: &Record) -> &[Query] {
    let captured = record.queries.iter().any(|query| query.fingerprint.is_some());
    let told = if captured { record.queries.len().min(5) } else { record.queries.len() };
    record.queries.get(..told).unwrap_or_default()
}

fn query_line(rank: usize, query: &Query) -> String {
    let mut line = format!("{rank}: {}", query.name);
    if query.class == Some(QueryClass::LockWait) {
        line += " — lock wait";
        if let Some(remark) = &query.remark {
            line = format!("{line}, {remark}");
        }
    } else if let Some(remark) = &query.remark {
        line = format!("{line} — {remark}");
    }
    match query.seconds {
        // A page gives no more than a millisecond; what statistics views count has digits without end.
        Some(seconds) if seconds > 0.0 && seconds < 0.0005 => format!("{line} (under 0.001 s)"),
        Some(seconds) => format!("{line} ({} s)", environment::plain_number((seconds * 1e3).round() / 1e3)),
        None => line,
    }
}

fn lock_share(record: &Record) -> Option<&Measurement> {
    record.figures.get(FigureId::DatabaseLockWaitRatio)?.measurement()
}

/// Whether the share of lock wait belongs into the outcome: it is a share of a few queries, or was read there.
fn in_outcome(share: &Measurement) -> bool {
    share.source.as_deref() == Some(PageRow::Outcome.place()) || share.of.as_deref().is_some_and(|of| of.starts_with("top"))
}

/// What a person concluded, with the share of lock wait where their words do not state it.
fn recorded(record: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    let mut message = "";
    if let Some(recorded) = &record.recorded {
        message = recorded.message.as_str();
        let text = if message.is_empty() { recorded.label.clone() } else { format!("{}. {message}", recorded.label) };
        lines.extend(text.split('\n').map(str::to_owned));
    }
    if let Some(share) = lock_share(record).filter(|share| in_outcome(share)) {
        let (printed, of) = (share.text(), share.of.clone().unwrap_or_default());
        if !message.contains(&format!("{printed} of the {of}")) && !message.contains(&format!("{printed} of {of}")) {
            lines.push(format!("{LOCK_WAIT}{printed} of the {of}."));
        }
    }
    lines
}

/// What somebody set instead of the computed verdict, and why.
fn by_hand(set: &Override) -> String {
    let author = set.author.as_ref().map(|author| format!(" ({author})")).unwrap_or_default();
    format!("{SET_BY_HAND}{}{author}. {}", set.outcome, set.reason)
}

/// The computed verdict, where nobody recorded one or it says something else.
fn computed(record: &Record, verdict: Option<&Verdict>) -> Option<String> {
    let verdict = verdict?;
    let outcome = &verdict.outcome;
    let same = record.recorded.as_ref().is_some_and(|recorded| recorded.label.eq_ignore_ascii_case(&outcome.label));
    if same {
        return None;
    }
    let mut line = format!("{COMPUTED_OUTCOME}{}: {}", verdict.flow, outcome.label);
    if !verdict.undetermined.is_empty() {
        line = format!("{line}; not known: {}", verdict.undetermined.join(", "));
    }
    // An undetermined outcome says in its label already why.
    if !verdict.message.is_empty() && !outcome.label.contains(&verdict.message) {
        line = format!("{line}. {}", verdict.message);
    }
    Some(line)
}
