//! A feature flag as the API writes it. What is not set is left out: `{}` is off and set nowhere, a source alone is off because
//! somebody said so.

use crate::capture::yaml::{Node, Tree};
use crate::model::environment::{Flag, FlagState};
use crate::secrets;

/// The keys that a flag may have.
const KEYS: [&str; 5] = ["enabled", "required", "executionPaths", "baseUri", "source"];

/// Whether a value has the shape of a flag, whatever is in it.
pub(super) fn is_flag(node: &Node) -> bool {
    matches!(node.tree, Tree::Map(_)) && node.entries().iter().all(|(key, _)| KEYS.contains(&key.as_str()))
}

/// Reads a flag; of a bare truth only the state is known.
///
/// # Errors
/// The part that can't be read, and what was wanted.
pub(super) fn read<'n>(name: &str, node: &'n Node) -> Result<Flag, (&'n Node, &'static str)> {
    match &node.tree {
        Tree::Text(text) if text == "true" => Ok(Flag::new(name, FlagState::On)),
        Tree::Text(text) if text == "false" => Ok(Flag::new(name, FlagState::Off)),
        Tree::Map(_) if is_flag(node) => from_object(name, node),
        _ => Err((node, "a flag is an object with `enabled`, `required` or `executionPaths`, and `source`")),
    }
}

fn from_object<'n>(name: &str, node: &'n Node) -> Result<Flag, (&'n Node, &'static str)> {
    let level = text(node, "source")?.and_then(level);
    let paths = paths(node)?;
    let on = truth(node, "enabled")? || truth(node, "required")? || !paths.is_empty();
    let state = match (on, &level) {
        (true, _) => FlagState::On,
        (false, Some(_)) => FlagState::ExplicitlyOff,
        (false, None) => FlagState::Off,
    };
    let base_uri = text(node, "baseUri")?.filter(|uri| !uri.is_empty()).map(address);
    Ok(Flag { name: name.to_owned(), state, level, paths, base_uri })
}

/// `SOURCE_INSTANCE` is `instance`; `SOURCE_UNSPECIFIED` is none.
fn level(source: &str) -> Option<String> {
    let level = source.strip_prefix("SOURCE_").unwrap_or(source).to_lowercase();
    (!level.is_empty() && level != "unspecified").then_some(level)
}

/// What the flag is on for, as written.
fn paths(node: &Node) -> Result<Vec<String>, (&Node, &'static str)> {
    let wanted = "`executionPaths` is a list of names";
    match node.get(&["executionPaths"]) {
        None => Ok(Vec::new()),
        Some(list) => match &list.tree {
            Tree::Nothing => Ok(Vec::new()),
            Tree::List(items) => {
                items.iter().map(|item| item.text().map(str::to_owned).ok_or((item, wanted))).collect::<Result<_, _>>()
            }
            _ => Err((list, wanted)),
        },
    }
}

fn truth<'n>(node: &'n Node, key: &str) -> Result<bool, (&'n Node, &'static str)> {
    match node.get(&[key]) {
        None => Ok(false),
        Some(value) => match (&value.tree, value.text()) {
            (Tree::Nothing, _) | (_, Some("false")) => Ok(false),
            (_, Some("true")) => Ok(true),
            _ => Err((value, "true or false is wanted")),
        },
    }
}

fn text<'n>(node: &'n Node, key: &str) -> Result<Option<&'n str>, (&'n Node, &'static str)> {
    match node.get(&[key]) {
        None => Ok(None),
        Some(value) if value.tree == Tree::Nothing => Ok(None),
        Some(value) => value.text().map(Some).ok_or((value, "a text is wanted")),
    }
}

/// An address without what it may hold of credentials: name and password, query, fragment.
fn address(uri: &str) -> String {
    let end = uri.find(['?', '#']).unwrap_or(uri.len());
    let uri = &uri[..end];
    let (scheme, rest) = uri.find("://").map_or(("", uri), |at| uri.split_at(at + 3));
    let host = rest.find('/').unwrap_or(rest.len());
    let start = rest[..host].rfind('@').map_or(0, |at| at + 1);
    secrets::masked(&format!("{scheme}{}", &rest[start..])).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::yaml;

    fn flag(text: &str) -> Flag {
        let node = yaml::parse(text).unwrap_or_else(|e| unreachable!("{e}"));
        read("a", &node).unwrap_or_else(|(_, wanted)| unreachable!("{wanted}"))
    }

    #[test]
    fn off_is_not_explicitly_off() {
        for (text, state, level) in [
            ("{}", FlagState::Off, None),
            ("{\"source\":\"SOURCE_UNSPECIFIED\",\"enabled\":false}", FlagState::Off, None),
            ("{\"source\":\"SOURCE_INSTANCE\"}", FlagState::ExplicitlyOff, Some("instance")),
            ("{\"enabled\":false,\"source\":\"SOURCE_SYSTEM\"}", FlagState::ExplicitlyOff, Some("system")),
            ("{\"enabled\":true,\"source\":\"SOURCE_SYSTEM\"}", FlagState::On, Some("system")),
            ("{\"required\":true,\"source\":\"SOURCE_INSTANCE\"}", FlagState::On, Some("instance")),
            ("{\"executionPaths\":[],\"source\":\"SOURCE_INSTANCE\"}", FlagState::ExplicitlyOff, Some("instance")),
            ("true", FlagState::On, None),
            ("false", FlagState::Off, None),
        ] {
            let flag = flag(text);
            assert_eq!((flag.state, flag.level.as_deref()), (state, level), "{text}");
        }
    }

    #[test]
    fn paths_are_kept_as_written() {
        let flag = flag("{\"executionPaths\":[\"PATH_B\", \"PATH_A\"],\"source\":\"SOURCE_INSTANCE\"}");
        assert_eq!((flag.state, flag.paths), (FlagState::On, vec!["PATH_B".to_owned(), "PATH_A".to_owned()]));
    }

    #[test]
    fn an_address_is_kept_without_credentials() {
        for (uri, kept) in [
            ("https://login.example.test/ui", "https://login.example.test/ui"),
            ("https://u:p@w@login.example.test/ui?token=t#f", "https://login.example.test/ui"),
            ("login.example.test/a@b", "login.example.test/a@b"),
        ] {
            assert_eq!(address(uri), kept);
        }
    }

    #[test]
    fn another_shape_is_told_where_it_is() {
        for text in ["5", "\"on\"", "[]", "{\"on\":true}", "{\"enabled\":1}", "{\"executionPaths\":[{}]}", "{\"source\":[]}"] {
            let node = yaml::parse(text).unwrap_or_else(|e| unreachable!("{e}"));
            assert!(read("a", &node).is_err(), "{text}");
        }
    }
}
