//! The rows of a published benchmark page, and the sentences only this program writes: what its reader and its writer
//! share.

use super::address::Label;

/// A row of a page's table, in the order in which pages have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageRow {
    /// What it is measured against.
    Baseline,
    /// Why it was run.
    Purpose,
    /// Start of the window.
    TestStart,
    /// End of the window.
    TestEnd,
    /// The duration the test was given.
    TestDuration,
    /// The target.
    ExecutedTest,
    /// k6's version.
    K6Version,
    /// Virtual users.
    Vus,
    /// Where the load came from.
    ClientLocation,
    /// The load generator's machine; only where known.
    ClientMachine,
    /// Where the service ran.
    ServiceLocation,
    /// Its containers.
    ServiceContainer,
    /// Its build.
    ServiceVersion,
    /// Its settings.
    ServiceSettings,
    /// Its feature flags.
    ServiceFlags,
    /// The database and its version.
    Database,
    /// Where it ran.
    DatabaseLocation,
    /// Its machine.
    DatabaseSpecification,
    /// What was captured on the service.
    ServiceMetrics,
    /// Failures.
    Errors,
    /// The most expensive queries.
    Queries,
    /// What was captured on the database.
    DatabaseMetrics,
    /// Throughput.
    IterationsPerS,
    /// A link to k6's output.
    K6Output,
    /// What was concluded.
    Outcome,
}

impl PageRow {
    /// All rows, in the published order.
    pub const ALL: [Self; 25] = [
        Self::Baseline,
        Self::Purpose,
        Self::TestStart,
        Self::TestEnd,
        Self::TestDuration,
        Self::ExecutedTest,
        Self::K6Version,
        Self::Vus,
        Self::ClientLocation,
        Self::ClientMachine,
        Self::ServiceLocation,
        Self::ServiceContainer,
        Self::ServiceVersion,
        Self::ServiceSettings,
        Self::ServiceFlags,
        Self::Database,
        Self::DatabaseLocation,
        Self::DatabaseSpecification,
        Self::ServiceMetrics,
        Self::Errors,
        Self::Queries,
        Self::DatabaseMetrics,
        Self::IterationsPerS,
        Self::K6Output,
        Self::Outcome,
    ];

    /// The row's place in notes and figures: its published name, with `Service` for the service's own name and `Top`
    /// without a number.
    #[must_use]
    pub fn place(self) -> &'static str {
        match self {
            Self::Baseline => "Baseline",
            Self::Purpose => "Purpose",
            Self::TestStart => "Test start",
            Self::TestEnd => "Test end",
            Self::TestDuration => "Test duration",
            Self::ExecutedTest => "Executed test",
            Self::K6Version => "k6 version",
            Self::Vus => "VUs",
            Self::ClientLocation => "Client location",
            Self::ClientMachine => "Client machine specification",
            Self::ServiceLocation => "Service location",
            Self::ServiceContainer => "Service container specification",
            Self::ServiceVersion => "Service Version",
            Self::ServiceSettings => "Service Settings",
            Self::ServiceFlags => "Service feature flags",
            Self::Database => "Database",
            Self::DatabaseLocation => "Database location",
            Self::DatabaseSpecification => "Database specification",
            Self::ServiceMetrics => "Service metrics during test",
            Self::Errors => "Observed errors",
            Self::Queries => "Top most expensive database queries",
            Self::DatabaseMetrics => "Database metrics during test",
            Self::IterationsPerS => "k6 Iterations per second",
            Self::K6Output => "k6 output",
            Self::Outcome => "flowchart outcome",
        }
    }

    /// The row's name on a page of a service, with the number of queries it lists.
    #[must_use]
    pub fn name(self, service: &str, queries: usize) -> String {
        match self.place().strip_prefix("Service ") {
            Some(rest) => format!("{service} {rest}"),
            None if self == Self::Queries => format!("Top {} most expensive database queries", queries.max(3)),
            None => self.place().to_owned(),
        }
    }

    /// The row of a name, whatever its letter case, its spacing and the service's own name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let known = Self::ALL.into_iter().find(|row| row.place().to_lowercase() == name);
        known.or_else(|| Self::alias(&name)).or_else(|| Self::of_the_service(&name))
    }

    fn alias(name: &str) -> Option<Self> {
        match name {
            "k6 overview" => Some(Self::K6Output),
            "k6 iterations/s" => Some(Self::IterationsPerS),
            "vu" | "virtual users" => Some(Self::Vus),
            _ if name.starts_with("top ") && name.ends_with("queries") => Some(Self::Queries),
            _ if name.starts_with("most expensive") && name.ends_with("queries") => Some(Self::Queries),
            _ => None,
        }
    }

    fn of_the_service(name: &str) -> Option<Self> {
        const ROWS: [PageRow; 6] = [
            PageRow::ServiceLocation,
            PageRow::ServiceContainer,
            PageRow::ServiceVersion,
            PageRow::ServiceSettings,
            PageRow::ServiceFlags,
            PageRow::ServiceMetrics,
        ];
        if ["client ", "database ", "k6 ", "test "].iter().any(|other| name.starts_with(other)) {
            return None;
        }
        ROWS.into_iter().find(|row| {
            let words = row.place().to_lowercase();
            name.ends_with(words.strip_prefix("service").unwrap_or(&words))
        })
    }
}

