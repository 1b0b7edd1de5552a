//! What holds for every flow and every run: a walk ends, intervals answer as all their points do, counterfactuals are true.

use std::collections::BTreeMap;
use std::fmt::Write;

use plimsoll::flow::{BUILT_IN, Flow, Judged, builtin, draw, show};
use plimsoll::model::bounds::Bounds;
use plimsoll::model::evidence::{Fact, FigureRef, Known};
use plimsoll::model::figure::{Figure, Measurement};
use plimsoll::model::verdict::{Answer, Verdict};
use plimsoll::source::Source;
use proptest::prelude::*;

const FIGURES: [&str; 7] = [
    "database.cpu.median",
    "pool.empty_ratio",
    "database.lock_wait_ratio",
    "k6.vus",
    "previous.k6.vus",
    "k6.iterations_per_s",
    "previous.k6.iterations_per_s",
];

/// A comparison with a threshold between 0 and 100.
fn comparison() -> impl Strategy<Value = String> {
    let sign = prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
    let shape = prop::sample::select(vec![
        "database.cpu.median S T%",
        "T% S pool.empty_ratio",
        "database.lock_wait_ratio S T%",
        "k6.vus S T",
        "k6.vus / previous.k6.vus S T%",
        "k6.iterations_per_s S previous.k6.iterations_per_s * 1.5",
        "k6.iterations_per_s / previous.k6.iterations_per_s - 1 S (k6.vus / previous.k6.vus - 1) / 2",
        "(database.cpu.median + pool.empty_ratio) / 2 S T%",
        "100% - database.cpu.median S pool.empty_ratio",
        "k6.iterations_per_s / k6.vus S T/s",
    ]);
    (shape, sign, 0..=100u8)
        .prop_map(|(shape, sign, threshold)| shape.replace(" S ", &format!(" {sign} ")).replace('T', &threshold.to_string()))
}

fn condition() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        6 => comparison(),
        1 => prop::sample::select(FIGURES.to_vec()).prop_map(|figure| format!("captured({figure})")),
        1 => prop::sample::select(Fact::ALL.to_vec()).prop_map(|fact| fact.name().to_owned()),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" and "))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" or "))),
            inner.prop_map(|part| format!("not ({part})")),
        ]
    })
}

/// A random graph: every question but the first hangs on a free edge of an earlier one; the edges left over lead to a
/// later question or to an outcome of their own.
fn edges(picks: &[(u16, u16, u16)]) -> Vec<[String; 2]> {
    let mut edges: Vec<[Option<String>; 2]> = vec![[None, None]; picks.len()];
    for at in 1..picks.len() {
        let free: Vec<(usize, usize)> =
            (0..at).flat_map(|q| [(q, 0), (q, 1)]).filter(|(q, side)| edges[*q][*side].is_none()).collect();
        let (question, side) = free[usize::from(picks[at].0) % free.len()];
        edges[question][side] = Some(format!("q{at}"));
    }
    let lead = |at: usize, side: usize, pick: u16| {
        let to = at + 1 + usize::from(pick % 8);
        if to < picks.len() { format!("q{to}") } else { format!("o{at}_{side}") }
    };
    let fill = |(at, [yes, no]): (usize, [Option<String>; 2])| {
        [yes.unwrap_or_else(|| lead(at, 0, picks[at].1)), no.unwrap_or_else(|| lead(at, 1, picks[at].2))]
    };
    edges.into_iter().enumerate().map(fill).collect()
}

/// The text of a flow with random questions and edges.
fn flow_text() -> impl Strategy<Value = String> {
    let question = (condition(), any::<(u16, u16, u16)>(), prop::sample::select(vec!["stop", "yes", "no"]));
    prop::collection::vec(question, 1..12).prop_map(|questions| {
        let picks: Vec<(u16, u16, u16)> = questions.iter().map(|(_, picks, _)| *picks).collect();
        let edges = edges(&picks);
        let mut text = String::from("name = \"random\"\ntitle = \"Random\"\nstart = \"q0\"\n");
        for (at, ((when, _, unknown), [yes, no])) in questions.iter().zip(&edges).enumerate() {
            let because = if *unknown == "stop" { "" } else { "because = \"of a property\"\n" };
            write!(text, "[question.q{at}]\nask = \"{at}?\"\nwhen = \"{when}\"\nyes = \"{yes}\"\nno = \"{no}\"\n").unwrap();
            write!(text, "when_unknown = \"{unknown}\"\n{because}").unwrap();
        }
        for outcome in edges.iter().flatten().filter(|name| name.starts_with('o')) {
            write!(text, "[outcome.{outcome}]\nclass = \"scale\"\nlabel = \"{outcome}\"\naction = \"\"\n").unwrap();
            write!(text, "message = \"{{k6.vus}}\"\n[[case]]\nname = \"{outcome}\"\noutcome = \"{outcome}\"\n").unwrap();
        }
        text
    })
}

