//! Captures in any order and twice: the same bytes. Where one file contradicts another, nothing is written.

use proptest::prelude::*;

use super::capture_support::{captured, ingest, log, record};
use super::command::Folder;
use super::material::shared;

const TARGET: &str = "password_session";

/// The window of Cloud Monitoring's samples, up to the end of PostgreSQL's.
const START: &str = "2026-09-28T21:42:33Z";
const END: &str = "2026-09-28T22:17:45Z";

/// The files of one run, which all give something.
const FILES: [&str; 31] = [
    "gcp-monitoring/bench-metrics-raw.team_csv_shape.csv",
    "gcp-monitoring/cloudsql.backends_in_wait.json",
    "gcp-monitoring/cloudsql.cpu_utilization.json",
    "gcp-monitoring/cloudsql.disk_read_ops_count.json",
    "gcp-monitoring/cloudsql.disk_write_ops_count.json",
    "gcp-monitoring/cloudsql.memory_utilization.json",
    "gcp-monitoring/cloudsql.num_backends.json",
    "gcp-monitoring/cloudsql.transaction_count.json",
    "gcp-monitoring/container_cpu_utilizations.ALIGN_PERCENTILE_50.json",
    "gcp-monitoring/container_cpu_utilizations.ALIGN_PERCENTILE_99.json",
    "gcp-monitoring/container_cpu_utilizations.raw_distribution.json",
    "gcp-monitoring/container_memory_utilizations.raw_distribution.json",
    "gcp-monitoring/instance_count.raw_by_state.json",
    "gcp-monitoring/request_count.raw_delta.json",
    "gcp-monitoring/request_latencies.p99.ALIGN_DELTA.REDUCE_PERCENTILE_99.json",
    "gcp-monitoring/request_latencies.p99.ALIGN_PERCENTILE_99.REDUCE_MEAN.json",
    "gcp-monitoring/request_latencies.raw_distribution.json",
    "gcp-monitoring/startup_latencies.raw_distribution.json",
    "gcp-monitoring/zitadel_pool_via_google_exporter.cumulative.json",
    "postgres/pg17/before.pg_stat_statements.csv",
    "postgres/pg17/after.pg_stat_statements.csv",
    "postgres/pg17/before.pg_stat_database.csv",
    "postgres/pg17/after.pg_stat_database.csv",
    "postgres/pg17/pg_stat_activity_samples.csv",
    "postgres/pg17/pg_settings.csv",
    "zitadel-features/v4.19_instance_inheritance.json",
    "zitadel-features/v4.19_system.json",
    "zitadel-config/runtime-overrides.example.yaml",
    "zitadel-config/overrides.env",
    "gcp-infra/gcloud_run_services_describe.json",
    "gcp-infra/gcloud_run_services_describe.yaml",
];

/// A sample under a name of its own, PostgreSQL's moved into the window.
fn sample(file: &str) -> Option<(String, String)> {
    let text = std::fs::read_to_string(shared("data/capture")?.join(file)).unwrap();
    let moved = text.replace("2026-11-30 08:", "2026-09-28 22:").replace("2026-11-30T08:", "2026-09-28T22:");
    Some((format!("in/{}", file.replace('/', ".")), moved))
}

/// A folder with the files of the run.
fn run() -> Option<(Folder, Vec<String>)> {
    let mut folder = Folder::new().file("in/k6.log", log(TARGET, START, END));
    let mut paths = vec!["in/k6.log".to_owned()];
    for file in FILES {
        let (path, text) = sample(file)?;
        folder = folder.file(&path, text);
        paths.push(path);
    }
    Some((folder, paths))
}

#[test]
fn a_folder_ingested_twice_gives_the_same_bytes() {
    let Some((folder, paths)) = run() else { return };
    ingest(&folder, &["in"], TARGET).exits(0).prints("new");
    let first = folder.files("data");
    ingest(&folder, &["in"], TARGET).exits(0).prints("unchanged");
    assert!(folder.files("data") == first, "the second time wrote other bytes");
    let record = record(&folder, "v9", TARGET);
    assert!(captured(&record).len() >= 20, "{:?}", captured(&record));
    // The same files by their names, and in the order of a folder that was walked backwards.
    let (mut names, other) = (paths, Folder::new());
    names.reverse();
    let other = names.iter().fold(other, |other, path| other.file(path, folder.read(path)));
    ingest(&other, &names.iter().map(String::as_str).collect::<Vec<_>>(), TARGET).exits(0);
    assert!(other.files("data") == first, "named files give other bytes than their folder");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5, max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn files_named_in_any_order_give_the_same_bytes(order in Just((0..=FILES.len()).collect::<Vec<_>>()).prop_shuffle()) {
        let Some((folder, paths)) = run() else { return Ok(()) };
        let sorted: Vec<&str> = paths.iter().map(String::as_str).collect();
        let shuffled: Vec<&str> = order.iter().map(|at| paths[*at].as_str()).collect();
        ingest(&folder, &sorted, TARGET).exits(0);
        let first = folder.files("data");
        std::fs::remove_dir_all(folder.path("data")).unwrap();
        ingest(&folder, &shuffled, TARGET).exits(0);
        prop_assert!(folder.files("data") == first, "{shuffled:?} give other bytes");
    }
}

