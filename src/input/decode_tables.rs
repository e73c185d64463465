//! The `tables:` section: tables and columns with their statistics.

use crate::diag::{Finding, Level, UNKNOWN_COLUMN};
use crate::input::decode_stats::distribution;
use crate::input::fields::{
    COUNT, DURATION, FLAG, Fields, Name, RATE, ROWS, SHARE, SIZE, Scalars, TEXT, clip, list, names, syntax,
    with_hint,
};
use crate::input::raw::{RawReference, RawTable};
use crate::input::tree::{Entry, Kind, Node};
use crate::model::{Column, ColumnId, ColumnType, Generated, ListBound, Table};
use crate::source::{Span, Spanned};
use crate::units::Share;

/// Reads the section.
pub(super) fn tables(node: &Node, findings: &mut Vec<Finding>) -> Vec<RawTable> {
    match &node.kind {
        Kind::Mapping(entries) => entries.iter().filter_map(|it| table(it, findings)).collect(),
        Kind::Scalar(_) | Kind::Sequence(_) => {
            let message =
                format!("`tables` is {}; a mapping from names to tables is expected", node.describe());
            findings.push(syntax(node.span, message).with_help("write `tables: {orders: {rows: 200M, …}}`"));
            Vec::new()
        }
    }
}

fn table(entry: &Entry, findings: &mut Vec<Finding>) -> Option<RawTable> {
    let mut fields = Fields::of(&entry.value, "a table", findings)?;
    let mut raw = RawTable::default();
    raw.table.name.clone_from(&entry.key.value);
    raw.table.span = entry.key.span;
    statistics(&mut raw.table, &mut fields, findings);
    if let Some(node) = fields.get("columns", findings) {
        columns(node, &mut raw, findings);
    }
    let primary_key =
        fields.get("primary_key", findings).map(|it| (names("primary_key", it, findings), it.span));
    let unique = fields.get("unique", findings).map(|it| unique(it, findings)).unwrap_or_default();
    let residency = fields.spanned("residency", &TEXT, findings);
    raw.table.key_pattern = fields.spanned("key_pattern", &TEXT, findings).map(|it| (it.value, it.span));
    raw.table.describes = fields.value("describes", &TEXT, findings);
    fields.finish(findings);
    let table = &mut raw.table;
    if let Some((key, span)) = primary_key {
        set_primary_key(table, &key, span, findings);
    }
    for (set, span) in unique {
        add_unique(table, &set, span, findings);
    }
    if let Some(name) = residency {
        table.residency = column_of(table, &name, findings);
    }
    Some(raw)
}

/// Statistics of a table: also the fields of `-- @table`.
pub(super) fn statistics(table: &mut Table, fields: &mut Fields<'_>, findings: &mut Vec<Finding>) {
    table.rows = fields.value("rows", &ROWS, findings);
    table.growth = fields.value("growth", &RATE, findings);
    table.row_size = fields.value("row_size", &SIZE, findings);
    table.retention = fields.value("retention", &DURATION, findings);
}

/// Sets the primary key; unknown columns are reported and left out.
pub(super) fn set_primary_key(table: &mut Table, key: &[Name], span: Span, findings: &mut Vec<Finding>) {
    table.primary_key = columns_of(table, key, findings);
    table.primary_key_span = Some(span);
    for id in &table.primary_key {
        table.columns[id.0 as usize].not_null = true;
    }
}

/// Adds a unique set. With a column unknown there is none: fewer columns would promise too much.
pub(super) fn add_unique(table: &mut Table, set: &[Name], span: Span, findings: &mut Vec<Finding>) {
    let columns = columns_of(table, set, findings);
    if columns.len() == set.len() && !columns.is_empty() {
        table.unique.push((columns, span));
    }
}

/// The columns of some names; unknown ones and doubles are reported and left out.
pub(super) fn columns_of(table: &Table, names: &[Name], findings: &mut Vec<Finding>) -> Vec<ColumnId> {
    let mut columns = Vec::new();
    for name in names {
        let Some(id) = column_of(table, name, findings) else { continue };
        if columns.contains(&id) {
            findings.push(syntax(name.span, format!("`{}` stands in this list twice", name.value)));
        } else {
            columns.push(id);
        }
    }
    columns
}

