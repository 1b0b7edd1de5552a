//! `plimsoll schema`: the shapes others rely on, made from the types.

use super::{Exit, Failure, Streams};
use crate::cli::{self, SchemaName};
use crate::model::catalogue::CATALOGUE;
use crate::model::failures::Failures;
use crate::model::record::Record;
use crate::model::summary::Summary;
use crate::model::verdict::Verdicts;

/// Prints a JSON Schema, or the catalogue of figures as a Markdown table.
pub(super) fn run(args: &cli::Schema, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let text = match args.name {
        SchemaName::Errors => schema::<Failures>(),
        SchemaName::Figures => figures(),
        SchemaName::Record => schema::<Record>(),
        SchemaName::Summary => schema::<Summary>(),
        SchemaName::Verdicts => schema::<Verdicts>(),
    };
    write!(streams.out, "{text}")?;
    Ok(Exit::Yes)
}

fn schema<T: schemars::JsonSchema>() -> String {
    // A schema is a JSON value by construction.
    serde_json::to_string_pretty(&schemars::schema_for!(T)).unwrap_or_else(|error| unreachable!("a schema is JSON: {error}"))
        + "\n"
}

/// The catalogue, columns aligned, as Markdown.
fn figures() -> String {
    let width = CATALOGUE.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let head = [format!("| {:width$} | unit       | meaning |", "figure"), format!("| {:-<width$} | ---------- | ------- |", "")];
    let rows = CATALOGUE.iter().map(|row| format!("| {:width$} | {:10} | {} |", row.name, row.unit.name(), row.meaning));
    head.into_iter().chain(rows).fold(String::new(), |text, line| text + &line + "\n")
}
