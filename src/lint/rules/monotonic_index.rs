//! SW404: an index kept in order by a column that only grows.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule};
use crate::model::Strategy;
use crate::units::text;

/// SW404.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW404", name: "monotonic-index" },
    level: Level::Warning,
    explain: "\
A table hashed by a random id spreads its inserts, and its index on the creation time
brings them together again: in an index kept in order, each new entry is the largest
and goes to the last range.

A warning for a global index with the strategy `range` (the engine's own, where none
is given) whose first column grows, on a sharded table that rows are inserted into.
It stays quiet with a salt in front, for a growing column behind one that spreads, and
for a table that lives on one shard.

What helps: a salt (hash of the row's id, modulo n) in front, at the price of n short
scans for each range; another column in front; no index, if reports can ask elsewhere.

```yaml bad
shardwright: 1
name: orders by time
target: {engine: yugabytedb, nodes: 6, shards: 48}
tables:
  orders:
    rows: 25B
    growth: 69M/day
    row_size: 250B
    primary_key: [order_id]
    columns:
      order_id: {type: uuid, generated: uuid4}
      created_at: {type: timestamp, monotonic: true}
patterns:
  - {name: place order, sql: \"INSERT INTO orders (order_id, created_at) VALUES (:o, now())\", rate: 800/s}
  - {name: last month, read: orders, where: {created_at: range(30d)}, rate: 2/h}
plan:
  tables:
    orders: {key: [order_id], strategy: hash}
  indexes:
    - {name: by_created, table: orders, key: [created_at], strategy: range, scope: global, include: all}
```

```yaml good
shardwright: 1
name: orders by salted time
target: {engine: yugabytedb, nodes: 6, shards: 48}
tables:
  orders:
    rows: 25B
    growth: 69M/day
    row_size: 250B
    primary_key: [order_id]
    columns:
      order_id: {type: uuid, generated: uuid4}
      created_at: {type: timestamp, monotonic: true}
patterns:
  - {name: place order, sql: \"INSERT INTO orders (order_id, created_at) VALUES (:o, now())\", rate: 800/s}
  - {name: last month, read: orders, where: {created_at: range(30d)}, rate: 2/h}
plan:
  tables:
    orders: {key: [order_id], strategy: hash}
  indexes:
    - {name: by_created, table: orders, key: [created_at], strategy: range, salt: 16, salt_from: created_at, scope: global, include: all}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.sharded() {
        let (inserts, _) = it.inserts();
        for index in &it.placed.indexes {
            let salted = index.index.salt.is_some_and(|salt| 1 < salt.ways);
            let Some(first) = index.index.key.first().map(|id| it.table.column(*id)) else { continue };
            if index.strategy != Strategy::Range || salted || !first.grows() || inserts <= 0.0 {
                continue;
            }
            let message = format!(
                "`{}` leads index `{}` and only grows: all {} new entries go to the last range of the index, although `{}` is spread",
                first.name,
                index.index.name,
                text::rate(inserts),
                it.table.name
            );
            let help = format!(
                "put a salt computed from the row in front of `{}` (a range read then asks each salt), or a column that spreads",
                first.name
            );
            let finding = RULE.finding(index.index.span, message).with_help(help);
            findings.push(finding.on_table(&it.table.name).on_index(&index.index.name));
        }
    }
}
