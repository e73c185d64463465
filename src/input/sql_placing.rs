//! Statements and clauses by which an engine places a table: Citus functions,
//! PARTITION BY, hashed primary keys, CQL partition keys, interleaving.

use crate::input::sql_cursor::{Cursor, unquoted};
use crate::input::sql_items::{SqlPlacing, SqlPlacingKind, SqlTable};
use crate::input::sql_key::{Buckets, KeyName, KeySpec, key_names};
use crate::input::sql_lex::LexKind;
use crate::source::{Span, Spanned};

/// What is known of the file beside one statement.
#[derive(Clone, Copy, Default)]
pub(super) struct Flavour<'f> {
    /// The engine that the file names.
    pub(super) engine: &'f str,
    /// The file, or the statement, uses words that only CQL has.
    pub(super) cql: bool,
}

/// Whether a text uses words that only CQL has.
pub(super) fn looks_like_cql(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let words = ["clustering order by", "frozen<", "timeuuid", "with compaction", "and compaction"];
    words.iter().any(|it| lower.contains(it))
}

/// Whether a text uses words that CQL does not have.
pub(super) fn is_not_cql(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["not null", "references ", "foreign key", "varchar("].iter().any(|it| lower.contains(it))
}

impl Flavour<'_> {
    fn is(&self, names: &[&str]) -> bool {
        let engine = self.engine.to_ascii_lowercase();
        names.iter().any(|it| engine.contains(it))
    }

    fn is_cql(&self) -> bool {
        self.cql || self.is(&["cassandra", "scylla", "astra", "keyspaces", "ycql"])
    }
}

/// What a CREATE TABLE says of placement.
pub(super) fn placings(
    table: &SqlTable,
    key: Option<&KeySpec>,
    shard_key: Option<Vec<Spanned<String>>>,
    tail: Cursor<'_>,
    kinds: &[String],
    flavour: &Flavour<'_>,
) -> Vec<SqlPlacing> {
    let span = table.name.span;
    let placing = |kind, span| vec![SqlPlacing { table: table.name.clone(), kind, span }];
    if kinds.iter().any(|it| it == "reference" || it == "duplicated") {
        return placing(SqlPlacingKind::Replicated, span);
    }
    // With Citus, PARTITION BY only cuts a table up inside a shard.
    let citus = flavour.is(&["citus", "cosmosdb_for_postgresql"]);
    if let Some((kind, span)) = partitioned(table, tail).filter(|_| !citus) {
        return placing(kind, span);
    }
    if let Some(columns) = shard_key {
        let span = columns.first().map_or(span, |it| it.span);
        let kind = SqlPlacingKind::Key { columns, strategy: Some("hash"), cluster: Vec::new(), shards: None };
        return placing(kind, span);
    }
    match key.and_then(|it| keyed(it, tail, flavour)) {
        Some(kind) => placing(kind, table.primary_key.as_ref().map_or(span, |(_, it)| *it)),
        None => Vec::new(),
    }
}

/// A primary key that says how rows are placed.
fn keyed(key: &KeySpec, tail: Cursor<'_>, flavour: &Flavour<'_>) -> Option<SqlPlacingKind> {
    let tablets = tablets(tail);
    let orders = clustering_order(tail);
    let order_of = |it: &KeyName| {
        let given = orders.iter().find(|(name, _)| name.value.eq_ignore_ascii_case(&it.name.value));
        (it.name.clone(), it.desc.or(given.map(|(_, desc)| *desc)).unwrap_or(false))
    };
    let cluster = |rest: &[KeyName]| rest.iter().map(order_of).collect();
    let hash = |columns, cluster, shards| {
        Some(SqlPlacingKind::Key { columns, strategy: Some("hash"), cluster, shards })
    };
    if !key.partition.is_empty() {
        return hash(key.partition.clone(), cluster(&key.rest), tablets);
    }
    if let Some(Buckets(buckets)) = key.using_hash {
        return hash(key.columns(), Vec::new(), buckets);
    }
    let (first, rest) = key.rest.split_first()?;
    let ordered = first.desc.is_some();
    if flavour.is_cql() || !orders.is_empty() || (tablets.is_some() && !ordered) {
        return hash(vec![first.name.clone()], cluster(rest), tablets);
    }
    if (ordered && flavour.is(&["yugabyte"])) || { tail }.find("split at") || spanner_key(tail) {
        let columns = key.columns();
        return Some(SqlPlacingKind::Key {
            columns,
            strategy: Some("range"),
            cluster: Vec::new(),
            shards: None,
        });
    }
    None
}

