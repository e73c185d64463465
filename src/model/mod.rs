//! What is talked about: a design of tables, access patterns and, perhaps, a
//! plan for it. Read by `input`, judged by `analysis`; knows no text format.

mod cache;
mod claim;
mod ids;
mod index;
mod key;
mod layout;
mod pattern;
mod plan;
mod stats;
mod table;
mod topology;

pub use cache::{CacheSpec, CacheTier, HotKey};
pub use claim::{Claim, ClaimKind, Stated};
pub use ids::{IdKind, IdScheme, WorkersFrom};
pub use index::{Include, Index, Scope};
pub use key::{Choice, Copied, KeyPart, Salt, ShardKey, Strategy};
pub use layout::{Layout, LayoutEntity, LayoutIndex, LayoutServe};
pub use pattern::{
    AccessPattern, ColumnRef, Consistency, Instance, InstanceId, Operand, Operation, OrderTerm, Param,
    ParamId, Predicate, RangeWidth, Selected, ServedBy, Statement, Step, Unread, Written,
};
pub use plan::{LookupCopies, NodesLeave, Plan, SortColumn, TablePlan};
pub use stats::Distribution;
pub use table::{Column, ColumnId, ColumnType, ForeignKey, Generated, ListBound, Table, TypeFamily};
pub use topology::{NodeCapacity, PlacementKind, TargetSpec};

use std::collections::BTreeMap;

use crate::source::Span;
use crate::units::{Seconds, YEAR};

/// A table of a [`Design`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub u32);

/// A pattern of a [`Design`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatternId(pub u32);

/// A workload and, perhaps, a plan for it.
#[derive(Clone, Debug, Default)]
pub struct Design {
    /// Name as given; empty when there is none.
    pub name: String,
    /// The database and its size.
    pub target: TargetSpec,
    /// When growth is judged; one year when not given.
    pub horizon: Option<Seconds>,
    /// Tables in the order of the file.
    pub tables: Vec<Table>,
    /// Patterns in the order of the file.
    pub patterns: Vec<AccessPattern>,
    /// What somebody proposes.
    pub plan: Option<Plan>,
    /// What runs today.
    pub current: Option<Plan>,
    /// Single-table layouts.
    pub layouts: Vec<Layout>,
    /// How identifiers are made.
    pub ids: Vec<IdScheme>,
    /// A cache in front of the database.
    pub cache: Option<CacheSpec>,
    /// Lint settings of the file.
    pub lint: LintSettings,
    /// Constants of the cost model.
    pub costs: Costs,
}

impl Design {
    /// The table of an id made for this design.
    ///
    /// # Panics
    ///
    /// For an id of another design.
    #[must_use]
    pub fn table(&self, id: TableId) -> &Table {
        &self.tables[id.0 as usize]
    }

    /// The pattern of an id made for this design.
    ///
    /// # Panics
    ///
    /// For an id of another design.
    #[must_use]
    pub fn pattern(&self, id: PatternId) -> &AccessPattern {
        &self.patterns[id.0 as usize]
    }

    /// Ids of all tables, in order.
    pub fn table_ids(&self) -> impl Iterator<Item = TableId> + use<> {
        (0..self.tables.len() as u32).map(TableId)
    }

    /// Ids of all patterns, in order.
    pub fn pattern_ids(&self) -> impl Iterator<Item = PatternId> + use<> {
        (0..self.patterns.len() as u32).map(PatternId)
    }

    /// The table of a name; names compare without regard to case, as SQL's do.
    #[must_use]
    pub fn table_named(&self, name: &str) -> Option<TableId> {
        let exact = self.tables.iter().position(|it| it.name == name);
        let at = exact.or_else(|| self.tables.iter().position(|it| it.name.eq_ignore_ascii_case(name)))?;
        Some(TableId(at as u32))
    }

    /// When growth is judged.
    #[must_use]
    pub fn horizon(&self) -> Seconds {
        self.horizon.or(Seconds::new(YEAR)).unwrap_or_default()
    }

    /// A column of this name in the nearest ancestor along foreign keys,
    /// for a key that is copied down (`add_column`).
    ///
    /// Searched breadth first, so the shortest way wins, then the order of the
    /// foreign keys. A column of the table itself is not an answer.
    #[must_use]
    pub fn copied_column(&self, table: TableId, name: &str) -> Option<Copied> {
        let mut seen = vec![table];
        let mut frontier = vec![(table, Vec::new())];
        while !frontier.is_empty() {
            let mut next = Vec::new();
            for (at, path) in &frontier {
                for (idx, key) in self.table(*at).foreign_keys.iter().enumerate() {
                    let mut path: Vec<usize> = path.clone();
                    path.push(idx);
                    if let Some(column) = self.table(key.parent).column_named(name) {
                        return Some(Copied { name: name.to_owned(), path, source: key.parent, column });
                    }
                    if !seen.contains(&key.parent) {
                        seen.push(key.parent);
                        next.push((key.parent, path));
                    }
                }
            }
            frontier = next;
        }
        None
    }
}

/// Constants of the cost model, in shard requests (`model` document, section 5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// A row read.
    pub row_read: f64,
    /// A row written after the first of a statement.
    pub row_written: f64,
    /// A row moved between shards for a join.
    pub row_moved: f64,
    /// The commit of a transaction on one of several participants.
    pub commit: f64,
}

impl Default for Costs {
    fn default() -> Self {
        Self { row_read: 0.02, row_written: 0.2, row_moved: 0.05, commit: 1.0 }
    }
}

/// The `lint:` section of a file.
#[derive(Clone, Debug, Default)]
pub struct LintSettings {
    /// Findings not to report, each with a reason.
    pub ignore: Vec<Ignore>,
    /// Levels by rule code or name; the value is `error`, `warning`, `info` or `off`.
    pub levels: BTreeMap<String, (String, Span)>,
}

/// A suppression: what it silences and why.
#[derive(Clone, Debug, Default)]
pub struct Ignore {
    /// Rule by code or name.
    pub rule: String,
    /// Only for this table.
    pub table: Option<String>,
    /// Only for this pattern.
    pub pattern: Option<String>,
    /// Only for this index.
    pub index: Option<String>,
    /// Why; demanded.
    pub reason: Option<String>,
    /// Only findings that stand on this line of this file (a comment's reach).
    pub line: Option<u32>,
    /// Where the suppression stands.
    pub span: Span,
}
