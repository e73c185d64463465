//! Finding the best plan: an exact solver for weighted constraint problems,
//! and what makes such a problem of a design.

mod bound;
mod bucket;
mod dominance;
mod elimination;
mod factor;
mod lexicographic;
mod marginals;
mod network;
mod problem;
mod reopening;
mod solve;
#[cfg(test)]
mod testing;
mod tree;

pub use lexicographic::lexicographic;
pub use marginals::{Marginals, min_marginals};
pub use problem::{Budget, LazyFactor, Problem, Solution, Stopped};
pub use solve::solve;
