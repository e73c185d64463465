//! What fan-out does to the slowest percentile.

use crate::units::Share;

/// Share of the requests to `shards` shards that meet at least one slow answer.
///
/// # Model
///
/// `1 − (1 − p)^n` with `p` the share of slow answers of one shard. Shards are
/// taken to be independent; where slowness is shared (one bad switch) the true
/// share is lower. `n` may be an average and need not be whole.
///
/// # Units
///
/// `shards` counts shards asked, not replicas.
///
/// # Source
///
/// Dean and Barroso, "The Tail at Scale", CACM 56(2), 2013.
#[must_use]
pub fn slow_request_share(slow: Share, shards: f64) -> Share {
    let n = if shards > 0.0 { shards } else { return Share::NONE };
    // `n · log1p(−0)` is NaN for an infinite n.
    if slow == Share::NONE {
        return Share::NONE;
    }
    Share::new(-libm::expm1(n * libm::log1p(-slow.get()))).unwrap_or(Share::ALL)
}

/// The percentile that each of `shards` shards must hold for the whole request to hold `percentile`.
///
/// # Model
///
/// `q^(1/n)`: the request is fast only when all of its n answers are.
///
/// # Source
///
/// Dean and Barroso, "The Tail at Scale", CACM 56(2), 2013.
#[must_use]
pub fn shard_percentile_needed(percentile: Share, shards: f64) -> Share {
    let n = if shards > 0.0 { shards } else { return Share::NONE };
    if percentile == Share::NONE {
        return Share::NONE;
    }
    Share::new(libm::exp(libm::log(percentile.get()) / n)).unwrap_or(Share::ALL)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(value: f64) -> Share {
        Share::new(value).expect("a literal in range")
    }

    fn near(value: Share, expected: f64, tolerance: f64) {
        assert!((value.get() - expected).abs() <= tolerance, "{value:?} is not {expected}");
    }

    #[test]
    fn one_slow_answer_in_a_hundred_slows_most_requests_to_a_hundred_shards() {
        near(slow_request_share(share(0.01), 100.0), 0.634, 0.0005);
        near(slow_request_share(share(0.01), 480.0), 0.992, 0.0005);
        // The paper's second example: one in 10,000 and 2,000 servers, almost one in five.
        near(slow_request_share(share(0.0001), 2000.0), 0.1813, 0.0001);
    }

    #[test]
    fn rare_slowness_does_not_cancel() {
        near(slow_request_share(share(1e-18), 100.0), 1e-16, 1e-30);
        near(slow_request_share(share(0.19), 0.5), 0.1, 1e-12);
    }

    #[test]
    fn the_percentile_of_each_shard_is_the_root_of_the_whole() {
        near(shard_percentile_needed(share(0.99), 1.0), 0.99, 1e-12);
        near(shard_percentile_needed(share(0.81), 2.0), 0.9, 1e-12);
        near(shard_percentile_needed(share(0.99), 100.0), 0.999_899_5, 1e-7);
    }

    #[test]
    fn hostile_numbers_give_shares() {
        for n in [0.0, -1.0, f64::NAN] {
            near(slow_request_share(share(0.5), n), 0.0, 0.0);
            near(shard_percentile_needed(share(0.5), n), 0.0, 0.0);
        }
        near(slow_request_share(Share::ALL, 3.0), 1.0, 0.0);
        near(slow_request_share(Share::NONE, f64::INFINITY), 0.0, 0.0);
        near(slow_request_share(share(0.5), f64::INFINITY), 1.0, 0.0);
        near(shard_percentile_needed(share(0.5), f64::INFINITY), 1.0, 0.0);
        near(shard_percentile_needed(Share::NONE, 4.0), 0.0, 0.0);
    }
}
