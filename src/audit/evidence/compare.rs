//! Where two texts differ: by JSON pointer, or by line.

use serde_json::Value;

use crate::model::proof::{Check, Difference, State};

/// How many differences are told.
const MOST: usize = 20;

/// Holds a text that is kept against the one that comes out now. JSON is compared value by value; what has the same values in other bytes, and all
/// other text, line by line.
#[must_use]
pub fn compare(kept: &[u8], made: &[u8]) -> Check {
    if kept == made {
        return Check::same();
    }
    let mut found = Found::default();
    let mut state = State::Differs;
    if let (Ok(kept), Ok(made)) = (serde_json::from_slice(kept), serde_json::from_slice(made)) {
        found.values(&mut String::new(), &kept, &made);
        state = if found.count == 0 { State::OtherBytes } else { State::Differs };
    }
    if found.count == 0 {
        found.lines(kept, made);
    }
    // Of other bytes the first line says enough.
    found.first.truncate(if state == State::OtherBytes { 1 } else { MOST });
    let more = found.count - found.first.len();
    Check { state, why: None, differences: found.first, more }
}

/// Holds two values against each other that are no files.
#[must_use]
pub fn compare_values(at: &str, kept: &Value, made: &Value) -> Check {
    let mut found = Found::default();
    found.values(&mut at.to_owned(), kept, made);
    let more = found.count - found.first.len();
    let state = if found.count == 0 { State::Same } else { State::Differs };
    Check { state, why: None, differences: found.first, more }
}

#[derive(Default)]
struct Found {
    first: Vec<Difference>,
    count: usize,
}

impl Found {
    fn add(&mut self, at: &str, kept: Option<&Value>, made: Option<&Value>) {
        self.count += 1;
        if self.first.len() < MOST {
            self.first.push(Difference { at: at.to_owned(), kept: kept.cloned(), made: made.cloned() });
        }
    }

    /// All places below a pointer where two values differ, in the order of the names. Depth is bounded by what `serde_json` reads.
    fn values(&mut self, at: &mut String, kept: &Value, made: &Value) {
        match (kept, made) {
            (Value::Object(kept), Value::Object(made)) => {
                let mut names: Vec<&String> = kept.keys().chain(made.keys().filter(|name| !kept.contains_key(*name))).collect();
                names.sort_unstable();
                for name in names {
                    self.member(at, &name.replace('~', "~0").replace('/', "~1"), kept.get(name), made.get(name));
                }
            }
            (Value::Array(kept), Value::Array(made)) => {
                for index in 0..kept.len().max(made.len()) {
                    self.member(at, &index.to_string(), kept.get(index), made.get(index));
                }
            }
            _ if kept == made => {}
            _ => self.add(if at.is_empty() { "/" } else { at.as_str() }, Some(kept), Some(made)),
        }
    }

    fn member(&mut self, at: &mut String, name: &str, kept: Option<&Value>, made: Option<&Value>) {
        let length = at.len();
        at.push('/');
        at.push_str(name);
        match (kept, made) {
            (Some(kept), Some(made)) => self.values(at, kept, made),
            _ => self.add(at, kept, made),
        }
        at.truncate(length);
    }

    /// Lines that differ; where none does, their ends do.
    fn lines(&mut self, kept: &[u8], made: &[u8]) {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let (kept, made) = (text(kept), text(made));
        let (kept, made): (Vec<&str>, Vec<&str>) = (kept.split('\n').collect(), made.split('\n').collect());
        for line in 0..kept.len().max(made.len()) {
            let (kept, made) = (kept.get(line).copied(), made.get(line).copied());
            if kept != made {
                let (kept, made) = (kept.map(Value::from), made.map(Value::from));
                self.add(&format!("line {}", line + 1), kept.as_ref(), made.as_ref());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(kept: &str, made: &str) -> Vec<String> {
        compare(kept.as_bytes(), made.as_bytes()).differences.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn values_are_told_by_their_pointers() {
        assert_eq!(
            told(r#"{"a":{"b/c":1,"d":[1,2]},"e":"x"}"#, r#"{"a":{"b/c":2,"d":[1,2,3]},"f":null}"#),
            [
                "/a/b~1c is 1 and comes out as 2",
                "/a/d/2 is nothing and comes out as 3",
                "/e is \"x\" and comes out as nothing",
                "/f is nothing and comes out as null"
            ]
        );
    }

    #[test]
    fn numbers_are_compared_to_the_last_bit() {
        assert_eq!(told("[0.1]", "[0.10000000000000002]"), ["/0 is 0.1 and comes out as 0.10000000000000002"]);
    }

    #[test]
    fn the_same_values_in_other_bytes_are_told_by_line() {
        let check = compare(b"{\"a\":1,\n\"b\":2}", b"{\"b\":2,\n\"a\":1}");
        assert_eq!((check.state, check.differences.len(), check.more), (State::OtherBytes, 1, 1));
        assert_eq!(told("a\nb\n", "a\nc\n"), ["line 2 is \"b\" and comes out as \"c\""]);
        assert_eq!(told("a", "a"), Vec::<String>::new());
    }

    #[test]
    fn what_is_no_text_differs_all_the_same() {
        let check = compare(b"\xff", b"\xfe");
        assert!(check.is_other());
    }

    #[test]
    fn of_many_differences_the_first_are_told_and_the_others_counted() {
        let list = |from: usize| serde_json::to_vec(&(from..from + 100).collect::<Vec<_>>()).unwrap_or_default();
        let check = compare(&list(0), &list(1));
        assert_eq!((check.differences.len(), check.more), (MOST, 100 - MOST));
    }
}
