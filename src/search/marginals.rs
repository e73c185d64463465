//! What the best assignment costs in which a variable has a given state.

use crate::search::network::Network;
use crate::search::problem::{Budget, Problem, Solution, Stopped};
use crate::search::reopening::{Question, Reopening};
use crate::search::solve::{Limits, ROUNDING};
use crate::search::tree::two_passes;

/// For every variable and state the least cost of any full assignment with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Marginals {
    /// By variable and state. Infinite where there is no allowed assignment with that state.
    pub cost: Vec<Vec<f64>>,
    /// By variable and state: no assignment with that state costs less.
    pub bound: Vec<Vec<f64>>,
    /// Why the search ended.
    pub stopped: Stopped,
    /// Subproblems that were looked at.
    pub considered: u64,
}

/// Variables that are asked about together, at most.
const TOGETHER: usize = 16;

impl Marginals {
    /// Notes what states cost, given but for a constant.
    fn enter(
        &mut self,
        var: usize,
        states: impl IntoIterator<Item = usize>,
        costs: &[f64],
        solution: &Solution,
    ) {
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        for (state, cost) in states.into_iter().zip(costs) {
            self.cost[var][state] = solution.cost + (cost - least);
            self.bound[var][state] = solution.bound + (cost - least);
        }
    }

    /// Whether no assignment with that state is better.
    #[must_use]
    pub fn is_proven(&self, variable: usize, state: usize) -> bool {
        let at = |all: &Vec<Vec<f64>>| all.get(variable).and_then(|states| states.get(state)).copied();
        match (at(&self.cost), at(&self.bound)) {
            (Some(cost), Some(bound)) => cost - ROUNDING * cost.abs() <= bound || cost == bound,
            _ => false,
        }
    }
}

/// For every variable and state the least cost of any full assignment with it.
///
/// `solution` is the problem's, from [`solve`](crate::search::solve). `tick` is
/// called before each subproblem; the search stops when it returns true. What
/// is not known then has an infinite cost and the solution's bound.
#[must_use]
pub fn min_marginals(
    problem: &Problem<'_>,
    solution: &Solution,
    budget: Budget,
    tick: &mut dyn FnMut() -> bool,
) -> Marginals {
    let mut limits = Limits::new(budget, tick);
    let unknown = |value: f64| problem.unary.iter().map(|unary| vec![value; unary.len()]).collect();
    let mut marginals = Marginals {
        cost: unknown(f64::INFINITY),
        bound: unknown(solution.bound),
        stopped: Stopped::Exhausted,
        considered: 0,
    };
    for (var, &state) in solution.states.iter().enumerate() {
        if let Some(cost) = marginals.cost[var].get_mut(state) {
            *cost = solution.cost;
        }
    }
    if solution.cost.is_finite() {
        let mut network = Network::new(problem);
        network.merge_equal_scopes();
        fill(&network, solution, &mut limits, &mut marginals);
    }
    marginals.stopped = limits.stopped();
    marginals.considered = limits.considered;
    marginals
}

fn fill(network: &Network<'_>, solution: &Solution, limits: &mut Limits<'_>, marginals: &mut Marginals) {
    let all = network.all_states();
    let mut known = vec![false; network.live.len()];
    let narrow = Network { sizes: network.sizes.narrow(), ..network.clone() };
    for vars in narrow.components() {
        spread(&narrow, &vars, &all, solution, marginals, &mut known);
    }
    if known.iter().all(|&known| known) {
        return;
    }
    let reopening = Reopening::new(network);
    let kept = reopening.kept();
    let mut seen = known.clone();
    for var in 0..known.len() {
        if !seen[var] && 1 < kept[var].len() {
            let vars = network.region(&[var], &kept);
            vars.iter().for_each(|&it| seen[it] = true);
            spread(network, &vars, &kept, solution, marginals, &mut known);
        }
    }
    let unknown: Vec<usize> = (0..known.len()).filter(|&var| !known[var]).collect();
    let mut alone = Vec::new();
    for group in groups(network, &unknown) {
        let costs = if limits.enter() { reopening.together(&group) } else { None };
        let Some(costs) = costs else {
            alone.extend(group);
            continue;
        };
        for (var, costs) in group.into_iter().zip(costs) {
            marginals.enter(var, 0.., &costs, solution);
        }
    }
    for (at, &var) in alone.iter().enumerate() {
        limits.share(alone.len() - at);
        if limits.enter() {
            ask(&reopening, &all[var], var, alone.len() - at, solution, limits, marginals);
        }
    }
}

