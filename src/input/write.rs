//! A plan, or a whole design, as text in the input language.

use crate::input::decode::FORMAT_VERSION;
use crate::input::write_patterns::patterns;
use crate::input::write_rest::{cache, costs, ids, layouts, lint, target};
use crate::input::write_tables::tables;
use crate::input::write_values::{Map, duration, list, names, scalar, share};
use crate::model::{
    Choice, Claim, ClaimKind, Design, Include, Index, KeyPart, NodesLeave, PlacementKind, Plan, Salt, Scope,
    ShardKey, Table, TablePlan,
};
use crate::source::Files;

/// A plan as a file of its own (`shardwright: 1`, `plan:`). Reading it onto the
/// same design gives an equal plan; a column that is copied down comes along
/// the shortest way of references.
#[must_use]
pub fn write_plan(plan: &Plan, design: &Design) -> String {
    format!("shardwright: {FORMAT_VERSION}\nplan:{}", section(&plan_map(plan, design)))
}

/// A whole design as one file. SQL is taken from the texts it was read from; a
/// statement without one is left out with a comment. Suppressions that are
/// comments are left out, since they speak of lines of another file.
#[must_use]
pub fn write_design(design: &Design, files: &Files) -> String {
    let mut map = Map::default();
    if !design.name.is_empty() {
        map.put("name", scalar(&design.name));
    }
    let target = target(&design.target);
    if !target.is_empty() {
        map.put("target", target.flow());
    }
    map.put_some("horizon", design.horizon, duration);
    map.put_some("costs", costs(&design.costs), |it| it.flow());
    if !design.tables.is_empty() {
        map.put("tables", tables(design));
    }
    if !design.patterns.is_empty() {
        map.put("patterns", patterns(design, files));
    }
    for (key, plan) in [("current", &design.current), ("plan", &design.plan)] {
        map.put_some(key, plan.as_ref(), |it| {
            section(&plan_map(it, design)).trim_end_matches('\n').to_owned()
        });
    }
    map.put_some("layout", layouts(&design.layouts), |it| it);
    map.put_some("ids", ids(design), |it| it);
    map.put_some("cache", design.cache.as_ref(), |it| {
        format!("\n{}", cache(it).block(2).trim_end_matches('\n'))
    });
    map.put_some("lint", lint(&design.lint), |it| it);
    format!("shardwright: {FORMAT_VERSION}\n{}", map.block(0))
}

/// A mapping below its key; an empty one beside it.
fn section(map: &Map) -> String {
    if map.is_empty() { " {}\n".to_owned() } else { format!("\n{}", map.block(2)) }
}

/// The names of some columns.
pub(super) fn column_names(table: &Table, columns: &[crate::model::ColumnId]) -> Vec<String> {
    columns.iter().map(|it| table.column(*it).name.clone()).collect()
}

/// The name of a value in one of the format's lists of words.
pub(super) fn word_of<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> &'static str {
    words.iter().find(|(_, it)| it == value).map_or("", |(word, _)| word)
}

fn plan_map(plan: &Plan, design: &Design) -> Map {
    let mut map = Map::default();
    map.put_some("by", plan.by.as_ref(), |it| scalar(it));
    map.put_some("shards", plan.shards, |it| it.to_string());
    map.put_some("nodes", plan.nodes, |it| it.to_string());
    map.put_some("placement", plan.placement, |(kind, _)| word_of(PlacementKind::ALL, &kind).to_owned());
    map.put_some("vnodes", plan.vnodes, |it| it.to_string());
    map.put_some("nodes_later", plan.nodes_later, |it| it.to_string());
    map.put_some("nodes_leave", plan.nodes_leave, |it| match it {
        NodesLeave::Any => "any".to_owned(),
        NodesLeave::Last => "last".to_owned(),
    });
    map.put_some("lookup", plan.lookup, |it| {
        let mut map = Map::default();
        map.put_some("replicas", it.replicas, |it| it.to_string());
        map.put_some("cache_hit", it.cache_hit, share);
        map.flow()
    });
    if !plan.tables.is_empty() {
        let mut tables = Map::default();
        for (id, its) in &plan.tables {
            let table = design.table(*id);
            tables.put(&table.name, table_plan(its, table).flow());
        }
        map.put("tables", format!("\n{}", tables.block(4).trim_end_matches('\n')));
    }
    let lines = |items: Vec<Map>| {
        let lines: Vec<String> = items.iter().map(|it| format!("\n    - {}", it.flow())).collect();
        lines.concat()
    };
    if !plan.indexes.is_empty() {
        map.put("indexes", lines(plan.indexes.iter().map(|it| index(it, design.table(it.table))).collect()));
    }
    if !plan.claims.is_empty() {
        map.put("claims", lines(plan.claims.iter().map(claim).collect()));
    }
    map
}

fn table_plan(plan: &TablePlan, table: &Table) -> Map {
    let mut map = Map::default();
    match &plan.choice {
        Choice::Replicated => map.put_flag("replicated", true),
        Choice::Unsharded => map.put_flag("unsharded", true),
        Choice::Sharded(key) => shard_key(key, table, &mut map),
    }
    let order: Vec<String> = plan
        .cluster
        .iter()
        .map(|it| {
            let name = &table.column(it.column).name;
            if it.desc { format!("{name} desc") } else { name.clone() }
        })
        .collect();
    map.put_names("cluster", &order);
    map.put_names("splits", &plan.splits);
    map.put_names("dedicated", &plan.dedicated);
    map
}

