//! SW408: a secondary index is taken for a uniqueness constraint.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView, citing};
use crate::model::{ColumnId, Index, Scope};
use crate::target::Uniqueness;

/// SW408.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW408", name: "index-not-unique" },
    level: Level::Error,
    explain: "\
In several engines a secondary index only finds rows, it keeps nothing unique: two
rows with the same value are two entries. To ask the index first and write then is
a race that two requests can win, even more so where the index lags behind.

An error for a global index on exactly the columns of a declared `unique`, or one
that the plan calls unique, where the engine's indexes are not.

What helps: a marker row whose key is the value, written in one transaction with
the row and only if it does not exist; or a lookup table kept by the value.

```yaml bad
shardwright: 1
name: e-mail addresses, unique by an index
target: {engine: dynamodb, shards: 8}
tables:
  users:
    rows: 20M
    row_size: 700B
    primary_key: [user_id]
    unique: [[email]]
    columns:
      user_id: {type: uuid, generated: uuid4}
      email: {type: text, distinct: 20M}
patterns:
  - {name: user by e-mail, read: users, where: {email: eq}, rows: 1, rate: 40/s, consistency: eventual}
plan:
  tables:
    users: {key: [user_id]}
  indexes:
    - {name: by_email, table: users, key: [email], scope: global, include: all}
```

```yaml good
shardwright: 1
name: an index that only finds rows
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
  - {name: user by e-mail, read: users, where: {email: eq}, rows: 1, rate: 40/s, consistency: eventual}
plan:
  tables:
    users: {key: [user_id]}
  indexes:
    - {name: by_email, table: users, key: [email], scope: global, include: all}
```
",
    check,
};

/// The index of the plan that is taken for a constraint that it does not keep.
pub(super) fn relied_on<'a>(cx: &Judged<'a>, it: &TableView<'_>, columns: &[ColumnId]) -> Option<&'a Index> {
    let engine = cx.engine();
    if engine.index.unique || engine.unique.value == Uniqueness::NotEnforced {
        return None;
    }
    cx.plan?.indexes.iter().find(|index| {
        let same = index.key.len() == columns.len() && index.key.iter().all(|id| columns.contains(id));
        index.table == it.id && index.scope == Scope::Global && same
    })
}

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let (Some(plan), engine) = (cx.plan, cx.engine()) else { return };
    if engine.index.unique || engine.unique.value == Uniqueness::NotEnforced {
        return;
    }
    for it in cx.sharded() {
        let mut told: Vec<&str> = Vec::new();
        let declared = it.table.unique.iter().filter_map(|(columns, _)| relied_on(cx, &it, columns));
        let called = plan
            .indexes
            .iter()
            .filter(|index| index.table == it.id && index.unique && index.scope == Scope::Global);
        for index in declared.chain(called) {
            if told.contains(&index.name.as_str()) {
                continue;
            }
            told.push(&index.name);
            findings.push(finding(cx, &it, index));
        }
    }
}

fn finding(cx: &Judged<'_>, it: &TableView<'_>, index: &Index) -> Finding {
    let columns = it.table.names(&index.key);
    let message = format!(
        "`{columns}` of `{}` must be unique, and index `{}` does not keep it so: {}'s {} takes two rows with the same value",
        it.table.name,
        index.name,
        cx.engine().name,
        cx.engine().index.global.unwrap_or("secondary index")
    );
    let help = format!(
        "write a marker row keyed by `{columns}` in one transaction with the row, on the condition that it does not exist, or keep a lookup table by `{columns}`"
    );
    let finding =
        RULE.finding(index.span, message).on_table(&it.table.name).on_index(&index.name).with_help(help);
    citing(finding, &cx.engine().unique.source)
}
