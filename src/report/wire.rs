//! The report as it leaves the program: versioned copies of the rows, the only
//! types that are serialised on the way out.
//!
//! Numbers are plain (per second, bytes, shares 0 to 1) and rounded to twelve
//! digits, so that the last bits of a machine's arithmetic do not show.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::diag::Level;
use crate::report::{
    CandidateRow, CheckRow, ChoiceRow, ClaimRow, CurveRow, FindingRow, IndexRow, ModelRow, PatternRow,
    PlanRows, Report, RewriteRow, ScoresRow, SearchRow, TableRow, ThreeRow, TotalsRow, VerdictRow,
};
use crate::units::Seconds;

/// Version of these types.
const VERSION: u32 = 1;

/// A report as JSON.
#[must_use]
pub fn report_json(report: &Report) -> String {
    pretty(&ReportV1::of(report))
}

/// Several reports of one workload, one for each target, as JSON.
#[must_use]
pub fn targets_json(reports: &[Report]) -> String {
    pretty(&TargetsV1 { report: VERSION, targets: reports.iter().map(ReportV1::of).collect() })
}

/// The JSON Schema of a report.
#[must_use]
pub fn report_schema() -> String {
    pretty(&schemars::schema_for!(ReportV1<'static>))
}

/// The rules as JSON: code, name and level of each.
#[must_use]
pub fn rules_json(rules: &[(&str, &str, Level)]) -> String {
    let rules =
        rules.iter().map(|(code, name, level)| RuleV1 { code, name, level: level.as_str() }).collect();
    pretty(&RulesV1 { report: VERSION, rules })
}

/// A rule with its manual as JSON.
#[must_use]
pub fn rule_json(code: &str, name: &str, level: Level, explain: &str) -> String {
    pretty(&ExplainV1 { report: VERSION, code, name, level: level.as_str(), explain })
}

fn pretty(value: &impl Serialize) -> String {
    // Nothing here can fail: no map has keys other than strings, and no writer is involved.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// A number: whole ones without a fraction, others to twelve digits, none for what is not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Num(f64);

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.0.is_finite() {
            return serializer.serialize_none();
        }
        let rounded: f64 = format!("{:.11e}", self.0).parse().unwrap_or(self.0);
        if rounded.fract() == 0.0 && rounded.abs() < 9e15 {
            serializer.serialize_i64(rounded as i64)
        } else {
            serializer.serialize_f64(rounded)
        }
    }
}

impl JsonSchema for Num {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["number", "null"]})
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(title = "shardwright report")]
struct ReportV1<'a> {
    /// Version of this format.
    report: u32,
    tool: ToolV1,
    /// Null where nothing could be read, or several designs were.
    model: Option<ModelV1<'a>>,
    verdict: Option<VerdictV1<'a>>,
    tables: Vec<TableV1<'a>>,
    patterns: Vec<PatternV1<'a>>,
    totals: Option<TotalsV1>,
    /// Throughput against one node, by number of shards.
    curve: Vec<CurveV1>,
    indexes: Vec<IndexV1<'a>>,
    rewrites: Vec<RewriteV1<'a>>,
    /// The advisor's own plan, under `check`.
    best: Option<BestV1<'a>>,
    layout: Option<LayoutV1>,
    claims: Vec<ClaimV1<'a>>,
    checklist: Vec<CheckV1<'a>>,
    findings: Vec<FindingV1<'a>>,
    search: Option<SearchV1<'a>>,
}

#[derive(Serialize)]
struct TargetsV1<'a> {
    report: u32,
    targets: Vec<ReportV1<'a>>,
}

#[derive(Serialize)]
struct RulesV1<'a> {
    report: u32,
    rules: Vec<RuleV1<'a>>,
}

#[derive(Serialize)]
struct RuleV1<'a> {
    code: &'a str,
    name: &'a str,
    level: &'a str,
}

#[derive(Serialize)]
struct ExplainV1<'a> {
    report: u32,
    code: &'a str,
    name: &'a str,
    level: &'a str,
    explain: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct ToolV1 {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct ModelV1<'a> {
    name: &'a str,
    engine: &'a str,
    shards: u32,
    nodes: Option<u32>,
    horizon_days: u64,
}

#[derive(Serialize, JsonSchema)]
struct VerdictV1<'a> {
    /// Whether one node is not enough at the horizon; null where its capacity is not known.
    shard: Option<bool>,
    summary: &'a str,
    reasons: Vec<&'a str>,
    recommended_shards: Option<u32>,
    /// Days from today until one node no longer holds it.
    not_needed_until: Option<Num>,
}

