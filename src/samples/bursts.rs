//! Bursts in counts by second.
//!
//! Kleinberg's automaton of two states ("Bursty and hierarchical structure in streams", 2002), for Poisson counts by
//! second: a calm second has the mean rate, a second of a burst eight times as much, and each change of state costs the
//! logarithm of the window's seconds. The cheapest sequence of states (Viterbi) says where the bursts are. They are taken
//! out and the rest is looked at anew, since a large burst hides a small one.
//!
//! Kleinberg charges the way into a burst only. Here the way out costs as much, for naming an interval of a window takes
//! both of its ends: with one of them free, one in seven series of 300 failures at random in 1,800 s has a "burst" of four
//! or five of them, with both paid, none of 400 has.
//!
//! Seconds without a failure are never visited: they add to the cost of staying in a burst by their number.

/// How many times the mean rate a burst has.
const TIMES: f64 = 8.0;

/// How often bursts are taken out at most. Each time leaves a rest of a lower rate, so a few are the rule; the bound keeps
/// the work linear for counts made to defeat it.
const ROUNDS: usize = 32;

/// Failures of one second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) second: i64,
    pub(super) failures: u64,
}

/// From a second to a second, both inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub(super) first: i64,
    pub(super) last: i64,
}

impl Span {
    /// How many seconds it has.
    pub(super) fn seconds(self) -> i64 {
        self.last - self.first + 1
    }

    /// The smallest span that holds both.
    pub(super) fn hull(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    pub(super) fn holds(self, second: i64) -> bool {
        (self.first..=self.last).contains(&second)
    }
}

/// The bursts in counts of ascending seconds, none of them twice, all inside a window of so many seconds. The bursts ascend,
/// are apart, and begin and end with a failure. The seconds must lie so that their differences are numbers of 64 bits.
pub(super) fn bursts(counts: &[Count], window: i64) -> Vec<Span> {
    let whole = Automaton::new(counts.iter().map(|count| count.failures), window);
    let mut found = Vec::new();
    for _ in 0..ROUNDS {
        let rest = without(counts, &found);
        let taken: i64 = found.iter().map(|span: &Span| span.seconds()).sum();
        let more = Automaton::new(rest.iter().map(|place| place.failures), window - taken).bursts(&rest);
        if more.is_empty() {
            break;
        }
        found.extend(more);
        found = joined(found, whole);
    }
    found
}

/// A second that no burst has taken, and where it is when those taken are left out.
struct Place {
    second: i64,
    at: i64,
    failures: u64,
}

/// The counts outside the spans, which ascend. What lay to both sides of a span is side by side then, so that the slopes of
/// a peak that was taken out are one burst.
fn without(counts: &[Count], spans: &[Span]) -> Vec<Place> {
    let mut spans = spans.iter().copied().peekable();
    let mut taken = 0;
    let mut rest = Vec::new();
    for count in counts {
        while let Some(passed) = spans.next_if(|span| span.last < count.second) {
            taken += passed.seconds();
        }
        if !spans.peek().is_some_and(|span| span.holds(count.second)) {
            rest.push(Place { second: count.second, at: count.second - taken, failures: count.failures });
        }
    }
    rest
}

/// The spans in order. Those that overlap are one, and so are those with so little between them that the automaton, with
/// the rate of all failures, would rather stay in the burst: a peak and its slope found later.
fn joined(mut spans: Vec<Span>, whole: Automaton) -> Vec<Span> {
    spans.sort_unstable();
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(before) if whole.stays(span.first - before.last - 1) => *before = before.hull(span),
            _ => joined.push(span),
        }
    }
    joined
}

/// Costs, all of them relative to a calm second.
#[derive(Clone, Copy)]
struct Automaton {
    /// Of a second in a burst, without its failures.
    second: f64,
    /// What a failure in a burst saves.
    failure: f64,
    /// Of a change of state.
    change: f64,
}

/// How the cheapest way came to a place.
#[derive(Clone, Copy)]
struct Step {
    /// To the burst, by its beginning here.
    begins: bool,
    /// To the calm before this place, from a burst of the place before.
    left: bool,
}

