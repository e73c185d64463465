//! Durations in seconds.

/// Seconds of a day.
pub const DAY: f64 = 86_400.0;
/// Seconds of a year of 365.25 days.
pub const YEAR: f64 = 365.25 * DAY;

/// A duration.
///
/// Invariant: finite and not negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Seconds(f64);

impl Seconds {
    /// Returns `None` for NaN, infinities and negative values.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        (value.is_finite() && 0.0 <= value).then_some(Self(value))
    }

    /// Length in seconds.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// Length in days.
    #[must_use]
    pub fn days(self) -> f64 {
        self.0 / DAY
    }
}
