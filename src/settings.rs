//! `plimsoll.toml`: what a project calls its service, its goals, its flow, its docs.
//!
//! An empty file, or none, works. Unknown keys are refused, near names offered, all faults at once.

mod secrets;

use std::collections::BTreeMap;

pub use self::secrets::AcceptedSecret;
use self::secrets::secret;
use crate::diagnostic::{Diagnostic, Faults};
use crate::handwritten::{Document, Form, Written, check_schema};
use crate::model::address::Target;
use crate::model::profile::Profile;
use crate::source::Source;

/// A project's settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What the tested service is called.
    pub service_name: String,
    /// The site's title.
    pub site_title: Option<String>,
    /// Where the site will live; empty is nowhere: relative links only, no feed.
    pub site_url: String,
    /// Which flow judges.
    pub flow: String,
    /// Whether a reached goal ends testing.
    pub stop_at_goal: bool,
    /// Goals in iterations per second, by target.
    pub goals: BTreeMap<Target, f64>,
    /// How docs pages are written.
    pub docs: Docs,
    /// Contract keys that may differ, with the reason.
    pub contract_accept: Vec<AcceptedKey>,
    /// Practical floors of a comparison.
    pub floors: Floors,
    /// Findings that were looked at, with the reason.
    pub audits_accept: Vec<AcceptedFinding>,
    /// Secrets in what is to be written that are none, or may be seen, with the reason.
    pub secrets_accept: Vec<AcceptedSecret>,
    /// A file of rules that say what captured series measure, tried before the built-in ones.
    pub metric_rules: Option<String>,
    /// A file of rules that name queries, tried before the built-in ones.
    pub query_rules: Option<String>,
    /// A file of rules that say on whose side a request failed, tried before the built-in ones.
    pub error_rules: Option<String>,
}

/// How docs pages are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Docs {
    /// Which docs site reads them.
    pub profile: Profile,
    /// The navigation file, relative to the docs folder.
    pub nav: String,
    /// A second folder for every `output.json`, relative to the docs folder; empty is none.
    pub mirror: String,
    /// The docs folder's address on its site, `/docs/apis/benchmarks`: links are written below it. Empty: links are relative
    /// paths of files.
    pub url: String,
    /// The module that gives the component `BenchmarkChart`; `None` is the profile's own, empty draws a picture instead.
    pub chart: Option<String>,
}

/// A contract key whose difference is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedKey {
    /// The key.
    pub key: String,
    /// Why.
    pub reason: String,
}

/// A finding that is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedFinding {
    /// Its code.
    pub code: String,
    /// The runs, as a pattern.
    pub run: String,
    /// Why.
    pub reason: String,
}

/// Practical floors of a comparison, as ratios, and milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floors {
    /// Of throughput.
    pub throughput: f64,
    /// Of p50.
    pub p50: f64,
    /// Of p95.
    pub p95: f64,
    /// Of p99.
    pub p99: f64,
    /// Of the share of failed requests, a difference.
    pub failures: f64,
    /// Of CPU time per iteration.
    pub cpu: f64,
    /// Of the share of lock wait, a difference.
    pub lock_wait: f64,
    /// Of bytes per request.
    pub bytes: f64,
    /// Of any latency, in milliseconds.
    pub absolute_ms: f64,
    /// The level of the intervals.
    pub level: f64,
    /// What is cut off at the beginning of a test, in milliseconds.
    pub warm_up_ms: f64,
}

