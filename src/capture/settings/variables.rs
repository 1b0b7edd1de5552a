//! Files of variables: `KEY=value`, `export KEY=value`, values in quotes, comments behind `#`. Only `ZITADEL_*` is kept.

use super::setting::setting;
use crate::capture::findings::KnownSetting;
use crate::capture::infra::Facts;
use crate::capture::yaml;
use crate::diagnostic::{Diagnostic, Faults, FirstFaults};
use crate::source::{Source, Span};

const PREFIX: &str = "ZITADEL_";

/// A variable: its name, its value without quotes, where the value stands.
struct Variable {
    name: String,
    value: String,
    span: Span,
}

/// The largest text that is looked at.
const LARGEST: usize = 1 << 20;

/// Whether a text is a list of variables, one of ZITADEL's among them. In a file that is named `.env` rows may be wrong.
pub(super) fn sniff(source: &Source) -> bool {
    let text = source.text();
    // A program that sets variables is none.
    if text.len() > LARGEST || text.starts_with("#!") || !text.contains(PREFIX) {
        return false;
    }
    let named = source.name().rsplit('.').next() == Some("env");
    let mut rows = rows(text).map(|span| row(text, span)).peekable();
    let first = matches!(rows.peek(), Some(Ok(_)));
    first && ours(rows, named)
}

/// Whether a variable of ZITADEL is among the rows, and none is wrong unless that is allowed.
fn ours(rows: impl Iterator<Item = Result<Variable, &'static str>>, lenient: bool) -> bool {
    let mut found = false;
    for row in rows {
        match row {
            Ok(variable) => found |= variable.name.starts_with(PREFIX),
            Err(_) if lenient => {}
            Err(_) => return false,
        }
    }
    found
}

/// Reads a list of variables.
///
/// # Errors
/// `bad-capture` at every row that is no variable.
pub(super) fn read(source: &Source) -> Result<Facts, Faults> {
    let text = source.text();
    let (mut kept, mut secret, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for span in rows(text) {
        match row(text, span.clone()) {
            Ok(variable) if variable.name.starts_with(PREFIX) => {
                let (setting, masked) = setting(&variable.name, &variable.value);
                if masked {
                    secret.push(variable.span.clone());
                }
                kept.push((setting, variable.span));
            }
            // Other programs' variables may hold anything.
            Ok(variable) => secret.push(variable.span),
            Err(why) => {
                secret.push(span.clone());
                wrong.push((span, why));
            }
        }
    }
    let shown = yaml::blotted(source, &secret);
    let mut faults = FirstFaults::default();
    for (span, why) in wrong {
        faults.push(|| Diagnostic::error("bad-capture", why).at(shown.at(span)).help("write `NAME=value`, one a line"));
    }
    Faults::check(faults.told())?;
    let settings = kept.into_iter().map(|(setting, span)| KnownSetting { setting, place: shown.at(span) });
    Ok(Facts { settings: settings.collect(), ..Facts::default() })
}

/// The rows that say something: not blank, no comment.
fn rows(text: &str) -> impl Iterator<Item = Span> + '_ {
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..start + line.trim_end().len()
    });
    lines.filter(|span| {
        let line = text[span.clone()].trim_start();
        !line.is_empty() && !line.starts_with('#')
    })
}

/// Reads a row.
fn row(text: &str, span: Span) -> Result<Variable, &'static str> {
    let line = &text[span.clone()];
    let bare = line.trim_start();
    let bare = bare.strip_prefix("export ").map_or(bare, str::trim_start);
    let (name, rest) = bare.split_once('=').ok_or("this row is no variable")?;
    let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !first || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err("this is no name of a variable");
    }
    let start = span.start + (line.len() - rest.len());
    let (value, length) = value(rest)?;
    Ok(Variable { name: name.to_owned(), value, span: start..start + length })
}

/// The value behind `=`, and how many bytes of the row are its own.
fn value(rest: &str) -> Result<(String, usize), &'static str> {
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let Some(quote) = quote else {
        let end = [" #", "\t#"].iter().filter_map(|comment| rest.find(comment)).min().unwrap_or(rest.len());
        let value = rest[..end].trim_end();
        return Ok((value.to_owned(), value.len()));
    };
    let (mut value, mut escaped) = (String::new(), false);
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => {
                escaped = false;
                value.push(if c == 'n' { '\n' } else { c });
            }
            '\\' if quote == '"' => escaped = true,
            c if c == quote => {
                let behind = rest[at + 1..].trim_start();
                let fine = behind.is_empty() || behind.starts_with('#');
                return if fine { Ok((value, at + 1)) } else { Err("something follows the quotes") };
            }
            c => value.push(c),
        }
    }
    Err("the quotes are not closed in this row")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# our own\nPATH=/bin\n\nexport ZITADEL_PROJECTIONS_REQUEUEEVERY=180s # slower\n\
                        ZITADEL_DATABASE_POSTGRES_MAXOPENCONNS=\"6\"\r\nZITADEL_LOG_LEVEL='a # b'\nZITADEL_EMPTY=\n\
                        ZITADEL_MASTERKEY=hunter2hunter2\n";

    #[test]
    fn variables_become_settings() {
        let source = Source::new("own.env", TEXT);
        assert!(sniff(&source));
        let facts = read(&source).unwrap_or_else(|e| unreachable!("{e}"));
        let told: Vec<(&str, &str)> =
            facts.settings.iter().map(|known| (known.setting.key.as_str(), known.setting.value.as_str())).collect();
        assert_eq!(
            told,
            [
                ("Projections.RequeueEvery", "180s"),
                ("Database.postgres.MaxOpenConns", "6"),
                ("Log.Level", "a # b"),
                ("ZITADEL_EMPTY", ""),
                ("Masterkey", "***"),
            ]
        );
        let places: Vec<String> = facts.settings.iter().map(|known| known.place.to_string()).collect();
        assert_eq!(places[..2], ["own.env:4:41", "own.env:5:40"]);
        assert!(!format!("{:?}", facts.settings[4].place.source.text()).contains("hunter2"));
    }

    #[test]
    fn wrong_rows_are_all_told_and_not_shown() {
        let source = Source::new("own.env", "ZITADEL_A=1\nlogin hunter2\n2ZITADEL=3\nZITADEL_B=\"x\nZITADEL_C='a' b\n");
        assert!(sniff(&source));
        let faults = read(&source).err().unwrap_or_else(|| unreachable!());
        assert_eq!(faults.list().len(), 4);
        assert!(!faults.to_string().contains("hunter2"), "{faults}");
    }

    #[test]
    fn programs_and_other_lists_are_none() {
        for text in
            ["#!/bin/sh\nexport ZITADEL_A=1\n", "PATH=/bin\n", "ZITADEL_A=1\nzitadel start\n", "Env vars:\n  ZITADEL_A 1\n"]
        {
            assert!(!sniff(&Source::new("a.txt", text)), "{text}");
        }
    }
}
