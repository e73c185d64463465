//! Lower bounds by moving costs between factors and variables until as much
//! as possible stands in the constant that every assignment pays.

use crate::search::network::Network;

/// Passes over all variables, at most.
const PASSES: usize = 200;

/// Where the costs of the network stand is changed, but not their sum: its constant becomes a better lower bound.
///
/// States whose bound reaches `cutoff` get an infinite cost. Returns whether there was one.
///
/// # Model
///
/// Each variable in turn collects from its factors what its states cost at the
/// least, gives the least of the sums to the constant, and hands the rest on
/// in equal parts to the factors whose other variables are still to come, then
/// the same in the other direction. The bound never falls.
///
/// # Source
///
/// Kolmogorov, "A New Look at Reweighted Message Passing", IEEE TPAMI 37(5), 2015.
pub(crate) fn ascend(network: &mut Network<'_>, cutoff: f64, patience: f64) -> bool {
    let sweep = Sweep::new(network);
    let lazy = network.bound() - network.constant;
    let mut pruned = false;
    for _ in 0..PASSES {
        let before = network.constant;
        for forward in [true, false] {
            pruned |= sweep.pass(network, forward, cutoff - lazy);
            if cutoff - lazy <= network.constant {
                return pruned;
            }
        }
        let gap = if cutoff.is_finite() { cutoff - lazy - network.constant } else { network.constant.abs() };
        if network.constant - before <= patience * gap {
            break;
        }
    }
    pruned
}

/// The order in which costs are moved.
struct Sweep {
    order: Vec<usize>,
    /// For each variable its factors: place, axis, and whether another variable comes later, or earlier.
    factors: Vec<Vec<(usize, usize, bool, bool)>>,
}

impl Sweep {
    fn new(network: &Network<'_>) -> Self {
        let factors = (0..network.live.len()).map(|var| {
            let factors = network.touching[var].iter().filter_map(|&at| {
                let axes = &network.factors[at].as_ref()?.axes;
                let axis = axes.iter().position(|axis| axis.var == var)?;
                let later = axes.iter().any(|axis| var < axis.var);
                let earlier = axes.iter().any(|axis| axis.var < var);
                Some((at, axis, later, earlier))
            });
            factors.collect()
        });
        Self { order: network.open().collect(), factors: factors.collect() }
    }

    fn pass(&self, network: &mut Network<'_>, forward: bool, cutoff: f64) -> bool {
        let mut pruned = false;
        let n = self.order.len();
        for at in 0..n {
            let var = self.order[if forward { at } else { n - 1 - at }];
            self.collect(network, var);
            let unary = &mut network.unary[var];
            let least = unary.iter().copied().fold(f64::INFINITY, f64::min);
            network.constant += least;
            if least == f64::INFINITY {
                return pruned;
            }
            for cost in unary.iter_mut() {
                *cost -= least;
                if *cost < f64::INFINITY && cutoff <= network.constant + *cost {
                    *cost = f64::INFINITY;
                    pruned = true;
                }
            }
            self.hand_on(network, var, forward);
        }
        pruned
    }

    fn collect(&self, network: &mut Network<'_>, var: usize) {
        let mut least = Vec::new();
        for &(at, axis, ..) in &self.factors[var] {
            let Some(factor) = &mut network.factors[at] else { continue };
            factor.minima(axis, &mut least);
            for (cost, &class) in network.unary[var].iter_mut().zip(factor.axes[axis].class.iter()) {
                *cost += least[class as usize];
            }
            if least.iter().all(|&it| it == 0.0) {
                continue;
            }
            for it in &mut least {
                *it = if it.is_finite() { -*it } else { 0.0 };
            }
            factor.add(axis, &least);
        }
    }

    fn hand_on(&self, network: &mut Network<'_>, var: usize, forward: bool) {
        let factors = &self.factors[var];
        let later = factors.iter().filter(|it| it.2).count();
        let earlier = factors.iter().filter(|it| it.3).count();
        let share = 1.0 / later.max(earlier).max(1) as f64;
        let before = network.unary[var].clone();
        let mut given = Vec::new();
        for &(at, axis, later, earlier) in factors {
            if !(if forward { later } else { earlier }) {
                continue;
            }
            let Some(factor) = &mut network.factors[at] else { continue };
            given.clear();
            given.resize(factor.axes[axis].classes, f64::INFINITY);
            for (cost, &class) in before.iter().zip(factor.axes[axis].class.iter()) {
                let given = &mut given[class as usize];
                *given = given.min(cost * share);
            }
            for it in &mut given {
                *it = if it.is_finite() { *it } else { 0.0 };
            }
            if given.iter().all(|&it| it == 0.0) {
                continue;
            }
            for (cost, &class) in network.unary[var].iter_mut().zip(factor.axes[axis].class.iter()) {
                *cost = (*cost - given[class as usize]).max(0.0);
            }
            factor.add(axis, &given);
        }
    }
}