/// The column of a name, or a finding.
pub(super) fn column_of(table: &Table, name: &Name, findings: &mut Vec<Finding>) -> Option<ColumnId> {
    let found = table.column_named(&name.value);
    if found.is_none() {
        findings.push(unknown_column(table, name));
    }
    found
}

/// What is said of a column that a table does not have.
pub(super) fn unknown_column(table: &Table, name: &Name) -> Finding {
    let message = format!("table `{}` has no column `{}`", table.name, clip(&name.value));
    let finding = Finding::new(UNKNOWN_COLUMN, Level::Error, name.span, message);
    let known = table.columns.iter().map(|it| it.name.as_str());
    with_hint(finding, &name.value, known, "its columns").on_table(&table.name)
}

/// `unique: [[a, b], [c]]`
fn unique(node: &Node, findings: &mut Vec<Finding>) -> Vec<(Vec<Name>, Span)> {
    let items = list("unique", node, findings);
    if !items.is_empty() && items.iter().all(|it| it.scalar().is_some()) {
        let message = "`unique` is a list of columns; a list of column lists is expected";
        let help = "write `unique: [[a, b]]` for one set of two columns, `unique: [[a], [b]]` for two sets";
        findings.push(syntax(node.span, message).with_help(help));
        return vec![(names("unique", node, findings), node.span)];
    }
    items.iter().map(|it| (names("unique", it, findings), it.span)).collect()
}

fn columns(node: &Node, raw: &mut RawTable, findings: &mut Vec<Finding>) {
    let Kind::Mapping(entries) = &node.kind else {
        let message = format!("`columns` is {}; a mapping from names to types is expected", node.describe());
        findings.push(syntax(node.span, message).with_help("write `columns: {order_id: uuid}`"));
        return;
    };
    let mut determines: Vec<(usize, Vec<Name>)> = Vec::new();
    for entry in entries {
        let id = raw.table.columns.len();
        let mut column = Column { name: entry.key.value.clone(), span: entry.key.span, ..Column::default() };
        match &entry.value.kind {
            Kind::Scalar(it) => column.ty = entry.value.scalar().map(|_| ColumnType::parse(&it.text)),
            Kind::Sequence(_) | Kind::Mapping(_) => {
                if let Some(mut fields) = Fields::of(&entry.value, "a column", findings) {
                    column.ty = fields.value("type", &TEXT, findings).map(|it| ColumnType::parse(&it));
                    column_statistics(&mut column, &mut fields, findings);
                    raw.references.extend(references(id, &mut fields, findings));
                    if let Some(it) = fields.names("determines", findings) {
                        determines.push((id, it));
                    }
                    fields.finish(findings);
                }
            }
        }
        raw.table.columns.push(column);
    }
    for (id, names) in determines {
        raw.table.columns[id].determines = columns_of(&raw.table, &names, findings);
    }
}

/// Statistics of a column: also the fields of `-- @column`.
pub(super) fn column_statistics(column: &mut Column, fields: &mut Fields<'_>, findings: &mut Vec<Finding>) {
    let distinct = fields.spanned("distinct", &COUNT, findings);
    column.distinct_growth = fields.value("distinct_growth", &RATE, findings);
    column.skew = fields.get("skew", findings).and_then(|it| distribution("skew", it, findings));
    // No row without a value is how the format says NOT NULL.
    let nulls = fields.value("nulls", &SHARE, findings);
    column.not_null |= nulls == Some(Share::NONE);
    column.nulls = nulls.filter(|it| *it != Share::NONE);
    column.monotonic = fields.value("monotonic", &FLAG, findings).unwrap_or(false);
    column.mutable = fields.value("mutable", &FLAG, findings);
    if let Some(kind) = fields.one_of("generated", Generated::ALL, findings) {
        column.generated = Some(kind.value);
    }
    column.size = fields.value("size", &SIZE, findings);
    column.constant = fields.value("constant", &FLAG, findings).unwrap_or(false);
    let values = fields.names("values", findings);
    if let Some(values) = values {
        column.values = values.iter().map(|it| it.value.clone()).collect();
    }
    column.list = list_bound(column, fields, findings);
    set_distinct(column, distinct, findings);
}

