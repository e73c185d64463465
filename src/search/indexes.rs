//! Global indexes worth trying beside each key: one for each set of columns
//! that some read, update or delete binds.

use std::collections::BTreeMap;

use crate::analysis::setting::Setting;
use crate::model::{ColumnId, Include, Index, Operation, Scope, Selected, TableId};
use crate::search::candidates::bound_columns;

/// Most indexes tried for one table.
const MOST_INDEXES: usize = 5;
/// An index that leaves so few rows needs no further column.
const FEW_ROWS: f64 = 10.0;
/// Most columns of an index key.
const MOST_KEY: usize = 3;
/// Most columns that an index carries beside its keys.
const MOST_CARRIED: usize = 4;

/// Indexes that could answer a pattern on a table, most asked for first.
#[must_use]
pub fn index_candidates(setting: &Setting<'_>, table: TableId) -> Vec<Index> {
    if setting.engine.index.global.is_none() {
        return Vec::new();
    }
    let it = setting.design.table(table);
    let mut wanted: BTreeMap<Vec<ColumnId>, (f64, Include)> = BTreeMap::new();
    for pattern in &setting.patterns_on[table.0 as usize] {
        let pattern = setting.design.pattern(*pattern);
        let rate = setting.served_rate(pattern);
        for (_, statement) in pattern.statements() {
            for instance in statement.instance_ids() {
                if statement.instance(instance).table != table
                    || statement.op == Operation::Insert && statement.target == Some(instance)
                {
                    continue;
                }
                let bound = bound_columns(statement, instance);
                let Some(key) = index_key(setting, table, &bound) else { continue };
                let include = if it.is_unique(&key) || statement.op != Operation::Read {
                    Include::KeysOnly
                } else {
                    carried(setting, table, &key, statement, instance, &bound)
                };
                let entry = wanted.entry(key).or_insert((0.0, include.clone()));
                entry.0 += rate;
                entry.1 = wider(&entry.1, &include);
            }
        }
    }
    let mut wanted: Vec<_> = wanted.into_iter().collect();
    wanted.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
    let named = |key: &[ColumnId]| {
        let columns: Vec<&str> = key.iter().map(|c| it.column(*c).name.as_str()).collect();
        format!("{}_by_{}", it.name, columns.join("_"))
    };
    wanted
        .into_iter()
        .take(MOST_INDEXES)
        .flat_map(|(key, (_, carried))| {
            // A wide index answers alone and is written more often; a narrow one sends on to the rows.
            let wide = (carried != Include::KeysOnly).then_some(carried);
            std::iter::once(Include::KeysOnly).chain(wide).map(move |include| (key.clone(), include))
        })
        .map(|(key, include)| Index {
            name: named(&key),
            table,
            key,
            sort: Vec::new(),
            scope: Scope::Global,
            strategy: None,
            salt: None,
            unique: false,
            include,
            only: Vec::new(),
            span: it.span,
        })
        .collect()
}

/// The columns of an index for a bound set: a unique set inside it, else the
/// columns with most values until few rows are left, at most as many as the engine takes.
fn index_key(setting: &Setting<'_>, table: TableId, bound: &[ColumnId]) -> Option<Vec<ColumnId>> {
    let it = setting.design.table(table);
    if bound.is_empty() {
        return None;
    }
    if let Some(unique) = it.unique_sets().find(|set| set.iter().all(|it| bound.contains(it))) {
        return Some(unique.to_vec());
    }
    let facts = setting.table(table);
    let values = |it: &ColumnId| facts.columns[it.0 as usize].distinct;
    let mut columns = bound.to_vec();
    columns.sort_by(|a, b| values(b).total_cmp(&values(a)).then(a.cmp(b)));
    let mut key = Vec::new();
    let mut rows = facts.rows;
    for column in columns {
        if rows <= FEW_ROWS && !key.is_empty() || MOST_KEY <= key.len() {
            break;
        }
        rows /= values(&column).max(1.0);
        key.push(column);
    }
    Some(key)
}

/// What an index must carry to answer alone, if that is little and never changed.
fn carried(
    setting: &Setting<'_>,
    table: TableId,
    key: &[ColumnId],
    statement: &crate::model::Statement,
    instance: crate::model::InstanceId,
    bound: &[ColumnId],
) -> Include {
    let it = setting.design.table(table);
    let Selected::Columns(selected) = &statement.selected else { return Include::KeysOnly };
    let mut columns: Vec<ColumnId> = selected
        .iter()
        .filter(|it| it.instance == instance)
        .map(|it| it.column)
        .chain(bound.iter().copied())
        .filter(|column| !key.contains(column) && !it.primary_key.contains(column))
        .collect();
    columns.sort();
    columns.dedup();
    if columns.is_empty() || MOST_CARRIED < columns.len() {
        Include::KeysOnly
    } else {
        Include::Columns(columns)
    }
}

fn wider(a: &Include, b: &Include) -> Include {
    match (a, b) {
        (Include::Columns(a), Include::Columns(b)) => {
            let mut all: Vec<ColumnId> = a.iter().chain(b).copied().collect();
            all.sort();
            all.dedup();
            if MOST_CARRIED < all.len() { Include::KeysOnly } else { Include::Columns(all) }
        }
        (Include::Columns(it), _) | (_, Include::Columns(it)) => Include::Columns(it.clone()),
        _ => Include::KeysOnly,
    }
}
