//! Statements of an application: SQL text becomes instances, predicates and
//! values of [`crate::model::Statement`]; subqueries are flattened into the
//! statement in which they stand.

use std::ops::Range;

use sqlparser::ast::{Ident, ObjectName, Query, SetExpr, Spanned, Statement as Tree, With};

use crate::diag::{Finding, Level, UNKNOWN_TABLE, did_you_mean};
use crate::input::params::Params;
use crate::input::sql_lex::placeholder_name;
use crate::input::sql_parse::{Parsed, Problem, bytes, parse};
use crate::input::sql_predicates::Fact;
use crate::input::sql_scope::{Env, Outputs, Scope};
use crate::model::{
    ColumnId, ColumnRef, Instance, InstanceId, Operand, Operation, OrderTerm, ParamId, Selected, Statement,
    Table, TableId, Unread, Written,
};
use crate::source::Span;

/// Queries inside queries that are followed.
const DEEPEST_QUERY: u32 = 50;
/// Queries of one statement that are read. A WITH query is read where it is
/// named, so a short text can ask for very many.
const MOST_QUERIES: u32 = 300;

/// Where a text stands.
pub(super) struct SqlPlace {
    /// The whole text.
    pub(super) span: Span,
    /// Whether byte offsets inside the text add to the span's start; else every
    /// place is the span.
    pub(super) exact: bool,
}

/// Reads the statements of a text. Those that touch no table are left out.
///
/// # Errors
///
/// When the text can't be parsed, or none of its tables is known.
pub(super) fn read_sql(
    text: &str,
    place: &SqlPlace,
    tables: &[Table],
    params: &mut Params,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Statement>, Unread> {
    let parsed = parse(text).map_err(|Problem { at, reason }| Unread { span: span_in(place, at), reason })?;
    let placeholders = parsed.placeholders.iter().map(|it| match placeholder_name(&text[it.clone()]) {
        Some(name) => params.named(name),
        None => params.fresh(),
    });
    let placeholders = placeholders.collect();
    let mut reader = Reader {
        parsed: &parsed,
        place,
        tables,
        placeholders,
        findings,
        with: Vec::new(),
        draft: Draft::default(),
        done: Vec::new(),
        unread: None,
        depth: 0,
        queries: 0,
        too_deep: false,
        aggregates: false,
    };
    let ranges = parsed.statement_ranges();
    for (n, tree) in parsed.statements.iter().enumerate() {
        reader.statement(tree, ranges.get(n).cloned().unwrap_or(0..text.len()));
    }
    let (done, unread) = (reader.done, reader.unread);
    match unread {
        Some(unread) if done.is_empty() => Err(unread),
        _ => Ok(done),
    }
}

fn span_in(place: &SqlPlace, at: Range<usize>) -> Span {
    if !place.exact {
        return place.span;
    }
    let start = place.span.start as usize;
    Span::new(place.span.file, start + at.start, start + at.end)
}

/// Which rows a condition restricts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReachKind {
    /// All: every row of the answer satisfies it.
    All,
    /// Those of a subquery that may have no rows; the query around it is not restricted.
    Inner,
    /// The null-supplying side of an outer join.
    Optional,
    /// Neither side of a full join.
    Both,
}

/// Which instances a condition restricts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Kind.
    pub(super) kind: ReachKind,
    /// First instance.
    from: u32,
    /// Instance behind the last one.
    to: u32,
    /// Whether it stands in a branch of an OR.
    pub(super) uncertain: bool,
}

impl Reach {
    /// Restricts everything.
    pub(super) const ALL: Self = Self { kind: ReachKind::All, from: 0, to: u32::MAX, uncertain: false };

    /// Holds in one branch of an OR.
    pub(super) const UNCERTAIN: Self = Self { uncertain: true, ..Self::ALL };

    /// Restricts some instances.
    pub(super) fn of(kind: ReachKind, from: usize, to: usize) -> Self {
        Self { kind, from: from as u32, to: to as u32, uncertain: false }
    }

    /// Whether an instance is restricted.
    pub(super) fn holds(self, instance: InstanceId) -> bool {
        (self.from..self.to).contains(&instance.0)
    }
}

/// What a query is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The statement itself.
    Top,
    /// FROM, WITH, INSERT … SELECT: its rows flow into the answer.
    Source,
    /// A condition or a value.
    Inner,
}

/// A query of a WITH clause.
pub(super) struct WithQuery<'a> {
    name: String,
    columns: Vec<String>,
    query: Option<&'a Query>,
    /// Rows of a data-modifying query.
    outputs: Outputs,
    /// What its own text can name.
    inside: Env,
    /// WITH queries that can be named behind it.
    outer: Env,
    /// Being read: it names itself.
    active: bool,
}

