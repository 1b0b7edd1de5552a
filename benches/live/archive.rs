//! An archive of any size, made of the runs that ship: real records and series under other names, each at its own time and with numbers that
//! differ from run to run as repeats do.

use std::fs;
use std::io;
use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

/// The release whose runs all have a series.
const MODEL: &str = "v4";
/// Releases of the archive.
const RELEASES: usize = 30;

/// Makes an archive of so many runs below a folder, copies of those of some targets, of all where none is named; 30 releases share them.
///
/// # Errors
/// What the disk says, or a record that is no JSON.
pub(crate) fn make(shipped: &Path, folder: &Path, runs: usize, of: &[String]) -> io::Result<()> {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut models: Vec<_> = fs::read_dir(shipped.join(MODEL))?.collect::<Result<Vec<_>, _>>()?;
    models.sort_by_key(fs::DirEntry::file_name);
    let is_wanted = |entry: &fs::DirEntry| of.is_empty() || of.iter().any(|name| entry.file_name() == name.as_str());
    let models: Vec<_> = models.iter().filter(|entry| entry.path().is_dir() && is_wanted(entry)).collect();
    if models.is_empty() {
        return Err(io::Error::other(format!("none of {of:?} is a target of {MODEL}")));
    }
    for nth in 0..runs {
        let (release, in_release) = (nth % RELEASES, nth / RELEASES);
        let model = models[in_release % models.len()].path();
        let target = model.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let repeat = in_release / models.len() + 1;
        let release = format!("v5.{release}.0");
        let place = folder.join(&release).join(if repeat == 1 { target.clone() } else { format!("{target}~{repeat}") });
        fs::create_dir_all(&place)?;
        let mut record: Value = serde_json::from_slice(&fs::read(model.join("record.json"))?)?;
        record["identity"]["release"] = json!(release);
        if repeat > 1 {
            record["identity"]["label"] = json!(repeat.to_string());
        }
        let (day, hour) = (nth % RELEASES % 28 + 1, in_release % 24);
        record["window"]["start"] =
            json!(format!("2026-{:02}-{day:02}T{hour:02}:{:02}:00Z", nth % RELEASES / 28 + 1, repeat * 7 % 60));
        vary(&mut record["k6"]["metrics"], &mut chance);
        fs::write(place.join("record.json"), serde_json::to_string_pretty(&record)? + "\n")?;
        for file in ["k6.txt", "series.json"] {
            fs::copy(model.join(file), place.join(file))?;
        }
    }
    Ok(())
}

/// Every metric a few percent higher or lower, its interval with it.
fn vary(metrics: &mut Value, chance: &mut Xoshiro256PlusPlus) {
    for metric in metrics.as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
        let kind = metric["kind"].as_str().unwrap_or_default().to_owned();
        if kind == "trend" || kind == "counter" {
            let factor = 0.97 + 0.06 * (chance.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            scale(metric, factor);
        }
    }
}

/// A record with all its trends and counters so many times as large.
pub(crate) fn varied(text: &str, factor: f64) -> String {
    let mut record: Value = serde_json::from_str(text).unwrap_or_default();
    for metric in record["k6"]["metrics"].as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
        if metric["kind"] == "trend" || metric["kind"] == "counter" {
            scale(metric, factor);
        }
    }
    serde_json::to_string_pretty(&record).unwrap_or_default() + "\n"
}

fn scale(value: &mut Value, factor: f64) {
    match value {
        Value::Number(number) if number.is_f64() => *value = json!(number.as_f64().unwrap_or_default() * factor),
        Value::Array(values) => values.iter_mut().for_each(|value| scale(value, factor)),
        Value::Object(fields) => fields.values_mut().for_each(|value| scale(value, factor)),
        _ => {}
    }
}
