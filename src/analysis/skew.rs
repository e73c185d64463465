//! The busiest shard of a hash placement, against the mean of all shards.

mod equal;
mod few;
mod load;
mod transform;

use std::collections::BTreeMap;

use crate::analysis::shards::distinct_shards;
use crate::analysis::spread::Spread;

/// What hash placement makes of a spread: `σ = S · E[max over shards of the share on it]`.
///
/// 1 is perfect balance, S is everything on one shard.
#[must_use]
pub fn busiest_over_mean(spread: &Spread, shards: u32) -> f64 {
    let s = f64::from(shards.max(1));
    if shards <= 1 {
        return 1.0;
    }
    let share = if let Some(values) = spread.equal_values() {
        equal::busiest_share(values, s)
    } else if let Some(shares) = few::shares(spread) {
        few::busiest_share(&shares, s)
    } else {
        load::busiest_share(spread, s)
    };
    (share.max(spread.top()) * s).clamp(1.0, s)
}

/// Expected share of the shards that get no value at all.
#[must_use]
pub fn empty_shards(spread: &Spread, shards: u32) -> f64 {
    let s = f64::from(shards.max(1));
    1.0 - distinct_shards(spread.distinct(), s) / s
}

/// Answers of [`busiest_over_mean`], so that the same question is computed once.
#[derive(Clone, Debug, Default)]
pub struct SkewCache {
    known: BTreeMap<u32, BTreeMap<Vec<u64>, f64>>,
}

impl SkewCache {
    /// [`busiest_over_mean`], remembered.
    pub fn busiest_over_mean(&mut self, spread: &Spread, shards: u32) -> f64 {
        let of_shards = self.known.entry(shards).or_default();
        *of_shards.entry(spread.bits()).or_insert_with(|| busiest_over_mean(spread, shards))
    }
}
