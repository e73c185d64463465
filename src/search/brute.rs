//! Brute force over random small designs: the search must find the same least
//! cost as costing every plan with the evaluation, which it does not share.

use std::collections::BTreeMap;

use crate::analysis::assessment::evaluate;
use crate::analysis::classes::Reading;
use crate::analysis::placed::Placed;
use crate::model::{
    AccessPattern, Column, ColumnId, ColumnRef, ColumnType, Consistency, Design, Distribution, ForeignKey,
    Instance, InstanceId, Operand, Operation, Param, ParamId, Predicate, Selected, Statement, Step, Table,
    TableId, Written,
};
use crate::search::advise::{search, setting_for};
use crate::search::space::step;
use crate::source::Span;
use crate::target::engine;
use crate::units::{Rate, Rows, Share};

/// The generator `SplitMix64`.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below
    }
}

fn column(random: &mut Random, name: &str, distinct: u64) -> Column {
    let skew = match random.next(4) {
        0 => Some(Distribution::Zipf(1.1)),
        1 => Some(Distribution::Top { shares: vec![(None, share(0.3))], rest: Box::default() }),
        _ => None,
    };
    Column {
        name: name.to_owned(),
        ty: Some(ColumnType::parse("bigint")),
        distinct: Some(distinct),
        skew,
        ..Column::default()
    }
}

fn share(value: f64) -> Share {
    Share::new(value).expect("between 0 and 1")
}

fn random_design(random: &mut Random) -> Design {
    let n_tables = 2 + random.next(2);
    let mut design = Design::default();
    for t in 0..n_tables {
        let rows = 1000 * (1 + random.next(1000));
        let n_columns = if n_tables == 3 { 2 } else { 2 + random.next(2) };
        let mut columns = vec![column(random, "id", rows)];
        for c in 1..n_columns {
            let distinct = [5, 40, 300, 900][random.next(4) as usize];
            columns.push(column(random, &format!("c{c}"), distinct));
        }
        let mut table = Table {
            name: format!("t{t}"),
            rows: Some(Rows(rows)),
            primary_key: vec![ColumnId(0)],
            columns,
            ..Table::default()
        };
        if 0 < t && random.next(2) == 0 {
            let key = ForeignKey {
                columns: vec![ColumnId(1)],
                parent: TableId(t as u32 - 1),
                parent_columns: vec![ColumnId(0)],
                span: Span::default(),
            };
            table.foreign_keys.push(key);
        }
        design.tables.push(table);
    }
    for p in 0..2 + random.next(3) {
        let pattern = random_pattern(random, &design, p);
        design.patterns.push(pattern);
    }
    design
}

fn random_pattern(random: &mut Random, design: &Design, at: u64) -> AccessPattern {
    let n = 1 + random.next(3);
    let params = (0..3)
        .map(|it| Param {
            name: format!("p{it}"),
            popularity: None,
            same_as: (it == 2 && random.next(3) == 0).then(|| (ParamId(0), share(0.9))),
        })
        .collect();
    let statements: Vec<Statement> = (0..n).map(|_| random_statement(random, design)).collect();
    let steps = statements
        .into_iter()
        .map(|it| {
            let times = if random.next(4) == 0 { 3 } else { 1 };
            Step { times, each: if times == 1 { Vec::new() } else { vec![ParamId(1)] }, statements: vec![it] }
        })
        .collect();
    AccessPattern {
        name: format!("pattern {at}"),
        steps,
        rate: Rate::per_second(1.0 + random.next(500) as f64).expect("a count"),
        peak: 1.0,
        params,
        consistency: Consistency::Strong,
        ..AccessPattern::default()
    }
}

