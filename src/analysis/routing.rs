//! Routing: which shards a statement touches under a plan, what it costs
//! there, and how evenly that cost falls.

use crate::analysis::classes::{Class, ClassId, Classes, Reading};
use crate::analysis::facts::copied_facts;
use crate::analysis::placed::{Placed, PlacedIndex, PlacedPart, Space, salted};
use crate::analysis::setting::Setting;
use crate::analysis::spread::Spread;
use crate::analysis::tokens::{Atom, Spreading, Token, spreading};
use crate::model::{
    ColumnId, Include, InstanceId, Operation, ParamId, PatternId, RangeWidth, Selected, Statement, Strategy,
    TableId,
};

mod index;
mod rows;

pub(crate) use index::{entries_written, read_sigma, write_sigma};
pub use rows::{matching_rows, returned_rows};

/// How one table instance of a statement is reached.
#[derive(Clone, Debug, PartialEq)]
pub enum How {
    /// Any one copy; for a write all of them.
    Replicated,
    /// The one shard of an unsharded table.
    Home,
    /// The whole key is bound to one value.
    Key,
    /// The key is bound to so many values (IN, salts, buckets, repetitions).
    Few(f64),
    /// A leading part of the key, or a range of it: a share of the rows in key order.
    Run(f64),
    /// On the shard of another instance, whose key columns are equal.
    With(InstanceId),
    /// One look-up for each of so many rows of another instance.
    PerRow(f64),
    /// Through a global index, by its position in the table's list.
    Index {
        /// Position in [`Placed::indexes`].
        at: usize,
        /// Whether the index answers alone.
        covers: bool,
    },
    /// All shards.
    Scatter,
}

/// Where one table instance of a statement is found.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceRoute {
    /// The instance.
    pub instance: InstanceId,
    /// Its table.
    pub table: TableId,
    /// How it is reached.
    pub how: How,
    /// Key parts that nothing binds, by position.
    pub missing: Vec<usize>,
    /// Rows of the table that satisfy the statement's conditions on it.
    pub rows: f64,
    /// Time buckets that are read, where the key has one.
    pub buckets: Option<f64>,
    /// Its tokens.
    pub tokens: Vec<Token>,
}

/// Where a statement goes and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementRoute {
    /// Each instance.
    pub instances: Vec<InstanceRoute>,
    /// Tokens of all instances and index partitions.
    pub tokens: Vec<Token>,
    /// Whether all shards are asked.
    pub scatter: bool,
    /// Further shards that a run of a range touches, expected.
    pub run: f64,
    /// Largest number of shards the runs touch.
    pub run_max: f64,
    /// Tokens on which rows are written.
    pub writes: Vec<Token>,
    /// Whether rows are written everywhere.
    pub writes_all: bool,
    /// Tokens of index partitions that commit together with the rows.
    pub index_writes: Vec<Token>,
    /// Shard requests of one execution of the pattern.
    pub requests: f64,
    /// Work of one execution.
    pub work: f64,
    /// Work of one execution times the busiest shard's load over the mean.
    pub weighted: f64,
    /// The same work on one node that holds everything.
    pub ideal: f64,
    /// Weighted work of the writes alone, which a prepare doubles.
    pub write_weighted: f64,
    /// Unweighted work of the writes alone.
    pub write_work: f64,
    /// Rows returned or changed in one execution.
    pub rows: f64,
    /// Rows moved between shards for joins.
    pub moved: f64,
    /// Load of the busiest shard over the mean, for the reads or writes of this statement.
    pub sigma: f64,
    /// Share of the hottest token of the statement's main instance.
    pub top: f64,
}

/// One statement of a pattern with everything routing asks for.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// The setting.
    pub setting: &'a Setting<'a>,
    /// The pattern.
    pub pattern: PatternId,
    /// The classes of the pattern.
    pub classes: &'a Classes,
    /// Position of the statement in the pattern.
    pub idx: u32,
    /// The statement.
    pub statement: &'a Statement,
    /// Position of its step.
    pub step: u32,
    /// Runs of its step.
    pub times: f64,
    /// Whether the classes count what foreign keys imply.
    pub implied: bool,
}

