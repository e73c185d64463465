//! Cuts SQL text of any dialect into words, strings, comments and placeholders
//! with exact byte ranges; knows nothing of grammar and never fails.

use std::ops::Range;

/// What a stretch of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LexKind {
    /// `-- …` to the end of its line; `# …` in `MySQL`.
    LineComment,
    /// `/* … */`
    BlockComment,
    /// `'…'`, `E'…'` behind its `E`, `$$…$$`
    Text,
    /// `"…"` or `` `…` ``
    Quoted,
    /// Keyword or name.
    Word,
    /// A number.
    Number,
    /// `:name`, `@name`, `$1`, `?`, `%s`, `%(name)s`
    Placeholder,
    /// Any other character; `::` is one.
    Punct,
}

/// A piece of a text; white space lies between pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lexeme {
    /// What it is.
    pub(super) kind: LexKind,
    /// Where it stands.
    pub(super) range: Range<usize>,
}

impl Lexeme {
    /// Its text.
    pub(super) fn text<'t>(&self, of: &'t str) -> &'t str {
        of.get(self.range.clone()).unwrap_or("")
    }

    /// Whether it is a word, without regard to case.
    pub(super) fn is(&self, of: &str, word: &str) -> bool {
        self.kind == LexKind::Word && self.text(of).eq_ignore_ascii_case(word)
    }

    /// Whether it is a punctuation mark.
    pub(super) fn is_mark(&self, of: &str, mark: &str) -> bool {
        self.kind == LexKind::Punct && self.text(of) == mark
    }

    /// Whether it is a comment.
    pub(super) fn is_comment(&self) -> bool {
        matches!(self.kind, LexKind::LineComment | LexKind::BlockComment)
    }
}

/// Whether a word is one of a list that is written as one text.
pub(super) fn is_one_of(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it == word)
}

/// Rules of lexing that differ between products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    /// A backslash is an ordinary character, block comments nest.
    Standard,
    /// A backslash escapes, `#` starts a comment, block comments do not nest.
    MySql,
}

impl Quoting {
    /// Guesses from words that only the `MySQL` family uses.
    pub(super) fn guess(text: &str) -> Self {
        let lower = text.to_ascii_lowercase();
        let signs = ["`", "auto_increment", "engine=innodb", "engine = innodb", "on duplicate key"];
        if signs.iter().any(|it| lower.contains(it)) { Self::MySql } else { Self::Standard }
    }
}

/// The name a placeholder carries; `None` for one that is a value of its own.
pub(super) fn placeholder_name(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix("%(") {
        return rest.strip_suffix(")s");
    }
    let number = |it: &str| it.bytes().all(|c| c.is_ascii_digit());
    match text.as_bytes().first()? {
        b'$' if number(&text[1..]) => Some(text),
        b'?' if 1 < text.len() => Some(text),
        b':' | b'@' | b'$' => Some(&text[1..]),
        _ => None,
    }
}

/// All pieces of a text, in order.
pub(super) fn lex(text: &str, quoting: Quoting) -> Vec<Lexeme> {
    let mut scan = Scan { text, at: 0, quoting, found: Vec::new() };
    while scan.at < text.len() {
        let start = scan.at;
        match scan.next_kind() {
            Some(kind) => scan.found.push(Lexeme { kind, range: start..scan.at }),
            None => scan.at = scan.at.max(start + 1),
        }
    }
    scan.found
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    quoting: Quoting,
    found: Vec<Lexeme>,
}

