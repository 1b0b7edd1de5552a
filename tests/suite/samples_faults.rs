//! What bad raw files get: a fault with file, byte and row, or, where the end alone is missing, the whole rows and a warning;
//! in small files, and where two threads meet in big ones.

use std::sync::LazyLock;

use plimsoll::fs::raw::Progress;
use plimsoll::samples::{self, Unread, Wanted};
use serde_json::Value;

use super::command::{Answer, Folder};
use super::meanwhile::while_written;
use super::samples_reference::{self as reference};
use super::samples_rows::{self as rows, DEFAULT, KINDS, RUNNER, Row, START};

/// The size of the parts of a file that are read at once.
const BLOCK: usize = 256 * 1024;

fn small() -> Vec<Row> {
    rows::run(4, 3, 4)
}

/// Where a fault was put: its byte, and the number of its row.
struct Spot {
    byte: usize,
    row: usize,
}

/// A file that has some bytes between the rows of a run, and where they are.
fn among(rows: &[Row], at: usize, bad: &[u8]) -> (Vec<u8>, Spot) {
    let (head, tail) = rows.split_at(at);
    let mut bytes = rows::plain(head);
    let spot = Spot { byte: bytes.len(), row: at + 1 };
    bytes.extend_from_slice(bad);
    for row in tail {
        bytes.extend_from_slice(rows::csv_line(row, &DEFAULT, "unix").as_bytes());
    }
    (bytes, spot)
}

/// A file of filling rows with some bytes exactly at a place, and the number of the row there.
struct Placed {
    bytes: Vec<u8>,
    rows: usize,
}

impl Placed {
    fn new() -> Self {
        Self { bytes: rows::header(&RUNNER).into_bytes(), rows: 0 }
    }

    fn filling(&self, length: usize) -> String {
        let second = START + i64::try_from(self.bytes.len() / 100_000).unwrap();
        let millis = self.rows * 7919 % 1_000;
        let line = format!("a_duration,{second},{millis}.{:06},,,,,,,,default,,,\n", self.bytes.len() % 1_000_000);
        let short = length.checked_sub(line.len()).unwrap_or_else(|| panic!("{length} is too short for a row"));
        line.replace(",\n", &format!(",{}\n", "m".repeat(short)))
    }

    /// Fills up to a place with rows of about a hundred bytes, and one of the length that is left.
    fn up_to(mut self, place: usize) -> Self {
        while self.bytes.len() < place {
            let left = place - self.bytes.len();
            let length = if left > 300 { 90 + self.rows % 40 } else { left };
            let line = self.filling(length);
            self.bytes.extend_from_slice(line.as_bytes());
            self.rows += 1;
        }
        assert_eq!(self.bytes.len(), place);
        self
    }

    fn with(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self.rows += 1;
        self
    }
}

#[track_caller]
fn refused(answer: Answer, code: &str, file: &str, spot: Option<&Spot>) {
    let Answer { out, talk, status } = answer;
    assert_eq!(status, 3, "{code}: out:\n{}\ntalk:\n{talk}", out.chars().take(2_000).collect::<String>());
    assert!(talk.contains(&format!("[{code}]")), "no `{code}` in:\n{talk}");
    assert!(talk.contains(file), "no `{file}` in:\n{talk}");
    if let Some(Spot { byte, row }) = spot {
        assert!(says_number(&talk, "byte", *byte), "no byte {byte} in:\n{talk}");
        assert!(says_number(&talk, "row", *row), "no row {row} in:\n{talk}");
    }
    assert!(talk.len() < 4_000, "{} bytes of talk", talk.len());
}

