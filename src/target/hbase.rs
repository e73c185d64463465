//! Apache HBase: regions of an ordered row key, one byte string made of all key
//! columns; one row is atomic and nothing else.

use crate::model::Strategy;
use crate::target::limit::{GB, GIB, MB, MIB};
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const SCHEMA: Source = Source::page(
    "Apache HBase reference guide: HBase and schema design",
    "https://hbase.apache.org/book.html#schema",
);
const DEFAULTS: Source = Source::page(
    "Apache HBase reference guide: default configuration",
    "https://hbase.apache.org/book.html#hbase_default_configurations",
);
const CONSTANTS: Source = Source::page(
    "Apache HBase source: HConstants.MAX_ROW_LENGTH; HBASE-11985",
    "https://issues.apache.org/jira/browse/HBASE-11985",
);

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "hbase",
    name: "Apache HBase",
    aliases: &["apache_hbase"],
    // Hash: a hashed prefix that the application puts in front.
    strategies: &[Strategy::Range, Strategy::Hash],
    default_strategy: Strategy::Range,
    default_shards: DefaultShards::Words(SCHEMA.medium().fact("1 region unless pre-split")),
    colocation: Colocation::PerTable,
    key: KeyRules {
        max_columns: None,
        joined: Some(SCHEMA),
        refused_types: &[],
        types_source: None,
        value_change: SCHEMA.fact(ValueChange::Refused),
        nullable: None,
        hierarchical: None,
        leads_primary_key: true,
        salt: true,
        bucket: true,
    },
    replicated: Some(Source::GENERAL.fact(false)),
    unsharded: false,
    unique: SCHEMA.fact(Uniqueness::PrimaryKeyOnly),
    foreign_keys: SCHEMA.fact(ForeignKeySupport::None),
    joins: SCHEMA.fact(JoinSupport::None),
    transactions: SCHEMA.fact(TransactionSupport::SingleItem),
    // An index is a second table that the application keeps.
    index: IndexRules {
        local: false,
        strategy: Strategy::Range,
        source: Some(SCHEMA),
        ..IndexRules::LOCAL_ONLY
    },
    partition: PartitionRules::NONE,
    max_item: None,
    advised_item: None,
    max_cell: Some(DEFAULTS.limit("size of a cell", 10.0 * MIB, "10 MiB (hbase.client.keyvalue.maxsize)")),
    max_transaction_items: None,
    after_read_filter: None,
    sequence: Source::GENERAL.fact(Sequence::None),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    shards_change: ShardsChange::Automatic,
    shard_word: "region",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    CONSTANTS.limit("size of a row key", 32_767.0, "32,767 bytes"),
    SCHEMA.limit("size of a cell (advice)", 10.0 * MB, "10 MB, or 50 MB with MOB"),
    SCHEMA.limit("column families of a table (advice)", 3.0, "1 to 3"),
    DEFAULTS.limit("size of a region before it splits", 10.0 * GIB, "10 GiB (hbase.hregion.max.filesize)"),
    SCHEMA.limit("size of a region (advice)", 50.0 * GB, "10 to 50 GB"),
    SCHEMA.limit("regions of a table with one or two column families (advice)", 100.0, "50 to 100"),
    DEFAULTS.limit("size of a memstore before it is flushed", 128.0 * MIB, "128 MiB"),
    DEFAULTS.limit("seconds between two runs of the balancer", 300.0, "300 seconds"),
];
