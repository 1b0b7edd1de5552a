//! JSON with the place of every value, so that a file can be changed without being written anew.

use crate::diagnostic::{Diagnostic, Faults};
use crate::source::{Source, Span};

/// How deep values may lie in each other.
const DEPTH: usize = 64;

/// A value and its bytes.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) value: Value,
}

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
    Text(String),
    /// A number, a truth, null.
    Other,
}

impl Node {
    /// A member of an object.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, node)| node),
            _ => None,
        }
    }

    /// A text.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The values of an array.
    pub(super) fn items(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }
}

/// Reads a whole text.
///
/// # Errors
/// The first fault of its syntax, with its place.
pub(super) fn parse(source: &Source) -> Result<Node, Faults> {
    // serde_json says best what is wrong; what it takes is well formed, and this scanner only looks for places.
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(source.text()) {
        let fault = Diagnostic::error("bad-json", format!("the navigation is no JSON: {error}"));
        return Err(fault.at(source.at_line(error.line().max(1))).help("repair the file, then publish again").into());
    }
    let mut scanner = Scanner { text: source.text(), at: 0 };
    scanner.value(0).ok_or_else(|| {
        let fault = Diagnostic::error("deep-json", format!("values lie in each other more than {DEPTH} deep"));
        fault.at(source.at(scanner.at..scanner.at)).into()
    })
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn value(&mut self, depth: usize) -> Option<Node> {
        self.blank();
        let start = self.at;
        let value = match self.peek()? {
            _ if depth > DEPTH => return None,
            '{' => self.object(depth)?,
            '[' => self.array(depth)?,
            '"' => Value::Text(self.string()?),
            _ => {
                let rest = self.text.get(self.at..)?;
                self.at += rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}')).unwrap_or(rest.len());
                Value::Other
            }
        };
        Some(Node { span: start..self.at, value })
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut members = Vec::new();
        self.at += 1;
        while !self.closes('}')? {
            let key = self.string()?;
            self.blank();
            self.at += 1;
            members.push((key, self.value(depth + 1)?));
        }
        Some(Value::Object(members))
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        self.at += 1;
        while !self.closes(']')? {
            items.push(self.value(depth + 1)?);
        }
        Some(Value::Array(items))
    }

    /// Passes blanks and commas; true if the bracket closes here, and behind it then.
    fn closes(&mut self, bracket: char) -> Option<bool> {
        self.blank();
        if self.peek()? == ',' {
            self.at += 1;
            self.blank();
        }
        let closes = self.peek()? == bracket;
        self.at += usize::from(closes);
        Some(closes)
    }

    fn string(&mut self) -> Option<String> {
        let start = self.at;
        let mut escaped = false;
        for (at, c) in self.text.get(start + 1..)?.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    self.at = start + 1 + at + 1;
                    return serde_json::from_str(self.text.get(start..self.at)?).ok();
                }
                _ => {}
            }
        }
        None
    }

    fn blank(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }
}
