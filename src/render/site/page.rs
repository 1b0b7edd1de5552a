//! The site page by page: which files it has, and what each of them is made of.
//!
//! A page's parts are all that it is made of beside the [`Site`]: what fills it is not given the archive. Who keeps pages may therefore
//! keep one as long as its parts are what they were.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::comparison::{self, Sides};
use super::environment::{self, Common};
use super::method::{self, OfMethod};
use super::run::{data, downloads};
use super::whole::{self, Around, Whole};
use super::{RenderError, Site, SiteInput, index, overview, release, run, target};
use crate::model::address::{Address, Release, Target};
use crate::model::collection::{ReleaseRuns, Run};
use crate::model::comparison::{Compared, TargetComparison};
use crate::model::finding::Finding;
use crate::model::verdict::Verdict;

/// A file of the site, with what it is made of.
#[derive(Clone, Debug)]
pub enum Page<'a> {
    /// A template that is copied, and the name of its copy.
    Copy(&'static str, &'static str),
    /// The first page, which tells of everything.
    Overview(&'a SiteInput<'a>),
    /// What the search knows.
    Index(&'a SiteInput<'a>),
    /// A release.
    Release(OfRelease<'a>),
    /// A run.
    Run(OfRun<'a>),
    /// A run's record as JSON.
    Record(&'a Address, &'a Run),
    /// A run's series as a table.
    Csv(&'a Address, &'a Run),
    /// A run's series as columns.
    Series(&'a Address, &'a Run),
    /// A run's seconds as a script, for charts that answer.
    Data(OfData<'a>),
    /// What k6 printed at a run's end.
    K6Text(&'a Address, &'a Run),
    /// A target over all releases.
    History(OfHistory<'a>),
    /// How all of it was made and judged.
    Method(OfMethod<'a>),
    /// Two releases.
    Pair(&'a Compared),
    /// A target of two releases.
    Target(OfTarget<'a>),
    /// What the site has beside these.
    Whole(Whole<'a>),
}

/// What the page of a release is made of.
#[derive(Clone, Debug)]
pub struct OfRelease<'a> {
    /// The release.
    pub release: &'a ReleaseRuns,
    /// What a flow concludes of its runs, in their order.
    pub verdicts: Vec<Option<&'a Verdict>>,
    /// What its comparison with an earlier release says first.
    pub since: Option<Since<'a>>,
    /// What the audit finds in it and in its runs.
    pub findings: Vec<&'a Finding>,
}

/// A comparison in a sentence.
#[derive(Clone, Copy, Debug)]
pub struct Since<'a> {
    /// The earlier release.
    pub release: &'a Release,
    /// What is to be said first.
    pub sentence: &'a str,
}

impl<'a> From<&'a Compared> for Since<'a> {
    fn from(compared: &'a Compared) -> Self {
        Self { release: &compared.a, sentence: &compared.comparison.headline.sentence }
    }
}

/// What the page of a run is made of.
#[derive(Clone, Debug)]
pub struct OfRun<'a> {
    /// Where it lies.
    pub address: &'a Address,
    /// The run.
    pub run: &'a Run,
    /// What a flow concludes of it.
    pub verdict: Option<&'a Verdict>,
    /// The flow with the run's path lit.
    pub drawing: Option<&'a str>,
    /// The earlier release that its target is compared with.
    pub since: Option<&'a Release>,
    /// What the audit finds in it.
    pub findings: Vec<&'a Finding>,
    /// What all runs of its release have in common.
    pub common: Arc<Common>,
}

/// What the script of a run's seconds is made of.
#[derive(Clone, Debug)]
pub struct OfData<'a> {
    /// Where the run lies.
    pub address: &'a Address,
    /// The run.
    pub run: &'a Run,
    /// Other runs of its target that have such a script, the newest release first.
    pub others: Vec<&'a Address>,
}

/// What the page of a target is made of.
#[derive(Clone, Debug)]
pub struct OfHistory<'a> {
    /// The target.
    pub target: &'a Target,
    /// What it is to reach, in iterations a second.
    pub goal: Option<f64>,
    /// All releases, oldest first, with the target's runs in them.
    pub releases: Vec<(&'a Release, Vec<OfStep<'a>>)>,
    /// Comparisons of the target with earlier releases: what each says of the later one.
    pub changes: Vec<(&'a Compared, &'a TargetComparison)>,
}

/// A run of a target.
#[derive(Clone, Copy, Debug)]
pub struct OfStep<'a> {
    /// Where it lies.
    pub address: &'a Address,
    /// The run.
    pub run: &'a Run,
    /// What a flow concludes of it.
    pub verdict: Option<&'a Verdict>,
}