/// Whether a text says `byte 12` or `byte 1,234`, and not `byte 123`.
fn says_number(talk: &str, word: &str, number: usize) -> bool {
    let plain = talk.replace(',', "");
    let wanted = format!("{word} {number}");
    let mut found = plain.match_indices(&wanted);
    found.any(|(at, _)| !plain[at + wanted.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

/// Bytes that are no row, each with the code that they get and whether the fault can be told at its very row.
fn bad_rows() -> Vec<(&'static str, Vec<u8>)> {
    let log = br#"time="2026-11-30T09:37:35Z" level=info msg="hello, world" source=console"#;
    let cells =
        |name: &str, time: &str, value: &str| format!("{name},{time},{value}{}\n", ",".repeat(DEFAULT.len() - 3)).into_bytes();
    vec![
        ("bad-row", [log.as_slice(), b"\n"].concat()),
        ("bad-row", b"INFO[0001] hello\n".to_vec()),
        ("bad-row", b"\n".to_vec()),
        ("bad-row", b"http_reqs,1796031455,1.000000\n".to_vec()),
        ("bad-row", b"http_reqs,1796031455,1.000000,,,,,,,,,,,,,,,,,,,\n".to_vec()),
        ("bad-row", cells("a_duration", "1796031455", "fast")),
        ("bad-row", cells("a_duration", "1796031455", "")),
        ("bad-row", cells("a_duration", "1796031455", "1.5.5")),
        ("bad-row", cells("a_duration", "1796031455", "0x10")),
        ("bad-row", cells("", "1796031455", "1.000000")),
        ("bad-time", cells("a_duration", "", "1.000000")),
        ("bad-time", cells("a_duration", "-1796031455", "1.000000")),
        ("bad-time", cells("a_duration", "yesterday", "1.000000")),
        ("bad-time", cells("a_duration", "2026-13-30T09:37:35Z", "1.000000")),
        ("mixed-time", cells("a_duration", "1796031455123", "1.000000")),
        ("mixed-time", cells("a_duration", "2026-11-30T09:37:35Z", "1.000000")),
        ("second-header", rows::header(&DEFAULT).into_bytes()),
        (
            "bad-utf8",
            cells("a_duration\u{1}", "1796031455", "1.000000").into_iter().map(|b| if b == 1 { 0xff } else { b }).collect(),
        ),
    ]
}

#[test]
fn every_fault_is_told_with_file_byte_and_row() {
    let rows = small();
    for (code, bad) in bad_rows() {
        for at in [0, 1, rows.len() / 2, rows.len()] {
            // A first row sets the format that the second is held against.
            if code == "mixed-time" && at == 0 {
                continue;
            }
            let (bytes, spot) = among(&rows, at, &bad);
            let folder = Folder::new().file("metrics.csv", bytes);
            refused(folder.plimsoll(&["series", "metrics.csv"]), code, "metrics.csv", Some(&spot));
        }
    }
}

#[test]
fn a_fault_gets_every_command_and_no_record() {
    let (bytes, spot) = among(&small(), 30, b"INFO[0001] hello\n");
    let folder = Folder::new().file("metrics.csv", &bytes).file("metrics.csv.gz", rows::gz(&bytes));
    for file in ["metrics.csv", "metrics.csv.gz"] {
        for verb in [&["series"][..], &["summary"], &["errors"], &["ingest", "--release", "v1", "--target", "a"]] {
            refused(folder.plimsoll(&[verb, &[file]].concat()), "bad-row", file, Some(&spot));
        }
    }
    assert!(folder.files("data").is_empty());
    refused(folder.plimsoll_with_input(&["series", "-"], &bytes), "bad-row", "-", Some(&spot));
}

/// The same faults where a file is read by two threads: far behind its beginning, and at the seams.
#[test]
fn faults_are_told_far_into_a_file() {
    let of = |row: &Row| rows::csv_line(row, &RUNNER, "unix").into_bytes();
    let bad_rows: [(&str, Vec<u8>); 7] = [
        ("bad-row", b"time=\"2026-11-30T09:37:35Z\" level=info msg=\"hello\"\n".to_vec()),
        ("bad-row", of(&Row::new("a_duration", 0, 1.0)).iter().map(|b| if *b == b'.' { b'x' } else { *b }).collect()),
        ("bad-row", b"a_duration,1796031455,1.000000,,,,,,,,,,,,,\n".to_vec()),
        ("bad-time", b"a_duration,soon,1.000000,,,,,,,,,,,\n".to_vec()),
        ("mixed-time", b"a_duration,1796031455123,1.000000,,,,,,,,,,,\n".to_vec()),
        ("second-header", rows::header(&RUNNER).into_bytes()),
        ("bad-utf8", b"a_dur\xffation,1796031455,1.000000,,,,,,,,,,,\n".to_vec()),
    ];
    for (at, (code, bad)) in bad_rows.iter().enumerate() {
        for block in [2, 4] {
            let place = block * BLOCK + [0, 1, 2, 700, BLOCK - 1, BLOCK - 2, 100_000][at];
            let placed = Placed::new().up_to(place);
            let spot = Spot { byte: place, row: placed.rows + 1 };
            let placed = placed.with(bad);
            let end = placed.bytes.len() + BLOCK;
            let folder = Folder::new().file("metrics.csv", placed.up_to(end).bytes);
            let threads = if at % 2 == 0 { "2" } else { "1" };
            refused(folder.plimsoll_on_threads(threads, &["series", "metrics.csv"]), code, "metrics.csv", Some(&spot));
        }
    }
}

/// A quote that nothing closes would make one name of all rows behind it.
#[test]
fn a_quote_that_nothing_closes_is_told_where_it_opens() {
    let rows = small();
    let quoted: Vec<Row> = rows.iter().cloned().map(|row| row.tag("name", "a, b")).collect();
    for bad in [
        &b"time=\"2026-11-30T09:37:35Z level=info\n"[..],
        b"\"open\n",
        b"checks,1796031455,1.000000,\"open,,,,,,,,,,,,,,,\n",
        b"a\"b,\"\n",
    ] {
        // Other names with quotes behind it may close it again, by chance and in the wrong place.
        for rows in [&rows, &quoted] {
            for at in [0, 1, rows.len() / 2, rows.len() - 1] {
                let (bytes, spot) = among(rows, at, bad);
                let folder = Folder::new().file("metrics.csv", bytes);
                let Answer { out, talk, status } = folder.plimsoll(&["series", "metrics.csv"]);
                let shown = String::from_utf8_lossy(bad);
                assert_eq!((status, out.as_str()), (3, ""), "{shown} at {at}: {talk}");
                assert!(says_number(&talk, "byte", spot.byte) && says_number(&talk, "row", spot.row), "{shown} at {at}: {talk}");
            }
        }
    }
    for (place, rest) in [(2 * BLOCK + 77, 300_000), (3 * BLOCK - 3, 3 * BLOCK), (BLOCK, 5_000)] {
        let placed = Placed::new().up_to(place);
        let spot = Spot { byte: place, row: placed.rows + 1 };
        let bytes = placed.with(b"checks,1796031455,1.000000,\"open,,,,,,,,,,\n").up_to(place + 50 + rest).bytes;
        let folder = Folder::new().file("metrics.csv", &bytes).file("metrics.csv.gz", rows::gz(&bytes));
        for file in ["metrics.csv", "metrics.csv.gz"] {
            let Answer { talk, status, .. } = folder.plimsoll(&["series", file]);
            assert_eq!(status, 3, "{file}, open at {place}: {talk}");
            assert!(says_number(&talk, "byte", spot.byte) && says_number(&talk, "row", spot.row), "{file}: {talk}");
        }
    }
}

#[test]
fn of_two_faults_the_first_is_told_whatever_the_threads() {
    let first = Placed::new().up_to(BLOCK - 30);
    let spot = Spot { byte: first.bytes.len(), row: first.rows + 1 };
    let bytes = first.with(b"one,line\n").up_to(3 * BLOCK + 2).with(b"another\n").up_to(4 * BLOCK).bytes;
    let folder = Folder::new().file("metrics.csv", bytes);
    for threads in ["1", "2", "4"] {
        refused(folder.plimsoll_on_threads(threads, &["series", "metrics.csv"]), "bad-row", "metrics.csv", Some(&spot));
    }
}

/// A row whose every byte comes to lie at a seam: quotes, doubled quotes, line breaks, the whole fake row inside.
#[test]
fn names_that_look_like_rows_are_names_at_every_seam() {
    let row = Row::new("checks", 1_000_000_000, 0.0)
        .tag("check", "a\"\nhttp_reqs,1796031455,1.000000,,\"\",,\r\n\"\n")
        .tag("scenario", "default");
    let line = rows::csv_line(&row, &RUNNER, "unix").into_bytes();
    // Each file has the row at four seams, each with another of its telling bytes right behind or before the seam.
    let telling = |at: &usize| line[at.saturating_sub(1)..(at + 1).min(line.len())].iter().any(|byte| b"\"\r\n".contains(byte));
    let moved: Vec<usize> = (0..=line.len()).filter(telling).collect();
    for group in moved.chunks(4) {
        let file = group.iter().enumerate().fold(Placed::new(), |placed, (at, byte)| {
            let seam = (at + 1) * BLOCK;
            placed.up_to(seam - byte).with(&line)
        });
        let end = file.bytes.len() + 2_000;
        reads_true(&file.up_to(end).bytes, &format!("bytes {group:?} of the row at the seams"));
    }
}

/// Line ends of plain rows at a seam and two bytes around it.
#[test]
fn rows_that_end_at_a_seam_are_whole() {
    for off in [-2_i64, -1, 0, 1, 2] {
        let places = (1..=2_usize).map(|block| usize::try_from(i64::try_from(block * BLOCK).unwrap() + off).unwrap());
        let bytes = places.fold(Placed::new(), Placed::up_to).up_to(2 * BLOCK + 50_000).bytes;
        reads_true(&bytes, &format!("line ends at seams {off:+}"));
        // The file's end at a seam.
        let whole = Placed::new().up_to(usize::try_from(i64::try_from(BLOCK).unwrap() + off).unwrap());
        reads_true(&whole.bytes, &format!("the end at a seam {off:+}"));
    }
}

/// Names that are longer than what is read at once.
#[test]
fn a_name_of_several_seams_is_one_name() {
    let fake = "\nhttp_reqs,1796031455,1.000000,,,,,,,,,,,\n";
    for length in [BLOCK - 60, BLOCK + BLOCK / 2] {
        let name = fake.repeat(length / fake.len());
        let row = Row::new("checks", 1_000_000_000, 0.0).tag("check", &name);
        let placed = Placed::new().up_to(BLOCK / 2).with(rows::csv_line(&row, &RUNNER, "unix").as_bytes());
        let end = placed.bytes.len() + BLOCK;
        reads_true(&placed.up_to(end).bytes, &format!("a name of {length} bytes"));
    }
}

/// Reads a file on one thread and two, and holds both against the reference.
fn reads_true(bytes: &[u8], what: &str) {
    let raw = reference::read(bytes);
    let folder = Folder::new().file("metrics.csv", bytes);
    let say = |threads, args: &[&str]| folder.plimsoll_on_threads(threads, args).exits(0).out;
    let series = say("2", &["series", "metrics.csv"]);
    let summary = say("2", &["summary", "metrics.csv", "--format", "json"]);
    let told: Value = serde_json::from_str(&summary).unwrap();
    let faults: Vec<String> =
        reference::series_faults(&series, &raw.series()).into_iter().chain(reference::summary_faults(&told, &raw)).collect();
    assert!(faults.is_empty(), "{what}: {} differences:\n{}", faults.len(), faults[..faults.len().min(5)].join("\n"));
    assert!(summary == say("1", &["summary", "metrics.csv", "--format", "json"]), "{what}: one thread says another thing");
    // A stream is cut into pieces at other places.
    let folder = Folder::new().file("metrics.csv", rows::gz(bytes));
    let unpacked = folder.plimsoll(&["summary", "metrics.csv", "--format", "json"]).exits(0).out;
    assert!(summary == unpacked, "{what}: the archive says another thing");
}

/// Objects a line at the seams: escapes that must not be torn.
#[test]
fn objects_at_seams_are_whole() {
    let row = Row::new("checks", 1_000_000_000, 0.0).tag("check", "\\\"}\n{\"metric\":\"http_reqs\",\"type\":\"Point\"\\");
    let filling: Vec<Row> = (0..9_000).map(|at| Row::new("a_duration", at * 1_000_000, 1.0 + at as f64 / 7.0)).collect();
    let line = rows::json(&[row], &[], 2);
    let mut bytes = rows::json(&[], &KINDS, 2);
    let mut seam = BLOCK;
    for (at, one) in filling.iter().enumerate() {
        bytes.extend(rows::json(std::slice::from_ref(one), &[], 2));
        let left = seam.saturating_sub(bytes.len());
        if left < 250 {
            // A longer tag moves the line of interest to where its middle is torn.
            let pad = left.saturating_sub(line.len() / 2 + at % 20);
            let padded = Row::new("a_duration", 0, 1.5).tag("url", &"u".repeat(pad));
            bytes.extend(rows::json(&[padded], &[], 2));
            bytes.extend_from_slice(&line);
            seam += BLOCK;
        }
    }
    assert!(seam > 2 * BLOCK, "{} bytes", bytes.len());
    reads_true(&bytes, "objects at seams");
}

#[test]
fn a_line_of_many_megabytes_is_refused() {
    let place = 3 * BLOCK + 5;
    let placed = Placed::new().up_to(place);
    let spot = Spot { byte: place, row: placed.rows + 1 };
    let long = [&b"checks,1796031455,1.000000,"[..], &vec![b'x'; 12 << 20], b",,,,,,,,,,\n"].concat();
    let bytes = placed.with(&long).bytes;
    let folder = Folder::new().file("metrics.csv", &bytes).file("metrics.csv.gz", rows::gz(&bytes));
    refused(folder.plimsoll(&["series", "metrics.csv"]), "long-row", "metrics.csv", Some(&spot));
    refused(folder.plimsoll(&["series", "metrics.csv.gz"]), "long-row", "metrics.csv.gz", Some(&spot));
    // A line that ends the file without its end, and a quoted name that never ends.
    let endless = [&bytes[..place], b"checks,1796031455,1.000000,\"", &vec![b'\n'; 12 << 20]].concat();
    let answer = Folder::new().file("metrics.csv", endless).plimsoll(&["series", "metrics.csv"]);
    assert_eq!(answer.status, 3, "{}", answer.talk);
}

/// A row that is a little too long is refused wherever its end lies, in a file and in a stream.
#[test]
fn a_row_is_too_long_by_its_own_length_alone() {
    for (length, place) in [(1 << 20, 3 * BLOCK + 5), ((1 << 20) + 900, 3 * BLOCK + 5), ((1 << 20) + 900, 4 * BLOCK - 300)] {
        let placed = Placed::new().up_to(place);
        let spot = Spot { byte: place, row: placed.rows + 1 };
        let (head, tail) = (b"checks,1796031455,1.000000,", b",,,,,,,,,,\n");
        let row = [&head[..], &vec![b'x'; length - head.len() - tail.len()], tail].concat();
        let bytes = placed.with(&row).up_to(10 * BLOCK).bytes;
        let folder = Folder::new().file("metrics.csv", &bytes);
        let [file, stream] = [folder.plimsoll(&["series", "metrics.csv"]), folder.plimsoll_with_input(&["series", "-"], &bytes)];
        if length > 1 << 20 {
            refused(file, "long-row", "metrics.csv", Some(&spot));
            refused(stream, "long-row", "-", Some(&spot));
        } else {
            assert_eq!(file.exits(0).out, stream.exits(0).out);
        }
    }
}

/// What was read of rows before does not make a number of what is none.
#[test]
fn a_number_is_one_behind_rows_like_it_too() {
    let text = String::from_utf8(rows::json(&small(), &KINDS, 2)).unwrap();
    let at = text.rfind("\"value\":1,").unwrap();
    for wrong in ["01", "00", "+1", "1.", "1e", "Inf"] {
        let bad = format!("{}\"value\":{wrong},{}", &text[..at], &text[at + 10..]);
        let folder = Folder::new().file("metrics.json", bad);
        refused(folder.plimsoll(&["series", "metrics.json"]), "bad-row", "metrics.json", None);
    }
}

/// Of two faults the first is told, whichever thread was quicker.
#[test]
fn the_first_of_two_faults_is_told() {
    let place = 2 * BLOCK - 400;
    let placed = Placed::new().up_to(place);
    let spot = Spot { byte: place, row: placed.rows + 1 };
    let late = b"a_duration,1796031455,fast,,,,,,,,default,,,\n";
    let bytes = placed
        .with(b"a_duration,yesterday,1.000000,,,,,,,,default,,,\n")
        .up_to(2 * BLOCK + 100)
        .with(late)
        .up_to(9 * BLOCK)
        .bytes;
    let folder = Folder::new().file("metrics.csv", bytes);
    for _ in 0..20 {
        refused(folder.plimsoll_on_threads("2", &["series", "metrics.csv"]), "bad-time", "metrics.csv", Some(&spot));
    }
}

#[test]
fn nothing_to_read_is_told() {
    let header = rows::header(&DEFAULT).into_bytes();
    let killed = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/samples/v2.1.0-killed.csv.gz")).unwrap();
    assert_eq!(killed.len(), 10);
    let metrics = rows::json(&[], &KINDS, 2);
    let infinite = rows::plain(&[Row::new("a_duration", 0, f64::INFINITY)]);
    let files: [(&str, &[u8]); 8] = [
        ("metrics.csv", b""),
        ("metrics.csv.gz", b""),
        ("killed.csv.gz", &killed),
        ("header.csv", &header),
        ("header.csv.gz", &rows::gz(&header)),
        ("cut-header.csv", &header[..header.len() - 1]),
        ("nothing.csv.gz", &rows::gz(b"")),
        ("metrics.json", &metrics),
    ];
    for (name, bytes) in files {
        let folder = Folder::new().file(name, bytes);
        for verb in ["series", "errors"] {
            refused(folder.plimsoll(&[verb, name]), "no-samples", name, None);
        }
    }
    refused(Folder::new().plimsoll_with_input(&["series", "-"], b""), "no-samples", "-", None);
    // Samples without a number are samples.
    let folder = Folder::new().file("metrics.csv", infinite);
    folder.plimsoll(&["summary", "metrics.csv", "--format", "json"]).exits(0).prints("a_duration");
}

#[test]
fn other_files_are_no_raw_samples() {
    let files: [(&str, &[u8]); 5] = [
        ("notes.txt", b"hello\nworld\n"),
        ("other.csv", b"target,metric,timestamp,value\na,zit_cpu_p50,2026-11-30T09:37:34Z,0.5\n"),
        ("no-value.csv", b"metric_name,timestamp,check\nvus,1796031454,\n"),
        ("other.json", b"{\"a\":1}\n{\"b\":2}\n"),
        ("binary.bin", b"\x00\x01\x02\xff\xfe"),
    ];
    for (name, bytes) in files {
        let folder = Folder::new().file(name, bytes);
        for verb in ["series", "errors"] {
            folder.plimsoll(&[verb, name]).exits(3).says(name);
        }
    }
    Folder::new().plimsoll(&["series", "absent.csv"]).exits(4).says("absent.csv");
}

/// Two runs in one file, or given as one run.
#[test]
fn two_runs_are_not_one() {
    let moved = |rows: Vec<Row>, seconds: i64| -> Vec<Row> {
        let later = |row: Row| Row { after: row.after + seconds * 1_000_000_000, ..row };
        rows.into_iter().map(later).collect()
    };
    let (one, other) = (small(), moved(small(), 3_600));
    // With one header, as `--out csv` appends nothing, but `cat` and `tail` do.
    let both = [one.clone(), other.clone()].concat();
    for bytes in [rows::plain(&both), rows::json(&both, &KINDS, 2)] {
        let folder = Folder::new().file("metrics", bytes);
        refused(folder.plimsoll(&["series", "metrics"]), "two-runs", "metrics", None);
        refused(folder.plimsoll(&["errors", "metrics"]), "two-runs", "metrics", None);
    }
    let folder = Folder::new().file("one.csv", rows::plain(&one)).file("other.csv", rows::plain(&other));
    refused(folder.plimsoll(&["series", "one.csv", "other.csv"]), "two-runs", ".csv", None);
    // The second run begins right behind the first: its setup() comes after the first one's test.
    let close = [one.clone(), moved(small(), 6)].concat();
    let folder = Folder::new().file("metrics.csv", rows::plain(&close));
    refused(folder.plimsoll(&["series", "metrics.csv"]), "two-runs", "metrics.csv", None);
    let folder = Folder::new().file("a.csv", rows::plain(&one)).file("b.csv", rows::plain(&moved(small(), 6)));
    refused(folder.plimsoll(&["errors", "a.csv", "b.csv"]), "two-runs", "b.csv", None);
    let ingest = folder.plimsoll(&["ingest", "b.csv", "a.csv", "--release", "v1", "--target", "a"]);
    refused(ingest, "two-runs", "b.csv", None);
    // A test without a request for minutes is one test: k6 counts its virtual users every second.
    let mut quiet = one.clone();
    quiet.extend((4..200).map(|second| Row::new("vus", second * 1_000_000_000, 1.0)));
    quiet.push(Row::new("token_duration", 200_000_000_000, 5.5).tag("scenario", "default"));
    quiet.retain(|row| row.tags.iter().all(|(_, text)| text != "::teardown"));
    Folder::new().file("metrics.csv", rows::plain(&quiet)).plimsoll(&["series", "metrics.csv"]).exits(0);
}

/// Row ends of a file: line breaks outside of quotes.
fn row_ends(bytes: &[u8]) -> Vec<usize> {
    let mut quotes = 0;
    let ends = bytes.iter().enumerate().filter_map(|(at, byte)| {
        quotes += usize::from(*byte == b'"');
        (*byte == b'\n' && quotes % 2 == 0).then_some(at + 1)
    });
    ends.collect()
}

/// The rows of the truncation tests: ends with names over several lines.
static ENDING: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut rows = rows::run(4, 1, 1);
    for name in ["a\nb, \"c\"\n", "plain", "\r\n\"\""] {
        rows.push(Row::new("checks", 2_000_000_000, 1.0).tag("check", name).tag("group", "::teardown"));
    }
    rows.push(Row::new("data_sent", 2_000_000_000, 1234.0).tag("group", "::teardown"));
    rows
});

/// A file that was cut anywhere in its last rows: whole rows count, nothing else, and it says so.
#[test]
fn a_cut_file_gives_its_whole_rows() {
    let bytes = rows::plain(&ENDING);
    let ends = row_ends(&bytes);
    let answer =
        |bytes: &[u8]| Folder::new().file("metrics.csv", bytes).plimsoll(&["summary", "metrics.csv", "--format", "json"]);
    let mut whole = (0, Value::Null);
    for cut in bytes.len() - 300..=bytes.len() {
        let end = *ends.iter().rfind(|end| **end <= cut).unwrap();
        let cut_file = answer(&bytes[..cut]).exits(0);
        let mut told: Value = serde_json::from_str(&cut_file.out).unwrap();
        // What is missing may be told among the notes as well.
        told["notes"] = Value::Null;
        if whole.0 != end {
            let mut kept: Value = serde_json::from_str(&answer(&bytes[..end]).exits(0).out).unwrap();
            kept["notes"] = Value::Null;
            whole = (end, kept);
        }
        assert_eq!(told, whole.1, "cut after {cut} bytes");
        if cut == end {
            assert_eq!(cut_file.talk, "", "cut after {cut} bytes, a row's end");
        } else {
            assert!(cut_file.talk.contains("[cut-tail]"), "cut after {cut} bytes: {}", cut_file.talk);
            assert!(says_number(&cut_file.talk, "byte", end), "cut after {cut} bytes, row at {end}: {}", cut_file.talk);
        }
    }
}

#[test]
fn a_cut_json_gives_its_whole_lines() {
    let bytes = rows::json(&ENDING, &KINDS, 2);
    let answer = |bytes: &[u8]| Folder::new().file("metrics.json", bytes).plimsoll(&["series", "metrics.json"]).exits(0);
    for cut in (bytes.len() - 300..=bytes.len()).filter(|cut| cut % 7 == 0 || cut + 3 > bytes.len()) {
        let end = bytes[..cut].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        let cut_file = answer(&bytes[..cut]);
        assert_eq!(cut_file.out, answer(&bytes[..end]).out, "cut after {cut} bytes");
        assert_eq!(cut_file.talk.contains("[cut-tail]"), cut != end, "cut after {cut} bytes: {}", cut_file.talk);
    }
}

/// An archive that was cut: every row that it gives counts, and no other.
#[test]
fn a_cut_archive_gives_its_whole_rows() {
    let mut dice = rows::Dice::new(8);
    let all: Vec<Row> = (0..8_000).map(|at| Row::new("a_duration", at * 250_000, dice.duration())).collect();
    let bytes = rows::plain(&all);
    for (name, packed) in [("metrics.csv.gz", rows::gz(&bytes)), ("metrics.csv.zst", rows::zst(&bytes))] {
        let mut kept = Vec::new();
        for cut in [packed.len() - 1, packed.len() - 4, packed.len() - 9, packed.len() * 3 / 4, packed.len() / 2 + 1] {
            let folder = Folder::new().file(name, &packed[..cut]);
            let answer = folder.plimsoll(&["summary", name, "--format", "json"]).exits(0).says("[cut-tail]").says(name);
            let told: Value = serde_json::from_str(&answer.out).unwrap();
            let rows = usize::try_from(told["metrics"]["a_duration"]["values"]["count"].as_u64().unwrap()).unwrap();
            let raw = reference::read(&rows::plain(&all[..rows]));
            let faults = reference::summary_faults(&told, &raw);
            assert!(faults.is_empty(), "{name} cut after {cut}: {rows} rows\n{}", faults.join("\n"));
            kept.push(rows);
        }
        // zstd packs 128 KiB at once, and gives all of them or none.
        println!("{name}: of {} rows, cuts keep {kept:?}", all.len());
        assert!(kept.is_sorted_by(|a, b| a >= b) && kept[0] > 5_000 && kept[4] > 1_000, "{kept:?}");
    }
}

#[test]
fn a_damaged_archive_is_refused() {
    let mut dice = rows::Dice::new(8);
    let all: Vec<Row> = (0..5_000).map(|at| Row::new("a_duration", at * 250_000, dice.duration())).collect();
    let bytes = rows::plain(&all);
    for (name, packed) in [("metrics.csv.gz", rows::gz(&bytes)), ("metrics.csv.zst", rows::zst(&bytes))] {
        let mut damaged = packed.clone();
        let middle = damaged.len() / 2;
        for byte in &mut damaged[middle..middle + 16] {
            *byte ^= 0x5a;
        }
        let answer = Folder::new().file(name, &damaged).plimsoll(&["series", name]);
        // The damage shows as an archive that breaks, or as rows that are none before it does.
        assert_eq!((answer.status, answer.out.as_str()), (3, ""), "{name}: {}", answer.talk);
        assert!(answer.talk.contains("[broken-file]") || answer.talk.contains("[bad-"), "{}", answer.talk);
    }
    // A checksum that does not hold: every row could be read, and none can be trusted.
    let mut wrong = rows::gz(&bytes);
    let crc = wrong.len() - 8;
    wrong[crc] ^= 1;
    let folder = Folder::new().file("metrics.csv.gz", &wrong);
    refused(folder.plimsoll(&["series", "metrics.csv.gz"]), "broken-file", "metrics.csv.gz", None);
    // Something else behind the archive.
    let more = [rows::gz(&bytes), b"and then this\n".to_vec()].concat();
    let folder = Folder::new().file("metrics.csv.gz", &more);
    refused(folder.plimsoll(&["series", "metrics.csv.gz"]), "broken-file", "metrics.csv.gz", None);
}

#[test]
fn a_file_that_grows_while_it_is_read_is_refused() {
    let folder = Folder::new().file("metrics.csv", Placed::new().up_to(8 * BLOCK).bytes);
    let row = b"a_duration,1796031499,1.500000,,,,,,,,default,,,\n";
    let answer = while_written(&folder.path("metrics.csv"), row, || folder.plimsoll(&["series", "metrics.csv"]));
    refused(answer, "growing-file", "metrics.csv", None);
}

/// Whoever starts k6 again while the file is read cuts it short: no thread may wait for what is gone.
#[test]
fn a_file_that_shrinks_while_it_is_read_is_refused() {
    for left in [0, 100, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 70] {
        for threads in [1, 2] {
            let folder = Folder::new().file("metrics.csv", Placed::new().up_to(4 * BLOCK).bytes);
            let path = folder.path("metrics.csv");
            let raw = plimsoll::fs::raw::open(&path, &Progress::default()).unwrap();
            std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(left as u64).unwrap();
            let read = samples::read(vec![("metrics.csv".to_owned(), raw)], &Wanted::Series(None), threads);
            let Some(Unread::Input(faults)) = read.err() else { panic!("{left} bytes on {threads} threads: no fault") };
            let code = if left < 200 { "no-samples" } else { "growing-file" };
            assert_eq!(faults.list()[0].code, code, "{left} bytes on {threads} threads");
        }
    }
}

/// One file under two names would count everything twice.
#[test]
fn a_file_is_given_once() {
    let bytes = rows::plain(&small());
    let folder = Folder::new().file("a.csv", &bytes).file("b.csv.gz", rows::gz(&bytes));
    for files in [["a.csv", "a.csv"], ["a.csv", "./a.csv"], ["a.csv", "b.csv.gz"]] {
        for verb in ["series", "errors"] {
            let answer = folder.plimsoll(&[verb, files[0], files[1]]);
            assert_eq!((answer.status, answer.out.as_str()), (3, ""), "{files:?}: {}", answer.talk);
            assert!(answer.talk.contains("[same-samples]"), "{}", answer.talk);
        }
    }
}

/// Names of metrics that are none: each would take its memory.
#[test]
fn thousands_of_metrics_are_no_script() {
    for (count, code) in [(2_000, 0), (2_001, 3)] {
        let rows: Vec<Row> = (0..7 * count).map(|at| Row::new(&format!("metric_number_{}", at % count), 0, 1.5)).collect();
        let bytes = rows::plain(&rows);
        assert!(bytes.len() > 2 * BLOCK);
        let folder = Folder::new().file("metrics.csv", &bytes).file("metrics.csv.gz", rows::gz(&bytes));
        for (threads, name) in [("1", "metrics.csv"), ("2", "metrics.csv"), ("1", "metrics.csv.gz")] {
            let answer = folder.plimsoll_on_threads(threads, &["errors", name]);
            assert_eq!(answer.status, code, "{count} {threads} {name}: {}", answer.talk);
            assert_eq!(code > 0, answer.talk.contains("[too-many-metrics]"), "{}", answer.talk);
        }
    }
}

/// A metric is one thing in all files of a run.
#[test]
fn files_that_declare_a_metric_differently_are_two_runs() {
    let rows = small();
    let file = |kind, at: usize| rows::json(&rows[at..], &[("token_duration", kind)], 2);
    let folder = Folder::new().file("a.json", file("trend", 0)).file("b.json", file("gauge", 9));
    refused(folder.plimsoll(&["series", "a.json", "b.json"]), "two-runs", "b.json", None);
}

/// Lines that are no point of k6, in NDJSON.
#[test]
fn bad_objects_are_told_with_file_byte_and_row() {
    let rows = small();
    let good = |rows: &[Row], kinds| rows::json(rows, kinds, 2);
    let bad: [(&str, &[u8]); 10] = [
        ("bad-row", b"time=\"2026-11-30T09:37:35Z\" level=info msg=\"hello\"\n"),
        ("bad-row", b"{\"metric\":\"a\",\"type\":\"Point\",\"data\":{\"time\":\"2026-11-30T09:37:35Z\",\"value\":\n"),
        (
            "bad-row",
            b"{\"metric\":\"a\",\"type\":\"Point\",\"data\":{\"time\":\"2026-11-30T09:37:35Z\",\"value\":fast,\"tags\":{}}}\n",
        ),
        ("bad-row", b"{\"metric\":\"a\",\"type\":\"Point\",\"data\":{\"time\":\"2026-11-30T09:37:35Z\",\"tags\":{}}}\n"),
        ("bad-row", b"{\"type\":\"Point\",\"data\":{\"time\":\"2026-11-30T09:37:35Z\",\"value\":1,\"tags\":{}}}\n"),
        (
            "bad-row",
            b"{\"metric\":\"a\",\"type\":\"Other\",\"data\":{\"time\":\"2026-11-30T09:37:35Z\",\"value\":1,\"tags\":{}}}\n",
        ),
        ("bad-row", b"{}\n"),
        ("bad-time", b"{\"metric\":\"a\",\"type\":\"Point\",\"data\":{\"time\":\"soon\",\"value\":1,\"tags\":{}}}\n"),
        ("bad-row", b"{\"metric\":\"a\",\"type\":\"Point\",\"data\":{\"value\":1,\"tags\":{}}}\n"),
        (
            "bad-utf8",
            b"{\"metric\":\"a\xff\",\"type\":\"Point\",\"data\":{\"time\":\"2026-11-30T09:37:35Z\",\"value\":1,\"tags\":{}}}\n",
        ),
    ];
    for (code, line) in bad {
        for at in [0, rows.len() / 2, rows.len()] {
            let head = good(&rows[..at], &KINDS);
            // A row is a sample: k6's declarations of metrics are none.
            let spot = Spot { byte: head.len(), row: at + 1 };
            let bytes = [head, line.to_vec(), good(&rows[at..], &[])].concat();
            let folder = Folder::new().file("metrics.json", bytes);
            refused(folder.plimsoll(&["series", "metrics.json"]), code, "metrics.json", Some(&spot));
        }
    }
}
