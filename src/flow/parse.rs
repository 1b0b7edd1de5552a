//! A flow file as written: every key read, nothing connected yet.

use super::chart::{Between, Unknown};
use super::expr::{self, Test};
use super::lexer::Fault;
use super::message::Message;
use crate::diagnostic::Diagnostic;
use crate::handwritten::{Document, Entry, Form, Written, check_schema};
use crate::model::catalogue::Origin;
use crate::model::evidence::{Fact, FigureRef, Known};
use crate::model::figure::{Figure, Measurement};
use crate::model::units;
use crate::model::verdict::{Answer, Class};
use crate::source::{Place, Span};

/// The version of the flow file's shape that this program knows.
const SCHEMA: i64 = 1;

/// A flow as written. What is missing or wrong is `None` and was noted as a fault.
pub(super) struct Draft {
    pub(super) name: Option<Written<String>>,
    pub(super) title: Option<String>,
    pub(super) reading: Option<String>,
    pub(super) start: Option<Written<String>>,
    pub(super) questions: Vec<DraftQuestion>,
    pub(super) outcomes: Vec<DraftOutcome>,
    pub(super) cases: Vec<DraftCase>,
}

/// A question as written.
pub(super) struct DraftQuestion {
    pub(super) name: Written<String>,
    pub(super) ask: Option<String>,
    pub(super) when: Option<(Test, String)>,
    pub(super) yes: Option<Written<String>>,
    pub(super) no: Option<Written<String>>,
    pub(super) unknown: Option<Unknown>,
    pub(super) between: Option<Between>,
}

/// An outcome as written.
pub(super) struct DraftOutcome {
    pub(super) name: Written<String>,
    pub(super) class: Option<Class>,
    pub(super) label: Option<String>,
    pub(super) action: Option<String>,
    pub(super) message: Option<Message>,
}

/// A case as written.
pub(super) struct DraftCase {
    pub(super) name: Option<Written<String>>,
    pub(super) known: Known,
    pub(super) outcome: Option<Written<String>>,
    pub(super) path: Option<Vec<Written<String>>>,
    pub(super) undetermined: Option<Vec<Written<String>>>,
}

/// Reads the whole file.
pub(super) fn draft(document: &Document<'_>) -> Draft {
    let form = document.form();
    check_schema(&form, SCHEMA);
    let draft = Draft {
        name: form.wanted_text("name"),
        title: form.wanted_text("title").map(|text| text.value),
        reading: form.text("reading").map(|text| one_line(&text.value)),
        start: form.wanted_text("start"),
        questions: named(&form, "question").iter().filter_map(question).collect(),
        outcomes: named(&form, "outcome").iter().filter_map(outcome).collect(),
        cases: form.tables("case").iter().map(case).collect(),
    };
    form.close();
    draft
}

fn named<'a>(form: &Form<'a>, key: &str) -> Vec<Entry<'a>> {
    form.table(key).map(|table| table.entries()).unwrap_or_default()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn question(entry: &Entry<'_>) -> Option<DraftQuestion> {
    let form = entry.table()?;
    let question = DraftQuestion {
        name: entry.key.clone(),
        ask: form.wanted_text("ask").map(|text| one_line(&text.value)),
        when: when(&form),
        yes: form.wanted_text("yes"),
        no: form.wanted_text("no"),
        unknown: unknown(&form),
        between: form.table("between").and_then(|form| between(&form)),
    };
    form.close();
    Some(question)
}

fn when(form: &Form<'_>) -> Option<(Test, String)> {
    let written = form.wanted_text("when")?;
    match expr::read(&written.value) {
        Ok(test) => Some((test, one_line(&written.value))),
        Err(faults) => {
            note(form, &written, faults);
            None
        }
    }
}

/// Notes faults of an expression or a message under the user's own words.
fn note(form: &Form<'_>, written: &Written<String>, faults: Vec<Fault>) {
    for fault in faults {
        form.fault(fault.diagnostic.at(inside(written, fault.span)));
    }
}

/// The place of a part of a text value. Where the file spells the text with escapes, the parts have no place of their
/// own, and the whole value is it.
fn inside(written: &Written<String>, span: Span) -> Place {
    let whole = &written.place;
    let raw = whole.source.text().get(whole.span.clone()).unwrap_or_default();
    let quotes = ["\"\"\"\r\n", "\"\"\"\n", "\"\"\"", "'''\r\n", "'''\n", "'''", "\"", "'"];
    let opened = quotes.into_iter().find(|quote| {
        raw.strip_prefix(quote).and_then(|rest| rest.strip_prefix(written.value.as_str())).is_some_and(|rest| rest.len() <= 3)
    });
    match opened {
        Some(quote) => {
            let start = whole.span.start + quote.len();
            whole.source.at(start + span.start..start + span.end)
        }
        None => whole.clone(),
    }
}

