//! What the files say before names are resolved: the border between the two
//! readers (YAML, SQL) and lowering.

use crate::diag::Finding;
use crate::input::fields::{Name, syntax};
use crate::model::{
    AccessPattern, CacheSpec, ColumnId, Costs, Distribution, IdScheme, Include, Layout, LintSettings,
    Operation, Plan, RangeWidth, Scope, Strategy, Table, TargetSpec,
};
use crate::source::Span;
use crate::units::{Seconds, Share};

/// One file, or several that were put together.
#[derive(Debug, Default)]
pub(super) struct RawDesign {
    pub(super) name: Option<String>,
    pub(super) include: Vec<Name>,
    pub(super) target: TargetSpec,
    pub(super) horizon: Option<Seconds>,
    pub(super) tables: Vec<RawTable>,
    pub(super) patterns: Vec<RawPattern>,
    pub(super) plan: Option<RawPlan>,
    pub(super) current: Option<RawPlan>,
    pub(super) layouts: Vec<Layout>,
    pub(super) ids: Vec<RawIds>,
    pub(super) cache: Option<CacheSpec>,
    pub(super) lint: LintSettings,
    pub(super) costs: Option<Costs>,
    /// Indexes of a schema; they are part of a plan only if there is one.
    pub(super) loose_indexes: Vec<RawIndex>,
}

/// A table; only its references wait for other tables.
#[derive(Debug, Default)]
pub(super) struct RawTable {
    pub(super) table: Table,
    pub(super) references: Vec<RawReference>,
}

/// A reference to another table.
#[derive(Debug)]
pub(super) struct RawReference {
    pub(super) columns: Vec<ColumnId>,
    pub(super) parent: Name,
    /// Empty for the parent's primary key.
    pub(super) parent_columns: Vec<Name>,
    pub(super) span: Span,
    /// Written at a column: may be one part of a composite reference.
    pub(super) inline: bool,
}

/// A pattern; its steps and parameters wait for the tables.
#[derive(Debug, Default)]
pub(super) struct RawPattern {
    pub(super) pattern: AccessPattern,
    pub(super) body: RawBody,
    pub(super) rows: Option<(u64, Span)>,
    pub(super) popularity: Vec<(Name, Distribution)>,
    pub(super) params: Vec<RawParam>,
    pub(super) keep_order: Vec<Name>,
}

/// What a pattern does.
#[derive(Debug, Default)]
pub(super) enum RawBody {
    /// Nothing that could be read.
    #[default]
    Nothing,
    /// `read: orders` and the like.
    Structured(Box<RawStructured>),
    /// SQL.
    Steps(Vec<RawStep>),
}

/// Statements that run together.
#[derive(Debug)]
pub(super) struct RawStep {
    pub(super) times: u32,
    pub(super) each: Vec<Name>,
    pub(super) statements: Vec<RawSql>,
}

/// An SQL text.
#[derive(Debug)]
pub(super) struct RawSql {
    pub(super) text: String,
    pub(super) span: Span,
    pub(super) exact: bool,
}

/// `params: {supply: {same_as: home, share: 99%}}`
#[derive(Debug)]
pub(super) struct RawParam {
    pub(super) name: Name,
    pub(super) same_as: Option<Name>,
    pub(super) share: Option<Share>,
}

/// A pattern without SQL.
#[derive(Debug)]
pub(super) struct RawStructured {
    pub(super) op: Operation,
    pub(super) table: Name,
    pub(super) wheres: Vec<(Name, RawWhere)>,
    pub(super) order_by: Vec<(Name, bool)>,
    pub(super) limit: Option<u64>,
    pub(super) set: Option<Vec<Name>>,
    pub(super) with: Vec<Name>,
    pub(super) span: Span,
}

/// A condition of a structured pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RawWhere {
    Equal,
    Constant(String),
    In(u32),
    Range(RangeWidth),
    Prefix,
    IsNull,
}

/// A plan; `plan.tables` and `plan.indexes` are empty until names are resolved.
#[derive(Debug, Default)]
pub(super) struct RawPlan {
    pub(super) plan: Plan,
    pub(super) tables: Vec<RawTablePlan>,
    pub(super) indexes: Vec<RawIndex>,
}

/// The plan of one table.
#[derive(Debug)]
pub(super) struct RawTablePlan {
    pub(super) table: Name,
    pub(super) choice: RawChoice,
    pub(super) cluster: Vec<(Name, bool)>,
    pub(super) splits: Vec<String>,
    pub(super) dedicated: Vec<String>,
    pub(super) span: Span,
    pub(super) key_span: Span,
    /// Read from a statement of the database; gives way to a plan in words.
    pub(super) from_statement: bool,
}

