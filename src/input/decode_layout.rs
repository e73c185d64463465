//! The `layout:` section: one physical table for several entities.

use crate::diag::Finding;
use crate::input::fields::{Fields, Name, TEXT, hint, names, syntax, with_hint};
use crate::input::tree::{Entry, Kind, Node};
use crate::model::{Layout, LayoutEntity, LayoutIndex, LayoutServe};

/// Reads one layout, or a list of them.
pub(super) fn layouts(node: &Node, findings: &mut Vec<Finding>) -> Vec<Layout> {
    let nodes = match &node.kind {
        Kind::Sequence(items) => items.as_slice(),
        Kind::Scalar(_) | Kind::Mapping(_) => std::slice::from_ref(node),
    };
    nodes.iter().filter_map(|it| layout(it, findings)).collect()
}

fn layout(node: &Node, findings: &mut Vec<Finding>) -> Option<Layout> {
    let mut fields = Fields::of(node, "a layout", findings)?;
    let table = fields.value("table", &TEXT, findings);
    fields.missing("table", "name the physical table: `table: app`", findings);
    let entities =
        entries("entities", &mut fields, findings).iter().filter_map(|it| entity(it, findings)).collect();
    let indexes =
        entries("indexes", &mut fields, findings).iter().filter_map(|it| index(it, findings)).collect();
    let serve = entries("serve", &mut fields, findings).iter().filter_map(|it| serve(it, findings)).collect();
    let ttl = fields.value("ttl", &TEXT, findings);
    fields.finish(findings);
    Some(Layout { table: table.unwrap_or_default(), entities, indexes, serve, ttl, span: node.span })
}

fn entries<'n>(key: &'static str, fields: &mut Fields<'n>, findings: &mut Vec<Finding>) -> &'n [Entry] {
    let Some(node) = fields.get(key, findings) else { return &[] };
    if let Kind::Scalar(_) | Kind::Sequence(_) = node.kind {
        findings.push(syntax(
            node.span,
            format!("`{key}` is {}; a mapping from names is expected", node.describe()),
        ));
    }
    node.entries()
}

/// Every key but `embed_in` and `as` is an attribute with its template.
fn entity(entry: &Entry, findings: &mut Vec<Finding>) -> Option<LayoutEntity> {
    let mut fields = Fields::of(&entry.value, "an entity", findings)?;
    let embed_in = fields.value("embed_in", &TEXT, findings);
    let embedded_as = fields.spanned("as", &TEXT, findings);
    let attributes: Vec<_> = fields
        .others()
        .filter_map(|it| {
            let template = TEXT.of(&it.key.value, &it.value, findings)?;
            Some((it.key.value.clone(), template.value, template.span))
        })
        .collect();
    if let (Some(it), None) = (&embedded_as, &embed_in) {
        let help = "write `{embed_in: user, as: addresses}`";
        findings.push(
            syntax(it.span, "`as` names the attribute of an `embed_in` that is not there").with_help(help),
        );
    }
    if fields.others().next().is_none() && !fields.has("embed_in") {
        let help = "write `{pk: \"USER#{user_id}\", sk: PROFILE}` or `{embed_in: user}`";
        findings.push(
            syntax(entry.key.span, "an entity needs a key or a place to be embedded in").with_help(help),
        );
    }
    Some(LayoutEntity {
        name: entry.key.value.clone(),
        attributes,
        embed_in: embed_in.map(|it| (it, embedded_as.map(|it| it.value))),
        span: entry.key.span,
    })
}

fn index(entry: &Entry, findings: &mut Vec<Finding>) -> Option<LayoutIndex> {
    let mut fields = Fields::of(&entry.value, "an index of a layout", findings)?;
    let pk = one_or_more("pk", &mut fields, findings);
    fields.missing("pk", "name the attribute of its partition key: `pk: GSI1PK`", findings);
    let sk = one_or_more("sk", &mut fields, findings);
    let projection = fields.get("projection", findings).map(|it| projection(it, findings));
    fields.finish(findings);
    Some(LayoutIndex {
        name: entry.key.value.clone(),
        pk,
        sk,
        projection: projection.unwrap_or_else(|| vec!["all".to_owned()]),
        span: entry.key.span,
    })
}

