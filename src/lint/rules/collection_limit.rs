//! SW411: a local index caps how much one key value can hold.

use crate::analysis::partition::fullest;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, citing};
use crate::model::Scope;
use crate::units::text;

/// SW411.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW411", name: "collection-limit" },
    level: Level::Error,
    explain: "\
A local index of DynamoDB keeps all rows of one key value, and their entries, on one
partition: such an item collection ends at 10 GB, and writes to it fail from there.
Without a local index a collection can be split.

An error for a table with a local index whose fullest key value passes that size, now
or by the horizon.

What helps: a global index instead; a further part of the key.

```yaml bad
shardwright: 1
name: a tenant of 48 GB under a local index
target: {engine: dynamodb, shards: 16}
tables:
  activity:
    rows: 400M
    row_size: 1KB
    primary_key: [tenant, activity_id]
    columns:
      tenant: {type: text, distinct: 2000, skew: {top: [12%]}}
      activity_id: {type: uuid, generated: uuid4}
      at: {type: timestamp}
patterns:
  - {name: one, read: activity, where: {tenant: eq, activity_id: eq}, rate: 60/s, consistency: eventual}
plan:
  tables:
    activity: {key: [tenant], cluster: [activity_id]}
  indexes:
    - {name: by_time, table: activity, key: [tenant], sort: [at], scope: local}
```

```yaml good
shardwright: 1
name: a tenant of 48 GB without a local index
target: {engine: dynamodb, shards: 16}
tables:
  activity:
    rows: 400M
    row_size: 1KB
    primary_key: [tenant, activity_id]
    columns:
      tenant: {type: text, distinct: 2000, skew: {top: [12%]}}
      activity_id: {type: uuid, generated: uuid4}
      at: {type: timestamp}
patterns:
  - {name: one, read: activity, where: {tenant: eq, activity_id: eq}, rate: 60/s, consistency: eventual}
plan:
  tables:
    activity: {key: [tenant], cluster: [activity_id]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let (Some(plan), Some(limit)) = (cx.plan, &cx.engine().index.local_collection) else { return };
    for it in cx.sharded() {
        let Some(index) =
            plan.indexes.iter().find(|index| index.table == it.id && index.scope == Scope::Local)
        else {
            continue;
        };
        let Some(fullest) = fullest(cx.setting, it.placed).filter(|full| limit.max < full.bytes().1) else {
            continue;
        };
        let message = format!(
            "local index `{}` keeps each value of `{}` within {}, and the fullest holds {} at the horizon",
            index.name,
            it.key_text(),
            limit.text,
            text::bytes(fullest.bytes().1)
        );
        let finding = it.about(RULE.finding(index.span, message)).on_index(&index.name);
        findings.push(citing(
            finding.with_help("make it a global index, or add a part to the key"),
            &limit.source,
        ));
    }
}
