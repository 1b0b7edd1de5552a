//! Line ends: a docs folder on Windows may hold `CR LF` where `LF` was written, and it is no change by hand.

use std::borrow::Cow;

/// Whether every line ends with CR LF, and there is one at least.
#[must_use]
pub(super) fn is_crlf(bytes: &[u8]) -> bool {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")).peekable();
    lines.peek().is_some() && lines.all(|line| line.ends_with(b"\r\n"))
}

/// The text as it was written: with LF alone, if every line ends with CR LF.
#[must_use]
pub fn unified(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !is_crlf(bytes) {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(text) => {
                out.extend_from_slice(text);
                out.push(b'\n');
            }
            None => out.extend_from_slice(line),
        }
    }
    Cow::Owned(out)
}

/// A text with the line ends of another; one that has a CR of its own is left as it is.
#[must_use]
pub(super) fn like(text: &[u8], other: &[u8]) -> Vec<u8> {
    if text.contains(&b'\r') || !is_crlf(other) {
        return text.to_vec();
    }
    let mut out = Vec::with_capacity(text.len() + text.len() / 32);
    for &byte in text {
        if byte == b'\n' {
            out.push(b'\r');
        }
        out.push(byte);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_changed_there_and_back() {
        assert_eq!(like(b"a\nb\n", b"x\r\ny"), b"a\r\nb\r\n");
        assert_eq!(unified(b"a\r\nb\r\n").as_ref(), b"a\nb\n");
        for mixed in [&b"a\r\nb\n"[..], b"a\n", b"", b"a\r"] {
            assert_eq!((unified(mixed).as_ref(), like(b"a\n", mixed)), (mixed, b"a\n".to_vec()));
        }
        assert_eq!(like(b"a\rb\n", b"x\r\n"), b"a\rb\n");
    }
}
