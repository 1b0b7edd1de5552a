//! Raw files of gigabytes: opened once, read in parts, never whole in memory.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{FsError, failed};

/// Bytes of an archive that are read at a time.
const PIECE: usize = 1 << 17;

/// How far raw files have been read: bytes as they lie on the disk, so of the archive where one is packed.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    done: Arc<AtomicU64>,
}

/// The bytes of a stream as they lie on the disk: how many there were so far, and their BLAKE3.
#[derive(Clone, Debug, Default)]
pub struct Fingerprint {
    seen: Arc<Mutex<(u64, blake3::Hasher)>>,
}

impl Fingerprint {
    fn add(&self, bytes: &[u8]) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.0 += bytes.len() as u64;
        seen.1.update(bytes);
    }

    /// The number of bytes and their BLAKE3 in hex.
    #[must_use]
    pub fn get(&self) -> (u64, String) {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        (seen.0, seen.1.finalize().to_hex().to_string())
    }
}

impl Progress {
    /// Bytes read so far.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    fn add(&self, bytes: usize) {
        self.done.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// A raw file, opened.
pub enum Raw {
    /// A plain file, of which any part can be read at any time, by several threads.
    Plain(Plain),
    /// An archive, or a pipe: its unfolded bytes come one after the other.
    Stream(Stream),
}

/// A plain file.
pub struct Plain {
    file: File,
    path: PathBuf,
    length: u64,
    progress: Progress,
}

/// Bytes that come in order.
pub struct Stream {
    /// The unfolded bytes.
    pub reader: Box<dyn Read + Send>,
    /// Whether they are unfolded from an archive: then an early end is the archive's.
    pub is_packed: bool,
    /// The bytes that were read so far, before they are unfolded.
    pub fingerprint: Fingerprint,
}

/// Opens a raw file; gzip and zstd are told by their first bytes.
///
/// # Errors
/// [`FsError`] if it can't be opened.
pub fn open(path: &Path, progress: &Progress) -> Result<Raw, FsError> {
    let file = File::open(path).map_err(failed("open", path))?;
    let about = file.metadata().map_err(failed("open", path))?;
    let mut magic = Vec::new();
    if about.is_file() {
        (&file).take(4).read_to_end(&mut magic).map_err(failed("read", path))?;
        if !is_packed(&magic) {
            return Ok(Raw::Plain(Plain { file, path: path.to_owned(), length: about.len(), progress: progress.clone() }));
        }
    }
    stream(Cursor::new(magic).chain(file), path, progress).map(Raw::Stream)
}

/// BLAKE3 of a file as it lies on the disk, packed as it may be, in hex.
///
/// # Errors
/// [`FsError`] if it can't be read.
pub fn blake3(path: &Path) -> Result<String, FsError> {
    let mut file = File::open(path).map_err(failed("open", path))?;
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut file, &mut hasher).map_err(failed("read", path))?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Standard input as a raw file.
///
/// # Errors
/// [`FsError`] if it can't be read.
pub fn stdin(progress: &Progress) -> Result<Stream, FsError> {
    stream(io::stdin(), Path::new("-"), progress)
}

fn is_packed(magic: &[u8]) -> bool {
    matches!(magic, [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..])
}

fn stream(reader: impl Read + Send + 'static, path: &Path, progress: &Progress) -> Result<Stream, FsError> {
    let fingerprint = Fingerprint::default();
    let mut counted = Counted { inner: reader, progress: progress.clone(), fingerprint: fingerprint.clone() };
    let mut magic = Vec::new();
    counted.by_ref().take(4).read_to_end(&mut magic).map_err(failed("read", path))?;
    let is_packed = is_packed(&magic);
    // Read in large pieces: an archive of gigabytes is a few hundred of them.
    let whole = BufReader::with_capacity(PIECE, Cursor::new(magic.clone()).chain(counted));
    let reader: Box<dyn Read + Send> = match magic.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(flate2::bufread::MultiGzDecoder::new(whole)),
        [0x28, 0xb5, 0x2f, 0xfd] => Box::new(zstd::stream::read::Decoder::with_buffer(whole).map_err(failed("unfold", path))?),
        _ => Box::new(whole),
    };
    Ok(Stream { reader, is_packed, fingerprint })
}

impl Raw {
    /// The first unfolded bytes, up to some number; they are read again afterwards.
    ///
    /// # Errors
    /// [`FsError`] if a plain file can't be read.
    pub fn head(&mut self, most: usize) -> Result<Vec<u8>, FsError> {
        match self {
            Self::Plain(file) => {
                let mut head = vec![0; most];
                let filled = file.read_at(&mut head, 0)?;
                head.truncate(filled);
                Ok(head)
            }
            Self::Stream(stream) => Ok(stream.head(most)),
        }
    }
}

impl Stream {
    /// The first unfolded bytes, up to some number; they are read again afterwards. Of a broken archive what can be unfolded.
    pub fn head(&mut self, most: usize) -> Vec<u8> {
        let mut head = Vec::new();
        let broken = self.reader.by_ref().take(most as u64).read_to_end(&mut head).err();
        let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = match broken {
            // What broke it breaks it again where it did.
            Some(error) => Box::new(Cursor::new(head.clone()).chain(Broken(Some(error)))),
            None => Box::new(Cursor::new(head.clone()).chain(rest)),
        };
        head
    }

    /// All bytes, up to the limit of [`super::read`].
    ///
    /// # Errors
    /// [`FsError`] as of [`super::read`].
    pub fn whole(mut self) -> Result<Vec<u8>, FsError> {
        let read = super::read_limited(self.reader.as_mut(), Path::new("-"));
        if self.is_packed { read.map_err(super::broken) } else { read }
    }
}

/// A reader that has failed.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

impl Plain {
    /// Its length when it was opened.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Its length now: another one than before if somebody still writes it.
    ///
    /// # Errors
    /// [`FsError`] if the system can't tell.
    pub fn length_now(&self) -> Result<u64, FsError> {
        self.file.metadata().map(|about| about.len()).map_err(failed("read", &self.path))
    }

    /// Fills a buffer from an offset, as far as the file goes, and says how far that is.
    ///
    /// # Errors
    /// [`FsError`] if the system refuses.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, FsError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match read_some(&self.file, &mut buffer[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed("read", &self.path)(error)),
            }
        }
        Ok(filled)
    }

    /// Fills a whole buffer from an offset.
    ///
    /// # Errors
    /// [`FsError`] if the system refuses, or the file has become too short for it.
    pub fn fill_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), FsError> {
        let filled = self.read_at(buffer, offset)?;
        let short = || failed("read", &self.path)(io::ErrorKind::UnexpectedEof.into());
        (filled == buffer.len()).then_some(()).ok_or_else(short)
    }

    /// Says that so many bytes were dealt with.
    pub fn advance(&self, bytes: usize) {
        self.progress.add(bytes);
    }
}

#[cfg(unix)]
fn read_some(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_some(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

struct Counted<R> {
    inner: R,
    progress: Progress,
    fingerprint: Fingerprint,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.progress.add(read);
        self.fingerprint.add(&buffer[..read]);
        Ok(read)
    }
}
