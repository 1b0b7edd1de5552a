//! What was captured on the service and the database.

use super::draft::Draft;
use super::grammar::{goes_on, labelled, pattern, walk};
use super::sheet::Cell;
use crate::model::catalogue::FigureId;
use crate::model::figure::Measurement;
use crate::model::page::PageRow;
use crate::model::units::Unit;

pattern! {
    HEAD = r"^(?i:(CPU|Memory|IOPS|Disk IOPS))(?::\s*|\s+)";
    ONE = r"^(?i:(Memory|Connections|Transactions|Error logs))(?::\s*|\s+)(~R|~N)(\s?[a-z]*/(?:s|sec|second|min|minute)\b)?";
    STEADY = r"^(?i:Instances?):\s*(~N)\s*\(constant\)";
    RANGE = r"^(?i:Instances?):\s*(?:(?:median\s+)?(~N)\s*(?:median)?\s*)?\(?(~N)\s*(?:–|—|-|→|to)\s*(~N)\)?";
    MEDIAN = r"^(?i:Instances?):\s*(?:median\s+)?(~N)(?:\s+\(?median\b\)?)?";
    MEDIAN_BEHIND = r"^(?i)\(?median:?\s+([0-9][0-9.]*)\)?";
    STARTUPS = r"^(?i)(no|[0-9][0-9,]*)\s+container\s+start-?ups?(?:\s+recorded)?";
    SERVER = r"^(?i:Server(?:-side)?):\s*(~N\s?(?:req(?:uests)?)?/s(?:ec|econd)?\b)?";
    LATENCY = r"^(?i:(?:Server(?:-side)?:?\s*)?latency):?\s+";
    RATE = r"^(~N\s?req(?:uests)?/s(?:ec|econd)?)\b";
    POOL = r"^(?i:Connection pool)(?:\s*\((?:MaxOpenConns:?\s+)?(~N)(?:\s+per\s+container)?\))?:\s*(~R)\s+of\s+(?:(~N)\s+)?acquires\s+found\s+(?:it|the\s+pool)\s+empty";
    POOL_SIZE = r"^(?i:Connection pool)\s*\(MaxOpenConns:?\s+(~N)(?:\s+per\s+container)?\):?";
    WAIT = r"^(?i:(?:Connection pool:\s*)?mean\s+wait)\s+(~T)";
}

/// Reads the row of the service's metrics.
pub(super) fn service(draft: &mut Draft, cell: &Cell) {
    const ROW: PageRow = PageRow::ServiceMetrics;
    let rest = walk(cell, |text| {
        None.or_else(|| heads(draft, ROW, text, service_figure))
            .or_else(|| instances(draft, text))
            .or_else(|| median_behind(draft, text))
            .or_else(|| startups(draft, text))
            .or_else(|| server(draft, text))
            .or_else(|| latency(draft, text))
            .or_else(|| pool(draft, text))
            .or_else(|| one(draft, ROW, text, |name| (name == "error logs").then_some(FigureId::ServerErrorLogsPerMin)))
    });
    draft.notes(ROW, rest);
}

/// Reads the row of the database's metrics.
pub(super) fn database(draft: &mut Draft, cell: &Cell) {
    const ROW: PageRow = PageRow::DatabaseMetrics;
    let rest = walk(cell, |text| {
        heads(draft, ROW, text, database_figure).or_else(|| {
            one(draft, ROW, text, |name| {
                Some(match name {
                    "memory" => FigureId::DatabaseMemory,
                    "connections" => FigureId::DatabaseConnections,
                    "transactions" => FigureId::DatabaseTransactionsPerS,
                    "error logs" => FigureId::DatabaseErrorLogsPerMin,
                    _ => return None,
                })
            })
        })
    });
    draft.notes(ROW, rest);
}

/// Reads what a row about the load generator says of its CPU.
pub(super) fn client(draft: &mut Draft, text: &str) -> Option<usize> {
    heads(draft, PageRow::ClientMachine, text, |head, label| {
        (head == "cpu" && label == "peak").then_some(FigureId::ClientCpuPeak)
    })
}

fn service_figure(head: &str, label: &str) -> Option<FigureId> {
    Some(match (head, label) {
        ("cpu", "p50" | "median") => FigureId::ContainerCpuP50,
        ("cpu", "p99") => FigureId::ContainerCpuP99,
        ("cpu", "peak" | "max") => FigureId::ContainerCpuPeak,
        ("memory", "p50" | "median") => FigureId::ContainerMemoryP50,
        ("memory", "peak" | "max") => FigureId::ContainerMemoryPeak,
        _ => return None,
    })
}

fn database_figure(head: &str, label: &str) -> Option<FigureId> {
    Some(match (head, label) {
        ("cpu", "median" | "p50") => FigureId::DatabaseCpuMedian,
        ("cpu", "peak" | "max") => FigureId::DatabaseCpuPeak,
        ("iops" | "disk iops", "read") => FigureId::DatabaseIopsRead,
        ("iops" | "disk iops", "write") => FigureId::DatabaseIopsWrite,
        _ => return None,
    })
}

