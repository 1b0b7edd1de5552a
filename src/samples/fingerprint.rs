//! BLAKE3 of a file whose parts are hashed by several threads, in any order. BLAKE3 is a tree: parts of a power of two are
//! its subtrees, and the hashes of two neighbours merge into that of both (the BLAKE3 paper, section 2.1).

use blake3::hazmat::{ChainingValue, HasherExt, Mode, merge_subtrees_non_root, merge_subtrees_root};

/// Bytes of a part; the last may have fewer. Under the fuzzer a kilobyte, so that small inputs have seams.
pub(super) const PART: usize = if cfg!(fuzzing) { 1 << 10 } else { 1 << 18 };

/// The hash of a part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Of a file that is longer.
    Subtree(ChainingValue),
    /// Of the whole file.
    Whole(blake3::Hash),
}

/// Hashes the part that begins at an offset, a multiple of [`PART`], of a file of some length.
pub(super) fn part(bytes: &[u8], offset: u64, length: u64) -> Part {
    if length <= PART as u64 {
        return Part::Whole(blake3::hash(bytes));
    }
    let mut hasher = blake3::Hasher::new();
    hasher.set_input_offset(offset);
    hasher.update(bytes);
    Part::Subtree(hasher.finalize_non_root())
}

/// The hash of a file of all its parts in order, in hex; `None` of no part, or of parts of several files.
pub(super) fn whole(parts: &[Part]) -> Option<String> {
    let hash = match parts {
        [Part::Whole(hash)] => *hash,
        _ => {
            let values: Option<Vec<ChainingValue>> = parts.iter().map(subtree).collect();
            let values = values.filter(|values| values.len() > 1)?;
            let (left, right) = values.split_at(left_of(values.len()));
            merge_subtrees_root(&merged(left), &merged(right), Mode::Hash)
        }
    };
    Some(hash.to_hex().to_string())
}

fn subtree(part: &Part) -> Option<ChainingValue> {
    match part {
        Part::Subtree(value) => Some(*value),
        Part::Whole(_) => None,
    }
}

fn merged(parts: &[ChainingValue]) -> ChainingValue {
    match parts {
        [] => ChainingValue::default(),
        [one] => *one,
        _ => {
            let (left, right) = parts.split_at(left_of(parts.len()));
            merge_subtrees_non_root(&merged(left), &merged(right), Mode::Hash)
        }
    }
}

/// The left half of a tree is the largest power of two below the whole.
fn left_of(parts: usize) -> usize {
    parts.next_power_of_two() / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_give_the_hash_of_the_whole() {
        let bytes: Vec<u8> = (0..=250).cycle().take(5 * PART + 1).collect();
        for length in [1, 1024, PART - 1, PART, PART + 1, 2 * PART, 2 * PART + 7, 3 * PART, 4 * PART, 5 * PART, 5 * PART + 1] {
            let parts: Vec<Part> = bytes[..length]
                .chunks(PART)
                .enumerate()
                .map(|(at, chunk)| part(chunk, (at * PART) as u64, length as u64))
                .collect();
            assert_eq!(whole(&parts), Some(blake3::hash(&bytes[..length]).to_hex().to_string()), "{length}");
        }
        assert_eq!(whole(&[]), None);
    }
}
