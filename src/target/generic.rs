//! A database without a maker: hash and range keys, any join, atomic commit
//! across shards, synchronous global indexes; enforces no uniqueness or
//! reference across shards and so objects to none.

use crate::model::Strategy;
use crate::target::{
    Colocation, DefaultShards, Engine, Fact, ForeignKeySupport, IndexRules, JoinSupport, KeyRules,
    PartitionRules, Sequence, ShardsChange, Source, Sure, TransactionSupport, Uniqueness, ValueChange,
};

/// The definition stands in this project's own documents.
const OWN: Source =
    Source { title: "docs/model.md", url: "docs/model.md", read_on: "2026-12-01", sure: Sure::High };

const fn own<T: Copy>(value: T) -> Fact<T> {
    Fact { value, source: OWN }
}

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "generic",
    name: "a sharded database",
    aliases: &[],
    strategies: &[Strategy::Hash, Strategy::Range, Strategy::List, Strategy::Lookup, Strategy::Geo],
    default_strategy: Strategy::Hash,
    default_shards: DefaultShards::Number(own(16)),
    colocation: Colocation::EqualKeys,
    key: KeyRules {
        max_columns: None,
        joined: None,
        refused_types: &[],
        types_source: None,
        value_change: own(ValueChange::Moves),
        nullable: Some(own(true)),
        hierarchical: None,
        leads_primary_key: false,
        salt: true,
        bucket: true,
    },
    replicated: Some(own(true)),
    unsharded: true,
    unique: own(Uniqueness::NotEnforced),
    foreign_keys: own(ForeignKeySupport::None),
    joins: own(JoinSupport::Everywhere),
    transactions: own(TransactionSupport::Atomic),
    index: IndexRules { global: Some("global index"), unique: true, ..IndexRules::LOCAL_ONLY },
    partition: PartitionRules::NONE,
    max_item: None,
    advised_item: None,
    max_cell: None,
    max_transaction_items: None,
    after_read_filter: None,
    // Nobody keeps the counters of a database without a maker apart.
    sequence: own(Sequence::PerShard),
    clustered: own(false),
    hash_slots: None,
    shards_change: ShardsChange::Automatic,
    shard_word: "shard",
    limits: &[],
    on_several_nodes: None,
};
