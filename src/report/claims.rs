//! Claims: every number that a plan states of itself, computed again.

mod capacity;
mod moved;

use crate::diag::{Code, Finding, Level, did_you_mean};
use crate::model::{Claim, ClaimKind};
use crate::report::build::Judged;
use crate::report::{ClaimRow, Standing};
use crate::units::text;

pub(super) use moved::moved_on_add_node;

/// SW1001: the computed figure differs from the claim by more than its rounding.
pub const CLAIM_REFUTED: Code = Code { code: "SW1001", name: "claim-refuted" };
/// SW1002: an input that a claim needs is missing.
pub const CLAIM_UNKNOWN: Code = Code { code: "SW1002", name: "claim-unknown" };

/// Slack for figures that differ in their last bits only.
const RELATIVE: f64 = 1e-9;

/// A figure with the formula and inputs it comes from, or what is missing.
pub(super) type Figure = Result<(f64, String), String>;

/// Judges every claim of a plan.
pub(super) fn judge(judged: &Judged<'_>) -> (Vec<ClaimRow>, Vec<Finding>) {
    let rows: Vec<ClaimRow> = judged.plan.claims.iter().map(|it| claim_row(judged, it)).collect();
    let findings =
        judged.plan.claims.iter().zip(&rows).filter_map(|(claim, row)| finding(claim, row)).collect();
    (rows, findings)
}

fn claim_row(judged: &Judged<'_>, claim: &Claim) -> ClaimRow {
    let (computed, verdict, why) = match compute(judged, claim) {
        Ok((value, why)) => (Some(value), standing(claim, value), why),
        Err(missing) => (None, Standing::Unknown, missing),
    };
    ClaimRow {
        claim: claim.kind.as_str(),
        about: claim.about.clone(),
        stated: claim.stated.value,
        text: claim.stated.text.clone(),
        computed,
        computed_text: computed.map(|it| in_words(claim.kind, it, Some(claim.stated.value))),
        verdict,
        why,
    }
}

fn standing(claim: &Claim, value: f64) -> Standing {
    let slack = RELATIVE * value.abs();
    let within = claim.stated.low - slack <= value && value <= claim.stated.high + slack;
    if within { Standing::Holds } else { Standing::Refuted }
}

/// The figure that a claim is about.
fn compute(judged: &Judged<'_>, claim: &Claim) -> Figure {
    let totals = &judged.assessment.totals;
    match claim.kind {
        ClaimKind::Shards => shards(judged, claim.about.as_deref()),
        ClaimKind::CrossShardTransactions => Ok((
            totals.cross_shard_transaction_share,
            format!("requests that write on more than one shard, of {} in all", text::rate(totals.requests)),
        )),
        ClaimKind::SingleShardReads => single_shard_reads(judged),
        ClaimKind::MovedOnAddNode => moved_on_add_node(judged),
        ClaimKind::BusiestOverMean => Ok((
            totals.busiest_over_mean,
            format!(
                "work on the busiest of {} shards over the mean, all patterns together",
                judged.setting.shards
            ),
        )),
        ClaimKind::HottestKeyShare => hottest(judged),
        ClaimKind::DataSize => {
            Ok((totals.bytes, "rows times row size of every table, today, one copy".to_owned()))
        }
        ClaimKind::WriteRate => Ok(sum_of_rates(judged, true)),
        ClaimKind::TotalRate => Ok(sum_of_rates(judged, false)),
        ClaimKind::IdsUniqueFor => capacity::ids_unique_for(judged.setting.design),
        ClaimKind::NodeLossDbLoad => capacity::node_loss(judged),
        ClaimKind::MonthlyCost => Err("this version knows no prices".to_owned()),
    }
}

fn shards(judged: &Judged<'_>, about: Option<&str>) -> Figure {
    let design = judged.setting.design;
    let Some(name) = about else { return Err("the claim names no pattern".to_owned()) };
    let Some(it) = judged.assessment.patterns.iter().find(|it| design.pattern(it.pattern).name == name)
    else {
        let near = did_you_mean(name, design.patterns.iter().map(|it| it.name.as_str()));
        let hint = near.map_or_else(String::new, |it| format!("; did you mean `{it}`?"));
        return Err(format!("no pattern is named `{name}`{hint}"));
    };
    let all = judged.setting.shards;
    let most = text::count(it.touched.max);
    Ok((it.touched.mean, format!("routing `{}`: {most} of {all} shards at the most", it.routing.as_str())))
}

