//! The advisor: builds the space of plans, finds the best one, takes the
//! simplest within half a percent of it, and says why.

use std::collections::BTreeMap;

use crate::analysis::assessment::{Assessment, evaluate, pattern_figures};
use crate::analysis::classes::Reading;
use crate::analysis::partition::hottest_value;
use crate::analysis::placed::Placed;
use crate::analysis::routing::Spaces;
use crate::analysis::setting::{Setting, add_copied, copied_by};
use crate::analysis::verdict::verdict;
use crate::model::{Choice, Design, Plan, TableId, TablePlan};
use crate::search::advice::{Advice, Candidate, IndexAdvice, RunnerUp, SearchReport};
use crate::search::build::problem;
use crate::search::candidates::{column_sets, copied_candidates, outgrows};
use crate::search::lexicographic::lexicographic;
use crate::search::marginals::{Marginals, min_marginals};
use crate::search::problem::{Budget, Problem, Solution, Stopped};
use crate::search::scores::candidate;
use crate::search::solve::solve;
use crate::search::space::{SearchSpace, State, build};
use crate::search::{prefer, rewrites, robustness};
use crate::target::Engine;

/// The simplest plan within this share of the best efficiency is taken.
const NEARLY_BEST: f64 = 0.995;
/// A candidate over an engine's advised partition size is set aside where
/// another keeps within it at no less than this share of its efficiency.
const WORTH_KEEPING_WITHIN: f64 = 0.5;
/// Nodes a search may visit; counted, so that the same input gives the same plan everywhere.
const NODES: u64 = 200_000;

/// What the caller fixes.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Choices that are given.
    pub pins: BTreeMap<TableId, Choice>,
    /// Leave out the range in which the verdict stays (a search for each input tried).
    pub skip_robustness: bool,
}

/// Prepares a design for the advisor, or for judging plans beside its own.
#[must_use]
pub fn setting_for<'a>(
    design: &'a Design,
    engine: &'static Engine,
    shards: Option<u32>,
    nodes: Option<u32>,
    plans: &[&Plan],
) -> Setting<'a> {
    let mut copied = copied_candidates(design, &column_sets(design));
    for (table, list) in design.table_ids().zip(copied_by(design, plans)) {
        for it in list {
            add_copied(design, &mut copied, table, &it);
        }
    }
    Setting::new(design, engine, shards, nodes, copied)
}

/// Finds the best key for every table together. `tick` is asked now and then
/// and stops the search when it answers true.
#[must_use]
pub fn advise(setting: &Setting<'_>, options: &Options, tick: &mut dyn FnMut() -> bool) -> Advice {
    let found = search(setting, &options.pins, tick);
    let space = &found.space;
    let placed: Vec<Placed> = chosen(space, &found.simplest).map(|it| it.placed.clone()).collect();
    let assessment = evaluate(setting, placed, Reading::Implied);
    debug_assert!(
        found.simplest.cost.is_infinite()
            || (assessment.totals.weighted - found.simplest.cost).abs() <= 1e-6 * (1.0 + found.simplest.cost),
        "the search costs a plan at {} that the evaluation costs at {}",
        found.simplest.cost,
        assessment.totals.weighted
    );
    let ideal = assessment.totals.ideal;
    let candidates = candidates(setting, space, &found, &assessment, ideal);
    let plan = plan_of(setting, &assessment.placed);
    let indexes = index_advice(setting, &assessment);
    let rewrites = rewrites::rewrites(setting, &assessment);
    let robustness = if options.skip_robustness {
        Vec::new()
    } else {
        robustness::robustness(setting, &options.pins, &assessment.placed, tick)
    };
    Advice {
        search: search_report(setting, &found, &candidates, ideal),
        verdict: verdict(setting, &assessment),
        plan,
        assessment,
        candidates,
        indexes,
        rewrites,
        robustness,
    }
}

/// What a search found.
pub(super) struct Found {
    pub(super) space: SearchSpace,
    /// The best assignment.
    pub(super) best: Solution,
    /// The simplest one nearly as good.
    pub(super) simplest: Solution,
    /// The least cost of a plan with each state.
    pub(super) marginals: Marginals,
    /// States set aside because their partitions outgrow what the engine advises.
    pub(super) aside: Vec<Vec<bool>>,
}

