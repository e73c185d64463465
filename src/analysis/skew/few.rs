//! The busiest shard when there are few values: all ways to share shards.

use crate::analysis::spread::Spread;

/// Values up to which all ways are counted (4,140 of them for 8 values).
const FEW: usize = 8;

/// The shares of all values, if there are few.
pub(super) fn shares(spread: &Spread) -> Option<Vec<f64>> {
    if spread.distinct() > FEW as f64 {
        return None;
    }
    let mut shares: Vec<f64> = spread.heavy().collect();
    for class in spread.tail() {
        if class.count.fract() > 0.0 || !class.is_equal() {
            return None;
        }
        shares.extend(std::iter::repeat_n(class.top, class.count as usize));
    }
    Some(shares)
}

/// Expected share on the busiest of `s` shards.
pub(super) fn busiest_share(shares: &[f64], s: f64) -> f64 {
    let mut blocks = [0.0; FEW];
    place(shares, &mut blocks, 0, 0.0, s)
}

fn place(shares: &[f64], blocks: &mut [f64; FEW], used: usize, max: f64, s: f64) -> f64 {
    let Some((share, others)) = shares.split_first() else { return max };
    let mut sum = 0.0;
    for block in 0..=used.min(FEW - 1) {
        let chance = if block < used { 1.0 / s } else { (s - used as f64) / s };
        if chance > 0.0 {
            let before = blocks[block];
            blocks[block] += share;
            sum += chance * place(others, blocks, used.max(block + 1), max.max(blocks[block]), s);
            blocks[block] = before;
        }
    }
    sum
}
