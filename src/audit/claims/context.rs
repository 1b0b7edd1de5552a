//! Of which run a number of a sentence is, as far as its words say: of this one, of one that they name, or of nobody that can be asked.

use super::number::Kind;
use super::sentence::Sentence;

/// Of which run a number is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// Of the run that the text is about.
    This,
    /// Of the run of the named release, of the named target; what is not named is the run's own.
    Named {
        /// The release.
        release: Option<String>,
        /// The target.
        target: Option<String>,
    },
    /// Of a run that is only described, of a plan, or of one that can't be told.
    Nobody,
}

/// Words of plans and of what could be: no number of their sentence was measured.
const SUPPOSED: [&str; 24] = [
    "would",
    "could",
    "might",
    "may",
    "if",
    "expect",
    "expects",
    "expected",
    "assume",
    "assuming",
    "suppose",
    "planned",
    "plan",
    "plans",
    "hope",
    "goal",
    "aim",
    "ought",
    "hypothetical",
    "imagine",
    "unless",
    "estimate",
    "estimated",
    "wants",
];

/// The same of the part of a sentence between two commas.
const ADVISED: [&str; 17] = [
    "should",
    "recommended",
    "recommend",
    "recommends",
    "default",
    "defaults",
    "requires",
    "required",
    "need",
    "needs",
    "threshold",
    "alert",
    "allowed",
    "budget",
    "slo",
    "will",
    "must",
];

/// Words of runs that are not named.
const EARLIER: [&str; 10] =
    ["previous", "previously", "earlier", "prior", "formerly", "last", "then", "yesterday", "originally", "historically"];

/// Words after which another run, or another thing, is told of.
const UNLIKE: [&str; 8] = ["unlike", "versus", "vs", "compared", "whereas", "elsewhere", "ago", "before"];

/// The same up to the next comma.
const NOT_THIS: [&str; 3] = ["instead", "rather", "than"];

/// Words of a part of the run.
const PARTIAL: [&str; 23] = [
    "first",
    "final",
    "initial",
    "initially",
    "beginning",
    "until",
    "within",
    "while",
    "whenever",
    "once",
    "briefly",
    "momentarily",
    "spike",
    "spiked",
    "spikes",
    "burst",
    "early",
    "late",
    "warmup",
    "warm",
    "ramp",
    "sometimes",
    "after",
];

/// Whether the numbers of a sentence may be of a part of the run.
pub(super) fn is_partial(sentence: &Sentence) -> bool {
    let during = |at: usize| {
        let is_all = (at + 1..=at + 2).any(|next| matches!(sentence.name(next), "RUN" | "window" | "whole" | "entire"));
        matches!(sentence.name(at), "during" | "when") && !is_all
    };
    let names = || sentence.symbols.iter().map(|symbol| symbol.name.as_str());
    names().any(|name| name == "CLOCK" || PARTIAL.contains(&name)) || (0..sentence.symbols.len()).any(during)
}

/// Of which run the number at a place is.
pub(super) fn of(sentence: &Sentence, text: &str, own: (&str, &str), at: usize) -> Of {
    let has = |words: &[&str], range: std::ops::Range<usize>| range.into_iter().any(|at| words.contains(&sentence.name(at)));
    let (end, clause) = (sentence.symbols.len(), clause(sentence, at));
    let is_other = |range: std::ops::Range<usize>| {
        let mut pairs = range.map(|at| (sentence.name(at), sentence.name(at + 1)));
        pairs.any(|pair| {
            matches!(
                pair,
                ("other" | "each" | "every" | "both" | "next", "RUN" | "target" | "other" | "release")
                    | ("other", "targets" | "runs" | "releases")
            )
        })
    };
    if has(&SUPPOSED, 0..end)
        || has(&EARLIER, 0..end)
        || has(&ADVISED, clause.clone())
        || is_other(clause)
        || is_contrast(sentence, at)
    {
        return Of::Nobody;
    }
    named(sentence, text, own, at)
}

/// The symbols between the commas around a place; brackets part, too, but for their own commas.
fn clause(sentence: &Sentence, at: usize) -> std::ops::Range<usize> {
    let parts = |at: &usize| matches!(sentence.name(*at), "," | ":" | "(" | ")");
    let start = (0..at).rev().find(parts).map_or(0, |at| at + 1);
    let end = (at..sentence.symbols.len()).find(parts).unwrap_or(sentence.symbols.len());
    start..end
}

/// Whether a word before the number says that it is of something else: `not the 600 used elsewhere`, `than 86%`, `before`.
fn is_contrast(sentence: &Sentence, at: usize) -> bool {
    let negates = |word: usize| {
        matches!(sentence.name(word), "not" | "no" | "never")
            && (word + 1..=word + 2).any(|next| sentence.symbols.get(next).is_some_and(|symbol| symbol.number.is_some()))
    };
    let turns = |word: usize| UNLIKE.contains(&sentence.name(word)) || negates(word);
    let turns_here = |word: usize| NOT_THIS.contains(&sentence.name(word));
    (0..at).any(turns)
        || (clause(sentence, at).start..at).any(turns_here)
        || sentence.name(at + 1) == "before"
        || matches!(
            (sentence.name(at), sentence.name(at + 1)),
            (
                "PCT" | "NUM" | "DUR" | "TIMES",
                "more" | "less" | "fewer" | "higher" | "lower" | "faster" | "slower" | "better" | "worse" | "ago"
            )
        )
}

