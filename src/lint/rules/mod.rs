//! The rules, one file each, in the order of their codes.

mod constant_key;
mod could_be_replicated;
mod cross_shard_join;
mod cross_shard_transaction;
mod foreign_key_across_shards;
mod hot_index;
mod hot_value;
mod index_not_unique;
mod key_type_mismatch;
mod low_cardinality_key;
mod missing_key_column;
mod missing_key_predicate;
mod monotonic_range_key;
mod moving_hotspot;
mod mutable_key;
mod not_colocated;
mod nullable_key;
mod replicated_table_large;
mod replicated_table_written;
mod scatter_read;
mod scatter_write;
mod unbounded_partition;
mod unique_without_key;
mod unsupported_key_type;
mod wide_in_list;

use crate::lint::Rule;

/// Every rule, in the order of the codes.
pub static RULES: &[&Rule] = &[
    &low_cardinality_key::RULE,
    &hot_value::RULE,
    &constant_key::RULE,
    &monotonic_range_key::RULE,
    &mutable_key::RULE,
    &nullable_key::RULE,
    &unbounded_partition::RULE,
    &unique_without_key::RULE,
    &key_type_mismatch::RULE,
    &unsupported_key_type::RULE,
    &moving_hotspot::RULE,
    &scatter_read::RULE,
    &scatter_write::RULE,
    &missing_key_predicate::RULE,
    &wide_in_list::RULE,
    &cross_shard_join::RULE,
    &cross_shard_transaction::RULE,
    &not_colocated::RULE,
    &missing_key_column::RULE,
    &replicated_table_written::RULE,
    &replicated_table_large::RULE,
    &foreign_key_across_shards::RULE,
    &could_be_replicated::RULE,
    &hot_index::RULE,
    &index_not_unique::RULE,
];
