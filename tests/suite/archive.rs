//! Store and load are inverses: whatever a record holds is read back as it was written.

use plimsoll::archive::{self, record_json};
use plimsoll::model::address::{Address, Label, Release, Target};
use plimsoll::model::bounds::Bounds;
use plimsoll::model::catalogue::CATALOGUE;
use plimsoll::model::environment::{
    Environment, Flag, FlagCapture, FlagState, Flags, Setting, SettingGroup, SettingLayout, Size,
};
use plimsoll::model::failures::{CheckResult, Failures, MinuteCount, Origin, Phase, Population, Shape};
use plimsoll::model::figure::{Coverage, Figure, Figures, Measurement};
use plimsoll::model::instant::Moment;
use plimsoll::model::phases::{PhaseFigures, Phases};
use plimsoll::model::provenance::Input;
use plimsoll::model::record::{
    ErrorKind, Errors, Note, Override, Query, QueryClass, Record, Recorded, StatedShare, StatusCount, Window, WindowBasis,
};
use plimsoll::model::stat::{Percent, Stat};
use plimsoll::model::summary::{
    Check, Iterations, Metric, MetricKind, MetricUnit, Scenario, ScenarioState, Summary, SummaryKind, Threshold,
};
use plimsoll::source::Source;
use plimsoll::tree::Tree;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

fn text() -> impl Strategy<Value = String> {
    // Everything JSON must escape, and what people and scripts put into names.
    ".{0,16}"
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>().prop_filter("finite", |v| v.is_finite()), (-1_000_000i64..1_000_000).prop_map(|v| v as f64 / 100.0),]
}

fn bounds() -> impl Strategy<Value = Bounds> {
    (finite(), finite()).prop_filter_map("ordered", |(a, b)| Bounds::new(a.min(b), a.max(b)))
}

fn moment() -> impl Strategy<Value = Moment> {
    let second = 0i64..4_000_000_000;
    prop_oneof![
        (second.clone(), 0u32..1000)
            .prop_map(|(s, ms)| Moment::Instant(chrono::DateTime::from_timestamp(s, ms * 1_000_000).unwrap())),
        second.clone().prop_map(|s| Moment::Minute(chrono::DateTime::from_timestamp(s - s % 60, 0).unwrap())),
        (0u32..24, 0u32..60).prop_map(|(h, m)| Moment::TimeOfDay(chrono::NaiveTime::from_hms_opt(h, m, 0).unwrap())),
    ]
}

fn figures() -> impl Strategy<Value = Figures> {
    let measurement = (finite(), option::of(bounds()), option::of(text()), option::of(text()), option::of((0u64..99, 0u64..99)));
    let figure = (0..CATALOGUE.len(), 0..3u8, measurement).prop_map(|(at, state, (value, bounds, printed, of, coverage))| {
        let row = &CATALOGUE[at];
        let mut measurement = Measurement::exact(value, row.unit);
        (measurement.bounds, measurement.printed, measurement.of) = (bounds, printed.clone(), of);
        measurement.coverage = coverage.map(|(seen, expected)| Coverage::of(seen, expected));
        let figure = match state {
            0 => Figure::Measured(measurement),
            1 => Figure::Incomplete(measurement),
            _ => Figure::NotCaptured { reason: printed },
        };
        (row.figure, figure)
    });
    prop::collection::vec(figure, 0..8).prop_map(|list| {
        let mut figures = Figures::default();
        for (id, figure) in list {
            figures.set(id, figure).unwrap();
        }
        figures
    })
}

fn stat() -> impl Strategy<Value = Stat> {
    prop_oneof![
        select(vec![Stat::Count, Stat::Rate, Stat::Passes, Stat::Fails, Stat::Value, Stat::Min, Stat::Avg, Stat::Med, Stat::Max]),
        (0u32..=10_000).prop_map(|p| Stat::Percentile(Percent::new(f64::from(p) / 100.0).unwrap())),
    ]
}

fn metric(depth: u32) -> BoxedStrategy<Metric> {
    let kind = select(vec![MetricKind::Trend, MetricKind::Counter, MetricKind::Rate, MetricKind::Gauge]);
    let unit = option::of(select(vec![MetricUnit::Ms, MetricUnit::Bytes, MetricUnit::Ratio, MetricUnit::Count]));
    let values = prop::collection::btree_map(stat(), option::of(finite()), 0..5);
    let own = (kind, unit, values, prop::collection::btree_map(stat(), bounds(), 0..3));
    let below =
        if depth == 0 { Just(Vec::new()).boxed() } else { prop::collection::vec((text(), metric(depth - 1)), 0..2).boxed() };
    (own, below)
        .prop_map(|((kind, unit, values, bounds), below)| {
            let mut metric = Metric::new(kind, unit);
            metric.values.0 = values;
            metric.bounds = bounds;
            metric.submetrics = below.into_iter().collect();
            metric
        })
        .boxed()
}

