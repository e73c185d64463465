//! Quantities as types: rows, bytes, rates, shares, durations, and the one
//! place where a quantity becomes text and a text a quantity.

mod rate;
pub mod text;
mod time;

pub use rate::{Rate, Share};
pub use time::{DAY, Seconds, YEAR};

/// A number of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rows(pub u64);

impl Rows {
    /// The count as a float, for formulas.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0 as f64
    }
}

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl Bytes {
    /// The size as a float, for formulas.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0 as f64
    }
}

impl std::ops::Mul<Bytes> for Rows {
    type Output = Bytes;

    /// Saturates at `u64::MAX` bytes: a plan that large is wrong in any case.
    fn mul(self, size: Bytes) -> Bytes {
        Bytes(self.0.saturating_mul(size.0))
    }
}
