//! A metric's line: `name......: values`, as every text layout has it.

use super::printed::{Cell, Printed, Quantity, Times};
use super::screen::Line;
use crate::model::stat::Stat;
use crate::model::summary::{Metric, MetricKind, MetricUnit};

/// A line that looks like a metric's; its values are not read yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MetricLine<'a> {
    /// The mark before the name: whether the metric's thresholds held.
    pub(super) mark: Option<bool>,
    /// The characters before the name.
    pub(super) column: usize,
    /// Whose line it is.
    pub(super) name: Name<'a>,
    /// How many dots there are.
    pub(super) dots: usize,
    /// What stands behind the dots.
    values: &'a str,
}

/// Whose line a metric line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name<'a> {
    /// A metric.
    Whole(&'a str),
    /// A part of the metric above, by tags: `expected_response:true`.
    Part(&'a str),
}

impl<'a> Name<'a> {
    /// As it is written.
    pub(super) fn text(self) -> &'a str {
        let (Self::Whole(text) | Self::Part(text)) = self;
        text
    }
}

/// The text behind a mark, and whether the mark is `✓`.
pub(super) fn marked(text: &str) -> Option<(bool, &str)> {
    text.strip_prefix('✓').map(|rest| (true, rest)).or_else(|| text.strip_prefix('✗').map(|rest| (false, rest)))
}

impl<'a> MetricLine<'a> {
    /// Splits a line; `None` if it is no metric's.
    ///
    /// The last three dots with a colon behind them part name and values: a tag's value may contain such dots, a value
    /// never does.
    pub(super) fn split(line: &'a Line) -> Option<Self> {
        let text = line.text.as_str();
        let at = text.rfind("...: ").map(|at| (at, at + 5)).or_else(|| Some((text.strip_suffix("...:")?.len(), text.len())))?;
        let (label, values) = (text[..at.0].trim_end_matches('.'), text[at.1..].trim());
        let dots = at.0 + 3 - label.len();
        let unindented = label.trim_start_matches(' ');
        let (mark, named) = match marked(unindented) {
            Some((held, rest)) => (Some(held), rest.trim_start_matches(' ')),
            None => (None, unindented),
        };
        let column = text[..text.find(named)?].chars().count();
        let name = match named.strip_prefix('{').map(|inner| inner.strip_suffix('}')) {
            Some(inner) => Name::Part(inner?.trim()),
            None => Name::Whole(named),
        };
        (!named.is_empty()).then_some(Self { mark, column, name, dots, values })
    }

    /// The name of a whole metric.
    pub(super) fn whole(&self) -> Option<&'a str> {
        if let Name::Whole(name) = self.name { Some(name) } else { None }
    }

    /// The values as words; a size's unit is part of its word.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for word in self.values.split_whitespace() {
            let unit = word.strip_suffix("/s").unwrap_or(word);
            let number = words.last_mut().filter(|last| last.ends_with(|c: char| c.is_ascii_digit()));
            match number {
                Some(last) if unit.ends_with('B') && unit.len() <= 2 => {
                    last.push(' ');
                    last.push_str(word);
                }
                _ => words.push(word.to_owned()),
            }
        }
        words
    }

    /// The printed numbers alone, without `stat=` and `/s`.
    pub(super) fn numbers(&self) -> Vec<String> {
        let bare = |word: &String| {
            let number = word.rsplit_once('=').map_or(word.as_str(), |(_, number)| number);
            number.strip_suffix("/s").unwrap_or(number).to_owned()
        };
        self.words().iter().map(bare).collect()
    }

    /// The metric that the line gives; `None` if its values are of unknown shape.
    pub(super) fn read(&self, times: Times) -> Option<Metric> {
        let words = self.words();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            [first, ..] if first.contains('=') => trend(&words, times),
            [share, rest @ ..] if share.ends_with('%') => rate(share, rest, times),
            [value, min, max] if min.starts_with("min=") && max.starts_with("max=") => {
                gauge(self.whole(), [value, min, max], times)
            }
            [count, rate] => counter(count, rate, times),
            _ => None,
        }
    }
}

