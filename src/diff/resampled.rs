//! What resampling the blocks of runs said, kept. It follows from the blocks alone: as long as they are what they were it holds, whatever the
//! repeats of other builds say by now.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Answers that are kept: some megabytes. Whoever asks for more begins anew, for old ones are of blocks that went.
const MOST: usize = 1 << 16;

/// The noise within runs, by a fingerprint of all that it is made of.
#[derive(Debug, Default)]
pub struct Resampled {
    known: Mutex<HashMap<blake3::Hash, Within>>,
}

/// The noise within the runs of both sides, where they have blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Within {
    /// The half-width by the bootstrap.
    pub half_width: Option<f64>,
    /// The half-width by batch means.
    pub by_batches: Option<f64>,
    /// How many independent values each side is worth.
    pub effective: Option<[f64; 2]>,
}

impl Resampled {
    /// What is known of these blocks, else what `make` makes of them; `of` names the rest of what it is made of.
    pub(super) fn within(&self, of: &[&[u8]], sides: [&[Vec<f64>]; 2], make: impl FnOnce() -> Within) -> Within {
        let print = print(of, sides);
        if let Some(known) = self.held().get(&print) {
            return *known;
        }
        // Made without holding the lock: two threads may make the same, which costs time and changes nothing.
        let within = make();
        let mut held = self.held();
        if held.len() >= MOST {
            held.clear();
        }
        held.insert(print, within);
        within
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashMap<blake3::Hash, Within>> {
        // What is in it is whole whenever the lock is free.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A fingerprint of words and numbers to their last bit, each with its length before it.
fn print(of: &[&[u8]], sides: [&[Vec<f64>]; 2]) -> blake3::Hash {
    let mut bytes = Vec::new();
    let length = |bytes: &mut Vec<u8>, length: usize| bytes.extend_from_slice(&(length as u64).to_le_bytes());
    length(&mut bytes, of.len());
    for part in of {
        length(&mut bytes, part.len());
        bytes.extend_from_slice(part);
    }
    for side in sides {
        length(&mut bytes, side.len());
        for run in side {
            length(&mut bytes, run.len());
            bytes.extend(run.iter().flat_map(|value| value.to_bits().to_le_bytes()));
        }
    }
    blake3::hash(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_of_the_same_is_made_once() {
        let (resampled, made) = (Resampled::default(), std::cell::Cell::new(0));
        let ask = |of: &str, a: &[f64], b: &[f64]| {
            let count = || {
                made.set(made.get() + 1);
                Within { by_batches: Some(f64::from(made.get())), ..Within::default() }
            };
            resampled.within(&[of.as_bytes()], [&[a.to_vec()], &[b.to_vec()]], count).by_batches
        };
        assert_eq!([ask("a", &[0.0], &[]), ask("a", &[0.0], &[])], [Some(1.0); 2]);
        assert_eq!([ask("b", &[0.0], &[]), ask("a", &[-0.0], &[]), ask("a", &[], &[0.0])], [Some(2.0), Some(3.0), Some(4.0)]);
        assert_eq!(ask("a", &[0.0], &[]), Some(1.0));
    }
}
