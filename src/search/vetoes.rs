//! What makes a candidate impossible: the engine refuses the key, can't keep a
//! constraint under it, or a key value passes a hard limit.

use crate::analysis::partition::hottest_value;
use crate::analysis::placed::{Placed, PlacedPart, follows_from};
use crate::analysis::setting::Setting;
use crate::model::{ColumnId, Design, Generated, Operation, TableId};
use crate::search::advice::{RuleName, Veto};
use crate::target::{ForeignKeySupport, Uniqueness, ValueChange};
use crate::units::text;

const TYPE: RuleName = RuleName { code: "SW110", name: "unsupported-key-type" };
const MUTABLE: RuleName = RuleName { code: "SW105", name: "mutable-key" };
const UNIQUE: RuleName = RuleName { code: "SW108", name: "unique-without-key" };
const PARTITION: RuleName = RuleName { code: "SW107", name: "unbounded-partition" };
const REFERENCE: RuleName = RuleName { code: "SW305", name: "foreign-key-across-shards" };

/// The reason for which a candidate can't be chosen, if there is one.
#[must_use]
pub fn veto(setting: &Setting<'_>, placed: &Placed) -> Option<Veto> {
    if !placed.sharded() {
        return None;
    }
    refused_key(setting, placed)
        .or_else(|| changed_key(setting, placed))
        .or_else(|| broken_constraint(setting, placed))
        .or_else(|| too_large(setting, placed))
}

fn refused_key(setting: &Setting<'_>, placed: &Placed) -> Option<Veto> {
    let rules = &setting.engine.key;
    // Where a partition key of several parts is written as one computed attribute (a bucket, a salt),
    // only the columns that stay columns are counted.
    let columns = placed.parts.len();
    if let Some(most) = rules.max_columns
        && !placed.hierarchical
        && (most.value as usize) < columns
    {
        let message = format!(
            "{} takes at most {} key column{}, this key has {columns}",
            setting.engine.name,
            most.value,
            if most.value == 1 { "" } else { "s" }
        );
        return Some(Veto { rule: TYPE, message });
    }
    if let Some(levels) = rules.hierarchical
        && placed.hierarchical
        && (levels.value as usize) < columns
    {
        let message = format!("a hierarchical key has at most {} levels, this one {columns}", levels.value);
        return Some(Veto { rule: TYPE, message });
    }
    let table = setting.design.table(placed.table);
    placed.parts.iter().find_map(|part| {
        let PlacedPart::Column(column) = part else { return None };
        let it = table.column(*column);
        let family = it.ty.as_ref()?.family;
        rules.refused_types.contains(&family).then(|| Veto {
            rule: TYPE,
            message: format!(
                "{} does not shard by {}",
                setting.engine.name,
                it.ty.as_ref().map_or("", |it| &it.text)
            ),
        })
    })
}

fn changed_key(setting: &Setting<'_>, placed: &Placed) -> Option<Veto> {
    if setting.engine.key.value_change.value != ValueChange::Refused {
        return None;
    }
    let table = setting.design.table(placed.table);
    for pattern in &setting.patterns_on[placed.table.0 as usize] {
        let pattern = setting.design.pattern(*pattern);
        for (_, statement) in pattern.statements() {
            if statement.op != Operation::Update || statement.written_table() != Some(placed.table) {
                continue;
            }
            for part in &placed.parts {
                let (PlacedPart::Column(column) | PlacedPart::Bucket(column, _)) = part else { continue };
                if statement.writes_column(*column) {
                    let message = format!(
                        "\"{}\" changes {}, and {} refuses to change a key value",
                        pattern.name,
                        table.column(*column).name,
                        setting.engine.name
                    );
                    return Some(Veto { rule: MUTABLE, message });
                }
            }
        }
    }
    None
}

/// Columns of the table that a key consists of; a copied column counts as none of them.
fn key_columns(placed: &Placed) -> Option<Vec<ColumnId>> {
    placed
        .parts
        .iter()
        .map(|part| match part {
            PlacedPart::Column(column) | PlacedPart::Expression(_, column) => Some(*column),
            PlacedPart::Copied(_) | PlacedPart::Bucket(..) => None,
        })
        .collect()
}

/// Whether values of a column are made so that they repeat nowhere: such a
/// primary key can be widened without changing what it promises.
#[must_use]
pub fn surrogate(design: &Design, table: TableId, set: &[ColumnId]) -> bool {
    set.iter().any(|it| {
        matches!(
            design.table(table).column(*it).generated,
            Some(
                Generated::AutoIncrement
                    | Generated::Uuid4
                    | Generated::Uuid7
                    | Generated::Ulid
                    | Generated::ObjectId
                    | Generated::Snowflake
                    | Generated::Ticket
            )
        )
    })
}

