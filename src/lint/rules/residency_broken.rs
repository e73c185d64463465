//! SW118: rows that must stay in a region can be placed outside it.

use crate::analysis::placed::PlacedPart;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView};
use crate::model::{Choice, ColumnId, Strategy};

/// SW118.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW118", name: "residency-broken" },
    level: Level::Error,
    explain: "\
A table with `residency: region` has rows that must stay in the region of that
column. A hash does not ask where a shard stands; a copy on every shard is
everywhere; one unsharded table is in one region.

An error unless the column leads the key and the strategy can bind its values to
places: `geo`, `list`, `lookup`, or `range` with the region in front.

```yaml bad
shardwright: 1
name: citizens, hashed over two continents
target: {engine: generic, shards: 16}
tables:
  citizens:
    rows: 40M
    row_size: 500B
    residency: region
    primary_key: [citizen_id]
    columns:
      citizen_id: {type: bigint, distinct: 40M}
      region: {type: text, distinct: 2}
patterns:
  - {name: citizen, sql: \"SELECT * FROM citizens WHERE citizen_id = :c\", rate: 100/s}
plan:
  tables:
    citizens: {key: [citizen_id]}
```

```yaml good
shardwright: 1
name: citizens, by region
target: {engine: generic, shards: 16}
tables:
  citizens:
    rows: 40M
    row_size: 500B
    residency: region
    primary_key: [region, citizen_id]
    columns:
      citizen_id: {type: bigint, distinct: 40M}
      region: {type: text, distinct: 2}
patterns:
  - {name: citizen, sql: \"SELECT * FROM citizens WHERE region = :r AND citizen_id = :c\", rate: 100/s}
plan:
  tables:
    citizens: {key: [region, citizen_id], strategy: geo}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.tables() {
        let Some(region) = it.table.residency else { continue };
        if stays(&it, region) {
            continue;
        }
        let name = &it.table.column(region).name;
        let where_to = match it.placed.choice {
            Choice::Replicated => "a copy on every shard is in every region".to_owned(),
            Choice::Unsharded => "its one shard is in one region".to_owned(),
            Choice::Sharded(_) => {
                format!("`{}` by {} places them anywhere", it.key_text(), it.placed.strategy.as_str())
            }
        };
        let message =
            format!("rows of `{}` must stay in the region of `{name}`, but {where_to}", it.table.name);
        let help = format!(
            "put `{name}` first in the key, with a strategy that binds its values to places (geo, list, or ranges pinned by zone)"
        );
        findings.push(it.about(RULE.finding(it.key_span(), message)).with_help(help));
    }
}

fn stays(it: &TableView<'_>, region: ColumnId) -> bool {
    let leads = it.placed.parts.first() == Some(&PlacedPart::Column(region));
    leads && it.placed.strategy != Strategy::Hash
}
