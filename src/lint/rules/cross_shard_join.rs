//! SW205: a join whose rows are on different shards.

use crate::analysis::routing::{How, InstanceRoute, together};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, StatementView, citing};
use crate::model::{InstanceId, Operand, Predicate, TableId};
use crate::target::JoinSupport;
use crate::units::text;

/// SW205.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW205", name: "cross-shard-join" },
    level: Level::Warning,
    explain: "\
Two tables are joined on one shard when equal key values of both live together and
the join equates the whole keys, or when one of them has a copy on every shard.
Otherwise rows travel: one look-up for each row of one side, or a shuffle of both.

A warning for a join of two tables whose rows are not on one shard; an error where
the engine runs only joins within a shard.

What helps: the same key for both, with the key columns in the join condition; a
copy of the smaller table on every shard, if it is rarely written; the few columns
that are wanted, copied to the other side.

```yaml bad
shardwright: 1
name: items a user bought, kept by their sellers
target: {engine: generic, shards: 16}
tables:
  bought:
    rows: 60M
    row_size: 100B
    primary_key: [user_id, item_id]
    columns:
      user_id: {type: bigint, distinct: 8M}
      item_id: {type: bigint, distinct: 60M}
      seller_id: {type: bigint, distinct: 8M}
  item:
    rows: 100M
    row_size: 400B
    primary_key: [seller_id, item_id]
    columns:
      item_id: {type: bigint, distinct: 100M}
      seller_id: {type: bigint, distinct: 8M}
      name: text
patterns:
  - name: bought items
    sql: SELECT i.name FROM bought b JOIN item i ON i.item_id = b.item_id AND i.seller_id = b.seller_id WHERE b.user_id = :u
    rate: 95/s
plan:
  tables:
    bought: {key: [user_id]}
    item: {key: [seller_id]}
```

```yaml good
shardwright: 1
name: items a seller sold, kept by their sellers
target: {engine: generic, shards: 16}
tables:
  bought:
    rows: 60M
    row_size: 100B
    primary_key: [seller_id, user_id, item_id]
    columns:
      user_id: {type: bigint, distinct: 8M}
      item_id: {type: bigint, distinct: 60M}
      seller_id: {type: bigint, distinct: 8M}
  item:
    rows: 100M
    row_size: 400B
    primary_key: [seller_id, item_id]
    columns:
      item_id: {type: bigint, distinct: 100M}
      seller_id: {type: bigint, distinct: 8M}
      name: text
patterns:
  - name: sold items
    sql: SELECT i.name FROM bought b JOIN item i ON i.item_id = b.item_id AND i.seller_id = b.seller_id WHERE b.seller_id = :s
    rate: 95/s
plan:
  tables:
    bought: {key: [seller_id]}
    item: {key: [seller_id]}
```
",
    check,
};

/// A join whose sides are on different shards.
pub(super) struct Apart<'a> {
    pub(super) it: StatementView<'a>,
    pub(super) a: &'a InstanceRoute,
    pub(super) b: &'a InstanceRoute,
    /// The condition, as the statement names it.
    on: String,
}

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let joins = &cx.engine().joins;
    let refused = joins.value == JoinSupport::ColocatedOnly;
    let level = if refused { Level::Error } else { Level::Warning };
    for apart in joins_apart(cx) {
        let it = &apart.it;
        let name = |route: &InstanceRoute| cx.design.table(route.table).name.clone();
        let cost = match (&apart.a.how, &apart.b.how) {
            (_, How::PerRow(rows)) | (How::PerRow(rows), _) => {
                format!(
                    "each of {} runs makes about {} look-ups on other shards",
                    text::rate(it.rate()),
                    text::count(rows.max(1.0))
                )
            }
            _ => format!(
                "each of {} runs moves about {} rows between shards",
                text::rate(it.rate()),
                text::count(it.route.moved.max(1.0))
            ),
        };
        let message = if refused {
            format!(
                "joins `{}` and `{}` on {}, which are on different shards; {} refuses that",
                name(apart.a),
                name(apart.b),
                apart.on,
                cx.engine().name
            )
        } else {
            format!(
                "joins `{}` and `{}` on {}, which are on different shards: {cost}",
                name(apart.a),
                name(apart.b),
                apart.on
            )
        };
        let finding = it.of.about(RULE.finding_at(level, it.of.pattern.span, message), it.statement);
        let finding = finding.on_table(name(apart.b)).with_help(help(cx, &apart));
        findings.push(if refused { citing(finding, &joins.source) } else { finding });
    }
}

