//! Items of an SQL file in the form that the YAML reader produces: fields of
//! annotations are read by the same code as the keys of a mapping.

use crate::diag::Finding;
use crate::input::decode::target_fields;
use crate::input::decode_patterns::{param, settings};
use crate::input::decode_tables::{
    add_unique, column_of, column_statistics, columns_of, set_primary_key, statistics,
};
use crate::input::fields::{Fields, NUMBER, TEXT, list, one_of, syntax};
use crate::input::raw::{
    RawBody, RawChoice, RawDesign, RawInclude, RawIndex, RawKey, RawKeyPart, RawPattern, RawPlan,
    RawReference, RawSql, RawStep, RawTable, RawTablePlan,
};
use crate::input::sql_items::{
    Annotation, Field, SqlColumn, SqlIndex, SqlItem, SqlPattern, SqlPlacing, SqlPlacingKind, SqlReference,
    SqlTable,
};
use crate::input::suppress;
use crate::input::tree::{self, Entry, Fidelity, Kind, Node, Scalar};
use crate::model::{Column, ColumnId, ColumnType, Generated, Include, Scope, Strategy};
use crate::source::{Span, Spanned};

/// Fields whose values are lists with commas between.
const LISTS: [&str; 4] = ["determines", "each", "keep_order", "values"];

/// Makes one design of a file's items; `text` is the file's.
pub(super) fn design(items: Vec<SqlItem>, text: &str, findings: &mut Vec<Finding>) -> RawDesign {
    let mut raw = RawDesign::default();
    for item in items {
        match item {
            SqlItem::Target(it) => {
                let other = RawDesign {
                    target: with_fields(&it, "`@target`", findings, target_of),
                    ..RawDesign::default()
                };
                raw.absorb(other, findings);
            }
            SqlItem::Table(it) => raw.tables.push(table(it, findings)),
            SqlItem::Index(it) => index(it, &mut raw, findings),
            SqlItem::Placing(it) => placing(it, &mut raw, findings),
            SqlItem::Pattern(it) => raw.patterns.extend(pattern(it, findings)),
            SqlItem::Ignore(it) => raw.lint.ignore.extend(suppress::in_sql(&it, text)),
        }
    }
    raw
}

fn target_of(fields: &mut Fields<'_>, findings: &mut Vec<Finding>) -> crate::model::TargetSpec {
    target_fields(fields, fields.span, findings)
}

