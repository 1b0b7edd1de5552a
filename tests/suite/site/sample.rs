//! Made-up runs, of one of which everything is known, and of one nothing, and what changed between their releases. `§` stands in every field that may hold
//! any text.

use std::collections::BTreeMap;

use plimsoll::model::address::{Address, Target};
use plimsoll::model::collection::{Archive, Difference, ReleaseRuns, Run};
use plimsoll::model::comparison::{Compared, Comparison};
use plimsoll::model::distribution::Distribution;
use plimsoll::model::failures::{Failures, Origin, Phase, Population, Shape};
use plimsoll::model::finding::{Finding, Level};
use plimsoll::model::record::Record;
use plimsoll::model::series::{Series, SeriesPoint, Traffic, TrendSeries};
use plimsoll::model::verdict::Verdict;
use plimsoll::render::site::method::{Asked, Chart, Ending, Line, Method, RuleText};

/// A site's parts, with every free text replaced.
pub(crate) struct Sample {
    pub(crate) archive: Archive,
    pub(crate) verdicts: BTreeMap<Address, Verdict>,
    pub(crate) drawings: BTreeMap<Address, String>,
    pub(crate) comparisons: Vec<Compared>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) goals: BTreeMap<Target, f64>,
    pub(crate) method: Method,
    pub(crate) words: String,
}

const RECORD: &str = include_str!("../../fixtures/site/record.json");
const VERDICT: &str = include_str!("../../fixtures/site/verdict.json");
const COMPARISON: &str = include_str!("../../fixtures/site/comparison.json");

/// Two releases, four runs, every free text holding the given one.
pub(crate) fn everything(text: &str) -> Sample {
    let filled = |json: &str| json.replace('§', serde_json::to_string(text).unwrap().trim_matches('"'));
    let mut record: Record = serde_json::from_str(&filled(RECORD)).unwrap();
    record.failures = Some(failures(text));
    let verdict: Verdict = serde_json::from_str(&filled(VERDICT)).unwrap();
    let mut repeated = record.clone();
    repeated.overridden = None;
    repeated.identity.label = Some("2".to_owned().try_into().unwrap());
    repeated.environment.database.vcpu = Some(16.0);
    let full = Run {
        differences: vec![Difference {
            what: format!("database.cpu.median {text}"),
            by_hand: format!("97% {text}"),
            by_machine: format!("95% {text}"),
            file: format!("run.toml {text}"),
        }],
        notes: vec![format!("By hand. {text}")],
        k6_text: Some(format!("  █ TOTAL RESULTS\n\n    checks: 99.97% {text}\n")),
        series: Some(series(text, 1_000)),
        record: record.clone(),
    };
    let comparison: Comparison = serde_json::from_str(&filled(COMPARISON)).unwrap();
    let mut earlier = record.clone();
    earlier.overridden = None;
    (earlier.identity.release, earlier.identity.label) =
        ("v2.0.0".to_owned().try_into().unwrap(), Some("2".to_owned().try_into().unwrap()));
    let earlier = Run { record: earlier, series: Some(series(text, 860)), ..full.clone() };
    let bare = |record: Record| Run { record, differences: Vec::new(), notes: Vec::new(), k6_text: None, series: None };
    let (first, second) = (record.address(), repeated.address());
    let nothing: Address = "v2.0.0/checkout".parse().unwrap();
    let release = |name: &str, notes: Vec<String>, runs: Vec<(Address, Run)>| ReleaseRuns {
        name: name.to_owned().try_into().unwrap(),
        order: None,
        notes,
        runs: runs.into_iter().collect(),
    };
    Sample {
        archive: Archive::new(vec![
            release(
                "v2.0.0",
                Vec::new(),
                vec![(nothing.clone(), bare(Record::new(nothing))), (earlier.record.address(), earlier)],
            ),
            release("v2.1.0", vec![format!("New disks. {text}")], vec![(first.clone(), full), (second, bare(repeated))]),
        ]),
        verdicts: BTreeMap::from([(first.clone(), verdict)]),
        drawings: BTreeMap::from([(
            first,
            "<svg class=\"flow\" viewBox=\"0 0 10 10\" role=\"img\"><title>the flow</title></svg>".to_owned(),
        )]),
        comparisons: vec![Compared {
            a: "v2.0.0".to_owned().try_into().unwrap(),
            b: "v2.1.0".to_owned().try_into().unwrap(),
            comparison,
        }],
        findings: vec![finding(None, Level::Error, text), finding(Some("checkout"), Level::Warning, text)],
        goals: BTreeMap::from([("checkout".to_owned().try_into().unwrap(), 500.0)]),
        method: method(text),
        words: format!("words {text}"),
    }
}

