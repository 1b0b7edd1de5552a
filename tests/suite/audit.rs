//! `plimsoll audit` as a user runs it: what it finds on the published runs, its formats, what is accepted, its exit status.

use serde_json::Value;

use crate::command::{Answer, Folder};
use crate::material;

/// An archive of all published runs, read from their pages, outputs and series.
fn published() -> Option<Folder> {
    let published = material::shared("data/published")?;
    let folder = Folder::new();
    folder.plimsoll(&["-q", "ingest", published.to_str().unwrap()]).exits(0);
    Some(folder)
}

fn findings(answer: &Answer) -> Vec<Value> {
    let document: Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(document["schema"], 1);
    document["findings"].as_array().unwrap().clone()
}

/// Contradictions that people verified on the published pages: where, by which rule, with which numbers in the message.
const VERIFIED: &[(&str, &str, &[&str])] = &[
    ("v4.17.1/human_password_login", "saturated-not-bound", &["CPU-saturated", "Not resource-bound", "87%"]),
    ("v4.17.1/manipulate_user", "saturated-not-bound", &["CPU-saturated", "Not resource-bound", "98%"]),
    ("v4.19.2/machine_client_credentials_login", "startups-without-growth", &["7 containers", "1 container started"]),
    ("v4.19.2/otp_session", "growth-without-startups", &["between 3 and 4", "none started"]),
    ("v4.19.2/add_session", "carried-containers", &["3 of 7 containers", "4 containers"]),
    ("v4/machine_pat_login", "foreign-k6-output", &["v4/human_password_login"]),
    ("v4/machine_pat_login", "stated-differs", &["1906", "39.04/s"]),
    ("v2.66.0/machine_jwt_profile_grant", "stated-differs", &["439", "436.92/s"]),
    ("v2.70.0/oidc_session", "stated-differs", &["153", "152.03/s"]),
    ("v4/oidc_session", "clock-beyond-duration", &["30m", "42m06.8s"]),
    ("v4/oidc_session", "interrupted-iterations", &["600"]),
    ("v4/oidc_session", "littles-law", &["0.707"]),
    ("v4/oidc_session", "series-short", &["1,214", "1,800"]),
    ("v4/manipulate_user", "failures-untold", &["42.8%", "is empty"]),
    ("v4/add_session", "series-off-start", &["an hour"]),
    ("v4/introspect", "series-off-start", &["an hour"]),
    ("v4/machine_client_credentials_login", "series-off-start", &["an hour"]),
    ("v4/machine_pat_login", "series-off-start", &["an hour"]),
    ("v4/manipulate_user", "series-off-start", &["an hour"]),
    ("v4/otp_session", "series-off-start", &["an hour"]),
    ("v2.70.0/machine_jwt_profile_grant", "series-short", &["1,570", "1,800"]),
    ("v2.65.0/machine_jwt_profile_grant", "k6-version-layout", &["v0.54.0"]),
    ("v2.66.0/machine_jwt_profile_grant", "k6-version-layout", &["v0.54.0"]),
    ("v4.19.2/machine_client_credentials_login", "hidden-failures", &["38 of 7,270,615"]),
    ("v4.19.2/add_session", "rate-over-clock", &["1,388/s", "1,404/s"]),
    ("v4.19.2/add_session", "instances-varied", &["between 3 and 4"]),
    ("v4.17.1/human_password_login", "server-rate", &["338 req/s", "367/s to 380/s"]),
    ("v4.17.1/otp_session", "server-slower-than-client", &["2.8s", "47.8 ms"]),
    ("v4.17.1/manipulate_user", "unexplained-iteration", &["10.5 s", "delete_user_duration"]),
    ("v4.19.2/manipulate_user", "unexplained-iteration", &["9.08 s"]),
    ("v4/manipulate_user", "unexplained-iteration", &["38.2 s"]),
    ("v4.19.2/add_session", "single-sample-trend", &["5 trends", "org_create_org_duration"]),
    ("v4.17.1/human_password_login", "fast-password", &["login_ui_enter_password_duration", "2.77 ms"]),
    ("v4.17.1/introspect", "bytes-per-request", &["46.9 kB", "691 B"]),
    ("v4.17.1", "flags-unlike-previous", &["webKey", "IMPROVED_PERFORMANCE_ORG_BY_ID"]),
    ("v4.17.1/manipulate_user", "vus-unlike-release", &["200 virtual users", "10 of the release's 11 runs have 600"]),
];

