//! Comparisons made up for tests: one with everything there can be, hostile names, many targets, any at all.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::model::bounds::Bounds;
use crate::model::catalogue::FigureId;
use crate::model::comparison::{
    Accepted, Area, Basis, Change, Comparability, Comparison, Contract, Counted, Decision, Difference, Drift, FigurePair,
    Finding, Headline, Incident, Judgement, KeyDifference, Kind, Level, Matched, Method, Missing, Noise, NoiseOrigin, Outcomes,
    Presence, QueryChange, RunAccount, SCHEMA, SettingChange, Side, Steadiness, TargetComparison, Without,
};
use crate::model::record::Recorded;
use crate::model::units::Unit;
use crate::model::verdict::Class;

fn bounds(lo: f64, hi: f64) -> Bounds {
    Bounds::new(lo.min(hi), lo.max(hi)).unwrap_or_else(|| unreachable!("finite"))
}

fn method(accepted: Vec<Accepted>) -> Method {
    let floors = BTreeMap::from([(Kind::Throughput, 0.05), (Kind::P95, 0.07), (Kind::Failures, 0.001)]);
    Method { level: 0.95, warm_up_s: 60.0, resamples: 2000, floors, floor_ms: 2.0, accepted }
}

/// A comparison of targets, its headline counted.
pub(in crate::render) fn comparison(a: &str, b: &str, sentence: &str, targets: Vec<TargetComparison>) -> Comparison {
    let both = |is: &dyn Fn(&TargetComparison) -> bool| {
        u32::try_from(targets.iter().filter(|target| target.presence == Presence::Both && is(target)).count()).unwrap_or(u32::MAX)
    };
    let mut decisions: BTreeMap<Decision, u32> = BTreeMap::new();
    for change in targets.iter().flat_map(|target| &target.changes) {
        *decisions.entry(change.decision).or_default() += 1;
    }
    let headline = Headline {
        sentence: sentence.to_owned(),
        targets: both(&|_| true),
        comparable: both(&|target| target.contract.verdict != Comparability::NotComparable),
        weakened: both(&|target| target.contract.verdict == Comparability::Weakened),
        comparisons: decisions.iter().filter(|(decision, _)| decision.is_compared()).map(|(_, count)| count).sum(),
        found: Vec::new(),
        decisions,
    };
    Comparison { schema: SCHEMA, a: a.to_owned(), b: b.to_owned(), method: method(Vec::new()), headline, targets }
}

pub(in crate::render) fn target(name: &str, verdict: Comparability, changes: Vec<Change>) -> TargetComparison {
    TargetComparison {
        target: name.to_owned(),
        presence: Presence::Both,
        contract: Contract {
            verdict,
            differences: Vec::new(),
            alike: vec!["vus".to_owned(), "database.memory".to_owned()],
            unknown: Vec::new(),
        },
        runs: Vec::new(),
        same_runs: false,
        closed_model: true,
        changes,
        missing: Vec::new(),
        outcome: Outcomes::default(),
        figures: Vec::new(),
        queries: Vec::new(),
        settings: Vec::new(),
        drift: Vec::new(),
        notes: Vec::new(),
    }
}

fn alone(name: &str, presence: Presence, decision: Decision) -> TargetComparison {
    let mut one = change("throughput", Kind::Throughput, 812.0, 1.0, decision);
    (one.ratio, one.interval, one.basis, one.noise) = (None, None, None, None);
    if presence == Presence::New {
        one.a = None;
    } else {
        one.b = None;
    }
    TargetComparison { presence, closed_model: false, ..target(name, Comparability::Comparable, vec![one]) }
}

/// A change of a metric of the kind's own unit, from a value by a ratio; of shares, by a difference.
pub(in crate::render) fn change(metric: &str, kind: Kind, a: f64, ratio: f64, decision: Decision) -> Change {
    let unit = match kind {
        Kind::Throughput => Unit::PerSecond,
        Kind::P50 | Kind::P95 | Kind::P99 | Kind::Cpu => Unit::Ms,
        Kind::Failures | Kind::LockWait => Unit::Ratio,
        Kind::Bytes => Unit::Bytes,
    };
    let is_share = kind.is_share();
    let b = if is_share { a + ratio } else { a * ratio };
    let is_compared = decision.is_compared();
    Change {
        metric: metric.to_owned(),
        kind,
        of: None,
        unit,
        a: Some(a),
        b: Some(b),
        run_a: Some(a),
        run_b: Some(b),
        bounds_a: None,
        bounds_b: None,
        counted_a: None,
        counted_b: None,
        runs_a: 1,
        runs_b: 1,
        ratio: (!is_share && is_compared).then_some(ratio),
        interval: (!is_share && is_compared).then(|| bounds(ratio * 0.95, ratio * 1.05)),
        difference: (is_share && is_compared)
            .then(|| Difference { value: ratio, interval: Some(bounds(ratio - 0.002, ratio + 0.002)) }),
        floor: if is_share { 0.001 } else { 0.05 },
        decision,
        detectable: is_compared.then_some(if is_share { 0.003 } else { 0.12 }),
        basis: Some(Basis::Samples),
        noise: Some(noise(NoiseOrigin::Repeats, Some(12))),
        without_incidents: None,
        notes: Vec::new(),
    }
}