fn one_or_more(key: &'static str, fields: &mut Fields<'_>, findings: &mut Vec<Finding>) -> Vec<String> {
    fields.get(key, findings).map(|it| texts(key, it, findings)).unwrap_or_default()
}

fn texts(key: &str, node: &Node, findings: &mut Vec<Finding>) -> Vec<String> {
    let found: Vec<Name> = match node.kind {
        Kind::Sequence(_) => names(key, node, findings),
        Kind::Scalar(_) | Kind::Mapping(_) => TEXT.of(key, node, findings).into_iter().collect(),
    };
    found.into_iter().map(|it| it.value).collect()
}

/// `all`, `keys_only` or `{include: [..]}`
fn projection(node: &Node, findings: &mut Vec<Finding>) -> Vec<String> {
    if let Kind::Mapping(_) = node.kind {
        let Some(mut fields) = Fields::of(node, "a projection", findings) else { return Vec::new() };
        let include = fields.names("include", findings).unwrap_or_default();
        fields.finish(findings);
        return include.into_iter().map(|it| it.value).collect();
    }
    let word = node.scalar().map_or("", |it| it.text.as_str());
    if !matches!(word, "all" | "keys_only") {
        let help = hint(word, ["all", "keys_only"])
            .unwrap_or_else(|| "write `all`, `keys_only` or `{include: [total]}`".to_owned());
        findings.push(syntax(node.span, format!("`projection` can't be `{word}`")).with_help(help));
        return vec!["all".to_owned()];
    }
    vec![word.to_owned()]
}

const SERVE_OPERATIONS: [&str; 4] = ["query", "get", "batch_get", "scan"];
const SERVE_OPTIONS: [&str; 10] = [
    "pk",
    "sk",
    "sk_begins_with",
    "sk_between",
    "sk_at_least",
    "sk_at_most",
    "order",
    "limit",
    "filter",
    "then",
];

fn serve(entry: &Entry, findings: &mut Vec<Finding>) -> Option<LayoutServe> {
    let mut fields = Fields::of(&entry.value, "a way to answer a pattern", findings)?;
    let mut operations = Vec::new();
    for key in SERVE_OPERATIONS {
        if let Some(source) = fields.spanned(key, &TEXT, findings) {
            operations.push((key, source));
        }
    }
    let mut options = Vec::new();
    for key in SERVE_OPTIONS {
        let Some(node) = fields.get(key, findings) else { continue };
        let values = texts(key, node, findings);
        if key == "sk_between" && values.len() != 2 {
            let message = format!("`sk_between` has two ends, not {}", values.len());
            findings.push(syntax(node.span, message).with_help("write `sk_between: [\"{from}\", \"{to}\"]`"));
        }
        options.push((node.span.start, key.to_owned(), values));
    }
    options.sort_by_key(|(start, ..)| *start);
    if let [_, (key, second), ..] = operations.as_slice() {
        findings
            .push(syntax(second.span, format!("a pattern is answered in one way; `{key}` is a second one")));
    }
    let asked = SERVE_OPERATIONS.iter().any(|it| fields.has(it));
    fields.finish(findings);
    let Some((operation, source)) = operations.into_iter().next() else {
        if !asked {
            let help = "write `query: GSI1`, `get: table`, `batch_get: table` or `scan: table`";
            findings.push(syntax(entry.key.span, "a pattern is answered by an operation").with_help(help));
        }
        return None;
    };
    Some(LayoutServe {
        pattern: entry.key.value.clone(),
        operation: operation.to_owned(),
        source: source.value,
        options: options.into_iter().map(|(_, key, values)| (key, values)).collect(),
        span: entry.key.span,
    })
}

