//! Shapes of single values in the JSON Schema of the input language.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Declares a shape that is a string of a pattern, or a plain number.
macro_rules! scalar {
    ($name:ident, $types:expr, $pattern:expr, $description:expr) => {
        #[doc = $description]
        pub(super) struct $name(String);

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": $types, "pattern": $pattern, "minimum": 0, "description": $description })
            }
        }
    };
}

scalar!(
    Count,
    ["number", "string"],
    r"^\s*[0-9][0-9_.]*([eE][+-]?[0-9]+)?\s*[kKMBGT]?\s*$",
    "A count: 1200, 200k, 5M, 4B, 1.5T."
);
scalar!(
    Size,
    ["number", "string"],
    r"^\s*[0-9][0-9_.]*([eE][+-]?[0-9]+)?\s*([kKMGTP]i?B|[kKMGT]|B)?\s*$",
    "A size: 300B, 4KB (1000), 4KiB (1024), 2TB."
);
scalar!(
    Rate,
    ["string"],
    r"^\s*[0-9][0-9_.]*([eE][+-]?[0-9]+)?\s*[kKMBGT]?\s*/\s*(s|sec|second|seconds|min|minutes?|h|hours?|d|days?|w|weeks?|mo|months?|y|years?)\s*$",
    "A rate: 1200/s, 3k/min, 40M/day, 2/h."
);
scalar!(
    Duration,
    ["string"],
    r"^\s*[0-9][0-9_.]*([eE][+-]?[0-9]+)?\s*(us|µs|ms|s|sec|seconds?|min|minutes?|h|hours?|d|days?|w|weeks?|mo|months?|y|years?)\s*$",
    "A duration: 20ms, 5s, 10min, 2h, 7d, 2y."
);
scalar!(
    Share,
    ["number", "string"],
    r"^\s*[0-9][0-9_.]*([eE][+-]?[0-9]+)?\s*%?\s*$",
    "A share: 12% or 0.12."
);
scalar!(
    Factor,
    ["number", "string"],
    r"^\s*[0-9][0-9_.]*([eE][+-]?[0-9]+)?\s*[kKMBGT]?\s*[xX×]?\s*$",
    "A factor: 3x, 1.5x."
);
scalar!(
    Positive,
    ["integer", "string"],
    r"^\s*[0-9][0-9_.]*([eE][+-]?[0-9]+)?\s*[kKMBGT]?\s*$",
    "A whole number of at least 1."
);
scalar!(
    Figure,
    ["number", "string"],
    r"^\s*(<=?|>=?|≤|≥)?\s*[~$]?\s*[0-9].*$",
    "A figure, or a bound: 95%, \"<= 5%\"."
);
scalar!(DistWord, ["string"], r"^(uniform|zipf\s*\(\s*[0-9].*\))$", "uniform or zipf(1.1).");

/// A text; numbers and truths are read as they are written.
pub(super) struct AnyText(String);

impl JsonSchema for AnyText {
    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number", "boolean"], "description": "A text." })
    }
}

/// Yes or no.
pub(super) type Flag = bool;

/// One value or a list of them.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum OneOrMore<T> {
    /// One.
    One(T),
    /// Several.
    Several(Vec<T>),
}

/// How rows or requests spread over values.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Dist {
    /// `uniform` or `zipf(1.1)`.
    Word(DistWord),
    /// The biggest shares.
    Top(TopShape),
    /// Rows per value and number of such values.
    Histogram(HistogramShape),
}

/// The biggest shares; the rest is spread by `rest`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct TopShape {
    /// Shares, with or without the names of their values.
    top: Shares,
    /// How the rest spreads; `uniform` when left out.
    rest: Option<DistWord>,
}

/// Shares, with or without the names of their values.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Shares {
    /// By name.
    Named(BTreeMap<String, Share>),
    /// In order.
    Listed(Vec<Share>),
}

/// Rows per value and number of such values.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct HistogramShape {
    /// Pairs `[rows per value, number of such values]`.
    histogram: Vec<(Count, Count)>,
}

/// How identifiers come to be.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(super) enum Generator {
    /// A counter of the database.
    AutoIncrement,
    /// Random.
    Uuid4,
    /// Time first, then random.
    Uuid7,
    /// Time first, then random.
    Ulid,
    /// Seconds first.
    ObjectId,
    /// Time, worker, sequence.
    Snowflake,
    /// Blocks of a counter.
    Ticket,
    /// The current time.
    Time,
}