fn single_shard_reads(judged: &Judged<'_>) -> Figure {
    let design = judged.setting.design;
    let reads = judged.assessment.patterns.iter().filter(|it| !design.pattern(it.pattern).writes());
    let (all, single) = reads
        .fold((0.0, 0.0), |(all, single), it| (all + it.rate, single + it.rate * (1.0 - it.touched.multi)));
    if all <= 0.0 {
        return Err("no pattern reads from the shards".to_owned());
    }
    Ok((single / all, format!("{} of {} reads touch one shard", text::rate(single), text::rate(all))))
}

/// The hottest value of any sharded table, by load; by rows where nothing reads or writes it.
fn hottest(judged: &Judged<'_>) -> Figure {
    let design = judged.setting.design;
    let sharded =
        judged.assessment.placed.iter().zip(&judged.assessment.tables).filter(|(it, _)| it.sharded());
    let shares = sharded.map(|(placed, it)| {
        let load = it.hottest.reads.max(it.hottest.writes);
        (if 0.0 < load { load } else { it.hottest.rows }, placed.table)
    });
    let worst = shares.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
    let Some((share, table)) = worst else { return Err("no table is sharded".to_owned()) };
    Ok((share, format!("the hottest key value of `{}`, of reads or writes", design.table(table).name)))
}

fn sum_of_rates(judged: &Judged<'_>, writes: bool) -> (f64, String) {
    let all = judged.setting.design.patterns.iter().filter(|it| !writes || it.writes());
    let rates: Vec<f64> = all.map(|it| it.rate.get()).collect();
    let of = if writes { "patterns that write" } else { "patterns" };
    (rates.iter().sum(), format!("the rates of {} {of}", rates.len()))
}

/// A figure as its kind is printed; with more digits where it would read like the stated one.
fn in_words(kind: ClaimKind, value: f64, stated: Option<f64>) -> String {
    let print = |it: f64| match kind {
        ClaimKind::CrossShardTransactions
        | ClaimKind::SingleShardReads
        | ClaimKind::MovedOnAddNode
        | ClaimKind::HottestKeyShare => text::share(it),
        ClaimKind::DataSize => text::bytes(it),
        ClaimKind::WriteRate | ClaimKind::TotalRate | ClaimKind::NodeLossDbLoad => text::rate(it),
        ClaimKind::IdsUniqueFor => text::duration(it),
        ClaimKind::MonthlyCost => format!("${it:.2}"),
        ClaimKind::Shards | ClaimKind::BusiestOverMean => text::count(it),
    };
    let short = print(value);
    let same = stated
        .is_some_and(|it| print(it) == short && RELATIVE < (it - value).abs() / value.abs().max(1e-300));
    if same { format!("{short} ({value:.6})") } else { short }
}

fn finding(claim: &Claim, row: &ClaimRow) -> Option<Finding> {
    let about = |it: Finding| match &claim.about {
        Some(pattern) => it.on_pattern(pattern),
        None => it,
    };
    let name = claim.kind.as_str();
    match row.verdict {
        Standing::Holds => None,
        Standing::Refuted => {
            let computed = row.computed_text.as_deref().unwrap_or_default();
            let message = refutation(claim, computed);
            Some(about(
                Finding::new(CLAIM_REFUTED, Level::Error, claim.span, message).with_help(row.why.clone()),
            ))
        }
        Standing::Unknown => {
            let message = format!("the claim {name} ({}) can't be verified: {}", claim.stated.text, row.why);
            Some(about(Finding::new(CLAIM_UNKNOWN, Level::Warning, claim.span, message)))
        }
    }
}

