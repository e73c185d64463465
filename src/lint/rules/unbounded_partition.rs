//! SW107: the rows of one key value outgrow what a partition should, or can, hold.

use crate::analysis::partition::{Fullest, Stop, fullest};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView, citing};
use crate::model::ColumnId;
use crate::target::Limit;
use crate::units::{DAY, text};

/// SW107.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW107", name: "unbounded-partition" },
    level: Level::Warning,
    explain: "\
All rows of one key value are one partition. Makers state how large it should get
(Cassandra: 100 MB or 100,000 values), or can get (Cosmos DB: 20 GB). The fullest
partition holds rows × the share of the most frequent value; it is judged today,
at the steady state of a `retention`, and by its growth until the horizon.

- an error when it passes a limit that the engine does not let it pass
- a warning when it passes what the maker advises

The finding says when: bytes a day of that value, and the time until the limit. A
salt divides, a time bucket holds only what arrives in its width. A retention
alone is no bound if what it keeps is already too much: rows that have expired
stay in the partition until they are compacted away.

What helps: a time bucket in the key, a further column, or a retention.

```yaml bad
shardwright: 1
name: messages of channels
target: {engine: cassandra, nodes: 12, shards: 192}
tables:
  messages:
    rows: 20B
    growth: 120M/day
    row_size: 250B
    primary_key: [channel_id, message_id]
    columns:
      channel_id: {type: bigint, distinct: 60M, skew: zipf(0.4)}
      message_id: {type: bigint, generated: snowflake}
      sent_at: {type: timestamp, monotonic: true}
patterns:
  - {name: send, sql: \"INSERT INTO messages (channel_id, message_id, sent_at) VALUES (:c, :m, :now)\", rate: 120M/day}
plan:
  tables:
    messages: {key: [channel_id], cluster: [message_id desc]}
```

```yaml good
shardwright: 1
name: messages of channels, ten days a partition
target: {engine: cassandra, nodes: 12, shards: 192}
tables:
  messages:
    rows: 20B
    growth: 120M/day
    row_size: 250B
    primary_key: [channel_id, message_id]
    columns:
      channel_id: {type: bigint, distinct: 60M, skew: zipf(0.4)}
      message_id: {type: bigint, generated: snowflake}
      sent_at: {type: timestamp, monotonic: true}
patterns:
  - {name: send, sql: \"INSERT INTO messages (channel_id, message_id, sent_at) VALUES (:c, :m, :now)\", rate: 120M/day}
plan:
  tables:
    messages: {key: [channel_id, {bucket: sent_at, every: 10d}], cluster: [message_id desc]}
```
",
    check,
};

/// A limit with what one row counts against it.
struct Measure {
    limit: &'static Limit,
    a_row: f64,
    unit: Unit,
}

#[derive(Clone, Copy)]
enum Unit {
    Bytes,
    Values,
    Rows,
}

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.tables() {
        if !it.placed.sharded() {
            continue;
        }
        let Some(fullest) = fullest(cx.setting, it.placed) else { continue };
        if let Some((level, measure, when)) = passes(cx, &it, &fullest) {
            findings.push(finding(&it, &fullest, level, &measure, when));
        }
    }
}

/// Whether a partition passes a limit that can't be passed: a veto for its key.
pub(super) fn passes_hard(cx: &Judged<'_>, it: &TableView<'_>, fullest: &Fullest) -> bool {
    passes(cx, it, fullest).is_some_and(|(level, ..)| level == Level::Error)
}

/// Whether a partition passes any limit, advised or hard.
pub(super) fn passes_any(cx: &Judged<'_>, it: &TableView<'_>, fullest: &Fullest) -> bool {
    passes(cx, it, fullest).is_some()
}

