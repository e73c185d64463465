//! SW405: an index that answers nothing.

use crate::analysis::placed::PlacedIndex;
use crate::analysis::routing::{How, entries_written};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView, rate_or_no};

/// SW405.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW405", name: "unused-index" },
    level: Level::Warning,
    explain: "\
A global index costs an entry for every row that is written, on another shard, and
storage for all of them. One that no pattern is answered by costs that for nothing.

A warning for a global index of the plan that no statement of the file goes through,
with its upkeep. It stays quiet for an index that keeps a set unique, and for local
indexes, which serve statements within their shard.

```yaml bad
shardwright: 1
name: an index for a question that nobody asks
target: {engine: generic, shards: 16}
tables:
  users:
    rows: 20M
    row_size: 700B
    primary_key: [user_id]
    columns:
      user_id: {type: bigint, distinct: 20M}
      city: {type: text, distinct: 40k}
patterns:
  - {name: user, sql: \"SELECT * FROM users WHERE user_id = :u\", rate: 900/s}
  - {name: sign up, sql: \"INSERT INTO users (user_id, city) VALUES (:u, :c)\", rate: 5/s}
plan:
  tables:
    users: {key: [user_id]}
  indexes:
    - {name: by_city, table: users, key: [city], scope: global}
```

```yaml good
shardwright: 1
name: an index that answers
target: {engine: generic, shards: 16}
tables:
  users:
    rows: 20M
    row_size: 700B
    primary_key: [user_id]
    columns:
      user_id: {type: bigint, distinct: 20M}
      email: {type: text, distinct: 20M}
patterns:
  - {name: user by e-mail, sql: \"SELECT * FROM users WHERE email = :e\", rate: 90/s}
  - {name: sign up, sql: \"INSERT INTO users (user_id, email) VALUES (:u, :e)\", rate: 5/s}
plan:
  tables:
    users: {key: [user_id]}
  indexes:
    - {name: by_email, table: users, key: [email], scope: global}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    if cx.by_advisor {
        return;
    }
    for it in cx.sharded() {
        for (at, index) in it.placed.indexes.iter().enumerate() {
            let is_set = |set: &[crate::model::ColumnId]| {
                set.len() == index.index.key.len() && set.iter().all(|id| index.index.key.contains(id))
            };
            let unique = index.index.unique || it.table.unique_sets().any(is_set) && cx.engine().index.unique;
            if unique || used(cx, &it, at) {
                continue;
            }
            let entries = upkeep(cx, &it, index);
            let message = format!(
                "no pattern goes through index `{}` on ({}): it costs {} index writes for nothing",
                index.index.name,
                it.table.names(&index.index.key),
                rate_or_no(entries)
            );
            let finding = RULE
                .finding(index.index.span, message)
                .with_help(format!("drop `{}`, or add the pattern that needs it", index.index.name));
            findings.push(finding.on_table(&it.table.name).on_index(&index.index.name));
        }
    }
}

fn used(cx: &Judged<'_>, it: &TableView<'_>, at: usize) -> bool {
    cx.statements_on(it.id).any(|statement| {
        statement.route.instances.iter().any(|route| {
            route.table == it.id && matches!(route.how, How::Index { at: used, .. } if used == at)
        })
    })
}

/// Entries a second that keeping an index costs.
pub(super) fn upkeep(cx: &Judged<'_>, it: &TableView<'_>, index: &PlacedIndex) -> f64 {
    let writes = cx.statements_on(it.id).filter(|at| at.statement.written_table() == Some(it.id));
    writes.map(|at| at.rate() * entries_written(&at.at, index) * at.route.rows.max(1.0)).sum()
}
