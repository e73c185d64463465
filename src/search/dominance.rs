//! States that are never better than another one, whatever the neighbours do.

use std::collections::VecDeque;

use crate::search::factor::{Factor, offsets};
use crate::search::network::Network;

/// Factors whose comparison would take more steps than this are taken to allow no conclusion.
const STEPS: usize = 1 << 22;

/// The states of each open variable that are left when those that are
/// forbidden or dominated are gone; `None` if all are left.
///
/// # Model
///
/// State b of a variable gives way to a if u(a) − u(b) + Σ max (f(a, ·) − f(b, ·)) ≤ 0,
/// where the sum goes over the factors f on the variable and each maximum over
/// the states of the others that are left. States are removed one at a time,
/// so that two equal ones never remove each other; the first one stays. The
/// variable `hold` keeps all its states.
pub(crate) fn undominated(network: &Network<'_>, hold: Option<usize>) -> Option<Vec<Vec<u32>>> {
    let mut search = Dominance::new(network, hold);
    while let Some(var) = search.queue.pop_front() {
        search.queued[var] = false;
        search.examine(var);
    }
    search.removed.then(|| {
        let left = |alive: &Vec<bool>| (0..alive.len() as u32).filter(|&it| alive[it as usize]).collect();
        search.alive.iter().map(left).collect()
    })
}

struct Dominance<'n, 'p> {
    network: &'n Network<'p>,
    hold: Option<usize>,
    alive: Vec<Vec<bool>>,
    /// One for each factor.
    views: Vec<View>,
    /// Variables that may have got a dominated state.
    queue: VecDeque<usize>,
    queued: Vec<bool>,
    removed: bool,
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
    fn new(network: &'n Network<'p>, hold: Option<usize>) -> Self {
        let views =
            network.factors.iter().map(|factor| factor.as_ref().map_or_else(View::default, View::new));
        let open: Vec<usize> = network.open().collect();
        let mut queued = vec![false; network.live.len()];
        for &var in &open {
            queued[var] = true;
        }
        Self {
            network,
            hold: hold.and_then(|hold| network.origin.iter().position(|&it| it == hold)),
            alive: network.unary.iter().map(|unary| vec![true; unary.len()]).collect(),
            views: views.collect(),
            queue: open.into(),
            queued,
            removed: false,
        }
    }

    fn examine(&mut self, var: usize) {
        if self.hold == Some(var) {
            return;
        }
        let unary = &self.network.unary[var];
        let states: Vec<usize> = (0..unary.len()).filter(|&state| self.alive[var][state]).collect();
        if let [state] = states[..] {
            if unary[state] == f64::INFINITY {
                self.remove(var, state);
            }
            return;
        }
        if self.network.is_lazy(var) {
            for state in states {
                if unary[state] == f64::INFINITY {
                    self.remove(var, state);
                }
            }
            return;
        }
        let n = states.len();
        let excess = self.total_excess(var, &states);
        let mut gone = vec![false; n];
        for b in (0..n).rev() {
            let dominated = (0..n).any(|a| a != b && !gone[a] && excess[a * n + b] <= 0.0);
            if dominated || unary[states[b]] == f64::INFINITY {
                gone[b] = true;
                self.remove(var, states[b]);
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
            let excess = self.views[at].excess(factor, place);
            for (i, &a) in states.iter().enumerate() {
                let row = &excess[axis.class[a] as usize * axis.classes..];
                for (sum, &b) in total[i * n..(i + 1) * n].iter_mut().zip(states) {
                    let more = row[axis.class[b] as usize];
                    // What a state may be forbidden for is not made up for by anything else.
                    let blocked = *sum == f64::INFINITY || more == f64::INFINITY;
                    *sum = if blocked { f64::INFINITY } else { *sum + more };
                }
            }
        }
        total
    }

    fn remove(&mut self, var: usize, state: usize) {
        self.alive[var][state] = false;
        self.removed = true;
        for &at in &self.network.touching[var] {
            let Some(factor) = &self.network.factors[at] else { continue };
            let Some(place) = factor.axes.iter().position(|axis| axis.var == var) else { continue };
            let left = &mut self.views[at].left[place][factor.axes[place].class[state] as usize];
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
    fn excess(&mut self, factor: &Factor, place: usize) -> &[f64] {
        if self.excess[place].is_empty() {
            self.excess[place] = self.compared(factor, place);
        }
        &self.excess[place]
    }

    fn compared(&self, factor: &Factor, place: usize) -> Vec<f64> {
        let classes = factor.axes[place].classes;
        let mut excess = vec![f64::INFINITY; classes * classes];
        for class in 0..classes {
            excess[class * classes + class] = 0.0;
        }
        if STEPS < factor.cost.len() * classes {
            return excess;
        }
        let strides = factor.strides();
        let steps: Vec<Vec<usize>> = (0..factor.axes.len())
            .filter(|&at| at != place)
            .map(|at| {
                let left = self.left[at].iter().enumerate().filter(|(_, left)| 0 < **left);
                left.map(|(class, _)| class * strides[at]).collect()
            })
            .collect();
        let rows = offsets(&steps);
        for a in (0..classes).filter(|&a| 0 < self.left[place][a]) {
            for b in (0..classes).filter(|&b| b != a && 0 < self.left[place][b]) {
                let (a, b) = (a * strides[place], b * strides[place]);
                let most = rows
                    .iter()
                    .map(|row| difference(factor.cost[row + a], factor.cost[row + b]))
                    .fold(f64::NEG_INFINITY, |most, it| if most < it { it } else { most });
                excess[a / strides[place] * classes + b / strides[place]] = most;
            }
        }
        excess
    }
}

/// How much more `a` costs than `b`; where b is forbidden nothing is lost with a.
fn difference(a: f64, b: f64) -> f64 {
    if b == f64::INFINITY { f64::NEG_INFINITY } else { a - b }
}
