//! Feature flags that are on for one side alone, or on for something else.

use std::collections::{BTreeMap, BTreeSet};

use super::change;
use crate::diff::writing;
use crate::model::comparison::{Area, SettingChange};
use crate::model::environment::{Flag, FlagState, Flags};

/// A flag in the form in which it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    name: String,
    is_on: bool,
    paths: BTreeSet<String>,
    base_uri: Option<String>,
}

/// The flags that differ. A list names what is set: what a known list does not name is off, as is what somebody set to false. Where
/// one list is unknown, every flag of the other is known on one side alone.
pub(super) fn changes(a: Option<&Flags>, b: Option<&Flags>) -> Vec<SettingChange> {
    if let (Some(known), None) | (None, Some(known)) = (a, b)
        && known.flags.is_empty()
    {
        let none = |list: Option<&Flags>| list.map(|_| "none");
        return change::of_shown(Area::Flags, "flags", none(a), none(b), |_, _| true).into_iter().collect();
    }
    let (by_a, by_b) = (a.map(by_name).unwrap_or_default(), b.map(by_name).unwrap_or_default());
    let names: BTreeSet<&String> = by_a.keys().chain(by_b.keys()).collect();
    let of = |list: Option<&Flags>, flag: Option<&Known>| list.map(|_| flag.map_or_else(|| "off".to_owned(), Known::shown));
    let change = |name: &String| {
        let (flag_a, flag_b) = (by_a.get(name), by_b.get(name));
        let key = [flag_a, flag_b].into_iter().flatten().map(|flag| flag.name.as_str()).min()?;
        let are_alike = |a: &str, b: &str| a == b || flag_a.zip(flag_b).is_some_and(|(a, b)| a.is_alike(b));
        change::of_shown(Area::Flags, key, of(a, flag_a).as_deref(), of(b, flag_b).as_deref(), are_alike)
    };
    names.into_iter().filter_map(change).collect()
}

fn by_name(list: &Flags) -> BTreeMap<String, Known> {
    list.flags.iter().map(|flag| (writing::name(&flag.name), Known::of(flag))).collect()
}

impl Known {
    fn of(flag: &Flag) -> Self {
        Self {
            name: writing::unescaped(&flag.name),
            is_on: flag.state == FlagState::On,
            paths: flag.paths.iter().map(|path| writing::unescaped(path)).collect(),
            base_uri: flag.base_uri.clone().filter(|uri| !uri.is_empty()),
        }
    }

    /// Whether both are off, or on for the same; an address that one side does not tell is no other one.
    fn is_alike(&self, other: &Self) -> bool {
        let leads_elsewhere = self.base_uri.as_ref().zip(other.base_uri.as_ref()).is_some_and(|(a, b)| a != b);
        self.is_on == other.is_on && (!self.is_on || (self.paths == other.paths && !leads_elsewhere))
    }

    fn shown(&self) -> String {
        if !self.is_on {
            return "off".to_owned();
        }
        let paths: Vec<&str> = self.paths.iter().map(String::as_str).collect();
        let of = if paths.is_empty() { String::new() } else { format!(" for {}", paths.join(", ")) };
        let at = self.base_uri.as_ref().map(|uri| format!(" at {uri}")).unwrap_or_default();
        format!("on{of}{at}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(flags: &[Flag]) -> Flags {
        Flags { flags: flags.to_vec(), captured: None }
    }

    fn told(a: Option<&Flags>, b: Option<&Flags>) -> Vec<String> {
        let value = |value: Option<String>| value.unwrap_or_else(|| "null".to_owned());
        changes(a, b).into_iter().map(|change| format!("{} {} -> {}", change.key, value(change.a), value(change.b))).collect()
    }

    fn on(name: &str) -> Flag {
        Flag::new(name, FlagState::On)
    }

    #[test]
    fn a_flag_that_was_switched_is_told_and_ways_to_be_off_are_not() {
        let a =
            list(&[Flag::new("tokenExchange", FlagState::ExplicitlyOff), on("loginDefaultOrg"), Flag::new("v2", FlagState::Off)]);
        let b = list(&[on("loginDefaultOrg"), on("tokenExchange"), Flag::new("v2", FlagState::ExplicitlyOff)]);
        assert_eq!(told(Some(&a), Some(&b)), ["tokenExchange off -> on"]);
        let key = |state| list(&[Flag::new("webKey", state)]);
        assert_eq!(told(Some(&key(FlagState::On)), Some(&key(FlagState::Off))), ["webKey on -> off"]);
        // A list that does not name it has not set it.
        let without = list(&[on("loginDefaultOrg")]);
        assert_eq!(told(Some(&without), Some(&b)), ["tokenExchange off -> on"]);
        assert_eq!(told(Some(&list(&[])), Some(&without)), ["loginDefaultOrg off -> on"]);
    }

    #[test]
    fn what_a_flag_is_on_for_is_a_set() {
        let of =
            |paths: &[&str]| list(&[Flag { paths: paths.iter().map(|path| (*path).to_owned()).collect(), ..on("improved") }]);
        assert_eq!(told(Some(&of(&["B", "A\\_A"])), Some(&of(&["A_A", "B"]))), [""; 0]);
        assert_eq!(told(Some(&of(&["B", "A"])), Some(&of(&["A"]))), ["improved on for A, B -> on for A"]);
        assert_eq!(told(Some(&of(&[])), Some(&of(&["A"]))), ["improved on -> on for A"]);
    }

    #[test]
    fn another_address_is_told_and_one_that_nobody_told_is_not() {
        let at = |uri: Option<&str>| list(&[Flag { base_uri: uri.map(str::to_owned), ..on("loginV2") }]);
        assert_eq!(
            told(Some(&at(Some("https://a"))), Some(&at(Some("https://b")))),
            ["loginV2 on at https://a -> on at https://b"]
        );
        assert_eq!(told(Some(&at(None)), Some(&at(Some("https://b")))), [""; 0]);
    }

    #[test]
    fn an_unknown_list_is_never_equal() {
        let known = list(&[on("x"), Flag::new("y", FlagState::Off)]);
        assert_eq!(told(None, Some(&known)), ["x null -> on", "y null -> off"]);
        assert_eq!(told(Some(&list(&[])), None), ["flags none -> null"]);
        assert_eq!(told(None, None), [""; 0]);
    }
}
