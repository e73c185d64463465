//! JSON: the versioned copies of `report::wire`.

use std::io::{self, Write};

use crate::render::{Format, View};
use crate::report::{Report, wire};

/// The format.
pub(super) static FORMAT: Format = Format { name: "json", about: "one stable object, for programs", render };

fn render(reports: &[Report], _: &View, out: &mut dyn Write) -> io::Result<()> {
    match reports {
        [report] => out.write_all(wire::report_json(report).as_bytes()),
        _ => out.write_all(wire::targets_json(reports).as_bytes()),
    }
}
