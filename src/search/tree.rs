//! The least cost of every state of every variable at once, in two passes over
//! the buckets of an elimination.

use std::sync::Arc;

use crate::search::bucket::Bucket;
use crate::search::elimination::order;
use crate::search::factor::Factor;
use crate::search::network::Network;

/// What was summed when a variable was eliminated.
struct Step {
    var: usize,
    factors: Vec<Factor>,
    unary: Vec<f64>,
    /// What the others see of it.
    message: Factor,
    /// What it sees of the others.
    outside: Option<Factor>,
}

/// For each state what the best assignment with it costs, beside a constant
/// that is the same for all states of a variable; `None` if a table would be
/// too large.
pub(crate) fn two_passes(mut network: Network<'_>) -> Option<Vec<Vec<f64>>> {
    if !network.lazy.is_empty() {
        return None;
    }
    let order = order(&network)?;
    let mut place = vec![0; network.live.len()];
    for (at, &var) in order.iter().enumerate() {
        place[var] = at;
    }
    let mut steps: Vec<Step> = order.iter().map(|&var| step(&mut network, var)).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    for (at, step) in steps.iter().enumerate() {
        if let Some(parent) = step.message.axes.iter().map(|axis| place[axis.var]).min() {
            children[parent].push(at);
        }
    }
    let mut marginals = vec![Vec::new(); network.live.len()];
    for at in (0..steps.len()).rev() {
        let Step { var, factors, unary, outside, .. } = &steps[at];
        let var = *var;
        let all: Vec<&Factor> = factors.iter().chain(outside).collect();
        let joint = Bucket::new(var, unary.len(), &all).joint(var, unary);
        joint.minima(joint.axes.len() - 1, &mut marginals[var]);
        for &child in &children[at] {
            steps[child].outside = Some(without(&joint, &steps[child].message));
        }
    }
    Some(marginals)
}

fn step(network: &mut Network<'_>, var: usize) -> Step {
    let places = std::mem::take(&mut network.touching[var]);
    let factors: Vec<Factor> = places.into_iter().filter_map(|at| network.take(at)).collect();
    let unary = network.unary[var].clone();
    let bucket = Bucket::new(var, unary.len(), &factors.iter().collect::<Vec<_>>());
    // Not compressed: rows with one cost here may have several in what comes back.
    let message = bucket.minimum(&unary).0;
    network.add(message.clone());
    Step { var, factors, unary, message, outside: None }
}

/// The least of `joint` for each row of the message that is part of it, less the message.
fn without(joint: &Factor, message: &Factor) -> Factor {
    let strides = message.strides();
    let mut rows = vec![0];
    for axis in &joint.axes {
        let mut steps = vec![0; axis.classes];
        if let Some(at) = message.axes.iter().position(|it| it.var == axis.var) {
            for (&fine, &coarse) in axis.class.iter().zip(message.axes[at].class.iter()) {
                steps[fine as usize] = coarse as usize * strides[at];
            }
        }
        rows = rows.iter().flat_map(|row| steps.iter().map(move |step| row + step)).collect();
    }
    let mut least = vec![f64::INFINITY; message.cost.len()];
    for (&row, &cost) in rows.iter().zip(joint.cost.iter()) {
        if cost < least[row] {
            least[row] = cost;
        }
    }
    for (least, &message) in least.iter_mut().zip(message.cost.iter()) {
        // Where the message forbids, the joint table will say so whatever the rest costs.
        *least = if message == f64::INFINITY { 0.0 } else { *least - message };
    }
    Factor { axes: message.axes.clone(), cost: Arc::new(least) }
}
