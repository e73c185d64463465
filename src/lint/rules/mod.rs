//! The rules, one file each (or a few that share their arithmetic), in the order of their codes.

mod bucket_scan_unbounded;
mod collection_limit;
mod constant_key;
mod could_be_replicated;
mod cross_shard_join;
mod cross_shard_sort;
mod cross_shard_transaction;
mod directory_single_point;
mod estimated_input;
mod few_vnodes;
mod filter_after_read;
mod fixed_shard_count;
mod foreign_key_across_shards;
mod hot_index;
mod hot_value;
mod id_bits;
mod ignore_without_reason;
mod index_back_pressure;
mod index_not_unique;
mod item_too_large;
mod key_type_mismatch;
mod low_cardinality_index;
mod low_cardinality_key;
mod missing_index;
mod missing_key_column;
mod missing_key_predicate;
mod mod_placement;
mod monotonic_index;
mod monotonic_range_key;
mod moving_hotspot;
mod mutable_key;
mod needless_salt;
mod not_colocated;
mod nullable_key;
mod numbered_placement;
mod over_capacity;
mod partition_count;
mod partition_throughput;
mod per_shard_sequence;
mod random_id_clustered;
mod rates_disagree;
mod read;
mod read_hot_value;
mod replicated_table_large;
mod replicated_table_written;
mod residency_broken;
mod salt_breaks_order;
mod salt_too_narrow;
mod scatter_read;
mod scatter_write;
mod sharding_not_needed;
mod stale_index_read;
mod tail_latency;
mod tombstone_scan;
mod too_many_indexes;
mod transaction_too_large;
mod unbounded_partition;
mod unique_without_key;
mod unsupported_key_type;
mod unused_index;
mod unused_table;
mod vertical_split_first;
mod wide_in_list;
mod worker_collision;

use crate::lint::Rule;

/// Every rule, in the order of the codes.
pub static RULES: &[&Rule] = &[
    &read::SYNTAX,
    &read::UNKNOWN_TABLE,
    &read::UNKNOWN_COLUMN,
    &read::UNPARSED_STATEMENT,
    &estimated_input::RULE,
    &unused_table::RULE,
    &rates_disagree::RULE,
    &ignore_without_reason::RULE,
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
    &read_hot_value::RULE,
    &salt_breaks_order::RULE,
    &salt_too_narrow::RULE,
    &needless_salt::RULE,
    &bucket_scan_unbounded::RULE,
    &moving_hotspot::RULE,
    &tombstone_scan::RULE,
    &residency_broken::RULE,
    &scatter_read::RULE,
    &scatter_write::RULE,
    &missing_key_predicate::RULE,
    &wide_in_list::RULE,
    &cross_shard_join::RULE,
    &cross_shard_transaction::RULE,
    &cross_shard_sort::RULE,
    &tail_latency::RULE,
    &filter_after_read::RULE,
    &not_colocated::RULE,
    &missing_key_column::RULE,
    &replicated_table_written::RULE,
    &replicated_table_large::RULE,
    &foreign_key_across_shards::RULE,
    &could_be_replicated::RULE,
    &low_cardinality_index::RULE,
    &hot_index::RULE,
    &index_back_pressure::RULE,
    &monotonic_index::RULE,
    &unused_index::RULE,
    &missing_index::RULE,
    &index_not_unique::RULE,
    &stale_index_read::RULE,
    &too_many_indexes::RULE,
    &collection_limit::RULE,
    &per_shard_sequence::RULE,
    &random_id_clustered::RULE,
    &id_bits::OVERFLOW,
    &id_bits::SIGN_BIT,
    &worker_collision::RULE,
    &id_bits::EXHAUSTED,
    &id_bits::ROLLBACK,
    &mod_placement::RULE,
    &partition_count::FEW,
    &partition_count::INDIVISIBLE,
    &few_vnodes::RULE,
    &directory_single_point::RULE,
    &fixed_shard_count::RULE,
    &numbered_placement::RULE,
    &sharding_not_needed::RULE,
    &over_capacity::RULE,
    &item_too_large::RULE,
    &partition_throughput::RULE,
    &transaction_too_large::RULE,
    &vertical_split_first::RULE,
];
