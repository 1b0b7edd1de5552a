//! Commands that write against the world: a full disk, a disk that can only be read, missing rights, a signal, another process, a reader who goes
//! away, a file that changes or vanishes, a pipe. Publications have their own tests.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plimsoll::fs::unfinished;

use super::command::Folder;
use super::meanwhile::{meanwhile, while_written};
use super::mount::Mount;
use super::publish_support::{copy, differences, everything};

const LOG: &str = include_str!("../fixtures/k6/add_session/stdout.txt");
const SAMPLES: &[u8] = include_bytes!("../fixtures/samples/v1.7.1-durations.csv");

/// Two states of a sweep: `old` and `new` hold the same targets, with other figures.
fn two_sweeps() -> Folder {
    let other = LOG.replace("max=138.21ms", "max=139.21ms");
    assert!(other != LOG, "the log has no such figure");
    let mut folder = Folder::new().file("plimsoll.toml", "schema = 1\n");
    for target in ["a", "b", "c", "d", "e", "f"] {
        let head = format!("start_utc=2026-11-30 08:30:15 UTC target={target} vus=2 duration=2s host=http://127.0.0.1\n");
        let log = |text: &str| format!("{head}{text}\nend_utc=2026-11-30 08:30:18 UTC\n");
        folder = folder.file(&format!("old/{target}.log"), log(LOG)).file(&format!("new/{target}.log"), log(&other));
    }
    folder
}