impl<'a> At<'a> {
    /// All statements of a pattern.
    #[must_use]
    pub fn all(setting: &'a Setting<'a>, pattern: PatternId, reading: Reading) -> Vec<Self> {
        let classes = setting.classes(pattern, reading);
        let steps = &setting.design.pattern(pattern).steps;
        let mut all = Vec::new();
        for (step, it) in steps.iter().enumerate() {
            for statement in &it.statements {
                let (idx, times) = (all.len() as u32, f64::from(it.times.max(1)));
                all.push(Self {
                    setting,
                    pattern,
                    classes,
                    idx,
                    statement,
                    step: step as u32,
                    times,
                    implied: reading == Reading::Implied,
                });
            }
        }
        all
    }

    /// Class of a column of an instance.
    fn column(&self, instance: InstanceId, column: ColumnId) -> Option<ClassId> {
        self.classes.column(self.idx, instance, column)
    }

    /// Class of a key part of an instance.
    fn part(&self, instance: InstanceId, part: &PlacedPart) -> Option<ClassId> {
        match part {
            PlacedPart::Column(column) | PlacedPart::Bucket(column, _) => self.column(instance, *column),
            PlacedPart::Copied(at) => self.classes.copied(self.idx, instance, *at),
            PlacedPart::Expression(text, _) => self.classes.expression(self.idx, instance, text),
        }
    }

    /// Share of the executions that ask the most requested key value of an
    /// instance whose key is bound. A salt divides the share of a write and of a
    /// read that knows the salt; other reads ask every salt and divide nothing.
    #[must_use]
    pub fn hottest(&self, instance: InstanceId, placed: &Placed) -> f64 {
        let asks_all = salts_read(self, instance, placed, self.inserts(instance)) > 1.0;
        if asks_all {
            return self.load_spread(instance, &Placed { salt: None, ..placed.clone() }).top();
        }
        self.load_spread(instance, placed).top()
    }

    fn inserts(&self, instance: InstanceId) -> bool {
        self.statement.target == Some(instance)
            && matches!(self.statement.op, Operation::Insert | Operation::Upsert)
    }

    /// Independent values that a class takes over the runs of the step.
    fn draws(&self, class: &Class) -> f64 {
        let differs = class.params.iter().any(|(_, step)| *step == Some(self.step));
        if differs { self.times } else { 1.0 }
    }

    /// How requests spread over the values of a column as the class binds it.
    fn spread_of(
        &self,
        class: Option<&Class>,
        facts: &crate::analysis::facts::ColumnFacts,
        inserting: bool,
    ) -> Spread {
        if let Some(class) = class {
            if class.null || !class.constants.is_empty() {
                return Spread::constant();
            }
            let given = class.params.iter().find_map(|(id, _)| self.popularity(*id));
            if let Some(popularity) = given {
                return Spread::of(popularity, facts.distinct);
            }
        }
        match inserting {
            true if facts.current_value_takes_inserts => Spread::constant(),
            true => facts.rows.clone(),
            false => facts.values.clone(),
        }
    }

    fn popularity(&self, id: ParamId) -> Option<&crate::model::Distribution> {
        let params = &self.setting.design.pattern(self.pattern).params;
        let param = params.get(id.0 as usize)?;
        param.popularity.as_ref().or_else(|| {
            // A parameter that usually equals another is asked for as the other is.
            let (base, _) = param.same_as?;
            params.get(base.0 as usize)?.popularity.as_ref()
        })
    }

    /// How the load of an instance spreads over the tokens of its key.
    fn load_spread(&self, instance: InstanceId, placed: &Placed) -> Spread {
        let setting = self.setting;
        let facts = setting.table(placed.table);
        let table = setting.design.table(placed.table);
        let inserting = self.inserts(instance);
        let mut spread = Spread::constant();
        for (idx, part) in placed.parts.iter().take(placed.deciding).enumerate() {
            let class = self.part(instance, part).map(|it| self.classes.class(it));
            let it = match part {
                // The load falls on the current bucket.
                PlacedPart::Bucket(..) => continue,
                PlacedPart::Column(column) | PlacedPart::Expression(_, column) => {
                    let determined = placed.parts.iter().enumerate().any(|(other, it)| {
                        matches!(it, PlacedPart::Column(by)
                            if other != idx && table.column(*by).determines.contains(column))
                    });
                    if determined {
                        continue;
                    }
                    self.spread_of(class, &facts.columns[column.0 as usize], inserting)
                }
                PlacedPart::Copied(at) => match setting.copied[placed.table.0 as usize].get(*at) {
                    Some(it) => self.spread_of(class, &copied_facts(&setting.facts, it), inserting),
                    None => continue,
                },
            };
            spread = spread.times(&it, facts.rows);
        }
        salted(spread, placed.salt, setting.shards)
    }

