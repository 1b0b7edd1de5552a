//! Shares of counted things, and what their difference can be.

use super::autocorrelation::effective_size;
use super::batches::{Part, satterthwaite, squares};
use super::bootstrap::{block_length, stretches};
use super::quantile::{quantile, t_quantile};
use super::random::Random;
use crate::model::bounds::Bounds;

/// So many of so many. More than all count as all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub of: u64,
}

impl Share {
    /// The share as a number; `None` where nothing was counted.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.count.min(self.of) as f64 / self.of as f64)
    }

    /// Both counted together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { count: self.count.saturating_add(other.count), of: self.of.saturating_add(other.of) }
    }
}

/// Wilson's score interval of a share (Wilson 1927), without continuity correction; from 0 to 1 where nothing was counted.
#[must_use]
pub fn wilson(share: Share, level: f64) -> Bounds {
    let Share { count, of } = share;
    let lo = if count == 0 { 0.0 } else { wilson_end(count.min(of), of, level, -1.0) };
    let hi = if count >= of { 1.0 } else { wilson_end(count, of, level, 1.0) };
    // No number at a level of 1: every share is possible then.
    Bounds::new(lo, hi).filter(|_| of > 0).unwrap_or_else(|| known(0.0, 1.0))
}

fn wilson_end(count: u64, of: u64, level: f64, side: f64) -> f64 {
    let z = t_quantile(level, f64::INFINITY);
    let (count, rest, of) = (count as f64, of.saturating_sub(count) as f64, of as f64);
    let half = z * (count * (rest / of) + z * z / 4.0).sqrt();
    ((count + z * z / 2.0 + side * half) / (of + z * z)).clamp(0.0, 1.0)
}

/// What the difference of two shares, `b` minus `a`, can be: Newcombe's hybrid score interval (1998, method 10), without continuity
/// correction. Where nothing was counted on a side its share can be anything from 0 to 1.
#[must_use]
pub fn newcombe(a: Share, b: Share, level: f64) -> Bounds {
    let (from, to) = (wilson(a, level), wilson(b, level));
    let (Some(share_a), Some(share_b)) = (a.value(), b.value()) else {
        return within(to.lo() - from.hi(), to.hi() - from.lo());
    };
    let difference = share_b - share_a;
    let below = (share_b - to.lo()).hypot(from.hi() - share_a);
    let above = (to.hi() - share_b).hypot(share_a - from.lo());
    within(difference - below, difference + above)
}

/// The same where counts come in bursts: minutes are resampled with the bootstrap, each side by itself, the runs of a side one after
/// another. Each slice is one run's minutes; minutes in which nothing was counted take no part. The interval is that of the resampled
/// differences, as much wider as Student's t is for the minutes that vary (Satterthwaite), and what Newcombe's interval of the sums has beyond it:
/// never narrower than that.
#[must_use]
pub fn resampled(a: &[Vec<Share>], b: &[Vec<Share>], level: f64, resamples: u32, random: &mut Random) -> Bounds {
    let (a, b) = (Minutes::of(a), Minutes::of(b));
    let steady = newcombe(a.sum(), b.sum(), level);
    let (Some(before), Some(after)) = (a.sum().value(), b.sum().value()) else {
        return steady;
    };
    let (drawn_a, drawn_b) = (a.resampled(resamples, random), b.resampled(resamples, random));
    let differences: Vec<f64> = drawn_a.iter().zip(&drawn_b).map(|(a, b)| b - a).collect();
    let outside = (1.0 - level) / 2.0;
    let (Some(low), Some(high)) = (quantile(&differences, outside), quantile(&differences, 1.0 - outside)) else {
        return steady;
    };
    let degrees = satterthwaite(&[a.part(&drawn_a), b.part(&drawn_b)]);
    let wider = t_quantile(level, degrees) / t_quantile(level, f64::INFINITY);
    let difference = after - before;
    let ends = (difference - wider * (difference - low), difference + wider * (high - difference));
    within(ends.0.min(steady.lo()), ends.1.max(steady.hi()))
}

