//! The five scores of a candidate, each with its reason and its numbers.

use crate::analysis::assessment::{Assessment, Three};
use crate::analysis::classes::Reading;
use crate::analysis::placed::{Placed, PlacedPart, row_spread};
use crate::analysis::routing::{At, Spaces, StatementRoute, route, touched};
use crate::analysis::setting::Setting;
use crate::analysis::skew::empty_shards;
use crate::model::{Choice, Operation, TableId};
use crate::search::advice::{Candidate, Scores};
use crate::search::space::Alternative;
use crate::units::text;

/// Judges one candidate with every other table where the chosen plan has it.
#[must_use]
pub fn candidate(
    setting: &Setting<'_>,
    chosen: &Assessment,
    placed: Placed,
    option: &Alternative,
    efficiency: Option<f64>,
    aside: bool,
) -> Candidate {
    let shards = f64::from(setting.shards);
    let design = setting.design;
    let now = row_spread(&setting.facts, &setting.copied, design, &placed, false, setting.shards);
    let later = row_spread(&setting.facts, &setting.copied, design, &placed, true, setting.shards);
    let seen = observed(setting, chosen, &placed);
    let (distinct, effective) =
        if placed.sharded() { (later.distinct(), later.effective()) } else { (1.0, 1.0) };
    let rows = match placed.choice {
        Choice::Sharded(_) => setting.busiest_over_mean(&now, placed.strategy),
        Choice::Replicated => 1.0,
        Choice::Unsharded => shards,
    };
    let busiest = Three { rows, reads: seen.reads.0, writes: seen.writes.0 };
    let hottest = Three { rows: now.top(), reads: seen.reads.1, writes: seen.writes.1 };
    let cardinality = match placed.choice {
        Choice::Sharded(_) => 100.0 * (effective / (10.0 * shards)).min(1.0),
        Choice::Replicated => 100.0,
        Choice::Unsharded => 100.0 / (10.0 * shards),
    };
    let scores = Scores {
        cardinality,
        skew: 100.0 / busiest.max().max(1.0),
        fan_out: seen.fan_out,
        co_location: seen.co_location,
        stability: stability(setting, &placed, option),
    };
    let empty = if placed.sharded() { empty_shards(&now, setting.shards) } else { 0.0 };
    let reasons = reasons(setting, &placed, distinct, effective, &busiest, &hottest, &seen, aside);
    Candidate {
        choice: option.choice.clone(),
        placed,
        rank: 0,
        efficiency,
        veto: option.veto.clone(),
        scores,
        distinct,
        effective,
        busiest,
        hottest,
        empty,
        reasons,
    }
}

/// What the statements on a table do under a candidate.
struct Observed {
    reads: (f64, f64),
    writes: (f64, f64),
    fan_out: f64,
    co_location: f64,
    requests: f64,
    asked: f64,
    scattering: Vec<String>,
}

