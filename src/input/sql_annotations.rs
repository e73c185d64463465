//! Annotation comments of an SQL file: `-- @word bare key=value …` and
//! `-- shardwright: ignore[rule] reason`.

use std::ops::Range;

use crate::diag::{Finding, Level, SYNTAX, did_you_mean};
use crate::input::sql_items::{Annotation, Field, SqlIgnore};
use crate::source::{FileId, Span, Spanned};

/// Words of annotations.
const WORDS: &[&str] = &["target", "table", "column", "pattern", "times", "param"];

/// What a comment says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Said {
    /// Its annotations.
    pub(super) annotations: Vec<Annotation>,
    /// Its suppression.
    pub(super) ignore: Option<SqlIgnore>,
}

/// Reads a comment at its place in the text.
pub(super) fn read_comment(text: &str, at: Range<usize>, file: FileId, findings: &mut Vec<Finding>) -> Said {
    let mut comment = Comment { text, file, findings };
    let body = comment.body(at.clone());
    let start = body.start + leading_spaces(&text[body.clone()]);
    let rest = &text[start..body.end];
    if rest.starts_with("shardwright:") {
        return Said {
            ignore: comment.ignore(start + "shardwright:".len()..body.end, at),
            ..Said::default()
        };
    }
    // An annotation may follow other words behind a second `--`.
    let is_word = |it: &str| it[1..].starts_with(|c: char| c.is_alphabetic());
    let start = if rest.starts_with('@') { Some(start) } else { rest.find("-- @").map(|it| start + it + 3) };
    let start = start.filter(|it| is_word(&text[*it..body.end]));
    let annotations = start.map_or_else(Vec::new, |it| comment.annotations(it..body.end));
    Said { annotations, ignore: None }
}

fn leading_spaces(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

struct Comment<'t> {
    text: &'t str,
    file: FileId,
    findings: &'t mut Vec<Finding>,
}

