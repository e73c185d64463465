//! SW304: a table with a copy on every shard that is too large for that.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule};
use crate::units::text;

/// SW304.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW304", name: "replicated-table-large" },
    level: Level::Warning,
    explain: "\
A replicated table takes its whole size on every shard, and a new shard has to
receive all of it before it can serve.

A warning when it is, at the horizon, over 1 GB or a tenth of a node's storage,
whichever is less.

```yaml bad
shardwright: 1
name: a product table of 60 GB on every shard
target: {engine: generic, shards: 32}
tables:
  products:
    rows: 100M
    row_size: 600B
    primary_key: [product_id]
    columns:
      product_id: {type: bigint, distinct: 100M}
patterns:
  - {name: product, sql: \"SELECT * FROM products WHERE product_id = :p\", rate: 400/s}
plan:
  tables:
    products: {replicated: true}
```

```yaml good
shardwright: 1
name: a product table of 60 MB on every shard
target: {engine: generic, shards: 32}
tables:
  products:
    rows: 100k
    row_size: 600B
    primary_key: [product_id]
    columns:
      product_id: {type: bigint, distinct: 100k}
patterns:
  - {name: product, sql: \"SELECT * FROM products WHERE product_id = :p\", rate: 400/s}
plan:
  tables:
    products: {replicated: true}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    if cx.setting.shards <= 1 {
        return;
    }
    let most = super::could_be_replicated::most_bytes(cx);
    for it in cx.tables() {
        let bytes = it.figures.bytes.1;
        if it.placed.choice != crate::model::Choice::Replicated || bytes <= most {
            continue;
        }
        let message = format!(
            "`{}` has a copy on each of {} shards and is {} at the horizon, over {}: {} in all",
            it.table.name,
            cx.setting.shards,
            text::bytes(bytes),
            text::bytes(most),
            text::bytes(bytes * cx.shards())
        );
        let help = format!(
            "keep `{}` by a key, or copy only the columns and rows that the joins need",
            it.table.name
        );
        findings.push(RULE.finding(it.key_span(), message).on_table(&it.table.name).with_help(help));
    }
}
