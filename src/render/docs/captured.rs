//! What was captured on the service and the database, in the words of published pages. What was not captured is left
//! out.

use crate::model::catalogue::FigureId;
use crate::model::figure::Figure;
use crate::model::record::Record;

/// A figure as printed or shown; one whose source has gaps says so.
pub(super) fn value(record: &Record, id: FigureId) -> Option<String> {
    match record.figures.get(id)? {
        Figure::Measured(value) => Some(value.text()),
        Figure::Incomplete(value) => Some(format!("{} (incomplete)", value.text())),
        Figure::NotCaptured { .. } => None,
    }
}

/// The row of the service's metrics.
pub(super) fn service(record: &Record) -> Vec<String> {
    let figure = |id| value(record, id);
    [
        cpu(record),
        joined(
            "Memory: ",
            &[("p50 ", figure(FigureId::ContainerMemoryP50)), ("peak ", figure(FigureId::ContainerMemoryPeak))],
            ", ",
        ),
        instances(record),
        server(record),
        pool(record),
        figure(FigureId::ServerErrorLogsPerMin).map(|logs| format!("Error logs: {logs}")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The row of the database's metrics.
pub(super) fn database(record: &Record) -> Vec<String> {
    let figure = |id| value(record, id);
    let behind = |id, word: &str| figure(id).map(|value| format!("{value} {word}"));
    let one = |head: &str, id| figure(id).map(|value| format!("{head}: {value}"));
    let cpu = [behind(FigureId::DatabaseCpuMedian, "median"), behind(FigureId::DatabaseCpuPeak, "peak")];
    let cpu: Vec<String> = cpu.into_iter().flatten().collect();
    [
        (!cpu.is_empty()).then(|| format!("CPU: {}", cpu.join(", "))),
        one("Memory", FigureId::DatabaseMemory),
        one("Connections", FigureId::DatabaseConnections),
        one("Transactions", FigureId::DatabaseTransactionsPerS),
        joined("IOPS: ", &[("read ", figure(FigureId::DatabaseIopsRead)), ("write ", figure(FigureId::DatabaseIopsWrite))], ", "),
        one("Error logs", FigureId::DatabaseErrorLogsPerMin),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// `p50 18%, p99 26%`, without what is missing; nothing if all is.
fn joined(head: &str, parts: &[(&str, Option<String>)], separator: &str) -> Option<String> {
    let parts: Vec<String> = parts.iter().filter_map(|(word, value)| Some(format!("{word}{}", value.as_ref()?))).collect();
    (!parts.is_empty()).then(|| format!("{head}{}", parts.join(separator)))
}

fn cpu(record: &Record) -> Option<String> {
    let figure = |id| value(record, id);
    let body = joined("CPU: ", &[("p50 ", figure(FigureId::ContainerCpuP50)), ("p99 ", figure(FigureId::ContainerCpuP99))], ", ");
    match (body, figure(FigureId::ContainerCpuPeak)) {
        (Some(body), Some(peak)) => Some(format!("{body} (peak {peak})")),
        (Some(body), None) => Some(body),
        (None, peak) => peak.map(|peak| format!("CPU: peak {peak}")),
    }
}

fn instances(record: &Record) -> Option<String> {
    let figure = |id| value(record, id);
    let (median, min, max) = (
        figure(FigureId::ContainerInstancesMedian),
        figure(FigureId::ContainerInstancesMin),
        figure(FigureId::ContainerInstancesMax),
    );
    let count = match (median, min, max) {
        (Some(n), Some(min), Some(max)) if n == min && n == max => Some(format!("{n} (constant)")),
        (Some(n), Some(min), Some(max)) => Some(format!("{n} median ({min}–{max})")),
        (None, Some(min), Some(max)) => Some(format!("{min}–{max}")),
        (Some(n), _, _) => Some(format!("{n} median")),
        _ => None,
    };
    let startups = startups(record);
    match (count, startups) {
        (Some(count), Some(startups)) => Some(format!("Instances: {count}, {startups}")),
        (Some(count), None) => Some(format!("Instances: {count}")),
        (None, startups) => startups,
    }
}

fn startups(record: &Record) -> Option<String> {
    let figure = record.figures.get(FigureId::ContainerInstancesStartups)?;
    let text = value(record, FigureId::ContainerInstancesStartups)?;
    let none = figure.measured().is_some_and(|n| n.value.abs() < 0.5 && n.printed.is_none());
    let plural = if text == "1" { "" } else { "s" };
    Some(if none { "no container startups recorded".to_owned() } else { format!("{text} container startup{plural}") })
}

fn server(record: &Record) -> Option<String> {
    let figure = |id| value(record, id);
    let latency = joined(
        "latency ",
        &[
            ("p50 ", figure(FigureId::ServerLatencyP50)),
            ("p95 ", figure(FigureId::ServerLatencyP95)),
            ("p99 ", figure(FigureId::ServerLatencyP99)),
        ],
        " / ",
    );
    let parts: Vec<String> = figure(FigureId::ServerRequestsPerS).into_iter().chain(latency).collect();
    (!parts.is_empty()).then(|| format!("Server-side: {}", parts.join(", ")))
}

/// Whether anything is known of the connection pool.
pub(super) fn has_pool(record: &Record) -> bool {
    pool(record).is_some() && value(record, FigureId::ServerErrorLogsPerMin).is_none()
}

fn pool(record: &Record) -> Option<String> {
    let figure = |id| value(record, id);
    let size = figure(FigureId::PoolMaxOpen).map(|n| format!(" (MaxOpenConns {n} per container)")).unwrap_or_default();
    let acquires = figure(FigureId::PoolAcquires).map(|n| format!("{n} ")).unwrap_or_default();
    let empty = figure(FigureId::PoolEmptyRatio).map(|share| format!("{share} of {acquires}acquires found it empty"));
    let wait = figure(FigureId::PoolMeanWait).map(|wait| format!("mean wait {wait}"));
    let parts: Vec<String> = empty.into_iter().chain(wait).collect();
    (!parts.is_empty() || !size.is_empty()).then(|| format!("Connection pool{size}: {}", parts.join(", ")).trim_end().to_owned())
}