pub(super) fn search(
    setting: &Setting<'_>,
    pins: &BTreeMap<TableId, Choice>,
    tick: &mut dyn FnMut() -> bool,
) -> Found {
    let sets = column_sets(setting.design);
    let space = build(setting, &sets, pins);
    let budget = Budget { nodes: NODES };
    let mut costs = problem(setting, &space);
    let mut best = solve(&costs, budget, tick);
    let mut marginals = min_marginals(&costs, &best, budget, tick);
    let aside = set_aside(setting, &space, &marginals, pins);
    if aside.iter().flatten().any(|it| *it) {
        for (table, states) in aside.iter().enumerate() {
            for (state, aside) in states.iter().enumerate() {
                if *aside {
                    costs.unary(table, state, f64::INFINITY);
                }
            }
        }
        best = solve(&costs, budget, tick);
        let within = min_marginals(&costs, &best, budget, tick);
        for (table, states) in aside.iter().enumerate() {
            for (state, aside) in states.iter().enumerate() {
                if !aside {
                    marginals.cost[table][state] = within.cost[table][state];
                }
            }
        }
    }
    let simplest = simplest(setting, &space, &costs, &best, budget, tick);
    drop(costs);
    Found { best, simplest, marginals, aside, space }
}

/// States over the engine's advised partition size, where a state within it is
/// no less than half as good.
fn set_aside(
    setting: &Setting<'_>,
    space: &SearchSpace,
    marginals: &Marginals,
    pins: &BTreeMap<TableId, Choice>,
) -> Vec<Vec<bool>> {
    let tables = setting.design.table_ids().zip(&space.tables);
    tables
        .map(|(id, table)| {
            let costs = &marginals.cost[id.0 as usize];
            let over: Vec<bool> = table
                .states
                .iter()
                .map(|it| {
                    let value = hottest_value(setting, &it.placed);
                    it.placed.sharded() && value.endless && outgrows(setting.engine, &value)
                })
                .collect();
            let within = costs.iter().zip(&over).filter(|(_, over)| !**over).map(|(cost, _)| *cost);
            let within = within.fold(f64::INFINITY, f64::min);
            let free = !pins.contains_key(&id);
            over.iter()
                .zip(costs)
                .map(|(over, cost)| {
                    free && *over && within <= cost / WORTH_KEEPING_WITHIN && within.is_finite()
                })
                .collect()
        })
        .collect()
}

fn simplest(
    setting: &Setting<'_>,
    space: &SearchSpace,
    costs: &Problem<'_>,
    best: &Solution,
    budget: Budget,
    tick: &mut dyn FnMut() -> bool,
) -> Solution {
    if !best.cost.is_finite() {
        return best.clone();
    }
    let mut order: Vec<usize> = (0..space.tables.len()).collect();
    order.sort_by(|a, b| setting.design.tables[*a].name.cmp(&setting.design.tables[*b].name));
    let preference = prefer::preference(setting, space);
    lexicographic(costs, best.cost / NEARLY_BEST, &order, &preference, best, budget, tick)
}

fn chosen<'a>(space: &'a SearchSpace, solution: &'a Solution) -> impl Iterator<Item = &'a State> {
    space.tables.iter().zip(&solution.states).map(|(table, state)| &table.states[*state])
}

fn candidates(
    setting: &Setting<'_>,
    space: &SearchSpace,
    found: &Found,
    assessment: &Assessment,
    ideal: f64,
) -> Vec<Vec<Candidate>> {
    let mut all = Vec::new();
    for (at, table) in space.tables.iter().enumerate() {
        let mut list: Vec<(bool, Candidate)> = Vec::new();
        for (option, it) in table.options.iter().enumerate() {
            let states = table.states.iter().enumerate().filter(|(_, state)| state.option == option);
            let (mut cost, mut aside, mut placed) = (f64::INFINITY, false, None);
            for (state, it) in states {
                let c = found.marginals.cost[at][state];
                if placed.is_none() || c < cost {
                    (cost, aside, placed) = (c, found.aside[at][state], Some(&it.placed));
                }
            }
            let placed = placed.cloned().unwrap_or_else(|| {
                let table = TableId(at as u32);
                crate::analysis::placed::place(
                    setting.design,
                    setting.engine,
                    &setting.copied,
                    table,
                    &it.choice,
                    &[],
                )
            });
            let efficiency = (cost.is_finite() && 0.0 < cost).then(|| (ideal / cost).min(1.0));
            let efficiency = if cost == 0.0 { Some(1.0) } else { efficiency };
            list.push((aside, candidate(setting, assessment, placed, it, efficiency, aside)));
        }
        let preferred = prefer::option_order(setting, table);
        let place: BTreeMap<usize, usize> =
            preferred.iter().enumerate().map(|(rank, it)| (*it, rank)).collect();
        let mut order: Vec<usize> = (0..list.len()).collect();
        order.sort_by(|a, b| {
            let key =
                |it: &usize| (list[*it].1.veto.is_some(), list[*it].1.efficiency.is_none(), list[*it].0);
            let efficiency = |it: &usize| list[*it].1.efficiency.unwrap_or(0.0);
            key(a)
                .cmp(&key(b))
                // Figures that agree to nine digits are one figure: the simpler candidate stands first.
                .then_with(|| significant(efficiency(b)).total_cmp(&significant(efficiency(a))))
                .then_with(|| place.get(a).cmp(&place.get(b)))
        });
        let ranked = order.iter().enumerate().map(|(rank, it)| {
            let mut candidate = list[*it].1.clone();
            candidate.rank = rank as u32 + 1;
            candidate
        });
        all.push(ranked.collect());
    }
    all
}

