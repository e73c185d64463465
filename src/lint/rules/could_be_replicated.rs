//! SW306: a small table that nobody writes takes requests to other shards.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, citing};
use crate::model::Choice;
use crate::units::text;

/// SW306.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW306", name: "could-be-replicated" },
    level: Level::Info,
    explain: "\
A catalogue, a list of countries, a table of prices: small, read with everything,
hardly written. Spread by a key of its own it takes the requests that read it to
other shards; with a copy on every shard they stay where they are.

An info for a table of at most 1 GB (or a tenth of a node's storage) when, with a copy
of it on every shard and its writes counted on all of them, more requests stay on one
shard and the whole plan does no more work: by at least 1% of the requests or of the
work. It stays quiet where the engine has no such tables.

```yaml bad
shardwright: 1
name: orders that look up articles on other shards
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 300M
    row_size: 200B
    primary_key: [customer_id, order_id]
    columns:
      customer_id: {type: bigint, distinct: 5M}
      order_id: {type: bigint, distinct: 300M}
  item:
    rows: 100k
    row_size: 82B
    primary_key: [item_id]
    columns:
      item_id: {type: bigint, distinct: 100k}
      price: numeric
patterns:
  - name: new order
    transaction:
      - SELECT price FROM item WHERE item_id = :i
      - INSERT INTO orders (customer_id, order_id) VALUES (:c, :o)
    rate: 2000/s
plan:
  tables:
    orders: {key: [customer_id]}
    item: {key: [item_id]}
```

```yaml good
shardwright: 1
name: orders with a copy of the articles beside them
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 300M
    row_size: 200B
    primary_key: [customer_id, order_id]
    columns:
      customer_id: {type: bigint, distinct: 5M}
      order_id: {type: bigint, distinct: 300M}
  item:
    rows: 100k
    row_size: 82B
    primary_key: [item_id]
    columns:
      item_id: {type: bigint, distinct: 100k}
      price: numeric
patterns:
  - name: new order
    transaction:
      - SELECT price FROM item WHERE item_id = :i
      - INSERT INTO orders (customer_id, order_id) VALUES (:c, :o)
    rate: 2000/s
plan:
  tables:
    orders: {key: [customer_id]}
    item: {replicated: true}
```
",
    check,
};

/// Largest table worth a copy on every shard.
pub(super) const SMALL: f64 = 1e9;
/// Work that a copy must save, or requests that must stay on one shard, to be worth a word.
const WORTH: f64 = 0.01;
/// Work by which two plans do not differ.
const NOISE: f64 = 0.001;

/// Largest table worth a copy on every shard of this target's nodes.
pub(super) fn most_bytes(cx: &Judged<'_>) -> f64 {
    cx.design.target.node.storage.map_or(SMALL, |it| SMALL.min(it.get() / 10.0))
}

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let Some(now) = cx.assessment.filter(|_| !cx.by_advisor && 1 < cx.setting.shards) else { return };
    let Some(supported) = cx.engine().replicated.filter(|it| it.value) else { return };
    let most = most_bytes(cx);
    for it in cx.tables() {
        if it.placed.choice == Choice::Replicated
            || most < it.figures.bytes.1
            || cx.statements_on(it.id).next().is_none()
        {
            continue;
        }
        let Some(placed) = cx.placed_with(it.id, &Choice::Replicated) else { continue };
        let Some(would) = cx.change(it.id, &placed) else { continue };
        let saves = 1.0 - would.weighted / now.totals.weighted.max(1e-9);
        let stays = would.single_shard_share - now.totals.single_shard_share;
        if saves.max(stays) < WORTH || saves < -NOISE || stays <= 0.0 {
            continue;
        }
        let message = format!(
            "`{}` has {} and is written {}: with a copy on every shard {} of the requests stay on one shard instead of {}{}",
            it.table.name,
            text::bytes(it.figures.bytes.1),
            if it.writes() > 0.0 {
                format!("only {}", text::rate(it.writes()))
            } else {
                "by nobody".to_owned()
            },
            text::share(would.single_shard_share),
            text::share(now.totals.single_shard_share),
            if WORTH <= saves {
                format!(", and the plan does {} less work", text::share(saves))
            } else {
                String::new()
            }
        );
        let help = format!("keep a copy of `{}` on every shard", it.table.name);
        let fix = format!("{}: {{replicated: true}}", it.table.name);
        let finding =
            RULE.finding(it.key_span(), message).on_table(&it.table.name).with_help(help).with_fix(fix);
        findings.push(citing(finding, &supported.source));
    }
}
