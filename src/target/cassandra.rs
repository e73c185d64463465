//! Apache Cassandra: a ring of tokens; one partition key value stays whole on its
//! replicas, is read in order, and should stay under 100 MB and 100,000 values.

use crate::model::Strategy;
use crate::target::limit::{GB, KIB, MB, MIB};
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

/// ScyllaDB speaks the same language and is partly judged by the same pages.
pub(super) const MODELING: Source = Source::page(
    "Apache Cassandra: Data modeling, introduction",
    "https://cassandra.apache.org/doc/latest/cassandra/developing/data-modeling/intro.html",
);
pub(super) const DDL: Source = Source::page(
    "Apache Cassandra: CQL data definition",
    "https://cassandra.apache.org/doc/latest/cassandra/developing/cql/ddl.html",
);
/// The page says that markers of deleted rows are kept for ten days; that a read passes over them follows.
pub(super) const TOMBSTONES: Source = Source::page(
    "Apache Cassandra: Tombstones",
    "https://cassandra.apache.org/doc/latest/cassandra/managing/operating/compaction/tombstones.html",
)
.medium();
const REFINING: Source = Source::page(
    "Apache Cassandra: Evaluating and refining data models",
    "https://cassandra.apache.org/doc/latest/cassandra/developing/data-modeling/data-modeling_refining.html",
);
const DYNAMO: Source = Source::page(
    "Apache Cassandra: Dynamo (consistent hashing, tokens, vnodes)",
    "https://cassandra.apache.org/doc/latest/cassandra/architecture/dynamo.html",
);
const VIEWS: Source = Source::page(
    "Apache Cassandra: Materialized views",
    "https://cassandra.apache.org/doc/latest/cassandra/developing/cql/mvs.html",
);
const SAI: Source = Source::page(
    "Apache Cassandra: Storage-attached indexing, concepts and FAQ",
    "https://cassandra.apache.org/doc/latest/cassandra/developing/cql/indexing/sai/sai-faq.html",
);
const SECONDARY: Source = Source::page(
    "Apache Cassandra: When to use a secondary index (2i)",
    "https://cassandra.apache.org/doc/latest/cassandra/developing/cql/indexing/2i/2i-when-to-use.html",
);
const PRODUCTION: Source = Source::page(
    "Apache Cassandra: Production recommendations (tokens)",
    "https://cassandra.apache.org/doc/latest/cassandra/getting-started/production.html",
);
const CQL_LIMITS: Source = Source::page(
    "DataStax: CQL limits",
    "https://docs.datastax.com/en/cql-oss/3.3/cql/cql_reference/refLimits.html",
);
const SETTINGS: Source = Source::page(
    "cassandra.yaml of 4.1 and later",
    "https://github.com/apache/cassandra/blob/trunk/conf/cassandra.yaml",
)
.medium();

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "cassandra",
    name: "Apache Cassandra",
    aliases: &["apache_cassandra"],
    strategies: &[Strategy::Hash],
    default_strategy: Strategy::Hash,
    default_shards: DefaultShards::PerNode(PRODUCTION.fact(16)),
    // Equal keys of two tables of a keyspace have one token and so the same replicas;
    // no join makes use of it, but a statement on both touches one place.
    colocation: Colocation::EqualKeys,
    key: KeyRules {
        max_columns: None,
        joined: None,
        refused_types: &[],
        types_source: None,
        value_change: DDL.fact(ValueChange::Refused),
        nullable: Some(DDL.fact(false)),
        hierarchical: None,
        leads_primary_key: true,
        salt: true,
        bucket: true,
    },
    replicated: Some(Source::GENERAL.fact(false)),
    unsharded: false,
    unique: DDL.fact(Uniqueness::PrimaryKeyOnly),
    foreign_keys: MODELING.fact(ForeignKeySupport::None),
    joins: MODELING.fact(JoinSupport::None),
    transactions: DYNAMO.fact(TransactionSupport::SinglePartition),
    index: IndexRules {
        global: Some("materialized view"),
        synchronous: false,
        max_local: Some(SAI.medium().limit("storage-attached indexes of a table", 10.0, "10 (guardrail)")),
        source: Some(VIEWS),
        ..IndexRules::LOCAL_ONLY
    },
    partition: PartitionRules {
        advised_bytes: Some(REFINING.limit("size of a partition", 100.0 * MB, "100 MB")),
        advised_cells: Some(REFINING.limit("values in a partition", 100_000.0, "100,000 values")),
        hard_cells: Some(REFINING.limit("cells in a partition", 2e9, "2 billion cells")),
        tombstones: Some(TOMBSTONES),
        ..PartitionRules::NONE
    },
    max_item: None,
    advised_item: None,
    max_cell: Some(CQL_LIMITS.limit("size of one column value", 2.0 * GB, "2 GB")),
    max_transaction_items: None,
    after_read_filter: Some(DDL.fact("ALLOW FILTERING")),
    sequence: DDL.fact(Sequence::None),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    shards_change: ShardsChange::Procedure(DYNAMO),
    shard_word: "token range",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    CQL_LIMITS.limit("size of a partition key", 65_535.0, "65,535 bytes"),
    CQL_LIMITS.limit("size of a clustering value", 65_535.0, "65,535 bytes"),
    CQL_LIMITS.limit("size of one column value (advice)", MB, "1 MB"),
    CQL_LIMITS.limit("statements in a batch", 65_535.0, "65,535"),
    SECONDARY.limit("tombstones that a query on a secondary index passes", 100_000.0, "100,000"),
    SETTINGS.limit("size of a partition before a warning is logged", 100.0 * MIB, "100 MiB"),
    SETTINGS.limit("size of a batch before a warning", 5.0 * KIB, "5 KiB"),
    SETTINGS.limit("size of a batch", 50.0 * KIB, "50 KiB"),
    SETTINGS.limit("partitions in an unlogged batch before a warning", 10.0, "10"),
];
