//! Plans with their names resolved against a design's tables and patterns.

use std::collections::BTreeMap;

use crate::diag::Finding;
use crate::input::decode_tables::{column_of, columns_of, unknown_column};
use crate::input::fields::{Name, syntax, with_hint};
use crate::input::lower::table_of;
use crate::input::raw::{
    RawChoice, RawInclude, RawIndex, RawKey, RawKeyPart, RawPlan, RawSalt, RawTablePlan,
};
use crate::model::{
    Choice, Claim, ColumnId, Design, Include, Index, KeyPart, Plan, Salt, ShardKey, SortColumn, Table,
    TableId, TablePlan,
};

/// Makes a plan.
pub(super) fn plan(raw: RawPlan, design: &Design, findings: &mut Vec<Finding>) -> Plan {
    let mut plan = raw.plan;
    let mut seen: BTreeMap<TableId, bool> = BTreeMap::new();
    for table in raw.tables {
        let Some(id) = table_of(&design.tables, &table.table, findings) else { continue };
        // Statements of the schema give way to a plan in words.
        if seen.get(&id) == Some(&false) && table.from_statement {
            continue;
        }
        if let (Some(false), Some(first)) = (seen.get(&id), plan.tables.get(&id)) {
            let message = format!("table `{}` is planned twice; the first one is read", table.table.value);
            findings.push(syntax(table.span, message).with_related(first.span, "the first one"));
            continue;
        }
        seen.insert(id, table.from_statement);
        if let Some(it) = table_plan(table, id, design, findings) {
            plan.tables.insert(id, it);
        }
    }
    for index in raw.indexes {
        add_index(&mut plan, index, design, findings);
    }
    plan.claims.retain(|it| claim_holds(it, design, findings));
    plan
}

/// Adds the indexes of a schema to the plan, if there is one.
pub(super) fn loose_indexes(indexes: Vec<RawIndex>, design: &mut Design, findings: &mut Vec<Finding>) {
    let Some(mut plan) = design.plan.take() else { return };
    for index in indexes {
        let named = index.name.as_ref();
        if !plan.indexes.iter().any(|it| named == Some(&it.name)) {
            add_index(&mut plan, index, design, findings);
        }
    }
    design.plan = Some(plan);
}

/// Whether a claim is about a pattern that is described.
fn claim_holds(claim: &Claim, design: &Design, findings: &mut Vec<Finding>) -> bool {
    let Some(about) = &claim.about else { return true };
    let known = || design.patterns.iter().map(|it| it.name.as_str());
    if known().any(|it| it == about) {
        return true;
    }
    let finding = syntax(claim.span, format!("the claim is about a pattern `{about}` that is not described"));
    let known: Vec<&str> = known().collect();
    findings.push(with_hint(finding, about, known, "patterns").on_pattern(about));
    false
}

fn table_plan(
    raw: RawTablePlan,
    id: TableId,
    design: &Design,
    findings: &mut Vec<Finding>,
) -> Option<TablePlan> {
    let table = design.table(id);
    let choice = match raw.choice {
        RawChoice::Replicated => Choice::Replicated,
        RawChoice::Unsharded => Choice::Unsharded,
        RawChoice::Sharded(key) => Choice::Sharded(shard_key(key, id, design, findings)?),
    };
    let cluster = raw
        .cluster
        .iter()
        .filter_map(|(name, desc)| {
            Some(SortColumn { column: column_of(table, name, findings)?, desc: *desc })
        })
        .collect();
    Some(TablePlan {
        choice,
        cluster,
        splits: raw.splits,
        dedicated: raw.dedicated,
        span: raw.span,
        key_span: raw.key_span,
    })
}

/// A key; with a part that is not known there is none, for a shorter one would be another key.
fn shard_key(raw: RawKey, id: TableId, design: &Design, findings: &mut Vec<Finding>) -> Option<ShardKey> {
    let table = design.table(id);
    let count = raw.parts.len();
    let mut used = Vec::new();
    let parts: Vec<KeyPart> = raw
        .parts
        .iter()
        .filter_map(|it| key_part(it, &raw.add_columns, id, design, &mut used, findings))
        .collect();
    for name in &raw.add_columns {
        if !used.contains(&name.value.as_str()) && parts.len() == count {
            let message = format!("the column `{}` is added, but it is no part of the key", name.value);
            findings.push(syntax(name.span, message).with_help("name it under `key`").on_table(&table.name));
        }
    }
    let salt = match raw.salt {
        Some(it) => salt(&it, table, findings),
        None => None,
    };
    let complete = parts.len() == count && 0 < count;
    complete.then_some(ShardKey { parts, strategy: raw.strategy, hierarchical: raw.hierarchical, salt })
}

