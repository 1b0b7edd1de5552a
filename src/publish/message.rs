//! What a publication says of itself: the message of its commit, whose body is the text of a pull request too.
//!
//! The same words are read raw in `git log` and as Markdown on a forge. So names stand as code, headings are bold (git takes a line with `#` at
//! its start for a comment when somebody edits the message), and the letters that call people and issues are followed by an empty one.

use std::path::Path;

use crate::model::address::Release;
use crate::render::markup;

/// How long a title may be, in letters: more is cut off in lists of commits.
const TITLE: usize = 72;

/// How long the body may be, in bytes: forges take 65,536 letters for a pull request.
const BODY: usize = 60_000;

/// How long a text of people's making may be, in letters.
const LONG: usize = 300;

/// What a publication did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// What the tested service is called.
    pub service_name: String,
    /// The releases with pages that were published.
    pub releases: Vec<Published>,
    /// How many files are new.
    pub created: usize,
    /// How many say something else than before.
    pub replaced: usize,
    /// How many are gone.
    pub removed: usize,
    /// Files that had been changed by hand and were written over all the same, by their paths from the docs folder.
    pub forced: Vec<String>,
    /// Runs without a page, and why.
    pub left_out: Vec<(String, String)>,
}

/// A release that was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Which.
    pub release: Release,
    /// Its runs, each with the label of its outcome, where there is one.
    pub runs: Vec<(String, Option<String>)>,
    /// The earlier release and what changed since, in a sentence.
    pub compared: Option<(String, String)>,
}

/// The message of a commit. No line begins with `#`, and none has blanks at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// One line of at most 72 letters.
    pub title: String,
    /// Markdown, with a line break at its end.
    pub body: String,
}

impl Message {
    /// The message of what was done. The same facts give the same bytes.
    #[must_use]
    pub fn new(facts: &Facts) -> Self {
        Self { title: title(facts), body: body(facts) }
    }

    /// Title and body as git takes them.
    #[must_use]
    pub fn whole(&self) -> String {
        format!("{}\n\n{}", self.title, self.body)
    }
}

/// `docs: benchmarks of v4.17.1 and v4.19.2`
fn title(facts: &Facts) -> String {
    let names: Vec<String> =
        facts.releases.iter().map(|published| called_by_none(&markup::on_one_line(published.release.as_str()))).collect();
    let title = match names.as_slice() {
        [] => return "docs: benchmark pages".to_owned(),
        [one] => format!("docs: benchmarks of {one}"),
        [one, other] => format!("docs: benchmarks of {one} and {other}"),
        _ => String::new(),
    };
    if !title.is_empty() && title.chars().count() <= TITLE {
        title
    } else {
        format!("docs: benchmarks of {}", counted(names.len(), "release"))
    }
}