/// A value from 0 to 1.2 of a share, 0 to 120 of the rest, with bounds around it or none; or nothing.
fn figure(name: &'static str) -> impl Strategy<Value = (FigureRef, Figure)> {
    let figure: FigureRef = name.parse().unwrap();
    let scale = if name.contains("k6") { 100.0 } else { 1.0 };
    (0..=120u8, 0..=9u8, 0..10u8).prop_map(move |(value, width, kind)| {
        let value = f64::from(value) / 100.0 * scale;
        let half = f64::from(width) / 200.0 * scale;
        let bounds = Bounds::new((value - half).max(0.0), value + half).unwrap();
        let measurement = Measurement::exact(value, figure.figure.unit()).within(bounds);
        let found = match kind {
            0 => Figure::NotCaptured { reason: None },
            1 => Figure::Incomplete(measurement),
            _ => Figure::Measured(measurement),
        };
        (figure, found)
    })
}

fn known() -> impl Strategy<Value = Known> {
    let figures: Vec<_> = FIGURES.into_iter().map(figure).collect();
    let facts = prop::collection::vec(prop::option::of(any::<bool>()), Fact::ALL.len());
    (figures, facts).prop_map(|(figures, facts)| Known {
        figures: figures.into_iter().collect(),
        facts: Fact::ALL.into_iter().zip(facts).filter_map(|(fact, is)| Some((fact, is?))).collect(),
        aborted: None,
    })
}

/// The same run with every figure at one point of what its bounds allow.
fn point(known: &Known, at: &[f64]) -> Known {
    let mut point = known.clone();
    for ((_, figure), at) in point.figures.iter_mut().zip(at) {
        if let Figure::Measured(measurement) = figure {
            let range = measurement.range();
            measurement.value = (range.lo() + (range.hi() - range.lo()) * at).clamp(range.lo(), range.hi());
            measurement.bounds = None;
        }
    }
    point
}

fn read(text: &str) -> Flow {
    Flow::read(&Source::new("random.toml", text)).unwrap_or_else(|faults| panic!("{text}\n{faults}"))
}

fn judge(flow: &Flow, known: &Known) -> Verdict {
    flow.judge(known, &Judged::default())
}

/// The definite answers of a path, by question.
fn sure(verdict: &Verdict) -> BTreeMap<&str, Answer> {
    let sure = verdict.path.iter().filter(|step| step.answer != Answer::Undetermined);
    sure.map(|step| (step.question.as_str(), step.answer)).collect()
}

/// Numbers behind a mark, up to a quote.
fn numbers(text: &str) -> Vec<f64> {
    let end = text.find('"').unwrap_or(text.len());
    text[..end].split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).filter_map(|n| n.parse().ok()).collect()
}

/// The sheet, then every box of a drawing: left, top, right, bottom.
fn boxes(svg: &str) -> Vec<[f64; 4]> {
    let sheet = numbers(svg.split("viewBox=\"").nth(1).unwrap());
    let attribute = |tag: &str, name: &str| numbers(tag.split(&format!(" {name}=\"")).nth(1).unwrap())[0];
    let corner = |tag: &str| {
        let (x, y) = (attribute(tag, "x"), attribute(tag, "y"));
        [x, y, x + attribute(tag, "width"), y + attribute(tag, "height")]
    };
    let found = svg.split("<rect").skip(1).filter(|tag| tag.starts_with(" x=")).map(corner);
    std::iter::once([0.0, 0.0, sheet[2], sheet[3]]).chain(found).collect()
}

/// Every line of a drawing, from and to.
fn lines(svg: &str) -> Vec<[f64; 4]> {
    let path = |text: &str| numbers(text).try_into().unwrap();
    svg.split("class=\"f-line\" d=\"").skip(1).map(path).collect()
}

