//! SW116: the current stretch of time is the partition: all new rows go to it.

use crate::analysis::placed::{Placed, PlacedPart};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView};
use crate::model::Strategy;
use crate::units::text;

/// SW116.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW116", name: "moving-hotspot" },
    level: Level::Warning,
    explain: "\
When a time bucket, or a date that many rows share, is the whole key, all rows of
this moment carry the same key value. Stored rows spread over the shards, new
rows do not: one shard takes every insert until the bucket ends, then the next.

A warning when nothing but time decides the partition, rows are inserted and no
salt divides them. It stays quiet when a column that spreads stands beside the
bucket (`(device_id, month)`).

What helps: a second column beside the bucket, or a salt that readers ask in
parallel.

```yaml bad
shardwright: 1
name: events by day
target: {engine: generic, shards: 16}
tables:
  events:
    rows: 4B
    growth: 40M/day
    row_size: 200B
    primary_key: [event_id]
    columns:
      event_id: {type: uuid, generated: uuid4}
      happened_at: {type: timestamp, monotonic: true}
patterns:
  - {name: new event, sql: \"INSERT INTO events (event_id, happened_at) VALUES (:e, now())\", rate: 460/s}
plan:
  tables:
    events: {key: [{bucket: happened_at, every: 1d}]}
```

```yaml good
shardwright: 1
name: events by device and day
target: {engine: generic, shards: 16}
tables:
  events:
    rows: 4B
    growth: 40M/day
    row_size: 200B
    primary_key: [event_id]
    columns:
      event_id: {type: uuid, generated: uuid4}
      device_id: {type: bigint, distinct: 2M}
      happened_at: {type: timestamp, monotonic: true}
patterns:
  - {name: new event, sql: \"INSERT INTO events (event_id, device_id, happened_at) VALUES (:e, :d, now())\", rate: 460/s}
plan:
  tables:
    events: {key: [device_id, {bucket: happened_at, every: 1d}]}
```
",
    check,
};

/// Whether time alone decides where a new row goes.
pub(super) fn moves(cx: &Judged<'_>, it: &TableView<'_>) -> bool {
    moves_placed(cx, it, it.placed)
}

/// The same for the table under another key.
pub(super) fn moves_placed(cx: &Judged<'_>, it: &TableView<'_>, placed: &Placed) -> bool {
    // A range of a growing column has its own rule; there the bucket changes nothing.
    if placed.strategy == Strategy::Range || placed.salt.is_some() || placed.parts.is_empty() {
        return false;
    }
    let mut time = false;
    for part in &placed.parts {
        match part {
            PlacedPart::Bucket(..) => time = true,
            PlacedPart::Column(id) => {
                let facts = &it.facts.columns[id.0 as usize];
                let current = facts.current_value_takes_inserts && inserts_carry_now(cx, it, *id);
                if !current && 1.5 < facts.distinct {
                    return false;
                }
                time |= current;
            }
            PlacedPart::Copied(_) | PlacedPart::Expression(..) => return false,
        }
    }
    time && 0.0 < it.inserts().0
}

/// Whether inserts carry the current value of a growing column: a pattern that
/// spreads its parameter otherwise (late data) says so by a popularity.
fn inserts_carry_now(cx: &Judged<'_>, it: &TableView<'_>, column: crate::model::ColumnId) -> bool {
    let mut inserts = cx
        .statements_on(it.id)
        .filter(|at| at.inserts() && at.statement.written_table() == Some(it.id))
        .peekable();
    if inserts.peek().is_none() {
        return true;
    }
    inserts.any(|at| {
        let Some(class) = at.statement.target.and_then(|target| at.class(target, column)) else {
            return true;
        };
        let spread = class
            .params
            .iter()
            .any(|(id, _)| at.of.pattern.params.get(id.0 as usize).is_some_and(|it| it.popularity.is_some()));
        !spread
    })
}

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.sharded() {
        if !moves(cx, &it) {
            continue;
        }
        let (inserts, _) = it.inserts();
        let message = format!(
            "time alone decides the partition: all {} inserts go to the one of the current `{}`, on one of {} shards",
            text::rate(inserts),
            it.key_text(),
            cx.setting.shards
        );
        let help = "put a column that spreads beside it, or a salt that readers ask in parallel";
        findings.push(it.about(RULE.finding(it.key_span(), message)).with_help(help));
    }
}
