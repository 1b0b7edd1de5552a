//! Sums of doubles without rounding: a small superaccumulator (R. M. Neal, "Fast exact summation using small and large
//! superaccumulators", 2015). A double is a whole number of 2^-1074, so a wide enough integer adds any of them exactly, in
//! any order, and two sums merge by adding their limbs.

/// Bits of a limb that are used; the rest of the 64 takes carries.
const LIMB: u32 = 32;
/// Limbs from 2^-1074 up to 2^1024, and room for 2^64 of the largest.
const LIMBS: usize = 69;
/// So many additions can't overflow a limb.
const BETWEEN_CARRIES: u32 = 1 << 30;

/// An exact sum of finite doubles.
#[derive(Clone, Debug)]
pub(super) struct ExactSum {
    limbs: [i64; LIMBS],
    pending: u32,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { limbs: [0; LIMBS], pending: 0 }
    }
}

impl ExactSum {
    /// Adds a finite double.
    pub(super) fn add(&mut self, value: f64) {
        let bits = value.to_bits();
        let exponent = (bits >> 52) & 0x7ff;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, shift) = if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 52, exponent - 1) };
        // 53 bits shifted by up to 31 lie in three limbs.
        let mut rest = u128::from(mantissa) << (shift % u64::from(LIMB));
        let mut at = usize::try_from(shift / u64::from(LIMB)).unwrap_or(0);
        while rest > 0 && at < LIMBS {
            #[allow(clippy::cast_possible_truncation, reason = "the lowest 32 bits are wanted")]
            let part = i64::from(rest as u32);
            self.limbs[at] += if value < 0.0 { -part } else { part };
            rest >>= LIMB;
            at += 1;
        }
        self.pending += 1;
        if self.pending == BETWEEN_CARRIES {
            self.carry();
        }
    }

    /// Adds another sum.
    pub(super) fn merge(&mut self, other: &Self) {
        self.carry();
        let mut other = other.clone();
        other.carry();
        for (limb, more) in self.limbs.iter_mut().zip(other.limbs) {
            *limb += more;
        }
        self.carry();
    }

    /// Moves what is too large for a limb into the next: all but the last are in 0..2^32 then.
    fn carry(&mut self) {
        let mut carried = 0;
        for limb in &mut self.limbs[..LIMBS - 1] {
            let whole = *limb + carried;
            carried = whole >> LIMB;
            *limb = whole - (carried << LIMB);
        }
        self.limbs[LIMBS - 1] += carried;
        self.pending = 0;
    }

    /// The sum, rounded once.
    pub(super) fn get(&self) -> f64 {
        let mut sum = self.clone();
        sum.carry();
        if sum.limbs[LIMBS - 1] < 0 {
            for limb in &mut sum.limbs {
                *limb = -*limb;
            }
            sum.carry();
            -sum.magnitude()
        } else {
            sum.magnitude()
        }
    }

    /// The value of limbs that are all in place and not negative.
    fn magnitude(&self) -> f64 {
        let Some(top) = self.limbs.iter().rposition(|limb| *limb != 0) else { return 0.0 };
        // Three limbs hold at least 65 bits of the value; whether anything is below them decides a tie.
        let low = top.saturating_sub(2);
        let limb = |at: usize| u128::from(self.limbs[at].unsigned_abs());
        let mut bits = (low..=top).rev().fold(0, |bits: u128, at| bits << LIMB | limb(at));
        if self.limbs[..low].iter().any(|limb| *limb != 0) {
            bits |= 1;
        }
        // Powers of two are exact as long as they are normal, so large scales go in two steps.
        let scale = i32::try_from(low).unwrap_or(0) * 32 - 1074;
        let half = scale / 2;
        bits as f64 * 2_f64.powi(half) * 2_f64.powi(scale - half)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::ExactSum;

    fn summed<'a>(values: impl IntoIterator<Item = &'a f64>) -> ExactSum {
        let mut sum = ExactSum::default();
        for value in values {
            sum.add(*value);
        }
        sum
    }

    fn sum(values: &[f64]) -> f64 {
        summed(values).get()
    }

    #[test]
    fn sums_that_rounding_would_lose() {
        assert_eq!(sum(&[1e308, 1.0, -1e308]).to_bits(), 1.0_f64.to_bits());
        assert_eq!(sum(&[0.1, 0.2, -0.3]).to_bits(), 2.775_557_561_562_891_4e-17_f64.to_bits());
        assert_eq!(sum(&[5e-324, 5e-324]).to_bits(), 1e-323_f64.to_bits());
        assert_eq!(sum(&[-2.5, -0.25]).to_bits(), (-2.75_f64).to_bits());
        assert_eq!(sum(&[f64::MAX]).to_bits(), f64::MAX.to_bits());
        assert_eq!(sum(&[]).to_bits(), 0.0_f64.to_bits());
    }

    proptest! {
        #[test]
        fn one_double_is_itself(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
            // Adding 0 makes no difference but for -0.
            prop_assert_eq!((sum(&[value]) + 0.0).to_bits(), (value + 0.0).to_bits());
        }

        #[test]
        fn order_and_parts_don_t_matter(values in prop::collection::vec(-1e12_f64..1e12, 0..60), cut in 0_usize..60) {
            let (a, b) = values.split_at(cut.min(values.len()));
            let (left, mut right) = (summed(a), summed(b.iter().rev()));
            right.merge(&left);
            prop_assert_eq!(right.get().to_bits(), sum(&values).to_bits());
        }
    }
}
