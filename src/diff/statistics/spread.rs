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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_residual_deviation_of_an_analysis_of_variance() {
        // statsmodels.formula.api.ols("v ~ C(g)", d).fit(): sqrt(mse_resid) and df_resid, statsmodels 0.15
        let groups: [&[f64]; 4] = [&[1.0, 2.0, 4.0], &[10.0, 10.5], &[7.0], &[3.0, 3.0, 3.0, 5.0]];
        let found = pooled(groups);
        assert!(found.is_some_and(|pooled| (pooled.sd - 1.139_566_194_264_778_6).abs() < 1e-12 && pooled.degrees == 6));
    }

    #[test]
    fn single_values_say_nothing_and_equal_ones_that_nothing_varies() {
        assert_eq!(pooled([]), None);
        assert_eq!(pooled([&[][..], &[3.0]]), None);
        assert_eq!(pooled([&[0.1, 0.1, 0.1][..], &[7.0]]), Some(Pooled { sd: 0.0, degrees: 2 }));
    }

    #[test]
    fn what_is_between_groups_does_not_count() {
        let near = pooled([&[1.0, 2.0][..], &[3.0, 4.0]]);
        assert_eq!(near, pooled([&[1.0, 2.0][..], &[3000.0, 3001.0]]));
    }
}
