//! A publication looked through before it is told or carried out: its files, and its message to git and to a forge.

use super::super::parallel;
use super::super::scan::{Scanned, look};
use crate::cmd::Project;
use crate::diagnostic::{Diagnostic, Faults};
use crate::publish::Plan;
use crate::publish::message::Message;

/// What the message is called, where files are named.
const MESSAGE: &str = "the message";

/// Every file as it will be, with what its author keeps in it. Told are rows of `[secrets] accept` that accept nothing.
///
/// # Errors
/// All that looks like a secret and is not accepted.
pub(super) fn check(plan: &Plan, project: &Project) -> Result<Vec<Diagnostic>, Faults> {
    let files: Vec<_> = plan.steps.iter().filter_map(|step| Some((step.place.path.as_str(), step.new.as_ref()?))).collect();
    let seen = parallel::each(&files, |(path, bytes)| look(path, &String::from_utf8_lossy(bytes)));
    let mut scanned = Scanned::default();
    for ((path, _), sightings) in files.iter().zip(&seen) {
        scanned.add(path, sightings);
    }
    scanned.check(project)
}

/// The message of the commit and of a pull request.
///
/// # Errors
/// All that looks like a secret and is not accepted.
pub(super) fn check_message(message: &Message, project: &Project) -> Result<(), Faults> {
    let seen = look(MESSAGE, &[message.whole().as_str(), &message.body].join("\n"));
    let mut scanned = Scanned::default();
    scanned.add(MESSAGE, &seen);
    scanned.check(project).map(|_| ())
}
