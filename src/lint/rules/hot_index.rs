//! SW402: an index partition that takes more than it can.

use crate::analysis::heat::{read_units, write_units};
use crate::analysis::partition::entry_bytes;
use crate::analysis::placed::PlacedIndex;
use crate::analysis::routing::{How, entries_written, read_sigma, write_sigma};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView, citing};
use crate::target::Source;
use crate::units::{Rate, text};

/// SW402.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW402", name: "hot-index" },
    level: Level::Error,
    explain: "\
An index on a column with few values (a status, a type) has few partitions, and the
entries of the most frequent value are all in one. Each write of a row with that
value writes there, and twice when the value changes. What one partition can take
is fixed: more capacity for the whole index does not raise it.

An error when, at peak, the writes or the reads of the most frequent index value
pass what the engine gives one partition, or what one node of `target.node` serves.
A salt divides the writes, and the reads that know it.

What helps: a second column in the index key; a salt on the index key; a sparse index
that holds only the rows that are searched for.

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
name: jobs by status, salted
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
    - {name: by_status, table: jobs, key: [status], scope: global, salt: 8, salt_from: job_id}
```
",
    check,
};

/// What an index partition's load passes.
pub(super) struct Over {
    /// Units, or requests, a second on the most frequent value at peak.
    pub(super) load: f64,
    /// What a partition, or a node, takes.
    pub(super) limit: f64,
    /// The limit as its maker writes it.
    pub(super) limit_text: String,
    /// Whether it is the writes.
    pub(super) writes: bool,
    /// The value's share.
    pub(super) share: f64,
    source: Option<&'static Source>,
}

/// Load on the most frequent value of an index at peak: writes and reads, in units.
struct Load {
    writes: f64,
    write_units: f64,
    reads: f64,
    read_units: f64,
    /// The value's share of the writes and of the reads.
    share: (f64, f64),
}

/// What the load of an index's most frequent value passes, if anything.
pub(super) fn over(cx: &Judged<'_>, it: &TableView<'_>, index: &PlacedIndex) -> Option<Over> {
    let load = load(cx, it, index);
    let rules = &cx.engine().partition;
    let node = &cx.design.target.node;
    if let Some(limit) = rules.write_units.as_ref().filter(|limit| limit.max < load.write_units) {
        let text = limit.text.to_owned();
        return Some(Over {
            load: load.write_units,
            limit: limit.max,
            limit_text: text,
            writes: true,
            share: load.share.0,
            source: Some(&limit.source),
        });
    }
    if let Some(most) = node.writes.map(Rate::get).filter(|most| 0.0 < *most && *most < load.writes) {
        return Some(Over {
            load: load.writes,
            limit: most,
            limit_text: format!("{} of a node", text::rate(most)),
            writes: true,
            share: load.share.0,
            source: None,
        });
    }
    if let Some(limit) = rules.read_units.as_ref().filter(|limit| limit.max < load.read_units) {
        let text = limit.text.to_owned();
        return Some(Over {
            load: load.read_units,
            limit: limit.max,
            limit_text: text,
            writes: false,
            share: load.share.1,
            source: Some(&limit.source),
        });
    }
    let most = node.reads.map(Rate::get).filter(|most| 0.0 < *most && *most < load.reads)?;
    Some(Over {
        load: load.reads,
        limit: most,
        limit_text: format!("{} of a node", text::rate(most)),
        writes: false,
        share: load.share.1,
        source: None,
    })
}

fn load(cx: &Judged<'_>, it: &TableView<'_>, index: &PlacedIndex) -> Load {
    let rules = &cx.engine().partition;
    let bytes = entry_bytes(it.table, index);
    let mut load = Load { writes: 0.0, write_units: 0.0, reads: 0.0, read_units: 0.0, share: (0.0, 0.0) };
    for statement in cx.statements_on(it.id) {
        let rate = statement.peak_rate();
        if let Some(target) =
            statement.statement.target.filter(|_| statement.statement.written_table() == Some(it.id))
        {
            let entries = entries_written(&statement.at, index) * statement.route.rows.max(1.0);
            let (_, share) = write_sigma(&statement.at, target, it.placed, index);
            let hot = rate * entries * share;
            load.writes += hot;
            load.write_units += hot * write_units(rules, bytes);
            load.share.0 = load.share.0.max(if 0.0 < entries { share } else { 0.0 });
        }
        for route in statement.route.instances.iter().filter(|route| route.table == it.id) {
            let How::Index { at, .. } = route.how else { continue };
            if it.placed.indexes.get(at).is_none_or(|used| used.index.name != index.index.name) {
                continue;
            }
            let salt = index.index.salt.map_or(1.0, |salt| f64::from(salt.ways));
            let (_, share) = read_sigma(&statement.at, route.instance, it.placed, index);
            // A read asks every salt of its value, so the salt divides its rows but not its requests.
            let share = (share * salt).min(1.0);
            let limit = statement.statement.limit.map_or(f64::INFINITY, |it| it as f64);
            let rows = statement.statement.rows.map_or(route.rows, |it| it as f64).min(limit).max(1.0);
            let units = read_units(rules, bytes * rows / salt, statement.of.pattern.consistency);
            load.reads += rate * share;
            load.read_units += rate * share * units;
            load.share.1 = load.share.1.max(share);
        }
    }
    load
}

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.sharded() {
        for index in &it.placed.indexes {
            let Some(over) = over(cx, &it, index) else { continue };
            let what = if over.writes { "written" } else { "read" };
            let columns = it.table.names(&index.index.key);
            let message = format!(
                "one value of `{columns}` takes {} of what is {what} through index `{}`: {} units/s at peak, over the limit of {}",
                text::share(over.share),
                index.index.name,
                text::count(over.load),
                over.limit_text
            );
            let ways =
                libm::ceil(over.load / over.limit) * f64::from(index.index.salt.map_or(1, |it| it.ways));
            let help = if over.writes {
                format!(
                    "salt the index {} ways or more, add a second column to its key, or index only the rows that are searched for",
                    text::count(ways)
                )
            } else {
                "cache what is read, or add a second column to the index key that the reads bind".to_owned()
            };
            let finding = RULE.finding(index.index.span, message).with_help(help);
            let finding = finding.on_table(&it.table.name).on_index(&index.index.name);
            findings.push(match over.source {
                Some(source) => citing(finding, source),
                None => finding,
            });
        }
    }
}
