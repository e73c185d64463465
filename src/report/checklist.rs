//! The questions of a design review: what the proposal says, and what is true.

use crate::diag::{Code, Finding, Level};
use crate::model::{ClaimKind, Generated};
use crate::report::build::Judged;
use crate::report::plan_rows::left_out;
use crate::report::{CheckRow, ClaimRow, Standing};
use crate::units::text;

/// SW1003: the review checklist has a question that the proposal does not answer.
pub const CLAIM_MISSING: Code = Code { code: "SW1003", name: "claim-missing" };

/// The questions with their answers, and a finding that names those left open.
pub(super) fn checklist(judged: &Judged<'_>, claims: &[ClaimRow]) -> (Vec<CheckRow>, Option<Finding>) {
    let by = |kinds: &[ClaimKind]| stated(claims, kinds);
    let mut rows = vec![
        every_table(judged),
        row(
            "data size, write rate and growth",
            sizes(judged),
            by(&[ClaimKind::DataSize, ClaimKind::WriteRate]),
        ),
        row(
            "shards that each pattern touches",
            routes(judged),
            by(&[ClaimKind::Shards, ClaimKind::SingleShardReads]),
        ),
        transactions(judged, by(&[ClaimKind::CrossShardTransactions])),
        row(
            "the busiest shard and the hottest key",
            heat(judged),
            by(&[ClaimKind::BusiestOverMean, ClaimKind::HottestKeyShare]),
        ),
        moved(judged, claims, by(&[ClaimKind::MovedOnAddNode])),
    ];
    rows.extend(identifiers(judged, by(&[ClaimKind::IdsUniqueFor])));
    if judged.setting.design.cache.is_some() {
        let answer = "the database's load after the loss of a cache node".to_owned();
        rows.push(row(
            "what a lost cache node does to the database",
            answer,
            by(&[ClaimKind::NodeLossDbLoad]),
        ));
    }
    let open: Vec<&str> =
        rows.iter().filter(|it| it.state == Standing::Unknown).map(|it| it.question).collect();
    let missing = (!open.is_empty()).then(|| {
        let message = format!("the proposal does not answer: {}", open.join("; "));
        Finding::new(CLAIM_MISSING, Level::Info, judged.plan.span, message)
            .with_help("state these figures under `claims`; the checklist has what was computed")
    });
    (rows, missing)
}

fn row(question: &'static str, answer: String, state: Standing) -> CheckRow {
    CheckRow { question, answer, state }
}

/// How the claims of some kinds stand together; unknown if there are none.
fn stated(claims: &[ClaimRow], kinds: &[ClaimKind]) -> Standing {
    let states =
        || claims.iter().filter(|it| kinds.iter().any(|kind| kind.as_str() == it.claim)).map(|it| it.verdict);
    if states().any(|it| it == Standing::Refuted) {
        Standing::Refuted
    } else if states().any(|it| it == Standing::Holds) {
        Standing::Holds
    } else {
        Standing::Unknown
    }
}

fn every_table(judged: &Judged<'_>) -> CheckRow {
    let design = judged.setting.design;
    let missing = left_out(design, judged.plan);
    let (answer, state) = if missing.is_empty() {
        (format!("all {} tables have a place", design.tables.len()), Standing::Holds)
    } else {
        (format!("nothing is said of {}", missing.join(", ")), Standing::Unknown)
    };
    row("a key, a copy or a shard for every table", answer, state)
}

fn sizes(judged: &Judged<'_>) -> String {
    let setting = judged.setting;
    let now: f64 = setting.facts.iter().map(|it| it.rows * it.row_bytes).sum();
    let later: f64 = setting.facts.iter().map(|it| it.rows_later * it.row_bytes).sum();
    let writes: f64 = setting.design.patterns.iter().filter(|it| it.writes()).map(|it| it.rate.get()).sum();
    let horizon = text::duration(setting.design.horizon().get());
    format!("{} today, {} in {horizon}; {} writes", text::bytes(now), text::bytes(later), text::rate(writes))
}

