//! `--out csv`: RFC 4180 as Go's `encoding/csv` writes it, columns by the header.
//!
//! k6 writes `metric_name,timestamp,metric_value`, then the enabled system tags by name, `extra_tags`, `metadata`. Where a
//! file has the three in front, rows are compared with the ones before; any other order is read field by field.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::clock::TimeFormat;
use super::fault::{Fault, text_of};
use super::number::{self, Number};
use super::rows::{Layout, Row, Whole};
use super::tags::{Class, NAMES, Tagged, Tags, Told};
use super::tally::Time;

/// The columns of a file, and how it writes its times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    columns: Vec<String>,
    name: usize,
    time: usize,
    value: usize,
    tags: Tagged<Option<usize>>,
    pub(super) time_format: Option<TimeFormat>,
    /// The header's own bytes, line break included.
    pub(super) bytes: Vec<u8>,
}

const HELP: &str = "a row is what k6 writes: remove what was put between its rows, or write the file with --out csv=FILE again";

impl Header {
    /// Reads the header at the beginning of a file, and the format of the first row's time.
    pub(super) fn read(beginning: &[u8]) -> Result<Self, Fault> {
        let no_header =
            |what: String| Fault::new("no-samples", what, "give a file that k6 wrote with --out csv=FILE or --out json=FILE");
        let Some(end) = row_end(beginning, 0) else {
            return Err(no_header("the file ends within its header: it has no sample".to_owned()));
        };
        let text = std::str::from_utf8(&beginning[..end]).map_err(|_| no_header("the header is no text".to_owned()))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Some(columns) = fields(text) else { return Err(no_header("the header's quotes don't match".to_owned())) };
        let columns: Vec<String> = columns.into_iter().map(Cow::into_owned).collect();
        let find = |name: &str| columns.iter().position(|column| column == name);
        let missing: Vec<&str> =
            ["metric_name", "timestamp", "metric_value"].into_iter().filter(|name| find(name).is_none()).collect();
        let (Some(name), Some(time), Some(value)) = (find("metric_name"), find("timestamp"), find("metric_value")) else {
            return Err(no_header(format!("the header has no column {}", missing.join(", "))));
        };
        let mut seen = BTreeSet::new();
        if let Some(twin) = columns.iter().find(|column| !seen.insert(column.as_str())) {
            return Err(no_header(format!("the header has the column {twin} twice")));
        }
        let tags = NAMES.map(find);
        let mut header = Self { columns, name, time, value, tags, time_format: None, bytes: beginning[..end].to_vec() };
        header.time_format = header.first_time(beginning, end);
        Ok(header)
    }

    fn first_time(&self, beginning: &[u8], start: usize) -> Option<TimeFormat> {
        let end = row_end(beginning, start)?;
        let text = std::str::from_utf8(&beginning[start..end]).ok()?;
        TimeFormat::of(fields(text)?.get(self.time)?.as_bytes())
    }

    fn is_usual(&self) -> bool {
        (self.name, self.time, self.value) == (0, 1, 2)
    }

    /// The tags among fields that begin with the column `first`.
    fn tags<'a>(&self, fields: &[Cow<'a, str>], first: usize) -> Tags<'a> {
        let field = |column: Option<usize>| fields.get(column?.checked_sub(first)?).cloned();
        self.tags.map(|column| field(column).unwrap_or_default())
    }
}

/// Where a row ends: behind the first line break outside of quotes. A doubled quote closes and opens again.
pub(super) fn row_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let rest = bytes.get(at..)?;
        let next = memchr::memchr2(b'\n', b'"', rest)?;
        at += next + 1;
        if rest[next] == b'\n' {
            return Some(at);
        }
        at += memchr::memchr(b'"', bytes.get(at..)?)? + 1;
    }
}

/// The fields of a whole row or of a whole tail, line break included; `None` where its quotes are not as RFC 4180 has them.
fn fields(text: &str) -> Option<Vec<Cow<'_, str>>> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    let mut fields = Vec::with_capacity(20);
    let mut rest = text;
    loop {
        let (field, after) = field(rest)?;
        fields.push(field);
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => return after.is_empty().then_some(fields),
        }
    }
}

