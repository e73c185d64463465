//! Puts a report together: from judged plans, advice and findings to rows.

use crate::analysis::assessment::{Assessment, evaluate_totals};
use crate::analysis::classes::Reading;
use crate::analysis::setting::Setting;
use crate::analysis::verdict::Verdict;
use crate::diag::{Finding, settle};
use crate::lint;
use crate::model::Plan;
use crate::report::checklist::checklist;
use crate::report::claims::judge;
use crate::report::estimates::estimate_rows;
use crate::report::findings::finding_row;
use crate::report::plan_rows::plan_rows;
use crate::report::todo::todo_rows;
use crate::report::{CurveRow, Job, ModelRow, PlanRows, Report, SearchRow, VerdictRow};
use crate::search::advice::{Advice, SearchReport};
use crate::source::Files;

/// Numbers of shards on the scale-out curve: 1, 2, 4 … 1024.
const CURVE: u32 = 10;

/// A plan with what it is worth in its setting.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The setting.
    pub setting: &'a Setting<'a>,
    /// The plan.
    pub plan: &'a Plan,
    /// What it is worth.
    pub assessment: &'a Assessment,
    /// Which equalities count.
    pub reading: Reading,
}

/// What a report is made of.
#[derive(Debug, Default)]
pub struct Parts<'a> {
    /// What was asked for.
    pub job: Job,
    /// What the design is; kept where no plan could be judged.
    pub setting: Option<&'a Setting<'a>>,
    /// The plan that the question is about; the advisor's own under `advise`.
    pub judged: Option<Judged<'a>>,
    /// What the advisor says.
    pub advice: Option<&'a Advice>,
    /// Findings about the plan.
    pub findings: Vec<Finding>,
    /// Findings about the advisor's plan, under `check`.
    pub best_findings: Vec<Finding>,
    /// Number of designs that were looked at.
    pub designs: usize,
}

/// Makes the report.
#[must_use]
pub fn report(mut parts: Parts<'_>, files: &Files) -> Report {
    let job = parts.job;
    let mut report = Report { job, designs: parts.designs.max(1), ..Report::default() };
    report.model = parts.setting.map(model_row);
    if let Some(judged) = parts.judged.filter(|_| job == Job::Check) {
        let (claims, mut findings) = judge(&judged);
        parts.findings.append(&mut findings);
        let (rows, missing) = checklist(&judged, &claims);
        parts.findings.extend(missing);
        (report.claims, report.checklist) = (claims, rows);
    }
    if let (Some(advice), Some(setting)) = (parts.advice, parts.setting) {
        report.verdict = Some(verdict_row(&advice.verdict));
        report.search = Some(search_row(&advice.search));
        report.estimates = estimate_rows(advice);
        if job == Job::Advise {
            report.todo = todo_rows(setting, advice);
        } else {
            report.best = Some(best_rows(setting, advice, &mut parts.best_findings, files));
        }
    }
    parts.findings = settled(parts.setting, parts.findings, files);
    if let Some(judged) = parts.judged {
        let own = parts.advice.filter(|_| job == Job::Advise);
        report.plan = plan_rows(&judged, parts.advice, own, &parts.findings);
        report.curve = curve(&judged);
    }
    report.findings = parts.findings.iter().map(|it| finding_row(it, files)).collect();
    report
}

/// All findings together with the file's levels and suppressions applied.
fn settled(setting: Option<&Setting<'_>>, mut findings: Vec<Finding>, files: &Files) -> Vec<Finding> {
    if let Some(it) = setting {
        return lint::settle(findings, it.design, files);
    }
    settle(&mut findings);
    findings
}

fn best_rows(setting: &Setting<'_>, advice: &Advice, findings: &mut Vec<Finding>, files: &Files) -> PlanRows {
    settle(findings);
    let best =
        Judged { setting, plan: &advice.plan, assessment: &advice.assessment, reading: Reading::Implied };
    let rows = plan_rows(&best, None, Some(advice), findings);
    PlanRows { findings: findings.iter().map(|it| finding_row(it, files)).collect(), ..rows }
}

