//! What is around a run: the archive, and the names that people use in their texts.

use std::collections::BTreeSet;

use crate::model::collection::Archive;

/// The archive with the names of its project.
pub struct Around<'a> {
    /// All runs.
    pub archive: &'a Archive,
    /// Names that texts may use.
    pub(super) names: Names<'a>,
}

impl<'a> Around<'a> {
    /// An archive of runs of a service of that name.
    #[must_use]
    pub fn new(archive: &'a Archive, service: &str) -> Self {
        Self { archive, names: Names::of(archive, service) }
    }
}

/// Names that texts use: the service's, those of releases and targets.
pub(super) struct Names<'a> {
    service: Vec<String>,
    releases: BTreeSet<&'a str>,
    targets: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    /// Those of an archive and its project.
    pub(super) fn of(archive: &'a Archive, service: &str) -> Self {
        Self {
            service: service.split_whitespace().map(str::to_lowercase).collect(),
            releases: archive.releases().iter().map(|release| release.name.as_str()).collect(),
            targets: archive.runs().map(|(address, _)| address.target.as_str()).collect(),
        }
    }

    /// The words of the service's name, in small letters.
    pub(super) fn service(&self) -> &[String] {
        &self.service
    }

    /// Whether it is a release of the archive.
    pub(super) fn is_release(&self, word: &str) -> bool {
        self.releases.contains(word)
    }

    /// Whether it is a target of the archive.
    pub(super) fn is_target(&self, word: &str) -> bool {
        self.targets.contains(word)
    }
}
