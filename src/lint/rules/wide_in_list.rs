//! SW204: a list of key values that falls on most of the shards.

use crate::analysis::placed::PlacedPart;
use crate::analysis::routing::How;
use crate::analysis::shards::distinct_shards;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule};
use crate::model::Strategy;
use crate::units::text;

/// SW204.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW204", name: "wide-in-list" },
    level: Level::Warning,
    explain: "\
k key values on S hash shards fall on S·(1 − (1 − 1/S)^k) different ones: 20 values
on 16 shards on 11.6 of them. A list that touches more than half of the shards is
nearly a scatter, as slow as the slowest of them.

A warning when the expected number of shards is over S/2.

What helps: smaller batches, one request a shard with the values that live there,
or keeping together what is read together.

```yaml bad
shardwright: 1
name: profiles in batches of 20
target: {engine: generic, shards: 16}
tables:
  profiles:
    rows: 200M
    row_size: 500B
    primary_key: [user_id]
    columns:
      user_id: {type: bigint, distinct: 200M}
patterns:
  - {name: 20 profiles, read: profiles, where: {user_id: in(20)}, rate: 100/s}
plan:
  tables:
    profiles: {key: [user_id]}
```

```yaml good
shardwright: 1
name: profiles in batches of 10
target: {engine: generic, shards: 16}
tables:
  profiles:
    rows: 200M
    row_size: 500B
    primary_key: [user_id]
    columns:
      user_id: {type: bigint, distinct: 200M}
patterns:
  - {name: 10 profiles, read: profiles, where: {user_id: in(10)}, rate: 100/s}
plan:
  tables:
    profiles: {key: [user_id]}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let shards = cx.shards();
    for it in cx.statements() {
        for route in &it.route.instances {
            let How::Few(values) = route.how else { continue };
            let Some(table) = cx.table(route.table) else { continue };
            let listed: f64 = table
                .placed
                .parts
                .iter()
                .filter_map(|part| match part {
                    PlacedPart::Column(column) => it.class(route.instance, *column),
                    _ => None,
                })
                .filter(|class| !class.bound())
                .filter_map(|class| class.list)
                .product();
            let touched = match table.placed.strategy {
                Strategy::List | Strategy::Geo => values.min(shards),
                Strategy::Hash | Strategy::Range | Strategy::Lookup => distinct_shards(values, shards),
            };
            if listed <= 1.0 || touched <= shards / 2.0 {
                continue;
            }
            let message = format!(
                "a list of {} values of `{}` falls on {} of {} shards",
                text::count(listed),
                table.key_text(),
                text::count(touched),
                cx.setting.shards
            );
            let help = "ask in smaller batches, or keep together what is read together";
            let finding = it.of.about(RULE.finding(it.of.pattern.span, message), it.statement);
            findings.push(table.about(finding).with_help(help));
        }
    }
}
