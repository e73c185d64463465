//! A shard-key design advisor.
//!
//! ```text
//! text ─input▶ Design ─analysis▶ Assessment ─search▶ Plan ─report▶ Report ─▶ cli · render
//!                ▲ lint           ▲ target (engine facts)
//! ```
//!
//! Modules in reading order: [`units`] and [`source`] are the words everything
//! else uses; [`model`] is what is talked about; [`target`] what a product
//! allows; [`input`] makes a design from text; [`analysis`] says what a plan is
//! worth; [`search`] finds the best one; [`lint`] names what is wrong;
//! [`report`] is the one answer that [`render`] and [`cli`] show.

pub mod analysis;
pub mod cli;
pub mod diag;
pub mod input;
pub mod lint;
pub mod model;
pub mod render;
pub mod report;
pub mod search;
pub mod session;
pub mod source;
pub mod target;
pub mod units;
