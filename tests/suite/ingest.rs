//! `plimsoll ingest` from the command line: a run's folder, a flat sweep, figures typed by hand, and what bad input gets.

use super::command::Folder;
use super::material::shared;

const LOG: &[u8] = include_bytes!("../fixtures/k6/add_session/stdout.txt");
const EXPORT: &[u8] = include_bytes!("../fixtures/k6/add_session/summary-export.json");
const HANDLE: &[u8] = include_bytes!("../fixtures/k6/add_session/handle-summary.json");
const QUIET: &[u8] = include_bytes!("../fixtures/k6/quiet.txt");

/// Ten figures as an engineer types them.
const TEN_FIGURES: &str = r#"
purpose = "Test current performance"

[figures]
"container.cpu.p50" = "26%"
"container.cpu.p99" = "36%"
"container.memory.peak" = "12%"
"container.instances.median" = 7
"server.requests_per_s" = "1,674 req/s"
"server.latency.p95" = "1.8s"
"database.cpu.median" = "96%"
"database.cpu.peak" = "98%"
"database.memory" = "40%"
"database.lock_wait_ratio" = { value = "3%", of = "database time" }
"#;

/// A log as ZITADEL's runner leaves it: k6's output between two stamps.
fn stamped(target: &str, start: &str, end: &str, log: &[u8]) -> Vec<u8> {
    let head = format!("start_utc={start} UTC target={target} vus=2 duration=2s host=http://127.0.0.1\n");
    [head.as_bytes(), log, format!("\nend_utc={end} UTC\n").as_bytes()].concat()
}

fn run_folder() -> Folder {
    Folder::new()
        .file("in/stdout.txt", LOG)
        .file("in/stderr.txt", "time=\"2026-11-30T08:30:18Z\" level=info msg=\"hello\" source=console\n")
        .file("in/summary-export.json", EXPORT)
        .file("in/handle-summary.json", HANDLE)
        .file("in/metrics.csv", "metric_name,timestamp,metric_value,check\nvus,1796031454,2.000000,\n")
}

#[test]
fn a_runs_folder_becomes_a_record_a_verdict_and_a_page() {
    let folder = run_folder().file("in/run.toml", TEN_FIGURES);
    folder
        .plimsoll(&["ingest", "in", "--release", "v2.1.0", "--target", "add_session"])
        .exits(0)
        .prints("v2.1.0/add_session  new  10 of 30 figures captured")
        .says("in/  v2.1.0/add_session:\n")
        .says("  metrics.csv          k6-csv\n");
    folder.plimsoll(&["classify"]).exits(0).prints("Scale (database)").prints("database.cpu.median 96% >= 80%: yes");
    folder.plimsoll(&["-q", "build"]).exits(0);
    let page = folder.read("site/v2.1.0/add_session/index.html");
    assert!(page.contains("Scale (database)") && page.contains("96%") && page.contains("k6-output"));
    let exact = folder.read("data/v2.1.0/add_session/record.json");
    assert!(exact.contains("14.76870620296331"), "the exact form wins over the printed one");
    assert!(folder.read("data/v2.1.0/add_session/k6.txt").contains("checks_total.......: 72"));
}

#[test]
fn without_the_figures_the_verdict_is_undetermined_and_the_page_says_what_is_missing() {
    let folder = run_folder();
    folder.plimsoll(&["-q", "ingest", "in", "--release", "v2.1.0", "--target", "add_session"]).exits(0);
    folder.plimsoll(&["classify"]).exits(0).prints("database.cpu.median not captured");
    folder.plimsoll(&["-q", "build"]).exits(0);
    let page = folder.read("site/v2.1.0/add_session/index.html").to_lowercase();
    assert!(page.contains("undetermined") && page.contains("not captured"));
}

