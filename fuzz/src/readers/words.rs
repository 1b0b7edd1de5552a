//! Words: secrets among them, and those that stand for numbers, moments and names.

use plimsoll::capture::queries::{fingerprint, normalised};
use plimsoll::flow::Flow;
use plimsoll::model::address::{Address, Pattern};
use plimsoll::model::instant::Moment;
use plimsoll::model::stat::Stat;
use plimsoll::secrets::{masked, masked_alike};
use plimsoll::source::Source;

use super::source;

/// Secrets: what is masked once is masked, lines and columns stay where they are asked to, and nothing grows beyond its mask.
pub(super) fn secrets(bytes: &[u8]) {
    let text = source("text", bytes);
    let text = text.text();
    let hidden = masked(text);
    assert_eq!(masked(&hidden), hidden, "masked again, it changes");
    assert!(hidden.len() <= 3 * text.len(), "{} bytes became {}", text.len(), hidden.len());
    let alike = masked_alike(text);
    assert_eq!(masked_alike(&alike), alike, "masked again, it changes");
    let ends = |text: &str| text.chars().enumerate().filter(|(_, c)| *c == '\n').map(|(at, _)| at).collect::<Vec<_>>();
    assert_eq!(alike.chars().count(), text.chars().count());
    assert_eq!(ends(&alike), ends(text), "line breaks moved");
}

/// Everything that is read of one word or cell.
pub(super) fn words(bytes: &[u8]) {
    let text = source("word", bytes);
    let text = text.text();
    if let Ok(address) = text.parse::<Address>() {
        assert_eq!(address.to_string().parse().ok(), Some(address));
    }
    let _pattern = Pattern::new(text);
    if let Ok(moment) = text.parse::<Moment>() {
        assert_eq!(moment.page_text().parse().ok(), Some(moment), "{text:?}");
    }
    if let Ok(stat) = text.parse::<Stat>() {
        assert_eq!(stat.to_string().parse().ok(), Some(stat), "{text:?}");
    }
    let normal = normalised(text);
    let _print = fingerprint(&normal);
    assert_eq!(normalised(&normal), normal, "a normalised statement changes once more");
    // A condition of a flow is a language of its own.
    let quoted = toml_text(text);
    let flow = format!(
        "schema = 1\nname = \"f\"\ntitle = \"f\"\nstart = \"q\"\n[question.q]\nask = \"?\"\nwhen = {quoted}\nyes = \"a\"\nno = \"a\"\n[outcome.a]\nclass = \"scale\"\nlabel = {quoted}\naction = \"a\"\nmessage = {quoted}\n[[case]]\nname = \"c\"\nfigures = {{}}\noutcome = \"undetermined\"\n"
    );
    let _flow = super::read(Flow::read(&Source::new("f.toml", flow)));
}

/// A text as TOML writes it.
fn toml_text(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}
