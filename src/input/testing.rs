//! What the tests of this module share: a text read, and what was said of it.

use std::collections::BTreeMap;

use crate::diag::Finding;
use crate::input::{Loader, ReadDesign, read};
use crate::model::Design;
use crate::source::{FileId, Files};

/// Files by name.
#[derive(Default)]
pub(super) struct Folder(pub(super) BTreeMap<String, String>);

impl Loader for Folder {
    fn load(&mut self, _from: FileId, path: &str, files: &mut Files) -> Result<FileId, String> {
        match self.0.get(path) {
            Some(text) => Ok(files.add(path, text.clone())),
            None => Err("no such file".to_owned()),
        }
    }
}

/// Reads one file, `design.yaml`.
pub(super) fn read_text(text: &str) -> (ReadDesign, Files) {
    let mut files = Files::default();
    let root = files.add("design.yaml", text);
    let read = read(&[root], &mut files, &mut Folder::default());
    (read, files)
}

/// The design of a text of which nothing is to be said.
pub(super) fn clean(text: &str) -> Design {
    let (read, files) = read_text(text);
    assert_eq!(lines(&read.findings, &files), Vec::<String>::new());
    assert!(read.readable);
    read.design
}

/// What is said of a text: `line:column `marked text` message (help)`.
pub(super) fn said(text: &str) -> Vec<String> {
    let (read, files) = read_text(text);
    lines(&read.findings, &files)
}

/// Findings as lines.
pub(super) fn lines(findings: &[Finding], files: &Files) -> Vec<String> {
    let line = |it: &Finding| {
        let (place, text) = (files.places(it.span).0, files.text(it.span.file));
        let marked = &text[it.span.start as usize..it.span.end as usize];
        let marked = marked.lines().next().unwrap_or("");
        let help = it.help.as_ref().map_or(String::new(), |it| format!(" ({it})"));
        format!("{}:{} `{marked}` {}{help}", place.line, place.column, it.message)
    };
    findings.iter().map(line).collect()
}

/// A value's debug text without places, so that two readings can be compared.
pub(super) fn without_places(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:#?}");
    let mut out = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((before, _)) = line.split_once("Span {") else {
            out.push(line);
            continue;
        };
        let indent = before.len() - before.trim_start().len();
        let end = format!("{}}}", " ".repeat(indent));
        lines.by_ref().find(|it| it.starts_with(&end));
        out.push(before);
    }
    out.join("\n")
}

/// A design in which every construct of the format is met.
pub(super) const EVERYTHING: &str = "\
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
