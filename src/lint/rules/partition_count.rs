//! SW602 and SW603: whether the number of partitions lets nodes be added.

use crate::diag::{Code, Finding, Level};
use crate::lint::rules::mod_placement::placement;
use crate::lint::{Judged, Rule};
use crate::model::{PlacementKind, Strategy};
use crate::source::Span;
use crate::target::ShardsChange;

/// SW602.
pub(super) static FEW: Rule = Rule {
    code: Code { code: "SW602", name: "few-partitions" },
    level: Level::Warning,
    explain: "\
A partition is the unit that moves. With as many partitions as nodes a new node has
nothing to take, and every growth means splitting data instead of moving it.

A warning when there are at least as many nodes as partitions, today or at
`nodes_later`; an info where the engine has a procedure to split them. It stays quiet
where the engine splits by itself, for tables by range, list or lookup, whose values
move one by one, and for rings, jump and rendezvous hashing, which place keys and not
partitions.

What helps: ten or more partitions a node at the start (480 on 32).

```yaml bad
shardwright: 1
name: a partition a node
target: {engine: logical_shards, shards: 32, nodes: 32}
tables:
  blocks:
    rows: 20B
    row_size: 500B
    primary_key: [space_id, block_id]
    columns:
      space_id: {type: uuid, distinct: 10M}
      block_id: {type: uuid, generated: uuid4}
patterns:
  - {name: block, sql: \"SELECT * FROM blocks WHERE space_id = :s AND block_id = :b\", rate: 40k/s}
plan:
  shards: 32
  nodes: 32
  placement: fixed
  tables:
    blocks: {key: [space_id]}
```

```yaml good
shardwright: 1
name: fifteen partitions a node
target: {engine: logical_shards, shards: 480, nodes: 32}
tables:
  blocks:
    rows: 20B
    row_size: 500B
    primary_key: [space_id, block_id]
    columns:
      space_id: {type: uuid, distinct: 10M}
      block_id: {type: uuid, generated: uuid4}
patterns:
  - {name: block, sql: \"SELECT * FROM blocks WHERE space_id = :s AND block_id = :b\", rate: 40k/s}
plan:
  shards: 480
  nodes: 32
  placement: fixed
  tables:
    blocks: {key: [space_id]}
```
",
    check: few,
};

/// SW603.
pub(super) static INDIVISIBLE: Rule = Rule {
    code: Code { code: "SW603", name: "indivisible-shards" },
    level: Level::Info,
    explain: "\
Fixed partitions are even on the nodes only when their number is a multiple of the
nodes'. A number with many divisors (480 = 2⁵·3·5) can be even on 32, 40, 48, 60, 80,
96 and 120 nodes; a prime on none.

An info when no number of nodes between today's and the number of partitions divides
it; a number that does better is suggested.

```yaml bad
shardwright: 1
name: 37 partitions
target: {engine: logical_shards, shards: 37, nodes: 4}
tables:
  blocks:
    rows: 20B
    row_size: 500B
    primary_key: [space_id, block_id]
    columns:
      space_id: {type: uuid, distinct: 10M}
      block_id: {type: uuid, generated: uuid4}
patterns:
  - {name: block, sql: \"SELECT * FROM blocks WHERE space_id = :s AND block_id = :b\", rate: 40k/s}
plan:
  shards: 37
  nodes: 4
  placement: fixed
  tables:
    blocks: {key: [space_id]}
```

```yaml good
shardwright: 1
name: 48 partitions
target: {engine: logical_shards, shards: 48, nodes: 4}
tables:
  blocks:
    rows: 20B
    row_size: 500B
    primary_key: [space_id, block_id]
    columns:
      space_id: {type: uuid, distinct: 10M}
      block_id: {type: uuid, generated: uuid4}
patterns:
  - {name: block, sql: \"SELECT * FROM blocks WHERE space_id = :s AND block_id = :b\", rate: 40k/s}
plan:
  shards: 48
  nodes: 4
  placement: fixed
  tables:
    blocks: {key: [space_id]}
```
",
    check: indivisible,
};

