//! A run made again from its inputs, as `ingest` makes it.
//!
//! A record names its inputs, not how they were given: in a folder or one by one, all at once or one after the other, with their notes or
//! without (`--figures-only`). Each way that may have been is tried, and the first that gives what is kept is the one; where none does, the one that comes
//! nearest tells what differs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use super::super::ingest::{contents, finished, read_raw};
use super::super::{Failure, Project};
use super::inputs::Located;
use crate::archive;
use crate::audit::evidence::compare;
use crate::capture::Rules;
use crate::diagnostic::{Diagnostic, Faults};
use crate::ingest::kinds::KINDS;
use crate::ingest::sweep::{Asked, Given, Kinds, NAMED, harvest};
use crate::model::address::Address;
use crate::model::proof::{Check, State};
use crate::model::record::Record;
use crate::samples::Unread;
use crate::samples::origins::Origins;
use crate::tree::Tree;

/// The files of a run by name.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// What making runs again takes.
pub(super) struct Redo {
    rules: Rules,
    origins: Origins,
    watched: bool,
}

/// The files that the machine writes of a run.
pub(super) const MACHINES: [&str; 4] = ["record.json", "k6.txt", archive::SERIES, archive::BLOCKS];

/// How files may have been given.
#[derive(Clone, Copy)]
struct Way {
    /// Files without a folder in their path were named one by one.
    named: bool,
    order: Order,
}

/// In which order.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    AtOnce,
    /// What makes a run, then all that adds to it.
    Added,
    /// What makes a run, then each file that adds to it: of values as good as each other the newer one won.
    OneByOne,
    /// Likewise, the last one first.
    Backwards,
}

impl Redo {
    pub(super) fn new(project: &Project, watched: bool) -> Result<Self, Failure> {
        Ok(Self { rules: project.capture_rules()?, origins: project.origins()?, watched })
    }

    /// Holds what the archive keeps of a run against what its inputs give, which are all there. Every file that is on either side has a check.
    pub(super) fn check(&self, record: &Record, kept: &Files, inputs: &[Located]) -> Result<BTreeMap<String, Check>, Failure> {
        let mut nearest: Option<(usize, BTreeMap<String, Check>)> = None;
        let mut refused: Option<Faults> = None;
        for way in ways(inputs) {
            let made = match self.make(way, &record.address(), inputs)? {
                Ok(made) => made,
                Err(faults) => {
                    refused.get_or_insert(faults);
                    continue;
                }
            };
            for files in made.variants(record) {
                let checks = checks(kept, &files);
                let count = checks.values().map(differences).sum();
                if nearest.as_ref().is_none_or(|(least, _)| count < *least) {
                    nearest = Some((count, checks));
                }
            }
            if nearest.as_ref().is_some_and(|(count, _)| *count == 0) {
                break;
            }
        }
        Ok(nearest.map_or_else(|| refusal(kept, refused.as_ref()), |(_, checks)| checks))
    }

    fn make(&self, way: Way, address: &Address, inputs: &[Located]) -> Result<Result<Made, Faults>, Failure> {
        let asked =
            Asked { release: Some(address.release.clone()), target: Some(address.target.clone()), label: address.label.clone() };
        let raw = |places: &[PathBuf], kinds: &Kinds| read_raw(places, kinds, &RefCell::default(), &self.origins, self.watched);
        let (mut record, mut files): (Option<Record>, Tree) = (None, Tree::new());
        for batch in way.batches(inputs)? {
            let window = |_: &Address| record.as_ref().map(|record| record.window.clone());
            let harvest = match harvest(batch, &asked, &window, &raw, &self.rules) {
                Ok(harvest) => harvest,
                Err(Unread::World(error)) => return Err(error.into()),
                Err(Unread::Input(faults)) => return Ok(Err(faults)),
            };
            for draft in harvest.drafts.iter().filter(|draft| draft.record.address() == *address) {
                match finished(draft, record.as_ref()) {
                    Ok((made, _)) => {
                        files.extend(archive::files(&made, draft.k6_text.as_deref(), draft.series.as_ref()));
                        record = Some(made);
                    }
                    Err(faults) => return Ok(Err(faults)),
                }
            }
        }
        Ok(record.map(|record| Made { record, files }).ok_or_else(no_run))
    }
}

fn no_run() -> Faults {
    Diagnostic::error("no-run", "none of these files makes a run").into()
}

