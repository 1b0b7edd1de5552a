//! Raw files on their way into [`crate::samples`]: opened, watched, read.

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
const BEGINNING: usize = 4096;

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
    /// Raw samples, still to be read.
    Raw(Stream, Progress),
    /// Everything else, read.
    Whole(Vec<u8>),
}

/// Looks at what comes in, and reads it unless it is raw samples: those may be gigabytes.
pub(super) fn piped(path: &Path) -> Result<Piped, Failure> {
    let progress = Progress::default();
    let mut stream = match open(path, &progress)? {
        Raw::Stream(stream) => stream,
        Raw::Plain(_) => return Ok(Piped::Whole(fs::read(path)?)),
    };
    let head = stream.head(BEGINNING);
    Ok(if samples::is_samples(&head) { Piped::Raw(stream, progress) } else { Piped::Whole(stream.whole()?) })
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
    read_with(paths, None, wanted, watched)
}

/// Reads the raw files of one run, of which a pipe may have been looked at already.
pub(super) fn read_with(
    paths: &[PathBuf],
    mut piped: Option<(Stream, Progress)>,
    wanted: &Wanted,
    watched: bool,
) -> Result<Samples, Unread> {
    let progress = piped.as_ref().map_or_else(Progress::default, |(_, progress)| progress.clone());
    let mut files: Vec<(String, Raw)> = Vec::new();
    for path in paths {
        let looked_at = if is_pipe(path) { piped.take() } else { None };
        let raw = looked_at.map_or_else(|| open(path, &progress), |(stream, _)| Ok(Raw::Stream(stream)))?;
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
