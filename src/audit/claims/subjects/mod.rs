//! What the numbers of a sentence are said of: patterns over its skeleton, by what they look for.

mod counts;
mod failures;
mod levels;
mod sizes;
mod speed;
mod times;

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::number::Number;
use super::sentence::Sentence;
use super::topic::{Extent, Resource, Topic};
use crate::model::stat::Stat;

/// A number and what it is said of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said {
    /// The symbol of the number.
    pub number: usize,
    /// What it is said of.
    pub topic: Topic,
    /// The symbols that say so, for a quotation.
    pub words: Range<usize>,
}

/// A pattern, and what its numbers are said of: by the name of the group, `None` where the words say something else after all.
struct Row {
    pattern: &'static str,
    topics: fn(&Hit<'_>) -> Vec<(&'static str, Topic)>,
}

/// A place where a pattern fits.
struct Hit<'a> {
    sentence: &'a Sentence,
    text: &'a str,
    caught: &'a Captures<'a>,
}

impl<'a> Hit<'a> {
    /// The symbol of a group.
    fn place(&self, group: &str) -> Option<usize> {
        self.caught.name(group).map(|found| self.sentence.at(found.start()))
    }

    /// The word of the skeleton that a group is.
    fn word(&self, group: &str) -> &'a str {
        self.caught.name(group).map_or("", |found| found.as_str())
    }

    /// The number of a group.
    fn number(&self, group: &str) -> Option<&'a Number> {
        self.sentence.symbols.get(self.place(group)?)?.number.as_ref()
    }

    /// The text of a group.
    fn text(&self, group: &str) -> Option<&'a str> {
        let found = self.caught.name(group)?;
        let (first, last) = (self.sentence.at(found.start()), self.sentence.at(found.end().saturating_sub(1)));
        self.text.get(self.sentence.symbols.get(first)?.span.start..self.sentence.symbols.get(last)?.span.end)
    }

    /// The word behind all that the pattern caught.
    fn next(&self) -> &'a str {
        let end = self.caught.get(0).map_or(0, |found| found.end());
        self.sentence.skeleton.get(end..).unwrap_or_default().split_whitespace().next().unwrap_or_default()
    }

    /// The word before all that the pattern caught.
    fn last(&self) -> &'a str {
        self.sentence.name(self.first().checked_sub(1).unwrap_or(usize::MAX))
    }

    /// The first symbol of all that the pattern caught.
    fn first(&self) -> usize {
        self.caught.name("all").map_or(0, |all| self.sentence.at(all.start()))
    }

    /// Whether nothing behind it says of which of them it is: `12 timeouts on the login` are not all timeouts.
    fn ends(&self) -> bool {
        matches!(self.next(), "" | "," | "(" | ")" | ":" | "and" | "so")
    }

    /// Whether nothing before it does either.
    fn is_whole(&self) -> bool {
        self.ends() && (0..self.first()).all(|at| matches!(self.sentence.name(at), "*" | "there" | "(" | ")"))
    }

    /// All there were, if the words are of all, else perhaps a part.
    fn extent(&self) -> Extent {
        if self.is_whole() { Extent::All } else { Extent::Part }
    }

    /// Whether one of some words is in the sentence.
    fn has(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.sentence.has(word))
    }

    /// Whose CPU, memory or size.
    fn resource(&self, group: &str) -> Option<Resource> {
        match self.word(group) {
            "DB" => Some(Resource::Database),
            "SVC" | "BOX" => Some(Resource::Service),
            "CLIENT" => Some(Resource::Client),
            _ => None,
        }
    }

    /// The statistic that the first of the groups with a word names.
    fn stat(&self, groups: &[&str]) -> Option<Stat> {
        groups.iter().find_map(|group| stat(self.word(group)))
    }
}

fn stat(word: &str) -> Option<Stat> {
    Some(match word {
        "MED" => Stat::Med,
        "P90" => Stat::p(90),
        "P95" => Stat::p(95),
        "P99" => Stat::p(99),
        "PEAK" => Stat::Max,
        "AVG" => Stat::Avg,
        "LOW" => Stat::Min,
        _ => return None,
    })
}

/// What stands for a list of words in the patterns.
const SHORT: [(&str, &str); 5] = [
    ("<res>", "(?P<res>DB|SVC|BOX|CLIENT)"),
    ("<stat>", "(?P<stat>MED|P90|P95|P99|PEAK|AVG|LOW)"),
    ("<after>", "(?P<after>MED|P90|P95|P99|PEAK|AVG|LOW)"),
    // Words between a noun and its number.
    ("<to>", "(?:(?:at|of|to|with|for|in|as|:|=|limit|bottleneck|and|ran|rate|ratio|share|around|busy) ){0,3}"),
    ("<per>", "(?:per|each|a)"),
];

/// A pattern that is a row of symbols, anchored at blanks.
fn compile(pattern: &str) -> Option<Regex> {
    let spelt = SHORT.iter().fold(pattern.to_owned(), |pattern, (short, long)| pattern.replace(short, long));
    Regex::new(&format!("(?:^| )(?P<all>{spelt})(?: |$)")).ok()
}

type Compiled = Vec<(Regex, &'static Row)>;

static ROWS: LazyLock<Compiled> = LazyLock::new(|| {
    let rows =
        failures::ROWS.iter().chain(levels::ROWS).chain(sizes::ROWS).chain(counts::ROWS).chain(speed::ROWS).chain(times::ROWS);
    rows.filter_map(|row| Some((compile(row.pattern)?, row))).collect()
});

/// What the numbers of a sentence are said of. A number that two patterns fit is of the first.
pub(super) fn of(sentence: &Sentence, text: &str) -> Vec<Said> {
    let mut said: Vec<Said> = Vec::new();
    for (pattern, row) in ROWS.iter() {
        let mut start = 0;
        while let Some(caught) = sentence.skeleton.get(start..).and_then(|_| pattern.captures_at(&sentence.skeleton, start)) {
            let Some(all) = caught.name("all") else { break };
            let hit = Hit { sentence, text, caught: &caught };
            let words = sentence.at(all.start())..sentence.at(all.end().saturating_sub(1)) + 1;
            for (group, topic) in (row.topics)(&hit) {
                let Some(number) = hit.place(group) else { continue };
                if !said.iter().any(|one| one.number == number) {
                    said.push(Said { number, topic, words: words.clone() });
                }
            }
            // The last word may be the first of another match.
            start = sentence.symbols.get(words.start + 1).map_or(sentence.skeleton.len(), |symbol| symbol.at - 1);
        }
    }
    levels::inherit(sentence, &mut said);
    speed::inherit(sentence, &mut said);
    said.sort_by_key(|one| one.number);
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        let rows = failures::ROWS.len()
            + levels::ROWS.len()
            + sizes::ROWS.len()
            + counts::ROWS.len()
            + speed::ROWS.len()
            + times::ROWS.len();
        assert_eq!(ROWS.len(), rows);
    }
}