/// Whether the primary key stands behind the list, as Spanner writes it.
fn spanner_key(mut tail: Cursor<'_>) -> bool {
    tail.find("primary key") && tail.group().is_some_and(|it| !it.is_done())
}

/// `SPLIT INTO n TABLETS`
fn tablets(mut tail: Cursor<'_>) -> Option<u32> {
    tail.find("split into").then(|| tail.number()).flatten()
}

/// `CLUSTERING ORDER BY (c DESC)`
fn clustering_order(mut tail: Cursor<'_>) -> Vec<(Spanned<String>, bool)> {
    let list = tail.find("clustering order by").then(|| tail.group()).flatten();
    let names = list.map(key_names).unwrap_or_default();
    names.into_iter().map(|it| (it.name, it.desc == Some(true))).collect()
}

/// `PARTITION BY HASH (c) PARTITIONS 8` and `DISTRIBUTED BY (c)`.
fn partitioned(table: &SqlTable, tail: Cursor<'_>) -> Option<(SqlPlacingKind, Span)> {
    let key = |columns: Vec<_>, strategy, shards| {
        let any = !columns.is_empty();
        any.then_some(SqlPlacingKind::Key { columns, strategy: Some(strategy), cluster: Vec::new(), shards })
    };
    let mut it = tail;
    if it.find("distributed by") || it.find("distribute by") {
        let start = it;
        let _ = it.eat("hash");
        let columns = columns_in(table, it.group()?);
        return Some((key(columns, "hash", None)?, start.span_until(&it)));
    }
    if !it.find("partition by") {
        return None;
    }
    let start = it;
    let _ = it.eat("linear") || it.eat("consistent");
    let strategy = match it.word().as_str() {
        "hash" | "key" => "hash",
        "range" => "range",
        "list" => "list",
        _ => return None,
    };
    it.take();
    let _ = it.eat("columns");
    if it.eat("algorithm") {
        // ALGORITHM = 2
        it.take();
        it.take();
    }
    let group = it.group()?;
    // `KEY ()` means the primary key.
    let columns = match &table.primary_key {
        Some((key, _)) if group.is_done() => key.clone(),
        _ => columns_in(table, group),
    };
    let span = start.span_until(&it);
    let shards = it.eat("partitions").then(|| it.number()).flatten();
    Some((key(columns, strategy, shards)?, span))
}

/// Columns of a list; of an expression, the columns of the table that it names.
fn columns_in(table: &SqlTable, list: Cursor<'_>) -> Vec<Spanned<String>> {
    let mut columns = Vec::new();
    for element in list.elements() {
        let plain = key_names(element)
            .into_iter()
            .next()
            .filter(|_| !element.rest().iter().any(|it| it.is_mark(element.text, "(")));
        if let Some(it) = plain {
            columns.push(it.name);
            continue;
        }
        let names = element.rest().iter().filter(|it| matches!(it.kind, LexKind::Word | LexKind::Quoted));
        columns.extend(names.filter_map(|it| {
            let name = unquoted(it.text(element.text));
            let known = table.columns.iter().any(|it| it.name.value.eq_ignore_ascii_case(&name));
            known.then(|| Spanned { value: name, span: element.span(it.range.clone()) })
        }));
    }
    columns
}

/// `INTERLEAVE IN PARENT p` of Spanner's list tail.
pub(super) fn parent(mut tail: Cursor<'_>) -> Option<Spanned<String>> {
    tail.find("interleave in parent").then(|| tail.qualified_name()).flatten()
}

