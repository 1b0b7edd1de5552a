//! What a reader takes at most. Within these limits a file is read in bounded memory; one beyond them is refused in words, or what is
//! too much of it is added up. No load test comes near them: they are for a mistake, a damaged file, an attack.
//!
//! `scripts/fuzz grown` measures what large inputs cost.

/// Bytes that a file may have, unfolded, which is read whole. Raw samples are not: they are read in parts, however many there are.
pub const FILE_BYTES: u64 = 1 << 30;

/// Bytes of a file that people write: `plimsoll.toml`, `run.toml`, rules, flows. They have some thousand; a byte may cost the reader of
/// TOML five hundred.
pub const HANDWRITTEN_BYTES: usize = 100_000;

/// Marks of Markdown on a page: line ends, brackets, stars and the like. A published page has some hundred; one may cost the reader of
/// Markdown five hundred bytes.
pub const PAGE_MARKS: usize = 1 << 16;

/// Values of a document of YAML, those that its aliases repeat counted each time. Configurations have some thousand; one costs some hundred
/// bytes.
pub const YAML_VALUES: usize = 50_000;

/// Levels of a document of YAML: each takes some ten thousand bytes of a thread's stack where nothing is optimised.
pub const YAML_DEPTH: usize = 32;

/// Bytes of a dotted key of a setting: each setting of a group has the group's key.
pub const SETTING_KEY_BYTES: usize = 500;

/// Series that a scrape or a dump of Prometheus may have whatever their length: one costs near a thousand bytes. One with more has
/// [`SCRAPE_SERIES_BYTES`] for each on the average.
pub const SCRAPE_SERIES: usize = 50_000;
/// Bytes of a series of a large scrape, on the average.
pub const SCRAPE_SERIES_BYTES: usize = 160;

/// Trends of published series; a script has some ten.
pub const SERIES_TRENDS: usize = 2_000;
/// Rows of a runner's status table; a run has some ten, and each is kept.
pub const STATUS_ROWS: usize = 10_000;

/// Columns of a table of PostgreSQL: its own limit.
pub const VIEW_COLUMNS: usize = 1_600;
/// What a table of PostgreSQL may weigh whatever its length: a cell is one, a row four, in JSON three times as much. It is near fifty bytes.
/// A heavier one has [`VIEW_BYTES`] for each on the average.
pub const VIEW_WEIGHT: usize = 800_000;
/// Bytes of a large table of PostgreSQL for each cell and four for each row, on the average.
pub const VIEW_BYTES: usize = 5;
/// Rows of `pg_settings`; a server has some four hundred, and each is kept.
pub const SERVER_SETTINGS: usize = 10_000;

/// Bytes of a row of raw samples; k6's own are some hundred, with a long message some thousand.
pub const ROW_BYTES: usize = if cfg!(fuzzing) { 1 << 13 } else { 1 << 20 };

/// Bytes of a record; a large one has some hundred thousand. What is not read is not written either.
pub const RECORD_BYTES: usize = 1 << 23;

/// Metrics of raw samples: each costs its values by second, some thousand bytes at the least.
pub const RAW_METRICS: usize = 2_000;
/// Minutes of all metrics of raw samples that a thread keeps whatever their rows: one is two thousand bytes, for its seconds. Where there
/// are more, [`RAW_MINUTE_ROWS`] rows are of one on the average. An hour of fifty metrics is three thousand.
pub const RAW_MINUTES: u64 = 1 << 13;
/// Rows of a minute of a metric of raw samples that go over many, on the average.
pub const RAW_MINUTE_ROWS: u64 = 4;
/// Names of requests in raw samples that are told apart.
pub const RAW_NAMES: usize = 100;
/// Kinds of failures in raw samples that are told apart by message and name; as many more by status, code and method alone.
pub const RAW_FAILURES: usize = 2_000;
/// Checks in raw samples that are told apart.
pub const RAW_CHECKS: usize = 1_000;
/// Thresholds that raw samples in JSON may declare for a metric and its parts.
pub const RAW_THRESHOLDS: usize = 10_000;

/// Lines of k6's text summary: a line a metric, a check, a threshold, and each of them once more in the section of its group. A script
/// has some hundred; a line of a trend becomes five thousand bytes, with its bounds and as a record.
pub const SUMMARY_LINES: usize = 10_000;
/// Lines that a log may have whatever their length. One with more has lines of [`LOG_LINE_BYTES`] on the average: what is kept of a
/// line is then less than ten times its text.
pub const LOG_LINES: usize = 1 << 18;
/// Bytes of a line of a long log, on the average.
pub const LOG_LINE_BYTES: usize = 24;

/// Bytes of the name of a metric, or of the path of a group, in a summary: each threshold has the one, each check the other. k6's own names
/// of metrics have at most 128.
pub const NAME_BYTES: usize = 1_000;

/// Objects of a summary in JSON: one a metric, one a threshold, one a check, one a group. One becomes some thousand bytes.
pub const SUMMARY_OBJECTS: usize = 10_000;
/// Values of a summary in JSON; a threshold becomes a thousand bytes.
pub const SUMMARY_VALUES: usize = 60_000;
