//! The published per-second series.

use plimsoll::ingest::series_json;
use plimsoll::render::docs::output_json;
use plimsoll::source::Source;

use super::{runs, source};

#[test]
fn every_published_series_is_read_whole_and_written_again() {
    let mut files = 0;
    for (name, run) in runs() {
        let path = run.join("output.json");
        if !path.is_file() {
            continue;
        }
        files += 1;
        let file = source(&path);
        assert!(series_json::sniff(&file), "{name}");
        let series = series_json::read(&file).unwrap_or_else(|faults| panic!("{faults}"));
        let rows: Vec<serde_json::Value> = serde_json::from_str(file.text()).unwrap();
        let points: usize = series.trends.values().map(|trend| trend.points.len()).sum();
        assert_eq!(points, rows.len(), "{name}");
        for row in rows.iter().step_by(97) {
            let trend = &series.trends[row["metric_name"].as_str().unwrap()];
            let wanted = (row["p95"].as_f64().unwrap() * 1000.0).round();
            assert!(trend.points.iter().any(|point| (point.p95 as f64 - wanted).abs() < 0.5), "{name}: {row}");
        }
        assert!(trend_seconds_ascend(&series), "{name}");
        let written = Source::new("output.json", output_json(&series));
        assert_eq!(series_json::read(&written).unwrap(), series, "{name}");
    }
    assert!(files == 15 || runs().is_empty(), "{files} series");
}

fn trend_seconds_ascend(series: &plimsoll::model::series::Series) -> bool {
    series.trends.values().all(|trend| trend.points.windows(2).all(|pair| pair[0].second < pair[1].second))
}
