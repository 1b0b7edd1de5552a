//! Series as files: round trips, damage, size.

mod budget;

use proptest::prelude::*;

use super::{read, write};
use crate::model::distribution::{Distribution, bucket_of};
use crate::model::series::{BlockPoint, Blocks, Series, SeriesPoint, SuccessPoint, Traffic, TrendSeries};
use crate::source::Source;

fn name() -> impl Strategy<Value = String> {
    ".{0,12}"
}

fn count() -> impl Strategy<Value = u64> {
    prop_oneof![0..1000_u64, 0..=i64::MAX.cast_unsigned()]
}

fn percentiles() -> impl Strategy<Value = Option<[i64; 3]>> {
    prop::option::of(any::<[i64; 3]>())
}

/// Seconds that ascend, with something to each.
fn seconds<T: std::fmt::Debug>(of: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<(i64, T)>> {
    prop::collection::vec((1_i64..4, of), 0..20).prop_map(|steps| {
        let mut second = 1_700_000_000;
        let step = |(step, value)| {
            second += step;
            (second, value)
        };
        steps.into_iter().map(step).collect()
    })
}

fn trend() -> impl Strategy<Value = TrendSeries> {
    let points = (any::<bool>(), seconds((any::<[i32; 3]>(), count()))).prop_map(|(counted, seconds)| {
        let point = |(second, ([a, b, c], n)): (i64, ([i32; 3], u64))| SeriesPoint {
            second,
            p50: i64::from(a),
            p95: i64::from(b),
            p99: i64::from(c),
            count: counted.then_some(n),
        };
        seconds.into_iter().map(point).collect()
    });
    let successes = seconds((count(), percentiles())).prop_map(|seconds| {
        let point = |(second, (count, percentiles))| SuccessPoint { second, count, percentiles };
        seconds.into_iter().map(point).collect()
    });
    (points, prop::option::of(successes)).prop_map(|(points, successes)| TrendSeries { points, successes })
}

fn traffic() -> impl Strategy<Value = Traffic> {
    let columns =
        (0..20_usize).prop_flat_map(|length| prop::collection::btree_map(name(), prop::collection::vec(count(), length), 0..4));
    (any::<i64>(), columns, seconds(count())).prop_map(|(start, columns, vus)| Traffic { start, columns, vus })
}

fn block() -> impl Strategy<Value = BlockPoint> {
    (count(), percentiles()).prop_map(|(count, percentiles)| BlockPoint { count, percentiles })
}

fn blocks(seconds: u32) -> impl Strategy<Value = Blocks> {
    let parts = (0..20_usize).prop_flat_map(move |length| {
        let counts = prop::collection::btree_map(name(), prop::collection::vec(count(), length), 0..3);
        (counts, prop::collection::btree_map(name(), prop::collection::vec(block(), length), 0..3))
    });
    (any::<i64>(), 0..=seconds, parts).prop_map(move |(start, last_seconds, (counts, trends))| Blocks {
        seconds,
        start,
        last_seconds,
        counts,
        trends,
    })
}

fn distribution() -> impl Strategy<Value = Distribution> {
    let buckets = prop::collection::btree_map(0..=bucket_of(u64::MAX), 1..=i64::MAX.cast_unsigned(), 0..20);
    (buckets, any::<u64>()).prop_map(|(buckets, outside)| Distribution { buckets, outside })
}

fn series() -> impl Strategy<Value = Series> {
    let blocks = (any::<[bool; 2]>(), blocks(30), blocks(60)).prop_map(|(keep, short, long)| {
        [short, long].into_iter().zip(keep).filter_map(|(blocks, keep)| keep.then_some(blocks)).collect()
    });
    let trends = prop::collection::btree_map(name(), trend(), 0..4);
    (trends, prop::option::of(traffic()), blocks, prop::collection::btree_map(name(), distribution(), 0..3))
        .prop_map(|(trends, traffic, blocks, distributions)| Series { trends, traffic, blocks, distributions })
}

fn faults(text: &str) -> Vec<String> {
    let read = read(&Source::new("series.json", text));
    read.err().map(|faults| faults.list().iter().map(|fault| fault.message.clone()).collect()).unwrap_or_default()
}

proptest! {
    #[test]
    fn a_series_is_read_as_it_was_written(series in series()) {
        let text = write(&series);
        prop_assert_eq!(read(&Source::new("series.json", text)), Ok(series));
    }

    #[test]
    fn no_column_makes_it_panic(columns in any::<[Vec<i64>; 3]>()) {
        let [a, b, c] = columns.map(|column| format!("{column:?}"));
        let sampled = format!(r#"{{"second":{a},"count":{a},"p50":{b},"p95":{c},"p99":{a}}}"#);
        let text = format!(
            r#"{{"schema":1,"unit":"us","trends":{{"x":{sampled}}},"traffic":{{"start":0,"columns":{{"y":{a},"z":{b}}}}},
            "blocks":[{{"seconds":30,"start":0,"last_seconds":31,"counts":{{"y":{a}}},"trends":{{"x":{sampled}}}}}],
            "distributions":{{"x":{{"outside":0,"bucket":{a},"count":{b}}}}}}}"#
        );
        let read = read(&Source::new("series.json", text));
        prop_assert!(read.is_err());
    }
}

