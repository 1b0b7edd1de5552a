//! Regions of a page that are its author's: between `{/* keep:start */}` and `{/* keep:end */}` in MDX, between
//! `<!-- keep:start -->` and `<!-- keep:end -->` in Markdown, each marker alone on its line. What lies between is carried
//! over, letter by letter, into every new page.
//!
//! A page is read as items (its lines that say something, and all lines of a fence) with gaps between them (blank lines and
//! regions). A region is in a gap; where the page changes, the region follows the lines around it.

mod carry;

use std::ops::Range;

pub use self::carry::carry;

use crate::diagnostic::{Diagnostic, Faults};
use crate::source::Source;

/// How a page writes a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// `{/* ... */}`.
    Mdx,
    /// `<!-- ... -->`.
    Markdown,
}

impl Syntax {
    /// That of a file by its name; `None` of what is no page.
    #[must_use]
    pub fn of(file: &str) -> Option<Self> {
        match file.rsplit_once('.')?.1 {
            "mdx" => Some(Self::Mdx),
            "md" => Some(Self::Markdown),
            _ => None,
        }
    }

    fn comment(self, line: &str) -> Option<&str> {
        let (open, close) = match self {
            Self::Mdx => ("{/*", "*/}"),
            Self::Markdown => ("<!--", "-->"),
        };
        Some(line.trim().strip_prefix(open)?.strip_suffix(close)?.trim())
    }

    fn other(self) -> Self {
        if self == Self::Mdx { Self::Markdown } else { Self::Mdx }
    }

    /// How a marker is written.
    #[must_use]
    pub fn marker(self, word: &str) -> String {
        match self {
            Self::Mdx => format!("{{/* keep:{word} */}}"),
            Self::Markdown => format!("<!-- keep:{word} -->"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Start,
    End,
}

fn mark(line: &str, syntax: Syntax) -> Option<Mark> {
    match syntax.comment(line)? {
        "keep:start" => Some(Mark::Start),
        "keep:end" => Some(Mark::End),
        _ => None,
    }
}

/// A line that says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item<'t> {
    /// Without its line end.
    text: &'t str,
    /// Whether it is inside a fence or the front matter: nothing can stand before it.
    inside: bool,
}

/// Between two items, before the first or behind the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Gap {
    span: Range<usize>,
    regions: usize,
}

/// A page, read.
#[derive(Clone, Debug)]
pub struct Page<'t> {
    text: &'t str,
    items: Vec<Item<'t>>,
    /// One more than items.
    gaps: Vec<Gap>,
    /// Whether a fence is open at the end.
    open: bool,
}

impl<'t> Page<'t> {
    /// Reads a page.
    ///
    /// # Errors
    /// All faults of its markers: a start without an end, one inside another, an end without a start, one where no text can
    /// stand, one of the other syntax.
    pub fn read(source: &'t Source, syntax: Syntax) -> Result<Self, Faults> {
        let mut reader = Reader::new(source, syntax);
        let mut at = 0;
        for line in source.text().split_inclusive('\n') {
            reader.line(at..at + line.len());
            at += line.len();
        }
        reader.finish()
    }

    /// How many regions it has.
    #[must_use]
    pub fn regions(&self) -> usize {
        self.gaps.iter().map(|gap| gap.regions).sum()
    }

    /// What it says beside its regions, without blank lines.
    #[must_use]
    pub fn words(&self) -> String {
        self.items.iter().map(|item| item.text).collect::<Vec<_>>().join("\n")
    }
}

/// Whether two versions of a page differ by the regions of its author, and blank lines around them, alone; never of what is no page.
#[must_use]
pub fn differ_by_regions(file: &str, a: &[u8], b: &[u8]) -> bool {
    let read = |bytes| {
        let source = Source::new(file, std::str::from_utf8(bytes).ok()?);
        let page = Page::read(&source, Syntax::of(file)?).ok()?;
        Some((page.regions(), page.words()))
    };
    matches!((read(a), read(b)), (Some(a), Some(b)) if a.0 + b.0 > 0 && a.1 == b.1)
}

