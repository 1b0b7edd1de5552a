//! On whose side a request failed: ordered rules, of which the first that matches wins.
//!
//! A rule is a table `[rule.<name>]` with `origin` (service, platform, client, unknown), a `reason` in one sentence, and one
//! condition at least: `status` and `error_code` are a number, a range like `"502-504"`, or a list of those; `message` is a
//! regular expression that is searched for. All conditions of a rule must hold. The order of the text is the order of the
//! rules. A project's own file is tried before the built-in rules (`origins.toml` beside this file).

use std::ops::RangeInclusive;

use regex::Regex;

use crate::diagnostic::{Diagnostic, Faults};
use crate::handwritten::{Entry, Form, Written, read_rules};
use crate::model::failures::Origin;
use crate::source::Source;

/// Ordered rules.
#[derive(Clone, Debug)]
pub struct Origins {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    origin: Origin,
    reason: String,
    status: Option<Numbers>,
    error_code: Option<Numbers>,
    message: Option<Regex>,
}

/// Numbers of a condition, one of which must be the one at hand.
#[derive(Clone, Debug)]
struct Numbers(Vec<RangeInclusive<u32>>);

impl Origins {
    /// The text of the built-in rules.
    pub const BUILT_IN: &str = include_str!("origins.toml");

    /// The built-in rules alone.
    #[must_use]
    pub fn built_in() -> Self {
        let source = Source::new("origins.toml", Self::BUILT_IN);
        // A test reads them.
        rules(&source).unwrap_or_else(|faults| unreachable!("the built-in rules have faults: {faults}"))
    }

    /// The rules of a project's own file, then the built-in ones.
    ///
    /// # Errors
    /// All faults of the file.
    pub fn read(own: &Source) -> Result<Self, Faults> {
        let mut origins = rules(own)?;
        origins.rules.extend(Self::built_in().rules);
        Ok(origins)
    }

    /// On whose side a request failed, and why the rule says so; [`Origin::Unknown`] without a reason where no rule knows.
    #[must_use]
    pub fn of(&self, status: Option<u16>, error_code: Option<u32>, message: Option<&str>) -> (Origin, Option<&str>) {
        match self.rules.iter().find(|rule| rule.holds(status, error_code, message)) {
            Some(rule) => (rule.origin, Some(&rule.reason)),
            None => (Origin::Unknown, None),
        }
    }
}

impl Rule {
    fn holds(&self, status: Option<u16>, error_code: Option<u32>, message: Option<&str>) -> bool {
        let message_holds = |pattern: &Regex| message.is_some_and(|message| pattern.is_match(message));
        self.status.as_ref().is_none_or(|numbers| numbers.hold(status.map(u32::from)))
            && self.error_code.as_ref().is_none_or(|numbers| numbers.hold(error_code))
            && self.message.as_ref().is_none_or(message_holds)
    }
}

impl Numbers {
    fn hold(&self, number: Option<u32>) -> bool {
        number.is_some_and(|number| self.0.iter().any(|range| range.contains(&number)))
    }
}

fn rules(source: &Source) -> Result<Origins, Faults> {
    read_rules(source, rule).map(|rules| Origins { rules })
}

/// A rule; `None`, with its faults noted, if it is not whole.
fn rule(entry: &Entry<'_>) -> Option<Rule> {
    let form = entry.table()?;
    let (origin, reason) = (origin(&form), reason(&form));
    let (status, error_code, message) = (numbers(&form, "status"), numbers(&form, "error_code"), message(&form));
    if !["status", "error_code", "message"].into_iter().any(|key| form.has(key)) {
        let fault = Diagnostic::error("no-condition", format!("the rule `{}` has no condition", entry.key.value));
        form.fault(fault.at(entry.key.place.clone()).help("give it `status`, `error_code` or `message`"));
    }
    form.close();
    Some(Rule { origin: origin?, reason: reason?, status, error_code, message })
}

fn origin(form: &Form<'_>) -> Option<Origin> {
    const WORDS: [(&str, Origin); 4] =
        [("service", Origin::Service), ("platform", Origin::Platform), ("client", Origin::Client), ("unknown", Origin::Unknown)];
    let written = form.wanted_text("origin")?;
    let message = format!("there is no origin `{}`", written.value);
    form.choice(written, &WORDS, "unknown-origin", message)
}

fn reason(form: &Form<'_>) -> Option<String> {
    let written = form.wanted_text("reason")?;
    let reason = written.value.split_whitespace().collect::<Vec<_>>().join(" ");
    if reason.is_empty() {
        let fault = Diagnostic::error("empty-reason", "a rule says why in one sentence").at(written.place);
        form.fault(fault.help("a reader of the report sees this reason beside the failures"));
        return None;
    }
    Some(reason)
}

