//! SW203: one more predicate, which the data implies, would find the shard.

use crate::analysis::assessment::pattern_figures;
use crate::analysis::classes::{ClassId, Reading};
use crate::analysis::placed::{Placed, PlacedPart};
use crate::analysis::routing::{At, How, InstanceRoute, Spaces};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, StatementView};
use crate::model::{InstanceId, TableId};
use crate::units::text;

/// SW203.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW203", name: "missing-key-predicate" },
    level: Level::Warning,
    explain: "\
A foreign key says more than the join that uses it: if an item names its order and
carries a copy of the order's customer, then `items.order_id = orders.order_id`
makes `items.customer_id = orders.customer_id` true of the data. Most routers do
not know that. A statement that leaves the second equality out is sent to every
shard, with it to one.

A warning for a statement that would touch fewer shards with a predicate that the
data implies and whose value the statement already holds. The finding gives the
predicate. It is no change of the answer.

```yaml bad
shardwright: 1
name: items of an order, joined by the order alone
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 100M
    row_size: 200B
    primary_key: [customer_id, order_id]
    columns:
      order_id: {type: bigint, distinct: 100M}
      customer_id: {type: bigint, distinct: 5M}
    unique: [[order_id]]
  items:
    rows: 400M
    row_size: 80B
    primary_key: [order_id, line]
    columns:
      order_id: {type: bigint, distinct: 100M, references: orders.order_id}
      line: {type: int, distinct: 50}
patterns:
  - name: an order with its items
    sql: SELECT i.line FROM orders o JOIN items i ON i.order_id = o.order_id WHERE o.customer_id = :c AND o.order_id = :o
    rate: 300/s
plan:
  tables:
    orders: {key: [customer_id]}
    items: {key: [customer_id], add_column: customer_id}
```

```yaml good
shardwright: 1
name: items of an order, both bound by the customer
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 100M
    row_size: 200B
    primary_key: [customer_id, order_id]
    columns:
      order_id: {type: bigint, distinct: 100M}
      customer_id: {type: bigint, distinct: 5M}
  items:
    rows: 400M
    row_size: 80B
    primary_key: [customer_id, order_id, line]
    columns:
      order_id: {type: bigint, distinct: 100M}
      customer_id: {type: bigint, distinct: 5M}
      line: {type: int, distinct: 50}
patterns:
  - name: an order with its items
    sql: SELECT i.line FROM orders o JOIN items i ON i.customer_id = o.customer_id AND i.order_id = o.order_id WHERE o.customer_id = :c AND o.order_id = :o
    rate: 300/s
plan:
  tables:
    orders: {key: [customer_id]}
    items: {key: [customer_id]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    // The advisor's own plan is scored with its rewrites made, and lists them.
    let Some(assessment) = cx.assessment.filter(|_| !cx.by_advisor && 1 < cx.setting.shards) else { return };
    let placed = |table: TableId| &assessment.placed[table.0 as usize];
    for pattern in cx.patterns() {
        let lost = pattern.figures.statements.iter().flat_map(|it| &it.instances).any(is_lost);
        if !lost {
            continue;
        }
        let better = pattern_figures(cx.setting, pattern.id, &placed, &Spaces::default(), Reading::Implied);
        let implied = At::all(cx.setting, pattern.id, Reading::Implied);
        for ((it, now), at) in cx.statements_of(&pattern).iter().zip(&better.statements).zip(&implied) {
            for (was, would) in it.route.instances.iter().zip(&now.instances) {
                if !is_lost(was) || is_lost(would) {
                    continue;
                }
                findings.extend(finding(cx, it, at, was, placed(was.table)));
            }
        }
    }
}

fn is_lost(route: &InstanceRoute) -> bool {
    matches!(route.how, How::Scatter | How::PerRow(_))
}

fn finding(
    cx: &Judged<'_>,
    it: &StatementView<'_>,
    at: &At<'_>,
    route: &InstanceRoute,
    placed: &Placed,
) -> Option<Finding> {
    let table = cx.table(route.table)?;
    let alias = &it.statement.instance(route.instance).alias;
    let mut added = Vec::new();
    for idx in &route.missing {
        let part = placed.parts.get(*idx)?;
        let class = part_class(at, route.instance, part)?;
        added.push(format!(
            "{alias}.{} = {}",
            table.part_name(part),
            other_side(cx, it, at, route.instance, class)?
        ));
    }
    let add = added.join(" AND ");
    let message = format!(
        "asks {} of `{}` although the data implies `{add}`; with it {} touch one shard each",
        match &route.how {
            How::PerRow(rows) => format!("{} times for rows", text::count(*rows)),
            _ => format!("all {} shards", cx.setting.shards),
        },
        table.table.name,
        text::rate(it.rate())
    );
    let finding = it.of.about(RULE.finding(it.of.pattern.span, message), it.statement);
    Some(
        table
            .about(finding)
            .with_help("add the predicate: the answer stays the same")
            .with_fix(format!("AND {add}")),
    )
}

fn part_class(at: &At<'_>, instance: InstanceId, part: &PlacedPart) -> Option<ClassId> {
    match part {
        PlacedPart::Column(column) | PlacedPart::Bucket(column, _) => {
            at.classes.column(at.idx, instance, *column)
        }
        PlacedPart::Copied(idx) => at.classes.copied(at.idx, instance, *idx),
        PlacedPart::Expression(text, _) => at.classes.expression(at.idx, instance, text),
    }
}

/// What the statement already holds that equals a class: a parameter, else a
/// column of another table, else a constant.
fn other_side(
    cx: &Judged<'_>,
    it: &StatementView<'_>,
    at: &At<'_>,
    instance: InstanceId,
    class: ClassId,
) -> Option<String> {
    let class = at.classes.class(class);
    let column = class.columns.iter().find(|(stmt, column)| *stmt == at.idx && column.instance != instance);
    if let Some((_, column)) = column {
        let other = it.statement.instance(column.instance);
        return Some(format!("{}.{}", other.alias, cx.design.table(other.table).column(column.column).name));
    }
    if let Some((id, _)) = class.params.first() {
        return it.of.pattern.params.get(id.0 as usize).map(|it| format!(":{}", it.name));
    }
    class.constants.first().cloned()
}
