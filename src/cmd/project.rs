//! The project a command works in: its settings, its archive, its flows, its templates.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Failure;
use crate::archive;
use crate::capture::Rules;
use crate::capture::mapping::Mapping;
use crate::capture::queries::Names;
use crate::cli::Common;
use crate::diagnostic::{Diagnostic, Faults};
use crate::flow::{self, BUILT_IN, Flow, Judged};
use crate::fs;
use crate::model::address::{Address, Pattern};
use crate::model::collection::{Archive, Run};
use crate::model::derive;
use crate::model::proof::{RuleHash, RuleHashes};
use crate::model::provenance::Input;
use crate::model::verdict::Verdict;
use crate::render::templates::Templates;
use crate::samples::origins::Origins;
use crate::settings::Settings;
use crate::source::Source;
use crate::tree::Tree;

/// A folder with its `plimsoll.toml`, if it has one.
#[derive(Debug)]
pub struct Project {
    /// The folder.
    pub root: PathBuf,
    /// Its settings.
    pub settings: Settings,
    /// The folder of its records.
    pub archive_folder: PathBuf,
}

impl Project {
    /// Opens the project: `--project`, else the nearest folder upward with a `plimsoll.toml`, else here.
    ///
    /// # Errors
    /// A folder that is not there, a `plimsoll.toml` with faults.
    pub fn open(common: &Common) -> Result<Self, Failure> {
        let root = Self::folder(common)?;
        let file = root.join(FILE);
        let settings = match fs::read(&file) {
            Ok(bytes) => Settings::read(&Source::from_bytes(shown(&file), &bytes))?,
            Err(error) if fs::is_missing(&error) => Settings::default(),
            Err(error) => return Err(error.into()),
        };
        let archive_folder = common.archive.clone().unwrap_or_else(|| root.join("data"));
        Ok(Self { root, settings, archive_folder })
    }

    /// The folder of the project, whatever lies in it.
    ///
    /// # Errors
    /// A folder that is not there.
    pub fn folder(common: &Common) -> Result<PathBuf, Failure> {
        match &common.project {
            Some(folder) if !fs::is_folder(folder) => {
                Err(Failure::misuse("no-project", format!("there is no folder `{}`", folder.display())))
            }
            Some(folder) => Ok(folder.clone()),
            None => Ok(nearest(Path::new("."))),
        }
    }

    /// The folders of this program's own making, the archive and the site, as real paths: what lies in them is not taken in
    /// with the folder around them. One that was asked for itself is not among them.
    #[must_use]
    pub fn own_folders(&self, asked: &Path) -> Vec<PathBuf> {
        let asked = fs::real(asked);
        let own = [fs::real(&self.archive_folder), fs::real(&self.root.join("site"))];
        own.into_iter().filter(|own| !asked.starts_with(own)).collect()
    }

    /// The rules that say on whose side a request failed: the project's own, then the built-in ones.
    ///
    /// # Errors
    /// A file of rules that can't be read, or its faults.
    pub fn origins(&self) -> Result<Origins, Failure> {
        Ok(self
            .own_rules("errors", self.settings.error_rules.as_ref())?
            .map_or_else(|| Ok(Origins::built_in()), |own| Origins::read(&own))?)
    }

    /// The rules that say what captured series measure and how statements are called: the project's own, then the built-in ones.
    ///
    /// # Errors
    /// A file of rules that can't be read, or the faults of both.
    pub fn capture_rules(&self) -> Result<Rules, Failure> {
        let (metrics, queries) = (&self.settings.metric_rules, &self.settings.query_rules);
        let mapping =
            self.own_rules("metrics", metrics.as_ref())?.map_or_else(|| Ok(Mapping::built_in()), |own| Mapping::read(&own));
        let names = self.own_rules("queries", queries.as_ref())?.map_or_else(|| Ok(Names::built_in()), |own| Names::read(&own));
        match (mapping, names) {
            (Ok(mapping), Ok(names)) => Ok(Rules { mapping, names }),
            (mapping, names) => {
                let faults = [mapping.err(), names.err()].into_iter().flatten().flat_map(Faults::into_list);
                Faults::check(faults.collect())?;
                Ok(Rules::built_in())
            }
        }
    }

    /// The fingerprints of all rules by which inputs are read.
    ///
    /// # Errors
    /// A file of rules that can't be read.
    pub fn rule_hashes(&self) -> Result<RuleHashes, Failure> {
        let hash = |text: &str| Input::of("", "", text.as_bytes()).blake3;
        let of = |section, own: &Option<String>, built_in| -> Result<RuleHash, Failure> {
            let own = self.own_rules(section, own.as_ref())?.map(|source| hash(source.text()));
            Ok(RuleHash { own, built_in: hash(built_in) })
        };
        let settings = &self.settings;
        Ok(RuleHashes {
            metrics: of("metrics", &settings.metric_rules, Mapping::BUILT_IN)?,
            queries: of("queries", &settings.query_rules, Names::BUILT_IN)?,
            errors: of("errors", &settings.error_rules, Origins::BUILT_IN)?,
        })
    }