#[test]
fn a_flat_sweep_becomes_all_its_records_with_one_command() {
    let folder = Folder::new()
        .file("b/summaries/add_session_20261130T083018Z.log", stamped("add_session", "2026-11-30 08:30:18", "2026-11-30 08:30:21", LOG))
        .file("b/summaries/add_session_20261130T083018Z_status.txt", "| status | error_code | error | requests |\n| 200 | - | - | 42 |\n")
        .file("b/summaries/quiet_20261130T090000Z.log", stamped("quiet", "2026-11-30 09:00:00", "2026-11-30 09:00:03", QUIET))
        .file(
            "b/output/add_session-output.json",
            "[\n\t{\"metric_name\":\"add_session_duration\",\"timestamp\":\"2026-11-30 08:30:19+00\",\"p50\":7,\"p95\":16,\"p99\":17.4}\n]\n",
        )
        .file(
            "b/bench-metrics-raw.csv",
            "target,metric,timestamp,value\n\"add_session\",\"db_cpu\",\"2026-11-30T08:30:20Z\",0.5\n\"quiet\",\"db_cpu\",\"2026-11-30T09:00:02Z\",0.25\n\"other\",\"db_cpu\",\"2026-11-30T09:00:02Z\",1\n",
        );
    folder
        .plimsoll(&["ingest", "b", "--release", "v4.19.2"])
        .exits(0)
        .prints("v4.19.2/add_session  new")
        .prints("v4.19.2/quiet  new");
    let record = folder.read("data/v4.19.2/add_session/record.json");
    assert!(record.contains("\"requests\": 42") && record.contains("2026-11-30T08:30:18Z") && record.contains("\"stamps\""));
    assert!(folder.read("data/v4.19.2/add_session/series.json").contains("add_session_duration"));
    folder
        .plimsoll(&["ingest", "b", "--release", "v4.19.2", "--explain", "database.cpu.median"])
        .exits(0)
        .prints("v4.19.2/add_session  database.cpu.median  50%")
        .prints("v4.19.2/quiet  database.cpu.median  25%");
}

#[test]
fn a_log_without_stamps_takes_its_target_from_its_name_and_says_so() {
    let folder = Folder::new().file("s/add_session_20261130T083018Z.log", LOG);
    folder.plimsoll(&["ingest", "s", "--release", "v1"]).exits(0).prints("v1/add_session").says("taken from the file's name");
}

#[test]
fn the_recorded_sweep_is_read_whole() {
    let Some(sweep) = shared("data/demo/flat-sweep") else { return };
    let folder = Folder::new();
    let answer = folder.plimsoll(&["ingest", sweep.to_str().unwrap(), "--release", "1.0.0"]).exits(0);
    for target in ["add_session", "token_login", "user_info"] {
        assert!(answer.out.contains(&format!("1.0.0/{target}  new")), "{}", answer.out);
        assert!(folder.read(&format!("data/1.0.0/{target}/series.json")).contains("\"p99\""));
    }
    assert!(!answer.talk.contains("ignored"), "{}", answer.talk);
}

