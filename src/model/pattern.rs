//! Access patterns: statements with their predicates, rates and parameters.
//! SQL and structured patterns arrive here in the same form.

use crate::model::{ColumnId, Distribution, TableId};
use crate::source::Span;
use crate::units::{Rate, Seconds, Share};

/// A parameter of one [`AccessPattern`], by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParamId(pub u32);

/// A table instance of one [`Statement`], by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId(pub u32);

/// One statement, or several that commit together, with its rate.
#[derive(Clone, Debug, Default)]
pub struct AccessPattern {
    /// Unique name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Steps in order; one with one statement for a simple pattern.
    pub steps: Vec<Step>,
    /// Mean rate.
    pub rate: Rate,
    /// Where the rate stands.
    pub rate_span: Option<Span>,
    /// Peak rate over mean rate; 1 when not given.
    pub peak: f64,
    /// Latency budget.
    pub p99: Option<Seconds>,
    /// Parameters; those of one name have one value in the whole pattern.
    pub params: Vec<Param>,
    /// How fresh reads must be.
    pub consistency: Consistency,
    /// What keeps the pattern, or a share of it, off the shards.
    pub served_by: Option<ServedBy>,
    /// Columns within whose values rows must be seen in the order written.
    pub keep_order: Vec<String>,
    /// Statements that could not be read.
    pub unread: Vec<Unread>,
}

impl AccessPattern {
    /// All statements with the step they stand in.
    pub fn statements(&self) -> impl Iterator<Item = (&Step, &Statement)> {
        self.steps.iter().flat_map(|step| step.statements.iter().map(move |it| (step, it)))
    }

    /// Whether any statement writes.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.statements().any(|(_, it)| it.op != Operation::Read)
    }
}

/// A statement that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Unread {
    /// Where it stands.
    pub span: Span,
    /// What the reader said.
    pub reason: String,
}

/// Statements that run together, once or several times.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// How often.
    pub times: u32,
    /// Parameters that differ from run to run.
    pub each: Vec<ParamId>,
    /// The statements; those of one run share each draw.
    pub statements: Vec<Statement>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Param {
    /// Name without its mark; unique in the pattern (`?` are named by position).
    pub name: String,
    /// How requests spread over its values; the column's own skew when not given.
    pub popularity: Option<Distribution>,
    /// Another parameter it equals in a share of the requests.
    pub same_as: Option<(ParamId, Share)>,
}

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// SELECT
    Read,
    /// INSERT
    Insert,
    /// UPDATE
    Update,
    /// DELETE
    Delete,
    /// INSERT … ON CONFLICT, or a write by key that may create the row
    Upsert,
}

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it does.
    pub op: Operation,
    /// Tables as it names them, subqueries included; the written one among them.
    pub instances: Vec<Instance>,
    /// The instance that is written; `None` for a read.
    pub target: Option<InstanceId>,
    /// Predicates that all hold.
    pub predicates: Vec<Predicate>,
    /// Values given to columns of the target by INSERT or SET. An inserted
    /// column with a value that is not a plain operand stands as
    /// [`Operand::Unknown`].
    pub assigns: Vec<(ColumnId, Operand)>,
    /// Which columns of the target are written.
    pub written: Written,
    /// ORDER BY, as far as it names columns.
    pub order_by: Vec<OrderTerm>,
    /// LIMIT, where it is a number.
    pub limit: Option<u64>,
    /// Whether rows are aggregated (GROUP BY, COUNT, SUM, …).
    pub aggregate: bool,
    /// Whether doubles are dropped (DISTINCT).
    pub distinct: bool,
    /// Columns returned, for covering indexes.
    pub selected: Selected,
    /// Rows of a VALUES list; 1 otherwise.
    pub inserted_rows: u32,
    /// Rows returned or changed, as given by the file.
    pub rows: Option<u64>,
    /// Where it stands.
    pub span: Span,
}

impl Statement {
    /// The table of an instance.
    ///
    /// # Panics
    ///
    /// For an id of another statement.
    #[must_use]
    pub fn instance(&self, id: InstanceId) -> &Instance {
        &self.instances[id.0 as usize]
    }

    /// Ids of all instances.
    pub fn instance_ids(&self) -> impl Iterator<Item = InstanceId> + use<> {
        (0..self.instances.len() as u32).map(InstanceId)
    }