/// Reports the patterns that a layout serves and nobody described.
pub(super) fn check_served(layout: &Layout, patterns: &[&str], findings: &mut Vec<Finding>) {
    for serve in &layout.serve {
        if !patterns.contains(&serve.pattern.as_str()) {
            let finding = syntax(serve.span, format!("no pattern is named `{}`", serve.pattern));
            findings.push(with_hint(finding, &serve.pattern, patterns.iter().copied(), "patterns"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::input::testing::{clean, said};

    const LAYOUT: &str = "\
shardwright: 1
tables: {t: {columns: {a: int}}}
patterns:
  - {name: orders of a user, read: t, rate: 1/s}
  - {name: export, read: t, rate: 1/s}
layout:
  table: app
  ttl: expires_at
  entities:
    user: {pk: \"USER#{user_id}\", sk: PROFILE}
    order: {pk: \"USER#{user_id}\", sk: \"ORDER#{n:pad(10)}\", GSI1PK: \"STATUS#{status}\"}
    address: {embed_in: user, as: addresses}
  indexes:
    GSI1: {pk: GSI1PK, sk: [GSI1SK, created_at], projection: {include: [total]}}
    GSI2: {pk: GSI2PK, projection: keys_only}
    GSI3: {pk: GSI3PK}
  serve:
    orders of a user: {query: table, limit: 20, pk: \"USER#{user_id}\", sk_between: [\"{from}\", \"{to}\"], filter: [total], then: batch_get}
    export: {scan: table}
";

    #[test]
    fn a_layout_with_everything_is_read() {
        let design = clean(LAYOUT);
        let layout = &design.layouts[0];
        assert_eq!((layout.table.as_str(), layout.ttl.as_deref()), ("app", Some("expires_at")));
        let attributes: Vec<(&str, &str)> = layout.entities[1]
            .attributes
            .iter()
            .map(|(name, text, _)| (name.as_str(), text.as_str()))
            .collect();
        assert_eq!(
            attributes,
            [("pk", "USER#{user_id}"), ("sk", "ORDER#{n:pad(10)}"), ("GSI1PK", "STATUS#{status}")]
        );
        assert_eq!(layout.entities[2].embed_in, Some(("user".to_owned(), Some("addresses".to_owned()))));
        assert_eq!(layout.indexes[0].sk, ["GSI1SK", "created_at"]);
        let projections: Vec<&[String]> = layout.indexes.iter().map(|it| it.projection.as_slice()).collect();
        assert_eq!(projections, [["total"], ["keys_only"], ["all"]]);
        let serve = &layout.serve[0];
        assert_eq!((serve.operation.as_str(), serve.source.as_str()), ("query", "table"));
        let options: Vec<&str> = serve.options.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(options, ["limit", "pk", "sk_between", "filter", "then"]);
        assert_eq!(serve.options[2].1, ["{from}", "{to}"]);
        assert_eq!(layout.serve[1].operation, "scan");
    }

    #[test]
    fn several_layouts_are_a_list() {
        let design = clean("shardwright: 1\nlayout:\n  - {table: a}\n  - {table: b}\n");
        let names: Vec<&str> = design.layouts.iter().map(|it| it.table.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn what_a_layout_lacks_is_said() {
        let text = "\
shardwright: 1
layout:
  entities:
    a: {}
    b: {as: x, pk: p}
    c: {pk: [p]}
  indexes:
    G: {projection: some}
  serve:
    nobody: {query: table}
    nothing: {limit: 3}
    both: {get: table, scan: table, sk_between: [a]}
";
        let said = said(text);
        let messages: Vec<&str> = said.iter().map(|it| it.split_once("` ").unwrap().1).collect();
        assert_eq!(
            messages,
            [
                "a layout needs the key `table` (name the physical table: `table: app`)",
                "an entity needs a key or a place to be embedded in (write `{pk: \"USER#{user_id}\", sk: PROFILE}` or \
                 `{embed_in: user}`)",
                "`as` names the attribute of an `embed_in` that is not there (write `{embed_in: user, as: addresses}`)",
                "`pk` is a list; a text is expected (write it as `name`)",
                "an index of a layout needs the key `pk` (name the attribute of its partition key: `pk: GSI1PK`)",
                "`projection` can't be `some` (write `all`, `keys_only` or `{include: [total]}`)",
                "no pattern is named `nobody` (there are no patterns here)",
                "a pattern is answered by an operation (write `query: GSI1`, `get: table`, `batch_get: table` or \
                 `scan: table`)",
                "no pattern is named `both` (there are no patterns here)",
                "a pattern is answered in one way; `scan` is a second one",
                "`sk_between` has two ends, not 1 (write `sk_between: [\"{from}\", \"{to}\"]`)",
            ]
        );
    }
}