fn trend(words: &[&str], times: Times) -> Option<Metric> {
    let mut metric = Metric::new(MetricKind::Trend, None);
    for word in words {
        let (stat, value) = word.split_once('=')?;
        let stat: Stat = stat.parse().ok()?;
        let cell = Cell::read(value, times)?;
        metric.unit = metric.unit.or(unit_of(cell));
        put(&mut metric, stat, if stat == Stat::Count { whole(cell) } else { cell });
    }
    Some(metric)
}

/// `5.12%  2 out of 39`, or `5.12%  ✓ 2  ✗ 37` where `✓` counts the true samples: for failures that is the bad ones.
fn rate(share: &str, rest: &[&str], times: Times) -> Option<Metric> {
    let mut metric = Metric::new(MetricKind::Rate, Some(MetricUnit::Ratio));
    let (passes, fails) = match rest {
        [passes, "out", "of", total] => {
            let (passes, total): (u64, u64) = (passes.parse().ok()?, total.parse().ok()?);
            (passes, total.checked_sub(passes)?)
        }
        ["✓", passes, "✗", fails] => (passes.parse().ok()?, fails.parse().ok()?),
        _ => return None,
    };
    Cell::read(share, times)?;
    count_rate(&mut metric, passes, fails);
    Some(metric)
}

/// A rate from its counts: exact, whatever a printed percentage cuts off. Without samples there is no rate.
pub(super) fn count_rate(metric: &mut Metric, passes: u64, fails: u64) {
    let total = passes as f64 + fails as f64;
    metric.values.0.insert(Stat::Passes, Some(passes as f64));
    metric.values.0.insert(Stat::Fails, Some(fails as f64));
    if total > 0.0 {
        metric.values.0.insert(Stat::Rate, Some(passes as f64 / total));
    } else {
        metric.values.0.insert(Stat::Rate, None);
        metric.reasons.insert(Stat::Rate, "no samples".to_owned());
    }
}

fn gauge(name: Option<&str>, [value, min, max]: [&str; 3], times: Times) -> Option<Metric> {
    let counts_users = name.is_some_and(|name| name == "vus" || name == "vus_max");
    let mut metric = Metric::new(MetricKind::Gauge, counts_users.then_some(MetricUnit::Count));
    let cells = [(Stat::Value, value), (Stat::Min, min.strip_prefix("min=")?), (Stat::Max, max.strip_prefix("max=")?)];
    for (stat, text) in cells {
        let cell = Cell::read(text, times)?;
        metric.unit = metric.unit.or(unit_of(cell));
        put(&mut metric, stat, if counts_users { whole(cell) } else { cell });
    }
    Some(metric)
}

fn counter(count: &str, rate: &str, times: Times) -> Option<Metric> {
    let count = whole(Cell::read(count, times)?);
    let rate = Cell::read(rate.strip_suffix("/s")?, times)?;
    let mut metric = Metric::new(MetricKind::Counter, unit_of(count).or(Some(MetricUnit::Count)));
    put(&mut metric, Stat::Count, count);
    put(&mut metric, Stat::Rate, rate);
    Some(metric)
}

/// A count that is printed whole was counted, not rounded.
fn whole(cell: Cell) -> Cell {
    match cell {
        Cell::Number(number) if number.quantity == Quantity::Plain && number.value.fract() == 0.0 => {
            Cell::Number(Printed { bounds: None, ..number })
        }
        other => other,
    }
}

/// The unit that a printed value shows.
pub(super) fn unit_of(cell: Cell) -> Option<MetricUnit> {
    let Cell::Number(number) = cell else { return None };
    match number.quantity {
        Quantity::Time => Some(MetricUnit::Ms),
        Quantity::Data => Some(MetricUnit::Bytes),
        Quantity::Share => Some(MetricUnit::Ratio),
        Quantity::Plain => None,
    }
}

