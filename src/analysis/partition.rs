//! The fullest partition: how many rows and bytes the most frequent value of a
//! key holds, today and at the horizon, against what an engine allows one value.

use crate::analysis::facts::ColumnFacts;
use crate::analysis::placed::{Placed, PlacedIndex, PlacedPart};
use crate::analysis::setting::Setting;
use crate::analysis::spread::Spread;
use crate::model::{Column, ColumnId, Distribution, Include, Operation, Salt, Table, TableId};

/// What holds the most frequent value of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fullest {
    /// Its share of the rows today.
    pub share: f64,
    /// Its rows today and at the horizon.
    pub rows: (f64, f64),
    /// Bytes of one of its rows.
    pub row_bytes: f64,
    /// Rows it gains a second; 0 where something stops it.
    pub growth: f64,
    /// What stops it.
    pub stopped: Option<Stop>,
}

/// What stops a partition from growing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// Rows are gone at this age, in seconds.
    Retention(f64),
    /// A new partition begins after so many seconds.
    Bucket(f64),
}

impl Fullest {
    /// Its bytes today and at the horizon.
    #[must_use]
    pub fn bytes(&self) -> (f64, f64) {
        (self.rows.0 * self.row_bytes, self.rows.1 * self.row_bytes)
    }

    /// Bytes it gains a day.
    #[must_use]
    pub fn bytes_a_day(&self) -> f64 {
        self.growth * self.row_bytes * crate::units::DAY
    }

    /// Seconds until it has so many rows; 0 if it has them today, `None` if it
    /// stays below until the horizon.
    #[must_use]
    pub fn reaches(&self, rows: f64) -> Option<f64> {
        if rows <= self.rows.0 {
            return Some(0.0);
        }
        if self.rows.1 < rows || self.growth <= 0.0 {
            return None;
        }
        Some((rows - self.rows.0) / self.growth)
    }
}

/// The fullest partition of a table; `None` where a time bucket's rows are not known.
///
/// # Model
///
/// Rows times the share of the most frequent value of the whole key; a salt
/// divides it. At the horizon the share is that of as many values as there are
/// then. A time bucket holds the rows that arrive in its width: growth, or rows
/// over retention, or what the patterns insert.
#[must_use]
pub fn fullest(setting: &Setting<'_>, placed: &Placed) -> Option<Fullest> {
    let facts = setting.table(placed.table);
    let bucket = placed.parts.iter().find_map(|it| match it {
        PlacedPart::Bucket(_, every) => Some(*every),
        _ => None,
    });
    let now = key_spread(setting, placed, false).top();
    let later = key_spread(setting, placed, true).top().min(now);
    let mut it = of_shares(setting, placed.table, (now, later), facts.row_bytes);
    if let Some(every) = bucket {
        let a_second = inflow(setting, placed.table)?;
        let rows = (a_second * every * now).min(it.rows.1.max(it.rows.0)).max(1.0);
        it.rows = (rows, rows);
        it.growth = 0.0;
        it.stopped = Some(Stop::Bucket(every));
    }
    Some(it)
}

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

/// The largest key value of a placed table: [`fullest`], where a bucket whose
/// rows are not known counts as the whole value.
#[must_use]
pub fn hottest_value(setting: &Setting<'_>, placed: &Placed) -> HotValue {
    let whole = || {
        let parts = placed.parts.iter().filter(|it| !matches!(it, PlacedPart::Bucket(..))).cloned().collect();
        let it = Placed { parts, ..placed.clone() };
        fullest(setting, &it).map(|it| Fullest { growth: 0.0, stopped: Some(Stop::Bucket(0.0)), ..it })
    };
    let Some(it) = fullest(setting, placed).or_else(whole) else {
        return HotValue {
            share: 0.0,
            rows: 0.0,
            rows_later: 0.0,
            bytes: 0.0,
            bytes_later: 0.0,
            cells_later: 0.0,
            bytes_a_day: 0.0,
            endless: false,
        };
    };
    let table = setting.design.table(placed.table);
    let keys = table.primary_key.len().max(placed.parts.len());
    let columns = table.columns.len().saturating_sub(keys).max(1);
    let endless = it.stopped.is_none() && 0.0 < it.growth;
    HotValue {
        share: it.share,
        rows: it.rows.0,
        rows_later: it.rows.1,
        bytes: it.bytes().0,
        bytes_later: it.bytes().1,
        cells_later: it.rows.1 * columns as f64,
        bytes_a_day: if endless { it.bytes_a_day() } else { 0.0 },
        endless,
    }
}

