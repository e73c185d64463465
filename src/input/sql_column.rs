//! Columns and constraints of CREATE TABLE, as any product writes them.

use crate::input::sql_cursor::{Cursor, unquoted};
use crate::input::sql_items::{SqlColumn, SqlReference};
use crate::input::sql_key::{KeyName, KeySpec, key_spec, plain_names, using_hash};
use crate::input::sql_lex::{LexKind, is_one_of};
use crate::source::{Span, Spanned};

/// What a definition inside CREATE TABLE says.
#[derive(Debug, Default)]
pub(super) struct Definition {
    /// A column.
    pub(super) column: Option<SqlColumn>,
    /// A primary key.
    pub(super) key: Option<(KeySpec, Span)>,
    /// UNIQUE.
    pub(super) unique: Option<(Vec<Spanned<String>>, Span)>,
    /// REFERENCES or FOREIGN KEY.
    pub(super) references: Vec<SqlReference>,
    /// A CHECK that lists the values of a column.
    pub(super) values: Option<(String, Vec<String>)>,
    /// SHARD KEY, with its columns.
    pub(super) shard_key: Option<Vec<Spanned<String>>>,
    /// Something in it was not understood.
    pub(super) doubtful: bool,
}

/// Words that start something else than a column.
const NOT_COLUMNS: &str = "\
    check constraint exclude family foreign fulltext index key like period primary shard spatial sort \
    unique vector";

/// Reads one element of the list in CREATE TABLE.
pub(super) fn definition(element: Cursor<'_>) -> Definition {
    let mut it = element;
    let word = it.word();
    let second = it.word_at(1);
    // `key text` is a column, `KEY (a)` and `KEY name (a)` are indexes.
    let is_constraint = is_one_of(NOT_COLUMNS, &word)
        && match word.as_str() {
            "key" | "index" | "like" | "family" | "check" => opens_list(element),
            "shard" | "sort" | "primary" | "foreign" => second == "key",
            "period" => second == "for",
            "vector" => second == "index",
            _ => true,
        };
    if is_constraint { constraint(element) } else { column(&mut it) }
}

/// Whether a parenthesis follows within three pieces, as in `KEY name (a)`; or
/// the words are those of `LIKE other`.
fn opens_list(element: Cursor<'_>) -> bool {
    let mut it = element;
    if it.eat("like") {
        return it.name().is_some()
            && (it.is_done() || it.at_mark(".") || matches!(it.word().as_str(), "including" | "excluding"));
    }
    it.take();
    it.at_mark("(")
        || (it.name().is_some()
            && (it.at_mark("(") && !is_type(element.word_at(1).as_str()) || it.eat("using")))
}

fn is_type(word: &str) -> bool {
    matches!(
        word,
        "varchar"
            | "char"
            | "character"
            | "decimal"
            | "numeric"
            | "string"
            | "bytes"
            | "varbinary"
            | "nvarchar"
    )
}

/// A table constraint, or what follows ADD in ALTER TABLE.
pub(super) fn constraint(element: Cursor<'_>) -> Definition {
    let mut it = element;
    let mut found = Definition::default();
    if it.eat("constraint") && !matches!(it.word().as_str(), "primary" | "unique" | "foreign" | "check") {
        it.name();
    }
    let start = it;
    if it.eat("primary key") {
        while matches!(it.word().as_str(), "clustered" | "nonclustered") {
            it.take();
        }
        match it.group() {
            Some(group) => found.key = Some((key_spec(group, &mut it), start.span_until(&it))),
            None => found.doubtful = true,
        }
    } else if it.eat("unique") {
        skip_to_list(&mut it);
        match it.group() {
            Some(group) => found.unique = Some((plain_names(group), start.span_until(&it))),
            None => found.doubtful = !start.rest().iter().any(|it| it.is(start.text, "index")),
        }
    } else if it.eat("foreign key") {
        skip_to_list(&mut it);
        let columns = it.group().map(plain_names);
        match columns.zip(it.eat("references").then(|| reference(&mut it)).flatten()) {
            Some((columns, (parent, parent_columns))) => {
                let span = start.span_until(&it);
                found.references.push(SqlReference { columns, parent, parent_columns, span });
            }
            None => found.doubtful = true,
        }
    } else if it.eat("check") {
        found.values = it.group().and_then(listed_values);
    } else if it.eat("shard key") {
        skip_to_list(&mut it);
        found.shard_key = it.group().map(plain_names);
    }
    found
}

/// Skips `INDEX`, `KEY`, a name and `NULLS NOT DISTINCT` before a list of columns.
fn skip_to_list(it: &mut Cursor<'_>) {
    for _ in 0..6 {
        if it.at_mark("(") || it.is_done() {
            break;
        }
        it.take();
    }
}

/// `parent (a, b)` behind REFERENCES.
fn reference(it: &mut Cursor<'_>) -> Option<(Spanned<String>, Vec<Spanned<String>>)> {
    let parent = it.qualified_name()?;
    let columns = it.group().map(plain_names).unwrap_or_default();
    Some((parent, columns))
}

