//! The best key for every table together: candidates, the space of plans, an
//! exact solver for the cost network they make, and the advice that comes of it.

pub mod advice;
pub mod advise;
pub mod build;
pub mod candidates;
pub mod indexes;
pub mod prefer;
pub mod rewrites;
mod robustness;
pub mod scores;
pub mod space;
pub mod verdict;
pub mod vetoes;
