//! Pages from records that no page was read into.

use super::*;
use crate::model::address::Address;
use crate::model::catalogue::FigureId;
use crate::model::environment::{Setting, SettingGroup, SettingLayout};
use crate::model::figure::{Figure, Measurement};
use crate::model::record::{Note, Override, Query, QueryClass, Recorded, StatusCount};
use crate::model::series::{SeriesPoint, TrendSeries};
use crate::model::stat::Stat;
use crate::model::summary::{Check, Metric, MetricKind, Summary, SummaryKind};
use crate::model::units::Unit;
use crate::model::verdict::{Class, Outcome};

fn record() -> Record {
    let address: Address = "v1/basket_flow~2".parse().unwrap_or_else(|error| unreachable!("{error}"));
    Record::new(address)
}

fn captured(record: &mut Record, id: FigureId, value: f64, unit: Unit) {
    let set = record.figures.set(id, Figure::Measured(Measurement::exact(value, unit)));
    assert!(set.is_ok());
}

fn counted(passes: f64, fails: f64) -> Metric {
    let mut metric = Metric::new(MetricKind::Rate, None);
    metric.values.0.insert(Stat::Passes, Some(passes));
    metric.values.0.insert(Stat::Fails, Some(fails));
    metric
}

fn summary() -> Summary {
    let mut summary = Summary::new(SummaryKind::Text, None);
    summary.metrics.insert("http_req_failed".to_owned(), counted(5.0, 999_995.0));
    summary.metrics.insert("checks".to_owned(), counted(1_999.0, 1.0));
    let check = |name: &str, fails| Check { name: name.to_owned(), group: String::new(), passes: Some(9), fails: Some(fails) };
    summary.checks = vec![check("paid", 1), check("packed", 0)];
    summary
}

fn verdict(label: &str) -> Verdict {
    Verdict {
        release: "v1".to_owned(),
        target: "basket_flow".to_owned(),
        run: "basket_flow~2".to_owned(),
        flow: "practice".to_owned(),
        outcome: Outcome { name: "x".to_owned(), class: Class::Scale, label: label.to_owned(), action: String::new() },
        message: "It is full.".to_owned(),
        path: Vec::new(),
        undetermined: Vec::new(),
        counterfactuals: Vec::new(),
        recorded: None,
        overridden: None,
    }
}

fn layout(profile: Profile) -> Layout<'static> {
    let chart = if profile == Profile::Fumadocs { "@/components/benchmark_chart" } else { "" };
    Layout { profile, url: "", chart }
}

fn run<'a>(record: &'a Record, k6_text: Option<&'a str>) -> DocsRun<'a> {
    let layout = layout(Profile::Fumadocs);
    DocsRun { record, verdict: None, service_name: "Order Desk", series: None, k6_text, layout, position: Some(2) }
}

fn filled(run: &DocsRun<'_>) -> String {
    let templates = Templates::embedded().unwrap_or_else(|faults| unreachable!("{faults}"));
    page(&templates, run).unwrap_or_else(|error| unreachable!("{error}"))
}

fn text(record: &Record, verdict: Option<&Verdict>) -> String {
    filled(&DocsRun { verdict, ..run(record, None) })
}

fn series() -> Series {
    let point = |second| SeriesPoint { second, p50: 1_000, p95: 2_000, p99: 3_000, count: None };
    let trend = |_| TrendSeries { points: (0..60).map(point).collect(), successes: None };
    Series { trends: ["paid", "packed"].map(|name| (name.to_owned(), trend(name))).into(), ..Series::default() }
}

#[test]
fn each_site_has_its_own_page() {
    let mut record = record();
    record.identity.sidebar_label = Some("basket --> again".to_owned());
    record.identity.purpose = Some("See {what} <b> costs, a:b and $1 of $2".to_owned());
    record.notes.push(Note { place: LATENCIES_HEADING.to_owned(), text: "Latencies [#a] {#b}".to_owned() });
    let series = series();
    let pages: Vec<String> = Profile::ALL
        .into_iter()
        .map(|profile| {
            let layout = layout(profile);
            let run = DocsRun { series: Some(&series), layout, ..run(&record, Some("k6 says")) };
            let files: Vec<String> = run.pictures().into_iter().map(|(file, _)| file).collect();
            format!("{profile}, beside it {files:?}\n\n{}", filled(&run))
        })
        .collect();
    insta::assert_snapshot!(pages.join("\n================\n"));
}

