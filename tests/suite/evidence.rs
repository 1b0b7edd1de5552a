//! `plimsoll audit --evidence`: what comes out the same, and that every change is told where it is.

use std::path::Path;

use plimsoll::model::finding::Level;
use plimsoll::model::proof::{InputState, Proof, RunProof, State};
use serde_json::Value;

use super::command::{Answer, Folder, files_below};
use super::material::shared;
use super::publish_support::{TO, docs_and_archives, publish};

/// A project with `v1/add_session` and `v1/old` of the files in `in`.
fn project() -> Folder {
    docs_and_archives()
}

/// Looks at the archive `a`, whose inputs lie in `in`.
fn evidence(folder: &Folder, more: &[&str]) -> Answer {
    folder.plimsoll(&[&["audit", "--evidence", "--archive", "a", "--inputs", "in"], more].concat())
}

fn proof(answer: &Answer) -> Proof {
    serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{error}: {}{}", answer.out, answer.talk))
}

fn proved(folder: &Folder) -> Proof {
    proof(&evidence(folder, &["--format", "json"]))
}

/// What was found, a line each: place, level, code.
fn told(proof: &Proof) -> Vec<String> {
    proof.findings.iter().map(|one| format!("{} {} {}", one.place(), one.level, one.code)).collect()
}

fn run<'a>(proof: &'a Proof, place: &str) -> &'a RunProof {
    proof.runs.iter().find(|run| run.place() == place).unwrap()
}

fn from_inputs(proof: &Proof, place: &str, file: &str) -> State {
    run(proof, place).file(file).unwrap().from_inputs.state
}

/// A text with its hashes as `#`: they change with every field that records get.
fn without_hashes(text: &str) -> String {
    let is_hash = |word: &str| word.len() >= 12 && word.chars().all(|c| c.is_ascii_hexdigit());
    text.split_inclusive([' ', '\n']).map(|word| if is_hash(word.trim_end()) { "#\n" } else { word }).collect()
}

/// Changes a file's text.
fn edit(folder: &Folder, path: &str, from: &str, to: &str) {
    let text = folder.read(path);
    assert!(text.contains(from), "no `{from}` in {path}");
    std::fs::write(folder.path(path), text.replacen(from, to, 1)).unwrap();
}

fn copied(from: &Path, to: &Path) {
    for (path, bytes) in files_below(from) {
        let place = to.join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, bytes).unwrap();
    }
}

#[test]
fn an_untouched_archive_comes_out_the_same_and_nothing_is_written() {
    let folder = project();
    let before = folder.files("");
    let answer = evidence(&folder, &[]).exits(0);
    insta::assert_snapshot!(without_hashes(&answer.out));
    assert_eq!((answer.talk.as_str(), folder.files("") == before), ("", true));
    let proof = proved(&folder);
    for run in &proof.runs {
        assert!(run.inputs.iter().all(|input| input.state == InputState::Same), "{run:?}");
        let states = run.files.iter().map(|file| (file.name.as_str(), file.from_inputs.state, file.from_archive.state));
        let wanted = ["k6.txt", "record.json", "series.json"].map(|name| (name, State::Same, State::Same));
        assert_eq!(states.collect::<Vec<_>>(), wanted);
    }
    assert_eq!(proof.findings, []);
}

#[test]
fn the_published_pages_give_their_records_wherever_they_lie() {
    let Some(published) = shared("data/published") else { return };
    let folder = Folder::new();
    copied(&published, &folder.path("here/raw"));
    folder.plimsoll(&["-q", "ingest", published.to_str().unwrap()]).exits(0);
    folder.plimsoll(&["-q", "build"]).exits(0);
    let there = folder.plimsoll(&["audit", "--evidence", "--inputs", published.to_str().unwrap(), "--format", "json"]).exits(0);
    let proved = proof(&there);
    assert_eq!(proved.runs.len(), 32);
    let is_same = |run: &RunProof| {
        let inputs = run.inputs.iter().all(|input| input.state == InputState::Same);
        inputs && run.files.iter().all(|file| file.from_inputs.state == State::Same && file.from_archive.state == State::Same)
    };
    let others: Vec<String> = proved.runs.iter().filter(|run| !is_same(run)).map(RunProof::place).collect();
    assert_eq!(others, Vec::<String>::new());
    assert_eq!((proved.pages.len(), proved.pages[0].others.len(), proved.findings.len()), (1, 0, 0));
    let here = folder.plimsoll(&["audit", "--evidence", "--inputs", "here/raw", "--format", "json"]).exits(0);
    assert_eq!(here.out, there.out, "no path of a machine is in it");
    let root = folder.path("").to_string_lossy().into_owned();
    assert!(!there.out.contains(&root) && !there.out.contains(published.to_str().unwrap()));
}

