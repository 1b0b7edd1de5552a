//! Answers of `projects.timeSeries.list`, <https://cloud.google.com/monitoring/api/ref_v3/rest/v3/projects.timeSeries/list>.

use std::collections::BTreeMap;

use super::node::{Node, Object, is_spelling};
use super::points;
use super::reader::Reader;
use super::value;
use crate::capture::track::Track;
use crate::secrets::masked;

/// What one answer gives.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// Its series.
    pub(super) tracks: Vec<Track>,
    /// Whether another page follows.
    pub(super) has_more: bool,
    /// What could not be read, in the API's words.
    pub(super) partial: Vec<String>,
}

/// Fields that an answer has beside its series.
pub(super) const BESIDE: [&str; 4] = ["unit", "nextPageToken", "executionErrors", "partialErrors"];

/// Whether an object is an answer that has no field of data at all, which is how the API says that there is none.
pub(super) fn is_without_data(object: &Object<'_>) -> bool {
    object.fields.iter().all(|(key, _)| BESIDE.iter().any(|name| is_spelling(key, name)))
}

/// Reads an answer.
pub(super) fn read<'a>(reader: &mut Reader<'a>, object: &Object<'a>) -> Answer {
    let unit = reader.text_of(object, "unit");
    let has_more = reader.text_of(object, "nextPageToken").is_some();
    let partial = failures(reader, object, "executionErrors");
    let series = reader.list_of(object, "timeSeries");
    let tracks = series.into_iter().filter_map(|node| track(reader, node, unit.as_deref())).collect();
    Answer { tracks, has_more, partial }
}

/// What could not be read, from a list of `google.rpc.Status`: `code 14: a store was unavailable`.
pub(super) fn failures<'a>(reader: &mut Reader<'a>, object: &Object<'a>, name: &str) -> Vec<String> {
    let nodes = reader.list_of(object, name);
    nodes.into_iter().map(|node| failure(reader, node, name)).collect()
}

fn failure<'a>(reader: &mut Reader<'a>, node: Node<'a>, name: &str) -> String {
    let status = reader.object(node, name);
    let code = status.get("code").and_then(Node::digits);
    let message = reader.text_of(&status, "message").unwrap_or_else(|| "without a message".to_owned());
    let message = masked(&message);
    code.map_or_else(|| message.to_string(), |code| format!("code {code}: {message}"))
}

/// Reads a series; its own unit goes before that of the answer.
pub(super) fn track<'a>(reader: &mut Reader<'a>, node: Node<'a>, unit: Option<&str>) -> Option<Track> {
    let Some(object) = node.object() else {
        reader.fault(node, format!("a series is {}, not an object", node.what()));
        return None;
    };
    let resource = object.get("resource").map(|node| reader.object(node, "resource")).unwrap_or_default();
    let metric = object.get("metric").map(|node| reader.object(node, "metric")).unwrap_or_default();
    let mut labels = BTreeMap::new();
    // Of a label that both have, the metric's stays: it is put in last.
    add_labels(reader, &resource, &mut labels);
    add_labels(reader, &metric, &mut labels);
    let name = reader.text_of(&metric, "type").unwrap_or_default();
    let (kind, said) = (value::kind(reader, &object), value::value_type(reader, &object));
    let mut points = Vec::new();
    for node in reader.list_of(&object, "points") {
        let fields = node.object().unwrap_or_default();
        let (Some(interval), Some(inner)) = (fields.get("interval"), fields.get("value")) else {
            reader.fault(node, "a point needs `interval` and `value`");
            continue;
        };
        let value = value::value(reader, inner, said);
        points.extend(points::point(reader, interval, kind, value).map(|point| (node, point)));
    }
    let points = points::ordered(reader, &name, points);
    let unit = reader.text_of(&object, "unit").or_else(|| unit.map(str::to_owned));
    Some(Track { metric: name, labels, kind, unit, target: None, points })
}

fn add_labels<'a>(reader: &mut Reader<'a>, object: &Object<'a>, labels: &mut BTreeMap<String, String>) {
    let Some(node) = object.get("labels") else { return };
    for (name, value) in reader.object(node, "labels").fields {
        match value.text() {
            Some(text) => {
                labels.insert(name, text);
            }
            None => reader.fault(value, format!("the label `{name}` is {}, not a text", value.what())),
        }
    }
}
