//! Something that goes on while a command works.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Says that something is done when it goes, after a failure too: nobody waits for a thread that waits for this.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does a work while a thread does something else again and again.
pub(crate) fn meanwhile<T>(again: impl Fn() + Sync, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                again();
            }
        });
        let _done = Done(&done);
        work()
    })
}

/// Does a work while somebody writes a line after the other at the end of a file.
pub(crate) fn while_written<T>(path: &Path, line: &[u8], work: impl FnOnce() -> T) -> T {
    let file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    let again = || {
        (&file).write_all(line).unwrap();
        std::thread::sleep(Duration::from_micros(300));
    };
    meanwhile(again, work)
}
