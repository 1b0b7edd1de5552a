//! Tells that something changed on the disk: files and folders that may be absent, be replaced, go and come back.
//!
//! The system tells of changes below folders that are there. So of each wanted path the nearest folder that is there is watched,
//! and as one comes or goes all watches are set up anew. Where the system can't (a limit of watches is reached, a file system
//! that tells nothing), files are looked at every second.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecursiveMode, Watcher};

mod looking;

/// How many changed paths are named; of more, the names help nobody.
const NAMED: usize = 1000;

/// What is to be watched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wanted {
    /// A file, and what a link there leads to.
    File(PathBuf),
    /// A folder with all below it that is not hidden.
    Folder(PathBuf),
}

impl Wanted {
    fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Folder(path) => path,
        }
    }

    /// By an absolute path, which the system tells of.
    fn absolute(self) -> Self {
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        match self {
            Self::File(path) => Self::File(absolute(path)),
            Self::Folder(path) => Self::Folder(absolute(path)),
        }
    }
}

/// What happened since it was asked last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Happened {
    /// The wanted paths, or paths below them, that changed; at most a thousand.
    pub paths: BTreeSet<PathBuf>,
    /// Whether a watched folder came or went, so that [`Watch::follow`] has to be called.
    pub is_moved: bool,
    /// Why the system does not tell any more; [`Watch::follow`] has to be called.
    pub broken: Option<String>,
}

/// Watches paths.
pub struct Watch {
    seen: Arc<Seen>,
    watcher: Option<Box<dyn Watcher + Send>>,
    armed: BTreeSet<(PathBuf, bool)>,
    make: Make,
    looking: Option<looking::Looking>,
}

/// Makes the system's watcher.
type Make = fn(Arc<Seen>) -> notify::Result<Box<dyn Watcher + Send>>;

struct Seen {
    wanted: Mutex<Vec<Wanted>>,
    happened: Mutex<Happened>,
    wake: Box<dyn Fn() + Send + Sync>,
}

impl Watch {
    /// Watches nothing yet. `wake` is called, from another thread, when something happened.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self::by(told, wake)
    }

    fn by(make: Make, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let seen = Seen { wanted: Mutex::default(), happened: Mutex::default(), wake: Box::new(wake) };
        Self { seen: Arc::new(seen), watcher: None, armed: BTreeSet::new(), make, looking: None }
    }

    /// What happened since it was asked last.
    #[must_use]
    pub fn happened(&self) -> Happened {
        std::mem::take(&mut *held(&self.seen.happened))
    }

    /// Watches these paths from now on, and no others. What changes after this call is told. `happened` is what was told last.
    ///
    /// Returns why files are looked at from now on, if the system ceased to tell.
    ///
    /// # Errors
    /// Why nothing is watched at all.
    pub fn follow(
        &mut self,
        wanted: impl IntoIterator<Item = Wanted>,
        happened: &Happened,
    ) -> Result<Option<String>, super::FsError> {
        let wanted: BTreeSet<Wanted> = wanted.into_iter().map(Wanted::absolute).collect();
        let wanted: Vec<Wanted> = wanted.into_iter().collect();
        let is_new = places(&wanted) != self.armed || self.watcher.is_none();
        *held(&self.seen.wanted) = wanted.clone();
        if self.looking.is_some() {
            return Ok(None);
        }
        let why = match &happened.broken {
            Some(why) => why.clone(),
            None if is_new || happened.is_moved => match self.arm(&wanted) {
                Ok(()) => return Ok(None),
                Err(error) => error.to_string(),
            },
            None => return Ok(None),
        };
        self.watcher = None;
        self.looking = Some(looking::Looking::new(self.seen.clone())?);
        Ok(Some(why))
    }

    /// A new watcher in place of the old one, which goes only then.
    fn arm(&mut self, wanted: &[Wanted]) -> notify::Result<()> {
        // A folder can go between the look and the watch: then what is there by now counts.
        const TRIES: usize = 5;
        let mut result = Ok(());
        for _ in 0..TRIES {
            let armed = places(wanted);
            let mut watcher = (self.make)(self.seen.clone())?;
            result = armed.iter().try_for_each(|(path, is_deep)| {
                watcher.watch(path, if *is_deep { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive })
            });
            match &result {
                Err(error) if is_gone(error) => {}
                _ => {
                    self.watcher = Some(watcher);
                    self.armed = armed;
                    break;
                }
            }
        }
        result
    }
}