/// Joins of a plan whose sides are on different shards; each pattern and pair of tables once.
pub(super) fn joins_apart<'a>(cx: &Judged<'a>) -> Vec<Apart<'a>> {
    let mut all = Vec::new();
    let mut seen: Vec<(crate::model::PatternId, TableId, TableId)> = Vec::new();
    let Some(assessment) = cx.assessment.filter(|_| 1 < cx.setting.shards) else { return all };
    let placed = |table: TableId| &assessment.placed[table.0 as usize];
    for it in cx.statements() {
        let routes: Vec<&InstanceRoute> = it.route.instances.iter().collect();
        for (idx, a) in routes.iter().enumerate() {
            for b in &routes[idx + 1..] {
                let Some(on) = joined_on(cx, &it, a.instance, b.instance) else { continue };
                let name = (it.of.id, a.table.min(b.table), a.table.max(b.table));
                if seen.contains(&name) || together(a, b, &routes, &placed) || by_index(a) && by_index(b) {
                    continue;
                }
                seen.push(name);
                all.push(Apart { it, a, b, on });
            }
        }
    }
    all
}

/// An index that answers alone has its rows beside it.
fn by_index(route: &InstanceRoute) -> bool {
    matches!(route.how, How::Index { covers: true, .. })
}

/// The condition that ties two instances, if there is one.
fn joined_on(cx: &Judged<'_>, it: &StatementView<'_>, a: InstanceId, b: InstanceId) -> Option<String> {
    let name = |column: &crate::model::ColumnRef| {
        let instance = it.statement.instance(column.instance);
        format!("{}.{}", instance.alias, cx.design.table(instance.table).column(column.column).name)
    };
    it.statement.predicates.iter().find_map(|predicate| {
        let (Predicate::Equal { column, to: Operand::Column(other), .. }
        | Predicate::Follows { column, of: Operand::Column(other), .. }) = predicate
        else {
            return None;
        };
        let pair = (column.instance, other.instance);
        (pair == (a, b) || pair == (b, a)).then(|| format!("{} = {}", name(column), name(other)))
    })
}

fn help(cx: &Judged<'_>, apart: &Apart<'_>) -> String {
    let view = |route: &InstanceRoute| cx.table(route.table);
    let (Some(a), Some(b)) = (view(apart.a), view(apart.b)) else { return String::new() };
    let key = |it: &crate::lint::TableView<'_>| {
        if it.placed.sharded() {
            format!("`{}` is kept by `{}`", it.table.name, it.key_text())
        } else {
            format!("`{}` is on one shard", it.table.name)
        }
    };
    let copy = [&a, &b]
        .into_iter()
        .filter(|it| it.figures.bytes.1 <= super::could_be_replicated::SMALL)
        .min_by(|a, b| a.figures.bytes.1.total_cmp(&b.figures.bytes.1));
    let ways = match copy {
        Some(small) if cx.engine().replicated.is_some_and(|it| it.value) => {
            format!("give both one key, or keep a copy of `{}` on every shard", small.table.name)
        }
        _ => "give both one key and join on it, or copy the columns that are wanted to the other side"
            .to_owned(),
    };
    format!("{} and {}: {ways}", key(&a), key(&b))
}
