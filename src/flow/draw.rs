//! A flow as a picture: SVG of our own layout, with the path of a run lit.
//!
//! It stands alone or inside a page: colours are variables that a page may set (`--ink`, `--line`, `--link`, ...), with
//! fallbacks for light and dark; nothing in it needs a script. The taken path is told by colour, by weight and by a mark.

use std::fmt::Write;

use super::chart::{Flow, Next};
use super::layout::{Block, Edge, LEADING, Line, MARGIN, PADDING, STEM_IN, Sheet, TEXT_IN, Wording, lay_out};
use super::lettering::{SIZE, TIE};
use crate::model::verdict::{Answer, Class, Evidence, Step, Verdict};

/// How many comparisons a card shows; the verdict has all.
const MOST_PROOFS: usize = 3;
/// The longest condition a card shows where no run is drawn.
const MOST_LETTERS: usize = 80;

/// The style of every drawing, under one class, so that it touches nothing else of a page.
const STYLE: &str = include_str!("../../templates/site/flow.css");

/// Draws a flow, with the path of a verdict lit where one is given. The same flow and verdict give the same bytes.
#[must_use]
pub fn draw(flow: &Flow, verdict: Option<&Verdict>) -> String {
    drawn(&Drawing { flow, verdict, is_within: false })
}

/// The same for a page that has the style of drawings (`templates/site/flow.css`) already: without a style of its own, which the policy of
/// such a page may forbid.
#[must_use]
pub fn draw_within(flow: &Flow, verdict: Option<&Verdict>) -> String {
    drawn(&Drawing { flow, verdict, is_within: true })
}

fn drawn(drawing: &Drawing<'_>) -> String {
    let flow = drawing.flow;
    let heading = drawing.heading();
    let top = MARGIN + heading.len() as f64 * LEADING + 6.0;
    let sheet = lay_out(flow, drawing, top);
    let mut out = drawing.opening(&sheet);
    write_lines(&mut out, &heading, MARGIN, MARGIN + SIZE);
    let (lit, plain): (Vec<&Edge>, Vec<&Edge>) = sheet.edges.iter().partition(|edge| drawing.takes(edge.question, edge.answer));
    for edge in plain.into_iter().chain(lit) {
        drawing.edge(&mut out, edge);
    }
    for card in &sheet.cards {
        drawing.card(&mut out, card);
    }
    for chip in &sheet.chips {
        drawing.chip(&mut out, chip);
    }
    out.push_str("</svg>\n");
    out
}

struct Drawing<'a> {
    flow: &'a Flow,
    verdict: Option<&'a Verdict>,
    is_within: bool,
}

