//! How many rows a statement's conditions leave, and what share of a key's
//! order they cover.

use crate::analysis::classes::Class;
use crate::analysis::placed::{Placed, PlacedPart};
use crate::analysis::routing::At;
use crate::model::{ColumnId, ColumnRef, InstanceId, Operation, Predicate, RangeWidth, Strategy, TableId};

/// Share of rows behind a condition that says nothing (`<`, `LIKE '%x'`, …):
/// PostgreSQL's `DEFAULT_INEQ_SEL`.
const UNKNOWN_CONDITION: f64 = 1.0 / 3.0;
/// Share of rows between two bounds of which nothing is known: PostgreSQL's
/// `DEFAULT_RANGE_INEQ_SEL`. Also taken for one bound on a column that grows
/// with time, where a query asks for what is recent.
const UNKNOWN_RANGE: f64 = 0.005;
/// Rows that a read without a limit is taken to return at most.
const MOST_ROWS: f64 = 100_000.0;

/// Rows of an instance's table that satisfy what the statement says of it.
#[must_use]
pub fn matching_rows(at: &At<'_>, instance: InstanceId) -> f64 {
    at.setting.rows_once((at.pattern, at.idx, instance.0, at.implied), &|| matching(at, instance))
}

fn matching(at: &At<'_>, instance: InstanceId) -> f64 {
    if at.statement.target == Some(instance) && at.statement.op == Operation::Insert {
        return f64::from(at.statement.inserted_rows.max(1));
    }
    let id = at.statement.instance(instance).table;
    let table = at.setting.design.table(id);
    let facts = at.setting.table(id);
    let (mut bound, mut listed) = (Vec::new(), 1.0);
    let mut rows = facts.rows;
    for column in table.column_ids() {
        let Some(class) = at.column(instance, column).map(|it| at.classes.class(it)) else { continue };
        let distinct = facts.columns[column.0 as usize].distinct.max(1.0);
        if class.null {
            rows *= table.column(column).nulls.map_or(UNKNOWN_RANGE, |it| it.get());
        } else if class.bound() {
            bound.push(column);
            rows /= distinct;
        } else if let Some(count) = class.list {
            bound.push(column);
            listed *= count;
            rows *= (count / distinct).min(1.0);
        } else if class.range.is_some() {
            rows *= range_share(at, id, column, class);
        }
    }
    for predicate in &at.statement.predicates {
        match predicate {
            Predicate::Expression { column, .. } if column.instance == instance => {
                rows /= facts.columns[column.column.0 as usize].distinct.max(1.0);
            }
            Predicate::Other { columns, .. } if columns.iter().any(|it| it.instance == instance) => {
                rows *= UNKNOWN_CONDITION;
            }
            _ => {}
        }
    }
    if table.is_unique(&bound) {
        return listed.min(facts.rows);
    }
    rows.clamp(if bound.is_empty() { 0.0 } else { 1e-3 }, facts.rows)
}

/// Share of a table's rows within a range of one column.
fn range_share(at: &At<'_>, table: TableId, column: ColumnId, class: &Class) -> f64 {
    let grows = at.setting.design.table(table).column(column).grows();
    match class.range {
        Some(RangeWidth::Duration(width)) => match at.setting.table(table).history {
            Some(history) => (width.get() / history).min(1.0),
            None => UNKNOWN_RANGE,
        },
        Some(RangeWidth::Unstated) => UNKNOWN_RANGE,
        Some(RangeWidth::Open) if grows => UNKNOWN_RANGE,
        Some(RangeWidth::Open) => UNKNOWN_CONDITION,
        None => 1.0,
    }
}

/// Rows that one run of the statement returns or changes: as the file says,
/// else estimated.
#[must_use]
pub fn returned_rows(at: &At<'_>) -> f64 {
    at.setting.rows_once((at.pattern, at.idx, u32::MAX, at.implied), &|| returned(at))
}

