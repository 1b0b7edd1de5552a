//! What each reader of a page would take for markup, character by character, and how it is kept from that.
//!
//! MDX takes braces for JavaScript and every `<` for a component. Docusaurus reads directives (`a:b`) and, as GitHub does,
//! emoji by name (`:a:`); GitHub reads formulas between two `$`. Emoji and formulas are looked for in the words of the
//! finished page, where a backslash does not help: such a character stands in a node of its own.

use std::fmt::Write as _;

use super::mdx::{is_unseen, longest_run};
use crate::model::profile::Profile;
use crate::render::markup::SCHEMES;

/// Renders as nothing in MDX and parts the words around it.
const JOINT: &str = "{\"\"}";

/// How a text is escaped.
#[derive(Clone, Copy)]
pub(super) struct Escape {
    profile: Profile,
    /// How a `|` inside code is written.
    bar: &'static str,
    /// Whether links and code stay what they are.
    markup: bool,
    in_heading: bool,
    /// Whether a `$` may begin a formula.
    formulas: bool,
}

impl Escape {
    /// Text outside tables.
    pub(super) fn new(profile: Profile) -> Self {
        Self { profile, bar: "|", markup: true, in_heading: false, formulas: false }
    }

    /// Text inside a cell.
    pub(super) fn cell(profile: Profile) -> Self {
        Self { bar: "\\|", ..Self::new(profile) }
    }

    /// A heading. What looks like a heading's id is no code in it: Docusaurus would write a backslash into that.
    pub(super) fn heading(profile: Profile, text: &str) -> Self {
        Self { in_heading: true, markup: !text.contains("{#"), ..Self::new(profile) }
    }

    /// Words alone.
    pub(super) fn words(profile: Profile) -> Self {
        Self { markup: false, ..Self::new(profile) }
    }

    /// A text without blocks.
    pub(super) fn inline(self, text: &str) -> String {
        let text = text.trim();
        // Two of them may hold a formula; one can't.
        let formulas = self.profile == Profile::Markdown && text.matches('$').count() > 1;
        Self { formulas, ..self }.parts(text)
    }

