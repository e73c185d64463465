//! Statements of an application: SQL text becomes instances, predicates and
//! values of [`crate::model::Statement`]; subqueries are flattened into the
//! statement in which they stand.

use std::ops::Range;

use sqlparser::ast::{Ident, ObjectName, Query, SetExpr, Spanned, Statement as Tree, With};

use crate::diag::{Finding, Level, UNKNOWN_TABLE, did_you_mean};
use crate::input::params::Params;
use crate::input::sql_facts::Fact;
use crate::input::sql_lex::placeholder_name;
use crate::input::sql_parse::{Parsed, Problem, bytes, parse};
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
mod tests {
    use super::*;
    use crate::diag::{Code, UNKNOWN_COLUMN};
    use crate::model::{Column, Predicate, RangeWidth};
    use crate::source::{FileId, Files};

    fn tables() -> Vec<Table> {
        let table = |name: &str, columns: &[&str]| Table {
            name: name.to_owned(),
            columns: columns
                .iter()
                .map(|it| Column { name: (*it).to_owned(), ..Column::default() })
                .collect(),
            primary_key: vec![ColumnId(0)],
            ..Table::default()
        };
        vec![
            table("orders", &["order_id", "customer_id", "status", "created_at", "total", "data"]),
            table("items", &["order_id", "line", "sku", "qty", "customer_id"]),
            table("customers", &["customer_id", "email", "country", "active", "parent_id"]),
            table("events", &["event_id", "device_id", "at"]),
        ]
    }

    struct Read {
        result: Result<Vec<Statement>, Unread>,
        params: Vec<String>,
        findings: Vec<(Code, String, String)>,
        text: String,
    }

    fn read(text: &str) -> Read {
        let place = SqlPlace { span: Span::new(FileId(0), 0, text.len()), exact: true };
        let (mut params, mut findings) = (Params::default(), Vec::new());
        let result = read_sql(text, &place, &tables(), &mut params, &mut findings);
        let under = |span: Span| text[span.start as usize..span.end as usize].to_owned();
        Read {
            result,
            params: params.into_list().into_iter().map(|it| it.name).collect(),
            findings: findings.iter().map(|it| (it.code, under(it.span), it.message.clone())).collect(),
            text: text.to_owned(),
        }
    }

    fn one(text: &str) -> (Statement, Read) {
        let read = read(text);
        let statements = read.result.clone().unwrap_or_else(|it| panic!("{text}: {}", it.reason));
        assert_eq!(statements.len(), 1, "{text}");
        (statements[0].clone(), read)
    }

    impl Read {
        fn under(&self, span: Span) -> &str {
            &self.text[span.start as usize..span.end as usize]
        }

        fn column(of: &Statement, it: ColumnRef) -> String {
            let instance = of.instance(it.instance);
            let table = &tables()[instance.table.0 as usize];
            format!("{}.{}", instance.alias, table.column(it.column).name)
        }

        fn operand(&self, of: &Statement, it: &Operand) -> String {
            match it {
                Operand::Column(it) => Self::column(of, *it),
                Operand::Param(it) => format!(":{}", self.params[it.0 as usize]),
                Operand::Constant(it) => format!("'{it}'"),
                Operand::Unknown => "known".to_owned(),
            }
        }

        fn fact(&self, of: &Statement, it: &Predicate) -> String {
            let list = |values: &[Operand]| {
                values.iter().map(|it| self.operand(of, it)).collect::<Vec<_>>().join(" ")
            };
            match it {
                Predicate::Equal { column, to, .. } => {
                    format!("{} = {}", Self::column(of, *column), self.operand(of, to))
                }
                Predicate::Follows { column, of: to, .. } => {
                    format!("{} follows {}", Self::column(of, *column), self.operand(of, to))
                }
                Predicate::In { column, values, count, .. } => {
                    format!("{} in {count} ({})", Self::column(of, *column), list(values))
                }
                Predicate::Range { column, width, .. } => {
                    let width = match width {
                        RangeWidth::Open => "open".to_owned(),
                        RangeWidth::Unstated => "both".to_owned(),
                        RangeWidth::Duration(it) => format!("{} s", it.get()),
                    };
                    format!("{} range {width}", Self::column(of, *column))
                }
                Predicate::Prefix { column, .. } => format!("{} prefix", Self::column(of, *column)),
                Predicate::IsNull { column, .. } => format!("{} is null", Self::column(of, *column)),
                Predicate::Expression { text, column, to, .. } => {
                    format!("{text} of {} = {}", Self::column(of, *column), self.operand(of, to))
                }
                Predicate::Other { columns, .. } => {
                    let columns: Vec<String> = columns.iter().map(|it| Self::column(of, *it)).collect();
                    format!("other {}", columns.join(" "))
                }
            }
        }
    }

    fn facts(text: &str) -> Vec<String> {
        let (statement, read) = one(text);
        assert_eq!(read.findings, [], "{text}");
        statement.predicates.iter().map(|it| read.fact(&statement, it)).collect()
    }

    /// Facts of `SELECT 1 FROM orders o WHERE …`.
    #[track_caller]
    fn check(condition: &str, expected: &[&str]) {
        assert_eq!(facts(&format!("SELECT 1 FROM orders o WHERE {condition}")), expected, "{condition}");
    }

