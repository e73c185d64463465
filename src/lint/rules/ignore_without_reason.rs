//! SW008: suppressions that say too little or silence nothing. Found when
//! suppressions are applied (`lint/suppress.rs`); here is the manual.

use crate::diag::{Finding, Level};
use crate::lint::{Judged, Rule};

/// SW008.
pub(super) static RULE: Rule = Rule {
    code: crate::lint::suppress::CODE,
    level: Level::Warning,
    explain: "\
A finding is silenced with a reason, so that whoever reads the file next can see
whether it still holds. One without a reason is not honoured. One that silences
nothing is a leftover: the finding is gone, or the rule is misspelled.

```yaml bad
shardwright: 1
name: silenced without a word
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    primary_key: [order_id]
    columns:
      order_id: {type: bigint, distinct: 200M}
      status: {type: text, distinct: 4}
patterns:
  - {name: orders by status, sql: \"SELECT * FROM orders WHERE status = :s LIMIT 50\", rate: 2/min}
plan:
  tables:
    orders: {key: [order_id]}
lint:
  ignore:
    - {rule: scatter-read, pattern: orders by status}
```

```yaml good
shardwright: 1
name: silenced with a reason
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    primary_key: [order_id]
    columns:
      order_id: {type: bigint, distinct: 200M}
      status: {type: text, distinct: 4}
patterns:
  - {name: orders by status, sql: \"SELECT * FROM orders WHERE status = :s LIMIT 50\", rate: 2/min}
plan:
  tables:
    orders: {key: [order_id]}
lint:
  ignore:
    - {rule: scatter-read, pattern: orders by status, reason: \"back office, twice a minute\"}
```
",
    check: applied,
};

/// Suppressions are judged once all findings are known.
fn applied(_: &Judged<'_>, _: &mut Vec<Finding>) {}
