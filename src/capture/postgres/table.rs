//! Rows by column names, whatever they were written in: `psql --csv`, a JSON array, a JSON object a line, or an object around an
//! array (`{"captured_at": ..., "statements": [...]}`).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use serde_json::value::RawValue;

use super::super::json;
use super::moment;
use crate::diagnostic::{Diagnostic, Faults, FirstFaults};
use crate::limits::{VIEW_BYTES, VIEW_COLUMNS, VIEW_WEIGHT};
use crate::source::{Place, Source, Span};

/// A table.
pub(super) struct Table {
    source: Source,
    /// The text as it may be shown: rows that hold statements or settings without their letters and digits, places kept.
    shown: Source,
    is_json: bool,
    columns: BTreeMap<String, usize>,
    /// Its rows, in the order of the file.
    pub(super) rows: Vec<Row>,
    /// What stands around the rows and is of all of them.
    pub(super) around: BTreeMap<String, String>,
    /// What stands where rows should, and is none.
    strays: Vec<(Span, &'static str)>,
}

/// A row.
pub(super) struct Row {
    /// Its cells in the order of the columns; an empty one is none, since `psql --csv` writes NULL as nothing.
    cells: Vec<Option<String>>,
    /// Where it stands.
    pub(super) span: Span,
}

/// Whether a text is JSON rather than CSV.
pub(super) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

impl Table {
    /// Reads a text.
    ///
    /// # Errors
    /// `bad-capture` where it is no JSON, or where rows have another number of cells than the header.
    pub(super) fn read(source: &Source) -> Result<Self, Faults> {
        if is_json(source.text()) { read_json(source) } else { read_csv(source) }
    }

    /// The names of its columns.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(String::as_str)
    }

    /// Tells of what stands where rows should and is none: only of a table that is of a view, since other documents may hold anything.
    ///
    /// # Errors
    /// `bad-capture` at each of them.
    pub(super) fn checked(self) -> Result<Self, Faults> {
        let mut faults = FirstFaults::default();
        for (span, what) in &self.strays {
            faults.push(|| Diagnostic::error("bad-capture", *what).at(self.shown.at(span.start..span.start)));
        }
        Faults::check(faults.told()).map(|_| self)
    }

    /// Whether it has a column.
    pub(super) fn has(&self, column: &str) -> bool {
        self.columns.contains_key(column)
    }

    /// The text of a cell.
    pub(super) fn text<'a>(&'a self, row: &'a Row, column: &str) -> Option<&'a str> {
        row.cells.get(*self.columns.get(column)?)?.as_deref()
    }

    /// The column that holds the moment of a row, or the value around all rows.
    pub(super) fn has_moment(&self) -> bool {
        moment::COLUMNS.iter().any(|column| self.has(column) || self.around.contains_key(*column))
    }

    /// The place of a cell.
    pub(super) fn place(&self, row: &Row, column: &str) -> Place {
        let text = self.source.text().get(row.span.clone()).unwrap_or_default();
        let here = |start: usize, len: usize| self.shown.at(row.span.start + start..row.span.start + start + len);
        if self.is_json {
            let key = format!("\"{column}\"");
            return text.find(&key).map_or_else(|| here(0, 0), |at| here(at, key.len()));
        }
        let Some(index) = self.columns.get(column) else { return here(0, 0) };
        let (mut from, mut found) = (0, here(0, 0));
        for cell in row.cells.iter().take(index + 1).flatten() {
            if let Some(at) = text.get(from..).and_then(|rest| rest.find(cell.as_str())) {
                found = here(from + at, cell.len());
                from += at + cell.len();
            }
        }
        found
    }
}

/// The names in the first line of a CSV.
pub(super) fn header(source: &Source) -> Vec<String> {
    names(&mut reader(source))
}

fn reader(source: &Source) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().flexible(true).from_reader(source.text().as_bytes())
}

fn names(reader: &mut csv::Reader<&[u8]>) -> Vec<String> {
    reader.headers().map(|names| names.iter().map(|name| name.trim().to_owned()).collect()).unwrap_or_default()
}

