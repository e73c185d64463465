//! Finding the best plan: an exact solver for weighted constraint problems,
//! and what makes such a problem of a design.

mod bound;
mod bucket;
mod dominance;
mod elimination;
mod factor;
mod network;
mod problem;
mod solve;
#[cfg(test)]
mod testing;

pub use problem::{Budget, LazyFactor, Problem, Solution, Stopped};
pub use solve::solve;