#[derive(Serialize, JsonSchema)]
struct TableV1<'a> {
    table: &'a str,
    choice: ChoiceV1<'a>,
    /// Every candidate that was scored, best first.
    candidates: Vec<CandidateV1<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct ChoiceV1<'a> {
    /// `sharded`, `replicated`, `unsharded`.
    kind: &'a str,
    key: Vec<&'a str>,
    strategy: Option<&'a str>,
    /// Name of the co-location group.
    group: Option<&'a str>,
    add_column: Option<&'a str>,
    salt: Option<u32>,
    bucket: Option<BucketV1<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct BucketV1<'a> {
    column: &'a str,
    every_s: Num,
}

#[derive(Serialize, JsonSchema)]
struct CandidateV1<'a> {
    kind: &'a str,
    key: Vec<&'a str>,
    strategy: Option<&'a str>,
    rank: u32,
    efficiency: Option<Num>,
    /// Name of the rule that rules it out; the reasons begin with what it says.
    veto: Option<&'a str>,
    scores: ScoresV1,
    distinct: Num,
    effective: Num,
    busiest_over_mean: ThreeV1,
    hottest_share: ThreeV1,
    empty_shards: Num,
    reasons: Vec<&'a str>,
    add_column: Option<&'a str>,
    salt: Option<u32>,
    bucket: Option<BucketV1<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct ScoresV1 {
    cardinality: Num,
    skew: Num,
    fan_out: Num,
    co_location: Num,
    stability: Num,
}

#[derive(Serialize, JsonSchema)]
struct ThreeV1 {
    rows: Num,
    reads: Num,
    writes: Num,
}

#[derive(Serialize, JsonSchema)]
struct PatternV1<'a> {
    pattern: &'a str,
    rate: Num,
    /// `single`, `few`, `range`, `scatter`, `replicated`, `unsharded`, `none`.
    routing: &'a str,
    shards_touched: TouchedV1,
    multi_shard_probability: Num,
    cross_shard_transaction: bool,
    /// `table`, `index NAME`, or what serves it elsewhere.
    served_by: &'a str,
    work: Num,
    slow_probability: Num,
    advice: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct TouchedV1 {
    mean: Num,
    max: Num,
}

#[derive(Serialize, JsonSchema)]
struct TotalsV1 {
    efficiency: Num,
    single_shard_share: Num,
    scatter_share: Num,
    cross_shard_transaction_share: Num,
    busiest_over_mean: Num,
    requests: Num,
    shard_requests: Num,
    bytes: Num,
    rate_analysed: Num,
}

#[derive(Serialize, JsonSchema)]
struct CurveV1 {
    shards: u32,
    speedup: Num,
}

#[derive(Serialize, JsonSchema)]
struct IndexV1<'a> {
    name: &'a str,
    table: &'a str,
    key: Vec<&'a str>,
    /// `global` or `local`.
    scope: &'a str,
    salt: Option<u32>,
    r#for: Vec<&'a str>,
    saves: Num,
    costs: Num,
}

#[derive(Serialize, JsonSchema)]
struct RewriteV1<'a> {
    pattern: &'a str,
    add: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct BestV1<'a> {
    tables: Vec<TableV1<'a>>,
    patterns: Vec<PatternV1<'a>>,
    totals: Option<TotalsV1>,
    indexes: Vec<IndexV1<'a>>,
    rewrites: Vec<RewriteV1<'a>>,
    findings: Vec<FindingV1<'a>>,
}

/// Not filled by this version.
#[derive(Serialize, JsonSchema)]
struct LayoutV1 {}

#[derive(Serialize, JsonSchema)]
struct ClaimV1<'a> {
    claim: &'a str,
    /// The pattern, for a claim about one.
    about: Option<&'a str>,
    stated: Num,
    computed: Option<Num>,
    /// `holds`, `refuted`, `unknown`.
    verdict: &'a str,
    why: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct CheckV1<'a> {
    question: &'a str,
    answer: &'a str,
    /// `holds`, `refuted`, `unknown`.
    state: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct FindingV1<'a> {
    code: &'a str,
    rule: &'a str,
    /// `error`, `warning`, `info`.
    level: &'a str,
    /// `high`, `medium`, `low`.
    confidence: &'a str,
    table: Option<&'a str>,
    pattern: Option<&'a str>,
    index: Option<&'a str>,
    key: Option<&'a str>,
    message: &'a str,
    help: Option<&'a str>,
    fix: Option<&'a str>,
    file: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Serialize, JsonSchema)]
