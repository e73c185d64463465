//! Co-location groups: tables whose equal key values land on one shard, and
//! whose keys mean the same thing.

use crate::analysis::classes::Reading;
use crate::analysis::placed::{Placed, PlacedPart, Space};
use crate::analysis::setting::Setting;
use crate::model::{Choice, ColumnId, Design, InstanceId, KeyPart, PatternId, TableId};

/// The name of each table's group; `None` where no other table shares it.
///
/// # Model
///
/// Two tables of one space (their equal values meet) are in one group if a
/// foreign key says that their key columns are the same thing, if the columns
/// have one name and are not both the whole name of a row of their own, or if
/// a pattern equates them. The space alone would not do: all keys of one type
/// share it on most engines.
pub(super) fn groups(setting: &Setting<'_>, placed: &[Placed]) -> Vec<Option<String>> {
    let keys: Vec<Option<Key>> = placed.iter().map(|it| Key::of(setting.design, it)).collect();
    let mut group: Vec<usize> = (0..placed.len()).collect();
    let mut join = |a: usize, b: usize| {
        let (from, to) = (group[a].max(group[b]), group[a].min(group[b]));
        group.iter_mut().filter(|it| **it == from).for_each(|it| *it = to);
    };
    for (a, key) in keys.iter().enumerate() {
        for (b, other) in keys.iter().enumerate().skip(a + 1) {
            if let (Some(key), Some(other)) = (key, other)
                && placed[a].space == placed[b].space
                && key.same_as(other)
            {
                join(a, b);
            }
        }
    }
    for (a, b) in equated(setting, placed) {
        join(a, b);
    }
    (0..placed.len()).map(|it| name(it, &group, &keys)).collect()
}

/// What the key of a table consists of.
struct Key {
    names: Vec<String>,
    roots: Vec<(TableId, ColumnId)>,
    /// Whether it is the whole primary key of its table.
    is_row: bool,
}

impl Key {
    fn of(design: &Design, placed: &Placed) -> Option<Self> {
        let Choice::Sharded(key) = &placed.choice else { return None };
        let table = design.table(placed.table);
        let name = |part: &KeyPart| match part {
            KeyPart::Column(column) | KeyPart::Bucket { column, .. } => table.column(*column).name.clone(),
            KeyPart::Copied(copied) => copied.name.clone(),
            KeyPart::Expression { text, .. } => text.clone(),
        };
        let from = |part: &KeyPart| match part {
            KeyPart::Column(column) | KeyPart::Bucket { column, .. } | KeyPart::Expression { column, .. } => {
                (placed.table, *column)
            }
            KeyPart::Copied(copied) => (copied.source, copied.column),
        };
        let own: Vec<ColumnId> = key.own_columns().collect();
        Some(Self {
            names: key.parts.iter().map(name).collect(),
            roots: key.parts.iter().map(|it| root(design, from(it))).collect(),
            is_row: own == table.primary_key && own.len() == key.parts.len(),
        })
    }

    fn same_as(&self, other: &Self) -> bool {
        self.roots == other.roots || self.names == other.names && !(self.is_row && other.is_row)
    }
}

/// The column that a column refers to in the end.
fn root(design: &Design, mut at: (TableId, ColumnId)) -> (TableId, ColumnId) {
    for _ in 0..design.tables.len() {
        let keys = &design.table(at.0).foreign_keys;
        let up = keys.iter().find_map(|key| {
            let position = key.columns.iter().position(|it| *it == at.1)?;
            Some((key.parent, *key.parent_columns.get(position)?))
        });
        match up {
            Some(up) if up != at => at = up,
            _ => break,
        }
    }
    at
}

/// Pairs of tables whose keys some pattern makes equal.
fn equated(setting: &Setting<'_>, placed: &[Placed]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for id in setting.design.pattern_ids() {
        let mut seen: Vec<(&Space, Vec<u32>, usize)> = Vec::new();
        for (idx, (_, statement)) in setting.design.pattern(id).statements().enumerate() {
            for instance in statement.instance_ids() {
                let it = &placed[statement.instance(instance).table.0 as usize];
                let Some(values) = values(setting, id, idx as u32, instance, it) else { continue };
                let at = it.table.0 as usize;
                let same = seen.iter().filter(|(space, known, _)| **space == it.space && *known == values);
                pairs.extend(same.map(|(_, _, other)| (*other, at)));
                seen.push((&it.space, values, at));
            }
        }
    }
    pairs
}

/// The equality classes of a key's parts, if the pattern says something of all of them.
fn values(
    setting: &Setting<'_>,
    id: PatternId,
    idx: u32,
    instance: InstanceId,
    placed: &Placed,
) -> Option<Vec<u32>> {
    let classes = setting.classes(id, Reading::Implied);
    let class = |part: &PlacedPart| match part {
        PlacedPart::Column(column) => classes.column(idx, instance, *column),
        PlacedPart::Copied(at) => classes.copied(idx, instance, *at),
        PlacedPart::Expression(text, _) => classes.expression(idx, instance, text),
        PlacedPart::Bucket(..) => None,
    };
    if placed.parts.is_empty() {
        return None;
    }
    placed.parts.iter().map(|part| class(part).map(|it| it.0)).collect()
}

/// The commonest key name of a group of several tables.
fn name(at: usize, group: &[usize], keys: &[Option<Key>]) -> Option<String> {
    keys[at].as_ref()?;
    let members =
        || keys.iter().zip(group).filter(|(_, it)| **it == group[at]).filter_map(|(key, _)| key.as_ref());
    if members().count() < 2 {
        return None;
    }
    let names: Vec<String> = members().map(|it| it.names.join(", ")).collect();
    let count = |name: &String| names.iter().filter(|it| *it == name).count();
    names.iter().max_by(|a, b| count(a).cmp(&count(b)).then_with(|| b.cmp(a))).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::assessment::placed_of;
    use crate::analysis::setting::copied_by;
    use crate::report::testing::{plan, shop};

    #[test]
    fn tables_that_hang_together_have_one_group_and_others_none() {
        let (design, plan) = (shop(), plan());
        let engine = crate::target::ENGINES[0];
        let setting = Setting::new(&design, engine, None, None, copied_by(&design, &[&plan]));
        let group = Some("customer_id".to_owned());
        let all = groups(&setting, &placed_of(&setting, &plan));
        assert_eq!(all, [group.clone(), group.clone(), group, None]);
    }

    #[test]
    fn keys_of_one_type_that_mean_different_things_are_apart() {
        use crate::model::ShardKey;
        let (design, mut plan) = (shop(), plan());
        // Items by sku and customers by e-mail: both are texts.
        for (table, column) in [(0, 1), (2, 2)] {
            if let Some(it) = plan.tables.get_mut(&TableId(table)) {
                it.choice = Choice::Sharded(ShardKey::of_columns(&[ColumnId(column)]));
            }
        }
        let setting =
            Setting::new(&design, crate::target::ENGINES[0], None, None, copied_by(&design, &[&plan]));
        let placed = placed_of(&setting, &plan);
        assert_eq!(placed[0].space, placed[2].space);
        assert_eq!(groups(&setting, &placed), [None, None, None, None]);
    }
}