/// One value for a constant, as many as are listed, else what is stated; a
/// statement that says otherwise is reported.
fn set_distinct(column: &mut Column, stated: Option<Spanned<u64>>, findings: &mut Vec<Finding>) {
    let listed = (!column.values.is_empty()).then_some(column.values.len() as u64);
    let implied = if column.constant { Some(1) } else { listed };
    column.distinct = stated.as_ref().map(|it| it.value).or(implied);
    let Some(stated) = stated else { return };
    if stated.value == 0 {
        findings.push(syntax(stated.span, "a column has at least one distinct value"));
        column.distinct = implied;
    } else if column.constant && stated.value != 1 {
        let message = format!("a constant column has one distinct value, not {}", stated.value);
        findings.push(syntax(stated.span, message));
        column.distinct = implied;
    }
}

/// A number of items, or `unbounded`.
const ITEMS: Scalars<Option<u64>> = Scalars {
    what: "a count or `unbounded`",
    example: "`10k`, `unbounded`",
    read: |it| if it == "unbounded" { Some(None) } else { (COUNT.read)(it).map(Some) },
};

fn list_bound(column: &Column, fields: &mut Fields<'_>, findings: &mut Vec<Finding>) -> Option<ListBound> {
    let items = fields.spanned("items", &ITEMS, findings);
    let item_size = fields.spanned("item_size", &SIZE, findings);
    let is_list = column.ty.as_ref().is_some_and(|it| it.text.eq_ignore_ascii_case("list"));
    let given = items.as_ref().map(|it| it.span).or(item_size.as_ref().map(|it| it.span));
    if let (Some(span), false) = (given, is_list) {
        findings.push(
            syntax(span, "`items` and `item_size` belong to a column of `type: list`")
                .with_help("write `type: list`"),
        );
        return None;
    }
    match (items, item_size) {
        (Some(items), Some(size)) => Some(ListBound { items: items.value, item_size: size.value }),
        (Some(items), None) if !fields.has("item_size") => {
            findings.push(
                syntax(items.span, "a list needs `item_size` beside `items`")
                    .with_help("write `item_size: 1KB`"),
            );
            None
        }
        (None, Some(size)) if !fields.has("items") => {
            findings.push(
                syntax(size.span, "a list needs `items` beside `item_size`")
                    .with_help("write `items: 10k`, the largest number, or `items: unbounded`"),
            );
            None
        }
        _ => None,
    }
}

