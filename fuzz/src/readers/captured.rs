//! What was measured on the service and the database. A reader's capture is made into figures too, without a window and with some,
//! since most that can go wrong goes wrong there.

use std::sync::LazyLock;

use chrono::{DateTime, TimeDelta, Utc};
use plimsoll::capture::{self, Capture, File, Rules, Window};
use plimsoll::diagnostic::Faults;
use plimsoll::ingest::kinds;
use plimsoll::source::Source;

use super::{drawn, parts, read, source};

static RULES: LazyLock<Rules> = LazyLock::new(Rules::built_in);

/// Half an hour in the seeds, a year around it, and a second.
static WINDOWS: LazyLock<[Option<Window>; 4]> = LazyLock::new(|| {
    let start = DateTime::<Utc>::from_timestamp(1_790_631_753, 0).unwrap_or_default();
    let window = |from: TimeDelta, to: TimeDelta| Some(Window { start: start + from, end: start + to });
    let minutes = TimeDelta::minutes;
    [
        None,
        window(minutes(0), minutes(30)),
        window(TimeDelta::days(-365), TimeDelta::days(365)),
        window(TimeDelta::seconds(59), TimeDelta::seconds(60)),
    ]
});

type Reader = fn(&Source) -> Result<Capture, Faults>;

/// Reads the files of an input, and makes figures of all together.
fn figures(bytes: &[u8], kind: &'static str, end: &str, reader: Reader) {
    let file = |(name, bytes): (String, Vec<u8>)| {
        let path = if name == "input" { format!("metrics{end}") } else { name };
        let source = source(&path, &bytes);
        let _kind = kinds::detect(&source);
        let capture = read(reader(&source))?;
        if let Capture::Refused(why) = &capture {
            drawn([why.as_ref()]);
        }
        Some(File { source, path, kind, named: true, capture })
    };
    let files: Vec<File> = parts(bytes).into_iter().take(4).filter_map(file).collect();
    let files: Vec<&File> = files.iter().collect();
    for window in *WINDOWS {
        let found = capture::assemble(&files, "a", window, &RULES);
        drawn(&found.told);
    }
}

/// The team's CSV.
pub(super) fn team_csv(bytes: &[u8]) {
    figures(bytes, "metrics-csv", ".csv", capture::team_csv::read);
}

/// Cloud Monitoring.
pub(super) fn monitoring(bytes: &[u8]) {
    figures(bytes, "cloud-monitoring", ".json", capture::monitoring::read);
}

/// Query Insights, which come as series of Cloud Monitoring.
pub(super) fn insights(bytes: &[u8]) {
    figures(bytes, "cloud-monitoring", ".json", capture::monitoring::read);
}

/// Answers of Prometheus, dumps, and k6's remote write.
pub(super) fn prometheus(bytes: &[u8]) {
    figures(bytes, "prometheus", ".json", capture::prometheus::read);
}

/// Scrapes in the text format.
pub(super) fn exposition(bytes: &[u8]) {
    figures(bytes, "exposition", ".prom", capture::exposition::read);
}

/// Statistics views, settings and the log of PostgreSQL.
pub(super) fn postgres(bytes: &[u8]) {
    figures(bytes, "postgres", ".csv", capture::postgres::read);
}

/// Feature flags.
pub(super) fn features(bytes: &[u8]) {
    figures(bytes, "zitadel-features", ".json", capture::features::read);
}

/// Descriptions of services and databases.
pub(super) fn infra(bytes: &[u8]) {
    figures(bytes, "infrastructure", ".yaml", capture::infra::read);
}

/// Cloud Logging.
pub(super) fn logging(bytes: &[u8]) {
    figures(bytes, "gcloud-logging", ".json", capture::logging::read);
}

/// The service's configuration, YAML or variables.
pub(super) fn service_settings(bytes: &[u8]) {
    figures(bytes, "settings", ".yaml", capture::settings::read);
}

/// A moment that a script noted.
pub(super) fn moment(bytes: &[u8]) {
    figures(bytes, "moment", ".txt", capture::moment::read);
}
