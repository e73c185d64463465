//! A page of text in the making: headings, paragraphs, lists, grids.

use crate::render::View;
use crate::render::grid::{self, Cell, Column};
use crate::render::paint::Style;
use crate::render::width::{clean, cut, width, wrap};

/// Lines of text for one view.
#[derive(Debug)]
pub(super) struct Page {
    lines: Vec<String>,
    /// Display columns.
    pub(super) width: usize,
    /// Whether to colour.
    pub(super) color: bool,
}

impl Page {
    /// An empty page.
    pub(super) fn new(view: &View) -> Self {
        Self { lines: Vec::new(), width: view.width.max(20), color: view.color }
    }

    /// The text, each line ended.
    pub(super) fn text(&self) -> String {
        self.lines.iter().fold(String::new(), |text, line| text + line.trim_end() + "\n")
    }

    /// A line as it is.
    pub(super) fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// A line of pieces, each in its style; cut where there is no room.
    pub(super) fn pieces(&mut self, pieces: &[(&str, Style)]) {
        let mut line = String::new();
        let mut used = 0;
        for (text, style) in pieces {
            let text = clean(text);
            let shown = cut(&text, self.width.saturating_sub(used));
            used += width(&shown);
            line.push_str(&style.paint(&shown, self.color));
        }
        self.lines.push(line);
    }

    /// An empty line, unless there is one or nothing above.
    pub(super) fn gap(&mut self) {
        if self.lines.last().is_some_and(|it| !it.is_empty()) {
            self.lines.push(String::new());
        }
    }

    /// A heading with room above, and a remark beside it.
    pub(super) fn heading(&mut self, text: &str, remark: &str) {
        self.gap();
        let text = cut(text, self.width);
        let remark = cut(remark, self.width.saturating_sub(width(&text) + 2));
        let text = Style::Bold.paint(&text, self.color);
        let remark = if remark.is_empty() { String::new() } else { format!("  {}", self.dim(&remark)) };
        self.lines.push(format!("{text}{remark}"));
    }

    /// A piece of text that is beside the point.
    pub(super) fn dim(&self, text: &str) -> String {
        Style::Dim.paint(text, self.color)
    }

    /// A paragraph, its lines in a style.
    pub(super) fn paragraph(&mut self, text: &str, indent: usize, style: Style) {
        self.item("", text, indent, style);
    }

    /// A paragraph behind a mark; its further lines stand under the first.
    pub(super) fn item(&mut self, mark: &str, text: &str, indent: usize, style: Style) {
        let hang = indent + width(mark);
        for (at, part) in text.split('\n').enumerate() {
            for (idx, line) in wrap(&clean(part), self.width.saturating_sub(hang)).iter().enumerate() {
                let before = if at == 0 && idx == 0 {
                    format!("{}{mark}", " ".repeat(indent))
                } else {
                    " ".repeat(hang)
                };
                let line = style.paint(line, self.color);
                self.lines.push(format!("{before}{line}"));
            }
        }
    }

    /// A grid, indented.
    pub(super) fn grid(&mut self, columns: &[Column], rows: &[Vec<Cell>], indent: usize) {
        let lines = grid::lines(columns, rows, self.width.saturating_sub(indent), self.color);
        self.lines.extend(lines.into_iter().map(|it| format!("{}{it}", " ".repeat(indent))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_lines_of_an_item_stand_under_its_text() {
        let mut page = Page::new(&View { width: 20, ..View::default() });
        page.item("1. ", "add a column and fill it\nthen index it", 2, Style::Plain);
        assert_eq!(page.text(), "  1. add a column\n     and fill it\n     then index it\n");
    }

    #[test]
    fn gaps_do_not_add_up() {
        let mut page = Page::new(&View::default());
        page.gap();
        page.line("a");
        page.gap();
        page.gap();
        page.heading("B", "");
        assert_eq!(page.text(), "a\n\nB\n");
    }
}
