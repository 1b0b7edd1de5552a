//! What is to be written is looked through for secrets: everything that can carry one past the door.

use super::capture_support::K6;
use super::command::{Answer, Folder};

use plimsoll::model::page::INTRODUCTION;

/// Of one piece, so that no part of it can be anything else.
const SECRET: &str = "Qx7hunter22Zk9wV";

fn project() -> Folder {
    let folder = Folder::new().file("k6.log", K6).file("plimsoll.toml", "");
    folder.plimsoll(&["ingest", "k6.log", "--release", "v1", "--target", "login"]).exits(0);
    folder
}

const COMMANDS: [&[&str]; 4] = [
    &["build"],
    &["publish", "--to", "docs", "--profile", "fumadocs"],
    &["publish", "--to", "docs", "--profile", "docusaurus"],
    &["publish", "--to", "docs", "--profile", "markdown"],
];

/// Nothing was written, nothing of the secret is told, everything else is.
#[track_caller]
fn refused(folder: &Folder, answer: &Answer, kind: &str, from: &str) {
    assert_eq!(answer.status, 3, "{}{}", answer.out, answer.talk);
    assert!(folder.files("site").is_empty() && folder.files("docs").is_empty(), "something was written");
    for told in [&answer.out, &answer.talk] {
        let is_shown = (0..=SECRET.len() - 6).any(|at| told.contains(&SECRET[at..at + 6]));
        assert!(!is_shown, "the secret is told: {told}");
    }
    let talk = answer.talk.split_whitespace().collect::<Vec<_>>().join(" ").replace(" = ", " ");
    assert!(talk.contains("error[secret]") && talk.contains(&format!("({kind})")), "{talk}");
    assert!(from.is_empty() || talk.contains(&format!("it probably comes from {from}")), "no {from} in {talk}");
    assert!(talk.contains("its fingerprint is "), "{talk}");
}

fn refused_by_all(folder: &Folder, kind: &str, from: &str) {
    for typed in COMMANDS {
        refused(folder, &folder.plimsoll(typed), kind, from);
    }
}

/// Somebody's own words in the record, which no door has seen.
fn edited(folder: Folder, words: &str) -> Folder {
    let mut record: serde_json::Value = serde_json::from_str(&folder.read("data/v1/login/record.json")).unwrap();
    record["notes"] = serde_json::json!([{ "place": INTRODUCTION, "text": words }]);
    folder.file("data/v1/login/record.json", serde_json::to_string_pretty(&record).unwrap())
}

#[test]
fn a_record_edited_by_hand_is_refused() {
    let folder = edited(project(), &format!("see https://al:{SECRET}@svc.example/x"));
    refused_by_all(&folder, "basic-auth-url", "data/v1/login/record.json:");
    let folder = edited(project(), &format!("Machine.MasterKey=\"{SECRET}\" and `client_secret: {SECRET}`"));
    refused_by_all(&folder, "masterkey", "data/v1/login/record.json:");
}

#[test]
fn an_edited_summary_is_refused() {
    let folder = project();
    let text = folder.read("data/v1/login/k6.txt");
    let folder = folder.file("data/v1/login/k6.txt", format!("{text}\n# password={SECRET}\n"));
    refused_by_all(&folder, "password-assignment", "data/v1/login/k6.txt:");
}

/// The archive's files of people are read without their secrets, so none of them comes as far as a page.
#[test]
fn what_people_write_in_the_archive_is_masked_when_it_is_read() {
    for (file, text) in [
        ("data/v1/release.toml", format!("notes = [\"the token: {SECRET}\"]\n")),
        ("data/v1/login/run.toml", format!("purpose = \"with token={SECRET}\"\n")),
        (
            "data/v1/login/run.toml",
            format!("notes = [\"written `token={SECRET}` in code, {{\\\"password\\\": \\\"{SECRET}\\\"}}\"]\n"),
        ),
    ] {
        let folder = project().file(file, text);
        for typed in COMMANDS {
            let to = format!("out-{}", typed.last().unwrap());
            let typed: Vec<&str> = typed.iter().map(|word| if *word == "docs" { to.as_str() } else { word }).collect();
            let answer = folder.plimsoll(&typed).exits(0);
            assert!(!answer.out.contains(&SECRET[..6]) && !answer.talk.contains(&SECRET[..6]), "{}", answer.out);
        }
        let files = ["site", "out-fumadocs", "out-docusaurus", "out-markdown"].map(|below| folder.files(below)).concat();
        assert!(files.iter().all(|(_, bytes)| !String::from_utf8_lossy(bytes).contains(&SECRET[..6])), "{file}");
        assert!(
            files.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("token")),
            "{file}: its words are on no page"
        );
    }
}