/// A column: name, type, options.
fn column(it: &mut Cursor<'_>) -> Definition {
    let mut found = Definition::default();
    let Some(name) = it.name() else { return Definition { doubtful: true, ..found } };
    let ty = column_type(it);
    let generated = serial(&ty);
    let values = enum_values(&ty);
    let mut column =
        SqlColumn { name, ty, not_null: generated.is_some(), generated, values, annotation: None };
    options(it, &mut column, &mut found);
    if column.ty.is_empty() && found.key.is_none() && column.generated.is_none() {
        found.doubtful |= !it.is_done();
    }
    found.column = Some(column);
    found
}

fn serial(ty: &str) -> Option<&'static str> {
    let lower = ty.to_ascii_lowercase();
    let serials = ["serial", "bigserial", "smallserial", "serial2", "serial4", "serial8"];
    serials.contains(&lower.as_str()).then_some("autoincrement")
}

/// The values of `enum('a', 'b')`.
pub(super) fn enum_values(ty: &str) -> Vec<String> {
    let starts = ty.get(..4).is_some_and(|it| it.eq_ignore_ascii_case("enum"));
    let list = ty.split_once('(').and_then(|(_, it)| it.rsplit_once(')')).map(|(it, _)| it);
    match list.filter(|_| starts) {
        Some(list) => {
            let pieces = crate::input::sql_lex::lex(list, crate::input::sql_lex::Quoting::Standard);
            let texts = pieces.iter().filter(|it| it.kind == LexKind::Text);
            texts.map(|it| unquoted(it.text(list))).collect()
        }
        None => Vec::new(),
    }
}

/// Words that a type can have behind its first one.
const TYPE_WORDS: &str = "\
    array byte day hour large local minute month object precision second signed time to unsigned varying \
    with without year zerofill zone";

/// Takes a type; its text as written.
fn column_type(it: &mut Cursor<'_>) -> String {
    let before = *it;
    let first = it.word();
    let is_option = is_one_of(OPTIONS, &first) && (first != "character" || it.word_at(1) == "set");
    if is_option || it.name().is_none() {
        return String::new();
    }
    if matches!(first.as_str(), "national" | "character" | "long")
        && matches!(it.word().as_str(), "char" | "character" | "varchar" | "raw")
    {
        it.take();
    }
    loop {
        if it.at_mark(".") {
            it.take();
            it.name();
        } else if it.at_mark("(") {
            if it.group().is_none() {
                break;
            }
        } else if it.at_mark("<") {
            skip_angles(it);
        } else if it.at_mark("[") {
            while !it.is_done() && !it.eat_mark("]") {
                it.take();
            }
        } else if is_one_of(TYPE_WORDS, &it.word())
            && !(it.word() == "with" && it.word_at(1) != "time" && it.word_at(1) != "local")
        {
            it.take();
        } else {
            break;
        }
    }
    let taken = before.rest().len() - it.rest().len();
    let range = Cursor::new(before.text, crate::source::FileId(0), &before.rest()[..taken]).range();
    before.text[range].to_owned()
}

fn skip_angles(it: &mut Cursor<'_>) {
    let mut depth = 0;
    while !it.is_done() {
        if it.at_mark("<") {
            depth += 1;
        } else if it.at_mark(">") {
            depth -= 1;
        }
        it.take();
        if depth == 0 {
            break;
        }
    }
}

/// Words that start an option of a column.
const OPTIONS: &str = "\
    as auto_increment auto_random autoincrement character charset check clustered codec collate comment \
    compression constraint create default deferrable distkey encode enforced family format generated \
    hidden identity initially interleave invisible key nonclustered not null on options primary \
    references rowguidcol sortkey sparse static storage unique using virtual visible";

/// Options of a column that say nothing of interest.
const STEPPED_OVER: &str = "\
    as asc character charset clustered codec collate comment compression create deferrable desc distkey \
    encode enforced family format hidden if initially interleave invisible match no nonclustered null on \
    options persisted rowguidcol sortkey sparse static storage stored using valid virtual visible with";

