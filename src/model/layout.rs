//! One physical table for several entities, as a file gives it.

use crate::source::Span;

/// A layout of one physical table; templates are kept as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Name of the physical table.
    pub table: String,
    /// Its entities.
    pub entities: Vec<LayoutEntity>,
    /// Its indexes.
    pub indexes: Vec<LayoutIndex>,
    /// How each pattern is answered.
    pub serve: Vec<LayoutServe>,
    /// The attribute that says when an item expires.
    pub ttl: Option<String>,
    /// Where it stands.
    pub span: Span,
}

/// How an entity's items look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayoutEntity {
    /// The entity.
    pub name: String,
    /// Attribute and template, `pk` and `sk` among them, in the order of the file.
    pub attributes: Vec<(String, String, Span)>,
    /// The entity it is embedded in, and the attribute's name there.
    pub embed_in: Option<(String, Option<String>)>,
    /// Where it stands.
    pub span: Span,
}

/// An index of a layout.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayoutIndex {
    /// Name.
    pub name: String,
    /// Attributes of its partition key.
    pub pk: Vec<String>,
    /// Attributes of its sort key.
    pub sk: Vec<String>,
    /// `all`, `keys_only`, or the attributes included.
    pub projection: Vec<String>,
    /// Where it stands.
    pub span: Span,
}

/// How a layout answers a pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayoutServe {
    /// The pattern.
    pub pattern: String,
    /// `query`, `get`, `batch_get` or `scan`.
    pub operation: String,
    /// `table` or the index.
    pub source: String,
    /// Conditions and options: name and values as written.
    pub options: Vec<(String, Vec<String>)>,
    /// Where it stands.
    pub span: Span,
}
