//! Which pages and summaries make one run: folder by folder, and by the names of the files.

use std::collections::BTreeMap;

use super::raw::RawRun;
use super::{Piece, Sweep, stem};
use crate::diagnostic::Diagnostic;
use crate::ingest::k6::TextRun;
use crate::ingest::kinds::Content;
use crate::ingest::merge::Form;
use crate::ingest::page::Page;
use crate::model::provenance::Input;
use crate::model::summary::Summary;
use crate::source::Source;

/// The files of one run, while they are gathered.
pub(super) struct Gathered {
    pub(super) group: String,
    pub(super) stem: String,
    pub(super) page: Option<(Source, Page)>,
    pub(super) texts: Vec<(Source, TextRun)>,
    pub(super) jsons: Vec<Form>,
    pub(super) raw: Vec<RawRun>,
    pub(super) inputs: Vec<Input>,
    pub(super) files: Vec<(String, &'static str)>,
}

impl Sweep<'_> {
    /// Groups pages and summaries into runs, folder by folder.
    pub(super) fn gather(&mut self, pieces: Vec<Piece>) -> Vec<Gathered> {
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
}

impl Gathered {
    /// A run of which there is nothing but raw samples.
    pub(super) fn of_raw(run: RawRun) -> Self {
        let mut gathered = Self::of(Vec::new());
        run.group().clone_into(&mut gathered.group);
        run.stem().clone_into(&mut gathered.stem);
        gathered.raw.push(run);
        gathered
    }

    fn of(pieces: Vec<Piece>) -> Self {
        let mut gathered = Self {
            group: String::new(),
            stem: String::new(),
            page: None,
            texts: Vec::new(),
            jsons: Vec::new(),
            raw: Vec::new(),
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

    /// The file that stands for the run in faults: its page, its log, its first JSON, its raw samples.
    pub(super) fn place(&self) -> Option<Source> {
        let page = self.page.as_ref().map(|(source, _)| source);
        let place = page.or(self.texts.first().map(|(source, _)| source)).or(self.jsons.first().map(|form| &form.source));
        place.cloned().or_else(|| self.raw.first().map(|run| Source::new(run.name(), "")))
    }

    pub(super) fn forms(&self) -> Vec<Form> {
        let of = |source: &Source, summary: &Summary| Form { source: source.clone(), summary: summary.clone() };
        let page = self.page.iter().filter_map(|(source, page)| Some(of(source, page.record.k6.as_ref()?)));
        let texts = self.texts.iter().map(|(source, text)| of(source, &text.summary));
        page.chain(texts).chain(self.jsons.iter().cloned()).collect()
    }
}
