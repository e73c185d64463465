//! What the routes of a statement add up to: shards touched and written, work,
//! and how evenly it falls.

use crate::analysis::placed::{Placed, PlacedIndex};
use crate::analysis::routing::{
    At, How, InstanceRoute, Spaces, StatementRoute, grows_at_front, index, returned_rows, rows,
};
use crate::analysis::tokens::{Atom, Spreading, Token, spreading};
use crate::model::{ColumnId, Include, InstanceId, Operation, RangeWidth, Selected, Strategy, TableId};

/// Adds up what the routes of a statement's instances touch and cost.
pub(super) fn cost<'p>(
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
        Selected::All => table.column_ids().all(carries),
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
