//! A small shop, made by hand, for the tests of this folder.

use std::collections::BTreeMap;

use crate::model::{
    AccessPattern, Choice, Claim, ClaimKind, Column, ColumnId, ColumnRef, ColumnType, Copied, Design,
    Distribution, ForeignKey, Generated, Include, Index, Instance, InstanceId, KeyPart, Operand, Operation,
    Param, ParamId, Plan, Predicate, Scope, Selected, ServedBy, ShardKey, Stated, Statement, Step, Strategy,
    Table, TableId, TablePlan, Written,
};
use crate::source::{FileId, Files, Span};
use crate::units::{Bytes, DAY, Rate, Rows, Seconds, Share, YEAR};

/// The text that the shop's spans point into.
pub(crate) const TEXT: &str = "\
shardwright: 1
name: shop
target: {engine: generic, shards: 16, nodes: 4}
horizon: 2y
tables:
  customers:
    rows: 5M
  orders:
    rows: 200M
  order_items:
    rows: 600M
  products:
    rows: 200k
patterns:
  - name: orders of a customer
    rate: 1200/s
  - name: order with its items
    rate: 400/s
  - name: place order
    rate: 80/s
  - name: log in
    rate: 40/s
  - name: orders by status
    rate: 2/min
  - name: product page
    rate: 3000/s
  - name: monthly report
    rate: 1/h
plan:
  claims:
    - {pattern: orders of a customer, shards: 1}
";

/// A text of its own as a file.
pub(crate) fn files() -> Files {
    let mut files = Files::default();
    files.add("shop.yaml", TEXT);
    files
}

fn span(word: &str) -> Span {
    let at = TEXT.find(word).unwrap_or(0);
    Span::new(FileId(0), at, at + word.len())
}

fn column(name: &str, ty: &str) -> Column {
    Column { name: name.to_owned(), ty: Some(ColumnType::parse(ty)), ..Column::default() }
}

fn table(name: &str, rows: u64, growth: f64, size: u64, key: &[u32], columns: Vec<Column>) -> Table {
    Table {
        name: name.to_owned(),
        span: span(&format!("  {name}:")),
        rows: Some(Rows(rows)),
        growth: Rate::per_second(growth / DAY),
        row_size: Some(Bytes(size)),
        primary_key: key.iter().map(|it| ColumnId(*it)).collect(),
        columns,
        ..Table::default()
    }
}

fn tables() -> Vec<Table> {
    let zipf = Column {
        distinct: Some(5_000_000),
        skew: Some(Distribution::Zipf(0.8)),
        ..column("customer_id", "bigint")
    };
    let status = Column {
        values: ["open", "paid", "sent", "done"].map(str::to_owned).to_vec(),
        ..column("status", "text")
    };
    let reference = |column: u32, parent: u32| ForeignKey {
        columns: vec![ColumnId(column)],
        parent: TableId(parent),
        parent_columns: vec![ColumnId(0)],
        span: Span::default(),
    };
    let email = Column { distinct: Some(5_000_000), ..column("email", "text") };
    let customers = table(
        "customers",
        5_000_000,
        2_000.0,
        200,
        &[0],
        vec![column("customer_id", "bigint"), email, column("name", "text")],
    );
    let order_id = Column { generated: Some(Generated::Uuid7), ..column("order_id", "uuid") };
    let created = Column { monotonic: true, ..column("created_at", "timestamptz") };
    let mut orders =
        table("orders", 200_000_000, 300_000.0, 320, &[0], vec![order_id, zipf, status, created]);
    orders.foreign_keys.push(reference(1, 0));
    let line = Column { distinct: Some(40), ..column("line", "int") };
    let items =
        vec![column("order_id", "uuid"), line, Column { distinct: Some(200_000), ..column("sku", "text") }];
    let mut items = table("order_items", 600_000_000, 900_000.0, 64, &[0, 1], items);
    items.foreign_keys.push(reference(0, 1));
    let products =
        table("products", 200_000, 0.0, 500, &[0], vec![column("sku", "text"), column("price", "numeric")]);
    vec![customers, orders, items, products]
}

/// A statement on some tables with equalities `(instance, column, operand)`.
fn statement(op: Operation, tables: &[u32], equal: &[(u32, u32, Operand)]) -> Statement {
    let instances = tables.iter().map(|it| Instance {
        table: TableId(*it),
        alias: format!("t{it}"),
        span: Span::default(),
    });
    let at =
        |instance: u32, column: u32| ColumnRef { instance: InstanceId(instance), column: ColumnId(column) };
    let inserts = op == Operation::Insert;
    let equals = equal.iter().map(|(instance, column, to)| Predicate::Equal {
        column: at(*instance, *column),
        to: to.clone(),
        span: Span::default(),
    });
    Statement {
        op,
        instances: instances.collect(),
        target: (op != Operation::Read).then_some(InstanceId(0)),
        predicates: if inserts { Vec::new() } else { equals.collect() },
        assigns: if inserts {
            equal.iter().map(|(_, column, to)| (ColumnId(*column), to.clone())).collect()
        } else {
            Vec::new()
        },
        written: if inserts { Written::All } else { Written::Nothing },
        order_by: Vec::new(),
        limit: None,
        aggregate: false,
        distinct: false,
        selected: Selected::All,
        inserted_rows: 1,
        rows: Some(1),
        span: Span::default(),
    }
}