    fn selected(text: &str) -> Vec<String> {
        let (statement, _) = one(text);
        match &statement.selected {
            Selected::All => vec!["*".to_owned()],
            Selected::Columns(columns) => columns.iter().map(|it| Read::column(&statement, *it)).collect(),
        }
    }

    fn assigns(text: &str) -> Vec<String> {
        let (statement, read) = one(text);
        assert_eq!(read.findings, [], "{text}");
        let table = &tables()[statement.written_table().expect("a target").0 as usize];
        let shown = |(column, it): &(ColumnId, Operand)| {
            format!("{} = {}", table.column(*column).name, read.operand(&statement, it))
        };
        statement.assigns.iter().map(shown).collect()
    }

    fn written(text: &str) -> String {
        let (statement, _) = one(text);
        let table = &tables()[statement.written_table().expect("a target").0 as usize];
        match &statement.written {
            Written::Nothing => "nothing".to_owned(),
            Written::All => "all".to_owned(),
            Written::Columns(columns) => table.names(columns),
        }
    }

    #[test]
    fn equality_binds_in_both_orders_and_through_parentheses_and_casts() {
        check("customer_id = :c", &["o.customer_id = :c"]);
        check(":c = o.customer_id", &["o.customer_id = :c"]);
        check("((o.customer_id) = (:c))", &["o.customer_id = :c"]);
        check(
            "customer_id = :c::bigint AND status = CAST('paid' AS text)",
            &["o.customer_id = :c", "o.status = 'paid'"],
        );
        check("customer_id = 5 AND total = -3", &["o.customer_id = '5'", "o.total = '-3'"]);
        check("customer_id = :c + 1", &["o.customer_id = known"]);
        check("created_at = now()", &["o.created_at = known"]);
        check("status IS NOT DISTINCT FROM :s", &["o.status = :s"]);
        check("customer_id = NULL", &["other o.customer_id"]);
        check("customer_id = total + 1", &["other o.customer_id o.total"]);
        check("1 = 1 AND :p = 2", &[]);
    }

    #[test]
    fn every_kind_of_placeholder_is_a_parameter() {
        let text =
            "SELECT 1 FROM orders WHERE customer_id = @c AND status = $1 AND total = %(t)s AND order_id = :c";
        assert_eq!(
            facts(text),
            ["orders.customer_id = :c", "orders.status = :$1", "orders.total = :t", "orders.order_id = :c"]
        );
        let (_, read) = one("SELECT 1 FROM orders WHERE customer_id = ? AND status = ? AND total = %s");
        assert_eq!(read.params.len(), 3);
        assert_eq!(one("SELECT ':x' FROM orders WHERE status = '@y' -- :z").1.params.len(), 0);
    }

    #[test]
    fn lists_count_their_distinct_values() {
        check("customer_id IN (1, 2, 3, 2)", &["o.customer_id in 3 ('1' '2' '3')"]);
        check("customer_id IN (:a, :b)", &["o.customer_id in 2 (:a :b)"]);
        check("customer_id IN (:a)", &["o.customer_id = :a"]);
        check("customer_id IN (1, total)", &["other o.customer_id o.total"]);
        check("customer_id NOT IN (1, 2)", &["other o.customer_id"]);
        check("customer_id = ANY(:ids)", &["o.customer_id in 10 ()"]);
        check("customer_id = ANY($1::bigint[])", &["o.customer_id in 10 ()"]);
        check("customer_id = ANY('{1,2}')", &["o.customer_id in 2 ('1' '2')"]);
        check("customer_id = ANY(ARRAY[1, 2, 3])", &["o.customer_id in 3 ('1' '2' '3')"]);
        check("customer_id IN :ids", &["o.customer_id in 10 ()"]);
        check("customer_id IN (SELECT unnest($1::bigint[]))", &["o.customer_id in 10 ()"]);
    }

    #[test]
    fn rows_are_compared_column_by_column() {
        check("(customer_id, order_id) = (:c, :o)", &["o.customer_id = :c", "o.order_id = :o"]);
        check(
            "(customer_id, order_id) IN ((:c, 1), (:c, 2))",
            &["o.customer_id = :c", "o.order_id in 2 ('1' '2')"],
        );
        check("(created_at, order_id) < (:t, :o)", &["o.created_at range open"]);
    }

    #[test]
    fn or_of_equalities_on_one_column_is_a_list() {
        check("status = 'a' OR status = 'b' OR (status = :s)", &["o.status in 3 ('a' 'b' :s)"]);
        check("status = 'a' OR status IN ('b', 'a')", &["o.status in 2 ('a' 'b')"]);
        check("status = 'a' OR customer_id = :c", &["other o.status o.customer_id"]);
        check(
            "(customer_id = :c AND status = 'a') OR (customer_id = :c AND total = 0)",
            &["o.customer_id = :c", "other o.customer_id o.status o.total"],
        );
        check(
            "customer_id = :c AND (created_at < :t OR (created_at = :t AND order_id < :i))",
            &["o.customer_id = :c", "o.created_at range open", "other o.created_at o.order_id"],
        );
        check(":all OR customer_id = :c", &["other o.customer_id"]);
        check("created_at < :a OR created_at > :b", &["other o.created_at"]);
    }

