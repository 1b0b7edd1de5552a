//! k6's raw samples: read by one thread and by two, and as a stream that comes in small portions, to the same figures.

use std::io::Read;
use std::path::PathBuf;
use std::sync::LazyLock;

use plimsoll::fs::raw::{self, Fingerprint, Progress, Raw, Stream};
use plimsoll::render::docs::exact_output_json;
use plimsoll::samples::origins::Origins;
use plimsoll::samples::{self, Outcome, Samples, Unread, Wanted, usual_stats};

use super::archive::kept_series;
use super::drawn;

static ORIGINS: LazyLock<Origins> = LazyLock::new(Origins::built_in);

/// Samples in CSV.
pub(super) fn csv(bytes: &[u8]) {
    all_ways(bytes);
}

/// Samples in JSON.
pub(super) fn ndjson(bytes: &[u8]) {
    all_ways(bytes);
}

/// The file that a process puts its inputs in; in memory where there is such a folder.
fn file() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("one").replace(|c: char| !c.is_alphanumeric(), "-");
    folder.join(format!("plimsoll-input-{}-{name}", std::process::id()))
}

/// A reader that gives a few bytes at a time.
struct Drops<'a> {
    left: &'a [u8],
    most: usize,
}

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = self.most.min(buffer.len());
        self.left.read(&mut buffer[..most])
    }
}

fn all_ways(bytes: &[u8]) {
    let _is = samples::is_samples(bytes);
    let place = file();
    if std::fs::write(&place, bytes).is_err() {
        return;
    }
    let plain = |wanted: &Wanted, threads: usize| {
        let file = raw::open(&place, &Progress::default()).map_err(Unread::from)?;
        samples::read(vec![("samples".to_owned(), file)], wanted, threads)
    };
    let one = told(plain(&Wanted::Record, 1));
    let two = told(plain(&Wanted::Record, 2));
    let series = told(plain(&Wanted::Series(None), 2));
    let errors = told(plain(&Wanted::Errors, 1));
    let summary = told(plain(&Wanted::Summary, 2));
    // Nothing is left to be done with a file that can't be removed.
    let _gone = std::fs::remove_file(&place);
    // What is packed unfolds on its way, and a stream of these bytes would be the packed ones.
    if !matches!(bytes, [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..]) {
        let bytes = bytes.to_vec();
        let reader = Box::new(std::io::Cursor::new(bytes.clone()));
        let most = usize::from(bytes.last().copied().unwrap_or(1)) + 1;
        let drops = Box::new(Owned { bytes, at: 0, most });
        for reader in [reader as Box<dyn Read + Send>, drops] {
            let stream = Raw::Stream(Stream { reader, is_packed: false, fingerprint: Fingerprint::default() });
            alike(&one, &told(samples::read(vec![("samples".to_owned(), stream)], &Wanted::Record, 1)));
        }
    }
    alike(&one, &two);
    for samples in [one, series, errors, summary].into_iter().flatten() {
        shown(&samples);
    }
}

/// Bytes that are given a few at a time.
struct Owned {
    bytes: Vec<u8>,
    at: usize,
    most: usize,
}

impl Read for Owned {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = Drops { left: &self.bytes[self.at..], most: self.most }.read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

/// What was read, or the code of its first fault.
fn told(read: Result<Samples, Unread>) -> Result<Samples, Option<&'static str>> {
    read.map_err(|unread| match unread {
        Unread::World(_) => None,
        Unread::Input(faults) => {
            drawn(faults.list());
            faults.list().first().map(|fault| fault.code)
        }
    })
}

fn outcome(samples: &Samples) -> Outcome {
    samples.outcome(&usual_stats(), &ORIGINS)
}

fn alike(one: &Result<Samples, Option<&'static str>>, other: &Result<Samples, Option<&'static str>>) {
    match (one, other) {
        (Ok(one), Ok(other)) => {
            let (one, other) = (outcome(one), outcome(other));
            assert_eq!(one.summary, other.summary);
            assert_eq!(one.phases, other.phases);
            assert_eq!(one.failures, other.failures);
            assert_eq!(one.series, other.series);
            assert_eq!(one.is_cut, other.is_cut);
        }
        (Err(one), Err(other)) => assert_eq!(one, other),
        (Ok(_), Err(code)) | (Err(code), Ok(_)) => unreachable!("read one way, and refused the other: {code:?}"),
    }
}

/// Everything that is made of samples.
fn shown(samples: &Samples) {
    drawn(&samples.remarks);
    let (_notes, _note) = (samples.lost_notes(), samples.guess_note());
    let _series = exact_output_json(&samples.seconds(None));
    let outcome = outcome(samples);
    drawn(&outcome.remarks);
    kept_series(&outcome.series);
}