fn noise(origin: NoiseOrigin, degrees: Option<u32>) -> Noise {
    Noise {
        within: Some(0.01),
        within_by_batches: Some(0.012),
        between: 0.04,
        origin,
        degrees,
        block_s: Some(30),
        effective: Some([31.0, 28.5]),
    }
}

/// A change with another basis and another origin of its noise.
fn resting(mut change: Change, basis: Basis, origin: NoiseOrigin) -> Change {
    change.basis = Some(basis);
    change.noise = Some(noise(origin, (origin == NoiseOrigin::RepeatsOfTarget).then_some(1)));
    change
}

fn of(mut change: Change, endpoint: &str) -> Change {
    change.of = Some(endpoint.to_owned());
    change
}

fn key(key: &str, level: Level, a: Option<&str>, b: Option<&str>) -> KeyDifference {
    let [a, b] = [a, b].map(|value| value.map(str::to_owned));
    KeyDifference { key: key.to_owned(), level, a, b, behavioural: key.starts_with("bytes"), accepted: None }
}

fn run(side: Side, run: &str) -> RunAccount {
    RunAccount {
        side,
        run: run.to_owned(),
        start: "2026-08-27T16:03:44Z".parse().ok(),
        basis: Basis::Samples,
        left_out: None,
        warm_up_s: Some(60.0),
        compared_s: Some(1740.0),
        steadiness: None,
        incidents: Vec::new(),
    }
}

/// Every decision, presence, verdict, basis and origin of noise there is.
pub(in crate::render) fn everything() -> Comparison {
    let targets = vec![weakened(), comparable(), unlike(), alone("human_password_login", Presence::Gone, Decision::Gone), new()];
    let sentence = "2 regressions and 1 improvement in 11 comparisons of 2 targets; 1 target is not comparable.";
    let mut whole = comparison("v4.17.1", "v4.19.2", sentence, targets);
    whole.method.accepted = vec![
        Accepted { key: "service.flags".to_owned(), reason: "v4.19 turned tokenExchange on for good".to_owned(), used: true },
        Accepted { key: "database.tier".to_owned(), reason: "renamed by the provider".to_owned(), used: false },
    ];
    whole.headline.found = vec![Finding {
        target: "add_session".to_owned(),
        decision: Decision::Regression,
        metrics: vec!["throughput".to_owned(), "p50".to_owned()],
        what: "throughput -53%, p50 +112%".to_owned(),
    }];
    whole
}

fn new() -> TargetComparison {
    alone("oidc_token_exchange", Presence::New, Decision::New)
}

