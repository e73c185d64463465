//! A weighted constraint problem: variables with a few states each, and costs
//! that depend on the states of a few variables at a time.

use std::fmt;
use std::sync::Arc;

use crate::search::factor::{Axis, Factor};

/// A cost over too many variables to be written down as a table.
pub trait LazyFactor {
    /// The cost of one state for each variable of the scope, in its order.
    fn cost(&self, states: &[usize]) -> f64;

    /// At most the cost of every completion of `partial`.
    fn lower_bound(&self, partial: &[Option<usize>]) -> f64;

    /// States of one class cost the same whatever the other variables do.
    ///
    /// `position` is the variable's place in the scope. The fewer classes, the
    /// sooner the factor becomes a table.
    fn class(&self, position: usize, state: usize) -> usize {
        let _ = position;
        state
    }
}

/// A sum of costs to be made as small as possible.
///
/// Costs are not negative; `f64::INFINITY` forbids. A negative cost counts as
/// none, and one that is not a number as forbidden.
///
/// # Examples
///
/// ```
/// use shardwright::search::{Budget, Problem, solve};
///
/// let mut problem = Problem::new(vec![2, 2]);
/// problem.unary(0, 0, 3.0);
/// problem.factor(vec![0, 1], vec![0.0, 9.0, 5.0, 1.0]);
/// let best = solve(&problem, Budget { nodes: 100 }, &mut || false);
/// assert_eq!((best.states, best.cost), (vec![1, 1], 1.0));
/// ```
#[derive(Debug)]
pub struct Problem<'a> {
    pub(crate) unary: Vec<Vec<f64>>,
    pub(crate) constant: f64,
    pub(crate) tables: Vec<Factor>,
    pub(crate) lazy: Vec<Lazy<'a>>,
    pub(crate) sizes: Sizes,
}

/// How large tables may become. Part of the problem, so that tests can make every way of solving it happen on small ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Lazy factors of at most so many rows are written down.
    pub(crate) tabulated: usize,
    /// Tables up to this size are made even if they are larger than what they replace.
    pub(crate) small: f64,
    /// Costs in the largest table that elimination makes.
    pub(crate) largest: f64,
    /// Costs in all tables of one elimination together.
    pub(crate) work: f64,
}

impl Sizes {
    const USUAL: Self =
        Self { tabulated: 1 << 14, small: 64.0, largest: (1 << 20) as f64, work: (1 << 23) as f64 };

    /// What subproblems may use, of which there are many.
    pub(crate) fn below_root(self) -> Self {
        Self { largest: self.largest / 16.0, work: self.work / 16.0, ..self }
    }

    /// Tables that are no great effort.
    pub(crate) fn narrow(self) -> Self {
        Self { largest: self.largest / 256.0, work: self.work / 64.0, ..self }
    }
}

pub(crate) struct Lazy<'a> {
    pub(crate) scope: Vec<usize>,
    pub(crate) factor: Box<dyn LazyFactor + 'a>,
}

impl fmt::Debug for Lazy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lazy").field("scope", &self.scope).finish_non_exhaustive()
    }
}

impl<'a> Problem<'a> {
    /// Variables with the given numbers of states, and no costs.
    #[must_use]
    pub fn new(domains: Vec<usize>) -> Self {
        let unary = domains.into_iter().map(|states| vec![0.0; states]).collect();
        Self { unary, constant: 0.0, tables: Vec::new(), lazy: Vec::new(), sizes: Sizes::USUAL }
    }

    /// Number of variables.
    #[must_use]
    pub fn n_variables(&self) -> usize {
        self.unary.len()
    }

    /// Number of states of a variable.
    #[must_use]
    pub fn n_states(&self, variable: usize) -> usize {
        self.unary.get(variable).map_or(0, Vec::len)
    }

    /// Adds a cost to one state of one variable.
    pub fn unary(&mut self, variable: usize, state: usize, cost: f64) {
        if let Some(sum) = self.unary.get_mut(variable).and_then(|states| states.get_mut(state)) {
            *sum += cleaned(cost);
        }
    }

    /// Adds a cost for each combination of states: row-major, the last variable fastest.
    ///
    /// A table of the wrong length, an unknown variable or one that comes
    /// twice is a mistake of the caller; the factor is left out.
    pub fn factor(&mut self, scope: Vec<usize>, cost: Vec<f64>) {
        let classes: Vec<Vec<usize>> = scope.iter().map(|&it| (0..self.n_states(it)).collect()).collect();
        self.classed_factor(scope, &classes, cost);
    }

    /// Adds a cost for each combination of classes: `classes[k][state]` is the
    /// class of a state of the k-th variable, counted from 0 without a gap.
    ///
    /// A factor that sees only few kinds of states is much smaller this way.
    pub fn classed_factor(&mut self, scope: Vec<usize>, classes: &[Vec<usize>], cost: Vec<f64>) {
        let axes: Vec<Axis> = scope.iter().zip(classes).map(|(&var, classes)| axis(var, classes)).collect();
        let fits = classes.len() == scope.len()
            && self.is_scope(&scope)
            && axes.iter().all(|it| it.class.len() == self.n_states(it.var))
            && axes.iter().try_fold(1usize, |size, it| size.checked_mul(it.classes)) == Some(cost.len());
        debug_assert!(fits, "a table does not fit its scope {scope:?}");
        if !fits || cost.is_empty() {
            return;
        }
        let cost = Arc::new(cost.into_iter().map(cleaned).collect());
        let factor = Factor { axes, cost }.compressed();
        match factor.axes.as_slice() {
            [] => self.constant += factor.cost[0],
            [axis] => {
                for (sum, &class) in self.unary[axis.var].iter_mut().zip(axis.class.iter()) {
                    *sum += factor.cost[class as usize];
                }
            }
            _ => self.tables.push(factor),
        }
    }

