//! What a captured covariate, such as the share of CPU time that a host took, can explain of a change.
//!
//! Repeats of one build differ by noise alone. Where their values follow a covariate, a difference of that covariate between two sides
//! makes a difference of the values that no build made. It may turn a decision into *inconclusive*, never into a change.

use super::statistics::quantile::t_quantile;
use crate::model::bounds::Bounds;

/// The fewest degrees of freedom from which a slope is believed.
const DEGREES: u32 = 6;

/// A repeat: its value on the log scale, and the covariate while it ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Repeat {
    /// The natural logarithm of the value.
    pub log_value: f64,
    /// The covariate, in its own unit.
    pub covariate: f64,
}

/// How values follow a covariate within groups of repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Slope {
    /// The change of the log value per unit of the covariate.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// The standard deviation of what is left of the values: the noise from run to run that does not follow the covariate.
    pub rest: f64,
    /// Degrees of freedom: repeats less groups less one.
    pub degrees: u32,
    /// What it can be, at the level asked for.
    pub interval: Bounds,
}

/// What a difference of the covariate explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Explained {
    /// How values follow the covariate.
    pub slope: Slope,
    /// What the difference explains of the log ratio: of its sign, never more than it, 0 where the covariate pulls the other way.
    pub part: f64,
}

/// The part of a log ratio that a difference of the covariate's means, `b` less `a`, explains: the slope times the difference. A covariate that pulls the other way explains nothing: it would make a change of
/// none, or a larger one of a small one.
///
/// `None` where nothing is known of how values follow the covariate: see [`slope`].
#[must_use]
pub(super) fn explained<'r>(
    groups: impl IntoIterator<Item = &'r [Repeat]>,
    level: f64,
    log_ratio: f64,
    difference: f64,
) -> Option<Explained> {
    let slope = slope(groups, level)?;
    let pull = slope.value * difference;
    let is_same_way = (pull > 0.0 && log_ratio > 0.0) || (pull < 0.0 && log_ratio < 0.0);
    let part = if is_same_way { log_ratio.signum() * pull.abs().min(log_ratio.abs()) } else { 0.0 };
    Some(Explained { slope, part })
}

/// The slope of log values on the covariate within groups of repeats of a build and target: least squares with a constant for each
/// group, by values and covariates less the means of their group (Frisch and Waugh, Econometrica 1, 1933). Its interval is by Student's
/// t. Groups of one repeat say nothing, and neither do repeats whose numbers are not finite.
///
/// `None` under 6 degrees of freedom, where the covariate does not vary within groups, and where the interval includes 0.
#[must_use]
pub(super) fn slope<'r>(groups: impl IntoIterator<Item = &'r [Repeat]>, level: f64) -> Option<Slope> {
    let mut sums = Sums::default();
    for group in groups {
        sums.add(group);
    }
    let degrees = sums.repeats.checked_sub(sums.groups + 1).filter(|degrees| *degrees >= DEGREES)?;
    let value = Some(sums.xy / sums.xx).filter(|value| value.is_finite() && sums.varies())?;
    let rest = (sums.yy - value * sums.xy).max(0.0);
    let rest = (rest / f64::from(degrees)).sqrt();
    let error = rest / sums.xx.sqrt();
    let half = t_quantile(level, f64::from(degrees)) * error;
    let interval = Bounds::new(value - half, value + half)?;
    let is_told = interval.lo() > 0.0 || interval.hi() < 0.0;
    is_told.then_some(Slope { value, error, rest, degrees, interval })
}

/// Sums of products of what deviates from the means of the groups.
#[derive(Default)]
struct Sums {
    xx: f64,
    xy: f64,
    yy: f64,
    /// The squares of the covariates as they are.
    squares: f64,
    repeats: u32,
    groups: u32,
}

impl Explained {
    /// The half-width, on the log scale, from run to run of what is left of a log ratio: by the noise that does not follow the covariate
    /// (`inverse`, the sum of one over the runs of each side), and by how well the slope is known.
    pub(super) fn half_width(&self, level: f64, difference: f64, inverse: f64) -> f64 {
        let t = t_quantile(level, f64::from(self.slope.degrees));
        (t * self.slope.rest * inverse.sqrt()).hypot(t * self.slope.error * difference)
    }
}

impl Sums {
    /// Whether the covariate varies by more than the dust of a mean.
    fn varies(&self) -> bool {
        self.xx > 1e-24 * self.squares
    }

