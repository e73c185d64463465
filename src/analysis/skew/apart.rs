//! The busiest shard when a heavy hitter is on exactly one of many shards.

use crate::analysis::skew::load::{Row, power, shifted};
use crate::analysis::skew::transform::CELLS;

/// For each cell the chance that all shards stay within it.
///
/// # Model
///
/// `load` is the distribution F of one shard's load, in which every heavy
/// hitter is present with chance 1/S. Were the shards independent, the answer
/// would be `F^S`. But a hitter is on exactly one of them: with u the chance
/// that the load without it stays within t, and w that it stays within t − p,
///
/// `P(t) = F^S · Π (w/F) · (u/F)^(S−1)`
///
/// is exact for one hitter. For several it takes the hitters of one shard to
/// be correlated in pairs no more than by that, which costs less the more
/// shards there are.
///
/// # Source
///
/// Yedidia, Freeman and Weiss, "Constructing free-energy approximations and
/// generalized belief propagation algorithms", IEEE Transactions on
/// Information Theory 51, 2005 (the Bethe approximation).
pub(super) fn all_within(load: &Row, heavy: &[f64], shards: u32) -> Row {
    let s = f64::from(shards);
    let inverse = load.map(|it| if it > 0.0 { 1.0 / it } else { 0.0 });
    let mut with = *load;
    let mut without = *load;
    let mut rest = [0.0; CELLS];
    for share in heavy {
        let (whole, part) = shifted(*share);
        for n in 0..CELLS {
            let near = if whole <= n { rest[n - whole] } else { 0.0 };
            let far = if whole < n { rest[n - whole - 1] } else { 0.0 };
            let moved = near + part * (far - near);
            rest[n] = (load[n] + (load[n] - moved) / (s - 1.0)).max(0.0);
            with[n] *= moved * inverse[n];
            without[n] *= rest[n] * inverse[n];
        }
    }
    std::array::from_fn(|n| (power(without[n], shards - 1) * with[n]).clamp(0.0, 1.0))
}
