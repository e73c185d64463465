//! Conditions of a statement: WHERE, ON and USING as predicates.

use std::collections::BTreeSet;
use std::ops::Range;

use sqlparser::ast::{BinaryOperator, Expr, InTarget, Query, Spanned, UnaryOperator};

use crate::input::sql_parse::bytes;
use crate::input::sql_query::{Reach, ReachKind, Reader};
use crate::input::sql_ranges::{Bound, Side};
use crate::input::sql_scope::{Scope, Value};
use crate::input::sql_values::{LIST_ESTIMATE, arguments, function_name, has_query, normalised};
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

/// Where a condition is read.
#[derive(Clone, Copy)]
struct Place<'s, 'p> {
    scope: &'s Scope<'p>,
    reach: Reach,
}

impl<'a> Reader<'a> {
    /// Reads a condition all of whose parts hold.
    pub(super) fn conditions(&mut self, expr: &'a Expr, scope: &Scope<'_>, reach: Reach) {
        let mut bounds = Vec::new();
        for part in parts_joined_by(expr, &BinaryOperator::And) {
            self.condition(part, Place { scope, reach }, &mut bounds);
        }
        for fact in crate::input::sql_ranges::ranges(bounds) {
            self.push(fact.predicate, fact.side, reach);
        }
    }

    /// Extent of a condition as it is written.
    pub(super) fn extent(&self, expr: &Expr) -> Range<usize> {
        self.parsed.condition(bytes(expr.span()))
    }

    fn condition(&mut self, expr: &'a Expr, at: Place<'_, '_>, bounds: &mut Vec<Bound>) {
        match expr {
            Expr::BinaryOp { left, op, right } => self.operator(expr, (left, op, right), at, bounds),
            Expr::IsNotDistinctFrom(left, right) => self.equality(expr, left, right, at),
            Expr::UnaryOp { op: UnaryOperator::Not, expr: inner } => self.negation(expr, inner, at, bounds),
            Expr::In { expr: column, target, negated: false, .. } => {
                self.membership(expr, column, target, at)
            }
            Expr::In { expr: column, target: InTarget::Subquery(query), .. } => {
                self.excluded(expr, column, query, at);
            }
            Expr::Between { expr: column, negated: false, low, high } => {
                let value = self.value(column, at.scope);
                let (from, to) = (self.value(low, at.scope), self.value(high, at.scope));
                let from = self.bound(expr, &value, (low, &from), Side::Lower).ok_or(from);
                let to = self.bound(expr, &value, (high, &to), Side::Upper).ok_or(to);
                match (from, to) {
                    (Ok(from), Ok(to)) => bounds.extend([from, to]),
                    (from, to) => {
                        let values = [Some(value), from.err(), to.err()];
                        self.other_of(expr, &values.iter().flatten().collect::<Vec<_>>(), at);
                    }
                }
            }
            Expr::Like { negated: false, any: false, expr: column, pattern, .. } => {
                self.like(expr, column, pattern, at);
            }
            Expr::IsNull(inner) => match self.value(inner, at.scope) {
                Value::Column(column) => {
                    let span = self.span(self.extent(expr));
                    self.push(Predicate::IsNull { column, span }, None, at.reach);
                }
                _ => self.other(expr, at),
            },
            Expr::IsTrue(inner) | Expr::IsFalse(inner) => {
                let wanted = matches!(expr, Expr::IsTrue(_));
                self.truth(expr, inner, wanted, at, bounds);
            }
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.truth(expr, expr, true, at, bounds),
            Expr::Exists { subquery, negated } => {
                let reach = self.inner_reach(at.reach, *negated);
                self.inner_query(subquery, at.scope, reach);
            }
            Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => {
                self.any(expr, left, right, at)
            }
            Expr::Function(function) if function_name(function) == "starts_with" => {
                match arguments(function).as_slice() {
                    [column, start] => self.prefix(expr, column, start, at),
                    _ => self.other(expr, at),
                }
            }
            _ => self.other(expr, at),
        }
    }

