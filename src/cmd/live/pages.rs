//! The pages of a site, with what each was made of, and their links.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::conclusions::Conclusions;
use super::memo::{Memo, Wanted};
use super::print::{self, Print};
use super::shelf::Known;
use crate::cmd::scan::{Scanned, Sighting, look};
use crate::cmd::{Failure, Project};
use crate::diagnostic::{Diagnostic, Faults};
use crate::flow::{Flow, draw_within};
use crate::model::address::Address;
use crate::model::collection::ReleaseRuns;
use crate::model::comparison::Compared;
use crate::render::site::links::{self, Named, PageLinks};
use crate::render::site::page::{self, OfHistory, OfRelease, OfRun, OfStep, Page};
use crate::render::site::whole::Whole;
use crate::render::site::{RenderError, Site, SiteInput};
use crate::serve::Patch;
use crate::tree::TreePath;

/// Pages as they were made last, and what is shown of them: the last site without a fault.
#[derive(Debug, Default)]
pub(super) struct Pages {
    made: Memo<String, File>,
    shown: BTreeMap<String, Shown>,
}

/// Where the files of a site go as they are made, instead of being kept: thousands of them are more than a machine may have room for.
pub(in crate::cmd) trait Sink: Sync {
    /// Told before the first: all files that come.
    fn begin(&mut self, files: Vec<TreePath>) -> Result<(), Failure>;
    /// Takes a file, from any thread.
    fn take(&self, path: &TreePath, bytes: &[u8]) -> Result<(), Failure>;
}

/// A file of the site.
#[derive(Debug)]
struct File {
    /// Nothing, where a sink has them.
    bytes: Vec<u8>,
    shown: Shown,
    /// What looks like a secret in it.
    secrets: Vec<Sighting>,
}

/// What is known of a file that is shown.
#[derive(Clone, Debug)]
struct Shown {
    print: Print,
    /// Of a page; of another file there is nothing to know.
    links: Option<Arc<PageLinks>>,
}

/// What pages are told apart by.
pub(super) struct Told<'a> {
    /// Of each run.
    pub runs: &'a BTreeMap<Address, Known>,
    /// Of verdicts and comparisons.
    pub conclusions: &'a Conclusions,
    /// Of what all pages are told: the settings, the flow, the templates.
    pub all: Print,
}

/// Why a site can't be shown.
pub(super) enum Unmade {
    /// A page can't be made.
    Page(RenderError),
    /// It can't be taken.
    Sink(Failure),
    /// Links lead nowhere.
    Links(Faults),
    /// Something looks like a secret.
    Secrets(Faults),
}

impl Pages {
    /// Makes the pages whose parts have changed, and tells what is other than what was shown. What was shown stays until all links of
    /// the new site lead somewhere and nothing looks like a secret. Told are also rows of `[secrets] accept` that accept nothing.
    ///
    /// # Errors
    /// The first page that can't be made, in the order of the site; all dead links; all secrets.
    pub(super) fn renew(
        &mut self,
        (project, input): (&Project, &SiteInput<'_>),
        flow: &Flow,
        told: &Told<'_>,
        sink: Option<&mut dyn Sink>,
    ) -> Result<(Patch, Vec<Diagnostic>), Unmade> {
        let pages = page::all(input).map_err(Unmade::Page)?;
        let wanted = |page| Wanted { name: Page::path(&page), made_of: made_of(&page, told), parts: page };
        let wanted: Vec<Wanted<String, Page<'_>>> = pages.into_iter().map(wanted).collect();
        let site = input.site();
        let sink = match sink {
            Some(sink) => {
                let paths = wanted.iter().map(|one| TreePath::new(one.name.as_str())).collect::<Result<_, _>>();
                sink.begin(paths.map_err(|bad| Unmade::Page(bad.into()))?).map_err(Unmade::Sink)?;
                Some(&*sink)
            }
            None => None,
        };
        self.made.renew(&wanted, |file| file.shown.print, |page| make(page, site, flow, sink))?;
        self.check_links().map_err(Unmade::Links)?;
        let needless = self.scanned().check(project).map_err(Unmade::Secrets)?;
        let patch = if sink.is_some() { Patch::default() } else { self.patch() };
        self.shown = self.made.values().iter().map(|(path, file)| (path.clone(), file.shown.clone())).collect();
        Ok((patch, needless))
    }

    /// What the files hold that looks like a secret: each was looked through when it was made.
    fn scanned(&self) -> Scanned<'_> {
        let mut scanned = Scanned::default();
        for (path, file) in self.made.values() {
            scanned.add(path, &file.secrets);
        }
        scanned
    }

