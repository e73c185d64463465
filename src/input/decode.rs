//! A YAML document decoded by hand, so that all problems of a file come out at
//! once, each with its place.

use crate::diag::Finding;
use crate::input::decode_cache::cache;
use crate::input::decode_ids::ids;
use crate::input::decode_layout::layouts;
use crate::input::decode_patterns::patterns;
use crate::input::decode_plan::plan;
use crate::input::decode_tables::tables;
use crate::input::fields::{DURATION, Fields, NUMBER, RATE, SIZE, Scalars, TEXT, list, one_of, syntax};
use crate::input::raw::{RawDesign, RawPlan};
use crate::input::suppress;
use crate::input::tree::{Kind, Node, Tree};
use crate::model::{Costs, Ignore, LintSettings, NodeCapacity, TargetSpec};
use crate::source::{FileId, Span};
use crate::units::text;

/// The version of the format that is read and written.
pub(super) const FORMAT_VERSION: u32 = 1;

/// Decodes a document. `None`: there is no mapping, or its version is not read.
pub(super) fn design(
    tree: &Tree,
    text: &str,
    file: FileId,
    findings: &mut Vec<Finding>,
) -> Option<RawDesign> {
    let mut fields = root(tree, file, findings)?;
    let mut raw = RawDesign {
        name: fields.value("name", &TEXT, findings),
        include: fields.names("include", findings).unwrap_or_default(),
        horizon: fields.value("horizon", &DURATION, findings),
        ..RawDesign::default()
    };
    if let Some(entry) = fields.entry("target") {
        raw.target = target(&entry.value, entry.key.span, findings);
    }
    raw.tables = fields.get("tables", findings).map(|it| tables(it, findings)).unwrap_or_default();
    raw.patterns =
        fields.get("patterns", findings).map(|it| patterns(it, text, findings)).unwrap_or_default();
    raw.plan = fields.entry("plan").and_then(|it| plan(it, findings));
    raw.current = fields.entry("current").and_then(|it| plan(it, findings));
    raw.layouts = fields.get("layout", findings).map(|it| layouts(it, findings)).unwrap_or_default();
    raw.ids = fields.get("ids", findings).map(|it| ids(it, findings)).unwrap_or_default();
    raw.cache = fields.entry("cache").and_then(|it| cache(it, findings));
    raw.lint = fields.get("lint", findings).map(|it| lint(it, findings)).unwrap_or_default();
    raw.costs = fields.get("costs", findings).and_then(|it| costs(it, findings));
    fields.finish(findings);
    raw.lint.ignore.extend(suppress::in_tree(tree, text, findings));
    Some(raw)
}

/// Decodes the plan of a document, and reports unknown keys beside it; other sections are not looked into.
pub(super) fn plan_only(
    tree: &Tree,
    text: &str,
    file: FileId,
    findings: &mut Vec<Finding>,
) -> Option<RawPlan> {
    let mut fields = root(tree, file, findings)?;
    for key in [
        "name", "include", "horizon", "target", "tables", "patterns", "current", "layout", "ids", "cache",
        "lint", "costs",
    ] {
        fields.entry(key);
    }
    let found = fields.entry("plan").map(|it| plan(it, findings));
    if found.is_none() {
        let help = "write `plan: {tables: {orders: {key: [customer_id]}}}`";
        findings.push(
            syntax(Span { end: fields.span.start, ..fields.span }, "there is no `plan:` here")
                .with_help(help),
        );
    }
    fields.finish(findings);
    suppress::in_tree(tree, text, findings);
    found.flatten()
}

/// The document's mapping, its version checked.
fn root<'t>(tree: &'t Tree, file: FileId, findings: &mut Vec<Finding>) -> Option<Fields<'t>> {
    let Some(node) = &tree.root else {
        let help = "a design starts with `shardwright: 1`";
        findings.push(syntax(Span::new(file, 0, 0), "the file is empty").with_help(help));
        return None;
    };
    if !matches!(node.kind, Kind::Mapping(_)) {
        let help = "a design starts with `shardwright: 1`, and `tables:` and `patterns:` below it";
        let message = format!("the file is {}, not a design", node.describe());
        findings.push(syntax(node.span, message).with_help(help));
        return None;
    }
    let mut fields = Fields::of(node, "a design", findings)?;
    version(&mut fields, findings).then_some(fields)
}

/// Whether the version is read here; a missing one is taken as the present one.
fn version(fields: &mut Fields<'_>, findings: &mut Vec<Finding>) -> bool {
    let Some(stated) = fields.spanned("shardwright", &NUMBER, findings) else {
        if !fields.has("shardwright") {
            let start = Span { end: fields.span.start, ..fields.span };
            let finding = syntax(start, "the format's version is missing");
            findings
                .push(finding.with_help(format!("put `shardwright: {FORMAT_VERSION}` in the first line")));
        }
        return true;
    };
    if stated.value <= FORMAT_VERSION {
        return true;
    }
    let message = format!(
        "format version {} is read by a later shardwright; this one, {}, reads version {FORMAT_VERSION}",
        stated.value,
        env!("CARGO_PKG_VERSION"),
    );
    let help = format!("install a shardwright that reads format version {}", stated.value);
    findings.push(syntax(stated.span, message).with_help(help));
    false
}

