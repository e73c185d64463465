//! SW706: groups of tables that nothing ties together.

use crate::analysis::capacity::{FULL, demand};
use crate::diag::{Code, Finding, Level};
use crate::lint::{Judged, Rule};
use crate::model::{Design, TableId};
use crate::units::text;

/// SW706.
pub(super) static RULE: Rule = Rule {
    code: Code { code: "SW706", name: "vertical-split-first" },
    level: Level::Info,
    explain: "\
Tables that no statement joins, no transaction writes together and no reference ties can
be moved to a database of their own, without any shard key and without losing anything.
Each of the parts is smaller, and often only one of them outgrows a node.

An info when all tables together do not fit one node of `target.node` (60% full, at the
horizon and at peak), and they fall into at least two groups with 5% of the load or of
the bytes each. The groups are named, and whether each fits a node of its own.

```yaml bad
shardwright: 1
name: notifications beside repositories
target: {engine: generic, shards: 16, nodes: 4, node: {storage: 12TB, reads: 400k/s, writes: 60k/s}}
tables:
  repositories:
    rows: 200M
    row_size: 1KB
    primary_key: [repository_id]
    columns:
      repository_id: {type: bigint, distinct: 200M}
  notifications:
    rows: 5B
    row_size: 150B
    primary_key: [recipient_id, notification_id]
    columns:
      recipient_id: {type: bigint, distinct: 60M}
      notification_id: {type: bigint, distinct: 5B}
patterns:
  - {name: repository, sql: \"SELECT * FROM repositories WHERE repository_id = :r\", rate: 180k/s}
  - {name: inbox, sql: \"SELECT * FROM notifications WHERE recipient_id = :u LIMIT 50\", rate: 180k/s}
plan:
  tables:
    repositories: {key: [repository_id]}
    notifications: {key: [recipient_id]}
```

```yaml good
shardwright: 1
name: orders and their customers
target: {engine: generic, shards: 16, nodes: 4, node: {storage: 12TB, reads: 400k/s, writes: 60k/s}}
tables:
  customers:
    rows: 200M
    row_size: 1KB
    primary_key: [customer_id]
    columns:
      customer_id: {type: bigint, distinct: 200M}
  orders:
    rows: 5B
    row_size: 150B
    primary_key: [customer_id, order_id]
    columns:
      customer_id: {type: bigint, distinct: 200M, references: customers.customer_id}
      order_id: {type: bigint, distinct: 5B}
patterns:
  - {name: customer, sql: \"SELECT * FROM customers WHERE customer_id = :c\", rate: 180k/s}
  - {name: orders, sql: \"SELECT * FROM orders WHERE customer_id = :c LIMIT 50\", rate: 180k/s}
plan:
  tables:
    customers: {key: [customer_id]}
    orders: {key: [customer_id]}
```
",
    check,
};

/// Share of the load, or of the bytes, below which a group is not worth a database.
const WORTH: f64 = 0.05;

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let all = demand(cx.setting, &|_| true);
    if all.of_a_node(cx.setting).is_none_or(|share| share <= FULL) {
        return;
    }
    let groups: Vec<(Vec<TableId>, f64)> = groups(cx.design)
        .into_iter()
        .filter_map(|group| {
            let own = demand(cx.setting, &|id| group.contains(&id));
            let part = |own: f64, all: f64| if all > 0.0 { own / all } else { 0.0 };
            let worth = part(own.bytes, all.bytes).max(part(own.reads + own.writes, all.reads + all.writes));
            (WORTH <= worth).then(|| (group, own.of_a_node(cx.setting).unwrap_or(0.0)))
        })
        .collect();
    if groups.len() < 2 {
        return;
    }
    let named: Vec<String> = groups
        .iter()
        .map(|(group, share)| {
            let names: Vec<&str> = group.iter().map(|id| cx.design.table(*id).name.as_str()).collect();
            let fits = if *share <= FULL { "fits a node of its own" } else { "does not fit one node" };
            format!("{} ({} of a node, {fits})", names.join(" + "), text::share(*share))
        })
        .collect();
    let message = format!(
        "the tables fall into {} groups that nothing joins or writes together: {}",
        groups.len(),
        named.join("; ")
    );
    let help = "give each group a database of its own first; only a group that does not fit a node needs a shard key";
    findings.push(RULE.finding(cx.design.target.span, message).with_help(help));
}

/// Tables that patterns use, in groups tied by statements, transactions and references.
fn groups(design: &Design) -> Vec<Vec<TableId>> {
    let mut group: Vec<usize> = (0..design.tables.len()).collect();
    let mut used = vec![false; design.tables.len()];
    let mut tie = |a: TableId, b: TableId| {
        let (a, b) = (group[a.0 as usize], group[b.0 as usize]);
        let (low, high) = (a.min(b), a.max(b));
        for it in &mut group {
            if *it == high {
                *it = low;
            }
        }
    };
    for pattern in &design.patterns {
        let mut first: Option<TableId> = None;
        for (_, statement) in pattern.statements() {
            for instance in &statement.instances {
                used[instance.table.0 as usize] = true;
                match first {
                    Some(first) => tie(first, instance.table),
                    None => first = Some(instance.table),
                }
            }
        }
    }
    for id in design.table_ids() {
        for key in &design.table(id).foreign_keys {
            tie(id, key.parent);
        }
    }
    let mut all: Vec<Vec<TableId>> = Vec::new();
    for root in 0..group.len() {
        let members: Vec<TableId> =
            design.table_ids().filter(|id| group[id.0 as usize] == root && used[id.0 as usize]).collect();
        if !members.is_empty() {
            all.push(members);
        }
    }
    all
}
