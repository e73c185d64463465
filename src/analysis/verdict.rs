//! Whether to shard at all, and over how many shards.

use crate::analysis::assessment::Assessment;
use crate::analysis::capacity::{Demand, FULL, days_left, demand};
use crate::analysis::setting::Setting;
use crate::model::TableId;
use crate::units::text;

/// Whether to shard at all, and over how many.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Verdict {
    /// Whether sharding is needed at the horizon; `None` where a node's capacity is not known.
    pub shard: Option<bool>,
    /// One sentence.
    pub summary: String,
    /// The arithmetic behind it.
    pub reasons: Vec<String>,
    /// Shards that hold size, reads and writes at the horizon.
    pub recommended_shards: Option<u32>,
    /// Days until one node no longer holds it; `None` where that lies behind the horizon or is not known.
    pub not_needed_days: Option<f64>,
    /// Cheaper steps, in order, where sharding is not needed.
    pub steps: Vec<String>,
}

/// An estimated input and the range in which the choices stay the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Robustness {
    /// The table.
    pub table: TableId,
    /// What was estimated: `distinct values of orders.customer_id`.
    pub input: String,
    /// The estimate.
    pub value: f64,
    /// Smallest value tried at which the choices stay.
    pub low: f64,
    /// Largest value tried at which the choices stay.
    pub high: f64,
    /// Whether the choices change anywhere in the range tried.
    pub matters: bool,
}

/// Shard counts that divide evenly by many node counts.
const DIVISIBLE: [u32; 14] = [12, 24, 48, 60, 96, 120, 240, 360, 480, 720, 960, 1440, 2880, 5760];

/// One resource of a node: what the workload needs of it and what one node has.
struct Need {
    what: &'static str,
    needed: f64,
    one: f64,
    print: fn(f64) -> String,
}

/// Judges size, reads and writes at the horizon against one node.
///
/// # Model
///
/// Bytes at the horizon times copies, and peak statements a second (peaks of
/// several patterns coincide), each against 60 % of what one node has. Shards:
/// as many nodes as the scarcest resource wants, then the next number with
/// many divisors.
#[must_use]
pub fn verdict(setting: &Setting<'_>, assessment: &Assessment) -> Verdict {
    let node = setting.design.target.node;
    let Demand { bytes, reads, writes } = demand(setting, &|_| true);
    let mut needs = Vec::new();
    if let Some(it) = node.storage {
        needs.push(Need { what: "storage", needed: bytes, one: it.get(), print: text::bytes });
    }
    if let Some(it) = node.reads {
        needs.push(Need { what: "reads", needed: reads, one: it.get(), print: text::rate });
    }
    if let Some(it) = node.writes {
        needs.push(Need { what: "writes", needed: writes, one: it.get(), print: text::rate });
    }
    if needs.is_empty() {
        return unknown(bytes, reads, writes);
    }
    let reasons: Vec<String> = needs
        .iter()
        .map(|it| {
            let share = if 0.0 < it.one { it.needed / it.one } else { f64::INFINITY };
            format!(
                "{}: {} of {} on one node ({})",
                it.what,
                (it.print)(it.needed),
                (it.print)(it.one),
                text::share(share)
            )
        })
        .collect();
    let nodes = needs.iter().map(|it| libm::ceil(it.needed / (FULL * it.one).max(1e-9))).fold(1.0, f64::max);
    let shard = 1.0 < nodes;
    let recommended = DIVISIBLE.iter().copied().find(|it| nodes <= f64::from(*it)).unwrap_or(nodes as u32);
    let summary = if shard {
        format!("shard: at the horizon the load wants {} nodes at 60 % full", text::count(nodes))
    } else {
        "one node holds this at the horizon with headroom: do not shard yet".to_owned()
    };
    Verdict {
        shard: Some(shard),
        summary,
        reasons,
        recommended_shards: Some(recommended),
        not_needed_days: if shard { None } else { days_left(setting) },
        steps: if shard { Vec::new() } else { steps(assessment) },
    }
}

fn unknown(bytes: f64, reads: f64, writes: f64) -> Verdict {
    Verdict {
        shard: None,
        summary: "whether sharding is needed is unknown: give what one node holds and serves as target.node"
            .to_owned(),
        reasons: vec![format!(
            "at the horizon {}, {} reads and {} writes at peak",
            text::bytes(bytes),
            text::rate(reads),
            text::rate(writes)
        )],
        ..Verdict::default()
    }
}

/// Peak reading and writing statements a second.
#[must_use]
pub fn peak_rates(setting: &Setting<'_>) -> (f64, f64) {
    let (mut reads, mut writes) = (0.0, 0.0);
    for pattern in &setting.design.patterns {
        let peak = setting.served_rate(pattern) * pattern.peak.max(1.0);
        for (step, statement) in pattern.statements() {
            let rate = peak * f64::from(step.times.max(1));
            if statement.target.is_some() { writes += rate } else { reads += rate }
        }
    }
    (reads, writes)
}

/// What to do instead, cheapest first.
fn steps(assessment: &Assessment) -> Vec<String> {
    let reads = assessment.patterns.iter().filter(|it| it.written.mean <= 0.0).map(|it| it.rate).sum::<f64>();
    let all = assessment.totals.requests;
    let mut steps = vec!["a larger node, and indexes and settings that fit the load".to_owned()];
    if all / 2.0 < reads {
        steps.push("read replicas: most requests only read".to_owned());
        steps.push("a cache in front of the most frequent reads".to_owned());
    }
    steps.push("archive or expire old rows".to_owned());
    steps.push("partition large tables inside the one database".to_owned());
    steps.push("split tables that no pattern joins by function".to_owned());
    steps
}
