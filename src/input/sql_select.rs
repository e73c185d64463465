//! SELECT: FROM and its joins, what is returned, in which order and how much of it.

use sqlparser::ast::{
    Expr, FunctionArg, GroupByExpr, Ident, Join, JoinConstraint, JoinOperator, LimitClause, ObjectName,
    OrderBy, OrderByExpr, OrderByKind, OrderBySort, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, SetOperator, SetQuantifier, TableAlias, TableFactor,
    TableWithJoins, TopQuantity, Value as Literal,
};

use crate::input::sql_parse::bytes;
use crate::input::sql_query::{Reach, ReachKind, Reader, Role};
use crate::input::sql_scope::{Output, Outputs, Relation, Rows, Scope, Value};
use crate::input::sql_values::{LIST_ESTIMATE, argument};
use crate::model::{ColumnRef, Operand, OrderTerm};
use crate::source::Span;

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
                let outputs = self.union(body, &scope, reach, role);
                self.order_outputs(&outputs, role, order);
                Outputs { list: outputs.list.into_iter().map(in_one_branch).collect(), open: outputs.open }
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

    /// UNION and the like: the names of the first branch; a column is what it is
    /// there, for an ORDER BY.
    fn union(&mut self, body: &'a SetExpr, scope: &Scope<'_>, reach: Reach, role: Role) -> Outputs {
        let mut open = vec![body];
        let mut outputs: Option<Outputs> = None;
        while let Some(body) = open.pop() {
            if let SetExpr::SetOperation { left, right, op, set_quantifier } = body {
                let all = matches!(set_quantifier, SetQuantifier::All | SetQuantifier::AllByName);
                self.draft.distinct |= role == Role::Top && *op == SetOperator::Union && !all;
                open.extend([&**right, &**left]);
                continue;
            }
            let found = self.set_expr(body, scope.clone(), reach, role, &[]);
            outputs.get_or_insert(found);
        }
        outputs.unwrap_or_default()
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
            self.from_item(item, &mut scope, reach, role);
        }
        for condition in select.prewhere.iter().chain(&select.selection) {
            self.conditions(condition, &scope, reach);
        }
        self.aggregates = false;
        let outputs = self.projection(select, &scope, role);
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

    /// Reads a table with what is joined to it.
    pub(super) fn from_item(
        &mut self,
        item: &'a TableWithJoins,
        scope: &mut Scope<'_>,
        reach: Reach,
        role: Role,
    ) {
        let first_instance = self.draft.instances.len();
        let first_relation = scope.relations.len();
        self.factor(&item.relation, scope, reach, role);
        for join in &item.joins {
            self.join(join, scope, reach, role, (first_instance, first_relation));
        }
    }

    fn join(
        &mut self,
        join: &'a Join,
        scope: &mut Scope<'_>,
        reach: Reach,
        role: Role,
        (first_instance, first_relation): (usize, usize),
    ) {
        let right_instance = self.draft.instances.len();
        let right_relation = scope.relations.len();
        let (kind, constraint) = parts_of(&join.join_operator);
        let lateral = match kind {
            JoinKind::Left | JoinKind::Anti => self.inner_reach(reach, true),
            _ => reach,
        };
        self.factor(&join.relation, scope, lateral, role);
        let end = self.draft.instances.len();
        let reach = match kind {
            JoinKind::Inner => reach,
            JoinKind::Left => Reach::of(ReachKind::Optional, right_instance, end),
            JoinKind::Anti => Reach::of(ReachKind::Inner, right_instance, end),
            JoinKind::Right => Reach::of(ReachKind::Optional, first_instance, right_instance),
            JoinKind::Full => Reach::of(ReachKind::Both, right_instance, end),
        };
        match constraint {
            Some(JoinConstraint::On(condition)) => self.conditions(condition, scope, reach),
            Some(JoinConstraint::Using(names) | JoinConstraint::UsingAlias(names, _)) => {
                for name in names {
                    let Some(name) = name.0.last().and_then(|it| it.as_ident()) else { continue };
                    let span = self.span(bytes(name.span));
                    self.merge(&name.value, span, scope, reach, (first_relation, right_relation), kind);
                }
            }
            Some(JoinConstraint::Natural) => {
                let right: Vec<String> = scope.relations[right_relation..]
                    .iter()
                    .flat_map(|it| self.columns_of(it).list)
                    .map(|it| it.name)
                    .collect();
                let span = self.draft.instances.get(right_instance).map_or(self.span(0..0), |it| it.span);
                for name in right {
                    self.merge(&name, span, scope, reach, (first_relation, right_relation), kind);
                }
            }
            Some(JoinConstraint::None) | None => {}
        }
    }

    /// Equates the columns of one name on both sides of a join.
    fn merge(
        &mut self,
        name: &str,
        span: Span,
        scope: &mut Scope<'_>,
        reach: Reach,
        (first, right): (usize, usize),
        kind: JoinKind,
    ) {
        let merged =
            scope.merged.iter().find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, it)| it.clone());
        let find = |relations: &[Relation]| relations.iter().find_map(|it| self.column_of(it, name));
        let left = merged.or_else(|| find(&scope.relations[first..right]));
        let right = find(&scope.relations[right..]);
        let (Some(left), Some(right)) = (left, right) else { return };
        self.equate(&left, &right, span, reach);
        let kept = if kind == JoinKind::Right { right } else { left };
        scope.merged.retain(|(it, _)| !it.eq_ignore_ascii_case(name));
        scope.merged.push((name.to_owned(), kept));
    }

    /// Reads one item of a FROM clause.
    pub(super) fn factor(
        &mut self,
        factor: &'a TableFactor,
        scope: &mut Scope<'_>,
        reach: Reach,
        role: Role,
    ) {
        let role = if role == Role::Top { Role::Source } else { role };
        let relation = match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                self.table(name, alias.as_ref(), scope, reach, role)
            }
            TableFactor::Table { name, alias, args: Some(args), .. } => {
                self.table_function(name, &args.args, alias.as_ref(), scope)
            }
            TableFactor::Function { name, args, alias, .. } => {
                self.table_function(name, args, alias.as_ref(), scope)
            }
            TableFactor::UNNEST { alias, array_exprs, .. } => {
                self.list_relation("unnest", array_exprs.iter().collect(), alias.as_ref(), scope)
            }
            TableFactor::Derived { lateral, subquery, alias, .. } => {
                let outer = if *lateral { Some(&*scope) } else { scope.outer };
                let outputs = self.query(subquery, outer, scope.env, reach, role);
                let columns: Vec<String> =
                    alias.iter().flat_map(|it| &it.columns).map(|it| it.name.value.clone()).collect();
                let name = alias.as_ref().map_or_else(String::new, |it| it.name.value.clone());
                Relation { name, rows: Rows::Outputs(outputs.renamed(&columns)) }
            }
            TableFactor::NestedJoin { table_with_joins, .. } => {
                return self.from_item(table_with_joins, scope, reach, role);
            }
            TableFactor::Pivot { table, .. }
            | TableFactor::Unpivot { table, .. }
            | TableFactor::MatchRecognize { table, .. } => {
                self.factor(table, scope, reach, role);
                Relation { name: String::new(), rows: Rows::Outputs(Outputs::unknown()) }
            }
            _ => Relation { name: String::new(), rows: Rows::Outputs(Outputs::unknown()) },
        };
        scope.relations.push(relation);
    }

    /// A named table or WITH query.
    pub(super) fn table(
        &mut self,
        name: &ObjectName,
        alias: Option<&TableAlias>,
        scope: &Scope<'_>,
        reach: Reach,
        role: Role,
    ) -> Relation {
        let last = name.0.last().and_then(|it| it.as_ident()).map_or_else(String::new, |it| it.value.clone());
        let shown = alias.map_or_else(|| last.clone(), |it| it.name.value.clone());
        let rows = match name.0.len() {
            1 => self.with_query(&last, scope, reach, role).map(Rows::Outputs),
            _ => None,
        };
        let rows = rows.or_else(|| self.instance(name, alias.map(|it| &it.name)).map(Rows::Table));
        Relation { name: shown, rows: rows.unwrap_or_else(|| Rows::Outputs(Outputs::unknown())) }
    }

    fn table_function(
        &mut self,
        name: &ObjectName,
        args: &'a [FunctionArg],
        alias: Option<&TableAlias>,
        scope: &Scope<'_>,
    ) -> Relation {
        let last = name.0.last().and_then(|it| it.as_ident()).map_or("", |it| it.value.as_str());
        self.list_relation(last, args.iter().filter_map(argument).collect(), alias, scope)
    }

    /// A function that makes rows of values: its columns are lists, if the values are known.
    fn list_relation(
        &mut self,
        function: &str,
        arguments: Vec<&'a Expr>,
        alias: Option<&TableAlias>,
        scope: &Scope<'_>,
    ) -> Relation {
        let mut known = true;
        for argument in arguments {
            known &= matches!(self.value(argument, scope), Value::Known(_) | Value::Null);
        }
        let value = || match known {
            true => Value::List { values: Vec::new(), count: LIST_ESTIMATE },
            false => Value::Rows(Vec::new()),
        };
        let name = alias.map_or(function, |it| it.name.value.as_str()).to_owned();
        let columns = alias.map_or(&[][..], |it| &it.columns);
        let list: Vec<Output> = if columns.is_empty() {
            vec![Output { name: name.clone(), value: value() }]
        } else {
            columns.iter().map(|it| Output { name: it.name.value.clone(), value: value() }).collect()
        };
        let open = columns.is_empty();
        Relation { name, rows: Rows::Outputs(Outputs { list, open }) }
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

/// A column of a UNION comes from any of its branches.
fn in_one_branch(output: Output) -> Output {
    Output { value: Value::Rows(output.value.columns()), name: output.name }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Anti,
}

fn parts_of(operator: &JoinOperator) -> (JoinKind, Option<&JoinConstraint>) {
    match operator {
        JoinOperator::Join(it)
        | JoinOperator::Inner(it)
        | JoinOperator::CrossJoin(it)
        | JoinOperator::Semi(it)
        | JoinOperator::LeftSemi(it)
        | JoinOperator::RightSemi(it)
        | JoinOperator::StraightJoin(it) => (JoinKind::Inner, Some(it)),
        JoinOperator::Left(it) | JoinOperator::LeftOuter(it) | JoinOperator::AsOf { constraint: it, .. } => {
            (JoinKind::Left, Some(it))
        }
        JoinOperator::Right(it) | JoinOperator::RightOuter(it) => (JoinKind::Right, Some(it)),
        JoinOperator::FullOuter(it) => (JoinKind::Full, Some(it)),
        JoinOperator::Anti(it) | JoinOperator::LeftAnti(it) | JoinOperator::RightAnti(it) => {
            (JoinKind::Anti, Some(it))
        }
        JoinOperator::OuterApply | JoinOperator::LeftArrayJoin => (JoinKind::Left, None),
        JoinOperator::CrossApply | JoinOperator::ArrayJoin | JoinOperator::InnerArrayJoin => {
            (JoinKind::Inner, None)
        }
    }
}
