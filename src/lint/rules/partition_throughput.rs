//! SW704: one key value takes more units than its partition has.

use crate::analysis::heat::Heat;
use crate::diag::{Code, Finding, Level};
use crate::lint::rules::hot_value::{Passed, is_hot, writes_pass};
use crate::lint::{Judged, Rule, TableView, citing};
use crate::target::Limit;
use crate::units::text;

/// SW704.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW704", name: "partition-throughput" },
    level: Level::Error,
    explain: "\
Engines that sell units give each partition a fixed number of them (DynamoDB: 3,000 read
and 1,000 write units a second; Cosmos DB: 10,000 request units), whatever was bought
for the table. A unit is a read of 4 KB or a write of 1 KB there, so large rows and long
lists count many times, and eventually consistent reads half.

An error when the most requested key value takes more at peak. Where the value is hot
(over a fair part of the load) and it is its writes, `hot-value` says so instead.

What helps: a further column in the key; a salt for writes; a cache for reads; smaller
items.

```yaml bad
shardwright: 1
name: lists of 200 KB, read 200 times a second
target: {engine: dynamodb, shards: 4}
tables:
  lists:
    rows: 4M
    row_size: 2KB
    primary_key: [list_id, entry]
    columns:
      list_id: {type: text, distinct: 40}
      entry: {type: bigint, distinct: 4M}
patterns:
  - {name: a list, read: lists, where: {list_id: eq}, limit: 100, rate: 4000/s, consistency: strong}
plan:
  tables:
    lists: {key: [list_id], cluster: [entry]}
```

```yaml good
shardwright: 1
name: entries of lists, read one by one
target: {engine: dynamodb, shards: 4}
tables:
  lists:
    rows: 4M
    row_size: 2KB
    primary_key: [list_id, entry]
    columns:
      list_id: {type: text, distinct: 40}
      entry: {type: bigint, distinct: 4M}
patterns:
  - {name: an entry, read: lists, where: {list_id: eq, entry: eq}, rate: 4000/s, consistency: strong}
plan:
  tables:
    lists: {key: [list_id], cluster: [entry]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let partition = &cx.engine().partition;
    for it in cx.tables().filter(|it| it.placed.sharded()) {
        let heat = cx.heat(it.id);
        let writes = match writes_pass(cx, &heat) {
            Some(Passed::Units(units, limit)) => Some((units, limit)),
            Some(Passed::Node(..)) | None => None,
        };
        let reads = partition
            .read_units
            .as_ref()
            .filter(|limit| limit.max < heat.read_units)
            .map(|limit| (heat.read_units, limit));
        let shared = shared(cx, &heat);
        let told = writes.is_some() && is_hot(cx, &it, &heat) && 1 < cx.setting.shards;
        let over = match (writes, reads, shared) {
            (Some((units, limit)), ..) if !told => {
                Some((units, limit, if partition.shared_units { "taken" } else { "written" }))
            }
            (None, Some((units, limit)), _) => Some((units, limit, "read")),
            (None, None, Some((units, limit))) => Some((units, limit, "taken")),
            _ => None,
        };
        if let Some((units, limit, what)) = over {
            findings.push(finding(cx, &it, &heat, units, limit, what));
        }
    }
}

/// Reads and writes that pass a budget that they share.
fn shared(cx: &Judged<'_>, heat: &Heat) -> Option<(f64, &'static Limit)> {
    let partition = &cx.engine().partition;
    let limit = partition
        .read_units
        .as_ref()
        .or(partition.write_units.as_ref())
        .filter(|_| partition.shared_units)?;
    let units = heat.read_units + heat.write_units;
    (limit.max < units).then_some((units, limit))
}

fn finding(
    cx: &Judged<'_>,
    it: &TableView<'_>,
    heat: &Heat,
    units: f64,
    limit: &Limit,
    what: &str,
) -> Finding {
    let most = if what == "read" { heat.read_most } else { heat.written_most.or(heat.read_most) };
    let pattern = most.map(|id| cx.design.pattern(id));
    let message = format!(
        "{} units/s of one value of `{}` are {what} at peak, over {}",
        text::count(units),
        it.key_text(),
        limit.text
    );
    let help = if what == "read" {
        "cache the most requested values, read eventually consistent, or read fewer rows at a time"
    } else {
        "add a column to the key, salt the writes, or make the rows smaller"
    };
    let finding = it.about(RULE.finding(it.key_span(), message)).with_help(help);
    let finding = match pattern {
        Some(pattern) => finding.with_related(pattern.span, "takes most of them"),
        None => finding,
    };
    citing(finding, &limit.source)
}
