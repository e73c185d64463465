//! SW605: a directory that everything asks first.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, listed};
use crate::model::Strategy;
use crate::units::{Share, text};

/// SW605.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW605", name: "directory-single-point" },
    level: Level::Warning,
    explain: "\
With the strategy `lookup` a directory knows the shard of each key value. Whoever has no
copy of the answer asks it first, so it serves as many look-ups as the whole fleet
serves requests, and all of them stop with it.

A warning for a plan whose directory has no replicas or no cache in front, with the
look-ups a second: requests on such tables × (1 − cache hits). An info when the plan
does not say how the directory is kept.

What helps: replicas, and a cache of the map in every client (it hardly ever changes);
a hash with a list of exceptions in place of the directory.

```yaml bad
shardwright: 1
name: a directory alone
target: {engine: generic, shards: 1000, nodes: 1000}
tables:
  listings:
    rows: 200B
    row_size: 1.5KB
    primary_key: [shop_id, listing_id]
    columns:
      shop_id: {type: bigint, distinct: 8M}
      listing_id: {type: bigint, generated: ticket}
patterns:
  - {name: listings of a shop, sql: \"SELECT * FROM listings WHERE shop_id = :s LIMIT 50\", rate: 1M/s}
plan:
  lookup: {replicas: 0, cache_hit: 0%}
  tables:
    listings: {key: [shop_id], strategy: lookup}
```

```yaml good
shardwright: 1
name: a directory with copies and a cache
target: {engine: generic, shards: 1000, nodes: 1000}
tables:
  listings:
    rows: 200B
    row_size: 1.5KB
    primary_key: [shop_id, listing_id]
    columns:
      shop_id: {type: bigint, distinct: 8M}
      listing_id: {type: bigint, generated: ticket}
patterns:
  - {name: listings of a shop, sql: \"SELECT * FROM listings WHERE shop_id = :s LIMIT 50\", rate: 1M/s}
plan:
  lookup: {replicas: 2, cache_hit: 99%}
  tables:
    listings: {key: [shop_id], strategy: lookup}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = cx.plan else { return };
    let tables: Vec<_> = cx.sharded().filter(|it| it.placed.strategy == Strategy::Lookup).collect();
    let Some(first) = tables.first() else { return };
    let hits = plan.lookup.and_then(|it| it.cache_hit).map_or(0.0, Share::get);
    let replicas = plan.lookup.and_then(|it| it.replicas).unwrap_or(0);
    if 0 < replicas && 0.0 < hits {
        return;
    }
    let patterns = cx.patterns().filter(|it| {
        it.pattern
            .statements()
            .any(|(_, at)| at.instances.iter().any(|at| tables.iter().any(|table| table.id == at.table)))
    });
    let asked: f64 = patterns.map(|it| it.figures.rate).sum::<f64>() * (1.0 - hits);
    let names: Vec<String> = tables.iter().map(|it| format!("`{}`", it.table.name)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let how = match (replicas, hits > 0.0) {
        (0, true) => "has no replica",
        (0, false) => "has neither replica nor cache",
        _ => "has no cache in front",
    };
    let message = format!(
        "the directory of {} {how}: it answers {} look-ups, and every request stops with it",
        listed(&names),
        text::rate(asked)
    );
    let (level, span) = match plan.lookup {
        Some(lookup) if 0 < lookup.span.end => (Level::Warning, lookup.span),
        Some(_) => (Level::Warning, first.key_span()),
        None => (Level::Info, first.key_span()),
    };
    let help = "keep replicas of it and a cache of the map in every client, or hash and list the exceptions";
    findings.push(RULE.finding_at(level, span, message).with_help(help));
}
