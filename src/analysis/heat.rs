//! The hottest key value: what share of a table's load falls on it, and how
//! many reads and writes a second, in the engine's units too.

use crate::analysis::assessment::{Assessment, PatternFigures};
use crate::analysis::classes::Reading;
use crate::analysis::placed::Placed;
use crate::analysis::routing::{At, How, InstanceRoute, StatementRoute};
use crate::analysis::setting::Setting;
use crate::model::{Consistency, Operation, PatternId, TableId};
use crate::target::PartitionRules;

/// Load on the most requested value of a table's key.
///
/// An upper estimate: the hot values and the peaks of all patterns coincide.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Heat {
    /// Its share of the table's load, in shard requests.
    pub share: f64,
    /// Its share of the writes.
    pub write_share: f64,
    /// Its share of the reads.
    pub read_share: f64,
    /// Reads of it a second, at peak.
    pub reads: f64,
    /// Writes of it a second, at peak.
    pub writes: f64,
    /// Read units a second, at peak.
    pub read_units: f64,
    /// Write units a second, at peak.
    pub write_units: f64,
    /// The pattern that reads it most.
    pub read_most: Option<PatternId>,
    /// The pattern that writes it most.
    pub written_most: Option<PatternId>,
}

/// What one statement does to one table.
struct Access {
    pattern: PatternId,
    write: bool,
    /// Executions a second, mean and at peak.
    rate: (f64, f64),
    /// Shard requests of an execution.
    requests: f64,
    /// Share of the executions on the hottest value.
    top: f64,
    /// Units of an execution on one value.
    units: f64,
}

/// The heat of every table's key under an assessed plan.
#[must_use]
pub fn heat_of_tables(setting: &Setting<'_>, assessment: &Assessment, reading: Reading) -> Vec<Heat> {
    let mut all: Vec<Sums> = vec![Sums::default(); assessment.placed.len()];
    let placed = |table: TableId| &assessment.placed[table.0 as usize];
    for figures in &assessment.patterns {
        each_access(setting, &placed, figures, reading, &mut |table, access| {
            all[table.0 as usize].add(access);
        });
    }
    all.iter().map(Sums::heat).collect()
}

/// The heat of one table's key under the patterns that use it, placed in any way.
#[must_use]
pub fn heat_of_table<'p>(
    setting: &Setting<'_>,
    placed: &dyn Fn(TableId) -> &'p Placed,
    patterns: &[PatternFigures],
    reading: Reading,
    table: TableId,
) -> Heat {
    let mut sums = Sums::default();
    for figures in patterns {
        each_access(setting, placed, figures, reading, &mut |of, access| {
            if of == table {
                sums.add(access);
            }
        });
    }
    sums.heat()
}

/// Calls for each table that each statement of a pattern names.
fn each_access<'p>(
    setting: &Setting<'_>,
    placed: &dyn Fn(TableId) -> &'p Placed,
    figures: &PatternFigures,
    reading: Reading,
    add: &mut dyn FnMut(TableId, &Access),
) {
    let pattern = setting.design.pattern(figures.pattern);
    for (at, route) in At::all(setting, figures.pattern, reading).iter().zip(&figures.statements) {
        for instance in &route.instances {
            let rate = figures.rate * at.times;
            let write = at.statement.target == Some(instance.instance);
            let access = Access {
                pattern: figures.pattern,
                write,
                rate: (rate, rate * pattern.peak.max(1.0)),
                requests: requests(setting, instance),
                top: top(at, route, instance, placed),
                units: units(
                    at,
                    instance,
                    placed(instance.table),
                    &setting.engine.partition,
                    pattern.consistency,
                    write,
                ),
            };
            add(instance.table, &access);
        }
    }
}

/// What is added up over the statements of a table.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    it: Heat,
    /// Reads of the hottest value, and all: shard requests a second.
    reads: (f64, f64),
    /// Writes likewise.
    writes: (f64, f64),
    /// The most that one pattern reads, and writes, of the hottest value.
    most: (f64, f64),
}

impl Sums {
    fn add(&mut self, access: &Access) {
        let (hot, load) = (access.rate.0 * access.top, access.rate.0 * access.requests);
        let at_peak = access.rate.1 * access.top;
        if access.write {
            self.writes = (self.writes.0 + hot, self.writes.1 + load);
            self.it.writes += at_peak;
            self.it.write_units += at_peak * access.units;
            if self.most.1 < at_peak {
                (self.most.1, self.it.written_most) = (at_peak, Some(access.pattern));
            }
        } else {
            self.reads = (self.reads.0 + hot, self.reads.1 + load);
            self.it.reads += at_peak;
            self.it.read_units += at_peak * access.units;
            if self.most.0 < at_peak {
                (self.most.0, self.it.read_most) = (at_peak, Some(access.pattern));
            }
        }
    }

