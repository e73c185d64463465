//! How rows or requests spread over values: the biggest shares one by one, the rest in classes.

use crate::analysis::zipf::{harmonic, power, terms};
use crate::model::Distribution;

/// Values whose shares are kept one by one, at most.
const HEAVY: usize = 512;

/// Classes beyond which neighbours are merged.
const CLASSES: usize = 256;

/// Values of each side that a composite key multiplies one by one.
const MULTIPLIED: usize = 24;

/// Depth to which the rest of a top list may itself be a top list.
const NESTED: u32 = 8;

/// More values than anything has.
const MANY: f64 = 1e18;

/// A share that is nothing, and whose square is still a number.
const FAINT: f64 = 1e-140;

/// Values of similar share, taken together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Class {
    /// How many values.
    pub count: f64,
    /// Their shares together.
    pub share: f64,
    /// The squares of their shares together.
    pub sum_squares: f64,
    /// The largest share among them.
    pub top: f64,
}

impl Class {
    /// Values that are all alike.
    fn equal(count: f64, share: f64) -> Self {
        let each = share / count;
        Self { count, share, sum_squares: share * each, top: each }
    }

    /// The share of the value that an average row has.
    #[must_use]
    pub fn value(&self) -> f64 {
        (self.sum_squares / self.share).min(self.top)
    }

    /// Whether all its values have the same share.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.count * self.top <= self.share * (1.0 + 1e-9)
    }

    fn scaled(&self, factor: f64) -> Self {
        Self {
            count: self.count,
            share: self.share * factor,
            sum_squares: self.sum_squares * factor * factor,
            top: self.top * factor,
        }
    }

    fn split(&self, ways: f64) -> Self {
        Self {
            count: self.count * ways,
            share: self.share,
            sum_squares: self.sum_squares / ways,
            top: self.top / ways,
        }
    }

    fn times(&self, other: &Self) -> Self {
        Self {
            count: self.count * other.count,
            share: self.share * other.share,
            sum_squares: self.sum_squares * other.sum_squares,
            top: self.top * other.top,
        }
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.share += other.share;
        self.sum_squares += other.sum_squares;
        self.top = self.top.max(other.top);
    }

    /// The class with sums that fit together, or nothing where they are not numbers.
    ///
    /// A part of a value is a value. Rounding and underflow may have left the
    /// squares below what the share and the count allow.
    fn sound(self) -> Option<Self> {
        let numbers = [self.count, self.share, self.sum_squares, self.top].iter().all(|it| it.is_finite());
        if !numbers || self.count <= 0.0 || self.share < 0.0 {
            return None;
        }
        let (count, share) = (self.count.max(1.0), self.share.max(FAINT));
        let least = share / count;
        let top = self.top.clamp(least, share);
        let sum_squares = self.sum_squares.clamp(share * least, share * top);
        Some(Self { count, share, sum_squares, top })
    }
}

/// How rows or requests spread over the values of a key.
///
/// # Model
///
/// Shares that add up to 1. The largest, at most 512, stand by themselves; the
/// others are grouped in classes of similar share, each with the number, the
/// sum and the sum of squares of its shares, which is all that the figures of
/// this module and the placement on shards need.
///
/// Every constructor gives a usable spread: fewer than one value is one, shares
/// that add up to another sum than 1 are scaled, and what is not a number is
/// left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Largest first.
    heavy: Vec<f64>,
    /// Largest values first.
    tail: Vec<Class>,
}

impl Spread {
    /// One value that everything has.
    #[must_use]
    pub fn constant() -> Self {
        Self::uniform(1.0)
    }

    /// Values that are all alike.
    #[must_use]
    pub fn uniform(distinct: f64) -> Self {
        Self { heavy: Vec::new(), tail: vec![Class::equal(usable(distinct), 1.0)] }
    }

    /// Values of which the k-th has a weight of `k^−s`.
    #[must_use]
    pub fn zipf(distinct: f64, s: f64) -> Self {
        // Below this exponent the most frequent of 10^18 values is like the others.
        if !(1e-9..f64::INFINITY).contains(&s) {
            return Self::uniform(distinct);
        }
        let n = usable(distinct).round();
        let sum = harmonic(n, s);
        let mut heavy = Vec::with_capacity(HEAVY);
        let mut rank = 0.0;
        while rank < n && heavy.len() < HEAVY {
            rank += 1.0;
            heavy.push((power(rank, s) / sum).max(FAINT));
        }
        let mut tail = Vec::new();
        while rank < n {
            let last = (2.0 * rank).min(n);
            tail.push(Class {
                count: last - rank,
                share: terms(rank, last, s) / sum,
                sum_squares: terms(rank, last, 2.0 * s) / sum / sum,
                top: power(rank + 1.0, s) / sum,
            });
            rank = last;
        }
        Self::of_parts(heavy, tail)
    }

