//! From text to syntax trees: placeholders become tokens, places become byte
//! offsets, nesting is bounded, dialects are tried in turn.

use std::ops::Range;

use sqlparser::ast::Statement;
use sqlparser::dialect::{Dialect, GenericDialect, MsSqlDialect, MySqlDialect, PostgreSqlDialect};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Tokenizer, Whitespace, Word};

use crate::input::sql_depth::{DEEPEST_NESTING, check_depth, check_kinds};
use crate::input::sql_lex::{LexKind, Lexeme, Quoting, is_one_of, lex};

/// Longest text that is parsed.
const LONGEST_TEXT: usize = 1 << 20;
/// Why a text could not be parsed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Problem {
    /// Bytes of the text at which reading stopped.
    pub(super) at: Range<usize>,
    /// What the parser said, in lower case.
    pub(super) reason: String,
}

/// What a token means for the extent of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkKind {
    Open,
    Close,
    /// A word or mark that no condition reaches across.
    Border,
    /// A semicolon.
    End,
    Other,
}

#[derive(Clone, Debug)]
struct Mark {
    kind: MarkKind,
    range: Range<usize>,
}

/// A text that was parsed.
pub(super) struct Parsed {
    /// Its statements.
    pub(super) statements: Vec<Statement>,
    /// Its placeholders in order; the tree has them as `:0`, `:1`, ….
    pub(super) placeholders: Vec<Range<usize>>,
    marks: Vec<Mark>,
}

/// Parses statements of an application.
pub(super) fn parse(text: &str) -> Result<Parsed, Problem> {
    if LONGEST_TEXT < text.len() {
        return Err(whole(text, "the statement is longer than 1 MiB"));
    }
    let tries: [(&dyn Dialect, Quoting, bool); 7] = [
        (&PostgreSqlDialect {}, Quoting::Standard, false),
        (&PostgreSqlDialect {}, Quoting::Standard, true),
        (&MySqlDialect {}, Quoting::MySql, false),
        (&MySqlDialect {}, Quoting::MySql, true),
        (&GenericDialect {}, Quoting::Standard, false),
        (&GenericDialect {}, Quoting::Standard, true),
        (&MsSqlDialect {}, Quoting::Standard, false),
    ];
    let mut worst: Option<Problem> = None;
    for (dialect, quoting, without_vendor_clauses) in tries {
        match attempt(text, dialect, quoting, without_vendor_clauses) {
            Ok(parsed) => return Ok(parsed),
            Err(problem) => worst = Some(further(worst, problem)),
        }
    }
    Err(worst.unwrap_or_else(|| whole(text, "not readable")))
}

/// The problem of the dialect that came further: it says best what is wrong.
fn further(one: Option<Problem>, other: Problem) -> Problem {
    match one {
        Some(one) if other.at.start <= one.at.start => one,
        _ => other,
    }
}

/// What sqlparser has against a definition; nothing if some dialect takes it.
pub(super) fn ddl_problem(text: &str) -> Option<Problem> {
    if LONGEST_TEXT < text.len() {
        return Some(whole(text, "the statement is longer than 1 MiB"));
    }
    let tries: [(&dyn Dialect, Quoting); 4] = [
        (&PostgreSqlDialect {}, Quoting::Standard),
        (&MySqlDialect {}, Quoting::MySql),
        (&GenericDialect {}, Quoting::Standard),
        (&MsSqlDialect {}, Quoting::Standard),
    ];
    let mut worst: Option<Problem> = None;
    for (dialect, quoting) in tries {
        let lexemes = lex(text, quoting);
        let tree = check_depth(text, &lexemes)
            .and_then(|()| tokens(text, &lexemes, dialect))
            .and_then(|it| parse_tokens(text, dialect, it));
        match tree {
            Ok(_) => return None,
            Err(problem) => worst = Some(further(worst, problem)),
        }
    }
    worst
}

fn whole(text: &str, reason: &str) -> Problem {
    Problem { at: 0..text.len(), reason: reason.to_owned() }
}

fn attempt(text: &str, dialect: &dyn Dialect, quoting: Quoting, vendor: bool) -> Result<Parsed, Problem> {
    let lexemes = lex(text, quoting);
    check_depth(text, &lexemes)?;
    check_kinds(text, &lexemes)?;
    let mut tokens = rewrite(tokens(text, &lexemes, dialect)?);
    if vendor {
        let before = tokens.len();
        tokens = crate::input::sql_vendor::without_vendor_clauses(tokens);
        if tokens.len() == before {
            return Err(Problem { at: 0..0, reason: String::new() });
        }
    }
    let marks = tokens.iter().filter_map(mark).collect();
    let statements = parse_tokens(text, dialect, tokens)?;
    let placeholders = lexemes.iter().filter(|it| it.kind == LexKind::Placeholder);
    let placeholders = placeholders.map(|it| it.range.clone()).collect();
    Ok(Parsed { statements, placeholders, marks })
}

