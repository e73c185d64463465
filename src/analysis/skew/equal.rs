//! The fullest of S cells when all values are alike: an occupancy problem.

use std::f64::consts::FRAC_1_SQRT_2;

/// Values up to which the occupancy is always counted exactly.
const EXACT: f64 = 24.0;

/// The same where there are at least as many shards as values, so that all terms are positive.
const EXACT_IN_MANY: f64 = 64.0;

/// Values a shard from which on the Poisson distribution is expanded around the normal one.
const EXPANDED: f64 = 64.0;

/// Expected share of the values on the fullest of `s` shards.
pub(super) fn busiest_share(values: f64, s: f64) -> f64 {
    if values <= EXACT || values <= EXACT_IN_MANY.min(s) {
        let whole = values.floor();
        let part = values - whole;
        let low = exact(whole as usize, s) / whole;
        if part > 0.0 { low + part * (exact(whole as usize + 1, s) / (whole + 1.0) - low) } else { low }
    } else if values < EXPANDED * s {
        poisson(values / s, s) / values
    } else {
        expanded(values / s, s) / values
    }
}

/// Expected number of values in the fullest cell, for whole numbers of values.
///
/// # Model
///
/// `P(max ≤ m) = n!/S^n · [xⁿ] (Σ_{k≤m} x^k/k!)^S`; the coefficients of the
/// power follow one another by J. C. P. Miller's recurrence.
///
/// # Source
///
/// Knuth, "The Art of Computer Programming" 2, section 4.7 (powers of series).
fn exact(n: usize, s: f64) -> f64 {
    let total = n as f64;
    // The coefficients are scaled by S^−k, so that the last one only lacks n!.
    let orders: f64 = (1..=n).map(|k| k as f64).product();
    let mut series = vec![1.0];
    let mut power = vec![0.0; n + 1];
    let mut expected = 1.0;
    for m in 1..n {
        series.push(series[m - 1] / (m as f64 * s));
        if m as f64 * s < total {
            expected += 1.0;
            continue;
        }
        power[0] = 1.0;
        for i in 1..=n {
            let term = |k: usize| (k as f64 * (s + 1.0) - i as f64) * series[k] * power[i - k];
            power[i] = (1..=m.min(i)).map(term).sum::<f64>() / i as f64;
        }
        let outside = 1.0 - power[n] * orders;
        expected += outside;
        if outside < 1e-9 {
            break;
        }
    }
    expected
}

/// Expected number of values in the fullest cell, for a moderate mean.
///
/// # Model
///
/// With a Poisson number of values the cells are independent, and `E[max]` is
/// `Σ 1 − F(m)^S`. Going back to a fixed number n subtracts `n/2 · E″`.
///
/// # Source
///
/// Jacquet and Szpankowski, "Analytical depoissonization and its
/// applications", Theoretical Computer Science 201, 1998.
fn poisson(mean: f64, s: f64) -> f64 {
    let (mut before, mut chance) = (0.0, libm::exp(-mean));
    let mut within_one = chance;
    let (mut expected, mut bend) = (0.0, 0.0);
    let mut m = 0.0;
    while m <= mean || chance * s > 1e-9 {
        let within = libm::exp(s * libm::log(within_one.min(1.0)));
        expected += 1.0 - within;
        bend += s * within / within_one * (before - chance - (s - 1.0) * chance * chance / within_one);
        m += 1.0;
        before = chance;
        chance *= mean / m;
        within_one += chance;
    }
    expected - 0.5 * mean / s * bend
}

/// Expected number of values in the fullest cell, for a large mean.
///
/// # Model
///
/// The quantiles of the Poisson distribution in those of the normal one,
/// `λ + √λ·z + (z² − 1)/6 + (z − z³)/(72·√λ)`, averaged over the largest of S
/// normal numbers.
///
/// # Source
///
/// Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.49
/// (Cornish–Fisher expansion).
fn expanded(mean: f64, s: f64) -> f64 {
    let [first, second, third] = normal_maximum(s);
    let root = mean.sqrt();
    mean + root * first + (second - 1.0) / 6.0 + (first - third) / (72.0 * root)
}

/// First three moments of the largest of `s` standard normal numbers.
fn normal_maximum(s: f64) -> [f64; 3] {
    let typical = (2.0 * libm::log(s)).sqrt();
    // The density narrows as S grows; the trapezoid rule needs a few steps in it.
    let step = 0.25 / (1.0 + typical / 3.0);
    let mut z = typical + 5.0;
    let mut sums = [0.0; 4];
    loop {
        let above = 0.5 * libm::erfc(z * FRAC_1_SQRT_2);
        let log_density = (s - 1.0) * libm::log1p(-above) - 0.5 * z * z;
        let density = libm::exp(log_density);
        let mut weight = density;
        for sum in &mut sums {
            *sum += weight;
            weight *= z;
        }
        if z < typical && log_density < -40.0 {
            let [all, first, second, third] = sums;
            return [first / all, second / all, third / all];
        }
        z -= step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64, relative: f64) {
        assert!((value - expected).abs() <= relative * expected, "{value} is not {expected}");
    }

    #[test]
    fn two_and_three_values_are_counted_by_hand() {
        // Two values share a shard with chance 1/S.
        close(exact(2, 5.0), 2.0 / 5.0 + 4.0 / 5.0, 1e-14);
        // Three on two shards: all on one in 2 of 8 ways, else two and one.
        close(exact(3, 2.0), 3.0 * 0.25 + 2.0 * 0.75, 1e-14);
        // Four on two shards: 2 of 16 ways 4, 8 of 16 ways 3, 6 of 16 ways 2.
        close(exact(4, 2.0), (8.0 + 24.0 + 12.0) / 16.0, 1e-14);
    }

    #[test]
    fn poisson_and_exact_occupancies_agree() {
        for (n, s) in [(24, 16.0), (24, 4.0), (60, 64.0), (64, 512.0)] {
            close(poisson(f64::from(n) / s, s), exact(n as usize, s), 2e-3);
        }
    }

    #[test]
    fn the_expansion_continues_the_poisson_sum() {
        for s in [2.0, 16.0, 512.0, 1e6] {
            close(expanded(64.0, s), poisson(64.0, s), 2e-4);
            close(expanded(400.0, s), poisson(400.0, s), 3e-5);
        }
    }

    #[test]
    fn moments_of_the_largest_normal_number_are_the_published_ones() {
        // 1/√π for two, 3/(2√π) for three; Tippett 1925 for 10, 100 and 1,000.
        for (s, mean) in
            [(2.0, 0.564_19), (3.0, 0.846_28), (10.0, 1.538_75), (100.0, 2.507_59), (1000.0, 3.241_44)]
        {
            close(normal_maximum(s)[0], mean, 1e-5);
        }
        close(normal_maximum(2.0)[1], 1.0, 1e-7);
    }
}
