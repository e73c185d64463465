//! What a rule sees: the design, the plan that is judged, and what many rules
//! ask of the two, worked out once.

use std::ops::Deref;

use crate::analysis::assessment::{Assessment, PatternFigures, pattern_figures};
use crate::analysis::classes::Reading;
use crate::analysis::heat::{Heat, heat_of_tables};
use crate::analysis::placed::{Placed, PlacedIndex, place};
use crate::analysis::routing::{At, Spaces};
use crate::analysis::setting::Setting;
use crate::analysis::verdict::{Robustness, Verdict};
use crate::lint::views::{PatternView, StatementView, TableView};
use crate::model::{Choice, Design, Index, PatternId, Plan, TableId};
use crate::target::Engine;

/// What the advisor says of the whole design.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    /// Whether to shard at all.
    pub verdict: &'a Verdict,
    /// Estimated inputs and the range in which the choices stay.
    pub robustness: &'a [Robustness],
}

/// Everything that a rule may ask.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The design.
    pub design: &'a Design,
    /// Its engine and statistics.
    pub setting: &'a Setting<'a>,
    /// The plan judged; `None` where only the input can be.
    pub plan: Option<&'a Plan>,
    /// What the plan is worth; `None` without a plan.
    pub assessment: Option<&'a Assessment>,
    /// Whether the plan is the advisor's own.
    pub by_advisor: bool,
    /// What the advisor says, where it was asked.
    pub advice: Option<Said<'a>>,
    /// Whether a proposal is checked, so that what an engine refuses is an error.
    pub under_check: bool,
}

impl Context<'_> {
    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &'static Engine {
        self.setting.engine
    }

    /// Number of shards.
    #[must_use]
    pub fn shards(&self) -> f64 {
        f64::from(self.setting.shards)
    }

    /// Nodes of the plan, else of the target.
    #[must_use]
    pub fn nodes(&self) -> Option<u32> {
        self.plan.and_then(|it| it.nodes).or(self.setting.nodes).filter(|it| 0 < *it)
    }

    /// Which equalities the plan counts on: its own rewrites are made in the advisor's plan.
    #[must_use]
    pub fn reading(&self) -> Reading {
        if self.by_advisor { Reading::Implied } else { Reading::Written }
    }
}

/// A [`Context`] with what its rules ask again and again.
pub struct Judged<'a> {
    context: Context<'a>,
    patterns: Vec<PatternView<'a>>,
    /// The statements of all patterns, in order.
    statements: Vec<StatementView<'a>>,
    /// For each table the statements that name it, by position.
    on_table: Vec<Vec<usize>>,
    heat: Vec<Heat>,
    total_rate: f64,
}

impl<'a> Deref for Judged<'a> {
    type Target = Context<'a>;

    fn deref(&self) -> &Context<'a> {
        &self.context
    }
}

/// What a plan is worth when one table is placed otherwise.
pub(crate) struct Change {
    /// Σ λ · work · σ of the whole plan.
    pub(crate) weighted: f64,
    /// Share of requests on one shard.
    pub(crate) single_shard_share: f64,
    /// Figures of the patterns that use the table.
    pub(crate) patterns: Vec<PatternFigures>,
}

impl<'a> Judged<'a> {
    /// Works out what rules ask.
    #[must_use]
    pub fn new(context: Context<'a>) -> Self {
        let mut it = Self {
            context,
            patterns: Vec::new(),
            statements: Vec::new(),
            on_table: vec![Vec::new(); context.design.tables.len()],
            heat: Vec::new(),
            total_rate: context.design.patterns.iter().map(|it| context.setting.served_rate(it)).sum(),
        };
        let Some(assessment) = context.assessment else { return it };
        for figures in &assessment.patterns {
            let (id, pattern) = (figures.pattern, context.design.pattern(figures.pattern));
            let first = it.statements.len();
            let all = At::all(context.setting, id, context.reading());
            let of = PatternView { id, pattern, figures, statements: (first, first + all.len()) };
            for (at, route) in all.into_iter().zip(&figures.statements) {
                for table in tables_of(&route.instances) {
                    it.on_table[table.0 as usize].push(it.statements.len());
                }
                it.statements.push(StatementView { of, statement: at.statement, route, at });
            }
            it.patterns.push(of);
        }
        it.heat = heat_of_tables(context.setting, assessment, context.reading());
        it
    }

