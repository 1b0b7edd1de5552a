//! ZITADEL's feature flags, as `GET /v2/features/instance?inheritance=true` and `GET /v2/features/system` answer.
//!
//! An answer is an object of flags beside `details`; every release has flags of its own, so none is known by name. The API leaves
//! out what has its zero value, and its JSON has blanks at random places: only values are compared. An error of the same API is
//! `{"code":16,"message":...}`, the code being a gRPC status (<https://grpc.io/docs/guides/status-codes/>).

mod flag;
mod states;

pub use self::states::findings;
use super::Capture;
use super::yaml::{self, Node, Tree};
use crate::diagnostic::{Diagnostic, Faults, FirstFaults};
use crate::model::environment::Flag;
use crate::model::instant::Moment;
use crate::secrets;
use crate::source::Source;

/// An answer on feature flags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The flags in the order of the answer.
    pub flags: Vec<Flag>,
    /// What was asked: `instance`, `system`.
    pub level: String,
    /// Whose flags they are: the number of an instance, `SYSTEM`.
    pub owner: Option<String>,
    /// The sequence of the last change; `None` where nothing was ever set.
    pub sequence: Option<u64>,
    /// When the flags were last changed.
    pub changed: Option<Moment>,
}

/// The largest text that is looked at: an answer has some hundred bytes a flag.
const LARGEST: usize = 1 << 18;
/// What an answer says of itself.
const DETAILS: [&str; 4] = ["sequence", "changeDate", "creationDate", "resourceOwner"];
/// The gRPC status codes, by number.
const STATUS: [&str; 17] = [
    "OK",
    "Canceled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
];

/// Whether a text is such an answer, or an error of the same API saved as data.
#[must_use]
pub fn sniff(source: &Source) -> bool {
    let text = source.text();
    if text.len() > LARGEST || !text.trim_start().starts_with('{') {
        return false;
    }
    if !["\"details\"", "SOURCE_", "\"code\""].iter().any(|word| text.contains(word)) {
        return false;
    }
    match yaml::read(source, "") {
        Ok(root) => is_answer(&root) || status(&root).is_some(),
        // Cut off or mended by hand: its words tell what it was.
        Err(_) => text.contains("\"SOURCE_INSTANCE\"") || text.contains("\"SOURCE_SYSTEM\""),
    }
}

/// Flags beside `details`, or flags alone that name their source.
fn is_answer(root: &Node) -> bool {
    let details = root.get(&["details"]);
    if details.is_some_and(|details| {
        !matches!(details.tree, Tree::Map(_)) || details.entries().iter().any(|(key, _)| !DETAILS.contains(&key.as_str()))
    }) {
        return false;
    }
    let values: Vec<&Node> = root.entries().iter().filter(|(key, _)| key != "details").map(|(_, value)| value).collect();
    let flags = values.iter().filter(|value| flag::is_flag(value)).count();
    let sourced = values.iter().any(|value| {
        let source = value.get(&["source"]).and_then(Node::text);
        flag::is_flag(value) && source.is_some_and(|source| source.starts_with("SOURCE_"))
    });
    // Something that is no flag among flags is a fault of the answer; flags among something else are none.
    flags * 2 > values.len() && (details.is_some() || sourced)
}

/// The number of a gRPC status and its message, if this is an error of the API.
fn status(root: &Node) -> Option<(usize, &str)> {
    if root.entries().iter().any(|(key, _)| !["code", "message", "details", "error"].contains(&key.as_str())) {
        return None;
    }
    let code = root.get(&["code"])?.text()?.parse().ok().filter(|code| (1..STATUS.len()).contains(code))?;
    Some((code, root.get(&["message"])?.text()?))
}

/// Reads an answer.
///
/// # Errors
/// `bad-capture` at the place where it is not of the API's shape.
pub fn read(source: &Source) -> Result<Capture, Faults> {
    let root = yaml::read(source, "an answer on feature flags")?;
    let shown = yaml::shown(source, &root, &[]);
    if let Some((code, message)) = status(&root) {
        return Ok(Capture::Refused(Box::new(refusal(code, message).at(shown.at(0..0)))));
    }
    let mut faults = FirstFaults::default();
    let mut bad = |node: &Node, message: String| {
        faults.push(|| Diagnostic::error("bad-capture", message).at(shown.at(node.span.clone())));
    };
    let mut answer = details(&root, &mut bad);
    for (name, node) in root.entries().iter().filter(|(name, _)| name != "details") {
        match flag::read(name, node) {
            Ok(flag) => answer.flags.push(flag),
            Err((part, wanted)) => bad(part, format!("flag `{name}` can't be read: {wanted}")),
        }
    }
    Faults::check(faults.told())?;
    Ok(Capture::Flags(answer))
}