struct SearchV1<'a> {
    /// Whether the best efficiency is proven.
    optimal: bool,
    gap: Num,
    plans_considered: u64,
    runner_up: Option<RunnerUpV1<'a>>,
    /// Why it stopped before the end: `budget` or `deadline`.
    stopped: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct RunnerUpV1<'a> {
    efficiency: Num,
    differs: Vec<&'a str>,
}

fn strs(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}

impl<'a> ReportV1<'a> {
    fn of(it: &'a Report) -> Self {
        Self {
            report: VERSION,
            tool: ToolV1 { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
            model: it.model.as_ref().map(ModelV1::of),
            verdict: it.verdict.as_ref().map(VerdictV1::of),
            tables: it.plan.tables.iter().map(TableV1::of).collect(),
            patterns: it.plan.patterns.iter().map(PatternV1::of).collect(),
            totals: it.plan.totals.as_ref().map(TotalsV1::of),
            curve: it.curve.iter().map(CurveV1::of).collect(),
            indexes: it.plan.indexes.iter().map(IndexV1::of).collect(),
            rewrites: it.plan.rewrites.iter().map(RewriteV1::of).collect(),
            best: it.best.as_ref().map(BestV1::of),
            layout: None,
            claims: it.claims.iter().map(ClaimV1::of).collect(),
            checklist: it.checklist.iter().map(CheckV1::of).collect(),
            findings: it.findings.iter().map(FindingV1::of).collect(),
            search: it.search.as_ref().map(SearchV1::of),
        }
    }
}

impl<'a> ModelV1<'a> {
    fn of(it: &'a ModelRow) -> Self {
        let days = Seconds::new(it.horizon).map_or(0.0, Seconds::days);
        // Two years of 365.25 days are 730 whole ones.
        let horizon_days = (days + 1e-9).floor() as u64;
        Self { name: &it.name, engine: &it.engine, shards: it.shards, nodes: it.nodes, horizon_days }
    }
}

impl<'a> VerdictV1<'a> {
    fn of(it: &'a VerdictRow) -> Self {
        Self {
            shard: it.shard,
            summary: &it.summary,
            reasons: it.reasons.iter().chain(&it.steps).map(String::as_str).collect(),
            recommended_shards: it.recommended_shards,
            not_needed_until: it.not_needed_days.map(Num),
        }
    }
}

impl<'a> TableV1<'a> {
    fn of(it: &'a TableRow) -> Self {
        Self {
            table: &it.table,
            choice: ChoiceV1::of(&it.choice),
            candidates: it.candidates.iter().map(CandidateV1::of).collect(),
        }
    }
}

impl<'a> ChoiceV1<'a> {
    fn of(it: &'a ChoiceRow) -> Self {
        Self {
            kind: it.kind,
            key: strs(&it.key),
            strategy: it.strategy,
            group: it.group.as_deref(),
            add_column: it.add_column.as_deref(),
            salt: it.salt,
            bucket: bucket(it),
        }
    }
}

fn bucket(it: &ChoiceRow) -> Option<BucketV1<'_>> {
    it.bucket.as_ref().map(|(column, every)| BucketV1 { column, every_s: Num(*every) })
}

impl<'a> CandidateV1<'a> {
    fn of(it: &'a CandidateRow) -> Self {
        let said = it.veto.iter().map(|(_, message)| message.as_str());
        Self {
            kind: it.choice.kind,
            key: strs(&it.choice.key),
            strategy: it.choice.strategy,
            rank: it.rank,
            efficiency: it.efficiency.map(Num),
            veto: it.veto.as_ref().map(|(rule, _)| rule.as_str()),
            scores: ScoresV1::of(&it.scores),
            distinct: Num(it.distinct),
            effective: Num(it.effective),
            busiest_over_mean: ThreeV1::of(&it.busiest),
            hottest_share: ThreeV1::of(&it.hottest),
            empty_shards: Num(it.empty),
            reasons: said.chain(it.reasons.iter().map(String::as_str)).collect(),
            add_column: it.choice.add_column.as_deref(),
            salt: it.choice.salt,
            bucket: bucket(&it.choice),
        }
    }
}

