//! Tokens: values of shard keys as a pattern binds them, and how many
//! different shards a set of them falls on.
//!
//! # Model
//!
//! A hashed token is a uniform draw of one of S shards; equal tokens are one
//! draw; different ones are independent. A parameter that equals another in a
//! share p of the requests makes its token equal to the other's with p, else an
//! independent draw. `k` runs are k independent draws. For a set of tokens, a
//! shard is missed with the product of the tokens' chances to miss it, so
//! E[distinct] = S·(1 − P(miss)); all fall on one shard with S·Π P(hit it).
//!
//! # Source
//!
//! Occupancy ("balls into bins"), W. Feller, An Introduction to Probability
//! Theory and Its Applications, vol. 1, chapter IV.

use std::collections::BTreeMap;

/// What a token's value is made of: classes, buckets, or a place of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// The value of an equality class.
    Class(u32),
    /// The time bucket of a class or of one instance's column.
    Bucket(u32),
    /// Salts of everything before.
    Salt,
    /// A value of its own: nothing else in the pattern has it.
    Own(u32),
    /// The one shard of unsharded tables.
    Home,
}

/// The value of a shard key as a pattern binds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Which map from values to shards: tables whose equal values meet share it.
    pub space: u32,
    /// The value.
    pub atoms: Vec<Atom>,
    /// The value it equals in a share of the requests, and that share.
    pub mostly: Option<(Vec<Atom>, f64)>,
    /// Independent draws of it; fractional where a number is a mean.
    pub draws: f64,
    /// Most draws of it.
    pub most: f64,
}

/// How many shards a set of tokens falls on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spreading {
    /// Expected number of different shards.
    pub mean: f64,
    /// Probability of more than one.
    pub multi: f64,
    /// Largest number.
    pub max: f64,
}

impl Spreading {
    /// No shard at all.
    pub const NONE: Self = Self { mean: 0.0, multi: 0.0, max: 0.0 };

    /// All shards.
    #[must_use]
    pub fn all(shards: f64) -> Self {
        Self { mean: shards, multi: if 1.0 < shards { 1.0 } else { 0.0 }, max: shards }
    }
}

/// Tokens that share a base value.
#[derive(Default)]
struct Family {
    /// The base value is drawn by itself.
    base: bool,
    /// Further independent draws of the same name (repetitions).
    repeats: f64,
    /// Values that equal the base in a share: (share, draws).
    near: Vec<(f64, f64)>,
}

/// `q^k`, linear between whole k: a fractional number of draws is a mix of two whole ones.
fn draws_pow(q: f64, k: f64) -> f64 {
    let whole = k.floor();
    let part = k - whole;
    let low = libm::pow(q, whole);
    if part <= 0.0 { low } else { low * ((1.0 - part) + part * q) }
}

/// Number of different shards that a set of tokens falls on.
#[must_use]
pub fn spreading(tokens: &[&Token], shards: f64) -> Spreading {
    if tokens.is_empty() {
        return Spreading::NONE;
    }
    if shards <= 1.0 {
        return Spreading { mean: 1.0, multi: 0.0, max: 1.0 };
    }
    let mut families: BTreeMap<(u32, &[Atom]), Family> = BTreeMap::new();
    let mut seen: Vec<(u32, &[Atom])> = Vec::new();
    let mut most = 0.0;
    for token in tokens {
        let name = (token.space, token.atoms.as_slice());
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        most += token.most;
        match &token.mostly {
            None => {
                let family = families.entry(name).or_default();
                family.base = true;
                family.repeats += token.draws - 1.0;
            }
            Some((base, share)) => {
                let family = families.entry((token.space, base.as_slice())).or_default();
                family.near.push((*share, token.draws));
            }
        }
    }
    let q = 1.0 / shards;
    let miss_once = 1.0 - q;
    let (mut miss, mut hit) = (1.0, 1.0);
    for family in families.values() {
        let (family_miss, family_hit) = family_chances(family, q, miss_once);
        miss *= family_miss;
        hit *= family_hit;
    }
    let mean = (shards * (1.0 - miss)).clamp(1.0, shards);
    let multi = (1.0 - shards * hit).clamp(0.0, 1.0);
    // Rounding of 1 − S·(1/S) must not turn one token into a tiny chance of two.
    let multi = if multi < 1e-12 { 0.0 } else { multi };
    Spreading { mean, multi, max: most.min(shards).max(1.0) }
}