fn unknown(form: &Form<'_>) -> Option<Unknown> {
    let because = form.text("because");
    let Some(written) = form.text("when_unknown") else {
        if let Some(because) = because {
            let message = "`because` without `when_unknown = \"yes\"` or `\"no\"`";
            form.fault(Diagnostic::error("needless-because", message).at(because.place));
        }
        return Some(Unknown::Stop);
    };
    let answer = match written.value.as_str() {
        "stop" => return Some(Unknown::Stop),
        "yes" => Answer::Yes,
        "no" => Answer::No,
        other => {
            let fault = Diagnostic::error("bad-choice", format!("`when_unknown` is stop, yes or no, not `{other}`"));
            form.fault(fault.at(written.place));
            return None;
        }
    };
    let Some(because) = because.filter(|text| !text.value.trim().is_empty()) else {
        let message = format!("`when_unknown = \"{}\"` needs a reason", written.value);
        let fault = Diagnostic::error("missing-because", message).at(written.place);
        form.fault(fault.help("add `because = \"...\"`, or let it stop"));
        return None;
    };
    Some(Unknown::GoOn { answer, because: one_line(&because.value) })
}

fn between(form: &Form<'_>) -> Option<Between> {
    let (below, above) = (form.wanted_text("below"), form.wanted_text("above"));
    form.close();
    Some(Between { below: below?.value, above: above?.value })
}

fn outcome(entry: &Entry<'_>) -> Option<DraftOutcome> {
    let form = entry.table()?;
    let outcome = DraftOutcome {
        name: entry.key.clone(),
        class: class(&form),
        label: form.wanted_text("label").map(|text| text.value),
        action: form.wanted_text("action").map(|text| one_line(&text.value)),
        message: message(&form),
    };
    form.close();
    Some(outcome)
}

fn class(form: &Form<'_>) -> Option<Class> {
    let written = form.wanted_text("class")?;
    match written.value.parse() {
        Ok(class) => Some(class),
        Err(message) => {
            let fault = Diagnostic::error("unknown-class", message).at(written.place);
            form.fault(fault.suggest(&written.value, Class::ALL.map(Class::name)));
            None
        }
    }
}

fn message(form: &Form<'_>) -> Option<Message> {
    let written = form.wanted_text("message")?;
    match Message::read(&written.value) {
        Ok(message) => Some(message),
        Err(faults) => {
            note(form, &written, faults);
            None
        }
    }
}

fn case(form: &Form<'_>) -> DraftCase {
    let mut known = Known::default();
    for entry in named(form, "figures") {
        if let Some((figure, found)) = case_figure(&entry) {
            known.figures.insert(figure, found);
        }
    }
    known.facts.insert(Fact::StopAtGoal, false);
    known.facts.insert(Fact::HasPrevious, known.figures.keys().any(|figure| figure.previous));
    for entry in named(form, "facts") {
        known.facts.extend(case_fact(&entry));
    }
    known.aborted = form.text("aborted").map(|text| text.value);
    let list = |key: &str| form.has(key).then(|| form.texts(key));
    let case = DraftCase {
        name: form.wanted_text("name"),
        outcome: form.wanted_text("outcome"),
        path: list("path"),
        undetermined: list("undetermined"),
        known,
    };
    form.close();
    case
}

fn case_figure(entry: &Entry<'_>) -> Option<(FigureRef, Figure)> {
    let name = &entry.key.value;
    let Ok(figure) = name.parse::<FigureRef>() else {
        let fault = Diagnostic::error("unknown-figure", format!("unknown figure `{name}`")).at(entry.key.place.clone());
        entry.fault(match expr::near_figure(name) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help("put the whole name in quotes: \"database.cpu.median\" = \"97%\""),
        });
        return None;
    };
    let written = entry.scalar()?;
    let unit = figure.figure.unit();
    match units::Written::read(&written.value, unit) {
        Ok(number) => Some((figure, Figure::Measured(case_measurement(figure, number)))),
        Err(error) => {
            entry.fault(Diagnostic::error("wrong-unit", format!("{figure}: {error}")).at(written.place));
            None
        }
    }
}

/// What was bought, and a goal, are exact as written; everything else was rounded by whoever printed it.
fn case_measurement(figure: FigureRef, number: units::Written) -> Measurement {
    let mut measurement = Measurement::written(number, figure.figure.unit());
    if matches!(figure.figure.row().origin, Origin::Provisioned | Origin::Project) {
        measurement.bounds = None;
    }
    measurement
}

fn case_fact(entry: &Entry<'_>) -> Option<(Fact, bool)> {
    let name = &entry.key.value;
    let names = Fact::ALL.map(Fact::name);
    let Some(fact) = Fact::ALL.into_iter().find(|fact| fact.name() == name) else {
        let fault = Diagnostic::error("unknown-fact", format!("unknown fact `{name}`")).at(entry.key.place.clone());
        entry.fault(fault.note(format!("known facts: {}", names.join(", "))).suggest(name, names));
        return None;
    };
    Some((fact, entry.truth()?.value))
}
