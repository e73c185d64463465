//! Candidate keys of a table: column sets that patterns bind, join columns,
//! prefixes of the primary key, unique keys, references, columns copied down
//! from an ancestor, time buckets, salts, copies, and one shard for all.

use std::collections::BTreeSet;

use crate::analysis::facts::table_bytes;
use crate::analysis::partition::{HotValue, hottest_value};
use crate::analysis::placed::place;
use crate::analysis::setting::Setting;
use crate::model::{
    Choice, ColumnId, ColumnRef, Copied, Design, InstanceId, KeyPart, Operand, Operation, Predicate, Salt,
    ShardKey, Statement, Strategy, TableId, TypeFamily,
};
use crate::target::Engine;
use crate::units::{DAY, Seconds, YEAR};

/// Most columns of a candidate key.
const MOST_COLUMNS: usize = 4;
/// Most copied columns tried for one table.
const MOST_COPIED: usize = 6;
/// Most foreign keys that a copied column passes.
const MOST_STEPS: usize = 3;
/// Salts tried.
const WAYS: [u32; 5] = [2, 4, 8, 16, 32];
/// Widths of time buckets tried, narrowest first.
const BUCKETS: [f64; 7] = [3600.0, 6.0 * 3600.0, DAY, 7.0 * DAY, 30.0 * DAY, 90.0 * DAY, YEAR];
/// A table may be copied to every shard up to this size, or a tenth of a node's storage.
pub const MOST_REPLICATED_BYTES: f64 = 1e9;

/// Column sets that may be keys of each table, in a fixed order.
#[derive(Clone, Debug, Default)]
pub struct ColumnSets {
    /// Sets of the table's own columns.
    pub own: Vec<Vec<ColumnId>>,
    /// Columns that patterns bind by equality, one set an instance.
    pub bound: BTreeSet<Vec<ColumnId>>,
    /// Columns that joins equate with another table's.
    pub joined: BTreeSet<ColumnId>,
    /// Columns that are looked at by range or order, behind an equality or alone.
    pub ordered: BTreeSet<ColumnId>,
}

/// Column sets of every table, from its patterns and constraints.
#[must_use]
pub fn column_sets(design: &Design) -> Vec<ColumnSets> {
    let mut sets = vec![ColumnSets::default(); design.tables.len()];
    for pattern in &design.patterns {
        for (_, statement) in pattern.statements() {
            for instance in statement.instance_ids() {
                let it = &mut sets[statement.instance(instance).table.0 as usize];
                let bound = bound_columns(statement, instance);
                if !bound.is_empty() {
                    it.bound.insert(bound);
                }
                it.joined.extend(joined_columns(statement, instance));
                it.ordered.extend(ordered_columns(statement, instance));
            }
        }
    }
    insert_columns(design, &mut sets);
    for (table, it) in design.table_ids().zip(&mut sets) {
        it.own = own_sets(design, table, it);
    }
    sets
}

/// Columns of an instance whose value, or list of values, is known when the
/// statement is sent, directly or through a join with such a column.
#[must_use]
pub fn bound_columns(statement: &Statement, instance: InstanceId) -> Vec<ColumnId> {
    let mut known: BTreeSet<ColumnRef> = BTreeSet::new();
    for predicate in &statement.predicates {
        match predicate {
            Predicate::Equal { to: Operand::Column(_), .. }
            | Predicate::Follows { of: Operand::Column(_), .. } => {}
            Predicate::Equal { column, .. }
            | Predicate::Follows { column, .. }
            | Predicate::In { column, .. } => {
                known.insert(*column);
            }
            _ => {}
        }
    }
    // Each round adds a column, or is the last.
    loop {
        let before = known.len();
        for predicate in &statement.predicates {
            match predicate {
                Predicate::Equal { column, to: Operand::Column(other), .. }
                    if known.contains(column) || known.contains(other) =>
                {
                    known.extend([*column, *other]);
                }
                Predicate::Follows { column, of: Operand::Column(other), .. } if known.contains(other) => {
                    known.insert(*column);
                }
                _ => {}
            }
        }
        if known.len() == before {
            break;
        }
    }
    known.into_iter().filter(|it| it.instance == instance).map(|it| it.column).collect()
}

/// Columns of an instance that are equated with another instance's.
fn joined_columns(statement: &Statement, instance: InstanceId) -> Vec<ColumnId> {
    let mut columns = Vec::new();
    for predicate in &statement.predicates {
        if let Predicate::Equal { column, to: Operand::Column(other), .. }
        | Predicate::Follows { column, of: Operand::Column(other), .. } = predicate
        {
            columns.extend([column, other].iter().filter(|it| it.instance == instance).map(|it| it.column));
        }
    }
    columns
}

