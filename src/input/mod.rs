//! Text in, design out: YAML and annotated SQL become a [`crate::model::Design`]
//! and findings; nothing of a readable file is lost because another part is bad.

mod decode;
mod decode_cache;
mod decode_claims;
mod decode_ids;
mod decode_layout;
mod decode_patterns;
mod decode_plan;
mod decode_stats;
mod decode_tables;
mod fields;
mod lower;
mod lower_patterns;
mod lower_plan;
mod params;
mod raw;
mod read;
#[allow(dead_code, reason = "shapes are described by their types and never made")]
mod schema;
#[allow(dead_code, reason = "shapes are described by their types and never made")]
mod schema_patterns;
#[allow(dead_code, reason = "shapes are described by their types and never made")]
mod schema_plan;
#[allow(dead_code, reason = "shapes are described by their types and never made")]
mod schema_values;
mod sql_annotations;
mod sql_column;
mod sql_cursor;
mod sql_ddl;
mod sql_depth;
mod sql_facts;
mod sql_file;
mod sql_from;
mod sql_items;
mod sql_key;
mod sql_lex;
mod sql_lower;
mod sql_parse;
mod sql_placing;
mod sql_predicates;
mod sql_query;
mod sql_ranges;
mod sql_scope;
mod sql_select;
mod sql_statements;
mod sql_values;
mod sql_vendor;
mod sql_write;
mod suppress;
#[cfg(test)]
mod testing;
mod tree;
mod write;
mod write_patterns;
mod write_rest;
mod write_tables;
mod write_values;

pub use read::{Loader, ReadDesign, read, read_plan, read_suppressions};
pub use schema::design_schema;
pub use write::{write_design, write_plan};
