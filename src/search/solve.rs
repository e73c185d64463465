//! The least cost of a problem: reduction, elimination where the tables fit,
//! branch and bound with dual bounds where they do not.

use std::rc::Rc;

use crate::search::bound::ascend;
use crate::search::dominance::undominated;
use crate::search::elimination::{eliminate_all, reduce};
use crate::search::network::{Network, Trail};
use crate::search::problem::{Budget, Problem, Solution, Stopped};

/// Bounds that come as close as this, as a share of the cost, count as equal: it is what rounding may hide.
pub(crate) const ROUNDING: f64 = 1e-10;

/// Finds an assignment of least cost.
///
/// `tick` is called before each subproblem; the search stops when it returns true.
pub fn solve(problem: &Problem<'_>, budget: Budget, tick: &mut dyn FnMut() -> bool) -> Solution {
    let mut limits = Limits::new(budget, tick);
    let mut states = vec![0; problem.n_variables()];
    let found = minimise(Network::new(problem), Goal::LEAST, &mut limits, &mut states);
    let cost = if found.cost.is_finite() { problem.cost(&states) } else { f64::INFINITY };
    let bound = if limits.stopped() == Stopped::Exhausted { cost } else { found.bound.min(cost) };
    Solution { states, cost, bound, stopped: limits.stopped(), considered: limits.considered }
}

/// What is left of a budget.
pub(crate) struct Limits<'t> {
    nodes: u64,
    /// What `considered` may come to for now.
    cap: u64,
    tick: &'t mut dyn FnMut() -> bool,
    /// Subproblems that were looked at.
    pub(crate) considered: u64,
    stopped: Stopped,
}

impl<'t> Limits<'t> {
    pub(crate) fn new(budget: Budget, tick: &'t mut dyn FnMut() -> bool) -> Self {
        let nodes = budget.nodes;
        Self { nodes, cap: nodes, tick, considered: 0, stopped: Stopped::Exhausted }
    }

    /// Lets what comes next have an equal part of what is left, if there are so many `parts`.
    pub(crate) fn share(&mut self, parts: usize) {
        let left = self.nodes.saturating_sub(self.considered);
        self.cap = self.considered + left.div_ceil(parts.max(1) as u64);
    }

    /// Counts one more subproblem; false if there may be none.
    pub(crate) fn enter(&mut self) -> bool {
        if self.stopped == Stopped::Cancelled {
            return false;
        }
        if (self.tick)() {
            self.stopped = Stopped::Cancelled;
            return false;
        }
        if self.cap <= self.considered {
            self.stopped = Stopped::OutOfBudget(self.considered);
            return false;
        }
        self.considered += 1;
        true
    }

    /// Why the search ended.
    pub(crate) fn stopped(&self) -> Stopped {
        match self.stopped {
            Stopped::OutOfBudget(_) => Stopped::OutOfBudget(self.considered),
            other => other,
        }
    }
}

/// Which assignments are of interest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// Only those that cost less.
    pub(crate) below: f64,
    /// The first that costs no more will do.
    pub(crate) enough: f64,
}

impl Goal {
    /// The best of all.
    pub(crate) const LEAST: Self = Self { below: f64::INFINITY, enough: f64::NEG_INFINITY };
}

/// What a search found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Infinite if there was nothing.
    pub(crate) cost: f64,
    /// No assignment costs less, and none that is of interest if nothing was found.
    pub(crate) bound: f64,
}

/// The least cost of a network; `states` is filled in if there is one.
pub(crate) fn minimise(mut network: Network<'_>, goal: Goal, limits: &mut Limits<'_>, states: &mut [usize]) -> Found {
    let mut trail = Trail::default();
    reduce(&mut network, &mut trail);
    if network.is_infeasible() {
        return Found { cost: f64::INFINITY, bound: f64::INFINITY };
    }
    let components = network.components();
    let single = components.len() == 1;
    let mut sum = Found { cost: network.constant, bound: network.constant };
    for vars in components {
        let part = network.part(&vars, &network.all_states());
        let rest = sum.bound;
        let goal = Goal {
            below: goal.below - rest,
            enough: if single { goal.enough - rest } else { f64::NEG_INFINITY },
        };
        let found = Branching::new(goal, limits, states).search(part);
        sum = Found { cost: sum.cost + found.cost, bound: sum.bound + found.bound };
        if sum.cost == f64::INFINITY {
            break;
        }
    }
    if goal.below <= sum.cost {
        // Each component may be below by itself.
        return Found { cost: f64::INFINITY, ..sum };
    }
    trail.replay(states);
    sum
}

