//! A thousand secrets of every kind in every kind of input, at its beginning, its end and between words, looked for in everything that comes
//! out: whole, in pieces of eight letters, however it is escaped there.

use aho_corasick::AhoCorasick;

use super::capture_secrets::{IN_PAGE, PLANTS, Plant};
use super::capture_support::{RELEASE, log, told};
use super::command::{Answer, Folder};
use super::invented::{Invented, Letters, invented};

use plimsoll::secrets::KINDS;

/// In how many files of each input all kinds stand.
const ROUNDS: usize = 4;
/// The letters of a secret that must not be seen together.
const PIECE: usize = 8;

/// What stands around the secrets of the other test, and would say what they are.
const PLAIN: &[(&str, &str)] = &[
    ("Authorization: Bearer {JWT}", "{JWT}"),
    ("\"authorization\": \"Bearer {JWT}\"", "\"note\": \"{JWT}\""),
    ("Bearer {JWT}", "{JWT}"),
    (",token={JWT},", ",q=1,"),
    (",https://svc.example/x?access_token={JWT},", ",\"https://svc.example/x?q=1 {JWT}\","),
    ("access_token={JWT}", "q=1 {JWT}"),
    ("/?token={JWT}", "/?q=1 {JWT}"),
    ("token=\"{JWT}\"", "note=\"{JWT}\""),
    ("\"token\":\"{JWT}\"", "\"note\":\"{JWT}\""),
    ("accessToken", "note"),
    ("ZITADEL_FIRSTINSTANCE_ORG_MACHINE_PAT", "NOTE"),
    ("name: TOKEN\n          value: {JWT}", "name: NOTE\n          value: '{JWT}'"),
    ("cloudsql.token", "cloudsql.note"),
    ("Header: {JWT}", "Header: '{JWT}'"),
    ("180s # {JWT}", "180s\nNOTE=\"{JWT}\""),
    (",curl -H '{JWT}' https://admin:{PW}@backup.example/%f,", ",\"curl {JWT} https://backup.example/%f\","),
    (",echo {KEY},", ",\"echo {JWT}\","),
    ("{PW}", "n0thing"),
    ("{KEY}", "n0thing"),
];

/// The text of a plant with nothing around the places of its secrets.
fn template(plant: &Plant) -> String {
    let text = IN_PAGE.iter().fold(plant.text.to_owned(), |text, (own, sown)| text.replace(own, sown));
    PLAIN.iter().fold(text, |text, (from, to)| text.replace(from, to))
}

/// A text as it is written into a file of this name, inside what quotes it there; nothing if it can't be.
fn written(file: &str, text: &str) -> Option<String> {
    let ending = file.rsplit('.').next().unwrap_or_default();
    let backslashed = || text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    match ending {
        "json" | "toml" => Some(backslashed()),
        "csv" => Some(text.replace('"', "\"\"")),
        _ if file.starts_with("metrics") => Some(backslashed()),
        _ if text.contains('\n') => None,
        "yaml" => Some(text.replace('\'', "''")),
        "env" | "log" if file != "postgresql.log" => Some(backslashed()),
        _ => Some(text.to_owned()),
    }
}

/// A text with secrets: first, last, or between words.
fn around(secrets: &str, round: usize) -> String {
    match round % 3 {
        0 => secrets.to_owned(),
        1 => format!("{secrets} it was"),
        _ => format!("it was {secrets}"),
    }
}

/// The file of a plant with secrets from the list in all its places, and how many of them that took.
fn sown(plant: &Plant, secrets: &[Invented], round: usize) -> (String, usize) {
    let (mut text, mut used) = (template(plant), 0);
    let together = KINDS.len().div_ceil(ROUNDS * text.matches("{JWT}").count());
    while used < secrets.len() && text.contains("{JWT}") {
        let some: Vec<&str> = secrets[used..].iter().take(together).map(|secret| secret.text.as_str()).collect();
        used += some.len();
        let quoted: Vec<String> = some.iter().filter_map(|text| written(plant.file, text)).collect();
        text = text.replacen("{JWT}", &around(&quoted.join("  "), round), 1);
    }
    (text.replace("{JWT}", "n0thing"), used)
}

