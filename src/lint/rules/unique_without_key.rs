//! SW108: a uniqueness constraint that can't be enforced under this key.

use crate::analysis::placed::{PlacedPart, follows_from};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView, citing};
use crate::model::{Choice, ColumnId, Generated, Scope, Table};
use crate::source::Span;
use crate::target::Uniqueness;

/// SW108.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW108", name: "unique-without-key" },
    level: Level::Error,
    explain: "\
A shard sees only its own rows. It can keep a column unique in the whole table only
if equal values always come to the same shard, that is, if the constraint contains
the shard key. Otherwise the engine refuses the constraint, or enforces it in each
shard alone, and the same e-mail address exists twice.

- an error for a constraint that means something: a declared `unique`, or a primary
  key whose values are not generated
- a warning for a set with a generated surrogate (a counter, a UUID, a Snowflake id),
  which is unique by generation, and for one from which the key follows (the customer
  of an order, copied down): it can be widened to (key, id) without loss; an error
  under `check` where the engine refuses the statement as it stands

It stays quiet where the set contains the key columns, for replicated and unsharded
tables, where the plan has a unique global index on the set, where the engine makes
such an index by itself, where it enforces nothing and says so, and for the primary
key of an engine that partitions by the front of the primary key.

Ways out: the constraint's column in the key; a unique global index or a lookup
table; a marker row for each value, written in one transaction with the row.

```yaml bad
shardwright: 1
name: devices by row number, unique by name
target: {engine: citus, shards: 32, nodes: 4}
tables:
  devices:
    rows: 400M
    row_size: 160B
    primary_key: [id]
    unique: [[serial]]
    columns:
      id: {type: bigint, generated: autoincrement}
      serial: {type: text, distinct: 400M}
patterns:
  - {name: device by number, sql: \"SELECT * FROM devices WHERE id = :i\", rate: 400/s}
plan:
  tables:
    devices: {key: [id]}
```

```yaml good
shardwright: 1
name: devices by name
target: {engine: citus, shards: 32, nodes: 4}
tables:
  devices:
    rows: 400M
    row_size: 160B
    primary_key: [serial, id]
    unique: [[serial]]
    columns:
      id: {type: bigint, generated: autoincrement}
      serial: {type: text, distinct: 400M}
patterns:
  - {name: device by name, sql: \"SELECT * FROM devices WHERE serial = :s\", rate: 400/s}
plan:
  tables:
    devices: {key: [serial]}
```
",
    check,
};

/// A set of columns declared unique.
struct Constraint<'a> {
    columns: &'a [ColumnId],
    primary: bool,
    span: Option<Span>,
}

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.sharded() {
        for constraint in constraints(it.table) {
            let keeps = |id: &ColumnId| constraint.columns.contains(id);
            if contains_key(&it, &keeps) || is_enforced(cx, &it, &constraint) || it.facts.rows <= 1.0 {
                continue;
            }
            if super::index_not_unique::relied_on(cx, &it, constraint.columns).is_some() {
                // The index that is taken for the constraint has a rule of its own.
                continue;
            }
            if let Some(level) = level(cx, &it, &constraint) {
                findings.push(finding(cx, &it, &constraint, level));
            }
        }
    }
}

fn constraints(table: &Table) -> impl Iterator<Item = Constraint<'_>> {
    let primary = (!table.primary_key.is_empty()).then_some(Constraint {
        columns: &table.primary_key,
        primary: true,
        span: table.primary_key_span,
    });
    let declared =
        table.unique.iter().map(|(columns, span)| Constraint { columns, primary: false, span: Some(*span) });
    primary.into_iter().chain(declared)
}

/// Whether every part of the key, and what its salt is computed from, is in a set of columns.
fn contains_key(it: &TableView<'_>, keeps: &dyn Fn(&ColumnId) -> bool) -> bool {
    let parts = it.placed.parts.iter().all(|part| match part {
        PlacedPart::Column(id) | PlacedPart::Bucket(id, _) | PlacedPart::Expression(_, id) => keeps(id),
        PlacedPart::Copied(_) => false,
    });
    parts && it.salt().is_none_or(|salt| salt.from.as_ref().is_some_and(keeps))
}

/// Whether the engine, or an index of the plan, keeps the set unique anyway.
fn is_enforced(cx: &Judged<'_>, it: &TableView<'_>, constraint: &Constraint<'_>) -> bool {
    let engine = cx.engine();
    if engine.unique.value == Uniqueness::NotEnforced {
        return true;
    }
    if engine.index.made_for_unique.is_some() && engine.unique.value == Uniqueness::Anywhere {
        return true;
    }
    cx.plan.is_some_and(|plan| {
        plan.indexes.iter().any(|index| {
            index.table == it.id
                && index.scope == Scope::Global
                && engine.index.unique
                && (index.unique || engine.index.made_for_unique.is_some())
                && index.key.iter().all(|id| constraint.columns.contains(id))
        })
    })
}

