//! Rounds of samples: rows that were taken together, counted.

use chrono::{DateTime, Utc};

use super::super::Window;
use super::super::reduce::{in_order, median};
use super::activity::{Sample, State, Wait};
use super::moment;
use crate::model::figure::Coverage;
use crate::model::units::cut;

/// What the rounds of a window hold.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rounds {
    /// The connections of each round, in the order of time.
    pub(super) connections: Vec<u64>,
    pub(super) active: u64,
    pub(super) waiting: u64,
    pub(super) advisory: u64,
    pub(super) idle: u64,
    pub(super) coverage: Coverage,
}

impl Rounds {
    pub(super) fn of(samples: &[Sample], window: Option<Window>) -> Self {
        let moments: Vec<DateTime<Utc>> = samples.iter().map(|sample| sample.at).collect();
        let all = moment::rounds(&moments);
        let starts: Vec<DateTime<Utc>> = all.iter().map(|round| moments[round.start]).collect();
        let inside = |at: DateTime<Utc>| window.is_none_or(|window| window.holds(at));
        let mut rounds =
            Self { connections: Vec::new(), active: 0, waiting: 0, advisory: 0, idle: 0, coverage: coverage(&starts, window) };
        for (range, _) in all.into_iter().zip(&starts).filter(|(_, at)| inside(**at)) {
            let clients: Vec<&Sample> = samples[range].iter().filter(|sample| sample.is_client).collect();
            let active = clients.iter().filter(|sample| sample.state == State::Active);
            rounds.connections.push(clients.len() as u64);
            rounds.active += active.clone().count() as u64;
            rounds.waiting += active.clone().filter(|sample| sample.waits != Wait::Other).count() as u64;
            rounds.advisory += active.filter(|sample| sample.waits == Wait::Advisory).count() as u64;
            rounds.idle += clients.iter().filter(|sample| sample.state == State::Idle).count() as u64;
        }
        rounds
    }

    pub(super) fn rows(&self) -> u64 {
        self.connections.iter().sum()
    }

    pub(super) fn per_round(&self, rows: u64) -> f64 {
        rows as f64 / self.connections.len() as f64
    }

    /// The middle of the connections of all rounds; of an even number the mean of the two middle ones.
    pub(super) fn median(&self) -> f64 {
        median(&in_order(self.connections.iter().map(|rows| *rows as f64))).unwrap_or_default()
    }
}

/// Rounds seen of those that there should be at their commonest distance.
fn coverage(starts: &[DateTime<Utc>], window: Option<Window>) -> Coverage {
    let seen = starts.iter().filter(|at| window.is_none_or(|window| window.holds(**at))).count() as u64;
    let outside = starts.len() as u64 - seen;
    let (Some(period), Some(first), Some(last)) = (period(starts), starts.first(), starts.last()) else {
        return Coverage { outside, ..Coverage::of(seen, seen.max(1)) };
    };
    let steps = |from: DateTime<Utc>, to: DateTime<Utc>| ((to - from).as_seconds_f64() / period).floor();
    let expected = window.map_or_else(
        || ((*last - *first).as_seconds_f64() / period).round() + 1.0,
        // Rounds that would lie in the window, had they gone on at their distance from the first one in both directions.
        |window| steps(*first, window.end) - steps(*first, window.start),
    );
    Coverage {
        seen,
        expected: cut(expected).max(seen),
        outside,
        period_s: Some(cut(period.round())).filter(|period| *period > 0),
    }
}

/// The commonest distance of rounds in seconds, to half a second; inside that the middle one.
fn period(starts: &[DateTime<Utc>]) -> Option<f64> {
    let mut distances: Vec<f64> = starts.windows(2).map(|pair| (pair[1] - pair[0]).as_seconds_f64()).collect();
    distances.sort_by(f64::total_cmp);
    let half = |distance: &f64| cut(distance * 2.0 + 0.5);
    let mut best: &[f64] = &[];
    for near in distances.chunk_by(|a, b| half(a) == half(b)) {
        if near.len() > best.len() {
            best = near;
        }
    }
    best.get(best.len() / 2).copied()
}
