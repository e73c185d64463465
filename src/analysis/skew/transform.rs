//! A fast Fourier transform of one fixed length.

use std::f64::consts::PI;

/// Length of the transform, and number of cells of the grid of loads.
pub(super) const CELLS: usize = 512;

/// A complex number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Complex {
    /// Real part.
    pub(super) re: f64,
    /// Imaginary part.
    pub(super) im: f64,
}

impl Complex {
    fn times(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

/// `e^(2πik/N)` for the first half of the circle.
pub(super) struct Roots([Complex; CELLS / 2]);

impl Roots {
    /// Computes eight sines; the others are products of them.
    pub(super) fn new() -> Self {
        let mut roots = [Complex { re: 1.0, im: 0.0 }; CELLS / 2];
        let mut known = 1;
        while known < CELLS / 2 {
            let angle = 2.0 * PI * known as f64 / CELLS as f64;
            let turn = Complex { re: libm::cos(angle), im: libm::sin(angle) };
            let (done, next) = roots.split_at_mut(known);
            for (root, from) in next.iter_mut().zip(done) {
                *root = from.times(turn);
            }
            known *= 2;
        }
        Self(roots)
    }

    /// `cos(2πk/N)` for k up to N/2.
    pub(super) fn cosine(&self, k: usize) -> f64 {
        self.0.get(k).map_or(-1.0, |root| root.re)
    }

    /// Replaces `x_k` by `Σ x_k e^(2πijk/N)`.
    ///
    /// # Source
    ///
    /// Cooley and Tukey, "An algorithm for the machine calculation of complex
    /// Fourier series", Mathematics of Computation 19, 1965.
    pub(super) fn transform(&self, x: &mut [Complex; CELLS]) {
        let shift = usize::BITS - CELLS.trailing_zeros();
        for k in 0..CELLS {
            let mirrored = k.reverse_bits() >> shift;
            if k < mirrored {
                x.swap(k, mirrored);
            }
        }
        let mut half = 1;
        while half < CELLS {
            for block in x.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                let roots = self.0.iter().step_by(CELLS / 2 / half);
                for ((a, b), root) in low.iter_mut().zip(high).zip(roots) {
                    let turned = b.times(*root);
                    (*a, *b) = (
                        Complex { re: a.re + turned.re, im: a.im + turned.im },
                        Complex { re: a.re - turned.re, im: a.im - turned.im },
                    );
                }
            }
            half *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transform_equals_the_sum_that_defines_it() {
        let mut x = [Complex::default(); CELLS];
        for (k, it) in x.iter_mut().enumerate() {
            *it = Complex { re: (k * k % 17) as f64, im: (k % 5) as f64 };
        }
        let before = x;
        Roots::new().transform(&mut x);
        for j in [0, 1, 7, CELLS / 2, CELLS - 1] {
            let mut sum = Complex::default();
            for (k, it) in before.iter().enumerate() {
                let angle = 2.0 * PI * ((j * k) % CELLS) as f64 / CELLS as f64;
                let term = it.times(Complex { re: libm::cos(angle), im: libm::sin(angle) });
                sum = Complex { re: sum.re + term.re, im: sum.im + term.im };
            }
            assert!((sum.re - x[j].re).abs() < 1e-9 && (sum.im - x[j].im).abs() < 1e-9, "{j}");
        }
    }
}
