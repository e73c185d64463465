//! What a product allows: engines as data. One file an engine; a question
//! about an engine is a field or method of [`Engine`], never a match on its name.

mod azure_sql;
mod bigtable;
mod cassandra;
mod citus;
mod cockroachdb;
mod cosmosdb;
mod dynamodb;
mod generic;
mod hbase;
mod limit;
mod logical_shards;
mod manual;
mod memcached;
mod mongodb;
mod postgres;
mod redis_cluster;
mod scylladb;
mod spanner;
mod tidb;
mod vitess;
mod yugabytedb;

pub use limit::{Fact, Limit, Source, Sure};
pub use manual::targets_markdown;

use crate::model::{ShardKey, Strategy, TypeFamily};

/// Every engine, in the order in which they are listed to a user.
pub static ENGINES: &[&Engine] = &[
    &generic::ENGINE,
    &dynamodb::ENGINE,
    &cassandra::ENGINE,
    &scylladb::ENGINE,
    &mongodb::ENGINE,
    &cosmosdb::ENGINE,
    &vitess::ENGINE,
    &citus::ENGINE,
    &postgres::ENGINE,
    &logical_shards::ENGINE,
    &azure_sql::ENGINE,
    &spanner::ENGINE,
    &cockroachdb::ENGINE,
    &yugabytedb::ENGINE,
    &tidb::ENGINE,
    &hbase::ENGINE,
    &bigtable::ENGINE,
    &redis_cluster::ENGINE,
    &memcached::ENGINE,
];

/// The engine of an id or alias; `-`, `_` and case do not matter.
#[must_use]
pub fn engine(name: &str) -> Option<&'static Engine> {
    let plain = |it: &str| it.to_lowercase().replace(['-', ' '], "_");
    let name = plain(name);
    ENGINES
        .iter()
        .copied()
        .find(|it| plain(it.id) == name || it.aliases.iter().any(|alias| plain(alias) == name))
}

/// What is known of a database.
#[derive(Debug)]
pub struct Engine {
    /// Its id in design files.
    pub id: &'static str,
    /// Its name as its maker writes it.
    pub name: &'static str,
    /// Other ids.
    pub aliases: &'static [&'static str],
    /// Strategies it offers, or that are used on it.
    pub strategies: &'static [Strategy],
    /// The strategy of a plan that names none.
    pub default_strategy: Strategy,
    /// Partitions when a file gives none; a rule in words counts as 16, an estimate.
    pub default_shards: DefaultShards,
    /// Which tables' equal key values land on the same shard.
    pub colocation: Colocation,
    /// What may be a key.
    pub key: KeyRules,
    /// Whether a table can have a copy on every shard.
    pub replicated: Option<Fact<bool>>,
    /// Whether a table can stay on one shard.
    pub unsharded: bool,
    /// What uniqueness it can enforce on a sharded table.
    pub unique: Fact<Uniqueness>,
    /// What references it can enforce.
    pub foreign_keys: Fact<ForeignKeySupport>,
    /// What joins it runs.
    pub joins: Fact<JoinSupport>,
    /// What commits together.
    pub transactions: Fact<TransactionSupport>,
    /// Its secondary indexes.
    pub index: IndexRules,
    /// Limits of one partition key value, or of one partition.
    pub partition: PartitionRules,
    /// Largest row, document or item.
    pub max_item: Option<Limit>,
    /// Size of an item beyond which the maker, or the usual operator, warns.
    pub advised_item: Option<Limit>,
    /// Largest single value (column, cell), a list inside a row included.
    pub max_cell: Option<Limit>,
    /// Most items in one transaction.
    pub max_transaction_items: Option<Limit>,
    /// Name of a filter that is applied to rows already read and paid for (`ALLOW FILTERING`); `None` where
    /// the maker names no such thing.
    pub after_read_filter: Option<Fact<&'static str>>,
    /// What an auto-increment column does on a sharded table.
    pub sequence: Fact<Sequence>,
    /// Whether rows lie in a B-tree in the order of the primary key (InnoDB, SQL Server), so that random keys split pages.
    pub clustered: Fact<bool>,
    /// Hash slots on which the keys of one command must agree (Redis Cluster's hash tags).
    pub hash_slots: Option<Fact<u32>>,
    /// Whether the number of partitions can be changed later.
    pub shards_change: ShardsChange,
    /// Its word for a shard: `partition`, `tablet`, `region`, …
    pub shard_word: &'static str,
    /// Every further limit worth quoting, with its page.
    pub limits: &'static [Limit],
    /// What it is once there are several nodes: PostgreSQL's partitions are of one
    /// database, and several databases are logical shards.
    pub on_several_nodes: Option<&'static Engine>,
}