/// How bad it is to lose a constraint; `None` where it is no constraint there.
fn level(cx: &Judged<'_>, it: &TableView<'_>, constraint: &Constraint<'_>) -> Option<Level> {
    let engine = cx.engine();
    let leads = engine.key.leads_primary_key && constraint.primary;
    if is_generated(it.table, constraint.columns) || is_implied(cx, it, constraint.columns) {
        let refused = cx.under_check && engine.unique.value == Uniqueness::WithKey;
        return (!leads).then_some(if refused { Level::Error } else { Level::Warning });
    }
    Some(if leads { Level::Warning } else { Level::Error })
}

/// Whether a set is unique by the way its values are made.
fn is_generated(table: &Table, columns: &[ColumnId]) -> bool {
    columns.iter().any(|id| table.column(*id).generated.is_some_and(|it| it != Generated::Time))
}

/// Whether the key follows from the set, so that widening the set by it loses nothing.
fn is_implied(cx: &Judged<'_>, it: &TableView<'_>, columns: &[ColumnId]) -> bool {
    let setting = cx.setting;
    let follows = |part| follows_from(setting.design, &setting.copied, it.id, part, columns);
    it.salt().is_none() && it.placed.parts.iter().all(follows)
}

/// Whether a key of these columns would lose a constraint that means something.
pub(super) fn breaks_business(cx: &Judged<'_>, it: &TableView<'_>, key: &[ColumnId]) -> bool {
    constraints(it.table).any(|constraint| {
        let generated = is_generated(it.table, constraint.columns);
        let part_of_key = cx.engine().key.leads_primary_key && constraint.primary;
        let follows = |id: &ColumnId| {
            let mut set = constraint.columns.iter();
            constraint.columns.contains(id) || set.any(|of| it.table.column(*of).determines.contains(id))
        };
        let contained = key.iter().all(follows);
        !(generated || part_of_key || contained || is_enforced(cx, it, &constraint))
    })
}

fn finding(cx: &Judged<'_>, it: &TableView<'_>, constraint: &Constraint<'_>, level: Level) -> Finding {
    let engine = cx.engine();
    let columns = it.table.names(constraint.columns);
    let kind = if constraint.primary { "primary key" } else { "unique" };
    let key = it.key_text();
    let how = match engine.unique.value {
        Uniqueness::WithKey => {
            format!("{} enforces only constraints that contain the shard key", engine.name)
        }
        Uniqueness::PrimaryKeyOnly => {
            format!("{} enforces only the primary key, which starts with the shard key", engine.name)
        }
        Uniqueness::WithinPartition => {
            format!("{} enforces it only among rows of one key value", engine.name)
        }
        Uniqueness::Anywhere | Uniqueness::NotEnforced => {
            format!("{} needs a unique {} for it", engine.name, engine.index.global.unwrap_or("global index"))
        }
    };
    let message =
        format!("`{}` is kept by `{key}`, which {kind} ({columns}) does not contain: {how}", it.table.name);
    let span = constraint.span.filter(|it| 0 < it.end).unwrap_or_else(|| it.key_span());
    let finding = it.about(RULE.finding_at(level, span, message)).with_help(help(cx, it, constraint));
    citing(finding, &engine.unique.source)
}

fn help(cx: &Judged<'_>, it: &TableView<'_>, constraint: &Constraint<'_>) -> String {
    let engine = cx.engine();
    let columns = it.table.names(constraint.columns);
    let mut names = it.key_names();
    names.retain(|name| !constraint.columns.iter().any(|id| it.table.column(*id).name == *name));
    let widened = format!("({}, {columns})", names.join(", "));
    if is_generated(it.table, constraint.columns) {
        let kind = if constraint.primary { "primary key" } else { "constraint" };
        return format!("widen the {kind} to {widened}: the generated value stays unique by generation");
    }
    if is_implied(cx, it, constraint.columns) {
        return format!(
            "widen it to {widened}: one value of ({columns}) has one value of the key, so nothing is lost"
        );
    }
    let lookup = match engine.index.global {
        Some(kind) if engine.index.unique => format!("a unique {kind} on ({columns})"),
        _ => format!(
            "a lookup table keyed by ({columns}), or a marker row for each value, written in one transaction with the row"
        ),
    };
    let by_key = matches!(it.placed.choice, Choice::Sharded(_)) && !constraint.primary;
    if by_key {
        format!("keep `{}` by ({columns}), or keep {lookup}", it.table.name)
    } else {
        format!("keep {lookup}, or widen it to {widened} if that is what is meant")
    }
}
