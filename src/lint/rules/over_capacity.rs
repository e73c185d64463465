//! SW702: a node of the plan is asked for more than it has.

use crate::analysis::capacity::fullest_node;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule};
use crate::units::{Bytes, Rate, text};

/// SW702.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW702", name: "over-capacity" },
    level: Level::Error,
    explain: "\
What the fullest node of the plan has to hold and to serve, at the horizon and at peak,
against `target.node`: an even part of everything, fan-out and copies included, and
what the busiest shard has over the mean.

An error when storage, reads or writes pass what one node has.

What helps: more nodes, if the load is even; the finding about the hot value or the
scatter behind it, if it is not.

```yaml bad
shardwright: 1
name: look-ups that scatter over small nodes
target: {engine: generic, shards: 32, nodes: 4, node: {storage: 500GB, reads: 3k/s, writes: 2k/s}}
tables:
  devices:
    rows: 400M
    row_size: 160B
    primary_key: [id]
    columns:
      id: {type: bigint, distinct: 400M}
      serial: {type: text, distinct: 400M}
patterns:
  - {name: device, sql: \"SELECT * FROM devices WHERE serial = :s\", rate: 4k/s}
plan:
  nodes: 4
  tables:
    devices: {key: [id]}
```

```yaml good
shardwright: 1
name: look-ups by the key
target: {engine: generic, shards: 32, nodes: 4, node: {storage: 500GB, reads: 3k/s, writes: 2k/s}}
tables:
  devices:
    rows: 400M
    row_size: 160B
    primary_key: [id]
    columns:
      id: {type: bigint, distinct: 400M}
      serial: {type: text, distinct: 400M}
patterns:
  - {name: device, sql: \"SELECT * FROM devices WHERE serial = :s\", rate: 4k/s}
plan:
  nodes: 4
  tables:
    devices: {key: [serial]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let (Some(assessment), Some(nodes)) = (cx.assessment, cx.nodes()) else { return };
    let node = &cx.design.target.node;
    let load = fullest_node(cx.setting, assessment, nodes);
    let over: Vec<String> = [
        passes(load.bytes, node.storage.map(Bytes::get), "stored", text::bytes),
        passes(load.reads, node.reads.map(Rate::get), "read", text::rate),
        passes(load.writes, node.writes.map(Rate::get), "written", text::rate),
    ]
    .into_iter()
    .flatten()
    .collect();
    if over.is_empty() {
        return;
    }
    let message =
        format!("the fullest of {nodes} nodes passes what it has at the horizon: {}", over.join(", "));
    let help = "add nodes if the load is even; if not, see the hot values and scatters behind it";
    findings.push(RULE.finding(cx.design.target.span, message).with_help(help));
}

/// A resource of a node of which more is needed than there is.
fn passes(needed: f64, most: Option<f64>, what: &str, print: fn(f64) -> String) -> Option<String> {
    let most = most.filter(|most| *most < needed)?;
    Some(format!("{} {what} of {}", print(needed), print(most)))
}
