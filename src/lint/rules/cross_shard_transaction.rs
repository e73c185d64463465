//! SW206: a transaction that writes on more than one shard.

use crate::analysis::routing::How;
use crate::analysis::tokens::{Spreading, Token, spreading};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, PatternView, Rule, StatementView, citing, listed};
use crate::target::TransactionSupport;
use crate::units::text;

/// SW206.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW206", name: "cross-shard-transaction" },
    level: Level::Warning,
    explain: "\
Rows that commit together on several shards need an agreement between them: each
prepares, then each commits, and all hold their locks while the slowest answers.
Where the engine has no such agreement, half of a transaction can stay behind.

A warning for a pattern that can write rows on more than one shard; an error where
the engine does not commit several shards atomically. The finding gives the share
of the requests that do: 1 − S^(1 − k) for k independent keys on S shards, less
where parameters are usually equal (`same_as`).

A write of one row is never meant, nor the copies of a replicated table, which have
a rule of their own; index entries are work, not rows.

What helps: one key for the tables that are written together; otherwise a saga, an
outbox, or a transfer in two steps that can be repeated.

```yaml bad
shardwright: 1
name: payments between accounts
target: {engine: generic, shards: 16}
tables:
  accounts:
    rows: 100M
    row_size: 80B
    primary_key: [account_id]
    columns:
      account_id: {type: bigint, distinct: 100M}
      balance: numeric
patterns:
  - name: send payment
    transaction:
      - UPDATE accounts SET balance = balance - :v WHERE account_id = :a
      - UPDATE accounts SET balance = balance + :v WHERE account_id = :b
    rate: 500/s
plan:
  tables:
    accounts: {key: [account_id]}
```

```yaml good
shardwright: 1
name: an account and its journal
target: {engine: generic, shards: 16}
tables:
  accounts:
    rows: 100M
    row_size: 80B
    primary_key: [account_id]
    columns:
      account_id: {type: bigint, distinct: 100M}
      balance: numeric
  journal:
    rows: 4B
    row_size: 60B
    primary_key: [account_id, entry]
    columns:
      account_id: {type: bigint, distinct: 100M}
      entry: {type: bigint, distinct: 4B}
patterns:
  - name: book
    transaction:
      - UPDATE accounts SET balance = balance - :v WHERE account_id = :a
      - INSERT INTO journal (account_id, entry) VALUES (:a, :e)
    rate: 500/s
plan:
  tables:
    accounts: {key: [account_id]}
    journal: {key: [account_id]}
```
",
    check,
};

/// Chance below which nobody would notice.
const NEVER: f64 = 1e-6;

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let support = &cx.engine().transactions;
    let atomic = support.value == TransactionSupport::Atomic;
    let level = if atomic { Level::Warning } else { Level::Error };
    for pattern in cx.patterns() {
        if cx.setting.shards <= 1 {
            continue;
        }
        let statements = cx.statements_of(&pattern);
        if !several_writes(statements) {
            continue;
        }
        let on = written(cx, statements);
        if on.multi < NEVER {
            continue;
        }
        let finding =
            RULE.finding_at(level, pattern.pattern.span, message(cx, &pattern, statements, on, atomic));
        let finding = finding.on_pattern(&pattern.pattern.name).with_help(help(cx, &pattern, statements));
        findings.push(if atomic { finding } else { citing(finding, &support.source) });
    }
}

/// Whether more than one row can be written: by several statements, several runs, or a list.
fn several_writes(statements: &[StatementView<'_>]) -> bool {
    let writes: f64 = statements
        .iter()
        .filter(|it| it.statement.target.is_some() && !copies(it))
        .map(|it| it.at.times * f64::from(it.statement.inserted_rows.max(1)))
        .sum();
    1.0 < writes
}

/// Whether it writes the copies of a replicated table.
fn copies(it: &StatementView<'_>) -> bool {
    it.statement.target.and_then(|target| it.route_of(target)).is_some_and(|it| it.how == How::Replicated)
}

/// Shards with rows written, copies of replicated tables left out.
fn written(cx: &Judged<'_>, statements: &[StatementView<'_>]) -> Spreading {
    let own: Vec<&StatementView<'_>> = statements.iter().filter(|it| !copies(it)).collect();
    if own.iter().any(|it| it.route.writes_all) {
        return Spreading::all(cx.shards());
    }
    let tokens: Vec<&Token> = own.iter().flat_map(|it| &it.route.writes).collect();
    spreading(&tokens, cx.shards())
}

fn message(
    cx: &Judged<'_>,
    pattern: &PatternView<'_>,
    statements: &[StatementView<'_>],
    on: Spreading,
    atomic: bool,
) -> String {
    let mut tables: Vec<String> = Vec::new();
    for it in statements.iter().filter(|it| !copies(it)) {
        let name = it.statement.written_table().map(|it| format!("`{}`", cx.design.table(it).name));
        tables.extend(name.filter(|it| !tables.contains(it)));
    }
    let names: Vec<&str> = tables.iter().map(String::as_str).collect();
    let end = if atomic {
        String::new()
    } else {
        format!(", and {} does not commit them together", cx.engine().name)
    };
    format!(
        "writes {} on more than one shard in {} of the requests ({} of {}), {} shards on average{end}",
        listed(&names),
        text::share(on.multi),
        text::rate(pattern.figures.rate * on.multi),
        text::rate(pattern.figures.rate),
        text::count(on.mean)
    )
}

fn help(cx: &Judged<'_>, pattern: &PatternView<'_>, statements: &[StatementView<'_>]) -> String {
    let mut keys: Vec<String> = Vec::new();
    for it in statements.iter().filter(|it| !copies(it)) {
        let Some(table) =
            it.statement.written_table().and_then(|it| cx.table(it)).filter(|it| it.placed.sharded())
        else {
            continue;
        };
        let key = format!("`{}` by `{}`", table.table.name, table.key_text());
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let names: Vec<&str> = keys.iter().map(String::as_str).collect();
    let mut written = statements
        .iter()
        .filter(|it| !copies(it))
        .filter_map(|it| it.statement.written_table())
        .filter_map(|it| cx.table(it));
    let first = written.next();
    let one_space = first.is_some_and(|first| written.all(|it| it.placed.space == first.placed.space));
    if 1 < keys.len() && one_space {
        return format!(
            "{} would be together for one value; `{}` names several: if that is too often, settle the others by a message that can be repeated",
            listed(&names),
            pattern.pattern.name
        );
    }
    if keys.len() < 2 {
        return "if that is too often, book one side and settle the other by a message that can be repeated"
            .to_owned();
    }
    format!(
        "{} are kept apart: give what `{}` writes one key, or split it into steps that can be repeated",
        listed(&names),
        pattern.pattern.name
    )
}
