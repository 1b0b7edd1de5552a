//! From files to runs: a run's folder, a flat sweep as ZITADEL's runner leaves it, or single files.
//!
//! Pages and k6 summaries make runs; everything else is joined to one by what it says (its targets, its times) and by the
//! file names the runner gives (`TARGET-output.json`, `LOG_status.txt`). Whatever was concluded from a name is said.

use std::collections::BTreeMap;

use super::k6::{Stamps, TextRun};
use super::kinds::{self, Content, Kind};
use super::merge::{self, Form};
use super::metrics_csv::Metrics;
use super::page::Page;
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::address::{Address, Label, Release, Target};
use crate::model::figure::Figure;
use crate::model::instant::Moment;
use crate::model::provenance::Input;
use crate::model::record::{Record, StatusCount, WindowBasis};
use crate::model::series::Series;
use crate::model::summary::Summary;
use crate::source::Source;

/// A file handed to `ingest`.
#[derive(Clone, Debug)]
pub struct Given {
    /// Its path relative to what was named on the command line: what provenance keeps.
    pub path: String,
    /// Its path as people know it: what faults show.
    pub shown: String,
    /// Files of one group lie in one folder; files named one by one are one group.
    pub group: String,
    /// Its bytes, unfolded.
    pub bytes: Vec<u8>,
    /// Whether it was named itself, not found in a folder.
    pub named: bool,
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
    /// Whether there is neither a page nor a summary: then it adds to a record that the archive has.
    pub is_addition: bool,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its path.
    pub path: String,
    /// Its kind, if known.
    pub kind: Option<&'static str>,
    /// What it was used for, or why it was not.
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

/// The files of one run, while they are gathered.
struct Gathered {
    group: String,
    stem: String,
    page: Option<(Source, Page)>,
    texts: Vec<(Source, TextRun)>,
    jsons: Vec<Form>,
    inputs: Vec<Input>,
    files: Vec<(String, &'static str)>,
}

/// A run with its address.
struct Run {
    group: String,
    stem: String,
    place: Source,
    draft: Draft,
}

/// Makes runs of files.
///
/// # Errors
/// All faults: files that can't be read, named files of no known kind, runs whose release or target nothing tells, two
/// runs of one address, files that contradict each other, a file that belongs to no run.
pub fn harvest(given: Vec<Given>, asked: &Asked) -> Result<Harvest, Faults> {
    let mut sweep = Sweep { asked, harvest: Harvest::default(), faults: Vec::new(), silent: BTreeMap::new() };
    let pieces = sweep.read(given);
    let (primaries, others): (Vec<Piece>, Vec<Piece>) =
        pieces.into_iter().partition(|piece| matches!(piece.content, Content::Page(_) | Content::Text(_) | Content::Json(_)));
    let gathered = sweep.gather(primaries);
    sweep.break_silence(&gathered);
    let mut runs: Vec<Run> = gathered.into_iter().filter_map(|gathered| sweep.found(gathered)).collect();
    sweep.refuse_twins(&runs);
    for piece in others {
        sweep.attach(&mut runs, &piece);
    }
    sweep.finish(runs)
}

struct Sweep<'a> {
    asked: &'a Asked,
    harvest: Harvest,
    faults: Vec<Diagnostic>,
    /// Logs without a summary by folder: a fault where nothing else in the folder makes a run.
    silent: BTreeMap<String, Vec<Diagnostic>>,
}

impl Sweep<'_> {
    fn read(&mut self, given: Vec<Given>) -> Vec<Piece> {
        let mut given = given;
        given.sort_by(|a, b| (&a.group, &a.path).cmp(&(&b.group, &b.path)));
        given.into_iter().filter_map(|file| self.piece(file)).collect()
    }

    fn piece(&mut self, file: Given) -> Option<Piece> {
        let source = Source::from_bytes(&file.shown, &file.bytes);
        let Some(kind) = kinds::detect(&source) else {
            if file.named {
                self.faults.push(kinds::unknown(&source, &file.bytes));
            }
            self.list(&file.shown, None, kinds::describe_unknown(&file.bytes), false);
            return None;
        };
        let content = match (kind.read)(&source) {
            Ok(content) => content,
            Err(faults) => {
                self.refuse(&file, kind, faults.into_list());
                return None;
            }
        };
        if source.was_repaired() {
            let remark = Diagnostic::warning("bad-utf8", "some bytes are no UTF-8 and were read as U+FFFD");
            self.harvest.remarks.push(remark.at(source.at(0..0)));
        }
        let input = Input::of(&file.path, kind.name, &file.bytes);
        Some(Piece { source, group: file.group, input, kind, content })
    }

