//! SW207: an answer that is put together from all shards.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule};
use crate::units::text;

/// SW207.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW207", name: "cross-shard-sort" },
    level: Level::Info,
    explain: "\
ORDER BY with LIMIT n over S shards fetches the first n rows of each, S·n in all, and
merges; DISTINCT fetches every shard's distinct values; an aggregate is computed in
parts, and some (a median, COUNT DISTINCT) can't be put together from parts at all.

An info for a read that asks all shards and sorts, aggregates or drops doubles.

```yaml bad
shardwright: 1
name: the newest orders of all customers
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    row_size: 300B
    primary_key: [customer_id, order_id]
    columns:
      customer_id: {type: bigint, distinct: 5M}
      order_id: {type: bigint, distinct: 200M}
      created_at: {type: timestamp}
patterns:
  - {name: newest, sql: \"SELECT * FROM orders ORDER BY created_at DESC LIMIT 20\", rate: 1/min}
plan:
  tables:
    orders: {key: [customer_id]}
```

```yaml good
shardwright: 1
name: the newest orders of one customer
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    row_size: 300B
    primary_key: [customer_id, order_id]
    columns:
      customer_id: {type: bigint, distinct: 5M}
      order_id: {type: bigint, distinct: 200M}
      created_at: {type: timestamp}
patterns:
  - {name: newest, sql: \"SELECT * FROM orders WHERE customer_id = :c ORDER BY created_at DESC LIMIT 20\", rate: 1/min}
plan:
  tables:
    orders: {key: [customer_id]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for (it, route, table) in super::scatter_read::scattered(cx) {
        if it.statement.target == Some(route.instance) {
            continue;
        }
        let statement = it.statement;
        let what = match (statement.order_by.is_empty(), statement.limit) {
            (false, Some(limit)) => format!(
                "the first {} rows in order are fetched from each of {} shards, {} in all, and merged",
                text::count(limit as f64),
                cx.setting.shards,
                text::count(limit as f64 * cx.shards())
            ),
            (false, None) => format!("the rows of {} shards are merged in order", cx.setting.shards),
            (true, _) if statement.aggregate => {
                format!("an aggregate is put together from {} shards", cx.setting.shards)
            }
            (true, _) if statement.distinct => {
                format!("doubles are dropped over {} shards", cx.setting.shards)
            }
            (true, _) => continue,
        };
        let help = "keep a summary that is updated with the rows, or ask where reports run";
        let finding = it.of.about(RULE.finding(it.of.pattern.span, what), statement);
        findings.push(table.about(finding).with_help(help));
    }
}