impl Automaton {
    fn new(failures: impl Iterator<Item = u64>, window: i64) -> Self {
        let window = window.max(1) as f64;
        let all: f64 = failures.map(|failures| failures as f64).sum();
        Self { second: (TIMES - 1.0) * all / window, failure: TIMES.ln(), change: window.ln() }
    }

    /// Whether a burst that goes on through so many empty seconds is cheaper than an end and a beginning.
    fn stays(self, gap: i64) -> bool {
        gap as f64 * self.second <= 2.0 * self.change
    }

    /// The bursts of the cheapest sequence of states, ascending.
    fn bursts(self, places: &[Place]) -> Vec<Span> {
        let (mut calm, mut burst) = (0.0_f64, f64::INFINITY);
        let mut steps = Vec::with_capacity(places.len());
        let mut before: Option<i64> = None;
        for place in places {
            let gap = before.map_or(0, |before| place.at - before - 1);
            let left = burst + self.change < calm;
            calm = calm.min(burst + self.change);
            let (stay, begin) = (burst + gap as f64 * self.second, calm + self.change);
            burst = stay.min(begin) + self.second - place.failures as f64 * self.failure;
            steps.push(Step { begins: begin < stay, left });
            before = Some(place.at);
        }
        spans(places, &steps, burst + self.change < calm)
    }
}

/// The bursts of the way that ends in a burst or in the calm, followed back to its beginning.
fn spans(places: &[Place], steps: &[Step], ends_in_burst: bool) -> Vec<Span> {
    let mut found = Vec::new();
    let mut inside = ends_in_burst;
    let mut last: Option<i64> = None;
    for (place, step) in places.iter().zip(steps).rev() {
        if !inside {
            inside = step.left;
            continue;
        }
        let end = *last.get_or_insert(place.second);
        if step.begins {
            found.push(Span { first: place.second, last: end });
            last = None;
            inside = step.left;
        }
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(of: &[(i64, u64)]) -> Vec<Count> {
        of.iter().map(|&(second, failures)| Count { second, failures }).collect()
    }

    fn found(of: &[(i64, u64)], window: i64) -> Vec<(i64, i64)> {
        bursts(&counts(of), window).iter().map(|span| (span.first, span.last)).collect()
    }

    #[test]
    fn a_small_burst_is_found_behind_a_large_one() {
        let mut of: Vec<(i64, u64)> = (100..105).map(|second| (second, 200)).collect();
        of.extend((900..904).map(|second| (second, 4)));
        assert_eq!(found(&of, 1800), [(100, 104), (900, 903)]);
    }

    #[test]
    fn a_peak_and_its_slopes_are_one_burst() {
        let slope = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
        let up = slope.iter().enumerate().map(|(at, &failures)| (500 + i64::try_from(at).unwrap_or(0), failures));
        let down = slope.iter().rev().enumerate().map(|(at, &failures)| (511 + i64::try_from(at).unwrap_or(0), failures));
        let of: Vec<(i64, u64)> = up.chain(down).collect();
        let found = found(&of, 1800);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].0 <= 503 && found[0].1 >= 518, "{found:?}");
    }

    #[test]
    fn failures_at_random_have_no_burst() {
        // A linear congruence is random enough here, and the same everywhere.
        let mut state = 1_u64;
        let mut false_bursts = 0;
        for _ in 0..200 {
            let mut by_second = std::collections::BTreeMap::new();
            for _ in 0..300 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *by_second.entry(i64::try_from((state >> 33) % 1800).unwrap_or(0)).or_insert(0) += 1;
            }
            let of: Vec<(i64, u64)> = by_second.into_iter().collect();
            false_bursts += usize::from(!found(&of, 1800).is_empty());
        }
        assert!(false_bursts <= 1, "{false_bursts} of 200");
    }

    #[test]
    fn a_window_of_a_second_or_of_millennia_has_no_burst_of_its_own() {
        assert_eq!(found(&[(5, 1000)], 1), []);
        assert_eq!(found(&[], 1), []);
        assert_eq!(found(&[(-62_167_219_200, 1), (253_402_300_799, 1)], 315_569_520_000), []);
    }
}