/// A sweep of two runs, of which one has two answers on flags that contradict each other: neither is written, and what the
/// archive had stays as it was.
#[test]
fn one_contradiction_leaves_the_whole_archive_as_it_was() {
    let sweep = |folder: &Folder| folder.plimsoll(&["ingest", "in", "--release", "v9"]);
    let sample = |file: &str| sample(file).map(|(_, text)| text);
    let (Some(one), Some(other)) =
        (sample("zitadel-features/v4.19_instance_inheritance.json"), sample("zitadel-features/v4.19_instance_loginv2_on.json"))
    else {
        return;
    };
    let folder = Folder::new()
        .file("in/a/k6.log", log("a", START, END))
        .file("in/b/k6.log", log("b", START, END))
        .file("in/a/features.json", &one)
        .file("in/b/features.json", &one);
    sweep(&folder).exits(0).prints("v9/a  new").prints("v9/b  new");
    let first = folder.files("");
    let folder = folder.file("in/b/features.other.json", other).file("in/a/k6.log", log("a", START, "2026-09-28T22:20:00Z"));
    sweep(&folder).exits(3).says("in/b/features.json").says("in/b/features.other.json");
    let of_archive = |files: &[(String, Vec<u8>)]| -> Vec<(String, Vec<u8>)> {
        files.iter().filter(|(name, _)| !name.starts_with("in/")).cloned().collect()
    };
    assert!(of_archive(&folder.files("")) == of_archive(&first), "something was written in spite of the contradiction");
}

/// What is added to a run that the archive has makes the record that all files together make, whatever came first, and adding it
/// again changes nothing.
#[test]
fn captures_added_later_give_the_record_of_all_at_once() {
    let Some((whole, paths)) = run() else { return };
    ingest(&whole, &["in"], TARGET).exits(0);
    let sources = ["gcp-monitoring", "postgres", "zitadel-features", "zitadel-config", "gcp-infra"];
    let group = |source: &str| -> Vec<&str> {
        paths.iter().map(String::as_str).filter(|path| path.starts_with(&format!("in/{source}."))).collect()
    };
    for order in [sources.to_vec(), sources.iter().rev().copied().collect()] {
        let apart = paths.iter().fold(Folder::new(), |apart, path| apart.file(path, whole.read(path)));
        ingest(&apart, &["in/k6.log"], TARGET).exits(0).prints("new");
        for source in order {
            ingest(&apart, &group(source), TARGET).exits(0).prints("changed");
            ingest(&apart, &group(source), TARGET).exits(0).prints("unchanged");
        }
        let (one, other) = (record(&whole, "v9", TARGET), record(&apart, "v9", TARGET));
        for (part, value) in one.as_object().unwrap() {
            for (name, figure) in value.as_object().into_iter().flatten() {
                assert_eq!(&other[part][name], figure, "{part} {name}");
            }
            assert_eq!(&other[part], value, "{part}");
        }
    }
}

/// A poorer source that is added later takes no place of a better one, as it takes none where both are ingested at once.
#[test]
fn a_poorer_source_replaces_no_better_one() {
    let raw = "in/gcp-monitoring.container_cpu_utilizations.raw_distribution.json";
    let made = "in/gcp-monitoring.container_cpu_utilizations.ALIGN_PERCENTILE_50.json";
    let Some((folder, _)) = run() else { return };
    ingest(&folder, &["in/k6.log", raw], TARGET).exits(0);
    let first = folder.files("data");
    ingest(&folder, &[made], TARGET).exits(0).says("better-known");
    let of = |folder: &Folder| record(folder, "v9", TARGET)["figures"]["container.cpu.p50"].clone();
    let now = of(&folder);
    assert!(now["grade"].is_null() && folder.files("data").len() == first.len(), "{now}");
}
