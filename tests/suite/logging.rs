//! The logs of the capture samples against their answer key.

use std::fs;

use plimsoll::capture::{Capture, File, Window, logging};
use plimsoll::source::Source;
use toml::{Table, Value};

use crate::material;

#[test]
fn counts_and_rates_are_those_of_the_key() {
    let Some(folder) = material::shared("data/capture") else { return };
    let key: Table = fs::read_to_string(folder.join("expected.toml")).unwrap().parse().unwrap();
    let mut seen = 0;
    for case in key["case"].as_array().unwrap() {
        // That a limit was given is told in no file.
        if case.get("kind").and_then(Value::as_str) != Some("gcloud-logging") || case.get("given").is_some() {
            continue;
        }
        let path = case["files"][0].as_str().unwrap().to_owned();
        let source = Source::new(&path, fs::read_to_string(folder.join(&path)).unwrap());
        assert!(logging::sniff(&source), "{path} is not known");
        let Ok(capture) = logging::read(&source) else { panic!("{path} was not read") };
        let Capture::Entries(log) = &capture else { panic!("{path} holds no entries") };
        assert_eq!(i64::try_from(log.entries.len()).ok(), case["logs"]["entries"].as_integer());
        let file = File { source, path: path.clone(), kind: "gcloud-logging", named: true, capture };
        let found = logging::findings(&[&file], None::<Window>);
        for (name, count) in case["logs"].as_table().unwrap().iter().filter(|(name, _)| name.as_str() != "entries") {
            // A table tells neither that a line is of text nor of which field a status is; all errors without a kind are of one sort.
            let name = match name.as_str() {
                "text line without kind (ERROR)" if !path.ends_with("json") => "without kind (ERROR)".to_owned(),
                name => name.replace("httpRequest.status", "status").replace("status", "httpRequest.status"),
            };
            let own = found.observed.iter().find(|observed| observed.name == format!("log entries: {name}"));
            let value = own.map_or(0.0, |observed| observed.measurement.value);
            assert!((value - count.as_integer().unwrap() as f64).abs() < 0.5, "{path}: {name} is {count}, read {value}");
        }
        let figure = found.figures[0].figure.measured().unwrap();
        let wanted = &case["expect"]["server.error_logs_per_min"];
        let distance = (figure.value - wanted["value"].as_float().unwrap()).abs();
        assert!(distance <= wanted["tolerance"].as_float().unwrap(), "{path}: {}", figure.value);
        seen += 1;
    }
    assert_eq!(seen, 3);
}