fn pattern(name: &str, rate: f64, params: &[&str], statements: Vec<Statement>) -> AccessPattern {
    let params = params.iter().map(|it| Param { name: (*it).to_owned(), ..Param::default() }).collect();
    let steps =
        statements.into_iter().map(|it| Step { times: 1, each: Vec::new(), statements: vec![it] }).collect();
    AccessPattern {
        name: name.to_owned(),
        span: span(name),
        steps,
        rate: Rate::per_second(rate).unwrap_or_default(),
        peak: 1.0,
        params,
        ..AccessPattern::default()
    }
}

fn patterns() -> Vec<AccessPattern> {
    let p = |it: u32| Operand::Param(ParamId(it));
    let col = |instance: u32, column: u32| {
        Operand::Column(ColumnRef { instance: InstanceId(instance), column: ColumnId(column) })
    };
    let read = |tables: &[u32], equal: &[(u32, u32, Operand)]| statement(Operation::Read, tables, equal);
    let of_customer = AccessPattern {
        p99: Seconds::new(0.02),
        ..pattern("orders of a customer", 1200.0, &["c"], vec![read(&[1], &[(0, 1, p(0))])])
    };
    let with_items = read(&[1, 2], &[(0, 0, p(0)), (0, 1, p(1)), (1, 0, col(0, 0))]);
    let insert = statement(Operation::Insert, &[1], &[(0, 0, p(0)), (0, 1, p(1))]);
    let insert_item = statement(Operation::Insert, &[2], &[(0, 0, p(0)), (0, 1, p(2)), (0, 2, p(3))]);
    let warehouse = ServedBy { what: "warehouse".to_owned(), share: Share::ALL };
    vec![
        of_customer,
        pattern("order with its items", 400.0, &["o", "c"], vec![with_items]),
        pattern("place order", 80.0, &["o", "c", "n", "s"], vec![insert, insert_item]),
        pattern("log in", 40.0, &["e"], vec![read(&[0], &[(0, 1, p(0))])]),
        pattern("orders by status", 2.0 / 60.0, &["s"], vec![read(&[1], &[(0, 2, p(0))])]),
        pattern("product page", 3000.0, &["s"], vec![read(&[3], &[(0, 0, p(0))])]),
        AccessPattern {
            served_by: Some(warehouse),
            ..pattern("monthly report", 1.0 / 3600.0, &[], vec![read(&[1], &[])])
        },
    ]
}

/// A claim as a file states it.
pub(crate) fn claim(kind: ClaimKind, about: Option<&str>, value: f64, slack: f64, text: &str) -> Claim {
    Claim {
        kind,
        about: about.map(str::to_owned),
        stated: Stated { value, low: value - slack, high: value + slack, text: text.to_owned() },
        span: span("shards: 1}"),
    }
}

/// Orders and their items by customer, products everywhere, an index on e-mail.
pub(crate) fn plan() -> Plan {
    let of = |choice| TablePlan {
        choice,
        cluster: Vec::new(),
        splits: Vec::new(),
        dedicated: Vec::new(),
        span: Span::default(),
        key_span: Span::default(),
    };
    let by = |column: u32| of(Choice::Sharded(ShardKey::of_columns(&[ColumnId(column)])));
    let copied =
        Copied { name: "customer_id".to_owned(), path: vec![0], source: TableId(1), column: ColumnId(1) };
    let items = ShardKey {
        parts: vec![KeyPart::Copied(copied)],
        strategy: Some(Strategy::Hash),
        hierarchical: false,
        salt: None,
    };
    let tables = BTreeMap::from([
        (TableId(0), by(0)),
        (TableId(1), by(1)),
        (TableId(2), of(Choice::Sharded(items))),
        (TableId(3), of(Choice::Replicated)),
    ]);
    let index = Index {
        name: "customers_email".to_owned(),
        table: TableId(0),
        key: vec![ColumnId(1)],
        sort: Vec::new(),
        scope: Scope::Global,
        strategy: None,
        salt: None,
        unique: false,
        include: Include::KeysOnly,
        only: Vec::new(),
        span: Span::default(),
    };
    Plan { tables, indexes: vec![index], ..Plan::default() }
}

/// The shop.
pub(crate) fn shop() -> Design {
    let mut design = Design {
        name: "shop".to_owned(),
        horizon: Seconds::new(2.0 * YEAR),
        tables: tables(),
        patterns: patterns(),
        ..Design::default()
    };
    design.target.shards = Some(16);
    design.target.nodes = Some(4);
    design
}

/// Judges a plan as written and hands it on.
#[cfg(test)]
pub(crate) fn judging<T>(
    design: &Design,
    plan: &Plan,
    with: impl FnOnce(&crate::report::Judged<'_>) -> T,
) -> T {
    use crate::analysis::assessment::{evaluate, placed_of};
    use crate::analysis::classes::Reading;
    use crate::analysis::setting::{Setting, copied_by};
    let copied = copied_by(design, &[plan]);
    let setting = Setting::new(design, crate::target::ENGINES[0], plan.shards, plan.nodes, copied);
    let assessment = evaluate(&setting, placed_of(&setting, plan), Reading::Written);
    with(&crate::report::Judged {
        setting: &setting,
        plan,
        assessment: &assessment,
        reading: Reading::Written,
    })
}
