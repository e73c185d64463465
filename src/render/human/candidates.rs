//! `advise --table`: every candidate of one table, and why it stands where it does.

use crate::render::View;
use crate::render::grid::{Cell, Column};
use crate::render::human::tables;
use crate::render::page::Page;
use crate::render::paint::Style;
use crate::report::{CandidateRow, Report, TableRow, figures};

/// The candidates of a table, best first.
pub(super) fn write(page: &mut Page, report: &Report, table: &str, view: &View) {
    let Some(row) = report.plan.tables.iter().find(|it| it.table.eq_ignore_ascii_case(table)) else { return };
    if let Some(model) = &report.model {
        tables::model_line(page, model);
    }
    let all = row.candidates.len();
    let shown = view.top.unwrap_or(usize::MAX).min(all);
    page.heading(&row.table, &format!("{all} candidates by the efficiency of the best whole plan with each"));
    overview(page, &row.candidates[..shown]);
    if shown < all {
        let more = page.dim(&format!("  … {} more", all - shown));
        page.line(more);
    }
    page.heading("Why", "");
    for it in &row.candidates[..shown] {
        reasons(page, it, row);
    }
}

fn overview(page: &mut Page, candidates: &[CandidateRow]) {
    let row = |it: &CandidateRow| {
        let mark = match (it.chosen, &it.veto) {
            (true, _) => Cell::styled("▶", Style::Green),
            (_, Some(_)) => Cell::styled("✗", Style::Red),
            _ => Cell::from(""),
        };
        let efficiency = it.efficiency.map_or_else(|| "–".to_owned(), tables::share);
        let rule = it.veto.as_ref().map_or("", |(rule, _)| rule.as_str());
        let first =
            [mark, Cell::from(it.rank.to_string()), Cell::from(it.choice.label()), Cell::from(efficiency)];
        [first.to_vec(), tables::scores(Some(&it.scores)), vec![Cell::styled(rule, Style::Red)]].concat()
    };
    let rows: Vec<Vec<Cell>> = candidates.iter().map(row).collect();
    let first = [
        Column::fixed(""),
        Column::figures("").close(),
        Column::words("key", 12),
        Column::figures("total").close(),
    ];
    let columns = [first.as_slice(), &tables::score_columns(), &[Column::words("", 8).close()]].concat();
    page.grid(&columns, &rows, 1);
}

/// What rules it out, the reasons, and the numbers behind them.
fn reasons(page: &mut Page, it: &CandidateRow, table: &TableRow) {
    let chosen = if it.chosen { "  chosen" } else { "" };
    page.pieces(&[("  ", Style::Plain), (&it.choice.label(), Style::Bold), (chosen, Style::Green)]);
    if let Some((rule, message)) = &it.veto {
        page.item(&format!("{rule}: "), message, 4, Style::Red);
    }
    for reason in &it.reasons {
        page.item("- ", reason, 4, Style::Plain);
    }
    let loads = [it.busiest.rows, it.busiest.reads, it.busiest.writes];
    let (least, most) = loads.iter().fold((f64::MAX, 0.0_f64), |(a, b), it| (a.min(*it), b.max(*it)));
    if it.choice.kind == "sharded" && 0.05 < most - least {
        let [rows, reads, writes] = loads.map(figures::count);
        let text = format!("busiest shard × mean: rows {rows}, reads {reads}, writes {writes}");
        page.item("- ", &text, 4, Style::Plain);
    }
    if 0.0005 < it.empty {
        page.item("- ", &format!("{} of the shards stay empty", tables::share(it.empty)), 4, Style::Plain);
    }
    if let Some(column) = &it.choice.add_column {
        page.item("- ", &format!("{column} has to be added to {}", table.table), 4, Style::Plain);
    }
}
