//! SW109: keys that should meet are of different types.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView};
use crate::model::{ColumnId, ColumnType, Operand, Predicate};
use crate::target::Colocation;

/// SW109.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW109", name: "key-type-mismatch" },
    level: Level::Error,
    explain: "\
Equal values land on the same shard only if they are hashed alike, and 42 as an int,
as a bigint and as text are three different byte strings. Two tables that are kept
by columns of different types are not together, even where the columns refer to
each other; most engines refuse to place them in one group.

An error for two tables whose keys are tied, by a foreign key or by a join, through
columns of different kinds.

```yaml bad
shardwright: 1
name: orders refer to their customers by another type
target: {engine: generic, shards: 16}
tables:
  customers:
    rows: 5M
    row_size: 300B
    primary_key: [customer_id]
    columns:
      customer_id: {type: bigint, distinct: 5M}
  orders:
    rows: 100M
    row_size: 200B
    primary_key: [customer_id, order_id]
    columns:
      customer_id: {type: text, distinct: 5M, references: customers.customer_id}
      order_id: {type: bigint, distinct: 100M}
patterns:
  - {name: orders of a customer, sql: \"SELECT * FROM orders WHERE customer_id = :c\", rate: 900/s}
plan:
  tables:
    customers: {key: [customer_id]}
    orders: {key: [customer_id]}
```

```yaml good
shardwright: 1
name: orders refer to their customers by the same type
target: {engine: generic, shards: 16}
tables:
  customers:
    rows: 5M
    row_size: 300B
    primary_key: [customer_id]
    columns:
      customer_id: {type: bigint, distinct: 5M}
  orders:
    rows: 100M
    row_size: 200B
    primary_key: [customer_id, order_id]
    columns:
      customer_id: {type: bigint, distinct: 5M, references: customers.customer_id}
      order_id: {type: bigint, distinct: 100M}
patterns:
  - {name: orders of a customer, sql: \"SELECT * FROM orders WHERE customer_id = :c\", rate: 900/s}
plan:
  tables:
    customers: {key: [customer_id]}
    orders: {key: [customer_id]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    if cx.engine().colocation == Colocation::PerTable {
        return;
    }
    let mut told: Vec<(u32, u32)> = Vec::new();
    for it in cx.sharded() {
        for (own, other, column) in tied(cx, &it) {
            let pair = (it.id.0.min(other.id.0), it.id.0.max(other.id.0));
            let (Some(a), Some(b)) = (ty(&it, own), ty(&other, column)) else { continue };
            if a.family == b.family || told.contains(&pair) || !is_key(&it, own) || !is_key(&other, column) {
                continue;
            }
            told.push(pair);
            let message = format!(
                "`{}.{}` is `{}` and `{}.{}` is `{}`: equal values of the two keys do not land on one shard",
                it.table.name,
                it.table.column(own).name,
                a.text,
                other.table.name,
                other.table.column(column).name,
                b.text
            );
            let finding = it.about(RULE.finding(it.table.column(own).span, message));
            findings.push(finding.with_help(format!(
                "make `{}` `{}` in both",
                it.table.column(own).name,
                b.text
            )));
        }
    }
}

fn ty<'a>(it: &TableView<'a>, column: ColumnId) -> Option<&'a ColumnType> {
    it.table.column(column).ty.as_ref()
}

fn is_key(it: &TableView<'_>, column: ColumnId) -> bool {
    it.own_key_columns().contains(&column)
}

/// Columns of a table that are tied to columns of another: by foreign keys, and by joins.
fn tied<'a>(cx: &'a Judged<'a>, it: &TableView<'a>) -> Vec<(ColumnId, TableView<'a>, ColumnId)> {
    let mut all = Vec::new();
    for key in &it.table.foreign_keys {
        if let Some(parent) = cx.table(key.parent).filter(|it| it.placed.sharded()) {
            all.extend(key.columns.iter().zip(&key.parent_columns).map(|(a, b)| (*a, parent, *b)));
        }
    }
    for statement in cx.statements_on(it.id) {
        for predicate in &statement.statement.predicates {
            let (Predicate::Equal { column: a, to: Operand::Column(b), .. }
            | Predicate::Follows { column: a, of: Operand::Column(b), .. }) = predicate
            else {
                continue;
            };
            for (own, other) in [(a, b), (b, a)] {
                let tables = (
                    statement.statement.instance(own.instance).table,
                    statement.statement.instance(other.instance).table,
                );
                if tables.0 == it.id && tables.1 != it.id {
                    let other_table = cx.table(tables.1).filter(|it| it.placed.sharded());
                    all.extend(other_table.map(|view| (own.column, view, other.column)));
                }
            }
        }
    }
    all
}
