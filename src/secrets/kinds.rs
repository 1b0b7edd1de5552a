//! The kinds of secrets: what each is called, what it looks like, why what looks so is one.

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name, in faults and in `[secrets] accept`.
    pub id: &'static str,
    /// What it is, in words.
    pub title: &'static str,
    /// What it looks like; `…` stands for the secret.
    pub looks: &'static str,
    /// An invented one.
    pub example: &'static str,
    /// Why what looks so is one, and what is let alone.
    pub why: &'static str,
}

const fn kind(id: &'static str, title: &'static str, looks: &'static str, example: &'static str, why: &'static str) -> Kind {
    Kind { id, title, looks, example, why }
}

/// The kind of a name, or of a row by its id.
#[must_use]
pub fn of(id: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.id == id)
}

/// All kinds. Where a text is a secret of several kinds, it is called by the first of them.
pub const KINDS: &[Kind] = &[
    // What a tool writes that is dropped whole, whatever is in it.
    kind(
        "setup-data",
        "what k6's `setup()` returned",
        "`\"setup_data\": {…}`, all of the value",
        "\"setup_data\": {\"user\": \"Alice-41\"}",
        "tests log in there and hand their sessions on; no figure is made of it",
    ),
    kind(
        "config-script",
        "the script in k6's JSON",
        "`\"config\": {\"script\": \"…\"}`, its place or all of its text",
        "\"config\": {\"execution\": \"local\", \"script\": \"file:///load.js\"}",
        "scripts have logins in them, and their places are somebody's machine; no figure is made of it",
    ),
    kind(
        "script-env",
        "variables given to a script",
        "`\"env\": {\"NAME\": \"…\"}`, all values",
        "\"env\": {\"HOST\": \"h1\", \"LOGIN\": \"al:1x2y\"}",
        "variables are how scripts are given passwords, under any name; a list of variables, as platforms describe them, is read by its names",
    ),
    // Keys.
    kind(
        "ssh-private-key",
        "a private key of SSH",
        "`-----BEGIN OPENSSH PRIVATE KEY-----…`, or the private lines of a PuTTY key",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAAbm90YWtleQ==\n-----END OPENSSH PRIVATE KEY-----",
        "the frame says it; public keys and certificates have others",
    ),
    kind(
        "pgp-private-key",
        "a private key of PGP",
        "`-----BEGIN PGP PRIVATE KEY BLOCK-----…`",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nbm90YWtleQ==\n-----END PGP PRIVATE KEY BLOCK-----",
        "the frame says it",
    ),
    kind(
        "service-account-key",
        "the key file of a service account",
        "`\"private_key\": \"-----BEGIN…\"`; `private_key_id` is an id and stays",
        "\"private_key\": \"-----BEGIN PRIVATE KEY-----\\nbm90YWtleQ\\n\"",
        "name and frame say it",
    ),
    kind(
        "pem-private-key",
        "a private key in PEM",
        "`-----BEGIN … PRIVATE KEY-----…`, one that was cut off too",
        "-----BEGIN RSA PRIVATE KEY-----\nbm90YWtleQ==\n-----END RSA PRIVATE KEY-----",
        "the frame says it; certificates and public keys have others",
    ),
    kind(
        "jwk-private-key",
        "a private key as JSON",
        "`{\"kty\": …, \"d\": \"…\"}`: `d`, `p`, `q`, `dp`, `dq`, `qi`, `k`",
        "{\"kty\": \"EC\", \"kid\": \"7\", \"d\": \"bm90YWtleWJ1dGxvbmc\"}",
        "RFC 7518 keeps private parts under these names; `n`, `e`, `x`, `y` are public and stay",
    ),
    kind(
        "age-secret-key",
        "a secret key of age",
        "`AGE-SECRET-KEY-1…`",
        "AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQ",
        "the prefix is its own",
    ),
    // Tokens that can be told by themselves.
    kind(
        "jwt",
        "a signed or encrypted token",
        "`eyJ….eyJ….…`, one that was cut behind its second part too",
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2lnbmF0dXJl",
        "JSON in base64 begins so, and nothing else does with a dot behind it",
    ),
    kind(
        "google-oauth-token",
        "an access or refresh token of Google",
        "`ya29.…`, `1//0…`",
        "ya29.a0ExampleOnly",
        "the prefix is its own",
    ),
    kind("google-api-key", "an API key of Google", "`AIza…`", "AIzaSyExampleExampleExample0", "the prefix is its own"),
    kind("google-client-secret", "the secret of a Google client", "`GOCSPX-…`", "GOCSPX-ExampleOnly01", "the prefix is its own"),
    kind(
        "aws-access-key",
        "an access key's id of AWS",
        "`AKIA…`, `ASIA…`, `ABIA…`, `ACCA…`, capitals and digits",
        "AKIAIOSFODNN7EXAMPLE",
        "the prefix and the length are its own; alone it is no key, but who shows it shows whose the key is",
    ),
    kind(
        "github-token",
        "a token of GitHub",
        "`ghp_…`, `gho_…`, `ghu_…`, `ghs_…`, `ghr_…`, `github_pat_…`",
        "ghp_ExampleOnly0",
        "the prefix is its own",
    ),
    kind(
        "gitlab-token",
        "a token of GitLab",
        "`glpat-…`, `gldt-…`, `glrt-…`, `glcbt-…`, `glptt-…`, `gloas-…`, `glsoat-…`",
        "glpat-ExampleOnly",
        "the prefix is its own",
    ),
    kind(
        "slack-token",
        "a token of Slack",
        "`xoxb-…`, `xoxp-…`, `xapp-…` and others",
        "xoxb-0-example0",
        "the prefix is its own",
    ),
    kind(
        "webhook-url",
        "an address that lets anybody post",
        "`https://hooks.slack.com/services/…`, `https://discord.com/api/webhooks/…`",
        "https://hooks.slack.com/services/T0/B0/x1Example",
        "who has the address may post; its last parts are the key",
    ),
    kind(
        "stripe-key",
        "a key of Stripe",
        "`sk_live_…`, `sk_test_…`, `rk_live_…`, `rk_test_…`, `whsec_…`",
        "sk_test_ExampleOnly",
        "the prefix is its own; `pk_…` is public and stays",
    ),
    kind(
        "npm-token",
        "a token of npm",
        "`npm_…`, `_authToken=…`",
        "npm_ExampleOnlyExampleOnly0",
        "the prefix and the length are its own",
    ),
    kind("pypi-token", "a token of PyPI", "`pypi-AgE…`", "pypi-AgEExampleOnlyExample", "the prefix is its own"),
    kind(
        "huggingface-token",
        "a token of Hugging Face",
        "`hf_…`",
        "hf_ExampleOnlyExampleOnlyEx",
        "the prefix and the length are its own",
    ),
    kind(
        "digitalocean-token",
        "a token of DigitalOcean",
        "`dop_v1_…`, `doo_v1_…`, `dor_v1_…`",
        "dop_v1_0123456789abcdef0123",
        "the prefix is its own",
    ),
    kind(
        "twilio-key",
        "a key of Twilio",
        "`SK` and 32 hex digits",
        "SK00112233445566778899aabbccddeeff",
        "capitals, then small hex digits, 34 in all",
    ),
    kind(
        "sendgrid-key",
        "a key of SendGrid",
        "`SG.….…`",
        "SG.ExampleOnlyExample.ExampleOnlyExampleOnly",
        "prefix and both lengths are its own",
    ),
    kind(
        "model-api-key",
        "a key of OpenAI, Anthropic and those who took over their form",
        "`sk-…` with a digit, 18 letters or more",
        "sk-proj-0123456789example",
        "a name in kebab case has a letter before its `sk-`",
    ),
    kind(
        "vault-token",
        "a token of HashiCorp Vault",
        "`hvs.…`, `hvb.…`, `hvr.…`",
        "hvs.ExampleOnlyExampleOnly0",
        "the prefix and the length are its own",
    ),
    kind(
        "docker-auth",
        "a login to a registry of images",
        "`\"auth\": \"…\"`, `dckr_pat_…`",
        "\"auth\": \"YWw6bm90YXBhc3M=\"",
        "`auth` with base64 is what Docker's configuration has; digests of images stay",
    ),
    // Headers.
    kind(
        "set-cookie",
        "a cookie that a service set",
        "`Set-Cookie: name=…`",
        "Set-Cookie: sid=1a2b3c4d; Path=/",
        "a cookie's value is a session until something else is known",
    ),
    kind(
        "cookie",
        "cookies that were sent",
        "`Cookie: …`, `\"cookies\": {…}`",
        "Cookie: sid=1a2b3c4d; theme=dark",
        "the same; the text has to have a `name=`",
    ),
    kind(
        "session-cookie",
        "a session's cookie by its name",
        "`JSESSIONID=…`, `PHPSESSID=…`, `connect.sid=…`, `__Host-…=…`, `__Secure-…=…`",
        "JSESSIONID=0A1B2C3D4E",
        "these names are used for nothing else",
    ),
    kind(
        "bearer-token",
        "a token in a header",
        "`Bearer …`",
        "Authorization: Bearer abcdefgh1",
        "behind `Authorization` always; elsewhere only what is no word: \"bearer token\" stays",
    ),
    kind("basic-auth-header", "user and password in a header", "`Basic …`", "Authorization: Basic YWw6bm90YXBhc3M=", "the same"),
    kind(
        "digest-auth-header",
        "an answer of digest authentication",
        "`Authorization: Digest …`, all of the line",
        "Authorization: Digest username=\"al\", nonce=\"1a2b\", response=\"3c4d\"",
        "the password can be tried out against it",
    ),
    kind(
        "authorization-header",
        "a header of another scheme",
        "`Authorization: …`, `Proxy-Authorization: …`",
        "Authorization: ApiKey 1a2b3c4d5e",
        "what stands behind this name proves who one is; a plain word stays",
    ),
    // Addresses.
    kind(
        "dsn",
        "an address of a database or a queue with its password",
        "`postgres://user:…@host`, any scheme but http",
        "postgres://zitadel:n0tapass@db/zitadel",
        "the part before `@` is for this by RFC 3986; a port is no password",
    ),
    kind(
        "basic-auth-url",
        "an address with a password",
        "`https://user:…@host`",
        "https://al:n0tapass@svc.example/x",
        "the same",
    ),
    kind(
        "signed-url",
        "a signature that opens an address",
        "`X-Amz-Signature=…`, `X-Goog-Signature=…`, `Signature=…` of 64 hex digits",
        "X-Goog-Signature=00112233445566778899aabbccddeeff",
        "who has the address has the object, as long as it holds",
    ),
    kind(
        "sas-signature",
        "a shared access signature of Azure",
        "`sig=…` beside `sv=`, `se=` or `sr=`",
        "?sv=2024-11-04&se=2026-01-01&sig=bm90YXNpZw%3D%3D",
        "the same; another `sig=` stays",
    ),
    kind(
        "oauth-grant",
        "what is exchanged for a token",
        "`code=…`, `code_verifier=…`, `client_assertion=…`, `assertion=…`, `SAMLResponse=…`, `device_code=…`",
        "?code=x1Y2z3W4v5U6t7S8r9Q0&state=a",
        "long and of mixed letters; `code=404` and `error_code=1000` stay",
    ),
    // Files of credentials.
    kind(
        "kubernetes-secret",
        "the data of a Secret of Kubernetes",
        "`kind: Secret` with `data` or `stringData`: all values",
        "kind: Secret\ndata:\n  blob: bm90YXBhc3M=",
        "that is what a Secret is for; its names stay",
    ),
    kind(
        "netrc",
        "a password of .netrc",
        "`machine … login … password …`",
        "machine svc.example login al password n0tapass",
        "the order of words is its own",
    ),
    kind(
        "pgpass",
        "a line of .pgpass",
        "`host:5432:database:user:…`",
        "db.example:5432:zitadel:zitadel:n0tapass",
        "five parts, the second a port, alone on a line",
    ),
    kind(
        "sql-password",
        "a password in a statement",
        "`PASSWORD '…'`, `IDENTIFIED BY '…'`",
        "ALTER ROLE zitadel PASSWORD 'n0tapass'",
        "the grammar of SQL; a parameter `$1` or `?` stays",
    ),
    kind(
        "password-hash",
        "the hash of a password",
        "`$2b$…`, `$argon2id$…`, `$pbkdf2-…$…`, `$scrypt$…`, `$5$…`, `$6$…`, `SCRAM-SHA-256$…`",
        "$2b$10$ExampleOnlyExampleOnlyEuExampleOnlyExampleOnlyExampleO1",
        "weak passwords are found from their hashes without asking the service, and with SCRAM's keys one can log in. Digests of files, images and certificates are no hashes of passwords and stay",
    ),
    // By name.
    kind(
        "aws-secret-key",
        "a secret access key of AWS",
        "`aws_secret_access_key=…`, `SecretAccessKey`",
        "aws_secret_access_key = ExampleOnlyExampleOnly0",
        "the name says it",
    ),
    kind(
        "azure-connection-string",
        "a key in a connection string",
        "`AccountKey=…`, `SharedAccessKey=…`",
        "AccountName=a;AccountKey=bm90YWtleQ==;EndpointSuffix=x",
        "the name says it",
    ),
    kind(
        "client-secret",
        "the secret of an OAuth client",
        "`client_secret`, `clientSecret`",
        "\"client_secret\": \"n0tasecret\"",
        "the name says it",
    ),
    kind(
        "session-token",
        "a token of a session",
        "`session_token`, `sessionToken`, `x-session-token`",
        "\"sessionToken\": \"n0tatoken\"",
        "the name says it",
    ),
    kind(
        "masterkey",
        "a master key",
        "`masterkey`, `ZITADEL_MASTERKEY`, `master_key`",
        "ZITADEL_MASTERKEY=MasterkeyNeedsToHave32Characters",
        "the name says it",
    ),
    kind(
        "api-key-header",
        "a key of an API by its name",
        "`x-api-key: …`, `api_key=…`, `apikey`",
        "x-api-key: 0123456789",
        "the name says it",
    ),
    kind(
        "key-assignment",
        "a key by its name",
        "`private_key`, `access_key`, `secret_key`, `encryption_key`, `signing_key`",
        "signing_key = n0takey1",
        "the name says it; `…_key_id` is an id and stays",
    ),
    kind(
        "token-assignment",
        "a token by its name",
        "`token`, `access_token`, `refresh_token`, `id_token` and others that end so",
        "?access_token=abcd1234&a=b",
        "the name says it; a word of a sentence behind `token:` stays, and a number of JSON without quotes, which is a count",
    ),
    kind(
        "password-assignment",
        "a password by its name, in YAML, TOML, JSON, XML, a variable, a parameter, a flag",
        "`password`, `passwd`, `passphrase`, `pwd`, `…_pass`, `secret`, `credential` and others that end so, with `:`, `=`, a quote or a cell of a table between",
        "password = \"n0tapass\"",
        "the name says it; what only says where the secret will be (`$PASSWORD`, `<password>`, `{{ password }}`), numbers of measurements, those of JSON without quotes, and words of sentences stay",
    ),
    // By their letters alone: last, since everything else says more.
    kind(
        "zitadel-pat",
        "a personal access token, session token or opaque access token of ZITADEL",
        "63 to 80 or 96 to 108 letters of url-safe base64 without a dot",
        "0LOaXbYzR1tQ7mK-e3VwN9sJ_h5GpD2cF8uTiA4kE6yBxZqW1oMlCvSrUgHjPnIdXe7fA2",
        "an initial vector and ids of 18 digits, encrypted and in base64, have these lengths; it has to mix capitals, small letters and digits as chance does. Hex digits, names and SHA-2 digests in base64 do not",
    ),
    kind(
        "statement-text",
        "the text of a statement in an answer of a database",
        "`\"querystring\": \"…\"`, `\"query\": \"…\"`, `\"setting\": \"…\"`",
        "\"querystring\": \"SELECT 1 -- why\"",
        "literals and comments of statements that were never normalized; only in lines that a fault of an input shows. In records and pages statements stand without literals, and stay",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_in_kebab_case_and_tell_kinds_apart() {
        for (at, kind) in KINDS.iter().enumerate() {
            assert!(
                kind.id
                    .split('-')
                    .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()))
            );
            assert!(KINDS[..at].iter().all(|other| other.id != kind.id), "{}", kind.id);
            assert!(
                !kind.looks.contains('|') && !kind.why.contains('|') && !kind.title.contains('|'),
                "{} breaks a table",
                kind.id
            );
        }
        assert!(KINDS.len() >= 50);
    }
}
