//! Plans with their names resolved against a design's tables and patterns.

use std::collections::BTreeMap;

use crate::diag::Finding;
use crate::input::decode_tables::{column_of, columns_of, unknown_column};
use crate::input::fields::{Name, syntax, with_hint};
use crate::input::lower::table_of;
use crate::input::raw::{
    RawChoice, RawInclude, RawIndex, RawKey, RawKeyPart, RawPlan, RawSalt, RawTablePlan,
};
use crate::model::{
    Choice, Claim, ColumnId, Design, Include, Index, KeyPart, Plan, Salt, ShardKey, SortColumn, Table,
    TableId, TablePlan,
};

/// Makes a plan.
pub(super) fn plan(raw: RawPlan, design: &Design, findings: &mut Vec<Finding>) -> Plan {
    let mut plan = raw.plan;
    let mut seen: BTreeMap<TableId, bool> = BTreeMap::new();
    for table in raw.tables {
        let Some(id) = table_of(&design.tables, &table.table, findings) else { continue };
        // Statements of the schema give way to a plan in words.
        if seen.get(&id) == Some(&false) && table.from_statement {
            continue;
        }
        if let (Some(false), Some(first)) = (seen.get(&id), plan.tables.get(&id)) {
            let message = format!("table `{}` is planned twice; the first one is read", table.table.value);
            findings.push(syntax(table.span, message).with_related(first.span, "the first one"));
            continue;
        }
        seen.insert(id, table.from_statement);
        if let Some(it) = table_plan(table, id, design, findings) {
            plan.tables.insert(id, it);
        }
    }
    for index in raw.indexes {
        add_index(&mut plan, index, design, findings);
    }
    plan.claims.retain(|it| claim_holds(it, design, findings));
    plan
}

/// Adds the indexes of a schema to the plan, if there is one.
pub(super) fn loose_indexes(indexes: Vec<RawIndex>, design: &mut Design, findings: &mut Vec<Finding>) {
    let Some(mut plan) = design.plan.take() else { return };
    for index in indexes {
        let named = index.name.as_ref();
        if !plan.indexes.iter().any(|it| named == Some(&it.name)) {
            add_index(&mut plan, index, design, findings);
        }
    }
    design.plan = Some(plan);
}

/// Whether a claim is about a pattern that is described.
fn claim_holds(claim: &Claim, design: &Design, findings: &mut Vec<Finding>) -> bool {
    let Some(about) = &claim.about else { return true };
    let known = || design.patterns.iter().map(|it| it.name.as_str());
    if known().any(|it| it == about) {
        return true;
    }
    let finding = syntax(claim.span, format!("the claim is about a pattern `{about}` that is not described"));
    let known: Vec<&str> = known().collect();
    findings.push(with_hint(finding, about, known, "patterns").on_pattern(about));
    false
}

fn table_plan(
    raw: RawTablePlan,
    id: TableId,
    design: &Design,
    findings: &mut Vec<Finding>,
) -> Option<TablePlan> {
    let table = design.table(id);
    let choice = match raw.choice {
        RawChoice::Replicated => Choice::Replicated,
        RawChoice::Unsharded => Choice::Unsharded,
        RawChoice::Sharded(key) => Choice::Sharded(shard_key(key, id, design, findings)?),
    };
    let cluster = raw
        .cluster
        .iter()
        .filter_map(|(name, desc)| {
            Some(SortColumn { column: column_of(table, name, findings)?, desc: *desc })
        })
        .collect();
    Some(TablePlan {
        choice,
        cluster,
        splits: raw.splits,
        dedicated: raw.dedicated,
        span: raw.span,
        key_span: raw.key_span,
    })
}

