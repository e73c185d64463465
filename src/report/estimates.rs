//! Estimated inputs and how far the advice holds.

use crate::report::EstimateRow;
use crate::search::advice::Advice;

/// The estimates, those on which something depends first.
pub(super) fn estimate_rows(advice: &Advice) -> Vec<EstimateRow> {
    let row = |it: &crate::analysis::verdict::Robustness| EstimateRow {
        input: it.input.clone(),
        value: it.value,
        low: it.low,
        high: it.high,
        matters: it.matters,
    };
    let mut rows: Vec<EstimateRow> = advice.robustness.iter().map(row).collect();
    rows.sort_by(|a, b| b.matters.cmp(&a.matters).then_with(|| a.input.cmp(&b.input)));
    rows
}
