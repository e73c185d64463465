//! One answer for every front end: rows and strings, no types of the model.

mod build;
mod checklist;
mod choice;
mod claims;
mod estimates;
mod findings;
mod groups;
mod headline;
mod indexes;
mod manual;
mod plan_rows;
#[cfg(test)]
pub(crate) mod testing;
mod todo;
pub mod wire;

/// How figures are printed: the one place, for those who see only reports.
pub use crate::units::text as figures;
pub use build::{Judged, Parts, report};
pub use checklist::CLAIM_MISSING;
pub use choice::ChoiceRow;
pub use claims::{CLAIM_REFUTED, CLAIM_UNKNOWN};
pub use manual::CLAIM_RULES;

use crate::diag::{Confidence, Level};

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Job {
    /// The best plan.
    #[default]
    Advise,
    /// Findings.
    Lint,
    /// A judgement of somebody's plan.
    Check,
}

/// The answer to one question about one design.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// What was asked for.
    pub job: Job,
    /// What the design is; `None` where nothing could be read, or several designs were.
    pub model: Option<ModelRow>,
    /// Whether to shard at all.
    pub verdict: Option<VerdictRow>,
    /// The plan that the question is about.
    pub plan: PlanRows,
    /// Throughput against one node, by number of shards.
    pub curve: Vec<CurveRow>,
    /// The advisor's own plan, under `check`.
    pub best: Option<PlanRows>,
    /// What the plan says of itself, verified.
    pub claims: Vec<ClaimRow>,
    /// The questions of a design review.
    pub checklist: Vec<CheckRow>,
    /// What is wrong, and what is worth knowing.
    pub findings: Vec<FindingRow>,
    /// How the search ended.
    pub search: Option<SearchRow>,
    /// What to do to get there, in order.
    pub todo: Vec<TodoRow>,
    /// Estimates and how far they reach.
    pub estimates: Vec<EstimateRow>,
    /// Number of designs that were looked at.
    pub designs: usize,
}

/// A plan: choices, routes, sums.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanRows {
    /// The plan in a few sentences.
    pub headline: String,
    /// Tables in the order of the file.
    pub tables: Vec<TableRow>,
    /// Patterns in the order of the file.
    pub patterns: Vec<PatternRow>,
    /// Figures of the whole.
    pub totals: Option<TotalsRow>,
    /// Secondary indexes.
    pub indexes: Vec<IndexRow>,
    /// Predicates to add.
    pub rewrites: Vec<RewriteRow>,
    /// Findings about this plan, where it is not the one that the report is about.
    pub findings: Vec<FindingRow>,
}

/// What a design is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRow {
    /// Its name.
    pub name: String,
    /// Id of the engine.
    pub engine: String,
    /// Name of the engine, as its maker writes it.
    pub engine_name: String,
    /// Its word for a shard.
    pub shard_word: String,
    /// Shards.
    pub shards: u32,
    /// Whether that number is an estimate.
    pub shards_estimated: bool,
    /// Nodes, if known.
    pub nodes: Option<u32>,
    /// Copies of each row, where given.
    pub copies: Option<u32>,
    /// Seconds until growth is judged.
    pub horizon: f64,
    /// Constants of the cost model, by name.
    pub costs: Vec<(&'static str, f64)>,
}

/// Whether to shard at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerdictRow {
    /// Whether one node is not enough; `None` where its capacity is not known.
    pub shard: Option<bool>,
    /// One sentence.
    pub summary: String,
    /// The arithmetic behind it.
    pub reasons: Vec<String>,
    /// Shards that hold size, reads and writes at the horizon.
    pub recommended_shards: Option<u32>,
    /// Days until one node no longer holds it.
    pub not_needed_days: Option<f64>,
    /// Cheaper steps, in order.
    pub steps: Vec<String>,
}

/// A table under a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRow {
    /// Its name.
    pub table: String,
    /// Where its rows live.
    pub choice: ChoiceRow,
    /// Every candidate, best first.
    pub candidates: Vec<CandidateRow>,
    /// Scores of the choice, where it is a candidate.
    pub scores: Option<ScoresRow>,
    /// Bytes today, one copy.
    pub bytes: f64,
    /// Bytes at the horizon, one copy.
    pub bytes_later: f64,
    /// Whether the plan says nothing of the table.
    pub left_out: bool,
}

/// A candidate for one table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CandidateRow {
    /// The choice.
    pub choice: ChoiceRow,
    /// Whether the plan has it.
    pub chosen: bool,
    /// Position, from 1.
    pub rank: u32,
    /// Efficiency of the best complete plan with it.
    pub efficiency: Option<f64>,
    /// Rule and message of what rules it out.
    pub veto: Option<(String, String)>,
    /// The five scores.
    pub scores: ScoresRow,
    /// Distinct key values at the horizon.
    pub distinct: f64,
    /// Effective key values at the horizon.
    pub effective: f64,
    /// Load of the busiest shard over the mean.
    pub busiest: ThreeRow,
    /// Share of the hottest value.
    pub hottest: ThreeRow,
    /// Expected share of shards without a row.
    pub empty: f64,
    /// Reasons, with their numbers.
    pub reasons: Vec<String>,
}

/// The five scores, 0 to 100.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoresRow {
    /// Enough different values.
    pub cardinality: f64,
    /// Even load.
    pub skew: f64,
    /// Few shards a request.
    pub fan_out: f64,
    /// Joins and transactions on one shard.
    pub co_location: f64,
    /// Writes that leave the key alone.
    pub stability: f64,
}

