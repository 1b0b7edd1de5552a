//! Secrets that are known by their own shape, whatever stands before them.
//!
//! A shape is looked for only where one of its beginnings stands, and from there on by a pattern that begins at it. So a text is
//! gone through once, for all beginnings together, and long texts without a secret cost no more than that.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{Found, blocks, urls};

/// What stands between a header's name and its value: in a header, in JSON, in JSON inside a text, in a list of one.
macro_rules! between {
    () => {
        r"\\*[\x22'`]?\s*(?:[:=]|,|%3A)\s*\[?\s*\\*[\x22'`]?\s*"
    };
}
/// The body of a key in PEM: no quote stands in it, so that one without an end takes no other text with it.
macro_rules! body {
    () => {
        r"((?:[^\x22'`<>{}-]|-[^-\x22'`<>{}])*?)(?:--|-?[\x22'`<>{}]|-?\z)"
    };
}
/// How a kind of secret is found.
pub(super) struct Shape {
    /// The kind.
    kind: &'static str,
    /// What it begins with, in small letters.
    pub(super) begins: &'static [&'static str],
    how: How,
}

enum How {
    /// A pattern from the beginning on, whose first group is the secret, if the test says so.
    Pattern(&'static str, Test),
    /// The same; the beginning is one of a word.
    Word(&'static str, Test),
    /// What no pattern can tell: where the secrets are, of a beginning at this place.
    Code(fn(&str, usize) -> Vec<Range<usize>>),
}

/// Whether what a pattern caught is a secret.
type Test = fn(&str) -> bool;

/// How much of a text a pattern sees, in bytes: a secret that begins here is shorter, or goes on to the end of this part.
const REACH: usize = 1 << 14;

use How::{Code, Pattern, Word};

const fn shape(kind: &'static str, begins: &'static [&'static str], how: How) -> Shape {
    Shape { kind, begins, how }
}

/// The shapes. Prefixes are those that services document for their own scanners; lengths are the least of them or less, since texts are
/// cut.
pub(super) const SHAPES: &[Shape] = &[
    shape("setup-data", &["setup_data"], Code(blocks::setup_data)),
    shape("config-script", &["\"script\""], Code(blocks::config_script)),
    shape("script-env", &["\"env\""], Code(blocks::script_env)),
    shape(
        "ssh-private-key",
        &["-----begin openssh"],
        Pattern(concat!("^-----BEGIN OPENSSH PRIVATE KEY-----", body!()), has_more),
    ),
    shape("ssh-private-key", &["private-lines:"], Pattern(r"^Private-Lines: *\d+\s+([A-Za-z0-9+/=\s]+)", has_more)),
    shape("pgp-private-key", &["-----begin pgp"], Pattern(concat!("^-----BEGIN PGP PRIVATE KEY BLOCK-----", body!()), has_more)),
    shape(
        "service-account-key",
        &["private_key\""],
        Pattern(concat!("^private_key\"\\s*:\\s*\"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----", body!()), has_more),
    ),
    shape("pem-private-key", &["-----begin"], Pattern(concat!("^-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----", body!()), has_more)),
    shape("jwk-private-key", &["\"kty\""], Code(blocks::jwk)),
    shape("age-secret-key", &["age-secret-key-1"], Pattern(r"^(?i)(AGE-SECRET-KEY-1[A-Z0-9]{16,})", always)),
    shape("jwt", &["eyj"], Code(urls::signed)),
    shape("google-oauth-token", &["ya29."], Word(r"^(ya29\.[A-Za-z0-9_-]{10,})", always)),
    shape("google-oauth-token", &["1//0"], Word(r"^(1//0[A-Za-z0-9_-]{20,})", has_digit)),
    shape("google-api-key", &["aiza"], Word(r"^(AIza[A-Za-z0-9_-]{20,})", always)),
    shape("google-client-secret", &["gocspx-"], Word(r"^(GOCSPX-[A-Za-z0-9_-]{10,})", always)),
    shape("aws-access-key", &["akia", "asia", "abia", "acca"], Word(r"^((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,})", has_digit)),
    shape("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Word(r"^(gh[pousr]_[A-Za-z0-9]{10,})", always)),
    shape("github-token", &["github_pat_"], Word(r"^(github_pat_[A-Za-z0-9_]{10,})", always)),
    shape(
        "gitlab-token",
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "gloas-", "glsoat-"],
        Word(r"^(gl(?:pat|dt|rt|cbt|ptt|oas|soat)-[A-Za-z0-9_.-]{8,})", always),
    ),
    shape("slack-token", &["xox"], Word(r"^(xox[a-z]-[A-Za-z0-9-]{8,})", has_digit)),
    shape("slack-token", &["xapp-"], Word(r"^(xapp-[A-Za-z0-9-]{8,})", has_digit)),
    shape(
        "webhook-url",
        &["hooks.slack.com/"],
        Pattern(r"^hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/+_-]{8,})", always),
    ),
    shape("webhook-url", &["/api/webhooks/"], Pattern(r"^/api/webhooks/([0-9]{6,}/[A-Za-z0-9_-]{16,})", always)),
    shape(
        "stripe-key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        Word(r"^([sr]k_(?:live|test)_[A-Za-z0-9]{8,})", always),
    ),
    shape("stripe-key", &["whsec_"], Word(r"^(whsec_[A-Za-z0-9+/=]{12,})", always)),
    shape("npm-token", &["npm_"], Word(r"^(npm_[A-Za-z0-9]{20,})", has_digit)),
    shape("npm-token", &["_authtoken"], Pattern(r"^(?i)_authToken\s*=\s*([^\s\x22'<>$]{8,})", always)),
    shape("pypi-token", &["pypi-age"], Word(r"^(pypi-AgE[A-Za-z0-9_-]{12,})", always)),
    shape("huggingface-token", &["hf_"], Word(r"^(hf_[A-Za-z0-9]{20,})", has_capital)),
    shape("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], Word(r"^(do[opr]_v1_[a-f0-9]{16,})", always)),
    shape("twilio-key", &["sk"], Word(r"^(SK[0-9a-f]{32})(?:[^0-9A-Za-z]|$)", always)),
    shape("sendgrid-key", &["sg."], Word(r"^(SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})", always)),
    shape("model-api-key", &["sk-"], Word(r"^(sk-[A-Za-z0-9_-]{16,})", has_digit)),
    shape("vault-token", &["hvs.", "hvb.", "hvr."], Word(r"^(hv[sbr]\.[A-Za-z0-9_-]{20,})", always)),
    shape("docker-auth", &["\"auth\""], Pattern(r"^(?i:.auth.)\s*:\s*\x22([A-Za-z0-9+/=_-]{8,})\x22", has_digit_or_capital)),
    shape("docker-auth", &["dckr_pat_"], Word(r"^(dckr_pat_[A-Za-z0-9_-]{10,})", always)),
    shape(
        "set-cookie",
        &["set-cookie"],
        Pattern(concat!("^(?i:set-cookie2?)", between!(), r"[^=;\s\x22'<>]+=([^;,\s\x22'\\<>]{4,})"), always),
    ),
    shape("cookie", &["cookie"], Code(blocks::cookies)),
    shape("cookie", &["\"cookies\""], Code(blocks::cookie_jar)),
    shape(
        "session-cookie",
        &["jsessionid", "phpsessid", "connect.sid", "__host-", "__secure-"],
        Pattern(r"^(?i:jsessionid|phpsessid|connect\.sid|__(?:host|secure)-[a-z0-9._-]+)=([^;,&\s\x22'\\<>]{4,})", always),
    ),
    shape(
        "bearer-token",
        &["authorization"],
        Pattern(concat!("^(?i:authorization)", between!(), r"(?i:bearer)\s+([A-Za-z0-9._~+/=-]{4,})"), always),
    ),
    shape("bearer-token", &["bearer"], Word(r"^(?i:bearer)(?:\s+|%20|\+)([A-Za-z0-9._~+/=-]{4,})", is_no_word)),
    shape(
        "basic-auth-header",
        &["authorization"],
        Pattern(concat!("^(?i:authorization)", between!(), r"(?i:basic)\s+([A-Za-z0-9._~+/=-]{4,})"), always),
    ),
    shape("basic-auth-header", &["basic"], Word(r"^(?i:basic)(?:\s+|%20|\+)([A-Za-z0-9._~+/=-]{4,})", is_no_word)),
    shape(
        "digest-auth-header",
        &["authorization"],
        Pattern(
            concat!(
                "^(?i:authorization)",
                between!(),
                r"(?i:digest)\s+((?:[ \t,]*[A-Za-z-]+\s*=\s*(?:\\*\x22[^\x22\r\n]*\x22|[^\s,;\x22'<>&\\]+))+)"
            ),
            always,
        ),
    ),
    shape(
        "authorization-header",
        &["authorization"],
        Pattern(
            concat!("^(?i:authorization)", between!(), r"(?:[A-Za-z][A-Za-z0-9-]{1,30}\s+)?([A-Za-z0-9._~+/=-]{6,})"),
            has_digit,
        ),
    ),
    shape("dsn", &["://"], Code(urls::of_other_schemes)),
    shape("basic-auth-url", &["://"], Code(urls::of_http)),
    shape("signed-url", &["signature="], Pattern(r"^(?i)signature=([0-9a-f]{32,})", always)),
    shape("sas-signature", &["sig="], Code(urls::shared_access)),
    shape("oauth-grant", &["code=", "?code", "&code"], Code(urls::code)),
    shape(
        "oauth-grant",
        &["code_verifier", "assertion", "samlresponse"],
        Pattern(
            r"^(?i:code_verifier|assertion|samlresponse)\\*[\x22']?\s*(?:=|:|%3D)\s*\\*[\x22']?([A-Za-z0-9._~+/=%-]{16,})",
            always,
        ),
    ),
    shape("kubernetes-secret", &["kind"], Code(blocks::kubernetes)),
    shape("netrc", &["machine"], Word(r"^machine\s+\S+\s+login\s+\S+\s+password\s+([^\s\x22'<>]{4,})", always)),
    shape("pgpass", &[":5432:", ":6432:", ":5433:", ":*:"], Code(urls::pgpass)),
    shape(
        "sql-password",
        &["password", "identified"],
        Word(r"^(?i:password|identified\s+by)\s+(?i:e|u&)?'((?:[^']|'')+)'", |text| !text.is_empty()),
    ),
    shape("password-hash", &["$2"], Pattern(r"^(\$2[abxy]\$\d\d\$[./A-Za-z0-9]{20,})", always)),
    shape(
        "password-hash",
        &["$argon2", "$pbkdf2", "$scrypt$", "$bcrypt"],
        Pattern(r"^(\$(?:argon2|pbkdf2|scrypt|bcrypt)[a-z0-9-]*\$[^\s\x22'<>]{16,})", always),
    ),
    shape("password-hash", &["$5$", "$6$", "$1$", "$y$"], Pattern(r"^(\$[561y]\$[./A-Za-z0-9$=,]{16,})", always)),
    shape("password-hash", &["scram-sha-"], Pattern(r"^(SCRAM-SHA-\d+\$\d+:[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=:]+)", always)),
    // The text of a statement or a setting in JSON: anything may stand in a comment.
    shape(
        "statement-text",
        &["\"querystring\"", "\"query\"", "\"setting\"", "\"boot_val\"", "\"reset_val\""],
        Pattern(r"^\x22\w+\x22\s*:\s*\x22((?:[^\x22\\]|\\.)+)", always),
    ),
];

static PATTERNS: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    let pattern = |shape: &Shape| match shape.how {
        // A test reads them.
        Pattern(pattern, _) | Word(pattern, _) => Regex::new(pattern).ok(),
        Code(_) => None,
    };
    SHAPES.iter().map(pattern).collect()
});

/// The secrets of a shape whose beginning is at a place.
pub(super) fn look(text: &str, at: usize, number: usize, found: &mut Vec<Found>) {
    let shape = &SHAPES[number];
    let is_secret = match shape.how {
        Code(find) => return found.extend(find(text, at).into_iter().map(|span| Found { span, kind: shape.kind })),
        Word(..) if text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-') => return,
        Pattern(_, is_secret) | Word(_, is_secret) => is_secret,
    };
    let Some(pattern) = &PATTERNS[number] else { return };
    let part = &text[at..text.floor_char_boundary(at + REACH)];
    let secret = pattern.captures(part).and_then(|caught| caught.get(1)).filter(|secret| is_secret(secret.as_str()));
    found.extend(secret.map(|secret| Found { span: at + secret.start()..at + secret.end(), kind: shape.kind }));
}

fn always(_: &str) -> bool {
    true
}

fn has_digit(secret: &str) -> bool {
    secret.contains(|c: char| c.is_ascii_digit())
}

fn has_capital(secret: &str) -> bool {
    secret.contains(|c: char| c.is_ascii_uppercase())
}

fn has_digit_or_capital(secret: &str) -> bool {
    has_digit(secret) || has_capital(secret)
}

/// Whether something is between the frames of a key.
fn has_more(body: &str) -> bool {
    body.contains(|c: char| c.is_ascii_alphanumeric())
}

/// Whether what follows `Bearer` is more than a word of a sentence: "bearer token", "Basic authentication/login".
fn is_no_word(value: &str) -> bool {
    let value = value.trim_end_matches(['.', '/', '=', '-']);
    let is_word = |word: &str| {
        let rest = word.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(word);
        rest.chars().all(|c| c.is_ascii_lowercase()) || word.chars().all(|c| c.is_ascii_uppercase())
    };
    value.len() >= 4 && (value.len() > 24 || !value.split(['.', '/', '-', '_', '=']).all(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_are_read() {
        for (shape, pattern) in SHAPES.iter().zip(PATTERNS.iter()) {
            assert!(pattern.is_some() || matches!(shape.how, Code(_)), "{}", shape.kind);
            assert!(super::super::kinds::of(shape.kind).is_some(), "{}", shape.kind);
            assert!(shape.begins.iter().all(|begin| begin.to_lowercase() == **begin), "{:?}", shape.begins);
        }
    }
}