    /// The table that is written.
    #[must_use]
    pub fn written_table(&self) -> Option<TableId> {
        self.target.map(|it| self.instance(it).table)
    }

    /// Whether a column of the target is written.
    #[must_use]
    pub fn writes_column(&self, column: ColumnId) -> bool {
        match &self.written {
            Written::Nothing => false,
            Written::All => true,
            Written::Columns(columns) => columns.contains(&column),
        }
    }
}

/// A table in a FROM clause, a subquery, or as the target of a write.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The table.
    pub table: TableId,
    /// Name in the statement: the alias, else the table's.
    pub alias: String,
    /// Where it is named.
    pub span: Span,
}

/// A column of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnRef {
    /// The instance.
    pub instance: InstanceId,
    /// The column of its table.
    pub column: ColumnId,
}

/// One side of a predicate, or a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A column.
    Column(ColumnRef),
    /// A parameter.
    Param(ParamId),
    /// A constant, as written.
    Constant(String),
    /// An expression whose value is known when the statement is sent, but
    /// which is neither (`now()`, `:a + 1`).
    Unknown,
}

/// A condition that every row of the answer satisfies.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// `a = b`, `a = :p`, `a = 5`; holds both ways. Never with NULL.
    Equal {
        /// A column.
        column: ColumnRef,
        /// What it equals.
        to: Operand,
        /// Where it stands.
        span: Span,
    },
    /// An equality in the ON of an outer join: the null-supplying side follows
    /// the other, which is not restricted by it.
    Follows {
        /// Column of the null-supplying side.
        column: ColumnRef,
        /// What it follows.
        of: Operand,
        /// Where it stands.
        span: Span,
    },
    /// `a IN (…)`, and OR of equalities on one column.
    In {
        /// The column.
        column: ColumnRef,
        /// The values, where they are listed.
        values: Vec<Operand>,
        /// Number of values.
        count: u32,
        /// Where it stands.
        span: Span,
    },
    /// `<`, `>`, BETWEEN; both bounds of one column are one range.
    Range {
        /// The column.
        column: ColumnRef,
        /// How wide.
        width: RangeWidth,
        /// Where it stands.
        span: Span,
    },
    /// `LIKE 'abc%'`
    Prefix {
        /// The column.
        column: ColumnRef,
        /// Where it stands.
        span: Span,
    },
    /// `IS NULL`
    IsNull {
        /// The column.
        column: ColumnRef,
        /// Where it stands.
        span: Span,
    },
    /// `lower(email) = :e`: binds nothing unless the key is that expression.
    Expression {
        /// The expression, normalised: lower case, no spaces, columns without alias.
        text: String,
        /// The column inside it.
        column: ColumnRef,
        /// What it equals.
        to: Operand,
        /// Where it stands.
        span: Span,
    },
    /// Anything else; filters, binds nothing.
    Other {
        /// Columns it looks at.
        columns: Vec<ColumnRef>,
        /// Where it stands.
        span: Span,
    },
}

impl Predicate {
    /// Where it stands.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Equal { span, .. }
            | Self::Follows { span, .. }
            | Self::In { span, .. }
            | Self::Range { span, .. }
            | Self::Prefix { span, .. }
            | Self::IsNull { span, .. }
            | Self::Expression { span, .. }
            | Self::Other { span, .. } => *span,
        }
    }
}

/// How wide a range is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RangeWidth {
    /// One bound only.
    Open,
    /// Both bounds, width not stated.
    Unstated,
    /// A stretch of time.
    Duration(Seconds),
}

/// Columns that a write changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// A read.
    Nothing,
    /// All columns (INSERT without a list, DELETE).
    All,
    /// These.
    Columns(Vec<ColumnId>),
}

/// Columns that a read returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selected {
    /// All columns, or not known.
    All,
    /// These; every column that the statement names anywhere outside its predicates.
    Columns(Vec<ColumnRef>),
}

/// A term of ORDER BY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderTerm {
    /// The column.
    pub column: ColumnRef,
    /// Descending.
    pub desc: bool,
}

/// How fresh a read must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Consistency {
    /// Sees every write that was answered.
    #[default]
    Strong,
    /// May lag.
    Eventual,
}

/// What serves a pattern instead of the shards.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedBy {
    /// `warehouse`, `search`, `stream`, `cache`.
    pub what: String,
    /// Share of the requests it takes.
    pub share: Share,
}
