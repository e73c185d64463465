//! Shapes of plans and layouts in the JSON Schema of the input language.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use crate::input::schema_values::{AnyText, Count, Duration, Figure, Flag, OneOrMore, Positive, Share};

/// A plan: what somebody proposes, or what is in use.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct PlanShape {
    /// Who proposes it.
    by: Option<AnyText>,
    /// Partitions; the target's when left out.
    shards: Option<Positive>,
    /// Nodes; the target's when left out.
    nodes: Option<Positive>,
    /// How partitions, or keys, find their node.
    placement: Option<PlacementShape>,
    /// Points of a node on a ring.
    vnodes: Option<Positive>,
    /// Node count to plan the move for; one more when left out.
    nodes_later: Option<Positive>,
    /// Which node may go.
    nodes_leave: Option<LeaveShape>,
    /// How the directory of `strategy: lookup` is kept.
    lookup: Option<LookupShape>,
    /// Key of each table.
    tables: Option<BTreeMap<String, TablePlanShape>>,
    /// Secondary indexes.
    indexes: Option<Vec<IndexShape>>,
    /// Figures that the plan states of itself; each one is verified.
    claims: Option<Vec<ClaimShape>>,
}

/// How partitions, or keys, find their node.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum PlacementShape {
    /// A map from partitions to nodes.
    Fixed,
    /// Hash modulo the number of nodes.
    Mod,
    /// Consistent hashing with points on a ring.
    Ring,
    /// Jump consistent hash.
    Jump,
    /// Highest random weight.
    Rendezvous,
    /// Ranges that split and move.
    Dynamic,
}

/// Which node may go.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum LeaveShape {
    /// Any.
    Any,
    /// The last one only.
    Last,
}

/// How a directory is kept.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LookupShape {
    /// Replicas of it.
    replicas: Option<Count>,
    /// Share of look-ups that a cache answers.
    cache_hit: Option<Share>,
}

/// The plan of one table.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct TablePlanShape {
    /// What its rows are spread by.
    key: Option<Vec<KeyPartShape>>,
    /// Key column, or columns, copied down from a parent along its reference.
    add_column: Option<OneOrMore<AnyText>>,
    /// How a key value finds its shard; the engine's own when left out.
    strategy: Option<StrategyShape>,
    /// Order of rows under one key: columns with `asc` or `desc` behind them.
    cluster: Option<Vec<AnyText>>,
    /// Over how many each key value is spread.
    salt: Option<Positive>,
    /// The column a salt is computed from; `random` when left out.
    salt_from: Option<AnyText>,
    /// Which values are salted; all when left out.
    salt_only: Option<SaltOnlyShape>,
    /// Split points of a range strategy.
    splits: Option<Vec<AnyText>>,
    /// A prefix of the key routes too.
    hierarchical: Option<Flag>,
    /// Values on shards of their own.
    dedicated: Option<Vec<AnyText>>,
    /// A full copy on every shard.
    replicated: Option<Flag>,
    /// Lives on one shard.
    unsharded: Option<Flag>,
}

/// Which values are salted.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum SaltOnlyShape {
    /// The hot ones.
    Hot,
}

/// A part of a key.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum KeyPartShape {
    /// A column, or an expression of one: `lower(email)`.
    Column(AnyText),
    /// A stretch of time.
    Bucket(BucketShape),
}

/// A stretch of time.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct BucketShape {
    /// The column of the time.
    bucket: AnyText,
    /// Width of a bucket.
    every: Duration,
}

/// How a key value finds its shard.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum StrategyShape {
    /// By a hash of the whole key.
    Hash,
    /// By order.
    Range,
    /// By listed values.
    List,
    /// By a directory.
    Lookup,
    /// By region.
    Geo,
}

/// A secondary index.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct IndexShape {
    /// Name.
    name: AnyText,
    /// The table it serves.
    table: AnyText,
    /// Columns that place an entry.
    key: Vec<AnyText>,
    /// Columns that order entries under one key.
    sort: Option<Vec<AnyText>>,
    /// Partitioned by its own key, or beside the rows of each shard; `global` when left out.
    scope: Option<ScopeShape>,
    /// How an entry finds its partition; the engine's own when left out.
    strategy: Option<StrategyShape>,
    /// Over how many each key value is spread.
    salt: Option<Positive>,
    /// The column a salt is computed from; `random` when left out.
    salt_from: Option<AnyText>,
    /// Declared unique.
    unique: Option<Flag>,
    /// `all`, or a list of columns; keys only when left out.
    include: Option<IncludeShape>,
    /// Only rows with these values are in it.
    only: Option<BTreeMap<String, AnyText>>,
}

