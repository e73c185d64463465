//! Shards, nodes, and how one finds the other.

use crate::source::Span;
use crate::units::{Bytes, Rate};

/// The `target:` section: engine and size.
#[derive(Clone, Debug, Default)]
pub struct TargetSpec {
    /// Engine id or alias as given; `generic` when `None`.
    pub engine: Option<(String, Span)>,
    /// Version of the engine.
    pub version: Option<String>,
    /// Logical partitions; the engine's default when `None`.
    pub shards: Option<u32>,
    /// Nodes.
    pub nodes: Option<u32>,
    /// What one node can hold and serve.
    pub node: NodeCapacity,
    /// Copies of each row; 1 when not given.
    pub copies: Option<u32>,
    /// Request units bought.
    pub provisioned: Option<Rate>,
    /// Where the section stands.
    pub span: Span,
}

/// What one node can hold and serve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeCapacity {
    /// Storage.
    pub storage: Option<Bytes>,
    /// Reads a second.
    pub reads: Option<Rate>,
    /// Writes a second.
    pub writes: Option<Rate>,
}

/// How partitions, or keys, find their node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlacementKind {
    /// A map from partitions to nodes.
    #[default]
    Fixed,
    /// Hash modulo the number of nodes.
    Mod,
    /// Consistent hashing with points on a ring.
    Ring,
    /// Jump consistent hash.
    Jump,
    /// Highest random weight.
    Rendezvous,
    /// Ranges that split and move.
    Dynamic,
}

impl PlacementKind {
    /// Every placement by its name in the format.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("fixed", Self::Fixed),
        ("mod", Self::Mod),
        ("ring", Self::Ring),
        ("jump", Self::Jump),
        ("rendezvous", Self::Rendezvous),
        ("dynamic", Self::Dynamic),
    ];
}
