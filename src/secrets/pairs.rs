//! Secrets that are known by the name before them: `password=x`, `"client_secret": "x"`, `token: x`, in texts, addresses, JSON.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::Found;

/// Ends of names of secrets, in small letters; what is before them does not matter.
pub(super) const NAMES: [&str; 44] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "passwort",
    "kennwort",
    "contrase\u{f1}a",
    "mot_de_passe",
    "\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}",
    "\u{5bc6}\u{7801}",
    "_pass",
    "-pass",
    "token",
    "secret",
    "credential",
    "masterkey",
    "master_key",
    "master-key",
    "apikey",
    "api_key",
    "api-key",
    "privatekey",
    "private_key",
    "private-key",
    "accesskey",
    "access_key",
    "access-key",
    "secretkey",
    "secret_key",
    "secret-key",
    "encryptionkey",
    "encryption_key",
    "encryption-key",
    "signingkey",
    "signing_key",
    "signing-key",
    "accountkey",
    "account_key",
    "account-key",
    "sharedaccesskey",
    "keydata",
    "key_data",
    "authkey",
    "auth_key",
];

/// What stands between a name and its value: a sign; the words of another field of JSON or YAML that holds it; the end of an element, of a
/// cell, of an attribute; a blank behind a flag.
const BETWEEN: &str = concat!(
    r"^(?:(?i:s)?(\\*[\x22'`]?\s*(?:=>|:=|[:=]|%3[dDaA])[ \t]*(?:\r?\n[ \t]*)?)",
    r"|(\\*[\x22']?\s*,\s*\\*[\x22'](?i:value|secret|data)\\*[\x22']\s*:\s*|[\x22']?[ \t]*\r?\n[ \t]*-?[ \t]*value:[ \t]*)",
    r"|([\x22'][ \t]+(?:value|content)=)",
    r"|(>)([^<>\r\n]{4,})</",
    r"|(</t[hd]>\s*<td[^<>]*>(?:<[^<>]*>)*|`?[ \t]*\|[ \t]*`?)",
    r"|([ \t]+))",
);

static SIGN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(BETWEEN).ok());

/// The fewest characters of a secret.
const LEAST: usize = 4;
/// The fewest characters of one in the cell of a table, where a name may head what is no value of it.
const LEAST_IN_CELL: usize = 8;
/// How far the sign and the value are looked for.
const REACH: usize = 1 << 14;
/// How far a value without quotes is looked for signs that part it.
const NEAR: usize = 1 << 9;

/// Values that are no secret, whatever their name.
const WORDS: [&str; 39] = [
    "true",
    "false",
    "null",
    "none",
    "undefined",
    "empty",
    "string",
    "text",
    "required",
    "optional",
    "redacted",
    "masked",
    "hidden",
    "bearer",
    "basic",
    "default",
    "latest",
    "boolean",
    "integer",
    "read",
    "write",
    "enabled",
    "disabled",
    "invalid",
    "expired",
    "missing",
    "unknown",
    "wrong",
    "changed",
    "absent",
    "present",
    "unset",
    "incorrect",
    "rejected",
    "refused",
    "failed",
    "nil",
    "opaque",
    "await",
];

/// The secrets behind a name that begins at a place and is one of [`NAMES`].
pub(super) fn look(text: &str, at: usize, name: &str, found: &mut Vec<Found>) {
    let end = at + name.len();
    let Some(sign) = SIGN.as_ref() else { return };
    let part = &text[end..text.floor_char_boundary(end + REACH)];
    let Some(caught) = sign.captures(part) else { return };
    let start = end + caught.get(0).map_or(0, |all| all.end());
    let Some(kind) = kind(&text[..end]) else { return };
    let mut add = |span: Range<usize>| found.push(Found { span, kind });
    if let Some(between) = caught.get(1) {
        // `token::userinfo` is a path of groups, `secret::text` a cast.
        if between.as_str().ends_with(':') && text[start..].starts_with(':') {
            return;
        }
        // What is on the next line is a value only where the name is in quotes; else it is the next setting.
        if between.as_str().contains('\n') && !between.as_str().starts_with(['"', '\'', '\\']) {
            return;
        }
        if let Some(block) = block(text, at, start) {
            return add(block);
        }
        let value = shifted(value(&text[start..text.floor_char_boundary(start + REACH)], between.as_str()), start);
        if is_count(&text[start..value.end], between.as_str()) {
            return;
        }
        if is_secret(&text[value.clone()], name) && !is_working_folder(text, at, &text[value.clone()]) {
            add(value);
        }
    } else if caught.get(2).or(caught.get(3)).is_some() {
        let value = shifted(value(&text[start..text.floor_char_boundary(start + REACH)], "="), start);
        if is_secret(&text[value.clone()], name) {
            add(value);
        }
    } else if let Some(element) = caught.get(5) {
        let is_element = text[..at].rfind('<').is_some_and(|open| !text[open..at].contains(['>', '\n', ' ']));
        if is_element && is_secret(element.as_str(), name) {
            add(end + element.start()..end + element.end());
        }
    } else if caught.get(6).is_some() {
        let cell = cell(&text[start..text.floor_char_boundary(start + REACH)]);
        if is_secret_of_cell(cell, name) {
            add(start..start + cell.len());
        }
    } else if is_flag(text, at) {
        let value = shifted(value(&text[start..text.floor_char_boundary(start + REACH)], "="), start);
        let secret = &text[value.clone()];
        if is_secret(secret, name) && !secret.starts_with('-') {
            add(value);
        }
    }
}

