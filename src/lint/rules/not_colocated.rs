//! SW301: tables that are used together are kept apart although one key would serve both.

use crate::analysis::assessment::Assessment;
use crate::analysis::classes::ClassId;
use crate::analysis::partition::fullest;
use crate::analysis::placed::{Placed, PlacedPart};
use crate::analysis::routing::{At, How, InstanceRoute};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Change, Judged, Rule, StatementView, TableView, tuple};
use crate::model::{Choice, ColumnId, ShardKey, TableId};
use crate::target::Colocation;
use crate::units::text;

/// SW301.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW301", name: "not-colocated" },
    level: Level::Warning,
    explain: "\
Tables that are joined, or written in one transaction, belong on one shard. They
meet there when both are kept by the column that ties them: the customer of an
order and of its lines, the seller of an item and of its bids.

A warning for a table whose statements name, together with another table's key, a
column of its own that has the same value, so that both could share one key, when
the whole plan does at least 1% less work with that key. That is tried, not
guessed: every pattern is judged again with the other key for this one table. A key
that the engine refuses, or that outgrows a partition, is not proposed.

```yaml bad
shardwright: 1
name: items by their id, sellers by theirs
target: {engine: generic, shards: 16}
tables:
  seller:
    rows: 8M
    row_size: 300B
    primary_key: [seller_id]
    columns:
      seller_id: {type: bigint, distinct: 8M}
      open_items: int
  item:
    rows: 100M
    row_size: 400B
    primary_key: [item_id, seller_id]
    columns:
      item_id: {type: bigint, distinct: 100M}
      seller_id: {type: bigint, distinct: 8M}
patterns:
  - name: new item
    transaction:
      - INSERT INTO item (item_id, seller_id) VALUES (:i, :s)
      - UPDATE seller SET open_items = open_items + 1 WHERE seller_id = :s
    rate: 1000/s
plan:
  tables:
    seller: {key: [seller_id]}
    item: {key: [item_id]}
```

```yaml good
shardwright: 1
name: items with their sellers
target: {engine: generic, shards: 16}
tables:
  seller:
    rows: 8M
    row_size: 300B
    primary_key: [seller_id]
    columns:
      seller_id: {type: bigint, distinct: 8M}
      open_items: int
  item:
    rows: 100M
    row_size: 400B
    primary_key: [item_id, seller_id]
    columns:
      item_id: {type: bigint, distinct: 100M}
      seller_id: {type: bigint, distinct: 8M}
patterns:
  - name: new item
    transaction:
      - INSERT INTO item (item_id, seller_id) VALUES (:i, :s)
      - UPDATE seller SET open_items = open_items + 1 WHERE seller_id = :s
    rate: 1000/s
plan:
  tables:
    seller: {key: [seller_id]}
    item: {key: [seller_id]}
```
",
    check,
};

/// Work that another key must save to be worth a word.
const WORTH: f64 = 0.01;
/// Keys tried for one table.
const TRIED: usize = 24;

/// Another key for a table, and the table that it would meet.
struct Shared {
    key: Vec<ColumnId>,
    with: TableId,
}

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    // The advisor has tried every key for every table.
    let Some(now) = cx.assessment.filter(|_| !cx.by_advisor) else { return };
    if cx.engine().colocation == Colocation::PerTable {
        return;
    }
    let mut all: Vec<(TableView<'_>, Shared, Change)> = Vec::new();
    for it in cx.sharded() {
        let mut best: Option<(Shared, Change)> = None;
        for shared in shared_keys(cx, &it) {
            let Some(would) = judged(cx, &it, &shared) else { continue };
            let so_far = best.as_ref().map_or(now.totals.weighted * (1.0 - WORTH), |(_, best)| best.weighted);
            if would.weighted < so_far {
                best = Some((shared, would));
            }
        }
        all.extend(best.map(|(shared, would)| (it, shared, would)));
    }
    // The greatest gain first; no table is told to follow one that is itself told to move.
    all.sort_by(|a, b| a.2.weighted.total_cmp(&b.2.weighted).then(a.0.id.cmp(&b.0.id)));
    let (mut moved, mut followed): (Vec<TableId>, Vec<TableId>) = (Vec::new(), Vec::new());
    for (it, shared, would) in &all {
        if moved.contains(&shared.with) || followed.contains(&it.id) {
            continue;
        }
        moved.push(it.id);
        followed.push(shared.with);
        findings.push(finding(cx, it, shared, now, would));
    }
}

