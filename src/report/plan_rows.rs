//! A plan and what it is worth as rows.

use crate::analysis::assessment::{Assessment, PatternFigures, Three, Totals};
use crate::analysis::placed::Placed;
use crate::diag::Finding;
use crate::model::{Choice, Design, KeyPart, Plan};
use crate::report::build::Judged;
use crate::report::groups::groups;
use crate::report::headline::headline;
use crate::report::indexes::index_rows;
use crate::report::{
    CandidateRow, ChoiceRow, PatternRow, PlanRows, RewriteRow, ScoresRow, TableRow, ThreeRow, TotalsRow,
};
use crate::search::advice::{Advice, Candidate, Scores};
use crate::units::Seconds;

/// The rows of a judged plan. `advice` gives the candidates; `own` is the advice
/// that the plan comes from, with its rewrites and indexes; the findings
/// lend the patterns their help.
pub(super) fn plan_rows(
    judged: &Judged<'_>,
    advice: Option<&Advice>,
    own: Option<&Advice>,
    findings: &[Finding],
) -> PlanRows {
    let Judged { setting, assessment, .. } = judged;
    let rewrites: Vec<RewriteRow> = own
        .iter()
        .flat_map(|it| &it.rewrites)
        .map(|it| RewriteRow {
            pattern: setting.design.pattern(it.pattern).name.clone(),
            add: it.add.clone(),
        })
        .collect();
    let indexes = index_rows(judged, own);
    let mut patterns: Vec<PatternRow> =
        assessment.patterns.iter().map(|it| pattern_row(setting.design, assessment, it)).collect();
    for pattern in &mut patterns {
        pattern.advice = pattern_advice(pattern, &rewrites, findings);
    }
    let mut rows = PlanRows {
        tables: table_rows(judged, advice),
        patterns,
        totals: Some(totals_row(&assessment.totals)),
        indexes,
        rewrites,
        ..PlanRows::default()
    };
    rows.headline = headline(&rows);
    rows
}

fn table_rows(judged: &Judged<'_>, advice: Option<&Advice>) -> Vec<TableRow> {
    let Judged { setting, assessment, plan, .. } = judged;
    let groups = groups(setting, &assessment.placed);
    let rows = assessment.placed.iter().zip(&assessment.tables).zip(groups);
    rows.map(|((placed, figures), group)| {
        let choice = ChoiceRow { group, ..choice_row(setting.design, placed) };
        let known = advice.and_then(|it| it.candidates.get(placed.table.0 as usize));
        let candidates: Vec<CandidateRow> = known
            .iter()
            .flat_map(|it| it.iter())
            .map(|it| candidate_row(setting.design, it, placed))
            .collect();
        TableRow {
            table: setting.design.table(placed.table).name.clone(),
            scores: candidates.iter().find(|it| it.chosen).map(|it| it.scores),
            choice,
            candidates,
            bytes: figures.bytes.0,
            bytes_later: figures.bytes.1,
            left_out: !plan.tables.contains_key(&placed.table),
        }
    })
    .collect()
}

/// Where a table's rows live, in words.
pub(super) fn choice_row(design: &Design, placed: &Placed) -> ChoiceRow {
    let Choice::Sharded(key) = &placed.choice else {
        let kind = if placed.choice == Choice::Replicated { "replicated" } else { "unsharded" };
        return ChoiceRow { kind, ..ChoiceRow::default() };
    };
    let table = design.table(placed.table);
    let name = |part: &KeyPart| match part {
        KeyPart::Column(column) | KeyPart::Bucket { column, .. } => table.column(*column).name.clone(),
        KeyPart::Copied(copied) => copied.name.clone(),
        KeyPart::Expression { text, .. } => text.clone(),
    };
    let added: Vec<&str> = key
        .parts
        .iter()
        .filter_map(|part| match part {
            KeyPart::Copied(copied) => Some(copied.name.as_str()),
            _ => None,
        })
        .collect();
    ChoiceRow {
        kind: "sharded",
        key: key.parts.iter().map(name).collect(),
        strategy: Some(placed.strategy.as_str()),
        group: None,
        add_column: (!added.is_empty()).then(|| added.join(", ")),
        salt: placed.salt.map(|it| it.ways),
        bucket: key.bucket().map(|(column, every)| (table.column(column).name.clone(), every.get())),
    }
}

