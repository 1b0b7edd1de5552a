//! `pg_settings`: the server's version and the settings that change the work.

use std::collections::BTreeMap;

use super::cells::Cells;
use super::table::Row as TableRow;
use crate::model::environment::{Setting, SettingGroup, SettingLayout};
use crate::secrets;

/// A row of the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) name: String,
    value: String,
    unit: Option<String>,
    source: Option<String>,
    /// The value it has where nobody sets it.
    built_in: Option<String>,
    /// Where it stands.
    pub(super) offset: usize,
}

/// Settings that matter to a load, wherever their value comes from; with `*` all of a family.
const WANTED: &[&str] = &[
    "auto_explain.*",
    "autovacuum*",
    "checkpoint_timeout",
    "effective_cache_size",
    "effective_io_concurrency",
    "fsync",
    "full_page_writes",
    "jit",
    "maintenance_work_mem",
    "max_connections",
    "max_wal_size",
    "pg_stat_statements.*",
    "random_page_cost",
    "shared_buffers",
    "synchronous_commit",
    "wal_buffers",
    "work_mem",
];

/// Settings that say where things lie on the server and how it is reached, not how it works: by the ends of their names.
const PLACES: &[&str] = &["_file", "_directory", "_directories", "_dir", "conninfo", "_command", "listen_addresses"];

/// Where a value comes from if nobody set it for this server: the program, its start, the session that asked.
const UNSET: &[&str] = &["default", "override", "client", "session"];

/// A view of fewer rows was selected by somebody, who wants what is in it.
const SELECTION: usize = 60;

impl Row {
    pub(super) fn read(cells: &mut Cells, row: &TableRow) -> Option<Self> {
        let own = |column: &str| cells.table.text(row, column).map(str::to_owned);
        let (name, value) = (own("name")?, own("setting").unwrap_or_default());
        let (unit, source, built_in) = (own("unit"), own("source"), own("boot_val"));
        Some(Self { name, value, unit, source, built_in, offset: row.span.start })
    }

    fn is_kept(&self, selected: bool) -> bool {
        if PLACES.iter().any(|end| self.name.ends_with(end)) || secrets::is_secret_name(&self.name) {
            return false;
        }
        let is = |pattern: &&str| match pattern.strip_suffix('*') {
            Some(start) => self.name.starts_with(start),
            None => self.name == **pattern,
        };
        selected || WANTED.iter().any(is) || self.source.as_deref().is_some_and(|source| !UNSET.contains(&source))
    }

    /// Whether it can be told of the server: no secret, and not what the session that asked set for itself.
    pub(super) fn is_of_server(&self) -> bool {
        self.is_kept(true) && !self.source.as_deref().is_some_and(|source| matches!(source, "client" | "session"))
    }

    fn shown(&self, value: &str) -> String {
        secrets::masked(&shown(value, self.unit.as_deref())).into_owned()
    }

    /// Whether two servers, or one at two times, have the same value.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        self.shown(&self.value) == other.shown(&other.value)
    }
}

/// The server's version, `17.10`, without what a distribution adds.
pub(super) fn version(rows: &[Row]) -> Option<(&Row, String)> {
    let row = rows.iter().find(|row| row.name == "server_version")?;
    Some((row, row.value.split_whitespace().next()?.to_owned()))
}

/// The settings that change the work, by name.
pub(super) fn group(rows: &[Row]) -> SettingGroup {
    let selected = rows.len() < SELECTION;
    let kept = rows.iter().filter(|row| row.is_kept(selected)).map(|row| {
        let default = row.built_in.as_deref().map(|value| row.shown(value));
        (row.name.clone(), Setting { default, ..Setting::new(row.name.clone(), row.shown(&row.value)) })
    });
    let sorted: BTreeMap<String, Setting> = kept.collect();
    SettingGroup { name: "PostgreSQL".to_owned(), layout: SettingLayout::List, entries: sorted.into_values().collect() }
}

/// The number of a setting times its unit, in bytes or as it is without a unit.
pub(super) fn number(rows: &[Row], name: &str) -> Option<f64> {
    let row = rows.iter().find(|row| row.name == name)?;
    let value: u64 = row.value.parse().ok()?;
    let scale = match row.unit.as_deref() {
        None => 1,
        Some(unit) => base(unit).filter(|(_, steps)| steps[0].0 == "B")?.0,
    };
    value.checked_mul(scale).map(|value| value as f64)
}