fn read_csv(source: &Source) -> Result<Table, Faults> {
    let mut reader = reader(source);
    // Read before the rows, so that the first of them begins behind it.
    let header = names(&mut reader);
    if header.len() > VIEW_COLUMNS {
        return Err(too_heavy(source).into());
    }
    let shown = without_words(source, &header);
    let (mut rows, mut faults, mut record) = (Vec::new(), FirstFaults::default(), csv::StringRecord::new());
    loop {
        let start = offset(reader.position());
        match reader.read_record(&mut record) {
            Ok(false) => break,
            // The text is UTF-8 already, and cells may differ in number: nothing else can be wrong with CSV.
            Err(error) => {
                faults.push(|| Diagnostic::error("bad-capture", format!("this is no CSV: {error}")).at(shown.at(start..start)));
                break;
            }
            // `\watch` writes the header again each time.
            Ok(true) if record.iter().eq(header.iter().map(String::as_str)) => {}
            Ok(true) if record.len() != header.len() => {
                let cells = record.len();
                let message = format!("this row has {cells} cells, the header {}", header.len());
                faults.push(|| Diagnostic::error("bad-capture", message).at(line_at(&shown, start)).help("is the file cut off?"));
            }
            Ok(true) => {
                if weighs_too_much(weight(rows.len(), header.len()), source.text().len()) {
                    return Err(too_heavy(source).into());
                }
                let cells = record.iter().map(|cell| Some(cell).filter(|cell| !cell.is_empty()).map(str::to_owned)).collect();
                rows.push(Row { cells, span: start..offset(reader.position()) });
            }
        }
    }
    Faults::check(faults.told())?;
    let columns = header.into_iter().enumerate().map(|(at, name)| (name, at)).collect();
    Ok(Table { source: source.clone(), shown, is_json: false, columns, rows, around: BTreeMap::new(), strays: Vec::new() })
}

/// What the rows of a table weigh.
fn weight(rows: usize, columns: usize) -> usize {
    rows.saturating_mul(columns.saturating_add(4))
}

/// Whether a table is more than its text is worth: rows of a few letters, or columns of which each row has one.
fn weighs_too_much(weight: usize, bytes: usize) -> bool {
    weight > VIEW_WEIGHT && bytes / VIEW_BYTES < weight
}

fn too_heavy(source: &Source) -> Diagnostic {
    let message = "a table of so many rows and columns, and so few letters in each, is no view of PostgreSQL";
    Diagnostic::error("large-table", message).at(source.at(0..0)).help("save the rows of one view as `psql --csv` prints them")
}

/// Columns in which anything may stand that somebody typed: passwords, tokens, keys.
const TYPED: [&str; 4] = ["query", "setting", "boot_val", "reset_val"];

/// The text without the letters and digits of its rows where they hold what somebody typed: a fault tells line and column, and a row
/// that is broken has its cells anywhere.
fn without_words(source: &Source, header: &[String]) -> Source {
    if !header.iter().any(|name| TYPED.contains(&name.as_str())) {
        return source.clone();
    }
    let text = source.text();
    let (first, rows) = text.split_at(text.find('\n').unwrap_or(text.len()));
    let star = |c: char| if c.is_alphanumeric() { "*".repeat(c.len_utf8()) } else { c.to_string() };
    Source::excerpt(source.name(), first.to_owned() + &rows.chars().map(star).collect::<String>(), source.first_line())
}

fn offset(position: &csv::Position) -> usize {
    usize::try_from(position.byte()).unwrap_or(usize::MAX)
}

fn line_at(source: &Source, offset: usize) -> Place {
    let rest = source.text().get(offset..).unwrap_or_default();
    source.at(offset..offset + rest.find(['\r', '\n']).unwrap_or(rest.len()))
}

fn read_json(source: &Source) -> Result<Table, Faults> {
    let text = source.text();
    let fault = |error: &serde_json::Error| Faults::from(json::fault(source, error, "rows of a view of PostgreSQL"));
    let mut found = Found { bytes: text.len(), ..Found::default() };
    for value in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
        found.add(value.map_err(|error| fault(&error))?);
    }
    if found.is_too_heavy() {
        return Err(too_heavy(source).into());
    }
    let Found { rows, around, strays, .. } = found;
    let mut names = BTreeSet::new();
    for (_, cells) in &rows {
        names.extend(cells.keys().cloned());
    }
    // A row has a cell for every name that any row has.
    if weighs_too_much(weight(rows.len(), names.len()), text.len()) {
        return Err(too_heavy(source).into());
    }
    let span = |raw: &RawValue| json::span(source, raw.get());
    let rows = rows.into_iter().map(|(raw, mut cells)| {
        let cells = names.iter().map(|name| cells.remove(name).and_then(|value| cell(&value))).collect();
        Row { cells, span: span(raw) }
    });
    let rows = rows.collect();
    let columns = names.into_iter().enumerate().map(|(at, name)| (name, at)).collect();
    let strays = strays.into_iter().map(|(raw, what)| (span(raw), what)).collect();
    Ok(Table { source: source.clone(), shown: source.clone(), is_json: true, columns, rows, around, strays })
}

type Fields<'a> = (&'a RawValue, BTreeMap<String, Value>);

/// Rows of JSON as they are found.
#[derive(Default)]
struct Found<'a> {
    rows: Vec<Fields<'a>>,
    around: BTreeMap<String, String>,
    strays: Vec<(&'a RawValue, &'static str)>,
    /// What the rows weigh.
    weight: usize,
    /// The length of the whole text.
    bytes: usize,
}

impl<'a> Found<'a> {
    fn is_too_heavy(&self) -> bool {
        weighs_too_much(self.weight, self.bytes)
    }

    /// Whether a row of so many fields may be kept with the others: one of JSON weighs three times as much as one of CSV.
    fn has_room(&mut self, fields: usize) -> bool {
        self.weight += 3 * weight(1, fields);
        !self.is_too_heavy()
    }

