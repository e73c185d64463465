//! The `plan:` and `current:` sections.

use crate::diag::Finding;
use crate::input::decode_claims::claims;
use crate::input::decode_patterns::term;
use crate::input::fields::{
    DURATION, FLAG, Fields, NUMBER, NUMBER_OR_NONE, Name, SHARE, Scalars, TEXT, list, names, syntax,
};
use crate::input::raw::{
    RawChoice, RawInclude, RawIndex, RawKey, RawKeyPart, RawPlan, RawSalt, RawTablePlan,
};
use crate::input::tree::{Entry, Kind, Node};
use crate::model::{Include, LookupCopies, NodesLeave, PlacementKind, Scope, Strategy};

/// Reads a plan; `key` is the section's name.
pub(super) fn plan(entry: &Entry, findings: &mut Vec<Finding>) -> Option<RawPlan> {
    if entry.value.is_null() {
        findings.push(syntax(entry.key.span, format!("`{}` has no value", entry.key.value)));
        return None;
    }
    let mut fields = Fields::of(&entry.value, "a plan", findings)?;
    let mut raw = RawPlan::default();
    let plan = &mut raw.plan;
    plan.span = entry.key.span;
    plan.by = fields.value("by", &TEXT, findings);
    plan.shards = fields.value("shards", &NUMBER, findings);
    plan.nodes = fields.value("nodes", &NUMBER, findings);
    plan.placement = fields.one_of("placement", PlacementKind::ALL, findings).map(|it| (it.value, it.span));
    plan.vnodes = fields.value("vnodes", &NUMBER, findings);
    plan.nodes_later = fields.value("nodes_later", &NUMBER, findings);
    let leave = [("any", NodesLeave::Any), ("last", NodesLeave::Last)];
    plan.nodes_leave = fields.one_of("nodes_leave", &leave, findings).map(|it| it.value);
    plan.lookup = fields.get("lookup", findings).and_then(|it| lookup(it, findings));
    plan.claims = fields.get("claims", findings).map(|it| claims(it, findings)).unwrap_or_default();
    raw.tables = fields.get("tables", findings).map(|it| tables(it, findings)).unwrap_or_default();
    raw.indexes = fields.get("indexes", findings).map(|it| indexes(it, findings)).unwrap_or_default();
    fields.finish(findings);
    Some(raw)
}

fn lookup(node: &Node, findings: &mut Vec<Finding>) -> Option<LookupCopies> {
    let mut fields = Fields::of(node, "`lookup`", findings)?;
    let replicas = fields.value("replicas", &NUMBER_OR_NONE, findings);
    let cache_hit = fields.value("cache_hit", &SHARE, findings);
    fields.finish(findings);
    Some(LookupCopies { replicas, cache_hit, span: node.span })
}

fn tables(node: &Node, findings: &mut Vec<Finding>) -> Vec<RawTablePlan> {
    let Kind::Mapping(entries) = &node.kind else {
        let message =
            format!("`tables` is {}; a mapping from tables to their keys is expected", node.describe());
        findings.push(syntax(node.span, message).with_help("write `tables: {orders: {key: [customer_id]}}`"));
        return Vec::new();
    };
    entries.iter().filter_map(|it| table(it, findings)).collect()
}

