//! From files to runs: a run's folder, a flat sweep as ZITADEL's runner leaves it, or single files.
//!
//! Pages, k6 summaries and raw samples make runs; everything else is joined to one by what it says (its targets, its times) and by the
//! file names the runner gives (`TARGET-output.json`, `LOG_status.txt`). Whatever was concluded from a name is said.

mod addressing;
mod captures;
mod gathering;
mod joining;
mod masking;
mod raw;
mod repeats;
mod run;
mod scope;

use std::collections::BTreeMap;
use std::path::PathBuf;

use self::gathering::Gathered;
use self::raw::RawPiece;
pub use self::raw::{Kinds, ReadRaw};
use self::run::Run;
use super::kinds::{self, Content, Kind};
use crate::capture::Rules;
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::address::{Address, Label, Release, Target};
use crate::model::provenance::Input;
use crate::model::record::{Record, Window};
use crate::model::series::Series;
use crate::samples::{FsError, Unread};
use crate::source::Source;

/// The group of files that were named one by one.
pub const NAMED: &str = "";

/// A file handed to `ingest`.
#[derive(Clone, Debug)]
pub struct Given {
    /// Its path relative to what was named on the command line: what provenance keeps.
    pub path: String,
    /// Its path as people know it: what faults show.
    pub shown: String,
    /// Files of one group lie in one folder; files named one by one are one group.
    pub group: String,
    /// What is in it.
    pub body: Body,
    /// Whether it was named itself, not found in a folder.
    pub named: bool,
}

/// What is in a file.
#[derive(Clone, Debug)]
pub enum Body {
    /// Its bytes, unfolded.
    Whole(Vec<u8>),
    /// Raw samples, which are read where they lie: their first bytes tell what they are.
    Raw {
        /// Where to read them.
        place: PathBuf,
        /// Their first bytes, unfolded.
        head: Vec<u8>,
    },
}

/// What the command line says about the runs.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// `--release`.
    pub release: Option<Release>,
    /// `--target`.
    pub target: Option<Target>,
    /// `--label`.
    pub label: Option<Label>,
}

/// A run made of files, before what people wrote is laid over it.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The record.
    pub record: Record,
    /// k6's end-of-test summary.
    pub k6_text: Option<String>,
    /// Per-second series.
    pub series: Option<Series>,
    /// `run.toml` files that belong to it.
    pub by_hand: Vec<Source>,
    /// `release.toml` files given with it: their facts are its own too, since a record is complete in itself.
    pub by_hand_of_release: Vec<Source>,
    /// Whether there is neither a page nor a summary: then it adds to a record that the archive has.
    pub is_addition: bool,
    /// Whether its series is of raw samples.
    pub has_raw: bool,
}

impl Draft {
    /// A run of which nothing but its record is known.
    fn new(record: Record) -> Self {
        let (by_hand, by_hand_of_release) = (Vec::new(), Vec::new());
        Self { record, k6_text: None, series: None, by_hand, by_hand_of_release, is_addition: false, has_raw: false }
    }
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its path.
    pub path: String,
    /// Its kind, if known.
    pub kind: Option<&'static str>,
    /// The runs it was used for; empty where it was not.
    pub runs: String,
    /// What it gave besides being there, or why it was not used.
    pub fate: String,
    /// Whether it was used.
    pub used: bool,
}

/// Everything that came of the files.
#[derive(Clone, Debug, Default)]
pub struct Harvest {
    /// The runs, by address.
    pub drafts: Vec<Draft>,
    /// The files, by path.
    pub files: Vec<Listed>,
    /// What people should know.
    pub remarks: Vec<Diagnostic>,
}

/// A file that was read.
struct Piece {
    source: Source,
    group: String,
    input: Input,
    kind: &'static Kind,
    content: Content,
}

/// Makes runs of files beside an archive: `window` tells when a run that the archive has was made, so that points outside
/// of it are left out of what is added to it; `rules` say what captured series measure and how statements are called.
///
/// # Errors
/// All faults: files that can't be read, named files of no known kind, runs whose release or target nothing tells, two
/// runs of one address, files that contradict each other, a file that belongs to no run.
pub fn harvest(
    given: Vec<Given>,
    asked: &Asked,
    window: &dyn Fn(&Address) -> Option<Window>,
    raw: &ReadRaw<'_>,
    rules: &Rules,
) -> Result<Harvest, Unread> {
    let (harvest, silent) = (Harvest::default(), BTreeMap::new());
    let mut sweep = Sweep { asked, window, raw, rules, harvest, faults: Vec::new(), world: None, silent };
    let (pieces, raws) = sweep.read(given);
    let raws = sweep.raw_runs(raws);
    let (primaries, others): (Vec<Piece>, Vec<Piece>) =
        pieces.into_iter().partition(|piece| matches!(piece.content, Content::Page(_) | Content::Text(_) | Content::Json(_)));
    let mut gathered = sweep.gather(primaries);
    Sweep::join_raw(&mut gathered, raws);
    sweep.break_silence(&gathered);
    let mut runs: Vec<Run> = gathered.into_iter().filter_map(|gathered| sweep.found(gathered)).collect();
    sweep.label_repeats(&mut runs);
    sweep.list_runs(&runs);
    sweep.refuse_twins(&runs);
    let (captures, others): (Vec<Piece>, Vec<Piece>) =
        others.into_iter().partition(|piece| matches!(piece.content, Content::Capture(_)));
    for piece in others {
        sweep.attach(&mut runs, &piece);
    }
    sweep.capture(&mut runs, captures);
    sweep.finish(runs)
}

