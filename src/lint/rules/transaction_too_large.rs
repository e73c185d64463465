//! SW705: a transaction with more items than the engine commits.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, citing};
use crate::model::AccessPattern;
use crate::units::text;

/// SW705.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW705", name: "transaction-too-large" },
    level: Level::Error,
    explain: "\
Some engines limit the items of one transaction (DynamoDB: 100). A transaction that is
within it for a small order fails for the large one.

An error for a pattern of several writes, or repeated ones, that add up to more.

What helps: fewer, larger items; a saga of several transactions that can be repeated; a
batch without atomicity where that is enough.

```yaml bad
shardwright: 1
name: an order of 150 lines in one transaction
target: {engine: dynamodb, shards: 8}
tables:
  orders:
    rows: 2M
    row_size: 400B
    primary_key: [order_id, line]
    columns:
      order_id: {type: uuid, generated: uuid4}
      line: {type: int, distinct: 200}
patterns:
  - name: place order
    transaction:
      - {sql: \"INSERT INTO orders (order_id, line) VALUES (:o, :n)\", times: 150, each: [n]}
    rate: 1/s
plan:
  tables:
    orders: {key: [order_id], cluster: [line]}
```

```yaml good
shardwright: 1
name: an order of 50 lines in one transaction
target: {engine: dynamodb, shards: 8}
tables:
  orders:
    rows: 2M
    row_size: 400B
    primary_key: [order_id, line]
    columns:
      order_id: {type: uuid, generated: uuid4}
      line: {type: int, distinct: 200}
patterns:
  - name: place order
    transaction:
      - {sql: \"INSERT INTO orders (order_id, line) VALUES (:o, :n)\", times: 50, each: [n]}
    rate: 1/s
plan:
  tables:
    orders: {key: [order_id], cluster: [line]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let Some(limit) = &cx.engine().max_transaction_items else { return };
    for pattern in &cx.design.patterns {
        let items = items(pattern);
        if items <= limit.max {
            continue;
        }
        let message = format!("commits {} items together, the limit is {}", text::count(items), limit.text);
        let help =
            "split it into transactions that can be repeated, or keep what belongs together in fewer items";
        let finding = RULE.finding(pattern.span, message).on_pattern(&pattern.name).with_help(help);
        findings.push(citing(finding, &limit.source));
    }
}

/// Items that a pattern writes together.
fn items(pattern: &AccessPattern) -> f64 {
    let writes = pattern.statements().filter(|(_, it)| it.target.is_some());
    writes
        .map(|(step, it)| {
            let rows = it.rows.map_or(f64::from(it.inserted_rows.max(1)), |rows| rows.max(1) as f64);
            f64::from(step.times.max(1)) * rows
        })
        .sum()
}
