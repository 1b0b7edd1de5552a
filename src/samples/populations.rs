//! Failed requests gathered into populations: those of one kind that belong together in time.
//!
//! A kind is what failed alike: phase, status, error code, message. Its bursts (Kleinberg's automaton, `bursts.rs`) are
//! populations of their own; what is left is one more: single if it is one request, steady if it spans at least a tenth of
//! the window, else a burst too. Nothing depends on the order in which failures are given.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use chrono::DateTime;
use regex::Regex;

use super::bursts::{Count, Span, bursts};
use super::origins::Origins;
use crate::model::failures::{MinuteCount, Phase, Population, Shape};
use crate::model::instant::Moment;

/// Failed requests of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// HTTP status; `None`, or k6's 0, where there was no response.
    pub status: Option<u16>,
    /// k6's error code.
    pub error_code: Option<u32>,
    /// k6's error message; a port of one connection is left out of it ([`without_port`]).
    pub message: Option<String>,
    /// When in the test it happened.
    pub phase: Phase,
    /// When, by what and how often: in any order, a second as often as one likes.
    pub cells: Vec<Cell>,
}

/// Failed requests of one kind that are alike in second, method and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Seconds since 1970, UTC. One outside the years 0 to 9999 counts as the nearest inside.
    pub second: i64,
    /// HTTP method; `None` where the samples have no such tag.
    pub method: Option<String>,
    /// The request's `name`; `None` where the samples have no such tag.
    pub name: Option<String>,
    /// How many.
    pub count: u64,
}

/// The message without what one connection alone has: the local port in `10.0.0.1:43210->10.0.0.2:443` becomes `*`, or an
/// outage would have a kind of failure for each of its connections. A message without one is returned as it is; so is one
/// that has been through here.
#[must_use]
pub fn without_port(message: &str) -> Cow<'_, str> {
    static PORT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(":[0-9]{1,5}->").unwrap_or_else(|error| unreachable!("a built-in pattern: {error}")));
    PORT.replace_all(message, ":*->")
}

/// The populations of all failures, in order of their first failure, then status, code and message. `window` are the first
/// and the last second of the test phase; `None` where it has no samples. Failures of the test outside of it widen it; those
/// of setup and teardown are seen against their own span.
///
/// Their counts add up to those given (up to [`u64::MAX`]). Takes time and memory by the number of cells, however long the
/// window is.
#[must_use]
pub fn populations(failing: Vec<Failing>, window: Option<(i64, i64)>, origins: &Origins) -> Vec<Population> {
    let window = window.map(|(first, last)| Span { first: known(first), last: known(last) });
    let window = window.filter(|window| window.first <= window.last);
    let mut found: Vec<Population> =
        kinds(failing).into_iter().flat_map(|(kind, cells)| of_kind(&kind, cells, window, origins)).collect();
    found.sort_by(|a, b| order(a).cmp(&order(b)));
    found
}

/// What failed alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    phase: Phase,
    status: Option<u16>,
    error_code: Option<u32>,
    message: Option<String>,
}

/// Cells by kind; kinds that differ by a port alone are one.
fn kinds(failing: Vec<Failing>) -> BTreeMap<Kind, Vec<Cell>> {
    let mut kinds: BTreeMap<Kind, Vec<Cell>> = BTreeMap::new();
    for Failing { status, error_code, message, phase, cells } in failing {
        let message = message.filter(|message| !message.is_empty()).map(|message| without_port(&message).into_owned());
        let kind = Kind { phase, status: status.filter(|status| *status != 0), error_code, message };
        let known = cells.into_iter().filter(|cell| cell.count > 0);
        kinds.entry(kind).or_default().extend(known.map(|cell| Cell { second: self::known(cell.second), ..cell }));
    }
    kinds
}

/// The nearest second in the years 0 to 9999, which are those that a moment can be written in.
fn known(second: i64) -> i64 {
    second.clamp(-62_167_219_200, 253_402_300_799)
}

fn order(population: &Population) -> impl Ord {
    let Population { status, error_code, message, phase, shape, first, last, count, .. } = population;
    (*first, *status, *error_code, message.as_deref(), *phase, *last, *shape, *count)
}

