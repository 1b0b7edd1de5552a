//! `plimsoll diff`: what changed between two releases or runs.

use std::collections::BTreeSet;

use super::live::unmade;
use super::project::counted;
use super::{Exit, Failure, Project, Streams, Tone, deliver};
use crate::cli::{self, DiffFormat};
use crate::diagnostic::{Diagnostic, near};
use crate::diff::{self, Input, Side, contract};
use crate::model::address::{Address, Pattern};
use crate::model::collection::{Archive, ReleaseRuns, Run};
use crate::model::comparison::{Comparability, Comparison, Decision, Judgement, Level, Presence};
use crate::render::comparison::{Detail, calibration, github, json, junit, markdown, nothing_compared, text};
use crate::render::site;
use crate::render::site::comparison::AloneInput;
use crate::secrets::{masked, masked_value};
use crate::settings::AcceptedKey;

/// What `--fail-on` takes beside the decisions.
const NO_DECISION: &str = "none";

/// Compares two sides and writes the report; then the exit status.
pub(super) fn run(args: &cli::Diff, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let fail_on = decisions(&args.fail_on)?;
    let (Some(a), Some(b)) = (&args.a, &args.b) else { return calibrate(args, project, streams) };
    for warning in unknown_keys(&project.settings.contract_accept) {
        streams.tell(&warning);
    }
    let archive = project.archive()?;
    let (a, b) = sides(&archive, [a, b], &args.target, streams)?;
    let flow = project.flow(None)?;
    project.check_overrides(&flow, &[a.runs.as_slice(), b.runs.as_slice()].concat())?;
    let judge = |address: &Address, run: &Run| Judgement::from(project.judge(&flow, &archive, address, run));
    let comparison = diff::compare(&Input { archive: &archive, a, b, settings: &project.settings, judge: &judge });
    let comparison = masked_value(comparison)?;
    let detail = if streams.tone == Tone::Verbose { Detail::Whole } else { Detail::Brief };
    deliver(&masked(&report(&comparison, (args.format, detail), &archive, project)?), args.out.as_deref(), streams)?;
    Ok(conclude(&comparison, &fail_on, streams))
}

fn report(
    comparison: &Comparison,
    (format, detail): (DiffFormat, Detail),
    archive: &Archive,
    project: &Project,
) -> Result<String, Failure> {
    match format {
        DiffFormat::Text => Ok(text::text(comparison, detail)),
        DiffFormat::Json => json(comparison).map_err(|error| Failure::Defect(error.to_string())),
        DiffFormat::Markdown => Ok(markdown::markdown(comparison)),
        DiffFormat::Junit => junit::junit(comparison).map_err(|error| Failure::Defect(error.to_string())),
        DiffFormat::Github => Ok(github::github(comparison)),
        DiffFormat::Html => page(comparison, archive, project),
    }
}

/// The report as one HTML file that holds all it needs.
fn page(comparison: &Comparison, archive: &Archive, project: &Project) -> Result<String, Failure> {
    let templates = project.templates()?;
    let service_name = &project.settings.service_name;
    let input = AloneInput { comparison, archive, service_name, templates: &templates };
    site::comparison::page(&input).map_err(|error| unmade(&error))
}

/// The exit status, and why nothing could be compared where that is so.
fn conclude(comparison: &Comparison, fail_on: &BTreeSet<Decision>, streams: &mut Streams<'_>) -> Exit {
    if let Some(why) = nothing_compared(comparison) {
        let warning = Diagnostic::warning("nothing-compared", why);
        streams.tell(&match acceptable(comparison) {
            Some(key) => warning.help(format!("accept a difference that has no effect, in plimsoll.toml: {}", acceptance(key))),
            None => warning,
        });
        return Exit::Misuse;
    }
    if fails(comparison, fail_on) { Exit::No } else { Exit::Yes }
}

/// The first key that blocks and that nobody accepted.
fn acceptable(comparison: &Comparison) -> Option<&str> {
    let both = comparison.targets.iter().filter(|target| target.presence == Presence::Both);
    let mut differences = both.flat_map(|target| &target.contract.differences);
    let blocks = differences.find(|difference| difference.level == Level::Blocking && difference.accepted.is_none());
    blocks.map(|difference| difference.key.as_str())
}

/// What is written to accept a key.
fn acceptance(key: &str) -> String {
    format!("[contract] accept = [{{ key = \"{key}\", reason = \"why\" }}]")
}

