//! SW202: an update or delete that must be sent to every shard.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule};

/// SW202.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW202", name: "scatter-write" },
    level: Level::Warning,
    explain: "\
An update or delete that does not bind the shard key is sent to every shard, and
every shard looks for the rows, even if only one has them. Several engines take
locks everywhere for it, some refuse it.

- a warning for a write that asks all shards
- an error when its pattern makes more than 5% of all requests

Inserts are never meant: a row that is inserted has a key. Writes to a replicated
table have a rule of their own.

What helps: the key in the condition, an index that leads to it, or a read that
finds the key first and writes that are routed by it.

```yaml bad
shardwright: 1
name: locations, changed by telephone number
target: {engine: generic, shards: 16}
tables:
  subscriber:
    rows: 100M
    row_size: 300B
    primary_key: [s_id]
    columns:
      s_id: {type: bigint, distinct: 100M}
      number: {type: text, distinct: 100M}
      location: int
patterns:
  - {name: update location, sql: \"UPDATE subscriber SET location = :l WHERE number = :n\", rate: 2800/s}
plan:
  tables:
    subscriber: {key: [s_id]}
```

```yaml good
shardwright: 1
name: locations, changed by id
target: {engine: generic, shards: 16}
tables:
  subscriber:
    rows: 100M
    row_size: 300B
    primary_key: [s_id]
    columns:
      s_id: {type: bigint, distinct: 100M}
      number: {type: text, distinct: 100M}
      location: int
patterns:
  - {name: update location, sql: \"UPDATE subscriber SET location = :l WHERE s_id = :s\", rate: 2800/s}
plan:
  tables:
    subscriber: {key: [s_id]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for (it, route, table) in super::scatter_read::scattered(cx) {
        if it.statement.target == Some(route.instance) {
            findings.push(super::scatter_read::finding(cx, &RULE, &it, route, &table));
        }
    }
}
