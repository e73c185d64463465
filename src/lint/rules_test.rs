//! Thresholds and figures of the rules, each worked out by hand beside its test.

use crate::diag::Level;
use crate::lint::testing::{findings, of_rule};
use crate::lint::{RULES, rule};

/// A table `t` of a billion rows with key `k`, read and written by it.
fn keyed(engine: &str, shards: u32, column: &str, more: &str) -> String {
    format!(
        "shardwright: 1
target: {{engine: {engine}, shards: {shards}, nodes: 4}}
tables:
  t:
    rows: 1B
    row_size: 1KB
    primary_key: [k, id]
    columns:
      k: {{type: bigint, {column}}}
      id: {{type: bigint, distinct: 1B}}
patterns:
  - {{name: put, sql: \"INSERT INTO t (k, id) VALUES (:k, :i)\", rate: 100/s}}
  - {{name: get, sql: \"SELECT * FROM t WHERE k = :k AND id = :i\", rate: 100/s}}
{more}
plan:
  tables:
    t: {{key: [k]}}
"
    )
}

#[test]
fn codes_are_unique_and_in_order() {
    let codes: Vec<&str> = RULES.iter().map(|it| it.code.code).collect();
    assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
    let mut names: Vec<&str> = RULES.iter().map(|it| it.code.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RULES.len());
    assert_eq!(rule("sw201").map(|it| it.code.name), Some("scatter-read"));
    assert_eq!(rule("scatter-read").map(|it| it.code.code), Some("SW201"));
    assert!(rule("SW2").is_none());
}

#[test]
fn few_values_are_an_error_below_twice_and_a_warning_below_ten_times_the_shards() {
    // 16 shards: under 32 an error, under 160 a warning.
    for (distinct, level) in [
        (15, Some(Level::Error)),
        (31, Some(Level::Error)),
        (32, Some(Level::Warning)),
        (159, Some(Level::Warning)),
        (160, None),
    ] {
        let found =
            of_rule("low-cardinality-key", &keyed("generic", 16, &format!("distinct: {distinct}"), ""));
        assert_eq!(found.first().map(|it| it.level), level, "{distinct}");
    }
}

#[test]
fn values_that_are_even_are_few_and_not_hot() {
    // Eight even values have 12.5% each, twice a fair part of 16 shards.
    assert!(of_rule("hot-value", &keyed("generic", 16, "distinct: 8", "")).is_empty());
    let found = of_rule("hot-value", &keyed("generic", 16, "distinct: 1M, skew: {top: [7%]}", ""));
    assert_eq!(found[0].level, Level::Warning);
    assert!(found[0].message.contains("7% of the rows"), "{}", found[0].message);
    // 6% is under a sixteenth.
    assert!(of_rule("hot-value", &keyed("generic", 16, "distinct: 1M, skew: {top: [6%]}", "")).is_empty());
}

#[test]
fn writes_of_one_value_over_the_units_of_a_partition_are_an_error() {
    // 2,500/s of 1 KB (one unit each; 1 KB is 1000 B, a unit 1024 B), half of them of one value: 1,250 of 1,000.
    let text = |rate| {
        keyed(
            "dynamodb",
            16,
            "distinct: 1M, skew: {top: [50%]}",
            &format!("  - {{name: more, insert: t, rate: {rate}/s}}"),
        )
    };
    let found = of_rule("hot-value", &text(2400));
    assert_eq!(found[0].level, Level::Error);
    assert!(found[0].message.contains("1.25k units/s"), "{}", found[0].message);
    // 100/s and 1,800/s: 950 units.
    assert_eq!(of_rule("hot-value", &text(1800))[0].level, Level::Warning);
}

#[test]
fn a_full_partition_says_when() {
    // 1 KB rows, 100 values: each has 10M rows = 10 GB and gains 1/100 of 100M/day = 1 GB a day; 20 GB after 10 days.
    let text =
        keyed("cosmosdb", 12, "distinct: 100", "").replace("rows: 1B", "rows: 1B\n    growth: 100M/day");
    let found = of_rule("unbounded-partition", &text);
    assert_eq!(found[0].level, Level::Error);
    for part in ["1 GB a day", "in 10 days", "10 GB now", "20 GB"] {
        assert!(found[0].message.contains(part), "{part}: {}", found[0].message);
    }
    // 1,000 values gain 0.1 GB a day from 1 GB: 190 days. 10,000: 0.01 GB a day from 0.1 GB, over 5 years.
    let text =
        keyed("cosmosdb", 12, "distinct: 1000", "").replace("rows: 1B", "rows: 1B\n    growth: 100M/day");
    assert!(of_rule("unbounded-partition", &text)[0].message.contains("190 days"));
    let text =
        keyed("cosmosdb", 12, "distinct: 10k", "").replace("rows: 1B", "rows: 1B\n    growth: 100M/day");
    assert!(of_rule("unbounded-partition", &text).is_empty());
}

#[test]
fn a_retention_that_keeps_little_is_a_bound() {
    // 1,000,000 rows a day over 10,000 values, kept a day: 100 rows a value.
    let text = |kept| {
        keyed("cassandra", 48, "distinct: 10k", "")
            .replace("rows: 1B", &format!("rows: 1M\n    growth: 1M/day\n    retention: {kept}"))
    };
    assert!(of_rule("unbounded-partition", &text("1d")).is_empty());
    // Kept for 1,100 days they are 110,000 rows, 110 MB, of one column outside the key: over 100 MB and 100,000 values.
    let text = text("1100d").replace("rows: 1M", "rows: 1.1B");
    assert_eq!(of_rule("unbounded-partition", &text)[0].level, Level::Warning);
}

#[test]
fn a_scatter_is_an_error_above_five_percent_of_the_requests() {
    let text = |rate: &str| {
        keyed(
            "generic",
            16,
            "distinct: 1M",
            &format!("  - {{name: by id, sql: \"SELECT * FROM t WHERE id = :i\", rate: {rate}}}"),
        )
    };
    // 200/s otherwise: 10/s are 4.8%, 11/s are 5.2%.
    let found = of_rule("scatter-read", &text("10/s"));
    assert_eq!(found[0].level, Level::Warning);
    assert!(found[0].message.contains("10/s become 160/s shard requests"), "{}", found[0].message);
    assert_eq!(of_rule("scatter-read", &text("11/s"))[0].level, Level::Error);
    assert!(
        of_rule(
            "scatter-read",
            &keyed(
                "generic",
                1,
                "distinct: 1M",
                "  - {name: by id, sql: \"SELECT * FROM t WHERE id = :i\", rate: 9/s}"
            )
        )
        .is_empty()
    );
}

#[test]
fn what_is_served_elsewhere_does_not_scatter() {
    let text = keyed(
        "generic",
        16,
        "distinct: 1M",
        "  - {name: by id, sql: \"SELECT * FROM t WHERE id = :i\", rate: 9/s, served_by: warehouse}",
    );
    assert!(of_rule("scatter-read", &text).is_empty());
}

#[test]
fn two_keys_meet_on_one_of_sixteen_shards_in_a_sixteenth() {
    let text = |engine| {
        keyed(
            engine,
            16,
            "distinct: 1M",
            "  - name: move
    transaction:
      - UPDATE t SET id = 1 WHERE k = :a
      - UPDATE t SET id = 2 WHERE k = :b
    rate: 160/s",
        )
    };
    let found = of_rule("cross-shard-transaction", &text("generic"));
    assert_eq!(found[0].level, Level::Warning);
    // 15/16 = 93.75%, of 160/s 150.
    assert!(found[0].message.contains("150/s of 160/s"), "{}", found[0].message);
    // Cassandra commits one partition.
    assert_eq!(of_rule("cross-shard-transaction", &text("cassandra"))[0].level, Level::Error);
    let same = text("generic").replace(":b", ":a");
    assert!(of_rule("cross-shard-transaction", &same).is_empty());
}

#[test]
fn constraints_differ_by_what_they_mean_and_by_engine() {
    let text = |engine: &str, generated: &str| {
        format!(
            "shardwright: 1
target: {{engine: {engine}, shards: 16, nodes: 4}}
tables:
  t:
    rows: 1B
    row_size: 1KB
    primary_key: [id]
    columns:
      k: {{type: bigint, distinct: 1M}}
      id: {{type: bigint{generated}}}
patterns:
  - {{name: get, sql: \"SELECT * FROM t WHERE k = :k\", rate: 100/s}}
plan:
  tables:
    t: {{key: [k]}}
"
        )
    };
    let level = |engine, generated| {
        of_rule("unique-without-key", &text(engine, generated)).first().map(|it| it.level)
    };
    assert_eq!(level("citus", ""), Some(Level::Error));
    assert_eq!(level("citus", ", generated: snowflake"), Some(Level::Warning));
    // It enforces nothing and promises nothing.
    assert_eq!(level("generic", ""), None);
    // The partition key is the front of the primary key there: another key is another primary key.
    assert_eq!(level("dynamodb", ", generated: snowflake"), None);
    // Unique everywhere by a global index.
    assert_eq!(level("cockroachdb", ", generated: snowflake"), None);
}

#[test]
fn a_copy_pays_as_long_as_it_saves_more_than_it_costs() {
    let text = |writes: u32| {
        format!(
            "shardwright: 1
target: {{engine: generic, shards: 11}}
tables:
  t:
    rows: 1000
    row_size: 100B
    primary_key: [k]
    columns: {{k: {{type: bigint, distinct: 1000}}, v: int}}
patterns:
  - {{name: get, sql: \"SELECT * FROM t WHERE k = :k\", rate: 100/s}}
  - {{name: set, sql: \"UPDATE t SET v = 1 WHERE k = :k\", rate: {writes}/s}}
plan:
  tables:
    t: {{replicated: true}}
"
        )
    };
    // Ten further copies a write: 10 writes cost 100 and save 100.
    assert!(of_rule("replicated-table-written", &text(10)).is_empty());
    let found = of_rule("replicated-table-written", &text(11));
    assert!(found[0].message.contains("11/s writes become 121/s copies"), "{}", found[0].message);
    // 121 copies, each with a commit and a prepare, against 100 reads: over half.
    assert_eq!(found[0].level, Level::Error);
}

#[test]
fn a_suppression_with_a_reason_silences_and_any_other_is_told() {
    let scatter = "  - {name: by id, sql: \"SELECT * FROM t WHERE id = :i\", rate: 1/s}";
    let with = |lint: &str| format!("{}lint:\n{lint}", keyed("generic", 16, "distinct: 1M", scatter));
    let names = |text: &str| findings(text).into_iter().map(|it| it.code.name).collect::<Vec<_>>();
    let all = names(&with("  levels: {}\n"));
    assert!(all.contains(&"scatter-read"), "{all:?}");

    let one = names(&with("  ignore: [{rule: scatter-read, pattern: by id, reason: a back office}]\n"));
    assert!(!one.contains(&"scatter-read") && !one.contains(&"ignore-without-reason"), "{one:?}");
    // By code, and by the front of the code.
    assert!(!names(&with("  ignore: [{rule: SW201, reason: x}]\n")).contains(&"scatter-read"));
    assert!(!names(&with("  ignore: [{rule: SW2, reason: x}]\n")).contains(&"scatter-read"));

    let no_reason = names(&with("  ignore: [{rule: scatter-read}]\n"));
    assert!(no_reason.contains(&"scatter-read") && no_reason.contains(&"ignore-without-reason"));
    let elsewhere = names(&with("  ignore: [{rule: scatter-read, pattern: get, reason: x}]\n"));
    assert!(elsewhere.contains(&"scatter-read") && elsewhere.contains(&"ignore-without-reason"));
    let unknown = of_rule("ignore-without-reason", &with("  ignore: [{rule: scater-read, reason: x}]\n"));
    assert!(unknown[0].help.as_deref().is_some_and(|it| it.contains("scatter-read")));
}

#[test]
fn a_comment_silences_the_line_that_it_stands_on_or_above() {
    let scatter = "  - name: by id
    sql: SELECT * FROM t WHERE id = :i
    rate: 1/s";
    let text = keyed("generic", 16, "distinct: 1M", scatter);
    assert_eq!(of_rule("scatter-read", &text).len(), 1);
    let beside = text.replace(
        "- name: by id",
        "- name: by id  # shardwright: ignore[scatter-read, missing-index] a back office",
    );
    assert!(of_rule("scatter-read", &beside).is_empty());
    let above = text
        .replace("  - name: by id", "  # shardwright: ignore[scatter-read] a back office\n  - name: by id");
    assert!(of_rule("scatter-read", &above).is_empty());
    let other = text.replace("    rate: 1/s", "    rate: 1/s  # shardwright: ignore[scatter-read] not here");
    assert_eq!(of_rule("scatter-read", &other).len(), 1);
    assert_eq!(of_rule("ignore-without-reason", &other).len(), 1);
}

#[test]
fn levels_of_the_file_hold_and_the_most_exact_word_wins() {
    let scatter = "  - {name: by id, sql: \"SELECT * FROM t WHERE id = :i\", rate: 1/s}";
    let level = |levels: &str| {
        let text = format!("{}lint:\n  levels: {levels}\n", keyed("generic", 16, "distinct: 1M", scatter));
        of_rule("scatter-read", &text).first().map(|it| it.level)
    };
    assert_eq!(level("{scatter-read: error}"), Some(Level::Error));
    assert_eq!(level("{SW201: info}"), Some(Level::Info));
    assert_eq!(level("{SW2: \"off\"}"), None);
    assert_eq!(level("{SW2: \"off\", SW201: error}"), Some(Level::Error));
}

#[test]
fn a_mutable_key_is_refused_or_moves() {
    let text = |engine, set| {
        keyed(
            engine,
            16,
            "distinct: 1M",
            &format!(
                "  - {{name: move, sql: \"UPDATE t SET k = {set} WHERE k = :k AND id = :i\", rate: 1/s}}"
            ),
        )
    };
    assert_eq!(of_rule("mutable-key", &text("generic", ":other"))[0].level, Level::Warning);
    assert_eq!(of_rule("mutable-key", &text("dynamodb", ":other"))[0].level, Level::Error);
    // The same value again is no change.
    assert!(of_rule("mutable-key", &text("dynamodb", ":k")).is_empty());
}

#[test]
fn a_growing_column_behind_one_that_spreads_is_harmless() {
    let text = |key: &str| {
        format!(
            "shardwright: 1
target: {{engine: generic, shards: 16}}
tables:
  t:
    rows: 1B
    row_size: 1KB
    primary_key: [k, at]
    columns:
      k: {{type: bigint, distinct: 1M}}
      at: {{type: timestamp, monotonic: true}}
patterns:
  - {{name: put, insert: t, rate: 100/s}}
plan:
  tables:
    t: {{{key}}}
"
        )
    };
    let fires = |key| !of_rule("monotonic-range-key", &text(key)).is_empty();
    assert!(fires("key: [at, k], strategy: range"));
    assert!(!fires("key: [k, at], strategy: range"));
    assert!(!fires("key: [at, k], strategy: hash"));
    assert!(!fires("key: [at, k], strategy: range, salt: 8, salt_from: k"));
    let still = text("key: [at, k], strategy: range").replace("insert: t", "read: t, where: {k: eq}");
    assert!(of_rule("monotonic-range-key", &still).is_empty());
}

#[test]
fn a_plan_that_is_missing_is_not_guessed() {
    let text = keyed("generic", 16, "distinct: 8, nulls: 10%", "");
    let without = &text[..text.find("plan:").expect("there is a plan")];
    let codes: Vec<&str> = findings(without).iter().map(|it| it.code.code).collect();
    assert!(codes.iter().all(|it| !it.starts_with("SW1") && !it.starts_with("SW2")), "{codes:?}");
}

#[test]
fn hostile_plans_end_in_findings() {
    for plan in [
        "t: {key: [k], salt: 4294967295}",
        "t: {key: [{bucket: k, every: 0s}]}",
        "t: {key: []}",
        "t: {key: [k, k, k], hierarchical: true}",
        "t: {replicated: true}",
    ] {
        let text = keyed("generic", 16, "distinct: 0, skew: {top: [100%]}, nulls: 100%", "");
        let text = text.replace("t: {key: [k]}", plan).replace("rows: 1B", "rows: 0");
        for it in findings(&text) {
            assert!(!it.message.contains("NaN"), "{plan}: {}", it.message);
        }
    }
}