fn key_part<'n>(
    part: &'n RawKeyPart,
    added: &[Name],
    id: TableId,
    design: &Design,
    used: &mut Vec<&'n str>,
    findings: &mut Vec<Finding>,
) -> Option<KeyPart> {
    let table = design.table(id);
    match part {
        RawKeyPart::Bucket(name, every) => {
            Some(KeyPart::Bucket { column: column_of(table, name, findings)?, every: *every })
        }
        RawKeyPart::Expression { text, column } => {
            Some(KeyPart::Expression { text: text.clone(), column: column_of(table, column, findings)? })
        }
        RawKeyPart::Column(name) => {
            if added.iter().any(|it| it.value == name.value) {
                used.push(&name.value);
                return added_column(name, id, design, findings);
            }
            if let Some(column) = table.column_named(&name.value) {
                return Some(KeyPart::Column(column));
            }
            let mut finding = unknown_column(table, name);
            if let Some(copied) = design.copied_column(id, &name.value) {
                let from = &design.table(copied.source).name;
                finding = finding
                    .with_help(format!("`{from}` has it: copy it down with `add_column: {}`", name.value));
            }
            findings.push(finding);
            None
        }
    }
}

fn added_column(name: &Name, id: TableId, design: &Design, findings: &mut Vec<Finding>) -> Option<KeyPart> {
    let table = design.table(id);
    if let Some(column) = table.column_named(&name.value) {
        let message = format!("table `{}` has a column `{}` already; it is the key", table.name, name.value);
        let mut finding =
            syntax(name.span, message).with_help("leave `add_column` out").on_table(&table.name);
        finding.level = crate::diag::Level::Warning;
        findings.push(finding);
        return Some(KeyPart::Column(column));
    }
    if let Some(copied) = design.copied_column(id, &name.value) {
        return Some(KeyPart::Copied(copied));
    }
    let help = format!(
        "a column is copied down from a table that `{}` refers to, directly or through others: write `references:` at \
         the column that does",
        table.name
    );
    findings.push(Finding {
        message: format!("no table above `{}` has a column `{}` to copy down", table.name, name.value),
        help: Some(help),
        ..unknown_column(table, name)
    });
    None
}

fn salt(raw: &RawSalt, table: &Table, findings: &mut Vec<Finding>) -> Option<Salt> {
    let from = match &raw.from {
        Some(name) => Some(column_of(table, name, findings)?),
        None => None,
    };
    Some(Salt { ways: raw.ways, from, only_hot: raw.only_hot })
}

fn add_index(plan: &mut Plan, raw: RawIndex, design: &Design, findings: &mut Vec<Finding>) {
    let Some(index) = index(raw, design, findings) else { return };
    if let Some(first) = plan.indexes.iter().find(|it| it.name == index.name) {
        let message = format!("a second index `{}`; the first one is read", index.name);
        findings.push(
            syntax(index.span, message).with_related(first.span, "the first one").on_index(&index.name),
        );
        return;
    }
    plan.indexes.push(index);
}

fn index(raw: RawIndex, design: &Design, findings: &mut Vec<Finding>) -> Option<Index> {
    let id = table_of(&design.tables, &raw.table, findings)?;
    let table = design.table(id);
    let key = columns_of(table, &raw.key, findings);
    let sort = columns_of(table, &raw.sort, findings);
    let include = match raw.include {
        RawInclude::Plain(it) => it,
        RawInclude::Columns(names) => Include::Columns(columns_of(table, &names, findings)),
    };
    let salt = raw.salt.and_then(|it| salt(&it, table, findings));
    let only: Vec<(ColumnId, String)> = raw
        .only
        .into_iter()
        .filter_map(|(name, value)| Some((column_of(table, &name, findings)?, value)))
        .collect();
    if key.len() < raw.key.len() || key.is_empty() {
        return None;
    }
    let name = raw.name.unwrap_or_else(|| format!("{}_{}", table.name, table.names(&key).replace(", ", "_")));
    Some(Index {
        name,
        table: id,
        key,
        sort,
        scope: raw.scope,
        strategy: raw.strategy,
        salt,
        unique: raw.unique,
        include,
        only,
        span: raw.span,
    })
}
