//! SW305: a reference that the engine can't enforce across shards.

use crate::analysis::placed::PlacedPart;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView, citing};
use crate::model::{Choice, ForeignKey};
use crate::target::ForeignKeySupport;

/// SW305.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW305", name: "foreign-key-across-shards" },
    level: Level::Error,
    explain: "\
Engines that enforce references at all mostly do so within a shard: the row that
refers and the row it refers to must be together. That holds when both tables have
the same kind of key, the foreign key contains the key columns of both sides in the
same place, or the parent has a copy on every shard.

An error for a declared reference where the engine enforces only those and this is
none. It stays quiet for engines without references, and for those that enforce
them everywhere.

What helps: the key column in both tables and in the foreign key; a copy of a small
parent on every shard; giving the constraint up and checking in the application.

```yaml bad
shardwright: 1
name: lines kept by order, orders by store
target: {engine: citus, shards: 32, nodes: 4}
tables:
  orders:
    rows: 60M
    row_size: 200B
    primary_key: [store_id, order_id]
    unique: [[order_id]]
    columns:
      order_id: {type: bigint, distinct: 60M}
      store_id: {type: bigint, distinct: 20k}
  lines:
    rows: 180M
    row_size: 80B
    primary_key: [order_id, line]
    columns:
      order_id: {type: bigint, distinct: 60M, references: orders.order_id}
      line: {type: int, distinct: 50}
patterns:
  - {name: lines of an order, sql: \"SELECT * FROM lines WHERE order_id = :o\", rate: 300/s}
plan:
  tables:
    orders: {key: [store_id]}
    lines: {key: [order_id]}
```

```yaml good
shardwright: 1
name: lines and orders kept by order
target: {engine: citus, shards: 32, nodes: 4}
tables:
  orders:
    rows: 60M
    row_size: 200B
    primary_key: [order_id]
    columns:
      order_id: {type: bigint, distinct: 60M}
      store_id: {type: bigint, distinct: 20k}
  lines:
    rows: 180M
    row_size: 80B
    primary_key: [order_id, line]
    columns:
      order_id: {type: bigint, distinct: 60M, references: orders.order_id}
      line: {type: int, distinct: 50}
patterns:
  - {name: lines of an order, sql: \"SELECT * FROM lines WHERE order_id = :o\", rate: 300/s}
plan:
  tables:
    orders: {key: [order_id]}
    lines: {key: [order_id]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let support = &cx.engine().foreign_keys;
    if support.value != ForeignKeySupport::Colocated || cx.setting.shards <= 1 {
        return;
    }
    for child in cx.tables() {
        for key in &child.table.foreign_keys {
            let Some(parent) = cx.table(key.parent) else { continue };
            if holds(&child, &parent, key) {
                continue;
            }
            let columns = child.table.names(&key.columns);
            let same = child.placed.sharded() && child.key_names() == parent.key_names();
            let message = if same {
                format!(
                    "`{}({columns})` refers to `{}` without the key `{}` of both: {} can't enforce it within a shard",
                    child.table.name,
                    parent.table.name,
                    child.key_text(),
                    cx.engine().name
                )
            } else {
                format!(
                    "`{}({columns})` refers to `{}`, which {}, while `{}` {}: {} can't enforce it",
                    child.table.name,
                    parent.table.name,
                    place(&parent),
                    child.table.name,
                    place(&child),
                    cx.engine().name
                )
            };
            let span = if 0 < key.span.end { key.span } else { child.key_span() };
            let finding = child.about(RULE.finding(span, message)).with_help(help(&child, &parent));
            findings.push(citing(finding, &support.source));
        }
    }
}

fn place(it: &TableView<'_>) -> String {
    match it.placed.choice {
        Choice::Sharded(_) => format!("is kept by `{}`", it.key_text()),
        Choice::Replicated => "has a copy on every shard".to_owned(),
        Choice::Unsharded => "is on one shard".to_owned(),
    }
}

fn help(child: &TableView<'_>, parent: &TableView<'_>) -> String {
    if !parent.placed.sharded() {
        return format!(
            "keep a copy of `{}` on every shard, or drop the constraint and check in the application",
            parent.table.name
        );
    }
    let key = parent.key_names().join(", ");
    format!(
        "keep `{}` by `{key}` as well and put it into the foreign key, copy `{}` to every shard if it is small, or drop the constraint",
        child.table.name, parent.table.name
    )
}

/// Whether a reference stays within a shard.
fn holds(child: &TableView<'_>, parent: &TableView<'_>, key: &ForeignKey) -> bool {
    match (&child.placed.choice, &parent.placed.choice) {
        (_, Choice::Replicated) | (Choice::Unsharded, Choice::Unsharded) => true,
        (Choice::Sharded(_), Choice::Sharded(_)) => {
            child.placed.space == parent.placed.space
                && child.placed.parts.len() == parent.placed.parts.len()
                && child
                    .placed
                    .parts
                    .iter()
                    .zip(&parent.placed.parts)
                    .all(|(here, there)| matched(child, parent, key, here, there))
        }
        _ => false,
    }
}

/// Whether a key part of the child is, by the foreign key, the same part of the parent's.
fn matched(
    child: &TableView<'_>,
    parent: &TableView<'_>,
    key: &ForeignKey,
    here: &PlacedPart,
    there: &PlacedPart,
) -> bool {
    match (here, there) {
        (PlacedPart::Column(a), PlacedPart::Column(b)) => {
            let mut pairs = key.columns.iter().zip(&key.parent_columns);
            let tied = pairs.any(|(x, y)| (x, y) == (a, b));
            // Both refer to the same column of a common ancestor and are in the key: the foreign key can take them in.
            tied || root(child, *a).is_some_and(|it| Some(it) == root(parent, *b))
                && child.table.primary_key.contains(a)
                && parent.table.primary_key.contains(b)
        }
        // A copied column becomes part of the foreign key when it is added.
        (PlacedPart::Copied(_), _) => child.part_name(here) == parent.part_name(there),
        (PlacedPart::Bucket(..) | PlacedPart::Expression(..) | PlacedPart::Column(_), _) => false,
    }
}

/// The column that a column refers to.
fn root(it: &TableView<'_>, column: crate::model::ColumnId) -> Option<(u32, u32)> {
    let key = it.table.foreign_keys.iter().find(|key| key.columns == [column])?;
    Some((key.parent.0, key.parent_columns.first()?.0))
}
