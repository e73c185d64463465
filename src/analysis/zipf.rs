//! The Zipf distribution: generalised harmonic numbers and what follows from them.

/// Terms summed one by one before the Euler–Maclaurin formula takes over.
const HEAD: f64 = 16.0;

/// More values than anything has, and still far from overflow.
const MANY: f64 = 1e18;

/// `B(2j) / (2j)!` for j = 1 to 6, B being the Bernoulli numbers.
const BERNOULLI: [f64; 6] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
];

/// The generalised harmonic number `H(n, s) = Σ k^−s` over k = 1 to n.
///
/// # Model
///
/// The first 16 terms exactly (2s of them for a steep s), the others by the
/// Euler–Maclaurin formula with six Bernoulli terms; the relative error stays under 1e-12. A fractional n
/// adds the same fraction of the next term. A negative or undefined s counts
/// as 0, an undefined n as 0, and n stops at 10^18.
///
/// # Source
///
/// NIST Digital Library of Mathematical Functions, 2.10(i) and 25.2.9.
#[must_use]
pub fn harmonic(n: f64, s: f64) -> f64 {
    let s = exponent(s);
    let n = if n > 0.0 { n.min(MANY) } else { return 0.0 };
    let whole = n.floor();
    let part = n - whole;
    let last = if part > 0.0 { part * power(whole + 1.0, s) } else { 0.0 };
    terms(0.0, whole, s) + last
}

/// Share of the k-th most frequent of n values: `k^−s / H(n, s)`.
#[must_use]
pub fn zipf_share(k: f64, n: f64, s: f64) -> f64 {
    if !(1.0..=n.max(1.0)).contains(&k) {
        return 0.0;
    }
    power(k, exponent(s)) / harmonic(n.max(1.0), s)
}

/// Sum of the squared shares of n values, `H(n, 2s) / H(n, s)²`: the chance
/// that two rows drawn at random have the same value.
#[must_use]
pub fn zipf_sum_squares(n: f64, s: f64) -> f64 {
    let n = n.max(1.0);
    let sum = harmonic(n, s);
    harmonic(n, 2.0 * exponent(s)) / sum / sum
}

/// Sum of `k^−s` over `after < k ≤ last`, both whole numbers.
///
/// Subtracting two harmonic numbers would lose all digits far out in the tail.
pub(crate) fn terms(after: f64, last: f64, s: f64) -> f64 {
    let s = exponent(s);
    let last = last.min(MANY);
    let head = HEAD.max(2.0 * s);
    let mut sum = 0.0;
    let mut k = after + 1.0;
    while k <= last && k < head {
        let term = power(k, s);
        sum += term;
        k += 1.0;
        // For s > 2 all later terms together are less than this one times k.
        if s > 2.0 && term * k <= sum * 1e-17 {
            return sum;
        }
    }
    if k > last { sum } else { sum + euler_maclaurin(k, last, s) }
}

/// Sum of `k^−s` over `first ≤ k ≤ last` for `first ≥ 16` and `first ≥ 2s`.
fn euler_maclaurin(first: f64, last: f64, s: f64) -> f64 {
    let (at_first, at_last) = (power(first, s), power(last, s));
    // ∫ x^−s = first^(1−s) · (e^((1−s)·L) − 1)/(1−s) with L = ln(last/first):
    // exact for s near 1, where the textbook form divides 0 by 0.
    let length = libm::log(last / first);
    let grown = (1.0 - s) * length;
    let ratio = if grown.abs() < 1e-9 { 1.0 + grown / 2.0 } else { libm::expm1(grown) / grown };
    let mut sum = first * at_first * length * ratio + 0.5 * (at_first + at_last);
    // The derivatives' common factor s·(s+1)…(s+2j−2)·x^(−s−2j+1).
    let (mut rising_first, mut rising_last) = (s * at_first / first, s * at_last / last);
    for (coefficient, j) in BERNOULLI.iter().zip(1_u8..) {
        sum += coefficient * (rising_first - rising_last);
        let a = s + f64::from(2 * j - 1);
        let factor = a * (a + 1.0);
        rising_first *= factor / (first * first);
        rising_last *= factor / (last * last);
    }
    sum
}

/// `k^−s`, with the common exponents done by multiplication.
pub(crate) fn power(k: f64, s: f64) -> f64 {
    if s.to_bits() == 1.0_f64.to_bits() { 1.0 / k } else { libm::pow(k, -s) }
}