    /// Files that are new or other than what is shown.
    fn changed(&self) -> impl Iterator<Item = (&String, &File)> {
        self.made.values().iter().filter(|(path, file)| self.shown.get(*path).is_none_or(|shown| shown.print != file.shown.print))
    }

    /// What was shown has no dead link. So where no file has gone and no page has lost an anchor, only new links can be dead.
    fn check_links(&self) -> Result<(), Faults> {
        let files = self.made.values();
        let named = |path: &str| match files.get(path).map(|file| file.shown.links.as_deref()) {
            Some(Some(page)) => Named::Page(page),
            Some(None) => Named::File,
            None => Named::Nothing,
        };
        let is_whole = |(path, shown): (&String, &Shown)| match (&shown.links, named(path)) {
            (_, Named::Nothing) | (Some(_), Named::File) => false,
            (None, _) => true,
            (Some(old), Named::Page(new)) => std::ptr::eq(new, old.as_ref()) || new.has_all_of(old),
        };
        let dead =
            |(path, file): (&String, &File)| file.shown.links.iter().flat_map(|own| own.dead(path, named)).collect::<Vec<_>>();
        let dead: Vec<_> = if self.shown.iter().all(is_whole) {
            self.changed().flat_map(dead).collect()
        } else {
            files.iter().flat_map(dead).collect()
        };
        Faults::check(dead.iter().map(|link| Diagnostic::error("dead-link", link.to_string())).collect()).map(|_| ())
    }

    fn patch(&self) -> Patch {
        let mut patch = Patch::default();
        for (path, file) in self.changed() {
            // It was made as a path of a tree.
            let _fits = patch.changed.insert(path.as_str(), file.bytes.as_slice());
        }
        let gone = self.shown.keys().filter(|path| !self.made.values().contains_key(*path));
        patch.removed = gone.filter_map(|path| TreePath::new(path.as_str()).ok()).collect();
        patch
    }

    /// The fingerprint of every file that is shown.
    pub(super) fn prints(&self) -> impl Iterator<Item = (&String, Print)> {
        self.shown.iter().map(|(path, shown)| (path, shown.print))
    }
}

fn make(page: &Page<'_>, site: Site<'_>, flow: &Flow, sink: Option<&dyn Sink>) -> Result<File, Unmade> {
    let (path, text) = text(page, site, flow).map_err(Unmade::Page)?;
    let links = links::is_page(path.as_str()).then(|| Arc::new(PageLinks::of(path.as_str(), &text)));
    let secrets = look(path.as_str(), &text);
    let print = print::of_bytes(text.as_bytes());
    if let Some(sink) = sink {
        sink.take(&path, text.as_bytes()).map_err(Unmade::Sink)?;
    }
    let bytes = if sink.is_some() { Vec::new() } else { text.into_bytes() };
    Ok(File { shown: Shown { print, links }, secrets, bytes })
}

fn text(page: &Page<'_>, site: Site<'_>, flow: &Flow) -> Result<(TreePath, String), RenderError> {
    let text = match page {
        // A drawing is made of the verdict and the flow, and only where its page is.
        Page::Run(run) => {
            let drawing = run.verdict.map(|verdict| draw_within(flow, Some(verdict)));
            Page::Run(OfRun { drawing: drawing.as_deref(), ..run.clone() }).make(site)?
        }
        page => page.make(site)?,
    };
    Ok((TreePath::new(page.path())?, text))
}

