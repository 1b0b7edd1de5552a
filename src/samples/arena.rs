//! Values of a trend by second, in little memory: four bytes a sample, in chained blocks that are never moved.
//!
//! A list that doubles would need up to twice its size, and copy itself; a run of 16 million requests with five trends has
//! 320 MB of values. A list here begins with a small block, since a test phase of 1,800 seconds has thousands of short ones,
//! and goes on in large ones.

/// Words of a small block: a link and seven values.
const SMALL: usize = 8;
/// Words of a large block: a link and 63 values.
const LARGE: usize = 64;
/// Words of a slab, which is allocated at once.
const SLAB: usize = 1 << 16;
/// No block.
const NONE: u32 = u32::MAX;

/// Blocks of one size.
#[derive(Debug, Default)]
struct Blocks<const WORDS: usize> {
    slabs: Vec<Vec<u32>>,
    used: u32,
}

impl<const WORDS: usize> Blocks<WORDS> {
    const PER_SLAB: usize = SLAB / WORDS;

    /// A new block that links to another.
    fn add(&mut self, link: u32) -> u32 {
        let block = self.used;
        if block as usize / Self::PER_SLAB == self.slabs.len() {
            self.slabs.push(vec![0; SLAB]);
        }
        self.used += 1;
        self.put(block, 0, link);
        block
    }

    #[inline]
    fn put(&mut self, block: u32, word: usize, value: u32) {
        let (slab, start) = (block as usize / Self::PER_SLAB, block as usize % Self::PER_SLAB * WORDS);
        self.slabs[slab][start + word] = value;
    }

    fn get(&self, block: u32) -> &[u32] {
        let (slab, start) = (block as usize / Self::PER_SLAB, block as usize % Self::PER_SLAB * WORDS);
        &self.slabs[slab][start..start + WORDS]
    }
}

/// All values of a thread.
#[derive(Debug, Default)]
pub(super) struct Arena {
    small: Blocks<SMALL>,
    large: Blocks<LARGE>,
}

/// A list of values in an arena.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    length: u32,
    /// The small block as long as the list fits it, then the large block that is being filled.
    last: u32,
}

impl Default for List {
    fn default() -> Self {
        Self { length: 0, last: NONE }
    }
}

impl Arena {
    /// Adds a value to a list.
    #[inline]
    pub(super) fn push(&mut self, list: &mut List, value: u32) {
        let at = list.length as usize;
        if at < SMALL - 1 {
            if at == 0 {
                list.last = self.small.add(NONE);
            }
            self.small.put(list.last, at + 1, value);
        } else {
            let at = (at - (SMALL - 1)) % (LARGE - 1);
            if at == 0 {
                // The first large block links to the small one, every other to a large one.
                list.last = self.large.add(list.last);
            }
            self.large.put(list.last, at + 1, value);
        }
        list.length += 1;
    }

    /// Gives a list's values, some at a time.
    pub(super) fn each(&self, list: List, mut take: impl FnMut(&[u32])) {
        let (mut left, mut block) = (list.length as usize, list.last);
        while left > SMALL - 1 {
            let words = self.large.get(block);
            let here = match (left - (SMALL - 1)) % (LARGE - 1) {
                0 => LARGE - 1,
                some => some,
            };
            take(&words[1..=here]);
            left -= here;
            block = words[0];
        }
        if left > 0 {
            take(&self.small.get(block)[1..=left]);
        }
    }
}

impl List {
    /// Values in it.
    pub(super) fn len(self) -> u64 {
        u64::from(self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, List};

    #[test]
    fn lists_keep_what_is_put_into_them_side_by_side() {
        let mut arena = Arena::default();
        let mut lists = [List::default(); 3];
        for value in 0..20_000_u32 {
            let at = (value % 7) as usize % 3;
            arena.push(&mut lists[at], value);
        }
        for length in [0, 1, 7, 8, 9, 70, 71, 134] {
            let mut list = List::default();
            (0..length).for_each(|value| arena.push(&mut list, value));
            let mut values = Vec::new();
            arena.each(list, |some| values.extend_from_slice(some));
            values.sort_unstable();
            assert_eq!(values, (0..length).collect::<Vec<_>>());
        }
        let mut all = Vec::new();
        for list in lists {
            arena.each(list, |some| all.extend_from_slice(some));
        }
        all.sort_unstable();
        assert_eq!(all, (0..20_000).collect::<Vec<_>>());
        assert_eq!(lists.iter().map(|list| list.len()).sum::<u64>(), 20_000);
    }
}
