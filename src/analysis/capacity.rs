//! What the whole workload asks of one node, and of each node of a cluster.

use crate::analysis::assessment::Assessment;
use crate::analysis::facts::table_bytes;
use crate::analysis::setting::Setting;
use crate::model::{Choice, TableId};
use crate::units::DAY;

/// How full a node is planned to be at most.
pub const FULL: f64 = 0.6;

/// What is asked for: storage with all copies, and statements a second at peak.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    /// Bytes at the horizon.
    pub bytes: f64,
    /// Reading statements a second, the peaks of all patterns together.
    pub reads: f64,
    /// Writing statements a second, copies included.
    pub writes: f64,
}

impl Demand {
    /// The largest share of a node that it takes; `None` where nothing is known of the node.
    #[must_use]
    pub fn of_a_node(&self, setting: &Setting<'_>) -> Option<f64> {
        let node = &setting.design.target.node;
        let shares = [
            node.storage.map(|it| self.bytes / it.get().max(1.0)),
            node.reads.map(|it| self.reads / it.get().max(1e-9)),
            node.writes.map(|it| self.writes / it.get().max(1e-9)),
        ];
        shares.into_iter().flatten().reduce(f64::max)
    }
}

/// What some tables ask of the one node that holds them all; a statement counts
/// if it touches one of them.
#[must_use]
pub fn demand(setting: &Setting<'_>, counts: &dyn Fn(TableId) -> bool) -> Demand {
    let copies = f64::from(setting.design.target.copies.unwrap_or(1).max(1));
    let mut it = Demand::default();
    for id in setting.design.table_ids().filter(|id| counts(*id)) {
        it.bytes += table_bytes(setting.table(id)).1 * copies;
    }
    for pattern in &setting.design.patterns {
        let peak = setting.served_rate(pattern) * pattern.peak.max(1.0);
        for (step, statement) in pattern.statements() {
            if !statement.instances.iter().any(|instance| counts(instance.table)) {
                continue;
            }
            let rate = peak * f64::from(step.times.max(1));
            if statement.target.is_some() { it.writes += rate * copies } else { it.reads += rate }
        }
    }
    it
}

/// What the fullest node of a plan is asked for.
///
/// # Model
///
/// An even part of everything, and the busiest shard's excess over the mean: a
/// node with S/N of the shards has 1 + (σ − 1)·N/S times an even part when the
/// busiest is among them. A copy of a replicated table is on every node, an
/// unsharded table on one.
#[must_use]
pub fn fullest_node(setting: &Setting<'_>, assessment: &Assessment, nodes: u32) -> Demand {
    let (shards, n) = (f64::from(setting.shards), f64::from(nodes.max(1)));
    let copies = f64::from(setting.design.target.copies.unwrap_or(1).max(1));
    let excess = |sigma: f64| 1.0 + (sigma.max(1.0) - 1.0) * (n / shards).min(1.0);
    let mut it = Demand::default();
    for figures in &assessment.tables {
        let bytes = figures.bytes.1;
        it.bytes += match assessment.placed[figures.table.0 as usize].choice {
            Choice::Replicated | Choice::Unsharded => bytes,
            Choice::Sharded(_) => bytes * copies / n * excess(figures.busiest.rows).min(n),
        };
    }
    for figures in &assessment.patterns {
        let pattern = setting.design.pattern(figures.pattern);
        let peak = figures.rate * pattern.peak.max(1.0);
        for ((_, statement), route) in pattern.statements().zip(&figures.statements) {
            let requests = peak * route.requests / n * excess(route.sigma).min(n);
            if statement.target.is_some() { it.writes += requests * copies } else { it.reads += requests }
        }
    }
    it
}

