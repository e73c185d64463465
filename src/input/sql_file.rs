//! Annotated SQL files: cut into statements, each with the comments that speak
//! of it, in the order of the file.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::diag::{Finding, Level, SYNTAX, UNPARSED_STATEMENT};
use crate::input::sql_annotations::read_comment;
use crate::input::sql_cursor::Cursor;
use crate::input::sql_ddl::{
    Created, alter, alter_table, create_index, create_table, interleaved, read_index, read_table,
};
use crate::input::sql_items::{
    Annotation, SqlIndex, SqlItem, SqlPattern, SqlPlacing, SqlPlacingKind, SqlStatement, SqlTable,
};
use crate::input::sql_lex::{LexKind, Lexeme, Quoting, lex};
use crate::input::sql_placing::{Flavour, altered, citus_calls, parent};
use crate::source::{FileId, Span};

/// Reads what an SQL file says. What is not readable becomes a finding, and
/// reading goes on behind it.
pub(super) fn read_items(text: &str, file: FileId, findings: &mut Vec<Finding>) -> Vec<SqlItem> {
    let code = without_data(text);
    let lexemes = lex(&code, Quoting::guess(&code));
    let mut reader = FileReader::new(text, file, findings);
    for statement in statements(&code, &lexemes) {
        reader.statement(&statement);
    }
    reader.finish()
}

