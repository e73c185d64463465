//! SELECT: what is returned, in which order and how much of it.

use sqlparser::ast::{
    Expr, GroupByExpr, Ident, LimitClause, ObjectName, OrderBy, OrderByExpr, OrderByKind, OrderBySort, Query,
    Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, SetOperator, SetQuantifier, TopQuantity,
    Value as Literal,
};

use crate::input::sql_query::{Reach, Reader, Role};
use crate::input::sql_scope::{Output, Outputs, Relation, Rows, Scope, Value};
use crate::model::{ColumnRef, Operand, OrderTerm};

/// The terms of an ORDER BY.
pub(super) fn order_terms(order: Option<&OrderBy>) -> &[OrderByExpr] {
    match order.map(|it| &it.kind) {
        Some(OrderByKind::Expressions(terms)) => terms,
        _ => &[],
    }
}

/// LIMIT or FETCH FIRST, if it is a number.
pub(super) fn limit(query: &Query) -> Option<u64> {
    let fetch = query.fetch.as_ref().filter(|it| !it.percent).and_then(|it| it.quantity.as_ref());
    let expr = match &query.limit_clause {
        Some(LimitClause::LimitOffset { limit, .. }) => limit.as_ref().or(fetch),
        Some(LimitClause::OffsetCommaLimit { limit, .. }) => Some(limit),
        None => fetch,
    };
    whole_number(expr?)
}

