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
        let efficiency = it.efficiency.map_or_else(|| "–".to_owned(), figures::share);
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

/// The numbers behind the scores, the reasons, and what rules it out.
fn reasons(page: &mut Page, it: &CandidateRow, table: &TableRow) {
    let label = Style::Bold.paint(&crate::render::width::clean(&it.choice.label()), page.color);
    let chosen = if it.chosen { "  chosen" } else { "" };
    page.line(format!("  {label}{chosen}"));
    if let Some((rule, message)) = &it.veto {
        page.item(&format!("{rule}: "), message, 4, Style::Red);
    }
    if it.choice.kind == "sharded" {
        let [rows, reads, writes] =
            [it.busiest.rows, it.busiest.reads, it.busiest.writes].map(figures::count);
        let hottest = it.hottest.rows.max(it.hottest.reads).max(it.hottest.writes);
        let empty = if 0.0005 < it.empty {
            format!(", {} of shards empty", figures::share(it.empty))
        } else {
            String::new()
        };
        let text = format!(
            "{} values, {} effective; busiest shard × mean {rows} rows, {reads} reads, {writes} writes; hottest value {}{empty}",
            figures::count(it.distinct),
            figures::count(it.effective),
            figures::share(hottest),
        );
        page.paragraph(&text, 4, Style::Plain);
    }
    if let Some(column) = &it.choice.add_column {
        page.paragraph(&format!("{column} would have to be added to {}", table.table), 4, Style::Plain);
    }
    for reason in &it.reasons {
        page.item("- ", reason, 4, Style::Plain);
    }
}
