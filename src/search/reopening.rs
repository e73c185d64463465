//! Questions about single states, also dominated ones: the proofs that no
//! longer hold are taken back, and only what hangs together with the variable
//! is solved again.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::search::dominance::{Dominance, KEPT, Removal, gives_way, kept};
use crate::search::elimination::{eliminate_all, reduce_undominated};
use crate::search::network::{Network, Trail};
use crate::search::solve::{Found, Goal, Limits, ROUNDING, minimise};
use crate::search::tree::two_passes;

/// A network whose dominated states are known, and can come back.
pub(crate) struct Reopening<'n, 'p> {
    dominance: Dominance<'n, 'p>,
}

/// What is to be known of a variable.
pub(crate) struct Question<'q> {
    pub(crate) var: usize,
    /// The states that matter, where each one is an effort.
    pub(crate) states: &'q [usize],
    /// Whether the first of them that is possible will do.
    pub(crate) first: bool,
    /// How much more than the best assignment so far a state may cost before it is out of interest.
    pub(crate) slack: f64,
    /// For how many questions the budget must do.
    pub(crate) parts: usize,
}

/// What the states of one variable cost, up to a constant: the least cost of
/// everything that hangs together with it.
pub(crate) struct Local {
    /// For each state of the variable.
    pub(crate) found: Vec<Found>,
    completion: Completion,
}

enum Completion {
    /// The rest follows from the variable's state.
    Trail(Trail),
    /// For each state, the rest.
    Each(Vec<Vec<(usize, usize)>>),
}

impl Local {
    /// The least cost of all.
    pub(crate) fn least(&self) -> Found {
        let least = |of: fn(&Found) -> f64| self.found.iter().map(of).fold(f64::INFINITY, f64::min);
        Found { cost: least(|it| it.cost), bound: least(|it| it.bound) }
    }

    /// Writes the best completion of a state into `states`.
    pub(crate) fn complete(&self, var: usize, state: usize, states: &mut [usize]) {
        states[var] = state;
        match &self.completion {
            Completion::Trail(trail) => trail.replay(states),
            Completion::Each(all) => {
                for &(var, state) in &all[state] {
                    states[var] = state;
                }
            }
        }
    }
}

impl<'n, 'p> Reopening<'n, 'p> {
    /// `network` must be a whole problem, of which nothing was closed.
    pub(crate) fn new(network: &'n Network<'p>) -> Self {
        let mut dominance = Dominance::new(network);
        dominance.settle();
        Self { dominance }
    }

    /// The states that are left.
    pub(crate) fn kept(&self) -> Vec<Vec<u32>> {
        self.dominance.kept()
    }

    /// What each state of `question.var` costs at the least, beside a constant.
    ///
    /// `states` is the best assignment so far. It must be settled.
    pub(crate) fn local(&self, question: &Question<'_>, limits: &mut Limits<'_>, states: &[usize]) -> Local {
        let var = question.var;
        solve_local(self.around(&[var]), question, limits, states)
    }

    /// What the states of several variables cost at the least, beside a
    /// constant for each variable; `None` if that needs large tables.
    pub(crate) fn together(&self, vars: &[usize]) -> Option<Vec<Vec<f64>>> {
        let mut network = self.around(vars);
        network.sizes = network.sizes.narrow();
        reduce_undominated(&mut network, &mut Trail::default());
        network.held.fill(false);
        let places: BTreeMap<usize, usize> = network.origin.iter().copied().zip(0..).collect();
        let mut costs = two_passes(network)?;
        vars.iter().map(|var| Some(std::mem::take(&mut costs[*places.get(var)?]))).collect()
    }

