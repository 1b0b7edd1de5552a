//! The grammar of a `when`, before anybody asks what its names mean.
//!
//! ```text
//! any        = all { "or" all }
//! all        = not { "and" not }
//! not        = "not" not | comparison
//! comparison = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//! sum        = product { ("+" | "-") product }
//! product    = atom { ("*" | "/") atom }
//! atom       = number | name | "captured" "(" name ")" | "(" any ")"
//! ```

use super::kind::Literal;
use super::lexer::{Fault, Token, Word};
use crate::source::Span;

/// How deep parentheses may nest.
const DEEPEST: usize = 40;

/// A piece of an expression and its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) shape: Shape,
    pub(super) span: Span,
}

/// What a piece is made of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Any(Vec<Node>),
    All(Vec<Node>),
    Not(Box<Node>),
    Captured(Box<Node>),
    Name(String),
    Literal(Literal),
    /// Two operands and the sign between them; a comparison or arithmetic.
    Pair(&'static str, Box<Node>, Box<Node>),
}

/// Reads words as an expression; the first fault ends it.
pub(super) fn parse(words: &[Word], end: usize) -> Result<Node, Fault> {
    let mut reader = Reader { words, at: 0, end, depth: 0 };
    let node = reader.any()?;
    match reader.peek() {
        None => Ok(node),
        Some(word) => Err(surplus(word)),
    }
}

fn surplus(word: &Word) -> Fault {
    let fault = Fault::new("bad-expression", word.span.clone(), format!("{} is one word too many", show(&word.token)));
    match &word.token {
        Token::Sign(")") => fault.help("there is no `(` before it"),
        Token::Sign(sign) if is_comparison(sign) => fault.help("compare two amounts at a time: `a < b and b < c`"),
        Token::Sign(_) => fault,
        Token::Name(_) | Token::Literal(_) => fault.help("join conditions with `and` or `or`, amounts with `+ - * /`"),
    }
}

fn show(token: &Token) -> String {
    match token {
        Token::Name(name) => format!("`{name}`"),
        Token::Literal(literal) => format!("`{}`", literal.text),
        Token::Sign(sign) => format!("`{sign}`"),
    }
}

/// True exactly for the signs between two amounts that make a condition.
pub(super) fn is_comparison(sign: &str) -> bool {
    matches!(sign, "<" | "<=" | ">" | ">=" | "==" | "!=")
}