    /// The rows of a value: the objects of an array, those of an array inside an object, or the object itself.
    fn add(&mut self, value: &'a RawValue) {
        if let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(value.get()) {
            return self.add_list(list);
        }
        let Ok(fields) = serde_json::from_str::<BTreeMap<String, &RawValue>>(value.get()) else {
            return self.strays.push((value, "this is no row of a view"));
        };
        let list = |field: &&'a RawValue| serde_json::from_str::<Vec<&'a RawValue>>(field.get()).ok();
        let has_rows = |list: &Vec<&RawValue>| list.first().is_some_and(|first| first.get().starts_with('{'));
        let mut lists = fields.values().filter_map(|field| Some((*field, list(field).filter(has_rows)?)));
        let Some((_, inside)) = lists.next() else {
            // An object of a million members is made only if it may be.
            let made = if self.has_room(fields.len()) { serde_json::from_str(value.get()).ok() } else { None };
            return self.rows.extend(made.map(|fields| (value, fields)));
        };
        self.strays.extend(lists.map(|(field, _)| (field, "this is a second list of rows: save the rows of one view a file")));
        self.add_list(inside);
        let scalars = fields.iter().filter_map(|(name, raw)| Some((name.clone(), cell(&serde_json::from_str(raw.get()).ok()?)?)));
        self.around.extend(scalars);
    }

    fn add_list(&mut self, list: Vec<&'a RawValue>) {
        for raw in list {
            match serde_json::from_str::<BTreeMap<String, Value>>(raw.get()) {
                Ok(fields) if self.has_room(fields.len()) => self.rows.push((raw, fields)),
                Ok(_) => {}
                Err(_) => self.strays.push((raw, "this is no row, but stands among rows")),
            }
        }
    }
}

/// A JSON value as `psql --csv` prints it. Integers keep all digits.
fn cell(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Bool(yes) => Some(if *yes { "t" } else { "f" }.to_owned()),
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::Cells;
    use super::*;

    fn table(text: &str) -> Table {
        Table::read(&Source::new("t", text)).unwrap_or_else(|e| unreachable!("{e:?}"))
    }

    fn cells(table: &Table) -> Vec<(Option<&str>, Option<&str>)> {
        table.rows.iter().map(|row| (table.text(row, "a"), table.text(row, "b"))).collect()
    }

    #[test]
    fn csv_and_every_form_of_json_give_the_same_rows() {
        let texts = [
            "a,b\n5733393822532372755,t\n-1,\n",
            r#"[{"a": 5733393822532372755, "b": true}, {"b": null, "a": "-1"}]"#,
            "{\"b\":true,\"a\":5733393822532372755}\n{\"a\":-1}\n",
            r#"{"captured_at": "x", "list": [{"a": 5733393822532372755, "b": true}, {"a": -1, "b": ""}]}"#,
        ];
        for text in texts {
            assert_eq!(cells(&table(text)), [(Some("5733393822532372755"), Some("t")), (Some("-1"), None)], "{text}");
        }
    }

    #[test]
    fn what_stands_among_rows_and_is_none_is_pointed_at() {
        let places = |text: &str| match Table::read(&Source::new("t", text)).and_then(Table::checked) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.list().iter().map(|fault| fault.places[0].to_string()).collect::<Vec<_>>(),
        };
        assert_eq!(places("[{\"a\": 1}]"), Vec::<String>::new());
        assert_eq!(places("[{\"a\": 1},\n null,\n [{\"a\": 2}]]"), ["t:2:2", "t:3:2"]);
        assert_eq!(places("{\"a\": 1}\n7"), ["t:2:1"]);
        assert_eq!(places("{\"databases\": [{\"a\": 1}],\n\"statements\": [{\"b\": 1}]}"), ["t:2:15"]);
    }

    #[test]
    fn a_header_written_again_is_no_row() {
        assert_eq!(cells(&table("a,b\n1,2\na,b\n3,4\n")), [(Some("1"), Some("2")), (Some("3"), Some("4"))]);
    }

    #[test]
    fn faults_name_line_and_column() {
        let at = |text: &str, column: &str| {
            let table = table(text);
            let mut cells = Cells::of(&table);
            for row in &table.rows {
                cells.count(row, column);
            }
            match cells.checked(()) {
                Ok(()) => unreachable!("no fault"),
                Err(faults) => faults.list().iter().map(|fault| fault.places[0].to_string()).collect::<Vec<_>>(),
            }
        };
        assert_eq!(at("a,b\n1,2\n1,-2\n", "b"), ["t:3:3"]);
        assert_eq!(at("[{\"a\": 1},\n {\"a\": \"x\"}]", "a"), ["t:2:3"]);
        let cut = Table::read(&Source::new("t", "a,b\n1,2\n1\n2"));
        assert_eq!(cut.err().map(|faults| faults.list().len()), Some(2));
        assert!(Table::read(&Source::new("t", "[{\"a\": 1}")).is_err());
    }
}