fn ordered_columns(statement: &Statement, instance: InstanceId) -> Vec<ColumnId> {
    let ranged = statement.predicates.iter().filter_map(|it| match it {
        Predicate::Range { column, .. } | Predicate::Prefix { column, .. } => Some(*column),
        _ => None,
    });
    let ordered = statement.order_by.iter().take(1).map(|it| it.column);
    ranged.chain(ordered).filter(|it| it.instance == instance).map(|it| it.column).collect()
}

/// Inserted columns whose value another statement of the same pattern names:
/// what a table that is only written could be kept together by.
fn insert_columns(design: &Design, sets: &mut [ColumnSets]) {
    for pattern in &design.patterns {
        for (at, (_, statement)) in pattern.statements().enumerate() {
            let (Some(table), Operation::Insert | Operation::Upsert) =
                (statement.written_table(), statement.op)
            else {
                continue;
            };
            for (column, value) in &statement.assigns {
                let Operand::Param(param) = value else { continue };
                let elsewhere = pattern
                    .statements()
                    .enumerate()
                    .any(|(other, (_, it))| other != at && (names_param(it, *param)));
                if elsewhere {
                    sets[table.0 as usize].bound.insert(vec![*column]);
                }
            }
        }
    }
}

fn names_param(statement: &Statement, param: crate::model::ParamId) -> bool {
    let is = |it: &Operand| *it == Operand::Param(param);
    statement.assigns.iter().any(|(_, it)| is(it))
        || statement.predicates.iter().any(|it| match it {
            Predicate::Equal { to, .. } | Predicate::Follows { of: to, .. } => is(to),
            Predicate::In { values, .. } => values.iter().any(is),
            _ => false,
        })
}

fn own_sets(design: &Design, table: TableId, sets: &ColumnSets) -> Vec<Vec<ColumnId>> {
    let it = design.table(table);
    let mut all: BTreeSet<Vec<ColumnId>> = BTreeSet::new();
    for set in &sets.bound {
        all.extend(set.iter().map(|it| vec![*it]));
        all.insert(set.clone());
    }
    all.extend(sets.joined.iter().map(|it| vec![*it]));
    let bound: Vec<&Vec<ColumnId>> = sets.bound.iter().collect();
    for (i, a) in bound.iter().enumerate() {
        for b in &bound[i + 1..] {
            all.insert(a.iter().filter(|it| b.contains(it)).copied().collect());
        }
    }
    for length in 1..=it.primary_key.len().min(MOST_COLUMNS) {
        all.insert(it.primary_key[..length].to_vec());
    }
    for set in it.unique_sets() {
        all.extend(set.iter().map(|it| vec![*it]));
    }
    for key in &it.foreign_keys {
        all.insert(key.columns.clone());
    }
    // A set with its columns in another order is the same hash key; the primary key's order is kept.
    let mut seen: BTreeSet<Vec<ColumnId>> = BTreeSet::new();
    let in_order = |set: &Vec<ColumnId>| {
        let mut set = set.clone();
        set.sort_by_key(|it2| {
            let at = it.primary_key.iter().position(|it| it == it2);
            (at.unwrap_or(usize::MAX), *it2)
        });
        set
    };
    let mut own: Vec<Vec<ColumnId>> =
        all.iter().filter(|it| !it.is_empty() && it.len() <= MOST_COLUMNS).map(in_order).collect();
    own.retain(|set| {
        let mut sorted = set.clone();
        sorted.sort();
        seen.insert(sorted)
    });
    own.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    own
}

/// Columns that a child could carry down from an ancestor: single columns that
/// the ancestor itself may be split by, under a name that the child has not.
#[must_use]
pub fn copied_candidates(design: &Design, sets: &[ColumnSets]) -> Vec<Vec<Copied>> {
    let mut lists = vec![Vec::new(); design.tables.len()];
    for table in design.table_ids() {
        let mut found: Vec<Copied> = Vec::new();
        let mut frontier: Vec<(TableId, Vec<usize>)> = vec![(table, Vec::new())];
        for _ in 0..MOST_STEPS {
            let mut next = Vec::new();
            for (at, path) in &frontier {
                for (idx, key) in design.table(*at).foreign_keys.iter().enumerate() {
                    let mut path = path.clone();
                    path.push(idx);
                    if key.parent == table || 8 < next.len() {
                        continue;
                    }
                    for set in sets[key.parent.0 as usize].own.iter().filter(|it| it.len() == 1) {
                        let name = &design.table(key.parent).column(set[0]).name;
                        let carried = design.table(table).column_named(name).is_some()
                            || key.parent_columns.contains(&set[0])
                            || found.iter().any(|it| it.name == *name);
                        if !carried && found.len() < MOST_COPIED {
                            found.push(Copied {
                                name: name.clone(),
                                path: path.clone(),
                                source: key.parent,
                                column: set[0],
                            });
                        }
                    }
                    next.push((key.parent, path));
                }
            }
            frontier = next;
        }
        for it in &found {
            crate::analysis::setting::add_copied(design, &mut lists, table, it);
        }
    }
    lists
}

