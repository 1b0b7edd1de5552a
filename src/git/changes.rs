//! What git says of files: changed, known, ignored; read from its NUL-separated forms.

use std::collections::BTreeSet;
use std::ffi::OsString;

use super::{Git, GitError, LITERAL, RepoPath, nul_separated, os_text, refused};

/// A file that is not as HEAD has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusEntry {
    /// How the index differs from HEAD: `M`, `A`, `D`, `?` for a file that git doesn't know, a space where it does not differ.
    pub index: u8,
    /// How the file differs from the index, in the same letters.
    pub file: u8,
    /// The file.
    pub path: RepoPath,
}

/// A file that git knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// `S` for one that a sparse checkout leaves out; a small letter for one that git was told to take for unchanged.
    pub tag: u8,
    /// 100644 for a file, 160000 for a submodule.
    pub mode: Vec<u8>,
    /// 0; 1 to 3 where two sides of a merge differ.
    pub stage: u8,
    /// The file.
    pub path: RepoPath,
}

/// A file that git leaves out, and by which rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The file.
    pub path: RepoPath,
    /// Where the rule stands, with its line: `.gitignore:3`.
    pub rule: String,
    /// The rule itself.
    pub pattern: String,
}

impl Git {
    /// What differs from HEAD below some paths, every file by itself.
    ///
    /// # Errors
    /// [`GitError`] if git refuses.
    pub fn status(&self, below: &[RepoPath]) -> Result<Vec<StatusEntry>, GitError> {
        let args = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all", "--"];
        let below = below.iter().map(|path| os_text(&[LITERAL.as_bytes(), &path.0].concat()));
        let args: Vec<OsString> = args.map(OsString::from).into_iter().chain(below).collect();
        let answer = self.ask(&args)?;
        records(&answer).map(|record| status_entry(record).ok_or_else(|| unclear("status", record))).collect()
    }

    /// Every file of the index.
    ///
    /// # Errors
    /// [`GitError`] if git refuses.
    pub fn index(&self) -> Result<Vec<IndexEntry>, GitError> {
        let answer = self.ask(&["ls-files", "-v", "--stage", "-z"])?;
        records(&answer).map(|record| index_entry(record).ok_or_else(|| unclear("ls-files", record))).collect()
    }

    /// Those of some files that git doesn't know and leaves out.
    ///
    /// # Errors
    /// [`GitError`] if git refuses.
    pub fn ignored(&self, paths: &[RepoPath]) -> Result<Vec<Ignored>, GitError> {
        let args = ["check-ignore", "--verbose", "-z", "--stdin"];
        // A name that begins with `:` would be a pattern.
        let output = self.ask_about(&args, &nul_separated(paths, "./"))?;
        // 1: there is none.
        if !matches!(output.status.code(), Some(0 | 1)) {
            return Err(refused(&args, &output));
        }
        let fields: Vec<&[u8]> = records(&output.stdout).collect();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let ignored = fields.as_chunks::<4>().0.iter().map(|[source, line, pattern, path]| Ignored {
            path: RepoPath(path.strip_prefix(b"./").unwrap_or(path).to_vec()),
            rule: format!("{}:{}", text(source), text(line)),
            pattern: text(pattern),
        });
        // A rule with `!` takes a file in again.
        Ok(ignored.filter(|ignored| !ignored.pattern.starts_with('!')).collect())
    }

    /// Those of some files that a sparse checkout leaves out; none where the checkout is whole.
    ///
    /// # Errors
    /// [`GitError`] if git refuses, or is too old to tell.
    pub fn left_out(&self, paths: &[RepoPath]) -> Result<Vec<RepoPath>, GitError> {
        if !self.setting_is("core.sparseCheckout", "true")? {
            return Ok(Vec::new());
        }
        let args = ["sparse-checkout", "check-rules", "-z"];
        let output = self.ask_about(&args, &nul_separated(paths, ""))?;
        if !output.status.success() {
            return Err(refused(&args, &output));
        }
        let inside: BTreeSet<&[u8]> = records(&output.stdout).collect();
        Ok(paths.iter().filter(|path| !inside.contains(path.0.as_slice())).cloned().collect())
    }
}

pub(super) fn records(answer: &[u8]) -> impl Iterator<Item = &[u8]> {
    answer.strip_suffix(b"\0").unwrap_or(answer).split(|byte| *byte == 0).filter(|record| !record.is_empty())
}

/// `XY path`
fn status_entry(record: &[u8]) -> Option<StatusEntry> {
    let [index, file, b' ', path @ ..] = record else { return None };
    Some(StatusEntry { index: *index, file: *file, path: RepoPath(path.to_vec()) })
}

/// `H 100644 78981922613b2afb6025042ff6bd878ac1994e85 0`, a tab, the path.
fn index_entry(record: &[u8]) -> Option<IndexEntry> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let (head, path) = (&record[..tab], &record[tab + 1..]);
    let fields: Vec<&[u8]> = head.split(|byte| *byte == b' ').collect();
    let [[tag], mode, _, [stage]] = fields.as_slice() else { return None };
    Some(IndexEntry { tag: *tag, mode: mode.to_vec(), stage: stage.wrapping_sub(b'0'), path: RepoPath(path.to_vec()) })
}

fn unclear(verb: &'static str, record: &[u8]) -> GitError {
    GitError::Unclear { verb, words: String::from_utf8_lossy(record).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_git_reads_whatever_the_name() {
        let entry = status_entry(b"AM a \tb\n\"c\" -> d").map(|entry| (entry.index, entry.file, entry.path.to_string()));
        assert_eq!(entry, Some((b'A', b'M', "a \tb\n\"c\" -> d".to_owned())));
        let entry = index_entry(b"S 160000 78981922613b2afb6025042ff6bd878ac1994e85 2\ta \tb");
        let entry = entry.map(|entry| (entry.tag, entry.mode, entry.stage, entry.path.to_string()));
        assert_eq!(entry, Some((b'S', b"160000".to_vec(), 2, "a \tb".to_owned())));
        assert_eq!((status_entry(b"?"), index_entry(b"H 100644 0\ta"), index_entry(b"H")), (None, None, None));
        assert_eq!(records(b"").count(), 0);
        assert_eq!(records(b"a\0b\0").collect::<Vec<_>>(), [b"a", b"b"]);
    }
}
