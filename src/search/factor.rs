//! A cost table over a few variables, in which states that the table cannot
//! tell apart share one row.

use std::sync::Arc;

/// One variable of a factor.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// The variable.
    pub(crate) var: usize,
    /// Number of classes.
    pub(crate) classes: usize,
    /// The class of each state.
    pub(crate) class: Arc<[u32]>,
}

/// Costs by class, row-major, the last axis fastest.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    /// The variables, each once, in the order of the table.
    pub(crate) axes: Vec<Axis>,
    /// One cost for each combination of classes.
    pub(crate) cost: Arc<Vec<f64>>,
}

impl Axis {
    /// An axis on which every state is a class of its own.
    pub(crate) fn full(var: usize, states: usize) -> Self {
        Self { var, classes: states, class: (0..states as u32).collect() }
    }

    /// The axis with a part of its states, and the old number of each class that is left.
    pub(crate) fn restricted(&self, kept: &[u32], var: usize) -> (Self, Vec<u32>) {
        if kept.len() == self.class.len() {
            return (Self { var, ..self.clone() }, (0..self.classes as u32).collect());
        }
        let mut new = vec![u32::MAX; self.classes];
        let mut old = Vec::with_capacity(self.classes);
        let class = kept.iter().map(|&state| {
            let was = self.class[state as usize];
            let now = &mut new[was as usize];
            if *now == u32::MAX {
                *now = old.len() as u32;
                old.push(was);
            }
            *now
        });
        let class = class.collect();
        (Self { var, classes: old.len(), class }, old)
    }
}

impl Factor {
    /// The distance between neighbours of each axis in the table.
    pub(crate) fn strides(&self) -> Vec<usize> {
        let mut strides = vec![1; self.axes.len()];
        for at in (1..self.axes.len()).rev() {
            strides[at - 1] = strides[at] * self.axes[at].classes;
        }
        strides
    }

    /// The distance between neighbours of one axis.
    pub(crate) fn stride(&self, at: usize) -> usize {
        self.axes[at + 1..].iter().map(|axis| axis.classes).product()
    }

    /// The cost of the states that `state` gives for each variable.
    pub(crate) fn cost_at(&self, state: impl Fn(usize) -> usize) -> f64 {
        let index = self
            .axes
            .iter()
            .fold(0, |index, axis| index * axis.classes + axis.class[state(axis.var)] as usize);
        self.cost[index]
    }

    /// The same factor with equal rows merged, and without the axes on which nothing depends.
    pub(crate) fn compressed(mut self) -> Self {
        for at in 0..self.axes.len() {
            self.merge_equal_rows(at);
        }
        self.axes.retain(|axis| 1 < axis.classes);
        self
    }

    fn merge_equal_rows(&mut self, at: usize) {
        let (classes, stride) = (self.axes[at].classes, self.stride(at));
        let block = classes * stride;
        let equal = |a: usize, b: usize| {
            self.cost
                .chunks_exact(block)
                .all(|rows| rows[a * stride..(a + 1) * stride] == rows[b * stride..(b + 1) * stride])
        };
        let mut kept: Vec<usize> = Vec::with_capacity(classes);
        let mut number = Vec::with_capacity(classes);
        for class in 0..classes {
            let same = kept.iter().position(|&it| equal(it, class)).unwrap_or_else(|| {
                kept.push(class);
                kept.len() - 1
            });
            number.push(same as u32);
        }
        if kept.len() == classes {
            return;
        }
        let rows = self.cost.chunks_exact(block);
        let cost = rows
            .flat_map(|rows| kept.iter().flat_map(move |it| &rows[it * stride..(it + 1) * stride]))
            .copied()
            .collect();
        let axis = &mut self.axes[at];
        axis.class = axis.class.iter().map(|&it| number[it as usize]).collect();
        axis.classes = kept.len();
        self.cost = Arc::new(cost);
    }

