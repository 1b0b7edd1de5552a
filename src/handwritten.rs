//! TOML that people write, read so that all its faults come out at once.
//!
//! A reader asks a [`Form`] for the keys it knows and closes it; the form notes every value of a wrong type, every missing
//! key and every key nobody asked for, each with its place, and the near name of a mistyped one. serde would stop at the
//! first fault and lose the places inside flattened tables (docs/decisions/0002-handwritten-toml.md).

use std::cell::RefCell;
use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Diagnostic, Faults};
use crate::limits::HANDWRITTEN_BYTES;
use crate::source::{Place, Source, Span};

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Written<T> {
    /// The value.
    pub value: T,
    /// Where it was written.
    pub place: Place,
}

/// A TOML document that is being read.
pub struct Document<'a> {
    source: Source,
    table: Spanned<DeTable<'a>>,
    faults: RefCell<Vec<Diagnostic>>,
    /// Why nothing of it was read.
    refused: Option<Diagnostic>,
}

impl<'a> Document<'a> {
    /// Parses a source. Syntax faults are kept with the others, what can be read is read.
    #[must_use]
    pub fn parse(source: &'a Source) -> Self {
        let refused = (source.text().len() > HANDWRITTEN_BYTES).then(|| too_large(source));
        let (table, errors) = DeTable::parse_recoverable(if refused.is_some() { "" } else { source.text() });
        let end = source.text().len();
        let faults = errors
            .into_iter()
            .map(|error| {
                let span = error.span().unwrap_or(end..end);
                Diagnostic::error("toml-syntax", error.message().to_owned()).at(source.at(span))
            })
            .collect();
        Self { source: source.clone(), table, faults: RefCell::new(faults), refused }
    }

    /// The whole document as a form.
    #[must_use]
    pub fn form(&self) -> Form<'_> {
        Form { document: self, name: String::new(), span: 0..0, table: self.table.get_ref(), asked: RefCell::default() }
    }

    /// Notes a fault that a reader found in a value.
    pub fn fault(&self, fault: Diagnostic) {
        self.faults.borrow_mut().push(fault);
    }

    /// The place of a span.
    #[must_use]
    pub fn at(&self, span: Span) -> Place {
        self.source.at(span)
    }

    /// Everything found, in the order of the text.
    ///
    /// # Errors
    /// All diagnostics, if one of them is an error.
    pub fn finish(self) -> Result<Vec<Diagnostic>, Faults> {
        if let Some(refused) = self.refused {
            // What a reader misses in a file that was not read says nothing.
            return Err(refused.into());
        }
        let mut found = self.faults.into_inner();
        found.sort_by_key(|fault| fault.places.first().map_or(usize::MAX, |place| place.span.start));
        found.dedup();
        Faults::check(found)
    }
}

fn too_large(source: &Source) -> Diagnostic {
    let message = format!("a file of {} bytes is none that people write", source.text().len());
    let fault = Diagnostic::error("large-file", message).at(source.at(0..0));
    fault.note(format!("at most {HANDWRITTEN_BYTES} bytes are read")).help("is this the file that is meant?")
}

/// A table of a document, asked key by key.
pub struct Form<'a> {
    document: &'a Document<'a>,
    name: String,
    span: Span,
    table: &'a DeTable<'a>,
    asked: RefCell<BTreeSet<String>>,
}

