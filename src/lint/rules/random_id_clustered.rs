//! SW502: random ids as the order of a B-tree.

use crate::analysis::facts::table_bytes;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, citing};
use crate::model::{Generated, IdKind};
use crate::units::text;

/// SW502.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW502", name: "random-id-clustered" },
    level: Level::Warning,
    explain: "\
Where rows lie in a B-tree in the order of the primary key (InnoDB, SQL Server), a
UUIDv4 in front puts each new row into another page. Once the table is larger than
memory, each insert reads a page and writes it back, half empty after its split.

A warning for a random first column of the primary key on such an engine, for a table
of over 1 GB that rows are inserted into.

What helps: an id that grows with time (UUIDv7, ULID, Snowflake) in that place, or
the shard key in front and the random id behind it.

```yaml bad
shardwright: 1
name: sessions by a random id
target: {engine: vitess, shards: 16, nodes: 4}
tables:
  sessions:
    rows: 300M
    row_size: 200B
    primary_key: [session_id]
    columns:
      session_id: {type: binary(16), generated: uuid4}
patterns:
  - {name: new session, sql: \"INSERT INTO sessions (session_id) VALUES (:s)\", rate: 10k/s}
plan:
  tables:
    sessions: {key: [session_id]}
```

```yaml good
shardwright: 1
name: sessions by an id that grows
target: {engine: vitess, shards: 16, nodes: 4}
tables:
  sessions:
    rows: 300M
    row_size: 200B
    primary_key: [session_id]
    columns:
      session_id: {type: binary(16), generated: uuid7}
patterns:
  - {name: new session, sql: \"INSERT INTO sessions (session_id) VALUES (:s)\", rate: 10k/s}
plan:
  tables:
    sessions: {key: [session_id]}
```
",
    check,
};

/// Bytes below which a table stays in memory.
const IN_MEMORY: f64 = 1e9;

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let clustered = &cx.engine().clustered;
    if !clustered.value {
        return;
    }
    for id in cx.design.table_ids() {
        let table = cx.design.table(id);
        let Some(first) = table.primary_key.first() else { continue };
        let scheme = cx.design.ids.iter().find(|scheme| scheme.table == id && scheme.column == *first);
        let random = scheme
            .map_or(table.column(*first).generated == Some(Generated::Uuid4), |it| it.kind == IdKind::Uuid4);
        let bytes = table_bytes(cx.setting.table(id)).1;
        let inserted = crate::analysis::partition::inflow(cx.setting, id);
        let Some(inserts) = inserted.filter(|_| random && IN_MEMORY < bytes) else { continue };
        let column = table.column(*first);
        let message = format!(
            "`{}` is random and leads the primary key by which {} keeps rows in order: {} inserts go to pages all over {}",
            column.name,
            cx.engine().name,
            text::rate(inserts),
            text::bytes(bytes)
        );
        let help = format!(
            "take an id that grows with time (UUIDv7, ULID, Snowflake), or put the shard key in front of `{}`",
            column.name
        );
        let finding = RULE.finding(column.span, message).on_table(&table.name).with_help(help);
        findings.push(citing(finding, &clustered.source));
    }
}
