//! Answers of `timeSeries:query`, the Monitoring Query Language:
//! <https://cloud.google.com/monitoring/api/ref_v3/rest/v3/projects.timeSeries/query>. A descriptor names labels and columns once,
//! rows follow. It doesn't name the metric: a rule tells it by the name of the file.

use std::collections::BTreeMap;

use super::answer::{Answer, failures};
use super::node::{Node, Object};
use super::points;
use super::reader::Reader;
use super::value::{self, Type};
use crate::capture::track::{Kind, Track};

/// A column of the points.
struct Column {
    key: String,
    kind: Kind,
    said: Option<Type>,
    unit: Option<String>,
}

/// Reads an answer: a series for each row and column.
pub(super) fn read<'a>(reader: &mut Reader<'a>, object: &Object<'a>) -> Answer {
    let descriptor = object.get("timeSeriesDescriptor").map(|node| reader.object(node, "timeSeriesDescriptor"));
    let descriptor = descriptor.unwrap_or_default();
    let labels = labels(reader, &descriptor);
    let columns = columns(reader, &descriptor);
    let rows = reader.list_of(object, "timeSeriesData");
    let tracks = rows.into_iter().flat_map(|row| tracks(reader, row, &labels, &columns)).collect();
    let has_more = reader.text_of(object, "nextPageToken").is_some();
    Answer { tracks, has_more, partial: failures(reader, object, "partialErrors") }
}

/// The names of the labels. Those of resource and metric lose that word, so that they are called as in the answers of
/// `timeSeries.list`.
fn labels<'a>(reader: &mut Reader<'a>, descriptor: &Object<'a>) -> Vec<String> {
    let nodes = reader.list_of(descriptor, "labelDescriptors");
    let mut names = Vec::new();
    for node in nodes {
        let label = reader.object(node, "labelDescriptors");
        let key = reader.text_of(&label, "key").unwrap_or_default();
        let bare = ["resource.", "metric."].iter().find_map(|prefix| key.strip_prefix(prefix)).unwrap_or(&key);
        names.push(bare.to_owned());
    }
    names
}

fn columns<'a>(reader: &mut Reader<'a>, descriptor: &Object<'a>) -> Vec<Column> {
    let nodes = reader.list_of(descriptor, "pointDescriptors");
    let mut columns = Vec::new();
    for node in nodes {
        let column = reader.object(node, "pointDescriptors");
        columns.push(Column {
            key: reader.text_of(&column, "key").unwrap_or_default(),
            kind: value::kind(reader, &column),
            said: value::value_type(reader, &column),
            unit: reader.text_of(&column, "unit"),
        });
    }
    columns
}

fn tracks<'a>(reader: &mut Reader<'a>, row: Node<'a>, names: &[String], columns: &[Column]) -> Vec<Track> {
    let fields = reader.object(row, "timeSeriesData");
    let values = reader.list_of(&fields, "labelValues");
    if values.len() != names.len() {
        reader.fault(row, format!("there are {} label values for {} labels", values.len(), names.len()));
    }
    let mut labels = BTreeMap::new();
    for (name, node) in names.iter().zip(values) {
        labels.insert(name.clone(), label(reader, node));
    }
    let mut points: Vec<Vec<_>> = columns.iter().map(|_| Vec::new()).collect();
    for node in reader.list_of(&fields, "pointData") {
        let point = reader.object(node, "pointData");
        let values = reader.list_of(&point, "values");
        let Some(interval) = point.get("timeInterval").filter(|_| values.len() == columns.len()) else {
            reader.fault(
                node,
                format!("a point needs `timeInterval` and as many `values` as there are columns, {}", columns.len()),
            );
            continue;
        };
        for ((column, inner), points) in columns.iter().zip(values).zip(&mut points) {
            let value = value::value(reader, inner, column.said);
            points.extend(points::point(reader, interval, column.kind, value).map(|point| (node, point)));
        }
    }
    let mut tracks = Vec::new();
    for (column, points) in columns.iter().zip(points) {
        let mut labels = labels.clone();
        if columns.len() > 1 {
            labels.insert("column".to_owned(), column.key.clone());
        }
        let points = points::ordered(reader, &column.key, points);
        let unit = column.unit.clone();
        tracks.push(Track { metric: String::new(), labels, kind: column.kind, unit, target: None, points });
    }
    tracks
}

/// A label's value, which has a type; one without is empty, as the API leaves out what is empty.
fn label<'a>(reader: &mut Reader<'a>, node: Node<'a>) -> String {
    let fields = reader.object(node, "labelValues");
    let known = ["stringValue", "int64Value"].iter().find_map(|name| fields.get(name)).map(Node::digits);
    let truth = || fields.get("boolValue").map(|node| node.truth().map(|truth| truth.to_string()));
    match known.or_else(truth) {
        None => String::new(),
        Some(Some(text)) => text,
        Some(None) => {
            reader.fault(node, "a label's value is neither a text nor a whole number nor a truth value");
            String::new()
        }
    }
}
