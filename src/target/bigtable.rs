//! Google Cloud Bigtable: tablets of an ordered row key that split and move by size
//! and load; one row is atomic and nothing else.

use crate::model::Strategy;
use crate::target::limit::{KIB, MB, MIB};
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const SCHEMA: Source = Source::page(
    "Bigtable: Schema design best practices",
    "https://docs.cloud.google.com/bigtable/docs/schema-design",
);
const QUOTAS: Source =
    Source::page("Bigtable: Quotas and limits", "https://docs.cloud.google.com/bigtable/quotas");
const CLIENT: Source = Source::page(
    "python-bigtable: MutationsBatcher constants",
    "https://github.com/googleapis/python-bigtable",
)
.medium();

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "bigtable",
    name: "Google Cloud Bigtable",
    aliases: &["cloud_bigtable"],
    // Hashed row keys are advised against: they lose the order.
    strategies: &[Strategy::Range],
    default_strategy: Strategy::Range,
    default_shards: DefaultShards::Words(SCHEMA.fact("automatic tablets")),
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
    index: IndexRules {
        global: Some("continuous materialized view"),
        synchronous: false,
        local: false,
        strategy: Strategy::Range,
        source: Some(SCHEMA.medium()),
        ..IndexRules::LOCAL_ONLY
    },
    partition: PartitionRules::NONE,
    // The API's own reference of a row gives the limit in MiB.
    max_item: Some(QUOTAS.limit("size of a row", 256.0 * MIB, "256 MB")),
    advised_item: Some(SCHEMA.limit("size of a row", 100.0 * MB, "100 MB")),
    max_cell: Some(QUOTAS.medium().limit("size of a cell", 100.0 * MB, "100 MB")),
    max_transaction_items: None,
    after_read_filter: None,
    sequence: Source::GENERAL.fact(Sequence::None),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    shards_change: ShardsChange::Automatic,
    shard_word: "tablet",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    QUOTAS.limit("size of a row key", 4.0 * KIB, "4 KB"),
    SCHEMA.limit("size of a cell (advice)", 10.0 * MB, "10 MB"),
    QUOTAS.limit("size of a column qualifier", 16.0 * KIB, "16 KB"),
    SCHEMA.limit("column families of a table (advice)", 100.0, "100"),
    QUOTAS.limit("tables of an instance", 1000.0, "1,000"),
    CLIENT.limit("mutations in one batch", 100_000.0, "100,000"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_advised_to_stay_under_100_mb_and_ends_at_256() {
        // docs.cloud.google.com/bigtable/docs/schema-design (100 MB) and /bigtable/quotas (256 MB); the RPC reference
        // of Row: rows which exceed 256 MiB cannot be read in full.
        assert_eq!(ENGINE.advised_item.map(|it| it.max), Some(100_000_000.0));
        assert_eq!(ENGINE.max_item.map(|it| it.max), Some(268_435_456.0));
    }

    #[test]
    fn only_one_row_commits_at_once() {
        // docs.cloud.google.com/bigtable/docs/schema-design: operations are atomic at the row level.
        assert_eq!(ENGINE.transactions.value, TransactionSupport::SingleItem);
    }

    #[test]
    fn a_row_key_has_at_most_4096_bytes() {
        // docs.cloud.google.com/bigtable/quotas; the RPC reference of Row: up to 4 KiB.
        let key = LIMITS.iter().find(|it| it.name == "size of a row key");
        assert_eq!(key.map(|it| it.max), Some(4096.0));
    }

    #[test]
    fn rows_are_kept_in_order_and_never_hashed() {
        // docs.cloud.google.com/bigtable/docs/schema-design: row keys to avoid, hashed values.
        assert_eq!(ENGINE.strategies, &[Strategy::Range]);
    }
}