fn significant(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

fn plan_of(setting: &Setting<'_>, placed: &[Placed]) -> Plan {
    let tables = placed
        .iter()
        .map(|it| {
            let entry = TablePlan {
                choice: it.choice.clone(),
                cluster: Vec::new(),
                splits: Vec::new(),
                dedicated: Vec::new(),
                span: setting.design.table(it.table).span,
                key_span: setting.design.table(it.table).span,
            };
            (it.table, entry)
        })
        .collect();
    let indexes = placed.iter().flat_map(|it| &it.indexes).map(|it| it.index.clone()).collect();
    Plan {
        by: Some("shardwright".to_owned()),
        shards: Some(setting.shards),
        nodes: setting.nodes,
        tables,
        indexes,
        ..Plan::default()
    }
}

/// What each proposed index saves and costs: the plan with it against the plan without.
fn index_advice(setting: &Setting<'_>, with: &Assessment) -> Vec<IndexAdvice> {
    let mut all = Vec::new();
    for it in &with.placed {
        for (at, index) in it.indexes.iter().enumerate() {
            let mut bare = it.clone();
            bare.indexes.remove(at);
            let place = |id: TableId| {
                if id == it.table { &bare } else { &with.placed[id.0 as usize] }
            };
            let spaces = Spaces::default();
            let (mut saves, mut costs, mut patterns) = (0.0, 0.0, Vec::new());
            for id in &setting.patterns_on[bare.table.0 as usize] {
                let a = &with.patterns[id.0 as usize];
                let b = pattern_figures(setting, a.pattern, &place, &spaces, Reading::Implied);
                let change = a.rate * (b.work - a.work);
                if 0.0 < change {
                    saves += change;
                    patterns.push(a.pattern);
                } else {
                    costs -= change;
                }
            }
            all.push(IndexAdvice { index: index.index.clone(), patterns, saves, costs });
        }
    }
    all
}

fn search_report(
    setting: &Setting<'_>,
    found: &Found,
    candidates: &[Vec<Candidate>],
    ideal: f64,
) -> SearchReport {
    let best = &found.best;
    let optimal = matches!(best.stopped, Stopped::Exhausted) && best.cost.is_finite();
    let gap = if optimal || best.cost <= 0.0 { 0.0 } else { (1.0 - best.bound / best.cost).clamp(0.0, 1.0) };
    let stopped = match best.stopped {
        Stopped::Exhausted => None,
        Stopped::OutOfBudget(_) => Some("budget"),
        Stopped::Cancelled => Some("deadline"),
    };
    SearchReport {
        optimal,
        gap,
        plans_considered: best.considered,
        stopped,
        runner_up: runner_up(setting, found, candidates, ideal),
    }
}

/// The best plan in which some table has another key than the chosen one.
fn runner_up(
    setting: &Setting<'_>,
    found: &Found,
    candidates: &[Vec<Candidate>],
    ideal: f64,
) -> Option<RunnerUp> {
    let mut best: Option<(f64, usize, &Candidate)> = None;
    for (table, list) in candidates.iter().enumerate() {
        let state = found.simplest.states[table];
        let chosen = &found.space.tables[table].states[state].placed.choice;
        for it in list.iter().filter(|it| it.choice != *chosen && it.veto.is_none()) {
            let Some(efficiency) = it.efficiency else { continue };
            if best.is_none_or(|(other, ..)| other < efficiency) {
                best = Some((efficiency, table, it));
            }
        }
    }
    let (efficiency, table, it) = best?;
    debug_assert!(efficiency <= 1.0 || ideal <= 0.0, "an efficiency is at most one");
    let name = &setting.design.tables[table].name;
    Some(RunnerUp { efficiency, differs: vec![format!("{name}: {}", describe(setting, &it.placed))] })
}

/// A choice in words: `by customer_id`, `a copy on every shard`, `on one shard`.
#[must_use]
pub fn describe(setting: &Setting<'_>, placed: &Placed) -> String {
    match &placed.choice {
        Choice::Replicated => "a copy on every shard".to_owned(),
        Choice::Unsharded => "on one shard".to_owned(),
        Choice::Sharded(key) => {
            let names = placed.key_names(setting.design, &setting.copied);
            let mut text = format!("by {}", names.join(", "));
            if let Some((_, every)) = key.bucket() {
                text.push_str(&format!(" (buckets of {})", crate::units::text::duration(every.get())));
            }
            if let Some(salt) = placed.salt {
                text.push_str(&format!(" with a salt of {}", salt.ways));
            }
            text
        }
    }
}
