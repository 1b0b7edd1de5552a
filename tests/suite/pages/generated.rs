//! Records that nobody published: what the writer can say, the reader understands.

use plimsoll::ingest::page::Page;
use plimsoll::model::catalogue::FigureId::{self, *};
use plimsoll::model::environment::{Flag, FlagCapture, FlagState, Flags, Setting, SettingGroup, SettingLayout, Size};
use plimsoll::model::figure::{Figure, Measurement};
use plimsoll::model::page::PageRow;
use plimsoll::model::record::{ErrorKind, Errors, Query, QueryClass, Record, Recorded, StatedShare};
use plimsoll::model::units::{Unit, Written};
use proptest::prelude::*;

use super::{again, same, write};

/// Figures that a page may show, where, and what may be printed.
const FIGURES: &[(FigureId, PageRow)] = &[
    (ContainerCpuP50, PageRow::ServiceMetrics),
    (ContainerCpuP99, PageRow::ServiceMetrics),
    (ContainerCpuPeak, PageRow::ServiceMetrics),
    (ContainerMemoryP50, PageRow::ServiceMetrics),
    (ContainerMemoryPeak, PageRow::ServiceMetrics),
    (ContainerInstancesStartups, PageRow::ServiceMetrics),
    (ServerRequestsPerS, PageRow::ServiceMetrics),
    (ServerLatencyP50, PageRow::ServiceMetrics),
    (ServerLatencyP95, PageRow::ServiceMetrics),
    (ServerLatencyP99, PageRow::ServiceMetrics),
    (PoolMaxOpen, PageRow::ServiceMetrics),
    (PoolMeanWait, PageRow::ServiceMetrics),
    (PoolEmptyRatio, PageRow::ServiceMetrics),
    (ServerErrorLogsPerMin, PageRow::ServiceMetrics),
    (DatabaseCpuMedian, PageRow::DatabaseMetrics),
    (DatabaseCpuPeak, PageRow::DatabaseMetrics),
    (DatabaseMemory, PageRow::DatabaseMetrics),
    (DatabaseConnections, PageRow::DatabaseMetrics),
    (DatabaseTransactionsPerS, PageRow::DatabaseMetrics),
    (DatabaseIopsRead, PageRow::DatabaseMetrics),
    (DatabaseIopsWrite, PageRow::DatabaseMetrics),
    (DatabaseErrorLogsPerMin, PageRow::DatabaseMetrics),
    (DatabaseTopQueryRatio, PageRow::Queries),
    (ClientCpuPeak, PageRow::ClientMachine),
];

fn printed(unit: Unit) -> BoxedStrategy<String> {
    let number = prop_oneof!["[1-9][0-9]{0,2}", "[1-9],[0-9]{3}", "[0-9]{1,2}\\.[0-9]{1,2}"];
    match unit {
        Unit::Ratio => number.prop_map(|n| format!("{n}%")).boxed(),
        Unit::Ms => (number, proptest::sample::select(vec!["ms", "s", " ms", "µs"])).prop_map(|(n, unit)| n + unit).boxed(),
        Unit::PerSecond => (number, proptest::sample::select(vec!["/s", " req/s"])).prop_map(|(n, unit)| n + unit).boxed(),
        Unit::PerMinute => number.prop_map(|n| format!("{n}/min")).boxed(),
        _ => "[1-9][0-9]{0,3}|[1-9][0-9]?,[0-9]{3}".boxed(),
    }
}

fn figure((id, row): (FigureId, PageRow)) -> impl Strategy<Value = Option<(FigureId, Figure)>> {
    let value = printed(id.unit()).prop_map(move |text| {
        let text = if row == PageRow::DatabaseMetrics { text.replace(" req/s", "/s") } else { text };
        let written = Written::read(&text, id.unit()).unwrap();
        (id, Figure::Measured(Measurement::written(written, id.unit()).from(row.place())))
    });
    proptest::option::of(value)
}

fn figures() -> impl Strategy<Value = Vec<(FigureId, Figure)>> {
    FIGURES.iter().copied().map(|one| figure(one).boxed()).collect::<Vec<_>>().prop_map(|all| all.into_iter().flatten().collect())
}

fn words() -> impl Strategy<Value = String> {
    "[A-Z][a-z]{1,8}( [a-z_]{1,8}){0,3}"
}

fn flags() -> impl Strategy<Value = Flags> {
    let state = proptest::sample::select(vec![FlagState::On, FlagState::Off, FlagState::ExplicitlyOff]);
    let level = proptest::option::of(proptest::sample::select(vec!["instance".to_owned(), "system".to_owned()]));
    let flag = ("[a-z]{2,6}[A-Z][a-z]{1,6}", state, level, proptest::collection::vec("[A-Z]{3}_[A-Z_]{2,9}[A-Z]", 0..3));
    let flag = flag.prop_map(|(name, state, level, paths)| Flag {
        name,
        state,
        level,
        paths: if state == FlagState::On { paths } else { Vec::new() },
        base_uri: None,
    });
    let moment = || proptest::option::of(proptest::sample::select(vec!["2026-09-28T16:53:59Z".parse().unwrap()]));
    let capture = (moment(), proptest::option::of(0u64..99), moment(), proptest::option::of(proptest::bool::ANY));
    let capture = capture.prop_map(|(at, sequence, changed, before)| FlagCapture {
        level: "instance".to_owned(),
        when: before.map(|before| if before { "before" } else { "after" }.to_owned()),
        at,
        sequence,
        changed,
    });
    (proptest::collection::vec(flag, 0..6), proptest::option::of(capture)).prop_map(|(mut flags, captured)| {
        flags.sort_by_key(|flag| (flag.state != FlagState::On, !flag.paths.is_empty()));
        Flags { flags, captured }
    })
}

