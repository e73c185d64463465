//! The best key for every table together: candidates, the space of plans, an
//! exact solver for the cost network they make, and the advice that comes of it.

pub mod advice;
pub mod advise;
mod bound;
#[cfg(test)]
mod brute;
mod bucket;
pub mod build;
pub mod candidates;
mod dominance;
mod elimination;
mod factor;
pub mod indexes;
mod lexicographic;
mod marginals;
mod network;
pub mod prefer;
mod problem;
mod reopening;
pub mod rewrites;
mod robustness;
pub mod scores;
mod solve;
pub mod space;
#[cfg(test)]
mod testing;
mod tree;
pub mod vetoes;

pub use lexicographic::lexicographic;
pub use marginals::{Marginals, min_marginals};
pub use problem::{Budget, LazyFactor, Problem, Solution, Stopped};
pub use solve::solve;
