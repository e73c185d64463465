//! SW608: a placement by node number, with nodes that leave from the middle.

use crate::diag::{Code, Finding, Level};
use crate::lint::rules::mod_placement::placement;
use crate::lint::{Judged, Rule};
use crate::model::{NodesLeave, PlacementKind};

/// SW608.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW608", name: "numbered-placement" },
    level: Level::Warning,
    explain: "\
Jump hash moves the least when a node is added or taken away at the end of the list. It
knows nodes by number: when node 3 of 10 dies, numbers 4 to 9 shift, and nearly
everything moves; or the number stays empty, and a tenth of the keys has no home.

A warning for jump hash, or hash modulo nodes, with `nodes_leave: any`.

What helps: rendezvous hashing or a ring, which know nodes by name; replicas that take
over a dead node's number.

```yaml bad
shardwright: 1
name: jump hash over a cache whose nodes come and go
target: {engine: generic, shards: 16, nodes: 10}
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
  placement: jump
  nodes_leave: any
  tables:
    entries: {key: [entry_key]}
```

```yaml good
shardwright: 1
name: jump hash over shards that are only appended
target: {engine: generic, shards: 16, nodes: 10}
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
  placement: jump
  nodes_leave: last
  tables:
    entries: {key: [entry_key]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = cx.plan.filter(|it| it.nodes_leave == Some(NodesLeave::Any)) else { return };
    let Some((kind @ (PlacementKind::Jump | PlacementKind::Mod), span)) = placement(plan) else { return };
    let name = if kind == PlacementKind::Jump { "jump hash" } else { "hash modulo nodes" };
    let message = match cx.nodes() {
        Some(nodes) => format!(
            "{name} knows {nodes} nodes by number: when one leaves from the middle, all behind it shift"
        ),
        None => format!("{name} knows nodes by number: when one leaves from the middle, all behind it shift"),
    };
    let help = "use rendezvous hashing or a ring, or let a replica take the number over";
    findings.push(RULE.finding(span, message).with_help(help));
}
