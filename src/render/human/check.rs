//! `check`: the claims, the plan beside the best one, who wins and who loses.

use crate::render::View;
use crate::render::grid::{Cell, Column};
use crate::render::human::{advise, findings, tables};
use crate::render::page::Page;
use crate::render::paint::Style;
use crate::report::{CheckRow, ClaimRow, PatternRow, PlanRows, Report, Standing, TotalsRow, figures};

/// Patterns and findings that are shown without `-v`.
const SHOWN: usize = 12;
/// A pattern whose work differs by less than this share is as good under both plans.
const ALIKE: f64 = 0.01;

/// The whole judgement.
pub(super) fn write(page: &mut Page, report: &Report, view: &View) {
    let most = if view.verbose { usize::MAX } else { SHOWN };
    if let Some(model) = &report.model {
        tables::model_line(page, model);
        page.gap();
    }
    verdict(page, report);
    claims(page, &report.claims);
    if let Some(best) = &report.best {
        beside(page, &report.plan, best);
        changes(page, &report.plan, best, most);
    }
    checklist(page, &report.checklist);
    if !report.findings.is_empty() {
        page.heading("Findings", &findings::count(&report.findings));
        findings::brief(page, &report.findings, most, &advise::load_of(&report.plan));
    }
}

fn verdict(page: &mut Page, report: &Report) {
    let refuted = report.claims.iter().filter(|it| it.verdict == Standing::Refuted).count();
    let all = report.claims.len();
    let claims = match (refuted, all) {
        (_, 0) => "The plan states no figures.".to_owned(),
        (0, 1) => "The one claim is not refuted.".to_owned(),
        (_, 1) => "The one claim is refuted.".to_owned(),
        (0, _) => format!("None of {all} claims is refuted."),
        _ => format!("{refuted} of {all} claims {} refuted.", if refuted == 1 { "is" } else { "are" }),
    };
    let efficiency = |it: &PlanRows| it.totals.map(|it| it.efficiency);
    let worth = match (efficiency(&report.plan), report.best.as_ref().and_then(efficiency)) {
        (Some(own), Some(best)) if own + 5e-4 < best => {
            let [own, best] = [own, best].map(tables::share);
            format!(" It reaches {own} efficiency where {best} is possible.")
        }
        (Some(own), Some(_)) => format!(" No better plan was found than its {}.", tables::share(own)),
        _ => String::new(),
    };
    let style = if refuted == 0 { Style::Bold } else { Style::Red };
    page.paragraph(&format!("{claims}{worth}"), 0, style);
    if let Some(search) = &report.search {
        page.paragraph(&format!("The best plan: {}", advise::proof(search)), 0, Style::Plain);
    }
}

fn standing(it: Standing) -> Cell {
    let (text, style) = match it {
        Standing::Holds => ("✓ holds", Style::Green),
        Standing::Refuted => ("✗ refuted", Style::Red),
        Standing::Unknown => ("? unknown", Style::Yellow),
    };
    Cell::styled(text, style)
}

fn claims(page: &mut Page, claims: &[ClaimRow]) {
    if claims.is_empty() {
        return;
    }
    page.heading("Claims", "");
    let row = |it: &ClaimRow| {
        let name = it
            .about
            .as_ref()
            .map_or_else(|| it.claim.replace('_', " "), |about| format!("shards of {about}"));
        let computed = it.computed_text.clone().unwrap_or_else(|| "–".to_owned());
        vec![standing(it.verdict), Cell::from(name), Cell::from(&it.text), Cell::from(computed)]
    };
    let rows: Vec<Vec<Cell>> = claims.iter().map(row).collect();
    let columns =
        [Column::fixed(""), Column::words("", 12), Column::figures("stated"), Column::figures("computed")];
    page.grid(&columns, &rows, 2);
}

/// A figure of a whole plan.
type Figure = fn(&TotalsRow) -> f64;

