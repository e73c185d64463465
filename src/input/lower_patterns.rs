//! Patterns with their names resolved: structured ones become statements, SQL
//! is handed to its reader.

use crate::diag::{Finding, Level, UNKNOWN_COLUMN, UNPARSED_STATEMENT};
use crate::input::decode_tables::{column_of, columns_of};
use crate::input::fields::{Name, syntax, with_hint};
use crate::input::lower::table_of;
use crate::input::params::Params;
use crate::input::raw::{RawBody, RawParam, RawPattern, RawStep, RawStructured, RawWhere};
use crate::input::sql_query::{SqlPlace, read_sql};
use crate::model::{
    AccessPattern, ColumnId, ColumnRef, Distribution, Instance, InstanceId, Operand, Operation, OrderTerm,
    ParamId, Predicate, Selected, Statement, Step, Table, TableId, Written,
};
use crate::source::Span;
use crate::units::{Share, text};

/// Makes a pattern.
pub(super) fn pattern(raw: RawPattern, tables: &[Table], findings: &mut Vec<Finding>) -> AccessPattern {
    let RawPattern { mut pattern, body, rows, popularity, params: relations, keep_order } = raw;
    let from = findings.len();
    let mut params = Params::default();
    match body {
        RawBody::Nothing => {}
        RawBody::Structured(it) => {
            if let Some(statement) = structured(&it, tables, &mut params, findings) {
                pattern.steps = vec![Step { times: 1, each: Vec::new(), statements: vec![statement] }];
            }
        }
        RawBody::Steps(steps) => sql_steps(steps, &mut pattern, tables, &mut params, findings),
    }
    set_rows(&mut pattern, rows, findings);
    // A parameter may stand in a statement that could not be read: then nothing is said of its name.
    let complete = pattern.unread.is_empty() && !pattern.steps.is_empty();
    set_popularity(popularity, &mut params, complete, findings);
    set_relations(relations, &mut params, complete, findings);
    check_keep_order(&keep_order, &pattern, tables, complete, findings);
    pattern.keep_order = keep_order.into_iter().map(|it| it.value).collect();
    pattern.params = params.into_list();
    for finding in &mut findings[from..] {
        if finding.pattern.is_none() {
            finding.pattern = Some(pattern.name.clone());
        }
    }
    pattern
}

/// Names the share of the total rate that rests on each statement that could not be read.
pub(super) fn report_unread(patterns: &[AccessPattern], findings: &mut Vec<Finding>) {
    let total: f64 = patterns.iter().map(|it| it.rate.get()).sum();
    for pattern in patterns {
        for unread in &pattern.unread {
            let share = if 0.0 < total { pattern.rate.get() / total } else { 0.0 };
            let message = format!(
                "a statement outside the readable SQL ({}); {} of the total rate rests on its pattern",
                unread.reason,
                text::share(share)
            );
            findings.push(
                Finding::new(UNPARSED_STATEMENT, Level::Warning, unread.span, message)
                    .with_help("describe it without SQL: `read: orders` with `where: {customer_id: eq}`")
                    .on_pattern(&pattern.name),
            );
        }
    }
}

fn sql_steps(
    steps: Vec<RawStep>,
    pattern: &mut AccessPattern,
    tables: &[Table],
    params: &mut Params,
    findings: &mut Vec<Finding>,
) {
    let mut each: Vec<(usize, Vec<Name>)> = Vec::new();
    for step in steps {
        let mut statements = Vec::new();
        for sql in &step.statements {
            let place = SqlPlace { span: sql.span, exact: sql.exact };
            match read_sql(&sql.text, &place, tables, params, findings) {
                Ok(read) => statements.extend(read),
                Err(unread) => pattern.unread.push(unread),
            }
        }
        if !statements.is_empty() {
            each.push((pattern.steps.len(), step.each));
            pattern.steps.push(Step { times: step.times, each: Vec::new(), statements });
        }
    }
    let complete = pattern.unread.is_empty();
    for (at, names) in each {
        let ids = names.iter().filter_map(|it| param_of(it, params, complete, findings)).collect();
        pattern.steps[at].each = ids;
    }
}

/// The parameter of a name; a finding only where all statements were read.
fn param_of(name: &Name, params: &Params, complete: bool, findings: &mut Vec<Finding>) -> Option<ParamId> {
    // The mark may be written or left out.
    let bare = name.value.trim_start_matches([':', '@', '$']);
    let found = params.find(&name.value).or_else(|| params.find(bare));
    if found.is_none() && complete {
        let finding = syntax(name.span, format!("the pattern has no parameter `{}`", name.value));
        let known: Vec<&str> = params.names().collect();
        findings.push(with_hint(finding, bare, known, "its parameters"));
    }
    found
}

