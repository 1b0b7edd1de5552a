//! PostgreSQL's statistics views as `psql` prints them: two states subtracted, samples, settings, the server log.
//!
//! A view is told by the names of its columns, never by a version: an extension may be older than its server, and people select
//! what they need.

mod activity;
mod cells;
mod database;
mod io;
mod log;
mod moment;
mod pair;
mod refused;
mod rounds;
mod server;
mod settings;
mod snapshot;
mod statements;
mod table;
mod tell;
#[cfg(test)]
mod tests;
mod view;

pub use self::activity::Activity;
pub use self::log::Log;
pub use self::snapshot::Snapshot;
use self::table::Table;
use self::view::View;
use super::findings::Findings;
use super::{Capture, File, Rules, Window};
use crate::diagnostic::{Diagnostic, Faults};
use crate::limits::SERVER_SETTINGS;
use crate::source::Source;

/// Whether a text is one of a view of PostgreSQL, its server log, or what `psql` says instead of rows.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    let text = source.text();
    if table::is_json(text) {
        // Broken JSON with the names of a view is taken, so that it is told what is broken.
        return View::is_hinted(text) && Table::read(source).map_or(true, |table| View::of(table.columns()).is_some());
    }
    let header = table::header(source);
    View::of(header.iter().map(String::as_str)).is_some() || refused::sniff(source) || log::sniff(source)
}

/// Reads a view: rows of `psql --csv`, or JSON in any of the forms that `row_to_json` and `json_agg` lead to.
///
/// # Errors
/// `bad-capture` at the row that is not of the view's shape.
pub fn read(source: &Source) -> Result<Capture, Faults> {
    if let Some(refused) = refused::read(source) {
        return Ok(Capture::Refused(Box::new(refused)));
    }
    let header = table::header(source);
    if !table::is_json(source.text()) && View::of(header.iter().map(String::as_str)).is_none() {
        return Ok(Capture::Log(Log::read(source)));
    }
    let table = Table::read(source)?;
    let Some(view) = View::of(table.columns()) else {
        return Err(Diagnostic::error("bad-capture", "these are not the rows of a view of PostgreSQL")
            .at(source.at(0..0))
            .into());
    };
    let table = table.checked()?;
    if view == View::Settings && table.rows.len() > SERVER_SETTINGS {
        let message = format!("{} settings are those of no server", table.rows.len());
        let fault = Diagnostic::error("large-table", message).at(source.at(0..0));
        return Err(fault
            .note(format!("at most {SERVER_SETTINGS} are read"))
            .help("save one state of pg_settings a file")
            .into());
    }
    if view != View::Activity {
        return Snapshot::read(&table, view).map(Capture::Snapshot);
    }
    if !table.has_moment() {
        let refused = Diagnostic::error("no-moment", "samples of pg_stat_activity without the moment of each row");
        let refused = refused.at(source.at(0..0)).help("select `now() AS sampled_at` with the rows");
        return Ok(Capture::Refused(Box::new(refused)));
    }
    Activity::read(&table).map(Capture::Activity)
}

/// What the views among the files tell. Of each view the two snapshots around the window are taken.
#[must_use]
pub fn findings(files: &[&File], window: Option<Window>, rules: &Rules) -> Findings {
    // By path, so that nothing depends on the order in which they were found.
    let mut files = files.to_vec();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let files = &files[..];
    let mut findings = Findings::default();
    tell::tell(files, window, rules, &mut findings);
    activity::tell(files, window, &mut findings);
    log::tell(files, window, &mut findings);
    findings
}
