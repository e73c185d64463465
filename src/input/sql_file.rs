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
    Annotation, SqlItem, SqlPattern, SqlPlacing, SqlPlacingKind, SqlStatement, SqlTable,
};
use crate::input::sql_lex::{LexKind, Quoting, is_one_of, lex};
use crate::input::sql_placing::{Flavour, altered, citus_calls, is_not_cql, looks_like_cql, parent};
use crate::input::sql_statements::{Piece, statements, without_data};
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

/// Words that start a statement of some product.
const VERBS: &str = "\
    abort alter analyze apply attach backup begin call checkpoint close cluster comment commit copy \
    create deallocate declare delete delimiter desc describe detach discard do drop end exec execute \
    explain export fetch flush go grant handler if import insert kill listen load lock merge notify \
    optimize pragma prepare print reassign refresh reindex release rename replace reset restore revoke \
    rollback savepoint security select set show source split start table truncate unlisten unlock update \
    upsert use vacuum values with";

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
        Self {
            text,
            file,
            findings,
            items: Vec::new(),
            engine: String::new(),
            cql: looks_like_cql(text) && !is_not_cql(text),
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
        if let Some(SqlItem::Pattern(pattern)) = last {
            return pattern.params.push(annotation);
        }
        let message = "`@param` outside of a pattern".to_owned();
        self.syntax(annotation.word.span, message, "put it below `@pattern`");
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
                // An index on nothing but expressions names no column.
                Some(index) if index.columns.is_empty() => {}
                Some(index) => self.items.push(SqlItem::Index(index)),
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
        } else if !is_one_of(VERBS, &cursor.word()) && !cursor.at_mark("(") {
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
        let cql = self.cql || looks_like_cql(&self.text[whole.range()]);
        let flavour = Flavour { engine: &engine, cql };
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
        let Some(column) = n.and_then(|it| table.columns.get_mut(it)) else {
            let help = "`@column` stands behind a column, or on the line above it";
            return self.syntax(span, "no column stands on the line of `@column`".to_owned(), help);
        };
        match &mut column.annotation {
            Some(had) => {
                had.bare.extend(annotation.bare);
                had.fields.extend(annotation.fields);
            }
            None => column.annotation = Some(annotation),
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
mod tests {
    use super::*;
    use crate::diag::Code;
    use crate::source::Spanned;

    fn read(text: &str) -> (Vec<SqlItem>, Vec<Finding>) {
        let mut findings = Vec::new();
        let items = read_items(text, FileId(0), &mut findings);
        (items, findings)
    }

    fn under(text: &str, span: Span) -> &str {
        &text[span.start as usize..span.end as usize]
    }

    fn names(of: &[Spanned<String>]) -> String {
        of.iter().map(|it| it.value.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn note(it: Option<&Annotation>) -> String {
        let fields = it.map_or(&[][..], |it| &it.fields).iter();
        let shown = fields.map(|it| format!(" {}={}", it.key.value, it.value.value));
        shown.collect::<Vec<_>>().concat()
    }

    fn keyed(cluster: &[(Spanned<String>, bool)]) -> String {
        let shown =
            cluster.iter().map(|(it, desc)| format!(" {}{}", it.value, if *desc { " desc" } else { "" }));
        shown.collect::<Vec<_>>().concat()
    }

    fn shown(item: &SqlItem) -> Vec<String> {
        match item {
            SqlItem::Target(it) => vec![format!("target{}", note(Some(it)))],
            SqlItem::Table(it) => {
                let mut lines = vec![format!("table {}{}", it.name.value, note(it.annotation.as_ref()))];
                for column in &it.columns {
                    let mut line = format!("  {}: {}", column.name.value, column.ty);
                    line += if column.not_null { " not null" } else { "" };
                    line += &column.generated.map_or_else(String::new, |it| format!(" {it}"));
                    line += &if column.values.is_empty() {
                        String::new()
                    } else {
                        format!(" {:?}", column.values)
                    };
                    line += &note(column.annotation.as_ref());
                    lines.push(line);
                }
                if let Some((key, _)) = &it.primary_key {
                    lines.push(format!("  key {}", names(key)));
                }
                lines.extend(it.unique.iter().map(|(it, _)| format!("  unique {}", names(it))));
                lines.extend(it.references.iter().map(|it| {
                    format!("  {} -> {} {}", names(&it.columns), it.parent.value, names(&it.parent_columns))
                        .trim_end()
                        .to_owned()
                }));
                lines
            }
            SqlItem::Index(it) => {
                let name = it.name.as_ref().map_or("-", |it| it.value.as_str());
                let unique = if it.unique { " unique" } else { "" };
                let include = if it.include.is_empty() {
                    String::new()
                } else {
                    format!(" include {}", names(&it.include))
                };
                vec![format!("index {name} on {}{unique}:{}{include}", it.table.value, keyed(&it.columns))]
            }
            SqlItem::Placing(it) => {
                let kind = match &it.kind {
                    SqlPlacingKind::Key { columns, strategy, cluster, shards } => {
                        let cluster = if cluster.is_empty() {
                            String::new()
                        } else {
                            format!(" cluster{}", keyed(cluster))
                        };
                        let shards = shards.map_or_else(String::new, |it| format!(" shards {it}"));
                        format!("{} {}{cluster}{shards}", strategy.unwrap_or("-"), names(columns))
                    }
                    SqlPlacingKind::Replicated => "replicated".to_owned(),
                    SqlPlacingKind::Unsharded => "unsharded".to_owned(),
                };
                vec![format!("place {}: {kind}", it.table.value)]
            }
            SqlItem::Pattern(it) => {
                let mut lines = vec![format!(
                    "pattern{}{}",
                    if it.transaction { " transaction" } else { "" },
                    note(Some(&it.annotation))
                )];
                for statement in &it.statements {
                    let times = statement
                        .times
                        .as_ref()
                        .map_or_else(String::new, |it| format!(" x{}{}", names(&it.bare), note(Some(it))));
                    lines.push(format!("  {}{times}", statement.text));
                }
                lines.extend(
                    it.params.iter().map(|it| format!("  param {}{}", names(&it.bare), note(Some(it)))),
                );
                lines
            }
            SqlItem::Ignore(it) => vec![format!("ignore {}: {}", names(&it.rules), it.reason)],
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let (items, findings) = read(text);
        assert_eq!(findings, [], "{text}");
        let lines: Vec<String> = items.iter().flat_map(shown).collect();
        assert_eq!(lines, expected);
    }

    /// Findings with the text under them.
    fn findings(text: &str) -> Vec<(Code, &str, String)> {
        read(text).1.into_iter().map(|it| (it.code, under(text, it.span), it.message)).collect()
    }

    const SAMPLE: &str = "\
-- @target engine=citus shards=32 nodes=4
-- @table rows=200M growth=300k/day row_size=320B
CREATE TABLE orders (
  order_id    uuid PRIMARY KEY,                              -- @column generated=uuid7
  customer_id bigint NOT NULL REFERENCES customers,          -- @column distinct=5M skew=zipf(1.1)
  status      text CHECK (status IN ('pending','paid','shipped','done')),
  created_at  timestamptz NOT NULL DEFAULT now()             -- @column monotonic=true
);
-- @pattern name=\"orders of a customer\" rate=1200/s p99=20ms popularity.c=zipf(1.0)
SELECT * FROM orders WHERE customer_id = :c ORDER BY created_at DESC LIMIT 20;
-- @pattern name=\"place order\" rate=80/s
BEGIN;
INSERT INTO orders (order_id, customer_id) VALUES (:o, :c);
-- @times 3 each=n,sku,q
INSERT INTO order_items (order_id, line, sku, qty) VALUES (:o, :n, :sku, :q);
COMMIT;                                                      -- also: -- @param supply same_as=home share=99%
SELECT create_distributed_table('orders', 'customer_id');    -- engine statements are read as the plan
";

    #[test]
    fn the_sample_of_the_format_is_read() {
        check(
            SAMPLE,
            &[
                "target engine=citus shards=32 nodes=4",
                "table orders rows=200M growth=300k/day row_size=320B",
                "  order_id: uuid not null generated=uuid7",
                "  customer_id: bigint not null distinct=5M skew=zipf(1.1)",
                "  status: text [\"pending\", \"paid\", \"shipped\", \"done\"]",
                "  created_at: timestamptz not null monotonic=true",
                "  key order_id",
                "  customer_id -> customers",
                "pattern name=orders of a customer rate=1200/s p99=20ms popularity.c=zipf(1.0)",
                "  SELECT * FROM orders WHERE customer_id = :c ORDER BY created_at DESC LIMIT 20",
                "pattern transaction name=place order rate=80/s",
                "  INSERT INTO orders (order_id, customer_id) VALUES (:o, :c)",
                "  INSERT INTO order_items (order_id, line, sku, qty) VALUES (:o, :n, :sku, :q) x3 each=n,sku,q",
                "  param supply same_as=home share=99%",
                "place orders: hash customer_id",
            ],
        );
    }

    #[test]
    fn every_place_is_the_text_it_names() {
        let (items, _) = read(SAMPLE);
        for item in &items {
            match item {
                SqlItem::Table(it) => {
                    assert_eq!(under(SAMPLE, it.name.span), "orders");
                    assert_eq!(under(SAMPLE, it.primary_key.as_ref().expect("a key").1), "PRIMARY KEY");
                    assert_eq!(under(SAMPLE, it.references[0].span), "REFERENCES customers");
                    assert!(it.columns.iter().all(|it| under(SAMPLE, it.name.span) == it.name.value));
                }
                SqlItem::Pattern(it) => {
                    assert!(it.statements.iter().all(|it| under(SAMPLE, it.span) == it.text));
                }
                SqlItem::Placing(it) => {
                    assert_eq!(under(SAMPLE, it.span), "create_distributed_table('orders', 'customer_id')");
                    assert_eq!(under(SAMPLE, it.table.span), "orders");
                    let SqlPlacingKind::Key { columns, .. } = &it.kind else { panic!("a key") };
                    assert_eq!(under(SAMPLE, columns[0].span), "customer_id");
                }
                _ => {}
            }
        }
    }

    #[test]
    fn constraints_of_all_kinds_are_read() {
        check(
            "CREATE TABLE IF NOT EXISTS \"public\".\"line items\" (
           id bigserial,
           order_id bigint CONSTRAINT fk REFERENCES shop.orders (id) ON DELETE SET NULL ON UPDATE NO ACTION,
           sku character varying(20) DEFAULT 'x, y'::text NOT NULL UNIQUE,
           price numeric(10, 2) DEFAULT 0 CHECK (price > 0),
           token uuid DEFAULT gen_random_uuid(),
           at timestamp with time zone DEFAULT now(),
           n int GENERATED ALWAYS AS IDENTITY,
           twice int GENERATED ALWAYS AS (n * 2) STORED,
           kind text,
           CONSTRAINT pk PRIMARY KEY (id, order_id),
           UNIQUE NULLS NOT DISTINCT (order_id, sku),
           FOREIGN KEY (order_id, sku) REFERENCES other (a, b) MATCH FULL,
           CHECK (((kind)::text = ANY (ARRAY['a'::text, 'b'::text]))),
           EXCLUDE USING gist (kind WITH =)
         ) TABLESPACE fast;",
            &[
                "table line items",
                "  id: bigserial not null autoincrement",
                "  order_id: bigint not null",
                "  sku: character varying(20) not null",
                "  price: numeric(10, 2)",
                "  token: uuid uuid4",
                "  at: timestamp with time zone",
                "  n: int not null autoincrement",
                "  twice: int",
                "  kind: text [\"a\", \"b\"]",
                "  key id order_id",
                "  unique sku",
                "  unique order_id sku",
                "  order_id -> orders id",
                "  order_id sku -> other a b",
            ],
        );
    }

    #[test]
    fn mysql_tables_are_read() {
        check(
            "CREATE TABLE `orders` (
           `id` bigint unsigned NOT NULL AUTO_INCREMENT COMMENT 'it\\'s',
           `status` enum('new','paid') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT 'new',
           `key` varchar(20) DEFAULT NULL,
           `at` datetime DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
           PRIMARY KEY (`id`),
           UNIQUE KEY `u` (`key`(10), `status`),
           KEY `k` (`at`),
           FULLTEXT INDEX f (`key`),
           CONSTRAINT `fk` FOREIGN KEY (`key`) REFERENCES `keys` (`id`)
         ) ENGINE=InnoDB AUTO_INCREMENT=5
         PARTITION BY HASH(`id`) PARTITIONS 8;",
            &[
                "table orders",
                "  id: bigint unsigned not null autoincrement",
                "  status: enum('new','paid') [\"new\", \"paid\"]",
                "  key: varchar(20)",
                "  at: datetime",
                "  key id",
                "  unique key status",
                "  key -> keys id",
                "place orders: hash id shards 8",
            ],
        );
        check(
            "CREATE TABLE t (a int, b int, PRIMARY KEY (a, b)) PARTITION BY KEY () PARTITIONS 4;",
            &["table t", "  a: int not null", "  b: int not null", "  key a b", "place t: hash a b shards 4"],
        );
    }

    #[test]
    fn citus_calls_place_tables() {
        let tables = "CREATE TABLE a (id int, at date) PARTITION BY RANGE (at);\n";
        let (items, findings) = read(&format!(
        "{tables}SELECT create_distributed_table('public.a', 'id', colocate_with => 'b', shard_count => 64),
         create_reference_table('r');
         SELECT citus_add_local_table_to_metadata('l');
         SELECT create_distributed_table(table_name := 'c', distribution_column := 'x');
         SELECT create_distributed_table('s', NULL);"
    ));
        assert_eq!(findings, []);
        let lines: Vec<String> = items.iter().skip(1).flat_map(shown).collect();
        assert_eq!(
            lines,
            [
                "place a: hash id shards 64",
                "place r: replicated",
                "place l: unsharded",
                "place c: hash x",
                "place s: unsharded"
            ]
        );
        // Without Citus the partitioning is what places rows.
        check(tables, &["table a", "  id: int", "  at: date", "place a: range at"]);
    }

    #[test]
    fn partitions_are_no_tables() {
        check("CREATE TABLE a_1 PARTITION OF a FOR VALUES FROM (1) TO (2);", &[]);
    }

    #[test]
    fn cql_keys_are_read() {
        let columns = "room text, day date, id timeuuid, tags set<text>, data map<text, frozen<list<int>>>, n int STATIC";
        let lines = [
            "table t",
            "  room: text not null",
            "  day: date not null",
            "  id: timeuuid not null",
            "  tags: set<text>",
            "  data: map<text, frozen<list<int>>>",
            "  n: int",
            "  key room day id",
        ];
        let check_key = |key: &str, tail: &str, place: &str| {
            let mut expected = lines.to_vec();
            expected.push(place);
            check(&format!("CREATE TABLE ks.t ({columns}, PRIMARY KEY ({key})){tail};"), &expected);
        };
        check_key(
            "(room, day), id",
            " WITH CLUSTERING ORDER BY (id DESC) AND compaction = {'class': 'X'}",
            "place t: hash room day cluster id desc",
        );
        check_key("room, day, id", "", "place t: hash room cluster day id");
    }

    #[test]
    fn yugabyte_and_cockroach_keys_are_read() {
        let table = |key: &str| format!("CREATE TABLE t (a int, b int, c int, PRIMARY KEY ({key}");
        let lines = ["table t", "  a: int not null", "  b: int not null", "  c: int not null", "  key a b c"];
        let check_key = |key: &str, place: &str| {
            let mut expected = lines.to_vec();
            expected.push(place);
            check(&(table(key) + ";"), &expected);
        };
        check_key("(a, b) HASH, c ASC))", "place t: hash a b cluster c");
        check_key("a HASH, b ASC, c DESC))", "place t: hash a cluster b c desc");
        check_key("a HASH, b, c)) SPLIT INTO 16 TABLETS", "place t: hash a cluster b c shards 16");
        check_key("a, b, c) USING HASH WITH (bucket_count=8))", "place t: hash a b c shards 8");
        check_key("a, b, c) USING HASH)", "place t: hash a b c");
        check_key("a ASC, b, c)) SPLIT AT VALUES ((1), (2))", "place t: range a b c");
        check(
            "CREATE TABLE t (id uuid PRIMARY KEY USING HASH WITH (bucket_count = 4), x int);",
            &["table t", "  id: uuid not null", "  x: int", "  key id", "place t: hash id shards 4"],
        );
        check(
            "-- @target engine=yugabytedb\nCREATE TABLE t (id int, PRIMARY KEY (id ASC));",
            &["target engine=yugabytedb", "table t", "  id: int not null", "  key id", "place t: range id"],
        );
    }

    #[test]
    fn spanner_tables_are_read() {
        check(
            "CREATE TABLE Singers (SingerId INT64 NOT NULL, Name STRING(MAX), Tags ARRAY<STRING(20)>,
           At TIMESTAMP OPTIONS (allow_commit_timestamp=true)) PRIMARY KEY (SingerId);
         CREATE TABLE Albums (SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL,)
           PRIMARY KEY (SingerId, AlbumId DESC), INTERLEAVE IN PARENT Singers ON DELETE CASCADE;
         CREATE NULL_FILTERED INDEX ByName ON Singers (Name DESC) STORING (At);",
            &[
                "table Singers",
                "  SingerId: INT64 not null",
                "  Name: STRING(MAX)",
                "  Tags: ARRAY<STRING(20)>",
                "  At: TIMESTAMP",
                "  key SingerId",
                "place Singers: range SingerId",
                "table Albums",
                "  SingerId: INT64 not null",
                "  AlbumId: INT64 not null",
                "  key SingerId AlbumId",
                "  SingerId -> Singers SingerId",
                "place Albums: range SingerId cluster AlbumId",
                "index ByName on Singers: Name desc include At",
            ],
        );
    }

    #[test]
    fn indexes_are_read() {
        check(
        "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS by_email ON ONLY public.users USING btree (email text_ops, at DESC NULLS LAST)
           INCLUDE (name) WHERE (active);
         CREATE INDEX ON users ((lower(email)), id);
         CREATE INDEX by_tag ON users ((a, b) HASH, c);",
        &[
            "index by_email on users unique: email at desc include name",
            "index - on users: id",
            "index by_tag on users: a b c",
        ],
    );
    }

    #[test]
    fn alter_table_and_types_add_to_a_table() {
        check(
        "CREATE TYPE mood AS ENUM ('sad', 'ok');
         CREATE TABLE public.a (id int, b int, m mood);
         ALTER TABLE ONLY public.a ADD CONSTRAINT a_pkey PRIMARY KEY (id);
         ALTER TABLE a ADD UNIQUE (b), ADD CONSTRAINT fk FOREIGN KEY (b) REFERENCES c(id) ON DELETE CASCADE NOT VALID;
         ALTER TABLE a ALTER COLUMN id SET DEFAULT nextval('a_id_seq'::regclass);
         ALTER TABLE a ADD COLUMN d text NOT NULL;
         ALTER TABLE a OWNER TO me; ALTER TABLE elsewhere OWNER TO me;",
        &[
            "table a",
            "  id: int not null autoincrement",
            "  b: int",
            "  m: mood [\"sad\", \"ok\"]",
            "  d: text not null",
            "  key id",
            "  unique b",
            "  b -> c id",
        ],
    );
        let text = "ALTER TABLE b ADD PRIMARY KEY (id);";
        assert_eq!(findings(text)[0].0, UNPARSED_STATEMENT);
    }

    #[test]
    fn annotations_reach_their_column() {
        check(
        "/* @table rows=5\n   row_size=1KB */\n-- @table growth=1/s\nCREATE TABLE t (\n  -- @column distinct=1\n  -- @column skew=uniform
           a int, -- the first
           b int -- @column distinct=2
           , c int, d int, -- @column distinct=3
           e text DEFAULT 'x'
             CHECK (e <> '') /* @column distinct=4 */
         ); -- done",
        &[
            "table t rows=5 row_size=1KB growth=1/s",
            "  a: int distinct=1 skew=uniform",
            "  b: int distinct=2",
            "  c: int",
            "  d: int distinct=3",
            "  e: text distinct=4",
        ],
    );
    }

    #[test]
    fn everything_else_in_a_real_file_is_stepped_over() {
        check(
            "SET search_path = public; CREATE EXTENSION citus; COMMENT ON TABLE a IS 'x; y';
         GRANT ALL ON a TO b; SELECT 1; INSERT INTO a VALUES (1); BEGIN; COMMIT;
         CREATE FUNCTION f() RETURNS int AS $body$ BEGIN; SELECT ';'; END; $body$ LANGUAGE sql;
         CREATE PROCEDURE p() BEGIN IF a THEN SELECT 1; END IF; CASE x WHEN 1 THEN SELECT 2; END CASE; END;
         CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW EXECUTE FUNCTION f();
         /* a /* nested */ ; */
\\connect other'; DROP TABLE
COPY a (x) FROM stdin;
it's 1; CREATE
\\.
         CREATE TABLE a (id int);",
            &["table a", "  id: int"],
        );
    }

    #[test]
    fn suppressions_are_kept_in_order() {
        check(
            "-- shardwright: ignore[scatter-read, SW101] back office\n-- @pattern name=x rate=1/s\nSELECT 1 FROM t -- shardwright: ignore[a]\n;",
            &[
                "ignore scatter-read SW101: back office",
                "ignore a: ",
                "pattern name=x rate=1/s",
                "  SELECT 1 FROM t",
            ],
        );
    }

    #[test]
    fn a_batch_is_a_transaction() {
        check(
            "-- @pattern name=b rate=1/s\nBEGIN BATCH INSERT INTO a (x) VALUES (?); UPDATE b SET y = ? WHERE z = ?; APPLY BATCH;",
            &[
                "pattern transaction name=b rate=1/s",
                "  INSERT INTO a (x) VALUES (?)",
                "  UPDATE b SET y = ? WHERE z = ?",
            ],
        );
    }

    #[test]
    fn what_stands_in_the_wrong_place_is_a_finding() {
        let one = |text: &'static str, under: &str, message: &str| {
            let found = findings(text);
            assert_eq!(found.len(), 1, "{text} {found:?}");
            assert_eq!((found[0].1, found[0].2.as_str()), (under, message));
        };
        one("-- @table rows=5\nSELECT 1;", "table", "`@table` is not followed by CREATE TABLE");
        one("-- @table rows=5", "table", "`@table` is not followed by CREATE TABLE");
        one("-- @column distinct=5\nSELECT 1;", "column", "`@column` outside of a CREATE TABLE");
        one("-- @pattern name=x", "pattern", "`@pattern` without a statement below it");
        one(
            "-- @pattern name=x\nCREATE TABLE t (a int);",
            "pattern",
            "`@pattern` is not followed by a statement that reads or writes",
        );
        one("-- @times 3\nSELECT 1;", "times", "`@times` outside of a pattern");
        one("-- @param a same_as=b\nSELECT 1;", "param", "`@param` outside of a pattern");
        one(
            "-- @pattern name=x\nBEGIN; DELETE FROM t;",
            "pattern",
            "the transaction of this pattern has no COMMIT",
        );
        one("SELECT 1 -- @target engine=citus\n FROM t;", "target", "`@target` inside a statement");
        one(
            "CREATE TABLE t (a int,\n  PRIMARY KEY (a) -- @column distinct=5\n);",
            "column",
            "no column stands on the line of `@column`",
        );
    }

    #[test]
    fn definitions_that_are_not_readable_are_warnings_and_reading_goes_on() {
        let text = "CREATE TABLE a (id int PRIMARY KYE);\nCRAETE TABLE b (x int);\nCREATE TABLE c AS SELECT 1;\nCREATE TABLE d (id int);";
        let found = findings(text);
        assert!(found.iter().all(|it| it.0 == UNPARSED_STATEMENT), "{found:?}");
        let places: Vec<&str> = found.iter().map(|it| it.1).collect();
        assert_eq!(places, ["PRIMARY", "CRAETE", "CREATE TABLE c AS SELECT 1"]);
        assert!(found[0].2.starts_with("this CREATE TABLE can't be read: expected "), "{}", found[0].2);
        let (items, _) = read(text);
        assert_eq!(items.iter().filter(|it| matches!(it, SqlItem::Table(_))).count(), 2);
    }

    #[test]
    fn a_file_cut_at_any_byte_never_panics() {
        let text = format!(
            "{SAMPLE}/* @table rows=1 */ CREATE TABLE `é` (a enum('ü', 'ก'), b map<text, int>, PRIMARY KEY ((a, b) HASH, c ASC) USING HASH WITH (bucket_count=8)) \
         WITH CLUSTERING ORDER BY (c DESC) PARTITION BY HASH (a) PARTITIONS 3; CREATE UNIQUE INDEX i ON t (a(3), (b)) INCLUDE (c); \
         ALTER TABLE é ADD CONSTRAINT x FOREIGN KEY (a) REFERENCES b(c); SELECT create_distributed_table($$a.b$$, E'x\\'');\n-- shardwright: ignore[ü"
        );
        for (cut, _) in text.char_indices() {
            for part in [&text[..cut], &text[cut..]] {
                let (items, findings) = read(part);
                let spans = findings.iter().map(|it| it.span);
                assert!(
                    spans.clone().all(|it| part.get(it.start as usize..it.end as usize).is_some()),
                    "{part}"
                );
                for item in items {
                    if let SqlItem::Pattern(it) = item {
                        assert!(it.statements.iter().all(|it| under(part, it.span) == it.text));
                    }
                }
            }
        }
    }

    #[test]
    fn hostile_files_end_in_an_answer() {
        for n in [50, 20_000] {
            for text in [
                format!("CREATE TABLE t (a int DEFAULT {}1{});", "(".repeat(n), ")".repeat(n)),
                format!("CREATE TABLE t ({}", "(".repeat(n)),
                format!("CREATE TABLE t (a {}int{});", "array<".repeat(n), ">".repeat(n)),
                format!("CREATE TABLE t (a int PRIMARY {});", "KYE ".repeat(n)),
                format!("CREATE TABLE t (a int {});", "CHECK ((((x) IN ".repeat(n)),
                format!("-- @table x={}\nCREATE TABLE t (a int);", "(".repeat(n)),
                "CREATE TABLE t (a int);\n-- @pattern name=x\n".repeat(n.min(2000)),
                "/* ".repeat(n),
                "'".repeat(n),
                "$a$ $b$ ".repeat(n),
                "EXPLAIN ".repeat(n),
                "BEGIN ".repeat(n),
                "WHILE 1 DO ".repeat(n),
                "CREATE ".repeat(n),
            ] {
                let _ = read(&text);
            }
        }
    }
}
