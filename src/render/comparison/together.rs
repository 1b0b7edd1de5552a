//! What is said once of several metrics: percentiles of a trend, metrics that are missing for one reason, notes that repeat.

use crate::model::comparison::{Change, Kind, Missing};

/// A note that stands on more metrics than this is said once, below them.
const REPEATED: usize = 2;

/// Metrics as people name them together: `throughput, p50; p50, p95, p99 of login, pay`. Of more than `most` trends of a group, or metrics
/// without one, the rest is counted.
pub(in crate::render) fn names<S: AsRef<str>>(metrics: &[S], most: usize) -> String {
    let metrics = metrics.iter().map(AsRef::as_ref);
    groups(metrics).iter().map(|group| group.words(most)).collect::<Vec<_>>().join("; ")
}

/// Trends with the same percentiles, or metrics of no trend.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group<'a> {
    kinds: Vec<&'a str>,
    of: Vec<&'a str>,
}

impl Group<'_> {
    fn words(&self, most: usize) -> String {
        if self.of.is_empty() {
            return few(&self.kinds, most);
        }
        format!("{} of {}", self.kinds.join(", "), few(&self.of, most))
    }
}

fn few(names: &[&str], most: usize) -> String {
    let shown = names.iter().take(most).copied().collect::<Vec<_>>().join(", ");
    if names.len() > most { format!("{shown} and {} more", names.len() - most) } else { shown }
}

/// The metrics by what they are of, in the order in which they come.
fn groups<'a>(metrics: impl Iterator<Item = &'a str>) -> Vec<Group<'a>> {
    let mut trends: Vec<(Option<&str>, Vec<&str>)> = Vec::new();
    for metric in metrics {
        let (kind, of) = parts(metric);
        match trends.iter_mut().find(|(known, _)| *known == of) {
            Some((_, kinds)) => kinds.push(kind),
            None => trends.push((of, vec![kind])),
        }
    }
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (of, kinds) in trends {
        match groups.iter_mut().find(|group| of.is_some() && !group.of.is_empty() && group.kinds == kinds) {
            Some(group) => group.of.extend(of),
            None => groups.push(Group { kinds, of: of.into_iter().collect() }),
        }
    }
    groups
}

/// `p50 of login`: what it is, and what it is of.
fn parts(metric: &str) -> (&str, Option<&str>) {
    let known = |(kind, of)| Kind::ALL.iter().any(|one| one.name() == kind).then_some((kind, Some(of)));
    metric.split_once(" of ").and_then(known).unwrap_or((metric, None))
}

/// Metrics that could not be compared for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::render) struct Gap<'a> {
    /// The metrics, in the order in which they come.
    pub metrics: Vec<&'a str>,
    /// Why.
    pub reason: &'a str,
}

/// What could not be compared, a line a reason.
pub(in crate::render) fn gaps<'a>(missing: impl IntoIterator<Item = &'a Missing>) -> Vec<Gap<'a>> {
    let mut gaps: Vec<Gap<'a>> = Vec::new();
    for missing in missing {
        match gaps.iter_mut().find(|gap| gap.reason == missing.reason) {
            Some(gap) => gap.metrics.push(&missing.metric),
            None => gaps.push(Gap { metrics: vec![&missing.metric], reason: &missing.reason }),
        }
    }
    gaps
}

impl Gap<'_> {
    /// `p50, p95, p99 of login, pay: there is one sample`
    pub(in crate::render) fn words(&self, most: usize) -> String {
        format!("{}: {}", names(&self.metrics, most), self.reason)
    }
}

/// A note of several metrics, alike but for one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::render) struct SharedNote<'a> {
    words: Vec<&'a str>,
    /// Which of the words is another number on each of the metrics.
    differs: Option<usize>,
    /// The metrics, each with its note.
    said: Vec<(&'a str, &'a str)>,
}

impl<'a> SharedNote<'a> {
    /// Takes a note in that is alike.
    fn takes(&mut self, metric: &'a str, note: &'a str) -> bool {
        let words: Vec<&str> = note.split(' ').collect();
        if words.len() != self.words.len() {
            return false;
        }
        let is_number = |word: &str| word.contains(|c: char| c.is_ascii_digit());
        let mut others = self.words.iter().zip(&words).enumerate().filter(|(_, (one, other))| one != other);
        let fits = match (others.next(), others.next()) {
            (None, _) => true,
            (Some((at, (one, other))), None) => is_number(one) && is_number(other) && *self.differs.get_or_insert(at) == at,
            _ => false,
        };
        if fits {
            self.said.push((metric, note));
        }
        fits
    }

