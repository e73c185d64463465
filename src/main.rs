//! The `shardwright` program.
fn main() {}
