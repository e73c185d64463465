//! SW006: a table that no pattern touches.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule};
use crate::model::AccessPattern;

/// SW006.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW006", name: "unused-table" },
    level: Level::Info,
    explain: "\
A table that no pattern reads or writes has no reason for any key: its rows count,
its load does not. Mostly a pattern is missing.

It stays quiet in a file without patterns, and for a table whose patterns could not
be read.

```yaml bad
shardwright: 1
name: a table without a pattern
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    columns:
      order_id: bigint
  countries:
    rows: 250
    columns:
      code: text
patterns:
  - {name: order, sql: \"SELECT * FROM orders WHERE order_id = :o\", rate: 100/s}
```

```yaml good
shardwright: 1
name: every table is used
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    columns:
      order_id: bigint
patterns:
  - {name: order, sql: \"SELECT * FROM orders WHERE order_id = :o\", rate: 100/s}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let patterns = &cx.design.patterns;
    if patterns.iter().all(|it| it.steps.is_empty()) || patterns.iter().any(|it| !it.unread.is_empty()) {
        return;
    }
    for id in cx.design.table_ids() {
        let mut statements = patterns.iter().flat_map(AccessPattern::statements);
        if statements.any(|(_, it)| it.instances.iter().any(|it| it.table == id)) {
            continue;
        }
        let table = cx.design.table(id);
        let message = format!("no pattern touches `{}`", table.name);
        let finding = RULE.finding(table.span, message).on_table(&table.name);
        findings.push(finding.with_help("add the patterns that use it, or leave it out"));
    }
}
