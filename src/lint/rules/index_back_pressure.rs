//! SW403: an index that is short of capacity makes writes of its table fail.

use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, citing};
use crate::units::text;

/// SW403.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW403", name: "index-back-pressure" },
    level: Level::Warning,
    explain: "\
Where index entries are written after the row, a partition of the index that can't
keep up throttles the writes of the table: a hot index stops a table whose own key
is fine.

A warning for a global index whose most frequent value is written over the limit of
a partition (see `hot-index`), on an engine that pushes back.

```yaml bad
shardwright: 1
name: jobs by status, nearly all of them new
target: {engine: dynamodb, shards: 32}
tables:
  jobs:
    rows: 200M
    row_size: 800B
    primary_key: [job_id]
    columns:
      job_id: {type: uuid, generated: uuid4}
      status: {type: text, distinct: 4, skew: {top: [90%]}}
patterns:
  - {name: new job, insert: jobs, rate: 3000/s}
  - {name: new jobs, read: jobs, where: {status: eq}, limit: 10, rate: 1/s, consistency: eventual}
plan:
  tables:
    jobs: {key: [job_id]}
  indexes:
    - {name: by_status, table: jobs, key: [status], scope: global}
```

```yaml good
shardwright: 1
name: jobs by owner
target: {engine: dynamodb, shards: 32}
tables:
  jobs:
    rows: 200M
    row_size: 800B
    primary_key: [job_id]
    columns:
      job_id: {type: uuid, generated: uuid4}
      owner: {type: text, distinct: 4M}
patterns:
  - {name: new job, insert: jobs, rate: 3000/s}
  - {name: jobs of an owner, read: jobs, where: {owner: eq}, limit: 10, rate: 1/s, consistency: eventual}
plan:
  tables:
    jobs: {key: [job_id]}
  indexes:
    - {name: by_owner, table: jobs, key: [owner], scope: global}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let Some(source) = &cx.engine().index.back_pressure else { return };
    for it in cx.sharded() {
        for index in &it.placed.indexes {
            let Some(over) = super::hot_index::over(cx, &it, index).filter(|it| it.writes) else { continue };
            let message = format!(
                "one partition of index `{}` takes {} of {} units/s at peak, so writes of `{}` are throttled with it",
                index.index.name,
                text::count(over.limit),
                text::count(over.load),
                it.table.name
            );
            let finding = RULE.finding(index.index.span, message).with_help("cool the index: see hot-index");
            findings.push(citing(finding.on_table(&it.table.name).on_index(&index.index.name), source));
        }
    }
}
