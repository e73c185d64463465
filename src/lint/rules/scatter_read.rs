//! SW201: a read that must ask every shard.

use crate::analysis::routing::{How, InstanceRoute};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, StatementView, TableView, listed, share_of_requests, tuple};
use crate::model::{Strategy, TableId};
use crate::units::text;

/// SW201.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW201", name: "scatter-read" },
    level: Level::Warning,
    explain: "\
A statement that does not bind the shard key is sent to every shard. With S shards
and λ requests a second that is S·λ shard requests a second, so adding shards adds
work instead of capacity; and the answer is as slow as the slowest shard.

- a warning for a read that asks all shards
- an error when its pattern makes more than 5% of all requests

It stays quiet where an index of the plan leads to the rows, for replicated and
unsharded tables, for a table that is reached through another one with equal keys,
and for patterns that are served elsewhere (`served_by`).

What helps, in this order: a predicate on the key, if the caller knows its value; a
global index, or a look-up table, on the columns that the statement binds; another
key, if most of the load binds it; for a rare report, a warehouse.

```yaml bad
shardwright: 1
name: payments, found by their id but kept by shop
target: {engine: generic, shards: 40}
tables:
  payments:
    rows: 6B
    row_size: 400B
    primary_key: [payment_id]
    columns:
      payment_id: {type: bigint, distinct: 6B}
      shop_id: {type: bigint, distinct: 8M}
patterns:
  - {name: payments of a shop, sql: \"SELECT * FROM payments WHERE shop_id = :s LIMIT 50\", rate: 3k/s}
  - {name: payment by id, sql: \"SELECT * FROM payments WHERE payment_id = :p\", rate: 2k/s}
plan:
  tables:
    payments: {key: [shop_id]}
```

```yaml good
shardwright: 1
name: payments with a look-up from id to shop
target: {engine: generic, shards: 40}
tables:
  payments:
    rows: 6B
    row_size: 400B
    primary_key: [payment_id]
    columns:
      payment_id: {type: bigint, distinct: 6B}
      shop_id: {type: bigint, distinct: 8M}
patterns:
  - {name: payments of a shop, sql: \"SELECT * FROM payments WHERE shop_id = :s LIMIT 50\", rate: 3k/s}
  - {name: payment by id, sql: \"SELECT * FROM payments WHERE payment_id = :p\", rate: 2k/s}
plan:
  tables:
    payments: {key: [shop_id]}
  indexes:
    - {name: payment_lookup, table: payments, key: [payment_id], scope: global, include: [shop_id]}
```
",
    check,
};

/// Share of all requests from which on a scatter is an error.
pub(super) const OFTEN: f64 = 0.05;

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in scattered(cx) {
        if it.0.statement.target != Some(it.1.instance) {
            findings.push(finding(cx, &RULE, &it.0, it.1, &it.2));
        }
    }
}

/// Statements that ask all shards for a table, each pattern and table once for reads and once for writes.
pub(super) fn scattered<'a>(
    cx: &'a Judged<'a>,
) -> Vec<(StatementView<'a>, &'a InstanceRoute, TableView<'a>)> {
    let mut all: Vec<(StatementView<'a>, &InstanceRoute, TableView<'a>)> = Vec::new();
    let mut seen: Vec<(crate::model::PatternId, TableId, bool)> = Vec::new();
    if cx.setting.shards <= 1 {
        return all;
    }
    for it in cx.statements() {
        for route in &it.route.instances {
            let write = it.statement.target == Some(route.instance);
            let name = (it.of.id, route.table, write);
            let Some(table) =
                cx.table(route.table).filter(|_| route.how == How::Scatter && !seen.contains(&name))
            else {
                continue;
            };
            seen.push(name);
            all.push((it, route, table));
        }
    }
    all
}

/// What is said of a statement that asks all shards, by the rule for reads or for writes.
pub(super) fn finding(
    cx: &Judged<'_>,
    rule: &'static Rule,
    it: &StatementView<'_>,
    route: &InstanceRoute,
    table: &TableView<'_>,
) -> Finding {
    let share = it.of.share(cx);
    let level = if OFTEN < share { Level::Error } else { Level::Warning };
    let rate = it.rate();
    let missing = missing_names(table, route);
    let unbound = if missing.is_empty() { "the key".to_owned() } else { tuple(&missing) };
    let message = format!(
        "asks all {} shards for `{}`: nothing binds `{unbound}`; {} become {} shard requests ({})",
        cx.setting.shards,
        table.table.name,
        text::rate(rate),
        text::rate(rate * cx.shards()),
        share_of_requests(share)
    );
    let finding = it.of.about(rule.finding_at(level, it.of.pattern.span, message), it.statement);
    table.about(finding).with_help(help(cx, it, route, table, &unbound))
}

/// Names of the key parts that nothing binds.
pub(super) fn missing_names(table: &TableView<'_>, route: &InstanceRoute) -> Vec<String> {
    let parts = route.missing.iter().filter_map(|at| table.placed.parts.get(*at));
    parts.map(|it| table.part_name(it).to_owned()).collect()
}

fn help(
    cx: &Judged<'_>,
    it: &StatementView<'_>,
    route: &InstanceRoute,
    table: &TableView<'_>,
    unbound: &str,
) -> String {
    let bound = it.bound_columns(route);
    let names: Vec<&str> = bound.iter().map(|id| table.table.column(*id).name.as_str()).collect();
    let key = table.own_key_columns();
    let useful: Vec<&str> =
        bound.iter().filter(|id| !key.contains(id)).map(|id| table.table.column(*id).name.as_str()).collect();
    if names.is_empty() {
        return if it.rate() < 1.0 {
            format!(
                "it binds no column by equality: run it where reports run (`served_by: warehouse`), or accept {} small requests",
                cx.setting.shards
            )
        } else {
            format!("bind `{unbound}`, or keep a copy that is sorted for this question elsewhere")
        };
    }
    if useful.is_empty() {
        let ordered = table.placed.hierarchical || table.placed.strategy == Strategy::Range;
        return if ordered {
            format!("bind `{unbound}` too, or put {} first in the key", listed(&names))
        } else {
            format!("bind `{unbound}` too")
        };
    }
    let columns = useful.join(", ");
    // Rows of so common a value are on every shard, whatever leads to them.
    let found = bound
        .iter()
        .fold(table.facts.rows, |rows, id| rows / table.facts.columns[id.0 as usize].distinct.max(1.0));
    if cx.shards() <= found {
        return format!(
            "about {} rows have one value of ({columns}), on every shard: keep a summary, a copy sorted for this question, or ask where reports run (`served_by: warehouse`)",
            text::count(found)
        );
    }
    match cx.engine().index.global {
        Some(kind) => format!(
            "bind `{unbound}` if the caller knows it, or add a {kind} on {}({columns})",
            table.table.name
        ),
        None => format!(
            "bind `{unbound}` if the caller knows it, or keep a lookup table from {} to `{unbound}`, sharded by {}, and ask it first",
            listed(&useful),
            listed(&useful)
        ),
    }
}
