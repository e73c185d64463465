//! Predicates that the data implies and that let the engine's router see what
//! the plan counts on.

use crate::analysis::assessment::Assessment;
use crate::analysis::classes::{ClassId, Classes, Reading};
use crate::analysis::placed::PlacedPart;
use crate::analysis::routing::{At, How, InstanceRoute, Spaces, route};
use crate::analysis::setting::Setting;
use crate::model::{InstanceId, Operation, PatternId, Statement, TableId};
use crate::search::advice::Rewrite;

/// The predicates to add to each pattern so that it is routed as assessed.
#[must_use]
pub fn rewrites(setting: &Setting<'_>, assessment: &Assessment) -> Vec<Rewrite> {
    setting.design.pattern_ids().flat_map(|it| rewrites_of(setting, assessment, it)).collect()
}

fn rewrites_of(setting: &Setting<'_>, assessment: &Assessment, pattern: PatternId) -> Vec<Rewrite> {
    let placed = |table: TableId| &assessment.placed[table.0 as usize];
    let spaces = Spaces::default();
    let written = At::all(setting, pattern, Reading::Written);
    let implied = At::all(setting, pattern, Reading::Implied);
    let mut all: Vec<Rewrite> = Vec::new();
    for (before, after) in written.iter().zip(&implied) {
        let (old, new) = (route(before, &placed, &spaces), route(after, &placed, &spaces));
        for (a, b) in old.instances.iter().zip(&new.instances) {
            if placed_now(b) && !placed_now(a) && !inserts(after.statement, b.instance) {
                for part in &placed(b.table).parts {
                    if let Some(add) = predicate(setting, before.classes, after, b.instance, part) {
                        let it = Rewrite { pattern, add };
                        if !all.contains(&it) {
                            all.push(it);
                        }
                    }
                }
            }
        }
    }
    all
}

fn placed_now(route: &InstanceRoute) -> bool {
    matches!(route.how, How::Key | How::Few(_) | How::With(_))
}

fn inserts(statement: &Statement, instance: InstanceId) -> bool {
    statement.target == Some(instance) && matches!(statement.op, Operation::Insert | Operation::Upsert)
}

/// `AND oi.customer_id = o.customer_id`: what equals a key part although the statement does not say so.
fn predicate(
    setting: &Setting<'_>,
    before: &Classes,
    at: &At<'_>,
    instance: InstanceId,
    part: &PlacedPart,
) -> Option<String> {
    let statement = at.statement;
    let table = statement.instance(instance).table;
    let alias = &statement.instance(instance).alias;
    let (name, old, new) = match part {
        PlacedPart::Column(column) => (
            setting.design.table(table).column(*column).name.clone(),
            before.column(at.idx, instance, *column),
            at.classes.column(at.idx, instance, *column),
        ),
        PlacedPart::Copied(it) => (
            setting.copied[table.0 as usize].get(*it)?.name.clone(),
            before.copied(at.idx, instance, *it),
            at.classes.copied(at.idx, instance, *it),
        ),
        PlacedPart::Bucket(..) | PlacedPart::Expression(..) => return None,
    };
    let bound =
        |classes: &Classes, id: Option<ClassId>| id.is_some_and(|it| classes.class(it).bound_or_listed());
    if bound(before, old) {
        return None;
    }
    let class = at.classes.class(new?);
    let other = class.columns.iter().find(|(stmt, it)| *stmt == at.idx && it.instance != instance);
    if let Some((_, it)) = other {
        let from = statement.instance(it.instance);
        let column = &setting.design.table(from.table).column(it.column).name;
        return Some(format!("AND {alias}.{name} = {}.{column}", from.alias));
    }
    let params = &setting.design.pattern(at.pattern).params;
    let param = class.params.first().and_then(|(id, _)| params.get(id.0 as usize))?;
    Some(format!("AND {alias}.{name} = :{}", param.name))
}
