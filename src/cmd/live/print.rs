//! Values told apart by their fingerprints.

use std::fmt::{Debug, Write};

/// The fingerprint of a value or of some bytes, BLAKE3: what differs has another one.
pub(in crate::cmd) type Print = blake3::Hash;

/// The fingerprint of a value: of everything its `Debug` tells, which of the derived ones is every field, every number to its last bit.
pub(in crate::cmd) fn of(value: &impl Debug) -> Print {
    let mut told = Told(blake3::Hasher::new());
    // A hasher takes everything.
    let _told = write!(told, "{value:?}");
    told.0.finalize()
}

/// The fingerprint of some bytes.
pub(in crate::cmd) fn of_bytes(bytes: &[u8]) -> Print {
    blake3::hash(bytes)
}

struct Told(blake3::Hasher);

impl Write for Told {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn what_differs_has_another_print() {
        assert_eq!(of(&("a", 1.0)), of(&("a", 1.0)));
        let unlike = [of(&("a", 1.0)), of(&("a1", 0.0)), of(&("a", -0.0)), of(&("a", 0.0)), of(&(String::from("a\""), 0.0))];
        assert!((1..unlike.len()).all(|at| !unlike[..at].contains(&unlike[at])));
    }
}
