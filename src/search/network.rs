//! The part of a problem that is still open while it is being reduced, and
//! the way back from its solution to one of the whole.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::search::LazyFactor;
use crate::search::bucket::Bucket;
use crate::search::factor::{Axis, Factor};
use crate::search::problem::{Problem, Sizes, cleaned};

/// Open variables with their costs.
#[derive(Clone, Debug)]
pub(crate) struct Network<'p> {
    /// The problem's number of each variable.
    pub(crate) origin: Vec<usize>,
    /// The problem's number of each state, ascending.
    pub(crate) states: Vec<Arc<[u32]>>,
    /// Whether the variable is still open.
    pub(crate) live: Vec<bool>,
    /// Whether the variable must stay open with all its states.
    pub(crate) held: Vec<bool>,
    /// The cost of each state.
    pub(crate) unary: Vec<Vec<f64>>,
    /// Tables over two or more variables; the place of a factor that is gone is empty.
    pub(crate) factors: Vec<Option<Factor>>,
    /// The places of the factors on each variable.
    pub(crate) touching: Vec<Vec<usize>>,
    /// What is not a table yet.
    pub(crate) lazy: Vec<LazyTerm<'p>>,
    /// What every assignment costs.
    pub(crate) constant: f64,
    /// How large tables may become.
    pub(crate) sizes: Sizes,
}

/// A lazy factor of which some variables are decided.
#[derive(Clone)]
pub(crate) struct LazyTerm<'p> {
    factor: &'p dyn LazyFactor,
    partial: Vec<Option<usize>>,
    /// Open positions of the scope.
    pub(crate) open: Vec<(usize, Axis)>,
    /// Lower bound of the factor.
    pub(crate) bound: f64,
}

impl std::fmt::Debug for LazyTerm<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LazyTerm").field("partial", &self.partial).finish_non_exhaustive()
    }
}

/// How the state of a variable follows from those that are decided after it.
#[derive(Debug)]
struct Decision {
    variable: usize,
    /// For each variable it depends on: its number, its states and their classes.
    axes: Vec<(usize, Arc<[u32]>, Axis)>,
    choice: Vec<u32>,
}

/// Decisions in the order in which they were made, after those of another trail.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    decisions: Vec<Decision>,
    before: Option<Rc<Trail>>,
}

impl Trail {
    /// A trail that goes on after another one.
    pub(crate) fn after(before: &Rc<Trail>) -> Self {
        Self { decisions: Vec::new(), before: Some(Rc::clone(before)) }
    }

    /// The variables that it decides.
    pub(crate) fn variables(&self) -> impl Iterator<Item = usize> + '_ {
        self.decisions.iter().map(|decision| decision.variable)
    }

    /// Fills in the decided variables, last decision first.
    pub(crate) fn replay(&self, states: &mut [usize]) {
        let mut trail = Some(self);
        while let Some(it) = trail {
            for decision in it.decisions.iter().rev() {
                let row = decision.axes.iter().fold(0, |row, (variable, known, axis)| {
                    let state = known.binary_search(&(states[*variable] as u32)).unwrap_or(0);
                    row * axis.classes + axis.class[state] as usize
                });
                states[decision.variable] = decision.choice[row] as usize;
            }
            trail = it.before.as_deref();
        }
    }
}

impl<'p> Network<'p> {
    /// The whole problem.
    pub(crate) fn new(problem: &'p Problem<'_>) -> Self {
        let n = problem.unary.len();
        let states = problem.unary.iter().map(|unary| (0..unary.len() as u32).collect()).collect();
        let mut network = Self {
            origin: (0..n).collect(),
            states,
            live: vec![true; n],
            held: vec![false; n],
            unary: problem.unary.clone(),
            factors: Vec::with_capacity(problem.tables.len()),
            touching: vec![Vec::new(); n],
            lazy: Vec::new(),
            constant: problem.constant,
            sizes: problem.sizes,
        };
        if network.unary.iter().any(Vec::is_empty) {
            network.constant = f64::INFINITY;
            return network;
        }
        for table in &problem.tables {
            network.add(table.clone());
        }
        for lazy in &problem.lazy {
            let factor = &*lazy.factor;
            let open = lazy.scope.iter().enumerate();
            let open = open.map(|(at, &var)| (at, lazy_axis(factor, at, var, problem.n_states(var))));
            let partial = vec![None; lazy.scope.len()];
            network.add_lazy(LazyTerm { factor, partial, open: open.collect(), bound: 0.0 });
        }
        network
    }

