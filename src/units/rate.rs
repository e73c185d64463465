//! Rates per second and shares of a whole.

use std::ops::Mul;

/// Events per second.
///
/// Invariant: finite and not negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Rate(f64);

impl Rate {
    /// No events at all.
    pub const ZERO: Self = Self(0.0);

    /// Returns `None` for NaN, infinities and negative values.
    #[must_use]
    pub fn per_second(value: f64) -> Option<Self> {
        (value.is_finite() && 0.0 <= value).then_some(Self(value))
    }

    /// Events per second.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Mul<Share> for Rate {
    type Output = Self;

    fn mul(self, share: Share) -> Self {
        Self(self.0 * share.0)
    }
}

/// A part of a whole, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Share(f64);

impl Share {
    /// Nothing.
    pub const NONE: Self = Self(0.0);
    /// Everything.
    pub const ALL: Self = Self(1.0);

    /// Returns `None` outside 0..=1 and for NaN.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// The share as a float between 0 and 1.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// What is left of the whole.
    #[must_use]
    pub fn rest(self) -> Self {
        Self(1.0 - self.0)
    }
}
