//! How statements are called: ordered rules over the normalised text, of which the first that matches wins.
//!
//! A rule is a `[[rule]]` with a `name`, a `class` (work, lock-wait, lock-wait-possible, ignore), and a `regex` that is searched for
//! in the normalised text; `since` is a word for people. `{1}` in a name is what the first group of the pattern caught. The order
//! of the text is the order of the rules. A project's own file is tried before the built-in rules (`names.toml` beside this file).

use regex::{Captures, Regex};

use super::fallback;
use crate::diagnostic::{Diagnostic, Faults};
use crate::handwritten::{Document, Form, check_schema};
use crate::model::record::QueryClass;
use crate::source::Source;

/// Ordered rules from a statement's text to its name and class.
#[derive(Clone, Debug, Default)]
pub struct Names {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    name: String,
    class: Class,
    pattern: Regex,
}

/// What the time of a rule's statements is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Work,
    LockWait,
    LockWaitPossible,
    Ignore,
}

/// The words of the classes.
const CLASSES: [(&str, Class); 4] = [
    ("work", Class::Work),
    ("lock-wait", Class::LockWait),
    ("lock-wait-possible", Class::LockWaitPossible),
    ("ignore", Class::Ignore),
];

/// What is known of a statement by its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its short name.
    pub name: String,
    /// What its time is; `None` where no rule knows the statement.
    pub class: Option<QueryClass>,
    /// What its class does not say.
    pub remark: Option<&'static str>,
}

impl Names {
    /// The text of the built-in rules.
    pub const BUILT_IN: &str = include_str!("names.toml");

    /// The built-in rules alone.
    #[must_use]
    pub fn built_in() -> Self {
        let source = Source::new("names.toml", Self::BUILT_IN);
        // A test reads them.
        rules(&source).unwrap_or_else(|faults| unreachable!("the built-in rules have faults: {faults}"))
    }

    /// The rules of a project's own file, then the built-in ones.
    ///
    /// # Errors
    /// All faults of the file.
    pub fn read(own: &Source) -> Result<Self, Faults> {
        let mut names = rules(own)?;
        names.rules.extend(Self::built_in().rules);
        Ok(names)
    }

    /// The name of a statement by its normalised text. Where no rule matches, the name is made of verb and table, and the class is
    /// unknown: it is never guessed.
    #[must_use]
    pub fn of(&self, normalised: &str) -> Named {
        let found = self.rules.iter().find_map(|rule| Some((rule, rule.pattern.captures(normalised)?)));
        match found {
            Some((rule, caught)) => {
                let (class, remark) = rule.class.told();
                Named { name: filled(&rule.name, &caught), class: Some(class), remark }
            }
            None => Named { name: fallback::name(normalised), class: None, remark: None },
        }
    }
}

impl Class {
    fn told(self) -> (QueryClass, Option<&'static str>) {
        match self {
            Self::Work => (QueryClass::Work, None),
            Self::LockWait => (QueryClass::LockWait, None),
            Self::LockWaitPossible => (QueryClass::Work, Some("its time may be a wait for a lock")),
            Self::Ignore => (QueryClass::Ignored, None),
        }
    }
}

/// A name with what the groups caught in the places of `{1}`, `{2}`.
fn filled(name: &str, caught: &Captures<'_>) -> String {
    let mut filled = name.to_owned();
    for group in 1..caught.len() {
        filled = filled.replace(&format!("{{{group}}}"), caught.get(group).map_or("", |text| text.as_str()));
    }
    filled
}

fn rules(source: &Source) -> Result<Names, Faults> {
    let document = Document::parse(source);
    let form = document.form();
    check_schema(&form, 1);
    check_version(&form);
    let rules = form.tables("rule").iter().filter_map(rule).collect();
    form.close();
    document.finish().map(|_| Names { rules })
}

/// Files of the team say `version` where the house says `schema`; both are 1.
fn check_version(form: &Form<'_>) {
    if let Some(version) = form.integer("version").filter(|version| version.value != 1) {
        let fault = Diagnostic::error("bad-version", format!("there is no version {} of these rules", version.value));
        form.fault(fault.at(version.place).help("the only one is 1"));
    }
}

/// A rule; `None`, with its faults noted, if it is not whole.
fn rule(form: &Form<'_>) -> Option<Rule> {
    let (class, pattern) = (class(form), pattern(form));
    let name = name(form, pattern.as_ref());
    _ = form.text("since");
    form.close();
    Some(Rule { name: name?, class: class?, pattern: pattern? })
}

fn name(form: &Form<'_>, pattern: Option<&Regex>) -> Option<String> {
    let written = form.wanted_text("name")?;
    let name = written.value.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        form.fault(Diagnostic::error("empty-name", "a rule gives its statements a name").at(written.place));
        return None;
    }
    let groups = pattern.map_or(usize::MAX, Regex::captures_len);
    if let Some(group) = wanted_groups(&name).into_iter().find(|group| !(1..groups).contains(group)) {
        let fault = Diagnostic::error("no-group", format!("the name asks for group {group}, which its regex does not have"));
        form.fault(fault.at(written.place).help(format!("the regex has {}; a group stands in round brackets", groups - 1)));
        return None;
    }
    Some(name)
}

/// The numbers of the groups that a name asks for.
fn wanted_groups(name: &str) -> Vec<usize> {
    name.split('{').skip(1).filter_map(|part| part.split_once('}')?.0.parse().ok()).collect()
}

fn class(form: &Form<'_>) -> Option<Class> {
    let written = form.wanted_text("class")?;
    let message = format!("there is no class `{}`", written.value);
    form.choice(written, &CLASSES, "unknown-class", message)
}

fn pattern(form: &Form<'_>) -> Option<Regex> {
    let written = form.wanted_text("regex")?;
    match Regex::new(&written.value) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            let error = error.to_string();
            // The library draws the pattern with a caret of its own; its last line says what is wrong.
            let what = error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            let fault = Diagnostic::error("bad-pattern", format!("this is no regular expression: {what}"));
            form.fault(fault.at(written.place).help("write it in single quotes, where a backslash stands for itself"));
            None
        }
    }
}

#[cfg(test)]
mod tests;
