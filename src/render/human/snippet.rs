//! A line of a source with a part of it underlined.

use crate::render::page::Page;
use crate::render::paint::Style;
use crate::render::width::{clean, width};
use crate::report::PlaceRow;

/// Columns between tab stops.
const TAB: usize = 4;

/// Writes the line of a place with carets under what it covers, and a label behind them.
pub(super) fn write(page: &mut Page, place: &PlaceRow, label: &str, style: Style) {
    let number = place.line.to_string();
    let room = page.width.saturating_sub(number.len() + 4).max(12);
    let (text, before, marked) = window(&place.text, place.marked, room);
    if text.trim().is_empty() {
        return;
    }
    let margin = " ".repeat(number.len());
    let carets = "^".repeat(marked.max(1));
    let label = if label.is_empty() { String::new() } else { format!(" {label}") };
    let (number, bar) = (page.dim(&number), page.dim("|"));
    page.line(format!(" {number} {bar} {text}"));
    let carets = style.paint(&format!("{carets}{}", clean(&label)), page.color);
    page.line(format!(" {margin} {bar} {}{carets}", " ".repeat(before)));
}

/// The line as it is shown, the columns before the marked part, and those of it.
///
/// Tabs become spaces to the next stop, so that the carets stand right
/// wherever the terminal has its stops. A line with no room is cut around the
/// marked part.
fn window(line: &str, marked: (usize, usize), room: usize) -> (String, usize, usize) {
    let boundary =
        |at: usize| (0..=at.min(line.len())).rev().find(|it| line.is_char_boundary(*it)).unwrap_or(0);
    let start = boundary(marked.0);
    let end = boundary(marked.1).max(start);
    let (a, b, c) = (&line[..start], &line[start..end], &line[end..]);
    let a = expand(a, 0);
    let b = expand(b.trim_end(), width(&a));
    let c = expand(c, width(&a) + width(&b));
    let (before, under) = (width(&a), width(&b));
    if before + under + width(&c) <= room {
        return (format!("{a}{b}{c}"), before, under);
    }
    // Keep the marked part and what leads to it; drop columns from the left, then from the right.
    let lead = room.saturating_sub(under.min(room) + 4).min(before).min(room / 2);
    let (head, before) = if lead < before { tail_of(&a, lead) } else { (a, before) };
    let rest = format!("{head}{b}{c}");
    let shown = crate::render::width::cut(&rest, room).into_owned();
    let under = under.min(width(&shown).saturating_sub(before));
    (shown, before, under)
}

/// The last columns of a text behind `…`, and how many columns that makes.
fn tail_of(text: &str, columns: usize) -> (String, usize) {
    let mut at = text.len();
    for (idx, _) in text.char_indices().rev() {
        if columns < width(&text[idx..]) + 1 {
            break;
        }
        at = idx;
    }
    let tail = format!("…{}", &text[at..]);
    let wide = width(&tail);
    (tail, wide)
}

/// Tabs as spaces; `column` is where the text begins.
fn expand(text: &str, column: usize) -> String {
    let mut out = String::new();
    let mut at = column;
    for (idx, part) in text.split('\t').enumerate() {
        if 0 < idx {
            let fill = TAB - at % TAB;
            out.push_str(&" ".repeat(fill));
            at += fill;
        }
        let part = clean(part);
        at += width(&part);
        out.push_str(&part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::View;

    /// Asserts that the carets stand under the words between `«` and `»`.
    fn check(marked: &str, columns: usize, expected: &str) {
        let start = marked.find('«').unwrap();
        let text = marked.replace('«', "");
        let end = text.find('»').unwrap();
        let text = text.replace('»', "");
        let place = PlaceRow { line: 7, text, marked: (start, end), ..PlaceRow::default() };
        let mut page = Page::new(&View { width: columns, ..View::default() });
        write(&mut page, &place, "", Style::Red);
        assert_eq!(page.text(), expected);
    }

    #[test]
    fn carets_stand_under_the_word() {
        check("  - name: «orders»  ", 80, " 7 |   - name: orders\n   |           ^^^^^^\n");
    }

    #[test]
    fn tabs_are_as_wide_above_as_below() {
        check("\ta:\t«b»", 80, " 7 |     a:  b\n   |         ^\n");
    }

    #[test]
    fn wide_letters_take_two_columns_and_combining_marks_none() {
        check("顧客: «注文»", 80, " 7 | 顧客: 注文\n   |       ^^^^\n");
        // e with a combining acute is one column; the Thai word is three.
        check("e\u{301}: «ผู้ใช้» x", 80, " 7 | e\u{301}: ผู้ใช้ x\n   |    ^^^\n");
    }

    #[test]
    fn nothing_marked_still_has_one_caret() {
        check("a: «»", 80, " 7 | a:\n   |    ^\n");
    }

    #[test]
    fn a_long_line_is_cut_around_the_word() {
        let text = format!("{}«needle»{}", "a".repeat(50), "z".repeat(50));
        let expected = " 7 | …aaaaaaaaaneedlezzzz…\n   |           ^^^^^^\n";
        check(&text, 26, expected);
    }

    #[test]
    fn escape_codes_of_a_file_are_not_passed_on() {
        check("\x1b[31m«x»", 80, " 7 | \u{fffd}[31mx\n   |      ^\n");
    }
}
