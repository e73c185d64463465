//! Shard keys: what a table is split by, and how a key value finds its shard.

use crate::model::{ColumnId, TableId};
use crate::units::Seconds;

/// How a key value finds its shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strategy {
    /// By a hash of the whole key.
    Hash,
    /// By order.
    Range,
    /// By listed values.
    List,
    /// By a directory.
    Lookup,
    /// By region.
    Geo,
}

impl Strategy {
    /// Every strategy by its name in the format.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("hash", Self::Hash),
        ("range", Self::Range),
        ("list", Self::List),
        ("lookup", Self::Lookup),
        ("geo", Self::Geo),
    ];

    /// Its name in the format.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hash => "hash",
            Self::Range => "range",
            Self::List => "list",
            Self::Lookup => "lookup",
            Self::Geo => "geo",
        }
    }
}

/// Where the rows of a table live.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// Spread by a key.
    Sharded(ShardKey),
    /// A full copy on every shard.
    Replicated,
    /// On one shard.
    Unsharded,
}

impl Choice {
    /// The key, for a sharded table.
    #[must_use]
    pub fn key(&self) -> Option<&ShardKey> {
        match self {
            Self::Sharded(key) => Some(key),
            Self::Replicated | Self::Unsharded => None,
        }
    }
}

/// What a table is split by.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardKey {
    /// The parts, in order.
    pub parts: Vec<KeyPart>,
    /// How a value finds its shard; the engine's own when not given.
    pub strategy: Option<Strategy>,
    /// A prefix of the key routes too (Cosmos DB).
    pub hierarchical: bool,
    /// Spreading of each value over several.
    pub salt: Option<Salt>,
}

impl ShardKey {
    /// A key of plain columns.
    #[must_use]
    pub fn of_columns(columns: &[ColumnId]) -> Self {
        let parts = columns.iter().map(|it| KeyPart::Column(*it)).collect();
        Self { parts, strategy: None, hierarchical: false, salt: None }
    }

    /// Columns of the table itself that the key rests on (not copied ones).
    pub fn own_columns(&self) -> impl Iterator<Item = ColumnId> {
        self.parts.iter().filter_map(|part| match part {
            KeyPart::Column(column) | KeyPart::Bucket { column, .. } | KeyPart::Expression { column, .. } => {
                Some(*column)
            }
            KeyPart::Copied(_) => None,
        })
    }

    /// The time bucket, if there is one.
    #[must_use]
    pub fn bucket(&self) -> Option<(ColumnId, Seconds)> {
        self.parts.iter().find_map(|part| match part {
            KeyPart::Bucket { column, every } => Some((*column, *every)),
            _ => None,
        })
    }
}

/// One part of a key.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyPart {
    /// A column.
    Column(ColumnId),
    /// A column of an ancestor that is copied down.
    Copied(Copied),
    /// A stretch of time of a column.
    Bucket {
        /// The time.
        column: ColumnId,
        /// Width of a bucket.
        every: Seconds,
    },
    /// An expression of a column, normalised as in [`crate::model::Predicate::Expression`].
    Expression {
        /// The expression.
        text: String,
        /// The column inside it.
        column: ColumnId,
    },
}

/// A column of an ancestor table that a child carries a copy of.
#[derive(Clone, Debug, PartialEq)]
pub struct Copied {
    /// Name of the new column.
    pub name: String,
    /// Foreign keys to follow, each by its position in its table, child first.
    pub path: Vec<usize>,
    /// The table the column comes from.
    pub source: TableId,
    /// The column there.
    pub column: ColumnId,
}

/// Spreading of each key value over several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Salt {
    /// Over how many.
    pub ways: u32,
    /// The column it is computed from; random when `None`.
    pub from: Option<ColumnId>,
    /// Only hot values are spread.
    pub only_hot: bool,
}
