//! Which runs a captured file may be of: those of its folder, of the nearest folder above it, else those below that folder.
//!
//! A run's captures lie in its folder or below it; a sweep's lie beside its runs and are of all of them.

use super::run::Run;
use super::{NAMED, Piece, Sweep};
use crate::diagnostic::Diagnostic;

/// The runs whose files a file of a group lies with.
pub(super) fn scope(runs: &[Run], group: &str) -> Vec<usize> {
    let all: Vec<usize> = (0..runs.len()).collect();
    if group == NAMED {
        let named: Vec<usize> = all.iter().copied().filter(|&at| runs[at].group == NAMED).collect();
        return if named.is_empty() { all } else { named };
    }
    let mut folder = Some(group);
    while let Some(here) = folder {
        let exact: Vec<usize> = all.iter().copied().filter(|&at| runs[at].group == here).collect();
        if !exact.is_empty() {
            return exact;
        }
        let below: Vec<usize> = all.iter().copied().filter(|&at| is_below(&runs[at].group, here)).collect();
        if !below.is_empty() {
            return below;
        }
        folder = above(here);
    }
    all
}

/// The folder above a group's; `None` above what was named on the command line.
fn above(group: &str) -> Option<&str> {
    let (argument, path) = group.split_once(':')?;
    if path.is_empty() {
        return None;
    }
    let length = path.rfind('/').unwrap_or(0);
    group.get(..argument.len() + 1 + length)
}

fn is_below(group: &str, folder: &str) -> bool {
    group.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/') || folder.ends_with(':'))
}

impl Sweep<'_> {
    /// Of several runs a file may be of, those whose target is in its name, or in those of folders below what was named on the command
    /// line; what is concluded from there is said.
    pub(super) fn by_name(&mut self, runs: &[Run], scope: Vec<usize>, piece: &Piece) -> Vec<usize> {
        let target = |at: usize| runs[at].draft.record.identity.target.as_str();
        let named: Vec<usize> = scope.iter().copied().filter(|&at| holds_word(&piece.input.path, target(at))).collect();
        // The longest name that fits: `session` is in `add_session` too.
        let longest = named.iter().map(|&at| target(at).len()).max();
        let named: Vec<usize> = named.into_iter().filter(|&at| Some(target(at).len()) == longest).collect();
        if named.is_empty() || named.len() == scope.len() {
            return scope;
        }
        let message = format!("it is taken to be of the target `{}`, which is in its name", target(named[0]));
        self.harvest.remarks.push(Diagnostic::remark("target-from-name", message).at(piece.source.at(0..0)));
        named
    }
}

/// Whether a path has a word that is not a part of a longer one.
fn holds_word(path: &str, word: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    path.match_indices(word).any(|(at, _)| {
        let (before, after) = (path[..at].chars().next_back(), path[at + word.len()..].chars().next());
        !is_letter(before) && !is_letter(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_lead_up_to_what_was_named() {
        assert_eq!(above("0:a/b/c"), Some("0:a/b"));
        assert_eq!(above("0:a"), Some("0:"));
        assert_eq!(above("0:"), None);
        assert!(is_below("0:a/b", "0:a") && is_below("0:a", "0:") && !is_below("0:ab", "0:a") && !is_below("0:a", "0:a"));
    }

    #[test]
    fn a_target_in_a_name_is_a_whole_word() {
        assert!(holds_word("x/add_session_before.csv", "add_session"));
        assert!(!holds_word("x/readd_sessions.csv", "add_session"));
    }
}
