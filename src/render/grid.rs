//! Columns that fit a line: as wide as their contents, and where that is too
//! much the widest ones that may be cut give way.

use crate::render::paint::Style;
use crate::render::width::{clean, pad, width};

/// A cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A cell in a style.
    pub(super) fn styled(text: impl AsRef<str>, style: Style) -> Self {
        Self { text: clean(text.as_ref()).into_owned(), style }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::styled(text, Style::Plain)
    }
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    head: &'static str,
    right: bool,
    /// The least that it can be cut to; `None` if it can't.
    least: Option<usize>,
    gap: usize,
}

impl Column {
    /// A column of words; cut where there is no room.
    pub(super) fn words(head: &'static str, least: usize) -> Self {
        Self { head, right: false, least: Some(least), gap: 2 }
    }

    /// A column that keeps its width.
    pub(super) fn fixed(head: &'static str) -> Self {
        Self { head, right: false, least: None, gap: 2 }
    }

    /// A column of figures, flush right.
    pub(super) fn figures(head: &'static str) -> Self {
        Self { head, right: true, least: None, gap: 2 }
    }

    /// The same close to the column before it.
    pub(super) fn close(self) -> Self {
        Self { gap: 1, ..self }
    }
}

/// The lines of a grid, its head first where it has one.
pub(super) fn lines(columns: &[Column], rows: &[Vec<Cell>], room: usize, color: bool) -> Vec<String> {
    let widths = widths(columns, rows, room);
    let head: Vec<Cell> = columns.iter().map(|it| Cell::styled(it.head, Style::Dim)).collect();
    let head = columns.iter().any(|it| !it.head.is_empty()).then_some(&head);
    head.into_iter().chain(rows).map(|row| line(columns, row, &widths, color)).collect()
}

fn widths(columns: &[Column], rows: &[Vec<Cell>], room: usize) -> Vec<usize> {
    let widest =
        |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|it| width(&it.text)).max().unwrap_or(0);
    let mut widths: Vec<usize> =
        columns.iter().enumerate().map(|(at, it)| widest(at).max(width(it.head))).collect();
    let gaps: usize = columns.iter().skip(1).map(|it| it.gap).sum();
    let mut over = (widths.iter().sum::<usize>() + gaps).saturating_sub(room);
    while 0 < over {
        let spare = |at: usize| columns[at].least.filter(|least| *least < widths[at]).map(|_| widths[at]);
        let Some(at) = (0..columns.len()).max_by_key(|at| spare(*at)).filter(|at| spare(*at).is_some())
        else {
            break;
        };
        widths[at] -= 1;
        over -= 1;
    }
    widths
}

fn line(columns: &[Column], row: &[Cell], widths: &[usize], color: bool) -> String {
    let mut line = String::new();
    // Spaces are kept back until something follows them, so that no line ends in any.
    let mut owed = 0;
    for (at, ((column, cell), wide)) in columns.iter().zip(row).zip(widths).enumerate() {
        owed += if at == 0 { 0 } else { column.gap };
        let text = pad(&cell.text, *wide, column.right);
        let left = text.trim_start();
        let (before, body) = (width(&text) - width(left), left.trim_end());
        if body.is_empty() {
            owed += wide;
            continue;
        }
        line.push_str(&" ".repeat(owed + before));
        line.push_str(&cell.style.paint(body, color));
        owed = wide.saturating_sub(before + width(body));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> Vec<Cell> {
        cells.iter().map(Cell::from).collect()
    }

    #[test]
    fn figures_stand_right_and_words_left() {
        let columns = [Column::words("name", 4), Column::figures("rate")];
        let rows = [row(&["orders", "1.2k"]), row(&["顧客", "3"])];
        assert_eq!(lines(&columns, &rows, 80, false), ["name    rate", "orders  1.2k", "顧客       3"]);
    }

    #[test]
    fn the_widest_words_give_way_first() {
        let columns = [Column::words("", 4), Column::words("", 4), Column::fixed("")];
        let rows = [row(&["a long name of a table", "short", "fixed"])];
        assert_eq!(
            lines(&columns, &rows, 24, false),
            ["a long nam…  short  fixed"[..].to_owned()].map(|it| it.replace("nam…", "na…"))
        );
    }

    #[test]
    fn colours_do_not_change_the_columns() {
        let columns = [Column::fixed(""), Column::fixed("")];
        let rows = [vec![Cell::styled("ab", Style::Red), Cell::from("c")], row(&["abcd", "e"])];
        assert_eq!(lines(&columns, &rows, 80, true), ["\x1b[1;31mab\x1b[0m    c", "abcd  e"]);
    }
}
