//! Where everything of a drawing stands.
//!
//! A flow is laid out as a spine of questions from top to bottom: of the two ways on from a question, the longer one
//! goes down. The shorter one goes to the right if it is an outcome, else into a block of its own, moved in, between the
//! question and the next one of the spine. An outcome is drawn wherever an edge ends in it, and an edge to a question that
//! already has its place ends in a chip that names it. So no two lines ever cross.

use super::chart::{Flow, Next};
use super::lettering::{SIZE, lines};
use crate::model::verdict::Answer;

/// Space around the drawing.
pub(super) const MARGIN: f64 = 6.0;
/// Where a card's text starts, right of its number.
pub(super) const TEXT_IN: f64 = 34.0;
/// Where a card's number stands, and the line down.
pub(super) const STEM_IN: f64 = 17.0;
/// From one line of text to the next.
pub(super) const LEADING: f64 = 18.0;
/// Space above and below the text of a box.
pub(super) const PADDING: f64 = 9.0;
const CARD_WIDTH: f64 = 200.0;
const CHIP_WIDTH: f64 = 112.0;
/// A chip below a card has more room than one beside it.
const LOW_CHIP_WIDTH: f64 = 160.0;
const ACROSS: f64 = 36.0;
const DOWN: f64 = 28.0;
const MOVED_IN: f64 = 32.0;
/// Blocks within blocks that fit without making the drawing wider.
const ROOMY: usize = 1;

/// The words a card or a chip holds, line by line.
pub(super) trait Wording {
    /// Lines of a question, given the width they may take.
    fn question(&self, at: usize, width: f64) -> Vec<Line>;
    /// Lines of what an edge ends in.
    fn end(&self, end: Next, width: f64) -> Vec<Line>;
}

/// A line of text and how it is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) style: &'static str,
}

impl Line {
    /// A text in lines of one style.
    pub(super) fn set(text: &str, style: &'static str, width: f64) -> Vec<Self> {
        lines(text, width).into_iter().map(|text| Self { text, style }).collect()
    }
}

/// A rectangle with text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) what: Next,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) lines: Vec<Line>,
    /// The edge that ends in it; none for the first question.
    pub(super) from: Option<(usize, Answer)>,
}

/// A line from a question to what follows, straight across or straight down.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edge {
    pub(super) question: usize,
    pub(super) answer: Answer,
    pub(super) from: (f64, f64),
    pub(super) to: (f64, f64),
}

/// A drawing before it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sheet {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) cards: Vec<Block>,
    pub(super) chips: Vec<Block>,
    pub(super) edges: Vec<Edge>,
}

/// Questions that follow one another downwards.
struct Chain {
    rows: Vec<Row>,
    end: Next,
}

/// A question of a chain: which answer goes down, and what is at the side.
struct Row {
    question: usize,
    down: Answer,
    side: Side,
}

enum Side {
    End(Next),
    Chain(Chain),
}

/// Lays a flow out below a heading of the given height.
pub(super) fn lay_out(flow: &Flow, wording: &dyn Wording, heading: f64) -> Sheet {
    let mut planner = Planner { flow, lengths: vec![None; flow.questions.len()], placed: vec![false; flow.questions.len()] };
    let Next::Question(start) = flow.start else { return Sheet::default() };
    let chain = planner.chain(start);
    let wider = deepest(&chain).saturating_sub(ROOMY) as f64 * MOVED_IN;
    let mut sheet = Sheet { width: 2.0 * MARGIN + CARD_WIDTH + ACROSS + CHIP_WIDTH + wider, ..Sheet::default() };
    let mut placer = Placer { wording, right: MARGIN + CARD_WIDTH + wider, sheet: &mut sheet };
    let bottom = placer.chain(&chain, MARGIN, heading, None);
    sheet.height = bottom + MARGIN;
    sheet
}

fn deepest(chain: &Chain) -> usize {
    let sides = chain.rows.iter().map(|row| if let Side::Chain(chain) = &row.side { 1 + deepest(chain) } else { 0 });
    sides.max().unwrap_or(0)
}

struct Planner<'a> {
    flow: &'a Flow,
    lengths: Vec<Option<usize>>,
    placed: Vec<bool>,
}

