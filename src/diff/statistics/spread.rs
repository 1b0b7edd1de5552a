//! The spread between repeats.

use super::batches::squares;

/// A standard deviation and the degrees of freedom behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pooled {
    /// The standard deviation.
    pub sd: f64,
    /// Degrees of freedom: values less groups.
    pub degrees: u32,
}

/// The standard deviation within groups, pooled over those of two values or more: the root of the summed squares over the summed
/// degrees of freedom, both by group. `None` where no group has two values.
#[must_use]
pub fn pooled<'a>(groups: impl IntoIterator<Item = &'a [f64]>) -> Option<Pooled> {
    let (mut sum, mut degrees) = (0.0, 0_usize);
    for group in groups.into_iter().filter(|group| group.len() >= 2) {
        sum += squares(group);
        degrees += group.len() - 1;
    }
    (degrees > 0).then(|| Pooled { sd: (sum / degrees as f64).sqrt(), degrees: u32::try_from(degrees).unwrap_or(u32::MAX) })
}
