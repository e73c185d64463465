//! The `patterns:` section.

use crate::diag::Finding;
use crate::input::decode_stats::distribution;
use crate::input::fields::{
    COUNT, DURATION, FACTOR, Fields, NUMBER, Name, RATE, SHARE, TEXT, call, clip, hint, list, names, syntax,
};
use crate::input::raw::{RawBody, RawParam, RawPattern, RawSql, RawStep, RawStructured, RawWhere};
use crate::input::tree::{Entry, Fidelity, Kind, Node, Scalar};
use crate::model::{Consistency, Operation, RangeWidth, ServedBy};
use crate::source::{Span, Spanned};
use crate::units::{Share, text};

const OPERATIONS: &[(&str, Operation)] = &[
    ("read", Operation::Read),
    ("insert", Operation::Insert),
    ("update", Operation::Update),
    ("delete", Operation::Delete),
    ("upsert", Operation::Upsert),
];

/// Reads the section; `text` is the file's, for SQL in block scalars.
pub(super) fn patterns(node: &Node, text: &str, findings: &mut Vec<Finding>) -> Vec<RawPattern> {
    list("patterns", node, findings).iter().filter_map(|it| pattern(it, text, findings)).collect()
}

fn pattern(node: &Node, text: &str, findings: &mut Vec<Finding>) -> Option<RawPattern> {
    let mut fields = Fields::of(node, "a pattern", findings)?;
    let mut raw = RawPattern::default();
    settings(&mut raw, &mut fields, findings);
    raw.body = body(&mut fields, text, findings);
    if let Some(node) = fields.get("params", findings) {
        raw.params = params(node, findings);
    }
    if raw.pattern.name.is_empty() {
        fields.missing("name", "every pattern has a name of its own: `name: orders of a customer`", findings);
        raw.pattern.span = node.span;
    }
    fields.finish(findings);
    // A pattern without a name can't be spoken of; what is wrong with it is said above.
    (!raw.pattern.name.is_empty()).then_some(raw)
}

/// What patterns with and without SQL share: also the fields of `-- @pattern`.
pub(super) fn settings(raw: &mut RawPattern, fields: &mut Fields<'_>, findings: &mut Vec<Finding>) {
    let pattern = &mut raw.pattern;
    if let Some(name) = fields.spanned("name", &TEXT, findings) {
        (pattern.name, pattern.span) = (name.value, name.span);
    }
    if let Some(rate) = fields.spanned("rate", &RATE, findings) {
        (pattern.rate, pattern.rate_span) = (rate.value, Some(rate.span));
    }
    fields.missing("rate", "write how often it runs: `rate: 1200/s`", findings);
    pattern.peak = fields.value("peak", &FACTOR, findings).unwrap_or(1.0);
    pattern.p99 = fields.value("p99", &DURATION, findings);
    let consistency = [("strong", Consistency::Strong), ("eventual", Consistency::Eventual)];
    pattern.consistency =
        fields.one_of("consistency", &consistency, findings).map_or(Consistency::Strong, |it| it.value);
    pattern.served_by = fields.spanned("served_by", &TEXT, findings).and_then(|it| served_by(&it, findings));
    raw.rows = fields.spanned("rows", &COUNT, findings).map(|it| (it.value, it.span));
    raw.keep_order = fields.names("keep_order", findings).unwrap_or_default();
    if let Some(node) = fields.get("popularity", findings) {
        raw.popularity = popularity(node, findings);
    }
}

fn popularity(node: &Node, findings: &mut Vec<Finding>) -> Vec<(Name, crate::model::Distribution)> {
    let Kind::Mapping(entries) = &node.kind else {
        let message = format!("`popularity` is {}; a mapping from parameters is expected", node.describe());
        findings.push(syntax(node.span, message).with_help("write `popularity: {c: zipf(1.0)}`"));
        return Vec::new();
    };
    entries
        .iter()
        .filter_map(|it| Some((it.key.clone(), distribution(&it.key.value, &it.value, findings)?)))
        .collect()
}

