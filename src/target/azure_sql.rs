//! Azure SQL elastic database tools: a shard map of single values or ranges that the
//! client library follows to one database of many; nothing is hashed.

use crate::model::{Strategy, TypeFamily};
use crate::target::limit::GB;
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const SHARD_MAP: Source = Source::page(
    "Azure SQL: Scale out databases with the shard map manager",
    "https://learn.microsoft.com/azure/azure-sql/database/elastic-scale-shard-map-management",
);
const SPLIT_MERGE: Source = Source::page(
    "Azure SQL: Moving data between scaled-out databases (split-merge)",
    "https://learn.microsoft.com/azure/azure-sql/database/elastic-scale-overview-split-and-merge",
);
const INTRODUCTION: Source = Source::page(
    "Azure SQL: Scaling out (elastic tools)",
    "https://learn.microsoft.com/azure/azure-sql/database/elastic-scale-introduction",
);
const TRANSACTIONS: Source = Source::page(
    "Azure SQL: Distributed transactions across cloud databases",
    "https://learn.microsoft.com/azure/azure-sql/database/elastic-transactions-overview",
);
const SERVER_LIMITS: Source = Source::page(
    "Azure SQL: Resource management on a logical server",
    "https://learn.microsoft.com/azure/azure-sql/database/resource-limits-logical-server",
);

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "azure_sql_elastic",
    name: "Azure SQL elastic database tools (shard map)",
    aliases: &["azure_sql", "elastic_shard_map"],
    strategies: &[Strategy::List, Strategy::Lookup, Strategy::Range],
    default_strategy: Strategy::List,
    default_shards: DefaultShards::Words(SHARD_MAP.fact("chosen by the operator (databases)")),
    colocation: Colocation::EqualKeys,
    key: KeyRules {
        max_columns: Some(SHARD_MAP.fact(1)),
        joined: None,
        // Allowed: int, long, guid, byte[], datetime, timespan, datetimeoffset.
        refused_types: &[
            TypeFamily::Text,
            TypeFamily::Decimal,
            TypeFamily::Float,
            TypeFamily::Boolean,
            TypeFamily::Document,
        ],
        types_source: Some(SHARD_MAP),
        // An ordinary column: moving the row to another database is the application's work.
        value_change: Source::GENERAL.fact(ValueChange::Unknown),
        nullable: None,
        hierarchical: None,
        leads_primary_key: false,
        salt: false,
        bucket: false,
    },
    replicated: Some(SPLIT_MERGE.fact(true)),
    unsharded: true,
    unique: Source::GENERAL.fact(Uniqueness::WithKey),
    foreign_keys: Source::GENERAL.fact(ForeignKeySupport::Colocated),
    joins: INTRODUCTION.fact(JoinSupport::ColocatedOnly),
    // From .NET; in T-SQL on a managed instance only.
    transactions: TRANSACTIONS.fact(TransactionSupport::Atomic),
    index: IndexRules { source: Some(Source::GENERAL), ..IndexRules::LOCAL_ONLY },
    partition: PartitionRules::NONE,
    max_item: None,
    advised_item: None,
    max_cell: None,
    max_transaction_items: None,
    after_read_filter: None,
    sequence: Source::GENERAL.fact(Sequence::PerShard),
    clustered: Source::GENERAL.fact(true),
    hash_slots: None,
    shards_change: ShardsChange::Procedure(SPLIT_MERGE),
    shard_word: "shard database",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    SERVER_LIMITS.limit("databases of a logical server", 5000.0, "5,000"),
    TRANSACTIONS.limit("databases in one elastic transaction (advice)", 100.0, "fewer than 100"),
    SPLIT_MERGE.limit(
        "size of a table that split-merge moves without a unique index on the sharding key",
        GB,
        "1 GB",
    ),
    Source::GENERAL.low().limit("size of a Hyperscale database", 128_000.0 * GB, "128 TB"),
];
