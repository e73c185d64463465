//! From text to syntax trees: placeholders become tokens, places become byte
//! offsets, nesting is bounded, dialects are tried in turn.

use std::ops::Range;

use sqlparser::ast::Statement;
use sqlparser::dialect::{Dialect, GenericDialect, MySqlDialect, PostgreSqlDialect};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Tokenizer, Word};

use crate::input::sql_lex::{LexKind, Lexeme, Quoting, lex};

/// Longest text that is parsed.
const LONGEST_TEXT: usize = 1 << 20;
/// Nesting of parentheses and the like that is followed; the parser's frames
/// then fit a stack of 2 MiB without optimisation.
const DEEPEST_NESTING: usize = 30;
/// Parentheses around tables, and joins whose ON is still to come; each costs three times the stack.
const DEEPEST_FROM: usize = 8;
/// AND and OR in one chain. The trees of such chains are as deep as they are long.
const LONGEST_CONDITION: usize = 1000;
/// Other operators in one chain.
const LONGEST_CHAIN: usize = 100;

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
#[derive(Debug)]
pub(super) struct Parsed {
    /// Its statements.
    pub(super) statements: Vec<Statement>,
    /// Its placeholders in order; the tree has them as `:0`, `:1`, ….
    pub(super) placeholders: Vec<Range<usize>>,
    /// Whether the words it uses are those of the MySQL family.
    pub(super) mysql: bool,
    marks: Vec<Mark>,
}

/// Parses statements of an application.
pub(super) fn parse(text: &str) -> Result<Parsed, Problem> {
    if LONGEST_TEXT < text.len() {
        return Err(whole(text, "the statement is longer than 1 MiB"));
    }
    let tries: [(&dyn Dialect, Quoting, bool); 5] = [
        (&PostgreSqlDialect {}, Quoting::Standard, false),
        (&PostgreSqlDialect {}, Quoting::Standard, true),
        (&MySqlDialect {}, Quoting::MySql, false),
        (&GenericDialect {}, Quoting::Standard, false),
        (&GenericDialect {}, Quoting::Standard, true),
    ];
    let mut worst: Option<Problem> = None;
    for (dialect, quoting, without_vendor_clauses) in tries {
        match attempt(text, dialect, quoting, without_vendor_clauses) {
            Ok(parsed) => return Ok(parsed),
            // The dialect that came furthest says best what is wrong.
            Err(problem) if worst.as_ref().is_none_or(|it| it.at.start < problem.at.start) => {
                worst = Some(problem)
            }
            Err(_) => {}
        }
    }
    Err(worst.unwrap_or_else(|| whole(text, "not readable")))
}

fn whole(text: &str, reason: &str) -> Problem {
    Problem { at: 0..text.len(), reason: reason.to_owned() }
}

fn attempt(text: &str, dialect: &dyn Dialect, quoting: Quoting, vendor: bool) -> Result<Parsed, Problem> {
    let lexemes = lex(text, quoting);
    check_depth(text, &lexemes)?;
    check_kinds(text, &lexemes)?;
    let mut tokens = tokens(text, &lexemes, dialect)?;
    rewrite(&mut tokens);
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
    Ok(Parsed { statements, placeholders, mysql: quoting == Quoting::MySql, marks })
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

/// Writes a few things as sqlparser knows them: `IN :list` and `UPSERT INTO`.
fn rewrite(tokens: &mut Vec<TokenWithSpan>) {
    let word = |it: &TokenWithSpan, text: &str| matches!(&it.token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(text));
    let solid: Vec<usize> =
        (0..tokens.len()).filter(|it| !matches!(tokens[*it].token, Token::Whitespace(_))).collect();
    let mut lists = Vec::new();
    for (n, at) in solid.iter().copied().enumerate() {
        let next = solid.get(n + 1).copied();
        if word(&tokens[at], "upsert") && (n == 0 || tokens[solid[n - 1]].token == Token::SemiColon) {
            tokens[at].token = keyword("REPLACE", Keyword::REPLACE);
        }
        let negated = 0 < n && word(&tokens[solid[n - 1]], "not");
        if let Some(next) = next
            && word(&tokens[at], "in")
            && !negated
            && matches!(tokens[next].token, Token::Placeholder(_))
        {
            lists.push((at, next));
        }
    }
    for (at, next) in lists.into_iter().rev() {
        let place = |token, from: &TokenWithSpan| TokenWithSpan::new(token, from.span);
        let list = tokens[next].clone();
        let close = TokenWithSpan::new(Token::RParen, span(&(bytes(list.span).end..bytes(list.span).end)));
        let with = [
            place(Token::Eq, &tokens[at]),
            place(keyword("ANY", Keyword::ANY), &tokens[at]),
            place(Token::LParen, &tokens[at]),
            list,
            close,
        ];
        tokens.splice(at..=next, with);
    }
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
            if BORDERS.contains(&lower.as_str()) { MarkKind::Border } else { MarkKind::Other }
        }
        _ => MarkKind::Other,
    };
    Some(Mark { kind, range: bytes(token.span) })
}