/// Parses tokens whose places are byte offsets.
pub(super) fn parse_tokens(
    text: &str,
    dialect: &dyn Dialect,
    tokens: Vec<TokenWithSpan>,
) -> Result<Vec<Statement>, Problem> {
    let ends: Vec<Range<usize>> = tokens.iter().map(|it| bytes(it.span)).collect();
    let mut parser =
        Parser::new(dialect).with_recursion_limit(DEEPEST_NESTING).with_tokens_with_locations(tokens);
    parser.parse_statements().map_err(|error| {
        let message = match error {
            ParserError::ParserError(it) | ParserError::TokenizerError(it) => it,
            ParserError::RecursionLimitExceeded => "nested too deeply".to_owned(),
        };
        let (reason, offset) = match message.rsplit_once(" at Line: 1, Column: ") {
            Some((reason, column)) => (reason, column.parse::<usize>().ok().map(|it| it - it.min(1))),
            None => (message.as_str(), None),
        };
        let start = offset.unwrap_or(text.len());
        let end = ends.iter().find(|it| it.start == start).map_or(start, |it| it.end);
        Problem { at: start..end, reason: lower_first(&reason.replace(": ", " ")) }
    })
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_lowercase().chain(chars).collect())
}

/// Tokens of a text; each placeholder is one, and columns are byte offsets.
pub(super) fn tokens(
    text: &str,
    lexemes: &[Lexeme],
    dialect: &dyn Dialect,
) -> Result<Vec<TokenWithSpan>, Problem> {
    let mut all = Vec::new();
    let mut from = 0;
    let placeholders = lexemes.iter().filter(|it| it.kind == LexKind::Placeholder).enumerate();
    for (n, it) in placeholders {
        segment(text, from..it.range.start, dialect, &mut all)?;
        all.push(TokenWithSpan::new(Token::Placeholder(format!(":{n}")), span(&it.range)));
        from = it.range.end;
    }
    segment(text, from..text.len(), dialect, &mut all)?;
    Ok(all)
}

/// Adds the tokens of a stretch without placeholders.
fn segment(
    text: &str,
    range: Range<usize>,
    dialect: &dyn Dialect,
    all: &mut Vec<TokenWithSpan>,
) -> Result<(), Problem> {
    let part = text.get(range.clone()).unwrap_or("");
    let mut cursor = Cursor { part, line: 1, column: 1, at: 0 };
    let found = Tokenizer::new(dialect, part).tokenize_with_location().map_err(|error| {
        let at = range.start + cursor.offset(error.location);
        Problem { at: at..at, reason: lower_first(&error.message) }
    })?;
    let mut cursor = Cursor { part, line: 1, column: 1, at: 0 };
    for mut token in found {
        let start = range.start + cursor.offset(token.span.start);
        let end = range.start + cursor.offset(token.span.end);
        token.span = span(&(start..end));
        all.push(token);
    }
    Ok(())
}

/// Turns lines and columns, asked for in order, into byte offsets.
struct Cursor<'t> {
    part: &'t str,
    line: u64,
    column: u64,
    at: usize,
}

impl Cursor<'_> {
    fn offset(&mut self, wanted: Location) -> usize {
        while (self.line, self.column) < (wanted.line, wanted.column) {
            let Some(c) = self.part[self.at..].chars().next() else { break };
            self.at += c.len_utf8();
            if c == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.at
    }
}

fn span(range: &Range<usize>) -> Span {
    let location = |at: usize| Location::new(1, at as u64 + 1);
    Span::new(location(range.start), location(range.end))
}

/// The bytes that a span of the tree stands for.
pub(super) fn bytes(span: Span) -> Range<usize> {
    let at = |it: Location| (it.column as usize).saturating_sub(1);
    at(span.start)..at(span.end)
}