/// A key and its value of any type, for tables whose keys are data.
pub struct Entry<'a> {
    document: &'a Document<'a>,
    /// The key.
    pub key: Written<String>,
    name: String,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Form<'a> {
    /// Where the table was written: its header, or its braces.
    #[must_use]
    pub fn place(&self) -> Place {
        self.document.at(self.span.clone())
    }

    /// Notes a fault that a reader found in a value.
    pub fn fault(&self, fault: Diagnostic) {
        self.document.fault(fault);
    }

    /// A text.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<Written<String>> {
        self.entry(key)?.text()
    }

    /// A text that must be there; a fault and `None` if it is not.
    #[must_use]
    pub fn wanted_text(&self, key: &str) -> Option<Written<String>> {
        if !self.has(key) {
            self.ask(key);
            self.fault(Diagnostic::error("missing-key", format!("{} lacks `{key}`", self.title())).at(self.place()));
        }
        self.text(key)
    }

    /// A whole number.
    #[must_use]
    pub fn integer(&self, key: &str) -> Option<Written<i64>> {
        self.entry(key)?.integer()
    }

    /// A number, whole or not.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<Written<f64>> {
        self.entry(key)?.number()
    }

    /// True or false.
    #[must_use]
    pub fn truth(&self, key: &str) -> Option<Written<bool>> {
        self.entry(key)?.truth()
    }

    /// A list of texts; a single text counts as a list of one.
    #[must_use]
    pub fn texts(&self, key: &str) -> Vec<Written<String>> {
        self.entry(key).map(|entry| entry.texts()).unwrap_or_default()
    }

    /// A table inside this one.
    #[must_use]
    pub fn table(&self, key: &str) -> Option<Form<'a>> {
        self.entry(key)?.table()
    }

    /// Tables in a list: `[[case]]`, or an array of inline tables.
    #[must_use]
    pub fn tables(&self, key: &str) -> Vec<Form<'a>> {
        self.entry(key).map(|entry| entry.tables()).unwrap_or_default()
    }

    /// All keys with their values, in the order of the text: for tables whose keys are data.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry<'a>> {
        let mut entries: Vec<_> = self.table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
            .into_iter()
            .map(|(key, value)| {
                self.ask(key.get_ref());
                let key = Written { value: key.get_ref().to_string(), place: self.document.at(key.span()) };
                Entry { document: self.document, name: self.path(&key.value), key, value }
            })
            .collect()
    }

    /// A value of any type.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<Entry<'a>> {
        self.ask(key);
        let (written, value) = self.table.iter().find(|(written, _)| written.get_ref() == key)?;
        let written = Written { value: key.to_owned(), place: self.document.at(written.span()) };
        Some(Entry { document: self.document, name: self.path(key), key: written, value })
    }

    /// What a written word stands for; where it is none of the words, a fault with this code and message names them all.
    pub fn choice<T: Copy>(
        &self,
        written: Written<String>,
        choices: &[(&str, T)],
        code: &'static str,
        message: impl Into<String>,
    ) -> Option<T> {
        let known = choices.iter().find(|(word, _)| *word == written.value).map(|(_, choice)| *choice);
        if known.is_none() {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            let fault = Diagnostic::error(code, message).at(written.place).note(format!("there are {}", words.join(", ")));
            self.fault(fault.suggest(&written.value, words));
        }
        known
    }

    /// Whether a key is there.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.table.iter().any(|(written, _)| written.get_ref() == key)
    }

    /// Ends the reading: every key nobody asked for is a fault, with the near name offered.
    pub fn close(&self) {
        let asked = self.asked.borrow();
        for (key, _) in self.table {
            if !asked.contains(key.get_ref().as_ref()) {
                let known: Vec<&str> = asked.iter().map(String::as_str).collect();
                let message = match self.name.as_str() {
                    "" => format!("unknown key `{}`", key.get_ref()),
                    name => format!("unknown key `{}` in [{name}]", key.get_ref()),
                };
                let fault = Diagnostic::error("unknown-key", message).at(self.document.at(key.span()));
                let fault = fault.note(format!("known here: {}", known.join(", ")));
                self.fault(fault.suggest(key.get_ref(), known));
            }
        }
    }

    fn ask(&self, key: &str) {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(key) {
            asked.insert(key.to_owned());
        }
    }

    fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    fn title(&self) -> String {
        if self.name.is_empty() { "the file".to_owned() } else { format!("[{}]", self.name) }
    }
}

impl<'a> Entry<'a> {
    /// Where the value was written.
    #[must_use]
    pub fn place(&self) -> Place {
        self.document.at(self.value.span())
    }

    /// Notes a fault that a reader found in the value.
    pub fn fault(&self, fault: Diagnostic) {
        self.document.fault(fault);
    }

    /// The value as a text.
    #[must_use]
    pub fn text(&self) -> Option<Written<String>> {
        match self.value.get_ref() {
            DeValue::String(text) => self.written(text.to_string()),
            _ => self.wrong("a text in quotes"),
        }
    }

