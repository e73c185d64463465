//! What the files say becomes a design: names are resolved in any order, and
//! what is bad is reported and left out.

use std::collections::BTreeMap;

use crate::diag::{Finding, Level, UNKNOWN_COLUMN, UNKNOWN_TABLE};
use crate::input::decode_layout::check_served;
use crate::input::decode_tables::column_of;
use crate::input::fields::{Name, clip, syntax, with_hint};
use crate::input::lower_patterns::{pattern, report_unread};
use crate::input::lower_plan::{loose_indexes, plan};
use crate::input::raw::{RawDesign, RawIds, RawPattern, RawReference, RawTable};
use crate::model::{AccessPattern, ColumnId, Design, ForeignKey, IdScheme, Table, TableId};
use crate::source::Spanned;

/// Makes the design.
pub(super) fn design(raw: RawDesign, findings: &mut Vec<Finding>) -> Design {
    let mut design = Design {
        name: raw.name.unwrap_or_default(),
        target: raw.target,
        horizon: raw.horizon,
        tables: tables(raw.tables, findings),
        layouts: raw.layouts,
        cache: raw.cache,
        lint: raw.lint,
        costs: raw.costs.unwrap_or_default(),
        ..Design::default()
    };
    design.patterns = patterns(raw.patterns, &design.tables, findings);
    report_unread(&design.patterns, findings);
    design.plan = raw.plan.map(|it| plan(it, &design, findings));
    design.current = raw.current.map(|it| plan(it, &design, findings));
    loose_indexes(raw.loose_indexes, &mut design, findings);
    design.ids = raw.ids.into_iter().filter_map(|it| id_scheme(it, &design, findings)).collect();
    let names: Vec<&str> = design.patterns.iter().map(|it| it.name.as_str()).collect();
    for layout in &design.layouts {
        check_served(layout, &names, findings);
    }
    design
}

/// The table of a name, or a finding.
pub(super) fn table_of(tables: &[Table], name: &Name, findings: &mut Vec<Finding>) -> Option<TableId> {
    let exact = tables.iter().position(|it| it.name == name.value);
    let at = exact.or_else(|| tables.iter().position(|it| it.name.eq_ignore_ascii_case(&name.value)));
    if at.is_none() {
        let message = format!("there is no table `{}`", clip(&name.value));
        let finding = Finding::new(UNKNOWN_TABLE, Level::Error, name.span, message).on_table(&name.value);
        findings.push(with_hint(finding, &name.value, tables.iter().map(|it| it.name.as_str()), "tables"));
    }
    at.map(|it| TableId(it as u32))
}

fn tables(raw: Vec<RawTable>, findings: &mut Vec<Finding>) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut references: Vec<Vec<RawReference>> = Vec::new();
    let mut seen = BTreeMap::new();
    for it in raw {
        if let Some(first) = seen.get(&it.table.name) {
            let message = format!("a second table `{}`; the first one is read", it.table.name);
            findings.push(
                syntax(it.table.span, message).with_related(*first, "the first one").on_table(&it.table.name),
            );
            continue;
        }
        seen.insert(it.table.name.clone(), it.table.span);
        tables.push(it.table);
        references.push(it.references);
    }
    for (id, its) in references.into_iter().enumerate() {
        let resolved = its.into_iter().filter_map(|it| reference(it, id, &tables, findings)).collect();
        tables[id].foreign_keys = composed(resolved, &tables);
    }
    tables
}

/// A reference with its names resolved, and whether it may be a part of a composite one.
struct Resolved {
    key: ForeignKey,
    inline: bool,
}

fn reference(
    raw: RawReference,
    table: usize,
    tables: &[Table],
    findings: &mut Vec<Finding>,
) -> Option<Resolved> {
    let parent = table_of(tables, &raw.parent, findings)?;
    let to = &tables[parent.0 as usize];
    let columns = if raw.parent_columns.is_empty() {
        to.primary_key.clone()
    } else {
        let found: Vec<ColumnId> =
            raw.parent_columns.iter().filter_map(|it| column_of(to, it, findings)).collect();
        if found.len() < raw.parent_columns.len() {
            return None;
        }
        found
    };
    if columns.len() != raw.columns.len() {
        let message = format!(
            "`{}` refers to `{}` by {} of its columns; the other side has {}",
            tables[table].name,
            to.name,
            raw.columns.len(),
            columns.len()
        );
        let help = format!("name the column: `references: {}.COLUMN`", to.name);
        findings.push(syntax(raw.span, message).with_help(help).on_table(&tables[table].name));
        return None;
    }
    let key = ForeignKey { columns: raw.columns, parent, parent_columns: columns, span: raw.span };
    Some(Resolved { key, inline: raw.inline })
}

