//! The rules of `plimsoll audit --evidence`.

use crate::audit::rule::{Rule, Scope};
use crate::model::finding::Level;

/// A file of the archive that its inputs don't give.
pub(in crate::audit) const RECORD: Rule = Rule {
    code: "evidence-record",
    level: Level::Error,
    title: "What the archive keeps is not what its inputs give",
    reason: "All files that the record names were found with the hashes that it names, and ingested again they give something else. Either a file of the \
             archive was changed since, or the program or the project's rules read the inputs otherwise now: the hashes of both tell which.",
    hint: "ingest the inputs again, or restore the file",
    look: Scope::Elsewhere,
};

/// An input that was changed.
pub(in crate::audit) const INPUT: Rule = Rule {
    code: "evidence-input",
    level: Level::Error,
    title: "A file that the record was made of is another one now",
    reason: "The record keeps BLAKE3 of every file it was made of, and at the path of this one lies a file with another hash, while the bytes of then are nowhere \
             in the folders of inputs. Inputs that are not there at all are told as notes: nobody keeps everything for ever.",
    hint: "restore the file, or ingest the new one",
    look: Scope::Elsewhere,
};

/// A page that is not as it is made now.
pub(in crate::audit) const PAGE: Rule = Rule {
    code: "evidence-page",
    level: Level::Error,
    title: "A page is not what the archive gives",
    reason: "The site or the docs folder was made again in memory from the archive, the flow, the settings and the templates, and this file has other bytes, is missing, \
             or is a page that nothing makes. What stands between keep markers is its author's and no difference. Files that are no pages may lie \
             beside them: those are notes.",
    hint: "build or publish again, and look at what changes",
    look: Scope::Elsewhere,
};

/// A file that is not as this program writes it.
pub(in crate::audit) const CANONICAL: Rule = Rule {
    code: "evidence-canonical",
    level: Level::Error,
    title: "A file of the archive is not as this program writes it",
    reason: "Equal records are equal bytes, so that a hash stands for a record. Read and written again, this file has other bytes: it was \
             edited, or written by another version of the program.",
    hint: "ingest the run again; what people know belongs into run.toml",
    look: Scope::Elsewhere,
};

/// A k6 section that the archived text doesn't give.
pub(in crate::audit) const K6_TEXT: Rule = Rule {
    code: "evidence-k6-text",
    level: Level::Error,
    title: "k6's figures are not those of the k6 output beside them",
    reason: "The archive keeps k6's end-of-test text beside the record. Read again it must give the record's k6 section; where that is of a more exact form, \
             the two must agree within what the text's rounding allows.",
    hint: "ingest the run again from k6's output",
    look: Scope::Elsewhere,
};

/// Something that an earlier manifest has otherwise.
pub(in crate::audit) const AGAINST: Rule = Rule {
    code: "evidence-against",
    level: Level::Error,
    title: "The evidence is not that of an earlier manifest",
    reason: "`audit --evidence --against FILE` holds hashes against those that were printed before, here or on another machine. Another program version and \
             other settings are notes, since they may change nothing; another flow, other rules, other files and other verdicts are errors.",
    hint: "find out which side was changed: the first run of which a file differs tells most",
    look: Scope::Elsewhere,
};
