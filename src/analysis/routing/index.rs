//! Global secondary indexes: which one answers an instance, and what keeping
//! them costs a write.

use crate::analysis::classes::Class;
use crate::analysis::placed::{Placed, PlacedIndex, PlacedPart};
use crate::analysis::routing::cost::covered;
use crate::analysis::routing::rows::ordered_share;
use crate::analysis::routing::{At, Spaces, StatementRoute, matching_rows};
use crate::analysis::spread::Spread;
use crate::analysis::tokens::{Atom, Token};
use crate::model::{ColumnId, Include, InstanceId, Operation, Strategy, Written};

/// First atom of every index entry's token.
pub(super) const ENTRY: Atom = Atom::Own(u32::MAX);

/// An index that answers an instance.
pub(super) struct Found {
    /// Position in the table's list.
    pub(super) at: usize,
    /// Whether it answers alone.
    pub(super) covers: bool,
    /// Entries' key values that are asked for, salts included.
    pub(super) values: f64,
    /// Share of the index, in order, that is read beside them.
    pub(super) run: f64,
    /// Rows that are fetched after it.
    pub(super) rows: f64,
}

impl Found {
    /// Shards asked, roughly.
    pub(super) fn requests(&self, shards: f64) -> f64 {
        self.values + self.run * shards + if self.covers { 0.0 } else { self.rows }
    }
}

/// The index that answers an instance with the fewest requests.
pub(super) fn best(at: &At<'_>, instance: InstanceId, placed: &Placed) -> Option<Found> {
    if at.inserts(instance) {
        return None;
    }
    let shards = f64::from(at.setting.shards);
    let found = placed.indexes.iter().enumerate().filter_map(|(idx, it)| answers(at, instance, idx, it));
    found.min_by(|a, b| a.requests(shards).total_cmp(&b.requests(shards)).then(a.at.cmp(&b.at)))
}

fn answers(at: &At<'_>, instance: InstanceId, idx: usize, placed: &PlacedIndex) -> Option<Found> {
    let index = &placed.index;
    let class = |column: ColumnId| at.column(instance, column).map(|it| at.classes.class(it));
    let in_it = index.only.iter().all(|(column, value)| {
        class(*column).is_some_and(|it| it.constants.iter().any(|text| plain(text) == plain(value)))
    });
    if !in_it || index.key.is_empty() {
        return None;
    }
    let bound = |column: &ColumnId| class(*column).is_some_and(Class::bound_or_listed);
    let all_bound = index.key.iter().all(bound);
    let run = if all_bound {
        0.0
    } else if placed.strategy == Strategy::Range {
        ordered_share(at, instance, index.table, &index.key)?
    } else {
        return None;
    };
    let listed: f64 = index
        .key
        .iter()
        .filter_map(|it| class(*it))
        .filter(|it| !it.bound())
        .filter_map(|it| it.list)
        .product();
    let salts = index.salt.map_or(1.0, |salt| {
        let known = salt.from.is_some_and(|it| class(it).is_some_and(Class::bound));
        if known { 1.0 } else { f64::from(salt.ways) }
    });
    let limit = at.statement.limit.map_or(f64::INFINITY, |it| it as f64);
    Some(Found {
        at: idx,
        covers: covered(at, instance, placed),
        values: listed * salts,
        run,
        rows: matching_rows(at, instance).min(limit).max(1.0),
    })
}

/// A constant without its quotes.
fn plain(text: &str) -> &str {
    text.trim_matches(['\'', '"'])
}

/// Tokens of the index entries and of the rows fetched after them.
pub(super) fn tokens(
    at: &At<'_>,
    instance: InstanceId,
    placed: &Placed,
    found: &Found,
    spaces: &Spaces,
) -> Vec<Token> {
    let index = &placed.indexes[found.at];
    let mut atoms = vec![ENTRY];
    for column in &index.index.key {
        let id = at.column(instance, *column);
        atoms.push(id.map_or(Atom::Own(at.idx * 64 + instance.0), |it| Atom::Class(it.0)));
    }
    let draws = found.values * repeated(at, instance, &index.index.key);
    let mut tokens =
        vec![Token { space: spaces.id(&index.space), atoms, mostly: None, draws, most: libm::ceil(draws) }];
    if !found.covers {
        let rows = found.rows * at.times;
        tokens.push(Token {
            space: spaces.id(&placed.space),
            atoms: vec![Atom::Own(at.idx * 64 + 16 + instance.0)],
            mostly: None,
            draws: rows,
            most: libm::ceil(rows),
        });
    }
    tokens
}

/// Runs of the step that ask for different entries.
fn repeated(at: &At<'_>, instance: InstanceId, key: &[ColumnId]) -> f64 {
    key.iter()
        .filter_map(|it| at.column(instance, *it))
        .map(|it| at.draws(at.classes.class(it)))
        .fold(1.0, f64::max)
}

