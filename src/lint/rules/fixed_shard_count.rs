//! SW607: a number of shards that can't be changed, and is low for the horizon.

use crate::analysis::capacity::{FULL, demand};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, citing};
use crate::target::ShardsChange;
use crate::units::text;

/// SW607.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW607", name: "fixed-shard-count" },
    level: Level::Warning,
    explain: "\
Some engines take the number of partitions once, when the table is made: another number
means another table and a copy of everything.

A warning on such an engine when the load at the horizon, on nodes that are 60% full,
wants more partitions than there are.

What helps: a number for the last day of the horizon, not for the first; partitions are
cheap, and several of them share a node.

```yaml bad
shardwright: 1
name: four schemas for a load of sixteen nodes
target: {engine: logical_shards, shards: 4, nodes: 4, node: {storage: 1TB}}
tables:
  events:
    rows: 50B
    row_size: 200B
    primary_key: [device_id, event_id]
    columns:
      device_id: {type: bigint, distinct: 20M}
      event_id: {type: bigint, generated: snowflake}
patterns:
  - {name: events, sql: \"SELECT * FROM events WHERE device_id = :d LIMIT 50\", rate: 900/s}
plan:
  shards: 4
  tables:
    events: {key: [device_id]}
```

```yaml good
shardwright: 1
name: 480 schemas for a load of sixteen nodes
target: {engine: logical_shards, shards: 480, nodes: 20, node: {storage: 1TB}}
tables:
  events:
    rows: 50B
    row_size: 200B
    primary_key: [device_id, event_id]
    columns:
      device_id: {type: bigint, distinct: 20M}
      event_id: {type: bigint, generated: snowflake}
patterns:
  - {name: events, sql: \"SELECT * FROM events WHERE device_id = :d LIMIT 50\", rate: 900/s}
plan:
  shards: 480
  tables:
    events: {key: [device_id]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let ShardsChange::Never(source) = &cx.engine().shards_change else { return };
    if cx.setting.shards_estimated || cx.sharded().next().is_none() {
        return;
    }
    let all = demand(cx.setting, &|_| true);
    let Some(share) = all.of_a_node(cx.setting) else { return };
    let wanted = libm::ceil(share / FULL);
    if wanted <= cx.shards() {
        return;
    }
    let word = cx.engine().shard_word;
    let message = format!(
        "{} {word}s can't become more without a new table, and the load at the horizon wants {} nodes at {} full",
        cx.setting.shards,
        text::count(wanted),
        text::share(FULL)
    );
    let of_plan = cx.plan.map(|it| it.span).filter(|it| !cx.by_advisor && 0 < it.end);
    let span = of_plan.unwrap_or(cx.design.target.span);
    let help = format!("start with {} {word}s, ten a node", text::count(10.0 * wanted));
    findings.push(citing(RULE.finding(span, message).with_help(help), source));
}
