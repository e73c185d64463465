//! The sum of all factors on one variable, visited row by row without making
//! the joint table.

use std::sync::Arc;

use crate::search::factor::{Axis, Factor};

/// The factors on one variable, ready to be summed.
#[derive(Debug)]
pub(crate) struct Bucket<'f> {
    /// The other variables, outermost first, each with the classes that some factor tells apart.
    pub(crate) others: Vec<Axis>,
    states: usize,
    /// By level: the factors whose innermost variable stands there. Level 0 has none but the own variable.
    levels: Vec<Vec<Part<'f>>>,
}

/// How to find one factor's cost.
#[derive(Debug)]
struct Part<'f> {
    cost: &'f [f64],
    /// Offset of each state of the own variable.
    own: Vec<usize>,
    /// For each other variable of the factor: its level, and the offset of each class.
    outer: Vec<(usize, Vec<usize>)>,
}

impl<'f> Bucket<'f> {
    /// All `factors` must have the variable `var`, which has `states` states.
    pub(crate) fn new(var: usize, states: usize, factors: &[&'f Factor]) -> Self {
        let others = inner_last(refined(var, factors), factors);
        let mut levels: Vec<Vec<Part<'f>>> = Vec::new();
        levels.resize_with(others.len() + 1, Vec::new);
        for factor in factors {
            let mut part = Part { cost: &factor.cost, own: vec![0; states], outer: Vec::new() };
            for (axis, stride) in factor.axes.iter().zip(factor.strides()) {
                if axis.var == var {
                    part.own = axis.class.iter().map(|&class| class as usize * stride).collect();
                } else if let Some(level) = others.iter().position(|it| it.var == axis.var) {
                    let mut offset = vec![0; others[level].classes];
                    for (&fine, &coarse) in others[level].class.iter().zip(axis.class.iter()) {
                        offset[fine as usize] = coarse as usize * stride;
                    }
                    part.outer.push((level, offset));
                }
            }
            let innermost = part.outer.iter().map(|(level, _)| level + 1).max().unwrap_or(0);
            levels[innermost].push(part);
        }
        Self { others, states, levels }
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> f64 {
        self.others.iter().map(|axis| axis.classes as f64).product()
    }

    /// Calls `visit` with the costs of all states of the own variable, for every row.
    pub(crate) fn visit(&self, unary: &[f64], mut visit: impl FnMut(&[f64])) {
        let (depth, n) = (self.others.len(), self.states);
        let mut sums = vec![0.0; (depth + 1) * n];
        sums[..n].copy_from_slice(unary);
        for part in &self.levels[0] {
            for (sum, &own) in sums.iter_mut().zip(&part.own) {
                *sum += part.cost[own];
            }
        }
        let mut index = vec![0; depth];
        let mut changed = 0;
        loop {
            for level in changed..depth {
                let (before, after) = sums.split_at_mut((level + 1) * n);
                let sum = &mut after[..n];
                sum.copy_from_slice(&before[level * n..]);
                for part in &self.levels[level + 1] {
                    let base: usize = part.outer.iter().map(|(at, offset)| offset[index[*at]]).sum();
                    let cost = &part.cost[base..];
                    for (sum, &own) in sum.iter_mut().zip(&part.own) {
                        *sum += cost[own];
                    }
                }
            }
            visit(&sums[depth * n..]);
            let Some(level) = (0..depth).rfind(|&level| index[level] + 1 < self.others[level].classes) else {
                return;
            };
            index[level] += 1;
            index[level + 1..].fill(0);
            changed = level;
        }
    }

    /// The least cost and its state, for every row.
    pub(crate) fn minimum(&self, unary: &[f64]) -> (Factor, Vec<u32>) {
        let rows = self.rows() as usize;
        let (mut cost, mut choice) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        self.visit(unary, |row| {
            let mut best = (f64::INFINITY, 0);
            for (state, &sum) in row.iter().enumerate() {
                if sum < best.0 {
                    best = (sum, state as u32);
                }
            }
            cost.push(best.0);
            choice.push(best.1);
        });
        (Factor { axes: self.others.clone(), cost: Arc::new(cost) }, choice)
    }

    /// The costs of all rows and states; the own variable is the last axis.
    pub(crate) fn joint(&self, var: usize, unary: &[f64]) -> Factor {
        let mut cost = Vec::with_capacity(self.rows() as usize * self.states);
        self.visit(unary, |row| cost.extend_from_slice(row));
        let mut axes = self.others.clone();
        axes.push(Axis::full(var, self.states));
        Factor { axes, cost: Arc::new(cost) }
    }
}

/// The variables beside `var`, in the order of their numbers, each with the classes that some factor tells apart.
pub(crate) fn refined(var: usize, factors: &[&Factor]) -> Vec<Axis> {
    let mut axes: Vec<&Axis> =
        factors.iter().flat_map(|factor| &factor.axes).filter(|axis| axis.var != var).collect();
    axes.sort_by_key(|axis| axis.var);
    let groups = axes.chunk_by(|a, b| a.var == b.var);
    groups.map(common_refinement).collect()
}

fn common_refinement(axes: &[&Axis]) -> Axis {
    let mut fine = axes[0].clone();
    for axis in &axes[1..] {
        if fine.classes == fine.class.len() || Arc::ptr_eq(&fine.class, &axis.class) {
            continue;
        }
        let mut number = vec![u32::MAX; fine.classes * axis.classes];
        let mut classes = 0;
        let class: Vec<u32> = fine
            .class
            .iter()
            .zip(axis.class.iter())
            .map(|(&a, &b)| {
                let number = &mut number[a as usize * axis.classes + b as usize];
                if *number == u32::MAX {
                    *number = classes;
                    classes += 1;
                }
                *number
            })
            .collect();
        if classes as usize != fine.classes {
            fine = Axis { var: fine.var, classes: classes as usize, class: class.into() };
        }
    }
    fine
}

/// Orders the variables so that few factors have to be added in the innermost loops.
fn inner_last(mut axes: Vec<Axis>, factors: &[&Factor]) -> Vec<Axis> {
    let mut scopes: Vec<Vec<usize>> =
        factors.iter().map(|factor| factor.axes.iter().map(|axis| axis.var).collect()).collect();
    let mut order = Vec::with_capacity(axes.len());
    while !axes.is_empty() {
        let load = |axis: &Axis| scopes.iter().filter(|scope| scope.contains(&axis.var)).count();
        let cheapest = (0..axes.len()).min_by_key(|&at| (load(&axes[at]), at)).unwrap_or(0);
        let axis = axes.remove(cheapest);
        scopes.retain(|scope| !scope.contains(&axis.var));
        order.push(axis);
    }
    order.reverse();
    order
}
