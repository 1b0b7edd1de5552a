//! An archive or a pipe: one thread unfolds, the other reads rows, so that the time is that of the slower one.

use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::csv::Csv;
use super::fault::Fault;
use super::ndjson::Ndjson;
use super::reading::{Added, Beginning, LONGEST_ROW, Pass, SHOWN, Stop, Unread, beginning, cut, cut_tail, no_samples, too_long};
use super::rows::{Layout, Rows, Step};
use super::wanted::Wanted;
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs::FsError;
use crate::fs::raw::{Fingerprint, Stream};
use crate::source::Source;

/// Bytes that are handed over at a time.
const PORTION: usize = if cfg!(fuzzing) { 1 << 9 } else { 1 << 18 };
/// Bytes left free before them, for the beginning of a row that the last portion cut: nothing larger is copied then.
const FREE: usize = if cfg!(fuzzing) { 1 << 7 } else { 1 << 14 };
/// Portions that may be on their way.
const AHEAD: usize = 4;

/// What the thread that unfolds hands over.
enum Portion {
    /// Bytes behind [`FREE`] others.
    Bytes(Vec<u8>),
    /// The archive ends before its end: what was unfolded is all there is.
    Cut,
    Failed(std::io::Error),
}

/// Reads an archive or a pipe.
pub(super) fn read(name: &str, stream: Stream, wanted: &Wanted) -> Result<Pass, Unread> {
    let Stream { mut reader, is_packed, fingerprint } = stream;
    let (full, taken) = sync_channel(AHEAD);
    let (empty, spare) = sync_channel(AHEAD + 1);
    std::thread::scope(|scope| {
        scope.spawn(move || unfold(reader.as_mut(), is_packed, &full, &spare));
        let (state, buffer, at, length) = (State::Going, Vec::new(), 0, 0);
        let mut incoming = Incoming { name, is_packed, fingerprint, taken, empty, state, buffer, at, length };
        // When this returns, nobody takes any more, and whoever unfolds ends too.
        match incoming.beginning()? {
            Beginning::Csv(header) => {
                let layout = Csv::new(Arc::clone(&header));
                Ok(Pass::Csv(header, incoming.rows(layout, wanted)?))
            }
            Beginning::Ndjson(skip) => Ok(Pass::Ndjson(incoming.rows(Ndjson::new(skip), wanted)?)),
        }
    })
}

/// Hands over portions until there is nothing more to read, or nobody who takes them.
fn unfold(reader: &mut dyn Read, is_packed: bool, full: &SyncSender<Portion>, spare: &Receiver<Vec<u8>>) {
    loop {
        let mut buffer = spare.try_recv().unwrap_or_default();
        buffer.resize(FREE + PORTION, 0);
        let (filled, end) = fill(reader, &mut buffer[FREE..]);
        buffer.truncate(FREE + filled);
        if filled > 0 && full.send(Portion::Bytes(buffer)).is_err() {
            return;
        }
        match end {
            End::NotYet => {}
            End::Reached => return,
            End::Failed(error) => {
                let is_cut = is_packed && error.kind() == ErrorKind::UnexpectedEof;
                // Nobody listens where the rows were at fault already.
                let _heard = full.send(if is_cut { Portion::Cut } else { Portion::Failed(error) });
                return;
            }
        }
    }
}

/// Why a buffer is not filled any further.
enum End {
    NotYet,
    Reached,
    Failed(std::io::Error),
}

/// Fills a buffer; what came before a failure stays in it.
fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> (usize, End) {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => return (filled, End::Reached),
            Ok(more) => filled += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (filled, End::Failed(error)),
        }
    }
    (filled, End::NotYet)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Going,
    Ended,
    Cut,
}

/// The bytes that came and were not read yet.
struct Incoming<'a> {
    name: &'a str,
    is_packed: bool,
    fingerprint: Fingerprint,
    taken: Receiver<Portion>,
    empty: SyncSender<Vec<u8>>,
    state: State,
    buffer: Vec<u8>,
    /// Where in the buffer they begin.
    at: usize,
    /// Unfolded bytes that came.
    length: u64,
}