fn body(facts: &Facts) -> String {
    let parts = [introduction(facts), runs(facts), changes(facts), files(facts), forced(facts), left_out(facts)];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

fn introduction(facts: &Facts) -> String {
    let service = facts.service_name.trim();
    let of = if service.is_empty() { String::new() } else { format!(" of {}", prose(service)) };
    let runs: usize = facts.releases.iter().map(|published| published.runs.len()).sum();
    format!("Benchmark pages{of}: {} of {}.\n", counted(runs, "run"), counted(facts.releases.len(), "release"))
}

/// The table of all runs and their outcomes, as many as there is room for.
fn runs(facts: &Facts) -> String {
    let rows = facts.releases.iter().flat_map(|published| published.runs.iter().map(move |run| (published, run)));
    let rows: Vec<String> = rows
        .map(|(published, (run, outcome))| {
            let outcome = outcome.as_deref().map_or("no outcome".to_owned(), prose);
            format!("| {} | {} | {outcome} |\n", name(published.release.as_str()), name(run))
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    fitted("| release | run | outcome |\n| :-- | :-- | :-- |\n", &rows, BODY / 2, "more run")
}

fn changes(facts: &Facts) -> String {
    let compared = facts.releases.iter().filter_map(|published| Some((published, published.compared.as_ref()?)));
    let items: Vec<String> = compared
        .map(|(published, (before, headline))| {
            format!("- {} against {}: {}\n", name(published.release.as_str()), name(before), prose(headline))
        })
        .collect();
    section("What changed", &items)
}

fn files(facts: &Facts) -> String {
    let Facts { created, replaced, removed, .. } = facts;
    format!("{} created, {replaced} replaced, {removed} removed.\n", counted(*created, "file"))
}

fn forced(facts: &Facts) -> String {
    let items: Vec<String> = facts.forced.iter().map(|path| format!("- {}\n", name(&without_machine(path)))).collect();
    section("Changed by hand before, and written over by `--force`", &items)
}

fn left_out(facts: &Facts) -> String {
    let items: Vec<String> = facts.left_out.iter().map(|(run, why)| format!("- {}: {}\n", name(run), prose(why))).collect();
    section("Without a page", &items)
}

/// A bold line and a list, as many items as there is room for.
fn section(title: &str, items: &[String]) -> String {
    if items.is_empty() { String::new() } else { fitted(&format!("**{title}**\n\n"), items, BODY / 8, "more") }
}

/// The lines that fit into some bytes; of the others the number.
fn fitted(head: &str, lines: &[String], room: usize, more: &str) -> String {
    let mut used = head.len();
    let fits = |line: &&String| {
        used += line.len();
        used <= room
    };
    let shown: Vec<&String> = lines.iter().take_while(fits).collect();
    let rest = lines.len() - shown.len();
    let text = shown.into_iter().fold(head.to_owned(), |text, line| text + line);
    match rest {
        0 => text,
        rest if more == "more" => format!("{text}\nand {rest} more\n"),
        rest => format!("{text}\nand {}\n", counted(rest, more)),
    }
}

/// A name as code, where no letter of it ends the code.
fn name(text: &str) -> String {
    let text = markup::on_one_line(&cut(text));
    let is_plain = !text.trim().is_empty() && text.trim() == text && !text.contains(['`', '|', '\\']);
    if is_plain { format!("`{}`", called_by_none(&text)) } else { prose(&text) }
}

/// Words of people's making, which stay words.
fn prose(text: &str) -> String {
    let text = cut(text);
    let words = text.trim();
    // The empty letter itself: `git log` shows an entity as it is written.
    if words.is_empty() { "(nothing)".to_owned() } else { markup::calling_nobody(words).replace("&#8203;", EMPTY) }
}

/// The letter without a width.
const EMPTY: &str = "\u{200b}";

fn called_by_none(text: &str) -> String {
    text.replace('@', &format!("@{EMPTY}")).replace('#', &format!("#{EMPTY}"))
}

/// A path that names no machine: of an absolute one the last name.
fn without_machine(path: &str) -> String {
    let is_absolute = path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':');
    let last = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    if is_absolute { last.unwrap_or_default() } else { path.to_owned() }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONG) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn release(name: &str) -> Release {
        name.to_owned().try_into().unwrap_or_else(|bad| unreachable!("{bad}"))
    }

    fn published(name: &str, runs: &[(&str, Option<&str>)]) -> Published {
        let runs = runs.iter().map(|(run, outcome)| ((*run).to_owned(), outcome.map(str::to_owned))).collect();
        Published { release: release(name), runs, compared: None }
    }

    fn everything() -> Facts {
        let mut later = published("v4.19.2", &[("otp_session", Some("Tune the database")), ("add_session~2", None)]);
        later.compared = Some(("v4.17.1".to_owned(), "2 regressions in 24 comparisons of 3 targets.".to_owned()));
        Facts {
            service_name: "ZITADEL".to_owned(),
            releases: vec![published("v4.17.1", &[("otp_session", Some("Terminate"))]), later],
            created: 7,
            replaced: 1,
            removed: 0,
            forced: vec!["v4.19.2/otp_session/index.mdx".to_owned()],
            left_out: vec![("v4.19.2/user_info".to_owned(), "aborted by a threshold".to_owned())],
        }
    }

    #[test]
    fn a_message_tells_what_was_published() {
        insta::assert_snapshot!(Message::new(&everything()).whole());
    }

    #[test]
    fn names_call_nobody_and_break_nothing() {
        let hostile = "@root|#12 `x` <b>\n# head fixes #1";
        let mut facts = everything();
        facts.service_name = hostile.to_owned();
        facts.releases = vec![published("v1", &[(hostile, Some(hostile)), ("@root#12", None)])];
        facts.forced = vec!["/home/somebody/docs/a.mdx".to_owned(), hostile.to_owned()];
        facts.left_out = vec![(hostile.to_owned(), hostile.to_owned())];
        insta::assert_snapshot!(Message::new(&facts).whole().replace('\u{200b}', "[empty]"));
    }

    #[test]
    fn a_title_names_two_releases_and_counts_more() {
        let of = |names: &[&str]| {
            let releases = names.iter().map(|name| published(name, &[])).collect();
            Message::new(&Facts { releases, ..Facts::default() }).title
        };
        assert_eq!(of(&[]), "docs: benchmark pages");
        assert_eq!(of(&["v4.19.2"]), "docs: benchmarks of v4.19.2");
        assert_eq!(of(&["v4.17.1", "v4.19.2"]), "docs: benchmarks of v4.17.1 and v4.19.2");
        assert_eq!(of(&["v1", "v2", "v3", "v4", "v5"]), "docs: benchmarks of 5 releases");
        let long = "v4.19.2-rc.1-build-of-the-last-commit";
        assert_eq!(of(&[long, long]), "docs: benchmarks of 2 releases");
        assert_eq!(of(&[&long.repeat(2)]), "docs: benchmarks of 1 release");
    }

    proptest! {
        #[test]
        fn any_words_keep_the_form(words in proptest::collection::vec(".*", 1..6), many in 1_usize..1_000) {
            let mut facts = everything();
            facts.service_name.clone_from(&words[0]);
            facts.releases[0].runs = (0..many).map(|at| (words[at % words.len()].clone(), words.get(at % 7).cloned())).collect();
            facts.releases[1].compared = Some((words[0].clone(), words.concat()));
            facts.forced.clone_from(&words);
            let message = Message::new(&facts);
            prop_assert!(message.title.chars().count() <= TITLE);
            prop_assert!(message.body.len() <= BODY, "{}", message.body.len());
            prop_assert!(message.body.ends_with('\n'));
            for line in message.whole().lines() {
                prop_assert!(!line.starts_with('#') && line.trim_end() == line, "{line:?}");
                prop_assert!(!line.chars().any(char::is_control), "{line:?}");
                let called = line.split(['@', '#']).skip(1).find(|rest| !rest.starts_with('\u{200b}'));
                prop_assert_eq!(called, None);
            }
        }
    }
}
