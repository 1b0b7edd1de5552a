//! The flows that need no file.

use crate::source::Source;

/// Names and texts of the built-in flows.
const TEXTS: [(&str, &str); 2] =
    [("flowchart", include_str!("../../flows/flowchart.toml")), ("practice", include_str!("../../flows/practice.toml"))];

/// The names of the built-in flows, sorted.
pub const BUILT_IN: [&str; 2] = [TEXTS[0].0, TEXTS[1].0];

/// The text of a built-in flow.
#[must_use]
pub fn builtin(name: &str) -> Option<Source> {
    let (_, text) = TEXTS.iter().find(|(known, _)| *known == name)?;
    Some(Source::new(format!("flows/{name}.toml"), *text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Flow;

    #[test]
    fn every_built_in_flow_passes_its_own_cases_and_they_take_every_edge() {
        for name in BUILT_IN {
            let source = builtin(name).unwrap_or_else(|| unreachable!("{name}"));
            let flow = Flow::read(&source).unwrap_or_else(|faults| unreachable!("{faults}"));
            let report = flow.run_cases();
            let faults: Vec<String> = report.cases.iter().filter_map(|case| Some(case.fault.as_ref()?.to_string())).collect();
            assert!(report.passed(), "{}", faults.join("\n"));
            assert_eq!(report.untaken, Vec::<String>::new());
        }
    }
}
