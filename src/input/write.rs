//! A plan, or a whole design, as text in the input language.

use crate::input::decode::FORMAT_VERSION;
use crate::input::write_patterns::patterns;
use crate::input::write_rest::{cache, costs, ids, layouts, lint, target};
use crate::input::write_tables::tables;
use crate::input::write_values::{Map, duration, list, names, scalar, share};
use crate::model::{
    Choice, Claim, ClaimKind, Design, Include, Index, KeyPart, NodesLeave, PlacementKind, Plan, Salt, Scope,
    ShardKey, Table, TablePlan,
};
use crate::source::Files;

/// A plan as a file of its own (`shardwright: 1`, `plan:`). Reading it onto the
/// same design gives an equal plan; a column that is copied down comes along
/// the shortest way of references.
#[must_use]
pub fn write_plan(plan: &Plan, design: &Design) -> String {
    format!("shardwright: {FORMAT_VERSION}\nplan:{}", section(&plan_map(plan, design)))
}

/// A whole design as one file. SQL is taken from the texts it was read from; a
/// statement without one is left out with a comment. Suppressions that are
/// comments are left out, since they speak of lines of another file.
#[must_use]
pub fn write_design(design: &Design, files: &Files) -> String {
    let mut map = Map::default();
    if !design.name.is_empty() {
        map.put("name", scalar(&design.name));
    }
    let target = target(&design.target);
    if !target.is_empty() {
        map.put("target", target.flow());
    }
    map.put_some("horizon", design.horizon, duration);
    map.put_some("costs", costs(&design.costs), |it| it.flow());
    if !design.tables.is_empty() {
        map.put("tables", tables(design));
    }
    if !design.patterns.is_empty() {
        map.put("patterns", patterns(design, files));
    }
    for (key, plan) in [("current", &design.current), ("plan", &design.plan)] {
        map.put_some(key, plan.as_ref(), |it| {
            section(&plan_map(it, design)).trim_end_matches('\n').to_owned()
        });
    }
    map.put_some("layout", layouts(&design.layouts), |it| it);
    map.put_some("ids", ids(design), |it| it);
    map.put_some("cache", design.cache.as_ref(), |it| {
        format!("\n{}", cache(it).block(2).trim_end_matches('\n'))
    });
    map.put_some("lint", lint(&design.lint), |it| it);
    format!("shardwright: {FORMAT_VERSION}\n{}", map.block(0))
}

/// A mapping below its key; an empty one beside it.
fn section(map: &Map) -> String {
    if map.is_empty() { " {}\n".to_owned() } else { format!("\n{}", map.block(2)) }
}

/// The names of some columns.
pub(super) fn column_names(table: &Table, columns: &[crate::model::ColumnId]) -> Vec<String> {
    columns.iter().map(|it| table.column(*it).name.clone()).collect()
}

/// The name of a value in one of the format's lists of words.
pub(super) fn word_of<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> &'static str {
    words.iter().find(|(_, it)| it == value).map_or("", |(word, _)| word)
}

fn plan_map(plan: &Plan, design: &Design) -> Map {
    let mut map = Map::default();
    map.put_some("by", plan.by.as_ref(), |it| scalar(it));
    map.put_some("shards", plan.shards, |it| it.to_string());
    map.put_some("nodes", plan.nodes, |it| it.to_string());
    map.put_some("placement", plan.placement, |(kind, _)| word_of(PlacementKind::ALL, &kind).to_owned());
    map.put_some("vnodes", plan.vnodes, |it| it.to_string());
    map.put_some("nodes_later", plan.nodes_later, |it| it.to_string());
    map.put_some("nodes_leave", plan.nodes_leave, |it| match it {
        NodesLeave::Any => "any".to_owned(),
        NodesLeave::Last => "last".to_owned(),
    });
    map.put_some("lookup", plan.lookup, |it| {
        let mut map = Map::default();
        map.put_some("replicas", it.replicas, |it| it.to_string());
        map.put_some("cache_hit", it.cache_hit, share);
        map.flow()
    });
    if !plan.tables.is_empty() {
        let mut tables = Map::default();
        for (id, its) in &plan.tables {
            let table = design.table(*id);
            tables.put(&table.name, table_plan(its, table).flow());
        }
        map.put("tables", format!("\n{}", tables.block(4).trim_end_matches('\n')));
    }
    let lines = |items: Vec<Map>| {
        let lines: Vec<String> = items.iter().map(|it| format!("\n    - {}", it.flow())).collect();
        lines.concat()
    };
    if !plan.indexes.is_empty() {
        map.put("indexes", lines(plan.indexes.iter().map(|it| index(it, design.table(it.table))).collect()));
    }
    if !plan.claims.is_empty() {
        map.put("claims", lines(plan.claims.iter().map(claim).collect()));
    }
    map
}

