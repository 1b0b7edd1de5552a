//! Numbers that people wrote into notes and reasons, held against the record.
//!
//! A text becomes sentences ([`sentence`]), a sentence a skeleton of symbols; patterns over it say what a number is said of
//! ([`subjects`]), the words around it of which run it is ([`context`]), the record what it should be ([`reading`]). A number that its
//! words tie to nothing, or to what nobody captured, is left alone.

mod claim;
mod context;
mod failed;
mod moments;
mod number;
mod prose;
mod qualified;
mod reading;
mod release;
mod scan;
mod sentence;
mod subjects;
mod texts;
mod together;
mod topic;
mod vocabulary;
mod written;

#[cfg(test)]
mod tests;

pub use self::claim::Claim;
pub(super) use self::release::RELEASE_DIFFERS;
pub use self::texts::Text;

use super::around::Around;
use super::rule::{Found, Rule, Scope};
use super::subject::Subject;
use crate::model::address::Address;
use crate::model::collection::Run;
use crate::model::finding::Level;

/// A number in a text that is not the record's.
pub(super) const CLAIM_DIFFERS: Rule = Rule {
    code: "claim-differs",
    level: Level::Error,
    title: "A text states a number that is not the record's",
    reason: "A note, a purpose, a remark on a query, or the reason of a recorded outcome or an override states a number whose words tie it to a figure, and no value within the \
             rounding of both is the same. Understood are CPU and memory of database, service and load generator, lock wait (of the same whole), the pool, VUs, containers, \
             vCPUs and sizes of memory, connections, iterations, requests, checks, failures by cause, a share beside its counts, throughput, latencies of named trends and of \
             the service, the disk, times of day within the window, the day, offsets and durations. A count that may be of some of them is told only where it is more than all; \
             causes of one text are added up. A number of a named release or target is held against that run, if the archive has it. About, nearly and just over allow a tenth; \
             over and under one side; a time of day without a zone any zone of whole hours. Left alone is what is planned, supposed, advised, of an earlier run that is not named, \
             or a level of a part of the test; what nobody captured; and a number beside the record's own in one sentence.",
    hint: "correct the text",
    look: Scope::Run(differs),
};

fn differs(subject: &Subject<'_>) -> Vec<Found> {
    let claims = of_run(subject.around, subject.address, subject.run);
    claims.iter().filter_map(Claim::found).chain(together::differs(subject, &claims)).collect()
}

/// The numbers in a run's texts of which the record knows what they should be.
#[must_use]
pub fn of_run<'a>(around: &Around<'_>, address: &Address, run: &'a Run) -> Vec<Claim<'a>> {
    texts::of(run).iter().flat_map(|text| claim::of_text(around, address, run, text)).collect()
}