    fn operator(
        &mut self,
        expr: &'a Expr,
        (left, op, right): (&'a Expr, &BinaryOperator, &'a Expr),
        at: Place<'_, '_>,
        bounds: &mut Vec<Bound>,
    ) {
        match op {
            BinaryOperator::Eq | BinaryOperator::Spaceship | BinaryOperator::Is => {
                self.equality(expr, left, right, at);
            }
            BinaryOperator::Or => self.disjunction(expr, at),
            BinaryOperator::PGStartsWith => self.prefix(expr, left, right, at),
            BinaryOperator::Lt | BinaryOperator::LtEq | BinaryOperator::Gt | BinaryOperator::GtEq => {
                let upper = matches!(op, BinaryOperator::Lt | BinaryOperator::LtEq);
                let (side, flipped) =
                    if upper { (Side::Upper, Side::Lower) } else { (Side::Lower, Side::Upper) };
                // `(a, b) < (:x, :y)` bounds its first column.
                let (left, right) = (first_of_row(left), first_of_row(right));
                let (l, r) = (self.value(left, at.scope), self.value(right, at.scope));
                let bound = match (&l, &r) {
                    (Value::Column(_), Value::Known(_)) => self.bound(expr, &l, (right, &r), side),
                    (Value::Known(_), Value::Column(_)) => self.bound(expr, &r, (left, &l), flipped),
                    _ => None,
                };
                match bound {
                    Some(bound) => bounds.push(bound),
                    None => self.other_of(expr, &[&l, &r], at),
                }
            }
            _ => self.other(expr, at),
        }
    }

    /// `a = b` in all its forms.
    fn equality(&mut self, expr: &'a Expr, left: &'a Expr, right: &'a Expr, at: Place<'_, '_>) {
        let range = self.extent(expr);
        match (stripped(left), stripped(right)) {
            (Expr::Tuple(l), Expr::Tuple(r)) if l.len() == r.len() => {
                for (left, right) in l.iter().zip(r) {
                    self.equal_values(left, right, range.clone(), at);
                }
            }
            (Expr::Tuple(row), Expr::Subquery(query)) | (Expr::Subquery(query), Expr::Tuple(row)) => {
                let reach = self.inner_reach(Reach::ALL, true);
                self.row_among(expr, row, query, at, reach);
            }
            (left, right) => self.equal_values(left, right, range, at),
        }
    }