fn target(node: &Node, key: Span, findings: &mut Vec<Finding>) -> TargetSpec {
    let Some(mut fields) = Fields::of(node, "a target", findings) else {
        return TargetSpec { span: key, ..TargetSpec::default() };
    };
    let spec = target_fields(&mut fields, key, findings);
    fields.finish(findings);
    spec
}

/// The keys of a target: also the fields of `-- @target`.
pub(super) fn target_fields(fields: &mut Fields<'_>, span: Span, findings: &mut Vec<Finding>) -> TargetSpec {
    TargetSpec {
        engine: fields.spanned("engine", &TEXT, findings).map(|it| (it.value, it.span)),
        version: fields.value("version", &TEXT, findings),
        shards: fields.value("shards", &NUMBER, findings),
        nodes: fields.value("nodes", &NUMBER, findings),
        node: fields.get("node", findings).map(|it| node_capacity(it, findings)).unwrap_or_default(),
        copies: fields.value("copies", &NUMBER, findings),
        provisioned: fields.value("provisioned", &RATE, findings),
        span,
    }
}

fn node_capacity(node: &Node, findings: &mut Vec<Finding>) -> NodeCapacity {
    let Some(mut fields) = Fields::of(node, "a node", findings) else { return NodeCapacity::default() };
    let capacity = NodeCapacity {
        storage: fields.value("storage", &SIZE, findings),
        reads: fields.value("reads", &RATE, findings),
        writes: fields.value("writes", &RATE, findings),
    };
    fields.finish(findings);
    capacity
}

fn lint(node: &Node, findings: &mut Vec<Finding>) -> LintSettings {
    let mut settings = LintSettings::default();
    let Some(mut fields) = Fields::of(node, "`lint`", findings) else { return settings };
    if let Some(node) = fields.get("ignore", findings) {
        settings.ignore =
            list("ignore", node, findings).iter().filter_map(|it| ignore(it, findings)).collect();
    }
    if let Some(node) = fields.get("levels", findings) {
        if !matches!(node.kind, Kind::Mapping(_)) {
            let message =
                format!("`levels` is {}; a mapping from rules to levels is expected", node.describe());
            findings
                .push(syntax(node.span, message).with_help("write `levels: {monotonic-range-key: error}`"));
        }
        for entry in node.entries() {
            let levels = [("error", ()), ("warning", ()), ("info", ()), ("off", ())];
            let Some(word) = TEXT.of(&entry.key.value, &entry.value, findings) else { continue };
            if one_of(&entry.key.value, &word, &levels, findings).is_some() {
                settings.levels.insert(entry.key.value.clone(), (word.value, entry.key.span));
            }
        }
    }
    fields.finish(findings);
    settings
}

fn ignore(node: &Node, findings: &mut Vec<Finding>) -> Option<Ignore> {
    let mut fields = Fields::of(node, "an entry of `ignore`", findings)?;
    let rule = fields.value("rule", &TEXT, findings);
    fields.missing("rule", "name the rule: `{rule: scatter-read, reason: …}`", findings);
    let ignore = Ignore {
        rule: rule.unwrap_or_default(),
        table: fields.value("table", &TEXT, findings),
        pattern: fields.value("pattern", &TEXT, findings),
        index: fields.value("index", &TEXT, findings),
        reason: fields.value("reason", &TEXT, findings),
        line: None,
        span: node.span,
    };
    fields.finish(findings);
    (!ignore.rule.is_empty()).then_some(ignore)
}

/// A cost in shard requests.
const COST: Scalars<f64> =
    Scalars { what: "a number of shard requests", example: "`0.05`", read: text::parse_count };

fn costs(node: &Node, findings: &mut Vec<Finding>) -> Option<Costs> {
    let mut fields = Fields::of(node, "`costs`", findings)?;
    let default = Costs::default();
    let costs = Costs {
        row_read: fields.value("row_read", &COST, findings).unwrap_or(default.row_read),
        row_written: fields.value("row_written", &COST, findings).unwrap_or(default.row_written),
        row_moved: fields.value("row_moved", &COST, findings).unwrap_or(default.row_moved),
        commit: fields.value("commit", &COST, findings).unwrap_or(default.commit),
    };
    fields.finish(findings);
    Some(costs)
}

#[cfg(test)]
mod tests {
    use crate::input::testing::{clean, read_text, said};