/// Whether one of the decisions is among the changes; a target that is new, gone or not comparable counts as a whole too, with no metric
/// in common.
fn fails(comparison: &Comparison, fail_on: &BTreeSet<Decision>) -> bool {
    comparison.targets.iter().any(|target| {
        let whole = match (target.presence, target.contract.verdict) {
            (Presence::New, _) => Some(Decision::New),
            (Presence::Gone, _) => Some(Decision::Gone),
            (Presence::Both, Comparability::NotComparable) => Some(Decision::NotComparable),
            (Presence::Both, _) => None,
        };
        target.changes.iter().map(|change| change.decision).chain(whole).any(|decision| fail_on.contains(&decision))
    })
}

/// How often the decisions are wrong over the archive's repeats.
fn calibrate(args: &cli::Diff, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let known = diff::calibrate(&project.archive()?, &project.settings);
    let told = match args.format {
        DiffFormat::Text => calibration::text(&known),
        DiffFormat::Json => calibration::json(&known).map_err(|error| Failure::Defect(error.to_string()))?,
        _ => {
            let fault = Diagnostic::error("bad-format", "a calibration is printed as text or json");
            return Err(Failure::Misuse(fault.help("--calibrate --format json")));
        }
    };
    deliver(&told, args.out.as_deref(), streams)?;
    if known.pairs.is_empty() {
        let fault = Diagnostic::warning("no-repeats", "the archive holds no two runs that are repeats of one another");
        streams.tell(&fault.help("run a target again on the same build and setup, and ingest it with --label 2"));
        return Ok(Exit::Misuse);
    }
    Ok(Exit::Yes)
}

/// A warning for each accepted key that no difference can have.
fn unknown_keys(accepted: &[AcceptedKey]) -> Vec<Diagnostic> {
    let unknown = accepted.iter().filter(|accepted| !contract::is_key(&accepted.key) || accepted.key.contains('*'));
    unknown.map(|accepted| unknown_key(&accepted.key)).collect()
}

fn unknown_key(key: &str) -> Diagnostic {
    let message = format!("`[contract] accept` of plimsoll.toml names `{key}`, which is no key of the contract");
    let warning = Diagnostic::warning("unknown-contract-key", message);
    let above = key.trim().trim_end_matches(['*', '.']);
    if key.contains('*') && contract::is_key(above) {
        return warning.help(format!("a key covers all below it: write `{above}`"));
    }
    let all = contract::keys().collect::<Vec<_>>().join(", ");
    warning.note(format!("keys: {all}")).suggest(key, contract::keys())
}

/// The decisions of `--fail-on`.
fn decisions(names: &[String]) -> Result<BTreeSet<Decision>, Failure> {
    let known = Decision::ALL.map(Decision::name);
    let mut found = BTreeSet::new();
    for name in names.iter().map(|name| name.trim()).filter(|name| *name != NO_DECISION) {
        let fault = || {
            let fault = Diagnostic::error("unknown-decision", format!("`{name}` is no decision of a comparison"));
            let fault = fault.note(format!("there are {}, and {NO_DECISION}", known.join(", ")));
            Failure::Misuse(fault.suggest(name, known.into_iter().chain([NO_DECISION])))
        };
        found.insert(name.parse().map_err(|_| fault())?);
    }
    if !found.is_empty() && names.iter().any(|name| name.trim() == NO_DECISION) {
        return Err(Failure::misuse("bad-fail-on", "`none` goes with no other decision in --fail-on"));
    }
    Ok(found)
}

/// Both sides, of the targets that were asked for. All faults are told.
fn sides<'a>(
    archive: &'a Archive,
    names: [&String; 2],
    targets: &[String],
    streams: &mut Streams<'_>,
) -> Result<(Side<'a>, Side<'a>), Failure> {
    let [a, b] = names.map(|name| side(archive, name));
    let mut faults: Vec<Diagnostic> = [a.as_ref().err(), b.as_ref().err()].into_iter().flatten().cloned().collect();
    // The same name twice is one fault.
    faults.dedup();
    let patterns = targets.iter().map(|target| pattern(target)).collect::<Vec<_>>();
    faults.extend(patterns.iter().filter_map(|pattern| pattern.as_ref().err()).cloned());
    let (Ok(mut a), Ok(mut b)) = (a, b) else { return Err(misuse(faults, streams)) };
    for (target, pattern) in targets.iter().zip(&patterns) {
        let is_met = |pattern: &Pattern| a.runs.iter().chain(&b.runs).any(|(address, _)| is_chosen(address, pattern));
        if pattern.as_ref().is_ok_and(|pattern| !is_met(pattern)) {
            faults.push(unknown_target(target, &a, &b));
        }
    }
    if !faults.is_empty() {
        return Err(misuse(faults, streams));
    }
    let patterns: Vec<Pattern> = patterns.into_iter().flatten().collect();
    for side in [&mut a, &mut b] {
        side.runs.retain(|(address, _)| patterns.is_empty() || patterns.iter().any(|pattern| is_chosen(address, pattern)));
    }
    Ok((a, b))
}

