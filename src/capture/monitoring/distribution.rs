//! Distributions: how many values fell between which bounds.
//!
//! Shapes and formulas are those of `google.api.Distribution`,
//! <https://cloud.google.com/monitoring/api/ref_v3/rest/v3/TypedValue#distribution>. Of n bounds there are n + 1 buckets: the first
//! without a lower bound, the last without an upper one, between them each from a bound to the next.

use super::node::{Node, Object};
use super::reader::Reader;
use crate::capture::buckets::{Bucket, Buckets};

/// The bounds of buckets, in the form in which they are told.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Bounds {
    /// Each by itself.
    Explicit(Vec<f64>),
    /// Bound i is `offset + width * i`, i from 0 to `finite`.
    Linear {
        /// How many buckets have both bounds.
        finite: u64,
        /// From a bound to the next.
        width: f64,
        /// The first bound.
        offset: f64,
    },
    /// Bound i is `scale * growth^i`, i from 0 to `finite`.
    Exponential {
        /// How many buckets have both bounds.
        finite: u64,
        /// From a bound to the next, as a factor.
        growth: f64,
        /// The first bound.
        scale: f64,
    },
}

impl Bounds {
    /// How many bounds there are.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Explicit(bounds) => bounds.len() as u64,
            Self::Linear { finite, .. } | Self::Exponential { finite, .. } => finite.saturating_add(1),
        }
    }

    /// A bound by its number, from 0; infinite before the first and behind the last.
    pub(super) fn at(&self, number: i64) -> f64 {
        if number < 0 {
            return f64::NEG_INFINITY;
        }
        if number.unsigned_abs() >= self.len() {
            return f64::INFINITY;
        }
        match self {
            Self::Explicit(bounds) => {
                usize::try_from(number).ok().and_then(|number| bounds.get(number)).copied().unwrap_or(f64::INFINITY)
            }
            Self::Linear { width, offset, .. } => offset + width * number as f64,
            Self::Exponential { growth, scale, .. } => scale * growth.powi(i32::try_from(number).unwrap_or(i32::MAX)),
        }
    }
}

/// Reads a distribution. One without a count is empty: zero values, measured.
pub(super) fn read<'a>(reader: &mut Reader<'a>, node: Node<'a>) -> Option<Buckets> {
    let object = node.object().or_else(|| {
        reader.fault(node, format!("`distributionValue` is {}, not an object", node.what()));
        None
    })?;
    let count = match object.get("count") {
        Some(count) => whole_count(reader, count, "count")?,
        None => 0,
    };
    let counts = counts(reader, &object)?;
    let mean = match object.get("mean") {
        Some(mean) => reader.number(mean, "mean")?,
        // The API leaves out what is zero.
        None => 0.0,
    };
    let sum = (mean * count as f64).is_finite().then_some(mean * count as f64);
    let in_buckets = counts.iter().try_fold(0_u64, |sum, count| sum.checked_add(*count));
    if !counts.is_empty() && in_buckets != Some(count) {
        let all = in_buckets.map_or_else(|| "too many".to_owned(), |all| all.to_string());
        reader.fault(node, format!("`count` is {count}, but the buckets hold {all} values"));
        return None;
    }
    if count == 0 {
        return Some(Buckets::new([], Some(0.0)));
    }
    if counts.is_empty() {
        // The API may tell count and mean alone: that many values, none knows where.
        let somewhere = Bucket { low: f64::NEG_INFINITY, high: f64::INFINITY, count: count as f64 };
        return Some(Buckets::new([somewhere], sum));
    }
    let bounds = bounds(reader, node, &object)?;
    if counts.len() as u64 > bounds.len() + 1 {
        let message = format!("there are {} `bucketCounts`, but only {} buckets", counts.len(), bounds.len() + 1);
        reader.fault(node, message);
        return None;
    }
    Some(Buckets::new(between(&bounds, &counts), sum))
}

fn between(bounds: &Bounds, counts: &[u64]) -> impl Iterator<Item = Bucket> {
    let filled = (0_i64..).zip(counts).filter(|(_, count)| **count > 0);
    filled.map(|(number, count)| Bucket { low: bounds.at(number - 1), high: bounds.at(number), count: *count as f64 })
}

