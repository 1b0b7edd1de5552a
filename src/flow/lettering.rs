//! How wide letters are, as far as one can know without a font, and where lines break.

use unicode_width::UnicodeWidthChar;

/// The size of all letters of a drawing, in its units. A drawing is 360 units wide, so that on a phone 375 px wide, with
/// the margins of a page, letters come out at 13 px.
pub(super) const SIZE: f64 = 14.0;

/// A blank at which no line breaks.
pub(super) const TIE: char = '\u{a0}';

/// Width of a text at [`SIZE`], a little more than in the widest of the usual sans-serif faces.
pub(super) fn width(text: &str) -> f64 {
    text.chars().map(letter).sum::<f64>() * SIZE
}

/// Width of a letter in em.
fn letter(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' => 0.32,
        ' ' | TIE | 'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '"' | '-' => 0.41,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.95,
        'A'..='Z' | '+' | '<' | '>' | '=' | '~' => 0.73,
        _ if letter.is_ascii() => 0.61,
        _ if letter.width() == Some(2) => 1.05,
        _ => 0.7,
    }
}

/// The text in lines no wider than the given width. Lines break at blanks, else behind `.`, `_`, `/` and
/// `-` or before a capital, else anywhere.
pub(super) fn lines(text: &str, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() && c != TIE).filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if width(line) + width(" ") + width(word) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.extend(broken(word, most)),
        }
    }
    lines
}

/// A word in pieces that fit.
fn broken(word: &str, most: f64) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for part in joints(word) {
        let fits = pieces.last().is_some_and(|piece| piece.is_empty() || width(piece) + width(part) <= most);
        if !fits {
            pieces.push(String::new());
        }
        for letter in part.chars() {
            let full = pieces
                .last()
                .is_some_and(|piece| !piece.is_empty() && width(piece) + width(letter.encode_utf8(&mut [0; 4])) > most);
            if full {
                pieces.push(String::new());
            }
            if let Some(piece) = pieces.last_mut() {
                piece.push(letter);
            }
        }
    }
    pieces
}

/// A word cut behind its joints and before its inner capitals.
fn joints(word: &str) -> Vec<&str> {
    let (mut parts, mut start, mut last) = (Vec::new(), 0, ' ');
    for (at, letter) in word.char_indices() {
        if at > 0 && (matches!(last, '.' | '_' | '/' | '-') || (last.is_lowercase() && letter.is_uppercase())) {
            parts.extend(word.get(start..at));
            start = at;
        }
        last = letter;
    }
    parts.extend(word.get(start..));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_then_at_joints_then_anywhere() {
        assert_eq!(lines("Log potential issue and scale", 120.0), ["Log potential", "issue and scale"]);
        assert_eq!(lines("previous.container.memory_size", 150.0), ["previous.container.", "memory_size"]);
        assert_eq!(lines("Increase MaxOpenConns", 100.0), ["Increase", "MaxOpen", "Conns"]);
        assert!(lines(&"x".repeat(50), 100.0).iter().all(|line| width(line) <= 100.0));
        assert_eq!(lines("", 100.0), Vec::<String>::new());
    }
}