/// `references: customers.customer_id`, or a list of such.
fn references(column: usize, fields: &mut Fields<'_>, findings: &mut Vec<Finding>) -> Vec<RawReference> {
    let Some(node) = fields.get("references", findings) else { return Vec::new() };
    let nodes = match &node.kind {
        Kind::Sequence(items) => items.as_slice(),
        Kind::Scalar(_) | Kind::Mapping(_) => std::slice::from_ref(node),
    };
    nodes
        .iter()
        .filter_map(|it| TEXT.of("references", it, findings))
        .map(|it| {
            let (parent, parent_columns) = match it.value.rsplit_once('.') {
                Some((table, column)) => (table, vec![Spanned { value: column.to_owned(), span: it.span }]),
                None => (it.value.as_str(), Vec::new()),
            };
            RawReference {
                columns: vec![ColumnId(column as u32)],
                parent: Spanned { value: parent.to_owned(), span: it.span },
                parent_columns,
                span: it.span,
                inline: true,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::input::testing::{clean, said};
    use crate::model::{Distribution, Generated, ListBound, TypeFamily};
    use crate::source::Span;
    use crate::units::{Bytes, DAY, Rows};

    const ORDERS: &str = "\
shardwright: 1
tables:
  orders:
    rows: 200M
    growth: 300k/day
    row_size: 320B
    retention: 5y
    primary_key: [order_id]
    unique: [[external_ref], [customer_id, created_at]]
    residency: region
    key_pattern: \"{<user_id>}:cart\"
    describes: what was bought
    columns:
      order_id: {type: uuid, generated: uuid7}
      customer_id: {type: bigint, distinct: 5M, distinct_growth: 10/day, skew: zipf(1.1), determines: [region]}
      external_ref: {type: text, nulls: 10%, size: 200B, mutable: true}
      status: {type: text, values: [pending, paid, shipped, done]}
      region: {type: text, constant: true}
      created_at: {type: timestamptz, monotonic: true}
      lines: {type: list, items: 10k, item_size: 1KB}
      notes: {type: list, items: unbounded, item_size: 60B}
      total: {type: numeric, nulls: 0%}
";

    #[test]
    fn a_table_with_everything_is_read() {
        let design = clean(ORDERS);
        let table = &design.tables[0];
        assert_eq!(table.rows, Some(Rows(200_000_000)));
        assert!((table.growth.unwrap().get() * DAY - 300_000.0).abs() < 1e-6);
        assert_eq!(table.row_size, Some(Bytes(320)));
        assert!((table.retention.unwrap().days() - 5.0 * 365.25).abs() < 1e-6);
        assert_eq!(table.names(&table.primary_key), "order_id");
        let unique: Vec<String> = table.unique.iter().map(|(it, _)| table.names(it)).collect();
        assert_eq!(unique, ["external_ref", "customer_id, created_at"]);
        assert_eq!(table.names(&[table.residency.unwrap()]), "region");
        assert_eq!(table.key_pattern.as_ref().unwrap().0, "{<user_id>}:cart");
        assert_eq!(table.describes.as_deref(), Some("what was bought"));
        assert_eq!(&ORDERS[table.span.start as usize..table.span.end as usize], "orders");
        assert_ne!(table.primary_key_span, Some(Span::default()));
    }

    #[test]
    fn columns_with_everything_are_read() {
        let design = clean(ORDERS);
        let table = &design.tables[0];
        let column = |name: &str| table.column(table.column_named(name).unwrap());
        assert_eq!(column("order_id").generated, Some(Generated::Uuid7));
        assert!(column("order_id").not_null);
        assert_eq!(column("customer_id").distinct, Some(5_000_000));
        assert!((column("customer_id").distinct_growth.unwrap().get() * DAY - 10.0).abs() < 1e-9);
        assert_eq!(column("customer_id").skew, Some(Distribution::Zipf(1.1)));
        assert_eq!(table.names(&column("customer_id").determines), "region");
        assert!((column("external_ref").nulls.unwrap().get() - 0.1).abs() < 1e-12);
        assert_eq!(
            (column("external_ref").size, column("external_ref").mutable),
            (Some(Bytes(200)), Some(true))
        );
        assert_eq!(column("status").distinct, Some(4));
        assert_eq!(column("status").values, ["pending", "paid", "shipped", "done"]);
        assert_eq!((column("region").distinct, column("region").constant), (Some(1), true));
        assert!(column("created_at").monotonic);
        assert_eq!(column("lines").list, Some(ListBound { items: Some(10_000), item_size: Bytes(1000) }));
        assert_eq!(column("notes").list, Some(ListBound { items: None, item_size: Bytes(60) }));
        assert_eq!(column("total").ty.as_ref().unwrap().family, TypeFamily::Decimal);
    }

    #[test]
    fn references_of_one_column_stay_single() {
        let design = clean(
            "\
shardwright: 1
tables:
  follows:
    columns:
      follower_id: {type: bigint, references: users.user_id}
      followee_id: {type: bigint, references: users}
  users: {primary_key: [user_id], columns: {user_id: bigint}}
",
        );
        let follows = &design.tables[0];
        let columns: Vec<String> = follows.foreign_keys.iter().map(|it| follows.names(&it.columns)).collect();
        assert_eq!(columns, ["follower_id", "followee_id"]);
        assert!(follows.foreign_keys.iter().all(|it| design.table(it.parent).name == "users"));
    }

    #[test]
    fn references_to_a_composite_key_become_one() {
        let design = clean(
            "\
shardwright: 1
tables:
  district: {primary_key: [w, d], columns: {w: bigint, d: int, tax: numeric}}
  customer:
    columns:
      c_d: {type: int, references: district.d}
      c_w: {type: bigint, references: [district.w, warehouse.w]}
  transfer:
    columns:
      from_w: {type: bigint, references: district.w}
      from_d: {type: int, references: district.d}
      to_w: {type: bigint, references: district.w}
      to_d: {type: int, references: district.d}
  half:
    columns: {h_w: {type: bigint, references: district.w}}
  warehouse: {primary_key: [w], columns: {w: bigint}}
",
        );
        let keys = |at: usize| -> Vec<String> {
            let table = &design.tables[at];
            let one = |it: &crate::model::ForeignKey| {
                let parent = design.table(it.parent);
                format!(
                    "{} > {}: {}",
                    table.names(&it.columns),
                    parent.name,
                    parent.names(&it.parent_columns)
                )
            };
            table.foreign_keys.iter().map(one).collect()
        };
        assert_eq!(keys(1), ["c_w, c_d > district: w, d", "c_w > warehouse: w"]);
        assert_eq!(keys(2), ["from_w, from_d > district: w, d", "to_w, to_d > district: w, d"]);
        assert_eq!(keys(3), ["h_w > district: w"]);
    }

    #[test]
    fn bad_names_of_tables_and_columns_are_said() {
        let text = "\
shardwright: 1
tables:
  a:
    primary_key: [x, x, z]
    unique: [x]
    columns:
      x: {type: int, references: b.idd, determines: [nothing]}
      y: {type: int, references: c.id}
      z: {type: int, references: d}
  b: {columns: {id: int}}
  d: {primary_key: [p, q], columns: {p: int, q: int}}
  a: {}
";
        assert_eq!(
            said(text),
            [
                "4:22 `x` `x` stands in this list twice",
                "5:13 `[x]` `unique` is a list of columns; a list of column lists is expected (write `unique: [[a, \
                 b]]` for one set of two columns, `unique: [[a], [b]]` for two sets)",
                "7:34 `b.idd` table `b` has no column `idd` (did you mean `id`?)",
                "7:54 `nothing` table `a` has no column `nothing` (its columns: `x`, `y`, `z`)",
                "8:34 `c.id` there is no table `c` (tables: `a`, `b`, `d`)",
                "9:34 `d` `a` refers to `d` by 1 of its columns; the other side has 2 (name the column: `references: \
                 d.COLUMN`)",
                "12:3 `a` the key `a` stands here twice (rename or remove one of them; the first one is read)",
            ]
        );
    }

    #[test]
    fn contradictions_of_a_column_are_said() {
        let text = "\
shardwright: 1
tables:
  t:
    columns:
      a: {type: int, constant: true, distinct: 5}
      b: {type: int, distinct: 0}
      c: {type: text, items: 4, item_size: 1KB}
      d: {type: list, items: 4}
      e: {type: list, item_size: 4B}
      f: {type: text, monotonic: yes}
      g: [int]
";
        assert_eq!(
            said(text),
            [
                "5:48 `5` a constant column has one distinct value, not 5",
                "6:32 `0` a column has at least one distinct value",
                "7:30 `4` `items` and `item_size` belong to a column of `type: list` (write `type: list`)",
                "8:30 `4` a list needs `item_size` beside `items` (write `item_size: 1KB`)",
                "9:34 `4B` a list needs `items` beside `item_size` (write `items: 10k`, the largest number, or \
                 `items: unbounded`)",
                "10:34 `yes` `monotonic` is `yes`, which is not `true` or `false` (write it as `true`)",
                "11:10 `[int]` a column is a list here; a mapping of keys to values is expected",
            ]
        );
    }
}
