//! From a raw file to what its threads added up.

use std::sync::Arc;

use super::csv::{Csv, Header};
use super::fault::{Fault, RowPlace};
use super::ndjson::Ndjson;
use super::rows::{Layout, Rows};
use super::wanted::Wanted;
use super::{is_ndjson, parallel, streaming};
use crate::diagnostic::{Diagnostic, Faults, Level};
use crate::fs::FsError;
use crate::fs::raw::{Plain, Raw};
use crate::source::{Source, without_mark};

pub(super) use crate::limits::ROW_BYTES as LONGEST_ROW;

/// Why a raw file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// The system refused.
    #[error(transparent)]
    World(#[from] FsError),
    /// The file is at fault.
    #[error(transparent)]
    Input(#[from] Faults),
}

/// What threads added up of a file of one layout.
pub(super) struct Added<L> {
    pub(super) workers: Vec<Rows<L>>,
    /// Bytes of the file as it lies there, packed or not.
    pub(super) bytes: u64,
    /// BLAKE3 of them, in hex, where it was asked for.
    pub(super) blake3: Option<String>,
    pub(super) remarks: Vec<Diagnostic>,
}

/// What threads added up of a file.
pub(super) enum Pass {
    Csv(Arc<Header>, Added<Csv>),
    Ndjson(Added<Ndjson>),
}

/// A file that can't be gone on with: its first fault, and where.
pub(super) struct Stop {
    /// The byte at which the row begins.
    pub(super) offset: u64,
    /// Rows before it.
    pub(super) rows: u64,
    /// Line breaks before it.
    pub(super) lines: u64,
    /// The row, as far as it is shown.
    pub(super) text: Vec<u8>,
    pub(super) fault: Fault,
}

/// Bytes of a row that a fault may show.
pub(super) const SHOWN: usize = 4096;

impl Stop {
    pub(super) fn tell(&self, name: &str) -> Diagnostic {
        let place = RowPlace { file: name, text: &self.text, offset: self.offset, row: self.rows + 1, line: self.lines + 1 };
        self.fault.tell(&place)
    }
}

/// Reads a raw file to its end. `name` is what people know it by.
pub(super) fn read(name: &str, raw: Raw, wanted: &Wanted, threads: usize) -> Result<Pass, Unread> {
    match raw {
        Raw::Plain(file) => plain(name, &file, wanted, threads),
        Raw::Stream(stream) => streaming::read(name, stream, wanted),
    }
}

fn plain(name: &str, file: &Plain, wanted: &Wanted, threads: usize) -> Result<Pass, Unread> {
    let mut head = vec![0; LONGEST_ROW];
    let filled = file.read_at(&mut head, 0)?;
    let pass = match beginning(name, &head[..filled])? {
        Beginning::Csv(header) => {
            let layout = Csv::new(Arc::clone(&header));
            parallel::read(name, file, &layout, wanted, threads).map(|added| Pass::Csv(header, added))
        }
        Beginning::Ndjson(skip) => parallel::read(name, file, &Ndjson::new(skip), wanted, threads).map(Pass::Ndjson),
    };
    // What else is wrong with a file that somebody writes follows from that.
    let now = file.length_now()?;
    if now == file.length() {
        return pass;
    }
    let message = format!("{name} went from {} to {now} bytes while it was read", file.length());
    let fault = Diagnostic::error("growing-file", message).note(format!("byte {}", file.length()));
    Err(Faults::from(fault.help("wait until k6 has ended")).into())
}

/// What kind of file begins so, with its header if it has one.
pub(super) enum Beginning {
    Csv(Arc<Header>),
    /// With the bytes before the first line.
    Ndjson(usize),
}

pub(super) fn beginning(name: &str, bytes: &[u8]) -> Result<Beginning, Faults> {
    if bytes.is_empty() {
        return Err(no_samples(name, "there is nothing in it"));
    }
    if is_ndjson(bytes) {
        return Ok(Beginning::Ndjson(bytes.len() - without_mark(bytes).len()));
    }
    Header::read(bytes).map(|header| Beginning::Csv(Arc::new(header))).map_err(|fault| {
        let text = bytes[..bytes.len().min(SHOWN)].to_vec();
        Stop { offset: 0, rows: 0, lines: 0, text, fault }.tell(name).into()
    })
}

/// The fault of a file in which there is no sample.
pub(super) fn no_samples(name: &str, what: &str) -> Faults {
    let fault = Diagnostic::error("no-samples", format!("{name} has no samples: {what}"));
    let fault = fault.at(Source::new(name, "").at(0..0)).note(format!("byte 0, row 1 of {name}"));
    fault.help("a k6 that was killed leaves such a file: give the file of a run that got further").into()
}

/// The warning about the last row of a file that was cut, or the fault of something else that has no end.
pub(super) fn cut_tail<L: Layout>(name: &str, layout: &L, mut stop: Stop, length: u64) -> Result<Diagnostic, Faults> {
    if let Some(fault) = layout.cut(&stop.text) {
        stop.fault = fault;
        return Err(stop.tell(name).into());
    }
    let told = stop.tell(name).note(format!("the last {} bytes are left out", length - stop.offset));
    Ok(Diagnostic { level: Level::Warning, ..told })
}

/// A row that the file's end cuts.
pub(super) fn cut(offset: u64, rows: u64, lines: u64, text: Vec<u8>) -> Stop {
    let help =
        "k6 ends every row with a line break, so the file was cut here; what came after is missing, how much nothing tells";
    Stop { offset, rows, lines, text, fault: Fault::new("cut-tail", "the last row was cut, and is left out", help) }
}

/// A row that has no end within reason, and the bytes from its beginning on. Only so many of them are looked at as it may have, so that what is said
/// does not depend on how many are at hand.
pub(super) fn too_long<L: Layout>(layout: &L, text: &[u8]) -> Fault {
    let text = &text[..text.len().min(LONGEST_ROW)];
    let help = "k6 writes no such row: the file was damaged, or is of another kind";
    let message = format!("this row has more than {LONGEST_ROW} bytes");
    layout.cut(text).unwrap_or_else(|| Fault::new("long-row", message, help))
}