impl ScoresV1 {
    fn of(it: &ScoresRow) -> Self {
        Self {
            cardinality: Num(it.cardinality),
            skew: Num(it.skew),
            fan_out: Num(it.fan_out),
            co_location: Num(it.co_location),
            stability: Num(it.stability),
        }
    }
}

impl ThreeV1 {
    fn of(it: &ThreeRow) -> Self {
        Self { rows: Num(it.rows), reads: Num(it.reads), writes: Num(it.writes) }
    }
}

impl<'a> PatternV1<'a> {
    fn of(it: &'a PatternRow) -> Self {
        Self {
            pattern: &it.pattern,
            rate: Num(it.rate),
            routing: it.routing,
            shards_touched: TouchedV1 { mean: Num(it.mean), max: Num(it.max) },
            multi_shard_probability: Num(it.multi),
            cross_shard_transaction: it.cross_shard_transaction,
            served_by: &it.served_by,
            work: Num(it.work),
            slow_probability: Num(it.slow),
            advice: it.advice.as_deref(),
        }
    }
}

impl TotalsV1 {
    fn of(it: &TotalsRow) -> Self {
        Self {
            efficiency: Num(it.efficiency),
            single_shard_share: Num(it.single_shard_share),
            scatter_share: Num(it.scatter_share),
            cross_shard_transaction_share: Num(it.cross_shard_transaction_share),
            busiest_over_mean: Num(it.busiest_over_mean),
            requests: Num(it.requests),
            shard_requests: Num(it.shard_requests),
            bytes: Num(it.bytes),
            rate_analysed: Num(it.rate_analysed),
        }
    }
}

impl CurveV1 {
    fn of(it: &CurveRow) -> Self {
        Self { shards: it.shards, speedup: Num(it.speedup) }
    }
}

impl<'a> IndexV1<'a> {
    fn of(it: &'a IndexRow) -> Self {
        Self {
            name: &it.name,
            table: &it.table,
            key: strs(&it.key),
            scope: it.scope,
            salt: it.salt,
            r#for: strs(&it.patterns),
            saves: Num(it.saves),
            costs: Num(it.costs),
        }
    }
}

impl<'a> RewriteV1<'a> {
    fn of(it: &'a RewriteRow) -> Self {
        Self { pattern: &it.pattern, add: &it.add }
    }
}

impl<'a> BestV1<'a> {
    fn of(it: &'a PlanRows) -> Self {
        Self {
            tables: it.tables.iter().map(TableV1::of).collect(),
            patterns: it.patterns.iter().map(PatternV1::of).collect(),
            totals: it.totals.as_ref().map(TotalsV1::of),
            indexes: it.indexes.iter().map(IndexV1::of).collect(),
            rewrites: it.rewrites.iter().map(RewriteV1::of).collect(),
            findings: it.findings.iter().map(FindingV1::of).collect(),
        }
    }
}

impl<'a> ClaimV1<'a> {
    fn of(it: &'a ClaimRow) -> Self {
        Self {
            claim: it.claim,
            about: it.about.as_deref(),
            stated: Num(it.stated),
            computed: it.computed.map(Num),
            verdict: it.verdict.as_str(),
            why: &it.why,
        }
    }
}

impl<'a> CheckV1<'a> {
    fn of(it: &'a CheckRow) -> Self {
        Self { question: it.question, answer: &it.answer, state: it.state.as_str() }
    }
}

impl<'a> FindingV1<'a> {
    fn of(it: &'a FindingRow) -> Self {
        Self {
            code: it.code,
            rule: it.rule,
            level: it.level.as_str(),
            confidence: it.confidence.as_str(),
            table: it.table.as_deref(),
            pattern: it.pattern.as_deref(),
            index: it.index.as_deref(),
            key: it.key.as_deref(),
            message: &it.message,
            help: it.help.as_deref(),
            fix: it.fix.as_deref(),
            file: &it.place.file,
            line: it.place.line,
            column: it.place.column,
            end_line: it.place.end_line,
            end_column: it.place.end_column,
        }
    }
}

impl<'a> SearchV1<'a> {
    fn of(it: &'a SearchRow) -> Self {
        let runner_up = it.runner_up.as_ref();
        Self {
            optimal: it.optimal,
            gap: Num(it.gap),
            plans_considered: it.plans_considered,
            runner_up: runner_up.map(|(efficiency, differs)| RunnerUpV1 {
                efficiency: Num(*efficiency),
                differs: strs(differs),
            }),
            stopped: it.stopped,
        }
    }
}
