//! Where answers go: standard output or a file, remarks to standard error.

use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};

use crate::cli::args::{Color, Global};
use crate::cli::files::write_whole;
use crate::render::{FORMATS, View, format};
use crate::report::Report;

/// How reports are shown under these options.
pub(super) fn view(global: &Global) -> View {
    let color = match global.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            global.output.is_none()
                && anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
        }
    };
    View { color, verbose: global.verbose, ..View::default() }
}

/// Writes reports in the format that is asked for.
pub(super) fn show(global: &Global, reports: &[Report], view: &View) -> Result<()> {
    let mut text = Vec::new();
    format(&global.format).unwrap_or(FORMATS[0]).render(reports, view, &mut text)?;
    print(global, &text)
}

/// Whether the answer is to be JSON.
pub(super) fn is_json(global: &Global) -> bool {
    global.format == "json"
}

/// Writes a text to where answers go. A reader that has seen enough (`| head`) is no error.
pub(super) fn print(global: &Global, text: &[u8]) -> Result<()> {
    if let Some(path) = &global.output {
        return write_whole(path, text);
    }
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("can't write the answer"),
    }
}

/// Says something beside the answer.
pub(super) fn remark(global: &Global, text: &str) {
    if !global.quiet {
        complain(text);
    }
}

/// Says what went wrong.
pub(super) fn complain(text: &str) {
    // If nobody listens there is nobody to tell.
    let _ = writeln!(io::stderr().lock(), "shardwright: {text}");
}
