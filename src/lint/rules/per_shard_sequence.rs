//! SW501: a counter on each shard gives the same numbers.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView, citing};
use crate::model::{ColumnId, Generated, IdKind};
use crate::target::Sequence;

/// SW501.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW501", name: "per-shard-sequence" },
    level: Level::Error,
    explain: "\
An auto-increment column counts in its database. On a sharded table every shard has
such a counter, each starts at 1, and the same id is given out S times.

An error for a generated counter on a sharded table where the engine's counters are
per shard. It stays quiet where the engine keeps them apart (a node number in the
high bits, blocks from a sequence table).

What helps: UUIDv7 or Snowflake ids; blocks from one ticket server; a counter with an
offset and a step for each shard.

```yaml bad
shardwright: 1
name: a counter on sixteen shards
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 50M
    row_size: 300B
    primary_key: [customer_id, order_id]
    columns:
      customer_id: {type: bigint, distinct: 5M}
      order_id: {type: bigint, generated: autoincrement}
patterns:
  - {name: new order, sql: \"INSERT INTO orders (customer_id) VALUES (:c)\", rate: 50/s}
plan:
  tables:
    orders: {key: [customer_id]}
```

```yaml good
shardwright: 1
name: snowflakes on sixteen shards
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 50M
    row_size: 300B
    primary_key: [customer_id, order_id]
    columns:
      customer_id: {type: bigint, distinct: 5M}
      order_id: {type: bigint, generated: snowflake}
patterns:
  - {name: new order, sql: \"INSERT INTO orders (customer_id, order_id) VALUES (:c, :o)\", rate: 50/s}
plan:
  tables:
    orders: {key: [customer_id]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let sequence = &cx.engine().sequence;
    if sequence.value != Sequence::PerShard {
        return;
    }
    for it in cx.sharded() {
        for id in it.table.column_ids().filter(|id| counts(cx, &it, *id)) {
            let column = it.table.column(id);
            let message = format!(
                "`{}` is an auto-increment on {} shards: each counts for itself and gives 1, 2, 3 again",
                column.name, cx.setting.shards
            );
            let help = "generate it with the row (UUIDv7, Snowflake), take blocks from one ticket server, or give each shard an offset and a step";
            let finding = RULE.finding(column.span, message).on_table(&it.table.name).with_help(help);
            findings.push(citing(finding, &sequence.source));
        }
    }
}

/// Whether a column is counted by the database. The reader takes a sequence
/// named in `ids` for what it says there.
fn counts(cx: &Judged<'_>, it: &TableView<'_>, id: ColumnId) -> bool {
    match cx.design.ids.iter().find(|scheme| scheme.table == it.id && scheme.column == id) {
        Some(scheme) => scheme.kind == IdKind::AutoIncrement,
        None => it.table.column(id).generated == Some(Generated::AutoIncrement),
    }
}
