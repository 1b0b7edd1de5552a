//! What the method pages say of a project: its flow, the rules of the audit, the texts of its `method` folder.

use std::collections::BTreeMap;

use super::{Failure, Project};
use crate::audit::{RULES, Rule};
use crate::diagnostic::{Diagnostic, Faults};
use crate::flow::{Flow, draw_within, in_words};
use crate::render::site::method::{Asked, Chart, Ending, Line, Method, RuleText};

/// A project's folder of its own texts.
const FOLDER: &str = "method";

impl Project {
    /// What the method pages say.
    ///
    /// # Errors
    /// All files of the `method` folder that are no texts, or what the disk refuses.
    pub fn method(&self, flow: &Flow) -> Result<Method, Failure> {
        Ok(Method { own: own(self)?, flow: chart(flow), rules: RULES.iter().copied().map(rule).collect() })
    }
}

/// The project's texts by the stem of their files, which is a part of an address.
fn own(project: &Project) -> Result<BTreeMap<String, String>, Failure> {
    let mut texts = BTreeMap::new();
    let mut faults = Vec::new();
    for (file, text) in project.texts(FOLDER)? {
        match file.strip_suffix(".md").filter(|stem| is_name(stem)) {
            Some(stem) => {
                texts.insert(stem.to_owned(), text);
            }
            None => faults.push(strange(&file)),
        }
    }
    Faults::check(faults)?;
    Ok(texts)
}

fn is_name(stem: &str) -> bool {
    !stem.is_empty() && stem.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn strange(file: &str) -> Diagnostic {
    Diagnostic::error("method-file", format!("{FOLDER}/{file} is no text of the method"))
        .help("a text is `NAME.md`, its name of small letters, digits and `-`: it is a part of the page's address; what else lies there belongs elsewhere")
}

fn chart(flow: &Flow) -> Chart {
    let line = |(name, text): (&'static str, String)| Line { name, text };
    let questions = in_words(flow).into_iter();
    Chart {
        name: flow.name().to_owned(),
        title: flow.title().to_owned(),
        reading: flow.reading().unwrap_or_default().to_owned(),
        drawing_svg: draw_within(flow, None),
        questions: questions.map(|one| Asked { ask: one.ask, lines: one.lines.into_iter().map(line).collect() }).collect(),
        outcomes: flow
            .outcomes()
            .map(|one| Ending { class: one.class.name(), label: one.label.to_owned(), action: one.action.to_owned() })
            .collect(),
    }
}

fn rule(rule: &Rule) -> RuleText {
    RuleText { code: rule.code, level: rule.level, title: rule.title, reason: rule.reason, hint: rule.hint }
}
