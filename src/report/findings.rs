//! Findings with their places in lines and columns.

use crate::diag::Finding;
use crate::report::{FindingRow, PlaceRow};
use crate::source::{Files, Span};

/// Longest line that is shown whole; of a longer one the part around the place.
const LINE: usize = 240;

/// A finding as a row.
pub(super) fn finding_row(finding: &Finding, files: &Files) -> FindingRow {
    FindingRow {
        code: finding.code.code,
        rule: finding.code.name,
        level: finding.level,
        confidence: finding.confidence,
        table: finding.table.clone(),
        pattern: finding.pattern.clone(),
        index: finding.index.clone(),
        key: finding.key.clone(),
        message: finding.message.clone(),
        help: finding.help.clone(),
        fix: finding.fix.clone(),
        place: place_row(finding.span, files),
        related: finding
            .related
            .iter()
            .map(|(span, label)| (place_row(*span, files), label.clone()))
            .collect(),
    }
}

/// A place as a row.
pub(super) fn place_row(span: Span, files: &Files) -> PlaceRow {
    let (start, end) = files.places(span);
    let (text, marked) = line_of(files.text(span.file), span.start as usize, span.end as usize);
    PlaceRow {
        file: files.name(span.file).to_owned(),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        text,
        marked,
    }
}

/// The nearest start of a character at or before an offset.
fn boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0)
}

/// The line in which a span starts, without its end, and what the span covers of it.
fn line_of(text: &str, start: usize, end: usize) -> (String, (usize, usize)) {
    let start = boundary(text, start);
    let end = boundary(text, end).max(start);
    let from = text[..start].rfind('\n').map_or(0, |it| it + 1);
    let to = text[start..].find('\n').map_or(text.len(), |it| start + it);
    let line = text[from..to].strip_suffix('\r').unwrap_or(&text[from..to]);
    let marked = ((start - from).min(line.len()), (end - from).min(line.len()));
    if line.len() <= LINE {
        return (line.to_owned(), marked);
    }
    let left = boundary(line, marked.0.saturating_sub(LINE / 3));
    let right = boundary(line, (left + LINE).max(marked.0 + 1));
    let (before, after) = (if 0 < left { "…" } else { "" }, if right < line.len() { "…" } else { "" });
    let shift = |it: usize| it.clamp(left, right) - left + before.len();
    (format!("{before}{}{after}", &line[left..right]), (shift(marked.0), shift(marked.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_marks_its_part_of_the_first_line() {
        let text = "one\r\n  two: three\r\nfour";
        let at = text.find("two").unwrap();
        assert_eq!(line_of(text, at, at + 3), ("  two: three".to_owned(), (2, 5)));
        // Over the end of the line, carriage return included.
        assert_eq!(line_of(text, at, text.len()), ("  two: three".to_owned(), (2, 12)));
        assert_eq!(line_of(text, text.len(), text.len() + 9), ("four".to_owned(), (4, 4)));
    }

    #[test]
    fn a_span_inside_a_character_does_not_break_it() {
        assert_eq!(line_of("กข", 1, 4), ("กข".to_owned(), (0, 3)));
        assert_eq!(line_of("", 7, 9), (String::new(), (0, 0)));
    }

    #[test]
    fn a_very_long_line_is_cut_around_the_place() {
        let text = format!("{}needle{}", "ก".repeat(500), "x".repeat(500));
        let at = text.find("needle").unwrap();
        let (line, (from, to)) = line_of(&text, at, at + 6);
        assert_eq!(&line[from..to], "needle");
        assert!(line.starts_with("…ก") && line.ends_with("x…") && line.len() < 260, "{line}");
    }
}
