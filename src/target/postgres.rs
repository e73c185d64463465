//! PostgreSQL declarative partitioning: hash, range or list partitions inside one
//! database. On several nodes it is what `logical_shards` describes.

use crate::model::Strategy;
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
    logical_shards,
};

pub(super) const PARTITIONING: Source = Source::page(
    "PostgreSQL: Table partitioning (5.12)",
    "https://www.postgresql.org/docs/current/ddl-partitioning.html",
);
const NOTES_11: Source =
    Source::page("PostgreSQL 11 release notes", "https://www.postgresql.org/docs/11/release-11.html");
const FEATURES: Source = Source::page(
    "PostgreSQL feature matrix: partitioning entries",
    "https://www.postgresql.org/about/featurematrix/",
);

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "postgres_partitioning",
    name: "PostgreSQL (partitions of one database)",
    aliases: &["postgres", "postgresql"],
    strategies: &[Strategy::Hash, Strategy::Range, Strategy::List],
    default_strategy: Strategy::Hash,
    default_shards: DefaultShards::Words(PARTITIONING.fact("none: the DDL says how many")),
    colocation: Colocation::EqualKeys,
    key: KeyRules {
        max_columns: Some(Source::GENERAL.fact(32)),
        joined: None,
        refused_types: &[],
        types_source: None,
        value_change: NOTES_11.fact(ValueChange::Moves),
        nullable: Some(PARTITIONING.medium().fact(true)),
        hierarchical: None,
        leads_primary_key: false,
        salt: false,
        bucket: false,
    },
    replicated: Some(Source::GENERAL.fact(false)),
    unsharded: true,
    unique: PARTITIONING.fact(Uniqueness::WithKey),
    // From partitioned tables since 11, to them since 12.
    foreign_keys: FEATURES.fact(ForeignKeySupport::Everywhere),
    joins: PARTITIONING.fact(JoinSupport::Everywhere),
    transactions: Source::GENERAL.fact(TransactionSupport::Atomic),
    index: IndexRules { source: Some(PARTITIONING), ..IndexRules::LOCAL_ONLY },
    partition: PartitionRules::NONE,
    max_item: None,
    advised_item: None,
    max_cell: None,
    max_transaction_items: None,
    after_read_filter: None,
    sequence: Source::GENERAL.fact(Sequence::Unique),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    // A hash partition can be replaced by several with a multiple of its modulus; their rows move.
    shards_change: ShardsChange::Procedure(PARTITIONING),
    shard_word: "partition",
    limits: LIMITS,
    on_several_nodes: Some(&logical_shards::ENGINE),
};

const LIMITS: &[Limit] = &[
    PARTITIONING.limit("columns of a list partition key", 1.0, "1"),
    PARTITIONING.medium().limit("partitions of one table (advice)", 4000.0, "up to a few thousand"),
];