#[test]
fn an_archive_of_figures_only_is_made_again_without_its_prose() {
    let Some(published) = shared("data/published") else { return };
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let (archive, inputs) = (archive.to_str().unwrap(), published.to_str().unwrap());
    let answer = Folder::new().plimsoll(&["audit", "--evidence", "--archive", archive, "--inputs", inputs]).exits(0);
    answer.prints("32 of 32 made again from their inputs, all the same");
}

#[test]
fn the_archive_that_ships_lacks_its_inputs_which_is_a_note() {
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let folder = Folder::new();
    let answer = folder.plimsoll(&["audit", "--evidence", "--archive", archive.to_str().unwrap(), "--format", "json"]).exits(0);
    let proof = proof(&answer);
    assert!(proof.findings.len() == proof.runs.len() && proof.runs.len() == 32);
    assert!(proof.findings.iter().all(|one| one.level == Level::Note && one.code == "evidence-input"), "{:?}", told(&proof));
    let files = proof.runs.iter().flat_map(|run| &run.files);
    for file in files {
        assert_eq!((file.from_inputs.state, file.from_archive.state), (State::NotMade, State::Same), "{file:?}");
    }
}

#[test]
fn repeats_with_labels_and_their_captures_come_out_the_same() {
    let Some(demo) = shared("data/demo/runs/2.0.0") else { return };
    let folder = Folder::new()
        .file("plimsoll.toml", include_bytes!("../fixtures/demo/plimsoll.toml"))
        .file("metrics.toml", include_bytes!("../fixtures/demo/metrics.toml"))
        .file("queries.toml", include_bytes!("../fixtures/demo/queries.toml"));
    let demo = demo.to_str().unwrap();
    folder.plimsoll(&["-q", "ingest", demo, "--release", "2.0.0"]).exits(0);
    let args = ["audit", "--evidence", "--inputs", demo];
    folder.plimsoll(&args).exits(0).prints("add_session~2").prints("4 of 4 made again from their inputs, all the same");
    // Rules that read the same files otherwise make other records, and the manifest tells which rules they were.
    let json = folder.plimsoll(&[&args[..], &["--format", "json", "--out", "m.json"]].concat());
    json.exits(0);
    edit(&folder, "metrics.toml", "[rule.", "[rule.other-");
    let text = folder.read("metrics.toml");
    std::fs::write(folder.path("metrics.toml"), text.replace("\"tokend_", "\"t0kend_")).unwrap();
    let answer = folder.plimsoll(&[&args[..], &["--against", "m.json"]].concat()).exits(1);
    answer.prints("is not what its").prints("the own rules of metrics are");
}

#[test]
fn an_input_that_was_changed_is_told_with_both_hashes() {
    let folder = project();
    let was = proved(&folder).runs[0].inputs.iter().find(|input| input.path == "stdout.txt").unwrap().blake3.clone();
    edit(&folder, "in/stdout.txt", "checks", "cheeks");
    let answer = evidence(&folder, &["--format", "json"]).exits(1);
    let proof = proof(&answer);
    assert_eq!(told(&proof), ["v1/add_session error evidence-input", "v1/old error evidence-input"]);
    let input = run(&proof, "v1/old").inputs.iter().find(|input| input.path == "stdout.txt").unwrap();
    let now = blake3_of(&folder.path("in/stdout.txt"));
    assert_eq!(
        (input.state, input.blake3.as_str(), input.now.as_deref()),
        (InputState::Changed, was.as_str(), Some(now.as_str()))
    );
    let message = &proof.findings[0].message;
    assert!(message.contains(&was) && message.contains(&now), "{message}");
    let record = run(&proof, "v1/old").file("record.json").unwrap();
    assert_eq!(record.from_inputs.why.as_deref(), Some("of 2 inputs 1 changed"));
}

