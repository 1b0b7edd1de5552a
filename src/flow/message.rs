//! Messages of outcomes: text with figures put in.

use super::expr::near_figure;
use super::lexer::Fault;
use crate::model::evidence::{FigureRef, Known};
use crate::model::figure::Measurement;

/// A text with places for figures: `{database.cpu.median}`, `{database.lock_wait_ratio.of}`, `{previous.k6.vus}`; `{{`
/// and `}}` stand for braces.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Message(Vec<Piece>);

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    /// The figure as printed.
    Figure(FigureRef),
    /// What the figure is a share of.
    Of(FigureRef),
}

impl Message {
    /// Reads a message; all its faults with their places in the text.
    pub(super) fn read(text: &str) -> Result<Self, Vec<Fault>> {
        let (mut pieces, mut faults) = (Vec::new(), Vec::new());
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let (length, piece) = piece(rest);
            match piece {
                Ok(piece) => pieces.push(piece),
                Err(fault) => faults.push(Fault { span: at..at + length, ..fault }),
            }
            at += length;
        }
        if faults.is_empty() { Ok(Self(pieces)) } else { Err(faults) }
    }

    /// The message of a run, figures as printed.
    pub(super) fn fill(&self, known: &Known) -> String {
        self.0.iter().map(|piece| piece.text(known)).collect()
    }
}

/// The first piece of a text that is not empty, and how many bytes it takes; never zero.
fn piece(rest: &str) -> (usize, Result<Piece, Fault>) {
    for (doubled, brace) in [("{{", "{"), ("}}", "}")] {
        if rest.starts_with(doubled) {
            return (2, Ok(Piece::Text(brace.to_owned())));
        }
    }
    if rest.starts_with('}') {
        let fault = Fault::new("bad-message", 0..0, "this brace was never opened").help("write `}}` for a brace");
        return (1, Err(fault));
    }
    if !rest.starts_with('{') {
        let length = rest.find(['{', '}']).unwrap_or(rest.len());
        return (length, Ok(Piece::Text(rest[..length].to_owned())));
    }
    match rest.find('}') {
        Some(end) => (end + 1, placeholder(rest[1..end].trim())),
        None => {
            let fault = Fault::new("bad-message", 0..0, "this brace is never closed").help("write `{{` for a brace");
            (rest.len(), Err(fault))
        }
    }
}

fn placeholder(name: &str) -> Result<Piece, Fault> {
    if let Ok(figure) = name.parse() {
        return Ok(Piece::Figure(figure));
    }
    if let Some(figure) = name.strip_suffix(".of").and_then(|name| name.parse().ok()) {
        return Ok(Piece::Of(figure));
    }
    let fault = Fault::new("unknown-figure", 0..0, format!("unknown figure `{name}` in a message"));
    Err(match near_figure(name) {
        Some(near) => fault.help(format!("did you mean `{{{near}}}`?")),
        None => fault.help("`plimsoll schema figures` lists all figures"),
    })
}

impl Piece {
    fn text(&self, known: &Known) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Figure(figure) => {
                known.figure(*figure).measurement().map_or_else(|| "not captured".to_owned(), Measurement::text)
            }
            Self::Of(figure) => {
                let found = known.figure(*figure);
                found.measurement().and_then(|found| found.of.clone()).unwrap_or_else(|| "a total that was not stated".to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::catalogue::FigureId;
    use crate::model::figure::Figure;
    use crate::model::units::Unit;

    #[test]
    fn figures_are_put_in_as_printed() {
        let mut known = Known::default();
        let share = Measurement::exact(0.35, Unit::Ratio).of("database time");
        known.figures.insert(FigureRef::this(FigureId::DatabaseLockWaitRatio), Figure::Measured(share));
        let text = "{{{database.lock_wait_ratio} of {database.lock_wait_ratio.of}}}, pool {pool.empty_ratio}";
        let message = Message::read(text).unwrap_or_else(|_| unreachable!());
        assert_eq!(message.fill(&known), "{35% of database time}, pool not captured");
    }

    #[test]
    fn a_message_is_checked() {
        for bad in ["{", "}", "{database.cpu}", "{}", "{ü}"] {
            assert!(Message::read(bad).is_err(), "{bad}");
        }
    }
}