/// Words that end a condition.
const BORDERS: &[&str] = &[
    "and",
    "or",
    "where",
    "on",
    "having",
    "group",
    "order",
    "limit",
    "offset",
    "fetch",
    "union",
    "except",
    "intersect",
    "join",
    "inner",
    "left",
    "right",
    "full",
    "cross",
    "natural",
    "for",
    "returning",
    "window",
    "when",
    "then",
    "else",
    "end",
    "set",
    "using",
    "do",
    "qualify",
    "from",
    "select",
    "values",
];

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

/// First words of statements that are read or known to change nothing.
const STATEMENTS: &[&str] = &[
    "apply",
    "begin",
    "commit",
    "delete",
    "end",
    "insert",
    "merge",
    "release",
    "replace",
    "rollback",
    "savepoint",
    "select",
    "set",
    "start",
    "table",
    "update",
    "upsert",
    "use",
    "values",
    "with",
];

/// Refuses statements of other kinds, some of which nest without parentheses.
fn check_kinds(text: &str, lexemes: &[Lexeme]) -> Result<(), Problem> {
    let mut starts = true;
    for it in lexemes.iter().filter(|it| !it.is_comment()) {
        if it.is_mark(text, ";") {
            starts = true;
        } else if starts && !it.is_mark(text, "(") {
            starts = false;
            if !STATEMENTS.contains(&it.text(text).to_ascii_lowercase().as_str()) {
                let reason = "not a SELECT, INSERT, UPDATE, DELETE or MERGE".to_owned();
                return Err(Problem { at: it.range.clone(), reason });
            }
        }
    }
    Ok(())
}

/// Lengths of the operator chains at one depth of nesting.
#[derive(Default)]
struct Chain {
    conditions: usize,
    operators: usize,
    sets: usize,
    /// BETWEENs whose AND is still to come.
    betweens: usize,
    /// Joins whose ON is still to come.
    joins: usize,
    /// Whether it stands where a table could.
    table: bool,
    /// Inside a FROM clause, in which a comma is followed by a table.
    from: bool,
}

/// Refuses texts whose trees would be too deep to walk or even to drop:
/// chains of operators nest as deep as they are long.
pub(super) fn check_depth(text: &str, lexemes: &[Lexeme]) -> Result<(), Problem> {
    let mut levels = vec![Chain::default()];
    let mut table_follows = false;
    let mut word_before = String::new();
    for it in lexemes.iter().filter(|it| !it.is_comment()) {
        let after_table_word = std::mem::replace(&mut table_follows, false);
        let nested = 1 < levels.len();
        let Some(level) = levels.last_mut() else { break };
        match it.kind {
            LexKind::Punct => match it.text(text) {
                "(" | "[" | "{" => {
                    levels.push(Chain {
                        table: after_table_word,
                        from: after_table_word,
                        ..Chain::default()
                    });
                    table_follows = after_table_word;
                }
                ")" | "]" | "}" if nested => drop(levels.pop()),
                "," => {
                    (level.operators, level.conditions) = (0, 0);
                    table_follows = level.from;
                }
                ";" => levels = vec![Chain::default()],
                "." => {}
                _ => level.operators += 1,
            },
            LexKind::Word => match it.text(text).to_ascii_lowercase().as_str() {
                _ if 64 < it.range.len() => {}
                "case" => levels.push(Chain::default()),
                "end" if nested => drop(levels.pop()),
                "between" => {
                    level.betweens += 1;
                    level.operators += 1;
                }
                "and" if 0 < level.betweens => level.betweens -= 1,
                "and" | "or" => {
                    level.conditions += 1;
                    level.operators = 0;
                }
                "union" | "except" | "intersect" | "minus" => level.sets += 1,
                word @ ("where" | "on" | "select" | "from" | "set" | "having" | "by" | "values" | "limit"
                | "join" | "using" | "lateral" | "apply") => {
                    (level.operators, level.conditions) = (0, 0);
                    table_follows = matches!(word, "from" | "join" | "using" | "lateral" | "apply");
                    level.from = table_follows || (level.from && word == "on");
                    match word {
                        "join" if !matches!(word_before.as_str(), "cross" | "natural") => level.joins += 1,
                        "on" | "using" => level.joins = level.joins.saturating_sub(1),
                        "where" | "select" => level.joins = 0,
                        _ => {}
                    }
                }
                "is" | "in" | "like" | "ilike" | "similar" | "rlike" | "regexp" | "isnull" | "notnull"
                | "collate" | "at" | "xor" | "div" | "mod" | "overlaps" | "operator" | "member" => {
                    level.operators += 1
                }
                _ => {}
            },
            _ => {}
        }
        let sum = |part: fn(&Chain) -> usize| levels.iter().map(part).sum::<usize>();
        word_before =
            if it.kind == LexKind::Word { it.text(text).to_ascii_lowercase() } else { String::new() };
        let tables = sum(|it| usize::from(it.table) + it.joins.saturating_sub(1));
        let fits = levels.len() + 2 * tables <= DEEPEST_NESTING + 1
            && tables <= DEEPEST_FROM
            && sum(|it| it.conditions) <= LONGEST_CONDITION
            && sum(|it| it.operators) <= LONGEST_CHAIN
            && sum(|it| it.sets) <= LONGEST_CHAIN;
        if !fits {
            return Err(Problem { at: it.range.clone(), reason: "nested too deeply".to_owned() });
        }
    }
    Ok(())
}
