//! `lint`: each file is a design of its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cli::args::{FailOn, Global, Lint};
use crate::cli::files::{Disk, expanded, resolved};
use crate::cli::output::{remark, show, view};
use crate::cli::{Status, judged};
use crate::session::{Answer, Workload, together};
use crate::source::Files;

/// `lint FILE…`
pub(super) fn run(global: &Global, asked: &Lint) -> Result<Status> {
    let is_stdin = |it: &&PathBuf| it.as_os_str() == "-";
    let named: Vec<PathBuf> = asked.files.iter().filter(|it| !is_stdin(it)).cloned().collect();
    let mut answers: Vec<(Option<PathBuf>, Answer)> = Vec::new();
    let mut included = BTreeSet::new();
    let (designs, plans) = expanded(&named)?;
    for plan in plans {
        let plan = plan.display();
        remark(global, &format!("{plan} is a plan alone; `check {plan} --workload FILE` judges it"));
    }
    for path in designs {
        let (answer, disk) = one(Some(&path), asked);
        included.extend(disk.included);
        answers.push((resolved(&path), answer));
    }
    if asked.files.iter().any(|it| is_stdin(&it)) {
        answers.push((None, one(None, asked).0));
    }
    // What another file includes is judged there, with everything around it.
    answers.retain(|(path, _)| path.as_ref().is_none_or(|it| !included.contains(it)));
    let answer = together(answers.into_iter().map(|(_, it)| it).collect());
    answer.notes.iter().for_each(|it| remark(global, it));
    let reports = [answer.report];
    show(global, &reports, &view(global))?;
    Ok(judged(&reports, global.fail_on.unwrap_or(FailOn::Error), answer.readable))
}

fn one(path: Option<&Path>, asked: &Lint) -> (Answer, Disk) {
    let (mut files, mut disk) = (Files::default(), Disk::default());
    let root = match path {
        Some(path) => disk.open(path, &mut files),
        None => disk.open_stdin(asked.stdin_name.as_deref(), &mut files),
    };
    let mut workload = Workload::read(&[root], &mut files, &mut disk);
    workload.add_file_findings(std::mem::take(&mut disk.findings), &disk.failed);
    (workload.lint(&files), disk)
}
