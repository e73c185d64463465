//! SW117: reads that walk over what was deleted.

use crate::analysis::routing::How;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, StatementView, TableView, citing};
use crate::model::{Operation, RangeWidth};
use crate::units::text;

/// SW117.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW117", name: "tombstone-scan" },
    level: Level::Warning,
    explain: "\
In an LSM store a deleted or expired row is not gone: a marker stands in its place
until compaction, after days, may drop it. A read of a range of the partition walks
over all markers on its way, and fails when there are too many. A queue in a table
is the usual case: every row that was taken is a marker that the next reader passes.

A warning where the engine keeps such markers, rows of a partition are deleted one by
one (at least a tenth as often as they are inserted) or expire by a retention, and a
pattern reads a range of the partition that is not bounded to the newest rows.

What helps: a time bucket in the key, so that whole partitions are left behind; a
bound on the range that starts behind what was deleted; deleting whole partitions.

```yaml bad
shardwright: 1
name: a queue in a table
target: {engine: cassandra, nodes: 3, shards: 48}
tables:
  jobs:
    rows: 200k
    row_size: 400B
    primary_key: [queue, job_id]
    columns:
      queue: {type: text, distinct: 2000}
      job_id: {type: bigint, generated: snowflake}
patterns:
  - {name: put, sql: \"INSERT INTO jobs (queue, job_id) VALUES (:q, :j)\", rate: 100/s}
  - {name: next jobs, sql: \"SELECT * FROM jobs WHERE queue = :q LIMIT 10\", rate: 100/s}
  - {name: done, sql: \"DELETE FROM jobs WHERE queue = :q AND job_id = :j\", rate: 100/s}
plan:
  tables:
    jobs: {key: [queue], cluster: [job_id]}
```

```yaml good
shardwright: 1
name: jobs that are read one by one
target: {engine: cassandra, nodes: 3, shards: 48}
tables:
  jobs:
    rows: 200k
    row_size: 400B
    primary_key: [queue, job_id]
    columns:
      queue: {type: text, distinct: 2000}
      job_id: {type: bigint, generated: snowflake}
patterns:
  - {name: put, sql: \"INSERT INTO jobs (queue, job_id) VALUES (:q, :j)\", rate: 100/s}
  - {name: a job, sql: \"SELECT * FROM jobs WHERE queue = :q AND job_id = :j\", rate: 100/s}
  - {name: done, sql: \"DELETE FROM jobs WHERE queue = :q AND job_id = :j\", rate: 100/s}
plan:
  tables:
    jobs: {key: [queue], cluster: [job_id]}
```
",
    check,
};

/// Share of the inserts from which on deletes matter.
const OFTEN: f64 = 0.1;

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let Some(source) = &cx.engine().partition.tombstones else { return };
    for it in cx.sharded() {
        // Whole buckets are left behind: a reader of the current one meets none of the old rows.
        if it.placed.parts.iter().any(|part| matches!(part, crate::analysis::placed::PlacedPart::Bucket(..)))
        {
            continue;
        }
        let deletes = single_deletes(cx, &it);
        let (inserts, _) = it.inserts();
        let deleted = 0.0 < deletes && OFTEN * inserts <= deletes;
        let expired = it.table.retention.is_some();
        if !deleted && !expired {
            continue;
        }
        let Some(reader) = cx.statements_on(it.id).find(|at| reads_range(&it, at)) else { continue };
        let how = if deleted {
            format!("{} rows are deleted one by one", text::rate(deletes))
        } else {
            format!(
                "rows expire after {}",
                it.table.retention.map_or_else(String::new, |it| text::duration(it.get()))
            )
        };
        let message = format!(
            "{how} from partitions of `{}` that \"{}\" reads as a range: it walks over what is gone",
            it.table.name, reader.of.pattern.name
        );
        let help = "put a time bucket into the key, start the range behind what was deleted, or delete whole partitions";
        let finding = it.about(RULE.finding(it.key_span(), message)).with_help(help);
        findings.push(citing(finding.with_related(reader.of.pattern.span, "reads the range"), source));
    }
}

/// Rows a second that statements delete one by one inside a partition.
fn single_deletes(cx: &Judged<'_>, it: &TableView<'_>) -> f64 {
    let deletes = cx.statements_on(it.id).filter(|at| {
        at.statement.op == Operation::Delete
            && at.statement.written_table() == Some(it.id)
            // The whole key alone is a whole partition: one marker.
            && at.statement.target.and_then(|target| at.route_of(target)).is_some_and(|route| {
                let bound = at.bound_columns(route);
                bound.iter().any(|id| !it.own_key_columns().contains(id))
            })
    });
    deletes.map(|at| at.rate() * at.route.rows.max(1.0)).sum()
}

/// Whether a statement reads many rows of a partition, old ones among them.
fn reads_range(it: &TableView<'_>, at: &StatementView<'_>) -> bool {
    at.reads()
        && at.route.instances.iter().any(|route| {
            let by_key = route.table == it.id && matches!(route.how, How::Key | How::Few(_) | How::With(_));
            by_key && !it.table.is_unique(&at.bound_columns(route)) && !newest_only(it, at)
        })
}

/// Whether the read stops before the old rows: a stated range of a growing
/// column, or the newest rows first with a limit.
fn newest_only(it: &TableView<'_>, at: &StatementView<'_>) -> bool {
    let grows = |id: &crate::model::ColumnId| it.table.column(*id).grows();
    let ranged = it.table.column_ids().filter(grows).any(|id| {
        at.statement
            .instance_ids()
            .filter_map(|instance| at.class(instance, id))
            .any(|class| matches!(class.range, Some(RangeWidth::Duration(_))))
    });
    let newest = at.statement.limit.is_some()
        && at.statement.order_by.first().is_some_and(|term| {
            at.statement.instance(term.column.instance).table == it.id
                && grows(&term.column.column)
                && term.desc
        });
    ranged || newest
}
