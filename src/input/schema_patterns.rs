//! Shapes of access patterns in the JSON Schema of the input language.

use std::collections::BTreeMap;

use schemars::JsonSchema;

use crate::input::schema_values::{AnyText, Count, Dist, Duration, Factor, OneOrMore, Positive, Rate, Share};

/// An access pattern: SQL, a transaction, or a statement without SQL.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("oneOf" = [
    {"required": ["sql"]}, {"required": ["transaction"]}, {"required": ["read"]}, {"required": ["insert"]},
    {"required": ["update"]}, {"required": ["delete"]}, {"required": ["upsert"]}
]))]
pub(super) struct PatternShape {
    /// Unique name.
    name: AnyText,
    /// Mean rate.
    rate: Rate,
    /// Peak rate over mean rate; `1x` when left out.
    peak: Option<Factor>,
    /// Latency budget.
    p99: Option<Duration>,
    /// A statement.
    sql: Option<String>,
    /// Statements that commit together.
    transaction: Option<Vec<StepShape>>,
    /// Table that is read.
    read: Option<AnyText>,
    /// Table that is inserted into.
    insert: Option<AnyText>,
    /// Table that is updated.
    update: Option<AnyText>,
    /// Table that is deleted from.
    delete: Option<AnyText>,
    /// Table whose rows are made or changed.
    upsert: Option<AnyText>,
    /// Conditions by column.
    r#where: Option<BTreeMap<String, WhereShape>>,
    /// Columns with `asc` or `desc` behind them.
    order_by: Option<OneOrMore<AnyText>>,
    /// Most rows returned.
    limit: Option<Count>,
    /// Related entities read in the same request, joined along references.
    with: Option<Vec<AnyText>>,
    /// Columns that are written; all of them when left out on an insert.
    set: Option<Vec<AnyText>>,
    /// Rows returned or changed; estimated when left out.
    rows: Option<Count>,
    /// How requests spread over a parameter's values.
    popularity: Option<BTreeMap<String, Dist>>,
    /// Parameters that usually equal another one.
    params: Option<BTreeMap<String, ParamShape>>,
    /// How fresh reads must be; `strong` when left out.
    consistency: Option<ConsistencyShape>,
    /// `warehouse`, `search`, `stream` or `cache`, and the share it takes: `cache(95%)`.
    #[schemars(regex(pattern = r"^(warehouse|search|stream|cache)\s*(\(.+\))?$"))]
    served_by: Option<String>,
    /// Columns within whose values rows must be seen in the order in which they were written.
    keep_order: Option<Vec<AnyText>>,
}

/// A step of a transaction.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum StepShape {
    /// A statement.
    Sql(String),
    /// Statements that run several times.
    Repeated(RepeatedShape),
}

/// Statements that run several times.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RepeatedShape {
    /// A statement.
    sql: Option<String>,
    /// Several statements that share each draw.
    r#do: Option<Vec<String>>,
    /// How often; once when left out.
    times: Option<Positive>,
    /// Parameters that differ from run to run.
    each: Option<Vec<AnyText>>,
}

/// A condition on a column.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum WhereShape {
    /// `eq`, `in(3)`, `range`, `range(7d)`, `prefix` or `is_null`.
    Word(WhereWord),
    /// A constant.
    Constant(ConstantShape),
}

/// `eq`, `in(3)`, `range`, `range(7d)`, `prefix` or `is_null`.
#[derive(JsonSchema)]
#[schemars(transparent)]
struct WhereWord(
    #[schemars(regex(pattern = r"^(eq|range|prefix|is_null|in\s*\(.+\)|range\s*\(.+\))$"))] String,
);

/// Equality with a constant.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ConstantShape {
    /// The constant.
    eq: AnyText,
}

/// A parameter that usually equals another one.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ParamShape {
    /// The other parameter.
    same_as: AnyText,
    /// Share of the requests in which they are equal; all when left out.
    share: Option<Share>,
}

/// How fresh reads must be.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum ConsistencyShape {
    /// Every write that was answered is seen.
    Strong,
    /// May lag.
    Eventual,
}
