//! All ways in which a few values can share shards.

use crate::analysis::spread::Spread;

/// Values up to which all ways are counted: there are 4,140 of them for eight.
const FEW: f64 = 8.0;

/// The shares of all values, if these are few and each is known.
pub(super) fn few(spread: &Spread) -> Option<Vec<f64>> {
    if spread.distinct() > FEW || !spread.tail().iter().all(|it| it.is_equal() && it.count.fract() <= 0.0) {
        return None;
    }
    let classes = spread.tail().iter().flat_map(|it| std::iter::repeat_n(it.top, it.count as usize));
    Some(spread.heavy().chain(classes).collect())
}

/// Expected share on the busiest of `s` shards.
pub(super) fn busiest_share(shares: &[f64], s: f64) -> f64 {
    let mut expected = 0.0;
    each_way(shares, s, &mut |loads, chance| {
        expected += chance * loads.iter().copied().fold(0.0, f64::max);
    });
    expected
}

/// Calls `visit` for every way to place the shares, with the loads of the shards in use and its chance.
///
/// Ways that differ only in which shard is which are one way.
pub(super) fn each_way(shares: &[f64], s: f64, visit: &mut impl FnMut(&[f64], f64)) {
    place(shares, s, &mut Vec::with_capacity(shares.len()), 1.0, visit);
}

/// As deep as there are shares, which are at most eight.
fn place(shares: &[f64], s: f64, loads: &mut Vec<f64>, chance: f64, visit: &mut impl FnMut(&[f64], f64)) {
    let Some((share, others)) = shares.split_first() else { return visit(loads, chance) };
    for shard in 0..loads.len() {
        let before = loads[shard];
        loads[shard] += share;
        place(others, s, loads, chance / s, visit);
        loads[shard] = before;
    }
    let free = s - loads.len() as f64;
    if free > 0.5 {
        loads.push(*share);
        place(others, s, loads, chance * free / s, visit);
        loads.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_ways_is_bells_and_the_chances_add_up() {
        // Bell numbers count partitions; those into at most two parts are 2^(n−1).
        for (n, s, expected) in [(1, 9.0, 1), (3, 9.0, 5), (5, 9.0, 52), (8, 9.0, 4140), (5, 2.0, 16)] {
            let (mut ways, mut sum) = (0, 0.0);
            each_way(&vec![0.1; n], s, &mut |_, chance| {
                ways += 1;
                sum += chance;
            });
            assert_eq!(ways, expected);
            assert!((sum - 1.0_f64).abs() < 1e-12, "{sum}");
        }
    }

    #[test]
    fn two_values_are_counted_by_hand() {
        // Together with chance 1/4, else the larger one is the busiest.
        assert!((busiest_share(&[0.7, 0.3], 4.0) - (0.25 + 0.75 * 0.7)).abs() < 1e-12);
    }
}