impl Comment<'_> {
    /// The comment without its marks.
    fn body(&self, at: Range<usize>) -> Range<usize> {
        let text = &self.text[at.clone()];
        if text.starts_with("/*") {
            let end = if 4 <= text.len() && text.ends_with("*/") { at.end - 2 } else { at.end };
            return at.start + 2..end;
        }
        let mark = text.len() - text.trim_start_matches(['-', '#']).len();
        at.start + mark..at.end
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range.start, range.end)
    }

    fn spanned(&self, range: Range<usize>) -> Spanned<String> {
        Spanned { value: self.text[range.clone()].to_owned(), span: self.span(range) }
    }

    fn error(&mut self, level: Level, range: Range<usize>, message: String, help: Option<String>) {
        let mut finding = Finding::new(SYNTAX, level, self.span(range), message);
        finding.help = help;
        self.findings.push(finding);
    }

    fn ignore(&mut self, body: Range<usize>, at: Range<usize>) -> Option<SqlIgnore> {
        let text = &self.text[body.clone()];
        let words = text.trim_start();
        let Some(list) = words.strip_prefix("ignore").and_then(|it| it.trim_start().strip_prefix('[')) else {
            let help = Some("write `shardwright: ignore[rule] reason`".to_owned());
            self.error(Level::Error, at, "a comment to shardwright that is not `ignore[…]`".to_owned(), help);
            return None;
        };
        let Some(end) = list.find(']') else {
            self.error(Level::Error, at, "`ignore[` without `]`".to_owned(), None);
            return None;
        };
        let mut start = body.end - list.len();
        let mut rules = Vec::new();
        for rule in list[..end].split(',') {
            let from = start + leading_spaces(rule);
            if !rule.trim().is_empty() {
                rules.push(self.spanned(from..from + rule.trim().len()));
            }
            start += rule.len() + 1;
        }
        let reason = list[end + 1..].trim().trim_start_matches(':').trim().to_owned();
        Some(SqlIgnore {
            rules,
            reason,
            span: self.span(at.start..at.start + self.text[at].trim_end().len()),
        })
    }

    fn annotations(&mut self, body: Range<usize>) -> Vec<Annotation> {
        let mut found: Vec<Annotation> = Vec::new();
        let mut at = body.start;
        loop {
            at += leading_spaces(&self.text[at..body.end]);
            if body.end <= at {
                break;
            }
            let end = self.token_end(at..body.end);
            let token = &self.text[at..end];
            if let Some(word) = token.strip_prefix('@') {
                if !WORDS.contains(&word) {
                    self.unknown_word(at..end);
                    if found.is_empty() {
                        break;
                    }
                }
                let word = self.spanned(at + 1..end);
                found.push(Annotation { word, bare: Vec::new(), fields: Vec::new() });
            } else if let Some(annotation) = found.last_mut() {
                match self.field(at..end) {
                    Some(Ok(field)) => annotation.fields.push(field),
                    Some(Err(())) => {}
                    None => annotation.bare.push(self.spanned(at..end)),
                }
            }
            at = end;
        }
        found.retain(|it| WORDS.contains(&it.word.value.as_str()));
        found
    }

    /// Reports a word that is none of ours.
    fn unknown_word(&mut self, at: Range<usize>) {
        let word = &self.text[at.start + 1..at.end];
        let near = did_you_mean(word, WORDS.iter().copied());
        // Comments of other tools start with `@` as well.
        let level = if near.is_some() { Level::Error } else { Level::Warning };
        let known = || format!("known are @{}", WORDS.join(", @"));
        let help = near.map_or_else(known, |it| format!("did you mean `@{it}`?"));
        self.error(level, at.clone(), format!("unknown annotation `@{word}`"), Some(help));
    }

    /// End of the token that starts here: white space outside of quotes and brackets.
    fn token_end(&self, body: Range<usize>) -> usize {
        let mut depth = 0_i32;
        let mut quote: Option<char> = None;
        let mut before = ' ';
        for (at, c) in self.text[body.clone()].char_indices() {
            match quote {
                Some(it) if c == it => quote = None,
                Some(_) => {}
                None => match c {
                    '"' | '\'' if before == '=' || 0 < depth => quote = Some(c),
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth -= 1,
                    _ if c.is_whitespace() && depth <= 0 => return body.start + at,
                    _ => {}
                },
            }
            before = c;
        }
        body.end
    }

    /// `key=value`; `None` for a bare word, an error where it is broken.
    fn field(&mut self, at: Range<usize>) -> Option<Result<Field, ()>> {
        let token = &self.text[at.clone()];
        let (key, value) = token.split_once('=')?;
        let value_start = at.start + key.len() + 1;
        let mut value = value.strip_suffix(',').unwrap_or(value);
        let mut start = value_start;
        let broken = if key.is_empty() {
            Some("a value without a key".to_owned())
        } else if value.is_empty() {
            Some(format!("`{key}=` without a value"))
        } else if let Some(quote) = value.chars().next().filter(|it| matches!(it, '"' | '\'')) {
            match value[1..].strip_suffix(quote) {
                Some(inside) => {
                    value = inside;
                    start += 1;
                    None
                }
                None => Some(format!("the value of `{key}` has no closing {quote}")),
            }
        } else if !is_balanced(value) {
            Some(format!("the value of `{key}` has a bracket without its partner"))
        } else {
            None
        };
        if let Some(message) = broken {
            let help = "write `key=value` without spaces around the equals sign".to_owned();
            self.error(Level::Error, at, message, Some(help));
            return Some(Err(()));
        }
        let key = self.spanned(at.start..at.start + key.len());
        Some(Ok(Field { key, value: self.spanned(start..start + value.len()) }))
    }
}

