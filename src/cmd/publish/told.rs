//! What a publication says of itself to git and to a forge.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::judged::Judged;
use super::super::{Exit, Failure, Streams, deliver};
use super::scope::Scope;
use crate::cli;
use crate::model::address::Release;
use crate::publish::message::{Facts, Message, Published};
use crate::publish::{Change, Plan};
use crate::render::docs;

/// The message of the commit and of a pull request.
pub(super) fn message(service_name: &str, scope: &Scope<'_>, judged: &Judged, plan: &Plan) -> Message {
    let forced = plan.changes().filter(|step| step.why.is_some() && step.change != Change::Conflict);
    Message::new(&Facts {
        service_name: service_name.to_owned(),
        releases: published(scope, judged),
        created: plan.count(Change::Create),
        replaced: plan.count(Change::Replace),
        removed: plan.count(Change::Remove),
        forced: forced.map(|step| step.place.path.to_string()).collect(),
        left_out: scope.left_out.clone(),
    })
}

fn published(scope: &Scope<'_>, judged: &Judged) -> Vec<Published> {
    let mut runs: BTreeMap<&Release, Vec<(String, Option<String>)>> = BTreeMap::new();
    for (address, run) in &scope.runs {
        let outcome = docs::outcome(run, judged.verdicts.get(*address));
        runs.entry(&address.release).or_default().push((address.run(), Some(outcome)));
    }
    let compared = |release: &Release| {
        let compared = judged.comparisons.iter().find(|compared| compared.b == *release)?;
        Some((compared.a.to_string(), compared.comparison.headline.sentence.clone()))
    };
    // In the order of releases, which is not that of their letters.
    let releases = scope.releases.iter().filter_map(|release| Some((release, runs.remove(release)?)));
    releases.map(|(release, runs)| Published { release: release.clone(), runs, compared: compared(release) }).collect()
}

/// Shows the message of a commit that is not made, and gives the text of a pull request to whoever asked for it.
pub(super) fn tell(args: &cli::Publish, plan: &Plan, message: &Message, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    if args.dry_run && args.commit && !plan.is_empty() {
        write!(streams.out, "\n{}", message.whole())?;
    }
    match args.pull_request.as_deref() {
        None => Ok(Exit::Yes),
        Some(path) if path == Path::new("-") => deliver(&message.body, None, streams),
        Some(path) if args.dry_run => {
            streams.say(&format!("the text of a pull request would be written to {}", path.display()));
            Ok(Exit::Yes)
        }
        Some(path) => deliver(&message.body, Some(path), streams),
    }
}
