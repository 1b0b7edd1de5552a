//! Settings that are known by name (`known.toml` beside this file): how they are spelt, their defaults, which are secrets.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::diagnostic::Faults;
use crate::handwritten::{Document, check_schema};
use crate::source::Source;

/// What is known of a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// Its dotted key as ZITADEL spells it.
    pub(super) key: String,
    /// The value it has where nobody sets it.
    pub(super) default: Option<String>,
    /// Whether its value is a secret.
    pub(super) secret: bool,
}

/// The known settings by the variable of the environment that sets them.
static KNOWN: LazyLock<BTreeMap<String, Known>> = LazyLock::new(|| {
    // A test reads them.
    read().unwrap_or_else(|faults| unreachable!("the list of known settings has faults: {faults}"))
});

/// The setting of a dotted key, spelt exactly so.
pub(super) fn of_key(key: &str) -> Option<&'static Known> {
    of_variable(&variable(key)).filter(|known| known.key == key)
}

/// The setting of a variable, `ZITADEL_DATABASE_POSTGRES_MAXOPENCONNS`.
pub(super) fn of_variable(name: &str) -> Option<&'static Known> {
    KNOWN.get(name)
}

/// Whether a key begins a group of known settings: `Database`.
pub(super) fn is_group(name: &str) -> bool {
    KNOWN.values().any(|known| known.key.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

/// The variable that sets a key.
fn variable(key: &str) -> String {
    format!("ZITADEL_{}", key.replace('.', "_").to_uppercase())
}

fn read() -> Result<BTreeMap<String, Known>, Faults> {
    let source = Source::new("known.toml", include_str!("known.toml"));
    let document = Document::parse(&source);
    let form = document.form();
    check_schema(&form, 1);
    let mut known = BTreeMap::new();
    let mut add = |entry: Known| known.insert(variable(&entry.key), entry);
    for entry in form.table("default").map(|table| table.entries()).unwrap_or_default() {
        add(Known { key: entry.key.value.clone(), default: entry.text().map(|text| text.value), secret: false });
    }
    for (table, secret) in [("spelling", false), ("secret", true)] {
        let keys = form.table(table).map(|table| table.texts("keys")).unwrap_or_default();
        for key in keys {
            add(Known { key: key.value, default: None, secret });
        }
    }
    form.close();
    document.finish()?;
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_whole_and_no_key_stands_twice() {
        let known = read().unwrap_or_else(|e| unreachable!("{e}"));
        let lines = include_str!("known.toml").lines().filter(|line| line.trim_start().starts_with('"')).count();
        assert_eq!(known.len(), lines);
    }

    #[test]
    fn a_variable_has_the_spelling_of_its_key() {
        let known = of_variable("ZITADEL_DATABASE_POSTGRES_MAXOPENCONNS").unwrap_or_else(|| unreachable!());
        assert_eq!((known.key.as_str(), known.default.as_deref()), ("Database.postgres.MaxOpenConns", Some("10")));
        assert!(of_variable("ZITADEL_NOT_KNOWN").is_none());
        assert!(of_key("log.level").is_none() && of_key("Log.Level").is_some());
        assert!(is_group("Database") && is_group("Database.postgres") && !is_group("Port") && !is_group("database"));
    }
}
