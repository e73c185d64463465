//! CREATE TABLE, ALTER TABLE and CREATE INDEX of `PostgreSQL`, `MySQL` and the
//! products that extend their DDL. Every product has clauses of its own, so the
//! reader takes what it knows and steps over the rest.

use crate::input::sql_column::{Definition, constraint, definition};
use crate::input::sql_cursor::Cursor;
use crate::input::sql_items::{SqlColumn, SqlIndex, SqlPlacing, SqlReference, SqlTable};
use crate::input::sql_key::{KeySpec, key_names, key_spec, plain_names};
use crate::input::sql_lex::{LexKind, is_one_of};
use crate::input::sql_placing::{Flavour, placings};
use crate::source::{Span, Spanned};

/// A table with where its definitions stand.
#[derive(Debug)]
pub(super) struct ReadTable {
    /// The table.
    pub(super) table: SqlTable,
    /// Bytes of each column's definition.
    pub(super) columns_at: Vec<std::ops::Range<usize>>,
    /// What its DDL says of placement.
    pub(super) placings: Vec<SqlPlacing>,
    /// Something was not understood.
    pub(super) doubtful: bool,
}

/// What a CREATE TABLE turned out to be.
#[derive(Debug)]
pub(super) enum Created {
    /// A table.
    Table(Box<ReadTable>),
    /// A partition of another table: no table of its own.
    Partition,
    /// A table whose columns are not written.
    Opaque(&'static str),
    /// Not readable.
    Unread,
}

/// Words between CREATE and TABLE.
const KINDS: &str = "\
    column duplicated external foreign global immutable local or reference replace rowstore sharded temp \
    temporary unlogged";

/// Takes `CREATE … TABLE` if it is next; the words between.
pub(super) fn create_table(it: &mut Cursor<'_>) -> Option<Vec<String>> {
    take_create(it, KINDS, "table")
}

/// Takes `CREATE … INDEX` if it is next; the words between.
pub(super) fn create_index(it: &mut Cursor<'_>) -> Option<Vec<String>> {
    take_create(it, "unique custom clustered nonclustered inverted null_filtered search vector", "index")
}

fn take_create(it: &mut Cursor<'_>, between: &str, what: &str) -> Option<Vec<String>> {
    let mut ahead = *it;
    let mut words = Vec::new();
    if !ahead.eat("create") {
        return None;
    }
    while is_one_of(between, &ahead.word()) {
        words.push(ahead.word());
        ahead.take();
    }
    ahead.eat(what).then(|| *it = ahead)?;
    Some(words)
}

/// Reads a CREATE TABLE behind its first words.
pub(super) fn read_table(mut it: Cursor<'_>, kinds: &[String], flavour: &Flavour<'_>) -> Created {
    let whole = it;
    let _ = it.eat("if not exists");
    let Some(name) = it.qualified_name() else { return Created::Unread };
    if it.eat("partition of") {
        return Created::Partition;
    }
    if it.word() == "like" || it.word() == "as" {
        return Created::Opaque("it has the columns of another table");
    }
    let Some(body) = it.group() else {
        let other =
            whole.rest().iter().any(|piece| piece.is(whole.text, "as") || piece.is(whole.text, "like"));
        return if other { Created::Opaque("it has the columns of a query") } else { Created::Unread };
    };
    let mut read = ReadTable {
        table: SqlTable {
            name,
            annotation: None,
            columns: Vec::new(),
            primary_key: None,
            unique: Vec::new(),
            references: Vec::new(),
        },
        columns_at: Vec::new(),
        placings: Vec::new(),
        doubtful: false,
    };
    let mut key: Option<(KeySpec, Span)> = None;
    let mut shard_key = None;
    for element in body.elements() {
        if element.is_done() {
            // A comma at the end of the list.
            continue;
        }
        let mut found = definition(element);
        shard_key = shard_key.or(found.shard_key.take());
        key = key.or(found.key.take());
        read.doubtful |= found.doubtful;
        if let Some(column) = found.column.take() {
            read.table.columns.push(column);
            read.columns_at.push(element.range());
        }
        add(&mut read.table, found);
    }
    if read.table.columns.is_empty() {
        return Created::Opaque("it has no columns");
    }
    // Spanner writes the key behind the list.
    let mut tail = it;
    if key.is_none() && tail.find("primary key") {
        let start = it;
        if let Some(group) = tail.group() {
            let span = group.span(group.range());
            let span = if group.is_done() { start.whole_span() } else { span };
            key = Some((key_spec(group, &mut tail), span));
        }
    }
    if let Some((spec, span)) = &key {
        set_key(&mut read.table, spec.columns(), *span);
    }
    let spec = key.map(|(spec, _)| spec);
    read.placings = placings(&read.table, spec.as_ref(), shard_key, it, kinds, flavour);
    Created::Table(Box::new(read))
}

fn set_key(table: &mut SqlTable, columns: Vec<Spanned<String>>, span: Span) {
    for column in &mut table.columns {
        column.not_null |= columns.iter().any(|it| it.value.eq_ignore_ascii_case(&column.name.value));
    }
    table.primary_key = Some((columns, span));
}

/// Adds what a definition says beside its column and key.
fn add(table: &mut SqlTable, found: Definition) {
    table.unique.extend(found.unique);
    table.references.extend(found.references);
    if let Some((name, values)) = found.values
        && let Some(column) = column_named(table, &name)
    {
        column.values = values;
    }
}

fn column_named<'t>(table: &'t mut SqlTable, name: &str) -> Option<&'t mut SqlColumn> {
    table.columns.iter_mut().find(|it| it.name.value.eq_ignore_ascii_case(name))
}