/// Tells all faults but the last, which is the failure.
fn misuse(mut faults: Vec<Diagnostic>, streams: &mut Streams<'_>) -> Failure {
    let last = faults.pop().unwrap_or_else(|| Diagnostic::error("no-sides", "there is nothing to compare"));
    for fault in &faults {
        streams.tell(fault);
    }
    Failure::Misuse(last)
}

/// The runs that RELEASE or RELEASE/RUN names.
fn side<'a>(archive: &'a Archive, name: &str) -> Result<Side<'a>, Diagnostic> {
    if name.contains('*') {
        let fault = Diagnostic::error("bad-side", format!("`{name}` is a choice of several; a side is one release or run"));
        return Err(fault.help("name RELEASE or RELEASE/RUN; --target chooses targets"));
    }
    let (release, run) = name.split_once('/').map_or((name, None), |(release, run)| (release, Some(run)));
    let known = archive.releases();
    let Some(found) = known.iter().find(|known| known.name.as_str() == release) else {
        return Err(unknown_release(release, known));
    };
    let runs: Vec<(&Address, &Run)> =
        found.runs.iter().filter(|(address, _)| run.is_none_or(|run| address.run() == run)).collect();
    match run {
        Some(run) if runs.is_empty() => Err(unknown_run(run, found)),
        _ => Ok(Side { name: name.to_owned(), runs }),
    }
}

fn unknown_release(release: &str, known: &[ReleaseRuns]) -> Diagnostic {
    let fault = Diagnostic::error("unknown-release", format!("the archive has no release `{release}`"));
    if known.is_empty() {
        return fault.note("it holds no run").help("make records first: plimsoll ingest PATH...");
    }
    let names: Vec<&str> = known.iter().map(|release| release.name.as_str()).collect();
    let fault = fault.note(format!("releases: {}", names.join(", ")));
    match near(release, names.iter().copied()).or_else(|| begun(release, &names)) {
        Some(name) => fault.help(format!("did you mean `{name}`?")),
        None => fault,
    }
}

/// The first name that goes on where a given one ends, with or without its `v`: `2.0` for `2.0.0`.
fn begun<'a>(given: &str, names: &[&'a str]) -> Option<&'a str> {
    let bare = |name: &'_ str| name.strip_prefix('v').unwrap_or(name).to_owned();
    let given = bare(given);
    names.iter().copied().find(|name| !given.is_empty() && bare(name).starts_with(&given))
}

fn unknown_run(run: &str, release: &ReleaseRuns) -> Diagnostic {
    let runs: Vec<String> = release.runs.keys().map(Address::run).collect();
    let fault = Diagnostic::error("unknown-run", format!("release {} has no run `{run}`", release.name));
    let fault = fault.note(format!("its runs: {}", runs.join(", ")));
    match near(run, runs.iter().map(String::as_str)) {
        Some(name) => fault.help(format!("did you mean `{}/{name}`?", release.name)),
        None => fault,
    }
}

fn unknown_target(target: &str, a: &Side<'_>, b: &Side<'_>) -> Diagnostic {
    let known: BTreeSet<&str> = a.runs.iter().chain(&b.runs).map(|(address, _)| address.target.as_str()).collect();
    let fault = Diagnostic::error("unknown-target", format!("neither {} nor {} has a target `{target}`", a.name, b.name));
    let all = known.iter().copied().collect::<Vec<_>>().join(", ");
    fault.note(format!("{}: {all}", counted(known.len(), "target"))).suggest(target, known)
}

/// A target or several, with `*`.
fn pattern(target: &str) -> Result<Pattern, Diagnostic> {
    let fault = || Diagnostic::error("bad-target", format!("`{target}` is no target (a name, which may have `*` in it)"));
    Pattern::new(&format!("*/{target}")).map_err(|_| fault())
}

