//! Claims: numbers that a plan states of itself.

use crate::source::Span;

/// A number that a plan states.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// What it is about.
    pub kind: ClaimKind,
    /// The pattern, for [`ClaimKind::Shards`].
    pub about: Option<String>,
    /// The figure.
    pub stated: Stated,
    /// Where it stands.
    pub span: Span,
}

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClaimKind {
    /// Shards that a pattern touches.
    Shards,
    /// Share of requests that write on more than one shard.
    CrossShardTransactions,
    /// Share of reads that touch one shard.
    SingleShardReads,
    /// Share of the data that moves when a node is added.
    MovedOnAddNode,
    /// Load of the busiest shard over the mean.
    BusiestOverMean,
    /// Share of the hottest key value.
    HottestKeyShare,
    /// Bytes today.
    DataSize,
    /// Mean writes a second.
    WriteRate,
    /// Seconds until identifiers run out.
    IdsUniqueFor,
    /// Database reads a second after a cache node's loss.
    NodeLossDbLoad,
    /// Sum of the patterns' rates.
    TotalRate,
    /// US dollars a month.
    MonthlyCost,
}

impl ClaimKind {
    /// Every kind by its name in the format.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("shards", Self::Shards),
        ("cross_shard_transactions", Self::CrossShardTransactions),
        ("single_shard_reads", Self::SingleShardReads),
        ("moved_on_add_node", Self::MovedOnAddNode),
        ("busiest_over_mean", Self::BusiestOverMean),
        ("hottest_key_share", Self::HottestKeyShare),
        ("data_size", Self::DataSize),
        ("write_rate", Self::WriteRate),
        ("ids_unique_for", Self::IdsUniqueFor),
        ("node_loss_db_load", Self::NodeLossDbLoad),
        ("total_rate", Self::TotalRate),
        ("monthly_cost", Self::MonthlyCost),
    ];

    /// Its name in the format.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, it)| *it == self).map_or("", |(name, _)| name)
    }
}

/// A stated figure with the rounding it was written with.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated {
    /// The figure in plain units.
    pub value: f64,
    /// Smallest value that rounds to what was written; for `>=` the value itself; for `<=` minus infinity.
    pub low: f64,
    /// Largest value that rounds to what was written; for `<=` the value itself; for `>=` infinity.
    pub high: f64,
    /// As written.
    pub text: String,
}
