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
    // Two of the ways and what else is wanted of them, by the length: all at once would be a third of the inputs in the same time.
    let one = told(plain(&Wanted::Record, 1));
    let other = match bytes.len() % 3 {
        0 => told(plain(&Wanted::Record, 2)),
        way => told(samples::read(vec![("samples".to_owned(), streamed(bytes, way == 1))], &Wanted::Record, 1)),
    };
    let wanted = [Wanted::Series(None), Wanted::Errors, Wanted::Summary];
    let less = told(plain(&wanted[bytes.len() / 3 % 3], 2));
    // Nothing is left to be done with a file that can't be removed.
    let _gone = std::fs::remove_file(&place);
    // What is packed unfolds from a file, and a stream of these bytes would be the packed ones.
    if !matches!(bytes, [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..]) {
        alike(&one, &other);
    }
    for samples in [one, less].into_iter().flatten() {
        shown(&samples);
    }
}

/// Bytes as a stream, at once or a few at a time.
fn streamed(bytes: &[u8], at_once: bool) -> Raw {
    let few = usize::from(bytes.last().copied().unwrap_or(1)) + 1;
    let most = if at_once { usize::MAX } else { few };
    let reader = Box::new(Drops { bytes: bytes.to_vec(), at: 0, most });
    Raw::Stream(Stream { reader, is_packed: false, fingerprint: Fingerprint::default() })
}

/// Bytes that are given so many at a time.
struct Drops {
    bytes: Vec<u8>,
    at: usize,
    most: usize,
}

impl Read for Drops {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = self.most.min(buffer.len());
        let read = (&self.bytes[self.at..]).read(&mut buffer[..most])?;
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