fn observed(setting: &Setting<'_>, chosen: &Assessment, placed: &Placed) -> Observed {
    let spaces = Spaces::default();
    let shards = f64::from(setting.shards);
    let place =
        |table: TableId| if table == placed.table { placed } else { &chosen.placed[table.0 as usize] };
    let mut sums = [(0.0, 0.0, 0.0); 2];
    let (mut asked, mut requests, mut together, mut stays) = (0.0, 0.0, 0.0, 0.0);
    let mut scattering = Vec::new();
    for id in &setting.patterns_on[placed.table.0 as usize] {
        let figures = &chosen.patterns[id.0 as usize];
        let pattern = setting.design.pattern(*id);
        let all = At::all(setting, figures.pattern, Reading::Implied);
        let routes: Vec<StatementRoute> = all.iter().map(|at| route(at, &place, &spaces)).collect();
        let (mut tables, mut scatters) = (Vec::new(), false);
        for (at, it) in all.iter().zip(&routes) {
            tables.extend(it.instances.iter().filter(|it| place(it.table).sharded()).map(|it| it.table));
            if !it.instances.iter().any(|it| it.table == placed.table) {
                continue;
            }
            asked += figures.rate * at.times;
            requests += figures.rate * it.requests;
            scatters |= it.scatter || it.writes_all;
            let writes = at.statement.written_table() == Some(placed.table);
            if writes || at.statement.op == Operation::Read {
                let weight = figures.rate * it.work;
                let sum = &mut sums[usize::from(writes)];
                *sum = (sum.0 + weight, sum.1 + weight * it.sigma, sum.2 + weight * it.top);
            }
        }
        if scatters {
            scattering.push(pattern.name.clone());
        }
        tables.sort();
        tables.dedup();
        if 1 < tables.len() && tables.contains(&placed.table) {
            together += figures.rate;
            stays += figures.rate * (1.0 - touched(&routes, shards).multi);
        }
    }
    let mean = |(weight, sigma, top): (f64, f64, f64)| {
        if 0.0 < weight { (sigma / weight, top / weight) } else { (1.0, 0.0) }
    };
    Observed {
        reads: mean(sums[0]),
        writes: mean(sums[1]),
        fan_out: if 0.0 < requests { (100.0 * asked / requests).min(100.0) } else { 100.0 },
        co_location: if 0.0 < together { 100.0 * stays / together } else { 100.0 },
        requests,
        asked,
        scattering,
    }
}

/// 100 · (1 − share of the table's writes that change the key); 0 where the engine refuses.
fn stability(setting: &Setting<'_>, placed: &Placed, option: &Alternative) -> f64 {
    if option.veto.as_ref().is_some_and(|it| it.rule.name == "mutable-key") {
        return 0.0;
    }
    let (mut writes, mut changes) = (0.0, 0.0);
    for pattern in &setting.patterns_on[placed.table.0 as usize] {
        let pattern = setting.design.pattern(*pattern);
        let rate = setting.served_rate(pattern);
        for (_, statement) in pattern.statements() {
            if statement.written_table() != Some(placed.table) {
                continue;
            }
            writes += rate;
            let changed = statement.op == Operation::Update
                && placed.parts.iter().any(|part| match part {
                    PlacedPart::Column(column)
                    | PlacedPart::Bucket(column, _)
                    | PlacedPart::Expression(_, column) => statement.writes_column(*column),
                    PlacedPart::Copied(_) => false,
                });
            changes += if changed { rate } else { 0.0 };
        }
    }
    if 0.0 < writes { 100.0 * (1.0 - changes / writes) } else { 100.0 }
}

#[expect(clippy::too_many_arguments, reason = "each is a figure that one sentence names")]
fn reasons(
    setting: &Setting<'_>,
    placed: &Placed,
    distinct: f64,
    effective: f64,
    busiest: &Three,
    hottest: &Three,
    seen: &Observed,
    aside: bool,
) -> Vec<String> {
    let mut all = Vec::new();
    if placed.sharded() {
        let values = text::count(distinct);
        let wanted = text::count(10.0 * f64::from(setting.shards));
        all.push(format!(
            "{values} values, {} effective; {} shards want {wanted}",
            text::count(effective),
            setting.shards
        ));
        all.push(format!(
            "busiest shard {:.2} × mean; hottest value {}",
            busiest.max(),
            text::share(hottest.rows.max(hottest.reads).max(hottest.writes))
        ));
    }
    if 0.0 < seen.asked {
        let mut line = format!("{:.2} shards asked by a statement", seen.requests / seen.asked);
        if !seen.scattering.is_empty() {
            let (n, first) = (seen.scattering.len(), &seen.scattering[0]);
            line.push_str(&format!(
                "; {n} of the patterns ask{} all: \"{first}\"",
                if n == 1 { "s" } else { "" }
            ));
            if 1 < n {
                line.push_str(", …");
            }
        }
        all.push(line);
    }
    if aside {
        all.push("one value's rows outgrow the partition size that the engine's maker advises".to_owned());
    }
    all
}