/// What the page of a target of two releases is made of.
#[derive(Clone, Debug)]
pub struct OfTarget<'a> {
    /// The earlier release and the later one, whose pages the page is among.
    pub releases: [&'a Release; 2],
    /// What it is told of the whole comparison.
    pub sides: Sides<'a>,
    /// What changed.
    pub target: &'a TargetComparison,
    /// The runs it names, where the archive has them.
    pub runs: BTreeMap<Address, &'a Run>,
}

/// Files that are copied: where to, and the template.
const COPIES: [(&str, &str); 7] = [
    ("assets/style.css", "site/style.css"),
    ("assets/flow.css", "site/flow.css"),
    ("assets/mark.svg", "site/mark.svg"),
    ("assets/site.js", "site/site.js"),
    ("assets/charts.js", "site/charts.js"),
    ("assets/uplot.js", "site/uplot.js"),
    ("assets/uplot.LICENSE.txt", "site/uplot.LICENSE.txt"),
];

/// Names in the site's root that no release may have.
const ROOT_NAMES: [&str; 4] = ["assets", "index.html", method::FOLDER, target::FOLDER];
/// Names in the folder of a release that no run may have.
const RELEASE_NAMES: [&str; 3] = ["index.html", whole::DATA, comparison::FOLDER];

/// All files of a site.
///
/// # Errors
/// [`RenderError::Taken`] if a release or run has a name the site needs itself.
pub fn all<'a>(input: &'a SiteInput<'a>) -> Result<Vec<Page<'a>>, RenderError> {
    let mut pages: Vec<Page<'_>> = COPIES.into_iter().map(|(file, template)| Page::Copy(file, template)).collect();
    pages.extend([Page::Overview(input), Page::Index(input)]);
    for release in input.archive.releases() {
        refuse(release.name.as_str(), &[&ROOT_NAMES[..], &whole::ROOT_NAMES].concat())?;
        let compared = input.comparison_of(&release.name);
        pages.push(Page::Release(of_release(input, release, compared)));
        let common = Arc::new(environment::common(release, input.service_name));
        for (address, run) in &release.runs {
            refuse(&address.run(), &RELEASE_NAMES)?;
            pages.extend(beside(address, run));
            if data::has(run) {
                pages.push(Page::Data(of_data(input, address, run)));
            }
            pages.push(Page::Run(of_run(input, (address, run), compared, common.clone())));
        }
        if let Some(compared) = compared {
            pages.push(Page::Pair(compared));
            for target in &compared.comparison.targets {
                refuse(&target.target, &["index.html", whole::DATA])?;
                pages.push(Page::Target(of_target(input, compared, target)));
            }
        }
    }
    pages.extend(histories(input).into_iter().map(Page::History));
    pages.extend(input.method.pages().into_iter().map(Page::Method));
    let whole = whole::all(input, &pages);
    pages.extend(whole);
    Ok(pages)
}

/// What can be taken along from a run's page.
fn beside<'a>(address: &'a Address, run: &'a Run) -> impl Iterator<Item = Page<'a>> {
    let series = downloads::has_series(run);
    [
        Some(Page::Record(address, run)),
        series.then_some(Page::Csv(address, run)),
        series.then_some(Page::Series(address, run)),
        run.k6_text.as_ref().map(|_| Page::K6Text(address, run)),
    ]
    .into_iter()
    .flatten()
}

