//! From a search space to a weighted constraint problem: one variable a table,
//! one factor a statement, and one for what each pattern's writes cost to commit.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::analysis::assessment::commit_work;
use crate::analysis::classes::Reading;
use crate::analysis::routing::{At, StatementRoute, committed, route};
use crate::analysis::setting::Setting;
use crate::model::{PatternId, TableId};
use crate::search::problem::{LazyFactor, Problem};
use crate::search::space::{SearchSpace, StatementTable, step};
use crate::search::vetoes::keeps_reference;
use crate::target::ForeignKeySupport;

/// Most entries of a tabulated factor.
const MOST_ENTRIES: usize = 300_000;

/// The cost network of a search space: Σ over patterns of λ · work · σ.
#[must_use]
pub fn problem<'a>(setting: &'a Setting<'a>, space: &'a SearchSpace) -> Problem<'a> {
    let mut it = Problem::new(space.tables.iter().map(|it| it.states.len()).collect());
    for statement in &space.statements {
        add_statement(setting, space, statement, &mut it);
    }
    for pattern in setting.design.pattern_ids() {
        add_commit(setting, space, pattern, &mut it);
    }
    add_references(setting, space, &mut it);
    it
}

fn add_statement<'a>(
    setting: &'a Setting<'a>,
    space: &'a SearchSpace,
    statement: &'a StatementTable,
    it: &mut Problem<'a>,
) {
    let rate = setting.served_rate(setting.design.pattern(statement.pattern));
    if rate <= 0.0 {
        return;
    }
    let scope: Vec<usize> = statement.tables.iter().map(|it| it.0 as usize).collect();
    if statement.routes.is_empty() {
        it.lazy_factor(scope, Box::new(LazyStatement { setting, space, statement, rate }));
    } else if let [only] = scope.as_slice() {
        for (state, route) in statement.routes.iter().enumerate() {
            it.unary(*only, state, rate * route.weighted);
        }
    } else {
        it.factor(scope, statement.routes.iter().map(|it| rate * it.weighted).collect());
    }
}

/// A statement on so many tables that its routes are worked out when asked for.
struct LazyStatement<'a> {
    setting: &'a Setting<'a>,
    space: &'a SearchSpace,
    statement: &'a StatementTable,
    rate: f64,
}

impl LazyStatement<'_> {
    fn route(&self, states: &[usize]) -> Option<StatementRoute> {
        let placed = |table: TableId| {
            let at = self.statement.tables.iter().position(|it| *it == table).unwrap_or(0);
            &self.space.tables[table.0 as usize].states[states[at]].placed
        };
        let all = At::all(self.setting, self.statement.pattern, Reading::Implied);
        all.get(self.statement.idx as usize).map(|at| route(at, &placed, &self.space.spaces))
    }
}

impl LazyFactor for LazyStatement<'_> {
    fn cost(&self, states: &[usize]) -> f64 {
        self.route(states).map_or(0.0, |it| self.rate * it.weighted)
    }

    /// No combination costs less than the statement on one node.
    fn lower_bound(&self, partial: &[Option<usize>]) -> f64 {
        let known: Option<Vec<usize>> = partial.iter().copied().collect();
        known.map_or(self.rate, |states| self.cost(&states))
    }
}

/// What a pattern's writes cost to commit together, beyond the statements' own work.
fn add_commit<'a>(
    setting: &'a Setting<'a>,
    space: &'a SearchSpace,
    pattern: PatternId,
    it: &mut Problem<'a>,
) {
    let rate = setting.served_rate(setting.design.pattern(pattern));
    let writes: Vec<&StatementTable> =
        space.statements.iter().filter(|it| it.pattern == pattern && it.writes).collect();
    if writes.is_empty() || rate <= 0.0 || writes.iter().any(|it| it.routes.is_empty()) {
        return;
    }
    let mut scope: Vec<TableId> = writes.iter().flat_map(|it| it.tables.iter().copied()).collect();
    scope.sort();
    scope.dedup();
    let dims: Vec<usize> = scope.iter().map(|it| space.tables[it.0 as usize].states.len()).collect();
    let product = dims.iter().try_fold(1_usize, |all, it| all.checked_mul(*it)).unwrap_or(usize::MAX);
    let names: Vec<usize> = scope.iter().map(|it| it.0 as usize).collect();
    let factor = Commit::of(setting, &writes, scope, rate);
    if MOST_ENTRIES < product {
        it.lazy_factor(names, Box::new(factor));
        return;
    }
    let mut states = vec![0; dims.len()];
    let mut costs = Vec::with_capacity(product);
    for _ in 0..product {
        costs.push(factor.cost(&states));
        step(&mut states, &dims);
    }
    if let [only] = names.as_slice() {
        for (state, cost) in costs.into_iter().enumerate() {
            it.unary(*only, state, cost);
        }
    } else {
        it.factor(names, costs);
    }
}

