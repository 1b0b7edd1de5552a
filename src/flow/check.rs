//! What a flow is held to: total, acyclic, all of it reachable, unique names, a case for each outcome.

use std::collections::{BTreeMap, BTreeSet};

use super::chart::{Case, Ending, Flow, Next, Question};
use super::parse::{self, Draft, DraftCase, DraftOutcome, DraftQuestion};
use crate::diagnostic::{Diagnostic, Faults};
use crate::handwritten::{Document, Written};
use crate::model::verdict::Answer;
use crate::source::{Place, Source};

/// The most questions a flow may have: far more than anybody can follow.
const MOST_QUESTIONS: usize = 300;

/// Outcomes that the engine gives itself.
pub(super) const UNDETERMINED: &str = "undetermined";
/// The outcome of a run that was ended before its time.
pub(super) const ABORTED: &str = "aborted";

impl Flow {
    /// Reads a flow file.
    ///
    /// # Errors
    /// All its faults, each under the words it is about: what can't be parsed, unknown figures, units that don't meet,
    /// missing edges, a way round in a circle, questions and outcomes that nothing leads to, outcomes without a case.
    pub fn read(source: &Source) -> Result<Self, Faults> {
        let document = Document::parse(source);
        let draft = parse::draft(&document);
        let flow = Checker { document: &document, source, draft: &draft, names: names(&draft) }.flow();
        document.finish()?;
        // A draft that gave no flow gave a fault.
        flow.ok_or_else(|| Diagnostic::error("bad-flow", format!("{} is no flow", source.name())).into())
    }
}

/// Every name an edge may lead to; the first of two equal ones.
fn names(draft: &Draft) -> BTreeMap<&str, Next> {
    let mut names = BTreeMap::new();
    for (at, question) in draft.questions.iter().enumerate() {
        names.entry(question.name.value.as_str()).or_insert(Next::Question(at));
    }
    for (at, outcome) in draft.outcomes.iter().enumerate() {
        names.entry(outcome.name.value.as_str()).or_insert(Next::Outcome(at));
    }
    names
}

struct Checker<'a> {
    document: &'a Document<'a>,
    source: &'a Source,
    draft: &'a Draft,
    names: BTreeMap<&'a str, Next>,
}

/// The two edges of each question, as far as they lead somewhere.
type Edges = Vec<[Option<Next>; 2]>;

