//! What `psql` prints instead of rows: an error of the server, no connection, or rows in its drawn form.

use super::view::View;
use crate::diagnostic::Diagnostic;
use crate::source::Source;

/// Whether a text is such an answer.
pub(super) fn sniff(source: &Source) -> bool {
    read(source).is_some()
}

/// Why a text holds no rows; `None` if it may hold some.
pub(super) fn read(source: &Source) -> Option<Diagnostic> {
    let first = source.text().lines().find(|line| !line.trim().is_empty())?.trim();
    let is_error = first.starts_with("psql: ") || first.starts_with("ERROR:  ") || first.starts_with("FATAL:  ");
    if is_error {
        let diagnostic =
            Diagnostic::error("error-envelope", "psql saved an error instead of rows").at(source.at_line(line_of(source, first)));
        return Some(diagnostic.help("mend it and take the snapshot again"));
    }
    // ` name | setting | unit`, above a line of dashes.
    let columns = first.split('|').map(str::trim);
    if first.contains('|') && View::of(columns).is_some() {
        let diagnostic =
            Diagnostic::error("drawn-table", "this is a table drawn for people").at(source.at_line(line_of(source, first)));
        return Some(diagnostic.help("call `psql --csv`"));
    }
    None
}

fn line_of(source: &Source, first: &str) -> usize {
    source.text().lines().position(|line| line.trim() == first).map_or(1, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_drawn_tables_are_refused() {
        let code = |text: &str| read(&Source::new("t", text)).map(|refused| (refused.code, refused.places[0].to_string()));
        let of = |code: &'static str, place: &str| Some((code, place.to_owned()));
        assert_eq!(code("psql: error: connection to server failed\n"), of("error-envelope", "t:1:1"));
        assert_eq!(code("\nERROR:  relation \"x\" does not exist\nLINE 1: ...\n"), of("error-envelope", "t:2:1"));
        assert_eq!(code(" name | setting | unit \n------+---------+------\n"), of("drawn-table", "t:1:1"));
        assert_eq!(code("name,setting,unit\nERROR:  x,1,\n"), None);
    }
}