    /// Load of the busiest shard over the mean for an instance whose key is bound,
    /// and the share of the hottest value.
    fn sigma(&self, instance: InstanceId, placed: &Placed) -> (f64, f64) {
        let shards = f64::from(self.setting.shards);
        if self.inserts(instance)
            && placed.strategy == Strategy::Range
            && grows_at_front(self.setting, placed)
        {
            let ways = placed.salt.map_or(1.0, |it| f64::from(it.ways));
            return ((shards / ways).max(1.0), (1.0 / ways).min(1.0));
        }
        let salt = placed.salt.map_or((0, false), |it| (it.ways, it.only_hot));
        let inserting = self.inserts(instance);
        let sources =
            placed.parts.iter().take(placed.deciding).map(|it| self.source_of(instance, it, inserting));
        let question = (placed.table, placed.strategy, salt.0, salt.1, sources.collect());
        self.setting.load_once(question, &|| {
            let spread = self.load_spread(instance, placed);
            (self.setting.busiest_over_mean(&spread, placed.strategy), spread.top())
        })
    }

    /// Where the spread of a key part's values comes from, as numbers that are
    /// equal exactly where [`Self::spread_of`] answers the same.
    fn source_of(&self, instance: InstanceId, part: &PlacedPart, inserting: bool) -> (u64, u64) {
        let name = match part {
            PlacedPart::Column(column) => u64::from(column.0) << 2,
            PlacedPart::Copied(at) => (*at as u64) << 2 | 1,
            PlacedPart::Bucket(column, _) => u64::from(column.0) << 2 | 2,
            PlacedPart::Expression(_, column) => u64::from(column.0) << 2 | 3,
        };
        let Some(class) = self.part(instance, part).map(|it| self.classes.class(it)) else {
            return (name, u64::from(inserting));
        };
        if class.null || !class.constants.is_empty() {
            return (name, 2);
        }
        match class.params.iter().find(|(id, _)| self.popularity(*id).is_some()) {
            Some((id, _)) => (name, 8 + (u64::from(self.pattern.0) << 32 | u64::from(id.0))),
            None => (name, u64::from(inserting)),
        }
    }
}

/// Whether the first part of a key in order only grows.
#[must_use]
pub fn grows_at_front(setting: &Setting<'_>, placed: &Placed) -> bool {
    match placed.parts.first() {
        Some(PlacedPart::Column(column) | PlacedPart::Bucket(column, _)) => {
            setting.design.table(placed.table).column(*column).grows()
        }
        Some(PlacedPart::Copied(at)) => setting.copied[placed.table.0 as usize]
            .get(*at)
            .is_some_and(|it| setting.design.table(it.source).column(it.column).grows()),
        _ => false,
    }
}

/// A number for each space, so that tokens compare quickly.
#[derive(Debug, Default)]
pub struct Spaces {
    known: std::cell::RefCell<std::collections::BTreeMap<Space, u32>>,
}

impl Spaces {
    /// The number of a space.
    #[must_use]
    pub fn id(&self, space: &Space) -> u32 {
        let mut known = self.known.borrow_mut();
        let next = known.len() as u32;
        *known.entry(space.clone()).or_insert(next)
    }
}

/// What a key binds to in one instance.
pub(super) struct Bound {
    pub(super) tokens: Vec<Token>,
    pub(super) missing: Vec<usize>,
    /// Values that are read, buckets and salts included.
    pub(super) values: f64,
    pub(super) buckets: Option<f64>,
    /// Classes of the parts that only other rows bind.
    pub(super) by_rows: bool,
}

/// Routes a statement under a plan.
#[must_use]
pub fn route<'p>(at: &At<'_>, placed: &dyn Fn(TableId) -> &'p Placed, spaces: &Spaces) -> StatementRoute {
    let statement = at.statement;
    let mut routes: Vec<InstanceRoute> = Vec::new();
    let mut waiting: Vec<InstanceId> = Vec::new();
    for instance in statement.instance_ids() {
        match direct(at, instance, placed(statement.instance(instance).table), spaces) {
            Some(it) => routes.push(it),
            None => waiting.push(instance),
        }
    }
    // Instances that nothing binds directly: with another one, per row of another, or everywhere.
    while !waiting.is_empty() {
        let with = waiting.iter().position(|it| joined(at, *it, placed, spaces, &routes).is_some());
        let pick = with.unwrap_or_else(|| most_wanted(at, &waiting, placed));
        let instance = waiting.remove(pick);
        let it = placed(statement.instance(instance).table);
        let route = joined(at, instance, placed, spaces, &routes)
            .unwrap_or_else(|| indirect(at, instance, it, spaces));
        routes.push(route);
    }
    routes.sort_by_key(|it| it.instance);
    cost(at, routes, placed, spaces)
}