impl Scan<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Moves behind the next piece; `None` after white space.
    fn next_kind(&mut self) -> Option<LexKind> {
        let c = self.rest().chars().next()?;
        if c.is_whitespace() {
            self.at += c.len_utf8();
            return None;
        }
        if let Some(kind) = self.comment() {
            return Some(kind);
        }
        match c {
            '\'' => {
                let escapes = self.quoting == Quoting::MySql || self.follows_e();
                self.quoted('\'', escapes);
                return Some(LexKind::Text);
            }
            '"' | '`' => {
                self.quoted(c, self.quoting == Quoting::MySql && c == '"');
                return Some(LexKind::Quoted);
            }
            '$' if self.dollar_quoted() => return Some(LexKind::Text),
            _ => {}
        }
        if let Some(length) = self.placeholder(c) {
            self.at += length;
            return Some(LexKind::Placeholder);
        }
        Some(self.plain(c))
    }

    fn comment(&mut self) -> Option<LexKind> {
        let rest = self.rest();
        if rest.starts_with("--") || (self.quoting == Quoting::MySql && rest.starts_with('#')) {
            self.at += rest.find('\n').unwrap_or(rest.len());
            return Some(LexKind::LineComment);
        }
        if !rest.starts_with("/*") {
            return None;
        }
        let mut depth = 1;
        let bytes = rest.as_bytes();
        let mut at = 2;
        while at < bytes.len() && 0 < depth {
            if bytes[at..].starts_with(b"*/") {
                depth -= 1;
                at += 2;
            } else if self.quoting == Quoting::Standard && bytes[at..].starts_with(b"/*") {
                depth += 1;
                at += 2;
            } else {
                at += 1;
            }
        }
        self.at += at;
        Some(LexKind::BlockComment)
    }

    /// Whether an `E` stands directly before the quote.
    fn follows_e(&self) -> bool {
        self.found.last().is_some_and(|it| it.range.end == self.at && it.is(self.text, "e"))
    }

    /// Moves behind a quoted text in which the doubled quote stands for itself.
    fn quoted(&mut self, quote: char, escapes: bool) {
        let bytes = self.text.as_bytes();
        let quote = quote as u8;
        let mut at = self.at + 1;
        while at < bytes.len() {
            if bytes[at] == quote {
                if bytes.get(at + 1) != Some(&quote) {
                    break;
                }
                at += 1;
            } else if escapes && bytes[at] == b'\\' {
                at += 1;
            }
            at += 1;
        }
        // An escape can point into a character of several bytes, or behind the end.
        self.at = (at + 1).min(bytes.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    /// Moves behind `$tag$ … $tag$`, if that is what stands here.
    fn dollar_quoted(&mut self) -> bool {
        let rest = self.rest();
        let name = rest[1..].find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len() - 1);
        let tag_end = 1 + name;
        if rest.as_bytes().get(tag_end) != Some(&b'$') || rest[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            return false;
        }
        let tag = &rest[..=tag_end];
        let length = match rest[tag.len()..].find(tag) {
            Some(end) => tag.len() + end + tag.len(),
            None => rest.len(),
        };
        self.at += length;
        true
    }

    /// Length of a placeholder that starts here.
    fn placeholder(&self, first: char) -> Option<usize> {
        let rest = self.rest();
        let before = self.text[..self.at].chars().next_back();
        let glued = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ']' | ')' | '@' | ':'));
        let word = |from: usize| {
            let tail = rest.get(from..).unwrap_or("");
            tail.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(tail.len())
        };
        match first {
            ':' | '$' if !glued && 0 < word(1) => Some(1 + word(1)),
            '@' if !glued && rest[1..].starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                Some(1 + word(1))
            }
            '%' if rest.starts_with("%(") => {
                let name = word(2);
                (0 < name && rest[2 + name..].starts_with(")s")).then_some(2 + name + 2)
            }
            '%' if rest.starts_with("%s") && word(1) == 1 && !self.after_operand() => Some(2),
            '?' => {
                let next = rest[1..].chars().next();
                let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - 1);
                let operator =
                    matches!(next, Some('&')) || rest.starts_with("?|") && !rest.starts_with("?||");
                (!operator && (glued || !self.after_operand())).then_some(1 + digits)
            }
            _ => None,
        }
    }

    /// Whether the piece before is a value, so that `?` and `%` are operators here.
    fn after_operand(&self) -> bool {
        let Some(last) = self.found.iter().rev().find(|it| !it.is_comment()) else { return false };
        match last.kind {
            LexKind::Text | LexKind::Quoted | LexKind::Number | LexKind::Placeholder => true,
            LexKind::Word => {
                let word = last.text(self.text).to_ascii_lowercase();
                !is_one_of(VALUE_FOLLOWS, &word)
            }
            _ => matches!(last.text(self.text), ")" | "]"),
        }
    }

    /// Moves behind a number, a word or one mark.
    fn plain(&mut self, c: char) -> LexKind {
        let rest = self.rest();
        let end = |wanted: &dyn Fn(char) -> bool| rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        if c.is_ascii_digit() {
            let length = end(&|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
            self.at += length;
            return LexKind::Number;
        }
        if c.is_alphabetic() || c == '_' {
            let length = end(&|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
            self.at += length;
            return LexKind::Word;
        }
        let pair = ["::", ":=", "@@", "%%", "??"].iter().any(|it| rest.starts_with(it));
        self.at += if pair { 2 } else { c.len_utf8() };
        LexKind::Punct
    }
}

/// Words behind which a value is expected, so that a mark there is a placeholder.
const VALUE_FOLLOWS: &str = "\
    all and any as between by case contains distinct div else escape first from having ilike in interval \
    is key like limit mod next not offset on or over regexp return returning rlike row rows select set \
    similar some then timestamp to top ttl using values when where xor";

#[cfg(test)]
mod tests {
    use super::*;

    fn placeholders(text: &str) -> Vec<&str> {
        let found = lex(text, Quoting::Standard);
        found.iter().filter(|it| it.kind == LexKind::Placeholder).map(|it| it.text(text)).collect()
    }

    #[test]
    fn every_kind_of_placeholder_is_found() {
        assert_eq!(placeholders("a = :x AND b=@y AND c IN ($1,$2)"), [":x", "@y", "$1", "$2"]);
        assert_eq!(placeholders("a = ? AND b = %s AND c = %(name)s LIMIT ?"), ["?", "%s", "%(name)s", "?"]);
        assert_eq!(placeholders("VALUES (?, ?,%s)"), ["?", "?", "%s"]);
        assert_eq!(placeholders("a = :x::bigint"), [":x"]);
    }

    #[test]
    fn strings_comments_casts_and_operators_are_left_alone() {
        assert!(placeholders("':a' \"@b\" `?` -- :c\n/* ? /* :d */ %s */ $$ :e $$ $t$ ? $t$").is_empty());
        assert!(placeholders("a::int, x := 5, @@version, arr[1:2]").is_empty());
        assert!(placeholders("data ? 'key' AND data ?| array['a'] AND n % s = 0").is_empty());
        assert!(placeholders("E'it\\'s :a' 'b'").is_empty());
    }

    #[test]
    fn names_lose_their_marks() {
        assert_eq!(placeholder_name(":x"), Some("x"));
        assert_eq!(placeholder_name("@x"), Some("x"));
        assert_eq!(placeholder_name("%(x)s"), Some("x"));
        assert_eq!(placeholder_name("$1"), Some("$1"));
        assert_eq!(placeholder_name("?"), None);
        assert_eq!(placeholder_name("%s"), None);
    }

    #[test]
    fn a_backslash_escapes_only_in_mysql() {
        let count = |text: &str, quoting| lex(text, quoting).len();
        assert_eq!(count(r"'it\'s'", Quoting::MySql), 1);
        assert_eq!(count(r"'C:\' x", Quoting::Standard), 2);
    }

    #[test]
    fn pieces_cover_everything_but_white_space_however_the_text_is_cut() {
        let text =
            "SELECT 'ü', E'\\'', $a$b$a$, \"q\"\"q\", `x` FROM t -- é\nWHERE /* c */ a=:p::int % 3 ?& 'ก'";
        for quoting in [Quoting::Standard, Quoting::MySql] {
            for (cut, _) in text.char_indices() {
                let part = &text[..cut];
                let mut end = 0;
                for piece in lex(part, quoting) {
                    assert!(part[end..piece.range.start].trim().is_empty(), "{part}");
                    assert!(piece.range.start < piece.range.end);
                    end = piece.range.end;
                }
                assert!(part[end..].trim().is_empty());
            }
        }
    }
}
