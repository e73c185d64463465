//! Routing: which shards a statement touches under a plan, what it costs
//! there, and how evenly that cost falls.

use crate::analysis::placed::{Placed, Space};
use crate::analysis::tokens::{Atom, Token};
use crate::model::{InstanceId, TableId};

mod at;
mod bind;
mod cost;
mod index;
mod rows;

pub use at::{At, grows_at_front};
pub use cost::{committed, together, touched};
pub(crate) use index::{entries_written, read_sigma, write_sigma};
pub use rows::{matching_rows, returned_rows};

use bind::bind;
use cost::cost;

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
    let found = matching_rows(at, instance);
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
                rows: found,
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
    // Look-ups by rows that are as many as the shards are no way in: an index or the key's order may be.
    let shards = f64::from(at.setting.shards);
    let once = crate::analysis::shards::distinct_shards(draws / at.times, shards);
    let by_run = rows::run_share(at, instance, own).map_or(shards, |share| 1.0 + share * shards);
    let by_index = index::best(at, instance, own).map_or(shards, |it| it.requests(shards));
    if by_run.min(by_index).min(shards * 0.999) < once {
        return None;
    }
    let atoms = vec![Atom::Own(at.idx * 64 + 32 + instance.0)];
    let token = Token { space: spaces.id(&own.space), atoms, mostly: None, draws, most: libm::ceil(draws) };
    let how = How::PerRow(draws / at.times);
    Some(InstanceRoute {
        instance,
        table: own.table,
        how,
        missing: bound.missing,
        rows: found,
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
