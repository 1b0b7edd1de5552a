use super::*;
use crate::capture::features::read;
use crate::source::Source;

fn file(path: &str, text: &str) -> File {
    let source = Source::new(path, text);
    let capture = read(&source).unwrap_or_else(|e| unreachable!("{e}"));
    File { source, path: path.to_owned(), kind: "zitadel-features", named: false, capture }
}

/// An answer of an owner, of a sequence, changed at a minute past ten, with flags.
fn answer(path: &str, owner: &str, sequence: u64, minute: u32, flags: &str) -> File {
    let details =
        format!("\"sequence\":\"{sequence}\",\"changeDate\":\"2026-05-01T10:{minute:02}:00Z\",\"resourceOwner\":\"{owner}\"");
    file(path, &format!("{{\"details\":{{{details}}},{flags}}}"))
}

const ON: &str = "\"a\":{\"enabled\":true,\"source\":\"SOURCE_INSTANCE\"}";
const OFF: &str = "\"a\":{\"source\":\"SOURCE_INSTANCE\"}";

fn window() -> Window {
    let at = |minute: u32| format!("2026-05-01T10:{minute}:00Z").parse().unwrap_or_else(|e| unreachable!("{e}"));
    Window { start: at(20), end: at(50) }
}

fn told(files: &[&File]) -> (Vec<&'static str>, Option<Flags>) {
    let forth = findings(files, Some(window()));
    let back: Vec<&File> = files.iter().rev().copied().collect();
    let back = findings(&back, Some(window()));
    assert_eq!((&forth.told, &forth.flags), (&back.told, &back.flags), "the order of files makes no difference");
    assert_eq!(forth.used.len(), files.len());
    (forth.told.iter().map(|told| told.code).collect(), forth.flags)
}

fn when(flags: Option<Flags>) -> Option<String> {
    flags.and_then(|flags| flags.captured).and_then(|captured| captured.when)
}

#[test]
fn equal_answers_are_one() {
    let (one, two) = (answer("a.json", "77", 5, 0, ON), answer("b.json", "77", 5, 0, &ON.replace(':', ": ")));
    let (codes, flags) = told(&[&one, &two]);
    assert!(codes.is_empty());
    let flags = flags.unwrap_or_else(|| unreachable!());
    assert_eq!(flags.flags.len(), 1);
    let captured = flags.captured.unwrap_or_else(|| unreachable!());
    assert_eq!((captured.level.as_str(), captured.sequence, captured.when), ("instance", Some(5), None));
}

#[test]
fn answers_that_differ_contradict_each_other() {
    let (one, two) = (answer("a.json", "77", 5, 9, ON), answer("b.json", "77", 7, 3, OFF));
    let (codes, _) = told(&[&one, &two]);
    assert_eq!(codes, ["contradicting-flags"]);
    let drawn = findings(&[&one, &two], Some(window())).told[0].to_string();
    for part in ["a.json", "b.json", "sequence 5", "sequence 7", "10:09:00Z", "10:03:00Z", "a (on, explicitly off)"] {
        assert!(drawn.contains(part), "{part}: {drawn}");
    }
    let other = answer("c.json", "78", 5, 9, ON);
    assert_eq!(told(&[&one, &other]).0, ["contradicting-flags"]);
}

#[test]
fn before_and_after_are_two_states() {
    let (before, same) = (answer("features.before.json", "77", 5, 0, ON), answer("features.after.json", "77", 5, 0, ON));
    let (codes, flags) = told(&[&before, &same]);
    assert!(codes.is_empty());
    assert_eq!(when(flags).as_deref(), Some("before"));
    let changed = answer("features.after.json", "77", 6, 30, OFF);
    let (codes, flags) = told(&[&before, &changed]);
    assert_eq!(codes, ["flags-changed"]);
    assert_eq!(flags.map(|flags| flags.flags[0].state), Some(FlagState::On));
    let older = answer("features.after.json", "77", 4, 0, OFF);
    assert_eq!(told(&[&before, &older]).0, ["contradicting-flags"]);
}

#[test]
fn a_change_inside_or_behind_the_run_is_told() {
    for (minute, codes, asked) in
        [(10, vec![], None), (30, vec!["flags-changed"], None), (55, vec!["flags-after"], Some("after"))]
    {
        let one = answer("a.json", "77", 5, minute, ON);
        let (told, flags) = told(&[&one]);
        assert_eq!((told, when(flags).as_deref()), (codes, asked));
    }
}

#[test]
fn an_instance_has_from_the_system_what_it_leaves_unset() {
    let unset = "\"a\":{},\"b\":{\"source\":\"SOURCE_INSTANCE\"},\"c\":{},\"permissionCheckV2\":{}";
    let all =
        ["a", "b", "permissionCheckV2", "d"].map(|name| format!("\"{name}\":{{\"enabled\":true,\"source\":\"SOURCE_SYSTEM\"}}"));
    let (instance, system) = (answer("a.json", "77", 5, 0, unset), answer("b.json", "SYSTEM", 9, 0, &all.join(",")));
    let (codes, flags) = told(&[&instance, &system]);
    assert!(codes.is_empty());
    let flags = flags.unwrap_or_else(|| unreachable!());
    let states: Vec<(&str, FlagState, Option<&str>)> =
        flags.flags.iter().map(|flag| (flag.name.as_str(), flag.state, flag.level.as_deref())).collect();
    assert_eq!(
        states,
        [
            ("a", FlagState::On, Some("system")),
            ("b", FlagState::ExplicitlyOff, Some("instance")),
            ("c", FlagState::Off, None),
            ("permissionCheckV2", FlagState::Off, None),
        ]
    );
    assert_eq!(flags.captured.map(|captured| (captured.level, captured.sequence)), Some(("instance".to_owned(), Some(5))));
    let (_, alone) = told(&[&system]);
    assert_eq!(alone.and_then(|flags| flags.captured).map(|captured| captured.level).as_deref(), Some("system"));
}
