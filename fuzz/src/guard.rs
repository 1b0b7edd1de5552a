//! What an input may cost: a second of processor time a megabyte, ten times its size and 64 MB of memory.

use std::io::Write;
use std::panic::Location;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use cpu_time::ProcessTime;
use peak_alloc::PeakAlloc;

use crate::readers::Target;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What every input may take whatever its size.
const FREE_BYTES: usize = 64 << 20;
/// Bytes of memory for a byte of input.
const BYTES_A_BYTE: usize = 10;
/// Inputs below this size are given the time of one of this size: a code that counts itself is some times slower, a target does more
/// than one reading, and so short a time can't be measured well.
const SMALLEST: usize = 1 << 20;

/// What an input cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Seconds of processor time, of all threads.
    pub seconds: f64,
    /// Bytes that were held at most, beside those that were held before.
    pub bytes: usize,
}

impl Cost {
    /// Runs a target over an input and measures it.
    pub fn of(target: Target, input: &[u8]) -> Self {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let clock = ProcessTime::now();
        target(input);
        let seconds = clock.elapsed().as_secs_f64();
        Self { seconds, bytes: MEMORY.peak_usage().saturating_sub(before) }
    }

    /// Whether it is within the limits for an input of some length.
    #[must_use]
    pub fn is_fair(&self, length: usize) -> bool {
        self.seconds <= most_seconds(length) && self.bytes <= most_bytes(length)
    }
}

fn most_seconds(length: usize) -> f64 {
    length.max(SMALLEST) as f64 / f64::from(1 << 20)
}

fn most_bytes(length: usize) -> usize {
    FREE_BYTES + BYTES_A_BYTE * length
}

/// The dearest input so far, in millionths of what it may cost: time and memory.
static DEAREST: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

/// Notes a cost that is a tenth above all before, in the file that `COSTS` names: `scripts/fuzz` makes its table of it.
fn note(cost: Cost, length: usize) {
    let shares = [cost.seconds / most_seconds(length), cost.bytes as f64 / most_bytes(length) as f64];
    let mut is_dear = false;
    for (dearest, share) in DEAREST.iter().zip(shares) {
        let share = (share * 1e6) as u64;
        is_dear |= share > dearest.load(Relaxed) / 10 * 11;
        dearest.fetch_max(share, Relaxed);
    }
    let Some(path) = std::env::var_os("COSTS").filter(|_| is_dear) else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    let line = format!("{} {:.6} {}\n", length, cost.seconds, cost.bytes);
    // A table that lacks a line is no reason to end a fuzzer.
    let _written = file.and_then(|mut file| file.write_all(line.as_bytes()));
}

/// Runs a target over an input and holds it to the limits.
///
/// # Panics
/// Where it takes more: the fuzzer keeps such an input as it keeps one that crashes.
#[track_caller]
pub fn held(target: Target, input: &[u8]) {
    let cost = Cost::of(target, input);
    if cost.is_fair(input.len()) {
        note(cost, input.len());
        return;
    }
    // What is done the first time, patterns compiled and tables made, is no cost of this input.
    let again = Cost::of(target, input);
    let limits = (most_seconds(input.len()), most_bytes(input.len()));
    assert!(again.is_fair(input.len()), "{}: {} bytes took {again:?}, more than {limits:?}", Location::caller(), input.len());
}