struct Sweep<'a> {
    asked: &'a Asked,
    /// When a run was made that is there already.
    window: &'a dyn Fn(&Address) -> Option<Window>,
    harvest: Harvest,
    /// Reads raw samples.
    raw: &'a ReadRaw<'a>,
    /// What the project says of captures.
    rules: &'a Rules,
    faults: Vec<Diagnostic>,
    /// What the world refused.
    world: Option<FsError>,
    /// Logs without a summary by folder: a fault where nothing else in the folder makes a run.
    silent: BTreeMap<String, Vec<Diagnostic>>,
}

impl Sweep<'_> {
    /// Files that are read, and raw samples, which wait.
    fn read(&mut self, mut given: Vec<Given>) -> (Vec<Piece>, Vec<RawPiece>) {
        given.sort_by(|a, b| (&a.group, &a.path).cmp(&(&b.group, &b.path)));
        let (mut pieces, mut raws) = (Vec::new(), Vec::new());
        for (copy, of) in take_copies(&mut given) {
            self.pass_over(&copy, None, &format!("a packed copy of {of}"));
        }
        for file in given {
            match &file.body {
                Body::Whole(bytes) => pieces.extend(self.piece(&file, bytes)),
                Body::Raw { place, head } => {
                    let (place, head, kind) = (place.clone(), head.clone(), kinds::of_raw(head));
                    let Given { path, shown, group, named, .. } = file;
                    raws.push(RawPiece { shown, path, place, group, named, kind, head });
                }
            }
        }
        (pieces, raws)
    }

    fn piece(&mut self, file: &Given, bytes: &[u8]) -> Option<Piece> {
        let source = Source::from_bytes(&file.shown, bytes);
        let known = kinds::detect(&source);
        let Some((kind, read)) = known.and_then(|kind| Some((kind, kind.read?))) else {
            if file.named {
                self.faults.push(kinds::unknown(&source, bytes));
            }
            self.pass_over(&file.shown, None, kinds::describe_unknown(bytes));
            return None;
        };
        let content = match read(&source) {
            Ok(content) => content,
            Err(faults) => {
                self.refuse(file, kind, faults.into_list());
                return None;
            }
        };
        if source.was_repaired() {
            let remark = Diagnostic::warning("bad-utf8", "some bytes are no text and were read as U+FFFD");
            self.harvest.remarks.push(remark.at(source.at(0..0)));
        }
        let input = Input::of(&file.path, kind.name, bytes);
        Some(Piece { source, group: file.group.clone(), input, kind, content })
    }

    /// A log without a summary that was found, not named, is no fault if its folder tells the run otherwise.
    fn refuse(&mut self, file: &Given, kind: &'static Kind, faults: Vec<Diagnostic>) {
        let silent = faults.iter().all(|fault| fault.code == "no-summary");
        if file.named || !silent {
            self.faults.extend(faults);
            return;
        }
        self.pass_over(&file.shown, Some(kind.name), "there is no summary in it");
        self.silent.entry(file.group.clone()).or_default().extend(faults);
    }

    /// Notes a file that gave something to runs.
    fn list(&mut self, path: &str, kind: &'static str, runs: &str, fate: String) {
        self.harvest.files.push(Listed { path: path.to_owned(), kind: Some(kind), runs: runs.to_owned(), fate, used: true });
    }

    /// Notes a file that gave nothing, and why.
    fn pass_over(&mut self, path: &str, kind: Option<&'static str>, why: &str) {
        let (path, fate) = (path.to_owned(), why.to_owned());
        self.harvest.files.push(Listed { path, kind, runs: String::new(), fate, used: false });
    }

    fn break_silence(&mut self, gathered: &[Gathered]) {
        for (group, faults) in std::mem::take(&mut self.silent) {
            if !gathered.iter().any(|run| run.group == group) {
                self.faults.extend(faults);
            }
        }
    }

    fn finish(mut self, runs: Vec<Run>) -> Result<Harvest, Unread> {
        if let Some(error) = self.world {
            return Err(error.into());
        }
        self.harvest.files.sort_by(|a, b| a.path.cmp(&b.path));
        if runs.is_empty() && self.faults.is_empty() {
            self.faults.push(nothing(&self.harvest.files));
        }
        Faults::check(self.faults)?;
        self.harvest.drafts = runs.into_iter().map(|run| run.draft).collect();
        let mut faults = Vec::new();
        for draft in &mut self.harvest.drafts {
            draft.record.provenance.sort();
            draft.record.provenance.dedup();
            faults.extend(masking::mask(draft).err());
        }
        Faults::check(faults)?;
        self.harvest.drafts.sort_by_key(|draft| draft.record.address());
        Ok(self.harvest)
    }
}

