//! MongoDB: ranges of a ranged or hashed shard key that the balancer moves; every
//! shard indexes its own documents, and a key value can change.

use crate::model::{Strategy, TypeFamily};
use crate::target::limit::{MB, MIB};
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

const SHARD_KEY: Source = Source::page(
    "MongoDB manual: Shard keys",
    "https://www.mongodb.com/docs/manual/core/sharding-shard-key/",
);
const CHANGE_VALUE: Source = Source::page(
    "MongoDB manual: Change a document's shard key value",
    "https://www.mongodb.com/docs/manual/core/sharding-change-shard-key-value/",
);
const UNIQUE: Source = Source::page(
    "MongoDB manual: unique indexes on sharded collections",
    "https://www.mongodb.com/docs/manual/reference/limits/",
);
const LIMITS_PAGE: Source =
    Source::page("MongoDB limits and thresholds", "https://www.mongodb.com/docs/manual/reference/limits/");
const TRANSACTIONS: Source = Source::page(
    "MongoDB manual: Production considerations (sharded clusters), transactions",
    "https://www.mongodb.com/docs/manual/core/transactions-sharded-clusters/",
);
const BALANCER: Source = Source::page(
    "MongoDB manual: Sharded cluster balancer",
    "https://www.mongodb.com/docs/manual/core/sharding-balancer-administration/",
);
const LOOKUP: Source = Source::page(
    "MongoDB manual: $lookup",
    "https://www.mongodb.com/docs/manual/reference/operator/aggregation/lookup/",
);
const RESHARD: Source = Source::page(
    "MongoDB manual: Reshard a collection",
    "https://www.mongodb.com/docs/manual/core/sharding-reshard-a-collection/",
);
const COMMIT_RESHARD: Source = Source::page(
    "MongoDB manual: commitReshardCollection",
    "https://www.mongodb.com/docs/manual/reference/command/commitReshardCollection/",
);

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "mongodb",
    name: "MongoDB sharded cluster",
    aliases: &["mongo", "mongodb_atlas"],
    strategies: &[Strategy::Hash, Strategy::Range, Strategy::Geo],
    default_strategy: Strategy::Hash,
    default_shards: DefaultShards::Words(
        BALANCER.fact("chosen by the operator (number of shards); ranges of 128 MB inside"),
    ),
    // Collections share a shard only through zones or a move of the whole collection.
    colocation: Colocation::PerTable,
    key: KeyRules {
        max_columns: Some(LIMITS_PAGE.medium().fact(32)),
        joined: None,
        refused_types: &[TypeFamily::Document],
        types_source: Some(UNIQUE),
        value_change: CHANGE_VALUE.fact(ValueChange::Moves),
        nullable: Some(SHARD_KEY.fact(true)),
        hierarchical: None,
        leads_primary_key: false,
        salt: false,
        bucket: false,
    },
    replicated: Some(Source::GENERAL.fact(false)),
    unsharded: true,
    unique: UNIQUE.fact(Uniqueness::WithKey),
    foreign_keys: Source::GENERAL.fact(ForeignKeySupport::None),
    joins: LOOKUP.fact(JoinSupport::Everywhere),
    transactions: TRANSACTIONS.fact(TransactionSupport::Atomic),
    index: IndexRules {
        max_local: Some(LIMITS_PAGE.limit("indexes of a collection", 64.0, "64")),
        source: Some(LIMITS_PAGE),
        ..IndexRules::LOCAL_ONLY
    },
    partition: PartitionRules::NONE,
    max_item: Some(LIMITS_PAGE.limit("size of a document", 16.0 * MIB, "16 mebibytes")),
    advised_item: None,
    max_cell: None,
    max_transaction_items: None,
    after_read_filter: None,
    sequence: Source::GENERAL.fact(Sequence::None),
    clustered: Source::GENERAL.fact(false),
    hash_slots: None,
    shards_change: ShardsChange::Procedure(BALANCER),
    shard_word: "shard",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    LIMITS_PAGE.limit("nesting levels of a document", 100.0, "100"),
    LIMITS_PAGE.limit("fields of a compound index", 32.0, "32"),
    LIMITS_PAGE.limit("operations in one write batch", 100_000.0, "100,000"),
    LIMITS_PAGE.limit("seconds that a transaction may run", 60.0, "60 seconds (default)"),
    BALANCER.limit("size of a range", 128.0 * MB, "128 MB (default)"),
    BALANCER.limit("difference between two shards that is left alone", 384.0 * MB, "384 MB"),
    BALANCER.limit("migrations of one shard at once", 1.0, "1"),
    RESHARD.limit("collections resharded at once", 1.0, "1"),
    COMMIT_RESHARD.limit(
        "milliseconds left to catch up when writes are blocked to change the key",
        500.0,
        "500 milliseconds (8.0.13 and later; 2 seconds before)",
    ),
    LIMITS_PAGE.medium().limit("shards of an Atlas cluster in one region", 70.0, "70"),
    LIMITS_PAGE.medium().limit("shards of an Atlas cluster in several regions", 12.0, "12"),
    LIMITS_PAGE.low().limit("shard keys of Atlas global clusters in a project", 40.0, "40"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unique_index_must_contain_the_shard_key() {
        // mongodb.com/docs/manual/reference/limits, unique indexes in sharded collections: the shard key, or a
        // compound index with the shard key as its prefix; other fields are unique within a shard only.
        assert_eq!(ENGINE.unique.value, Uniqueness::WithKey);
        assert_eq!(ENGINE.index.global, None);
    }

    #[test]
    fn a_shard_key_value_can_be_changed() {
        // mongodb.com/docs/manual/core/sharding-change-shard-key-value: any shard key but `_id`; the document moves.
        assert_eq!(ENGINE.key.value_change.value, ValueChange::Moves);
    }

    #[test]
    fn a_document_ends_at_16_mebibytes() {
        // mongodb.com/docs/manual/reference/limits: 16 * 1024 * 1024 bytes.
        assert_eq!(ENGINE.max_item.map(|it| it.max), Some(16_777_216.0));
    }

    #[test]
    fn a_document_may_lack_the_shard_key() {
        // mongodb.com/docs/manual/core/sharding-shard-key, missing shard key fields: treated as null since 4.4.
        assert_eq!(ENGINE.key.nullable.map(|it| it.value), Some(true));
    }

    #[test]
    fn an_array_is_no_shard_key() {
        // mongodb.com/docs/manual/reference/limits: a shard key index cannot be a multikey index.
        assert!(ENGINE.key.refused_types.contains(&TypeFamily::Document));
    }
}
