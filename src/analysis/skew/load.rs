//! The busiest shard of an uneven spread: the distribution of one shard's load on a grid.

use super::transform::{Complex, N, roots, transform};
use crate::analysis::spread::Spread;

const BIG: usize = 64;
const BIG_OF_DEVIATION: f64 = 0.25;

struct Parts {
    big: Vec<f64>,
    /// value, count
    rest: Vec<(f64, f64)>,
}

fn parts(spread: &Spread, s: f64) -> Parts {
    let deviation = (spread.sum_squares() / s).sqrt();
    let mut runs: Vec<(f64, f64)> = spread.heavy().map(|p| (p, 1.0)).collect();
    runs.extend(spread.tail().iter().map(|c| (c.value(), c.share / c.value())));
    runs.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut big = Vec::new();
    let mut rest = Vec::new();
    for (value, count) in runs {
        let mut left = count;
        while left >= 1.0 - 1e-9 && big.len() < BIG && value > BIG_OF_DEVIATION * deviation {
            big.push(value);
            left -= 1.0;
        }
        if left > 1e-9 {
            rest.push((value, left));
        }
    }
    Parts { big, rest }
}

impl Parts {
    /// A load that fewer than one in `exp(log_odds)` shards exceeds (Chernoff's bound).
    fn ceiling(&self, s: f64, log_odds: f64) -> f64 {
        let mean = (self.big.iter().sum::<f64>() + self.rest.iter().map(|(v, c)| v * c).sum::<f64>()) / s;
        let squares = self.big.iter().map(|v| v * v).sum::<f64>()
            + self.rest.iter().map(|(v, c)| v * v * c).sum::<f64>();
        let mut tilt = 0.25 * (2.0 * log_odds * s / squares).sqrt();
        let mut best = 1.0_f64;
        let top = self.big.first().copied().unwrap_or(0.0).max(self.rest.first().map_or(0.0, |it| it.0));
        while tilt * top < 60.0 {
            let big: f64 = self.big.iter().map(|v| libm::log1p(libm::expm1(tilt * v) / s)).sum();
            let rest: f64 = self.rest.iter().map(|(v, c)| c / s * libm::expm1(tilt * v)).sum();
            let bound = (big + rest + log_odds) / tilt;
            if bound > best {
                break;
            }
            best = best.min(bound);
            tilt *= 1.5;
        }
        best.max(mean)
    }
}

pub(super) fn busiest_share(spread: &Spread, s: f64) -> f64 {
    let parts = parts(spread, s);
    let log_odds = libm::log(s) + libm::log(1e5);
    let high = parts.ceiling(s, log_odds);
    let share: f64 = parts.rest.iter().map(|(v, c)| v * c).sum();
    let squares: f64 = parts.rest.iter().map(|(v, c)| v * v * c).sum();
    let reach = (2.0 * log_odds).sqrt();
    let lowest = share / s - reach * (squares / s).sqrt();
    let mut low = lowest.max(0.0);
    let mut cell = 0.0;
    for _ in 0..3 {
        cell = (high - low) / (N as f64 - 4.0);
        if let Some(top) = parts.big.first().filter(|it| **it > cell) {
            cell = top / (top / cell).floor();
        }
        let small = parts.rest.iter().filter(|it| it.0 < 0.5 * cell);
        let (mean, variance) =
            small.fold((0.0, 0.0), |(m, v), it| (m + it.0 * it.1 / s, v + it.0 * it.0 * it.1 / s));
        low = lowest.max(mean - reach * variance.sqrt()) - 4.0 * cell;
    }
    let (first, f) = rest_of(&parts.rest, s, low, cell);
    let mut f = f;
    for p in &parts.big {
        add(&mut f, p / cell, s);
    }
    let mut sum = 0.0;
    for it in &mut f {
        sum += it.max(0.0);
        *it = sum.min(1.0);
    }
    let within = all_within(&f, &parts.big, cell, s);
    first + cell * within.iter().map(|p| 1.0 - p).sum::<f64>()
}

