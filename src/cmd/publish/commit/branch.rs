//! The branch that the commit is made on.

use crate::cmd::Failure;
use crate::diagnostic::Diagnostic;
use crate::git::Git;

/// A branch that is checked out, or one to be made where HEAD is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Branch {
    /// It is checked out.
    Current(String),
    /// It is to be made.
    New(String),
}

impl Branch {
    /// The branch of `--branch`, else the one that is checked out.
    ///
    /// # Errors
    /// Misuse, if there is none, or the commit can't be made on it without other files changing.
    pub(super) fn chosen(git: &Git, name: Option<&str>) -> Result<Self, Failure> {
        let current = git.branch()?;
        let Some(name) = name else {
            return current.map(Self::Current).ok_or_else(|| {
                let fault = Diagnostic::error("detached", "no branch is checked out in the repository of the docs folder");
                Failure::Misuse(fault.help("name the branch of the commit: --branch NAME"))
            });
        };
        if !git.allows_branch(name)? {
            let fault = Diagnostic::error("bad-branch", format!("`{name}` is no name of a branch"));
            return Err(Failure::Misuse(fault.note("the rules are those of `git check-ref-format --branch`")));
        }
        if current.as_deref() == Some(name) {
            return Ok(Self::Current(name.to_owned()));
        }
        match git.branches()?.iter().find(|known| *known == name || is_folder(known, name) || is_folder(name, known)) {
            None => Ok(Self::New(name.to_owned())),
            Some(known) => Err(taken(name, known)),
        }
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Current(name) | Self::New(name) => name,
        }
    }

    /// Makes and checks out a new one.
    pub(super) fn begin(&self, git: &Git) -> Result<(), Failure> {
        match self {
            Self::Current(_) => Ok(()),
            Self::New(name) => Ok(git.begin_branch(name)?),
        }
    }
}

/// Whether git would have to keep a folder where it keeps a branch: `a` and `a/b`.
fn is_folder(name: &str, of: &str) -> bool {
    of.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
}

fn taken(name: &str, known: &str) -> Failure {
    if name != known {
        let fault = Diagnostic::error("branch-taken", format!("git can't have a branch `{name}` beside `{known}`"));
        return Failure::Misuse(fault.help("choose another name"));
    }
    let fault = Diagnostic::error("branch-exists", format!("the branch `{name}` exists and is not checked out here"));
    let fault = fault.note("to check it out changes other files, which a publication does not do");
    Failure::Misuse(fault.help(format!("`git switch {name}` first, or choose another name")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_no_folder_of_branches() {
        assert!(is_folder("a", "a/b") && is_folder("a", "a/b/c"));
        assert!(!is_folder("a", "ab") && !is_folder("a/b", "a") && !is_folder("a", "a"));
    }
}