/// Among instances that must ask everywhere, the one that spares the others
/// most: it is asked first and the others follow it where they can.
fn most_wanted<'p>(at: &At<'_>, waiting: &[InstanceId], placed: &dyn Fn(TableId) -> &'p Placed) -> usize {
    let score = |it: &InstanceId| {
        let table = at.statement.instance(*it).table;
        let by_index = index::best(at, *it, placed(table)).is_some();
        let rows = matching_rows(at, *it);
        (by_index, std::cmp::Reverse(rows.to_bits()))
    };
    (0..waiting.len())
        .max_by(|a, b| score(&waiting[*a]).cmp(&score(&waiting[*b])).then(b.cmp(a)))
        .unwrap_or(0)
}

/// The route of an instance whose place follows from itself alone.
fn direct(at: &At<'_>, instance: InstanceId, placed: &Placed, spaces: &Spaces) -> Option<InstanceRoute> {
    let route = |how, missing: Vec<usize>, tokens, buckets| InstanceRoute {
        instance,
        table: placed.table,
        how,
        missing,
        rows: matching_rows(at, instance),
        buckets,
        tokens,
    };
    match placed.choice {
        crate::model::Choice::Replicated => {
            return Some(route(How::Replicated, Vec::new(), Vec::new(), None));
        }
        crate::model::Choice::Unsharded => {
            let home = Token {
                space: spaces.id(&Space::Home),
                atoms: vec![Atom::Home],
                mostly: None,
                draws: 1.0,
                most: 1.0,
            };
            return Some(route(How::Home, Vec::new(), vec![home], None));
        }
        crate::model::Choice::Sharded(_) => {}
    }
    let bound = bind(at, instance, placed, spaces);
    if !bound.missing.is_empty() || bound.by_rows {
        return None;
    }
    let how = if bound.values <= 1.0 { How::Key } else { How::Few(bound.values) };
    Some(route(how, Vec::new(), bound.tokens, bound.buckets))
}

/// The tokens of an instance's key, as far as its parts are bound.
pub(super) fn bind(at: &At<'_>, instance: InstanceId, placed: &Placed, spaces: &Spaces) -> Bound {
    let inserting = at.inserts(instance);
    let (mut atoms, mut missing) = (Vec::new(), Vec::new());
    let (mut mostly, mut share): (Vec<Atom>, f64) = (Vec::new(), 1.0);
    let (mut draws, mut listed, mut buckets) = (1.0_f64, 1.0_f64, None);
    let mut by_rows = false;
    for (idx, part) in placed.parts.iter().take(placed.deciding).enumerate() {
        let id = at.part(instance, part);
        let class = id.map(|it| at.classes.class(it));
        if let PlacedPart::Bucket(column, every) = part {
            let n = if inserting { 1.0 } else { buckets_read(at, class, placed.table, *column, *every) };
            buckets = Some(n);
            let atom = Atom::Bucket(id.map_or(u32::MAX - instance.0, |it| it.0));
            atoms.push(atom.clone());
            mostly.push(atom);
            continue;
        }
        match (id, class) {
            (Some(id), Some(class)) if class.bound() => {
                draws = draws.max(at.draws(class));
                atoms.push(Atom::Class(id.0));
                let (base, p) = mostly_same(at, class);
                mostly.push(Atom::Class(base.unwrap_or(id).0));
                share *= p;
            }
            (Some(id), Some(class)) if class.list.is_some() => {
                listed *= class.list.unwrap_or(1.0);
                atoms.push(Atom::Class(id.0));
                mostly.push(Atom::Class(id.0));
            }
            // Whoever inserts a row gives it a key; which one is not said here.
            _ if inserting => {
                let own = Atom::Own(at.idx * 64 + idx as u32);
                draws = draws.max(at.times);
                atoms.push(own.clone());
                mostly.push(own);
            }
            (_, class) => {
                by_rows |= class.is_some_and(|it| 1 < it.columns.len());
                missing.push(idx);
            }
        }
    }
    let salts = salts_read(at, instance, placed, inserting);
    if placed.salt.is_some() {
        atoms.push(Atom::Salt);
        mostly.push(Atom::Salt);
    }
    let values = listed * buckets.unwrap_or(1.0) * salts;
    let most = libm::ceil(listed * buckets.map_or(1.0, libm::ceil) * salts * draws);
    let token = Token {
        space: spaces.id(&placed.space),
        mostly: (share < 1.0).then_some((mostly, share)),
        atoms,
        draws: draws * values,
        most,
    };
    let tokens = if missing.is_empty() { vec![token] } else { Vec::new() };
    Bound { tokens, missing: missing.clone(), values, buckets, by_rows: !missing.is_empty() && by_rows }
}

