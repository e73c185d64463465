//! What a plan is worth: `evaluate` judges every pattern and table under one
//! choice for each table. Two plans are compared by their assessments and by
//! nothing else.

use crate::analysis::classes::Reading;
use crate::analysis::placed::{Placed, place, row_spread};
use crate::analysis::routing::{At, How, Spaces, StatementRoute, committed, route, touched};
use crate::analysis::setting::Setting;
use crate::analysis::skew::empty_shards;
use crate::analysis::spread::Spread;
use crate::analysis::tail::slow_request_share;
use crate::analysis::tokens::Spreading;
use crate::model::{Choice, ColumnId, Design, Index, Operation, PatternId, Plan, ShardKey, TableId};
use crate::target::Engine;
use crate::units::Share;

/// Share of a shard's answers that are slow when tail latency is judged.
const SLOW: f64 = 0.01;

/// What a plan is worth.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// Where each table's rows live, by table.
    pub placed: Vec<Placed>,
    /// Figures of each table.
    pub tables: Vec<TableFigures>,
    /// Figures of each pattern.
    pub patterns: Vec<PatternFigures>,
    /// Figures of the whole.
    pub totals: Totals,
}

/// A figure for rows, for reads and for writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Three {
    /// Of stored rows.
    pub rows: f64,
    /// Of reads.
    pub reads: f64,
    /// Of writes.
    pub writes: f64,
}

impl Three {
    /// The worst of the three.
    #[must_use]
    pub fn max(&self) -> f64 {
        self.rows.max(self.reads).max(self.writes)
    }
}

/// Figures of one table under its key.
#[derive(Clone, Debug)]
pub struct TableFigures {
    /// The table.
    pub table: TableId,
    /// Distinct key values at the horizon.
    pub distinct: f64,
    /// Effective key values at the horizon: 1/Σp².
    pub effective: f64,
    /// Load of the busiest shard over the mean.
    pub busiest: Three,
    /// Share of the hottest key value.
    pub hottest: Three,
    /// Expected share of shards without a row.
    pub empty: f64,
    /// Bytes now and at the horizon, one copy.
    pub bytes: (f64, f64),
}

/// How a pattern is routed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routing {
    /// One shard.
    Single,
    /// A few known shards.
    Few,
    /// A run of shards in key order.
    Range,
    /// All shards.
    Scatter,
    /// Any one copy.
    Replicated,
    /// The shard of the unsharded tables.
    Unsharded,
    /// Served elsewhere.
    None,
}

impl Routing {
    /// Its name in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Few => "few",
            Self::Range => "range",
            Self::Scatter => "scatter",
            Self::Replicated => "replicated",
            Self::Unsharded => "unsharded",
            Self::None => "none",
        }
    }
}

/// Figures of one pattern.
#[derive(Clone, Debug)]
pub struct PatternFigures {
    /// The pattern.
    pub pattern: PatternId,
    /// How it is routed.
    pub routing: Routing,
    /// Requests a second that reach the shards.
    pub rate: f64,
    /// Shards touched.
    pub touched: Spreading,
    /// Shards with rows written.
    pub written: Spreading,
    /// Shard requests of one execution.
    pub requests: f64,
    /// Work of one execution, commit included.
    pub work: f64,
    /// Its work times the busiest shard's load over the mean.
    pub weighted: f64,
    /// Its work on one node that holds everything.
    pub ideal: f64,
    /// Probability that a request is slow if a shard's answer is with 1 %.
    pub slow: f64,
    /// Its statements.
    pub statements: Vec<StatementRoute>,
}

impl PatternFigures {
    /// The name of an index that answers part of it.
    #[must_use]
    pub fn index<'a>(&self, placed: &'a [Placed]) -> Option<&'a Index> {
        self.statements.iter().flat_map(|it| &it.instances).find_map(|it| match it.how {
            How::Index { at, .. } => placed[it.table.0 as usize].indexes.get(at).map(|it| &it.index),
            _ => None,
        })
    }

    /// Whether it can write on more than one shard.
    #[must_use]
    pub fn crosses(&self) -> bool {
        0.0 < self.written.multi
    }
}

/// Figures of the whole plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// ideal / (S · busiest).
    pub efficiency: f64,
    /// Share of requests on one shard.
    pub single_shard_share: f64,
    /// Share of requests that ask all shards.
    pub scatter_share: f64,
    /// Share of requests that write on more than one shard.
    pub cross_shard_transaction_share: f64,
    /// Work-weighted load of the busiest shard over the mean.
    pub busiest_over_mean: f64,
    /// Requests a second.
    pub requests: f64,
    /// Shard requests a second.
    pub shard_requests: f64,
    /// Bytes today, one copy.
    pub bytes: f64,
    /// Share of the rate whose statements could be read.
    pub rate_analysed: f64,
    /// Σ λ · ideal, shard requests a second.
    pub ideal: f64,
    /// Σ λ · work · σ = S · busiest.
    pub weighted: f64,
}