    #[test]
    fn bounds_of_one_column_are_one_range() {
        check("created_at BETWEEN :a AND :b", &["o.created_at range both"]);
        check(
            "created_at >= :a AND status = 'x' AND created_at < :b",
            &["o.status = 'x'", "o.created_at range both"],
        );
        check("created_at > :a", &["o.created_at range open"]);
        check(":a > created_at", &["o.created_at range open"]);
        check("total > customer_id", &["other o.total o.customer_id"]);
        check("total <> 5", &["other o.total"]);
        check("total NOT BETWEEN 1 AND 2", &["other o.total"]);
    }

    #[test]
    fn widths_of_time_are_read_where_they_are_written() {
        let day = 86_400.0;
        let range = |width: f64| format!("o.created_at range {width} s");
        check("created_at >= now() - interval '7 days'", &[&range(7.0 * day)]);
        check("created_at >= now() - interval '1 day 2 hours'", &[&range(26.0 * 3600.0)]);
        check("created_at > NOW() - INTERVAL 7 DAY", &[&range(7.0 * day)]);
        check("created_at > DATE_SUB(NOW(), INTERVAL 90 MINUTE)", &[&range(5400.0)]);
        check("created_at >= current_date", &[&range(day)]);
        check("created_at >= current_date - 30", &[&range(30.0 * day)]);
        check("created_at < now() - interval '7 days'", &["o.created_at range open"]);
        check("created_at >= :d AND created_at < :d + interval '1 day'", &[&range(day)]);
        check("created_at BETWEEN '2024-02-28' AND '2024-03-01'", &[&range(2.0 * day)]);
        check("created_at BETWEEN '2023-12-31 12:00:00' AND '2024-01-01 00:00:00'", &[&range(0.5 * day)]);
        check(
            "created_at BETWEEN now() - interval '2 hours' AND now() - interval '1 hour'",
            &[&range(3600.0)],
        );
    }

    #[test]
    fn patterns_bind_a_prefix_only_at_the_start() {
        check("status LIKE 'abc%'", &["o.status prefix"]);
        check("status LIKE '%abc'", &["other o.status"]);
        check("status LIKE 'abc'", &["o.status = 'abc'"]);
        check("status LIKE :p", &["other o.status"]);
        check("status LIKE :p || '%'", &["o.status prefix"]);
        check("status NOT LIKE 'abc%'", &["other o.status"]);
        check("status ILIKE 'abc%'", &["other o.status"]);
        check("starts_with(status, :p)", &["o.status prefix"]);
    }

    #[test]
    fn nulls_and_negations() {
        check("status IS NULL", &["o.status is null"]);
        check("status IS NOT NULL", &["other o.status"]);
        check("NOT (status IS NOT NULL)", &["o.status is null"]);
        check("NOT (customer_id = :c)", &["other o.customer_id"]);
        check("NOT NOT customer_id = :c", &["o.customer_id = :c"]);
        assert_eq!(
            facts("SELECT 1 FROM customers WHERE active AND NOT parent_id"),
            ["customers.active = 'true'", "customers.parent_id = 'false'"]
        );
    }

    #[test]
    fn expressions_of_a_column_are_kept_as_text_and_bind_nothing() {
        assert_eq!(
            facts("SELECT 1 FROM customers c WHERE lower(c.email) = :e"),
            ["lower(email) of c.email = :e"]
        );
        check("o.created_at::date = :d", &["created_at::date of o.created_at = :d"]);
        check("CAST(created_at AS DATE) = :d", &["created_at::date of o.created_at = :d"]);
        check("o.data ->> 'k' = :v", &["data->>'k' of o.data = :v"]);
        check("total % 10 = 3", &["total%10 of o.total = '3'"]);
        check("lower(status) = lower(:s)", &["lower(status) of o.status = known"]);
    }

    #[test]
    fn joins_equate_columns() {
        let joined = ["o.order_id = i.order_id", "o.customer_id = :c"];
        for from in [
            "orders o JOIN items i ON o.order_id = i.order_id WHERE",
            "orders o INNER JOIN items AS i USING (order_id) WHERE",
            "orders o, items i WHERE o.order_id = i.order_id AND",
            "orders o CROSS JOIN items i WHERE o.order_id = i.order_id AND",
        ] {
            assert_eq!(facts(&format!("SELECT 1 FROM {from} o.customer_id = :c")), joined, "{from}");
        }
        assert_eq!(
            facts("SELECT 1 FROM orders o NATURAL JOIN items i"),
            ["o.order_id = i.order_id", "o.customer_id = i.customer_id"]
        );
        assert_eq!(
            facts("SELECT 1 FROM customers a JOIN customers b ON b.parent_id = a.customer_id"),
            ["b.parent_id = a.customer_id"]
        );
        assert_eq!(
            facts("SELECT 1 FROM orders o JOIN items i USING (order_id) WHERE order_id = :o"),
            ["o.order_id = i.order_id", "o.order_id = :o"]
        );
    }