impl Incoming<'_> {
    fn pending(&self) -> &[u8] {
        &self.buffer[self.at..]
    }

    /// Waits for more bytes; false when there are none.
    fn more(&mut self) -> Result<bool, Unread> {
        let failed = |cause| {
            let path = Path::new(self.name).to_owned();
            if self.is_packed { FsError::Broken { path, cause } } else { FsError::Io { verb: "read", path, cause } }
        };
        match self.taken.recv() {
            Ok(Portion::Bytes(bytes)) => {
                self.length += (bytes.len() - FREE) as u64;
                self.append(bytes);
                return Ok(true);
            }
            Ok(Portion::Cut) => self.state = State::Cut,
            Ok(Portion::Failed(cause)) => return Err(failed(cause).into()),
            Err(_) if self.state == State::Going => self.state = State::Ended,
            Err(_) => {}
        }
        Ok(false)
    }

    /// Puts what is left before the bytes that came.
    fn append(&mut self, mut bytes: Vec<u8>) {
        let left = self.buffer.len() - self.at;
        if left > FREE {
            self.buffer.drain(..self.at);
            self.buffer.extend_from_slice(&bytes[FREE..]);
            self.at = 0;
        } else {
            bytes[FREE - left..FREE].copy_from_slice(&self.buffer[self.at..]);
            self.at = FREE - left;
            std::mem::swap(&mut self.buffer, &mut bytes);
        }
        // The other side may have ended, and needs no buffer then.
        let _kept = self.empty.try_send(bytes);
    }

    /// Waits until the kind, the header and the first row can be told, or there is no more.
    fn beginning(&mut self) -> Result<Beginning, Unread> {
        let is_enough = |bytes: &[u8]| bytes.len() >= SHOWN && memchr::memchr_iter(b'\n', bytes).nth(1).is_some();
        while !is_enough(self.pending()) && self.pending().len() < LONGEST_ROW && self.more()? {}
        if self.pending().is_empty() && self.state == State::Cut {
            return Err(no_samples(self.name, "the archive ends before its first row").into());
        }
        Ok(beginning(self.name, self.pending())?)
    }

    /// Reads all rows.
    fn rows<L: Layout>(&mut self, layout: L, wanted: &Wanted) -> Result<Added<L>, Unread> {
        let mut rows = Rows::new(layout, wanted);
        // Where the pending bytes lie, and line breaks before them.
        let (mut offset, mut lines) = (0_u64, 0_u64);
        let mut start = rows.layout.header();
        loop {
            let pending = self.pending();
            let (end, fault) = match rows.read(pending, start, pending.len(), offset) {
                Ok(end) => (end, None),
                Err((end, Step::Fault(fault))) => (end, Some(fault)),
                Err((end, _)) => (end, long_row(&rows.layout, &pending[end..])),
            };
            lines += memchr::memchr_iter(b'\n', &pending[..end]).count() as u64;
            offset += end as u64;
            if let Some(fault) = fault {
                let text = pending[end..pending.len().min(end + SHOWN)].to_vec();
                let stop = Stop { offset, rows: rows.count, lines, text, fault };
                return Err(Faults::from(stop.tell(self.name)).into());
            }
            self.at += end;
            start = 0;
            if !self.more()? {
                break;
            }
        }
        self.finish(rows, offset, lines)
    }

    fn finish<L: Layout>(&mut self, rows: Rows<L>, offset: u64, lines: u64) -> Result<Added<L>, Unread> {
        let mut remarks = Vec::new();
        if self.state == State::Cut {
            remarks.push(cut_archive(self.name, offset, rows.count, self.pending().len()));
        } else if !self.pending().is_empty() {
            let stop = cut(offset, rows.count, lines, self.pending().to_vec());
            remarks.push(cut_tail(self.name, &rows.layout, stop, self.length)?);
        }
        if rows.count == 0 {
            return Err(no_samples(self.name, "there is no whole row in it").into());
        }
        let (bytes, blake3) = self.fingerprint.get();
        Ok(Added { workers: vec![rows], bytes, blake3: Some(blake3), remarks })
    }
}

/// The fault of a row that has no end within reason.
fn long_row<L: Layout>(layout: &L, text: &[u8]) -> Option<Fault> {
    (text.len() > LONGEST_ROW).then(|| too_long(layout, text))
}

fn cut_archive(name: &str, offset: u64, rows: u64, left: usize) -> Diagnostic {
    let kept = format!("{rows} whole rows are kept, {left} bytes of a row are left out");
    Diagnostic::warning("cut-tail", format!("the archive {name} ends before its end"))
        .at(Source::new(name, "").at(0..0))
        .note(format!("byte {offset} of what it holds, row {} of {name}: {kept}", rows + 1))
        .help("k6 was killed, or the file was not copied whole: what came after is missing, how much nothing tells")
}
