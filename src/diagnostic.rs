//! Faults in what people gave us: where, what, and what to do next.
//!
//! A reader collects every fault it finds and returns them together as [`Faults`]; `main` draws them with the line, a
//! caret and a hint. Failures of the world (disk, port) are not faults of the input: those are errors of [`crate::fs`].

use std::borrow::Cow;
use std::fmt;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level as Title, Renderer, Snippet};

use crate::secrets::{masked, masked_alike};
use crate::source::{Place, Source};

/// How grave a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Worth knowing; nothing was lost.
    Note,
    /// Something was left out or looks wrong; the work went on.
    Warning,
    /// The input can't be used as it is.
    Error,
}

/// One thing to tell the person whose input it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable name in kebab case, such as `no-summary`.
    pub code: &'static str,
    /// How grave it is.
    pub level: Level,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where it is; the first place is the main one.
    pub places: Vec<Place>,
    /// Facts that help to understand it.
    pub notes: Vec<String>,
    /// What to do next.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without a place yet.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, level: Level::Error, message: message.into(), places: Vec::new(), notes: Vec::new(), help: None }
    }

    /// A warning without a place yet.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { level: Level::Warning, ..Self::error(code, message) }
    }

    /// A note without a place yet.
    pub fn remark(code: &'static str, message: impl Into<String>) -> Self {
        Self { level: Level::Note, ..Self::error(code, message) }
    }

    /// Adds a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.places.push(place);
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says which known name was probably meant, if one is near.
    #[must_use]
    pub fn suggest<'a>(self, given: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match near(given, known) {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    /// The diagnostic as a person reads it, in colour if asked. What looks like a secret is masked, in its words and in the lines
    /// it shows.
    #[must_use]
    pub fn draw(&self, colour: bool) -> String {
        let title = match self.level {
            Level::Error => Title::ERROR,
            Level::Warning => Title::WARNING,
            Level::Note => Title::NOTE,
        };
        let mut group = Group::with_title(title.primary_title(short(masked(&self.message))).id(self.code));
        for (source, places) in by_source(&self.places) {
            group = group.element(snippet(source, &places));
        }
        for note in &self.notes {
            group = group.element(Title::NOTE.message(short(masked(note))));
        }
        if let Some(help) = &self.help {
            group = group.element(Title::HELP.message(short(masked(help))));
        }
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        renderer.decor_style(DecorStyle::Ascii).render(&[group]).clone()
    }
}

/// Words as a person can read them: of what is longer than a screen the beginning and the end. They may name what the input holds, and
/// that may be as long as the input.
fn short(words: Cow<'_, str>) -> Cow<'_, str> {
    const WORDS: usize = 4_000;
    const END: usize = 200;
    if words.len() <= WORDS {
        return words;
    }
    let (from, to) = (words.floor_char_boundary(WORDS - END), words.ceil_char_boundary(words.len() - END));
    Cow::Owned(format!("{} ... {}", &words[..from], &words[to..]))
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.draw(false))
    }
}

fn by_source(places: &[Place]) -> Vec<(&Source, Vec<&Place>)> {
    let mut groups: Vec<(&Source, Vec<&Place>)> = Vec::new();
    for place in places {
        match groups.iter_mut().find(|(source, _)| same(source, &place.source)) {
            Some((_, group)) => group.push(place),
            None => groups.push((&place.source, vec![place])),
        }
    }
    groups
}

/// Whether two places can be drawn in one snippet: of one text, or of excerpts that begin at one line.
fn same(a: &Source, b: &Source) -> bool {
    a.name() == b.name() && a.first_line() == b.first_line()
}

fn snippet<'a>(source: &'a Source, places: &[&'a Place]) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let (shown, from) = around(source.text(), places);
    let text = masked_alike(shown);
    let annotations = places.iter().enumerate().map(|(at, place)| {
        let kind = if at == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let span = visible(shown, &(place.span.start.saturating_sub(from)..place.span.end.saturating_sub(from)));
        kind.span(moved(span.start, shown, &text)..moved(span.end, shown, &text))
            .label(place.label.as_deref().map(|label| short(masked(label))))
    });
    let annotations: Vec<_> = annotations.collect();
    let line = source.first_line() + source.text()[..from].matches('\n').count();
    Snippet::source(text).line_start(line).path(source.name()).annotations(annotations)
}

