//! Text in, design out: YAML and annotated SQL become a [`crate::model::Design`]
//! and findings; nothing of a readable file is lost because another part is bad.

mod params;
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
