//! Configuration in YAML: nested keys become dotted ones.

use super::known;
use super::setting::setting;
use crate::capture::findings::KnownSetting;
use crate::capture::infra::Facts;
use crate::capture::yaml::{self, Node, Tree};
use crate::diagnostic::{Diagnostic, Faults};
use crate::limits::SETTING_KEY_BYTES;
use crate::source::{Source, Span};

/// The largest text that is looked at; ZITADEL's own list of all settings has 60 kB.
const LARGEST: usize = 1 << 20;

/// Keys of other documents in YAML, that are no configuration of the service under test: objects of Kubernetes, descriptions of
/// platforms, interfaces, the configuration of Prometheus, lists of packages.
const FOREIGN: &[&str] =
    &["apiVersion", "kind", "selfLink", "openapi", "swagger", "asyncapi", "scrape_configs", "lockfileVersion"];

/// Whether a text is a configuration: one mapping of plain words, with a mapping inside or a known setting, and no other document.
pub(super) fn sniff(source: &Source) -> bool {
    let text = source.text();
    if text.len() > LARGEST || !begins_with_key(text) {
        return false;
    }
    match yaml::parse(text) {
        Ok(root) => is_configuration(&root),
        // A file that says it is YAML and has a group of ZITADEL's is broken, not unknown.
        Err(_) => {
            let ending = source.name().rsplit('.').next().unwrap_or_default();
            let group = |line: &str| line.trim_end().strip_suffix(':').is_some_and(known::is_group);
            ["yaml", "yml"].contains(&ending) && text.lines().any(group)
        }
    }
}

/// Whether the first line that says something is a plain word and a colon: most texts are told by that.
fn begins_with_key(text: &str) -> bool {
    let says = |line: &&str| !line.trim().is_empty() && !line.starts_with('#') && line.trim_end() != "---";
    text.lines()
        .find(says)
        .and_then(|line| line.split_once(':'))
        .is_some_and(|(word, rest)| is_word(word) && (rest.trim_end().is_empty() || rest.starts_with(' ')))
}