    #[test]
    fn the_null_supplying_side_of_an_outer_join_follows() {
        let left = "SELECT 1 FROM orders o LEFT JOIN items i ON i.order_id = o.order_id AND i.sku = :s AND o.status = 'x'";
        assert_eq!(facts(left), ["i.order_id follows o.order_id", "i.sku follows :s", "other o.status"]);
        assert_eq!(
            facts("SELECT 1 FROM items i RIGHT JOIN orders o ON i.order_id = o.order_id"),
            ["i.order_id follows o.order_id"]
        );
        assert_eq!(
            facts("SELECT 1 FROM orders o LEFT JOIN items i USING (order_id) WHERE order_id = :o"),
            ["i.order_id follows o.order_id", "o.order_id = :o"]
        );
        assert_eq!(
            facts("SELECT 1 FROM items i RIGHT JOIN orders o USING (order_id) WHERE order_id = :o"),
            ["i.order_id follows o.order_id", "o.order_id = :o"]
        );
        assert_eq!(
            facts("SELECT 1 FROM orders o FULL JOIN items i ON i.order_id = o.order_id AND i.sku = 'a'"),
            ["o.order_id follows i.order_id", "i.order_id follows o.order_id", "other i.sku"]
        );
        assert_eq!(
            facts("SELECT 1 FROM orders o LEFT JOIN items i ON i.order_id = o.order_id WHERE i.sku = :s"),
            ["i.order_id follows o.order_id", "i.sku = :s"]
        );
    }

    #[test]
    fn subqueries_are_flattened() {
        check(
            "order_id IN (SELECT i.order_id FROM items i WHERE i.sku = :s)",
            &["i.sku = :s", "o.order_id = i.order_id"],
        );
        check(
            "EXISTS (SELECT * FROM items i WHERE i.order_id = o.order_id AND sku = :s)",
            &["i.order_id = o.order_id", "i.sku = :s"],
        );
        check(
            "NOT EXISTS (SELECT 1 FROM items i WHERE i.order_id = o.order_id AND sku = :s AND o.total = 1)",
            &["i.order_id follows o.order_id", "i.sku = :s", "other o.total"],
        );
        check(
            "customer_id NOT IN (SELECT customer_id FROM customers WHERE country = 'x')",
            &["customers.country = 'x'", "other o.customer_id"],
        );
        check(
            "total > (SELECT avg(qty) FROM items i WHERE i.order_id = o.order_id)",
            &["i.order_id follows o.order_id", "other o.total i.qty"],
        );
        check(
            "customer_id = (SELECT c.customer_id FROM customers c WHERE c.email = :e)",
            &["c.email = :e", "o.customer_id = c.customer_id"],
        );
        check(
            "status = 'x' OR EXISTS (SELECT 1 FROM items i WHERE i.order_id = o.order_id)",
            &["i.order_id follows o.order_id", "other o.status"],
        );
        check(
            "customer_id = (SELECT max(customer_id) FROM customers)",
            &["other o.customer_id customers.customer_id"],
        );
    }