    /// The value as a whole number.
    #[must_use]
    pub fn integer(&self) -> Option<Written<i64>> {
        match self.value.get_ref() {
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => self.written(number),
                Err(_) => self.wrong("a whole number of 64 bits"),
            },
            _ => self.wrong("a whole number"),
        }
    }

    /// The value as a finite number.
    #[must_use]
    pub fn number(&self) -> Option<Written<f64>> {
        match self.value.get_ref() {
            DeValue::Integer(_) => {
                let whole = self.integer()?;
                #[allow(clippy::cast_precision_loss, reason = "a number somebody typed as a float would lose the same digits")]
                self.written(whole.value as f64)
            }
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(number) if number.is_finite() => self.written(number),
                _ => self.wrong("a finite number"),
            },
            _ => self.wrong("a number"),
        }
    }

    /// The value as true or false.
    #[must_use]
    pub fn truth(&self) -> Option<Written<bool>> {
        match self.value.get_ref() {
            DeValue::Boolean(truth) => self.written(*truth),
            _ => self.wrong("true or false"),
        }
    }

    /// The value as text, number or truth, in the words it was written with: for values whose type the reader decides.
    #[must_use]
    pub fn scalar(&self) -> Option<Written<String>> {
        match self.value.get_ref() {
            DeValue::String(text) => self.written(text.to_string()),
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {
                let text = self.document.source.text().get(self.value.span()).unwrap_or_default();
                self.written(text.to_owned())
            }
            _ => self.wrong("a text or a number"),
        }
    }

    /// The value as a list of texts; a single text counts as a list of one.
    #[must_use]
    pub fn texts(&self) -> Vec<Written<String>> {
        match self.value.get_ref() {
            DeValue::Array(items) => items.iter().filter_map(|value| self.item(value).text()).collect(),
            _ => self.text().into_iter().collect(),
        }
    }

    /// The value as a list of texts and numbers, each in the words it was written with; a single one counts as a list of
    /// one.
    #[must_use]
    pub fn scalars(&self) -> Vec<Written<String>> {
        match self.value.get_ref() {
            DeValue::Array(items) => items.iter().filter_map(|value| self.item(value).scalar()).collect(),
            _ => self.scalar().into_iter().collect(),
        }
    }

    /// Whether the value is a list.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.value.get_ref().is_array()
    }

    /// The value as a table, if it is one; no fault if it is not.
    #[must_use]
    pub fn as_table(&self) -> Option<Form<'a>> {
        if self.value.get_ref().is_table() { self.table() } else { None }
    }

    /// The value as a table.
    #[must_use]
    pub fn table(&self) -> Option<Form<'a>> {
        match self.value.get_ref() {
            DeValue::Table(table) => Some(Form {
                document: self.document,
                name: self.name.clone(),
                // A table of a header has no text of its own: its name is the place.
                span: if self.value.span().is_empty() { self.key.place.span.clone() } else { self.value.span() },
                table,
                asked: RefCell::default(),
            }),
            _ => {
                self.wrong::<()>("a table");
                None
            }
        }
    }

    /// The value as a list of tables.
    #[must_use]
    pub fn tables(&self) -> Vec<Form<'a>> {
        match self.value.get_ref() {
            DeValue::Array(items) => items.iter().filter_map(|value| self.item(value).table()).collect(),
            _ => {
                self.wrong::<()>("a list of tables");
                Vec::new()
            }
        }
    }

    fn item(&self, value: &'a Spanned<DeValue<'a>>) -> Self {
        Self { document: self.document, key: self.key.clone(), name: self.name.clone(), value }
    }

    /// The value with its place; an `Option` so that a match has one type.
    #[allow(clippy::unnecessary_wraps, reason = "the other arms of each match have none")]
    fn written<T>(&self, value: T) -> Option<Written<T>> {
        Some(Written { value, place: self.place() })
    }

    fn wrong<T>(&self, wanted: &str) -> Option<Written<T>> {
        let given = self.value.get_ref().type_str();
        let message = format!("`{}` is {}, where {wanted} is wanted", self.name, article(given));
        self.fault(Diagnostic::error("wrong-type", message).at(self.place()));
        None
    }
}

fn article(kind: &str) -> String {
    let an = kind.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {kind}", if an { "an" } else { "a" })
}

/// Reads a file of ordered rules: its tables `[rule.<name>]` in the order of the text, each by a reader that notes the faults of a
/// rule that is not whole.
///
/// # Errors
/// All faults of the file.
pub fn read_rules<T>(source: &Source, rule: impl Fn(&Entry<'_>) -> Option<T>) -> Result<Vec<T>, Faults> {
    let document = Document::parse(source);
    let form = document.form();
    check_schema(&form, 1);
    let entries = form.table("rule").map(|table| table.entries()).unwrap_or_default();
    let rules = entries.iter().filter_map(rule).collect();
    form.close();
    document.finish().map(|_| rules)
}

/// Checks the `schema` key of a file: absent is 1; a newer one is refused, and one below 1 is none.
pub fn check_schema(form: &Form<'_>, known: i64) {
    if let Some(schema) = form.integer("schema")
        && !(1..=known).contains(&schema.value)
    {
        let fault = if schema.value < 1 {
            Diagnostic::error("bad-schema", format!("there is no schema {}", schema.value)).help("the first one is 1")
        } else {
            Diagnostic::error("newer-schema", format!("schema {} is newer than this program knows ({known})", schema.value))
                .help("use a newer plimsoll, or write the file for an older schema")
        };
        form.fault(fault.at(schema.place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_that_never_was_is_not_called_newer() {
        for (text, code) in [("schema = 0", Some("bad-schema")), ("schema = 2", Some("newer-schema")), ("schema = 1", None)] {
            let source = Source::new("a.toml", text);
            let document = Document::parse(&source);
            check_schema(&document.form(), 1);
            let found = document.finish().err().map(|faults| faults.list()[0].code);
            assert_eq!(found, code, "{text}");
        }
    }

    #[test]
    fn all_faults_come_out_at_once() {
        let source =
            Source::new("plimsoll.toml", "schema = 9\ntilte = 1\n[site]\ntitle = 3\nurl = \"u\"\n[goals]\na = \"x\"\n= broken\n");
        let document = Document::parse(&source);
        let form = document.form();
        check_schema(&form, 1);
        assert_eq!(form.text("title"), None);
        let site = form.table("site").unwrap_or_else(|| unreachable!());
        assert_eq!(site.text("title"), None);
        assert_eq!(site.text("url").map(|t| t.value), Some("u".to_owned()));
        assert_eq!(site.wanted_text("name"), None);
        site.close();
        for goal in form.table("goals").map(|goals| goals.entries()).unwrap_or_default() {
            assert_eq!(goal.number(), None);
        }
        form.close();
        let faults = document.finish().err().unwrap_or_else(|| unreachable!());
        insta::assert_snapshot!(faults.to_string());
    }
}