fn table_plan(plan: &TablePlan, table: &Table) -> Map {
    let mut map = Map::default();
    match &plan.choice {
        Choice::Replicated => map.put_flag("replicated", true),
        Choice::Unsharded => map.put_flag("unsharded", true),
        Choice::Sharded(key) => shard_key(key, table, &mut map),
    }
    let order: Vec<String> = plan
        .cluster
        .iter()
        .map(|it| {
            let name = &table.column(it.column).name;
            if it.desc { format!("{name} desc") } else { name.clone() }
        })
        .collect();
    map.put_names("cluster", &order);
    map.put_names("splits", &plan.splits);
    map.put_names("dedicated", &plan.dedicated);
    map
}

fn shard_key(key: &ShardKey, table: &Table, map: &mut Map) {
    let parts: Vec<String> = key.parts.iter().map(|it| key_part(it, table)).collect();
    map.put("key", list(&parts));
    let copied: Vec<&str> = key
        .parts
        .iter()
        .filter_map(|it| if let KeyPart::Copied(it) = it { Some(it.name.as_str()) } else { None })
        .collect();
    match copied.as_slice() {
        [] => {}
        [one] => map.put("add_column", scalar(one)),
        several => map.put("add_column", names(several)),
    }
    map.put_some("strategy", key.strategy, |it| it.as_str().to_owned());
    map.put_flag("hierarchical", key.hierarchical);
    put_salt(key.salt, table, map);
}

fn key_part(part: &KeyPart, table: &Table) -> String {
    match part {
        KeyPart::Column(column) => scalar(&table.column(*column).name),
        KeyPart::Copied(copied) => scalar(&copied.name),
        KeyPart::Expression { text, .. } => scalar(text),
        KeyPart::Bucket { column, every } => {
            let mut map = Map::default();
            map.put("bucket", scalar(&table.column(*column).name));
            map.put("every", duration(*every));
            map.flow()
        }
    }
}

fn put_salt(salt: Option<Salt>, table: &Table, map: &mut Map) {
    let Some(salt) = salt else { return };
    map.put("salt", salt.ways.to_string());
    map.put_some("salt_from", salt.from, |it| scalar(&table.column(it).name));
    if salt.only_hot {
        map.put("salt_only", "hot");
    }
}

fn index(index: &Index, table: &Table) -> Map {
    let mut map = Map::default();
    map.put("name", scalar(&index.name));
    map.put("table", scalar(&table.name));
    map.put("key", names(&column_names(table, &index.key)));
    map.put_names("sort", &column_names(table, &index.sort));
    map.put("scope", if index.scope == Scope::Global { "global" } else { "local" });
    map.put_some("strategy", index.strategy, |it| it.as_str().to_owned());
    put_salt(index.salt, table, &mut map);
    map.put_flag("unique", index.unique);
    match &index.include {
        Include::KeysOnly => {}
        Include::All => map.put("include", "all"),
        Include::Columns(columns) => map.put("include", names(&column_names(table, columns))),
    }
    if !index.only.is_empty() {
        let mut only = Map::default();
        for (column, value) in &index.only {
            only.put(&table.column(*column).name, scalar(value));
        }
        map.put("only", only.flow());
    }
    map
}

fn claim(claim: &Claim) -> Map {
    let mut map = Map::default();
    if claim.kind == ClaimKind::Shards {
        map.put_some("pattern", claim.about.as_ref(), |it| scalar(it));
    }
    // A figure is written as it was stated, since its digits are part of the claim.
    map.put(claim.kind.as_str(), figure(&claim.stated.text));
    map
}