struct Outcome {
    pieces: AhoCorasick,
    whose: Vec<String>,
    faults: Vec<String>,
    looked_at: usize,
}

impl Outcome {
    fn new(planted: &[(String, Invented)]) -> Self {
        let (mut pieces, mut whose) = (Vec::new(), Vec::new());
        for (where_, secret) in planted {
            for hidden in &secret.hidden {
                for start in 0..=hidden.len().saturating_sub(PIECE) {
                    pieces.push(hidden[start..(start + PIECE).min(hidden.len())].to_owned());
                    whose.push(format!("{} in {where_}", secret.kind));
                }
            }
        }
        Self { pieces: AhoCorasick::new(&pieces).unwrap(), whose, faults: Vec::new(), looked_at: 0 }
    }

    fn look(&mut self, place: &str, bytes: &[u8]) {
        self.looked_at += 1;
        let text = String::from_utf8_lossy(bytes);
        let joined = ["\\", "<wbr>", "<wbr/>", "{\"\"}", "\n      ", "\n    "]
            .iter()
            .fold(text.to_string(), |text, joint| text.replace(joint, ""));
        for text in [&*text, joined.as_str(), percent_read(&text).as_str()] {
            for hit in self.pieces.find_iter(text) {
                let around =
                    &text[text.floor_char_boundary(hit.start().saturating_sub(80))..text.ceil_char_boundary(hit.end() + 10)];
                self.faults.push(format!("{place}: a {}: `{}`", self.whose[hit.pattern().as_usize()], around.replace('\n', " ")));
            }
        }
    }

    fn hear(&mut self, place: &str, answer: &Answer) {
        self.look(&format!("{place}, stdout"), answer.out.as_bytes());
        self.look(&format!("{place}, stderr"), answer.talk.as_bytes());
    }
}

fn percent_read(text: &str) -> String {
    ["%5F_", "%2D-", "%2E.", "%3D=", "%2B+", "%2F/"]
        .iter()
        .fold(text.to_owned(), |text, pair| text.replace(&pair[..3], &pair[3..]))
}

/// A run of a plant, as it lies in a folder.
struct Lying {
    below: String,
    target: String,
    file: String,
    kind: &'static str,
}

fn put(folder: Folder, plant: &Plant, (at, round): (usize, usize), text: &str) -> (Folder, Lying) {
    let (below, target) = (format!("in{at}_{round}"), format!("plant_{at:02}_{round}"));
    let text = text.replace("{TARGET}", &target);
    let mut folder = folder;
    if !plant.is_alone {
        let log = log(&target, "2026-03-01T10:00:00Z", "2026-03-01T10:10:00Z");
        let end = log.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let own = if plant.file == "k6.log" { text.as_bytes() } else { b"" };
        folder = folder.file(&format!("{below}/k6.log"), [&log[..end], own, &log[end..]].concat());
    }
    if let Some((name, text)) = plant.beside {
        folder = folder.file(&format!("{below}/{name}"), text);
    }
    let file = format!("{below}/{}", plant.file);
    if plant.file != "k6.log" {
        folder = folder.file(&file, text);
    }
    (folder, Lying { below, target, file, kind: plant.what })
}

