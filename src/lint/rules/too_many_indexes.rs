//! SW410: more indexes than the engine gives a table.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, citing};
use crate::model::Scope;
use crate::target::Limit;

/// SW410.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW410", name: "too-many-indexes" },
    level: Level::Error,
    explain: "\
Engines limit the number of indexes of a table (DynamoDB: 20 global ones by default,
5 local ones for ever).

An error for a table whose plan has more. Indexes that share a key can be merged; a
pattern that is rarely asked can do without.

```yaml bad
shardwright: 1
name: six local indexes
target: {engine: dynamodb, shards: 8}
tables:
  t:
    rows: 20M
    row_size: 700B
    primary_key: [a, b]
    columns: {a: {type: text, distinct: 2M}, b: {type: text, distinct: 20M}, c: text, d: text, e: text, f: text, g: text, h: text}
patterns:
  - {name: one, read: t, where: {a: eq, b: eq}, rate: 6/s, consistency: eventual}
plan:
  tables:
    t: {key: [a], cluster: [b]}
  indexes:
    - {name: i1, table: t, key: [a], sort: [c], scope: local}
    - {name: i2, table: t, key: [a], sort: [d], scope: local}
    - {name: i3, table: t, key: [a], sort: [e], scope: local}
    - {name: i4, table: t, key: [a], sort: [f], scope: local}
    - {name: i5, table: t, key: [a], sort: [g], scope: local}
    - {name: i6, table: t, key: [a], sort: [h], scope: local}
```

```yaml good
shardwright: 1
name: one local index
target: {engine: dynamodb, shards: 8}
tables:
  t:
    rows: 20M
    row_size: 700B
    primary_key: [a, b]
    columns: {a: {type: text, distinct: 2M}, b: {type: text, distinct: 20M}, c: text}
patterns:
  - {name: one, read: t, where: {a: eq, b: eq}, rate: 6/s, consistency: eventual}
plan:
  tables:
    t: {key: [a], cluster: [b]}
  indexes:
    - {name: i1, table: t, key: [a], sort: [c], scope: local}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = cx.plan else { return };
    let rules = &cx.engine().index;
    for it in cx.tables() {
        for (scope, limit, what) in
            [(Scope::Global, &rules.max_global, "global"), (Scope::Local, &rules.max_local, "local")]
        {
            let Some(limit) = limit else { continue };
            let indexes: Vec<_> =
                plan.indexes.iter().filter(|index| index.table == it.id && index.scope == scope).collect();
            let Some(first) = indexes.get(limit.max as usize) else { continue };
            findings.push(finding(&it.table.name, what, indexes.len(), limit, first.span));
        }
    }
}

fn finding(table: &str, what: &str, number: usize, limit: &Limit, span: crate::source::Span) -> Finding {
    let message = format!("`{table}` has {number} {what} indexes, the limit is {}", limit.text);
    let help = "merge indexes that share a key, or drop those of rare patterns";
    citing(RULE.finding(span, message).on_table(table).with_help(help), &limit.source)
}