/// The minutes of a side in which something was counted.
struct Minutes {
    /// Sums of all minutes before each, and of all of them.
    sums: Vec<Share>,
    /// Minutes of a stretch.
    block: usize,
    /// Independent minutes that they are worth.
    size: f64,
}

impl Minutes {
    fn of(runs: &[Vec<Share>]) -> Self {
        let minutes: Vec<Share> = runs.iter().flatten().copied().filter(|minute| minute.of > 0).collect();
        let shares: Vec<f64> = minutes.iter().filter_map(|minute| minute.value()).collect();
        let mut sums = vec![Share::default()];
        for minute in minutes {
            let so_far = sums.last().copied().unwrap_or_default();
            sums.push(so_far.plus(Share { count: minute.count.min(minute.of), ..minute }));
        }
        Self { sums, block: block_length(&shares), size: effective_size(&shares) }
    }

    fn sum(&self) -> Share {
        self.sums.last().copied().unwrap_or_default()
    }

    /// Shares of resampled minutes. There must be a minute.
    fn resampled(&self, resamples: u32, random: &mut Random) -> Vec<f64> {
        let count = self.sums.len() - 1;
        let draw = |_| {
            stretches(count, self.block, random)
                .map(|stretch| {
                    let (before, up_to) = (self.sums[stretch.start], self.sums[stretch.end]);
                    Share { count: up_to.count.saturating_sub(before.count), of: up_to.of.saturating_sub(before.of) }
                })
                .fold(Share::default(), Share::plus)
                .value()
                .unwrap_or(0.0)
        };
        (0..resamples).map(draw).collect()
    }

    /// What the side adds to the variance of a difference.
    fn part(&self, resampled: &[f64]) -> Part {
        Part { variance: squares(resampled) / resampled.len() as f64, degrees: (self.size - 1.0).max(1.0) }
    }
}

/// An interval of differences of shares, which lie between -1 and 1.
fn within(lo: f64, hi: f64) -> Bounds {
    Bounds::new(lo.max(-1.0), hi.min(1.0)).unwrap_or_else(|| known(-1.0, 1.0))
}

