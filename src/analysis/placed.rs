//! A plan made concrete: for each table where its rows live, with every
//! default of the engine filled in.

use crate::analysis::facts::{TableFacts, copied_facts};
use crate::analysis::spread::Spread;
use crate::model::{
    Choice, ColumnId, Copied, Design, Index, KeyPart, Salt, Scope, ShardKey, Strategy, TableId, TypeFamily,
};
use crate::target::{Colocation, Engine};

/// Where the rows of one table live.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The table.
    pub table: TableId,
    /// The choice it comes from.
    pub choice: Choice,
    /// Key parts; empty when not sharded.
    pub parts: Vec<PlacedPart>,
    /// How a key value finds its shard.
    pub strategy: Strategy,
    /// Whether a prefix of the key routes.
    pub hierarchical: bool,
    /// Spreading of each value.
    pub salt: Option<Salt>,
    /// Tables of one space keep equal values on one shard.
    pub space: Space,
    /// How many leading parts decide the shard (fewer than all in an interleaved table).
    pub deciding: usize,
    /// Global indexes of the table.
    pub indexes: Vec<PlacedIndex>,
}

/// A part of a placed key.
#[derive(Clone, Debug, PartialEq)]
pub enum PlacedPart {
    /// A column.
    Column(ColumnId),
    /// A copied column, by its position in the table's list of those.
    Copied(usize),
    /// A stretch of time.
    Bucket(ColumnId, f64),
    /// An expression.
    Expression(String, ColumnId),
}

/// A map from key values to shards that several tables may share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// All keys of this shape: strategy, type of each part, bucket widths, salt.
    Keys(Strategy, Vec<(Option<TypeFamily>, u64)>, u32),
    /// One table, or the family interleaved in it.
    Table(TableId),
    /// One index.
    Index(TableId, String),
    /// The shard of unsharded tables.
    Home,
}

/// A global index made concrete.
#[derive(Clone, Debug)]
pub struct PlacedIndex {
    /// The index.
    pub index: Index,
    /// How an entry finds its partition.
    pub strategy: Strategy,
    /// Its own map from values to partitions.
    pub space: Space,
}

impl Placed {
    /// Whether rows are spread by a key.
    #[must_use]
    pub fn sharded(&self) -> bool {
        matches!(self.choice, Choice::Sharded(_))
    }

    /// Names of the key's parts, as reports print them.
    #[must_use]
    pub fn key_names(&self, design: &Design, copied: &[Vec<Copied>]) -> Vec<String> {
        let table = design.table(self.table);
        self.parts
            .iter()
            .map(|part| match part {
                PlacedPart::Column(it) | PlacedPart::Bucket(it, _) => table.column(*it).name.clone(),
                PlacedPart::Copied(it) => copied[self.table.0 as usize][*it].name.clone(),
                PlacedPart::Expression(text, _) => text.clone(),
            })
            .collect()
    }
}

/// Makes a choice concrete.
#[must_use]
pub fn place(
    design: &Design,
    engine: &Engine,
    copied: &[Vec<Copied>],
    table: TableId,
    choice: &Choice,
    indexes: &[&Index],
) -> Placed {
    let indexes =
        indexes.iter().filter(|it| it.scope == Scope::Global).map(|it| place_index(engine, it)).collect();
    let Choice::Sharded(key) = choice else {
        return Placed {
            table,
            choice: choice.clone(),
            parts: Vec::new(),
            strategy: engine.default_strategy,
            hierarchical: false,
            salt: None,
            space: Space::Home,
            deciding: 0,
            indexes,
        };
    };
    let parts: Vec<PlacedPart> = key.parts.iter().map(|part| place_part(copied, table, part)).collect();
    let strategy = key.strategy.unwrap_or(engine.default_strategy);
    let (space, deciding) = space_of(design, engine, copied, table, key, &parts, strategy);
    Placed {
        table,
        choice: choice.clone(),
        parts,
        strategy,
        hierarchical: key.hierarchical,
        salt: key.salt.filter(|it| 1 < it.ways),
        space,
        deciding,
        indexes,
    }
}

fn place_part(copied: &[Vec<Copied>], table: TableId, part: &KeyPart) -> PlacedPart {
    match part {
        KeyPart::Column(column) => PlacedPart::Column(*column),
        KeyPart::Bucket { column, every } => PlacedPart::Bucket(*column, every.get().max(1e-3)),
        KeyPart::Expression { text, column } => PlacedPart::Expression(text.clone(), *column),
        KeyPart::Copied(it) => {
            let list = &copied[table.0 as usize];
            // A copied column that the lists do not know can't be reached by any equality;
            // the position behind the end says so.
            PlacedPart::Copied(list.iter().position(|known| known == it).unwrap_or(list.len()))
        }
    }
}

fn place_index(engine: &Engine, index: &Index) -> PlacedIndex {
    PlacedIndex {
        strategy: index.strategy.unwrap_or(engine.index.strategy),
        space: Space::Index(index.table, index.name.clone()),
        index: index.clone(),
    }
}