fn summary() -> impl Strategy<Value = Summary> {
    let check = (text(), text(), option::of(any::<u64>()), option::of(any::<u64>()));
    let threshold = (text(), text(), option::of(any::<bool>()));
    let scenario = (text(), option::of(any::<u64>()), option::of(any::<u64>()));
    (
        prop::collection::btree_map(text(), metric(1), 0..4),
        prop::collection::vec(check, 0..3),
        prop::collection::vec(threshold, 0..3),
        prop::collection::vec(scenario, 0..2),
        (option::of(finite()), option::of(any::<u64>()), option::of(text()), any::<bool>()),
    )
        .prop_map(|(metrics, checks, thresholds, scenarios, (duration, vus, version, aborted))| {
            let mut summary = Summary::new(SummaryKind::Text, version.clone());
            summary.metrics = metrics;
            summary.checks =
                checks.into_iter().map(|(name, group, passes, fails)| Check { name, group, passes, fails }).collect();
            summary.thresholds =
                thresholds.into_iter().map(|(metric, expression, passed)| Threshold { metric, expression, passed }).collect();
            summary.scenarios = scenarios
                .into_iter()
                .map(|(name, vus, duration_s)| Scenario { name, state: ScenarioState::Done, vus, duration_s })
                .collect();
            (summary.duration_s, summary.vus_max) = (duration, vus);
            summary.iterations = Iterations { complete: vus, interrupted: None };
            (summary.aborted, summary.aborted_by) = (aborted, version.filter(|_| aborted));
            summary
        })
}

fn environment() -> impl Strategy<Value = Environment> {
    let texts = prop::collection::vec(option::of(text()), 8);
    let flag = (text(), 0..3u8, prop::collection::vec(text(), 0..3));
    (texts, option::of(finite()), any::<bool>(), prop::collection::vec(flag, 0..4), option::of(moment())).prop_map(
        |(texts, vcpu, is_list, flags, captured)| {
            let mut environment = Environment::default();
            let mut texts = texts.into_iter();
            let mut next = || texts.next().flatten();
            environment.client.location = next();
            environment.client.machine = next();
            environment.service.version = next();
            environment.service.container.vcpu = vcpu;
            environment.service.container.memory = Size::read("6 Gi").ok();
            environment.database.version = next();
            environment.database.tier = next();
            environment.database.data_cache = Some(is_list);
            let layout = if is_list { SettingLayout::List } else { SettingLayout::Lines };
            let entries = vec![Setting { key: next().unwrap_or_default(), value: next().unwrap_or_default(), default: next() }];
            environment.service.settings = vec![SettingGroup { name: next().unwrap_or_default(), layout, entries }];
            let flags = flags.into_iter().map(|(name, state, paths)| {
                let state = [FlagState::On, FlagState::Off, FlagState::ExplicitlyOff][usize::from(state)];
                Flag { name, state, level: None, paths, base_uri: None }
            });
            let captured = captured.map(|at| FlagCapture {
                level: "instance".into(),
                when: Some("before".into()),
                at: Some(at),
                sequence: Some(7),
                changed: None,
            });
            environment.service.flags = Some(Flags { flags: flags.collect(), captured });
            environment
        },
    )
}

fn errors() -> impl Strategy<Value = Errors> {
    let kind = (any::<u64>(), text()).prop_map(|(count, what)| ErrorKind { count, what });
    let status = (option::of(any::<u16>()), option::of(any::<u32>()), option::of(text()), any::<u64>());
    let share = option::of((any::<u64>(), any::<u64>(), option::of(text())));
    (any::<bool>(), share, prop::collection::vec(kind, 0..3), prop::collection::vec(status, 0..3)).prop_map(
        |(none, share, kinds, by_status)| Errors {
            none,
            requests: share.map(|(count, of, printed)| StatedShare { count, of, printed }),
            checks: None,
            kinds: kinds.clone(),
            aborted_iterations: Vec::new(),
            failed_checks: kinds,
            by_status: by_status
                .into_iter()
                .map(|(status, error_code, error, requests)| StatusCount { status, error_code, error, requests })
                .collect(),
        },
    )
}