/// Chances that a family misses a given shard, and that it lies on it alone.
fn family_chances(family: &Family, q: f64, miss_once: f64) -> (f64, f64) {
    // Given that the base value lies elsewhere (away) or on the shard (there).
    let (mut away_miss, mut there_hit) = (1.0, 1.0);
    let (mut there_miss, mut away_hit) = (1.0, 1.0);
    for (share, draws) in &family.near {
        away_miss *= draws_pow(share + (1.0 - share) * miss_once, *draws);
        there_hit *= draws_pow(share + (1.0 - share) * q, *draws);
        there_miss *= draws_pow((1.0 - share) * miss_once, *draws);
        away_hit *= draws_pow((1.0 - share) * q, *draws);
    }
    let repeats_miss = draws_pow(miss_once, family.repeats.max(0.0));
    let repeats_hit = draws_pow(q, family.repeats.max(0.0));
    if family.base {
        (miss_once * away_miss * repeats_miss, q * there_hit * repeats_hit)
    } else {
        (q * there_miss + miss_once * away_miss, q * there_hit + miss_once * away_hit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(name: u32, draws: f64) -> Token {
        Token { space: 0, atoms: vec![Atom::Class(name)], mostly: None, draws, most: draws.ceil() }
    }

    fn near(name: u32, base: u32, share: f64, draws: f64) -> Token {
        Token { mostly: Some((vec![Atom::Class(base)], share)), ..token(name, draws) }
    }

    #[test]
    fn k_keys_touch_the_occupancy_number_of_shards() {
        // S(1 − (1 − 1/S)^k) by hand: 16 shards; 4, 10, 20 keys.
        for (k, mean) in [(1.0, 1.0), (4.0, 3.6404), (10.0, 7.6086), (20.0, 11.5991)] {
            let it = spreading(&[&token(1, k)], 16.0);
            assert!((it.mean - mean).abs() < 1e-4, "{k}: {}", it.mean);
        }
        let it = spreading(&[&token(1, 4.0)], 16.0);
        assert!((it.multi - (1.0 - 1.0 / 4096.0)).abs() < 1e-12);
    }

    #[test]
    fn equal_tokens_count_once() {
        let (a, b) = (token(1, 1.0), token(1, 1.0));
        assert_eq!(spreading(&[&a, &b], 16.0), Spreading { mean: 1.0, multi: 0.0, max: 1.0 });
    }

    #[test]
    fn a_line_in_a_hundred_from_another_warehouse_is_nine_percent_of_orders_of_ten() {
        // 1 − (1 − 0.01·15/16)^10 = 0.089892
        let it = spreading(&[&token(1, 1.0), &near(2, 1, 0.99, 10.0)], 16.0);
        assert!((it.multi - 0.089_892).abs() < 1e-6, "{}", it.multi);
    }

    #[test]
    fn a_base_that_is_not_drawn_itself_still_ties_its_followers() {
        // Two parameters, each equal to a third with 1/2: both equal it with 1/4, so they are
        // equal with 1/4 and otherwise meet by chance on one of 4 shards: 1/4 + 3/4·1/4 = 7/16.
        let it = spreading(&[&near(2, 1, 0.5, 1.0), &near(3, 1, 0.5, 1.0)], 4.0);
        assert!((1.0 - it.multi - 7.0 / 16.0).abs() < 1e-12, "{}", it.multi);
    }

    #[test]
    fn simulation_agrees_with_the_formula() {
        let tokens = [token(1, 1.0), near(2, 1, 0.7, 3.0), token(3, 2.0)];
        let shards = 5_u64;
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let (mut sum, mut single, rounds) = (0_u64, 0_u64, 200_000_u64);
        for _ in 0..rounds {
            let base = next() % shards;
            let mut hit = vec![base];
            for _ in 0..3 {
                hit.push(if next() % 1000 < 700 { base } else { next() % shards });
            }
            hit.extend([next() % shards, next() % shards]);
            hit.sort_unstable();
            hit.dedup();
            sum += hit.len() as u64;
            single += u64::from(hit.len() == 1);
        }
        let it = spreading(&tokens.iter().collect::<Vec<_>>(), 5.0);
        assert!((it.mean - sum as f64 / rounds as f64).abs() < 0.01);
        assert!((1.0 - it.multi - single as f64 / rounds as f64).abs() < 0.002);
    }
}