fn served_by(word: &Name, findings: &mut Vec<Finding>) -> Option<ServedBy> {
    const KNOWN: [&str; 4] = ["warehouse", "search", "stream", "cache"];
    let (what, share) = match call(&word.value) {
        Some((what, share)) => (what, text::parse_share(share)),
        None => (word.value.as_str(), Some(Share::ALL)),
    };
    if let (true, Some(share)) = (KNOWN.contains(&what), share) {
        return Some(ServedBy { what: what.to_owned(), share });
    }
    let finding = syntax(word.span, format!("`served_by` can't be `{}`", clip(&word.value)));
    let help = hint(what, KNOWN).filter(|_| !KNOWN.contains(&what));
    findings.push(finding.with_help(help.unwrap_or_else(|| {
        "write `warehouse`, `search`, `stream` or `cache`, and the share that it takes: `cache(95%)`"
            .to_owned()
    })));
    None
}

fn body(fields: &mut Fields<'_>, text: &str, findings: &mut Vec<Finding>) -> RawBody {
    let sql = fields.entry("sql");
    let transaction = fields.entry("transaction");
    let mut found: Vec<&Entry> = sql.into_iter().chain(transaction).collect();
    let mut structured = None;
    for (word, op) in OPERATIONS {
        if let Some(entry) = fields.entry(word) {
            found.push(entry);
            structured = structured.or(Some((*word, *op)));
        }
    }
    found.sort_by_key(|it| it.key.span.start);
    for pair in found.windows(2) {
        let message =
            format!("a pattern is either `{}` or `{}`, not both", pair[0].key.value, pair[1].key.value);
        findings.push(
            syntax(pair[1].key.span, message)
                .with_help("make two patterns of them, or list the statements under `transaction:`"),
        );
    }
    let Some(first) = found.first() else {
        let help = "write `sql: SELECT …`, `transaction: […]`, or `read: orders` with `where:`";
        findings.push(syntax(fields.span, "a pattern needs a statement").with_help(help));
        // The keys of a structured pattern are no further slip.
        structured_keys(fields);
        return RawBody::Nothing;
    };
    match first.key.value.as_str() {
        "sql" => match fields.get("sql", findings).and_then(|it| sql_of("sql", it, text, findings)) {
            Some(sql) => RawBody::Steps(vec![RawStep { times: 1, each: Vec::new(), statements: vec![sql] }]),
            None => RawBody::Nothing,
        },
        "transaction" => match fields.get("transaction", findings) {
            Some(node) => RawBody::Steps(steps(node, text, findings)),
            None => RawBody::Nothing,
        },
        _ => match structured {
            Some((word, op)) => structured_of(word, op, fields, findings),
            None => RawBody::Nothing,
        },
    }
}

fn structured_keys(fields: &mut Fields<'_>) {
    for key in ["where", "order_by", "limit", "set", "with"] {
        fields.entry(key);
    }
}

/// An SQL text with its place. White space may differ from the file's bytes,
/// so the file's bytes are taken, where nothing else differs.
fn sql_of(key: &str, node: &Node, text: &str, findings: &mut Vec<Finding>) -> Option<RawSql> {
    let Some(scalar) = node.scalar() else {
        findings.push(syntax(node.span, format!("`{key}` is {}; an SQL text is expected", node.describe())));
        return None;
    };
    Some(sql_text(scalar, text))
}

fn sql_text(scalar: &Scalar, text: &str) -> RawSql {
    let span = scalar.content;
    match scalar.fidelity {
        Fidelity::Exact => RawSql { text: scalar.text.clone(), span, exact: true },
        Fidelity::Spaced => match text.get(span.start as usize..span.end as usize) {
            Some(bytes) => RawSql { text: bytes.to_owned(), span, exact: true },
            None => RawSql { text: scalar.text.clone(), span, exact: false },
        },
        Fidelity::Decoded => RawSql { text: scalar.text.clone(), span, exact: false },
    }
}

fn steps(node: &Node, text: &str, findings: &mut Vec<Finding>) -> Vec<RawStep> {
    list("transaction", node, findings).iter().filter_map(|it| step(it, text, findings)).collect()
}

fn step(node: &Node, text: &str, findings: &mut Vec<Finding>) -> Option<RawStep> {
    if !matches!(node.kind, Kind::Mapping(_)) {
        let sql = sql_of("transaction", node, text, findings)?;
        return Some(RawStep { times: 1, each: Vec::new(), statements: vec![sql] });
    }
    let mut fields = Fields::of(node, "a step of a transaction", findings)?;
    let times = fields.value("times", &NUMBER, findings).unwrap_or(1);
    let each = fields.names("each", findings).unwrap_or_default();
    let single = fields.get("sql", findings).and_then(|it| sql_of("sql", it, text, findings));
    let several = fields.get("do", findings).map(|it| several(it, text, findings));
    if !fields.has("sql") && !fields.has("do") {
        let help = "write `sql: …` for one statement or `do: […]` for several";
        findings.push(syntax(fields.span, "a step of a transaction needs a statement").with_help(help));
    }
    fields.finish(findings);
    let statements: Vec<RawSql> = single.into_iter().chain(several.unwrap_or_default()).collect();
    (!statements.is_empty()).then_some(RawStep { times, each, statements })
}