fn candidate_row(design: &Design, it: &Candidate, placed: &Placed) -> CandidateRow {
    CandidateRow {
        choice: choice_row(design, &it.placed),
        chosen: same_choice(&it.placed, placed),
        rank: it.rank,
        efficiency: it.efficiency,
        veto: it.veto.as_ref().map(|it| (it.rule.name.to_owned(), it.message.clone())),
        scores: scores_row(&it.scores),
        distinct: it.distinct,
        effective: it.effective,
        busiest: three_row(&it.busiest),
        hottest: three_row(&it.hottest),
        empty: it.empty,
        reasons: it.reasons.clone(),
    }
}

/// Whether two choices come to the same, whether or not they name the strategy.
fn same_choice(a: &Placed, b: &Placed) -> bool {
    let parts = |it: &Placed| it.choice.key().map(|it| it.parts.clone());
    std::mem::discriminant(&a.choice) == std::mem::discriminant(&b.choice)
        && parts(a) == parts(b)
        && (a.strategy, a.salt, a.hierarchical) == (b.strategy, b.salt, b.hierarchical)
}

fn scores_row(it: &Scores) -> ScoresRow {
    ScoresRow {
        cardinality: it.cardinality,
        skew: it.skew,
        fan_out: it.fan_out,
        co_location: it.co_location,
        stability: it.stability,
    }
}

fn three_row(it: &Three) -> ThreeRow {
    ThreeRow { rows: it.rows, reads: it.reads, writes: it.writes }
}

fn pattern_row(design: &Design, assessment: &Assessment, it: &PatternFigures) -> PatternRow {
    let pattern = design.pattern(it.pattern);
    let elsewhere = pattern.served_by.as_ref().filter(|_| it.rate <= 0.0).map(|it| it.what.clone());
    let index = || it.index(&assessment.placed).map(|it| format!("index {}", it.name));
    PatternRow {
        pattern: pattern.name.clone(),
        rate: pattern.rate.get(),
        rate_on_shards: it.rate,
        routing: it.routing.as_str(),
        mean: it.touched.mean,
        max: it.touched.max,
        multi: it.touched.multi,
        cross_shard_transaction: it.crosses(),
        served_by: elsewhere.or_else(index).unwrap_or_else(|| "table".to_owned()),
        work: it.work,
        weighted: it.weighted,
        slow: it.slow,
        writes: pattern.writes(),
        p99: pattern.p99.map(Seconds::get),
        advice: None,
    }
}

/// What would help a pattern: the predicate to add, else what its worst finding says.
fn pattern_advice(row: &PatternRow, rewrites: &[RewriteRow], findings: &[Finding]) -> Option<String> {
    if let Some(it) = rewrites.iter().find(|it| it.pattern == row.pattern) {
        return Some(format!("add {}", it.add));
    }
    let about = findings.iter().filter(|it| it.pattern.as_ref() == Some(&row.pattern));
    let worst = about.filter(|it| it.help.is_some()).min_by_key(|it| std::cmp::Reverse(it.level))?;
    worst.help.clone()
}

fn totals_row(it: &Totals) -> TotalsRow {
    TotalsRow {
        efficiency: it.efficiency,
        single_shard_share: it.single_shard_share,
        scatter_share: it.scatter_share,
        cross_shard_transaction_share: it.cross_shard_transaction_share,
        busiest_over_mean: it.busiest_over_mean,
        requests: it.requests,
        shard_requests: it.shard_requests,
        bytes: it.bytes,
        rate_analysed: it.rate_analysed,
    }
}

/// Names of the tables that a plan leaves out.
pub(super) fn left_out(design: &Design, plan: &Plan) -> Vec<String> {
    let missing = design.table_ids().filter(|it| !plan.tables.contains_key(it));
    missing.map(|it| design.table(it).name.clone()).collect()
}
