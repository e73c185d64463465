//! SW302: a child lacks the column that its parent is kept by.

use crate::analysis::classes::Reading;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, PatternView, Rule, TableView, listed};
use crate::model::{Copied, ForeignKey, KeyPart, Operand, Predicate, TableId};
use crate::units::text;

/// SW302.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW302", name: "missing-key-column" },
    level: Level::Warning,
    explain: "\
A line of an order knows its order, but not the store of the order. When orders are
kept by store, lines can be kept with them only if they carry the store too: the
column is copied down along the foreign key, rows that exist are filled in, and
primary and foreign keys get the column in front.

A warning for a table that the advisor would keep by such a copied column, and for
a table of a given plan that is kept by another key than its parent, lacks the
parent's key column, and is joined or written with the parent in at least half of
its requests. A plan that adds the column (`add_column`) hears of it as an info.

```yaml bad
shardwright: 1
name: lines without the store of their order
target: {engine: generic, shards: 32}
tables:
  orders:
    rows: 60M
    row_size: 200B
    primary_key: [order_id]
    columns:
      order_id: {type: bigint, distinct: 60M}
      store_id: {type: bigint, distinct: 20k}
  lines:
    rows: 180M
    row_size: 80B
    primary_key: [line_id]
    columns:
      line_id: {type: bigint, distinct: 180M}
      order_id: {type: bigint, distinct: 60M, references: orders.order_id}
patterns:
  - name: order with its lines
    sql: SELECT l.line_id FROM orders o JOIN lines l ON l.order_id = o.order_id WHERE o.store_id = :s AND o.order_id = :o
    rate: 300/s
plan:
  tables:
    orders: {key: [store_id]}
    lines: {key: [order_id]}
```