/// The lines around some places, and where in the text they begin. Of a small text it is all; to look for secrets in a whole text of
/// gigabytes would take longer than to read it, and a secret is not many lines long.
fn around<'a>(text: &'a str, places: &[&Place]) -> (&'a str, usize) {
    const SMALL: usize = 1 << 18;
    const MARGIN: usize = 1 << 16;
    if text.len() <= SMALL {
        return (text, 0);
    }
    let first = places.iter().map(|place| place.span.start).min().unwrap_or_default().saturating_sub(MARGIN);
    // What a place is about may be all of a file too; its beginning tells it.
    let end = |place: &&Place| place.span.end.min(place.span.start.saturating_add(MARGIN));
    let last = places.iter().map(end).max().unwrap_or_default().saturating_add(MARGIN);
    let bytes = text.as_bytes();
    let start = bytes[..first.min(bytes.len())].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let last = last.min(bytes.len());
    // A line may be all of a file; what lies far behind the place is cut off from the screen anyway.
    let far = text.floor_char_boundary(last.saturating_add(MARGIN));
    let end = bytes[last..far].iter().position(|byte| *byte == b'\n').map_or(far, |at| last + at);
    (&text[start..end], start)
}

/// Where an offset of a text is in the masked text, which has as many characters.
fn moved(offset: usize, text: &str, masked: &str) -> usize {
    if text.len() == masked.len() {
        return offset;
    }
    let characters = text[..offset].chars().count();
    masked.char_indices().nth(characters).map_or(masked.len(), |(at, _)| at)
}

/// The span moved onto character boundaries inside the text.
fn visible(text: &str, span: &std::ops::Range<usize>) -> std::ops::Range<usize> {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = span.end.clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

/// All faults of one input: never empty, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(Vec<Diagnostic>);

impl Faults {
    /// How many of one input are drawn. Each is drawn with its lines, which takes its time, and a file that is wrong in a hundred
    /// thousand places is wrong as a whole.
    pub const DRAWN: usize = 100;

    /// The faults that are drawn, the errors among them first, and the number of the others.
    #[must_use]
    pub fn drawn(&self) -> (Vec<&Diagnostic>, usize) {
        let mut drawn: Vec<&Diagnostic> = self.0.iter().collect();
        if drawn.len() > Self::DRAWN {
            drawn.sort_by_key(|fault| std::cmp::Reverse(fault.level));
            drawn.truncate(Self::DRAWN);
        }
        let more = self.0.len() - drawn.len();
        (drawn, more)
    }

    /// The faults as an error, if there is at least one of level error; `Ok` with the remarks otherwise.
    ///
    /// # Errors
    /// All diagnostics, if one of them is an error.
    pub fn check(found: Vec<Diagnostic>) -> Result<Vec<Diagnostic>, Self> {
        if found.iter().any(|d| d.level == Level::Error) { Err(Self(found)) } else { Ok(found) }
    }

    /// The diagnostics.
    #[must_use]
    pub fn list(&self) -> &[Diagnostic] {
        &self.0
    }

    /// The diagnostics, taken.
    #[must_use]
    pub fn into_list(self) -> Vec<Diagnostic> {
        self.0
    }
}

/// The first faults of a list whose rows may all be wrong; of the others the number. To look for the place of each of a
/// million rows takes hours, and nobody reads it.
#[derive(Debug, Default)]
pub struct FirstFaults {
    found: Vec<Diagnostic>,
    more: u64,
}

impl FirstFaults {
    /// How many are told in full.
    pub const TOLD: usize = 20;

    /// Adds a fault, which is made only if it is told.
    pub fn push(&mut self, fault: impl FnOnce() -> Diagnostic) {
        if self.found.len() < Self::TOLD { self.found.push(fault()) } else { self.more += 1 }
    }

    /// The faults; the last one says how many more there are.
    #[must_use]
    pub fn told(mut self) -> Vec<Diagnostic> {
        if self.more > 0
            && let Some(last) = self.found.pop()
        {
            self.found.push(last.note(format!("{} more are not shown", self.more)));
        }
        self.found
    }
}

impl From<Diagnostic> for Faults {
    fn from(one: Diagnostic) -> Self {
        Self(vec![one])
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (drawn, more) = self.drawn();
        for (at, fault) in drawn.into_iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            writeln!(f, "{fault}")?;
        }
        if more > 0 { writeln!(f, "\n{more} more faults are not shown") } else { Ok(()) }
    }
}

