//! How uneven a hash ring with a few points a node is.

/// Expected share of the busiest of so many nodes over the mean share, on a
/// ring with `points` random points a node.
///
/// # Model
///
/// The arcs between n·v random points, added up by node, are distributed as n
/// independent Gamma(v) variables over their sum, which is independent of the
/// proportions. So the expectation is E[max of n Gamma(v)]/v, the integral of
/// `1 − P(v, x)^n` over x ≥ 0 divided by v, P being the regularised incomplete
/// gamma function. For v = 1 it is the harmonic number H(n).
///
/// # Source
///
/// Devroye, "Laws of the Iterated Logarithm for Order Statistics of Uniform
/// Spacings", 1981 (spacings as exponentials over their sum).
#[must_use]
pub fn busiest_node_over_mean(nodes: u32, points: u32) -> f64 {
    let (n, v) = (f64::from(nodes.max(1)), f64::from(points.max(1)));
    let last = v + 12.0 * v.sqrt() + 30.0 + libm::log(n) * 4.0;
    let steps = 2000;
    let width = last / f64::from(steps);
    // Simpson's rule; the integrand is smooth and falls from 1 to 0.
    let mut sum = 0.0;
    for step in 0..=steps {
        let below = 1.0 - gamma_tail(v, f64::from(step) * width);
        let value = 1.0 - libm::pow(below.max(0.0), n);
        let weight = match step {
            0 => 1.0,
            it if it == steps => 1.0,
            it if it % 2 == 1 => 4.0,
            _ => 2.0,
        };
        sum += weight * value;
    }
    sum * width / 3.0 / v
}

/// Chance that a Gamma(v) variable with whole v is over x: `e^−x · Σ x^k/k!` for k < v.
fn gamma_tail(v: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    // From the largest k down, so that nothing overflows.
    let mut k = v - 1.0;
    let mut term = libm::exp(k * libm::log(x) - x - libm::lgamma(v));
    let mut sum = term;
    while k >= 1.0 {
        term *= k / x;
        sum += term;
        k -= 1.0;
        if term < sum * 1e-17 && k < x {
            break;
        }
    }
    sum.min(1.0)
}

/// The fewest points a node that keep the busiest node within `most` times the mean.
#[must_use]
pub fn points_needed(nodes: u32, most: f64) -> u32 {
    let fits = |points| busiest_node_over_mean(nodes, points) <= most;
    let (mut low, mut high) = (1, 1);
    while !fits(high) {
        if high >= 1 << 16 {
            return high;
        }
        (low, high) = (high, high * 2);
    }
    while low + 1 < high {
        let middle = low.midpoint(high);
        if fits(middle) { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
    }

    #[test]
    fn one_point_a_node_gives_the_harmonic_number() {
        // 1 + 1/2 + … + 1/10
        near(busiest_node_over_mean(10, 1), 2.928_968, 1e-4);
        near(busiest_node_over_mean(1, 1), 1.0, 1e-6);
        near(busiest_node_over_mean(2, 1), 1.5, 1e-5);
    }

    #[test]
    fn simulated_rings_are_met() {
        // Means of max/mean over 30,000 and 3,000 simulated rings of ten nodes.
        near(busiest_node_over_mean(10, 3), 2.042, 0.01);
        near(busiest_node_over_mean(10, 100), 1.157, 0.003);
    }

    #[test]
    fn a_simulation_with_real_points_agrees() {
        let (nodes, points, rounds) = (5_u32, 4_u32, 4000);
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut sum = 0.0;
        for _ in 0..rounds {
            let mut ring: Vec<(f64, u32)> = (0..nodes * points).map(|it| (next(), it % nodes)).collect();
            ring.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut shares = vec![0.0; nodes as usize];
            let mut before = ring[ring.len() - 1].0 - 1.0;
            for (at, node) in &ring {
                shares[*node as usize] += at - before;
                before = *at;
            }
            sum += shares.iter().fold(0.0, |a: f64, b| a.max(*b)) * f64::from(nodes);
        }
        near(busiest_node_over_mean(nodes, points), sum / f64::from(rounds), 0.02);
    }

    #[test]
    fn more_points_even_it_out() {
        let needed = points_needed(10, 1.2);
        assert!(busiest_node_over_mean(10, needed) <= 1.2);
        assert!(busiest_node_over_mean(10, needed - 1) > 1.2);
        // 1 + E[max of 10 normals]/√v = 1.2 for v = (1.5388/0.2)² = 59, a little more with the skew.
        assert!((55..75).contains(&needed), "{needed}");
    }
}