    /// The spread of a column with so many different values.
    ///
    /// The values of a histogram are counted by itself. A top list with as many
    /// names as there are values leaves nothing for the rest: its shares are
    /// scaled to the whole.
    #[must_use]
    pub fn of(distribution: &Distribution, distinct: f64) -> Self {
        Self::nested(distribution, distinct, NESTED)
    }

    fn nested(distribution: &Distribution, distinct: f64, depth: u32) -> Self {
        match distribution {
            Distribution::Uniform => Self::uniform(distinct),
            Distribution::Zipf(s) => Self::zipf(distinct, *s),
            Distribution::Histogram(pairs) => Self::histogram(pairs, distinct),
            Distribution::Top { shares, rest } => {
                let named: Vec<f64> = shares.iter().map(|(_, share)| share.get()).collect();
                let left = 1.0 - named.iter().sum::<f64>();
                let others = usable(distinct) - named.len() as f64;
                if left <= 1e-12 || others < 0.5 {
                    return Self::of_parts(named, Vec::new());
                }
                let rest = match depth {
                    0 => Self::uniform(others),
                    _ => Self::nested(rest, others, depth - 1),
                };
                rest.beside(&named, left)
            }
        }
    }

    fn histogram(pairs: &[(f64, f64)], distinct: f64) -> Self {
        let usable = |it: &f64| it.is_finite() && *it > 0.0;
        let classes: Vec<Class> = pairs
            .iter()
            .filter(|(rows, values)| usable(rows) && usable(values))
            .map(|(rows, values)| (rows.min(MANY), values.min(MANY)))
            .map(|(rows, values)| Class::equal(values, rows * values))
            .collect();
        if classes.is_empty() { Self::uniform(distinct) } else { Self::of_parts(Vec::new(), classes) }
    }

    /// The same with NULL as one more value, which has this share.
    #[must_use]
    pub fn with_nulls(&self, share: f64) -> Self {
        match share {
            share if share >= 1.0 => Self::constant(),
            share if share > 0.0 => self.beside(&[share], 1.0 - share),
            _ => self.clone(),
        }
    }

    /// The named shares, and this spread over what they leave.
    fn beside(&self, named: &[f64], left: f64) -> Self {
        let heavy = named.iter().copied().chain(self.heavy.iter().map(|it| it * left)).collect();
        Self::of_parts(heavy, self.tail.iter().map(|it| it.scaled(left)).collect())
    }

    /// The spread of a composite key whose parts are independent of one another.
    ///
    /// # Model
    ///
    /// Shares multiply. `cap` rows have at most `cap` different values: see
    /// [`Spread::capped`]. The 24 largest shares of each side are multiplied one
    /// by one, the others class by class.
    #[must_use]
    pub fn times(&self, other: &Self, cap: f64) -> Self {
        let (ours, theirs) = (self.condensed(), other.condensed());
        let mut heavy = Vec::new();
        let mut tail = Vec::new();
        for a in &ours {
            for b in &theirs {
                let product = a.times(b);
                if product.count > 1.0 { tail.push(product) } else { heavy.push(product.share.max(FAINT)) }
            }
        }
        Self::of_parts(heavy, tail).capped(cap)
    }

