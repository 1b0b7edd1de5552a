//! Whatever the two sides are: mirrored inputs tell mirrored differences, and a run does not differ from itself.

use proptest::prelude::*;

use super::{figures, queries, settings};
use crate::model::catalogue::FigureId;
use crate::model::comparison::{Area, FigurePair, Presence, QueryChange, SettingChange};
use crate::model::environment::{Flag, FlagState, Flags, Setting, SettingGroup, SettingLayout, Size};
use crate::model::figure::{Figure, Measurement};
use crate::model::record::{DatabaseTime, Query, QueryClass, Record};
use crate::model::units::Unit;

fn value() -> impl Strategy<Value = String> {
    let known = ["***", "", "on", "true", "6 Gi", "6144 MiB", "60s", "1m", "v1.2", "1.2", "7", "hunter2", "A\\_B", "A_B"];
    prop::sample::select(known.to_vec()).prop_map(str::to_owned)
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "A", "b\\_c", "b_c", "password", "x.y"]).prop_map(str::to_owned)
}

fn group() -> impl Strategy<Value = SettingGroup> {
    let setting = (key(), value(), prop::option::of(value()))
        .prop_map(|(key, value, default)| Setting { default, ..Setting::new(key, value) });
    let name = prop::sample::select(vec!["", "PostgreSQL", "x"]);
    (name, prop::collection::vec(setting, 0..4)).prop_map(|(name, entries)| SettingGroup {
        name: name.to_owned(),
        layout: SettingLayout::List,
        entries,
    })
}

fn flags() -> impl Strategy<Value = Option<Flags>> {
    let state = prop::sample::select(vec![FlagState::On, FlagState::Off, FlagState::ExplicitlyOff]);
    let flag = (key(), state, prop::collection::vec(value(), 0..2), prop::option::of(value()))
        .prop_map(|(name, state, paths, base_uri)| Flag { paths, base_uri, ..Flag::new(name, state) });
    prop::option::of(prop::collection::vec(flag, 0..3).prop_map(|flags| Flags { flags, captured: None }))
}

fn query() -> impl Strategy<Value = Query> {
    let text = prop::option::of(prop::sample::select(vec!["select 1", "select 2", "insert"]));
    let class = prop::option::of(Just(QueryClass::Work));
    (key(), text, any::<bool>(), class, prop::option::of(0.0..9.0_f64), prop::option::of(0..9_u64)).prop_map(
        |(name, text, has_fingerprint, class, seconds, calls)| {
            let text = text.map(str::to_owned);
            let fingerprint = text.clone().filter(|_| has_fingerprint);
            Query { seconds, class, calls, text, fingerprint, ..Query::named(name) }
        },
    )
}

fn record() -> impl Strategy<Value = Record> {
    let groups = || prop::collection::vec(group(), 0..3);
    let figure = prop::option::of((0.0..1.0_f64, any::<bool>()));
    let queries = prop::collection::vec(query(), 0..5);
    (groups(), groups(), flags(), value(), figure, queries, prop::option::of(0.0..20.0_f64)).prop_map(
        |(service, database, flags, memory, figure, queries, total_s)| {
            let mut record = Record::new("v1/a".parse().unwrap_or_else(|e| unreachable!("{e}")));
            record.environment.service.settings = service;
            record.environment.service.flags = flags;
            record.environment.database.settings = database;
            record.environment.database.memory = Size::read(&memory).ok();
            record.environment.database.version = Some(memory);
            if let Some((value, is_complete)) = figure {
                let measurement = Measurement::exact(value, Unit::Ratio);
                let figure = if is_complete { Figure::Measured(measurement) } else { Figure::Incomplete(measurement) };
                assert!(record.figures.set(FigureId::DatabaseCpuPeak, figure).is_ok());
            }
            record.queries = queries;
            record.database_time = total_s.map(|total_s| DatabaseTime {
                total_s,
                lock_wait_s: 0.0,
                ignored_s: 0.0,
                statements: 9,
                window_s: None,
                source: String::new(),
                method: String::new(),
            });
            record
        },
    )
}

fn mirrored_figure(pair: FigurePair) -> FigurePair {
    FigurePair { a: pair.b, b: pair.a, shown_a: pair.shown_b, shown_b: pair.shown_a, ..pair }
}

fn mirrored_setting(change: SettingChange) -> SettingChange {
    SettingChange { a: change.b, b: change.a, ..change }
}

/// Name and text are those of the later side where the two differ, so they are left out.
fn numbers(change: &QueryChange) -> QueryChange {
    QueryChange { name: String::new(), text: None, ..change.clone() }
}

fn mirrored_query(change: &QueryChange) -> QueryChange {
    let presence = match change.presence {
        Presence::Both => Presence::Both,
        Presence::New => Presence::Gone,
        Presence::Gone => Presence::New,
    };
    QueryChange {
        presence,
        share_a: change.share_b,
        share_b: change.share_a,
        seconds_a: change.seconds_b,
        seconds_b: change.seconds_a,
        calls_a: change.calls_b,
        calls_b: change.calls_a,
        ..numbers(change)
    }
}

/// In an order that no name decides.
fn sorted(changes: &[QueryChange]) -> Vec<String> {
    let mut lines: Vec<String> = changes.iter().map(|change| format!("{change:?}")).collect();
    lines.sort();
    lines
}

proptest! {
    #[test]
    fn mirrored_inputs_tell_mirrored_differences(a in record(), b in record()) {
        let there = figures(&a, &b);
        prop_assert_eq!(there, figures(&b, &a).into_iter().map(mirrored_figure).collect::<Vec<_>>());
        let there = settings(&a, &b);
        prop_assert_eq!(there, settings(&b, &a).into_iter().map(mirrored_setting).collect::<Vec<_>>());
        let there = sorted(&queries(&a, &b).iter().map(numbers).collect::<Vec<_>>());
        prop_assert_eq!(there, sorted(&queries(&b, &a).iter().map(mirrored_query).collect::<Vec<_>>()));
    }

    #[test]
    fn a_run_does_not_differ_from_itself(a in record()) {
        prop_assert_eq!(settings(&a, &a), Vec::new());
        for query in queries(&a, &a) {
            prop_assert_eq!(query.presence, Presence::Both);
            prop_assert_eq!((query.share_a, query.seconds_a, query.calls_a), (query.share_b, query.seconds_b, query.calls_b));
        }
        for pair in figures(&a, &a) {
            prop_assert_eq!((pair.a, pair.shown_a), (pair.b, pair.shown_b));
        }
    }

    #[test]
    fn no_secret_is_told(a in record(), b in record()) {
        // A flag of that name holds none: it is on or off.
        let is_secret = |change: &SettingChange| change.area != Area::Flags && change.key.ends_with("password");
        for change in settings(&a, &b).into_iter().filter(is_secret) {
            prop_assert!(!format!("{change:?}").contains("hunter2"), "{change:?}");
        }
    }

    #[test]
    fn every_query_of_both_sides_is_told_once(a in record(), b in record()) {
        let found = queries(&a, &b);
        let both = found.iter().filter(|change| change.presence == Presence::Both).count();
        prop_assert_eq!(both, found.iter().filter(|change| change.matched.is_some()).count());
        prop_assert!(found.len() + both <= a.queries.len() + b.queries.len());
        // What differs in order differs by a number, never by chance.
        for pair in found.windows(2) {
            let share = |change: &QueryChange| change.share_a.unwrap_or(-1.0).max(change.share_b.unwrap_or(-1.0));
            prop_assert!(share(&pair[0]) >= share(&pair[1]));
        }
    }
}
