//! The site in memory, made again at small cost when something changes. `plimsoll build` is its first making.
//!
//! Nobody keeps a list of what a change must reach. Every value has a name and a fingerprint of all that it is made of
//! ([`memo::Memo`]), and is made again exactly when that fingerprint is another one:
//!
//! ```text
//!  stamps ─▶ shelf: a run's files, release.toml ─▶ run ─┬─▶ verdict      run, previous run, settings, flow
//!                                                       ├─▶ repeats      a release's runs, settings
//!                                                       ├─▶ comparison   a target's runs up to the later release, verdicts of both sides,
//!                                                       │                what all repeats say, settings
//!                                                       └─▶ page         the fields of `render::site::page::Page`; settings, flow, templates
//! ```
//!
//! * A run has two fingerprints: of all that it is made of, and of what it measured, its record and its series. Verdicts, repeats and
//!   comparisons are made of the latter, and pages of other runs than their own: a note about a run changes its own page alone.
//! * What blocks say when they are resampled is kept by the blocks ([`Resampled`](crate::diff::Resampled)): repeats that say something
//!   else of the noise make all comparisons anew, and none of the resampling.
//! * Values are known by what they say, not by when they were made. A verdict that comes out as it was changes no page, and a change
//!   that is taken back leaves everything as it was.
//! * A page is filled from the fields of its [`Page`](crate::render::site::page::Page) and from nothing else, so that what it depends
//!   on is what its type holds. [`pages`] gives a fingerprint to each of these fields.
//! * Stamps only say what need not be read. What was read is compared by its bytes.
//! * Settings, flow and templates are small: they are read each time, and when one of them says something else, everything is made again.
//! * What is at fault is kept as what it is, a fault of its own bytes; what could not be made was not made. So nothing has to be undone
//!   when something fails, and what is shown changes only at the very end.

pub(super) mod conclusions;
mod memo;
mod pages;
mod print;
mod shelf;

use std::collections::BTreeMap;

use self::conclusions::{Conclusions, Grounds};
pub(super) use self::pages::Sink;
use self::pages::{Pages, Told, Unmade};
use self::print::Print;
use self::shelf::{Known, Shelf};
use super::project::{select, shown};
use super::{Failure, Project, parallel};
use crate::audit::{self, Around};
use crate::cli::Common;
use crate::diagnostic::{Diagnostic, Faults};
use crate::flow::Flow;
use crate::model::address::Address;
use crate::model::collection::{Archive, Run};
use crate::model::finding::Finding;
use crate::render::site::{RenderError, SiteInput};
use crate::render::templates::Templates;
use crate::serve::Patch;

/// A project's site, and what is needed to make it again at small cost.
pub struct Live {
    common: Common,
    maker: Maker,
}

impl Live {
    /// A site of which nothing was made yet.
    #[must_use]
    pub fn new(common: &Common) -> Self {
        Self { common: common.clone(), maker: Maker::default() }
    }

    /// Looks at what lies on the disk now, makes what changed and tells what is other than before.
    ///
    /// # Errors
    /// What is wrong with the project, as `plimsoll build` tells it; what was shown before stays as it is.
    pub fn renew(&mut self) -> Result<Patch, Failure> {
        let project = Project::open(&self.common)?;
        Ok(self.maker.renew(&project, &project.settings.site_url, None)?.patch)
    }
}

/// Everything that was made, with what it was made of.
#[derive(Default)]
pub(super) struct Maker {
    shelf: Shelf,
    templates: Option<(BTreeMap<String, String>, Templates)>,
    conclusions: Conclusions,
    pages: Pages,
}

/// A site, as it is told from the one before.
#[derive(Debug)]
pub(super) struct Renewed {
    /// What is other than before.
    pub patch: Patch,
    /// Warnings of what `[secrets] accept` accepts and nothing holds.
    pub needless: Vec<Diagnostic>,
    /// How many runs it shows.
    pub runs: usize,
    /// How many releases.
    pub releases: usize,
    /// The fingerprint of each of its files.
    pub prints: BTreeMap<String, Print>,
}