/// The class that a parameter's class equals in a share of the requests, and the share.
fn mostly_same(at: &At<'_>, class: &Class) -> (Option<ClassId>, f64) {
    let params = &at.setting.design.pattern(at.pattern).params;
    for (id, _) in &class.params {
        if let Some((base, share)) = params.get(id.0 as usize).and_then(|it| it.same_as) {
            return (Some(at.classes.param(base, None).unwrap_or(ClassId(u32::MAX - base.0))), share.get());
        }
    }
    (None, 1.0)
}

/// Salts that must be asked: one where the column that the salt comes from is known.
fn salts_read(at: &At<'_>, instance: InstanceId, placed: &Placed, inserting: bool) -> f64 {
    let Some(salt) = placed.salt else { return 1.0 };
    let known =
        salt.from.and_then(|it| at.column(instance, it)).is_some_and(|it| at.classes.class(it).bound());
    if inserting || known {
        return 1.0;
    }
    let ways = f64::from(salt.ways);
    if salt.only_hot {
        // Only requests for hot values ask all salts.
        let plain = at.load_spread(instance, &Placed { salt: None, ..placed.clone() });
        let fair = 1.0 / f64::from(at.setting.shards);
        let hot: f64 = plain.heavy().filter(|it| fair < *it).sum();
        return 1.0 + hot * (ways - 1.0);
    }
    ways
}

/// Time buckets that a condition on the column covers, on average: a range of
/// d over buckets of w lies in 1 + d/w of them; without one, all there are.
fn buckets_read(at: &At<'_>, class: Option<&Class>, table: TableId, column: ColumnId, every: f64) -> f64 {
    if let Some(class) = class {
        if class.bound() {
            return 1.0;
        }
        if let Some(count) = class.list {
            return count;
        }
        if let Some(RangeWidth::Duration(width)) = class.range {
            return 1.0 + width.get() / every;
        }
    }
    let facts = at.setting.table(table);
    let all = facts.history.unwrap_or(facts.columns[column.0 as usize].distinct * every);
    let all = (all / every).max(1.0);
    // Ordered by the time with a limit, the newest buckets come first and reading stops when the page is full.
    match (at.statement.limit, at.statement.order_by.first()) {
        (Some(limit), Some(order)) if order.column.column == column => {
            let a_bucket = matching_rows_of_key(at, table) / all;
            (1.0 + limit as f64 / a_bucket.max(1e-9)).min(all)
        }
        _ => all,
    }
}

/// Rows under one value of the key's other parts, roughly: rows over the
/// distinct values of what the statement binds.
fn matching_rows_of_key(at: &At<'_>, table: TableId) -> f64 {
    at.statement
        .instance_ids()
        .find(|it| at.statement.instance(*it).table == table)
        .map_or(1.0, |it| matching_rows(at, it))
}

/// The route of an instance through another that is already routed.
fn joined<'p>(
    at: &At<'_>,
    instance: InstanceId,
    placed: &dyn Fn(TableId) -> &'p Placed,
    spaces: &Spaces,
    routes: &[InstanceRoute],
) -> Option<InstanceRoute> {
    let own = placed(at.statement.instance(instance).table);
    let bound = bind(at, instance, own, spaces);
    let rows = matching_rows(at, instance);
    let parts = &own.parts[..own.deciding.min(own.parts.len())];
    for route in routes {
        let other = placed(route.table);
        if !other.sharded()
            || other.space != own.space
            || matches!(route.how, How::Index { covers: true, .. })
        {
            continue;
        }
        let other_parts = &other.parts[..other.deciding.min(other.parts.len())];
        let equal = parts.len() == other_parts.len()
            && parts.iter().zip(other_parts).all(|(a, b)| {
                let (a, b) = (at.part(instance, a), at.part(route.instance, b));
                a.is_some() && a == b
            });
        if equal {
            let how = How::With(route.instance);
            return Some(InstanceRoute {
                instance,
                table: own.table,
                how,
                missing: bound.missing,
                rows,
                buckets: bound.buckets,
                tokens: route.tokens.clone(),
            });
        }
    }
    // Each missing part equals a column of a routed instance: one look-up a row of it.
    let mut driver: Option<f64> = None;
    for idx in &bound.missing {
        let class = at.part(instance, &own.parts[*idx]).map(|it| at.classes.class(it))?;
        let by = class
            .columns
            .iter()
            .filter(|(stmt, column)| *stmt == at.idx && column.instance != instance)
            .find_map(|(_, column)| routes.iter().find(|it| it.instance == column.instance))?;
        driver = Some(driver.map_or(by.rows, |old: f64| old.max(by.rows)));
    }
    let limit = at.statement.limit.map_or(f64::INFINITY, |it| it as f64);
    let draws = driver?.min(limit).max(1.0) * bound.values * at.times;
    let atoms = vec![Atom::Own(at.idx * 64 + 32 + instance.0)];
    let token = Token { space: spaces.id(&own.space), atoms, mostly: None, draws, most: libm::ceil(draws) };
    let how = How::PerRow(draws / at.times);
    Some(InstanceRoute {
        instance,
        table: own.table,
        how,
        missing: bound.missing,
        rows,
        buckets: bound.buckets,
        tokens: vec![token],
    })
}