    /// Whether no assignment is allowed.
    pub(crate) fn is_infeasible(&self) -> bool {
        self.constant == f64::INFINITY
    }

    /// The open variables.
    pub(crate) fn open(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.live.len()).filter(|&var| self.live[var])
    }

    /// The factors on a variable.
    pub(crate) fn factors_on(&self, var: usize) -> Vec<&Factor> {
        self.touching[var].iter().filter_map(|&at| self.factors[at].as_ref()).collect()
    }

    /// The variables that share a factor with `var`, in order.
    pub(crate) fn neighbours(&self, var: usize) -> Vec<usize> {
        let mut neighbours: Vec<usize> =
            self.factors_on(var).iter().flat_map(|factor| factor.axes.iter().map(|axis| axis.var)).collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        neighbours.retain(|&it| it != var);
        neighbours
    }

    /// The variable's classes in each lazy factor on it.
    pub(crate) fn lazy_axes(&self, var: usize) -> impl Iterator<Item = &Axis> + '_ {
        let open = self.lazy.iter().flat_map(|lazy| lazy.open.iter().map(|(_, axis)| axis));
        open.filter(move |axis| axis.var == var)
    }

    /// Whether a lazy factor is on the variable.
    pub(crate) fn is_lazy(&self, var: usize) -> bool {
        self.lazy_axes(var).next().is_some()
    }

    /// What every assignment with a state costs at the least, for each state, as far as is known.
    pub(crate) fn state_bounds(&self, var: usize) -> Vec<f64> {
        let mut bounds: Vec<f64> = self.unary[var].iter().map(|cost| self.bound() + cost).collect();
        for lazy in &self.lazy {
            let Some((position, axis)) = lazy.open.iter().find(|(_, axis)| axis.var == var) else { continue };
            for class in 0..axis.classes {
                let Some(first) = axis.class.iter().position(|&it| it as usize == class) else { continue };
                let mut partial = lazy.partial.clone();
                partial[*position] = Some(self.states[var][first] as usize);
                let more = cleaned(lazy.factor.lower_bound(&partial)) - lazy.bound;
                let of_class =
                    bounds.iter_mut().zip(axis.class.iter()).filter(|(_, it)| **it as usize == class);
                // A bound that says less of a part than of the whole is not made use of.
                of_class.for_each(|(bound, _)| *bound += more.max(0.0));
            }
        }
        bounds
    }

    /// What every assignment costs at the least, as far as is known.
    pub(crate) fn bound(&self) -> f64 {
        self.constant + self.lazy.iter().map(|lazy| lazy.bound).sum::<f64>()
    }

    /// What an assignment of all open variables costs.
    pub(crate) fn cost(&self, states: &[usize]) -> f64 {
        let unary: f64 = self.open().map(|var| self.unary[var][states[var]]).sum();
        let tables: f64 = self.factors.iter().flatten().map(|factor| factor.cost_at(|var| states[var])).sum();
        let lazy: f64 = self.lazy.iter().map(|lazy| lazy.cost(&self.states, states)).sum();
        self.constant + unary + tables + lazy
    }

    /// What the open variables cost in an assignment of the whole problem.
    pub(crate) fn cost_in(&self, whole: &[usize]) -> f64 {
        let state = |var: usize| self.states[var].binary_search(&(whole[self.origin[var]] as u32)).ok();
        let states: Option<Vec<usize>> = self.open().map(state).collect();
        states.map_or(f64::INFINITY, |states| self.cost(&states))
    }

    /// Adds a factor, wherever its size makes it belong.
    pub(crate) fn add(&mut self, factor: Factor) {
        match factor.axes.as_slice() {
            [] => self.constant += factor.cost[0],
            [axis] => {
                for (sum, &class) in self.unary[axis.var].iter_mut().zip(axis.class.iter()) {
                    *sum += factor.cost[class as usize];
                }
            }
            axes => {
                for axis in axes {
                    self.touching[axis.var].push(self.factors.len());
                }
                self.factors.push(Some(factor));
            }
        }
    }

    /// Takes a factor out.
    pub(crate) fn take(&mut self, at: usize) -> Option<Factor> {
        let factor = self.factors[at].take()?;
        for axis in &factor.axes {
            self.touching[axis.var].retain(|&it| it != at);
        }
        Some(factor)
    }

    fn add_lazy(&mut self, mut term: LazyTerm<'p>) {
        let LazyTerm { partial, open, .. } = &mut term;
        open.retain(|(position, axis)| {
            if axis.classes == 1 {
                partial[*position] = Some(self.states[axis.var][0] as usize);
            }
            axis.classes != 1
        });
        let rows = term.open.iter().try_fold(1usize, |rows, (_, axis)| rows.checked_mul(axis.classes));
        if rows.is_some_and(|rows| rows <= self.sizes.tabulated) {
            let factor = term.table(&self.states).compressed();
            self.add(factor);
        } else {
            term.bound = cleaned(term.factor.lower_bound(&term.partial));
            self.lazy.push(term);
        }
    }

    /// Removes an open variable whose cost has become part of the rest.
    pub(crate) fn close(&mut self, var: usize, others: &[Axis], choice: Vec<u32>, trail: &mut Trail) {
        let states = &self.states[var];
        let choice = choice.into_iter().map(|state| states[state as usize]).collect();
        let depends = |axis: &Axis| (self.origin[axis.var], Arc::clone(&self.states[axis.var]), axis.clone());
        let axes = others.iter().map(depends).collect();
        trail.decisions.push(Decision { variable: self.origin[var], axes, choice });
        self.live[var] = false;
        self.unary[var].clear();
    }

    /// Keeps only the given states of each open variable, and closes the
    /// variables that have one state left, but for those held.
    pub(crate) fn restrict(&mut self, kept: &[Vec<u32>], trail: &mut Trail) {
        if self.open().any(|var| kept[var].is_empty()) {
            self.constant = f64::INFINITY;
            return;
        }
        let mut number = vec![usize::MAX; self.live.len()];
        let stays = |var: usize| 1 < kept[var].len() || self.held[var];
        let staying: Vec<usize> = self.open().filter(|&var| stays(var)).collect();
        for (new, &old) in staying.iter().enumerate() {
            number[old] = new;
        }
        let closing: Vec<usize> = self.open().filter(|&var| !stays(var)).collect();
        for var in closing {
            let state = kept[var][0];
            self.constant += self.unary[var][state as usize];
            self.close(var, &[], vec![state], trail);
        }
        let pick = |var: usize| kept[var].iter().map(move |&state| state as usize);
        let mut next = Network {
            origin: staying.iter().map(|&var| self.origin[var]).collect(),
            states: staying.iter().map(|&var| pick(var).map(|it| self.states[var][it]).collect()).collect(),
            live: vec![true; staying.len()],
            held: staying.iter().map(|&var| self.held[var]).collect(),
            unary: staying.iter().map(|&var| pick(var).map(|it| self.unary[var][it]).collect()).collect(),
            factors: Vec::with_capacity(self.factors.len()),
            touching: vec![Vec::new(); staying.len()],
            lazy: Vec::new(),
            constant: self.constant,
            sizes: self.sizes,
        };
        for factor in self.factors.iter().flatten() {
            next.add(factor.restricted(kept, &number));
        }
        for term in std::mem::take(&mut self.lazy) {
            next.add_lazy(term.restricted(kept, &number, &self.states));
        }
        *self = next;
    }

    /// The network in which a variable has one state only.
    pub(crate) fn conditioned(&self, var: usize, state: u32, trail: &mut Trail) -> Self {
        let mut kept = self.all_states();
        kept[var] = vec![state];
        let mut network = self.clone();
        network.held[var] = false;
        network.restrict(&kept, trail);
        network
    }

    /// All states of every open variable.
    pub(crate) fn all_states(&self) -> Vec<Vec<u32>> {
        self.unary.iter().map(|unary| (0..unary.len() as u32).collect()).collect()
    }

    /// Adds up factors over the same variables where the sum is not much larger.
    pub(crate) fn merge_equal_scopes(&mut self) {
        let mut by_scope: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        for at in 0..self.factors.len() {
            let Some(factor) = &self.factors[at] else { continue };
            let mut scope: Vec<usize> = factor.axes.iter().map(|axis| axis.var).collect();
            scope.sort_unstable();
            let Some(&first) = by_scope.get(&scope) else {
                by_scope.insert(scope, at);
                continue;
            };
            let var = scope[0];
            let Some(other) = &self.factors[first] else { continue };
            let bucket = Bucket::new(var, self.unary[var].len(), &[other, factor]);
            let rows = bucket.rows() * self.unary[var].len() as f64;
            if (64.max(2 * (other.cost.len() + factor.cost.len())) as f64) < rows {
                continue;
            }
            let sum = bucket.joint(var, &vec![0.0; self.unary[var].len()]).compressed();
            self.take(first);
            self.take(at);
            if 1 < sum.axes.len() {
                by_scope.insert(scope, self.factors.len());
            } else {
                by_scope.remove(&scope);
            }
            self.add(sum);
        }
    }

    /// The variables that hang together with one of `vars` when only the `kept` states are left, in order.
    pub(crate) fn region(&self, vars: &[usize], kept: &[Vec<u32>]) -> Vec<usize> {
        let mut seen = vec![false; self.live.len()];
        let mut region = Vec::new();
        for &var in vars {
            if !seen[var] {
                region.extend(self.reached(var, kept, &mut seen));
            }
        }
        region.sort_unstable();
        region
    }

    /// The open variables, split into groups that share no factor.
    pub(crate) fn components(&self) -> Vec<Vec<usize>> {
        let kept = self.all_states();
        let mut seen = vec![false; self.live.len()];
        let roots = self.open();
        roots
            .filter_map(|root| {
                let is_new = !seen[root];
                is_new.then(|| self.reached(root, &kept, &mut seen))
            })
            .collect()
    }

    fn reached(&self, root: usize, kept: &[Vec<u32>], seen: &mut [bool]) -> Vec<usize> {
        seen[root] = true;
        let mut reached = vec![root];
        let mut next = 0;
        while let Some(&var) = reached.get(next) {
            next += 1;
            let tables = self.factors_on(var).into_iter().flat_map(|factor| factor.axes.iter());
            let on = |lazy: &&LazyTerm<'_>| lazy.open.iter().any(|(_, axis)| axis.var == var);
            let lazy = self.lazy.iter().filter(on).flat_map(|lazy| lazy.open.iter().map(|(_, axis)| axis));
            for other in tables.chain(lazy).map(|axis| axis.var) {
                if 1 < kept[other].len() && !std::mem::replace(&mut seen[other], true) {
                    reached.push(other);
                }
            }
        }
        reached.sort_unstable();
        reached
    }

    /// The network of some variables and all factors on them, with no
    /// constant. Every other variable on these must have one state that is kept.
    pub(crate) fn part(&self, vars: &[usize], kept: &[Vec<u32>]) -> Self {
        let mut number = vec![usize::MAX; self.live.len()];
        for (new, &old) in vars.iter().enumerate() {
            number[old] = new;
        }
        let pick = |var: usize| kept[var].iter().map(move |&state| state as usize);
        let mut part = Network {
            origin: vars.iter().map(|&var| self.origin[var]).collect(),
            states: vars.iter().map(|&var| pick(var).map(|it| self.states[var][it]).collect()).collect(),
            live: vec![true; vars.len()],
            held: vec![false; vars.len()],
            unary: vars.iter().map(|&var| pick(var).map(|it| self.unary[var][it]).collect()).collect(),
            factors: Vec::new(),
            touching: vec![Vec::new(); vars.len()],
            lazy: Vec::new(),
            constant: 0.0,
            sizes: self.sizes,
        };
        let mut places: Vec<usize> =
            vars.iter().flat_map(|&var| self.touching[var].iter().copied()).collect();
        places.sort_unstable();
        places.dedup();
        for factor in places.into_iter().filter_map(|at| self.factors[at].as_ref()) {
            part.add(factor.restricted(kept, &number));
        }
        for term in &self.lazy {
            if term.open.iter().any(|(_, axis)| number[axis.var] != usize::MAX) {
                part.add_lazy(term.clone().restricted(kept, &number, &self.states));
            }
        }
        part
    }
}

