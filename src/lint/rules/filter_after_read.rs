//! SW209: rows that are read, paid for and thrown away.

use crate::analysis::classes::Class;
use crate::analysis::placed::PlacedPart;
use crate::analysis::routing::{How, InstanceRoute};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, StatementView, TableView, citing, listed};
use crate::model::{ColumnId, RangeWidth};
use crate::units::text;

/// SW209.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW209", name: "filter-after-read" },
    level: Level::Warning,
    explain: "\
A partition is read in the order of its sort key. Conditions on the front of that
order narrow what is read; any other condition is a filter that is applied to rows
already read and, where reads are sold, paid for (a filter expression in DynamoDB,
ALLOW FILTERING in Cassandra).

A warning for a read that finds its partition and then reads at least twice as many
rows as satisfy its conditions; both numbers are given.

What helps: the filtered column in the sort key; an index on it, sparse if only some
rows are meant.

```yaml bad
shardwright: 1
name: open orders among all orders of a user
target: {engine: dynamodb, shards: 8}
tables:
  orders:
    rows: 50M
    row_size: 400B
    primary_key: [user_id, order_id]
    columns:
      user_id: {type: bigint, distinct: 100k}
      order_id: {type: bigint, generated: snowflake}
      status: {type: text, distinct: 10}
patterns:
  - {name: open orders, read: orders, where: {user_id: eq, status: eq}, rate: 50/s, consistency: eventual}
plan:
  tables:
    orders: {key: [user_id], cluster: [order_id]}
```

```yaml good
shardwright: 1
name: orders of a user, kept by status
target: {engine: dynamodb, shards: 8}
tables:
  orders:
    rows: 50M
    row_size: 400B
    primary_key: [user_id, order_id]
    columns:
      user_id: {type: bigint, distinct: 100k}
      order_id: {type: bigint, generated: snowflake}
      status: {type: text, distinct: 10}
patterns:
  - {name: open orders, read: orders, where: {user_id: eq, status: eq}, rate: 50/s, consistency: eventual}
plan:
  tables:
    orders: {key: [user_id], cluster: [status, order_id]}
```
",
    check,
};

/// Rows read for each that is wanted, from which on it is worth a word.
const WASTE: f64 = 2.0;

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let Some(filter) = &cx.engine().after_read_filter else { return };
    for it in cx.statements().filter(StatementView::reads) {
        for route in &it.route.instances {
            let Some(table) = cx.table(route.table).filter(|it| it.placed.sharded()) else { continue };
            let Some((found_by, order)) = order(&table, route) else { continue };
            let filters = filters(&it, route, &table, &found_by, &order);
            if filters.is_empty() {
                continue;
            }
            let kept: f64 = filters.iter().map(|id| share(&it, route, &table, *id)).product();
            let wanted = route.rows.max(1.0);
            let read = (wanted / kept.max(1e-12)).min(table.facts.rows);
            if read < WASTE * wanted || read < 10.0 {
                continue;
            }
            let names: Vec<&str> = filters.iter().map(|id| table.table.column(*id).name.as_str()).collect();
            let message = format!(
                "reads about {} rows of `{}` to return {}: {} is not in the order of what is read, so it is a {}",
                text::count(read),
                table.table.name,
                text::count(wanted),
                listed(&names),
                filter.value
            );
            let help = format!(
                "put {} into the sort key, or into an index (sparse, if only some rows are meant)",
                listed(&names)
            );
            let finding = it.of.about(RULE.finding(it.of.pattern.span, message), it.statement);
            findings.push(citing(finding.on_table(&table.table.name).with_help(help), &filter.source));
        }
    }
}

/// The columns that find the partition, and the order of its rows.
fn order(table: &TableView<'_>, route: &InstanceRoute) -> Option<(Vec<ColumnId>, Vec<ColumnId>)> {
    match route.how {
        How::Index { at, .. } => {
            let index = &table.placed.indexes.get(at)?.index;
            let mut found_by = index.key.clone();
            found_by.extend(index.only.iter().map(|(id, _)| *id));
            Some((found_by, index.sort.clone()))
        }
        How::Key | How::Few(_) => {
            let key = table.own_key_columns();
            let cluster: Vec<ColumnId> =
                table.plan.iter().flat_map(|it| &it.cluster).map(|it| it.column).collect();
            let rest = || table.table.primary_key.iter().copied().filter(|id| !key.contains(id)).collect();
            let order = if cluster.is_empty() { rest() } else { cluster };
            Some((key, order))
        }
        _ => None,
    }
}

/// Columns with a condition that the order does not serve.
fn filters(
    it: &StatementView<'_>,
    route: &InstanceRoute,
    table: &TableView<'_>,
    found_by: &[ColumnId],
    order: &[ColumnId],
) -> Vec<ColumnId> {
    let mut served: Vec<ColumnId> = found_by.to_vec();
    let mut in_time = false;
    for id in order {
        let Some(class) = it.class(route.instance, *id) else { break };
        if class.bound_or_listed() {
            served.push(*id);
            continue;
        }
        if class.range.is_some() {
            served.push(*id);
        }
        break;
    }
    // Rows sorted by one thing that grows with time are sorted by any other.
    if let Some(first) = order.iter().find(|id| !served.contains(id)) {
        in_time = table.table.column(*first).grows();
    }
    let bucketed = table.placed.parts.iter().any(|part| matches!(part, PlacedPart::Bucket(..)));
    table
        .table
        .column_ids()
        .filter(|id| !served.contains(id))
        .filter(|id| it.class(route.instance, *id).is_some_and(conditioned))
        .filter(|id| !((in_time || bucketed) && table.table.column(*id).grows()))
        .collect()
}

fn conditioned(class: &Class) -> bool {
    class.bound_or_listed() || class.range.is_some()
}

/// Share of the rows that a condition on a column leaves.
fn share(it: &StatementView<'_>, route: &InstanceRoute, table: &TableView<'_>, column: ColumnId) -> f64 {
    let facts = &table.facts.columns[column.0 as usize];
    let distinct = facts.distinct.max(1.0);
    let Some(class) = it.class(route.instance, column) else { return 1.0 };
    if class.null {
        return table.table.column(column).nulls.map_or(1.0 / distinct, |it| it.get().max(1e-6));
    }
    if class.bound() {
        return 1.0 / distinct;
    }
    if let Some(listed) = class.list {
        return (listed / distinct).min(1.0);
    }
    match class.range {
        Some(RangeWidth::Duration(width)) => {
            table.facts.history.map_or(0.5, |all| (width.get() / all).min(1.0))
        }
        // Of a range without a width nothing is known that would carry a finding by itself.
        Some(RangeWidth::Open | RangeWidth::Unstated) | None => 1.0,
    }
}
