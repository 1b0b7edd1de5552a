//! The site in memory follows a project through whatever happens to it: after every step it is, byte for byte, the site that is made at
//! once from what lies on the disk, or its faults are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use clap::Parser;
use plimsoll::archive;
use plimsoll::audit::{Around, audit};
use plimsoll::cli::Cli;
use plimsoll::cmd::{Failure, Live, Project};
use plimsoll::diff;
use plimsoll::flow::draw_within;
use plimsoll::fs::read_tree;
use plimsoll::model::address::Address;
use plimsoll::model::collection::{Archive, ReleaseRuns, Run};
use plimsoll::model::comparison::{Compared, Judgement};
use plimsoll::model::verdict::Verdict;
use plimsoll::render::site::{SiteInput, links, render};
use plimsoll::serve::Patch;
use plimsoll::tree::Tree;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::command::Folder;

/// What may happen to a project.
#[derive(Clone, Debug)]
enum Step {
    /// A run is ingested, or once more with other numbers, each so many percent of what they were.
    Run { at: usize, percent: u32 },
    /// A run is gone.
    NoRun(usize),
    /// Something is written about a run by hand.
    RunFile { at: usize, text: usize },
    /// Something is written about a release by hand.
    ReleaseFile { release: usize, text: usize },
    /// The settings are others.
    Settings(usize),
    /// There is a template of the project's own.
    Template(usize),
    /// There is a flow of the project's own.
    Flow(usize),
    /// A record is cut in the middle.
    Cut(usize),
    /// A record lies in another run's folder.
    Misplaced { at: usize, to: usize },
    /// A file is written again with the bytes it has.
    Touched(usize),
    /// A folder has a name that none may have.
    BadName(bool),
}

const RELEASES: [&str; 4] = ["v1.0.0", "v1.1.0", "v2.0.0", "nightly"];
/// Real runs that are copied: without a series and with one.
const MODELS: [&str; 3] = ["v4.17.1/otp_session", "v4.17.1/user_info", "v2.65.0/machine_jwt_profile_grant"];
const LABELS: [&str; 3] = ["", "~2", "~3"];
const PLACES: usize = RELEASES.len() * MODELS.len() * LABELS.len();
const RUN_FILES: [&str; 5] = [
    "",
    "notes = [\"Written *by hand*.\"]\n",
    "[figures]\n\"database.cpu.median\" = \"97%\"\n",
    "[override]\noutcome = \"no-such-outcome\"\nreason = \"to see what happens\"\n",
    "note = 1\n",
];
const RELEASE_FILES: [&str; 5] =
    ["", "notes = [\"New disks.\"]\n", "order = 1\n", "[database]\nvcpu = 64\n", "[database]\nvcpu = \"many\"\n"];
const SETTINGS: [&str; 5] = [
    "",
    "[service]\nname = \"Other\"\n",
    "[goals]\notp_session = 40\nuser_info = 1000000\n",
    "[floors]\np95 = \"30%\"\nwarm_up = \"10s\"\n",
    "flow = \"no-such-flow\"\n",
];
const TEMPLATES: [&str; 4] = [
    "",
    "<h1 id=\"top\">{{ heading }}</h1><p>{{ changed }}</p><a href=\"#top\">up</a>",
    "{{ nothing_of_the_kind }}",
    "<a href=\"nowhere.html\">there</a>",
];

fn step() -> impl Strategy<Value = Step> {
    let place = || 0..PLACES;
    prop_oneof![
        8 => (place(), 60..160_u32).prop_map(|(at, percent)| Step::Run { at, percent }),
        2 => place().prop_map(Step::NoRun),
        3 => (place(), 0..RUN_FILES.len()).prop_map(|(at, text)| Step::RunFile { at, text }),
        3 => (0..RELEASES.len(), 0..RELEASE_FILES.len()).prop_map(|(release, text)| Step::ReleaseFile { release, text }),
        2 => (0..SETTINGS.len()).prop_map(Step::Settings),
        2 => (0..TEMPLATES.len()).prop_map(Step::Template),
        1 => (0..3_usize).prop_map(Step::Flow),
        1 => place().prop_map(Step::Cut),
        1 => (place(), place()).prop_map(|(at, to)| Step::Misplaced { at, to }),
        1 => place().prop_map(Step::Touched),
        1 => any::<bool>().prop_map(Step::BadName),
    ]
}

