//! The truth table of flows.md, through the command line: published pages in, verdicts out. Figures decide, not words.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

use crate::command::Folder;
use crate::material::shared;

/// The class of a run and the last question it was asked.
type Verdicts = BTreeMap<String, (String, String)>;

/// A row of the table.
struct Run {
    address: String,
    class: String,
    page: String,
}

/// The rows of the table in flows.md, each with its published page.
fn table() -> Option<Vec<Run>> {
    let flows = std::fs::read_to_string(shared("design/flows.md")?).unwrap();
    let published = shared("data/published")?;
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = flows.lines().filter(|line| line.starts_with("| v")).map(cells);
    let run = |row: Vec<String>| {
        let address = format!("{}/{}", row[0], row[1].split(' ').next().unwrap());
        let page = std::fs::read_to_string(published.join(&address).join("page.mdx")).unwrap();
        Run { address, class: row.last().unwrap().clone(), page }
    };
    Some(rows.map(run).collect())
}

/// The page with another outcome cell, made of the one it has.
fn with_outcome(page: &str, change: impl Fn(&str) -> String) -> String {
    let row = Regex::new(r"(?im)^(\| *flowchart outcome *\|)(.*)\|[ \t]*$").unwrap();
    assert_eq!(row.find_iter(page).count(), 1, "a page has one outcome");
    row.replace(page, |found: &regex::Captures<'_>| format!("{} {} |", &found[1], change(found[2].trim()))).into_owned()
}

/// The verdicts of the pages as the command line gives them.
fn verdicts(runs: &[Run], outcome: impl Fn(&Run, &str) -> String) -> Verdicts {
    let goals = "[service]\nname = \"ZITADEL\"\n[goals]\nmachine_jwt_profile_grant = 1000\nhuman_password_login = 1200\n";
    let folder = runs.iter().fold(Folder::new().file("plimsoll.toml", goals), |folder, run| {
        folder.file(&format!("pages/{}/page.mdx", run.address), with_outcome(&run.page, |cell| outcome(run, cell)))
    });
    folder.plimsoll(&["ingest", "pages"]).exits(0);
    let answer: Value = serde_json::from_str(&folder.plimsoll(&["classify", "--format", "json"]).exits(0).out).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let verdict = |verdict: &Value| {
        let last = verdict["path"].as_array().unwrap().last().unwrap();
        let address = format!("{}/{}", text(&verdict["release"]), text(&verdict["run"]));
        (address, (text(&verdict["outcome"]["class"]), text(&last["question"])))
    };
    answer["verdicts"].as_array().unwrap().iter().map(verdict).collect()
}

fn classes(verdicts: &Verdicts) -> BTreeMap<&str, &str> {
    verdicts.iter().map(|(run, (class, _))| (run.as_str(), class.as_str())).collect()
}

fn expected(runs: &[Run]) -> BTreeMap<&str, &str> {
    runs.iter().map(|run| (run.address.as_str(), run.class.as_str())).collect()
}

/// Where a cell states the share of lock wait.
fn share(cell: &str) -> Option<std::ops::Range<usize>> {
    Regex::new(r"[0-9]+% of the top-5 query time").unwrap().find(cell).map(|found| found.range())
}

/// Every word as `x`.
fn crossed(text: &str) -> String {
    Regex::new(r"[A-Za-z][\w'-]*").unwrap().replace_all(text, "x").into_owned()
}

#[test]
fn every_published_outcome_is_reproduced() {
    let Some(runs) = table() else { return };
    assert_eq!(runs.len(), 21);
    let verdicts = verdicts(&runs, |_, cell| cell.to_owned());
    assert_eq!(classes(&verdicts), expected(&runs));
}

#[test]
fn figures_decide_and_not_words() {
    type Way = fn(&str) -> String;
    let Some(runs) = table() else { return };
    let ways: [Way; 4] = [
        |share| format!("x {share} x"),
        |share| format!("x x, x {share} is advisory lock wait x"),
        |share| format!("**x.** {share}."),
        str::to_owned,
    ];
    for (at, way) in ways.into_iter().enumerate() {
        let verdicts = verdicts(&runs, |_, cell| share(cell).map_or_else(|| "x".to_owned(), |range| way(&cell[range])));
        assert_eq!(classes(&verdicts), expected(&runs), "way {at}");
    }
    let every_word = |_: &Run, cell: &str| match share(cell) {
        Some(range) => crossed(&cell[..range.start]) + &cell[range.clone()] + &crossed(&cell[range.end..]),
        None => crossed(cell),
    };
    assert_eq!(classes(&verdicts(&runs, every_word)), expected(&runs));
}

#[test]
fn without_the_cell_only_what_it_alone_states_is_unknown() {
    let Some(runs) = table() else { return };
    let asked = verdicts(&runs, |_, cell| cell.to_owned());
    let verdicts = verdicts(&runs, |_, _| String::new());
    for run in &runs {
        let (class, question) = &verdicts[&run.address];
        if run.address.starts_with("v4.17.1/") {
            assert_eq!((class.as_str(), question), ("undetermined", &asked[&run.address].1), "{}", run.address);
            assert!(question.contains("lock"), "{}: {question}", run.address);
        } else {
            assert_eq!(*class, run.class, "{}", run.address);
        }
    }
}
