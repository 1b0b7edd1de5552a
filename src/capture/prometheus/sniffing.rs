//! Whether a text is one of Prometheus's, by its beginning: a file may be long, and others look at it too.

use crate::source::Source;

/// How many bytes of the beginning are looked at; enough for the labels of a first series.
const BEGINNING: usize = 16 << 10;

/// A form in which Prometheus's data comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// An object: an answer with its envelope, or its `data` alone.
    Envelope,
    /// The result alone, as `promtool query ... -o json` prints it.
    Bare,
    /// `promtool tsdb dump`.
    Dump,
    /// The answer of the server to a path it does not know.
    NotFound,
}

/// Whether a text is an answer of Prometheus, an error of the same API saved as data, or a dump.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    form(source.text()).is_some()
}

/// The form of a text, if it is one of them.
pub(super) fn form(text: &str) -> Option<Form> {
    let text = text.trim_start();
    match text.as_bytes().first()? {
        b'{' if text.starts_with("{__name__=\"") || text.starts_with("{\"__name__\"=\"") => Some(Form::Dump),
        b'{' => is_envelope(&compact(text)).then_some(Form::Envelope),
        b'[' => is_bare(&compact(text)).then_some(Form::Bare),
        b'4' => (text.trim_end() == "404 page not found").then_some(Form::NotFound),
        _ => None,
    }
}

/// The beginning without white space, so that it does not matter how the JSON was laid out.
fn compact(text: &str) -> String {
    let mut end = text.len().min(BEGINNING);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].chars().filter(|c| !c.is_whitespace()).collect()
}

fn is_envelope(head: &str) -> bool {
    const DATA: [&str; 5] = [
        "{\"status\":\"success\",\"data\":",
        "{\"data\":{\"resultType\":\"",
        "{\"data\":{\"result\":[",
        "{\"resultType\":\"",
        "{\"result\":[{\"metric\":{",
    ];
    let is_error = head.contains("\"status\":\"error\"") && head.contains("\"errorType\":\"") && head.contains("\"error\":\"");
    let warned = |key: &str| head.starts_with(&format!("{{\"status\":\"success\",\"{key}\":["));
    let first_is_own = ["{\"status\":", "{\"error", "{\"data\":"].iter().any(|key| head.starts_with(key));
    DATA.iter().any(|start| head.starts_with(start)) || warned("warnings") || warned("infos") || (is_error && first_is_own)
}

/// A list of series with the keys of Prometheus, or a scalar `[1796026660,"3"]`. Cloud Monitoring's series begin with `metric` too,
/// but have `points`.
fn is_bare(head: &str) -> bool {
    let is_series = ["[{\"metric\":{", "[{\"value\":[", "[{\"values\":[[", "[{\"histogram\":[", "[{\"histograms\":[["]
        .iter()
        .any(|start| head.starts_with(start));
    let has_values =
        ["\"value\":[", "\"values\":[[", "\"histogram\":[", "\"histograms\":[["].iter().any(|key| head.contains(key));
    (is_series && has_values && head.contains("\"metric\":{") && !head.contains("\"points\":[{")) || is_scalar(head)
}

fn is_scalar(head: &str) -> bool {
    let pair = head.strip_prefix('[').and_then(|rest| rest.strip_suffix("\"]")).and_then(|rest| rest.split_once(",\""));
    pair.is_some_and(|(at, value)| at.parse::<f64>().is_ok() && value.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_however_they_are_laid_out() {
        let sorted =
            "{\n  \"data\": {\n    \"result\": [],\n    \"resultType\": \"vector\"\n  },\n  \"status\": \"success\"\n}\n";
        let error = r#"{"error":"timeout","errorType":"timeout","status":"error"}"#;
        let warned = r#"{"status":"success","warnings":["w"],"data":{"resultType":"vector","result":[]}}"#;
        for text in [sorted, error, warned, r#"{"status":"success","data":["up"]}"#] {
            assert_eq!(form(text), Some(Form::Envelope), "{text}");
        }
        for text in
            [r#"[{"metric":{},"value":[1,"2"]}]"#, "[ {\"metric\": {\"a\":\"b\"}, \"values\": [[1,\"2\"]]} ]", "[1.5,\"3\"]"]
        {
            assert_eq!(form(text), Some(Form::Bare), "{text}");
        }
        assert_eq!(form("{__name__=\"up\"} 1 1000\n"), Some(Form::Dump));
        assert_eq!(form("404 page not found\n"), Some(Form::NotFound));
    }

    #[test]
    fn what_others_write_is_left_to_them() {
        let others = [
            "",
            "{}",
            "[]",
            "[1,2]",
            "{} =>\n1 @[1]\n",
            "404 page not found\nand more\n",
            r#"{"metrics":{"checks":{"passes":1}}}"#,
            r#"{"metric":{"a":1}}"#,
            r#"{"timeSeries":[]}"#,
            r#"[{"metric":{"type":"t","labels":{}},"points":[{"value":{"doubleValue":1}}],"x":{"values":[[]]}}]"#,
            r#"{"error":{"code":403,"status":"PERMISSION_DENIED"}}"#,
            r#"{"code":16,"message":"no","status":"error"}"#,
            r#"{"details":{"sequence":"1"}}"#,
            "key: value\n",
        ];
        for text in others {
            assert_eq!(form(text), None, "{text}");
        }
    }
}