impl Drawing<'_> {
    fn step(&self, question: usize) -> Option<&Step> {
        let name = &self.flow.questions[question].name;
        self.verdict?.path.iter().find(|step| step.question == *name)
    }

    fn takes(&self, question: usize, answer: Answer) -> bool {
        self.step(question).and_then(Step::taken) == Some(answer)
    }

    /// Title, run and outcome.
    fn heading(&self) -> Vec<Line> {
        let width = 340.0;
        let mut heading = Line::set(&self.flow.title, "f-title", width);
        if let Some(verdict) = self.verdict {
            heading.extend(Line::set(&format!("{}/{}", verdict.release, verdict.run), "f-quiet", width));
            heading.extend(Line::set(&format!("{} ({})", verdict.outcome.label, verdict.outcome.class), "f-strong", width));
        }
        heading
    }

    fn opening(&self, sheet: &Sheet) -> String {
        let id = self.id();
        let (width, height) = (sheet.width.ceil(), sheet.height.ceil());
        let (title, desc) = (escaped(&self.title()), escaped(&self.description()));
        // Letters of 14 units are drawn as large as those around them.
        let (size, style) = if self.is_within {
            (format!("width=\"{}\"", (width * 16.0 / 14.0).ceil()), String::new())
        } else {
            (
                format!("width=\"100%\" style=\"max-width:{:.1}rem;height:auto\"", width / 14.0),
                format!("<style>\n{STYLE}</style>\n"),
            )
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plimsoll-flow{}\" id=\"{id}\" viewBox=\"0 0 {width} {height}\" \
             {size} role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">\n\
             <title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-desc\">{desc}</desc>\n{style}",
            if self.verdict.is_some() { " f-judged" } else { "" },
        )
    }

    /// Unique among the drawings of a site: flow and run.
    fn id(&self) -> String {
        let run = self.verdict.map(|verdict| format!("-{}-{}", verdict.release, verdict.run)).unwrap_or_default();
        let mut id = String::new();
        for letter in format!("flow-{}{run}", self.flow.name).chars() {
            if letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.') {
                id.push(letter);
            } else {
                write!(id, ":{:x}", u32::from(letter)).unwrap_or_default();
            }
        }
        id
    }

    fn title(&self) -> String {
        match self.verdict {
            None => format!("Flowchart: {}", self.flow.title),
            Some(verdict) => format!("{}/{} in the flowchart: {}", verdict.release, verdict.run, verdict.outcome.label),
        }
    }

    /// The picture in words: the path, or what there is to see.
    fn description(&self) -> String {
        let Some(verdict) = self.verdict else {
            let (questions, outcomes) = (self.flow.questions.len(), self.flow.outcomes.len());
            return format!("{questions} questions from top to bottom, with {outcomes} outcomes they lead to.");
        };
        let mut sentences: Vec<String> = verdict.path.iter().map(spoken).collect();
        sentences.push(format!("Outcome: {}, class {}.", verdict.outcome.label, verdict.outcome.class));
        sentences.join(" ")
    }

    fn edge(&self, out: &mut String, edge: &Edge) {
        let lit = self.takes(edge.question, edge.answer);
        let ((x1, y1), (x2, y2)) = (edge.from, edge.to);
        let across = x2 > x1;
        // The line ends where its head begins.
        let (end_x, end_y) = if across { (x2 - 6.0, y2) } else { (x2, y2 - 6.0) };
        let head = if across {
            format!("M{} {}l7 4.5l-7 4.5z", n(x2 - 7.0), n(y2 - 4.5))
        } else {
            format!("M{} {}l4.5 7l4.5 -7z", n(x2 - 4.5), n(y2 - 7.0))
        };
        let class = if lit { "f-edge f-lit" } else { "f-edge" };
        // Beside its end, so that it never meets the label of a block that starts beside the same line.
        let (label_x, label_y) = if across { (f64::midpoint(x1, x2) - 2.0, y1 - 5.0) } else { (x1 + 8.0, y2 - 9.0) };
        let (anchor, mark) = (if across { "middle" } else { "start" }, if lit && !across { "✓ " } else { "" });
        let answer = edge.answer.word();
        writeln!(
            out,
            "<g class=\"{class}\"><path class=\"f-line\" d=\"M{} {}L{} {}\"/><path class=\"f-head\" d=\"{head}\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{mark}{answer}</text></g>",
            n(x1),
            n(y1),
            n(end_x),
            n(end_y),
            n(label_x),
            n(label_y),
        )
        .unwrap_or_default();
    }

    fn card(&self, out: &mut String, card: &Block) {
        let Next::Question(at) = card.what else { return };
        let step = self.step(at);
        let state = match step {
            None => "",
            Some(step) if step.taken().is_none() => " f-open",
            Some(step) if step.assumed.is_some() => " f-lit f-assumed",
            Some(_) => " f-lit",
        };
        let mark = if state == " f-open" { "?".to_owned() } else { (at + 1).to_string() };
        writeln!(out, "<g class=\"f-card{state}\">{}", rectangle(card, 6.0)).unwrap_or_default();
        let (x, y) = (card.x + STEM_IN, card.y + PADDING + SIZE / 2.0 + 1.0);
        writeln!(
            out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"11\"/><text class=\"f-number\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{mark}</text>",
            n(x),
            n(y),
            n(x),
            n(y + 4.5),
        )
        .unwrap_or_default();
        write_lines(out, &card.lines, card.x + TEXT_IN, card.y + PADDING + SIZE - 2.0);
        out.push_str("</g>\n");
    }

    fn chip(&self, out: &mut String, chip: &Block) {
        let lit = chip.from.is_some_and(|(question, answer)| self.takes(question, answer));
        let class = match chip.what {
            Next::Outcome(at) => colour(self.flow.outcomes[at].class),
            Next::Question(_) => "onward",
        };
        let state = if lit { " f-lit" } else { "" };
        writeln!(out, "<g class=\"f-chip f-{class}{state}\">{}", rectangle(chip, 14.0)).unwrap_or_default();
        write_lines(out, &chip.lines, chip.x + PADDING, chip.y + PADDING + SIZE - 2.0);
        if lit {
            let (x, y) = (n(chip.x + chip.width - 7.0), chip.y + 5.0);
            writeln!(
                out,
                "<circle cx=\"{x}\" cy=\"{}\" r=\"10\"/><text class=\"f-mark\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">✓</text>",
                n(y),
                n(y + 5.0)
            )
            .unwrap_or_default();
        }
        out.push_str("</g>\n");
    }
}

