//! What the advisor says: a plan, what it is worth, every candidate it was
//! chosen from, and how sure that is.

use crate::analysis::assessment::{Assessment, Three};
use crate::analysis::placed::Placed;
use crate::analysis::verdict::{Robustness, Verdict};
use crate::model::{Choice, Index, PatternId, Plan};

/// The advisor's answer.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The best plan: a choice for each table, and its indexes.
    pub plan: Plan,
    /// What it is worth, its rewrites made.
    pub assessment: Assessment,
    /// Every candidate of each table, best first.
    pub candidates: Vec<Vec<Candidate>>,
    /// How the search ended.
    pub search: SearchReport,
    /// Proposed indexes with what they save and cost.
    pub indexes: Vec<IndexAdvice>,
    /// Predicates that the data implies and the plan counts on.
    pub rewrites: Vec<Rewrite>,
    /// Whether to shard at all, and over how many.
    pub verdict: Verdict,
    /// Estimated inputs and the range in which the choices stay.
    pub robustness: Vec<Robustness>,
}

/// A candidate key (or copy, or single shard) of one table.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The choice.
    pub choice: Choice,
    /// The choice made concrete.
    pub placed: Placed,
    /// Position by what it does to the whole, from 1.
    pub rank: u32,
    /// Efficiency of the best complete plan with it; `None` where it was not worked out.
    pub efficiency: Option<f64>,
    /// Why it can't be.
    pub veto: Option<Veto>,
    /// The five scores.
    pub scores: Scores,
    /// Distinct key values at the horizon.
    pub distinct: f64,
    /// Effective key values at the horizon.
    pub effective: f64,
    /// Load of the busiest shard over the mean.
    pub busiest: Three,
    /// Share of the hottest value.
    pub hottest: Three,
    /// Expected share of empty shards.
    pub empty: f64,
    /// Reasons in words, with their numbers.
    pub reasons: Vec<String>,
}

/// A reason for which a candidate can't be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Veto {
    /// The rule that says so.
    pub rule: RuleName,
    /// What it says.
    pub message: String,
}

/// A rule by its code and name: `SW105`, `mutable-key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleName {
    /// Its code.
    pub code: &'static str,
    /// Its name.
    pub name: &'static str,
}

/// The five scores of a candidate, 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// 100 · min(1, D₂ / (10·S)) at the horizon.
    pub cardinality: f64,
    /// 100 / σ, the worst of rows and load.
    pub skew: f64,
    /// Shards touched if routed ideally over shards touched.
    pub fan_out: f64,
    /// Share of join and transaction weight that stays on one shard.
    pub co_location: f64,
    /// Share of the table's writes that leave the key alone.
    pub stability: f64,
}

/// How the search ended.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchReport {
    /// Whether the best efficiency is proven.
    pub optimal: bool,
    /// (bound − found) / bound of the efficiency.
    pub gap: f64,
    /// Plans costed.
    pub plans_considered: u64,
    /// Why it stopped, when before the end: `budget` or `deadline`.
    pub stopped: Option<&'static str>,
    /// The best plan that differs from the chosen one in a table's key.
    pub runner_up: Option<RunnerUp>,
}

/// The next best plan.
#[derive(Clone, Debug, PartialEq)]
pub struct RunnerUp {
    /// Its efficiency.
    pub efficiency: f64,
    /// What differs, in words.
    pub differs: Vec<String>,
}

/// A proposed index.
#[derive(Clone, Debug)]
pub struct IndexAdvice {
    /// The index.
    pub index: Index,
    /// Patterns it answers.
    pub patterns: Vec<PatternId>,
    /// Shard requests a second it saves.
    pub saves: f64,
    /// Shard requests a second its upkeep costs.
    pub costs: f64,
}

/// A predicate that the data implies.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewrite {
    /// The pattern.
    pub pattern: PatternId,
    /// What to add: `AND oi.customer_id = o.customer_id`.
    pub add: String,
}