fn known(lo: f64, hi: f64) -> Bounds {
    Bounds::new(lo, hi).unwrap_or_else(|| unreachable!("{lo} is not above {hi}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn share(count: u64, of: u64) -> Share {
        Share { count, of }
    }

    fn is_near(bounds: Bounds, lo: f64, hi: f64, by: f64) -> bool {
        (bounds.lo() - lo).abs() < by && (bounds.hi() - hi).abs() < by
    }

    #[test]
    fn wilson_is_that_of_statsmodels() {
        // statsmodels.stats.proportion.proportion_confint(count, of, alpha=1 - level, method="wilson"), statsmodels 0.15; the first four
        // to four places in table I of Newcombe, Statistics in Medicine 17 (1998), 857
        let known = [
            (share(81, 263), 0.95, 0.255_288_519_878_274_2, 0.366_209_576_982_800_04),
            (share(15, 148), 0.95, 0.062_386_399_530_736_3, 0.160_487_241_723_308_03),
            (share(0, 20), 0.95, 0.0, 0.161_125_158_052_819_38),
            (share(1, 29), 0.95, 0.006_113_214_292_762_653, 0.171_755_218_793_202_88),
            (share(29, 29), 0.95, 0.883_030_201_500_259_3, 1.0),
            (share(3, 1800), 0.99, 0.000_421_082_629_384_071_5, 0.006_572_525_556_084_027),
        ];
        for (share, level, lo, hi) in known {
            assert!(is_near(wilson(share, level), lo, hi, 1e-12), "{share:?}: {:?}", wilson(share, level));
        }
    }

    #[test]
    fn newcombe_is_as_published() {
        // Table II, method 10, of Newcombe, Statistics in Medicine 17 (1998), 873: (a) to (h), his first share less his second; all digits by
        // statsmodels confint_proportions_2indep(method="newcomb", compare="diff"), and of the last, which he has not
        let known = [
            (share(48, 80), share(56, 70), 0.052_431_472_402_364_98, 0.333_872_654_036_906_14),
            (share(3, 10), share(9, 10), 0.170_522_723_934_502_9, 0.809_017_973_535_488),
            (share(2, 7), share(6, 7), 0.058_227_927_482_312_09, 0.806_249_637_524_227_8),
            (share(0, 29), share(5, 56), -0.038_137_147_903_536_936, 0.192_560_013_855_111_65),
            (share(0, 20), share(0, 10), -0.161_125_158_052_819_4, 0.277_532_799_862_889_26),
            (share(0, 10), share(0, 10), -0.277_532_799_862_889_26, 0.277_532_799_862_889_26),
            (share(0, 20), share(10, 10), 0.679_086_037_141_914_5, 1.0),
            (share(0, 10), share(10, 10), 0.607_509_350_430_524_1, 1.0),
            (share(120, 40_000), share(185, 41_000), 0.000_670_839_577_876_799_5, 0.002_364_206_988_042_61),
        ];
        for (a, b, lo, hi) in known {
            assert!(is_near(newcombe(a, b, 0.95), lo, hi, 1e-12), "{a:?} {b:?}: {:?}", newcombe(a, b, 0.95));
        }
    }

    #[test]
    fn a_count_of_12_digits_loses_none() {
        // Both formulas with 40 digits, by mpmath
        let all = 1_000_000_000_000;
        let rare = wilson(share(1, all), 0.95);
        assert!(is_near(rare, 1.765_245_549_351_747_3e-13, 5.664_934_265_736_511_5e-12, 1e-24), "{rare:?}");
        assert!((1.0 - wilson(share(all - 1, all), 0.95).hi() - 1.765_245_549e-13).abs() < 2e-16);
        let apart = newcombe(share(300_000_000_000, all), share(300_001_000_000, all), 0.95);
        assert!(is_near(apart, -2.702_024_410_592_860_7e-7, 2.270_202_441_054_888_2e-6, 1e-15), "{apart:?}");
        let few = newcombe(share(0, all), share(7, all), 0.95);
        assert!(is_near(few, 1.729_073_166_551_356_3e-12, 1.445_059_497_940_286_8e-11, 1e-23), "{few:?}");
        let most = wilson(share(u64::MAX, u64::MAX), 0.95);
        assert!(most.hi() >= 1.0 && most.lo() > 0.999_999);
    }

    #[test]
    fn where_nothing_was_counted_everything_is_possible() {
        assert_eq!(Bounds::new(0.0, 1.0), Some(wilson(Share::default(), 0.95)));
        let other = wilson(share(3, 10), 0.95);
        assert_eq!(Bounds::new(other.lo() - 1.0, other.hi()), Some(newcombe(Share::default(), share(3, 10), 0.95)));
        assert_eq!(Bounds::new(-other.hi(), 1.0 - other.lo()), Some(newcombe(share(3, 10), Share::default(), 0.95)));
        assert_eq!(Bounds::new(-1.0, 1.0), Some(newcombe(Share::default(), Share::default(), 0.95)));
        assert_eq!(Share::default().value(), None);
        let nothing = resampled(&[], &[vec![share(0, 0)]], 0.95, 100, &mut Random::of(&[]));
        assert_eq!(Bounds::new(-1.0, 1.0), Some(nothing));
    }

    #[test]
    fn a_level_that_is_none_and_a_count_above_all_have_answers() {
        assert_eq!(Bounds::new(0.0, 1.0), Some(wilson(share(3, 10), 1.0)));
        assert_eq!(wilson(share(11, 10), 0.95), wilson(share(10, 10), 0.95));
        assert_eq!(newcombe(share(11, 10), share(0, 4), 0.95), newcombe(share(10, 10), share(0, 4), 0.95));
    }

    /// Thirty minutes of 600 requests, of which so many fail in the minutes given.
    fn minutes(failures: &[(usize, u64)]) -> Vec<Share> {
        let mut minutes = vec![share(0, 600); 30];
        for (minute, count) in failures {
            minutes[*minute].count = *count;
        }
        minutes
    }

    /// The same number of failures in every minute, give or take what chance does.
    fn steady(seed: &str) -> Vec<Share> {
        let mut random = Random::of(&[seed]);
        let failing = |random: &mut Random| (0..600).filter(|_| random.below(100) == 0).count() as u64;
        (0..30).map(|_| share(failing(&mut random), 600)).collect()
    }

    fn both(a: Vec<Share>, b: Vec<Share>) -> (Bounds, Bounds) {
        let sum = |minutes: &[Share]| minutes.iter().copied().fold(Share::default(), Share::plus);
        let steady = newcombe(sum(&a), sum(&b), 0.95);
        (steady, resampled(&[a], &[b], 0.95, 1000, &mut Random::of(&["minutes"])))
    }

    fn width(bounds: Bounds) -> f64 {
        bounds.hi() - bounds.lo()
    }

    #[test]
    fn a_burst_is_less_sure_than_as_many_failures_spread_out() {
        let (by_counts, by_minutes) = both(minutes(&[]), minutes(&[(11, 400), (12, 300)]));
        assert!(by_counts.lo() > 0.03, "so many failures would be a difference: {by_counts:?}");
        assert!(by_minutes.lo() <= 0.0, "one burst is none: {by_minutes:?}");
        assert!(width(by_minutes) > 5.0 * width(by_counts), "{by_counts:?} {by_minutes:?}");
    }

    #[test]
    fn steady_failures_are_as_sure_as_their_counts() {
        let ratios: Vec<f64> = (0..20)
            .map(|seed| {
                let (by_counts, by_minutes) = both(steady(&format!("a{seed}")), steady(&format!("b{seed}")));
                width(by_minutes) / width(by_counts)
            })
            .collect();
        let mean = ratios.iter().sum::<f64>() / 20.0;
        assert!((1.0..1.25).contains(&mean), "{mean}");
    }

    #[test]
    fn runs_of_a_side_count_together() {
        let (one, two) = (steady("one"), steady("two"));
        let draw = |a: &[Vec<Share>]| resampled(a, std::slice::from_ref(&one), 0.95, 500, &mut Random::of(&["runs"]));
        let long: Vec<Share> = [one.clone(), two.clone()].concat();
        assert_eq!(draw(&[one.clone(), two.clone()]), draw(&[long]));
        assert!(width(draw(&[one.clone(), two])) < width(draw(std::slice::from_ref(&one))));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn resampled_is_never_narrower_than_newcombe(
            a in prop::collection::vec((0..50_u64, 0..60_u64), 1..12), b in prop::collection::vec((0..50_u64, 0..60_u64), 1..12),
        ) {
            let minutes = |counts: &[(u64, u64)]| -> Vec<Share> { counts.iter().map(|(count, of)| share(*count.min(of), *of)).collect() };
            let (by_counts, by_minutes) = both(minutes(&a), minutes(&b));
            prop_assert!(by_minutes.lo() <= by_counts.lo() && by_counts.hi() <= by_minutes.hi());
            prop_assert!(-1.0 <= by_minutes.lo() && by_minutes.hi() <= 1.0);
        }

        #[test]
        fn an_interval_holds_what_was_seen_and_turns_with_its_sides(count in 0..1000_u64, rest in 0..1000_u64, of in 1..5000_u64) {
            let (a, b) = (share(count, count + rest + 1), share(of / 3, of));
            let difference = b.value().unwrap_or(f64::NAN) - a.value().unwrap_or(f64::NAN);
            let (there, back) = (newcombe(a, b, 0.95), newcombe(b, a, 0.95));
            prop_assert!(there.contains(difference));
            prop_assert!((there.lo() + back.hi()).abs() < 1e-15 && (there.hi() + back.lo()).abs() < 1e-15);
            prop_assert!(wilson(a, 0.95).contains(a.value().unwrap_or(f64::NAN)));
        }
    }
}
