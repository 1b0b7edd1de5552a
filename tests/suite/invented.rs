//! Secrets of every kind, invented by a seed: the same seed, the same secrets.

/// Letters by chance.
pub(crate) struct Letters(u64);

/// An invented secret.
#[derive(Clone)]
pub(crate) struct Invented {
    /// Its kind.
    pub(crate) kind: &'static str,
    /// A text with it and what makes it known.
    pub(crate) text: String,
    /// What must not be seen.
    pub(crate) hidden: Vec<String>,
}

impl Letters {
    pub(crate) fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33
    }

    fn some(&mut self, alphabet: &[u8], length: usize) -> String {
        (0..length).map(|_| char::from(alphabet[usize::try_from(self.next()).unwrap() % alphabet.len()])).collect()
    }

    /// Letters and digits, at least one of each.
    pub(crate) fn mixed(&mut self, length: usize) -> String {
        let any = self.some(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", length - 4);
        format!("{}{any}{}", self.some(b"QXZ", 2), self.some(b"0123456789", 2))
    }

    fn hex(&mut self, length: usize) -> String {
        self.some(b"0123456789abcdef", length)
    }

    fn capitals(&mut self, length: usize) -> String {
        self.some(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length - 1) + "7"
    }

    fn url_safe(&mut self, length: usize) -> String {
        self.some(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", length - 1) + "A"
    }
}

/// A secret of a kind.
pub(crate) fn invented(kind: &'static str, letters: &mut Letters) -> Invented {
    let (a, b) = (letters.mixed(24), letters.mixed(16));
    let one = |text: String| (text, vec![a.clone()]);
    let (text, hidden) = match kind {
        "setup-data" => (format!("\"setup_data\": {{\"org\": \"{a}\", \"users\": [{{\"id\": \"{b}\"}}]}}"), vec![a, b]),
        "config-script" => one(format!("\"config\": {{\"execution\": \"local\", \"script\": \"file:///{a}/x.js\"}}")),
        "script-env" => (format!("\"env\": {{\"HOST\": \"{a}\", \"LOGIN\": \"{b}\"}}"), vec![a, b]),
        "ssh-private-key" => one(pem("OPENSSH PRIVATE KEY", &a)),
        "pgp-private-key" => one(pem("PGP PRIVATE KEY BLOCK", &a)),
        "service-account-key" => one(format!("\"private_key_id\": \"0a1b\", \"private_key\": \"{}\"", pem("PRIVATE KEY", &a))),
        "pem-private-key" => one(pem("EC PRIVATE KEY", &a)),
        "jwk-private-key" => (format!("{{\"kty\": \"RSA\", \"e\": \"AQAB\", \"d\": \"{a}\", \"p\": \"{b}\"}}"), vec![a, b]),
        "age-secret-key" => {
            let key = letters.capitals(58);
            (format!("AGE-SECRET-KEY-1{key}"), vec![key])
        }
        "jwt" => (format!("eyJhbGciOiJSUzI1NiJ9.eyJ{a}.{b}"), vec![a, b]),
        "google-oauth-token" => one(format!("ya29.{a}")),
        "google-api-key" => one(format!("AIzaSyB{a}")),
        "google-client-secret" => one(format!("GOCSPX-{a}")),
        "aws-access-key" => {
            let key = letters.capitals(16);
            (format!("AKIA{key}"), vec![key])
        }
        "github-token" => one(format!("ghp_{a}")),
        "gitlab-token" => one(format!("glpat-{a}")),
        "slack-token" => one(format!("xoxb-0-{a}")),
        "webhook-url" => one(format!("https://hooks.slack.com/services/T0/B0/{a}")),
        "stripe-key" => one(format!("sk_test_{a}")),
        "npm-token" => one(format!("npm_{a}")),
        "pypi-token" => one(format!("pypi-AgE{a}")),
        "huggingface-token" => one(format!("hf_{a}")),
        "digitalocean-token" => {
            let key = letters.hex(64);
            (format!("dop_v1_{key}"), vec![key])
        }
        "twilio-key" => {
            let key = letters.hex(32);
            (format!("SK{key}"), vec![key])
        }
        "sendgrid-key" => (format!("SG.{b}.{a}"), vec![a, b]),
        "model-api-key" => one(format!("sk-proj-{a}")),
        "vault-token" => one(format!("hvs.{a}")),
        "docker-auth" => one(format!("{{\"auths\": {{\"r.example\": {{\"auth\": \"{a}\"}}}}}}")),
        "set-cookie" => one(format!("Set-Cookie: own={a}; Path=/; HttpOnly")),
        "cookie" => (format!("Cookie: own={a}; theme={b}"), vec![a, b]),
        "session-cookie" => one(format!("JSESSIONID={a}")),
        "bearer-token" => one(format!("Bearer {a}")),
        "basic-auth-header" => one(format!("Authorization: Basic {a}")),
        "digest-auth-header" => (format!("Authorization: Digest username=\"al\", nonce=\"{b}\", response=\"{a}\""), vec![a, b]),
        "authorization-header" => one(format!("Authorization: ApiKey {a}")),
        "dsn" => one(format!("postgres://zitadel:{a}@db.example/zitadel")),
        "basic-auth-url" => one(format!("https://al:{a}@svc.example/x")),
        "signed-url" => {
            let key = letters.hex(64);
            (format!("https://s.example/o?X-Goog-Signature={key}&a=b"), vec![key])
        }
        "sas-signature" => one(format!("https://s.example/o?sv=2024-11-04&se=2026-01-01&sig={a}%3D")),
        "oauth-grant" => one(format!("https://c.example/cb?code={a}&state=1")),
        "kubernetes-secret" => {
            one(format!("{{\"kind\": \"Secret\", \"metadata\": {{\"name\": \"s\"}}, \"data\": {{\"blob\": \"{a}\"}}}}"))
        }
        "netrc" => one(format!("machine svc.example login al password {a}")),
        "pgpass" => one(format!("\ndb.example:5432:zitadel:al:{a}\n")),
        "sql-password" => one(format!("ALTER ROLE al PASSWORD '{a}'")),
        "password-hash" => one(format!("$2b$10$abcdefghijklmnopqrstuu{a}1234567")),
        "aws-secret-key" => one(format!("aws_secret_access_key={a}")),
        "azure-connection-string" => one(format!("AccountName=x;AccountKey={a};EndpointSuffix=y")),
        "client-secret" => one(format!("\"client_secret\": \"{a}\"")),
        "session-token" => one(format!("\"sessionToken\": \"{a}\"")),
        "masterkey" => one(format!("ZITADEL_MASTERKEY={a}")),
        "api-key-header" => one(format!("x-api-key: {a}")),
        "key-assignment" => one(format!("signing_key = {a}")),
        "token-assignment" => one(format!("https://h.example/?refresh_token={a}&c=d")),
        "password-assignment" => one(format!("user=al password={a}")),
        "zitadel-pat" => {
            let token = letters.url_safe(71);
            (token.clone(), vec![token])
        }
        "statement-text" => one(format!("\"querystring\": \"SELECT 1 -- {a}\"")),
        other => panic!("nobody invents a {other}"),
    };
    Invented { kind, text, hidden }
}

fn pem(name: &str, body: &str) -> String {
    format!("-----BEGIN {name}-----\\n{body}\\n-----END {name}-----")
}