/// Depth-first branch and bound.
struct Branching<'s, 't> {
    goal: Goal,
    limits: &'s mut Limits<'t>,
    best: f64,
    states: &'s mut [usize],
}

/// A subproblem and the states of one of its variables that are still to be tried.
struct Node<'p> {
    network: Network<'p>,
    trail: Rc<Trail>,
    var: usize,
    /// Bounds and states, the next one last.
    children: Vec<(f64, u32)>,
}

impl<'s, 't> Branching<'s, 't> {
    fn new(goal: Goal, limits: &'s mut Limits<'t>, states: &'s mut [usize]) -> Self {
        Self { goal, limits, best: f64::INFINITY, states }
    }

    /// What a subproblem must cost less than to be looked at.
    fn cutoff(&self) -> f64 {
        let worth = self.best.min(self.goal.below);
        if worth.is_finite() { worth - ROUNDING * worth.abs() } else { worth }
    }

    fn is_done(&self) -> bool {
        self.best <= self.goal.enough
    }

    fn search<'p>(mut self, network: Network<'p>) -> Found {
        let root = network.bound();
        if !self.limits.enter() {
            return Found { cost: self.fallback(&network), bound: root };
        }
        let mut stack: Vec<Node<'p>> = Vec::new();
        stack.extend(self.open(network, Trail::default(), true));
        while let Some(node) = stack.last_mut() {
            let Some((bound, state)) = node.children.pop() else {
                stack.pop();
                continue;
            };
            if self.is_done() {
                break;
            }
            if self.cutoff() <= bound {
                continue;
            }
            if !self.limits.enter() {
                node.children.push((bound, state));
                break;
            }
            let mut trail = Trail::after(&node.trail);
            let network = node.network.conditioned(node.var, state, &mut trail);
            stack.extend(self.open(network, trail, false));
        }
        let open = stack.iter().flat_map(|node| node.children.iter().map(|(bound, _)| *bound));
        let open = open.fold(f64::INFINITY, f64::min).max(root);
        Found { cost: self.best, bound: open.min(self.best).min(self.goal.below) }
    }

    /// Solves a subproblem, or finds what to branch on.
    fn open<'p>(&mut self, mut network: Network<'p>, mut trail: Trail, is_root: bool) -> Option<Node<'p>> {
        let patience = if is_root { 1e-3 } else { 1e-2 };
        loop {
            reduce(&mut network, &mut trail);
            if network.is_infeasible() || self.cutoff() <= network.bound() {
                return None;
            }
            if network.lazy.is_empty() && eliminate_all(&mut network, &mut trail) {
                self.record(network.constant, &trail);
                return None;
            }
            let pruned = ascend(&mut network, self.cutoff(), patience);
            if network.is_infeasible() || self.cutoff() <= network.bound() {
                return None;
            }
            let improved = self.guess(&network, &trail);
            if !pruned && !improved {
                break;
            }
            if !pruned && undominated(&network).is_none() && !prune(&mut network, self.cutoff()) {
                break;
            }
        }
        let var = branching_variable(&network)?;
        let bound = network.bound();
        let mut children: Vec<(f64, u32)> =
            network.unary[var].iter().enumerate().map(|(state, cost)| (bound + cost, state as u32)).collect();
        children.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        Some(Node { network, trail: Rc::new(trail), var, children })
    }

    fn record(&mut self, cost: f64, trail: &Trail) -> bool {
        let better = cost < self.best && cost < self.goal.below;
        if better {
            self.best = cost;
            trail.replay(self.states);
        }
        better
    }

    /// Rounds the bound's costs to an assignment and improves it one variable at a time.
    fn guess(&mut self, network: &Network<'_>, trail: &Trail) -> bool {
        let (cost, guess) = rounded(network);
        let better = cost < self.best && cost < self.goal.below;
        if better {
            self.best = cost;
            for var in network.open() {
                self.states[network.origin[var]] = network.states[var][guess[var]] as usize;
            }
            trail.replay(self.states);
        }
        better
    }

    /// Some assignment, for a search that may not even start.
    fn fallback(&mut self, network: &Network<'_>) -> f64 {
        self.guess(network, &Trail::default());
        self.best
    }
}