    fn equal_values(&mut self, left: &'a Expr, right: &'a Expr, range: Range<usize>, at: Place<'_, '_>) {
        let (l, r) = (self.value(left, at.scope), self.value(right, at.scope));
        let span = self.span(range);
        let key = match (&l, &r) {
            (Value::Rows(columns), Value::Known(to)) => Some((left, columns, to)),
            (Value::Known(to), Value::Rows(columns)) => Some((right, columns, to)),
            _ => None,
        };
        if let Some((expression, columns, to)) = key
            && let [column] = columns.as_slice()
            && !matches!(expression, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
            && !has_query(expression)
        {
            let text = normalised(expression);
            let predicate = Predicate::Expression { text, column: *column, to: to.clone(), span };
            return self.push(predicate, None, at.reach);
        }
        self.equate(&l, &r, span, at.reach);
    }

    /// Says that two values are equal.
    pub(super) fn equate(&mut self, left: &Value, right: &Value, span: Span, reach: Reach) {
        let predicate = match (left, right) {
            (Value::Missing, _) | (_, Value::Missing) => return,
            (Value::Column(a), Value::Column(b)) if a == b => return,
            (Value::Column(a), Value::Column(b)) => {
                Predicate::Equal { column: *a, to: Operand::Column(*b), span }
            }
            (Value::Column(column), Value::Known(to)) | (Value::Known(to), Value::Column(column)) => {
                Predicate::Equal { column: *column, to: to.clone(), span }
            }
            (Value::Column(column), Value::List { values, count })
            | (Value::List { values, count }, Value::Column(column)) => {
                one_of(*column, values.clone(), *count, span)
            }
            _ => {
                let mut columns = left.columns();
                columns.extend(right.columns());
                return self.push_other(columns, span, reach);
            }
        };
        self.push(predicate, None, reach);
    }

    fn membership(&mut self, expr: &'a Expr, column: &'a Expr, target: &'a InTarget, at: Place<'_, '_>) {
        match target {
            InTarget::List(list) => match stripped(column) {
                Expr::Tuple(row) => self.row_in_list(expr, row, list, at),
                _ => self.in_list(expr, column, list, at),
            },
            InTarget::Subquery(query) => {
                let reach = self.inner_reach(at.reach, false);
                match stripped(column) {
                    Expr::Tuple(row) => self.row_among(expr, row, query, at, reach),
                    _ => self.among(expr, column, query, at, reach),
                }
            }
            InTarget::Unnest(list) => self.any(expr, column, list, at),
            InTarget::Table { .. } => self.other(expr, at),
        }
    }

    fn in_list(&mut self, expr: &'a Expr, column: &'a Expr, list: &'a [Expr], at: Place<'_, '_>) {
        if let [only] = list {
            return self.equal_values(column, only, self.extent(expr), at);
        }
        let left = self.value(column, at.scope);
        let values: Vec<Value> = list.iter().map(|it| self.value(it, at.scope)).collect();
        let span = self.span(self.extent(expr));
        let known = known_values(&values);
        match (&left, known) {
            (Value::Column(it), Some(known)) => {
                let count = known.len() as u32;
                self.push(one_of(*it, known, count, span), None, at.reach);
            }
            _ => self.other_of(expr, &[&left].into_iter().chain(&values).collect::<Vec<_>>(), at),
        }
    }

    /// `(a, b) IN ((1, 2), (3, 4))`: each column is one of its values.
    fn row_in_list(&mut self, expr: &'a Expr, row: &'a [Expr], list: &'a [Expr], at: Place<'_, '_>) {
        let mut places: Vec<Vec<Value>> = vec![Vec::new(); row.len()];
        for item in list {
            match stripped(item) {
                Expr::Tuple(values) if values.len() == row.len() => {
                    for (place, value) in places.iter_mut().zip(values) {
                        place.push(self.value(value, at.scope));
                    }
                }
                _ => return self.other(expr, at),
            }
        }
        let span = self.span(self.extent(expr));
        for (column, values) in row.iter().zip(places) {
            let left = self.value(column, at.scope);
            let right = known_values(&values).map_or(Value::Rows(Vec::new()), |values| {
                let count = values.len() as u32;
                Value::List { values, count }
            });
            self.equate(&left, &right, span, at.reach);
        }
    }

    /// `a IN (SELECT c …)`
    fn among(&mut self, expr: &'a Expr, column: &'a Expr, query: &'a Query, at: Place<'_, '_>, reach: Reach) {
        let left = self.value(column, at.scope);
        let n_instances = self.draft.instances.len();
        let mut right = self.inner_query(query, at.scope, reach).first();
        if matches!(right, Value::Known(_)) && self.draft.instances.len() == n_instances {
            // `IN (SELECT unnest(:list))` reads no table.
            right = Value::List { values: Vec::new(), count: LIST_ESTIMATE };
        }
        let span = self.span(self.extent(expr));
        self.equate(&left, &right, span, at.reach);
    }

    fn row_among(
        &mut self,
        expr: &'a Expr,
        row: &'a [Expr],
        query: &'a Query,
        at: Place<'_, '_>,
        reach: Reach,
    ) {
        let outputs = self.inner_query(query, at.scope, reach);
        let span = self.span(self.extent(expr));
        for (column, output) in row.iter().zip(outputs.list) {
            let left = self.value(column, at.scope);
            self.equate(&left, &output.value, span, at.reach);
        }
    }

    /// `a NOT IN (SELECT c …)`
    fn excluded(&mut self, expr: &'a Expr, column: &'a Expr, query: &'a Query, at: Place<'_, '_>) {
        let left = self.mentioned(column, at.scope);
        let reach = self.inner_reach(at.reach, true);
        self.inner_query(query, at.scope, reach);
        self.other_of(expr, &[&left], at);
    }

    /// `a = ANY(…)`
    fn any(&mut self, expr: &'a Expr, column: &'a Expr, list: &'a Expr, at: Place<'_, '_>) {
        match stripped(list) {
            Expr::Subquery(query) => {
                let reach = self.inner_reach(at.reach, false);
                self.among(expr, column, query, at, reach);
            }
            Expr::Array(array) if !array.elem.is_empty() => self.in_list(expr, column, &array.elem, at),
            list => {
                let left = self.value(column, at.scope);
                let right = match self.value(list, at.scope) {
                    Value::Known(Operand::Constant(text)) => listed(&text),
                    Value::Known(_) => Value::List { values: Vec::new(), count: LIST_ESTIMATE },
                    other => Value::Rows(other.columns()),
                };
                let span = self.span(self.extent(expr));
                self.equate(&left, &right, span, at.reach);
            }
        }
    }

    fn like(&mut self, expr: &'a Expr, column: &'a Expr, pattern: &'a Expr, at: Place<'_, '_>) {
        // `LIKE :start || '%'`
        if let Expr::BinaryOp { left: start, op: BinaryOperator::StringConcat, right: rest } =
            stripped(pattern)
            && matches!(stripped(rest), Expr::Value(it) if it.to_string().starts_with("'%"))
        {
            return self.prefix(expr, column, start, at);
        }
        let left = self.value(column, at.scope);
        let right = self.value(pattern, at.scope);
        let span = self.span(self.extent(expr));
        match (&left, &right) {
            (Value::Column(it), Value::Known(Operand::Constant(text))) => {
                let wild = text.find(['%', '_']);
                match wild {
                    None => self.equate(&left, &right, span, at.reach),
                    Some(0) => self.push_other(vec![*it], span, at.reach),
                    Some(_) => self.push(Predicate::Prefix { column: *it, span }, None, at.reach),
                }
            }
            _ => self.other_of(expr, &[&left, &right], at),
        }
    }

    fn prefix(&mut self, expr: &'a Expr, column: &'a Expr, start: &'a Expr, at: Place<'_, '_>) {
        let (left, right) = (self.value(column, at.scope), self.value(start, at.scope));
        match (&left, &right) {
            (Value::Column(column), Value::Known(_)) => {
                let span = self.span(self.extent(expr));
                self.push(Predicate::Prefix { column: *column, span }, None, at.reach);
            }
            _ => self.other_of(expr, &[&left, &right], at),
        }
    }

    /// A boolean column, or a condition that is compared with TRUE or FALSE.
    fn truth(
        &mut self,
        expr: &'a Expr,
        inner: &'a Expr,
        wanted: bool,
        at: Place<'_, '_>,
        bounds: &mut Vec<Bound>,
    ) {
        match stripped(inner) {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                let left = self.value(inner, at.scope);
                let right = Value::Known(Operand::Constant(wanted.to_string()));
                let span = self.span(self.extent(expr));
                self.equate(&left, &right, span, at.reach);
            }
            inner if wanted => self.condition(inner, at, bounds),
            inner => self.negation(expr, inner, at, bounds),
        }
    }

