//! How rows or requests spread over values.

use crate::units::Share;

/// A distribution over the values of a column or parameter.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Distribution {
    /// All values alike.
    #[default]
    Uniform,
    /// The k-th value has weight k^-s.
    Zipf(f64),
    /// The biggest shares, the rest spread by another distribution.
    Top {
        /// Name, where given, and share of each.
        shares: Vec<(Option<String>, Share)>,
        /// How the rest spreads.
        rest: Box<Distribution>,
    },
    /// Pairs of rows per value and number of such values.
    Histogram(Vec<(f64, f64)>),
}