/// Release, target and label of a place.
fn place(at: usize) -> (&'static str, &'static str, &'static str) {
    let (model, label) = (at / RELEASES.len() % MODELS.len(), at / RELEASES.len() / MODELS.len());
    (RELEASES[at % RELEASES.len()], MODELS[model], LABELS[label % LABELS.len()])
}

fn folder_of(root: &Path, at: usize) -> std::path::PathBuf {
    let (release, model, label) = place(at);
    let target = model.rsplit('/').next().unwrap();
    root.join("data").join(release).join(format!("{target}{label}"))
}

fn record(at: usize, percent: u32) -> String {
    let (release, model, label) = place(at);
    let mut record: Value = serde_json::from_str(&shipped(model, "record.json").unwrap()).unwrap();
    record["identity"]["release"] = json!(release);
    if !label.is_empty() {
        record["identity"]["label"] = json!(label.trim_start_matches('~'));
    }
    record["window"]["start"] = json!(format!("2026-03-{:02}T08:{:02}:00Z", at % 28 + 1, percent % 60));
    scale(&mut record["k6"]["metrics"], f64::from(percent) / 100.0);
    serde_json::to_string_pretty(&record).unwrap()
}

fn scale(value: &mut Value, factor: f64) {
    match value {
        Value::Number(number) if number.is_f64() => *value = json!(number.as_f64().unwrap() * factor),
        Value::Array(values) => values.iter_mut().for_each(|value| scale(value, factor)),
        Value::Object(fields) => {
            for (_, value) in fields.iter_mut().filter(|(key, _)| *key != "checks" && *key != "http_req_failed") {
                scale(value, factor);
            }
        }
        _ => {}
    }
}

fn shipped(model: &str, file: &str) -> Option<String> {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(model).join(file)).ok()
}

