//! Groups of settings by the keys in which they are compared.

use std::collections::BTreeMap;

use super::change;
use super::quantity::{Sizes, are_alike};
use crate::diff::writing;
use crate::model::comparison::{Area, SettingChange};
use crate::model::environment::{Setting, SettingGroup};

/// Groups of which the name tells where the settings were read, not what they are settings of.
const READ_FROM: [&str; 2] = ["postgresql", "flags"];

/// A setting of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    key: String,
    value: String,
    is_by_default: bool,
}

/// The settings that differ or are known on one side alone. Of the latter those that are as nobody set them are left out: a list
/// that does not name a setting says of it no more than that.
pub(super) fn changes(area: Area, a: &[SettingGroup], b: &[SettingGroup]) -> Vec<SettingChange> {
    let sizes = if area == Area::Database { Sizes::Binary } else { Sizes::Told };
    let (a, mut b) = (by_key(a, sizes), by_key(b, sizes));
    let both = a.into_iter().map(|(key, entry)| (b.remove(&key), entry)).map(|(b, a)| (Some(a), b)).collect::<Vec<_>>();
    let all = both.into_iter().chain(b.into_values().map(|b| (None, Some(b))));
    all.filter_map(|(a, b)| change(area, a.as_ref(), b.as_ref(), sizes)).collect()
}

fn change(area: Area, a: Option<&Entry>, b: Option<&Entry>, sizes: Sizes) -> Option<SettingChange> {
    let is_told = |one: &Entry| !one.is_by_default;
    let key = match (a, b) {
        // One of two spellings, the same whichever side comes first.
        (Some(a), Some(b)) => (&a.key).min(&b.key),
        (Some(one), None) | (None, Some(one)) if is_told(one) => &one.key,
        _ => return None,
    };
    let value = |one: Option<&Entry>| one.map(|one| one.value.clone());
    change::of_values(area, key, value(a).as_deref(), value(b).as_deref(), sizes)
}

/// The settings of all groups. What stands several times with different values has them all.
fn by_key(groups: &[SettingGroup], sizes: Sizes) -> BTreeMap<String, Entry> {
    let mut known: BTreeMap<String, (Entry, Vec<String>)> = BTreeMap::new();
    for entry in groups.iter().flat_map(|group| group.entries.iter().map(|setting| entry(group, setting))) {
        let (same, values) = known.entry(writing::name(&entry.key)).or_insert_with(|| (entry.clone(), Vec::new()));
        same.is_by_default &= entry.is_by_default;
        if !values.iter().any(|value| are_alike(value, &entry.value, sizes)) {
            values.push(entry.value);
        }
    }
    known.into_iter().map(|(key, (entry, values))| (key, Entry { value: values.join(", "), ..entry })).collect()
}

fn entry(group: &SettingGroup, setting: &Setting) -> Entry {
    let (around, own) = (writing::unescaped(&group.name), writing::unescaped(&setting.key));
    let is_whole = around.is_empty() || READ_FROM.contains(&around.to_lowercase().as_str());
    let key = match (is_whole, own.is_empty()) {
        (true, _) => own,
        (false, true) => around,
        (false, false) => format!("{around}.{own}"),
    };
    let value = writing::unescaped(&setting.value);
    // A setting that is a bare word is on.
    let value = if value.is_empty() { "on".to_owned() } else { value };
    Entry { key, value, is_by_default: setting.deviates() == Some(false) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::environment::SettingLayout;

    fn group(name: &str, entries: &[(&str, &str, Option<&str>)]) -> SettingGroup {
        let entry = |(key, value, default): &(&str, &str, Option<&str>)| Setting {
            default: default.map(str::to_owned),
            ..Setting::new(*key, *value)
        };
        SettingGroup { name: name.to_owned(), layout: SettingLayout::List, entries: entries.iter().map(entry).collect() }
    }

    fn told(area: Area, a: &[SettingGroup], b: &[SettingGroup]) -> Vec<String> {
        let line = |change: SettingChange| {
            let value = |value: Option<String>| value.unwrap_or_else(|| "null".to_owned());
            format!("{} {} -> {}", change.key, value(change.a), value(change.b))
        };
        changes(area, a, b).into_iter().map(line).collect()
    }

    #[test]
    fn a_page_and_a_capture_name_one_setting_alike() {
        let page = group("auto_explain", &[("log\\_analyze", "", None), ("log_min_duration", "10 ms", None)]);
        let captured =
            group("PostgreSQL", &[("auto_explain.log_analyze", "on", None), ("auto_explain.log_min_duration", "10ms", None)]);
        assert_eq!(told(Area::Database, &[page], &[captured]), [""; 0]);
    }

    #[test]
    fn what_one_side_alone_knows_is_told_unless_it_is_as_nobody_set_it() {
        let known = group("PostgreSQL", &[("jit", "on", Some("on")), ("max_wal_size", "4GB", Some("1GB")), ("odd", "1", None)]);
        assert_eq!(told(Area::Database, std::slice::from_ref(&known), &[]), ["max_wal_size 4GB -> null", "odd 1 -> null"]);
        let other = group("PostgreSQL", &[("jit", "off", Some("on")), ("max_wal_size", "4096MB", Some("1GB"))]);
        assert_eq!(told(Area::Database, &[known], &[other]), ["jit on -> off", "odd 1 -> null"]);
    }

    #[test]
    fn groups_keep_settings_of_one_name_apart() {
        let a = [group("Pool", &[("Max", "6", None)]), group("Cache", &[("Max", "7", None)])];
        let b = [group("Cache", &[("Max", "7", None)]), group("Pool", &[("Max", "8", None)])];
        assert_eq!(told(Area::Service, &a, &b), ["Pool.Max 6 -> 8"]);
        let twice = [group("Pool", &[("Max", "6", None), ("Max", "8", None), ("Max", "8", None)])];
        assert_eq!(told(Area::Service, &twice, &b[1..]), ["Pool.Max 6, 8 -> 8"]);
    }
}
