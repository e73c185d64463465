//! Items of an SQL file in the form that the YAML reader produces: fields of
//! annotations are read by the same code as the keys of a mapping.

use crate::diag::Finding;
use crate::input::decode::target_fields;
use crate::input::decode_patterns::{param, settings};
use crate::input::decode_tables::{
    add_unique, column_of, column_statistics, columns_of, set_primary_key, statistics,
};
use crate::input::fields::{Fields, NUMBER, TEXT, list, one_of, syntax};
use crate::input::raw::{
    RawBody, RawChoice, RawDesign, RawInclude, RawIndex, RawKey, RawKeyPart, RawPattern, RawPlan,
    RawReference, RawSql, RawStep, RawTable, RawTablePlan,
};
use crate::input::sql_items::{
    Annotation, Field, SqlColumn, SqlIndex, SqlItem, SqlPattern, SqlPlacing, SqlPlacingKind, SqlReference,
    SqlTable,
};
use crate::input::suppress;
use crate::input::tree::{self, Entry, Fidelity, Kind, Node, Scalar};
use crate::model::{Column, ColumnId, ColumnType, Generated, Include, Scope, Strategy};
use crate::source::{Span, Spanned};

/// Fields whose values are lists with commas between.
const LISTS: [&str; 4] = ["determines", "each", "keep_order", "values"];

/// Makes one design of a file's items; `text` is the file's.
pub(super) fn design(items: Vec<SqlItem>, text: &str, findings: &mut Vec<Finding>) -> RawDesign {
    let mut raw = RawDesign::default();
    for item in items {
        match item {
            SqlItem::Target(it) => {
                let other = RawDesign {
                    target: with_fields(&it, "`@target`", findings, target_of),
                    ..RawDesign::default()
                };
                raw.absorb(other, findings);
            }
            SqlItem::Table(it) => raw.tables.push(table(it, findings)),
            SqlItem::Index(it) => index(it, &mut raw, findings),
            SqlItem::Placing(it) => placing(it, &mut raw, findings),
            SqlItem::Pattern(it) => raw.patterns.extend(pattern(it, findings)),
            SqlItem::Ignore(it) => raw.lint.ignore.extend(suppress::in_sql(&it, text)),
        }
    }
    raw
}

fn target_of(fields: &mut Fields<'_>, findings: &mut Vec<Finding>) -> crate::model::TargetSpec {
    target_fields(fields, fields.span, findings)
}

