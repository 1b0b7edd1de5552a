//! A page as it is written: headings with ids of their own, links that lead somewhere, tables, lists.

use std::collections::BTreeMap;

use serde::Serialize;

use super::folder::{DocsError, DocsInput, page_path};
use super::layout::{Head, Layout};
use crate::model::address::Address;
use crate::render::facts::cell::Cell;

/// A page of a docs folder while it is written.
pub(super) struct Writing<'a> {
    input: &'a DocsInput<'a>,
    path: String,
    ids: BTreeMap<String, usize>,
}

/// A heading and its id.
pub(super) struct Heading {
    /// The line.
    pub(super) line: String,
    /// What a link to it ends in, without the `#`.
    pub(super) id: String,
}

impl<'a> Writing<'a> {
    /// A page of this path, seen from the docs folder.
    pub(super) fn new(input: &'a DocsInput<'a>, path: String) -> Self {
        Self { input, path, ids: BTreeMap::new() }
    }

    /// What stands above the page.
    pub(super) fn head(&self, title: &str, sidebar_label: &str, position: i64) -> String {
        self.input.layout.head(&Head { title, sidebar_label, position: Some(position) })
    }

    /// A heading. Its id is what GitHub makes of its text where the headings come here in the order of the page: there nobody
    /// can choose another.
    pub(super) fn heading(&mut self, level: usize, text: &str) -> Heading {
        let slug = slug(text);
        let times = self.ids.entry(slug.clone()).or_default();
        let id = if *times == 0 { slug } else { format!("{slug}-{times}") };
        *times += 1;
        Heading { line: self.input.layout.heading(level, text, &id), id }
    }

    /// A text, linked where the page is there.
    pub(super) fn link(&self, to: &str, text: &str) -> String {
        let text = name(self.input.layout, text);
        if (self.input.has_page)(to) { format!("[{text}]({})", self.input.layout.href(&self.path, to)) } else { text }
    }

    /// A run, linked where it has a page.
    pub(super) fn run(&self, address: &Address, text: &str) -> String {
        self.link(&page_path(self.input.layout, address), text)
    }

    /// The page, filled.
    pub(super) fn fill<V: Serialize>(self, template: &str, view: &V) -> Result<(String, String), DocsError> {
        let filled = self.input.templates.fill(template, view);
        let text = filled.map_err(|cause| DocsError::Template { page: self.path.clone(), cause })?;
        Ok((self.path, text))
    }
}

impl Heading {
    /// A link to it from its own page. A text that is a link already stays one.
    pub(super) fn link(&self, layout: Layout<'_>, text: &str) -> String {
        let text = name(layout, text);
        if text.contains("](") { text } else { format!("[{text}](#{})", self.id) }
    }
}

/// A name in a cell. A docs site's column is narrow and a target's name long: it may be broken behind a `_`, so that the numbers
/// beside it stay in sight. GitHub's tables take the room they need.
fn name(layout: Layout<'_>, text: &str) -> String {
    let cell = layout.cell(text);
    let is_plain = layout.profile.is_mdx() && !cell.contains(['`', '[']);
    if is_plain { cell.replace('_', "_<wbr/>") } else { cell }
}

/// What GitHub makes of a heading: small letters, digits, `_` and `-`, blanks as `-`.
fn slug(text: &str) -> String {
    let kept = |c: char| if c == ' ' { Some('-') } else { (c.is_alphanumeric() || matches!(c, '_' | '-')).then_some(c) };
    let slug: String = text.trim().to_lowercase().chars().filter_map(kept).collect();
    if slug.is_empty() { "section".to_owned() } else { slug }
}

/// A column of a table.
#[derive(Clone, Debug)]
pub(super) struct Column {
    name: String,
    rule: &'static str,
}

/// A column of words.
pub(super) fn words(name: &str) -> Column {
    Column { name: name.to_owned(), rule: ":--" }
}

/// A column of numbers.
pub(super) fn numbers(name: &str) -> Column {
    Column { name: name.to_owned(), rule: "--:" }
}

/// A table of finished cells; a column without any content is left out, and without rows there is nothing.
pub(super) fn table(layout: Layout<'_>, columns: &[Column], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let is_told = |at: usize| rows.iter().any(|row| row.get(at).is_some_and(|cell| !cell.is_empty()));
    let told: Vec<usize> = (0..columns.len()).filter(|at| is_told(*at)).collect();
    let line =
        |cell: &dyn Fn(usize) -> String| format!("| {} |\n", told.iter().map(|at| cell(*at)).collect::<Vec<_>>().join(" | "));
    let mut text = line(&|at| layout.cell(&columns[at].name));
    text += &line(&|at| columns[at].rule.to_owned());
    for row in rows {
        text += &line(&|at| row.get(at).cloned().unwrap_or_default());
    }
    text.pop();
    text
}

/// A list of texts; nothing without any.
pub(super) fn list<S: AsRef<str>>(layout: Layout<'_>, items: impl IntoIterator<Item = S>) -> String {
    finished_list(items.into_iter().map(|item| layout.paragraph(item.as_ref())))
}

/// A list of finished items.
pub(super) fn finished_list(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
}

/// Lines of a cell.
pub(super) fn lines<S: AsRef<str>>(layout: Layout<'_>, lines: impl IntoIterator<Item = S>) -> String {
    let lines = lines.into_iter().map(|line| layout.cell(line.as_ref())).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("<br/>")
}

/// A value with the few words beside it; why one was not captured is told elsewhere.
pub(super) fn value(layout: Layout<'_>, cell: &Cell) -> String {
    let text = layout.cell(&cell.text);
    // A unit stays beside its number in a narrow column.
    let text = if cell.state != "missing" && text.matches(' ').count() == 1 { text.replace(' ', "&nbsp;") } else { text };
    let is_noted = !cell.note.is_empty() && cell.state != "missing";
    if is_noted { format!("{text} {}", layout.cell(&format!("({})", cell.note))) } else { text }
}

/// The parts of a page, a blank line between them; what is empty is left out.
pub(super) fn parts(parts: impl IntoIterator<Item = String>) -> String {
    let parts = parts.into_iter().map(|part| part.trim_end().to_owned()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_what_github_makes_of_a_heading() {
        assert_eq!(slug("What changed"), "what-changed");
        assert_eq!(slug("otp_session"), "otp_session");
        assert_eq!(slug("v4.17.1, p(95)"), "v4171-p95");
        assert_eq!(slug("***"), "section");
    }

    #[test]
    fn a_column_of_nothing_is_left_out() {
        let layout = Layout { profile: crate::model::profile::Profile::Markdown, url: "", chart: "" };
        let rows = [vec!["a".to_owned(), String::new(), "1".to_owned()]];
        assert_eq!(table(layout, &[words("x"), words("y"), numbers("z|")], &rows), "| x | z\\| |\n| :-- | --: |\n| a | 1 |");
        assert_eq!(table(layout, &[words("x")], &[]), "");
    }
}