/// The system's own watcher.
fn told(seen: Arc<Seen>) -> notify::Result<Box<dyn Watcher + Send>> {
    let watcher = notify::recommended_watcher(move |event| seen.note(event))?;
    Ok(Box::new(watcher))
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(cause) => cause.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

/// The folders to watch, and whether with all below: those of the wanted paths, and those around them, in which they come and go.
fn places(wanted: &[Wanted]) -> BTreeSet<(PathBuf, bool)> {
    let mut places = BTreeSet::new();
    for one in wanted {
        if matches!(one, Wanted::Folder(path) if path.is_dir()) {
            places.insert((one.path().to_owned(), true));
        }
        let around = one.path().ancestors().skip(1).find(|folder| folder.is_dir());
        places.extend(around.map(|folder| (folder.to_owned(), false)));
        if let Wanted::File(path) = one
            && let Some(folder) = super::real(path).parent()
            && folder.is_dir()
        {
            places.insert((folder.to_owned(), false));
        }
    }
    // A folder is watched once: with all below, if it is wanted so.
    let deep: BTreeSet<PathBuf> = places.iter().filter(|(_, is_deep)| *is_deep).map(|(path, _)| path.clone()).collect();
    places.retain(|(path, is_deep)| *is_deep || !deep.contains(path));
    places
}

impl Seen {
    fn note(&self, event: notify::Result<Event>) {
        let noted = match event {
            Ok(event) if event.need_rescan() => {
                held(&self.happened).is_moved = true;
                true
            }
            // What this program reads itself is no change.
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => false,
            Ok(event) => self.note_paths(&event),
            Err(error) if is_gone(&error) => {
                held(&self.happened).is_moved = true;
                true
            }
            Err(error) => {
                held(&self.happened).broken = Some(error.to_string());
                true
            }
        };
        if noted {
            (self.wake)();
        }
    }

    fn note_paths(&self, event: &Event) -> bool {
        let is_content = matches!(event.kind, EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)));
        let mut noted = false;
        for path in &event.paths {
            let Some(meaning) = meaning(&held(&self.wanted), path) else { continue };
            let mut happened = held(&self.happened);
            match meaning {
                Meaning::Around if is_content => continue,
                Meaning::Around => happened.is_moved = true,
                Meaning::Itself => {
                    happened.is_moved |= !is_content;
                    insert(&mut happened.paths, path);
                }
                Meaning::Within => insert(&mut happened.paths, path),
            }
            noted = true;
        }
        noted
    }
}

fn insert(paths: &mut BTreeSet<PathBuf>, path: &Path) {
    if paths.len() < NAMED {
        paths.insert(path.to_owned());
    }
}

/// What a changed path is to a wanted one.
enum Meaning {
    /// A folder around it.
    Around,
    /// The path itself.
    Itself,
    /// Something in the folder.
    Within,
}

fn meaning(wanted: &[Wanted], path: &Path) -> Option<Meaning> {
    let of = |wanted: &Wanted| match wanted {
        Wanted::Folder(folder) if path == folder => Some(Meaning::Itself),
        Wanted::Folder(folder) if path.starts_with(folder) => is_visible(path, folder).then_some(Meaning::Within),
        Wanted::File(file) if path == file || path == super::real(file) => Some(Meaning::Within),
        _ => wanted.path().starts_with(path).then_some(Meaning::Around),
    };
    // Of two wanted paths one may lie in the other.
    let mut meanings: Vec<Meaning> = wanted.iter().filter_map(of).collect();
    let inner = meanings.iter().position(|meaning| !matches!(meaning, Meaning::Around));
    match inner {
        Some(at) => Some(meanings.swap_remove(at)),
        None => meanings.pop(),
    }
}

/// Hidden files are read by nobody: what an editor puts beside a file is no change.
fn is_visible(path: &Path, folder: &Path) -> bool {
    let below = path.strip_prefix(folder).unwrap_or(path);
    below.components().all(|name| !name.as_os_str().as_encoded_bytes().starts_with(b"."))
}

/// What a lock holds; a thread that panicked left it whole, since each change of it is one step.
fn held<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]
mod tests {
    use std::fs;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// A folder `project` in a folder, watched for a folder `data` and a file `a.toml`.
    struct Watched {
        dir: tempfile::TempDir,
        watch: Watch,
        woken: mpsc::Receiver<()>,
    }

    impl Watched {
        fn new(make: Make) -> Self {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir_all(dir.path().join("project/data/v1")).unwrap();
            let (wake, woken) = mpsc::channel();
            let wake = Mutex::new(wake);
            let watch = Watch::by(make, move || {
                // Nobody listens any more once the test is over.
                let _heard = held(&wake).send(());
            });
            let mut watched = Self { dir, watch, woken };
            watched.follow(&Happened::default());
            watched
        }