/// Forbids states that cost too much by themselves.
fn prune(network: &mut Network<'_>, cutoff: f64) -> bool {
    let bound = network.bound();
    let mut pruned = false;
    for cost in network.unary.iter_mut().flatten() {
        if *cost < f64::INFINITY && cutoff <= bound + *cost {
            *cost = f64::INFINITY;
            pruned = true;
        }
    }
    pruned
}

/// The variable whose second best state costs most; among equals the one with most factors.
fn branching_variable(network: &Network<'_>) -> Option<usize> {
    let lazy = network.open().find(|&var| network.is_lazy(var));
    let regret = |var: usize| {
        let mut costs = network.unary[var].clone();
        costs.sort_by(f64::total_cmp);
        costs.get(1).copied().unwrap_or(0.0)
    };
    lazy.or_else(|| {
        network.open().max_by(|&a, &b| {
            let degree = |var: usize| network.touching[var].len();
            regret(a).total_cmp(&regret(b)).then(degree(a).cmp(&degree(b))).then(b.cmp(&a))
        })
    })
}

/// An assignment that follows the costs of the states, and what it costs.
fn rounded(network: &Network<'_>) -> (f64, Vec<usize>) {
    let mut guess = vec![usize::MAX; network.live.len()];
    let least = |costs: &[f64]| (0..costs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0);
    for var in network.open() {
        guess[var] = least(&costs(network, &guess, var));
    }
    for _ in 0..20 {
        let mut changed = false;
        for var in network.open() {
            let costs = costs(network, &guess, var);
            let best = least(&costs);
            if costs[best] < costs[guess[var]] {
                guess[var] = best;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    (network.cost(&guess), guess)
}

/// What each state of a variable costs, where the others are decided, and at the least where they are not.
fn costs(network: &Network<'_>, guess: &[usize], var: usize) -> Vec<f64> {
    let mut costs = network.unary[var].clone();
    for factor in network.factors_on(var) {
        let least = factor.least_given(var, guess);
        for (cost, class) in costs.iter_mut().zip(least.1.iter()) {
            *cost += least.0[*class as usize];
        }
    }
    costs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::{Plain, Random, assignments, close};

    const PLENTY: Budget = Budget { nodes: 1_000_000 };

    fn check(plain: &Plain, problem: &Problem<'_>, seed: u64) {
        let least = assignments(&plain.domains).into_iter().map(|states| plain.cost(&states));
        let least = least.fold(f64::INFINITY, f64::min);
        let solution = solve(problem, PLENTY, &mut || false);
        assert_eq!(solution.stopped, Stopped::Exhausted, "seed {seed}");
        assert!(close(solution.cost, least), "seed {seed}: {} is not {least}", solution.cost);
        assert!(solution.is_proven(), "seed {seed}");
        if least.is_finite() {
            assert!(close(plain.cost(&solution.states), least), "seed {seed}");
        }
    }

    #[test]
    fn trying_every_assignment_finds_nothing_better() {
        for seed in 0..1500 {
            let plain = Plain::random(&mut Random(seed));
            check(&plain, &plain.problem(), seed);
        }
    }

    #[test]
    fn branching_finds_the_same_as_trying_every_assignment() {
        for seed in 0..1500 {
            let plain = Plain::random(&mut Random(seed));
            check(&plain, &plain.narrow_problem(), seed);
        }
    }
}