fn of_kind(kind: &Kind, mut cells: Vec<Cell>, window: Option<Span>, origins: &Origins) -> Vec<Population> {
    cells.sort_unstable_by_key(|cell| cell.second);
    let (Some(first), Some(last)) = (cells.first(), cells.last()) else { return Vec::new() };
    let own = Span { first: first.second, last: last.second };
    let window = window.filter(|_| kind.phase == Phase::Test).map_or(own, |window| window.hull(own));
    let spans = bursts(&by_second(&cells), window.seconds());
    let mut rest = Vec::new();
    let mut crowds: Vec<Vec<&Cell>> = vec![Vec::new(); spans.len()];
    for cell in &cells {
        let at = spans.partition_point(|span| span.last < cell.second);
        let inside = spans.get(at).is_some_and(|span| span.holds(cell.second));
        crowds.get_mut(at).filter(|_| inside).unwrap_or(&mut rest).push(cell);
    }
    let crowds = crowds.iter().filter_map(|crowd| population(kind, crowd, origins, |_| Shape::Burst));
    // At least a tenth, in whole numbers.
    let spread = |span: Span| if span.seconds() >= (window.seconds() + 9) / 10 { Shape::Steady } else { Shape::Burst };
    crowds.chain(population(kind, &rest, origins, spread)).collect()
}

/// Failures by second; the cells ascend.
fn by_second(cells: &[Cell]) -> Vec<Count> {
    let seconds = cells.chunk_by(|a, b| a.second == b.second);
    seconds
        .filter_map(|alike| {
            let failures = alike.iter().fold(0_u64, |sum, cell| sum.saturating_add(cell.count));
            alike.first().map(|cell| Count { second: cell.second, failures })
        })
        .collect()
}

/// The population of ascending cells; `None` if there are none.
fn population(kind: &Kind, cells: &[&Cell], origins: &Origins, shape: impl Fn(Span) -> Shape) -> Option<Population> {
    let span = Span { first: cells.first()?.second, last: cells.last()?.second };
    let (mut count, mut minutes) = (0_u64, BTreeMap::new());
    let (mut methods, mut names) = (BTreeMap::new(), BTreeMap::new());
    for cell in cells {
        count = count.saturating_add(cell.count);
        add(&mut minutes, &cell.second.div_euclid(60), cell.count);
        cell.method.iter().for_each(|method| add(&mut methods, method, cell.count));
        cell.name.iter().for_each(|name| add(&mut names, name, cell.count));
    }
    let (origin, reason) = origins.of(kind.status, kind.error_code, kind.message.as_deref());
    Some(Population {
        status: kind.status,
        error_code: kind.error_code,
        message: kind.message.clone(),
        origin,
        reason: reason.map(str::to_owned),
        phase: kind.phase,
        count,
        first: moment(span.first),
        last: moment(span.last),
        peak_per_minute: minutes.values().copied().max().unwrap_or(count),
        shape: if count == 1 { Shape::Single } else { shape(span) },
        methods,
        names,
        per_minute: minutes.into_iter().map(|(minute, count)| MinuteCount { minute: moment(minute * 60), count }).collect(),
    })
}

fn add<K: Ord + Clone>(counts: &mut BTreeMap<K, u64>, key: &K, more: u64) {
    match counts.get_mut(key) {
        Some(count) => *count = count.saturating_add(more),
        None => {
            counts.insert(key.clone(), more);
        }
    }
}