    /// A log without a summary that was found, not named, is no fault if its folder tells the run otherwise.
    fn refuse(&mut self, file: &Given, kind: &'static Kind, faults: Vec<Diagnostic>) {
        let silent = faults.iter().all(|fault| fault.code == "no-summary");
        if file.named || !silent {
            self.faults.extend(faults);
            return;
        }
        self.list(&file.shown, Some(kind.name), "there is no summary in it", false);
        self.silent.entry(file.group.clone()).or_default().extend(faults);
    }

    fn list(&mut self, path: &str, kind: Option<&'static str>, fate: &str, used: bool) {
        self.harvest.files.push(Listed { path: path.to_owned(), kind, fate: fate.to_owned(), used });
    }

    fn break_silence(&mut self, gathered: &[Gathered]) {
        for (group, faults) in std::mem::take(&mut self.silent) {
            if !gathered.iter().any(|run| run.group == group) {
                self.faults.extend(faults);
            }
        }
    }

    /// Groups pages and summaries into runs, folder by folder.
    fn gather(&mut self, pieces: Vec<Piece>) -> Vec<Gathered> {
        let mut groups: BTreeMap<String, Vec<Piece>> = BTreeMap::new();
        for piece in pieces {
            groups.entry(piece.group.clone()).or_default().push(piece);
        }
        groups.into_values().flat_map(|pieces| self.gather_folder(pieces)).collect()
    }

    /// One folder: a page or a text with all the forms of its summary beside it is one run; several are several.
    fn gather_folder(&mut self, pieces: Vec<Piece>) -> Vec<Gathered> {
        let count = |is: fn(&Content) -> bool| pieces.iter().filter(|piece| is(&piece.content)).count();
        let pages = count(|content| matches!(content, Content::Page(_)));
        let texts = count(|content| matches!(content, Content::Text(_)));
        if pages <= 1 && (pages == 1 || texts <= 1) {
            return vec![Gathered::of(pieces)];
        }
        let (jsons, heads): (Vec<Piece>, Vec<Piece>) =
            pieces.into_iter().partition(|piece| matches!(piece.content, Content::Json(_)));
        let mut runs: Vec<Gathered> = heads.into_iter().map(|piece| Gathered::of(vec![piece])).collect();
        for json in jsons {
            let name = stem(json.source.name()).to_owned();
            match runs.iter_mut().filter(|run| name.starts_with(&run.stem)).max_by_key(|run| run.stem.len()) {
                Some(run) => run.add(json),
                None => self.faults.push(
                    Diagnostic::error(
                        "whose-summary",
                        "several runs lie in this folder, and nothing tells which this belongs to",
                    )
                    .at(json.source.at(0..0))
                    .help("begin its name with the log's name, or give each run a folder"),
                ),
            }
        }
        runs
    }

    /// A run of gathered files, if all of them agree and its address is known.
    fn found(&mut self, gathered: Gathered) -> Option<Run> {
        let place = gathered.place()?;
        let address = self.address(&gathered, &place)?;
        let summary = match merge::merge(gathered.forms()) {
            Ok(summary) => summary,
            Err(faults) => {
                self.faults.extend(faults);
                return None;
            }
        };
        for (shown, kind) in &gathered.files {
            self.list(shown, Some(kind), &address.to_string(), true);
        }
        let stamps = gathered.texts.iter().map(|(_, text)| text.stamps.clone()).find(|stamps| *stamps != Stamps::default());
        let k6_text = gathered.texts.first().map(|(_, text)| text.verbatim.clone());
        let (mut record, page_text) = match gathered.page {
            Some((_, page)) => (page.record, page.k6_text),
            None => (Record::new(address.clone()), None),
        };
        record.identity.release = address.release;
        record.identity.target = address.target;
        record.identity.label = address.label;
        record.provenance = gathered.inputs;
        set_window(&mut record, stamps.as_ref(), summary.as_ref());
        record.k6 = summary;
        let draft = Draft { record, k6_text: k6_text.or(page_text), series: None, by_hand: Vec::new(), is_addition: false };
        Some(Run { group: gathered.group, stem: gathered.stem, place, draft })
    }

