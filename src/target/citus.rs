//! Citus: a PostgreSQL extension with 32 hash shards by default, one distribution
//! column, co-location groups and reference tables.

use crate::model::Strategy;
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const DDL: Source = Source::page(
    "Citus: Creating and modifying distributed objects (DDL)",
    "https://docs.citusdata.com/en/stable/develop/reference_ddl.html",
)
.copy_of("2025-04");
const FUNCTIONS: Source =
    Source::page("Citus: Utility functions", "https://docs.citusdata.com/en/stable/develop/api_udf.html")
        .copy_of("2025-04");
const SUPPORT: Source = Source::page(
    "Citus: SQL support and workarounds",
    "https://docs.citusdata.com/en/stable/develop/reference_workarounds.html",
)
.copy_of("2025-04");
const CONCEPTS: Source =
    Source::page("Citus: Concepts", "https://docs.citusdata.com/en/stable/get_started/concepts.html")
        .copy_of("2025-04");
const FAQ: Source =
    Source::page("Citus: FAQ", "https://docs.citusdata.com/en/stable/faq/faq.html").copy_of("2025-04");
const FOREIGN_KEYS: Source = Source::page(
    "Citus 14 source: foreign_constraint.c",
    "https://github.com/citusdata/citus/blob/main/src/backend/distributed/commands/foreign_constraint.c",
)
.copy_of("2026-05");
const SOURCE: Source = Source::page(
    "Citus 14 source: commands/table.c, create_distributed_table.c, multi_copy.c, multi_router_planner.c",
    "https://github.com/citusdata/citus/tree/main/src/backend/distributed",
)
.copy_of("2026-05");
const SETTINGS: Source = Source::page(
    "Citus 14 source: shared_library_init.c (defaults and ranges)",
    "https://github.com/citusdata/citus/blob/main/src/backend/distributed/shared_library_init.c",
)
.copy_of("2026-05");
const CHANGELOG: Source =
    Source::page("Citus CHANGELOG", "https://github.com/citusdata/citus/blob/main/CHANGELOG.md")
        .copy_of("2026-05");

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "citus",
    name: "Citus (PostgreSQL extension)",
    aliases: &["cosmosdb_for_postgresql"],
    strategies: &[Strategy::Hash],
    default_strategy: Strategy::Hash,
    default_shards: DefaultShards::Number(SETTINGS.fact(32)),
    colocation: Colocation::EqualKeys,
    key: KeyRules {
        max_columns: Some(DDL.fact(1)),
        joined: None,
        refused_types: &[],
        types_source: None,
        value_change: SOURCE.fact(ValueChange::Refused),
        nullable: Some(SOURCE.fact(false)),
        hierarchical: None,
        leads_primary_key: false,
        salt: false,
        bucket: false,
    },
    replicated: Some(DDL.fact(true)),
    unsharded: true,
    unique: SOURCE.fact(Uniqueness::WithKey),
    foreign_keys: FOREIGN_KEYS.fact(ForeignKeySupport::Colocated),
    // Repartition joins exist but are off until citus.enable_repartition_joins is set.
    joins: SUPPORT.fact(JoinSupport::ColocatedOnly),
    transactions: CHANGELOG.fact(TransactionSupport::Atomic),
    index: IndexRules { source: Some(SOURCE), ..IndexRules::LOCAL_ONLY },
    partition: PartitionRules::NONE,
    max_item: None,
    advised_item: None,
    max_cell: None,
    max_transaction_items: None,
    after_read_filter: None,
    // A bigint sequence carries the node's number in its high bits.
    sequence: SUPPORT.fact(Sequence::Unique),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    shards_change: ShardsChange::Procedure(FUNCTIONS),
    shard_word: "shard",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    SETTINGS.limit("shards of a table", 64_000.0, "64,000"),
    FAQ.limit("shards of a table of many tenants (advice)", 128.0, "32 to 128 (32 below 100 GB)"),
    FAQ.limit("shards of an analytics table, over the CPU cores (advice)", 4.0, "2 to 4 times the CPU cores"),
    SETTINGS.limit(
        "connections of one query to a worker",
        16.0,
        "16 (citus.max_adaptive_executor_pool_size)",
    ),
    SUPPORT.limit("levels of PostgreSQL partitions in a distributed table", 1.0, "1"),
    CONCEPTS.limit("tenants with a schema each (advice)", 10_000.0, "1 to 10,000"),
];
