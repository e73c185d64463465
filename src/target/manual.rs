//! The document of all engines, `docs/targets.md`, written from [`ENGINES`].

use std::fmt::Write as _;

use crate::model::TypeFamily;
use crate::target::{
    Colocation, DefaultShards, ENGINES, Engine, ForeignKeySupport, JoinSupport, Limit, Sequence,
    ShardsChange, Source, Sure, TransactionSupport, Uniqueness, ValueChange,
};

const HEAD: &str = "\
# Databases

What the program knows of each database, with the page it comes from and the day (or the month of the copy) in which
it was read. *Secondary* marks an excerpt, an older copy or a page that does not fully settle it; *general knowledge*
was not looked up; *unconfirmed* facts never carry a finding above info. This file is written from `src/target` by
`SHARDWRIGHT_WRITE=1 cargo test --test it docs`.

";

/// The document of all engines.
#[must_use]
pub fn targets_markdown() -> String {
    let mut text = HEAD.to_owned();
    write_summary(&mut text);
    for engine in ENGINES {
        write_engine(&mut text, engine);
    }
    text
}

fn write_summary(text: &mut String) {
    text.push_str(
        "| database | id | strategy | unique columns | foreign keys | joins | commits together | global index |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for engine in ENGINES {
        let _ = writeln!(
            text,
            "| {} | `{}` | {} | {} | {} | {} | {} | {} |",
            engine.name,
            engine.id,
            engine.default_strategy.as_str(),
            unique(engine),
            foreign_keys(engine),
            joins(engine),
            transactions(engine),
            engine.index.global.unwrap_or("none"),
        );
    }
}

fn write_engine(text: &mut String, engine: &Engine) {
    let _ = write!(text, "\n## {}\n\n`{}`", engine.name, engine.id);
    for (place, alias) in engine.aliases.iter().enumerate() {
        let _ = write!(text, "{} `{alias}`", if place == 0 { "; also" } else { "," });
    }
    let _ = match engine.shard_word {
        "shard" => writeln!(text, ".\n"),
        word => writeln!(text, ". A shard is called a {word}.\n"),
    };
    if let Some(other) = engine.on_several_nodes {
        let _ = writeln!(
            text,
            "With several nodes it is judged as [{0}](#{1}).\n",
            other.name,
            anchor(other.name)
        );
    }
    write_table(text, "question | answer", &rules(engine));
    let limits = limits(engine);
    if !limits.is_empty() {
        text.push('\n');
        write_table(text, "limit | value", &limits);
    }
}

fn write_table(text: &mut String, head: &str, lines: &[Line]) {
    let _ = writeln!(text, "| {head} | source |\n|---|---|---|");
    for line in lines {
        let source = line.source.map(cite).unwrap_or_default();
        let _ = writeln!(text, "| {} | {} | {source} |", line.what, line.value);
    }
}

/// The anchor that a Markdown viewer gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|it| it.is_alphanumeric() || *it == '-').collect()
}

/// One row of a table.
#[derive(Debug)]
pub(super) struct Line {
    /// What is asked, or limited.
    pub(super) what: String,
    /// The answer, or the number.
    pub(super) value: String,
    /// Where it is written; `None` for a property that has no page of its own.
    pub(super) source: Option<Source>,
}

impl Line {
    fn new(what: &str, value: impl Into<String>, source: Option<Source>) -> Self {
        Self { what: what.to_owned(), value: value.into(), source }
    }
}

fn cite(source: Source) -> String {
    // The project's own documents lie beside this one.
    if let Some(page) = source.url.strip_prefix("docs/") {
        return format!("[{}]({page})", source.title);
    }
    if source.url.is_empty() {
        let mark = if source.sure == Sure::Low { ", unconfirmed" } else { "" };
        return format!("{}{mark}", source.title);
    }
    let mark = match source.sure {
        Sure::High => "",
        Sure::Medium => ", secondary",
        Sure::Low => ", unconfirmed",
    };
    format!("[{}]({}), {}{mark}", source.title, source.url, source.read_on)
}

/// What an engine does, question by question.
pub(super) fn rules(engine: &Engine) -> Vec<Line> {
    let mut lines = placement_rules(engine);
    lines.extend(key_rules(engine));
    lines.extend([
        Line::new("unique columns", unique(engine), Some(engine.unique.source)),
        Line::new("foreign keys", foreign_keys(engine), Some(engine.foreign_keys.source)),
        Line::new("joins", joins(engine), Some(engine.joins.source)),
        Line::new("commits together", transactions(engine), Some(engine.transactions.source)),
    ]);
    lines.extend(index_rules(engine));
    let sequence = match engine.sequence.value {
        Sequence::Unique => "unique over all shards",
        Sequence::PerShard => "each shard counts for itself: values repeat",
        Sequence::None => "none",
    };
    lines.push(Line::new("auto-increment", sequence, Some(engine.sequence.source)));
    if engine.clustered.value {
        let clustered = "in a B-tree in the order of the primary key";
        lines.push(Line::new("rows are stored", clustered, Some(engine.clustered.source)));
    }
    if let Some(slots) = engine.hash_slots {
        let value = format!("share one of {} hash slots", slots.value);
        lines.push(Line::new("keys of one command must", value, Some(slots.source)));
    }
    if let Some(filter) = engine.after_read_filter {
        lines.push(Line::new("a filter applied after rows are read", filter.value, Some(filter.source)));
    }
    if let Some(source) = engine.partition.tombstones {
        lines.push(Line::new("deleted rows", "slow down reads of their partition for a time", Some(source)));
    }
    lines
}