impl Planner<'_> {
    /// How many questions can follow at most.
    fn length(&mut self, next: Next) -> usize {
        let Next::Question(at) = next else { return 0 };
        if let Some(length) = self.lengths[at] {
            return length;
        }
        let [(_, yes), (_, no)] = self.flow.questions[at].edges();
        let length = 1 + self.length(yes).max(self.length(no));
        self.lengths[at] = Some(length);
        length
    }

    fn chain(&mut self, start: usize) -> Chain {
        let (mut spine, mut at) = (Vec::new(), start);
        let end = loop {
            self.placed[at] = true;
            let question = &self.flow.questions[at];
            let down = if self.length(question.yes) > self.length(question.no) { Answer::Yes } else { Answer::No };
            spine.push((at, down));
            match question.edge(down) {
                Next::Question(next) if !self.placed[next] => at = next,
                end => break end,
            }
        };
        // The spine takes its places first, so that a side never takes a question away from it.
        let rows = spine.into_iter().map(|(question, down)| self.row(question, down)).collect();
        Chain { rows, end }
    }

    fn row(&mut self, question: usize, down: Answer) -> Row {
        let aside = if down == Answer::Yes { Answer::No } else { Answer::Yes };
        let side = match self.flow.questions[question].edge(aside) {
            Next::Question(at) if !self.placed[at] => Side::Chain(self.chain(at)),
            end => Side::End(end),
        };
        Row { question, down, side }
    }
}

struct Placer<'a> {
    wording: &'a dyn Wording,
    /// The right edge of all cards.
    right: f64,
    sheet: &'a mut Sheet,
}

impl Placer<'_> {
    /// Places a chain with its upper left corner, and tells where it ends.
    fn chain(&mut self, chain: &Chain, x: f64, y: f64, from: Option<(usize, Answer)>) -> f64 {
        let (mut y, mut from) = (y, from);
        for row in &chain.rows {
            let (top, bottom) = (y, self.card(row.question, x, y, from));
            let aside = if row.down == Answer::Yes { Answer::No } else { Answer::Yes };
            let beneath = match &row.side {
                Side::End(end) => bottom.max(self.across(row.question, aside, *end, top, bottom)),
                Side::Chain(inner) => {
                    let (inner_x, inner_y) = (x + MOVED_IN, bottom + DOWN);
                    self.down(row.question, aside, inner_x, bottom, inner_y);
                    self.chain(inner, inner_x, inner_y, Some((row.question, aside)))
                }
            };
            y = beneath + DOWN;
            self.down(row.question, row.down, x, bottom, y);
            from = Some((row.question, row.down));
        }
        self.chip(chain.end, x, y, LOW_CHIP_WIDTH, from)
    }

    /// Places a question, and tells where it ends.
    fn card(&mut self, at: usize, x: f64, y: f64, from: Option<(usize, Answer)>) -> f64 {
        let width = self.right - x;
        let lines = self.wording.question(at, width - TEXT_IN - PADDING);
        let height = box_height(lines.len());
        self.sheet.cards.push(Block { what: Next::Question(at), x, y, width, height, lines, from });
        y + height
    }

    /// Places the end of an edge, and tells where it ends.
    fn chip(&mut self, end: Next, x: f64, y: f64, width: f64, from: Option<(usize, Answer)>) -> f64 {
        let lines = self.wording.end(end, width - 2.0 * PADDING);
        let height = box_height(lines.len());
        self.sheet.chips.push(Block { what: end, x, y, width, height, lines, from });
        y + height
    }

    /// Places the end of an edge to the right of its question, both in the middle of the lower of the two.
    fn across(&mut self, question: usize, answer: Answer, end: Next, top: f64, bottom: f64) -> f64 {
        let x = self.right + ACROSS;
        let beneath = self.chip(end, x, top, CHIP_WIDTH, Some((question, answer)));
        let y = top + (beneath.min(bottom) - top) / 2.0;
        self.sheet.edges.push(Edge { question, answer, from: (self.right, y), to: (x, y) });
        beneath
    }

    fn down(&mut self, question: usize, answer: Answer, x: f64, from: f64, to: f64) {
        self.sheet.edges.push(Edge { question, answer, from: (x + STEM_IN, from), to: (x + STEM_IN, to) });
    }
}

/// The height of a box with so many lines.
fn box_height(lines: usize) -> f64 {
    2.0 * PADDING + SIZE + (lines.max(1) - 1) as f64 * LEADING
}
