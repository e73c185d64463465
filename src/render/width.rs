//! Text by display columns: cut, pad, wrap, and bars of eighth blocks.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Display columns of a text.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// A text of one line with nothing in it that moves the cursor, changes
/// colours or turns the direction of writing: names come from strangers' files.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    let harmful = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let replaced = text.chars().map(|c| match c {
        '\t' | '\n' | '\r' => ' ',
        c if harmful(c) => '\u{fffd}',
        c => c,
    });
    Cow::Owned(replaced.collect())
}

/// The longest start of a text that fits, by bytes.
fn fitting(text: &str, columns: usize) -> usize {
    let mut sum = 0;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        sum += c.width().unwrap_or(0);
        if columns < sum {
            end = at;
            break;
        }
    }
    // Some sequences are wider than their characters.
    while columns < text[..end].width() {
        end = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    }
    end
}

/// The text, or as much of it as fits with `…` behind.
pub(super) fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if text.len() <= columns && text.is_ascii() || width(text) <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    Cow::Owned(format!("{}…", text[..fitting(text, columns - 1)].trim_end()))
}

/// The text cut or filled with spaces to exactly so many columns.
pub(super) fn pad(text: &str, columns: usize, right: bool) -> String {
    let text = cut(text, columns);
    let fill = " ".repeat(columns.saturating_sub(width(&text)));
    if right { format!("{fill}{text}") } else { format!("{text}{fill}") }
}

/// Lines of at most `columns`, broken at spaces; a longer word is broken anywhere, unless it is an address.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(8);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split(' ').filter(|it| !it.is_empty()) {
        let mut word = word;
        let mut wide = width(word);
        if 0 < used && columns < used + 1 + wide {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        // An address that is broken can't be opened.
        while columns < wide && !word.contains("://") {
            let end = fitting(word, columns).max(word.chars().next().map_or(0, char::len_utf8));
            lines.push(word[..end].to_owned());
            word = &word[end..];
            wide = width(word);
        }
        if 0 < used {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += wide;
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// A bar of so many cells; what is there at all shows at least an eighth of one.
pub(super) fn bar(share: f64, cells: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let exact = (share * cells as f64 * 8.0).round() as usize;
    let eighths = if 0.0 < share { exact.max(1) } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_show_one_percent_and_end_at_the_last_cell() {
        assert_eq!(bar(1.0, 5), "█████");
        assert_eq!(bar(0.0, 5), "");
        assert_eq!(bar(0.001, 5), "▏");
        // 0.5 of 5 cells are 20 eighths: two cells and a half.
        assert_eq!(bar(0.5, 5), "██▌");
        assert_eq!(bar(7.0, 2), "██");
        assert_eq!(bar(f64::NAN, 2), "");
    }

    #[test]
    fn wide_and_combining_letters_are_cut_by_columns() {
        assert_eq!(cut("customers", 9), "customers");
        assert_eq!(cut("customers", 6), "custo…");
        // Each of these is two columns wide.
        assert_eq!(cut("顧客注文", 5), "顧客…");
        assert_eq!(width(&cut("顧客注文", 6)), 5);
        // ผู้ใช้ is three columns of six characters; marks stay with their letter.
        assert_eq!(cut("ผู้ใช้งาน", 3), "ผู้ใ…");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn text_is_filled_to_its_column() {
        assert_eq!(pad("顧客", 6, false), "顧客  ");
        assert_eq!(pad("12", 4, true), "  12");
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_anywhere() {
        assert_eq!(wrap("one two three four", 9), ["one two", "three", "four"]);
        assert_eq!(wrap("abcdefghijklm nop", 8), ["abcdefgh", "ijklm", "nop"]);
        assert_eq!(wrap("see https://example.org/page now", 9), ["see", "https://example.org/page", "now"]);
        assert_eq!(wrap("", 20), [""]);
        for line in wrap(&"顧客".repeat(30), 11) {
            assert!(width(&line) <= 11, "{line}");
        }
    }

    #[test]
    fn a_name_can_not_move_the_cursor() {
        assert_eq!(clean("a\x1b[2Jb\tc"), "a\u{fffd}[2Jb c");
        assert_eq!(clean("x\u{202e}y"), "x\u{fffd}y");
        assert!(matches!(clean("plain"), Cow::Borrowed(_)));
    }
}
