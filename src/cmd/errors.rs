//! `plimsoll errors`: what failed, when and on whose side, from raw samples.

use super::{Exit, Failure, Project, Streams, raw};
use crate::cli::{self, ErrorsFormat};
use crate::render::failures::{json, text};
use crate::samples::Wanted;
use crate::secrets::masked_value;

/// Reads the files of one run and tells its failures.
pub(super) fn run(args: &cli::Errors, project: &Project, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let origins = project.origins()?;
    let failures = raw::read(&args.files, &Wanted::Errors, streams)?.failures(&origins);
    let failures = masked_value(failures)?;
    let told = match args.format {
        ErrorsFormat::Text => text(&failures),
        ErrorsFormat::Json => json(&failures).map_err(|error| Failure::Defect(error.to_string()))?,
    };
    write!(streams.out, "{told}")?;
    Ok(Exit::Yes)
}
