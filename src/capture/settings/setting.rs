//! A setting as a record keeps it: its key in the known spelling, its value as written, or stars where that is a secret.

use super::known;
use crate::model::environment::Setting;
use crate::secrets;

/// What stands in place of a secret.
const MASK: &str = "***";

/// A setting by the name it was given: a dotted key, or a variable of the environment. The second says whether the value was masked.
pub(in crate::capture) fn setting(name: &str, value: &str) -> (Setting, bool) {
    let known = known::of_variable(name).or_else(|| known::of_key(name));
    let key = known.map_or(name, |known| known.key.as_str());
    // What is known is known better than its name tells: the cost of a password's hash is no password.
    let named = known.map_or_else(|| secrets::is_secret_name(name), |known| known.secret);
    let secret = named || secrets::masked(value) != value;
    let mut setting = Setting::new(key, if secret { MASK } else { value });
    if !secret {
        setting.default = known.and_then(|known| known.default.clone());
    }
    (setting, secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_kept_as_written_beside_its_default() {
        let (pool, masked) = setting("ZITADEL_DATABASE_POSTGRES_MAXOPENCONNS", "6");
        assert_eq!(
            (pool.key.as_str(), pool.value.as_str(), pool.deviates()),
            ("Database.postgres.MaxOpenConns", "6", Some(true))
        );
        assert!(!masked);
        let (own, _) = setting("ZITADEL_OF_OUR_OWN", " x ");
        assert_eq!((own.key.as_str(), own.value.as_str(), own.deviates()), ("ZITADEL_OF_OUR_OWN", " x ", None));
    }

    #[test]
    fn a_secret_is_kept_as_stars() {
        for name in ["ZITADEL_MASTERKEY", "Database.postgres.User.Password", "ZITADEL_DATABASE_POSTGRES_ADMIN_PASSWORD"] {
            let (secret, masked) = setting(name, "hunter2");
            assert!(masked && secret.value == "***" && secret.default.is_none(), "{name}");
        }
    }
}
