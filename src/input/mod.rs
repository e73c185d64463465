//! Text in, design out: YAML and annotated SQL become a [`crate::model::Design`]
//! and findings; nothing of a readable file is lost because another part is bad.

mod sql_items;
