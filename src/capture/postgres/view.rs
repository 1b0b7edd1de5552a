//! Which statistics view rows are of, told by the names of its columns: they differ from version to version, and people select
//! some of them.

use std::collections::BTreeSet;

/// A view of PostgreSQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum View {
    Statements,
    StatementsInfo,
    Database,
    Io,
    Activity,
    Settings,
    /// A view of counters that no figure follows from, by its name.
    Idle(&'static str),
}

/// A view and the columns that tell it: all of the first list, one of the second.
struct Mark(View, &'static [&'static str], &'static [&'static str]);

/// In the order in which they are tried. `pg_stat_statements` first: of its columns some are those of `pg_stat_wal`.
const MARKS: &[Mark] = &[
    Mark(View::Statements, &["calls", "total_exec_time"], &["queryid", "query"]),
    // Up to PostgreSQL 12, or an extension older than the server.
    Mark(View::Statements, &["calls", "total_time"], &["queryid", "query"]),
    Mark(View::StatementsInfo, &["dealloc", "stats_reset"], &["dealloc"]),
    Mark(View::Database, &["datname", "xact_commit", "xact_rollback"], &["datname"]),
    Mark(View::Io, &["backend_type", "object", "context"], &["reads", "writes", "extends", "fsyncs"]),
    Mark(View::Activity, &["pid", "state", "wait_event_type"], &["usename", "query", "backend_type", "wait_event"]),
    Mark(View::Settings, &["name", "setting"], &["unit", "source", "boot_val", "description", "short_desc"]),
    Mark(View::Idle("pg_stat_bgwriter"), &["buffers_clean", "maxwritten_clean"], &["buffers_alloc"]),
    Mark(View::Idle("pg_stat_checkpointer"), &["num_timed", "num_requested"], &["buffers_written", "write_time"]),
    Mark(View::Idle("pg_stat_wal"), &["wal_records", "wal_bytes"], &["wal_buffers_full"]),
    Mark(View::Idle("pg_stat_user_tables"), &["relname", "seq_scan"], &["n_live_tup", "n_tup_ins", "seq_tup_read"]),
    Mark(View::Idle("pg_stat_user_indexes"), &["indexrelname", "idx_scan"], &["idx_scan"]),
];

impl View {
    /// The view of which rows with these columns are; `None` if of none.
    pub(super) fn of<'a>(columns: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let columns: BTreeSet<&str> = columns.into_iter().collect();
        let fits = |mark: &&Mark| {
            mark.1.iter().all(|column| columns.contains(column)) && mark.2.iter().any(|column| columns.contains(column))
        };
        MARKS.iter().find(fits).map(|mark| mark.0)
    }

    /// Whether a text may be JSON of a view: it has the names of one as whole strings. Cheap, and wrong only where other JSON
    /// has the very same keys.
    pub(super) fn is_hinted(text: &str) -> bool {
        let has = |column: &str| text.contains(&format!("\"{column}\""));
        MARKS.iter().any(|mark| mark.1.iter().all(|column| has(column)) && mark.2.iter().any(|column| has(column)))
    }

    /// Its name in the catalogue of PostgreSQL.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Statements => "pg_stat_statements",
            Self::StatementsInfo => "pg_stat_statements_info",
            Self::Database => "pg_stat_database",
            Self::Io => "pg_stat_io",
            Self::Activity => "pg_stat_activity",
            Self::Settings => "pg_settings",
            Self::Idle(name) => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(columns: &str) -> Option<&'static str> {
        View::of(columns.split(',')).map(View::name)
    }

    #[test]
    fn a_view_is_told_by_its_columns_in_any_order() {
        assert_eq!(of("total_exec_time,query,calls,wal_records,wal_bytes,wal_buffers_full"), Some("pg_stat_statements"));
        assert_eq!(of("stats_reset,dealloc"), Some("pg_stat_statements_info"));
        assert_eq!(of("xact_rollback,datname,xact_commit"), Some("pg_stat_database"));
        assert_eq!(of("backend_type,object,context,reads,stats_reset"), Some("pg_stat_io"));
        assert_eq!(of("ts,pid,backend_type,state,wait_event_type,wait_event"), Some("pg_stat_activity"));
        assert_eq!(of("name,setting,unit"), Some("pg_settings"));
        assert_eq!(of("wal_records,wal_fpi,wal_bytes,wal_buffers_full,stats_reset"), Some("pg_stat_wal"));
    }

    #[test]
    fn lists_that_are_no_measurement_are_of_no_view() {
        assert_eq!(of("type,name,description"), None);
        assert_eq!(of("pg_major,relation,attnum,column,type"), None);
        assert_eq!(of("target,metric,timestamp,value"), None);
    }

    #[test]
    fn a_key_inside_a_string_is_no_hint() {
        assert!(View::is_hinted(r#"[{"dealloc": 0, "stats_reset": null}]"#));
        assert!(!View::is_hinted(r#"{"text": "{\"dealloc\": 0, \"stats_reset\": null}"}"#));
    }
}
