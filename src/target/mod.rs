//! What a product allows: engines as data. One file an engine; a question
//! about an engine is a field or method of [`Engine`], never a match on its name.

mod generic;
mod limit;

pub use limit::{Fact, Limit, Source, Sure};

use crate::model::{Strategy, TypeFamily};

/// Every engine, in the order in which they are listed to a user.
pub static ENGINES: &[&Engine] = &[&generic::ENGINE];

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
    /// Most items in one transaction.
    pub max_transaction_items: Option<Limit>,
    /// Whether the number of partitions can be changed later.
    pub shards_change: ShardsChange,
    /// Its word for a shard: `partition`, `tablet`, `region`, …
    pub shard_word: &'static str,
    /// Every further limit worth quoting, with its page.
    pub limits: &'static [Limit],
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
    /// Most columns; `None` if there is no number.
    pub max_columns: Option<Fact<u32>>,
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
    /// Most global indexes a table.
    pub max_global: Option<Limit>,
    /// Whether there are indexes beside the rows of each shard.
    pub local: bool,
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
    /// Size of one key value's rows that the engine refuses to pass.
    pub hard_bytes: Option<Limit>,
    /// Read units a second of one key value.
    pub read_units: Option<Limit>,
    /// Write units a second of one key value.
    pub write_units: Option<Limit>,
    /// Bytes that one read unit covers (strong read); 0 where a unit is one request.
    pub read_unit_bytes: u64,
    /// Bytes that one write unit covers; 0 where a unit is one request.
    pub write_unit_bytes: u64,
    /// Whether reads and writes share one budget (Cosmos DB's request units).
    pub shared_units: bool,
    /// Whether rows deleted or expired one by one slow down reads of their partition.
    pub tombstones: Option<Source>,
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