/// A command, its talk kept back.
fn command(folder: &Folder, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("plimsoll"));
    command.arg("-q").args(args).current_dir(folder.path(".")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn same(what: &str, folder: &Path, wanted: &BTreeMap<String, Vec<u8>>) {
    assert_eq!(differences(&everything(folder), wanted), Vec::<String>::new(), "{what}");
}

/// What writes, and where.
const WRITERS: [(&str, &[&str], &str); 4] = [
    ("ingest", &["ingest", "new", "--release", "v1", "--archive", "disk/data"], "disk/data"),
    ("build", &["build", "--archive", "new-data", "--out", "disk/site"], "disk/site"),
    ("series", &["series", "samples.csv", "--out", "disk/out/series.json"], "disk/out"),
    ("summary", &["diff", "v1", "v1", "--archive", "new-data", "--format", "html", "--out", "disk/out/diff.html"], "disk/out"),
];

/// `disk` with an archive, a site and results as they were before, made of other inputs than those that are written.
fn written_before(folder: &Folder) {
    folder.plimsoll(&["-q", "ingest", "old", "--release", "v1", "--archive", "disk/data"]).exits(0);
    folder.plimsoll(&["-q", "ingest", "new", "--release", "v1", "--archive", "new-data"]).exits(0);
    folder.plimsoll(&["-q", "build", "--archive", "disk/data", "--out", "disk/site"]).exits(0);
    std::fs::create_dir_all(folder.path("disk/out")).unwrap();
    folder.file_again("disk/out/series.json", "old").file_again("disk/out/diff.html", "old");
    std::fs::write(folder.path("samples.csv"), SAMPLES).unwrap();
}

#[test]
fn a_full_disk_leaves_the_old_files_and_says_so() {
    let folder = two_sweeps();
    let Some(disk) = Mount::small(4 << 10, &folder.path("disk")) else { return };
    written_before(&folder);
    for (verb, args, place) in WRITERS {
        let mut refused = 0;
        let old = everything(&folder.path(place));
        // From no room at all to room enough, some pages of the disk at a time.
        for room in (0..400).step_by(if verb == "build" { 23 } else { 3 }) {
            let filler = disk.filled_but(room);
            let answer = folder.plimsoll(args);
            std::fs::remove_file(&filler).unwrap();
            if answer.status == 0 {
                break;
            }
            refused += 1;
            answer.exits(4).says("No space left on device").says("error[disk]");
            same(verb, &folder.path(place), &old);
        }
        assert!(refused > 0, "{verb} was never refused");
        folder.plimsoll(args).exits(0);
        assert!(!differences(&everything(&folder.path(place)), &old).is_empty(), "{verb} wrote nothing");
    }
}

#[cfg(unix)]
#[test]
fn a_disk_that_can_only_be_read_leaves_the_old_files_and_is_read() {
    let folder = two_sweeps();
    written_before(&folder);
    let Some(_disk) = Mount::read_only(&folder.path("disk")) else { return };
    let old = everything(&folder.path("disk"));
    for (verb, args, _) in WRITERS {
        folder.plimsoll(args).exits(4).says("Read-only file system").says("error[disk]");
        same(verb, &folder.path("disk"), &old);
    }
    folder.plimsoll(&["classify", "--archive", "disk/data"]).exits(0).prints("v1/a");
    folder.plimsoll(&["build", "--archive", "disk/data", "--out", "elsewhere"]).exits(0);
    assert!(differences(&everything(&folder.path("elsewhere")), &everything(&folder.path("disk/site"))).is_empty());
    // What is there already needs no writing.
    folder.plimsoll(&["ingest", "old", "--release", "v1", "--archive", "disk/data"]).exits(0).prints("v1/a  unchanged");
    folder.plimsoll(&["build", "--archive", "disk/data", "--out", "disk/site"]).exits(0).says("0 of them new or changed");
}

/// Rights bind everybody but the administrator, so the command is run as somebody else where the test is run as one.
#[cfg(unix)]
#[test]
fn missing_rights_leave_the_old_files_and_are_told() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let folder = two_sweeps();
    written_before(&folder);
    let rights = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    rights(&folder.path("."), 0o755);
    let is_administrator = folder.path("disk").metadata().unwrap().uid() == 0;
    let run = |args: &[&str]| {
        let mut command = command(&folder, args);
        if is_administrator {
            command.uid(65_534).gid(65_534);
        }
        command.stderr(Stdio::piped()).output()
    };
    match run(&["--version"]) {
        Ok(output) if output.status.success() => {}
        other => return eprintln!("skipped: somebody else can't run the program here: {other:?}"),
    }
    let locked = |path: &str, mode: u32, args: &[&str], word: &str| {
        let place = folder.path(path);
        let before = place.metadata().unwrap().permissions().mode();
        rights(&place, mode);
        let output = run(args).unwrap();
        rights(&place, before);
        let talk = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(4), "{args:?}: {talk}");
        assert!(talk.contains("Permission denied") && talk.contains("error[disk]") && talk.contains(word), "{args:?}: {talk}");
    };
    let old = everything(&folder.path("disk"));
    for (verb, args, place) in WRITERS {
        locked(place, 0o555, args, place);
        same(verb, &folder.path("disk"), &old);
    }
    locked("new/c.log", 0o000, &["ingest", "new", "--release", "v1", "--archive", "/nowhere"], "new/c.log");
    locked("new", 0o000, &["ingest", "new", "--release", "v1", "--archive", "/nowhere"], "new");
    locked("disk/data/v1/c/record.json", 0o000, &["classify", "--archive", "disk/data"], "v1/c/record.json");
    locked("disk/data/v1", 0o000, &["classify", "--archive", "disk/data"], "disk/data/v1");
    locked("plimsoll.toml", 0o000, &["classify", "--archive", "disk/data"], "plimsoll.toml");
    same("reading", &folder.path("disk"), &old);
}

/// What a command that is killed writes, and where.
struct Killed<'a> {
    folder: &'a Folder,
    args: &'a [&'a str],
    place: &'a str,
    old: BTreeMap<String, Vec<u8>>,
    new: BTreeMap<String, Vec<u8>>,
}