        fn path(&self, path: &str) -> PathBuf {
            // The system's name of the folder, which is a link on some systems.
            super::super::real(self.dir.path()).join("project").join(path)
        }

        fn follow(&mut self, happened: &Happened) -> Option<String> {
            let wanted = [Wanted::Folder(self.path("data")), Wanted::File(self.path("a.toml"))];
            self.watch.follow(wanted, happened).unwrap()
        }

        /// Waits until a path is told; follows as it has to.
        #[track_caller]
        fn hears(&mut self, path: &str) {
            let path = self.path(path);
            loop {
                self.woken.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|_| panic!("{} was not told", path.display()));
                let happened = self.watch.happened();
                if happened.is_moved || happened.broken.is_some() {
                    self.follow(&happened);
                }
                if happened.paths.contains(&path) {
                    return;
                }
            }
        }

        /// Writes a file again and again until it is told: where a folder was made just now, the first time may be before the watch.
        #[track_caller]
        fn writes_and_hears(&mut self, path: &str) {
            fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
            for n in 0..600 {
                fs::write(self.path(path), n.to_string()).unwrap();
                let _woken = self.woken.recv_timeout(Duration::from_millis(100));
                let happened = self.watch.happened();
                if happened.is_moved || happened.broken.is_some() {
                    self.follow(&happened);
                }
                if happened.paths.contains(&self.path(path)) {
                    return;
                }
            }
            panic!("{path} was not told");
        }
    }

    fn refused(_: Arc<Seen>) -> notify::Result<Box<dyn Watcher + Send>> {
        Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch))
    }

    fn changes_are_told(mut watched: Watched) {
        watched.writes_and_hears("data/v1/record.json");
        watched.writes_and_hears("a.toml");
        watched.writes_and_hears("data/v2/deep/deeper/record.json");
        fs::write(watched.path("b.toml"), "an editor writes beside it").unwrap();
        fs::rename(watched.path("b.toml"), watched.path("a.toml")).unwrap();
        watched.hears("a.toml");
        fs::remove_file(watched.path("data/v1/record.json")).unwrap();
        watched.hears("data/v1/record.json");
        fs::remove_dir_all(watched.path("data")).unwrap();
        watched.writes_and_hears("data/v1/record.json");
        fs::remove_dir_all(watched.path("")).unwrap();
        watched.writes_and_hears("data/v3/record.json");
        watched.writes_and_hears("a.toml");
    }

    #[test]
    fn changes_are_told_by_the_system() {
        changes_are_told(Watched::new(told));
    }

    #[test]
    fn changes_are_told_by_looking() {
        changes_are_told(Watched::new(refused));
    }

    #[test]
    fn where_the_system_cannot_tell_files_are_looked_at() {
        let mut watch = Watch::by(refused, || {});
        let dir = tempfile::tempdir().unwrap();
        let wanted = || [Wanted::Folder(dir.path().to_owned())];
        let why = watch.follow(wanted(), &Happened::default()).unwrap();
        assert_eq!(why.as_deref().map(|why| why.contains("limit")), Some(true), "{why:?}");
        assert_eq!(watch.follow(wanted(), &Happened { is_moved: true, ..Happened::default() }).unwrap(), None);
    }

    #[test]
    fn a_system_that_ceases_to_tell_is_replaced_by_looking() {
        let mut watched = Watched::new(told);
        let broken = Happened { broken: Some("the queue is gone".to_owned()), ..Happened::default() };
        assert_eq!(watched.follow(&broken), Some("the queue is gone".to_owned()));
        watched.writes_and_hears("data/v1/record.json");
    }

    #[test]
    fn what_nobody_reads_is_no_change() {
        let folder = [Wanted::Folder("/p/data".into()), Wanted::File("/p/a.toml".into())];
        for path in ["/p/data/.hidden", "/p/data/v1/.x.plimsoll-new", "/p/site/index.html", "/p/b.toml", "/q", "/p/database"] {
            assert!(meaning(&folder, Path::new(path)).is_none(), "{path}");
        }
        assert!(matches!(meaning(&folder, Path::new("/p")), Some(Meaning::Around)));
        assert!(matches!(meaning(&folder, Path::new("/p/data")), Some(Meaning::Itself)));
        assert!(matches!(meaning(&folder, Path::new("/p/data/v1/record.json")), Some(Meaning::Within)));
    }
}