/// The first field, and what follows it.
fn field(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = memchr::memchr(b',', text.as_bytes()).unwrap_or(text.len());
        return (!text[..end].contains('"')).then_some((Cow::Borrowed(&text[..end]), &text[end..]));
    };
    let mut from = 0;
    loop {
        let quote = from + quoted[from..].find('"')?;
        if quoted[quote + 1..].starts_with('"') {
            from = quote + 2;
            continue;
        }
        let inner = &quoted[..quote];
        let field = if inner.contains('"') { Cow::Owned(inner.replace("\"\"", "\"")) } else { Cow::Borrowed(inner) };
        return Some((field, &quoted[quote + 1..]));
    }
}

/// A thread's view of a file.
#[derive(Clone, Debug)]
pub(super) struct Csv {
    header: Arc<Header>,
    /// Whether a time had a fraction of a second where the format leaves it out.
    pub(super) has_fractions: bool,
}

impl Csv {
    pub(super) fn new(header: Arc<Header>) -> Self {
        Self { header, has_fractions: false }
    }

    fn time_of(&mut self, text: &[u8]) -> Option<Time> {
        let format = self.header.time_format?;
        let time = Time::new(format.read(text)?);
        self.has_fractions |= format == TimeFormat::Rfc3339 && text.get(19) == Some(&b'.');
        Some(time)
    }

    /// Whether a line within quotes would be a row by itself.
    fn looks_like_a_row(&self, line: &str) -> bool {
        let (complete, _) = opened(line);
        let is_time = |field: &Cow<'_, str>| TimeFormat::of(field.as_bytes()).is_some() && !field.is_empty();
        complete.get(self.header.time).is_some_and(is_time)
            && complete.get(self.header.value).is_some_and(|field| number::parse(field).is_some())
    }

    fn refuse(&self, row: &str, fields: &[Cow<'_, str>]) -> Fault {
        let header = &self.header;
        let line = row.split('\n').next().unwrap_or(row);
        if row.as_bytes() == header.bytes || (fields.len() > 2 && fields.iter().zip(&header.columns).all(|(a, b)| a == b)) {
            let help = "these are two files put together: split them before this row, and give them one by one or as one run";
            return Fault::new("second-header", "here a second header begins", help);
        }
        if fields.len() > 2 && fields.iter().any(|f| f == "metric_name") && fields.iter().any(|f| f == "metric_value") {
            let help = "these are two files put together, with unlike columns: split them before this row";
            return Fault::new("second-header", "here a header with other columns begins", help);
        }
        if fields.len() != header.columns.len() {
            let (found, wanted) = (fields.len(), header.columns.len());
            let message = if line.trim().is_empty() {
                "here is an empty line among the rows".to_owned()
            } else {
                format!("this is no row: it has {found} column{}, the header has {wanted}", if found == 1 { "" } else { "s" })
            };
            return Fault::new("bad-row", message, HELP);
        }
        let span = |column: usize| span_of(row, column);
        let (name, time, value) = (&fields[header.name], &fields[header.time], &fields[header.value]);
        if name.is_empty() {
            return Fault::new("bad-row", "this row names no metric", HELP);
        }
        if number::parse(value).is_none() {
            return Fault::new("bad-row", format!("`{value}` is no number"), HELP).at(span(header.value));
        }
        self.refuse_time(time).at(span(header.time))
    }

    fn refuse_time(&self, time: &str) -> Fault {
        match (self.header.time_format, TimeFormat::of(time.as_bytes())) {
            (Some(wanted), Some(found)) if wanted != found => {
                let message = format!("`{time}` is a time in {}, the rows before have {}", found.name(), wanted.name());
                Fault::new("mixed-time", message, "give files of one K6_CSV_TIME_FORMAT; rows of several runs are several files")
            }
            _ => {
                let message = format!("`{time}` is no time that k6 writes");
                Fault::new(
                    "bad-time",
                    message,
                    "times are unix, unix_milli, unix_micro, unix_nano, rfc3339 or rfc3339_nano, after 1970",
                )
            }
        }
    }
}

/// The bytes of a column in a row.
fn span_of(row: &str, column: usize) -> std::ops::Range<usize> {
    let row = row.trim_end_matches(['\r', '\n']);
    let mut start = 0;
    for _ in 0..column {
        let after = field(&row[start..]).map_or("", |(_, after)| after);
        start = row.len() - after.strip_prefix(',').unwrap_or("").len();
    }
    start..row.len() - field(&row[start..]).map_or(0, |(_, after)| after.len())
}

impl Layout for Csv {
    const QUOTES: bool = true;

