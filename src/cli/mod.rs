//! The command line: arguments to answers and exit statuses.

mod advise;
mod args;
mod check;
mod files;
mod lint;
mod output;
mod rules;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Parser;

use crate::cli::args::{Cli, Command, FailOn, Schema};
use crate::cli::output::complain;
use crate::report::{Report, wire};
use crate::units::Seconds;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Status {
    /// Nothing to complain about.
    Fine = 0,
    /// Findings at or over the level that was asked for.
    Findings = 1,
    /// Wrong usage, or nothing to read.
    Unusable = 2,
}

/// Runs the program.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are asked for, everything else is wrong usage; a closed pipe is neither.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    let status = run(cli).unwrap_or_else(|error| {
        complain(&format!("{error:#}"));
        Status::Unusable
    });
    ExitCode::from(status as u8)
}

fn run(cli: Cli) -> Result<Status> {
    let global = &cli.global;
    match cli.command {
        None => advise::here(global, cli.files),
        Some(Command::Advise(it)) => advise::run(global, &it),
        Some(Command::Lint(it)) => lint::run(global, &it),
        Some(Command::Check(it)) => check::run(global, &it),
        Some(Command::Schema { of }) => {
            let text = match of {
                Schema::Design => crate::input::design_schema(),
                Schema::Report => wire::report_schema(),
            };
            output::print(global, text.as_bytes())?;
            Ok(Status::Fine)
        }
        Some(Command::Rules) => rules::list(global),
        Some(Command::Explain { rule }) => rules::explain(global, &rule),
    }
}

/// The status that a report's findings ask for.
fn judged(reports: &[Report], fail_on: FailOn, readable: bool) -> Status {
    let worst = reports.iter().flat_map(|it| &it.findings).map(|it| it.level).max();
    if !readable {
        Status::Unusable
    } else if fail_on.level().is_some_and(|level| worst.is_some_and(|it| level <= it)) {
        Status::Findings
    } else {
        Status::Fine
    }
}

/// Whether a search has to stop: true once the time is over.
fn clock(deadline: Option<Seconds>) -> impl FnMut() -> bool {
    let end = deadline
        .and_then(|it| Duration::try_from_secs_f64(it.get()).ok())
        .and_then(|it| Instant::now().checked_add(it));
    move || end.is_some_and(|end| end <= Instant::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_stops_only_what_has_a_deadline() {
        assert!(!clock(None)());
        assert!(clock(Seconds::new(0.0))());
        assert!(!clock(Seconds::new(1e6))());
        assert!(!clock(Seconds::new(1e300))(), "a time that never comes");
    }
}