/// References written at several columns that meet a composite unique set of
/// the same parent become one. Where each of its columns is met k times, they
/// are k references, paired in the order of the file.
fn composed(mut resolved: Vec<Resolved>, tables: &[Table]) -> Vec<ForeignKey> {
    let mut keys: Vec<(usize, ForeignKey)> = Vec::new();
    let parents: Vec<TableId> = resolved.iter().map(|it| it.key.parent).collect();
    for (at, parent) in parents.iter().enumerate() {
        if parents[..at].contains(parent) {
            continue;
        }
        for set in tables[parent.0 as usize].unique_sets().filter(|it| 1 < it.len()) {
            keys.extend(compose(&mut resolved, *parent, set));
        }
    }
    let taken: Vec<usize> =
        resolved.iter().enumerate().filter(|(_, it)| it.key.columns.is_empty()).map(|it| it.0).collect();
    let single = resolved.into_iter().enumerate().filter(|(at, _)| !taken.contains(at));
    keys.extend(single.map(|(at, it)| (at, it.key)));
    keys.sort_by_key(|(at, _)| *at);
    keys.into_iter().map(|(_, it)| it).collect()
}

/// Takes the parts of composite references out of a list (leaving them without columns).
fn compose(resolved: &mut [Resolved], parent: TableId, set: &[ColumnId]) -> Vec<(usize, ForeignKey)> {
    let meets = |it: &Resolved, column: ColumnId| {
        it.inline
            && it.key.parent == parent
            && it.key.columns.len() == 1
            && it.key.parent_columns[0] == column
    };
    let parts: Vec<Vec<usize>> = set
        .iter()
        .map(|column| {
            resolved.iter().enumerate().filter(|(_, it)| meets(it, *column)).map(|it| it.0).collect()
        })
        .collect();
    let count = parts[0].len();
    if count == 0 || parts.iter().any(|it| it.len() != count) {
        return Vec::new();
    }
    let mut keys = Vec::new();
    for round in 0..count {
        let members: Vec<usize> = parts.iter().map(|it| it[round]).collect();
        let first = members.iter().copied().min().unwrap_or_default();
        let columns = members.iter().map(|it| resolved[*it].key.columns[0]).collect();
        let span = resolved[first].key.span;
        keys.push((first, ForeignKey { columns, parent, parent_columns: set.to_vec(), span }));
    }
    for member in parts.into_iter().flatten() {
        resolved[member].key.columns.clear();
    }
    keys
}

fn patterns(raw: Vec<RawPattern>, tables: &[Table], findings: &mut Vec<Finding>) -> Vec<AccessPattern> {
    let mut patterns = Vec::new();
    let mut seen = BTreeMap::new();
    for it in raw {
        if let Some(first) = seen.get(&it.pattern.name) {
            let message = format!("a second pattern `{}`; the first one is read", it.pattern.name);
            findings.push(
                syntax(it.pattern.span, message)
                    .with_help("give it a name of its own")
                    .with_related(*first, "the first one")
                    .on_pattern(&it.pattern.name),
            );
            continue;
        }
        seen.insert(it.pattern.name.clone(), it.pattern.span);
        patterns.push(pattern(it, tables, findings));
    }
    patterns
}

fn id_scheme(raw: RawIds, design: &Design, findings: &mut Vec<Finding>) -> Option<IdScheme> {
    let Some((table, column)) = raw.column.value.rsplit_once('.') else {
        let message = format!("`{}` is not a column of a table", clip(&raw.column.value));
        let finding = Finding::new(UNKNOWN_COLUMN, Level::Error, raw.column.span, message);
        findings.push(finding.with_help("write the table before it: `orders.order_id`"));
        return None;
    };
    let at = |text: &str| Spanned { value: text.to_owned(), span: raw.column.span };
    let table = table_of(&design.tables, &at(table), findings)?;
    let column = column_of(design.table(table), &at(column), findings)?;
    Some(IdScheme { table, column, ..raw.scheme })
}
