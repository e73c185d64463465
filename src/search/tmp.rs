//! tmp
use super::*;
pub struct Marginals {
    pub costs: Vec<Vec<f64>>,
    pub proven: bool,
}
pub fn min_marginals(p: &Problem<'_>, s: &Solution, _b: Budget, _t: &mut dyn FnMut() -> bool) -> Marginals {
    let mut costs = Vec::new();
    for v in 0..p.n_variables() {
        let mut c = Vec::new();
        for st in 0..p.n_states(v) {
            let mut x = s.states.clone();
            x[v] = st;
            c.push(p.cost(&x));
        }
        costs.push(c);
    }
    Marginals { costs, proven: false }
}
pub fn lexicographic(
    _p: &Problem<'_>,
    _l: f64,
    _o: &[usize],
    _pr: &[Vec<usize>],
    s: &Solution,
    _b: Budget,
    _t: &mut dyn FnMut() -> bool,
) -> Solution {
    s.clone()
}
