//! SW005: a verdict that rests on something nobody gave.

use crate::analysis::placed::PlacedPart;
use crate::diag::{Code, Confidence, Finding, Level};
use crate::lint::{Judged, Rule, TableView, listed};
use crate::units::text;

/// SW005.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW005", name: "estimated-input" },
    level: Level::Info,
    explain: "\
What a file leaves out is estimated: the distinct values of a column from its type,
the rows of a table, the number of shards from the engine. Most of it does not
matter. This finding names what does: an estimate by which a choice or a verdict
would turn, with the range in which it stays, and the tables that a plan leaves out.

What helps: give the figure. `SELECT count(DISTINCT c) FROM t` on a copy is enough.

```yaml bad
shardwright: 1
name: a key whose values nobody counted
target: {engine: generic, shards: 480}
tables:
  visits:
    rows: 100k
    row_size: 60B
    columns:
      city: text
      at: timestamp
patterns:
  - {name: visits of a city, sql: \"SELECT * FROM visits WHERE city = :c\", rate: 10/s}
plan:
  tables:
    visits: {key: [city]}
```

```yaml good
shardwright: 1
name: a key whose values are known
target: {engine: generic, shards: 480}
tables:
  visits:
    rows: 100k
    row_size: 60B
    columns:
      city: {type: text, distinct: 20k}
      at: timestamp
patterns:
  - {name: visits of a city, sql: \"SELECT * FROM visits WHERE city = :c\", rate: 10/s}
plan:
  tables:
    visits: {key: [city]}
```
",
    check,
};

/// How far off an estimate of distinct values may be.
const OFF: f64 = 10.0;

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    if cx.setting.shards_estimated && cx.assessment.is_some() {
        let message = format!(
            "the number of {}s is not given: {} are taken",
            cx.engine().shard_word,
            cx.setting.shards
        );
        let finding = RULE.finding(cx.design.target.span, message).with_confidence(Confidence::Medium);
        findings.push(finding.with_help("give `shards` under `target`, or with the plan"));
    }
    left_out(cx, findings);
    if let Some(advice) = cx.advice {
        for it in advice.robustness.iter().filter(|it| it.matters) {
            let table = cx.design.table(it.table);
            let message = format!(
                "{} is estimated at {}; the choices stay the same from {} to {}",
                it.input,
                text::count(it.value),
                text::count(it.low),
                text::count(it.high)
            );
            let finding = RULE.finding(table.span, message).on_table(&table.name);
            findings
                .push(finding.with_confidence(Confidence::Medium).with_help("give the figure in the file"));
        }
        return;
    }
    for it in cx.sharded() {
        findings.extend(key_values(cx, &it));
        if it.facts.rows_estimated && it.table.rows.is_none() {
            let message = format!(
                "the rows of `{}` are not given: {} are taken",
                it.table.name,
                text::count(it.facts.rows)
            );
            let finding = RULE.finding(it.table.span, message).on_table(&it.table.name);
            findings.push(finding.with_confidence(Confidence::Medium).with_help("give `rows`"));
        }
    }
}

/// A key whose number of values is a guess by which its verdict would turn.
fn key_values(cx: &Judged<'_>, it: &TableView<'_>) -> Option<Finding> {
    let [PlacedPart::Column(column)] = it.placed.parts.as_slice() else { return None };
    let facts = &it.facts.columns[column.0 as usize];
    let enough = 10.0 * cx.shards();
    if !facts.estimated
        || it.by_hand()
        || enough <= facts.distinct / OFF
        || facts.distinct * OFF < cx.shards()
    {
        return None;
    }
    let name = &it.table.column(*column).name;
    let message = format!(
        "the distinct values of `{name}` are not given and taken as {}; as a key for {} shards it is even enough from {} values on",
        text::count(facts.distinct),
        cx.setting.shards,
        text::count(enough)
    );
    let finding = it.about(RULE.finding(it.table.column(*column).span, message));
    Some(finding.with_confidence(Confidence::Medium).with_help(format!("give `{name}: {{distinct: …}}`")))
}

/// Tables that a plan says nothing of.
fn left_out(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = cx.plan.filter(|_| !cx.by_advisor) else { return };
    let missing: Vec<String> = cx
        .design
        .table_ids()
        .filter(|id| !plan.tables.contains_key(id))
        .map(|id| format!("`{}`", cx.design.table(id).name))
        .collect();
    if missing.is_empty() || plan.tables.is_empty() {
        return;
    }
    let names: Vec<&str> = missing.iter().map(String::as_str).collect();
    let taken = if cx.engine().unsharded { "on one shard" } else { "kept by the primary key" };
    let verb = if names.len() == 1 { "is" } else { "are" };
    let message = format!("the plan says nothing of {}, which {verb} taken to be {taken}", listed(&names));
    findings.push(RULE.finding(plan.span, message).with_help("say where they live under `plan: tables:`"));
}
