//! SW208: asking many shards makes the slowest of them decide.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule};
use crate::units::text;

/// SW208.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW208", name: "tail-latency" },
    level: Level::Warning,
    explain: "\
A request to n shards is as slow as the slowest. If each answers slowly in a share p
of the cases, the request is slow in 1 − (1 − p)^n: with p = 1% and 100 shards in
63%. To keep a p99 over n shards, each shard must be fast at its p(0.99^(1/n)).

A warning for a pattern with a `p99` budget that asks more than two shards on
average, with the share that is slow when each shard is within the budget in 99%.

What helps: fewer shards for the request; a second request to a replica when the first
is late; answering without the last shards.

```yaml bad
shardwright: 1
name: sessions of a device on 100 shards
target: {engine: generic, shards: 100}
tables:
  sessions:
    rows: 500M
    row_size: 200B
    primary_key: [user_id, session_id]
    columns:
      user_id: {type: bigint, distinct: 50M}
      session_id: {type: uuid, generated: uuid4}
      device: {type: text, distinct: 5M}
patterns:
  - {name: sessions of a device, sql: \"SELECT * FROM sessions WHERE device = :d\", rate: 1000/s, p99: 20ms}
plan:
  tables:
    sessions: {key: [user_id]}
```

```yaml good
shardwright: 1
name: sessions of a user on one shard
target: {engine: generic, shards: 100}
tables:
  sessions:
    rows: 500M
    row_size: 200B
    primary_key: [user_id, session_id]
    columns:
      user_id: {type: bigint, distinct: 50M}
      session_id: {type: uuid, generated: uuid4}
patterns:
  - {name: sessions of a user, sql: \"SELECT * FROM sessions WHERE user_id = :u\", rate: 1000/s, p99: 20ms}
plan:
  tables:
    sessions: {key: [user_id]}
```
",
    check,
};

/// Shards from which on a budget is at stake; an index and its row are two.
const MANY: f64 = 2.0;

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.patterns() {
        let Some(budget) = it.pattern.p99.filter(|_| MANY < it.figures.touched.mean) else {
            continue;
        };
        let n = it.figures.touched.mean;
        let needed = crate::units::Share::new(0.99)
            .map_or(0.0, |p99| crate::analysis::tail::shard_percentile_needed(p99, n).get());
        let message = format!(
            "asks {} shards within {}: if each is slower in 1% of its answers, {} of the requests are; each shard must hold the budget in {}",
            text::count(n),
            text::duration(budget.get()),
            text::share(it.figures.slow),
            percentile(needed)
        );
        let help = "route it to fewer shards, or send a second request to a replica when the first is late";
        findings.push(RULE.finding(it.pattern.span, message).on_pattern(&it.pattern.name).with_help(help));
    }
}

/// A percentile close to one, with the digits that tell it from one.
fn percentile(share: f64) -> String {
    format!("{:.3}% of its answers", share * 100.0)
}