    /// A file of rules of the project's own, if the section of plimsoll.toml names one; a name that leads to no file is a fault
    /// of plimsoll.toml.
    fn own_rules(&self, section: &str, own: Option<&String>) -> Result<Option<Source>, Failure> {
        let Some(own) = own else { return Ok(None) };
        let file = self.root.join(own);
        if !fs::exists(&file) || fs::is_folder(&file) {
            let settings = self.root.join(FILE);
            let text = Source::from_bytes(shown(&settings), &fs::read(&settings)?);
            let start = text.text().find(&format!("[{section}]")).unwrap_or(0);
            let at = text.text()[start..].find(own.as_str()).map_or(0..0, |at| start + at..start + at + own.len());
            let message = format!("`[{section}] rules` names {}, and there is no such file", shown(&file));
            let fault = Diagnostic::error("no-rules", message).at(text.at(at));
            return Err(Faults::from(fault.help("the path is taken from the folder of plimsoll.toml")).into());
        }
        Ok(Some(Source::from_bytes(shown(&file), &fs::read(&file)?)))
    }

    /// Loads the archive.
    ///
    /// # Errors
    /// The faults of its files.
    pub fn archive(&self) -> Result<Archive, Failure> {
        self.archive_of(&self.archive_files()?)
    }

    /// The files of the archive.
    ///
    /// # Errors
    /// What the disk refuses.
    pub fn archive_files(&self) -> Result<Tree, Failure> {
        let _held = fs::reading(&self.archive_folder)?;
        Ok(fs::read_tree(&self.archive_folder)?)
    }

    /// The archive of its files.
    ///
    /// # Errors
    /// The faults of its files.
    pub fn archive_of(&self, files: &Tree) -> Result<Archive, Failure> {
        Ok(archive::load(files, &shown(&self.archive_folder))?)
    }

    /// The templates, the project's own before the embedded ones.
    ///
    /// # Errors
    /// All faults of the project's own.
    pub fn templates(&self) -> Result<Templates, Failure> {
        Ok(Templates::with_overrides(&self.texts("templates")?)?)
    }

    /// The files of a folder of the project as texts by path; none where there is no such folder.
    ///
    /// # Errors
    /// What the disk refuses.
    pub fn texts(&self, folder: &str) -> Result<BTreeMap<String, String>, Failure> {
        let tree = fs::read_tree(&self.root.join(folder))?;
        Ok(tree.iter().map(|(path, bytes)| (path.to_string(), String::from_utf8_lossy(bytes).into_owned())).collect())
    }

    /// A flow by name or file: the project's own (`flows/NAME.toml`) before a built-in one; that of plimsoll.toml where none
    /// is named.
    ///
    /// # Errors
    /// An unknown name (near names offered), or all faults of the file.
    pub fn flow(&self, name: Option<&str>) -> Result<Flow, Failure> {
        Ok(Flow::read(&self.flow_text(name)?)?)
    }

    /// The text of a flow, found as [`Self::flow`] finds it.
    ///
    /// # Errors
    /// An unknown name (near names offered), or what the disk refuses.
    pub fn flow_text(&self, name: Option<&str>) -> Result<Source, Failure> {
        let name = name.unwrap_or(&self.settings.flow);
        let is_file = Path::new(name).extension().is_some_and(|ending| ending == "toml");
        let path = if is_file { PathBuf::from(name) } else { self.root.join("flows").join(format!("{name}.toml")) };
        match fs::read(&path) {
            Ok(bytes) => Ok(Source::from_bytes(shown(&path), &bytes)),
            Err(error) if fs::is_missing(&error) && !is_file => self.builtin_text(name),
            Err(error) => Err(error.into()),
        }
    }

    /// A built-in flow.
    ///
    /// # Errors
    /// An unknown name, near names offered.
    pub fn builtin(&self, name: &str) -> Result<Flow, Failure> {
        Ok(Flow::read(&self.builtin_text(name)?)?)
    }