/// Takes out files that hold the very same as one of their name beside them, `k6.log.gz` beside `k6.log`; both of each, as people
/// know them. They are told before they are read, or one run would be two.
fn take_copies(given: &mut Vec<Given>) -> Vec<(String, String)> {
    let packed = |path: &str| [".gz", ".zst"].iter().any(|end| path.ends_with(end));
    let bare = |path: &str| path.trim_end_matches(".gz").trim_end_matches(".zst").to_owned();
    let mut copies = Vec::new();
    let mut first: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (at, file) in given.iter().enumerate() {
        first.entry((file.group.clone(), bare(&file.path))).or_default().push(at);
    }
    let mut out = vec![false; given.len()];
    for alike in first.values().filter(|alike| alike.len() > 1) {
        // They are in the order of their names, so the one that is not packed, or the first, is kept.
        let kept = alike[0];
        let Body::Whole(whole) = &given[kept].body else { continue };
        for &at in alike[1..].iter().filter(|at| packed(&given[**at].path)) {
            if matches!(&given[at].body, Body::Whole(bytes) if bytes == whole) {
                copies.push((given[at].shown.clone(), given[kept].shown.clone()));
                out[at] = true;
            }
        }
    }
    let mut out = out.into_iter();
    given.retain(|_| !out.next().unwrap_or(false));
    copies
}

fn nothing(files: &[Listed]) -> Diagnostic {
    let fault = Diagnostic::error("no-run", "none of these files makes a run");
    let fault = files.iter().take(10).fold(fault, |fault, file| fault.note(format!("{}: {}", file.path, file.fate)));
    fault.help(
        "a run is made of k6's summary (text or JSON), of its raw samples, or of a published page; what adds to a run of the \
         archive says which: --release R --target T",
    )
}

/// A path's file name without its endings: `add_session_20261130T092640Z` of `summaries/add_session_20261130T092640Z.log`.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::catalogue::FigureId::{ContainerCpuP50, DatabaseCpuPeak};
    use crate::model::figure::Figure;
    use crate::model::record::WindowBasis;

    #[test]
    fn a_packed_copy_beside_a_file_is_no_second_file() {
        let file = |path: &str, text: &str| Given {
            path: path.to_owned(),
            shown: path.to_owned(),
            group: "0:".to_owned(),
            body: Body::Whole(text.into()),
            named: false,
        };
        let mut given = vec![file("a.json", "{}"), file("a.json.gz", "{}"), file("a.json.zst", "[]"), file("b.json.gz", "{}")];
        assert_eq!(take_copies(&mut given), [("a.json.gz".to_owned(), "a.json".to_owned())]);
        let left: Vec<&str> = given.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(left, ["a.json", "a.json.zst", "b.json.gz"]);
    }

    #[test]
    fn points_outside_the_window_of_a_run_that_is_there_are_not_added_to_it() {
        let rows = "target,metric,timestamp,value\na,db_cpu,2026-03-01T10:01:00Z,0.2\na,db_cpu,2026-03-01T20:00:00Z,0.9\n\
                    a,zit_cpu_p50,2026-03-01T20:00:00Z,0.9\n";
        let file = Given {
            path: "m.csv".to_owned(),
            shown: "m.csv".to_owned(),
            group: NAMED.to_owned(),
            body: Body::Whole(rows.into()),
            named: true,
        };
        let asked = Asked { release: Release::new("v1").ok(), ..Asked::default() };
        let (start, end) = ("2026-03-01T10:00:00Z".parse().ok(), "2026-03-01T10:02:00Z".parse().ok());
        let window = Window { start, end, duration_s: None, basis: Some(WindowBasis::Stamps) };
        let peak = |known: Option<Window>| {
            let harvest = harvest(vec![file.clone()], &asked, &|_| known.clone(), &|_, _| unreachable!(), &Rules::built_in())
                .unwrap_or_else(|f| unreachable!("{f}"));
            let figures = &harvest.drafts[0].record.figures;
            let value = figures.get(DatabaseCpuPeak).and_then(Figure::measurement).map(|peak| (peak.value * 100.0).round());
            (value, figures.get(ContainerCpuP50).is_some_and(|figure| figure.measurement().is_some()))
        };
        assert_eq!(peak(None), (Some(90.0), true));
        // What has no point in the window leaves alone what the archive knows of it.
        assert_eq!(peak(Some(window)), (Some(20.0), false));
    }
}
