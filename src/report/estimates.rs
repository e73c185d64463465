//! Estimated inputs: how far the advice holds, and what to say where it does not.

use crate::analysis::verdict::Robustness;
use crate::diag::{Code, Confidence, Finding, Level};
use crate::model::Design;
use crate::report::EstimateRow;
use crate::search::advice::Advice;
use crate::units::text;

/// SW005: a statistic was estimated and the verdict depends on it.
pub const ESTIMATED_INPUT: Code = Code { code: "SW005", name: "estimated-input" };

/// The estimates, those on which something depends first.
pub(super) fn estimate_rows(advice: &Advice) -> Vec<EstimateRow> {
    let mut rows: Vec<EstimateRow> = advice
        .robustness
        .iter()
        .map(|it| EstimateRow {
            input: it.input.clone(),
            value: it.value,
            low: it.low,
            high: it.high,
            matters: it.matters,
        })
        .collect();
    rows.sort_by(|a, b| b.matters.cmp(&a.matters).then_with(|| a.input.cmp(&b.input)));
    rows
}

/// A finding for each estimate that could change a choice.
pub(super) fn estimate_findings(design: &Design, advice: &Advice) -> Vec<Finding> {
    advice.robustness.iter().filter(|it| it.matters).map(|it| finding(design, it)).collect()
}

fn finding(design: &Design, it: &Robustness) -> Finding {
    let table = design.table(it.table);
    let [value, low, high] = [it.value, it.low, it.high].map(text::count);
    let message = format!("{} estimated at {value}; the choices are the same from {low} to {high}", it.input);
    Finding::new(ESTIMATED_INPUT, Level::Info, table.span, message)
        .on_table(&table.name)
        .with_confidence(Confidence::Medium)
        .with_help("state the figure in the file")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TableId;
    use crate::report::testing::shop;

    #[test]
    fn an_estimate_that_matters_is_told_with_its_range() {
        let it = Robustness {
            table: TableId(1),
            input: "distinct values of orders.customer_id".to_owned(),
            value: 41_000.0,
            low: 10_000.0,
            high: 9e6,
            matters: true,
        };
        let it = finding(&shop(), &it);
        let expected =
            "distinct values of orders.customer_id estimated at 41k; the choices are the same from 10k to 9M";
        assert_eq!(it.message, expected);
        assert_eq!(it.table.as_deref(), Some("orders"));
    }
}
