//! SW111: one key value is read more often than its partition can answer.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, citing};
use crate::units::{Rate, text};

/// SW111.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW111", name: "read-hot-value" },
    level: Level::Warning,
    explain: "\
An announcement that all members open at once is read from one partition, whatever
the key is. That is no fault of the key, and splitting the partition does not help:
a salt divides writes, and every read then asks all salts.

A warning when the reads of one key value pass, at peak, what the engine gives one
partition, or what one node of `target.node` reads.

What helps: merging equal reads that are under way (single flight), a cache for a
second or two, reading from replicas.

```yaml bad
shardwright: 1
name: an announcement that everybody opens
target: {engine: generic, shards: 16, node: {reads: 15k/s}}
tables:
  messages:
    rows: 20M
    row_size: 250B
    primary_key: [channel_id, message_id]
    columns:
      channel_id: {type: bigint, distinct: 600k}
      message_id: {type: bigint, distinct: 20M}
patterns:
  - name: open the announcement
    sql: SELECT * FROM messages WHERE channel_id = :c LIMIT 50
    rate: 120k/s
    popularity: {c: {top: [70%]}}
plan:
  tables:
    messages: {key: [channel_id]}
```

```yaml good
shardwright: 1
name: channels that are opened alike
target: {engine: generic, shards: 16, node: {reads: 15k/s}}
tables:
  messages:
    rows: 20M
    row_size: 250B
    primary_key: [channel_id, message_id]
    columns:
      channel_id: {type: bigint, distinct: 600k}
      message_id: {type: bigint, distinct: 20M}
patterns:
  - name: open a channel
    sql: SELECT * FROM messages WHERE channel_id = :c LIMIT 50
    rate: 120k/s
    popularity: {c: zipf(0.4)}
plan:
  tables:
    messages: {key: [channel_id]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.sharded() {
        let dedicated = it.plan.is_some_and(|it| !it.dedicated.is_empty());
        if it.by_hand() || dedicated || super::constant_key::is_constant(&it) {
            continue;
        }
        let heat = cx.heat(it.id);
        let limit = cx.engine().partition.read_units.as_ref().filter(|limit| limit.max < heat.read_units);
        let node =
            cx.design.target.node.reads.map(Rate::get).filter(|most| 0.0 < *most && *most < heat.reads);
        let over = match (limit, node) {
            (Some(limit), _) => {
                format!("{} units/s where one key value has {}", text::count(heat.read_units), limit.text)
            }
            (None, Some(most)) => format!("one node answers {}", text::rate(most)),
            (None, None) => continue,
        };
        let pattern = heat.read_most.map(|id| cx.design.pattern(id));
        let message = format!(
            "one value of `{}` is read {} at peak ({} of the reads): {over}",
            it.key_text(),
            text::rate(heat.reads),
            text::share(heat.read_share)
        );
        let help = "merge equal reads that are under way (single flight), cache the answer for a second or two, or read from replicas; a salt on the writes does not help";
        let mut finding = it.about(RULE.finding(it.key_span(), message)).with_help(help);
        if let Some(pattern) = pattern {
            finding = finding.with_related(pattern.span, "most of these reads");
        }
        findings.push(match limit {
            Some(limit) => citing(finding, &limit.source),
            None => finding,
        });
    }
}