/// The fullest partition of a global index.
#[must_use]
pub fn fullest_of_index(setting: &Setting<'_>, index: &PlacedIndex) -> Fullest {
    let it = &index.index;
    let columns = |later| {
        let parts: Vec<PlacedPart> = it.key.iter().map(|it| PlacedPart::Column(*it)).collect();
        let spread = columns_spread(setting, it.table, &parts, later);
        it.salt.map_or_else(|| spread.clone(), |salt| spread.salted(salt.ways)).top()
    };
    let table = setting.design.table(it.table);
    let facts = setting.table(it.table);
    let kept: f64 =
        it.only.iter().map(|(column, value)| share_of(table, &facts.columns, *column, value)).product();
    let (now, later) = (columns(false), columns(true));
    let mut fullest = of_shares(setting, it.table, (now, later.min(now)), entry_bytes(table, index));
    fullest.share = now;
    fullest.rows = (fullest.rows.0 * kept, fullest.rows.1 * kept);
    fullest.growth *= kept;
    fullest
}

/// Bytes of an index entry.
#[must_use]
pub fn entry_bytes(table: &Table, index: &PlacedIndex) -> f64 {
    let it = &index.index;
    let mut columns: Vec<ColumnId> = it.key.clone();
    columns.extend(&it.sort);
    columns.extend(&table.primary_key);
    match &it.include {
        Include::All => return table.row_bytes().get(),
        Include::KeysOnly => {}
        Include::Columns(more) => columns.extend(more),
    }
    columns.sort_unstable();
    columns.dedup();
    columns.iter().map(|it| table.column(*it).bytes().get()).sum::<f64>().min(table.row_bytes().get())
}

/// Share of the rows with one named value.
fn share_of(table: &Table, facts: &[ColumnFacts], column: ColumnId, value: &str) -> f64 {
    if let Some(Distribution::Top { shares, .. }) = &table.column(column).skew {
        let named = shares.iter().find(|(name, _)| name.as_deref() == Some(value));
        if let Some((_, share)) = named {
            return share.get();
        }
    }
    1.0 / facts[column.0 as usize].distinct.max(1.0)
}

fn of_shares(setting: &Setting<'_>, table: TableId, share: (f64, f64), row_bytes: f64) -> Fullest {
    let facts = setting.table(table);
    let rows = ((facts.rows * share.0).max(1.0), facts.rows_later * share.1);
    // A table without growth does not shrink; one whose values multiply with its rows has full partitions already.
    let rows = (rows.0, rows.1.max(rows.0));
    let kept = setting.design.table(table).retention.map(|it| Stop::Retention(it.get()));
    let horizon = setting.design.horizon().get();
    let gained = rows.1 - rows.0;
    let growth = if gained <= 0.0 {
        0.0
    } else if kept.is_some() {
        // It grows at the table's pace until the retention stops it.
        facts.growth * share.0
    } else {
        gained / horizon.max(1.0)
    };
    Fullest { share: share.0, rows, row_bytes, growth, stopped: kept }
}

