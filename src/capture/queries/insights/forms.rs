//! One time told twice counts once: the same series in two files, and files that put the same time together in other ways.

use std::collections::{BTreeMap, BTreeSet};

use super::series::Series;
use crate::capture::File;
use crate::capture::findings::Findings;
use crate::capture::quantity::Quantity;
use crate::diagnostic::Diagnostic;

/// The way in which series are put together: their metric, whether they are counters, and the labels that tell them apart.
type Form<'a> = (&'a str, bool, Vec<&'a str>);

/// Files of one form, or of forms that lie together in a file.
#[derive(Default)]
struct Kin<'a> {
    forms: BTreeSet<Form<'a>>,
    files: BTreeSet<&'a str>,
}

/// The series without what another file says too. Of a quantity in two forms the one with more labels stays.
pub(super) fn once<'a>(series: Vec<Series<'a>>, findings: &mut Findings) -> Vec<Series<'a>> {
    let series = without_repeats(series, findings);
    let mut files: BTreeMap<(Quantity, &str), &File> = BTreeMap::new();
    let mut forms: BTreeMap<(Quantity, &str), BTreeSet<Form<'a>>> = BTreeMap::new();
    for one in &series {
        let key = (one.quantity, one.file.path.as_str());
        files.insert(key, one.file);
        forms.entry(key).or_default().insert(form(one));
    }
    let mut kin: BTreeMap<Quantity, Vec<Kin<'a>>> = BTreeMap::new();
    for ((quantity, path), own) in forms {
        join(kin.entry(quantity).or_default(), path, own);
    }
    let mut kept: BTreeMap<Quantity, BTreeSet<&str>> = BTreeMap::new();
    for (quantity, mut all) in kin {
        let labels = |one: &Kin<'_>| one.forms.iter().map(|(_, _, labels)| labels.len()).max().unwrap_or_default();
        all.sort_by(|a, b| labels(b).cmp(&labels(a)).then_with(|| a.files.cmp(&b.files)));
        let mut all = all.into_iter();
        let Some(best) = all.next() else { continue };
        for path in all.flat_map(|other| other.files) {
            let first = best.files.first().copied().unwrap_or_default();
            let message = format!("{path} tells {} in another form than {first}, which is used", quantity.name());
            let file = files.get(&(quantity, path)).map(|file| file.source.at(0..0));
            findings.told.push(file.into_iter().fold(Diagnostic::remark("several-forms", message), Diagnostic::at));
            findings.pass_over(path, format!("{first} tells the same with more labels"));
        }
        kept.insert(quantity, best.files);
    }
    series.into_iter().filter(|one| kept.get(&one.quantity).is_some_and(|own| own.contains(one.file.path.as_str()))).collect()
}

fn form<'a>(one: &Series<'a>) -> Form<'a> {
    (&one.track.metric, one.is_counter(), one.track.labels.keys().map(String::as_str).collect())
}

/// Puts a file to those of its forms, which it may join to each other.
fn join<'a>(all: &mut Vec<Kin<'a>>, path: &'a str, forms: BTreeSet<Form<'a>>) {
    let mut joined = Kin { forms, files: BTreeSet::from([path]) };
    for other in std::mem::take(all) {
        if other.forms.is_disjoint(&joined.forms) {
            all.push(other);
        } else {
            joined.forms.extend(other.forms);
            joined.files.extend(other.files);
        }
    }
    all.push(joined);
}

/// Each piece of a series once; two files that differ about one, or whose pieces overlap, contradict each other.
fn without_repeats<'a>(series: Vec<Series<'a>>, findings: &mut Findings) -> Vec<Series<'a>> {
    let mut known: BTreeMap<(Quantity, Form<'a>, Vec<&str>), usize> = BTreeMap::new();
    let mut kept: Vec<Series<'a>> = Vec::new();
    for mut one in series {
        let key = (one.quantity, form(&one), one.track.labels.values().map(String::as_str).collect());
        let Some(first) = known.get(&key).and_then(|at| kept.get(*at)) else {
            known.insert(key, kept.len());
            kept.push(one);
            continue;
        };
        if one.contradicts(first) {
            let message = format!("{} and {} differ about {}", first.file.path, one.file.path, one.track.metric);
            let fault = Diagnostic::error("contradicting-points", message).at(first.file.source.at(0..0));
            findings.told.push(fault.at(one.file.source.at(0..0)).help("give one of them"));
        }
        let had_pieces = one.is_in_window();
        one.leave_out(first);
        if had_pieces && !one.is_in_window() {
            findings.pass_over(&one.file.path, format!("{} has the same series", first.file.path));
        } else {
            kept.push(one);
        }
    }
    kept
}