/// Reads the fields of an annotation that has no bare words.
fn with_fields<T>(
    annotation: &Annotation,
    what: &'static str,
    findings: &mut Vec<Finding>,
    read: impl FnOnce(&mut Fields<'_>, &mut Vec<Finding>) -> T,
) -> T {
    for word in &annotation.bare {
        let message = format!("`{}` is not a field `key=value` of {what}", word.value);
        findings.push(syntax(word.span, message));
    }
    read_fields(annotation, what, findings, read)
}

fn read_fields<T>(
    annotation: &Annotation,
    what: &'static str,
    findings: &mut Vec<Finding>,
    read: impl FnOnce(&mut Fields<'_>, &mut Vec<Finding>) -> T,
) -> T {
    let entries = entries(annotation, findings);
    let mut fields = Fields::of_entries(&entries, what, annotation.word.span);
    let value = read(&mut fields, findings);
    fields.finish(findings);
    value
}

/// The fields as a mapping; `popularity.c=…` is a key inside `popularity`.
fn entries(annotation: &Annotation, findings: &mut Vec<Finding>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for field in &annotation.fields {
        let value = value_of(field, findings);
        let (key, value) = match field.key.value.split_once('.') {
            Some((outer, inner)) => {
                let inner = Entry { key: Spanned { value: inner.to_owned(), span: field.key.span }, value };
                (outer, Node { span: field.value.span, kind: Kind::Mapping(vec![inner]) })
            }
            None => (field.key.value.as_str(), value),
        };
        let first = entries.iter_mut().find(|it| it.key.value == key);
        match (first, value) {
            (None, value) => {
                entries.push(Entry { key: Spanned { value: key.to_owned(), span: field.key.span }, value });
            }
            (
                Some(Entry { value: Node { kind: Kind::Mapping(all), .. }, .. }),
                Node { kind: Kind::Mapping(more), .. },
            ) if !all.iter().any(|it| more.iter().any(|new| new.key.value == it.key.value)) => {
                all.extend(more);
            }
            (Some(first), _) => findings.push(
                syntax(field.key.span, format!("the field `{}` stands here twice", field.key.value))
                    .with_related(first.key.span, "the first one"),
            ),
        }
    }
    entries
}

fn value_of(field: &Field, findings: &mut Vec<Finding>) -> Node {
    let (text, span) = (&field.value.value, field.value.span);
    // A quoted value starts one byte behind its span's start.
    let quoted = span.end as usize - span.start as usize == text.len() + 2;
    let base = span.start as usize + usize::from(quoted);
    if text.starts_with(['{', '['])
        && let Some(root) = tree::read_at(text, span.file, base, findings).and_then(|it| it.root)
    {
        return root;
    }
    if !LISTS.contains(&field.key.value.as_str()) {
        return scalar(text, span);
    }
    let mut items = Vec::new();
    let mut at = base;
    for part in text.split(',') {
        let start = at + (part.len() - part.trim_start().len());
        let item = part.trim();
        items.push(scalar(item, Span::new(span.file, start, start + item.len())));
        at += part.len() + 1;
    }
    Node { span, kind: Kind::Sequence(items) }
}

fn scalar(text: &str, span: Span) -> Node {
    let scalar = Scalar { text: text.to_owned(), plain: false, content: span, fidelity: Fidelity::Exact };
    Node { span, kind: Kind::Scalar(scalar) }
}

fn table(item: SqlTable, findings: &mut Vec<Finding>) -> RawTable {
    let mut raw = RawTable::default();
    raw.table.name = item.name.value;
    raw.table.span = item.name.span;
    let mut determines = Vec::new();
    for it in item.columns {
        if let Some(first) = raw.table.columns.iter().find(|first| first.name == it.name.value) {
            let message = format!("a second column `{}`; the first one is read", it.name.value);
            findings.push(
                syntax(it.name.span, message)
                    .with_related(first.span, "the first one")
                    .on_table(&raw.table.name),
            );
            continue;
        }
        let (column, names) = column(it, findings);
        determines.push(names);
        raw.table.columns.push(column);
    }
    for (id, names) in determines.iter().enumerate() {
        raw.table.columns[id].determines = columns_of(&raw.table, names, findings);
    }
    let mut residency = None;
    if let Some(annotation) = &item.annotation {
        residency = with_fields(annotation, "`@table`", findings, |fields, findings| {
            statistics(&mut raw.table, fields, findings);
            raw.table.key_pattern =
                fields.spanned("key_pattern", &TEXT, findings).map(|it| (it.value, it.span));
            raw.table.describes = fields.value("describes", &TEXT, findings);
            fields.spanned("residency", &TEXT, findings)
        });
    }
    raw.table.residency = residency.and_then(|it| column_of(&raw.table, &it, findings));
    if let Some((key, span)) = item.primary_key {
        set_primary_key(&mut raw.table, &key, span, findings);
    }
    for (set, span) in item.unique {
        add_unique(&mut raw.table, &set, span, findings);
    }
    let references = item.references.into_iter().filter_map(|it| reference(it, &raw, findings)).collect();
    raw.references = references;
    raw
}

fn column(item: SqlColumn, findings: &mut Vec<Finding>) -> (Column, Vec<Spanned<String>>) {
    let generated = item.generated.and_then(|word| Generated::ALL.iter().find(|(name, _)| *name == word));
    let mut column = Column {
        name: item.name.value,
        span: item.name.span,
        ty: Some(ColumnType::parse(&item.ty)),
        not_null: item.not_null,
        generated: generated.map(|(_, kind)| *kind),
        values: item.values,
        ..Column::default()
    };
    let word = Spanned { value: "column".to_owned(), span: item.name.span };
    let annotation = item.annotation.unwrap_or(Annotation { word, bare: Vec::new(), fields: Vec::new() });
    let determines = with_fields(&annotation, "`@column`", findings, |fields, findings| {
        column_statistics(&mut column, fields, findings);
        fields.names("determines", findings).unwrap_or_default()
    });
    (column, determines)
}

fn reference(item: SqlReference, raw: &RawTable, findings: &mut Vec<Finding>) -> Option<RawReference> {
    let columns: Vec<ColumnId> =
        item.columns.iter().filter_map(|it| column_of(&raw.table, it, findings)).collect();
    (columns.len() == item.columns.len()).then_some(RawReference {
        columns,
        parent: item.parent,
        parent_columns: item.parent_columns,
        span: item.span,
        inline: false,
    })
}

/// An index of a schema lies beside the rows; a unique one is a constraint as well.
fn index(item: SqlIndex, raw: &mut RawDesign, findings: &mut Vec<Finding>) {
    let key: Vec<_> = item.columns.into_iter().map(|(name, _)| name).collect();
    if item.unique {
        let of = raw.tables.iter_mut().rev().find(|it| it.table.name.eq_ignore_ascii_case(&item.table.value));
        if let Some(table) = of {
            add_unique(&mut table.table, &key, item.span, findings);
        }
    }
    raw.loose_indexes.push(RawIndex {
        name: item.name.map(|it| it.value),
        table: item.table,
        key,
        sort: Vec::new(),
        scope: Scope::Local,
        strategy: None,
        salt: None,
        unique: item.unique,
        include: if item.include.is_empty() {
            RawInclude::Plain(Include::KeysOnly)
        } else {
            RawInclude::Columns(item.include)
        },
        only: Vec::new(),
        span: item.span,
    });
}

/// A later statement about the same table replaces an earlier one, as it does when the file runs.
fn placing(item: SqlPlacing, raw: &mut RawDesign, findings: &mut Vec<Finding>) {
    let plan = raw.plan.get_or_insert_with(RawPlan::default);
    if plan.plan.span == Span::default() {
        plan.plan.span = item.span;
    }
    let mut cluster = Vec::new();
    let choice = match item.kind {
        SqlPlacingKind::Replicated => RawChoice::Replicated,
        SqlPlacingKind::Unsharded => RawChoice::Unsharded,
        SqlPlacingKind::Key { columns, strategy, cluster: order, shards } => {
            cluster = order;
            plan.plan.shards = plan.plan.shards.or(shards);
            let strategy = strategy.and_then(|word| {
                let word = Spanned { value: word.to_owned(), span: item.span };
                one_of("strategy", &word, Strategy::ALL, findings)
            });
            let parts = columns.into_iter().map(RawKeyPart::Column).collect();
            RawChoice::Sharded(RawKey { parts, strategy, ..RawKey::default() })
        }
    };
    plan.tables.retain(|it| !it.table.value.eq_ignore_ascii_case(&item.table.value));
    let key_span = item.span;
    plan.tables.push(RawTablePlan {
        table: item.table,
        choice,
        cluster,
        splits: Vec::new(),
        dedicated: Vec::new(),
        span: item.span,
        key_span,
        from_statement: true,
    });
}

fn pattern(item: SqlPattern, findings: &mut Vec<Finding>) -> Option<RawPattern> {
    let mut raw = RawPattern::default();
    with_fields(&item.annotation, "`@pattern`", findings, |fields, findings| {
        settings(&mut raw, fields, findings);
        fields.missing(
            "name",
            "every pattern has a name of its own: `name=\"orders of a customer\"`",
            findings,
        );
    });
    if raw.pattern.name.is_empty() {
        return None;
    }
    let mut steps = Vec::new();
    for statement in item.statements {
        let (times, each) = match &statement.times {
            Some(it) => times(it, findings),
            None => (1, Vec::new()),
        };
        let sql = RawSql { text: statement.text, span: statement.span, exact: true };
        steps.push(RawStep { times, each, statements: vec![sql] });
    }
    if steps.is_empty() {
        let help = "put the statement below its annotation";
        findings.push(syntax(item.annotation.word.span, "a pattern needs a statement").with_help(help));
    }
    raw.body = RawBody::Steps(steps);
    for annotation in &item.params {
        let Some(name) = annotation.bare.first() else {
            let help = "write `@param supply same_as=home share=99%`";
            findings.push(syntax(annotation.word.span, "`@param` names no parameter").with_help(help));
            continue;
        };
        let relation = read_fields(annotation, "`@param`", findings, |fields, findings| {
            param(name.clone(), fields, findings)
        });
        raw.params.push(relation);
    }
    Some(raw)
}

/// `@times 3 each=n,sku,q`
fn times(annotation: &Annotation, findings: &mut Vec<Finding>) -> (u32, Vec<Spanned<String>>) {
    let mut number = None;
    if let Some(word) = annotation.bare.first() {
        number = NUMBER.of("@times", &scalar(&word.value, word.span), findings).map(|it| it.value);
    } else {
        let help = "write `@times 3 each=n,sku`";
        findings.push(syntax(annotation.word.span, "`@times` has no number").with_help(help));
    }
    let each = read_fields(annotation, "`@times`", findings, |fields, findings| {
        fields.get("each", findings).map(|it| list("each", it, findings).to_vec()).unwrap_or_default()
    });
    let each = each.iter().filter_map(|it| TEXT.of("each", it, findings)).collect();
    (number.unwrap_or(1), each)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::lower;
    use crate::input::sql_items::SqlStatement;
    use crate::model::{Choice, Design, Distribution, KeyPart};
    use crate::source::FileId;

    /// A text whose parts can be pointed at, in place of an SQL file.
    struct Text(&'static str);

    impl Text {
        fn span(&self, part: &str) -> Span {
            let start = self.0.find(part).unwrap();
            Span::new(FileId(0), start, start + part.len())
        }

        fn name(&self, part: &str) -> Spanned<String> {
            Spanned { value: part.to_owned(), span: self.span(part) }
        }

        /// `word bare key=value key="quoted+value"` as an annotation; `+` stands for a space.
        fn annotation(&self, part: &'static str) -> Annotation {
            let mut words = part.split_whitespace();
            let word = self.name(words.next().unwrap());
            let (mut bare, mut fields) = (Vec::new(), Vec::new());
            for it in words {
                match it.split_once('=') {
                    Some((key, value)) => {
                        let start = self.span(it).start as usize;
                        let key_span = Span::new(FileId(0), start, start + key.len());
                        let span = Span::new(FileId(0), start + key.len() + 1, start + it.len());
                        let key = Spanned { value: key.to_owned(), span: key_span };
                        fields.push(Field {
                            key,
                            value: Spanned { value: value.replace('"', "").replace('+', " "), span },
                        });
                    }
                    None => bare.push(self.name(it)),
                }
            }
            Annotation { word, bare, fields }
        }

        fn column(&self, name: &str, annotation: Option<&'static str>) -> SqlColumn {
            SqlColumn {
                name: self.name(name),
                ty: "bigint".to_owned(),
                not_null: false,
                generated: None,
                values: Vec::new(),
                annotation: annotation.map(|it| self.annotation(it)),
            }
        }

        fn table(&self, name: &str, columns: Vec<SqlColumn>, annotation: Option<&'static str>) -> SqlTable {
            SqlTable {
                name: self.name(name),
                annotation: annotation.map(|it| self.annotation(it)),
                columns,
                primary_key: None,
                unique: Vec::new(),
                references: Vec::new(),
            }
        }

        fn read(&self, items: Vec<SqlItem>) -> (Design, Vec<Finding>) {
            let mut findings = Vec::new();
            let raw = design(items, self.0, &mut findings);
            (lower::design(raw, &mut findings), findings)
        }
    }

    fn key(columns: Vec<Spanned<String>>, shards: Option<u32>) -> SqlPlacingKind {
        SqlPlacingKind::Key { columns, strategy: Some("hash"), cluster: Vec::new(), shards }
    }

    #[test]
    fn a_schema_with_annotations_becomes_tables() {
        let text = Text(
            "target engine=citus shards=32 node.storage=2TB | table rows=200M growth=300k/day residency=region | \
             orders | order_id | column generated=uuid7 | customer_id | column distinct=5M skew=\"{top:+[12%]}\" \
             determines=region,order_id | region | customers | column nulls=10% values=a,b,c",
        );
        let mut orders = text.table(
            "orders",
            vec![
                text.column("order_id", Some("column generated=uuid7")),
                text.column(
                    "customer_id",
                    Some("column distinct=5M skew=\"{top:+[12%]}\" determines=region,order_id"),
                ),
                text.column("region", Some("column nulls=10% values=a,b,c")),
            ],
            Some("table rows=200M growth=300k/day residency=region"),
        );
        orders.primary_key = Some((vec![text.name("order_id")], text.span("order_id")));
        orders.unique.push((vec![text.name("customer_id"), text.name("region")], text.span("region")));
        orders.references.push(SqlReference {
            columns: vec![text.name("customer_id")],
            parent: text.name("customers"),
            parent_columns: Vec::new(),
            span: text.span("customers"),
        });
        let mut customers = text.table("customers", vec![text.column("customer_id", None)], None);
        customers.primary_key = Some((vec![text.name("customer_id")], text.span("customer_id")));
        let target = SqlItem::Target(text.annotation("target engine=citus shards=32 node.storage=2TB"));
        let (design, findings) = text.read(vec![target, SqlItem::Table(orders), SqlItem::Table(customers)]);
        assert_eq!(findings, Vec::new());
        assert_eq!(
            (design.target.shards, design.target.node.storage.unwrap().0),
            (Some(32), 2_000_000_000_000)
        );
        let orders = &design.tables[0];
        assert_eq!(orders.rows.unwrap().0, 200_000_000);
        assert_eq!(orders.names(&[orders.residency.unwrap()]), "region");
        assert_eq!(orders.columns[0].generated, Some(Generated::Uuid7));
        assert!(orders.columns[0].not_null);
        assert_eq!(orders.columns[1].distinct, Some(5_000_000));
        assert!(matches!(orders.columns[1].skew, Some(Distribution::Top { .. })));
        assert_eq!(orders.names(&orders.columns[1].determines), "region, order_id");
        assert_eq!(orders.columns[2].distinct, Some(3));
        assert_eq!(orders.names(&orders.unique[0].0), "customer_id, region");
        assert_eq!(orders.foreign_keys[0].parent_columns, [ColumnId(0)]);
    }

    #[test]
    fn statements_that_place_tables_become_the_plan_and_the_last_one_holds() {
        let text = Text("a x b c x_idx first second");
        let place = |table: &str, kind| {
            SqlItem::Placing(SqlPlacing { table: text.name(table), kind, span: text.span("first") })
        };
        let column = || vec![text.column("x", None)];
        let items = vec![
            SqlItem::Table(text.table("a", column(), None)),
            SqlItem::Table(text.table("b", column(), None)),
            SqlItem::Table(text.table("c", column(), None)),
            place("a", SqlPlacingKind::Replicated),
            place("a", key(vec![text.name("x")], Some(64))),
            place("b", SqlPlacingKind::Replicated),
            place("c", SqlPlacingKind::Unsharded),
            SqlItem::Index(SqlIndex {
                name: Some(text.name("x_idx")),
                table: text.name("a"),
                columns: vec![(text.name("x"), false)],
                unique: true,
                include: Vec::new(),
                span: text.span("x_idx"),
            }),
        ];
        let (design, findings) = text.read(items);
        assert_eq!(findings, Vec::new());
        let plan = design.plan.unwrap();
        assert_eq!(plan.shards, Some(64));
        let choices: Vec<&Choice> = plan.tables.values().map(|it| &it.choice).collect();
        assert_eq!(choices[0].key().unwrap().parts, [KeyPart::Column(ColumnId(0))]);
        assert_eq!(choices[0].key().unwrap().strategy, Some(Strategy::Hash));
        assert_eq!(choices[1..], [&Choice::Replicated, &Choice::Unsharded]);
        assert_eq!((plan.indexes[0].name.as_str(), plan.indexes[0].scope), ("x_idx", Scope::Local));
        assert_eq!(design.tables[0].unique[0].0, [ColumnId(0)]);
    }

    #[test]
    fn patterns_keep_their_statements_and_annotations() {
        let text = Text(
            "pattern name=\"place\" rate=80/s p99=20ms popularity.c=zipf(1.0) popularity.d=uniform served_by=search | \
             SELECT 1 | times 3 each=n,sku | param supply same_as=home share=99%",
        );
        let item = SqlPattern {
            annotation: text.annotation(
                "pattern name=\"place\" rate=80/s p99=20ms popularity.c=zipf(1.0) popularity.d=uniform served_by=search",
            ),
            transaction: true,
            statements: vec![SqlStatement {
                text: "SELECT 1".to_owned(),
                span: text.span("SELECT 1"),
                times: Some(text.annotation("times 3 each=n,sku")),
            }],
            params: vec![text.annotation("param supply same_as=home share=99%")],
        };
        let mut findings = Vec::new();
        let raw = pattern(item, &mut findings).unwrap();
        assert_eq!(findings, Vec::new());
        assert_eq!((raw.pattern.name.as_str(), raw.pattern.rate.get()), ("place", 80.0));
        let popular: Vec<&str> = raw.popularity.iter().map(|(name, _)| name.value.as_str()).collect();
        assert_eq!(popular, ["c", "d"]);
        let RawBody::Steps(steps) = &raw.body else { panic!("{:?}", raw.body) };
        assert_eq!((steps[0].times, steps[0].statements[0].exact), (3, true));
        let each: Vec<(&str, Span)> = steps[0].each.iter().map(|it| (it.value.as_str(), it.span)).collect();
        let n = Span { end: text.span("n,sku").start + 1, ..text.span("n,sku") };
        assert_eq!(each, [("n", n), ("sku", text.span("sku"))]);
        assert_eq!(raw.params[0].same_as.as_ref().unwrap().value, "home");
    }

    #[test]
    fn bad_annotations_are_said_where_they_stand() {
        let text = Text("table rows=many stray rows=5 grwoth=1/day | t | column distinct=-1 | x");
        let table = text.table(
            "t",
            vec![text.column("x", Some("column distinct=-1"))],
            Some("table rows=many stray rows=5 grwoth=1/day"),
        );
        let mut findings = Vec::new();
        design(vec![SqlItem::Table(table)], text.0, &mut findings);
        let mut said: Vec<(String, &str)> = findings
            .iter()
            .map(|it| (it.message.clone(), &text.0[it.span.start as usize..it.span.end as usize]))
            .collect();
        said.sort();
        let expected = [
            ("`distinct` is `-1`, which is not a count", "-1"),
            ("`grwoth` is not a key of `@table`", "grwoth"),
            ("`rows` is `many`, which is not a count", "many"),
            ("`stray` is not a field `key=value` of `@table`", "stray"),
            ("the field `rows` stands here twice", "rows"),
        ];
        assert_eq!(said, expected.map(|(message, at)| (message.to_owned(), at)));
    }

    #[test]
    fn times_and_param_without_their_word_are_said() {
        let text = Text("pattern | times | param | SELECT 1");
        let mut annotation = text.annotation("pattern");
        for (key, value) in [("name", "a"), ("rate", "1/s")] {
            let at = |it: &str| Spanned { value: it.to_owned(), span: text.span("pattern") };
            annotation.fields.push(Field { key: at(key), value: at(value) });
        }
        let statement = SqlStatement {
            text: "SELECT 1".to_owned(),
            span: text.span("SELECT 1"),
            times: Some(text.annotation("times")),
        };
        let (statements, params) = (vec![statement], vec![text.annotation("param")]);
        let mut findings = Vec::new();
        pattern(SqlPattern { annotation, transaction: false, statements, params }, &mut findings);
        let said: Vec<&str> = findings.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(said, ["`@times` has no number", "`@param` names no parameter"]);
    }
}