/// A flow of one question, a rule, a text of the project's own.
fn method(text: &str) -> Method {
    let own = format!(
        "# How we test {text}\n\n## By night {text}\n\n{text}\n\nSee [the flow](flow.md#outcomes).\n\n| what | n |\n| --- | ---: |\n| a | 1 |\n"
    );
    let line = |name, words: &str| Line { name, text: format!("{words} {text}") };
    Method {
        own: BTreeMap::from([("nights".to_owned(), own)]),
        flow: Chart {
            name: "practice".to_owned(),
            title: format!("words {text}"),
            reading: format!("Thresholds are of our machines. {text}"),
            drawing_svg: "<svg class=\"flow\" viewBox=\"0 0 10 10\" role=\"img\"><title>the flow</title></svg>".to_owned(),
            questions: vec![Asked {
                ask: format!("Is the database busy? {text}"),
                lines: vec![line("when", "database.cpu.median >= 80%"), line("yes", "Scale")],
            }],
            outcomes: vec![Ending { class: "scale", label: format!("Scale {text}"), action: format!("Add a vCPU. {text}") }],
        },
        rules: vec![RuleText {
            code: "littles-law",
            level: Level::Warning,
            title: "Users, iterations and their length don't fit",
            reason: "Users are iterations per second times their `iteration_duration`.",
            hint: "look at the clock",
        }],
    }
}

/// A finding of the later release, or of a run of it.
fn finding(run: Option<&str>, level: Level, text: &str) -> Finding {
    let code = "littles-law".to_owned();
    let (message, hint) = (format!("600 VUs make 425 iterations. {text}"), format!("look at the clock {text}"));
    let accepted = (level == Level::Warning).then(|| format!("known {text}"));
    let (release, run) = ("v2.1.0".to_owned(), run.map(str::to_owned));
    Finding { release, run, code, level, message, figures: BTreeMap::new(), hint, accepted }
}

/// Failures all the time, and a burst.
fn failures(text: &str) -> Failures {
    let moment = |text: &str| text.parse().unwrap();
    let population = |status, shape, count, first, last| Population {
        status,
        error_code: None,
        message: Some(format!("dial {text}")),
        origin: Origin::Platform,
        reason: Some(format!("nobody answered {text}")),
        phase: Phase::Test,
        count,
        first: moment(first),
        last: moment(last),
        peak_per_minute: count,
        shape,
        methods: BTreeMap::from([("POST".to_owned(), count)]),
        names: BTreeMap::from([(format!("pay {text}"), count)]),
        per_minute: Vec::new(),
    };
    Failures {
        schema: 1,
        requests: Some(3_600),
        failed: Some(69),
        populations: vec![
            population(Some(500), Shape::Steady, 9, "2026-03-01T10:00:03Z", "2026-03-01T10:02:57Z"),
            population(None, Shape::Burst, 60, "2026-03-01T10:01:10Z", "2026-03-01T10:01:19Z"),
        ],
        checks: Vec::new(),
    }
}

/// Three minutes of two trends, one of them with a gap and a lone second, and a trend of one point; requests as a distribution, a median
/// second in them as long as the given number of microseconds.
fn series(text: &str, micros: u64) -> Series {
    let point =
        |second: i64, p50: i64, count| SeriesPoint { second: 1_772_359_200 + second, p50, p95: p50 * 3, p99: p50 * 5, count };
    let slow = i64::try_from(micros).unwrap();
    let wave = |at: i64| 18 * slow + (at * 37 % 11) * 700 + if at == 100 { 400_000 } else { 0 };
    let mut requests = Distribution::default();
    for nth in 1..400_u64 {
        requests.add(micros * 1000 * nth / 200 + nth * nth * nth * 30, 5);
    }
    let steady = (0..180).map(|at| point(at, wave(at), Some(20))).collect();
    let gappy = (0..180).filter(|at| !(40..90).contains(at) || *at == 60).map(|at| point(at, 9_000, None)).collect();
    let trend = |points| TrendSeries { points, successes: None };
    Series {
        trends: BTreeMap::from([
            (format!("checkout_duration {text}"), trend(steady)),
            ("pay_duration".to_owned(), trend(gappy)),
            (format!("setup_duration {text}"), trend(vec![point(0, 5_000, None)])),
        ]),
        traffic: Some(Traffic {
            start: 1_772_359_200,
            columns: BTreeMap::from([
                ("http_reqs".to_owned(), vec![20; 180]),
                ("http_req_failed".to_owned(), (0..180).map(|at| if (70..80).contains(&at) { 6 } else { 0 }).collect()),
            ]),
            vus: Vec::new(),
        }),
        distributions: BTreeMap::from([("http_req_duration{expected_response:true}".to_owned(), requests)]),
        ..Series::default()
    }
}