/// Busiest index partition over the mean for reads, and the hottest value's share.
pub(crate) fn read_sigma(
    at: &At<'_>,
    instance: InstanceId,
    placed: &Placed,
    index: &PlacedIndex,
) -> (f64, f64) {
    entry_load(at, instance, placed, index, false)
}

/// Busiest partition over the mean and hottest share of requests for an index's entries.
fn entry_load(
    at: &At<'_>,
    instance: InstanceId,
    placed: &Placed,
    index: &PlacedIndex,
    inserting: bool,
) -> (f64, f64) {
    let ways = index.index.salt.map_or(0, |it| it.ways);
    let sources =
        index.index.key.iter().map(|it| at.source_of(instance, &PlacedPart::Column(*it), inserting));
    let question = (placed.table, index.strategy, ways, false, sources.collect());
    at.setting.load_once(question, &|| {
        let facts = at.setting.table(placed.table);
        let mut spread = Spread::constant();
        for column in &index.index.key {
            let class = at.column(instance, *column).map(|it| at.classes.class(it));
            let values = at.spread_of(class, &facts.columns[column.0 as usize], inserting);
            spread = spread.times(&values, facts.rows);
        }
        let spread = if 1 < ways { spread.salted(ways) } else { spread };
        (at.setting.busiest_over_mean(&spread, index.strategy), spread.top())
    })
}

/// How index writes spread: busiest partition over the mean, and the hottest value's share.
#[must_use]
pub(crate) fn write_sigma(
    at: &At<'_>,
    target: InstanceId,
    placed: &Placed,
    index: &PlacedIndex,
) -> (f64, f64) {
    let setting = at.setting;
    let shards = f64::from(setting.shards);
    let ways = index.index.salt.map_or(1.0, |it| f64::from(it.ways));
    let leads = index.index.key.first().map(|it| setting.design.table(placed.table).column(*it));
    if index.strategy == Strategy::Range
        && at.inserts(target)
        && leads.is_some_and(crate::model::Column::grows)
    {
        return ((shards / ways).max(1.0), 1.0 / ways);
    }
    entry_load(at, target, placed, index, true)
}

/// Entries of an index that one changed row changes: none, one, or two where
/// the entry moves (delete and put).
#[must_use]
pub(crate) fn entries_written(at: &At<'_>, index: &PlacedIndex) -> f64 {
    let it = &index.index;
    let statement = at.statement;
    let only = it.only.iter().map(|(column, value)| {
        let given = statement.assigns.iter().find(|(at, _)| at == column).map(|(_, operand)| operand);
        match given {
            Some(crate::model::Operand::Constant(text)) => f64::from(u8::from(plain(text) == plain(value))),
            _ => 1.0 / at.setting.table(it.table).columns[column.0 as usize].distinct.max(1.0),
        }
    });
    let share: f64 = only.product();
    let touches = |columns: &[ColumnId]| columns.iter().any(|it| statement.writes_column(*it));
    match statement.op {
        Operation::Read => 0.0,
        Operation::Insert | Operation::Upsert | Operation::Delete => share,
        Operation::Update => {
            let moves = touches(&it.key)
                || touches(&it.sort)
                || it.only.iter().any(|(at, _)| statement.writes_column(*at));
            let carried = match &it.include {
                Include::KeysOnly => false,
                Include::All => statement.written != Written::Nothing,
                Include::Columns(columns) => touches(columns),
            };
            if moves {
                2.0 * share.max(if it.only.is_empty() { 1.0 } else { 0.0 })
            } else if carried {
                share
            } else {
                0.0
            }
        }
    }
}

/// Adds what keeping the table's indexes costs this write.
pub(super) fn upkeep(at: &At<'_>, it: &mut StatementRoute, placed: &Placed, spaces: &Spaces) {
    let Some(target) = at.statement.target else { return };
    for index in &placed.indexes {
        let entries = entries_written(at, index) * it.rows.max(1.0) * at.times;
        if entries <= 0.0 {
            continue;
        }
        let (sigma, _) = write_sigma(at, target, placed, index);
        it.work += entries;
        it.weighted += entries * sigma;
        if !at.setting.engine.index.synchronous {
            continue;
        }
        it.write_work += entries;
        it.write_weighted += entries * sigma;
        let atoms = vec![ENTRY, Atom::Own(at.idx * 64 + spaces.id(&index.space))];
        it.index_writes.push(Token {
            space: spaces.id(&index.space),
            atoms,
            mostly: None,
            draws: entries.max(1.0),
            most: libm::ceil(entries.max(1.0)),
        });
    }
}
