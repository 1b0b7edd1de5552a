//! A sentence as its skeleton: symbols of the vocabulary, of numbers and of names, other words as they are, one blank between two.

use std::ops::Range;

use super::number::{Kind, Number};
use super::scan::{self, Token, What};
use super::vocabulary;
use crate::audit::around::Names;

/// A word of the skeleton.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Symbol {
    /// As the skeleton has it.
    pub name: String,
    /// Where its words are in the text.
    pub span: Range<usize>,
    /// The number, if it is one.
    pub number: Option<Number>,
    /// Where it begins in the skeleton.
    pub at: usize,
}

/// A sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sentence {
    /// Its symbols.
    pub symbols: Vec<Symbol>,
    /// They, one blank between two.
    pub skeleton: String,
}

impl Sentence {
    fn push(&mut self, name: &str, span: Range<usize>, number: Option<Number>) {
        if !self.skeleton.is_empty() {
            self.skeleton.push(' ');
        }
        self.symbols.push(Symbol { name: name.to_owned(), span, number, at: self.skeleton.len() });
        self.skeleton.push_str(name);
    }

    /// The symbol at a place of the skeleton.
    pub(super) fn at(&self, place: usize) -> usize {
        self.symbols.partition_point(|symbol| symbol.at <= place).saturating_sub(1)
    }

    /// The name of a symbol; nothing where there is none.
    pub(super) fn name(&self, at: usize) -> &str {
        self.symbols.get(at).map_or("", |symbol| symbol.name.as_str())
    }

    /// Whether a symbol or word is in it.
    pub(super) fn has(&self, name: &str) -> bool {
        self.symbols.iter().any(|symbol| symbol.name == name)
    }
}

/// The sentences of a prose.
pub(super) fn sentences(prose: &str, names: &Names<'_>) -> Vec<Sentence> {
    let parts = scan::sentences(prose);
    parts.iter().map(|part| sentence(prose, part, names)).filter(|sentence| !sentence.symbols.is_empty()).collect()
}

fn sentence(prose: &str, tokens: &[Token], names: &Names<'_>) -> Sentence {
    let mut sentence = Sentence::default();
    let words: Vec<&str> = tokens.iter().map(as_word).collect();
    let mut at = 0;
    while at < tokens.len() {
        at += name(&mut sentence, prose, &tokens[at..], &words[at..], names);
    }
    statuses(&mut sentence);
    sentence
}

/// A token as a word of a phrase: hyphens inside words are blanks there, and so are slashes of rates.
fn as_word(token: &Token) -> &str {
    match &token.what {
        What::Word(word) => word,
        What::Mark('_') => "_",
        What::Mark('/') => "/",
        _ => "",
    }
}

/// Adds a symbol for the next tokens, and says how many they are.
fn name(sentence: &mut Sentence, prose: &str, tokens: &[Token], words: &[&str], names: &Names<'_>) -> usize {
    let span = tokens[0].span.clone();
    match &tokens[0].what {
        What::Number(number) => sentence.push(number.kind.symbol(), span, Some(number.clone())),
        What::Version(version) => sentence.push(if names.is_release(version) { "RELEASE" } else { "VERSION" }, span, None),
        What::Mark('_' | '.' | '"' | '\'' | '*' | '~') | What::End => {}
        What::Mark(mark) => sentence.push(mark.encode_utf8(&mut [0; 4]), span, None),
        What::Opaque => sentence.push("*", span, None),
        What::Word(word) => return phrase(sentence, prose, tokens, words, word, names),
    }
    1
}