fn weakened() -> TargetComparison {
    let mut failures = change("failures", Kind::Failures, 0.000_005, 0.05, Decision::Regression);
    failures.counted_a = Some(Counted { count: 38, of: 7_270_615 });
    failures.counted_b = Some(Counted { count: 2_032, of: 40_434 });
    failures.noise = Some(noise(NoiseOrigin::Counts, None));
    let incident = Without { ratio: Some(1.04), interval: bounds(0.97, 1.12), decision: Decision::Inconclusive };
    let mut p99 = change("p99", Kind::P99, 812.0, 1.2, Decision::Regression);
    p99.without_incidents = Some(incident);
    p99.notes = vec!["blocks of 60 s: fewer than 300 requests in 30 s".to_owned()];
    let endpoint = "oidc_token_login_duration";
    let changes = vec![
        change("throughput", Kind::Throughput, 1234.0, 0.47, Decision::Regression),
        change("p50", Kind::P50, 125.0, 2.12, Decision::Regression),
        change("p95", Kind::P95, 420.0, 1.02, Decision::Inconclusive),
        p99,
        of(change("p50 of oidc_token_login_duration", Kind::P50, 80.0, 1.01, Decision::NoChange), endpoint),
        of(change("p95 of oidc_token_login_duration", Kind::P95, 210.0, 0.7, Decision::Improvement), endpoint),
        failures,
        resting(
            of(change("cpu of database", Kind::Cpu, 1.2, 0.99, Decision::NoChange), "database"),
            Basis::Figures,
            NoiseOrigin::Assumed,
        ),
        resting(change("lock wait", Kind::LockWait, 0.03, 0.001, Decision::Inconclusive), Basis::Figures, NoiseOrigin::Assumed),
    ];
    let mut steady = run(Side::A, "v4.17.1/add_session");
    steady.steadiness =
        Some(Steadiness { ratio: 1.01, interval: bounds(0.99, 1.03), is_steady: true, change_points_s: Vec::new() });
    let mut left_out = run(Side::A, "v4.17.1/add_session~bcrypt8");
    left_out.left_out = Some("VUs 200, not 600".to_owned());
    let mut unsteady = run(Side::B, "v4.19.2/add_session");
    unsteady.steadiness =
        Some(Steadiness { ratio: 1.31, interval: bounds(1.22, 1.4), is_steady: false, change_points_s: vec![720.0] });
    unsteady.incidents = vec![Incident { from_s: 600.0, to_s: 655.0, what: "2,032 requests failed with 503".to_owned() }];
    let mut flags = key("service.flags.tokenExchange", Level::Blocking, Some("off"), Some("on"));
    flags.accepted = Some("v4.19 turned tokenExchange on for good".to_owned());
    TargetComparison {
        contract: Contract {
            verdict: Comparability::Weakened,
            differences: vec![
                key("k6.version", Level::Informational, Some("v1.0.0"), Some("v1.2.1")),
                key("database.tier", Level::Weakening, None, Some("db-custom-8-32768")),
                flags,
            ],
            alike: vec!["vus".to_owned()],
            unknown: vec!["pool.max_open".to_owned()],
        },
        runs: vec![steady, left_out, unsteady],
        missing: vec![Missing {
            metric: "p99 of oidc_token_login_duration".to_owned(),
            reason: "fewer than 300 requests a block".to_owned(),
        }],
        outcome: Outcomes {
            a: Some(Judgement { label: "Scale (database)".to_owned(), class: Class::Scale, recorded: None }),
            b: Some(Judgement {
                label: "Terminate".to_owned(),
                class: Class::Terminate,
                recorded: Some(Recorded { label: "Potential issue".to_owned(), message: String::new() }),
            }),
        },
        figures: vec![FigurePair {
            figure: FigureId::K6Requests,
            unit: Unit::Count,
            a: Some(7_270_615.0),
            b: None,
            shown_a: Some("7,270,615".to_owned()),
            shown_b: None,
        }],
        queries: vec![
            query("insert event", Presence::Both, Some(0.41), Some(0.62), Some(Matched::Text)),
            query("lock aggregate", Presence::Both, Some(0.10), Some(0.101), Some(Matched::Name)),
            query("session by id", Presence::New, None, Some(0.08), None),
            query("user by login name", Presence::Gone, Some(0.05), None, None),
        ],
        settings: vec![
            SettingChange {
                area: Area::Flags,
                key: "tokenExchange".to_owned(),
                a: Some("off".to_owned()),
                b: Some("on".to_owned()),
            },
            SettingChange { area: Area::Database, key: "auto_explain".to_owned(), a: None, b: Some("on".to_owned()) },
        ],
        drift: vec![Drift {
            since: "v4".to_owned(),
            metric: "p50".to_owned(),
            ratio: 2.4,
            interval: bounds(2.2, 2.6),
            decision: Decision::Regression,
        }],
        notes: vec!["a fixed number of virtual users: throughput and latency are one quantity".to_owned()],
        ..target("add_session", Comparability::Weakened, changes)
    }
}

fn query(name: &str, presence: Presence, a: Option<f64>, b: Option<f64>, matched: Option<Matched>) -> QueryChange {
    QueryChange {
        name: name.to_owned(),
        presence,
        share_a: a,
        share_b: b,
        seconds_a: a.map(|share| share * 1000.0),
        seconds_b: b.map(|share| share * 1100.0),
        calls_a: a.map(|_| 123_456),
        calls_b: b.map(|_| 1),
        text: None,
        matched,
    }
}

fn comparable() -> TargetComparison {
    let mut rounded = change("p95", Kind::P95, 117_000.0, 0.995, Decision::NoChange);
    (rounded.bounds_a, rounded.bounds_b) = (Some(bounds(117_000.0, 118_000.0)), Some(bounds(116_415.0, 116_416.0)));
    let changes = vec![
        resting(
            change("throughput", Kind::Throughput, 98.7, 1.002, Decision::NoChange),
            Basis::Series,
            NoiseOrigin::RepeatsOfTarget,
        ),
        resting(rounded, Basis::Summary, NoiseOrigin::SameRuns),
        resting(change("bytes", Kind::Bytes, 691.0, 1.0, Decision::NoChange), Basis::Summary, NoiseOrigin::SameRuns),
    ];
    target("introspect", Comparability::Comparable, changes)
}

