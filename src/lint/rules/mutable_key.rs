//! SW105: a pattern changes the value that decides where a row lives.

use crate::analysis::routing::InstanceRoute;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, StatementView, TableView, citing};
use crate::model::{ColumnId, Operand, Operation};
use crate::target::ValueChange;
use crate::units::text;

/// SW105.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW105", name: "mutable-key" },
    level: Level::Warning,
    explain: "\
A row whose key value changes belongs on another shard. Some engines move it (a
delete and an insert in a distributed transaction), others refuse the statement.

An error where the engine refuses, and for its sort key too where that is part of
the primary key; a warning where the row moves.

What helps: a key that keeps its value for the life of the row; the value that
changes as an ordinary column, with an index if it is searched by.

```yaml bad
shardwright: 1
name: tickets by state
target: {engine: generic, shards: 4}
tables:
  tickets:
    rows: 40M
    row_size: 300B
    primary_key: [ticket_id]
    columns:
      ticket_id: {type: bigint, distinct: 40M}
      queue: {type: text, distinct: 5000}
patterns:
  - {name: hand over, sql: \"UPDATE tickets SET queue = :other WHERE ticket_id = :t AND queue = :q\", rate: 20/s}
plan:
  tables:
    tickets: {key: [queue]}
```

```yaml good
shardwright: 1
name: tickets by id
target: {engine: generic, shards: 4}
tables:
  tickets:
    rows: 40M
    row_size: 300B
    primary_key: [ticket_id]
    columns:
      ticket_id: {type: bigint, distinct: 40M}
      queue: {type: text, distinct: 5000}
patterns:
  - {name: hand over, sql: \"UPDATE tickets SET queue = :other WHERE ticket_id = :t AND queue = :q\", rate: 20/s}
plan:
  tables:
    tickets: {key: [ticket_id]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let change = &cx.engine().key.value_change;
    let refused = change.value == ValueChange::Refused;
    let mut told: Vec<(crate::model::TableId, ColumnId)> = Vec::new();
    for it in cx.statements() {
        if it.statement.op != Operation::Update {
            continue;
        }
        let Some(route) = it.statement.target.and_then(|target| it.route_of(target)) else { continue };
        let Some(table) = cx.table(route.table).filter(|it| it.placed.sharded()) else { continue };
        for column in changeable(cx, &table, refused) {
            if changes(&it, route, column) {
                told.push((table.id, column));
                findings.push(found(cx, &table, &it, column, refused));
            }
        }
    }
    for it in cx.sharded() {
        for column in it.own_key_columns() {
            let declared = it.table.column(column).mutable == Some(true);
            if declared && !told.contains(&(it.id, column)) {
                let name = &it.table.column(column).name;
                let message = format!(
                    "`{name}` is in the key and declared mutable: each change moves the row to another shard"
                );
                let finding = it.about(RULE.finding(it.key_span(), message));
                let help = "take a key whose value stays for the life of the row";
                findings.push(citing_if_refused(finding.with_help(help), cx, refused));
            }
        }
    }
}

/// Columns whose change moves a row, or is refused: the key's, and the sort
/// key's where it is part of a primary key that can't change.
fn changeable(cx: &Judged<'_>, table: &TableView<'_>, refused: bool) -> Vec<ColumnId> {
    let mut all = table.own_key_columns();
    if refused && cx.engine().key.leads_primary_key {
        all.extend(table.plan.iter().flat_map(|it| &it.cluster).map(|it| it.column));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Whether a statement gives a column another value than its rows have.
fn changes(it: &StatementView<'_>, route: &InstanceRoute, column: ColumnId) -> bool {
    if !it.statement.writes_column(column) {
        return false;
    }
    let assigned = it.statement.assigns.iter().find(|(at, _)| *at == column).map(|(_, value)| value);
    let Some(bound) = it.class(route.instance, column) else { return true };
    // `SET k = :k WHERE k = :k` says the same twice.
    !match assigned {
        Some(Operand::Param(id)) => bound.params.iter().any(|(at, _)| at == id),
        Some(Operand::Constant(text)) => bound.constants.contains(text),
        Some(Operand::Column(of)) => of.instance == route.instance && of.column == column,
        Some(Operand::Unknown) | None => false,
    }
}

fn found(
    cx: &Judged<'_>,
    table: &TableView<'_>,
    it: &StatementView<'_>,
    column: ColumnId,
    refused: bool,
) -> Finding {
    let name = &table.table.column(column).name;
    let rate = text::rate(it.rate());
    let message = if refused {
        format!(
            "changes `{name}`, part of the key of `{}`, {rate}: {} refuses it",
            table.table.name,
            cx.engine().name
        )
    } else {
        format!(
            "changes `{name}`, part of the key of `{}`, {rate}: each change moves the row to another shard",
            table.table.name
        )
    };
    let help = if refused {
        format!("delete the row and insert it again, or keep `{name}` out of the key")
    } else {
        format!("keep `{name}` out of the key and index it if it is searched by")
    };
    let level = if refused { Level::Error } else { Level::Warning };
    let finding = it.of.about(RULE.finding_at(level, it.of.pattern.span, message), it.statement);
    citing_if_refused(table.about(finding).with_help(help), cx, refused)
}

fn citing_if_refused(finding: Finding, cx: &Judged<'_>, refused: bool) -> Finding {
    if refused { citing(finding, &cx.engine().key.value_change.source) } else { finding }
}