/// A statement while it is read.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) op: Option<Operation>,
    pub(super) instances: Vec<Instance>,
    pub(super) target: Option<InstanceId>,
    pub(super) facts: Vec<Fact>,
    pub(super) assigns: Vec<(ColumnId, Operand)>,
    pub(super) written: Option<Written>,
    pub(super) order_by: Vec<OrderTerm>,
    pub(super) limit: Option<u64>,
    pub(super) aggregate: bool,
    pub(super) distinct: bool,
    pub(super) selected: Vec<ColumnRef>,
    pub(super) all_selected: bool,
    pub(super) inserted_rows: Option<u32>,
    pub(super) unknown_table: Option<String>,
}

/// Reads the statements of one text.
pub(super) struct Reader<'a> {
    pub(super) parsed: &'a Parsed,
    place: &'a SqlPlace,
    pub(super) tables: &'a [Table],
    pub(super) placeholders: Vec<ParamId>,
    findings: &'a mut Vec<Finding>,
    with: Vec<WithQuery<'a>>,
    pub(super) draft: Draft,
    done: Vec<Statement>,
    unread: Option<Unread>,
    depth: u32,
    queries: u32,
    /// A part was left out because of its depth.
    too_deep: bool,
    /// An aggregate function was met.
    pub(super) aggregates: bool,
}

impl<'a> Reader<'a> {
    fn statement(&mut self, tree: &'a Tree, range: Range<usize>) {
        self.queries = 0;
        match tree {
            Tree::Query(query) => {
                self.query(query, None, None, Reach::ALL, Role::Top);
            }
            Tree::Insert(_) | Tree::Update(_) | Tree::Delete(_) | Tree::Merge(_) => {
                self.write(tree, &Scope::default());
            }
            Tree::StartTransaction { .. }
            | Tree::Commit { .. }
            | Tree::Rollback { .. }
            | Tree::Savepoint { .. }
            | Tree::ReleaseSavepoint { .. }
            | Tree::Set(_)
            | Tree::Use(_) => {}
            _ => {
                let reason = "not a SELECT, INSERT, UPDATE, DELETE or MERGE".to_owned();
                self.unread.get_or_insert(Unread { span: span_in(self.place, range), reason });
                return;
            }
        }
        self.finish(range);
    }

    /// Turns the draft into a statement, if it touches a table.
    fn finish(&mut self, range: Range<usize>) {
        let draft = std::mem::take(&mut self.draft);
        let span = span_in(self.place, range);
        if std::mem::take(&mut self.too_deep) {
            self.unread.get_or_insert(Unread { span, reason: "nested too deeply".to_owned() });
            return;
        }
        if draft.instances.is_empty() {
            if let Some(name) = draft.unknown_table {
                self.unread
                    .get_or_insert(Unread { span, reason: format!("table `{name}` is not described") });
            }
            return;
        }
        // What is left of a write into an unknown table are its reads.
        let op = draft.op.filter(|_| draft.target.is_some()).unwrap_or(Operation::Read);
        let selected = if draft.all_selected { Selected::All } else { Selected::Columns(draft.selected) };
        self.done.push(Statement {
            op,
            instances: draft.instances,
            target: draft.target,
            predicates: draft.facts.into_iter().map(|it| it.predicate).collect(),
            assigns: draft.assigns,
            written: draft.written.filter(|_| op != Operation::Read).unwrap_or(Written::Nothing),
            order_by: draft.order_by,
            limit: draft.limit,
            aggregate: draft.aggregate,
            distinct: draft.distinct,
            selected,
            inserted_rows: draft.inserted_rows.unwrap_or(1),
            rows: None,
            span,
        });
    }