    /// Whether a metric's note is told by it.
    pub(in crate::render) fn holds(&self, note: &str) -> bool {
        self.said.iter().any(|(_, said)| *said == note)
    }

    /// `fewer than 300 requests a block: p99; p99 of login, pay`, with a number of its own for each
    /// `steal explains … of it: throughput -3%, p50 +17%`.
    pub(in crate::render) fn sentence(&self, most: usize) -> String {
        let Some(differs) = self.differs else {
            let metrics: Vec<&str> = self.said.iter().map(|(metric, _)| *metric).collect();
            return format!("{}: {}", self.words.join(" "), names(&metrics, most));
        };
        let words = self.words.iter().enumerate().map(|(at, word)| if at == differs { "…" } else { word });
        let own = |(metric, note): &(&str, &str)| format!("{metric} {}", note.split(' ').nth(differs).unwrap_or_default());
        let each: Vec<String> = self.said.iter().map(own).collect();
        let each: Vec<&str> = each.iter().map(String::as_str).collect();
        format!("{}: {}", words.collect::<Vec<_>>().join(" "), few(&each, most.max(each.len().min(8))))
    }
}

/// Notes that several changes have.
pub(in crate::render) fn shared_notes<'a>(changes: &[&'a Change]) -> Vec<SharedNote<'a>> {
    let mut notes: Vec<SharedNote<'a>> = Vec::new();
    for (note, change) in changes.iter().flat_map(|change| change.notes.iter().map(move |note| (note.as_str(), change))) {
        if !notes.iter_mut().any(|known| known.takes(&change.metric, note)) {
            notes.push(SharedNote { words: note.split(' ').collect(), differs: None, said: vec![(&change.metric, note)] });
        }
    }
    notes.retain(|note| note.said.len() > REPEATED);
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::comparison::Decision;
    use crate::render::comparison::made_up;

    #[test]
    fn percentiles_of_trends_are_named_together() {
        let metrics = ["throughput", "p50", "p50 of login", "p95 of login", "p50 of pay", "p95 of pay", "p50 of a of b"];
        assert_eq!(names(&metrics, 6), "throughput, p50; p50, p95 of login, pay; p50 of a of b");
        assert_eq!(names(&metrics[..6], 1), "throughput and 1 more; p50, p95 of login and 1 more");
        assert_eq!(names(&["out of memory", "cpu of service", "cpu of database"], 6), "out of memory; cpu of service, database");
    }

    #[test]
    fn what_is_missing_for_one_reason_is_one_line() {
        let missing = |metric: &str, reason: &str| Missing { metric: metric.to_owned(), reason: reason.to_owned() };
        let all = [missing("p50 of a", "one sample"), missing("cpu", "not captured"), missing("p50 of b", "one sample")];
        let told: Vec<String> = gaps(&all).iter().map(|gap| gap.words(6)).collect();
        assert_eq!(told, ["p50 of a, b: one sample", "cpu: not captured"]);
    }

    #[test]
    fn a_note_is_said_once_with_the_number_of_each() {
        let noted = |metric: &str, notes: &[&str]| Change {
            notes: notes.iter().map(|note| (*note).to_owned()).collect(),
            ..made_up::change(metric, Kind::P50, 1.0, 1.0, Decision::NoChange)
        };
        let all = [
            noted("p50", &["steal explains +3% of it", "none before"]),
            noted("p95", &["steal explains -1% of it", "none after"]),
            noted("p99", &["steal explains +9% of it", "none ever"]),
        ];
        let changes: Vec<&Change> = all.iter().collect();
        let shared = shared_notes(&changes);
        let told: Vec<String> = shared.iter().map(|note| note.sentence(6)).collect();
        assert_eq!(told, ["steal explains … of it: p50 +3%, p95 -1%, p99 +9%"]);
        assert!(shared[0].holds("steal explains -1% of it") && !shared[0].holds("none before"));
        assert_eq!(shared_notes(&changes[..2]), []);
    }
}
