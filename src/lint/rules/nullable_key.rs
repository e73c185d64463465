//! SW106: rows without a key value.

use crate::analysis::placed::PlacedPart;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, citing};
use crate::units::{Share, text};

/// SW106.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW106", name: "nullable-key" },
    level: Level::Warning,
    explain: "\
NULL is a value like any other to a hash: all rows without a key value are on one
shard, beside its fair part of the rest. With a share q of such rows that shard
holds q + (1 − q)/S of the table, q·S + (1 − q) times the mean. Some engines
refuse such rows altogether.

A warning when a key column is given `nulls:` over zero. A column that is only not
declared NOT NULL is not a reason: nothing says that it is ever empty.

What helps: a value for `unknown` that spreads (the row's own id), a key that is
always there, or a default that is assigned when the row is made.

```yaml bad
shardwright: 1
name: sales, some without a customer
target: {engine: generic, shards: 16}
tables:
  sales:
    rows: 2.88M
    row_size: 160B
    columns:
      customer_id: {type: bigint, distinct: 90k, nulls: 4.5%}
      ticket: {type: bigint, distinct: 240k}
patterns:
  - {name: record a sale, sql: \"INSERT INTO sales (customer_id, ticket) VALUES (:c, :t)\", rate: 5000/s}
plan:
  tables:
    sales: {key: [customer_id]}
```

```yaml good
shardwright: 1
name: sales by ticket
target: {engine: generic, shards: 16}
tables:
  sales:
    rows: 2.88M
    row_size: 160B
    columns:
      customer_id: {type: bigint, distinct: 90k, nulls: 4.5%}
      ticket: {type: bigint, distinct: 240k}
patterns:
  - {name: record a sale, sql: \"INSERT INTO sales (customer_id, ticket) VALUES (:c, :t)\", rate: 5000/s}
plan:
  tables:
    sales: {key: [ticket]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.sharded() {
        for part in &it.placed.parts {
            let column = match part {
                PlacedPart::Column(id) | PlacedPart::Bucket(id, _) | PlacedPart::Expression(_, id) => {
                    it.table.column(*id)
                }
                PlacedPart::Copied(at) => match cx.setting.copied[it.id.0 as usize].get(*at) {
                    Some(copied) => cx.design.table(copied.source).column(copied.column),
                    None => continue,
                },
            };
            let Some(nulls) = column.nulls.map(Share::get).filter(|it| 0.0 < *it) else { continue };
            let whole = it.placed.parts.len() == 1;
            let message = if whole {
                format!(
                    "`{}` is empty in {} of the rows: they share one shard, which holds and receives {} times the mean",
                    column.name,
                    text::share(nulls),
                    text::count(nulls * cx.shards() + 1.0 - nulls)
                )
            } else {
                format!("`{}`, part of the key, is empty in {} of the rows", column.name, text::share(nulls))
            };
            let help = format!(
                "give rows without `{}` a value that spreads, or take a key that is always there",
                column.name
            );
            let finding = it.about(RULE.finding(it.key_span(), message)).with_help(help);
            let refused = cx.engine().key.nullable.filter(|it| !it.value);
            findings.push(match refused {
                Some(fact) => {
                    let mut finding = finding;
                    finding.message =
                        format!("{}, and {} refuses an empty key", finding.message, cx.engine().name);
                    citing(finding, &fact.source)
                }
                None => finding,
            });
        }
    }
}