#[test]
fn a_title_is_refused() {
    let folder = project().file("plimsoll.toml", format!("[site]\ntitle = \"Bearer {SECRET}\"\n"));
    refused(&folder, &folder.plimsoll(&["build"]), "bearer-token", "plimsoll.toml:2:");
    let folder = project().file("plimsoll.toml", format!("[service]\nname = \"Bearer {SECRET}\"\n"));
    refused_by_all(&folder, "bearer-token", "plimsoll.toml:2:");
}

const EMBEDDED: &str = include_str!("../../templates/site/index.html");
const BLOCK: &str = "{% endblock content %}";

/// A template of the project's own with some words in it.
fn with_template(folder: Folder, words: &str) -> Folder {
    folder.file("templates/site/index.html", EMBEDDED.replace(BLOCK, &format!("<!-- {words} -->\n{BLOCK}")))
}

#[test]
fn a_template_is_refused() {
    let folder = with_template(project(), &format!("client_secret={SECRET}"));
    let before = EMBEDDED.split(BLOCK).next().unwrap();
    let place = format!("templates/site/index.html:{}:", before.matches('\n').count() + 1);
    refused(&folder, &folder.plimsoll(&["build"]), "client-secret", &place);
}

#[test]
fn a_message_of_a_flow_is_refused_and_not_told() {
    let flow = include_str!("../../flows/practice.toml");
    let at = flow.find("[outcome").map_or(flow.len(), |_| 0);
    let line = flow.lines().position(|line| line.starts_with("title = ")).unwrap();
    let flow: Vec<String> = flow[at..]
        .lines()
        .enumerate()
        .map(|(number, text)| if number == line { format!("title = \"Bearer {SECRET}\"") } else { text.to_owned() })
        .collect();
    let folder = project().file("flows/practice.toml", flow.join("\n"));
    refused(&folder, &folder.plimsoll(&["build"]), "bearer-token", &format!("flows/practice.toml:{}:", line + 1));
    for typed in [&["flow", "list"][..], &["flow", "show", "practice"], &["flow", "draw", "practice"], &["classify"]] {
        let answer = folder.plimsoll(typed);
        assert!(!answer.out.contains(&SECRET[..8]) && !answer.talk.contains(&SECRET[..8]), "{typed:?}: {}", answer.out);
    }
}

#[test]
fn what_an_author_keeps_in_a_page_is_refused() {
    let folder = project();
    folder.plimsoll(&["publish", "--to", "docs", "--profile", "markdown"]).exits(0);
    let page = folder.files("docs").into_iter().find(|(path, _)| path.contains("login")).unwrap();
    let text = String::from_utf8(page.1).unwrap();
    let kept = format!("{text}\n<!-- keep:start -->\napi_key={SECRET}\n<!-- keep:end -->\n");
    let folder = edited(folder.file(&format!("docs/{}", page.0), kept), "something new");
    let before = folder.files("docs");
    for typed in [
        &["publish", "--to", "docs", "--profile", "markdown"][..],
        &["publish", "--to", "docs", "--profile", "markdown", "--dry-run"],
    ] {
        let answer = folder.plimsoll(typed).exits(3).says("(api-key-header)").says("where it comes from can't be told");
        assert!(!answer.out.contains(&SECRET[..8]) && !answer.talk.contains(&SECRET[..8]), "{}{}", answer.out, answer.talk);
        assert_eq!(folder.files("docs"), before);
    }
}