/// Half as many cases as usual: a case is a whole flow. What fails belongs into a test with a name.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases / 2, failure_persistence: None, ..usual }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_walk_ends_in_an_outcome_or_says_what_is_missing(text in flow_text(), known in known()) {
        let flow = read(&text);
        let verdict = judge(&flow, &known);
        if verdict.outcome.name == "undetermined" {
            prop_assert!(!verdict.undetermined.is_empty());
            prop_assert!(verdict.path.last().is_some_and(|step| step.taken().is_none()));
        } else {
            prop_assert!(flow.outcome(&verdict.outcome.name).is_some());
            prop_assert!(verdict.path.iter().all(|step| step.taken().is_some()));
        }
        prop_assert_eq!(&verdict, &judge(&flow, &known));
    }

    #[test]
    fn what_an_interval_answers_every_point_of_it_answers(
        text in flow_text(),
        known in known(),
        points in prop::collection::vec(prop::collection::vec(0.0..=1.0f64, FIGURES.len()), 1..6),
    ) {
        let flow = read(&text);
        let verdict = judge(&flow, &known);
        let asked = sure(&verdict);
        for at in points {
            let there = judge(&flow, &point(&known, &at));
            for (question, answer) in sure(&there) {
                prop_assert!(asked.get(question).is_none_or(|sure| *sure == answer), "{}: {}", text, question);
            }
            let all_sure = asked.len() == verdict.path.len();
            prop_assert!(!all_sure || there.outcome == verdict.outcome);
        }
    }

    #[test]
    fn counterfactuals_are_true(text in flow_text(), known in known()) {
        let flow = read(&text);
        let verdict = judge(&flow, &known);
        for change in &verdict.counterfactuals {
            let figure: FigureRef = change.figure.parse().unwrap();
            let mut changed = known.clone();
            changed.figures.insert(figure, Figure::Measured(Measurement::exact(change.to, change.unit)));
            prop_assert_eq!(&judge(&flow, &changed).outcome.name, &change.outcome);
            prop_assert!(change.outcome != verdict.outcome.name);
        }
    }

    #[test]
    fn no_nearer_value_leads_to_the_same_outcome(text in flow_text(), known in known(), part in 0.01..0.99f64) {
        let flow = read(&text);
        let verdict = judge(&flow, &known);
        for change in verdict.counterfactuals.iter().filter(|change| !change.figure.ends_with("vus")) {
            let Some(from) = change.from.filter(|from| (from - change.to).abs() > 1e-9) else { continue };
            let figure: FigureRef = change.figure.parse().unwrap();
            let between = from + (change.to - from) * part;
            let mut changed = known.clone();
            changed.figures.insert(figure, Figure::Measured(Measurement::exact(between, change.unit)));
            prop_assert!(judge(&flow, &changed).outcome.name != change.outcome, "{}\n{:?} at {}", text, change, between);
        }
    }

    #[test]
    fn every_flow_is_drawn_and_shown(text in flow_text(), known in known()) {
        let flow = read(&text);
        let verdict = judge(&flow, &known);
        let svg = draw(&flow, Some(&verdict));
        prop_assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
        for at in 0..verdict.path.len() {
            prop_assert!(svg.contains(&verdict.path[at].ask));
        }
        prop_assert!(show(&flow).contains("Questions"));
        let boxes = boxes(&svg);
        for (at, a) in boxes.iter().enumerate() {
            prop_assert!(a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= boxes[0][2] && a[3] <= boxes[0][3], "{:?} leaves the sheet", a);
            for b in boxes.iter().skip(at + 1).filter(|_| at > 0) {
                prop_assert!(a[2] < b[0] || b[2] < a[0] || a[3] < b[1] || b[3] < a[1], "{:?} lies on {:?}", a, b);
            }
        }
        for [x1, y1, x2, y2] in lines(&svg) {
            // A line keeps clear of every box but the two it joins, which it only touches.
            let (x1, y1, x2, y2) = (x1 + 0.1, y1 + 0.1, x2 - 0.1, y2 - 0.1);
            let crossed = boxes.iter().skip(1).find(|b| x2.max(x1) > b[0] && x1.min(x2) < b[2] && y2.max(y1) > b[1] && y1.min(y2) < b[3]);
            prop_assert_eq!(crossed, None);
        }
    }

    #[test]
    fn no_flow_file_makes_the_reader_panic(
        at in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        name in prop::sample::select(BUILT_IN.to_vec()),
    ) {
        let mut bytes = builtin(name).unwrap().text().as_bytes().to_vec();
        for (at, byte) in at {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len() * 2).max(1));
        let _ = Flow::read(&Source::from_bytes("practice.toml", &bytes)).map_err(|faults| faults.to_string());
    }

    #[test]
    fn no_expression_makes_the_reader_panic(when in "\\PC{0,40}|([a-z.(]{0,3}(k6\\.vus|80%|\\)|<|and|not|\\*|-| ){1,6}){0,12}") {
        let text = format!(
            "name = \"random\"\ntitle = \"\"\nstart = \"q\"\n[question.q]\nask = \"\"\nwhen = '''{when}'''\nyes = \"o\"\nno = \"o\"\n\
             [outcome.o]\nclass = \"done\"\nlabel = \"\"\naction = \"\"\nmessage = '''{when}'''\n[[case]]\nname = \"o\"\noutcome = \"o\"\n"
        );
        let _ = Flow::read(&Source::new("random.toml", text)).map_err(|faults| faults.to_string());
    }
}

#[test]
fn what_nests_or_goes_on_without_end_is_refused() {
    for when in ["(".repeat(100_000), "not ".repeat(100_000), "k6.vus + ".repeat(100_000), "k6.vus > 1 and ".repeat(100_000)] {
        let text = format!("name = \"random\"\ntitle = \"\"\nstart = \"q\"\n[question.q]\nask = \"\"\nwhen = \"{when}\"\n");
        assert!(Flow::read(&Source::new("random.toml", text)).is_err());
    }
    let mut text = String::from("name = \"random\"\ntitle = \"\"\nstart = \"q0\"\n");
    for at in 0..1_000 {
        write!(text, "[question.q{at}]\nask = \"\"\nwhen = \"k6.vus > 1\"\nyes = \"q{}\"\nno = \"q0\"\n", at + 1).unwrap();
    }
    let faults = Flow::read(&Source::new("random.toml", text)).unwrap_err();
    assert!(faults.list().iter().any(|fault| fault.code == "too-many-questions"));
}
