//! Google Cloud Spanner: ranges of the primary key that split by size and load,
//! children interleaved in their parents, global indexes in the same commit.

use crate::model::{Strategy, TypeFamily};
use crate::target::limit::{KIB, MIB};
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const SCHEMA: Source = Source::page(
    "Spanner: Schemas overview (schema and data model)",
    "https://docs.cloud.google.com/spanner/docs/schema-and-data-model",
);
const DESIGN: Source = Source::page(
    "Spanner: Schema design best practices",
    "https://docs.cloud.google.com/spanner/docs/schema-design",
);
const QUOTAS: Source =
    Source::page("Spanner: Quotas and limits", "https://docs.cloud.google.com/spanner/quotas");
const INDEXES: Source = Source::page(
    "Spanner: Secondary indexes",
    "https://docs.cloud.google.com/spanner/docs/secondary-indexes",
);
const DML: Source = Source::page(
    "Spanner: Data manipulation language (UPDATE)",
    "https://docs.cloud.google.com/spanner/docs/reference/standard-sql/dml-syntax",
);

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "spanner",
    name: "Google Cloud Spanner",
    aliases: &["cloud_spanner"],
    // Hash: a hashed or bit-reversed column that the schema puts first.
    strategies: &[Strategy::Range, Strategy::Hash, Strategy::Geo],
    default_strategy: Strategy::Range,
    default_shards: DefaultShards::Words(SCHEMA.fact("automatic splits")),
    colocation: Colocation::Interleaved,
    key: KeyRules {
        max_columns: Some(QUOTAS.fact(16)),
        joined: None,
        refused_types: &[TypeFamily::Document],
        types_source: Some(SCHEMA.medium()),
        value_change: DML.fact(ValueChange::Refused),
        nullable: Some(SCHEMA.medium().fact(true)),
        hierarchical: None,
        leads_primary_key: true,
        salt: true,
        bucket: false,
    },
    replicated: Some(Source::GENERAL.fact(false)),
    unsharded: false,
    unique: INDEXES.fact(Uniqueness::Anywhere),
    foreign_keys: SCHEMA.fact(ForeignKeySupport::Everywhere),
    joins: SCHEMA.fact(JoinSupport::Everywhere),
    transactions: Source::GENERAL.fact(TransactionSupport::Atomic),
    index: IndexRules {
        global: Some("secondary index"),
        unique: true,
        made_for_unique: Some(INDEXES),
        max_global: Some(QUOTAS.limit("indexes of a table", 128.0, "128")),
        strategy: Strategy::Range,
        source: Some(INDEXES),
        ..IndexRules::LOCAL_ONLY
    },
    partition: PartitionRules::NONE,
    max_item: Some(QUOTAS.medium().limit("size of a row without its key", 1600.0 * MIB, "1,600 MiB")),
    advised_item: None,
    max_cell: Some(QUOTAS.limit("size of a cell", 10.0 * MIB, "10 MiB")),
    max_transaction_items: Some(QUOTAS.limit("mutations in one commit", 80_000.0, "80,000")),
    after_read_filter: None,
    // Bit-reversed sequences and identity columns.
    sequence: DESIGN.fact(Sequence::Unique),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    shards_change: ShardsChange::Automatic,
    shard_word: "split",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    QUOTAS.limit("size of a key", 8.0 * KIB, "8 KiB"),
    QUOTAS.limit("key columns of an index", 16.0, "16"),
    QUOTAS.limit("columns of a table", 1024.0, "1,024"),
    QUOTAS.limit("tables of a database", 5000.0, "5,000"),
    QUOTAS.limit("indexes of a database", 10_000.0, "10,000"),
    QUOTAS.limit("characters of a string", 2_621_440.0, "2,621,440"),
    QUOTAS.limit("size of one commit", 100.0 * MIB, "100 MiB"),
    QUOTAS.limit("storage of a node", 10.0 * 1024.0 * 1024.0 * MIB, "10 TiB"),
    QUOTAS.limit("values of an IN list", 10_000.0, "10,000"),
    QUOTAS.limit("parameters of a query", 950.0, "950"),
    QUOTAS.limit("joins of a query", 20.0, "20"),
    SCHEMA.limit("levels of interleaved tables", 7.0, "7"),
    QUOTAS.medium().limit("split points in one request", 100.0, "100"),
];
