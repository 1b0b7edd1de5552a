//! What an archive is held against: the files it was made of, what it gives when it is made again, what was published of it.
//!
//! This is the shape of `plimsoll audit --evidence --format json`, a contract, published as JSON Schema. It holds no time and no path of
//! a machine, so that two machines with the same archive, rules and program print the same.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::finding::Finding;
use super::verdict::Class;

/// The version of the shape that this program writes.
pub const SCHEMA: u32 = 1;

/// What `plimsoll audit --evidence --format json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// Version of this shape.
    pub schema: u32,
    /// The version of the program that made everything again.
    pub program: String,
    /// What judged.
    pub flow: HashedFlow,
    /// BLAKE3 of plimsoll.toml; null where there is none.
    pub settings: Option<String>,
    /// The rules by which inputs are read.
    pub rules: RuleHashes,
    /// BLAKE3 over the names and hashes of all files of these runs: one number for two machines to compare.
    pub records: String,
    /// BLAKE3 over the names of these runs and the hashes of their verdicts.
    pub verdicts: String,
    /// The runs, in the archive's order.
    pub runs: Vec<RunProof>,
    /// Pages that were built or published, where some were looked at.
    pub pages: Vec<PagesProof>,
    /// What does not fit; `gone` inputs are notes.
    pub findings: Vec<Finding>,
}

/// A flow, by its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HashedFlow {
    /// Its name.
    pub name: String,
    /// BLAKE3 of its text.
    pub blake3: String,
}

/// The rules that decide what a file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleHashes {
    /// What captured series measure.
    pub metrics: RuleHash,
    /// How statements are called.
    pub queries: RuleHash,
    /// On whose side a request failed.
    pub errors: RuleHash,
}

impl RuleHashes {
    /// Each with its name.
    #[must_use]
    pub fn named(&self) -> [(&'static str, &RuleHash); 3] {
        [("metrics", &self.metrics), ("queries", &self.queries), ("errors", &self.errors)]
    }
}

/// Rules, by their texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleHash {
    /// BLAKE3 of the project's own file; null where it has none.
    pub own: Option<String>,
    /// BLAKE3 of the built-in rules, which come after them.
    pub built_in: String,
}

/// What is known of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunProof {
    /// The release.
    pub release: String,
    /// The run inside its release: the target, or target and label.
    pub run: String,
    /// The files that its record was made of.
    pub inputs: Vec<InputProof>,
    /// The files that the archive keeps of it, by name.
    pub files: Vec<FileProof>,
    /// What the flow concludes now.
    pub verdict: VerdictProof,
}

impl RunProof {
    /// Where it is: `v4/otp_session`.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}/{}", self.release, self.run)
    }

    /// A file of the run by its name.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&FileProof> {
        self.files.iter().find(|file| file.name == name)
    }

    /// How many of its inputs are in a state.
    #[must_use]
    pub fn count(&self, state: InputState) -> usize {
        self.inputs.iter().filter(|input| input.state == state).count()
    }
}

/// A file that a record was made of, as the record knows it and as it is found now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InputProof {
    /// Its path relative to what was given to `ingest`; `-` for standard input.
    pub path: String,
    /// What kind of file it was taken for.
    pub kind: String,
    /// Its size.
    pub bytes: u64,
    /// BLAKE3 of its bytes, in hex, as the record keeps it.
    pub blake3: String,
    /// What became of it.
    pub state: InputState,
    /// Where it lies now, relative to the folder of inputs, if that is not its path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// BLAKE3 of what lies at its path now, where that is something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// What became of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InputState {
    /// It lies at its path with the same bytes.
    Same,
    /// The same bytes lie elsewhere in the folders of inputs.
    Elsewhere,
    /// Another file lies at its path.
    Changed,
    /// It is not there.
    Gone,
}

impl InputState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::Same, Self::Elsewhere, Self::Changed, Self::Gone];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Elsewhere => "elsewhere",
            Self::Changed => "changed",
            Self::Gone => "gone",
        }
    }

    /// Whether the bytes are there.
    #[must_use]
    pub fn is_there(self) -> bool {
        matches!(self, Self::Same | Self::Elsewhere)
    }
}

/// A file that the archive keeps of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileProof {
    /// Its name: `record.json`, `k6.txt`, `series.json`, `blocks.json`; of what people write `run.toml`, `release.toml`.
    pub name: String,
    /// Its size; null where it is missing.
    pub bytes: Option<u64>,
    /// BLAKE3 of its bytes; null where it is missing.
    pub blake3: Option<String>,
    /// It, made again from the run's inputs.
    pub from_inputs: Check,
    /// It, held against the archive alone: JSON read and written again, the record's k6 section read again from `k6.txt`.
    pub from_archive: Check,
}

