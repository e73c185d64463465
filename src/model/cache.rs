//! A cache in front of the database.

use crate::source::Span;
use crate::units::{Bytes, Rate, Seconds, Share};

/// The `cache:` section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CacheSpec {
    /// Number of items.
    pub items: Option<u64>,
    /// Size of a key.
    pub key: Option<Bytes>,
    /// Size of a value.
    pub value: Option<Bytes>,
    /// Bytes the cache spends on each item.
    pub overhead: Option<Bytes>,
    /// Copies of each item.
    pub copies: Option<u32>,
    /// Memory of a node.
    pub node_memory: Option<Bytes>,
    /// Share of it that items may use.
    pub usable: Option<Share>,
    /// Peak reads.
    pub peak: Option<Rate>,
    /// Reads a node can serve.
    pub node_reads: Option<Rate>,
    /// Share of reads it answers.
    pub hit_ratio: Option<Share>,
    /// Reads the database can take.
    pub database_limit: Option<Rate>,
    /// Tiers, first asked first.
    pub tiers: Vec<CacheTier>,
    /// How stale an answer may be.
    pub staleness_budget: Option<Seconds>,
    /// The hottest key.
    pub hot_key: Option<HotKey>,
    /// Where the section stands.
    pub span: Span,
}

/// One tier.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheTier {
    /// Name.
    pub name: String,
    /// How long an entry lives.
    pub ttl: Option<Seconds>,
}

/// The hottest key of a cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HotKey {
    /// Its share of the requests.
    pub share: Share,
    /// Copies of it under other names.
    pub copies: Option<u32>,
}