impl Maker {
    /// Makes what changed; the site says that it lives at `url`. Where there is a sink, it has the files, and the patch is empty.
    ///
    /// # Errors
    /// What is wrong with the project, or with the sink.
    pub(super) fn renew(&mut self, project: &Project, url: &str, sink: Option<&mut dyn Sink>) -> Result<Renewed, Failure> {
        let flow = project.flow(None)?;
        self.shelf.look(&project.archive_folder, &shown(&project.archive_folder))?;
        let (archive, known) = self.shelf.lend()?;
        let made = self.make((project, &flow, url), (&archive, &known), sink);
        let (runs, releases) = (archive.runs().count(), archive.releases().len());
        self.shelf.take_back(archive);
        let (patch, needless) = made?;
        let prints = self.pages.prints().map(|(path, print)| (path.clone(), print)).collect();
        Ok(Renewed { patch, needless, runs, releases, prints })
    }

    fn make(
        &mut self,
        (project, flow, url): (&Project, &Flow, &str),
        (archive, known): (&Archive, &BTreeMap<Address, Known>),
        sink: Option<&mut dyn Sink>,
    ) -> Result<(Patch, Vec<Diagnostic>), Failure> {
        project.check_overrides(flow, &select(archive, &[])?)?;
        let (texts, templates) = templates(&mut self.templates, project)?;
        self.conclusions.renew(Grounds {
            project,
            flow,
            archive,
            print: &|address| known.get(address).map(|known| known.measured),
        });
        let findings = findings(project, archive)?;
        let method = project.method(flow)?;
        let input = SiteInput {
            archive,
            findings: &findings,
            method: &method,
            goals: &project.settings.goals,
            verdicts: self.conclusions.verdicts(),
            drawings: &BTreeMap::new(),
            comparisons: self.conclusions.comparisons(),
            title: &project.settings.title(),
            service_name: &project.settings.service_name,
            url,
            templates,
        };
        let all = print::of(&(&project.settings, flow, url, texts, input.site().has_feed, &method));
        let told = Told { runs: known, conclusions: &self.conclusions, all };
        self.pages.renew((project, &input), flow, &told, sink).map_err(|unmade| match unmade {
            Unmade::Page(error) => self::unmade(&error),
            Unmade::Sink(failure) => failure,
            Unmade::Links(faults) | Unmade::Secrets(faults) => faults.into(),
        })
    }
}

/// What the audit finds in all runs. Rules hold runs against one another, so that a change of one may be found in another.
fn findings(project: &Project, archive: &Archive) -> Result<Vec<Finding>, Failure> {
    let mut rows = super::audit::acceptances(&project.settings.audits_accept)?;
    let around = Around::new(archive, &project.settings.service_name);
    let by_release: Vec<Vec<(&Address, &Run)>> = archive.releases().iter().map(|release| release.runs.iter().collect()).collect();
    let mut findings = parallel::each(&by_release, |chosen| audit::audit(&around, chosen)).concat();
    audit::accept(&mut findings, &mut rows);
    Ok(findings)
}

/// The project's templates, parsed again if their texts are other than they were.
fn templates<'a>(
    known: &'a mut Option<(BTreeMap<String, String>, Templates)>,
    project: &Project,
) -> Result<&'a (BTreeMap<String, String>, Templates), Failure> {
    let texts = project.texts("templates")?;
    let parsed = match known.take() {
        Some(known) if known.0 == texts => known,
        _ => {
            let templates = Templates::with_overrides(&texts)?;
            (texts, templates)
        }
    };
    Ok(known.insert(parsed))
}

/// The embedded templates fit their views, so what can't be filled is a project's own template, or a name of its runs.
pub(super) fn unmade(error: &RenderError) -> Failure {
    let fault = Diagnostic::error("page", error.to_string());
    Faults::from(fault.help("look at the project's templates/, and at the names of its releases and runs")).into()
}
