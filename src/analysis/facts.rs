//! Statistics of a design made complete: what the file gives, and an estimate
//! (named as such) where it gives nothing.

use crate::analysis::spread::Spread;
use crate::model::{ColumnId, Copied, Design, Distribution, Generated, Table, TableId, TypeFamily};
use crate::units::{Seconds, Share};

/// Rows assumed for a table that does not say how many it has.
const ROWS_UNKNOWN: f64 = 1e6;

/// The statistics of one table.
#[derive(Clone, Debug)]
pub struct TableFacts {
    /// Rows today.
    pub rows: f64,
    /// Whether [`Self::rows`] was not given.
    pub rows_estimated: bool,
    /// Rows at the horizon.
    pub rows_later: f64,
    /// Net growth in rows a second.
    pub growth: f64,
    /// Bytes of a row.
    pub row_bytes: f64,
    /// Seconds of history that the rows cover; `None` when neither growth nor retention says.
    pub history: Option<f64>,
    /// Columns, by position.
    pub columns: Vec<ColumnFacts>,
}

/// The statistics of one column.
#[derive(Clone, Debug)]
pub struct ColumnFacts {
    /// Distinct values today, NULL not counted.
    pub distinct: f64,
    /// Distinct values at the horizon.
    pub distinct_later: f64,
    /// Whether the number was not given and does not follow from what was.
    pub estimated: bool,
    /// How rows spread over the values, NULL as one of them.
    pub rows: Spread,
    /// How rows that have a value spread over the values.
    pub values: Spread,
    /// Rows of one value, on average, are many, and the value only grows: all
    /// inserts of a moment carry the same value.
    pub current_value_takes_inserts: bool,
}

/// Statistics of all tables.
#[must_use]
pub fn table_facts(design: &Design) -> Vec<TableFacts> {
    design.table_ids().map(|id| facts_of(design, id)).collect()
}

fn facts_of(design: &Design, id: TableId) -> TableFacts {
    let table = design.table(id);
    let rows = rows_of(table);
    let growth = table.growth.map_or(0.0, |it| it.get());
    let grown = rows + growth * design.horizon().get();
    let rows_later = match (table.retention, table.growth) {
        // With a retention the rows of that span are the most there can be.
        (Some(kept), Some(growth)) => grown.min((growth.get() * kept.get()).max(rows)),
        _ => grown,
    };
    let history = match (table.retention, growth > 0.0) {
        (Some(kept), true) => Some(kept.get().min((rows / growth).max(1.0))),
        (Some(kept), false) => Some(kept.get()),
        (None, true) => Some((rows / growth).max(1.0)),
        (None, false) => None,
    };
    let columns = table.column_ids().map(|it| column_facts(design, id, it, rows, rows_later)).collect();
    TableFacts {
        rows,
        rows_estimated: table.rows.is_none(),
        rows_later,
        growth,
        row_bytes: table.row_bytes().get(),
        history,
        columns,
    }
}

fn rows_of(table: &Table) -> f64 {
    table.rows.map_or(ROWS_UNKNOWN, |it| it.get()).max(1.0)
}

fn column_facts(design: &Design, table: TableId, id: ColumnId, rows: f64, rows_later: f64) -> ColumnFacts {
    let (known, estimated) = distinct_of(design, table, id, rows, 0);
    let column = design.table(table).column(id);
    let distinct = known.clamp(1.0, rows.max(1.0));
    let grown = column.distinct_growth.map_or(0.0, |it| it.get() * design.horizon().get());
    // A column that names rows grows with them; another keeps its values unless the file says otherwise.
    let grows_with_rows = column.distinct_growth.is_none()
        && distinct >= rows * 0.999
        && !only_with_others(design.table(table), id);
    let later = if grows_with_rows { rows_later.max(distinct) } else { distinct + grown };
    let skew = column.skew.clone().unwrap_or(Distribution::Uniform);
    let values = Spread::of(&skew, distinct);
    let nulls = column.nulls.filter(|it| *it > Share::NONE);
    let spread = nulls.map_or_else(|| values.clone(), |it| values.with_nulls(it.get()));
    let per_value = rows / distinct;
    ColumnFacts {
        distinct,
        distinct_later: later.min(rows_later.max(distinct)),
        estimated,
        rows: spread,
        values,
        current_value_takes_inserts: column.grows() && per_value >= MANY_ROWS_A_VALUE,
    }
}

