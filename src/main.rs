//! The `shardwright` program: arguments in, exit status out.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Whatever happens, the status is one that scripts know: 101 is none of them.
    std::panic::catch_unwind(shardwright::cli::main).unwrap_or(ExitCode::from(2))
}
