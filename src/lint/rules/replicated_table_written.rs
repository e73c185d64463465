//! SW303: a table with a copy on every shard that is written often.

use crate::analysis::routing::How;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView, rate_or_no};
use crate::units::text;

/// SW303.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW303", name: "replicated-table-written" },
    level: Level::Warning,
    explain: "\
A copy on every shard makes joins local, and each write S writes that commit
together. A catalogue that is changed once a day is worth it; a balance is not.

With w rows written and r reads a second that would otherwise go to another shard,
copies cost (S − 1)·w and save r:

- a warning when they cost more than they save
- an error when keeping the copies is over half of all work

It stays quiet when nothing writes the table, or so rarely that the reads pay.

```yaml bad
shardwright: 1
name: stock, copied everywhere and written by every order
target: {engine: generic, shards: 32}
tables:
  stock:
    rows: 100k
    row_size: 310B
    primary_key: [item_id]
    columns:
      item_id: {type: bigint, distinct: 100k}
      quantity: int
patterns:
  - {name: price a line, sql: \"SELECT quantity FROM stock WHERE item_id = :i\", rate: 400/s}
  - {name: take, sql: \"UPDATE stock SET quantity = quantity - 1 WHERE item_id = :i\", rate: 400/s}
plan:
  tables:
    stock: {replicated: true}
```

```yaml good
shardwright: 1
name: a catalogue, copied everywhere and hardly written
target: {engine: generic, shards: 32}
tables:
  item:
    rows: 100k
    row_size: 82B
    primary_key: [item_id]
    columns:
      item_id: {type: bigint, distinct: 100k}
      price: numeric
patterns:
  - {name: price a line, sql: \"SELECT price FROM item WHERE item_id = :i\", rate: 400/s}
  - {name: new price, sql: \"UPDATE item SET price = :p WHERE item_id = :i\", rate: 100/day}
plan:
  tables:
    item: {replicated: true}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    if cx.setting.shards <= 1 {
        return;
    }
    for it in cx.tables() {
        if it.placed.choice != crate::model::Choice::Replicated {
            continue;
        }
        let writes = it.writes();
        let (reads, copies, all) = loads(cx, &it);
        let cost = writes * (cx.shards() - 1.0);
        if writes <= 0.0 || cost <= reads {
            continue;
        }
        let share = if all > 0.0 { copies / all } else { 0.0 };
        let level = if 0.5 < share { Level::Error } else { Level::Warning };
        let message = format!(
            "`{}` has a copy on each of {} shards: {} writes become {} copies, {} of all work, and save {} reads from other shards",
            it.table.name,
            cx.setting.shards,
            text::rate(writes),
            text::rate(writes * cx.shards()),
            text::share(share),
            rate_or_no(reads)
        );
        let help = format!(
            "keep `{}` by a key, the one of the tables that are written with it if it has that column",
            it.table.name
        );
        findings
            .push(RULE.finding_at(level, it.key_span(), message).on_table(&it.table.name).with_help(help));
    }
}

/// Reads a second of a table that a copy keeps on their shard, the work of
/// writing its copies, and all work.
fn loads(cx: &Judged<'_>, it: &TableView<'_>) -> (f64, f64, f64) {
    let (mut reads, mut copies, mut all) = (0.0, 0.0, 0.0);
    for statement in cx.statements() {
        let rate = statement.of.figures.rate;
        all += rate * statement.route.work;
        for route in statement
            .route
            .instances
            .iter()
            .filter(|route| route.table == it.id && route.how == How::Replicated)
        {
            if statement.statement.target == Some(route.instance) {
                copies += rate * statement.route.write_work;
            } else {
                reads += statement.rate();
            }
        }
    }
    (reads, copies, all)
}
