//! Expressions of a statement: what their value is, which columns they look
//! at, and how an expression is written when it is a key.

use std::ops::ControlFlow;

use sqlparser::ast::{
    AccessExpr, BinaryOperator, CastKind, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentClause, FunctionArguments, InTarget, Query, Subscript, UnaryOperator, Value as Literal,
    WindowType, visit_expressions_mut,
};

use crate::input::sql_lex::is_one_of;
use crate::input::sql_query::{Reach, Reader};
use crate::input::sql_scope::{Scope, Value};
use crate::model::{ColumnRef, Operand, ParamId};

/// Values that a list parameter is taken to carry: how long such lists are is
/// not written anywhere, and ten is an ordinary page of ids.
pub(super) const LIST_ESTIMATE: u32 = 10;

/// Functions that turn many rows into one.
const AGGREGATES: &str = "\
    any_value approx_count_distinct array_agg avg bit_and bit_or bool_and bool_or corr count every \
    group_concat json_agg json_arrayagg json_object_agg jsonb_agg jsonb_object_agg max min mode \
    percentile_cont percentile_disc stddev stddev_pop stddev_samp string_agg sum var_pop var_samp \
    variance";

/// Functions that turn one value into rows.
const LIST_FUNCTIONS: &str = "\
    generate_series json_array_elements json_array_elements_text jsonb_array_elements \
    jsonb_array_elements_text string_to_table unnest";

/// What an expression looks at.
#[derive(Default)]
struct Mentions {
    columns: Vec<ColumnRef>,
    /// Depends on rows in some other way: a subquery, an aggregate.
    rows: bool,
    missing: bool,
}