fn failures() -> impl Strategy<Value = Failures> {
    let origin = prop_oneof![Just(Origin::Service), Just(Origin::Platform), Just(Origin::Client), Just(Origin::Unknown)];
    let phase = prop_oneof![Just(Phase::Setup), Just(Phase::Test), Just(Phase::Teardown)];
    let shape = prop_oneof![Just(Shape::Burst), Just(Shape::Steady), Just(Shape::Single)];
    let kind = (option::of(any::<u16>()), option::of(any::<u32>()), option::of(text()), option::of(text()));
    let counts = || prop::collection::btree_map(text(), any::<u64>(), 0..3);
    let minutes = prop::collection::vec((moment(), any::<u64>()), 0..3);
    let told = (any::<u64>(), any::<u64>(), moment(), moment());
    let population = (kind, (origin, phase, shape), told, counts(), counts(), minutes).prop_map(
        |(
            (status, error_code, message, reason),
            (origin, phase, shape),
            (count, peak_per_minute, first, last),
            methods,
            names,
            minutes,
        )| {
            let per_minute = minutes.into_iter().map(|(minute, count)| MinuteCount { minute, count }).collect();
            Population {
                status,
                error_code,
                message,
                origin,
                reason,
                phase,
                count,
                first,
                last,
                peak_per_minute,
                shape,
                methods,
                names,
                per_minute,
            }
        },
    );
    let check = (text(), text(), any::<u64>(), any::<u64>(), option::of(moment()), option::of(moment())).prop_map(
        |(name, group, passes, fails, first_failure, last_failure)| CheckResult {
            name,
            group,
            passes,
            fails,
            first_failure,
            last_failure,
        },
    );
    let all = (option::of(any::<u64>()), option::of(any::<u64>()));
    (all, prop::collection::vec(population, 0..3), prop::collection::vec(check, 0..3))
        .prop_map(|((requests, failed), populations, checks)| Failures { schema: 1, requests, failed, populations, checks })
}

fn phases() -> impl Strategy<Value = Phases> {
    let metrics = || prop::collection::btree_map(text(), metric(1), 0..2);
    let part = || (moment(), moment(), metrics()).prop_map(|(first, last, metrics)| PhaseFigures { first, last, metrics });
    let not_finite = prop::collection::btree_map(text(), any::<u64>(), 0..2);
    (finite(), option::of(part()), option::of(part()), option::of(part()), not_finite).prop_map(
        |(resolution_s, setup, test, teardown, not_finite)| {
            let is_cut = not_finite.is_empty();
            Phases { resolution_s, setup, test, teardown, is_cut, not_finite }
        },
    )
}

