//! Facts and settings as they are gathered from a description, with the places of their values.

use serde_json::{Value, json};

use super::Facts;
use crate::capture::findings::{Fact, KnownSetting};
use crate::capture::settings;
use crate::capture::yaml::{self, Node};
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::environment::{Setting, Size};
use crate::source::{Source, Span};

/// What a description gave so far.
#[derive(Default)]
pub(super) struct Told {
    facts: Vec<(&'static str, Value, Span)>,
    settings: Vec<(Setting, Span)>,
    warnings: Vec<(&'static str, String, Span)>,
    wrong: Vec<(String, Span)>,
    secret: Vec<Span>,
}

impl Told {
    /// A fact in the record's shape, read at a node.
    pub(super) fn fact(&mut self, key: &'static str, value: impl Into<Value>, node: &Node) {
        self.facts.push((key, value.into(), node.span.clone()));
    }

    /// A text, if there is one.
    pub(super) fn text(&mut self, key: &'static str, node: Option<&Node>) {
        if let Some((node, text)) = node.and_then(|node| Some((node, node.text()?))) {
            self.fact(key, text, node);
        }
    }

    /// The last part of a path, `services/a` is `a`.
    pub(super) fn last_part(&mut self, key: &'static str, node: Option<&Node>) {
        if let Some((node, text)) = node.and_then(|node| Some((node, node.text()?))) {
            self.fact(key, text.rsplit('/').next().unwrap_or(text), node);
        }
    }

    /// A whole number, in quotes or without.
    pub(super) fn count(&mut self, key: &'static str, node: Option<&Node>) {
        let Some((node, text)) = node.and_then(|node| Some((node, node.text()?))) else { return };
        match text.parse::<u64>() {
            Ok(count) => self.fact(key, count, node),
            Err(_) => self.wrong(format!("`{text}` is no whole number"), node),
        }
    }

    /// A truth.
    pub(super) fn truth(&mut self, key: &'static str, node: Option<&Node>) {
        let Some((node, text)) = node.and_then(|node| Some((node, node.text()?))) else { return };
        match text.parse::<bool>() {
            Ok(truth) => self.fact(key, truth, node),
            Err(_) => self.wrong(format!("`{text}` is neither true nor false"), node),
        }
    }

    /// vCPUs as Kubernetes writes them: `6`, `0.5`, `6000m`.
    pub(super) fn vcpu(&mut self, key: &'static str, node: Option<&Node>) {
        let Some((node, text)) = node.and_then(|node| Some((node, node.text()?))) else { return };
        let (digits, scale) = text.strip_suffix('m').map_or((text, 1.0), |digits| (digits, 1000.0));
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() && number > 0.0 => self.fact(key, number / scale, node),
            _ => self.wrong(format!("`{text}` is no number of vCPUs"), node),
        }
    }

    /// A size as written, with a unit that its field implies.
    pub(super) fn size(&mut self, key: &'static str, node: Option<&Node>, unit: &str) {
        let Some((node, text)) = node.and_then(|node| Some((node, node.text()?))) else { return };
        match Size::read(&format!("{text}{unit}")) {
            Ok(size) => self.fact(key, json!(size), node),
            Err(error) => self.wrong(error.to_string(), node),
        }
    }

    /// A setting by a variable of the environment.
    pub(super) fn setting(&mut self, name: &str, value: &str, node: &Node) {
        let (setting, masked) = settings::setting(name, value);
        if masked {
            self.secret.push(node.span.clone());
        }
        self.settings.push((setting, node.span.clone()));
    }

    /// A value that nobody may see, and that is not kept.
    pub(super) fn hide(&mut self, node: &Node) {
        self.secret.push(node.span.clone());
    }

    /// What people should know of a description.
    pub(super) fn warn(&mut self, code: &'static str, message: String, node: &Node) {
        self.warnings.push((code, message, node.span.clone()));
    }

    /// What can't be read.
    pub(super) fn wrong(&mut self, message: String, node: &Node) {
        self.wrong.push((message, node.span.clone()));
    }

    /// Everything with its place in the text, which is shown without secrets.
    ///
    /// # Errors
    /// `bad-capture` at every value that can't be read.
    pub(super) fn finish(self, source: &Source, root: &Node) -> Result<Facts, Faults> {
        let shown = yaml::shown(source, root, &self.secret);
        let faults = self.wrong.into_iter().map(|(message, span)| Diagnostic::error("bad-capture", message).at(shown.at(span)));
        Faults::check(faults.collect())?;
        let fact = |(key, value, span): (&str, Value, Span)| Fact { key: key.to_owned(), value, place: shown.at(span) };
        let warning = |(code, message, span)| Diagnostic::warning(code, message).at(shown.at(span));
        Ok(Facts {
            facts: self.facts.into_iter().map(fact).collect(),
            settings: self.settings.into_iter().map(|(setting, span)| KnownSetting { setting, place: shown.at(span) }).collect(),
            told: self.warnings.into_iter().map(warning).collect(),
        })
    }
}