/// A figure of rows, of reads and of writes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ThreeRow {
    /// Of stored rows.
    pub rows: f64,
    /// Of reads.
    pub reads: f64,
    /// Of writes.
    pub writes: f64,
}

/// A pattern under a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatternRow {
    /// Its name.
    pub pattern: String,
    /// Requests a second.
    pub rate: f64,
    /// Requests a second that reach the shards.
    pub rate_on_shards: f64,
    /// How it is routed.
    pub routing: &'static str,
    /// Shards touched, on average.
    pub mean: f64,
    /// Most shards touched.
    pub max: f64,
    /// Probability of more than one shard.
    pub multi: f64,
    /// Whether it can write on more than one shard.
    pub cross_shard_transaction: bool,
    /// `table`, `index NAME`, or what serves it elsewhere.
    pub served_by: String,
    /// Work of one execution.
    pub work: f64,
    /// Work of one execution, times the busiest shard's load over the mean.
    pub weighted: f64,
    /// Probability that it is slow.
    pub slow: f64,
    /// Whether it writes.
    pub writes: bool,
    /// Latency budget in seconds.
    pub p99: Option<f64>,
    /// What would help.
    pub advice: Option<String>,
}

/// Figures of a whole plan.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TotalsRow {
    /// One node's work over the busiest shard's times the shards.
    pub efficiency: f64,
    /// Share of requests on one shard.
    pub single_shard_share: f64,
    /// Share of requests that ask all shards.
    pub scatter_share: f64,
    /// Share of requests that write on more than one shard.
    pub cross_shard_transaction_share: f64,
    /// Load of the busiest shard over the mean.
    pub busiest_over_mean: f64,
    /// Requests a second.
    pub requests: f64,
    /// Shard requests a second.
    pub shard_requests: f64,
    /// Bytes today, one copy.
    pub bytes: f64,
    /// Share of the rate whose statements could be read.
    pub rate_analysed: f64,
}

/// A point of the scale-out curve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CurveRow {
    /// Shards.
    pub shards: u32,
    /// Throughput against one node.
    pub speedup: f64,
}

/// A secondary index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexRow {
    /// Name.
    pub name: String,
    /// Table.
    pub table: String,
    /// Columns of its key.
    pub key: Vec<String>,
    /// `global` or `local`.
    pub scope: &'static str,
    /// Over how many each value is spread.
    pub salt: Option<u32>,
    /// Patterns it answers.
    pub patterns: Vec<String>,
    /// Shard requests a second it saves.
    pub saves: f64,
    /// Shard requests a second its upkeep costs.
    pub costs: f64,
}

/// A predicate to add to a pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RewriteRow {
    /// The pattern.
    pub pattern: String,
    /// What to add.
    pub add: String,
}

/// A claim, verified.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimRow {
    /// What it is about.
    pub claim: &'static str,
    /// The pattern it is about.
    pub about: Option<String>,
    /// As stated, in plain units.
    pub stated: f64,
    /// As written.
    pub text: String,
    /// As computed, in plain units.
    pub computed: Option<f64>,
    /// The computed figure, to be read.
    pub computed_text: Option<String>,
    /// Whether it holds.
    pub verdict: Standing,
    /// Formula and inputs.
    pub why: String,
}

/// How a claim or a question stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// True, or answered.
    Holds,
    /// Not true.
    Refuted,
    /// An input is missing, or the question is not answered.
    #[default]
    Unknown,
}

impl Standing {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Refuted => "refuted",
            Self::Unknown => "unknown",
        }
    }
}

/// A question of a design review.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckRow {
    /// The question.
    pub question: &'static str,
    /// What is known.
    pub answer: String,
    /// How it stands.
    pub state: Standing,
}

/// A finding with its place in lines and columns.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingRow {
    /// `SW201`
    pub code: &'static str,
    /// `scatter-read`
    pub rule: &'static str,
    /// How bad.
    pub level: Level,
    /// How sure.
    pub confidence: Confidence,
    /// The table it is about.
    pub table: Option<String>,
    /// The pattern it is about.
    pub pattern: Option<String>,
    /// The index it is about.
    pub index: Option<String>,
    /// The key it is about.
    pub key: Option<String>,
    /// One sentence.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// The statement to run or the edit to make.
    pub fix: Option<String>,
    /// Where it stands.
    pub place: PlaceRow,
    /// Other places that explain it, each with what it shows.
    pub related: Vec<(PlaceRow, String)>,
}

/// A place in a file, with the line it is on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlaceRow {
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column behind the last character.
    pub end_column: u32,
    /// The text of the line, or the part around the place if it is very long.
    pub text: String,
    /// Bytes of [`Self::text`] that the place covers on this line.
    pub marked: (usize, usize),
}

/// How the search ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchRow {
    /// Whether the best efficiency is proven.
    pub optimal: bool,
    /// What may be missing, as a share of the bound.
    pub gap: f64,
    /// Plans costed.
    pub plans_considered: u64,
    /// Why it stopped before the end.
    pub stopped: Option<&'static str>,
    /// Efficiency of the next best plan, and what differs.
    pub runner_up: Option<(f64, Vec<String>)>,
}

/// A step to take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TodoRow {
    /// What it does, in words.
    pub what: String,
    /// The statement, if there is one.
    pub statement: Option<String>,
}

/// An estimated input and how far the choices hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EstimateRow {
    /// What was estimated.
    pub input: String,
    /// The estimate.
    pub value: f64,
    /// Smallest value at which the choices stay.
    pub low: f64,
    /// Largest value at which the choices stay.
    pub high: f64,
    /// Whether the choices change in the range tried.
    pub matters: bool,
}
