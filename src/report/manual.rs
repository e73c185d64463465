//! The manual of the findings that a report makes itself: claims and the
//! review checklist.

use crate::diag::Level;
use crate::lint::{Judged, Rule};
use crate::report::{CLAIM_MISSING, CLAIM_REFUTED, CLAIM_UNKNOWN};

/// Their rules. They look for nothing when rules are run: a claim is judged
/// where it is computed, with the other figures of the report.
pub static CLAIM_RULES: &[&Rule] = &[&REFUTED, &UNKNOWN, &MISSING];

fn judged_elsewhere(_: &Judged<'_>, _: &mut Vec<crate::diag::Finding>) {}

static REFUTED: Rule = Rule {
    code: CLAIM_REFUTED,
    level: Level::Error,
    explain: "\
A plan states a figure of itself, and the workload gives another one. The computed
figure is compared with the rounding that the claim was written with: 20% stands for
19.5% to 20.5%, and `<= 5%` for anything up to 5%.

What helps: correct the figure, or the plan that was to have it. The finding names the
formula and its inputs.

```yaml bad
plan: {nodes: 4, placement: mod, claims: [{moved_on_add_node: 20%}]}   # hash mod 4 to mod 5 moves 80%
```

```yaml good
plan: {nodes: 4, placement: ring, claims: [{moved_on_add_node: 20%}]}  # one of five nodes' share
```
",
    check: judged_elsewhere,
};

static UNKNOWN: Rule = Rule {
    code: CLAIM_UNKNOWN,
    level: Level::Warning,
    explain: "\
A claim can't be verified, because the file lacks what its formula needs: the number of
nodes, a pattern of the name that it gives, the bits of an identifier.

What helps: the finding names the missing input; state it, or drop the claim.

```yaml bad
plan: {claims: [{moved_on_add_node: 20%}]}             # of how many nodes?
```

```yaml good
plan: {nodes: 4, claims: [{moved_on_add_node: 20%}]}
```
",
    check: judged_elsewhere,
};

static MISSING: Rule = Rule {
    code: CLAIM_MISSING,
    level: Level::Info,
    explain: "\
A design review asks of every sharding plan: what is the key of each table; how large is
the data, how fast does it grow and how much is written; which shards does each pattern
touch; which transactions cross shards; how hot is the hottest key; what moves when a
node is added; how do identifiers stay unique. The proposal leaves some of that open.

What helps: state the figures under `claims`, so that they are verified and a later
change that breaks them is seen. The checklist of the report has the computed ones.

```yaml bad
plan: {tables: {orders: {key: [customer_id]}}}
```

```yaml good
plan:
  tables: {orders: {key: [customer_id]}}
  claims: [{data_size: 64GB}, {write_rate: 80/s}, {single_shard_reads: 99%}, {moved_on_add_node: 20%}]
```
",
    check: judged_elsewhere,
};
