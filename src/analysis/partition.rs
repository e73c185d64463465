//! The largest key value of a table: its rows, bytes and growth, against what
//! an engine allows one value.

use crate::analysis::facts::history_later;
use crate::analysis::placed::{Placed, PlacedPart, row_spread};
use crate::analysis::setting::Setting;
use crate::units::DAY;

/// The largest key value of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HotValue {
    /// Its share of the rows.
    pub share: f64,
    /// Its rows today.
    pub rows: f64,
    /// Its rows at the horizon.
    pub rows_later: f64,
    /// Its bytes today.
    pub bytes: f64,
    /// Its bytes at the horizon.
    pub bytes_later: f64,
    /// Its values (rows times columns outside the key) at the horizon.
    pub cells_later: f64,
    /// Bytes it gains a day; 0 where a bucket or the retention stops it.
    pub bytes_a_day: f64,
    /// Whether it grows without end: rows keep coming and neither a bucket nor
    /// a retention bounds them.
    pub endless: bool,
}

/// The largest key value of a placed table.
///
/// # Model
///
/// The hottest value has its share of today's rows and of the growth, unless
/// the key itself grows with the rows (an identifier, a time): then no value
/// has more than its rows of today. A time bucket bounds a value's rows to those
/// of one width.
#[must_use]
pub fn hottest_value(setting: &Setting<'_>, placed: &Placed) -> HotValue {
    let facts = setting.table(placed.table);
    let table = setting.design.table(placed.table);
    let bucket = placed.parts.iter().find_map(|it| match it {
        PlacedPart::Bucket(_, every) => Some(*every),
        _ => None,
    });
    let whole = Placed {
        parts: placed.parts.iter().filter(|it| !matches!(it, PlacedPart::Bucket(..))).cloned().collect(),
        ..placed.clone()
    };
    let share =
        row_spread(&setting.facts, &setting.copied, setting.design, &whole, false, setting.shards).top();
    let grows = placed.parts.iter().any(|it| match it {
        PlacedPart::Column(column) => {
            let values = &facts.columns[column.0 as usize];
            table.column(*column).grows() || facts.rows <= values.distinct * 1.001
        }
        _ => false,
    });
    let (mut rows, mut rows_later) = (facts.rows * share, facts.rows_later * share);
    let mut endless = 0.0 < facts.growth && table.retention.is_none();
    let mut a_day = facts.growth * DAY * share * facts.row_bytes;
    if grows {
        (rows_later, endless, a_day) = (rows, false, 0.0);
    }
    if let Some(every) = bucket {
        let a_bucket = |rows: f64, history: Option<f64>| match history {
            Some(history) => rows * (every / history).min(1.0),
            None => rows,
        };
        let horizon = setting.design.horizon();
        rows = a_bucket(rows, facts.history);
        rows_later = a_bucket(rows_later, history_later(facts, horizon));
        (endless, a_day) = (false, 0.0);
    }
    let keys = table.primary_key.len().max(placed.parts.len());
    let columns = table.columns.len().saturating_sub(keys).max(1);
    HotValue {
        share,
        rows,
        rows_later,
        bytes: rows * facts.row_bytes,
        bytes_later: rows_later * facts.row_bytes,
        cells_later: rows_later * columns as f64,
        bytes_a_day: if endless { a_day } else { 0.0 },
        endless,
    }
}