/// Writes a few things as sqlparser knows them: `IN :list`, UPSERT INTO and
/// BETWEEN SYMMETRIC.
fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut written: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    // The last words, and where they stand; white space lies between.
    let (mut before, mut last) = (String::new(), (String::new(), 0));
    for mut token in tokens {
        let word = match &token.token {
            Token::Whitespace(_) => {
                written.push(token);
                continue;
            }
            Token::Word(word) if word.quote_style.is_none() => word.value.to_ascii_lowercase(),
            Token::SemiColon => ";".to_owned(),
            _ => "?".to_owned(),
        };
        match word.as_str() {
            "upsert" if matches!(last.0.as_str(), "" | ";") => {
                token.token = keyword("REPLACE", Keyword::REPLACE);
            }
            "symmetric" if last.0 == "between" => token.token = Token::Whitespace(Whitespace::Space),
            _ => {}
        }
        if last.0 == "in" && before != "not" && matches!(token.token, Token::Placeholder(_)) {
            let at = written[last.1].span;
            written.truncate(last.1);
            let open = [Token::Eq, keyword("ANY", Keyword::ANY), Token::LParen];
            written.extend(open.map(|it| TokenWithSpan::new(it, at)));
            let end = bytes(token.span).end;
            written.push(token);
            token = TokenWithSpan::new(Token::RParen, span(&(end..end)));
        }
        before = std::mem::replace(&mut last, (word, written.len())).0;
        written.push(token);
    }
    written
}

fn keyword(text: &str, keyword: Keyword) -> Token {
    Token::Word(Word { value: text.to_owned(), quote_style: None, keyword })
}

fn mark(token: &TokenWithSpan) -> Option<Mark> {
    let kind = match &token.token {
        Token::Whitespace(_) => return None,
        Token::LParen | Token::LBracket => MarkKind::Open,
        Token::RParen | Token::RBracket => MarkKind::Close,
        Token::Comma => MarkKind::Border,
        Token::SemiColon => MarkKind::End,
        Token::Word(word) if word.quote_style.is_none() => {
            let lower = word.value.to_ascii_lowercase();
            if is_one_of(BORDERS, &lower) { MarkKind::Border } else { MarkKind::Other }
        }
        _ => MarkKind::Other,
    };
    Some(Mark { kind, range: bytes(token.span) })
}

/// Words that end a condition.
const BORDERS: &str = "\
    and or where on having group order limit offset fetch union except intersect join inner left right \
    full cross natural for returning window when then else end set using do qualify from select values";

impl Parsed {
    /// Extent of each statement, without its semicolon.
    pub(super) fn statement_ranges(&self) -> Vec<Range<usize>> {
        let parts = self.marks.split(|it| it.kind == MarkKind::End);
        parts.filter_map(|it| Some(it.first()?.range.start..it.last()?.range.end)).collect()
    }

    /// Widens the extent of a condition, as the tree gives it, to what is
    /// written: `email` of `lower(email)`, `a` of `a IS NULL`, `(a` of `(a)`.
    pub(super) fn condition(&self, inside: Range<usize>) -> Range<usize> {
        let first = self.marks.partition_point(|it| it.range.end <= inside.start);
        let last = self.marks.partition_point(|it| it.range.start < inside.end);
        if last <= first {
            return inside;
        }
        let (mut depth, mut lowest) = (0_i64, 0_i64);
        for it in &self.marks[first..last] {
            depth += i64::from(it.kind == MarkKind::Open) - i64::from(it.kind == MarkKind::Close);
            lowest = lowest.min(depth);
        }
        let first = self.reach_left(first, -lowest);
        let last = self.reach_right(last, depth - lowest);
        self.marks[first].range.start..self.marks[last - 1].range.end
    }

    /// Index of the first token of the condition, with so many parentheses to open.
    fn reach_left(&self, mut first: usize, mut missing: i64) -> usize {
        let mut inner = 0_i64;
        while 0 < first {
            match self.marks[first - 1].kind {
                MarkKind::Close => inner += 1,
                MarkKind::Open if 0 < inner => inner -= 1,
                MarkKind::Open if 0 < missing => missing -= 1,
                MarkKind::Open | MarkKind::End => break,
                MarkKind::Border if missing == 0 && inner == 0 => break,
                _ => {}
            }
            first -= 1;
        }
        first
    }

    /// Index behind the last token of the condition, with so many parentheses to close.
    fn reach_right(&self, mut last: usize, mut missing: i64) -> usize {
        let mut inner = 0_i64;
        while let Some(next) = self.marks.get(last) {
            match next.kind {
                MarkKind::Open => inner += 1,
                MarkKind::Close if 0 < inner => inner -= 1,
                MarkKind::Close if 0 < missing => missing -= 1,
                MarkKind::Close | MarkKind::End => break,
                MarkKind::Border if missing == 0 && inner == 0 => break,
                _ => {}
            }
            last += 1;
        }
        last
    }
}