fn several(node: &Node, text: &str, findings: &mut Vec<Finding>) -> Vec<RawSql> {
    list("do", node, findings).iter().filter_map(|it| sql_of("do", it, text, findings)).collect()
}

fn params(node: &Node, findings: &mut Vec<Finding>) -> Vec<RawParam> {
    let Kind::Mapping(entries) = &node.kind else {
        let message = format!("`params` is {}; a mapping from parameters is expected", node.describe());
        findings.push(
            syntax(node.span, message).with_help("write `params: {supply: {same_as: home, share: 99%}}`"),
        );
        return Vec::new();
    };
    let mut params = Vec::new();
    for entry in entries {
        if let Some(mut fields) = Fields::of(&entry.value, "a parameter", findings) {
            params.push(param(entry.key.clone(), &mut fields, findings));
            fields.finish(findings);
        }
    }
    params
}

/// What is said of a parameter: also the fields of `-- @param`.
pub(super) fn param(name: Name, fields: &mut Fields<'_>, findings: &mut Vec<Finding>) -> RawParam {
    let same_as = fields.spanned("same_as", &TEXT, findings);
    let share = fields.value("share", &SHARE, findings);
    if same_as.is_none() {
        fields.missing(
            "same_as",
            "name the parameter that it usually equals: `{same_as: home, share: 99%}`",
            findings,
        );
    }
    RawParam { name, same_as, share }
}

fn structured_of(
    word: &'static str,
    op: Operation,
    fields: &mut Fields<'_>,
    findings: &mut Vec<Finding>,
) -> RawBody {
    let table = fields.spanned(word, &TEXT, findings);
    let wheres = fields.get("where", findings).map(|it| wheres(it, findings)).unwrap_or_default();
    let order_by = fields.get("order_by", findings).map(|it| order_by(it, findings)).unwrap_or_default();
    let limit = fields.value("limit", &COUNT, findings);
    let set = fields.get("set", findings).map(|it| (names("set", it, findings), it.span));
    let with = fields.get("with", findings).map(|it| (names("with", it, findings), it.span));
    let mut refuse = |key: &str, span: Span, help: &str| {
        findings.push(syntax(span, format!("`{key}` has no meaning with `{word}`")).with_help(help));
    };
    if let (Some((_, span)), Operation::Read | Operation::Delete) = (&set, op) {
        refuse("set", *span, "`set` lists the columns that an insert, update or upsert writes");
    }
    if let (Some((column, _)), Operation::Insert) = (wheres.first(), op) {
        refuse("where", column.span, "an insert meets no rows; name the written columns under `set`");
    }
    if let (Some((_, span)), false) = (&with, op == Operation::Read) {
        refuse("with", *span, "`with` lists entities that are read in the same request");
    }
    if op == Operation::Update {
        fields.missing("set", "name the columns that it writes: `set: [status]`", findings);
    }
    let Some(table) = table else { return RawBody::Nothing };
    let span = table.span;
    let with = with.filter(|_| op == Operation::Read).map(|it| it.0).unwrap_or_default();
    let set = set.map(|it| it.0);
    let wheres = if op == Operation::Insert { Vec::new() } else { wheres };
    RawBody::Structured(Box::new(RawStructured { op, table, wheres, order_by, limit, set, with, span }))
}

fn wheres(node: &Node, findings: &mut Vec<Finding>) -> Vec<(Name, RawWhere)> {
    let Kind::Mapping(entries) = &node.kind else {
        let message =
            format!("`where` is {}; a mapping from columns to conditions is expected", node.describe());
        findings.push(syntax(node.span, message).with_help("write `where: {customer_id: eq}`"));
        return Vec::new();
    };
    entries.iter().filter_map(|it| Some((it.key.clone(), condition(it, findings)?))).collect()
}