fn settings() -> impl Strategy<Value = Vec<SettingGroup>> {
    let entry = ("[A-Z][a-z]{2,8}[A-Z][a-z]{2,6}", "[0-9]{1,4}(s|ms|m|MB)?").prop_map(|(key, value)| Setting::new(key, value));
    let layout = proptest::bool::ANY.prop_map(|lines| if lines { SettingLayout::Lines } else { SettingLayout::List });
    let group = ("[A-Z][a-z]{2,8} [a-z]{2,8}( \\(v[0-9]\\.[0-9]\\))?", layout, proptest::collection::vec(entry, 1..4));
    proptest::collection::vec(group.prop_map(|(name, layout, entries)| SettingGroup { name, layout, entries }), 0..4)
}

fn queries() -> impl Strategy<Value = Vec<Query>> {
    let name = (words(), "( \\([a-z.]{3,9}\\))?|, [a-z ]{3,9}[a-z]").prop_map(|(a, b)| a + &b);
    let query = (name, proptest::option::of(0u32..90_000), proptest::bool::ANY, proptest::option::of(words()));
    let query = query.prop_map(|(name, seconds, waits, remark)| Query {
        seconds: seconds.map(|tenths| f64::from(tenths) / 10.0),
        class: waits.then_some(QueryClass::LockWait),
        remark: remark.filter(|_| waits),
        ..Query::named(name)
    });
    proptest::collection::vec(query, 0..6)
}

fn errors() -> impl Strategy<Value = Errors> {
    let kind = |what: &'static str| (1u64..99_999, what).prop_map(|(count, what)| ErrorKind { count, what });
    let share = || proptest::option::of((0u64..99_999, 99_999u64..9_999_999, proptest::option::of("[0-9]\\.[0-9]{2}%")));
    let stated = |share: Option<(u64, u64, Option<String>)>| share.map(|(count, of, printed)| StatedShare { count, of, printed });
    let lists = (
        proptest::collection::vec(kind("[a-z]{3,9}( [0-9]{3})?( \\([a-z ]{2,9}\\))?"), 0..3),
        proptest::collection::vec(kind("[a-z ]{3,20}[a-z]"), 0..2),
        proptest::collection::vec(kind("[a-z]{3,9}(, [a-z]{3,9})?( [0-9]{3})?"), 0..3),
    );
    (share(), share(), lists).prop_map(move |(requests, checks, (kinds, aborted, failed))| Errors {
        none: false,
        kinds: if requests.is_some() { kinds } else { Vec::new() },
        failed_checks: if checks.is_some() { failed } else { Vec::new() },
        aborted_iterations: aborted.into_iter().map(|kind| ErrorKind { what: kind.what.trim().to_owned(), ..kind }).collect(),
        requests: stated(requests),
        checks: stated(checks),
        by_status: Vec::new(),
    })
}

fn record() -> impl Strategy<Value = Record> {
    let recorded = proptest::option::of((words(), proptest::option::of(words())));
    let container = (proptest::option::of(1u64..64), proptest::option::of(1u64..64), proptest::option::of(1u64..999));
    (figures(), proptest::option::of(flags()), settings(), queries(), errors(), recorded, container).prop_map(
        |(figures, flags, settings, queries, errors, recorded, (vcpu, max, concurrency))| {
            let mut record = Record::new("v1/basket_flow".parse().unwrap());
            for (id, figure) in figures {
                record.figures.set(id, figure).unwrap();
            }
            // A machine is wanted before its CPU.
            record.environment.client.machine = Some("c4-standard-8".to_owned());
            record.environment.service.flags = flags;
            record.environment.service.settings = settings;
            record.environment.service.container.vcpu = vcpu.map(|n| n as f64);
            record.environment.service.container.memory = Some(Size::read("6 Gi").unwrap());
            record.environment.service.container.max_scale = max;
            record.environment.service.container.concurrency = concurrency;
            record.queries = queries;
            record.errors = errors;
            record.recorded =
                recorded.map(|(label, message)| Recorded { label, message: message.map(|m| m + ".").unwrap_or_default() });
            record
        },
    )
}

#[test]
fn a_further_run_of_a_target_tells_its_label_and_reads_back_the_same() {
    for (title, sidebar) in [(None, None), (Some("basket"), Some("bought (again)")), (Some("bought (again)"), None)] {
        let mut record = Record::new("v1/checkout~again".parse().unwrap());
        record.identity.title = title.map(str::to_owned);
        record.identity.sidebar_label = sidebar.map(str::to_owned);
        let (words, page) = (record.target_words(), Page { record, k6_text: None });
        for layout in super::LAYOUTS {
            let text = super::write_as(layout, &page, false);
            assert!(text.contains(&format!("{words} (again) benchmark of zitadel v1")), "{text}");
            super::same("labelled", &super::again(&text), &page);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(record in record()) {
        let page = Page { record, k6_text: None };
        let text = write(&page, false);
        same(&text, &again(&text), &page);
    }
}
