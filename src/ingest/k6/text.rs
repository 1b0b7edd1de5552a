//! A k6 text summary, alone or inside a whole terminal log.

use super::block::Block;
use super::metric_line::{MetricLine, Name};
use super::printed::Times;
use super::screen::{self, Line};
use super::status::{self, Closing, Status};
use super::{TextRun, absent, flat, journal, sectioned};
use crate::diagnostic::{Diagnostic, Faults};
use crate::limits::{LOG_LINE_BYTES, LOG_LINES};
use crate::model::stat::Stat;
use crate::model::summary::{Iterations, MetricKind, Summary, SummaryKind};
use crate::source::Source;

/// Reads the one summary of a log. What is kept of it is read too: what a line is told by may stand elsewhere in the log, and a record must
/// not change with what was thrown away.
pub(super) fn read(source: &Source) -> Result<TextRun, Faults> {
    let run = read_log(source)?;
    let kept = read_log(&Source::new(source.name(), run.verbatim.as_str()));
    if kept.is_ok_and(|kept| figures(kept.summary) == figures(run.summary.clone())) { Ok(run) } else { Err(torn(source).into()) }
}

/// A summary without what only a whole log tells: the version, and what stands behind the summary.
fn figures(mut summary: Summary) -> Summary {
    summary.source.k6_version = None;
    summary.notes.clear();
    summary
}

fn torn(source: &Source) -> Diagnostic {
    let lines = without_log(&seen(source));
    let head = blocks(&lines).first().and_then(|block| lines.get(block.head)).map_or(0..0, |line| line.at.clone());
    Diagnostic::error("torn-summary", "the k6 summary reads otherwise alone than among the other lines of the log")
        .at(source.at(head).labelled("it begins here"))
        .help("lines of something else stand in it: give what k6 itself printed, as it printed it")
}

fn read_log(source: &Source) -> Result<TextRun, Faults> {
    if has_too_many_lines(source.text()) {
        return Err(too_many_lines(source).into());
    }
    let all = seen(source);
    let lines = without_log(&all);
    let block = only(blocks(&lines), &lines, source)?;
    let closing = status::closing(&lines, block.lines.end);
    check_whole(&block, &closing, &lines, source)?;
    let kept = [block.lines.clone(), closing.lines.clone()].map(|part| lines.get(part).unwrap_or_default()).concat();
    let abort = journal::abort(&all, &kept, &closing);
    let sign = abort.as_ref().and_then(|(_, at)| all.get((*at)?));
    let verbatim = verbatim(&lines, &block, &closing, sign);
    let mut summary = summary(block, &closing, &lines);
    summary.source.k6_version = journal::version(&all);
    summary.aborted = abort.is_some();
    summary.aborted_by = abort.map(|(sign, _)| sign);
    Ok(TextRun { summary, stamps: journal::stamps(&all), verbatim })
}

/// True exactly if a text shows k6 at work: a summary or its beginning, or k6's progress.
pub(super) fn looks_like_k6(source: &Source) -> bool {
    let text = source.text();
    let told = ["TOTAL RESULTS", "█ THRESHOLDS", "data_received..", "data_received\u{1b}", " interrupted iterations"];
    if !told.iter().any(|words| text.contains(words)) {
        return false;
    }
    if has_too_many_lines(text) {
        return true;
    }
    let lines = without_log(&seen(source));
    lines.iter().any(|line| Status::read(&line.text).is_some()) || !blocks(&lines).is_empty()
}

/// Whether a text has so many short lines that what is kept of them would be many times the text.
fn has_too_many_lines(text: &str) -> bool {
    let lines = memchr::memchr2_iter(b'\n', b'\r', text.as_bytes()).count();
    lines > LOG_LINES && text.len() / lines < LOG_LINE_BYTES
}

fn too_many_lines(source: &Source) -> Diagnostic {
    let message = format!("more than {LOG_LINES} lines, of less than {LOG_LINE_BYTES} bytes on the average, are no log of k6");
    Diagnostic::error("too-many-lines", message).at(source.at(0..0)).help("give what k6 printed, without what others did")
}

