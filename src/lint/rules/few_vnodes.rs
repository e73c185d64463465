//! SW604: a hash ring with too few points a node.

use crate::analysis::vnodes::{busiest_node_over_mean, points_needed};
use crate::diag::{Code, Finding, Level};
use crate::lint::rules::mod_placement::placement;
use crate::lint::{Judged, Rule};
use crate::model::PlacementKind;

/// SW604.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW604", name: "few-vnodes" },
    level: Level::Warning,
    explain: "\
On a hash ring a node owns the arcs before its points. Random arcs differ: with one
point a node the longest of N arcs is H(N) = 1 + 1/2 + … + 1/N times the mean, 2.9 for
ten nodes. With v points a node the spread between nodes falls as 1/√v.

A warning when the busiest node is expected over 1.2 times the mean, with the number of
points that brings it under that.

```yaml bad
shardwright: 1
name: one point a node
target: {engine: memcached, nodes: 10}
tables:
  entries:
    rows: 100k
    row_size: 2KB
    primary_key: [entry_key]
    columns:
      entry_key: {type: text, distinct: 100k}
patterns:
  - {name: get, sql: \"SELECT * FROM entries WHERE entry_key = :k\", rate: 20k/s}
plan:
  nodes: 10
  placement: ring
  vnodes: 1
  tables:
    entries: {key: [entry_key]}
```

```yaml good
shardwright: 1
name: a hundred points a node
target: {engine: memcached, nodes: 10}
tables:
  entries:
    rows: 100k
    row_size: 2KB
    primary_key: [entry_key]
    columns:
      entry_key: {type: text, distinct: 100k}
patterns:
  - {name: get, sql: \"SELECT * FROM entries WHERE entry_key = :k\", rate: 20k/s}
plan:
  nodes: 10
  placement: ring
  vnodes: 100
  tables:
    entries: {key: [entry_key]}
```
",
    check,
};

/// Load of the busiest node over the mean that is still even.
const EVEN: f64 = 1.2;

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = cx.plan else { return };
    let Some((PlacementKind::Ring, span)) = placement(plan) else { return };
    let (Some(points), Some(nodes)) = (plan.vnodes, cx.nodes().filter(|it| 1 < *it)) else { return };
    let busiest = busiest_node_over_mean(nodes, points);
    if busiest <= EVEN {
        return;
    }
    let message = format!(
        "{points} point{} a node on a ring of {nodes}: the busiest node is expected at {busiest:.2} times the mean",
        if points == 1 { "" } else { "s" }
    );
    let help =
        format!("take {} points a node or more, which keep it within {EVEN}", points_needed(nodes, EVEN));
    findings.push(RULE.finding(span, message).with_help(help));
}