/// Marginals of one variable, by branch and bound if need be.
fn ask(
    reopening: &Reopening<'_, '_>,
    states: &[u32],
    var: usize,
    parts: usize,
    solution: &Solution,
    limits: &mut Limits<'_>,
    marginals: &mut Marginals,
) {
    let all: Vec<usize> = states.iter().map(|&state| state as usize).collect();
    let mut best = solution.states.clone();
    reopening.settle(&mut best);
    let question = Question { var, states: &all, first: false, slack: f64::INFINITY, parts };
    let local = reopening.local(&question, limits, &best);
    let least = local.least();
    if least.cost == f64::INFINITY {
        return;
    }
    for (state, found) in local.found.iter().enumerate() {
        let cost = &mut marginals.cost[var][state];
        *cost = cost.min(solution.cost + (found.cost - least.bound));
        let bound = &mut marginals.bound[var][state];
        *bound = bound.max(solution.bound + (found.bound - least.cost)).min(*cost);
    }
}

/// Marginals of the kept states of a group of variables, if two passes can find them.
fn spread(
    network: &Network<'_>,
    vars: &[usize],
    kept: &[Vec<u32>],
    solution: &Solution,
    marginals: &mut Marginals,
    known: &mut [bool],
) {
    let Some(costs) = two_passes(network.part(vars, kept)) else { return };
    for (&var, costs) in vars.iter().zip(costs) {
        marginals.enter(var, kept[var].iter().map(|&state| state as usize), &costs, solution);
        known[var] = kept[var].len() == network.unary[var].len();
    }
}

/// Splits variables into groups of which no two share a factor, so that holding all of them makes no tables large.
fn groups(network: &Network<'_>, vars: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Vec<usize>, Vec<bool>)> = Vec::new();
    for &var in vars {
        let room = groups.iter_mut().find(|(group, near)| group.len() < TOGETHER && !near[var]);
        let neighbours = network.neighbours(var);
        if let Some((group, near)) = room {
            group.push(var);
            neighbours.into_iter().for_each(|it| near[it] = true);
        } else {
            let mut near = vec![false; network.live.len()];
            neighbours.into_iter().for_each(|it| near[it] = true);
            groups.push((vec![var], near));
        }
    }
    groups.into_iter().map(|(group, _)| group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::solve;
    use crate::search::testing::{Plain, Random, close, for_each};

    const PLENTY: Budget = Budget { nodes: 1_000_000 };

    fn check(plain: &Plain, problem: &Problem<'_>, seed: u64) {
        let mut least: Vec<Vec<f64>> = plain.domains.iter().map(|&it| vec![f64::INFINITY; it]).collect();
        for_each(&plain.domains, |states| {
            let cost = plain.cost(states);
            for (least, &state) in least.iter_mut().zip(states) {
                least[state] = least[state].min(cost);
            }
        });
        let solution = solve(problem, PLENTY, &mut || false);
        let marginals = min_marginals(problem, &solution, PLENTY, &mut || false);
        assert_eq!(marginals.stopped, Stopped::Exhausted, "seed {seed}");
        for (var, least) in least.iter().enumerate() {
            for (state, &least) in least.iter().enumerate() {
                let cost = marginals.cost[var][state];
                assert!(close(cost, least), "seed {seed}, {var} in {state}: {cost} is not {least}");
                assert!(
                    marginals.is_proven(var, state),
                    "seed {seed}, {var} in {state}: {cost} {}",
                    marginals.bound[var][state]
                );
            }
        }
    }

    #[test]
    fn trying_every_assignment_gives_the_same_marginals() {
        for seed in 0..1200 {
            let plain = Plain::random(&mut Random(seed));
            check(&plain, &plain.problem(), seed);
        }
    }

    #[test]
    fn taking_proofs_back_gives_the_same_marginals_as_trying_every_assignment() {
        for seed in 0..1200 {
            let plain = Plain::random(&mut Random(seed));
            let mut problem = plain.problem();
            // Too little for two passes over the whole, enough for the part that is asked about.
            problem.sizes.work = 512.0;
            check(&plain, &problem, seed);
        }
    }

    #[test]
    fn branching_gives_the_same_marginals_as_trying_every_assignment() {
        for seed in 0..500 {
            let plain = Plain::random(&mut Random(seed));
            check(&plain, &plain.narrow_problem(), seed);
        }
    }
}
