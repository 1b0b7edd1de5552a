//! A repository: where it is, on which branch, and what is done to it. Nothing is ever fetched or pushed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::changes::records;
use super::{Git, GitError, LITERAL, RepoPath, line, nul_separated, os_text, path, refused};

impl Git {
    /// The top of the work tree that the folder lies in.
    ///
    /// # Errors
    /// [`GitError`] with git's words if there is none.
    pub fn top(&self) -> Result<PathBuf, GitError> {
        Ok(path(&self.ask(&["rev-parse", "--show-toplevel"])?))
    }

    /// Where this work tree keeps its HEAD and its index.
    ///
    /// # Errors
    /// [`GitError`] if git refuses.
    pub fn own_folder(&self) -> Result<PathBuf, GitError> {
        Ok(path(&self.ask(&["rev-parse", "--absolute-git-dir"])?))
    }

    /// The branch that is checked out, with or without a commit on it; `None` on a detached HEAD.
    ///
    /// # Errors
    /// [`GitError`] if git refuses.
    pub fn branch(&self) -> Result<Option<String>, GitError> {
        let args = ["symbolic-ref", "--quiet", "HEAD"];
        let output = self.ask_about(&args, b"")?;
        match output.status.code() {
            Some(0) => {
                let name = line(&output.stdout);
                Ok(Some(name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned()))
            }
            Some(1) => Ok(None),
            _ => Err(refused(&args, &output)),
        }
    }

    /// All branches.
    ///
    /// # Errors
    /// [`GitError`] if git refuses.
    pub fn branches(&self) -> Result<Vec<String>, GitError> {
        let answer = self.ask(&["for-each-ref", "--format=%(refname)", "refs/heads/"])?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        Ok(answer.lines().filter_map(|name| name.strip_prefix("refs/heads/")).map(str::to_owned).collect())
    }

    /// Whether a branch may have a name. What git would take for another name (`@{-1}`) may not.
    ///
    /// # Errors
    /// [`GitError`] if git can't be asked.
    pub fn allows_branch(&self, name: &str) -> Result<bool, GitError> {
        let output = self.ask_about(&["check-ref-format", "--branch", name], b"")?;
        Ok(output.status.success() && line(&output.stdout) == name)
    }

    /// A file as HEAD has it, in the bytes that a checkout of it would have; `None` if HEAD has no such file.
    ///
    /// # Errors
    /// [`GitError`] if git can't be asked, or refuses what it has.
    pub fn at_head(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, GitError> {
        let object = os_text(&[b"HEAD:", path.0.as_slice()].concat());
        let known = self.ask_about(&["rev-parse".as_ref(), "--quiet".as_ref(), "--verify".as_ref(), object.as_os_str()], b"")?;
        let file = || self.ask(&["cat-file".as_ref(), "--filters".as_ref(), object.as_os_str()]);
        known.status.success().then(file).transpose()
    }

    /// The short id of the last commit; `None` before the first.
    ///
    /// # Errors
    /// [`GitError`] if git can't be asked.
    pub fn last_commit(&self) -> Result<Option<String>, GitError> {
        let output = self.ask_about(&["rev-parse", "--quiet", "--verify", "--short", "HEAD^{commit}"], b"")?;
        Ok(output.status.success().then(|| line(&output.stdout)))
    }

    /// That git knows who commits.
    ///
    /// # Errors
    /// [`GitError`] with git's words if it does not.
    pub fn knows_who(&self) -> Result<(), GitError> {
        ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"].iter().try_for_each(|who| self.ask(&["var", who]).map(|_| ()))
    }

    /// The names of other repositories.
    ///
    /// # Errors
    /// [`GitError`] if git refuses.
    pub fn remotes(&self) -> Result<Vec<String>, GitError> {
        let answer = self.ask(&["remote"])?;
        Ok(String::from_utf8_lossy(&answer).lines().map(str::to_owned).collect())
    }

    /// Whether a setting has a value.
    pub(super) fn setting_is(&self, key: &str, value: &str) -> Result<bool, GitError> {
        let output = self.ask_about(&["config", "--type=bool", "--get", key], b"")?;
        Ok(output.status.success() && line(&output.stdout) == value)
    }

    /// Makes a branch where HEAD is and checks it out; no file changes.
    ///
    /// # Errors
    /// [`GitError`] if git or a hook refuses.
    pub fn begin_branch(&self, name: &str) -> Result<(), GitError> {
        self.act(&["switch", "--quiet", "--no-track", "--create", name], b"").map(|_| ())
    }

    /// Stages files as they are, or that they are gone.
    ///
    /// # Errors
    /// [`GitError`] if git refuses.
    pub fn stage(&self, paths: &[RepoPath]) -> Result<(), GitError> {
        let args = ["add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"];
        self.act(&args, &nul_separated(paths, LITERAL)).map(|_| ())
    }

    /// Commits some files as they are and nothing else, whatever is staged. The message lies in a file: standard input has the paths.
    ///
    /// # Errors
    /// [`GitError`] if git or a hook refuses.
    pub fn commit(&self, paths: &[RepoPath], message: &Path) -> Result<(), GitError> {
        let flags =
            ["commit", "--quiet", "--only", "--cleanup=verbatim", "--pathspec-from-file=-", "--pathspec-file-nul", "--file"];
        let args: Vec<&OsStr> = flags.iter().map(AsRef::as_ref).chain([message.as_os_str()]).collect();
        self.act(&args, &nul_separated(paths, LITERAL)).map(|_| ())
    }

    /// Those of some files that the index has otherwise than HEAD.
    ///
    /// # Errors
    /// [`GitError`] if git refuses.
    pub fn staged(&self, among: &[RepoPath]) -> Result<Vec<RepoPath>, GitError> {
        let answer = self.ask(&["diff", "--cached", "--no-ext-diff", "--no-renames", "--name-only", "-z", "HEAD"])?;
        let names: BTreeSet<RepoPath> = records(&answer).map(|name| RepoPath(name.to_vec())).collect();
        Ok(among.iter().filter(|path| names.contains(*path)).cloned().collect())
    }

    /// Lets the index have some files as HEAD has them; the files stay as they are.
    ///
    /// # Errors
    /// [`GitError`] if git refuses.
    pub fn unstage(&self, paths: &[RepoPath]) -> Result<(), GitError> {
        let args = ["reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul"];
        self.act(&args, &nul_separated(paths, LITERAL)).map(|_| ())
    }
}
