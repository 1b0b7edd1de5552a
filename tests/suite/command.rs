//! A small language for tests of the program as a user runs it: files, a command line, both streams, the exit status.

use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// A folder with files, in which the program is run.
pub(crate) struct Folder {
    dir: tempfile::TempDir,
}

/// What the program answered.
pub(crate) struct Answer {
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) talk: String,
    /// The exit status.
    pub(crate) status: i32,
}

/// All files below a folder with their bytes, in order; none where there is no such folder.
pub(crate) fn files_below(root: &Path) -> Vec<(String, Vec<u8>)> {
    if !root.exists() {
        return Vec::new();
    }
    let found = plimsoll::fs::find(root).unwrap();
    found.into_iter().map(|file| (file.relative, std::fs::read(file.path).unwrap())).collect()
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// Adds a file.
    pub(crate) fn file(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        let place = self.path(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, bytes).unwrap();
        self
    }

    /// Writes a file over.
    pub(crate) fn file_again(&self, path: &str, text: &str) -> &Self {
        std::fs::write(self.path(path), text).unwrap();
        self
    }

    /// A path in the folder.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// A file's text.
    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// All files below a path with their bytes, in order.
    pub(crate) fn files(&self, below: &str) -> Vec<(String, Vec<u8>)> {
        files_below(&self.path(below))
    }

    /// Runs the program in the folder.
    pub(crate) fn plimsoll(&self, args: &[&str]) -> Answer {
        self.plimsoll_with_input(args, b"")
    }

    /// Runs the program in the folder with standard input.
    pub(crate) fn plimsoll_with_input(&self, args: &[&str], input: &[u8]) -> Answer {
        self.answer(Command::cargo_bin("plimsoll").unwrap().args(args).write_stdin(input))
    }

    /// Runs the program in the folder with that many threads over a file.
    pub(crate) fn plimsoll_on_threads(&self, threads: &str, args: &[&str]) -> Answer {
        self.answer(Command::cargo_bin("plimsoll").unwrap().args(args).env("PLIMSOLL_THREADS", threads))
    }

    fn answer(&self, command: &mut Command) -> Answer {
        let output = command.current_dir(self.dir.path()).output().unwrap();
        Answer {
            out: String::from_utf8(output.stdout).unwrap(),
            talk: String::from_utf8(output.stderr).unwrap(),
            status: output.status.code().unwrap_or(-1),
        }
    }
}

impl Answer {
    /// Asserts the exit status.
    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, status, "out:\n{}\ntalk:\n{}", self.out, self.talk);
        self
    }

    /// Asserts that the result holds a text.
    #[track_caller]
    pub(crate) fn prints(self, text: &str) -> Self {
        assert!(self.out.contains(text), "no `{text}` in:\n{}", self.out);
        self
    }

    /// Asserts that the talk holds a text.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.talk.contains(text), "no `{text}` in:\n{}", self.talk);
        self
    }
}
