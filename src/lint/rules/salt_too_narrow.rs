//! SW113: a salt that does not spread enough.

use crate::analysis::heat::write_units;
use crate::analysis::routing::grows_at_front;
use crate::diag::{Code, Finding, Level};
use crate::lint::rules::hot_value::{Passed, writes_pass};
use crate::lint::{Judged, Rule, TableView};
use crate::model::{Index, Salt, Strategy};
use crate::units::text;

/// SW113.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW113", name: "salt-too-narrow" },
    level: Level::Warning,
    explain: "\
A salt of n divides a value's load by n, if there are n values to compute it from.

- a warning when, with the salt, writes of one value still pass what the engine
  gives one partition, or what one node of `target.node` writes; the number that
  fits is given
- a warning for a range of growing values whose n current places together take less
  than what is written
- a warning when the salt is computed from a column with fewer values than salts:
  the other salts stay empty

```yaml bad
shardwright: 1
name: a salt computed from too little
target: {engine: generic, shards: 16}
tables:
  outbox:
    rows: 50M
    row_size: 300B
    primary_key: [topic, event_id]
    columns:
      topic: {type: text, distinct: 6}
      event_id: {type: bigint, generated: snowflake}
      kind: {type: text, distinct: 3}
patterns:
  - {name: publish, sql: \"INSERT INTO outbox (topic, event_id, kind) VALUES (:t, :e, :k)\", rate: 3000/s}
plan:
  tables:
    outbox: {key: [topic], salt: 8, salt_from: kind}
```

```yaml good
shardwright: 1
name: a salt computed from enough
target: {engine: generic, shards: 16}
tables:
  outbox:
    rows: 50M
    row_size: 300B
    primary_key: [topic, event_id]
    columns:
      topic: {type: text, distinct: 6}
      event_id: {type: bigint, generated: snowflake}
      kind: {type: text, distinct: 3}
patterns:
  - {name: publish, sql: \"INSERT INTO outbox (topic, event_id, kind) VALUES (:t, :e, :k)\", rate: 3000/s}
plan:
  tables:
    outbox: {key: [topic], salt: 8, salt_from: event_id}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.sharded() {
        if let Some(salt) = it.salt() {
            findings.extend(few_sources(&it, salt, None));
            findings.extend(still_hot(cx, &it, salt));
        }
        for index in &it.placed.indexes {
            if let Some(salt) = index.index.salt.filter(|salt| 1 < salt.ways) {
                findings.extend(few_sources(&it, salt, Some(&index.index)));
            }
        }
    }
}

fn few_sources(it: &TableView<'_>, salt: Salt, index: Option<&Index>) -> Option<Finding> {
    let from = salt.from?;
    let distinct = it.facts.columns[from.0 as usize].distinct_later;
    if f64::from(salt.ways) <= distinct {
        return None;
    }
    let name = &it.table.column(from).name;
    let message = format!(
        "the salt of {} ways is computed from `{name}`, which has {} values: at most as many salts are ever used",
        salt.ways,
        text::count(distinct)
    );
    let help = format!("compute it from a column with many more than {} values", salt.ways);
    let finding = match index {
        Some(index) => RULE.finding(index.span, message).on_table(&it.table.name).on_index(&index.name),
        None => it.about(RULE.finding(it.key_span(), message)),
    };
    Some(finding.with_help(help))
}

fn still_hot(cx: &Judged<'_>, it: &TableView<'_>, salt: Salt) -> Option<Finding> {
    let growing = it.placed.strategy == Strategy::Range && grows_at_front(cx.setting, it.placed);
    let (load, limit, limit_text) = if growing {
        // All new rows are in the current places of the salts.
        let (_, peak) = it.inserts();
        let each = peak / f64::from(salt.ways);
        let rules = &cx.engine().partition;
        match (&rules.write_units, cx.design.target.node.writes) {
            (Some(limit), _) => {
                (each * write_units(rules, it.facts.row_bytes), limit.max, limit.text.to_owned())
            }
            (None, Some(most)) => (each, most.get(), format!("{} of a node", text::rate(most.get()))),
            (None, None) => return None,
        }
    } else {
        match writes_pass(cx, &cx.heat(it.id))? {
            Passed::Units(units, limit) => (units, limit.max, limit.text.to_owned()),
            Passed::Node(writes, node) => (writes, node, format!("{} of a node", text::rate(node))),
        }
    };
    if load <= limit {
        return None;
    }
    let needed = libm::ceil(load / limit * f64::from(salt.ways));
    let message = format!(
        "with {} salts one place of `{}` still takes {} units/s at peak, over {limit_text}: {} salts or more fit",
        salt.ways,
        it.key_text(),
        text::count(load),
        text::count(needed)
    );
    Some(
        it.about(RULE.finding(it.key_span(), message))
            .with_help(format!("salt {} ways", text::count(needed))),
    )
}
