//! The choices of every table as states, and the routes of every statement
//! under each combination of its tables' states.

use crate::analysis::assessment::commit_work;
use crate::analysis::classes::Reading;
use crate::analysis::placed::{Placed, place};
use crate::analysis::routing::{At, How, Spaces, StatementRoute, route};
use crate::analysis::setting::Setting;
use crate::model::{Choice, Index, Operation, PatternId, TableId};
use crate::search::advice::Veto;
use crate::search::candidates::{ColumnSets, choices};
use crate::search::indexes::index_candidates;
use crate::search::vetoes::veto;

/// Most combinations of states for which a statement's routes are tabulated.
const MOST_ROUTES: usize = 200_000;
/// Most indexes of one table that are tried alone.
const MOST_SINGLES: usize = 3;

/// A choice for one table.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// The choice.
    pub choice: Choice,
    /// Why it can't be chosen.
    pub veto: Option<Veto>,
}

/// A choice with a set of indexes.
#[derive(Clone, Debug)]
pub struct State {
    /// Position of the choice.
    pub option: usize,
    /// The choice made concrete, its indexes with it.
    pub placed: Placed,
}

/// What one table can be.
#[derive(Clone, Debug)]
pub struct TableSpace {
    /// Every choice, vetoed ones too.
    pub options: Vec<Alternative>,
    /// The states of the choices that may be chosen.
    pub states: Vec<State>,
}

/// Routes of one statement under every combination of its tables' states.
#[derive(Debug)]
pub struct StatementTable {
    /// The pattern.
    pub pattern: PatternId,
    /// Position of the statement in it.
    pub idx: u32,
    /// Its tables, each once, in order.
    pub tables: Vec<TableId>,
    /// Whether it writes.
    pub writes: bool,
    /// Number of states of each table.
    pub dims: Vec<usize>,
    /// Routes, the last table's state fastest; empty where there are too many.
    pub routes: Vec<Routed>,
}

/// What the search keeps of a route: there are many, and it asks little of each.
#[derive(Debug)]
pub struct Routed {
    /// Work times the busiest shard's load over the mean.
    pub weighted: f64,
    /// Of a write, the route without its instances: where it commits.
    pub write: Option<Box<StatementRoute>>,
}

impl StatementTable {
    /// Position of a combination of states.
    #[must_use]
    pub fn at(&self, state_of: &dyn Fn(TableId) -> usize) -> usize {
        self.tables.iter().zip(&self.dims).fold(0, |at, (table, dim)| at * dim + state_of(*table))
    }
}

/// Everything that can be chosen, and what each statement does under it.
#[derive(Debug)]
pub struct SearchSpace {
    /// By table.
    pub tables: Vec<TableSpace>,
    /// By pattern and statement, in order.
    pub statements: Vec<StatementTable>,
    /// Numbers of the co-location spaces.
    pub spaces: Spaces,
}

/// Builds the space: candidates, their vetoes, their indexes, all routes.
#[must_use]
pub fn build(
    setting: &Setting<'_>,
    sets: &[ColumnSets],
    pins: &std::collections::BTreeMap<TableId, Choice>,
) -> SearchSpace {
    let spaces = Spaces::default();
    let on = &setting.patterns_on;
    let tables: Vec<TableSpace> = setting
        .design
        .table_ids()
        .map(|it| table_space(setting, it, &sets[it.0 as usize], pins.get(&it), &on[it.0 as usize], &spaces))
        .collect();
    let mut statements = Vec::new();
    for pattern in setting.design.pattern_ids() {
        for at in At::all(setting, pattern, Reading::Implied) {
            statements.push(statement_table(&at, &tables, &spaces));
        }
    }
    SearchSpace { tables, statements, spaces }
}

fn table_space(
    setting: &Setting<'_>,
    table: TableId,
    sets: &ColumnSets,
    pin: Option<&Choice>,
    on: &[PatternId],
    spaces: &Spaces,
) -> TableSpace {
    let mut all = choices(setting, table, sets);
    if let Some(pin) = pin
        && !all.contains(pin)
    {
        all.push(pin.clone());
    }
    let concrete = |choice: &Choice, indexes: &[&Index]| {
        place(setting.design, setting.engine, &setting.copied, table, choice, indexes)
    };
    let mut options: Vec<Alternative> = all
        .into_iter()
        .map(|choice| Alternative { veto: veto(setting, &concrete(&choice, &[])), choice })
        .collect();
    if options.is_empty() {
        // A table without a column: nothing but one place is left.
        options.push(Alternative { choice: Choice::Unsharded, veto: None });
    }
    let may = |it: &Alternative| match pin {
        Some(pin) => it.choice == *pin,
        None => it.veto.is_none(),
    };
    // Where every choice is vetoed, one must be taken all the same; its veto is reported.
    let none = !options.iter().any(may);
    let indexes = index_candidates(setting, table);
    let mut states = Vec::new();
    for (idx, option) in options.iter().enumerate() {
        if none || may(option) {
            let plain = concrete(&option.choice, &[]);
            let sets = index_sets(setting, &plain, &indexes, on, spaces);
            states.push(State { option: idx, placed: plain });
            for set in sets {
                let chosen: Vec<&Index> = set.iter().map(|it| &indexes[*it]).collect();
                states.push(State { option: idx, placed: concrete(&option.choice, &chosen) });
            }
        }
    }
    TableSpace { options, states }
}

