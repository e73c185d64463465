//! SW104: ranges of a column that only grows: all inserts go to the last one.

use crate::analysis::routing::grows_at_front;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule};
use crate::model::Strategy;
use crate::units::text;

/// SW104.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW104", name: "monotonic-range-key" },
    level: Level::Error,
    explain: "\
With the strategy `range`, neighbours are stored together. When the first column
of the key only grows (a time, a counter, a UUIDv7, a Snowflake id), every new
row is larger than all others, so every insert lands on the last range, and
splitting that range moves the hot spot along instead of dividing it.

An error for a range key whose first part grows, when rows are inserted and no
salt stands in front. It stays quiet with `hash`, which scatters neighbours, and
for a growing column behind one that spreads (`(user_id, created_at)`).

What helps: another column in front, `hash` instead of `range`, or a salt that is
computed from the row, so that an ordered read asks each salt and merges.

```yaml bad
shardwright: 1
name: moves in time order
target: {engine: generic, shards: 16}
tables:
  moves:
    rows: 2B
    growth: 26M/day
    row_size: 150B
    primary_key: [moved_at, parcel_id]
    columns:
      moved_at: {type: timestamp, monotonic: true}
      parcel_id: {type: text, distinct: 200M}
patterns:
  - {name: move, insert: moves, rate: 300/s}
plan:
  tables:
    moves: {key: [moved_at, parcel_id], strategy: range}
```

```yaml good
shardwright: 1
name: moves by parcel
target: {engine: generic, shards: 16}
tables:
  moves:
    rows: 2B
    growth: 26M/day
    row_size: 150B
    primary_key: [parcel_id, moved_at]
    columns:
      moved_at: {type: timestamp, monotonic: true}
      parcel_id: {type: text, distinct: 200M}
patterns:
  - {name: move, insert: moves, rate: 300/s}
plan:
  tables:
    moves: {key: [parcel_id, moved_at], strategy: range}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.sharded() {
        if it.placed.strategy != Strategy::Range
            || it.salt().is_some()
            || !grows_at_front(cx.setting, it.placed)
        {
            continue;
        }
        let (inserts, _) = it.inserts();
        let Some(first) = it.placed.parts.first().filter(|_| 0.0 < inserts) else { continue };
        let name = it.part_name(first);
        let message = format!(
            "`{name}` leads a range key and only grows: all {} inserts land on the last of {} {}s",
            text::rate(inserts),
            cx.setting.shards,
            cx.engine().shard_word
        );
        let help = format!(
            "put a column that spreads in front of `{name}`, hash the key, or put a salt computed from the row in front"
        );
        findings.push(it.about(RULE.finding(it.key_span(), message)).with_help(help));
    }
}