/// Takes `ALTER TABLE name` if it is next; the name.
pub(super) fn alter_table(it: &mut Cursor<'_>) -> Option<Spanned<String>> {
    let mut ahead = *it;
    if !ahead.eat("alter table") {
        return None;
    }
    let _ = ahead.eat("if exists");
    let _ = ahead.eat("only");
    let name = ahead.qualified_name()?;
    *it = ahead;
    Some(name)
}

/// Applies the actions of an ALTER TABLE.
pub(super) fn alter(it: Cursor<'_>, table: &mut SqlTable) {
    for mut action in it.elements() {
        if action.eat("add column") {
            let _ = action.eat("if not exists");
            add_column(action, table);
        } else if action.eat("add") {
            let found = definition(action);
            if found.column.is_some() { add_column(action, table) } else { add_constraint(action, table) }
        } else if action.eat("alter column") || action.eat("alter") {
            let Some(name) = action.name() else { continue };
            let Some(column) = column_named(table, &name.value) else { continue };
            if action.eat("set not null") {
                column.not_null = true;
            } else if action.eat("add generated") || action.eat("set default nextval") {
                column.generated = Some("autoincrement");
            }
        }
    }
}

fn add_column(action: Cursor<'_>, table: &mut SqlTable) {
    let mut found = definition(action);
    if let Some((spec, span)) = found.key.take() {
        set_key(table, spec.columns(), span);
    }
    if let Some(column) = found.column.take() {
        table.columns.push(column);
    }
    add(table, found);
}

fn add_constraint(action: Cursor<'_>, table: &mut SqlTable) {
    let mut found = constraint(action);
    if let Some((spec, span)) = found.key.take() {
        set_key(table, spec.columns(), span);
    }
    add(table, found);
}

/// Reads a CREATE INDEX behind its first words.
pub(super) fn read_index(whole: Cursor<'_>, mut it: Cursor<'_>, kinds: &[String]) -> Option<SqlIndex> {
    let _ = it.eat("concurrently");
    let _ = it.eat("if not exists");
    let name = if it.word() == "on" { None } else { it.qualified_name() };
    if !it.eat("on") {
        return None;
    }
    let _ = it.eat("only");
    let table = it.qualified_name()?;
    if it.eat("using") {
        it.name();
    }
    let group = it.group()?;
    // YugabyteDB and CQL group the columns that are hashed: `((a, b) HASH, c)`.
    let mut columns = Vec::new();
    for mut element in group.elements() {
        match element.group() {
            Some(inner)
                if !inner.is_done()
                    && inner
                        .rest()
                        .iter()
                        .all(|it| it.kind != LexKind::Punct || it.is_mark(inner.text, ",")) =>
            {
                columns.extend(key_names(inner).into_iter().map(|it| (it.name, false)));
            }
            _ => columns.extend(key_names(element).into_iter().map(|it| (it.name, it.desc == Some(true)))),
        }
    }
    let mut tail = it;
    let include = (tail.find("include") || tail.find("storing") || tail.find("covering"))
        .then(|| tail.group())
        .flatten();
    Some(SqlIndex {
        name,
        table,
        columns,
        unique: kinds.iter().any(|it| it == "unique"),
        include: include.map(plain_names).unwrap_or_default(),
        span: whole.whole_span(),
    })
}

/// `INTERLEAVE IN PARENT p`: the child has the parent's key columns under their names.
pub(super) fn interleaved(table: &SqlTable, parent: &SqlTable, at: &Spanned<String>) -> Option<SqlReference> {
    let (columns, _) = parent.primary_key.as_ref()?;
    let own = columns.iter().map(|wanted| {
        table
            .columns
            .iter()
            .find(|it| it.name.value.eq_ignore_ascii_case(&wanted.value))
            .map(|it| it.name.clone())
    });
    Some(SqlReference {
        columns: own.collect::<Option<Vec<_>>>()?,
        parent: at.clone(),
        parent_columns: columns.clone(),
        span: at.span,
    })
}
