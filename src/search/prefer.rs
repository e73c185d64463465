//! Which of two plans that are about as good is the simpler one.

use std::collections::BTreeMap;

use crate::analysis::classes::Reading;
use crate::analysis::placed::{Placed, PlacedPart};
use crate::analysis::setting::Setting;
use crate::model::{Choice, ColumnId, TableId};
use crate::search::space::{SearchSpace, TableSpace};

/// Order of preference of each table's states: replicated, sharded, unsharded;
/// fewer columns; the larger co-location group; no salt or bucket; fewer
/// indexes; names.
#[must_use]
pub fn preference(setting: &Setting<'_>, space: &SearchSpace) -> Vec<Vec<usize>> {
    let groups = Groups::of(setting, space);
    space
        .tables
        .iter()
        .map(|table| {
            let mut states: Vec<usize> = (0..table.states.len()).collect();
            states.sort_by_cached_key(|it| rank(setting, &groups, &table.states[*it].placed));
            states
        })
        .collect()
}

/// Positions of a table's options in the same order, co-location left out.
#[must_use]
pub fn option_order(setting: &Setting<'_>, table: &TableSpace) -> Vec<usize> {
    let mut options: Vec<usize> = (0..table.options.len()).collect();
    let placed = |it: &usize| {
        let state = table.states.iter().find(|state| state.option == *it);
        state.map(|state| state.placed.clone())
    };
    options.sort_by_cached_key(|it| placed(it).map(|it| rank(setting, &Groups::default(), &it)));
    options
}

type Rank = (u8, usize, std::cmp::Reverse<usize>, u32, usize, Vec<String>);

fn rank(setting: &Setting<'_>, groups: &Groups, placed: &Placed) -> Rank {
    let kind = match placed.choice {
        Choice::Replicated => 0,
        Choice::Sharded(_) => 1,
        Choice::Unsharded => 2,
    };
    let extras = placed.salt.map_or(0, |it| it.ways)
        + placed.parts.iter().filter(|it| matches!(it, PlacedPart::Bucket(..))).count() as u32;
    let copied = placed.parts.iter().filter(|it| matches!(it, PlacedPart::Copied(_))).count() as u32;
    let names = placed.key_names(setting.design, &setting.copied);
    let group = groups.size(placed);
    (kind, placed.parts.len(), std::cmp::Reverse(group), extras + copied, placed.indexes.len(), names)
}

/// Columns that patterns equate, over all patterns: what could be one co-location group.
#[derive(Default)]
struct Groups {
    group: BTreeMap<(TableId, ColumnId), usize>,
    size: BTreeMap<usize, usize>,
}

impl Groups {
    fn of(setting: &Setting<'_>, space: &SearchSpace) -> Self {
        let mut parent: BTreeMap<(TableId, ColumnId), (TableId, ColumnId)> = BTreeMap::new();
        for pattern in setting.design.pattern_ids() {
            let statements: Vec<_> = setting.design.pattern(pattern).statements().map(|(_, it)| it).collect();
            let classes = setting.classes(pattern, Reading::Implied);
            for (at, statement) in statements.iter().enumerate() {
                for instance in statement.instance_ids() {
                    let table = statement.instance(instance).table;
                    for column in setting.design.table(table).column_ids() {
                        let Some(class) = classes.column(at as u32, instance, column) else { continue };
                        let first = classes.class(class).columns.first();
                        let Some((stmt, other)) = first else { continue };
                        let other_table = statements[*stmt as usize].instance(other.instance).table;
                        join(&mut parent, (table, column), (other_table, other.column));
                    }
                }
            }
        }
        let roots: Vec<(TableId, ColumnId)> = parent.keys().copied().collect();
        let mut it = Self::default();
        for column in roots {
            let top = root(&parent, column);
            let id = (top.0.0 as usize) << 16 | top.1.0 as usize;
            it.group.insert(column, id);
        }
        for (at, table) in space.tables.iter().enumerate() {
            let mut seen: Vec<usize> = Vec::new();
            for state in &table.states {
                if let Some(group) = it.of_key(&state.placed, TableId(at as u32))
                    && !seen.contains(&group)
                {
                    seen.push(group);
                    *it.size.entry(group).or_default() += 1;
                }
            }
        }
        it
    }

    fn of_key(&self, placed: &Placed, table: TableId) -> Option<usize> {
        match placed.parts.as_slice() {
            [PlacedPart::Column(column)] => self.group.get(&(table, *column)).copied(),
            _ => None,
        }
    }

    fn size(&self, placed: &Placed) -> usize {
        self.of_key(placed, placed.table).and_then(|it| self.size.get(&it)).copied().unwrap_or(1)
    }
}

type Node = (TableId, ColumnId);

fn root(parent: &BTreeMap<Node, Node>, mut at: Node) -> Node {
    while let Some(up) = parent.get(&at)
        && *up != at
    {
        at = *up;
    }
    at
}

fn join(parent: &mut BTreeMap<Node, Node>, a: Node, b: Node) {
    parent.entry(a).or_insert(a);
    parent.entry(b).or_insert(b);
    let (a, b) = (root(parent, a), root(parent, b));
    if a != b {
        parent.insert(a.max(b), a.min(b));
    }
}