fn blake3_of(path: &Path) -> String {
    plimsoll::fs::raw::blake3(path).unwrap()
}

#[test]
fn inputs_are_found_by_their_hashes_wherever_they_lie() {
    let folder = project();
    std::fs::create_dir_all(folder.path("in/deeper/still")).unwrap();
    std::fs::rename(folder.path("in/stdout.txt"), folder.path("in/deeper/still/renamed.log")).unwrap();
    let proof = proved(&folder);
    let input = run(&proof, "v1/old").inputs.iter().find(|input| input.path == "stdout.txt").unwrap();
    assert_eq!((input.state, input.found.as_deref()), (InputState::Elsewhere, Some("deeper/still/renamed.log")));
    assert_eq!(from_inputs(&proof, "v1/old", "record.json"), State::Same);
    assert_eq!(proof.findings, []);
}

#[test]
fn an_input_that_is_gone_is_a_note_and_named() {
    let folder = project();
    std::fs::remove_file(folder.path("in/output.json")).unwrap();
    let answer = evidence(&folder, &["--format", "json"]).exits(0);
    let proof = proof(&answer);
    assert_eq!(told(&proof), ["v1/add_session note evidence-input", "v1/old note evidence-input"]);
    assert!(proof.findings[0].message.contains("1 of 2 inputs is not here"), "{}", proof.findings[0].message);
    assert!(proof.findings[0].message.contains("output.json"));
    assert_eq!(from_inputs(&proof, "v1/old", "series.json"), State::NotMade);
}

#[test]
fn two_inputs_of_one_path_are_told_apart_by_their_folders_and_hashes() {
    let folder = project();
    let args = ["audit", "--evidence", "--archive", "b", "--format", "json"];
    let both = folder.plimsoll(&[&args[..], &["--inputs", "in", "--inputs", "more"]].concat()).exits(0);
    assert!(proof(&both).runs.iter().all(|run| run.inputs.iter().all(|input| input.state == InputState::Same)));
    // Of one folder the files at the paths of the other's run are known as other inputs: that one's are gone, not changed.
    let one = proof(&folder.plimsoll(&[&args[..], &["--inputs", "in"]].concat()).exits(0));
    let states = |place: &str, state| run(&one, place).count(state);
    assert_eq!((states("v1/add_session", InputState::Gone), states("v1/add_session", InputState::Changed)), (2, 0));
    assert_eq!(states("v2/add_session", InputState::Same), 2);
    // By default the whole project is looked through.
    let all = proof(&folder.plimsoll(&args).exits(0));
    assert_eq!(all.findings, []);
    assert!(all.runs.iter().flat_map(|run| &run.inputs).all(|input| input.state == InputState::Elsewhere));
}

#[test]
fn another_number_in_a_record_is_told_by_its_pointer() {
    let folder = project();
    let record: Value = serde_json::from_str(&folder.read("a/v1/old/record.json")).unwrap();
    let count = record["k6"]["metrics"]["iterations"]["values"]["count"].to_string();
    edit(&folder, "a/v1/old/record.json", &format!("\"count\": {count}"), "\"count\": 7");
    let answer = evidence(&folder, &["--format", "json"]).exits(1);
    let found = proof(&answer);
    assert_eq!(told(&found), ["v1/old error evidence-k6-text", "v1/old error evidence-record"]);
    let check = &run(&found, "v1/old").file("record.json").unwrap().from_inputs;
    assert_eq!((check.differences.len(), check.more, check.state), (1, 0, State::Differs));
    assert_eq!(check.differences[0].kept, Some(Value::from(7)));
    assert_eq!(check.differences[0].made.as_ref().map(ToString::to_string), Some(count));
    // Without the inputs k6's text still tells.
    std::fs::remove_dir_all(folder.path("in")).unwrap();
    let answer = folder.plimsoll(&["audit", "--evidence", "--archive", "a", "--format", "json"]).exits(1);
    assert!(told(&proof(&answer)).contains(&"v1/old error evidence-k6-text".to_owned()));
}

