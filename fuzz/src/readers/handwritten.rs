//! What people write.

use plimsoll::archive::byhand;
use plimsoll::capture::mapping::Mapping;
use plimsoll::capture::queries::Names;
use plimsoll::flow::{self, Flow};
use plimsoll::samples::origins::Origins;
use plimsoll::settings::Settings;

use super::{drawn, read, source};

/// Rules on series, on statements and on error messages.
pub(super) fn rules(bytes: &[u8]) {
    let text = source("rules.toml", bytes);
    if let Some(names) = read(Names::read(&text)) {
        let _name = names.of("select ? from a where b = ?");
    }
    if let Some(origins) = read(Origins::read(&text)) {
        let _origin = origins.of(Some(503), Some(1_503), Some("dial tcp 10.0.0.1:443: connection refused"));
    }
    let _mapping = read(Mapping::read(&text));
}

/// `plimsoll.toml`.
pub(super) fn project(bytes: &[u8]) {
    let _settings = read(Settings::read(&source("plimsoll.toml", bytes)));
}

/// `run.toml` and `release.toml`.
pub(super) fn by_hand(bytes: &[u8]) {
    let _run = read(byhand::read_run(&source("run.toml", bytes)));
    let _release = read(byhand::read_release(&source("release.toml", bytes)));
}

/// A flow: read, shown, drawn, and its cases walked.
pub(super) fn flow(bytes: &[u8]) {
    let Some(chart) = read(Flow::read(&source("flow.toml", bytes))) else { return };
    let (_text, _picture) = (flow::show(&chart), flow::draw(&chart, None));
    let report = chart.run_cases();
    let _told = report.to_string();
    drawn(report.cases.iter().filter_map(|case| case.fault.as_ref()));
}