/// Reads the fields of an annotation that has no bare words.
fn with_fields<T>(
    annotation: &Annotation,
    what: &'static str,
    findings: &mut Vec<Finding>,
    read: impl FnOnce(&mut Fields<'_>, &mut Vec<Finding>) -> T,
) -> T {
    for word in &annotation.bare {
        let message = format!("`{}` is not a field `key=value` of {what}", word.value);
        findings.push(syntax(word.span, message));
    }
    read_fields(annotation, what, findings, read)
}

fn read_fields<T>(
    annotation: &Annotation,
    what: &'static str,
    findings: &mut Vec<Finding>,
    read: impl FnOnce(&mut Fields<'_>, &mut Vec<Finding>) -> T,
) -> T {
    let entries = entries(annotation, findings);
    let mut fields = Fields::of_entries(&entries, what, annotation.word.span);
    let value = read(&mut fields, findings);
    fields.finish(findings);
    value
}

/// The fields as a mapping; `popularity.c=…` is a key inside `popularity`.
fn entries(annotation: &Annotation, findings: &mut Vec<Finding>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for field in &annotation.fields {
        let value = value_of(field, findings);
        let (key, value) = match field.key.value.split_once('.') {
            Some((outer, inner)) => {
                let inner = Entry { key: Spanned { value: inner.to_owned(), span: field.key.span }, value };
                (outer, Node { span: field.value.span, kind: Kind::Mapping(vec![inner]) })
            }
            None => (field.key.value.as_str(), value),
        };
        let first = entries.iter_mut().find(|it| it.key.value == key);
        match (first, value) {
            (None, value) => {
                entries.push(Entry { key: Spanned { value: key.to_owned(), span: field.key.span }, value });
            }
            (
                Some(Entry { value: Node { kind: Kind::Mapping(all), .. }, .. }),
                Node { kind: Kind::Mapping(more), .. },
            ) if !all.iter().any(|it| more.iter().any(|new| new.key.value == it.key.value)) => {
                all.extend(more);
            }
            (Some(first), _) => findings.push(
                syntax(field.key.span, format!("the field `{}` stands here twice", field.key.value))
                    .with_related(first.key.span, "the first one"),
            ),
        }
    }
    entries
}

fn value_of(field: &Field, findings: &mut Vec<Finding>) -> Node {
    let (text, span) = (&field.value.value, field.value.span);
    // A quoted value starts one byte behind its span's start.
    let quoted = span.end as usize - span.start as usize == text.len() + 2;
    let base = span.start as usize + usize::from(quoted);
    if text.starts_with(['{', '['])
        && let Some(root) = tree::read_at(text, span.file, base, findings).and_then(|it| it.root)
    {
        return root;
    }
    if !LISTS.contains(&field.key.value.as_str()) {
        return scalar(text, span);
    }
    let mut items = Vec::new();
    let mut at = base;
    for part in text.split(',') {
        let start = at + (part.len() - part.trim_start().len());
        let item = part.trim();
        items.push(scalar(item, Span::new(span.file, start, start + item.len())));
        at += part.len() + 1;
    }
    Node { span, kind: Kind::Sequence(items) }
}

fn scalar(text: &str, span: Span) -> Node {
    let scalar = Scalar { text: text.to_owned(), plain: false, content: span, fidelity: Fidelity::Exact };
    Node { span, kind: Kind::Scalar(scalar) }
}

fn table(item: SqlTable, findings: &mut Vec<Finding>) -> RawTable {
    let mut raw = RawTable::default();
    raw.table.name = item.name.value;
    raw.table.span = item.name.span;
    let mut determines = Vec::new();
    for it in item.columns {
        if let Some(first) = raw.table.columns.iter().find(|first| first.name == it.name.value) {
            let message = format!("a second column `{}`; the first one is read", it.name.value);
            findings.push(
                syntax(it.name.span, message)
                    .with_related(first.span, "the first one")
                    .on_table(&raw.table.name),
            );
            continue;
        }
        let (column, names) = column(it, findings);
        determines.push(names);
        raw.table.columns.push(column);
    }
    for (id, names) in determines.iter().enumerate() {
        raw.table.columns[id].determines = columns_of(&raw.table, names, findings);
    }
    let mut residency = None;
    if let Some(annotation) = &item.annotation {
        residency = with_fields(annotation, "`@table`", findings, |fields, findings| {
            statistics(&mut raw.table, fields, findings);
            raw.table.key_pattern =
                fields.spanned("key_pattern", &TEXT, findings).map(|it| (it.value, it.span));
            raw.table.describes = fields.value("describes", &TEXT, findings);
            fields.spanned("residency", &TEXT, findings)
        });
    }
    raw.table.residency = residency.and_then(|it| column_of(&raw.table, &it, findings));
    if let Some((key, span)) = item.primary_key {
        set_primary_key(&mut raw.table, &key, span, findings);
    }
    for (set, span) in item.unique {
        add_unique(&mut raw.table, &set, span, findings);
    }
    let references = item.references.into_iter().filter_map(|it| reference(it, &raw, findings)).collect();
    raw.references = references;
    raw
}

fn column(item: SqlColumn, findings: &mut Vec<Finding>) -> (Column, Vec<Spanned<String>>) {
    let generated = item.generated.and_then(|word| Generated::ALL.iter().find(|(name, _)| *name == word));
    let mut column = Column {
        name: item.name.value,
        span: item.name.span,
        ty: Some(ColumnType::parse(&item.ty)),
        not_null: item.not_null,
        generated: generated.map(|(_, kind)| *kind),
        values: item.values,
        ..Column::default()
    };
    let word = Spanned { value: "column".to_owned(), span: item.name.span };
    let annotation = item.annotation.unwrap_or(Annotation { word, bare: Vec::new(), fields: Vec::new() });
    let determines = with_fields(&annotation, "`@column`", findings, |fields, findings| {
        column_statistics(&mut column, fields, findings);
        fields.names("determines", findings).unwrap_or_default()
    });
    (column, determines)
}

fn reference(item: SqlReference, raw: &RawTable, findings: &mut Vec<Finding>) -> Option<RawReference> {
    let columns: Vec<ColumnId> =
        item.columns.iter().filter_map(|it| column_of(&raw.table, it, findings)).collect();
    (columns.len() == item.columns.len()).then_some(RawReference {
        columns,
        parent: item.parent,
        parent_columns: item.parent_columns,
        span: item.span,
        inline: false,
    })
}

/// An index of a schema lies beside the rows; a unique one is a constraint as well.
fn index(item: SqlIndex, raw: &mut RawDesign, findings: &mut Vec<Finding>) {
    let key: Vec<_> = item.columns.into_iter().map(|(name, _)| name).collect();
    if item.unique {
        let of = raw.tables.iter_mut().rev().find(|it| it.table.name.eq_ignore_ascii_case(&item.table.value));
        if let Some(table) = of {
            add_unique(&mut table.table, &key, item.span, findings);
        }
    }
    raw.loose_indexes.push(RawIndex {
        name: item.name.map(|it| it.value),
        table: item.table,
        key,
        sort: Vec::new(),
        scope: Scope::Local,
        strategy: None,
        salt: None,
        unique: item.unique,
        include: if item.include.is_empty() {
            RawInclude::Plain(Include::KeysOnly)
        } else {
            RawInclude::Columns(item.include)
        },
        only: Vec::new(),
        span: item.span,
    });
}

/// A later statement about the same table replaces an earlier one, as it does when the file runs.
fn placing(item: SqlPlacing, raw: &mut RawDesign, findings: &mut Vec<Finding>) {
    let plan = raw.plan.get_or_insert_with(RawPlan::default);
    if plan.plan.span == Span::default() {
        plan.plan.span = item.span;
    }
    let mut cluster = Vec::new();
    let choice = match item.kind {
        SqlPlacingKind::Replicated => RawChoice::Replicated,
        SqlPlacingKind::Unsharded => RawChoice::Unsharded,
        SqlPlacingKind::Key { columns, strategy, cluster: order, shards } => {
            cluster = order;
            plan.plan.shards = plan.plan.shards.or(shards);
            let strategy = strategy.and_then(|word| {
                let word = Spanned { value: word.to_owned(), span: item.span };
                one_of("strategy", &word, Strategy::ALL, findings)
            });
            let parts = columns.into_iter().map(RawKeyPart::Column).collect();
            RawChoice::Sharded(RawKey { parts, strategy, ..RawKey::default() })
        }
    };
    plan.tables.retain(|it| !it.table.value.eq_ignore_ascii_case(&item.table.value));
    let key_span = item.span;
    plan.tables.push(RawTablePlan {
        table: item.table,
        choice,
        cluster,
        splits: Vec::new(),
        dedicated: Vec::new(),
        span: item.span,
        key_span,
        from_statement: true,
    });
}

fn pattern(item: SqlPattern, findings: &mut Vec<Finding>) -> Option<RawPattern> {
    let mut raw = RawPattern::default();
    with_fields(&item.annotation, "`@pattern`", findings, |fields, findings| {
        settings(&mut raw, fields, findings);
        fields.missing(
            "name",
            "every pattern has a name of its own: `name=\"orders of a customer\"`",
            findings,
        );
    });
    if raw.pattern.name.is_empty() {
        return None;
    }
    let mut steps = Vec::new();
    for statement in item.statements {
        let (times, each) = match &statement.times {
            Some(it) => times(it, findings),
            None => (1, Vec::new()),
        };
        let sql = RawSql { text: statement.text, span: statement.span, exact: true };
        steps.push(RawStep { times, each, statements: vec![sql] });
    }
    if steps.is_empty() {
        let help = "put the statement below its annotation";
        findings.push(syntax(item.annotation.word.span, "a pattern needs a statement").with_help(help));
    }
    raw.body = RawBody::Steps(steps);
    for annotation in &item.params {
        let Some(name) = annotation.bare.first() else {
            let help = "write `@param supply same_as=home share=99%`";
            findings.push(syntax(annotation.word.span, "`@param` names no parameter").with_help(help));
            continue;
        };
        let relation = read_fields(annotation, "`@param`", findings, |fields, findings| {
            param(name.clone(), fields, findings)
        });
        raw.params.push(relation);
    }
    Some(raw)
}

/// `@times 3 each=n,sku,q`
fn times(annotation: &Annotation, findings: &mut Vec<Finding>) -> (u32, Vec<Spanned<String>>) {
    let mut number = None;
    if let Some(word) = annotation.bare.first() {
        number = NUMBER.of("@times", &scalar(&word.value, word.span), findings).map(|it| it.value);
    } else {
        let help = "write `@times 3 each=n,sku`";
        findings.push(syntax(annotation.word.span, "`@times` has no number").with_help(help));
    }
    let each = read_fields(annotation, "`@times`", findings, |fields, findings| {
        fields.get("each", findings).map(|it| list("each", it, findings).to_vec()).unwrap_or_default()
    });
    let each = each.iter().filter_map(|it| TEXT.of("each", it, findings)).collect();
    (number.unwrap_or(1), each)
}