/// The route of an instance that neither its key nor another instance places:
/// an index, a run in key order, or all shards.
fn indirect(at: &At<'_>, instance: InstanceId, placed: &Placed, spaces: &Spaces) -> InstanceRoute {
    let shards = f64::from(at.setting.shards);
    let bound = bind(at, instance, placed, spaces);
    let rows = matching_rows(at, instance);
    let mut route = InstanceRoute {
        instance,
        table: placed.table,
        how: How::Scatter,
        missing: bound.missing,
        rows,
        buckets: bound.buckets,
        tokens: Vec::new(),
    };
    let run = rows::run_share(at, instance, placed);
    let by_run = run.map(|share| 1.0 + share * shards);
    if let Some(found) = index::best(at, instance, placed) {
        let by_index = found.requests(shards);
        if by_index < by_run.unwrap_or(f64::INFINITY).min(shards) || found.covers && by_run.is_none() {
            route.tokens = index::tokens(at, instance, placed, &found, spaces);
            route.how = How::Index { at: found.at, covers: found.covers };
            return route;
        }
    }
    if let Some(share) = run {
        let ways = if at.inserts(instance) { 1.0 } else { placed.salt.map_or(1.0, |it| f64::from(it.ways)) };
        let token = Token {
            space: spaces.id(&placed.space),
            atoms: vec![Atom::Own(at.idx * 64 + instance.0)],
            mostly: None,
            draws: ways,
            most: ways,
        };
        route.how = How::Run(share);
        route.tokens = vec![token];
    }
    route
}

