//! SW703: a row that the engine does not take.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, citing};
use crate::model::Table;
use crate::target::Limit;
use crate::units::text;

/// SW703.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW703", name: "item-too-large" },
    level: Level::Error,
    explain: "\
Stores of items and documents limit one of them (DynamoDB 400 KB, MongoDB 16 MB). A row
that is within it on average passes it in the case that matters: the list inside it that
nobody limits.

- an error for a row, at the largest size of its lists, over the limit, or with a list
  that nothing stops
- an error for a single value over the engine's limit for one
- a warning for a row over the size that is advised

What helps: children as rows of their own under the same key; large values outside, with
a reference.

```yaml bad
shardwright: 1
name: the articles of a list inside one item
target: {engine: dynamodb, shards: 8}
tables:
  lists:
    rows: 2M
    primary_key: [list_id]
    columns:
      list_id: {type: uuid, generated: uuid4}
      articles: {type: list, items: unbounded, item_size: 200B}
patterns:
  - {name: a list, read: lists, where: {list_id: eq}, rate: 100/s, consistency: eventual}
plan:
  tables:
    lists: {key: [list_id]}
```

```yaml good
shardwright: 1
name: a hundred articles at most
target: {engine: dynamodb, shards: 8}
tables:
  lists:
    rows: 2M
    primary_key: [list_id]
    columns:
      list_id: {type: uuid, generated: uuid4}
      articles: {type: list, items: 100, item_size: 200B}
patterns:
  - {name: a list, read: lists, where: {list_id: eq}, rate: 100/s, consistency: eventual}
plan:
  tables:
    lists: {key: [list_id]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let engine = cx.engine();
    for table in &cx.design.tables {
        if let Some(limit) = engine.max_item.as_ref().or(engine.max_cell.as_ref()) {
            let endless = table.columns.iter().find(|it| it.list.is_some_and(|list| list.items.is_none()));
            if let Some(column) = endless {
                let message = format!(
                    "nothing stops the list `{}` inside each row of `{}`, and a row ends at {}",
                    column.name, table.name, limit.text
                );
                let help = format!(
                    "keep the entries of `{}` as rows of their own under the same key, or limit them",
                    column.name
                );
                findings.push(citing(
                    RULE.finding(column.span, message).on_table(&table.name).with_help(help),
                    &limit.source,
                ));
                continue;
            }
        }
        let largest = largest_row(table);
        if let Some(limit) = engine.max_item.as_ref().filter(|limit| limit.max < largest) {
            findings.push(too_large(table, largest, limit, Level::Error));
        } else if let Some(limit) = engine.advised_item.as_ref().filter(|limit| limit.max < largest) {
            findings.push(too_large(table, largest, limit, Level::Warning));
        }
        if let Some(limit) = &engine.max_cell {
            for column in table.columns.iter().filter(|it| limit.max < it.bytes().get()) {
                let message = format!(
                    "one value of `{}` can have {}, over {}",
                    column.name,
                    text::bytes(column.bytes().get()),
                    limit.text
                );
                let finding = RULE.finding(column.span, message).on_table(&table.name);
                findings.push(citing(
                    finding.with_help("split it, or keep it outside with a reference"),
                    &limit.source,
                ));
            }
        }
    }
}

/// Bytes of a row whose lists are as long as they get.
fn largest_row(table: &Table) -> f64 {
    let lists: f64 = table.columns.iter().filter(|it| it.list.is_some()).map(|it| it.bytes().get()).sum();
    table.row_bytes().get().max(lists)
}

fn too_large(table: &Table, bytes: f64, limit: &Limit, level: Level) -> Finding {
    let verb = if level == Level::Error { "the limit is" } else { "advised are at most" };
    let message = format!("a row of `{}` can have {}; {verb} {}", table.name, text::bytes(bytes), limit.text);
    let help = "keep its lists as rows of their own, or large values outside with a reference";
    citing(RULE.finding_at(level, table.span, message).on_table(&table.name).with_help(help), &limit.source)
}