impl std::error::Error for Faults {}

/// The known name nearest to a mistyped one, if it is near enough to be worth offering: by Damerau-Levenshtein
/// distance, at most a third of the longer name.
#[must_use]
pub fn near<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = given.chars().count();
    // A distance is never below the difference of the lengths, and dear to compute for long names.
    let in_reach = |name: &&str| length.abs_diff(name.chars().count()) <= length.max(name.chars().count()) / 3;
    known
        .into_iter()
        .filter(in_reach)
        .map(|name| (strsim::damerau_levenshtein(&given.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= length.max(name.chars().count()) / 3)
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_line_as_long_as_a_file_only_a_part_is_looked_at() {
        let source = Source::new("record.json", format!("{{\n{}", "é".repeat(2 << 20)));
        let place = source.at(2..4);
        let (shown, from) = around(source.text(), &[&place]);
        assert_eq!(from, 0);
        assert!(shown.starts_with("{\né") && shown.len() < 1 << 18, "{}", shown.len());
    }

    #[test]
    fn of_words_as_long_as_a_file_only_a_part_is_told() {
        let fault = Diagnostic::error("bad", format!("`{}é` is no number", "9".repeat(1 << 20))).note("é".repeat(1 << 20));
        let drawn = fault.draw(false);
        assert!(drawn.len() < 20_000 && drawn.contains("9é` is no number"), "{}", drawn.len());
    }

    #[test]
    fn a_fault_shows_its_line_and_caret() {
        let source = Source::new("plimsoll.toml", "schema = 1\n[flwo]\n");
        let fault =
            Diagnostic::error("unknown-key", "unknown key `flwo`").at(source.at(12..16)).suggest("flwo", ["flow", "site"]);
        insta::assert_snapshot!(fault.draw(false));
    }

    #[test]
    fn a_fault_shows_no_secret_and_its_caret_stays() {
        let text = "user = \"a\"\npassword = \"pässwörd\" # why\n";
        let source = Source::new("a.toml", text);
        let at = text.find("why").unwrap_or_default();
        let place = source.at(at..at + 3).labelled("with token=abcd1234");
        let fault = Diagnostic::error("bad", "password=hunter22 is short").at(place);
        let fault = fault.note("postgres://u:hunter22@h").help("use token=hunter22");
        insta::assert_snapshot!(fault.draw(false));
    }

    #[test]
    fn a_fault_far_down_a_large_text_has_its_line() {
        let text = "password = \"abcdefgh\"\n".repeat(100_000);
        let source = Source::new("a.toml", text.as_str());
        let start = text.len() - 22;
        let fault = Diagnostic::error("bad", "bad").at(source.at(start..start + 8));
        insta::assert_snapshot!(fault.draw(false));
    }

    #[test]
    fn a_far_name_is_not_offered() {
        assert_eq!(near("zzz", ["flow", "site"]), None);
        assert_eq!(near("flwo", ["flow", "site"]), Some("flow"));
        assert_eq!(near(&"f".repeat(1_000_000), ["flow"; 1000]), None);
    }

    #[test]
    fn of_very_many_faults_the_errors_come_first_and_the_others_are_counted() {
        let found = (0..250).map(|at| match at {
            240 => Diagnostic::error("grave", "grave"),
            _ => Diagnostic::warning("small", "small"),
        });
        let Err(faults) = Faults::check(found.collect()) else { unreachable!("there is an error among them") };
        let (drawn, more) = faults.drawn();
        assert_eq!((drawn.len(), drawn[0].code, more), (Faults::DRAWN, "grave", 150));
        assert!(faults.to_string().ends_with("150 more faults are not shown\n"));
        assert_eq!(Faults::from(Diagnostic::error("one", "one")).drawn().1, 0);
    }

    #[test]
    fn the_first_faults_are_told_and_the_others_counted() {
        let mut faults = FirstFaults::default();
        for at in 0..50 {
            faults.push(|| Diagnostic::error("bad-row", format!("row {at}")));
        }
        let told = faults.told();
        assert_eq!(told.len(), FirstFaults::TOLD);
        assert_eq!(told.iter().flat_map(|fault| &fault.notes).collect::<Vec<_>>(), ["30 more are not shown"]);
    }
}