fn model_row(setting: &Setting<'_>) -> ModelRow {
    let (design, costs) = (setting.design, &setting.design.costs);
    ModelRow {
        name: design.name.clone(),
        engine: setting.engine.id.to_owned(),
        engine_name: setting.engine.name.to_owned(),
        shard_word: setting.engine.shard_word.to_owned(),
        shards: setting.shards,
        shards_estimated: setting.shards_estimated,
        nodes: setting.nodes,
        copies: design.target.copies,
        horizon: design.horizon().get(),
        costs: vec![
            ("row_read", costs.row_read),
            ("row_written", costs.row_written),
            ("row_moved", costs.row_moved),
            ("commit", costs.commit),
        ],
    }
}

fn verdict_row(it: &Verdict) -> VerdictRow {
    VerdictRow {
        shard: it.shard,
        summary: it.summary.clone(),
        reasons: it.reasons.clone(),
        recommended_shards: it.recommended_shards,
        not_needed_days: it.not_needed_days,
        steps: it.steps.clone(),
    }
}

fn search_row(it: &SearchReport) -> SearchRow {
    SearchRow {
        optimal: it.optimal,
        gap: it.gap,
        plans_considered: it.plans_considered,
        stopped: it.stopped,
        runner_up: it.runner_up.as_ref().map(|it| (it.efficiency, it.differs.clone())),
    }
}

/// Throughput against one node: efficiency · S, judged anew for every S.
fn curve(judged: &Judged<'_>) -> Vec<CurveRow> {
    let speedup = |shards: u32| {
        let setting = judged.setting.with_shards(shards);
        let it = evaluate_totals(&setting, &judged.assessment.placed, judged.reading);
        CurveRow { shards, speedup: it.efficiency * f64::from(shards) }
    };
    (0..=CURVE).map(|it| speedup(1 << it)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ClaimKind;
    use crate::report::testing::{claim, files, judging, plan, shop};

    #[test]
    fn a_checked_plan_has_its_own_routes_and_verified_claims() {
        let (design, mut plan) = (shop(), plan());
        plan.claims.push(claim(ClaimKind::Shards, Some("orders by status"), 1.0, 0.5, "1"));
        let it = judging(&design, &plan, |it| {
            let parts =
                Parts { job: Job::Check, setting: Some(it.setting), judged: Some(*it), ..Parts::default() };
            report(parts, &files())
        });
        let routing: Vec<_> = it.plan.patterns.iter().map(|it| (it.routing, it.mean)).collect();
        // As written, items are not known to be with their order: the join asks all 16.
        assert_eq!(routing[0], ("single", 1.0));
        assert_eq!(routing[1].0, "scatter");
        assert_eq!(routing[4], ("scatter", 16.0));
        assert_eq!(routing[5].0, "replicated");
        assert_eq!(routing[6].0, "none");
        assert_eq!(it.plan.patterns[6].served_by, "warehouse");
        assert_eq!(it.plan.patterns[3].served_by, "index customers_email");
        assert_eq!(it.plan.tables[2].choice.add_column.as_deref(), Some("customer_id"));
        assert_eq!(it.plan.tables[3].choice.label(), "replicated");
        let refuted = it.findings.iter().find(|it| it.rule == "claim-refuted").unwrap();
        assert_eq!((refuted.place.line, refuted.place.file.as_str()), (31, "shop.yaml"));
        assert_eq!(&refuted.place.text[refuted.place.marked.0..refuted.place.marked.1], "shards: 1}");
    }

    #[test]
    fn the_curve_starts_at_one_and_never_passes_the_number_of_shards() {
        let (design, plan) = (shop(), plan());
        let curve = judging(&design, &plan, curve);
        assert_eq!(
            curve.iter().map(|it| it.shards).collect::<Vec<_>>(),
            [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
        );
        for it in curve {
            assert!(0.0 < it.speedup && it.speedup <= f64::from(it.shards), "{it:?}");
        }
    }
}