#[test]
fn ingesting_twice_or_in_another_order_changes_nothing() {
    let folder = run_folder().file("run.toml", TEN_FIGURES);
    let args = |paths: &[&'static str]| [&["-q", "ingest"], paths, &["--release", "v1", "--target", "a"]].concat();
    folder.plimsoll(&args(&["in/stdout.txt", "in/summary-export.json", "run.toml"])).exits(0).prints("new");
    let first = folder.files("data");
    folder.plimsoll(&args(&["run.toml", "in/summary-export.json", "in/stdout.txt"])).exits(0).prints("unchanged");
    assert_eq!(folder.files("data"), first);
}

#[test]
fn a_metrics_file_alone_adds_to_a_record_that_is_there() {
    let folder = run_folder()
        .file("m.csv", "target,metric,timestamp,value\na,db_cpu,2026-11-30T08:30:20Z,0.5\nb,db_cpu,2026-11-30T08:30:20Z,0.5\n");
    folder.plimsoll(&["ingest", "m.csv", "--release", "v1", "--target", "a"]).exits(3).says("no record yet");
    folder.plimsoll(&["-q", "ingest", "in", "--release", "v1", "--target", "a"]).exits(0);
    folder.plimsoll(&["-q", "ingest", "m.csv", "--release", "v1", "--target", "a"]).exits(0).prints("v1/a  changed  2 of 30");
    let record = folder.read("data/v1/a/record.json");
    assert!(record.contains("m.csv") && record.contains("stdout.txt") && record.contains("http_req_duration"));
    folder.plimsoll(&["-q", "ingest", "m.csv", "--release", "v1", "--target", "a"]).exits(0).prints("unchanged");
}

#[test]
fn captures_that_are_added_twice_in_two_steps_change_nothing() {
    let counter = |name: &str| {
        format!(
            r#"{{"status":"success","data":{{"resultType":"matrix","result":[{{"metric":{{"__name__":"{name}","instance":"i"}},
            "values":[[1796027418,"1"],[1796027420,"5"]]}}]}}}}"#
        )
    };
    let folder = run_folder()
        .file("pool.json", counter("zitadel_database_pool_acquire_count_total"))
        .file("requests.json", counter("http_server_request_count_total"));
    let add = |file: &'static str| folder.plimsoll(&["-q", "ingest", file, "--release", "v1", "--target", "a"]).exits(0);
    folder.plimsoll(&["-q", "ingest", "in", "--release", "v1", "--target", "a"]).exits(0);
    add("pool.json").prints("changed");
    add("requests.json").prints("changed");
    add("pool.json").prints("unchanged");
}

#[test]
fn a_repeat_is_listed_under_its_own_label_and_a_packed_copy_is_no_run() {
    let log = stamped("a", "2026-11-30 08:30:18", "2026-11-30 08:30:21", LOG);
    let folder = run_folder().file("r/1/k6.log", log.clone()).file("r/2/k6.log", log.clone()).file("r/2/k6.log.gz", log);
    let answer = folder.plimsoll(&["ingest", "r", "--release", "v1"]).exits(0).prints("v1/a~2  new");
    answer.says("r/1/  v1/a:\n").says("r/2/  v1/a~2:\n").says("a packed copy of r/2/k6.log");
}

#[test]
fn a_rules_file_that_is_not_there_is_a_fault_of_the_settings() {
    let folder = run_folder().file("plimsoll.toml", "[metrics]\nrules = \"nowhere.toml\"\n");
    folder.plimsoll(&["ingest", "in", "--release", "v1"]).exits(3).says("plimsoll.toml:2:10").says("`[metrics] rules` names");
}

#[test]
fn what_is_added_is_held_to_the_window_and_leaves_what_was_printed_as_stated() {
    let csv = "target,metric,timestamp,value\na,db_cpu,2026-11-30T08:30:19Z,0.5\na,db_cpu,2026-11-30T18:30:19Z,0.99\n";
    let folder = run_folder()
        .file("in/stdout.txt", stamped("a", "2026-11-30 08:30:18", "2026-11-30 08:30:21", LOG))
        .file("in/run.toml", "[figures]\n\"database.cpu.peak\" = \"60%\"\n")
        .file("m.csv", csv);
    folder.plimsoll(&["-q", "ingest", "in", "--release", "v1"]).exits(0);
    folder.plimsoll(&["ingest", "m.csv", "--release", "v1"]).exits(0).says("1 point outside");
    let record: serde_json::Value = serde_json::from_str(&folder.read("data/v1/a/record.json")).unwrap();
    assert_eq!(record["figures"]["database.cpu.peak"]["value"], 0.5);
    assert_eq!(record["stated"]["database.cpu.peak"]["printed"], "60%");
}

#[test]
fn standard_input_and_compressed_files_are_read() {
    let folder = Folder::new().file("k6.log.zst", zstd::encode_all(LOG, 1).unwrap());
    folder.plimsoll(&["-q", "ingest", "k6.log.zst", "--release", "v1", "--target", "a"]).exits(0).prints("v1/a  new");
    folder.plimsoll_with_input(&["-q", "ingest", "-", "--release", "v1", "--target", "b"], LOG).exits(0).prints("v1/b  new");
}