/// The fingerprint of all parts of a page: each field of [`Page`] is named here.
fn made_of(page: &Page<'_>, told: &Told<'_>) -> Print {
    let all = told.all;
    match page {
        Page::Copy(file, template) => print::of(&(all, file, template)),
        Page::Overview(input) => print::of(&(all, "overview", told.everything(input), input.findings)),
        Page::Release(page) => print::of(&(all, told.release(page), &page.release.notes, &page.findings)),
        Page::Record(address, _) => print::of(&(all, "record", address, told.measured(address))),
        Page::Csv(address, _) => print::of(&("csv", address, told.measured(address))),
        Page::Series(address, _) => print::of(&("series", address, told.measured(address))),
        Page::Index(input) => print::of(&("index", told.everything(input), input.findings)),
        Page::Data(page) => print::of(&("data", page.address, told.measured(page.address), &page.others)),
        Page::K6Text(address, _) => print::of(&("k6", address, told.run(address))),
        Page::Run(page) => {
            let beside = (page.since, &page.findings, &page.common);
            print::of(&(all, "run", page.address, told.run(page.address), told.judged(page.address), beside))
        }
        Page::History(page) => {
            let target = |release, name: &str| told.conclusions.target_print(release, name);
            let changes: Vec<_> = page.changes.iter().map(|(one, of)| (&one.a, &one.b, target(&one.b, &of.target))).collect();
            print::of(&(all, "history", told.history(page), changes))
        }
        Page::Method(page) => print::of(&(all, "method", page.name)),
        Page::Pair(compared) => print::of(&(all, told.pair(compared))),
        Page::Target(page) => {
            let runs: Vec<_> = page.runs.keys().map(|one| (one, told.measured(one))).collect();
            let target = told.conclusions.target_print(page.releases[1], &page.target.target);
            print::of(&(all, page.releases, &page.sides, target, runs))
        }
        Page::Whole(file) => of_whole(file, told),
    }
}

/// The same of what the site has beside the pages: some is made of what a page is made of, some of little that it holds itself.
fn of_whole(file: &Whole<'_>, told: &Told<'_>) -> Print {
    let all = (told.all, file.path());
    match file {
        Whole::Index(input) => print::of(&(all, told.everything(input))),
        Whole::Release(page) => print::of(&(all, told.release(page))),
        Whole::History(page) => print::of(&(all, told.history(page))),
        Whole::Verdict(address, _) => print::of(&(all, told.judged(address))),
        Whole::Comparison(compared) => print::of(&(all, told.pair(compared))),
        Whole::Badge(badge) => print::of(&(all, badge)),
        Whole::Feed(feed) => print::of(&(all, feed)),
        Whole::Map(map) => print::of(&(all, map)),
        Whole::Leading(page) => print::of(&(all, page)),
        Whole::NotFound(page) => print::of(&(all, page)),
    }
}

impl Told<'_> {
    fn run(&self, address: &Address) -> Option<Print> {
        self.runs.get(address).map(|known| known.all)
    }

    /// Of other runs than its own a page shows what they measured, and nothing of what is written about them.
    fn measured(&self, address: &Address) -> Option<Print> {
        self.runs.get(address).map(|known| known.measured)
    }

    fn judged(&self, address: &Address) -> Option<Print> {
        self.conclusions.verdict_print(address)
    }

    /// Of the runs of a release.
    fn runs_of(&self, release: &ReleaseRuns) -> Vec<Print> {
        release.runs.keys().map(|one| print::of(&(one, self.measured(one), self.judged(one)))).collect()
    }

    /// Of all releases and of what their comparisons say first.
    fn everything(&self, input: &SiteInput<'_>) -> Print {
        let releases: Vec<_> = input.archive.releases().iter().map(|one| (&one.name, self.runs_of(one))).collect();
        let pairs = input.comparisons.iter().map(|one| (&one.a, &one.b, &one.comparison.headline.sentence));
        print::of(&(releases, pairs.collect::<Vec<_>>()))
    }

    /// Of a release, and of what its comparison says first.
    fn release(&self, page: &OfRelease<'_>) -> Print {
        let since = page.since.map(|since| (since.release, since.sentence));
        print::of(&(&page.release.name, self.runs_of(page.release), since))
    }

    /// Of a target's runs over all releases, and of its goal.
    fn history(&self, page: &OfHistory<'_>) -> Print {
        let step = |step: &OfStep<'_>| (step.address.clone(), self.measured(step.address), self.judged(step.address));
        let releases: Vec<_> =
            page.releases.iter().map(|(name, runs)| (name, runs.iter().map(step).collect::<Vec<_>>())).collect();
        print::of(&(page.target, page.goal.map(f64::to_bits), releases))
    }

    /// Of two releases compared.
    fn pair(&self, compared: &Compared) -> Print {
        let target = |name: &str| self.conclusions.target_print(&compared.b, name);
        let targets = compared.comparison.targets.iter().map(|one| (&one.target, target(&one.target)));
        print::of(&(&compared.a, &compared.b, targets.collect::<Vec<_>>()))
    }
}
