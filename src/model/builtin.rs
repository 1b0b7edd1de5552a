//! The metrics that k6 makes itself: their kinds and units. Every other name is a script's own.
//!
//! k6's documentation lists them under "Built-in metrics", with those of `k6/ws`, `k6/net/grpc` and `k6/browser`.

use super::summary::{MetricKind, MetricUnit};

/// The kind and k6's `contains` of a metric that k6 makes; `None` of a script's own.
#[must_use]
pub fn of(name: &str) -> Option<(MetricKind, &'static str)> {
    use MetricKind::{Counter, Gauge, Rate, Trend};
    Some(match name {
        "http_req_blocked"
        | "http_req_connecting"
        | "http_req_duration"
        | "http_req_receiving"
        | "http_req_sending"
        | "http_req_tls_handshaking"
        | "http_req_waiting"
        | "iteration_duration"
        | "group_duration"
        | "grpc_req_duration"
        | "ws_connecting"
        | "ws_session_duration"
        | "ws_ping"
        | "browser_http_req_duration"
        | "browser_web_vital_fcp"
        | "browser_web_vital_fid"
        | "browser_web_vital_inp"
        | "browser_web_vital_lcp"
        | "browser_web_vital_ttfb" => (Trend, "time"),
        "browser_web_vital_cls" => (Trend, "default"),
        "http_reqs"
        | "iterations"
        | "dropped_iterations"
        | "ws_sessions"
        | "ws_msgs_sent"
        | "ws_msgs_received"
        | "grpc_streams"
        | "grpc_streams_msgs_sent"
        | "grpc_streams_msgs_received" => (Counter, "default"),
        "data_received" | "data_sent" | "ws_msgs_size" | "browser_data_received" | "browser_data_sent" => (Counter, "data"),
        "checks" | "http_req_failed" | "browser_http_req_failed" => (Rate, "default"),
        "vus" | "vus_max" => (Gauge, "default"),
        _ => return None,
    })
}

/// The unit by k6's `contains`; without a meaning of their own, counters count, rates are shares, and so are users.
#[must_use]
pub fn unit(kind: MetricKind, contains: Option<&str>, name: &str) -> Option<MetricUnit> {
    match (contains, kind) {
        (_, MetricKind::Rate) => Some(MetricUnit::Ratio),
        (Some("time"), _) => Some(MetricUnit::Ms),
        (Some("data"), _) => Some(MetricUnit::Bytes),
        (_, MetricKind::Counter) => Some(MetricUnit::Count),
        _ => matches!(name, "vus" | "vus_max").then_some(MetricUnit::Count),
    }
}

/// The unit of a metric by its name alone: of a script's own it is not told, but that a rate is a share. A counter of a
/// script's own may count anything, a time among them.
#[must_use]
pub fn unit_by_name(kind: MetricKind, name: &str) -> Option<MetricUnit> {
    match of(name) {
        Some((_, contains)) => unit(kind, Some(contains), name),
        None => (kind == MetricKind::Rate).then_some(MetricUnit::Ratio),
    }
}