/// Where the rows of a table live.
#[derive(Debug)]
pub(super) enum RawChoice {
    Sharded(RawKey),
    Replicated,
    Unsharded,
}

/// A key.
#[derive(Debug, Default)]
pub(super) struct RawKey {
    pub(super) parts: Vec<RawKeyPart>,
    /// Columns that are copied down from an ancestor.
    pub(super) add_columns: Vec<Name>,
    pub(super) strategy: Option<Strategy>,
    pub(super) hierarchical: bool,
    pub(super) salt: Option<RawSalt>,
}

/// A part of a key.
#[derive(Debug)]
pub(super) enum RawKeyPart {
    Column(Name),
    Bucket(Name, Seconds),
    /// `lower(email)`
    Expression(Name),
}

/// Spreading of each key value.
#[derive(Debug)]
pub(super) struct RawSalt {
    pub(super) ways: u32,
    pub(super) from: Option<Name>,
    pub(super) only_hot: bool,
}

/// An index.
#[derive(Debug)]
pub(super) struct RawIndex {
    pub(super) name: Option<String>,
    pub(super) table: Name,
    pub(super) key: Vec<Name>,
    pub(super) sort: Vec<Name>,
    pub(super) scope: Scope,
    pub(super) strategy: Option<Strategy>,
    pub(super) salt: Option<RawSalt>,
    pub(super) unique: bool,
    pub(super) include: RawInclude,
    pub(super) only: Vec<(Name, String)>,
    pub(super) span: Span,
}

/// What an index carries.
#[derive(Debug)]
pub(super) enum RawInclude {
    Plain(Include),
    Columns(Vec<Name>),
}

/// `orders.order_id: {kind: …}`; the ids of the scheme are set when names are resolved.
#[derive(Debug)]
pub(super) struct RawIds {
    pub(super) column: Name,
    pub(super) scheme: IdScheme,
}

impl RawDesign {
    /// Adds what another file says. What this one says of the same thing holds.
    pub(super) fn absorb(&mut self, mut other: Self, findings: &mut Vec<Finding>) {
        self.name = self.name.take().or(other.name);
        self.horizon = self.horizon.or(other.horizon);
        absorb_target(&mut self.target, other.target);
        self.tables.append(&mut other.tables);
        self.patterns.append(&mut other.patterns);
        self.layouts.append(&mut other.layouts);
        self.ids.append(&mut other.ids);
        self.loose_indexes.append(&mut other.loose_indexes);
        self.lint.ignore.append(&mut other.lint.ignore);
        for (rule, level) in other.lint.levels {
            self.lint.levels.entry(rule).or_insert(level);
        }
        self.costs = self.costs.or(other.costs);
        absorb_plan(&mut self.plan, other.plan);
        absorb_plan(&mut self.current, other.current);
        match (&self.cache, other.cache) {
            (Some(first), Some(second)) => findings.push(
                syntax(second.span, "a second `cache:` section; the first one is read")
                    .with_related(first.span, "the first one"),
            ),
            (None, second) => self.cache = second,
            (Some(_), None) => {}
        }
    }
}

fn absorb_target(target: &mut TargetSpec, other: TargetSpec) {
    if target.span == Span::default() {
        target.span = other.span;
    }
    target.engine = target.engine.take().or(other.engine);
    target.version = target.version.take().or(other.version);
    target.shards = target.shards.or(other.shards);
    target.nodes = target.nodes.or(other.nodes);
    target.node.storage = target.node.storage.or(other.node.storage);
    target.node.reads = target.node.reads.or(other.node.reads);
    target.node.writes = target.node.writes.or(other.node.writes);
    target.copies = target.copies.or(other.copies);
    target.provisioned = target.provisioned.or(other.provisioned);
}

fn absorb_plan(plan: &mut Option<RawPlan>, other: Option<RawPlan>) {
    let Some(mut second) = other else { return };
    let Some(first) = plan else {
        *plan = Some(second);
        return;
    };
    let (mine, its) = (&mut first.plan, second.plan);
    mine.by = mine.by.take().or(its.by);
    mine.shards = mine.shards.or(its.shards);
    mine.nodes = mine.nodes.or(its.nodes);
    mine.placement = mine.placement.or(its.placement);
    mine.vnodes = mine.vnodes.or(its.vnodes);
    mine.nodes_later = mine.nodes_later.or(its.nodes_later);
    mine.nodes_leave = mine.nodes_leave.or(its.nodes_leave);
    mine.lookup = mine.lookup.or(its.lookup);
    mine.claims.extend(its.claims);
    first.tables.append(&mut second.tables);
    first.indexes.append(&mut second.indexes);
}
