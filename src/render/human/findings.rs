//! Findings with their places, one after the other, and their number.

use crate::diag::{Confidence, Level};
use crate::render::human::snippet;
use crate::render::page::Page;
use crate::render::paint::Style;
use crate::report::{FindingRow, Report};

/// The style of a level.
pub(super) fn style(level: Level) -> Style {
    match level {
        Level::Error => Style::Red,
        Level::Warning => Style::Yellow,
        Level::Info => Style::Blue,
    }
}

/// All findings of a report and how many there are.
pub(super) fn write(page: &mut Page, report: &Report) {
    for it in &report.findings {
        finding(page, it);
        page.gap();
    }
    page.line(count(&report.findings));
}

fn finding(page: &mut Page, it: &FindingRow) {
    let place = &it.place;
    let level = style(it.level).paint(it.level.as_str(), page.color);
    page.line(format!(
        "{}:{}:{}: {level} {} {}",
        crate::render::width::clean(&place.file),
        place.line,
        place.column,
        it.code,
        Style::Bold.paint(it.rule, page.color)
    ));
    page.paragraph(&it.message, 2, Style::Plain);
    snippet::write(page, place, "", style(it.level));
    for (place, label) in &it.related {
        page.item("see  ", &format!("{}:{}: {label}", place.file, place.line), 2, Style::Dim);
    }
    advice(page, it, 2);
}

/// What to do about a finding, and how sure it is where that is not high.
pub(super) fn advice(page: &mut Page, it: &FindingRow, indent: usize) {
    if let Some(help) = &it.help {
        page.item("help: ", help, indent, Style::Plain);
    }
    if let Some(fix) = &it.fix {
        page.item("fix:  ", fix, indent, Style::Green);
    }
    match it.confidence {
        Confidence::High => {}
        Confidence::Medium => page.item("note: ", "rests on an estimate", indent, Style::Dim),
        Confidence::Low => page.item("note: ", "rests on an unconfirmed fact", indent, Style::Dim),
    }
}

/// `2 errors, 1 warning`.
pub(super) fn count(findings: &[FindingRow]) -> String {
    let of = |level: Level, word: &str| {
        let n = findings.iter().filter(|it| it.level == level).count();
        let plural = if n == 1 || word == "info" { "" } else { "s" };
        (0 < n).then(|| format!("{n} {word}{plural}"))
    };
    let parts = [of(Level::Error, "error"), of(Level::Warning, "warning"), of(Level::Info, "info")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "No findings.".to_owned() } else { parts.join(", ") }
}

/// Findings in short, the most useful first: worst level, then the load they are about.
pub(super) fn brief(
    page: &mut Page,
    findings: &[FindingRow],
    most: usize,
    load: &dyn Fn(&FindingRow) -> f64,
) {
    let mut sorted: Vec<&FindingRow> = findings.iter().collect();
    sorted.sort_by(|a, b| {
        b.level.cmp(&a.level).then(b.confidence.cmp(&a.confidence)).then(load(b).total_cmp(&load(a)))
    });
    for it in sorted.iter().take(most) {
        let letter = match it.level {
            Level::Error => "E",
            Level::Warning => "W",
            Level::Info => "I",
        };
        let about = it.pattern.as_ref().or(it.index.as_ref()).or(it.table.as_ref());
        let about = about.map_or_else(String::new, |it| format!("  {it}"));
        page.pieces(&[
            ("  ", Style::Plain),
            (letter, style(it.level)),
            (" ", Style::Plain),
            (it.code, Style::Plain),
            (" ", Style::Plain),
            (it.rule, Style::Bold),
            (&about, Style::Dim),
        ]);
        page.paragraph(&it.message, 4, Style::Plain);
        advice(page, it, 4);
    }
    if most < sorted.len() {
        let more = page.dim(&format!("  … {} more; -v shows all", sorted.len() - most));
        page.line(more);
    }
}
