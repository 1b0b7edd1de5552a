//! The ends of rows, behind the value, that were seen before: equal bytes up to a line break, from one state of the parser,
//! are an equal end of a row, so their tags need no second reading.
//!
//! Nine rows of ten end like the row before them: those of one request, of one iteration. An end that was seen twice, apart,
//! is remembered; one with an id in it is compared with the rows that follow it at once, and forgotten.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use super::tags::Class;

/// No stream yet.
pub(super) const NO_STREAM: u32 = u32::MAX;
/// Ends that are remembered at a time.
const REMEMBERED: usize = 8_192;
/// Places for the hashes of ends that were seen once.
const SEEN_ONCE: usize = 1 << 15;

/// An end of a row, line break included, and where it leads.
#[derive(Debug, Default)]
pub(super) struct Tail {
    pub(super) bytes: Vec<u8>,
    pub(super) class: Class,
    /// The streams of `http_req_duration`, of the check, and of the failed request.
    pub(super) duration: u32,
    pub(super) check: u32,
    pub(super) failed: u32,
}

impl Tail {
    fn set(&mut self, bytes: &[u8], class: Class) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.class = class;
        (self.duration, self.check, self.failed) = (NO_STREAM, NO_STREAM, NO_STREAM);
    }
}

/// The ends that were seen lately. Number 0 is the one that is not remembered.
#[derive(Debug)]
pub(super) struct Tails {
    known: Vec<Tail>,
    index: HashMap<u64, u32, FixedState>,
    seen: Vec<u64>,
    hasher: FixedState,
}

impl Default for Tails {
    fn default() -> Self {
        Self { known: vec![Tail::default()], index: HashMap::default(), seen: vec![0; SEEN_ONCE], hasher: FixedState::default() }
    }
}

impl Tails {
    #[inline]
    pub(super) fn get(&self, tail: usize) -> Option<&Tail> {
        self.known.get(tail)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, tail: usize) -> Option<&mut Tail> {
        self.known.get_mut(tail)
    }

    /// The number of an end: a remembered one, or 0 for a new one, whose class `read` tells. `None` where it is no end.
    pub(super) fn place(&mut self, bytes: &[u8], read: impl FnOnce() -> Option<Class>) -> Option<usize> {
        let hash = self.hash(bytes);
        if let Some(known) = self.index.get(&hash)
            && self.known.get(*known as usize).is_some_and(|tail| tail.bytes == bytes)
        {
            return Some(*known as usize);
        }
        let class = read()?;
        #[allow(clippy::cast_possible_truncation, reason = "the lowest bits choose a place")]
        let seen = &mut self.seen[hash as usize % SEEN_ONCE];
        if std::mem::replace(seen, hash) != hash {
            self.known[0].set(bytes, class);
            return Some(0);
        }
        if self.known.len() >= REMEMBERED {
            self.known.truncate(1);
            self.index.clear();
        }
        let number = self.known.len();
        let mut tail = Tail::default();
        tail.set(bytes, class);
        self.known.push(tail);
        self.index.insert(hash, u32::try_from(number).unwrap_or(0));
        Some(number)
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }
}
