//! A plain file, block by block, by several threads.
//!
//! A block begins anywhere, within a quoted text too. Hardly a file has a line break within quotes, so at first no block is
//! taken to begin within any. If every block's first row is where the last row of the block before ended, that was right
//! and every byte was looked at once. If not, or if a row is at fault, the file is read again, and whether a block begins
//! within quotes is known by counting those before it, which each thread does for its own block.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::fault::Fault;
use super::fingerprint::{self, Part};
use super::reading::{Added, LONGEST_ROW, SHOWN, Stop, Unread, cut, cut_tail, no_samples, too_long};
use super::rows::{Layout, Rows, Step};
use super::wanted::Wanted;
use crate::fs::FsError;
use crate::fs::raw::Plain;

/// Bytes of a block: it stays in the second-level cache from the reading to the hashing.
pub(super) const BLOCK: usize = fingerprint::PART;
/// Bytes that are read beyond a block, for the end of its last row.
const BEYOND: usize = if cfg!(fuzzing) { 1 << 6 } else { 1 << 14 };

/// What the threads share.
struct Shared<'a> {
    file: &'a Plain,
    hashes: bool,
    next: AtomicU64,
    /// The first block that is known to hold a fault. Those before it are read all the same, so that the fault that is told does not depend
    /// on who was quicker.
    stopped: AtomicU64,
    /// Where quotes are counted; `None` where no block is taken to begin within any.
    chain: Option<Chain>,
    outcome: Mutex<Outcome>,
}

impl Shared<'_> {
    /// Whether a block begins within quotes, as far as that is asked for. Waits for the blocks before it.
    fn within(&self, block: u64, is_odd: impl FnOnce() -> bool) -> bool {
        self.chain.as_ref().is_some_and(|chain| chain.enter(block, is_odd()))
    }
}

#[derive(Default)]
struct Outcome {
    /// Blocks that were read to their end.
    done: Vec<Done>,
    stops: Vec<(u64, Stopped)>,
    /// The row that the file's end cuts.
    rest: Option<(u64, Vec<u8>)>,
}

/// A block that was read to its end.
struct Done {
    block: u64,
    part: Option<Part>,
    rows: u64,
    /// Where the first row begins that begins in it; `None` where none does.
    first: Option<u64>,
    /// Where the first row behind it begins.
    next: u64,
}

impl Outcome {
    /// Whether the rows of all blocks follow each other from the header to the end, so that none was mistaken.
    fn is_seamless(&self, header: u64, length: u64) -> bool {
        let mut expected = header;
        let follows = |done: &Done| done.first.is_none_or(|first| std::mem::replace(&mut expected, done.next) == first);
        self.stops.is_empty() && self.rest.is_none() && self.done.iter().all(follows) && expected == length
    }
}

/// Why a thread stopped before the end.
enum Stopped {
    /// A fault of the row at a byte, behind so many rows of its block.
    Row { offset: u64, rows: u64, text: Vec<u8>, fault: Fault },
    /// The disk's.
    World(FsError),
}

/// Blocks in order: whether each begins within quotes.
#[derive(Default)]
struct Chain {
    /// The next block to be counted, and whether it begins within quotes.
    next: Mutex<(u64, bool)>,
    counted: Condvar,
}

impl Chain {
    /// Tells whether a block has an odd number of quotes, waits for the blocks before it, and says whether it begins
    /// within quotes.
    fn enter(&self, block: u64, is_odd: bool) -> bool {
        let mut next = locked(&self.next);
        while next.0 != block {
            next = self.counted.wait(next).unwrap_or_else(PoisonError::into_inner);
        }
        let within = next.1;
        *next = (block + 1, within ^ is_odd);
        self.counted.notify_all();
        within
    }
}

/// A thread that panicked ends the program's work anyway; what it held is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads a plain file.
pub(super) fn read<L: Layout + Clone + Send + Sync>(
    name: &str,
    file: &Plain,
    layout: &L,
    wanted: &Wanted,
    threads: usize,
) -> Result<Added<L>, Unread> {
    let (mut workers, mut outcome) = pass(file, layout, wanted, threads, None);
    if L::QUOTES && !outcome.is_seamless(layout.header() as u64, file.length()) {
        (workers, outcome) = pass(file, layout, wanted, threads, Some(Chain::default()));
    }
    finish(name, file, layout, workers, outcome)
}