/// Sets of indexes worth trying with a choice: each that saves more than it
/// costs when the table is looked at alone, and all of those together.
fn index_sets(
    setting: &Setting<'_>,
    plain: &Placed,
    indexes: &[Index],
    on: &[PatternId],
    spaces: &Spaces,
) -> Vec<Vec<usize>> {
    if !plain.sharded() || indexes.is_empty() {
        return Vec::new();
    }
    let most = setting.engine.index.max_global.map_or(usize::MAX, |it| it.max as usize);
    let statements = statements_on(setting, plain.table, on);
    // Only statements that ask all shards gain by an index, and only writes pay for one.
    let mut matter: Vec<(At<'_>, f64)> = Vec::new();
    let (mut before, mut scatters) = (0.0, false);
    for (at, rate) in statements {
        let (cost, scatter) = alone(setting, plain, &at, rate, spaces);
        if scatter || at.statement.op != Operation::Read {
            before += cost;
            scatters |= scatter;
            matter.push((at, rate));
        }
    }
    if !scatters {
        return Vec::new();
    }
    let mut saving: Vec<(f64, usize)> = Vec::new();
    for (idx, index) in indexes.iter().enumerate() {
        let with =
            place(setting.design, setting.engine, &setting.copied, plain.table, &plain.choice, &[index]);
        let after: f64 = matter.iter().map(|(at, rate)| alone(setting, &with, at, *rate, spaces).0).sum();
        if after < before {
            saving.push((before - after, idx));
        }
    }
    saving.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut sets: Vec<Vec<usize>> =
        saving.iter().take(MOST_SINGLES.min(most)).map(|(_, it)| vec![*it]).collect();
    // Together: the best of each key, narrow or wide, never both.
    let mut together: Vec<usize> = Vec::new();
    for (_, it) in saving {
        if together.len() < most && together.iter().all(|other| indexes[*other].key != indexes[it].key) {
            together.push(it);
            if 1 < together.len() {
                sets.push(together.clone());
            }
        }
    }
    sets
}

/// Statements that name a table and write no other, with their rates.
fn statements_on<'s>(setting: &'s Setting<'s>, table: TableId, on: &[PatternId]) -> Vec<(At<'s>, f64)> {
    let mut all = Vec::new();
    for pattern in on {
        let rate = setting.served_rate(setting.design.pattern(*pattern));
        for at in At::all(setting, *pattern, Reading::Implied) {
            let here = at.statement.instances.iter().any(|it| it.table == table);
            if here && at.statement.written_table().is_none_or(|it| it == table) {
                all.push((at, rate));
            }
        }
    }
    all
}

/// Weighted work of a statement on a table with every other table copied
/// everywhere, so that only this one's place counts; and whether it asks all shards.
fn alone(setting: &Setting<'_>, placed: &Placed, at: &At<'_>, rate: f64, spaces: &Spaces) -> (f64, bool) {
    let other = Placed {
        choice: Choice::Replicated,
        parts: Vec::new(),
        salt: None,
        deciding: 0,
        indexes: Vec::new(),
        ..placed.clone()
    };
    let it = route(at, &|table| if table == placed.table { placed } else { &other }, spaces);
    let scatters = it.scatter || it.instances.iter().any(|it| matches!(it.how, How::Index { .. }));
    (rate * (it.weighted + commit_work(setting, std::slice::from_ref(&it)).1), scatters)
}

fn statement_table(at: &At<'_>, tables: &[TableSpace], spaces: &Spaces) -> StatementTable {
    let mut names: Vec<TableId> = at.statement.instances.iter().map(|it| it.table).collect();
    names.sort();
    names.dedup();
    let dims: Vec<usize> = names.iter().map(|it| tables[it.0 as usize].states.len()).collect();
    let product = dims.iter().try_fold(1_usize, |all, it| all.checked_mul(*it)).unwrap_or(usize::MAX);
    let mut routes = Vec::new();
    if product <= MOST_ROUTES {
        let mut states = vec![0; dims.len()];
        for _ in 0..product {
            let placed = |table: TableId| {
                let at = names.iter().position(|it| *it == table).unwrap_or(0);
                &tables[table.0 as usize].states[states[at]].placed
            };
            let it = route(at, &placed, spaces);
            let writes = at.statement.op != Operation::Read;
            routes.push(Routed {
                weighted: it.weighted,
                write: writes
                    .then(|| Box::new(StatementRoute { instances: Vec::new(), tokens: Vec::new(), ..it })),
            });
            step(&mut states, &dims);
        }
    }
    StatementTable {
        pattern: at.pattern,
        idx: at.idx,
        tables: names,
        writes: at.statement.op != Operation::Read,
        dims,
        routes,
    }
}

/// The next combination, the last position fastest.
pub(super) fn step(states: &mut [usize], dims: &[usize]) {
    for at in (0..states.len()).rev() {
        states[at] += 1;
        if states[at] < dims[at] {
            return;
        }
        states[at] = 0;
    }
}