/// Choices and figures of the plan and of the best one.
fn beside(page: &mut Page, plan: &PlanRows, best: &PlanRows) {
    page.heading("Beside the best plan", "");
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    if let (Some(own), Some(best)) = (&plan.totals, &best.totals) {
        let figures_of: [(&str, Figure); 4] = [
            ("efficiency", |it| it.efficiency),
            ("single shard", |it| it.single_shard_share),
            ("scatter", |it| it.scatter_share),
            ("cross-shard tx", |it| it.cross_shard_transaction_share),
        ];
        rows.extend(figures_of.iter().map(|(name, of)| {
            vec![
                Cell::styled(name, Style::Dim),
                Cell::from(tables::share(of(own))),
                Cell::from(tables::share(of(best))),
            ]
        }));
        let busiest = [own, best].map(|it| Cell::from(figures::count(it.busiest_over_mean)));
        rows.push([vec![Cell::styled("busiest × mean", Style::Dim)], busiest.to_vec()].concat());
    }
    for (own, best) in plan.tables.iter().zip(&best.tables) {
        let label = own.choice.label();
        let style = if label == best.choice.label() { Style::Plain } else { Style::Yellow };
        let other = if style == Style::Plain { "the same".to_owned() } else { best.choice.label() };
        let left_out = if own.left_out { " (left out)" } else { "" };
        rows.push(vec![
            Cell::from(&own.table),
            Cell::styled(format!("{label}{left_out}"), style),
            Cell::from(other),
        ]);
    }
    page.grid(
        &[Column::words("", 8), Column::words("this plan", 10), Column::words("the best", 8)],
        &rows,
        2,
    );
}

/// What each pattern would win or lose with the best plan.
fn changes(page: &mut Page, plan: &PlanRows, best: &PlanRows, most: usize) {
    let gain = |(own, best): &(&PatternRow, &PatternRow)| (own.weighted - best.weighted) * own.rate_on_shards;
    let differs = |(own, best): &(&PatternRow, &PatternRow)| {
        let larger = own.weighted.max(best.weighted);
        0.0 < own.rate_on_shards && ALIKE * larger < (own.weighted - best.weighted).abs()
    };
    let mut pairs: Vec<(&PatternRow, &PatternRow)> =
        plan.patterns.iter().zip(&best.patterns).filter(|it| differs(it)).collect();
    if pairs.is_empty() {
        return;
    }
    pairs.sort_by(|a, b| gain(b).abs().total_cmp(&gain(a).abs()));
    page.heading("Patterns that the best plan changes", "work of a request on the busiest shard");
    let rows: Vec<Vec<Cell>> = pairs
        .iter()
        .take(most)
        .map(|it| {
            let (word, style) = if 0.0 < gain(it) { ("wins", Style::Green) } else { ("loses", Style::Red) };
            let (own, best) = it;
            vec![
                Cell::styled(word, style),
                Cell::from(&own.pattern),
                Cell::from(figures::rate(own.rate)),
                Cell::from(figures::count(own.weighted)),
                Cell::from(format!("→ {}", figures::count(best.weighted))),
                Cell::from(format!("{} → {}", own.routing, best.routing)),
            ]
        })
        .collect();
    let columns = [
        Column::fixed(""),
        Column::words("", 12),
        Column::figures("rate"),
        Column::figures("work"),
        Column::fixed("best").close(),
        Column::fixed("route"),
    ];
    page.grid(&columns, &rows, 2);
    if most < pairs.len() {
        let more = page.dim(&format!("  … {} more; -v shows all", pairs.len() - most));
        page.line(more);
    }
}

fn checklist(page: &mut Page, rows: &[CheckRow]) {
    if rows.is_empty() {
        return;
    }
    page.heading("Review checklist", "");
    for it in rows {
        let (mark, style) = match it.state {
            Standing::Holds => ("✓", Style::Green),
            Standing::Refuted => ("✗", Style::Red),
            Standing::Unknown => ("?", Style::Yellow),
        };
        let mark = style.paint(mark, page.color);
        let question = Style::Bold.paint(it.question, page.color);
        page.line(format!("  {mark} {question}"));
        if !it.answer.is_empty() {
            page.paragraph(&it.answer, 4, Style::Plain);
        }
    }
}