fn table(entry: &Entry, findings: &mut Vec<Finding>) -> Option<RawTablePlan> {
    let mut fields = Fields::of(&entry.value, "a table's plan", findings)?;
    let replicated = fields.value("replicated", &FLAG, findings).unwrap_or(false);
    let unsharded = fields.value("unsharded", &FLAG, findings).unwrap_or(false);
    let parts = fields.get("key", findings).map(|it| (key_parts(it, findings), it.span));
    let key = RawKey {
        parts: Vec::new(),
        add_columns: fields
            .get("add_column", findings)
            .map(|it| one_or_more("add_column", it, findings))
            .unwrap_or_default(),
        strategy: fields.one_of("strategy", Strategy::ALL, findings).map(|it| it.value),
        hierarchical: fields.value("hierarchical", &FLAG, findings).unwrap_or(false),
        salt: salt(&mut fields, true, findings),
    };
    let cluster =
        fields.get("cluster", findings).map(|it| terms("cluster", it, findings)).unwrap_or_default();
    let splits = texts(&mut fields, "splits", findings);
    let dedicated = texts(&mut fields, "dedicated", findings);
    let key_span = parts.as_ref().map_or(entry.key.span, |(_, span)| *span);
    let ways = [(parts.is_some(), "key"), (replicated, "replicated"), (unsharded, "unsharded")];
    let given: Vec<&str> = ways.iter().filter(|(given, _)| *given).map(|(_, name)| *name).collect();
    let bad_key = fields.has("key") && parts.is_none();
    fields.finish(findings);
    if let [first, second, ..] = given.as_slice() {
        let message = format!("a table has either `{first}` or `{second}`, not both");
        findings.push(syntax(entry.key.span, message));
    }
    let choice = match parts {
        Some((parts, _)) => RawChoice::Sharded(RawKey { parts, ..key }),
        None if replicated => RawChoice::Replicated,
        None if unsharded => RawChoice::Unsharded,
        None => {
            if !bad_key {
                let help = "write `{key: [customer_id]}`, `{replicated: true}` or `{unsharded: true}`";
                findings.push(syntax(entry.key.span, "a table's plan needs a key").with_help(help));
            }
            return None;
        }
    };
    Some(RawTablePlan {
        table: entry.key.clone(),
        choice,
        cluster,
        splits,
        dedicated,
        span: entry.key.span,
        key_span,
        from_statement: false,
    })
}

fn key_parts(node: &Node, findings: &mut Vec<Finding>) -> Vec<RawKeyPart> {
    let items = list("key", node, findings);
    if items.is_empty() {
        findings.push(syntax(node.span, "a key needs at least one column"));
    }
    items.iter().filter_map(|it| key_part(it, findings)).collect()
}

fn key_part(node: &Node, findings: &mut Vec<Finding>) -> Option<RawKeyPart> {
    if let Kind::Mapping(_) = node.kind {
        let mut fields = Fields::of(node, "a time bucket", findings)?;
        let column = fields.spanned("bucket", &TEXT, findings);
        let every = fields.spanned("every", &DURATION, findings);
        fields.missing("bucket", "name the column of the time: `{bucket: sent_at, every: 10d}`", findings);
        fields.missing("every", "say how wide a bucket is: `{bucket: sent_at, every: 10d}`", findings);
        fields.finish(findings);
        let every = every?;
        if every.value.get() <= 0.0 {
            findings.push(syntax(every.span, "a bucket is wider than nothing"));
            return None;
        }
        return Some(RawKeyPart::Bucket(column?, every.value));
    }
    let name = TEXT.of("key", node, findings)?;
    let is_expression = name.value.contains('(');
    Some(if is_expression { RawKeyPart::Expression(name) } else { RawKeyPart::Column(name) })
}

/// A name, or a list of names.
fn one_or_more(key: &str, node: &Node, findings: &mut Vec<Finding>) -> Vec<Name> {
    match node.kind {
        Kind::Sequence(_) => names(key, node, findings),
        Kind::Scalar(_) | Kind::Mapping(_) => TEXT.of(key, node, findings).into_iter().collect(),
    }
}

