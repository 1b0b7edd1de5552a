//! One setting of two sides: whether it differs, and how it is told without telling a secret.

use super::quantity::{Sizes, are_alike};
use crate::model::comparison::{Area, SettingChange};
use crate::secrets::{is_secret_name, masked};

/// What is told of a value that was masked when it was captured.
const MASKED: &str = "masked";

/// What is told of a value that looks like a secret, or that the other side holds for one.
const NOT_SHOWN: &str = "not shown";

/// A setting that differs; `None` where it does not, or where both sides are unknown. Values are compared as what they are numbers of.
pub(super) fn of_values(area: Area, key: &str, a: Option<&str>, b: Option<&str>, sizes: Sizes) -> Option<SettingChange> {
    told(area, key, (a, b), is_secret_name(key), |a, b| are_alike(a, b, sizes))
}

/// The same, where the caller knows what is alike and the words are its own: a flag that is called `webKey` is on or off, and no
/// secret.
pub(super) fn of_shown(
    area: Area,
    key: &str,
    a: Option<&str>,
    b: Option<&str>,
    are_alike: impl Fn(&str, &str) -> bool,
) -> Option<SettingChange> {
    told(area, key, (a, b), false, are_alike)
}

/// Two masked values may be alike or not: that is no difference.
fn told(
    area: Area,
    key: &str,
    (a, b): (Option<&str>, Option<&str>),
    is_secret: bool,
    are_alike: impl Fn(&str, &str) -> bool,
) -> Option<SettingChange> {
    let alone = |value: Option<&str>| value.map(|value| shown(value, is_secret));
    let change = |a: Option<String>, b: Option<String>| Some(SettingChange { area, key: masked(key).into_owned(), a, b });
    let (Some(a), Some(b)) = (a, b) else {
        return if a.is_none() && b.is_none() { None } else { change(alone(a), alone(b)) };
    };
    match (is_masked(a), is_masked(b)) {
        (true, true) => None,
        (false, false) if are_alike(a, b) => None,
        (false, false) => change(alone(Some(a)), alone(Some(b))),
        (true, false) => change(Some(MASKED.to_owned()), Some(NOT_SHOWN.to_owned())),
        (false, true) => change(Some(NOT_SHOWN.to_owned()), Some(MASKED.to_owned())),
    }
}

/// A value as it may be shown.
fn shown(value: &str, is_secret: bool) -> String {
    let shown = masked(value);
    match () {
        () if is_masked(value) => MASKED.to_owned(),
        () if is_secret || (shown != value && is_masked(&shown)) => NOT_SHOWN.to_owned(),
        () => shown.into_owned(),
    }
}

/// Whether nothing is left of what was there.
fn is_masked(value: &str) -> bool {
    let value = value.trim();
    !value.is_empty() && value.chars().all(|sign| sign == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(key: &str, a: Option<&str>, b: Option<&str>) -> String {
        let value = |value: Option<String>| value.unwrap_or_else(|| "null".to_owned());
        let change = of_values(Area::Service, key, a, b, Sizes::Told);
        change.map_or_else(|| "alike".to_owned(), |change| format!("{} -> {}", value(change.a), value(change.b)))
    }

    #[test]
    fn a_value_is_told_where_it_differs() {
        assert_eq!(line("iterations", Some("32000"), Some("34500")), "32000 -> 34500");
        assert_eq!(line("memory", Some("6 Gi"), Some("6144 MiB")), "alike");
        assert_eq!(line("memory", None, None), "alike");
        assert_eq!(line("memory", None, Some("6 Gi")), "null -> 6 Gi");
    }

    #[test]
    fn masked_values_are_told_only_where_one_side_is_not_and_no_secret_is() {
        assert_eq!(line("database.password", Some("***"), Some("***")), "alike");
        assert_eq!(line("database.password", Some("***"), Some("hunter2")), "masked -> not shown");
        assert_eq!(line("database.password", Some("hunter2"), Some("***")), "not shown -> masked");
        assert_eq!(line("database.password", Some("hunter2"), Some("hunter3")), "not shown -> not shown");
        assert_eq!(line("database.password", Some("hunter2"), Some("hunter2")), "alike");
        assert_eq!(line("database.password", None, Some("***")), "null -> masked");
        assert_eq!(line("some.thing", Some("***"), Some("hunter2")), "masked -> not shown");
        assert_eq!(line("token.seed", Some("sk-proj-0123456789abcdefghij"), Some("none")), "not shown -> none");
        assert_eq!(
            line("url", Some("postgres://u:pw12345@a/b"), Some("postgres://u@a/b")),
            "postgres://u:***@a/b -> postgres://u@a/b"
        );
    }
}