fn random_statement(random: &mut Random, design: &Design) -> Statement {
    let table = TableId(random.next(design.tables.len() as u64) as u32);
    let instance =
        |table: TableId, alias: &str| Instance { table, alias: alias.to_owned(), span: Span::default() };
    let of = |instance: u32, column: u64| ColumnRef {
        instance: InstanceId(instance),
        column: ColumnId(column as u32),
    };
    let columns = design.table(table).columns.len() as u64;
    let mut it = Statement {
        op: Operation::Read,
        instances: vec![instance(table, "a")],
        target: None,
        predicates: Vec::new(),
        assigns: Vec::new(),
        written: Written::Nothing,
        order_by: Vec::new(),
        limit: Some(1 + random.next(20)),
        aggregate: false,
        distinct: false,
        selected: Selected::All,
        inserted_rows: 1,
        rows: None,
        span: Span::default(),
    };
    let bind = |random: &mut Random, instance: u32, columns: u64| Predicate::Equal {
        column: of(instance, random.next(columns)),
        to: Operand::Param(ParamId(random.next(3) as u32)),
        span: Span::default(),
    };
    match random.next(5) {
        0 => {
            it.op = Operation::Insert;
            it.target = Some(InstanceId(0));
            it.written = Written::All;
            it.assigns = (0..columns)
                .map(|c| (ColumnId(c as u32), Operand::Param(ParamId(random.next(3) as u32))))
                .collect();
        }
        1 => {
            it.op = Operation::Update;
            it.target = Some(InstanceId(0));
            it.written = Written::Columns(vec![ColumnId(random.next(columns) as u32)]);
            it.predicates.push(bind(random, 0, columns));
        }
        2 => {
            let other = TableId(random.next(design.tables.len() as u64) as u32);
            it.instances.push(instance(other, "b"));
            let theirs = design.table(other).columns.len() as u64;
            it.predicates.push(Predicate::Equal {
                column: of(0, random.next(columns)),
                to: Operand::Column(of(1, random.next(theirs))),
                span: Span::default(),
            });
            let side = random.next(2) as u32;
            it.predicates.push(bind(random, side, columns.min(theirs)));
        }
        _ => it.predicates.push(bind(random, 0, columns)),
    }
    it
}

/// Compares the search with costing every plan; `None` where there are too many.
fn agree(seed: u64, most: usize) -> Option<()> {
    let mut random = Random(seed);
    let design = random_design(&mut random);
    let name = if random.next(3) == 0 { "citus" } else { "generic" };
    let setting = setting_for(&design, engine(name).expect("known"), Some(8), None, &[]);
    let found = search(&setting, &BTreeMap::new(), &mut || false);
    let dims: Vec<usize> = found.space.tables.iter().map(|it| it.states.len()).collect();
    let plans: usize = dims.iter().product();
    if most < plans || found.aside.iter().flatten().any(|it| *it) {
        return None;
    }
    let mut least = vec![vec![f64::INFINITY; 0]; dims.len()];
    for (marginal, dim) in least.iter_mut().zip(&dims) {
        *marginal = vec![f64::INFINITY; *dim];
    }
    let mut states = vec![0; dims.len()];
    for _ in 0..plans {
        let placed: Vec<Placed> = found
            .space
            .tables
            .iter()
            .zip(&states)
            .map(|(table, at)| table.states[*at].placed.clone())
            .collect();
        if refers_well(&setting, &placed) {
            let cost = evaluate(&setting, placed, Reading::Implied).totals.weighted;
            for (table, state) in states.iter().enumerate() {
                least[table][*state] = least[table][*state].min(cost);
            }
        }
        step(&mut states, &dims);
    }
    let near = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs());
    let best = least[0].iter().copied().fold(f64::INFINITY, f64::min);
    assert!(near(best, found.best.cost), "seed {seed}: least {best}, found {}", found.best.cost);
    for (table, marginals) in least.iter().enumerate() {
        for (state, cost) in marginals.iter().enumerate() {
            let said = found.marginals.cost[table][state];
            assert!(near(*cost, said), "seed {seed}: table {table} state {state}: least {cost}, said {said}");
        }
    }
    assert!(found.simplest.cost <= best / 0.995 * (1.0 + 1e-9), "seed {seed}: not within half a percent");
    Some(())
}

/// The references of a plan by their own rule, worked out without the cost network.
fn refers_well(setting: &crate::analysis::setting::Setting<'_>, placed: &[Placed]) -> bool {
    setting.design.table_ids().all(|child| {
        setting.design.table(child).foreign_keys.iter().enumerate().all(|(fk, key)| {
            let (a, b) = (&placed[child.0 as usize], &placed[key.parent.0 as usize]);
            crate::search::vetoes::keeps_reference(setting, a, b, fk).is_none()
        })
    })
}

#[test]
fn brute_force_agrees_on_a_thousand_random_small_designs() {
    let mut compared = 0;
    for seed in 0.. {
        compared += usize::from(agree(seed, 60).is_some());
        if compared == 1000 {
            return;
        }
        assert!(seed < 20_000, "only {compared} designs were small enough");
    }
}
