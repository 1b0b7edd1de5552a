//! Which release and target a run is of: the command line, the page, the runner's stamps, the file's name, in this order.

use std::collections::BTreeMap;

use super::Sweep;
use super::gathering::Gathered;
use super::run::Run;
use crate::diagnostic::Diagnostic;
use crate::ingest::k6::Stamps;
use crate::model::address::{Address, BadName, Release, Target};
use crate::source::Source;

/// The target in the name of a file that the runner made, `TARGET_STAMP`.
pub(super) fn named_target(stem: &str) -> Option<&str> {
    let (name, stamp) = stem.rsplit_once('_')?;
    let is_stamp = stamp.len() >= 8 && stamp.chars().all(|c| c.is_ascii_digit() || matches!(c, 'T' | 'Z' | ':' | '-'));
    is_stamp.then_some(name)
}

impl Sweep<'_> {
    pub(super) fn address(&mut self, gathered: &Gathered, place: &Source) -> Option<Address> {
        let stamped = |field: fn(&Stamps) -> Option<String>| gathered.texts.iter().find_map(|(_, text)| field(&text.stamps));
        let page = gathered.page.as_ref().map(|(_, page)| &page.record.identity);
        let release = match (&self.asked.release, page) {
            (Some(release), _) => Some(release.clone()),
            (None, Some(identity)) => Some(identity.release.clone()),
            (None, None) => self.name(stamped(|s| s.release.clone()), place, Release::new),
        };
        let target = match (&self.asked.target, page) {
            (Some(target), _) => Some(target.clone()),
            (None, Some(identity)) => Some(identity.target.clone()),
            (None, None) => self
                .name(stamped(|s| s.target.clone()), place, Target::new)
                .or_else(|| self.target_from_name(&gathered.stem, place)),
        };
        if release.is_none() {
            let fault = Diagnostic::error("no-release", "nothing tells which release this run is of");
            self.faults.push(fault.at(place.at(0..0)).help("say it: --release v4.19.2"));
        }
        if target.is_none() {
            let fault = Diagnostic::error("no-target", "nothing tells which target this run is of");
            let fault = fault.note("there is no stamp `target=...`, no page with an \"Executed test\"");
            self.faults.push(fault.at(place.at(0..0)).help("say it: --target add_session"));
        }
        Some(Address { release: release?, target: target?, label: self.asked.label.clone() })
    }

    fn name<T>(&mut self, text: Option<String>, place: &Source, check: fn(&str) -> Result<T, BadName>) -> Option<T> {
        match check(&text?) {
            Ok(name) => Some(name),
            Err(bad) => {
                self.faults.push(Diagnostic::error("bad-name", bad.to_string()).at(place.at(0..0)));
                None
            }
        }
    }

    /// The runner names its logs `TARGET_STAMP.log`; what is taken from there is said.
    fn target_from_name(&mut self, stem: &str, place: &Source) -> Option<Target> {
        let target = Target::new(named_target(stem)?).ok()?;
        let remark = Diagnostic::remark("target-from-name", format!("the target `{target}` is taken from the file's name"));
        self.harvest.remarks.push(remark.at(place.at(0..0)));
        Some(target)
    }

    pub(super) fn refuse_twins(&mut self, runs: &[Run]) {
        let mut seen: BTreeMap<Address, &Source> = BTreeMap::new();
        for run in runs {
            let address = run.draft.record.address();
            if let Some(first) = seen.get(&address) {
                let message = format!("{} and {} are both {address}", first.name(), run.place.name());
                let fault = Diagnostic::error("two-runs", message).at(first.at(0..0)).at(run.place.at(0..0));
                self.faults.push(fault.help("ingest the further run alone, with --label 2"));
            } else {
                seen.insert(address, &run.place);
            }
        }
    }
}
