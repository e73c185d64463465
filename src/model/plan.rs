//! Plans: a choice for each table, indexes, placement, and what the plan says of itself.

use std::collections::BTreeMap;

use crate::model::{Choice, Claim, ColumnId, Index, PlacementKind, TableId};
use crate::source::Span;
use crate::units::Share;

/// What somebody proposes: the advisor, a colleague, an AI.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Who proposes it.
    pub by: Option<String>,
    /// Logical partitions; the target's when not given.
    pub shards: Option<u32>,
    /// Nodes; the target's when not given.
    pub nodes: Option<u32>,
    /// How partitions find nodes.
    pub placement: Option<(PlacementKind, Span)>,
    /// Points a node on a ring.
    pub vnodes: Option<u32>,
    /// Node count to plan the move for.
    pub nodes_later: Option<u32>,
    /// Which node may go.
    pub nodes_leave: Option<NodesLeave>,
    /// How the directory of `lookup` is kept.
    pub lookup: Option<LookupCopies>,
    /// The choice of each table that the plan names.
    pub tables: BTreeMap<TableId, TablePlan>,
    /// Secondary indexes.
    pub indexes: Vec<Index>,
    /// What the plan says of itself.
    pub claims: Vec<Claim>,
    /// Where it stands.
    pub span: Span,
}

/// The plan of one table.
#[derive(Clone, Debug)]
pub struct TablePlan {
    /// Where its rows live.
    pub choice: Choice,
    /// Order of rows under one key.
    pub cluster: Vec<SortColumn>,
    /// Split points of a range strategy, as written.
    pub splits: Vec<String>,
    /// Values on shards of their own.
    pub dedicated: Vec<String>,
    /// Where the table's entry stands.
    pub span: Span,
    /// Where its key stands.
    pub key_span: Span,
}

/// A column that orders rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortColumn {
    /// The column.
    pub column: ColumnId,
    /// Descending.
    pub desc: bool,
}

/// Which nodes may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodesLeave {
    /// Any.
    Any,
    /// The last one only.
    Last,
}

/// How a directory is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LookupCopies {
    /// Replicas of it.
    pub replicas: Option<u32>,
    /// Share of look-ups that a cache answers.
    pub cache_hit: Option<Share>,
    /// Where it stands.
    pub span: Span,
}