    fn address(&mut self, gathered: &Gathered, place: &Source) -> Option<Address> {
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

    fn name<T>(
        &mut self,
        text: Option<String>,
        place: &Source,
        check: fn(&str) -> Result<T, crate::model::address::BadName>,
    ) -> Option<T> {
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
        let (name, stamp) = stem.rsplit_once('_')?;
        let is_stamp = stamp.len() >= 8 && stamp.chars().all(|c| c.is_ascii_digit() || matches!(c, 'T' | 'Z' | ':' | '-'));
        let target = Target::new(name).ok().filter(|_| is_stamp)?;
        let remark = Diagnostic::remark("target-from-name", format!("the target `{target}` is taken from the file's name"));
        self.harvest.remarks.push(remark.at(place.at(0..0)));
        Some(target)
    }

    fn refuse_twins(&mut self, runs: &[Run]) {
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

    /// Joins a file that makes no run to the runs it belongs to.
    fn attach(&mut self, runs: &mut Vec<Run>, piece: &Piece) {
        let chosen = match &piece.content {
            Content::Metrics(metrics) => self.runs_of_metrics(runs, metrics, piece),
            Content::Series(_) => self.run_of_series(runs, piece).into_iter().collect(),
            Content::Status(_) => self.run_by_stem(runs, piece, "_status").into_iter().collect(),
            _ => self.run_by_stem(runs, piece, "").into_iter().collect(),
        };
        if chosen.is_empty() {
            let fate = if runs.is_empty() { "there is no run it could belong to" } else { "it belongs to none of these runs" };
            self.unused(piece, fate);
            return;
        }
        let names: Vec<String> = chosen.iter().map(|&at| runs[at].draft.record.address().to_string()).collect();
        self.list(piece.source.name(), Some(piece.kind.name), &names.join(", "), true);
        for at in chosen {
            let draft = &mut runs[at].draft;
            draft.record.provenance.push(piece.input.clone());
            match &piece.content {
                Content::Metrics(metrics) => self.add_metrics(draft, metrics, &piece.source),
                Content::Series(series) => self.add_series(draft, series, &piece.source),
                Content::Status(rows) => self.add_status(draft, rows, &piece.source),
                _ => draft.by_hand.push(piece.source.clone()),
            }
        }
    }

    fn unused(&mut self, piece: &Piece, fate: &str) {
        if piece.group == NAMED {
            let fault = Diagnostic::error("whose-file", format!("{}: {fate}", piece.source.name()));
            self.faults.push(
                fault
                    .at(piece.source.at(0..0))
                    .help("give it with its run's log, or say which run of the archive it belongs to: --release R --target T"),
            );
        }
        self.list(piece.source.name(), Some(piece.kind.name), fate, false);
    }

    /// A sweep-wide file is filtered: every run whose target it has.
    fn runs_of_metrics(&self, runs: &mut Vec<Run>, metrics: &Metrics, piece: &Piece) -> Vec<usize> {
        if runs.iter().all(|run| run.draft.is_addition) {
            for target in metrics.targets.keys() {
                self.add_run(runs, Target::new(target).ok(), piece);
            }
        }
        let has = |run: &Run| metrics.targets.contains_key(run.draft.record.identity.target.as_str());
        (0..runs.len()).filter(|&at| has(&runs[at])).collect()
    }

    /// `TARGET-output.json` belongs to the run of that target, `output.json` to the run of its folder.
    fn run_of_series(&self, runs: &mut Vec<Run>, piece: &Piece) -> Option<usize> {
        let name = stem(piece.source.name());
        let target = name.strip_suffix("-output").or_else(|| name.strip_suffix("_output"));
        let of_target = |run: &Run| Some(run.draft.record.identity.target.as_str()) == target;
        let found: Vec<usize> = (0..runs.len()).filter(|&at| of_target(&runs[at])).collect();
        match found.as_slice() {
            [one] => Some(*one),
            _ if target.is_some() && runs.len() > 1 => None,
            _ => self.run_by_stem(runs, piece, ""),
        }
    }

    /// The run whose log's name the file's name begins with; else the only run of its folder; else the only run.
    fn run_by_stem(&self, runs: &mut Vec<Run>, piece: &Piece, suffix: &str) -> Option<usize> {
        if runs.is_empty() {
            self.add_run(runs, self.asked.target.clone(), piece);
        }
        let name = stem(piece.source.name());
        let name = name.strip_suffix(suffix).unwrap_or(name);
        let near: Vec<usize> = (0..runs.len()).filter(|&at| runs[at].group == piece.group).collect();
        let named = near.iter().copied().find(|&at| runs[at].stem == name);
        let only = |runs: &[usize]| if let [one] = runs { Some(*one) } else { None };
        named.or_else(|| only(&near)).or((runs.len() == 1).then_some(0))
    }

    /// A run that the archive must already have, named on the command line.
    fn add_run(&self, runs: &mut Vec<Run>, target: Option<Target>, piece: &Piece) {
        let (Some(release), Some(target)) = (self.asked.release.clone(), target) else { return };
        if self.asked.target.as_ref().is_some_and(|asked| *asked != target) {
            return;
        }
        let address = Address { release, target, label: self.asked.label.clone() };
        if runs.iter().any(|run| run.draft.record.address() == address) {
            return;
        }
        let record = Record::new(address);
        let draft = Draft { record, k6_text: None, series: None, by_hand: Vec::new(), is_addition: true };
        runs.push(Run { group: piece.group.clone(), stem: String::new(), place: piece.source.clone(), draft });
    }

    fn add_metrics(&mut self, draft: &mut Draft, metrics: &Metrics, source: &Source) {
        let window = &draft.record.window;
        let window = window.start.and_then(Moment::instant).zip(window.end.and_then(Moment::instant));
        let reduced = metrics.figures(draft.record.identity.target.as_str(), window);
        if reduced.outside > 0 {
            let message = format!("{} points of {} lie outside its window", reduced.outside, draft.record.address());
            self.harvest.remarks.push(Diagnostic::remark("points-outside", message).at(source.at(0..0)));
        }
        for (id, figure) in reduced.figures {
            let stated = draft.record.figures.get(id).filter(|old| old.measurement().is_some()).cloned();
            if figure.measurement().is_none() && stated.is_some() {
                continue;
            }
            if let Some(stated) = stated {
                self.keep_stated(draft, id, stated, &figure, source);
            }
            // The rules give every figure its catalogue unit, and points are finite.
            let set = draft.record.figures.set(id, figure);
            debug_assert!(set.is_ok());
        }
        for (name, rows) in &metrics.unknown {
            let message = format!("{rows} rows of the unknown metric `{name}` were not used");
            let remark = Diagnostic::warning("unknown-metric", message).at(source.at(0..0));
            if !self.harvest.remarks.contains(&remark) {
                self.harvest.remarks.push(remark);
            }
        }
    }

    /// A page's value stays, as stated, beside the captured one; a difference beyond rounding is said.
    fn keep_stated(
        &mut self,
        draft: &mut Draft,
        id: crate::model::catalogue::FigureId,
        stated: Figure,
        captured: &Figure,
        source: &Source,
    ) {
        if let (Some(a), Some(b)) = (stated.measurement(), captured.measurement())
            && !a.range().overlaps(b.range())
        {
            let message = format!("{id} is {} here, but {} on the page", b.text(), a.text());
            self.harvest.remarks.push(Diagnostic::warning("stated-differs", message).at(source.at(0..0)));
        }
        let set = draft.record.stated.set(id, stated);
        debug_assert!(set.is_ok());
    }

    fn add_series(&mut self, draft: &mut Draft, series: &Series, source: &Source) {
        if let Some(known) = &draft.series
            && known != series
        {
            let message = format!("two series of {} that differ", draft.record.address());
            self.faults.push(Diagnostic::error("two-series", message).at(source.at(0..0)).help("give one of them"));
        }
        if let Some(fault) = other_day(&draft.record, series, source) {
            self.faults.push(fault);
        }
        draft.series = Some(series.clone());
    }

    fn add_status(&mut self, draft: &mut Draft, rows: &[StatusCount], source: &Source) {
        let known = &draft.record.errors.by_status;
        if !known.is_empty() && known != rows {
            let message = format!("two status breakdowns of {} that differ", draft.record.address());
            self.faults.push(Diagnostic::error("two-breakdowns", message).at(source.at(0..0)).help("give one of them"));
        }
        draft.record.errors.by_status = rows.to_vec();
    }

    fn finish(mut self, runs: Vec<Run>) -> Result<Harvest, Faults> {
        self.harvest.files.sort_by(|a, b| a.path.cmp(&b.path));
        if runs.is_empty() && self.faults.is_empty() {
            self.faults.push(nothing(&self.harvest.files));
        }
        Faults::check(self.faults)?;
        self.harvest.drafts = runs.into_iter().map(|run| run.draft).collect();
        for draft in &mut self.harvest.drafts {
            draft.record.provenance.sort();
            draft.record.provenance.dedup();
        }
        self.harvest.drafts.sort_by_key(|draft| draft.record.address());
        Ok(self.harvest)
    }
}

/// The group of files that were named one by one.
pub const NAMED: &str = "";

fn nothing(files: &[Listed]) -> Diagnostic {
    let fault = Diagnostic::error("no-run", "none of these files makes a run");
    let fault = files.iter().take(10).fold(fault, |fault, file| fault.note(format!("{}: {}", file.path, file.fate)));
    fault.help("a run is made of k6's summary (text or JSON) or of a published page")
}

/// A series that does not touch the run's window, two hours of a wrong time zone aside, is of another run.
fn other_day(record: &Record, series: &Series, source: &Source) -> Option<Diagnostic> {
    let (first, last) = series.span()?;
    let start = record.window.start?.instant()?;
    let end = record.window.end.and_then(Moment::instant).unwrap_or(start);
    let slack = chrono::TimeDelta::hours(2);
    if first <= end + slack && start - slack <= last {
        return None;
    }
    let message = format!("the series runs from {first} to {last}, but {} from {start} to {end}", record.address());
    Some(Diagnostic::error("other-window", message).at(source.at(0..0)).help("give the series of this run"))
}

/// Start and end from the stamps where there are some; the length from the stamps, else from the only scenario.
fn set_window(record: &mut Record, stamps: Option<&Stamps>, summary: Option<&Summary>) {
    let window = &mut record.window;
    if let Some(stamps) = stamps
        && stamps.start.is_some()
    {
        (window.start, window.end) = (stamps.start, stamps.end);
        window.basis = Some(WindowBasis::Stamps);
    }
    let scenario = summary.and_then(|summary| match summary.scenarios.as_slice() {
        [only] => only.duration_s.map(|seconds| seconds as f64),
        _ => None,
    });
    window.duration_s = window.duration_s.or(stamps.and_then(|stamps| stamps.duration_s)).or(scenario);
}

/// A path's file name without its endings: `add_session_20261130T092640Z` of `summaries/add_session_20261130T092640Z.log`.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

impl Gathered {
    fn of(pieces: Vec<Piece>) -> Self {
        let mut gathered = Self {
            group: String::new(),
            stem: String::new(),
            page: None,
            texts: Vec::new(),
            jsons: Vec::new(),
            inputs: Vec::new(),
            files: Vec::new(),
        };
        for piece in pieces {
            gathered.add(piece);
        }
        gathered
    }

    fn add(&mut self, piece: Piece) {
        let leads = match &piece.content {
            Content::Page(_) => true,
            Content::Text(_) => self.page.is_none(),
            _ => self.page.is_none() && self.texts.is_empty(),
        };
        if leads {
            self.group.clone_from(&piece.group);
            stem(piece.source.name()).clone_into(&mut self.stem);
        }
        self.files.push((piece.source.name().to_owned(), piece.kind.name));
        self.inputs.push(piece.input);
        match piece.content {
            Content::Page(page) => self.page = Some((piece.source, *page)),
            Content::Text(text) => self.texts.push((piece.source, *text)),
            Content::Json(summary) => self.jsons.push(Form { source: piece.source, summary: *summary }),
            _ => {}
        }
    }

    /// The file that stands for the run in faults: its page, its log, its first JSON.
    fn place(&self) -> Option<Source> {
        let page = self.page.as_ref().map(|(source, _)| source);
        page.or(self.texts.first().map(|(source, _)| source)).or(self.jsons.first().map(|form| &form.source)).cloned()
    }

    fn forms(&self) -> Vec<Form> {
        let of = |source: &Source, summary: &Summary| Form { source: source.clone(), summary: summary.clone() };
        let page = self.page.iter().filter_map(|(source, page)| Some(of(source, page.record.k6.as_ref()?)));
        let texts = self.texts.iter().map(|(source, text)| of(source, &text.summary));
        page.chain(texts).chain(self.jsons.iter().cloned()).collect()
    }
}