    /// Place of a part of the text.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        span_in(self.place, range)
    }

    /// Place of a name.
    pub(super) fn ident_span(&self, name: &Ident) -> Span {
        self.span(bytes(name.span))
    }

    /// Adds a finding once.
    pub(super) fn report(&mut self, finding: Finding) {
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// The table of an instance of the draft.
    pub(super) fn table_of(&self, instance: InstanceId) -> &'a Table {
        &self.tables[self.draft.instances[instance.0 as usize].table.0 as usize]
    }

    /// A new instance of a table; a table that is not described becomes a finding.
    pub(super) fn instance(&mut self, name: &ObjectName, alias: Option<&Ident>) -> Option<InstanceId> {
        let parts: Vec<&Ident> = name.0.iter().filter_map(|it| it.as_ident()).collect();
        let last = *parts.last()?;
        let Some(table) = self.table_named(&parts) else {
            self.unknown_table(&parts, bytes(name.span()));
            return None;
        };
        let alias = alias.map_or_else(|| last.value.clone(), |it| it.value.clone());
        let span = self.span(bytes(name.span()));
        self.draft.instances.push(Instance { table, alias, span });
        Some(InstanceId(self.draft.instances.len() as u32 - 1))
    }

    /// The described table of a name, with or without its schema.
    fn table_named(&self, parts: &[&Ident]) -> Option<TableId> {
        let last = &parts.last()?.value;
        let full = parts.iter().map(|it| it.value.as_str()).collect::<Vec<_>>().join(".");
        let tests: [&dyn Fn(&str) -> bool; 4] = [
            &|it| it == full,
            &|it| it.eq_ignore_ascii_case(&full),
            &|it| it.eq_ignore_ascii_case(last),
            &|it| it.rsplit_once('.').is_some_and(|(_, it)| it.eq_ignore_ascii_case(last)),
        ];
        let at = tests.iter().find_map(|test| self.tables.iter().position(|it| test(&it.name)))?;
        Some(TableId(at as u32))
    }

    fn unknown_table(&mut self, parts: &[&Ident], range: Range<usize>) {
        let Some(last) = parts.last() else { return };
        let lower = last.value.to_ascii_lowercase();
        let catalog = parts.iter().any(|it| it.value.eq_ignore_ascii_case("information_schema"));
        if catalog || lower == "dual" || lower.starts_with("pg_") {
            return;
        }
        self.draft.unknown_table.get_or_insert_with(|| last.value.clone());
        let message = format!("table `{}` is not described", last.value);
        let near = did_you_mean(&last.value, self.tables.iter().map(|it| it.name.as_str()));
        let help = near.map_or_else(
            || "describe the table, or correct its name".to_owned(),
            |it| format!("did you mean `{it}`?"),
        );
        let span = self.span(range);
        self.report(Finding::new(UNKNOWN_TABLE, Level::Error, span, message).with_help(help));
    }

    /// The reach of a subquery: `weak` if the query around it has rows without it.
    pub(super) fn inner_reach(&self, reach: Reach, weak: bool) -> Reach {
        if weak || reach.uncertain || matches!(reach.kind, ReachKind::Optional | ReachKind::Both) {
            return Reach { kind: ReachKind::Inner, from: self.draft.instances.len() as u32, ..Reach::ALL };
        }
        reach
    }

    /// Reads a subquery of a condition or a value.
    pub(super) fn inner_query(&mut self, query: &'a Query, scope: &Scope<'_>, reach: Reach) -> Outputs {
        let aggregates = self.aggregates;
        let outputs = self.query(query, Some(scope), scope.env, reach, Role::Inner);
        self.aggregates = aggregates;
        outputs
    }

    /// Reads a query and everything inside it.
    pub(super) fn query(
        &mut self,
        query: &'a Query,
        outer: Option<&Scope<'_>>,
        env: Env,
        reach: Reach,
        role: Role,
    ) -> Outputs {
        if DEEPEST_QUERY <= self.depth || MOST_QUERIES <= self.queries {
            self.too_deep = true;
            return Outputs::unknown();
        }
        self.depth += 1;
        self.queries += 1;
        let env = query.with.as_ref().map_or(env, |it| self.with_queries(it, env));
        let scope = Scope::inside(outer, env);
        let order = crate::input::sql_select::order_terms(query.order_by.as_ref());
        let outputs = self.set_expr(&query.body, scope, reach, role, order);
        if role == Role::Top {
            let limit = crate::input::sql_select::limit(query);
            self.draft.limit = limit.or(self.draft.limit);
        }
        self.depth -= 1;
        outputs
    }

    /// Makes the queries of a WITH clause known; those that write run.
    fn with_queries(&mut self, with: &'a With, mut env: Env) -> Env {
        for cte in &with.cte_tables {
            let outer = env;
            let index = self.with.len();
            let writes =
                matches!(&*cte.query.body, SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_));
            let outputs = if writes { self.writing_query(&cte.query, env) } else { Outputs::default() };
            self.with.push(WithQuery {
                name: cte.alias.name.value.clone(),
                columns: cte.alias.columns.iter().map(|it| it.name.value.clone()).collect(),
                query: (!writes).then_some(&*cte.query),
                outputs,
                inside: if with.recursive { Some(index) } else { outer },
                outer,
                active: false,
            });
            env = Some(index);
        }
        env
    }

    /// A data-modifying query of a WITH clause: a statement of its own.
    fn writing_query(&mut self, query: &'a Query, env: Env) -> Outputs {
        let outside = std::mem::take(&mut self.draft);
        let outputs = self.query(query, None, env, Reach::ALL, Role::Top);
        let range = self.parsed.condition(bytes(query.span()));
        self.finish(range);
        self.draft = outside;
        outputs
    }

    /// The answer of the WITH query of a name.
    pub(super) fn with_query(
        &mut self,
        name: &str,
        scope: &Scope<'_>,
        reach: Reach,
        role: Role,
    ) -> Option<Outputs> {
        let mut env = scope.env;
        let index = loop {
            let index = env?;
            if self.with[index].name.eq_ignore_ascii_case(name) {
                break index;
            }
            env = self.with[index].outer;
        };
        let it = &mut self.with[index];
        let Some(query) = it.query else { return Some(it.outputs.clone()) };
        if it.active {
            return Some(Outputs::unknown());
        }
        it.active = true;
        let (inside, columns) = (it.inside, it.columns.clone());
        let role = if role == Role::Top { Role::Source } else { role };
        let outputs = self.query(query, scope.outer, inside, reach, role);
        self.with[index].active = false;
        Some(outputs.renamed(&columns))
    }
}

#[cfg(test)]
#[path = "sql_query_tests.rs"]
mod tests;