/// By the release and target that the sentence names last before the number, or right behind it.
fn named(sentence: &Sentence, text: &str, own: (&str, &str), at: usize) -> Of {
    let word = |at: usize| text.get(sentence.symbols[at].span.clone()).unwrap_or_default();
    let unknown = |at: &usize| sentence.name(*at) == "VERSION" && !is_of_a_tool(sentence, *at);
    if (0..at).any(|at| unknown(&at)) {
        return Of::Nobody;
    }
    let nearest = |name: &str| {
        let is = |at: &usize| sentence.name(*at) == name;
        let behind = at + 1..clause(sentence, at).end;
        (0..at).rev().find(is).or_else(|| behind.into_iter().find(is))
    };
    let release = nearest("RELEASE").map(word).filter(|release| *release != own.0);
    let target = nearest("TARGET").map(word).filter(|target| *target != own.1);
    // A target that is named as a check or a trend is, "introspect status ok", is none.
    if release.is_none() && target.is_none() {
        Of::This
    } else {
        Of::Named { release: release.map(str::to_owned), target: target.map(str::to_owned) }
    }
}

/// Whether a version is that of something beside the service: `k6 v2.1.0`, `PostgreSQL v17.4`.
fn is_of_a_tool(sentence: &Sentence, at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| matches!(sentence.name(before), "k6" | "DB" | "go" | "version" | "psql"))
}

/// Whether a time of day is said of the target right before it: `seen on manipulate_user at 13:43`.
pub(super) fn target_of_clock<'a>(sentence: &Sentence, text: &'a str, at: usize) -> Option<&'a str> {
    let is_clock = sentence
        .symbols
        .get(at)
        .and_then(|symbol| symbol.number.as_ref())
        .is_some_and(|number| matches!(number.kind, Kind::Clock(_)));
    let target =
        at.checked_sub(2).filter(|target| is_clock && sentence.name(*target) == "TARGET" && sentence.name(at - 1) == "at")?;
    text.get(sentence.symbols[target].span.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::around::Names;
    use crate::audit::claims::sentence::sentences;
    use crate::model::collection::{Archive, ReleaseRuns};

    fn archive() -> Archive {
        let release = |name: &str, targets: &[&str]| {
            let runs = targets.iter().map(|target| {
                let address: crate::model::address::Address =
                    format!("{name}/{target}").parse().unwrap_or_else(|bad| unreachable!("{bad}"));
                let record = crate::model::record::Record::new(address.clone());
                let run = crate::model::collection::Run {
                    record,
                    differences: Vec::new(),
                    notes: Vec::new(),
                    k6_text: None,
                    series: None,
                };
                (address, run)
            });
            ReleaseRuns { name: name.parse_name(), order: None, notes: Vec::new(), runs: runs.collect() }
        };
        Archive::new(vec![release("v1.0", &["log_in", "log_out"]), release("v2.0", &["log_in"])])
    }

    trait Named {
        fn parse_name(&self) -> crate::model::address::Release;
    }

    impl Named for str {
        fn parse_name(&self) -> crate::model::address::Release {
            crate::model::address::Release::new(self).unwrap_or_else(|bad| unreachable!("{bad}"))
        }
    }

    /// Of whom the numbers of a text are.
    fn whose(text: &str) -> Vec<String> {
        let archive = archive();
        let names = Names::of(&archive, "tokend");
        let mut found = Vec::new();
        for sentence in sentences(text, &names) {
            for at in (0..sentence.symbols.len()).filter(|at| sentence.symbols[*at].number.is_some()) {
                found.push(match of(&sentence, text, ("v2.0", "log_in"), at) {
                    Of::This => "this".to_owned(),
                    Of::Nobody => "nobody".to_owned(),
                    Of::Named { release, target } => {
                        format!("{}/{}", release.unwrap_or_else(|| "-".to_owned()), target.unwrap_or_else(|| "-".to_owned()))
                    }
                });
            }
        }
        found
    }

    #[test]
    fn a_number_is_of_the_run_that_its_words_name() {
        for (text, expected) in [
            ("It ran at 200 VUs.", "this"),
            ("v1.0 ran this target at 200 VUs, so its figures are not comparable.", "v1.0/-"),
            ("It ran at 200 VUs, as v2.0 always did", "this"),
            ("200 VUs in v1.0", "v1.0/-"),
            ("log_out ran at 200 VUs", "-/log_out"),
            ("log_in ran at 200 VUs", "this"),
            ("v9.9 ran at 200 VUs", "nobody"),
            ("k6 v9.9 ran 200 VUs", "this"),
            ("The previous 200-VU run was slower", "nobody"),
            ("It ran at 200 VUs, not the 600 of other targets: at 600 VUs it breaks", "this nobody nobody"),
            ("With 200 VUs it would break", "nobody"),
            ("The pool should hold 20 connections, and 30% found it empty", "nobody this"),
            ("20% more than before, 30%", "nobody nobody"),
            ("It was 30% before", "nobody"),
            ("34 containers started before the count settled at 7", "this nobody"),
            ("Not resource-bound: CPU 98%", "this"),
        ] {
            assert_eq!(whose(text).join(" "), expected, "{text}");
        }
    }
}