/// All choices for a table, plain keys first.
#[must_use]
pub fn choices(setting: &Setting<'_>, table: TableId, sets: &ColumnSets) -> Vec<Choice> {
    let engine = setting.engine;
    let mut all: Vec<Choice> = Vec::new();
    let mut add = |choice: Choice| {
        if !all.contains(&choice) {
            all.push(choice);
        }
    };
    let plain = plain_keys(setting, table, sets);
    for key in &plain {
        add(Choice::Sharded(key.clone()));
    }
    for key in &plain {
        for it in bucketed(setting, table, sets, key) {
            add(Choice::Sharded(it));
        }
        for it in salted(setting, table, key) {
            add(Choice::Sharded(it));
        }
    }
    if may_replicate(setting, table) {
        add(Choice::Replicated);
    }
    if engine.unsharded {
        add(Choice::Unsharded);
    }
    all
}

fn plain_keys(setting: &Setting<'_>, table: TableId, sets: &ColumnSets) -> Vec<ShardKey> {
    let engine = setting.engine;
    let mut keys = Vec::new();
    for set in &sets.own {
        let mut key = ShardKey::of_columns(set);
        if let (Some(_), true) = (engine.key.hierarchical, 1 < set.len()) {
            key = ShardKey { hierarchical: true, ..ShardKey::of_columns(&coarse_first(setting, table, set)) };
        }
        keys.push(key);
    }
    // In an ordered store a set is also tried with its most asked-for columns in front,
    // and a growing column behind an equality.
    if engine.default_strategy == Strategy::Range {
        let with_order: Vec<ShardKey> = sets
            .own
            .iter()
            .flat_map(|set| sets.ordered.iter().filter(|it| !set.contains(it)).map(move |it| (set, it)))
            .filter(|(set, _)| sets.bound.contains(*set) && set.len() < MOST_COLUMNS)
            .map(|(set, last)| ShardKey::of_columns(&[set.as_slice(), &[*last]].concat()))
            .collect();
        keys.extend(with_order);
    } else if engine.strategies.contains(&Strategy::Range) && engine.id == "generic" {
        for column in &sets.ordered {
            keys.push(ShardKey { strategy: Some(Strategy::Range), ..ShardKey::of_columns(&[*column]) });
        }
    }
    for copied in &setting.copied[table.0 as usize] {
        let parts = vec![KeyPart::Copied(copied.clone())];
        keys.push(ShardKey { parts, strategy: None, hierarchical: false, salt: None });
    }
    keys
}

/// Levels of a hierarchical key: fewest values first, so that a prefix is worth asking for.
fn coarse_first(setting: &Setting<'_>, table: TableId, set: &[ColumnId]) -> Vec<ColumnId> {
    let facts = setting.table(table);
    let mut set = set.to_vec();
    set.sort_by(|a, b| {
        let values = |it: &ColumnId| facts.columns[it.0 as usize].distinct;
        values(a).total_cmp(&values(b)).then(a.cmp(b))
    });
    set
}

fn may_replicate(setting: &Setting<'_>, table: TableId) -> bool {
    if !setting.engine.replicated.is_some_and(|it| it.value) {
        return false;
    }
    let node = setting.design.target.node.storage.map_or(f64::INFINITY, |it| it.get() / 10.0);
    let (_, later) = table_bytes(setting.table(table));
    let (reads, writes) = read_write_rates(setting, table);
    later <= MOST_REPLICATED_BYTES.min(node) && (writes < reads || writes == 0.0)
}

