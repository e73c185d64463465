//! Redis Cluster: 16,384 hash slots spread over masters; keys of one command must
//! share a slot, which a hash tag in braces gives them.

use crate::model::Strategy;
use crate::target::limit::{KIB, MIB};
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const SPECIFICATION: Source = Source::page(
    "Redis cluster specification",
    "https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/",
)
.copy_of("2026-08");
const MULTI_KEY: Source = Source::page(
    "Redis: Multi-key operations",
    "https://redis.io/docs/latest/develop/using-commands/multi-key-operations/",
)
.copy_of("2026-08");
const KEYSPACE: Source =
    Source::page("Redis: Keys and values", "https://redis.io/docs/latest/develop/using-commands/keyspace/")
        .copy_of("2026-08");
const TYPES: Source = Source::page(
    "Redis: Data types (strings, hashes, lists, sets)",
    "https://redis.io/docs/latest/develop/data-types/",
)
.copy_of("2026-08");
const SCALING: Source = Source::page(
    "Redis: Scale with Redis Cluster",
    "https://redis.io/docs/latest/operate/oss_and_stack/management/scaling/",
)
.copy_of("2026-08");
const PROTOCOL: Source = Source::page(
    "Redis serialization protocol specification (bulk string limit)",
    "https://redis.io/docs/latest/develop/reference/protocol-spec/",
)
.copy_of("2026-08");
// An operator of managed Redis; Redis itself names no size.
const VALUE_SIZE: Source = Source::page(
    "Azure Cache for Redis: Best practices, server load (value sizes)",
    "https://learn.microsoft.com/azure/azure-cache-for-redis/cache-best-practices-server-load",
)
.medium();

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "redis_cluster",
    name: "Redis Cluster",
    aliases: &["redis"],
    strategies: &[Strategy::Hash],
    default_strategy: Strategy::Hash,
    // Masters are the shards; slots are the placement below them.
    default_shards: DefaultShards::PerNode(SCALING.fact(1)),
    // Families whose hash tag has the same text; without a tag the whole key is hashed.
    colocation: Colocation::EqualKeys,
    key: KeyRules {
        max_columns: None,
        joined: Some(KEYSPACE),
        refused_types: &[],
        types_source: None,
        // RENAME works inside one slot only.
        value_change: MULTI_KEY.medium().fact(ValueChange::Refused),
        nullable: None,
        hierarchical: None,
        leads_primary_key: true,
        salt: false,
        bucket: false,
    },
    replicated: Some(Source::GENERAL.fact(false)),
    unsharded: false,
    unique: Source::GENERAL.fact(Uniqueness::PrimaryKeyOnly),
    foreign_keys: Source::GENERAL.fact(ForeignKeySupport::None),
    joins: Source::GENERAL.fact(JoinSupport::None),
    transactions: MULTI_KEY.fact(TransactionSupport::SinglePartition),
    // Index keys are made by hand.
    index: IndexRules { local: false, source: Some(Source::GENERAL), ..IndexRules::LOCAL_ONLY },
    partition: PartitionRules::NONE,
    max_item: Some(TYPES.limit("size of a string", 512.0 * MIB, "512 MB (proto-max-bulk-len)")),
    advised_item: Some(VALUE_SIZE.limit("size of a value", 100_000.0, "100 kB")),
    max_cell: None,
    max_transaction_items: None,
    after_read_filter: None,
    // INCR on one key, which lives in one slot.
    sequence: Source::GENERAL.fact(Sequence::Unique),
    clustered: Source::GENERAL.fact(false),
    hash_slots: Some(SPECIFICATION.fact(16_384)),
    shards_change: ShardsChange::Procedure(SCALING),
    shard_word: "master",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    SPECIFICATION.limit("hash slots", 16_384.0, "16384"),
    SPECIFICATION.limit("nodes of a cluster (advice)", 1000.0, "1000"),
    SPECIFICATION.limit("databases", 1.0, "1"),
    KEYSPACE.limit("size of a key", 512.0 * MIB, "512 MB"),
    KEYSPACE.limit("size of a key (advice)", KIB, "1024 bytes"),
    TYPES.limit("elements of a hash, list or set", 4_294_967_295.0, "4,294,967,295 (2^32 - 1)"),
    PROTOCOL.limit("size of one bulk string", 512.0 * MIB, "512 MB (default)"),
];
