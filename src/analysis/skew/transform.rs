//! A fast Fourier transform of one fixed length.

/// Length of the transform.
pub(super) const N: usize = 512;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    fn times(self, o: Self) -> Self {
        Self { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
    }
}

/// `e^(2πik/N)` for k = 0 to N/2 − 1.
pub(super) fn roots() -> [Complex; N / 2] {
    let mut roots = [Complex { re: 1.0, im: 0.0 }; N / 2];
    let mut width = 1;
    while width < N / 2 {
        let angle = 2.0 * std::f64::consts::PI * width as f64 / N as f64;
        let turn = Complex { re: libm::cos(angle), im: libm::sin(angle) };
        for k in 0..width {
            roots[k + width] = roots[k].times(turn);
        }
        width *= 2;
    }
    roots
}

/// `X_j = Σ x_k e^(2πijk/N)`, in place.
pub(super) fn transform(x: &mut [Complex; N], roots: &[Complex; N / 2]) {
    let bits = N.trailing_zeros();
    for k in 0..N {
        let r = k.reverse_bits() >> (usize::BITS - bits);
        if k < r {
            x.swap(k, r);
        }
    }
    let mut half = 1;
    while half < N {
        let stride = N / 2 / half;
        for start in (0..N).step_by(2 * half) {
            for k in 0..half {
                let a = x[start + k];
                let b = x[start + k + half].times(roots[k * stride]);
                x[start + k] = Complex { re: a.re + b.re, im: a.im + b.im };
                x[start + k + half] = Complex { re: a.re - b.re, im: a.im - b.im };
            }
        }
        half *= 2;
    }
}
