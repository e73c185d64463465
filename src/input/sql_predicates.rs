//! Conditions of a statement: WHERE, ON and USING as predicates.

use std::ops::Range;

use sqlparser::ast::{BinaryOperator, Expr, InTarget, Query, Spanned, UnaryOperator};

use crate::input::sql_facts::{Fact, columns_of, known_values, listed, one_of, subject};
use crate::input::sql_parse::bytes;
use crate::input::sql_query::{Reach, ReachKind, Reader};
use crate::input::sql_ranges::{Bound, Side};
use crate::input::sql_scope::{Scope, Value};
use crate::input::sql_values::{
    LIST_ESTIMATE, arguments, first_of_row, function_name, has_placeholder, has_query, normalised,
    parts_joined_by, stripped,
};
use crate::model::{ColumnRef, Operand, Predicate};
use crate::source::Span;

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
        for fact in crate::input::sql_ranges::ranges(&bounds) {
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
                self.membership(expr, column, target, at);
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
                self.any(expr, left, right, at);
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
            && !has_placeholder(expression)
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
            (Value::Either(columns), other) | (other, Value::Either(columns)) => {
                return self.equate_branches(columns, other, span, reach);
            }
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

    /// A column of a UNION: what equals a known value does so in each branch; rows
    /// of a branch follow another column, which need not equal theirs.
    fn equate_branches(&mut self, columns: &[ColumnRef], other: &Value, span: Span, reach: Reach) {
        for column in columns {
            match other {
                Value::Column(of) if reach.kind == ReachKind::All => {
                    let predicate = Predicate::Follows { column: *column, of: Operand::Column(*of), span };
                    self.push(predicate, None, reach);
                }
                Value::Column(_) | Value::Either(_) => self.push_other(vec![*column], span, reach),
                other => self.equate(&Value::Column(*column), other, span, reach),
            }
        }
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
            Expr::BinaryOp { left, op: BinaryOperator::NotEq, right } => self.equality(expr, left, right, at),
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
}