    /// The network of some variables with all their states and of what hangs together with them.
    fn around(&self, vars: &[usize]) -> Network<'p> {
        let mut times = self.dominance.removed_at.clone();
        let back: Vec<usize> =
            vars.iter().copied().filter(|&var| times[var].iter().any(|&time| time != KEPT)).collect();
        for &var in &back {
            times[var].fill(KEPT);
        }
        if !back.is_empty() {
            self.take_back_proofs(&back, &mut times);
        }
        let kept = kept(&times);
        let network = self.dominance.network;
        let mut part = network.part(&network.region(vars, &kept), &kept);
        for (held, origin) in part.held.iter_mut().zip(&part.origin) {
            *held = vars.contains(origin);
        }
        part
    }

    /// Replaces every removed state by the one that it gave way to, which costs nothing.
    ///
    /// Returns whether there was one.
    pub(crate) fn settle(&self, states: &mut [usize]) -> bool {
        let mut changed = false;
        for removal in &self.dominance.log {
            let state = &mut states[removal.var];
            if *state == removal.state as usize && removal.to != removal.state {
                *state = removal.to as usize;
                changed = true;
            }
        }
        changed
    }

    /// Decides a variable for good.
    pub(crate) fn fix(&mut self, var: usize, state: u32) {
        let mut times = self.dominance.removed_at.clone();
        let comes_back = times[var][state as usize] != KEPT;
        times[var].fill(0);
        times[var][state as usize] = KEPT;
        if comes_back {
            for (at, to) in self.take_back_proofs(&[var], &mut times) {
                self.dominance.log[at].to = to;
            }
            self.dominance.bring_back(var, state);
        }
        for Removal { var: it, state, to } in std::mem::take(&mut self.dominance.log) {
            if it == var {
                continue;
            }
            if times[it][state as usize] == KEPT {
                self.dominance.bring_back(it, state);
            } else {
                self.dominance.log.push(Removal { var: it, state, to });
                self.dominance.removed_at[it][state as usize] = self.dominance.log.len() as u32;
            }
        }
        for other in (0..times[var].len() as u32).filter(|&it| it != state) {
            if self.dominance.removed_at[var][other as usize] == KEPT {
                self.dominance.take_out(var, other, 0);
            } else {
                self.dominance.removed_at[var][other as usize] = 0;
            }
        }
        self.dominance.settle();
    }

    /// Brings back what can't be removed any more after states of `vars` came back.
    ///
    /// `times` says when each state is removed. A proof stays good if it holds
    /// against all that is left at its time, so one pass in order is enough.
    /// Returns the removals that hold for the sake of another state than before.
    fn take_back_proofs(&self, vars: &[usize], times: &mut [Vec<u32>]) -> Vec<(usize, u32)> {
        let mut instead = Vec::new();
        let network = self.dominance.network;
        let mut affected = vec![false; times.len()];
        for &var in vars {
            let back =
                (0..times[var].len()).filter(|&it| self.dominance.removed_at[var][it] != times[var][it]);
            back.for_each(|state| self.mark_affected(var, state, &mut affected));
        }
        for (at, removal) in self.dominance.log.iter().enumerate() {
            let &Removal { var: it, state, to } = removal;
            if !affected[it] || to == state || vars.contains(&it) {
                continue;
            }
            let time = at as u32 + 1;
            let others = (0..times[it].len() as u32).filter(|&a| a != state && a != to);
            let mut others = std::iter::once(to).chain(others);
            let wins = |a: u32| time < times[it][a as usize] && gives_way(network, times, time, it, a, state);
            match others.find(|&a| wins(a)) {
                Some(other) if other == to => {}
                Some(other) => instead.push((at, other)),
                None => {
                    times[it][state as usize] = KEPT;
                    self.mark_affected(it, state as usize, &mut affected);
                }
            }
        }
        instead
    }

    /// Marks the variables whose proofs may see that a state comes back.
    fn mark_affected(&self, var: usize, state: usize, affected: &mut [bool]) {
        let times = &self.dominance.removed_at[var];
        for factor in self.dominance.network.factors_on(var) {
            let Some(axis) = factor.axes.iter().find(|axis| axis.var == var) else { continue };
            let same = axis.class.iter().zip(times).filter(|(class, _)| **class == axis.class[state]);
            if !same.into_iter().any(|(_, &time)| time == KEPT) {
                factor.axes.iter().filter(|it| it.var != var).for_each(|it| affected[it.var] = true);
            }
        }
    }
}

/// Eliminates everything but the variable, or solves for each of its states.
fn solve_local(
    mut network: Network<'_>,
    question: &Question<'_>,
    limits: &mut Limits<'_>,
    states: &[usize],
) -> Local {
    let whole = network.cost_in(states);
    let mut trail = Trail::default();
    let place = |network: &Network<'_>| network.origin.iter().position(|&it| it == question.var);
    let count = place(&network).map_or(0, |at| network.unary[at].len());
    reduce_undominated(&mut network, &mut trail);
    let mut found = vec![Found { cost: f64::INFINITY, bound: f64::INFINITY }; count];
    let Some(at) = place(&network).filter(|_| !network.is_infeasible()) else {
        return Local { found, completion: Completion::Trail(trail) };
    };
    if network.lazy.is_empty() && eliminate_all(&mut network, &mut trail) {
        for (&state, unary) in network.states[at].iter().zip(&network.unary[at]) {
            let cost = network.constant + unary;
            found[state as usize] = Found { cost, bound: cost };
        }
        return Local { found, completion: Completion::Trail(trail) };
    }
    let trail = Rc::new(trail);
    let most = whole + question.slack;
    // A little more than is asked for, so that rounding hides nothing that costs just as much.
    let below = most + 4.0 * ROUNDING * most.abs() + f64::MIN_POSITIVE;
    let goal = Goal { below, enough: f64::NEG_INFINITY };
    let mut each = vec![Vec::new(); count];
    let open: Vec<usize> = trail.variables().chain(network.origin.iter().copied()).collect();
    for (asked, &state) in question.states.iter().enumerate() {
        let Ok(now) = network.states[at].binary_search(&(state as u32)) else { continue };
        limits.share((question.states.len() - asked).saturating_mul(question.parts));
        let mut trail = Trail::after(&trail);
        let mut states = states.to_vec();
        let part = network.conditioned(at, now as u32, &mut trail);
        found[state] = minimise(part, goal, limits, &mut states);
        trail.replay(&mut states);
        each[state] = open.iter().map(|&it| (it, states[it])).collect();
        if question.first && found[state].cost <= most {
            break;
        }
    }
    Local { found, completion: Completion::Each(each) }
}
