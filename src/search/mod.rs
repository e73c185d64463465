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
mod network;
pub mod prefer;
mod problem;
pub mod rewrites;
mod robustness;
pub mod scores;
mod solve;
pub mod space;
#[cfg(test)]
mod testing;
pub mod verdict;
pub mod vetoes;

pub use problem::{Budget, LazyFactor, Problem, Solution, Stopped};
mod tmp;
pub use solve::solve;
