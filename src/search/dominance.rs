//! States that are never better than another one, whatever the neighbours do.

use std::collections::VecDeque;

use crate::search::factor::Factor;
use crate::search::network::Network;

/// Factors whose comparison would take more steps than this are taken to allow no conclusion.
const STEPS: usize = 1 << 22;

/// When a state that is left was removed.
pub(crate) const KEPT: u32 = u32::MAX;

/// The states of each open variable that are left when those that are
/// forbidden or dominated are gone; `None` if all are left.
///
/// Held variables keep all their states.
pub(crate) fn undominated(network: &Network<'_>) -> Option<Vec<Vec<u32>>> {
    let mut dominance = Dominance::new(network);
    dominance.settle();
    (!dominance.log.is_empty()).then(|| dominance.kept())
}

/// States removed one after the other, each with a proof that rests on the removals before it.
///
/// # Model
///
/// State b of a variable gives way to a if u(a) − u(b) + Σ max (f(a, ·) − f(b, ·)) ≤ 0,
/// where the sum goes over the factors f on the variable and each maximum over
/// the states of the others that are left. Of two equal states the first one
/// stays. Nothing is known of lazy factors but that states of one class cost
/// the same.
pub(crate) struct Dominance<'n, 'p> {
    pub(crate) network: &'n Network<'p>,
    /// What was removed, in order.
    pub(crate) log: Vec<Removal>,
    /// For each state its place in the log, counted from 1; 0 if it was ruled out from the start.
    pub(crate) removed_at: Vec<Vec<u32>>,
    /// One for each factor.
    views: Vec<View>,
    /// Variables that may have got a dominated state.
    queue: VecDeque<usize>,
    queued: Vec<bool>,
    rows: Rows,
}

/// A state that gave way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Removal {
    pub(crate) var: usize,
    pub(crate) state: u32,
    /// The state it gave way to; itself if it is forbidden.
    pub(crate) to: u32,
}

/// What is left of a factor.
#[derive(Default)]
struct View {
    /// For each axis and class, how many states are left.
    left: Vec<Vec<u32>>,
    /// For each axis, how much more each class may cost than each other one; empty if not known yet.
    excess: Vec<Vec<f64>>,
}

impl<'n, 'p> Dominance<'n, 'p> {
    /// Nothing is removed yet.
    pub(crate) fn new(network: &'n Network<'p>) -> Self {
        let views =
            network.factors.iter().map(|factor| factor.as_ref().map_or_else(View::default, View::new));
        let mut queued = vec![false; network.live.len()];
        for var in network.open() {
            queued[var] = true;
        }
        Self {
            network,
            log: Vec::new(),
            removed_at: network.unary.iter().map(|unary| vec![KEPT; unary.len()]).collect(),
            views: views.collect(),
            queue: network.open().collect(),
            queued,
            rows: Rows::default(),
        }
    }

    /// Removes states until none gives way any more.
    pub(crate) fn settle(&mut self) {
        while let Some(var) = self.queue.pop_front() {
            self.queued[var] = false;
            self.examine(var);
        }
    }

    /// The states of each variable that are left.
    pub(crate) fn kept(&self) -> Vec<Vec<u32>> {
        kept(&self.removed_at)
    }

    fn examine(&mut self, var: usize) {
        if self.network.held[var] {
            return;
        }
        let unary = &self.network.unary[var];
        let mut states: Vec<usize> =
            (0..unary.len()).filter(|&state| self.removed_at[var][state] == KEPT).collect();
        states.retain(|&state| {
            let forbidden = unary[state] == f64::INFINITY;
            if forbidden {
                self.remove(Removal { var, state: state as u32, to: state as u32 });
            }
            !forbidden
        });
        if states.len() < 2 {
            return;
        }
        let n = states.len();
        let excess = self.total_excess(var, &states);
        let mut gone = vec![false; n];
        for b in (0..n).rev() {
            let dominator = (0..n).find(|&a| a != b && !gone[a] && excess[a * n + b] <= 0.0);
            if let Some(a) = dominator {
                gone[b] = true;
                self.remove(Removal { var, state: states[b] as u32, to: states[a] as u32 });
            }
        }
    }

