//! Reports for people: 80 columns, the answer first.

mod advise;
mod candidates;
mod check;
mod findings;
mod snippet;
mod tables;
mod targets;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use crate::render::page::Page;
use crate::render::{Format, View};
use crate::report::{Job, Report};

/// The format.
pub(super) static FORMAT: Format = Format { name: "text", about: "for people", render };

fn render(reports: &[Report], view: &View, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(view);
    match reports {
        [report] => one(&mut page, report, view),
        _ => targets::write(&mut page, reports, view),
    }
    out.write_all(page.text().as_bytes())
}

fn one(page: &mut Page, report: &Report, view: &View) {
    let judged = report.plan.totals.is_some();
    match (report.job, &view.table) {
        (Job::Lint, _) => findings::write(page, report),
        // Without a plan there is nothing to show but why.
        _ if !judged => findings::write(page, report),
        (Job::Advise, Some(table)) => candidates::write(page, report, table, view),
        (Job::Advise, None) => advise::write(page, report, view),
        (Job::Check, _) => check::write(page, report, view),
    }
}