/// The calls of a statement by which Citus places tables.
pub(super) fn citus_calls(statement: Cursor<'_>) -> Vec<SqlPlacing> {
    let mut it = statement;
    let mut found = Vec::new();
    while let Some(piece) = it.peek() {
        let function = if piece.kind == LexKind::Word { it.word() } else { String::new() };
        let start = it;
        it.take();
        let known = matches!(
            function.as_str(),
            "create_distributed_table"
                | "create_distributed_table_concurrently"
                | "create_reference_table"
                | "citus_add_local_table_to_metadata"
        );
        if known && let Some(arguments) = it.group() {
            found.extend(citus_call(&function, arguments, start.span_until(&it)));
        }
    }
    found
}

fn citus_call(function: &str, arguments: Cursor<'_>, span: Span) -> Option<SqlPlacing> {
    let mut places = Vec::new();
    let mut shards = None;
    let mut kind: Option<String> = None;
    let (mut table, mut column) = (None, None);
    for mut argument in arguments.elements() {
        match argument_name(&mut argument).as_deref() {
            None => places.push(argument),
            Some("shard_count") => shards = argument.number(),
            Some("table_name" | "relation") => table = text(argument),
            Some("distribution_column") => column = text(argument),
            Some("distribution_type") => kind = text(argument).map(|it| it.value),
            Some(_) => {}
        }
    }
    let mut places = places.into_iter();
    let table = table.or_else(|| places.next().and_then(text))?;
    let table = last_part(&table);
    let kind = match function {
        "create_reference_table" => SqlPlacingKind::Replicated,
        "citus_add_local_table_to_metadata" => SqlPlacingKind::Unsharded,
        _ => {
            let column = column.or_else(|| places.next().and_then(text));
            let kind = kind.or_else(|| places.next().and_then(text).map(|it| it.value));
            match column {
                Some(column) => SqlPlacingKind::Key {
                    columns: vec![Spanned { value: unquoted(&column.value), span: column.span }],
                    strategy: Some(if kind.as_deref() == Some("range") { "range" } else { "hash" }),
                    cluster: Vec::new(),
                    shards,
                },
                // A distribution column of NULL: one shard.
                None => SqlPlacingKind::Unsharded,
            }
        }
    };
    Some(SqlPlacing { table, kind, span })
}

/// Takes `name =>` or `name :=`.
fn argument_name(it: &mut Cursor<'_>) -> Option<String> {
    let mut ahead = *it;
    let name = ahead.name()?;
    let arrow = ahead.eat_mark(":=") || (ahead.eat_mark("=") && ahead.eat_mark(">"));
    arrow.then(|| *it = ahead)?;
    Some(name.value.to_ascii_lowercase())
}

/// A text argument, without quotes and casts; the span is that of its inside.
fn text(argument: Cursor<'_>) -> Option<Spanned<String>> {
    let piece = argument.peek().filter(|it| it.kind == LexKind::Text)?;
    let written = piece.text(argument.text);
    let value = unquoted(written);
    let start = piece.range.start + written.find(value.as_str()).unwrap_or(0);
    let end = (start + value.len()).min(piece.range.end);
    Some(Spanned { value, span: argument.span(start..end) })
}

/// The table of `schema.table`.
fn last_part(name: &Spanned<String>) -> Spanned<String> {
    let last = name.value.rsplit('.').next().unwrap_or(&name.value);
    let mut span = name.span;
    if name.value.len() == (span.end - span.start) as usize {
        span.start = span.end - last.len() as u32;
    }
    Spanned { value: unquoted(last), span }
}

/// `ALTER TABLE t PARTITION BY HASH (c) PARTITIONS 8`
pub(super) fn altered(table: &SqlTable, actions: Cursor<'_>) -> Option<SqlPlacing> {
    let (kind, span) = partitioned(table, actions)?;
    Some(SqlPlacing { table: table.name.clone(), kind, span })
}
