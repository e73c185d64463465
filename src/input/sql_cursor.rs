//! A reader over the pieces of a statement, for the parts of DDL that every
//! product writes in its own way.

use std::ops::Range;

use crate::input::sql_lex::{LexKind, Lexeme};
use crate::source::{FileId, Span, Spanned};

/// Parentheses inside parentheses that are followed.
const DEEPEST_GROUP: i32 = 60;

/// A position in the pieces of a text, comments left out.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    /// The text of the file.
    pub(super) text: &'t str,
    file: FileId,
    list: &'t [Lexeme],
}

impl<'t> Cursor<'t> {
    /// At the first of some pieces.
    pub(super) fn new(text: &'t str, file: FileId, list: &'t [Lexeme]) -> Self {
        Self { text, file, list }
    }

    /// Whether every parenthesis has its partner, and none is very deep.
    pub(super) fn is_balanced(&self) -> bool {
        let mut depth = 0_i32;
        let fits = self.list.iter().all(|it| {
            depth += i32::from(it.is_mark(self.text, "(")) - i32::from(it.is_mark(self.text, ")"));
            (0..=DEEPEST_GROUP).contains(&depth)
        });
        fits && depth == 0
    }

    /// The next piece.
    pub(super) fn peek(&self) -> Option<&'t Lexeme> {
        self.list.first()
    }

    /// Text of the next piece in lower case.
    pub(super) fn word(&self) -> String {
        self.word_at(0)
    }

    /// Text of the piece behind some others in lower case; of words only.
    pub(super) fn word_at(&self, n: usize) -> String {
        let word = self.list.get(n).filter(|it| it.kind == LexKind::Word);
        word.map_or_else(String::new, |it| it.text(self.text).to_ascii_lowercase())
    }

    /// Whether nothing is left.
    pub(super) fn is_done(&self) -> bool {
        self.list.is_empty()
    }

    /// The pieces that are left.
    pub(super) fn rest(&self) -> &'t [Lexeme] {
        self.list
    }

    /// Takes the next piece.
    pub(super) fn take(&mut self) -> Option<&'t Lexeme> {
        let (first, rest) = self.list.split_first()?;
        self.list = rest;
        Some(first)
    }

    /// Takes some words if they are next.
    pub(super) fn eat(&mut self, words: &str) -> bool {
        let n = words.split(' ').count();
        let fits = words
            .split(' ')
            .enumerate()
            .all(|(n, word)| self.list.get(n).is_some_and(|it| it.is(self.text, word)));
        if fits {
            self.list = &self.list[n..];
        }
        fits
    }

    /// Takes a mark if it is next.
    pub(super) fn eat_mark(&mut self, mark: &str) -> bool {
        let fits = self.list.first().is_some_and(|it| it.is_mark(self.text, mark));
        if fits {
            self.list = &self.list[1..];
        }
        fits
    }

    /// Whether a mark is next.
    pub(super) fn at_mark(&self, mark: &str) -> bool {
        self.list.first().is_some_and(|it| it.is_mark(self.text, mark))
    }

    /// Skips pieces until some words are next, outside of parentheses, and takes them.
    pub(super) fn find(&mut self, words: &str) -> bool {
        let mut here = *self;
        while !here.is_done() {
            if here.eat(words) {
                *self = here;
                return true;
            }
            if here.group().is_none() {
                here.take();
            }
        }
        false
    }

    /// Takes a name.
    pub(super) fn name(&mut self) -> Option<Spanned<String>> {
        if let [open, name, close, ..] = self.list
            && open.is_mark(self.text, "[")
            && close.is_mark(self.text, "]")
        {
            // SQL Server's quotes.
            self.list = &self.list[3..];
            return Some(Spanned {
                value: name.text(self.text).to_owned(),
                span: self.span(name.range.clone()),
            });
        }
        let first = self.peek().filter(|it| matches!(it.kind, LexKind::Word | LexKind::Quoted))?;
        self.take();
        Some(Spanned { value: unquoted(first.text(self.text)), span: self.span(first.range.clone()) })
    }

    /// Takes a name with or without schema; its last part.
    pub(super) fn qualified_name(&mut self) -> Option<Spanned<String>> {
        let mut name = self.name()?;
        while self.at_mark(".") {
            let mut ahead = *self;
            ahead.take();
            let Some(next) = ahead.name() else { break };
            *self = ahead;
            name = next;
        }
        Some(name)
    }

    /// Takes a number.
    pub(super) fn number(&mut self) -> Option<u32> {
        let number = self.peek().filter(|it| it.kind == LexKind::Number)?.text(self.text).parse().ok()?;
        self.take();
        Some(number)
    }

    /// Takes a group in parentheses; a cursor over what is inside.
    pub(super) fn group(&mut self) -> Option<Self> {
        if !self.at_mark("(") {
            return None;
        }
        let mut depth = 0_usize;
        let end = self.list.iter().position(|it| {
            if it.is_mark(self.text, "(") {
                depth += 1;
            } else if it.is_mark(self.text, ")") {
                depth -= 1;
            }
            depth == 0
        })?;
        let inside = Self { list: &self.list[1..end], ..*self };
        self.list = &self.list[end + 1..];
        Some(inside)
    }

    /// The parts between commas that stand in no brackets.
    pub(super) fn elements(self) -> Vec<Self> {
        let mut elements = Vec::new();
        let (mut depth, mut angles, mut start) = (0_i32, 0_i32, 0);
        for (at, it) in self.list.iter().enumerate() {
            if it.kind != LexKind::Punct {
                continue;
            }
            match it.text(self.text) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                // Type arguments: `map<text, int>`.
                "<" if depth == 0 => angles += 1,
                ">" if depth == 0 => angles = (angles - 1).max(0),
                "," if depth == 0 && angles == 0 => {
                    elements.push(Self { list: &self.list[start..at], ..self });
                    start = at + 1;
                }
                _ => {}
            }
        }
        elements.push(Self { list: &self.list[start..], ..self });
        elements
    }

    /// The bytes that are left.
    pub(super) fn range(&self) -> Range<usize> {
        match (self.list.first(), self.list.last()) {
            (Some(first), Some(last)) => first.range.start..last.range.end,
            _ => 0..0,
        }
    }

    /// The place of what this cursor had and another one behind it has not.
    pub(super) fn span_until(&self, behind: &Self) -> Span {
        let n = self.list.len() - behind.list.len();
        let taken = Self { list: &self.list[..n], ..*self };
        self.span(taken.range())
    }

    /// The place of what is left.
    pub(super) fn whole_span(&self) -> Span {
        self.span(self.range())
    }

    /// A place in the file.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range.start, range.end)
    }
}

/// A name without its quotes.
pub(super) fn unquoted(text: &str) -> String {
    for quote in ['"', '`', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            let inside = inside.strip_suffix(quote).unwrap_or(inside);
            return inside.replace(&format!("{quote}{quote}"), &quote.to_string());
        }
    }
    // $$orders$$
    if let Some(rest) = text.strip_prefix('$')
        && let Some(tag) = rest.find('$')
    {
        let tag = &text[..tag + 2];
        let inside = &text[tag.len()..];
        return inside.strip_suffix(tag).unwrap_or(inside).to_owned();
    }
    text.to_owned()
}
