//! Names of settings that hold secrets.

/// Ends of a setting's last word that say it is a secret.
const ENDS: [&str; 6] = ["password", "passwd", "passphrase", "secret", "token", "masterkey"];

/// Last words that say so.
const WORDS: [&str; 12] = [
    "pwd",
    "key",
    "apikey",
    "privatekey",
    "secretkey",
    "accesskey",
    "encryptionkey",
    "signingkey",
    "dsn",
    "credential",
    "credentials",
    "sasl",
];

/// Whether a setting of this name holds a secret: its value is not kept, whatever it is. The name is dotted
/// (`Database.Postgres.User.Password`) or in upper case (`ZITADEL_MASTERKEY`); its last word decides: `keyType` and `MaxKeys` hold
/// none, and neither does a public key.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| !c.is_alphabetic());
    let whole: String = name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let last = last_word(name).to_lowercase();
    let is_known = WORDS.contains(&last.as_str()) || ENDS.iter().any(|end| last.ends_with(end)) || whole.ends_with("keydata");
    is_known && !whole.ends_with("publickey")
}

/// The last word of a name: `Password` of `User.initialPassword`, `KEY` of `MASTER_KEY`, `DSN` of `dbDSN`.
fn last_word(name: &str) -> &str {
    let name = name.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or(name);
    let mut start = name.len();
    let mut letters = name.char_indices().rev().peekable();
    while let Some((at, c)) = letters.next() {
        start = at;
        let is_begin = letters.peek().is_some_and(|(_, before)| c.is_uppercase() && before.is_lowercase());
        // In `APIKey` the last capital with a small letter behind it begins the word.
        let is_after_capitals = c.is_uppercase() && name[at + c.len_utf8()..].starts_with(char::is_lowercase);
        if is_begin || is_after_capitals {
            break;
        }
    }
    &name[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_a_name_decides() {
        for name in [
            "Database.Postgres.User.Password",
            "ZITADEL_DATABASE_POSTGRES_USER_PASSWORD",
            "PGPASSWORD",
            "ZITADEL_MASTERKEY",
            "Machine.MasterKey",
            "SMTP.Password",
            "clientSecret",
            "client_secret",
            "Tracing.APIKey",
            "apikey",
            "x-api-key",
            "PrivateKey",
            "Cache.Redis.Key",
            "ZITADEL_DATABASE_POSTGRES_DSN",
            "dbDSN",
            "GOOGLE_CREDENTIALS",
            "kafka.sasl",
            "Passphrase",
            "access_token",
            "AccessToken",
            "db.pwd",
            "Users[0].Password",
            "Password[0]",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn other_names_hold_none() {
        for name in [
            "keyType",
            "MaxKeys",
            "EncryptionKeyID",
            "PasswordHasher.Cost",
            "TokenLifetime",
            "Database.Postgres.MaxOpenConns",
            "PublicKey",
            "public_key",
            "monkey",
            "SecretGenerators.Length",
            "MaxTokens",
            "DSNs",
            "",
            "...",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