impl<'a> Killed<'a> {
    /// Sees how a place is before and after a command.
    fn new(folder: &'a Folder, args: &'a [&'a str], place: &'a str) -> Self {
        copy(&folder.path(place), &folder.path("as-before"));
        let old = everything(&folder.path(place));
        folder.plimsoll(args).exits(0);
        let new = everything(&folder.path(place));
        assert!(!differences(&old, &new).is_empty());
        Self { folder, args, place, old, new }
    }

    fn restore(&self) {
        std::fs::remove_dir_all(self.folder.path(self.place)).unwrap();
        copy(&self.folder.path("as-before"), &self.folder.path(self.place));
    }

    /// Kills the command at many moments: a third anywhere, a third while there is a note of what is unfinished, a third while files move.
    fn at_many_moments(&self, moments: u32) {
        let note = self.folder.path(self.place).join(unfinished::FILE);
        self.restore();
        let begun = Instant::now();
        assert!(command(self.folder, self.args).status().unwrap().success());
        let whole = begun.elapsed();
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for moment in 0..moments {
            self.restore();
            let mut child = command(self.folder, self.args).spawn().unwrap();
            let begun = Instant::now();
            let mut until = |is_there: &dyn Fn() -> bool| {
                while !is_there() && begun.elapsed() < whole * 5 && child.try_wait().unwrap().is_none() {}
            };
            match moment % 3 {
                0 => std::thread::sleep(whole * moment / moments),
                1 => until(&|| note.exists()),
                _ => until(&|| std::fs::read_to_string(&note).is_ok_and(|text| text.contains("\"moving\""))),
            }
            std::thread::sleep(Duration::from_micros(u64::from(moment) * 37 % 1_500));
            let signal = ["KILL", "TERM", "INT"][moment as usize / 3 % 3];
            send(signal, &child);
            child.wait().unwrap();
            let left = std::fs::read_to_string(&note)
                .map_or("nothing", |text| if text.contains("moving") { "moving" } else { "staging" });
            *counts.entry((signal, left)).or_default() += 1;
            // Whoever works there next finds the old files or the new ones, and nothing else.
            drop(plimsoll::fs::reading(&self.folder.path(self.place)).unwrap());
            let mut state = everything(&self.folder.path(self.place));
            // The note of one that was killed while it wrote the note's first words; who writes next removes it.
            state.remove(&format!(".{}.plimsoll-new", unfinished::FILE));
            let (to_old, to_new) = (differences(&state, &self.old), differences(&state, &self.new));
            assert!(to_old.is_empty() || to_new.is_empty(), "{signal} at {moment}: {to_old:?}, {to_new:?}");
            assert!(left != "moving" || to_new.is_empty(), "{signal} at {moment}: not finished");
            self.folder.plimsoll(self.args).exits(0);
            same("written again", &self.folder.path(self.place), &self.new);
        }
        println!("{:?} killed {moments} times over {whole:?}: {counts:?}", self.args);
    }
}

/// Sends a signal to a process, which may have ended.
fn send(signal: &str, child: &Child) {
    Command::new("sh").args(["-c", &format!("kill -{signal} {} 2>/dev/null", child.id())]).status().unwrap();
}

#[cfg(unix)]
#[test]
fn killed_at_any_moment_an_ingest_leaves_the_old_runs_or_the_new_ones() {
    let folder = two_sweeps();
    folder.plimsoll(&["-q", "ingest", "old", "--release", "v1"]).exits(0);
    Killed::new(&folder, &["ingest", "new", "--release", "v1"], "data").at_many_moments(45);
}

#[cfg(unix)]
#[test]
fn killed_at_any_moment_a_build_leaves_the_old_site_or_the_new_one() {
    let folder = two_sweeps();
    for state in ["old", "new"] {
        folder.plimsoll(&["-q", "ingest", state, "--release", "v1", "--archive", state]).exits(0);
    }
    folder.plimsoll(&["-q", "build", "--archive", "old"]).exits(0);
    Killed::new(&folder, &["build", "--archive", "new"], "site").at_many_moments(18);
}

/// A command that reads is the next one too, and it finishes what was cut off before it reads.
#[test]
fn a_command_that_reads_finishes_what_was_cut_off() {
    let folder = two_sweeps();
    folder.plimsoll(&["-q", "ingest", "old", "--release", "v1"]).exits(0);
    folder.plimsoll(&["-q", "ingest", "new", "--release", "v1", "--archive", "other"]).exits(0);
    for verb in [
        &["classify"][..],
        &["audit"],
        &["build"],
        &["audit", "--evidence"],
        &["diff", "v1", "v1"],
        &["ingest", "old", "--release", "v1"],
    ] {
        let note = r#"{"state": "moving", "files": ["v1/a/record.json"], "removed": ["v1/a/gone"], "folders": []}"#;
        let folder_of_run = folder.path("data/v1/a");
        std::fs::copy(folder.path("other/v1/a/record.json"), folder_of_run.join(".record.json.plimsoll-new")).unwrap();
        std::fs::write(folder_of_run.join("gone"), "").unwrap();
        std::fs::write(folder.path("data").join(unfinished::FILE), note).unwrap();
        let status = folder.plimsoll(verb).status;
        assert!(status < 3, "{verb:?}: {status}");
        let left: Vec<String> = everything(&folder_of_run).into_keys().collect();
        assert_eq!(left, ["k6.txt", "record.json"], "{verb:?}");
        if verb[0] != "ingest" {
            assert_eq!(folder.read("data/v1/a/record.json"), folder.read("other/v1/a/record.json"), "{verb:?}");
        }
    }
    let bad = folder.file_again(&format!("data/{}", unfinished::FILE), r#"{"state": "moving", "files": ["../x"]}"#);
    let answer = bad.plimsoll(&["classify"]).exits(4).says("error[unfinished]").says("`../x` is not a path inside a folder");
    assert!(answer.talk.contains("remove the note"), "{}", answer.talk);
}

/// Waits for all, and says how each ended.
fn ended(children: Vec<Child>) -> Vec<Option<i32>> {
    children.into_iter().map(|mut child| child.wait().unwrap().code()).collect()
}

#[test]
fn what_many_ingest_at_once_is_all_there() {
    let folder = two_sweeps();
    let settings = include_bytes!("../../fuzz/seeds/postgres/settings.csv");
    let folder = folder
        .file("settings.csv", settings)
        .file("flags.json", include_bytes!("../../fuzz/seeds/features/answer.json"))
        .file("service.yaml", include_bytes!("../../fuzz/seeds/infra/service.yaml"));
    let additions = ["settings.csv", "flags.json", "service.yaml"];
    let ingest = |file: &str, target: &str, archive: &str| {
        command(&folder, &["ingest", file, "--release", "v1", "--target", target, "--archive", archive]).spawn().unwrap()
    };
    // One after the other.
    for target in ["a", "b"] {
        assert_eq!(ended(vec![ingest(&format!("old/{target}.log"), target, "single")]), [Some(0)]);
        for file in additions {
            assert_eq!(ended(vec![ingest(file, target, "single")]), [Some(0)]);
        }
    }
    let wanted = everything(&folder.path("single"));
    for round in 0..4 {
        let archive = format!("many-{round}");
        let first = ["a", "b"].map(|target| ingest(&format!("old/{target}.log"), target, &archive));
        assert_eq!(ended(first.into()), [Some(0); 2]);
        // Three additions to each of two runs, all at once: each takes the record as the ones before have left it.
        let all = ["a", "b"].iter().flat_map(|target| additions.map(|file| ingest(file, target, &archive))).collect();
        assert_eq!(ended(all), [Some(0); 6]);
        let state = everything(&folder.path(&archive));
        let (names, wanted_names): (Vec<_>, Vec<_>) = (state.keys().collect(), wanted.keys().collect());
        assert_eq!(names, wanted_names);
        for target in ["a", "b"] {
            let record = folder.read(&format!("{archive}/v1/{target}/record.json"));
            for word in ["settings.csv", "flags.json", "service.yaml", "max_scale", "loginDefaultOrg", "max_connections"] {
                assert!(record.contains(word), "round {round}: no `{word}` in the record of {target}");
            }
        }
    }
}

#[test]
fn a_build_beside_ingests_and_builds_sees_whole_runs() {
    let folder = two_sweeps();
    folder.plimsoll(&["-q", "ingest", "old", "--release", "v1"]).exits(0);
    folder.plimsoll(&["-q", "build", "--out", "of-old"]).exits(0);
    folder.plimsoll(&["-q", "ingest", "new", "--release", "v1", "--archive", "other"]).exits(0);
    folder.plimsoll(&["-q", "build", "--archive", "other", "--out", "of-new"]).exits(0);
    let (of_old, of_new) = (everything(&folder.path("of-old")), everything(&folder.path("of-new")));
    for round in 0..6 {
        let state = if round % 2 == 0 { "new" } else { "old" };
        let ingest = command(&folder, &["ingest", state, "--release", "v1"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(40 * round));
        let builds = [0, 1].map(|_| command(&folder, &["build"]).spawn().unwrap());
        assert_eq!(ended(vec![ingest]), [Some(0)]);
        assert_eq!(ended(builds.into()), [Some(0); 2]);
        let site = everything(&folder.path("site"));
        let (to_old, to_new) = (differences(&site, &of_old), differences(&site, &of_new));
        assert!(to_old.is_empty() || to_new.is_empty(), "round {round}: {to_old:?}, {to_new:?}");
    }
}

#[test]
fn who_has_to_wait_is_told_so() {
    let folder = two_sweeps();
    let held = plimsoll::fs::writing(&folder.path("data")).unwrap();
    let mut waiting = Command::new(assert_cmd::cargo::cargo_bin("plimsoll"));
    waiting.args(["ingest", "old", "--release", "v1"]).current_dir(folder.path(".")).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = waiting.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none(), "it did not wait");
    drop(held);
    let output = child.wait_with_output().unwrap();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && talk.contains("waiting for another process that works in `data`"), "{talk}");
    assert!(folder.path("data/v1/a/record.json").exists());
}

/// Captures are cut by the window of the record they are added to: one that has another window by the time they are added is another run.
#[test]
fn captures_are_added_to_the_record_they_were_read_for() {
    let folder = two_sweeps().file("settings.csv", include_bytes!("../../fuzz/seeds/postgres/settings.csv"));
    folder.plimsoll(&["-q", "ingest", "old/a.log", "--release", "v1"]).exits(0);
    let archive = folder.path("data");
    for is_other in [true, false] {
        // Who reads holds up who writes, and no one who reads.
        let held = plimsoll::fs::reading(&archive).unwrap();
        let mut adding = Command::new(assert_cmd::cargo::cargo_bin("plimsoll"));
        adding.args(["ingest", "settings.csv", "--release", "v1", "--target", "a"]).current_dir(folder.path("."));
        let mut child = adding.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut talk = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains("waiting for another process") {
            assert!(talk.read_line(&mut said).unwrap() > 0, "it did not wait: {said}");
        }
        let record = folder.read("data/v1/a/record.json");
        let other = record.replace("2026-11-30T08:30:15Z", "2026-11-30T07:30:15Z");
        if is_other {
            assert!(other != record, "{record}");
            folder.file_again("data/v1/a/record.json", &other);
        }
        drop(held);
        talk.read_to_string(&mut said).unwrap();
        let status = child.wait().unwrap().code();
        let state = folder.read("data/v1/a/record.json");
        if is_other {
            assert_eq!(status, Some(3), "{said}");
            assert!(said.contains("error[changed-meanwhile]") && state == other, "{said}");
        } else {
            assert_eq!(status, Some(0), "{said}");
            assert!(state.contains("settings.csv"), "{state}");
        }
    }
}

/// A file that somebody writes is never taken for whole.
#[test]
fn a_file_that_is_written_while_it_is_read_is_refused() {
    let folder = Folder::new().file("in/k6.log", LOG.repeat(8_000));
    while_written(&folder.path("in/k6.log"), b"one more line\n", || {
        for args in [&["ingest", "in", "--release", "v1", "--target", "a"][..], &["summary", "in/k6.log"]] {
            let answer = folder.plimsoll(args).exits(3);
            answer.says("error[growing-file]").says("in/k6.log` was written while it was read");
        }
    });
    assert!(!folder.path("data").exists());
}

/// A file that comes and goes is read or is missing; it is never half of itself, and never a panic.
#[test]
fn a_file_that_vanishes_is_told() {
    let folder = two_sweeps();
    let path = folder.path("old/z.log");
    let comes_and_goes = || {
        let _written = std::fs::write(&path, "no output of k6\n");
        std::thread::sleep(Duration::from_micros(500));
        let _gone = std::fs::remove_file(&path);
        std::thread::sleep(Duration::from_micros(500));
    };
    meanwhile(comes_and_goes, || {
        let mut seen = BTreeMap::new();
        for round in 0..30 {
            let archive = format!("data-{round}");
            let answer = folder.plimsoll(&["ingest", "old", "--release", "v1", "--archive", &archive]);
            let state = match answer.status {
                0 => "read",
                3 if answer.talk.contains("error[growing-file]") => "growing",
                4 if answer.talk.contains("old/z.log`: No such file or directory") => "gone",
                _ => panic!("status {}: {}", answer.status, answer.talk),
            };
            assert_eq!(folder.path(&archive).exists(), state == "read", "{state}");
            *seen.entry(state).or_insert(0) += 1;
        }
        println!("{seen:?}");
    });
    folder.plimsoll(&["ingest", "nowhere.log", "--release", "v1"]).exits(4).says("nowhere.log`: No such file or directory");
}

/// Every command that prints a result.
const PRINTERS: [&[&str]; 14] = [
    &["ingest", "old", "--release", "v1", "--archive", "again"],
    &["ingest", "old", "--release", "v1", "--archive", "data", "--explain", "database.cpu.peak"],
    &["summary", "old/a.log"],
    &["summary", "old/a.log", "--format", "json"],
    &["series", "samples.csv"],
    &["errors", "samples.csv"],
    &["classify"],
    &["audit"],
    &["audit", "--format", "junit"],
    &["flow", "list"],
    &["diff", "v1", "v1"],
    &["schema", "figures"],
    &["--help"],
    &["--version"],
];

fn printing() -> Folder {
    let folder = two_sweeps().file("samples.csv", SAMPLES);
    folder.plimsoll(&["-q", "ingest", "old", "--release", "v1"]).exits(0);
    folder
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_finds_no_room_is_no_success() {
    let folder = printing();
    for args in PRINTERS {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command(&folder, args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let talk = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(4), "{args:?}: {talk}");
        assert!(talk.contains("No space left on device"), "{args:?}: {talk}");
    }
    // Talk that finds no room ends nothing.
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let quiet = Command::new(assert_cmd::cargo::cargo_bin("plimsoll"))
        .args(["build", "--out", "elsewhere"])
        .current_dir(folder.path("."))
        .stderr(full)
        .status();
    assert_eq!(quiet.unwrap().code(), Some(0));
    assert!(folder.path("elsewhere/index.html").exists());
}

#[cfg(unix)]
#[test]
fn whoever_reads_a_result_may_go_away() {
    let folder = printing();
    for args in PRINTERS {
        let mut child = command(&folder, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let talk = String::from_utf8(output.stderr).unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{args:?}: {:?}, {talk}", output.status);
        assert_eq!(talk, "", "{args:?}");
    }
    assert!(folder.path("again/v1/f/record.json").exists(), "what was to be written is written");
}

/// A pipe with a name, filled by a thread while a command reads it.
#[cfg(unix)]
fn fed<T>(pipes: &[(PathBuf, Vec<u8>)], work: impl FnOnce() -> T) -> T {
    for (path, _) in pipes {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }
    std::thread::scope(|scope| {
        for (path, bytes) in pipes {
            scope.spawn(move || std::fs::File::options().write(true).open(path).unwrap().write_all(bytes));
        }
        work()
    })
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_as_the_file_is() {
    let folder = Folder::new();
    for (name, bytes) in [("k6.log", LOG.as_bytes()), ("metrics.csv", SAMPLES)] {
        let folder = folder.path(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("file"), bytes).unwrap();
        let pipe = [(folder.join("pipe"), bytes.to_vec())];
        let run = |file: &str| {
            let place = folder.join(file);
            let place = place.to_str().unwrap();
            let archive = folder.join(format!("of-{file}"));
            let args = ["ingest", place, "--release", "v1", "--target", "a", "--archive", archive.to_str().unwrap()];
            Folder::new().plimsoll(&args).exits(0);
            archive.join("v1/a")
        };
        let of_file = run("file");
        let of_pipe = fed(&pipe, || run("pipe"));
        assert_eq!(everything(&of_file).keys().collect::<Vec<_>>(), everything(&of_pipe).keys().collect::<Vec<_>>(), "{name}");
        for (file, bytes) in everything(&of_file) {
            // The name of the file is all that is different.
            let told = String::from_utf8(std::fs::read(of_pipe.join(&file)).unwrap()).unwrap();
            assert_eq!(told.replace("\"pipe\"", "\"file\""), String::from_utf8(bytes).unwrap(), "{name}: {file}");
        }
    }
}

/// One file of samples per load generator, each through a pipe of the shell.
#[cfg(unix)]
#[test]
fn several_pipes_of_samples_are_one_run() {
    let folder = Folder::new();
    let text = String::from_utf8(SAMPLES.to_vec()).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    let (first, second) = rows.split_at(rows.len() / 2);
    let part = |rows: &[&str]| format!("{header}\n{}\n", rows.join("\n"));
    let folder = folder.file("1.csv", part(first)).file("2.csv", part(second));
    let ingest = |a: &str, b: &str, archive: &str| {
        folder.plimsoll(&["ingest", a, b, "--release", "v1", "--target", "a", "--archive", archive]).exits(0)
    };
    ingest("1.csv", "2.csv", "files");
    let pipes = [(folder.path("p1"), part(first).into_bytes()), (folder.path("p2"), part(second).into_bytes())];
    fed(&pipes, || ingest("p1", "p2", "pipes"));
    assert_eq!(folder.read("pipes/v1/a/series.json"), folder.read("files/v1/a/series.json"));
}
