//! `advise`, and what the bare program does.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::CommandFactory;

use crate::cli::args::{Advise, Cli, FailOn, Global};
use crate::cli::files::{Disk, design_here, same_file, write_whole};
use crate::cli::output::{remark, show, view};
use crate::cli::{Status, clock, judged};
use crate::diag::did_you_mean;
use crate::report::Report;
use crate::session::{Asked, Workload};
use crate::source::{FileId, Files};

/// The example that is shown where there is no design.
const EXAMPLE: (&str, &str) = ("examples/shop/shop.yaml", include_str!("../../examples/shop/shop.yaml"));

/// Advice on the files named, else on the design of this folder, else on the example.
pub(super) fn here(global: &Global, named: Vec<PathBuf>) -> Result<Status> {
    let files = match design_here() {
        _ if !named.is_empty() => {
            not_a_command(&named)?;
            named
        }
        Ok(Some(found)) => {
            remark(global, &format!("advice on {}", found.display()));
            vec![found]
        }
        Ok(None) => {
            remark(global, &format!("no design in this folder; this is the bundled example {}", EXAMPLE.0));
            let mut files = Files::default();
            let root = files.add(EXAMPLE.0, EXAMPLE.1);
            return answer(global, &Advise::default(), &mut files, &[root], Disk::default());
        }
        Err(error) => return Err(error),
    };
    run(global, &Advise { files, ..Advise::default() })
}

/// A word that is no file and nearly a command was meant as one.
fn not_a_command(named: &[PathBuf]) -> Result<()> {
    let Some(word) = named.first().filter(|it| !it.exists()).and_then(|it| it.to_str()) else {
        return Ok(());
    };
    let commands = Cli::command();
    match did_you_mean(word, commands.get_subcommands().map(clap::Command::get_name)) {
        Some(near) => bail!("`{word}` is neither a file nor a command; did you mean `{near}`?"),
        None => Ok(()),
    }
}

/// `advise FILE…`
pub(super) fn run(global: &Global, asked: &Advise) -> Result<Status> {
    let (mut files, mut disk) = (Files::default(), Disk::default());
    let roots: Vec<FileId> = asked.files.iter().map(|it| disk.open(it, &mut files)).collect();
    answer(global, asked, &mut files, &roots, disk)
}

fn answer(
    global: &Global,
    asked: &Advise,
    files: &mut Files,
    roots: &[FileId],
    mut disk: Disk,
) -> Result<Status> {
    let mut workload = Workload::read(roots, files, &mut disk);
    workload.add_file_findings(std::mem::take(&mut disk.findings), &disk.failed);
    let targets: Vec<Option<&String>> =
        if asked.target.is_empty() { vec![None] } else { asked.target.iter().map(Some).collect() };
    let mut reports = Vec::new();
    let mut readable = true;
    for target in targets {
        let question = Asked {
            target: target.cloned(),
            shards: asked.shards,
            nodes: asked.nodes,
            pins: asked.pin.clone(),
        };
        let answer =
            workload.advise(files, &question, &mut clock(asked.deadline)).map_err(|it| anyhow!(it))?;
        answer.notes.iter().for_each(|it| remark(global, it));
        if let (Some(path), Some(plan)) = (&asked.write, answer.plan.filter(|_| reports.is_empty())) {
            if asked.files.iter().any(|it| same_file(it, path)) {
                bail!("--write {} would replace the design itself", path.display());
            }
            write_whole(path, plan.as_bytes())?;
        }
        readable &= answer.readable;
        reports.push(answer.report);
    }
    if let (Some(table), Some(report)) = (&asked.table, reports.first().filter(|_| readable)) {
        known_table(report, table)?;
    }
    let mut view = view(global);
    (view.table, view.top) = (asked.table.clone(), asked.top);
    show(global, &reports, &view)?;
    // Advice is asked for, not a judgement: findings alone are no failure.
    Ok(judged(&reports, global.fail_on.unwrap_or(FailOn::Never), readable))
}

fn known_table(report: &Report, table: &str) -> Result<()> {
    let names = || report.plan.tables.iter().map(|it| it.table.as_str());
    if names().any(|it| it.eq_ignore_ascii_case(table)) {
        return Ok(());
    }
    let hint = did_you_mean(table, names()).map_or_else(String::new, |it| format!("; did you mean `{it}`?"));
    bail!("--table: no table is named `{table}`{hint}")
}