    fn header(&self) -> usize {
        self.header.bytes.len()
    }

    fn is_quick(&self) -> bool {
        self.header.is_usual() && self.header.time_format.is_some()
    }

    fn opening(&self, metric: &str) -> Vec<u8> {
        // A name that has to be quoted is none that k6 gives since v0.48; it matches no row, and is read field by field.
        if metric.contains(['"', ',', '\n', '\r']) { Vec::new() } else { [metric.as_bytes(), b","].concat() }
    }

    #[inline]
    fn name<'a>(&self, bytes: &'a [u8], start: usize) -> Option<(&'a [u8], usize)> {
        let rest = bytes.get(start..)?;
        let end = memchr::memchr(b',', rest)?;
        // A comma within quotes ends no name.
        (rest[0] != b'"').then(|| (&rest[..end], start + end + 1))
    }

    #[inline]
    fn time(&mut self, bytes: &[u8], start: usize) -> Option<(Time, usize)> {
        let rest = bytes.get(start..bytes.len().min(start + 40))?;
        let end = memchr::memchr(b',', rest)?;
        Some((self.time_of(&rest[..end])?, start + end + 1))
    }

    #[inline]
    fn value(&self, bytes: &[u8], start: usize) -> Option<(Number, usize)> {
        let (digits, end) = number::digits(bytes, start)?;
        Some((Number::Millionths(digits.millionths()), end))
    }

    #[inline]
    fn skip(&self, bytes: &[u8], start: usize) -> Option<usize> {
        number::digits(bytes, start).map(|(_, end)| end)
    }

    #[inline]
    fn end(&self, bytes: &[u8], tail: usize) -> Option<usize> {
        row_end(bytes, tail)
    }

    fn tags<'a>(&self, tail: &'a [u8]) -> Option<Tags<'a>> {
        let fields = fields(std::str::from_utf8(tail).ok()?)?;
        (fields.len() + 3 == self.header.columns.len()).then(|| self.header.tags(&fields, 3))
    }

    fn class(&self, tail: &[u8]) -> Option<Class> {
        if memchr::memchr(b'"', tail).is_some() {
            return Some(Class::of(&self.tags(tail)?, self.told()));
        }
        // Without quotes a column is what lies between two commas. What is ASCII is text, which is found out fast.
        if !tail.is_ascii() && std::str::from_utf8(tail).is_err() {
            return None;
        }
        let text = tail.strip_suffix(b"\n").unwrap_or(tail);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let columns = &self.header.tags;
        let mut tags = Tags::default();
        let (mut column, mut start) = (3, 0);
        for end in memchr::memchr_iter(b',', text).chain(std::iter::once(text.len())) {
            let here = Some(column);
            if here == columns.group || here == columns.scenario || here == columns.expected_response {
                let field = Cow::Borrowed(std::str::from_utf8(&text[start..end]).ok()?);
                let tag = match here {
                    _ if here == columns.group => &mut tags.group,
                    _ if here == columns.scenario => &mut tags.scenario,
                    _ => &mut tags.expected_response,
                };
                *tag = field;
            }
            (column, start) = (column + 1, end + 1);
        }
        (column == self.header.columns.len()).then(|| Class::of(&tags, self.told()))
    }

    fn whole<'a>(&mut self, bytes: &'a [u8], start: usize) -> Whole<'a> {
        let Some(end) = row_end(bytes, start) else { return Whole::Incomplete };
        let row = &bytes[start..end];
        let text = match text_of(row) {
            Ok(text) => text,
            Err(fault) => return Whole::Fault(fault),
        };
        let Some(fields) = fields(text) else {
            return Whole::Fault(Fault::new("bad-row", "this is no row: its quotes are not as in CSV", HELP));
        };
        let header = Arc::clone(&self.header);
        let known = fields.len() == header.columns.len() && !fields[header.name].is_empty();
        let time = if known { self.time_of(fields[header.time].as_bytes()) } else { None };
        let value = if known { number::parse(&fields[header.value]) } else { None };
        let (Some(time), Some(value)) = (time, value) else { return Whole::Fault(self.refuse(text, &fields)) };
        let metric = fields[header.name].clone();
        let tags = header.tags(&fields, 0);
        Whole::Row(Box::new(Row { metric, time, value, tags, end }))
    }

    fn cut(&self, rest: &[u8]) -> Option<Fault> {
        let text = String::from_utf8_lossy(rest);
        let mut lines = text.split('\n');
        let first = lines.next().unwrap_or_default();
        let (complete, open) = opened(first);
        let is_wrong = |at: usize, is: &dyn Fn(&str) -> bool| complete.get(at).is_some_and(|field| !is(field));
        let is_time = |field: &str| TimeFormat::of(field.as_bytes()).is_some();
        let wrong = is_wrong(self.header.time, &is_time)
            || is_wrong(self.header.value, &|field| number::parse(field).is_some())
            || complete.len() >= self.header.columns.len()
            || (!open && first.contains('"') && complete.iter().all(|field| !field.contains('"')))
            || lines.any(|line| self.looks_like_a_row(line));
        wrong.then(|| {
            Fault::new("bad-row", "here begins what is no row: a quote that nothing closes, or another program's line", HELP)
        })
    }

    fn told(&self) -> Told {
        Told { group: self.header.tags.group.is_some(), scenario: self.header.tags.scenario.is_some() }
    }
}

