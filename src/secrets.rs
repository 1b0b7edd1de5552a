//! Secrets at the door: tokens, passwords, keys and the credentials inside addresses are masked before anything is kept or shown.
//!
//! What looks like a secret by its own shape (`shapes`) or by the name before it (`pairs`) is masked; where a text allows two readings,
//! the one that hides more is taken, but plain words, numbers of measurements and what was masked before stay as they are.

mod names;
mod pairs;
mod shapes;

use std::borrow::Cow;
use std::ops::Range;

pub use self::names::is_secret_name;

/// What stands where a secret was.
const MASK: &str = "***";

/// The text with everything masked that looks like a secret, wherever it stands: a signed token, a bearer token, a password
/// inside an address, a private key. Texts without one come back as they are, and so does a masked text.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    replaced(text, |_| MASK.to_owned())
}

/// The same, but with a `*` for each character of a secret, and its line breaks kept: so that lines and columns stay where they
/// are.
#[must_use]
pub fn masked_alike(text: &str) -> Cow<'_, str> {
    replaced(text, |secret| secret.chars().map(|c| if matches!(c, '\n' | '\r') { c } else { '*' }).collect())
}

/// The text with something in the place of each secret, until none is found: what was a secret's neighbour may look like one
/// afterwards.
fn replaced(text: &str, replacement: impl Fn(&str) -> String) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    loop {
        let spans = secrets(&text);
        if spans.is_empty() {
            return text;
        }
        let (mut out, mut from) = (String::with_capacity(text.len()), 0);
        for span in spans {
            out.push_str(&text[from..span.start]);
            out.push_str(&replacement(&text[span.clone()]));
            from = span.end;
        }
        out.push_str(&text[from..]);
        text = Cow::Owned(out);
    }
}

/// Where the secrets are, in order, none in another.
fn secrets(text: &str) -> Vec<Range<usize>> {
    let mut spans = shapes::find(text);
    spans.extend(pairs::find(text));
    spans.retain(|span| !is_masked(&text[span.clone()]));
    spans.sort_by_key(|span| (span.start, span.end));
    let mut apart: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match apart.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => apart.push(span),
        }
    }
    apart
}

/// Whether nothing is left of what was there.
fn is_masked(value: &str) -> bool {
    value.chars().all(|c| c == '*' || c == '•' || c.is_whitespace())
}

#[cfg(test)]
mod tests;