fn put(metric: &mut Metric, stat: Stat, cell: Cell) {
    match cell {
        Cell::Number(number) => {
            metric.values.0.insert(stat, Some(number.value));
            metric.bounds.extend(number.bounds.map(|bounds| (stat, bounds)));
        }
        Cell::Without(reason) => {
            metric.values.0.insert(stat, None);
            metric.reasons.insert(stat, reason.to_owned());
        }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "values read from decimal text are compared as read")]
mod tests {
    use super::super::screen::End;
    use super::*;

    fn line(text: &str) -> Line {
        Line { text: text.to_owned(), at: 0..text.len(), end: End::Feed }
    }

    fn read(text: &str) -> Option<Metric> {
        MetricLine::split(&line(text))?.read(Times::Cut)
    }

    fn value(text: &str, stat: Stat) -> Option<f64> {
        read(text).and_then(|metric| metric.value(stat))
    }

    #[test]
    fn a_failure_rate_counts_failures_under_its_tick() {
        let old = "     http_req_failed......................: 56.68% ✓ 403        ✗ 308";
        assert_eq!(value(old, Stat::Passes), Some(403.0));
        assert_eq!(value(old, Stat::Fails), Some(308.0));
        assert_eq!(value(old, Stat::Rate), Some(403.0 / 711.0));
        assert_eq!(value("http_req_failed....: 0.00% ✓ 0 ✗ 400", Stat::Passes), Some(0.0));
    }

    #[test]
    fn counts_win_over_a_cut_percentage() {
        let metric = read("    http_req_failed...: 0.00%  38 out of 7270615").unwrap_or_else(|| unreachable!());
        assert_eq!(metric.value(Stat::Rate), Some(38.0 / 7_270_615.0));
        assert!(metric.bounds.is_empty());
    }

    #[test]
    fn a_rate_without_samples_is_not_nothing() {
        let metric = read("    never_rate.: ....: NaN% 0 out of 0").unwrap_or_else(|| unreachable!());
        assert_eq!(metric.values.0.get(&Stat::Rate), Some(&None));
        assert_eq!(metric.reasons.get(&Stat::Rate).map(String::as_str), Some("no samples"));
    }

    #[test]
    fn sizes_with_blanks_and_compound_times_are_single_values() {
        let received = read("    data_received....: 5.8 kB 24 kB/s").unwrap_or_else(|| unreachable!());
        assert_eq!((received.value(Stat::Count), received.unit), (Some(5800.0), Some(MetricUnit::Bytes)));
        let busy = read("    time_spent_busy....: 3m3s   12m53s/s").unwrap_or_else(|| unreachable!());
        assert_eq!((busy.value(Stat::Rate), busy.unit), (Some(773_000.0), Some(MetricUnit::Ms)));
    }

    #[test]
    fn a_part_keeps_what_its_tags_say() {
        let text = line("      { url:http://h/x...: y, name:a|b }.........: avg=1ms");
        let split = MetricLine::split(&text).unwrap_or_else(|| unreachable!());
        assert_eq!(split.name, Name::Part("url:http://h/x...: y, name:a|b"));
        assert_eq!(split.column, 6);
    }

    #[test]
    fn any_statistics_in_any_order_are_looked_up_by_name() {
        let metric = read("d...: p(99.9)=3s p(91)=2ms count=4 max=3s").unwrap_or_else(|| unreachable!());
        assert_eq!(metric.value(Stat::p(91)), Some(2.0));
        assert_eq!(metric.value(Stat::Count), Some(4.0));
        assert_eq!(metric.value(Stat::Avg), None);
    }

    #[test]
    fn values_of_unknown_shape_are_refused() {
        for text in [
            "a...: ",
            "a...: 1",
            "a...: 1 2",
            "a...: foo=1ms",
            "a...: 5% 3 of 4",
            "a...: 5% 4 out of 3",
            "a..: 1 1/s",
            "...: 1 1/s",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