    fn negation(&mut self, expr: &'a Expr, inner: &'a Expr, at: Place<'_, '_>, bounds: &mut Vec<Bound>) {
        match stripped(inner) {
            Expr::UnaryOp { op: UnaryOperator::Not, expr: inner } => {
                self.condition(stripped(inner), at, bounds);
            }
            Expr::Exists { subquery, negated } => {
                let reach = self.inner_reach(at.reach, !negated);
                self.inner_query(subquery, at.scope, reach);
            }
            Expr::In { expr: column, target: InTarget::Subquery(query), negated: false, .. } => {
                self.excluded(expr, column, query, at);
            }
            Expr::In { expr: column, target, negated: true, .. } => self.membership(expr, column, target, at),
            Expr::IsNotNull(inner) => match self.value(inner, at.scope) {
                Value::Column(column) => {
                    let span = self.span(self.extent(expr));
                    self.push(Predicate::IsNull { column, span }, None, at.reach);
                }
                _ => self.other(expr, at),
            },
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.truth(expr, inner, false, at, bounds),
            _ => self.other(expr, at),
        }
    }

    /// OR: what all branches say of one column is kept.
    fn disjunction(&mut self, expr: &'a Expr, at: Place<'_, '_>) {
        let branches = parts_joined_by(expr, &BinaryOperator::Or);
        let first_inner = self.draft.instances.len() as u32;
        let before = std::mem::take(&mut self.draft.facts);
        let (mut inner, mut says) = (Vec::new(), Vec::new());
        for branch in branches {
            self.conditions(branch, at.scope, Reach::UNCERTAIN);
            let facts = std::mem::take(&mut self.draft.facts);
            let (own, outer): (Vec<Fact>, Vec<Fact>) = facts
                .into_iter()
                .partition(|it| subject(&it.predicate).is_some_and(|it| first_inner <= it.instance.0));
            inner.extend(own);
            says.push(outer);
        }
        self.draft.facts = before;
        self.draft.facts.extend(inner);
        let range = self.extent(expr);
        let span = self.span(range);
        let common = crate::input::sql_ranges::common(&says, span);
        let complete = common.len() == 1 && says.iter().all(|it| it.len() == 1);
        for fact in common {
            self.push(fact.predicate, fact.side, at.reach);
        }
        if !complete {
            let mut columns: Vec<ColumnRef> = Vec::new();
            for column in says.iter().flatten().flat_map(|it| columns_of(&it.predicate)) {
                if !columns.contains(&column) {
                    columns.push(column);
                }
            }
            self.push_other(columns, span, at.reach);
        }
    }

