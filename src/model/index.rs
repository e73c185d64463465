//! Secondary indexes.

use crate::model::{ColumnId, Salt, Strategy, TableId};
use crate::source::Span;

/// A secondary index.
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// Name.
    pub name: String,
    /// Table it serves.
    pub table: TableId,
    /// Columns that place an entry.
    pub key: Vec<ColumnId>,
    /// Columns that order entries under one key.
    pub sort: Vec<ColumnId>,
    /// One index over all shards, or one a shard.
    pub scope: Scope,
    /// How an entry finds its partition; the engine's own when not given.
    pub strategy: Option<Strategy>,
    /// Spreading of each key value over several.
    pub salt: Option<Salt>,
    /// Declared unique.
    pub unique: bool,
    /// What it carries beside the keys.
    pub include: Include,
    /// Only rows with these values are in it.
    pub only: Vec<(ColumnId, String)>,
    /// Where it is declared.
    pub span: Span,
}

/// Reach of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Partitioned by its own key.
    Global,
    /// Beside the rows of each shard.
    Local,
}

/// What an index carries beside its keys and the primary key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Include {
    /// Nothing.
    KeysOnly,
    /// All columns.
    All,
    /// These.
    Columns(Vec<ColumnId>),
}