fn of_data<'a>(input: &'a SiteInput<'a>, address: &'a Address, run: &'a Run) -> OfData<'a> {
    let newest_first = input.archive.releases().iter().rev().flat_map(|release| &release.runs);
    let is_other = |(other, run): &(&'a Address, &'a Run)| other.target == address.target && *other != address && data::has(run);
    OfData { address, run, others: newest_first.filter(is_other).map(|(other, _)| other).collect() }
}

fn histories<'a>(input: &'a SiteInput<'a>) -> Vec<OfHistory<'a>> {
    let mut targets: Vec<&Target> = input.archive.runs().map(|(address, _)| &address.target).collect();
    targets.sort();
    targets.dedup();
    targets.into_iter().map(|target| of_history(input, target)).collect()
}

fn of_history<'a>(input: &'a SiteInput<'a>, target: &'a Target) -> OfHistory<'a> {
    let step = |(address, run): (&'a Address, &'a Run)| OfStep { address, run, verdict: input.verdicts.get(address) };
    let of = |release: &'a ReleaseRuns| release.runs.iter().filter(|(address, _)| address.target == *target).map(step).collect();
    let change = |compared: &'a Compared| {
        let targets = &compared.comparison.targets;
        targets.iter().find(|one| one.target == target.as_str()).map(|one| (compared, one))
    };
    OfHistory {
        target,
        goal: input.goals.get(target).copied(),
        releases: input.archive.releases().iter().map(|release| (&release.name, of(release))).collect(),
        changes: input.comparisons.iter().filter_map(change).collect(),
    }
}

fn of_release<'a>(input: &'a SiteInput<'a>, release: &'a ReleaseRuns, compared: Option<&'a Compared>) -> OfRelease<'a> {
    OfRelease {
        release,
        verdicts: release.runs.keys().map(|address| input.verdicts.get(address)).collect(),
        since: compared.map(Since::from),
        findings: input.findings.iter().filter(|finding| finding.release == release.name.as_str()).collect(),
    }
}

fn of_run<'a>(
    input: &'a SiteInput<'a>,
    (address, run): (&'a Address, &'a Run),
    compared: Option<&'a Compared>,
    common: Arc<Common>,
) -> OfRun<'a> {
    let name = address.run();
    let is_its = |finding: &&Finding| finding.release == address.release.as_str() && finding.run.as_ref() == Some(&name);
    OfRun {
        address,
        run,
        verdict: input.verdicts.get(address),
        drawing: input.drawings.get(address).map(String::as_str),
        since: compared.filter(|compared| compared.has(address.target.as_str())).map(|compared| &compared.a),
        findings: input.findings.iter().filter(is_its).collect(),
        common,
    }
}

fn of_target<'a>(input: &'a SiteInput<'a>, compared: &'a Compared, target: &'a TargetComparison) -> OfTarget<'a> {
    let comparison = &compared.comparison;
    let found = comparison.headline.found.iter().filter(|finding| finding.target == target.target);
    let run = |address: Address| input.archive.run(&address).map(|run| (address, run));
    OfTarget {
        releases: [&compared.a, &compared.b],
        sides: Sides { a: &comparison.a, b: &comparison.b, found: found.collect() },
        target,
        runs: target.runs.iter().filter_map(|account| run(account.run.parse().ok()?)).collect(),
    }
}