fn shifted(span: Range<usize>, by: usize) -> Range<usize> {
    span.start + by..span.end + by
}

/// The kind of secret that a name at the end of a text holds; none of a name that goes on with a list, or of a public key.
fn kind(text: &str) -> Option<&'static str> {
    let is_named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let from = text.floor_char_boundary(text.len().saturating_sub(80));
    let start = text[from..].rfind(|c| !is_named(c)).map_or(from, |at| from + at + 1);
    let start = (start..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let name: String = text[start..].chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    if ends(&["pagetoken", "nexttoken", "continuationtoken", "continuetoken"]) || name.contains("public") {
        return None;
    }
    Some(match () {
        () if ends(&["masterkey"]) => "masterkey",
        () if ends(&["clientsecret"]) => "client-secret",
        () if ends(&["secretaccesskey"]) => "aws-secret-key",
        () if ends(&["accountkey", "sharedaccesskey"]) => "azure-connection-string",
        () if ends(&["apikey"]) => "api-key-header",
        () if ends(&["key", "keydata"]) => "key-assignment",
        () if ends(&["token"]) && name.contains("session") => "session-token",
        () if ends(&["token"]) => "token-assignment",
        () => "password-assignment",
    })
}

/// The lines of a YAML block behind `|` or `>`: those deeper than the line of the name.
fn block(text: &str, at: usize, start: usize) -> Option<Range<usize>> {
    let rest = text[start..].strip_prefix(['|', '>'])?;
    let (indicator, body) = rest.split_once('\n')?;
    if !indicator.trim().chars().all(|c| matches!(c, '-' | '+' | '0'..='9')) {
        return None;
    }
    let line = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let depth = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
    let outer = depth(&text[line..]);
    let lines = body
        .split_inclusive('\n')
        .take_while(|line| line.trim().is_empty() || line.len() - line.trim_start_matches(' ').len() > outer);
    let length = lines.map(str::len).sum::<usize>();
    let begin = text.len() - body.len();
    let block = body[..length].trim();
    let skipped = body[..length].find(block).unwrap_or_default();
    (block.len() >= LEAST).then_some(begin + skipped..begin + skipped + block.len())
}

/// Whether the name is one of a flag: `--db-password`, `-token`.
fn is_flag(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let flag = &text[before.len()..];
    flag.starts_with("--") && before.is_empty() | before.ends_with([' ', '\t', '\n', '"', '\'', '`'])
}

/// A whole number of JSON, as requests and checks are counted under names that scripts give them; a secret of digits is in quotes there.
fn is_count(value: &str, between: &str) -> bool {
    let is_json = between.trim_start_matches('\\').starts_with('"') && between.contains(':');
    is_json && !value.is_empty() && value.chars().all(|c| c.is_ascii_digit())
}

/// `PWD`, where a shell keeps its folder.
fn is_working_folder(text: &str, at: usize, value: &str) -> bool {
    let is_pwd = text.get(at..at + 3).is_some_and(|name| name.eq_ignore_ascii_case("pwd"));
    is_pwd && (value.starts_with(['/', '~', '.']) || value.get(1..3) == Some(":\\"))
}

/// The text of a cell, if that is all of it and has no blank.
fn cell(text: &str) -> &str {
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, '<' | '|' | '`')).unwrap_or(0);
    let rest = text[end..].trim_start_matches(['`', ' ', '\t']);
    if rest.starts_with(['<', '|']) { &text[..end] } else { "" }
}

/// In a cell only what has letters and digits and is no number with its unit, no version and no name of ours.
fn is_secret_of_cell(value: &str, name: &str) -> bool {
    let number = value.trim_start_matches(|c: char| !c.is_alphanumeric());
    let unit = number.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | '-' | '+'));
    let is_number = unit.len() < number.len() && unit.chars().count() <= 5;
    let is_version = value.trim_start_matches('v').chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_mixed = value.contains(|c: char| c.is_ascii_digit()) && value.contains(char::is_alphabetic);
    value.chars().count() >= LEAST_IN_CELL && is_mixed && !is_number && !is_version && is_secret(value, name)
}