/// `CPU: p50 20%, p99 30% (peak 40%)`: a head and values with labels. A label without a figure is kept as a note.
fn heads(draft: &mut Draft, row: PageRow, text: &str, figure: impl Fn(&str, &str) -> Option<FigureId>) -> Option<usize> {
    let head = HEAD.captures(text)?;
    let tail = text.get(head[0].len()..)?;
    let (values, len) = labelled(tail);
    let name = head[1].to_lowercase();
    if values.is_empty() || !values.iter().any(|(label, _)| figure(&name, label).is_some()) {
        return None;
    }
    for (label, value) in values {
        if !figure(&name, &label).is_some_and(|id| draft.figure(row, id, &value)) {
            draft.note(row, format!("{}: {label} {value}", &head[1]));
        }
    }
    Some(head[0].len() + len)
}

/// `Connections: 46`: a head and one value.
fn one(draft: &mut Draft, row: PageRow, text: &str, figure: impl Fn(&str) -> Option<FigureId>) -> Option<usize> {
    let found = ONE.captures(text).filter(|found| !goes_on(text, found[0].len()))?;
    let id = figure(&found[1].to_lowercase())?;
    let value = text.get(found.get(2)?.start()..found[0].len())?;
    draft.figure(row, id, value).then_some(found[0].len())
}

fn instances(draft: &mut Draft, text: &str) -> Option<usize> {
    const ROW: PageRow = PageRow::ServiceMetrics;
    const IDS: [FigureId; 3] =
        [FigureId::ContainerInstancesMedian, FigureId::ContainerInstancesMin, FigureId::ContainerInstancesMax];
    let (found, values) = if let Some(c) = STEADY.captures(text) {
        let n = c[1].to_owned();
        (c[0].len(), [Some(n.clone()), Some(n.clone()), Some(n)])
    } else if let Some(c) = RANGE.captures(text) {
        (c[0].len(), [c.get(1), c.get(2), c.get(3)].map(|m| m.map(|m| m.as_str().to_owned())))
    } else {
        let c = MEDIAN.captures(text).filter(|c| !goes_on(text, c[0].len()))?;
        (c[0].len(), [Some(c[1].to_owned()), None, None])
    };
    let whole = IDS.iter().zip(&values).all(|(id, value)| value.as_ref().is_none_or(|value| draft.figure(ROW, *id, value)));
    whole.then_some(found)
}

/// `Instances: 2–7 (median 5)`.
fn median_behind(draft: &mut Draft, text: &str) -> Option<usize> {
    let found = MEDIAN_BEHIND.captures(text)?;
    draft.figure(PageRow::ServiceMetrics, FigureId::ContainerInstancesMedian, &found[1]).then_some(found[0].len())
}

fn startups(draft: &mut Draft, text: &str) -> Option<usize> {
    const ROW: PageRow = PageRow::ServiceMetrics;
    const ID: FigureId = FigureId::ContainerInstancesStartups;
    let found = STARTUPS.captures(text)?;
    let taken = if found[1].eq_ignore_ascii_case("no") {
        draft.measured(ID, Measurement::exact(0.0, Unit::Count).from(ROW.place()))
    } else {
        draft.figure(ROW, ID, &found[1])
    };
    taken.then_some(found[0].len())
}

fn server(draft: &mut Draft, text: &str) -> Option<usize> {
    let found = SERVER.captures(text).or_else(|| RATE.captures(text))?;
    let rate = found.get(1)?.as_str();
    draft.figure(PageRow::ServiceMetrics, FigureId::ServerRequestsPerS, rate).then_some(found[0].len())
}

fn latency(draft: &mut Draft, text: &str) -> Option<usize> {
    let head = LATENCY.find(text)?;
    let (values, len) = labelled(text.get(head.end()..)?);
    if values.is_empty() {
        return None;
    }
    for (label, value) in values {
        let id = match label.as_str() {
            "p50" | "median" => Some(FigureId::ServerLatencyP50),
            "p95" => Some(FigureId::ServerLatencyP95),
            "p99" => Some(FigureId::ServerLatencyP99),
            _ => None,
        };
        if !id.is_some_and(|id| draft.figure(PageRow::ServiceMetrics, id, &value)) {
            draft.note(PageRow::ServiceMetrics, format!("Server-side: latency {label} {value}"));
        }
    }
    Some(head.end() + len)
}

fn pool(draft: &mut Draft, text: &str) -> Option<usize> {
    const ROW: PageRow = PageRow::ServiceMetrics;
    if let Some(found) = POOL.captures(text) {
        let parts = [(1, FigureId::PoolMaxOpen), (2, FigureId::PoolEmptyRatio), (3, FigureId::PoolAcquires)];
        let whole = parts.iter().all(|(at, id)| found.get(*at).is_none_or(|m| draft.figure(ROW, *id, m.as_str())));
        return whole.then_some(found[0].len());
    }
    if let Some(found) = POOL_SIZE.captures(text) {
        return draft.figure(ROW, FigureId::PoolMaxOpen, &found[1]).then_some(found[0].len());
    }
    let found = WAIT.captures(text)?;
    draft.figure(ROW, FigureId::PoolMeanWait, &found[1]).then_some(found[0].len())
}
