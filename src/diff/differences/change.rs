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
    of_shown(area, key, a, b, |a, b| are_alike(a, b, sizes))
}

/// The same, where the caller knows what is alike. Two masked values may be alike or not: that is no difference.
pub(super) fn of_shown(
    area: Area,
    key: &str,
    a: Option<&str>,
    b: Option<&str>,
    are_alike: impl Fn(&str, &str) -> bool,
) -> Option<SettingChange> {
    let change = |a: Option<String>, b: Option<String>| Some(SettingChange { area, key: masked(key).into_owned(), a, b });
    let (Some(a), Some(b)) = (a, b) else {
        return if a.is_none() && b.is_none() { None } else { change(alone(key, a), alone(key, b)) };
    };
    match (is_masked(a), is_masked(b)) {
        (true, true) => None,
        (false, false) if are_alike(a, b) => None,
        (false, false) => change(alone(key, Some(a)), alone(key, Some(b))),
        (true, false) => change(Some(MASKED.to_owned()), Some(NOT_SHOWN.to_owned())),
        (false, true) => change(Some(NOT_SHOWN.to_owned()), Some(MASKED.to_owned())),
    }
}

/// A value as it may be shown.
fn alone(key: &str, value: Option<&str>) -> Option<String> {
    let value = value?;
    let shown = masked(value);
    Some(match () {
        () if is_masked(value) => MASKED.to_owned(),
        () if is_secret_name(key) || (shown != value && is_masked(&shown)) => NOT_SHOWN.to_owned(),
        () => shown.into_owned(),
    })
}

/// Whether nothing is left of what was there.
fn is_masked(value: &str) -> bool {
    let value = value.trim();
    !value.is_empty() && value.chars().all(|sign| sign == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(key: &str, a: Option<&str>, b: Option<&str>) -> Option<(Option<String>, Option<String>)> {
        of_values(Area::Service, key, a, b, Sizes::Told).map(|change| (change.a, change.b))
    }

    fn shown(a: &str, b: &str) -> Option<(Option<String>, Option<String>)> {
        Some((Some(a.to_owned()), Some(b.to_owned())))
    }

    #[test]
    fn a_value_is_told_where_it_differs() {
        assert_eq!(told("iterations", Some("32000"), Some("34500")), shown("32000", "34500"));
        assert_eq!(told("memory", Some("6 Gi"), Some("6144 MiB")), None);
        assert_eq!(told("memory", None, None), None);
        assert_eq!(told("memory", None, Some("6 Gi")), Some((None, Some("6 Gi".to_owned()))));
    }

    #[test]
    fn masked_values_are_told_only_where_one_side_is_not_and_no_secret_is() {
        assert_eq!(told("database.password", Some("***"), Some("***")), None);
        assert_eq!(told("database.password", Some("***"), Some("hunter2")), shown("masked", "not shown"));
        assert_eq!(told("database.password", Some("hunter2"), Some("***")), shown("not shown", "masked"));
        assert_eq!(told("database.password", Some("hunter2"), Some("hunter3")), shown("not shown", "not shown"));
        assert_eq!(told("database.password", Some("hunter2"), Some("hunter2")), None);
        assert_eq!(told("database.password", None, Some("***")), Some((None, Some("masked".to_owned()))));
        assert_eq!(told("some.thing", Some("***"), Some("hunter2")), shown("masked", "not shown"));
        assert_eq!(told("token.seed", Some("sk-proj-0123456789abcdefghij"), Some("none")), shown("not shown", "none"));
        assert_eq!(
            told("url", Some("postgres://u:pw12345@a/b"), Some("postgres://u@a/b")),
            shown("postgres://u:***@a/b", "postgres://u@a/b")
        );
    }
}
