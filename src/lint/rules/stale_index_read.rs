//! SW409: a read that must be fresh goes through an index that lags.

use crate::analysis::routing::How;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, citing};
use crate::model::Consistency;

/// SW409.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW409", name: "stale-index-read" },
    level: Level::Warning,
    explain: "\
Where index entries are written after the row, a read through the index may miss a
row that was acknowledged a moment ago, or find one that has changed. An engine of
that kind refuses strong reads through the index, or serves stale ones.

A warning for a pattern with `consistency: strong` (the default) that is answered
through a global index that is not written with the row.

What helps: `consistency: eventual`, if a moment does not matter; a look-up table that
is written in the same transaction; the table's own key.

```yaml bad
shardwright: 1
name: a fresh answer through an index
target: {engine: dynamodb, shards: 8}
tables:
  users:
    rows: 20M
    row_size: 700B
    primary_key: [user_id]
    columns:
      user_id: {type: uuid, generated: uuid4}
      email: {type: text, distinct: 20M}
patterns:
  - {name: is this e-mail taken, read: users, where: {email: eq}, rows: 1, rate: 6/s, consistency: strong}
plan:
  tables:
    users: {key: [user_id]}
  indexes:
    - {name: by_email, table: users, key: [email], scope: global, include: all}
```

```yaml good
shardwright: 1
name: an answer that may lag through an index
target: {engine: dynamodb, shards: 8}
tables:
  users:
    rows: 20M
    row_size: 700B
    primary_key: [user_id]
    columns:
      user_id: {type: uuid, generated: uuid4}
      email: {type: text, distinct: 20M}
patterns:
  - {name: user by e-mail, read: users, where: {email: eq}, rows: 1, rate: 6/s, consistency: eventual}
plan:
  tables:
    users: {key: [user_id]}
  indexes:
    - {name: by_email, table: users, key: [email], scope: global, include: all}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let rules = &cx.engine().index;
    if rules.synchronous {
        return;
    }
    let mut told: Vec<(crate::model::PatternId, String)> = Vec::new();
    for it in cx.statements() {
        // A write that looks for its row through an index is no read of the index's answer.
        if !it.reads() || it.of.pattern.consistency != Consistency::Strong {
            continue;
        }
        for route in &it.route.instances {
            let How::Index { at, .. } = route.how else { continue };
            let Some(table) = cx.table(route.table) else { continue };
            let Some(index) = table.placed.indexes.get(at).map(|it| &it.index) else { continue };
            let name = (it.of.id, index.name.clone());
            if told.contains(&name) {
                continue;
            }
            told.push(name);
            let message = format!(
                "wants a strong read, but index `{}` is written after its row: what was just written may be missing",
                index.name
            );
            let help = format!(
                "say `consistency: eventual` if a moment does not matter, or keep a lookup by {} that is written in one transaction with the row",
                table.table.names(&index.key)
            );
            let finding = it.of.about(RULE.finding(it.of.pattern.span, message), it.statement);
            let finding = finding.on_table(&table.table.name).on_index(&index.name).with_help(help);
            findings.push(match &rules.source {
                Some(source) => citing(finding, source),
                None => finding,
            });
        }
    }
}