/// What came out.
struct Made {
    record: Record,
    files: Tree,
}

impl Made {
    /// The files, and where the record that is kept has no prose, those without it: then it was ingested so.
    fn variants(&self, kept: &Record) -> Vec<Files> {
        let whole: Files = self.files.iter().map(|(path, bytes)| (path.file_name().to_owned(), bytes.to_vec())).collect();
        let mut variants = vec![whole.clone()];
        let bare = self.record.clone().figures_only();
        if bare != self.record && kept.clone().figures_only() == *kept {
            let files = archive::files(&bare, None, None);
            let record = files.iter().map(|(path, bytes)| (path.file_name().to_owned(), bytes.to_vec()));
            variants.push(whole.into_iter().chain(record).collect());
        }
        variants
    }
}

/// The ways that may lead to a record of these inputs.
fn ways(inputs: &[Located]) -> Vec<Way> {
    let has_loose = inputs.iter().any(|input| !input.proof.path.contains('/'));
    let has_more = inputs.iter().any(adds) && !inputs.iter().all(adds);
    let orders: &[Order] =
        if has_more { &[Order::AtOnce, Order::Added, Order::OneByOne, Order::Backwards] } else { &[Order::AtOnce] };
    let given: &[bool] = if has_loose { &[false, true] } else { &[false] };
    orders.iter().flat_map(|order| given.iter().map(|named| Way { named: *named, order: *order })).collect()
}

/// Whether a file makes no run by itself.
fn adds(input: &Located) -> bool {
    !["page", "run.toml", "release.toml"].contains(&input.proof.kind.as_str())
        && !input.proof.kind.starts_with("k6-")
        && KINDS.iter().any(|kind| kind.name == input.proof.kind && kind.read.is_some())
}

impl Way {
    /// The files as they are given to one ingest after the other.
    fn batches(self, inputs: &[Located]) -> Result<Vec<Vec<Given>>, Failure> {
        let (mut more, first): (Vec<&Located>, Vec<&Located>) =
            inputs.iter().partition(|input| self.order != Order::AtOnce && adds(input));
        let mut batches = vec![self.given(&first)?];
        match self.order {
            Order::AtOnce => {}
            Order::Added => batches.push(self.given(&more)?),
            Order::OneByOne | Order::Backwards => {
                if self.order == Order::Backwards {
                    more.reverse();
                }
                for one in more {
                    batches.push(self.given(&[one])?);
                }
            }
        }
        Ok(batches)
    }

    fn given(self, inputs: &[&Located]) -> Result<Vec<Given>, Failure> {
        let mut given: Vec<Given> = Vec::new();
        for input in inputs {
            let (Some(place), path) = (&input.place, &input.proof.path) else { continue };
            // Files of one path came from folders that were named one after the other.
            let nth = given.iter().filter(|other| other.path == *path).count();
            let folder = path.rsplit_once('/').map(|(folder, _)| folder);
            let named = self.named && folder.is_none();
            let group = if named { NAMED.to_owned() } else { format!("{nth}:{}", folder.unwrap_or_default()) };
            // What is concluded from a name is concluded from the one that it had.
            given.push(Given { path: path.clone(), shown: path.clone(), group, body: contents(place)?, named });
        }
        Ok(given)
    }
}

/// A check for every file that is kept or made.
fn checks(kept: &Files, made: &Files) -> BTreeMap<String, Check> {
    let check = |name: &str| match (kept.get(name), made.get(name)) {
        (Some(kept), Some(made)) => Some(compare(kept, made)),
        (None, Some(_)) => Some(Check { state: State::Differs, ..Check::same() }),
        (Some(_), None) => Some(Check::not_made("none of the record's inputs gives it: it is of an earlier ingest")),
        (None, None) => None,
    };
    MACHINES.into_iter().filter_map(|name| Some((name.to_owned(), check(name)?))).collect()
}

fn differences(check: &Check) -> usize {
    usize::from(check.is_other()).max(check.differences.len() + check.more)
}

/// Inputs that are as they were and make no run any more.
fn refusal(kept: &Files, faults: Option<&Faults>) -> BTreeMap<String, Check> {
    let first = faults.and_then(|faults| faults.list().first());
    let words = first.map_or_else(String::new, |fault| format!("they are refused now ({}: {})", fault.code, fault.message));
    kept.keys().filter(|name| MACHINES.contains(&name.as_str())).map(|name| (name.clone(), Check::differs(&words))).collect()
}
