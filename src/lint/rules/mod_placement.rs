//! SW601: hash modulo the number of nodes moves nearly everything.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule};
use crate::model::{PlacementKind, Plan};
use crate::source::Span;
use crate::units::text;

/// SW601.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW601", name: "mod-placement" },
    level: Level::Error,
    explain: "\
With node = hash mod N, a key stays where it is only if its hash has the same remainder
for the old and the new number. From N to M nodes the share 1 − gcd(N, M)/max(N, M)
moves: from 4 to 5 four fifths, from 99 to 100 all but a hundredth. The new nodes need
only (M − N)/M of it.

An error for the placement `mod`, with the share that moves to `nodes_later` (else one
node more).

What helps: a fixed number of partitions, many more than nodes, of which whole ones
move; a hash ring; rendezvous or jump hashing.

```yaml bad
shardwright: 1
name: hash modulo nodes
target: {engine: generic, shards: 16, nodes: 4}
tables:
  entries:
    rows: 400M
    row_size: 1KB
    primary_key: [entry_id]
    columns:
      entry_id: {type: bigint, distinct: 400M}
patterns:
  - {name: get, sql: \"SELECT * FROM entries WHERE entry_id = :e\", rate: 20k/s}
plan:
  nodes: 4
  placement: mod
  tables:
    entries: {key: [entry_id]}
```

```yaml good
shardwright: 1
name: 128 fixed partitions
target: {engine: generic, shards: 128, nodes: 4}
tables:
  entries:
    rows: 400M
    row_size: 1KB
    primary_key: [entry_id]
    columns:
      entry_id: {type: bigint, distinct: 400M}
patterns:
  - {name: get, sql: \"SELECT * FROM entries WHERE entry_id = :e\", rate: 20k/s}
plan:
  nodes: 4
  placement: fixed
  tables:
    entries: {key: [entry_id]}
```
",
    check,
};

/// The placement that a plan states, and where.
pub(super) fn placement(plan: &Plan) -> Option<(PlacementKind, Span)> {
    plan.placement.map(|(kind, span)| (kind, if 0 < span.end { span } else { plan.span }))
}

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = cx.plan else { return };
    let Some((PlacementKind::Mod, span)) = placement(plan) else { return };
    let finding = match cx.nodes() {
        Some(nodes) => {
            let later =
                plan.nodes_later.filter(|it| 0 < *it && *it != nodes).unwrap_or(nodes.saturating_add(1));
            let moved = 1.0 - f64::from(gcd(nodes, later)) / f64::from(nodes.max(later));
            let needed = f64::from(later.abs_diff(nodes)) / f64::from(nodes.max(later));
            let next = f64::from(nodes) / f64::from(nodes.saturating_add(1));
            let message = if moved <= needed + 1e-9 {
                format!(
                    "hash modulo nodes: from {nodes} to {later} nodes {} of the keys move, as few as can be, but one node more or less moves {}",
                    text::share(moved),
                    text::share(next)
                )
            } else {
                format!(
                    "hash modulo nodes: from {nodes} to {later} nodes {} of the keys move, {} would be enough",
                    text::share(moved),
                    text::share(needed)
                )
            };
            RULE.finding(span, message)
        }
        None => RULE.finding(
            span,
            "hash modulo nodes: one node more moves N/(N + 1) of the keys, 1/(N + 1) would be enough",
        ),
    };
    findings.push(finding.with_help("place a fixed number of partitions, many more than nodes, and move whole ones (`placement: fixed`), or use a ring or rendezvous hashing"));
}

fn gcd(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moved_share_agrees_with_a_count_of_hashes() {
        for (n, m) in [(4_u32, 5_u32), (3, 4), (10, 12), (4, 8), (32, 40), (7, 7)] {
            let all = n * m;
            let moved = (0..all).filter(|hash| hash % n != hash % m).count() as f64 / f64::from(all);
            let formula = 1.0 - f64::from(gcd(n, m)) / f64::from(n.max(m));
            assert!((moved - formula).abs() < 1e-12, "{n} to {m}");
        }
    }
}