fn set_rows(pattern: &mut AccessPattern, rows: Option<(u64, Span)>, findings: &mut Vec<Finding>) {
    let Some((rows, span)) = rows else { return };
    let count = pattern.statements().count();
    if 1 < count {
        let message = format!("`rows` is said of one statement; this pattern has {count}");
        findings.push(syntax(span, message).with_help("leave it out, or make a pattern of each statement"));
        return;
    }
    for step in &mut pattern.steps {
        for statement in &mut step.statements {
            statement.rows = Some(rows);
        }
    }
}

fn set_popularity(
    popularity: Vec<(Name, Distribution)>,
    params: &mut Params,
    complete: bool,
    findings: &mut Vec<Finding>,
) {
    for (name, distribution) in popularity {
        if let Some(id) = param_of(&name, params, complete, findings) {
            params.get_mut(id).popularity = Some(distribution);
        }
    }
}

fn set_relations(relations: Vec<RawParam>, params: &mut Params, complete: bool, findings: &mut Vec<Finding>) {
    for relation in relations {
        let id = param_of(&relation.name, params, complete, findings);
        let Some(same_as) = relation.same_as else { continue };
        let other = param_of(&same_as, params, complete, findings);
        let (Some(id), Some(other)) = (id, other) else { continue };
        if id == other {
            findings.push(syntax(same_as.span, "a parameter is always the same as itself"));
            continue;
        }
        params.get_mut(id).same_as = Some((other, relation.share.unwrap_or(Share::ALL)));
    }
}

fn check_keep_order(
    columns: &[Name],
    pattern: &AccessPattern,
    tables: &[Table],
    complete: bool,
    findings: &mut Vec<Finding>,
) {
    let met: Vec<&Table> = pattern
        .statements()
        .flat_map(|(_, it)| it.instances.iter())
        .filter_map(|it| tables.get(it.table.0 as usize))
        .collect();
    for name in columns {
        if complete && met.iter().all(|it| it.column_named(&name.value).is_none()) {
            let message = format!("no table of this pattern has a column `{}`", name.value);
            let finding = Finding::new(UNKNOWN_COLUMN, Level::Error, name.span, message);
            let known: Vec<&str> =
                met.iter().flat_map(|it| it.columns.iter()).map(|it| it.name.as_str()).collect();
            findings.push(with_hint(finding, &name.value, known, "its columns"));
        }
    }
}

/// A statement while it is put together; instance 0 is the table it names.
struct Building<'t> {
    tables: &'t [Table],
    instances: Vec<Instance>,
    predicates: Vec<Predicate>,
}

const MAIN: InstanceId = InstanceId(0);

fn structured(
    raw: &RawStructured,
    tables: &[Table],
    params: &mut Params,
    findings: &mut Vec<Finding>,
) -> Option<Statement> {
    let table = table_of(tables, &raw.table, findings)?;
    let main = &tables[table.0 as usize];
    let mut building = Building { tables, instances: Vec::new(), predicates: Vec::new() };
    building.instances.push(Instance { table, alias: main.name.clone(), span: raw.table.span });
    for (name, condition) in &raw.wheres {
        if let Some(column) = column_of(main, name, findings) {
            building.predicates.push(predicate(main, column, condition, name.span, params));
        }
    }
    for name in &raw.with {
        building.join(name, findings);
    }
    let order_by = raw
        .order_by
        .iter()
        .filter_map(|(name, desc)| {
            let column = column_of(main, name, findings)?;
            Some(OrderTerm { column: ColumnRef { instance: MAIN, column }, desc: *desc })
        })
        .collect();
    let set = raw.set.as_ref().map(|it| columns_of(main, it, findings));
    let (written, assigns) = write(raw.op, main, set.as_deref(), params, &building.predicates);
    Some(Statement {
        op: raw.op,
        instances: building.instances,
        target: (raw.op != Operation::Read).then_some(MAIN),
        predicates: building.predicates,
        assigns,
        written,
        order_by,
        limit: raw.limit,
        aggregate: false,
        distinct: false,
        selected: if raw.op == Operation::Read { Selected::All } else { Selected::Columns(Vec::new()) },
        inserted_rows: 1,
        rows: None,
        span: raw.span,
    })
}

