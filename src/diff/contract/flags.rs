//! Feature flags as a set of those that are on: off, explicitly off and absent from a known list are alike.

use std::collections::{BTreeMap, BTreeSet};

use super::held::{Below, Held, Sides};
use crate::diff::writing;
use crate::model::environment::{Flag, FlagState, Flags};
use crate::model::record::Record;

/// A flag that is on.
#[derive(Clone, Debug)]
struct On {
    name: String,
    paths: BTreeSet<String>,
    base_uri: Option<String>,
}

/// One finding a flag; one for all of them, without a name, where a list is unknown or empty, or all are alike.
pub(super) fn hold(sides: &Sides<'_>) -> Vec<Below> {
    let first = |runs: &[&Record]| runs.iter().find_map(|run| run.environment.service.flags.clone());
    let (a, b) = match (first(sides.a), first(sides.b)) {
        (None, None) => return vec![(None, Held::Unknown)],
        (Some(a), Some(b)) => (a, b),
        (a, b) => return vec![(None, Held::Untold { a: a.map(|flags| listed(&flags)), b: b.map(|flags| listed(&flags)) })],
    };
    let (on_a, on_b) = (on(&a), on(&b));
    let is_emptied = (a.flags.is_empty() && !on_b.is_empty()) || (b.flags.is_empty() && !on_a.is_empty());
    if is_emptied {
        return vec![(None, Held::Unlike { a: listed(&a), b: listed(&b) })];
    }
    each(&on_a, &on_b)
}

fn each(a: &BTreeMap<String, On>, b: &BTreeMap<String, On>) -> Vec<Below> {
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let held: Vec<Below> = names.into_iter().filter_map(|name| one(a.get(name), b.get(name))).collect();
    if held.iter().all(|(_, held)| *held == Held::Alike) { vec![(None, Held::Alike)] } else { held }
}

fn one(a: Option<&On>, b: Option<&On>) -> Option<Below> {
    let name = a.or(b)?.name.clone();
    let is_alike = a.zip(b).is_some_and(|(a, b)| a.paths == b.paths && a.leads_to(b));
    let shown = |flag: Option<&On>, other: Option<&On>| flag.map_or_else(|| "off".to_owned(), |flag| flag.shown(other));
    let held = if is_alike { Held::Alike } else { Held::Unlike { a: shown(a, b), b: shown(b, a) } };
    Some((Some(name), held))
}

impl On {
    fn of(flag: &Flag) -> Self {
        let paths = flag.paths.iter().map(|path| writing::unescaped(path)).collect();
        Self { name: writing::unescaped(&flag.name), paths, base_uri: flag.base_uri.clone().filter(|uri| !uri.is_empty()) }
    }

    /// Whether it is set to the same address; one that is not told is no other one.
    fn leads_to(&self, other: &Self) -> bool {
        self.base_uri.as_ref().zip(other.base_uri.as_ref()).is_none_or(|(a, b)| a == b)
    }

    /// As people write it; what it is on for in full where the other side is on for nothing or everything, else how many and which of
    /// them the other side does not have.
    fn shown(&self, other: Option<&Self>) -> String {
        let listed = |paths: Vec<&String>| paths.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let theirs = other.map(|other| &other.paths).filter(|paths| !paths.is_empty());
        let own: Vec<&String> = theirs.map(|theirs| self.paths.difference(theirs).collect()).unwrap_or_default();
        let of = match (self.paths.len(), theirs) {
            (0, _) => String::new(),
            (_, None) => format!(" for {}", listed(self.paths.iter().collect())),
            (count, Some(_)) if own.is_empty() => format!(" for {count}"),
            (count, Some(_)) => format!(" for {count}, here alone: {}", listed(own)),
        };
        let at = self.base_uri.as_ref().map(|uri| format!(" at {uri}")).unwrap_or_default();
        format!("on{of}{at}")
    }
}

/// Flags that are on, by the name in which they are compared.
fn on(flags: &Flags) -> BTreeMap<String, On> {
    let is_on = |flag: &&Flag| flag.state == FlagState::On;
    flags.flags.iter().filter(is_on).map(|flag| (writing::name(&flag.name), On::of(flag))).collect()
}

fn listed(flags: &Flags) -> String {
    let on = on(flags);
    let names: Vec<&str> = on.values().map(|flag| flag.name.as_str()).collect();
    match names.len() {
        0 => "none".to_owned(),
        1 => format!("1 flag: {}", names.concat()),
        count => format!("{count} flags: {}", names.join(", ")),
    }
}