impl Default for Floors {
    fn default() -> Self {
        Self {
            throughput: 0.05,
            p50: 0.05,
            p95: 0.07,
            p99: 0.10,
            failures: 0.001,
            cpu: 0.05,
            lock_wait: 0.05,
            bytes: 0.05,
            absolute_ms: 2.0,
            level: 0.95,
            warm_up_ms: 60_000.0,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            service_name: "service".to_owned(),
            site_title: None,
            site_url: String::new(),
            flow: "practice".to_owned(),
            stop_at_goal: false,
            goals: BTreeMap::new(),
            docs: Docs {
                profile: Profile::Fumadocs,
                nav: "../_meta.json".to_owned(),
                mirror: String::new(),
                url: String::new(),
                chart: None,
            },
            contract_accept: Vec::new(),
            floors: Floors::default(),
            audits_accept: Vec::new(),
            secrets_accept: Vec::new(),
            metric_rules: None,
            query_rules: None,
            error_rules: None,
        }
    }
}

impl Settings {
    /// Reads `plimsoll.toml`.
    ///
    /// # Errors
    /// All its faults.
    pub fn read(source: &Source) -> Result<Self, Faults> {
        let document = Document::parse(source);
        let settings = from_form(&document.form());
        document.finish().map(|_| settings)
    }

    /// The site's title, or one made of the service's name.
    #[must_use]
    pub fn title(&self) -> String {
        self.site_title.clone().unwrap_or_else(|| format!("{} benchmarks", self.service_name))
    }
}

fn from_form(form: &Form<'_>) -> Settings {
    let mut settings = Settings::default();
    check_schema(form, 1);
    section(form, "service", |t| set(&mut settings.service_name, named(t, "name")));
    section(form, "site", |t| {
        settings.site_title = named(t, "title");
        set(&mut settings.site_url, site_address(t));
    });
    section(form, "flow", |t| {
        set(&mut settings.flow, named(t, "name"));
        set(&mut settings.stop_at_goal, t.truth("stop_at_goal").map(|truth| truth.value));
    });
    section(form, "goals", |t| settings.goals = goals(t));
    section(form, "docs", |t| {
        set(&mut settings.docs.profile, profile(t));
        set(&mut settings.docs.nav, t.text("nav").map(|nav| nav.value));
        set(&mut settings.docs.mirror, t.text("mirror").map(|mirror| mirror.value));
        set(&mut settings.docs.url, address(t));
        settings.docs.chart = t.text("chart").map(|chart| chart.value);
    });
    section(form, "contract", |t| settings.contract_accept = accepted(t, contract_key));
    section(form, "floors", |t| floors(t, &mut settings.floors));
    section(form, "audits", |t| settings.audits_accept = accepted(t, finding));
    section(form, "secrets", |t| settings.secrets_accept = accepted(t, secret));
    section(form, "metrics", |t| settings.metric_rules = named(t, "rules"));
    section(form, "queries", |t| settings.query_rules = named(t, "rules"));
    section(form, "errors", |t| settings.error_rules = named(t, "rules"));
    form.close();
    settings
}