/// Days until growth fills one node to [`FULL`], if that is ever; rates are taken to stay.
#[must_use]
pub fn days_left(setting: &Setting<'_>) -> Option<f64> {
    let storage = setting.design.target.node.storage?.get() * FULL;
    let copies = f64::from(setting.design.target.copies.unwrap_or(1).max(1));
    let at = |days: f64| -> f64 {
        let grown = setting.facts.iter().zip(&setting.design.tables).map(|(facts, table)| {
            let rows = facts.rows + facts.growth * days * DAY;
            let most = table.retention.map_or(f64::INFINITY, |it| (facts.growth * it.get()).max(facts.rows));
            rows.min(most) * facts.row_bytes
        });
        grown.sum::<f64>() * copies
    };
    let (mut low, mut high) = (0.0, 36_525.0);
    if at(high) < storage {
        return None;
    }
    // Size only grows, so halving the stretch finds the day.
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if at(middle) < storage { low = middle } else { high = middle }
    }
    Some(libm::floor(low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        AccessPattern, Design, Instance, Operation, Selected, Statement, Step, Table, Written,
    };
    use crate::source::Span;
    use crate::units::{Bytes, Rate, Rows};

    fn statement(table: u32, target: bool) -> Statement {
        let instance = Instance { table: TableId(table), alias: "t".to_owned(), span: Span::default() };
        Statement {
            op: if target { Operation::Update } else { Operation::Read },
            instances: vec![instance],
            target: target.then_some(crate::model::InstanceId(0)),
            predicates: Vec::new(),
            assigns: Vec::new(),
            written: Written::Nothing,
            order_by: Vec::new(),
            limit: None,
            aggregate: false,
            distinct: false,
            selected: Selected::All,
            inserted_rows: 1,
            rows: None,
            span: Span::default(),
        }
    }

    fn pattern(rate: f64, peak: f64, times: u32, statements: Vec<Statement>) -> AccessPattern {
        AccessPattern {
            rate: Rate::per_second(rate).unwrap(),
            peak,
            steps: vec![Step { times, each: Vec::new(), statements }],
            ..AccessPattern::default()
        }
    }

    /// Two tables of 1 GB and 3 GB.
    fn design() -> Design {
        let table = |rows| Table { rows: Some(Rows(rows)), row_size: Some(Bytes(1000)), ..Table::default() };
        Design {
            tables: vec![table(1_000_000), table(3_000_000)],
            patterns: vec![
                pattern(10.0, 3.0, 1, vec![statement(0, false)]),
                pattern(5.0, 1.0, 2, vec![statement(0, true), statement(1, false)]),
            ],
            ..Design::default()
        }
    }

    fn setting(design: &Design) -> Setting<'_> {
        let engine = crate::target::engine("generic").unwrap();
        Setting::new(design, engine, Some(8), None, vec![Vec::new(); design.tables.len()])
    }

    #[test]
    fn peaks_repetitions_and_copies_count() {
        let mut design = design();
        design.target.copies = Some(3);
        let all = demand(&setting(&design), &|_| true);
        // 10/s at three times, and twice 5/s; twice 5/s on three copies; 4 GB on three copies.
        assert_eq!(all, Demand { bytes: 12e9, reads: 40.0, writes: 30.0 });
        let second = demand(&setting(&design), &|id| id == TableId(1));
        assert_eq!(second, Demand { bytes: 9e9, reads: 10.0, writes: 0.0 });
    }

    #[test]
    fn the_scarcest_resource_counts() {
        let mut design = design();
        assert_eq!(demand(&setting(&design), &|_| true).of_a_node(&setting(&design)), None);
        design.target.node.storage = Some(Bytes(40_000_000_000));
        design.target.node.writes = Rate::per_second(20.0);
        // 10% of the storage, half of the writes.
        let share = demand(&setting(&design), &|_| true).of_a_node(&setting(&design));
        assert_eq!(share, Some(0.5));
    }

    #[test]
    fn growth_fills_a_node_to_sixty_percent() {
        let mut design = design();
        design.target.node.storage = Some(Bytes(10_000_000_000));
        design.tables[0].growth = Rate::per_second(10_000.0 / DAY);
        // 6 GB are full, 4 GB are there, 10 MB a day come: 200 days.
        let days = days_left(&setting(&design)).unwrap();
        assert!((days - 200.0).abs() <= 1.0, "{days}");
        design.tables[0].growth = None;
        assert_eq!(days_left(&setting(&design)), None);
    }
}
