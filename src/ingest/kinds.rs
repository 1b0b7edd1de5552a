//! What kinds of files `ingest` knows: a table, a row a kind. Every row tells its kind by the content alone, but
//! for what people write by hand: those files are known by their names.

use std::cell::OnceCell;

use super::k6::{self, TextRun};
use super::page::{self, Page};
use super::{series_json, status};
use crate::capture::{self, Capture};
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::page::KIND;
use crate::model::record::StatusCount;
use crate::model::series::Series;
use crate::model::summary::{Summary, SummaryKind};
use crate::samples;
use crate::source::Source;

/// What was read from a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A k6 text summary, with its log around it.
    Text(Box<TextRun>),
    /// A k6 summary in JSON.
    Json(Box<Summary>),
    /// A published page.
    Page(Box<Page>),
    /// Per-second series.
    Series(Series),
    /// The runner's status breakdown.
    Status(Vec<StatusCount>),
    /// What was measured on the service and the database, or what a platform says of itself.
    Capture(Box<Capture>),
    /// `run.toml`, to be read by the archive's rules.
    ByHand,
    /// `release.toml`, likewise.
    ByHandOfRelease,
}

/// A file that is looked at, row by row.
pub struct Seen<'a> {
    source: &'a Source,
    summary: OnceCell<Option<SummaryKind>>,
}

impl<'a> Seen<'a> {
    fn new(source: &'a Source) -> Self {
        Self { source, summary: OnceCell::new() }
    }

    /// Whether it is a k6 summary of a form; looked for once, since that may mean reading a whole log.
    fn is_summary(&self, kind: SummaryKind) -> bool {
        *self.summary.get_or_init(|| k6::sniff(self.source)) == Some(kind)
    }

    fn is_raw(&self) -> bool {
        samples::is_samples(self.source.text().as_bytes())
    }

    fn is_ndjson(&self) -> bool {
        samples::is_ndjson(self.source.text().as_bytes())
    }

    fn is_named(&self, name: &str) -> bool {
        self.source.name().rsplit('/').next() == Some(name)
    }
}

/// Reads a file of a kind.
type Reader = fn(&Source) -> Result<Content, Faults>;