/// Adds up what the routes of a statement's instances touch and cost.
fn cost<'p>(
    at: &At<'_>,
    routes: Vec<InstanceRoute>,
    placed: &dyn Fn(TableId) -> &'p Placed,
    spaces: &Spaces,
) -> StatementRoute {
    let setting = at.setting;
    let costs = &setting.design.costs;
    let shards = f64::from(setting.shards);
    let mut it = StatementRoute {
        instances: Vec::new(),
        tokens: Vec::new(),
        scatter: false,
        run: 0.0,
        run_max: 0.0,
        writes: Vec::new(),
        writes_all: false,
        index_writes: Vec::new(),
        requests: 0.0,
        work: 0.0,
        weighted: 0.0,
        ideal: 0.0,
        write_weighted: 0.0,
        write_work: 0.0,
        rows: returned_rows(at),
        moved: 0.0,
        sigma: 1.0,
        top: 0.0,
    };
    let target = at.statement.target;
    let (mut sigma, mut sharded) = (0.0_f64, false);
    for route in &routes {
        let placed = placed(route.table);
        let writes = target == Some(route.instance);
        match &route.how {
            How::Scatter => it.scatter = true,
            How::Replicated if writes => it.writes_all = true,
            How::Run(share) => {
                let ways = route.tokens.first().map_or(1.0, |it| it.draws);
                it.run += share * shards;
                it.run_max += libm::ceil(share * shards / ways) * ways;
            }
            _ => {}
        }
        if let How::Index { at: idx, .. } = route.how {
            let run = index::best(at, route.instance, placed).map_or(0.0, |it| it.run);
            it.run += run * shards;
            it.run_max += libm::ceil(run * shards / 1.0) * f64::from(u32::from(run > 0.0));
            let by = index::read_sigma(at, route.instance, placed, &placed.indexes[idx]);
            sigma = sigma.max(by.0);
            it.top = it.top.max(by.1);
        }
        it.tokens.extend(route.tokens.iter().cloned());
        let own = match route.how {
            How::Home => (shards, 1.0),
            How::Key | How::Few(_) => at.sigma(route.instance, placed),
            How::Run(_) => (run_sigma(at, route.instance, placed), 0.0),
            _ => (0.0, 0.0),
        };
        sharded |= !matches!(route.how, How::Replicated);
        sigma = sigma.max(own.0);
        it.top = it.top.max(own.1);
    }
    it.sigma = if it.scatter || it.writes_all || !sharded { 1.0 } else { sigma.max(1.0) };
    let touched = if it.scatter || it.writes_all {
        shards
    } else {
        // Repetitions are counted by the factor `times` below; one run touches what one draw touches.
        let once: Vec<Token> = it.tokens.iter().map(|token| once(token, at.times)).collect();
        (spreading(&once.iter().collect::<Vec<_>>(), shards).mean + it.run).clamp(1.0, shards)
    };
    let moved = moved_rows(&routes, placed);
    let (ideal, request_work, row_work) = work_of(at, touched, it.rows, read_rows(at, &routes, it.rows));
    it.moved = moved * at.times;
    it.requests = touched * at.times;
    it.ideal = ideal * at.times;
    it.work = (request_work + row_work + moved * costs.row_moved) * at.times;
    it.weighted = ((request_work + row_work) * it.sigma + moved * costs.row_moved) * at.times;
    if target.is_some() {
        it.write_weighted = (request_work + row_work) * it.sigma * at.times;
        it.write_work = (request_work + row_work) * at.times;
    }
    written_tokens(at, &mut it, &routes);
    it.instances = routes;
    if let Some(target) = target {
        index::upkeep(at, &mut it, placed(at.statement.instance(target).table), spaces);
    }
    it
}

fn once(token: &Token, times: f64) -> Token {
    Token { draws: (token.draws / times).max(1.0), ..token.clone() }
}

/// Work of one run: on one node, and here requests and rows apart.
fn work_of(at: &At<'_>, touched: f64, rows: f64, read: f64) -> (f64, f64, f64) {
    let costs = &at.setting.design.costs;
    let row_work = match at.statement.op {
        Operation::Read => read * costs.row_read,
        _ => (rows - 1.0).max(0.0) * costs.row_written,
    };
    (1.0 + row_work, touched, row_work)
}

/// Rows visited by a read: those returned, once for each table that they come from.
fn read_rows(at: &At<'_>, routes: &[InstanceRoute], returned: f64) -> f64 {
    let tables = routes.iter().filter(|it| !matches!(it.how, How::Replicated)).count().max(1);
    let aggregated = at.statement.aggregate && at.statement.rows.is_none();
    if aggregated { returned } else { returned * tables as f64 }
}

/// Rows that a join moves between shards: those of the smaller side of each
/// pair of instances that lie on different shards.
fn moved_rows<'p>(routes: &[InstanceRoute], placed: &dyn Fn(TableId) -> &'p Placed) -> f64 {
    let mut moved = 0.0;
    let sharded: Vec<&InstanceRoute> =
        routes.iter().filter(|it| !matches!(it.how, How::Replicated)).collect();
    for pair in sharded.windows(2) {
        if !together(pair[0], pair[1], sharded.as_slice(), placed) {
            moved += pair[0].rows.min(pair[1].rows).max(1.0);
        }
    }
    moved
}

/// Whether two instances of a statement are on one shard by equal keys.
#[must_use]
pub fn together<'p>(
    a: &InstanceRoute,
    b: &InstanceRoute,
    all: &[&InstanceRoute],
    placed: &dyn Fn(TableId) -> &'p Placed,
) -> bool {
    let leader = |mut it: InstanceId| {
        for _ in 0..all.len() {
            match all.iter().find(|route| route.instance == it).map(|route| &route.how) {
                Some(How::With(other)) => it = *other,
                _ => break,
            }
        }
        it
    };
    if matches!(a.how, How::Replicated) || matches!(b.how, How::Replicated) {
        return true;
    }
    if leader(a.instance) == leader(b.instance) {
        return true;
    }
    let same_space = placed(a.table).space == placed(b.table).space;
    same_space
        && !a.tokens.is_empty()
        && matches!(a.how, How::Key | How::Few(_) | How::Home)
        && matches!(b.how, How::Key | How::Few(_) | How::Home)
        && a.tokens.iter().map(|it| &it.atoms).eq(b.tokens.iter().map(|it| &it.atoms))
}

