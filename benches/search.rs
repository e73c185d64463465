//! Time to the proven best state of every variable, by number of variables.
//!
//! The problems look like those of choosing a shard key for every table: a
//! schema that grows by preferential attachment, access patterns that join
//! tables along foreign keys and stay on one shard only if all keys agree, and
//! rates that fall as Zipf's law says.

use std::collections::BTreeMap;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use shardwright::search::{Budget, Problem, solve};

/// Numbers that look random and are the same everywhere (splitmix64).
struct Random(u64);

impl Random {
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((it ^ (it >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, end: f64) -> usize {
        (self.share() * end) as usize
    }
}

/// How tables refer to each other.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// Most references go to a few central tables.
    Hub,
    /// Nearly every table refers to one.
    Tenant,
    /// Every table refers to some of its neighbours.
    Mesh,
}

/// Tables, their candidates (each a class that two tables may share) and whether they may be replicated.
struct Schema {
    candidates: Vec<Vec<usize>>,
    replicated: Vec<bool>,
    adjacent: Vec<Vec<usize>>,
}

fn schema(n: usize, shape: Shape, random: &mut Random) -> Schema {
    let hubs = (n / 8).clamp(2, 12);
    let mut parents: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut adjacent: Vec<Vec<usize>> = vec![Vec::new(); n];
    for table in 1..n {
        for _ in 0..=(random.share() * random.share() * 4.0) as usize {
            let parent = match shape {
                Shape::Tenant if random.share() < 0.9 => Some(0),
                Shape::Mesh => (table - 1).checked_sub(random.below(12.0)),
                _ if random.share() < 0.55 => {
                    Some((table.min(hubs) as f64 * random.share().powf(1.7)) as usize)
                }
                _ => (table - 1).checked_sub(random.below(table.min(20) as f64)),
            };
            let parent = parent.unwrap_or(0);
            if parent < table && !parents[table].contains(&parent) {
                parents[table].push(parent);
                adjacent[table].push(parent);
                adjacent[parent].push(table);
            }
        }
    }
    let candidates = (0..n).map(|table| {
        let mut classes = vec![table];
        classes.extend(&parents[table]);
        for &parent in &parents[table] {
            for &class in &parents[parent] {
                if !classes.contains(&class) {
                    classes.push(class);
                }
            }
        }
        for hub in 0..hubs {
            if classes.len() < 3 && !classes.contains(&hub) {
                classes.push(hub);
            }
        }
        classes.truncate(8);
        classes
    });
    let candidates: Vec<Vec<usize>> = candidates.collect();
    let replicated = (0..n).map(|table| 1 <= table && random.share() < 0.6).collect();
    adjacent.iter_mut().for_each(|it| it.sort_unstable());
    Schema { candidates, replicated, adjacent }
}

/// Tables that a pattern joins: a walk along references.
fn walk(schema: &Schema, from: usize, random: &mut Random) -> Vec<usize> {
    let size = 2 + (random.share() * random.share() * 5.0) as usize;
    let mut scope = vec![from];
    while scope.len() < size {
        let at = scope[random.below(scope.len() as f64)];
        let next: Vec<usize> = schema.adjacent[at].iter().copied().filter(|it| !scope.contains(it)).collect();
        if next.is_empty() {
            break;
        }
        scope.push(next[random.below(next.len() as f64)]);
    }
    scope
}

/// The class that a join's predicates bind: mostly the one that most of its tables have.
fn bound_class(schema: &Schema, scope: &[usize], random: &mut Random) -> usize {
    let mut count: BTreeMap<usize, usize> = BTreeMap::new();
    for class in scope.iter().flat_map(|&table| &schema.candidates[table]) {
        *count.entry(*class).or_insert(0) += 1;
    }
    let mut classes: Vec<usize> = count.keys().copied().collect();
    classes.sort_by_key(|class| (std::cmp::Reverse(count[class]), *class));
    classes[if random.share() < 0.7 { 0 } else { random.below(classes.len() as f64) }]
}

/// Twelve patterns a table; `zipf` is the exponent of their weights, 0 for equal ones.
fn problem(n: usize, seed: u64, shape: Shape, zipf: f64) -> Problem<'static> {
    let random = &mut Random(seed * 1_000_003 + n as u64);
    let schema = schema(n, shape, random);
    let states = |table: usize| schema.candidates[table].len() + usize::from(schema.replicated[table]);
    let mut problem = Problem::new((0..n).map(states).collect());
    for table in 0..n {
        let weight = 1e6 / (1.0 + (random.share() * n as f64).floor()).powf(zipf);
        for state in 0..schema.candidates[table].len() {
            problem.unary(table, state, (weight * random.share().powi(3) * 0.5).floor());
        }
        if schema.replicated[table] {
            let state = schema.candidates[table].len();
            problem.unary(table, state, (weight * (0.2 + 6.0 * random.share())).floor());
        }
    }
    let mut joins: BTreeMap<(Vec<usize>, usize), f64> = BTreeMap::new();
    for pattern in 0..12 * n {
        let weight = (1e6 / (1.0 + pattern as f64).powf(zipf)).floor() + 1.0;
        let table = (n as f64 * random.share().powf(1.4)) as usize;
        let candidates = &schema.candidates[table];
        if 0.45 <= random.share() || schema.adjacent[table].is_empty() {
            let bound = random.below(candidates.len() as f64);
            for state in (0..candidates.len()).filter(|&state| state != bound) {
                problem.unary(table, state, weight);
            }
            continue;
        }
        let mut scope = walk(&schema, table, random);
        let class = bound_class(&schema, &scope, random);
        scope.sort_unstable();
        *joins.entry((scope, class)).or_insert(0.0) += weight;
    }
    for ((scope, class), weight) in joins {
        // Class 1 stays on the shard: the key of the bound class, or a replica.
        let stays = |table: usize, state: usize| {
            usize::from(schema.candidates[table].get(state).is_none_or(|&it| it == class))
        };
        let classes =
            scope.iter().map(|&table| (0..states(table)).map(|state| stays(table, state)).collect());
        let classes: Vec<Vec<usize>> = classes.collect();
        if classes.iter().any(|classes| !classes.contains(&1)) {
            problem.classed_factor(Vec::new(), &[], vec![weight]);
            continue;
        }
        let counts = classes.iter().map(|classes| classes.iter().max().map_or(0, |most| most + 1));
        let size: usize = counts.product();
        let mut cost = vec![weight; size];
        cost[size - 1] = 0.0;
        problem.classed_factor(scope, &classes, cost);
    }
    problem
}

fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("solve");
    group.sample_size(20);
    for shape in [Shape::Hub, Shape::Tenant, Shape::Mesh] {
        for n in [10, 50, 200, 1000] {
            let problem = problem(n, 1, shape, 0.9);
            let name = BenchmarkId::new(format!("{shape:?}"), n);
            group.bench_with_input(name, &problem, |bencher, problem| {
                bencher.iter(|| solve(black_box(problem), Budget { nodes: 10_000 }, &mut || false));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
