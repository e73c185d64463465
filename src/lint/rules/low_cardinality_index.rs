//! SW401: an index partition outgrows its size because the column has few values.

use crate::analysis::partition::fullest_of_index;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, citing};
use crate::units::text;

/// SW401.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW401", name: "low-cardinality-index" },
    level: Level::Warning,
    explain: "\
The entries of one index value are one partition. An index on a status with four
values has four partitions for the whole table, and they grow with it.

- an error when the fullest passes, by the horizon, what the engine lets a partition
  grow to
- a warning when it passes what the maker advises

What helps: a second column in the index key, a salt, or a sparse index that holds
only the rows that are searched for.

```yaml bad
shardwright: 1
name: readings by quality
target: {engine: cassandra, nodes: 3, shards: 48}
tables:
  readings:
    rows: 2B
    row_size: 200B
    primary_key: [sensor, at]
    columns:
      sensor: {type: text, distinct: 2M}
      at: {type: timestamp, monotonic: true}
      quality: {type: text, distinct: 4}
patterns:
  - {name: bad readings, sql: \"SELECT * FROM readings WHERE quality = :q LIMIT 10\", rate: 1/s}
plan:
  tables:
    readings: {key: [sensor], cluster: [at]}
  indexes:
    - {name: by_quality, table: readings, key: [quality], scope: global}
```

```yaml good
shardwright: 1
name: readings by place
target: {engine: cassandra, nodes: 3, shards: 48}
tables:
  readings:
    rows: 2B
    row_size: 200B
    primary_key: [sensor, at]
    columns:
      sensor: {type: text, distinct: 2M}
      at: {type: timestamp, monotonic: true}
      place: {type: text, distinct: 500k}
patterns:
  - {name: readings of a place, sql: \"SELECT * FROM readings WHERE place = :p LIMIT 10\", rate: 1/s}
plan:
  tables:
    readings: {key: [sensor], cluster: [at]}
  indexes:
    - {name: by_place, table: readings, key: [place], scope: global}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let rules = &cx.engine().partition;
    for it in cx.sharded() {
        for index in &it.placed.indexes {
            let fullest = fullest_of_index(cx.setting, index);
            let bytes = fullest.bytes().1;
            let limits = [(&rules.hard_bytes, Level::Error), (&rules.advised_bytes, Level::Warning)];
            let passed = limits
                .into_iter()
                .find_map(|(limit, level)| limit.as_ref().filter(|it| it.max < bytes).map(|it| (it, level)));
            let Some((limit, level)) = passed else { continue };
            let message = format!(
                "the fullest value of `{}` in index `{}` has {} of the entries, {} at the horizon; {} {}",
                it.table.names(&index.index.key),
                index.index.name,
                text::share(fullest.share),
                text::bytes(bytes),
                if level == Level::Error { "the limit is" } else { "the maker advises at most" },
                limit.text
            );
            let help = "add a column to the index key, salt it, or index only the rows that are searched for";
            let finding = RULE.finding_at(level, index.index.span, message).with_help(help);
            findings
                .push(citing(finding.on_table(&it.table.name).on_index(&index.index.name), &limit.source));
        }
    }
}
