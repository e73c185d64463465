//! SW007: a total that its own rows do not add up to.

use crate::diag::{Finding, Level};
use crate::lint::{Judged, Rule};
use crate::model::ClaimKind;
use crate::units::text;

/// SW007.
pub(super) static RULE: Rule = Rule {
    code: crate::diag::RATES_DISAGREE,
    level: Level::Warning,
    explain: "\
A total that is stated beside its parts should be their sum. When it is not, one of
the two is wrong, and whatever was planned from it too. Judged are a stated total
rate (`total_rate`) against the patterns' rates, and, by the reader, shares of one
column that add up to more than the whole.

```yaml bad
shardwright: 1
name: a total that does not add up
target: {engine: generic, shards: 16}
tables:
  titles:
    rows: 900k
    primary_key: [isbn]
    columns:
      isbn: {type: text, distinct: 900k}
patterns:
  - {name: title, sql: \"SELECT * FROM titles WHERE isbn = :i\", rate: 640/s}
plan:
  tables:
    titles: {key: [isbn]}
  claims:
    - {total_rate: 900/s}
```

```yaml good
shardwright: 1
name: a total that adds up
target: {engine: generic, shards: 16}
tables:
  titles:
    rows: 900k
    primary_key: [isbn]
    columns:
      isbn: {type: text, distinct: 900k}
patterns:
  - {name: title, sql: \"SELECT * FROM titles WHERE isbn = :i\", rate: 640/s}
plan:
  tables:
    titles: {key: [isbn]}
  claims:
    - {total_rate: 640/s}
```
",
    check,
};

fn check(cx: &Judged<'_>, findings: &mut Vec<Finding>) {
    let sum: f64 = cx.design.patterns.iter().map(|it| it.rate.get()).sum();
    for claim in cx.plan.iter().flat_map(|it| &it.claims) {
        if claim.kind != ClaimKind::TotalRate || (claim.stated.low <= sum && sum <= claim.stated.high) {
            continue;
        }
        let exact = crate::units::text::grouped(libm::round(sum) as u64);
        let sum = if sum < 10.0 { text::rate(sum) } else { format!("{exact}/s") };
        let message = format!("the total is stated as {}, the patterns add up to {sum}", claim.stated.text);
        let finding = RULE.finding(claim.span, message);
        findings.push(finding.with_help("correct the total, or the rate that is wrong"));
    }
}
