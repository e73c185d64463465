//! FROM: tables, derived tables and functions, and the joins between them.

use sqlparser::ast::{
    Expr, FunctionArg, Join, JoinConstraint, JoinOperator, ObjectName, TableAlias, TableFactor,
    TableWithJoins,
};

use crate::input::sql_parse::bytes;
use crate::input::sql_query::{Reach, ReachKind, Reader, Role};
use crate::input::sql_scope::{Output, Outputs, Relation, Rows, Scope, Value};
use crate::input::sql_values::{LIST_ESTIMATE, argument};
use crate::source::Span;

impl<'a> Reader<'a> {
    /// Reads a table with what is joined to it.
    pub(super) fn read_from(
        &mut self,
        item: &'a TableWithJoins,
        scope: &mut Scope<'_>,
        reach: Reach,
        role: Role,
    ) {
        let first_instance = self.draft.instances.len();
        let first_relation = scope.relations.len();
        self.factor(&item.relation, scope, reach, role, false);
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
        let applied = matches!(join.join_operator, JoinOperator::CrossApply | JoinOperator::OuterApply);
        self.factor(&join.relation, scope, lateral, role, applied);
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

    /// Reads one item of a FROM clause; behind APPLY a query sees the tables before it.
    pub(super) fn factor(
        &mut self,
        factor: &'a TableFactor,
        scope: &mut Scope<'_>,
        reach: Reach,
        role: Role,
        applied: bool,
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
                let outer = if *lateral || applied { Some(&*scope) } else { scope.outer };
                let outputs = self.query(subquery, outer, scope.env, reach, role);
                let columns: Vec<String> =
                    alias.iter().flat_map(|it| &it.columns).map(|it| it.name.value.clone()).collect();
                let name = alias.as_ref().map_or_else(String::new, |it| it.name.value.clone());
                Relation { name, rows: Rows::Outputs(outputs.renamed(&columns)) }
            }
            TableFactor::NestedJoin { table_with_joins, .. } => {
                return self.read_from(table_with_joins, scope, reach, role);
            }
            TableFactor::Pivot { table, .. }
            | TableFactor::Unpivot { table, .. }
            | TableFactor::MatchRecognize { table, .. } => {
                self.factor(table, scope, reach, role, applied);
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
        let list = Value::List { values: Vec::new(), count: LIST_ESTIMATE };
        let value = if known { list } else { Value::Rows(Vec::new()) };
        let name = alias.map_or(function, |it| it.name.value.as_str()).to_owned();
        let columns = alias.map_or(&[][..], |it| &it.columns);
        let list: Vec<Output> = if columns.is_empty() {
            vec![Output { name: name.clone(), value: value.clone() }]
        } else {
            columns.iter().map(|it| Output { name: it.name.value.clone(), value: value.clone() }).collect()
        };
        let open = columns.is_empty();
        Relation { name, rows: Rows::Outputs(Outputs { list, open }) }
    }
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
