//! SW114: a salt that multiplies reads and cures nothing.

use crate::analysis::assessment::PatternFigures;
use crate::analysis::heat::heat_of_table;
use crate::analysis::partition::{fullest, fullest_of_index};
use crate::analysis::placed::{Placed, PlacedIndex, row_spread};
use crate::analysis::routing::grows_at_front;
use crate::analysis::spread::Spread;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Change, Judged, Rule, TableView};
use crate::model::{Strategy, TableId};
use crate::units::text;

/// SW114.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW114", name: "needless-salt" },
    level: Level::Warning,
    explain: "\
A salt of n makes n requests of every read that does not know it. That is the price
of a cure, and this finding says when there is nothing to cure: without the salt no
value has more than a shard's fair part of rows, reads or writes, none passes a
limit, no range grows at one end, no partition outgrows its size, and the values are
enough for the shards.

A warning for a salted key, or index, of which all of that holds and which some
pattern reads.

```yaml bad
shardwright: 1
name: a salt on values that are even already
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    row_size: 300B
    primary_key: [customer_id, order_id]
    columns:
      customer_id: {type: bigint, distinct: 5M}
      order_id: {type: bigint, distinct: 200M}
patterns:
  - {name: orders of a customer, sql: \"SELECT * FROM orders WHERE customer_id = :c LIMIT 20\", rate: 900/s}
plan:
  tables:
    orders: {key: [customer_id], salt: 8}
```

```yaml good
shardwright: 1
name: a salt on a service with a tenth of everything
target: {engine: generic, shards: 64}
tables:
  spans:
    rows: 43M
    row_size: 60B
    primary_key: [service, span_id]
    columns:
      service: {type: text, distinct: 200, skew: zipf(0.8)}
      span_id: {type: bigint, distinct: 43M}
patterns:
  - {name: new span, sql: \"INSERT INTO spans (service, span_id) VALUES (:s, :i)\", rate: 500/s}
  - {name: latest, sql: \"SELECT span_id FROM spans WHERE service = :s LIMIT 100\", rate: 40/s}
plan:
  tables:
    spans: {key: [service], salt: 10, salt_from: span_id}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    // The advisor salts where that is worth it.
    if cx.by_advisor {
        return;
    }
    for it in cx.sharded() {
        findings.extend(key_salt(cx, &it));
        for index in &it.placed.indexes {
            findings.extend(index_salt(cx, &it, index));
        }
    }
}

fn key_salt(cx: &Judged<'_>, it: &TableView<'_>) -> Option<Finding> {
    let salt = it.salt()?;
    let placed = Placed { salt: None, ..it.placed.clone() };
    let plain = cx.change(it.id, &placed)?;
    let cost = multiplied(cx, &plain);
    if cost <= 0.0 || cures(cx, it, &placed, &plain) {
        return None;
    }
    let message = format!(
        "the salt of {} ways adds {} shard requests and cures nothing: without it the most frequent `{}` has {} of the rows, a fair part is {}",
        salt.ways,
        text::rate(cost),
        it.key_text(),
        text::share(rows(cx, &placed, false).top()),
        text::share(1.0 / cx.shards())
    );
    Some(it.about(RULE.finding(it.key_span(), message)).with_help("leave the salt out"))
}

/// Shard requests a second that the salt adds.
fn multiplied(cx: &Judged<'_>, plain: &Change) -> f64 {
    let added = |without: &PatternFigures| {
        cx.figures(without.pattern).map_or(0.0, |with| with.rate * (with.requests - without.requests))
    };
    plain.patterns.iter().map(added).sum()
}

/// How rows spread over the values of a key today, or at the horizon.
fn rows(cx: &Judged<'_>, placed: &Placed, later: bool) -> Spread {
    let setting = cx.setting;
    row_spread(&setting.facts, &setting.copied, setting.design, placed, later, setting.shards)
}

/// Whether anything would be wrong with the key without its salt.
fn cures(cx: &Judged<'_>, it: &TableView<'_>, placed: &Placed, plain: &Change) -> bool {
    let Some(now) = cx.assessment else { return false };
    let with = |id: TableId| if id == it.id { placed } else { &now.placed[id.0 as usize] };
    let heat = heat_of_table(cx.setting, &with, &plain.patterns, cx.reading(), it.id);
    let fair = 1.0 / cx.shards();
    let hot = fair < rows(cx, placed, false).top() || fair < heat.share || fair < heat.write_share;
    let passes = super::hot_value::writes_pass(cx, &heat).is_some();
    let grows = placed.strategy == Strategy::Range && grows_at_front(cx.setting, placed);
    let few = rows(cx, placed, true).effective() < 10.0 * cx.shards();
    let full =
        fullest(cx.setting, placed).is_some_and(|full| super::unbounded_partition::passes_any(cx, it, &full));
    hot || passes || grows || few || full || super::moving_hotspot::moves_placed(cx, it, placed)
}

fn index_salt(cx: &Judged<'_>, it: &TableView<'_>, index: &PlacedIndex) -> Option<Finding> {
    let salt = index.index.salt.filter(|salt| 1 < salt.ways)?;
    let grows = index.strategy == Strategy::Range
        && index.index.key.first().is_some_and(|id| it.table.column(*id).grows());
    let mut plain = index.clone();
    plain.index.salt = None;
    let fullest = fullest_of_index(cx.setting, &plain);
    let hot = 1.0 / cx.shards() < fullest.share || super::hot_index::over(cx, it, &plain).is_some();
    let rules = &cx.engine().partition;
    let full =
        [&rules.advised_bytes, &rules.hard_bytes].into_iter().flatten().any(|it| it.max < fullest.bytes().1);
    let few = 1.0 / fullest.share.max(1e-12) < 10.0 * cx.shards();
    if grows || hot || full || few {
        return None;
    }
    let message = format!(
        "the salt of {} ways on index `{}` multiplies its reads and cures nothing: its most frequent value has {} of the entries",
        salt.ways,
        index.index.name,
        text::share(fullest.share)
    );
    let finding =
        RULE.finding(index.index.span, message).on_table(&it.table.name).on_index(&index.index.name);
    Some(finding.with_help("leave the salt out"))
}