/// `salt: 8`, `salt_from: column` (or `random`), `salt_only: hot`.
fn salt(fields: &mut Fields<'_>, of_table: bool, findings: &mut Vec<Finding>) -> Option<RawSalt> {
    let ways = fields.value("salt", &NUMBER, findings);
    let from = fields.spanned("salt_from", &TEXT, findings);
    let only = of_table.then(|| fields.one_of("salt_only", &[("hot", ())], findings)).flatten();
    if !fields.has("salt") {
        for span in [from.as_ref().map(|it| it.span), only.as_ref().map(|it| it.span)].into_iter().flatten() {
            let help = "write over how many each value is spread: `salt: 8`";
            findings.push(syntax(span, "this belongs to a `salt` that is not there").with_help(help));
        }
    }
    let from = from.filter(|it| it.value != "random");
    Some(RawSalt { ways: ways?, from, only_hot: only.is_some() })
}

fn terms(key: &str, node: &Node, findings: &mut Vec<Finding>) -> Vec<(Name, bool)> {
    let found = names(key, node, findings);
    found.iter().filter_map(|it| term(it, findings)).collect()
}

fn texts(fields: &mut Fields<'_>, key: &'static str, findings: &mut Vec<Finding>) -> Vec<String> {
    fields.names(key, findings).unwrap_or_default().into_iter().map(|it| it.value).collect()
}

fn indexes(node: &Node, findings: &mut Vec<Finding>) -> Vec<RawIndex> {
    list("indexes", node, findings).iter().filter_map(|it| index(it, findings)).collect()
}

fn index(node: &Node, findings: &mut Vec<Finding>) -> Option<RawIndex> {
    let mut fields = Fields::of(node, "an index", findings)?;
    let name = fields.spanned("name", &TEXT, findings);
    let table = fields.spanned("table", &TEXT, findings);
    let key = fields.get("key", findings).map(|it| names("key", it, findings));
    let sort = fields.names("sort", findings).unwrap_or_default();
    let scope = fields.one_of("scope", &[("global", Scope::Global), ("local", Scope::Local)], findings);
    let strategy = fields.one_of("strategy", Strategy::ALL, findings).map(|it| it.value);
    let salt = salt(&mut fields, false, findings);
    let unique = fields.value("unique", &FLAG, findings).unwrap_or(false);
    let include = fields.get("include", findings).map(|it| include(it, findings));
    let only = fields.get("only", findings).map(|it| only(it, findings)).unwrap_or_default();
    for (key, help) in [
        ("name", "give it a name: `name: users_email`"),
        ("table", "name the table that it serves: `table: users`"),
        ("key", "name the columns that place an entry: `key: [email]`"),
    ] {
        fields.missing(key, help, findings);
    }
    let span = name.as_ref().map_or(node.span, |it| it.span);
    fields.finish(findings);
    Some(RawIndex {
        name: name.map(|it| it.value),
        table: table?,
        key: key?,
        sort,
        scope: scope.map_or(Scope::Global, |it| it.value),
        strategy,
        salt,
        unique,
        include: include.unwrap_or(RawInclude::Plain(Include::KeysOnly)),
        only,
        span,
    })
}

/// `all`, or a list of columns.
const ALL: Scalars<()> = Scalars {
    what: "`all` or a list of columns",
    example: "`all`, `[user_id]`",
    read: |it| (it == "all").then_some(()),
};

fn include(node: &Node, findings: &mut Vec<Finding>) -> RawInclude {
    if let Kind::Scalar(_) = node.kind {
        return match ALL.of("include", node, findings) {
            Some(_) => RawInclude::Plain(Include::All),
            None => RawInclude::Plain(Include::KeysOnly),
        };
    }
    RawInclude::Columns(names("include", node, findings))
}

fn only(node: &Node, findings: &mut Vec<Finding>) -> Vec<(Name, String)> {
    let Kind::Mapping(entries) = &node.kind else {
        let message = format!("`only` is {}; a mapping from columns to values is expected", node.describe());
        findings.push(syntax(node.span, message).with_help("write `only: {status: pending}`"));
        return Vec::new();
    };
    entries
        .iter()
        .filter_map(|it| Some((it.key.clone(), TEXT.of(&it.key.value, &it.value, findings)?.value)))
        .collect()
}