/// A number that is written out.
pub(super) fn whole_number(expr: &Expr) -> Option<u64> {
    match expr {
        Expr::Nested(inner) => whole_number(inner),
        Expr::Value(it) => match &it.value {
            Literal::Number(text, _) => text.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

impl<'a> Reader<'a> {
    /// Reads the body of a query.
    pub(super) fn set_expr(
        &mut self,
        body: &'a SetExpr,
        scope: Scope<'_>,
        reach: Reach,
        role: Role,
        order: &'a [OrderByExpr],
    ) -> Outputs {
        match body {
            SetExpr::Select(select) => self.select(select, scope, reach, role, order),
            SetExpr::Query(query) => {
                let outputs = self.query(query, scope.outer, scope.env, reach, role);
                self.order_outputs(&outputs, role, order);
                outputs
            }
            SetExpr::SetOperation { .. } => {
                let branches = self.union(body, &scope, reach, role);
                if let Some(first) = branches.first() {
                    self.order_outputs(first, role, order);
                }
                in_any_branch(&branches)
            }
            SetExpr::Values(values) => {
                let rows: Vec<Vec<Value>> = values
                    .rows
                    .iter()
                    .map(|row| row.content.iter().map(|it| self.value(it, &scope)).collect())
                    .collect();
                values_outputs(&rows)
            }
            SetExpr::Table(table) => {
                let name = table.table_name.iter().chain(&table.schema_name).next().cloned();
                let Some(name) = name else { return Outputs::unknown() };
                let relation = self.table(&ObjectName::from(vec![name]), None, &scope, reach, role);
                self.select_all(role);
                self.columns_of(&relation)
            }
            SetExpr::Insert(tree) | SetExpr::Update(tree) | SetExpr::Delete(tree) | SetExpr::Merge(tree) => {
                if role == Role::Top {
                    self.write(tree, &scope)
                } else {
                    Outputs::unknown()
                }
            }
        }
    }

    /// UNION and the like: the answers of all branches.
    fn union(&mut self, body: &'a SetExpr, scope: &Scope<'_>, reach: Reach, role: Role) -> Vec<Outputs> {
        let mut open = vec![body];
        let mut branches = Vec::new();
        while let Some(body) = open.pop() {
            if let SetExpr::SetOperation { left, right, op, set_quantifier } = body {
                let all = matches!(set_quantifier, SetQuantifier::All | SetQuantifier::AllByName);
                self.draft.distinct |= role == Role::Top && *op == SetOperator::Union && !all;
                open.extend([&**right, &**left]);
                continue;
            }
            branches.push(self.set_expr(body, scope.clone(), reach, role, &[]));
        }
        branches
    }

    fn select(
        &mut self,
        select: &'a Select,
        mut scope: Scope<'_>,
        reach: Reach,
        role: Role,
        order: &'a [OrderByExpr],
    ) -> Outputs {
        for item in &select.from {
            self.read_from(item, &mut scope, reach, role);
        }
        for condition in select.prewhere.iter().chain(&select.selection) {
            self.conditions(condition, &scope, reach);
        }
        self.aggregates = false;
        let outputs = self.projection(select, &scope, role);
        // Aliases of the answer can be named from here on.
        scope.relations.push(Relation { name: String::new(), rows: Rows::Outputs(outputs.clone()) });
        let aliases = |name: &Ident| outputs.named(&name.value).cloned();
        let mut grouped = false;
        if let GroupByExpr::Expressions(terms, _) = &select.group_by {
            grouped = !terms.is_empty();
            for term in terms {
                let value = self.term(term, &scope, &outputs, &aliases);
                self.select_columns(&value);
            }
        }
        for condition in select.having.iter().chain(&select.qualify) {
            let value = self.mentioned(condition, &scope);
            self.select_columns(&value);
        }
        if role != Role::Inner {
            self.draft.aggregate |=
                self.aggregates || grouped || matches!(select.group_by, GroupByExpr::All(_));
        }
        if role == Role::Top {
            self.draft.distinct |= select.distinct.is_some();
            if let Some(top) = select.top.as_ref().filter(|it| !it.percent) {
                self.draft.limit = match &top.quantity {
                    Some(TopQuantity::Constant(n)) => Some(*n),
                    Some(TopQuantity::Expr(expr)) => whole_number(expr),
                    None => None,
                };
            }
        }
        let mut ordered = true;
        for term in order {
            let value = self.term(&term.expr, &scope, &outputs, &aliases);
            self.select_columns(&value);
            ordered = ordered && self.add_order(&value, term, role);
        }
        outputs
    }

    /// A term of GROUP BY or ORDER BY: a position, an alias, or an expression.
    fn term(
        &mut self,
        expr: &'a Expr,
        scope: &Scope<'_>,
        outputs: &Outputs,
        aliases: &dyn Fn(&Ident) -> Option<Value>,
    ) -> Value {
        if let Some(n) = whole_number(expr) {
            let at = usize::try_from(n).ok().and_then(|it| it.checked_sub(1));
            return at
                .and_then(|it| outputs.list.get(it))
                .map_or(Value::Rows(Vec::new()), |it| it.value.clone());
        }
        if let Expr::Identifier(name) = expr
            && let Some(value) = aliases(name)
        {
            return value;
        }
        self.value(expr, scope)
    }

    fn add_order(&mut self, value: &Value, term: &OrderByExpr, role: Role) -> bool {
        let Value::Column(column) = value else { return false };
        if role == Role::Top {
            let desc = matches!(term.options.sort, Some(OrderBySort::Desc));
            self.draft.order_by.push(OrderTerm { column: *column, desc });
        }
        true
    }

    /// ORDER BY behind a UNION or a query in parentheses names the columns of its answer.
    fn order_outputs(&mut self, outputs: &Outputs, role: Role, order: &[OrderByExpr]) {
        for term in order {
            let value = match &term.expr {
                Expr::Identifier(name) => outputs.named(&name.value),
                expr => {
                    let at = whole_number(expr).and_then(|it| usize::try_from(it).ok());
                    at.and_then(|it| outputs.list.get(it.checked_sub(1)?)).map(|it| &it.value)
                }
            };
            let Some(value) = value.cloned() else { return };
            if !self.add_order(&value, term, role) {
                return;
            }
        }
    }

    /// ORDER BY of an UPDATE or DELETE.
    pub(super) fn order_by(&mut self, order: &'a [OrderByExpr], scope: &Scope<'_>) {
        for term in order {
            let value = self.value(&term.expr, scope);
            if !self.add_order(&value, term, Role::Top) {
                return;
            }
        }
    }

    fn projection(&mut self, select: &'a Select, scope: &Scope<'_>, role: Role) -> Outputs {
        let mut outputs = Outputs::default();
        for item in &select.projection {
            let (expr, name) = match item {
                SelectItem::UnnamedExpr(expr) => (expr, output_name(expr)),
                SelectItem::ExprWithAlias { expr, alias } => (expr, alias.value.clone()),
                SelectItem::ExprWithAliases { expr, .. } => (expr, String::new()),
                SelectItem::Wildcard(_) => {
                    self.select_all(role);
                    for relation in &scope.relations {
                        extend(&mut outputs, self.columns_of(relation));
                    }
                    continue;
                }
                SelectItem::QualifiedWildcard(kind, _) => {
                    self.select_relation(kind, scope, role, &mut outputs);
                    continue;
                }
            };
            let value = self.value(expr, scope);
            self.select_columns(&value);
            outputs.list.push(Output { name, value });
        }
        outputs
    }

    fn select_relation(
        &mut self,
        kind: &SelectItemQualifiedWildcardKind,
        scope: &Scope<'_>,
        role: Role,
        outputs: &mut Outputs,
    ) {
        let name = match kind {
            SelectItemQualifiedWildcardKind::ObjectName(name) => name.0.last().and_then(|it| it.as_ident()),
            SelectItemQualifiedWildcardKind::Expr(_) => None,
        };
        let relation = name.and_then(|it| self.relation_named(scope, &it.value));
        let found = relation.map_or_else(Outputs::unknown, |it| self.columns_of(it));
        if found.open && role == Role::Top {
            self.draft.all_selected = true;
        }
        // Of a derived table's `t.*` those columns count that the query around it names.
        if role == Role::Top {
            for output in &found.list {
                self.select_columns(&output.value);
            }
        }
        extend(outputs, found);
    }

    /// `*`: of a derived table, those columns count that the query around it names.
    fn select_all(&mut self, role: Role) {
        self.draft.all_selected |= role == Role::Top;
    }

    /// Adds the columns of a value to those that the statement returns.
    pub(super) fn select_columns(&mut self, value: &Value) {
        for column in value.columns() {
            self.select_column(column);
        }
    }

    fn select_column(&mut self, column: ColumnRef) {
        if !self.draft.selected.contains(&column) {
            self.draft.selected.push(column);
        }
    }
}

fn extend(outputs: &mut Outputs, more: Outputs) {
    outputs.list.extend(more.list);
    outputs.open |= more.open;
}

fn output_name(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(name) => name.value.clone(),
        Expr::CompoundIdentifier(parts) => parts.last().map_or_else(String::new, |it| it.value.clone()),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => output_name(inner),
        Expr::Function(function) => crate::input::sql_values::function_name(function),
        _ => String::new(),
    }
}

/// The answer of a UNION: names of the first branch; a column is that of any branch.
fn in_any_branch(branches: &[Outputs]) -> Outputs {
    let Some(first) = branches.first() else { return Outputs::default() };
    let value = |n: usize| {
        let values: Vec<&Value> =
            branches.iter().filter_map(|it| it.list.get(n)).map(|it| &it.value).collect();
        let columns = values.iter().flat_map(|it| it.columns()).collect();
        match values.as_slice() {
            [one, rest @ ..] if rest.iter().all(|it| it == one) => (*one).clone(),
            all if all.iter().all(|it| matches!(it, Value::Column(_) | Value::Either(_))) => {
                Value::Either(columns)
            }
            _ => Value::Rows(columns),
        }
    };
    let list = first.list.iter().enumerate().map(|(n, it)| Output { name: it.name.clone(), value: value(n) });
    Outputs { list: list.collect(), open: branches.iter().any(|it| it.open) }
}

/// Columns of a VALUES list: one row is known, of several rows each column is a list.
fn values_outputs(rows: &[Vec<Value>]) -> Outputs {
    let width = rows.first().map_or(0, Vec::len);
    let column = |n: usize| {
        let values: Vec<&Value> = rows.iter().filter_map(|row| row.get(n)).collect();
        let known: Option<Vec<Operand>> = values
            .iter()
            .map(|it| if let Value::Known(operand) = it { Some(operand.clone()) } else { None })
            .collect();
        match (values.as_slice(), known) {
            ([only], _) => (*only).clone(),
            (_, Some(values)) => Value::List { count: values.len() as u32, values },
            _ => Value::Rows(values.iter().flat_map(|it| it.columns()).collect()),
        }
    };
    let list = (0..width).map(|n| Output { name: format!("column{}", n + 1), value: column(n) }).collect();
    Outputs { list, open: false }
}