/// The complete fields of a row that was cut, and whether it was cut within quotes.
fn opened(line: &str) -> (Vec<Cow<'_, str>>, bool) {
    let (mut complete, mut rest) = (Vec::new(), line);
    while let Some((value, after)) = field(rest) {
        let Some(more) = after.strip_prefix(',') else { break };
        complete.push(value);
        rest = more;
    }
    (complete, rest.starts_with('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_ends_outside_of_quotes() {
        for (text, end) in [
            ("a,b\nc", Some(4)),
            ("a,\"b\nc\"\nd", Some(8)),
            ("a,\"b\"\"\nc\"\nd", Some(10)),
            ("\"\"\"\n\"\"\",x\ny", Some(10)),
            ("a,\"b\",\"c\nd\",e\nf", Some(14)),
            ("a,\"b\n", None),
            ("a,b", None),
        ] {
            assert_eq!(row_end(text.as_bytes(), 0), end, "{text:?}");
        }
    }

    #[test]
    fn a_name_in_quotes_is_never_compared() -> Result<(), Fault> {
        let csv = Csv::new(Arc::new(Header::read(b"metric_name,timestamp,metric_value\na,1,1.000000\n")?));
        assert_eq!((csv.opening("a"), csv.name(b"a,1,", 0)), (b"a,".to_vec(), Some((&b"a"[..], 2))));
        assert_eq!((csv.opening("a,b"), csv.name(b"\"a,b\",1,", 0)), (Vec::new(), None));
        Ok(())
    }

    #[test]
    fn fields_are_unquoted() {
        let read = fields("a,\"b,\"\"c\"\"\nd\",,\"\",e\r\n").unwrap_or_default();
        assert_eq!(read, ["a", "b,\"c\"\nd", "", "", "e"]);
        assert_eq!(fields("\n").unwrap_or_default(), [""]);
        assert_eq!((fields("a\"b\",c"), fields("\"a\"b,c"), fields("\"a")), (None, None, None));
    }

    #[test]
    fn the_span_of_a_column_is_found() {
        let row = "a,\"x,y\",1.5,z\n";
        assert_eq!(&row[span_of(row, 2)], "1.5");
        assert_eq!(&row[span_of(row, 1)], "\"x,y\"");
        assert_eq!(&row[span_of(row, 3)], "z");
    }
}
