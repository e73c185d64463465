//! The shapes of the input language as types, from which its JSON Schema is
//! made. They describe what the decoder reads and are never filled themselves:
//! the decoder reports all problems of a file, which a derived reader can't.

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};

use crate::input::schema_patterns::PatternShape;
use crate::input::schema_plan::{LayoutShape, PlanShape};
use crate::input::schema_values::{
    AnyText, Count, Dist, Duration, Flag, Generator, OneOrMore, Positive, Rate, Share, Size,
};

/// The JSON Schema (draft 2020-12) of design and plan files, as pretty JSON
/// with a newline at its end.
///
/// The schema is looser than the reader where only the reader can know better
/// (names that must exist, shares that add up); what it refuses is refused by
/// the reader as well.
#[must_use]
pub fn design_schema() -> String {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<DesignFile>();
    WithoutNull.transform(&mut schema);
    let mut text = serde_json::to_string_pretty(schema.as_value()).unwrap_or_default();
    text.push('\n');
    text
}

/// Takes `null` out: a key without a value is a slip, not a way to leave it out.
struct WithoutNull;

impl Transform for WithoutNull {
    fn transform(&mut self, schema: &mut Schema) {
        let is_null = |it: &serde_json::Value| it == "null" || it["type"] == "null";
        for key in ["type", "anyOf"] {
            let Some(serde_json::Value::Array(items)) = schema.get_mut(key) else { continue };
            items.retain(|it| !is_null(it));
            if let ("type", [only]) = (key, items.as_slice()) {
                let only = only.clone();
                schema.insert(key.to_owned(), only);
            }
        }
        if let Some(serde_json::Value::Array(items)) = schema.get("anyOf")
            && let [serde_json::Value::Object(only)] = items.as_slice()
        {
            let only = only.clone();
            schema.remove("anyOf");
            for (key, value) in only {
                schema.insert(key, value);
            }
        }
        transform_subschemas(self, schema);
    }
}

/// A design file of shardwright: a workload and, optionally, a plan for it.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, title = "shardwright design file")]
struct DesignFile {
    /// Version of the format.
    #[schemars(range(min = 1, max = 1))]
    shardwright: u32,
    /// Name of the design.
    name: Option<AnyText>,
    /// Further files, YAML or SQL, relative to this one.
    include: Option<Vec<String>>,
    /// The database and its size.
    target: Option<TargetShape>,
    /// Growth is judged at this point; `1y` when left out.
    horizon: Option<Duration>,
    /// Tables, collections, entities or key families by name.
    tables: Option<BTreeMap<String, TableShape>>,
    /// Access patterns.
    patterns: Option<Vec<PatternShape>>,
    /// What somebody proposes.
    plan: Option<PlanShape>,
    /// What is in use today.
    current: Option<PlanShape>,
    /// Physical tables that hold several entities.
    layout: Option<OneOrMore<LayoutShape>>,
    /// How identifiers are made, by `table.column`.
    ids: Option<BTreeMap<String, IdShape>>,
    /// A cache in front of the database.
    cache: Option<CacheShape>,
    /// Findings to leave out and levels to change.
    lint: Option<LintShape>,
    /// Constants of the cost model, in shard requests.
    costs: Option<CostsShape>,
}

/// The database and its size.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct TargetShape {
    /// Id or alias of an engine; `generic` when left out.
    engine: Option<String>,
    /// Version of the engine.
    version: Option<AnyText>,
    /// Partitions that the rows are spread over; the engine's default when left out.
    shards: Option<Positive>,
    /// Nodes.
    nodes: Option<Positive>,
    /// What one node can hold and serve.
    node: Option<NodeShape>,
    /// Copies of each row; 1 when left out.
    copies: Option<Positive>,
    /// Request units bought, where the engine sells them.
    provisioned: Option<Rate>,
}

/// What one node can hold and serve.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct NodeShape {
    /// Storage.
    storage: Option<Size>,
    /// Reads.
    reads: Option<Rate>,
    /// Writes.
    writes: Option<Rate>,
}

/// A table.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct TableShape {
    /// Rows today.
    rows: Option<Count>,
    /// New rows net of deletes; the table keeps its size when left out.
    growth: Option<Rate>,
    /// Size of a row; summed from the columns' types when left out.
    row_size: Option<Size>,
    /// Age at which rows are gone.
    retention: Option<Duration>,
    /// Columns of the primary key, in order.
    primary_key: Option<Vec<AnyText>>,
    /// Further unique sets of columns.
    unique: Option<Vec<Vec<AnyText>>>,
    /// The column that says in which region a row must stay.
    residency: Option<AnyText>,
    /// Text of a key in Redis or Memcached, placeholders in angle brackets: `{<user_id>}:cart`.
    key_pattern: Option<AnyText>,
    /// A note.
    describes: Option<AnyText>,
    /// Columns by name.
    columns: Option<BTreeMap<String, ColumnShape>>,
}

