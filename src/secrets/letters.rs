//! Secrets that are known by their letters alone: long runs of base64, as ZITADEL's tokens are, and base64 that holds another secret.

use std::ops::Range;

use super::Found;

/// The shortest run that is looked at.
const LEAST: usize = 24;
/// The longest that is read as base64.
const LONGEST: usize = 1 << 16;

/// Looks at every run of letters of base64 that is long enough.
pub(super) fn look(text: &str, inner: bool, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    // A run that is long enough covers every place that far from its start: what lies between is skipped.
    while at + LEAST <= bytes.len() {
        if let Some(off) = bytes[at..at + LEAST].iter().rposition(|byte| !is_letter(*byte)) {
            at += off + 1;
            continue;
        }
        let end = bytes[at..].iter().position(|byte| !is_letter(*byte)).map_or(bytes.len(), |length| at + length);
        run(text, at..end, inner, found);
        at = end + 1;
    }
}

fn run(text: &str, span: Range<usize>, inner: bool, found: &mut Vec<Found>) {
    if is_token(text, &span) {
        found.push(Found { span, kind: "zitadel-pat" });
    } else if inner && let Some(kind) = held(&text[span.clone()]) {
        found.push(Found { span, kind });
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'/' | b'=')
}

/// Whether a run has a length and the letters of an encrypted token of ZITADEL: those of an id and of a session are 16 bytes and about two
/// or four times 18 digits, in url-safe base64 without padding.
fn is_token(text: &str, span: &Range<usize>) -> bool {
    let run = &text.as_bytes()[span.clone()];
    let fits = matches!(run.len(), 63 | 65..=80 | 96..=108);
    let alone = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '.');
    let is_alone =
        fits && alone(text[..span.start].chars().next_back()) && alone(text[span.end..].chars().next().filter(|c| *c != '.'));
    is_alone && !run.iter().any(|byte| matches!(byte, b'+' | b'/' | b'=')) && is_mixed(run)
}

/// Whether letters are mixed as chance does it: enough of each class, and seldom two of one class side by side.
fn is_mixed(run: &[u8]) -> bool {
    let class = |byte: &u8| match byte {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let count = |wanted| run.iter().filter(|byte| class(byte) == wanted).count();
    let changes = run.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    count(0) * 6 >= run.len() && count(1) * 6 >= run.len() && count(2) >= 3 && changes * 20 >= run.len() * 9
}

/// The kind of the secret that a run holds, once it is read as base64 and is a text.
fn held(run: &str) -> Option<&'static str> {
    let run = run.trim_end_matches('=');
    let run = run.rsplit('=').next().unwrap_or(run);
    if run.len() > LONGEST || run.len() < LEAST - 2 || !text_of(&run[..16])?.chars().all(is_printed) {
        return None;
    }
    let text = text_of(run)?;
    let is_text = text.chars().all(is_printed);
    is_text.then(|| super::plain(&text, false)).and_then(|found| found.first().map(|found| found.kind))
}

fn is_printed(c: char) -> bool {
    !c.is_control() || matches!(c, '\n' | '\r' | '\t')
}

/// Base64 of either alphabet, read; what is left over at the end of a cut run is let go, and so is a letter that was cut.
fn text_of(run: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(run.len() * 3 / 4);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in run.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(digit);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.extend(u8::try_from(held >> bits & 0xff));
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let end = error.utf8_error();
            let cut = end.error_len().is_none().then(|| error.as_bytes()[..end.valid_up_to()].to_vec());
            cut.and_then(|bytes| String::from_utf8(bytes).ok())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<&'static str> {
        let mut found = Vec::new();
        look(text, true, &mut found);
        found.into_iter().map(|found| found.kind).collect()
    }

    #[test]
    fn base64_is_read_whole_and_cut() {
        assert_eq!(text_of("cGFzc3dvcmQ6IHg").as_deref(), Some("password: x"));
        assert_eq!(text_of("w6k").as_deref(), Some("\u{e9}"));
        assert_eq!(text_of("w").as_deref(), Some(""));
        assert_eq!(text_of("_w"), None);
    }

    #[test]
    fn what_base64_holds_is_found() {
        // password=hunter22hunter22
        assert_eq!(kinds("a cGFzc3dvcmQ9aHVudGVyMjJodW50ZXIyMg== b"), ["password-assignment"]);
        assert_eq!(kinds("a R0VUIC9hcGkvdXNlcnMvMTIzNDU2Nzg5MA== b"), [""; 0]);
    }

    #[test]
    fn digests_and_names_are_no_tokens() {
        for text in [
            "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEFabcdef",
            "a-long-name-of-a-target-in-kebab-case-with-7-parts-and-some-more-of-them",
            "GetUserByIdAndOrganizationAndProjectAndApplicationForTheRequestNumber123",
            "sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC",
        ] {
            assert_eq!(kinds(text), [""; 0], "{text}");
        }
    }
}