/// Writes a file, or removes it where there is nothing to write.
fn write(path: &Path, text: &str) {
    if text.is_empty() {
        let _gone = fs::remove_file(path);
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn take(root: &Path, step: &Step) {
    match step {
        Step::Run { at, percent } => {
            let folder = folder_of(root, *at);
            write(&folder.join("record.json"), &record(*at, *percent));
            for file in ["k6.txt", "series.json"] {
                write(&folder.join(file), &shipped(place(*at).1, file).unwrap_or_default());
            }
        }
        Step::NoRun(at) => drop(fs::remove_dir_all(folder_of(root, *at))),
        Step::RunFile { at, text } => {
            let folder = folder_of(root, *at);
            // A run.toml without a record is a fault, and a step of its own would hide all others.
            if folder.exists() {
                write(&folder.join("run.toml"), RUN_FILES[*text]);
            }
        }
        Step::ReleaseFile { release, text } => {
            write(&root.join("data").join(RELEASES[*release]).join("release.toml"), RELEASE_FILES[*text]);
        }
        Step::Settings(text) => write(&root.join("plimsoll.toml"), &format!("schema = 1\n{}", SETTINGS[*text])),
        Step::Template(text) => write(&root.join("templates/site/release.html"), TEMPLATES[*text]),
        Step::Flow(text) => {
            let built_in = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("flows/practice.toml")).unwrap();
            let own = ["", "broken = ", &built_in.replacen("title = \"", "title = \"Our own: ", 1)][*text].to_owned();
            write(&root.join("flows/practice.toml"), &own);
        }
        Step::Cut(at) => {
            let file = folder_of(root, *at).join("record.json");
            if let Ok(text) = fs::read_to_string(&file) {
                fs::write(file, &text[..text.len() / 2]).unwrap();
            }
        }
        Step::Misplaced { at, to } => {
            if let Ok(text) = fs::read_to_string(folder_of(root, *at).join("record.json")) {
                write(&folder_of(root, *to).join("record.json"), &text);
            }
        }
        Step::Touched(at) => {
            let file = folder_of(root, *at).join("record.json");
            if let Ok(text) = fs::read(&file) {
                fs::write(file, text).unwrap();
            }
        }
        Step::BadName(there) => {
            write(&root.join("data/v1 beta/otp_session/record.json"), if *there { "{}" } else { "" });
        }
    }
}

/// Takes back whatever is at fault.
fn mend(root: &Path) {
    take(root, &Step::Settings(0));
    take(root, &Step::Template(0));
    take(root, &Step::Flow(0));
    take(root, &Step::BadName(false));
    for release in 0..RELEASES.len() {
        take(root, &Step::ReleaseFile { release, text: 0 });
    }
    for at in 0..PLACES {
        take(root, &Step::RunFile { at, text: 0 });
        if folder_of(root, at).join("record.json").exists() {
            take(root, &Step::Run { at, percent: 100 });
        }
    }
    take(root, &Step::Run { at: 0, percent: 100 });
}

/// The site made at once, stage by stage, with nothing kept.
fn made_at_once(root: &Path) -> Result<Tree, Failure> {
    let common = Cli::parse_from(["plimsoll", "--project", root.to_str().unwrap(), "build"]).common;
    let project = Project::open(&common)?;
    let flow = project.flow(None)?;
    let archive = archive::load(&read_tree(&project.archive_folder)?, &project.archive_folder.display().to_string())?;
    project.check_overrides(&flow, &archive.select(&[]))?;
    if archive.runs().next().is_none() {
        return Err(Failure::Defect("there is no run".to_owned()));
    }
    let templates = project.templates()?;
    let judge = |address: &Address, run: &Run| project.judge(&flow, &archive, address, run);
    let verdicts: BTreeMap<Address, Verdict> =
        archive.runs().map(|(address, run)| (address.clone(), judge(address, run))).collect();
    let drawings = verdicts.iter().map(|(address, verdict)| (address.clone(), draw_within(&flow, Some(verdict)))).collect();
    let findings = audit(&Around::new(&archive, &project.settings.service_name), &archive.select(&[]));
    let method = project.method(&flow)?;
    let tree = render(&SiteInput {
        archive: &archive,
        findings: &findings,
        method: &method,
        goals: &project.settings.goals,
        verdicts: &verdicts,
        drawings: &drawings,
        comparisons: &compared(&archive, &project, &|address, run| Judgement::from(judge(address, run))),
        title: &project.settings.title(),
        service_name: &project.settings.service_name,
        url: &project.settings.site_url,
        templates: &templates,
    });
    let tree = tree.map_err(|error| Failure::Defect(error.to_string()))?;
    match links::check(&tree).as_slice() {
        [] => Ok(tree),
        dead => Err(Failure::Defect(dead.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))),
    }
}

fn compared(archive: &Archive, project: &Project, judge: &dyn Fn(&Address, &Run) -> Judgement) -> Vec<Compared> {
    let side = |release: &'_ ReleaseRuns| release.name.to_string();
    let mut compared = Vec::new();
    for (at, b) in archive.releases().iter().enumerate() {
        let targets: Vec<_> = b.runs.keys().map(|address| &address.target).collect();
        let earlier = archive.releases()[..at].iter().rev();
        let Some(a) = earlier.into_iter().find(|a| a.runs.keys().any(|one| targets.contains(&&one.target))) else { continue };
        let comparison = diff::compare(&diff::Input {
            archive,
            a: diff::Side { name: side(a), runs: a.runs.iter().collect() },
            b: diff::Side { name: side(b), runs: b.runs.iter().collect() },
            settings: &project.settings,
            judge,
        });
        compared.push(Compared { a: a.name.clone(), b: b.name.clone(), comparison });
    }
    compared
}