/// Reads all blocks; what was done comes in their order.
fn pass<L: Layout + Clone + Send + Sync>(
    file: &Plain,
    layout: &L,
    wanted: &Wanted,
    threads: usize,
    chain: Option<Chain>,
) -> (Vec<Rows<L>>, Outcome) {
    let blocks = file.length().div_ceil(BLOCK as u64);
    let threads = threads.clamp(1, usize::try_from(blocks).unwrap_or(usize::MAX).max(1));
    let shared = Shared {
        file,
        hashes: wanted.hashes(),
        next: AtomicU64::new(0),
        stopped: AtomicU64::new(u64::MAX),
        chain,
        outcome: Mutex::default(),
    };
    let workers = std::thread::scope(|scope| {
        let run = || {
            let mut rows = Rows::new(layout.clone(), wanted);
            work(&shared, &mut rows);
            rows
        };
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut workers = vec![run()];
        workers.extend(others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))));
        workers
    });
    let mut outcome = shared.outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.done.sort_by_key(|done| done.block);
    outcome.stops.sort_by_key(|(block, _)| *block);
    (workers, outcome)
}

/// What came of all blocks: the threads' sums, or the first fault.
fn finish<L: Layout>(name: &str, file: &Plain, layout: &L, workers: Vec<Rows<L>>, outcome: Outcome) -> Result<Added<L>, Unread> {
    if let Some((block, stopped)) = outcome.stops.into_iter().next() {
        let (offset, rows, text, fault) = match stopped {
            Stopped::World(error) => return Err(error.into()),
            Stopped::Row { offset, rows, text, fault } => (offset, rows, text, fault),
        };
        let rows = rows + rows_before(&outcome.done, block);
        return Err(Unread::Input(Stop { offset, rows, lines: lines_before(file, offset)?, text, fault }.tell(name).into()));
    }
    let rows = rows_before(&outcome.done, u64::MAX);
    let mut remarks = Vec::new();
    if let Some((offset, text)) = outcome.rest {
        let stop = cut(offset, rows, lines_before(file, offset)?, text);
        remarks.push(cut_tail(name, layout, stop, file.length())?);
    }
    if rows == 0 {
        return Err(no_samples(name, "there is no whole row in it").into());
    }
    let parts: Option<Vec<Part>> = outcome.done.into_iter().map(|done| done.part).collect();
    let blake3 = parts.and_then(|parts| fingerprint::whole(&parts));
    Ok(Added { workers, bytes: file.length(), blake3, remarks })
}

/// Rows of the blocks before one.
fn rows_before(done: &[Done], block: u64) -> u64 {
    done.iter().take_while(|done| done.block < block).map(|done| done.rows).sum()
}

/// Line breaks before a byte; counted only when something has to be pointed at.
fn lines_before(file: &Plain, offset: u64) -> Result<u64, FsError> {
    let mut buffer = vec![0; BLOCK];
    let (mut at, mut lines) = (0, 0);
    while at < offset {
        let wanted = usize::try_from(offset - at).unwrap_or(BLOCK).min(BLOCK);
        let filled = file.read_at(&mut buffer[..wanted], at)?;
        if filled == 0 {
            break;
        }
        lines += memchr::memchr_iter(b'\n', &buffer[..filled]).count() as u64;
        at += filled as u64;
    }
    Ok(lines)
}

/// Takes blocks until there is none left, or a fault.
fn work<L: Layout>(shared: &Shared<'_>, rows: &mut Rows<L>) {
    let mut block = Block::default();
    loop {
        let number = shared.next.fetch_add(1, Ordering::Relaxed);
        if number.saturating_mul(BLOCK as u64) >= shared.file.length() {
            return;
        }
        if shared.stopped.load(Ordering::Relaxed) < number {
            // Others may wait for this block's quotes.
            shared.within(number, || false);
            continue;
        }
        match block.read(shared, rows, number) {
            Ok(done) => locked(&shared.outcome).done.push(done),
            Err(stopped) => {
                shared.stopped.fetch_min(number, Ordering::Relaxed);
                locked(&shared.outcome).stops.push((number, stopped));
            }
        }
        shared.file.advance(BLOCK);
    }
}

/// A thread's block, and some bytes around it.
#[derive(Default)]
struct Block {
    /// The bytes: one before the block, the block, and what is needed of the following.
    buffer: Vec<u8>,
    filled: usize,
    /// Where the buffer lies in the file.
    from: u64,
}