    fn builtin_text(&self, name: &str) -> Result<Source, Failure> {
        let Some(source) = flow::builtin(name) else {
            let names = self.flow_names()?;
            let fault = Diagnostic::error("unknown-flow", format!("unknown flow `{name}`"));
            let fault = fault.note(format!("there are {}", names.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>().join(", ")));
            let fault = fault.suggest(name, names.iter().map(|(n, _)| n.as_str()));
            let is_settings = name == self.settings.flow;
            let fault = if is_settings { fault.note(format!("it is the flow of {FILE}")) } else { fault };
            return Err(if is_settings { Faults::from(fault).into() } else { Failure::Misuse(fault) });
        };
        Ok(source)
    }

    /// All flows by name, and whether they are the project's or built in.
    ///
    /// # Errors
    /// What the disk refuses.
    pub fn flow_names(&self) -> Result<Vec<(String, &'static str)>, Failure> {
        let mut names: BTreeMap<String, &'static str> = BUILT_IN.iter().map(|name| ((*name).to_owned(), "built in")).collect();
        for path in self.texts("flows")?.into_keys() {
            if let Some(name) = path.strip_suffix(".toml").filter(|name| !name.contains('/')) {
                names.insert(name.to_owned(), "project");
            }
        }
        Ok(names.into_iter().collect())
    }

    /// The verdict of a run of the archive.
    #[must_use]
    pub fn judge(&self, flow: &Flow, archive: &Archive, address: &Address, run: &Run) -> Verdict {
        let previous = archive.previous(address).map(|(_, run)| &run.record);
        let goal = self.settings.goals.get(&address.target).copied();
        let known = derive::known(&run.record, previous, goal, self.settings.stop_at_goal);
        flow.judge(&known, &Judged::from(&run.record))
    }

    /// Refuses overrides that name no outcome of the flow.
    ///
    /// # Errors
    /// One fault a run.
    pub fn check_overrides(&self, flow: &Flow, runs: &[(&Address, &Run)]) -> Result<(), Failure> {
        let faults = runs.iter().filter_map(|(address, run)| {
            let outcome = &run.record.overridden.as_ref()?.outcome;
            if flow.outcome(outcome).is_some() {
                return None;
            }
            let message = format!("the override of {address} names `{outcome}`, which is no outcome of `{}`", flow.name());
            let known: Vec<&str> = flow.outcomes().map(|outcome| outcome.name).collect();
            let fault = Diagnostic::error("unknown-outcome", message).note(format!("outcomes: {}", known.join(", ")));
            Some(fault.suggest(outcome, known))
        });
        Faults::check(faults.collect())?;
        Ok(())
    }
}

/// The settings' file.
pub(super) const FILE: &str = "plimsoll.toml";

fn nearest(start: &Path) -> PathBuf {
    let here = std::path::absolute(start).unwrap_or_else(|_| start.to_owned());
    match here.ancestors().find(|folder| fs::exists(&folder.join(FILE))) {
        // Paths that people see stay short where the project is right here.
        Some(folder) if folder != here => folder.to_owned(),
        _ => PathBuf::new(),
    }
}

/// A count with its noun: `1 run`, `32 runs`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// A path as people see it, with `/`.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

/// The runs that patterns choose.
///
/// # Errors
/// Misuse: a pattern that is none, or that matches nothing (near names offered).
pub(super) fn select<'a>(archive: &'a Archive, patterns: &[String]) -> Result<Vec<(&'a Address, &'a Run)>, Failure> {
    let mut compiled = Vec::new();
    for pattern in patterns {
        let pattern = Pattern::new(pattern).map_err(|bad| Failure::misuse("bad-pattern", bad.to_string()))?;
        if archive.select(std::slice::from_ref(&pattern)).is_empty() {
            return Err(Failure::Misuse(unmatched(archive, pattern.as_str())));
        }
        compiled.push(pattern);
    }
    let runs = archive.select(&compiled);
    if runs.is_empty() {
        let fault = Diagnostic::error("empty-archive", "the archive holds no run");
        return Err(Failure::Misuse(fault.help("make records first: plimsoll ingest PATH...")));
    }
    Ok(runs)
}

fn unmatched(archive: &Archive, pattern: &str) -> Diagnostic {
    let releases: Vec<String> = archive.releases().iter().map(|release| release.name.to_string()).collect();
    let runs: Vec<String> = archive.runs().map(|(address, _)| address.to_string()).collect();
    let fault =
        Diagnostic::error("no-match", format!("no run matches `{pattern}`")).note(format!("releases: {}", releases.join(", ")));
    match pattern.split_once('/') {
        None => fault.suggest(pattern, releases.iter().map(String::as_str)),
        Some((release, run)) if release.contains('*') => {
            let known: Vec<String> = archive.runs().map(|(address, _)| address.run()).collect();
            fault.suggest(run, known.iter().map(String::as_str))
        }
        Some(_) => fault.suggest(pattern, runs.iter().map(String::as_str)),
    }
}
