//! TiDB: Regions of the clustered primary key that split and move; secondary indexes
//! are key ranges of their own and commit with their row.

use crate::model::Strategy;
use crate::target::limit::MIB;
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const AUTO_RANDOM: Source =
    Source::page("TiDB: AUTO_RANDOM", "https://docs.pingcap.com/tidb/stable/auto-random");
const GLOBAL_INDEX: Source =
    Source::page("TiDB: Global indexes", "https://docs.pingcap.com/tidb/stable/global-indexes");
const PARTITIONED: Source =
    Source::page("TiDB: Partitioning", "https://docs.pingcap.com/tidb/stable/partitioned-table");
const LIMITATIONS: Source =
    Source::page("TiDB limitations", "https://docs.pingcap.com/tidb/stable/tidb-limitations");
const HOT_SPOTS: Source = Source::page(
    "TiDB: Best practices for high-concurrency writes",
    "https://docs.pingcap.com/tidb/stable/high-concurrency-best-practices",
);
const REGION: Source = Source::page(
    "TiDB: Tune Region performance",
    "https://docs.pingcap.com/tidb/stable/tune-region-performance",
);
const LOAD_SPLIT: Source =
    Source::page("TiDB: Load base split", "https://docs.pingcap.com/tidb/stable/configure-load-base-split");
const FOREIGN_KEYS: Source =
    Source::page("TiDB: FOREIGN KEY constraints", "https://docs.pingcap.com/tidb/stable/foreign-key");

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "tidb",
    name: "TiDB",
    aliases: &[],
    strategies: &[Strategy::Range, Strategy::Hash, Strategy::List],
    default_strategy: Strategy::Range,
    default_shards: DefaultShards::Words(REGION.fact("automatic Regions")),
    colocation: Colocation::PerTable,
    key: KeyRules {
        max_columns: None,
        joined: None,
        refused_types: &[],
        types_source: None,
        value_change: Source::GENERAL.low().fact(ValueChange::Moves),
        nullable: Some(Source::GENERAL.fact(false)),
        hierarchical: None,
        leads_primary_key: true,
        salt: true,
        bucket: false,
    },
    // Cached tables exist for small ones.
    replicated: Some(Source::GENERAL.low().fact(false)),
    unsharded: false,
    unique: GLOBAL_INDEX.fact(Uniqueness::Anywhere),
    // Enforced since 6.6 and generally available since 8.5; not on partitioned tables.
    foreign_keys: FOREIGN_KEYS.fact(ForeignKeySupport::Everywhere),
    joins: Source::GENERAL.fact(JoinSupport::Everywhere),
    transactions: Source::GENERAL.fact(TransactionSupport::Atomic),
    index: IndexRules {
        global: Some("secondary index (GLOBAL on a partitioned table)"),
        unique: true,
        made_for_unique: Some(GLOBAL_INDEX),
        max_global: Some(LIMITATIONS.limit("indexes of a table", 64.0, "64 (default, up to 512)")),
        max_local: Some(LIMITATIONS.limit("indexes of a table", 64.0, "64 (default, up to 512)")),
        strategy: Strategy::Range,
        source: Some(GLOBAL_INDEX),
        ..IndexRules::LOCAL_ONLY
    },
    partition: PartitionRules::NONE,
    max_item: Some(LIMITATIONS.limit("size of a row", 6.0 * MIB, "6 MiB (default, up to 120 MiB)")),
    advised_item: None,
    max_cell: None,
    max_transaction_items: None,
    after_read_filter: None,
    sequence: HOT_SPOTS.fact(Sequence::Unique),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    shards_change: ShardsChange::Automatic,
    shard_word: "Region",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    REGION.limit("size of a Region", 256.0 * MIB, "256 MiB (8.4.0 and later; 96 MiB before)"),
    PARTITIONED.limit("partitions of a table", 8192.0, "8192"),
    LIMITATIONS.limit("columns of a table", 1017.0, "1017 (default, up to 4096)"),
    AUTO_RANDOM.limit("shard bits of AUTO_RANDOM", 15.0, "1 to 15 (5 by default)"),
    LOAD_SPLIT.medium().limit("queries a second of a Region before it splits", 3000.0, "3000 (default)"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_ends_at_6_mebibytes_by_default() {
        // docs.pingcap.com/tidb/stable/tidb-limitations, limitations on a single row: 6 MiB by default.
        assert_eq!(ENGINE.max_item.map(|it| it.max), Some(6_291_456.0));
    }

    #[test]
    fn a_partitioned_table_can_have_a_unique_index_without_its_partition_columns() {
        // docs.pingcap.com/tidb/stable/global-indexes: generally available since 8.4.0.
        assert_eq!(ENGINE.unique.value, Uniqueness::Anywhere);
        assert!(ENGINE.index.unique && ENGINE.index.synchronous);
    }

    #[test]
    fn rows_lie_in_ranges_of_the_key() {
        // docs.pingcap.com/tidb/stable/high-concurrency-best-practices: a growing key writes to one Region.
        assert_eq!(ENGINE.default_strategy, Strategy::Range);
        assert_eq!(ENGINE.index.strategy, Strategy::Range);
        assert!(ENGINE.key.salt);
    }

    #[test]
    fn a_table_has_at_most_8192_partitions() {
        // docs.pingcap.com/tidb/stable/partitioned-table.
        let partitions = LIMITS.iter().find(|it| it.name == "partitions of a table");
        assert_eq!(partitions.map(|it| it.max), Some(8192.0));
    }
}