#[test]
fn another_number_in_k6s_text_is_told_by_its_line() {
    let folder = project();
    let text = folder.read("a/v1/old/k6.txt");
    let line = text.lines().position(|line| line.trim_start().starts_with("iterations.")).unwrap();
    let changed: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(at, own)| if at == line { own.replacen(": ", ": 9", 1) } else { own.to_owned() })
        .collect();
    std::fs::write(folder.path("a/v1/old/k6.txt"), changed.join("\n") + "\n").unwrap();
    let found = proof(&evidence(&folder, &["--format", "json"]).exits(1));
    assert_eq!(told(&found), ["v1/old error evidence-k6-text", "v1/old error evidence-record"]);
    let check = &run(&found, "v1/old").file("k6.txt").unwrap().from_inputs;
    assert_eq!(check.differences[0].at, format!("line {}", line + 1));
}

#[test]
fn another_number_in_a_series_is_told_by_its_pointer() {
    let folder = project();
    edit(&folder, "a/v1/old/series.json", "\"p50\":[1", "\"p50\":[2");
    let found = proof(&evidence(&folder, &["--format", "json"]).exits(1));
    assert_eq!(told(&found), ["v1/old error evidence-record"]);
    let check = &run(&found, "v1/old").file("series.json").unwrap().from_inputs;
    assert_eq!(check.differences[0].at, "/trends/add_session_duration/p50/0");
}

#[test]
fn the_same_values_in_another_order_are_no_other_record_but_other_bytes() {
    let folder = project();
    let record: Value = serde_json::from_str(&folder.read("a/v1/old/record.json")).unwrap();
    // Sorted names are another order than that of the record's fields.
    std::fs::write(folder.path("a/v1/old/record.json"), serde_json::to_string_pretty(&record).unwrap() + "\n").unwrap();
    let found = proof(&evidence(&folder, &["--format", "json"]).exits(1));
    assert_eq!(told(&found), ["v1/old error evidence-canonical"]);
    assert_eq!(run(&found, "v1/old").file("record.json").unwrap().from_archive.state, State::OtherBytes);
}

#[test]
fn a_record_of_another_version_of_the_program_is_told_by_what_it_lacks() {
    let folder = project();
    let text = folder.read("a/v1/old/record.json");
    let mut record: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    // Before there was a window.
    assert!(record.remove("window").is_some());
    std::fs::write(folder.path("a/v1/old/record.json"), serde_json::to_string_pretty(&record).unwrap() + "\n").unwrap();
    let found = proof(&evidence(&folder, &["--format", "json"]).exits(1));
    assert_eq!(told(&found), ["v1/old error evidence-canonical", "v1/old error evidence-record"]);
    let check = &run(&found, "v1/old").file("record.json").unwrap().from_inputs;
    assert_eq!((check.differences[0].at.as_str(), check.differences[0].kept.is_none()), ("/window", true));
}

#[test]
fn a_file_that_is_missing_is_told() {
    let folder = project();
    std::fs::remove_file(folder.path("a/v1/old/series.json")).unwrap();
    let found = proof(&evidence(&folder, &["--format", "json"]).exits(1));
    assert_eq!(told(&found), ["v1/old error evidence-record"]);
    assert_eq!(found.findings[0].message, "series.json is missing: the 2 inputs of the record give one");
}

#[test]
fn a_series_of_an_earlier_ingest_is_not_held_against_inputs_that_give_none() {
    let folder = project();
    // The record is replaced, its series stays: k6's figures are the same.
    folder.plimsoll(&["-q", "ingest", "in/stdout.txt", "--release", "v1", "--target", "old", "--archive", "a"]).exits(0);
    let found = proof(&evidence(&folder, &["--format", "json"]).exits(0));
    let series = run(&found, "v1/old").file("series.json").unwrap();
    assert_eq!((series.from_inputs.state, series.from_archive.state), (State::NotMade, State::Same));
    assert_eq!(from_inputs(&found, "v1/old", "record.json"), State::Same);
}

