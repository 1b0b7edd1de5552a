//! The THRESHOLDS block: a metric's name, and below it a line per expression.

use super::metric_line::marked;
use super::screen::Line;
use crate::limits::NAME_BYTES;
use crate::model::summary::Threshold;

/// A threshold, and the value that is printed beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judged {
    /// The threshold.
    pub(super) threshold: Threshold,
    /// `p(95)` and `14.7ms` of `p(95)=14.7ms`.
    pub(super) value: Option<(String, String)>,
}

/// Reads the lines between the heading and the next one. A line that is neither a name nor an expression is handed back
/// by its index.
pub(super) fn read(lines: &[Line], range: std::ops::Range<usize>) -> (Vec<Judged>, Vec<usize>) {
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    let (mut parent, mut metric) = (String::new(), String::new());
    for (at, line) in lines.iter().enumerate().take(range.end).skip(range.start) {
        let text = line.text.trim();
        if text.is_empty() {
            continue;
        }
        match marked(text).map(|(held, rest)| (held, expression(rest.trim()))) {
            Some((held, Some((source, value)))) => {
                let expression = source.trim().to_owned();
                found.push(Judged { threshold: Threshold { metric: metric.clone(), expression, passed: Some(held) }, value });
            }
            Some((_, None)) => unread.push(at),
            None if text.starts_with('{') => metric = format!("{parent}{text}"),
            None => {
                text.split('{').next().unwrap_or(text).clone_into(&mut parent);
                text.clone_into(&mut metric);
            }
        }
    }
    (found, unread)
}

/// Whether some of the lines name a metric by more bytes than are read.
pub(super) fn has_long_name(lines: &[Line], range: std::ops::Range<usize>) -> bool {
    let lines = lines.get(range).unwrap_or_default().iter().map(|line| line.text.trim());
    lines.filter(|text| marked(text).is_none()).any(|text| text.len() > NAME_BYTES)
}

/// `'p(95)<500' p(95)=14.7ms`. The source may hold quotes; the value holds neither quotes nor blanks but a size's.
fn expression(text: &str) -> Option<(&str, Option<(String, String)>)> {
    let inner = text.strip_prefix('\'')?;
    let (source, value) = inner.rsplit_once('\'')?;
    let value = value.trim().split_once('=').map(|(stat, value)| (stat.to_owned(), value.to_owned()));
    Some((source, value.filter(|(_, value)| !value.is_empty())))
}

#[cfg(test)]
mod tests {
    use super::super::screen;
    use super::*;
    use crate::source::Source;

    #[test]
    fn names_indented_or_in_full_belong_to_their_expressions() {
        let lines = screen::lines(&Source::new(
            "t",
            "\n    checks\n    ✓ 'rate>0.9' rate=91.66%\n\n      {check:it's ok}\n      ✗ 'rate>0.99' rate=83.33%\n\n    \
             http_reqs{status:503}\n    ✓ 'count<1000' count=1\n    d\n    ✓ 'med < 5000' med=\n",
        ));
        let (found, unread) = read(&lines, 0..lines.len());
        let seen: Vec<(&str, &str, Option<bool>)> =
            found.iter().map(|j| (j.threshold.metric.as_str(), j.threshold.expression.as_str(), j.threshold.passed)).collect();
        assert_eq!(
            seen,
            [
                ("checks", "rate>0.9", Some(true)),
                ("checks{check:it's ok}", "rate>0.99", Some(false)),
                ("http_reqs{status:503}", "count<1000", Some(true)),
                ("d", "med < 5000", Some(true)),
            ]
        );
        assert_eq!(found[0].value, Some(("rate".to_owned(), "91.66%".to_owned())));
        assert_eq!(found[3].value, None);
        assert!(unread.is_empty());
    }
}