    fn parts(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 16);
        let mut rest = text;
        let mut before = ' ';
        while let Some(c) = rest.chars().next() {
            let taken = self.part(rest, &mut out).unwrap_or_else(|| {
                let after = rest.chars().nth(1).unwrap_or(' ');
                self.character(before, c, after, &mut out);
                c.len_utf8()
            });
            let (head, tail) = rest.split_at(taken);
            before = head.chars().next_back().unwrap_or(c);
            rest = tail;
        }
        out
    }

    /// What is more than one character at the start of a text; how many bytes it is.
    fn part(self, rest: &str, out: &mut String) -> Option<usize> {
        match rest.as_bytes().first()? {
            b'`' if self.markup => code(rest, self.bar, out).or_else(|| ticks(rest, out)),
            b'[' if self.markup => self.link(rest, out),
            b':' => self.emoji(rest, out),
            b'h' | b'H' | b'f' | b'F' | b'w' | b'W' => self.url(rest, out),
            _ => None,
        }
    }

    fn character(self, before: char, c: char, after: char, out: &mut String) {
        match c {
            '\n' | '\r' | '\t' => reference(c, out),
            c if is_unseen(c) => reference(c, out),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            '$' if self.formulas => out.push_str("<span>$</span>"),
            '#' if self.in_heading && matches!(before, '[' | '{') => {
                out.push_str(if self.profile.is_mdx() { JOINT } else { "\\" });
                out.push(c);
            }
            c if self.is_markup(before, c, after) => out.extend(['\\', c]),
            c => out.push(c),
        }
    }

    /// Whether a character between two others would be taken for markup.
    fn is_markup(self, before: char, c: char, after: char) -> bool {
        let mdx = self.profile.is_mdx();
        match c {
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' => true,
            '{' | '}' => mdx,
            '<' => mdx || after.is_ascii_alphabetic() || matches!(after, '/' | '!' | '?'),
            '&' => mdx || after.is_ascii_alphanumeric() || after == '#',
            // A `_` between letters opens no emphasis.
            '_' => !(before.is_alphanumeric() && after.is_alphanumeric()),
            '!' => after == '[',
            ':' => self.profile == Profile::Docusaurus && (after.is_alphabetic() || matches!(after, ':' | '_' | '$')),
            _ => false,
        }
    }

    /// The colon that begins the name of an emoji.
    fn emoji(self, text: &str, out: &mut String) -> Option<usize> {
        let joined = match self.profile {
            Profile::Fumadocs => return None,
            Profile::Docusaurus => ["\\:", JOINT].concat(),
            Profile::Markdown => "<span>:</span>".to_owned(),
        };
        let (name, _) = text.get(1..)?.split_once(':')?;
        let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+');
        let known = name.contains(|c: char| c.is_ascii_alphabetic()) || matches!(name, "100" | "1234" | "+1" | "-1");
        if !known || !name.chars().all(fine) {
            return None;
        }
        out.push_str(&joined);
        Some(1)
    }

    /// The beginning of an address that GFM makes a link of. Up to the next blank that takes every character as it is
    /// written, backslashes and references too; so where there are any, it is kept from beginning there. The words may be
    /// made a link afterwards, when they are read.
    fn url(self, text: &str, out: &mut String) -> Option<usize> {
        let begins = |start: &str| text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
        let start = ["https://", "http://", "ftp://", "www."].into_iter().find(|start| begins(start))?;
        let run = text.split(' ').next().unwrap_or(text);
        if self.is_plain(run.get(start.len()..)?) {
            out.push_str(run);
            return Some(run.len());
        }
        let at = start.find([':', '.'])?;
        let _ = write!(out, "{}\\{}", text.get(..at)?, text.get(at..=at)?);
        Some(at + 1)
    }

    /// Whether nothing in a text is escaped.
    fn is_plain(self, text: &str) -> bool {
        let mut before = '/';
        for (at, c) in text.char_indices() {
            let tail = text.get(at..).unwrap_or_default();
            let mut out = String::new();
            self.character(before, c, tail.chars().nth(1).unwrap_or(' '), &mut out);
            if !(out.len() == c.len_utf8() && out.starts_with(c)) || (c == ':' && self.emoji(tail, &mut out).is_some()) {
                return false;
            }
            before = c;
        }
        true
    }

    /// A link at the start of a text, if it has an allowed scheme; how many bytes it is.
    fn link(self, text: &str, out: &mut String) -> Option<usize> {
        let inner = text.strip_prefix('[')?;
        let (label, rest) = inner.split_once("](")?;
        let (url, _) = rest.split_once(')')?;
        let fine = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#@!$'+,;=%&".contains(c);
        let known = (url.starts_with('#') || SCHEMES.iter().any(|scheme| url.starts_with(scheme))) && url.chars().all(fine);
        let bad = |c: char| matches!(c, '[' | ']' | '`' | '\\') || c.is_control();
        if !known || label == url || label.trim() != label || label.contains(bad) || label.is_empty() {
            return None;
        }
        let words = Self { bar: "|", markup: false, ..self }.parts(label);
        let _ = write!(out, "[{words}]({})", url.replace('&', "&amp;"));
        Some(1 + label.len() + 2 + url.len() + 1)
    }
}

/// Backticks that are too many to begin code; nobody looks for code that begins further on among them.
fn ticks(text: &str, out: &mut String) -> Option<usize> {
    const MANY: usize = 16;
    let ticks = text.len() - text.trim_start_matches('`').len();
    (ticks > MANY).then(|| {
        out.push_str(&"\\`".repeat(ticks));
        ticks
    })
}

fn reference(c: char, out: &mut String) {
    let _ = write!(out, "&#{};", u32::from(c));
}

/// Code at the start of a text, if it is written in the one way that reads back the same; how many bytes it is.
fn code(text: &str, bar: &str, out: &mut String) -> Option<usize> {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let close = closing(text.get(ticks..)?, ticks)?;
    let inner = text.get(ticks..ticks + close)?;
    let padded = inner.len() > 2 && inner.starts_with(" `") | inner.ends_with("` ");
    let code = if padded { inner.strip_prefix(' ')?.strip_suffix(' ')? } else { inner };
    let needs_pad = code.starts_with('`') || code.ends_with('`');
    let canonical = ticks == longest_run(code) + 1 && needs_pad == padded && !code.is_empty() && code.trim() == code;
    if !canonical || code.contains(|c: char| c.is_control() || is_unseen(c) || c == '\\') {
        return None;
    }
    let fence = text.get(..ticks)?;
    let _ = write!(out, "{fence}{}{fence}", inner.replace('|', bar));
    Some(ticks * 2 + close)
}

/// Where a run of exactly that many backticks begins.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    loop {
        let start = at + text.get(at..)?.find('`')?;
        let run = text.get(start..)?.len() - text.get(start..)?.trim_start_matches('`').len();
        if run == ticks {
            return Some(start);
        }
        at = start + run;
    }
}