#[test]
fn the_teams_metrics_agree_with_the_answer_key() {
    let Some(csv) = shared("data/capture/gcp-monitoring/bench-metrics-raw.team_csv_shape.csv") else { return };
    let start = "2026-09-28 21:50:33";
    let folder = run_folder().file("in/stdout.txt", stamped("password_session", start, "2026-09-28 22:00:33", LOG));
    let csv = csv.to_str().unwrap();
    for (figure, wanted) in [
        ("container.cpu.p50", "0.6275 ratio"),
        ("container.instances.min", "7 count"),
        ("server.requests_per_s", "194.92"),
        ("server.latency.p99", "3763.92"),
        ("database.cpu.median", "0.259"),
        ("database.cpu.peak", "0.267"),
    ] {
        let args = ["ingest", "in/stdout.txt", csv, "--release", "v1", "--explain", figure];
        folder.plimsoll(&args).exits(0).prints(wanted).prints("10 of 10, 60 s apart; ").says("120 points");
    }
    folder
        .plimsoll(&["ingest", "in/stdout.txt", csv, "--release", "v1", "--explain", "database.memory"])
        .exits(1)
        .prints("not captured");
}

/// Each row: what the input is, its files, and the code and place the fault must name.
#[test]
fn bad_input_gets_a_place_a_fix_and_status_3_and_nothing_is_written() {
    let two = [LOG, b"\n", LOG].concat();
    let cut = &LOG[..LOG.len() * 2 / 3];
    let cases: &[(&str, &[u8], &str, &str)] = &[
        ("no-summary.log", b"time=\"2026-11-30T08:09:25Z\" level=error msg=\"no\"\n\n     execution: local\n        script: a.js\n\nrunning (01.0s), 2/2 VUs, 14 complete and 0 interrupted iterations\n", "no-summary", "no-summary.log:"),
        ("two.log", &two, "two-summaries", "two.log:"),
        ("cut.log", cut, "cut-summary", "cut.log:"),
        ("page.mdx", b"---\ntitle: a benchmark of zitadel v1\n---\n\n## Performance test results\n\nno table\n", "no-table", "page.mdx:"),
        ("nothing.bin", b"\x00\x01\x02", "unknown-kind", "nothing.bin"),
        ("cut.json", &HANDLE[..HANDLE.len() / 8], "broken-json", "cut.json:"),
        ("broken.json", b"{\"root_group\": {}, \"metrics\": {\"a\": ", "", "broken.json"),
    ];
    for (name, bytes, code, place) in cases {
        let folder = Folder::new().file(name, bytes);
        let answer = folder.plimsoll(&["ingest", name, "--release", "v1", "--target", "a"]).exits(3);
        assert!(answer.talk.contains(&format!("error[{code}")), "{name}: {}", answer.talk);
        assert!(answer.talk.contains(place), "{name}: {}", answer.talk);
        assert!(folder.files("data").is_empty(), "{name} left something behind");
    }
}

#[test]
fn a_record_of_a_newer_schema_and_a_flow_with_a_cycle_are_refused() {
    let folder = Folder::new().file("data/v1/a/record.json", "{\"schema\": 2}\n");
    folder.plimsoll(&["build"]).exits(3).says("newer-schema").says("data/v1/a/record.json:1:2");
    assert!(folder.files("site").is_empty());
    let cycle = "schema = 1\nname = \"mine\"\ntitle = \"Mine\"\nstart = \"a\"\n\
        [question.a]\nask = \"?\"\nwhen = \"database.cpu.median > 80%\"\nyes = \"b\"\nno = \"x\"\n\
        [question.b]\nask = \"?\"\nwhen = \"database.cpu.median > 90%\"\nyes = \"a\"\nno = \"x\"\n\
        [outcome.x]\nclass = \"done\"\nlabel = \"X\"\naction = \"X.\"\nmessage = \"X.\"\n\
        [[case]]\nname = \"c\"\nfigures = { \"database.cpu.median\" = \"10%\" }\noutcome = \"x\"\n";
    let folder = run_folder().file("flows/mine.toml", cycle);
    folder.plimsoll(&["-q", "ingest", "in", "--release", "v1", "--target", "a"]).exits(0);
    folder.plimsoll(&["classify", "--flow", "mine"]).exits(3).says("flows/mine.toml:");
}