    fn add(&mut self, group: &[Repeat]) {
        let known = || group.iter().filter(|repeat| repeat.log_value.is_finite() && repeat.covariate.is_finite());
        let Some(count) = u32::try_from(known().count()).ok().filter(|count| *count >= 2) else { return };
        let mean = |of: fn(&Repeat) -> f64| known().map(of).sum::<f64>() / f64::from(count);
        let (mean_x, mean_y) = (mean(|repeat| repeat.covariate), mean(|repeat| repeat.log_value));
        for repeat in known() {
            let (x, y) = (repeat.covariate - mean_x, repeat.log_value - mean_y);
            self.xx += x * x;
            self.xy += x * y;
            self.yy += y * y;
            self.squares += repeat.covariate * repeat.covariate;
        }
        self.repeats = self.repeats.saturating_add(count);
        self.groups = self.groups.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SLOPE: f64 = 1.260_147_601_476_014_7;
    const ERROR: f64 = 0.140_087_817_510_909_35;
    const LO: f64 = 0.917_365_060_607_536_9;
    const HI: f64 = 1.602_930_142_344_492_4;

    fn group(pairs: &[(f64, f64)]) -> Vec<Repeat> {
        pairs.iter().map(|&(log_value, covariate)| Repeat { log_value, covariate }).collect()
    }

    /// Three builds at levels of their own, each following the covariate.
    fn builds() -> Vec<Vec<Repeat>> {
        vec![
            group(&[(1.50, 0.09), (1.44, 0.06), (1.41, 0.02), (1.46, 0.05)]),
            group(&[(0.30, 0.01), (0.41, 0.08), (0.35, 0.04)]),
            group(&[(2.00, 0.12), (1.90, 0.03), (1.96, 0.07)]),
        ]
    }

    fn of(groups: &[Vec<Repeat>]) -> Option<Slope> {
        slope(groups.iter().map(Vec::as_slice), 0.95)
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    fn part(groups: &[Vec<Repeat>], log_ratio: f64, difference: f64) -> Option<f64> {
        explained(groups.iter().map(Vec::as_slice), 0.95, log_ratio, difference).map(|explained| explained.part)
    }

    #[test]
    fn a_slope_is_that_of_a_regression_with_a_constant_for_each_build() {
        // The normal equations of ten rows, three constants and the covariate solved in fractions; t(0.975; 6) = 2.446911851 of tables.
        let found = of(&builds());
        let known = found.is_some_and(|slope| {
            near(slope.value, SLOPE) && near(slope.error, ERROR) && near(slope.interval.lo(), LO) && near(slope.interval.hi(), HI)
        });
        assert!(known, "{found:?}");
        assert_eq!(found.map(|slope| slope.degrees), Some(6));
    }

    #[test]
    fn too_few_repeats_tell_no_slope() {
        assert_eq!(of(&builds()[..2]), None);
        assert_eq!(of(&[]), None);
        // A single repeat adds nothing.
        let mut more = builds();
        more.push(group(&[(9.0, 0.5)]));
        more.push(group(&[(f64::NAN, 0.5), (1.0, 0.1)]));
        assert_eq!(of(&more), of(&builds()));
    }

    #[test]
    fn values_that_do_not_follow_it_tell_no_slope() {
        let zigzag = group(&[(1.0, 0.1), (2.0, 0.2), (1.0, 0.3), (2.0, 0.4), (1.0, 0.5), (2.0, 0.6), (1.0, 0.7), (2.0, 0.8)]);
        assert_eq!(of(&[zigzag]), None);
        // The mean of eight times 0.1 is not 0.1 to the last digit.
        let constant: Vec<(f64, f64)> = (0..8).map(|at| (f64::from(at % 2) * 1e-9, 0.1)).collect();
        assert_eq!(of(&[group(&constant)]), None);
        let unmoved: Vec<(f64, f64)> = (0..8).map(|at| (1.0, f64::from(at))).collect();
        assert_eq!(of(&[group(&unmoved)]), None);
    }

    #[test]
    fn a_difference_explains_what_goes_its_way_and_no_more_than_there_is() {
        let builds = builds();
        let is = |found: Option<f64>, wanted: f64| found.is_some_and(|found| near(found, wanted));
        assert!(is(part(&builds, 0.2, 0.05), SLOPE * 0.05));
        assert!(is(part(&builds, -0.2, -0.05), -SLOPE * 0.05));
        assert!(is(part(&builds, 0.01, 0.05), 0.01));
        assert!(is(part(&builds, -0.2, 0.05), 0.0) && is(part(&builds, 0.2, -0.05), 0.0) && is(part(&builds, 0.2, 0.0), 0.0));
        assert_eq!(part(&builds[..1], 0.2, 0.05), None);
    }

    #[test]
    fn what_is_left_is_known_by_the_rest_and_by_the_slope() {
        let builds = builds();
        let found = explained(builds.iter().map(Vec::as_slice), 0.95, 0.2, 0.05);
        let (t, rest) = (2.446_911_851, found.map_or(0.0, |found| found.slope.rest));
        let half_width = found.map_or(0.0, |found| found.half_width(0.95, 0.05, 1.5));
        assert!(near(half_width, (t * rest * 1.5_f64.sqrt()).hypot(t * ERROR * 0.05)), "{half_width}");
    }

    #[test]
    fn values_may_fall_with_it() {
        let fall = |repeat: &Repeat| Repeat { log_value: -repeat.log_value, ..*repeat };
        let builds: Vec<Vec<Repeat>> = builds().iter().map(|group| group.iter().map(fall).collect()).collect();
        assert!(part(&builds, -0.2, 0.05).is_some_and(|part| near(part, -SLOPE * 0.05)));
    }

    proptest! {
        #[test]
        fn levels_of_the_builds_do_not_matter(a in -9.0..9.0_f64, b in -9.0..9.0_f64) {
            let mut moved = builds();
            moved[0].iter_mut().for_each(|repeat| repeat.log_value += a);
            moved[1].iter_mut().for_each(|repeat| repeat.covariate += b);
            let (known, found) = (of(&builds()), of(&moved));
            prop_assert!(known.zip(found).is_some_and(|(known, found)| (known.value - found.value).abs() < 1e-6));
        }

        #[test]
        fn what_is_explained_is_a_part_of_the_ratio(log_ratio in -1.0..1.0_f64, difference in -1.0..1.0_f64) {
            let part = part(&builds(), log_ratio, difference).unwrap_or(f64::NAN);
            prop_assert!(part.abs() <= log_ratio.abs() && part * log_ratio >= 0.0);
        }
    }
}