impl Page<'_> {
    /// Where the file lies in the site.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            Self::Copy(file, _) => (*file).to_owned(),
            Self::Overview(_) => "index.html".to_owned(),
            Self::Index(_) => index::FILE.to_owned(),
            Self::Release(page) => format!("{}/index.html", page.release.name),
            Self::Run(page) => format!("{}/index.html", page.address),
            Self::Record(address, _) => format!("{address}/record.json"),
            Self::Csv(address, _) => format!("{address}/{}", downloads::CSV),
            Self::Series(address, _) => format!("{address}/{}", downloads::JSON),
            Self::Data(page) => format!("{}/{}", page.address, data::FILE),
            Self::K6Text(address, _) => format!("{address}/{}", downloads::K6_TEXT),
            Self::History(page) => target::path(page.target),
            Self::Method(page) => method::path(page.name),
            Self::Pair(compared) => format!("{}/{}/index.html", compared.b, comparison::FOLDER),
            Self::Target(page) => format!("{}/{}/{}/index.html", page.releases[1], comparison::FOLDER, page.target.target),
            Self::Whole(file) => file.path(),
        }
    }

    /// The file's text.
    ///
    /// # Errors
    /// [`RenderError`] if a template can't be filled.
    pub fn make(&self, site: Site<'_>) -> Result<String, RenderError> {
        match self {
            Self::Copy(_, template) => Ok(site.templates.text(template).unwrap_or_default().to_owned()),
            Self::Index(input) => index::script(input).map_err(|error| RenderError::Index(error.to_string())),
            Self::Overview(input) => filled(self.around(site), site, "site/index.html", &overview::view(input)),
            Self::Release(page) => filled(self.around(site), site, "site/release.html", &release::view(site, page)),
            Self::Run(page) => filled(self.around(site), site, "site/run.html", &run::view(site, page)),
            Self::Record(address, run) => record(address, run),
            Self::Csv(_, run) => Ok(run.series.as_ref().map(downloads::csv).unwrap_or_default()),
            Self::Series(address, run) => {
                let wrong = |error: serde_json::Error| unwritten(address, &error);
                run.series.as_ref().map_or_else(|| Ok(String::new()), downloads::json).map_err(wrong)
            }
            Self::Data(page) => {
                data::script(page.address, page.run, &page.others).map_err(|error| unwritten(page.address, &error))
            }
            Self::K6Text(_, run) => Ok(run.k6_text.clone().unwrap_or_default()),
            Self::History(page) => filled(self.around(site), site, "site/target.html", &target::view(site, page)),
            Self::Method(page) => filled(self.around(site), site, "site/method.html", &method::view(site, page)),
            Self::Pair(compared) => filled(self.around(site), site, "site/comparison.html", &comparison::pair(site, compared)),
            Self::Target(page) => filled(self.around(site), site, "site/comparison/target.html", &comparison::target(site, page)),
            Self::Whole(file) => file.make(site),
        }
    }

    /// What the page is told of the whole site.
    pub(super) fn around(&self, site: Site<'_>) -> Around {
        whole::around(site, self)
    }
}

/// A view with what every page is told of the whole site.
#[derive(Serialize)]
pub(super) struct Framed<'a, V> {
    whole: Around,
    #[serde(flatten)]
    view: &'a V,
}

pub(super) fn framed<V: Serialize>(whole: Around, view: &V) -> Framed<'_, V> {
    Framed { whole, view }
}

pub(super) fn filled<V: Serialize>(whole: Around, site: Site<'_>, template: &str, view: &V) -> Result<String, RenderError> {
    Ok(site.templates.fill(template, &framed(whole, view))?)
}

fn record(address: &Address, run: &Run) -> Result<String, RenderError> {
    Ok(serde_json::to_string_pretty(&run.record).map_err(|error| unwritten(address, &error))? + "\n")
}

fn unwritten(address: &Address, error: &serde_json::Error) -> RenderError {
    RenderError::Record { address: address.to_string(), message: error.to_string() }
}

fn refuse(name: &str, taken: &[&str]) -> Result<(), RenderError> {
    // Some disks don't tell upper from lower case.
    if taken.iter().any(|taken| taken.eq_ignore_ascii_case(name)) { Err(RenderError::Taken(name.to_owned())) } else { Ok(()) }
}
