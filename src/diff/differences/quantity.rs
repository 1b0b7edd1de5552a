//! Values of settings as quantities: `6 Gi` is `6144 MiB`, `60s` is `1m`.

use crate::diff::writing;
use crate::model::units::{Unit, Written};

/// How many bytes the sizes of a source have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    /// `MB` is a power of 1000, `MiB` of 1024.
    Told,
    /// `MB` is a power of 1024: PostgreSQL's documentation, 20.1.1, "the multiplier for memory units is 1024".
    Binary,
}

/// A value as what it is a number of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Quantity {
    Count(f64),
    Ms(f64),
    Bytes(f64),
}

/// Whether two values of a setting differ in writing alone.
pub(super) fn are_alike(a: &str, b: &str, sizes: Sizes) -> bool {
    match (quantity(a, sizes), quantity(b, sizes)) {
        (Some(a), Some(b)) => a.is_near(b),
        (None, None) => word(a) == word(b),
        _ => false,
    }
}

/// Equal but for the dust of computing: a size is a power of 1000 or 1024 times what was written.
pub(super) fn are_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

impl Quantity {
    fn is_near(self, other: Self) -> bool {
        match (self, other) {
            (Self::Count(a), Self::Count(b)) | (Self::Ms(a), Self::Ms(b)) | (Self::Bytes(a), Self::Bytes(b)) => are_near(a, b),
            _ => false,
        }
    }
}

/// A number, a time or a size; a unit in another letter case may be another one: `1m` is a minute, `1M` a million.
fn quantity(text: &str, sizes: Sizes) -> Option<Quantity> {
    let bare = bare(text);
    let read = |text: &str, unit| Written::read(text, unit).ok().map(|written| written.value);
    let size = || match (sizes, bare.strip_suffix(['B', 'b'])) {
        (Sizes::Binary, Some(stem)) if stem.ends_with(['k', 'K', 'M', 'G', 'T']) => read(&format!("{stem}iB"), Unit::Bytes),
        _ => read(&bare, Unit::Bytes),
    };
    let number = read(&bare, Unit::Count).map(Quantity::Count);
    number.or_else(|| read(&bare, Unit::Ms).map(Quantity::Ms)).or_else(|| size().map(Quantity::Bytes))
}

/// A text without quotes around it, as people write it.
fn bare(text: &str) -> String {
    writing::unescaped(text.trim().trim_matches(['"', '\'']))
}

/// Words: whatever the letter case, `true` and a bare word are `on`.
fn word(text: &str) -> String {
    let word = writing::version(&bare(text));
    match word.as_str() {
        "" | "true" | "yes" | "enabled" => "on".to_owned(),
        "false" | "no" | "disabled" => "off".to_owned(),
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_writing_is_the_same_value() {
        for (a, b) in [
            ("6 Gi", "6144 MiB"),
            ("60s", "1m"),
            ("10 ms", "10ms"),
            ("\"on\"", "true"),
            ("", "on"),
            ("1,000", "1000"),
            ("v17.4.1", "17.4.1"),
            ("ISO, MDY", "iso,  MDY"),
            ("6.0", "6"),
        ] {
            assert!(are_alike(a, b, Sizes::Told) && are_alike(b, a, Sizes::Told), "{a} {b}");
        }
        assert!(are_alike("4GB", "4096MB", Sizes::Binary) && are_alike("64MB", "65536kB", Sizes::Binary));
    }

    #[test]
    fn another_value_is_none() {
        for (a, b) in
            [("4GB", "4096MB"), ("1m", "1M"), ("32000", "34500"), ("1", "on"), ("6 Gi", "6 GB"), ("0s", "180s"), ("64", "64ms")]
        {
            assert!(!are_alike(a, b, Sizes::Told) && !are_alike(b, a, Sizes::Told), "{a} {b}");
        }
        assert!(!are_alike("4GB", "4095MB", Sizes::Binary));
    }
}
