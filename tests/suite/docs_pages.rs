//! The pages beside those of runs, of the archive that ships and of made-up words: links, anchors, the MDX compiler.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use plimsoll::model::address::Address;
use plimsoll::model::collection::Run;
use plimsoll::model::profile::Profile;
use plimsoll::render::docs::{DocsInput, Layout, pages};
use plimsoll::render::templates::Templates;

use super::command::Folder;
use super::site::sample::everything;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Words that try to break out of a page.
const HOSTILE: [&str; 14] = [
    "{ expected_response:true }",
    "<https://example.org>",
    "</details><Chart/>",
    "p(95)<500 | `a|b` ``` ~~~",
    "export const a = 1",
    "import x from 'y'",
    "<!-- hidden -->",
    "*a* _b_ __c__ ~~d~~ [e](javascript:f) ![g](h)",
    "# no heading {#id} [#id]",
    ":::note",
    "&amp; &#60; \\ $x$",
    "\u{202e}right to left שלום 🦀",
    "- item",
    "{/* keep:start */}",
];

/// The pages of the shipped archive, published into a folder.
fn published(profile: &str, more: &[&str]) -> Folder {
    let folder = Folder::new();
    let to = folder.path("docs");
    let to = to.to_str().unwrap();
    let answer = folder.plimsoll(&[&["publish", "--project", ROOT, "--to", to, "--profile", profile], more].concat());
    assert_eq!(answer.status, 0, "{}", answer.talk);
    folder
}

/// The texts of the pages by path.
fn texts(folder: &Folder) -> BTreeMap<String, String> {
    let is_page = |path: &str| Path::new(path).extension().is_some_and(|ending| ending == "mdx" || ending == "md");
    let files = folder.files("docs").into_iter().filter(|(path, _)| is_page(path));
    files.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

/// The links of a page that stay in the docs folder, as written.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|href| !href.contains(':'))
}

/// A path from the docs folder, of a link in a page there.
fn resolved(from: &str, href: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in href.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// The ids of a page's headings: those that are written, in plain Markdown those that GitHub makes.
fn ids(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with("##"));
    let id = |line: &str| {
        let line = line.trim_start_matches('#').trim();
        let own = line.rsplit_once("[#").or_else(|| line.rsplit_once("{#")).map(|(_, id)| id.trim_end_matches(['\\', '}', ']']));
        let kept = |c: char| if c == ' ' { Some('-') } else { (c.is_alphanumeric() || c == '_' || c == '-').then_some(c) };
        own.map_or_else(|| line.to_lowercase().chars().filter_map(kept).collect(), str::to_owned)
    };
    headings.map(id).collect()
}

#[test]
fn every_link_leads_to_a_page_and_a_heading_that_are_there() {
    for profile in Profile::NAMES {
        for more in [&[][..], &["--release", "v4.19.2"]] {
            let folder = published(profile, more);
            let texts = texts(&folder);
            let files: BTreeSet<String> = folder.files("docs").into_iter().map(|(path, _)| path).collect();
            let mut count = 0;
            for (path, text) in &texts {
                for href in links(text) {
                    count += 1;
                    match href.strip_prefix('#') {
                        Some(id) => assert!(ids(text).contains(id), "{profile} {path}: #{id}"),
                        None => assert!(files.contains(&resolved(path, href)), "{profile} {path}: {href}"),
                    }
                }
            }
            assert!(count > 50, "{profile}: {count} links");
        }
    }
}

#[test]
fn every_target_of_every_release_is_on_the_page_of_all_results() {
    let texts = texts(&published("markdown", &[]));
    let results = &texts["results.md"];
    let runs: Vec<&String> = texts.keys().filter(|path| path.split('/').count() == 3 && !path.contains("/diff/")).collect();
    assert_eq!(runs.len(), 32);
    for run in runs {
        // Once in the table of outcomes, once in the target's own.
        assert_eq!(results.matches(&format!("(./{run})")).count(), 2, "{run}");
    }
}

#[test]
fn docusaurus_has_the_newest_release_first() {
    let folder = published("docusaurus", &[]);
    let position = |release: &str| {
        let text = folder.read(&format!("docs/{release}/_category_.json"));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["label"], release);
        value["position"].as_i64().unwrap()
    };
    let releases = ["v4.19.2", "v4.17.1", "v4", "v2.70.0", "v2.66.0", "v2.65.0"];
    assert_eq!(releases.map(position), [-6, -5, -4, -3, -2, -1]);
    assert!(folder.read("docs/results.mdx").contains("\nsidebar_position: -1000\n"));
}

/// Pages of made-up runs with a text wherever a text may be.
fn hostile(profile: Profile, text: &str) -> BTreeMap<String, String> {
    let sample = everything(text);
    let templates = Templates::embedded().unwrap();
    let input = DocsInput {
        archive: &sample.archive,
        verdicts: &sample.verdicts,
        comparisons: &sample.comparisons,
        service_name: &sample.words,
        layout: Layout { profile, url: "", chart: "" },
        templates: &templates,
        has_page: &|_| false,
    };
    let chosen: Vec<(&Address, &Run)> = sample.archive.runs().collect();
    let made = pages(&input, &chosen).unwrap();
    let trees = made.releases.into_values().chain([made.shared]);
    let files = trees.flat_map(|tree| tree.iter().map(|(path, bytes)| (path.to_string(), bytes.to_vec())).collect::<Vec<_>>());
    let is_ours = |path: &str| Path::new(path).extension().is_some_and(|ending| ending == "mdx") && !path.contains("/checkout");
    files.filter(|(path, _)| is_ours(path)).map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

/// Writes all pages to `target/mdx-overviews`, then has `tests/mdx/overviews.mjs` compile and render them; that part is skipped
/// where its packages are not installed (`npm ci` in `tests/mdx`).
#[test]
fn every_page_compiles_as_mdx_and_shows_its_words() {
    let folder = Path::new(ROOT).join("target/mdx-overviews");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    for profile in [Profile::Fumadocs, Profile::Docusaurus] {
        for (path, text) in texts(&published(profile.name(), &[])) {
            if path.split('/').count() < 3 || path.contains("/diff/") {
                put(&format!("{profile}-{}", path.replace('/', "-")), &text);
            }
        }
        for (at, words) in HOSTILE.iter().enumerate() {
            for (path, text) in hostile(profile, words) {
                let name = format!("{profile}-hostile-{at}-{}", path.replace('/', "-"));
                put(&name, &text);
                // A link of another scheme stays text, and so it is looked for as it is.
                let is_said = path == "v2.1.0/index.mdx" || path == "v2.1.0/diff/index.mdx";
                put(&name.replace(".mdx", ".txt"), if is_said && !words.contains('`') { words } else { "" });
            }
        }
    }
    if !Path::new(ROOT).join("tests/mdx/node_modules/@mdx-js/mdx").is_dir() {
        eprintln!("skipped: the MDX compiler is not installed (npm ci in tests/mdx)");
        return;
    }
    let run = Command::new("node").arg(Path::new(ROOT).join("tests/mdx/overviews.mjs")).arg(&folder).output().unwrap();
    assert!(run.status.success(), "{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
}
