//! The GitHub Action: its description holds together, and its steps do what docs/ci.md says, run one after the other as a runner does, with
//! a `gh` that answers from a file and writes down what it is asked.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::command::Folder;

const LOG: &[u8] = include_bytes!("../fixtures/k6/add_session/stdout.txt");
const ACTION: &str = include_str!("../../action.yml");

/// Answers as `gh` does: fails as `gh.refusal` says, lists the comments of `gh.comments`, and appends its arguments to `gh.log`.
const GH: &str = r#"#!/usr/bin/env bash
here="$(dirname "$0")"
printf '%s\n' "$*" >>"$here/gh.log"
if [ -f "$here/gh.refusal" ]; then cat "$here/gh.refusal" >&2; exit 1; fi
case "$*" in
  *"--jq"*comments*|*comments*"--jq"*) cat "$here/gh.comments" 2>/dev/null || true ;;
  *"body=@"*) for arg in "$@"; do case "$arg" in body=@*) cp "${arg#body=@}" "$here/gh.body" ;; esac; done ;;
esac
"#;

fn described() -> Value {
    serde_saphyr::from_str(ACTION).unwrap()
}

fn steps(action: &Value) -> &[Value] {
    action["runs"]["steps"].as_array().unwrap()
}

/// The names behind a word in a text: `inputs.archive`.
fn named<'a>(text: &'a str, word: &str) -> BTreeSet<&'a str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let names = text.match_indices(word).map(|(at, _)| &text[at + word.len()..]);
    names.map(|rest| &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())]).collect()
}

#[test]
fn every_input_is_declared_and_used_and_none_is_text_of_a_script() {
    let action = described();
    let inputs = action["inputs"].as_object().unwrap();
    let declared: BTreeSet<&str> = inputs.keys().map(String::as_str).collect();
    assert_eq!(named(ACTION, "inputs."), declared);
    for (name, input) in inputs {
        assert!(input["description"].is_string() && input["default"].is_string(), "{name}");
    }
    for step in steps(&action) {
        let run = step["run"].as_str().unwrap_or_default();
        assert!(!run.contains("${{") && (run.is_empty() || step["shell"] == "bash"), "{step}");
    }
}

#[test]
fn every_step_that_is_named_is_there_and_every_verb_is_one_of_the_script() {
    let action = described();
    let ids: BTreeSet<&str> = steps(&action).iter().filter_map(|step| step["id"].as_str()).collect();
    assert_eq!(named(ACTION, "steps."), ids);
    let script = include_str!("../../scripts/action");
    for step in steps(&action).iter().filter_map(|step| step["run"].as_str()) {
        let verb = step.rsplit(' ').next().unwrap();
        assert!(script.contains(&format!("\n{verb}() {{")), "{verb}");
    }
    for step in steps(&action) {
        for variable in step["env"].as_object().into_iter().flatten().map(|(name, _)| name) {
            assert!(["ACTION", "GH_TOKEN"].contains(&variable.as_str()) || script.contains(variable.as_str()), "{variable}");
        }
    }
    for output in named(ACTION, ".outputs.") {
        assert!(script.contains(&format!("output {output} ")), "{output}");
    }
}

/// A runner: a folder with a project, a `gh`, and the files that steps write to.
struct Runner(Folder);