#[test]
fn records_made_by_adding_one_source_after_the_other_come_out_the_same() {
    let csv = |metric: &str, value: f64| format!("target,metric,timestamp,value\na,{metric},2026-11-30T08:30:20Z,{value}\n");
    let folder = Folder::new()
        .file("raw/stdout.txt", include_bytes!("../fixtures/k6/add_session/stdout.txt"))
        .file("raw/a.csv", csv("db_cpu", 0.5) + "a,zit_cpu_p50,2026-11-30T08:30:20Z,0.25\n")
        .file("raw/b.csv", csv("db_cpu", 0.75) + "a,zit_instances,2026-11-30T08:30:20Z,3\n");
    let add = |file: &str| folder.plimsoll(&["-q", "ingest", file, "--release", "v1", "--target", "a"]).exits(0);
    // Of two values as good as each other the newer one wins, whichever file is named first.
    for order in [["raw/a.csv", "raw/b.csv"], ["raw/b.csv", "raw/a.csv"]] {
        add("raw/stdout.txt");
        for file in order {
            add(file);
        }
        let answer = folder.plimsoll(&["audit", "--evidence", "--format", "json"]).exits(0);
        let found = proof(&answer);
        assert_eq!((run(&found, "v1/a").inputs.len(), found.findings.len()), (3, 0), "{order:?}");
        assert_eq!(from_inputs(&found, "v1/a", "record.json"), State::Same, "{order:?}");
    }
}

#[test]
fn packed_files_pipes_and_what_people_write_are_inputs_like_others() {
    let log = include_bytes!("../fixtures/k6/add_session/stdout.txt");
    let folder = Folder::new()
        .file("raw/k6.log.zst", zstd::encode_all(&log[..], 3).unwrap())
        .file("raw/run.toml", "purpose = \"Once more\"\n[figures]\n\"database.cpu.peak\" = \"98%\"\n");
    folder.plimsoll(&["-q", "ingest", "raw/k6.log.zst", "raw/run.toml", "--release", "v1", "--target", "a"]).exits(0);
    folder.plimsoll_with_input(&["-q", "ingest", "-", "--release", "v1", "--target", "b", "--label", "2"], log).exits(0);
    let found = proof(&folder.plimsoll(&["audit", "--evidence", "--inputs", "raw", "--format", "json"]).exits(0));
    assert_eq!(from_inputs(&found, "v1/a", "record.json"), State::Same);
    // What came by a pipe is gone, unless its bytes lie somewhere.
    let piped = &run(&found, "v1/b~2").inputs[0];
    assert_eq!((piped.path.as_str(), piped.state), ("-", InputState::Gone));
    let folder = folder.file("raw/kept/anything", log);
    let found = proof(&folder.plimsoll(&["audit", "--evidence", "--inputs", "raw", "--format", "json"]).exits(0));
    assert_eq!(from_inputs(&found, "v1/b~2", "record.json"), State::Same);
    assert_eq!(found.findings, []);
}

#[test]
fn raw_samples_are_read_again() {
    let Some(samples) = shared("data/k6/v2.1.0/csv-unix") else { return };
    let (folder, samples) = (Folder::new(), samples.to_str().unwrap().to_owned());
    folder.plimsoll(&["-q", "ingest", &samples, "--release", "v1", "--target", "a"]).exits(0);
    let found = proof(&folder.plimsoll(&["audit", "--evidence", "--inputs", &samples, "--format", "json"]).exits(0));
    assert!(run(&found, "v1/a").inputs.iter().any(|input| input.kind == "k6-csv"));
    let series = run(&found, "v1/a").file("series.json").unwrap();
    assert_eq!((series.from_inputs.state, series.from_archive.state), (State::Same, State::Same));
}

#[test]
fn a_path_of_a_record_leads_nowhere_outside() {
    let folder = project();
    edit(&folder, "a/v1/old/record.json", "\"path\": \"stdout.txt\"", "\"path\": \"../plimsoll.toml\"");
    let found = proof(&evidence(&folder, &["--format", "json"]));
    let input = run(&found, "v1/old").inputs.iter().find(|input| input.path == "../plimsoll.toml").unwrap();
    assert_eq!(input.now, None);
}