#[test]
fn of_a_thousand_secrets_in_every_input_no_output_shows_a_piece() {
    let mut letters = Letters::of(7);
    let (mut folder, mut planted, mut lying) = (Folder::new(), Vec::new(), Vec::new());
    for (at, plant) in PLANTS.iter().enumerate() {
        let secrets: Vec<Invented> = KINDS.iter().map(|kind| invented(kind.id, &mut letters)).collect();
        let (mut used, mut round) = (0, 0);
        while used < secrets.len() {
            let (text, more) = sown(plant, &secrets[used..], round);
            assert!(more > 0, "{} has no place for a secret", plant.what);
            let (next, run) = put(folder, plant, (at, round), &text);
            (folder, used, round) = (next, used + more, round + 1);
            lying.push(run);
        }
        planted.extend(secrets.into_iter().map(|secret| (plant.what.to_owned(), secret)));
    }
    assert!(planted.len() >= 1000, "{}", planted.len());
    let mut outcome = Outcome::new(&planted);
    let mut read = 0;
    for Lying { below, target, file, kind } in &lying {
        let archive = folder.files("data").len();
        let answer = folder.plimsoll(&["-v", "ingest", below, "--release", RELEASE, "--target", target]);
        read += usize::from(answer.status == 0 && folder.files("data").len() > archive);
        if answer.status != 0 {
            outcome.faults.push(format!("{kind}: exit {}\n{}", answer.status, told(&answer.talk)));
        }
        outcome.hear(kind, &answer);
        if kind.starts_with("k6 ") {
            let file = if folder.path(file).exists() { file.clone() } else { format!("{below}/k6.log") };
            for format in ["text", "json", "markdown"] {
                outcome.hear("summary", &folder.plimsoll(&["summary", &file, "--format", format]));
            }
        }
        if kind.starts_with("raw ") {
            for command in [&["summary"][..], &["errors"], &["errors", "--format", "json"], &["series"]] {
                outcome.hear(command[0], &folder.plimsoll(&[command, &[file.as_str()]].concat()));
            }
        }
    }
    let two = |at: usize| format!("{RELEASE}/{}", lying[at].target);
    let (a, b) = (two(0), two(1));
    for typed in [
        &["-v", "classify"][..],
        &["classify", "--format", "json"],
        &["-v", "diff", &a, &b],
        &["diff", &a, &b, "--format", "json"],
        &["diff", &a, &b, "--format", "html"],
        &["-v", "build"],
        &["-v", "publish", "--to", "fumadocs", "--profile", "fumadocs"],
        &["publish", "--to", "docusaurus", "--profile", "docusaurus"],
        &["publish", "--to", "markdown", "--profile", "markdown"],
        &["publish", "--to", "markdown", "--profile", "markdown", "--dry-run"],
    ] {
        let answer = folder.plimsoll(typed);
        if !matches!(answer.status, 0 | 2) || answer.status == 2 && !typed.contains(&"diff") {
            outcome.faults.push(format!("{typed:?}: exit {}\n{}", answer.status, told(&answer.talk)));
        }
        outcome.hear(&typed.join(" "), &answer);
    }
    for below in ["data", "site", "fumadocs", "docusaurus", "markdown"] {
        let files = folder.files(below);
        assert!(!files.is_empty(), "{below} is empty: {}", outcome.faults.join("\n"));
        for (name, bytes) in files {
            outcome.look(&format!("{below}/{name}"), &bytes);
        }
    }
    println!(
        "{} secrets in {} files of {} kinds of inputs, {read} runs; {} outputs",
        planted.len(),
        lying.len(),
        PLANTS.len(),
        outcome.looked_at
    );
    let Outcome { mut faults, .. } = outcome;
    faults.sort();
    faults.dedup();
    assert_eq!(read, lying.len(), "some were not read, so nothing is proved");
    assert!(faults.is_empty(), "{} leaks and faults:\n{}", faults.len(), faults[..faults.len().min(60)].join("\n"));
}

/// What is not read is no proof: every invented secret is found as what it is.
#[test]
fn every_kind_can_be_invented_and_is_found_as_what_it_is() {
    let mut letters = Letters::of(11);
    for kind in KINDS {
        for _ in 0..20 {
            let secret = invented(kind.id, &mut letters);
            let masked = plimsoll::secrets::masked(&secret.text);
            for hidden in &secret.hidden {
                assert!(secret.text.contains(hidden.as_str()), "{}: {}", kind.id, secret.text);
                assert!(!masked.contains(&hidden[..PIECE.min(hidden.len())]), "{}: {masked}", secret.text);
            }
            let found: Vec<&str> = plimsoll::secrets::find(&secret.text).iter().map(|found| found.kind).collect();
            assert!(kind.id == "statement-text" || found.contains(&kind.id), "{}: {found:?} in {}", kind.id, secret.text);
        }
    }
}