    fn other(&mut self, expr: &'a Expr, at: Place<'_, '_>) {
        let value = self.mentioned(expr, at.scope);
        self.other_of(expr, &[&value], at);
    }

    fn other_of(&mut self, expr: &Expr, values: &[&Value], at: Place<'_, '_>) {
        if values.iter().any(|it| **it == Value::Missing) {
            return;
        }
        let span = self.span(self.extent(expr));
        let columns = values.iter().flat_map(|it| it.columns()).collect();
        self.push_other(columns, span, at.reach);
    }

    fn push_other(&mut self, columns: Vec<ColumnRef>, span: Span, reach: Reach) {
        if !columns.is_empty() {
            self.push(Predicate::Other { columns, span }, None, reach);
        }
    }

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

/// The parts of a chain of one operator, parentheses dissolved, in the order of the text.
fn parts_joined_by<'e>(expr: &'e Expr, joined_by: &BinaryOperator) -> Vec<&'e Expr> {
    let mut open = vec![expr];
    let mut parts = Vec::new();
    while let Some(expr) = open.pop() {
        match expr {
            Expr::BinaryOp { left, op, right } if op == joined_by => open.extend([&**right, &**left]),
            Expr::Nested(inner) => open.push(inner),
            other => parts.push(other),
        }
    }
    parts
}

fn stripped(mut expr: &Expr) -> &Expr {
    while let Expr::Nested(inner) = expr {
        expr = inner;
    }
    expr
}

fn first_of_row(expr: &Expr) -> &Expr {
    match stripped(expr) {
        Expr::Tuple(row) => row.first().unwrap_or(expr),
        _ => expr,
    }
}

/// The distinct operands of a list in which every value is known; NULLs match nothing.
fn known_values(values: &[Value]) -> Option<Vec<Operand>> {
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
fn listed(text: &str) -> Value {
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
fn columns_of(predicate: &Predicate) -> Vec<ColumnRef> {
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
