//! Secondary indexes of a plan: what each answers, saves and costs.

use crate::analysis::assessment::{PatternFigures, evaluate};
use crate::analysis::routing::How;
use crate::model::{Index, Scope, TableId};
use crate::report::IndexRow;
use crate::report::build::Judged;
use crate::search::advice::{Advice, IndexAdvice};

/// Beyond so many indexes the plan is not judged once more without each of them.
const COMPARED: usize = 64;

/// The indexes of a plan, with the advisor's figures where it proposed them.
pub(super) fn index_rows(judged: &Judged<'_>, advice: Option<&Advice>) -> Vec<IndexRow> {
    let Judged { setting, plan, .. } = judged;
    let mut rows = Vec::new();
    for index in &plan.indexes {
        let advised = advice
            .iter()
            .flat_map(|it| &it.indexes)
            .find(|it| (&it.index.name, it.index.table) == (&index.name, index.table));
        let (answers, saves, costs) = match advised {
            Some(IndexAdvice { patterns, saves, costs, .. }) => {
                let names = patterns.iter().map(|it| setting.design.pattern(*it).name.clone());
                (names.collect(), *saves, *costs)
            }
            None => effect(judged, index),
        };
        let table = setting.design.table(index.table);
        rows.push(IndexRow {
            name: index.name.clone(),
            table: table.name.clone(),
            key: index.key.iter().map(|it| table.column(*it).name.clone()).collect(),
            scope: if index.scope == Scope::Global { "global" } else { "local" },
            salt: index.salt.map(|it| it.ways),
            patterns: answers,
            saves,
            costs,
        });
    }
    rows
}

/// Patterns that an index answers, the work a second that it saves, and that of its upkeep.
///
/// # Model
///
/// The plan is judged once more without the index; what gets dearer was saved,
/// what gets cheaper was upkeep.
fn effect(judged: &Judged<'_>, index: &Index) -> (Vec<String>, f64, f64) {
    let Judged { setting, plan, assessment, reading } = judged;
    if index.scope == Scope::Local || COMPARED < plan.indexes.len() {
        return (Vec::new(), 0.0, 0.0);
    }
    let at = index.table.0 as usize;
    let answers = |it: &&PatternFigures| {
        uses(it, index.table, &|pos| {
            assessment.placed[at].indexes.get(pos).is_some_and(|it| it.index.name == index.name)
        })
    };
    let names =
        assessment.patterns.iter().filter(answers).map(|it| setting.design.pattern(it.pattern).name.clone());
    let mut placed = assessment.placed.clone();
    placed[at].indexes.retain(|it| it.index.name != index.name);
    let without = evaluate(setting, placed, *reading);
    let (mut saves, mut costs) = (0.0, 0.0);
    for (with, without) in assessment.patterns.iter().zip(&without.patterns) {
        let difference = with.rate * (without.work - with.work);
        saves += difference.max(0.0);
        costs += (-difference).max(0.0);
    }
    (names.collect(), saves, costs)
}

fn uses(figures: &PatternFigures, table: TableId, is_it: &dyn Fn(usize) -> bool) -> bool {
    let routes = figures.statements.iter().flat_map(|it| &it.instances);
    routes.filter(|it| it.table == table).any(|it| matches!(it.how, How::Index { at, .. } if is_it(at)))
}