/// What provenance calls a published page that a record was read from.
pub const KIND: &str = "page";

/// The place of what a page says before its table.
pub const INTRODUCTION: &str = "introduction";
/// The place of what a page says beside its chart.
pub const LATENCIES: &str = "endpoint latencies";
/// The place of a heading of that section other than the usual one.
pub const LATENCIES_HEADING: &str = "endpoint latencies heading";
/// The usual heading of that section.
pub const LATENCIES_TITLE: &str = "Endpoint latencies";

/// Begins the part of an outcome that this program computed; a reader leaves it out.
pub const COMPUTED_OUTCOME: &str = "Computed by the flow ";
/// Begins the part of an outcome that somebody set by hand in `run.toml`, with its reason; a reader leaves it out.
pub const SET_BY_HAND: &str = "Set by hand: ";
/// Begins the part of the errors that follows from k6's own counts; a reader leaves it out.
pub const COUNTED_BY_K6: &str = "As k6 counted: ";
/// Stands where a chart would, on a page without a series; a reader leaves it out.
pub const NO_SERIES: &str = "There is no per-second series of this run.";
/// What follows a share of lock wait in an outcome that states it in this program's words: `Lock wait: 6% of the ...`.
pub const LOCK_WAIT: &str = "Lock wait: ";
/// The id of the heading above k6's output, to which the table links.
pub const K6_OUTPUT_ID: &str = "k6-output";

/// What a page of a run calls it: a further run of a target with the label that tells it from the run of record, `user info (again)`.
#[must_use]
pub fn with_label(words: &str, label: Option<&Label>) -> String {
    label.map_or_else(|| words.to_owned(), |label| format!("{words} ({label})"))
}

/// The words without the label.
#[must_use]
pub fn without_label<'w>(words: &'w str, label: Option<&Label>) -> &'w str {
    label.and_then(|label| words.strip_suffix(&format!(" ({label})"))).unwrap_or(words)
}

/// Begins the comment that gives the name in the sidebar on a page without front matter.
const SIDEBAR: &str = "<!-- sidebar_label: ";

/// The comment that gives the name in the sidebar on a page without front matter.
#[must_use]
pub fn sidebar_comment(label: &str) -> String {
    // Inside JSON a character may stand by its number, so that nothing in the label closes the comment.
    let label = serde_json::Value::from(label).to_string().replace('-', "\\u002d").replace('>', "\\u003e");
    format!("{SIDEBAR}{label} -->")
}

/// The name in the sidebar that a comment gives.
#[must_use]
pub fn sidebar_label(comment: &str) -> Option<String> {
    let label = comment.trim().strip_prefix(SIDEBAR)?.strip_suffix("-->")?;
    serde_json::from_str(label.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_known_by_any_services_name() {
        for (name, row) in [
            ("ZITADEL location", PageRow::ServiceLocation),
            ("Zitadel  container specification", PageRow::ServiceContainer),
            ("Order desk metrics during test", PageRow::ServiceMetrics),
            ("database metrics during test", PageRow::DatabaseMetrics),
            ("Client location", PageRow::ClientLocation),
            ("k6 iterations per second", PageRow::IterationsPerS),
            ("k6 overview", PageRow::K6Output),
            ("k6 Version", PageRow::K6Version),
            ("Top 5 most expensive database queries", PageRow::Queries),
        ] {
            assert_eq!(PageRow::named(name), Some(row), "{name}");
        }
        assert_eq!(PageRow::named("Weather"), None);
    }

    #[test]
    fn every_row_finds_itself_under_any_name() {
        for row in PageRow::ALL {
            assert_eq!(PageRow::named(&row.name("Zitadel", 3)), Some(row));
            assert_eq!(PageRow::named(row.place()), Some(row));
        }
    }

    #[test]
    fn a_name_in_the_sidebar_comes_back_from_its_comment() {
        for label in ["plain words", "--> <b>", "a\n\"b\" \\ -- é"] {
            let comment = sidebar_comment(label);
            assert_eq!(comment.find("-->"), Some(comment.len() - 3));
            assert_eq!(sidebar_label(&comment).as_deref(), Some(label));
        }
        assert_eq!(sidebar_label("<!-- something else -->"), None);
    }
}