fn whole_count<'a>(reader: &mut Reader<'a>, node: Node<'a>, name: &str) -> Option<u64> {
    let count = reader.whole(node, name)?;
    if count < 0 {
        reader.fault(node, format!("`{name}` is below zero"));
    }
    u64::try_from(count).ok()
}

fn counts<'a>(reader: &mut Reader<'a>, object: &Object<'a>) -> Option<Vec<u64>> {
    let nodes = reader.list_of(object, "bucketCounts");
    let counts: Vec<Option<u64>> = nodes.into_iter().map(|node| whole_count(reader, node, "bucketCounts")).collect();
    counts.into_iter().collect()
}

fn bounds<'a>(reader: &mut Reader<'a>, node: Node<'a>, object: &Object<'a>) -> Option<Bounds> {
    let options = object.get("bucketOptions").map(|options| reader.object(options, "bucketOptions")).unwrap_or_default();
    if let Some(explicit) = options.get("explicitBuckets") {
        return explicit_bounds(reader, explicit);
    }
    if let Some(linear) = options.get("linearBuckets") {
        let fields = reader.object(linear, "linearBuckets");
        let (finite, offset) = (finite(reader, linear, &fields)?, number_or_zero(reader, &fields, "offset")?);
        let width = above(reader, linear, &fields, "width", 0.0)?;
        return Some(Bounds::Linear { finite, width, offset });
    }
    if let Some(exponential) = options.get("exponentialBuckets") {
        let fields = reader.object(exponential, "exponentialBuckets");
        let finite = finite(reader, exponential, &fields)?;
        let growth = above(reader, exponential, &fields, "growthFactor", 1.0)?;
        let scale = above(reader, exponential, &fields, "scale", 0.0)?;
        return Some(Bounds::Exponential { finite, growth, scale });
    }
    reader.fault(node, "a distribution has counts, but no `bucketOptions` that say of which buckets");
    None
}

fn explicit_bounds<'a>(reader: &mut Reader<'a>, node: Node<'a>) -> Option<Bounds> {
    let fields = reader.object(node, "explicitBuckets");
    let nodes = reader.list_of(&fields, "bounds");
    let bounds: Vec<Option<f64>> = nodes.iter().map(|node| reader.number(*node, "bounds")).collect();
    let bounds: Vec<f64> = bounds.into_iter().collect::<Option<_>>()?;
    if let Some(at) = bounds.windows(2).position(|pair| pair[0].total_cmp(&pair[1]).is_ge()) {
        reader.fault(nodes[at + 1], format!("the bound {} is not above the one before, {}", bounds[at + 1], bounds[at]));
        return None;
    }
    Some(Bounds::Explicit(bounds))
}

fn finite<'a>(reader: &mut Reader<'a>, node: Node<'a>, fields: &Object<'a>) -> Option<u64> {
    let count = fields.get("numFiniteBuckets").map_or(Some(0), |count| whole_count(reader, count, "numFiniteBuckets"))?;
    if count == 0 {
        reader.fault(node, "`numFiniteBuckets` must be above 0");
    }
    Some(count).filter(|count| *count > 0)
}

fn number_or_zero<'a>(reader: &mut Reader<'a>, fields: &Object<'a>, name: &str) -> Option<f64> {
    fields.get(name).map_or(Some(0.0), |node| reader.number(node, name))
}

