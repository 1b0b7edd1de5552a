//! The commit of a publication: on a branch, of the files that were written and of nothing else. Nothing is pushed or fetched.
//!
//! All that can be known beforehand is asked before a file is written: the repository, its state, who commits, the branch, and whether
//! the files that change are as HEAD has them. Then a commit fails only where a hook, a key or the disk does.

mod branch;
mod files;
mod share;

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::cli;
use crate::cmd::project::{counted, shown};
use crate::cmd::{Failure, Streams};
use crate::diagnostic::{Diagnostic, Faults};
use crate::fs;
use crate::git::{Git, GitError, RepoPath};
use crate::publish::message::Message;

use self::branch::Branch;
pub(super) use self::share::Publication;

/// Where git keeps what is halfway done, and what that is called.
const HALFWAY: [(&str, &str); 6] = [
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("sequencer", "a cherry-pick or revert"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
];

/// A commit to be made.
pub(super) struct Commit {
    git: Git,
    /// The top of the work tree, links followed.
    top: PathBuf,
    /// Where git keeps this work tree's HEAD.
    own_folder: PathBuf,
    /// The folders that are published into, from the top.
    roots: Vec<RepoPath>,
    branch: Branch,
    /// The docs folder as it was typed.
    docs: PathBuf,
}

/// A commit, and the files that it is of.
pub(super) struct Committing {
    commit: Commit,
    files: BTreeSet<RepoPath>,
}

impl Committing {
    /// Commits the files that HEAD has otherwise, and says what was done. Where HEAD has them all, nothing is made.
    ///
    /// # Errors
    /// Git's words, and in which state things are.
    pub(super) fn make(&self, message: &Message, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let commit = &self.commit;
        let other: BTreeSet<RepoPath> = commit.git.status(&commit.roots)?.into_iter().map(|entry| entry.path).collect();
        let paths: Vec<RepoPath> = other.into_iter().filter(|path| self.files.contains(path)).collect();
        if paths.is_empty() {
            streams.say("nothing to commit: all of it is committed already");
            return Ok(());
        }
        commit.branch.begin(&commit.git).map_err(|error| commit.undone(&error))?;
        commit.committed(&paths, message).map_err(|error| commit.undone(&error))?;
        commit.tell(paths.len(), streams)?;
        commit.settle(&paths, streams)
    }
}

impl Commit {
    /// Asks git all that can be asked before pages are made; `None` without `--commit`. Nothing is written.
    ///
    /// # Errors
    /// Misuse: the docs folder is in no work tree, the roots are in several, the branch can't be. Faults: the repository is in a state
    /// in which nothing can be committed, or git does not know who commits.
    pub(super) fn prepare(args: &cli::Publish, roots: &[&Path]) -> Result<Option<Self>, Failure> {
        if !args.commit {
            return Ok(None);
        }
        let docs = located(&args.to)?;
        let top = top(&docs, &args.to)?;
        let git = Git::at(&top);
        let own_folder = git.own_folder()?;
        let roots = inside(&top, roots)?;
        let branch = Branch::chosen(&git, args.branch.as_deref())?;
        Faults::check(state(&git, &own_folder))?;
        Ok(Some(Self { git, top, own_folder, roots, branch, docs: args.to.clone() }))
    }

    /// Before anything is written: which files are committed, and whether git takes them in.
    ///
    /// # Errors
    /// Every file that stands in the way, in one list.
    pub(super) fn of(self, publication: &Publication<'_>) -> Result<Committing, Failure> {
        let files = self.files(publication)?;
        Faults::check(files::faults(&self.git, &self.top, &self.roots, &files.changed, &files.kept)?)?;
        Ok(Committing { commit: self, files: files.changed.into_iter().chain(files.kept).collect() })
    }

    /// Stages and commits. The message goes through a file, which is gone afterwards.
    fn committed(&self, paths: &[RepoPath], message: &Message) -> Result<(), Failure> {
        self.git.stage(paths)?;
        let file = self.own_folder.join("plimsoll-message");
        fs::write_file(&file, message.whole().as_bytes())?;
        let done = self.git.commit(paths, &file);
        fs::remove_file(&file)?;
        Ok(done?)
    }

    /// A hook may commit other bytes than were staged; the index then has files of the commit otherwise than HEAD. It gets them as they
    /// were committed, and the reader is told.
    fn settle(&self, paths: &[RepoPath], streams: &mut Streams<'_>) -> Result<(), Failure> {
        let other = self.git.staged(paths)?;
        if other.is_empty() {
            return Ok(());
        }
        self.git.unstage(&other)?;
        let fault =
            Diagnostic::warning("hook-changed", format!("a hook of the repository changed {}", counted(other.len(), "file")));
        let fault = other.iter().take(files::SHOWN).fold(fault, |fault, path| fault.note(path.to_string()));
        streams.tell(&fault.help("the next publication takes them for changed by hand; leave the pages out of that hook"));
        Ok(())
    }

    fn tell(&self, count: usize, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let id = self.git.last_commit()?.unwrap_or_default();
        let name = self.branch.name();
        streams.say(&format!("committed {} as {id} on the branch `{name}`; nothing was pushed", counted(count, "file")));
        match self.remote()? {
            Some(remote) => {
                let docs = quoted(&shown(&self.docs));
                let push = format!("git -C {docs} push --set-upstream {} {}", quoted(&remote), quoted(name));
                streams.say(&format!("to push it: {push}"));
            }
            None => streams.say("the repository has no remote to push to"),
        }
        Ok(())
    }

    /// Where one would push to.
    fn remote(&self) -> Result<Option<String>, Failure> {
        let remotes = self.git.remotes()?;
        let origin = remotes.iter().find(|remote| *remote == "origin");
        Ok(origin.or(remotes.first()).cloned())
    }

    /// A failure after the pages were written, with what is to be done.
    fn undone(&self, failure: &Failure) -> Failure {
        let (name, words) = (self.branch.name(), failure.to_string());
        let (words, help) = match failure {
            Failure::Outside(said) => (said.message.clone(), said.help.clone()),
            _ => (words, None),
        };
        let on = match self.git.branch().ok().flatten() {
            Some(branch) => format!("the branch `{branch}` is checked out"),
            None => format!("the branch `{name}` was not made"),
        };
        let fault = Diagnostic::error("not-committed", format!("the pages are written, and not committed: {words}"));
        let fault = fault.note(format!("{on}; nothing was committed, and nothing is lost"));
        let again = "when that is mended, publish again: the same files are committed then";
        Failure::outside(fault.help(help.unwrap_or_else(|| again.to_owned())))
    }

    /// A file by its path from the top.
    fn path(&self, file: &Path) -> Result<RepoPath, Failure> {
        // A link is a file of its own; only the folders on the way to it are followed.
        let folder = located(file.parent().unwrap_or(Path::new("")))?;
        let place = file.file_name().map_or(folder.clone(), |name| folder.join(name));
        from_top(&self.top, &place).ok_or_else(|| elsewhere(file))
    }
}

impl From<GitError> for Failure {
    fn from(error: GitError) -> Self {
        let fault = Diagnostic::error("git", error.to_string());
        Self::outside(match error {
            GitError::Missing => fault.help("install git, or leave out --commit"),
            _ => fault,
        })
    }
}

/// The top of the work tree that a folder lies in, links followed.
fn top(folder: &Path, typed: &Path) -> Result<PathBuf, Failure> {
    let known = folder.ancestors().find(|folder| fs::is_folder(folder)).unwrap_or(folder);
    match Git::at(known).top() {
        Ok(top) => Ok(fs::real(&top)),
        Err(error @ GitError::Refused { .. }) => {
            let fault = Diagnostic::error("no-repository", format!("`{}` is in no work tree of git", shown(typed)));
            Err(Failure::Misuse(fault.note(error.to_string()).help("leave out --commit, or publish into a clone")))
        }
        Err(error) => Err(error.into()),
    }
}

/// The roots by their paths from the top of the one work tree that they all lie in.
fn inside(top: &Path, roots: &[&Path]) -> Result<Vec<RepoPath>, Failure> {
    let root = |root: &&Path| {
        let place = located(root)?;
        let is_there = fs::is_folder(&place) && self::top(&place, root)? != top;
        from_top(top, &place).filter(|_| !is_there).ok_or_else(|| elsewhere(root))
    };
    roots.iter().map(root).collect()
}

fn from_top(top: &Path, place: &Path) -> Option<RepoPath> {
    place.strip_prefix(top).ok().map(RepoPath::new)
}

fn elsewhere(path: &Path) -> Failure {
    let message = format!("`{}` is not in the work tree of the docs folder", shown(path));
    let fault = Diagnostic::error("other-repository", message).note("one commit is of one repository");
    Failure::Misuse(fault.help("leave out --commit, or change docs.nav and docs.mirror of plimsoll.toml"))
}

/// An absolute path, links followed as far as there is something.
fn located(path: &Path) -> Result<PathBuf, Failure> {
    let absolute = std::path::absolute(path).map_err(|error| Failure::misuse("bad-path", error.to_string()))?;
    let known = absolute.ancestors().find(|folder| fs::is_folder(folder)).unwrap_or(&absolute);
    let rest = absolute.strip_prefix(known).unwrap_or(Path::new(""));
    Ok(rest.components().fold(fs::real(known), |mut place, part| {
        match part {
            Component::ParentDir => drop(place.pop()),
            part => place.push(part),
        }
        place
    }))
}

/// What keeps the repository from taking a commit now.
fn state(git: &Git, own_folder: &Path) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    if let Some((_, what)) = HALFWAY.iter().find(|(file, _)| fs::exists(&own_folder.join(file))) {
        let fault = Diagnostic::error("halfway", format!("{what} is in progress in the repository of the docs folder"));
        faults.push(fault.help("finish or abort it first (`git status` says how)"));
    }
    if fs::exists(&own_folder.join("index.lock")) {
        let fault = Diagnostic::error("locked-index", "another git process is at work in the repository of the docs folder");
        faults.push(fault.help("wait for it; if there is none, remove `index.lock` from the folder `.git`"));
    }
    if let Err(error) = git.knows_who() {
        let fault = Diagnostic::error("unknown-author", "git does not know who commits").note(error.to_string());
        faults.push(fault.help("git config user.name NAME; git config user.email ADDRESS"));
    }
    faults
}

/// A word as a shell takes it for one.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(quoted("benchmarks-v4.19.2"), "benchmarks-v4.19.2");
        assert_eq!(quoted("it's $(here)"), "'it'\\''s $(here)'");
        assert_eq!(quoted(""), "''");
    }

    #[cfg(unix)]
    #[test]
    fn a_place_is_found_before_it_is_there_and_behind_links() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs::real(folder.path());
        fs::write_file(&real.join("docs/a"), b"").unwrap();
        std::os::unix::fs::symlink("docs", real.join("link")).unwrap();
        assert_eq!(located(&real.join("link/new/../other/page.mdx")).unwrap(), real.join("docs/other/page.mdx"));
        assert_eq!(located(&real.join("docs/a")).unwrap(), real.join("docs/a"));
        assert_eq!(located(&real.join("link/..")).unwrap(), real);
    }
}