/// Distribution of the load by the rest, and the load of the first cell.
fn rest_of(rest: &[(f64, f64)], s: f64, low: f64, cell: f64) -> (f64, [f64; N]) {
    let mut jumps = [Complex::default(); N];
    let (mut mean, mut variance) = (0.0, 0.0);
    for (value, count) in rest {
        let x = value / cell;
        let rate = count / s;
        if x < 0.5 {
            mean += value * rate;
            variance += x * x * rate;
        } else {
            // Two neighbouring jumps with the same mean and the same square.
            let k = x.floor();
            let up = x * (x - k) / (k + 1.0);
            jumps[(k as usize + 1) % N].re += up * rate;
            if k > 0.0 {
                jumps[k as usize % N].re += x * (k + 1.0 - x) / k * rate;
            } else {
                mean += value * (1.0 - x) * rate;
            }
        }
    }
    let total: f64 = jumps.iter().map(|it| it.re).sum();
    let roots = roots();
    transform(&mut jumps, &roots);
    let mut phi = jumps;
    for j in 0..=N / 2 {
        let cos = if j < N / 2 { roots[j].re } else { -1.0 };
        let re = jumps[j].re - total + variance * (cos - 1.0);
        let im = jumps[j].im;
        let size = if re < -60.0 { 0.0 } else { libm::exp(re) };
        // conjugate for the inverse
        phi[j] = Complex { re: size * libm::cos(im), im: -size * libm::sin(im) };
        if 0 < j && j < N / 2 {
            phi[N - j] = Complex { re: phi[j].re, im: -phi[j].im };
        }
    }
    transform(&mut phi, &roots);
    let offset = ((low - mean) / cell).floor();
    let mut f = [0.0; N];
    for (n, it) in f.iter_mut().enumerate() {
        let k = (offset as i64 + n as i64).rem_euclid(N as i64);
        *it = phi[k as usize].re / N as f64;
    }
    (mean + offset * cell, f)
}

fn add(f: &mut [f64; N], x: f64, s: f64) {
    let k = x.floor() as usize;
    let w = x - x.floor();
    for n in (0..N).rev() {
        let a = if n >= k { f[n - k] } else { 0.0 };
        let b = if n > k { f[n - k - 1] } else { 0.0 };
        f[n] = (1.0 - 1.0 / s) * f[n] + ((1.0 - w) * a + w * b) / s;
    }
}

fn all_within(f: &[f64; N], big: &[f64], cell: f64, s: f64) -> [f64; N] {
    let mut with = [1.0; N];
    let mut without = [1.0; N];
    let inv: Vec<f64> = f.iter().map(|it| if *it > 0.0 { 1.0 / it } else { 0.0 }).collect();
    let mut u = [0.0; N];
    for p in big {
        let x = p / cell;
        let k = x.floor() as usize;
        let w = x - x.floor();
        let own = 1.0 - 1.0 / s + if k == 0 { (1.0 - w) / s } else { 0.0 };
        for n in 0..N {
            let a = if n >= k && k > 0 { u[n - k] } else { 0.0 };
            let b = if n > k { u[n - k - 1] } else { 0.0 };
            let v = (1.0 - w) * a + w * b;
            u[n] = ((f[n] - v / s) / own).max(0.0);
            let v = if k == 0 { (1.0 - w) * u[n] + w * b } else { v };
            with[n] *= v * inv[n];
            without[n] *= u[n] * inv[n];
        }
    }
    let mut out = [0.0; N];
    for n in 0..N {
        if f[n] > 0.0 && with[n] > 0.0 && without[n] > 0.0 {
            let log = s * libm::log(f[n]) + libm::log(with[n]) + (s - 1.0) * libm::log(without[n]);
            out[n] = libm::exp(log.min(0.0));
        }
    }
    out
}
