//! YugabyteDB: tablets of a hashed (default) or ordered primary key that split by
//! size; global indexes with tablets of their own commit with their row.

use crate::model::Strategy;
use crate::target::limit::{GB, MB};
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const SHARDING: Source = Source::page(
    "YugabyteDB: Sharding",
    "https://docs.yugabyte.com/preview/architecture/docdb-sharding/sharding/",
);
const SPLITTING: Source = Source::page(
    "YugabyteDB: Tablet splitting",
    "https://docs.yugabyte.com/preview/architecture/docdb-sharding/tablet-splitting/",
);
const COLOCATED: Source = Source::page(
    "YugabyteDB: Colocated tables",
    "https://docs.yugabyte.com/preview/architecture/docdb-sharding/colocated-tables/",
);
const INDEXES: Source = Source::page(
    "YugabyteDB: Secondary indexes (YSQL)",
    "https://docs.yugabyte.com/preview/explore/ysql-language-features/indexes-constraints/secondary-indexes-ysql/",
);
const UPDATE: Source = Source::page(
    "YugabyteDB 2.31.0.0-b168: documentation of UPDATE on primary-key columns",
    "https://github.com/yugabyte/yugabyte-db/releases/tag/2.31.0.0-b168",
)
.copy_of("2026-06")
.medium();

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "yugabytedb",
    name: "YugabyteDB",
    aliases: &["yugabyte"],
    strategies: &[Strategy::Hash, Strategy::Range, Strategy::Geo],
    default_strategy: Strategy::Hash,
    default_shards: DefaultShards::Words(SHARDING.fact("automatic tablets, or SPLIT INTO")),
    colocation: Colocation::PerTable,
    key: KeyRules {
        max_columns: None,
        joined: None,
        refused_types: &[],
        types_source: None,
        value_change: UPDATE.fact(ValueChange::Moves),
        nullable: Some(Source::GENERAL.fact(false)),
        hierarchical: None,
        leads_primary_key: true,
        salt: true,
        bucket: false,
    },
    replicated: Some(Source::GENERAL.low().fact(false)),
    // A colocated table lives in one tablet, with its indexes.
    unsharded: true,
    unique: INDEXES.medium().fact(Uniqueness::Anywhere),
    foreign_keys: Source::GENERAL.fact(ForeignKeySupport::Everywhere),
    joins: Source::GENERAL.fact(JoinSupport::Everywhere),
    transactions: Source::GENERAL.fact(TransactionSupport::Atomic),
    index: IndexRules {
        global: Some("secondary index"),
        unique: true,
        made_for_unique: Some(INDEXES.medium()),
        local: false,
        source: Some(INDEXES),
        ..IndexRules::LOCAL_ONLY
    },
    partition: PartitionRules::NONE,
    max_item: None,
    advised_item: None,
    max_cell: None,
    max_transaction_items: None,
    after_read_filter: None,
    sequence: Source::GENERAL.fact(Sequence::Unique),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    shards_change: ShardsChange::Automatic,
    shard_word: "tablet",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    SHARDING.limit("hash values, and so tablets, of a table", 65_536.0, "65,536"),
    SPLITTING.medium().limit("tablets of a table", 256.0, "256 (default)"),
    SPLITTING.medium().limit("size of a tablet before it splits, first phase", 512.0 * MB, "512 MB"),
    SPLITTING.limit("size of a tablet before it splits, second phase", 10.0 * GB, "10 GB"),
    SPLITTING.limit("size of a tablet before it splits, last phase", 100.0 * GB, "100 GB"),
    COLOCATED.limit("size of a colocated database (advice)", 500.0 * GB, "500 GB"),
];
