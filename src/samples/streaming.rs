//! An archive or a pipe: one thread unfolds, the other reads rows and hashes, so that the time is that of the slower one.

use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::csv::Csv;
use super::ndjson::Ndjson;
use super::reading::{Added, Beginning, LONGEST_ROW, Pass, SHOWN, Stop, Unread, beginning, cut, cut_tail, no_samples, too_long};
use super::rows::{Layout, Rows, Step};
use super::wanted::Wanted;
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs::FsError;
use crate::fs::raw::Stream;
use crate::source::Source;

/// Bytes that are handed over at a time.
const PORTION: usize = 1 << 18;
/// Portions that may be on their way.
const AHEAD: usize = 4;

/// What the thread that unfolds hands over.
enum Portion {
    Bytes(Vec<u8>),
    /// The archive ends before its end: what was unfolded is all there is.
    Cut,
    Failed(std::io::Error),
}

/// Reads an archive or a pipe.
pub(super) fn read(name: &str, stream: Stream, wanted: &Wanted) -> Result<Pass, Unread> {
    let Stream { mut reader, is_packed, .. } = stream;
    let (full, taken) = sync_channel(AHEAD);
    let (empty, spare) = sync_channel(AHEAD + 1);
    std::thread::scope(|scope| {
        scope.spawn(move || unfold(reader.as_mut(), is_packed, &full, &spare));
        let mut bytes = Incoming {
            name,
            is_packed,
            taken,
            empty,
            state: State::Going,
            pending: Vec::new(),
            hasher: blake3::Hasher::new(),
            length: 0,
        };
        let pass = rows(name, &mut bytes, wanted);
        // Whoever unfolds would wait for ever to hand over what nobody takes.
        drop(bytes);
        pass
    })
}

fn unfold(reader: &mut dyn Read, is_packed: bool, full: &SyncSender<Portion>, spare: &Receiver<Vec<u8>>) {
    loop {
        let mut buffer = spare.try_recv().unwrap_or_default();
        buffer.resize(PORTION, 0);
        let mut filled = 0;
        let end = loop {
            match reader.read(&mut buffer[filled..]) {
                Ok(0) => break Some(None),
                Ok(more) => filled += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_packed && error.kind() == ErrorKind::UnexpectedEof => break Some(Some(Portion::Cut)),
                Err(error) => break Some(Some(Portion::Failed(error))),
            }
            if filled == buffer.len() {
                break None;
            }
        };
        buffer.truncate(filled);
        let sent = buffer.is_empty() || full.send(Portion::Bytes(buffer)).is_ok();
        if let Some(last) = end {
            if let (Some(last), true) = (last, sent) {
                // Nobody listens if the rows were at fault already.
                let _heard = full.send(last);
            }
            return;
        }
        if !sent {
            return;
        }
    }
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
    taken: Receiver<Portion>,
    empty: SyncSender<Vec<u8>>,
    state: State,
    pending: Vec<u8>,
    hasher: blake3::Hasher,
    /// Bytes that came.
    length: u64,
}

impl Incoming<'_> {
    /// Waits for more bytes; false when there are none.
    fn more(&mut self) -> Result<bool, Unread> {
        match self.taken.recv() {
            Ok(Portion::Bytes(bytes)) => {
                self.hasher.update(&bytes);
                self.length += bytes.len() as u64;
                self.pending.extend_from_slice(&bytes);
                // The other side may have ended, and needs no buffer then.
                let _kept = self.empty.try_send(bytes);
                return Ok(true);
            }
            Ok(Portion::Cut) => self.state = State::Cut,
            Ok(Portion::Failed(cause)) if self.is_packed => {
                return Err(FsError::Broken { path: Path::new(self.name).to_owned(), cause }.into());
            }
            Ok(Portion::Failed(cause)) => {
                return Err(FsError::Io { verb: "read", path: Path::new(self.name).to_owned(), cause }.into());
            }
            Err(_) => self.state = if self.state == State::Going { State::Ended } else { self.state },
        }
        Ok(false)
    }

    /// Waits until the first row and its successor can be told, or there is no more.
    fn beginning(&mut self) -> Result<Beginning, Unread> {
        while self.pending.len() < SHOWN && self.more()? {}
        // A header may be longer.
        while self.pending.len() < LONGEST_ROW && memchr::memchr_iter(b'\n', &self.pending).nth(1).is_none() && self.more()? {}
        if self.pending.is_empty() && self.state == State::Cut {
            return Err(no_samples(self.name, "the archive ends before its first row").into());
        }
        Ok(beginning(self.name, &self.pending)?)
    }
}

fn rows(name: &str, bytes: &mut Incoming<'_>, wanted: &Wanted) -> Result<Pass, Unread> {
    Ok(match bytes.beginning()? {
        Beginning::Csv(header) => {
            let layout = Csv::new(Arc::clone(&header));
            Pass::Csv(header, one(name, bytes, layout, wanted)?)
        }
        Beginning::Ndjson(skip) => Pass::Ndjson(one(name, bytes, Ndjson::new(skip), wanted)?),
    })
}

fn one<L: Layout>(name: &str, bytes: &mut Incoming<'_>, layout: L, wanted: &Wanted) -> Result<Added<L>, Unread> {
    let mut rows = Rows::new(layout, wanted);
    let mut at = rows.layout.header();
    // Where the pending bytes lie, and line breaks before them.
    let (mut from, mut lines) = (0_u64, 0_u64);
    loop {
        let read = rows.read(&bytes.pending, at, bytes.pending.len(), from);
        let stuck = match read {
            Ok(end) => end,
            Err((stuck, step)) => {
                let text = &bytes.pending[stuck..];
                let fault = match step {
                    Step::Fault(fault) => Some(fault),
                    _ => (text.len() > LONGEST_ROW).then(|| too_long(&rows.layout, text)),
                };
                if let Some(fault) = fault {
                    let lines = lines + memchr::memchr_iter(b'\n', &bytes.pending[..stuck]).count() as u64;
                    let text = text[..text.len().min(SHOWN)].to_vec();
                    let stop = Stop { offset: from + stuck as u64, rows: rows.rows, lines, text, fault };
                    return Err(Faults::from(stop.tell(name)).into());
                }
                stuck
            }
        };
        lines += memchr::memchr_iter(b'\n', &bytes.pending[..stuck]).count() as u64;
        from += stuck as u64;
        bytes.pending.drain(..stuck);
        at = 0;
        if !bytes.more()? {
            break;
        }
    }
    let mut remarks = Vec::new();
    if bytes.state == State::Cut {
        remarks.push(cut_archive(name, from, rows.rows, bytes.pending.len()));
    } else if !bytes.pending.is_empty() {
        let stop = cut(from, rows.rows, lines, std::mem::take(&mut bytes.pending));
        remarks.push(cut_tail(name, &rows.layout, stop, bytes.length)?);
    }
    if rows.rows == 0 {
        return Err(no_samples(name, "there is no whole row in it").into());
    }
    let blake3 = bytes.hasher.finalize().to_hex().to_string();
    Ok(Added { workers: vec![rows], bytes: bytes.length, blake3, remarks })
}

fn cut_archive(name: &str, offset: u64, rows: u64, left: usize) -> Diagnostic {
    Diagnostic::warning("cut-tail", format!("the archive {name} ends before its end"))
        .at(Source::new(name, "").at(0..0))
        .note(format!(
            "byte {offset}, row {} of {name} when unfolded: {rows} whole rows are kept, {left} bytes of a row are left out",
            rows + 1
        ))
        .help("k6 was killed, or the file was not copied whole: what came after is missing, how much nothing tells")
}
