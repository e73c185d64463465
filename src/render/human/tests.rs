//! Whole pages as they are printed.

use crate::diag::{Confidence, Level};
use crate::render::width::width;
use crate::render::{View, format};
use crate::report::{
    CandidateRow, CheckRow, ChoiceRow, ClaimRow, EstimateRow, FindingRow, Job, ModelRow, PatternRow,
    PlaceRow, PlanRows, Report, ScoresRow, SearchRow, Standing, TableRow, ThreeRow, TodoRow, TotalsRow,
    VerdictRow,
};

fn model() -> ModelRow {
    ModelRow {
        name: "shop".to_owned(),
        engine: "citus".to_owned(),
        shard_word: "shard".to_owned(),
        shards: 32,
        nodes: Some(4),
        horizon: 730.5 * 86_400.0,
        ..ModelRow::default()
    }
}

fn table(name: &str, key: &str, added: bool) -> TableRow {
    let scores =
        ScoresRow { cardinality: 100.0, skew: 87.0, fan_out: 50.0, co_location: 92.0, stability: 0.0 };
    let choice = ChoiceRow {
        kind: "sharded",
        key: vec![key.to_owned()],
        strategy: Some("hash"),
        group: Some("customer_id".to_owned()),
        add_column: added.then(|| key.to_owned()),
        ..ChoiceRow::default()
    };
    let refused = CandidateRow {
        choice: ChoiceRow {
            kind: "sharded",
            key: vec!["status".to_owned()],
            strategy: Some("hash"),
            ..ChoiceRow::default()
        },
        rank: 2,
        veto: Some(("low-cardinality-key".to_owned(), "4 values for 32 shards".to_owned())),
        busiest: ThreeRow { rows: 8.0, reads: 1.0, writes: 2.0 },
        ..CandidateRow::default()
    };
    let chosen = CandidateRow {
        choice: choice.clone(),
        chosen: true,
        rank: 1,
        efficiency: Some(0.72),
        scores,
        busiest: ThreeRow { rows: 1.0, reads: 1.0, writes: 1.0 },
        reasons: vec!["5M values, 41k effective; 32 shards want 320".to_owned()],
        ..CandidateRow::default()
    };
    TableRow {
        table: name.to_owned(),
        choice,
        candidates: vec![chosen, refused],
        scores: Some(scores),
        bytes: 64e9,
        bytes_later: 512e9,
        left_out: false,
    }
}

fn pattern(name: &str, rate: f64, routing: &'static str, mean: f64, slow: f64) -> PatternRow {
    PatternRow {
        pattern: name.to_owned(),
        rate,
        rate_on_shards: rate,
        routing,
        mean,
        max: mean,
        served_by: "table".to_owned(),
        weighted: mean,
        slow,
        ..PatternRow::default()
    }
}

fn totals(efficiency: f64) -> TotalsRow {
    TotalsRow {
        efficiency,
        single_shard_share: 0.961,
        scatter_share: 0.014,
        cross_shard_transaction_share: 0.0,
        busiest_over_mean: 1.18,
        requests: 2640.0,
        shard_requests: 2890.0,
        bytes: 64e9,
        rate_analysed: 1.0,
    }
}

fn plan() -> PlanRows {
    let mut countries = table("countries", "", false);
    countries.choice = ChoiceRow { kind: "replicated", ..ChoiceRow::default() };
    (countries.bytes, countries.bytes_later) = (2e4, 2e4);
    PlanRows {
        headline: "Shard by customer_id: orders and order_items, equal values on one shard.".to_owned(),
        tables: vec![
            table("orders", "customer_id", false),
            table("order_items", "customer_id", true),
            countries,
        ],
        patterns: vec![
            pattern("orders of a customer", 1200.0, "single", 1.0, 0.01),
            pattern("orders by status", 2.0 / 60.0, "scatter", 32.0, 0.275),
        ],
        totals: Some(totals(0.72)),
        ..PlanRows::default()
    }
}

fn finding() -> FindingRow {
    FindingRow {
        code: "SW201",
        rule: "scatter-read",
        level: Level::Warning,
        confidence: Confidence::Medium,
        table: None,
        pattern: Some("orders by status".to_owned()),
        index: None,
        key: None,
        message: "asks all 32 shards for `orders`: nothing binds `customer_id`; 2/min become 64/min"
            .to_owned(),
        help: Some("bind `customer_id`, or add a global index on orders(status)".to_owned()),
        fix: Some("CREATE INDEX by_status ON orders (status);".to_owned()),
        place: PlaceRow {
            file: "shop.yaml".to_owned(),
            line: 31,
            column: 11,
            end_line: 31,
            end_column: 27,
            text: "  - name: orders by status".to_owned(),
            marked: (10, 26),
        },
        related: Vec::new(),
    }
}

