//! Predicates while a statement is read, and what can be said of one alone.

use std::collections::BTreeSet;

use crate::input::sql_query::{Reach, ReachKind, Reader};
use crate::input::sql_ranges::Side;
use crate::input::sql_scope::Value;
use crate::input::sql_values::LIST_ESTIMATE;
use crate::model::{ColumnRef, Operand, Predicate, RangeWidth};
use crate::source::Span;

/// A predicate while a statement is read.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// What it says.
    pub(super) predicate: Predicate,
    /// The bound of an open range.
    pub(super) side: Option<Side>,
}

impl Reader<'_> {
    /// Adds a predicate as far as it holds: in the ON of an outer join, and in a
    /// subquery that may have no rows, only one side is restricted.
    pub(super) fn push(&mut self, predicate: Predicate, side: Option<Side>, reach: Reach) {
        let holds = |it: &ColumnRef| reach.holds(it.instance);
        let other = |columns, span| Predicate::Other { columns, span };
        let both = reach.kind == ReachKind::Both;
        let predicate = match predicate {
            it if reach.kind == ReachKind::All => it,
            Predicate::Equal { column, to: Operand::Column(to), span } => {
                match (holds(&column), holds(&to)) {
                    (true, true) => Predicate::Equal { column, to: Operand::Column(to), span },
                    (true, false) | (false, true) if both => {
                        let back = Predicate::Follows { column: to, of: Operand::Column(column), span };
                        self.draft.facts.push(Fact { predicate: back, side: None });
                        Predicate::Follows { column, of: Operand::Column(to), span }
                    }
                    (true, false) => Predicate::Follows { column, of: Operand::Column(to), span },
                    (false, true) => Predicate::Follows { column: to, of: Operand::Column(column), span },
                    (false, false) => other(vec![column, to], span),
                }
            }
            Predicate::Equal { column, to, span } if holds(&column) && !both => {
                if reach.kind == ReachKind::Optional {
                    Predicate::Follows { column, of: to, span }
                } else {
                    Predicate::Equal { column, to, span }
                }
            }
            it => {
                let columns = columns_of(&it);
                let kept = !both && columns.iter().all(holds);
                if kept || matches!(it, Predicate::Follows { .. }) { it } else { other(columns, it.span()) }
            }
        };
        self.draft.facts.push(Fact { predicate, side });
    }
}

/// The distinct operands of a list in which every value is known; NULLs match nothing.
pub(super) fn known_values(values: &[Value]) -> Option<Vec<Operand>> {
    let mut known = Vec::new();
    for value in values {
        match value {
            Value::Known(operand) => known.push(operand.clone()),
            Value::Null => {}
            _ => return None,
        }
    }
    let known = distinct(known);
    (!known.is_empty()).then_some(known)
}

/// Operands without doubles; what is unknown equals nothing else.
pub(super) fn distinct(operands: Vec<Operand>) -> Vec<Operand> {
    let mut seen = BTreeSet::new();
    operands
        .into_iter()
        .filter(|it| match it {
            Operand::Param(id) => seen.insert((0, id.0.to_string())),
            Operand::Constant(text) => seen.insert((1, text.clone())),
            Operand::Column(_) | Operand::Unknown => true,
        })
        .collect()
}

/// One of several values; of one value, that value.
pub(super) fn one_of(column: ColumnRef, mut values: Vec<Operand>, count: u32, span: Span) -> Predicate {
    match values.len() {
        1 if count == 1 => Predicate::Equal { column, to: values.remove(0), span },
        _ => Predicate::In { column, values, count, span },
    }
}

/// The values of an array literal `'{1,2}'`.
pub(super) fn listed(text: &str) -> Value {
    let inside = text.trim().strip_prefix('{').and_then(|it| it.strip_suffix('}'));
    let Some(inside) = inside else { return Value::List { values: Vec::new(), count: LIST_ESTIMATE } };
    let values =
        inside.split(',').map(|it| Operand::Constant(it.trim().trim_matches('"').to_owned())).collect();
    let values = distinct(values);
    let count = values.len() as u32;
    Value::List { values, count }
}

/// The column that a predicate restricts.
pub(super) fn subject(predicate: &Predicate) -> Option<ColumnRef> {
    match predicate {
        Predicate::Equal { column, .. }
        | Predicate::Follows { column, .. }
        | Predicate::In { column, .. }
        | Predicate::Range { column, .. }
        | Predicate::Prefix { column, .. }
        | Predicate::IsNull { column, .. }
        | Predicate::Expression { column, .. } => Some(*column),
        Predicate::Other { columns, .. } => columns.first().copied(),
    }
}

/// All columns that a predicate looks at.
pub(super) fn columns_of(predicate: &Predicate) -> Vec<ColumnRef> {
    match predicate {
        Predicate::Equal { column, to: Operand::Column(to), .. }
        | Predicate::Follows { column, of: Operand::Column(to), .. } => vec![*column, *to],
        Predicate::Other { columns, .. } => columns.clone(),
        other => subject(other).into_iter().collect(),
    }
}

/// A range of a column.
pub(super) fn range(column: ColumnRef, width: RangeWidth, span: Span) -> Predicate {
    Predicate::Range { column, width, span }
}