/// Whether every bracket outside of quotes has its partner.
fn is_balanced(text: &str) -> bool {
    let mut open = Vec::new();
    let mut quote: Option<char> = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(it), _) => quote = Some(it).filter(|it| *it != c),
            (None, '"' | '\'') if !open.is_empty() => quote = Some(c),
            (None, '(') => open.push(')'),
            (None, '[') => open.push(']'),
            (None, '{') => open.push('}'),
            (None, ')' | ']' | '}') if open.pop() != Some(c) => return false,
            _ => {}
        }
    }
    open.is_empty() && quote.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Said, Vec<Finding>) {
        let mut findings = Vec::new();
        let said = read_comment(text, 0..text.len(), FileId(0), &mut findings);
        (said, findings)
    }

    /// `word: bare bare key=value`, each with the text under its span.
    fn shown(text: &str) -> Vec<String> {
        let (said, findings) = read(text);
        assert_eq!(findings, [], "{text}");
        let at = |it: &Spanned<String>| {
            assert_eq!(it.value, text[it.span.start as usize..it.span.end as usize]);
            it.value.clone()
        };
        let one = |it: &Annotation| {
            let mut words = vec![format!("{}:", at(&it.word))];
            words.extend(it.bare.iter().map(at));
            words.extend(it.fields.iter().map(|it| format!("{}={}", at(&it.key), at(&it.value))));
            words.join(" ")
        };
        said.annotations.iter().map(one).collect()
    }

    #[test]
    fn words_fields_and_bare_words_are_told_apart() {
        assert_eq!(shown("-- @table rows=200M growth=300k/day"), ["table: rows=200M growth=300k/day"]);
        assert_eq!(shown("--@times 3 each=n,sku,q"), ["times: 3 each=n,sku,q"]);
        assert_eq!(
            shown("-- @param supply same_as=home share=99%"),
            ["param: supply same_as=home share=99%"]
        );
        assert_eq!(shown("/* @table rows=5M\n   row_size=1KB */"), ["table: rows=5M row_size=1KB"]);
        assert_eq!(shown("-- also: -- @param a same_as=b"), ["param: a same_as=b"]);
        assert_eq!(shown("-- mail me @home"), Vec::<String>::new());
        assert_eq!(shown("-- ordinary words"), Vec::<String>::new());
    }

    #[test]
    fn values_may_be_quoted_or_hold_brackets() {
        assert_eq!(shown("-- @pattern name=\"a b = c\" rate=5/s"), ["pattern: name=a b = c rate=5/s"]);
        assert_eq!(
            shown("-- @pattern name='it é' popularity.c=zipf(1.1)"),
            ["pattern: name=it é popularity.c=zipf(1.1)"]
        );
        assert_eq!(
            shown("-- @column skew={top: [12%, 4%], rest: zipf(0.8)} distinct=5"),
            ["column: skew={top: [12%, 4%], rest: zipf(0.8)} distinct=5"]
        );
        assert_eq!(shown("-- @column skew={top: {\"a b\": 12%}}"), ["column: skew={top: {\"a b\": 12%}}"]);
    }

    #[test]
    fn broken_annotations_are_findings_at_their_place() {
        let check = |text: &str, under: &str, message: &str| {
            let (said, findings) = read(text);
            assert_eq!(findings.len(), 1, "{text} {findings:?}");
            let span = findings[0].span;
            assert_eq!(&text[span.start as usize..span.end as usize], under);
            assert_eq!(findings[0].message, message);
            said
        };
        check("-- @tabel rows=5", "@tabel", "unknown annotation `@tabel`");
        let said = check("-- @table rows= growth=5/s", "rows=", "`rows=` without a value");
        assert_eq!(said.annotations[0].fields.len(), 1);
        check("-- @table rows = 5", "=", "a value without a key");
        check("-- @pattern name=\"open", "name=\"open", "the value of `name` has no closing \"");
        check(
            "-- @column skew=zipf(1.1",
            "skew=zipf(1.1",
            "the value of `skew` has a bracket without its partner",
        );
        assert_eq!(read("-- @author somebody").1[0].level, Level::Warning);
        assert_eq!(read("-- @tabel x").1[0].level, Level::Error);
    }

    #[test]
    fn suppressions_name_rules_and_a_reason() {
        let text = "-- shardwright: ignore[scatter-read, SW101] back office";
        let ignore = read(text).0.ignore.expect("a suppression");
        let rules: Vec<_> = ignore.rules.iter().map(|it| it.value.as_str()).collect();
        assert_eq!(rules, ["scatter-read", "SW101"]);
        let span = ignore.rules[1].span;
        assert_eq!(&text[span.start as usize..span.end as usize], "SW101");
        assert_eq!(ignore.reason, "back office");
        assert_eq!(read("-- shardwright: ignore[x]").0.ignore.expect("a suppression").reason, "");
        assert_eq!(read("-- shardwright: ignore[x").1.len(), 1);
        assert_eq!(read("-- shardwright: skip it").1.len(), 1);
    }
}