    fn heat(&self) -> Heat {
        let share = |(hot, load): (f64, f64)| if load > 0.0 { (hot / load).min(1.0) } else { 0.0 };
        let both = (self.reads.0 + self.writes.0, self.reads.1 + self.writes.1);
        Heat { read_share: share(self.reads), write_share: share(self.writes), share: share(both), ..self.it }
    }
}

fn requests(setting: &Setting<'_>, route: &InstanceRoute) -> f64 {
    let shards = f64::from(setting.shards);
    match &route.how {
        How::Scatter => shards,
        How::Few(values) | How::PerRow(values) => values.clamp(1.0, shards),
        How::Run(share) => (1.0 + share * shards).min(shards),
        How::Replicated | How::Home | How::Key | How::With(_) | How::Index { .. } => 1.0,
    }
}

/// Share of an instance's executions on the hottest value: its own where its
/// key is bound, else that of the instance it goes with.
fn top<'p>(
    at: &At<'_>,
    route: &StatementRoute,
    instance: &InstanceRoute,
    placed: &dyn Fn(TableId) -> &'p Placed,
) -> f64 {
    let mut it = instance;
    for _ in 0..route.instances.len() {
        match &it.how {
            How::Key | How::Few(_) => return at.hottest(it.instance, placed(it.table)),
            How::With(other) => match route.instances.iter().find(|it| it.instance == *other) {
                Some(leader) => it = leader,
                None => return 0.0,
            },
            _ => return 0.0,
        }
    }
    0.0
}

/// Units that one execution takes from one key value.
fn units(
    at: &At<'_>,
    route: &InstanceRoute,
    placed: &Placed,
    rules: &PartitionRules,
    consistency: Consistency,
    write: bool,
) -> f64 {
    let row = at.setting.table(placed.table).row_bytes;
    let limit = at.statement.limit.map_or(f64::INFINITY, |it| it as f64);
    let given = at.statement.rows.map_or(route.rows, |it| it as f64);
    let rows = given.min(limit).max(1.0);
    if write {
        return write_units(rules, row) * if at.statement.op == Operation::Insert { 1.0 } else { rows };
    }
    read_units(rules, row * rows, consistency)
}

/// Write units of one row or item.
#[must_use]
pub fn write_units(rules: &PartitionRules, bytes: f64) -> f64 {
    let factor = f64::from(rules.units_per_write.max(1));
    match rules.write_unit_bytes {
        0 => factor,
        unit => libm::ceil(bytes / unit as f64).max(1.0) * factor,
    }
}

/// Read units of one request that reads so many bytes of one key value.
#[must_use]
pub fn read_units(rules: &PartitionRules, bytes: f64, consistency: Consistency) -> f64 {
    let units = match rules.read_unit_bytes {
        0 => return 1.0,
        unit => libm::ceil(bytes / unit as f64).max(1.0),
    };
    match consistency {
        Consistency::Strong => units,
        Consistency::Eventual => units / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DynamoDB's units: reads of 4 KiB, writes of 1 KiB.
    fn dynamodb() -> &'static PartitionRules {
        &crate::target::engine("dynamodb").unwrap().partition
    }

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    }

    #[test]
    fn units_round_up_and_halve_for_eventual_reads() {
        near(read_units(dynamodb(), 1.0, Consistency::Strong), 1.0);
        near(read_units(dynamodb(), 4096.0, Consistency::Strong), 1.0);
        near(read_units(dynamodb(), 4097.0, Consistency::Strong), 2.0);
        near(read_units(dynamodb(), 8000.0, Consistency::Eventual), 1.0);
        near(write_units(dynamodb(), 1025.0), 2.0);
    }

    #[test]
    fn a_write_takes_five_times_the_units_of_a_read_where_both_share_a_budget() {
        let cosmos = &crate::target::engine("cosmosdb").unwrap().partition;
        near(write_units(cosmos, 1000.0), 5.0);
        // A further unit for each 10 KB, which five times makes 15.
        near(write_units(cosmos, 25_000.0), 15.0);
        near(read_units(cosmos, 25_000.0, Consistency::Strong), 3.0);
    }

    #[test]
    fn where_nothing_is_metered_a_request_is_a_unit() {
        near(read_units(&PartitionRules::NONE, 1e9, Consistency::Strong), 1.0);
        near(write_units(&PartitionRules::NONE, 1e9), 1.0);
    }
}
