//! Azure Cosmos DB (NoSQL API): hashed logical partitions of at most 20 GB and
//! 10,000 request units a second; up to three key levels whose prefix routes.

use crate::model::{Strategy, TypeFamily};
use crate::target::limit::{GB, MB};
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const LIMITS_PAGE: Source = Source::page(
    "Azure Cosmos DB: Service quotas and default limits",
    "https://learn.microsoft.com/azure/cosmos-db/concepts-limits",
);
const PARTITIONING: Source = Source::page(
    "Azure Cosmos DB: Partitioning and horizontal scaling",
    "https://learn.microsoft.com/azure/cosmos-db/partitioning-overview",
);
const HIERARCHICAL: Source = Source::page(
    "Azure Cosmos DB: Hierarchical partition keys",
    "https://learn.microsoft.com/azure/cosmos-db/hierarchical-partition-keys",
);
const UNIQUE: Source = Source::page(
    "Azure Cosmos DB: Unique key constraints",
    "https://learn.microsoft.com/azure/cosmos-db/unique-keys",
);
const QUERY: Source = Source::page(
    "Azure Cosmos DB: Query a container",
    "https://learn.microsoft.com/azure/cosmos-db/how-to-query-container",
);
const GLOBAL_INDEX: Source = Source::page(
    "Azure Cosmos DB: Global secondary indexes (preview)",
    "https://learn.microsoft.com/azure/cosmos-db/global-secondary-indexes",
)
.medium();
const TRANSACTIONS: Source = Source::page(
    "Azure Cosmos DB: Transactions and optimistic concurrency control",
    "https://learn.microsoft.com/azure/cosmos-db/database-transactions-optimistic-concurrency",
);
const BURST: Source = Source::page(
    "Azure Cosmos DB: Burst capacity",
    "https://learn.microsoft.com/azure/cosmos-db/burst-capacity",
);
const CHANGE_KEY: Source = Source::page(
    "Azure Cosmos DB: Change partition key",
    "https://learn.microsoft.com/azure/cosmos-db/change-partition-key",
);

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "cosmosdb",
    name: "Azure Cosmos DB (NoSQL API)",
    aliases: &["cosmos", "azure_cosmos_db"],
    strategies: &[Strategy::Hash],
    default_strategy: Strategy::Hash,
    default_shards: DefaultShards::Words(PARTITIONING.fact("max(RU per s / 10000, GB / 50), rounded up")),
    // Two kinds of items are together only as items of one container, which is one table here.
    colocation: Colocation::PerTable,
    key: KeyRules {
        max_columns: Some(HIERARCHICAL.fact(3)),
        joined: None,
        refused_types: &[TypeFamily::Boolean, TypeFamily::Document],
        types_source: Some(PARTITIONING.medium()),
        value_change: PARTITIONING.fact(ValueChange::Refused),
        nullable: Some(PARTITIONING.low().fact(true)),
        hierarchical: Some(HIERARCHICAL.fact(3)),
        // An item is named by (partition key, id).
        leads_primary_key: true,
        salt: true,
        bucket: true,
    },
    replicated: Some(Source::GENERAL.fact(false)),
    unsharded: false,
    unique: UNIQUE.fact(Uniqueness::WithinPartition),
    foreign_keys: Source::GENERAL.fact(ForeignKeySupport::None),
    joins: LIMITS_PAGE.fact(JoinSupport::None),
    transactions: TRANSACTIONS.fact(TransactionSupport::SinglePartition),
    index: IndexRules {
        global: Some("global secondary index (preview)"),
        synchronous: false,
        source: Some(GLOBAL_INDEX),
        ..IndexRules::LOCAL_ONLY
    },
    partition: PartitionRules {
        hard_bytes: Some(LIMITS_PAGE.limit("size of a logical partition", 20.0 * GB, "20 GB")),
        read_units: Some(LIMITS_PAGE.limit(
            "request units a second of a logical partition",
            10_000.0,
            "10,000 RU/s",
        )),
        write_units: Some(LIMITS_PAGE.limit(
            "request units a second of a logical partition",
            10_000.0,
            "10,000 RU/s",
        )),
        // learn.microsoft.com/azure/cosmos-db/optimize-cost-reads-writes: 1 KB is read for 1 unit and 100 KB for
        // 10, a write takes about five times as many.
        read_unit_bytes: 10_000,
        write_unit_bytes: 10_000,
        units_per_write: 5,
        shared_units: true,
        ..PartitionRules::NONE
    },
    max_item: Some(LIMITS_PAGE.limit("size of an item", 2.0 * MB, "2 MB")),
    advised_item: None,
    max_cell: None,
    max_transaction_items: Some(LIMITS_PAGE.limit("operations in one transactional batch", 100.0, "100")),
    after_read_filter: None,
    sequence: Source::GENERAL.fact(Sequence::None),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    shards_change: ShardsChange::Automatic,
    shard_word: "physical partition",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    LIMITS_PAGE.limit("size of a partition key value", 2048.0, "2,048 bytes"),
    LIMITS_PAGE.limit("size of an id", 1023.0, "1,023 bytes"),
    LIMITS_PAGE.limit("size of a physical partition", 50.0 * GB, "50 GB"),
    LIMITS_PAGE.limit("request units a second of a physical partition", 10_000.0, "10,000 RU/s"),
    LIMITS_PAGE.limit(
        "request units a second of a container",
        1_000_000.0,
        "1,000,000 RU/s (more by ticket)",
    ),
    LIMITS_PAGE.limit("size of a transactional batch", 2.0 * MB, "2 MB"),
    LIMITS_PAGE.limit("size of a request", 2.0 * MB, "2 MB"),
    LIMITS_PAGE.limit("size of a response", 4.0 * MB, "4 MB"),
    LIMITS_PAGE.limit("seconds that one operation may run", 5.0, "5 seconds"),
    LIMITS_PAGE.limit("nesting levels of an item", 128.0, "128"),
    UNIQUE.limit("unique constraints of a container", 10.0, "10"),
    UNIQUE.limit("paths of one unique constraint", 16.0, "16"),
    QUERY.limit("request units that a query takes at least for each physical partition", 2.5, "about 2.5 RU"),
    QUERY.medium().limit(
        "request units a second of a container before fan-out is advised against",
        30_000.0,
        "30,000 RU/s",
    ),
    QUERY.medium().limit("size of a container before fan-out is advised against", 100.0 * GB, "100 GB"),
    BURST.limit("request units a second of a partition that may burst", 3000.0, "3,000 RU/s"),
    CHANGE_KEY.limit("size of a container whose key the portal can change", 4000.0 * GB, "4 TB"),
    LIMITS_PAGE.medium().limit("request units a second of a serverless container", 20_000.0, "20,000 RU/s"),
    LIMITS_PAGE.medium().limit("size of a serverless container", 1000.0 * GB, "1 TB"),
    LIMITS_PAGE.limit("databases and containers of an account", 500.0, "500"),
    LIMITS_PAGE.limit("containers of a database with shared throughput", 25.0, "25"),
];
