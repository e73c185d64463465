//! SW112: a random salt on rows that are wanted in order.

use crate::analysis::routing::How;
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule, TableView};
use crate::model::{Index, Salt};

/// SW112.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW112", name: "salt-breaks-order" },
    level: Level::Warning,
    explain: "\
A salt spreads the rows of one value over several places, each sorted for itself.
A reader that wants them in order asks every salt and merges: that costs requests,
but works. A reader that must see the rows of one thing in the order in which they
were written (`keep_order`) can't merge what arrives late in another place.

- an info for a random salt on a key, or index, that a pattern reads in order
- a warning for a salt that is not computed from the `keep_order` column of a
  pattern that writes there

What helps: compute the salt from the column within which the order matters, so
that all its rows have one salt.

```yaml bad
shardwright: 1
name: an outbox with a random salt
target: {engine: generic, shards: 16}
tables:
  outbox:
    rows: 50M
    row_size: 300B
    primary_key: [topic, event_id]
    columns:
      topic: {type: text, distinct: 20}
      event_id: {type: bigint, generated: snowflake}
      sku: {type: text, distinct: 2M}
patterns:
  - name: publish
    sql: INSERT INTO outbox (topic, event_id, sku) VALUES (:t, :e, :s)
    rate: 3000/s
    keep_order: [sku]
plan:
  tables:
    outbox: {key: [topic], salt: 8}
```

```yaml good
shardwright: 1
name: an outbox with a salt computed from what must stay in order
target: {engine: generic, shards: 16}
tables:
  outbox:
    rows: 50M
    row_size: 300B
    primary_key: [topic, event_id]
    columns:
      topic: {type: text, distinct: 20}
      event_id: {type: bigint, generated: snowflake}
      sku: {type: text, distinct: 2M}
patterns:
  - name: publish
    sql: INSERT INTO outbox (topic, event_id, sku) VALUES (:t, :e, :s)
    rate: 3000/s
    keep_order: [sku]
plan:
  tables:
    outbox: {key: [topic], salt: 8, salt_from: sku}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    for it in cx.sharded() {
        if let Some(salt) = it.salt() {
            findings.extend(judged(cx, &it, salt, None));
        }
        for index in &it.placed.indexes {
            if let Some(salt) = index.index.salt.filter(|salt| 1 < salt.ways) {
                findings.extend(judged(cx, &it, salt, Some(&index.index)));
            }
        }
    }
}

fn judged(cx: &Judged<'_>, it: &TableView<'_>, salt: Salt, index: Option<&Index>) -> Option<Finding> {
    let from = salt.from.map(|id| it.table.column(id).name.as_str());
    let (span, what) = match index {
        Some(index) => (index.span, format!("index `{}`", index.name)),
        None => (it.key_span(), format!("`{}`", it.key_text())),
    };
    let mark = |finding: Finding| match index {
        Some(index) => finding.on_table(&it.table.name).on_index(&index.name),
        None => it.about(finding),
    };
    for statement in cx.statements_on(it.id) {
        let wanted = &statement.of.pattern.keep_order;
        let writes = statement.statement.written_table() == Some(it.id);
        if !writes
            || wanted.is_empty()
            || from.is_some_and(|from| wanted.iter().any(|it| it.eq_ignore_ascii_case(from)))
        {
            continue;
        }
        let how = from.map_or_else(|| "random".to_owned(), |from| format!("computed from `{from}`"));
        let order = wanted.join(", ");
        let message = format!(
            "the salt of {what} is {how}, so rows of one `{order}` lie in {} places and \"{}\" can't keep their order",
            salt.ways, statement.of.pattern.name
        );
        let finding = mark(RULE.finding(span, message))
            .with_help(format!("compute the salt from `{order}` (`salt_from: {order}`)"));
        return Some(finding.with_related(statement.of.pattern.span, "wants the order kept"));
    }
    if from.is_some() {
        return None;
    }
    let reader = cx.statements_on(it.id).find(|statement| {
        statement.reads()
            && !statement.statement.order_by.is_empty()
            && statement.route.instances.iter().any(|route| {
                route.table == it.id
                    && match (&route.how, index) {
                        (How::Index { at, .. }, Some(index)) => {
                            it.placed.indexes.get(*at).is_some_and(|used| used.index.name == index.name)
                        }
                        (How::Key | How::Few(_) | How::Run(_), None) => true,
                        _ => false,
                    }
            })
    })?;
    let message = format!(
        "\"{}\" reads {what} in order: it asks all {} salts and merges their answers",
        reader.of.pattern.name, salt.ways
    );
    let help = "each salt is sorted, so a merge of the first rows of each is enough";
    Some(mark(RULE.finding_at(Level::Info, span, message)).with_help(help))
}
