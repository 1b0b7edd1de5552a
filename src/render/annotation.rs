//! Annotations of GitHub: lines that a step prints (`::error title=...::message`).

use crate::render::markup::on_one_line;

/// A step shows so many annotations of a kind and drops the others.
pub(super) const MOST: usize = 10;

/// An annotation: `error`, `warning` or `notice`, a title and a message.
#[must_use]
pub(super) fn annotation(level: &str, title: &str, message: &str) -> String {
    format!("::{level} title={}::{}\n", property(title), data(message))
}

/// A message: what GitHub would read as an escape or the end of the line is escaped its way.
fn data(text: &str) -> String {
    on_one_line(&text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A"))
}

/// A property, which ends at a colon or a comma.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