#[test]
fn pages_of_the_site_are_held_against_those_that_are_made_now() {
    let folder = project();
    folder.plimsoll(&["-q", "build", "--archive", "a"]).exits(0);
    std::fs::remove_dir_all(folder.path("site/content")).unwrap();
    evidence(&folder, &[]).exits(0).prints("all the same");
    edit(&folder, "site/v1/old/index.html", "</p>", "!</p>");
    std::fs::remove_file(folder.path("site/v1/add_session/record.json")).unwrap();
    let folder = folder.file("site/v0/gone/index.html", "<p>").file("site/CNAME", "x");
    let found = proof(&evidence(&folder, &["--format", "json"]).exits(1));
    let pages: Vec<(&str, &str)> = found.pages[0].others.iter().map(|one| (one.path.as_str(), one.state.words())).collect();
    assert_eq!(
        pages,
        [
            ("CNAME", "is none of the pages"),
            ("v0/gone/index.html", "lies there and is not made"),
            ("v1/add_session/record.json", "is missing"),
            ("v1/old/index.html", "differs")
        ]
    );
    assert_eq!(
        told(&found),
        [
            "v1/add_session error evidence-page",
            "v1/old error evidence-page",
            "site error evidence-page",
            "site note evidence-page"
        ]
    );
    // Of chosen runs the others' pages are not looked at.
    let chosen = proof(&evidence(&folder, &["v1/old", "--format", "json"]).exits(1));
    assert_eq!(told(&chosen), ["v1/old error evidence-page"]);
    // A site that says it lives elsewhere has other pages.
    let folder = project();
    folder.plimsoll(&["-q", "build", "--archive", "a", "--base-url", "https://b.example", "--out", "public"]).exits(0);
    evidence(&folder, &["--site", "public", "--base-url", "https://b.example"]).exits(0);
    evidence(&folder, &["--site", "public"]).exits(1);
}

#[test]
fn published_pages_are_held_against_what_would_be_published_now() {
    let folder = project();
    publish(&folder, "a", &["--profile", "docusaurus"]).exits(0);
    let docs = ["--docs", TO, "--format", "json"];
    let found = proof(&evidence(&folder, &docs).exits(0));
    assert!(found.pages[0].others.is_empty() && found.pages[0].same > 3, "{:?}", found.pages);
    // Text between keep markers is its author's.
    let page = format!("{TO}/v1/old/index.mdx");
    let text = folder.read(&page);
    std::fs::write(folder.path(&page), format!("{text}\n{{/* keep:start */}}\nmine\n{{/* keep:end */}}\n")).unwrap();
    evidence(&folder, &docs).exits(0);
    std::fs::write(folder.path(&page), text.replacen("add_session", "add_sessions", 1)).unwrap();
    std::fs::remove_file(folder.path(&format!("{TO}/v1/add_session/index.mdx"))).unwrap();
    let before = folder.files("site");
    let found = proof(&evidence(&folder, &docs).exits(1));
    assert_eq!(told(&found), ["v1/add_session error evidence-page", "v1/old error evidence-page"]);
    assert_eq!(folder.files("site"), before);
}

#[test]
fn only_published_releases_are_held_against() {
    let folder = project();
    publish(&folder, "b", &["--release", "v2"]).exits(0);
    let args = ["audit", "--evidence", "--archive", "b", "--docs", TO, "--format", "json"];
    let found = proof(&folder.plimsoll(&args).exits(0));
    assert!(found.pages[0].others.is_empty(), "{:?}", found.pages);
}

