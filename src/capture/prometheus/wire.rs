//! The shapes of Prometheus's HTTP API: <https://prometheus.io/docs/prometheus/latest/querying/api/>.

use std::borrow::Cow;
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::capture::buckets::{Bucket, Buckets};
use crate::capture::track::{Point, Value};

/// An answer with its envelope, or the content of `data` alone.
#[derive(Deserialize)]
pub(super) struct Envelope<'a> {
    #[serde(borrow)]
    pub(super) data: Option<&'a RawValue>,
    #[serde(rename = "errorType")]
    pub(super) error_type: Option<String>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    pub(super) warnings: Option<Vec<String>>,
    #[serde(rename = "resultType")]
    pub(super) result_type: Option<String>,
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
}

/// What a query gives.
#[derive(Deserialize)]
pub(super) struct Data<'a> {
    #[serde(rename = "resultType")]
    pub(super) result_type: Option<String>,
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
}

/// A series of a vector or a matrix.
#[derive(Deserialize)]
pub(super) struct Series {
    #[serde(default)]
    pub(super) metric: BTreeMap<String, String>,
    value: Option<Sample>,
    values: Option<Vec<Sample>>,
    histogram: Option<Native>,
    histograms: Option<Vec<Native>>,
}

impl Series {
    /// Its points in the order of the document; `None` where it has no key for any.
    pub(super) fn points(self) -> Option<Vec<Point>> {
        let has_key = self.value.is_some() || self.values.is_some() || self.histogram.is_some() || self.histograms.is_some();
        let samples = self.value.into_iter().chain(self.values.into_iter().flatten()).map(Sample::point);
        let natives = self.histogram.into_iter().chain(self.histograms.into_iter().flatten()).map(Native::point);
        has_key.then(|| samples.chain(natives).collect())
    }
}

/// `[unix seconds, "value"]`.
#[derive(Deserialize)]
pub(super) struct Sample(Stamp, Number);

impl Sample {
    pub(super) fn point(self) -> Point {
        Point { start: None, end: self.0.0, value: value(self.1.0) }
    }
}

/// A finite number, or nothing: `NaN` and the infinities are no measurements.
pub(in crate::capture) fn value(number: f64) -> Value {
    if number.is_finite() { Value::Number(number) } else { Value::Nothing }
}

/// A moment in seconds since 1970, perhaps a fraction; exact to the millisecond, as Prometheus keeps it.
#[derive(Deserialize)]
#[serde(try_from = "f64")]
struct Stamp(DateTime<Utc>);

impl TryFrom<f64> for Stamp {
    type Error = String;

    fn try_from(seconds: f64) -> Result<Self, String> {
        moment(seconds).map(Self).ok_or_else(|| format!("{seconds} is no moment in seconds since 1970"))
    }
}

/// Seconds since 1970 as a moment, to the millisecond; `None` beyond the years 1970 to 9999.
pub(in crate::capture) fn moment(seconds: f64) -> Option<DateTime<Utc>> {
    const YEAR_10000: f64 = 253_402_300_800.0;
    #[allow(clippy::cast_possible_truncation, reason = "the range is checked")]
    let milliseconds = (0.0..YEAR_10000).contains(&seconds).then(|| (seconds * 1e3).round() as i64)?;
    DateTime::from_timestamp_millis(milliseconds)
}

/// A number in a string; also `NaN`, `+Inf`, `-Inf`.
#[derive(Deserialize)]
#[serde(try_from = "Cow<'_, str>")]
struct Number(f64);

impl TryFrom<Cow<'_, str>> for Number {
    type Error = String;

    fn try_from(text: Cow<'_, str>) -> Result<Self, String> {
        text.parse().map(Self).map_err(|_| format!("`{text}` is no number"))
    }
}

/// `[unix seconds, {native histogram}]`.
#[derive(Deserialize)]
struct Native(Stamp, Histogram);

#[derive(Deserialize)]
struct Histogram {
    count: Number,
    sum: Number,
    #[serde(default)]
    buckets: Vec<NativeBucket>,
}

/// `[boundary rule, "low", "high", "count"]`; whether a bound itself belongs to the bucket makes no difference to a percentile.
#[derive(Deserialize)]
struct NativeBucket(#[allow(dead_code, reason = "part of the shape")] u8, Number, Number, Number);

impl Native {
    fn point(self) -> Point {
        let Self(at, histogram) = self;
        let counts: Vec<f64> = histogram.buckets.iter().map(|bucket| bucket.3.0).collect();
        // Values without a bucket (`NaN` was observed), or counts that are none, make no distribution.
        let is_whole = counts.iter().all(|count| count.is_finite() && *count >= 0.0)
            && (!counts.is_empty() || histogram.count.0 <= 0.0)
            && histogram.buckets.iter().all(|bucket| !bucket.1.0.is_nan() && !bucket.2.0.is_nan());
        let sum = Some(histogram.sum.0).filter(|sum| sum.is_finite());
        let buckets = histogram.buckets.iter().map(|bucket| Bucket { low: bucket.1.0, high: bucket.2.0, count: bucket.3.0 });
        let value = if is_whole { Value::Buckets(Buckets::new(buckets, sum)) } else { Value::Nothing };
        Point { start: None, end: at.0, value }
    }
}