/// Something made again, held against what is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// How it came out.
    pub state: State,
    /// Why it could not be made again, or what else is to be known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The first differences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// How many differences there are beside these.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Check {
    /// It came out the same.
    #[must_use]
    pub fn same() -> Self {
        Self { state: State::Same, why: None, differences: Vec::new(), more: 0 }
    }

    /// It was not made again, for a reason.
    #[must_use]
    pub fn not_made(why: impl Into<String>) -> Self {
        Self { state: State::NotMade, why: Some(why.into()), ..Self::same() }
    }

    /// It came out otherwise, and this is to be said of it.
    #[must_use]
    pub fn differs(why: impl Into<String>) -> Self {
        Self { state: State::Differs, why: Some(why.into()), ..Self::same() }
    }

    /// Whether it came out otherwise.
    #[must_use]
    pub fn is_other(&self) -> bool {
        matches!(self.state, State::Differs | State::OtherBytes)
    }
}

/// How something came out that was made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The same bytes.
    Same,
    /// The same values in other bytes: blanks, the order of names, the digits of a number.
    OtherBytes,
    /// Other values.
    Differs,
    /// It could not be made again.
    NotMade,
}

/// A place where two texts differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// Where: a JSON pointer, `/figures/database.cpu.median/value`; of a text the line, `line 12`.
    pub at: String,
    /// What is kept there; null where there is nothing.
    pub kept: Option<Value>,
    /// What comes out now; null where there is nothing.
    pub made: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: &Option<Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), Value::to_string);
        let (kept, made) = (text(&self.kept), text(&self.made));
        let alike = kept.chars().zip(made.chars()).take_while(|(a, b)| a == b).count();
        write!(f, "{} is {} and comes out as {}", self.at, brief(&kept, alike), brief(&made, alike))
    }
}

/// The part of a text in which it differs from another after some letters; what is left out is seen.
fn brief(text: &str, alike: usize) -> String {
    const MOST: usize = 60;
    let length = text.chars().count();
    if length <= MOST {
        return text.to_owned();
    }
    let from = alike.saturating_sub(MOST / 2).min(length - MOST);
    let part: String = text.chars().skip(from).take(MOST).collect();
    let dots = |is_cut| if is_cut { "..." } else { "" };
    format!("{}{part}{}", dots(from > 0), dots(from + MOST < length))
}

/// A verdict, by what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictProof {
    /// The outcome's name in the flow.
    pub outcome: String,
    /// Its class.
    pub class: Class,
    /// BLAKE3 of the verdict as `classify --format json` has it, without blanks.
    pub blake3: String,
}

/// Pages that were made again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PagesProof {
    /// Which pages.
    pub of: PagesOf,
    /// How many files come out the same.
    pub same: usize,
    /// BLAKE3 over the paths and hashes of all files as they are made now.
    pub blake3: String,
    /// The files that don't, by path.
    pub others: Vec<PageProof>,
}

/// Which pages they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PagesOf {
    /// The HTML site.
    Site,
    /// Pages in a docs folder.
    Docs,
}

impl PagesOf {
    /// Its name, which stands for the release of what belongs to none.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Site => "site",
            Self::Docs => "docs",
        }
    }
}

/// A file among pages that is not as it is made now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageProof {
    /// Its path from the folder of the pages.
    pub path: String,
    /// The release it is of; null of a file that belongs to none.
    pub release: Option<String>,
    /// The run it is of; null of a file that belongs to none.
    pub run: Option<String>,
    /// How it is other.
    pub state: PageState,
    /// BLAKE3 of the file that lies there.
    pub kept: Option<String>,
    /// BLAKE3 of the file as it is made now.
    pub made: Option<String>,
}

/// How a page is other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PageState {
    /// Other bytes lie there.
    Differs,
    /// It is made and does not lie there.
    Missing,
    /// It lies there, is a page, and is not made.
    Strange,
    /// It lies there, is no page, and is not made: people keep such files beside pages.
    Beside,
}

impl PageState {
    /// In a sentence.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Differs => "differs",
            Self::Missing => "is missing",
            Self::Strange => "lies there and is not made",
            Self::Beside => "is none of the pages",
        }
    }
}
