//! A text as it may be shown to people: without its secrets, everything else at its place.

use super::{Node, Tree};
use crate::secrets;
use crate::source::{Source, Span};

/// The text with the given values blotted out, and every value that looks like a secret or stands under the name of one. Places of
/// the text are places of this one too.
pub(in crate::capture) fn shown(source: &Source, root: &Node, secret: &[Span]) -> Source {
    let mut spans = secret.to_vec();
    collect(root, false, &mut spans);
    blotted(source, &spans)
}

/// The text with the given spans blotted out. A line in which something else looks like a secret, a comment, is blank.
pub(in crate::capture) fn blotted(source: &Source, spans: &[Span]) -> Source {
    let mut text = source.text().to_owned();
    // Where one stands is not known: nothing may be shown.
    if spans.iter().any(|span| text.get(span.clone()).is_none_or(str::is_empty)) {
        text = text.split_inclusive('\n').map(blank).collect();
    }
    for span in spans {
        if let Some(secret) = text.get(span.clone()) {
            let blot = blot(secret);
            text.replace_range(span.clone(), &blot);
        }
    }
    let line = |line: &str| if secrets::masked(line) == line { line.to_owned() } else { blank(line) };
    let lines = text.split_inclusive('\n').map(line);
    Source::excerpt(source.name(), lines.collect::<String>(), source.first_line())
}

/// Where values are that nobody may see. A list of variables has the name in one entry and the value in another.
fn collect(node: &Node, named: bool, spans: &mut Vec<Span>) {
    match &node.tree {
        Tree::Nothing => {}
        Tree::Text(text) => {
            if named || secrets::masked(text) != text.as_str() {
                spans.push(node.span.clone());
            }
        }
        Tree::List(items) => items.iter().for_each(|item| collect(item, named, spans)),
        Tree::Map(entries) => {
            let variable = node.get(&["name"]).and_then(Node::text).is_some_and(secrets::is_secret_name);
            for (key, value) in entries {
                collect(value, secrets::is_secret_name(key) || variable && key == "value", spans);
            }
        }
    }
}

/// As many bytes as the secret has, on as many lines: stars, then blanks.
fn blot(secret: &str) -> String {
    let mut stars = 3;
    let blots = secret.bytes().map(|byte| match byte {
        b'\n' => '\n',
        _ if stars > 0 => {
            stars -= 1;
            '*'
        }
        _ => ' ',
    });
    blots.collect()
}

fn blank(line: &str) -> String {
    line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_stay_where_they_are() {
        let source = Source::new("a.yaml", "a: hünter2\nb: 6\nc: |\n  line\n  line\n");
        let shown = blotted(&source, &[3..11, 22..35]);
        assert_eq!(shown.text(), "a: ***     \nb: 6\nc: |\n***   \n      \n");
        assert_eq!(shown.text().len(), source.text().len());
        assert_eq!(blotted(&source, std::slice::from_ref(&(0..0))).text().trim(), "");
    }
}