/// Where the value is at the beginning of a text, without its quotes.
fn value(text: &str, between: &str) -> Range<usize> {
    let slashes = text.len() - text.trim_start_matches('\\').len();
    match text[slashes..].chars().next() {
        Some(quote @ ('"' | '\'' | '`')) => {
            let start = slashes + 1;
            start..start + quoted(&text[start..], quote, slashes > 0)
        }
        _ => 0..bare(text, between),
    }
}

/// The length of a text in quotes; one that was cut goes to the end of its line. Inside another text its quotes have a backslash.
fn quoted(text: &str, quote: char, is_inside: bool) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\n' => return at,
            '\\' if is_inside && text[at..].trim_start_matches('\\').starts_with(quote) => return at,
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            _ if c == quote && !escaped => return at,
            _ => {}
        }
        escaped = false;
    }
    text.len()
}

/// The length of a value without quotes: up to a blank or what parts pairs. Behind `: ` a plain word, or a change like `+25`, with other words after it is a
/// sentence and no value.
fn bare(text: &str, between: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || matches!(c, '&' | '"' | '\'' | '`' | '<' | '>' | '|');
    let near = &text[..text.floor_char_boundary(NEAR)];
    let end = near.find(ends).unwrap_or(near.len());
    let mut length = parted(&near[..end]);
    // A value as long as that is parted nowhere: it goes on to its end, however far that is.
    if length == near.len() {
        length = text.find(ends).unwrap_or(text.len());
    }
    let line = text[length..].lines().next().unwrap_or_default();
    let line = line[..line.floor_char_boundary(NEAR)].trim_start_matches([',', ';', ')', ']', '}', '.']).trim();
    let next = line.split_whitespace().next().unwrap_or_default();
    let is_sentence = between.contains(": ") && !next.is_empty() && !next.starts_with('#') && !next.contains(['=', ':']);
    let word = text[..length].trim_start_matches(['+', '-']);
    let is_change = word.len() < length && !word.contains(char::is_alphabetic);
    let is_word = is_change || word.chars().all(char::is_alphabetic);
    if is_sentence && is_word { 0 } else { length }
}

/// The length up to a sign that parts pairs, if another pair or nothing follows it: passwords hold such signs as well.
fn parted(value: &str) -> usize {
    let value = value.trim_end_matches('\\');
    let signs = [',', ';', ')', ']', '}'];
    let is_end = |at: usize| {
        let rest = value[at..].trim_start_matches(signs);
        let name = rest.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
        rest.is_empty() || name.len() < rest.len() && name.starts_with(['=', ':'])
    };
    let first = |at: &usize| !value[..*at].ends_with(signs);
    value.match_indices(signs).map(|(at, _)| at).filter(first).find(|at| is_end(*at)).unwrap_or(value.len())
}

fn is_secret(value: &str, name: &str) -> bool {
    let is_long = value.chars().count() >= LEAST;
    let word = value.trim_end_matches(['.', ',', ';', '!', ')']);
    let is_known = WORDS.iter().any(|known| word.eq_ignore_ascii_case(known));
    // `_pass` ends more names than those of passwords: counts and shares of checks.
    let is_count = name.ends_with("pass") && !value.contains(char::is_alphabetic);
    is_long && !is_known && !is_count && !is_decimal(value) && !is_place(value) && !is_call(value) && !is_column(value, name)
}

/// A number that was measured: no password has its only sign, a point, between digits.
fn is_decimal(value: &str) -> bool {
    value.split_once('.').is_some_and(|(whole, part)| {
        let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
        digits(whole) && digits(part)
    })
}

/// A call in a script, `token = read(x)`.
fn is_call(value: &str) -> bool {
    let name = value.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
    name.len() < value.len() && name.starts_with('(')
}

/// Whether a value only says where the secret will be: `$PASSWORD`, `${{ secrets.x }}`, `<token>`, `{{ token }}`, `%s`, `...`.
fn is_place(value: &str) -> bool {
    let variable = value.strip_prefix('$').unwrap_or_default().trim_matches(['{', '}', '(', ')']);
    let is_variable = !variable.is_empty() && variable.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let is_within = |open: &str, close: &str| value.starts_with(open) && value.ends_with(close);
    is_variable
        || value.starts_with("projects/")
        || is_within("<", ">")
        || is_within("{{", "}}")
        || is_within("${{", "}}")
        || value.chars().all(|c| matches!(c, '.' | '?' | '$' | '*' | '•' | '…' | '-' | '_' | '\\'))
}

/// Whether a value is a column of the same name: `set password = excluded.password`.
fn is_column(value: &str, name: &str) -> bool {
    let is_named = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    value.rsplit_once('.').is_some_and(|(table, column)| is_named(table) && is_named(column) && ends_alike(column, name))
}

fn ends_alike(column: &str, name: &str) -> bool {
    column.to_lowercase().ends_with(&name.to_lowercase())
}
