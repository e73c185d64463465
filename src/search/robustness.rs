//! How far an estimated input may be off before another key wins.

use std::collections::BTreeMap;

use crate::analysis::placed::Placed;
use crate::analysis::setting::Setting;
use crate::analysis::verdict::Robustness;
use crate::model::{Choice, ColumnId, Design, TableId};
use crate::search::advise::search;

/// Estimated inputs that are tried.
const INPUTS: usize = 3;
/// Each is tried at this factor and its powers, both ways.
const FACTOR: f64 = 8.0;
/// Powers tried each way.
const POWERS: i32 = 3;
/// Above so many tables the search for each try would cost more than it tells.
const MOST_TABLES: usize = 60;

/// Tries the estimated inputs that matter most at other values.
pub(super) fn robustness(
    setting: &Setting<'_>,
    pins: &BTreeMap<TableId, Choice>,
    chosen: &[Placed],
    tick: &mut dyn FnMut() -> bool,
) -> Vec<Robustness> {
    if MOST_TABLES < setting.design.tables.len() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for (table, column) in estimated(setting).into_iter().take(INPUTS) {
        let facts = setting.table(table);
        let value = facts.columns[column.0 as usize].distinct;
        let (mut low, mut high, mut matters) = (value, value, false);
        for (up, limit) in [(false, 1.0), (true, facts.rows)] {
            for power in 1..=POWERS {
                let factor = libm::pow(FACTOR, f64::from(power));
                let tried = if up { (value * factor).min(limit) } else { (value / factor).max(limit) };
                if tick() {
                    break;
                }
                if !stays(setting, pins, chosen, table, column, tried) {
                    matters = true;
                    break;
                }
                if up { high = tried } else { low = tried }
            }
        }
        let it = setting.design.table(table);
        let input = format!("distinct values of {}.{}", it.name, it.column(column).name);
        all.push(Robustness { table, input, value, low, high, matters });
    }
    all
}

/// Columns that candidates rest on and whose number of values is a guess, most rows first.
fn estimated(setting: &Setting<'_>) -> Vec<(TableId, ColumnId)> {
    let sets = crate::search::candidates::column_sets(setting.design);
    let mut all = Vec::new();
    for table in setting.design.table_ids() {
        for column in setting.design.table(table).column_ids() {
            let named = sets[table.0 as usize].own.iter().any(|it| it.contains(&column));
            if named && setting.table(table).columns[column.0 as usize].estimated {
                all.push((table, column));
            }
        }
    }
    all.sort_by(|a, b| {
        let rows = |it: &(TableId, ColumnId)| setting.table(it.0).rows;
        rows(b).total_cmp(&rows(a)).then(a.cmp(b))
    });
    all
}

fn stays(
    setting: &Setting<'_>,
    pins: &BTreeMap<TableId, Choice>,
    chosen: &[Placed],
    table: TableId,
    column: ColumnId,
    distinct: f64,
) -> bool {
    let mut design: Design = setting.design.clone();
    design.tables[table.0 as usize].columns[column.0 as usize].distinct = Some(distinct.max(1.0) as u64);
    let tried =
        Setting::new(&design, setting.engine, Some(setting.shards), setting.nodes, setting.copied.clone());
    let found = search(&tried, pins, &mut || false);
    let states = found.space.tables.iter().zip(&found.simplest.states);
    states.zip(chosen).all(|((table, state), old)| table.states[*state].placed.choice == old.choice)
}
