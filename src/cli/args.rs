//! The command line.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::diag::Level;
use crate::render::FORMATS;
use crate::units::{Seconds, text};

/// What stands under the options of `--help`.
const AFTER: &str = "\
Exit status: 0 fine; 1 findings at or over --fail-on; 2 wrong usage, or a file that can't be read.
With no command and no file: the design in the current folder, else a bundled example.";

/// Shard-key design advisor: what each candidate key does to cardinality, skew,
/// fan-out and co-location, and the best key for every table together.
#[derive(Debug, Parser)]
#[command(name = "shardwright", version, about, after_help = AFTER, args_conflicts_with_subcommands = true)]
pub(super) struct Cli {
    /// What to do; without it, `advise`.
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    /// A design to advise on.
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) global: Global,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub(super) struct Global {
    /// How the answer is written.
    #[arg(long, global = true, value_name = "FORMAT", default_value = FORMATS[0].name, value_parser = formats())]
    pub(super) format: String,
    /// A file for the answer instead of standard output.
    #[arg(long, short, global = true, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Colours: on a terminal, always, or never; `NO_COLOR` is respected.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,
    /// No remarks on standard error.
    #[arg(long, short, global = true)]
    pub(super) quiet: bool,
    /// Everything, however long.
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub(super) verbose: bool,
    /// The level of a finding from which the exit status is 1.
    #[arg(long, global = true, value_name = "LEVEL")]
    pub(super) fail_on: Option<FailOn>,
}

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(FORMATS.iter().map(|it| it.name))
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

/// From which level on findings make the exit status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    Error,
    Warning,
    Info,
    Never,
}

impl FailOn {
    /// The level, unless it is never.
    pub(super) fn level(self) -> Option<Level> {
        match self {
            Self::Error => Some(Level::Error),
            Self::Warning => Some(Level::Warning),
            Self::Info => Some(Level::Info),
            Self::Never => None,
        }
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// The best plan, every candidate with its scores, and what each pattern touches.
    Advise(Advise),
    /// Findings only; each file is a design of its own.
    Lint(Lint),
    /// Judges a plan that somebody proposes against the best one.
    Check(Check),
    /// The JSON Schema of design files, or of the report.
    Schema {
        /// Which one.
        #[arg(default_value = "design")]
        of: Schema,
    },
    /// All rules with their levels.
    Rules,
    /// What a rule means, when it fires and what to do.
    Explain {
        /// Its code or name: SW201, scatter-read.
        rule: String,
    },
}

/// `advise`
#[derive(Debug, Default, Args)]
pub(super) struct Advise {
    /// Design files; several are one design.
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// Show the candidates of one table.
    #[arg(long, value_name = "TABLE")]
    pub(super) table: Option<String>,
    /// Show at most so many candidates.
    #[arg(long, value_name = "K", requires = "table")]
    pub(super) top: Option<usize>,
    /// Another engine than the file's; several stand side by side.
    #[arg(long, value_name = "ENGINE")]
    pub(super) target: Vec<String>,
    /// Another number of shards.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) shards: Option<u32>,
    /// Another number of nodes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) nodes: Option<u32>,
    /// A choice that stands: `orders=customer_id`, `countries=replicated`, `settings=unsharded`.
    #[arg(long, value_name = "TABLE=KEY")]
    pub(super) pin: Vec<String>,
    /// Stop searching after this time; the report says what may be missing.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(super) deadline: Option<Seconds>,
    /// Write the plan to a file.
    #[arg(long, value_name = "PLAN.yaml")]
    pub(super) write: Option<PathBuf>,
}

/// `lint`
#[derive(Debug, Args)]
pub(super) struct Lint {
    /// Design files and folders; `-` is standard input.
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// The name of standard input in findings; its ending tells YAML from SQL.
    #[arg(long, value_name = "NAME")]
    pub(super) stdin_name: Option<String>,
}

/// `check`
#[derive(Debug, Args)]
pub(super) struct Check {
    /// The plan.
    pub(super) plan: PathBuf,
    /// The workload that it is for; several files are one. The plan's own file when left out.
    #[arg(long, short, value_name = "FILE")]
    pub(super) workload: Vec<PathBuf>,
    /// Stop searching for the best plan after this time.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(super) deadline: Option<Seconds>,
}

/// What has a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Schema {
    Design,
    Report,
}

fn duration(value: &str) -> Result<Seconds, String> {
    text::parse_duration(value).ok_or_else(|| "a time is written 500ms, 2s, 1min".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_of_every_command_may_stand_behind_it() {
        let it =
            Cli::try_parse_from(["shardwright", "lint", "a.yaml", "--format", "json", "--fail-on", "never"])
                .unwrap();
        assert_eq!((it.global.format.as_str(), it.global.fail_on), ("json", Some(FailOn::Never)));
        assert!(Cli::try_parse_from(["shardwright", "a.yaml", "--format", "xml"]).is_err());
        assert!(Cli::try_parse_from(["shardwright", "advise", "a.yaml", "--deadline", "soon"]).is_err());
    }
}
