//! What a plan is worth.

pub mod shards;
pub mod skew;
pub mod spread;
pub mod tail;
pub mod zipf;