impl Checker<'_> {
    fn fault(&self, fault: Diagnostic) {
        self.document.fault(fault);
    }

    fn flow(&self) -> Option<Flow> {
        let draft = self.draft;
        self.check_name();
        self.check_size();
        if draft.questions.len() > MOST_QUESTIONS {
            return None;
        }
        self.check_names();
        let start = draft.start.as_ref().and_then(|start| self.resolve(start));
        let edges: Edges = draft.questions.iter().map(|question| self.edges(question)).collect();
        self.check_circles(&edges);
        self.check_reached(start, &edges);
        self.check_cases();
        let questions = draft.questions.iter().zip(&edges).map(|(question, edges)| build(question, edges)).collect::<Option<_>>();
        Some(Flow {
            name: draft.name.as_ref()?.value.clone(),
            title: draft.title.clone()?,
            reading: draft.reading.clone(),
            start: start?,
            questions: questions?,
            outcomes: draft.outcomes.iter().map(ending).collect::<Option<_>>()?,
            cases: draft.cases.iter().map(case).collect::<Option<_>>()?,
        })
    }

    fn check_name(&self) {
        let file = self.source.name().rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = file.strip_suffix(".toml").unwrap_or(file);
        if let Some(name) = &self.draft.name
            && name.value != stem
        {
            let message = format!("the flow is called `{}` but its file `{stem}`", name.value);
            self.fault(Diagnostic::error("flow-name", message).at(name.place.clone()).help("give both the same name"));
        }
    }

    fn check_size(&self) {
        let whole = || self.source.at(0..0);
        if self.draft.questions.is_empty() {
            self.fault(Diagnostic::error("no-question", "the flow asks nothing").at(whole()).help("add a [question.<name>]"));
        }
        if let Some(question) = self.draft.questions.get(MOST_QUESTIONS) {
            let message = format!("the flow has more than {MOST_QUESTIONS} questions");
            self.fault(Diagnostic::error("too-many-questions", message).at(question.name.place.clone()));
        }
    }

    fn check_names(&self) {
        for outcome in &self.draft.outcomes {
            let name = &outcome.name;
            if let Some(question) = self.draft.questions.iter().find(|question| question.name.value == name.value) {
                let message = format!("`{}` is a question and an outcome", name.value);
                let fault = Diagnostic::error("duplicate-name", message).at(name.place.clone());
                self.fault(fault.at(question.name.place.clone().labelled("the question")));
            }
            if [UNDETERMINED, ABORTED].contains(&name.value.as_str()) {
                let message = format!("an outcome can't be called `{}`: that is what the engine says by itself", name.value);
                self.fault(Diagnostic::error("reserved-name", message).at(name.place.clone()));
            }
        }
        let mut seen: BTreeMap<&str, &Place> = BTreeMap::new();
        for name in self.draft.cases.iter().filter_map(|case| case.name.as_ref()) {
            if let Some(first) = seen.get(name.value.as_str()) {
                let fault = Diagnostic::error("duplicate-name", format!("two cases are called `{}`", name.value));
                self.fault(fault.at(name.place.clone()).at((*first).clone().labelled("the first")));
            } else {
                seen.insert(&name.value, &name.place);
            }
        }
    }

    fn resolve(&self, name: &Written<String>) -> Option<Next> {
        let found = self.names.get(name.value.as_str()).copied();
        if found.is_none() {
            let message = format!("there is no question or outcome `{}`", name.value);
            let fault = Diagnostic::error("unknown-node", message).at(name.place.clone());
            self.fault(fault.suggest(&name.value, self.names.keys().copied()));
        }
        found
    }

    fn edges(&self, question: &DraftQuestion) -> [Option<Next>; 2] {
        [&question.yes, &question.no].map(|edge| edge.as_ref().and_then(|edge| self.resolve(edge)))
    }

    /// Every way round in a circle, found by walking deep and meeting a question that is still open.
    fn check_circles(&self, edges: &Edges) {
        let mut done = vec![false; edges.len()];
        for start in 0..edges.len() {
            let mut trail: Vec<(usize, usize)> = if done[start] { Vec::new() } else { vec![(start, 0)] };
            while let Some((at, turn)) = trail.last_mut() {
                let (at, edge) = (*at, edges[*at].get(*turn).copied());
                *turn += 1;
                match edge {
                    None => {
                        done[at] = true;
                        trail.pop();
                    }
                    Some(Some(Next::Question(next))) => {
                        if let Some(from) = trail.iter().position(|(open, _)| *open == next) {
                            self.circle(trail.get(from..).unwrap_or_default());
                        } else if !done[next] {
                            trail.push((next, 0));
                        }
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// The fault of a circle: the edge that closes it, and the way round.
    fn circle(&self, trail: &[(usize, usize)]) {
        let questions = &self.draft.questions;
        let mut names: Vec<&str> = trail.iter().map(|(at, _)| questions[*at].name.value.as_str()).collect();
        names.extend(names.first().copied());
        let message = format!("the flow goes round in a circle: {}", names.join(" -> "));
        let mut places = trail.iter().rev().filter_map(|(at, turn)| {
            // The turn was counted on when the edge was taken.
            let edge = if *turn == 1 { &questions[*at].yes } else { &questions[*at].no };
            edge.as_ref().map(|edge| edge.place.clone())
        });
        let Some(closing) = places.next() else { return };
        let fault = Diagnostic::error("cycle", message).at(closing.labelled("this closes the circle"));
        let fault = places.collect::<Vec<_>>().into_iter().rev().fold(fault, Diagnostic::at);
        self.fault(fault.help("lead one of these edges on to an outcome or a later question"));
    }

    /// What nothing leads to. Only asked where every edge is known: a mistyped edge would accuse what it means.
    fn check_reached(&self, start: Option<Next>, edges: &Edges) {
        if start.is_none() || edges.iter().flatten().any(Option::is_none) {
            return;
        }
        let mut reached: BTreeSet<Next> = BTreeSet::new();
        let mut open: Vec<Next> = start.into_iter().collect();
        while let Some(next) = open.pop() {
            if reached.insert(next)
                && let Next::Question(at) = next
            {
                open.extend(edges[at].iter().flatten());
            }
        }
        let questions = self.draft.questions.iter().enumerate().map(|(at, q)| (Next::Question(at), &q.name));
        let outcomes = self.draft.outcomes.iter().enumerate().map(|(at, o)| (Next::Outcome(at), &o.name));
        for (_, name) in questions.chain(outcomes).filter(|(next, _)| !reached.contains(next)) {
            let fault = Diagnostic::error("unreachable", format!("nothing leads to `{}`", name.value)).at(name.place.clone());
            self.fault(fault.help("lead an edge to it, or take it out"));
        }
    }

    fn check_cases(&self) {
        for case in &self.draft.cases {
            self.check_case(case);
        }
        let covered: BTreeSet<&str> =
            self.draft.cases.iter().filter_map(|case| case.outcome.as_ref()).map(|outcome| outcome.value.as_str()).collect();
        for outcome in self.draft.outcomes.iter().filter(|outcome| !covered.contains(outcome.name.value.as_str())) {
            let message = format!("no case ends in `{}`", outcome.name.value);
            let fault = Diagnostic::error("no-case", message).at(outcome.name.place.clone());
            self.fault(fault.help("add a [[case]] with figures that lead there"));
        }
    }

    fn check_case(&self, case: &DraftCase) {
        let outcomes = self.draft.outcomes.iter().map(|outcome| outcome.name.value.as_str());
        let outcomes: Vec<&str> = outcomes.chain([UNDETERMINED, ABORTED]).collect();
        self.check_known(case.outcome.as_slice(), &outcomes, "outcome");
        let questions: Vec<&str> = self.draft.questions.iter().map(|question| question.name.value.as_str()).collect();
        self.check_known(case.path.as_deref().unwrap_or_default(), &questions, "question");
    }

    fn check_known(&self, names: &[Written<String>], known: &[&str], what: &str) {
        for name in names.iter().filter(|name| !known.contains(&name.value.as_str())) {
            let fault = Diagnostic::error("unknown-node", format!("there is no {what} `{}`", name.value));
            self.fault(fault.at(name.place.clone()).suggest(&name.value, known.iter().copied()));
        }
    }
}

fn build(question: &DraftQuestion, [yes, no]: &[Option<Next>; 2]) -> Option<Question> {
    let (when, when_text) = question.when.clone()?;
    Some(Question {
        name: question.name.value.clone(),
        ask: question.ask.clone()?,
        when,
        when_text,
        yes: (*yes)?,
        no: (*no)?,
        unknown: question.unknown.clone()?,
        between: question.between.clone(),
    })
}

fn ending(outcome: &DraftOutcome) -> Option<Ending> {
    Some(Ending {
        name: outcome.name.value.clone(),
        class: outcome.class?,
        label: outcome.label.clone()?,
        action: outcome.action.clone()?,
        message: outcome.message.clone()?,
    })
}

fn case(case: &DraftCase) -> Option<Case> {
    let values = |list: &Vec<Written<String>>| list.iter().map(|name| name.value.clone()).collect();
    let outcome = case.outcome.clone()?;
    Some(Case {
        name: case.name.as_ref()?.value.clone(),
        known: case.known.clone(),
        outcome: outcome.value,
        path: case.path.as_ref().map(values),
        undetermined: case.undetermined.as_ref().map(values),
        place: outcome.place,
    })
}

/// The index of an answer's edge: yes first.
pub(super) fn edge_index(answer: Answer) -> usize {
    usize::from(answer == Answer::No)
}
