//! Nothing depends on the order of rows.

use proptest::prelude::*;

use super::*;

fn rows() -> impl Strategy<Value = Vec<(i64, u64, f64)>> {
    // Few numbers, so that some statements are in both snapshots and some rows have one key.
    prop::collection::vec((-3_i64..9, 0_u64..1_000_000, 0.0..1e9_f64), 0..20)
}

proptest! {
    #[test]
    fn a_difference_does_not_depend_on_the_order_of_rows(first in rows(), second in rows(), turn in 0_usize..20) {
        let turned = |rows: &[(i64, u64, f64)]| {
            let mut rows = rows.to_vec();
            rows.reverse();
            let by = turn.min(rows.len());
            rows.rotate_left(by);
            rows
        };
        let files = |first: &[_], second: &[_]| (file("before.csv", &statements(0, first)), file("after.csv", &statements(60, second)));
        let (a, b) = files(&first, &second);
        let (c, d) = files(&turned(&first), &turned(&second));
        let (one, other) = (difference(&a, &b, false), difference(&c, &d, false));
        prop_assert!(one.statements.iter().all(|statement| statement.seconds >= 0.0));
        prop_assert_eq!(one.seconds().to_bits(), other.seconds().to_bits());
        prop_assert_eq!(one, other);
    }
}
