//! Raw files on their way into [`crate::samples`]: opened, watched, read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::parallel::threads;
use super::project::shown;
use super::{Failure, Streams};
use crate::fs::raw::{self, Progress, Raw, Stream};
use crate::fs::{self, FsError};
use crate::samples::{self, Samples, Unread, Wanted};

const TICK: Duration = Duration::from_millis(100);
/// Work that takes no longer than so many ticks shows no bar.
const PATIENCE: u32 = 8;
/// Bytes by which raw samples are told from everything else.
pub(super) const BEGINNING: usize = 4096;

impl From<Unread> for Failure {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::World(error) => Self::World(error),
            Unread::Input(faults) => Self::Input(faults),
        }
    }
}

/// Whether a file can be read only once: standard input, or a pipe of the shell, `<(zcat samples.gz)`.
pub(super) fn is_pipe(path: &Path) -> bool {
    path == Path::new("-") || fs::length(path).is_none()
}

/// A pipe, once it was looked at.
pub(super) enum Piped {
    /// Raw samples, still to be read; their first bytes.
    Raw(Vec<u8>),
    /// Everything else, read.
    Whole(Vec<u8>),
}

/// Pipes of raw samples that were looked at, and what of them is still to be read: nobody can open them once more.
#[derive(Default)]
pub(super) struct Pipes {
    progress: Progress,
    streams: BTreeMap<PathBuf, Stream>,
}

impl Pipes {
    /// Looks at what comes in, and reads it unless it is raw samples: those may be gigabytes.
    pub(super) fn look(&mut self, path: &Path) -> Result<Piped, Failure> {
        let mut stream = match open(path, &self.progress)? {
            Raw::Stream(stream) => stream,
            Raw::Plain(_) => return Ok(Piped::Whole(fs::read(path)?)),
        };
        let head = stream.head(BEGINNING);
        if !samples::is_samples(&head) {
            return Ok(Piped::Whole(stream.whole()?));
        }
        self.streams.insert(path.to_owned(), stream);
        Ok(Piped::Raw(head))
    }
}

/// The first bytes of a file that holds raw samples; `None` of every other file.
pub(super) fn beginning(path: &Path) -> Result<Option<Vec<u8>>, FsError> {
    Ok(Some(fs::head(path, BEGINNING)?).filter(|head| samples::is_samples(head)))
}

/// Reads the raw files of one run, and tells what people should know of them.
pub(super) fn read(paths: &[PathBuf], wanted: &Wanted, streams: &mut Streams<'_>) -> Result<Samples, Failure> {
    let samples = read_quietly(paths, wanted, streams.watched)?;
    for remark in &samples.remarks {
        streams.tell(remark);
    }
    Ok(samples)
}

/// Reads the raw files of one run.
pub(super) fn read_quietly(paths: &[PathBuf], wanted: &Wanted, watched: bool) -> Result<Samples, Unread> {
    read_with(paths, &mut Pipes::default(), wanted, watched)
}

/// Reads the raw files of one run, of which pipes may have been looked at already.
pub(super) fn read_with(paths: &[PathBuf], pipes: &mut Pipes, wanted: &Wanted, watched: bool) -> Result<Samples, Unread> {
    let progress = pipes.progress.clone();
    let mut files: Vec<(String, Raw)> = Vec::new();
    for path in paths {
        let looked_at = pipes.streams.remove(path);
        let raw = looked_at.map_or_else(|| open(path, &progress), |stream| Ok(Raw::Stream(stream)))?;
        files.push((shown(path), raw));
    }
    let total = paths.iter().map(|path| fs::length(path)).sum();
    watch(watched, &progress, total, || samples::read(files, wanted, threads()))
}

fn open(path: &Path, progress: &Progress) -> Result<Raw, FsError> {
    if path == Path::new("-") { raw::stdin(progress).map(Raw::Stream) } else { raw::open(path, progress) }
}

/// Does some work; where somebody watches, with a bar of bytes, rate and time left beside it when it takes long.
fn watch<T>(watched: bool, progress: &Progress, total: Option<u64>, work: impl FnOnce() -> T) -> T {
    if !watched {
        return work();
    }
    let (done, waiting) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // The bar goes from the beginning, so that its rate is true; it is shown when patience ends.
            let (bar, mut ticks) = (bar(total), 0);
            while waiting.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.set_position(progress.done());
                ticks += 1;
                if ticks == PATIENCE {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                }
            }
            bar.finish_and_clear();
        });
        let result = work();
        drop(done);
        result
    })
}

fn bar(total: Option<u64>) -> ProgressBar {
    let form = match total {
        Some(_) => "{bytes} of {total_bytes} {wide_bar} {bytes_per_sec}, {eta} left",
        None => "{bytes} {spinner} {bytes_per_sec}, {elapsed}",
    };
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
    // The form is ours and known to be one.
    bar.with_style(ProgressStyle::with_template(form).unwrap_or_else(|_| ProgressStyle::default_bar()))
}