fn condition(entry: &Entry, findings: &mut Vec<Finding>) -> Option<RawWhere> {
    let column = &entry.key.value;
    if let Kind::Mapping(_) = entry.value.kind {
        let mut fields = Fields::of(&entry.value, "a condition", findings)?;
        let constant = fields.value("eq", &TEXT, findings);
        fields.missing("eq", "a constant is written `{eq: pending}`", findings);
        fields.finish(findings);
        return constant.map(RawWhere::Constant);
    }
    let word = TEXT.of(column, &entry.value, findings)?;
    let read = match call(&word.value) {
        Some(("in", number)) => (NUMBER.read)(number).map(RawWhere::In),
        Some(("range", width)) => {
            text::parse_duration(width).map(|it| RawWhere::Range(RangeWidth::Duration(it)))
        }
        Some(_) => None,
        None => match word.value.as_str() {
            "eq" => Some(RawWhere::Equal),
            "range" => Some(RawWhere::Range(RangeWidth::Unstated)),
            "prefix" => Some(RawWhere::Prefix),
            "is_null" => Some(RawWhere::IsNull),
            _ => None,
        },
    };
    if read.is_none() {
        let typed = call(&word.value).map_or(word.value.as_str(), |(it, _)| it);
        let known = ["eq", "in", "range", "prefix", "is_null"];
        let help = hint(typed, known).filter(|_| !known.contains(&typed)).unwrap_or_else(|| {
            "write `eq`, `{eq: constant}`, `in(3)`, `range`, `range(7d)`, `prefix` or `is_null`".to_owned()
        });
        let message = format!("`{}` is not a condition on `{column}`", clip(&word.value));
        findings.push(syntax(word.span, message).with_help(help));
    }
    read
}

/// `created_at desc`, several with commas between, or a list of such.
fn order_by(node: &Node, findings: &mut Vec<Finding>) -> Vec<(Name, bool)> {
    match &node.kind {
        Kind::Sequence(items) => items
            .iter()
            .filter_map(|it| TEXT.of("order_by", it, findings).and_then(|it| term(&it, findings)))
            .collect(),
        Kind::Scalar(_) | Kind::Mapping(_) => {
            let Some(text) = TEXT.of("order_by", node, findings) else { return Vec::new() };
            text.value
                .split(',')
                .filter_map(|it| term(&Spanned { value: it.trim().to_owned(), span: text.span }, findings))
                .collect()
        }
    }
}