    /// The same spread over no more values than there are rows.
    ///
    /// # Model
    ///
    /// The rarest values are the ones that no row has: there is a level L so
    /// that each class keeps at most L values per unit of its share, and the
    /// values that are left add up to `cap`. Shares of classes do not change.
    #[must_use]
    pub fn capped(&self, cap: f64) -> Self {
        let cap = usable(cap);
        if self.distinct() <= cap {
            return self.clone();
        }
        // A value with less than one row cannot stand for itself.
        let kept = self.heavy.partition_point(|share| share * cap >= 1.0);
        let (heavy, rare) = self.heavy.split_at(kept);
        let rare = rare.iter().map(|share| Class::equal(1.0, *share));
        let mut values = (cap - heavy.len() as f64).max(0.0);
        let classes = by_value(self.tail.iter().copied().chain(rare).collect());
        let mut share: f64 = classes.iter().map(|it| it.share).sum();
        let mut tail = Vec::new();
        let mut thinned: Option<Class> = None;
        for class in classes {
            // The largest values come first, so the level only rises.
            let level = class.share * values / share;
            let kept = Class { count: class.count.min(level), ..class };
            values -= kept.count;
            share -= class.share;
            match &mut thinned {
                _ if kept.count >= class.count => tail.push(class),
                // Values at the level have about one row each, and are alike.
                Some(thinned) => thinned.merge(&kept),
                None => thinned = Some(kept),
            }
        }
        if let Some(class) = thinned.filter(|it| it.count > 0.0) {
            let alike = Class::equal(class.count, class.share);
            let sum_squares = class.sum_squares.max(alike.sum_squares);
            tail.push(Class { sum_squares, top: class.top.max(alike.top), ..class });
        }
        Self::of_parts(heavy.to_vec(), tail)
    }

    /// The spread when a salt splits every value in so many equal parts.
    #[must_use]
    pub fn salted(&self, ways: u32) -> Self {
        self.bucketed(f64::from(ways))
    }

    /// The spread when a salt splits only the values with more than this share.
    #[must_use]
    pub fn salted_only_hot(&self, ways: u32, threshold: f64) -> Self {
        self.split(f64::from(ways), threshold)
    }

    /// The spread when every value is spread evenly over so many time buckets.
    #[must_use]
    pub fn bucketed(&self, buckets: f64) -> Self {
        self.split(buckets, 0.0)
    }

    fn split(&self, ways: f64, threshold: f64) -> Self {
        let ways = usable(ways);
        let copies = if ways.fract() > 0.0 || ways > HEAVY as f64 { 0 } else { ways as usize };
        let mut heavy = Vec::new();
        let mut tail = Vec::new();
        for share in &self.heavy {
            if *share <= threshold {
                heavy.push(*share);
            } else if 0 < copies && heavy.len() + copies <= HEAVY {
                heavy.extend(std::iter::repeat_n(share / ways, copies));
            } else {
                tail.push(Class::equal(ways, *share));
            }
        }
        tail.extend(self.tail.iter().map(|it| if it.value() > threshold { it.split(ways) } else { *it }));
        Self::of_parts(heavy, tail)
    }

    /// How many different values there are.
    #[must_use]
    pub fn distinct(&self) -> f64 {
        self.tail.iter().map(|it| it.count).sum::<f64>() + self.heavy.len() as f64
    }

    /// How many equal values would collide as often: `1 / Σp²`.
    ///
    /// # Source
    ///
    /// Simpson, "Measurement of Diversity", Nature 163, 1949; Hill's number of
    /// order 2.
    #[must_use]
    pub fn effective(&self) -> f64 {
        1.0 / self.sum_squares()
    }

    /// The sum of the squared shares.
    #[must_use]
    pub fn sum_squares(&self) -> f64 {
        let heavy: f64 = self.heavy.iter().map(|it| it * it).sum();
        self.tail.iter().map(|it| it.sum_squares).sum::<f64>() + heavy
    }

    /// The largest share of one value.
    #[must_use]
    pub fn top(&self) -> f64 {
        let heavy = self.heavy.first().copied().unwrap_or(0.0);
        self.tail.iter().map(|it| it.top).fold(heavy, f64::max)
    }

