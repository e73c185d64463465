//! SW115: a read that has to ask every time bucket.

use crate::analysis::classes::Class;
use crate::analysis::placed::PlacedPart;
use crate::analysis::routing::How;
use crate::analysis::shards::distinct_shards;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, StatementView};
use crate::model::RangeWidth;
use crate::units::text;

/// SW115.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW115", name: "bucket-scan-unbounded" },
    level: Level::Warning,
    explain: "\
A time bucket in the key makes the buckets part of the question: a reader asks each
bucket that its range covers, one after the other or all at once. Without both ends
of the range that is all of them, and their number grows with the data.

- a warning for a read that binds the rest of the key and has no range, an open one,
  or one whose width is not stated, if that makes more than three buckets
- a warning for a stated range over so many buckets that they lie on more than half
  of the shards

It stays quiet where an ORDER BY on the time with a LIMIT stops after the newest
buckets.

What helps: both ends in the question; a wider bucket; a limit with an order.

```yaml bad
shardwright: 1
name: all messages of a channel, ever
target: {engine: generic, shards: 192}
tables:
  messages:
    rows: 20B
    growth: 120M/day
    row_size: 250B
    primary_key: [channel_id, message_id]
    columns:
      channel_id: {type: bigint, distinct: 60M}
      message_id: {type: bigint, generated: snowflake}
      sent_at: {type: timestamp, monotonic: true}
patterns:
  - {name: all of a channel, read: messages, where: {channel_id: eq}, rows: 300, rate: 10/s}
plan:
  tables:
    messages: {key: [channel_id, {bucket: sent_at, every: 10d}]}
```

```yaml good
shardwright: 1
name: messages of a channel of the last days
target: {engine: generic, shards: 192}
tables:
  messages:
    rows: 20B
    growth: 120M/day
    row_size: 250B
    primary_key: [channel_id, message_id]
    columns:
      channel_id: {type: bigint, distinct: 60M}
      message_id: {type: bigint, generated: snowflake}
      sent_at: {type: timestamp, monotonic: true}
patterns:
  - {name: newest, read: messages, where: {channel_id: eq, sent_at: range(2d)}, order_by: sent_at desc, limit: 50, rate: 10/s}
plan:
  tables:
    messages: {key: [channel_id, {bucket: sent_at, every: 10d}]}
```
",
    check,
};

/// Buckets that an open question may ask without a word.
const FEW: f64 = 3.0;

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let shards = cx.shards();
    for it in cx.statements().filter(StatementView::reads) {
        for route in &it.route.instances {
            let Some(buckets) = route.buckets.filter(|_| matches!(route.how, How::Key | How::Few(_))) else {
                continue;
            };
            let Some(table) = cx.table(route.table) else { continue };
            let bucket = table.placed.parts.iter().find_map(|part| match part {
                PlacedPart::Bucket(column, every) => Some((*column, *every)),
                _ => None,
            });
            let Some((column, every)) = bucket else { continue };
            let class = it.class(route.instance, column);
            if class.is_some_and(Class::bound_or_listed) {
                continue;
            }
            let width = class.and_then(|class| class.range);
            let stated = matches!(width, Some(RangeWidth::Duration(_)));
            let too_many = if stated {
                shards / 2.0 < distinct_shards(buckets, shards) && 10.0 < buckets
            } else {
                FEW < buckets
            };
            if !too_many {
                continue;
            }
            let name = &table.table.column(column).name;
            let why = match width {
                Some(RangeWidth::Duration(width)) => format!("its range of {}", text::duration(width.get())),
                Some(RangeWidth::Open) => format!("a range of `{name}` with one end"),
                Some(RangeWidth::Unstated) => format!("a range of `{name}` whose width is not stated"),
                None => format!("no condition on `{name}`"),
            };
            let message = format!(
                "asks {} buckets of {} of `{}` because of {why}: {} become {} requests",
                text::count(buckets),
                text::duration(every),
                table.table.name,
                text::rate(it.rate()),
                text::rate(it.rate() * buckets)
            );
            let help =
                format!("bound `{name}` at both ends, order by it with a limit, or make the bucket wider");
            let finding = it.of.about(RULE.finding(it.of.pattern.span, message), it.statement);
            findings.push(table.about(finding).with_help(help));
        }
    }
}
