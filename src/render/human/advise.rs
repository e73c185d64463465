//! `advise`: the verdict, the plan, what to do, and how far it holds.

use crate::render::View;
use crate::render::human::{findings, tables};
use crate::render::page::Page;
use crate::render::paint::Style;
use crate::report::{EstimateRow, FindingRow, PlanRows, Report, SearchRow, VerdictRow, figures};

/// Patterns and findings that are shown without `-v`.
const SHOWN: usize = 12;

/// The whole advice.
pub(super) fn write(page: &mut Page, report: &Report, view: &View) {
    let most = if view.verbose { usize::MAX } else { SHOWN };
    if let Some(model) = &report.model {
        tables::model_line(page, model);
        page.gap();
    }
    verdict(page, report);
    if report.plan.tables.is_empty() {
        page.gap();
        return findings::write(page, report);
    }
    if let Some(totals) = &report.plan.totals {
        page.gap();
        tables::totals(page, totals, report.model.as_ref());
        if totals.rate_analysed < 1.0 {
            let share = figures::share(totals.rate_analysed);
            page.paragraph(
                &format!("{share} of the rate was analysed; the rest could not be read."),
                2,
                Style::Yellow,
            );
        }
    }
    tables::choices(page, &report.plan, report.model.as_ref().map_or(0.0, |it| it.horizon));
    tables::patterns(page, &report.plan, most);
    todo(page, report);
    if !report.findings.is_empty() {
        page.heading("Findings", &findings::count(&report.findings));
        findings::brief(page, &report.findings, most, &load_of(&report.plan));
    }
    estimates(page, &report.estimates, most);
    footer(page, report, view);
}

/// The load of the pattern that a finding is about.
pub(super) fn load_of(plan: &PlanRows) -> impl Fn(&FindingRow) -> f64 {
    |it| {
        let pattern = plan.patterns.iter().find(|row| Some(&row.pattern) == it.pattern.as_ref());
        pattern.map_or(0.0, |it| it.rate_on_shards * it.weighted)
    }
}

fn verdict(page: &mut Page, report: &Report) {
    let not_needed = report.verdict.as_ref().is_some_and(|it| it.shard == Some(false));
    if let Some(it) = &report.verdict {
        need(page, it);
    }
    let headline = &report.plan.headline;
    let text =
        if not_needed { format!("If it were sharded all the same: {headline}") } else { headline.clone() };
    page.paragraph(&text, 0, if not_needed { Style::Plain } else { Style::Bold });
    if let Some(search) = &report.search {
        page.paragraph(&proof(search), 0, Style::Plain);
    }
}

/// Whether to shard, why, and the cheaper steps.
fn need(page: &mut Page, it: &VerdictRow) {
    let style = if it.shard == Some(false) { Style::Bold } else { Style::Plain };
    if !it.summary.is_empty() {
        page.paragraph(&sentence(&it.summary), 0, style);
    }
    for reason in &it.reasons {
        page.item("- ", reason, 2, Style::Plain);
    }
    if !it.steps.is_empty() {
        page.paragraph("Cheaper steps, in this order:", 0, Style::Plain);
        for (at, step) in it.steps.iter().enumerate() {
            page.item(&format!("{}. ", at + 1), step, 2, Style::Plain);
        }
    }
}

/// A text that begins with a capital and ends with a full stop.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), chars.as_str())
}

/// Whether the plan is proven best, and what comes next.
pub(super) fn proof(search: &SearchRow) -> String {
    let weighed = match search.plans_considered {
        0 => String::new(),
        plans => format!(" of {} plans weighed", figures::grouped(plans)),
    };
    let proven = if search.optimal {
        format!("Proven best{weighed}.")
    } else {
        let why = search.stopped.map_or_else(String::new, |it| format!(" (stopped: {it})"));
        format!("Best{weighed}, at most {} from the best there is{why}.", tables::share(search.gap))
    };
    match &search.runner_up {
        Some((efficiency, differs)) if !differs.is_empty() => {
            format!("{proven} Next best, {}: {}.", tables::share(*efficiency), differs.join(", "))
        }
        _ => proven,
    }
}

fn todo(page: &mut Page, report: &Report) {
    if report.todo.is_empty() {
        return;
    }
    page.heading("To do", "");
    for (at, it) in report.todo.iter().enumerate() {
        let mark = format!("{}. ", at + 1);
        page.item(&mark, &it.what, 2, Style::Plain);
        if let Some(statement) = &it.statement {
            page.paragraph(statement, 2 + mark.len(), Style::Green);
        }
    }
}

fn estimates(page: &mut Page, estimates: &[EstimateRow], most: usize) {
    if estimates.is_empty() {
        return;
    }
    page.heading("Estimates", "figures that the file does not give");
    for it in estimates.iter().take(most) {
        let [value, low, high] = [it.value, it.low, it.high].map(figures::count);
        let reach = if it.matters { "the choices hold from" } else { "changes nothing from" };
        page.paragraph(&format!("{}: {value} assumed; {reach} {low} to {high}", it.input), 2, Style::Plain);
    }
    if most < estimates.len() {
        let more = page.dim(&format!("  … {} more; -v shows all", estimates.len() - most));
        page.line(more);
    }
}

/// The constants that all figures rest on, and where to look next.
fn footer(page: &mut Page, report: &Report, view: &View) {
    page.gap();
    if let Some(model) = report.model.as_ref().filter(|_| view.verbose) {
        let costs: Vec<String> = model.costs.iter().map(|(name, it)| format!("{name} {it}")).collect();
        let text = format!("work is counted in shard requests of 1; {}", costs.join(", "));
        page.paragraph(&text, 0, Style::Dim);
    }
    let recommended = report.verdict.as_ref().and_then(|it| it.recommended_shards);
    let shards = report.model.as_ref().map(|it| it.shards);
    if let Some(it) = recommended.filter(|it| Some(*it) != shards) {
        page.paragraph(
            &format!("{it} shards would hold size and load at the horizon (--shards {it})."),
            0,
            Style::Plain,
        );
    }
    if let Some(it) = report.plan.tables.iter().find(|it| it.choice.kind == "sharded") {
        let name = crate::render::width::clean(&it.table).into_owned();
        page.paragraph(&format!("--table {name} shows why this key and not another."), 0, Style::Dim);
    }
}