/// The commit of one pattern: routes that place the same tokens have the same number.
struct Commit<'a> {
    setting: &'a Setting<'a>,
    rate: f64,
    scope: Vec<TableId>,
    statements: Vec<CommitStatement<'a>>,
    /// Participants beyond the first and chance of several, by the numbers of the tokens.
    memo: RefCell<BTreeMap<Vec<u32>, (f64, f64)>>,
}

struct CommitStatement<'a> {
    table: &'a StatementTable,
    /// Number of each route's tokens.
    signature: Vec<u32>,
}

impl<'a> Commit<'a> {
    fn of(setting: &'a Setting<'a>, writes: &[&'a StatementTable], scope: Vec<TableId>, rate: f64) -> Self {
        let statements = writes
            .iter()
            .map(|table| {
                let mut known: Vec<&StatementRoute> = Vec::new();
                let signature = table
                    .routes
                    .iter()
                    .filter_map(|it| it.write.as_deref())
                    .map(|route| {
                        let same = |it: &&StatementRoute| {
                            it.writes == route.writes
                                && it.writes_all == route.writes_all
                                && it.index_writes == route.index_writes
                        };
                        known.iter().position(same).unwrap_or_else(|| {
                            known.push(route);
                            known.len() - 1
                        }) as u32
                    })
                    .collect();
                CommitStatement { table, signature }
            })
            .collect();
        Self { setting, rate, scope, statements, memo: RefCell::default() }
    }

    fn routes(&self, states: &[usize]) -> Vec<usize> {
        let state_of =
            |table: TableId| self.scope.iter().position(|it| *it == table).map_or(0, |at| states[at]);
        self.statements.iter().map(|it| it.table.at(&state_of)).collect()
    }

    /// The commit of some statements with the routes they have.
    fn commit(&self, routes: &[(&CommitStatement<'_>, usize)]) -> f64 {
        let key: Vec<u32> = routes.iter().map(|(it, at)| it.signature[*at]).collect();
        let known = self.memo.borrow().get(&key).copied();
        let (participants, multi) = known.unwrap_or_else(|| {
            let routes = routes.iter().filter_map(|(it, at)| it.table.routes[*at].write.as_deref());
            let on = committed(routes, f64::from(self.setting.shards), true);
            let found = ((on.mean - (1.0 - on.multi)).max(0.0), on.multi);
            self.memo.borrow_mut().insert(key, found);
            found
        });
        let writes = routes.iter().filter_map(|(it, at)| it.table.routes[*at].write.as_deref());
        let again: f64 = writes.map(|it| it.write_weighted).sum();
        self.rate * (participants * self.setting.design.costs.commit + multi * again)
    }
}

impl LazyFactor for Commit<'_> {
    fn cost(&self, states: &[usize]) -> f64 {
        let routes: Vec<_> = self.statements.iter().zip(self.routes(states)).collect();
        self.commit(&routes)
    }

    /// Tokens only ever add shards: what the known statements commit is a lower bound.
    fn lower_bound(&self, partial: &[Option<usize>]) -> f64 {
        let known: Vec<&CommitStatement<'_>> = self
            .statements
            .iter()
            .filter(|it| {
                let at = |table: &TableId| self.scope.iter().position(|it| it == table);
                it.table.tables.iter().all(|table| at(table).is_some_and(|at| partial[at].is_some()))
            })
            .collect();
        let state_of = |table: TableId| {
            self.scope.iter().position(|it| *it == table).and_then(|at| partial[at]).unwrap_or(0)
        };
        let on: Vec<StatementRoute> = known
            .iter()
            .filter_map(|it| it.table.routes[it.table.at(&state_of)].write.as_deref().cloned())
            .collect();
        self.rate * commit_work(self.setting, &on).1
    }
}

/// References that the engine must keep: combinations under which it can't are forbidden.
fn add_references<'a>(setting: &'a Setting<'a>, space: &'a SearchSpace, it: &mut Problem<'a>) {
    if setting.engine.foreign_keys.value != ForeignKeySupport::Colocated {
        return;
    }
    for child in setting.design.table_ids() {
        for (fk, key) in setting.design.table(child).foreign_keys.iter().enumerate() {
            if key.parent == child {
                continue;
            }
            let (a, b) =
                (&space.tables[child.0 as usize].states, &space.tables[key.parent.0 as usize].states);
            let forbidden = |a: &crate::search::space::State, b: &crate::search::space::State| {
                if keeps_reference(setting, &a.placed, &b.placed, fk).is_some() { f64::INFINITY } else { 0.0 }
            };
            let costs = a.iter().flat_map(|a| b.iter().map(move |b| forbidden(a, b))).collect();
            it.factor(vec![child.0 as usize, key.parent.0 as usize], costs);
        }
    }
}