fn numbers(form: &Form<'_>, key: &str) -> Option<Numbers> {
    let entry = form.entry(key)?;
    let written = entry.scalars();
    if written.is_empty() && entry.is_list() {
        entry.fault(Diagnostic::error("empty-list", format!("`{key}` is an empty list, which nothing is in")).at(entry.place()));
    }
    Some(Numbers(written.iter().filter_map(|written| range(&entry, written)).collect()))
}

/// `503` or `502-504`.
fn range(entry: &Entry<'_>, written: &Written<String>) -> Option<RangeInclusive<u32>> {
    let text = written.value.trim();
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    match (from.trim().parse::<u32>(), to.trim().parse::<u32>()) {
        (Ok(from), Ok(to)) if from <= to => Some(from..=to),
        (Ok(_), Ok(_)) => {
            let fault = Diagnostic::error("bad-range", format!("the range `{text}` goes down")).at(written.place.clone());
            entry.fault(fault.help(format!("write \"{}-{}\"", to.trim(), from.trim())));
            None
        }
        _ => {
            let fault = Diagnostic::error("bad-number", format!("`{text}` is no number and no range like \"502-504\""));
            entry.fault(fault.at(written.place.clone()));
            None
        }
    }
}

fn message(form: &Form<'_>) -> Option<Regex> {
    let written = form.text("message")?;
    match Regex::new(&written.value) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            let error = error.to_string();
            // The library draws the pattern with a caret of its own; its last line says what is wrong.
            let what = error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            let fault = Diagnostic::error("bad-pattern", format!("the message is no regular expression: {what}"));
            form.fault(fault.at(written.place).help("a text without `\\ . + * ? ( ) | [ ] { } ^ $` stands for itself"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handwritten::Document;

    type Case = (Option<u16>, Option<u32>, Option<&'static str>);

    /// Every built-in rule with a failure it knows and one that is near but not its own.
    const CASES: &[(&str, Origin, Case, Case)] = &[
        (
            "out-of-sockets",
            Origin::Client,
            (None, Some(1213), Some("dial: unknown errno 99 error with msg `cannot assign requested address`")),
            (None, Some(1213), Some("dial: unknown errno 101 error with msg `network is unreachable`")),
        ),
        ("bad-url", Origin::Client, (None, Some(1020), Some("invalid URL")), (None, Some(1000), Some("unsupported scheme"))),
        (
            "unknown-host",
            Origin::Client,
            (None, Some(1101), Some("lookup: no such host")),
            (None, Some(1110), Some("ip is blacklisted")),
        ),
        (
            "blocked-by-options",
            Origin::Client,
            (None, Some(1111), Some("hostname is blocked")),
            (None, Some(1101), Some("lookup: no such host")),
        ),
        (
            "certificate",
            Origin::Client,
            (None, Some(1310), Some("x509: unknown authority")),
            (None, Some(1300), Some("remote error: tls: handshake failure")),
        ),
        (
            "certificate-by-message",
            Origin::Client,
            (None, Some(1000), Some("tls: failed to verify certificate: x509: certificate has expired or is not yet valid")),
            (None, Some(1000), Some("remote error: tls: bad certificate")),
        ),
        (
            "no-tls",
            Origin::Client,
            (None, Some(1301), Some("tls: first record does not look like a TLS handshake")),
            (None, Some(1300), Some("tls: handshake failure")),
        ),
        (
            "refused",
            Origin::Platform,
            (None, Some(1212), Some("dial: connection refused")),
            (None, Some(1211), Some("dial: i/o timeout")),
        ),
        (
            "dial-timeout",
            Origin::Platform,
            (None, Some(1211), Some("dial: i/o timeout")),
            (None, Some(1050), Some("request timeout")),
        ),
        (
            "no-route",
            Origin::Platform,
            (None, Some(1213), Some("dial: unknown errno 113 error with msg `no route to host`")),
            (None, Some(1210), Some("dial tcp: missing address")),
        ),
        (
            "reset",
            Origin::Platform,
            (None, Some(1220), Some("read: connection reset by peer")),
            (None, Some(1200), Some("read tcp 10.0.0.1:*->10.0.0.2:443: use of closed network connection")),
        ),
        (
            "broken-pipe",
            Origin::Platform,
            (None, Some(1201), Some("write: broken pipe")),
            (None, Some(1202), Some("write: unknown errno `5` on linux with message `input/output error`")),
        ),
        (
            "closed-early",
            Origin::Platform,
            (None, Some(1000), Some("http: server closed idle connection")),
            (None, Some(1000), Some("the word EOF inside")),
        ),
        (
            "goaway",
            Origin::Platform,
            (None, Some(1611), Some("http2: received GoAway with http2 ErrCode NO_ERROR")),
            (None, Some(1638), Some("http2: stream error with http2 ErrCode REFUSED_STREAM")),
        ),
        ("request-timeout", Origin::Unknown, (None, Some(1050), Some("request timeout")), (None, Some(1000), None)),
        ("other-tcp", Origin::Unknown, (None, Some(1210), Some("dial tcp: x")), (None, Some(1220), None)),
        ("other-tls", Origin::Unknown, (None, Some(1300), Some("tls: handshake failure")), (None, Some(1311), None)),
        ("other-http2", Origin::Unknown, (None, Some(1634), None), (None, Some(1625), None)),
        ("decompression", Origin::Unknown, (Some(200), Some(1701), None), (Some(200), Some(1700), None)),
        ("gateway", Origin::Platform, (Some(503), Some(1503), None), (Some(501), Some(1501), None)),
        ("rate-limit", Origin::Platform, (Some(429), Some(1429), None), (Some(428), Some(1428), None)),
        ("edge", Origin::Platform, (Some(522), Some(1522), None), (Some(528), Some(1528), None)),
        ("service-error", Origin::Service, (Some(500), Some(1500), None), (Some(504), Some(1504), None)),
        ("service-refusal", Origin::Service, (Some(409), Some(1409), None), (Some(429), Some(1429), None)),
        ("unexpected-status", Origin::Service, (Some(200), None, None), (Some(600), None, None)),
    ];

    /// The names of the built-in rules, in their order.
    fn names() -> Vec<String> {
        let source = Source::new("origins.toml", include_str!("origins.toml"));
        let document = Document::parse(&source);
        let rules = document.form().table("rule").map(|table| table.entries()).unwrap_or_default();
        rules.into_iter().map(|entry| entry.key.value).collect()
    }

    /// The name of the built-in rule that knows a failure.
    fn named((status, error_code, message): Case) -> Option<String> {
        let at = Origins::built_in().rules.iter().position(|rule| rule.holds(status, error_code, message))?;
        names().into_iter().nth(at)
    }

    #[test]
    fn every_built_in_rule_fires_and_stays_silent() {
        for (name, origin, fires, silent) in CASES {
            assert_eq!(named(*fires).as_deref(), Some(*name));
            assert_ne!(named(*silent).as_deref(), Some(*name));
            assert_eq!(Origins::built_in().of(fires.0, fires.1, fires.2).0, *origin, "{name}");
        }
        assert_eq!(names(), CASES.iter().map(|case| case.0).collect::<Vec<_>>());
    }

    #[test]
    fn the_last_words_of_a_connection_are_known() {
        for message in ["EOF", "unexpected EOF", "Post \"http://a/\": EOF", "http2: server closed idle connection"] {
            assert_eq!(named((None, Some(1000), Some(message))).as_deref(), Some("closed-early"), "{message}");
        }
    }

    #[test]
    fn what_no_rule_knows_is_unknown_without_a_reason() {
        for (status, error_code, message) in [(None, None, None), (None, Some(1000), Some("???")), (Some(0), Some(0), None)] {
            assert_eq!(Origins::built_in().of(status, error_code, message), (Origin::Unknown, None));
        }
    }

    #[test]
    fn a_reason_is_one_sentence_of_the_house() {
        for rule in Origins::built_in().rules {
            assert!(!rule.reason.ends_with('.') && rule.reason.len() < 120, "{}", rule.reason);
        }
    }

    fn own(text: &str) -> Result<Origins, Faults> {
        Origins::read(&Source::new("errors.toml", text))
    }

    #[test]
    fn own_rules_come_first_in_the_order_of_the_text() {
        let text = "
[rule.zebra]
status = [503, '500-501']
message = 'overload'
origin = 'service'
reason = '''the service sheds
  load itself'''
[rule.ant]
status = 503
origin = 'unknown'
reason = 'who knows'
";
        let origins = own(text).unwrap_or_else(|faults| unreachable!("{faults}"));
        assert_eq!(origins.of(Some(503), None, Some("an overload")), (Origin::Service, Some("the service sheds load itself")));
        assert_eq!(origins.of(Some(501), None, Some("overload")).1, Some("the service sheds load itself"));
        assert_eq!(origins.of(Some(503), None, None), (Origin::Unknown, Some("who knows")));
        assert_eq!(origins.of(Some(502), None, None).0, Origin::Platform);
        assert_eq!(own("").map(|origins| origins.of(Some(500), None, None).0), Ok(Origin::Service));
    }

    #[test]
    fn all_faults_of_a_rule_file_come_out_at_once() {
        let text = r#"schema = 1
[rule.nothing]
origin = "platfrom"
reason = " "
[rule.numbers]
status = ["504-502", "5xx", 503, -1, []]
error_code = []
origin = "service"
reason = "why"
[rule.pattern]
message = "(unclosed"
statuss = 500
reason = "why"
[rules]
"#;
        let faults = own(text).err().unwrap_or_else(|| unreachable!());
        insta::assert_snapshot!(faults.to_string());
    }
}
