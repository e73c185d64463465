//! Keys that a design fixes by itself: where an engine partitions by the front
//! of the primary key, a table without a plan has a shard key all the same.

use std::collections::BTreeMap;

use crate::analysis::assessment::default_choice;
use crate::model::{Choice, Design, Plan, ShardKey, SortColumn, Strategy, Table, TableId, TablePlan};
use crate::target::{Engine, Uniqueness};

/// The plan that the primary keys of a design amount to; `None` on an engine
/// whose shard key is declared apart from the primary key.
///
/// An engine that hashes takes the first column and orders by the others; one
/// that keeps rows in order takes the whole primary key.
#[must_use]
pub fn fixed_plan(design: &Design, engine: &Engine) -> Option<Plan> {
    // Where a primary key holds only within a partition, the partition key is another matter.
    let apart = engine.unique.value == Uniqueness::WithinPartition;
    if !engine.key.leads_primary_key || apart || design.tables.is_empty() {
        return None;
    }
    let tables: BTreeMap<TableId, TablePlan> =
        design.table_ids().map(|id| (id, of_table(design, engine, id))).collect();
    Some(Plan { tables, span: design.target.span, ..Plan::default() })
}

fn of_table(design: &Design, engine: &Engine, id: TableId) -> TablePlan {
    let table: &Table = design.table(id);
    let front = match engine.default_strategy {
        Strategy::Range => table.primary_key.len(),
        Strategy::Hash | Strategy::List | Strategy::Lookup | Strategy::Geo => 1,
    };
    let (key, rest) = table.primary_key.split_at(front.min(table.primary_key.len()));
    let choice = if key.is_empty() {
        default_choice(design, engine, id)
    } else {
        Choice::Sharded(ShardKey::of_columns(key))
    };
    let span = table.primary_key_span.unwrap_or_default();
    let cluster = rest.iter().map(|column| SortColumn { column: *column, desc: false }).collect();
    TablePlan { choice, cluster, splits: Vec::new(), dedicated: Vec::new(), span, key_span: span }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ColumnId;

    fn plan_on(engine: &str) -> Option<Plan> {
        let table = Table { primary_key: vec![ColumnId(0), ColumnId(1)], ..Table::default() };
        let design = Design { tables: vec![table], ..Design::default() };
        fixed_plan(&design, crate::target::engine(engine).unwrap())
    }

    fn key_on(engine: &str) -> Vec<ColumnId> {
        let plan = plan_on(engine).unwrap();
        plan.tables[&TableId(0)].choice.key().unwrap().own_columns().collect()
    }

    #[test]
    fn a_partition_is_the_first_column_where_it_is_hashed_and_all_where_it_is_ordered() {
        assert_eq!(key_on("cassandra"), [ColumnId(0)]);
        assert_eq!(key_on("dynamodb"), [ColumnId(0)]);
        assert_eq!(key_on("spanner"), [ColumnId(0), ColumnId(1)]);
    }

    #[test]
    fn an_engine_whose_shard_key_is_declared_fixes_none() {
        for engine in ["generic", "citus", "vitess", "mongodb", "cosmosdb"] {
            assert!(plan_on(engine).is_none(), "{engine}");
        }
    }
}
