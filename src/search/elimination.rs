//! Variable elimination: a variable gives way to a table of what its best
//! state costs for each combination of its neighbours' states.

use std::collections::BTreeSet;

use crate::search::bucket::{Bucket, refined};
use crate::search::dominance::undominated;
use crate::search::network::{Network, Trail};
use crate::search::problem::Sizes;

/// Closes a variable: its factors become one, over its neighbours.
pub(crate) fn eliminate(network: &mut Network<'_>, var: usize, trail: &mut Trail) {
    let factors = network.factors_on(var);
    let bucket = Bucket::new(var, network.unary[var].len(), &factors);
    let (cost, choice) = bucket.minimum(&network.unary[var]);
    let others = bucket.others;
    network.close(var, &others, choice, trail);
    for at in std::mem::take(&mut network.touching[var]) {
        network.take(at);
    }
    network.add(cost.compressed());
}

/// Makes the network smaller without changing its minimum, until no cheap step is left.
pub(crate) fn reduce(network: &mut Network<'_>, trail: &mut Trail) {
    loop {
        if network.is_infeasible() {
            return;
        }
        if let Some(kept) = undominated(network) {
            network.restrict(&kept, trail);
        }
        if network.is_infeasible() {
            return;
        }
        network.merge_equal_scopes();
        if !eliminate_cheap(network, trail) {
            return;
        }
    }
}

/// The same for a network of which it is known that hardly a state is dominated: that comes last.
pub(crate) fn reduce_undominated(network: &mut Network<'_>, trail: &mut Trail) {
    eliminate_cheap(network, trail);
    if network.open().any(|var| !network.held[var]) {
        reduce(network, trail);
    }
}

/// Eliminates variables as long as that makes no table much larger than those it replaces.
fn eliminate_cheap(network: &mut Network<'_>, trail: &mut Trail) -> bool {
    let mut size: Vec<Option<u64>> = (0..network.live.len()).map(|var| cheap(network, var)).collect();
    let mut queue: BTreeSet<(u64, usize)> =
        size.iter().enumerate().filter_map(|(var, size)| Some(((*size)?, var))).collect();
    let mut any = false;
    while let Some((_, var)) = queue.pop_first() {
        let neighbours = network.neighbours(var);
        eliminate(network, var, trail);
        any = true;
        if network.is_infeasible() {
            return true;
        }
        for other in neighbours {
            if let Some(size) = size[other] {
                queue.remove(&(size, other));
            }
            size[other] = cheap(network, other);
            queue.extend(size[other].map(|size| (size, other)));
        }
    }
    any
}

/// The size of the table that eliminating the variable makes, if that is cheap.
fn cheap(network: &Network<'_>, var: usize) -> Option<u64> {
    if !network.live[var] || network.held[var] || network.is_lazy(var) {
        return None;
    }
    let factors = network.factors_on(var);
    let rows: f64 = refined(var, &factors).iter().map(|axis| axis.classes as f64).product();
    let size = rows * network.unary[var].len() as f64;
    let replaced: usize = factors.iter().map(|factor| factor.cost.len()).sum();
    (size <= network.sizes.small.max(replaced as f64).min(network.sizes.largest)).then_some(size as u64)
}

/// Eliminates all variables but those held in a good order, if their tables fit.
pub(crate) fn eliminate_all(network: &mut Network<'_>, trail: &mut Trail) -> bool {
    let Some(order) = order(network) else { return false };
    for var in order {
        eliminate(network, var, trail);
    }
    true
}

/// An order in which all variables but those held can be eliminated with few added
/// edges; `None` if a table would be too large.
pub(crate) fn order(network: &Network<'_>) -> Option<Vec<usize>> {
    Graph::new(network).order()
}

/// Which variables would share a table.
struct Graph {
    adjacent: Vec<Vec<u64>>,
    states: Vec<f64>,
    /// Variables that can be eliminated.
    open: Vec<bool>,
    sizes: Sizes,
}

impl Graph {
    fn new(network: &Network<'_>) -> Self {
        let n = network.live.len();
        let mut adjacent = vec![vec![0u64; n.div_ceil(64)]; n];
        for factor in network.factors.iter().flatten() {
            for a in &factor.axes {
                for b in factor.axes.iter().filter(|b| b.var != a.var) {
                    adjacent[a.var][b.var / 64] |= 1 << (b.var % 64);
                }
            }
        }
        let eliminable = |var: usize| network.live[var] && !network.held[var];
        Self {
            adjacent,
            states: network.unary.iter().map(|unary| unary.len() as f64).collect(),
            open: (0..n).map(eliminable).collect(),
            sizes: network.sizes,
        }
    }

    fn members(&self, var: usize) -> Vec<usize> {
        let words = self.adjacent[var].iter().enumerate();
        words
            .flat_map(|(at, &word)| {
                (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit)
            })
            .collect()
    }

    /// The number of edges that eliminating the variable adds (twice), and the size of its table.
    fn score(&self, var: usize) -> (u64, f64) {
        let members = self.members(var);
        let own = &self.adjacent[var];
        let missing = members.iter().map(|&it| {
            let missing: u32 = own.iter().zip(&self.adjacent[it]).map(|(a, b)| (a & !b).count_ones()).sum();
            // The neighbour itself is among its own missing neighbours.
            u64::from(missing) - 1
        });
        let size = members.iter().map(|&it| self.states[it]).product::<f64>() * self.states[var];
        (missing.sum(), size)
    }

    fn order(mut self) -> Option<Vec<usize>> {
        let n = self.open.len();
        let mut score: Vec<(u64, f64)> =
            (0..n).map(|var| if self.open[var] { self.score(var) } else { (0, 0.0) }).collect();
        let mut order = Vec::new();
        let mut work = 0.0;
        loop {
            let open = (0..n).filter(|&var| self.open[var]);
            let by_score = |&a: &usize, &b: &usize| {
                score[a].0.cmp(&score[b].0).then(score[a].1.total_cmp(&score[b].1)).then(a.cmp(&b))
            };
            let Some(var) = open.min_by(by_score) else { return Some(order) };
            work += score[var].1;
            if self.sizes.largest < score[var].1 || self.sizes.work < work {
                return None;
            }
            for changed in self.remove(var) {
                if self.open[changed] {
                    score[changed] = self.score(changed);
                }
            }
            order.push(var);
        }
    }

    /// Joins the neighbours of a variable, and returns those whose score changes.
    fn remove(&mut self, var: usize) -> Vec<usize> {
        let members = self.members(var);
        let own = std::mem::take(&mut self.adjacent[var]);
        let mut changed = own.clone();
        for &it in &members {
            for (word, own) in self.adjacent[it].iter_mut().zip(&own) {
                *word |= own;
            }
            self.adjacent[it][it / 64] &= !(1 << (it % 64));
            self.adjacent[it][var / 64] &= !(1 << (var % 64));
            for (word, near) in changed.iter_mut().zip(&self.adjacent[it]) {
                *word |= near;
            }
        }
        self.open[var] = false;
        self.adjacent[var] = changed;
        let changed = self.members(var);
        self.adjacent[var].clear();
        changed
    }
}
