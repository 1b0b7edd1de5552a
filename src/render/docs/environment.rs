//! What it ran on, in the words of published pages.

use super::captured;
use crate::model::catalogue::FigureId;
use crate::model::environment::{Container, Database, Flag, FlagCapture, FlagState, Flags, Setting, SettingGroup, SettingLayout};
use crate::model::instant::Moment;
use crate::model::record::Record;
use crate::model::units::show_number;

/// The duration the test was given: `30min`.
pub(super) fn duration(record: &Record) -> Option<String> {
    let scenario = || {
        let scenarios = &record.k6.as_ref()?.scenarios;
        #[allow(clippy::cast_precision_loss, reason = "no run lasts 2^53 seconds")]
        scenarios.iter().filter_map(|scenario| scenario.duration_s).max().map(|seconds| seconds as f64)
    };
    let seconds = record.window.duration_s.or_else(scenario)?;
    let minutes = seconds / 60.0;
    Some(if minutes.fract() == 0.0 && minutes > 0.0 { format!("{minutes}min") } else { format!("{seconds}s") })
}

/// k6's version as stated, else as its own output tells.
pub(super) fn k6_version(record: &Record) -> Option<String> {
    let told = || record.k6.as_ref().and_then(|summary| summary.source.k6_version.clone());
    record.environment.client.k6_version.clone().or_else(told)
}

/// The load generator's machine, with its CPU where somebody watched it.
pub(super) fn client(record: &Record) -> Vec<String> {
    let cpu = captured::value(record, FigureId::ClientCpuPeak).map(|peak| format!("CPU: {peak} peak"));
    record.environment.client.machine.clone().into_iter().chain(cpu).collect()
}

/// A container, and how many of them.
pub(super) fn container(container: &Container) -> Vec<String> {
    let count = |words: &str, value: Option<u64>, unit: &str| value.map(|n| format!("{words}: {n}{unit}"));
    [
        container.vcpu.map(|n| format!("vCPU: {}", show_number(n))),
        container.memory.as_ref().map(|size| format!("Memory: {}", size.printed)),
        count("Container count", container.count, ""),
        count("Container min scale", container.min_scale, ""),
        count("Container max scale", container.max_scale, ""),
        count("Concurrency", container.concurrency, " requests per container"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The database's kind, version and settings.
pub(super) fn database(database: &Database) -> Vec<String> {
    let kind = database.kind.as_ref().map(|kind| format!("type: {kind}"));
    let version = database.version.as_ref().map(|version| format!("version: {version}"));
    let settings = database.settings.iter().map(|group| match group.layout {
        // An extension is on; the server has settings.
        SettingLayout::List if group.name == "PostgreSQL" => format!("{}: {}", group.name, list(&group.entries)),
        SettingLayout::List => format!("{} on: {}", group.name, list(&group.entries)),
        SettingLayout::Lines => settings(group).join(", "),
    });
    kind.into_iter().chain(version).chain(settings).collect()
}

/// The database's machine.
pub(super) fn specification(database: &Database) -> Vec<String> {
    [
        database.tier.clone(),
        database.vcpu.map(|n| format!("vCPU: {}", show_number(n))),
        database.memory.as_ref().map(|size| format!("memory: {}", size.printed)),
        database.data_cache.map(|on| format!("Data cache: {}", if on { "enabled" } else { "disabled" })),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A group of settings in its layout.
pub(super) fn settings(group: &SettingGroup) -> Vec<String> {
    match group.layout {
        SettingLayout::List => vec![format!("{}: {}", group.name, list(&group.entries))],
        SettingLayout::Lines => {
            let head = if group.name.is_empty() { String::new() } else { format!("{}: ", group.name) };
            let line = |(at, entry): (usize, &Setting)| {
                format!("{}{}: {}", if at == 0 { head.as_str() } else { "" }, entry.key, entry.value)
            };
            group.entries.iter().enumerate().map(line).collect()
        }
    }
}

fn list(entries: &[Setting]) -> String {
    let entry = |entry: &Setting| format!("{} {}", entry.key, entry.value).trim_end().to_owned();
    entries.iter().map(entry).collect::<Vec<_>>().join(", ")
}

/// Feature flags; a list that is empty and known to be is `none`.
pub(super) fn flags(flags: &Flags) -> Vec<String> {
    if flags.flags.is_empty() && flags.captured.is_none() {
        return vec!["none".to_owned()];
    }
    let told = |flag: &Flag| flag.level.is_some() || flag.state == FlagState::Off;
    if flags.captured.is_none() && !flags.flags.iter().any(told) {
        return vec![flags.flags.iter().map(pair).collect::<Vec<_>>().join(", ")];
    }
    let on: Vec<_> = flags.flags.iter().filter(|flag| flag.state == FlagState::On && flag.paths.is_empty()).map(named).collect();
    let off: Vec<_> = flags.flags.iter().filter(|flag| flag.state != FlagState::On).map(named).collect();
    let mut lines = Vec::new();
    if !on.is_empty() {
        lines.push(format!("Enabled: {}", on.join(", ")));
    }
    let with_paths = flags.flags.iter().filter(|flag| flag.state == FlagState::On && !flag.paths.is_empty());
    lines.extend(with_paths.map(|flag| format!("{}: {}", named(flag), flag.paths.join(", "))));
    if !off.is_empty() {
        lines.push(format!("Disabled: {}", off.join(", ")));
    }
    lines.extend(flags.captured.as_ref().map(capture));
    lines
}

/// `webKey: true`, `improvedPerformance: ["A", "B"]`: where nobody told the level.
fn pair(flag: &Flag) -> String {
    if flag.paths.is_empty() {
        return format!("{}: {}", flag.name, flag.state == FlagState::On);
    }
    let paths: Vec<String> = flag.paths.iter().map(|path| format!("\"{path}\"")).collect();
    format!("{}: [{}]", flag.name, paths.join(", "))
}

/// `loginV2 (explicitly false at instance)`.
fn named(flag: &Flag) -> String {
    match (flag.state, &flag.level) {
        (FlagState::ExplicitlyOff, Some(level)) => format!("{} (explicitly false at {level})", flag.name),
        (FlagState::ExplicitlyOff, None) => format!("{} (explicitly false)", flag.name),
        (_, Some(level)) => format!("{} ({level})", flag.name),
        (_, None) => flag.name.clone(),
    }
}

fn capture(capture: &FlagCapture) -> String {
    let word = if capture.at.is_some() { "last changed" } else { "set" };
    let sequence = capture.sequence.map(|sequence| format!("sequence {sequence}"));
    let changed = capture.changed.map(|changed| format!("{word} {}", changed.page_text()));
    let state = sequence.into_iter().chain(changed).collect::<Vec<_>>().join(", ");
    let at = capture.at.map(Moment::page_text);
    let inside = at.into_iter().chain((!state.is_empty()).then_some(state)).collect::<Vec<_>>().join("; ");
    let inside = if inside.is_empty() { inside } else { format!(" ({inside})") };
    let when = capture.when.as_ref().map(|when| format!(" {when} the run")).unwrap_or_default();
    format!("Captured from the {}{when}{inside}.", capture.level)
}

/// A number in full, thousands grouped, as many decimals as it has.
pub(super) fn plain_number(value: f64) -> String {
    let whole = value.trunc();
    let text = value.to_string();
    match text.split_once('.') {
        Some((_, decimals)) => format!("{}.{decimals}", show_number(whole)),
        None => show_number(whole),
    }
}
