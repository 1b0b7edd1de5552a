//! Charts as inline SVG, complete without a script.
//!
//! Positions across are percentages (or a nested picture that stretches), heights are pixels: a chart fills the width it
//! is given and its letters stay the size they are. Colours are classes, so that a style sheet decides them. Every chart
//! has a title and a description; the values themselves stand in a table beside it.

pub mod bands;
pub mod bar;
pub mod histogram;
pub mod history;
pub mod interval;
pub mod overlay;
pub mod ranges;
pub mod scale;
pub mod series;
pub mod shift;
pub mod thinning;
pub mod traffic;

use super::markup::escape;

/// The opening of a chart that is read as one picture: width 100%, a height in pixels, a title and a description.
fn open(id: &str, class: &str, height: u32, title: &str, description: &str) -> String {
    format!(
        "<svg class=\"chart {class}\" width=\"100%\" height=\"{height}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">\
         <title id=\"{id}-title\">{}</title><desc id=\"{id}-desc\">{}</desc>",
        escape(title),
        escape(description)
    )
}

/// A place across the chart, as a percentage with at most two decimals.
fn percent(share: f64) -> String {
    format!("{}%", short(share * 100.0, 2))
}

/// A coordinate without trailing zeros.
#[allow(clippy::cast_possible_truncation, reason = "it is a whole number that an i64 holds")]
fn short(value: f64, decimals: usize) -> String {
    let scale = 10_f64.powi(i32::try_from(decimals).unwrap_or_default());
    let scaled = (value * scale).round();
    // Numbers of a chart are small; the others are left to the library.
    if scaled.abs() < 1e15 {
        return of_units(scaled as i64, decimals);
    }
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// So many units of the last decimal, without trailing zeros.
fn of_units(units: i64, decimals: usize) -> String {
    let mut digits = itoa::Buffer::new();
    let digits = digits.format(units.unsigned_abs());
    let mut text = String::with_capacity(digits.len() + 4);
    if units < 0 {
        text.push('-');
    }
    let (whole, part) = digits.split_at(digits.len().saturating_sub(decimals));
    text.push_str(if whole.is_empty() { "0" } else { whole });
    if part.bytes().any(|digit| digit != b'0') {
        text.push('.');
        text.extend(std::iter::repeat_n('0', decimals - part.len()));
        text.push_str(part.trim_end_matches('0'));
    }
    text
}

/// How a label at a place across the chart is anchored, so that it stays inside.
fn anchor(share: f64) -> &'static str {
    if share < 0.04 {
        "start"
    } else if share > 0.96 {
        "end"
    } else {
        "middle"
    }
}