/// Shards where the engine's number is only known as a rule in words.
const ESTIMATED_SHARDS: u32 = 16;

impl Engine {
    /// The number of partitions when a file gives none, and whether it is an estimate.
    #[must_use]
    pub fn default_shard_count(&self, nodes: Option<u32>) -> (u32, bool) {
        let nodes = nodes.filter(|it| *it != 0);
        match (self.default_shards, nodes) {
            (DefaultShards::Number(number), _) => (number.value, false),
            (DefaultShards::PerNode(each), Some(nodes)) => (each.value.saturating_mul(nodes), false),
            (DefaultShards::PerNode(_), None) | (DefaultShards::Words(_), _) => (ESTIMATED_SHARDS, true),
        }
    }

    /// How values of a key find their shard: as given, else the engine's own way.
    #[must_use]
    pub fn strategy_of(&self, key: &ShardKey) -> Strategy {
        key.strategy.unwrap_or(self.default_strategy)
    }

    /// The engine that judges a design of so many nodes: itself, but for one whose
    /// partitions lie in a single database.
    #[must_use]
    pub fn on_nodes(&'static self, nodes: Option<u32>) -> &'static Self {
        match self.on_several_nodes {
            Some(other) if nodes.is_some_and(|it| it > 1) => other,
            _ => self,
        }
    }
}

/// What an auto-increment column does on a sharded table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    /// Values are unique over all shards.
    Unique,
    /// Each shard counts for itself and gives the same values again.
    PerShard,
    /// There is none.
    None,
}

/// Partitions when a file gives none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DefaultShards {
    /// A number that the maker states.
    Number(Fact<u32>),
    /// The number of nodes times this.
    PerNode(Fact<u32>),
    /// A rule in words: 16, an estimate.
    Words(Fact<&'static str>),
}

/// Which tables' equal key values land on the same shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colocation {
    /// Equal values of keys with as many columns and the same types.
    EqualKeys,
    /// A child whose key starts with its parent's is stored with it.
    Interleaved,
    /// No two tables.
    PerTable,
}

/// What may be a shard key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyRules {
    /// Most columns; `None` if there is no number, or if columns are joined.
    pub max_columns: Option<Fact<u32>>,
    /// Where it is written that the key is one attribute, text or byte string into which several columns are
    /// joined (DynamoDB, HBase, Redis); `None` where columns stay columns.
    pub joined: Option<Source>,
    /// Types that it refuses as a key.
    pub refused_types: &'static [TypeFamily],
    /// Where the refusal is written.
    pub types_source: Option<Source>,
    /// What happens when a row's key value changes.
    pub value_change: Fact<ValueChange>,
    /// Whether rows without a key value are accepted.
    pub nullable: Option<Fact<bool>>,
    /// Whether a prefix of a key of several columns can route (Cosmos DB's hierarchical keys).
    pub hierarchical: Option<Fact<u32>>,
    /// Whether the partition key is by construction the front of the primary key
    /// (Cassandra, DynamoDB, Spanner, HBase, …), so that a key that is not is a
    /// change of the primary key and not a broken constraint.
    pub leads_primary_key: bool,
    /// Whether a salt, or a computed prefix, is the engine's or its users' usual cure for a hot or growing key.
    pub salt: bool,
    /// Whether a time bucket in the key is usual.
    pub bucket: bool,
}