/// A row of the table.
pub struct Kind {
    /// Its name in provenance and listings.
    pub name: &'static str,
    /// What it is, in words.
    pub what: &'static str,
    /// Whether a file is of this kind.
    pub is: fn(&Seen<'_>) -> bool,
    /// Reads a file of this kind; `None` of raw samples, which are read in one pass where they lie.
    pub read: Option<Reader>,
}

/// The name of raw CSV in provenance.
const CSV: &str = "k6-csv";
/// The name of raw JSON in provenance.
const NDJSON: &str = "k6-ndjson";

/// All kinds. The first row that knows a file has it, so the more particular ones come first: a page holds a k6 text.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "run.toml",
        what: "figures and facts typed by hand",
        is: |seen| seen.is_named("run.toml"),
        read: Some(|_| Ok(Content::ByHand)),
    },
    Kind {
        name: "release.toml",
        what: "facts of a release typed by hand",
        is: |seen| seen.is_named("release.toml"),
        read: Some(|_| Ok(Content::ByHandOfRelease)),
    },
    Kind { name: CSV, what: "k6's raw samples, --out csv", is: |seen| seen.is_raw() && !seen.is_ndjson(), read: None },
    Kind { name: NDJSON, what: "k6's raw samples, --out json", is: |seen| seen.is_raw() && seen.is_ndjson(), read: None },
    Kind {
        name: KIND,
        what: "a published benchmark page",
        is: |seen| page::sniff(seen.source),
        read: Some(|source| Ok(Content::Page(Box::new(page::read(source)?)))),
    },
    Kind {
        name: "series",
        what: "per-second series",
        is: |seen| series_json::sniff(seen.source),
        read: Some(|source| Ok(Content::Series(series_json::read(source)?))),
    },
    Kind {
        name: "status",
        what: "the runner's status breakdown",
        is: |seen| status::sniff(seen.source),
        read: Some(|source| Ok(Content::Status(status::read(source)?))),
    },
    Kind {
        name: "metrics-csv",
        what: "the team's metrics CSV",
        is: |seen| capture::team_csv::sniff(seen.source),
        read: Some(|source| captured(capture::team_csv::read(source))),
    },
    Kind {
        name: "cloud-monitoring",
        what: "an answer of Cloud Monitoring",
        is: |seen| capture::monitoring::sniff(seen.source),
        read: Some(|source| captured(capture::monitoring::read(source))),
    },
    Kind {
        name: "prometheus",
        what: "an answer of Prometheus",
        is: |seen| capture::prometheus::sniff(seen.source),
        read: Some(|source| captured(capture::prometheus::read(source))),
    },
    Kind {
        name: "postgres",
        what: "a statistics view of PostgreSQL",
        is: |seen| capture::postgres::sniff(seen.source),
        read: Some(|source| captured(capture::postgres::read(source))),
    },
    Kind {
        name: "zitadel-features",
        what: "ZITADEL's feature flags",
        is: |seen| capture::features::sniff(seen.source),
        read: Some(|source| captured(capture::features::read(source))),
    },
    Kind {
        name: "infrastructure",
        what: "what gcloud describes of a service or a database",
        is: |seen| capture::infra::sniff(seen.source),
        read: Some(|source| captured(capture::infra::read(source))),
    },
    Kind {
        name: "gcloud-logging",
        what: "entries of Cloud Logging",
        is: |seen| capture::logging::sniff(seen.source),
        read: Some(|source| captured(capture::logging::read(source))),
    },
    Kind {
        name: "exposition",
        what: "a scrape of a process's metrics",
        is: |seen| capture::exposition::sniff(seen.source),
        read: Some(|source| captured(capture::exposition::read(source))),
    },
    Kind {
        name: "moment",
        what: "a moment that a script noted",
        is: |seen| capture::moment::sniff(seen.source),
        read: Some(|source| captured(capture::moment::read(source))),
    },
    Kind {
        name: "settings",
        what: "the service's configuration",
        is: |seen| capture::settings::sniff(seen.source),
        read: Some(|source| captured(capture::settings::read(source))),
    },
    Kind { name: "k6-export", what: "k6's --summary-export", is: |seen| seen.is_summary(SummaryKind::Export), read: Some(json) },
    Kind {
        name: "k6-handle-summary",
        what: "k6's handleSummary data",
        is: |seen| seen.is_summary(SummaryKind::HandleSummary),
        read: Some(json),
    },
    Kind {
        name: "k6-machine-readable",
        what: "k6's machine-readable summary",
        is: |seen| seen.is_summary(SummaryKind::MachineReadable),
        read: Some(json),
    },
    Kind {
        name: "k6-text",
        what: "k6's text summary",
        is: |seen| seen.is_summary(SummaryKind::Text),
        read: Some(|source| Ok(Content::Text(Box::new(k6::read_text(source)?)))),
    },
];

fn captured(read: Result<Capture, Faults>) -> Result<Content, Faults> {
    Ok(Content::Capture(Box::new(read?)))
}

fn json(source: &Source) -> Result<Content, Faults> {
    Ok(Content::Json(Box::new(k6::read_json(source)?)))
}

/// The kind of a file, by its content.
#[must_use]
pub fn detect(source: &Source) -> Option<&'static Kind> {
    let seen = Seen::new(source);
    KINDS.iter().find(|kind| (kind.is)(&seen))
}

/// The kind of raw samples that begin so.
#[must_use]
pub fn of_raw(beginning: &[u8]) -> &'static Kind {
    let name = if samples::is_ndjson(beginning) { NDJSON } else { CSV };
    KINDS.iter().find(|kind| kind.name == name).unwrap_or(&KINDS[0])
}

/// Why a file of no known kind is of none, as far as its beginning tells.
#[must_use]
pub fn describe_unknown(beginning: &[u8]) -> &'static str {
    if beginning.is_empty() {
        "an empty file"
    } else if beginning.starts_with(b"\x1f\x8b") || beginning.starts_with(b"\x28\xb5\x2f\xfd") {
        "an archive inside an archive: unfold it once"
    } else if [b"PK\x03\x04".as_slice(), b"\xfd7zXZ", b"BZh"].iter().any(|start| beginning.starts_with(start)) {
        "an archive of a kind that is not read; .gz and .zst are"
    } else if beginning.contains(&0) {
        "not a text"
    } else {
        "none of the kinds that are read"
    }
}

/// The fault of a file that was named and is of no known kind.
#[must_use]
pub fn unknown(source: &Source, beginning: &[u8]) -> Diagnostic {
    let known: Vec<String> = KINDS.iter().map(|kind| format!("{} ({})", kind.what, kind.name)).collect();
    Diagnostic::error("unknown-kind", format!("can't tell what `{}` is: {}", source.name(), describe_unknown(beginning)))
        .note(format!("read are: {}", known.join(", ")))
        .help("name a file of one of these kinds, or a folder that holds some")
}