/// The plan with a shared key, unless the engine or a partition's limit forbids it.
fn judged(cx: &Judged<'_>, it: &TableView<'_>, shared: &Shared) -> Option<Change> {
    let choice = choice_of(it.placed, &shared.key);
    if super::unsupported_key_type::refused_columns(cx, it.table, &shared.key) {
        return None;
    }
    let placed = cx.placed_with(it.id, &choice)?;
    let fullest = fullest(cx.setting, &placed);
    if fullest.is_some_and(|full| super::unbounded_partition::passes_hard(cx, it, &full)) {
        return None;
    }
    if super::unique_without_key::breaks_business(cx, it, &shared.key) {
        return None;
    }
    cx.change(it.id, &placed)
}

fn choice_of(placed: &Placed, columns: &[ColumnId]) -> Choice {
    let strategy = placed.choice.key().and_then(|it| it.strategy);
    Choice::Sharded(ShardKey { strategy, ..ShardKey::of_columns(columns) })
}

/// Keys of the table's own columns that have the values of another table's key
/// in some pattern that uses both.
fn shared_keys(cx: &Judged<'_>, it: &TableView<'_>) -> Vec<Shared> {
    let mut all: Vec<Shared> = Vec::new();
    for own in cx.statements_on(it.id) {
        for route in own.route.instances.iter().filter(|route| route.table == it.id) {
            for shared in met(cx, &own, route) {
                let known =
                    shared.key == it.own_key_columns() || all.iter().any(|other| other.key == shared.key);
                if !known && all.len() < TRIED {
                    all.push(shared);
                }
            }
        }
    }
    all
}

/// Keys by which an instance would meet other tables of its pattern.
fn met(cx: &Judged<'_>, own: &StatementView<'_>, route: &InstanceRoute) -> Vec<Shared> {
    let mut all = Vec::new();
    for other in cx.statements_of(&own.of) {
        for there in &other.route.instances {
            if there.table == route.table || !is_found(&there.how) {
                continue;
            }
            let Some(with) = cx.table(there.table).filter(|it| it.placed.sharded()) else { continue };
            let key = same_values(own, route.instance, other, there.instance, &with);
            all.extend(key.map(|key| Shared { key, with: with.id }));
        }
    }
    all
}

/// Whether a table is found by its key.
fn is_found(how: &How) -> bool {
    matches!(how, How::Key | How::Few(_) | How::With(_))
}

/// Columns of one instance that have, part by part, the values of another's key.
fn same_values(
    own: &StatementView<'_>,
    instance: crate::model::InstanceId,
    other: &StatementView<'_>,
    there: crate::model::InstanceId,
    with: &TableView<'_>,
) -> Option<Vec<ColumnId>> {
    let table = own.at.setting.design.table(own.statement.instance(instance).table);
    let mut key = Vec::new();
    for part in &with.placed.parts {
        let class = part_class(&other.at, there, part)?;
        let column = table.column_ids().find(|column| {
            !key.contains(column) && own.at.classes.column(own.at.idx, instance, *column) == Some(class)
        })?;
        key.push(column);
    }
    (!key.is_empty()).then_some(key)
}

fn part_class(at: &At<'_>, instance: crate::model::InstanceId, part: &PlacedPart) -> Option<ClassId> {
    match part {
        PlacedPart::Column(column) => at.classes.column(at.idx, instance, *column),
        PlacedPart::Copied(idx) => at.classes.copied(at.idx, instance, *idx),
        PlacedPart::Bucket(..) | PlacedPart::Expression(..) => None,
    }
}

fn finding(
    cx: &Judged<'_>,
    it: &TableView<'_>,
    shared: &Shared,
    now: &Assessment,
    would: &Change,
) -> Finding {
    let names: Vec<String> = shared.key.iter().map(|id| it.table.column(*id).name.clone()).collect();
    let key = tuple(&names);
    let other = cx
        .table(shared.with)
        .map_or_else(String::new, |it| format!("`{}` is kept by `{}`", it.table.name, it.key_text()));
    let message = format!(
        "`{}` is kept by `{}` and {other}, but they are used together by `{key}`: with that key the plan does {} of the work and {} of the requests stay on one shard instead of {}",
        it.table.name,
        it.key_text(),
        text::share(would.weighted / now.totals.weighted),
        text::share(would.single_shard_share),
        text::share(now.totals.single_shard_share)
    );
    let fix = format!("{}: {{key: [{}]}}", it.table.name, names.join(", "));
    it.about(RULE.finding(it.key_span(), message))
        .with_help(format!("keep `{}` by `{key}`", it.table.name))
        .with_fix(fix)
}