/// The value of a row.
fn row(text: &str, name: &str) -> String {
    let line = text.lines().find(|line| line.starts_with(&format!("| {name} "))).unwrap_or_default();
    line.rsplit_once(" | ").map(|(_, value)| value.trim_end_matches(" |").to_owned()).unwrap_or_default()
}

#[test]
fn a_record_that_knows_nothing_makes_a_page_all_the_same() {
    insta::assert_snapshot!(text(&record(), None));
}

#[test]
fn what_was_captured_is_shown_with_its_unit() {
    let mut record = record();
    captured(&mut record, FigureId::ContainerCpuPeak, 0.5, Unit::Ratio);
    captured(&mut record, FigureId::ContainerInstancesMedian, 2.5, Unit::Count);
    captured(&mut record, FigureId::ContainerInstancesStartups, 1.0, Unit::Count);
    captured(&mut record, FigureId::ServerLatencyP95, 1_234.0, Unit::Ms);
    captured(&mut record, FigureId::DatabaseIopsWrite, 1_500.0, Unit::PerSecond);
    let cpu = Measurement::exact(0.969, Unit::Ratio);
    assert!(record.figures.set(FigureId::DatabaseCpuMedian, Figure::Incomplete(cpu)).is_ok());
    let text = text(&record, None);
    assert_eq!(
        row(&text, "Order Desk metrics during test"),
        "CPU: peak 50%<br/>Instances: 2.5 median, 1 container startup<br/>Server-side: latency p95 1.23 s"
    );
    assert_eq!(row(&text, "Database metrics during test"), "CPU: 96.9% (incomplete) median<br/>IOPS: write 1,500/s");
}

#[test]
fn failures_that_nobody_stated_are_k6s_own_counts() {
    let mut record = record();
    record.k6 = Some(summary());
    let told = row(&text(&record, None), "Observed errors");
    assert_eq!(
        told,
        "As k6 counted: 5 of 1,000,000 requests failed (\\< 0.01%). 1 of 2,000 checks failed (0.05%): paid (1 failed)"
    );
    record.errors.by_status =
        vec![StatusCount { status: None, error_code: Some(1050), error: Some("request timeout".to_owned()), requests: 5 }];
    assert!(row(&text(&record, None), "Observed errors").contains("requests failed (\\< 0.01%): 5x request timeout."));
    record.errors.none = true;
    assert_eq!(row(&text(&record, None), "Observed errors"), "none");
}

#[test]
fn failures_of_raw_samples_are_told_by_kind() {
    let mut record = crate::render::populations::example();
    insta::assert_snapshot!(row(&text(&record, None), "Observed errors"));
    record.errors.none = true;
    assert_eq!(row(&text(&record, None), "Observed errors"), "none");
}

#[test]
fn a_computed_verdict_stands_beside_a_recorded_one_that_differs() {
    let outcome = |record: &Record, label: &str| row(&text(record, Some(&verdict(label))), "flowchart outcome");
    let mut record = record();
    assert_eq!(outcome(&record, "Scale"), "Computed by the flow practice: Scale. It is full.");
    record.recorded = Some(Recorded { label: "Scale".to_owned(), message: "So be it.".to_owned() });
    assert_eq!(outcome(&record, "scale"), "Scale. So be it.");
    assert_eq!(outcome(&record, "Done"), "Scale. So be it.<br/>Computed by the flow practice: Done. It is full.");
    record.overridden =
        Some(Override { outcome: "done".to_owned(), reason: "We stop here.".to_owned(), author: Some("Ann".to_owned()) });
    assert_eq!(outcome(&record, "Scale"), "Scale. So be it.<br/>Set by hand: done (Ann). We stop here.");
}