/// Units from the smallest, each with how many of the one before it has.
type Steps = [(&'static str, u64)];
const SIZES: &Steps = &[("B", 1), ("kB", 1024), ("MB", 1024), ("GB", 1024), ("TB", 1024)];
const TIMES: &Steps = &[("us", 1), ("ms", 1000), ("s", 1000), ("min", 60), ("h", 60), ("d", 24)];

/// How many of the smallest unit a unit of `pg_settings` is: `8kB` is 8192 bytes.
fn base(unit: &str) -> Option<(u64, &'static Steps)> {
    let digits = unit.find(|c: char| !c.is_ascii_digit())?;
    let times: u64 = if digits == 0 { 1 } else { unit[..digits].parse().ok()? };
    [SIZES, TIMES].into_iter().find_map(|steps| {
        let at = steps.iter().position(|(name, _)| *name == &unit[digits..])?;
        let scale: u64 = steps[..=at].iter().map(|(_, step)| step).product();
        Some((scale.checked_mul(times)?, steps))
    })
}

/// A value in its unit as `SHOW` prints it: in the largest unit that leaves a whole number (`ShowGUCOption` of PostgreSQL). Zero,
/// what is below it, and what is no whole number stay as they are.
fn shown(value: &str, unit: Option<&str>) -> String {
    let Some(unit) = unit else { return value.to_owned() };
    let (Ok(number), Some((scale, steps))) = (value.parse::<u64>(), base(unit)) else {
        // Below zero is no amount: -1 means "off" or "as another setting".
        let bare = value.parse::<f64>().map_or(true, |number| number <= 0.0);
        return if bare { value.to_owned() } else { format!("{value}{unit}") };
    };
    let Some(mut amount) = number.checked_mul(scale).filter(|amount| *amount > 0) else { return value.to_owned() };
    let mut name = steps[0].0;
    for (larger, step) in &steps[1..] {
        if amount % step != 0 {
            break;
        }
        (amount, name) = (amount / step, larger);
    }
    format!("{amount}{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, value: &str, unit: &str, source: &str) -> Row {
        let own = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Row { name: name.to_owned(), value: value.to_owned(), unit: own(unit), source: own(source), built_in: None, offset: 0 }
    }

    #[test]
    fn values_are_shown_as_the_server_shows_them() {
        for (value, unit, wanted) in [
            ("32768", "8kB", "256MB"),
            ("4096", "kB", "4MB"),
            ("1024", "MB", "1GB"),
            ("4096", "B", "4kB"),
            ("60", "s", "1min"),
            ("200", "ms", "200ms"),
            ("90", "min", "90min"),
            ("-1", "ms", "-1"),
            ("0", "ms", "0"),
            ("0.5", "ms", "0.5ms"),
            ("on", "", "on"),
        ] {
            assert_eq!(shown(value, Some(unit).filter(|unit| !unit.is_empty())), wanted, "{value} {unit}");
        }
    }

    #[test]
    fn of_all_settings_those_that_change_the_work_are_kept() {
        let mut rows: Vec<Row> = (0..100).map(|n| row(&format!("setting{n}"), "1", "", "default")).collect();
        rows.push(row("shared_buffers", "32768", "8kB", "default"));
        rows.push(row("log_min_duration_statement", "250", "ms", "configuration file"));
        rows.push(row("primary_conninfo", "host=db password=x", "", "configuration file"));
        rows.push(row("application_name", "psql", "", "client"));
        rows.push(row("autovacuum_naptime", "60", "s", "default"));
        let kept: Vec<String> =
            group(&rows).entries.into_iter().map(|setting| format!("{} {}", setting.key, setting.value)).collect();
        assert_eq!(kept, ["autovacuum_naptime 1min", "log_min_duration_statement 250ms", "shared_buffers 256MB"]);
        assert_eq!(number(&rows, "shared_buffers").map(|bytes| bytes.to_string()), Some("268435456".to_owned()));
        assert_eq!(number(&rows, "log_min_duration_statement"), None);
    }

    #[test]
    fn a_version_has_no_name_of_a_distribution() {
        let rows = [row("server_version", "15.18 (Debian 15.18-0+deb12u1)", "", "default")];
        assert_eq!(version(&rows).map(|(_, version)| version), Some("15.18".to_owned()));
    }
}
