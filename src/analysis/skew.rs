//! The busiest shard of a hash placement, against the mean of all shards.

mod apart;
mod equal;
mod load;
mod transform;
mod ways;

use std::collections::BTreeMap;

use crate::analysis::shards::distinct_shards;
use crate::analysis::spread::Spread;

/// How many times the mean the busiest of `shards` shards carries.
///
/// # Model
///
/// `σ = S · E[max over shards of the share on it]`, with every value placed
/// independently and uniformly, as a good hash does: 1 is perfect balance, S is
/// everything on one shard. Equal values are an occupancy problem (exact up to
/// 24 of them, Poisson or its expansion above); up to 8 values of any shares are
/// counted out; in all other cases the distribution of one shard's load is
/// computed on a grid, with the largest values placed one by one and the others
/// as a compound Poisson sum. No random numbers are involved, so the same
/// question always has the same answer. Brute force agrees within 1.5 %, with
/// the error at its worst for 9 to 30 nearly equal values and below 0.3 % for
/// more than 1,000 values.
///
/// # Source
///
/// Mitzenmacher and Upfal, "Probability and Computing", 2005, chapter 5 (balls
/// and bins, the Poisson approximation).
#[must_use]
pub fn busiest_over_mean(spread: &Spread, shards: u32) -> f64 {
    if shards <= 1 {
        return 1.0;
    }
    let s = f64::from(shards);
    let share = if let Some(values) = spread.equal_values() {
        equal::busiest_share(values, s)
    } else if let Some(shares) = ways::few(spread) {
        ways::busiest_share(&shares, s)
    } else {
        load::busiest_share(spread, shards)
    };
    (share.max(spread.top()) * s).clamp(1.0, s)
}

/// Expected share of the shards that hold no value at all.
///
/// # Model
///
/// `(1 − 1/S)^D`: it depends on the number of values only, not on their shares.
#[must_use]
pub fn empty_shards(spread: &Spread, shards: u32) -> f64 {
    let s = f64::from(shards.max(1));
    (1.0 - distinct_shards(spread.distinct(), s) / s).max(0.0)
}

/// Answers of [`busiest_over_mean`], so that each question is computed once.
#[derive(Clone, Debug, Default)]
pub struct SkewCache {
    /// By the bits of the spread, then by the number of shards.
    known: BTreeMap<Vec<u64>, BTreeMap<u32, f64>>,
}

impl SkewCache {
    /// The answer of [`busiest_over_mean`], remembered.
    pub fn busiest_over_mean(&mut self, spread: &Spread, shards: u32) -> f64 {
        let known = self.known.entry(spread.bits()).or_default();
        *known.entry(shards).or_insert_with(|| busiest_over_mean(spread, shards))
    }