fn routes(judged: &Judged<'_>) -> String {
    let totals = &judged.assessment.totals;
    let (single, scatter) = (text::share(totals.single_shard_share), text::share(totals.scatter_share));
    format!("{single} of the requests touch one shard, {scatter} ask all {}", judged.setting.shards)
}

fn transactions(judged: &Judged<'_>, state: Standing) -> CheckRow {
    let share = judged.assessment.totals.cross_shard_transaction_share;
    let question = "transactions that write on several shards";
    if share <= 0.0 && state == Standing::Unknown {
        return row(question, "there are none".to_owned(), Standing::Holds);
    }
    row(question, format!("{} of the requests", text::share(share)), state)
}

fn heat(judged: &Judged<'_>) -> String {
    let busiest = judged.assessment.totals.busiest_over_mean;
    let hottest =
        judged.assessment.placed.iter().zip(&judged.assessment.tables).filter(|(it, _)| it.sharded());
    let top = hottest.map(|(_, it)| it.hottest.max()).fold(0.0, f64::max);
    format!(
        "busiest {} × mean; the hottest value has {} of its table",
        text::count(busiest),
        text::share(top)
    )
}

fn moved(judged: &Judged<'_>, claims: &[ClaimRow], state: Standing) -> CheckRow {
    let question = "what moves when a node is added";
    let claim = claims.iter().find(|it| it.claim == ClaimKind::MovedOnAddNode.as_str());
    let answer =
        claim.map(|it| it.why.clone()).or_else(|| match crate::report::claims::moved_on_add_node(judged) {
            Ok((_, why)) | Err(why) => Some(why),
        });
    row(question, answer.unwrap_or_default(), state)
}

/// Only where identifiers are made by something that can repeat or run out.
fn identifiers(judged: &Judged<'_>, state: Standing) -> Option<CheckRow> {
    let design = judged.setting.design;
    let counted = |it: &Option<Generated>| {
        matches!(it, Some(Generated::AutoIncrement | Generated::Snowflake | Generated::Ticket))
    };
    let columns = design.tables.iter().flat_map(|table| {
        table
            .columns
            .iter()
            .filter(|it| counted(&it.generated))
            .map(|it| format!("{}.{}", table.name, it.name))
    });
    let mut names: Vec<String> = columns.collect();
    let described = design.ids.iter().filter_map(|it| {
        let table = design.tables.get(it.table.0 as usize)?;
        Some(format!("{}.{}", table.name, table.columns.get(it.column.0 as usize)?.name))
    });
    names.extend(described);
    names.sort();
    names.dedup();
    if names.is_empty() && state == Standing::Unknown {
        return None;
    }
    Some(row("how identifiers stay unique, and for how long", names.join(", "), state))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::claims::judge;
    use crate::report::testing::{claim, judging, plan, shop};

    #[test]
    fn what_the_proposal_leaves_open_is_named_once() {
        let (design, mut plan) = (shop(), plan());
        plan.claims.push(claim(ClaimKind::TotalRate, None, 4720.0, 1.0, "4720/s"));
        plan.claims.push(claim(ClaimKind::DataSize, None, 103.5e9, 1e9, "103.5GB"));
        plan.claims.push(claim(ClaimKind::WriteRate, None, 8.0, 0.5, "8/s"));
        let (rows, missing) = judging(&design, &plan, |it| checklist(it, &judge(it).0));
        assert_eq!(rows[0].state, Standing::Holds);
        // One of two figures is wrong, and a wrong figure is worse than a missing one.
        assert_eq!(rows[1].state, Standing::Refuted);
        let missing = missing.unwrap();
        assert!(missing.message.contains("what moves when a node is added"), "{}", missing.message);
        assert!(!missing.message.contains("data size"), "{}", missing.message);
        assert_eq!(missing.level, Level::Info);
    }

    #[test]
    fn a_table_without_a_place_is_named() {
        let (design, mut plan) = (shop(), plan());
        plan.tables.remove(&crate::model::TableId(3));
        let (rows, _) = judging(&design, &plan, |it| checklist(it, &[]));
        assert_eq!(
            (rows[0].state, rows[0].answer.as_str()),
            (Standing::Unknown, "nothing is said of products")
        );
    }
}