fn placement_rules(engine: &Engine) -> Vec<Line> {
    let strategies = engine.strategies.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(", ");
    let default = match engine.strategies {
        [_] => String::new(),
        _ => format!("; {} when none is given", engine.default_strategy.as_str()),
    };
    let (shards, shards_source) = match engine.default_shards {
        DefaultShards::Number(number) => (number.value.to_string(), number.source),
        DefaultShards::PerNode(each) => (format!("{} for each node", each.value), each.source),
        DefaultShards::Words(words) => (format!("{}; 16 are assumed", words.value), words.source),
    };
    let (change, change_source) = match engine.shards_change {
        ShardsChange::Automatic => ("by itself", None),
        ShardsChange::Procedure(source) => ("by a procedure", Some(source)),
        ShardsChange::Never(source) => ("only by moving every row", Some(source)),
    };
    let colocation = match engine.colocation {
        Colocation::EqualKeys => "rows with equal values of like keys",
        Colocation::Interleaved => "a child whose key starts with its parent's",
        Colocation::PerTable => "none",
    };
    let mut lines = vec![
        Line::new("strategies", format!("{strategies}{default}"), None),
        Line::new("shards when none are given", shards, Some(shards_source)),
        Line::new("the number of shards changes", change, change_source),
        Line::new("rows of two tables on one shard", colocation, None),
    ];
    if let Some(replicated) = engine.replicated {
        let value = yes_no(replicated.value);
        lines.push(Line::new("a table copied to every shard", value, Some(replicated.source)));
    }
    lines.push(Line::new("a table on one shard", yes_no(engine.unsharded), None));
    lines
}

fn key_rules(engine: &Engine) -> Vec<Line> {
    let key = &engine.key;
    let mut lines = Vec::new();
    match (key.max_columns, key.hierarchical) {
        (Some(most), Some(levels)) => {
            let value = format!("at most {}; a prefix of a hierarchical key routes", most.value);
            lines.push(Line::new("key columns", value, Some(levels.source)));
        }
        (Some(most), None) => {
            lines.push(Line::new("key columns", format!("at most {}", most.value), Some(most.source)));
        }
        (None, _) if key.joined.is_some() => {
            lines.push(Line::new("key columns", "any number, joined into one", key.joined));
        }
        (None, _) => lines.push(Line::new("key columns", "any number", None)),
    }
    if !key.refused_types.is_empty() {
        let types = key.refused_types.iter().map(|it| type_name(*it)).collect::<Vec<_>>().join(", ");
        lines.push(Line::new("no key of type", types, key.types_source));
    }
    let change = match key.value_change.value {
        ValueChange::Refused => "refused: delete and insert",
        ValueChange::Moves => "taken: the row moves",
        ValueChange::Unknown => "taken: moving the row is the application's work",
    };
    lines.push(Line::new("a changed key value is", change, Some(key.value_change.source)));
    if let Some(nullable) = key.nullable {
        let value = yes_no(nullable.value);
        lines.push(Line::new("rows without a key value", value, Some(nullable.source)));
    }
    let lead = if key.leads_primary_key { "is the front of the primary key" } else { "is chosen apart" };
    lines.push(Line::new("the shard key", lead, None));
    let cures = match (key.salt, key.bucket) {
        (true, true) => "a salt; a time bucket",
        (true, false) => "a salt",
        (false, true) => "a time bucket",
        (false, false) => "another key",
    };
    lines.push(Line::new("usual cure for a hot or growing key", cures, None));
    lines
}

fn index_rules(engine: &Engine) -> Vec<Line> {
    let index = &engine.index;
    let global = index.global.map_or_else(
        || "none".to_owned(),
        |name| {
            let step = if index.synchronous { "commits with its row" } else { "follows later" };
            let unique = if index.unique { "can be unique" } else { "never unique" };
            format!("{name}: {step}, {unique}, {} by default", index.strategy.as_str())
        },
    );
    let mut lines = vec![Line::new("global index", global, index.source)];
    if let Some(source) = index.back_pressure {
        let value = "makes writes of its table fail";
        lines.push(Line::new("a global index short of capacity", value, Some(source)));
    }
    let local = if index.local { "beside the rows of each shard" } else { "none" };
    lines.push(Line::new("local index", local, None));
    lines
}

