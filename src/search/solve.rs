//! The least cost of a problem: reduction, elimination where the tables fit,
//! branch and bound with dual bounds where they do not.

use std::rc::Rc;

use crate::search::bound::ascend;
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
pub(crate) fn minimise(
    mut network: Network<'_>,
    goal: Goal,
    limits: &mut Limits<'_>,
    states: &mut [usize],
) -> Found {
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
        self.guess(&network, &Trail::default());
        if !self.limits.enter() {
            return Found { cost: self.best, bound: root };
        }
        let below_root = network.sizes.below_root();
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
            let mut network = node.network.conditioned(node.var, state, &mut trail);
            network.sizes = below_root;
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
                self.record(&network, &[], network.constant, &trail);
                return None;
            }
            let mut pruned = ascend(&mut network, self.cutoff(), patience);
            if network.is_infeasible() || self.cutoff() <= network.bound() {
                return None;
            }
            self.guess(&network, &trail);
            pruned |= prune(&mut network, self.cutoff());
            if !pruned {
                break;
            }
        }
        let var = branching_variable(&network)?;
        let mut children: Vec<(f64, u32)> = network.state_bounds(var).into_iter().zip(0..).collect();
        children.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        Some(Node { network, trail: Rc::new(trail), var, children })
    }

    /// Notes an assignment of the open variables, if it is the best so far.
    fn record(&mut self, network: &Network<'_>, guess: &[usize], cost: f64, trail: &Trail) {
        if self.best <= cost || self.goal.below <= cost {
            return;
        }
        self.best = cost;
        for var in network.open() {
            self.states[network.origin[var]] = network.states[var][guess[var]] as usize;
        }
        trail.replay(self.states);
    }

    /// Rounds the bound's costs to an assignment and improves it one variable at a time.
    fn guess(&mut self, network: &Network<'_>, trail: &Trail) {
        let (cost, guess) = rounded(network);
        self.record(network, &guess, cost, trail);
    }
}

