//! Fewer points of a line, with its peaks and its gaps kept.

/// A stretch of a line without a gap, thinned: positions and values in order.
pub type Stretch = Vec<(i64, i64)>;

/// Thins a line of (position, value), positions ascending: of every `width` positions the lowest and the highest value stay,
/// in their order. Where two neighbours are further apart than `gap` the line is broken. A width below 1 counts as 1.
#[must_use]
pub fn thin(points: impl IntoIterator<Item = (i64, i64)>, width: i64, gap: i64) -> Vec<Stretch> {
    let width = width.max(1);
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut bucket: Option<Bucket> = None;
    let mut last: Option<i64> = None;
    for point in points {
        let broken = last.is_some_and(|at| point.0.saturating_sub(at) > gap);
        if broken || last.is_none() {
            flush(&mut bucket, &mut stretches);
            stretches.push(Vec::new());
        }
        last = Some(point.0);
        let index = point.0.div_euclid(width);
        match &mut bucket {
            Some(open) if open.index == index => open.add(point),
            _ => {
                flush(&mut bucket, &mut stretches);
                bucket = Some(Bucket { index, low: point, high: point });
            }
        }
    }
    flush(&mut bucket, &mut stretches);
    stretches
}

/// The extremes of some neighbouring positions.
struct Bucket {
    index: i64,
    low: (i64, i64),
    high: (i64, i64),
}

impl Bucket {
    fn add(&mut self, point: (i64, i64)) {
        if point.1 < self.low.1 {
            self.low = point;
        }
        if point.1 > self.high.1 {
            self.high = point;
        }
    }
}

fn flush(bucket: &mut Option<Bucket>, stretches: &mut [Stretch]) {
    let (Some(full), Some(stretch)) = (bucket.take(), stretches.last_mut()) else { return };
    let (first, second) = if full.low.0 <= full.high.0 { (full.low, full.high) } else { (full.high, full.low) };
    stretch.push(first);
    if second != first {
        stretch.push(second);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_gap_breaks_the_line() {
        assert_eq!(thin([(0, 1), (1, 2), (9, 3)], 1, 5), [vec![(0, 1), (1, 2)], vec![(9, 3)]]);
        assert_eq!(thin([], 4, 5), Vec::<Stretch>::new());
    }

    #[test]
    fn a_peak_of_one_second_stays() {
        let line = (0..100).map(|at| (at, if at == 37 { 900 } else { 10 }));
        let thinned = thin(line, 10, 60);
        assert!(thinned.iter().flatten().any(|point| *point == (37, 900)));
        assert!(thinned.iter().flatten().count() <= 20);
    }

    proptest! {
        #[test]
        fn extremes_and_order_are_kept(values in prop::collection::vec(0_i64..1000, 1..200), width in 0_i64..40) {
            let line: Vec<(i64, i64)> = (0..).zip(values.iter().copied()).collect();
            let thinned: Vec<(i64, i64)> = thin(line.iter().copied(), width, 10).concat();
            prop_assert_eq!(thinned.iter().map(|p| p.1).max(), values.iter().copied().max());
            prop_assert_eq!(thinned.iter().map(|p| p.1).min(), values.iter().copied().min());
            prop_assert!(thinned.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
    }
}