    /// The shares that stand by themselves, largest first.
    pub fn heavy(&self) -> impl Iterator<Item = f64> + '_ {
        self.heavy.iter().copied()
    }

    /// The classes of the other values, those with the largest values first.
    #[must_use]
    pub fn tail(&self) -> &[Class] {
        &self.tail
    }

    /// The number of values, if all have the same share.
    #[must_use]
    pub fn equal_values(&self) -> Option<f64> {
        let equal = self.tail.iter().all(Class::is_equal);
        let least = self.tail.iter().map(|it| it.top).chain(self.heavy.last().copied()).fold(1.0, f64::min);
        (equal && self.top() <= least * (1.0 + 1e-9)).then(|| self.distinct())
    }

    /// The bits of all its numbers: equal for equal spreads only.
    pub(crate) fn bits(&self) -> Vec<u64> {
        let heavy = self.heavy.iter().copied();
        let tail = self.tail.iter().flat_map(|it| [it.count, it.share, it.sum_squares, it.top]);
        // The number of heavy hitters tells where the classes begin.
        std::iter::once(self.heavy.len() as u64).chain(heavy.chain(tail).map(f64::to_bits)).collect()
    }

    /// Puts any parts in order: sorted, few, and adding up to 1.
    fn of_parts(mut heavy: Vec<f64>, tail: Vec<Class>) -> Self {
        let mut tail: Vec<Class> = tail.into_iter().filter_map(Class::sound).collect();
        // A class of one value is that value.
        heavy.extend(tail.extract_if(.., |it| it.count.to_bits() == 1.0_f64.to_bits()).map(|it| it.share));
        heavy.retain(|it| it.is_finite() && *it > 0.0);
        if heavy.len() > HEAVY {
            heavy.select_nth_unstable_by(HEAVY, |a, b| b.total_cmp(a));
        }
        let spilled = heavy.split_off(heavy.len().min(HEAVY));
        heavy.sort_by(|a, b| b.total_cmp(a));
        tail.extend(spilled.into_iter().map(|share| Class::equal(1.0, share)));
        let total = heavy.iter().sum::<f64>() + tail.iter().map(|it| it.share).sum::<f64>();
        if !(total > 0.0 && total.is_finite()) {
            return Self::constant();
        }
        for share in &mut heavy {
            *share /= total;
        }
        let tail = tail.iter().filter_map(|it| it.scaled(1.0 / total).sound()).collect();
        let tail = merged(tail, CLASSES, 3);
        Self { heavy, tail }
    }

    /// All values as few classes, the largest of them alone.
    fn condensed(&self) -> Vec<Class> {
        let mut all: Vec<Class> = self.heavy.iter().map(|it| Class::equal(1.0, *it)).collect();
        let rest = all.split_off(all.len().min(MULTIPLIED));
        all.extend(merged(rest.into_iter().chain(self.tail.iter().copied()).collect(), 8, 1));
        all
    }
}

/// At least one value, and fewer than would overflow.
fn usable(count: f64) -> f64 {
    if count > 1.0 { count.min(MANY) } else { 1.0 }
}

fn by_value(mut classes: Vec<Class>) -> Vec<Class> {
    classes.sort_by(|a, b| b.value().total_cmp(&a.value()));
    classes
}

