//! Files of rules, read with all their faults at once.

use super::{Mapping, Means, Rule, Shape, factor};
use crate::capture::quantity::Quantity;
use crate::diagnostic::{Diagnostic, Faults};
use crate::handwritten::{Entry, Form, read_rules};
use crate::model::catalogue::{FigureId, Origin};
use crate::source::Source;

pub(super) fn rules(source: &Source) -> Result<Mapping, Faults> {
    read_rules(source, rule).map(|rules| Mapping { rules, own: 0 })
}

/// A rule; `None`, with its faults noted, if it is not whole.
fn rule(entry: &Entry<'_>) -> Option<Rule> {
    let form = entry.table()?;
    let metrics = match form.entry("metric") {
        Some(entry) if entry.is_list() => entry.texts().into_iter().map(|text| text.value).collect(),
        Some(entry) => entry.scalar().into_iter().map(|text| text.value).collect(),
        None => Vec::new(),
    };
    let file = form.text("file").map(|text| text.value);
    if metrics.is_empty() && file.is_none() {
        let fault = Diagnostic::error("no-condition", format!("the rule `{}` knows no series", entry.key.value));
        form.fault(
            fault.at(entry.key.place.clone()).help("give it `metric`, or the `file` in which a series without a name lies"),
        );
    }
    let labels = form.table("labels").map(|table| {
        let labels = table.entries().iter().filter_map(|entry| Some((entry.key.value.clone(), entry.scalar()?.value))).collect();
        table.close();
        labels
    });
    let means = means(entry, &form);
    let unit = form.text("unit");
    if let (Some(unit), Some(means)) = (&unit, means)
        && factor(Some(&unit.value), means.unit()).is_none()
    {
        let fault = Diagnostic::error("bad-unit", format!("`{}` is no unit of {}", unit.value, means.unit().wanted()));
        form.fault(fault.at(unit.place.clone()).help("units are s, ms, us, ratio, percent, bytes, count"));
    }
    let added_over = form.text("added_over").map(|label| label.value);
    let scale = form.number("scale");
    if let Some(scale) = scale.as_ref().filter(|scale| scale.value <= 0.0) {
        let fault = Diagnostic::error("bad-scale", "a scale is a number above 0").at(scale.place.clone());
        form.fault(fault.help("values are multiplied by it: `scale = 0.01` makes shares of per cent"));
    }
    let scale = scale.map_or(1.0, |scale| scale.value);
    let shape = shape(&form);
    form.close();
    Some(Rule {
        name: entry.key.value.clone(),
        place: entry.key.place.clone(),
        metrics,
        file,
        labels: labels.unwrap_or_default(),
        means: means?,
        shape,
        unit: unit.map(|unit| unit.value),
        scale,
        added_over,
    })
}

fn means(entry: &Entry<'_>, form: &Form<'_>) -> Option<Means> {
    match (form.text("measures"), form.text("figure")) {
        (Some(measures), None) => {
            let known = measures.value.parse().ok().map(Means::Quantity);
            if known.is_none() {
                let fault = Diagnostic::error("unknown-quantity", format!("there is no quantity `{}`", measures.value));
                form.fault(fault.at(measures.place).suggest(&measures.value, Quantity::names()));
            }
            known
        }
        (None, Some(figure)) => {
            let id = figure.value.parse::<FigureId>().ok().filter(|id| id.row().origin == Origin::Captured);
            if id.is_none() {
                let fault = Diagnostic::error("unknown-figure", format!("`{}` is no figure that is captured", figure.value));
                form.fault(fault.at(figure.place).suggest(&figure.value, FigureId::names()));
            }
            id.map(Means::Figure)
        }
        _ => {
            let fault =
                Diagnostic::error("no-meaning", format!("the rule `{}` must say one thing that is measured", entry.key.value));
            form.fault(fault.at(entry.key.place.clone()).help("give it `measures` or `figure`"));
            None
        }
    }
}

fn shape(form: &Form<'_>) -> Option<Shape> {
    const KINDS: [(&str, Shape); 5] = [
        ("gauge", Shape::Gauge),
        ("counter", Shape::Counter),
        ("delta", Shape::Delta),
        ("rate", Shape::Rate),
        ("increase", Shape::Increase),
    ];
    let averaged = form.truth("averaged").is_some_and(|truth| truth.value);
    let percentile = form.number("percentile");
    let kind = form.text("kind");
    if let Some(percent) = percentile {
        if (0.0..=100.0).contains(&percent.value) {
            return Some(Shape::Percentile { percent: percent.value, averaged });
        }
        form.fault(Diagnostic::error("bad-percentile", "a percentile is a number from 0 to 100").at(percent.place));
    }
    let kind = kind?;
    let message = format!("there is no kind `{}` of a series", kind.value);
    form.choice(kind, &KINDS, "unknown-kind", message)
}