fn apply(tree: &Tree, patch: Patch) -> Tree {
    let mut next = Tree::new();
    for (path, bytes) in tree.iter().filter(|(path, _)| !patch.removed.contains(path)) {
        next.insert(path.as_str(), bytes).unwrap();
    }
    next.extend(patch.changed);
    next
}

/// Files of one tree that the other has not or has otherwise.
fn unlike(one: &Tree, other: &Tree) -> Vec<String> {
    one.iter().filter(|(path, bytes)| other.get(path.as_str()) != Some(bytes)).map(|(path, _)| path.to_string()).collect()
}

/// Whether two failures say the same: the words of the faults, whatever frame they stand in.
fn alike(live: &Failure, at_once: &Failure) -> bool {
    let (live, at_once) = (live.to_string(), at_once.to_string());
    live == at_once || at_once.lines().all(|line| live.contains(line)) || live.contains("the archive holds no run")
}

fn follow(steps: &[Step]) -> Result<(), TestCaseError> {
    let folder = Folder::new();
    let root = folder.path("");
    take(&root, &Step::Run { at: 0, percent: 100 });
    let common = Cli::parse_from(["plimsoll", "--project", root.to_str().unwrap(), "build"]).common;
    let (mut live, mut shown) = (Live::new(&common), Tree::new());
    let mut renewed = |step: &Step| {
        match (live.renew(), made_at_once(&root)) {
            (Ok(patch), Ok(at_once)) => {
                prop_assert!(patch.changed.iter().all(|(path, bytes)| shown.get(path.as_str()) != Some(bytes)));
                prop_assert!(patch.removed.iter().all(|path| shown.get(path.as_str()).is_some()));
                shown = apply(&shown, patch);
                let unlike = (unlike(&shown, &at_once), unlike(&at_once, &shown));
                prop_assert_eq!(unlike, (vec![], vec![]), "after {:?}", step);
                prop_assert_eq!(live.renew().ok(), Some(Patch::default()), "nothing changed after {:?}", step);
            }
            (Err(live), Err(at_once)) => prop_assert!(alike(&live, &at_once), "{live}\n=====\n{at_once}"),
            (live, at_once) => prop_assert!(false, "{step:?}: {:?}\n=====\n{:?}", live.err(), at_once.err()),
        }
        Ok(())
    };
    for step in steps {
        take(&root, step);
        renewed(step)?;
    }
    mend(&root);
    renewed(&Step::Settings(0))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 40, ..ProptestConfig::default() })]
    #[test]
    fn the_site_in_memory_is_always_the_one_made_at_once(steps in prop::collection::vec(step(), 1..12)) {
        follow(&steps)?;
    }
}

#[test]
fn a_fault_leaves_what_is_shown_and_the_mended_project_goes_on() {
    let faults = [
        Step::Cut(0),
        Step::Misplaced { at: 0, to: 5 },
        Step::RunFile { at: 0, text: 3 },
        Step::ReleaseFile { release: 0, text: 4 },
        Step::Settings(4),
        Step::Template(2),
        Step::Template(3),
        Step::Flow(1),
        Step::BadName(true),
    ];
    for fault in faults {
        let steps = [Step::Run { at: 1, percent: 90 }, fault.clone(), Step::Run { at: 2, percent: 80 }];
        follow(&steps).unwrap_or_else(|wrong| panic!("{fault:?}: {wrong}"));
    }
}

#[test]
fn a_change_of_words_reaches_the_pages_that_tell_them() {
    let folder = Folder::new();
    let root = folder.path("");
    for at in 0..8 {
        take(&root, &Step::Run { at, percent: 95 + u32::try_from(at).unwrap() });
    }
    let common = Cli::parse_from(["plimsoll", "--project", root.to_str().unwrap(), "build"]).common;
    let mut live = Live::new(&common);
    live.renew().unwrap();
    take(&root, &Step::RunFile { at: 1, text: 1 });
    let changed: Vec<String> = live.renew().unwrap().changed.iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(changed, ["v1.1.0/otp_session/index.html"]);
}
