//! Vitess (and PlanetScale): MySQL shards behind a router; the primary vindex
//! makes the strategy, lookup vindexes serve the other columns.

use crate::model::Strategy;
use crate::target::limit::GB;
use crate::target::{
    Colocation, DefaultShards, Engine, ForeignKeySupport, IndexRules, JoinSupport, KeyRules, Limit,
    PartitionRules, Sequence, ShardsChange, Source, TransactionSupport, Uniqueness, ValueChange,
};

/// The pages of version 22.0 were read in a copy of their tree.
const fn docs(title: &'static str, url: &'static str) -> Source {
    Source::page(title, url).copy_of("2024-10")
}

const VINDEXES: Source =
    docs("Vitess 22.0: Vindexes", "https://vitess.io/docs/22.0/reference/features/vindexes/");
const GUIDELINES: Source = docs(
    "Vitess 22.0: Sharding guidelines",
    "https://vitess.io/docs/22.0/user-guides/vschema-guide/sharding-guidelines/",
);
const SUBSHARDING: Source = docs(
    "Vitess 22.0: Subsharding vindex (multicol)",
    "https://vitess.io/docs/22.0/user-guides/vschema-guide/subsharding-vindex/",
);
const FOREIGN_KEYS: Source = docs(
    "Vitess 22.0: Foreign keys in Vitess",
    "https://vitess.io/docs/22.0/user-guides/vschema-guide/foreign-keys/",
);
const SEQUENCES: Source =
    docs("Vitess 22.0: Sequences", "https://vitess.io/docs/22.0/reference/features/vitess-sequences/");
const REFERENCE_TABLES: Source = docs(
    "Vitess 22.0: Reference tables",
    "https://vitess.io/docs/22.0/reference/vreplication/reference_tables/",
);
const TWO_PHASE: Source = Source::page(
    "Vitess 22.0: Distributed transactions (two-phase commit)",
    "https://vitess.io/docs/22.0/reference/features/distributed-transaction/",
);
const RESHARD: Source =
    docs("Vitess 22.0: Reshard", "https://vitess.io/docs/22.0/reference/vreplication/reshard/");
const PROGRAMS: Source =
    docs("Vitess 22.0: vtgate and vttablet flags", "https://vitess.io/docs/22.0/reference/programs/vtgate/");
const COMPATIBILITY: Source = docs(
    "Vitess 22.0: MySQL compatibility",
    "https://vitess.io/docs/22.0/reference/compatibility/mysql-compatibility/",
);

/// The engine.
pub(super) static ENGINE: Engine = Engine {
    id: "vitess",
    name: "Vitess (and PlanetScale)",
    aliases: &["planetscale"],
    strategies: &[Strategy::Hash, Strategy::Range, Strategy::List, Strategy::Lookup, Strategy::Geo],
    default_strategy: Strategy::Hash,
    default_shards: DefaultShards::Words(
        GUIDELINES.fact("chosen by the operator; about one for each 250 GB of data"),
    ),
    colocation: Colocation::EqualKeys,
    key: KeyRules {
        max_columns: Some(SUBSHARDING.fact(8)),
        joined: None,
        refused_types: &[],
        types_source: None,
        // An update that stays on its shard passes; one that would move the row fails.
        value_change: VINDEXES.fact(ValueChange::Refused),
        // The vindex decides: xxhash takes NULL, hash does not.
        nullable: None,
        hierarchical: None,
        leads_primary_key: false,
        salt: false,
        bucket: false,
    },
    replicated: Some(REFERENCE_TABLES.fact(true)),
    unsharded: true,
    unique: VINDEXES.fact(Uniqueness::Anywhere),
    foreign_keys: FOREIGN_KEYS.fact(ForeignKeySupport::Colocated),
    joins: COMPATIBILITY.fact(JoinSupport::Everywhere),
    transactions: TWO_PHASE.fact(TransactionSupport::BestEffort),
    index: IndexRules {
        global: Some("lookup vindex"),
        unique: true,
        source: Some(VINDEXES),
        ..IndexRules::LOCAL_ONLY
    },
    partition: PartitionRules::NONE,
    max_item: None,
    advised_item: None,
    max_cell: None,
    max_transaction_items: None,
    after_read_filter: None,
    sequence: SEQUENCES.fact(Sequence::PerShard),
    clustered: Source::GENERAL.fact(true),
    hash_slots: None,
    shards_change: ShardsChange::Procedure(RESHARD),
    shard_word: "shard",
    limits: LIMITS,
    on_several_nodes: None,
};

const LIMITS: &[Limit] = &[
    GUIDELINES.limit("size of a shard (advice)", 250.0 * GB, "250 GB"),
    SUBSHARDING.limit("size of a keyspace id", 8.0, "8 bytes"),
    PROGRAMS.limit(
        "rows that the router holds in memory for one query",
        300_000.0,
        "300000 (max_memory_rows)",
    ),
    PROGRAMS.limit("rows in the result of one shard", 10_000.0, "10000 (queryserver-config-max-result-size)"),
    PROGRAMS.limit("seconds that a query may run", 30.0, "30 seconds (default)"),
    PROGRAMS.limit("seconds that a transaction may run", 30.0, "30 seconds (default)"),
];
