//! CockroachDB: ranges of the primary key that split by size and load; hash-sharded
//! indexes spread growing keys, global indexes commit with their row.

use crate::model::Strategy;
use crate::target::limit::MIB;
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const HASH_INDEX: Source = Source::page(
    "CockroachDB: Hash-sharded indexes",
    "https://www.cockroachlabs.com/docs/v24.3/hash-sharded-indexes",
);
const LOAD_SPLIT: Source = Source::page(
    "CockroachDB: Load-based splitting",
    "https://www.cockroachlabs.com/docs/stable/load-based-splitting",
);
const LOCALITIES: Source = Source::page(
    "CockroachDB: Table localities",
    "https://www.cockroachlabs.com/docs/stable/table-localities",
);
const UUID: Source = Source::page("CockroachDB: UUID", "https://www.cockroachlabs.com/docs/stable/uuid");
const SPLIT_AT: Source = Source::page(
    "CockroachDB: SPLIT AT; glossary (range)",
    "https://www.cockroachlabs.com/docs/v22.1/split-at",
);

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "cockroachdb",
    name: "CockroachDB",
    aliases: &["crdb", "cockroach"],
    strategies: &[Strategy::Range, Strategy::Hash, Strategy::List, Strategy::Geo],
    default_strategy: Strategy::Range,
    default_shards: DefaultShards::Words(LOAD_SPLIT.fact("automatic ranges")),
    colocation: Colocation::PerTable,
    key: KeyRules {
        max_columns: None,
        joined: None,
        refused_types: &[],
        types_source: None,
        value_change: Source::GENERAL.fact(ValueChange::Moves),
        nullable: Some(Source::GENERAL.fact(false)),
        hierarchical: None,
        leads_primary_key: true,
        salt: true,
        bucket: false,
    },
    // GLOBAL tables: read at once in every region, written slowly.
    replicated: Some(LOCALITIES.fact(true)),
    unsharded: false,
    unique: Source::GENERAL.fact(Uniqueness::Anywhere),
    foreign_keys: Source::GENERAL.fact(ForeignKeySupport::Everywhere),
    joins: Source::GENERAL.fact(JoinSupport::Everywhere),
    transactions: Source::GENERAL.fact(TransactionSupport::Atomic),
    index: IndexRules {
        global: Some("secondary index"),
        unique: true,
        made_for_unique: Some(Source::GENERAL),
        local: false,
        strategy: Strategy::Range,
        source: Some(HASH_INDEX),
        ..IndexRules::LOCAL_ONLY
    },
    partition: PartitionRules::NONE,
    max_item: None,
    advised_item: None,
    max_cell: None,
    max_transaction_items: None,
    after_read_filter: None,
    sequence: UUID.fact(Sequence::Unique),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    shards_change: ShardsChange::Automatic,
    shard_word: "range",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    SPLIT_AT.limit("size of a range", 512.0 * MIB, "512 MiB (default)"),
    HASH_INDEX.limit("buckets of a hash-sharded index", 16.0, "16 (default)"),
    LOAD_SPLIT.limit("queries a second of a range before it splits", 2500.0, "2,500 (default)"),
    LOAD_SPLIT.medium().limit(
        "CPU milliseconds a second of a range before it splits",
        500.0,
        "500 ms (newer versions)",
    ),
];
