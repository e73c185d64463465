//! SW701: one node holds it.

use crate::analysis::capacity::{FULL, days_left, demand};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule};
use crate::units::{DAY, text};

/// SW701.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW701", name: "sharding-not-needed" },
    level: Level::Info,
    explain: "\
Sharding costs a network hop for everything, joins, transactions and constraints for
much of it. Before that come, in this order: a larger node and tuning, read replicas, a
cache, archiving old rows, partitions inside one database, a split by function.

An info when `target.node` says what one node holds and serves, and the whole design, at
the horizon and at peak, takes at most 60% of it; with the figures, and the time until
growth makes it untrue.

```yaml bad
shardwright: 1
name: 4 GB on two nodes of 2 TB
target: {engine: generic, shards: 16, nodes: 2, node: {storage: 2TB, reads: 20k/s, writes: 5k/s}}
tables:
  measurements:
    rows: 20M
    growth: 1M/day
    row_size: 200B
    primary_key: [measurement_id]
    columns:
      measurement_id: {type: bigint, distinct: 20M}
patterns:
  - {name: by id, sql: \"SELECT * FROM measurements WHERE measurement_id = :m\", rate: 100/s}
```

```yaml good
shardwright: 1
name: 40 TB on nodes of 2 TB
target: {engine: generic, shards: 48, nodes: 40, node: {storage: 2TB, reads: 20k/s, writes: 5k/s}}
tables:
  measurements:
    rows: 200B
    row_size: 200B
    primary_key: [measurement_id]
    columns:
      measurement_id: {type: bigint, distinct: 200B}
patterns:
  - {name: by id, sql: \"SELECT * FROM measurements WHERE measurement_id = :m\", rate: 100/s}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let span = cx.design.target.span;
    if let Some(advice) = cx.advice {
        if advice.verdict.shard == Some(false) {
            let until = advice.verdict.not_needed_days;
            let message = format!(
                "{} ({}){}",
                advice.verdict.summary,
                advice.verdict.reasons.join("; "),
                until_text(until)
            );
            findings.push(RULE.finding(span, message).with_help(advice.verdict.steps.join("; then ")));
        }
        return;
    }
    let all = demand(cx.setting, &|_| true);
    let Some(share) = all.of_a_node(cx.setting).filter(|share| *share <= FULL) else { return };
    let message = format!(
        "one node holds this at the horizon: {}, {} reads and {} writes at peak, at most {} of a node{}",
        text::bytes(all.bytes),
        text::rate(all.reads),
        text::rate(all.writes),
        text::share(share),
        until_text(days_left(cx.setting))
    );
    let help = "first a larger node and tuning, then read replicas, a cache, archiving, partitions inside one database, a split by function";
    findings.push(RULE.finding(span, message).with_help(help));
}

fn until_text(days: Option<f64>) -> String {
    days.map_or_else(String::new, |days| format!("; by its growth in about {}", text::duration(days * DAY)))
}
