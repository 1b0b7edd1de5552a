//! Answers that hold no measurement: errors that were saved as data, answers without data, other methods of the API.

use super::node::{Node, Object};
use super::reader::Reader;
use crate::diagnostic::Diagnostic;
use crate::secrets::masked;

/// The error in an answer, if it is the body of an error of a Google API: an object with a code, and a message or a status
/// (<https://cloud.google.com/apis/design/errors#http_mapping>).
pub(super) fn error<'a>(object: &Object<'a>) -> Option<Object<'a>> {
    let error = object.get("error")?.object()?;
    let is_error = error.get("code").is_some() && (error.get("message").is_some() || error.get("status").is_some());
    is_error.then_some(error)
}

/// An error, as one line: `HTTP 403 PERMISSION_DENIED, ACCESS_TOKEN_SCOPE_INSUFFICIENT`.
pub(super) fn in_short(error: &Object<'_>) -> String {
    let code = error.get("code").and_then(Node::digits).unwrap_or_default();
    let mut words = format!("HTTP {code}");
    if let Some(status) = error.get("status").and_then(Node::text) {
        words = format!("{words} {}", masked(&status));
    }
    for reason in reasons(error) {
        words = format!("{words}, {}", masked(&reason));
    }
    words
}

/// Why an error came, by the word that the API's details have for it.
fn reasons(error: &Object<'_>) -> Vec<String> {
    let details = error.get("details").and_then(Node::list).unwrap_or_default();
    details.into_iter().filter_map(|detail| detail.object()?.get("reason")?.text()).collect()
}

/// The refusal of an error.
pub(super) fn of_error(reader: &Reader<'_>, node: Node<'_>, error: &Object<'_>) -> Diagnostic {
    let place = error.get("code").unwrap_or(node).place();
    let message = format!("an error of the API was saved as data: {}", in_short(error));
    let refusal = Diagnostic::error("error-answer", message).at(reader.source().at(place)).help(help(error));
    match error.get("message").and_then(Node::text) {
        Some(words) => refusal.note(format!("the API says: {}", masked(&words))),
        None => refusal,
    }
}

fn help(error: &Object<'_>) -> &'static str {
    let code = error.get("code").and_then(Node::digits).unwrap_or_default();
    let reasons = reasons(error);
    let has = |word: &str| reasons.iter().any(|reason| reason == word);
    match code.as_str() {
        "400" => "correct the filter, the interval or the aggregation of the query, and ask again",
        "401" => "the token was missing or too old: take a new one (`gcloud auth print-access-token`), and ask again",
        "403" if has("ACCESS_TOKEN_SCOPE_INSUFFICIENT") => {
            "the token's scopes don't hold `https://www.googleapis.com/auth/monitoring.read`: give the machine's service account this \
             scope, or ask with the token of an account that logged in itself"
        }
        "403" if has("SERVICE_DISABLED") => "enable the API in the project, and ask again",
        "403" => "give the account the role `roles/monitoring.viewer` in the project, and ask again",
        "404" => "check the name of the project in the address, and ask again",
        "429" => "wait a minute, and ask again with fewer queries a minute",
        _ => "ask again, later if the API was at fault",
    }
}

/// The refusal of an answer without a series.
pub(super) fn of_no_data(reader: &Reader<'_>, node: Node<'_>) -> Diagnostic {
    Diagnostic::error("no-data", "the answer holds no series")
        .at(reader.source().at(node.place()))
        .note("either nothing matched the filter or nothing happened; which of the two can't be told, so this is not 0")
        .help("check the filter and the interval of the query, and ask again")
}

/// The refusal of series without points.
pub(super) fn of_no_points(reader: &Reader<'_>, node: Node<'_>) -> Diagnostic {
    Diagnostic::error("no-data", "the answer names series, but holds no point of them")
        .at(reader.source().at(node.place()))
        .help("ask with `view=FULL`, and for an interval in which the series have points")
}

/// The refusal of a list of metric descriptors.
pub(super) fn of_descriptors(reader: &Reader<'_>, list: Node<'_>) -> Diagnostic {
    let count = list.list().map_or(0, |list| list.len());
    let message = format!("this is an answer of `metricDescriptors.list`: it describes metrics ({count}) and measures none");
    Diagnostic::error("other-api", message).at(reader.source().at(list.place())).help(
        "ask `timeSeries.list` for the values: `projects/PROJECT/timeSeries` instead of `projects/PROJECT/metricDescriptors`",
    )
}