impl Block {
    fn read<L: Layout>(&mut self, shared: &Shared<'_>, rows: &mut Rows<L>, number: u64) -> Result<Done, Stopped> {
        let start = number * BLOCK as u64;
        // The byte before the block tells whether a row begins with it.
        self.from = start.saturating_sub(1);
        let before = usize::from(start > 0);
        self.filled = 0;
        if let Err(error) = self.load(shared.file, before + BLOCK + BEYOND) {
            shared.within(number, || false);
            return Err(Stopped::World(error));
        }
        let end = self.filled.min(before + BLOCK);
        let within = shared.within(number, || has_odd_quotes(&self.buffer[before..end]));
        let first = if number == 0 {
            rows.layout.header()
        } else {
            let bytes = &self.buffer[..self.filled];
            let first = if L::QUOTES { first_row(bytes, before, within) } else { first_line(bytes, before) };
            first.unwrap_or(self.filled)
        };
        let rows_before = rows.count;
        let next = self.from + self.rows(shared, rows, first, end)? as u64;
        let part = shared.hashes.then(|| fingerprint::part(&self.buffer[before..end], start, shared.file.length()));
        let first = (first < end).then_some(self.from + first as u64);
        Ok(Done { block: number, part, rows: rows.count - rows_before, first, next })
    }

    /// Reads the rows that begin before `end`; the last may need bytes of the next block, or more. Gives where the next row
    /// begins.
    fn rows<L: Layout>(&mut self, shared: &Shared<'_>, rows: &mut Rows<L>, first: usize, end: usize) -> Result<usize, Stopped> {
        let before = rows.count;
        let mut at = first;
        loop {
            let read = rows.read(&self.buffer[..self.filled], at, end, self.from);
            let (stuck, step) = match read {
                Ok(next) => return Ok(next),
                Err(stuck) => stuck,
            };
            at = stuck;
            let text = &self.buffer[at..self.filled];
            let fault = match step {
                Step::Fault(fault) => fault,
                _ if self.from + self.filled as u64 >= shared.file.length() => {
                    locked(&shared.outcome).rest = Some((self.from + at as u64, text.to_vec()));
                    return Ok(at);
                }
                _ if text.len() > LONGEST_ROW => too_long(&rows.layout, text),
                _ => {
                    let more = at + text.len() * 2 + BEYOND;
                    self.load(shared.file, more).map_err(Stopped::World)?;
                    continue;
                }
            };
            let (offset, text) = (self.from + at as u64, text[..text.len().min(SHOWN)].to_vec());
            return Err(Stopped::Row { offset, rows: rows.count - before, text, fault });
        }
    }

    /// Fills the buffer up to a length, as far as the file goes.
    fn load(&mut self, file: &Plain, length: usize) -> Result<(), FsError> {
        if self.buffer.len() < length {
            self.buffer.resize(length, 0);
        }
        // The file may have grown since: what it had when it was opened is read.
        let left = usize::try_from(file.length() - self.from).unwrap_or(usize::MAX);
        let length = length.min(left);
        file.fill_at(&mut self.buffer[self.filled..length], self.from + self.filled as u64)?;
        self.filled = length;
        Ok(())
    }
}

/// Whether bytes hold an odd number of quotes. Most hold none, which is found out faster than a number.
fn has_odd_quotes(bytes: &[u8]) -> bool {
    memchr::memchr(b'"', bytes).is_some_and(|first| memchr::memchr_iter(b'"', &bytes[first..]).count() % 2 == 1)
}

/// The first line that begins at `start` or later, where no line break is part of a row: quotes mean nothing then, and the
/// block may begin within a text whose end looks like the beginning of one.
fn first_line(bytes: &[u8], start: usize) -> Option<usize> {
    let from = start.checked_sub(1)?;
    Some(from + memchr::memchr(b'\n', bytes.get(from..)?)? + 1)
}

/// The first row that begins at `start` or later: behind a line break outside of quotes, the byte before `start` included.
fn first_row(bytes: &[u8], start: usize, within: bool) -> Option<usize> {
    let mut at = start;
    if within {
        at += memchr::memchr(b'"', bytes.get(at..)?)? + 1;
    } else if bytes.get(start.checked_sub(1)?) == Some(&b'\n') {
        return Some(start);
    }
    super::csv::row_end(bytes, at)
}
