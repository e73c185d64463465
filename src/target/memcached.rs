//! Memcached: a cache whose client library finds the server of a key on a ring of
//! points (ketama), or by the hash modulo the number of servers.

use crate::model::Strategy;
use crate::target::limit::{MB, MIB};
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const PROTOCOL: Source =
    Source::page("Memcached protocol", "https://github.com/memcached/memcached/blob/master/doc/protocol.txt");
const MANUAL: Source =
    Source::page("memcached(1)", "https://github.com/memcached/memcached/blob/master/doc/memcached.1");
const ITEM_SIZE: Source = Source::page(
    "memcached discussion 1066: item size limits (maintainer)",
    "https://github.com/memcached/memcached/discussions/1066",
);
const MEMORYSTORE: Source = Source::page(
    "Memorystore for Memcached: configuration parameters",
    "https://cloud.google.com/memorystore/docs/memcached/memcached-configs",
);
const KETAMA: Source = Source::page("libketama README and ports", "https://github.com/RJ/ketama");

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "memcached_ketama",
    name: "Memcached with client-side consistent hashing (ketama)",
    aliases: &["memcached"],
    strategies: &[Strategy::Hash],
    default_strategy: Strategy::Hash,
    default_shards: DefaultShards::PerNode(KETAMA.fact(1)),
    // The whole text of a key is hashed, so two families of one user have two servers.
    colocation: Colocation::PerTable,
    key: KeyRules {
        max_columns: None,
        joined: Some(PROTOCOL),
        refused_types: &[],
        types_source: None,
        // A key cannot be renamed.
        value_change: Source::GENERAL.fact(ValueChange::Refused),
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
    transactions: PROTOCOL.fact(TransactionSupport::SingleItem),
    index: IndexRules { local: false, ..IndexRules::LOCAL_ONLY },
    partition: PartitionRules::NONE,
    max_item: Some(ITEM_SIZE.limit("size of an item", MIB, "1 MB (default; option -I, 1k to 1g)")),
    advised_item: None,
    max_cell: None,
    max_transaction_items: None,
    after_read_filter: None,
    // `incr` on one key, lost at eviction or restart.
    sequence: Source::GENERAL.fact(Sequence::None),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    shards_change: ShardsChange::Procedure(KETAMA),
    shard_word: "server",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    PROTOCOL.limit("size of a key", 250.0, "250 bytes"),
    PROTOCOL.limit("seconds of a relative expiry", 2_592_000.0, "30 days"),
    KETAMA.medium().limit("points of a server on the ring", 160.0, "160 (100 to 200)"),
    MANUAL.limit("memory of a server", 64.0 * MB, "64 MB (default)"),
    MANUAL.limit("connections of a server", 1024.0, "1024 (default)"),
    MANUAL.limit("threads of a server", 4.0, "4 (default)"),
    MEMORYSTORE.limit("size of an item in the managed service", MIB, "1048576 bytes (default)"),
];