    /// A table under the plan; `None` without one.
    #[must_use]
    pub fn table(&self, id: TableId) -> Option<TableView<'_>> {
        let assessment = self.assessment?;
        let at = id.0 as usize;
        Some(TableView {
            cx: self,
            id,
            table: self.design.tables.get(at)?,
            placed: assessment.placed.get(at)?,
            plan: self.plan.and_then(|it| it.tables.get(&id)),
            figures: assessment.tables.get(at)?,
            facts: self.setting.facts.get(at)?,
        })
    }

    /// All tables under the plan; none without one.
    pub fn tables(&self) -> impl Iterator<Item = TableView<'_>> {
        self.design.table_ids().filter_map(|it| self.table(it))
    }

    /// Tables whose rows a key spreads over more than one shard.
    pub fn sharded(&self) -> impl Iterator<Item = TableView<'_>> {
        self.tables().filter(|it| 1 < self.setting.shards && it.placed.sharded())
    }

    /// All patterns under the plan that reach the shards; none without a plan.
    pub fn patterns(&self) -> impl Iterator<Item = PatternView<'a>> {
        self.patterns.iter().copied().filter(|it| it.figures.rate > 0.0)
    }

    /// All statements of patterns that reach the shards.
    pub fn statements(&self) -> impl Iterator<Item = StatementView<'a>> {
        self.statements.iter().copied().filter(|it| it.of.figures.rate > 0.0)
    }

    /// The statements of one pattern.
    #[must_use]
    pub fn statements_of(&self, of: &PatternView<'_>) -> &[StatementView<'a>] {
        &self.statements[of.statements.0..of.statements.1]
    }

    /// The statements that name a table, of patterns that reach the shards.
    pub fn statements_on(&self, table: TableId) -> impl Iterator<Item = StatementView<'a>> {
        let all = self.on_table.get(table.0 as usize).map_or(&[][..], Vec::as_slice);
        all.iter().map(|at| self.statements[*at]).filter(|it| it.of.figures.rate > 0.0)
    }

    /// The load on the hottest value of a table's key.
    #[must_use]
    pub fn heat(&self, table: TableId) -> Heat {
        self.heat.get(table.0 as usize).copied().unwrap_or_default()
    }

    /// Requests a second of all patterns that reach the shards.
    #[must_use]
    pub fn total_rate(&self) -> f64 {
        self.total_rate
    }

    /// A table placed otherwise, its indexes as they are.
    #[must_use]
    pub fn placed_with(&self, table: TableId, choice: &Choice) -> Option<Placed> {
        let old = self.assessment?.placed.get(table.0 as usize)?;
        let indexes: Vec<&Index> = old.indexes.iter().map(|it: &PlacedIndex| &it.index).collect();
        Some(place(self.design, self.engine(), &self.setting.copied, table, choice, &indexes))
    }

    /// What the plan is worth with one table placed otherwise: only the
    /// patterns that use the table are judged again.
    #[must_use]
    pub(crate) fn change(&self, table: TableId, placed: &Placed) -> Option<Change> {
        let now = self.assessment?;
        let with = |id: TableId| if id == table { placed } else { &now.placed[id.0 as usize] };
        let mut touched: Vec<PatternId> = self.statements_on(table).map(|it| it.of.id).collect();
        touched.dedup();
        let (mut weighted, mut single) =
            (now.totals.weighted, now.totals.single_shard_share * self.total_rate);
        let mut patterns = Vec::new();
        for id in touched {
            let was = &now.patterns[id.0 as usize];
            let is = pattern_figures(self.setting, id, &with, &Spaces::default(), self.reading());
            weighted += is.rate * is.weighted - was.rate * was.weighted;
            single += was.rate * (was.touched.multi - is.touched.multi);
            patterns.push(is);
        }
        let single_shard_share = if self.total_rate > 0.0 { single / self.total_rate } else { 1.0 };
        Some(Change { weighted, single_shard_share, patterns })
    }

    /// Figures of a pattern as the plan stands.
    #[must_use]
    pub(crate) fn figures(&self, pattern: PatternId) -> Option<&'a PatternFigures> {
        self.context.assessment?.patterns.get(pattern.0 as usize)
    }
}

/// The tables that a statement names, each once.
fn tables_of(instances: &[crate::analysis::routing::InstanceRoute]) -> Vec<TableId> {
    let mut tables: Vec<TableId> = instances.iter().map(|it| it.table).collect();
    tables.sort_unstable();
    tables.dedup();
    tables
}