struct Reader<'a> {
    words: &'a [Word],
    at: usize,
    end: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Word> {
        self.words.get(self.at)
    }

    fn take(&mut self) -> Option<Word> {
        let word = self.peek().cloned();
        self.at += 1;
        word
    }

    fn next_is_name(&self, name: &str) -> bool {
        matches!(self.peek(), Some(Word { token: Token::Name(found), .. }) if found == name)
    }

    /// Takes the next word if it is one of the signs.
    fn sign(&mut self, signs: &[&str]) -> Option<&'static str> {
        match self.peek() {
            Some(Word { token: Token::Sign(sign), .. }) if signs.contains(sign) => {
                let sign = *sign;
                self.at += 1;
                Some(sign)
            }
            _ => None,
        }
    }

    fn any(&mut self) -> Result<Node, Fault> {
        self.list("or", Self::all, Shape::Any)
    }

    fn all(&mut self) -> Result<Node, Fault> {
        self.list("and", Self::not, Shape::All)
    }

    fn list(
        &mut self,
        joint: &str,
        part: fn(&mut Self) -> Result<Node, Fault>,
        shape: fn(Vec<Node>) -> Shape,
    ) -> Result<Node, Fault> {
        let first = part(self)?;
        if !self.next_is_name(joint) {
            return Ok(first);
        }
        let mut span = first.span.clone();
        let mut parts = vec![first];
        while self.next_is_name(joint) {
            self.at += 1;
            let next = part(self)?;
            span.end = next.span.end;
            parts.push(next);
        }
        Ok(Node { shape: shape(parts), span })
    }

    fn not(&mut self) -> Result<Node, Fault> {
        if !self.next_is_name("not") {
            return self.comparison();
        }
        let start = self.start();
        self.at += 1;
        let inner = self.nested(Self::not)?;
        let span = start..inner.span.end;
        Ok(Node { shape: Shape::Not(Box::new(inner)), span })
    }

    fn comparison(&mut self) -> Result<Node, Fault> {
        let left = self.sum()?;
        match self.sign(&["<", "<=", ">", ">=", "==", "!="]) {
            None => Ok(left),
            Some(sign) => Ok(pair(sign, left, self.sum()?)),
        }
    }

    fn sum(&mut self) -> Result<Node, Fault> {
        let mut left = self.product()?;
        while let Some(sign) = self.sign(&["+", "-"]) {
            left = pair(sign, left, self.product()?);
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Node, Fault> {
        let mut left = self.atom()?;
        while let Some(sign) = self.sign(&["*", "/"]) {
            left = pair(sign, left, self.atom()?);
        }
        Ok(left)
    }

    fn atom(&mut self) -> Result<Node, Fault> {
        let end = self.end;
        let missing = || Fault::new("bad-expression", end..end, "the expression ends where a figure or a number is wanted");
        let word = self.take().ok_or_else(missing)?;
        let span = word.span.clone();
        match word.token {
            Token::Literal(literal) => Ok(Node { shape: Shape::Literal(literal), span }),
            Token::Name(name) if name == "captured" => self.captured(span.start),
            Token::Name(name) if matches!(name.as_str(), "and" | "or" | "not") => {
                Err(Fault::new("bad-expression", span, format!("`{name}` stands where a figure or a number is wanted")))
            }
            Token::Name(name) => Ok(Node { shape: Shape::Name(name), span }),
            Token::Sign("(") => self.group(&span),
            Token::Sign(sign) => {
                Err(Fault::new("bad-expression", span, format!("`{sign}` stands where a figure or a number is wanted")))
            }
        }
    }

    fn captured(&mut self, start: usize) -> Result<Node, Fault> {
        let here = self.start()..self.start();
        let wrong = || Fault::new("bad-expression", here, "`captured` wants a figure in parentheses").help("write `captured(x)`");
        if self.sign(&["("]).is_none() {
            return Err(wrong());
        }
        match self.take() {
            Some(Word { token: Token::Name(name), span }) => {
                let close = self.close(start..start + "captured".len())?;
                let name = Node { shape: Shape::Name(name), span };
                Ok(Node { shape: Shape::Captured(Box::new(name)), span: start..close })
            }
            _ => Err(wrong()),
        }
    }

    fn group(&mut self, open: &Span) -> Result<Node, Fault> {
        let mut inner = self.nested(Self::any)?;
        inner.span = open.start..self.close(open.clone())?;
        Ok(inner)
    }

    fn nested(&mut self, part: fn(&mut Self) -> Result<Node, Fault>) -> Result<Node, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("the expression is nested more than {DEEPEST} deep");
            return Err(Fault::new("expression-too-deep", self.start()..self.start(), message));
        }
        let node = part(self)?;
        self.depth -= 1;
        Ok(node)
    }

    /// Takes the closing parenthesis and tells where it ends.
    fn close(&mut self, open: Span) -> Result<usize, Fault> {
        let end = self.peek().map_or(self.end, |word| word.span.end);
        match self.sign(&[")"]) {
            Some(_) => Ok(end),
            None => Err(Fault::new("bad-expression", open, "this parenthesis is never closed")),
        }
    }

    fn start(&self) -> usize {
        self.peek().map_or(self.end, |word| word.span.start)
    }
}

fn pair(sign: &'static str, left: Node, right: Node) -> Node {
    let span = left.span.start..right.span.end;
    Node { shape: Shape::Pair(sign, Box::new(left), Box::new(right)), span }
}