/// A part of an expression.
enum Part<'e> {
    Expr(&'e Expr),
    Query(&'e Query),
}

impl<'a> Reader<'a> {
    /// What an expression stands for.
    pub(super) fn value(&mut self, expr: &'a Expr, scope: &Scope<'_>) -> Value {
        match expr {
            Expr::Nested(inner) => self.value(inner, scope),
            Expr::Identifier(name) => self.lookup(scope, std::slice::from_ref(name)),
            Expr::CompoundIdentifier(parts) => self.lookup(scope, parts),
            Expr::Value(it) => self.literal(&it.value),
            Expr::TypedString(it) => self.literal(&it.value.value),
            Expr::Prefixed { value, .. } => self.value(value, scope),
            Expr::Cast { expr, .. } => match self.value(expr, scope) {
                // The cast of a column is another value than the column.
                Value::Column(it) => Value::Rows(vec![it]),
                other => other,
            },
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => match self.value(inner, scope) {
                Value::Known(Operand::Constant(number)) => {
                    Value::Known(Operand::Constant(format!("-{number}")))
                }
                Value::Known(_) => Value::Known(Operand::Unknown),
                Value::Column(it) => Value::Rows(vec![it]),
                other => other,
            },
            Expr::Subquery(query) => self.scalar_subquery(query, scope),
            Expr::Function(it) if is_one_of(LIST_FUNCTIONS, &function_name(it)) => {
                match self.mentioned(expr, scope) {
                    Value::Known(_) => Value::List { values: Vec::new(), count: LIST_ESTIMATE },
                    other => other,
                }
            }
            _ => self.mentioned(expr, scope),
        }
    }

    fn scalar_subquery(&mut self, query: &'a Query, scope: &Scope<'_>) -> Value {
        let reach = self.inner_reach(Reach::ALL, true);
        self.inner_query(query, scope, reach).first()
    }

    fn literal(&self, literal: &Literal) -> Value {
        match literal {
            Literal::Null => Value::Null,
            Literal::Placeholder(text) => self
                .placeholder(text)
                .map_or(Value::Known(Operand::Unknown), |it| Value::Known(Operand::Param(it))),
            Literal::Number(text, _) => Value::Known(Operand::Constant(text.clone())),
            Literal::Boolean(it) => Value::Known(Operand::Constant(it.to_string())),
            other => {
                let text = other.clone().into_string().unwrap_or_else(|| other.to_string());
                Value::Known(Operand::Constant(text))
            }
        }
    }

    /// The parameter of a placeholder of the tree.
    pub(super) fn placeholder(&self, text: &str) -> Option<ParamId> {
        let at: usize = text.strip_prefix(':')?.parse().ok()?;
        self.placeholders.get(at).copied()
    }

    /// What an expression of no simpler kind stands for.
    pub(super) fn mentioned(&mut self, expr: &'a Expr, scope: &Scope<'_>) -> Value {
        let found = self.mentions(expr, scope);
        if found.missing {
            Value::Missing
        } else if found.rows || !found.columns.is_empty() {
            Value::Rows(found.columns)
        } else {
            Value::Known(Operand::Unknown)
        }
    }

    /// Walks without recursion: a chain of operators is as deep as it is long.
    fn mentions(&mut self, expr: &'a Expr, scope: &Scope<'_>) -> Mentions {
        let mut found = Mentions::default();
        let mut open = vec![Part::Expr(expr)];
        while let Some(part) = open.pop() {
            let value = match part {
                Part::Query(query) => {
                    found.rows = true;
                    self.scalar_subquery(query, scope);
                    continue;
                }
                Part::Expr(Expr::Identifier(name)) => self.lookup(scope, std::slice::from_ref(name)),
                Part::Expr(Expr::CompoundIdentifier(parts)) => self.lookup(scope, parts),
                Part::Expr(it) => {
                    if let Expr::Function(function) = it
                        && is_one_of(AGGREGATES, &function_name(function))
                    {
                        found.rows = true;
                        self.aggregates |= function.over.is_none();
                    }
                    parts_of(it, &mut open);
                    continue;
                }
            };
            match value {
                Value::Missing => found.missing = true,
                Value::List { .. } => found.rows = true,
                Value::Either(columns) | Value::Rows(columns) => {
                    found.rows = true;
                    add(&mut found.columns, columns);
                }
                Value::Column(it) => add(&mut found.columns, [it]),
                Value::Known(_) | Value::Null => {}
            }
        }
        // The walk goes from right to left; a reader expects the order of the text.
        found.columns.reverse();
        found
    }
}

fn add(to: &mut Vec<ColumnRef>, columns: impl IntoIterator<Item = ColumnRef>) {
    for column in columns {
        if !to.contains(&column) {
            to.push(column);
        }
    }
}

/// The last part of a function's name in lower case.
pub(super) fn function_name(function: &Function) -> String {
    let last = function.name.0.last().and_then(|it| it.as_ident());
    last.map_or_else(String::new, |it| it.value.to_ascii_lowercase())
}

/// The expressions among a function's arguments.
pub(super) fn arguments(function: &Function) -> Vec<&Expr> {
    match &function.args {
        FunctionArguments::List(list) => list.args.iter().filter_map(argument).collect(),
        _ => Vec::new(),
    }
}

/// The expression of an argument, named or not.
pub(super) fn argument(argument: &FunctionArg) -> Option<&Expr> {
    let (FunctionArg::Unnamed(arg) | FunctionArg::Named { arg, .. } | FunctionArg::ExprNamed { arg, .. }) =
        argument;
    if let FunctionArgExpr::Expr(expr) = arg { Some(expr) } else { None }
}

fn parts_of_function<'e>(function: &'e Function, to: &mut Vec<Part<'e>>) {
    if let FunctionArguments::Subquery(query) = &function.args {
        to.push(Part::Query(query));
    }
    if let FunctionArguments::List(list) = &function.args {
        to.extend(arguments(function).into_iter().map(Part::Expr));
        for clause in &list.clauses {
            if let FunctionArgumentClause::OrderBy(terms) = clause {
                to.extend(terms.iter().map(|it| Part::Expr(&it.expr)));
            }
        }
    }
    to.extend(function.filter.iter().map(|it| Part::Expr(it)));
    to.extend(function.within_group.iter().map(|it| Part::Expr(&it.expr)));
    if let Some(WindowType::WindowSpec(window)) = &function.over {
        to.extend(window.partition_by.iter().map(Part::Expr));
        to.extend(window.order_by.iter().map(|it| Part::Expr(&it.expr)));
    }
}

/// Adds the direct parts of an expression in the order of the text.
fn parts_of<'e>(expr: &'e Expr, to: &mut Vec<Part<'e>>) {
    match expr {
        Expr::Function(it) => parts_of_function(it, to),
        Expr::Subquery(query) | Expr::Exists { subquery: query, .. } => to.push(Part::Query(query)),
        Expr::In { expr, target, .. } => {
            to.push(Part::Expr(expr));
            match target {
                InTarget::List(list) => to.extend(list.iter().map(Part::Expr)),
                InTarget::Subquery(query) => to.push(Part::Query(query)),
                InTarget::Unnest(expr) => to.push(Part::Expr(expr)),
                InTarget::Table { .. } => {}
            }
        }
        Expr::Case { operand, conditions, else_result, .. } => {
            to.extend(operand.iter().map(|it| Part::Expr(it)));
            to.extend(conditions.iter().flat_map(|it| [Part::Expr(&it.condition), Part::Expr(&it.result)]));
            to.extend(else_result.iter().map(|it| Part::Expr(it)));
        }
        Expr::CompoundFieldAccess { root, access_chain } => {
            to.push(Part::Expr(root));
            for access in access_chain {
                // A field behind a dot is no column.
                if let AccessExpr::Subscript(Subscript::Index { index }) = access {
                    to.push(Part::Expr(index));
                }
            }
        }
        _ => to.extend(plain_parts(expr).into_iter().map(Part::Expr)),
    }
}