/// Reach of an index.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum ScopeShape {
    /// Partitioned by its own key.
    Global,
    /// Beside the rows of each shard.
    Local,
}

/// What an index carries beside its keys.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum IncludeShape {
    /// All columns.
    Word(AllShape),
    /// These columns.
    Columns(Vec<AnyText>),
}

/// All columns.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum AllShape {
    /// All columns.
    All,
}

/// A figure that the plan states of itself. A bound is written `"<= 5%"` or `">= 95%"`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("minProperties" = 1))]
struct ClaimShape {
    /// The pattern, for `shards`.
    pattern: Option<AnyText>,
    /// Shards that the pattern touches.
    shards: Option<Figure>,
    /// Share of requests that write on more than one shard.
    cross_shard_transactions: Option<Figure>,
    /// Share of reads that touch one shard.
    single_shard_reads: Option<Figure>,
    /// Share of the data that moves when a node is added.
    moved_on_add_node: Option<Figure>,
    /// Load of the busiest shard over the mean.
    busiest_over_mean: Option<Figure>,
    /// Share of the hottest key value.
    hottest_key_share: Option<Figure>,
    /// Size of the data today.
    data_size: Option<Figure>,
    /// Mean writes.
    write_rate: Option<Figure>,
    /// Time from the epoch until identifiers run out.
    ids_unique_for: Option<Figure>,
    /// Database reads after a cache node's loss.
    node_loss_db_load: Option<Figure>,
    /// Sum of the patterns' rates.
    total_rate: Option<Figure>,
    /// US dollars a month.
    monthly_cost: Option<Figure>,
}

/// One physical table for several entities.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct LayoutShape {
    /// Name of the physical table.
    table: AnyText,
    /// Attribute that says when an item expires.
    ttl: Option<AnyText>,
    /// Entities by name: templates of their attributes.
    entities: Option<BTreeMap<String, EntityShape>>,
    /// Indexes by name.
    indexes: Option<BTreeMap<String, LayoutIndexShape>>,
    /// How each pattern is answered.
    serve: Option<BTreeMap<String, ServeShape>>,
}

/// An entity: `pk`, `sk` and further attributes as templates (`USER#{user_id}`), or `embed_in` and `as`.
#[derive(JsonSchema)]
#[schemars(transparent)]
struct EntityShape(BTreeMap<String, AnyText>);

/// An index of a layout.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LayoutIndexShape {
    /// Attribute, or attributes, of its partition key.
    pk: OneOrMore<AnyText>,
    /// Attribute, or attributes, of its sort key.
    sk: Option<OneOrMore<AnyText>>,
    /// Attributes it carries; all when left out.
    projection: Option<ProjectionShape>,
}

/// Attributes that an index carries.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum ProjectionShape {
    /// `all` or `keys_only`.
    Word(ProjectionWord),
    /// These and the keys.
    Include(ProjectionInclude),
}

/// `all` or `keys_only`.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum ProjectionWord {
    /// All attributes.
    All,
    /// The keys.
    KeysOnly,
}

/// The attributes beside the keys.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ProjectionInclude {
    /// The attributes.
    include: Vec<AnyText>,
}

/// How a pattern is answered: an operation on `table` or an index, and its conditions.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("oneOf" = [
    {"required": ["query"]}, {"required": ["get"]}, {"required": ["batch_get"]}, {"required": ["scan"]}
]))]
struct ServeShape {
    /// Query of this table or index.
    query: Option<AnyText>,
    /// Get of one item.
    get: Option<AnyText>,
    /// Get of several items.
    batch_get: Option<AnyText>,
    /// Scan.
    scan: Option<AnyText>,
    /// Template of the partition key's value.
    pk: Option<OneOrMore<AnyText>>,
    /// Template of the sort key's value.
    sk: Option<OneOrMore<AnyText>>,
    /// Beginning of the sort key's value.
    sk_begins_with: Option<OneOrMore<AnyText>>,
    /// Both ends of the sort key's values.
    sk_between: Option<OneOrMore<AnyText>>,
    /// Lowest value of the sort key.
    sk_at_least: Option<OneOrMore<AnyText>>,
    /// Highest value of the sort key.
    sk_at_most: Option<OneOrMore<AnyText>>,
    /// `asc` or `desc`.
    order: Option<OneOrMore<AnyText>>,
    /// Most items.
    limit: Option<OneOrMore<AnyText>>,
    /// Attributes that are filtered by after the read.
    filter: Option<OneOrMore<AnyText>>,
    /// What follows: `batch_get`.
    then: Option<OneOrMore<AnyText>>,
}
