//! The one integration binary: everything that is tested from outside.

mod cli;
mod dependencies;
mod docs;
mod exam;
mod rust_text;
mod tidy;