fn broken_constraint(setting: &Setting<'_>, placed: &Placed) -> Option<Veto> {
    let table = setting.design.table(placed.table);
    let declared = table.unique.iter().map(|(set, _)| (set.as_slice(), false));
    let primary = (!table.primary_key.is_empty()).then_some((table.primary_key.as_slice(), true));
    let key = key_columns(placed);
    for (set, is_primary) in primary.into_iter().chain(declared) {
        if is_primary
            && (surrogate(setting.design, placed.table, set) || setting.engine.key.leads_primary_key)
        {
            continue;
        }
        let contained = key.as_ref().is_some_and(|key| key.iter().all(|it| set.contains(it)))
            || placed
                .parts
                .iter()
                .all(|part| follows_from(setting.design, &setting.copied, placed.table, part, set));
        let kept = match setting.engine.unique.value {
            Uniqueness::Anywhere | Uniqueness::NotEnforced => true,
            Uniqueness::WithKey => contained,
            // A further unique set is out of reach under any key, so it tells no key from another.
            Uniqueness::PrimaryKeyOnly | Uniqueness::WithinPartition => !is_primary || contained,
        };
        if !kept {
            let message =
                format!("{} can't keep ({}) unique under this key", setting.engine.name, table.names(set));
            return Some(Veto { rule: UNIQUE, message });
        }
    }
    None
}

fn too_large(setting: &Setting<'_>, placed: &Placed) -> Option<Veto> {
    let limit = setting.engine.partition.hard_bytes?;
    let value = hottest_value(setting, placed);
    (limit.max < value.bytes_later).then(|| Veto {
        rule: PARTITION,
        message: format!(
            "the largest key value holds {} at the horizon, over the {} of one {}",
            text::bytes(value.bytes_later),
            limit.text,
            limit.name
        ),
    })
}

/// Whether an engine can keep a reference between two placed tables.
///
/// A reference to a copy on every shard is kept; one between two unsharded
/// tables too; one between two sharded tables if both lie in one space and
/// each key part of the child is the referring column of the parent's part, or
/// both stem from one column of an ancestor, so that the reference can be
/// widened by it.
#[must_use]
pub fn keeps_reference(setting: &Setting<'_>, child: &Placed, parent: &Placed, fk: usize) -> Option<Veto> {
    if setting.engine.foreign_keys.value != ForeignKeySupport::Colocated {
        return None;
    }
    let design = setting.design;
    let key = &design.table(child.table).foreign_keys[fk];
    let kept = match (&child.choice, &parent.choice) {
        (_, crate::model::Choice::Replicated) => true,
        (crate::model::Choice::Sharded(_), crate::model::Choice::Sharded(_)) => {
            child.space == parent.space
                && child.parts.len() == parent.parts.len()
                && child.parts.iter().zip(&parent.parts).all(|(a, b)| {
                    let refers = matches!((a, b), (PlacedPart::Column(a), PlacedPart::Column(b))
                        if key.columns.iter().zip(&key.parent_columns).any(|(x, y)| x == a && y == b));
                    refers
                        || origin(setting, child.table, a)
                            .is_some_and(|it| Some(it) == origin(setting, parent.table, b))
                })
        }
        (a, b) => a == b,
    };
    (!kept).then(|| Veto {
        rule: REFERENCE,
        message: format!(
            "{} can't keep the reference of {} to {} under these keys",
            setting.engine.name,
            design.table(child.table).name,
            design.table(parent.table).name
        ),
    })
}

/// The column that a key part's values come from, along single-column references.
fn origin(setting: &Setting<'_>, table: TableId, part: &PlacedPart) -> Option<(TableId, ColumnId)> {
    let design = setting.design;
    let (mut table, mut column) = match part {
        PlacedPart::Column(column) => (table, *column),
        PlacedPart::Copied(at) => {
            let it = setting.copied[table.0 as usize].get(*at)?;
            (it.source, it.column)
        }
        PlacedPart::Bucket(..) | PlacedPart::Expression(..) => return None,
    };
    for _ in 0..design.tables.len() {
        let keys = &design.table(table).foreign_keys;
        let Some((parent, at)) = keys.iter().find_map(|key| {
            let at = key.columns.iter().position(|it| *it == column)?;
            (key.parent != table).then_some((key.parent, key.parent_columns[at]))
        }) else {
            break;
        };
        (table, column) = (parent, at);
    }
    Some((table, column))
}