impl Runner {
    fn new() -> Self {
        let folder = Folder::new().file("bin/gh", GH).file("results/k6.log", LOG).file("docs/README.md", "docs\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(folder.path("bin/gh"), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let runner = Self(folder);
        for args in [&["init", "-q", "--bare", "-b", "main", "remote"][..], &["init", "-q", "-b", "main", "docs"]] {
            runner.git(args);
        }
        for args in [
            &["config", "user.name", "A Tester"][..],
            &["config", "user.email", "tester@example.org"],
            &["config", "commit.gpgsign", "false"],
            &["remote", "add", "origin", "../remote"],
            &["add", "--all"],
            &["commit", "-q", "-m", "first"],
            &["push", "-q", "origin", "main"],
        ] {
            runner.git(&[&["-C", "docs"], args].concat());
        }
        runner
    }

    #[track_caller]
    fn git(&self, args: &[&str]) -> String {
        let output = std::process::Command::new("git").current_dir(self.0.path("")).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a step; its status and what it prints on both streams.
    fn step(&self, verb: &str, env: &[(&str, &str)]) -> (i32, String) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/action");
        let path = format!("{}:{}", self.0.path("bin").display(), std::env::var("PATH").unwrap());
        let mut command = std::process::Command::new(script);
        command.arg(verb).current_dir(self.0.path("")).env("PATH", path).env("RUNNER_TEMP", self.0.path("temp"));
        command.env("PLIMSOLL_BINARY", assert_cmd::cargo::cargo_bin("plimsoll"));
        command.env("GITHUB_OUTPUT", self.0.path("output")).env("GITHUB_STEP_SUMMARY", self.0.path("summary"));
        command.env("GITHUB_REPOSITORY", "owner/name").envs(env.iter().copied());
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (output.status.code().unwrap_or(-1), said)
    }

    #[track_caller]
    fn passes(&self, verb: &str, env: &[(&str, &str)]) -> String {
        let (status, said) = self.step(verb, env);
        assert_eq!(status, 0, "{said}");
        said
    }

    /// An output of the steps so far.
    fn output(&self, name: &str) -> String {
        let outputs = self.0.read("output");
        let found = outputs.lines().rev().find_map(|line| line.strip_prefix(&format!("{name}=")));
        found.unwrap_or_else(|| panic!("no output {name}:\n{outputs}")).to_owned()
    }

    fn compared(&self) -> String {
        for release in ["v1", "v2"] {
            let env = [("PLIMSOLL_RESULTS", "\nresults\n"), ("PLIMSOLL_RELEASE", release), ("PLIMSOLL_TARGET", "checkout")];
            self.passes("ingest", &env);
        }
        self.passes("diff", &[("PLIMSOLL_BASE", "v1"), ("PLIMSOLL_RELEASE", "v2"), ("PLIMSOLL_FAIL_ON", "none")]);
        self.output("comment-file")
    }
}

#[cfg(unix)]
#[test]
fn results_become_records_a_report_and_one_comment_that_is_written_anew() {
    let runner = Runner::new();
    let file = runner.compared();
    assert!(runner.0.read("summary").contains("**v1 against v2:"), "{}", runner.0.read("summary"));
    assert!(["pass", "nothing-compared"].contains(&runner.output("decision").as_str()));
    let env = [("PLIMSOLL_COMMENT_FILE", file.as_str()), ("PLIMSOLL_PULL_REQUEST", "7")];
    assert!(runner.passes("comment", &env).contains("wrote a comment"));
    std::fs::write(runner.0.path("bin/gh.comments"), "41\n42\n").unwrap();
    assert!(runner.passes("comment", &env).contains("wrote comment 41 anew"));
    let asked = runner.0.read("bin/gh.log");
    let asked: Vec<&str> = asked.lines().map(|line| line.split(" --jq").next().unwrap()).collect();
    let list = "api --paginate repos/owner/name/issues/7/comments?per_page=100";
    let body = format!("--field body=@{file}");
    let new = format!("api --silent --method POST repos/owner/name/issues/7/comments {body}");
    let anew = format!("api --silent --method PATCH repos/owner/name/issues/comments/41 {body}");
    assert_eq!(asked, [list, &new, list, &anew]);
    assert!(runner.0.read("bin/gh.body").starts_with("<!-- plimsoll-diff -->\n"));
}

#[cfg(unix)]
#[test]
fn a_fork_that_may_not_write_does_not_fail_the_job_and_other_failures_do() {
    let runner = Runner::new();
    let file = runner.compared();
    let env = [("PLIMSOLL_COMMENT_FILE", file.as_str()), ("PLIMSOLL_PULL_REQUEST", "7")];
    std::fs::write(runner.0.path("bin/gh.refusal"), "gh: Resource not accessible by integration (HTTP 403)\n").unwrap();
    assert!(runner.passes("comment", &env).contains("::warning title=plimsoll::GitHub refused the comment"));
    std::fs::write(runner.0.path("bin/gh.refusal"), "error connecting to api.github.com\n").unwrap();
    assert_eq!(runner.step("comment", &env).0, 1);
    assert!(runner.passes("comment", &[env[0], ("PLIMSOLL_PULL_REQUEST", "")]).contains("no pull request"));
}

#[cfg(unix)]
#[test]
fn pages_are_committed_by_one_step_and_pushed_by_another() {
    let runner = Runner::new();
    runner.compared();
    let env = [("PLIMSOLL_PUBLISH_TO", "docs/bench"), ("PLIMSOLL_BRANCH", "benchmarks"), ("PLIMSOLL_RELEASE", "v1")];
    runner.passes("publish", &env);
    assert_eq!((runner.output("committed").as_str(), runner.output("branch").as_str()), ("true", "benchmarks"));
    assert_eq!(runner.git(&["-C", "remote", "branch", "--list"]).trim(), "* main");
    let body = runner.output("pull-request-file");
    let push = [env[0], env[1], ("PLIMSOLL_PULL_REQUEST_FILE", body.as_str()), ("PLIMSOLL_PULL_REQUEST_BASE", "main")];
    runner.passes("push", &push);
    assert!(runner.git(&["-C", "remote", "log", "--format=%s", "benchmarks"]).starts_with("docs: benchmarks of v1\n"));
    let asked = runner.0.read("bin/gh.log");
    let created = format!("pr create --head benchmarks --title docs: benchmarks of v1 --body-file {body} --base main");
    assert_eq!(asked.lines().last(), Some(created.as_str()));
    // A later job begins at main, goes on with the branch of the remote, and has nothing to add.
    runner.git(&["-C", "docs", "switch", "-q", "main"]);
    runner.git(&["-C", "docs", "branch", "-q", "-D", "benchmarks"]);
    runner.passes("publish", &env);
    assert_eq!(runner.output("committed"), "false");
}

#[cfg(unix)]
#[test]
fn the_last_step_fails_as_the_comparison_does() {
    let runner = Runner::new();
    let status =
        |status: &str, fail_on: &str| runner.step("conclude", &[("PLIMSOLL_STATUS", status), ("PLIMSOLL_FAIL_ON", fail_on)]).0;
    assert_eq!([status("0", "regression"), status("1", "regression"), status("3", "none")], [0, 1, 3]);
    assert_eq!([status("2", "regression"), status("2", "regression,not-comparable")], [0, 2]);
    assert_eq!([status("", "regression"), runner.step("no-such-step", &[]).0], [0, 2]);
}

#[cfg(unix)]
#[test]
fn a_value_is_no_command() {
    let runner = Runner::new();
    let hostile = "$(touch made); `touch made`; touch made";
    for verb in ["ingest", "diff", "publish"] {
        let env = ["PLIMSOLL_RESULTS", "PLIMSOLL_RELEASE", "PLIMSOLL_BASE", "PLIMSOLL_PUBLISH_TO", "PLIMSOLL_BRANCH"];
        let (status, said) = runner.step(verb, &env.map(|name| (name, hostile)));
        assert!(status != 0 && !runner.0.path("made").exists(), "{said}");
    }
}

const RECIPE: &str = include_str!("../../docs/ci.md");

/// The workflows of docs/ci.md.
fn workflows() -> Vec<Value> {
    let blocks = RECIPE.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.map(|block| serde_saphyr::from_str(block).unwrap()).collect()
}

#[test]
fn the_workflows_to_copy_name_inputs_and_outputs_of_the_action_and_hold_no_expression_in_a_script() {
    let (action, workflows) = (described(), workflows());
    let jobs = workflows.iter().filter_map(|workflow| workflow["jobs"].as_object());
    let steps: Vec<&Value> = jobs.flat_map(|jobs| jobs.values()).flat_map(|job| job["steps"].as_array().unwrap()).collect();
    let ours: Vec<&Value> = steps.iter().copied().filter(|step| step["uses"] == "OWNER/plimsoll@COMMIT").collect();
    assert_eq!((workflows.len(), ours.len()), (4, 2));
    for (name, _) in ours.iter().flat_map(|step| step["with"].as_object().unwrap()) {
        assert!(action["inputs"][name].is_object(), "{name}");
    }
    for output in named(RECIPE, "steps.plimsoll.outputs.") {
        assert!(action["outputs"][output].is_object(), "{output}");
    }
    assert!(steps.iter().all(|step| !step["run"].as_str().unwrap_or_default().contains("${{")));
    for name in action["inputs"].as_object().unwrap().keys().chain(action["outputs"].as_object().unwrap().keys()) {
        assert!(RECIPE.contains(&format!("`{name}`")), "docs/ci.md says nothing of {name}");
    }
}

#[cfg(unix)]
#[test]
fn the_commands_by_hand_run_as_written() {
    let runner = Runner::new();
    runner.git(&["init", "-q"]);
    runner.git(&["config", "user.name", "A Tester"]);
    runner.git(&["config", "user.email", "tester@example.org"]);
    runner.git(&["config", "commit.gpgsign", "false"]);
    std::fs::remove_dir_all(runner.0.path("docs")).unwrap();
    runner.0.plimsoll(&["ingest", "results/", "--release", "v1.2.0", "--target", "checkout"]).exits(0);
    let commands: Vec<&str> = RECIPE.lines().filter_map(|line| line.strip_prefix("    plimsoll ")).collect();
    assert_eq!(commands.len(), 7, "{commands:?}");
    for command in commands {
        let args: Vec<&str> = command.split_whitespace().collect();
        let answer = runner.0.plimsoll(&args);
        // The two releases are one run twice: nothing is compared, the audit finds one output in both, and the reports say so.
        let is_told = matches!((args[0], answer.status), ("diff", 2) | ("audit", 1));
        assert!(answer.status == 0 || is_told, "{command}\n{}{}", answer.out, answer.talk);
    }
    for made in ["audit.xml", "comment.md", "diff.xml", "text.md", "public/index.html"] {
        assert!(!runner.0.read(made).is_empty(), "{made}");
    }
    assert_eq!(runner.git(&["log", "--format=%s", "benchmarks-v1.3.0"]), "docs: benchmarks of v1.3.0\n");
}
