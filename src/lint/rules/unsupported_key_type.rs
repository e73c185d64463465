//! SW110: a key that the engine does not take.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView, citing};
use crate::model::{ColumnId, Table};
use crate::target::Source;

/// SW110.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW110", name: "unsupported-key-type" },
    level: Level::Error,
    explain: "\
Engines limit what may be a shard key: the types of its columns (a shard map of
Azure SQL takes integers, GUIDs, bytes and times, no text), how many columns it
has (Citus: one), and whether a prefix of it can route (Cosmos DB: up to three
levels; elsewhere not at all).

An error for a key that breaks one of these.

```yaml bad
shardwright: 1
name: customers by a text code
target: {engine: azure_sql_elastic, shards: 16, nodes: 16}
tables:
  customers:
    rows: 10k
    row_size: 500B
    primary_key: [code]
    columns:
      code: {type: varchar(20), distinct: 10k}
patterns:
  - {name: customer, sql: \"SELECT * FROM customers WHERE code = :c\", rate: 2k/s}
plan:
  tables:
    customers: {key: [code], strategy: list}
```

```yaml good
shardwright: 1
name: customers by a number
target: {engine: azure_sql_elastic, shards: 16, nodes: 16}
tables:
  customers:
    rows: 10k
    row_size: 500B
    primary_key: [customer_id]
    columns:
      customer_id: {type: int, distinct: 10k}
patterns:
  - {name: customer, sql: \"SELECT * FROM customers WHERE customer_id = :c\", rate: 2k/s}
plan:
  tables:
    customers: {key: [customer_id], strategy: list}
```
",
    check,
};

/// Whether the engine refuses a key of these columns.
pub(super) fn refused_columns(cx: &Judged<'_>, table: &Table, columns: &[ColumnId]) -> bool {
    let rules = &cx.engine().key;
    let too_many = rules.max_columns.is_some_and(|it| (it.value as usize) < columns.len());
    let refused = |id: &ColumnId| {
        table.column(*id).ty.as_ref().is_some_and(|ty| rules.refused_types.contains(&ty.family))
    };
    too_many || columns.iter().any(refused)
}

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.tables().filter(|it| it.placed.sharded()) {
        types(cx, &it, findings);
        numbers(cx, &it, findings);
    }
}

fn types(cx: &Judged<'_>, it: &TableView<'_>, findings: &mut Vec<Finding>) {
    let engine = cx.engine();
    for part in &it.placed.parts {
        let Some(ty) = it.part_type(part).filter(|ty| engine.key.refused_types.contains(&ty.family)) else {
            continue;
        };
        let name = it.part_name(part);
        let message = format!("`{name}` is `{}`, and {} does not shard by that type", ty.text, engine.name);
        let help = "take a column of another type, or add one that is computed from it";
        findings.push(cited(
            it.about(RULE.finding(it.key_span(), message)).with_help(help),
            engine.key.types_source.as_ref(),
        ));
    }
}

fn numbers(cx: &Judged<'_>, it: &TableView<'_>, findings: &mut Vec<Finding>) {
    let engine = cx.engine();
    let parts = it.placed.parts.len();
    if it.placed.hierarchical {
        let most = engine.key.hierarchical.map_or(1, |it| it.value as usize);
        if most < parts {
            let message = if engine.key.hierarchical.is_some() {
                format!("the key has {parts} levels, and {} takes {most}", engine.name)
            } else {
                format!("{} has no hierarchical keys: a prefix of the key does not route", engine.name)
            };
            let finding = it.about(RULE.finding(it.key_span(), message)).with_help("leave levels out");
            findings.push(cited(finding, engine.key.hierarchical.map(|it| it.source).as_ref()));
        }
        return;
    }
    let Some(most) = engine.key.max_columns.filter(|it| (it.value as usize) < parts) else { return };
    let columns = if most.value == 1 { "one column".to_owned() } else { format!("{} columns", most.value) };
    let message = format!("the key has {parts} columns, and {} shards by {columns}", engine.name);
    let help = format!(
        "keep `{}` by `{}` alone, or add one column that is computed from all of them",
        it.table.name,
        it.key_names().first().cloned().unwrap_or_default()
    );
    findings.push(cited(it.about(RULE.finding(it.key_span(), message)).with_help(help), Some(&most.source)));
}

fn cited(finding: Finding, source: Option<&Source>) -> Finding {
    match source {
        Some(source) => citing(finding, source),
        None => finding,
    }
}