/// What happens when a key value changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueChange {
    /// Refused: delete and insert.
    Refused,
    /// The row moves.
    Moves,
    /// Nothing special is known.
    Unknown,
}

/// What uniqueness can be enforced on a sharded table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uniqueness {
    /// Any column set (through a global index).
    Anywhere,
    /// Only sets that contain the shard key.
    WithKey,
    /// Only the primary key, which starts with the shard key.
    PrimaryKeyOnly,
    /// Only inside one partition key value.
    WithinPartition,
    /// The engine enforces none across shards and says nothing; the application's business.
    NotEnforced,
}

/// What references can be enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignKeySupport {
    /// The engine has none: nothing to break.
    None,
    /// Inside one shard, if key columns are part of both sides.
    Colocated,
    /// Everywhere.
    Everywhere,
}

/// What joins run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinSupport {
    /// The application joins.
    None,
    /// Only between rows of one shard, or with replicated tables; others are refused.
    ColocatedOnly,
    /// Co-located joins are pushed down; others move rows.
    Everywhere,
}

/// What commits together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionSupport {
    /// One item or row.
    SingleItem,
    /// Rows of one partition key value.
    SinglePartition,
    /// Rows of one shard.
    SingleShard,
    /// Several shards, not atomically.
    BestEffort,
    /// Several shards, atomically.
    Atomic,
}

/// Secondary indexes of an engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexRules {
    /// What a global index is called there; `None` if there is none.
    pub global: Option<&'static str>,
    /// Whether a global index commits with its row.
    pub synchronous: bool,
    /// Whether a global index can be unique.
    pub unique: bool,
    /// Whether declaring a column set unique makes its global index, and where that is written (Spanner,
    /// CockroachDB); where it does not (Vitess's lookup vindexes), a set without the shard key is unique only if
    /// the plan has that index.
    pub made_for_unique: Option<Source>,
    /// Most global indexes a table.
    pub max_global: Option<Limit>,
    /// Whether a global index that is short of capacity makes writes of its table fail, and where that is written.
    pub back_pressure: Option<Source>,
    /// Whether there are indexes beside the rows of each shard.
    pub local: bool,
    /// Most local indexes a table.
    pub max_local: Option<Limit>,
    /// Size of one key value's rows that a table with a local index does not pass.
    pub local_collection: Option<Limit>,
    /// How a global index is partitioned when nothing is said.
    pub strategy: Strategy,
    /// Where it is written.
    pub source: Option<Source>,
}

/// Limits of one partition key value, or of one partition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartitionRules {
    /// Size of one key value's rows beyond which the maker warns.
    pub advised_bytes: Option<Limit>,
    /// Values (cells) in one partition beyond which the maker warns.
    pub advised_cells: Option<Limit>,
    /// Rows of one key value beyond which the maker warns.
    pub advised_rows: Option<Limit>,
    /// Size of one key value's rows that the engine refuses to pass.
    pub hard_bytes: Option<Limit>,
    /// Values (cells) in one partition that the engine refuses to pass.
    pub hard_cells: Option<Limit>,
    /// Rows of one key value that the engine refuses to pass.
    pub hard_rows: Option<Limit>,
    /// Read units a second of one key value.
    pub read_units: Option<Limit>,
    /// Write units a second of one key value.
    pub write_units: Option<Limit>,
    /// Bytes that one read unit covers (strong read); 0 where a unit is one request.
    pub read_unit_bytes: u64,
    /// Bytes that one write unit covers; 0 where a unit is one request.
    pub write_unit_bytes: u64,
    /// Units that each write unit's bytes take (Cosmos DB: 5 for an item that takes 1 to read).
    pub units_per_write: u32,
    /// Whether reads and writes share one budget (Cosmos DB's request units).
    pub shared_units: bool,
    /// Whether rows deleted or expired one by one slow down reads of their partition.
    pub tombstones: Option<Source>,
}