fn is_word(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

fn is_configuration(root: &Node) -> bool {
    let entries = root.entries();
    let plain = entries.iter().all(|(key, _)| is_word(key) && !FOREIGN.contains(&key.as_str()));
    let set = |key: &str| known::of_key(key).is_some() || key.starts_with("ZITADEL_");
    let says = entries.iter().any(|(key, value)| !value.entries().is_empty() || set(key));
    plain && says && !is_composed(root) && !is_pipeline(root)
}

/// Services of Docker Compose: they have an image, or are built.
fn is_composed(root: &Node) -> bool {
    let services = root.get(&["services"]).map(Node::entries).unwrap_or_default();
    services.iter().any(|(_, service)| ["image", "build"].iter().any(|key| service.get(&[key]).is_some()))
}

/// Jobs that run on something.
fn is_pipeline(root: &Node) -> bool {
    root.get(&["jobs"]).is_some() && root.get(&["on"]).is_some()
}

/// Reads a configuration.
///
/// # Errors
/// `bad-capture` at the place where it is no YAML.
pub(super) fn read(source: &Source) -> Result<Facts, Faults> {
    let root = yaml::read(source, "a configuration in YAML")?;
    let mut written = Vec::new();
    if let Err(long) = flatten("", &root, &mut written) {
        let message = format!("a setting has a key of more than {SETTING_KEY_BYTES} bytes, with those of the groups it is in");
        let place = yaml::shown(source, &root, std::slice::from_ref(&long)).at(long);
        return Err(Diagnostic::error("bad-capture", message).at(place).help("is this a configuration of the service?").into());
    }
    let (mut settings, mut secret) = (Vec::new(), Vec::new());
    for Written { key, value, spans } in written {
        let (setting, masked) = setting(&key, &value);
        if masked {
            secret.extend(spans.iter().cloned());
        }
        settings.push((setting, spans.first().cloned().unwrap_or_default()));
    }
    let shown = yaml::shown(source, &root, &secret);
    let settings = settings.into_iter().map(|(setting, span)| KnownSetting { setting, place: shown.at(span) });
    Ok(Facts { settings: settings.collect(), ..Facts::default() })
}

/// A key, its value, and where the parts of the value stand.
struct Written {
    key: String,
    value: String,
    spans: Vec<Span>,
}

/// All values under their dotted keys. A key without a value sets nothing; a list of words is one value, of a list of mappings each
/// has its number in the key. It ends where the first key is too long, with the place of that.
fn flatten(key: &str, node: &Node, all: &mut Vec<Written>) -> Result<(), Span> {
    let under = |part: &str| if key.is_empty() { part.to_owned() } else { format!("{key}.{part}") };
    if key.len() > SETTING_KEY_BYTES {
        return Err(node.span.clone());
    }
    let mut add = |value: String, spans: Vec<Span>| all.push(Written { key: key.to_owned(), value, spans });
    match &node.tree {
        Tree::Nothing => {}
        Tree::Text(text) => add(text.clone(), vec![node.span.clone()]),
        Tree::List(items) => match items.iter().map(Node::text).collect::<Option<Vec<_>>>() {
            Some(words) if words.is_empty() => add("[]".to_owned(), vec![node.span.clone()]),
            Some(words) => add(words.join(", "), items.iter().map(|item| item.span.clone()).collect()),
            None => items.iter().enumerate().try_for_each(|(at, item)| flatten(&under(&at.to_string()), item, all))?,
        },
        Tree::Map(entries) => entries.iter().try_for_each(|(part, value)| flatten(&under(part), value, all))?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<(String, String)> {
        let source = Source::new("own.yaml", text);
        assert!(sniff(&source), "{text}");
        let facts = read(&source).unwrap_or_else(|e| unreachable!("{e}"));
        facts.settings.into_iter().map(|known| (known.setting.key, known.setting.value)).collect()
    }

    #[test]
    fn nested_keys_become_dotted_ones() {
        let all = told(
            "---\n# own\nversion: \"1.10\"\nPort: 8080\npool: {max: 6, wait: 30s}\nnothing:\nlist: [a, 1.50]\n\
             more:\n- name: x\n  on: true\n- name: ''\n",
        );
        let all: Vec<(&str, &str)> = all.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(
            all,
            [
                ("version", "1.10"),
                ("Port", "8080"),
                ("pool.max", "6"),
                ("pool.wait", "30s"),
                ("list", "a, 1.50"),
                ("more.0.name", "x"),
                ("more.0.on", "true"),
                ("more.1.name", ""),
            ]
        );
    }

    #[test]
    fn variables_may_be_written_as_a_mapping() {
        let all = told("ZITADEL_PROJECTIONS_REQUEUEEVERY: 90s\nZITADEL_OWN: ''\n");
        assert_eq!(all, [("Projections.RequeueEvery", "90s"), ("ZITADEL_OWN", "")].map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn a_secret_stands_nowhere() {
        let text =
            "Database:\n  postgres:\n    User: {Username: a, Password: hunter2}\n    MaxOpenConns: 6\nMasterkey: |\n  hunter2\n";
        let source = Source::new("own.yaml", text);
        let facts = read(&source).unwrap_or_else(|e| unreachable!("{e}"));
        let values: Vec<&str> = facts.settings.iter().map(|known| known.setting.value.as_str()).collect();
        assert_eq!(values, ["a", "***", "6", "***"]);
        assert!(facts.settings.iter().all(|known| !known.place.source.text().contains("hunter2")));
        assert_eq!(facts.settings[2].place.to_string(), "own.yaml:4:19");
    }

    #[test]
    fn other_documents_are_none() {
        for text in [
            "",
            "a\n",
            "a: 1\nb: 2\n",
            "key: value: more\nnested:\n  a: 1\n",
            "{\"a\": {\"b\": 1}}",
            "apiVersion: v1\nkind: Pod\nspec: {}\n",
            "openapi: 3.0.0\ninfo: {title: a}\n",
            "services:\n  db: {image: postgres}\n",
            "name: a\non: {push: {}}\njobs: {test: {runs-on: a}}\n",
            "---\ntitle: a\n---\n# Page\n",
            "time=\"2026\" level=info\n",
            "running: 1\n    checks_total.......: 100  1.2/s\n",
            "- a: {b: 1}\n",
        ] {
            assert!(!sniff(&Source::new("a.yaml", text)), "{text}");
        }
    }

    #[test]
    fn a_broken_one_is_told_with_its_place() {
        let source = Source::new("own.yaml", "Database:\n  postgres:\n    MaxOpenConns: [6\nLog: {}\n");
        assert!(sniff(&source));
        let faults = read(&source).err().unwrap_or_else(|| unreachable!());
        assert!(faults.list()[0].places[0].to_string().starts_with("own.yaml:4:"), "{faults}");
    }
}
