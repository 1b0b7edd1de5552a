//! A flow held against its own cases.

use std::collections::BTreeSet;
use std::fmt;

use super::chart::{Case, Flow, Next};
use super::check::edge_index;
use super::walk::Judged;
use crate::diagnostic::Diagnostic;
use crate::model::verdict::Step;

/// What the cases of a flow came to.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseReport {
    /// The flow's name.
    pub flow: String,
    /// Every case, in the order of the file.
    pub cases: Vec<CaseResult>,
    /// Edges that at least one case takes.
    pub covered: usize,
    /// All edges: two a question.
    pub edges: usize,
    /// Edges that no case takes, as `question: yes -> next`, in the order of the file.
    pub untaken: Vec<String>,
}

/// What one case came to.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseResult {
    /// The case's name.
    pub name: String,
    /// The outcome it should have.
    pub wanted: String,
    /// The outcome it has.
    pub outcome: String,
    /// The path it took, `question: answer` a step.
    pub path: Vec<String>,
    /// What is wrong, with the place in the file; nothing if it passed.
    pub fault: Option<Diagnostic>,
}

impl CaseReport {
    /// Whether every case passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.cases.iter().all(|case| case.fault.is_none())
    }
}

impl fmt::Display for CaseReport {
    /// A line a case, then what the cases cover.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for case in &self.cases {
            let sign = if case.fault.is_none() { "ok  " } else { "FAIL" };
            writeln!(f, "{sign} {} -> {}", case.name, case.outcome)?;
        }
        let passed = self.cases.iter().filter(|case| case.fault.is_none()).count();
        writeln!(
            f,
            "{}: {passed} of {} cases pass, {} of {} edges taken",
            self.flow,
            self.cases.len(),
            self.covered,
            self.edges
        )?;
        self.untaken.iter().try_for_each(|edge| writeln!(f, "     not taken: {edge}"))
    }
}

impl Flow {
    /// Runs the flow's own cases and tells which edges they take.
    #[must_use]
    pub fn run_cases(&self) -> CaseReport {
        let mut taken = BTreeSet::new();
        let cases = self.cases.iter().map(|case| self.run_case(case, &mut taken)).collect();
        let mut untaken = Vec::new();
        for (at, question) in self.questions.iter().enumerate() {
            for (answer, next) in question.edges() {
                if !taken.contains(&(at, edge_index(answer))) {
                    untaken.push(format!("{}: {} -> {}", question.name, answer.word(), self.name_of(next)));
                }
            }
        }
        CaseReport { flow: self.name.clone(), cases, covered: taken.len(), edges: self.questions.len() * 2, untaken }
    }

    fn run_case(&self, case: &Case, taken: &mut BTreeSet<(usize, usize)>) -> CaseResult {
        let verdict = self.judge(&case.known, &Judged::default());
        let mut next = self.start;
        for step in &verdict.path {
            let Next::Question(at) = next else { break };
            let Some(answer) = step.taken() else { break };
            taken.insert((at, edge_index(answer)));
            next = self.questions[at].edge(answer);
        }
        let questions: Vec<&str> = verdict.path.iter().map(|step| step.question.as_str()).collect();
        let fault = if case.outcome != verdict.outcome.name {
            Some(format!("ends in `{}`, not in `{}`", verdict.outcome.name, case.outcome))
        } else if case.path.as_ref().is_some_and(|path| *path != questions) {
            Some(format!("takes another path: {}", questions.join(", ")))
        } else if case.undetermined.as_ref().is_some_and(|wanted| *wanted != verdict.undetermined) {
            Some(format!("is undetermined for want of other figures: {}", verdict.undetermined.join(", ")))
        } else {
            None
        };
        let path: Vec<String> = verdict.path.iter().map(answered).collect();
        let told = |message| {
            let fault = Diagnostic::error("case-failed", format!("the case `{}` {message}", case.name)).at(case.place.clone());
            fault.note(format!("its path: {}", path.join(", ")))
        };
        CaseResult {
            name: case.name.clone(),
            wanted: case.outcome.clone(),
            outcome: verdict.outcome.name,
            fault: fault.map(told),
            path,
        }
    }
}

fn answered(step: &Step) -> String {
    match &step.assumed {
        Some(assumed) => format!("{}: {} (assumed)", step.question, assumed.answer.word()),
        None => format!("{}: {}", step.question, step.answer.word()),
    }
}
