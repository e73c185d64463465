//! The best key for every table together.

pub mod advice;
