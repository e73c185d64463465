//! Names of a statement: what a column name stands for in the query in which it is
//! written, in the queries around it, and behind derived tables.

use sqlparser::ast::Ident;

use crate::diag::{Finding, Level, UNKNOWN_COLUMN, did_you_mean};
use crate::input::sql_lex::is_one_of;
use crate::input::sql_query::Reader;
use crate::model::{ColumnRef, InstanceId, Operand};

/// What an expression stands for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A column as it is.
    Column(ColumnRef),
    /// Known when the statement is sent.
    Known(Operand),
    /// One of several values that are known when the statement is sent.
    List {
        /// The values, where they are listed.
        values: Vec<Operand>,
        /// How many.
        count: u32,
    },
    /// NULL
    Null,
    /// A column of any branch of a UNION.
    Either(Vec<ColumnRef>),
    /// Depends on rows: a function of columns, an aggregate, a subquery.
    Rows(Vec<ColumnRef>),
    /// Names something that does not exist; a finding says so.
    Missing,
}

impl Value {
    /// Columns that it depends on.
    pub(super) fn columns(&self) -> Vec<ColumnRef> {
        match self {
            Self::Column(it) => vec![*it],
            Self::Either(it) | Self::Rows(it) => it.clone(),
            _ => Vec::new(),
        }
    }
}

/// A column of a query's answer.
#[derive(Clone, Debug)]
pub(super) struct Output {
    /// Its name; empty if it has none.
    pub(super) name: String,
    /// What it is.
    pub(super) value: Value,
}

/// The answer of a query.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    /// Its columns.
    pub(super) list: Vec<Output>,
    /// Whether there are more columns that nobody knows.
    pub(super) open: bool,
}

impl Outputs {
    /// An answer of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self { list: Vec::new(), open: true }
    }

    /// The column of a name.
    pub(super) fn named(&self, name: &str) -> Option<&Value> {
        self.list.iter().find(|it| it.name.eq_ignore_ascii_case(name)).map(|it| &it.value)
    }

    /// The only column.
    pub(super) fn first(self) -> Value {
        self.list.into_iter().next().map_or(Value::Rows(Vec::new()), |it| it.value)
    }

    /// The same answer under other names.
    pub(super) fn renamed(mut self, names: &[String]) -> Self {
        for (output, name) in self.list.iter_mut().zip(names) {
            output.name.clone_from(name);
        }
        self
    }
}

/// Something in a FROM clause.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    /// Its alias, else its name.
    pub(super) name: String,
    /// What it is.
    pub(super) rows: Rows,
}

/// Where the rows of a [`Relation`] come from.
#[derive(Clone, Debug)]
pub(super) enum Rows {
    /// A table.
    Table(InstanceId),
    /// A query or a function.
    Outputs(Outputs),
}

/// Position of a WITH query among all of the statement.
pub(super) type Env = Option<usize>;

/// The names that can be used at one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope<'p> {
    /// The FROM clause, as far as it is read.
    pub(super) relations: Vec<Relation>,
    /// Columns of USING and NATURAL, which need no qualifier.
    pub(super) merged: Vec<(String, Value)>,
    /// The query around this one.
    pub(super) outer: Option<&'p Scope<'p>>,
    /// WITH queries that can be named here.
    pub(super) env: Env,
}

impl<'p> Scope<'p> {
    /// A scope inside another one.
    pub(super) fn inside(outer: Option<&'p Scope<'p>>, env: Env) -> Self {
        Self { outer, env, ..Self::default() }
    }

    fn chain(&self) -> impl Iterator<Item = &Scope<'p>> {
        std::iter::successors(Some(self), |it| it.outer)
    }
}

/// Words that look like columns and are none.
const NOT_COLUMNS: &str = "\
    current_catalog current_date current_role current_schema current_time current_timestamp current_user \
    default false localtime localtimestamp now rownum session_user sysdate systimestamp true user \
    utc_date utc_timestamp unknown";

/// Columns that every table of a product has and nobody declares.
const SYSTEM_COLUMNS: &[&str] = &["ctid", "oid", "rowid", "tableoid", "xmax", "xmin"];