/// How rows spread over the values of a key, its time bucket left out.
fn key_spread(setting: &Setting<'_>, placed: &Placed, later: bool) -> Spread {
    let spread = columns_spread(setting, placed.table, &placed.parts, later);
    match placed.salt {
        Some(Salt { ways, only_hot: true, .. }) => {
            spread.salted_only_hot(ways, 1.0 / f64::from(setting.shards))
        }
        Some(Salt { ways, .. }) => spread.salted(ways),
        None => spread,
    }
}

fn columns_spread(setting: &Setting<'_>, table_id: TableId, parts: &[PlacedPart], later: bool) -> Spread {
    let table = setting.design.table(table_id);
    let facts = setting.table(table_id);
    let rows = if later { facts.rows_later } else { facts.rows };
    let mut spread = Spread::constant();
    for (idx, part) in parts.iter().enumerate() {
        let it = match part {
            PlacedPart::Bucket(..) => continue,
            PlacedPart::Column(column) | PlacedPart::Expression(_, column) => {
                let implied = parts.iter().enumerate().any(|(other, it)| {
                    matches!(it, PlacedPart::Column(by)
                        if other != idx && table.column(*by).determines.contains(column))
                });
                if implied {
                    continue;
                }
                values(table.column(*column), &facts.columns[column.0 as usize], later)
            }
            PlacedPart::Copied(at) => match setting.copied[table_id.0 as usize].get(*at) {
                Some(it) => {
                    let source = setting.design.table(it.source).column(it.column);
                    values(source, &setting.table(it.source).columns[it.column.0 as usize], later)
                }
                None => continue,
            },
        };
        spread = spread.times(&it, rows);
    }
    spread
}

/// How rows spread over a column's values today, or over as many as there are at the horizon.
fn values(column: &Column, facts: &ColumnFacts, later: bool) -> Spread {
    if !later || facts.distinct_later <= facts.distinct {
        return facts.rows.clone();
    }
    let skew = column.skew.clone().unwrap_or(Distribution::Uniform);
    let spread = Spread::of(&skew, facts.distinct_later);
    match column.nulls {
        Some(nulls) if 0.0 < nulls.get() => spread.with_nulls(nulls.get()),
        _ => spread,
    }
}

