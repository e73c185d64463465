//! SW505: two workers with one number make the same ids.

use crate::analysis::id_space::{collision, even_odds, power_of_two};
use crate::diag::{Code, Finding, Level};
use crate::lint::rules::id_bits::snowflakes;
use crate::lint::{Judged, Rule};
use crate::model::{IdKind, WorkersFrom};
use crate::units::text;

/// SW505.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW505", name: "worker-collision" },
    level: Level::Error,
    explain: "\
Two workers with the same number make the same ids in the same tick. Numbers taken from
a hash of the host name, from the network card or at random collide by the birthday
rule: of 1,024 numbers, 38 workers share one as likely as not.

- an error for numbers that are drawn so, with the probability 1 − Π(1 − i/n) that two
  of the stated workers agree
- an error for more workers than there are numbers

It stays quiet for numbers that are assigned or leased.

What helps: a lease from a coordinator, an ordinal of the deployment, more worker bits
(22 bits and 100 workers: 0.12%).

```yaml bad
shardwright: 1
name: numbers from the host name
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 50M
    primary_key: [order_id]
    columns:
      order_id: {type: bigint, generated: snowflake}
ids:
  orders.order_id: {kind: snowflake, epoch: 2024-01-01, time_bits: 41, worker_bits: 10, sequence_bits: 12, tick: 1ms, workers: 38, workers_from: hash}
```

```yaml good
shardwright: 1
name: numbers from a lease
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 50M
    primary_key: [order_id]
    columns:
      order_id: {type: bigint, generated: snowflake}
ids:
  orders.order_id: {kind: snowflake, epoch: 2024-01-01, time_bits: 41, worker_bits: 10, sequence_bits: 12, tick: 1ms, workers: 38, workers_from: lease}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in snowflakes(cx.design) {
        let IdKind::Snowflake { workers_from, worker_bits, .. } = &it.scheme.kind else { continue };
        let numbers = power_of_two(*worker_bits);
        let drawn = match workers_from {
            Some(WorkersFrom::Hash) => Some("a hash"),
            Some(WorkersFrom::Random) => Some("a random draw"),
            Some(WorkersFrom::Mac) => Some("the network card"),
            Some(WorkersFrom::Assigned | WorkersFrom::Lease) | None => None,
        };
        let help = "lease numbers from a coordinator, or take an ordinal of the deployment".to_owned();
        match (drawn, it.workers) {
            (_, Some(workers)) if numbers < workers as f64 => {
                let message = format!(
                    "{} workers of `{}` share {} numbers ({} worker bits): at least two make the same ids",
                    text::grouped(workers),
                    it.name(),
                    text::grouped(numbers as u64),
                    it.worker
                );
                findings.push(it.found(&RULE, message, "take more worker bits".to_owned()));
            }
            (Some(from), Some(workers)) if 1 < workers => {
                let message = format!(
                    "{} workers of `{}` take one of {} numbers from {from}: two of them share one with a probability of {}",
                    text::grouped(workers),
                    it.name(),
                    text::grouped(numbers as u64),
                    text::share(collision(workers, numbers))
                );
                findings.push(it.found(&RULE, message, help));
            }
            (Some(from), None) => {
                let message = format!(
                    "workers of `{}` take one of {} numbers from {from}: from {} workers on two share one as likely as not",
                    it.name(),
                    text::grouped(numbers as u64),
                    text::grouped(even_odds(numbers))
                );
                let mut finding = it.found(&RULE, message, help);
                finding.level = Level::Warning;
                findings.push(finding);
            }
            _ => {}
        }
    }
}
