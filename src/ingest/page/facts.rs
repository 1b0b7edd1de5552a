//! Rows of one value, and which run the page is about.

use super::draft::Draft;
use super::grammar::{goes_on, pattern};
use super::sheet::{Cell, Sheet};
use crate::diagnostic::Diagnostic;
use crate::model::address::{Address, Release, split_run};
use crate::model::catalogue::FigureId;
use crate::model::instant::Moment;
use crate::model::page::{PageRow, without_label};
use crate::model::record::WindowBasis;
use crate::model::units::{Unit, Written};
use crate::source::Source;

pattern! {
    TITLE = r"(?s)^(.*)\bbenchmark of\b";
    LEADING = r"^(~N)(?:\s+VUs?\b)?";
    RATE = r"^(~N(?:\s?[a-z]*/s\b)?)";
    MOMENT = r"^((?:[0-9]{2,4}-[0-9]{2}-[0-9]{2,4}[ T])?[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?\s?(?:UTC|Z|\+00(?::00)?))";
    LINK = r"^(?:\[?output\]?(?:\(#[^)]*\))?)$";
}

/// Which run it is: the release from the title, the target from its row.
pub(super) fn address(source: &Source, sheet: &Sheet, faults: &mut Vec<Diagnostic>) -> Option<Address> {
    let release = release(source, sheet, faults);
    let table = sheet.table.clone().unwrap_or_default();
    let row = sheet.rows.iter().find(|row| PageRow::named(&row.name.text) == Some(PageRow::ExecutedTest));
    let Some(row) = row.filter(|row| !row.cell.is_empty()) else {
        let end = source.text().get(table.clone()).and_then(|text| text.find('\n')).map_or(table.end, |at| table.start + at);
        faults.push(
            Diagnostic::error("no-target", "the table does not say which test was executed")
                .at(source.at(table.start..end).labelled("this table"))
                .help("add the row `| Executed test | add_session |`"),
        );
        return None;
    };
    match split_run(&row.cell.joined()) {
        Ok((target, label)) => Some(Address { release: release?, target, label }),
        Err(bad) => {
            faults.push(
                Diagnostic::error("bad-target", bad.to_string())
                    .at(source.at(row.cell.span.clone()))
                    .help("write the name of the executed test, such as `add_session`"),
            );
            None
        }
    }
}

fn release(source: &Source, sheet: &Sheet, faults: &mut Vec<Diagnostic>) -> Option<Release> {
    let title = sheet.title.as_ref();
    let word = title.and_then(|title| title.text.split_whitespace().last()).unwrap_or_default();
    let help = "a title ends in the release: `title: add session benchmark of zitadel v4.17.1`";
    let place = title.map_or_else(|| source.at_line(1), |title| source.at(title.span.clone()));
    match Release::new(word) {
        Ok(release) => return Some(release),
        Err(_) if word.is_empty() => {
            faults.push(Diagnostic::error("no-release", "the page has no title that names the release").at(place).help(help));
        }
        Err(bad) => faults.push(Diagnostic::error("no-release", bad.to_string()).at(place).help(help)),
    }
    None
}

/// The title in words and the name in the side bar, where they say more than the target does.
pub(super) fn titles(draft: &mut Draft, sheet: &Sheet) {
    let identity = &mut draft.record.identity;
    let words = identity.target.as_str().replace('_', " ");
    let title = sheet.title.as_ref().and_then(|title| TITLE.captures(&title.text)).map(|found| found[1].trim().to_owned());
    let bare = |text: &str| without_label(text, identity.label.as_ref()).to_owned();
    let title = title.map(|title| bare(&title)).filter(|title| !title.is_empty() && *title != words);
    let shown = title.as_ref().unwrap_or(&words);
    let sidebar = sheet.sidebar.as_deref().map(bare).filter(|label| !label.trim().is_empty() && label != shown);
    identity.sidebar_label = sidebar;
    identity.title = title;
}

/// Reads a row of one value; what follows the value is kept as notes.
pub(super) fn read(draft: &mut Draft, row: PageRow, cell: &Cell) {
    let Some(first) = cell.lines.first() else { return };
    let rest = match value(draft, row, first.text.trim()) {
        Some(end) => first.text.trim().get(end..).unwrap_or_default().trim(),
        None => first.text.trim(),
    };
    let more = cell.lines.iter().skip(1).map(|line| line.text.clone());
    let notes: Vec<String> = std::iter::once(rest.to_owned()).chain(more).filter(|text| !text.is_empty()).collect();
    draft.notes(row, notes);
}

/// How many bytes of the text are the row's value.
fn value(draft: &mut Draft, row: PageRow, text: &str) -> Option<usize> {
    let all = Some(text.len());
    let record = &mut draft.record;
    let place = match row {
        PageRow::ExecutedTest => return all,
        PageRow::K6Output => return LINK.is_match(text).then_some(text.len()),
        PageRow::Vus => return vus(draft, text),
        PageRow::IterationsPerS => return iterations(draft, text),
        PageRow::TestStart | PageRow::TestEnd => return moment(draft, row, text),
        PageRow::TestDuration => return duration(draft, text),
        PageRow::Baseline => &mut record.identity.baseline,
        PageRow::Purpose => &mut record.identity.purpose,
        PageRow::K6Version => &mut record.environment.client.k6_version,
        PageRow::ClientLocation => &mut record.environment.client.location,
        PageRow::ServiceLocation => &mut record.environment.service.location,
        PageRow::ServiceVersion => &mut record.environment.service.version,
        PageRow::DatabaseLocation => &mut record.environment.database.location,
        _ => return None,
    };
    *place = Some(text.to_owned());
    all
}

fn vus(draft: &mut Draft, text: &str) -> Option<usize> {
    let found = LEADING.captures(text).filter(|found| !goes_on(text, found[0].len()))?;
    draft.stated(PageRow::Vus, FigureId::K6Vus, &found[1]).then_some(found[0].len())
}

fn iterations(draft: &mut Draft, text: &str) -> Option<usize> {
    let found = RATE.captures(text).filter(|found| !goes_on(text, found[0].len()))?;
    draft.stated(PageRow::IterationsPerS, FigureId::K6IterationsPerS, &found[1]).then_some(found[0].len())
}

fn moment(draft: &mut Draft, row: PageRow, text: &str) -> Option<usize> {
    let found = MOMENT.captures(text)?;
    let moment: Moment = found[1].parse().ok()?;
    let window = &mut draft.record.window;
    let place = if row == PageRow::TestStart { &mut window.start } else { &mut window.end };
    *place = Some(moment);
    window.basis = Some(WindowBasis::Stated);
    Some(found[0].len())
}

fn duration(draft: &mut Draft, text: &str) -> Option<usize> {
    let short = text.replace("minutes", "min").replace("minute", "min").replace("seconds", "s").replace("hours", "h");
    let short = short.replace("hour", "h").replace("mins", "min");
    let written = Written::read(&short, Unit::Ms).ok().filter(|_| short.ends_with(|c: char| c.is_alphabetic()))?;
    draft.record.window.duration_s = Some(written.value / 1000.0);
    Some(text.len())
}