fn advice() -> Report {
    Report {
        model: Some(model()),
        verdict: Some(VerdictRow {
            shard: Some(true),
            summary: "Shard: one node does not hold the size at the horizon.".to_owned(),
            reasons: vec!["storage: 1.7 TB of 1 TB on one node".to_owned()],
            recommended_shards: Some(48),
            ..VerdictRow::default()
        }),
        plan: plan(),
        findings: vec![finding()],
        search: Some(SearchRow {
            optimal: true,
            plans_considered: 4096,
            runner_up: Some((0.103, vec!["orders by order_id".to_owned()])),
            ..SearchRow::default()
        }),
        todo: vec![TodoRow {
            what: "`order_items` needs `customer_id`".to_owned(),
            statement: Some("ALTER TABLE order_items ADD COLUMN customer_id bigint;".to_owned()),
        }],
        estimates: vec![EstimateRow {
            input: "distinct values of orders.customer_id".to_owned(),
            value: 5e6,
            low: 4e4,
            high: 9e6,
            matters: true,
        }],
        ..Report::default()
    }
}

fn checked() -> Report {
    let claim = |claim, text: &str, computed: Option<&str>, verdict| ClaimRow {
        claim,
        text: text.to_owned(),
        computed_text: computed.map(str::to_owned),
        verdict,
        ..ClaimRow::default()
    };
    let mut best = plan();
    best.totals = Some(totals(0.9));
    best.tables[0] = table("orders", "order_id", false);
    best.patterns[1] = pattern("orders by status", 2.0 / 60.0, "few", 2.0, 0.02);
    Report {
        job: Job::Check,
        best: Some(best),
        claims: vec![
            claim("moved_on_add_node", "20%", Some("80%"), Standing::Refuted),
            claim("data_size", "64GB", Some("64 GB"), Standing::Holds),
            claim("monthly_cost", "1058", None, Standing::Unknown),
        ],
        checklist: vec![CheckRow {
            question: "what moves when a node is added",
            answer: "4 to 5 nodes, hash mod nodes: 80%".to_owned(),
            state: Standing::Refuted,
        }],
        findings: Vec::new(),
        ..advice()
    }
}