/// A run at the end of a growing key is read where it is written.
fn run_sigma(at: &At<'_>, instance: InstanceId, placed: &Placed) -> f64 {
    let shards = f64::from(at.setting.shards);
    let recent = placed.strategy == Strategy::Range
        && grows_at_front(at.setting, placed)
        && placed
            .parts
            .first()
            .and_then(|it| at.part(instance, it))
            .is_some_and(|it| matches!(at.classes.class(it).range, Some(RangeWidth::Duration(_))));
    let ways = placed.salt.map_or(1.0, |it| f64::from(it.ways));
    if recent { (shards / ways).max(1.0) } else { 1.0 }
}

/// Tokens on which the statement changes rows.
fn written_tokens(at: &At<'_>, it: &mut StatementRoute, routes: &[InstanceRoute]) {
    let Some(target) = at.statement.target else { return };
    let Some(route) = routes.iter().find(|it| it.instance == target) else { return };
    match &route.how {
        How::Scatter if 1.5 < it.rows => it.writes_all = true,
        // One row somewhere: all shards are asked, one of them changes it.
        How::Scatter => it.writes.push(Token {
            space: u32::MAX,
            atoms: vec![Atom::Own(at.idx * 64 + 48)],
            mostly: None,
            draws: at.times,
            most: at.times,
        }),
        How::Index { covers, .. } => {
            let base = route.tokens.iter().filter(|it| it.atoms.first() != Some(&index::ENTRY)).cloned();
            it.writes.extend(base);
            debug_assert!(!covers || at.statement.op == Operation::Read, "a write needs its rows");
        }
        _ => it.writes.extend(route.tokens.iter().cloned()),
    }
}

/// Whether a read can be answered from what an index carries.
pub(super) fn covered(at: &At<'_>, instance: InstanceId, index: &PlacedIndex) -> bool {
    let index = &index.index;
    if at.statement.op != Operation::Read {
        return false;
    }
    if index.include == Include::All {
        return true;
    }
    let table = at.setting.design.table(index.table);
    let carries = |column: ColumnId| {
        index.key.contains(&column)
            || index.sort.contains(&column)
            || table.primary_key.contains(&column)
            || matches!(&index.include, Include::Columns(columns) if columns.contains(&column))
    };
    let selected = match &at.statement.selected {
        Selected::All => return false,
        Selected::Columns(columns) => {
            columns.iter().filter(|it| it.instance == instance).all(|it| carries(it.column))
        }
    };
    let filtered =
        at.statement.predicates.iter().all(|it| rows::columns_of(it, instance).iter().all(|it| carries(*it)));
    selected && filtered
}

/// Spreading of a pattern's tokens and runs over the shards.
#[must_use]
pub fn touched(routes: &[StatementRoute], shards: f64) -> Spreading {
    let everything = routes.iter().any(|it| it.scatter || it.writes_all);
    if everything {
        return Spreading::all(shards);
    }
    let tokens: Vec<&Token> = routes.iter().flat_map(|it| &it.tokens).collect();
    let mut it = spreading(&tokens, shards);
    let run: f64 = routes.iter().map(|it| it.run).sum();
    let run_max: f64 = routes.iter().map(|it| it.run_max).sum();
    if run > 0.0 {
        // A run of r shards' rows starts anywhere, so it crosses a border with chance min(1, r).
        it.mean = (it.mean + run).min(shards);
        it.multi = 1.0 - (1.0 - it.multi) * (1.0 - run.min(1.0));
        it.max = (it.max + run_max).min(shards);
    }
    if tokens.is_empty() {
        // Only replicated tables: any one shard.
        it = Spreading { mean: 1.0, multi: 0.0, max: 1.0 };
    }
    it
}

/// Shards on which a pattern commits: those with rows written, and, where
/// `indexes` says so, those with index entries that commit together with them.
#[must_use]
pub fn committed<'r>(
    routes: impl Iterator<Item = &'r StatementRoute> + Clone,
    shards: f64,
    indexes: bool,
) -> Spreading {
    if routes.clone().any(|it| it.writes_all) {
        return Spreading::all(shards);
    }
    let rows = routes.clone().flat_map(|it| &it.writes);
    let entries = routes.filter(|_| indexes).flat_map(|it| &it.index_writes);
    spreading(&rows.chain(entries).collect::<Vec<_>>(), shards)
}