fn phrase(sentence: &mut Sentence, prose: &str, tokens: &[Token], words: &[&str], word: &str, names: &Names<'_>) -> usize {
    let span = |length: usize| tokens[0].span.start..tokens[length - 1].span.end;
    let text = &prose[tokens[0].span.clone()];
    if names.is_target(text) {
        sentence.push("TARGET", span(1), None);
        return 1;
    }
    if let Some(length) = service(words, names) {
        sentence.push("SVC", span(length), None);
        return length;
    }
    if text.contains('_') {
        sentence.push("METRIC", span(1), None);
        return 1;
    }
    let (spoken, lengths) = spoken(words);
    if let Some((symbol, length)) = vocabulary::symbol(&spoken) {
        let length = lengths[length - 1];
        let symbol = if symbol == "BASE" && prose[..tokens[0].span.start].trim_end().ends_with(|c: char| c.is_ascii_digit()) {
            "TOPBASE"
        } else {
            symbol
        };
        sentence.push(symbol, span(length), None);
        return length;
    }
    if !vocabulary::is_filler(word) {
        sentence.push(word, span(1), None);
    }
    1
}

/// The words as people say them, and how many tokens the first of them, the first two, and so on are: a hyphen is nothing, a slash before a time `per`.
fn spoken<'a>(words: &[&'a str]) -> (Vec<&'a str>, Vec<usize>) {
    let (mut spoken, mut lengths) = (Vec::new(), Vec::new());
    let mut at = 0;
    while spoken.len() < 6 && at < words.len() {
        match words[at] {
            "" => break,
            "_" => {
                at += 1;
                continue;
            }
            "/" => match words.get(at + 1) {
                Some(&("s" | "sec" | "second")) => {
                    spoken.extend(["per", "second"]);
                    lengths.extend([at + 2, at + 2]);
                    at += 2;
                    continue;
                }
                _ => break,
            },
            word => spoken.push(word),
        }
        at += 1;
        lengths.push(at);
    }
    (spoken, lengths)
}

/// How many words the service's name is here.
fn service(words: &[&str], names: &Names<'_>) -> Option<usize> {
    let name = names.service();
    let is_name = !name.is_empty() && words.len() >= name.len() && name.iter().zip(words).all(|(a, b)| a == b);
    is_name.then_some(name.len())
}

/// HTTP statuses are no counts.
fn statuses(sentence: &mut Sentence) {
    for at in 0..sentence.symbols.len() {
        let is_code = matches!(&sentence.symbols[at].number, Some(number) if number.kind == Kind::Count && (100.0..600.0).contains(&number.value) && number.step == 0.0);
        let before = at.checked_sub(1).map_or("", |before| sentence.name(before));
        let is_named = matches!(before, "http" | "status" | "code");
        let is_burst = sentence.name(at + 1) == "burst" && sentence.symbols[at].span.len() == 3;
        if is_code && (is_named || is_burst) {
            "STATUS".clone_into(&mut sentence.symbols[at].name);
        }
    }
    renew(sentence);
}

/// Writes the skeleton again from its symbols.
fn renew(sentence: &mut Sentence) {
    sentence.skeleton.clear();
    for symbol in &mut sentence.symbols {
        if !sentence.skeleton.is_empty() {
            sentence.skeleton.push(' ');
        }
        symbol.at = sentence.skeleton.len();
        sentence.skeleton.push_str(&symbol.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::collection::Archive;

    fn skeletons(text: &str) -> Vec<String> {
        let archive = Archive::default();
        let names = Names::of(&archive, "ZITADEL");
        sentences(text, &names).into_iter().map(|sentence| sentence.skeleton).collect()
    }

    #[test]
    fn a_sentence_is_its_symbols() {
        assert_eq!(
            skeletons(
                "Database CPU is the limit: 97% median against ZITADEL at 18%, with advisory-lock wait only 6% of the top-5 query time."
            ),
            ["DB CPU limit : PCT MED against SVC at PCT , with LOCK PCT of top-5 TOPBASE"]
        );
        assert_eq!(
            skeletons("the pool (6 per container); 834 iterations/s — 9,391 req/s"),
            ["POOL ( NUM per BOX )", "NUM ITERPS , NUM REQPS"]
        );
        assert_eq!(
            skeletons("4x HTTP 502 and 1x connection reset, a 1,044-request platform 503 burst"),
            ["TIMES http STATUS and TIMES RESET , NUM REQ platform STATUS burst"]
        );
    }
}
