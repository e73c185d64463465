//! Logical shards: many schemas of the same tables spread over several PostgreSQL
//! (or other relational) databases, with the routing in the application.

use crate::model::Strategy;
use crate::target::postgres::PARTITIONING;
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, PartitionRules,
    Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const NOTION: Source = Source::page(
    "Notion: Herding elephants, lessons learned from sharding Postgres",
    "https://www.notion.so/blog/sharding-postgres-at-notion",
);
const FEATURES: Source = Source::page(
    "PostgreSQL feature matrix: partitioning entries",
    "https://www.postgresql.org/about/featurematrix/",
);

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "logical_shards",
    name: "PostgreSQL (logical shards in several databases)",
    aliases: &[],
    strategies: &[Strategy::Hash, Strategy::Range, Strategy::List, Strategy::Lookup],
    default_strategy: Strategy::Hash,
    default_shards: DefaultShards::Words(
        NOTION.fact("chosen once, with many divisors and far above the number of databases"),
    ),
    colocation: Colocation::EqualKeys,
    key: KeyRules {
        // The application's own function makes the shard of any number of columns.
        max_columns: None,
        joined: None,
        refused_types: &[],
        types_source: None,
        // The database takes the new value; moving the row to its shard is the application's work.
        value_change: Source::GENERAL.fact(ValueChange::Unknown),
        nullable: None,
        hierarchical: None,
        leads_primary_key: false,
        salt: false,
        bucket: false,
    },
    // Logical replication of small tables to every database.
    replicated: Some(Source::GENERAL.fact(true)),
    unsharded: true,
    // Inside a shard only: a set that contains the key is unique everywhere.
    unique: PARTITIONING.fact(Uniqueness::WithKey),
    foreign_keys: FEATURES.fact(ForeignKeySupport::Colocated),
    joins: NOTION.medium().fact(JoinSupport::ColocatedOnly),
    // One database; PREPARE TRANSACTION is off by default and the application's to drive.
    transactions: NOTION.fact(TransactionSupport::SingleShard),
    index: IndexRules { source: Some(PARTITIONING), ..IndexRules::LOCAL_ONLY },
    partition: PartitionRules::NONE,
    max_item: None,
    advised_item: None,
    max_cell: None,
    max_transaction_items: None,
    after_read_filter: None,
    sequence: Source::GENERAL.fact(Sequence::PerShard),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    // Whole logical shards move; another modulus moves rows of every shard.
    shards_change: ShardsChange::Never(PARTITIONING),
    shard_word: "logical shard",
    limits: &[],
    on_several_nodes: None,
};
