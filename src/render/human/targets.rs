//! Several targets side by side: one workload, a column for each engine.

use crate::render::View;
use crate::render::grid::{Cell, Column};
use crate::render::human::{findings, tables};
use crate::render::page::Page;
use crate::report::{Report, TotalsRow, figures};

/// Keys, figures and findings of each target.
pub(super) fn write(page: &mut Page, reports: &[Report], _: &View) {
    let names: Vec<String> =
        reports.iter().map(|it| it.model.as_ref().map_or_else(String::new, |it| it.engine.clone())).collect();
    let Some(first) = reports.iter().find(|it| it.plan.totals.is_some()) else {
        // Nothing could be read: the findings are the same for all.
        if let Some(report) = reports.first() {
            findings::write(page, report);
        }
        return;
    };
    let head = std::iter::once(String::new())
        .chain(names)
        .map(|it| Cell::styled(it, crate::render::paint::Style::Bold));
    let mut rows: Vec<Vec<Cell>> = vec![head.collect()];
    let mut row = |name: &str, of: &dyn Fn(&Report) -> String| {
        rows.push(
            std::iter::once(Cell::from(name)).chain(reports.iter().map(|it| Cell::from(of(it)))).collect(),
        );
    };
    row("shards", &|it| it.model.as_ref().map_or_else(String::new, |it| it.shards.to_string()));
    let total = |of: fn(&TotalsRow) -> f64| {
        move |it: &Report| it.plan.totals.as_ref().map_or_else(|| "–".to_owned(), |it| tables::share(of(it)))
    };
    row("efficiency", &total(|it| it.efficiency));
    row("single shard", &total(|it| it.single_shard_share));
    row("scatter", &total(|it| it.scatter_share));
    row("cross-shard tx", &total(|it| it.cross_shard_transaction_share));
    row("busiest × mean", &|it| {
        it.plan.totals.as_ref().map_or_else(String::new, |it| figures::count(it.busiest_over_mean))
    });
    row("findings", &|it| findings::count(&it.findings));
    row("", &|_| String::new());
    for (at, table) in first.plan.tables.iter().enumerate() {
        row(&table.table, &|it| {
            it.plan.tables.get(at).map_or_else(|| "–".to_owned(), |it| it.choice.label())
        });
    }
    let columns: Vec<Column> =
        std::iter::once(Column::words("", 8)).chain(reports.iter().map(|_| Column::words("", 6))).collect();
    if let Some(model) = &first.model {
        page.heading(&crate::render::width::clean(&model.name), "one workload, several targets");
        page.gap();
    }
    page.grid(&columns, &rows, 0);
}