impl PartitionRules {
    /// No limit at all.
    pub const NONE: Self = Self {
        advised_bytes: None,
        advised_cells: None,
        advised_rows: None,
        hard_bytes: None,
        hard_cells: None,
        hard_rows: None,
        read_units: None,
        write_units: None,
        read_unit_bytes: 0,
        write_unit_bytes: 0,
        units_per_write: 1,
        shared_units: false,
        tombstones: None,
    };
}

impl IndexRules {
    /// Indexes beside the rows of each shard and no others.
    pub const LOCAL_ONLY: Self = Self {
        global: None,
        synchronous: true,
        unique: false,
        made_for_unique: None,
        max_global: None,
        back_pressure: None,
        local: true,
        max_local: None,
        local_collection: None,
        strategy: Strategy::Hash,
        source: None,
    };
}

/// Whether the number of partitions can be changed later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ShardsChange {
    /// The engine splits and merges by itself.
    Automatic,
    /// By a procedure of the engine.
    Procedure(Source),
    /// Not at all without a new table.
    Never(Source),
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::ColumnId;

    /// Every id and alias of the fact collection that the engines were taken from.
    const NAMES: &[(&str, &[&str])] = &[
        ("generic", &[]),
        ("dynamodb", &["dynamo", "ddb"]),
        ("cassandra", &["apache_cassandra"]),
        ("scylladb", &["scylla"]),
        ("mongodb", &["mongo", "mongodb_atlas"]),
        ("vitess", &["planetscale"]),
        ("citus", &["cosmosdb_for_postgresql"]),
        ("spanner", &["cloud_spanner"]),
        ("cosmosdb", &["cosmos", "azure_cosmos_db"]),
        ("azure_sql_elastic", &["azure_sql", "elastic_shard_map"]),
        ("redis_cluster", &["redis"]),
        ("memcached_ketama", &["memcached"]),
        ("hbase", &["apache_hbase"]),
        ("bigtable", &["cloud_bigtable"]),
        ("postgres_partitioning", &["postgres", "postgresql"]),
        ("logical_shards", &[]),
        ("cockroachdb", &["crdb", "cockroach"]),
        ("yugabytedb", &["yugabyte"]),
        ("tidb", &[]),
    ];

    fn id_of(name: &str) -> Option<&'static str> {
        engine(name).map(|it| it.id)
    }

    fn found(name: &str) -> &'static Engine {
        engine(name).unwrap_or_else(|| panic!("no engine `{name}`"))
    }

    #[test]
    fn every_id_and_alias_finds_its_engine() {
        assert_eq!(NAMES.len(), ENGINES.len());
        for (id, aliases) in NAMES {
            for name in aliases.iter().chain([id]) {
                assert_eq!(id_of(name), Some(*id), "{name}");
                assert_eq!(id_of(&name.to_uppercase()), Some(*id), "{name}");
                assert_eq!(id_of(&name.replace('_', "-")), Some(*id), "{name}");
            }
        }
        assert_eq!(id_of("oracle"), None);
        assert_eq!(id_of(""), None);
    }

    #[test]
    fn no_two_engines_share_a_name() {
        let mut seen = BTreeSet::new();
        for it in ENGINES {
            for name in it.aliases.iter().chain([&it.id]) {
                assert!(seen.insert(name.to_lowercase()), "{name}");
            }
        }
        let titles: BTreeSet<_> = ENGINES.iter().map(|it| it.name).collect();
        assert_eq!(titles.len(), ENGINES.len());
    }

    #[test]
    fn what_is_sure_has_a_page_and_a_day() {
        let day = |text: &str| {
            let digits = text.split('-').all(|it| it.chars().all(|c| c.is_ascii_digit()));
            digits && matches!(text.split('-').map(str::len).collect::<Vec<_>>()[..], [4, 2] | [4, 2, 2])
        };
        let mut sure = 0;
        for it in ENGINES {
            for line in manual::rules(it).iter().chain(&manual::limits(it)) {
                let Some(source) = line.source else { continue };
                assert!(!source.title.is_empty(), "{} {}", it.id, line.what);
                assert!(source.url.is_empty() == source.read_on.is_empty(), "{} {}", it.id, line.what);
                if source.sure == Sure::High {
                    sure += 1;
                    let page = source.url.starts_with("https://") || it.id == "generic";
                    assert!(page && day(source.read_on), "{} {}: {source:?}", it.id, line.what);
                }
            }
        }
        assert_ne!(sure, 0);
    }

    #[test]
    fn limits_are_numbers_with_a_text() {
        for it in ENGINES {
            for limit in it.limits {
                assert!(limit.max.is_finite() && limit.max > 0.0, "{} {}", it.id, limit.name);
                assert!(limit.text.chars().any(|c| c.is_ascii_digit()) || limit.text.contains("thousand"));
            }
            let names: BTreeSet<_> = it.limits.iter().map(|limit| limit.name).collect();
            assert_eq!(names.len(), it.limits.len(), "{}", it.id);
        }
    }

    #[test]
    fn the_default_strategy_is_one_that_the_engine_has() {
        for it in ENGINES {
            assert_eq!(it.strategies.first(), Some(&it.default_strategy), "{}", it.id);
        }
    }

    #[test]
    fn default_strategies_are_those_of_the_format() {
        for name in ["hbase", "bigtable", "spanner", "cockroachdb", "tidb"] {
            assert_eq!(found(name).default_strategy, Strategy::Range, "{name}");
        }
        assert_eq!(found("azure_sql").default_strategy, Strategy::List);
        for name in
            ["generic", "dynamodb", "cassandra", "mongodb", "vitess", "citus", "cosmosdb", "yugabytedb"]
        {
            assert_eq!(found(name).default_strategy, Strategy::Hash, "{name}");
        }
    }

    #[test]
    fn a_key_keeps_the_strategy_that_it_was_given() {
        let mut key = ShardKey::of_columns(&[ColumnId(0)]);
        assert_eq!(found("spanner").strategy_of(&key), Strategy::Range);
        key.strategy = Some(Strategy::Hash);
        assert_eq!(found("spanner").strategy_of(&key), Strategy::Hash);
    }

    #[test]
    fn shards_are_a_number_a_multiple_of_the_nodes_or_an_estimate_of_16() {
        assert_eq!(found("citus").default_shard_count(Some(4)), (32, false));
        assert_eq!(found("generic").default_shard_count(None), (16, false));
        // 12 nodes of 16 tokens.
        assert_eq!(found("cassandra").default_shard_count(Some(12)), (192, false));
        assert_eq!(found("cassandra").default_shard_count(None), (16, true));
        assert_eq!(found("redis").default_shard_count(Some(6)), (6, false));
        assert_eq!(found("memcached").default_shard_count(Some(0)), (16, true));
        assert_eq!(found("dynamodb").default_shard_count(Some(4)), (16, true));
        assert_eq!(found("cassandra").default_shard_count(Some(u32::MAX)), (u32::MAX, false));
    }

    #[test]
    fn postgresql_on_several_nodes_is_logical_shards() {
        assert_eq!(found("postgres").on_nodes(None).id, "postgres_partitioning");
        assert_eq!(found("postgres").on_nodes(Some(1)).id, "postgres_partitioning");
        assert_eq!(found("postgres").on_nodes(Some(4)).id, "logical_shards");
        assert_eq!(found("citus").on_nodes(Some(4)).id, "citus");
    }

    #[test]
    fn an_unconfirmed_fact_is_never_marked_sure() {
        // The facts that the collection marks low.
        let low = |source: Source| source.sure == Sure::Low;
        assert!(found("tidb").replicated.is_some_and(|it| low(it.source)));
        assert!(found("yugabytedb").replicated.is_some_and(|it| low(it.source)));
        assert!(found("cosmosdb").key.nullable.is_some_and(|it| low(it.source)));
        assert!(low(found("tidb").key.value_change.source));
        let size = found("azure_sql").limits.iter().find(|it| it.name == "size of a Hyperscale database");
        assert!(size.is_some_and(|it| low(it.source)));
    }
}