/// The text with psql's own lines and the data of COPY … FROM stdin blanked;
/// places stay where they are.
fn without_data(text: &str) -> String {
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
struct Piece {
    /// Its code.
    code: Vec<Lexeme>,
    /// Comments with how many pieces of code stand before each.
    comments: Vec<(Range<usize>, usize)>,
}

fn statements(text: &str, lexemes: &[Lexeme]) -> Vec<Piece> {
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

/// Words that start a statement of some product.
const VERBS: &[&str] = &[
    "abort",
    "alter",
    "analyze",
    "apply",
    "attach",
    "backup",
    "begin",
    "call",
    "checkpoint",
    "close",
    "cluster",
    "comment",
    "commit",
    "copy",
    "create",
    "deallocate",
    "declare",
    "delete",
    "delimiter",
    "desc",
    "describe",
    "detach",
    "discard",
    "do",
    "drop",
    "end",
    "exec",
    "execute",
    "explain",
    "export",
    "fetch",
    "flush",
    "go",
    "grant",
    "handler",
    "if",
    "import",
    "insert",
    "kill",
    "listen",
    "load",
    "lock",
    "merge",
    "notify",
    "optimize",
    "pragma",
    "prepare",
    "print",
    "reassign",
    "refresh",
    "reindex",
    "release",
    "rename",
    "replace",
    "reset",
    "restore",
    "revoke",
    "rollback",
    "savepoint",
    "security",
    "select",
    "set",
    "show",
    "source",
    "split",
    "start",
    "table",
    "truncate",
    "unlisten",
    "unlock",
    "update",
    "upsert",
    "use",
    "vacuum",
    "values",
    "with",
];

/// A pattern that is being read.
struct Open {
    pattern: SqlPattern,
    times: Option<Annotation>,
}

struct FileReader<'r> {
    text: &'r str,
    file: FileId,
    findings: &'r mut Vec<Finding>,
    items: Vec<SqlItem>,
    engine: String,
    cql: bool,
    /// `@table` that waits for its CREATE TABLE.
    table: Option<Annotation>,
    /// `@pattern` that waits for its statement, or has a transaction open.
    pattern: Option<Open>,
    /// Item of the pattern that ended last.
    last_pattern: Option<usize>,
    /// Items of tables by name in lower case.
    tables: BTreeMap<String, usize>,
    /// Values of CREATE TYPE … AS ENUM.
    enums: BTreeMap<String, Vec<String>>,
    /// Items that are calls of Citus, with their table.
    calls: BTreeMap<usize, String>,
}

impl<'r> FileReader<'r> {
    fn new(text: &'r str, file: FileId, findings: &'r mut Vec<Finding>) -> Self {
        let lower = text.to_ascii_lowercase();
        let cql = ["clustering order by", "frozen<", "timeuuid", "allow filtering", "with compaction"];
        Self {
            text,
            file,
            findings,
            items: Vec::new(),
            engine: String::new(),
            cql: cql.iter().any(|it| lower.contains(it)),
            table: None,
            pattern: None,
            last_pattern: None,
            tables: BTreeMap::new(),
            enums: BTreeMap::new(),
            calls: BTreeMap::new(),
        }
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range.start, range.end)
    }

    fn syntax(&mut self, span: Span, message: String, help: &str) {
        self.findings.push(Finding::new(SYNTAX, Level::Error, span, message).with_help(help));
    }

    fn statement(&mut self, piece: &Piece) {
        let mut inside = Vec::new();
        for (at, before) in &piece.comments {
            let said = read_comment(self.text, at.clone(), self.file, self.findings);
            if let Some(ignore) = said.ignore {
                self.items.push(SqlItem::Ignore(ignore));
            }
            for annotation in said.annotations {
                if annotation.word.value == "column" || (0 < *before && annotation.word.value != "param") {
                    inside.push((annotation, at.clone(), *before));
                } else {
                    self.annotation(annotation);
                }
            }
        }
        let created = if piece.code.is_empty() { None } else { self.code(piece) };
        for (annotation, at, before) in inside {
            match (&created, annotation.word.value.as_str()) {
                (Some(columns), "column") => self.column_annotation(annotation, &at, columns),
                (None, "column") => {
                    let help = "`@column` stands behind a column of CREATE TABLE, or on the line above it";
                    self.syntax(annotation.word.span, "`@column` outside of a CREATE TABLE".to_owned(), help);
                }
                // Behind the code of a statement, on its last line: about what comes next.
                _ if before == piece.code.len() => self.annotation(annotation),
                (_, word) => {
                    let message = format!("`@{word}` inside a statement");
                    self.syntax(annotation.word.span, message, "put it on a line above the statement");
                }
            }
        }
    }

    fn annotation(&mut self, annotation: Annotation) {
        let span = annotation.word.span;
        match annotation.word.value.as_str() {
            "target" => {
                let engine = annotation.fields.iter().find(|it| it.key.value == "engine");
                self.engine = engine.map_or_else(String::new, |it| it.value.value.clone());
                self.items.push(SqlItem::Target(annotation));
            }
            "table" => match &mut self.table {
                Some(table) => {
                    table.bare.extend(annotation.bare);
                    table.fields.extend(annotation.fields);
                }
                None => self.table = Some(annotation),
            },
            "pattern" => {
                self.close_pattern();
                let pattern =
                    SqlPattern { annotation, transaction: false, statements: Vec::new(), params: Vec::new() };
                self.pattern = Some(Open { pattern, times: None });
            }
            "times" => match &mut self.pattern {
                Some(open) if open.times.is_none() => open.times = Some(annotation),
                _ => self.syntax(
                    span,
                    "`@times` outside of a pattern".to_owned(),
                    "put it above a statement between BEGIN and COMMIT",
                ),
            },
            _ => self.param(annotation),
        }
    }

    /// `@param` belongs to the pattern that is open, else to the one that ended last.
    fn param(&mut self, annotation: Annotation) {
        if let Some(open) = &mut self.pattern {
            return open.pattern.params.push(annotation);
        }
        let last = self.last_pattern.and_then(|it| self.items.get_mut(it));
        match last {
            Some(SqlItem::Pattern(pattern)) => pattern.params.push(annotation),
            _ => {
                let message = "`@param` outside of a pattern".to_owned();
                self.syntax(annotation.word.span, message, "put it below `@pattern`");
            }
        }
    }

    /// Reads the code of a statement; of a table, where its columns stand.
    fn code(&mut self, piece: &Piece) -> Option<(usize, Vec<Range<usize>>)> {
        let cursor = Cursor::new(self.text, self.file, &piece.code);
        if self.pattern.is_some() {
            if is_definition(cursor) {
                let span = self.pattern.take().map(|it| it.pattern.annotation.word.span);
                let message = "`@pattern` is not followed by a statement that reads or writes".to_owned();
                self.syntax(span.unwrap_or_default(), message, "put it directly above the statement");
            } else {
                self.pattern_statement(piece);
                return None;
            }
        }
        let mut it = cursor;
        if !cursor.is_balanced() {
            if is_definition(cursor) {
                self.unparsed(cursor, "definition");
            }
            return None;
        }
        if let Some(kinds) = create_table(&mut it) {
            return self.create_table(cursor, it, &kinds);
        }
        if let Some(annotation) = self.table.take() {
            let message = "`@table` is not followed by CREATE TABLE".to_owned();
            self.syntax(annotation.word.span, message, "put it directly above the CREATE TABLE");
        }
        if let Some(kinds) = create_index(&mut it) {
            match read_index(cursor, it, &kinds) {
                Some(index) => self.index(index),
                None => self.unparsed(cursor, "CREATE INDEX"),
            }
        } else if let Some(name) = alter_table(&mut it) {
            self.alter_table(&name.value, name.span, it);
        } else if it.eat("create type") {
            self.create_type(it);
        } else if matches!(cursor.word().as_str(), "select" | "with" | "do") {
            for placing in citus_calls(cursor) {
                self.calls.insert(self.items.len(), placing.table.value.clone());
                self.items.push(SqlItem::Placing(placing));
            }
        } else if !VERBS.contains(&cursor.word().as_str()) && !cursor.at_mark("(") {
            let first = cursor.peek().map_or(0..0, |it| it.range.clone());
            let message = format!("`{}` starts no SQL statement", &self.text[first.clone()]);
            let finding = Finding::new(UNPARSED_STATEMENT, Level::Warning, self.span(first), message);
            self.findings.push(finding);
        }
        None
    }

    fn unparsed(&mut self, statement: Cursor<'_>, what: &str) {
        let range = statement.range();
        let (span, reason) = match crate::input::sql_parse::ddl_problem(&self.text[range.clone()]) {
            Some(problem) => {
                let (start, end) = (range.start + problem.at.start, range.start + problem.at.end);
                (self.span(start..end.max(start)), problem.reason)
            }
            None => (self.span(range), "not understood".to_owned()),
        };
        let message = format!("this {what} can't be read: {reason}");
        self.findings.push(Finding::new(UNPARSED_STATEMENT, Level::Warning, span, message));
    }

    fn create_table(
        &mut self,
        whole: Cursor<'_>,
        it: Cursor<'_>,
        kinds: &[String],
    ) -> Option<(usize, Vec<Range<usize>>)> {
        let annotation = self.table.take();
        let engine = self.engine.clone();
        let flavour = Flavour { engine: &engine, cql: self.cql };
        match read_table(it, kinds, &flavour) {
            Created::Table(read) => {
                if read.doubtful && crate::input::sql_parse::ddl_problem(&self.text[whole.range()]).is_some()
                {
                    self.unparsed(whole, "CREATE TABLE");
                }
                let mut table = read.table;
                table.annotation = annotation;
                for column in &mut table.columns {
                    let named = self.enums.get(&column.ty.to_ascii_lowercase());
                    if let Some(values) = named.filter(|_| column.values.is_empty()) {
                        column.values.clone_from(values);
                    }
                }
                let placings = self.interleave(&mut table, it, read.placings);
                let at = self.items.len();
                self.tables.insert(table.name.value.to_ascii_lowercase(), at);
                self.items.push(SqlItem::Table(table));
                self.items.extend(placings.into_iter().map(SqlItem::Placing));
                return Some((at, read.columns_at));
            }
            Created::Partition => {}
            Created::Opaque(reason) => {
                let message = format!("the columns of this CREATE TABLE are not known: {reason}");
                let span = whole.whole_span();
                self.findings.push(Finding::new(UNPARSED_STATEMENT, Level::Warning, span, message));
            }
            Created::Unread => self.unparsed(whole, "CREATE TABLE"),
        }
        None
    }

    /// An interleaved table is placed with its parent.
    fn interleave(
        &self,
        table: &mut SqlTable,
        it: Cursor<'_>,
        mut placings: Vec<SqlPlacing>,
    ) -> Vec<SqlPlacing> {
        let Some(name) = parent(it) else { return placings };
        let above = self.tables.get(&name.value.to_ascii_lowercase()).and_then(|it| self.items.get(*it));
        let Some(SqlItem::Table(above)) = above else { return placings };
        table.references.extend(interleaved(table, above, &name));
        let root = self.items.iter().find_map(|it| match it {
            SqlItem::Placing(placing) if placing.table.value == above.name.value => Some(&placing.kind),
            _ => None,
        });
        let root = match root {
            Some(SqlPlacingKind::Key { columns, .. }) => columns.len(),
            _ => return placings,
        };
        for placing in &mut placings {
            if let SqlPlacingKind::Key { columns, cluster, .. } = &mut placing.kind
                && root < columns.len()
            {
                *cluster = columns.split_off(root).into_iter().map(|it| (it, false)).collect();
            }
        }
        placings
    }

    fn index(&mut self, index: SqlIndex) {
        self.items.push(SqlItem::Index(index));
    }

    fn create_type(&mut self, mut it: Cursor<'_>) {
        let Some(name) = it.qualified_name() else { return };
        if it.eat("as enum")
            && let Some(list) = it.group()
        {
            let texts = list.rest().iter().filter(|it| it.kind == LexKind::Text);
            let values = texts.map(|it| crate::input::sql_cursor::unquoted(it.text(self.text))).collect();
            self.enums.insert(name.value.to_ascii_lowercase(), values);
        }
    }

    fn alter_table(&mut self, name: &str, span: Span, actions: Cursor<'_>) {
        let at = self.tables.get(&name.to_ascii_lowercase()).copied();
        match at.and_then(|it| self.items.get_mut(it)) {
            Some(SqlItem::Table(table)) => {
                alter(actions, table);
                if let Some(placing) = altered(table, actions) {
                    self.items.push(SqlItem::Placing(placing));
                }
            }
            _ if actions.word() == "add" => {
                let message = format!("ALTER TABLE adds to `{name}`, which this file does not create");
                let help = "put the constraint into the file of its CREATE TABLE";
                let finding = Finding::new(UNPARSED_STATEMENT, Level::Warning, span, message);
                self.findings.push(finding.with_help(help));
            }
            _ => {}
        }
    }

    fn column_annotation(
        &mut self,
        annotation: Annotation,
        at: &Range<usize>,
        (item, columns): &(usize, Vec<Range<usize>>),
    ) {
        let line_start = self.text[..at.start].rfind('\n').map_or(0, |it| it + 1);
        let own_line = self.text[line_start..at.start].trim().is_empty();
        let n = if own_line {
            let next = columns.partition_point(|it| it.start < at.end);
            let inside = next.checked_sub(1).filter(|it| columns[*it].contains(&at.start));
            inside.or(Some(next))
        } else {
            let behind = columns.partition_point(|it| it.start < at.start);
            behind.checked_sub(1).filter(|it| line_start < columns[*it].end)
        };
        let span = annotation.word.span;
        let Some(SqlItem::Table(table)) = self.items.get_mut(*item) else { return };
        match n.and_then(|it| table.columns.get_mut(it)) {
            Some(column) => match &mut column.annotation {
                Some(had) => {
                    had.bare.extend(annotation.bare);
                    had.fields.extend(annotation.fields);
                }
                None => column.annotation = Some(annotation),
            },
            None => {
                let help = "`@column` stands behind a column, or on the line above it";
                self.syntax(span, "no column stands on the line of `@column`".to_owned(), help);
            }
        }
    }

    /// A statement under `@pattern`.
    fn pattern_statement(&mut self, piece: &Piece) {
        let Some(open) = &mut self.pattern else { return };
        let mut it = Cursor::new(self.text, self.file, &piece.code);
        let first = it.word();
        if !open.pattern.transaction && matches!(first.as_str(), "begin" | "start") {
            open.pattern.transaction = true;
            it.take();
            let batch = it.eat("batch")
                || it.eat("unlogged batch")
                || it.eat("counter batch")
                || it.eat("logged batch");
            // BEGIN BATCH is followed by its first statement without a semicolon.
            if !batch || it.is_done() {
                return;
            }
        } else if open.pattern.transaction {
            match first.as_str() {
                "commit" | "end" | "rollback" | "abort" | "apply" => return self.close_pattern(),
                "savepoint" | "release" | "set" => return,
                _ => {}
            }
        }
        let range = it.range();
        let times = open.times.take();
        let text = self.text[range.clone()].to_owned();
        let span = Span::new(self.file, range.start, range.end);
        open.pattern.statements.push(SqlStatement { text, span, times });
        if !open.pattern.transaction {
            self.end_pattern();
        }
    }

    /// The pattern is complete.
    fn end_pattern(&mut self) {
        if let Some(open) = self.pattern.take() {
            if let Some(times) = open.times {
                let help = "put it above a statement between BEGIN and COMMIT";
                self.syntax(times.word.span, "`@times` without a statement below it".to_owned(), help);
            }
            self.last_pattern = Some(self.items.len());
            self.items.push(SqlItem::Pattern(open.pattern));
        }
    }

    /// Another pattern starts, or the file or transaction ends.
    fn close_pattern(&mut self) {
        let Some(open) = &self.pattern else { return };
        if open.pattern.statements.is_empty() {
            let span = open.pattern.annotation.word.span;
            self.pattern = None;
            self.syntax(
                span,
                "`@pattern` without a statement below it".to_owned(),
                "put it directly above its statement",
            );
            return;
        }
        self.end_pattern();
    }

    fn finish(mut self) -> Vec<SqlItem> {
        if let Some(open) = &self.pattern
            && open.pattern.transaction
            && !open.pattern.statements.is_empty()
        {
            let span = open.pattern.annotation.word.span;
            self.syntax(
                span,
                "the transaction of this pattern has no COMMIT".to_owned(),
                "end it with COMMIT;",
            );
        }
        self.close_pattern();
        if let Some(annotation) = self.table.take() {
            let message = "`@table` is not followed by CREATE TABLE".to_owned();
            self.syntax(annotation.word.span, message, "put it directly above the CREATE TABLE");
        }
        // Where Citus distributes a table, PARTITION BY only cuts it up inside a shard.
        let (calls, mut n) = (self.calls, 0);
        let mut items = self.items;
        items.retain(|it| {
            n += 1;
            match it {
                SqlItem::Placing(it) if !calls.contains_key(&(n - 1)) => {
                    !calls.values().any(|called| called.eq_ignore_ascii_case(&it.table.value))
                }
                _ => true,
            }
        });
        items
    }
}

/// Whether a statement defines something instead of reading or writing rows.
fn is_definition(it: Cursor<'_>) -> bool {
    matches!(it.word().as_str(), "create" | "alter" | "drop" | "grant" | "comment")
}

#[cfg(test)]
#[path = "sql_file_tests.rs"]
mod tests;
