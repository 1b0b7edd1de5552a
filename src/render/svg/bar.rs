//! A bar in a table cell. Its value stands in the cell beside it, so the bar itself says nothing to a reader of text.

use super::percent;

/// A bar as long as a share of its cell, 0..1, in the colour of a class.
#[must_use]
pub fn bar(share: f64, class: &str) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    format!(
        "<svg class=\"bar\" width=\"100%\" height=\"10\" aria-hidden=\"true\" focusable=\"false\">\
         <rect class=\"{class}\" x=\"0\" y=\"1\" width=\"{}\" height=\"8\" rx=\"2\"/></svg>",
        percent(share)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_stays_in_its_cell() {
        assert!(bar(0.5, "work").contains("width=\"50%\""));
        assert!(bar(f64::NAN, "work").contains("width=\"0%\""));
        assert!(bar(7.0, "work").contains("width=\"100%\" height=\"8\""));
    }
}
