//! The one door to git: the program `git`, asked for what it knows and told what to commit. Nobody else starts processes.
//!
//! Git is asked as the user has it, with its settings, hooks and keys: a library would know none of them. Names go in and come out
//! separated by NUL, so that none is too odd; there is no shell in between, no pager and no question on the terminal.

mod changes;
mod repository;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub use changes::{Ignored, IndexEntry, StatusEntry};

/// What ties git to one repository, from a hook or a script around this program: `git rev-parse --local-env-vars` without what sets
/// configuration. It is cleared on purpose. In a hook of the code's repository these name that repository and its index, and the docs
/// folder is what says which repository is meant. `GIT_CONFIG_COUNT` and `GIT_CONFIG_PARAMETERS` stay: in CI they are how a folder is
/// declared safe and who commits.
const OF_ONE_REPOSITORY: [&str; 15] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// What would read our paths as patterns.
const OF_PATTERNS: [&str; 4] = ["GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_LITERAL_PATHSPECS", "GIT_NOGLOB_PATHSPECS"];

/// Why git did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no program of that name.
    #[error("there is no program `git` on the PATH")]
    Missing,
    /// It could not be started or listened to.
    #[error("can't run git: {0}")]
    Run(#[from] io::Error),
    /// It refused.
    #[error("`git {verb}` failed: {words}")]
    Refused {
        /// What was asked: `commit`.
        verb: String,
        /// What git said, and its hooks.
        words: String,
    },
    /// It answered in a form that is not known here.
    #[error("`git {verb}` answered what is not understood: {words}")]
    Unclear {
        /// What was asked.
        verb: &'static str,
        /// The answer.
        words: String,
    },
}

/// Git in a folder.
#[derive(Clone, Debug)]
pub struct Git {
    folder: PathBuf,
}

/// A file by its path from the top of a work tree, with `/`, in the bytes that git has for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepoPath(Vec<u8>);

impl RepoPath {
    /// A path relative to the top of a work tree.
    #[must_use]
    pub fn new(relative: &Path) -> Self {
        let parts: Vec<&[u8]> = relative.iter().map(OsStr::as_encoded_bytes).collect();
        Self(parts.join(&b'/'))
    }

    /// Where it lies on the disk.
    #[must_use]
    pub fn below(&self, top: &Path) -> PathBuf {
        top.join(os_text(&self.0))
    }

    /// Whether it is a folder or a file, or lies in it.
    #[must_use]
    pub fn is_below(&self, folder: &Self) -> bool {
        folder.0.is_empty()
            || self.0.strip_prefix(folder.0.as_slice()).is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(&self.0))
    }
}

impl Git {
    /// Git in a folder that is there.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The answer to a question that has one. Its words are English, and nothing is written, not even what git has looked up.
    fn ask<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Vec<u8>, GitError> {
        self.ask_about(args, b"").and_then(|output| succeeded(args, output))
    }

    /// The answer to a question about what goes in, whatever its status.
    fn ask_about<S: AsRef<OsStr>>(&self, args: &[S], input: &[u8]) -> Result<Output, GitError> {
        let mut command = self.command();
        // A partial clone would fetch what it lacks.
        command.env("LC_ALL", "C").env("GIT_NO_LAZY_FETCH", "1").arg("--no-optional-locks");
        run(command.args(args), input)
    }

    /// Does something. Hooks see the user's own language and no pathspec settings of ours, so they work as ever.
    fn act<S: AsRef<OsStr>>(&self, args: &[S], input: &[u8]) -> Result<Vec<u8>, GitError> {
        run(self.command().args(args), input).and_then(|output| succeeded(args, output))
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        for variable in OF_ONE_REPOSITORY.iter().chain(&OF_PATTERNS) {
            command.env_remove(variable);
        }
        command.env("GIT_TERMINAL_PROMPT", "0").arg("-C").arg(&self.folder).arg("--no-pager");
        command
    }
}

/// Runs a command with its input and listens to both its streams.
fn run(command: &mut Command, input: &[u8]) -> Result<Output, GitError> {
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => GitError::Missing,
        _ => GitError::Run(error),
    })?;
    let stdin = child.stdin.take();
    // Git answers while it reads: who writes all first and listens then waits for ever.
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // Git that ended early has said why.
            stdin.map(|mut stdin| stdin.write_all(input))
        });
        Ok(child.wait_with_output()?)
    })
}

fn succeeded<S: AsRef<OsStr>>(args: &[S], output: Output) -> Result<Vec<u8>, GitError> {
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(refused(args, &output))
}

/// The failure in git's words: those on standard error, else those on the other.
fn refused<S: AsRef<OsStr>>(args: &[S], output: &Output) -> GitError {
    let verb = args.first().map(|verb| verb.as_ref().to_string_lossy().into_owned()).unwrap_or_default();
    let words = [&output.stderr, &output.stdout].map(|bytes| String::from_utf8_lossy(bytes).trim().to_owned());
    let words = words.into_iter().find(|words| !words.is_empty());
    GitError::Refused { verb, words: words.unwrap_or_else(|| output.status.to_string()) }
}

/// A line's text without its end.
fn line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches(['\n', '\r']).to_owned()
}

/// A path that git printed on a line of its own; it may itself hold line ends.
fn path(bytes: &[u8]) -> PathBuf {
    os_text(bytes.strip_suffix(b"\n").unwrap_or(bytes)).into()
}

/// Bytes of git as the system names files.
fn os_text(bytes: &[u8]) -> OsString {
    #[cfg(unix)]
    let text = <OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes.to_vec());
    #[cfg(not(unix))]
    let text = String::from_utf8_lossy(bytes).into_owned().into();
    text
}

/// A path as one itself, from the top: not a pattern, whatever its letters. It stands in front of each path, because the flag that says
/// so for all would reach the user's hooks.
const LITERAL: &str = ":(top,literal)";

/// Paths as git reads them from standard input, each with something before it.
fn nul_separated<'a>(paths: impl IntoIterator<Item = &'a RepoPath>, before: &str) -> Vec<u8> {
    paths.into_iter().flat_map(|path| [before.as_bytes(), &path.0, b"\0"].concat()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_path_lies_in_its_folders_only() {
        let path = RepoPath::new(Path::new("docs/v1/a.mdx"));
        let is_below = |folder: &str| path.is_below(&RepoPath::new(Path::new(folder)));
        assert!(is_below("") && is_below("docs") && is_below("docs/v1") && is_below("docs/v1/a.mdx"));
        assert!(!is_below("doc") && !is_below("docs/v1/a") && !is_below("docs/v1/a.mdx/b"));
    }

    #[test]
    fn git_that_refuses_is_heard() {
        let folder = tempfile::tempdir().unwrap();
        let said = Git::at(folder.path()).ask(&["no-such-verb"]).unwrap_err().to_string();
        assert!(said.starts_with("`git no-such-verb` failed: git: 'no-such-verb' is not a git command"), "{said}");
    }

    #[test]
    fn much_goes_in_while_much_comes_out() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path());
        git.act(&["init", "-q"], b"").unwrap();
        crate::fs::write_file(&folder.path().join(".gitignore"), b"*").unwrap();
        let paths: Vec<RepoPath> = (0..50_000).map(|n| RepoPath::new(Path::new(&format!("some/folder/{n}.mdx")))).collect();
        assert_eq!(git.ignored(&paths).unwrap().len(), 50_000);
    }
}
