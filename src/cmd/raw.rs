//! Raw files on their way into [`samples`](crate::samples): opened, watched, read.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::project::shown;
use super::{Failure, Streams};
use crate::fs::raw::{self, Progress, Raw};
use crate::fs::{self, FsError};
use crate::samples::{self, Samples, Unread, Wanted};

/// Work that takes no longer than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(800);
const TICK: Duration = Duration::from_millis(100);

impl From<Unread> for Failure {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::World(error) => Self::World(error),
            Unread::Input(faults) => Self::Input(faults),
        }
    }
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
pub(super) fn read_quietly(paths: &[PathBuf], wanted: &Wanted, watched: bool) -> Result<Samples, Failure> {
    let progress = Progress::default();
    let mut files: Vec<(String, Raw)> = Vec::new();
    for path in paths {
        let is_stdin = path == Path::new("-");
        let raw = if is_stdin { raw::stdin(&progress)? } else { raw::open(path, &progress)? };
        files.push((shown(path), raw));
    }
    let total: Option<u64> = paths.iter().map(|path| fs::length(path)).sum();
    if !watched {
        return Ok(samples::read(files, wanted, threads())?);
    }
    watch(&progress, total, || samples::read(files, wanted, threads()).map_err(Failure::from))
}

/// Threads for one file: what the machine has; `PLIMSOLL_THREADS` says otherwise.
fn threads() -> usize {
    let asked = std::env::var("PLIMSOLL_THREADS").ok().and_then(|text| text.parse().ok()).filter(|threads| *threads > 0);
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// Does some work, and shows a bar with bytes, rate and time left beside it when it takes long.
fn watch<T>(progress: &Progress, total: Option<u64>, work: impl FnOnce() -> T) -> T {
    let (done, waiting) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if waiting.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = bar(total);
            while waiting.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.set_position(progress.done());
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
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    // The form is ours and known to be one.
    bar.with_style(ProgressStyle::with_template(form).unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Whether a file holds raw samples: they are gigabytes, and nobody should wait until they are read to hear that.
pub(super) fn is_raw(path: &Path) -> Result<bool, FsError> {
    Ok(path != Path::new("-") && samples::is_samples(&fs::head(path, 4096)?))
}
