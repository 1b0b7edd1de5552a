//! Failures of several causes, told in one text: a request fails of one cause, so together they can't be more than failed.

use super::Claim;
use super::topic::{Cause, Topic};
use crate::audit::rule::Found;
use crate::audit::subject::Subject;
use crate::model::catalogue::FigureId;
use crate::model::units::{Unit, show_number};

/// Texts whose causes are more than failed, though none of them alone is.
pub(super) fn differs(subject: &Subject<'_>, claims: &[Claim<'_>]) -> Vec<Found> {
    let Some(failed) = subject.figure(FigureId::K6FailedRequests) else { return Vec::new() };
    let mut found = Vec::new();
    let mut rest = claims;
    while let Some(first) = rest.first() {
        let (of_text, others) = rest.split_at(rest.iter().position(|claim| claim.text != first.text).unwrap_or(rest.len()));
        rest = others;
        let causes = causes(subject, of_text);
        let sum: f64 = causes.iter().map(|(_, least, _)| least).sum();
        if causes.len() > 1 && sum > failed.range().hi() {
            let quotes: Vec<String> = causes.iter().map(|(_, _, quote)| format!("\"{quote}\"")).collect();
            let name = FigureId::K6FailedRequests.name();
            let message =
                format!("{}: {} together, but {name} is {}", quotes.join(", "), show_number(sum.round()), failed.text());
            found.push(Found::new(message).with(format!("claimed.{name}"), sum.round(), Unit::Count).measured(name, &failed));
        }
    }
    found
}

/// Causes of a text with the fewest failures that its digits allow; of a cause that is told twice, the larger.
fn causes<'a>(subject: &Subject<'_>, claims: &'a [Claim<'_>]) -> Vec<(Cause, f64, &'a str)> {
    let mut causes: Vec<(Cause, f64, &str)> = Vec::new();
    for claim in claims.iter().filter(|claim| claim.of == *subject.address && claim.holds) {
        let Topic::Failed(cause, _) = &claim.topic else { continue };
        let Some(least) = claim.told.range(super::number::Digits::Rounded).map(|range| range.lo().max(0.0)) else { continue };
        match causes.iter_mut().find(|(known, ..)| known == cause) {
            _ if *cause == Cause::Any => {}
            Some(known) if known.1 >= least => {}
            Some(known) => *known = (*cause, least, &claim.quote),
            None => causes.push((*cause, least, &claim.quote)),
        }
    }
    causes
}