/// A line without its line end.
fn bare(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// A fence that is open: its letter, and how many of them.
type Fence = (char, usize);

/// The fence that a line opens. How far it is indented is not asked: in MDX no code is indented, and in a list a fence is.
fn opens(line: &str) -> Option<Fence> {
    let line = line.trim_start();
    let letter = line.chars().next().filter(|letter| matches!(letter, '`' | '~'))?;
    let rest = line.trim_start_matches(letter);
    let length = line.len() - rest.len();
    (length >= 3 && (letter == '~' || !rest.contains('`'))).then_some((letter, length))
}

fn closes(line: &str, (letter, length): Fence) -> bool {
    let line = line.trim();
    line.len() >= length && line.chars().all(|other| other == letter)
}

struct Reader<'t> {
    source: &'t Source,
    syntax: Syntax,
    /// Where the front matter ends; 0 if there is none.
    front_matter: usize,
    fence: Option<Fence>,
    region: Option<Range<usize>>,
    items: Vec<Item<'t>>,
    gaps: Vec<Gap>,
    faults: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    fn new(source: &'t Source, syntax: Syntax) -> Self {
        let front_matter = front_matter(source.text());
        let gaps = vec![Gap::default()];
        Self { source, syntax, front_matter, fence: None, region: None, items: Vec::new(), gaps, faults: Vec::new() }
    }

    fn line(&mut self, span: Range<usize>) {
        let line = bare(&self.source.text()[span.clone()]);
        let was_fenced = self.fence.is_some();
        self.fence = match self.fence {
            Some(fence) => Some(fence).filter(|fence| !closes(line, *fence)),
            None => opens(line),
        };
        if was_fenced || self.fence.is_some() {
            return if self.region.is_some() { self.widen(&span) } else { self.item(line, span, was_fenced) };
        }
        let marked = self.marked(line, &span);
        if span.start < self.front_matter {
            if marked.is_some() {
                self.fault("keep-place", "a region can't be in the front matter", &span, "move it below the front matter");
            }
            return self.item(line, span, true);
        }
        match (marked, self.region.is_some()) {
            (Some(Mark::Start), false) => {
                self.region = Some(span.clone());
                self.widen(&span);
            }
            (Some(Mark::End), true) => {
                self.region = None;
                self.widen(&span);
                if let Some(gap) = self.gaps.last_mut() {
                    gap.regions += 1;
                }
            }
            (Some(Mark::Start), true) => {
                let help = "end the first region before the second begins";
                self.fault("keep-nested", "a region begins inside another one", &span, help);
            }
            (Some(Mark::End), false) => {
                let help = format!("put {} where it begins", self.syntax.marker("start"));
                self.fault("keep-stray", "a region ends that did not begin", &span, &help);
            }
            (None, true) => self.widen(&span),
            (None, false) if line.trim().is_empty() => self.widen(&span),
            (None, false) => self.item(line, span, false),
        }
    }

    /// The marker of a line, one of the other syntax being a fault.
    fn marked(&mut self, line: &str, span: &Range<usize>) -> Option<Mark> {
        if mark(line, self.syntax.other()).is_some() {
            let help = format!("write {} and {}", self.syntax.marker("start"), self.syntax.marker("end"));
            self.fault("keep-marker", "this page has another kind of comment", span, &help);
        }
        mark(line, self.syntax)
    }

    fn item(&mut self, line: &'t str, span: Range<usize>, inside: bool) {
        let in_front_matter = span.start < self.front_matter;
        self.items.push(Item { text: line, inside: inside || in_front_matter });
        self.gaps.push(Gap { span: span.end..span.end, regions: 0 });
    }

    fn widen(&mut self, span: &Range<usize>) {
        if let Some(gap) = self.gaps.last_mut() {
            gap.span.end = span.end;
        }
    }

    fn fault(&mut self, code: &'static str, message: &str, span: &Range<usize>, help: &str) {
        let line = bare(&self.source.text()[span.clone()]);
        let start = span.start + line.len() - line.trim_start().len();
        let place = self.source.at(start..start + line.trim().len());
        self.faults.push(Diagnostic::error(code, message).at(place).help(help));
    }

    fn finish(mut self) -> Result<Page<'t>, Faults> {
        if let Some(span) = self.region.take() {
            let help = format!("put {} on a line of its own, outside of a fence", self.syntax.marker("end"));
            self.fault("keep-open", "a region begins and does not end", &span, &help);
        }
        Faults::check(self.faults)?;
        Ok(Page { text: self.source.text(), items: self.items, gaps: self.gaps, open: self.fence.is_some() })
    }
}

/// Where the front matter ends: behind the second `---`.
fn front_matter(text: &str) -> usize {
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let rule = bare(line).trim_end() == "---";
        at += line.len();
        match (number, rule) {
            (0, false) => return 0,
            (0, true) | (_, false) => {}
            (_, true) => return at,
        }
    }
    0
}

#[cfg(test)]
mod tests;