fn predicate(
    table: &Table,
    column: ColumnId,
    condition: &RawWhere,
    span: Span,
    params: &mut Params,
) -> Predicate {
    let at = ColumnRef { instance: MAIN, column };
    match condition {
        RawWhere::Equal => {
            let param = params.named(&table.column(column).name);
            Predicate::Equal { column: at, to: Operand::Param(param), span }
        }
        RawWhere::Constant(value) => {
            Predicate::Equal { column: at, to: Operand::Constant(value.clone()), span }
        }
        RawWhere::In(count) => {
            // The parameter stands for all values, so it is none of them.
            params.named(&table.column(column).name);
            Predicate::In { column: at, values: Vec::new(), count: *count, span }
        }
        RawWhere::Range(width) => Predicate::Range { column: at, width: *width, span },
        RawWhere::Prefix => Predicate::Prefix { column: at, span },
        RawWhere::IsNull => Predicate::IsNull { column: at, span },
    }
}

impl Building<'_> {
    /// Adds a table along a reference between it and one that is there already.
    fn join(&mut self, name: &Name, findings: &mut Vec<Finding>) {
        let Some(table) = table_of(self.tables, name, findings) else { return };
        let Some(pairs) = self.reference(table) else {
            let joined: Vec<String> = self.instances.iter().map(|it| format!("`{}`", it.alias)).collect();
            let message = format!("no reference joins `{}` to {}", name.value, joined.join(" or "));
            findings.push(syntax(name.span, message).with_help(format!(
                "write `references: {}.COLUMN` at the column that does",
                self.instances[0].alias
            )));
            return;
        };
        let alias = self.tables[table.0 as usize].name.clone();
        self.instances.push(Instance { table, alias, span: name.span });
        for (child, parent) in pairs {
            self.predicates.push(Predicate::Equal {
                column: child,
                to: Operand::Column(parent),
                span: name.span,
            });
        }
    }

    /// Pairs of child and parent columns by which a table that comes next is joined.
    fn reference(&self, table: TableId) -> Option<Vec<(ColumnRef, ColumnRef)>> {
        let new = InstanceId(self.instances.len() as u32);
        let pairs = |key: &crate::model::ForeignKey, child: InstanceId, parent: InstanceId| {
            let of = |instance, column: &ColumnId| ColumnRef { instance, column: *column };
            key.columns.iter().zip(&key.parent_columns).map(|(a, b)| (of(child, a), of(parent, b))).collect()
        };
        for (at, instance) in self.instances.iter().enumerate() {
            let old = InstanceId(at as u32);
            let down =
                self.tables[table.0 as usize].foreign_keys.iter().find(|it| it.parent == instance.table);
            if let Some(key) = down {
                return Some(pairs(key, new, old));
            }
            let up = self.tables[instance.table.0 as usize].foreign_keys.iter().find(|it| it.parent == table);
            if let Some(key) = up {
                return Some(pairs(key, old, new));
            }
        }
        None
    }
}

