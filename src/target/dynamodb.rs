//! Amazon DynamoDB: one hashed partition key, 3,000 read and 1,000 write units a
//! second for each of its values, indexes that follow later.

use crate::model::{Strategy, TypeFamily};
use crate::target::limit::{GB, KIB, MIB};
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const QUOTAS: Source = Source::page(
    "Quotas in Amazon DynamoDB",
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html",
);
const PARTITION_KEY: Source = Source::page(
    "Best practices for designing and using partition keys effectively",
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html",
);
const GSI: Source = Source::page(
    "Using Global Secondary Indexes in DynamoDB",
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html",
);
const LSI: Source = Source::page(
    "Local Secondary Indexes",
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/LSI.html",
);
const TRANSACTIONS: Source = Source::page(
    "Amazon DynamoDB Transactions: How it works",
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html",
);
const MULTI_ATTRIBUTE: Source = Source::page(
    "Multi-attribute keys pattern (GSI)",
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.DesignPattern.MultiAttributeKeys.html",
);
const UPDATE_ITEM: Source = Source::page(
    "UpdateItem (API reference)",
    "https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html",
);
const TOOLKIT: Source =
    Source::page("AWS agent toolkit, amazon-dynamodb skill", "https://github.com/aws/agent-toolkit-for-aws")
        .copy_of("2026-08");

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "dynamodb",
    name: "Amazon DynamoDB",
    aliases: &["dynamo", "ddb"],
    strategies: &[Strategy::Hash],
    default_strategy: Strategy::Hash,
    default_shards: DefaultShards::Words(
        Source::GENERAL.fact("max(read units / 3000 + write units / 1000, GB / 10), rounded up"),
    ),
    colocation: Colocation::PerTable,
    key: KeyRules {
        max_columns: None,
        joined: Some(TOOLKIT),
        refused_types: &[TypeFamily::Boolean, TypeFamily::Document],
        types_source: Some(QUOTAS),
        value_change: UPDATE_ITEM.fact(ValueChange::Refused),
        nullable: Some(QUOTAS.fact(false)),
        hierarchical: None,
        leads_primary_key: true,
        salt: true,
        bucket: true,
    },
    // Global tables copy a table to other Regions, not to every partition.
    replicated: Some(Source::GENERAL.fact(false)),
    unsharded: false,
    unique: TOOLKIT.fact(Uniqueness::PrimaryKeyOnly),
    foreign_keys: TOOLKIT.fact(ForeignKeySupport::None),
    joins: TOOLKIT.fact(JoinSupport::None),
    transactions: TRANSACTIONS.fact(TransactionSupport::Atomic),
    index: IndexRules {
        global: Some("global secondary index"),
        synchronous: false,
        max_global: Some(QUOTAS.limit("global secondary indexes of a table", 20.0, "20 (default quota)")),
        back_pressure: Some(GSI),
        max_local: Some(LSI.limit("local secondary indexes of a table", 5.0, "5")),
        local_collection: Some(LSI.limit(
            "item collection of a table with a local index",
            10.0 * GB,
            "10 GB",
        )),
        source: Some(GSI),
        ..IndexRules::LOCAL_ONLY
    },
    partition: PartitionRules {
        read_units: Some(PARTITION_KEY.limit(
            "read units a second of one partition",
            3000.0,
            "3,000 read units a second",
        )),
        write_units: Some(PARTITION_KEY.limit(
            "write units a second of one partition",
            1000.0,
            "1,000 write units a second",
        )),
        read_unit_bytes: 4096,
        write_unit_bytes: 1024,
        ..PartitionRules::NONE
    },
    max_item: Some(QUOTAS.limit("size of an item", 400.0 * KIB, "400 KB")),
    advised_item: None,
    max_cell: None,
    max_transaction_items: Some(QUOTAS.limit("items in one transaction", 100.0, "100")),
    after_read_filter: Some(TOOLKIT.fact("filter expression")),
    sequence: Source::GENERAL.fact(Sequence::None),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    shards_change: ShardsChange::Automatic,
    shard_word: "partition",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    TOOLKIT.limit("attributes in the partition key of a table", 1.0, "1"),
    TOOLKIT.limit("attributes in the sort key of a table", 1.0, "1"),
    MULTI_ATTRIBUTE.limit("attributes in the partition key of a global index", 4.0, "4"),
    MULTI_ATTRIBUTE.limit("attributes in the sort key of a global index", 4.0, "4"),
    QUOTAS.limit("size of a partition key value", 2048.0, "2048 bytes"),
    QUOTAS.limit("size of a sort key value", 1024.0, "1024 bytes"),
    QUOTAS.limit("size of one page of Query or Scan", MIB, "1 MB"),
    QUOTAS.limit("items in one BatchGetItem", 100.0, "100"),
    QUOTAS.limit("size of one BatchGetItem", 16.0 * MIB, "16 MB"),
    QUOTAS.limit("items in one BatchWriteItem", 25.0, "25"),
    QUOTAS.limit("size of one BatchWriteItem", 16.0 * MIB, "16 MB"),
    QUOTAS.limit("size of one transaction", 4.0 * MIB, "4 MB"),
    QUOTAS.limit("attributes named in the projections of all indexes", 100.0, "100"),
    QUOTAS.limit("nesting levels of an attribute", 32.0, "32"),
    LSI.limit("size of one partition", 10.0 * GB, "10 GB"),
    PARTITION_KEY.limit("seconds of unused capacity kept for bursts", 300.0, "300 seconds"),
    QUOTAS.medium().limit("read units a second of one table", 40_000.0, "40,000 (default quota)"),
    QUOTAS.medium().limit("write units a second of one table", 40_000.0, "40,000 (default quota)"),
    QUOTAS.medium().limit("provisioned units a second of an account", 80_000.0, "80,000 (default quota)"),
    QUOTAS.limit("tables in a Region", 2500.0, "2,500 (default quota)"),
];
