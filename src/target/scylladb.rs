//! ScyllaDB: Cassandra's language and model on tablets of about 5 GiB, each table
//! with its own; partitions may be ten times as large before it warns.

use crate::model::Strategy;
use crate::target::cassandra::{DDL, MODELING, TOMBSTONES};
use crate::target::limit::{GIB, KIB, MB};
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const LIMITS_PAGE: Source =
    Source::page("ScyllaDB: Limits", "https://docs.scylladb.com/manual/stable/reference/limits.html")
        .copy_of("2026-08");
const TABLETS: Source = Source::page(
    "ScyllaDB: Data distribution with tablets",
    "https://docs.scylladb.com/manual/stable/architecture/tablets.html",
)
.copy_of("2026-08");
const SECONDARY: Source = Source::page(
    "ScyllaDB: Global secondary indexes",
    "https://docs.scylladb.com/manual/stable/features/secondary-indexes.html",
)
.copy_of("2026-08");
const BATCH: Source =
    Source::page("ScyllaDB: BATCH", "https://docs.scylladb.com/manual/stable/cql/dml/batch.html")
        .copy_of("2026-08");
const SETTINGS: Source = Source::page(
    "scylla.yaml and db/config.cc",
    "https://github.com/scylladb/scylladb/blob/master/conf/scylla.yaml",
)
.copy_of("2026-08");

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "scylladb",
    name: "ScyllaDB",
    aliases: &["scylla"],
    strategies: &[Strategy::Hash],
    default_strategy: Strategy::Hash,
    default_shards: DefaultShards::Words(
        TABLETS.medium().fact("table size / 5 GiB, at least 10 for each CPU shard"),
    ),
    // Tablets belong to one table; only its views, local indexes and change log share them.
    colocation: Colocation::PerTable,
    key: KeyRules {
        max_columns: None,
        joined: None,
        refused_types: &[],
        types_source: None,
        value_change: DDL.medium().fact(ValueChange::Refused),
        nullable: Some(DDL.medium().fact(false)),
        hierarchical: None,
        leads_primary_key: true,
        salt: true,
        bucket: true,
    },
    replicated: Some(Source::GENERAL.fact(false)),
    unsharded: false,
    unique: DDL.medium().fact(Uniqueness::PrimaryKeyOnly),
    foreign_keys: MODELING.medium().fact(ForeignKeySupport::None),
    joins: MODELING.medium().fact(JoinSupport::None),
    transactions: BATCH.fact(TransactionSupport::SinglePartition),
    index: IndexRules {
        global: Some("global secondary index"),
        synchronous: false,
        source: Some(SECONDARY),
        ..IndexRules::LOCAL_ONLY
    },
    partition: PartitionRules {
        advised_bytes: Some(SETTINGS.limit("size of a partition", 1000.0 * MB, "1000 MB")),
        advised_rows: Some(SETTINGS.limit("rows in a partition", 100_000.0, "100,000 rows")),
        hard_bytes: Some(SETTINGS.medium().limit("size of a partition", 2000.0 * MB, "2000 MB")),
        hard_rows: Some(SETTINGS.medium().limit("rows in a partition", 200_000.0, "200,000 rows")),
        tombstones: Some(TOMBSTONES),
        ..PartitionRules::NONE
    },
    max_item: Some(SETTINGS.medium().limit("size of a row", 20.0 * MB, "20 MB")),
    advised_item: Some(SETTINGS.limit("size of a row", 10.0 * MB, "10 MB")),
    max_cell: Some(SETTINGS.medium().limit("size of a cell", 2.0 * MB, "2 MB")),
    max_transaction_items: None,
    after_read_filter: Some(SECONDARY.fact("ALLOW FILTERING")),
    sequence: DDL.medium().fact(Sequence::None),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    shards_change: ShardsChange::Automatic,
    shard_word: "tablet",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    LIMITS_PAGE.limit("size of a partition key", 65_533.0, "65533"),
    LIMITS_PAGE.limit("statements in a batch", 65_535.0, "65535 (2^16-1)"),
    LIMITS_PAGE.limit("tables in a keyspace (tested)", 5000.0, "tested with 5000"),
    TABLETS.limit("size that a tablet is kept near", 5.0 * GIB, "5 GiB"),
    TABLETS.medium().limit("tablets of a CPU shard (goal)", 100.0, "100"),
    SETTINGS.limit("size of a cell before a warning", MB, "1 MB"),
    SETTINGS.limit("size of a batch before a warning", 128.0 * KIB, "128 KiB"),
    SETTINGS.limit("size of a batch", 1024.0 * KIB, "1024 KiB"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_of_more_than_a_gigabyte_or_a_hundred_thousand_rows_is_warned_of() {
        // db/config.cc: compaction_large_partition_warning_threshold_mb 1000, compaction_rows_count_warning_threshold
        // 100000; and twice as much is where the limits of the 2026 tree fail.
        let partition = &ENGINE.partition;
        assert_eq!(partition.advised_bytes.map(|it| it.max), Some(1_000_000_000.0));
        assert_eq!(partition.advised_rows.map(|it| it.max), Some(100_000.0));
        assert_eq!(partition.hard_bytes.map(|it| it.max), Some(2_000_000_000.0));
        assert_eq!(partition.hard_rows.map(|it| it.max), Some(200_000.0));
    }

    #[test]
    fn a_secondary_index_is_global_and_follows_later() {
        // docs.scylladb.com, Global secondary indexes: an index is a hidden materialized view, updated asynchronously.
        assert_eq!(ENGINE.index.global, Some("global secondary index"));
        assert!(!ENGINE.index.synchronous);
        assert!(!ENGINE.index.unique);
    }

    #[test]
    fn equal_keys_of_two_tables_are_not_together() {
        // docs.scylladb.com, Data distribution with tablets: each table has tablets of its own.
        assert_eq!(ENGINE.colocation, Colocation::PerTable);
        assert_eq!(ENGINE.shard_word, "tablet");
    }

    #[test]
    fn the_longest_key_is_two_bytes_short_of_cassandras() {
        // docs.scylladb.com, Limits: key length 65533.
        let key = LIMITS.iter().find(|it| it.name == "size of a partition key");
        assert_eq!(key.map(|it| it.max), Some(65_533.0));
    }
}