/// Whether a run is of a target that a pattern chooses, whatever its label.
fn is_chosen(address: &Address, pattern: &Pattern) -> bool {
    pattern.matches(&Address { label: None, ..address.clone() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::record::Record;

    fn archive() -> Archive {
        let releases = ["v4.17.1", "v4.19.2"].map(|release| {
            let runs = ["otp_session", "otp_session~2", "add_session"].map(|run| {
                let address: Address = format!("{release}/{run}").parse().unwrap_or_else(|bad| unreachable!("{bad}"));
                let record = Record::new(address.clone());
                (address, Run { record, differences: Vec::new(), notes: Vec::new(), k6_text: None, series: None })
            });
            let name = release.to_owned().try_into().unwrap_or_else(|bad| unreachable!("{bad}"));
            ReleaseRuns { name, order: None, notes: Vec::new(), runs: BTreeMap::from(runs) }
        });
        Archive::new(releases.to_vec())
    }

    /// The names of the runs that are compared, or all that is said.
    fn chosen(a: &str, b: &str, targets: &[&str]) -> Result<[Vec<String>; 2], String> {
        let (mut out, mut talk) = (Vec::new(), Vec::new());
        let mut streams = Streams { out: &mut out, talk: &mut talk, colour: false, tone: Tone::Usual, watched: false };
        let targets: Vec<String> = targets.iter().map(|target| (*target).to_owned()).collect();
        let archive = archive();
        let found = sides(&archive, [&a.to_owned(), &b.to_owned()], &targets, &mut streams);
        let runs = |side: Side<'_>| side.runs.iter().map(|(address, _)| address.run()).collect();
        match found {
            Ok((a, b)) => Ok([runs(a), runs(b)]),
            Err(failure) => {
                streams.complain(&failure);
                assert_eq!(failure.exit(), Exit::Misuse);
                Err(String::from_utf8_lossy(&talk).into_owned())
            }
        }
    }

    #[test]
    fn a_side_is_a_release_or_one_run_of_it() {
        let all = ["add_session", "otp_session", "otp_session~2"].map(str::to_owned).to_vec();
        assert_eq!(chosen("v4.17.1", "v4.19.2", &[]), Ok([all.clone(), all.clone()]));
        assert_eq!(chosen("v4.17.1/otp_session~2", "v4.19.2", &[]), Ok([vec!["otp_session~2".to_owned()], all]));
    }

    #[test]
    fn the_beginning_of_a_release_leads_to_it() {
        assert_eq!(begun("4.19", &["v4.17.1", "v4.19.2"]), Some("v4.19.2"));
        assert_eq!(begun("v5", &["v4.17.1", "v4.19.2"]), None);
        assert_eq!(begun("v", &["v4.17.1"]), None);
    }

    #[test]
    fn a_target_is_chosen_with_its_repeats() {
        let otp = ["otp_session", "otp_session~2"].map(str::to_owned).to_vec();
        assert_eq!(chosen("v4.17.1", "v4.19.2", &["otp*"]), Ok([otp.clone(), otp]));
        let add = vec!["add_session".to_owned()];
        assert_eq!(chosen("v4.17.1/add_session", "v4.19.2", &["add_session"]), Ok([add.clone(), add]));
    }

    #[test]
    fn all_names_that_lead_nowhere_are_told_with_near_ones() {
        let both = chosen("v4.17", "v4.19.2/otp_sesion", &["a/b"]).err().unwrap_or_default();
        insta::assert_snapshot!(both);
        let target = chosen("v4.17.1", "v4.19.2", &["otp_sesion", "zzz"]).err().unwrap_or_default();
        insta::assert_snapshot!(target);
    }

    #[test]
    fn one_name_given_twice_is_one_fault() {
        let told = chosen("v3", "v3", &[]).err().unwrap_or_default();
        assert_eq!(told.matches("error").count(), 1, "{told}");
        let several = chosen("v4*", "v4.19.2", &[]).err().unwrap_or_default();
        assert!(several.contains("bad-side"), "{several}");
    }

    #[test]
    fn what_fails_is_a_decision_or_none() {
        let read = |names: &[&str]| decisions(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(read(&["none"]).ok(), Some(BTreeSet::new()));
        let two = BTreeSet::from([Decision::Regression, Decision::NotComparable]);
        assert_eq!(read(&["not-comparable", " regression"]).ok(), Some(two));
        let wrong = read(&["regresion"]).err().map(|failure| failure.to_string()).unwrap_or_default();
        assert!(wrong.contains("did you mean `regression`?") && wrong.contains("and none"), "{wrong}");
        assert!(read(&["none", "new"]).is_err());
    }

    #[test]
    fn an_accepted_key_that_no_difference_can_have_is_told() {
        let key = |key: &str| AcceptedKey { key: key.to_owned(), reason: "why".to_owned() };
        assert_eq!(unknown_keys(&[key("database.memory"), key("service.flags.tokenExchange")]), Vec::new());
        let told = unknown_keys(&[key("database.memry")]);
        assert_eq!(told.iter().map(|one| one.help.as_deref()).collect::<Vec<_>>(), [Some("did you mean `database.memory`?")]);
        let told = unknown_keys(&[key("service.flags.*"), key("*")]);
        let helps = told.iter().map(|one| one.help.as_deref()).collect::<Vec<_>>();
        assert_eq!(helps, [Some("a key covers all below it: write `service.flags`"), None]);
    }
}