    /// For each pair of states, how much more the first may cost than the second.
    fn total_excess(&mut self, var: usize, states: &[usize]) -> Vec<f64> {
        let n = states.len();
        let unary = &self.network.unary[var];
        let mut total = Vec::with_capacity(n * n);
        for &a in states {
            total.extend(states.iter().map(|&b| difference(unary[a], unary[b])));
        }
        for &at in &self.network.touching[var] {
            let Some(factor) = &self.network.factors[at] else { continue };
            let Some(place) = factor.axes.iter().position(|axis| axis.var == var) else { continue };
            let axis = &factor.axes[place];
            let excess = self.views[at].excess(factor, place, &mut self.rows);
            for (i, &a) in states.iter().enumerate() {
                let row = &excess[axis.class[a] as usize * axis.classes..];
                for (sum, &b) in total[i * n..(i + 1) * n].iter_mut().zip(states) {
                    *sum = plus(*sum, row[axis.class[b] as usize]);
                }
            }
        }
        for axis in self.network.lazy_axes(var) {
            for (i, &a) in states.iter().enumerate() {
                for (sum, &b) in total[i * n..(i + 1) * n].iter_mut().zip(states) {
                    *sum = if axis.class[a] == axis.class[b] { *sum } else { f64::INFINITY };
                }
            }
        }
        total
    }

    fn remove(&mut self, removal: Removal) {
        self.log.push(removal);
        self.take_out(removal.var, removal.state, self.log.len() as u32);
    }

    /// Removes a state at some time.
    pub(crate) fn take_out(&mut self, var: usize, state: u32, time: u32) {
        self.removed_at[var][state as usize] = time;
        for &at in &self.network.touching[var] {
            let Some(factor) = &self.network.factors[at] else { continue };
            let Some(place) = factor.axes.iter().position(|axis| axis.var == var) else { continue };
            let left = &mut self.views[at].left[place][factor.axes[place].class[state as usize] as usize];
            *left -= 1;
            if 0 < *left {
                continue;
            }
            self.views[at].excess.iter_mut().for_each(Vec::clear);
            for other in factor.axes.iter().map(|axis| axis.var).filter(|&it| it != var) {
                if !std::mem::replace(&mut self.queued[other], true) {
                    self.queue.push_back(other);
                }
            }
        }
    }

    /// Brings a removed state back.
    pub(crate) fn bring_back(&mut self, var: usize, state: u32) {
        self.removed_at[var][state as usize] = KEPT;
        for &at in &self.network.touching[var] {
            let Some(factor) = &self.network.factors[at] else { continue };
            let Some(place) = factor.axes.iter().position(|axis| axis.var == var) else { continue };
            let left = &mut self.views[at].left[place][factor.axes[place].class[state as usize] as usize];
            *left += 1;
            if *left == 1 {
                self.views[at].excess.iter_mut().for_each(Vec::clear);
            }
        }
        if !std::mem::replace(&mut self.queued[var], true) {
            self.queue.push_back(var);
        }
    }
}

impl View {
    fn new(factor: &Factor) -> Self {
        let left = factor.axes.iter().map(|axis| {
            let mut left = vec![0; axis.classes];
            for &class in axis.class.iter() {
                left[class as usize] += 1;
            }
            left
        });
        Self { left: left.collect(), excess: vec![Vec::new(); factor.axes.len()] }
    }

    /// For each pair of classes of one axis, how much more the first may cost than the second.
    fn excess(&mut self, factor: &Factor, place: usize, rows: &mut Rows) -> &[f64] {
        if self.excess[place].is_empty() {
            let mut excess = std::mem::take(&mut self.excess[place]);
            self.compare(factor, place, rows, &mut excess);
            self.excess[place] = excess;
        }
        &self.excess[place]
    }