```yaml good
shardwright: 1
name: lines with the store of their order
target: {engine: generic, shards: 32}
tables:
  orders:
    rows: 60M
    row_size: 200B
    primary_key: [store_id, order_id]
    columns:
      order_id: {type: bigint, distinct: 60M}
      store_id: {type: bigint, distinct: 20k}
  lines:
    rows: 180M
    row_size: 80B
    primary_key: [store_id, line_id]
    columns:
      line_id: {type: bigint, distinct: 180M}
      store_id: {type: bigint, distinct: 20k}
      order_id: {type: bigint, distinct: 60M}
patterns:
  - name: order with its lines
    sql: SELECT l.line_id FROM orders o JOIN lines l ON l.store_id = o.store_id AND l.order_id = o.order_id WHERE o.store_id = :s AND o.order_id = :o
    rate: 300/s
plan:
  tables:
    orders: {key: [store_id]}
    lines: {key: [store_id]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.sharded() {
        let copied = copied_parts(&it);
        if !copied.is_empty() {
            findings.push(to_add(cx, &it, &copied));
            continue;
        }
        for key in &it.table.foreign_keys {
            if let Some(finding) = lacking(cx, &it, key) {
                findings.push(finding);
                break;
            }
        }
    }
}

/// The key columns that the plan copies down.
fn copied_parts<'a>(it: &TableView<'a>) -> Vec<&'a Copied> {
    let parts = it.placed.choice.key().map_or(&[][..], |it| &it.parts);
    parts
        .iter()
        .filter_map(|part| match part {
            KeyPart::Copied(it) => Some(it),
            _ => None,
        })
        .collect()
}

/// The plan keeps the table by a column that it does not have yet.
fn to_add(cx: &Judged<'_>, it: &TableView<'_>, copied: &[&Copied]) -> Finding {
    let names: Vec<String> = copied.iter().map(|it| it.name.clone()).collect();
    let first =
        copied.iter().find_map(|copied| copied.path.first()).and_then(|at| it.table.foreign_keys.get(*at));
    let parent = first.map_or("its parent", |key| &cx.design.table(key.parent).name);
    let column = names.join(", ");
    let level = if cx.by_advisor { Level::Warning } else { Level::Info };
    let message = format!(
        "`{}` is to be kept by `{column}`, which it lacks: {} rows get it from `{parent}`",
        it.table.name,
        text::count(it.facts.rows)
    );
    let finding = it.about(RULE.finding_at(level, it.key_span(), message));
    finding.with_help(steps(it, &column, parent)).with_fix(fix(cx, it, &names))
}

fn steps(it: &TableView<'_>, column: &str, parent: &str) -> String {
    let id = it.table.names(&it.table.primary_key);
    let key = if id.is_empty() {
        String::new()
    } else {
        format!(", make the primary key ({column}, {id}) and the foreign key to `{parent}` composite")
    };
    format!("add `{column}` to `{}`, fill it in from `{parent}` for the rows that exist{key}", it.table.name)
}

fn fix(cx: &Judged<'_>, it: &TableView<'_>, names: &[String]) -> String {
    let columns: Vec<String> = names
        .iter()
        .map(|name| {
            let copied = cx.design.copied_column(it.id, name);
            let ty = copied.and_then(|it| {
                cx.design.table(it.source).column(it.column).ty.as_ref().map(|it| it.text.clone())
            });
            format!("ADD COLUMN {name} {}", ty.unwrap_or_else(|| "bigint".to_owned()))
        })
        .collect();
    format!("ALTER TABLE {} {}", it.table.name, columns.join(", "))
}

/// A child kept by another key than its parent, whose key column it lacks.
fn lacking(cx: &Judged<'_>, it: &TableView<'_>, key: &ForeignKey) -> Option<Finding> {
    let parent = cx.table(key.parent).filter(|parent| parent.id != it.id && parent.placed.sharded())?;
    let columns = parent.own_key_columns();
    let names: Vec<&str> = columns.iter().map(|id| parent.table.column(*id).name.as_str()).collect();
    // The child has what its foreign key names, and a column of the same name is taken for the same thing.
    let lacks = |id: &crate::model::ColumnId| {
        !key.parent_columns.contains(id) && it.table.column_named(&parent.table.column(*id).name).is_none()
    };
    let missing: Vec<&str> =
        columns.iter().filter(|id| lacks(id)).map(|id| parent.table.column(*id).name.as_str()).collect();
    if missing.is_empty() || names.is_empty() || cx.by_advisor {
        return None;
    }
    let (together, all) = rates(cx, it.id, key);
    if all <= 0.0 || together < 0.5 * all {
        return None;
    }
    let column = missing.join(", ");
    let message = format!(
        "`{}` lacks `{column}`, by which `{}` is kept, so it can't be kept with it, although {} of its {} requests use both",
        it.table.name,
        parent.table.name,
        text::share(together / all),
        text::rate(all)
    );
    let names: Vec<String> = missing.iter().map(|it| (*it).to_owned()).collect();
    let finding = it.about(RULE.finding(it.key_span(), message));
    let help = format!("{}; then keep it by {}", steps(it, &column, &parent.table.name), listed(&missing));
    Some(finding.with_help(help).with_fix(fix(cx, it, &names)))
}

/// Requests a second that use a table, and those of them that use its parent
/// with it along the foreign key.
fn rates(cx: &Judged<'_>, child: TableId, key: &ForeignKey) -> (f64, f64) {
    let (mut together, mut all) = (0.0, 0.0);
    for pattern in cx.patterns() {
        let uses = |table| {
            pattern.pattern.statements().any(|(_, it)| it.instances.iter().any(|it| it.table == table))
        };
        if !uses(child) {
            continue;
        }
        all += pattern.figures.rate;
        if uses(key.parent) && tied(cx, &pattern, child, key) {
            together += pattern.figures.rate;
        }
    }
    (together, all)
}

/// Whether a pattern names a child and its parent by the columns of their foreign key.
fn tied(cx: &Judged<'_>, pattern: &PatternView<'_>, child: TableId, key: &ForeignKey) -> bool {
    let classes = cx.setting.classes(pattern.id, Reading::Written);
    let statements: Vec<_> = pattern.pattern.statements().map(|(_, it)| it).collect();
    let class_of = |table: TableId, column| {
        statements.iter().enumerate().flat_map(move |(idx, statement)| {
            statement
                .instance_ids()
                .filter(move |it| statement.instance(*it).table == table)
                .filter_map(move |it| classes.column(idx as u32, it, column))
        })
    };
    let by_value = key.columns.iter().zip(&key.parent_columns).all(|(here, there)| {
        let theirs: Vec<_> = class_of(key.parent, *there).collect();
        class_of(child, *here).any(|it| theirs.contains(&it))
    });
    let by_join = || {
        statements.iter().any(|statement| {
            statement.predicates.iter().any(|it| match it {
                Predicate::Follows { column, of: Operand::Column(other), .. } => {
                    let pair =
                        (statement.instance(column.instance).table, statement.instance(other.instance).table);
                    pair == (child, key.parent) || pair == (key.parent, child)
                }
                _ => false,
            })
        })
    };
    by_value || by_join()
}