/// Rows that arrive in a table a second.
#[must_use]
pub fn inflow(setting: &Setting<'_>, table: TableId) -> Option<f64> {
    let facts = setting.table(table);
    let kept = setting.design.table(table).retention.filter(|it| 0.0 < it.get());
    let by_retention = kept.map_or(0.0, |it| facts.rows / it.get());
    let known = facts.growth.max(by_retention);
    if known > 0.0 {
        return Some(known);
    }
    let mut inserted = 0.0;
    for pattern in &setting.design.patterns {
        for (step, statement) in pattern.statements() {
            let inserts = matches!(statement.op, Operation::Insert | Operation::Upsert);
            if inserts && statement.written_table() == Some(table) {
                inserted += setting.served_rate(pattern)
                    * f64::from(step.times.max(1))
                    * f64::from(statement.inserted_rows.max(1));
            }
        }
    }
    (inserted > 0.0).then_some(inserted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Choice, Design, KeyPart, ShardKey};
    use crate::units::{Bytes, DAY, Rate, Rows, Seconds, Share};

    /// A million rows of 1 KB; a third of them have one of ten values of `k`, the others share the rest.
    fn design() -> Design {
        let column = |name: &str| Column { name: name.to_owned(), ..Column::default() };
        let skew = Distribution::Top {
            shares: vec![(None, Share::new(0.25).unwrap())],
            rest: Box::new(Distribution::Uniform),
        };
        let k = Column { distinct: Some(4), skew: Some(skew), ..column("k") };
        let table = Table {
            name: "t".to_owned(),
            rows: Some(Rows(1_000_000)),
            row_size: Some(Bytes(1000)),
            columns: vec![k, Column { monotonic: true, ..column("at") }],
            ..Table::default()
        };
        Design { tables: vec![table], ..Design::default() }
    }

    fn fullest_by(design: &Design, key: ShardKey) -> Option<Fullest> {
        let engine = crate::target::engine("generic").unwrap();
        let setting = Setting::new(design, engine, Some(8), None, vec![Vec::new()]);
        let choice = Choice::Sharded(key);
        let placed =
            crate::analysis::placed::place(design, engine, &setting.copied, TableId(0), &choice, &[]);
        fullest(&setting, &placed)
    }

    fn by_k() -> ShardKey {
        ShardKey::of_columns(&[ColumnId(0)])
    }

    fn a_day(rows: f64) -> Option<Rate> {
        Rate::per_second(rows / DAY)
    }

    #[test]
    fn the_most_frequent_value_has_its_share_of_the_rows() {
        let it = fullest_by(&design(), by_k()).unwrap();
        assert!((it.rows.0 - 250_000.0).abs() < 1e-6, "{it:?}");
        assert!((it.bytes().0 - 250e6).abs() < 1.0);
        assert_eq!(it.reaches(250_000.0), Some(0.0));
        assert_eq!(it.reaches(250_001.0), None);
    }

    #[test]
    fn it_grows_with_the_table_until_the_horizon() {
        let mut design = design();
        design.tables[0].growth = a_day(4000.0);
        design.horizon = Seconds::new(100.0 * DAY);
        let it = fullest_by(&design, by_k()).unwrap();
        // A quarter of 4,000 rows a day, 1 KB each, for 100 days.
        assert!((it.rows.1 - 350_000.0).abs() < 1e-6, "{it:?}");
        assert!((it.bytes_a_day() - 1e6).abs() < 1e-3);
        let days = it.reaches(300_000.0).unwrap() / DAY;
        assert!((days - 50.0).abs() < 1e-6, "{days}");
    }

    #[test]
    fn a_retention_stops_it() {
        let mut design = design();
        design.tables[0].growth = a_day(4000.0);
        design.tables[0].retention = Seconds::new(500.0 * DAY);
        // 500 days of 4,000 rows are two million; a quarter of them is half a million, reached after a year.
        let it = fullest_by(&design, by_k()).unwrap();
        assert_eq!(it.stopped, Some(Stop::Retention(500.0 * DAY)));
        assert!((it.rows.1 - 500_000.0).abs() < 1e-3, "{it:?}");
    }

    #[test]
    fn a_bucket_holds_what_arrives_in_its_width() {
        let mut design = design();
        design.tables[0].growth = a_day(4000.0);
        let mut key = by_k();
        key.parts.push(KeyPart::Bucket { column: ColumnId(1), every: Seconds::new(10.0 * DAY).unwrap() });
        let it = fullest_by(&design, key.clone()).unwrap();
        // A quarter of 40,000.
        assert!((it.rows.0 - 10_000.0).abs() < 1e-6, "{it:?}");
        assert_eq!(it.stopped, Some(Stop::Bucket(10.0 * DAY)));
        // Without growth, retention or inserts nobody knows.
        design.tables[0].growth = None;
        assert!(fullest_by(&design, key).is_none());
    }

    #[test]
    fn a_salt_divides_it() {
        let key = ShardKey { salt: Some(Salt { ways: 5, from: None, only_hot: false }), ..by_k() };
        let it = fullest_by(&design(), key).unwrap();
        assert!((it.rows.0 - 50_000.0).abs() < 1e-6, "{it:?}");
    }

    #[test]
    fn a_value_of_a_key_that_names_rows_does_not_grow() {
        let mut design = design();
        design.tables[0].growth = a_day(4000.0);
        design.tables[0].primary_key = vec![ColumnId(0)];
        design.tables[0].columns[0].distinct = None;
        design.tables[0].columns[0].skew = None;
        let it = fullest_by(&design, by_k()).unwrap();
        assert!((it.rows.1 - 1.0).abs() < 1e-6 && it.growth <= 0.0, "{it:?}");
    }
}
