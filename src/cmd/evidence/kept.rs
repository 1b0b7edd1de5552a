//! What the archive keeps of a run, held against itself.

use std::cell::RefCell;
use std::path::PathBuf;

use super::super::Failure;
use super::super::ingest::read_raw;
use crate::archive::{self, record_json, series_json};
use crate::audit::evidence::{compare, compare_values};
use crate::capture::Rules;
use crate::diagnostic::Faults;
use crate::ingest::merge::{Form, merge};
use crate::ingest::sweep::{Asked, Body, Given, Kinds, NAMED, harvest};
use crate::model::proof::Check;
use crate::model::record::Record;
use crate::model::series::Series;
use crate::model::summary::{Summary, SummaryKind};
use crate::samples::Unread;
use crate::samples::origins::Origins;
use crate::source::Source;

/// Holds a file of a run against the archive alone.
pub(super) fn check(name: &str, bytes: &[u8], record: &Record) -> Result<Check, Failure> {
    let source = Source::from_bytes(format!("{}/{name}", record.address()), bytes);
    let again = |made: String| Ok(compare(bytes, made.as_bytes()));
    let series = |part: fn(&Series) -> Series| Ok::<_, Faults>(series_json::write(&part(&series_json::read(&source)?)));
    match name {
        "record.json" => again(record_json::write(&record_json::read(&source)?)),
        archive::SERIES => again(series(Series::by_second)?),
        archive::BLOCKS => again(series(Series::by_block)?),
        "k6.txt" => k6_text(bytes, record),
        _ => Ok(Check::not_made("people write it")),
    }
}

/// Reads k6's text again, through the door that it came in by.
fn k6_text(bytes: &[u8], record: &Record) -> Result<Check, Failure> {
    let address = record.address();
    let asked = Asked { release: Some(address.release), target: Some(address.target), label: address.label };
    let raw = |places: &[PathBuf], kinds: &Kinds| read_raw(places, kinds, &RefCell::default(), &Origins::built_in(), false);
    let (path, group) = ("k6.txt".to_owned(), NAMED.to_owned());
    let given = Given { shown: path.clone(), path, group, body: Body::Whole(bytes.to_vec()), named: true };
    let summary = match harvest(vec![given], &asked, &|_| None, &raw, &Rules::built_in()) {
        Ok(harvest) => harvest.drafts.into_iter().find_map(|draft| draft.record.k6),
        Err(Unread::World(error)) => return Err(error.into()),
        Err(Unread::Input(faults)) => {
            let first = faults.list().first().map(|fault| fault.message.clone()).unwrap_or_default();
            return Ok(Check::differs(format!("it can't be read ({first})")));
        }
    };
    Ok(held(record.k6.as_ref(), summary))
}

/// A record's k6 section is that of the text, or of a more exact form, which the text must not contradict.
fn held(kept: Option<&Summary>, made: Option<Summary>) -> Check {
    let value = |summary: Option<&Summary>| serde_json::to_value(summary).unwrap_or_default();
    match (kept, made) {
        (Some(kept), Some(made)) if kept.source.kind != SummaryKind::Text => {
            let form = |name: &str, summary| Form { source: Source::new(name, ""), summary };
            match merge(vec![form("record.json", kept.clone()), form("k6.txt", made)]) {
                Ok(_) => {
                    Check { why: Some("the record's figures are of a more exact form, and agree".to_owned()), ..Check::same() }
                }
                Err(faults) => Check::differs(faults.first().map(|fault| fault.message.clone()).unwrap_or_default()),
            }
        }
        (kept, mut made) => {
            // The version may have stood in the log around the summary, of which only the summary is kept.
            if let (Some(kept), Some(made)) = (kept, &mut made) {
                made.source.k6_version = made.source.k6_version.take().or(kept.source.k6_version.clone());
            }
            compare_values("/k6", &value(kept), &value(made.as_ref()))
        }
    }
}
