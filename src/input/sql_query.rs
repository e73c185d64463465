//! SQL statements read as statements of a pattern.

use crate::diag::Finding;
use crate::input::params::Params;
use crate::model::{Statement, Table, Unread};
use crate::source::Span;

/// Where the bytes of an SQL text stand in its file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SqlPlace {
    /// Of the whole text.
    pub(super) span: Span,
    /// Offsets inside the text add to the span's start.
    pub(super) exact: bool,
}

/// Reads one or more statements. Unknown tables and columns become findings
/// and their predicates are left out.
///
/// # Errors
///
/// For text outside the readable SQL.
pub(super) fn read_sql(
    _text: &str,
    place: &SqlPlace,
    _tables: &[Table],
    _params: &mut Params,
    _findings: &mut Vec<Finding>,
) -> Result<Vec<Statement>, Unread> {
    Err(Unread { span: place.span, reason: "SQL is not read yet".to_owned() })
}