/// Sorted classes; where there are more than `limit`, those in the same of `2^steps` parts of an octave are one.
fn merged(classes: Vec<Class>, limit: usize, steps: u32) -> Vec<Class> {
    if classes.len() <= limit {
        return by_value(classes);
    }
    // Exponent and leading digits of a float are its octave and the part of it.
    let part = |it: &Class| it.value().to_bits() >> (f64::MANTISSA_DIGITS - 1 - steps);
    let mut keyed: Vec<(u64, Class)> = classes.into_iter().map(|it| (part(&it), it)).collect();
    keyed.sort_by_key(|it| std::cmp::Reverse(it.0));
    let mut few: Vec<(u64, Class)> = Vec::new();
    for (part, class) in keyed {
        match few.last_mut() {
            Some((at, last)) if *at == part => last.merge(&class),
            _ => few.push((part, class)),
        }
    }
    few.into_iter().map(|(_, class)| class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::zipf::{zipf_share, zipf_sum_squares};
    use crate::units::Share;

    fn close(value: f64, expected: f64, relative: f64) {
        assert!((value - expected).abs() <= relative * expected.abs(), "{value} is not {expected}");
    }

    fn sum(spread: &Spread) -> f64 {
        spread.heavy().sum::<f64>() + spread.tail().iter().map(|it| it.share).sum::<f64>()
    }

    fn top(shares: &[f64], rest: Distribution) -> Distribution {
        let shares = shares.iter().map(|it| (None, Share::new(*it).expect("a literal in range"))).collect();
        Distribution::Top { shares, rest: Box::new(rest) }
    }

    #[test]
    fn equal_values_are_as_effective_as_they_are_many() {
        let spread = Spread::uniform(2.5e6);
        close(spread.distinct(), 2.5e6, 1e-15);
        close(spread.effective(), 2.5e6, 1e-15);
        close(spread.top(), 4e-7, 1e-15);
        assert_eq!(Spread::constant(), Spread::uniform(1.0));
        close(Spread::constant().top(), 1.0, 1e-15);
    }

    #[test]
    fn a_zipf_spread_has_the_sums_of_its_distribution() {
        for (n, s) in [(3.0, 1.0), (512.0, 0.7), (513.0, 0.7), (1e6, 1.0), (1e6, 2.5), (1e12, 0.4)] {
            let spread = Spread::zipf(n, s);
            close(spread.distinct(), n, 1e-12);
            close(sum(&spread), 1.0, 1e-12);
            close(spread.sum_squares(), zipf_sum_squares(n, s), 1e-10);
            close(spread.top(), zipf_share(1.0, n, s), 1e-12);
        }
        // By hand: shares 6/11, 3/11, 2/11.
        close(Spread::zipf(3.0, 1.0).effective(), 121.0 / 49.0, 1e-12);
    }

    #[test]
    fn a_top_list_leaves_the_rest_to_the_other_values() {
        let spread = Spread::of(&top(&[0.12, 0.2], Distribution::Uniform), 102.0);
        assert_eq!(spread.heavy().collect::<Vec<_>>(), [0.2, 0.12]);
        close(spread.distinct(), 102.0, 1e-12);
        close(spread.sum_squares(), 0.04 + 0.0144 + 0.68 * 0.68 / 100.0, 1e-12);
        let zipf = Spread::of(&top(&[0.5], Distribution::Zipf(1.0)), 4.0);
        close(zipf.sum_squares(), 0.25 + 0.25 * 49.0 / 121.0, 1e-12);
    }

    #[test]
    fn a_top_list_of_all_values_is_scaled_to_the_whole() {
        let spread = Spread::of(&top(&[0.3, 0.1], Distribution::Uniform), 2.0);
        close(spread.top(), 0.75, 1e-12);
        close(spread.distinct(), 2.0, 1e-12);
        let over = Spread::of(&top(&[0.9, 0.9], Distribution::Uniform), 100.0);
        close(over.top(), 0.5, 1e-12);
        close(sum(&over), 1.0, 1e-12);
    }

    #[test]
    fn a_histogram_counts_its_own_values() {
        // 900 rows of one value, 1 row of each of 100: shares 0.9 and 0.001.
        let spread = Spread::of(&Distribution::Histogram(vec![(1.0, 100.0), (900.0, 1.0)]), 7.0);
        close(spread.distinct(), 101.0, 1e-12);
        close(spread.top(), 0.9, 1e-12);
        close(spread.sum_squares(), 0.81 + 100.0 * 1e-6, 1e-12);
        let empty = Spread::of(&Distribution::Histogram(vec![(0.0, 5.0)]), 7.0);
        assert_eq!(empty, Spread::uniform(7.0));
    }

    #[test]
    fn null_is_one_more_value() {
        let spread = Spread::uniform(100.0).with_nulls(0.25);
        close(spread.distinct(), 101.0, 1e-12);
        close(spread.top(), 0.25, 1e-12);
        close(spread.sum_squares(), 0.0625 + 0.5625 / 100.0, 1e-12);
        assert_eq!(Spread::uniform(9.0).with_nulls(0.0), Spread::uniform(9.0));
        assert_eq!(Spread::uniform(9.0).with_nulls(1.0), Spread::constant());
    }

    #[test]
    fn shares_of_independent_columns_multiply() {
        let product = Spread::uniform(40.0).times(&Spread::uniform(25.0), 1e9);
        close(product.equal_values().expect("values alike"), 1000.0, 1e-12);
        let (a, b) = (Spread::zipf(3000.0, 1.0), Spread::zipf(700.0, 0.6).with_nulls(0.1));
        let product = a.times(&b, 1e18);
        close(product.distinct(), 3000.0 * 701.0, 1e-12);
        close(product.sum_squares(), a.sum_squares() * b.sum_squares(), 1e-12);
        close(product.top(), a.top() * b.top(), 1e-12);
        close(sum(&product), 1.0, 1e-12);
        // NULL has 10 %, the next value of b 2.9 %: the first three are those of a with NULL.
        let shares: Vec<f64> = product.heavy().take(4).collect();
        close(shares[2], zipf_share(3.0, 3000.0, 1.0) * 0.1, 1e-12);
        close(shares[3], zipf_share(1.0, 3000.0, 1.0) * 0.9 * zipf_share(1.0, 700.0, 0.6), 1e-12);
    }

    #[test]
    fn rows_cap_the_values_of_a_composite_key() {
        let product = Spread::uniform(1e4).times(&Spread::uniform(1e4), 1e6);
        close(product.equal_values().expect("values alike"), 1e6, 1e-12);
        for cap in [3.0, 50.0, 2e4, 1.5e6] {
            let product = Spread::zipf(3000.0, 1.0).times(&Spread::zipf(700.0, 0.6), cap);
            close(product.distinct(), cap, 1e-9);
            close(sum(&product), 1.0, 1e-12);
            assert!(product.effective() <= cap * (1.0 + 1e-9), "{cap}");
        }
    }

    #[test]
    fn salts_and_buckets_split_every_value() {
        for (spread, ways) in [
            (Spread::zipf(100.0, 1.0), 3_u32),
            (Spread::zipf(1e6, 1.2), 8),
            (Spread::uniform(50.0).with_nulls(0.4), 1000),
        ] {
            let salted = spread.salted(ways);
            close(salted.distinct(), spread.distinct() * f64::from(ways), 1e-9);
            close(salted.effective(), spread.effective() * f64::from(ways), 1e-9);
            close(salted.top(), spread.top() / f64::from(ways), 1e-9);
            assert_eq!(salted, spread.bucketed(f64::from(ways)));
        }
        close(Spread::constant().bucketed(2.5).effective(), 2.5, 1e-12);
    }

    #[test]
    fn a_salt_for_hot_values_leaves_the_others_alone() {
        let spread = Spread::uniform(100.0).with_nulls(0.4).salted_only_hot(4, 0.1);
        close(spread.distinct(), 104.0, 1e-12);
        close(spread.top(), 0.1, 1e-12);
        close(spread.sum_squares(), 4.0 * 0.01 + 0.36 / 100.0, 1e-12);
    }

    #[test]
    fn many_different_values_are_merged_without_losing_their_sums() {
        let pairs: Vec<(f64, f64)> = (1..=2000).map(|k| (f64::from(k), 3.0)).collect();
        let spread = Spread::of(&Distribution::Histogram(pairs), 1.0);
        // Σk = n(n + 1)/2 and Σk² = n(n + 1)(2n + 1)/6.
        let (total, squares) = (3.0 * 2_001_000.0, 3.0 * 2000.0 * 2001.0 * 4001.0 / 6.0);
        assert!(spread.tail().len() <= CLASSES);
        close(spread.distinct(), 6000.0, 1e-12);
        close(spread.sum_squares(), squares / total / total, 1e-12);
        close(spread.top(), 2000.0 / total, 1e-12);
    }

    #[test]
    fn hostile_numbers_give_usable_spreads() {
        let numbers = [f64::NAN, f64::INFINITY, -1.0, 0.0, 0.3, 1e-300, 1e300, 5.0];
        let mut spreads = Vec::new();
        for a in numbers {
            spreads.extend([Spread::uniform(a), Spread::zipf(a, 1.0), Spread::zipf(1e6, a)]);
            for b in numbers {
                spreads.push(Spread::of(&Distribution::Histogram(vec![(a, b), (b, 2.0)]), a));
                spreads.push(Spread::uniform(a).with_nulls(b).bucketed(b));
                spreads.push(Spread::zipf(a, b).times(&Spread::zipf(b, a), a));
            }
        }
        let mut nested = Distribution::Zipf(1.0);
        for _ in 0..40 {
            nested = top(&[0.1, 0.0, 1.0], top(&[], nested));
        }
        spreads.push(Spread::of(&nested, 3.0));
        for spread in spreads {
            close(sum(&spread), 1.0, 1e-9);
            assert!(1.0 <= spread.distinct() * (1.0 + 1e-9) && spread.distinct().is_finite(), "{spread:?}");
            assert!(0.0 < spread.top() && spread.top() <= 1.0 + 1e-9, "{spread:?}");
            assert!(spread.effective() <= spread.distinct() * (1.0 + 1e-9), "{spread:?}");
            assert!(spread.sum_squares() <= spread.top() * (1.0 + 1e-9), "{spread:?}");
        }
    }
}
