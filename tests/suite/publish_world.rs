//! A publication against the world: a full disk, missing rights, another one at the same time, a journal from elsewhere.

use std::process::Command;

use super::command::Folder;
use super::mount::Mount;
use super::publish_support::{TO, differences, docs_and_archives, everything, publish};

#[test]
fn a_full_disk_leaves_the_old_files_and_says_so() {
    let folder = docs_and_archives();
    let Some(disk) = Mount::small(512, &folder.path("small")) else { return };
    let to = "small/docs";
    std::fs::create_dir_all(folder.path(to)).unwrap();
    let settings = "schema = 1\n[docs]\nnav = \"\"\n";
    std::fs::write(folder.path("plimsoll.toml"), settings).unwrap();
    let run = |archive: &str| folder.plimsoll(&["publish", "--to", to, "--archive", archive]);
    run("a").exits(0);
    let mut refused = 0;
    // From no room at all to room enough, page by page of the disk.
    for room in 0..60_u64 {
        let filler = disk.filled_but(room);
        let old = everything(&folder.path(to));
        let answer = run("b");
        std::fs::remove_file(&filler).unwrap();
        if answer.status == 0 {
            break;
        }
        refused += 1;
        let answer = answer.exits(4);
        assert!(answer.talk.contains("No space left on device") && answer.talk.contains("error[disk]"), "{}", answer.talk);
        assert_eq!(differences(&everything(&folder.path(to)), &old), Vec::<String>::new(), "{room}");
    }
    println!("refused {refused} times");
    assert!(refused > 2);
    run("b").exits(0).says("0 files created, 0 replaced");
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_leaves_the_old_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = docs_and_archives();
    publish(&folder, "a", &[]).exits(0);
    let old = everything(&folder.path("site"));
    for locked in ["src/data/benchmarks/v1", "content/apis/benchmarks/v1/old", "content/apis/benchmarks", "content/apis"] {
        let place = folder.path("site").join(locked);
        let rights = |mode| std::fs::set_permissions(&place, std::fs::Permissions::from_mode(mode)).unwrap();
        rights(0o555);
        let is_root = std::fs::write(place.join("probe"), "").is_ok();
        let mount = if is_root {
            // Rights don't bind the administrator; a disk that can only be read does.
            std::fs::remove_file(place.join("probe")).unwrap();
            let Some(bound) = Mount::read_only(&place) else { return };
            Some(bound)
        } else {
            None
        };
        let answer = publish(&folder, "b", &[]).exits(4);
        assert!(answer.talk.contains("error[disk]"), "{}", answer.talk);
        assert_eq!(differences(&everything(&folder.path("site")), &old), Vec::<String>::new(), "{locked}");
        publish(&folder, "b", &["--dry-run"]).exits(0);
        drop(mount);
        rights(0o755);
    }
    publish(&folder, "b", &[]).exits(0);
}

#[test]
fn two_publications_at_once_don_t_meet() {
    let folder = docs_and_archives();
    let lock = plimsoll::fs::lock::take(&folder.path(&format!("{TO}/.plimsoll.lock"))).unwrap();
    let before = everything(&folder.path("site"));
    let holder = format!("is held by another process, {}", std::process::id());
    publish(&folder, "a", &[]).exits(4).says(&holder).says("wait until it ends, then publish again");
    assert_eq!(everything(&folder.path("site")), before);
    publish(&folder, "a", &["--dry-run"]).exits(0);
    drop(lock);
    let run = || {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("plimsoll"));
        command.args(["-q", "publish", "--to", TO, "--archive", "a"]).current_dir(folder.path(".")).spawn().unwrap()
    };
    let mut both = [run(), run()];
    let mut codes = both.each_mut().map(|child| child.wait().unwrap().code());
    codes.sort_unstable();
    assert!(matches!(codes, [Some(0), Some(0 | 4)]), "{codes:?}");
    publish(&folder, "a", &[]).exits(0).says("0 files created, 0 replaced");
}

fn journal(operations: &str) -> String {
    format!(
        "{{\"schema\": 1, \"state\": \"switching\", \"roots\": {{\"docs\": \".\", \"mirror\": \"../../../src/data/benchmarks\"}},\n\"operations\": [{operations}], \"folders\": [], \"mirror_folders\": 0}}\n"
    )
}

#[test]
fn a_journal_from_elsewhere_is_refused() {
    let other = "{\"root\": \"docs\", \"path\": \"../_meta.json\", \"old\": null, \"new\": \"a\"}";
    let folder: Folder = docs_and_archives().file(&format!("{TO}/.plimsoll-publish.json"), journal(other));
    let before = everything(&folder.path("site"));
    for dry in [&["--dry-run"][..], &[], &["--force"]] {
        publish(&folder, "a", dry).exits(3).says("no path inside a folder of a publication").says(".plimsoll-publish.json:2:");
        assert_eq!(differences(&everything(&folder.path("site")), &before), Vec::<String>::new());
    }
    std::fs::write(folder.path(&format!("{TO}/.plimsoll-publish.json")), journal("")).unwrap();
    std::fs::write(folder.path("plimsoll.toml"), "schema = 1\n").unwrap();
    publish(&folder, "a", &[]).exits(3).says("a publication was cut off whose mirror folder was");
}

#[test]
fn a_dry_run_thinks_a_publication_that_was_cut_off_to_its_end() {
    let folder = docs_and_archives().file(&format!("{TO}/.plimsoll-publish.json"), journal(""));
    let before = everything(&folder.path("site"));
    publish(&folder, "a", &["--dry-run"]).exits(0).says("cut off halfway: it is to be finished");
    assert_eq!(everything(&folder.path("site")), before);
    publish(&folder, "a", &[]).exits(0).says("cut off halfway: it was finished");
    publish(&folder, "a", &[]).exits(0).says("0 files created, 0 replaced");
}
