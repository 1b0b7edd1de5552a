//! `plimsoll schema`: the shapes others rely on, made from the types.

use super::{Exit, Failure, Streams};
use crate::audit::RULES;
use crate::capture::quantity::Quantity;
use crate::capture::reduce::figures as figures_of;
use crate::cli::{self, SchemaName};
use crate::model::calibration::Calibration;
use crate::model::catalogue::{CATALOGUE, FigureId, OVER_TEST};
use crate::model::comparison::Comparison;
use crate::model::failures::Failures;
use crate::model::finding::Findings;
use crate::model::proof::Proof;
use crate::model::record::Record;
use crate::model::summary::Summary;
use crate::model::verdict::Verdicts;
use crate::secrets::{KINDS, Kind};

/// Prints a JSON Schema, or the catalogue of figures as a Markdown table.
pub(super) fn run(args: &cli::Schema, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let text = match args.name {
        SchemaName::Audits => audits(),
        SchemaName::Calibration => schema::<Calibration>(),
        SchemaName::Comparison => schema::<Comparison>(),
        SchemaName::Errors => schema::<Failures>(),
        SchemaName::Evidence => schema::<Proof>(),
        SchemaName::Figures => figures(),
        SchemaName::Findings => schema::<Findings>(),
        SchemaName::Quantities => quantities(),
        SchemaName::Record => schema::<Record>(),
        SchemaName::Secrets => secrets(),
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

/// The catalogue, columns aligned, as Markdown, and which rows know a second clock.
fn figures() -> String {
    let width = CATALOGUE.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let head = [format!("| {:width$} | unit       | meaning |", "figure"), format!("| {:-<width$} | ---------- | ------- |", "")];
    let rows = CATALOGUE.iter().map(|row| format!("| {:width$} | {:10} | {} |", row.name, row.unit.name(), row.meaning));
    let table = head.into_iter().chain(rows).fold(String::new(), |text, line| text + &line + "\n");
    let over_test = OVER_TEST.map(FigureId::name).join(", ");
    let clock = FigureId::K6TestIterationsPerS;
    format!(
        "{table}\nOver the test phase alone, where raw samples tell it from set-up and teardown: {over_test}. {clock} is over the \
         scenario's configured duration, else over the time from the first to the last sample of the test phase. `method` says \
         which.\n"
    )
}

/// The rules of the audit as Markdown: a section each, under its code.
fn audits() -> String {
    let section = |rule: &&crate::audit::Rule| {
        format!(
            "## {}\n\n**{}.** Level: {}.\n\n{}\n\nWhat to do: {}.\n",
            rule.code, rule.title, rule.level, rule.reason, rule.hint
        )
    };
    RULES.iter().map(section).collect::<Vec<_>>().join("\n")
}

/// What a mapping rule may say that a series measures, and the figures that follow, as a Markdown table.
fn quantities() -> String {
    let width = Quantity::names().map(str::len).max().unwrap_or(0);
    let head = [
        format!("| {:width$} | unit       | meaning | figures |", "quantity"),
        format!("| {:-<width$} | ---------- | ------- | ------- |", ""),
    ];
    let rows = Quantity::ALL.iter().map(|(quantity, name, meaning)| {
        let figures: Vec<&str> = figures_of(*quantity).iter().map(|id| id.name()).collect();
        format!("| {name:width$} | {:10} | {meaning} | {} |", quantity.unit().name(), figures.join(", "))
    });
    head.into_iter().chain(rows).fold(String::new(), |text, line| text + &line + "\n")
}

/// The kinds of secrets, as a Markdown table.
fn secrets() -> String {
    let width = KINDS.iter().map(|kind| kind.id.len()).max().unwrap_or(0);
    let head = [
        format!("| {:width$} | what it is | what it looks like | an invented one | why it is one |", "kind"),
        format!("| {:-<width$} | ---------- | ------------------ | --------------- | ------------- |", ""),
    ];
    let row = |kind: &Kind| {
        let Kind { id, title, looks, example, why } = kind;
        let example = example.replace('\n', "`, `");
        format!("| {id:width$} | {title} | {looks} | `{example}` | {why} |")
    };
    head.into_iter().chain(KINDS.iter().map(row)).fold(String::new(), |text, line| text + &line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_records_schema_has_the_sections_of_raw_samples() {
        let schema: serde_json::Value = serde_json::from_str(&schema::<Record>()).unwrap_or_default();
        let section = |name: &str| schema["properties"][name]["anyOf"][0]["$ref"].as_str().map(str::to_owned);
        assert_eq!(section("failures").as_deref(), Some("#/$defs/Failures"));
        assert_eq!(section("phases").as_deref(), Some("#/$defs/Phases"));
        let names =
            ["Failures", "Population", "MinuteCount", "Shape", "Phase", "CheckResult", "Phases", "PhaseFigures", "WindowBasis"];
        let parts = names.map(|name| (name, &schema["$defs"][name]));
        insta::assert_snapshot!(serde_json::to_string_pretty(&std::collections::BTreeMap::from(parts)).unwrap_or_default());
    }
}
