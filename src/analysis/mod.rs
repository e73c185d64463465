//! What a plan is worth: statistics made complete, equality classes, routing,
//! skew, and the assessment that they add up to. Pure: no clock, no file, no
//! random source but fixed seeds.

pub mod assessment;
pub mod capacity;
pub mod classes;
pub mod facts;
pub mod heat;
pub mod id_space;
pub mod partition;
pub mod placed;
pub mod routing;
pub mod setting;
pub mod shards;
pub mod skew;
pub mod spread;
pub mod tail;
pub mod tokens;
pub mod verdict;
pub mod vnodes;
pub mod zipf;