    /// Adds a cost that is worked out when it is asked for.
    ///
    /// An unknown variable or one that comes twice is a mistake of the caller;
    /// the factor is left out.
    pub fn lazy_factor(&mut self, scope: Vec<usize>, factor: Box<dyn LazyFactor + 'a>) {
        let fits = self.is_scope(&scope);
        debug_assert!(fits, "{scope:?} is no scope");
        if fits {
            self.lazy.push(Lazy { scope, factor });
        }
    }

    /// The cost of one state for every variable.
    ///
    /// States that do not exist are forbidden.
    #[must_use]
    pub fn cost(&self, states: &[usize]) -> f64 {
        let exist = states.len() == self.unary.len()
            && states.iter().zip(&self.unary).all(|(&state, unary)| state < unary.len());
        if !exist {
            return f64::INFINITY;
        }
        let unary: f64 = self.unary.iter().zip(states).map(|(unary, &state)| unary[state]).sum();
        let tables: f64 = self.tables.iter().map(|table| table.cost_at(|variable| states[variable])).sum();
        let lazy = self.lazy.iter().map(|lazy| {
            let scope: Vec<usize> = lazy.scope.iter().map(|&variable| states[variable]).collect();
            cleaned(lazy.factor.cost(&scope))
        });
        self.constant + unary + tables + lazy.sum::<f64>()
    }

    fn is_scope(&self, scope: &[usize]) -> bool {
        let mut sorted = scope.to_vec();
        sorted.sort_unstable();
        sorted.windows(2).all(|pair| pair[0] < pair[1]) && sorted.iter().all(|&it| it < self.unary.len())
    }
}

/// How far a search may go. Counted, not timed, so that the same input gives
/// the same answer on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Subproblems to look at, at most.
    pub nodes: u64,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Every assignment was looked at or ruled out: the answer is proven.
    Exhausted,
    /// That many subproblems were looked at: there may be better answers.
    OutOfBudget(u64),
    /// The caller asked to stop.
    Cancelled,
}

/// The best assignment that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// One state for each variable. Without meaning where the cost is infinite.
    pub states: Vec<usize>,
    /// What they cost. Infinite where nothing that is allowed was found.
    pub cost: f64,
    /// No assignment costs less. Equal to `cost` where the search was exhausted.
    pub bound: f64,
    /// Why the search ended.
    pub stopped: Stopped,
    /// Subproblems that were looked at.
    pub considered: u64,
}

impl Solution {
    /// Whether no assignment is better.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.cost <= self.bound
    }
}

/// Numbers the classes in the order in which they are met, so that every number is in use.
fn axis(var: usize, classes: &[usize]) -> Axis {
    let count = classes.iter().max().map_or(0, |most| most.saturating_add(1));
    Axis { var, classes: count, class: classes.iter().map(|&it| it as u32).collect() }
}

/// What a cost counts as.
pub(crate) fn cleaned(cost: f64) -> f64 {
    if cost.is_nan() { f64::INFINITY } else { cost.max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_of_all_kinds_add_up() {
        let mut problem = Problem::new(vec![2, 3]);
        problem.unary(0, 1, 1.0);
        problem.unary(0, 1, 2.0);
        problem.factor(vec![1, 0], vec![10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
        problem.factor(vec![], vec![100.0]);
        problem.factor(vec![1], vec![0.0, 1000.0, 2000.0]);
        // Row 2, column 1 of the table, 1 + 2 for the first, 2000 for the second variable.
        assert_eq!(problem.cost(&[1, 2]), 60.0 + 3.0 + 2000.0 + 100.0);
        assert_eq!(problem.cost(&[0, 1]), 30.0 + 1000.0 + 100.0);
    }

    #[test]
    fn classes_stand_for_their_states() {
        let mut problem = Problem::new(vec![4, 3]);
        problem.classed_factor(vec![0, 1], &[vec![1, 0, 0, 1], vec![0, 0, 1]], vec![1.0, 2.0, 3.0, 4.0]);
        let costs = [[3.0, 3.0, 4.0], [1.0, 1.0, 2.0], [1.0, 1.0, 2.0], [3.0, 3.0, 4.0]];
        for (first, costs) in costs.iter().enumerate() {
            for (second, cost) in costs.iter().enumerate() {
                assert_eq!(problem.cost(&[first, second]), *cost, "{first} {second}");
            }
        }
    }

    #[test]
    fn a_factor_that_does_not_depend_on_a_variable_does_not_join_it() {
        let mut problem = Problem::new(vec![2, 2, 2]);
        problem.factor(vec![0, 1, 2], vec![1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0]);
        let scopes = problem.tables.iter().map(|it| it.axes.iter().map(|axis| axis.var).collect());
        assert_eq!(scopes.collect::<Vec<Vec<usize>>>(), [[0, 2]]);
    }

    #[test]
    fn states_that_do_not_exist_are_forbidden() {
        let problem = Problem::new(vec![2]);
        assert_eq!(problem.cost(&[2]), f64::INFINITY);
        assert_eq!(problem.cost(&[]), f64::INFINITY);
    }

    #[test]
    fn a_cost_that_is_no_number_forbids_and_a_negative_one_is_none() {
        let mut problem = Problem::new(vec![2]);
        problem.factor(vec![0], vec![f64::NAN, -3.0]);
        assert_eq!((problem.cost(&[0]), problem.cost(&[1])), (f64::INFINITY, 0.0));
    }
}