    #[test]
    fn derived_tables_and_with_queries_stand_for_their_columns() {
        assert_eq!(
            facts(
                "SELECT x.k FROM (SELECT customer_id AS k, total + 1 AS t FROM orders) x WHERE x.k = :c AND t = 5"
            ),
            ["orders.customer_id = :c", "other orders.total"]
        );
        assert_eq!(
            facts(
                "WITH recent AS (SELECT order_id, customer_id FROM orders WHERE status = 'a')
             SELECT * FROM recent r JOIN items i ON i.order_id = r.order_id WHERE r.customer_id = :c"
            ),
            ["orders.status = 'a'", "i.order_id = orders.order_id", "orders.customer_id = :c"]
        );
        assert_eq!(
            facts("WITH p(a) AS (SELECT :c) SELECT 1 FROM orders o JOIN p ON o.customer_id = p.a"),
            ["o.customer_id = :c"]
        );
        // Each mention of a WITH query is a reading of its own.
        let twice =
            "WITH c AS (SELECT * FROM customers) SELECT 1 FROM c a JOIN c b ON a.customer_id = b.parent_id";
        assert_eq!(one(twice).0.instances.len(), 2);
        assert_eq!(facts(twice), ["customers.customer_id = customers.parent_id"]);
        assert_eq!(
            facts("SELECT 1 FROM orders o JOIN unnest($1::int[]) AS ids(id) ON o.customer_id = ids.id"),
            ["o.customer_id in 10 ()"]
        );
        assert_eq!(
            facts("SELECT 1 FROM orders o JOIN (VALUES (1), (2)) v(id) ON o.customer_id = v.id"),
            ["o.customer_id in 2 ('1' '2')"]
        );
        assert_eq!(
            facts(
                "WITH RECURSIVE t AS (SELECT customer_id FROM customers WHERE customer_id = :r UNION ALL
             SELECT c.customer_id FROM customers c JOIN t ON c.parent_id = t.customer_id) SELECT * FROM t"
            ),
            ["customers.customer_id = :r", "other c.parent_id"]
        );
        assert_eq!(
            facts(
                "SELECT 1 FROM orders o CROSS JOIN LATERAL (SELECT * FROM items i WHERE i.order_id = o.order_id LIMIT 3) x"
            ),
            ["i.order_id = o.order_id"]
        );
        assert_eq!(
            facts(
                "SELECT 1 FROM orders o LEFT JOIN LATERAL (SELECT * FROM items i WHERE i.order_id = o.order_id) x ON true"
            ),
            ["i.order_id follows o.order_id"]
        );
    }

    #[test]
    fn a_union_is_one_statement_with_all_its_tables() {
        let text = "SELECT order_id, created_at FROM orders WHERE customer_id = :c UNION ALL
                SELECT order_id, line FROM items WHERE customer_id = :c ORDER BY created_at DESC LIMIT 5";
        let (statement, _) = one(text);
        assert_eq!(statement.instances.len(), 2);
        assert_eq!(facts(text), ["orders.customer_id = :c", "items.customer_id = :c"]);
        assert_eq!((statement.limit, statement.distinct, statement.order_by.len()), (Some(5), false, 1));
        assert!(one("SELECT order_id FROM orders UNION SELECT order_id FROM items").0.distinct);
    }

    #[test]
    fn order_limit_and_shape_of_the_answer() {
        let (it, _) =
            one("SELECT DISTINCT status AS s, created_at FROM orders ORDER BY s, 2 DESC, total LIMIT 20");
        let order: Vec<_> =
            it.order_by.iter().map(|term| (Read::column(&it, term.column), term.desc)).collect();
        let expected = [("orders.status", false), ("orders.created_at", true), ("orders.total", false)];
        assert_eq!(order, expected.map(|(name, desc)| (name.to_owned(), desc)));
        assert_eq!((it.limit, it.distinct, it.aggregate), (Some(20), true, false));
        assert_eq!(one("SELECT 1 FROM orders LIMIT :n").0.limit, None);
        assert_eq!(one("SELECT 1 FROM orders FETCH FIRST 7 ROWS ONLY").0.limit, Some(7));
        assert_eq!(one("SELECT 1 FROM orders LIMIT 5, 10").0.limit, Some(10));
        assert!(one("SELECT count(*) FROM orders").0.aggregate);
        assert!(one("SELECT status FROM orders GROUP BY status").0.aggregate);
        assert!(!one("SELECT sum(total) OVER (PARTITION BY status) FROM orders").0.aggregate);
        assert!(!one("SELECT 1 FROM orders WHERE total = (SELECT max(total) FROM orders)").0.aggregate);
        let locked = one("SELECT * FROM orders WHERE order_id = :o FOR UPDATE").0;
        assert_eq!((locked.op, locked.target), (Operation::Read, None));
    }

    #[test]
    fn selected_columns_are_those_outside_the_predicates() {
        assert_eq!(selected("SELECT * FROM orders"), ["*"]);
        assert_eq!(
            selected("SELECT status, lower(total) FROM orders WHERE customer_id = 1 ORDER BY created_at"),
            ["orders.status", "orders.total", "orders.created_at"]
        );
        assert_eq!(
            selected("SELECT e.* FROM events e JOIN orders o ON o.order_id = e.event_id"),
            ["e.event_id", "e.device_id", "e.at"]
        );
        assert_eq!(selected("SELECT count(*) FROM orders GROUP BY status"), ["orders.status"]);
        assert_eq!(selected("SELECT x.total FROM (SELECT * FROM orders) x"), ["orders.total"]);
    }

    #[test]
    fn inserts_give_values() {
        let list = "INSERT INTO orders (order_id, status, created_at) VALUES (:o, 'new', now())";
        assert_eq!(assigns(list), ["order_id = :o", "status = 'new'", "created_at = known"]);
        assert_eq!(written(list), "order_id, status, created_at");
        assert_eq!(one(list).0.op, Operation::Insert);
        let all = "INSERT INTO events VALUES (?, NULL, DEFAULT)";
        assert_eq!(assigns(all)[1..], ["device_id = 'NULL'", "at = known"]);
        assert_eq!(written(all), "all");
        let rows = "INSERT INTO items (order_id, line) VALUES (:o, 1), (:o, 2), ((:o), 3)";
        assert_eq!(assigns(rows), ["order_id = :o", "line = known"]);
        assert_eq!(one(rows).0.inserted_rows, 3);
    }

    #[test]
    fn an_insert_from_a_query_reads_it() {
        let text = "INSERT INTO items (order_id, sku, qty, customer_id)
                SELECT o.order_id, :sku, o.total + 1, 5 FROM orders o WHERE o.customer_id = :c";
        assert_eq!(
            assigns(text),
            ["order_id = o.order_id", "sku = :sku", "qty = known", "customer_id = '5'"]
        );
        assert_eq!(facts(text), ["o.customer_id = :c"]);
        let it = one(text).0;
        assert_eq!((it.instances.len(), it.target, it.inserted_rows), (2, Some(InstanceId(0)), 1));
    }

    #[test]
    fn writes_that_may_find_the_row_are_upserts() {
        for text in [
        "INSERT INTO events (event_id) VALUES (:e) ON CONFLICT DO NOTHING",
        "INSERT INTO events (event_id, at) VALUES (:e, :a) ON CONFLICT (event_id) DO UPDATE SET at = excluded.at",
        "INSERT INTO events (event_id, at) VALUES (:e, :a) ON DUPLICATE KEY UPDATE at = VALUES(at)",
        "REPLACE INTO events (event_id) VALUES (:e)",
        "INSERT IGNORE INTO events (event_id) VALUES (:e)",
        "UPSERT INTO events (event_id) VALUES (:e)",
        "MERGE INTO events USING (SELECT :e AS e) s ON events.event_id = s.e WHEN MATCHED THEN UPDATE SET at = now()
         WHEN NOT MATCHED THEN INSERT (event_id) VALUES (s.e)",
    ] {
        let (it, read) = one(text);
        assert_eq!(it.op, Operation::Upsert, "{text}");
        assert_eq!(assigns(text)[0], "event_id = :e", "{text}");
        assert!(read.findings.is_empty(), "{text} {:?}", read.findings);
    }
        let set = "INSERT INTO events (event_id) VALUES (:e) ON CONFLICT (event_id) DO UPDATE SET at = now()";
        assert_eq!(written(set), "event_id, at");
    }

    #[test]
    fn updates_and_deletes_have_a_target() {
        let text = "UPDATE orders SET status = :s, total = total + :x, data = NULL WHERE order_id = :o";
        assert_eq!(assigns(text), ["status = :s", "data = 'NULL'"]);
        assert_eq!(written(text), "status, total, data");
        assert_eq!(facts(text), ["orders.order_id = :o"]);

        let from =
            "UPDATE items i SET qty = 0 FROM orders o WHERE i.order_id = o.order_id AND o.customer_id = :c";
        assert_eq!(facts(from), ["i.order_id = o.order_id", "o.customer_id = :c"]);
        let (it, _) = one(from);
        assert_eq!((it.op, it.instance(it.target.expect("target")).alias.as_str()), (Operation::Update, "i"));

        let join =
            "UPDATE orders o JOIN items i ON i.order_id = o.order_id SET i.qty = 0 WHERE o.order_id = ?";
        let (it, _) = one(join);
        assert_eq!(it.instance(it.target.expect("target")).alias, "i");
        assert_eq!(written(join), "qty");

        let delete =
            "DELETE FROM items USING orders o WHERE items.order_id = o.order_id AND o.customer_id = :c";
        let (it, _) = one(delete);
        assert_eq!(
            (it.op, it.instance(it.target.expect("target")).alias.as_str()),
            (Operation::Delete, "items")
        );
        assert_eq!((it.instances.len(), written(delete)), (2, "all".to_owned()));
        assert_eq!(facts(delete), ["items.order_id = o.order_id", "o.customer_id = :c"]);
        let (it, _) =
            one("DELETE i FROM orders o JOIN items i ON i.order_id = o.order_id WHERE o.order_id = ?");
        assert_eq!(it.instance(it.target.expect("target")).alias, "i");
    }

    #[test]
    fn a_query_that_writes_inside_with_is_a_statement_of_its_own() {
        let text = "WITH gone AS (DELETE FROM orders WHERE order_id = :o RETURNING order_id, total)
                INSERT INTO items (order_id, qty) SELECT order_id, total FROM gone";
        let read = read(text);
        let statements = read.result.clone().expect("readable");
        let ops: Vec<Operation> = statements.iter().map(|it| it.op).collect();
        assert_eq!(ops, [Operation::Delete, Operation::Insert]);
        let shown: Vec<String> =
            statements[1].assigns.iter().map(|(_, it)| read.operand(&statements[1], it)).collect();
        assert_eq!(shown, [":o", "known"]);
        assert!(read.under(statements[0].span).starts_with("DELETE FROM orders"));
    }

    #[test]
    fn several_statements_are_read_and_those_without_tables_left_out() {
        let read = read("BEGIN; SELECT 1; UPDATE orders SET status = :s WHERE order_id = :o; COMMIT;");
        let statements = read.result.clone().expect("readable");
        assert_eq!(statements.len(), 1);
        assert_eq!(read.under(statements[0].span), "UPDATE orders SET status = :s WHERE order_id = :o");
    }

    #[test]
    fn unknown_names_are_findings_at_their_place() {
        let it = read("SELECT 1 FROM order WHERE a = 1");
        assert!(it.result.is_err());
        let it = read("SELECT 1 FROM orderz WHERE a = 1");
        assert_eq!(it.findings.len(), 1);
        assert_eq!((it.findings[0].0, it.findings[0].1.as_str()), (UNKNOWN_TABLE, "orderz"));
        assert!(it.result.is_err());

        let it = read(
            "SELECT nam, o.tota FROM orders o JOIN shop.storez s ON s.id = o.order_id WHERE custmer_id = :c",
        );
        let found: Vec<_> = it.findings.iter().map(|it| (it.0, it.1.as_str())).collect();
        assert_eq!(found, [(UNKNOWN_TABLE, "shop.storez"), (UNKNOWN_COLUMN, "tota")]);
        let statement = &it.result.clone().expect("orders is known")[0];
        assert_eq!(statement.instances.len(), 1);

        let it = read("SELECT 1 FROM orders o WHERE custmer_id = :c AND o.status = 'x'");
        assert_eq!(it.findings[0].1, "custmer_id");
        assert_eq!(it.findings[0].2, "`o` has no column `custmer_id`");
        assert_eq!(it.result.clone().expect("readable")[0].predicates.len(), 1);
    }

    #[test]
    fn places_cover_the_whole_condition() {
        let spans = |condition: &str| {
            let text = format!("SELECT 'é' FROM orders o WHERE {condition} ORDER BY status");
            let (statement, read) = one(&text);
            let spans = statement.predicates.iter().map(|it| read.under(it.span()).to_owned());
            assert_eq!(read.under(statement.span), text);
            assert_eq!(read.under(statement.instances[0].span), "orders");
            spans.collect::<Vec<_>>()
        };
        assert_eq!(
            spans("customer_id = :c AND lower( status ) = 'x'"),
            ["customer_id = :c", "lower( status ) = 'x'"]
        );
        assert_eq!(spans("((customer_id) = (:c))"), ["(customer_id) = (:c)"]);
        assert_eq!(spans("status IS NULL AND total IN (1, 2)"), ["status IS NULL", "total IN (1, 2)"]);
        assert_eq!(
            spans("created_at >= :a AND total = 1 AND created_at < :b::date"),
            ["total = 1", "created_at >= :a AND total = 1 AND created_at < :b::date"]
        );
        assert_eq!(spans("(status = 'a' OR status = 'b')"), ["status = 'a' OR status = 'b'"]);
        assert_eq!(spans("status LIKE 'ก%'"), ["status LIKE 'ก%'"]);
    }

    #[test]
    fn without_an_exact_place_everything_stands_at_the_text() {
        let span = Span::new(FileId(3), 10, 20);
        let place = SqlPlace { span, exact: false };
        let mut findings = Vec::new();
        let text = "SELECT nope FROM orders WHERE order_id = :o";
        let statements =
            read_sql(text, &place, &tables(), &mut Params::default(), &mut findings).expect("readable");
        assert_eq!(statements[0].span, span);
        assert_eq!(statements[0].predicates[0].span(), span);
        assert_eq!(findings[0].span, span);
    }

    #[test]
    fn errors_say_where_reading_stopped() {
        let text = "SELECT é, FROM WHERE x";
        let it = read(text);
        let unread = it.result.clone().expect_err("not SQL");
        assert_ne!(unread.reason, "");
        assert!(!unread.reason.contains("Line"), "{}", unread.reason);
        let mut files = Files::default();
        let id = files.add("a", text);
        assert!(files.places(Span { file: id, ..unread.span }).0.line == 1);
        let it = read("SELECT * FORM orders");
        assert_eq!(it.under(it.result.clone().expect_err("not SQL").span), "orders");
        assert!(read("TRUNCATE orders").result.is_err());
        assert!(read("SELECT 'open").result.is_err());
    }

    #[test]
    fn mysql_spellings_are_read() {
        assert_eq!(
            facts("SELECT 1 FROM `orders` WHERE `status` = \"paid\" AND `total` <=> 5"),
            ["orders.status = 'paid'", "orders.total = '5'"]
        );
        assert_eq!(
            facts(r"SELECT 1 FROM orders WHERE `status` = 'it\'s' AND customer_id = ?")[1],
            "orders.customer_id = :?1"
        );
    }

    #[test]
    fn vendor_clauses_are_left_out() {
        for text in [
            "SELECT * FROM events WHERE device_id = ? ALLOW FILTERING",
            "SELECT * FROM events@by_device WHERE device_id = ?",
            "SELECT * FROM events@{FORCE_INDEX=by_device} WHERE device_id = ?",
            "SELECT * FROM events AS OF SYSTEM TIME '-10s' WHERE device_id = ?",
            "UPDATE events USING TTL 86400 SET at = ? WHERE device_id = ?",
            "DELETE FROM events WHERE device_id = ? IF EXISTS",
        ] {
            let found = facts(text);
            assert!(found[0].starts_with("events.device_id = :"), "{text} {found:?}");
        }
        assert_eq!(
            assigns("INSERT INTO events (event_id, at) VALUES (?, ?) IF NOT EXISTS USING TTL 60").len(),
            2
        );
    }

    #[test]
    fn hostile_texts_end_in_an_answer() {
        let deep = |open: &str, close: &str, n: usize| {
            format!("SELECT 1 FROM orders WHERE {}1{} = customer_id", open.repeat(n), close.repeat(n))
        };
        for n in [8, 28, 4000] {
            for (open, close) in [
                ("(", ")"),
                ("lower(", ")"),
                ("NOT ", ""),
                ("- ", ""),
                ("CASE WHEN ", " THEN 1 END"),
                ("1 + ", ""),
                ("1 = 1 AND ", ""),
                ("1 = 1 OR ", ""),
                ("(SELECT ", ")"),
                ("EXISTS (SELECT ", ")"),
                ("ARRAY[", "]"),
                ("CAST(", " AS int)"),
                ("", "::int"),
                ("1 BETWEEN ", " AND 2"),
                ("x.", ""),
                ("a IN (", ")"),
                ("[", "]"),
                ("INTERVAL ", ""),
                ("{'a': ", "}"),
                ("", " IS NULL"),
                ("", " COLLATE \"C\""),
                ("STRUCT(", ")"),
            ] {
                let _ = read(&deep(open, close, n));
            }
            for text in [
                "SELECT 1 UNION ".repeat(n) + "SELECT 1",
                format!("SELECT * FROM {}orders{}", "(".repeat(n), ")".repeat(n)),
                format!("{}SELECT 1 FROM orders{}", "(".repeat(n), ")".repeat(n)),
                format!("SELECT * FROM orders{}", " JOIN orders".repeat(n)),
                format!("SELECT * FROM orders{}", " LEFT JOIN orders o ON o.order_id = 1".repeat(n.min(500))),
                "EXPLAIN ".repeat(n) + "SELECT 1",
                "BEGIN; INSERT INTO ".repeat(n),
                "WITH a AS (INSERT INTO orders ".repeat(n),
                "MERGE INTO ".repeat(n),
                "SET ".repeat(n),
                "UPDATE orders SET ".repeat(n),
                "SELECT 1;".repeat(n),
                "WITH a AS (".repeat(n),
                "BEGIN ".repeat(n),
                "SELECT ".repeat(n),
                ":a ".repeat(n),
                "$a$ ".repeat(n),
            ] {
                let _ = read(&text);
            }
        }
        let mut doubling = "WITH c0 AS (SELECT * FROM orders)".to_owned();
        for n in 1..60 {
            let before = n - 1;
            doubling += &[
                ", c",
                &n.to_string(),
                " AS (SELECT a.* FROM c",
                &before.to_string(),
                " a, c",
                &before.to_string(),
                " b)",
            ]
            .concat();
        }
        let unread = read(&(doubling + " SELECT * FROM c59")).result.expect_err("too many readings");
        assert_eq!(unread.reason, "nested too deeply");
        assert!(read(&format!("SELECT '{}'", "x".repeat(1 << 20))).result.is_err());
    }

    #[test]
    fn a_text_cut_at_any_byte_never_panics() {
        let text = "WITH x(a) AS (SELECT 'ü' FROM orders o WHERE (a, b) IN ((1, :p), (?, $2))) -- ก\n\
                INSERT INTO items (order_id) SELECT x.a::int FROM x LEFT JOIN items i USING (order_id) /* é */\n\
                WHERE E'\\'' = %(n)s AND i.qty BETWEEN now() - interval '7 days' AND $t$z$t$ OR NOT EXISTS (SELECT 1)\n\
                ON CONFLICT (order_id) DO UPDATE SET qty = excluded.qty; DELETE FROM `orders` WHERE \"status\" LIKE 'a%'";
        for (cut, _) in text.char_indices() {
            let _ = read(&text[..cut]);
            let _ = read(&text[cut..]);
        }
    }

    #[test]
    fn a_column_of_a_union_is_that_of_each_branch() {
        let union = "(SELECT customer_id AS k FROM orders UNION ALL SELECT customer_id FROM items) x";
        assert_eq!(
            facts(&format!("SELECT 1 FROM {union} WHERE x.k = :c")),
            ["orders.customer_id = :c", "items.customer_id = :c"]
        );
        assert_eq!(
            facts(&format!("SELECT 1 FROM {union} JOIN customers c ON c.customer_id = x.k")),
            ["orders.customer_id follows c.customer_id", "items.customer_id follows c.customer_id"]
        );
        let mixed = "(SELECT customer_id AS k FROM orders UNION SELECT qty + 1 FROM items) x";
        assert_eq!(
            facts(&format!("SELECT 1 FROM {mixed} WHERE k = :c")),
            ["other orders.customer_id items.qty"]
        );
    }

    #[test]
    fn aliases_of_the_answer_can_be_named_behind_it() {
        let (it, read) =
            one("SELECT status AS s, count(*) AS n FROM orders GROUP BY s HAVING n > 5 ORDER BY n, s");
        assert_eq!(read.findings, []);
        assert!(it.aggregate && it.order_by.is_empty());
        let it = read_findings("SELECT status AS s FROM orders HAVING nope > 5");
        assert_eq!(it, ["`orders` has no column `nope`"]);
    }

    fn read_findings(text: &str) -> Vec<String> {
        read(text).findings.into_iter().map(|it| it.2).collect()
    }

    #[test]
    fn spellings_of_other_products_are_read() {
        assert_eq!(
            facts(
                "SELECT TOP (5) * FROM [dbo].[orders] o WITH (NOLOCK)
                 CROSS APPLY (SELECT TOP 1 * FROM items i WHERE i.order_id = o.order_id) x WHERE [customer_id] = @c"
            ),
            ["i.order_id = o.order_id", "o.customer_id = :c"]
        );
        check("total BETWEEN SYMMETRIC :a AND :b", &["o.total range both"]);
        check("NOT (customer_id <> :c)", &["o.customer_id = :c"]);
        check("customer_id IN UNNEST(@ids)", &["o.customer_id in 10 ()"]);
        check("created_at >= date_trunc('day', now())", &["o.created_at range 86400 s"]);
        assert_eq!(facts("SELECT * FROM orders FORCE INDEX (x) WHERE total = ? LOCK IN SHARE MODE").len(), 1);
        assert_eq!(
            assigns("INSERT INTO events SET event_id = ?, at = now()"),
            ["event_id = :?1", "at = known"]
        );
        assert_eq!(
            assigns("INSERT INTO events (event_id, at) SELECT * FROM unnest($1::int[], $2::int[])"),
            ["event_id = known", "at = known"]
        );
    }
}
