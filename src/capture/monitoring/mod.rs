//! Cloud Monitoring: answers of `projects.timeSeries.list` (v3) and of `timeSeries:query`, as `curl` saves them and as the client
//! library for Python writes them.
//!
//! A file holds one answer, several one after another (pages, fetched in a loop), or a list of them. Names are in camel case or in
//! snake case, enumerations words or numbers, whole numbers texts or numbers; `null` is absent.

mod answer;
mod distribution;
mod mql;
pub(super) mod node;
mod pages;
mod peek;
mod points;
pub(super) mod reader;
mod refusal;
#[cfg(test)]
mod tests;
mod value;

use self::answer::Answer;
use self::node::{Node, Object};
use self::reader::Reader;
use super::track::{Limit, Tracks};
use super::{Capture, json};
use crate::diagnostic::{Diagnostic, Faults};
use crate::source::Source;

/// Whether a text is such an answer, or an error of the same API saved as data. The first names in it tell.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    peek::is_answer(source.text())
}

/// Reads what the answers of a file hold.
///
/// Series are in the order of the file, points oldest first. A file of which all answers are errors, without data or of another
/// method is refused: `error-answer`, `no-data`, `other-api`. An error beside answers with data is a limit of these.
///
/// # Errors
/// `bad-capture` at the places where an answer is not of the API's shape, `contradicting-points` where a series has two unequal
/// points at one moment; of a text that is no JSON the place where it breaks.
pub fn read(source: &Source) -> Result<Capture, Faults> {
    let (documents, broken) = Node::documents(source);
    if let Some(error) = broken {
        return Err(json::fault(source, &error, "an answer of Cloud Monitoring").into());
    }
    let mut reader = Reader::new(source);
    let mut found = Found::default();
    for document in documents {
        found.add(&mut reader, document, 0);
    }
    let capture = found.capture(&reader);
    reader.finish(capture)
}

/// What a file holds.
#[derive(Default)]
struct Found<'a> {
    first: Option<Node<'a>>,
    answers: Vec<Answer>,
    errors: Vec<String>,
    refused: Vec<Diagnostic>,
}

impl<'a> Found<'a> {
    /// Lists in a list: the body of an error comes in one, and a script may put such bodies into another.
    const DEEPEST: usize = 3;

    fn add(&mut self, reader: &mut Reader<'a>, node: Node<'a>, depth: usize) {
        if let Some(object) = node.object() {
            self.first.get_or_insert(node);
            return self.add_answer(reader, node, &object);
        }
        match node.list().filter(|_| depth < Self::DEEPEST) {
            Some(nodes) => nodes.into_iter().for_each(|node| self.add(reader, node, depth + 1)),
            None => reader.fault(node, format!("{} is no answer of Cloud Monitoring", node.what())),
        }
    }

    fn add_answer(&mut self, reader: &mut Reader<'a>, node: Node<'a>, object: &Object<'a>) {
        if let Some(error) = refusal::error(object) {
            self.errors.push(refusal::in_short(&error));
            self.refused.push(refusal::of_error(reader, node, &error));
        } else if let Some(list) = object.get("metricDescriptors") {
            self.refused.push(refusal::of_descriptors(reader, list));
        } else if object.get("timeSeriesData").is_some() || object.get("timeSeriesDescriptor").is_some() {
            self.answers.push(mql::read(reader, object));
        } else if object.get("points").is_some() && object.get("timeSeries").is_none() {
            let tracks = answer::track(reader, node, None).into_iter().collect();
            self.answers.push(Answer { tracks, ..Answer::default() });
        } else if object.get("timeSeries").is_some() || answer::is_without_data(object) {
            self.answers.push(answer::read(reader, object));
        } else {
            let help = "an answer has `timeSeries`, or of its other fields alone where there is no data";
            reader.fault_with_help(node, "this object is no answer of Cloud Monitoring", help);
        }
    }

    fn capture(self, reader: &Reader<'a>) -> Capture {
        let Self { first, answers, errors, refused } = self;
        let mut tracks = pages::together(answers);
        if tracks.tracks.iter().any(|track| !track.points.is_empty()) {
            tracks.limits.extend(errors.into_iter().map(Limit::Partial));
            return Capture::Tracks(tracks);
        }
        let refusal = refused.into_iter().next().or_else(|| Some(without_data(reader, first?, &tracks)));
        refusal.map_or_else(|| Capture::Tracks(tracks), |refusal| Capture::Refused(Box::new(refusal)))
    }
}

/// The refusal of answers of which none has a point.
fn without_data(reader: &Reader<'_>, node: Node<'_>, tracks: &Tracks) -> Diagnostic {
    let is_named = !tracks.tracks.is_empty();
    let refusal = if is_named { refusal::of_no_points(reader, node) } else { refusal::of_no_data(reader, node) };
    tracks.limits.iter().fold(refusal, |refusal, limit| match limit {
        Limit::MorePages => refusal.note("another page follows (`nextPageToken`)"),
        Limit::Partial(words) => refusal.note(format!("the answer is not whole: {words}")),
    })
}