#[test]
fn the_published_contradictions_are_found_where_they_are() {
    let Some(folder) = published() else { return };
    let found = findings(&folder.plimsoll(&["audit", "--format", "json"]).exits(1));
    let place = |finding: &Value| match finding["run"].as_str() {
        Some(run) => format!("{}/{run}", finding["release"].as_str().unwrap()),
        None => finding["release"].as_str().unwrap().to_owned(),
    };
    let mut faults = Vec::new();
    for (at, code, words) in VERIFIED {
        let mut there = found.iter().filter(|finding| place(finding) == *at && finding["code"] == *code);
        let is_told = there.any(|finding| words.iter().all(|word| finding["message"].as_str().unwrap().contains(word)));
        if !is_told {
            faults.push(format!("{at}: no {code} with {words:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let hours = found.iter().filter(|finding| finding["message"].as_str().unwrap().contains("about an hour"));
    assert_eq!(hours.count(), 6);
}

/// Each line of it was held against the pages by hand.
#[test]
fn what_is_found_on_the_published_pages_reads_as_written() {
    let Some(folder) = published() else { return };
    insta::assert_snapshot!(folder.plimsoll(&["audit"]).exits(1).out);
}

#[test]
fn the_same_is_found_in_any_format_and_twice() {
    let Some(folder) = published() else { return };
    let all = findings(&folder.plimsoll(&["audit", "v4", "--format", "json"]).exits(1));
    for format in ["text", "json", "junit", "github"] {
        let once = folder.plimsoll(&["audit", "v4", "--format", format]).exits(1).out;
        assert_eq!(once, folder.plimsoll(&["audit", "v4", "--format", format]).exits(1).out);
        folder.plimsoll(&["audit", "v4", "--format", format, "--out", "report"]).exits(1);
        assert_eq!(folder.read("report"), once);
    }
    let cases = folder.plimsoll(&["audit", "v4", "--format", "junit"]).out.matches("<testcase").count();
    assert_eq!(cases, all.len());
    let lines = folder.plimsoll(&["audit", "v4", "--format", "github"]).out;
    assert_eq!(lines.lines().count(), 10);
    assert!(lines.lines().last().unwrap().contains(&format!("{} more not shown here", all.len() - 9)), "{lines}");
}

#[test]
fn what_was_looked_at_is_accepted_with_a_reason() {
    let Some(folder) = published() else { return };
    let accept = |rows: &str| format!("[audits]\naccept = [{rows}]\n");
    let errors = |folder: &Folder| {
        let found = findings(&folder.plimsoll(&["audit", "v2.66.0", "--format", "json"]));
        found.into_iter().filter(|finding| finding["level"] == "error" && finding.get("accepted").is_none()).count()
    };
    assert_eq!(errors(&folder), 1);
    let row = "{ code = \"stated-differs\", run = \"v2*/*\", reason = \"it is the rate over the test phase\" }";
    let folder = folder.file("plimsoll.toml", accept(row));
    assert_eq!(errors(&folder), 0);
    let answer = folder.plimsoll(&["audit", "v2.66.0"]).exits(0).prints("; 1 accepted");
    assert!(!answer.out.contains("stated-differs"), "{}", answer.out);
    folder.plimsoll(&["-v", "audit", "v2.66.0"]).exits(0).prints("accepted: it is the rate over the test phase");
    folder.plimsoll(&["audit", "v2.66.0", "--format", "junit"]).exits(0).prints("accepted (it is the rate over the test phase)");
    // A row that accepts nothing is told where all runs were looked at.
    let idle = "{ code = \"placeholder\", run = \"*/*\", reason = \"x\" }";
    let folder = folder.file("plimsoll.toml", accept(&format!("{row}, {idle}")));
    folder.plimsoll(&["audit"]).exits(1).says("warning[idle-acceptance]").says("nothing is found as placeholder in */*");
    assert!(!folder.plimsoll(&["audit", "v2.66.0"]).exits(0).talk.contains("idle"));
    // What is no code, and what is no run, are faults of plimsoll.toml.
    let wrong =
        "{ code = \"stated-differ\", run = \"v2\", reason = \"x\" }, { code = \"placeholder\", run = \"a/b/c\", reason = \"x\" }";
    let folder = folder.file("plimsoll.toml", accept(wrong));
    let answer = folder.plimsoll(&["audit"]).exits(3).says("did you mean `stated-differs`?").says("a/b/c");
    assert_eq!(answer.out, "");
}

#[test]
fn what_the_method_wants_and_nobody_captured_fails_a_complete_audit() {
    let Some(folder) = published() else { return };
    let missing = |run: &str| {
        let found = findings(&folder.plimsoll(&["audit", run, "--complete", "--format", "json"]));
        found.into_iter().find(|finding| finding["code"] == "not-captured")
    };
    let v4 = missing("v4/user_info").unwrap();
    assert_eq!(v4["level"], "error");
    for figure in ["database.cpu.median", "container.cpu.p99", "database.lock_wait_ratio", "server.latency.p95"] {
        assert!(v4["message"].as_str().unwrap().contains(figure), "{v4}");
    }
    assert_eq!(missing("v4.19.2/user_info"), None);
    let usual = findings(&folder.plimsoll(&["audit", "v4/user_info", "--format", "json"]));
    assert!(usual.iter().all(|finding| finding["code"] != "not-captured"));
}

#[test]
fn misuse_is_told() {
    let Some(folder) = published() else { return };
    folder.plimsoll(&["audit", "v9"]).exits(2).says("no run matches `v9`");
    Folder::new().plimsoll(&["audit"]).exits(2).says("the archive holds no run");
}
