//! Failures of real raw samples, gathered into populations.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Parser;
use plimsoll::cli::Cli;
use plimsoll::cmd::{Exit, Project};
use plimsoll::model::failures::{Origin, Phase, Population, Shape};
use plimsoll::samples::origins::Origins;
use plimsoll::samples::populations::{Cell, Failing, populations};

use super::command::Folder;
use super::material::shared;

/// The populations of a raw CSV file, read row by row with no regard to speed.
fn of_csv(path: &Path) -> Vec<Population> {
    let bytes = plimsoll::fs::read(path).unwrap();
    let mut reader = csv::Reader::from_reader(&*bytes);
    let mut kinds: BTreeMap<_, Vec<Cell>> = BTreeMap::new();
    let mut window: Option<(i64, i64)> = None;
    for row in reader.deserialize::<BTreeMap<String, String>>() {
        let row = row.unwrap();
        let tag = |name: &str| row.get(name).filter(|value| !value.is_empty()).cloned();
        let second = tag("timestamp").unwrap().parse::<i64>().unwrap();
        let phase = match tag("group").as_deref() {
            Some("::setup") => Phase::Setup,
            Some("::teardown") => Phase::Teardown,
            _ => Phase::Test,
        };
        if tag("metric_name").as_deref() != Some("http_req_failed") {
            continue;
        }
        if phase == Phase::Test {
            let (first, last) = window.unwrap_or((second, second));
            window = Some((first.min(second), last.max(second)));
        }
        if row["metric_value"].starts_with('1') {
            let kind = (phase, tag("status"), tag("error_code"), tag("error"));
            kinds.entry(kind).or_default().push(Cell { second, method: tag("method"), name: tag("name"), count: 1 });
        }
    }
    let failing = kinds.into_iter().map(|((phase, status, code, message), cells)| Failing {
        status: status.map(|status| status.parse().unwrap()),
        error_code: code.map(|code| code.parse().unwrap()),
        message,
        phase,
        cells,
    });
    populations(failing.collect(), window, &Origins::built_in())
}

fn second(second: i64) -> plimsoll::model::instant::Moment {
    plimsoll::model::instant::Moment::Instant(chrono::DateTime::from_timestamp(second, 0).unwrap())
}

#[test]
fn a_burst_of_the_platform_and_the_failures_of_the_service_are_two() {
    let Some(file) = shared("data/demo/runs/2.2.0/token_login/1/samples.csv.gz") else { return };
    let found = of_csv(&file);
    let told: Vec<_> = found.iter().map(|one| (one.status, one.count, one.shape, one.origin, one.phase)).collect();
    assert_eq!(
        told,
        [
            (Some(500), 63, Shape::Steady, Origin::Service, Phase::Test),
            (Some(503), 2032, Shape::Burst, Origin::Platform, Phase::Test),
        ]
    );
    assert_eq!((found[1].first, found[1].last), (second(1_796_031_509), second(1_796_031_519)));
}

#[test]
fn what_k6_says_of_broken_connections_has_an_origin() {
    let Some(runs) = shared("data/k6/v2.1.0") else { return };
    let told = |run: &str| {
        let mut told: Vec<_> = of_csv(&runs.join(run).join("metrics.csv"))
            .into_iter()
            .map(|one| (one.status, one.error_code, one.message, one.origin))
            .collect();
        told.sort();
        told.dedup();
        told
    };
    let none = |code, message: &str, origin| (None, Some(code), Some(message.to_owned()), origin);
    assert_eq!(told("refused"), [none(1212, "dial: connection refused", Origin::Platform)]);
    assert_eq!(
        told("exceptions"),
        [
            none(1050, "request timeout", Origin::Unknown),
            none(1212, "dial: connection refused", Origin::Platform),
            none(1220, "read: connection reset by peer", Origin::Platform),
        ]
    );
    assert_eq!(told("mixed"), [(Some(429), Some(1429), None, Origin::Platform), (Some(503), Some(1503), None, Origin::Platform)]);
}

#[test]
fn a_project_has_the_first_word_on_origins() {
    let origins = |folder: &Folder| {
        let typed = ["plimsoll", "--project", folder.path("").to_str().unwrap(), "build"].map(str::to_owned);
        Project::open(&Cli::parse_from(typed).common).unwrap().origins()
    };
    let folder = Folder::new().file("plimsoll.toml", "[errors]\nrules = \"errors.toml\"\n");
    assert_eq!(origins(&folder).unwrap_err().exit(), Exit::Input);
    let folder = folder.file("errors.toml", "[rule.shed]\nstatus = 503\norigin = \"service\"\nreason = \"it sheds load\"\n");
    assert_eq!(origins(&folder).unwrap().of(Some(503), None, None), (Origin::Service, Some("it sheds load")));
    assert_eq!(origins(&folder).unwrap().of(Some(502), None, None).0, Origin::Platform);
    let folder = folder.file("errors.toml", "[rule.shed]\nstatus = 503\n");
    let failure = origins(&folder).unwrap_err();
    assert_eq!(failure.exit(), Exit::Input);
    assert!(failure.to_string().contains("errors.toml:1:1"), "{failure}");
    assert_eq!(origins(&Folder::new()).unwrap().of(Some(503), None, None).0, Origin::Platform);
}
