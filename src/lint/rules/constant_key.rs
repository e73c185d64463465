//! SW103: a key with one value puts everything into one partition.

use crate::analysis::partition::fullest_of_index;
use crate::analysis::placed::PlacedPart;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView};
use crate::model::{Column, ColumnId, Table};
use crate::units::text;

/// SW103.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW103", name: "constant-key" },
    level: Level::Error,
    explain: "\
A key that has the same value in every row (a dummy column, a type tag, one ROOT
partition) is no key: all rows and all requests are on one shard, and adding
shards changes nothing. Splitting in advance does not help either, because a
split needs values to split between.

An error for a table. For a global index a warning, as long as its one partition
stays within what the engine allows: a small, quiet index may well live in one
place.

What helps: a column that varies and that the patterns bind; where everything is
read at once and is small, a copy on every shard or one unsharded table.

```yaml bad
shardwright: 1
name: a directory of peers
target: {engine: generic, shards: 16}
tables:
  peers:
    rows: 300k
    row_size: 400B
    primary_key: [dummy, peer_id]
    columns:
      dummy: {type: boolean, constant: true}
      peer_id: {type: text, distinct: 300k}
patterns:
  - {name: peer, sql: \"SELECT * FROM peers WHERE dummy = false AND peer_id = :p\", rate: 40/s}
plan:
  tables:
    peers: {key: [dummy], cluster: [peer_id]}
```

```yaml good
shardwright: 1
name: a directory of peers
target: {engine: generic, shards: 16}
tables:
  peers:
    rows: 300k
    row_size: 400B
    primary_key: [dummy, peer_id]
    columns:
      dummy: {type: boolean, constant: true}
      peer_id: {type: text, distinct: 300k}
patterns:
  - {name: peer, sql: \"SELECT * FROM peers WHERE dummy = false AND peer_id = :p\", rate: 40/s}
plan:
  tables:
    peers: {key: [peer_id]}
```
",
    check,
};

/// Whether all parts of a key have one value; a time bucket is another matter.
pub(super) fn is_constant(it: &TableView<'_>) -> bool {
    1.0 < it.facts.rows
        && it.placed.sharded()
        && !it.placed.parts.is_empty()
        && it.placed.parts.iter().all(|part| match part {
            PlacedPart::Column(column) => {
                has_one_value(it.table, *column, it.facts.columns[column.0 as usize].distinct_later)
            }
            PlacedPart::Bucket(..) | PlacedPart::Copied(_) | PlacedPart::Expression(..) => false,
        })
}

fn has_one_value(table: &Table, id: ColumnId, distinct: f64) -> bool {
    let column: &Column = table.column(id);
    column.constant || distinct < 1.5
}

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.sharded() {
        // A salt makes several of the one value.
        if is_constant(&it) && it.salt().is_none() {
            let message = format!(
                "`{}` has the same value in every row: all {} rows and every request are on one of {} shards",
                it.key_text(),
                text::count(it.facts.rows),
                cx.setting.shards
            );
            let help = other_column(&it).map_or_else(
                || "take a column that varies".to_owned(),
                |name| format!("take a column that varies, for example `{name}`"),
            );
            findings.push(it.about(RULE.finding(it.key_span(), message)).with_help(help));
        }
        for index in &it.placed.indexes {
            let key = &index.index.key;
            let columns = &it.facts.columns;
            let constant = !key.is_empty()
                && key.iter().all(|id| has_one_value(it.table, *id, columns[id.0 as usize].distinct_later));
            // A sparse index of one value is what it says: the rows of that value.
            if !constant || index.index.salt.is_some() || it.facts.rows <= 1.0 {
                continue;
            }
            let fullest = fullest_of_index(cx.setting, index);
            let too_big = cx.engine().partition.hard_bytes.is_some_and(|it| it.max < fullest.bytes().1);
            let hot = super::hot_index::over(cx, &it, index).is_some();
            let level = if too_big || hot { Level::Error } else { Level::Warning };
            let message = format!(
                "all {} entries of index `{}` have the same key and are in one partition",
                text::count(fullest.rows.0),
                index.index.name
            );
            let help = "put a column with more values in front, or salt the index";
            let finding = RULE.finding_at(level, index.index.span, message).with_help(help);
            findings.push(finding.on_table(&it.table.name).on_index(&index.index.name));
        }
    }
}

/// The column that most patterns bind, of those that vary.
fn other_column<'a>(it: &TableView<'a>) -> Option<&'a str> {
    let table = it.table;
    let varies = |id: &ColumnId| !has_one_value(table, *id, it.facts.columns[id.0 as usize].distinct_later);
    let in_key = table.primary_key.iter().copied().find(varies);
    in_key.or_else(|| table.column_ids().find(varies)).map(|id| table.column(id).name.as_str())
}