fn blocks(lines: &[Line]) -> Vec<Block> {
    let mut blocks = sectioned::find(lines);
    let taken: Vec<std::ops::Range<usize>> = blocks.iter().map(|block| block.lines.clone()).collect();
    blocks.extend(flat::find(lines, &taken));
    blocks.sort_by_key(|block| block.head);
    blocks
}

/// All lines as k6 printed them.
fn seen(source: &Source) -> Vec<Line> {
    without_lead(screen::lines(source))
}

/// The lines that k6 prints beside its log.
fn without_log(all: &[Line]) -> Vec<Line> {
    all.iter().filter(|line| !journal::is_log(&line.text)).cloned().collect()
}

/// The lines without what stands before every line of the summary: an indent that a script chose (`→ `), or the name of
/// a container (`k6-1  | `).
fn without_lead(mut lines: Vec<Line>) -> Vec<Line> {
    let lead = lines.iter().find_map(|line| {
        let name = MetricLine::split(line)?.whole()?;
        let before = name.strip_suffix("data_received")?.trim_end_matches([' ', '✓', '✗']);
        (!before.is_empty() && before.len() <= 40).then(|| before.to_owned())
    });
    if let Some(lead) = lead {
        for line in &mut lines {
            let rest = line.text.trim_start_matches(' ').strip_prefix(lead.as_str()).map(str::to_owned);
            line.text = rest.unwrap_or_else(|| line.text.clone());
        }
    }
    lines
}

fn only(blocks: Vec<Block>, lines: &[Line], source: &Source) -> Result<Block, Faults> {
    let heads: Vec<&Line> = blocks.iter().filter_map(|block| lines.get(block.head)).collect();
    // What stands behind the lines that were read of a long one looks like another.
    let is_long = blocks.first().is_some_and(|block| block.too_long.is_some());
    if let ([first, second, ..], false) = (heads.as_slice(), is_long) {
        let fault = Diagnostic::error("two-summaries", format!("{} k6 summaries in one log", blocks.len()))
            .at(source.at(second.at.clone()).labelled("another begins here"))
            .at(source.at(first.at.clone()).labelled("one begins here"))
            .help("a record is of one run: cut the log in two, one run a file");
        return Err(fault.into());
    }
    blocks.into_iter().next().ok_or_else(|| absent::explain(source, lines).into())
}

/// A summary is whole if it has what every summary has, and the text does not stop in the middle of a line.
fn check_whole(block: &Block, closing: &Closing, lines: &[Line], source: &Source) -> Result<(), Faults> {
    let last = lines.iter().rev().find(|line| !line.is_blank());
    let cut = |message: String, line: Option<&Line>| {
        let place = line.map_or(source.text().len()..source.text().len(), |line| line.at.clone());
        Diagnostic::error("cut-summary", message)
            .at(source.at(place).labelled("the text ends here"))
            .help("read the whole log, as k6 wrote it; a summary without its end can't be told from a wrong one")
    };
    let half_status = lines.get(closing.lines.start).filter(|line| Status::begins(line.text.trim()) && closing.status.is_none());
    if let Some(too_long) = block.too_long {
        let head = lines.get(block.head).map_or(0..0, |line| line.at.clone());
        let fault = Diagnostic::error("long-summary", too_long.words()).at(source.at(head).labelled("it begins here"));
        return Err(fault.help("k6 prints a line a metric, a check and a threshold: are names made of ids?").into());
    }
    if let Some(missing) = &block.missing {
        let last = lines.get(block.lines.clone()).unwrap_or_default().iter().rev().find(|line| !line.is_blank());
        return Err(cut(format!("the k6 summary is cut off: {missing}"), last).into());
    }
    if half_status.is_some() {
        return Err(cut("the k6 log is cut off in its closing status line".to_owned(), half_status).into());
    }
    let open = closing.status.is_none() && closing.stuck.is_none() && ends_open(block, lines);
    if open { Err(cut("the k6 summary is cut off in the middle of a line".to_owned(), last).into()) } else { Ok(()) }
}