fn moment(second: i64) -> Moment {
    let instant = DateTime::from_timestamp(second, 0);
    Moment::Instant(instant.unwrap_or_else(|| unreachable!("second {second} is in the years 0 to 9999")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WINDOW: (i64, i64) = (0, 1799);

    fn cell(second: i64, count: u64) -> Cell {
        Cell { second, method: Some("POST".to_owned()), name: Some("token".to_owned()), count }
    }

    fn timeouts(cells: Vec<Cell>) -> Failing {
        let message = Some("request timeout".to_owned());
        Failing { status: Some(0), error_code: Some(1050), message, phase: Phase::Test, cells }
    }

    fn gathered(failing: Vec<Failing>, window: (i64, i64)) -> Vec<Population> {
        populations(failing, Some(window), &Origins::built_in())
    }

    /// Shape, count, first and last second of each population.
    fn told(cells: &[(i64, u64)], window: (i64, i64)) -> Vec<(Shape, u64, i64, i64)> {
        let cells = cells.iter().map(|&(second, count)| cell(second, count)).collect();
        gathered(vec![timeouts(cells)], window).iter().map(brief).collect()
    }

    fn brief(population: &Population) -> (Shape, u64, i64, i64) {
        let second = |moment: Moment| moment.instant().map_or(0, |at| at.timestamp());
        (population.shape, population.count, second(population.first), second(population.last))
    }

    #[test]
    fn one_failure_is_single() {
        assert_eq!(told(&[(700, 1)], WINDOW), [(Shape::Single, 1, 700, 700)]);
    }

    #[test]
    fn a_few_all_over_the_test_are_steady() {
        let cells: Vec<_> = (0..38).map(|at| (at * 47 + at % 5, 1)).collect();
        assert_eq!(told(&cells, WINDOW), [(Shape::Steady, 38, 0, 1741)]);
    }

    #[test]
    fn many_in_a_minute_are_a_burst() {
        let cells: Vec<_> = (0..50).map(|at| (1000 + at * 11 / 10, 3)).collect();
        assert_eq!(told(&cells, WINDOW), [(Shape::Burst, 150, 1000, 1053)]);
    }

    #[test]
    fn the_time_outs_of_the_end_are_a_burst() {
        assert_eq!(told(&[(1798, 40), (1799, 35)], WINDOW), [(Shape::Burst, 75, 1798, 1799)]);
    }

    #[test]
    fn two_bursts_are_two() {
        let cells: Vec<_> = (300..310).chain(910..915).map(|second| (second, 4)).collect();
        assert_eq!(told(&cells, WINDOW), [(Shape::Burst, 40, 300, 309), (Shape::Burst, 20, 910, 914)]);
    }

    #[test]
    fn a_burst_stands_out_of_what_is_steady() {
        let mut cells: Vec<_> = (0..900).map(|at| (at * 2, 1)).collect();
        cells.extend((1000..1005).map(|second| (second, 40)));
        assert_eq!(told(&cells, WINDOW), [(Shape::Steady, 897, 0, 1798), (Shape::Burst, 203, 1000, 1004)]);
    }

    #[test]
    fn an_outage_is_one() {
        for each in [1, 10, 1000] {
            let cells: Vec<_> = (600..1800).map(|second| (second, each + u64::try_from(second % 3).unwrap_or(0))).collect();
            assert_eq!(
                told(&cells, WINDOW).iter().map(|told| (told.0, told.2, told.3)).collect::<Vec<_>>(),
                [(Shape::Steady, 600, 1799)]
            );
        }
        let short: Vec<_> = (600..700).map(|second| (second, 10 + u64::try_from(second * 7 % 13).unwrap_or(0))).collect();
        let told = told(&short, WINDOW);
        assert_eq!((told.len(), told[0].0, told[0].2, told[0].3), (1, Shape::Burst, 600, 699));
    }

    #[test]
    fn two_in_a_second_are_one_population() {
        assert_eq!(told(&[(900, 1), (900, 1)], WINDOW), [(Shape::Burst, 2, 900, 900)]);
    }

    #[test]
    fn a_run_that_fails_throughout_is_steady() {
        let cells: Vec<_> = (0..1800).map(|second| (second, 7)).collect();
        assert_eq!(told(&cells, WINDOW), [(Shape::Steady, 12600, 0, 1799)]);
    }

    #[test]
    fn a_window_may_be_a_second_or_turned_round_or_elsewhere() {
        assert_eq!(told(&[(5, 9)], (5, 5)), [(Shape::Steady, 9, 5, 5)]);
        assert_eq!(told(&[(5, 9)], (9, 3)), [(Shape::Steady, 9, 5, 5)]);
        assert_eq!(told(&[(5000, 2)], WINDOW), [(Shape::Burst, 2, 5000, 5000)]);
        assert_eq!(told(&[(i64::MIN, 2), (i64::MAX, 3)], (i64::MIN, i64::MAX)).len(), 1);
        assert_eq!(populations(vec![timeouts(vec![cell(3, 2)])], None, &Origins::built_in()).len(), 1);
        assert_eq!(told(&[], WINDOW), []);
        assert_eq!(told(&[(3, 0)], WINDOW), []);
    }

    #[test]
    fn setup_and_teardown_have_their_own_span() {
        let of = |phase| Failing { phase, ..timeouts((0..20).map(|at| cell(-30 + at, 1)).collect()) };
        for phase in [Phase::Setup, Phase::Teardown] {
            let found = gathered(vec![of(phase)], WINDOW);
            assert_eq!(
                found.iter().map(|one| (one.phase, brief(one))).collect::<Vec<_>>(),
                [(phase, (Shape::Steady, 20, -30, -11))]
            );
        }
    }

    #[test]
    fn a_population_has_its_methods_names_and_minutes_of_the_clock() {
        let get = Cell { method: Some("GET".to_owned()), name: None, ..cell(61, 2) };
        let found = gathered(vec![timeouts(vec![cell(59, 1), get, cell(60, 3)])], WINDOW);
        let map = |of: &[(&str, u64)]| of.iter().map(|(key, count)| ((*key).to_owned(), *count)).collect::<BTreeMap<_, _>>();
        assert_eq!(found[0].methods, map(&[("GET", 2), ("POST", 4)]));
        assert_eq!(found[0].names, map(&[("token", 4)]));
        assert_eq!(
            found[0].per_minute.iter().map(|m| (m.minute, m.count)).collect::<Vec<_>>(),
            [(moment(0), 1), (moment(60), 5)]
        );
        assert_eq!(found[0].peak_per_minute, 5);
        assert_eq!(found[0].status, None);
    }

    #[test]
    fn kinds_that_differ_by_a_port_are_one() {
        let reset = |port: u32| Failing {
            message: Some(format!("read tcp 10.0.0.1:{port}->10.0.0.2:443: read: connection reset by peer")),
            ..timeouts(vec![cell(i64::from(port) % 3, 1)])
        };
        let found = gathered((40_000..40_100).map(reset).collect(), WINDOW);
        assert_eq!(found.iter().map(|one| one.count).collect::<Vec<_>>(), [100]);
        let message = found[0].message.as_deref();
        assert_eq!(message, Some("read tcp 10.0.0.1:*->10.0.0.2:443: read: connection reset by peer"));
    }

    #[test]
    fn only_the_port_of_the_own_side_is_left_out() {
        for (message, without) in [
            ("read tcp [::1]:43210->[::1]:443: i/o timeout", "read tcp [::1]:*->[::1]:443: i/o timeout"),
            (
                "lookup a on 10.0.0.1:53: read udp 10.0.0.2:4->10.0.0.1:53: x",
                "lookup a on 10.0.0.1:53: read udp 10.0.0.2:*->10.0.0.1:53: x",
            ),
            ("dial tcp 10.0.0.2:443: i/o timeout", "dial tcp 10.0.0.2:443: i/o timeout"),
            ("a -> b, 12->3, :*->", "a -> b, 12->3, :*->"),
            ("", ""),
        ] {
            assert_eq!(without_port(message), without);
            assert_eq!(without_port(without), without);
        }
    }

    #[test]
    fn a_day_of_a_thousand_kinds_takes_no_time() {
        let kind = |code: u32| {
            let cells = (0..200).map(|at| cell((at * 431 + i64::from(code) * 7) % 86_400, 1)).collect();
            Failing { error_code: Some(code), ..timeouts(cells) }
        };
        let found = gathered((0..1000).map(kind).collect(), (0, 86_399));
        assert_eq!(found.iter().map(|one| one.count).sum::<u64>(), 200_000);
    }

    fn any_failing() -> impl Strategy<Value = Failing> {
        let cell = (prop_oneof![8 => 0_i64..1800, 2 => 700_i64..705, 1 => any::<i64>()], 0_u64..50, 0_usize..3).prop_map(
            |(second, count, name)| {
                let name = [None, Some("a"), Some("b")][name].map(str::to_owned);
                Cell { second, method: None, name, count }
            },
        );
        let phase = prop_oneof![4 => Just(Phase::Test), 1 => Just(Phase::Setup), 1 => Just(Phase::Teardown)];
        (prop::collection::vec(cell, 0..60), phase, 500_u16..503).prop_map(|(cells, phase, status)| Failing {
            status: Some(status),
            error_code: None,
            message: None,
            phase,
            cells,
        })
    }

    proptest! {
        #[test]
        fn no_failure_is_lost_or_made(failing in prop::collection::vec(any_failing(), 0..5), last in 0_i64..3000) {
            let given: u64 = failing.iter().flat_map(|one| &one.cells).map(|cell| cell.count).sum();
            let found = gathered(failing, (0, last));
            prop_assert_eq!(found.iter().map(|one| one.count).sum::<u64>(), given);
            for one in &found {
                prop_assert!(one.count > 0 && one.first <= one.last);
                prop_assert_eq!(one.per_minute.iter().map(|minute| minute.count).sum::<u64>(), one.count);
                prop_assert_eq!(one.per_minute.iter().map(|minute| minute.count).max(), Some(one.peak_per_minute));
            }
        }

        #[test]
        fn no_order_matters(
            (failing, shuffled) in prop::collection::vec(any_failing(), 1..5).prop_flat_map(|failing| {
                let cells: Vec<Failing> = failing.iter().flat_map(|one| {
                    one.cells.iter().map(|cell| Failing { cells: vec![cell.clone()], ..one.clone() })
                }).collect();
                (Just(failing), Just(cells).prop_shuffle())
            }),
        ) {
            prop_assert_eq!(gathered(failing, WINDOW), gathered(shuffled, WINDOW));
        }
    }
}
