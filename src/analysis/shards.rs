//! How many shards a number of tokens touches.

/// Expected number of different shards that `tokens` independent keys hash to.
///
/// # Model
///
/// `S·(1 − (1 − 1/S)^k)`, the occupancy of S cells by k balls. A fractional k
/// is an average over requests: its whole neighbours are mixed in proportion,
/// so that 0.5 keys touch 0.5 shards. Nothing and NaN touch no shard; fewer
/// than one shard counts as one.
///
/// # Source
///
/// Feller, "An Introduction to Probability Theory and Its Applications", I,
/// chapter IV.2 (the number of empty cells).
#[must_use]
pub fn distinct_shards(tokens: f64, shards: f64) -> f64 {
    let tokens = if tokens > 0.0 { tokens } else { return 0.0 };
    let shards = if shards > 1.0 { shards } else { 1.0 };
    let whole = tokens.floor();
    let part = tokens - whole;
    let low = occupied(whole, shards);
    // An infinite number of tokens has no fraction.
    if part > 0.0 { low + part * (occupied(whole + 1.0, shards) - low) } else { low }
}

/// `S·(1 − (1 − 1/S)^k)` without cancellation, for whole k.
fn occupied(tokens: f64, shards: f64) -> f64 {
    if tokens < 1.0 {
        return 0.0;
    }
    if shards.is_infinite() {
        return tokens;
    }
    (-shards * libm::expm1(tokens * libm::log1p(-1.0 / shards))).min(shards)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
    }

    #[test]
    fn published_occupancies_are_met() {
        near(distinct_shards(20.0, 16.0), 11.60, 0.005);
        near(distinct_shards(100.0, 480.0), 90.36, 0.005);
        // By hand: 2·(1 − 1/8), and 3·(1 − (2/3)²).
        near(distinct_shards(3.0, 2.0), 1.75, 1e-12);
        near(distinct_shards(2.0, 3.0), 5.0 / 3.0, 1e-12);
    }

    #[test]
    fn a_fractional_number_of_tokens_mixes_its_neighbours() {
        near(distinct_shards(0.25, 16.0), 0.25, 1e-15);
        let mixed = 0.7 * distinct_shards(2.0, 16.0) + 0.3 * distinct_shards(3.0, 16.0);
        near(distinct_shards(2.3, 16.0), mixed, 1e-12);
    }

    #[test]
    fn many_shards_do_not_cancel() {
        // Pairs that collide: k(k − 1)/2 of S, so 1,000 keys on 10^12 lose 5e-7.
        near(1000.0 - distinct_shards(1000.0, 1e12), 999.0 * 1000.0 / 2.0 / 1e12, 1e-12);
        near(distinct_shards(1e9, 16.0), 16.0, 0.0);
    }

    #[test]
    fn hostile_numbers_give_finite_answers() {
        for (tokens, shards, expected) in [
            (0.0, 16.0, 0.0),
            (-3.0, 16.0, 0.0),
            (f64::NAN, 16.0, 0.0),
            (5.0, 1.0, 1.0),
            (0.5, 1.0, 0.5),
            (5.0, 0.0, 1.0),
            (5.0, f64::NAN, 1.0),
            (f64::INFINITY, 16.0, 16.0),
            (4.0, f64::INFINITY, 4.0),
        ] {
            near(distinct_shards(tokens, shards), expected, 0.0);
        }
    }
}
