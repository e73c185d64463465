//! `check`: a plan that somebody proposes, against the best one.

use anyhow::{Result, bail};

use crate::cli::args::{Check, FailOn, Global};
use crate::cli::files::{Disk, same_file};
use crate::cli::output::{remark, show, view};
use crate::cli::{Status, clock, judged};
use crate::session::Workload;
use crate::source::{FileId, Files};

/// `check PLAN --workload FILE`
pub(super) fn run(global: &Global, asked: &Check) -> Result<Status> {
    let (mut files, mut disk) = (Files::default(), Disk::default());
    let mut roots: Vec<FileId> = asked.workload.iter().map(|it| disk.open(it, &mut files)).collect();
    let own = asked.workload.iter().position(|it| same_file(it, &asked.plan));
    let plan = match own {
        Some(at) => roots[at],
        None => disk.open(&asked.plan, &mut files),
    };
    if roots.is_empty() {
        roots.push(plan);
    }
    let mut workload = Workload::read(&roots, &mut files, &mut disk);
    workload.add_file_findings(std::mem::take(&mut disk.findings), &disk.failed);
    if asked.workload.is_empty() && workload.is_without_tables() {
        bail!("{} describes no tables; --workload FILE names what the plan is for", asked.plan.display());
    }
    let answer = workload.check(plan, &files, &mut clock(asked.deadline));
    answer.notes.iter().for_each(|it| remark(global, it));
    let reports = [answer.report];
    show(global, &reports, &view(global))?;
    Ok(judged(&reports, global.fail_on.unwrap_or(FailOn::Error), answer.readable))
}