impl Reader<'_> {
    /// What a name stands for. A name that nothing bears becomes a finding.
    pub(super) fn lookup(&mut self, scope: &Scope<'_>, parts: &[Ident]) -> Value {
        let Some((last, qualifiers)) = parts.split_last() else { return Value::Rows(Vec::new()) };
        let found = match qualifiers {
            [] => self.unqualified(scope, &last.value),
            [first, ..] => {
                let nearest = &qualifiers[qualifiers.len() - 1];
                self.qualified(scope, &nearest.value, &last.value).or_else(|| {
                    // `document.field` and `alias.document.field` look like qualified columns.
                    let inner = match parts {
                        [alias, column, _, ..] => self.qualified(scope, &alias.value, &column.value),
                        _ => None,
                    };
                    let path = inner.or_else(|| self.unqualified(scope, &first.value));
                    path.map(|it| Value::Rows(it.columns()))
                })
            }
        };
        if let Some(value) = found {
            return value;
        }
        let lower = last.value.to_ascii_lowercase();
        if last.quote_style.is_none() && qualifiers.is_empty() && is_one_of(NOT_COLUMNS, &lower) {
            return Value::Known(Operand::Unknown);
        }
        if SYSTEM_COLUMNS.contains(&lower.as_str()) || self.may_be_elsewhere(scope, qualifiers.last()) {
            return Value::Rows(Vec::new());
        }
        self.unknown_column(scope, parts, qualifiers.last())
    }

    fn unqualified(&self, scope: &Scope<'_>, name: &str) -> Option<Value> {
        scope.chain().find_map(|it| {
            let merged = it.merged.iter().find(|(merged, _)| merged.eq_ignore_ascii_case(name));
            let merged = merged.map(|(_, value)| value.clone());
            merged.or_else(|| it.relations.iter().find_map(|relation| self.column_of(relation, name)))
        })
    }

    fn qualified(&self, scope: &Scope<'_>, qualifier: &str, name: &str) -> Option<Value> {
        let relation = self.relation_named(scope, qualifier)?;
        self.column_of(relation, name)
    }

    /// The relation of an alias; of a table's name where no alias fits.
    pub(super) fn relation_named<'s>(&self, scope: &'s Scope<'_>, name: &str) -> Option<&'s Relation> {
        let by_alias = |it: &'s Scope<'_>| it.relations.iter().find(|it| it.name.eq_ignore_ascii_case(name));
        let by_table = |it: &'s Scope<'_>| {
            it.relations.iter().find(|it| match it.rows {
                Rows::Table(id) => self.table_of(id).name.eq_ignore_ascii_case(name),
                Rows::Outputs(_) => false,
            })
        };
        scope.chain().find_map(by_alias).or_else(|| scope.chain().find_map(by_table))
    }

    /// A column of a relation.
    pub(super) fn column_of(&self, relation: &Relation, name: &str) -> Option<Value> {
        match &relation.rows {
            Rows::Table(instance) => {
                let column = self.table_of(*instance).column_named(name)?;
                Some(Value::Column(ColumnRef { instance: *instance, column }))
            }
            Rows::Outputs(outputs) => outputs.named(name).cloned(),
        }
    }

    /// All columns of a relation with their names.
    pub(super) fn columns_of(&self, relation: &Relation) -> Outputs {
        match &relation.rows {
            Rows::Table(instance) => {
                let table = self.table_of(*instance);
                let output = |column| Output {
                    name: table.column(column).name.clone(),
                    value: Value::Column(ColumnRef { instance: *instance, column }),
                };
                Outputs { list: table.column_ids().map(output).collect(), open: false }
            }
            Rows::Outputs(outputs) => outputs.clone(),
        }
    }

    /// Whether a name may be a column of something whose columns are not known.
    fn may_be_elsewhere(&self, scope: &Scope<'_>, qualifier: Option<&Ident>) -> bool {
        let open = |it: &Relation| matches!(&it.rows, Rows::Outputs(outputs) if outputs.open);
        match qualifier {
            Some(it) => self.relation_named(scope, &it.value).is_some_and(open),
            None => scope.chain().any(|it| it.relations.iter().any(open)),
        }
    }

    fn unknown_column(&mut self, scope: &Scope<'_>, parts: &[Ident], qualifier: Option<&Ident>) -> Value {
        let Some(last) = parts.last() else { return Value::Missing };
        let relations: Vec<&Relation> = match qualifier {
            Some(it) => self.relation_named(scope, &it.value).into_iter().collect(),
            None => scope.chain().flat_map(|it| &it.relations).filter(|it| !it.name.is_empty()).collect(),
        };
        let columns: Vec<String> = relations
            .iter()
            .flat_map(|it| self.columns_of(it).list)
            .map(|it| it.name)
            .filter(|it| !it.is_empty())
            .collect();
        let near = did_you_mean(&last.value, columns.iter().map(String::as_str));
        if qualifier.is_none() && last.quote_style == Some('"') && near.is_none() {
            // MySQL writes strings this way too.
            return Value::Known(Operand::Constant(last.value.clone()));
        }
        let mut names: Vec<&str> = relations.iter().map(|it| it.name.as_str()).collect();
        names.dedup();
        let message = match (names.as_slice(), qualifier) {
            ([], Some(it)) => {
                format!("no table or alias `{}` stands before column `{}`", it.value, last.value)
            }
            ([], None) => format!("no table has a column `{}`", last.value),
            ([name], _) => format!("`{name}` has no column `{}`", last.value),
            (names, _) => format!("none of `{}` has a column `{}`", names.join("`, `"), last.value),
        };
        let span = self.ident_span(last);
        let mut finding = Finding::new(UNKNOWN_COLUMN, Level::Error, span, message);
        if let Some(near) = near {
            finding = finding.with_help(format!("did you mean `{near}`?"));
        }
        if let [relation] = relations.as_slice()
            && let Rows::Table(instance) = relation.rows
        {
            finding = finding.on_table(self.table_of(instance).name.clone());
        }
        self.report(finding);
        Value::Missing
    }
}