#[test]
fn two_files_of_different_runs_in_one_folder_are_a_contradiction_that_names_both() {
    let folder = Folder::new().file("in/stdout.txt", QUIET).file("in/summary-export.json", EXPORT);
    folder
        .plimsoll(&["ingest", "in", "--release", "v1", "--target", "a"])
        .exits(3)
        .says("contradicting-summaries")
        .says("in/stdout.txt")
        .says("in/summary-export.json");
    assert!(folder.files("data").is_empty());
}

#[test]
fn what_nothing_tells_is_asked_for() {
    let folder = run_folder();
    folder.plimsoll(&["ingest", "in"]).exits(3).says("--release v4.19.2").says("--target add_session");
    folder.plimsoll(&["ingest", "in", "--release", "../x", "--target", "a"]).exits(2).says("can't be a release");
    folder.plimsoll(&["ingest", "gone.log"]).exits(4).says("gone.log");
    folder.plimsoll(&["ingest"]).exits(2);
}

#[test]
fn a_wrong_choice_of_runs_is_misuse_with_near_names() {
    let folder = run_folder();
    folder.plimsoll(&["classify"]).exits(2).says("the archive holds no run");
    folder.plimsoll(&["-q", "ingest", "in", "--release", "v4.17.1", "--target", "otp_session"]).exits(0);
    folder.plimsoll(&["classify", "*/opt_session"]).exits(2).says("did you mean `otp_session`?");
    folder.plimsoll(&["classify", "v4.17.2"]).exits(2).says("did you mean `v4.17.1`?");
    folder.plimsoll(&["classify", "*/otp_session", "--fail-on", "undetermined"]).exits(1);
    folder.plimsoll(&["classify", "--flow", "practise"]).exits(2).says("did you mean `practice`?");
    folder.plimsoll(&["classify", "--fail-on", "awful"]).exits(2).says("no class");
    let folder = folder.file("plimsoll.toml", "[flow]\nname = \"flowchrt\"\n");
    folder.plimsoll(&["classify"]).exits(3).says("the flow of plimsoll.toml").says("did you mean `flowchart`?");
}

#[test]
fn what_the_program_made_is_not_taken_in_again() {
    let folder = run_folder();
    folder.plimsoll(&["-q", "ingest", "in", "--release", "v1", "--target", "a"]).exits(0);
    folder.plimsoll(&["-q", "build"]).exits(0);
    let before = folder.files("data");
    let answer = folder.plimsoll(&["ingest", ".", "--release", "v1", "--target", "a"]).exits(0);
    assert!(!answer.talk.contains("data/v1") && !answer.talk.contains("site/"), "{}", answer.talk);
    assert_eq!(before.len(), folder.files("data").len());
    folder.plimsoll(&["ingest", "data/v1", "--release", "v2", "--target", "a"]).exits(0);
}

#[test]
fn figures_that_a_further_ingestion_lacks_are_named() {
    let folder = run_folder().file("run.toml", TEN_FIGURES);
    folder.plimsoll(&["ingest", "in", "run.toml", "--release", "v1", "--target", "a"]).exits(0);
    folder
        .plimsoll(&["-q", "ingest", "in", "--release", "v1", "--target", "a"])
        .exits(0)
        .says("warning[figures-gone]: v1/a lost figures")
        .says("database.cpu.median");
}