    /// How many different questions were asked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.values().map(BTreeMap::len).sum()
    }

    /// Whether nothing was asked yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Distribution;
    use crate::units::Share;

    /// `SplitMix64`: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        }

        fn below(&mut self, n: u32) -> usize {
            (((self.next() >> 32) * u64::from(n)) >> 32) as usize
        }

        fn unit(&mut self) -> f64 {
            (self.next() >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Placements of one value after which a case ends, precise or not.
    const ENOUGH: f64 = 3e8;

    /// Places every value, until the standard error of the mean is under `precision` of it.
    ///
    /// Gives the mean, and the relative standard error.
    fn placed(shares: &[f64], shards: u32, precision: f64) -> (f64, f64) {
        let mut random = Random(shares.len() as u64 * 1000 + u64::from(shards));
        let mut loads = vec![0.0; shards as usize];
        let (mut rounds, mut sum, mut squares) = (0.0, 0.0, 0.0);
        loop {
            loads.fill(0.0);
            for share in shares {
                loads[random.below(shards)] += share;
            }
            let busiest = f64::from(shards) * loads.iter().copied().fold(0.0, f64::max);
            rounds += 1.0;
            sum += busiest;
            squares += busiest * busiest;
            let mean = sum / rounds;
            let error = ((squares / rounds - mean * mean).max(0.0) / rounds).sqrt();
            let precise = error < precision * mean || rounds * shares.len() as f64 > ENOUGH;
            if rounds >= 100.0 && precise {
                return (mean, error / mean);
            }
        }
    }

    fn zipf_values(n: u32, s: f64) -> Vec<f64> {
        let weights: Vec<f64> = (1..=n).map(|k| f64::from(k).powf(-s)).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|it| it / sum).collect()
    }

    /// The same distribution twice: for the advisor, and value by value.
    struct Case {
        name: String,
        spread: Spread,
        values: Vec<f64>,
    }

    fn uniform(n: u32) -> Case {
        Case {
            name: format!("{n} equal"),
            spread: Spread::uniform(f64::from(n)),
            values: vec![1.0 / f64::from(n); n as usize],
        }
    }

    fn zipf(n: u32, s: f64) -> Case {
        Case {
            name: format!("{n} zipf({s})"),
            spread: Spread::zipf(f64::from(n), s),
            values: zipf_values(n, s),
        }
    }

    fn top(shares: &[f64], n: u32, s: f64) -> Case {
        let left = 1.0 - shares.iter().sum::<f64>();
        let mut values = shares.to_vec();
        values.extend(zipf_values(n - shares.len() as u32, s).iter().map(|it| it * left));
        let named = shares
            .iter()
            .map(|it| (Some(format!("{it}")), Share::new(*it).expect("a literal in range")))
            .collect();
        let distribution = Distribution::Top { shares: named, rest: Box::new(Distribution::Zipf(s)) };
        let spread = Spread::of(&distribution, f64::from(n));
        Case { name: format!("{shares:?} of {n}, rest zipf({s})"), spread, values }
    }

    fn histogram(pairs: &[(f64, u32)]) -> Case {
        let total: f64 = pairs.iter().map(|(rows, n)| rows * f64::from(*n)).sum();
        let values =
            pairs.iter().flat_map(|(rows, n)| std::iter::repeat_n(rows / total, *n as usize)).collect();
        let distribution =
            Distribution::Histogram(pairs.iter().map(|(rows, n)| (*rows, f64::from(*n))).collect());
        Case { name: format!("{pairs:?}"), spread: Spread::of(&distribution, 1.0), values }
    }

    impl Case {
        fn with_nulls(mut self, share: f64) -> Self {
            self.values.iter_mut().for_each(|it| *it *= 1.0 - share);
            self.values.push(share);
            self.name = format!("{} and {share} NULL", self.name);
            self.spread = self.spread.with_nulls(share);
            self
        }

        fn times(self, other: &Self) -> Self {
            Self {
                name: format!("{} times {}", self.name, other.name),
                values: self.values.iter().flat_map(|a| other.values.iter().map(move |b| a * b)).collect(),
                spread: self.spread.times(&other.spread, 1e18),
            }
        }

        fn salted(self, ways: u32) -> Self {
            let split = |it: &f64| std::iter::repeat_n(it / f64::from(ways), ways as usize);
            Self {
                name: format!("{} salted {ways} ways", self.name),
                values: self.values.iter().flat_map(split).collect(),
                spread: self.spread.salted(ways),
            }
        }

        /// The computed figure must be within 2 % of the placed one.
        fn check(&self, shards: u32, precision: f64) {
            let computed = busiest_over_mean(&self.spread, shards);
            let (placed, uncertain) = placed(&self.values, shards, precision);
            let error = (computed / placed - 1.0).abs();
            let allowed = 0.02 + 4.0 * (uncertain - precision).max(0.0);
            assert!(error < allowed, "{} on {shards}: computed {computed}, placed {placed}", self.name);
        }
    }

    fn close(value: f64, expected: f64, relative: f64) {
        assert!((value - expected).abs() <= relative * expected, "{value} is not {expected}");
    }

    #[test]
    fn equal_values_agree_with_placing_them() {
        for (n, shards) in
            [(3, 4), (9, 2), (9, 32), (12, 5), (30, 7), (100, 16), (100, 512), (700, 3), (5000, 64)]
        {
            uniform(n).check(shards, 0.004);
        }
    }

    #[test]
    fn zipf_values_agree_with_placing_them() {
        for (n, s, shards) in [
            (6, 1.0, 3),
            (9, 0.5, 4),
            (12, 0.3, 24),
            (20, 1.5, 2),
            (40, 0.8, 16),
            (100, 0.5, 128),
            (300, 1.0, 12),
            (1000, 0.8, 64),
            (1000, 1.2, 5),
            (2000, 2.0, 8),
            (10_000, 0.5, 480),
            (10_000, 1.0, 32),
            (10_000, 1.3, 256),
        ] {
            zipf(n, s).check(shards, 0.004);
        }
    }

    #[test]
    fn top_lists_agree_with_placing_all_values() {
        for (shares, n, s, shards) in [
            (&[0.12, 0.04][..], 1000, 0.0, 32),
            (&[0.3, 0.2, 0.1], 8, 0.0, 16),
            (&[0.45, 0.45], 50, 0.0, 2),
            (&[0.45, 0.45], 50, 0.0, 24),
            (&[0.3, 0.3, 0.3], 300, 0.5, 3),
            (&[0.1, 0.09, 0.08, 0.07, 0.06, 0.05, 0.04], 3000, 0.9, 12),
            (&[0.06; 12], 2000, 0.0, 64),
            (&[0.02; 30], 60, 1.0, 128),
        ] {
            top(shares, n, s).check(shards, 0.004);
        }
    }

    #[test]
    fn histograms_nulls_products_and_salts_agree_with_placing_all_values() {
        histogram(&[(90_000.0, 2), (200.0, 1000)]).check(16, 0.004);
        histogram(&[(1000.0, 20), (100.0, 200), (10.0, 2000)]).check(48, 0.004);
        histogram(&[(50.0, 10), (5.0, 100)]).check(6, 0.004);
        uniform(10).with_nulls(0.02).check(20, 0.004);
        uniform(2000).with_nulls(0.1).check(4, 0.004);
        zipf(500, 0.7).with_nulls(0.3).check(96, 0.004);
        zipf(60, 1.0).times(&zipf(50, 0.5)).check(24, 0.004);
        uniform(30).times(&zipf(100, 1.2)).check(8, 0.004);
        zipf(300, 1.1).salted(4).check(32, 0.004);
        zipf(20, 1.0).salted(60).check(128, 0.004);
    }

    #[test]
    fn figures_found_elsewhere_are_met() {
        // Monte Carlo by other programs, to the digits given.
        for (n, shards, expected, relative) in [
            (7.0, 16, 4.354, 0.001),
            (8.0, 16, 4.126, 0.001),
            (25.0, 16, 2.619, 0.001),
            (1000.0, 16, 1.2285, 0.0015),
            (400.0, 128, 2.73, 0.004),
            (400.0, 32, 1.63, 0.003),
            (1000.0, 128, 2.04, 0.003),
            (10_000.0, 128, 1.31, 0.004),
            (480.0, 32, 1.57, 0.003),
            (1e6, 16, 1.007, 0.0005),
        ] {
            close(busiest_over_mean(&Spread::uniform(n), shards), expected, relative);
        }
        for (n, s, shards, expected) in [(1e6, 1.0, 16, 2.042), (1e6, 0.8, 16, 1.206), (1e4, 1.0, 480, 49.94)]
        {
            close(busiest_over_mean(&Spread::zipf(n, s), shards), expected, 0.004);
        }
    }

    #[test]
    fn small_cases_are_exact() {
        let two = Spread::of(&Distribution::Histogram(vec![(7.0, 1.0), (3.0, 1.0)]), 2.0);
        // Together with chance 1/4: 4·(0.25 + 0.75·0.7).
        close(busiest_over_mean(&two, 4), 3.1, 1e-12);
        close(busiest_over_mean(&Spread::zipf(1e6, 1.0), 1), 1.0, 0.0);
        close(busiest_over_mean(&Spread::zipf(1e6, 1.0), 0), 1.0, 0.0);
        close(busiest_over_mean(&Spread::constant(), 48), 48.0, 1e-12);
        // Values that share no shard: 1,000 of them on 4 billion shards, nearly always.
        close(busiest_over_mean(&Spread::uniform(1000.0), u32::MAX), f64::from(u32::MAX) / 1000.0, 2e-4);
    }

    #[test]
    fn empty_shards_follow_from_the_number_of_values() {
        close(empty_shards(&Spread::uniform(400.0), 128) * 128.0, 5.6, 0.01);
        close(empty_shards(&Spread::constant(), 4), 0.75, 1e-12);
        close(empty_shards(&Spread::uniform(1e9), 4), 0.0, 0.0);
    }

    #[test]
    fn skew_keeps_its_bounds_for_any_spread() {
        let mut random = Random(7);
        for round in 0..300 {
            let mut pairs = Vec::new();
            for _ in 0..=random.below(6) {
                pairs.push(((random.unit() * 20.0).exp2(), (random.unit() * 20.0).exp2().floor()));
            }
            let spread = Spread::of(&Distribution::Histogram(pairs), 1.0);
            let spread = match random.below(4) {
                0 => spread.with_nulls(random.unit()),
                1 => spread.times(&Spread::zipf((random.unit() * 12.0).exp2(), 2.0 * random.unit()), 1e6),
                2 => spread.bucketed(100.0 * random.unit()),
                _ => spread,
            };
            let shards = (random.unit() * 14.0).exp2() as u32;
            let skew = busiest_over_mean(&spread, shards);
            let least = (f64::from(shards) * spread.top()).max(1.0);
            assert!(
                least <= skew * (1.0 + 1e-12) && skew <= f64::from(shards),
                "round {round}: {skew}, {spread:?}"
            );
        }
    }

    #[test]
    fn hostile_spreads_give_finite_skews() {
        let numbers = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e-300, 1e300, 1.5, 9.5, 700.25];
        for a in numbers {
            for b in numbers {
                let histogram = Spread::of(&Distribution::Histogram(vec![(a, b), (b, 2.0), (1.0, 40.5)]), a);
                let product = Spread::zipf(a, b).times(&Spread::zipf(b, 1.0), a);
                for spread in [histogram, product, Spread::uniform(a).with_nulls(b).bucketed(b)] {
                    for shards in [0, 1, 2, 16, 21, 512, u32::MAX] {
                        let skew = busiest_over_mean(&spread, shards);
                        assert!(
                            (1.0..=f64::from(shards.max(1))).contains(&skew),
                            "{skew} {shards} {spread:?}"
                        );
                        assert!((0.0..=1.0).contains(&empty_shards(&spread, shards)));
                    }
                }
            }
        }
    }

    #[test]
    fn more_values_even_out_and_steeper_ones_and_more_shards_do_not() {
        for shards in [2, 16, 48, 512] {
            let of_values =
                [20.0, 100.0, 1e3, 1e4, 1e6].map(|n| busiest_over_mean(&Spread::zipf(n, 0.6), shards));
            assert!(of_values.is_sorted_by(|a, b| a > b), "{of_values:?}");
            let of_slopes = [0.0, 0.4, 0.8, 1.0, 1.3, 2.0];
            let of_slopes = of_slopes.map(|s| busiest_over_mean(&Spread::zipf(1e4, s), shards));
            assert!(of_slopes.is_sorted_by(|a, b| a < b), "{of_slopes:?}");
        }
        for spread in [Spread::uniform(500.0), Spread::zipf(1e5, 1.0), Spread::uniform(1e4).with_nulls(0.2)] {
            let of_shards =
                [1, 2, 4, 8, 16, 20, 21, 32, 64, 128, 480, 1024].map(|s| busiest_over_mean(&spread, s));
            assert!(of_shards.is_sorted_by(|a, b| a < b), "{of_shards:?}");
        }
    }

    #[test]
    fn a_cache_computes_each_question_once() {
        let mut cache = SkewCache::default();
        assert!(cache.is_empty());
        let (a, b) = (Spread::zipf(1000.0, 1.0), Spread::zipf(1000.0, 1.1));
        let first = cache.busiest_over_mean(&a, 16);
        assert_eq!(first.to_bits(), cache.busiest_over_mean(&a.clone(), 16).to_bits());
        assert_eq!(cache.len(), 1);
        assert!(first < cache.busiest_over_mean(&b, 16));
        assert!(first < cache.busiest_over_mean(&a, 32));
        assert_eq!(cache.len(), 3);
    }

    /// Up to a million values on up to 512 shards: the many rounds are for a build with optimisation.
    #[test]
    fn the_whole_grid_agrees_with_placing_all_values() {
        if std::env::var_os("SHARDWRIGHT_LONG").is_none() {
            return;
        }
        for n in [9, 12, 20, 35, 60, 150, 500, 2000, 10_000, 100_000, 1_000_000] {
            let precision = if n < 100_000 { 0.002 } else { 0.004 };
            for shards in [2, 3, 5, 8, 16, 20, 21, 32, 64, 128, 512] {
                let mut cases: Vec<Case> =
                    [0.0, 0.3, 0.6, 0.8, 1.0, 1.2, 1.5, 2.0].map(|s| zipf(n, s)).into();
                cases.extend([0.02, 0.3].map(|nulls| uniform(n - 1).with_nulls(nulls)));
                cases.extend([0.45, 0.2].map(|share| top(&[share, share], n, 0.0)));
                cases.push(top(&[0.12; 6], n, 0.0));
                for case in cases {
                    case.check(shards, precision);
                }
            }
        }
    }
}
