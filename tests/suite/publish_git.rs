//! `publish --commit`, through real git: what is committed, on which branch, what stays as it was, and what is refused before a file is
//! written.

use std::process::Command;

use super::command::{Answer, Folder};

const LOG: &[u8] = include_bytes!("../fixtures/k6/add_session/stdout.txt");
const NAVIGATION: &str = "{ \"title\": \"Benchmarks\", \"pages\": [] }\n";
const PAGE: &str = "docs/bench/v1/checkout/index.mdx";

/// A project with one run, and a repository `docs` beside it with a commit.
fn project() -> Folder {
    let folder = Folder::new().file("k6.log", LOG).file("docs/README.md", "by hand\n").file("docs/_meta.json", NAVIGATION);
    folder.plimsoll(&["ingest", "k6.log", "--release", "v1", "--target", "checkout"]).exits(0);
    git(&folder, &["init", "--quiet", "--initial-branch=main"]);
    for (key, value) in [
        ("user.name", "A Tester"),
        ("user.email", "tester@example.org"),
        ("commit.gpgsign", "false"),
        ("core.hooksPath", ".git/hooks"),
    ] {
        git(&folder, &["config", key, value]);
    }
    git(&folder, &["add", "--all"]);
    git(&folder, &["commit", "--quiet", "--message=first"]);
    folder
}

