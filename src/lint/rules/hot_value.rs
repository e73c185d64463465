//! SW102: one key value with more than a shard's fair part.

use crate::analysis::heat::Heat;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView, citing};
use crate::target::Limit;
use crate::units::text;

/// SW102.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW102", name: "hot-value" },
    level: Level::Warning,
    explain: "\
All rows and requests of one key value are on one shard. When a value's share p
is over 1/S, that shard carries at least S·p times the mean, however well the
other values spread, and more shards make it worse, not better: the mean falls,
the value does not.

- a warning when a value has more than 1/S of the rows, of the reads or of the
  writes (each judged from its own distribution; a salt divides)
- an error when writes of that value pass, at peak, what the engine gives one
  partition, or what one node of `target.node` can write

It stays quiet for `list` and `geo`, for a `lookup` with values on shards of their
own, for a key with a single value, and for values that are all alike, of which there
are too few (see `low-cardinality-key`).

What helps: a second column in the key that the patterns bind; a salt where the
value is written more often than it is read; for `lookup`, a shard of its own.

```yaml bad
shardwright: 1
name: events of topics, the top one with 6.9%
target: {engine: generic, shards: 16}
tables:
  events:
    rows: 2B
    row_size: 200B
    primary_key: [topic_id, event_id]
    columns:
      topic_id: {type: bigint, distinct: 1M, skew: zipf(1.0)}
      event_id: {type: bigint, distinct: 2B}
patterns:
  - {name: new event, sql: \"INSERT INTO events (topic_id, event_id) VALUES (:t, :e)\", rate: 2000/s}
plan:
  tables:
    events: {key: [topic_id]}
```

```yaml good
shardwright: 1
name: events of topics, the top one with 1.3%
target: {engine: generic, shards: 16}
tables:
  events:
    rows: 2B
    row_size: 200B
    primary_key: [topic_id, event_id]
    columns:
      topic_id: {type: bigint, distinct: 1M, skew: zipf(0.8)}
      event_id: {type: bigint, distinct: 2B}
patterns:
  - {name: new event, sql: \"INSERT INTO events (topic_id, event_id) VALUES (:t, :e)\", rate: 2000/s}
plan:
  tables:
    events: {key: [topic_id]}
```
",
    check,
};

/// What the hottest value's writes pass.
pub(super) enum Passed {
    /// The engine's limit: units a second, and the limit.
    Units(f64, &'static Limit),
    /// What one node writes: writes a second, and that.
    Node(f64, f64),
}

/// What the writes of a table's hottest value pass, if anything.
pub(super) fn writes_pass(cx: &Judged<'_>, heat: &Heat) -> Option<Passed> {
    let partition = &cx.engine().partition;
    let units = if partition.shared_units { heat.write_units + heat.read_units } else { heat.write_units };
    if let Some(limit) = partition.write_units.as_ref().filter(|it| it.max < units)
        && 0.0 < heat.write_units
    {
        return Some(Passed::Units(units, limit));
    }
    let node = cx.design.target.node.writes?.get();
    (0.0 < node && node < heat.writes).then_some(Passed::Node(heat.writes, node))
}

/// Whether one value of the key has more than a fair shard's part of anything.
pub(super) fn is_hot(cx: &Judged<'_>, it: &TableView<'_>, heat: &Heat) -> bool {
    let fair = fair(cx);
    fair < it.figures.hottest.rows || fair < heat.share || fair < heat.write_share
}

/// A shard's fair part; a value that has exactly that is not hot.
fn fair(cx: &Judged<'_>) -> f64 {
    (1.0 + 1e-9) / cx.shards()
}

/// Whether all values are alike: then there are too few of them, and none is hot.
fn is_even(it: &TableView<'_>, heat: &Heat) -> bool {
    let each = 2.0 / it.figures.distinct.max(1.0);
    it.figures.hottest.rows <= each && heat.read_share <= each && heat.write_share <= each
}

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.sharded() {
        let dedicated = it.plan.is_some_and(|it| !it.dedicated.is_empty());
        if it.by_hand()
            || dedicated
            || super::constant_key::is_constant(&it)
            || super::moving_hotspot::moves(cx, &it)
        {
            continue;
        }
        let heat = cx.heat(it.id);
        if !is_hot(cx, &it, &heat) {
            continue;
        }
        let passed = writes_pass(cx, &heat);
        if passed.is_none() && is_even(&it, &heat) {
            continue;
        }
        let level = if passed.is_some() { Level::Error } else { Level::Warning };
        let mut finding =
            it.about(RULE.finding_at(level, it.key_span(), message(cx, &it, &heat, passed.as_ref())));
        finding = finding.with_help(help(&it, &heat, passed.as_ref()));
        if let Some(Passed::Units(_, limit)) = passed {
            finding = citing(finding, &limit.source);
        }
        findings.push(finding);
    }
}

fn message(cx: &Judged<'_>, it: &TableView<'_>, heat: &Heat, passed: Option<&Passed>) -> String {
    let fair = fair(cx);
    let parts: Vec<String> =
        [(it.figures.hottest.rows, "rows"), (heat.read_share, "reads"), (heat.write_share, "writes")]
            .iter()
            .filter(|(share, _)| fair < *share)
            .map(|(share, what)| format!("{} of the {what}", text::share(*share)))
            .collect();
    let names: Vec<&str> = parts.iter().map(String::as_str).collect();
    let what = if names.is_empty() {
        format!("{} of the load", text::share(heat.share))
    } else {
        crate::lint::listed(&names)
    };
    let front = format!(
        "one value of `{}` has {what}, a fair part of {} shards is {}",
        it.key_text(),
        cx.setting.shards,
        text::share(fair)
    );
    match passed {
        Some(Passed::Units(units, limit)) => format!(
            "{front}: at peak it takes {} units/s where one key value has {}",
            text::count(*units),
            limit.text
        ),
        Some(Passed::Node(writes, node)) => format!(
            "{front}: at peak it takes {} writes where one node takes {}",
            text::rate(*writes),
            text::rate(*node)
        ),
        None => {
            format!("{front}: its shard carries at least {} times the mean", text::count(worst(cx, it, heat)))
        }
    }
}

fn worst(cx: &Judged<'_>, it: &TableView<'_>, heat: &Heat) -> f64 {
    cx.shards() * it.figures.hottest.rows.max(heat.read_share).max(heat.write_share)
}

fn help(it: &TableView<'_>, heat: &Heat, passed: Option<&Passed>) -> String {
    let name = it.key_text();
    let ways = match passed {
        Some(Passed::Units(units, limit)) => libm::ceil(units / limit.max),
        Some(Passed::Node(writes, node)) => libm::ceil(writes / node),
        None => 0.0,
    };
    if 1.0 < ways {
        let ways = ways * f64::from(it.salt().map_or(1, |it| it.ways));
        return format!(
            "add a second column to the key that the patterns bind, or salt `{name}` {} ways or more",
            text::count(ways)
        );
    }
    if 1.5 * heat.write_share.max(it.figures.hottest.rows) < heat.read_share {
        return format!("cache or merge the reads of the hottest `{name}`; a salt would only multiply them");
    }
    format!(
        "add a second column to the key that the patterns bind, salt the hottest `{name}`, or place it on a shard of its own"
    )
}