#[test]
fn a_secret_is_found_however_it_is_escaped() {
    let escaped = [
        format!("&#112;assword&#61;{}&#x51;x", &SECRET[..0]) + &SECRET[2..],
        format!("p\\u0061ssword=Q\\u0078{}", &SECRET[2..]),
        format!("pass<wbr>word=Qx{}", &SECRET[2..]),
        format!("pass\u{200b}word=Qx{}", &SECRET[2..]),
        format!("password%3DQ%78{}", &SECRET[2..]),
        format!("a%26password%253DQ%2578{}", &SECRET[2..]),
        format!("{{&quot;password&quot;:&quot;Q\\u0078{}&quot;}}", &SECRET[2..]),
    ];
    let mut prints = Vec::new();
    for text in escaped {
        let folder = with_template(project(), &text);
        let answer = folder.plimsoll(&["build"]);
        refused(&folder, &answer, "password-assignment", "templates/site/index.html:");
        let talk = answer.talk.clone();
        let at = talk.find("fingerprint is ").unwrap() + "fingerprint is ".len();
        prints.push(talk[at..at + 8].to_owned());
    }
    prints.dedup();
    assert_eq!(prints.len(), 1, "one secret has one fingerprint, however it is escaped");
}

#[test]
fn a_value_is_accepted_with_a_reason_and_nothing_else_is() {
    let folder = edited(project(), &format!("token={SECRET}"));
    let talk = folder.plimsoll(&["build"]).exits(3).talk;
    let at = talk.find("fingerprint is ").unwrap() + "fingerprint is ".len();
    let print = talk[at..at + 8].to_owned();
    let row = |kind: &str, files: &str, print: &str| {
        format!(
            "[secrets]\naccept = [{{ kind = \"{kind}\", where = \"{files}\", fingerprint = \"{print}\", reason = \"an example\" }}]\n"
        )
    };
    for settings in
        [row("jwt", "**", &print), row("token-assignment", "v2/**", &print), row("token-assignment", "**", "00000000")]
    {
        let folder = folder.file_again("plimsoll.toml", &settings);
        folder.plimsoll(&["build"]).exits(3);
    }
    folder.file_again("plimsoll.toml", &row("token-assignment", "**", &print)).plimsoll(&["build"]).exits(0);
    folder.plimsoll(&["publish", "--to", "docs"]).exits(0);
    // Another secret of the same kind is not accepted with it.
    let folder = edited(folder, &format!("token={SECRET} or token=other{SECRET}"));
    folder.plimsoll(&["build"]).exits(3);
    // What accepts nothing is told.
    let folder = edited(folder, "nothing");
    folder.plimsoll(&["build"]).exits(0).says("needless-accept");
}

#[test]
fn a_row_with_faults_is_told_with_near_names() {
    let folder = project().file("plimsoll.toml", "[secrets]\naccept = [{ kind = \"jwd\", where = \"**\", reason = \"x\" }]\n");
    folder.plimsoll(&["build"]).exits(3).says("unknown-secret-kind").says("did you mean `jwt`?");
}

#[test]
fn a_name_of_a_folder_that_is_a_secret_is_refused() {
    let name = "glpat-Qx7hunter22Zk9wV";
    let folder = Folder::new().file("k6.log", K6).file("plimsoll.toml", "");
    let answer = folder.plimsoll(&["ingest", "k6.log", "--release", "v1", "--target", name]).exits(3).says("secret-name");
    assert!(!answer.talk.contains(SECRET) && folder.files("data").is_empty(), "{}", answer.talk);
    // One that was put there by hand.
    let folder = project();
    std::fs::rename(folder.path("data/v1/login"), folder.path(&format!("data/v1/{name}"))).unwrap();
    let record = folder.read(&format!("data/v1/{name}/record.json")).replace("\"login\"", &format!("\"{name}\""));
    let folder = folder.file(&format!("data/v1/{name}/record.json"), record);
    refused(&folder, &folder.plimsoll(&["build"]), "gitlab-token", "");
}

#[test]
fn the_site_and_the_pages_of_the_shipped_archive_hold_none() {
    let root = env!("CARGO_MANIFEST_DIR");
    let folder = Folder::new();
    let folder = folder.file("plimsoll.toml", std::fs::read(format!("{root}/plimsoll.toml")).unwrap());
    let archive = format!("{root}/data");
    for typed in COMMANDS {
        let to = format!("out-{}", typed.last().unwrap());
        let typed: Vec<&str> = typed.iter().map(|word| if *word == "docs" { to.as_str() } else { word }).collect();
        folder.plimsoll(&[&typed[..], &["--archive", &archive]].concat()).exits(0);
    }
}
