//! What a statement binds of a table's key: tokens, buckets, salts, and the
//! parts that nothing binds.

use crate::analysis::classes::{Class, ClassId};
use crate::analysis::placed::{Placed, PlacedPart};
use crate::analysis::routing::{At, Spaces, matching_rows};
use crate::analysis::tokens::{Atom, Token};
use crate::model::{ColumnId, InstanceId, RangeWidth, TableId};

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
pub(super) fn salts_read(at: &At<'_>, instance: InstanceId, placed: &Placed, inserting: bool) -> f64 {
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