/// Statements a second that read, and that write, a table.
#[must_use]
pub fn read_write_rates(setting: &Setting<'_>, table: TableId) -> (f64, f64) {
    let (mut reads, mut writes) = (0.0, 0.0);
    for pattern in &setting.patterns_on[table.0 as usize] {
        let pattern = setting.design.pattern(*pattern);
        for (step, statement) in pattern.statements() {
            let rate = setting.served_rate(pattern) * f64::from(step.times.max(1));
            if statement.written_table() == Some(table) {
                writes += rate;
            } else if statement.instances.iter().any(|it| it.table == table) {
                reads += rate;
            }
        }
    }
    (reads, writes)
}

/// The largest key value's rows under a key, for the engine's limits.
fn hot_value(setting: &Setting<'_>, table: TableId, key: &ShardKey) -> HotValue {
    let choice = Choice::Sharded(key.clone());
    let placed = place(setting.design, setting.engine, &setting.copied, table, &choice, &[]);
    hottest_value(setting, &placed)
}

/// Whether a key value's rows outgrow what the engine allows or advises.
#[must_use]
pub fn outgrows(engine: &Engine, value: &HotValue) -> bool {
    let over = |limit: Option<crate::target::Limit>, it: f64| limit.is_some_and(|limit| limit.max < it);
    over(engine.partition.hard_bytes, value.bytes_later)
        || over(engine.partition.advised_bytes, value.bytes_later)
        || over(engine.partition.advised_cells, value.cells_later)
}

/// Time buckets for a key whose values outgrow a partition: the two widest that keep within it.
fn bucketed(setting: &Setting<'_>, table: TableId, sets: &ColumnSets, key: &ShardKey) -> Vec<ShardKey> {
    let engine = setting.engine;
    let it = setting.design.table(table);
    let own: Vec<ColumnId> = key.own_columns().collect();
    if !engine.key.bucket
        || key.hierarchical
        || own.len() != key.parts.len()
        || !outgrows(engine, &hot_value(setting, table, key))
    {
        return Vec::new();
    }
    if own.iter().any(|column| it.column(*column).grows())
        || engine
            .key
            .max_columns
            .is_some_and(|it| it.value as usize <= own.len() && !engine.key.leads_primary_key)
    {
        return Vec::new();
    }
    let time = it.column_ids().find(|column| {
        let it = it.column(*column);
        let dated =
            it.ty.as_ref().is_some_and(|it| matches!(it.family, TypeFamily::Timestamp | TypeFamily::Date));
        it.grows() && dated && (sets.ordered.contains(column) || own.len() == 1)
    });
    let Some(time) = time else { return Vec::new() };
    let with = |every: f64| {
        let mut parts = key.parts.clone();
        parts.push(KeyPart::Bucket { column: time, every: Seconds::new(every).unwrap_or_default() });
        ShardKey { parts, ..key.clone() }
    };
    let fits = BUCKETS
        .iter()
        .rev()
        .map(|it| with(*it))
        .filter(|it| !outgrows(engine, &hot_value(setting, table, it)));
    fits.take(2).collect()
}

/// Salts for a key with a value over a fair shard's share, or that grows in an ordered store.
fn salted(setting: &Setting<'_>, table: TableId, key: &ShardKey) -> Vec<ShardKey> {
    if !setting.engine.key.salt || key.hierarchical || 2 < key.parts.len() {
        return Vec::new();
    }
    let choice = Choice::Sharded(key.clone());
    let placed = place(setting.design, setting.engine, &setting.copied, table, &choice, &[]);
    let fair = 1.0 / f64::from(setting.shards);
    let (_, writes) = read_write_rates(setting, table);
    let grows =
        placed.strategy == Strategy::Range && crate::analysis::routing::grows_at_front(setting, &placed);
    let hot = fair < hottest_value(setting, &placed).share;
    if writes <= 0.0 || !(hot || grows) {
        return Vec::new();
    }
    let from = salt_source(setting, table, key);
    let most = 2 * setting.shards.max(2);
    WAYS.iter()
        .filter(|ways| **ways <= most)
        .map(|ways| ShardKey { salt: Some(Salt { ways: *ways, from, only_hot: false }), ..key.clone() })
        .collect()
}

/// The column a salt is computed from: the one with the most values outside
/// the key, so that whoever knows it asks one place.
fn salt_source(setting: &Setting<'_>, table: TableId, key: &ShardKey) -> Option<ColumnId> {
    let it = setting.design.table(table);
    let in_key: Vec<ColumnId> = key.own_columns().collect();
    it.primary_key
        .iter()
        .rev()
        .filter(|column| !in_key.contains(column))
        .max_by(|a, b| {
            let values = |it: &&ColumnId| setting.table(table).columns[it.0 as usize].distinct;
            values(a).total_cmp(&values(b)).then(b.cmp(a))
        })
        .copied()
}
