//! Files looked at again and again, where the system does not tell what changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, UNIX_EPOCH};

use super::{Seen, Wanted, held};
use crate::fs::{FsError, failed, find};

/// How often.
const INTERVAL: Duration = Duration::from_secs(1);

/// A file's length and the time of its last change: enough to see that it was written, without reading it.
type Look = (u64, Option<Duration>);

/// A thread that looks, until this goes.
pub(super) struct Looking {
    _until: mpsc::Sender<()>,
}

impl Looking {
    /// Looks at what is wanted from now on.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub(super) fn new(seen: Arc<Seen>) -> Result<Self, FsError> {
        let (until, gone) = mpsc::channel::<()>();
        let mut before = look(&held(&seen.wanted));
        let looking = move || {
            while gone.recv_timeout(INTERVAL) == Err(mpsc::RecvTimeoutError::Timeout) {
                let wanted = held(&seen.wanted).clone();
                let now = look(&wanted);
                let changed: Vec<&PathBuf> = changed(&before, &now).collect();
                if !changed.is_empty() {
                    for path in changed {
                        super::insert(&mut held(&seen.happened).paths, path);
                    }
                    (seen.wake)();
                }
                before = now;
            }
        };
        std::thread::Builder::new().name("looking".to_owned()).spawn(looking).map_err(failed("look again at", Path::new(".")))?;
        Ok(Self { _until: until })
    }
}

/// What is there; what can't be read is as good as absent until it can.
fn look(wanted: &[Wanted]) -> BTreeMap<PathBuf, Look> {
    let mut files = BTreeMap::new();
    for one in wanted {
        let paths = match one {
            Wanted::File(path) => vec![path.clone()],
            Wanted::Folder(folder) => find(folder).unwrap_or_default().into_iter().map(|found| found.path).collect(),
        };
        files.extend(paths.into_iter().filter_map(|path| look_at(&path).map(|look| (path, look))));
    }
    files
}

fn look_at(path: &Path) -> Option<Look> {
    let about = path.metadata().ok()?;
    let changed = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    Some((about.len(), changed))
}

/// Files that are new, gone, or written since.
fn changed<'a>(before: &'a BTreeMap<PathBuf, Look>, now: &'a BTreeMap<PathBuf, Look>) -> impl Iterator<Item = &'a PathBuf> + 'a {
    let written = now.iter().filter(|(path, look)| before.get(*path) != Some(look));
    let gone = before.iter().filter(|(path, _)| !now.contains_key(*path));
    written.chain(gone).map(|(path, _)| path)
}