    #[test]
    fn the_top_of_a_file_is_read() {
        let design = clean(
            "\
shardwright: 1
name: commerce
horizon: 2y
target:
  engine: citus
  version: 13.0
  shards: 32
  nodes: 4
  node: {storage: 2TB, reads: 50k/s, writes: 10k/s}
  copies: 3
  provisioned: 20k/s
costs: {row_read: 0.5}
lint:
  ignore:
    - {rule: scatter-read, pattern: by status, reason: back office}
  levels: {monotonic-range-key: error}
",
        );
        assert_eq!(design.name, "commerce");
        assert!((design.horizon().days() - 730.5).abs() < 1e-9);
        let target = &design.target;
        assert_eq!(target.engine.as_ref().unwrap().0, "citus");
        assert_eq!(target.version.as_deref(), Some("13.0"));
        assert_eq!((target.shards, target.nodes, target.copies), (Some(32), Some(4), Some(3)));
        assert_eq!(target.node.storage.unwrap().0, 2_000_000_000_000);
        assert!((target.node.reads.unwrap().get() - 50_000.0).abs() < 1e-9);
        assert!((target.provisioned.unwrap().get() - 20_000.0).abs() < 1e-9);
        assert!((design.costs.row_read - 0.5).abs() < 1e-12);
        assert!((design.costs.commit - 1.0).abs() < 1e-12);
        assert_eq!(design.lint.ignore[0].pattern.as_deref(), Some("by status"));
        assert_eq!(design.lint.levels["monotonic-range-key"].0, "error");
    }

    #[test]
    fn a_missing_version_is_said_and_the_rest_is_read() {
        let (read, _) = read_text("name: x\n");
        assert_eq!(read.findings[0].message, "the format's version is missing");
        assert_eq!(read.findings[0].help.as_deref(), Some("put `shardwright: 1` in the first line"));
        assert_eq!(read.design.name, "x");
        assert!(read.readable);
    }

    #[test]
    fn a_later_version_is_refused_with_the_versions_that_are_read() {
        let (read, _) = read_text("shardwright: 2\nnmae: x\n");
        assert_eq!(read.findings.len(), 1);
        let message = &read.findings[0].message;
        assert!(
            message.starts_with("format version 2 is read by a later shardwright; this one, 0."),
            "{message}"
        );
        assert!(message.ends_with("reads version 1"), "{message}");
    }

    #[test]
    fn all_problems_of_a_file_come_out_at_once() {
        let text = "\
shardwright: 1
tabels: {}
horizon: 2 fortnights
target: {engin: citus, shards: 0}
tables:
  orders:
    rows: 200m
    growth: 300k
    row_size: big
    columns:
      order_id: {type: uuid, generated: uuid8}
      status: {type: text, valeus: [a]}
    primary_key: [id]
lint:
  levels: {x: fatal}
";
        assert_eq!(
            said(text),
            [
                "2:1 `tabels` `tabels` is not a key of a design (did you mean `tables`?)",
                "3:10 `2 fortnights` `horizon` is `2 fortnights`, which is not a duration (write it as `20ms`, `5s`, \
                 `2h`, `7d`, `2y`)",
                "4:10 `engin` `engin` is not a key of a target (did you mean `engine`?)",
                "4:32 `0` `shards` is `0`, which is not a whole number of at least 1 (write it as `16`)",
                "7:11 `200m` `rows` is `200m`, which is not a count (did you mean `200M`?)",
                "8:13 `300k` `growth` is `300k`, which is not a rate (did you mean `300k/s`?)",
                "9:15 `big` `row_size` is `big`, which is not a size (write it as `300B`, `4KB`, `4KiB`, `2TB`)",
                "11:41 `uuid8` `generated` can't be `uuid8` (did you mean `uuid4`?)",
                "12:28 `valeus` `valeus` is not a key of a column (did you mean `values`?)",
                "13:19 `id` table `orders` has no column `id` (its columns: `order_id`, `status`)",
                "15:15 `fatal` `x` can't be `fatal` (one of: `error`, `warning`, `info`, `off`)",
            ]
        );
    }

    #[test]
    fn columns_of_places_count_wide_letters_as_one() {
        let said = said("shardwright: 1\nname: {ชื่อ: x, b: 1}\n");
        assert_eq!(
            said,
            ["2:7 `{ชื่อ: x, b: 1}` `name` is a mapping; a text is expected (write it as `name`)"]
        );
        let said = self::said("shardwright: 1\ntarget: {version: \"รุ่น é\", shrads: 4}\n");
        assert_eq!(said, ["2:29 `shrads` `shrads` is not a key of a target (did you mean `shards`?)"]);
    }

    #[test]
    fn what_is_no_mapping_is_no_design() {
        for (text, what) in [
            ("", "the file is empty"),
            ("# only a remark\n", "the file is empty"),
            ("hello\n", "the file is a single value, not a design"),
            ("- a\n", "the file is a list, not a design"),
            ("~\n", "the file is empty, not a design"),
        ] {
            let (read, _) = read_text(text);
            assert_eq!(read.findings[0].message, what);
            assert!(!read.readable);
        }
    }

    #[test]
    fn empty_values_are_said() {
        assert_eq!(
            said("shardwright: 1\nname:\nplan:\ntables:\n"),
            [
                "2:1 `name` `name` has no value",
                "3:1 `plan` `plan` has no value",
                "4:1 `tables` `tables` has no value"
            ]
        );
    }
}