#[test]
fn an_earlier_manifest_tells_what_is_other_since() {
    let folder = project();
    evidence(&folder, &["--format", "json", "--out", "m.json"]).exits(0);
    evidence(&folder, &["--against", "m.json"]).exits(0);
    // Where inputs are no longer here it is the same evidence.
    std::fs::create_dir(folder.path("none")).unwrap();
    let args = ["audit", "--evidence", "--archive", "a", "--inputs", "none", "--against", "m.json", "--format", "json"];
    let found = proof(&folder.plimsoll(&args).exits(0));
    assert_eq!(told(&found), ["v1/add_session note evidence-input", "v1/old note evidence-input"]);
    edit(&folder, "m.json", "\"program\": \"", "\"program\": \"0.0.1-");
    std::fs::remove_dir_all(folder.path("a/v1/add_session")).unwrap();
    let folder = folder
        .file("a/v1/old/run.toml", "[figures]\n\"database.cpu.median\" = \"97%\"\n")
        .file("plimsoll.toml", "schema = 1\n# another\n");
    let found = proof(&evidence(&folder, &["--against", "m.json", "--format", "json"]).exits(1));
    let words = |text: &str| text.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
    let told = found.findings.iter().map(|one| format!("{} {}: {}", one.place(), one.level, words(&one.message)));
    let wanted = [
        "v1/old error: run.toml is ".to_owned() + &blake3_of(&folder.path("a/v1/old/run.toml")) + ",",
        "v1/old error: the verdict is".to_owned(),
        "v1/add_session error: the archive has".to_owned(),
        "archive note: made again by".to_owned(),
        "archive note: plimsoll.toml is ".to_owned() + &blake3_of(&folder.path("plimsoll.toml")) + ",",
    ];
    assert_eq!(told.collect::<Vec<_>>(), wanted);
}

#[test]
fn what_was_looked_at_is_accepted_with_a_reason() {
    let folder = project();
    edit(&folder, "in/stdout.txt", "checks", "cheeks");
    let accept = "schema = 1\n[audits]\naccept = [\n  { code = \"evidence-input\", run = \"v1/*\", reason = \"the log was trimmed\" },\n  \
                  { code = \"evidence-page\", run = \"site\", reason = \"none yet\" },\n  \
                  { code = \"littles-law\", run = \"v1/old\", reason = \"not looked for here\" },\n]\n";
    let folder = folder.file("plimsoll.toml", accept);
    let answer = evidence(&folder, &[]).exits(0).prints("2 accepted").says("nothing is found as evidence-page in site");
    assert!(!answer.talk.contains("littles-law"), "{}", answer.talk);
    // Nor does the usual audit wonder about what only evidence finds.
    let usual = folder.plimsoll(&["audit", "--archive", "a"]);
    assert!(!usual.talk.contains("evidence-"), "{}", usual.talk);
}

#[test]
fn findings_are_told_to_ci() {
    let folder = project();
    edit(&folder, "a/v1/old/series.json", "\"p50\":[1", "\"p50\":[2");
    folder.plimsoll(&["-q", "build", "--archive", "a"]).exits(0);
    edit(&folder, "site/index.html", "</p>", "!</p>");
    let xml = evidence(&folder, &["--format", "junit"]).exits(1).out;
    assert!(xml.contains("<testsuite name=\"site\"") && xml.contains("evidence-record"), "{xml}");
    let lines = evidence(&folder, &["--format", "github"]).exits(1).out;
    assert!(lines.contains("::error title=evidence-record in v1/old::"), "{lines}");
    assert!(lines.contains("::error title=evidence-page in site::"), "{lines}");
}

#[test]
fn misuse_and_bad_input_are_told() {
    let folder = project();
    evidence(&folder, &["--inputs", "nowhere"]).exits(2).says("there is no folder `nowhere` of inputs");
    evidence(&folder, &["--site", "in"]).exits(2).says("no site of plimsoll in `in`");
    evidence(&folder, &["--docs", "in"]).exits(2).says("nothing of this archive is published in `in`");
    evidence(&folder, &["--against", "in/stdout.txt"]).exits(3).says("bad-evidence");
    evidence(&folder, &["--against", "nowhere"]).exits(4);
    folder.plimsoll(&["audit", "--inputs", "in"]).exits(2);
    folder.plimsoll(&["audit", "--evidence", "--complete"]).exits(2);
    std::fs::write(folder.path("a/v1/old/record.json"), "{").unwrap();
    evidence(&folder, &[]).exits(3).says("bad-record");
}

#[test]
fn the_shape_is_published() {
    let schema: Value = serde_json::from_str(&Folder::new().plimsoll(&["schema", "evidence"]).exits(0).out).unwrap();
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let found = evidence(&project(), &["--format", "json"]).exits(0);
    let document: Value = serde_json::from_str(&found.out).unwrap();
    assert_eq!(names(&document), names(&schema["properties"]));
    assert_eq!(names(&document["runs"][0]), names(&schema["$defs"]["RunProof"]["properties"]));
}
