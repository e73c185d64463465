//! SW001 to SW004: what the reader of a file finds. It reports them itself;
//! here are their manuals.

use crate::diag::{Finding, Level};
use crate::lint::{Judged, Rule};

/// SW001.
pub(super) static SYNTAX: Rule = Rule {
    code: crate::diag::SYNTAX,
    level: Level::Error,
    explain: "\
The text can't be read as the format asks: broken YAML, an unknown key or unit, a
name that is given twice. The part that can't be read is left out, and everything
else is judged.

```yaml bad
shardwright: 1
name: a key that is misspelled
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    row_sise: 320B
    columns:
      order_id: bigint
```

```yaml good
shardwright: 1
name: a key that is known
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    row_size: 320B
    columns:
      order_id: bigint
```
",
    check: reported,
};

/// SW002.
pub(super) static UNKNOWN_TABLE: Rule = Rule {
    code: crate::diag::UNKNOWN_TABLE,
    level: Level::Error,
    explain: "\
A pattern, a plan, an index or a reference names a table that the file does not
describe. What names it is left out.

```yaml bad
shardwright: 1
name: a plan for a table that is not there
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    columns:
      order_id: bigint
plan:
  tables:
    order: {key: [order_id]}
```

```yaml good
shardwright: 1
name: a plan for a table that is there
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    columns:
      order_id: bigint
plan:
  tables:
    orders: {key: [order_id]}
```
",
    check: reported,
};

/// SW003.
pub(super) static UNKNOWN_COLUMN: Rule = Rule {
    code: crate::diag::UNKNOWN_COLUMN,
    level: Level::Error,
    explain: "\
A pattern, a key, an index or a reference names a column that its table does not
have. What names it is left out.

```yaml bad
shardwright: 1
name: a key that the table does not have
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    columns:
      order_id: bigint
plan:
  tables:
    orders: {key: [customer_id]}
```

```yaml good
shardwright: 1
name: a key that the table has
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    columns:
      order_id: bigint
plan:
  tables:
    orders: {key: [order_id]}
```
",
    check: reported,
};

/// SW004.
pub(super) static UNPARSED_STATEMENT: Rule = Rule {
    code: crate::diag::UNPARSED_STATEMENT,
    level: Level::Warning,
    explain: "\
A statement is outside the SQL that can be read, so its pattern is judged without
it. The share of the rate that this concerns is named; the report says how much of
the whole rate was analysed.

What helps: the same question as a structured pattern (`read: …`, `where: …`).

```yaml bad
shardwright: 1
name: a procedure call
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    columns:
      order_id: bigint
patterns:
  - {name: close the month, sql: \"CALL close_month(:m)\", rate: 1/h}
```

```yaml good
shardwright: 1
name: a statement
target: {engine: generic, shards: 16}
tables:
  orders:
    rows: 200M
    columns:
      order_id: bigint
patterns:
  - {name: order, sql: \"SELECT * FROM orders WHERE order_id = :o\", rate: 1/h}
```
",
    check: reported,
};

/// The reader has said it.
fn reported(_: &Judged<'_>, _: &mut Vec<Finding>) {}