fn returned(at: &At<'_>) -> f64 {
    let statement = at.statement;
    if let Some(rows) = statement.rows {
        return rows as f64;
    }
    if statement.op == Operation::Insert && statement.instances.len() == 1 {
        return f64::from(statement.inserted_rows.max(1));
    }
    let limit = statement.limit.map_or(MOST_ROWS, |it| it as f64);
    let mut rest: Vec<(InstanceId, f64)> = statement
        .instance_ids()
        .filter(|it| !(statement.op == Operation::Insert && statement.target == Some(*it)))
        .map(|it| (it, matching_rows(at, it)))
        .collect();
    rest.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let mut rows: f64 = 1.0;
    let mut seen: Vec<InstanceId> = Vec::new();
    for (instance, matching) in rest {
        let a_row = if seen.is_empty() { matching } else { matching / join_values(at, instance, &seen) };
        rows *= if seen.is_empty() { a_row } else { a_row.max(1.0) };
        seen.push(instance);
    }
    let most = if statement.aggregate { f64::INFINITY } else { limit };
    rows.min(most).max(if statement.op == Operation::Read { 0.0 } else { 1.0 })
}

/// Distinct values of an instance's columns that equal columns of instances
/// already joined and that nothing else binds.
fn join_values(at: &At<'_>, instance: InstanceId, seen: &[InstanceId]) -> f64 {
    let id = at.statement.instance(instance).table;
    let facts = at.setting.table(id);
    let mut values = 1.0;
    for column in at.setting.design.table(id).column_ids() {
        let Some(class) = at.column(instance, column).map(|it| at.classes.class(it)) else { continue };
        let shared = |(stmt, other): &(u32, ColumnRef)| *stmt == at.idx && seen.contains(&other.instance);
        if !class.bound_or_listed() && class.columns.iter().any(shared) {
            values *= facts.columns[column.0 as usize].distinct.max(1.0);
        }
    }
    values.min(facts.rows)
}

/// Share of the rows, in key order, that an ordered key's bound front and a
/// range behind it cover; `None` where the order does not help.
pub(super) fn run_share(at: &At<'_>, instance: InstanceId, placed: &Placed) -> Option<f64> {
    if placed.strategy != Strategy::Range && !placed.hierarchical {
        return None;
    }
    let columns: Vec<ColumnId> = placed
        .parts
        .iter()
        .map_while(|part| match part {
            PlacedPart::Column(column) => Some(*column),
            _ => None,
        })
        .collect();
    ordered_share(at, instance, placed.table, &columns)
}

/// The same for any ordered list of columns (a key's or an index's).
pub(super) fn ordered_share(
    at: &At<'_>,
    instance: InstanceId,
    table: TableId,
    columns: &[ColumnId],
) -> Option<f64> {
    let facts = at.setting.table(table);
    let (mut share, mut helped, mut next) = (1.0, false, columns.first());
    for (idx, column) in columns.iter().enumerate() {
        next = columns.get(idx);
        let class = at.column(instance, *column).map(|it| at.classes.class(it));
        match class {
            Some(class) if class.bound() => {
                // A request for a value meets that value's share of the rows: Σp² on average.
                share /= facts.columns[column.0 as usize].values.effective().max(1.0);
                helped = true;
                next = columns.get(idx + 1);
            }
            Some(class) if class.range.is_some() => {
                share *= range_share(at, table, *column, class);
                helped = true;
                break;
            }
            _ => break,
        }
    }
    let ordered = at.statement.order_by.first().is_some_and(|it| {
        it.column.instance == instance && next.is_some_and(|next| it.column.column == *next)
    });
    // A scan in the key's order stops at the limit only if nothing behind it drops rows.
    let whole = at.statement.instances.len() == 1
        && at
            .statement
            .predicates
            .iter()
            .all(|it| columns_of(it, instance).iter().all(|it| columns.contains(it)));
    if let (true, true, Some(limit)) = (ordered, whole, at.statement.limit) {
        share = f64::min(share, limit as f64 / facts.rows);
        helped = true;
    }
    helped.then_some(share)
}

/// Columns of an instance that a predicate looks at.
pub(super) fn columns_of(predicate: &Predicate, instance: InstanceId) -> Vec<ColumnId> {
    let one = |it: &ColumnRef| (it.instance == instance).then_some(it.column);
    match predicate {
        Predicate::Equal { column, to, .. } | Predicate::Follows { column, of: to, .. } => {
            let other = match to {
                crate::model::Operand::Column(it) => one(it),
                _ => None,
            };
            one(column).into_iter().chain(other).collect()
        }
        Predicate::In { column, .. }
        | Predicate::Range { column, .. }
        | Predicate::Prefix { column, .. }
        | Predicate::IsNull { column, .. }
        | Predicate::Expression { column, .. } => one(column).into_iter().collect(),
        Predicate::Other { columns, .. } => columns.iter().filter_map(one).collect(),
    }
}