/// A key; with a part that is not known there is none, for a shorter one would be another key.
fn shard_key(raw: RawKey, id: TableId, design: &Design, findings: &mut Vec<Finding>) -> Option<ShardKey> {
    let table = design.table(id);
    let count = raw.parts.len();
    let mut used = Vec::new();
    let parts: Vec<KeyPart> = raw
        .parts
        .iter()
        .filter_map(|it| key_part(it, &raw.add_columns, id, design, &mut used, findings))
        .collect();
    for name in &raw.add_columns {
        if !used.contains(&name.value.as_str()) && parts.len() == count {
            let message = format!("the column `{}` is added, but it is no part of the key", name.value);
            findings.push(syntax(name.span, message).with_help("name it under `key`").on_table(&table.name));
        }
    }
    let salt = match raw.salt {
        Some(it) => salt(&it, table, findings),
        None => None,
    };
    let complete = parts.len() == count && 0 < count;
    complete.then_some(ShardKey { parts, strategy: raw.strategy, hierarchical: raw.hierarchical, salt })
}

fn key_part<'n>(
    part: &'n RawKeyPart,
    added: &[Name],
    id: TableId,
    design: &Design,
    used: &mut Vec<&'n str>,
    findings: &mut Vec<Finding>,
) -> Option<KeyPart> {
    let table = design.table(id);
    match part {
        RawKeyPart::Bucket(name, every) => {
            Some(KeyPart::Bucket { column: column_of(table, name, findings)?, every: *every })
        }
        RawKeyPart::Expression(name) => {
            let text: String = name.value.to_lowercase().split_whitespace().collect();
            let words = name.value.split(|it: char| !(it.is_alphanumeric() || it == '_'));
            let Some(column) = words.into_iter().find_map(|it| table.column_named(it)) else {
                findings.push(unknown_column(table, name));
                return None;
            };
            Some(KeyPart::Expression { text, column })
        }
        RawKeyPart::Column(name) => {
            if added.iter().any(|it| it.value == name.value) {
                used.push(&name.value);
                return added_column(name, id, design, findings);
            }
            if let Some(column) = table.column_named(&name.value) {
                return Some(KeyPart::Column(column));
            }
            let mut finding = unknown_column(table, name);
            if let Some(copied) = design.copied_column(id, &name.value) {
                let from = &design.table(copied.source).name;
                finding = finding
                    .with_help(format!("`{from}` has it: copy it down with `add_column: {}`", name.value));
            }
            findings.push(finding);
            None
        }
    }
}

fn added_column(name: &Name, id: TableId, design: &Design, findings: &mut Vec<Finding>) -> Option<KeyPart> {
    let table = design.table(id);
    if let Some(column) = table.column_named(&name.value) {
        let message = format!("table `{}` has a column `{}` already; it is the key", table.name, name.value);
        let mut finding =
            syntax(name.span, message).with_help("leave `add_column` out").on_table(&table.name);
        finding.level = crate::diag::Level::Warning;
        findings.push(finding);
        return Some(KeyPart::Column(column));
    }
    if let Some(copied) = design.copied_column(id, &name.value) {
        return Some(KeyPart::Copied(copied));
    }
    let help = format!(
        "a column is copied down from a table that `{}` refers to, directly or through others: write `references:` at \
         the column that does",
        table.name
    );
    findings.push(Finding {
        message: format!("no table above `{}` has a column `{}` to copy down", table.name, name.value),
        help: Some(help),
        ..unknown_column(table, name)
    });
    None
}

fn salt(raw: &RawSalt, table: &Table, findings: &mut Vec<Finding>) -> Option<Salt> {
    let from = match &raw.from {
        Some(name) => Some(column_of(table, name, findings)?),
        None => None,
    };
    Some(Salt { ways: raw.ways, from, only_hot: raw.only_hot })
}

fn add_index(plan: &mut Plan, raw: RawIndex, design: &Design, findings: &mut Vec<Finding>) {
    let Some(index) = index(raw, design, findings) else { return };
    if let Some(first) = plan.indexes.iter().find(|it| it.name == index.name) {
        let message = format!("a second index `{}`; the first one is read", index.name);
        findings.push(
            syntax(index.span, message).with_related(first.span, "the first one").on_index(&index.name),
        );
        return;
    }
    plan.indexes.push(index);
}