fn space_of(
    design: &Design,
    engine: &Engine,
    copied: &[Vec<Copied>],
    table: TableId,
    key: &ShardKey,
    parts: &[PlacedPart],
    strategy: Strategy,
) -> (Space, usize) {
    match engine.colocation {
        Colocation::PerTable => (Space::Table(table), parts.len()),
        Colocation::Interleaved => interleaved(design, table, parts),
        Colocation::EqualKeys => {
            let shape = parts
                .iter()
                .map(|part| match part {
                    PlacedPart::Column(column) => (type_of(design, table, *column), 0),
                    PlacedPart::Copied(at) => {
                        let it = copied[table.0 as usize].get(*at);
                        (it.and_then(|it| type_of(design, it.source, it.column)), 0)
                    }
                    PlacedPart::Bucket(_, every) => (None, every.to_bits()),
                    PlacedPart::Expression(..) => (None, 1),
                })
                .collect();
            (Space::Keys(strategy, shape, key.salt.map_or(0, |it| it.ways)), parts.len())
        }
    }
}

/// The kind of a key column; whole numbers count as one kind only where their widths agree.
fn type_of(design: &Design, table: TableId, column: ColumnId) -> Option<TypeFamily> {
    design.table(table).column(column).ty.as_ref().map(|it| it.family)
}

/// A table whose key starts with a reference to the primary key of another is
/// stored with it: follow such references up to the root.
fn interleaved(design: &Design, table: TableId, parts: &[PlacedPart]) -> (Space, usize) {
    let mut columns: Vec<ColumnId> = parts
        .iter()
        .map_while(|part| match part {
            PlacedPart::Column(column) => Some(*column),
            _ => None,
        })
        .collect();
    let (mut at, mut deciding) = (table, parts.len());
    for _ in 0..design.tables.len() {
        let up = design.table(at).foreign_keys.iter().find(|key| {
            columns.starts_with(&key.columns)
                && key.parent_columns == design.table(key.parent).primary_key
                && key.parent != at
        });
        let Some(up) = up else { break };
        deciding = up.columns.len();
        columns.clone_from(&up.parent_columns);
        at = up.parent;
    }
    (Space::Table(at), deciding)
}

/// Whether a key part's value follows from a unique set: then the set widened by
/// it is unique exactly where the set is, and nothing is lost by widening.
#[must_use]
pub fn follows_from(
    design: &Design,
    copied: &[Vec<Copied>],
    id: TableId,
    part: &PlacedPart,
    set: &[ColumnId],
) -> bool {
    let table = design.table(id);
    match part {
        PlacedPart::Column(column) => {
            set.contains(column) || set.iter().any(|it| table.column(*it).determines.contains(column))
        }
        // A row has one parent along a reference, and the parent one value.
        PlacedPart::Copied(at) => copied[id.0 as usize].get(*at).is_some_and(|it| {
            let key = it.path.first().and_then(|fk| table.foreign_keys.get(*fk));
            key.is_some_and(|key| key.columns.iter().all(|it| set.contains(it)))
        }),
        PlacedPart::Bucket(..) | PlacedPart::Expression(..) => false,
    }
}

/// How the rows of a table spread over the values of its key.
#[must_use]
pub fn row_spread(
    facts: &[TableFacts],
    copied: &[Vec<Copied>],
    design: &Design,
    placed: &Placed,
    later: bool,
    shards: u32,
) -> Spread {
    let own = &facts[placed.table.0 as usize];
    let rows = if later { own.rows_later } else { own.rows };
    let table = design.table(placed.table);
    let mut spread = Spread::constant();
    for (idx, part) in placed.parts.iter().enumerate() {
        match part {
            PlacedPart::Column(column) | PlacedPart::Expression(_, column) => {
                let determined = placed.parts.iter().enumerate().any(|(other, it)| {
                    matches!(it, PlacedPart::Column(by) if other != idx && table.column(*by).determines.contains(column))
                });
                if !determined {
                    spread = spread.times(&own.columns[column.0 as usize].rows, rows);
                }
            }
            PlacedPart::Copied(at) => {
                if let Some(it) = copied[placed.table.0 as usize].get(*at) {
                    spread = spread.times(&copied_facts(facts, it).rows, rows);
                }
            }
            PlacedPart::Bucket(_, every) => {
                if let Some(history) = own.history {
                    spread = spread.bucketed((history / every).max(1.0));
                }
            }
        }
    }
    salted(spread, placed.salt, shards)
}

/// A spread with each value, or only those over a fair shard's share, split by a salt.
#[must_use]
pub fn salted(spread: Spread, salt: Option<Salt>, shards: u32) -> Spread {
    match salt {
        Some(salt) if salt.only_hot => spread.salted_only_hot(salt.ways, 1.0 / f64::from(shards)),
        Some(salt) => spread.salted(salt.ways),
        None => spread,
    }
}
