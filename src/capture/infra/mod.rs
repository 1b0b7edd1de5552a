//! Machines as the platform describes them: `gcloud run services describe`, `gcloud sql instances describe`, JSON and YAML.
//!
//! A fact has the key that it has in a record's environment, `service.container.vcpu`, and the shape it has there. What a description
//! does not hold is absent; nothing is concluded from what a machine of its kind usually has.

mod describe;
mod merge;
mod service;
mod sql;

use self::describe::Told;
pub use self::merge::findings;
use super::Capture;
use super::findings::{Fact, KnownSetting};
use super::yaml::{self, Node};
use crate::diagnostic::{Diagnostic, Faults};
use crate::source::Source;

/// What a platform or a configuration file says of machines and settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Facts by the key they have in a record's environment.
    pub facts: Vec<Fact>,
    /// Settings of the service.
    pub settings: Vec<KnownSetting>,
    /// What people should know of the description: warnings.
    pub told: Vec<Diagnostic>,
}

/// The largest text that is looked at.
const LARGEST: usize = 1 << 20;

/// A form of description: what a text of it holds somewhere, whether a document is one, how it is read.
struct Form {
    words: [&'static str; 2],
    is: fn(&Node) -> bool,
    read: fn(&Node, &mut Told),
}

const FORMS: &[Form] = &[
    Form {
        words: ["serving.knative.dev/", "template"],
        is: |root| {
            let api = text(root, &["apiVersion"]).is_some_and(|version| version.starts_with("serving.knative.dev/"));
            api && text(root, &["kind"]) == Some("Service") && root.get(&["spec"]).is_some()
        },
        read: service::knative,
    },
    Form {
        words: ["sql#instance", "databaseVersion"],
        is: |root| text(root, &["kind"]) == Some("sql#instance"),
        read: sql::instance,
    },
    Form {
        words: ["/services/", "containers"],
        is: |root| {
            let name = text(root, &["name"]).unwrap_or_default();
            name.starts_with("projects/") && name.contains("/services/") && root.get(&["template", "containers"]).is_some()
        },
        read: service::run_v2,
    },
    Form { words: ["apps/", "Deployment"], is: |root| !service::deployments(root).is_empty(), read: service::deployment },
];

fn text<'n>(root: &'n Node, path: &[&str]) -> Option<&'n str> {
    root.get(path).and_then(Node::text)
}

/// Whether a text is such a description.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    let text = source.text();
    let holds = |form: &Form| form.words.iter().all(|word| text.contains(word));
    let begins = text.trim_start().starts_with(|c: char| c == '{' || c == '-' || c == '#' || c.is_ascii_alphabetic());
    if text.len() > LARGEST || !begins || !FORMS.iter().any(holds) {
        return false;
    }
    match yaml::read(source, "") {
        Ok(root) => FORMS.iter().any(|form| (form.is)(&root)),
        Err(_) => is_cut(text),
    }
}

/// Whether a text that is no whole document begins as `gcloud` prints a service or an instance.
fn is_cut(text: &str) -> bool {
    let beginning: String = text.chars().filter(|c| !c.is_whitespace() && !"{\"'".contains(*c)).take(60).collect();
    ["apiVersion:serving.knative.dev/", "backendType:"].iter().any(|start| beginning.starts_with(start))
}

/// Reads a description.
///
/// # Errors
/// `bad-capture` at the place where it is not of the platform's shape.
pub fn read(source: &Source) -> Result<Capture, Faults> {
    let root = yaml::read(source, "a description of a service or a database")?;
    let mut told = Told::default();
    match FORMS.iter().find(|form| (form.is)(&root)) {
        Some(form) => (form.read)(&root, &mut told),
        None => {
            let message = "this is no description of a service or a database";
            let fault = Diagnostic::error("bad-capture", message).at(source.at(0..0));
            return Err(fault.help("write it with `gcloud run services describe NAME --format=json`").into());
        }
    }
    Ok(Capture::Facts(told.finish(source, &root)?))
}

#[cfg(test)]
mod tests;