    fn compare(&self, factor: &Factor, place: usize, rows: &mut Rows, excess: &mut Vec<f64>) {
        let classes = factor.axes[place].classes;
        excess.resize(classes * classes, f64::INFINITY);
        for class in 0..classes {
            excess[class * classes + class] = 0.0;
        }
        if STEPS < factor.cost.len() * classes {
            return;
        }
        rows.fill(factor, place, |at, seen| {
            seen.iter_mut().zip(&self.left[at]).for_each(|(seen, &left)| *seen = 0 < left);
        });
        let stride = factor.stride(place);
        for a in (0..classes).filter(|&a| 0 < self.left[place][a]) {
            for b in (0..classes).filter(|&b| b != a && 0 < self.left[place][b]) {
                excess[a * classes + b] = rows.most(factor, a * stride, b * stride);
            }
        }
    }
}

/// Whether state `b` of a variable gives way to `a` when all that was removed before `time` is gone.
pub(crate) fn gives_way(
    network: &Network<'_>,
    removed_at: &[Vec<u32>],
    time: u32,
    var: usize,
    a: u32,
    b: u32,
) -> bool {
    let (a, b) = (a as usize, b as usize);
    if network.lazy_axes(var).any(|axis| axis.class[a] != axis.class[b]) {
        return false;
    }
    let mut rows = Rows::default();
    let mut sum = difference(network.unary[var][a], network.unary[var][b]);
    for factor in network.factors_on(var) {
        let Some(place) = factor.axes.iter().position(|axis| axis.var == var) else { continue };
        let class = |state: usize| factor.axes[place].class[state] as usize;
        if class(a) == class(b) {
            continue;
        }
        if STEPS < factor.cost.len() * factor.axes[place].classes {
            return false;
        }
        rows.fill(factor, place, |at, seen| {
            let axis = &factor.axes[at];
            for (&class, &at) in axis.class.iter().zip(&removed_at[axis.var]) {
                seen[class as usize] |= time < at;
            }
        });
        let stride = factor.stride(place);
        sum = plus(sum, rows.most(factor, class(a) * stride, class(b) * stride));
    }
    sum <= 0.0
}

/// The states that were never removed.
pub(crate) fn kept(removed_at: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let kept = |times: &Vec<u32>| (0..times.len() as u32).filter(|&it| times[it as usize] == KEPT).collect();
    removed_at.iter().map(kept).collect()
}

/// Where the combinations of classes that are left on the other axes stand in a table.
#[derive(Default)]
struct Rows {
    rows: Vec<usize>,
    seen: Vec<bool>,
}

impl Rows {
    /// `left` marks the classes of an axis that are left.
    fn fill(&mut self, factor: &Factor, place: usize, left: impl Fn(usize, &mut [bool])) {
        self.rows.clear();
        self.rows.push(0);
        let mut stride = 1;
        for (at, axis) in factor.axes.iter().enumerate().rev() {
            if at != place {
                self.seen.clear();
                self.seen.resize(axis.classes, false);
                left(at, &mut self.seen);
                self.multiply(stride);
            }
            stride *= axis.classes;
        }
    }

    fn multiply(&mut self, stride: usize) {
        let before = self.rows.len();
        for class in (0..self.seen.len()).filter(|&class| self.seen[class]) {
            for at in 0..before {
                self.rows.push(self.rows[at] + class * stride);
            }
        }
        self.rows.drain(..before);
    }

    /// How much more the costs at one distance from the rows may be than those at another one.
    fn most(&self, factor: &Factor, a: usize, b: usize) -> f64 {
        let more = self.rows.iter().map(|row| difference(factor.cost[row + a], factor.cost[row + b]));
        more.fold(f64::NEG_INFINITY, |most, it| if most < it { it } else { most })
    }
}

/// How much more `a` costs than `b`; where b is forbidden nothing is lost with a.
fn difference(a: f64, b: f64) -> f64 {
    if b == f64::INFINITY { f64::NEG_INFINITY } else { a - b }
}

/// The sum, in which what a state may be forbidden for is not made up for by anything else.
fn plus(sum: f64, more: f64) -> f64 {
    if sum == f64::INFINITY || more == f64::INFINITY { f64::INFINITY } else { sum + more }
}