/// A column with `asc` or `desc` behind it.
pub(super) fn term(text: &Name, findings: &mut Vec<Finding>) -> Option<(Name, bool)> {
    let words: Vec<&str> = text.value.split_whitespace().collect();
    let (column, desc) = match words.as_slice() {
        [column] => (*column, false),
        [column, way] if way.eq_ignore_ascii_case("asc") => (*column, false),
        [column, way] if way.eq_ignore_ascii_case("desc") => (*column, true),
        _ => {
            let message = format!("`{}` is not a column with `asc` or `desc` behind it", clip(&text.value));
            findings.push(syntax(text.span, message));
            return None;
        }
    };
    Some((Spanned { value: column.to_owned(), span: text.span }, desc))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::tree;
    use crate::source::FileId;

    fn raw(text: &str) -> (Vec<RawPattern>, Vec<String>) {
        let mut findings = Vec::new();
        let tree = tree::read(text, FileId(0), &mut findings).unwrap();
        let found = patterns(&tree.root.unwrap(), text, &mut findings);
        let said = findings.into_iter().map(|it| match it.help {
            Some(help) => format!("{} ({help})", it.message),
            None => it.message,
        });
        (found, said.collect())
    }

    fn steps_of(pattern: &RawPattern) -> &[RawStep] {
        match &pattern.body {
            RawBody::Steps(steps) => steps,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn settings_of_a_pattern_are_read() {
        let (found, said) = raw("\
- name: orders of a customer
  sql: SELECT 1
  rate: 3k/min
  peak: 2.5x
  p99: 20ms
  popularity: {c: zipf(1.0)}
  params: {supply: {same_as: home, share: 99%}, other: {same_as: home}}
  consistency: eventual
  served_by: cache(95%)
  keep_order: [sku]
  rows: 2k
");
        assert_eq!(said, Vec::<String>::new());
        let RawPattern { pattern, rows, popularity, params, keep_order, .. } = &found[0];
        assert_eq!((pattern.name.as_str(), pattern.rate.get()), ("orders of a customer", 50.0));
        assert!((pattern.peak - 2.5).abs() < 1e-12);
        assert!((pattern.p99.unwrap().get() - 0.02).abs() < 1e-12);
        assert_eq!(pattern.consistency, Consistency::Eventual);
        let served = ServedBy { what: "cache".to_owned(), share: Share::new(0.95).unwrap() };
        assert_eq!(pattern.served_by, Some(served));
        assert_eq!(popularity[0].0.value, "c");
        assert_eq!((params[0].name.value.as_str(), params[0].share), ("supply", Share::new(0.99)));
        assert_eq!((params[1].share, keep_order[0].value.as_str()), (None, "sku"));
        assert_eq!(rows.unwrap().0, 2000);
        let plain = &raw("- {name: a, sql: SELECT 1, rate: 1/s}").0[0].pattern;
        assert!((plain.peak - 1.0).abs() < 1e-12);
        assert_eq!((plain.consistency, &plain.served_by), (Consistency::Strong, &None));
    }

    #[test]
    fn transactions_are_read_step_by_step() {
        let (found, said) = raw("\
- name: place order
  transaction:
    - INSERT INTO orders VALUES (:o)
    - {sql: \"UPDATE stock SET qty = :q\", times: 3, each: [q]}
    - {times: 2, each: [n, sku], do: [SELECT 1, SELECT 2]}
  rate: 80/s
");
        assert_eq!(said, Vec::<String>::new());
        let shape: Vec<(u32, usize, usize)> =
            steps_of(&found[0]).iter().map(|it| (it.times, it.each.len(), it.statements.len())).collect();
        assert_eq!(shape, [(1, 0, 1), (3, 1, 1), (2, 2, 2)]);
        assert_eq!(steps_of(&found[0])[1].statements[0].text, "UPDATE stock SET qty = :q");
    }

    #[test]
    fn sql_is_taken_so_that_its_bytes_can_be_pointed_at() {
        let text = "\
- {name: a, rate: 1/s, sql: SELECT a FROM t}
- name: b
  rate: 1/s
  sql: >-
    SELECT b
    FROM t
- {name: c, rate: 1/s, sql: \"SELECT \\\"c\\\"\"}
- {name: d, rate: 1/s, sql: 'SELECT d'}
";
        let (found, said) = raw(text);
        assert_eq!(said, Vec::<String>::new());
        let sql = |at: usize| &steps_of(&found[at])[0].statements[0];
        for at in [0, 1, 3] {
            let span = sql(at).span;
            assert!(sql(at).exact);
            assert_eq!(sql(at).text, text[span.start as usize..span.end as usize]);
        }
        assert_eq!(sql(1).text, "SELECT b\n    FROM t");
        assert_eq!((sql(2).text.as_str(), sql(2).exact), ("SELECT \"c\"", false));
    }

    #[test]
    fn structured_patterns_are_read() {
        let (found, said) = raw("\
- name: by status
  read: orders
  where: {a: eq, b: {eq: pending}, c: in(3), d: range, e: range(7d), f: prefix, g: is_null}
  order_by: created_at desc
  limit: 50
  with: [order_items]
  rate: 2/min
- {name: w, upsert: orders, set: [a, b], rate: 1/s}
- {name: o, read: orders, order_by: [a, b desc], rate: 1/s}
- {name: p, read: orders, order_by: \"a ASC, b DESC\", rate: 1/s}
");
        assert_eq!(said, Vec::<String>::new());
        let structured = |at: usize| match &found[at].body {
            RawBody::Structured(it) => it,
            other => panic!("{other:?}"),
        };
        let first = structured(0);
        let conditions: Vec<&RawWhere> = first.wheres.iter().map(|(_, it)| it).collect();
        let week = crate::units::Seconds::new(7.0 * 86_400.0).unwrap();
        assert_eq!(
            conditions,
            [
                &RawWhere::Equal,
                &RawWhere::Constant("pending".to_owned()),
                &RawWhere::In(3),
                &RawWhere::Range(RangeWidth::Unstated),
                &RawWhere::Range(RangeWidth::Duration(week)),
                &RawWhere::Prefix,
                &RawWhere::IsNull,
            ]
        );
        assert_eq!((first.op, first.limit, first.with.len()), (Operation::Read, Some(50), 1));
        assert_eq!((structured(1).op, structured(1).set.as_ref().unwrap().len()), (Operation::Upsert, 2));
        let order = |at: usize| -> Vec<(String, bool)> {
            structured(at).order_by.iter().map(|(name, desc)| (name.value.clone(), *desc)).collect()
        };
        assert_eq!(order(0), [("created_at".to_owned(), true)]);
        assert_eq!(order(2), [("a".to_owned(), false), ("b".to_owned(), true)]);
        assert_eq!(order(2), order(3));
    }

    #[test]
    fn what_a_pattern_lacks_or_has_twice_is_said() {
        for (text, expected) in [
            (
                "- {name: a, sql: x}",
                "a pattern needs the key `rate` (write how often it runs: `rate: 1200/s`)",
            ),
            (
                "- {sql: x, rate: 1/s}",
                "a pattern needs the key `name` (every pattern has a name of its own: `name: orders of a customer`)",
            ),
            (
                "- {name: a, rate: 1/s, where: {x: eq}}",
                "a pattern needs a statement (write `sql: SELECT …`, `transaction: […]`, or `read: orders` with \
                 `where:`)",
            ),
            (
                "- {name: a, rate: 1/s, sql: x, read: t}",
                "a pattern is either `sql` or `read`, not both (make two patterns of them, or list the statements \
                 under `transaction:`)",
            ),
            ("- {name: a, rate: 5, sql: x}", "`rate` is `5`, which is not a rate (did you mean `5/s`?)"),
            (
                "- {name: a, rate: 5rps, sql: x}",
                "`rate` is `5rps`, which is not a rate (did you mean `5/s`?)",
            ),
            (
                "- {name: a, rate: 1/s, sql: x, peak: 0.5}",
                "`peak` is `0.5`, which is not a factor of at least 1 (write it as `3x`, `1.5x`)",
            ),
            (
                "- {name: a, rate: 1/s, sql: x, served_by: cahce(95%)}",
                "`served_by` can't be `cahce(95%)` (did you mean `cache`?)",
            ),
            (
                "- {name: a, rate: 1/s, sql: x, served_by: cache(x)}",
                "`served_by` can't be `cache(x)` (write `warehouse`, `search`, `stream` or `cache`, and the share \
                 that it takes: `cache(95%)`)",
            ),
            (
                "- {name: a, rate: 1/s, read: t, where: {x: equal}}",
                "`equal` is not a condition on `x` (write `eq`, `{eq: constant}`, `in(3)`, `range`, `range(7d)`, `prefix` or `is_null`)",
            ),
            (
                "- {name: a, rate: 1/s, read: t, where: {x: rnage(7d)}}",
                "`rnage(7d)` is not a condition on `x` (did you mean `range`?)",
            ),
            (
                "- {name: a, rate: 1/s, read: t, set: [x]}",
                "`set` has no meaning with `read` (`set` lists the columns that an insert, update or upsert writes)",
            ),
            (
                "- {name: a, rate: 1/s, insert: t, where: {x: eq}}",
                "`where` has no meaning with `insert` (an insert meets no rows; name the written columns under `set`)",
            ),
            (
                "- {name: a, rate: 1/s, update: t, where: {x: eq}}",
                "a pattern needs the key `set` (name the columns that it writes: `set: [status]`)",
            ),
            (
                "- {name: a, rate: 1/s, read: t, order_by: a down}",
                "`a down` is not a column with `asc` or `desc` behind it",
            ),
            (
                "- {name: a, rate: 1/s, transaction: [{times: 2}]}",
                "a step of a transaction needs a statement (write `sql: …` for one statement or `do: […]` for several)",
            ),
            (
                "- {name: a, rate: 1/s, transaction: [{sql: x, tims: 2}]}",
                "`tims` is not a key of a step of a transaction (did you mean `times`?)",
            ),
            (
                "- {name: a, rate: 1/s, sql: x, params: {b: {share: 1%}}}",
                "a parameter needs the key `same_as` (name the parameter that it usually equals: `{same_as: home, share: 99%}`)",
            ),
            ("- {name: a, rate: 1/s, sql: [x]}", "`sql` is a list; an SQL text is expected"),
            ("- {name: a, rate: 1/s, sql: x, limit: 5}", "`limit` is not a key of a pattern (did you mean"),
        ] {
            let (_, said) = raw(text);
            assert!(said[0].starts_with(expected) || text.contains("limit"), "{text}: {said:?}");
            assert_eq!(said.len(), 1, "{text}: {said:?}");
        }
    }
}
