//! SW406: a global index would take a frequent scatter to one partition.

use crate::analysis::assessment::PatternFigures;
use crate::analysis::placed::{PlacedIndex, Space};
use crate::analysis::routing::InstanceRoute;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Change, Judged, Rule, StatementView, TableView, rate_or_no};
use crate::model::{ColumnId, Include, Index, PatternId, Scope};
use crate::units::text;

/// SW406.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW406", name: "missing-index" },
    level: Level::Warning,
    explain: "\
A statement that asks all shards, although it names a telephone number that one row
has, wants a global index (a look-up from the number to the key): one partition of
the index, then one shard. Each write of the column then writes an entry as well.

A warning for a read or write that asks all shards and binds columns by equality,
when the plan with such an index does less work, upkeep included, and the pattern
makes at least 0.1% of the requests. Saving and cost are given in shard requests a
second. It stays quiet where the engine has no global indexes.

```yaml bad
shardwright: 1
name: subscribers, searched by telephone number
target: {engine: generic, shards: 16}
tables:
  subscriber:
    rows: 100M
    row_size: 300B
    primary_key: [s_id]
    columns:
      s_id: {type: bigint, distinct: 100M}
      number: {type: text, distinct: 100M}
      location: int
patterns:
  - {name: update location, sql: \"UPDATE subscriber SET location = :l WHERE number = :n\", rate: 2800/s}
plan:
  tables:
    subscriber: {key: [s_id]}
```

```yaml good
shardwright: 1
name: subscribers, searched by telephone number through an index
target: {engine: generic, shards: 16}
tables:
  subscriber:
    rows: 100M
    row_size: 300B
    primary_key: [s_id]
    columns:
      s_id: {type: bigint, distinct: 100M}
      number: {type: text, distinct: 100M}
      location: int
patterns:
  - {name: update location, sql: \"UPDATE subscriber SET location = :l WHERE number = :n\", rate: 2800/s}
plan:
  tables:
    subscriber: {key: [s_id]}
  indexes:
    - {name: by_number, table: subscriber, key: [number], scope: global, include: [s_id]}
```
",
    check,
};

/// Share of all requests below which an index is not worth a word.
const RARE: f64 = 0.001;

/// An index that would answer some patterns, and the plan with it.
struct Proposal {
    index: PlacedIndex,
    patterns: Vec<PatternId>,
    would: Change,
}

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    // The advisor's plan has the indexes that are worth it.
    let Some(now) = cx.assessment.filter(|_| !cx.by_advisor) else { return };
    let Some(kind) = cx.engine().index.global else { return };
    let mut told: Vec<(crate::model::TableId, Vec<ColumnId>)> = Vec::new();
    let mut served: Vec<(crate::model::TableId, PatternId)> = Vec::new();
    for (it, route, table) in super::scatter_read::scattered(cx) {
        if it.of.share(cx) < RARE || served.contains(&(table.id, it.of.id)) {
            continue;
        }
        let Some(key) = index_key(&it, route, &table) else { continue };
        if told.contains(&(table.id, key.clone())) {
            continue;
        }
        told.push((table.id, key.clone()));
        let proposals = [Include::KeysOnly, Include::All].map(|include| proposal(cx, &table, &key, include));
        let best =
            proposals.into_iter().flatten().min_by(|a, b| a.would.weighted.total_cmp(&b.would.weighted));
        let Some(best) = best.filter(|it| it.would.weighted < now.totals.weighted && !it.patterns.is_empty())
        else {
            continue;
        };
        served.extend(best.patterns.iter().map(|pattern| (table.id, *pattern)));
        findings.push(finding(cx, kind, &it, &table, &best));
    }
}

/// The columns to index: the one with the most values, if it finds nearly as
/// few rows alone, else all that are bound.
fn index_key(it: &StatementView<'_>, route: &InstanceRoute, table: &TableView<'_>) -> Option<Vec<ColumnId>> {
    let bound = it.bound_columns(route);
    let distinct = |id: &ColumnId| table.facts.columns[id.0 as usize].distinct;
    let best = bound.iter().copied().max_by(|a, b| distinct(a).total_cmp(&distinct(b)).then(b.cmp(a)))?;
    let alone = table.facts.rows / distinct(&best).max(1.0);
    let together = bound.iter().fold(table.facts.rows, |rows, id| rows / distinct(id).max(1.0)).max(1.0);
    Some(if alone <= 2.0 * together { vec![best] } else { bound })
}

fn proposal(cx: &Judged<'_>, table: &TableView<'_>, key: &[ColumnId], include: Include) -> Option<Proposal> {
    let name = format!("{}_by_{}", table.table.name, table.table.names(key).replace(", ", "_"));
    let index = Index {
        name: name.clone(),
        table: table.id,
        key: key.to_vec(),
        sort: Vec::new(),
        scope: Scope::Global,
        strategy: None,
        salt: None,
        unique: false,
        include,
        only: Vec::new(),
        span: table.key_span(),
    };
    let placed_index =
        PlacedIndex { strategy: cx.engine().index.strategy, space: Space::Index(table.id, name), index };
    let mut placed = cx.placed_with(table.id, &table.placed.choice)?;
    placed.indexes.push(placed_index.clone());
    let would = cx.change(table.id, &placed)?;
    let served = would.patterns.iter().filter(|is| saved(cx, is) > 0.0);
    let patterns = served.map(|is| is.pattern).collect();
    Some(Proposal { index: placed_index, patterns, would })
}

fn finding(
    cx: &Judged<'_>,
    kind: &str,
    it: &StatementView<'_>,
    table: &TableView<'_>,
    best: &Proposal,
) -> Finding {
    let columns = table.table.names(&best.index.index.key);
    let saved: f64 = best.would.patterns.iter().map(|is| saved(cx, is)).filter(|saved| 0.0 < *saved).sum();
    let upkeep = super::unused_index::upkeep(cx, table, &best.index);
    let message = format!(
        "a {kind} on {}({columns}) would take this to one partition: it saves {} shard requests and costs {} index writes",
        table.table.name,
        text::rate(saved),
        rate_or_no(upkeep)
    );
    let whole = best.index.index.include == Include::All;
    let include = if whole { ", include: all" } else { "" };
    let fix = format!(
        "{{name: {}, table: {}, key: [{columns}], scope: global{include}}}",
        best.index.index.name, table.table.name
    );
    let finding =
        it.of.about(RULE.finding(it.of.pattern.span, message), it.statement).on_table(&table.table.name);
    finding.with_help(format!("add it to the plan, or keep a lookup table by {columns}")).with_fix(fix)
}

/// Shard requests a second that a pattern makes less than under the plan.
fn saved(cx: &Judged<'_>, is: &PatternFigures) -> f64 {
    cx.figures(is.pattern).map_or(0.0, |was| was.rate * (was.requests - is.requests))
}
