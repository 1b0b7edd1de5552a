//! A text without what keeps its letters from being read: entities, backslashes, percent signs, breaks that nobody sees.
//!
//! A page has its words escaped, some of them twice: JSON inside HTML, an address inside JSON. So a text is unfolded until nothing is
//! left to unfold, and each unfolded text knows where its letters were.

use std::ops::Range;

/// A text unfolded once, and where its pieces were.
pub(super) struct Unfolded {
    pub(super) text: String,
    /// Places in this text, each with the place in the text before it from which on both go on alike, and where that began.
    pieces: Vec<Piece>,
}

#[derive(Clone, Copy)]
struct Piece {
    /// In the unfolded text.
    here: usize,
    /// In the text before.
    there: usize,
    /// Whether one letter stands for more there.
    is_folded: bool,
}

impl Unfolded {
    /// Where a span of this text was in the text before.
    pub(super) fn origin(&self, span: &Range<usize>) -> Range<usize> {
        self.start(span.start)..self.end(span.end)
    }

    fn piece(&self, place: usize) -> usize {
        self.pieces.partition_point(|piece| piece.here <= place).saturating_sub(1)
    }

    fn start(&self, place: usize) -> usize {
        // Of pieces that begin here, letters that vanish come first: they are not part of what follows.
        let piece = self.pieces[self.piece(place)];
        if piece.is_folded { piece.there } else { piece.there + (place - piece.here) }
    }

    fn end(&self, place: usize) -> usize {
        if place == 0 {
            return 0;
        }
        let number = self.piece(place - 1);
        let piece = self.pieces[number];
        if piece.is_folded {
            return self.pieces.get(number + 1).map_or(piece.there, |next| next.there);
        }
        piece.there + (place - piece.here)
    }
}

/// The text unfolded once; `None` if there is nothing to unfold.
pub(super) fn unfolded(text: &str) -> Option<Unfolded> {
    let bytes = text.as_bytes();
    let mut out = Unfolded { text: String::new(), pieces: vec![Piece { here: 0, there: 0, is_folded: false }] };
    let (mut at, mut from) = (0, 0);
    while let Some(step) = bytes[at..].iter().position(|byte| MARKS[usize::from(*byte)]) {
        at += step;
        let Some((length, letters)) = fold(text, at) else {
            at += 1;
            continue;
        };
        out.text.push_str(&text[from..at]);
        if !letters.is_empty() {
            out.pieces.push(Piece { here: out.text.len(), there: at, is_folded: true });
            letters.add(&mut out.text);
        }
        at += length;
        from = at;
        out.pieces.push(Piece { here: out.text.len(), there: at, is_folded: false });
    }
    if out.pieces.len() == 1 {
        return None;
    }
    out.text.push_str(&text[from..]);
    Some(out)
}

/// The bytes with which a fold may begin.
const MARKS: [bool; 256] = {
    let mut marks = [false; 256];
    // Letters that nobody sees, and those of full width, begin with the last four.
    let bytes = [b'&', b'\\', b'%', b'<', b'{', 0xc2, 0xe2, 0xef];
    let mut at = 0;
    while at < bytes.len() {
        marks[bytes[at] as usize] = true;
        at += 1;
    }
    marks
};

/// What a fold stands for.
enum Letters {
    Nothing,
    One(char),
    Several(String),
}

impl Letters {
    fn is_empty(&self) -> bool {
        matches!(self, Self::Nothing)
    }

    fn add(&self, text: &mut String) {
        match self {
            Self::Nothing => {}
            Self::One(c) => text.push(*c),
            Self::Several(letters) => text.push_str(letters),
        }
    }
}

/// The fold at a place: its length, and what it stands for.
fn fold(text: &str, at: usize) -> Option<(usize, Letters)> {
    let rest = text.get(at..)?;
    match rest.as_bytes()[0] {
        b'&' => entity(rest),
        b'\\' => backslash(rest),
        b'%' => percent(rest),
        b'<' | b'{' => joint(rest),
        _ => unseen(rest),
    }
}

fn entity(rest: &str) -> Option<(usize, Letters)> {
    let end = rest.as_bytes().iter().take(20).position(|byte| *byte == b';')?;
    let name = &rest[1..end];
    let code = match name.strip_prefix('#') {
        Some(code) => match code.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => code.parse().ok()?,
        },
        None => u32::from(NAMED.iter().find(|(known, _)| *known == name)?.1),
    };
    let c = char::from_u32(code)?;
    Some((end + 1, if is_unseen(c) { Letters::Nothing } else { Letters::One(c) }))
}

/// Names of entities for signs that stand in secrets or around them.
const NAMED: [(&str, char); 34] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("shy", '\u{ad}'),
    ("ZeroWidthSpace", '\u{200b}'),
    ("colon", ':'),
    ("semi", ';'),
    ("equals", '='),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("commat", '@'),
    ("sol", '/'),
    ("bsol", '\\'),
    ("period", '.'),
    ("comma", ','),
    ("plus", '+'),
    ("hyphen", '-'),
    ("dash", '-'),
    ("num", '#'),
    ("percnt", '%'),
    ("dollar", '$'),
    ("excl", '!'),
    ("quest", '?'),
    ("ast", '*'),
    ("lpar", '('),
    ("rpar", ')'),
    ("lbrace", '{'),
    ("rbrace", '}'),
    ("grave", '`'),
    ("Tab", '\t'),
    ("NewLine", '\n'),
];

