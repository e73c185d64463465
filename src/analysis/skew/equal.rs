//! The busiest shard when all values are alike: the fullest of S cells.

/// Values up to which the occupancy is counted exactly.
const EXACT: f64 = 200.0;

/// Values a shard from which on the Poisson distribution is expanded around the normal one.
const EXPANDED: f64 = 64.0;

/// Expected share of the values on the fullest of `s` shards.
pub(super) fn busiest_share(values: f64, s: f64) -> f64 {
    if values <= EXACT && values <= s + 1.0 {
        let whole = values.floor();
        let part = values - whole;
        let low = exact(whole as usize, s) / whole;
        return if part > 0.0 {
            low + part * (exact(whole as usize + 1, s) / (whole + 1.0) - low)
        } else {
            low
        };
    }
    let mean = values / s;
    if mean < EXPANDED { poisson(mean, s) / values } else { expanded(mean, s) / values }
}

fn exact(n: usize, s: f64) -> f64 {
    let mut q = vec![1.0_f64];
    let mut r = vec![0.0_f64; n + 1];
    let mut expected = 0.0;
    // n!/S^n
    let scale: f64 = (1..=n).map(|k| k as f64 / s).product();
    // the m = 0 term
    expected += 1.0;
    for m in 1..n {
        q.push(q[m - 1] / m as f64);
        r[0] = 1.0;
        for i in 1..=n {
            let mut sum = 0.0;
            for k in 1..=m.min(i) {
                sum += (k as f64 * (s + 1.0) - i as f64) * q[k] * r[i - k];
            }
            r[i] = sum / i as f64;
        }
        let within = r[n] * scale;
        expected += 1.0 - within;
        if within > 1.0 - 1e-9 {
            break;
        }
    }
    expected
}

fn poisson(mean: f64, s: f64) -> f64 {
    let mut p = libm::exp(-mean);
    let mut cdf = p;
    let mut before = 0.0;
    let mut sum = 0.0;
    let mut bend = 0.0;
    let mut m = 0.0;
    loop {
        let f = cdf.min(1.0);
        let within = libm::exp(s * libm::log(f));
        sum += 1.0 - within;
        bend += s * within / f * (before - p - (s - 1.0) * p * p / f);
        m += 1.0;
        before = p;
        p *= mean / m;
        cdf += p;
        if m > mean && p * s < 1e-9 {
            break;
        }
    }
    sum - 0.5 * mean / s * bend
}

fn expanded(mean: f64, s: f64) -> f64 {
    let [m1, m2, m3] = normal_maximum(s);
    let root = mean.sqrt();
    mean + root * m1 + (m2 - 1.0) / 6.0 + (m1 - m3) / (72.0 * root)
}

/// First three moments of the largest of `s` standard normal numbers.
pub(super) fn normal_maximum(s: f64) -> [f64; 3] {
    let typical = (2.0 * libm::log(s)).sqrt();
    let step = 0.25 / (1.0 + typical / 3.0);
    let mut z = typical + 5.0;
    let mut sums = [0.0; 4];
    loop {
        let above = 0.5 * libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2);
        let log_within = (s - 1.0) * libm::log1p(-above);
        let density = libm::exp(log_within - 0.5 * z * z);
        sums[0] += density;
        sums[1] += density * z;
        sums[2] += density * z * z;
        sums[3] += density * z * z * z;
        if log_within - 0.5 * z * z < -40.0 && z < typical {
            break;
        }
        z -= step;
    }
    [sums[1] / sums[0], sums[2] / sums[0], sums[3] / sums[0]]
}
