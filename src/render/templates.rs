//! The templates: embedded in the program, overridable by a project's own files of the same name.

use std::collections::BTreeMap;
use std::io::Write;

use serde::Serialize;
use tera::{Context, ErrorKind, Tera};

use super::markup;
use crate::diagnostic::{Diagnostic, Faults};
use crate::source::{Place, Source};

macro_rules! embedded {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../templates/", $name)))),+]
    };
}

/// Every template by name. What ends in `.css`, `.js`, `.svg` or `.txt` is copied as it is.
const EMBEDDED: &[(&str, &str)] = embedded![
    "docs/page.mdx",
    "docs/page.md",
    "docs/release.mdx",
    "docs/comparison.mdx",
    "docs/results.mdx",
    "site/base.html",
    "site/parts.html",
    "site/index.html",
    "site/release.html",
    "site/run.html",
    "site/run/outcome.html",
    "site/run/decision.html",
    "site/run/time.html",
    "site/run/latency.html",
    "site/run/results.html",
    "site/run/environment.html",
    "site/run/findings.html",
    "site/run/sources.html",
    "site/target.html",
    "site/method.html",
    "site/comparison.html",
    "site/comparison/target.html",
    "site/comparison/alone.html",
    "site/comparison/summary.html",
    "site/comparison/parts.html",
    "site/latest.html",
    "site/404.html",
    "site/feed.xml",
    "site/sitemap.xml",
    "site/style.css",
    "site/flow.css",
    "site/site.js",
    "site/charts.js",
    "site/uplot.js",
    "site/uplot.LICENSE.txt",
    "site/mark.svg",
];

/// Suffixes of templates whose values are escaped.
const ESCAPED: [&str; 4] = [".html", ".htm", ".xml", ".svg"];

/// Templates, parsed.
#[derive(Clone)]
pub struct Templates {
    tera: Tera,
    texts: BTreeMap<String, String>,
}

impl std::fmt::Debug for Templates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Templates").field("names", &self.texts.keys()).finish_non_exhaustive()
    }
}

/// A template that could not be filled; the message shows the place in the template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("template {name}: {message}")]
pub struct TemplateError {
    /// The template.
    pub name: String,
    /// What is wrong with it.
    pub message: String,
}

impl Templates {
    /// The embedded templates.
    ///
    /// # Errors
    /// Never for the templates as they ship; a test parses them all.
    pub fn embedded() -> Result<Self, Faults> {
        Self::with_overrides(&BTreeMap::new())
    }

    /// The embedded templates, some replaced by a project's own (name, such as `site/run.html`, to text).
    ///
    /// # Errors
    /// All faults: a name that replaces nothing, with the near name; a template that does not parse, with its line.
    pub fn with_overrides(overrides: &BTreeMap<String, String>) -> Result<Self, Faults> {
        let unknown: Vec<_> =
            overrides.keys().filter(|name| !names().any(|known| known == name.as_str())).map(|n| unknown_name(n)).collect();
        Faults::check(unknown)?;
        let mut texts: BTreeMap<String, String> =
            EMBEDDED.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        texts.extend(overrides.iter().map(|(name, text)| (name.clone(), text.clone())));
        let mut tera = Tera::default();
        tera.autoescape_on(ESCAPED);
        tera.set_escape_fn(escape_into);
        let parsed: Vec<(&String, &String)> = texts.iter().filter(|(name, _)| !is_copied(name)).collect();
        tera.add_raw_templates(parsed).map_err(|error| syntax_fault(&error, &texts))?;
        Ok(Self { tera, texts })
    }

    /// A template filled with a view.
    ///
    /// # Errors
    /// [`TemplateError`] if there is no such template, or it asks for what the view does not have.
    pub fn fill<V: Serialize>(&self, name: &str, view: &V) -> Result<String, TemplateError> {
        let wrong = |error: &tera::Error| TemplateError { name: name.to_owned(), message: error.to_string() };
        let context = Context::from_serialize(view).map_err(|error| wrong(&error))?;
        self.tera.render(name, &context).map_err(|error| wrong(&error))
    }

    /// A template's text as it is written: for style sheets and pictures, which are copied.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// The names a template asks its view for, its parents and parts included; empty for an unknown template.
    #[must_use]
    pub fn variables(&self, name: &str) -> Vec<String> {
        let mut names: Vec<String> =
            self.tera.get_template_variables(name).map(|set| set.into_iter().map(str::to_owned).collect()).unwrap_or_default();
        names.sort();
        names
    }
}

/// Names of all templates, in the order of the table.
pub fn names() -> impl Iterator<Item = &'static str> {
    EMBEDDED.iter().map(|(name, _)| *name)
}

fn is_copied(name: &str) -> bool {
    [".css", ".svg", ".js", ".txt"].iter().any(|suffix| name.ends_with(suffix))
}

fn escape_into(text: &str, out: &mut dyn Write) -> std::io::Result<()> {
    out.write_all(markup::escape(text).as_bytes())
}

fn unknown_name(name: &str) -> Diagnostic {
    let fault = Diagnostic::error("unknown-template", format!("there is no template `{name}` to replace"));
    fault.note(format!("templates: {}", names().collect::<Vec<_>>().join(", "))).suggest(name, names())
}

fn syntax_fault(error: &tera::Error, texts: &BTreeMap<String, String>) -> Faults {
    let (message, place) = match error.kind() {
        ErrorKind::SyntaxError(report) => {
            let place = texts.get(report.filename()).map(|text| line_of(report.filename(), text, report.span().start_line));
            (report.message().to_owned(), place)
        }
        _ => (error.to_string(), None),
    };
    let fault = Diagnostic::error("template-syntax", message);
    Faults::from(match place {
        Some(place) => fault.at(place),
        None => fault,
    })
}

fn line_of(name: &str, text: &str, line: usize) -> Place {
    Source::new(format!("templates/{name}"), text).at_line(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, text: &str) -> BTreeMap<String, String> {
        BTreeMap::from([(name.to_owned(), text.to_owned())])
    }

    #[test]
    fn the_embedded_templates_parse() {
        assert!(Templates::embedded().is_ok());
    }

    #[test]
    fn an_override_replaces_a_template_and_is_escaped() {
        let templates =
            Templates::with_overrides(&one("site/index.html", "hello {{ name }}")).unwrap_or_else(|e| unreachable!("{e}"));
        let view = BTreeMap::from([("name", "<b>")]);
        assert_eq!(templates.fill("site/index.html", &view), Ok("hello &lt;b&gt;".to_owned()));
        assert_eq!(templates.variables("site/index.html"), ["name"]);
        assert!(templates.fill("site/index.html", &BTreeMap::<&str, &str>::new()).is_err());
    }

    #[test]
    fn a_name_that_replaces_nothing_is_a_fault_with_the_near_name() {
        let faults = Templates::with_overrides(&one("site/rnu.html", "")).err().unwrap_or_else(|| unreachable!());
        assert!(faults.to_string().contains("did you mean `site/run.html`?"), "{faults}");
    }

    #[test]
    fn a_template_that_does_not_parse_is_a_fault_with_its_line() {
        let faults = Templates::with_overrides(&one("site/run.html", "fine\n{% if %}\n")).err().unwrap_or_else(|| unreachable!());
        assert!(faults.to_string().contains("templates/site/run.html:2"), "{faults}");
    }
}