/// Whether a column names a row only together with others: in a table that has
/// as many rows as devices today, a device still has many rows later.
fn only_with_others(table: &Table, id: ColumnId) -> bool {
    let generated = table.column(id).generated.is_some_and(|it| it != Generated::Time);
    let alone = table.unique_sets().any(|set| set == [id]);
    let with_others = table.unique_sets().any(|set| set.contains(&id));
    with_others && !alone && !generated
}

/// From so many rows a value on, a growing column's current value is seen by
/// many inserts in a row (a date, an hour), so hashing it does not spread them.
const MANY_ROWS_A_VALUE: f64 = 50.0;

/// Distinct values of a column, and whether that is a guess.
fn distinct_of(design: &Design, table_id: TableId, id: ColumnId, rows: f64, depth: u32) -> (f64, bool) {
    let table = design.table(table_id);
    let column = table.column(id);
    if column.constant {
        return (1.0, false);
    }
    if let Some(given) = column.distinct {
        return (given as f64, false);
    }
    if !column.values.is_empty() {
        return (column.values.len() as f64, false);
    }
    if let Some(Distribution::Histogram(pairs)) = &column.skew {
        return (pairs.iter().map(|(_, values)| values).sum(), false);
    }
    if table.unique_sets().any(|set| set == [id]) {
        return (rows, false);
    }
    if depth < 8
        && let Some(key) = table.foreign_keys.iter().find(|key| key.columns == [id])
    {
        let parent_rows = rows_of(design.table(key.parent));
        let (distinct, estimated) =
            distinct_of(design, key.parent, key.parent_columns[0], parent_rows, depth + 1);
        return (distinct.min(rows), estimated);
    }
    let unique_by_birth = matches!(
        column.generated,
        Some(
            Generated::AutoIncrement
                | Generated::Uuid4
                | Generated::Uuid7
                | Generated::Ulid
                | Generated::ObjectId
                | Generated::Snowflake
                | Generated::Ticket
        )
    );
    if unique_by_birth {
        return (rows, false);
    }
    guess(table, id, rows)
}

/// A guess from the type, where nothing else is known.
fn guess(table: &Table, id: ColumnId, rows: f64) -> (f64, bool) {
    let column = table.column(id);
    let family = column.ty.as_ref().map_or(TypeFamily::Other, |it| it.family);
    match family {
        TypeFamily::Boolean => (2.0, false),
        TypeFamily::Timestamp | TypeFamily::Uuid => (rows, true),
        TypeFamily::Date => (rows.min(3650.0), true),
        // The exponent lies between a status column (a handful) and an identifier (all rows);
        // whatever rests on it is reported as an estimate.
        _ => (libm::pow(rows, 2.0 / 3.0).max(1.0), true),
    }
}

/// Statistics of a copied column: as many values as the source has, as many
/// rows each as the child has.
#[must_use]
pub fn copied_facts(facts: &[TableFacts], copied: &Copied) -> ColumnFacts {
    facts[copied.source.0 as usize].columns[copied.column.0 as usize].clone()
}

/// Bytes of a table today and at the horizon, one copy.
#[must_use]
pub fn table_bytes(facts: &TableFacts) -> (f64, f64) {
    (facts.rows * facts.row_bytes, facts.rows_later * facts.row_bytes)
}

/// The stretch of time a table's rows cover at the horizon.
#[must_use]
pub fn history_later(facts: &TableFacts, horizon: Seconds) -> Option<f64> {
    facts.history.map(|now| {
        if facts.growth > 0.0 { (facts.rows_later / facts.growth).max(now) } else { now + horizon.get() }
    })
}