/// Forbids states that cost too much by themselves.
fn prune(network: &mut Network<'_>, cutoff: f64) -> bool {
    let mut pruned = false;
    for var in 0..network.unary.len() {
        let bounds = network.state_bounds(var);
        for (cost, bound) in network.unary[var].iter_mut().zip(bounds) {
            if *cost < f64::INFINITY && cutoff <= bound {
                *cost = f64::INFINITY;
                pruned = true;
            }
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
    use crate::search::testing::{Plain, Random, close, for_each};

    const PLENTY: Budget = Budget { nodes: 1_000_000 };

    fn check(plain: &Plain, problem: &Problem<'_>, seed: u64) {
        let mut least = f64::INFINITY;
        for_each(&plain.domains, |states| least = least.min(plain.cost(states)));
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

    #[test]
    fn nothing_to_decide_costs_nothing() {
        let solution = solve(&Problem::new(Vec::new()), PLENTY, &mut || false);
        assert_eq!((solution.states, solution.cost, solution.bound), (Vec::new(), 0.0, 0.0));
        assert_eq!(solution.stopped, Stopped::Exhausted);
    }

    #[test]
    fn what_is_forbidden_everywhere_has_no_solution() {
        let mut unequal = Problem::new(vec![2, 2, 2]);
        for scope in [vec![0, 1], vec![1, 2], vec![2, 0]] {
            unequal.factor(scope, vec![f64::INFINITY, 0.0, 0.0, f64::INFINITY]);
        }
        let no_state = Problem::new(vec![2, 0]);
        for problem in [unequal, no_state] {
            let solution = solve(&problem, PLENTY, &mut || false);
            assert_eq!((solution.cost, solution.bound), (f64::INFINITY, f64::INFINITY));
            assert_eq!(solution.stopped, Stopped::Exhausted);
        }
    }

    /// A grid with random costs: the costs of cells, of steps down and of steps right.
    fn grid(rows: usize, columns: usize, states: usize, random: &mut Random) -> Plain {
        let mut plain = Plain { domains: vec![states; rows * columns], ..Plain::default() };
        for cell in 0..rows * columns {
            for state in 0..states {
                plain.unary.push((cell, state, random.share()));
            }
            let mut table = || (0..states * states).map(|_| random.share()).collect();
            if cell % rows + 1 < rows {
                plain.tables.push((vec![cell, cell + 1], table()));
            }
            if cell + rows < rows * columns {
                plain.tables.push((vec![cell, cell + rows], table()));
            }
        }
        plain
    }

    /// The least cost of a grid, column by column.
    fn least_by_columns(plain: &Plain, rows: usize, states: usize) -> f64 {
        let columns = plain.domains.len() / rows;
        let mut all = Vec::new();
        for_each(&vec![states; rows], |column| all.push(column.to_vec()));
        let mut least = vec![0.0; all.len()];
        for column in 0..columns {
            let cells = column * rows..(column + 1) * rows;
            let within = |now: &[usize]| -> f64 {
                let unary = plain
                    .unary
                    .iter()
                    .filter(|(cell, state, _)| cells.contains(cell) && now[cell - cells.start] == *state);
                let down = plain.tables.iter().filter(|(scope, _)| scope.iter().all(|it| cells.contains(it)));
                unary.map(|it| it.2).sum::<f64>()
                    + down
                        .map(|(scope, cost)| {
                            cost[now[scope[0] - cells.start] * states + now[scope[1] - cells.start]]
                        })
                        .sum::<f64>()
            };
            let right: Vec<_> = plain
                .tables
                .iter()
                .filter(|(s, _)| !cells.contains(&s[0]) && cells.contains(&s[1]))
                .collect();
            let step = |before: &[usize], now: &[usize]| -> f64 {
                let costs = right.iter().map(|(scope, cost)| {
                    cost[before[scope[0] + rows - cells.start] * states + now[scope[1] - cells.start]]
                });
                costs.sum()
            };
            let next = all.iter().map(|now| {
                let before = all.iter().zip(&least).map(|(before, least)| least + step(before, now));
                within(now) + before.fold(f64::INFINITY, f64::min)
            });
            least = next.collect();
        }
        least.into_iter().fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_grid_costs_what_going_through_its_columns_says() {
        for seed in 0..6 {
            let plain = grid(4, 9, 2 + seed as usize % 2, &mut Random(seed));
            let least = least_by_columns(&plain, 4, plain.domains[0]);
            for problem in [plain.problem(), plain.narrow_problem()] {
                let solution = solve(&problem, PLENTY, &mut || false);
                assert!(close(solution.cost, least), "seed {seed}: {} is not {least}", solution.cost);
                assert!(close(plain.cost(&solution.states), least), "seed {seed}");
            }
        }
    }

    /// Too wide for elimination and too hard for a few subproblems.
    fn wide(seed: u64) -> Plain {
        let random = &mut Random(seed);
        let mut plain = Plain { domains: vec![3; 14], ..Plain::default() };
        for _ in 0..45 {
            let mut scope = random.shuffled(14);
            scope.truncate(2 + random.below(2));
            let size = 3usize.pow(scope.len() as u32);
            plain.tables.push((scope, (0..size).map(|_| random.share()).collect()));
        }
        plain
    }

    #[test]
    fn a_search_that_ends_early_says_so_and_bounds_what_it_missed() {
        for seed in 0..3 {
            let plain = wide(seed);
            let exact = solve(&plain.problem(), PLENTY, &mut || false);
            assert_eq!(exact.stopped, Stopped::Exhausted);
            let problem = plain.narrow_problem();
            let mut least = f64::INFINITY;
            for nodes in [0, 1, 2, 4, 8] {
                let solution = solve(&problem, Budget { nodes }, &mut || false);
                assert_eq!(solution.stopped, Stopped::OutOfBudget(nodes), "seed {seed}");
                assert_eq!(solution.considered, nodes, "seed {seed}");
                assert!(close(plain.cost(&solution.states), solution.cost), "seed {seed}");
                assert!(solution.bound <= exact.cost, "seed {seed}: {} > {}", solution.bound, exact.cost);
                assert!(exact.cost <= solution.cost + 1e-9, "seed {seed}");
                assert!(solution.cost <= least, "seed {seed}: more budget made it worse");
                least = solution.cost;
            }
        }
    }

    #[test]
    fn a_search_that_is_told_to_stop_stops() {
        let plain = wide(0);
        let problem = plain.narrow_problem();
        let mut calls = 0;
        let mut tick = || {
            calls += 1;
            4 <= calls
        };
        let solution = solve(&problem, PLENTY, &mut tick);
        assert_eq!((solution.stopped, solution.considered), (Stopped::Cancelled, 3));
        assert!(solution.bound <= solution.cost && solution.cost.is_finite());
    }

    #[test]
    fn the_same_problem_has_the_same_answer_twice() {
        for seed in 0..3 {
            let once = solve(&wide(seed).narrow_problem(), Budget { nodes: 20 }, &mut || false);
            let twice = solve(&wide(seed).narrow_problem(), Budget { nodes: 20 }, &mut || false);
            assert_eq!(once, twice, "seed {seed}");
        }
    }

    /// Costs the square of how many of its variables are in state 0.
    struct Crowd;

    impl crate::search::LazyFactor for Crowd {
        fn cost(&self, states: &[usize]) -> f64 {
            let crowd = states.iter().filter(|state| **state == 0).count() as f64;
            crowd * crowd
        }

        fn lower_bound(&self, partial: &[Option<usize>]) -> f64 {
            let crowd = partial.iter().filter(|state| **state == Some(0)).count() as f64;
            crowd * crowd
        }

        fn class(&self, _: usize, state: usize) -> usize {
            state.min(1) + 7
        }
    }

    #[test]
    fn a_factor_over_twelve_variables_is_solved_without_its_table() {
        // State 0 is free, each other one costs 6 or more: 0 is worth it as long as
        // the next square is less than 6 away, that is for 0 + 1 + 3 + 5, three variables.
        let mut problem = Problem::new(vec![9; 12]);
        for var in 0..12 {
            for state in 1..9 {
                problem.unary(var, state, 5.0 + state as f64);
            }
        }
        problem.lazy_factor((0..12).collect(), Box::new(Crowd));
        for tabulated in [1 << 14, 64] {
            problem.sizes.tabulated = tabulated;
            let solution = solve(&problem, PLENTY, &mut || false);
            assert_eq!((solution.cost, solution.bound), (9.0 + 9.0 * 6.0, 63.0));
            assert_eq!(solution.states.iter().filter(|state| **state == 0).count(), 3);
            assert_eq!(solution.stopped, Stopped::Exhausted);
        }
    }
}
