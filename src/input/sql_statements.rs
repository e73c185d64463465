//! Cuts an SQL file into statements, each with its comments.

use std::ops::Range;

use crate::input::sql_lex::{LexKind, Lexeme};

/// The text with psql's own lines and the data of COPY … FROM stdin blanked;
/// places stay where they are.
pub(super) fn without_data(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut data = false;
    for line in text.split_inclusive('\n') {
        let words = line.trim().to_ascii_lowercase();
        if data || line.starts_with('\\') {
            code.extend(line.bytes().map(|c| if c == b'\n' { '\n' } else { ' ' }));
            data &= words != "\\.";
        } else {
            code.push_str(line);
            data = words.starts_with("copy ") && words.ends_with("from stdin;");
        }
    }
    code
}

/// A statement and the comments before, inside and behind it on its last line.
pub(super) struct Piece {
    /// Its code.
    pub(super) code: Vec<Lexeme>,
    /// Comments with how many pieces of code stand before each.
    pub(super) comments: Vec<(Range<usize>, usize)>,
}

/// Cuts a file at its semicolons.
pub(super) fn statements(text: &str, lexemes: &[Lexeme]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut piece = Piece { code: Vec::new(), comments: Vec::new() };
    let mut blocks = Blocks::default();
    for it in lexemes {
        if it.is_comment() {
            piece.comments.push((it.range.clone(), piece.code.len()));
        } else if it.is_mark(text, ";") && !blocks.is_inside() {
            pieces.push(std::mem::replace(&mut piece, Piece { code: Vec::new(), comments: Vec::new() }));
            blocks = Blocks::default();
        } else {
            blocks.see(it.text(text), piece.code.len(), it.kind);
            piece.code.push(it.clone());
        }
    }
    pieces.push(piece);
    // A comment on the line of a semicolon speaks of the statement before it.
    for n in 1..pieces.len() {
        let Some(end) = pieces[n - 1].code.last().map(|it| it.range.end) else { continue };
        let line_end = text[end..].find('\n').map_or(text.len(), |it| end + it);
        let on_line = |at: &Range<usize>, before: usize| before == 0 && at.start < line_end;
        let count = pieces[n].comments.iter().take_while(|(at, before)| on_line(at, *before)).count();
        let moved: Vec<_> = pieces[n].comments.drain(..count).collect();
        let behind = pieces[n - 1].code.len();
        pieces[n - 1].comments.extend(moved.into_iter().map(|(at, _)| (at, behind)));
    }
    pieces
}

/// Bodies of functions and triggers, whose semicolons end no statement.
#[derive(Default)]
struct Blocks {
    creates: bool,
    routine: bool,
    depth: u32,
    ended: bool,
}

impl Blocks {
    fn see(&mut self, word: &str, n: usize, kind: LexKind) {
        if kind != LexKind::Word {
            return;
        }
        let word = word.to_ascii_lowercase();
        if n == 0 {
            self.creates = word == "create";
        }
        if !self.creates {
            return;
        }
        match word.as_str() {
            "function" | "procedure" | "trigger" | "event" if n < 8 => self.routine = true,
            "table" | "index" | "view" if !self.routine => self.creates = false,
            // `END IF` and `END LOOP` close what no BEGIN opened.
            "if" | "loop" | "while" | "repeat" if self.ended => self.depth += 1,
            "case" if self.ended => {}
            "begin" | "case" if self.routine => self.depth += 1,
            "end" if self.routine => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.ended = word == "end";
    }

    fn is_inside(&self) -> bool {
        self.routine && 0 < self.depth
    }
}