fn index(raw: RawIndex, design: &Design, findings: &mut Vec<Finding>) -> Option<Index> {
    let id = table_of(&design.tables, &raw.table, findings)?;
    let table = design.table(id);
    let key = columns_of(table, &raw.key, findings);
    let sort = columns_of(table, &raw.sort, findings);
    let include = match raw.include {
        RawInclude::Plain(it) => it,
        RawInclude::Columns(names) => Include::Columns(columns_of(table, &names, findings)),
    };
    let salt = raw.salt.and_then(|it| salt(&it, table, findings));
    let only: Vec<(ColumnId, String)> = raw
        .only
        .into_iter()
        .filter_map(|(name, value)| Some((column_of(table, &name, findings)?, value)))
        .collect();
    if key.len() < raw.key.len() || key.is_empty() {
        return None;
    }
    let name = raw.name.unwrap_or_else(|| format!("{}_{}", table.name, table.names(&key).replace(", ", "_")));
    Some(Index {
        name,
        table: id,
        key,
        sort,
        scope: raw.scope,
        strategy: raw.strategy,
        salt,
        unique: raw.unique,
        include,
        only,
        span: raw.span,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::{clean, said};
    use crate::model::{NodesLeave, PlacementKind, Scope, Strategy};
    use crate::units::{DAY, Share};

    const TABLES: &str = "\
shardwright: 1
tables:
  customers: {primary_key: [id], columns: {id: bigint, tenant_id: int, email: text, root: text}}
  orders:
    primary_key: [order_id]
    columns:
      order_id: uuid
      customer_id: {type: bigint, references: customers.id}
      created_at: timestamptz
      status: text
  items: {columns: {order_id: {type: uuid, references: orders.order_id}, line: int}}
  countries: {columns: {code: text}}
patterns:
  - {name: one order, read: orders, where: {order_id: eq}, rate: 1/s}
";

    fn plan_of(body: &str) -> (Design, Plan) {
        let design = clean(&format!("{TABLES}plan:\n{body}"));
        let plan = design.plan.clone().unwrap();
        (design, plan)
    }

    fn complaints(body: &str) -> Vec<String> {
        let said = said(&format!("{TABLES}plan:\n{body}"));
        said.into_iter().map(|it| it.split_once(' ').unwrap().1.to_owned()).collect()
    }

    #[test]
    fn the_frame_of_a_plan_is_read() {
        let (_, plan) = plan_of(
            "  by: an assistant\n  shards: 32\n  nodes: 4\n  placement: ring\n  vnodes: 150\n  nodes_later: 5\n  \
             nodes_leave: last\n  lookup: {replicas: 0, cache_hit: 90%}\n  claims: [{data_size: 8TB}, {pattern: one \
             order, shards: 1}]\n",
        );
        assert_eq!(plan.by.as_deref(), Some("an assistant"));
        assert_eq!(
            (plan.shards, plan.nodes, plan.vnodes, plan.nodes_later),
            (Some(32), Some(4), Some(150), Some(5))
        );
        assert_eq!(plan.placement.unwrap().0, PlacementKind::Ring);
        assert_eq!(plan.nodes_leave, Some(NodesLeave::Last));
        let lookup = plan.lookup.unwrap();
        assert_eq!((lookup.replicas, lookup.cache_hit), (Some(0), Share::new(0.9)));
        assert_eq!(plan.claims.len(), 2);
    }

    #[test]
    fn keys_of_every_kind_are_read() {
        let (design, plan) = plan_of(
            "  tables:
    orders: {key: [customer_id, {bucket: created_at, every: 10d}], strategy: range, cluster: [created_at desc, \
             order_id], splits: [1000, 2000], salt: 8, salt_from: order_id, salt_only: hot}
    items: {key: [tenant_id, line], add_column: tenant_id, hierarchical: true, salt: 4, salt_from: random}
    customers: {key: [lower(Email)], strategy: lookup, dedicated: [acme]}
    countries: {replicated: true}
",
        );
        let of = |name: &str| &plan.tables[&design.table_named(name).unwrap()];
        let orders = of("orders").choice.key().unwrap();
        assert_eq!(orders.parts[0], KeyPart::Column(ColumnId(1)));
        assert!(
            matches!(orders.parts[1], KeyPart::Bucket { column: ColumnId(2), every } if every.get() == 10.0 * DAY)
        );
        assert_eq!(orders.strategy, Some(Strategy::Range));
        assert_eq!(orders.salt, Some(Salt { ways: 8, from: Some(ColumnId(0)), only_hot: true }));
        assert_eq!(of("orders").splits, ["1000", "2000"]);
        let cluster: Vec<(ColumnId, bool)> =
            of("orders").cluster.iter().map(|it| (it.column, it.desc)).collect();
        assert_eq!(cluster, [(ColumnId(2), true), (ColumnId(0), false)]);
        let items = of("items").choice.key().unwrap();
        let KeyPart::Copied(copied) = &items.parts[0] else { panic!("{items:?}") };
        assert_eq!((copied.name.as_str(), &copied.path), ("tenant_id", &vec![0, 0]));
        assert_eq!(design.table(copied.source).name, "customers");
        assert!(items.hierarchical);
        assert_eq!(items.salt, Some(Salt { ways: 4, from: None, only_hot: false }));
        let customers = of("customers").choice.key().unwrap();
        let expression = KeyPart::Expression { text: "lower(email)".to_owned(), column: ColumnId(2) };
        assert_eq!(customers.parts, [expression]);
        assert_eq!(of("customers").dedicated, ["acme"]);
        assert_eq!(of("countries").choice, Choice::Replicated);
        let (design, plan) = plan_of("  tables: {orders: {unsharded: true}}\n");
        assert_eq!(plan.tables[&design.table_named("orders").unwrap()].choice, Choice::Unsharded);
    }

    #[test]
    fn indexes_of_every_kind_are_read() {
        let (_, plan) = plan_of(
            "  indexes:
    - {name: a, table: customers, key: [email], scope: global, include: [tenant_id], unique: true}
    - {name: b, table: orders, key: [status], sort: [created_at], scope: local, include: all, only: {status: pending}}
    - {name: c, table: orders, key: [created_at], strategy: range, salt: 16, salt_from: order_id, unique: false}
",
        );
        assert_eq!((plan.indexes[0].unique, plan.indexes[0].scope), (true, Scope::Global));
        assert_eq!(plan.indexes[0].include, Include::Columns(vec![ColumnId(1)]));
        assert_eq!((plan.indexes[1].scope, &plan.indexes[1].include), (Scope::Local, &Include::All));
        assert_eq!(plan.indexes[1].only, [(ColumnId(3), "pending".to_owned())]);
        assert_eq!(plan.indexes[1].sort, [ColumnId(2)]);
        assert_eq!(plan.indexes[2].strategy, Some(Strategy::Range));
        assert_eq!(plan.indexes[2].salt, Some(Salt { ways: 16, from: Some(ColumnId(0)), only_hot: false }));
        assert_eq!(plan.indexes[2].include, Include::KeysOnly);
    }

    #[test]
    fn the_current_plan_stands_beside_the_proposed_one() {
        let text = format!(
            "{TABLES}plan: {{tables: {{orders: {{key: [order_id]}}}}}}\ncurrent: {{shards: 4, tables: {{orders: \
             {{unsharded: true}}}}}}\n"
        );
        let design = clean(&text);
        assert_eq!(design.current.unwrap().shards, Some(4));
        assert_eq!(design.plan.unwrap().shards, None);
    }

    #[test]
    fn bad_keys_are_said_and_left_out_whole() {
        for (text, expected) in [
            (
                "  tables: {items: {key: [customer_id, line]}}\n",
                "`customer_id` table `items` has no column `customer_id` (`orders` has it: copy it down with \
                 `add_column: customer_id`)",
            ),
            (
                "  tables: {items: {key: [nothing], add_column: nothing}}\n",
                "`nothing` no table above `items` has a column `nothing` to copy down (a column is copied down from a \
                 table that `items` refers to, directly or through others: write `references:` at the column that \
                 does)",
            ),
            (
                "  tables: {odrers: {key: [x]}}\n",
                "`odrers` there is no table `odrers` (did you mean `orders`?)",
            ),
            (
                "  tables: {orders: {}}\n",
                "`orders` a table's plan needs a key (write `{key: [customer_id]}`, `{replicated: true}` or \
                 `{unsharded: true}`)",
            ),
            ("  tables: {orders: {key: []}}\n", "`[]` a key needs at least one column"),
            (
                "  tables: {orders: {key: [{bucket: created_at}]}}\n",
                "`{bucket: created_at}` a time bucket needs the key `every` (say how wide a bucket is: `{bucket: \
                 sent_at, every: 10d}`)",
            ),
            (
                "  tables: {orders: {key: [{bucket: created_at, every: 0d}]}}\n",
                "`0d` a bucket is wider than nothing",
            ),
        ] {
            assert_eq!(complaints(text), [expected]);
            let (read, _) = crate::input::testing::read_text(&format!("{TABLES}plan:\n{text}"));
            assert!(read.design.plan.unwrap().tables.is_empty());
        }
    }

    #[test]
    fn other_slips_of_a_plan_are_said() {
        for (text, expected) in [
            (
                "  tables: {orders: {key: [order_id], replicated: true}}\n",
                "`orders` a table has either `key` or `replicated`, not both",
            ),
            (
                "  tables: {orders: {key: [order_id], salt_from: status}}\n",
                "`status` this belongs to a `salt` that is not there (write over how many each value is spread: \
                 `salt: 8`)",
            ),
            (
                "  tables: {orders: {key: customer_id}}\n",
                "`customer_id` `key` is a single value; a list is expected (write `[customer_id]`)",
            ),
            (
                "  tables: {orders: {key: [order_id], add_column: status}}\n",
                "`status` the column `status` is added, but it is no part of the key (name it under `key`)",
            ),
            (
                "  tables: {orders: {key: [status], add_column: status}}\n",
                "`status` table `orders` has a column `status` already; it is the key (leave `add_column` out)",
            ),
            ("  placement: jmup\n", "`jmup` `placement` can't be `jmup` (did you mean `jump`?)"),
            (
                "  indexes: [{name: a, table: orders, key: [stauts]}]\n",
                "`stauts` table `orders` has no column `stauts` (did you mean `status`?)",
            ),
            (
                "  indexes: [{name: a, table: orders, key: [status]}, {name: a, table: items, key: [line]}]\n",
                "`a` a second index `a`; the first one is read",
            ),
            (
                "  indexes: [{name: a, table: orders, key: [status], include: some}]\n",
                "`some` `include` is `some`, which is not `all` or a list of columns (write it as `all`, \
                 `[user_id]`)",
            ),
            (
                "  indexes: [{table: orders, key: [status]}]\n",
                "`{table: orders, key: [status]}` an index needs the key `name` (give it a name: `name: \
                 users_email`)",
            ),
            (
                "  claims: [{pattern: one oder, shards: 1}]\n",
                "`{pattern: one oder, shards: 1}` the claim is about a pattern `one oder` that is not described (did \
                 you mean `one order`?)",
            ),
        ] {
            assert_eq!(complaints(text), [expected]);
        }
    }
}