#[test]
fn a_share_of_lock_wait_stands_where_it_is_a_share_of() {
    let mut record = record();
    let share = |of: &str| Figure::Measured(Measurement::exact(0.06, Unit::Ratio).of(of));
    assert!(record.figures.set(FigureId::DatabaseLockWaitRatio, share("top-5 query time")).is_ok());
    record.recorded = Some(Recorded { label: "Scale".to_owned(), message: String::new() });
    assert_eq!(row(&text(&record, None), "flowchart outcome"), "Scale<br/>Lock wait: 6% of the top-5 query time.");
    record.recorded = Some(Recorded { label: "Scale".to_owned(), message: "Waits are 6% of the top-5 query time.".to_owned() });
    assert_eq!(row(&text(&record, None), "flowchart outcome"), "Scale. Waits are 6% of the top-5 query time.");
    assert!(record.figures.set(FigureId::DatabaseLockWaitRatio, share("database time")).is_ok());
    assert_eq!(row(&text(&record, None), "Top 3 most expensive database queries"), "Lock wait: 6% of the database time.");
}

#[test]
fn queries_and_settings_are_in_the_words_of_published_pages() {
    let mut record = record();
    let query = |seconds, class, remark: Option<&str>| Query {
        seconds,
        class,
        remark: remark.map(str::to_owned),
        ..Query::named("Push")
    };
    record.queries = vec![
        query(Some(12_345.5), None, None),
        query(Some(7.000_171_4), Some(QueryClass::LockWait), Some("not work")),
        query(None, Some(QueryClass::LockWait), None),
        query(None, Some(QueryClass::Work), Some("a remark")),
    ];
    let entry = |key: &str, value: &str| Setting::new(key, value);
    let entries = vec![entry("Size", "5"), entry("Age", "1m")];
    record.environment.service.settings = vec![
        SettingGroup { name: "Pool".to_owned(), layout: SettingLayout::List, entries: entries.clone() },
        SettingGroup { name: "Cache".to_owned(), layout: SettingLayout::Lines, entries },
    ];
    record.environment.database.settings =
        vec![SettingGroup { name: "PostgreSQL".to_owned(), layout: SettingLayout::List, entries: vec![entry("jit", "on")] }];
    let text = text(&record, None);
    assert_eq!(row(&text, "Database"), "PostgreSQL: jit on");
    assert_eq!(
        row(&text, "Top 4 most expensive database queries"),
        "1: Push (12,345.5 s)<br/>2: Push — lock wait, not work (7 s)<br/>3: Push — lock wait<br/>4: Push — a remark"
    );
    assert_eq!(row(&text, "Order Desk Settings"), "Pool: Size 5, Age 1m<br/>Cache: Size: 5<br/>Age: 1m");
}

#[test]
fn the_templates_ask_for_what_the_view_has() {
    let templates = Templates::embedded().unwrap_or_else(|faults| unreachable!("{faults}"));
    let record = record();
    let view = serde_json::to_value(view(&run(&record, Some("x")))).unwrap_or_default();
    let mut fields: Vec<String> = view.as_object().map(|view| view.keys().cloned().collect()).unwrap_or_default();
    fields.sort();
    assert_eq!(templates.variables(PAGE_TEMPLATE), fields);
    fields.retain(|field| field != "chart_module");
    assert_eq!(templates.variables(MARKDOWN_TEMPLATE), fields);
}

#[test]
fn k6s_output_can_not_leave_its_fence() {
    let record = record();
    let text = filled(&run(&record, Some("a\n```\n<b>\n````\u{0}\n")));
    assert!(text.contains("\n`````bash\na\n```\n<b>\n````\u{fffd}\n`````\n"), "{text}");
}

#[test]
fn a_module_is_imported_by_a_name_that_javascript_reads() {
    let (record, series) = (record(), series());
    let page = |chart| {
        filled(&DocsRun { series: Some(&series), layout: Layout { chart, ..layout(Profile::Fumadocs) }, ..run(&record, None) })
    };
    assert!(page("@/x").contains("import { BenchmarkChart } from '@/x';\n"));
    assert!(page("it's").contains("import { BenchmarkChart } from \"it's\";\n"));
    let drawn = page("");
    assert!(!drawn.contains("import ") && drawn.contains("](./latencies-paid.svg)\n"), "{drawn}");
}
