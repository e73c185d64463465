//! Tables and patterns of a plan as grids, and its figures as bars.

use crate::render::grid::{Cell, Column};
use crate::render::page::Page;
use crate::render::paint::Style;
use crate::render::width::bar;
use crate::report::{ModelRow, PatternRow, PlanRows, ScoresRow, TableRow, TotalsRow, figures};

/// Cells of a score's bar.
const SCORE: usize = 5;
/// Cells of a share's bar.
const SHARE: usize = 26;

/// Name, engine and size in one line.
pub(super) fn model_line(page: &mut Page, model: &ModelRow) {
    let word = &model.shard_word;
    let plural = if model.shards == 1 { "" } else { "s" };
    let mut parts = vec![model.engine.clone(), format!("{} {word}{plural}", model.shards)];
    if model.shards_estimated {
        parts.push("(assumed)".to_owned());
    }
    if let Some(nodes) = model.nodes {
        parts.push(format!("on {nodes} node{}", if nodes == 1 { "" } else { "s" }));
    }
    let copies = model.copies.map_or_else(|| "1 copy (none stated)".to_owned(), |it| format!("{it} copies"));
    let [engine, size @ ..] = parts.as_slice() else { return };
    let rest = format!(" · {engine} · {} · {copies}", size.join(" "));
    page.pieces(&[(&model.name, Style::Bold), (&rest, Style::Plain)]);
}

/// The shares of a plan as bars.
pub(super) fn totals(page: &mut Page, totals: &TotalsRow, model: Option<&ModelRow>) {
    let shards = model.map_or(1.0, |it| f64::from(it.shards));
    let power = format!("{} × one node", figures::count(totals.efficiency * shards));
    let line = |name: &'static str, value: f64, style: Style, note: String| {
        vec![
            Cell::from(name),
            Cell::styled(crate::render::width::pad(&bar(value, SHARE), SHARE, false), style),
            Cell::from(share(value)),
            Cell::styled(note, Style::Dim),
        ]
    };
    let busiest = format!("busiest shard {} × mean", figures::count(totals.busiest_over_mean));
    let requests = figures::rate(totals.requests);
    let asked = format!("{requests} ask {}", figures::count(totals.shard_requests));
    let rows = [
        line("efficiency", totals.efficiency, Style::Green, power),
        line("single shard", totals.single_shard_share, Style::Green, asked),
        line("scatter", totals.scatter_share, Style::Yellow, String::new()),
        line("cross-shard tx", totals.cross_shard_transaction_share, Style::Yellow, busiest),
    ];
    let columns = [Column::fixed(""), Column::fixed(""), Column::figures("").close(), Column::words("", 8)];
    page.grid(&columns, &rows, 2);
}

/// A share to a tenth of a percent, and never nothing where there is something.
pub(super) fn share(value: f64) -> String {
    let tenths = (value * 1e3).round() / 1e3;
    if 0.0 < tenths || value == 0.0 { figures::share(tenths) } else { "<0.1%".to_owned() }
}

/// A score from 0 to 100 as a bar.
fn score(value: f64) -> Cell {
    let style = if value < 50.0 { Style::Yellow } else { Style::Green };
    let text = bar(value / 100.0, SCORE);
    let text = if text.is_empty() { "·" } else { &text };
    Cell::styled(crate::render::width::pad(text, SCORE, false), style)
}

/// The five scores as bars.
pub(super) fn scores(it: Option<&ScoresRow>) -> Vec<Cell> {
    match it {
        Some(it) => [it.cardinality, it.skew, it.fan_out, it.co_location, it.stability].map(score).to_vec(),
        None => vec![Cell::from(""); 5],
    }
}

/// The columns of [`scores`].
pub(super) fn score_columns() -> [Column; 5] {
    ["card.", "skew", "fan.", "co-l.", "stab."].map(|it| Column::fixed(it).close())
}

/// Each table with its choice, its size and its scores.
pub(super) fn choices(page: &mut Page, plan: &PlanRows, horizon: f64) {
    page.heading("Tables", &format!("by hash unless named; size today → in {}", figures::duration(horizon)));
    let row = |it: &TableRow| {
        let size = if figures::bytes(it.bytes) == figures::bytes(it.bytes_later) {
            figures::bytes(it.bytes)
        } else {
            format!("{} → {}", figures::bytes(it.bytes), figures::bytes(it.bytes_later))
        };
        let scores = scores(it.scores.as_ref().filter(|_| it.choice.kind == "sharded"));
        [vec![Cell::from(&it.table), Cell::from(it.choice.short_label()), Cell::from(size)], scores].concat()
    };
    let rows: Vec<Vec<Cell>> = plan.tables.iter().map(row).collect();
    let first = [Column::words("", 6), Column::words("", 10).close(), Column::fixed("").close()];
    page.grid(&[first.as_slice(), &score_columns()].concat(), &rows, 2);
    if plan.tables.iter().any(|it| it.choice.add_column.is_some()) {
        let legend = page.dim("  + a column that the table needs first");
        page.line(legend);
    }
}

/// Each pattern with what it touches, the heaviest first.
pub(super) fn patterns(page: &mut Page, plan: &PlanRows, most: usize) {
    page.heading("Patterns", "heaviest first; slow: if 1% of all answers are");
    let mut sorted: Vec<&PatternRow> = plan.patterns.iter().collect();
    let load = |it: &PatternRow| it.rate_on_shards * it.weighted;
    sorted.sort_by(|a, b| load(b).total_cmp(&load(a)));
    let rows: Vec<Vec<Cell>> = sorted.iter().take(most).map(|it| pattern(it)).collect();
    let columns = [
        Column::words("", 12),
        Column::figures("rate"),
        Column::figures("mean"),
        Column::figures("max").close(),
        Column::fixed("route"),
        Column::figures("slow").close(),
        Column::words("served by", 9),
    ];
    page.grid(&columns, &rows, 2);
    if most < sorted.len() {
        let more = page.dim(&format!("  … {} more; -v shows all", sorted.len() - most));
        page.line(more);
    }
    if sorted.iter().take(most).any(|it| it.cross_shard_transaction) {
        let legend = page.dim("  ‡ a transaction that can write on several shards");
        page.line(legend);
    }
}

fn pattern(it: &PatternRow) -> Vec<Cell> {
    let style = match it.routing {
        "scatter" => Style::Yellow,
        "none" => Style::Dim,
        _ => Style::Plain,
    };
    let mark = if it.cross_shard_transaction { " ‡" } else { "" };
    let off = it.routing == "none";
    let figure = |text: String| if off { Cell::from("–") } else { Cell::from(text) };
    vec![
        Cell::from(&it.pattern),
        Cell::from(figures::rate(it.rate)),
        figure(figures::count(it.mean)),
        figure(figures::count(it.max)),
        Cell::styled(format!("{}{mark}", if off { "elsewhere" } else { it.routing }), style),
        figure(share(it.slow)),
        Cell::from(&it.served_by),
    ]
}