/// The direct parts of expressions that are made of expressions only.
fn plain_parts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Nested(it)
        | Expr::IsFalse(it)
        | Expr::IsNotFalse(it)
        | Expr::IsTrue(it)
        | Expr::IsNotTrue(it)
        | Expr::IsNull(it)
        | Expr::IsNotNull(it)
        | Expr::IsUnknown(it)
        | Expr::IsNotUnknown(it)
        | Expr::OuterJoin(it)
        | Expr::Prior(it) => vec![it],
        Expr::UnaryOp { expr, .. }
        | Expr::Cast { expr, .. }
        | Expr::Convert { expr, .. }
        | Expr::Collate { expr, .. }
        | Expr::Extract { expr, .. }
        | Expr::Ceil { expr, .. }
        | Expr::Floor { expr, .. }
        | Expr::Named { expr, .. }
        | Expr::JsonAccess { value: expr, .. }
        | Expr::Prefixed { value: expr, .. }
        | Expr::IsJson { expr, .. }
        | Expr::IsNormalized { expr, .. } => vec![expr],
        Expr::IsDistinctFrom(left, right)
        | Expr::IsNotDistinctFrom(left, right)
        | Expr::BinaryOp { left, right, .. }
        | Expr::AnyOp { left, right, .. }
        | Expr::AllOp { left, right, .. }
        | Expr::Position { expr: left, r#in: right }
        | Expr::AtTimeZone { timestamp: left, time_zone: right }
        | Expr::Like { expr: left, pattern: right, .. }
        | Expr::ILike { expr: left, pattern: right, .. }
        | Expr::SimilarTo { expr: left, pattern: right, .. }
        | Expr::RLike { expr: left, pattern: right, .. } => vec![left, right],
        Expr::MemberOf(it) => vec![&it.value, &it.array],
        Expr::Between { expr, low, high, .. } => vec![expr, low, high],
        Expr::Substring { expr, substring_from, substring_for, .. } => {
            let bounds = [substring_from, substring_for].into_iter().flatten().map(|it| &**it);
            std::iter::once(&**expr).chain(bounds).collect()
        }
        Expr::Trim { expr, trim_what, .. } => {
            std::iter::once(&**expr).chain(trim_what.iter().map(|it| &**it)).collect()
        }
        Expr::Overlay { expr, overlay_what, overlay_from, .. } => vec![expr, overlay_what, overlay_from],
        Expr::Tuple(list) | Expr::Struct { values: list, .. } => list.iter().collect(),
        Expr::Array(it) => it.elem.iter().collect(),
        Expr::Interval(it) => vec![&it.value],
        _ => Vec::new(),
    }
}

/// Whether an expression contains a placeholder.
pub(super) fn has_placeholder(expr: &Expr) -> bool {
    let mut open = vec![Part::Expr(expr)];
    while let Some(part) = open.pop() {
        match part {
            Part::Expr(Expr::Value(it)) if matches!(it.value, Literal::Placeholder(_)) => return true,
            Part::Expr(it) => parts_of(it, &mut open),
            Part::Query(_) => {}
        }
    }
    false
}

/// Whether an expression contains a query.
pub(super) fn has_query(expr: &Expr) -> bool {
    let mut open = vec![Part::Expr(expr)];
    while let Some(part) = open.pop() {
        match part {
            Part::Query(_) => return true,
            Part::Expr(it) => parts_of(it, &mut open),
        }
    }
    false
}

/// An expression in the form in which two spellings of it are equal: lower
/// case, no spaces, columns without alias.
pub(super) fn normalised(expr: &Expr) -> String {
    let mut expr = expr;
    while let Expr::Nested(inner) = expr {
        expr = inner;
    }
    let mut expr = expr.clone();
    let _ = visit_expressions_mut(&mut expr, |it| {
        match it {
            Expr::CompoundIdentifier(parts) => {
                if let Some(mut last) = parts.pop() {
                    last.quote_style = None;
                    *it = Expr::Identifier(last);
                }
            }
            Expr::Identifier(name) => name.quote_style = None,
            Expr::Cast { kind, .. } if *kind == CastKind::Cast => *kind = CastKind::DoubleColon,
            _ => {}
        }
        ControlFlow::<()>::Continue(())
    });
    expr.to_string().to_lowercase().split_whitespace().collect()
}

/// The parts of a chain of one operator, parentheses dissolved, in the order of the text.
pub(super) fn parts_joined_by<'e>(expr: &'e Expr, joined_by: &BinaryOperator) -> Vec<&'e Expr> {
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

/// An expression without its parentheses.
pub(super) fn stripped(mut expr: &Expr) -> &Expr {
    while let Expr::Nested(inner) = expr {
        expr = inner;
    }
    expr
}

/// The first column of a row value; any other expression itself.
pub(super) fn first_of_row(expr: &Expr) -> &Expr {
    match stripped(expr) {
        Expr::Tuple(row) => row.first().unwrap_or(expr),
        _ => expr,
    }
}