/// A column: its type, or everything that is known of it.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum ColumnShape {
    /// Just the type.
    Type(AnyText),
    /// The column with its statistics.
    Column(Box<ColumnFields>),
}

/// A column with its statistics.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ColumnFields {
    /// Type as SQL, CQL or a document database writes it; `list` for a list inside the row.
    r#type: Option<AnyText>,
    /// Distinct values.
    distinct: Option<Count>,
    /// New distinct values.
    distinct_growth: Option<Rate>,
    /// How rows spread over the values.
    skew: Option<Dist>,
    /// Share of rows without a value.
    nulls: Option<Share>,
    /// The value only grows from row to row.
    monotonic: Option<Flag>,
    /// The value is changed; inferred from the patterns when left out.
    mutable: Option<Flag>,
    /// How values are made.
    generated: Option<Generator>,
    /// Size of a value.
    size: Option<Size>,
    /// One value for all rows.
    constant: Option<Flag>,
    /// Columns whose value follows from this one.
    determines: Option<Vec<AnyText>>,
    /// All values.
    values: Option<Vec<AnyText>>,
    /// Largest number of items of a list, or `unbounded`.
    items: Option<ItemsShape>,
    /// Size of an item of a list.
    item_size: Option<Size>,
    /// Column of another table that this one refers to, `table.column`, or several.
    references: Option<OneOrMore<AnyText>>,
}

/// Largest number of items of a list.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum ItemsShape {
    /// A count.
    Count(Count),
    /// Nothing stops it.
    Unbounded(Unbounded),
}

/// Nothing stops it.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Unbounded {
    /// Nothing stops it.
    Unbounded,
}

/// How the identifiers of a column are made.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct IdShape {
    /// The generator.
    kind: IdKindShape,
    /// Ids of all workers together.
    rate: Option<Rate>,
    /// Ids that one worker may be asked for at once.
    burst: Option<Count>,
    /// Snowflake: the day that time counts from.
    #[schemars(regex(pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))]
    epoch: Option<String>,
    /// Snowflake: bits of time.
    #[schemars(range(min = 0, max = 64))]
    time_bits: Option<u32>,
    /// Snowflake: bits of the worker's number.
    #[schemars(range(min = 0, max = 64))]
    worker_bits: Option<u32>,
    /// Snowflake: bits of the sequence.
    #[schemars(range(min = 0, max = 64))]
    sequence_bits: Option<u32>,
    /// Snowflake: bits of a shard's number.
    #[schemars(range(min = 0, max = 64))]
    shard_bits: Option<u32>,
    /// Snowflake: length of a tick.
    tick: Option<Duration>,
    /// Snowflake: number of workers.
    workers: Option<Count>,
    /// Snowflake: where a worker's number comes from.
    workers_from: Option<WorkersFromShape>,
    /// Snowflake: whether the column is a signed 64-bit number.
    signed: Option<Flag>,
    /// Snowflake: how long ids must be made.
    life: Option<Duration>,
    /// Ticket: ids in a block.
    block: Option<Count>,
    /// Ticket: servers that hand out blocks.
    servers: Option<Count>,
}

/// Kinds of generators.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum IdKindShape {
    /// A counter of the database.
    AutoIncrement,
    /// Random.
    Uuid4,
    /// Time first.
    Uuid7,
    /// Time first.
    Ulid,
    /// Time, worker and sequence in one number.
    Snowflake,
    /// Blocks of a counter.
    Ticket,
}

/// Where a worker's number comes from.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum WorkersFromShape {
    /// Given by hand or configuration.
    Assigned,
    /// Leased from a coordinator.
    Lease,
    /// A hash of a name.
    Hash,
    /// Random.
    Random,
    /// The network card's address.
    Mac,
}

/// A cache in front of the database.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CacheShape {
    /// Number of items.
    items: Option<Count>,
    /// Size of a key.
    key: Option<Size>,
    /// Size of a value.
    value: Option<Size>,
    /// Bytes the cache spends on each item.
    overhead: Option<Size>,
    /// Copies of each item.
    copies: Option<Positive>,
    /// Memory of a node.
    node_memory: Option<Size>,
    /// Share of it that items may use.
    usable: Option<Share>,
    /// Peak reads.
    peak: Option<Rate>,
    /// Reads a node can serve.
    node_reads: Option<Rate>,
    /// Share of reads it answers.
    hit_ratio: Option<Share>,
    /// Reads the database can take.
    database_limit: Option<Rate>,
    /// Tiers, first asked first.
    tiers: Option<Vec<TierShape>>,
    /// How stale an answer may be.
    staleness_budget: Option<Duration>,
    /// The hottest key.
    hot_key: Option<HotKeyShape>,
}