fn backslash(rest: &str) -> Option<(usize, Letters)> {
    let next = *rest.as_bytes().get(1)?;
    match next {
        b'u' | b'U' | b'x' => numbered(rest),
        b'n' => Some((2, Letters::One('\n'))),
        b'r' => Some((2, Letters::One('\r'))),
        b't' => Some((2, Letters::One('\t'))),
        // A line that goes on.
        b'\n' => Some((2, Letters::Nothing)),
        _ if next.is_ascii_punctuation() => Some((2, Letters::One(char::from(next)))),
        _ => None,
    }
}

/// `\u00e9`, a pair of surrogates, `\u{e9}`, `\xe9`.
fn numbered(rest: &str) -> Option<(usize, Letters)> {
    let hex = |from: usize, length: usize| u32::from_str_radix(rest.get(from..from + length)?, 16).ok();
    if rest.as_bytes()[1] == b'x' {
        return Some((4, Letters::One(char::from_u32(hex(2, 2)?)?)));
    }
    if rest.as_bytes().get(2) == Some(&b'{') {
        let end = rest.as_bytes().iter().take(12).position(|byte| *byte == b'}')?;
        return Some((end + 1, Letters::One(char::from_u32(hex(3, end - 3)?)?)));
    }
    let first = hex(2, 4)?;
    if let 0xd800..0xdc00 = first {
        let second = rest.get(6..8).filter(|mark| *mark == "\\u").and_then(|_| hex(8, 4))?;
        let code = 0x10000 + ((first - 0xd800) << 10) + second.checked_sub(0xdc00)?;
        return Some((12, Letters::One(char::from_u32(code)?)));
    }
    let c = char::from_u32(first)?;
    Some((6, if is_unseen(c) { Letters::Nothing } else { Letters::One(c) }))
}

/// A letter in percent signs: as many as make one of UTF-8.
fn percent(rest: &str) -> Option<(usize, Letters)> {
    let byte = |at: usize| {
        let hex = rest.get(at..at + 3)?.strip_prefix('%')?;
        u8::from_str_radix(hex, 16).ok()
    };
    let first = byte(0)?;
    let length = match first {
        0..0x80 => 1,
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => return None,
    };
    let bytes: Vec<u8> = (0..length).map(|at| byte(at * 3)).collect::<Option<_>>()?;
    Some((length * 3, Letters::Several(String::from_utf8(bytes).ok()?)))
}

/// What pages put between letters so that a name may break, or so that nothing is read into them.
fn joint(rest: &str) -> Option<(usize, Letters)> {
    const NOTHING: [&str; 5] = ["<wbr>", "<wbr/>", "<wbr />", "{\"\"}", "<!-- -->"];
    if let Some(joint) = NOTHING.iter().find(|joint| rest.starts_with(**joint)) {
        return Some((joint.len(), Letters::Nothing));
    }
    let c = rest.strip_prefix("<span>")?.chars().next()?;
    let length = "<span>".len() + c.len_utf8();
    rest[length..].starts_with("</span>").then_some((length + "</span>".len(), Letters::One(c)))
}

fn unseen(rest: &str) -> Option<(usize, Letters)> {
    let c = rest.chars().next()?;
    if is_unseen(c) {
        return Some((c.len_utf8(), Letters::Nothing));
    }
    // ASCII in full width.
    let narrow = matches!(c, '\u{ff01}'..='\u{ff5e}').then(|| char::from_u32(u32::from(c) - 0xfee0)).flatten()?;
    Some((c.len_utf8(), Letters::One(narrow)))
}

/// Whether a letter shows nothing and parts nothing.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> String {
        unfolded(text).map_or_else(|| text.to_owned(), |unfolded| unfolded.text)
    }

    #[test]
    fn folds_are_read() {
        for (text, wanted) in [
            ("a&amp;b&#39;c&#x3D;d", "a&b'c=d"),
            ("a\\_b\\\"c\\u003dd\\ud83d\\ude00\\u{e9}\\x41", "a_b\"c=d\u{1f600}\u{e9}A"),
            ("a%3Db%C3%A9%20c", "a=b\u{e9} c"),
            ("a_<wbr>b_<wbr/>c{\"\"}d<span>:</span>e&#8203;f\u{200b}g", "a_b_cd:efg"),
            ("\u{ff50}\u{ff57}\u{ff44}", "pwd"),
            ("100% & <b> \\d %zz &nothing; {x}", "100% & <b> \\d %zz &nothing; {x}"),
        ] {
            assert_eq!(all(text), wanted);
        }
    }

    #[test]
    fn places_lead_back() {
        let text = "x &lt;b%3Dc\\\"&#8203;d\u{e9}";
        let unfolded = unfolded(text).unwrap_or_else(|| unreachable!("there is something to unfold"));
        assert_eq!(unfolded.text, "x <b=c\"d\u{e9}");
        for (word, wanted) in [("<b", "&lt;b"), ("=c", "%3Dc"), ("c\"", "c\\\""), ("\"d", "\\\"&#8203;d"), ("d\u{e9}", "d\u{e9}")]
        {
            let at = unfolded.text.find(word).unwrap_or_default();
            assert_eq!(&text[unfolded.origin(&(at..at + word.len()))], wanted);
        }
    }
}
