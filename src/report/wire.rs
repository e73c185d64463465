//! The report as it leaves the program: versioned copies of the rows, the only
//! types that are serialised on the way out.
//!
//! Numbers are plain (per second, bytes, shares 0 to 1) and rounded to twelve
//! digits, so that the last bits of a machine's arithmetic do not show.

mod copies;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::diag::Level;
use crate::report::Report;

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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::report::testing::{files, judging, plan, shop};
    use crate::report::{CheckRow, Job, Parts, PlanRows, SearchRow, Standing, VerdictRow, report};

    fn json(report: &Report) -> Value {
        serde_json::from_str(&report_json(report)).unwrap()
    }

    fn checked() -> Report {
        let (design, plan) = (shop(), plan());
        judging(&design, &plan, |it| {
            let parts =
                Parts { job: Job::Check, setting: Some(it.setting), judged: Some(*it), ..Parts::default() };
            report(parts, &files())
        })
    }

    fn keys(value: &Value) -> Vec<&str> {
        value.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn fields_stand_in_the_documented_order() {
        let mut full = checked();
        full.best = Some(PlanRows::default());
        full.verdict = Some(VerdictRow::default());
        full.search = Some(SearchRow { runner_up: Some((0.5, vec![])), ..SearchRow::default() });
        let it = json(&full);
        for (path, expected) in [
            (
                "",
                "report tool model verdict tables patterns totals curve indexes rewrites best layout claims checklist \
                 findings search",
            ),
            ("/tool", "name version"),
            ("/model", "name engine shards nodes horizon_days"),
            ("/verdict", "shard summary reasons recommended_shards not_needed_until"),
            ("/tables/0", "table choice candidates"),
            ("/tables/0/choice", "kind key strategy group add_column salt bucket"),
            (
                "/patterns/0",
                "pattern rate routing shards_touched multi_shard_probability cross_shard_transaction served_by work \
                 slow_probability advice",
            ),
            ("/patterns/0/shards_touched", "mean max"),
            (
                "/totals",
                "efficiency single_shard_share scatter_share cross_shard_transaction_share busiest_over_mean requests \
                 shard_requests bytes rate_analysed",
            ),
            ("/curve/0", "shards speedup"),
            ("/indexes/0", "name table key scope salt for saves costs"),
            ("/checklist/0", "question answer state"),
            (
                "/findings/0",
                "code rule level confidence table pattern index key message help fix file line column end_line \
                 end_column",
            ),
            ("/search", "optimal gap plans_considered runner_up stopped"),
            ("/search/runner_up", "efficiency differs"),
        ] {
            assert_eq!(
                keys(it.pointer(path).unwrap()),
                expected.split_whitespace().collect::<Vec<_>>(),
                "{path}"
            );
        }
    }

    #[test]
    fn nothing_read_is_still_an_object_with_all_its_fields() {
        let it = json(&Report::default());
        assert_eq!(it["report"], 1);
        for field in ["model", "verdict", "totals", "search", "best", "layout"] {
            assert!(it[field].is_null(), "{field}");
        }
        for field in ["tables", "patterns", "curve", "indexes", "rewrites", "claims", "checklist", "findings"]
        {
            assert_eq!(it[field].as_array().map(Vec::len), Some(0), "{field}");
        }
    }

    #[test]
    fn figures_are_plain_and_rounded_to_twelve_digits() {
        let print = |value: f64| serde_json::to_string(&Num(value)).unwrap();
        assert_eq!(print(1200.0), "1200");
        assert_eq!(print(0.1 + 0.2), "0.3");
        assert_eq!(print(2.0 / 3.0), "0.666666666667");
        assert_eq!(print(1e-7 / 3.0), "3.33333333333e-8");
        assert_eq!(print(f64::NAN), "null");
        assert_eq!(print(-0.0), "0");
    }

    #[test]
    fn a_report_fits_its_own_schema() {
        let schema: Value = serde_json::from_str(&report_schema()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        for it in [Report::default(), checked()] {
            let it = json(&it);
            let errors: Vec<String> = validator.iter_errors(&it).map(|it| it.to_string()).collect();
            assert_eq!(errors, [] as [String; 0]);
        }
        let mut wrong = json(&Report::default());
        wrong["findings"] = Value::from("none");
        assert!(!validator.is_valid(&wrong));
    }

    #[test]
    fn values_are_those_of_the_plan() {
        let it = json(&checked());
        assert_eq!(it["model"]["horizon_days"], 730);
        assert_eq!(it["tables"][2]["choice"]["add_column"], "customer_id");
        assert_eq!(it["tables"][2]["choice"]["key"], serde_json::json!(["customer_id"]));
        assert_eq!(it["tables"][3]["choice"]["kind"], "replicated");
        assert_eq!(it["tables"][3]["choice"]["key"], serde_json::json!([]));
        assert!(it["tables"][3]["choice"]["strategy"].is_null());
        assert_eq!(it["patterns"][4]["shards_touched"], serde_json::json!({"mean": 16, "max": 16}));
        assert_eq!(it["patterns"][3]["served_by"], "index customers_email");
        assert_eq!(it["indexes"][0]["for"], serde_json::json!(["log in"]));
        // 40/s would ask all 16 shards instead of the entry's and the row's, 31/16 of them.
        let saves = it["indexes"][0]["saves"].as_f64().unwrap();
        assert!((saves - 40.0 * (16.0 - 31.0 / 16.0)).abs() < 1e-6, "{saves}");
    }

    #[test]
    fn several_targets_are_a_list() {
        let it: Value = serde_json::from_str(&targets_json(&[Report::default(), checked()])).unwrap();
        assert_eq!(it["report"], 1);
        assert_eq!(it["targets"][1]["model"]["engine"], "generic");
    }

    #[test]
    fn a_question_stands_as_a_claim_does() {
        let row = CheckRow { question: "why", answer: "so".to_owned(), state: Standing::Holds };
        let it = json(&Report { checklist: vec![row], ..Report::default() });
        assert_eq!(
            it["checklist"][0],
            serde_json::json!({"question": "why", "answer": "so", "state": "holds"})
        );
    }
}