fn record() -> impl Strategy<Value = Record> {
    let name = "([a-z0-9_-][a-z0-9_.-]{0,7})?[a-z0-9]";
    let query = (text(), option::of(finite()), option::of(any::<bool>()), option::of(text()));
    (
        (name, name, option::of(name), prop::collection::vec(option::of(text()), 6), option::of(any::<bool>())),
        environment(),
        (option::of(moment()), option::of(moment()), option::of(finite())),
        option::of(summary()),
        (figures(), figures()),
        (errors(), option::of(failures()), option::of(phases())),
        prop::collection::vec(query, 0..3),
        prop::collection::vec((text(), text()), 0..3),
    )
        .prop_map(
            |(
                (release, target, label, texts, deferrable),
                environment,
                (start, end, length),
                k6,
                figures,
                (errors, failures, phases),
                queries,
                notes,
            )| {
                let mut record = Record::new(Address {
                    release: Release::new(&release).unwrap(),
                    target: Target::new(&target).unwrap(),
                    label: label.map(|label| Label::new(&label).unwrap()),
                });
                let mut texts = texts.into_iter();
                let mut next = || texts.next().flatten();
                record.identity.title = next();
                record.identity.purpose = next();
                record.identity.deferrable = deferrable;
                record.recorded = next().map(|label| Recorded { label, message: "x".into() });
                record.overridden = next().map(|outcome| Override { outcome, reason: "because".into(), author: None });
                record.provenance = next().into_iter().map(|path| Input::of(path, "page", b"bytes")).collect();
                record.environment = environment;
                record.window = Window { start, end, duration_s: length, basis: start.map(|_| WindowBasis::Stamps) };
                record.k6 = k6;
                (record.figures, record.stated) = figures;
                (record.errors, record.failures, record.phases) = (errors, failures, phases);
                record.queries = queries
                    .into_iter()
                    .map(|(name, seconds, waits, remark)| Query {
                        seconds,
                        class: waits.map(|waits| if waits { QueryClass::LockWait } else { QueryClass::Work }),
                        remark,
                        calls: seconds.map(|_| 3),
                        ..Query::named(name)
                    })
                    .collect();
                record.notes = notes.into_iter().map(|(place, text)| Note { place, text }).collect();
                record
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn a_record_is_read_as_it_was_written(record in record()) {
        let text = record_json::write(&record);
        let read = record_json::read(&Source::new("record.json", text.clone())).map_err(|f| TestCaseError::fail(f.to_string()))?;
        prop_assert_eq!(&read, &record);
        prop_assert_eq!(record_json::write(&read), text);
    }

    #[test]
    fn an_archive_is_loaded_as_it_was_stored(record in record()) {
        let tree = archive::files(&record, Some("k6 text\n"), None);
        let archive = archive::load(&tree, "data").map_err(|f| TestCaseError::fail(f.to_string()))?;
        let run = archive.run(&record.address()).expect("the run is there");
        prop_assert_eq!(&run.record, &record);
        prop_assert_eq!(run.k6_text.as_deref(), Some("k6 text\n"));
    }

    #[test]
    fn no_record_text_makes_it_panic(text in ".{0,200}", cut in 0usize..4000) {
        let _ = record_json::read(&Source::new("record.json", text));
        let whole = record_json::write(&Record::new("v1/a".parse().unwrap()));
        let cut: String = whole.chars().take(cut).collect();
        let _ = record_json::read(&Source::new("record.json", cut));
    }
}

fn load(files: &[(&str, &str)]) -> Result<plimsoll::model::collection::Archive, String> {
    let mut tree = Tree::new();
    for (path, text) in files {
        tree.insert(*path, *text).unwrap();
    }
    archive::load(&tree, "data").map_err(|faults| faults.to_string())
}

#[test]
fn the_shipped_series_are_written_as_they_lie_there() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let folders = |path: &std::path::Path| std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = folders(&data).flat_map(|release| folders(&release).map(|run| run.join("series.json")).collect::<Vec<_>>());
    let texts: Vec<String> = files.filter_map(|file| std::fs::read_to_string(file).ok()).collect();
    assert!(texts.len() > 10);
    for text in texts {
        let series = plimsoll::archive::series_json::read(&Source::new("series.json", text.clone())).unwrap();
        assert!(plimsoll::archive::series_json::write(&series) == text);
    }
}

#[test]
fn a_record_of_a_newer_schema_is_refused_with_its_place() {
    let faults = load(&[("v1/a/record.json", "{\n  \"schema\": 2,\n  \"new\": true\n}\n")]).unwrap_err();
    insta::assert_snapshot!(faults);
}

#[test]
fn the_faults_of_all_files_come_out_at_once() {
    let record = record_json::write(&Record::new("v1/a".parse().unwrap()));
    let faults = load(&[
        ("v1/a/record.json", &record[..40]),
        ("v1/b/record.json", &record),
        ("v1/c/run.toml", "purpose = \"x\"\n"),
        ("v2/a/record.json", &record.replace("v1", "v2")),
        ("v2/a/run.toml", "purpos = 1\n"),
        ("v2/release.toml", "order = \"first\"\n"),
    ])
    .unwrap_err();
    insta::assert_snapshot!(faults);
}

#[test]
fn releases_sort_by_order_else_by_version_and_the_previous_run_is_found() {
    let record = |release: &str, run: &str, start: &str| {
        let mut record = Record::new(format!("{release}/{run}").parse().unwrap());
        record.window.start = start.parse().ok();
        record_json::write(&record)
    };
    let archive = load(&[
        ("v4/a/record.json", &record("v4", "a", "")),
        ("v4.17.1/a/record.json", &record("v4.17.1", "a", "2026-08-27 10:00:00 UTC")),
        ("v4.17.1/a~2/record.json", &record("v4.17.1", "a~2", "2026-08-27 11:00:00 UTC")),
        ("v4.17.1/a~3/record.json", &record("v4.17.1", "a~3", "2026-08-27 12:00:00 UTC")),
        ("v4.2/b/record.json", &record("v4.2", "b", "")),
    ])
    .unwrap();
    let names: Vec<&str> = archive.releases().iter().map(|release| release.name.as_str()).collect();
    assert_eq!(names, ["v4", "v4.2", "v4.17.1"]);
    let previous = |run: &str| archive.previous(&run.parse().unwrap()).map(|(address, _)| address.to_string());
    assert_eq!(previous("v4.17.1/a~3"), Some("v4.17.1/a~2".into()));
    assert_eq!(previous("v4.17.1/a~2"), Some("v4.17.1/a".into()));
    assert_eq!(previous("v4.17.1/a"), Some("v4/a".into()));
    assert_eq!(previous("v4.2/b"), None);
}
