//! SW101: fewer key values than a number of shards can spread.

use crate::analysis::placed::PlacedPart;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView};
use crate::units::text;

/// SW101.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW101", name: "low-cardinality-key" },
    level: Level::Error,
    explain: "\
A shard key with D values can use at most D shards, for ever: a value is never
split. And values are not laid out one by one. Thrown at random, a few values a
shard leave some shards empty and others with twice their part, so more values
than shards are not enough yet.

Judged at the horizon, with S the number of shards and D₂ = 1/Σp² the number of
equal values that would collide as often:

- an error when D < S, or when D₂ < 2·S
- a warning when D₂ < 10·S
- a warning for the first level of a hierarchical key with D < 2·S, because new
  rows reach only the partitions of the prefixes that are in use

It stays quiet for `list` and `geo`, whose partitions are the values, for tables
that hold next to nothing of the rows and of the load, and for a key with a
single value (see `constant-key`).

What helps: a column with more values, or a second column in the key that the
frequent patterns bind as well.

```yaml bad
shardwright: 1
name: shipments by the kind of transport
target: {engine: generic, shards: 16}
tables:
  shipments:
    rows: 600M
    row_size: 150B
    primary_key: [shipment_id]
    columns:
      shipment_id: {type: bigint, distinct: 600M}
      ship_mode: {type: text, distinct: 7}
patterns:
  - {name: shipments of a mode, sql: \"SELECT * FROM shipments WHERE ship_mode = :m LIMIT 100\", rate: 50/s}
plan:
  tables:
    shipments: {key: [ship_mode]}
```

```yaml good
shardwright: 1
name: shipments by customer
target: {engine: generic, shards: 16}
tables:
  shipments:
    rows: 600M
    row_size: 150B
    primary_key: [shipment_id]
    columns:
      shipment_id: {type: bigint, distinct: 600M}
      customer_id: {type: bigint, distinct: 1M}
patterns:
  - {name: shipments of a customer, sql: \"SELECT * FROM shipments WHERE customer_id = :c LIMIT 100\", rate: 50/s}
plan:
  tables:
    shipments: {key: [customer_id]}
```
",
    check,
};

/// Share of all rows' bytes, and of all work, below which a table's key does not matter.
const NEGLIGIBLE: f64 = 0.01;

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.sharded() {
        if it.by_hand() || super::constant_key::is_constant(&it) {
            continue;
        }
        let found = if it.placed.hierarchical && 1 < it.placed.parts.len() {
            first_level(cx, &it)
        } else {
            whole_key(cx, &it)
        };
        findings.extend(found.filter(|_| !negligible(cx, &it)));
    }
}

fn whole_key(cx: &Judged<'_>, it: &TableView<'_>) -> Option<Finding> {
    let shards = cx.shards();
    let (distinct, effective) = (it.figures.distinct, it.figures.effective.min(it.figures.distinct));
    let level = if distinct < shards || effective < 2.0 * shards {
        Level::Error
    } else if effective < 10.0 * shards {
        Level::Warning
    } else {
        return None;
    };
    let (name, s) = (it.key_text(), cx.setting.shards);
    let plural = if distinct < 1.5 { "value" } else { "values" };
    let what = if distinct < shards {
        let empty = shards - distinct.floor();
        format!(
            "`{name}` has {} {plural} for {s} shards at the horizon, so at least {} shards stay empty for ever",
            text::count(distinct),
            text::count(empty)
        )
    } else if effective < 0.9 * distinct {
        format!(
            "`{name}` has {} values for {s} shards at the horizon, but they are as uneven as {} equal ones: the most frequent has {} of the rows",
            text::count(distinct),
            text::count(effective),
            text::share(it.figures.hottest.rows)
        )
    } else {
        format!(
            "`{name}` has {} values for {s} shards at the horizon, {} a shard: too few for a hash to even them out, the fullest shard is expected at {} times the mean",
            text::count(distinct),
            text::count(distinct / shards),
            text::count(it.figures.busiest.rows)
        )
    };
    let help = format!(
        "take a key with at least {} values, or add a column that the frequent patterns bind too",
        text::count(10.0 * shards)
    );
    Some(it.about(RULE.finding_at(level, it.key_span(), what)).with_help(help))
}

fn first_level(cx: &Judged<'_>, it: &TableView<'_>) -> Option<Finding> {
    let PlacedPart::Column(column) = it.placed.parts.first()? else { return None };
    let distinct = it.facts.columns[column.0 as usize].distinct_later;
    if 2.0 * cx.shards() <= distinct {
        return None;
    }
    let name = &it.table.column(*column).name;
    let message = format!(
        "`{name}`, the first level of the key, has {} values for {} {}s: until they split, writes reach only as many of them as there are values",
        text::count(distinct),
        cx.setting.shards,
        cx.engine().shard_word
    );
    let help = "put a level with more values first, if the patterns bind it";
    Some(it.about(RULE.finding_at(Level::Warning, it.key_span(), message)).with_help(help))
}

/// Whether a table holds next to nothing of the rows and of the load.
fn negligible(cx: &Judged<'_>, it: &TableView<'_>) -> bool {
    let all: f64 = cx.tables().map(|it| it.figures.bytes.1).sum();
    let (mut own, mut work) = (0.0, 0.0);
    for statement in cx.statements() {
        let load = statement.of.figures.rate * statement.route.work;
        work += load;
        if statement.route.instances.iter().any(|route| route.table == it.id) {
            own += load;
        }
    }
    it.figures.bytes.1 < NEGLIGIBLE * all && own < NEGLIGIBLE * work
}