/// Reads the options of a column.
fn options(it: &mut Cursor<'_>, column: &mut SqlColumn, found: &mut Definition) {
    while !it.is_done() {
        let start = *it;
        if it.eat("constraint") {
            it.name();
        } else if it.eat("not null") {
            column.not_null = true;
        } else if it.eat("primary key") || it.eat("key") {
            let hash = it.eat("hash");
            let desc = it.eat("desc");
            let _ = it.eat("asc") || it.eat("clustered") || it.eat("nonclustered");
            let span = start.span_until(it);
            column.not_null = true;
            let name = column.name.clone();
            let mut spec = KeySpec { using_hash: using_hash(it), ..KeySpec::default() };
            if hash {
                spec.partition.push(name);
            } else {
                spec.rest.push(KeyName { name, desc: desc.then_some(true) });
            }
            found.key = Some((spec, span));
        } else if it.eat("unique") {
            let _ = it.eat("key");
            found.unique = Some((vec![column.name.clone()], start.span_until(it)));
        } else if it.eat("references") {
            match reference(it) {
                Some((parent, parent_columns)) => {
                    let span = start.span_until(it);
                    let columns = vec![column.name.clone()];
                    found.references.push(SqlReference { columns, parent, parent_columns, span });
                    skip_reference_options(it);
                }
                None => found.doubtful = true,
            }
        } else if it.eat("check") {
            let values = it.group().and_then(listed_values);
            if let Some((_, values)) =
                values.filter(|(name, _)| name.eq_ignore_ascii_case(&column.name.value))
            {
                column.values = values;
            }
        } else if it.eat("default") {
            let from = *it;
            skip_expression(it);
            column.generated = column.generated.or_else(|| generator(from));
        } else if it.eat("generated") || it.eat("identity") {
            identity(start, it, column);
        } else if it.eat("auto_increment") || it.eat("autoincrement") {
            column.generated = Some("autoincrement");
        } else if it.eat("auto_random") {
            it.group();
            column.generated = Some("uuid4");
        } else if it.eat("not") {
            found.doubtful |=
                !(it.eat("deferrable") || it.eat("enforced") || it.eat("visible") || it.eat("valid"));
        } else if is_one_of(STEPPED_OVER, &it.word()) {
            it.take();
            skip_expression(it);
        } else {
            found.doubtful = true;
            it.take();
        }
    }
}

/// GENERATED … AS IDENTITY and IDENTITY(1, 1); GENERATED … AS (…) is no identity.
fn identity(start: Cursor<'_>, it: &mut Cursor<'_>, column: &mut SqlColumn) {
    let _ = it.eat("always") || it.eat("by default");
    let is_identity = start.word() == "identity" || it.eat("as identity");
    if is_identity {
        column.generated = Some("autoincrement");
        column.not_null = true;
        it.group();
    } else {
        let _ = it.eat("as");
        skip_expression(it);
    }
}

fn skip_reference_options(it: &mut Cursor<'_>) {
    loop {
        let taken = it.eat("on delete") || it.eat("on update");
        if taken {
            let _ = it.eat("no action") || it.eat("set null") || it.eat("set default") || it.take().is_some();
            it.group();
        } else if it.eat("match") {
            it.take();
        } else if !(it.eat("not deferrable")
            || it.eat("deferrable")
            || it.eat("initially deferred")
            || it.eat("initially immediate")
            || it.eat("not enforced")
            || it.eat("not valid"))
        {
            break;
        }
    }
}

/// Skips an expression: up to a word that starts the next option.
fn skip_expression(it: &mut Cursor<'_>) {
    let mut first = true;
    while !it.is_done() {
        if !first && is_one_of(OPTIONS, &it.word()) {
            break;
        }
        if it.group().is_none() {
            it.take();
        }
        first = false;
    }
}

/// How a DEFAULT makes values, if it makes a new one for each row.
fn generator(expression: Cursor<'_>) -> Option<&'static str> {
    let mut it = expression;
    while let Some(inside) = it.group() {
        it = inside;
    }
    let name = it.qualified_name()?.value.to_ascii_lowercase();
    Some(match name.as_str() {
        "gen_random_uuid" | "uuid_generate_v4" | "uuid" | "newid" | "generate_uuid" | "random_uuid"
        | "uuidv4" => "uuid4",
        "uuidv7" | "uuid_generate_v7" | "uuid7" | "gen_uuid_v7" | "newsequentialid" | "uuid_v7" => "uuid7",
        "ulid" | "gen_ulid" | "generate_ulid" => "ulid",
        "nextval" => "autoincrement",
        "unique_rowid" => "snowflake",
        _ => return None,
    })
}

/// `c IN ('a', 'b')` and `c = ANY (ARRAY['a', 'b'])`: the column and its values.
fn listed_values(condition: Cursor<'_>) -> Option<(String, Vec<String>)> {
    let mut it = condition;
    while let Some(inside) = it.group() {
        if !it.is_done() && inside.rest().len() == 1 {
            // `((c) IN …)`: the column stands in parentheses of its own.
            let name = Cursor::qualified_name(&mut { inside })?;
            return values_of(it).map(|values| (name.value, values));
        }
        it = inside;
    }
    let name = it.qualified_name()?;
    values_of(it).map(|values| (name.value, values))
}

fn values_of(mut it: Cursor<'_>) -> Option<Vec<String>> {
    while it.eat_mark("::") {
        it.qualified_name();
    }
    let is_list = it.eat("in") || (it.eat_mark("=") && it.eat("any"));
    let list = it.group().filter(|_| is_list && it.is_done())?;
    let pieces = list.rest().iter();
    let values: Vec<String> = pieces
        .filter(|it| matches!(it.kind, LexKind::Text | LexKind::Number))
        .map(|it| unquoted(it.text(list.text)))
        .collect();
    (!values.is_empty()).then_some(values)
}
