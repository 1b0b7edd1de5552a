//! Values of a shape, with all faults noted instead of the first.

use chrono::{DateTime, Utc};

use super::node::{Node, Object};
use crate::diagnostic::{Diagnostic, Faults, FirstFaults};
use crate::source::Source;

/// Takes values out of a text and notes what is wrong with them.
pub(in crate::capture) struct Reader<'a> {
    source: &'a Source,
    faults: FirstFaults,
}

/// The code of all faults of this room.
const CODE: &str = "bad-capture";

impl<'a> Reader<'a> {
    pub(in crate::capture) fn new(source: &'a Source) -> Self {
        Self { source, faults: FirstFaults::default() }
    }

    /// The text that is read.
    pub(in crate::capture) fn source(&self) -> &'a Source {
        self.source
    }

    /// Notes a fault at a value.
    pub(in crate::capture) fn fault(&mut self, node: Node<'_>, message: impl Into<String>) {
        let source = self.source;
        self.faults.push(|| Diagnostic::error(CODE, message).at(source.at(node.place())));
    }

    /// Notes a fault with what to do about it.
    pub(in crate::capture) fn fault_with_help(&mut self, node: Node<'_>, message: impl Into<String>, help: &str) {
        let source = self.source;
        self.faults.push(|| Diagnostic::error(CODE, message).at(source.at(node.place())).help(help));
    }

    /// Notes that two values can't both be true.
    pub(in crate::capture) fn contradiction(&mut self, one: Node<'_>, other: Node<'_>, message: impl Into<String>, help: &str) {
        let source = self.source;
        self.faults.push(|| {
            let fault = Diagnostic::error("contradicting-points", message);
            fault.at(source.at(one.place()).labelled("here")).at(source.at(other.place()).labelled("and here")).help(help)
        });
    }

    /// Something, if there was no fault.
    ///
    /// # Errors
    /// The first faults, with the number of the others.
    pub(in crate::capture) fn finish<T>(self, whole: T) -> Result<T, Faults> {
        let mut told = self.faults.told();
        // Fields are read in another order than they are written. Where not all faults are told, the last one counts the others.
        if told.len() < FirstFaults::TOLD {
            told.sort_by_key(|fault| fault.places.first().map(|place| place.span.start));
        }
        Faults::check(told).map(|_| whole)
    }

    /// The fields of an object; of anything else none, and a fault.
    pub(in crate::capture) fn object(&mut self, node: Node<'a>, name: &str) -> Object<'a> {
        node.object().unwrap_or_else(|| {
            self.fault(node, format!("`{name}` is {}, not an object", node.what()));
            Object::default()
        })
    }

    /// The values of a list; of anything else none, and a fault.
    pub(in crate::capture) fn list(&mut self, node: Node<'a>, name: &str) -> Vec<Node<'a>> {
        node.list().unwrap_or_else(|| {
            self.fault(node, format!("`{name}` is {}, not a list", node.what()));
            Vec::new()
        })
    }

    /// The values of a list that a field holds; none where it is absent.
    pub(in crate::capture) fn list_of(&mut self, object: &Object<'a>, name: &str) -> Vec<Node<'a>> {
        object.get(name).map(|node| self.list(node, name)).unwrap_or_default()
    }

    /// The text of a field; `None` where it is absent or empty, which the API means as the same.
    pub(in crate::capture) fn text_of(&mut self, object: &Object<'a>, name: &str) -> Option<String> {
        let node = object.get(name)?;
        let text = node.text();
        if text.is_none() {
            self.fault(node, format!("`{name}` is {}, not a text", node.what()));
        }
        text.filter(|text| !text.is_empty())
    }

    /// The moment of a field; `None` where it is absent.
    pub(in crate::capture) fn moment_of(&mut self, object: &Object<'a>, name: &str) -> Option<DateTime<Utc>> {
        let node = object.get(name)?;
        let read = node.text().and_then(|text| DateTime::parse_from_rfc3339(&text).ok());
        if read.is_none() {
            let help = "moments are written as RFC 3339 has them: `2026-09-28T22:12:33Z`";
            self.fault_with_help(node, format!("`{name}` is no moment"), help);
        }
        read.map(|at| at.with_timezone(&Utc))
    }

    /// A whole number, bare or in a text; `None`, with a fault, if it is none of 64 bits.
    pub(in crate::capture) fn whole(&mut self, node: Node<'a>, name: &str) -> Option<i64> {
        let digits = node.digits();
        let read = digits.as_deref().and_then(|digits| digits.parse().ok().or_else(|| whole_of_decimal(digits)));
        if read.is_none() {
            self.fault(node, format!("`{name}` is no whole number of 64 bits"));
        }
        read
    }

    /// A number, bare or in a text, which may be `NaN`, `Infinity` or `-Infinity`; `None`, with a fault, if it is none.
    pub(in crate::capture) fn number(&mut self, node: Node<'a>, name: &str) -> Option<f64> {
        let digits = node.digits();
        let read = digits.as_deref().and_then(|digits| match digits {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            // Rust reads more words than the API writes, and takes what is too large for infinity.
            digits => digits.parse().ok().filter(|number: &f64| number.is_finite()),
        });
        if read.is_none() {
            self.fault(node, format!("`{name}` is no number"));
        }
        read
    }
}

/// A whole number that is written as a decimal, `3.0` or `1e3`, as programs do that know no others.
fn whole_of_decimal(digits: &str) -> Option<i64> {
    let number: f64 = digits.parse().ok()?;
    // Above 2^53 a decimal is no longer one whole number.
    let is_whole = number.fract().abs() < f64::MIN_POSITIVE && number.abs() < 9_007_199_254_740_992.0;
    #[allow(clippy::cast_possible_truncation, reason = "checked: whole, and below 2^53")]
    is_whole.then_some(number as i64)
}