/// A usable exponent: not negative, not NaN, not so steep that powers overflow.
fn exponent(s: f64) -> f64 {
    if s > 0.0 { s.min(1e4) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Smallest terms first, so that the reference is exact to the last digits.
    fn summed(n: u32, s: f64) -> f64 {
        (1..=n).rev().map(|k| libm::pow(f64::from(k), -s)).sum()
    }

    fn close(value: f64, expected: f64, relative: f64) {
        assert!((value - expected).abs() <= relative * expected.abs(), "{value} is not {expected}");
    }

    #[test]
    fn harmonic_numbers_equal_their_sums() {
        for s in [0.0, 0.2, 0.5, 0.8, 0.99, 1.0, 1.000_001, 1.1, 1.5, 2.0, 2.5, 3.0, 7.9, 8.0, 20.0] {
            for n in [1, 2, 15, 16, 17, 40, 1000, 20_000] {
                close(harmonic(f64::from(n), s), summed(n, s), 1e-12);
            }
        }
        for s in [0.5, 1.0, 1.1] {
            close(harmonic(1e6, s), summed(1_000_000, s), 1e-11);
        }
    }

    #[test]
    fn published_harmonic_numbers_are_met() {
        // Euler's constant and ζ(2) and ζ(3).
        close(harmonic(1e12, 1.0), libm::log(1e12) + 0.577_215_664_901_532_9 + 0.5e-12, 1e-13);
        close(harmonic(1e12, 2.0), 1.644_934_066_848_226_4 - 1e-12, 1e-14);
        close(harmonic(1e12, 3.0), 1.202_056_903_159_594_3, 1e-14);
        // ζ(1/2) + 2√n + 1/(2√n).
        close(harmonic(1e12, 0.5), 2e6 - 1.460_354_508_809_586_8 + 0.5e-6, 1e-14);
        close(harmonic(1e12, 0.0), 1e12, 1e-14);
    }

    #[test]
    fn far_tails_keep_their_digits() {
        // Σ k^−3 beyond N is 1/(2N²) − 1/(2N³) + ….
        close(terms(1e9, 1e15, 3.0), 0.5e-18 - 0.5e-27 - 0.5e-30, 1e-11);
        // And Σ k^−20 between N and 2N about N^−19/19·(1 − 2^−19) − N^−20/2.
        let n = 1e6_f64;
        close(terms(n, 2.0 * n, 20.0) * n.powi(19), (1.0 - 0.5_f64.powi(19)) / 19.0 - 0.5e-6, 1e-9);
    }

    #[test]
    fn shares_add_up_to_one() {
        let n = 300.0;
        for s in [0.0, 0.7, 1.0, 1.8] {
            let (mut sum, mut squares) = (0.0, 0.0);
            for k in 1..=300 {
                let share = zipf_share(f64::from(k), n, s);
                sum += share;
                squares += share * share;
            }
            close(sum, 1.0, 1e-12);
            close(zipf_sum_squares(n, s), squares, 1e-12);
        }
        // By hand: 1 + 1/2 + 1/3 = 11/6, so the shares are 6/11, 3/11, 2/11.
        close(zipf_share(2.0, 3.0, 1.0), 3.0 / 11.0, 1e-15);
        close(zipf_sum_squares(3.0, 1.0), 49.0 / 121.0, 1e-15);
    }

    #[test]
    fn a_fractional_number_adds_a_part_of_the_next_term() {
        close(harmonic(2.5, 1.0), 1.5 + 0.5 / 3.0, 1e-15);
        close(harmonic(0.5, 1.0), 0.5, 1e-15);
    }

    #[test]
    fn hostile_numbers_give_finite_answers() {
        for n in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300, 7.0] {
            for s in [f64::NAN, f64::INFINITY, -2.0, 0.0, 1e300] {
                assert!(harmonic(n, s).is_finite(), "{n} {s}");
                assert!(zipf_share(1.0, n, s).is_finite(), "{n} {s}");
                assert!(zipf_sum_squares(n, s).is_finite(), "{n} {s}");
            }
        }
        assert!(zipf_share(0.0, 5.0, 1.0).abs() < 1e-300);
        assert!(zipf_share(6.0, 5.0, 1.0).abs() < 1e-300);
    }
}