fn text(reports: &[Report], view: &View) -> String {
    let mut out = Vec::new();
    format("text").unwrap().render(reports, view, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn check(reports: &[Report], view: &View, expected: &str) {
    let text = text(reports, view);
    assert!(text == expected, "printed:\n{text}\nexpected:\n{expected}");
}

#[test]
fn advice_begins_with_the_verdict_and_ends_with_what_it_rests_on() {
    check(
        &[advice()],
        &View::default(),
        "\
shop · citus · 32 shards on 4 nodes · 1 copy (none stated)

Shard: one node does not hold the size at the horizon.
  - storage: 1.7 TB of 1 TB on one node
Shard by customer_id: orders and order_items, equal values on one shard.
Proven best of 4,096 plans weighed. Next best, 10.3%: orders by order_id.

  efficiency      ██████████████████▊          72%  23 × one node
  single shard    █████████████████████████  96.1%  2.64k/s ask 2.89k
  scatter         ▍                           1.4%
  cross-shard tx                                0%  busiest shard 1.18 × mean

Tables  by hash unless named; size today → in 2 years
                                          card. skew  fan.  co-l. stab.
  orders      customer_id  64 GB → 512 GB █████ ████▍ ██▌   ████▋ ·
  order_items +customer_id 64 GB → 512 GB █████ ████▍ ██▌   ████▋ ·
  countries   replicated   20 KB
  + a column that the table needs first

Patterns  heaviest first; slow: if 1% of all answers are
                          rate  mean max  route    slow  served by
  orders of a customer  1.2k/s     1   1  single     1%  table
  orders by status       2/min    32  32  scatter 27.5%  table

To do
  1. `order_items` needs `customer_id`
     ALTER TABLE order_items ADD COLUMN customer_id bigint;

Findings  1 warning
  W SW201 scatter-read  orders by status
    asks all 32 shards for `orders`: nothing binds `customer_id`; 2/min become
    64/min
    help: bind `customer_id`, or add a global index on orders(status)
    fix:  CREATE INDEX by_status ON orders (status);
    note: rests on an estimate

Estimates  figures that the file does not give
  distinct values of orders.customer_id: 5M assumed; the choices hold from 40k
  to 9M

48 shards would hold size and load at the horizon (--shards 48).
--table orders shows why this key and not another.
",
    );
}

#[test]
fn candidates_are_shown_with_what_rules_them_out() {
    let view = View { table: Some("ORDERS".to_owned()), ..View::default() };
    check(
        &[advice()],
        &view,
        "\
shop · citus · 32 shards on 4 nodes · 1 copy (none stated)

orders  2 candidates by the efficiency of the best whole plan with each
      key               total card. skew  fan.  co-l. stab.
 ▶ 1  hash(customer_id)   72% █████ ████▍ ██▌   ████▋ ·
 ✗ 2  hash(status)          – ·     ·     ·     ·     ·     low-cardinality-key

Why
  hash(customer_id)  chosen
    - 5M values, 41k effective; 32 shards want 320
  hash(status)
    low-cardinality-key: 4 values for 32 shards
    - busiest shard × mean: rows 8, reads 1, writes 2
",
    );
    let first = text(&[advice()], &View { top: Some(1), ..view });
    assert!(first.contains("… 1 more") && !first.contains("low-cardinality"), "{first}");
}

#[test]
fn a_check_begins_with_the_claims_and_says_who_wins() {
    check(
        &[checked()],
        &View::default(),
        "\
shop · citus · 32 shards on 4 nodes · 1 copy (none stated)

1 of 3 claims is refuted. It reaches 72% efficiency where 90% is possible.
The best plan: Proven best of 4,096 plans weighed. Next best, 10.3%: orders by
order_id.

Claims
                                stated  computed
  ✗ refuted  moved on add node     20%       80%
  ✓ holds    data size            64GB     64 GB
  ? unknown  monthly cost         1058         –

Beside the best plan
                  this plan           the best
  efficiency      72%                 90%
  single shard    96.1%               96.1%
  scatter         1.4%                1.4%
  cross-shard tx  0%                  0%
  busiest × mean  1.18                1.18
  orders          hash(customer_id)   hash(order_id)
  order_items     hash(+customer_id)  the same
  countries       replicated          the same

Patterns that the best plan changes  work of a request on the busiest shard
                           rate  work best  route
  wins  orders by status  2/min    32 → 2   scatter → few

Review checklist
  ✗ what moves when a node is added
    4 to 5 nodes, hash mod nodes: 80%
",
    );
}

#[test]
fn findings_stand_under_their_line() {
    let report = Report { job: Job::Lint, findings: vec![finding()], ..Report::default() };
    check(
        &[report],
        &View::default(),
        "\
shop.yaml:31:11: warning SW201 scatter-read
  asks all 32 shards for `orders`: nothing binds `customer_id`; 2/min become
  64/min
 31 |   - name: orders by status
    |           ^^^^^^^^^^^^^^^^
  help: bind `customer_id`, or add a global index on orders(status)
  fix:  CREATE INDEX by_status ON orders (status);
  note: rests on an estimate

1 warning
",
    );
    check(&[Report { job: Job::Lint, ..Report::default() }], &View::default(), "No findings.\n");
}

#[test]
fn targets_stand_beside_one_another() {
    let mut other = advice();
    other.model = Some(ModelRow { engine: "vitess".to_owned(), shards: 16, ..model() });
    other.plan.tables[0] = table("orders", "order_id", false);
    other.findings.clear();
    check(
        &[advice(), other],
        &View::default(),
        "\
shop  one workload, several targets

                citus               vitess
shards          32                  16
efficiency      72%                 72%
single shard    96.1%               96.1%
scatter         1.4%                1.4%
cross-shard tx  0%                  0%
busiest × mean  1.18                1.18
findings        1 warning           No findings.

orders          hash(customer_id)   hash(order_id)
order_items     hash(+customer_id)  hash(+customer_id)
countries       replicated          replicated
",
    );
}

#[test]
fn no_line_is_wider_than_the_view_whatever_the_names() {
    let wide = "顧客注文".repeat(9);
    let long = "a_name_that_is_much_too_long_for_any_column_of_this_width".to_owned();
    let mut report = advice();
    for (at, name) in [&wide, &long].into_iter().enumerate() {
        report.plan.tables[at].table.clone_from(name);
        report.plan.tables[at].choice.key = vec![name.clone(), wide.clone()];
        report.plan.tables[at].candidates[0].choice.key = vec![name.clone(), long.clone()];
        report.plan.patterns[at].pattern.clone_from(name);
        report.plan.patterns[at].served_by = format!("index {name}");
        report.todo[0].what = format!("{wide} {long} {wide}");
        report.findings[0].message = format!("{long}{wide}{long}");
        report.findings[0].place.text = format!("\t{wide}{long}{long}");
        report.findings[0].place.marked = (1, wide.len());
    }
    let mut check = Report { job: Job::Check, best: Some(report.plan.clone()), ..report.clone() };
    check.claims = checked().claims;
    check.claims[0].about = Some(wide.clone());
    let lint = Report { job: Job::Lint, ..report.clone() };
    let one = |it: &Report| vec![it.clone()];
    for columns in [80, 100, 140] {
        let table = View { width: columns, table: Some(wide.clone()), ..View::default() };
        let plain = View { width: columns, ..View::default() };
        for (reports, view) in [
            (one(&report), &plain),
            (one(&report), &table),
            (one(&lint), &plain),
            (one(&check), &plain),
            (vec![report.clone(), check.clone()], &plain),
        ] {
            for line in text(&reports, view).lines() {
                assert!(width(line) <= columns, "{} of {columns}: {line}", width(line));
                assert!(!line.ends_with(' '), "{line:?}");
            }
        }
    }
}