#[test]
fn columns_must_belong_together() {
    let bad = r#"{"schema":1,"unit":"us","trends":{"a":{"second":[1,1],"p50":[1],"p95":[1,2],"p99":[1,2]}}}"#;
    assert_eq!(faults(bad), ["the columns of `a` are of unlike length: second 2, p50 1, p95 2, p99 2"]);
    let newer = r#"{"schema":2,"unit":"us","trends":{}}"#;
    let fault = read(&Source::new("series.json", newer)).err();
    assert_eq!(fault.map(|f| f.list()[0].code), Some("newer-schema"));
}

#[test]
fn all_damage_comes_out_at_once() {
    let text = r#"{"schema":1,"unit":"ms","trends":{
        "a":{"second":[5,0],"p50":[1,2],"p95":[1,2],"p99":[1,2],"count":[1,-2]},
        "b":{"second":[5],"p50":[1],"p95":[1],"p99":[1],"successes":{"second":[5],"count":[1],"p50":[1],"p95":[null],"p99":[1]}}},
        "traffic":{"start":5,"columns":{"x":[1,1],"y":[1]},"vus":{"second":[5],"value":[]}},
        "blocks":[{"seconds":30,"start":5,"last_seconds":31,"counts":{"x":[1]},"trends":{"t":{"count":[],"p50":[],"p95":[],"p99":[]}}}],
        "distributions":{"d":{"outside":0,"bucket":[7,99999],"count":[1,-1]}}}"#;
    insta::assert_snapshot!(faults(text).join("\n"));
    let read = read(&Source::new("series.json", text)).err();
    let read = read.unwrap_or_else(|| unreachable!("it is damaged"));
    let place = |at: usize| read.list()[at].places.first().map(|place| &text[place.span.clone()]);
    assert_eq!((place(0), place(1)), (Some("\"unit\""), Some("\"a\"")));
}

#[test]
fn a_file_has_a_line_a_column() {
    let point = |second, p50, count| SeriesPoint { second, p50, p95: p50 * 2, p99: p50 * 3, count: Some(count) };
    let success = |second, count, percentiles| SuccessPoint { second, count, percentiles };
    let mut distribution = Distribution::default();
    distribution.add(150_000_000, 3);
    distribution.add(151_000_000, 2);
    let trend = TrendSeries {
        points: vec![point(1_700_000_000, 150_000, 9), point(1_700_000_001, 149_123, 9), point(1_700_000_003, 151_000, 8)],
        successes: Some(vec![success(1_700_000_000, 5, Some([1, 2, 3])), success(1_700_000_001, 0, None)]),
    };
    let block = |count, percentiles| BlockPoint { count, percentiles };
    let series = Series {
        trends: [("http_req_duration".to_owned(), trend)].into(),
        traffic: Some(Traffic {
            start: 1_700_000_000,
            columns: [("http_reqs".to_owned(), vec![9, 9, 0, 8]), ("iterations".to_owned(), vec![1, 2, 0, 2])].into(),
            vus: vec![(1_700_000_000, 10), (1_700_000_003, 12)],
        }),
        blocks: vec![Blocks {
            seconds: 2,
            start: 1_700_000_000,
            last_seconds: 2,
            counts: [("http_reqs".to_owned(), vec![18, 8])].into(),
            trends: [("http_req_duration".to_owned(), vec![block(18, Some([1, 2, 3])), block(0, None)])].into(),
        }],
        distributions: [("http_req_duration".to_owned(), distribution)].into(),
    };
    insta::assert_snapshot!(write(&series));
}

#[test]
fn a_file_of_trends_alone_is_as_the_first_version_wrote_it() {
    let text = "{\"schema\":1,\n\"unit\":\"us\",\n\"trends\":{\n\"a\":{\n\"second\":[7,1],\n\"p50\":[1,2],\n\"p95\":[3,-1],\n\
                \"p99\":[9,0],\n\"count\":[4,0]},\n\"b\":{\n\"second\":[],\n\"p50\":[],\n\"p95\":[],\n\"p99\":[]}}}\n";
    let series = read(&Source::new("series.json", text));
    assert_eq!(series.map(|series| write(&series)), Ok(text.to_owned()));
}