fn unlike() -> TargetComparison {
    let changes = vec![
        change("throughput", Kind::Throughput, 412.0, 1.9, Decision::NotComparable),
        change("p50", Kind::P50, 1740.0, 0.5, Decision::NotComparable),
    ];
    let mut unlike = target("manipulate_user", Comparability::NotComparable, changes);
    unlike.contract.differences = vec![
        key("database.location", Level::Blocking, Some("US1"), Some("EU1")),
        key("vus", Level::Blocking, Some("200"), Some("600")),
        key("bytes_per_request", Level::Blocking, Some("691 B"), Some("46.9 kB")),
        key("pool.max_open", Level::Weakening, Some("20"), None),
    ];
    unlike
}

/// Names that try to leave the place where they stand.
pub(in crate::render) fn hostile() -> Comparison {
    let name = "<b>|`x`\n%0A::error::\u{0}\u{1b}[2J,--&\u{fffe}";
    let mut one = change(name, Kind::P50, 100.0, 2.0, Decision::Regression);
    one.of = Some(name.to_owned());
    one.notes = vec![name.to_owned()];
    let mut whole = target(name, Comparability::Weakened, vec![one, change(name, Kind::P95, 100.0, 1.0, Decision::Inconclusive)]);
    whole.contract.differences = vec![key(name, Level::Weakening, Some(name), None)];
    whole.missing = vec![Missing { metric: name.to_owned(), reason: name.to_owned() }];
    whole.settings = vec![SettingChange { area: Area::Flags, key: name.to_owned(), a: Some(name.to_owned()), b: None }];
    whole.queries = vec![query(name, Presence::New, None, Some(0.5), None)];
    whole.notes = vec![name.to_owned()];
    let mut comparison = comparison(name, "</details>", name, vec![whole]);
    comparison.method.accepted = vec![Accepted { key: name.to_owned(), reason: name.to_owned(), used: true }];
    comparison
}

/// Many targets, a regression and more in each.
pub(in crate::render) fn many(count: usize) -> Comparison {
    let targets = (0..count).map(|at| {
        let by = 1.1 + at as f64 / 100.0;
        let mut one = weakened();
        one.target = format!("target_{at:03}");
        one.changes.push(change("p50 of all", Kind::P50, 100.0, by, Decision::Regression));
        one
    });
    comparison("v4.17.1", "v4.19.2", &format!("{count} targets with regressions."), targets.collect())
}

/// Nothing changed.
pub(in crate::render) fn unchanged() -> Comparison {
    comparison("v4.17.1", "v4.17.1", "No change in 3 comparisons of 1 target.", vec![comparable()])
}

/// Nothing in common.
pub(in crate::render) fn nothing() -> Comparison {
    comparison("v4.17.1", "v5", "Nothing to compare: the two sides have no target in common.", Vec::new())
}

/// Any comparison at all, of any text.
pub(in crate::render) fn any() -> impl Strategy<Value = Comparison> {
    let text = || prop_oneof!["[a-z_]{1,30}", proptest::arbitrary::any::<String>(), "[<>|`%:,\n\r\\*_@&-]{0,12}"];
    let decision = proptest::sample::select(Decision::ALL.to_vec());
    let kind = proptest::sample::select(Kind::ALL.to_vec());
    let one =
        (text(), kind, 0.0..1e9_f64, 0.0..1e4_f64, decision, text()).prop_map(|(metric, kind, a, ratio, decision, note)| {
            let mut one = change(&metric, kind, a, ratio, decision);
            one.notes = vec![note];
            one
        });
    let presence = proptest::sample::select(vec![Presence::Both, Presence::New, Presence::Gone]);
    let verdict =
        proptest::sample::select(vec![Comparability::Comparable, Comparability::Weakened, Comparability::NotComparable]);
    let target = (text(), verdict, presence, proptest::collection::vec(one, 0..6), text()).prop_map(
        |(name, verdict, presence, changes, reason)| {
            let mut whole = target(&name, verdict, changes);
            whole.presence = presence;
            whole.missing = vec![Missing { metric: name, reason: reason.clone() }];
            whole.contract.differences = vec![key("vus", Level::Blocking, Some(&reason), None)];
            whole.notes = vec![reason.repeat(200)];
            whole
        },
    );
    (text(), text(), text(), proptest::collection::vec(target, 0..40))
        .prop_map(|(a, b, sentence, targets)| comparison(&a, &b, &sentence, targets))
}
