//! Suppression comments: `# shardwright: ignore[rule, rule] reason`.

use crate::diag::Finding;
use crate::input::fields::syntax;
use crate::input::sql_items::SqlIgnore;
use crate::input::tree::Tree;
use crate::model::Ignore;
use crate::source::Span;

/// The suppressions among the comments of a document.
pub(super) fn in_tree(tree: &Tree, text: &str, findings: &mut Vec<Finding>) -> Vec<Ignore> {
    let lines = Lines::of(text);
    // Several comments one below the other speak of the first line under them that holds something else.
    let bare: Vec<u32> =
        tree.comments.iter().filter(|it| it.own_line).map(|it| lines.at(it.span.start)).collect();
    let mut found = Vec::new();
    for comment in &tree.comments {
        let Some(rest) = comment.text.trim_start().strip_prefix("shardwright:") else { continue };
        let Some((rules, reason)) = parse(rest.trim_start()) else {
            let help = "write `# shardwright: ignore[scatter-read] the reason`";
            findings
                .push(syntax(comment.span, "a comment to shardwright that it can't read").with_help(help));
            continue;
        };
        let mut line = lines.at(comment.span.start);
        while bare.binary_search(&line).is_ok() {
            line += 1;
        }
        found.extend(rules.iter().map(|rule| ignore(rule, reason, line, comment.span)));
    }
    found
}

/// The suppression that an SQL file holds.
pub(super) fn in_sql(item: &SqlIgnore, text: &str) -> Vec<Ignore> {
    let start = item.span.start as usize;
    let before = text.get(..start).unwrap_or("");
    let line_start = before.rfind('\n').map_or(0, |it| it + 1);
    let mut line = Lines::of(text).at(item.span.start);
    if before[line_start..].trim().is_empty() {
        line += 1;
        let below = text.get(start..).unwrap_or("").lines().skip(1);
        line += below.take_while(|it| is_remark(it)).count() as u32;
    }
    item.rules.iter().map(|rule| ignore(&rule.value, &item.reason, line, item.span)).collect()
}

fn ignore(rule: &str, reason: &str, line: u32, span: Span) -> Ignore {
    let reason = (!reason.is_empty()).then(|| reason.to_owned());
    Ignore { rule: rule.to_owned(), reason, line: Some(line), span, ..Ignore::default() }
}

/// `ignore[rule, rule] reason`
fn parse(text: &str) -> Option<(Vec<&str>, &str)> {
    let (rules, reason) = text.strip_prefix("ignore")?.trim_start().strip_prefix('[')?.split_once(']')?;
    let rules: Vec<&str> = rules.split(',').map(str::trim).filter(|it| !it.is_empty()).collect();
    (!rules.is_empty()).then_some((rules, reason.trim()))
}

/// A line with a comment that is not an annotation: findings about a pattern point at its annotation.
fn is_remark(line: &str) -> bool {
    line.trim_start().strip_prefix("--").is_some_and(|it| !it.trim_start().starts_with('@'))
}

/// Where lines start.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// The line of a byte, from 1.
    fn at(&self, offset: u32) -> u32 {
        self.0.partition_point(|it| *it <= offset as usize) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::testing::{clean, read_text};
    use crate::source::{FileId, Spanned};

    #[test]
    fn a_comment_silences_its_line_or_the_next_one() {
        let design = clean(
            "\
shardwright: 1
# shardwright: ignore[scatter-read, SW101] twice a minute
# and another remark
tables:
  t: {columns: {a: int}}   # shardwright: ignore[unused-table] kept for later
  u: {columns: {a: '# shardwright: ignore[x] no comment'}}
  # shardwright: ignore[y]
",
        );
        let found: Vec<(&str, Option<u32>, Option<&str>)> =
            design.lint.ignore.iter().map(|it| (it.rule.as_str(), it.line, it.reason.as_deref())).collect();
        assert_eq!(
            found,
            [
                ("scatter-read", Some(4), Some("twice a minute")),
                ("SW101", Some(4), Some("twice a minute")),
                ("unused-table", Some(5), Some("kept for later")),
                ("y", Some(8), None),
            ]
        );
    }

    #[test]
    fn a_comment_that_is_meant_and_not_understood_is_said() {
        for comment in
            ["# shardwright: ignore scatter-read", "# shardwright: ignore[] x", "#shardwright: ignroe[x] y"]
        {
            let (read, _) = read_text(&format!("shardwright: 1\n{comment}\n"));
            assert_eq!(read.findings.len(), 1);
            assert_eq!(read.findings[0].message, "a comment to shardwright that it can't read");
        }
    }

    #[test]
    fn in_sql_annotations_are_not_skipped() {
        let text = "-- shardwright: ignore[a] why\n-- more\n-- @pattern name=x\nSELECT 1; -- shardwright: ignore[b] why\n";
        let line = |mark: &str| {
            let start = text.find(mark).unwrap();
            let span = Span::new(FileId(0), start, start + mark.len());
            let rules = vec![Spanned { value: "r".to_owned(), span }];
            in_sql(&SqlIgnore { rules, reason: "why".to_owned(), span }, text)[0].line
        };
        assert_eq!(line("-- shardwright: ignore[a]"), Some(3));
        assert_eq!(line("-- shardwright: ignore[b]"), Some(4));
    }
}
