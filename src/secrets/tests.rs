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

/// Texts that hold a secret in a form that hides it.
const FORMS: &[&str] = &[
    "PASSWORD: Qz7hunter22x",
    "Password = Qz7hunter22x",
    "passwort=Qz7hunter22x",
    "\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}: Qz7hunter22x",
    "\u{ff50}\u{ff41}\u{ff53}\u{ff53}\u{ff57}\u{ff4f}\u{ff52}\u{ff44}=Qz7hunter22x",
    "DB_PASS=Qz7hunter22x",
    "password: |\n  Qz7hunter22x\nuser: a",
    "a:\n  - password: >-\n      Qz7hunter22x\n  - b",
    "\"password\":\n  \"Qz7hunter22x\"",
    "{\"name\": \"ZITADEL_MASTERKEY\", \"value\": \"Qz7hunter22x\"}",
    "- name: DB_PASSWORD\n  value: Qz7hunter22x\n",
    "<password>Qz7hunter22x</password>",
    "<input name=\"token\" value=\"Qz7hunter22x\">",
    "<tr><td>Machine.MasterKey</td><td>Qz7hunter22x</td></tr>",
    "| Machine.MasterKey | `Qz7hunter22x` |",
    "psql --password Qz7hunter22x --host a",
    "--api-key=Qz7hunter22x",
    "next=https%3A%2F%2Fal%3AQz7hunter22x%40svc.example",
    "{\"a\":\"{\\\"b\\\":\\\"{\\\\\\\"token\\\\\\\":\\\\\\\"Qz7hunter22x\\\\\\\"}\\\"}\"}",
    "&quot;password&quot;:&quot;Qz7hunter22x&quot;",
    "pass\u{ad}word=Qz7hunter22x",
    "cookie: a=b; sid=Qz7hunter22x",
    "\"password\": 12345Qz7hunter22x",
    "\"cookies\": {\"sid\": [{\"name\": \"sid\", \"value\": \"Qz7hunter22x\"}]}",
    "kind: Secret\nmetadata:\n  name: a\nstringData:\n  blob: Qz7hunter22x\n",
];

/// What looks like much and is nothing that anybody may not see.
const HARMLESS: &[&str] = &[
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "\"blake3\": \"af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262\"",
    "ghcr.io/zitadel/zitadel@sha256:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
    "123e4567-e89b-12d3-a456-426614174000",
    "resourceOwner 340000000000000001",
    "queryid -8947882752471706823",
    "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "X-Cloud-Trace-Context: 105445aa7843bc8bf206b12000100000/1;o=1",
    "\"private_key_id\": \"0a1b2c3d4e5f60718293a4b5c6d7e8f901234567\"",
    "etag: W/\"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
    "http_req_duration{expected_response:true}",
    "SELECT token, password FROM sessions WHERE user_id = $1 AND secret = ?",
    "iteration_duration p(95)=1.2s, checks_pass: 99.5, password_check: 12.5",
    "| human_password_login | 1906.2it/s |",
    "nextPageToken: \"CAEQAhokZXhhbXBsZQ\"",
    "error_code=1000&code=404",
    "PWD=/home/al/project",
    "public_key: MFkwEwYHKoZIzj0CAQYI",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "integrity=sha512-q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJCrze8SNFZ4kA==",
    "http://[::1]:8080/a@b, user@host:5432/db, git@github.com:a/b.git",
    "set password = excluded.password where token = any($1)",
    "password:\n  minLength: 8\n  hasNumber: true",
    "const token = read(x); let secret = await load()",
    "\"names\": {\n  \"token\": 2032,\n  \"password\": 120934,\n  \"client_secret\": 4096\n}",
    "{\\\"token\\\": 2032}",
];

#[test]
fn a_secret_is_masked_in_every_form() {
    for text in FORMS {
        let masked = masked(text);
        assert!(!masked.contains("Qz7hunt") && !masked.contains("hunter22x"), "{text}: {masked}");
        assert!(!find(text).is_empty(), "{text}");
    }
}

#[test]
fn what_is_no_secret_stays() {
    for text in HARMLESS {
        assert_eq!(masked(text), *text);
        assert_eq!(find(text), []);
    }
}

#[test]
fn the_example_of_a_kind_is_of_that_kind() {
    for kind in KINDS {
        let found = find(kind.example);
        let first = found.first().map(|found| found.kind);
        assert_eq!(first, Some(kind.id).filter(|id| *id != OF_INPUTS), "{}", kind.example);
        assert_ne!(masked(kind.example), kind.example);
    }
}

#[test]
fn a_fingerprint_is_of_the_secret_however_it_is_written() {
    let of = |text: &str| find(text).into_iter().map(|found| found.fingerprint).collect::<Vec<_>>();
    let plain = of("password=Qz7_hunter22");
    assert_eq!(plain.len(), 1);
    for text in
        ["{\"password\": \"Qz7_hunter22\"}", "password=Qz7\\_hunter22", "password%3DQz7%5Fhunter22", "password=Qz7_<wbr>hunter22"]
    {
        assert_eq!(of(text), plain, "{text}");
    }
    assert_ne!(of("password=Qz7_hunter23"), plain);
}

/// Beginnings of secrets without an end, one after another.
const HOSTILE: &[&str] = &[
    "token=",
    "token=;",
    "password:",
    "://a:",
    "://a:b@",
    "eyJ",
    "\"setup_data\":{",
    "\"setup_data\":[\"",
    "kind: Secret\ndata:\n",
    "\"kind\":\"Secret\",\"data\":{",
    "-----BEGIN PRIVATE KEY-----",
    "\"cookies\":{\"value\":\"",
    "\"env\":{\"",
    "\"kty\":{\"d\":\"",
    "\\",
    "&amp;amp;",
    "%25",
    "a:5432:b:c:",
    "<td>password</td><td>",
    "authorization: digest a=b",
    "cookie: a=",
    "password: |\n  ",
    "sig=",
    "code=a1",
    "A1b-",
    "\u{200b}",
    "token=,,,,",
    "token=a,b=c;",
];

#[test]
fn no_text_takes_for_ever() {
    // What takes a step a letter is done at once; what takes a step a pair of letters takes minutes.
    for unit in HOSTILE {
        let text = unit.repeat((1 << 13) / unit.len());
        let safe = masked(&text);
        assert_eq!(masked(&safe), safe, "{unit}");
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
        "cookie: ",
        "setup_data",
        "authorization",
        "%3D",
        "&#61;",
        "<wbr>",
        "\u{200b}",
        "kind: Secret\n",
        "data:\n  ",
        "|",
        "<td>",
        "</td>",
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