fn figure(text: &str) -> String {
    let plain = text.starts_with(|it: char| it.is_ascii_digit())
        && text.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '.' | '%' | '/' | '_'));
    if plain { text.to_owned() } else { scalar(text) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::input::read_plan;
    use crate::input::testing::{clean, lines, read_text, without_places};

    pub(crate) const DESIGN: &str = "\
shardwright: 1
name: \"a shop: all of it\"
target: {engine: citus, version: \"13.0\", shards: 32, nodes: 4, node: {storage: 2TB, reads: 50k/s, writes: 10k/s}, copies: 3, provisioned: 20k/s}
horizon: 2y
costs: {row_read: 0.03, commit: 2}
tables:
  district: {primary_key: [w, d], columns: {w: bigint, d: int, region: {type: text, values: [eu, us]}}}
  customers:
    describes: \"who buys; # and more\"
    rows: 5M
    growth: 300/day
    row_size: 320B
    retention: 5y
    primary_key: [id]
    unique: [[email], [region, name]]
    residency: region
    key_pattern: \"{<id>}:c\"
    columns:
      id: {type: uuid, generated: uuid7}
      email: {type: text, distinct: 5M, nulls: 10%, size: 40B, mutable: true}
      name: {type: varchar(20), nulls: 0%}
      region: {type: text, constant: true, determines: [name]}
      c_w: {type: bigint, references: [district.w, warehouses.w], skew: {top: {acme: 12%, \"2\": 4%}, rest: zipf(0.8)}}
      c_d: {type: int, references: district.d, skew: {histogram: [[1, 900k], [1000, 200]]}}
      seen: {type: timestamptz, monotonic: true, mutable: false, distinct_growth: 10/day, skew: {top: [1.5%]}}
      tags: {type: list, items: unbounded, item_size: 20B}
      lines: {type: list, items: 10k, item_size: 1KB}
      bare: {}
      plain: numeric
  warehouses: {primary_key: [w], columns: {w: {type: bigint, skew: zipf(1.1)}}}
  empty: {}
patterns:
  - {name: one, read: customers, where: {id: eq, email: {eq: \"5\"}, name: prefix, region: is_null, c_w: in(3), seen: range(7d), c_d: range}, order_by: [seen desc, id], limit: 20, rows: 5, with: [district], rate: 1200/s, peak: 3x, p99: 20ms, popularity: {id: zipf(1.0)}, consistency: eventual, served_by: cache(95%), keep_order: [email]}
  - {name: two, insert: customers, rate: 3/min}
  - {name: three, upsert: customers, set: [id, name], rate: 2/h}
  - {name: four, update: customers, where: {id: eq, name: eq}, set: [name], rate: 5/day, params: {name: {same_as: id, share: 99%}, new_name: {same_as: id}}}
  - {name: five, delete: warehouses, where: {w: eq}, rate: 0.25/s, served_by: stream}
  - {name: six, sql: \"SELECT * FROM customers WHERE name = 'a: \\\"b\\\" # c' AND id = :i\", rate: 7/s}
  - name: seven
    sql: >-
      SELECT name FROM customers
      WHERE id = :c AND region IN ('eu', 'us')
    rate: 1/s
  - name: eight
    transaction:
      - INSERT INTO customers (id, name) VALUES (:a, :b)
      - {sql: \"UPDATE warehouses SET w = :w WHERE w = :v\", times: 3, each: [w, v]}
      - {times: 2, each: [x], do: [SELECT w FROM warehouses WHERE w = :x, DELETE FROM customers WHERE id = :a]}
    rate: 1/s
    params: {w: {same_as: v, share: 80%}}
current: {shards: 8, tables: {empty: {unsharded: true}}}
plan:
  by: an assistant, 2026-11-30
  shards: 64
  nodes: 5
  placement: ring
  vnodes: 150
  nodes_later: 6
  nodes_leave: any
  lookup: {replicas: 1, cache_hit: 90%}
  tables:
    district: {key: [w], strategy: range, splits: [1000, \"20 00\"], salt: 8, salt_from: d, salt_only: hot}
    customers: {key: [region, {bucket: seen, every: 10d}, lower(email)], cluster: [seen desc, id], hierarchical: true}
    warehouses: {replicated: true}
  indexes:
    - {name: i1, table: customers, key: [email], scope: global, include: [id, name], unique: true}
    - {name: i2, table: customers, key: [region], sort: [seen], scope: local, include: all, only: {region: eu}, strategy: hash, salt: 4}
  claims:
    - {pattern: one, shards: 1}
    - {single_shard_reads: \">= 95%\"}
    - {busiest_over_mean: 1.0}
    - {data_size: 8TB}
layout:
  - table: app
    ttl: expires_at
    entities:
      user: {pk: \"USER#{id}\", sk: PROFILE, GSI1PK: \"S#{status}\"}
      address: {embed_in: user, as: addresses}
      other: {embed_in: user}
    indexes: {GSI1: {pk: GSI1PK, sk: [a, b], projection: {include: [c]}}, GSI2: {pk: [x, y]}, GSI3: {pk: z, projection: keys_only}}
    serve:
      one: {query: table, pk: \"USER#{id}\", sk_between: [\"{a}\", \"{b}\"], order: desc, limit: 20}
      two: {scan: table}
  - {table: second}
ids:
  customers.id: {kind: snowflake, epoch: 2024-02-29, time_bits: 39, worker_bits: 8, sequence_bits: 8, tick: 10ms, workers: 1024, workers_from: lease, rate: 50k/s, burst: 1000, signed: true, life: 30y}
  warehouses.w: {kind: ticket, block: 1000, servers: 2}
  district.w: {kind: uuid4}
cache: {items: 200M, key: 40B, value: 900B, overhead: 60B, copies: 2, node_memory: 64GB, usable: 75%, peak: 600k/s, node_reads: 100k/s, hit_ratio: 95%, database_limit: 50k/s, tiers: [{name: L1, ttl: 2s}, {name: L2}], staleness_budget: 60s, hot_key: {share: 30%, copies: 4}}
lint:
  ignore: [{rule: scatter-read, pattern: one, table: empty, index: i1, reason: \"twice: a minute\"}]
  levels: {monotonic-range-key: error, SW101: off}
";

    #[test]
    fn a_design_with_everything_reads_back_equal() {
        let (read, files) = read_text(DESIGN);
        assert_eq!(lines(&read.findings, &files), Vec::<String>::new());
        let written = write_design(&read.design, &files);
        let again = clean(&written);
        assert_eq!(without_places(&again), without_places(&read.design), "{written}");
        // What is written is written in the same words again.
        let (second, files) = read_text(&written);
        assert_eq!(write_design(&second.design, &files), written);
    }

    #[test]
    fn a_plan_reads_back_equal_on_its_design() {
        let mut text = DESIGN.replace("    warehouses: {replicated: true}\n", "");
        text = text.replace(
            "  tables:\n    district: {key",
            "  tables:\n    empty: {key: [region, w], add_column: [region, w]}\n    district: {key",
        );
        text = text.replace("  empty: {}", "  empty: {columns: {of: {type: uuid, references: customers.id}, at: {type: bigint, references: warehouses.w}}}");
        let (read, files) = read_text(&text);
        assert_eq!(lines(&read.findings, &files), Vec::<String>::new());
        let plan = read.design.plan.as_ref().unwrap();
        let written = write_plan(plan, &read.design);
        assert!(written.contains("empty: {key: [region, w], add_column: [region, w]}"), "{written}");
        let mut files = Files::default();
        let id = files.add("plan.yaml", written.as_str());
        let (again, findings, readable) = read_plan(id, &files, &read.design);
        assert!(readable);
        assert_eq!(lines(&findings, &files), Vec::<String>::new());
        assert_eq!(without_places(&again.unwrap()), without_places(plan), "{written}");
    }

    #[test]
    fn an_empty_plan_and_an_empty_design_are_written() {
        assert_eq!(write_plan(&Plan::default(), &Design::default()), "shardwright: 1\nplan: {}\n");
        assert_eq!(write_design(&Design::default(), &Files::default()), "shardwright: 1\n");
        assert!(clean("shardwright: 1\nplan: {}\n").plan.is_some());
    }

    #[test]
    fn a_statement_without_a_text_is_said_to_be_left_out() {
        let (read, _) = read_text(
            "shardwright: 1\ntables: {t: {columns: {a: int, b: int}}}\npatterns:\n  - {name: x, sql: \"SELECT a FROM t \
             WHERE a = 1 OR b = 2\", rate: 1/s}\n",
        );
        let written = write_design(&read.design, &Files::default());
        assert!(
            written.contains("# 1 statements of the next pattern have no text and are left out"),
            "{written}"
        );
    }
}