    /// The factor on a part of the states: `kept` gives the states of each
    /// variable that stay, `number` the new number of each variable.
    pub(crate) fn restricted(&self, kept: &[Vec<u32>], number: &[usize]) -> Self {
        let mut shrunk = false;
        let mut axes = Vec::with_capacity(self.axes.len());
        let mut rows: Vec<Vec<u32>> = Vec::with_capacity(self.axes.len());
        for axis in &self.axes {
            let (axis, old) = axis.restricted(&kept[axis.var], number[axis.var]);
            // Renumbered classes need a renumbered table even where none is gone.
            shrunk |= old.iter().enumerate().any(|(now, &was)| now != was as usize);
            axes.push(axis);
            rows.push(old);
        }
        shrunk |= rows.iter().zip(&self.axes).any(|(rows, axis)| rows.len() < axis.classes);
        if !shrunk {
            return Self { axes, cost: Arc::clone(&self.cost) };
        }
        let steps: Vec<Vec<usize>> = rows
            .iter()
            .zip(self.strides())
            .map(|(rows, stride)| rows.iter().map(|&row| row as usize * stride).collect())
            .collect();
        let cost = offsets(&steps).into_iter().map(|at| self.cost[at]).collect();
        Self { axes, cost: Arc::new(cost) }.compressed()
    }

    /// The least cost for each class of one axis.
    pub(crate) fn minima(&self, at: usize, into: &mut Vec<f64>) {
        let (classes, stride) = (self.axes[at].classes, self.stride(at));
        into.clear();
        into.resize(classes, f64::INFINITY);
        if stride == 1 {
            for row in self.cost.chunks_exact(classes) {
                for (least, &cost) in into.iter_mut().zip(row) {
                    *least = if cost < *least { cost } else { *least };
                }
            }
            return;
        }
        for rows in self.cost.chunks_exact(classes * stride) {
            for (least, row) in into.iter_mut().zip(rows.chunks_exact(stride)) {
                *least = row.iter().fold(*least, |least, &cost| if cost < least { cost } else { least });
            }
        }
    }

    /// The least cost for each class of a variable, and those classes; `guess`
    /// gives the states of the variables that are decided.
    pub(crate) fn least_given(&self, var: usize, guess: &[usize]) -> (Vec<f64>, &[u32]) {
        let mut least = Vec::new();
        let Some(at) = self.axes.iter().position(|axis| axis.var == var) else { return (least, &[]) };
        let steps: Vec<Vec<usize>> = self
            .axes
            .iter()
            .zip(self.strides())
            .filter(|(axis, _)| axis.var != var)
            .map(|(axis, stride)| match axis.class.get(guess[axis.var]) {
                Some(&class) => vec![class as usize * stride],
                None => (0..axis.classes).map(|class| class * stride).collect(),
            })
            .collect();
        let (rows, stride) = (offsets(&steps), self.stride(at));
        for class in 0..self.axes[at].classes {
            let costs = rows.iter().map(|row| self.cost[row + class * stride]);
            least.push(costs.fold(f64::INFINITY, f64::min));
        }
        (least, &self.axes[at].class)
    }

    /// Adds a cost to each class of one axis.
    pub(crate) fn add(&mut self, at: usize, change: &[f64]) {
        let (classes, stride) = (self.axes[at].classes, self.stride(at));
        for rows in Arc::make_mut(&mut self.cost).chunks_exact_mut(classes * stride) {
            for (row, change) in rows.chunks_exact_mut(stride).zip(change) {
                for cost in row {
                    *cost += change;
                }
            }
        }
    }
}

/// The sums of one step from each list, the last list fastest.
pub(crate) fn offsets<S: AsRef<[usize]>>(steps: &[S]) -> Vec<usize> {
    let mut sums = Vec::with_capacity(steps.iter().map(|steps| steps.as_ref().len()).product());
    sums.push(0);
    for steps in steps.iter().rev() {
        let before = sums.len();
        for step in steps.as_ref() {
            for at in 0..before {
                sums.push(sums[at] + step);
            }
        }
        sums.drain(..before);
    }
    sums
}
