//! Whether git would take in the files of a publication, and whether work of others would be mixed into the commit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::cmd::Failure;
use crate::cmd::project::counted;
use crate::diagnostic::Diagnostic;
use crate::fs;
use crate::git::{Git, Ignored, RepoPath, StatusEntry};

/// How many files are named; of the others the number.
pub(super) const SHOWN: usize = 20;

const SUBMODULE: &[u8] = b"160000";

/// All that stands in the way, a fault for each reason.
pub(super) fn faults(
    git: &Git,
    top: &Path,
    roots: &[RepoPath],
    changed: &[RepoPath],
    kept: &[RepoPath],
) -> Result<Vec<Diagnostic>, Failure> {
    let all: Vec<RepoPath> = changed.iter().chain(kept).cloned().collect::<BTreeSet<_>>().into_iter().collect();
    let index = git.index()?;
    let mut faults = Vec::new();
    let unmerged: BTreeSet<String> = index.iter().filter(|entry| entry.stage > 0).map(|entry| entry.path.to_string()).collect();
    faults.extend(
        fault("unmerged", "with two sides of a merge in it", unmerged).map(|fault| fault.help("resolve it first: git add FILE")),
    );

    let modules: Vec<&RepoPath> = index.iter().filter(|entry| entry.mode == SUBMODULE).map(|entry| &entry.path).collect();
    let is_outside = |path: &&RepoPath| modules.iter().any(|module| path.is_below(module)) || is_nested(top, path);
    let (outside, all): (Vec<&RepoPath>, Vec<&RepoPath>) = all.iter().partition(is_outside);
    let outside = outside.into_iter().map(RepoPath::to_string).collect();
    let help = "publish into that repository itself, or leave out --commit";
    faults.extend(fault("submodule", "in a repository of its own inside of this one", outside).map(|fault| fault.help(help)));

    let all: Vec<RepoPath> = all.into_iter().cloned().collect();
    let frozen: BTreeSet<&RepoPath> =
        index.iter().filter(|entry| entry.tag == b'S' || entry.tag.is_ascii_lowercase()).map(|entry| &entry.path).collect();
    let left_out = git.left_out(&all)?.into_iter().chain(all.iter().filter(|path| frozen.contains(path)).cloned());
    let left_out: BTreeSet<String> = left_out.map(|path| path.to_string()).collect();
    let help = "git sparse-checkout add FOLDER; git update-index --no-skip-worktree --no-assume-unchanged FILE";
    faults.extend(
        fault("left-out", "that this checkout leaves out or takes for unchanged", left_out).map(|fault| fault.help(help)),
    );

    let ignored = git.ignored(&all)?.iter().map(ignored).collect();
    let help = "take them out of the ignore file (a line `!NAME` behind the rule does)";
    faults.extend(fault("ignored", "that git ignores", ignored).map(|fault| fault.help(help)));

    let dirty = dirty(&git.status(roots)?, changed, kept);
    let help = "commit them or put them aside (git stash --include-untracked), then publish again";
    faults.extend(fault("dirty", "with changes that are not committed", dirty).map(|fault| fault.help(help)));
    Ok(faults)
}

/// One fault of all files with a reason.
fn fault(code: &'static str, what: &str, files: BTreeSet<String>) -> Option<Diagnostic> {
    let more = files.len().saturating_sub(SHOWN);
    let message = format!(
        "{} {what}: a publication would touch {}",
        counted(files.len(), "file"),
        if files.len() == 1 { "it" } else { "them" }
    );
    let named = Diagnostic::error(code, message);
    if files.is_empty() {
        return None;
    }
    let named = files.into_iter().take(SHOWN).fold(named, Diagnostic::note);
    Some(if more > 0 { named.note(format!("and {more} more")) } else { named })
}

fn ignored(ignored: &Ignored) -> String {
    format!("{} (by `{}` in {})", ignored.path, ignored.pattern, ignored.rule)
}

/// The files with changes that would be lost or mixed in. A kept file may differ from HEAD, it says what is wanted; but what is staged of
/// it must be that too.
fn dirty(status: &[StatusEntry], changed: &[RepoPath], kept: &[RepoPath]) -> BTreeSet<String> {
    let changed: BTreeSet<&RepoPath> = changed.iter().collect();
    let kept: BTreeSet<&RepoPath> = kept.iter().collect();
    let is_dirty = |entry: &&StatusEntry| {
        let is_staged_otherwise = !matches!((entry.index, entry.file), (b' ' | b'?', _) | (b'A' | b'M', b' '));
        changed.contains(&entry.path) || (kept.contains(&entry.path) && is_staged_otherwise)
    };
    let mut found: BTreeMap<&RepoPath, &str> = BTreeMap::new();
    for entry in status.iter().filter(is_dirty) {
        found.entry(&entry.path).or_insert(described(entry));
    }
    found.into_iter().map(|(path, how)| format!("{path} ({how})")).collect()
}

fn described(entry: &StatusEntry) -> &'static str {
    match (entry.index, entry.file) {
        (b'?', _) => "not in git",
        (b'D', _) => "staged to be removed",
        (_, b'D') => "removed",
        (b' ', _) => "changed",
        (_, b' ') => "staged",
        _ => "staged, and changed since",
    }
}

/// Whether a folder on the way to a file is a repository that git does not know of.
fn is_nested(top: &Path, path: &RepoPath) -> bool {
    let place = path.below(top);
    let mut folders = place.ancestors().skip(1).take_while(|folder| *folder != top);
    folders.any(|folder| fs::exists(&folder.join(".git")))
}
