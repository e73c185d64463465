//! Among all assignments that are good enough, the one that follows given
//! preferences.

use crate::search::network::Network;
use crate::search::problem::{Budget, Problem, Solution, Stopped};
use crate::search::reopening::{Local, Question, Reopening};
use crate::search::solve::{Limits, ROUNDING};

/// Walks the variables in `order` and fixes each to the first state of its
/// `preference` for which some completion costs at most `limit`.
///
/// `solution` is the problem's, from [`solve`](crate::search::solve). Where it
/// costs more than `limit` itself, it is the answer. States that a preference
/// leaves out come after those that it has, and variables that `order` leaves
/// out after those. Costs within 1e-10 of `limit` count as equal to it. The
/// answer's `bound` is the solution's.
///
/// A search that ends early prefers no state that it could not complete in time.
#[must_use]
pub fn lexicographic(
    problem: &Problem<'_>,
    limit: f64,
    order: &[usize],
    preference: &[Vec<usize>],
    solution: &Solution,
    budget: Budget,
    tick: &mut dyn FnMut() -> bool,
) -> Solution {
    let limit = limit + ROUNDING * limit.abs();
    let mut best = Solution { considered: 0, stopped: Stopped::Exhausted, ..solution.clone() };
    if limit < solution.cost || !solution.cost.is_finite() {
        return best;
    }
    let mut limits = Limits::new(budget, tick);
    let mut network = Network::new(problem);
    network.merge_equal_scopes();
    let mut reopening = Reopening::new(&network);
    let order = completed(order, problem.n_variables());
    for (at, &var) in order.iter().enumerate() {
        if reopening.settle(&mut best.states) {
            best.cost = problem.cost(&best.states);
        }
        let states = completed(preference.get(var).map_or(&[], Vec::as_slice), problem.n_states(var));
        let better = states.iter().position(|&state| state == best.states[var]).unwrap_or(0);
        if 0 < better {
            let question = Question {
                var,
                states: &states[..better],
                first: true,
                slack: limit - best.cost,
                parts: order.len() - at,
            };
            limits.share(question.parts);
            if !limits.enter() {
                break;
            }
            let local = reopening.local(&question, &mut limits, &best.states);
            if let Some((states, cost)) = preferred(&local, problem, limit, &question, &best) {
                best = Solution { states, cost, ..best };
            }
        }
        reopening.fix(var, best.states[var] as u32);
    }
    best.stopped = limits.stopped();
    best.considered = limits.considered;
    best
}

/// The best completion of the first state that has one within the limit, and its cost.
fn preferred(
    local: &Local,
    problem: &Problem<'_>,
    limit: f64,
    question: &Question<'_>,
    best: &Solution,
) -> Option<(Vec<usize>, f64)> {
    let now = local.found[best.states[question.var]].cost;
    question.states.iter().find_map(|&state| {
        let cost = local.found[state].cost;
        // Saves the sum over the whole problem; where both are infinite it is no number and saves nothing.
        let hopeless = limit + ROUNDING * limit.abs() < best.cost + (cost - now);
        if cost == f64::INFINITY || hopeless {
            return None;
        }
        let mut states = best.states.clone();
        local.complete(question.var, state, &mut states);
        let cost = problem.cost(&states);
        (cost <= limit).then_some((states, cost))
    })
}

/// The numbers below `count`, those of `first` before the others.
fn completed(first: &[usize], count: usize) -> Vec<usize> {
    let mut seen = vec![false; count];
    let mut all: Vec<usize> =
        first.iter().copied().filter(|&it| it < count && !std::mem::replace(&mut seen[it], true)).collect();
    all.extend((0..count).filter(|&it| !seen[it]));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::solve;
    use crate::search::testing::{Plain, Random, for_each};

    const PLENTY: Budget = Budget { nodes: 1_000_000 };

    fn check(plain: &Plain, problem: &Problem<'_>, random: &mut Random, seed: u64) {
        let solution = solve(problem, PLENTY, &mut || false);
        let limit = solution.cost + [0.0, 0.5, 2.0, 7.0][random.below(4)];
        let order = random.shuffled(plain.domains.len());
        let preference: Vec<Vec<usize>> = plain.domains.iter().map(|&it| random.shuffled(it)).collect();
        let chosen = lexicographic(problem, limit, &order, &preference, &solution, PLENTY, &mut || false);
        if solution.cost == f64::INFINITY {
            assert_eq!(chosen.cost, f64::INFINITY, "seed {seed}");
            return;
        }
        let rank = |var: usize, state: usize| preference[var].iter().position(|&it| it == state);
        let ranks = |states: &[usize]| order.iter().map(|&var| rank(var, states[var])).collect::<Vec<_>>();
        let mut first = None;
        for_each(&plain.domains, |states| {
            if plain.cost(states) <= limit + 1e-9 {
                let candidate = (ranks(states), states.to_vec());
                first = first.take().into_iter().chain([candidate]).min();
            }
        });
        assert_eq!(Some(chosen.states), first.map(|it| it.1), "seed {seed}, limit {limit}");
        assert_eq!(chosen.stopped, Stopped::Exhausted, "seed {seed}");
    }

    #[test]
    fn trying_every_assignment_finds_none_that_follows_the_preferences_better() {
        for seed in 0..1200 {
            let random = &mut Random(seed);
            let plain = Plain::random(random);
            check(&plain, &plain.problem(), random, seed);
        }
    }

    #[test]
    fn branching_follows_the_preferences_as_well() {
        for seed in 0..1200 {
            let random = &mut Random(seed);
            let plain = Plain::random(random);
            check(&plain, &plain.narrow_problem(), random, seed);
        }
    }
}
