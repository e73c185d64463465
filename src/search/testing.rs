//! Random problems, and the answers that trying every assignment gives.

use crate::search::{LazyFactor, Problem};

/// Numbers that look random and are the same everywhere (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((it ^ (it >> 31)) % end as u64) as usize
    }

    pub(crate) fn share(&mut self) -> f64 {
        self.below(1 << 30) as f64 / f64::from(1 << 30)
    }

    pub(crate) fn shuffled(&mut self, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        for at in (1..n).rev() {
            all.swap(at, self.below(at + 1));
        }
        all
    }
}

/// A problem as plain tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plain {
    pub(crate) domains: Vec<usize>,
    pub(crate) unary: Vec<(usize, usize, f64)>,
    pub(crate) tables: Vec<(Vec<usize>, Vec<f64>)>,
    pub(crate) lazy: Vec<(Vec<usize>, Vec<f64>)>,
}

/// A table that pretends to be too large. Its bound is sometimes sharp and sometimes not.
struct Hidden<'a> {
    domains: Vec<usize>,
    cost: &'a [f64],
}

impl Hidden<'_> {
    fn row(&self, states: &[usize]) -> usize {
        states.iter().zip(&self.domains).fold(0, |row, (state, domain)| row * domain + state)
    }
}

impl LazyFactor for Hidden<'_> {
    fn cost(&self, states: &[usize]) -> f64 {
        self.cost[self.row(states)]
    }

    fn lower_bound(&self, partial: &[Option<usize>]) -> f64 {
        if partial.iter().flatten().sum::<usize>() % 3 == 1 {
            return 0.0;
        }
        let mut least = f64::INFINITY;
        for_each(&self.domains, |states| {
            if states.iter().zip(partial).all(|(a, b)| b.is_none_or(|b| b == *a)) {
                least = least.min(self.cost(states));
            }
        });
        least
    }
}

impl Plain {
    /// At most 7 variables with at most 4 states; half of the problems have whole costs, and so many ties.
    pub(crate) fn random(random: &mut Random) -> Self {
        let n = 1 + random.below(7);
        let domains: Vec<usize> = (0..n).map(|_| 1 + random.below(4)).collect();
        let (whole, forbidden) = (random.below(2) == 0, [0, 0, 5, 20, 40][random.below(5)]);
        let cost = |random: &mut Random| match random.below(100) {
            it if it < forbidden => f64::INFINITY,
            _ if whole => random.below(4) as f64,
            _ => random.share() * 10.0,
        };
        let mut plain = Self { domains, ..Self::default() };
        for var in 0..n {
            for state in 0..plain.domains[var] {
                if random.below(2) == 0 {
                    plain.unary.push((var, state, cost(random)));
                }
            }
        }
        for _ in 0..random.below(2 * n) {
            let mut scope = random.shuffled(n);
            scope.truncate(1 + random.below(4));
            let size = scope.iter().map(|&var| plain.domains[var]).product();
            let table = (0..size).map(|_| cost(random)).collect();
            if random.below(5) == 0 {
                plain.lazy.push((scope, table));
            } else {
                plain.tables.push((scope, table));
            }
        }
        plain
    }

    pub(crate) fn problem(&self) -> Problem<'_> {
        let mut problem = Problem::new(self.domains.clone());
        for &(var, state, cost) in &self.unary {
            problem.unary(var, state, cost);
        }
        for (scope, cost) in &self.tables {
            problem.factor(scope.clone(), cost.clone());
        }
        for (scope, cost) in &self.lazy {
            let domains = scope.iter().map(|&var| self.domains[var]).collect();
            problem.lazy_factor(scope.clone(), Box::new(Hidden { domains, cost }));
        }
        problem
    }

    /// The same with such narrow limits that tables are not made and branching happens.
    pub(crate) fn narrow_problem(&self) -> Problem<'_> {
        let mut problem = self.problem();
        problem.sizes.tabulated = 4;
        problem.sizes.small = 4.0;
        problem.sizes.largest = 16.0;
        problem.sizes.work = 64.0;
        problem
    }

    pub(crate) fn cost(&self, states: &[usize]) -> f64 {
        let unary = self.unary.iter().filter(|(var, state, _)| states[*var] == *state).map(|it| it.2);
        let tables = self.tables.iter().chain(&self.lazy).map(|(scope, cost)| {
            cost[scope.iter().fold(0, |row, &var| row * self.domains[var] + states[var])]
        });
        unary.sum::<f64>() + tables.sum::<f64>()
    }
}

/// Visits every assignment, the last variable fastest.
pub(crate) fn for_each(domains: &[usize], mut visit: impl FnMut(&[usize])) {
    if domains.contains(&0) {
        return;
    }
    let mut states = vec![0; domains.len()];
    loop {
        visit(&states);
        let Some(var) = (0..domains.len()).rfind(|&var| states[var] + 1 < domains[var]) else { return };
        states[var] += 1;
        states[var + 1..].fill(0);
    }
}

/// Whether two costs are equal but for rounding.
pub(crate) fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}