/// A number that must be finite and above another; an absent one is 0, as the API leaves out what is zero.
fn above<'a>(reader: &mut Reader<'a>, node: Node<'a>, fields: &Object<'a>, name: &str, least: f64) -> Option<f64> {
    let number = number_or_zero(reader, fields, name)?;
    let is_sound = number.is_finite() && number > least;
    if !is_sound {
        reader.fault(fields.get(name).unwrap_or(node), format!("`{name}` must be a number above {least}"));
    }
    is_sound.then_some(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::source::Source;

    fn distribution(json: &str) -> Result<Buckets, String> {
        let source = Source::new("a.json", json);
        let mut reader = Reader::new(&source);
        let (documents, _) = Node::documents(&source);
        let read = read(&mut reader, documents[0]).unwrap_or_default();
        reader.finish(read).map_err(|faults| faults.list()[0].message.clone())
    }

    fn buckets(json: &str) -> Buckets {
        distribution(json).unwrap_or_else(|e| unreachable!("{e}"))
    }

    /// As many counts as there are buckets: 1, 2, 3...
    fn rising(buckets: usize) -> (String, usize) {
        let counts: Vec<String> = (1..=buckets).map(|count| format!("\"{count}\"")).collect();
        (counts.join(","), buckets * (buckets + 1) / 2)
    }

    fn all_filled(options: &str, buckets: usize) -> Vec<Bucket> {
        let (counts, count) = rising(buckets);
        let json = format!("{{\"count\":\"{count}\",\"mean\":2,\"bucketOptions\":{{{options}}},\"bucketCounts\":[{counts}]}}");
        self::buckets(&json).list().to_vec()
    }

    /// Buckets between bounds that were computed otherwise.
    fn expected(bounds: &[f64]) -> Vec<Bucket> {
        let mut edges = vec![f64::NEG_INFINITY];
        edges.extend_from_slice(bounds);
        edges.push(f64::INFINITY);
        (1_u32..).zip(edges.windows(2)).map(|(n, edge)| Bucket { low: edge[0], high: edge[1], count: f64::from(n) }).collect()
    }

    fn is_near(a: &[Bucket], b: &[Bucket]) -> bool {
        let near = |a: f64, b: f64| a.total_cmp(&b).is_eq() || (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0);
        let same = |(a, b): (&Bucket, &Bucket)| near(a.low, b.low) && near(a.high, b.high) && near(a.count, b.count);
        a.len() == b.len() && a.iter().zip(b).all(same)
    }

    proptest! {
        #[test]
        fn linear_bounds_are_an_offset_and_widths(finite in 1_usize..60, width in 1_u32..1000, offset in -50_i32..50) {
            let options = format!("\"linearBuckets\":{{\"numFiniteBuckets\":{finite},\"width\":{width},\"offset\":{offset}}}");
            let bounds: Vec<f64> = (0..=finite).map(|i| f64::from(offset) + f64::from(width) * i as f64).collect();
            prop_assert!(is_near(&all_filled(&options, finite + 2), &expected(&bounds)));
        }

        #[test]
        fn exponential_bounds_are_a_scale_and_powers(finite in 1_usize..60, growth in 1.05_f64..3.0, scale in 0.001_f64..50.0) {
            let options =
                format!("\"exponentialBuckets\":{{\"numFiniteBuckets\":{finite},\"growthFactor\":{growth},\"scale\":{scale}}}");
            let mut bounds = vec![scale];
            for _ in 0..finite {
                bounds.push(bounds[bounds.len() - 1] * growth);
            }
            prop_assert!(is_near(&all_filled(&options, finite + 2), &expected(&bounds)));
        }

        #[test]
        fn explicit_bounds_are_as_they_are_given(steps in prop::collection::vec(1_u32..500, 1..40)) {
            let sums = steps.iter().scan(0.0, |sum, step| { *sum += f64::from(*step); Some(*sum) });
            let bounds: Vec<f64> = sums.collect();
            let options = format!("\"explicitBuckets\":{{\"bounds\":{bounds:?}}}");
            prop_assert!(is_near(&all_filled(&options, bounds.len() + 1), &expected(&bounds)));
        }

        #[test]
        fn as_many_values_come_out_as_went_in(counts in prop::collection::vec(0_u32..1000, 0..66)) {
            let count: u64 = counts.iter().map(|count| u64::from(*count)).sum();
            let texts: Vec<String> = counts.iter().map(|count| format!("\"{count}\"")).collect();
            let options = "\"exponentialBuckets\":{\"numFiniteBuckets\":64,\"growthFactor\":1.5,\"scale\":1}";
            let json = format!(
                "{{\"count\":\"{count}\",\"mean\":1.5,\"bucketOptions\":{{{options}}},\"bucketCounts\":[{}]}}", texts.join(","));
            let buckets = buckets(&json);
            prop_assert!((buckets.count() - count as f64).abs() < 0.5);
            prop_assert!((buckets.sum.unwrap_or(-1.0) - 1.5 * count as f64).abs() < 1e-6);
        }
    }

    #[test]
    fn what_is_zero_may_be_absent() {
        let linear = "{\"count\":\"3\",\"mean\":0.015,\"bucketOptions\":{\"linearBuckets\":{\"numFiniteBuckets\":100,\"width\":0.01}},\
                      \"bucketCounts\":[\"0\",\"1\",\"2\"]}";
        let read = buckets(linear);
        assert!(is_near(
            read.list(),
            &[Bucket { low: 0.0, high: 0.01, count: 1.0 }, Bucket { low: 0.01, high: 0.02, count: 2.0 }]
        ));
        assert_eq!(buckets("{\"count\":\"2\",\"bucketCounts\":[]}").sum, Some(0.0));
    }

    #[test]
    fn an_empty_one_is_measured_and_has_no_value() {
        for json in ["{}", "{\"count\":\"0\"}", "{\"bucketOptions\":{\"linearBuckets\":{}},\"bucketCounts\":[\"0\"]}"] {
            assert_eq!(buckets(json), Buckets::new([], Some(0.0)), "{json}");
        }
    }

    #[test]
    fn values_without_buckets_lie_somewhere() {
        let read = buckets("{\"count\":\"4\",\"mean\":2.5}");
        assert_eq!(read.list(), [Bucket { low: f64::NEG_INFINITY, high: f64::INFINITY, count: 4.0 }]);
        assert_eq!(read.mean(), Some(2.5));
    }

    #[test]
    fn what_cannot_be_is_a_fault() {
        let cases = [
            ("{\"count\":\"2\",\"bucketCounts\":[\"1\"]}", "`count` is 2, but the buckets hold 1 values"),
            ("{\"bucketCounts\":[\"1\"]}", "`count` is 0, but the buckets hold 1 values"),
            ("{\"count\":\"-1\"}", "`count` is below zero"),
            ("{\"count\":\"many\"}", "`count` is no whole number of 64 bits"),
            ("{\"count\":1.5}", "`count` is no whole number of 64 bits"),
            ("{\"count\":\"1\",\"bucketCounts\":[true]}", "`bucketCounts` is no whole number of 64 bits"),
            ("[]", "`distributionValue` is a list, not an object"),
            ("{\"count\":1,\"bucketCounts\":[1]}", "a distribution has counts, but no `bucketOptions` that say of which buckets"),
            (
                "{\"count\":1,\"bucketCounts\":[0,0,1],\"bucketOptions\":{\"explicitBuckets\":{\"bounds\":[1]}}}",
                "there are 3 `bucketCounts`, but only 2 buckets",
            ),
            (
                "{\"count\":1,\"bucketCounts\":[0,1],\"bucketOptions\":{\"explicitBuckets\":{\"bounds\":[1,3,2]}}}",
                "the bound 2 is not above the one before, 3",
            ),
            (
                "{\"count\":1,\"bucketCounts\":[1],\"bucketOptions\":{\"exponentialBuckets\":{\"numFiniteBuckets\":2,\"growthFactor\":2}}}",
                "`scale` must be a number above 0",
            ),
            (
                "{\"count\":1,\"bucketCounts\":[1],\"bucketOptions\":{\"exponentialBuckets\":{\"numFiniteBuckets\":2,\"growthFactor\":1,\"scale\":1}}}",
                "`growthFactor` must be a number above 1",
            ),
            (
                "{\"count\":1,\"bucketCounts\":[1],\"bucketOptions\":{\"linearBuckets\":{\"width\":2}}}",
                "`numFiniteBuckets` must be above 0",
            ),
        ];
        for (json, message) in cases {
            assert_eq!(distribution(json).err().as_deref(), Some(message), "{json}");
        }
    }
}