/// Numbers with many divisors.
const DIVISIBLE: &[u32] =
    &[12, 24, 48, 60, 96, 120, 240, 360, 480, 720, 960, 1440, 2880, 5760, 10080, 20160, 50400];

/// Partitions and nodes that a plan, or the target, states together.
fn numbers(cx: &Judged<'_>) -> Option<(u32, u32, Span)> {
    let plan = cx.plan?;
    if cx.setting.shards_estimated
        || cx.engine().shards_change == ShardsChange::Automatic && !is_generic_placement(cx)
    {
        return None;
    }
    // The advisor says nothing of nodes; its plan has those of the file.
    let span = placement(plan).map_or(plan.span, |(_, span)| span);
    let span = if cx.by_advisor || span.end == 0 { cx.design.target.span } else { span };
    Some((cx.setting.shards, cx.nodes().filter(|it| 1 < *it)?, span))
}

/// Whether the plan itself places partitions on nodes, whatever the engine does.
fn is_generic_placement(cx: &Judged<'_>) -> bool {
    cx.plan
        .and_then(placement)
        .is_some_and(|(kind, _)| matches!(kind, PlacementKind::Fixed | PlacementKind::Mod))
}

fn few(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let Some((shards, nodes, span)) = numbers(cx) else { return };
    let kind = cx.plan.and_then(placement).map(|(kind, _)| kind);
    if matches!(
        kind,
        Some(PlacementKind::Ring | PlacementKind::Jump | PlacementKind::Rendezvous | PlacementKind::Dynamic)
    ) {
        return;
    }
    // Ranges and listed values move to a new node by themselves.
    let hashed = cx.sharded().any(|it| it.placed.strategy == Strategy::Hash);
    if !hashed {
        return;
    }
    let later = cx.plan.and_then(|it| it.nodes_later).unwrap_or(nodes).max(nodes);
    if later < shards {
        return;
    }
    let word = cx.engine().shard_word;
    let message = if nodes < shards {
        format!("{shards} {word}s are on {nodes} nodes, and {later} nodes are planned: some will have none")
    } else {
        format!(
            "{shards} {word}s on {nodes} nodes: a new node has nothing to take without splitting a {word}"
        )
    };
    let level = match cx.engine().shards_change {
        ShardsChange::Procedure(_) if kind != Some(PlacementKind::Mod) => Level::Info,
        _ => Level::Warning,
    };
    let wanted = better(later.saturating_mul(10), later);
    let help = format!("start with {wanted} {word}s, {} a node", wanted / later.max(1));
    findings.push(FEW.finding_at(level, span, message).with_help(help));
}

fn indivisible(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let Some((shards, nodes, span)) = numbers(cx) else { return };
    let kind = cx.plan.and_then(placement).map_or(PlacementKind::Fixed, |(kind, _)| kind);
    if kind != PlacementKind::Fixed || shards <= nodes.saturating_add(1) {
        return;
    }
    if (nodes + 1..shards).any(|it| shards.is_multiple_of(it)) {
        return;
    }
    let message = format!(
        "{shards} {}s are even on no number of nodes between {nodes} and {shards}",
        cx.engine().shard_word
    );
    let help = format!("take {} instead, which more numbers of nodes divide", better(shards, nodes));
    findings.push(INDIVISIBLE.finding(span, message).with_help(help));
}

/// A number of partitions of at least `least` that larger numbers of nodes divide.
fn better(least: u32, nodes: u32) -> u32 {
    let fits = |it: &&u32| least <= **it && (nodes + 1..**it).any(|more| it.is_multiple_of(more));
    DIVISIBLE.iter().find(fits).copied().unwrap_or_else(|| least.div_ceil(5040).saturating_mul(5040))
}
