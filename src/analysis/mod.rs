//! What a plan is worth.