/// What a write changes. An update's new value of a column that it is also
/// found by has a parameter of its own.
fn write(
    op: Operation,
    table: &Table,
    set: Option<&[ColumnId]>,
    params: &mut Params,
    predicates: &[Predicate],
) -> (Written, Vec<(ColumnId, Operand)>) {
    let columns: Vec<ColumnId> = match op {
        Operation::Read => return (Written::Nothing, Vec::new()),
        Operation::Delete => return (Written::All, Vec::new()),
        Operation::Update => set.unwrap_or_default().to_vec(),
        Operation::Insert | Operation::Upsert => {
            set.map_or_else(|| table.column_ids().collect(), <[ColumnId]>::to_vec)
        }
    };
    let found_by = |column: ColumnId| {
        predicates.iter().any(|it| matches!(it, Predicate::Equal { column: at, .. } if at.column == column))
    };
    let assigns = columns
        .iter()
        .map(|it| {
            let name = &table.column(*it).name;
            let renamed = op == Operation::Update && found_by(*it);
            let param = if renamed { params.named(&format!("new_{name}")) } else { params.named(name) };
            (*it, Operand::Param(param))
        })
        .collect();
    let all = set.is_none() && op != Operation::Update;
    (if all { Written::All } else { Written::Columns(columns) }, assigns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::{clean, read_text, said, without_places};
    use crate::model::Design;

    const TABLES: &str = "\
shardwright: 1
tables:
  orders:
    primary_key: [w, o]
    columns:
      w: bigint
      o: uuid
      customer_id: {type: bigint, references: customers.id}
      status: text
      created_at: timestamptz
  order_items:
    columns:
      i_w: {type: bigint, references: orders.w}
      i_o: {type: uuid, references: orders.o}
      sku: {type: text, references: products.sku}
  products: {primary_key: [sku], columns: {sku: text}}
  customers: {primary_key: [id], columns: {id: bigint}}
  lonely: {columns: {x: int}}
patterns:
";

    fn design(pattern: &str) -> Design {
        clean(&format!("{TABLES}  - {pattern}\n"))
    }

    fn complaints(pattern: &str) -> Vec<String> {
        said(&format!("{TABLES}  - {pattern}\n"))
    }

    /// A statement in a line: `orders.w = :w`, and so on.
    fn line(design: &Design) -> String {
        let pattern = &design.patterns[0];
        let statement = &pattern.steps[0].statements[0];
        let column = |it: &ColumnRef| {
            let instance = statement.instance(it.instance);
            format!("{}.{}", instance.alias, design.table(instance.table).column(it.column).name)
        };
        let operand = |it: &Operand| match it {
            Operand::Column(it) => column(it),
            Operand::Param(id) => format!(":{}", pattern.params[id.0 as usize].name),
            Operand::Constant(it) => format!("'{it}'"),
            Operand::Unknown => "?".to_owned(),
        };
        let predicates = statement.predicates.iter().map(|it| match it {
            Predicate::Equal { column: at, to, .. } => format!("{} = {}", column(at), operand(to)),
            Predicate::In { column: at, count, .. } => format!("{} in {count}", column(at)),
            Predicate::Range { column: at, width, .. } => format!("{} {width:?}", column(at)),
            Predicate::Prefix { column: at, .. } => format!("{} prefix", column(at)),
            Predicate::IsNull { column: at, .. } => format!("{} is null", column(at)),
            other => format!("{other:?}"),
        });
        let table = statement.written_table();
        let assigns = statement.assigns.iter().map(|(at, to)| {
            format!(
                "{} := {}",
                table.map_or("", |it| design.table(it).column(*at).name.as_str()),
                operand(to)
            )
        });
        predicates.chain(assigns).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn conditions_become_predicates_with_the_columns_parameters() {
        let design = design(
            "{name: a, read: orders, rate: 1/s, limit: 5, rows: 3, order_by: created_at desc, where: {w: eq, status: \
             {eq: paid}, customer_id: in(3), created_at: range, o: prefix}}",
        );
        assert_eq!(
            line(&design),
            "orders.w = :w, orders.status = 'paid', orders.customer_id in 3, orders.created_at Unstated, orders.o \
             prefix"
        );
        let statement = &design.patterns[0].steps[0].statements[0];
        assert_eq!((statement.limit, statement.rows, statement.target), (Some(5), Some(3), None));
        assert_eq!(statement.written, Written::Nothing);
        assert!(statement.order_by[0].desc);
    }

    #[test]
    fn related_entities_are_joined_along_references() {
        let design = design(
            "{name: a, read: orders, with: [order_items, products, customers], where: {w: eq}, rate: 1/s}",
        );
        assert_eq!(
            line(&design),
            "orders.w = :w, order_items.i_w = orders.w, order_items.i_o = orders.o, order_items.sku = products.sku, \
             orders.customer_id = customers.id"
        );
        assert_eq!(
            complaints("{name: a, read: orders, with: [lonely, nothing], rate: 1/s}"),
            [
                "20:36 `lonely` no reference joins `lonely` to `orders` (write `references: orders.COLUMN` at the \
                 column that does)",
                "20:44 `nothing` there is no table `nothing` (tables: `orders`, `order_items`, `products`, \
                 `customers`, `lonely`)",
            ]
        );
    }

    #[test]
    fn writes_assign_parameters_named_as_their_columns() {
        let insert = design("{name: a, insert: products, rate: 1/s}");
        assert_eq!(line(&insert), "sku := :sku");
        let statement = &insert.patterns[0].steps[0].statements[0];
        assert_eq!((&statement.written, statement.target), (&Written::All, Some(MAIN)));
        let upsert = design("{name: a, upsert: orders, set: [w, status], rate: 1/s}");
        assert_eq!(line(&upsert), "w := :w, status := :status");
        let columns = vec![ColumnId(0), ColumnId(3)];
        assert_eq!(upsert.patterns[0].steps[0].statements[0].written, Written::Columns(columns));
        let update =
            design("{name: a, update: orders, where: {w: eq, status: eq}, set: [status], rate: 1/s}");
        assert_eq!(line(&update), "orders.w = :w, orders.status = :status, status := :new_status");
        let delete = design("{name: a, delete: orders, where: {w: eq}, rate: 1/s}");
        assert_eq!(line(&delete), "orders.w = :w");
        assert_eq!(delete.patterns[0].steps[0].statements[0].written, Written::All);
    }

    #[test]
    fn parameters_are_related_by_name() {
        let design = design(
            "{name: a, read: orders, where: {w: eq, o: eq}, rate: 1/s, params: {o: {same_as: w, share: 99%}}, \
             popularity: {\":w\": zipf(1.0)}}",
        );
        let params = &design.patterns[0].params;
        assert_eq!(params[1].same_as, Some((ParamId(0), Share::new(0.99).unwrap())));
        assert_eq!(params[0].popularity, Some(Distribution::Zipf(1.0)));
        assert_eq!(
            complaints(
                "{name: a, read: orders, where: {created_at: eq}, rate: 1/s, popularity: {create_at: uniform}, \
                 params: {created_at: {same_as: created_at}}}"
            ),
            [
                "20:78 `create_at` the pattern has no parameter `create_at` (did you mean `created_at`?)",
                "20:130 `created_at` a parameter is always the same as itself",
            ]
        );
    }

    #[test]
    fn unknown_names_are_said_with_the_pattern_and_the_rest_is_kept() {
        let text = format!(
            "{TABLES}  - {{name: a, read: orders, where: {{w: eq, stauts: eq}}, keep_order: [sku], rate: 1/s}}\n"
        );
        let (read, files) = read_text(&text);
        let said = crate::input::testing::lines(&read.findings, &files);
        assert_eq!(
            said,
            [
                "20:44 `stauts` table `orders` has no column `stauts` (did you mean `status`?)",
                "20:70 `sku` no table of this pattern has a column `sku` (its columns: `w`, `o`, `customer_id`, \
                 `status`, `created_at`)",
            ]
        );
        assert!(read.findings.iter().all(|it| it.pattern.as_deref() == Some("a")));
        assert_eq!(line(&read.design), "orders.w = :w");
        let unknown = complaints("{name: a, update: odrers, set: [x], rate: 1/s}");
        assert_eq!(unknown, ["20:23 `odrers` there is no table `odrers` (did you mean `orders`?)"]);
    }

    #[test]
    fn unread_statements_are_said_with_their_share_of_the_rate() {
        let text = format!(
            "{TABLES}  - {{name: a, sql: \"((( no SQL\", rate: 1/s}}\n  - {{name: b, read: orders, rate: 3/s}}\n"
        );
        let (read, _) = read_text(&text);
        assert_eq!(read.findings.len(), 1);
        let finding = &read.findings[0];
        assert_eq!((finding.code, finding.level), (UNPARSED_STATEMENT, Level::Warning));
        assert!(
            finding.message.ends_with("; 25% of the total rate rests on its pattern"),
            "{}",
            finding.message
        );
        assert_eq!(finding.pattern.as_deref(), Some("a"));
        assert_eq!(read.design.patterns[0].unread.len(), 1);
    }

    #[test]
    fn a_second_pattern_of_a_name_is_said_and_left_out() {
        let text = format!(
            "{TABLES}  - {{name: a, read: orders, rate: 1/s}}\n  - {{name: a, read: lonely, rate: 3/s}}\n"
        );
        let (read, _) = read_text(&text);
        assert_eq!(read.findings[0].message, "a second pattern `a`; the first one is read");
        assert_eq!(read.findings[0].related.len(), 1);
        assert_eq!(read.design.patterns.len(), 1);
    }

    #[test]
    fn sql_and_its_structured_form_are_the_same_statement() {
        for (structured, sql) in [
            (
                "read: orders, where: {w: eq, status: {eq: paid}, o: is_null}, order_by: created_at desc, limit: 5",
                "SELECT * FROM orders WHERE w = :w AND status = 'paid' AND o IS NULL ORDER BY created_at DESC LIMIT 5",
            ),
            ("delete: orders, where: {w: eq, o: eq}", "DELETE FROM orders WHERE w = :w AND o = :o"),
            (
                "read: orders, with: [customers], where: {w: eq}",
                "SELECT * FROM orders JOIN customers ON orders.customer_id = customers.id WHERE w = :w",
            ),
        ] {
            let of = |body: &str| {
                let mut pattern = design(&format!("{{name: a, rate: 1/s, {body}}}")).patterns.remove(0);
                pattern.steps[0].statements[0].predicates.sort_by_key(without_places);
                without_places(&pattern.steps[0].statements[0])
            };
            assert_eq!(of(structured), of(&format!("sql: \"{sql}\"")), "{sql}");
        }
    }
}
