use proptest::prelude::*;

use super::*;

/// Texts and what is left of them. The secrets are invented.
const CASES: &[(&str, &str)] = &[
    ("a eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2lnbmF0dXJl b", "a *** b"),
    ("a eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0", "a ***"),
    ("Authorization: Bearer abcdefgh", "Authorization: Bearer ***"),
    ("{\"Authorization\":\"Basic dXNlcjpwYXNz\"}", "{\"Authorization\":\"Basic ***\"}"),
    ("sent Bearer x9-secret_value.", "sent Bearer ***"),
    ("host=db user=zitadel password=hunter22 sslmode=disable", "host=db user=zitadel password=*** sslmode=disable"),
    ("host=db password='with a blank' user=a", "host=db password='***' user=a"),
    ("https://h/p?a=b&access_token=abcd1234&c=d", "https://h/p?a=b&access_token=***&c=d"),
    ("{\"client_secret\": \"s3cr3t\", \"n\": 1}", "{\"client_secret\": \"***\", \"n\": 1}"),
    ("{\"body\":\"{\\\"password\\\":\\\"s3cr3t\\\",\\\"n\\\":1}\"}", "{\"body\":\"{\\\"password\\\":\\\"***\\\",\\\"n\\\":1}\"}"),
    ("password: hunter\nuser: a", "password: ***\nuser: a"),
    ("  Password: \"hun\\\"ter\" # it is so", "  Password: \"***\" # it is so"),
    ("Pwd=a,b;cdef;Database=x", "Pwd=***;Database=x"),
    ("ZITADEL_MASTERKEY=MasterkeyNeedsToHave32Characters", "ZITADEL_MASTERKEY=***"),
    ("x-api-key: 0123456789", "x-api-key: ***"),
    ("password: hunter user: a", "password: *** user: a"),
    ("password: 12345678 was refused", "password: *** was refused"),
    ("(token=abcd1234)", "(token=***)"),
    ("postgres://user:p@ss/w@host:5432/db", "postgres://user:***@host:5432/db"),
    ("redis://:pass@host", "redis://:***@host"),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nb",
        "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----\nb",
    ),
    ("-----BEGIN PRIVATE KEY-----\\nMIIE", "-----BEGIN PRIVATE KEY-----***"),
    ("AIzaSyA1234567890123456789012345678901 b", "*** b"),
    ("a ghp_0123456789abcdefABCD, github_pat_11ABCDEFG0123456789", "a ***, ***"),
    ("glpat-abcdefghij0123456789 xoxb-123456789-abc AKIAIOSFODNN7EXAMPLE", "*** *** ***"),
    ("sk-proj-0123456789abcdefghij", "***"),
];

#[test]
fn secrets_are_masked_and_nothing_else() {
    for (text, wanted) in CASES {
        assert_eq!(masked(text), *wanted);
        assert_eq!(masked(wanted), *wanted, "masked twice");
        let alike = masked_alike(text);
        assert_eq!(alike.chars().count(), text.chars().count());
        assert_eq!(alike.lines().count(), text.lines().count());
        assert_eq!(masked_alike(&alike), alike);
    }
}

#[test]
fn texts_without_a_secret_come_back_as_they_are() {
    for text in [
        "",
        "the password is wrong",
        "token: issued by the server for a user",
        "password=",
        "password=***",
        "password: true, secret: null",
        "permissions: id-token: write, token: read",
        "\"token\": \"<token>\"",
        "password=$PGPASSWORD token=${TOKEN} secret={{ secret }}",
        "Basic authentication, bearer tokens, Bearer token.",
        "http://localhost:8080/users/a@b.c",
        "http://localhost:8080",
        "token_type=bearer token_endpoint=https://h/token",
        "insert into t (a) values (?) on conflict do update set password = excluded.password",
        "::login::token::userinfo, secret::text",
        "where token = ? and secret = $1",
        "task-runner-with-a-long-name-0123456789",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
    ] {
        assert_eq!(masked(text), text);
        assert!(matches!(masked(text), Cow::Borrowed(_)));
        assert_eq!(masked_alike(text), text);
    }
}

#[test]
fn a_mask_alike_keeps_lines_and_columns() {
    let text = "a: 1\nkey: -----BEGIN PRIVATE KEY-----\nMIIé\nabc\n-----END PRIVATE KEY-----\npassword: \"pässwörd\" # b";
    let wanted = "a: 1\nkey: -----BEGIN PRIVATE KEY-----\n****\n***\n-----END PRIVATE KEY-----\npassword: \"********\" # b";
    assert_eq!(masked_alike(text), wanted);
}

fn piece() -> impl Strategy<Value = String> {
    let words: Vec<&str> = CASES.iter().map(|(text, _)| *text).collect();
    let signs = vec![
        "password",
        "token",
        "secret",
        "=",
        ":",
        " ",
        "\"",
        "'",
        "\\",
        "\n",
        "&",
        ",",
        ";",
        "***",
        "*",
        "abcd1234",
        "://",
        "@",
        "u:",
        "Bearer ",
        "sk-",
        "eyJ",
        ".",
        "-----BEGIN PRIVATE KEY-----",
        "-----END",
        "#",
        "}",
        "<",
        "{{",
        "ghp_",
        "é",
    ];
    prop_oneof![1 => proptest::sample::select(words), 4 => proptest::sample::select(signs)].prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn masking_twice_is_masking_once(pieces in proptest::collection::vec(piece(), 0..12)) {
        let text = pieces.concat();
        let once = masked(&text).into_owned();
        prop_assert_eq!(masked(&once), once.as_str());
        let alike = masked_alike(&text).into_owned();
        prop_assert_eq!(masked_alike(&alike), alike.as_str());
        prop_assert_eq!(alike.chars().count(), text.chars().count());
        prop_assert_eq!(alike.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn any_password_is_gone_from_where_passwords_are(secret in "[A-Za-z0-9!#%+.~-]{8,30}") {
        let secret = format!("Qz{secret}");
        for text in [
            format!("password={secret}"),
            format!("host=a password='{secret}' user=b"),
            format!("{{\"password\":\"{secret}\",\"a\":1}}"),
            format!("password: {secret}"),
            format!("https://h/?token={secret}&a=b"),
            format!("postgres://user:{secret}@host/db"),
            format!("Authorization: Bearer Qz{}", secret.replace(['!', '#', '%'], "")),
        ] {
            let masked = masked(&text);
            prop_assert!(!masked.contains(&secret[..8]), "{}: {}", text, masked);
        }
    }
}