fn shard_key(key: &ShardKey, table: &Table, map: &mut Map) {
    let parts: Vec<String> = key.parts.iter().map(|it| key_part(it, table)).collect();
    map.put("key", list(&parts));
    let copied: Vec<&str> = key
        .parts
        .iter()
        .filter_map(|it| if let KeyPart::Copied(it) = it { Some(it.name.as_str()) } else { None })
        .collect();
    match copied.as_slice() {
        [] => {}
        [one] => map.put("add_column", scalar(one)),
        several => map.put("add_column", names(several)),
    }
    map.put_some("strategy", key.strategy, |it| it.as_str().to_owned());
    map.put_flag("hierarchical", key.hierarchical);
    put_salt(key.salt, table, map);
}

fn key_part(part: &KeyPart, table: &Table) -> String {
    match part {
        KeyPart::Column(column) => scalar(&table.column(*column).name),
        KeyPart::Copied(copied) => scalar(&copied.name),
        KeyPart::Expression { text, .. } => scalar(text),
        KeyPart::Bucket { column, every } => {
            let mut map = Map::default();
            map.put("bucket", scalar(&table.column(*column).name));
            map.put("every", duration(*every));
            map.flow()
        }
    }
}

fn put_salt(salt: Option<Salt>, table: &Table, map: &mut Map) {
    let Some(salt) = salt else { return };
    map.put("salt", salt.ways.to_string());
    map.put_some("salt_from", salt.from, |it| scalar(&table.column(it).name));
    if salt.only_hot {
        map.put("salt_only", "hot");
    }
}

fn index(index: &Index, table: &Table) -> Map {
    let mut map = Map::default();
    map.put("name", scalar(&index.name));
    map.put("table", scalar(&table.name));
    map.put("key", names(&column_names(table, &index.key)));
    map.put_names("sort", &column_names(table, &index.sort));
    map.put("scope", if index.scope == Scope::Global { "global" } else { "local" });
    map.put_some("strategy", index.strategy, |it| it.as_str().to_owned());
    put_salt(index.salt, table, &mut map);
    map.put_flag("unique", index.unique);
    match &index.include {
        Include::KeysOnly => {}
        Include::All => map.put("include", "all"),
        Include::Columns(columns) => map.put("include", names(&column_names(table, columns))),
    }
    if !index.only.is_empty() {
        let mut only = Map::default();
        for (column, value) in &index.only {
            only.put(&table.column(*column).name, scalar(value));
        }
        map.put("only", only.flow());
    }
    map
}

fn claim(claim: &Claim) -> Map {
    let mut map = Map::default();
    if claim.kind == ClaimKind::Shards {
        map.put_some("pattern", claim.about.as_ref(), |it| scalar(it));
    }
    // A figure is written as it was stated, since its digits are part of the claim.
    map.put(claim.kind.as_str(), figure(&claim.stated.text));
    map
}

fn figure(text: &str) -> String {
    let plain = text.starts_with(|it: char| it.is_ascii_digit())
        && text.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '.' | '%' | '/' | '_'));
    if plain { text.to_owned() } else { scalar(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::read_plan;
    use crate::input::testing::{EVERYTHING, clean, lines, read_text, without_places};

    #[test]
    fn a_design_with_everything_reads_back_equal() {
        let (read, files) = read_text(EVERYTHING);
        assert_eq!(lines(&read.findings, &files), Vec::<String>::new());
        let written = write_design(&read.design, &files);
        let again = clean(&written);
        assert_eq!(without_places(&again), without_places(&read.design), "{written}");
        // What is written is written in the same words again.
        let (second, files) = read_text(&written);
        assert_eq!(write_design(&second.design, &files), written);
    }

    #[test]
    fn a_plan_reads_back_equal_on_its_design() {
        let mut text = EVERYTHING.replace("    warehouses: {replicated: true}\n", "");
        text = text.replace(
            "  tables:\n    district: {key",
            "  tables:\n    empty: {key: [region, w], add_column: [region, w]}\n    district: {key",
        );
        text = text.replace("  empty: {}", "  empty: {columns: {of: {type: uuid, references: customers.id}, at: {type: bigint, references: warehouses.w}}}");
        let (read, files) = read_text(&text);
        assert_eq!(lines(&read.findings, &files), Vec::<String>::new());
        let plan = read.design.plan.as_ref().unwrap();
        let written = write_plan(plan, &read.design);
        assert!(written.contains("empty: {key: [region, w], add_column: [region, w]}"), "{written}");
        let mut files = Files::default();
        let id = files.add("plan.yaml", written.as_str());
        let (again, findings, readable) = read_plan(id, &files, &read.design);
        assert!(readable);
        assert_eq!(lines(&findings, &files), Vec::<String>::new());
        assert_eq!(without_places(&again.unwrap()), without_places(plan), "{written}");
    }

    #[test]
    fn an_empty_plan_and_an_empty_design_are_written() {
        assert_eq!(write_plan(&Plan::default(), &Design::default()), "shardwright: 1\nplan: {}\n");
        assert_eq!(write_design(&Design::default(), &Files::default()), "shardwright: 1\n");
        assert!(clean("shardwright: 1\nplan: {}\n").plan.is_some());
    }

    #[test]
    fn a_statement_without_a_text_is_said_to_be_left_out() {
        let (read, _) = read_text(
            "shardwright: 1\ntables: {t: {columns: {a: int, b: int}}}\npatterns:\n  - {name: x, sql: \"SELECT a FROM t \
             WHERE a = 1 OR b = 2\", rate: 1/s}\n",
        );
        let written = write_design(&read.design, &Files::default());
        assert!(
            written.contains("# 1 statements of the next pattern have no text and are left out"),
            "{written}"
        );
    }
}