/// Every limit of an engine, those that rules know first.
pub(super) fn limits(engine: &Engine) -> Vec<Line> {
    let (partition, index) = (&engine.partition, &engine.index);
    let known = [
        (partition.advised_bytes, " (advice)"),
        (partition.advised_cells, " (advice)"),
        (partition.advised_rows, " (advice)"),
        (partition.hard_bytes, ""),
        (partition.hard_cells, ""),
        (partition.hard_rows, ""),
        (partition.read_units, ""),
        // One budget is one line.
        (partition.write_units.filter(|_| !partition.shared_units), ""),
        (engine.advised_item, " (advice)"),
        (engine.max_item, ""),
        (engine.max_cell, ""),
        (engine.max_transaction_items, ""),
        (index.max_global, ""),
        (index.max_local.filter(|it| Some(*it) != index.max_global), ""),
        (index.local_collection, ""),
    ];
    let line = |limit: &Limit, mark: &str| {
        Line::new(&format!("{}{mark}", limit.name), limit.text, Some(limit.source))
    };
    let known = known.iter().filter_map(|(limit, mark)| limit.as_ref().map(|it| line(it, mark)));
    known.chain(engine.limits.iter().map(|it| line(it, ""))).collect()
}

fn unique(engine: &Engine) -> &'static str {
    match engine.unique.value {
        Uniqueness::Anywhere if engine.index.made_for_unique.is_none() => {
            "any, where the plan has a unique global index"
        }
        Uniqueness::Anywhere => "any",
        Uniqueness::WithKey => "those that contain the shard key",
        Uniqueness::PrimaryKeyOnly => "the primary key only",
        Uniqueness::WithinPartition => "within one key value",
        Uniqueness::NotEnforced => "not enforced",
    }
}

fn foreign_keys(engine: &Engine) -> &'static str {
    match engine.foreign_keys.value {
        ForeignKeySupport::None => "none",
        ForeignKeySupport::Colocated => "within a shard",
        ForeignKeySupport::Everywhere => "everywhere",
    }
}

fn joins(engine: &Engine) -> &'static str {
    match engine.joins.value {
        JoinSupport::None => "none",
        JoinSupport::ColocatedOnly => "within a shard",
        JoinSupport::Everywhere => "any",
    }
}

fn transactions(engine: &Engine) -> &'static str {
    match engine.transactions.value {
        TransactionSupport::SingleItem => "one row or item",
        TransactionSupport::SinglePartition => "rows of one key value",
        TransactionSupport::SingleShard => "rows of one shard",
        TransactionSupport::BestEffort => "several shards, not atomically",
        TransactionSupport::Atomic => "several shards, atomically",
    }
}

fn yes_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

fn type_name(family: TypeFamily) -> &'static str {
    match family {
        TypeFamily::SmallInteger => "integer",
        TypeFamily::BigInteger => "64-bit integer",
        TypeFamily::Decimal => "decimal",
        TypeFamily::Float => "floating point",
        TypeFamily::Text => "text",
        TypeFamily::Uuid => "UUID",
        TypeFamily::Binary => "bytes",
        TypeFamily::Date => "date",
        TypeFamily::Timestamp => "time",
        TypeFamily::Boolean => "boolean",
        TypeFamily::Document => "document, list or array",
        TypeFamily::Other => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::engine;

    #[test]
    fn every_engine_has_a_row_and_a_section() {
        let text = targets_markdown();
        for it in ENGINES {
            assert!(text.contains(&format!("| {} | `{}` |", it.name, it.id)), "{}", it.id);
            assert!(text.contains(&format!("\n## {}\n", it.name)), "{}", it.id);
        }
    }

    #[test]
    fn a_limit_stands_with_its_text_page_and_day() {
        let text = targets_markdown();
        let wanted = "| size of a logical partition | 20 GB | [Azure Cosmos DB: Service quotas and default limits]\
                      (https://learn.microsoft.com/azure/cosmos-db/concepts-limits), 2026-12-01 |";
        assert!(text.contains(wanted));
    }

    #[test]
    fn an_unconfirmed_fact_says_so() {
        let tidb = engine("tidb").map(rules).unwrap_or_default();
        let line = tidb.iter().find(|it| it.what == "a changed key value is");
        assert_eq!(
            line.and_then(|it| it.source).map(cite),
            Some("general knowledge, unconfirmed".to_owned())
        );
    }

    #[test]
    fn a_shared_budget_is_listed_once() {
        let lines = engine("cosmosdb").map(limits).unwrap_or_default();
        assert_eq!(lines.iter().filter(|it| it.what.ends_with("of a logical partition")).count(), 2);
    }

    #[test]
    fn tables_have_as_many_cells_in_every_row() {
        for line in targets_markdown().lines().filter(|it| it.starts_with('|')) {
            let cells = line.matches('|').count();
            assert!(cells == 4 || cells == 9, "{line}");
        }
    }

    #[test]
    fn anchors_are_those_of_markdown_headings() {
        assert_eq!(anchor("PostgreSQL (logical shards)"), "postgresql-logical-shards");
    }
}