/// The worst limit that is passed, and in how many seconds.
fn passes(cx: &Judged<'_>, it: &TableView<'_>, fullest: &Fullest) -> Option<(Level, Measure, f64)> {
    let rules = &cx.engine().partition;
    let cells = cells_a_row(it);
    let row = fullest.row_bytes;
    let hard = [
        (&rules.hard_bytes, row, Unit::Bytes),
        (&rules.hard_cells, cells, Unit::Values),
        (&rules.hard_rows, 1.0, Unit::Rows),
    ];
    let advised = [
        (&rules.advised_bytes, row, Unit::Bytes),
        (&rules.advised_cells, cells, Unit::Values),
        (&rules.advised_rows, 1.0, Unit::Rows),
    ];
    for (level, limits) in [(Level::Error, hard), (Level::Warning, advised)] {
        let passed = limits.into_iter().filter_map(|(limit, a_row, unit)| {
            let limit = limit.as_ref()?;
            let when = fullest.reaches(limit.max / a_row)?;
            // At the limit is not over it.
            let over = limit.max < fullest.rows.1.max(fullest.rows.0) * a_row;
            over.then_some((Measure { limit, a_row, unit }, when))
        });
        if let Some((measure, when)) = passed.min_by(|a, b| a.1.total_cmp(&b.1)) {
            return Some((level, measure, when));
        }
    }
    None
}

/// Values that a row adds to its partition: columns outside the primary key
/// (Cassandra's count); at least one, the row itself.
fn cells_a_row(it: &TableView<'_>) -> f64 {
    let key = it.own_key_columns();
    let plain_key = |id: &ColumnId| {
        key.contains(id)
            && it
                .placed
                .parts
                .iter()
                .any(|part| matches!(part, crate::analysis::placed::PlacedPart::Column(at) if at == id))
    };
    let sorts = |id: &ColumnId| it.plan.is_some_and(|it| it.cluster.iter().any(|it| it.column == *id));
    let values = it
        .table
        .column_ids()
        .filter(|id| !it.table.primary_key.contains(id) && !plain_key(id) && !sorts(id))
        .count();
    (values as f64).max(1.0)
}

fn finding(it: &TableView<'_>, fullest: &Fullest, level: Level, measure: &Measure, when: f64) -> Finding {
    let amount = |rows: f64| match measure.unit {
        Unit::Bytes => text::bytes(rows * fullest.row_bytes),
        Unit::Values => format!("{} values", text::count(rows * measure.a_row)),
        Unit::Rows => format!("{} rows", text::count(rows)),
    };
    let verb = if level == Level::Error { "the limit is" } else { "the maker advises at most" };
    let limit = measure.limit.text;
    let name = it.key_text();
    let share = text::share(fullest.share);
    let front = format!("the fullest value of `{name}` has {share} of the rows");
    let message = match (when > 0.0, fullest.stopped) {
        (true, _) => format!(
            "{front} and gains {} a day: it holds {} now and passes {limit} in {} ({} days), before the horizon",
            text::bytes(fullest.bytes_a_day()),
            amount(fullest.rows.0),
            text::duration(when),
            crate::units::text::grouped(libm::round(when / DAY) as u64)
        ),
        (false, Some(Stop::Bucket(every))) => format!(
            "one bucket of {} of the fullest value of `{name}` holds {}; {verb} {limit}",
            text::duration(every),
            amount(fullest.rows.0)
        ),
        (false, Some(Stop::Retention(kept))) => format!(
            "{front}: with {} of rows kept that is {}; {verb} {limit}",
            text::duration(kept),
            amount(fullest.rows.1)
        ),
        (false, None) if 0.0 < fullest.growth => format!(
            "{front}: {} now and {} at the horizon, and nothing stops it; {verb} {limit}",
            amount(fullest.rows.0),
            amount(fullest.rows.1)
        ),
        (false, None) => format!("{front}: {}; {verb} {limit}", amount(fullest.rows.0)),
    };
    let finding = it.about(RULE.finding_at(level, it.key_span(), message));
    citing(finding.with_help(help(it, fullest, measure)), &measure.limit.source)
}

fn help(it: &TableView<'_>, fullest: &Fullest, measure: &Measure) -> String {
    let name = it.key_text();
    let time = it.table.columns.iter().find(|it| it.grows() && it.generated.is_none());
    let most = measure.limit.max / measure.a_row;
    if let Some(Stop::Bucket(every)) = fullest.stopped {
        let fits = every * most / fullest.rows.0.max(1.0);
        return format!(
            "make the bucket narrower: {} or less keeps it within {}",
            text::duration(fits),
            measure.limit.text
        );
    }
    match time {
        Some(column) => format!(
            "put a time bucket of `{}` into the key beside `{name}`, add a further column, or let old rows expire",
            column.name
        ),
        None => format!("add a further column to the key beside `{name}`, or salt it"),
    }
}
