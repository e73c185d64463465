//! Reports as text for people and as JSON for programs.

mod grid;
mod human;
mod json;
mod page;
mod paint;
mod width;

use std::io::{self, Write};

use crate::report::Report;

/// How a report is to be shown.
#[derive(Clone, Debug)]
pub struct View {
    /// Display columns of a line.
    pub width: usize,
    /// Whether to colour.
    pub color: bool,
    /// The one table whose candidates are shown.
    pub table: Option<String>,
    /// How many candidates are shown at most.
    pub top: Option<usize>,
    /// Everything, however long.
    pub verbose: bool,
}

impl Default for View {
    fn default() -> Self {
        Self { width: 80, color: false, table: None, top: None, verbose: false }
    }
}

/// An output format.
#[derive(Debug)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    render: fn(&[Report], &View, &mut dyn Write) -> io::Result<()>,
}

/// Every format, the usual one first.
pub static FORMATS: &[&Format] = &[&human::FORMAT, &json::FORMAT];

/// The format of a name.
#[must_use]
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|it| it.name == name)
}

impl Format {
    /// Writes one report, or several of one workload, one for each target.
    ///
    /// # Errors
    ///
    /// When the writer fails.
    pub fn render(&self, reports: &[Report], view: &View, out: &mut dyn Write) -> io::Result<()> {
        (self.render)(reports, view, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_names_of_their_own_and_render_an_empty_report() {
        for (idx, it) in FORMATS.iter().enumerate() {
            assert!(FORMATS[..idx].iter().all(|other| other.name != it.name), "{}", it.name);
            let mut out = Vec::new();
            it.render(&[Report::default()], &View::default(), &mut out).unwrap();
            assert!(out.ends_with(b"\n"), "{}", it.name);
        }
        assert!(format("text").is_some() && format("xml").is_none());
    }
}