/// Reads a table of the form if it is there, and closes it.
fn section(form: &Form<'_>, key: &str, read: impl FnOnce(&Form<'_>)) {
    if let Some(table) = form.table(key) {
        read(&table);
        table.close();
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// A text that is not empty.
fn named(form: &Form<'_>, key: &str) -> Option<String> {
    let text = form.text(key)?;
    if text.value.trim().is_empty() {
        form.fault(Diagnostic::error("empty-name", format!("`{key}` is empty")).at(text.place).help("leave the key out"));
        return None;
    }
    Some(text.value)
}

fn goals(form: &Form<'_>) -> BTreeMap<Target, f64> {
    let mut goals = BTreeMap::new();
    for entry in form.entries() {
        let Some(goal) = entry.number() else { continue };
        match Target::new(&entry.key.value) {
            Ok(target) if goal.value > 0.0 => {
                goals.insert(target, goal.value);
            }
            Ok(_) => entry.fault(Diagnostic::error("bad-goal", "a goal is more than 0 iterations per second").at(goal.place)),
            Err(bad) => entry.fault(Diagnostic::error("bad-name", bad.to_string()).at(entry.key.place.clone())),
        }
    }
    goals
}

fn profile(form: &Form<'_>) -> Option<Profile> {
    let profile = form.text("profile")?;
    let message = format!("unknown profile `{}`", profile.value);
    form.choice(profile, &Profile::ALL.map(|one| (one.name(), one)), "unknown-profile", message)
}

/// Where the site will live: what machines read is made of it (canonical addresses, the feed, the map), which takes a whole address.
fn site_address(form: &Form<'_>) -> Option<String> {
    let url = form.text("url")?;
    if url.value.is_empty() || is_whole_address(&url.value) {
        return Some(url.value);
    }
    let fault = Diagnostic::error("bad-address", format!("`{}` is no address of a site", url.value)).at(url.place);
    form.fault(fault.help("write it whole: \"https://bench.example/\"; leave it out where the site has none"));
    None
}

/// True exactly if a text is a whole address of the web without a query or a place in a page, in letters that need no quoting.
#[must_use]
pub fn is_whole_address(url: &str) -> bool {
    ["https://", "http://"]
        .iter()
        .any(|start| url.strip_prefix(start).is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/')))
        && is_plain(url)
}

fn is_plain(url: &str) -> bool {
    !url.contains(|c: char| c.is_whitespace() || c.is_control() || "<>()\"\\`{}?#".contains(c))
}

/// Where the docs folder is on its site; links are made of it, so it is an address that a browser finds from every page.
fn address(form: &Form<'_>) -> Option<String> {
    let url = form.text("url")?;
    let begins = |start: &&str| url.value.starts_with(*start);
    if url.value.is_empty() || (is_plain(&url.value) && ["/", "https://", "http://"].iter().any(begins)) {
        return Some(url.value);
    }
    let fault = Diagnostic::error("bad-address", format!("`{}` is no address of a docs folder", url.value)).at(url.place);
    form.fault(fault.help("write it as \"/docs/apis/benchmarks\", or with https:// before it; leave it out for relative links"));
    None
}

/// The rows of `accept` that are whole.
fn accepted<T>(form: &Form<'_>, read: impl Fn(&Form<'_>) -> Option<T>) -> Vec<T> {
    let mut rows = Vec::new();
    for row in form.tables("accept") {
        rows.extend(read(&row));
        row.close();
    }
    rows
}

fn contract_key(row: &Form<'_>) -> Option<AcceptedKey> {
    let (key, reason) = (row.wanted_text("key"), row.wanted_text("reason"));
    Some(AcceptedKey { key: key?.value, reason: reason?.value })
}

fn finding(row: &Form<'_>) -> Option<AcceptedFinding> {
    let (code, run, reason) = (row.wanted_text("code"), row.wanted_text("run"), row.wanted_text("reason"));
    Some(AcceptedFinding { code: code?.value, run: run?.value, reason: reason?.value })
}

fn floors(form: &Form<'_>, floors: &mut Floors) {
    use crate::model::units::Unit;
    let read = |key: &str, unit: Unit| -> Option<f64> {
        let Written { value, place } = form.text(key)?;
        match crate::model::units::Written::read(&value, unit) {
            Ok(written) if written.value >= 0.0 => Some(written.value),
            Ok(_) => {
                form.fault(Diagnostic::error("bad-floor", format!("`{key}` is below zero")).at(place));
                None
            }
            Err(wrong) => {
                form.fault(Diagnostic::error("bad-floor", wrong.to_string()).at(place));
                None
            }
        }
    };
    set(&mut floors.throughput, read("throughput", Unit::Ratio));
    set(&mut floors.p50, read("p50", Unit::Ratio));
    set(&mut floors.p95, read("p95", Unit::Ratio));
    set(&mut floors.p99, read("p99", Unit::Ratio));
    set(&mut floors.failures, read("failures", Unit::Ratio));
    set(&mut floors.cpu, read("cpu", Unit::Ratio));
    set(&mut floors.lock_wait, read("lock_wait", Unit::Ratio));
    set(&mut floors.bytes, read("bytes", Unit::Ratio));
    set(&mut floors.absolute_ms, read("absolute", Unit::Ms));
    set(&mut floors.warm_up_ms, read("warm_up", Unit::Ms));
    set(&mut floors.level, read("level", Unit::Ratio).and_then(|level| known_level(form, level)));
}

/// A level of intervals that means something: from 50% to 99.9%.
fn known_level(form: &Form<'_>, level: f64) -> Option<f64> {
    if (0.5..=0.999).contains(&level) {
        return Some(level);
    }
    let place = form.text("level").map(|level| level.place);
    let fault = Diagnostic::error("bad-level", "the level of an interval is from 50% to 99.9%");
    form.fault(place.map_or(fault.clone(), |place| fault.at(place)));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Settings, Faults> {
        Settings::read(&Source::new("plimsoll.toml", text))
    }

    #[test]
    fn a_project_may_have_its_own_rules_of_errors() {
        let rules = |text| read(text).map(|settings| settings.error_rules);
        assert_eq!(rules("[errors]\nrules = \"errors.toml\"\n"), Ok(Some("errors.toml".to_owned())));
        assert_eq!(rules(""), Ok(None));
    }

    #[test]
    fn floors_are_written_with_their_units() {
        let floors =
            read("[floors]\np50 = \"3%\"\nfailures = \"0.5%\"\nwarm_up = \"2m\"\nabsolute = \"500us\"\n").map(|s| s.floors);
        let wanted = Floors { p50: 0.03, failures: 0.005, warm_up_ms: 120_000.0, absolute_ms: 0.5, ..Floors::default() };
        assert_eq!(floors, Ok(wanted));
        for bad in ["level = \"100%\"", "level = \"5%\"", "p95 = \"-3%\"", "p95 = \"fast\"", "p42 = \"3%\""] {
            assert!(read(&format!("[floors]\n{bad}\n")).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_site_lives_at_a_whole_address() {
        for good in ["", "https://bench.example", "http://10.0.0.1:8080/a/b/"] {
            assert_eq!(read(&format!("[site]\nurl = \"{good}\"\n")).map(|settings| settings.site_url), Ok(good.to_owned()));
        }
        for bad in [
            "bench.example",
            "/benchmarks",
            "javascript:alert(1)",
            "ftp://a",
            "https://",
            "https:///a",
            "https://a b",
            "https://a?b",
            "https://a#b",
        ] {
            let faults = read(&format!("[site]\nurl = \"{bad}\"\n")).err();
            let codes = faults.map(|faults| faults.list().iter().map(|fault| fault.code).collect::<Vec<_>>());
            assert_eq!(codes, Some(vec!["bad-address"]), "{bad}");
        }
    }

    #[test]
    fn links_begin_with_an_address() {
        for good in ["", "/", "/docs/apis/benchmarks/", "https://docs.example/benchmarks", "/d%20e/ü"] {
            assert_eq!(read(&format!("[docs]\nurl = \"{good}\"\n")).map(|settings| settings.docs.url), Ok(good.to_owned()));
        }
        for bad in
            ["javascript:alert(1)", "docs/benchmarks", "./docs", "/a b", "/a)", "/a?b", "/a#b", "/a{b}", "https:/docs", " /a"]
        {
            let faults = read(&format!("[docs]\nurl = \"{bad}\"\n")).err();
            let codes = faults.map(|faults| faults.list().iter().map(|fault| fault.code).collect::<Vec<_>>());
            assert_eq!(codes, Some(vec!["bad-address"]), "{bad}");
        }
    }

    #[test]
    fn a_file_of_rules_has_a_name() {
        let codes = |text| read(text).err().map(|faults| faults.list().iter().map(|fault| fault.code).collect::<Vec<_>>());
        assert_eq!(codes("[errors]\nrules = \" \"\nrulez = 1\n"), Some(vec!["empty-name", "unknown-key"]));
    }
}