fn refutation(claim: &Claim, computed: &str) -> String {
    let subject = match claim.kind {
        ClaimKind::Shards => {
            format!("`{}` touches {computed} shards", claim.about.as_deref().unwrap_or_default())
        }
        ClaimKind::CrossShardTransactions => {
            format!("{computed} of the requests write on more than one shard")
        }
        ClaimKind::SingleShardReads => format!("{computed} of the reads touch one shard"),
        ClaimKind::MovedOnAddNode => format!("adding a node moves {computed} of the data"),
        ClaimKind::BusiestOverMean => format!("the busiest shard has {computed} times the mean load"),
        ClaimKind::HottestKeyShare => format!("the hottest key value has {computed} of its table's load"),
        ClaimKind::DataSize => format!("the data is {computed} today"),
        ClaimKind::WriteRate => format!("the patterns write {computed}"),
        ClaimKind::IdsUniqueFor => format!("identifiers stay unique for {computed}"),
        ClaimKind::NodeLossDbLoad => format!("after the loss of a cache node the database gets {computed}"),
        ClaimKind::TotalRate => format!("the patterns add up to {computed}"),
        ClaimKind::MonthlyCost => format!("a month costs {computed}"),
    };
    format!("{subject}, not {} as claimed", claim.stated.text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{claim, judging, plan, shop};

    fn judged_claims(claims: Vec<Claim>) -> (Vec<ClaimRow>, Vec<Finding>) {
        let (design, mut plan) = (shop(), plan());
        plan.claims = claims;
        judging(&design, &plan, judge)
    }

    fn near(value: Option<f64>, expected: f64) {
        let value = value.unwrap();
        assert!((value - expected).abs() <= 1e-9 * expected, "{value} is not {expected}");
    }

    #[test]
    fn sums_are_those_of_the_workload() {
        let (rows, findings) = judged_claims(vec![
            // 5M·200 B + 200M·320 B + 600M·64 B + 200k·500 B = 1 + 64 + 38.4 + 0.1 GB
            claim(ClaimKind::DataSize, None, 103.5e9, 0.05e9, "103.5GB"),
            claim(ClaimKind::WriteRate, None, 80.0, 0.5, "80/s"),
            claim(ClaimKind::TotalRate, None, 4700.0, 50.0, "4.7k/s"),
        ]);
        near(rows[0].computed, 103.5e9);
        near(rows[1].computed, 80.0);
        near(rows[2].computed, 1200.0 + 400.0 + 80.0 + 40.0 + 2.0 / 60.0 + 3000.0 + 1.0 / 3600.0);
        assert!(rows.iter().all(|it| it.verdict == Standing::Holds), "{rows:?}");
        assert_eq!(findings, []);
    }

    #[test]
    fn a_wrong_number_of_shards_is_refuted_with_both_figures() {
        let (rows, findings) =
            judged_claims(vec![claim(ClaimKind::Shards, Some("orders by status"), 1.0, 0.5, "1")]);
        near(rows[0].computed, 16.0);
        assert_eq!(rows[0].verdict, Standing::Refuted);
        assert_eq!(findings[0].message, "`orders by status` touches 16 shards, not 1 as claimed");
        assert_eq!(findings[0].pattern.as_deref(), Some("orders by status"));
        assert_eq!((findings[0].code, findings[0].level), (CLAIM_REFUTED, Level::Error));
    }

    #[test]
    fn a_pattern_that_is_not_there_is_unknown_with_the_nearest_name() {
        let (rows, findings) = judged_claims(vec![claim(ClaimKind::Shards, Some("log-in"), 1.0, 0.5, "1")]);
        assert_eq!((rows[0].verdict, rows[0].computed), (Standing::Unknown, None));
        assert!(rows[0].why.contains("did you mean `log in`?"), "{}", rows[0].why);
        assert_eq!((findings[0].code, findings[0].level), (CLAIM_UNKNOWN, Level::Warning));
    }

    #[test]
    fn reads_on_one_shard_are_weighed_by_their_rates() {
        let (rows, _) = judged_claims(vec![claim(ClaimKind::SingleShardReads, None, 1.0, 0.0, "100%")]);
        // Reads that ask more than one: the join that does not name the customer twice, the
        // look-up through the index (its row is on the entry's shard in 1 of 16 cases), the scan.
        let all = 1200.0 + 400.0 + 40.0 + 2.0 / 60.0 + 3000.0;
        near(rows[0].computed, (all - 400.0 - 40.0 * 15.0 / 16.0 - 2.0 / 60.0) / all);
    }

    #[test]
    fn a_bound_holds_on_its_side_and_at_its_edge() {
        let mut bound = claim(ClaimKind::WriteRate, None, 80.0, 0.0, "<= 80/s");
        bound.stated.low = f64::NEG_INFINITY;
        let mut over = bound.clone();
        over.stated.high = 79.0;
        let (rows, _) = judged_claims(vec![bound, over]);
        assert_eq!([rows[0].verdict, rows[1].verdict], [Standing::Holds, Standing::Refuted]);
    }

    #[test]
    fn figures_that_read_alike_get_more_digits() {
        assert_eq!(in_words(ClaimKind::BusiestOverMean, 1.204, Some(1.2)), "1.2 (1.204000)");
        assert_eq!(in_words(ClaimKind::BusiestOverMean, 1.3, Some(1.2)), "1.3");
        assert_eq!(in_words(ClaimKind::MovedOnAddNode, 0.8, Some(0.2)), "80%");
    }
}