/// What git answers in the repository.
#[track_caller]
fn git(folder: &Folder, args: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(folder.path("docs")).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn publish(folder: &Folder, more: &[&str]) -> Answer {
    folder.plimsoll(&[&["publish", "--to", "docs/bench", "--commit"], more].concat())
}

/// The files of the last commit, in order.
fn committed(folder: &Folder) -> Vec<String> {
    let names = git(folder, &["-c", "core.quotePath=false", "show", "--format=", "--name-only", "HEAD"]);
    names.lines().map(str::to_owned).collect()
}

fn branch(folder: &Folder) -> String {
    git(folder, &["symbolic-ref", "--short", "HEAD"]).trim().to_owned()
}

/// Asserts that a publication is refused and that neither a file nor a commit was made.
#[track_caller]
fn refused(folder: &Folder, more: &[&str], status: i32, words: &str) {
    let (files, head) = (folder.files("docs/bench"), git(folder, &["rev-parse", "--all", "HEAD"]));
    publish(folder, more).exits(status).says(words);
    assert_eq!((folder.files("docs/bench"), git(folder, &["rev-parse", "--all", "HEAD"])), (files, head));
}

#[test]
fn a_publication_is_a_commit_on_a_new_branch_and_nothing_is_pushed() {
    let folder = project();
    git(&folder, &["remote", "add", "origin", "nowhere"]);
    publish(&folder, &["--branch", "benchmarks-v1"])
        .exits(0)
        .says("on the branch `benchmarks-v1`; nothing was pushed")
        .says("to push it: git -C docs/bench push --set-upstream origin benchmarks-v1");
    assert_eq!(branch(&folder), "benchmarks-v1");
    assert!(committed(&folder).iter().all(|file| file.starts_with("bench/") || file == "_meta.json"), "{:?}", committed(&folder));
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
    assert_eq!(git(&folder, &["log", "--format=%s"]), "docs: benchmarks of v1\nfirst\n");
    let body = git(&folder, &["log", "-1", "--format=%b"]);
    assert!(body.contains("| `v1` | `checkout` |") && !body.lines().any(|line| line.starts_with('#')), "{body}");
}

#[test]
fn what_is_committed_already_is_not_committed_again() {
    let folder = project();
    publish(&folder, &["--branch", "one"]).exits(0);
    let head = git(&folder, &["rev-parse", "HEAD"]);
    publish(&folder, &["--branch", "two"]).exits(0).says("nothing to commit");
    assert_eq!((git(&folder, &["rev-parse", "HEAD"]), branch(&folder)), (head, "one".to_owned()));
    assert!(!git(&folder, &["branch"]).contains("two"));
}

#[test]
fn what_was_written_before_without_a_commit_is_committed() {
    let folder = project();
    folder.plimsoll(&["publish", "--to", "docs/bench"]).exits(0);
    publish(&folder, &[]).exits(0).says("on the branch `main`");
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
}

#[test]
fn other_work_stays_as_it_is() {
    let folder = project().file("docs/staged.txt", "staged").file("docs/new file.txt", "new").file("docs/README.md", "more\n");
    git(&folder, &["add", "staged.txt"]);
    publish(&folder, &["--branch", "b"]).exits(0);
    assert_eq!(git(&folder, &["status", "--porcelain"]), " M README.md\nA  staged.txt\n?? \"new file.txt\"\n");
    assert!(
        !committed(&folder).iter().any(|file| file.contains("staged") || file.contains("README")),
        "{:?}",
        committed(&folder)
    );
}

#[test]
fn a_file_with_uncommitted_changes_is_not_written_over() {
    let folder = project();
    publish(&folder, &[]).exits(0);
    let page = folder.read(PAGE);
    for stage in [false, true] {
        let folder_page = folder.path(PAGE);
        std::fs::write(&folder_page, format!("{page}\nby hand\n")).unwrap();
        if stage {
            git(&folder, &["add", "bench"]);
        }
        // Whether by the manifest or by git: it is refused, and `--force` does not throw away what git doesn't have.
        refused(&folder, &["--force"], 3, "bench/v1/checkout/index.mdx");
    }
}

/// A project whose pages are published and committed.
fn published() -> Folder {
    let folder = project();
    publish(&folder, &[]).exits(0);
    folder
}

/// Ingests a second run and publishes it without a commit, so that files are kept that HEAD lacks something of.
fn publish_another(folder: &Folder) {
    folder.plimsoll(&["ingest", "k6.log", "--release", "v1", "--target", "basket"]).exits(0);
    folder.plimsoll(&["publish", "--to", "docs/bench"]).exits(0);
}

fn replace(folder: &Folder, path: &str, from: &str, to: &str) {
    let text = folder.read(path);
    assert!(text.contains(from), "{text}");
    std::fs::write(folder.path(path), text.replacen(from, to, 1)).unwrap();
}

#[test]
fn an_edit_of_the_navigation_that_is_somebody_elses_is_not_committed() {
    let folder = published();
    replace(&folder, "docs/_meta.json", "Benchmarks\",", "Benchmarks\", \"icon\": \"Gauge\",");
    publish(&folder, &[]).exits(0).says("nothing to commit");
    git(&folder, &["add", "_meta.json"]);
    publish(&folder, &[]).exits(0).says("nothing to commit");
    assert_eq!(git(&folder, &["status", "--porcelain"]), "M  _meta.json\n");
}

#[test]
fn a_navigation_with_entries_and_an_edit_that_head_both_lacks_is_refused() {
    let folder = published();
    publish_another(&folder);
    let written = folder.read("docs/_meta.json");
    replace(&folder, "docs/_meta.json", "Benchmarks\",", "Benchmarks\", \"icon\": \"Gauge\",");
    refused(&folder, &[], 3, "_meta.json (changed)");
    std::fs::write(folder.path("docs/_meta.json"), written).unwrap();
    publish(&folder, &[]).exits(0).says("committed");
    assert!(committed(&folder).contains(&"_meta.json".to_owned()), "{:?}", committed(&folder));
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
}

#[test]
fn what_an_author_writes_between_the_markers_alone_is_the_authors_to_commit() {
    let folder = published();
    replace(&folder, PAGE, "## k6 output", "{/* keep:start */}\nBy hand.\n{/* keep:end */}\n\n## k6 output");
    publish(&folder, &[]).exits(0);
    assert_eq!(git(&folder, &["status", "--porcelain"]), format!(" M {}\n", &PAGE["docs/".len()..]));
    git(&folder, &["commit", "--quiet", "--all", "--message=by hand"]);
    publish(&folder, &[]).exits(0).says("nothing to commit");
}

#[test]
fn a_page_that_head_lacks_is_committed_with_what_its_author_wrote() {
    let folder = published();
    publish_another(&folder);
    let page = "docs/bench/v1/basket/index.mdx";
    replace(&folder, page, "## k6 output", "{/* keep:start */}\nBy hand.\n{/* keep:end */}\n\n## k6 output");
    publish(&folder, &[]).exits(0).says("committed");
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
    assert!(git(&folder, &["show", "HEAD:bench/v1/basket/index.mdx"]).contains("By hand."));
}

#[test]
fn what_a_publication_without_a_commit_removed_is_committed_as_removed() {
    let folder = project();
    folder.plimsoll(&["ingest", "k6.log", "--release", "v1", "--target", "basket"]).exits(0);
    publish(&folder, &[]).exits(0);
    std::fs::remove_dir_all(folder.path("data/v1/basket")).unwrap();
    folder.plimsoll(&["publish", "--to", "docs/bench"]).exits(0);
    assert!(!folder.path("docs/bench/v1/basket/index.mdx").exists());
    publish(&folder, &[]).exits(0).says("committed");
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
    assert!(!git(&folder, &["show", "HEAD:_meta.json"]).contains("basket"));
}

#[test]
fn a_repository_in_the_middle_of_something_is_left_alone() {
    let folder = project();
    git(&folder, &["switch", "--quiet", "--create", "other"]);
    std::fs::write(folder.path("docs/README.md"), "theirs\n").unwrap();
    git(&folder, &["commit", "--quiet", "--all", "--message=theirs"]);
    git(&folder, &["switch", "--quiet", "main"]);
    std::fs::write(folder.path("docs/README.md"), "ours\n").unwrap();
    git(&folder, &["commit", "--quiet", "--all", "--message=ours"]);
    let merge = Command::new("git").arg("-C").arg(folder.path("docs")).args(["merge", "other"]).output().unwrap();
    assert!(!merge.status.success());
    refused(&folder, &[], 3, "a merge is in progress");
    git(&folder, &["merge", "--abort"]);
    let rebase = Command::new("git").arg("-C").arg(folder.path("docs")).args(["rebase", "other"]).output().unwrap();
    assert!(!rebase.status.success());
    refused(&folder, &["--branch", "b"], 3, "a rebase is in progress");
}

#[test]
fn a_detached_head_needs_a_branch() {
    let folder = project();
    git(&folder, &["checkout", "--quiet", "--detach"]);
    refused(&folder, &[], 2, "name the branch of the commit: --branch NAME");
    publish(&folder, &["--branch", "b"]).exits(0);
    assert_eq!(branch(&folder), "b");
}

#[test]
fn a_branch_is_new_or_checked_out() {
    let folder = project();
    git(&folder, &["branch", "old"]);
    refused(&folder, &["--branch", "old"], 2, "`git switch old` first, or choose another name");
    refused(&folder, &["--branch", "old/er"], 2, "git can't have a branch `old/er` beside `old`");
    for bad in ["a b", "a..b", "HEAD", "@{-1}", "refs/heads/", ""] {
        refused(&folder, &["--branch", bad], 2, "is no name of a branch");
    }
    git(&folder, &["switch", "--quiet", "old"]);
    publish(&folder, &["--branch", "old"]).exits(0);
    assert_eq!(git(&folder, &["log", "--format=%s", "main..old"]), "docs: benchmarks of v1\n");
}

#[test]
fn the_first_commit_of_a_repository_may_be_a_publication() {
    let folder = project();
    std::fs::remove_dir_all(folder.path("docs")).unwrap();
    std::fs::create_dir_all(folder.path("docs")).unwrap();
    git(&folder, &["init", "--quiet", "--initial-branch=main"]);
    git(&folder, &["config", "user.name", "A Tester"]);
    git(&folder, &["config", "user.email", "tester@example.org"]);
    publish(&folder, &["--branch", "b"]).exits(0).says("the repository has no remote to push to");
    assert_eq!((git(&folder, &["log", "--format=%s"]), branch(&folder)), ("docs: benchmarks of v1\n".to_owned(), "b".to_owned()));
}

#[test]
fn ignored_files_are_named_with_their_rule() {
    let folder = project().file("docs/.gitignore", "# rules\n*.mdx\n");
    refused(&folder, &[], 3, "bench/v1/checkout/index.mdx (by `*.mdx` in .gitignore:2)");
}

#[test]
fn a_repository_inside_is_not_written_into() {
    let folder = project();
    let inner = folder.path("docs/bench/v1");
    std::fs::create_dir_all(&inner).unwrap();
    assert!(Command::new("git").arg("-C").arg(&inner).args(["init", "--quiet"]).status().unwrap().success());
    publish(&folder, &[]).exits(3).says("in a repository of its own inside of this one");
    assert!(!folder.path(PAGE).exists());
}

#[test]
fn without_a_repository_nothing_is_committed() {
    let folder = project();
    let answer = folder.plimsoll(&["publish", "--to", "elsewhere/bench", "--commit"]);
    answer.exits(2).says("is in no work tree of git");
    assert!(!folder.path("elsewhere").exists());
}

#[cfg(unix)]
#[test]
fn a_hook_that_fails_is_heard_and_the_next_publication_goes_on() {
    let folder = project();
    let hook = hook(&folder, "pre-commit", "echo 'the linter says no' >&2; exit 1");
    publish(&folder, &["--branch", "b"])
        .exits(4)
        .says("the linter says no")
        .says("the branch `b` is checked out; nothing was committed, and nothing is lost")
        .says("publish again");
    assert_eq!(git(&folder, &["log", "--format=%s"]), "first\n");
    assert!(!folder.read(PAGE).is_empty() && !folder.path("docs/.git/plimsoll-message").exists());
    std::fs::remove_file(hook).unwrap();
    publish(&folder, &["--branch", "b"]).exits(0).says("committed");
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
}

#[cfg(unix)]
#[test]
fn a_hook_that_changes_pages_is_told() {
    let folder = project();
    hook(
        &folder,
        "pre-commit",
        "for f in $(git diff --cached --name-only -- '*.mdx'); do echo formatted >> $f; git add $f; done",
    );
    publish(&folder, &[]).exits(0).says("a hook of the repository changed 3 files").says("bench/v1/checkout/index.mdx");
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
}

#[cfg(unix)]
#[test]
fn the_repository_of_a_surrounding_hook_is_not_the_one_of_the_docs() {
    let folder = project();
    let other = Folder::new();
    assert!(Command::new("git").arg("-C").arg(other.path("")).args(["init", "--quiet"]).status().unwrap().success());
    let mut command = assert_cmd::Command::cargo_bin("plimsoll").unwrap();
    command.current_dir(folder.path("")).args(["publish", "--to", "docs/bench", "--commit"]);
    command.env("GIT_DIR", other.path(".git")).env("GIT_INDEX_FILE", other.path("index")).env("GIT_GLOB_PATHSPECS", "1");
    command.assert().success();
    assert_eq!(git(&folder, &["log", "-1", "--format=%s"]), "docs: benchmarks of v1\n");
    assert!(!other.path("index").exists());
}

#[cfg(unix)]
#[test]
fn odd_names_of_folders_are_names() {
    let folder = project();
    for to in ["docs/it's \"quoted\" [a]*", "docs/:(top)é\u{202e}速", "docs/new\nline", "docs/-x"] {
        folder.plimsoll(&["publish", "--to", to, "--commit"]).exits(0).says("committed");
    }
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
    assert_eq!(git(&folder, &["rev-list", "--count", "HEAD"]).trim(), "5");
}

#[test]
fn the_text_of_a_pull_request_goes_to_a_file_or_is_printed() {
    let folder = project();
    folder.plimsoll(&["publish", "--to", "docs/bench", "--pull-request", "text.md"]).exits(0);
    assert!(folder.read("text.md").contains("| `v1` | `checkout` |"));
    folder.plimsoll(&["-q", "publish", "--to", "docs/bench", "--pull-request", "-"]).exits(0).prints("Benchmark pages");
}

#[cfg(unix)]
fn hook(folder: &Folder, name: &str, script: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.path(&format!("docs/.git/hooks/{name}"));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}