/// Where each table's rows live under a plan: as it says; a table it leaves out
/// is unsharded where the engine has that, else distributed by its primary key.
#[must_use]
pub fn placed_of(setting: &Setting<'_>, plan: &Plan) -> Vec<Placed> {
    let design = setting.design;
    design
        .table_ids()
        .map(|table| {
            let left_out = default_choice(design, setting.engine, table);
            let choice = plan.tables.get(&table).map_or(&left_out, |it| &it.choice);
            let indexes: Vec<&Index> = plan.indexes.iter().filter(|it| it.table == table).collect();
            place(design, setting.engine, &setting.copied, table, choice, &indexes)
        })
        .collect()
}

/// The choice for a table that a plan leaves out.
#[must_use]
pub fn default_choice(design: &Design, engine: &Engine, table: TableId) -> Choice {
    let it = design.table(table);
    if engine.unsharded {
        return Choice::Unsharded;
    }
    let key =
        if it.primary_key.is_empty() { it.column_ids().take(1).collect() } else { it.primary_key.clone() };
    let most = engine.key.max_columns.map_or(usize::MAX, |it| it.value as usize);
    let key: Vec<ColumnId> = key.into_iter().take(most).collect();
    if key.is_empty() { Choice::Unsharded } else { Choice::Sharded(ShardKey::of_columns(&key)) }
}

/// Judges a plan: one choice for each table.
#[must_use]
pub fn evaluate(setting: &Setting<'_>, placed: Vec<Placed>, reading: Reading) -> Assessment {
    let spaces = Spaces::default();
    let patterns: Vec<PatternFigures> = setting
        .design
        .pattern_ids()
        .map(|it| pattern_figures(setting, it, &|table: TableId| &placed[table.0 as usize], &spaces, reading))
        .collect();
    let loads = loads(setting, &patterns);
    let tables = placed.iter().map(|it| table_figures(setting, it, loads[it.table.0 as usize])).collect();
    let totals = totals(setting, &patterns);
    Assessment { placed, tables, patterns, totals }
}

/// The totals of a plan alone, where its tables' figures are not asked for.
#[must_use]
pub fn evaluate_totals(setting: &Setting<'_>, placed: &[Placed], reading: Reading) -> Totals {
    let spaces = Spaces::default();
    let of = |table: TableId| &placed[table.0 as usize];
    let patterns: Vec<PatternFigures> =
        setting.design.pattern_ids().map(|it| pattern_figures(setting, it, &of, &spaces, reading)).collect();
    totals(setting, &patterns)
}

/// Judges one pattern.
#[must_use]
pub fn pattern_figures<'p>(
    setting: &Setting<'_>,
    pattern: PatternId,
    placed: &dyn Fn(TableId) -> &'p Placed,
    spaces: &Spaces,
    reading: Reading,
) -> PatternFigures {
    let it = setting.design.pattern(pattern);
    let shards = f64::from(setting.shards);
    let rate = setting.served_rate(it);
    let statements: Vec<StatementRoute> =
        At::all(setting, pattern, reading).iter().map(|at| route(at, placed, spaces)).collect();
    let touched = touched(&statements, shards);
    let written = committed(statements.iter(), shards, false);
    let commit = commit_work(setting, &statements);
    let sum = |of: fn(&StatementRoute) -> f64| statements.iter().map(of).sum::<f64>();
    let slow = Share::new(SLOW).map_or(0.0, |p| slow_request_share(p, touched.mean).get());
    let routing = routing_of(&statements, touched, 0.0 < rate);
    PatternFigures {
        pattern,
        routing,
        rate,
        touched,
        written,
        requests: sum(|it| it.requests),
        work: sum(|it| it.work) + commit.0,
        weighted: sum(|it| it.weighted) + commit.1,
        ideal: sum(|it| it.ideal),
        slow,
        statements,
    }
}

/// What committing on several shards costs one execution: one request on each
/// participant, and each write once more (prepare, commit). Unweighted and
/// weighted by the busiest shard's load.
#[must_use]
pub fn commit_work(setting: &Setting<'_>, statements: &[StatementRoute]) -> (f64, f64) {
    let on = committed(statements.iter(), f64::from(setting.shards), true);
    if on.mean <= 0.0 {
        return (0.0, 0.0);
    }
    // E[n; n > 1] = E[n] − P(n = 1)
    let participants = (on.mean - (1.0 - on.multi)).max(0.0) * setting.design.costs.commit;
    let again: f64 = statements.iter().map(|it| it.write_work).sum::<f64>() * on.multi;
    let again_weighted: f64 = statements.iter().map(|it| it.write_weighted).sum::<f64>() * on.multi;
    (participants + again, participants + again_weighted)
}

fn routing_of(statements: &[StatementRoute], touched: Spreading, served: bool) -> Routing {
    if !served {
        return Routing::None;
    }
    let hows = || statements.iter().flat_map(|it| it.instances.iter().map(|it| &it.how));
    if statements.iter().any(|it| it.scatter || it.writes_all) {
        Routing::Scatter
    } else if hows().all(|it| matches!(it, How::Replicated)) {
        Routing::Replicated
    } else if hows().all(|it| matches!(it, How::Replicated | How::Home)) {
        Routing::Unsharded
    } else if hows().any(|it| matches!(it, How::Run(_))) {
        Routing::Range
    } else if touched.max <= 1.0 {
        Routing::Single
    } else {
        Routing::Few
    }
}