/// True exactly if the text stops on a line of the summary, without a line break, where that line may go on.
fn ends_open(block: &Block, lines: &[Line]) -> bool {
    let Some(last) = lines.last().filter(|line| line.end == screen::End::Text) else { return false };
    let at = lines.len() - 1;
    let touches = block.lines.contains(&at) || block.lines.end == at;
    touches && !MetricLine::split(last).is_some_and(|line| is_certainly_whole(&line))
}

/// A line whose last word can't be part of a longer one: `…/s`, or the most users where it is no fewer than the last.
fn is_certainly_whole(line: &MetricLine<'_>) -> bool {
    let Some(metric) = line.read(Times::Cut) else { return false };
    let users = line.whole() == Some("vus_max") && metric.value(Stat::Value) <= metric.value(Stat::Max);
    users || metric.kind == MetricKind::Counter
}

/// Blank lines behind the summary, if nothing else is there: k6 leaves one behind the flat text and more behind the
/// other. With fewer the text may have been cut between two lines.
fn blanks_behind(block: &Block, lines: &[Line]) -> Option<usize> {
    let rest = lines.get(block.lines.end..).unwrap_or_default();
    rest.iter().all(Line::is_blank).then(|| rest.iter().filter(|line| line.end != screen::End::Text).count())
}

fn summary(block: Block, closing: &Closing, lines: &[Line]) -> Summary {
    let mut summary = Summary::new(SummaryKind::Text, None);
    summary.notes = notes(&block, lines);
    summary.metrics = block.metrics;
    summary.checks = block.checks;
    summary.thresholds = block.thresholds;
    summary.scenarios.clone_from(&closing.scenarios);
    if let Some(status) = closing.status {
        summary.duration_s = Some(status.duration_s);
        summary.duration_bounds = status.duration_bounds;
        summary.iterations = Iterations { complete: Some(status.complete), interrupted: Some(status.interrupted) };
    }
    summary.vus_max = closing.status.map(|status| status.vus).or_else(|| super::most_users(&summary.metrics));
    summary.thresholds.sort_by(|a, b| a.metric.cmp(&b.metric));
    super::note_zeros(&mut summary);
    summary
}

fn notes(block: &Block, lines: &[Line]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    match block.times {
        Some(Times::Rounded) => notes.push("times are rounded to two decimals of one unit (--summary-time-unit)".to_owned()),
        Some(Times::Unsure) => {
            notes.push(
                "every time has two decimals of one unit: k6 may have cut or (--summary-time-unit) rounded them; bounds allow both"
                    .to_owned(),
            );
        }
        Some(Times::Cut) | None => {}
    }
    if let Some(last) = maybe_cut(block, lines) {
        notes.push(format!("nothing stands behind `{last}`: if the text was cut there, later metrics are missing"));
    }
    let unread = block.unread.iter().filter_map(|at| lines.get(*at));
    notes.extend(unread.map(|line| format!("not understood: `{}`", line.text.trim())));
    notes
}

/// The last name of a summary that is followed by less than what k6 leaves behind it.
fn maybe_cut<'a>(block: &Block, lines: &'a [Line]) -> Option<&'a str> {
    blanks_behind(block, lines).filter(|blanks| *blanks < block.blanks)?;
    let (Name::Whole(last) | Name::Part(last)) = MetricLine::split(lines.get(block.lines.end.checked_sub(1)?)?)?.name;
    (last != "vus_max").then_some(last)
}

/// The summary, its closing status lines and the sign of an abort, so that reading them gives the same summary.
fn verbatim(lines: &[Line], block: &Block, closing: &Closing, sign: Option<&Line>) -> String {
    let part = |range| written(lines.get(range).unwrap_or_default()).trim_end_matches('\n').to_owned();
    let blanks = blanks_behind(block, lines).unwrap_or(1).min(2);
    let mut text = part(block.lines.clone()) + "\n" + &"\n".repeat(blanks);
    if !closing.lines.is_empty() {
        text += &(part(closing.lines.clone()) + "\n");
    }
    if let Some(sign) = sign {
        text.extend([sign.text.as_str(), "\n"]);
    }
    text
}

fn written(lines: &[Line]) -> String {
    lines.iter().map(|line| line.text.clone() + line.end.text()).collect()
}