#[test]
fn a_log_that_windows_redirected_is_a_log() {
    let text = String::from_utf8_lossy(LOG).replace('\n', "\r\n");
    let bytes: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let folder = Folder::new().file("k6.log", bytes).file("unix.log", LOG);
    let json = |file| folder.plimsoll(&["summary", "--format", "json", file]).exits(0).out;
    assert_eq!(json("k6.log"), json("unix.log"));
    folder.plimsoll(&["ingest", "k6.log", "--release", "v1", "--target", "a"]).exits(0).prints("v1/a  new");
}

#[test]
fn a_file_that_is_named_twice_is_one_file() {
    let folder = run_folder();
    folder.plimsoll(&["ingest", "in/stdout.txt", "./in/stdout.txt", "--release", "v1", "--target", "a"]).exits(0);
}

#[test]
fn a_broken_record_and_a_broken_archive_say_what_to_do() {
    let folder = Folder::new().file("data/v1/a/record.json", "{\"schema\": 1, \"identity\": {\n  \"rel");
    folder.plimsoll(&["classify"]).exits(3).says("data/v1/a/record.json:2:").says("remove it and ingest the run again");
    let folder = folder.file("k6.log.gz", [0x1f, 0x8b, 8, 0]);
    folder.plimsoll(&["ingest", "k6.log.gz", "--release", "v1", "--target", "b"]).exits(3).says("broken-file").says("k6.log.gz");
}

#[test]
fn an_override_is_shown_with_its_reason_and_must_name_an_outcome() {
    let typed = "[override]\noutcome = \"scale-database\"\nreason = \"The database was known to be the limit.\"\n";
    let folder = run_folder();
    folder.plimsoll(&["-q", "ingest", "in", "--release", "v1", "--target", "a"]).exits(0);
    let folder = folder.file("data/v1/a/run.toml", typed);
    folder.plimsoll(&["classify"]).exits(0).prints("The database was known to be the limit.");
    let folder = folder.file("data/v1/a/run.toml", typed.replace("scale-database", "scale-databse"));
    folder.plimsoll(&["classify"]).exits(3).says("did you mean `scale-database`?");
}

#[test]
fn figures_only_keeps_no_prose() {
    let folder = run_folder().file("in/run.toml", format!("notes = [\"Cold start.\"]\n{TEN_FIGURES}"));
    folder.plimsoll(&["-q", "ingest", "in", "--release", "v1", "--target", "a"]).exits(0);
    assert!(folder.read("data/v1/a/record.json").contains("Cold start."));
    folder.plimsoll(&["-q", "ingest", "in", "--release", "v1", "--target", "a", "--figures-only"]).exits(0);
    assert!(!folder.read("data/v1/a/record.json").contains("Cold start."));
}

#[test]
fn a_release_file_given_with_the_files_holds_for_all_its_runs() {
    let facts = "notes = [\"Two regions were down.\"]\n[database]\nvcpu = 8\nmemory = \"64 GB\"\n";
    let folder = Folder::new()
        .file("b/release.toml", facts)
        .file(
            "b/summaries/add_session_20261130T083018Z.log",
            stamped("add_session", "2026-11-30 08:30:18", "2026-11-30 08:30:21", LOG),
        )
        .file("b/summaries/quiet_20261130T090000Z.log", stamped("quiet", "2026-11-30 09:00:00", "2026-11-30 09:00:03", QUIET));
    folder.plimsoll(&["ingest", "b", "--release", "v1"]).exits(0).says("v1/add_session, v1/quiet");
    for target in ["add_session", "quiet"] {
        let record: serde_json::Value = serde_json::from_str(&folder.read(&format!("data/v1/{target}/record.json"))).unwrap();
        assert_eq!(record["environment"]["database"]["memory"]["printed"], "64 GB");
        assert_eq!(record["notes"][0]["text"], "Two regions were down.");
    }
    let folder = folder.file("b/release.toml", "[databse]\nvcpu = 8\n");
    folder.plimsoll(&["ingest", "b", "--release", "v1"]).exits(3).says("did you mean `database`?");
}