fn totals(setting: &Setting<'_>, patterns: &[PatternFigures]) -> Totals {
    let sum = |of: &dyn Fn(&PatternFigures) -> f64| patterns.iter().map(|it| it.rate * of(it)).sum::<f64>();
    let requests = sum(&|_| 1.0);
    let share = |part: f64| if 0.0 < requests { part / requests } else { 0.0 };
    let (ideal, weighted, work) = (sum(&|it| it.ideal), sum(&|it| it.weighted), sum(&|it| it.work));
    let all: f64 = setting.design.patterns.iter().map(|it| it.rate.get()).sum();
    let unread: f64 =
        setting.design.patterns.iter().filter(|it| !it.unread.is_empty()).map(|it| it.rate.get()).sum();
    Totals {
        efficiency: if 0.0 < weighted { (ideal / weighted).min(1.0) } else { 1.0 },
        single_shard_share: share(sum(&|it| 1.0 - it.touched.multi)),
        scatter_share: share(sum(&|it| f64::from(u8::from(it.routing == Routing::Scatter)))),
        cross_shard_transaction_share: share(sum(&|it| it.written.multi)),
        busiest_over_mean: if 0.0 < work { weighted / work } else { 1.0 },
        requests,
        shard_requests: sum(&|it| it.requests),
        bytes: setting.facts.iter().map(|it| it.rows * it.row_bytes).sum(),
        rate_analysed: if 0.0 < all { 1.0 - unread / all } else { 1.0 },
        ideal,
        weighted,
    }
}

fn table_figures(setting: &Setting<'_>, placed: &Placed, loads: (Load, Load)) -> TableFigures {
    let later = row_spread(&setting.facts, &setting.copied, setting.design, placed, true, setting.shards);
    let now = row_spread(&setting.facts, &setting.copied, setting.design, placed, false, setting.shards);
    let facts = setting.table(placed.table);
    let (reads, writes) = (loads.0.means(), loads.1.means());
    let rows = rows_busiest(setting, placed, &now);
    TableFigures {
        table: placed.table,
        distinct: if placed.sharded() { distinct_later(setting, placed, &later) } else { 1.0 },
        effective: if placed.sharded() { later.effective() } else { 1.0 },
        busiest: Three { rows, reads: reads.0, writes: writes.0 },
        hottest: Three { rows: now.top(), reads: reads.1, writes: writes.1 },
        empty: if placed.sharded() { empty_shards(&now, setting.shards) } else { 0.0 },
        bytes: crate::analysis::facts::table_bytes(facts),
    }
}

/// Distinct values of the key at the horizon; for one column its own growth counts.
fn distinct_later(setting: &Setting<'_>, placed: &Placed, later: &Spread) -> f64 {
    use crate::analysis::placed::PlacedPart;
    match placed.parts.as_slice() {
        [PlacedPart::Column(column)] => setting.table(placed.table).columns[column.0 as usize].distinct_later,
        _ => later.distinct(),
    }
}

fn rows_busiest(setting: &Setting<'_>, placed: &Placed, spread: &Spread) -> f64 {
    match placed.choice {
        Choice::Sharded(_) => setting.busiest_over_mean(spread, placed.strategy),
        Choice::Replicated => 1.0,
        Choice::Unsharded => f64::from(setting.shards),
    }
}

/// Work-weighted sums over the statements that read, or write, one table.
#[derive(Clone, Copy, Default)]
struct Load {
    weight: f64,
    busiest: f64,
    hottest: f64,
}

impl Load {
    fn add(&mut self, weight: f64, it: &StatementRoute) {
        self.weight += weight;
        self.busiest += weight * it.sigma;
        self.hottest += weight * it.top;
    }

    /// Busiest shard over the mean, and share of the hottest value.
    fn means(self) -> (f64, f64) {
        if 0.0 < self.weight { (self.busiest / self.weight, self.hottest / self.weight) } else { (1.0, 0.0) }
    }
}

/// Loads of every table by reads and by writes, in one pass over the patterns.
fn loads(setting: &Setting<'_>, patterns: &[PatternFigures]) -> Vec<(Load, Load)> {
    let mut loads = vec![(Load::default(), Load::default()); setting.design.tables.len()];
    for figures in patterns {
        let pattern = setting.design.pattern(figures.pattern);
        for ((_, statement), it) in pattern.statements().zip(&figures.statements) {
            let weight = figures.rate * it.work;
            if let Some(table) = statement.written_table() {
                loads[table.0 as usize].1.add(weight, it);
            } else if statement.op == Operation::Read {
                let mut tables: Vec<TableId> = it.instances.iter().map(|it| it.table).collect();
                tables.sort();
                tables.dedup();
                for table in tables {
                    loads[table.0 as usize].0.add(weight, it);
                }
            }
        }
    }
    loads
}
