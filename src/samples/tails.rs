//! The ends of rows, behind the value, that were seen before: equal bytes up to a line break, from one state of the parser,
//! are an equal end of a row, so their tags need no second reading.
//!
//! Nine rows of ten end like the row before them: those of one request, of one iteration. An end that was seen twice, apart,
//! is remembered; one with an id in it is compared with the rows that follow it at once, and forgotten.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use super::tags::Class;

/// No stream yet.
pub(super) const NO_STREAM: u32 = u32::MAX;
/// Places for ends by their hashes. Few, so that they stay in the first-level cache beside the rows.
const SLOTS: usize = 4096;
/// Bytes of the longest end that is remembered: a thousand of a megabyte each would be a gigabyte a thread.
const LONGEST: usize = 4096;

/// An end of a row, line break included, and where it leads.
#[derive(Debug, Default)]
pub(super) struct Tail {
    pub(super) bytes: Vec<u8>,
    pub(super) class: Class,
    /// The streams of `http_req_duration`, of the check, and of the failed request.
    pub(super) duration: u32,
    pub(super) check: u32,
    pub(super) failed: u32,
    /// The ends that followed this one: the last, and before that another.
    pub(super) next: [usize; 2],
}

impl Tail {
    fn set(&mut self, bytes: &[u8], class: Class) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.class = class;
        (self.duration, self.check, self.failed) = (NO_STREAM, NO_STREAM, NO_STREAM);
    }
}

/// A place for an end.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Some bits of the hash of the end that was here last.
    tag: u32,
    /// Its number if it is remembered, else 0.
    number: u32,
}

/// The ends that are remembered. Number 0 is the one that was seen last and is not.
#[derive(Debug)]
pub(super) struct Tails {
    known: Vec<Tail>,
    slots: Box<[Slot]>,
    hasher: FixedState,
}

impl Default for Tails {
    fn default() -> Self {
        let slots = vec![Slot::default(); SLOTS].into_boxed_slice();
        Self { known: vec![Tail::default()], slots, hasher: FixedState::default() }
    }
}

impl Tails {
    /// All of them, by number.
    pub(super) fn known(&self) -> &[Tail] {
        &self.known
    }

    /// Notes which end came after another.
    pub(super) fn follow(&mut self, last: usize, next: usize) {
        if let Some(tail) = self.known.get_mut(last)
            && tail.next[0] != next
        {
            tail.next = [next, tail.next[0]];
        }
    }

    #[inline]
    pub(super) fn get(&self, tail: usize) -> Option<&Tail> {
        self.known.get(tail)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, tail: usize) -> Option<&mut Tail> {
        self.known.get_mut(tail)
    }

    /// The number of an end: a remembered one, or 0 for a new one, whose class `read` tells. `None` where it is no end.
    ///
    /// An end takes a place for good when it comes the second time and nothing else came into its place in between; a place
    /// that is taken stays so. What finds no place, or is longer than [`LONGEST`], is read every time, as ends are that come once.
    pub(super) fn place(&mut self, bytes: &[u8], read: impl FnOnce() -> Option<Class>) -> Option<usize> {
        let hash = self.hash(bytes);
        #[allow(clippy::cast_possible_truncation, reason = "some bits choose a place, others tell ends apart")]
        let (place, tag) = (hash as usize % SLOTS, (hash >> 32) as u32);
        let slot = self.slots[place];
        let number = slot.number as usize;
        if slot.tag == tag && number > 0 && self.known.get(number).is_some_and(|tail| tail.bytes == bytes) {
            return Some(number);
        }
        let class = read()?;
        if slot.tag != tag || number > 0 || bytes.len() > LONGEST {
            if number == 0 {
                self.slots[place].tag = tag;
            }
            self.known[0].set(bytes, class);
            return Some(0);
        }
        let number = self.known.len();
        let mut tail = Tail::default();
        tail.set(bytes, class);
        self.known.push(tail);
        self.slots[place].number = u32::try_from(number).unwrap_or(0);
        Some(number)
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }
}
