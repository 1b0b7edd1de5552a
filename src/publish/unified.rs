//! Unified diffs that `git apply` and `patch -p1` take.

use std::fmt::Write;

use similar::{Algorithm, TextDiff};

/// The change of a file as a unified diff. `None` is a file that is not there.
#[must_use]
pub fn unified(path: &str, old: Option<&str>, new: Option<&str>) -> String {
    let header = |side: char, text: Option<&str>| match text {
        // Whoever reads a header ends a name with blanks in it at the tab.
        Some(_) => format!("{side}/{path}{}", if path.contains(' ') { "\t" } else { "" }),
        None => "/dev/null".to_owned(),
    };
    let lines = |text: Option<&'_ str>| text.unwrap_or_default().split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (lines(old), lines(new));
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.iter().map(String::as_str).collect(), after.iter().map(String::as_str).collect());
    let diff = TextDiff::configure().algorithm(Algorithm::Patience).newline_terminated(true).diff_slices(&before, &after);
    diff.unified_diff().context_radius(3).header(&header('a', old), &header('b', new)).to_string()
}

/// The change of a file too long to be shown, in one line.
#[must_use]
pub fn counted(path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> String {
    let lines = |bytes: Option<&[u8]>| {
        bytes.map_or_else(|| "none".to_owned(), |bytes| bytes.split_inclusive(|byte| *byte == b'\n').count().to_string())
    };
    let mut line = String::new();
    // A line that belongs to no hunk: who applies the diff passes over it.
    let _written = writeln!(line, "# {path}: lines before {}, after {}", lines(old), lines(new));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_shown_as_diffs() {
        insta::assert_snapshot!(
            [
                unified("docs/a.mdx", Some("1\n2\n3\n4\n5\n"), Some("1\n2\n3\n4\nfive")),
                unified("docs/new page.mdx", None, Some("a\r\nb\rc\n")),
                unified("docs/gone.mdx", Some("a\n"), None),
                counted("docs/output.json", None, Some(b"a\nb")),
            ]
            .concat()
        );
        assert_eq!(unified("a", Some("a\n"), Some("a\n")), "");
    }
}