impl Wording for Drawing<'_> {
    fn question(&self, at: usize, width: f64) -> Vec<Line> {
        let question = &self.flow.questions[at];
        let mut lines = Line::set(&question.ask, "f-ask", width);
        match self.step(at) {
            Some(step) => lines.extend(proofs(step, width)),
            None if self.verdict.is_none() && question.when_text.chars().count() <= MOST_LETTERS => {
                lines.extend(Line::set(&signs(&question.when_text), "f-quiet", width));
            }
            None => {}
        }
        lines
    }

    fn end(&self, end: Next, width: f64) -> Vec<Line> {
        match end {
            Next::Outcome(at) => {
                let outcome = &self.flow.outcomes[at];
                let mut lines = Line::set(&outcome.label, "f-label", width);
                lines.extend(Line::set(outcome.class.name(), "f-class", width));
                lines
            }
            Next::Question(at) => Line::set(&format!("on with question {}", at + 1), "f-label", width),
        }
    }
}

/// The comparisons of a step: the figure, then its value against the threshold.
fn proofs(step: &Step, width: f64) -> Vec<Line> {
    let mut lines = Vec::new();
    for evidence in step.evidence.iter().take(MOST_PROOFS) {
        lines.extend(Line::set(&evidence.figure, "f-quiet", width));
        lines.extend(Line::set(&signs(&compared(evidence)), "f-strong", width));
    }
    if let Some(more) = step.evidence.len().checked_sub(MOST_PROOFS).filter(|more| *more > 0) {
        lines.extend(Line::set(&format!("and {more} more"), "f-quiet", width));
    }
    if let Some(assumed) = &step.assumed {
        lines.extend(Line::set(&format!("taken as {}", assumed.answer.word()), "f-quiet", width));
    }
    lines
}

/// `96% >= 80%: yes`; where there is no answer, why.
fn compared(evidence: &Evidence) -> String {
    match (&evidence.note, evidence.answer, &evidence.printed) {
        (Some(note), Answer::Undetermined, None) => note.clone(),
        (Some(note), Answer::Undetermined, Some(_)) => format!("{}, {note}", evidence.compared()),
        _ => format!("{}: {}", evidence.compared(), evidence.answer.word()),
    }
}

/// Signs as people read them, each tied to what stands behind it.
fn signs(text: &str) -> String {
    let mut text = text.replace(">=", "≥").replace("<=", "≤").replace("!=", "≠").replace("==", "=");
    for sign in ["≥", "≤", "≠", "=", "<", ">"] {
        text = text.replace(&format!("{sign} "), &format!("{sign}{TIE}"));
    }
    text
}

fn spoken(step: &Step) -> String {
    let proofs: Vec<String> = step.evidence.iter().map(|e| format!("{} {}", e.figure, compared(e))).collect();
    let assumed = step.assumed.as_ref().map(|a| format!(", taken as {}", a.answer.word())).unwrap_or_default();
    format!("{} {}{assumed} ({}).", step.ask, step.answer.word(), proofs.join("; "))
}

/// The class of a style for a class of outcomes.
fn colour(class: Class) -> &'static str {
    match class {
        Class::Done => "done",
        Class::Scale => "scale",
        Class::ScaleOut => "out",
        Class::Adjust => "adjust",
        Class::PotentialIssue => "issue",
        Class::Terminate => "stop",
        Class::Undetermined => "none",
    }
}

fn rectangle(block: &Block, radius: f64) -> String {
    let (x, y, width, height) = (n(block.x), n(block.y), n(block.width), n(block.height));
    format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{}\"/>", n(radius))
}

/// Lines of text, the first on the given base line.
fn write_lines(out: &mut String, lines: &[Line], x: f64, y: f64) {
    let mut y = y;
    for line in lines {
        let (style, text) = (line.style, escaped(&line.text));
        writeln!(out, "<text class=\"{style}\" x=\"{}\" y=\"{}\">{text}</text>", n(x), n(y)).unwrap_or_default();
        y += LEADING;
    }
}

/// A coordinate with at most one decimal.
fn n(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Text that is text in XML; letters that XML has no place for are replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\r' | '\t' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            control if control.is_control() => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}