impl LazyTerm<'_> {
    fn cost(&self, known: &[Arc<[u32]>], states: &[usize]) -> f64 {
        let mut scope: Vec<usize> = self.partial.iter().map(|state| state.unwrap_or(0)).collect();
        for (position, axis) in &self.open {
            scope[*position] = known[axis.var][states[axis.var]] as usize;
        }
        cleaned(self.factor.cost(&scope))
    }

    fn restricted(mut self, kept: &[Vec<u32>], number: &[usize], states: &[Arc<[u32]>]) -> Self {
        let mut open = Vec::with_capacity(self.open.len());
        for (position, axis) in self.open {
            let (left, old) = axis.restricted(&kept[axis.var], number[axis.var]);
            if old.len() == 1 {
                let state = kept[axis.var][0] as usize;
                self.partial[position] = Some(states[axis.var][state] as usize);
            } else {
                open.push((position, left));
            }
        }
        Self { open, ..self }
    }

    /// The factor as a table over its open positions.
    fn table(&self, states: &[Arc<[u32]>]) -> Factor {
        let axes: Vec<Axis> = self.open.iter().map(|(_, axis)| axis.clone()).collect();
        let representatives: Vec<Vec<usize>> = axes
            .iter()
            .map(|axis| {
                let first = |class| axis.class.iter().position(|&it| it as usize == class).unwrap_or(0);
                (0..axis.classes).map(|class| states[axis.var][first(class)] as usize).collect()
            })
            .collect();
        let mut full: Vec<usize> = self.partial.iter().map(|state| state.unwrap_or(0)).collect();
        let rows = axes.iter().map(|axis| axis.classes).product();
        let mut cost = Vec::with_capacity(rows);
        for row in 0..rows {
            let mut rest = row;
            for (at, axis) in axes.iter().enumerate().rev() {
                full[self.open[at].0] = representatives[at][rest % axis.classes];
                rest /= axis.classes;
            }
            cost.push(cleaned(self.factor.cost(&full)));
        }
        Factor { axes, cost: Arc::new(cost) }
    }
}

/// The classes of a lazy factor's states, numbered in the order in which they are met.
fn lazy_axis(factor: &dyn LazyFactor, position: usize, var: usize, states: usize) -> Axis {
    let mut number: BTreeMap<usize, u32> = BTreeMap::new();
    let class: Arc<[u32]> = (0..states)
        .map(|state| {
            let next = number.len() as u32;
            *number.entry(factor.class(position, state)).or_insert(next)
        })
        .collect();
    Axis { var, classes: number.len(), class }
}