/// A tier of a cache.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct TierShape {
    /// Name.
    name: AnyText,
    /// How long an entry lives.
    ttl: Option<Duration>,
}

/// The hottest key of a cache.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct HotKeyShape {
    /// Its share of the requests.
    share: Share,
    /// Copies of it under other names.
    copies: Option<Positive>,
}

/// Findings to leave out and levels to change.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LintShape {
    /// Findings to leave out.
    ignore: Option<Vec<IgnoreShape>>,
    /// Levels by code or name of a rule.
    levels: Option<BTreeMap<String, LevelShape>>,
}

/// A finding to leave out.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct IgnoreShape {
    /// Code or name of the rule.
    rule: AnyText,
    /// Only for this table.
    table: Option<AnyText>,
    /// Only for this pattern.
    pattern: Option<AnyText>,
    /// Only for this index.
    index: Option<AnyText>,
    /// Why.
    reason: Option<AnyText>,
}

/// A level.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum LevelShape {
    /// The engine refuses it, data is lost or wrong, or a hard limit is passed.
    Error,
    /// Works, at a price.
    Warning,
    /// Worth knowing.
    Info,
    /// Not reported.
    Off,
}

/// Constants of the cost model, in shard requests.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CostsShape {
    /// A row read.
    row_read: Option<Count>,
    /// A row written after the first of a statement.
    row_written: Option<Count>,
    /// A row moved between shards for a join.
    row_moved: Option<Count>,
    /// The commit of a transaction on one of several participants.
    commit: Option<Count>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::said;

    fn validator() -> jsonschema::Validator {
        let schema: serde_json::Value = serde_json::from_str(&design_schema()).unwrap();
        jsonschema::validator_for(&schema).unwrap()
    }

    fn as_json(text: &str) -> serde_json::Value {
        serde_yaml::from_str(text).unwrap()
    }

    #[test]
    fn the_schema_says_what_it_is_and_every_key_is_described() {
        let schema: serde_json::Value = serde_json::from_str(&design_schema()).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["title"], "shardwright design file");
        assert_eq!(schema["required"], serde_json::json!(["shardwright"]));
        assert!(!design_schema().contains("\"null\""));
        let mut open = vec![&schema];
        while let Some(it) = open.pop() {
            if let Some(properties) = it["properties"].as_object() {
                for (key, its) in properties {
                    let described = its["description"].is_string() || its["$ref"].is_string();
                    assert!(described, "{key}: {its}");
                }
            }
            open.extend(it.as_object().into_iter().flat_map(|it| it.values()));
            open.extend(it.as_array().into_iter().flatten());
        }
    }

    #[test]
    fn what_the_writer_knows_to_write_is_accepted() {
        let validator = validator();
        let text = crate::input::testing::EVERYTHING;
        let errors: Vec<String> = validator.iter_errors(&as_json(text)).map(|it| format!("{it}")).collect();
        assert_eq!(errors, Vec::<String>::new());
    }

    #[test]
    fn what_is_refused_is_refused_by_the_reader_as_well() {
        let validator = validator();
        let head = "shardwright: 1\n";
        for bad in [
            "nmae: x",
            "horizon: 2 fortnights",
            "name:",
            "target: {shards: many}",
            "tables: []",
            "tables: {t: {rows: 5q}}",
            "tables: {t: {growth: 300k}}",
            "tables: {t: {unique: [a], columns: {a: int}}}",
            "tables: {t: {columns: {a: {typ: int}}}}",
            "tables: {t: {columns: {a: {skew: {tpo: [1%]}}}}}",
            "tables: {t: {columns: {a: {skew: zpif(1)}}}}",
            "tables: {t: {columns: {a: {monotonic: often}}}}",
            "patterns: [{name: x, rate: 1/s}]",
            "patterns: [{name: x, sql: SELECT 1}]",
            "patterns: [{name: x, sql: SELECT 1, read: t, rate: 1/s}]",
            "plan: {placement: jmup}",
            "plan: {tables: {t: {key: [{bucket: a}]}}}",
            "plan: {claims: [{}]}",
            "layout: {table: x, serve: {p: {limit: 3}}}",
            "ids: {a.b: {kind: snowfalke}}",
            "cache: {tiers: [{ttl: 2s}]}",
            "lint: {levels: {x: fatal}}",
            "costs: {row_raed: 1}",
        ] {
            let text = format!("{head}{bad}\n");
            assert!(!validator.is_valid(&as_json(&text)), "{bad}");
            assert!(!said(&text).is_empty(), "{bad}");
        }
        assert!(!validator.is_valid(&as_json("shardwright: 2\n")));
        assert!(!validator.is_valid(&as_json("name: x\n")));
    }
}