/// What an answer says of itself; the sequence is a text in JSON, since it is a number of 64 bits.
fn details(root: &Node, bad: &mut impl FnMut(&Node, String)) -> Answer {
    let part = |key| root.get(&["details", key]).filter(|node| node.tree != Tree::Nothing);
    let owner = part("resourceOwner").and_then(Node::text).filter(|owner| !owner.is_empty()).map(str::to_owned);
    let level = if owner.as_deref() == Some("SYSTEM") { "system" } else { "instance" };
    let mut answer = Answer { owner, level: level.to_owned(), ..Answer::default() };
    if let Some(node) = part("sequence") {
        match node.text().and_then(|text| text.parse().ok()) {
            Some(sequence) => answer.sequence = Some(sequence),
            None => bad(node, "`sequence` is no whole number".to_owned()),
        }
    }
    if let Some(node) = part("changeDate") {
        match node.text().and_then(|text| text.parse::<Moment>().ok()) {
            Some(moment) => answer.changed = Some(moment),
            None => bad(node, "`changeDate` is no moment, written like 2026-08-27T16:03:44Z".to_owned()),
        }
    }
    answer
}

fn refusal(code: usize, message: &str) -> Diagnostic {
    let name = STATUS.get(code).copied().unwrap_or("Unknown");
    let what = format!("an error was saved in place of the feature flags: {name} (gRPC status {code})");
    let refusal = Diagnostic::error("error-answer", what).note(format!("its message: {}", secrets::masked(message)));
    refusal.help(match name {
        "Unauthenticated" => "ask again with a valid token",
        "PermissionDenied" => "ask again as a user of the instance, or for the system's flags as a user of the system",
        _ => "ask again, and look at the answer before it is kept",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Answer {
        let source = Source::new("features.json", text);
        assert!(sniff(&source), "{text}");
        match read(&source) {
            Ok(Capture::Flags(answer)) => answer,
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn flags_keep_the_order_of_the_answer() {
        let read = answer(
            "{\"details\": {\"sequence\":\"12\",\"changeDate\":\"2026-05-01T10:00:00.5Z\",\"resourceOwner\":\"77\"},\
             \"zeta\":{\"enabled\":true,\"source\":\"SOURCE_INSTANCE\"},\"alpha\":{}, \"mid\":true}",
        );
        assert_eq!(read.flags.iter().map(|flag| flag.name.as_str()).collect::<Vec<_>>(), ["zeta", "alpha", "mid"]);
        assert_eq!((read.level.as_str(), read.sequence, read.owner.as_deref()), ("instance", Some(12), Some("77")));
        assert_eq!(read.changed.map(|at| at.to_string()).as_deref(), Some("2026-05-01T10:00:00.500Z"));
        let system = answer("{\"details\":{\"sequence\":3,\"resourceOwner\":\"SYSTEM\"},\"alpha\":{}}");
        assert_eq!((system.level.as_str(), system.sequence, system.changed), ("system", Some(3), None));
    }

    #[test]
    fn an_error_saved_as_data_is_refused_by_its_name() {
        for (text, name) in [
            ("{\"code\":16,\"message\":\"no token\"}", "Unauthenticated"),
            ("{\"message\":\"no\",\"code\":7}", "PermissionDenied"),
        ] {
            let source = Source::new("features.json", text);
            assert!(sniff(&source));
            let Ok(Capture::Refused(refused)) = read(&source) else { unreachable!("{text}") };
            assert!(refused.code == "error-answer" && refused.message.contains(name), "{refused}");
        }
    }

    #[test]
    fn what_is_no_flag_is_a_fault_with_its_place() {
        let text = "{\"details\":{\"sequence\":\"x\"},\n\"a\":{\"source\":\"SOURCE_INSTANCE\"},\n\"b\":5,\n\"c\":{}}";
        let source = Source::new("features.json", text);
        assert!(sniff(&source));
        let faults = read(&source).err().unwrap_or_else(|| unreachable!());
        let places: Vec<String> = faults.list().iter().map(|fault| fault.places[0].to_string()).collect();
        assert_eq!(places, ["features.json:1:24", "features.json:3:5"]);
        let cut = Source::new("features.json", &text[..60]);
        assert!(sniff(&cut) && read(&cut).is_err());
    }

    #[test]
    fn other_documents_are_none() {
        for text in [
            "{}",
            "[]",
            "{\"details\":{\"resourceOwner\":\"1\"}}",
            "{\"details\":{\"sequence\":\"1\"},\"userId\":\"5\"}",
            "{\"details\":{\"totalResult\":\"1\"},\"result\":[]}",
            "{\"details\":{\"sequence\":\"1\"},\"user\":{\"id\":\"5\"}}",
            "{\"code\":404,\"message\":\"not found\"}",
            "{\"error\":{\"code\":16,\"message\":\"no\"}}",
            "{\"metrics\":{\"details\":{}},\"code\":5}",
        ] {
            assert!(!sniff(&Source::new("a.json", text)), "{text}");
        }
    }
}
